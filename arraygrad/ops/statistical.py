"""Reductions: max, mean, min, prod, std, sum, var; running sums and products."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import BROADCAST_TO, apply, cast, operand, view, wrap
from .._cotangents import conj, times
from .._dispatch import register_kernel
from .._dtypes import DTypeLike, as_dtype, check_convertible, float64, int64, real_dtype, uint64
from .._errors import ArgumentError, ShapeError
from .._graph import is_grad_enabled
from .._layout import (
    ALL_AXES,
    Axis,
    Shape,
    as_flag,
    as_real,
    normalize_axes,
    normalize_axis,
    reduced_shape,
)
from .._op import Linear, Op, Rule, declare
from .._short import reduction
from .._storage import TensorBase
from .._warnings import EMPTY_MEAN, TOO_FEW, warn
from .arithmetic import divide, multiply, reciprocal, subtract
from .indexing import getitem
from .kinks import cotangents_at_kink, tangent_at_kink
from .manipulation import expand_dims, flip, permute_dims, reshape
from .products_of_others import cotangent_of_running_product, is_divisible, products_of_others
from .searching import where

if TYPE_CHECKING:
    from .._tensor import Tensor


# -- sums -----------------------------------------------------------------------------------------


def spread(g: Any, shape: Shape, axis: tuple[int, ...]) -> Any:
    """Transpose of summing over `axis`: each summand gets the sum's cotangent (a view)."""
    kept = reshape(g, reduced_shape(shape, axis, True))
    return view(BROADCAST_TO, kept, shape=shape)


SUM: Op = declare(
    Op("sum", ("x",), Linear(x=lambda g, x_shape, axis: spread(g, x_shape, axis)),
       dtypes="numeric")
)  # fmt: skip


def accumulation_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that sums and products of `dtype` have by default: at least 64-bit integers."""
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype


def _accumulated(x: Any, dtype: DTypeLike | None, function: str) -> tuple[Any, np.dtype[Any]]:
    """The operand, in the dtype of the result if it can carry a gradient, and that dtype."""
    own = x._array.dtype
    if dtype is None:
        if own.kind in "fc":
            return x, own
        target = accumulation_dtype(own)
    else:
        target = as_dtype(dtype)
        check_convertible(x._array, target, function)
    # Kernels convert integers as they read them.
    if own.kind in "fcV" or target.kind not in "iu":
        x = cast(x, target)
    return x, target


def sum(
    x: Tensor,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """The sum of the elements along axes; 0 for no elements.

    Parameters
    ----------
    x : Tensor, numeric
    axis : int or tuple of int, optional
        Axes to sum over; all by default.
    dtype : dtype, optional
        Of the result; integers are summed in 64 bits by default.
    keepdims : bool
        Keep the summed axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is summed.

    Notes
    -----
    Derivative: 1 for each summand.
    """
    if dtype is None and isinstance(x, TensorBase):
        out = reduction(SUM, x, axis, keepdims)
        if out is not None:
            return out  # type: ignore[no-any-return]
    x = operand(x, "sum")
    own = x._array.dtype
    if axis is None and dtype is None and own.kind in "fc":  # most sums, with nothing to decide
        keep = as_flag(keepdims, "keepdims", "sum")
        return apply(SUM, x, axis=ALL_AXES[x._array.ndim], keepdims=keep, dtype=own)  # type: ignore[no-any-return]
    axes = normalize_axes(axis, x._array.ndim)
    x, target = _accumulated(x, dtype, "sum")
    return apply(SUM, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", "sum"), dtype=target)  # type: ignore[no-any-return]


MEAN: Op = declare(
    Op("mean", ("x",),
       Linear(x=lambda g, x_shape, axis: spread(
           divide(g, float(_count(x_shape, axis) or math.nan)), x_shape, axis)),
       dtypes="floating")
)  # fmt: skip


def _count(shape: Shape, axis: tuple[int, ...]) -> int:
    return math.prod(shape[a] for a in axis)


def floating(x: Any, function: str) -> Any:
    """The operand as floating-point: integers and truth values become float64."""
    x = operand(x, function)
    return x if x._array.dtype.kind in "fcV" else cast(x, float64)


def mean(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The arithmetic mean of the elements along axes; NaN, with a warning, for no elements.

    Parameters
    ----------
    x : Tensor, numeric
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is reduced.

    Notes
    -----
    Derivative: 1 / n for each of n elements.
    """
    if isinstance(x, TensorBase) and x._array.dtype.kind == "f":
        out = reduction(MEAN, x, axis, keepdims)
        if out is not None:
            return out  # type: ignore[no-any-return]
    x = floating(x, "mean")
    axes = normalize_axes(axis, x._array.ndim, strict=True)
    if not x._array.size and not _count(x._array.shape, axes):
        warn(EMPTY_MEAN)
    keep = as_flag(keepdims, "keepdims", "mean")
    return apply(MEAN, x, axis=axes, keepdims=keep, dtype=x._array.dtype)  # type: ignore[no-any-return]


