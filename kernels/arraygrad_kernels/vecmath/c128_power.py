"""Powers of complex numbers, from four float64 parts to two.

``z**w = exp(w log(z))``: an error in the exponent is a relative error of the result, so that for
complex128 the exponent, up to 745 in its real part and any size in its imaginary part, is an
unevaluated sum of two floats. For complex64 float64 suffices.

Special values are NumPy's, which the Array API standard leaves to the implementation: a zero to a
power with positive real part is 0 and NaN otherwise, anything to the power 0 is 1, and small
integral powers of infinities are repeated products. Those also tell which part of the result is an
exact zero: powers of numbers on the axes and diagonals are on the axes.

References
----------
T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18
(1971).
W. Kahan, Branch cuts for complex elementary functions, or much ado about nothing's sign bit, 1987.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.vecmath import c128, f64, power
from arraygrad_kernels.vecmath.bits import ROUND_F64, bits_f64, fma_f64, scale_f64

_INFINITY = float("inf")
_NAN = float("nan")
_LN2_HIGH = 0.6931471803691238  # 32 bits, so that k * _LN2_HIGH is exact
_LN2_REST = 1.9082149292705877e-10
_THIRD = 0.3333333333333333
_THIRD_LOW = 1.850371707708594e-17
_HALF_PI = 1.5707963267948966
_HALF_PI_LOW = 6.123233995736766e-17
_PI = 3.141592653589793
_PI_LOW = 1.2246467991473532e-16

_log_pair = power._log_pair
_exp_reduced = f64.exp_reduced
_hypot = f64.hypot
_atan2 = f64.atan2
_divide = c128.divide


# Logarithm in two floats.


def _atan_tail(z):
    """(1/3 - (1 - atan(t)/t) / z) / z with z = t**2 <= 1/64: its Taylor series."""
    p = 1.0 / 21.0 - z * (1.0 / 23.0)
    p = 1.0 / 19.0 - z * p
    p = 1.0 / 17.0 - z * p
    p = 1.0 / 15.0 - z * p
    p = 1.0 / 13.0 - z * p
    p = 1.0 / 11.0 - z * p
    p = 1.0 / 9.0 - z * p
    p = 1.0 / 7.0 - z * p
    return 1.0 / 5.0 - z * p


def _atan_pair(t, t_low):
    """atan(t + t_low) for |t| <= 1/8, with a relative error near 2**-66."""
    z = t * t
    z_low = fma_f64(t, t, -z) + 2.0 * t * t_low
    rest = z * _atan_tail(z)
    p = _THIRD - rest
    p_low = ((_THIRD - p) - rest) + _THIRD_LOW
    cube = t * z
    cube_low = fma_f64(t, z, -cube) + (t * z_low + t_low * z)
    v = cube * p
    v_low = fma_f64(cube, p, -v) + (cube * p_low + cube_low * p)
    high = t - v
    return high, ((t - high) - v) + (t_low - v_low)


def _angle_pair(a, b):
    """Argument of a finite number other than 0 whose larger part is near 1.

    The slope is reduced by the nearest multiple of 1/4, whose products are nearly exact.
    """
    x, y = abs(a), abs(b)
    steep = y > x
    d = y if steep else x
    n = x if steep else y
    c = 0.25 * ((4.0 * (n / d) + ROUND_F64) - ROUND_F64)
    product = c * d
    numerator = n - product  # exact
    numerator_low = -fma_f64(c, d, -product)
    other = c * n
    denominator = d + other
    denominator_low = ((d - denominator) + other) + fma_f64(c, n, -other)
    t = numerator / denominator
    t_low = fma_f64(-t, denominator, numerator) + (numerator_low - t * denominator_low)
    high, low = _atan_pair(t, t_low / denominator)
    base, base_low = _atan_of_quarters(c)
    total = base + high
    total_low = ((base - total) + high) + (low + base_low)
    turned = _HALF_PI - total
    turned_low = ((_HALF_PI - turned) - total) + (_HALF_PI_LOW - total_low)
    high = turned if steep else total
    low = turned_low if steep else total_low
    left = _PI - high
    left_low = ((_PI - left) - high) + (_PI_LOW - low)
    negative = bits_f64(a) < 0
    high = left if negative else high
    low = left_low if negative else low
    below = bits_f64(b) < 0
    return (-high if below else high), (-low if below else low)


def _atan_of_quarters(c):
    """Arc tangent of 0, 1/4, 1/2, 3/4 or 1, as an unevaluated sum."""
    high = 0.24497866312686414 if c == 0.25 else 0.0
    high = 0.4636476090008061 if c == 0.5 else high
    high = 0.6435011087932844 if c == 0.75 else high
    high = 0.7853981633974483 if c == 1.0 else high
    low = 1.0698755618734451e-17 if c == 0.25 else 0.0
    low = 2.2698777452961687e-17 if c == 0.5 else low
    low = 1.5834785051444286e-17 if c == 0.75 else low
    low = 3.061616997868383e-17 if c == 1.0 else low
    return high, low


def _logarithm_pair(a, b):
    """(real, its rest, imaginary, its rest) of the logarithm of a finite number other than 0."""
    x, y = abs(a), abs(b)
    larger = x if x > y else y
    k, _ = f64.split(larger)
    x, y = scale_f64(x, -k), scale_f64(y, -k)
    square_x, square_y = x * x, y * y
    major = square_x if square_x > square_y else square_y
    minor = square_y if square_x > square_y else square_x
    total = major + minor
    total_low = ((major - total) + minor) + (fma_f64(x, x, -square_x) + fma_f64(y, y, -square_y))
    high, low = _log_pair(total)
    big = k * _LN2_HIGH
    half = 0.5 * high
    real = big + half
    # Sum of any two floats: neither need be the larger.
    rest = real - big
    lost = (big - (real - rest)) + (half - rest)
    real_low = lost + (0.5 * (low + total_low / total) + k * _LN2_REST)
    log = real + real_low  # the rest of k log(2) is larger than a rounding error
    angle, angle_low = _angle_pair(math.copysign(x, a), math.copysign(y, b))
    return log, (real - log) + real_low, angle, angle_low


def _times(factor, high, low):
    """Product of a number and an unevaluated sum, as one."""
    product = factor * high
    return product, fma_f64(factor, high, -product) + factor * low


def _plus(high1, low1, high2, low2):
    """Sum of two unevaluated sums."""
    high = high1 + high2
    rest = high - high1
    return high, ((high1 - (high - rest)) + (high2 - rest)) + (low1 + low2)


# Repeated products.


def _product(a, b, c, d):
    return a * c - b * d, a * d + b * c


def _square(a, b):
    """The real part is 0 where both parts are of one size: a fused product would leave a rest."""
    level = (abs(a) == abs(b)) & (abs(a) < _INFINITY)
    return (0.0 if level else a * a - b * b), a * b + b * a


def _step(bits, total, base):
    """One bit of the exponent: (total times base if it is set, base squared)."""
    product = _product(total[0], total[1], base[0], base[1])
    return (product if bits & 1 else total), _square(base[0], base[1])


def _repeated(a, b, n):
    """(a + bj)**n for integral |n| < 100, by squaring and multiplying as NumPy does."""
    bits = bits_f64(abs(n) + ROUND_F64)
    total, base = _step(bits, (1.0, 0.0), (a, b))
    total, base = _step(bits >> 1, total, base)
    total, base = _step(bits >> 2, total, base)
    total, base = _step(bits >> 3, total, base)
    total, base = _step(bits >> 4, total, base)
    total, base = _step(bits >> 5, total, base)
    total, base = _step(bits >> 6, total, base)
    inverse = _divide(1.0, 0.0, total[0], total[1])
    total = inverse if n < 0.0 else total
    square = _square(a, b)
    total = _product(a, b, square[0], square[1]) if n == 3.0 else total
    total = square if n == 2.0 else total
    return (a, b) if n == 1.0 else total


def _finished(a, b, c, d, real, imaginary):
    """z**w from ``real + imaginary j``, which is exp(w log(z)) where that is all there is to it."""
    whole = (d == 0.0) & (abs(c) < 100.0) & (np.floor(c) == c)
    power_real, power_imaginary = _repeated(a, b, c if whole else 0.0)
    finite = (abs(a) < _INFINITY) & (abs(b) < _INFINITY)
    # Many products round too often; but they find the zeros.
    exact = whole & ((not finite) | (c == 1.0) | (c == 2.0) | (c == 3.0))
    aligned = whole & ((a == 0.0) | (b == 0.0) | (abs(a) == abs(b)))
    real = power_real if exact | (aligned & (power_real == 0.0)) else real
    imaginary = power_imaginary if exact | (aligned & (power_imaginary == 0.0)) else imaginary
    zero = (a == 0.0) & (b == 0.0)
    value = 0.0 if c > 0.0 else _NAN
    real = value if zero else real
    imaginary = value if zero else imaginary
    one = (c == 0.0) & (d == 0.0)
    return (1.0 if one else real), (0.0 if one else imaginary)


def _exponential(real, real_low, imaginary, imaginary_low, sine, cosine):
    """e**(real + imaginary j) from the circular functions of its imaginary part."""
    far = abs(real) > 1400.0
    clamped = 1400.0 if real > 1400.0 else real
    clamped = -1400.0 if real < -1400.0 else clamped
    k, q = _exp_reduced(clamped, 0.0 if far else real_low)
    p = 1.0 + q
    return scale_f64(p * cosine, k), scale_f64(p * sine, k)


# Powers.


def pow_quick(a, b, c, d):
    """(a + bj)**(c + dj) where `exceeds` is false."""
    log, log_low, angle, angle_low = _logarithm_pair(a, b)
    p, p_low = _times(c, log, log_low)
    q, q_low = _times(-d, angle, angle_low)
    real, real_low = _plus(p, p_low, q, q_low)
    p, p_low = _times(d, log, log_low)
    q, q_low = _times(c, angle, angle_low)
    imaginary, imaginary_low = _plus(p, p_low, q, q_low)
    sine, cosine = f64.sin_cos_reduced(imaginary)
    turned_sine = sine + cosine * imaginary_low
    turned_cosine = cosine - sine * imaginary_low
    real, imaginary = _exponential(
        real, real_low, imaginary, imaginary_low, turned_sine, turned_cosine
    )
    return _finished(a, b, c, d, real, imaginary)


def pow(a, b, c, d):
    """(a + bj)**(c + dj)."""
    log, log_low, angle, angle_low = _logarithm_pair(a, b)
    infinite = (abs(a) == _INFINITY) | (abs(b) == _INFINITY)
    finite = (abs(a) < _INFINITY) & (abs(b) < _INFINITY)
    log = _INFINITY if infinite else log
    log = log if infinite or finite else _NAN
    angle = angle if finite else _atan2(b, a)
    p, p_low = _times(c, log, log_low)
    q, q_low = _times(-d, angle, angle_low)
    real, real_low = _plus(p, p_low, q, q_low)
    p, p_low = _times(d, log, log_low)
    q, q_low = _times(c, angle, angle_low)
    imaginary, imaginary_low = _plus(p, p_low, q, q_low)
    settled = finite & (abs(imaginary) < _INFINITY)
    imaginary_low = imaginary_low if settled else 0.0
    sine, cosine = f64.sin_cos(imaginary)
    low_sine, low_cosine = f64.sin_cos(imaginary_low)
    turned_sine = sine * low_cosine + cosine * low_sine
    turned_cosine = cosine * low_cosine - sine * low_sine
    wild = not abs(imaginary) < _INFINITY
    up, down = wild & (real == _INFINITY), wild & (real == -_INFINITY)
    real, imaginary = _exponential(
        real, real_low if finite else 0.0, imaginary, imaginary_low, turned_sine, turned_cosine
    )
    real = _INFINITY if up else (0.0 if down else real)
    return _finished(a, b, c, d, real, 0.0 if down else imaginary)


def _pow_in_float64(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """(a + bj)**(c + dj) for parts that are float32 numbers."""

    def pow_f64(a, b, c, d):
        log = f64.log(_hypot(a, b))
        angle = _atan2(b, a)
        real = c * log - d * angle
        imaginary = d * log + c * angle
        sine, cosine = sin_cos(imaginary)
        wild = not abs(imaginary) < _INFINITY
        up, down = wild & (real == _INFINITY), wild & (real == -_INFINITY)
        real, imaginary = _exponential(real, 0.0, imaginary, 0.0, sine, cosine)
        real = _INFINITY if up else (0.0 if down else real)
        return _finished(a, b, c, d, real, 0.0 if down else imaginary)

    return pow_f64


pow_single = _pow_in_float64(f64.sin_cos)
pow_single_quick = _pow_in_float64(f64.sin_cos_reduced)


def exceeds(x1, x2):
    """Whether `pow_quick` does not apply: no finite base, or an exponent of many revolutions."""
    base = abs(np.float64(x1.real)) + abs(np.float64(x1.imag))
    reach = abs(np.float64(x2.real)) * 4.0 + abs(np.float64(x2.imag)) * 750.0
    # One comparison for all, which infinities and NaN fail: LLVM leaves a loop with several alone.
    return not (reach + base * 1e-308 < 1e6)
