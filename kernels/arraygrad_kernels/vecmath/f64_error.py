"""The error function of float64 and its complement. See `f64` for the habits."""

from __future__ import annotations

from arraygrad_kernels.vecmath import polynomials
from arraygrad_kernels.vecmath.bits import (
    bits_f64,
    from_bits_f64,
    power_of_two_f64,
    scale_f64,
)
from arraygrad_kernels.vecmath.f64 import exp_reduced, signed_like

_erf_polynomial = polynomials.erf_f64
_erfcx_polynomial = polynomials.erfcx_f64
_log_erfc_polynomial = polynomials.log_erfc_f64


def _erfc_positive(a):
    """erfc(a) for a >= 0."""
    b = 28.0 if a > 28.0 else a
    high = from_bits_f64(bits_f64(b) & -0x8000000)
    square = high * high  # exact: 26 bits
    k, q = exp_reduced(-square, -(b - high) * (b + high))
    t = (b - 4.0) / (b + 4.0)
    ratio = _erfcx_polynomial(t) / (1.0 + 2.0 * b)
    return scale_f64(ratio + ratio * q, k)


def erf(x):
    """Error function."""
    a = abs(x)
    b = 5.92 if a > 5.92 else a  # where it rounds to 1
    k, q = exp_reduced(_log_erfc_polynomial(b), 0.0)
    large = 1.0 - (1.0 + q) * power_of_two_f64(k)
    large = signed_like(large, x)
    small = x + x * _erf_polynomial(x * x)
    return small if a < 1.0 else large


def erfc(x):
    """Complementary error function, accurate in its tail."""
    a = abs(x)
    tail = _erfc_positive(a)
    y = tail if x >= 0.0 else 2.0 - tail
    near = 1.0 - (x + x * _erf_polynomial(x * x))
    return near if a < 0.25 else y
