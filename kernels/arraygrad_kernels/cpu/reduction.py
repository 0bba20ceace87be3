"""Reductions over any subset of axes: sum, mean, prod, max, min, any, all, count_nonzero.

Each is one generalised ufunc over the nests of `folds`. `moments`, `exponential` and `extrema` hold
the other reductions.

Measured
--------
Speed relative to NumPy, one thread, float32: 4M elements / 2048 x 2048 along the last axis / the
first / rows of ten / columns of ten / 1000 elements. sum 2.2 / 2.4 / 1.3 / 5 / 14 / 1.8; mean 1.9 /
1.3 / 1.4 / 4.5 / 18 / 3; max 1.2 / 1.1 / 1.2 / 15 / 28 / 1.8. Memory limits the first three, which
a machine in use shares. Not preferred: prod of floats (0.5 at 1000 elements), sums of complex
numbers, any and all of bool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from arraygrad_kernels import _jit, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.axes import (
    is_ordinary,
    is_whole,
    one_axis,
    over_axis,
    result_shape,
    runs,
)
from arraygrad_kernels.cpu.folds import (
    FAR,
    PIECE,
    Fold,
    compensated,
    exact_sum,
    extremum,
    float_sum,
    fold_columns,
    fold_rows,
    product,
    row_or_column,
    truth,
)
from arraygrad_kernels.nest import nest_loop, plain
from arraygrad_kernels.reference import reductions
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = ["SPECS", "reduction"]

_LONG = 1 << 24
"""Elements of one row from which threads help: below, one reads as fast as memory gives."""
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS = ("float32", "float64")
_COMPLEX = ("complex64", "complex128")


# Compilation


def reduction(
    name: str, row: Callable[..., Any], columns: Callable[..., None], dtype: np.dtype[Any],
    result: np.dtype[Any], turn: bool = False,
) -> np.ufunc:  # fmt: skip
    """Compiled generalised ufunc ``(n)->()``, which warns as NumPy's reductions do."""
    nest = row_or_column(str(code_of(dtype)), row, columns, turn)
    loop = nest_loop(nest, [dtype], [result], 1, 1)
    compiled = _jit.loop(loop, f"{name}_{dtype}")
    return _jit.ufunc(
        [(compiled.address, (dtype, result))], "reduce", 1, signature="(n)->()", keep=compiled
    )


@cache
def additive(dtype: np.dtype[Any]) -> np.ufunc:
    """Compiled sum of one real dtype: floats to themselves, integers to 64 bits."""
    if dtype.kind == "f":
        return reduction("sum", *float_sum(dtype, dtype), dtype, dtype)
    wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    return _folded("sum", exact_sum(wide.type(0), False), dtype, wide)


@cache
def _pieces(dtype: np.dtype[Any]) -> np.ufunc:
    """Compiled sums of rows of float32 to float64, for threads that share a long one."""
    if dtype == np.float64:
        return additive(dtype)
    result = np.dtype(np.float64)
    row, _ = float_sum(dtype, result)

    def rows(x, out, k, n, x_step, out_step, core):
        for i in plain(range(k)):
            out[i * out_step] = row(x[i * x_step :], n, core, n >= FAR)

    compiled = _jit.loop(nest_loop(rows, [dtype], [result], 1, 1), f"sum_pieces_{dtype}")
    return _jit.ufunc(
        [(compiled.address, (dtype, result))], "reduce", 1, signature="(n)->()", keep=compiled
    )


def _folded(name: str, fold: Fold, dtype: np.dtype[Any], result: np.dtype[Any]) -> np.ufunc:
    row = fold_rows(fold, str(code_of(dtype)), dtype.itemsize)
    return reduction(name, row, fold_columns(fold), dtype, result)


@cache
def _counting(dtype: np.dtype[Any]) -> np.ufunc:
    return _folded("count_nonzero", exact_sum(np.int64(0), True), dtype, np.dtype(np.int64))


@cache
def _multiplying(dtype: np.dtype[Any]) -> np.ufunc:
    wide: Any = {"f": dtype, "c": dtype, "u": np.uint64}.get(dtype.kind, np.int64)
    return reduction("prod", *product(dtype), dtype, np.dtype(wide))


@cache
def _extreme_of(dtype: np.dtype[Any], larger: bool) -> np.ufunc:
    return _folded("max" if larger else "min", extremum(dtype, larger), dtype, dtype)


@cache
def _deciding(dtype: np.dtype[Any], expected: bool) -> np.ufunc:
    result = np.dtype(np.bool_)
    return _folded("any" if expected else "all", truth(expected), dtype, result)


# Calls


