"""Operators of scalars, computed by NumPy's scalars, which warn in words of their own.

`_short.of_scalars` is the short road of floats of one dtype. Here are the others: whole quotients,
operands of two dtypes, and integers, which warn where they overflow. Powers and remainders of
floats of one dtype stay on the road of arrays, which costs half: their warnings lack "scalar".
"""

from __future__ import annotations

from math import inf
from operator import neg
from typing import Any

import numpy as np

from ._apply import cast, node_of, observe, record, scalar_class, wrap
from ._dtypes import is_supported
from ._graph import GRAD_MODE, OBSERVERS
from ._op import Op
from ._short import of_scalars
from ._storage import TensorBase
from .ops.arithmetic import FLOOR_DIVIDE, floor_divide, remainder

_new = object.__new__
ndarray = np.ndarray
generic = np.generic
from_scalar = np.array
_grad_mode = GRAD_MODE.get
_SCALAR: Any = scalar_class()
_FLOATS = frozenset((np.dtype(np.float64), np.dtype(np.float32)))
_INFINITIES = (inf, -inf)
_NUMBERS = (int, float, complex, generic)
# What NumPy's scalars refuse is for the general road to say, or to answer.
_REFUSALS = (TypeError, ValueError, OverflowError, ZeroDivisionError)


def operated(op: Op, function: Any, x: Any, other: Any, first: bool = False) -> Any:
    """An operator of a scalar and a scalar or number (`first`: before it); None: not for us."""
    array = x._array
    kind = type(other)
    if type(array) is not ndarray:
        return None
    if array.dtype.kind in "iu":
        whole = other if kind is int else None
        if kind is _SCALAR and other._array.dtype.kind in "iu":
            whole = other._array[()]
        if whole is not None:
            try:
                out = function(whole, array[()]) if first else function(array[()], whole)
            except _REFUSALS:
                return None
            return _of(op, out, (array,))
    if kind is _SCALAR:
        value = other._array
        if type(value) is not ndarray:
            return None
        value = value[()]
    elif isinstance(other, _NUMBERS):
        value = other
    else:
        return None
    numbers = (value, array[()]) if first else (array[()], value)
    if op is FLOOR_DIVIDE and _has_infinity(numbers):
        return None
    if array.dtype in _FLOATS and kind is not bool:
        if kind is float or kind is int or getattr(value, "dtype", None) is array.dtype:
            return of_scalars(op, function, x, other, first) if op is FLOOR_DIVIDE else None
    try:
        out = function(*numbers)
    except _REFUSALS:
        return None
    return _recorded(op, x, other, out, first)


def signed(function: Any, x: Any, out: Any) -> Any:
    """`out`, which is ``-x`` or ``abs(x)`` of a whole scalar; NumPy's says where it overflows."""
    number = x._array.item()
    if number < 0:
        overflows = out._array.item() < 0
    else:
        overflows = number > 0 and function is neg and x._array.dtype.kind == "u"
    if overflows:
        function(x._array[()])
    return out


def divided(x: Any, other: Any, first: bool = False) -> Any:
    """``divmod(x, other)`` (`first`: of them in turn)."""
    value: Any = other._array[()] if type(other) is _SCALAR else other
    a, b = (value, x._array[()]) if first else (x._array[()], value)
    told = False
    if isinstance(value, _NUMBERS) and not _has_infinity((a, b)):
        op = FLOOR_DIVIDE  # noqa: F841 - by this name lifted code asks what is computed
        try:
            divmod(a, b)  # for what NumPy says of it
            told = True
        except _REFUSALS:
            told = False
    left, right = (other, x) if first else (x, other)
    if not told:
        return floor_divide(left, right), remainder(left, right)
    with np.errstate(all="ignore"):
        return floor_divide(left, right), remainder(left, right)


def _has_infinity(numbers: tuple[Any, Any]) -> bool:
    """Whether a quotient is to be the standard's, which is another than NumPy's."""
    return numbers[0] in _INFINITIES or numbers[1] in _INFINITIES


def _recorded(op: Op, x: Any, other: Any, value: Any, first: bool) -> Any:
    """The scalar that NumPy's have computed, with its place in the graph."""
    operands = (other, x) if first else (x, other)
    result = _of(op, value, operands)
    out = result._array
    dtype = out.dtype
    if not is_supported(dtype):
        return None
    if dtype.kind in "fc" and op.kept_flags is not None and _grad_mode():
        nodes = node_of(x), node_of(other) if isinstance(other, TensorBase) else None
        if nodes[0] is not None or nodes[1] is not None:
            with np.errstate(all="ignore"):  # NumPy has told what there is to tell
                tensors = tuple([_in_dtype(t, dtype) for t in operands])
            result._node = record(op, tensors, tuple(map(node_of, tensors)), out, None)
            result._saved = True
    return result


def _of(op: Op, value: Any, operands: tuple[Any, ...]) -> Any:
    """The scalar of a value, without history."""
    result = _new(_SCALAR)
    result._array = from_scalar(value)
    result._family = None
    result._node = None
    if OBSERVERS:
        observe(op, result, tuple([np.asarray(getattr(t, "_array", t)) for t in operands]))
    return result


def _in_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    return cast(x, dtype) if isinstance(x, TensorBase) else wrap(from_scalar(x, dtype))
