"""NumPy's reductions and scans: sum ... quantile, the nan* family, average."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ... import _ndarray_options as options
from ..._answers import answers
from ..._apply import cast, operand
from ..._dtypes import as_dtype, promote
from ..._errors import ArgumentError, ArgumentTypeError, ShapeError, ZeroWeightsError
from ..._op import Op
from ..._short import reduction
from ..._storage import TensorBase
from ..._warnings import EMPTY_MEAN, TOO_FEW, warn
from ...ops import (
    arithmetic,
    comparison,
    data_type,
    exponential,
    manipulation,
    parts,
    searching,
    statistical,
    utility,
)
from ..plain import plain
from ..ufuncs import reduced_from, store

_NO = np._NoValue


def _given(value: Any, default: Any) -> Any:
    return default if value is _NO or value is None else value


def _kept(keepdims: Any) -> Any:
    """As it was given; None is no flag for NumPy's reductions."""
    return False if keepdims is _NO else keepdims


def _stored(out: Any, result: Any, name: str) -> Any:
    if out is None:
        return result
    given = getattr(out, "shape", None)
    if given is not None and given != result._array.shape:  # NumPy broadcasts no reduction
        raise ShapeError(f"np.{name}: out= has shape {given}, the result {result._array.shape}")
    return store(out, result, True, "same_kind", name)


def _chosen(x: Any, where: Any, identity: Any) -> Any:
    """The tensor with `identity` where the mask is false."""
    if where is _NO or where is True or where is None:
        return x
    return options.where(where, x, identity, "a reduction")


def _reduction(
    op: Op, function: Callable[..., Any], combine: Callable[..., Any], identity: Any, name: str
) -> Callable[..., Any]:
    """NumPy's signature around one of the standard's reductions."""

    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO,
        initial: Any = _NO, where: Any = _NO,
    ) -> Any:  # fmt: skip
        if dtype is None and out is None and initial is _NO and where is _NO:  # most calls
            if keepdims is _NO:
                keepdims = False
            if isinstance(a, TensorBase):
                result = reduction(op, a, axis, keepdims)
                if result is not None:
                    return result
            return function(a, axis=axis, keepdims=keepdims)
        x = _chosen(operand(a, name), where, identity)
        result = function(x, axis=axis, dtype=dtype, keepdims=_kept(keepdims))
        if initial is None:
            if not x._array.size:
                raise ArgumentError(f"np.{name} of no elements with initial=None; use initial=0.0")
        elif initial is not _NO:
            result = combine(result, options.initial(initial, result._array.dtype, name))
        return _stored(out, result, name)

    reduce.__name__ = name
    return reduce


sum = answers(np.sum)(_reduction(statistical.SUM, statistical.sum, arithmetic.add, 0, "sum"))
prod = answers(np.prod)(
    _reduction(statistical.PROD, statistical.prod, arithmetic.multiply, 1, "prod")
)


def _extreme(
    a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, largest: bool
) -> Any:
    function = statistical.max if largest else statistical.min
    if out is None and initial is _NO and where is _NO:
        return function(a, axis=axis, keepdims=False if keepdims is _NO else keepdims)
    name = "max" if largest else "min"
    x = operand(a, name)
    combine = comparison.maximum if largest else comparison.minimum
    keep = _kept(keepdims)
    is_masked = where is not _NO and where is not True
    if initial is _NO or initial is None:
        if is_masked:
            raise ArgumentError(f"np.{name} with where= needs initial=, as it has no identity")
        return _stored(out, function(x, axis=axis, keepdims=keep), name)
    start = options.initial(initial, x._array.dtype, name)
    if is_masked:
        x = options.where(where, x, start, name)
    return _stored(out, reduced_from(start, function, combine, x, axis, keep), name)


@answers(np.max, np.amax)
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.max; ties share the gradient evenly."""
    if out is None and keepdims is _NO and initial is _NO and where is _NO:  # most calls
        if isinstance(a, TensorBase):
            result = reduction(statistical.MAX, a, axis, False)
            if result is not None:
                return result
    return _extreme(a, axis, out, keepdims, initial, where, True)


@answers(np.min, np.amin)
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.min; ties share the gradient evenly."""
    if out is None and keepdims is _NO and initial is _NO and where is _NO:  # most calls
        if isinstance(a, TensorBase):
            result = reduction(statistical.MIN, a, axis, False)
            if result is not None:
                return result
    return _extreme(a, axis, out, keepdims, initial, where, False)


@answers(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO) -> Any:
    """np.ptp."""
    return _stored(out, max(a, axis, None, keepdims) - min(a, axis, None, keepdims), "ptp")


def _count(x: Any, axis: Any, where: Any, keepdims: Any) -> Any:
    """How many elements a masked reduction runs over."""
    mask = np.broadcast_to(np.asarray(plain(where), bool), x._array.shape)
    return np.add.reduce(mask, axis=axis, keepdims=keepdims, dtype=np.intp)