def _mean_kept(x: Any, axis: tuple[int, ...]) -> Any:
    """The mean, to be subtracted; quiet for no elements."""
    return apply(MEAN, x, axis=axis, keepdims=True, dtype=x._array.dtype)


# -- spread about the mean ------------------------------------------------------------------------


def _centred(x: Any, axis: tuple[int, ...]) -> Any:
    """The distances to the mean.

    The mean is subtracted twice: that of three numbers 0.1 is not 0.1, and the rounding error that
    the first subtraction leaves would be all there is where the data are constant.
    """
    distance = subtract(x, _mean_kept(x, axis))
    return subtract(distance, _mean_kept(distance, axis))


def _divisor(shape: Shape, axis: tuple[int, ...], correction: float) -> float:
    number = _count(shape, axis) - correction
    return number if number > 0 else 0.0


def _over(x: Any, number: float) -> Any:
    """X / number, where 0 gives NaN without a warning, as the kernels do."""
    return multiply(x, 1.0 / number if number else math.nan)


def _var_vjp(g: Any, x: Any, axis: tuple[int, ...], correction: float) -> Any:
    shape = x._array.shape
    scaled = spread(_over(g, _divisor(shape, axis, correction) / 2), shape, axis)
    return times(_centred(x, axis), scaled)


VAR: Op = declare(Op("var", ("x",), Rule(x=_var_vjp), dtypes="floating", computes=True))


def _std_cotangent(g: Any, x: Any, out: Any, axis: tuple[int, ...], correction: float) -> Any:
    shape = x._array.shape
    zero = out._array == 0
    safe = where(zero, 1, out) if np.any(zero) else out
    inverse = where(zero, 0, reciprocal(safe)) if np.any(zero) else reciprocal(safe)
    scaled = times(_over(g, _divisor(shape, axis, correction)), inverse)
    return times(_centred(x, axis), spread(scaled, shape, axis))


def _std_vjp(g: Any, x: Any, out: Any, axis: tuple[int, ...], correction: float) -> Any:
    shape = x._array.shape
    c = _std_cotangent(g, x, out, axis, correction)
    if not is_grad_enabled() or (out._array != 0).all():
        return c
    near = _over(_centred(x, axis), _divisor(shape, axis, correction))
    (c,) = cotangents_at_kink(
        [c], g, [x], out, "std", lambda t: _std_of(t, axis, correction, True), near=[near],
        spread=lambda t: spread(t, shape, axis),
    )  # fmt: skip
    return c


def _std_of(t: Any, axis: tuple[int, ...], correction: float, keepdims: bool) -> Any:
    return np.std(t, axis=axis, ddof=correction, keepdims=keepdims)


def _std_jvp(
    t: Any, x: Any, out: Any, axis: tuple[int, ...], correction: float, keepdims: bool
) -> Any:
    ones = wrap(np.ones_like(out._array))
    moved = times(t[0], conj(_std_cotangent(ones, x, out, axis, correction)))
    moved = sum(cast(moved, out._array.dtype), axis=axis, keepdims=keepdims)
    return tangent_at_kink(
        moved, out, "std", lambda: _std_of(t[0]._array, axis, correction, keepdims)
    )


STD: Op = declare(
    Op("std", ("x",), Rule(x=_std_vjp, jvp=_std_jvp), dtypes="floating", computes=True)
)


