"""Elementary functions of float32, written so that LLVM vectorises a loop over them.

The ones that networks live on work in float32 throughout; the others go through float64, which is
half as fast but correctly rounded in nearly all cases. See `f64` for the habits.
"""

from __future__ import annotations

import math

import numpy as np

from arraygrad_kernels.vecmath import f64, polynomials
from arraygrad_kernels.vecmath.bits import (
    ROUND_F32,
    bits_f32,
    from_bits_f32,
    power_of_two_f32,
    scale_f32,
)

_f32 = np.float32
_exp_polynomial = polynomials.exp_f32
_log_polynomial = polynomials.log_f32
_sin_polynomial = polynomials.sin_f32
_cos_polynomial = polynomials.cos_f32
_atan_polynomial = polynomials.atan_f32
_erf_polynomial = polynomials.erf_f32
_erfcx_polynomial = polynomials.erfcx_f32

_ZERO = _f32(0.0)
_QUARTER = _f32(0.25)
_HALF = _f32(0.5)
_ONE = _f32(1.0)
_TWO = _f32(2.0)
_INFINITY = _f32("inf")
_NAN = _f32("nan")
_LOG2_E = _f32(1.4426950408889634)
_LN2 = _f32(0.6931471805599453)
_LN2_HIGH = _f32(0.693145751953125)  # 15 bits
_LN2_LOW = _f32(1.428606765330187e-06)
_TWO_OVER_PI = _f32(0.6366197723675814)
_HALF_PI_1 = _f32(1.5703125)  # 8, 11 and 11 bits
_HALF_PI_2 = _f32(0.0004837512969970703)
_HALF_PI_3 = _f32(7.549533620476723e-08)
_HALF_PI_4 = _f32(2.5633440682570896e-12)
_HALF_PI = _f32(1.5707963267948966)
_HALF_PI_LOW = _f32(-4.37113900018624283e-8)
_QUARTER_PI = _f32(0.7853981633974483)
_QUARTER_PI_LOW = _f32(-2.18556950009312142e-8)
_TINY = _f32(1e-16)
REDUCTION_LIMIT = _f32(8192.0)
"""Largest argument of ``sin_reduced``."""


def _exp_reduced(x):
    """(k, expm1(r)) with x = k log(2) + r."""
    k = (x * _LOG2_E + ROUND_F32) - ROUND_F32
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return k, r + r * r * _exp_polynomial(r)


def exp(x):
    """e**x."""
    k, q = _exp_reduced(x)
    y = scale_f32(_ONE + q, k)
    y = _INFINITY if x > _f32(88.72283) else y
    return _ZERO if x < _f32(-103.97208) else y


def expm1(x):
    """e**x - 1 without cancellation near 0."""
    k, q = _exp_reduced(x)
    quarter = scale_f32(_QUARTER, k)
    y = _f32(4.0) * (quarter * q + (quarter - _QUARTER))
    y = _INFINITY if x > _f32(88.72283) else y
    y = -_ONE if x < _f32(-20.0) else y
    return x if abs(x) < _TINY else y


def sigmoid(x):
    """1 / (1 + e**-x) without overflow or cancellation."""
    e = exp(-abs(x))
    numerator = _ONE if x >= _ZERO else e
    return numerator / (_ONE + e)


def log(x):
    """Natural logarithm."""
    subnormal = x < _f32(1.1754944e-38)
    scaled = x * _f32(8388608.0) if subnormal else x
    offset = _f32(127.0 + 23.0) if subnormal else _f32(127.0)
    u = np.int32(bits_f32(scaled) + np.int32(0x3F800000 - 0x3F3504F3))
    k = _f32(np.int32(u >> np.int32(23))) - offset
    m = from_bits_f32(np.int32(np.int32(u & np.int32(0x007FFFFF)) + np.int32(0x3F3504F3)))
    f = m - _ONE
    s = f / (_TWO + f)
    z = s * s
    half_square = _HALF * f * f
    tail = s * (half_square + z * _log_polynomial(z)) - half_square
    y = k * _LN2_HIGH + (f + (tail + k * _LN2_LOW))
    pole = -_INFINITY if x == _ZERO else _NAN
    y = y if x > _ZERO else pole
    return x if x == _INFINITY else y


def _quadrant(x):
    """(quadrant in the low bits, remainder, its rounding error) of |x| <= REDUCTION_LIMIT."""
    t = x * _TWO_OVER_PI + ROUND_F32
    k = t - ROUND_F32
    r2 = (x - k * _HALF_PI_1) - k * _HALF_PI_2
    r3 = r2 - k * _HALF_PI_3
    r4 = r3 - k * _HALF_PI_4
    low = ((r2 - r3) - k * _HALF_PI_3) + ((r3 - r4) - k * _HALF_PI_4)
    return bits_f32(t), r4, low


def _sin_cos_remainder(r, low):
    """(sin(r + low), cos(r + low)) for |r| <= pi/4."""
    z = r * r
    sine = r + (r * (z * _sin_polynomial(z)) + low)
    half = _HALF * z
    w = _ONE - half
    cosine = w + (((_ONE - w) - half) + (z * z * _cos_polynomial(z) - r * low))
    return sine, cosine


def sin_reduced(x):
    """Sine of |x| <= REDUCTION_LIMIT."""
    quadrant, r, low = _quadrant(x)
    sine, cosine = _sin_cos_remainder(r, low)
    y = cosine if quadrant & np.int32(1) else sine
    y = -y if quadrant & np.int32(2) else y
    return x if abs(x) < _TINY else y


