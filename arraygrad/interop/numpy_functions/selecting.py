"""NumPy's functions that choose among elements: select ... apply_over_axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ArgumentError, ArgumentTypeError, DTypeError, IndexOutOfRangeError
from ...ops import indexing, manipulation, parts, searching
from ..plain import plain, tensors
from ..ufuncs import store
from .rebinding import rebound
from .reducing import _stored

_NUMBERS = (int, float, complex)


@answers(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """np.select; choices that are not taken have gradient 0, never NaN."""
    if len(condlist) != len(choicelist):
        raise ArgumentError(
            f"np.select: {len(condlist)} conditions, but {len(choicelist)} choices; give one each"
        )
    if not len(condlist):
        raise ArgumentError("np.select: an empty list of conditions; give at least one")
    choices = [c if type(c) in _NUMBERS else operand(c, "select") for c in (*choicelist, default)]
    conditions = [np.asarray(plain(c)) for c in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise DTypeError(f"np.select: condition {i} has dtype {condition.dtype}, not bool")
    dtype = np.result_type(*(plain(c) for c in choices))
    shape = np.broadcast_shapes(
        *(c.shape for c in conditions), *(np.shape(plain(c)) for c in choices)
    )
    out = manipulation.broadcast_to(operand(choices.pop()).astype(dtype), shape)
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        out = searching.where(operand(condition), choice, out)
    return out.astype(dtype, copy=False)


@answers(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """np.choose."""
    index = operand(a, "choose")._array
    if index.dtype.kind not in "biu":
        raise ArgumentTypeError(
            f"np.choose: indices of dtype {index.dtype}; they must be integers, a.astype(int)"
        )
    if not isinstance(choices, Iterable):
        raise ArgumentTypeError(
            f"np.choose: choices={choices!r} must be a sequence of tensors to choose from"
        )
    options = [operand(c, "choose") for c in choices]
    n = len(options)
    if mode == "raise":
        if index.size and (index.min() < 0 or index.max() >= n):
            raise IndexOutOfRangeError(f"np.choose: an index is outside of {n} choices")
    elif mode == "wrap":
        index = index % n
    elif mode == "clip":
        index = np.clip(index, 0, n - 1)
    else:
        raise ArgumentError(f"mode={mode!r}; use 'raise', 'wrap' or 'clip'")
    shape = np.broadcast_shapes(index.shape, *(o._array.shape for o in options))
    result = manipulation.broadcast_to(options[0], shape)
    for k, option in enumerate(options[1:], 1):
        result = searching.where(index == k, option, result)
    if n == 1:
        result = result.copy()
    return _stored(out, result, "choose")


@answers(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """np.compress."""
    return operand(a, "compress").compress(condition, axis, out)


@answers(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """np.extract."""
    chosen = np.flatnonzero(np.asarray(plain(condition)))
    return indexing.take(operand(arr, "extract", 2).ravel(), operand(chosen), axis=0)


@answers(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """np.take_along_axis."""
    x = operand(arr, "take_along_axis")
    if axis is None:
        x, axis = x.ravel(), 0
    return indexing.take_along_axis(x, operand(indices, "take_along_axis", 2), axis=axis)


piecewise = rebound(np.piecewise, calls_back=True)
apply_along_axis = rebound(np.apply_along_axis, calls_back=True)
apply_over_axes = rebound(np.apply_over_axes, calls_back=True)


@answers(np.nan_to_num)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """np.nan_to_num; a replaced element has gradient 0."""
    t = operand(x, "nan_to_num")
    dtype = t._array.dtype
    if dtype.kind not in "fc":
        return t.copy() if copy else t
    largest = np.finfo(dtype).max
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf

    def cleaned(v: Any) -> Any:
        array = v._array
        for mask, value in (
            (np.isnan(array), nan), (array == np.inf, high), (array == -np.inf, low)
        ):  # fmt: skip
            if mask.any():
                v = searching.where(mask, value, v)
        return v

    if dtype.kind == "c":
        result = parts.complex_from_parts(cleaned(parts.real(t)), cleaned(parts.imag(t)))
    else:
        result = cleaned(t)
    result = result.astype(dtype, copy=False)
    if not copy:
        return store(t, result, True, "unsafe", "nan_to_num")
    return result.copy() if result is t else result


@answers(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    """np.real_if_close: the real part if all imaginary parts are within `tol` roundings of 0."""
    x = operand(a, "real_if_close")
    if x._array.dtype.kind == "c" and np.isrealobj(np.real_if_close(x._array, tol)):
        return x.real
    return x


@answers(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """np.isclose: truth values."""
    return tensors(np.isclose(plain(a), plain(b), plain(rtol), plain(atol), equal_nan))