def _inexact(x: Any, dtype: Any) -> Any:
    if dtype is not None:
        return data_type.astype(x, as_dtype(dtype), copy=False)
    return x if x._array.dtype.kind in "fcV" else cast(x, np.float64)


@answers(np.mean)
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, *,
    where: Any = _NO,
) -> Any:  # fmt: skip
    """np.mean."""
    if dtype is None and out is None and where is _NO:  # most calls
        if keepdims is _NO:
            keepdims = False
        if isinstance(a, TensorBase) and a._array.dtype.kind == "f":
            result = reduction(statistical.MEAN, a, axis, keepdims)
            if result is not None:
                return result
        return statistical.mean(a, axis=axis, keepdims=keepdims)
    x = _inexact(operand(a, "mean"), dtype)
    keep = _kept(keepdims)
    if where is _NO or where is True:
        return _stored(out, statistical.mean(x, axis=axis, keepdims=keep), "mean")
    count = _count(x, axis, where, keep)
    if not np.all(count):
        warn(EMPTY_MEAN)
    total = statistical.sum(_chosen(x, where, 0), axis=axis, keepdims=keep)
    _report_division(total, count)
    return _stored(out, _over(total, count), "mean")


def _report_division(total: Any, number: Any) -> None:
    """What NumPy's division by the number of elements reports; ours is a multiplication."""
    array = total._array
    real = np.empty(0, array.dtype).real.dtype
    np.true_divide(array, np.maximum(number, 0).astype(real))


def _over(total: Any, count: Any) -> Any:
    """The quotient in the dtype of the total; NaN where nothing was counted."""
    factor = np.where(count > 0, 1.0, np.nan) / np.maximum(count, 1)
    real = np.empty(0, total._array.dtype).real.dtype
    with np.errstate(all="ignore"):
        return arithmetic.multiply(total, operand(np.asarray(factor, real)))


@answers(np.var)
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: Any = _NO, *, where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """np.var."""
    by = ddof if correction is _NO else correction
    x = _inexact(operand(a, "var"), dtype)
    if (where is _NO or where is True) and mean is _NO:
        result = statistical.var(x, axis=axis, correction=by, keepdims=_kept(keepdims))
        return _stored(out, result, "var")
    mask = _mask(x, where)
    count = np.add.reduce(mask, axis=axis, keepdims=_kept(keepdims), dtype=np.intp)
    if np.any(count <= by):
        warn(TOO_FEW)
    squares = _masked_squares(x, axis, keepdims, mask, mean, arithmetic.square)
    _report_division(squares, count - by)
    return _stored(out, _over_freedom(squares, count - by), "var")


def _mask(x: Any, where: Any) -> Any:
    return np.broadcast_to(np.asarray(True if where is _NO else plain(where), bool), x._array.shape)


def _masked_squares(
    x: Any, axis: Any, keepdims: Any, mask: Any, centre: Any, square: Callable[[Any], Any]
) -> Any:
    """Sum of the squared distances of the elements that the mask selects from their mean."""
    if centre is _NO:
        number = np.add.reduce(mask, axis=axis, keepdims=True, dtype=np.intp)
        total = statistical.sum(_chosen(x, mask, 0), axis=axis, keepdims=True)
        centre = _over(total, np.maximum(number, 1))
    off = arithmetic.subtract(_chosen(x, mask, 0), centre)
    squared = _chosen(_squared_modulus(off, square), mask, 0)
    return statistical.sum(squared, axis=axis, keepdims=_kept(keepdims))


def _over_freedom(squares: Any, free: Any) -> Any:
    """The sum of squares over the degrees of freedom; NaN where there are none."""
    factor = np.where(free > 0, 1.0, np.nan) / np.where(free > 0, free, 1)
    with np.errstate(all="ignore"):
        return arithmetic.multiply(squares, operand(np.asarray(factor, squares._array.dtype)))


def _root(variance: Any) -> Any:
    """Square root with the minimum-norm subgradient 0 at 0."""
    zero = variance._array == 0
    if not zero.any():
        return exponential.sqrt(variance)
    safe = searching.where(zero, 1, variance)
    return searching.where(zero, 0, exponential.sqrt(safe))


def _squared_modulus(x: Any, square: Callable[[Any], Any]) -> Any:
    if x._array.dtype.kind == "c":
        return square(parts.real(x)) + square(parts.imag(x))
    return square(x)


