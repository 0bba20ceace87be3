"""Partial derivatives of the differentiable elementwise operations, one function each.

``PARTIALS[op] = (names, function)``: `function` takes the values that `names` list, of ``x1``,
``x2``, ``x3`` and ``out``, in that order, and returns one partial per differentiable operand. At
ties the partial is split evenly, at kinks it is the subgradient of least norm. Constants go through
`like`, so that a choice between two of them has a dtype.

The cotangent of an operand is ``absorbing_multiply(g, conj(partial))``. That covers functions from
complex to real numbers too: the partial of ``abs`` at x is ``conj(x) / abs(x)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels import vecmath
from arraygrad_kernels.scalars import values
from arraygrad_kernels.vecmath import power
from arraygrad_kernels.vecmath.by_dtype import by_dtype

__all__ = ["PARTIALS"]

_LN2 = 0.6931471805599453
_LN10 = 2.302585092994046
_TWO_OVER_ROOT_PI = 1.1283791670955126


def _like_f32(x, value):
    return np.float32(value)


def _like_f64(x, value):
    return np.float64(value)


like = by_dtype(
    "like",
    "The constant `value` in the real precision of x.",
    {"fd": _like_f32, "dd": _like_f64, "Fd": _like_f32, "Dd": _like_f64},
)


def multiply(x1, x2):
    """(x2, x1)."""
    return x2, x1


def _divide_real(x2, out):
    # The reciprocal of a subnormal number is infinite, out / x2 need not be.
    return like(x2, 1.0) / x2, -(out / x2)


def divide_quick(x2, out):
    """(1/x2, -out/x2) with one division: x2 not subnormal."""
    inverse = like(x2, 1.0) / x2
    return inverse, -out * inverse


divide = by_dtype(
    "divide_partials",
    "(1/x2, -out/x2).",
    {"f": _divide_real, "d": _divide_real, "F": divide_quick, "D": divide_quick},
)


def square(x):
    """2x."""
    return (x + x,)


def reciprocal(out):
    """-out**2."""
    return (-out * out,)


def _sqrt_real(out):
    return (like(out, 0.5) / abs(out),)  # -0 is its own root, with the slope of 0


def _sqrt_complex(out):
    return (like(out, 0.5) / out,)


sqrt = by_dtype(
    "sqrt_partials",
    "1 / (2 out).",
    {"f": _sqrt_real, "d": _sqrt_real, "F": _sqrt_complex, "D": _sqrt_complex},
)


def cbrt(out):
    """1 / (3 out**2)."""
    return (like(out, 1.0) / (like(out, 3.0) * out * out),)


def _direction_f32(x1, x2):
    unit = values.sign(complex(np.float64(x1), np.float64(x2)))
    return np.float32(unit.real), np.float32(unit.imag)


def _direction_f64(x1, x2):
    unit = values.sign(complex(x1, x2))
    return unit.real, unit.imag


_direction = by_dtype(
    "direction",
    "(x1, x2) / hypot(x1, x2), whatever their size: zeros at the origin, NaN for two infinities.",
    {"f": _direction_f32, "d": _direction_f64},
)


def hypot(x1, x2, out):
    """(x1/out, x2/out), zeros at the origin."""
    return _direction(x1, x2)


def hypot_quick(x1, x2, out):
    """The same where `out` is an ordinary number or zero."""
    below = like(out, 1.0) if out == like(out, 0.0) else out
    return x1 / below, x2 / below


def exp(out):
    """Out."""
    return (out,)


def exp2(x):
    """log(2) 2**x, finite also where 2**x has just overflowed."""
    return (vecmath.exp2(x - like(x, 1.0)) * like(x, 2 * _LN2),)


def expm1(x):
    """e**x; `out` + 1 is 0 as soon as `out` rounds to -1."""
    return (vecmath.exp(x),)


def log(x):
    """1/x."""
    return (like(x, 1.0) / x,)


def log1p(x):
    """1 / (1 + x)."""
    return (like(x, 1.0) / (like(x, 1.0) + x),)


def log2(x):
    """1 / (x log(2))."""
    return (like(x, 1 / _LN2) / x,)


def log10(x):
    """1 / (x log(10))."""
    return (like(x, 1 / _LN10) / x,)


def logaddexp(x1, x2):
    """(sigmoid(x1 - x2), sigmoid(x2 - x1)); zeros where both are -inf, halves where inf."""
    zero = like(x1, 0.0)
    difference = zero if x1 == x2 else x1 - x2
    impossible = (x1 == like(x1, -np.inf)) & (x2 == like(x1, -np.inf))
    first = zero if impossible else vecmath.sigmoid(difference)
    second = zero if impossible else vecmath.sigmoid(-difference)
    return first, second


def logaddexp2(x1, x2):
    """The same with powers of two."""
    zero = like(x1, 0.0)
    difference = zero if x1 == x2 else (x1 - x2) * like(x1, _LN2)
    impossible = (x1 == like(x1, -np.inf)) & (x2 == like(x1, -np.inf))
    first = zero if impossible else vecmath.sigmoid(difference)
    second = zero if impossible else vecmath.sigmoid(-difference)
    return first, second


def _sigmoid_real(x):
    e = vecmath.exp(-abs(x))
    below = like(x, 1.0) + e
    return (e / (below * below),)


def _sigmoid_complex(x):
    return (vecmath.sigmoid(x) * vecmath.sigmoid(-x),)


sigmoid = by_dtype(
    "sigmoid_partials",
    "sigmoid(x) sigmoid(-x); 1 - sigmoid(x) is 0 as soon as sigmoid(x) rounds to 1.",
    {"f": _sigmoid_real, "d": _sigmoid_real, "F": _sigmoid_complex, "D": _sigmoid_complex},
)


def sin(x):
    """cos(x)."""
    return (vecmath.cos(x),)


def cos(x):
    """-sin(x)."""
    return (-vecmath.sin(x),)


def _asin_real(x):
    one = like(x, 1.0)
    return (one / vecmath.sqrt((one - x) * (one + x)),)


def _asin_complex(x):
    # Two roots: the product under one root may overflow, and lie on the other side of its cut.
    # -(x - 1) and not 1 - x: a zero imaginary part must change its sign.
    one = like(x, 1.0)
    return (one / (vecmath.sqrt(-(x - one)) * vecmath.sqrt(one + x)),)


asin = by_dtype(
    "asin_partials",
    "1 / sqrt(1 - x**2).",
    {"f": _asin_real, "d": _asin_real, "F": _asin_complex, "D": _asin_complex},
)


def acos(x):
    """-1 / sqrt(1 - x**2)."""
    return (-asin(x)[0],)


def _atan_real(x):
    return (like(x, 1.0) / (like(x, 1.0) + x * x),)


def _atan_complex(x):
    # Two factors: near the poles 1j and -1j the sum 1 + x**2 loses digits.
    one, zero = like(x, 1.0), like(x, 0.0)
    slope = one / complex(one + x.imag, -x.real) / complex(one - x.imag, x.real)
    infinite = (abs(x.real) == like(x, np.inf)) | (abs(x.imag) == like(x, np.inf))
    return (complex(zero if infinite else slope.real, zero if infinite else slope.imag),)


atan = by_dtype(
    "atan_partials",
    "1 / (1 + x**2).",
    {"f": _atan_real, "d": _atan_real, "F": _atan_complex, "D": _atan_complex},
)


def _turns(x1, x2):
    """(x2, -x1) / (x1**2 + x2**2), zeros at the origin and at infinity."""
    along, across = _direction(x1, x2)
    large = (abs(x1) > like(x1, 1e30)) | (abs(x2) > like(x1, 1e30))
    scale = like(x1, 0.25) if large else like(x1, 1.0)  # the size may overflow, a quarter cannot
    size = vecmath.hypot(x1 * scale, x2 * scale)
    below = like(x1, 1.0) if size == like(x1, 0.0) else size
    infinite = (size == like(x1, np.inf)) & (x1 == x1) & (x2 == x2)
    first = like(x1, 0.0) if infinite else across * scale / below
    second = like(x1, 0.0) if infinite else -along * scale / below
    return first, second


def atan2(x1, x2):
    """(x2, -x1) / (x1**2 + x2**2), zeros at the origin; squares cannot overflow."""
    return _turns(x1, x2)


def atan2_quick(x1, x2):
    """The same for ordinary numbers."""
    size = vecmath.hypot(x1, x2)
    below = like(x1, 1.0) if size == like(x1, 0.0) else size
    return (x2 / below) / below, (-x1 / below) / below


def sinh(x):
    """cosh(x)."""
    return (vecmath.cosh(x),)


def cosh(x):
    """sinh(x)."""
    return (vecmath.sinh(x),)


def _tanh_real(x):
    e = vecmath.exp(like(x, -2.0) * abs(x))
    below = like(x, 1.0) + e
    return (like(x, 4.0) * e / (below * below),)


def _tanh_complex(x):
    left = -x if x.real > like(x, 0.0) else x
    e = vecmath.exp(left + left)
    below = like(x, 1.0) + e
    return (like(x, 4.0) * e / (below * below),)


tanh = by_dtype(
    "tanh_partials",
    "1 / cosh(x)**2; 1 - tanh(x)**2 is 0 as soon as tanh(x) rounds to 1.",
    {"f": _tanh_real, "d": _tanh_real, "F": _tanh_complex, "D": _tanh_complex},
)


def _tan_real(x):
    cosine = vecmath.cos(x)
    return (like(x, 1.0) / (cosine * cosine),)


def _tan_complex(x):
    return _tanh_complex(complex(-x.imag, x.real))


tan = by_dtype(
    "tan_partials",
    "1 / cos(x)**2; 1 + tan(x)**2 has no digits left far from the real axis.",
    {"f": _tan_real, "d": _tan_real, "F": _tan_complex, "D": _tan_complex},
)


def _asinh_real(x):
    one = like(x, 1.0)
    large = abs(x) > like(x, 1e15)
    below = abs(x) if large else vecmath.sqrt(one + x * x)
    return (one / below,)


def _asinh_complex(x):
    one = like(x, 1.0)
    down, up = complex(one + x.imag, -x.real), complex(one - x.imag, x.real)
    return (one / (vecmath.sqrt(down) * vecmath.sqrt(up)),)


asinh = by_dtype(
    "asinh_partials",
    "1 / sqrt(1 + x**2).",
    {"f": _asinh_real, "d": _asinh_real, "F": _asinh_complex, "D": _asinh_complex},
)


def acosh(x):
    """1 / sqrt(x**2 - 1)."""
    one = like(x, 1.0)
    return (one / (vecmath.sqrt(x - one) * vecmath.sqrt(x + one)),)


def _atanh_real(x):
    one = like(x, 1.0)
    return (one / ((one - x) * (one + x)),)


def _atanh_complex(x):
    one = like(x, 1.0)
    return (one / (one - x) / (one + x),)


atanh = by_dtype(
    "atanh_partials",
    "1 / (1 - x**2).",
    {"f": _atanh_real, "d": _atanh_real, "F": _atanh_complex, "D": _atanh_complex},
)


def erf(x):
    """2 exp(-x**2) / sqrt(pi)."""
    return (like(x, _TWO_OVER_ROOT_PI) * vecmath.exp(-x * x),)


def erfc(x):
    """-2 exp(-x**2) / sqrt(pi)."""
    return (like(x, -_TWO_OVER_ROOT_PI) * vecmath.exp(-x * x),)


def _abs_real(x):
    return (values.sign(x),)


def _abs_complex(x):
    along, across = _direction(x.real, x.imag)
    return (complex(along, -across),)


def abs_quick(x):
    """conj(x) / abs(x) of ordinary complex numbers."""
    size = vecmath.hypot(x.real, x.imag)
    below = like(x, 1.0) if size == like(x, 0.0) else size
    return (complex(x.real / below, -x.imag / below),)


absolute = by_dtype(
    "abs_partials",
    "sign(x), conjugated; 0 at 0.",
    {"f": _abs_real, "d": _abs_real, "F": _abs_complex, "D": _abs_complex},
)


def maximum(x1, x2):
    """1 for the larger operand or the one that is NaN, halves at ties."""
    half = like(x1, 0.5)
    one = like(x1, 1.0)
    first = one if x1 > x2 else like(x1, 0.0)
    first = half if x1 == x2 else first
    nan = half if x2 != x2 else one
    first = nan if x1 != x1 else first
    return first, one - first


def minimum(x1, x2):
    """1 for the smaller operand or the one that is NaN, halves at ties."""
    half = like(x1, 0.5)
    one = like(x1, 1.0)
    first = one if x1 < x2 else like(x1, 0.0)
    first = half if x1 == x2 else first
    nan = half if x2 != x2 else one
    first = nan if x1 != x1 else first
    return first, one - first


def fmax(x1, x2):
    """1 for the larger operand, halves at ties; a NaN counts only beside another."""
    half = like(x1, 0.5)
    one = like(x1, 1.0)
    first = one if (x1 > x2) | (x2 != x2) else like(x1, 0.0)
    first = half if (x1 == x2) | ((x1 != x1) & (x2 != x2)) else first
    return first, one - first


def fmin(x1, x2):
    """1 for the smaller operand, halves at ties; a NaN counts only beside another."""
    half = like(x1, 0.5)
    one = like(x1, 1.0)
    first = one if (x1 < x2) | (x2 != x2) else like(x1, 0.0)
    first = half if (x1 == x2) | ((x1 != x1) & (x2 != x2)) else first
    return first, one - first


def clip(x1, x2, x3):
    """1 for x1 within its bounds (both included), else 1 for the bound that replaced it.

    A bound that is NaN replaces numbers.
    """
    one = like(x1, 1.0)
    below = (not x1 >= x2) & (x1 == x1)
    low = one if below else like(x1, 0.0)
    raised = x2 if below else x1
    high = one if (not x3 >= raised) & (raised == raised) else like(x1, 0.0)
    return (one - low) * (one - high), low * (one - high), high


def _pow_real(x1, x2, out):
    zero = like(x1, 0.0)
    first = values.absorbing_multiply(vecmath.pow(x1, x2 - like(x2, 1.0)), x2)
    second = zero if out == zero else out * vecmath.log(x1)
    return first, zero if (x1 == zero) & (x2 == zero) else second


def _pow_complex(x1, x2, out):
    zero = complex(like(x1, 0.0), like(x1, 0.0))
    first = values.absorbing_multiply(vecmath.pow(x1, x2 - like(x2, 1.0)), x2)
    second = values.absorbing_multiply(out, vecmath.log(x1))
    return first, zero if (x1 == zero) & (x2 == zero) else second


pow = by_dtype(
    "pow_partials",
    "(x2 x1**(x2 - 1), out log(x1)); the second is 0 where out is, as at 0**2, and at 0**0.",
    {"f": _pow_real, "d": _pow_real, "F": _pow_complex, "D": _pow_complex},
)


def copysign(x1, x2):
    """(+-1, 0): -1 where the sign changed."""
    same = values.signbit(x1) == values.signbit(x2)
    first = like(x1, 1.0) if same else like(x1, -1.0)
    first = first if x1 == x1 else x1
    return like(x1, 0.0) if x1 == like(x1, 0.0) else first, like(x1, 0.0)


def remainder(x1, x2):
    """(1, -floor(x1 / x2)): 1 for -1 / inf, where the standard's `floor_divide` is -0."""
    turned = (x1 != 0.0) & ((x1 < 0.0) != (x2 < 0.0))
    below = values.isfinite(x1) & values.isinf(x2) & turned
    units = like(x1, values.floor_divide(x1, x2))
    return like(x1, 1.0), like(x1, 1.0) if below else -units


