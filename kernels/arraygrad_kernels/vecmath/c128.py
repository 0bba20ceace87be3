"""Elementary functions of complex numbers, from float64 parts (a, b) to float64 parts.

Branch-free like `f64`; special values are those of the Array API standard, which are C99's except
at ``tanh(inf + bj)``. complex64 goes through these as well. Each function that needs circular
functions comes from a factory over ``sin_cos``, for `f64.sin_cos` and `f64.sin_cos_reduced`.

References
----------
W. Kahan, Branch cuts for complex elementary functions, or much ado about nothing's sign bit, 1987.
T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, Implementing complex elementary functions using
exception handling, ACM TOMS 20 (1994).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from arraygrad_kernels.vecmath import f64
from arraygrad_kernels.vecmath.bits import scale_f64

_INFINITY = float("inf")
_NAN = float("nan")
_LN2 = 0.6931471805599453
_LOG2_E = 1.4426950408889634
_LOG10_E = 0.4342944819032518
_PI = 3.141592653589793
_TWO_TO_200 = 2.0**200

exp_reduced = f64.exp_reduced
_exp = f64.exp
_expm1 = f64.expm1
_sinh = f64.sinh
_cosh = f64.cosh
_log = f64.log
_log1p = f64.log1p
_hypot = f64.hypot
_atan2 = f64.atan2


def _scaled_exp(a):
    """(p, k) with e**a = p * 2**k; beyond +-1400 the product over- or underflows as it should."""
    clamped = 1400.0 if a > 1400.0 else a
    clamped = -1400.0 if a < -1400.0 else clamped
    k, q = exp_reduced(clamped, 0.0)
    return 1.0 + q, k


def is_finite(x):
    """Whether x is neither infinite nor NaN."""
    return abs(x) < _INFINITY


def make_exp(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """e**(a + bj)."""

    def exp(a, b):
        p, k = _scaled_exp(a)
        sine, cosine = sin_cos(b)
        real = scale_f64(p * cosine, k)
        imaginary = scale_f64(p * sine, k)
        # The smallest sine times this overflows, too.
        imaginary = imaginary * _TWO_TO_200 if a > 1460.0 else imaginary
        wild = abs(b) == _INFINITY or b != b
        real = _INFINITY if a == _INFINITY and wild else real
        real = 0.0 if a == -_INFINITY and wild else real
        imaginary = 0.0 if a == -_INFINITY and wild else imaginary
        return real, b if b == 0.0 else imaginary

    return exp


def make_expm1(sin_cos: Callable[..., Any], exp: Callable[..., Any]) -> Callable[..., Any]:
    """e**(a + bj) - 1."""

    def expm1(a, b):
        real, imaginary = exp(a, b)
        _, cosine = sin_cos(b)
        half_sine, _ = sin_cos(0.5 * b)
        near = _expm1(a) * cosine - 2.0 * half_sine * half_sine
        return (near + 0.0 if abs(a) < 1.0 and is_finite(b) else real - 1.0), imaginary

    return expm1


def make_sinh(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """Hyperbolic sine."""

    def sinh(a, b):
        sine, cosine = sin_cos(b)
        size = abs(a)
        p, k = _scaled_exp(size)
        large_real = scale_f64(p * cosine, k - 1.0)
        large_real = large_real if a > 0.0 else -large_real
        large_imaginary = scale_f64(p * sine, k - 1.0)
        real = large_real if size > 22.0 else _sinh(a) * cosine
        imaginary = large_imaginary if size > 22.0 else _cosh(a) * sine
        wild = not is_finite(b)
        real = a if wild and (a == 0.0 or size == _INFINITY) else real
        real = a if b == 0.0 and a != a else real
        return real, b if b == 0.0 else imaginary

    return sinh


def make_cosh(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """Hyperbolic cosine."""

    def cosh(a, b):
        sine, cosine = sin_cos(b)
        size = abs(a)
        p, k = _scaled_exp(size)
        large_real = scale_f64(p * cosine, k - 1.0)
        large_imaginary = scale_f64(p * sine, k - 1.0)
        large_imaginary = large_imaginary if a > 0.0 else -large_imaginary
        real = large_real if size > 22.0 else _cosh(a) * cosine
        imaginary = large_imaginary if size > 22.0 else _sinh(a) * sine
        real = _INFINITY if size == _INFINITY and not is_finite(b) else real
        zero = math.copysign(0.0, a) * math.copysign(1.0, b)
        undefined = (a == 0.0 and not is_finite(b)) or (b == 0.0 and not is_finite(a))
        return real, zero if undefined else imaginary

    return cosh


def make_tanh(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """Hyperbolic tangent."""

    def tanh(a, b):
        sine, cosine = sin_cos(b)
        size = abs(a)
        clamped = 22.0 if size > 22.0 else size
        clamped = clamped if a >= 0.0 else -clamped
        s, c = _sinh(clamped), _cosh(clamped)
        below = cosine * cosine + s * s
        real = s * c / below
        imaginary = sine * cosine / below
        decay = _exp(-2.0 * size)
        real = math.copysign(1.0, a) if size > 22.0 else real
        imaginary = 4.0 * sine * cosine * decay if size > 22.0 else imaginary
        zero = math.copysign(0.0, b) if b == b else 0.0
        real = _NAN if size < _INFINITY and not is_finite(b) else real
        real = a if a == 0.0 or (a != a and b == 0.0) else real
        imaginary = zero if size == _INFINITY else imaginary
        return real, b if b == 0.0 else imaginary

    return tanh


def sqrt(a, b):
    """Principal square root."""
    x, y = abs(a), abs(b)
    larger = x if x > y else y
    up = larger < 1e-290
    down = larger > 1e300
    scale = 3.2451855365842673e32 if up else (0.0625 if down else 1.0)  # 2**108, 2**-4
    unscale = 5.551115123125783e-17 if up else (4.0 if down else 1.0)  # 2**-54, 2**2
    x, y = x * scale, y * scale
    root = math.sqrt(0.5 * (_hypot(x, y) + x))
    other = 0.5 * y / root
    real = (root if a >= 0.0 else other) * unscale
    imaginary = (other if a >= 0.0 else root) * unscale
    # Infinities: any real part gives inf + inf j beside an infinite imaginary part.
    infinite_b = abs(b) == _INFINITY
    real = _INFINITY if infinite_b or a == _INFINITY else real
    imaginary = 0.0 if a == _INFINITY else imaginary
    real = 0.0 if a == -_INFINITY else real
    imaginary = _INFINITY if a == -_INFINITY or infinite_b else imaginary
    real = _INFINITY if infinite_b else real
    real = _NAN if b != b and a != _INFINITY else real
    imaginary = _NAN if b != b and a != -_INFINITY else imaginary
    real = 0.0 if a == 0.0 and b == 0.0 else real
    imaginary = 0.0 if a == 0.0 and b == 0.0 else imaginary
    return real, math.copysign(imaginary, b)


def log(a, b):
    """Natural logarithm."""
    x, y = abs(a), abs(b)
    larger = x if x > y else y
    smaller = y if x > y else x
    huge, tiny = larger > 1e300, larger < 1e-290
    scale = 0.5 if huge else (3.2451855365842673e32 if tiny else 1.0)  # 2**108
    size = _hypot(x * scale, y * scale)
    far = _log(size) + (_LN2 if huge else (-108.0 * _LN2 if tiny else 0.0))
    near = 0.5 * _log1p((larger - 1.0) * (larger + 1.0) + smaller * smaller)
    middle = size > 0.5 and size < 2.0
    return near if middle else far, _atan2(b, a)


def log2(a, b):
    """Logarithm to base 2."""
    real, imaginary = log(a, b)
    return real * _LOG2_E, imaginary * _LOG2_E


def log10(a, b):
    """Logarithm to base 10."""
    real, imaginary = log(a, b)
    return real * _LOG10_E, imaginary * _LOG10_E


def log1p(a, b):
    """log(1 + z) without cancellation near 0."""
    far, angle = log(1.0 + a, b)
    near = 0.5 * _log1p(a * (a + 2.0) + b * b)
    return near if abs(a) < 0.5 and abs(b) < 0.5 else far, angle


def divide(a, b, c, d):
    """(a + bj) / (c + dj) by Smith's algorithm, as NumPy does."""
    swap = abs(d) > abs(c)
    major = d if swap else c
    minor = c if swap else d
    ratio = minor / major
    scale = 1.0 / (major + minor * ratio)
    first = b if swap else a
    second = a if swap else b
    real = (first + second * ratio) * scale
    product = first * ratio
    imaginary = (product - second if swap else second - product) * scale
    zero = c == 0.0 and d == 0.0
    return a / abs(c) if zero else real, b / abs(c) if zero else imaginary


