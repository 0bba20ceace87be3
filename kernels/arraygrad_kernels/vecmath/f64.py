"""Elementary functions of float64, written so that LLVM vectorises a loop over them.

Straight-line arithmetic: range reduction, a polynomial, special cases as selects at the end. All
are also plain Python functions of NumPy scalars. Selects are written so that NaN falls through, and
-0.0 is kept explicitly. Maximal errors, in ulp over the whole range, are tested against mpmath.

Some come twice. ``*_quick`` and ``*_reduced`` are right where the test of their name says so (no
subnormal numbers, no infinities, moderate angles), the plain names for all arguments, at the price
of selects or a branch.

References
----------
W. J. Cody, W. Waite, Software Manual for the Elementary Functions, Prentice-Hall 1980 (reductions).
J.-M. Muller, Elementary Functions: Algorithms and Implementation, 3rd ed., Birkhauser 2016.
P. T. P. Tang, Table-driven implementation of the logarithm function, ACM TOMS 16 (1990).
W. Kahan, Branch cuts for complex elementary functions, 1987 (hyperbolic inverses).
"""

from __future__ import annotations

import math

from arraygrad_kernels.vecmath import polynomials
from arraygrad_kernels.vecmath.bits import (
    ROUND_F64,
    bits_f64,
    from_bits_f64,
    power_of_two_f64,
    scale_f64,
)

_exp_polynomial = polynomials.exp_f64
_log_polynomial = polynomials.log_f64
_sin_polynomial = polynomials.sin_f64
_cos_polynomial = polynomials.cos_f64
_atan_polynomial = polynomials.atan_f64
_asin_polynomial = polynomials.asin_f64
_half_turn_polynomial = polynomials.sin_half_turn_f64
_cbrt_polynomial = polynomials.cbrt_f64

_INFINITY = float("inf")
_NAN = float("nan")
_LOG2_E = 1.4426950408889634
_LN2 = 0.6931471805599453
_LN2_HIGH = 0.6931471803691238  # 32 bits, so that k * _LN2_HIGH is exact
_LN2_LOW = 1.9082149292705877e-10
_LOG10_E = 0.4342944819032518
_LOG10_2_HIGH = 0.3010299955494702
_LOG10_2_LOW = 1.1451100898021838e-10
_TWO_OVER_PI = 0.6366197723675814
_HALF_PI_1 = 1.5707963267341256  # 33 bits
_HALF_PI_2 = 6.077100506303966e-11  # 33 bits
_HALF_PI_3 = 2.0222662487959506e-21
_HALF_PI = 1.5707963267948966
_HALF_PI_LOW = 6.123233995736766e-17
_ONE_OVER_PI = 0.3183098861837907
_PI_1 = 3.1415926534682512  # 33 bits
_PI_2 = 1.2154201012607932e-10  # 33 bits
_PI_3 = 4.044532497591901e-21
_PI = 3.141592653589793
_PI_LOW = 1.2246467991473532e-16
_QUARTER_PI = 0.7853981633974483
_QUARTER_PI_LOW = 3.061616997868383e-17
_TINY = 1e-30
"""Below this size every odd function f with f'(0) = 1 is its argument, subnormals and -0 too."""
_SIGN = -0x8000000000000000
_LARGEST_EXP = 709.782712893384
_LEAST_NORMAL_EXP = -708.3964185322641
_LEAST_NORMAL_EXP_BITS = bits_f64(_LEAST_NORMAL_EXP)
_SUBNORMAL_EXP_WIDTH = bits_f64(-745.1332191019412) - _LEAST_NORMAL_EXP_BITS
_MIN_NORMAL_BITS = 0x0010000000000000
REDUCTION_LIMIT = 1048576.0
"""Largest argument of ``sin_reduced``: 2**20 quadrants keep k * _HALF_PI_1 exact."""


def signed_like(y, x):
    """`y`, which is positive or has the sign of `x`, with the sign of `x` even if it is zero."""
    return from_bits_f64(bits_f64(y) | (bits_f64(x) & _SIGN))


