"""What NumPy's functions and methods make of arguments: its values, or its class of error as ours.

Each row is run on an array and on a tensor: axes, initial values, orders of memory, axes of 0-d
arrays, counts of zero, flags.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

X = np.arange(1.0, 9.0).reshape(2, 2, 2)
FORTRAN = np.asfortranarray(np.arange(6.0).reshape(2, 3))
PERMUTED = np.arange(6.0).reshape(1, 2, 3).transpose(2, 0, 1)
ZERO_D = np.array(5.0)


def outcome(f: Callable[[Any], Any], x: Any) -> Any:
    try:
        return f(x)
    except Exception as error:  # noqa: BLE001 - which one is what is compared
        return error


def check_like_numpys(f: Callable[[Any], Any], array: Any, strides: bool = False) -> None:
    wanted, found = outcome(f, array), outcome(f, ag.asarray(array))
    if isinstance(wanted, Exception):
        base = next(k for k in type(wanted).__mro__ if k.__module__ == "builtins")
        assert isinstance(found, ag.errors.ArraygradError), (wanted, found)
        assert isinstance(found, base), (wanted, found)
        return
    assert not isinstance(found, Exception), found
    pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
    for w, t in pairs:
        np.testing.assert_array_equal(np.asarray(t), w)
        assert (np.asarray(t).dtype, t.shape) == (np.asarray(w).dtype, np.shape(w))
        if strides:
            assert t.strides == w.strides


# -- several axes are a tuple, of reductions; others take a list ----------------------------------

AXES: list[Any] = [
    [0], [0, 1], range(2), np.array([0]), np.array([0, 1]), np.array(1), (np.int64(1),), (0, 1), (),
    [], [5], (5,), (0, 0), 0.0, "a",
]  # fmt: skip
REDUCTIONS = [
    "sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "ptp", "count_nonzero",
    "nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "argmax", "cumsum",
    "median", "nanmedian", "average", "flip", "expand_dims", "squeeze", "linalg.norm",
    "linalg.vector_norm", "add.reduce", "logaddexp.reduce",
]  # fmt: skip


def _named(name: str) -> Any:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("axis", AXES, ids=repr)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_axes(name: str, axis: Any) -> None:
    if isinstance(axis, float) and name in ("linalg.norm", "linalg.vector_norm"):
        return  # NumPy takes 0.0 for an axis in these functions alone
    check_like_numpys(lambda x: _named(name)(x, axis=axis), X)
    if hasattr(np.ndarray, name) and name != "ptp":  # before NumPy 2.4 a stub: it is gone
        check_like_numpys(lambda x: getattr(x, name)(axis=axis), X)


def test_the_error_of_a_list_says_the_tuple() -> None:
    with pytest.raises(ag.errors.ArgumentTypeError, match=r"axis=\[0\] is a list; .* axis=\(0,\)"):
        ag.tensor(X).sum(axis=[0])


# -- where a reduction begins ---------------------------------------------------------------------

STARTS: list[Any] = [
    2.0, 2, True, -3.5, np.float32(2), np.int8(2), np.float64(2), np.array(2.0), 2**40, 2**70, None,
]  # fmt: skip
DTYPES = ["int64", "int8", "bool", "uint8", "int32", "float32", "float64", "complex64"]


@pytest.mark.parametrize("start", STARTS, ids=repr)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_initial_values_have_the_dtype_of_the_result(name: str, start: Any) -> None:
    for dtype in DTYPES:
        if dtype == "bool" and start == 2**70 and name in ("max", "min"):
            continue  # a truth value from an integer of any size
        array = np.array([1, 2, 1]).astype(dtype)
        with np.errstate(all="ignore"):
            check_like_numpys(lambda x: getattr(np, name)(x, initial=start), array)
            if start is not None:  # that of a tensor's methods is the default
                check_like_numpys(lambda x: getattr(x, name)(initial=start), array)


@pytest.mark.parametrize("start", ["a", b"a", 1j], ids=repr)
def test_initial_values_that_are_no_real_numbers(start: Any) -> None:
    for name in ("sum", "max"):
        with pytest.raises(TypeError) as caught:
            getattr(np, name)(ag.tensor([1, 2]), initial=start)
        assert isinstance(caught.value, ag.errors.ArraygradError)


def test_no_initial_value_of_no_elements() -> None:
    check_like_numpys(lambda x: np.sum(x, axis=0, initial=None), np.ones((0, 2)))
    check_like_numpys(lambda x: np.prod(x, axis=0, initial=None), np.ones((0, 0)))


# -- functions along an axis of an array without any ----------------------------------------------

ALONG: dict[str, Callable[[Any], Any]] = {
    **{
        f"take {index} {axis} {mode}": lambda x, i=index, a=axis, m=mode: np.take(x, i, a, mode=m)
        for index in (0, -1, 1, [0, 0], [[0]])
        for axis in (0, -1, None, 1)
        for mode in ("raise", "wrap", "clip")
    },
    **{
        f"repeat {count} {axis}": lambda x, c=count, a=axis: np.repeat(x, c, axis=a)
        for count in (0, 3, [3], [1, 2])
        for axis in (0, -1, None, 1)
    },
    "take method": lambda x: x.take([0, 0], axis=0),
    "repeat method": lambda x: x.repeat(2, axis=-1),
    "compress": lambda x: np.compress([True], x, axis=0),
    "compress method": lambda x: x.compress([True], axis=0),
    "argsort": lambda x: np.argsort(x, axis=0),
    "sort": lambda x: np.sort(x, axis=0),
    "argpartition": lambda x: np.argpartition(x, 0),
    "partition": lambda x: np.partition(x, 0),
    "flip": lambda x: np.flip(x, axis=0),
    "roll": lambda x: np.roll(x, 1, axis=0),
    "roll all": lambda x: np.roll(x, 1),
    "cumsum": lambda x: np.cumsum(x, axis=0),
    "diff": lambda x: np.diff(x),
    "diff none": lambda x: np.diff(x, 0),
    "squeeze": lambda x: np.squeeze(x, axis=0),
    "max": lambda x: np.max(x, axis=0),
    "mean": lambda x: np.mean(x, axis=0),
    "delete": lambda x: np.delete(x, 0, axis=0),
    "median": lambda x: np.median(x, axis=0),
    "argmax": lambda x: np.argmax(x, axis=0),
}


@pytest.mark.parametrize("row", ALONG)
def test_axes_of_0d_arrays(row: str) -> None:
    check_like_numpys(ALONG[row], ZERO_D)
    check_like_numpys(ALONG[row], ZERO_D[()])


def test_gradients_along_the_axis_that_a_0d_array_has_not() -> None:
    x = ag.tensor(5.0, requires_grad=True)
    (np.take(x, [0, 0], axis=0).sum() + np.repeat(x, 3, axis=0).sum()).backward()
    assert x.grad == 5.0


# -- shifts, differences, tolerances --------------------------------------------------------------

OTHERS: dict[str, Callable[[Any], Any]] = {
    **{
        f"roll {shift!r} {axis!r}": lambda x, s=shift, a=axis: np.roll(x, s, axis=a)
        for shift, axis in [
            ((1, 2), None), ([1, 2], None), (np.array([1, 2]), None), ((), None), ((1, 2), 0),
            ((1, 2), (0, 0)), ((1,), (0, 1)), ((1, 2, 3), (0, 1)), (1, ()), (1.5, None),
            (1, [0, 1]),
        ]
    },
    **{
        f"diff {n} {options!r}": lambda x, n=n, o=options: np.diff(x, n, **o)
        for n, options in itertools.product(
            (0, 1, 2, -1),
            ({}, {"prepend": 1.0}, {"prepend": [9.0]}, {"append": np.ones((2, 2, 1))}, {"axis": 5}),
        )
    },
    **{
        f"{name} {rtol!r}": lambda x, f=name, r=rtol: _named(f)(x, rtol=r)
        for name in ("linalg.pinv", "linalg.matrix_rank")
        for rtol in (1e-3, [1e-3], np.full(2, 1e-3), np.full(3, 1e-3), np.ones((2, 2)), np.ones(0))
    },
    **{
        f"average {axis!r} {shape}": (
            lambda x, a=axis, s=shape: np.average(
                x, axis=a, weights=np.arange(1.0, 1 + np.prod(s)).reshape(s), returned=True
            )
        )
        for axis, shape in [
            (None, (2, 2, 2)), (0, (2,)), ([0], (2,)), ((1, 0), (2, 2)), (None, (2,)), (5, (2,)),
            (0, (3,)), (-1, (2, 2, 2)), (-1, (2,)),
        ]
    },
    "average of zero weights": lambda x: np.average(x, weights=np.zeros((2, 2, 2))),
    "average returned": lambda x: np.average(x, axis=1, returned=True),
}  # fmt: skip


@pytest.mark.parametrize("row", OTHERS)
def test_others(row: str) -> None:
    check_like_numpys(OTHERS[row], X)


@pytest.mark.parametrize("types", [*itertools.product(["float32", "float64", "int64"], repeat=2)])
def test_averages_are_as_exact_as_numpys(types: tuple[str, str]) -> None:
    rng = np.random.default_rng(3)
    values = (100 * rng.random(1000)).astype(types[0])
    weights = (1 + 100 * rng.random(1000)).astype(types[1])
    wanted = np.average(values, weights=weights)
    found = np.average(ag.tensor(values), weights=weights)
    assert found.dtype == wanted.dtype
    eps = float(np.finfo(wanted.dtype).eps)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=8 * eps)


# -- orders of memory -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "f", None, "X", "", "CC", 1], ids=repr)
@pytest.mark.parametrize("array", [X, FORTRAN, PERMUTED], ids=["C", "F", "permuted"])
@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "full_like"])
def test_new_arrays_lie_in_memory_as_numpys(name: str, array: Any, order: Any) -> None:
    value = (2.0,) if name == "full_like" else ()
    for shape in (None, (4, 5), 3, (2, 3, 4)):

        def made(x: Any, shape: Any = shape) -> Any:
            out = getattr(np, name)(x, *value, order=order, shape=shape)
            if name == "empty_like":
                out[...] = 1.0
            return out

        check_like_numpys(made, array, strides=True)
        wanted = outcome(made, array)
        if not isinstance(wanted, Exception):
            assert ag.lift(made)(ag.asarray(array)).strides == wanted.strides


@pytest.mark.parametrize("subok", [True, False, 1, 0, None, "a", [1], np.array([1, 2])], ids=repr)
@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "full_like"])
def test_subok_is_a_flag(name: str, subok: Any) -> None:
    value = (2.0,) if name == "full_like" else ()
    check_like_numpys(lambda x: getattr(np, name)(x, *value, subok=subok), X)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None], ids=repr)
@pytest.mark.parametrize("array", [X, FORTRAN, PERMUTED], ids=["C", "F", "permuted"])
@pytest.mark.parametrize("copy", [True, None])
def test_conversions_lie_in_memory_as_numpys(array: Any, order: Any, copy: bool | None) -> None:
    for function in (np.array, np.asarray, np.asanyarray):
        for dtype in (None, np.float32):
            wanted = function(array, dtype, order=order, copy=copy)
            made = function(ag.asarray(array), dtype, order=order, copy=copy, like=ag.tensor(1.0))
            assert made.strides == wanted.strides, (function, dtype)
            lifted = ag.lift(lambda x, f=function, d=dtype: f(x, d, order=order, copy=copy))
            assert lifted(ag.asarray(array)).strides == wanted.strides, (function, dtype)
    for function in (np.ascontiguousarray, np.asfortranarray):
        made = function(ag.asarray(array), like=ag.tensor(1.0))
        assert made.strides == function(array).strides


def test_a_tracked_value_fills_memory_in_its_order() -> None:
    def filled(v: Any) -> Any:
        out = np.full_like(PERMUTED, v)
        assert out.strides == np.ones_like(PERMUTED).strides
        other = np.full((2, 3), v, order="F")
        assert other.flags.f_contiguous
        return out.sum() + other.sum()

    assert ag.grad(filled)(2.0) == 12.0


# -- x.flat ---------------------------------------------------------------------------------------

FLAT: dict[str, Callable[[Any], Any]] = {
    "next": lambda x: next(x.flat),
    "twice": lambda f: np.array([len(list(f)), len(list(f))]) if (f := f.flat) is not None else 0,
    "an index starts it anew": lambda x: np.array([next(f := x.flat), f[2], f.index, next(f)]),
    "a write starts it anew": lambda x: np.array([_written(f := x.copy().flat), f.index]),
    "base": lambda x: np.array(x.flat.base is x),
    "copy": lambda x: x.flat.copy(),
    "copy of a transpose": lambda x: x.T.flat.copy(),
    "places": lambda x: np.array([(v, f.index, *f.coords) for f in [x.flat] for v in f]),
    "transposed": lambda x: np.array([(v, *f.coords) for f in [x.T.flat] for v in f][:-1]),
    "end": lambda x: np.array([list(f := x.flat) and f.index, *f.coords]),
    "compared": lambda x: x.flat < 3,
    "equal": lambda x: x.flat == 3,
    "array": lambda x: np.asarray(x.T.flat),
    "written meanwhile": lambda x: np.array(_raised(x.copy())),
    "written meanwhile, transposed": lambda x: np.array(_raised(x.copy().T)),
}


def _written(flat: Any) -> int:
    next(flat)
    flat[0] = 1.0
    return int(flat.index)


def _raised(x: Any) -> list[float]:
    found = []
    for value in x.flat:
        found.append(float(value))
        x[...] = x + 1
    return found


@pytest.mark.parametrize("row", FLAT)
def test_flat(row: str) -> None:
    check_like_numpys(FLAT[row], X)
    check_like_numpys(FLAT[row], np.arange(3.0))


def test_the_gradient_of_elements_that_a_flat_view_gives() -> None:
    x = ag.tensor(np.arange(4.0).reshape(2, 2), requires_grad=True)
    flat = x.T.flat
    (next(flat) + 3 * next(flat) + sum(v * v for v in flat)).backward()
    np.testing.assert_array_equal(x.grad, [[1.0, 2.0], [3.0, 6.0]])