def cos_reduced(x):
    """Cosine of |x| <= REDUCTION_LIMIT."""
    quadrant, r, low = _quadrant(x)
    sine, cosine = _sin_cos_remainder(r, low)
    y = sine if quadrant & np.int32(1) else cosine
    return -y if np.int32(quadrant + np.int32(1)) & np.int32(2) else y


def tan_reduced(x):
    """Tangent of |x| <= REDUCTION_LIMIT."""
    quadrant, r, low = _quadrant(x)
    sine, cosine = _sin_cos_remainder(r, low)
    odd = quadrant & np.int32(1)
    y = (-cosine if odd else sine) / (sine if odd else cosine)
    return x if abs(x) < _TINY else y


def exceeds_reduction(x):
    """Whether the ``*_reduced`` functions do not apply; false for NaN."""
    return abs(x) > REDUCTION_LIMIT


def sin(x):
    """Sine."""
    return _f32(f64.sin(np.float64(x)))


def cos(x):
    """Cosine."""
    return _f32(f64.cos(np.float64(x)))


def tan(x):
    """Tangent."""
    return _f32(f64.tan(np.float64(x)))


def atan(x):
    """Inverse tangent."""
    a = abs(x)
    steep = a > _f32(2.4142137)
    middle = a > _f32(0.41421357)
    numerator = a - _ONE if middle else a
    denominator = a + _ONE if middle else _ONE
    numerator = -_ONE if steep else numerator
    denominator = a if steep else denominator
    high = _QUARTER_PI if middle else _ZERO
    low = _QUARTER_PI_LOW if middle else _ZERO
    high = _HALF_PI if steep else high
    low = _HALF_PI_LOW if steep else low
    t = numerator / denominator
    z = t * t
    y = high + (t + (t * (z * _atan_polynomial(z)) + low))
    y = y if x >= _ZERO else -y
    return x if a < _TINY else y


def tanh(x):
    """Hyperbolic tangent."""
    a = abs(x)
    b = _f32(10.0) if a > _f32(10.0) else a
    k, q = _exp_reduced(_TWO * b)
    power = power_of_two_f32(k)
    t = power * q + (power - _ONE)
    y = t / (t + _TWO)
    y = y if x >= _ZERO else -y
    return x if a < _TINY else y


def _erfc_positive(a):
    """erfc(a) for a >= 0."""
    b = _f32(11.0) if a > _f32(11.0) else a
    high = from_bits_f32(np.int32(bits_f32(b) & np.int32(-0x1000)))
    square = high * high
    k = (-square * _LOG2_E + ROUND_F32) - ROUND_F32
    r = (-square - k * _LN2_HIGH) - (k * _LN2_LOW + (b - high) * (b + high))
    q = r + r * r * _exp_polynomial(r)
    t = (b - _f32(3.0)) / (b + _f32(3.0))
    ratio = _erfcx_polynomial(t) / (_ONE + _TWO * b)
    return scale_f32(ratio + ratio * q, k)


def erf(x):
    """Error function."""
    a = abs(x)
    small = x + x * _erf_polynomial(x * x)
    large = _ONE - _erfc_positive(a)
    large = large if x >= _ZERO else -large
    return small if a < _ONE else large


def exp2(x):
    """2**x."""
    return _f32(f64.exp2(np.float64(x)))


def log1p(x):
    """log(1 + x) without cancellation near 0."""
    return _f32(f64.log1p(np.float64(x)))


def log2(x):
    """Logarithm to base 2, exact for powers of two."""
    return _f32(f64.log2(np.float64(x)))


def log10(x):
    """Logarithm to base 10."""
    return _f32(f64.log10(np.float64(x)))


def logaddexp(x1, x2):
    """log(e**x1 + e**x2) without overflow."""
    return _f32(f64.logaddexp(np.float64(x1), np.float64(x2)))


def logaddexp2(x1, x2):
    """log2(2**x1 + 2**x2) without overflow."""
    return _f32(f64.logaddexp2(np.float64(x1), np.float64(x2)))


def asin(x):
    """Inverse sine."""
    return _f32(f64.asin(np.float64(x)))


def acos(x):
    """Inverse cosine."""
    return _f32(f64.acos(np.float64(x)))


def atan2(x1, x2):
    """Angle of the point (x2, x1), in [-pi, pi]."""
    return _f32(f64.atan2(np.float64(x1), np.float64(x2)))


def sinh(x):
    """Hyperbolic sine."""
    return _f32(f64.sinh(np.float64(x)))


def cosh(x):
    """Hyperbolic cosine."""
    return _f32(f64.cosh(np.float64(x)))


def asinh(x):
    """Inverse hyperbolic sine."""
    return _f32(f64.asinh(np.float64(x)))


def acosh(x):
    """Inverse hyperbolic cosine."""
    return _f32(f64.acosh(np.float64(x)))


def atanh(x):
    """Inverse hyperbolic tangent."""
    return _f32(f64.atanh(np.float64(x)))


def sqrt(x):
    """Square root."""
    y = _f32(math.sqrt(x if x >= _ZERO else _ZERO))
    y = y if x >= _ZERO else _NAN
    return x if x == _ZERO else y


def cbrt(x):
    """Cube root."""
    return _f32(f64.cbrt(np.float64(x)))


def hypot(x1, x2):
    """sqrt(x1**2 + x2**2) without overflow."""
    a, b = np.float64(x1), np.float64(x2)
    y = _f32(math.sqrt(a * a + b * b))
    return _INFINITY if abs(x1) == _INFINITY or abs(x2) == _INFINITY else y


def erfc(x):
    """Complementary error function, accurate in its tail."""
    return _f32(f64.erfc(np.float64(x)))
