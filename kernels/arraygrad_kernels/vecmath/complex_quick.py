"""Exponentials and logarithms of complex numbers where nothing is extreme, for the vector loops.

The tests (``*_exceeds``) are negative for infinities, NaN, zeros of a logarithm, large angles and
for what over- or underflows; those go to `c128`, so that no special case is selected here. Both
parts share the reduction of their argument. complex64 is computed in float64 arithmetic with
polynomials of float32's accuracy: half the terms, and results that are rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.vecmath import f64, polynomials
from arraygrad_kernels.vecmath.bits import (
    ROUND_F64,
    bits_f32,
    bits_f64,
    from_bits_f64,
)
from arraygrad_kernels.vecmath.f64 import REDUCTION_LIMIT, split_quick

_exp_f32 = polynomials.exp_f32
_exp_f64 = polynomials.exp_f64
_sin_f32 = polynomials.sin_f32
_sin_f64 = polynomials.sin_f64
_cos_f32 = polynomials.cos_f32
_cos_f64 = polynomials.cos_f64
_atan_f32 = polynomials.atan_f32
_atan_f64 = polynomials.atan_f64
_log_whole_f32 = polynomials.log_whole_f32
_log_tail = f64.log_tail

_LOG2_E = 1.4426950408889634
_LN2 = 0.6931471805599453
_LN2_HIGH = 0.6931471803691238
_LN2_LOW = 1.9082149292705877e-10
_TWO_OVER_PI = 0.6366197723675814
_HALF_PI_1 = 1.5707963267341256  # 33 bits
_HALF_PI_2 = 6.077100506303966e-11  # 33 bits
_HALF_PI_3 = 2.0222662487959506e-21
_QUARTER_PI = 0.7853981633974483
_HALF_PI = 1.5707963267948966
_PI = 3.141592653589793
_TAN_EIGHTH_PI = 0.41421356237309503
_SIGN = -0x8000000000000000
_SIZE_F32 = np.int32(0x7FFFFFFF)
_SIZE_F64 = 0x7FFFFFFFFFFFFFFF
_EXPONENT_F32 = np.int32(0x00800000)
_ONE_F32 = np.int32(1)

_MODERATE_F32 = bits_f32(np.float32(86.0))  # of e**x, so that neither it nor its inverse is extreme
_MODERATE_F64 = bits_f64(700.0)
_ANGLE_F32 = bits_f32(np.float32(REDUCTION_LIMIT))
_ANGLE_F64 = bits_f64(REDUCTION_LIMIT)
_LEAST_F64 = bits_f64(2.0**-500)  # squares do not underflow
_MOST_F64 = bits_f64(2.0**500)


# Exponentials.


def _quadrant_f32(x):
    """(quadrant in the low bits, remainder) of |x| <= REDUCTION_LIMIT, a float32 number."""
    t = x * _TWO_OVER_PI + ROUND_F64
    k = t - ROUND_F64
    return bits_f64(t), (x - k * _HALF_PI_1) - k * _HALF_PI_2


def _quadrant_f64(x):
    """(quadrant in the low bits, remainder) of |x| <= REDUCTION_LIMIT."""
    t = x * _TWO_OVER_PI + ROUND_F64
    k = t - ROUND_F64
    return bits_f64(t), ((x - k * _HALF_PI_1) - k * _HALF_PI_2) - k * _HALF_PI_3


def _make_sin_cos(
    quadrant_of: Callable[..., Any], sine_of: Callable[..., Any], cosine_of: Callable[..., Any]
) -> Callable[..., Any]:
    """(sin(x), cos(x)) of |x| <= REDUCTION_LIMIT, each to about one unit in the last place."""

    def sin_cos(x):
        quadrant, r = quadrant_of(x)
        z = r * r
        sine = r + r * (z * sine_of(z))
        cosine = (1.0 - 0.5 * z) + z * z * cosine_of(z)
        odd = quadrant & 1
        s = bits_f64(cosine if odd else sine) ^ ((quadrant & 2) << 62)
        c = bits_f64(sine if odd else cosine) ^ (((quadrant + 1) & 2) << 62)
        return from_bits_f64(s), from_bits_f64(c)

    return sin_cos


_sin_cos_f32 = _make_sin_cos(_quadrant_f32, _sin_f32, _cos_f32)
_sin_cos_f64 = _make_sin_cos(_quadrant_f64, _sin_f64, _cos_f64)


def exp_f32(a, b):
    """e**(a + bj) of float32 numbers."""
    t = a * _LOG2_E + ROUND_F64
    r = a - (t - ROUND_F64) * _LN2
    p = 1.0 + (r + r * r * _exp_f32(r))
    size = from_bits_f64(bits_f64(p) + (bits_f64(t) << 52))
    sine, cosine = _sin_cos_f32(b)
    return size * cosine, size * (b if b == 0.0 else sine)


def exp_f64(a, b):
    """e**(a + bj)."""
    t = a * _LOG2_E + ROUND_F64
    k = t - ROUND_F64
    r = (a - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 + (r + r * r * _exp_f64(r))
    size = from_bits_f64(bits_f64(p) + (bits_f64(t) << 52))
    sine, cosine = _sin_cos_f64(b)
    return size * cosine, size * (b if b == 0.0 else sine)


def exp_exceeds_f32(x):
    """A negative number where `exp_f32` does not apply."""
    a, b = bits_f32(x.real) & _SIZE_F32, bits_f32(x.imag) & _SIZE_F32
    return np.int32(np.int32(_MODERATE_F32 - a) | np.int32(_ANGLE_F32 - b))


def exp_exceeds_f64(x):
    """A negative number where `exp_f64` does not apply."""
    a, b = bits_f64(x.real) & _SIZE_F64, bits_f64(x.imag) & _SIZE_F64
    return (_MODERATE_F64 - a) | (_ANGLE_F64 - b)


# Logarithms.


def _unfolded(angle, a, b, steep):
    """Angle of (a, b) from that of the point with the parts' sizes, the larger one first."""
    angle = _HALF_PI - angle if steep else angle
    angle = _PI - angle if bits_f64(a) < 0 else angle
    return from_bits_f64(bits_f64(angle) | (bits_f64(b) & _SIGN))