def _build(
    make: Callable[..., np.ufunc], numpy_function: Callable[..., Any], fold: np.ufunc | None,
    view: np.dtype[Any], *arguments: Any, few: int = 0,
) -> Callable[..., np.ndarray]:  # fmt: skip
    """Kernel over a reduction whose results are exact.

    Parameters
    ----------
    make : callable
        Compiles the reduction of `view` and `arguments`.
    numpy_function : callable
        For operands without elements.
    fold : numpy.ufunc or None
        Of totals of pieces of a long row; None keeps it whole.
    view : numpy.dtype
        As which the operand is read.
    *arguments : object
        Further arguments of `make`.
    few : int
        Size up to which NumPy's call costs less.
    """
    ufunc = make(view, *arguments)
    result = ufunc.resolve_dtypes((view, None))[-1]

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        size = x.size
        if size <= few:
            options = {} if dtype is None else {"dtype": dtype}
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, **options))
        if x.dtype != view:
            x = x.view(view)
        if (
            dtype is None
            and not keepdims
            and is_whole(x, axis)
            and (size < _LONG or fold is None or threads.get_num_threads() == 1)
        ):
            # Most calls are of this kind, and small: spend nothing on generality.
            return np.asarray(ufunc(x if x.ndim == 1 else x.reshape(-1)))
        before, last = runs(axis) if len(axis) > 1 and fold is not None else ((), axis)
        y, a = one_axis(x, last)
        if y.ndim == 1 and size >= _LONG and fold is not None and threads.get_num_threads() > 1:
            out = fold.reduce(_totals_of_pieces(ufunc, y, result))
        else:
            out = over_axis(ufunc, y, a, result)
        if before:
            out = fold.reduce(out, axis=before)
        out = np.asarray(out).reshape(result_shape(x.shape, axis, keepdims))
        # Totals are modulo 2**64, so that narrower results wrap as NumPy's do.
        return out if dtype is None else out.astype(dtype, copy=False)

    if view.kind != "u" or make is not _deciding:
        kernel.short = _PLACES.get(numpy_function), ufunc  # type: ignore[attr-defined]
    return kernel


_PLACES: dict[Any, Callable[..., Any]] = {np.max: np.ndarray.argmax, np.min: np.ndarray.argmin}
"""Where the extreme is that a NumPy function finds."""


def _totals_of_pieces(ufunc: np.ufunc, x: np.ndarray, result: np.dtype[Any]) -> np.ndarray:
    """Totals of pieces of a long row, the same for any number of threads."""
    whole = x.size - x.size % PIECE
    parts = over_axis(ufunc, x[:whole].reshape(-1, PIECE), 1, result)
    return parts if whole == x.size else np.append(parts, ufunc(x[whole:]))


def _build_count(operand: np.dtype[Any], truth_values: bool) -> Callable[..., np.ndarray]:
    """Number of nonzero elements; NumPy counts truth values all at once faster than we do."""
    exact = _build(_counting, np.count_nonzero, np.add, operand)

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if is_whole(x, axis) and not keepdims:
            return np.asarray(np.count_nonzero(x), np.int64 if dtype is None else dtype)
        return exact(x, axis=axis, keepdims=keepdims, dtype=dtype)

    return kernel if truth_values else exact


def _build_integer(
    make: Callable[..., np.ufunc], numpy_function: Callable[..., Any], fold: np.ufunc,
    operand: np.dtype[Any],
) -> Callable[..., np.ndarray]:  # fmt: skip
    """Sum or product of integers, with NumPy for results that are no integers."""
    exact = _build(make, numpy_function, fold, operand)

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if dtype is not None and np.dtype(dtype).kind not in "iu":
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, dtype=dtype))
        return exact(x, axis=axis, keepdims=keepdims, dtype=dtype)

    return kernel


_FEW = 256
"""Numbers up to which NumPy's sum is as accurate, and its call costs less than ours."""


def _build_float_sum(dtype: np.dtype[Any], mean: bool) -> Callable[..., np.ndarray]:
    """Sum or mean of floats."""
    ufunc, pieces = additive(dtype), _pieces(dtype)
    own = dtype
    general = reductions.KERNELS["mean" if mean else "sum"]
    numpy_few: Any = np.mean if mean else np.add.reduce

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        size = x.size
        if dtype is own:
            dtype = None
        if 0 < size <= _FEW and dtype is None:
            return np.asarray(numpy_few(x, axis=axis, keepdims=keepdims))
        if (
            dtype is None
            and not keepdims
            and is_whole(x, axis)
            and (_FEW < size < _LONG or (size >= _LONG and threads.get_num_threads() == 1))
        ):
            # Most calls are of this kind, and small: spend nothing on generality.
            out = ufunc(x if x.ndim == 1 else x.reshape(-1))
            return np.asarray(own.type(out / size) if mean else out)
        if size == 0 or (dtype is not None and dtype != own):
            return np.asarray(general(x, axis=axis, keepdims=keepdims, dtype=dtype))
        before, last = runs(axis) if len(axis) > 1 else ((), axis)
        out = None
        if size >= _LONG and (before or (len(axis) == x.ndim and threads.get_num_threads() > 1)):
            out = _sum_by_parts(pieces, x, before, last, own)
        if out is None:
            y, a = one_axis(x, axis)
            out = over_axis(ufunc, y, a, own)
        if mean:
            out = np.true_divide(out, own.type(math.prod([x.shape[i] for i in axis])))
        return np.asarray(out).reshape(result_shape(x.shape, axis, keepdims))

    kernel.short = None, reductions.short_mean(ufunc) if mean else ufunc  # type: ignore[attr-defined]
    return kernel


