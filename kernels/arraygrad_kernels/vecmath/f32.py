"""Elementary functions of float32, written so that LLVM vectorises a loop over them.

The ones that networks live on work in float32 throughout; the others go through float64, which is
half as fast but correctly rounded in nearly all cases. See `f64` for the habits.
"""

from __future__ import annotations

import math

import numpy as np

from arraygrad_kernels.vecmath import f64, f64_error, polynomials
from arraygrad_kernels.vecmath.bits import (
    ROUND_F32,
    bits_f32,
    from_bits_f32,
    power_of_two_f32,
    scale_f32,
)

_f32 = np.float32
_exp_polynomial = polynomials.exp_f32
_log_whole_polynomial = polynomials.log_whole_f32
_half_turn_polynomial = polynomials.sin_half_turn_f32
_sin_polynomial = polynomials.sin_f32
_cos_polynomial = polynomials.cos_f32
_atan_polynomial = polynomials.atan_f32
_erf_polynomial = polynomials.erf_f32
_log_erfc_polynomial = polynomials.log_erfc_f32

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
_ONE_OVER_PI = _f32(0.3183098861837907)
_PI_1 = _f32(3.140625)  # 9, 11 and 11 bits
_PI_2 = _f32(0.0009670257568359375)
_PI_3 = _f32(6.277114152908325e-07)
_PI_4 = _f32(1.2154201256553421e-10)
_HALF_PI_1 = _f32(1.5703125)  # 8, 11 and 11 bits
_HALF_PI_2 = _f32(0.0004837512969970703)
_HALF_PI_3 = _f32(7.549533620476723e-08)
_HALF_PI_4 = _f32(2.5633440682570896e-12)
_HALF_PI = _f32(1.5707963267948966)
_HALF_PI_LOW = _f32(-4.37113900018624283e-8)
_TINY = _f32(1e-16)
_LARGEST_EXP = _f32(88.72283)
_LEAST_NORMAL_EXP = _f32(-87.33654)
_LEAST_NORMAL_EXP_BITS = bits_f32(_LEAST_NORMAL_EXP)
_SUBNORMAL_EXP_WIDTH = np.int32(bits_f32(_f32(-103.97208)) - _LEAST_NORMAL_EXP_BITS)
_MIN_NORMAL_BITS = np.int32(0x00800000)
_SIGN = np.int32(-0x80000000)
REDUCTION_LIMIT = _f32(8192.0)
"""Largest argument of ``sin_reduced``."""


def _exp_reduced(x):
    """(k, expm1(r)) with x = k log(2) + r."""
    k = (x * _LOG2_E + ROUND_F32) - ROUND_F32
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return k, r + r * r * _exp_polynomial(r)


def _signed_like(y, x):
    """`y`, which is positive or has the sign of `x`, with the sign of `x` even if it is zero."""
    return from_bits_f32(np.int32(bits_f32(y) | np.int32(bits_f32(x) & _SIGN)))


def exp_quick(x):
    """e**x where `exp_exceeds` is false."""
    t = x * _LOG2_E + ROUND_F32
    k = t - ROUND_F32
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = _ONE + (r + r * r * _exp_polynomial(r))
    # To the exponent's bits, not by a product: 2**128 is infinite, p * 2**128 is not.
    y = from_bits_f32(np.int32(bits_f32(p) + np.int32(bits_f32(t) << np.int32(23))))
    y = y if x <= _LARGEST_EXP else x + _INFINITY
    return _ZERO if x < _LEAST_NORMAL_EXP else y


def exp_exceeds(x):
    """A negative number where e**x is subnormal."""
    above = np.int32(bits_f32(x) - _LEAST_NORMAL_EXP_BITS)
    return np.int32(np.int32(above - _SUBNORMAL_EXP_WIDTH) & np.int32(~above))


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


def expm1_quick(x):
    """e**x - 1 where `expm1_exceeds` is false."""
    k, q = _exp_reduced(x)
    power = power_of_two_f32(k)
    y = power * q + (power - _ONE)
    y = -_ONE if x < _f32(-20.0) else y
    return _signed_like(y, x)


def expm1_exceeds(x):
    """Whether 2**k in `expm1_quick` may be infinite."""
    return x > _f32(88.0)


def sigmoid_quick(x):
    """1 / (1 + e**-x) where `sigmoid_exceeds` is false."""
    a = -abs(x)
    k, q = _exp_reduced(a)
    e = (_ONE + q) * power_of_two_f32(k)
    e = _ZERO if a < _LEAST_NORMAL_EXP else e
    numerator = _ONE if x >= _ZERO else e
    return numerator / (_ONE + e)


def sigmoid_exceeds(x):
    """A negative number where the sigmoid of x is subnormal."""
    return exp_exceeds(x)


def sigmoid(x):
    """1 / (1 + e**-x) without overflow or cancellation."""
    e = exp(-abs(x))
    numerator = _ONE if x >= _ZERO else e
    return numerator / (_ONE + e)


def _split_quick(x):
    """(k, m) with x = 2**k m and sqrt(1/2) <= m < sqrt(2), for normal finite x > 0."""
    u = np.int32(bits_f32(x) - np.int32(0x3F3504F3))
    k = np.int32(u >> np.int32(23))
    m = from_bits_f32(np.int32(np.int32(u & np.int32(0x007FFFFF)) + np.int32(0x3F3504F3)))
    return k, m


