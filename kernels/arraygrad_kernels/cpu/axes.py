"""Reductions over any axes, as calls of generalised ufuncs that reduce one axis.

NumPy finds the outer loop, of which the compiled nests get the strides: they take rows or columns
as memory has them, whatever the order of axes, and so no operand is copied for its layout. Several
axes become one where memory allows it. Knows no operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from arraygrad_kernels import threads

__all__ = [
    "is_ordinary", "is_whole", "one_axis", "over_axis", "over_axis_of_several", "result_shape",
    "runs",
]  # fmt: skip

_WIDE = 1024
"""Columns of one thread: half as many take half as long again."""
CONTIGUOUS_ALIGNED = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED


def result_shape(shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """Shape of a reduction's result."""
    if keepdims:
        return tuple([1 if i in axis else n for i, n in enumerate(shape)])
    if len(axis) == len(shape):
        return ()
    return tuple([n for i, n in enumerate(shape) if i not in axis])


def is_ordinary(x: Any, product: bool) -> bool:
    """Whether no element is infinite or NaN nor, of products, zero or subnormal."""
    size = np.abs(x)
    smallest = np.finfo(x.dtype).smallest_normal if product else 0
    return bool(((size >= smallest) & (size < np.inf)).all())


def is_whole(x: np.ndarray, axis: tuple[int, ...]) -> bool:
    """Whether `axis` is all of a contiguous operand."""
    return len(axis) == x.ndim and x.flags.num & CONTIGUOUS_ALIGNED == CONTIGUOUS_ALIGNED


def runs(axis: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The last neighbouring axes, and those before them."""
    start = len(axis) - 1
    while start > 0 and axis[start - 1] == axis[start] - 1:
        start -= 1
    return axis[:start], axis[start:]


def one_axis(x: np.ndarray, axis: tuple[int, ...], ordered: bool = False) -> tuple[np.ndarray, int]:
    """An array, mostly a view, and the one axis of it to reduce instead of `axis` of `x`.

    The result then has the kept axes in order, if not their shape.

    Parameters
    ----------
    x : ndarray
        Operand with at least one element.
    axis : tuple of int
        Axes to reduce, sorted.
    ordered : bool, default: False
        Visit the reduced elements in C order, for results that depend on it.
    """
    if any(stride % x.itemsize for stride in x.strides):
        x = x.copy()  # a field of records: the nests count strides in elements
    if len(axis) == 1:
        return x, axis[0]
    if len(axis) == x.ndim:
        if not ordered:
            x = x.T if x.flags.f_contiguous else x
        return x.reshape(-1), 0
    if not axis:
        return x[..., np.newaxis], x.ndim
    first, last = axis[0], axis[-1]
    if last - first == len(axis) - 1:
        shape = x.shape[:first] + (prod(x.shape[first : last + 1]),) + x.shape[last + 1 :]
        return x.reshape(shape), first
    kept = [i for i in range(x.ndim) if i not in axis]
    x = x.transpose([*kept, *axis])
    return x.reshape([*x.shape[: len(kept)], -1]), len(kept)


def over_axis(
    ufunc: np.ufunc, x: np.ndarray, axis: int, dtype: np.dtype[Any], minimum: int = threads.CHEAP,
    *operands: Any, out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """``ufunc(x, *operands, axis=axis)``, on several threads where there is work enough.

    Each element of the result is computed alike on any number of threads.

    Parameters
    ----------
    ufunc : numpy.ufunc
        A generalised ufunc with one core dimension, whose result is `dtype`.
    x : ndarray
        Operand with at least one element.
    axis : int
        Axis of the core dimension.
    dtype : numpy.dtype
        Of the result.
    minimum : int
        Elements of `x` from which threads are worth their hand-over.
    *operands : ndarray, shape ()
        Further operands.
    out : ndarray, optional
        Result of a ufunc that keeps the axis.
    """
    length, longest = 0, 0
    if x.size >= minimum and x.ndim > 1:
        length, longest = max([(n, -i) for i, n in enumerate(x.shape) if i != axis])
    n_chunks = min(length, 16)
    if n_chunks < 2 or threads.get_num_threads() == 1:
        if out is not None:
            return ufunc(x, *operands, axis=axis, out=out)
        # Less to look at costs less.
        return ufunc(x, *operands) if axis == x.ndim - 1 else ufunc(x, *operands, axis=axis)
    if out is None:
        result = np.empty(x.shape[:axis] + x.shape[axis + 1 :], dtype)
        moved = -longest - (-longest > axis)
    else:
        result, moved = out, -longest
    found: set[str] = set()

    def work(chunk: int) -> None:
        bounds = slice(length * chunk // n_chunks, length * (chunk + 1) // n_chunks)
        part = x[(*[slice(None)] * -longest, bounds)]
        with np.errstate(all="call", call=lambda kind, _: found.add(kind)):
            ufunc(part, *operands, axis=axis, out=result[(*[slice(None)] * moved, bounds)])

    if not threads.run(work, n_chunks):
        return ufunc(x, *operands, axis=axis, out=result)
    if found:
        threads.report(ufunc.__name__, found)
    return result


def over_axis_of_several(
    ufunc: np.ufunc, full: Sequence[np.ndarray], reduced: Sequence[np.ndarray], axis: int,
    out: np.ndarray, minimum: int,
) -> None:  # fmt: skip
    """``ufunc(*full, *reduced, axis=axis, out=out)``, on several threads where there is work.

    Parameters
    ----------
    ufunc : numpy.ufunc
        A generalised ufunc with one core dimension, which the result has. It reports no errors.
    full, reduced : sequence of ndarray
        Operands of the result's shape, and of that without `axis`.
    axis : int
        Axis of the core dimension.
    out : ndarray
        Result.
    minimum : int
        Elements of `out` from which threads are worth their hand-over.
    """
    length, longest = 0, 0
    if out.size >= minimum and out.ndim > 1:
        length, longest = max([(n, -i) for i, n in enumerate(out.shape) if i != axis])
    n_chunks = min(length, 16)
    if out.strides[-longest] == out.itemsize:  # of columns, which had better be wide
        n_chunks = min(n_chunks, max(length // _WIDE, threads.get_num_threads()))

    def work(chunk: int) -> None:
        bounds = slice(length * chunk // n_chunks, length * (chunk + 1) // n_chunks)
        part = (*[slice(None)] * -longest, bounds)
        of_reduced = part if -longest < axis else part[1:]
        operands = [x[part] for x in full] + [x[of_reduced] for x in reduced]
        ufunc(*operands, axis=axis, out=out[part])

    if n_chunks < 2 or not threads.run(work, n_chunks):
        ufunc(*full, *reduced, axis=axis, out=out)
