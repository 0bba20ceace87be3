"""Floating-point errors of operations that inputs and outputs alone do not tell.

NumPy's loops report what the processor meets on the way to a result: an exponential that vanishes
beside the other operand, a quotient whose floor is zero. These rules say for one element what
NumPy's loop reports. `look` asks for a second look at an element whose result is not remarkable by
itself; `rule` gets the operands, the result and the four errors that `Raises` found, and returns
the four that count. Both are scalar functions, compiled by `translate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.vecmath.bits import fma_f64

__all__ = ["FLOOR_DIVIDE", "LOGADDEXP", "LOGADDEXP2", "NEXTAFTER", "POW", "RATIO_RULE"]

_INFINITY = math.inf
_TINY = {"f": np.finfo(np.float32).smallest_normal, "d": np.finfo(np.float64).smallest_normal}
_SCALE = 2.0**108

Rules = dict[str, tuple[Callable[..., Any] | None, Callable[..., Any]]]
"""Per type character: what asks for a second look (None: the result itself does), and the rule."""


def _vanishing(limit: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Errors of ``x1 + log1p(exp(-|x1 - x2|))``; exp is subnormal from `limit` on."""

    def look(x1, x2, out):  # type: ignore[no-untyped-def]
        return not (abs(x1 - x2) <= limit)

    def rule(x1, x2, out, invalid, divide, overflow, underflow):  # type: ignore[no-untyped-def]
        distance = abs(x1 - x2)
        infinite = distance == _INFINITY
        finite = (abs(x1) < _INFINITY) & (abs(x2) < _INFINITY)
        not_numbers = (x1 != x1) | (x2 != x2)
        return not_numbers, divide, infinite & finite, (distance > limit) & (not infinite)

    return look, rule


LOGADDEXP: Rules = {
    "f": _vanishing(np.float32(87.33654)),
    "d": _vanishing(708.3964185322641),
}
LOGADDEXP2: Rules = {"f": _vanishing(np.float32(126.0)), "d": _vanishing(1022.0)}


def _stepping(tiny: Any) -> Callable[..., Any]:
    """Errors of `nextafter`: a step past the largest number, or to a subnormal one or zero."""

    def rule(x1, x2, out, invalid, divide, overflow, underflow):  # type: ignore[no-untyped-def]
        past = (abs(x1) < _INFINITY) & (abs(out) == _INFINITY)
        return invalid, divide, past, (x1 != x2) & (abs(out) < tiny)

    return rule


NEXTAFTER: Rules = {code: (None, _stepping(tiny)) for code, tiny in _TINY.items()}


def _floored(tiny: Any, inexact: Callable[..., Any]) -> tuple[Callable[..., Any], Any]:
    """Errors of `floor_divide`: NumPy divides where the floor is 0, for its sign."""

    def look(x1, x2, out):  # type: ignore[no-untyped-def]
        return (x1 != 0.0) & (abs(x1) <= abs(x2) * tiny)

    def rule(x1, x2, out, invalid, divide, overflow, underflow):  # type: ignore[no-untyped-def]
        quotient = x1 / x2
        small = (out == 0.0) & (x1 != 0.0) & (abs(x2) < _INFINITY) & (abs(quotient) < tiny)
        return invalid, divide, overflow, small & inexact(quotient, x1, x2)

    return look, rule


def _inexact_f32(quotient, x1, x2):  # type: ignore[no-untyped-def]
    return np.float64(quotient) * np.float64(x2) != np.float64(x1)


def _inexact_f64(quotient, x1, x2):  # type: ignore[no-untyped-def]
    # Scaled: the rest may be smaller than the smallest number.
    return fma_f64(quotient * _SCALE, x2, -(x1 * _SCALE)) != 0.0


FLOOR_DIVIDE: Rules = {
    "f": _floored(_TINY["f"], _inexact_f32),
    "d": _floored(_TINY["d"], _inexact_f64),
}


def _power(x1, x2, out, invalid, divide, overflow, underflow):  # type: ignore[no-untyped-def]
    """The first power is exact, of subnormal numbers too; C's pow of float64 says otherwise."""
    return invalid, divide, overflow, underflow & (x2 != 1.0)


POW: Rules = {"f": (None, _power)}


def _ratio(x1, x2, out, invalid, divide, overflow, underflow):  # type: ignore[no-untyped-def]
    """Complex division by 0 divides each part by 0; NumPy compares the parts of the divisor."""
    pole = (x2.real == 0.0) & (x2.imag == 0.0)
    zero = (x1.real == 0.0) | (x1.imag == 0.0)
    real_part = (x1.real != 0.0) & (abs(x1.real) < _INFINITY)
    imag_part = (x1.imag != 0.0) & (abs(x1.imag) < _INFINITY)
    not_numbers = (x2.real != x2.real) | (x2.imag != x2.imag)
    undefined = zero if pole else (invalid | not_numbers)
    return undefined, pole & (real_part | imag_part), overflow, underflow


RATIO_RULE: Rules = dict.fromkeys("FD", (None, _ratio))
