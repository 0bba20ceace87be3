"""Slopes of elementwise functions that are ops of their own.

A slope written as a formula has the right value, but the derivative of the formula may cancel:
sigmoid(2x) sigmoid(-2x), the slope of tanh but for a factor, changes by a difference of two nearly
equal numbers near 0, and no digit of the second derivative of tanh is right at 1e-16. As an op the
slope states its own derivative in a closed form that is accurate everywhere, and that form again
consists of slopes, so that all orders are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._cotangents import where
from .._dispatch import in_single_precision, register_kernel
from .._elementwise import binary, unary
from .._lazy import LazyModule
from .._op import Op, Partials, declare
from .arithmetic import (
    add,
    divide,
    hypot,
    multiply,
    negative,
    outside,
    share_of_hypot,
    square,
    subtract,
)

comparison = LazyModule("arraygrad.ops.comparison")
trigonometric = LazyModule("arraygrad.ops.trigonometric")  # imports this module


def _declare(name: str, formula: Callable[[Any], Any], slope: Callable[..., Any]) -> Op:
    """The op with these values and this derivative."""
    values = in_single_precision(formula)

    def kernel(x: Any, *, out: Any = None) -> Any:
        with np.errstate(all="ignore"):  # slopes at poles are infinite without being a mistake
            result = values(x)
        if out is None:
            return result
        np.copyto(out, result)
        return out

    register_kernel(name, kernel)
    return declare(
        Op(name, ("x",), Partials(x=slope), dtypes="floating only", family="elementwise")
    )


def _sech_squared_values(x: Any) -> Any:
    negative = np.where(x.real > 0, -x, x)
    e = np.exp(negative + negative)
    return 4 * e / ((1 + e) * (1 + e))


SECH_SQUARED = _declare(
    "sech_squared",
    _sech_squared_values,
    lambda x, out: multiply(multiply(out, -2), trigonometric.tanh(x)),
)


def sech_squared(x: Any) -> Any:
    """1 / cosh(x)**2, in which nothing overflows."""
    return unary(SECH_SQUARED, x)


def _asin_slope_values(x: Any) -> Any:
    if x.dtype.kind != "c":
        return 1 / (np.sqrt(1 - x) * np.sqrt(1 + x))
    # -(x - 1) and x - -1, not 1 - x and 1 + x: on the branch cuts the sign of a zero imaginary
    # part says which side is meant.
    return 1 / (np.sqrt(-(x - 1)) * np.sqrt(x - -1))


def _times_1j(x: Any) -> Any:
    """1j * x by its parts: the product of complex numbers loses the signs of zeros."""
    out = np.empty_like(x)
    out.real, out.imag = -x.imag, x.real
    return out


ASIN_SLOPE = _declare(
    "asin_slope",
    _asin_slope_values,
    lambda x, out: multiply(multiply(x, out), square(out)),
)


def asin_slope(x: Any) -> Any:
    """1 / sqrt(1 - x**2); the two factors keep the digits near the ends and the branch cuts."""
    return unary(ASIN_SLOPE, x)


def _atan_slope_values(x: Any) -> Any:
    if x.dtype.kind != "c":
        return 1 / (1 + x * x)
    # Near the poles at 1j and -1j the two factors keep digits that 1 + x**2 loses.
    turned = _times_1j(x)
    slope = 1 / (1 - turned) / (1 + turned)
    return np.where(np.isinf(x), x.dtype.type(0), slope)


ATAN_SLOPE = _declare(
    "atan_slope",
    _atan_slope_values,
    # In this order neither product underflows before the result does.
    lambda x, out: multiply(multiply(multiply(x, out), -2), out),
)


def atan_slope(x: Any) -> Any:
    """1 / (1 + x**2)."""
    return unary(ATAN_SLOPE, x)


ATANH_SLOPE = _declare(
    "atanh_slope",
    lambda x: 1 / (1 - x) / (1 + x),
    lambda x, out: multiply(multiply(multiply(x, out), 2), out),
)


def atanh_slope(x: Any) -> Any:
    """1 / (1 - x**2)."""
    return unary(ATANH_SLOPE, x)


ASINH_SLOPE = _declare(
    "asinh_slope",
    # x**2 overflows long before the slope underflows.
    lambda x: _asin_slope_values(_times_1j(x)) if x.dtype.kind == "c" else 1 / np.hypot(x, 1),
    lambda x, out: negative(multiply(multiply(x, out), square(out))),
)


def asinh_slope(x: Any) -> Any:
    """1 / sqrt(1 + x**2)."""
    return unary(ASINH_SLOPE, x)


ACOSH_SLOPE = _declare(
    "acosh_slope",
    lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x - -1)),  # for the branch cut, as in asin_slope
    lambda x, out: negative(multiply(multiply(x, out), square(out))),
)


def acosh_slope(x: Any) -> Any:
    """1 / (sqrt(x - 1) sqrt(x + 1))."""
    return unary(ACOSH_SLOPE, x)


def _angle_slope_kernel(x1: Any, x2: Any, *, out: Any = None) -> Any:
    with np.errstate(all="ignore"):
        size = np.hypot(x1, x2)
        below = np.where(size == 0, size.dtype.type(1), size)
        slope = np.divide(np.divide(x2, below, out=out), below, out=out)
        where_else = outside(size)
        if where_else is not None:
            slope = np.asarray(slope)
            x1, x2 = [np.broadcast_to(x, size.shape)[where_else] for x in (x1, x2)]
            slope[where_else] = _angle_slope_of_any(x1, x2)
    return slope


def _angle_slope_of_any(x1: Any, x2: Any) -> Any:
    """x2 / (x1**2 + x2**2) of numbers that are very large or small; 0 at infinity."""
    larger = np.maximum(np.abs(x1), np.abs(x2))
    scale = np.where(larger > 1e30, larger.dtype.type(0.25), larger.dtype.type(1))
    finite = share_of_hypot(x2, x1)._array * scale / np.hypot(x1 * scale, x2 * scale)
    return np.where(np.isinf(larger) & (x1 == x1) & (x2 == x2), larger.dtype.type(0), finite)


def _over_square(numerator: Any, x1: Any, x2: Any) -> Any:
    size = hypot(x1, x2)
    return where(comparison.equal(size, 0), 0, divide(divide(numerator, size), size))


def _angle_slope_x1(x1: Any, x2: Any) -> Any:
    product = multiply(share_of_hypot(x1, x2), share_of_hypot(x2, x1))
    return _over_square(multiply(-2, product), x1, x2)


def _angle_slope_x2(x1: Any, x2: Any) -> Any:
    first, second = share_of_hypot(x1, x2), share_of_hypot(x2, x1)
    product = multiply(subtract(first, second), add(first, second))
    return _over_square(product, x1, x2)


ANGLE_SLOPE = declare(
    Op("angle_slope", ("x1", "x2"), Partials(x1=_angle_slope_x1, x2=_angle_slope_x2),
       dtypes="real floating", family="elementwise")
)  # fmt: skip
register_kernel("angle_slope", _angle_slope_kernel)


def angle_slope(x1: Any, x2: Any) -> Any:
    """x2 / (x1**2 + x2**2), where the squares may underflow; 0 at the origin."""
    return binary(ANGLE_SLOPE, x1, x2)
