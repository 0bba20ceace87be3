"""Ufuncs of NumPy that the standard does not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import ANSWERS, answers
from ..._apply import cast, operand
from ..._errors import ArgumentTypeError
from ...ops import (
    arithmetic,
    comparison,
    exponential,
    manipulation,
    parts,
    products,
    rounding,
    searching,
)
from ..plain import plain, tensors
from .constant import KINDS, constant

# Integers, truth values, distances of floating-point numbers: derivatives are 0 or do not exist.
for _ufunc in (np.gcd, np.lcm, np.bitwise_count, np.spacing, np.isnat):
    constant(_ufunc)


@answers(np.fabs)
def fabs(x: Any, /) -> Any:
    """np.fabs: of real numbers."""
    t = operand(x, "fabs")
    if t._array.dtype.kind == "c":
        raise ArgumentTypeError("np.fabs does not take complex tensors; use np.abs")
    if t._array.dtype.kind in "biu":
        t = cast(t, np.fabs(np.empty(0, t._array.dtype)).dtype)
    return parts.abs(t)


@answers(np.float_power)
def float_power(x1: Any, x2: Any, /) -> Any:
    """np.float_power: at least in double precision."""
    complexes = any(np.iscomplexobj(plain(x)) for x in (x1, x2))
    dtype = np.complex128 if complexes else np.float64
    return exponential.pow(cast(operand(x1), dtype), cast(operand(x2), dtype))


@answers(np.ldexp)
def ldexp(x1: Any, x2: Any, /) -> Any:
    """np.ldexp: x1 * 2**x2 for integers x2."""
    t = operand(x1, "ldexp")
    n = np.asarray(plain(x2))
    dtype = np.ldexp(np.empty(0, t._array.dtype), n.reshape(-1)[:0]).dtype
    t = cast(t, dtype)
    half = n // 2  # in two steps, as one power may overflow where the product does not
    first = arithmetic.multiply(t, operand(np.ldexp(np.ones((), dtype), half)))
    return arithmetic.multiply(first, operand(np.ldexp(np.ones((), dtype), n - half)))


@answers(np.frexp)
def frexp(x: Any, /) -> tuple[Any, Any]:
    """np.frexp: the mantissa is differentiable, the exponent is an integer."""
    t = operand(x, "frexp")
    mantissa, exponent = np.frexp(t._array)
    scaled = ldexp(cast(t, mantissa.dtype), -exponent.astype(np.int64))
    return scaled, tensors(exponent)


@answers(np.modf)
def modf(x: Any, /) -> tuple[Any, Any]:
    """np.modf: the fractional part has derivative 1, the integral part 0."""
    t = operand(x, "modf")
    whole = np.modf(t._array)[1]
    t = cast(t, whole.dtype)
    part = arithmetic.subtract(t, operand(np.where(np.isinf(whole), 0, whole)))
    part = searching.where(np.isinf(whole), 0.0, part)
    return part, rounding.trunc(t)


@answers(np.divmod)
def divmod(x1: Any, x2: Any, /) -> tuple[Any, Any]:
    """np.divmod."""
    return arithmetic.floor_divide(x1, x2), arithmetic.remainder(x1, x2)


def _clip(x: Any, low: Any, high: Any, /) -> Any:
    return comparison.clip(x, low, high)


ANSWERS[np._core.umath.clip] = _clip  # type: ignore[attr-defined]
ANSWERS[np._core.umath._ones_like] = (  # type: ignore[attr-defined]
    lambda x: tensors(np.ones_like(plain(x)))
)


if hasattr(np, "matvec"):  # NumPy 2.2 and newer

    @answers(np.matvec)
    def matvec(x1: Any, x2: Any, /) -> Any:
        """np.matvec."""
        vector = manipulation.expand_dims(operand(x2, "matvec", 2), axis=-1)
        return manipulation.squeeze(products.matmul(operand(x1), vector), axis=-1)[()]

    @answers(np.vecmat)
    def vecmat(x1: Any, x2: Any, /) -> Any:
        """np.vecmat: conjugates its vector."""
        vector = manipulation.expand_dims(parts.conj(operand(x1, "vecmat")), axis=-2)
        return manipulation.squeeze(products.matmul(vector, operand(x2)), axis=-2)[()]


KINDS[np._core.umath._ones_like] = "constant"  # type: ignore[attr-defined]


@answers(np.conjugate)
def conjugate(x: Any, /) -> Any:
    """np.conjugate: truth values become int8, for which NumPy has a loop."""
    t = operand(x, "conjugate")
    return cast(t, np.int8) if t._array.dtype.kind == "b" else parts.conj(t)
