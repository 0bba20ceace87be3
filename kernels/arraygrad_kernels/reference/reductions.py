"""Reductions and scans over axes, with the standard's results for empty, NaN and infinite input.

``k(x, *, axis: tuple[int, ...], keepdims, dtype=None)``: axes are normalised and sorted by the
caller; ``dtype`` is the result's. float16 and extension floats accumulate in float32 and are cast
back; everything else accumulates in the result dtype, pairwise as NumPy does.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["KERNELS"]

_BY_PRODUCTS = np.lib.NumpyVersion(np.__version__) < "2.4.0"


def _accumulator(dtype: np.dtype) -> np.dtype:
    """Return the dtype to accumulate a result of ``dtype`` in."""
    return np.dtype(np.float32) if dtype.char == "e" or dtype.kind == "V" else dtype


def _comparable(x: np.ndarray) -> np.ndarray:
    """Return ``x``, as float32 if it holds extension floats: their loops warn of a mere NaN."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def _floating(x: np.ndarray, dtype: Any) -> np.dtype:
    """Return the dtype of a mean-like result: ``dtype``, else that of ``x``, else float64."""
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype(np.float64) if x.dtype.kind in "biu" else x.dtype


def _count(x: np.ndarray, axis: tuple[int, ...]) -> int:
    return math.prod(x.shape[i] for i in axis)


def _narrowed(result: Any, dtype: np.dtype, name: str) -> Any:
    """Return a sum in the narrow dtype; what overflows then does so "in reduce", as in NumPy."""
    found: set[str] = set()
    with np.errstate(all="call", call=lambda kind, _: found.add(kind)):
        narrow = result.astype(dtype)
    if found:
        from arraygrad_kernels import threads

        threads.report(name, found)
    return narrow


def _divide_by_real(x: Any, divisor: float) -> Any:
    """Return ``x / divisor``, dividing complex components one by one.

    Complex division would make ``inf * 0 = nan`` of the other component. Scalars are divided as
    such, as NumPy does, whose warnings then say "scalar divide".
    """
    if x.dtype.kind != "c":
        return x / x.dtype.type(divisor)
    x = np.asarray(x)
    result = np.empty_like(x)
    real_divisor = x.real.dtype.type(divisor)
    result.real = np.true_divide(x.real, real_divisor)
    result.imag = np.true_divide(x.imag, real_divisor)
    return result


def _sum_dtype(x: np.ndarray, dtype: Any) -> np.dtype:
    """Return the dtype of a sum: ``dtype``, else 64-bit for integers and bool, else ``x``'s."""
    if dtype is not None:
        return np.dtype(dtype)
    if x.dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if x.dtype.kind == "u" else x.dtype


