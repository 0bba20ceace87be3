"""checkpoint: same values and derivatives, less memory."""

from __future__ import annotations

import functools
import random
import weakref
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

X = np.array([0.3, -0.7, 1.1])
W = np.array([1.3, 0.2, -0.4])


def block(x: Any, w: Any) -> Any:
    y = ag.exp(x) * w
    y[0] = ag.sin(y[1])
    y *= x
    return (y * y).sum()


def test_derivatives_to_second_order_in_all_modes() -> None:
    f = lambda x, w: ag.checkpoint(block, x, w)  # noqa: E731
    ag.gradcheck(f, (X, W))
    ag.gradgradcheck(f, (X, W))


def test_same_gradients_as_without() -> None:
    plain = [ag.tensor(v, requires_grad=True) for v in (X, W)]
    kept = [ag.tensor(v, requires_grad=True) for v in (X, W)]
    block(*plain).backward()
    ag.checkpoint(block, *kept).backward()
    for a, b in zip(plain, kept, strict=True):
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-14)


def test_intermediate_values_are_not_kept() -> None:
    alive: list[Any] = []

    def f(x: Any) -> Any:
        y = ag.exp(x)
        alive.append(weakref.ref(y._array))
        return (y * y).sum()

    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(f, x)
    assert [r() for r in alive] == [None]
    y.backward()
    assert [r() for r in alive] == [None, None]
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp(2 * X))


def test_runs_again_once_per_pass() -> None:
    runs: list[int] = []

    def f(x: Any) -> Any:
        runs.append(1)
        for _ in range(5):
            x = ag.sin(x) * x
        return x.sum()

    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(f, x)
    y.backward(retain_graph=True)
    assert len(runs) == 2
    y.backward()
    assert len(runs) == 3


def test_closed_over_tensors_get_gradients() -> None:
    w = ag.tensor(W, requires_grad=True)
    x = ag.tensor(X, requires_grad=True)
    ag.checkpoint(lambda t: (t * w * w).sum(), x).backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * X * W)
    np.testing.assert_allclose(x.grad.numpy(), W * W)


def test_argument_written_inside_and_outside() -> None:
    def f(y: Any) -> Any:
        y *= y
        return ag.exp(y).sum()

    x = ag.tensor(X, requires_grad=True)
    y = x * 2.0
    z = ag.checkpoint(f, y)
    np.testing.assert_allclose(y.detach().numpy(), 4 * X * X)
    y += 100.0
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), 8 * X * np.exp(4 * X * X))


def test_plain_arguments_are_kept_as_they_were() -> None:
    data = np.array([1.0, 2.0, 3.0])
    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(lambda t, d: (ag.sin(t) * d).sum(), x, data)
    data[:] = 0.0
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.cos(X) * [1.0, 2.0, 3.0])


def test_global_random_state_is_replayed() -> None:
    masks: list[Any] = []

    def dropout(x: Any) -> Any:
        masks.append(np.random.rand(3) > 0.5)  # noqa: NPY002
        return (ag.exp(x) * masks[-1]).sum()

    np.random.seed(1)  # noqa: NPY002
    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(dropout, x)
    before = np.random.rand()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    np.random.rand(3)  # noqa: NPY002
    assert before == np.random.rand()  # noqa: NPY002
    y.backward()
    np.testing.assert_array_equal(*masks)
    np.testing.assert_allclose(x.grad.numpy(), np.exp(X) * masks[0])


def test_generator_argument_is_replayed() -> None:
    def dropout(x: Any, rng: np.random.Generator) -> Any:
        return (ag.exp(x) * (rng.random(3) > 0.5)).sum()

    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(dropout, x, rng)
    mask = same.random(3) > 0.5
    after = rng.random()
    y.backward()
    assert after == same.random()
    assert rng.random() == same.random()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(X) * mask)


RNG = np.random.default_rng(11)
OLD = np.random.RandomState(12)


def _draw() -> Any:
    return RNG.random(3)


class _Layer:
    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def __call__(self, x: Any) -> Any:
        return _scaled(x, self.rng.random(3))

    def method(self, x: Any) -> Any:
        return self(x)