def var(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance of the elements along axes: mean squared distance to the mean.

    Parameters
    ----------
    x : Tensor, numeric
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.
    correction : int or float
        The divisor is n - correction: 0 for a population, 1 for a sample.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        Real; NaN, with a warning, where the divisor is not positive. A scalar when everything is
        reduced.

    Notes
    -----
    Derivative: 2 (x - mean) / (n - correction).
    """
    return _moment(VAR, x, axis, correction, keepdims)  # type: ignore[no-any-return]


def std(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The standard deviation of the elements along axes: the square root of the variance.

    Parameters
    ----------
    x : Tensor, numeric
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.
    correction : int or float
        The divisor is n - correction: 0 for a population, 1 for a sample.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        Real; NaN, with a warning, where the divisor is not positive. A scalar when everything is
        reduced.

    Notes
    -----
    Derivative: (x - mean) / ((n - correction) std); 0, the minimum-norm subgradient, where all
    elements are equal; for second derivatives there see `ops.kinks`.
    """
    return _moment(STD, x, axis, correction, keepdims)  # type: ignore[no-any-return]


def _moment(op: Op, x: Any, axis: Axis, correction: float, keepdims: bool) -> Any:
    x = floating(x, op.name)
    correction = as_real(correction, "correction", op.name)
    axes = normalize_axes(axis, x._array.ndim, strict=True)
    if (x._array.size if axis is None else _count(x._array.shape, axes)) <= correction:
        warn(TOO_FEW)
    return apply(
        op, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", op.name), correction=correction
    )


# -- extremes -------------------------------------------------------------------------------------


def _attained_array(x: Any, out: Any, *, axis: tuple[int, ...]) -> tuple[Any, Any]:
    """Which elements are the extreme `out` (the NaNs, if it is NaN), and how many they are."""
    kept = out.reshape(reduced_shape(x.shape, axis, True))
    attained = x == kept
    if kept.dtype.kind in "fcV":
        nan = kept != kept
        if nan.any():
            attained |= nan & (x != x)
    number = np.count_nonzero(attained, axis=axis, keepdims=True)
    return attained, number.astype(real_dtype(x.dtype)).reshape(out.shape)


register_kernel("attained", _attained_array)
ATTAINED: Op = declare(Op("attained", ("x", "out"), scalar=False))


def _extreme_vjp(g: Any, x: Any, out: Any, axis: tuple[int, ...]) -> Any:
    attained, number = apply(ATTAINED, x, out, axis=axis)
    return where(attained, spread(divide(g, number), x._array.shape, axis), 0)


def _extreme_jvp(tangents: Any, x: Any, out: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    attained, number = apply(ATTAINED, x, out, axis=axis)
    return divide(sum(where(attained, tangents[0], 0), axis=axis, keepdims=keepdims), number)


MAX: Op = declare(Op("max", ("x",), Rule(x=_extreme_vjp, jvp=_extreme_jvp)))
MIN: Op = declare(Op("min", ("x",), Rule(x=_extreme_vjp, jvp=_extreme_jvp)))


def max(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest of the elements along axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Complex numbers are ordered by their real, then their imaginary part.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is reduced.

    Raises
    ------
    ArgumentError
        There are no elements.

    Notes
    -----
    Derivative: 1 for the largest element; k equal ones get 1 / k each.
    """
    return _extreme(MAX, x, axis, keepdims)  # type: ignore[no-any-return]


def min(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The smallest of the elements along axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Complex numbers are ordered by their real, then their imaginary part.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is reduced.

    Raises
    ------
    ArgumentError
        There are no elements.

    Notes
    -----
    Derivative: 1 for the smallest element; k equal ones get 1 / k each.
    """
    return _extreme(MIN, x, axis, keepdims)  # type: ignore[no-any-return]


def _extreme(op: Op, x: Any, axis: Axis, keepdims: bool) -> Any:
    if isinstance(x, TensorBase):
        out = reduction(op, x, axis, keepdims)
        if out is not None:
            return out
    x = operand(x, op.name)
    shape = x._array.shape
    axes = normalize_axes(axis, len(shape))
    if not _count(shape, axes):
        raise ArgumentError(
            f"{op.name} of no elements: x has shape {shape}, axis={axis}; give it a value first, "
            "e.g. by ag.concat"
        )
    return apply(op, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", op.name))


# -- products -------------------------------------------------------------------------------------


def _last(x: Any, axis: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """X with the axes moved last and joined into one, and the order of dimensions that did it."""
    ndim = x._array.ndim
    order = tuple(a for a in range(ndim) if a not in axis) + axis
    moved = permute_dims(x, order)
    outer = moved._array.shape[: ndim - len(axis)]
    return reshape(moved, (*outer, _count(x._array.shape, axis))), order


def _prod_vjp(g: Any, x: Any, out: Any, axis: tuple[int, ...]) -> Any:
    shape = x._array.shape
    if not x._array.size:
        return spread(g, shape, axis)
    if is_divisible(x, out):
        return times(spread(g, shape, axis), conj(divide(spread(out, shape, axis), x)))
    joined, order = _last(x, axis)
    outer = joined._array.shape[:-1]
    cotangent = times(reshape(g, (*outer, 1)), conj(products_of_others(joined)))
    moved = reshape(cotangent, tuple(shape[a] for a in order))
    return permute_dims(moved, tuple(np.argsort(order).tolist()))


PROD: Op = declare(Op("prod", ("x",), Rule(x=_prod_vjp), dtypes="numeric"))


def prod(
    x: Tensor,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """The product of the elements along axes; 1 for no elements.

    Parameters
    ----------
    x : Tensor, numeric
    axis : int or tuple of int, optional
        Axes to multiply over; all by default.
    dtype : dtype, optional
        Of the result; integers are multiplied in 64 bits by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is reduced.

    Notes
    -----
    Derivative: the product of all other elements, exact where some are zero.
    """
    if dtype is None and isinstance(x, TensorBase):
        out = reduction(PROD, x, axis, keepdims)
        if out is not None:
            return out  # type: ignore[no-any-return]
    x = operand(x, "prod")
    axes = normalize_axes(axis, x._array.ndim)
    x, target = _accumulated(x, dtype, "prod")
    return apply(PROD, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", "prod"), dtype=target)  # type: ignore[no-any-return]


# -- running sums and products --------------------------------------------------------------------


def _without_initial(g: Any, axis: int, include_initial: bool) -> Any:
    """The part of the cotangent that belongs to elements, not to the leading constant."""
    return getitem(g, (slice(None),) * axis + (slice(1, None),)) if include_initial else g


def _cumulative_sum_vjp(g: Any, axis: int, include_initial: bool) -> Any:
    g = _without_initial(g, axis, include_initial)
    return flip(cumulative_sum(flip(g, axis=axis), axis=axis), axis=axis)


CUMULATIVE_SUM: Op = declare(
    Op("cumulative_sum", ("x",), Linear(x=_cumulative_sum_vjp), dtypes="numeric", scalar=False)
)


def _cumulative_prod_vjp(g: Any, x: Any, out: Any, axis: int, include_initial: bool) -> Any:
    g = _without_initial(g, axis, include_initial)
    out = _without_initial(out, axis, include_initial)
    return cotangent_of_running_product(g, x, out, axis)


CUMULATIVE_PROD: Op = declare(
    Op("cumulative_prod", ("x",), Rule(x=_cumulative_prod_vjp), dtypes="numeric", scalar=False)
)


def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """The sums of the first 1, 2, 3, ... elements along an axis.

    Parameters
    ----------
    x : Tensor, numeric
    axis : int, optional
        Needed if x has more than one dimension.
    dtype : dtype, optional
        Of the result; integers are summed in 64 bits by default.
    include_initial : bool
        Start with the sum of no elements, 0.

    Returns
    -------
    Tensor
        Of the shape of x, one longer along the axis with `include_initial`.

    Notes
    -----
    Derivative: the running sum of the cotangent from the end.
    """
    return _scan(CUMULATIVE_SUM, x, axis, dtype, include_initial)  # type: ignore[no-any-return]


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """The products of the first 1, 2, 3, ... elements along an axis.

    Parameters
    ----------
    x : Tensor, numeric
    axis : int, optional
        Needed if x has more than one dimension.
    dtype : dtype, optional
        Of the result; integers are multiplied in 64 bits by default.
    include_initial : bool
        Start with the product of no elements, 1.

    Returns
    -------
    Tensor
        Of the shape of x, one longer along the axis with `include_initial`.

    Notes
    -----
    Derivative: d out_j / d x_i is the product of the first j elements without x_i, exact where
    some are zero.
    """
    return _scan(CUMULATIVE_PROD, x, axis, dtype, include_initial)  # type: ignore[no-any-return]


def _scan(op: Op, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Any:
    x = operand(x, op.name)
    if not x._array.ndim:
        x = expand_dims(x, 0)
    if axis is None:
        if x._array.ndim > 1:
            raise ShapeError(
                f"{op.name}: x has {x._array.ndim} dimensions; say along which with axis=, or "
                "flatten it first with x.reshape(-1)"
            )
        axis = 0
    axis = normalize_axis(axis, x._array.ndim)
    x, target = _accumulated(x, dtype, op.name)
    return apply(op, x, axis=axis, include_initial=bool(include_initial), dtype=target)