def remainder_quick(x1, x2):
    """The same for ordinary numbers."""
    return like(x1, 1.0), -like(x1, power.floor_divide_quick(x1, x2))


def fmod(x1, x2, out):
    """(1, -trunc(x1 / x2)), not from x1 / x2: 1.0 / 0.1 rounds to 10, but 0.1 fits 9 times."""
    return like(x1, 1.0), values.round_half_even((out - x1) / x2)


def _angle_real(x):
    return (like(x, 0.0),)


def _angle_complex(x):
    first, second = _turns(x.imag, x.real)
    return (complex(second, -first),)


def angle_quick(x):
    """-1j conj(x) / abs(x)**2 of ordinary complex numbers."""
    first, second = atan2_quick(x.imag, x.real)
    return (complex(second, -first),)


angle = by_dtype(
    "angle_partials",
    "-1j conj(x) / abs(x)**2; 0 at 0 and for real numbers.",
    {"f": _angle_real, "d": _angle_real, "F": _angle_complex, "D": _angle_complex},
)


def _sinc_series(y):
    """(cos(y) - sin(y) / y) / y near 0, where that loses its digits; within 4e-19 up to 1."""
    squared = y * y
    total = squared * like(y, -1 / 6758061133824000) + like(y, 1 / 22230464256000)
    total = squared * total + like(y, -1 / 93405312000)
    total = squared * total + like(y, 1 / 518918400)
    total = squared * total + like(y, -1 / 3991680)
    total = squared * total + like(y, 1 / 45360)
    total = squared * total + like(y, -1 / 840)
    total = squared * total + like(y, 1 / 30)
    return y * (squared * total + like(y, -1 / 3))