def _scaled(x: Any, factors: Any) -> Any:
    return (np.exp(x) * factors).sum()


def _reaching() -> dict[str, Any]:
    """Functions that draw from generators which they do not get as arguments."""
    rng, std = np.random.default_rng(3), random.Random(4)
    layer = _Layer(np.random.default_rng(5))
    layers = [_Layer(np.random.default_rng(6))]
    return {
        "global": lambda x: _scaled(x, RNG.random(3)),
        "global, older": lambda x: _scaled(x, OLD.rand(3)),
        "function named": lambda x: _scaled(x, _draw()),
        "closure": lambda x: _scaled(x, rng.random(3)),
        "default": lambda x, draw=rng: _scaled(x, draw.random(3)),
        "Python's": lambda x: _scaled(x, std.random()),
        "Python's, global": lambda x: _scaled(x, random.random()),
        "object": layer,
        "method": layer.method,
        "object in a list": lambda x: layers[0](x),
        "nested": lambda x: _scaled(x, np.array([(lambda: rng.random())() for _ in range(3)])),
        "partial": functools.partial(lambda draw, x: _scaled(x, draw.random(3)), rng),
    }


@pytest.mark.parametrize("way", list(_reaching()))
def test_generators_within_reach_are_replayed(way: str) -> None:
    """They went on where they were: the gradient belonged to other numbers, silently."""
    f = _reaching()[way]
    x = ag.tensor(np.zeros(3), requires_grad=True)
    y = ag.checkpoint(f, x)
    others = f(np.zeros(3))  # drawn in between
    y.backward()
    np.testing.assert_allclose(x.grad.sum(), y.detach())  # of exp at zero the slope is the value
    assert f(np.zeros(3)) not in (y.detach(), others)  # and goes on where it was


def test_a_generator_that_is_argument_and_global_goes_on_where_it_was() -> None:
    def f(x: Any, rng: Any) -> Any:
        return _scaled(x, rng.random(3)) * RNG.random()

    x = ag.tensor(np.zeros(3), requires_grad=True)
    y = ag.checkpoint(f, x, RNG)
    following = np.random.default_rng()
    following.bit_generator.state = RNG.bit_generator.state
    y.backward()
    np.testing.assert_allclose(x.grad.sum(), y.detach())
    assert RNG.random() == following.random()


def test_what_a_function_reaches_may_be_odd() -> None:
    class Slotted:
        __slots__ = "rng"

    slotted = Slotted()
    slotted.rng = np.random.default_rng(1)
    many = list(range(10**5))
    loop: list[Any] = []
    loop.append(loop)

    def f(x: Any) -> Any:
        assert len(many) == len(loop) * 10**5
        return _scaled(x, slotted.rng.random(3)) + (0 if x is not None else later)

    x = ag.tensor(np.zeros(3), requires_grad=True)
    y = ag.checkpoint(f, x)
    y.backward()
    np.testing.assert_allclose(x.grad.sum(), y.detach())
    later = 1  # an empty cell until here


def test_changing_function_is_refused() -> None:
    runs: list[int] = []

    def f(x: Any) -> Any:
        runs.append(1)
        return (ag.exp(x) if len(runs) == 1 else x * x * x).sum()

    x = ag.tensor(X, requires_grad=True)
    y = ag.checkpoint(f, x)
    with pytest.raises(ag.errors.GradientError, match="same each time"):
        y.backward()


def test_nested_and_in_containers() -> None:
    def inner(p: Any) -> Any:
        return ag.exp(p["a"]) * ag.sin(p["b"])

    def outer(p: Any) -> Any:
        return (ag.checkpoint(inner, p) * p["a"]).sum()

    f = lambda a, b: ag.checkpoint(outer, {"a": a, "b": b})  # noqa: E731
    ag.gradcheck(f, (X, W))
    ag.gradgradcheck(f, (X, W))


def test_keywords_and_no_grad() -> None:
    x = ag.tensor(X, requires_grad=True)
    with ag.no_grad():
        assert not ag.checkpoint(lambda t, *, by: t * by, x, by=2.0).requires_grad
    ag.checkpoint(lambda t, *, by: (ag.exp(t) * by).sum(), x, by=2.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp(X))