def _sum_by_parts(
    pieces: np.ufunc, x: np.ndarray, before: tuple[int, ...], last: tuple[int, ...],
    dtype: np.dtype[Any],
) -> Any:  # fmt: skip
    """Sum of one long row, or over `last` axes and then those `before`; None if not finite."""
    wide = np.dtype(np.float64)
    y, a = one_axis(x, last)
    with np.errstate(all="ignore"):
        if before:
            parts = over_axis(pieces, y, a, wide)
            totals = np.add.reduce(parts, axis=before)
        else:
            parts = _totals_of_pieces(pieces, y, wide)
            totals, lost = 0.0, 0.0
            for part in parts.tolist():
                totals, lost = compensated(totals, lost, part)
            totals += lost
        if not np.max(np.abs(totals)) <= np.finfo(dtype).max:
            return None
    return dtype.type(totals) if isinstance(totals, float) else totals.astype(dtype)


def _build_complex_sum(dtype: np.dtype[Any], mean: bool) -> Callable[..., np.ndarray]:
    """Sum or mean of complex numbers, whose real and imaginary parts are two columns."""
    own, real = dtype, np.dtype(f"f{dtype.itemsize // 2}")
    parts = _build_float_sum(real, mean)
    general = reductions.KERNELS["mean" if mean else "sum"]

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if x.size == 0 or x.ndim == 0 or (dtype is not None and dtype != own):
            return np.asarray(general(x, axis=axis, keepdims=keepdims, dtype=dtype))
        x = x[..., np.newaxis]
        out = parts(x.view(real), axis=axis, keepdims=True).view(own)
        return out.reshape(result_shape(x.shape[:-1], axis, keepdims))

    return kernel


def _build_float_prod(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Product of floats in NumPy's order; NumPy's, with its warnings, where one vanishes."""
    exact, own = _build(_multiplying, np.prod, None, dtype), dtype
    smallest = np.finfo(dtype).smallest_normal

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if dtype is None or dtype == own:
            out = exact(x, axis=axis, keepdims=keepdims)
            if not (np.abs(out) < smallest).any():
                return out
        return np.asarray(np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype))

    return kernel


_FEW_COMPLEX = 4096
"""Numbers up to which NumPy's product takes less time."""


def _build_complex_prod(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Product of complex numbers; NumPy's, with its warnings, where one is not finite or 0."""
    exact, own = _build(_multiplying, np.prod, None, dtype), dtype

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if x.size >= _FEW_COMPLEX and (dtype is None or dtype == own):
            out = exact(x, axis=axis, keepdims=keepdims)
            if is_ordinary(out, True):
                return out
        return np.asarray(np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype))

    return kernel


# The table


def _bits(name: str) -> np.dtype[Any]:
    """Dtype with the same zero that stands for `name` where only zero matters."""
    return np.dtype({"bool": "uint8"}.get(name, name.replace("int", "uint").replace("uu", "u")))


def _specs() -> list[KernelSpec]:
    """All kernels of this module; ``preferred`` as measured (module docstring)."""
    specs: list[KernelSpec] = []

    def add(op: str, name: str, build: Any, *arguments: Any, **options: Any) -> None:
        preferred = (op, name) not in _SLOWER
        specs.append(
            KernelSpec(op, (np.dtype(name),), preferred, lambda: build(*arguments, **options))
        )

    for name in _FLOATS:
        add("sum", name, _build_float_sum, np.dtype(name), False)
        add("mean", name, _build_float_sum, np.dtype(name), True)
        add("prod", name, _build_float_prod, np.dtype(name))
    for name in _COMPLEX:
        add("sum", name, _build_complex_sum, np.dtype(name), False)
        add("mean", name, _build_complex_sum, np.dtype(name), True)
        add("prod", name, _build_complex_prod, np.dtype(name))
    for name in _INTEGERS:
        add("sum", name, _build_integer, additive, np.sum, np.add, np.dtype(name))
        add("prod", name, _build_integer, _multiplying, np.prod, np.multiply, np.dtype(name))
    for name in (*_INTEGERS, *_FLOATS):
        dtype = np.dtype(name)
        add("max", name, _build, _extreme_of, np.max, np.maximum, dtype, True)
        add("min", name, _build, _extreme_of, np.min, np.minimum, dtype, False)
    for name in ("bool", *_INTEGERS, *_FLOATS, *_COMPLEX):
        view = _bits(name)
        add("any", name, _build, _deciding, np.any, None, view, True)
        add("all", name, _build, _deciding, np.all, None, view, False)
        add("count_nonzero", name, _build_count, view, name == "bool")
    return specs


_SLOWER = {
    *[("prod", name) for name in _FLOATS],
    *[(op, name) for op in ("sum", "mean", "any") for name in _COMPLEX],
    ("any", "bool"),
    ("all", "bool"),
}
"""(operation, dtype) where NumPy's loop was measured faster at some size."""

SPECS: list[KernelSpec] = _specs()