def _log_sum(k, f):
    """K log(2) + log(1 + f), without a division."""
    z = f * f
    tail = z * (f * _log_whole_polynomial(f) - _HALF)
    return k * _LN2_HIGH + (f + (tail + k * _LN2_LOW))


def log_quick(x):
    """Natural logarithm where `log_exceeds` is false."""
    k, m = _split_quick(x)
    return _log_sum(_f32(k), m - _ONE)


def _log_special(x, y):
    """`y` where x > 0 is finite, else the special value of a logarithm."""
    pole = -_INFINITY if x == _ZERO else _NAN
    y = y if x > _ZERO else pole
    return x if x == _INFINITY else y


def log(x):
    """Natural logarithm."""
    subnormal = x < _f32(1.1754944e-38)
    k, m = _split_quick(x * _f32(8388608.0) if subnormal else x)
    y = _log_sum(_f32(k) - (_f32(23.0) if subnormal else _ZERO), m - _ONE)
    return _log_special(x, y)


def log_exceeds(x):
    """A negative number where x is negative, zero, subnormal, infinite or NaN."""
    bits = bits_f32(x)
    return np.int32(np.int32(bits - _MIN_NORMAL_BITS) | np.int32(bits + _MIN_NORMAL_BITS))


def log1p_quick(x):
    """log(1 + x) where `log1p_exceeds` is false."""
    u = _ONE + x
    k, m = _split_quick(u)
    v = u - _ONE
    lost = (_ONE - (u - v)) + (x - v)
    scale = from_bits_f32(np.int32(np.int32(0x3F800000) - np.int32(k << np.int32(23))))
    y = _log_sum(_f32(k), (m - _ONE) + lost * scale)
    return _signed_like(y, x)


def log1p(x):
    """log(1 + x) without cancellation near 0."""
    large = x > _f32(1e30)
    y = log(x) if large else log1p_quick(_ZERO if large else x)
    return y if large else _log_special(_ONE + x, y)


def log1p_exceeds(x):
    """A negative number where 1 + x is not a normal positive number, or is very large."""
    bits = bits_f32(_ONE + x)
    return np.int32(np.int32(bits - _MIN_NORMAL_BITS) | np.int32(bits + np.int32(0x02000000)))


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


def _half_turns(x, k):
    """Remainder x - k pi of |x| <= REDUCTION_LIMIT; two products and differences are exact."""
    return ((x - k * _PI_1) - k * _PI_2) - k * _PI_3 - k * _PI_4


def _sin_half_turn(r, turns):
    """(-1)**turns sin(r) for |r| <= pi/2."""
    z = r * r
    y = r + r * (z * _half_turn_polynomial(z))
    return from_bits_f32(np.int32(bits_f32(y) ^ np.int32(turns << np.int32(31))))


def sin_reduced(x):
    """Sine of |x| <= REDUCTION_LIMIT."""
    a = abs(x)
    t = a * _ONE_OVER_PI + ROUND_F32
    y = _sin_half_turn(_half_turns(a, t - ROUND_F32), bits_f32(t))
    return from_bits_f32(np.int32(bits_f32(y) ^ np.int32(bits_f32(x) & _SIGN)))


def cos_reduced(x):
    """Cosine of |x| <= REDUCTION_LIMIT, as the sine of x + pi/2."""
    t = (x * _ONE_OVER_PI + _HALF) + ROUND_F32
    k = (t - ROUND_F32) - _HALF
    return _sin_half_turn(_half_turns(x, k), np.int32(bits_f32(t)))


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
    return _f32(f64.sin(np.float64(x))) if exceeds_reduction(x) else sin_reduced(x)


def cos(x):
    """Cosine."""
    return _f32(f64.cos(np.float64(x))) if exceeds_reduction(x) else cos_reduced(x)


def tan(x):
    """Tangent."""
    return _f32(f64.tan(np.float64(x))) if exceeds_reduction(x) else tan_reduced(x)


def atan(x):
    """Inverse tangent."""
    a = abs(x)
    steep = a > _ONE
    t = (-_ONE if steep else a) / (a if steep else _ONE)
    z = t * t
    low = _HALF_PI_LOW if steep else _ZERO
    y = (_HALF_PI if steep else _ZERO) + (t + (t * (z * _atan_polynomial(z)) + low))
    return _signed_like(y, x)


def tanh(x):
    """Hyperbolic tangent."""
    a = abs(x)
    b = _f32(10.0) if a > _f32(10.0) else a
    k, q = _exp_reduced(_TWO * b)
    power = power_of_two_f32(k)
    t = power * q + (power - _ONE)
    return _signed_like(t / (t + _TWO), x)


def erf(x):
    """Error function."""
    a = abs(x)
    b = _f32(3.95) if a > _f32(3.95) else a  # where it rounds to 1
    k, q = _exp_reduced(_log_erfc_polynomial(b))
    large = _ONE - (_ONE + q) * power_of_two_f32(k)
    large = _signed_like(large, x)
    small = x + x * _erf_polynomial(x * x)
    return small if a < _f32(0.9) else large


def exp2(x):
    """2**x."""
    return _f32(f64.exp2(np.float64(x)))


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
    return _f32(f64_error.erfc(np.float64(x)))