@answers(np.std)
def std(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
    keepdims: Any = _NO, *, where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """np.std; the gradient at constant data is 0."""
    by = ddof if correction is _NO else correction
    x = _inexact(operand(a, "std"), dtype)
    keep = _kept(keepdims)
    if (where is _NO or where is True) and mean is _NO:
        return _stored(out, statistical.std(x, axis=axis, correction=by, keepdims=keep), "std")
    variance = var(x, axis, None, None, by, keepdims, where=where, mean=mean)
    return _stored(out, _root(variance), "std")


@answers(np.all)
def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """np.all."""
    x = _chosen(operand(a, "all"), where, True)
    return _stored(out, utility.all(x, axis=axis, keepdims=_kept(keepdims)), "all")


@answers(np.any)
def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
    """np.any."""
    x = _chosen(operand(a, "any"), where, False)
    return _stored(out, utility.any(x, axis=axis, keepdims=_kept(keepdims)), "any")


@answers(np.argmax)
def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """np.argmax."""
    found = searching.argmax(operand(a, "argmax"), axis=axis, keepdims=_given(keepdims, False))
    return _stored(out, found, "argmax")


@answers(np.argmin)
def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = _NO) -> Any:
    """np.argmin."""
    found = searching.argmin(operand(a, "argmin"), axis=axis, keepdims=_given(keepdims, False))
    return _stored(out, found, "argmin")


@answers(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """np.count_nonzero."""
    return searching.count_nonzero(operand(a, "count_nonzero"), axis=axis, keepdims=keepdims)


def _flat_if_none(a: Any, axis: int | None, name: str) -> tuple[Any, int]:
    x = operand(a, name)
    return (manipulation.reshape(x, (-1,)), 0) if axis is None else (x, axis)


@answers(np.cumsum)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """np.cumsum."""
    x, axis = _flat_if_none(a, axis, "cumsum")
    return _stored(out, statistical.cumulative_sum(x, axis=axis, dtype=dtype), "cumsum")


@answers(np.cumprod)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
    """np.cumprod."""
    x, axis = _flat_if_none(a, axis, "cumprod")
    return _stored(out, statistical.cumulative_prod(x, axis=axis, dtype=dtype), "cumprod")


@answers(np.cumulative_sum)
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None,
    include_initial: bool = False,
) -> Any:  # fmt: skip
    """np.cumulative_sum."""
    total = statistical.cumulative_sum(
        operand(x), axis=axis, dtype=dtype, include_initial=include_initial
    )
    return _stored(out, total, "cumulative_sum")


@answers(np.cumulative_prod)
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None,
    include_initial: bool = False,
) -> Any:  # fmt: skip
    """np.cumulative_prod."""
    total = statistical.cumulative_prod(
        operand(x), axis=axis, dtype=dtype, include_initial=include_initial
    )
    return _stored(out, total, "cumulative_prod")


@answers(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = _NO
) -> Any:
    """np.average, differentiable in values and weights."""
    x = operand(a, "average")
    if axis is not None:
        axis = np.lib.array_utils.normalize_axis_tuple(axis, x._array.ndim, "axis")
    keep = _kept(keepdims)
    if weights is None:
        x = _inexact(x, None)
        result = statistical.mean(x, axis=axis, keepdims=keep)
        count = x._array.size / _at_least_one(result)
        scale = operand(np.full(result._array.shape, count, result._array.dtype))
    else:
        x, w = _weighable(x, operand(weights, "average", 3), axis)
        scale = statistical.sum(w, axis=axis, keepdims=keep)
        if (scale._array == 0).any():
            raise ZeroWeightsError("np.average: the weights sum to zero: there is no average")
        result = statistical.sum(x * w, axis=axis, keepdims=keep) / scale
    if not returned:
        return result
    return result, manipulation.copied(manipulation.broadcast_to(scale, result._array.shape))


def _at_least_one(x: Any) -> int:
    return int(x._array.size) or 1


def _weighable(x: Any, w: Any, axis: tuple[int, ...] | None) -> tuple[Any, Any]:
    """Values and weights in one shape, and in the dtype in which NumPy sums both of them."""
    types = [x._array.dtype, w._array.dtype]
    if types[0].kind in "biu":
        types.append(np.dtype(np.float64))
    if w._array.shape != x._array.shape:
        if axis is None:
            raise ArgumentTypeError(
                f"np.average: weights of shape {w._array.shape} for values of shape "
                f"{x._array.shape}; give the axis that they are for, axis=0"
            )
        w = _aligned(w, x, axis)
    dtype = reduce(promote, types)
    return cast(x, dtype), cast(w, dtype)


def _aligned(w: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Weights along `axes`, shaped to broadcast against x."""
    if tuple(x._array.shape[i] for i in axes) != w._array.shape:
        raise ArgumentError(
            f"np.average: weights of shape {w._array.shape} fit neither the values' shape "
            f"{x._array.shape} nor its axes {axes}"
        )
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    w = manipulation.permute_dims(w, tuple(order))
    sizes = iter(w._array.shape)
    shape = tuple(next(sizes) if i in axes else 1 for i in range(x._array.ndim))
    return manipulation.broadcast_to(manipulation.reshape(w, shape), x._array.shape)
