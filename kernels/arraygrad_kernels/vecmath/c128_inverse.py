"""Inverse circular and hyperbolic functions of complex numbers, from float64 parts to the same.

Branch-free like `c128`, with the special values of the Array API standard. Signed zeros choose the
side of a branch cut. complex64 goes through these as well.

References
----------
T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, Implementing the complex arcsine and arccosine
functions using exception handling, ACM TOMS 23 (1997).
W. Kahan, Branch cuts for complex elementary functions, or much ado about nothing's sign bit, 1987
(inverse hyperbolic tangent).
"""

from __future__ import annotations

import math

from arraygrad_kernels.vecmath import f64

_INFINITY = float("inf")
_HALF_PI = 1.5707963267948966
_LN2 = 0.6931471805599453
_FAR = 1e17
"""Beyond it asin(z) is asin(z / |z|) and log(2 |z|), to within their last bits."""

_log1p = f64.log1p
_hypot = f64.hypot
_atan2 = f64.atan2


def _arc(a, b):
    """(x, root, size): asin(z) = atan2(x, root) + size j, acos(z) = atan2(root, x) - size j.

    For ``x >= 0`` and ``y >= 0``, parts of the number in the first quadrant. With A half the sum of
    the distances from -1 and 1 (the semi-major axis of the ellipse through z whose foci they are),
    ``root = sqrt(A**2 - x**2)`` and ``size = acosh(A)``. A - x and A - 1 are not subtracted: each
    is a sum of positive terms, which ones depends on the side of 1 that x is on.
    """
    x, y = abs(a), abs(b)
    far = (x > _FAR) | (y > _FAR)
    r = _hypot(0.5 * x if far else x + 1.0, 0.5 * y if far else y)
    s = _hypot(x - 1.0, y)
    axis = 0.5 * (r + s)
    u = 1.0 / (r + (x + 1.0))
    v = s + abs(x - 1.0)
    narrow = 0.5 * (u + 1.0 / v)
    wide = y * y * u + v  # not halved: half a subnormal number is inexact
    inside = x < 1.0
    above = y * y * narrow if inside else 0.5 * wide  # A - 1
    sum_1, sum_x = axis + 1.0, axis + x
    slope = y * math.sqrt(narrow * sum_1) if inside else math.sqrt(wide * (0.5 * sum_1))
    root = math.sqrt(wide * (0.5 * sum_x)) if x <= 1.0 else y * math.sqrt(narrow * sum_x)
    size = _log1p(r if far else above + slope) + (2.0 * _LN2 if far else 0.0)
    return x, y if far else root, size


def asin(a, b):
    """Inverse sine."""
    x, root, size = _arc(a, b)
    real = a if a == 0.0 else math.copysign(_atan2(x, root), a)
    imaginary = math.copysign(size, b)
    # No sign of a NaN means anything: the standard's asinh(nan + inf j) is inf + nan j.
    return real, -size if b != b else imaginary


def acos(a, b):
    """Inverse cosine."""
    x, root, size = _arc(a, b)
    real = _HALF_PI if a == 0.0 else _atan2(root, math.copysign(x, a))
    return real, -math.copysign(size, b)


def asinh(a, b):
    """Inverse hyperbolic sine, j asin(-jz)."""
    real, imaginary = asin(b, -a)
    return -imaginary, real


def acosh(a, b):
    """Inverse hyperbolic cosine: the one of +-j acos(z) in the right half plane."""
    real, imaginary = acos(a, b)
    return abs(imaginary), math.copysign(real, b)


def atanh(a, b):
    """Inverse hyperbolic tangent.

    ``log1p(4x / |1 - z|**2) / 4 + atan2(2y, (1 - x)(1 + x) - y**2) j / 2`` for positive x and y.
    """
    x, y = abs(a), abs(b)
    far = (x > 1e100) | (y > 1e100)
    near = (x == 1.0) & (y < 1e-100)  # y**2 would underflow
    gap = 1.0 - x
    square = y * y
    distance = y * 1.6069380442589903e60 if near else gap * gap + square  # 2**200
    ratio = (1.0 if near else 4.0 * x) / distance
    logarithm = _log1p(ratio)
    real = 0.5 * (logarithm + 201.0 * _LN2) if near else 0.25 * logarithm
    half = _hypot(0.5 * x, 0.5 * y)
    real = 0.5 * (0.5 * x / half / half) if far else real
    angle = 0.5 * _atan2(y + y, gap * (1.0 + x) - square)
    infinite = (x == _INFINITY) | (y == _INFINITY)
    real = 0.0 if infinite or x == 0.0 else real
    imaginary = _HALF_PI if far and x == x else angle
    imaginary = _HALF_PI if infinite else imaginary
    imaginary = b if b != b else imaginary
    return math.copysign(real, a), math.copysign(imaginary, b)


def atan(a, b):
    """Inverse tangent, -j atanh(jz)."""
    real, imaginary = atanh(-b, a)
    return imaginary, -real