def make_circular(hyperbolic: Callable[..., Any]) -> Callable[..., Any]:
    """f(z) = -j hyperbolic(jz), for sine and tangent."""

    def circular(a, b):
        real, imaginary = hyperbolic(-b, a)
        return imaginary, -real

    return circular


def make_cosine(cosh: Callable[..., Any]) -> Callable[..., Any]:
    """cos(z) = cosh(jz)."""

    def cosine(a, b):
        return cosh(-b, a)

    return cosine


exp = make_exp(f64.sin_cos)
expm1 = make_expm1(f64.sin_cos, exp)
sinh = make_sinh(f64.sin_cos)
cosh = make_cosh(f64.sin_cos)
tanh = make_tanh(f64.sin_cos)
sin = make_circular(sinh)
cos = make_cosine(cosh)
tan = make_circular(tanh)

exp_quick = make_exp(f64.sin_cos_reduced)
expm1_quick = make_expm1(f64.sin_cos_reduced, exp_quick)
sinh_quick = make_sinh(f64.sin_cos_reduced)
cosh_quick = make_cosh(f64.sin_cos_reduced)
tanh_quick = make_tanh(f64.sin_cos_reduced)
sin_quick = make_circular(sinh_quick)
cos_quick = make_cosine(cosh_quick)
tan_quick = make_circular(tanh_quick)


def exceeds_imaginary(x):
    """Whether the ``*_quick`` exponential and hyperbolic functions do not apply."""
    return abs(x.imag) > f64.REDUCTION_LIMIT


def exceeds_real(x):
    """Whether the ``*_quick`` circular functions do not apply."""
    return abs(x.real) > f64.REDUCTION_LIMIT
