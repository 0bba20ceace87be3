"""The short roads for few elements give what the general road gives, and leave it the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _fused, _short, extending
from arraygrad._graph import ATTRIBUTES, OBSERVERS, OP, VALUES
from arraygrad.ops import norms

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
    "transpose by axes": lambda x: np.transpose(x, (1, 0)),
    "swapaxes": lambda x: np.swapaxes(x, -1, 0),
    "moveaxis": lambda x: np.moveaxis(x[None], -1, 0),
    "expand_dims at the end": lambda x: np.expand_dims(x, -1),
    "squeeze one": lambda x: np.squeeze(x[:, None], 1),
    "ravel": np.ravel,
    "ravel of a transpose": lambda x: np.ravel(x.T),
    "flatten": lambda x: x.flatten(),
    "flatten a transpose": lambda x: x.T.flatten(),
    "flip": lambda x: np.flip(x, 0),
    "flip of both axes": np.flip,
    "diagonal": np.diagonal,
    "diagonal above": lambda x: x.diagonal(1),
    "diag of a vector": lambda x: np.diag(x[0]),
    "trace": np.trace,
    "split": lambda x: np.split(x, 2)[1],
    "split into unequal parts": lambda x: np.split(x, [1, 3])[1],
    "tril": np.tril,
    "triu": lambda x: np.triu(x, 1),
    "roll": lambda x: np.roll(x, -1, axis=1),
    "roll of all": lambda x: np.roll(x, 5),
    "repeat": lambda x: np.repeat(x, 3, axis=1),
    "repeat flat": lambda x: x.repeat(2),
    "tile": lambda x: np.tile(x, (2, 1, 2)),
    "pad": lambda x: np.pad(x, 1),
    "pad by pairs": lambda x: np.pad(x, ((0, 2), (1, 0))),
    "take": lambda x: np.take(x, INDEX, axis=0),
    "take flat": lambda x: np.take(x, INDEX),
    "take of tensor indices": lambda x: x.take(ag.asarray(INDEX), axis=-1),
    "sort": lambda x: np.sort(x, axis=0),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "vstack": lambda x: np.vstack([x, x[0]]),
    "hstack": lambda x: np.hstack([x, 2 * x]),
    "np.copy": lambda x: np.copy(x),
    "outer": lambda x: np.outer(x[0], x[1]),
    "norm": np.linalg.norm,
    "norm of rows": lambda x: np.linalg.norm(x, axis=1),
    "norm of columns, kept": lambda x: np.linalg.norm(x, axis=0, keepdims=True),
    "std of rows": lambda x: np.std(x, axis=1),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "einsum of one": lambda x: np.einsum("ij->j", x),
    "einsum that transposes": lambda x: np.einsum("ij->ji", x),
    "einsum without sums": lambda x: np.einsum("i,j->ji", x[0], x[1]),
    "einsum of elements": lambda x: np.einsum("ij,ij->", x, x),
    "einsum of batches": lambda x: np.einsum("bi,bij->bj", x, x[:, :, None] * x[0]),
    "einsum that broadcasts": lambda x: np.einsum("ij,ij->i", x, x[:1]),
}
INDEX = np.array([2, 0, -1, 2])


def _no_short_roads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_short, "_FEW", 0)
    monkeypatch.setattr(norms, "_FEW", 0)
    monkeypatch.setattr(_fused, "_SMALL", 0)
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_memory_are_numpys(name: str) -> None:
    if name in ("concat of one tracked", "where of two", "astype") or "tensor" in name:
        pytest.skip("is no function of arrays alone")
    array = X.copy()
    x = ag.tensor(array)
    try:
        want = FUNCTIONS[name](array)
    except AttributeError:
        pytest.skip("is no function of arrays alone")
    got = FUNCTIONS[name](x)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)
    assert got.dtype == want.dtype
    assert np.shares_memory(got, x) == np.shares_memory(want, array)
    x[...] = 1.0  # views are seen to change, and copies are not
    array[...] = 1.0
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)


LIKES: dict[str, Callable[[Any], Any]] = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "full": lambda x: np.full_like(x, 2.5),
    "full of a large integer": lambda x: np.full_like(x, 7),
    "in another dtype": lambda x: np.ones_like(x, dtype=np.float32),
    "in another shape": lambda x: np.zeros_like(x, shape=(2, 2)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "bool", "complex64"])
@pytest.mark.parametrize("name", LIKES)
def test_arrays_like_others(name: str, dtype: str) -> None:
    array = X.astype(dtype)
    for like in (array, array[0, 0:0], array[0, 0, ...], array.T):
        got, want = LIKES[name](ag.asarray(like.copy())), LIKES[name](like)
        np.testing.assert_array_equal(got.numpy(), want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if dtype == "float64":
        assert np.signbit(np.full_like(ag.asarray(array), -0.0).numpy()).all()


def test_detached_tensors_share_memory_and_no_history() -> None:
    x = ag.tensor(X, requires_grad=True) * 1.0
    row = x[1]
    detached, part = x.detach(), row.detach()
    assert not detached.requires_grad
    assert not part.requires_grad
    x[0] = x[1] * 2.0  # history of the first family only
    assert [t.requires_grad for t in (detached, x, row)] == [False, True, True]
    np.testing.assert_array_equal(detached.numpy(), x.detach().numpy())
    detached[1] = 5.0
    np.testing.assert_array_equal(part.numpy(), np.full(3, 5.0))
    w = ag.tensor(X[0], requires_grad=True)
    detached[2] = w  # a tensor without history that gets one: its own family
    assert [t.requires_grad for t in (detached, detached[2], part)] == [True, True, False]
    detached.sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), np.ones(3))  # type: ignore[union-attr]


def test_detached_tensors_follow_a_write_that_moves_the_memory() -> None:
    x = ag.tensor(X)
    w = ag.tensor(X, requires_grad=True)
    before = x.detach()
    loss = (w * x).sum()  # keeps the memory of x
    x[0] = 7.0
    after = x.detach()
    for other in (before, after):
        np.testing.assert_array_equal(other.numpy()[0], np.full(3, 7.0))
        assert np.shares_memory(other, x)
    loss.backward()
    np.testing.assert_array_equal(w.grad.numpy(), X)  # type: ignore[union-attr]


def test_indices_of_others_are_kept_as_they_were() -> None:
    index = np.array([0, 1])
    x = ag.tensor(X, requires_grad=True)
    y = np.take(x, index, axis=0).sum()
    index[:] = 3
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy()[:, 0], [1.0, 1.0, 0.0, 0.0])  # type: ignore[union-attr]


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
    "reshape to a list": (lambda x: np.reshape(x, [5, 5]), ag.errors.ShapeError),
    "transpose twice": (lambda x: np.transpose(x, (0, 0)), ag.errors.ArgumentError),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2), ag.errors.AxisError),
    "swapaxes by floats": (lambda x: np.swapaxes(x, 1.0, 0), ag.errors.ArgumentTypeError),
    "moveaxis": (lambda x: np.moveaxis(x, 0, 2), ag.errors.AxisError),
    "expand_dims": (lambda x: np.expand_dims(x, 4), ag.errors.AxisError),
    "squeeze of a function": (lambda x: np.squeeze(x, 1), ag.errors.ShapeError),
    "broadcast_to": (lambda x: np.broadcast_to(x, (3, 4)), ag.errors.ShapeError),
    "broadcast_to less": (lambda x: np.broadcast_to(x, (3,)), ag.errors.ShapeError),
    "diagonal": (lambda x: np.diagonal(x[0]), ag.errors.ShapeError),
    "take": (lambda x: np.take(x, np.array([4]), axis=0), ag.errors.IndexOutOfRangeError),
    "take axis": (lambda x: np.take(x, np.array([0]), axis=2), ag.errors.AxisError),
    "argmax of axes": (lambda x: x.argmax(axis=(0,)), ag.errors.ArgumentTypeError),
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
        x.clip(0.7, 1.2), np.take(x, INDEX, axis=0)
    finally:
        OBSERVERS.remove(observe)
    assert seen == ["sum", "max", "matmul", "copy", "cast", "where", "clip", "take"]


def test_nodes_hold_what_the_general_road_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ag.tensor(X, requires_grad=True)
    names = ("sum", "prod", "max", "matmul", "concat", "stack", "where of two", "astype", "take")
    short = [FUNCTIONS[name](x)._node for name in names]
    _no_short_roads(monkeypatch)
    for name, one in zip(names, short, strict=True):
        other = FUNCTIONS[name](x)._node
        assert one[OP] is other[OP]
        assert (one[ATTRIBUTES] or {}).items() <= (other[ATTRIBUTES] or {}).items()
        kept = [[v is not None for v in node[VALUES] or ()] for node in (one, other)]
        assert kept[0] == kept[1]


def test_a_number_that_overflows_warns_each_time() -> None:
    x = ag.ones(2, dtype=ag.float32)
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="overflow"):
            assert (x * 1e300).tolist() == [float("inf")] * 2


@pytest.mark.parametrize("axis", [((0,),), (None,)])
def test_axes_are_integers(axis: object) -> None:
    for function in (ag.sum, ag.max, ag.mean, ag.prod, ag.any):
        with pytest.raises(TypeError):
            function(ag.ones((2, 2)), axis=axis)