def _near(larger, smaller):
    """larger**2 + smaller**2 - 1; exact for float32 numbers near the unit circle."""
    return (larger * larger - 1.0) + smaller * smaller


def log_f32(a, b):
    """log(a + bj) of float32 numbers."""
    x, y = abs(a), abs(b)
    steep = y > x
    larger = y if steep else x
    smaller = x if steep else y
    k, m = split_quick(larger * larger + smaller * smaller)
    f = _near(larger, smaller) if k == 0.0 else m - 1.0
    z = f * f
    real = k * _LN2 + (f + z * (f * _log_whole_f32(f) - 0.5))
    t = smaller / larger
    z = t * t
    angle = t + t * (z * _atan_f32(z))
    return 0.5 * real, _unfolded(angle, a, b, steep)


def log_f64(a, b):
    """log(a + bj)."""
    x, y = abs(a), abs(b)
    steep = y > x
    larger = y if steep else x
    smaller = x if steep else y
    k, m = split_quick(larger * larger + smaller * smaller)
    near = (larger - 1.0) * (larger + 1.0) + smaller * smaller
    f = near if k == 0.0 else m - 1.0
    real = k * _LN2_HIGH + (f + (_log_tail(f) + k * _LN2_LOW))
    middle = smaller > _TAN_EIGHTH_PI * larger
    t = (smaller - larger if middle else smaller) / (smaller + larger if middle else larger)
    z = t * t
    angle = (_QUARTER_PI if middle else 0.0) + (t + t * (z * _atan_f64(z)))
    return 0.5 * real, _unfolded(angle, a, b, steep)


def log_exceeds_f32(x):
    """A negative number where x is zero or a part of it is infinite or NaN."""
    a, b = bits_f32(x.real) & _SIZE_F32, bits_f32(x.imag) & _SIZE_F32
    infinite = np.int32(a + _EXPONENT_F32) | np.int32(b + _EXPONENT_F32)
    return np.int32(infinite | np.int32((a | b) - _ONE_F32))


def log_exceeds_f64(x):
    """A negative number where the larger part's square is not a normal number, or nearly so."""
    a, b = bits_f64(x.real) & _SIZE_F64, bits_f64(x.imag) & _SIZE_F64
    return (_MOST_F64 - a) | (_MOST_F64 - b) | ((a - _LEAST_F64) & (b - _LEAST_F64))
