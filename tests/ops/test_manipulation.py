"""Views share memory and history with their base; joins and repeats do not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

VIEWS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: ag.reshape(x, (4, 6)),
    "reshape-infer": lambda x: ag.reshape(x, (-1, 2)),
    "permute_dims": lambda x: ag.permute_dims(x, (2, 0, 1)),
    "moveaxis": lambda x: ag.moveaxis(x, 0, -1),
    "swapaxes": lambda x: x.swapaxes(0, 2),
    "expand_dims": lambda x: ag.expand_dims(x, (0, 2)),
    "squeeze": lambda x: ag.squeeze(ag.expand_dims(x, 1), 1),
    "flip": lambda x: ag.flip(x, axis=(0, 2)),
    "unstack": lambda x: ag.unstack(x, axis=1)[1],
    "diagonal": lambda x: x.diagonal(1, 0, 1),
    "sliding_window_view": lambda x: ag.sliding_window_view(x, 2, axis=1)[:, ::2],
    "as_strided": lambda x: ag.as_strided(x, (3, 5), (64, 8)),
    "view": lambda x: x.view(6, 4),
    "T": lambda x: x.T,
    "slice": lambda x: x[1:, ::-2],
    "chain": lambda x: ag.reshape(ag.flip(x.T, axis=0)[..., 1], (2, -1))[1:, ::-1],
    "complex": lambda x: x.view(ag.complex128),
}
COPIES: dict[str, Callable[[Any], Any]] = {
    "reshape-copy": lambda x: ag.reshape(x, (24,), copy=True),
    "reshape-strided": lambda x: ag.reshape(x.T, (24,)),
    "concat": lambda x: ag.concat([x]),
    "stack": lambda x: ag.stack([x]),
    "repeat": lambda x: ag.repeat(x, 1),
    "repeat-axis": lambda x: ag.repeat(x, 1, axis=0),
    "tile": lambda x: ag.tile(x, (1, 1)),
    "roll": lambda x: ag.roll(x, 0),
    "copy": lambda x: x.copy(),
}
SHAPE = (3, 4, 2)


def _fresh() -> Any:
    return ag.asarray(np.arange(24.0).reshape(SHAPE), copy=True)


@pytest.mark.parametrize("name", VIEWS)
def test_view_shares_memory(name: str) -> None:
    x = _fresh()
    v = VIEWS[name](x)
    assert ag.shares_memory(v, x)
    v[...] = -1.0
    assert np.count_nonzero(np.asarray(x) == -1.0) >= 1
    x[...] = 5.0
    # Seen as complex, 5 and 5 are one number.
    want = 5.0 + 5.0j if name == "complex" else 5.0
    np.testing.assert_array_equal(v, np.full(v.shape, want))


@pytest.mark.parametrize("name", VIEWS)
def test_write_through_view_reaches_the_gradient(name: str) -> None:
    """After v[...] *= 3 for a view v of y its derivative is 3 where v looks, 1 elsewhere."""
    x = ag.tensor(np.arange(1.0, 25.0).reshape(SHAPE), requires_grad=True)
    y = x * 1.0
    v = VIEWS[name](y)
    v *= 3.0
    seen = ag.zeros(SHAPE)
    VIEWS[name](seen)[...] = 1.0 + 1.0j if name == "complex" else 1.0
    factor = np.where(np.asarray(seen) == 1.0, 3.0, 1.0)
    np.testing.assert_array_equal(y.detach(), factor * np.arange(1.0, 25.0).reshape(SHAPE))
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad, 2 * factor**2 * np.asarray(x.detach()))


@pytest.mark.parametrize("name", VIEWS)
def test_write_to_base_reaches_the_gradient_of_a_view(name: str) -> None:
    x = ag.tensor(np.arange(1.0, 25.0).reshape(SHAPE), requires_grad=True)
    y = x * 1.0
    v = VIEWS[name](y)
    y *= y.detach().copy()
    (ag.real(v) + ag.imag(v) if name == "complex" else v).sum().backward()
    count = ag.tensor(np.ones(SHAPE), requires_grad=True)
    z = VIEWS[name](count * 1.0)
    (ag.real(z) + ag.imag(z) if name == "complex" else z).sum().backward()
    np.testing.assert_allclose(x.grad, np.asarray(count.grad) * np.arange(1.0, 25.0).reshape(SHAPE))


@pytest.mark.parametrize("name", COPIES)
def test_copy_has_memory_of_its_own(name: str) -> None:
    x = _fresh()
    out = COPIES[name](x)
    assert not ag.shares_memory(out, x)
    out[...] = -1.0
    np.testing.assert_array_equal(x, _fresh())


def test_views_of_scalars_do_not_write_to_the_scalar() -> None:
    """As in NumPy: np.float64(3).reshape(1) is an array of its own."""
    s = ag.asarray([1.0, 2.0]).sum()
    for v in (ag.reshape(s, (1,)), ag.expand_dims(s, 0), ag.broadcast_to(s, (1,)).copy()):
        v[...] = 7.0
    assert float(s) == 3.0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_values_for_dtypes_and_layouts(dtype: str, order: str) -> None:
    array = np.arange(24).reshape(SHAPE).astype(ag.asarray([0], dtype=dtype).dtype)
    array = {"C": array, "F": np.asfortranarray(array), "strided": array[::-1, ::2]}[order]
    x = ag.asarray(array)
    pairs = [
        (ag.reshape(x, (-1,)), array.reshape(-1)),
        (ag.permute_dims(x, (1, 2, 0)), array.transpose(1, 2, 0)),
        (ag.flip(x, axis=1), np.flip(array, 1)),
        (ag.concat([x, x], axis=1), np.concatenate([array, array], axis=1)),
        (ag.stack([x, x], axis=1), np.stack([array, array], axis=1)),
        (ag.repeat(x, 2, axis=1), np.repeat(array, 2, axis=1)),
        (ag.tile(x, (2, 1, 1, 2)), np.tile(array, (2, 1, 1, 2))),
        (ag.roll(x, 3), np.roll(array, 3)),
        (ag.roll(x, (1, 2)), np.roll(array, (1, 2))),
        (ag.broadcast_to(x, (2, *x.shape)), np.broadcast_to(array, (2, *array.shape))),
    ]
    for got, want in pairs:
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_joins_promote() -> None:
    x, y = ag.asarray([1], dtype="int8"), ag.asarray([2.5], dtype="float32")
    assert ag.concat([x, y]).dtype == ag.float32
    assert ag.stack([x, y], axis=1).dtype == ag.float32
    assert ag.concat([ag.asarray([True]), x]).dtype == ag.int8


def test_empty_shapes() -> None:
    x = ag.zeros((0, 3))
    assert ag.reshape(x, (3, 0)).shape == (3, 0)
    assert ag.concat([x, ag.ones((2, 3))]).shape == (2, 3)
    assert ag.repeat(x, 2, axis=1).shape == (0, 6)
    assert ag.repeat(x, 0).shape == (0,)
    assert ag.tile(ag.ones(3), (0,)).shape == (0,)
    assert ag.unstack(x) == ()
    assert ag.roll(x, 1).shape == (0, 3)
    assert ag.broadcast_to(x, (2, 0, 3)).shape == (2, 0, 3)


def test_broadcast_view_is_read_only() -> None:
    x = ag.broadcast_to(ag.ones(3), (2, 3))
    with pytest.raises(ag.errors.ReadOnlyError):
        x += 1.0


def test_overlapping_windows_add_up() -> None:
    x = ag.tensor(np.arange(5.0), requires_grad=True)
    ag.as_strided(x * 1.0, (3, 3), (8, 8)).sum().backward()
    np.testing.assert_array_equal(x.grad, [1, 2, 3, 2, 1])
    x.grad = None
    ag.as_strided((x * 1.0)[::-1], (2,), (-16,)).sum().backward()
    np.testing.assert_array_equal(x.grad, [0, 0, 1, 0, 1])


def test_view_of_bytes_has_no_derivative() -> None:
    x = ag.ones(3)
    assert x.view(ag.int64).dtype == ag.int64
    x = ag.tensor([1.0], requires_grad=True)
    with pytest.raises(ag.errors.GradientError):
        (x * 1.0).view(ag.int64)


X = np.ones((2, 3))
BAD: list[tuple[type[Exception], Callable[[Any], Any]]] = [
    (ValueError, lambda x: ag.reshape(x, (4,))),
    (ValueError, lambda x: ag.reshape(x, (-1, -1))),
    (ValueError, lambda x: ag.reshape(x, (-2, 3))),
    (TypeError, lambda x: ag.reshape(x, (1.5,))),
    (ValueError, lambda x: ag.reshape(x.T, (6,), copy=False)),
    (ValueError, lambda x: x.T.view(6)),
    (ValueError, lambda x: ag.permute_dims(x, (0, 0))),
    (ValueError, lambda x: ag.permute_dims(x, (0,))),
    (IndexError, lambda x: ag.permute_dims(x, (0, 2))),
    (ValueError, lambda x: ag.moveaxis(x, (0, 1), 0)),
    (ValueError, lambda x: ag.moveaxis(x, (0, 0), (0, 1))),
    (IndexError, lambda x: ag.expand_dims(x, 4)),
    (ValueError, lambda x: ag.expand_dims(x, (0, 0))),
    (ValueError, lambda x: ag.squeeze(x, 0)),
    (IndexError, lambda x: ag.squeeze(x, 2)),
    (IndexError, lambda x: ag.flip(x, axis=2)),
    (IndexError, lambda x: ag.unstack(x, axis=2)),
    (IndexError, lambda x: ag.unstack(ag.asarray(1.0))),
    (ValueError, lambda x: ag.concat([])),
    (ValueError, lambda x: ag.concat([x, ag.ones(3)])),
    (ValueError, lambda x: ag.concat([x, ag.ones((2, 2))])),
    (ValueError, lambda x: ag.concat([ag.asarray(1.0)])),
    (IndexError, lambda x: ag.concat([x, x], axis=2)),
    (TypeError, lambda x: ag.concat(3)),
    (ValueError, lambda x: ag.stack([x, ag.ones(3)])),
    (IndexError, lambda x: ag.stack([x], axis=4)),
    (ValueError, lambda x: ag.broadcast_to(x, (3,))),
    (ValueError, lambda x: ag.broadcast_to(x, (3, 3))),
    (ValueError, lambda x: ag.broadcast_arrays(x, ag.ones(2))),
    (ValueError, lambda x: ag.broadcast_shapes((2,), (3,))),
    (ValueError, lambda x: ag.repeat(x, -1)),
    (ValueError, lambda x: ag.repeat(x, ag.asarray([1, 2]), axis=1)),
    (TypeError, lambda x: ag.repeat(x, 1.5)),
    (ValueError, lambda x: ag.tile(x, (-1,))),
    (ValueError, lambda x: ag.roll(x, (1, 2), axis=(0, 1, 0))),
    (ValueError, lambda x: ag.as_strided(x, (4,), (16,))),
    (ValueError, lambda x: ag.as_strided(x, (2,), (-8,))),
    (ValueError, lambda x: ag.as_strided(x, (2,), (4,))),
    (ValueError, lambda x: ag.as_strided(x, (2,), (8, 8))),
    (ValueError, lambda x: ag.sliding_window_view(x, (3, 1))),
    (ValueError, lambda x: ag.sliding_window_view(x, 2)),
    (ValueError, lambda x: ag.ones(3).diagonal()),
    (ValueError, lambda x: x.diagonal(0, 1, 1)),
    (TypeError, lambda x: ag.ones((2, 3), dtype="int8").view(ag.float64)),
]


@pytest.mark.parametrize(("error", "call"), BAD, ids=range(len(BAD)))
def test_bad_input(error: type[Exception], call: Callable[[Any], Any]) -> None:
    with pytest.raises(error) as caught:
        call(ag.asarray(X))
    assert isinstance(caught.value, ag.errors.ArraygradError)