def sum(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the sum; 0 for no elements."""
    dtype = _sum_dtype(x, dtype)
    wide = _accumulator(dtype)
    result = np.add.reduce(x, axis=axis, dtype=wide, keepdims=keepdims)
    return result if wide is dtype else _narrowed(result, dtype, "reduce")


def prod(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the product; 1 for no elements."""
    dtype = _sum_dtype(x, dtype)
    wide = _accumulator(dtype)
    result = np.multiply.reduce(x, axis=axis, dtype=wide, keepdims=keepdims)
    return result if wide is dtype else _narrowed(result, dtype, "reduce")


def max(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the maximum; NaN if any element is NaN; ValueError for no elements."""
    result = np.maximum.reduce(_comparable(x), axis=axis, keepdims=keepdims)
    return result.astype(x.dtype) if x.dtype.kind == "V" else result


def min(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the minimum; NaN if any element is NaN; ValueError for no elements."""
    result = np.minimum.reduce(_comparable(x), axis=axis, keepdims=keepdims)
    return result.astype(x.dtype) if x.dtype.kind == "V" else result


def any(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return whether any element is nonzero; NaN counts as true."""
    return np.logical_or.reduce(x, axis=axis, keepdims=keepdims)


def all(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return whether all elements are nonzero; NaN counts as true."""
    return np.logical_and.reduce(x, axis=axis, keepdims=keepdims)


def count_nonzero(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return how many elements are nonzero, as ``dtype`` (default: the index dtype)."""
    dtype = np.dtype(np.intp if dtype is None else dtype)
    if len(axis) == x.ndim:
        shape = (1,) * x.ndim if keepdims else ()
        return np.full(shape, np.count_nonzero(x), dtype)
    return np.add.reduce(x != 0, axis=axis, dtype=dtype, keepdims=keepdims)


def mean(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the arithmetic mean; NaN (and an "invalid" flag) for no elements."""
    dtype = _floating(x, dtype)
    total = np.add.reduce(x, axis=axis, dtype=_accumulator(dtype), keepdims=keepdims)
    return _divide_by_real(total, _count(x, axis)).astype(dtype, copy=False)


def short_mean(total: Callable[..., Any]) -> Callable[..., Any]:
    """Return the short form of a mean over that of the sum."""

    def short(x: np.ndarray, axis: int = 0, **options: Any) -> Any:
        return total(x, axis=axis, **options) / x.shape[axis]

    return short


def var(
    x: np.ndarray,
    *,
    axis: tuple[int, ...],
    keepdims: bool = False,
    correction: float = 0.0,
    dtype: Any = None,
) -> np.ndarray:
    """Return the variance with divisor ``n - correction``; NaN if that is not positive.

    Two passes: the mean, then the mean of squared distances, which does not cancel. Real for
    complex input.
    """
    dtype = _floating(x, dtype)
    real_dtype = np.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype
    result = _variance(x, axis, keepdims, correction, _accumulator(dtype))
    return result.astype(real_dtype, copy=False)


def std(
    x: np.ndarray,
    *,
    axis: tuple[int, ...],
    keepdims: bool = False,
    correction: float = 0.0,
    dtype: Any = None,
) -> np.ndarray:
    """Return the square root of ``var``."""
    dtype = _floating(x, dtype)
    real_dtype = np.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype
    result = np.sqrt(_variance(x, axis, keepdims, correction, _accumulator(dtype)))
    return result.astype(real_dtype, copy=False)


def _squared(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The squares, by the function that NumPy's own variance calls: warnings name it."""
    # NumPy 2.1 to 2.3 multiply.
    return np.multiply(x, x, out=out) if _BY_PRODUCTS else np.square(x, out=out)


def _variance(
    x: np.ndarray, axis: tuple[int, ...], keepdims: bool, correction: float, wide: np.dtype
) -> np.ndarray:
    count = _count(x, axis)
    x = x.astype(wide, copy=False)
    divisor = builtins.max(count - correction, 0)
    total = np.add.reduce(x, axis=axis, keepdims=True)
    distance = np.subtract(x, _divide_by_real(total, count))
    if distance.dtype.kind == "c":
        squares = _squared(distance.real) + _squared(distance.imag)
    else:
        squares = _squared(distance, out=distance if distance.ndim else None)
    result = _divide_by_real(np.add.reduce(squares, axis=axis, keepdims=keepdims), divisor)
    # The standard says NaN, not infinity, where there are too few elements.
    return result if divisor else np.full_like(result, np.nan)


def logsumexp(
    x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return ``log(sum(exp(x)))`` without overflow; -inf for no elements."""
    dtype = _floating(x, dtype)
    x = x.astype(_accumulator(dtype), copy=False)
    # Shifting by an infinite or NaN maximum would turn exp(inf) into exp(inf - inf) = nan.
    largest = np.maximum.reduce(x.real, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(largest), largest, largest.dtype.type(0))
    with np.errstate(all="ignore"):
        total = np.add.reduce(np.exp(x - shift), axis=axis, keepdims=keepdims)
        result = np.log(total) + shift.reshape(np.shape(total))
    return np.asarray(result).astype(dtype, copy=False)


def argmax(
    x: np.ndarray, *, axis: int | None = None, keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the index of the first maximum; the first NaN if there is one."""
    return np.argmax(_comparable(x), axis=axis, keepdims=keepdims)


def argmin(
    x: np.ndarray, *, axis: int | None = None, keepdims: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return the index of the first minimum; the first NaN if there is one."""
    return np.argmin(_comparable(x), axis=axis, keepdims=keepdims)


def cumulative_sum(
    x: np.ndarray, *, axis: int, include_initial: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return running sums along ``axis``, with a leading 0 if ``include_initial``."""
    return _scan(np.add, x, axis, include_initial, dtype, 0)


def cumulative_prod(
    x: np.ndarray, *, axis: int, include_initial: bool = False, dtype: Any = None
) -> np.ndarray:
    """Return running products along ``axis``, with a leading 1 if ``include_initial``."""
    return _scan(np.multiply, x, axis, include_initial, dtype, 1)


def _scan(
    ufunc: np.ufunc, x: np.ndarray, axis: int, include_initial: bool, dtype: Any, initial: int
) -> np.ndarray:
    dtype = _sum_dtype(x, dtype)
    wide = _accumulator(dtype)
    if not include_initial:
        result = ufunc.accumulate(x, axis=axis, dtype=wide)
        return result if wide is dtype else _narrowed(result, dtype, "accumulate")
    shape = list(x.shape)
    shape[axis] += 1
    result = np.empty(shape, wide)
    before: list[Any] = [slice(None)] * x.ndim
    before[axis] = slice(0, 1)
    result[tuple(before)] = initial
    before[axis] = slice(1, None)
    ufunc.accumulate(x, axis=axis, dtype=wide, out=result[tuple(before)])
    return result if wide is dtype else _narrowed(result, dtype, "accumulate")


def softmax(x: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
    """Return the weights exp(x) / sum(exp(x)), without overflow.

    Infinities share the weight evenly; where all elements are -inf every weight is 0.
    """
    dtype = x.dtype
    wide = x.astype(np.float32) if dtype.char == "e" or dtype.kind == "V" else x
    largest = np.max(wide.real, axis=axis, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        distance = wide - largest
    if np.isinf(largest).any():
        infinite = np.isinf(largest) & (wide.real == largest)
        distance = np.where(infinite, 0, distance)
        distance = np.where(np.isneginf(largest), -np.inf, distance)
    with np.errstate(invalid="ignore", under="ignore"):
        weights = np.exp(distance)
        total = np.sum(weights, axis=axis, keepdims=True)
        total = np.where(total == 0, 1, total)
        return (weights / total).astype(dtype, copy=False)


KERNELS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "argmax": argmax,
    "argmin": argmin,
    "count_nonzero": count_nonzero,
    "cumulative_prod": cumulative_prod,
    "cumulative_sum": cumulative_sum,
    "logsumexp": logsumexp,
    "softmax": softmax,
    "max": max,
    "mean": mean,
    "min": min,
    "prod": prod,
    "std": std,
    "sum": sum,
    "var": var,
}

# Forms for few elements of dtypes that are computed in themselves, without any choice: a function
# that finds where the extreme is, or None (to read it there costs a third of reducing), and
# f(x, axis=k, keepdims=True), whose axis is needed for several dimensions only.
SHORT: dict[str, tuple[Callable[..., Any] | None, Callable[..., Any]]] = {
    "all": (None, np.logical_and.reduce),
    "any": (None, np.logical_or.reduce),
    "argmax": (None, np.ndarray.argmax),
    "argmin": (None, np.ndarray.argmin),
    "max": (np.ndarray.argmax, np.maximum.reduce),
    "mean": (None, short_mean(np.add.reduce)),
    "min": (np.ndarray.argmin, np.minimum.reduce),
    "prod": (None, np.multiply.reduce),
    "sum": (None, np.add.reduce),
}
for _name, _forms in SHORT.items():
    KERNELS[_name].short = _forms  # type: ignore[attr-defined]