def _sinc_real(x):
    pi = like(x, np.pi)
    y = x * pi
    # pi times a large x rounds: first its even part goes, exactly.
    two = like(x, 2.0)
    turned = pi * (x - two * values.round_half_even(x / two))
    closed = (vecmath.cos(turned) - vecmath.sin(turned) / y) / y
    return (pi * (_sinc_series(y) if abs(y) < like(x, 1.0) else closed),)


def _sinc_complex(x):
    pi = like(x, np.pi)
    y = x * pi
    small = vecmath.hypot(y.real, y.imag) < like(x, 1.0)
    closed = (vecmath.cos(y) - vecmath.sin(y) / y) / y
    return (pi * (_sinc_series(y) if small else closed),)


sinc = by_dtype(
    "sinc_partials",
    "(cos(pi x) - sinc(x)) / x.",
    {"f": _sinc_real, "d": _sinc_real, "F": _sinc_complex, "D": _sinc_complex},
)


PARTIALS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "abs": (("x1",), absolute),
    "absorbing_multiply": (("x1", "x2"), multiply),
    "acos": (("x1",), acos),
    "acosh": (("x1",), acosh),
    "angle": (("x1",), angle),
    "asin": (("x1",), asin),
    "asinh": (("x1",), asinh),
    "atan": (("x1",), atan),
    "atan2": (("x1", "x2"), atan2),
    "atanh": (("x1",), atanh),
    "cbrt": (("out",), cbrt),
    "clip": (("x1", "x2", "x3"), clip),
    "copysign": (("x1", "x2"), copysign),
    "cos": (("x1",), cos),
    "cosh": (("x1",), cosh),
    "divide": (("x2", "out"), divide),
    "erf": (("x1",), erf),
    "erfc": (("x1",), erfc),
    "exp": (("out",), exp),
    "exp2": (("x1",), exp2),
    "expm1": (("x1",), expm1),
    "fmax": (("x1", "x2"), fmax),
    "fmin": (("x1", "x2"), fmin),
    "fmod": (("x1", "x2", "out"), fmod),
    "hypot": (("x1", "x2", "out"), hypot),
    "log": (("x1",), log),
    "log10": (("x1",), log10),
    "log1p": (("x1",), log1p),
    "log2": (("x1",), log2),
    "logaddexp": (("x1", "x2"), logaddexp),
    "logaddexp2": (("x1", "x2"), logaddexp2),
    "maximum": (("x1", "x2"), maximum),
    "minimum": (("x1", "x2"), minimum),
    "multiply": (("x1", "x2"), multiply),
    "pow": (("x1", "x2", "out"), pow),
    "reciprocal": (("out",), reciprocal),
    "remainder": (("x1", "x2"), remainder),
    "sigmoid": (("x1",), sigmoid),
    "sin": (("x1",), sin),
    "sinc": (("x1",), sinc),
    "sinh": (("x1",), sinh),
    "sqrt": (("out",), sqrt),
    "square": (("x1",), square),
    "tan": (("x1",), tan),
    "tanh": (("x1",), tanh),
}