# Exponentials.


def exp_reduced(x, x_low):
    """(k, expm1(r)) with x + x_low = k log(2) + r."""
    k = (x * _LOG2_E + ROUND_F64) - ROUND_F64
    r = (x - k * _LN2_HIGH) - (k * _LN2_LOW - x_low)
    return k, r + r * r * _exp_polynomial(r)


def exp_quick(x):
    """e**x where `exp_exceeds` is false."""
    t = x * _LOG2_E + ROUND_F64
    k = t - ROUND_F64
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 + (r + r * r * _exp_polynomial(r))
    # To the exponent's bits, not by a product: 2**1024 is infinite, p * 2**1024 is not.
    y = from_bits_f64(bits_f64(p) + (bits_f64(t) << 52))
    y = y if x <= _LARGEST_EXP else x + _INFINITY
    return 0.0 if x < _LEAST_NORMAL_EXP else y


def exp_exceeds(x):
    """A negative number where e**x is subnormal."""
    above = bits_f64(x) - _LEAST_NORMAL_EXP_BITS
    return (above - _SUBNORMAL_EXP_WIDTH) & ~above


def exp(x):
    """e**x."""
    k, q = exp_reduced(x, 0.0)
    y = scale_f64(1.0 + q, k)
    y = _INFINITY if x > 709.782712893384 else y
    return 0.0 if x < -745.1332191019412 else y


def exp2(x):
    """2**x."""
    k = (x + ROUND_F64) - ROUND_F64
    r = (x - k) * _LN2
    y = scale_f64(1.0 + (r + r * r * _exp_polynomial(r)), k)
    y = _INFINITY if x >= 1024.0 else y
    return 0.0 if x < -1075.0 else y


def expm1(x):
    """e**x - 1 without cancellation near 0."""
    k, q = exp_reduced(x, 0.0)
    quarter = scale_f64(0.25, k)  # 2**k itself overflows for the largest results
    y = 4.0 * (quarter * q + (quarter - 0.25))
    y = _INFINITY if x > 709.782712893384 else y
    y = -1.0 if x < -40.0 else y
    return x if abs(x) < _TINY else y


def expm1_quick(x):
    """e**x - 1 where `expm1_exceeds` is false."""
    k, q = exp_reduced(x, 0.0)
    power = power_of_two_f64(k)
    y = power * q + (power - 1.0)
    y = -1.0 if x < -40.0 else y
    return signed_like(y, x)


def expm1_exceeds(x):
    """Whether 2**k in `expm1_quick` may be infinite."""
    return x > 709.0


def sigmoid_quick(x):
    """1 / (1 + e**-x) where `sigmoid_exceeds` is false."""
    a = -abs(x)
    k, q = exp_reduced(a, 0.0)
    e = (1.0 + q) * power_of_two_f64(k)
    e = 0.0 if a < _LEAST_NORMAL_EXP else e
    numerator = 1.0 if x >= 0.0 else e
    return numerator / (1.0 + e)


def sigmoid_exceeds(x):
    """A negative number where the sigmoid of x is subnormal."""
    return exp_exceeds(x)


def sigmoid(x):
    """1 / (1 + e**-x) without overflow or cancellation."""
    e = exp(-abs(x))
    numerator = 1.0 if x >= 0.0 else e
    return numerator / (1.0 + e)


# Logarithms.


