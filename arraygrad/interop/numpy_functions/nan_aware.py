"""NumPy's reductions that skip NaN: nansum ... nanquantile.

A NaN is replaced before the reduction, so that its cotangent is an exact zero and does not infect
what comes before, as in ``np.nanmean(x**2)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import cast, operand
from ..._warnings import TOO_FEW, warn
from ...ops import arithmetic, indexing, manipulation, searching, sorting, statistical
from ..plain import plain
from . import reducing
from .constant import constant
from .rebinding import rebound

_NO = np._NoValue
_stored = reducing._stored
_given, _kept = reducing._given, reducing._kept


def _valid(x: Any, where: Any = _NO) -> Any:
    """Which elements count: those that are numbers and that `where` selects."""
    valid = ~np.isnan(x._array) if x._array.dtype.kind in "fc" else np.ones(x._array.shape, bool)
    if where is not _NO and where is not None and where is not True:
        valid = valid & np.asarray(plain(where), bool)
    return valid


def _filled(x: Any, valid: Any, value: Any) -> Any:
    return x if valid.all() else searching.where(valid, x, value)


@answers(np.nansum)
def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO,
    initial: Any = _NO, where: Any = _NO,
) -> Any:  # fmt: skip
    """np.nansum: NaN counts as 0."""
    x = operand(a, "nansum")
    return reducing.sum(_filled(x, _valid(x), 0), axis, dtype, out, keepdims, initial, where)


@answers(np.nanprod)
def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO,
    initial: Any = _NO, where: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanprod: NaN counts as 1."""
    x = operand(a, "nanprod")
    return reducing.prod(_filled(x, _valid(x), 1), axis, dtype, out, keepdims, initial, where)


@answers(np.nancumsum)
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """np.nancumsum."""
    x = operand(a, "nancumsum")
    return reducing.cumsum(_filled(x, _valid(x), 0), axis, dtype, out)


@answers(np.nancumprod)
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """np.nancumprod."""
    x = operand(a, "nancumprod")
    return reducing.cumprod(_filled(x, _valid(x), 1), axis, dtype, out)


@answers(np.nanmean)
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, *,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanmean; the gradient at a NaN is 0."""
    x = operand(a, "nanmean")
    keep = _kept(keepdims)
    if x._array.dtype.kind not in "fcV":  # NumPy's mean, with its warnings
        return reducing.mean(x, axis, dtype, out, keepdims, where=where)
    x = reducing._inexact(x, dtype)
    valid = _valid(x, where)
    if x._array.ndim and valid.size and valid.all():  # NumPy's mean has no axis of a number
        return _stored(out, statistical.mean(x, axis=axis, keepdims=keep), "nanmean")
    count = np.add.reduce(valid, axis=axis, keepdims=keep, dtype=np.intp)
    if not np.all(count):
        warn("Mean of empty slice")
    total = statistical.sum(_filled(x, valid, 0), axis=axis, keepdims=keep)
    return _stored(out, reducing._over(total, count), "nanmean")


@answers(np.nanvar)
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: Any = _NO, *, where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanvar."""
    by = ddof if correction is _NO else correction
    x = operand(a, "nanvar")
    if x._array.dtype.kind not in "fcV":  # NumPy's variance, with its warnings
        return reducing.var(x, axis, dtype, out, by, keepdims, where=where, mean=mean)
    x = reducing._inexact(x, dtype)
    valid = _valid(x, where)
    count = np.add.reduce(valid, axis=axis, keepdims=_kept(keepdims), dtype=np.intp)
    square = lambda off: arithmetic.multiply(off, off)  # noqa: E731 - NumPy's words when it overflows
    squares = reducing._masked_squares(x, axis, keepdims, valid, mean, square)
    if np.any(count <= by):
        warn(TOO_FEW + ".")
    return _stored(out, reducing._over_freedom(squares, count - by), "nanvar")


@answers(np.nanstd)
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: Any = _NO, *, where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanstd; the gradient at constant data is 0."""
    variance = nanvar(
        a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    return _stored(out, reducing._root(variance), "nanstd")


def _extreme(
    a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, name: str
) -> Any:
    x = operand(a, name)
    largest = name == "nanmax"
    valid = _valid(x)
    filled = x
    if not valid.all():
        worst = -np.inf if largest else np.inf
        filled = _filled(x, valid, complex(worst, worst) if x._array.dtype.kind == "c" else worst)
    function = reducing.max if largest else reducing.min
    result = function(filled, axis, None, keepdims, initial, where)
    if initial is _NO and not valid.all():
        nothing = ~np.logical_or.reduce(valid, axis=axis, keepdims=_kept(keepdims))
        if nothing.any():
            warn("All-NaN slice encountered")
            result = searching.where(nothing, np.nan, result)
    return _stored(out, result, name)


@answers(np.nanmax)
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanmax; ties share the gradient evenly."""
    return _extreme(a, axis, out, keepdims, initial, where, "nanmax")


@answers(np.nanmin)
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.nanmin; ties share the gradient evenly."""
    return _extreme(a, axis, out, keepdims, initial, where, "nanmin")


nanargmax = constant(np.nanargmax)
nanargmin = constant(np.nanargmin)
nanpercentile = rebound(np.nanpercentile)
nanquantile = rebound(np.nanquantile)


@answers(np.nanmedian)
def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = _NO
) -> Any:
    """np.nanmedian: the mean of the one or two middle numbers."""
    x = operand(a, "nanmedian")
    if not x._array.size:
        return nanmean(x, axis, None, out, keepdims)
    if x._array.dtype.kind not in "fc":
        x = cast(x, np.float64)
    axes = tuple(range(x._array.ndim)) if axis is None else axis
    rows, shape = joined(x, axes)
    kept = shape if _given(keepdims, False) else tuple(
        n for i, n in enumerate(x._array.shape) if i not in normalized(axes, x._array.ndim)
    )  # fmt: skip
    count = np.add.reduce(~np.isnan(rows._array), axis=-1, keepdims=True, dtype=np.intp)
    if not count.all():
        warn("All-NaN slice encountered")
    ordered = sorting.sort(rows)  # NaN goes last
    middle = np.maximum(np.concatenate((count - 1, count), axis=-1) // 2, 0)
    middle[..., 1] = np.minimum(middle[..., 1], np.maximum(count[..., 0] - 1, 0))
    two = indexing.take_along_axis(ordered, operand(middle), axis=-1)
    return _stored(out, manipulation.reshape(statistical.mean(two, axis=-1), kept), "nanmedian")[()]


def normalized(axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as a tuple of non-negative integers."""
    return tuple(np.lib.array_utils.normalize_axis_tuple(axes, ndim))


def joined(x: Any, axes: Any) -> tuple[Any, tuple[int, ...]]:
    """The tensor with the axes moved last and joined; and the shape with these of size 1."""
    ndim = x._array.ndim
    axes = normalized(axes, ndim)
    others = tuple(i for i in range(ndim) if i not in axes)
    moved = manipulation.permute_dims(x, (*others, *axes))
    size = 1
    for i in axes:
        size *= x._array.shape[i]
    rows = manipulation.reshape(moved, (*(x._array.shape[i] for i in others), size))
    return rows, tuple(1 if i in axes else n for i, n in enumerate(x._array.shape))
