"""Powers and division with remainder of real numbers, written so that LLVM vectorises them.

References
----------
T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18
(1971).
IEEE 754-2019, section 9.2.1 (special values of pow).
"""

from __future__ import annotations

import math

import numpy as np

from arraygrad_kernels.vecmath import f64
from arraygrad_kernels.vecmath.bits import bits_f64, fma_f64, scale_f64

_INFINITY = float("inf")
_NAN = float("nan")
_LN2_HIGH = 0.6931471803691238  # 32 bits
_LN2_LOW = 1.9082149292705877e-10
_TWO_THIRDS = 0.6666666666666666
_TWO_THIRDS_LOW = 3.700743415417188e-17

_split = f64.split
_exp_reduced = f64.exp_reduced


def _log_pair(a):
    """Logarithm of a > 0 as an unevaluated sum, with a relative error near 2**-65.

    ``log(m) = 2s + s**3 (2/3 + q)`` with s = (m - 1) / (m + 1); s, its cube and the coefficient 2/3
    are sums of two floats, the small rest q is not.
    """
    k, m = _split(a)
    f = m - 1.0
    t = m + 1.0
    t_low = m - (t - 1.0)
    s = f / t
    s_low = (fma_f64(-s, t, f) - s * t_low) / t
    z = s * s
    z_low = fma_f64(s, s, -z) + 2.0 * s * s_low
    q = z * _tail(z)
    p = _TWO_THIRDS + q
    p_low = _TWO_THIRDS_LOW + ((_TWO_THIRDS - p) + q)
    cube = s * z
    cube_low = fma_f64(s, z, -cube) + (s * z_low + s_low * z)
    v = cube * p
    v_low = fma_f64(cube, p, -v) + (cube * p_low + cube_low * p)
    twice = 2.0 * s
    inner = twice + v
    inner_low = ((twice - inner) + v) + (2.0 * s_low + v_low)
    big = k * _LN2_HIGH
    high = big + inner
    low = ((big - high) + inner) if k != 0.0 else 0.0
    low = low + (inner_low + k * _LN2_LOW)
    return high, low


def _tail(z):
    """((log(m) - 2s) / s**3 - 2/3) / z, for z = s**2 as in `polynomials.log_f64`."""
    p = 0.11723178623876518
    p = p * z + 0.11706236339491206
    p = p * z + 0.1333480469384731
    p = p * z + 0.1538459496251843
    p = p * z + 0.18181818335392802
    p = p * z + 0.22222222221655885
    p = p * z + 0.28571428571429364
    return p * z + 0.4


def _special(x, y, r):
    """Value of x**y where ``r = abs(x)**y`` holds for finite, positive abs(x) and finite y."""
    a = abs(x)
    grows = (a > 1.0) == (y > 0.0)
    r = (_INFINITY if grows else 0.0) if a == 0.0 or a == _INFINITY or abs(y) == _INFINITY else r
    r = 1.0 if a == 1.0 else r
    whole = np.floor(y) == y
    half = 0.5 * y
    odd = whole and np.floor(half) != half
    negative = bits_f64(x) < 0
    r = -r if negative and odd else r
    undefined = negative and not whole and a != 0.0 and a != _INFINITY
    r = _NAN if undefined else r
    r = x + y if x != x or y != y else r
    return 1.0 if x == 1.0 or y == 0.0 else r


def pow_f64(x1, x2):
    """x1**x2."""
    high, low = _log_pair(abs(x1))
    product = x2 * high
    product_low = fma_f64(x2, high, -product) + x2 * low
    far = abs(product) > 1400.0
    clamped = 1400.0 if product > 1400.0 else product
    clamped = -1400.0 if product < -1400.0 else clamped
    k, q = _exp_reduced(clamped, 0.0 if far else product_low)
    return _special(x1, x2, scale_f64(1.0 + q, k))


def pow_f32(x1, x2):
    """x1**x2, through float64."""
    x, y = np.float64(x1), np.float64(x2)
    product = y * f64.log(abs(x))
    clamped = 1400.0 if product > 1400.0 else product
    clamped = -1400.0 if product < -1400.0 else clamped
    k, q = _exp_reduced(clamped, 0.0)
    return np.float32(_special(x, y, scale_f64(1.0 + q, k)))


# Division with remainder. With q the truncated quotient, off by one at most, a - q b is exact.


def exceeds_quotient(x1, x2):
    """Whether the quotient has no room for its units, or an operand is infinite or subnormal."""
    a, b = np.float64(abs(x1)), np.float64(abs(x2))
    ordinary = (a < 1e300) & (b > 1e-290) & (b < 1e300) & (a <= b * 4503599627370496.0)
    return not ordinary


def _quick_fmod(x1, x2):
    """Remainder of the truncated division of ordinary operands."""
    a, b = abs(x1), abs(x2)
    r = fma_f64(-np.trunc(a / b), b, a)
    r = r + b if r < 0.0 else r
    r = r - b if r >= b else r
    return math.copysign(r, x1)


def _exact_fmod(x1, x2):
    """Remainder of the truncated division by the C library."""
    undefined = abs(x1) == _INFINITY or x2 == 0.0
    return _NAN if undefined else math.fmod(x1, x2)


def _floored(remainder, x2):
    """Remainder of the floored division from that of the truncated one."""
    wrong = remainder != 0.0 and (remainder < 0.0) != (x2 < 0.0)
    y = remainder + x2 if wrong else remainder
    return math.copysign(0.0, x2) if remainder == 0.0 else y


def _quotient(x1, x2, remainder):
    """Floored quotient that belongs to a floored remainder; the standard's at infinities."""
    plain = x1 / x2
    ratio = (x1 - remainder) / x2
    near = np.floor(ratio)
    near = near + 1.0 if ratio - near > 0.5 else near
    near = math.copysign(0.0, plain) if near == 0.0 else near
    special = abs(x1) == _INFINITY or abs(x2) == _INFINITY or x2 == 0.0
    return plain if special else near


def fmod_quick(x1, x2):
    """Remainder with the sign of x1."""
    return _quick_fmod(np.float64(x1), np.float64(x2))


def fmod(x1, x2):
    """Remainder with the sign of x1."""
    return _exact_fmod(np.float64(x1), np.float64(x2))


def remainder_quick(x1, x2):
    """Remainder with the sign of x2."""
    b = np.float64(x2)
    return _floored(_quick_fmod(np.float64(x1), b), b)


def remainder(x1, x2):
    """Remainder with the sign of x2."""
    b = np.float64(x2)
    return _floored(_exact_fmod(np.float64(x1), b), b)


def floor_divide_quick(x1, x2):
    """Quotient rounded towards minus infinity."""
    a, b = np.float64(x1), np.float64(x2)
    return _quotient(a, b, _floored(_quick_fmod(a, b), b))


def floor_divide(x1, x2):
    """Quotient rounded towards minus infinity."""
    a, b = np.float64(x1), np.float64(x2)
    return _quotient(a, b, _floored(_exact_fmod(a, b), b))
