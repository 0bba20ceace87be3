"""np.interp with tensors against np.interp, where nodes repeat and values are not finite."""

from typing import Any

import numpy as np
import pytest

import arraygrad as ag


def drawn(seed: int) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Places (many at nodes), sorted nodes with repetitions, values, and options."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    nodes = np.sort(rng.integers(-3, 4, n).astype(float))
    if seed % 4 == 1:
        nodes = np.concatenate(([-np.inf], nodes, [np.inf]))
    values = rng.choice([0.0, 1.0, -2.5, 1.0, np.inf, -np.inf, np.nan], nodes.size)
    if seed % 3 == 0:
        values = rng.normal(size=nodes.size)
    places = np.concatenate((rng.choice(nodes, 4), rng.uniform(-4, 4, 5), [np.nan, -9.0, 9.0]))
    options: dict[str, Any] = {}
    if seed % 5 == 1:
        options = {"left": 7.0, "right": -7.0}
    elif seed % 5 == 2 and np.isfinite(nodes).all():
        options, places = {"period": 3.5}, places[np.isfinite(places)]
    return places, nodes, values, options


@pytest.mark.parametrize("seed", range(120))
def test_values_are_those_of_numpy(seed: int) -> None:
    places, nodes, values, options = drawn(seed)
    expected = np.interp(places, nodes, values, **options)
    given = [ag.tensor(a, requires_grad=True) for a in (places, nodes, values)]
    out: Any = np.interp(*given, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(out.detach(), expected, rtol=1e-12, atol=1e-14)
    for i in range(places.size):
        one: Any = np.interp(given[0][i], *given[1:], **options)  # type: ignore[arg-type]
        np.testing.assert_allclose(one.detach(), expected[i], rtol=1e-12, atol=1e-14)
    finite = np.isfinite(expected)
    out[finite].sum().backward()
    for x in given if nodes.size > 1 else given[2:]:
        assert x.grad is not None
        assert np.isfinite(np.asarray(x.grad)).all()


def test_a_node_beside_infinity_counts_by_its_value() -> None:
    values = ag.tensor([0.0, 1.0, np.inf], requires_grad=True)
    x = ag.tensor([1.0, 0.5], requires_grad=True)
    out: Any = np.interp(x, [0.0, 1.0, 2.0], values)  # type: ignore[arg-type]
    out.sum().backward()
    assert out.detach().tolist() == [1.0, 0.5]
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 1.0]
    assert values.grad is not None
    assert values.grad.tolist() == [0.5, 1.5, 0.0]


def test_complex_values_beside_infinity() -> None:
    values = np.array([1j, 2.0 + 1j, complex(np.inf, 0)])
    x = ag.tensor([0.5, 1.0], requires_grad=True)
    out: Any = np.interp(x, [0.0, 1.0, 2.0], values)  # type: ignore[arg-type]
    np.testing.assert_allclose(out.detach(), np.interp([0.5, 1.0], [0.0, 1.0, 2.0], values))


@pytest.mark.parametrize("seed", range(60))
def test_nodes_that_are_nan_or_not_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    nodes = np.sort(rng.integers(-9, 9, n) / 2)
    if seed % 2:
        nodes[rng.integers(0, n, 1 + n // 9)] = np.nan
    else:
        rng.shuffle(nodes)
    values = rng.normal(size=n)
    values = values + 1j * rng.normal(size=n) if seed % 3 == 0 else values
    places = np.concatenate((rng.choice(nodes, 9), rng.uniform(-6, 6, 20), [np.nan, -9.0, 9.0]))
    options: dict[str, Any] = {"left": 7.0, "right": -7.0} if seed % 5 == 0 else {}
    options = {"period": 3.5} if seed % 5 == 1 else options
    expected = np.interp(places, nodes, values, **options)
    given = [ag.tensor(a, requires_grad=True) for a in (places, nodes, values)]
    out: Any = np.interp(*given, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(out.detach(), expected, rtol=1e-12, atol=1e-14)
    finite = np.isfinite(expected)
    out[finite].real.sum().backward()
    for x in given:
        assert x.grad is None or np.isfinite(np.asarray(x.grad)).all()
