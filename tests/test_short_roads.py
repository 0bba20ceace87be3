"""The short roads for few elements give what the general road gives, and leave it the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _short, extending
from arraygrad._graph import ATTRIBUTES, OBSERVERS, OP, VALUES

X = np.random.default_rng(0).uniform(0.5, 1.5, (4, 3))
MASK = np.array([[True, False, True]] * 4)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(),
    "sum of columns": lambda x: x.sum(0),
    "sum of rows, kept": lambda x: x.sum(axis=-1, keepdims=True),
    "sum of both axes": lambda x: x.sum(axis=(0, 1)),
    "sum of a transpose": lambda x: x.T.sum(1),
    "np.sum": np.sum,
    "mean": lambda x: x.mean(),
    "mean of rows": lambda x: np.mean(x, axis=1),
    "prod": lambda x: x.prod(),
    "prod of columns": lambda x: x.prod(axis=0),
    "max": lambda x: x.max(),
    "max of rows": lambda x: x.max(1),
    "min of a transpose": lambda x: x.T.min(),
    "var": lambda x: x.var(),
    "std": lambda x: x.std(),
    "matmul": lambda x: x @ x.T,
    "matrix times vector": lambda x: x @ x[0],
    "vector times matrix": lambda x: x[:, 0] @ x,
    "inner product": lambda x: x[0] @ x[1],
    "copy": lambda x: x.copy(),
    "copy of a transpose": lambda x: x.T.copy(),
    "astype": lambda x: x.astype(np.float32),
    "concat": lambda x: np.concatenate([x, 2 * x, x], axis=-1),
    "concat of one tracked": lambda x: ag.concat([ag.asarray(X), x]),
    "stack": lambda x: np.stack([x, 3 * x]),
    "stack along the last": lambda x: np.stack([x, 3 * x], axis=-1),
    "where": lambda x: np.where(MASK, x, 0),
    "where of two": lambda x: np.where(ag.asarray(MASK), 2 * x, x),
    "where not": lambda x: np.where(MASK, 1.5, x),
    "clip": lambda x: x.clip(0.7, 1.2),
    "reshape": lambda x: x.reshape(2, -1),
    "reshape to a tuple": lambda x: x.reshape((6, 2)),
    "reshape that copies": lambda x: x.T.reshape(-1),
    "transpose": lambda x: x.transpose(1, 0),
    "matrix transpose": lambda x: x.mT,
    "item": lambda x: x[1, 2],
    "rows": lambda x: sum((row.sum() * i for i, row in enumerate(x)), 0.0),
    "elements": lambda x: sum((e * i for i, e in enumerate(x[0])), 0.0),
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "squeeze": lambda x: x[:, None].squeeze(),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 4, 3)),
}


def _no_short_roads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_short, "_FEW", 0)
    for op in ("matmul", "concat", "stack"):
        for dtype in ("float64", "float32"):
            monkeypatch.setitem(_short._dispatch.short_table(op), np.dtype(dtype), None)


def _everything(f: Callable[[Any], Any]) -> list[Any]:
    """Value, class, gradient and second derivatives of a function, and its tangent."""
    x = ag.tensor(X, requires_grad=True)
    out = f(x)
    weights = np.linspace(1.0, 2.0, out.size).reshape(out.shape)

    def loss(x: Any) -> Any:
        return (f(x) ** 2 * weights).sum()

    return [
        out.detach().numpy(),
        type(out),
        type(f(ag.tensor(X))),
        out.dtype,
        ag.grad(loss)(X),
        ag.grad(lambda x: (ag.grad(loss)(x) * X).sum())(X),
        ag.jvp(f, (X,), (X**2,))[1],
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_short_and_general_roads_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = _everything(FUNCTIONS[name])
    _no_short_roads(monkeypatch)
    general = _everything(FUNCTIONS[name])
    for a, b in zip(short, general, strict=True):
        if isinstance(a, type | np.dtype):
            assert a is b
        else:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool", "float16", "float32", "complex128"])
@pytest.mark.parametrize("function", [np.sum, np.max, np.argmax, np.all, np.mean, np.prod])
def test_other_dtypes_are_reduced_as_numpy_does(function: Any, dtype: str) -> None:
    array = (X * 3 - 3).astype(dtype)
    for axis in (None, 0, -1):
        got, want = function(ag.asarray(array), axis=axis), function(array, axis=axis)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-3)


def test_integers_have_a_mean_where_their_sum_overflows() -> None:
    array = np.full(4, 2**62)
    assert ag.asarray(array).mean() == array.mean()


def test_positions_are_those_in_c_order() -> None:
    array = np.asfortranarray([[0.0, 1.0], [2.0, 2.0]])
    assert ag.asarray(array).argmax() == array.argmax()
    assert ag.asarray(array).T.argmax() == array.T.argmax()
    assert ag.asarray(np.array([1.0, np.nan, np.nan])).argmax() == 1
    assert np.isnan(ag.asarray(np.array([1.0, np.nan])).max())


MISTAKES: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "axis": (lambda x: x.sum(2), ag.errors.AxisError),
    "axis no integer": (lambda x: x.max(1.5), ag.errors.ArgumentTypeError),
    "matmul": (lambda x: x @ x, ag.errors.ShapeError),
    "concat": (lambda x: np.concatenate([x, x[0]]), ag.errors.ShapeError),
    "concat axis": (lambda x: np.concatenate([x, x], axis=2), ag.errors.AxisError),
    "stack": (lambda x: np.stack([x, x.T]), ag.errors.ShapeError),
    "reshape": (lambda x: x.reshape(5, 5), ag.errors.ShapeError),
    "reshape negative": (lambda x: x.reshape(-2, 3), ag.errors.ShapeError),
    "transpose": (lambda x: x.transpose(0, 0), ag.errors.ArgumentError),
    "squeeze": (lambda x: x.squeeze(0), ag.errors.ShapeError),
    "index": (lambda x: x[7], ag.errors.IndexOutOfRangeError),
    "indices": (lambda x: x[0, 0, 0], ag.errors.IndexOutOfRangeError),
    "write": (lambda x: x.__setitem__(9, 1.0), ag.errors.IndexOutOfRangeError),
    "write a large number": (lambda x: x.__setitem__(0, 10**400), ag.errors.IntegerOverflowError),
    "in place": (lambda x: x.__iadd__(np.ones(7)), ag.errors.ShapeError),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_said_in_our_words(name: str) -> None:
    call, error = MISTAKES[name]
    x = ag.tensor(X)
    x[0] = 1.0  # the second write takes the short road
    version = x._version
    with pytest.raises(error):
        call(x)
    assert x._version == version


def test_writes_to_read_only_memory_are_refused() -> None:
    x = ag.tensor(X)
    x[0] = 1.0
    x.setflags(write=False)
    for write in (lambda: x.__setitem__(0, 2.0), lambda: x.__iadd__(1.0)):
        with pytest.raises(ag.errors.ReadOnlyError):
            write()
    assert x[0, 0] == 1.0


def test_writes_keep_what_graphs_saved() -> None:
    w = ag.tensor(X, requires_grad=True)
    x = ag.tensor(X)
    view = x[0]
    x[0] = 1.0
    y = (w * x).sum()
    x[1] = 5.0
    x += 1.0
    y.backward()
    assert w.grad is not None
    np.testing.assert_array_equal(w.grad.numpy(), np.vstack([np.ones((1, 3)), X[1:]]))
    np.testing.assert_array_equal(view.numpy(), [2.0, 2.0, 2.0])
    assert x._version == 3


def test_writes_to_memory_seen_outside_are_noticed() -> None:
    array = X.copy()
    x, w = ag.asarray(array), ag.tensor(X, requires_grad=True)
    x[0] = 1.0
    y = (w * x).sum()
    x[1, 1] = 5.0
    assert array[1, 1] == 5.0
    with pytest.raises(ag.errors.GradientError, match="written later"):
        y.backward()


def test_kernels_of_the_user_run() -> None:
    dtype = (np.dtype("float64"),)
    kernel = extending.lookup("max", "cpu", "strided", dtype)
    extending.register_kernel("max", lambda x, **_: np.float64(-1.0), dtypes=dtype)
    try:
        assert ag.tensor(X).max() == -1.0
    finally:
        extending.register_kernel("max", kernel, dtypes=dtype)
    assert ag.tensor(X).max() == X.max()


def test_observers_see_results() -> None:
    seen: list[str] = []

    def observe(op: Any, out: Any, arrays: Any) -> None:
        seen.append(op.name)

    x = ag.tensor(X)
    OBSERVERS.append(observe)
    try:
        x.sum(), x.max(0), x @ x.T, x.copy(), x.astype("float32"), np.where(MASK, x, 0)
        x.clip(0.7, 1.2)
    finally:
        OBSERVERS.remove(observe)
    assert seen == ["sum", "max", "matmul", "copy", "cast", "where", "clip"]


def test_nodes_hold_what_the_general_road_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ag.tensor(X, requires_grad=True)
    names = ("sum", "prod", "max", "matmul", "concat", "stack", "where of two", "astype")
    short = [FUNCTIONS[name](x)._node for name in names]
    _no_short_roads(monkeypatch)
    for name, one in zip(names, short, strict=True):
        other = FUNCTIONS[name](x)._node
        assert one[OP] is other[OP]
        assert (one[ATTRIBUTES] or {}).items() <= (other[ATTRIBUTES] or {}).items()
        kept = [[v is not None for v in node[VALUES] or ()] for node in (one, other)]
        assert kept[0] == kept[1]