def split(x):
    """(k, m) with x = 2**k m and sqrt(1/2) <= m < sqrt(2), for x > 0."""
    subnormal = x < 2.2250738585072014e-308
    x = x * 18014398509481984.0 if subnormal else x
    offset = 4503599627371519.0 + 54.0 if subnormal else 4503599627371519.0
    u = bits_f64(x) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
    k = from_bits_f64((u >> 52) | 0x4330000000000000) - offset
    return k, from_bits_f64((u & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD)


def log_tail(f):
    """log(1 + f) - f, to full relative accuracy of the sum."""
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    return s * (half_square + z * _log_polynomial(z)) - half_square


def _log_special(x, y):
    """`y` where x > 0 is finite, else the special value of a logarithm."""
    pole = -_INFINITY if x == 0.0 else _NAN
    y = y if x > 0.0 else pole
    return x if x == _INFINITY else y


def log(x):
    """Natural logarithm."""
    k, m = split(x)
    f = m - 1.0
    y = k * _LN2_HIGH + (f + (log_tail(f) + k * _LN2_LOW))
    return _log_special(x, y)


def split_quick(x):
    """(k, m) with x = 2**k m and sqrt(1/2) <= m < sqrt(2), for normal finite x > 0."""
    u = bits_f64(x) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
    k = from_bits_f64(((u >> 52) & 0xFFF) | 0x4330000000000000) - 4503599627371519.0
    return k, from_bits_f64((u & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD)


def log_quick(x):
    """Natural logarithm where `log_exceeds` is false."""
    k, m = split_quick(x)
    f = m - 1.0
    return k * _LN2_HIGH + (f + (log_tail(f) + k * _LN2_LOW))


def log_exceeds(x):
    """A negative number where x is negative, zero, subnormal, infinite or NaN."""
    bits = bits_f64(x)
    return (bits - _MIN_NORMAL_BITS) | (bits + _MIN_NORMAL_BITS)


def log1p_quick(x):
    """log(1 + x) where `log1p_exceeds` is false."""
    u = 1.0 + x
    k, m = split_quick(u)
    v = u - 1.0
    lost = (1.0 - (u - v)) + (x - v)
    f = (m - 1.0) + lost * power_of_two_f64(-k)
    y = k * _LN2_HIGH + (f + (log_tail(f) + k * _LN2_LOW))
    return signed_like(y, x)


def log1p_exceeds(x):
    """A negative number where 1 + x is not a normal positive number, or is very large."""
    bits = bits_f64(1.0 + x)
    return (bits - _MIN_NORMAL_BITS) | (bits + 0x0040000000000000)


def log1p(x):
    """log(1 + x) without cancellation near 0."""
    large = x > 1e300
    y = log(x) if large else log1p_quick(0.0 if large else x)
    return y if large else _log_special(1.0 + x, y)


def log2(x):
    """Logarithm to base 2, exact for powers of two."""
    k, m = split(x)
    f = m - 1.0
    y = k + (f * _LOG2_E + log_tail(f) * _LOG2_E)
    return _log_special(x, y)


def log10(x):
    """Logarithm to base 10."""
    k, m = split(x)
    f = m - 1.0
    y = k * _LOG10_2_HIGH + (f * _LOG10_E + (log_tail(f) * _LOG10_E + k * _LOG10_2_LOW))
    return _log_special(x, y)


def logaddexp(x1, x2):
    """log(e**x1 + e**x2) without overflow."""
    larger = x1 if x1 > x2 else x2
    difference = 0.0 if x1 == x2 else abs(x1 - x2)  # equal infinities differ by 0, not NaN
    return larger + log1p(exp(-difference))


def logaddexp2(x1, x2):
    """log2(2**x1 + 2**x2) without overflow."""
    larger = x1 if x1 > x2 else x2
    difference = 0.0 if x1 == x2 else abs(x1 - x2)
    return larger + (1.0 if x1 == x2 else log1p(exp2(-difference)) * _LOG2_E)


# Trigonometric functions.


def _quadrant(x):
    """(quadrant in the low bits, remainder, its rounding error) of |x| <= REDUCTION_LIMIT."""
    t = x * _TWO_OVER_PI + ROUND_F64
    k = t - ROUND_F64
    r1 = x - k * _HALF_PI_1  # exact, as are both products
    r2 = r1 - k * _HALF_PI_2
    r3 = r2 - k * _HALF_PI_3
    low = ((r1 - r2) - k * _HALF_PI_2) + ((r2 - r3) - k * _HALF_PI_3)
    return bits_f64(t), r3, low


def _sin_cos_remainder(r, low):
    """(sin(r + low), cos(r + low)) for |r| <= pi/4."""
    z = r * r
    sine = r + (r * (z * _sin_polynomial(z)) + low)
    # 1 - z/2 rounds; w recovers what it drops.
    half = 0.5 * z
    w = 1.0 - half
    cosine = w + (((1.0 - w) - half) + (z * z * _cos_polynomial(z) - r * low))
    return sine, cosine


def _half_turns(x, k):
    """Remainder x - k pi of |x| <= REDUCTION_LIMIT; only the last two differences round."""
    return ((x - k * _PI_1) - k * _PI_2) - k * _PI_3


def _sin_half_turn(r, turns):
    """(-1)**turns sin(r) for |r| <= pi/2."""
    z = r * r
    y = r + r * (z * _half_turn_polynomial(z))
    return from_bits_f64(bits_f64(y) ^ (turns << 63))


def sin_reduced(x):
    """Sine of |x| <= REDUCTION_LIMIT."""
    a = abs(x)
    t = a * _ONE_OVER_PI + ROUND_F64
    y = _sin_half_turn(_half_turns(a, t - ROUND_F64), bits_f64(t))
    return from_bits_f64(bits_f64(y) ^ (bits_f64(x) & _SIGN))


def cos_reduced(x):
    """Cosine of |x| <= REDUCTION_LIMIT, as the sine of x + pi/2."""
    t = (x * _ONE_OVER_PI + 0.5) + ROUND_F64
    k = (t - ROUND_F64) - 0.5
    return _sin_half_turn(_half_turns(x, k), bits_f64(t))


def tan_reduced(x):
    """Tangent of |x| <= REDUCTION_LIMIT."""
    quadrant, r, low = _quadrant(x)
    sine, cosine = _sin_cos_remainder(r, low)
    y = (-cosine if quadrant & 1 else sine) / (sine if quadrant & 1 else cosine)
    return x if abs(x) < _TINY else y


def sin_cos_reduced(x):
    """(sin(x), cos(x)) of |x| <= REDUCTION_LIMIT."""
    quadrant, r, low = _quadrant(x)
    sine, cosine = _sin_cos_remainder(r, low)
    s = cosine if quadrant & 1 else sine
    c = sine if quadrant & 1 else cosine
    s = -s if quadrant & 2 else s
    s = x if abs(x) < _TINY else s
    return s, -c if (quadrant + 1) & 2 else c


def exceeds_reduction(x):
    """Whether the ``*_reduced`` functions do not apply; false for NaN."""
    return abs(x) > REDUCTION_LIMIT


def sin(x):
    """Sine."""
    return _libm_sin(x) if exceeds_reduction(x) else sin_reduced(x)


def cos(x):
    """Cosine."""
    return _libm_cos(x) if exceeds_reduction(x) else cos_reduced(x)


def tan(x):
    """Tangent."""
    return _libm_tan(x) if exceeds_reduction(x) else tan_reduced(x)


def sin_cos(x):
    """(sin(x), cos(x))."""
    return (_libm_sin(x), _libm_cos(x)) if exceeds_reduction(x) else sin_cos_reduced(x)


def _libm_sin(x):
    """Sine by the C library, whose reduction is exact; Python's ``math.sin`` refuses infinities."""
    return _NAN if abs(x) == _INFINITY else math.sin(x)


def _libm_cos(x):
    """Cosine by the C library."""
    return _NAN if abs(x) == _INFINITY else math.cos(x)


def _libm_tan(x):
    """Tangent by the C library."""
    return _NAN if abs(x) == _INFINITY else math.tan(x)


def _asin_kernel(a):
    """asin(a) - a for 0 <= a <= 1/2."""
    z = a * a
    return a * (z * _asin_polynomial(z))


def _folded(a):
    """(t, correction): t = sqrt((1 - a) / 2) and what its rounding lost, for a > 1/2; else a, 0."""
    z = (1.0 - a) * 0.5
    root = math.sqrt(z if z > 0.0 else 0.0)
    high = from_bits_f64(bits_f64(root) & -0x8000000)
    low = (z - high * high) / (root + high)
    low = low if root > 0.0 else 0.0
    return root, low - (root - high)


def asin(x):
    """Inverse sine."""
    a = abs(x)
    root, lost = _folded(a)
    t = a if a <= 0.5 else root
    tail = _asin_kernel(t)
    outer = _HALF_PI - (2.0 * t - (_HALF_PI_LOW - 2.0 * (tail + lost)))
    y = t + tail if a <= 0.5 else outer
    y = y if a <= 1.0 else x * _NAN
    y = y if x >= 0.0 else -y
    return x if a < _TINY else y


def acos(x):
    """Inverse cosine."""
    a = abs(x)
    root, lost = _folded(a)
    t = a if a <= 0.5 else root
    tail = _asin_kernel(t)
    signed_t = t if x >= 0.0 else -t
    signed_tail = tail if x >= 0.0 else -tail
    inner = _HALF_PI - (signed_t - (_HALF_PI_LOW - signed_tail))
    outer = 2.0 * (t + (tail + lost))
    outer = outer if x >= 0.0 else _PI - (outer - _PI_LOW)
    y = inner if a <= 0.5 else outer
    return y if a <= 1.0 else x * _NAN


def _atan_ratio(y, x):
    """atan(y / x) for y, x >= 0, with one division; NaN for 0/0 and inf/inf."""
    steep = y > 2.414213562373095 * x
    middle = y > 0.41421356237309503 * x
    numerator = y - x if middle else y
    denominator = y + x if middle else x
    numerator = -x if steep else numerator
    denominator = y if steep else denominator
    high = _QUARTER_PI if middle else 0.0
    low = _QUARTER_PI_LOW if middle else 0.0
    high = _HALF_PI if steep else high
    low = _HALF_PI_LOW if steep else low
    t = numerator / denominator
    z = t * t
    return high + (t + (t * (z * _atan_polynomial(z)) + low))


def atan(x):
    """Inverse tangent."""
    a = abs(x)
    y = _atan_ratio(a, 1.0)
    y = y if x >= 0.0 else -y
    return x if a < _TINY else y


def atan2(x1, x2):
    """Angle of the point (x2, x1), in [-pi, pi]."""
    a, b = abs(x1), abs(x2)
    larger = a if a > b else b
    shrink = 0.25 if larger > 1e300 else 1.0  # a + b must not overflow
    shrink = 1.8014398509481984e16 if larger < 1e-290 else shrink  # nor t lose subnormal bits
    y = _atan_ratio(a * shrink, b * shrink)
    y = 0.0 if a == 0.0 else y
    y = _QUARTER_PI if a == _INFINITY and b == _INFINITY else y
    y = y if bits_f64(x2) >= 0 else _PI - (y - _PI_LOW)
    y = y if bits_f64(x1) >= 0 else -y
    return x1 + x2 if x1 != x1 or x2 != x2 else y


# Hyperbolic functions.


def sinh(x):
    """Hyperbolic sine."""
    a = abs(x)
    k, q = exp_reduced(a, 0.0)
    quarter = scale_f64(0.25, k)
    t = 2.0 * (quarter * q + (quarter - 0.25))  # expm1(a) / 2
    y = t + t / (2.0 * t + 1.0)
    y = _INFINITY if a > 710.4758600739439 else y
    y = y if x >= 0.0 else -y
    return x if a < _TINY else y


def cosh(x):
    """Hyperbolic cosine."""
    a = abs(x)
    k, q = exp_reduced(a, 0.0)
    half = scale_f64(1.0 + q, k - 1.0)
    y = half + 0.25 / half
    return _INFINITY if a > 710.4758600739439 else y


def tanh(x):
    """Hyperbolic tangent."""
    a = abs(x)
    b = 22.0 if a > 22.0 else a
    k, q = exp_reduced(2.0 * b, 0.0)
    power = power_of_two_f64(k)
    t = power * q + (power - 1.0)
    return signed_like(t / (t + 2.0), x)


def asinh(x):
    """Inverse hyperbolic sine."""
    a = abs(x)
    large = a > 1e18
    z = a * a
    argument = a if large else a + z / (1.0 + math.sqrt(1.0 + z))
    y = log1p(argument)
    y = y + _LN2 if large else y
    y = y if x >= 0.0 else -y
    return x if a < _TINY else y


def acosh(x):
    """Inverse hyperbolic cosine."""
    large = x > 1e18
    t = x - 1.0
    inside = t * (t + 2.0)
    argument = x if large else t + math.sqrt(inside if inside > 0.0 else 0.0)
    y = log1p(argument)
    y = y + _LN2 if large else y
    return y if x >= 1.0 else x * _NAN


def atanh(x):
    """Inverse hyperbolic tangent."""
    a = abs(x)
    y = 0.5 * log1p(2.0 * a / (1.0 - a))
    y = _NAN if a > 1.0 else y
    y = y if x >= 0.0 else -y
    return x if a < _TINY else y


# Roots and distances.


def sqrt(x):
    """Square root; the selects keep Python's ``math.sqrt`` from raising."""
    y = math.sqrt(x if x >= 0.0 else 0.0)
    y = y if x >= 0.0 else _NAN
    return x if x == 0.0 else y


def cbrt(x):
    """Cube root."""
    a = abs(x)
    subnormal = a < 2.2250738585072014e-308
    scaled = a * 18014398509481984.0 if subnormal else a
    u = bits_f64(scaled)
    k = from_bits_f64((u >> 52) | 0x4330000000000000) - 4503599627371519.0
    m = from_bits_f64((u & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000)
    third = ((k - 1.0) * 0.3333333333333333 + ROUND_F64) - ROUND_F64  # floor(k / 3)
    rest = k - 3.0 * third
    m = m * (4.0 if rest == 2.0 else (2.0 if rest == 1.0 else 1.0))
    root = _cbrt_polynomial(from_bits_f64((u & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000))
    root = root * (
        1.5874010519681996 if rest == 2.0 else (1.2599210498948732 if rest == 1.0 else 1.0)
    )
    # One Newton step from 2.5e-7 to 6e-14, one more from a shortened, exactly squared estimate.
    root = root - (root - m / (root * root)) * 0.3333333333333333
    root = from_bits_f64((bits_f64(root) + 0x40000000) & -0x80000000)
    quotient = m / (root * root)
    root = root + root * ((quotient - root) / (root + root + quotient))
    y = root * power_of_two_f64(third - 18.0 if subnormal else third)
    y = y if x >= 0.0 else -y
    return x if x == 0.0 or a == _INFINITY or x != x else y


def hypot(x1, x2):
    """sqrt(x1**2 + x2**2) without overflow."""
    a, b = abs(x1), abs(x2)
    larger = a if a > b else b
    smaller = b if a > b else a
    scale = 2.409919865102884e-181 if larger > 1e150 else 1.0  # 2**-600
    scale = 4.149515568880993e180 if larger < 1e-150 else scale
    unscale = 4.149515568880993e180 if larger > 1e150 else 1.0
    unscale = 2.409919865102884e-181 if larger < 1e-150 else unscale
    p, q = larger * scale, smaller * scale
    root = math.sqrt(p * p + q * q)
    # Correct the rounded squares: one Newton step on the exact residual.
    high = from_bits_f64(bits_f64(p) & -0x8000000)
    low = p - high
    root_high = from_bits_f64(bits_f64(root) & -0x8000000)
    root_low = root - root_high
    residual = (high - root_high) * (high + root_high)
    residual = residual + (q * q + (2.0 * high * low - 2.0 * root_high * root_low))
    residual = residual + (low * low - root_low * root_low)
    root = root + residual / (root + root) if root > 0.0 else root
    y = root * unscale
    y = _INFINITY if larger == _INFINITY or smaller == _INFINITY else y
    return a + b if (x1 != x1 or x2 != x2) and y != _INFINITY else y
