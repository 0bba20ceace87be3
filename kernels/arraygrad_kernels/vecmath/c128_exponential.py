"""Powers of two and the logistic function of complex numbers, from float64 parts to float64 parts.

Branch-free like `c128`; each comes from a factory over ``sin_cos``. Special values of ``exp2`` are
those of ``exp`` in the Array API standard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arraygrad_kernels.vecmath import f64
from arraygrad_kernels.vecmath.bits import ROUND_F64, fma_f64, scale_f64

_INFINITY = float("inf")
_LN2 = 0.6931471805599453
_LN2_LOW = 2.3190468138462996e-17

_exp_reduced = f64.exp_reduced
_exp = f64.exp
_expm1 = f64.expm1


def make_exp2(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """2**(a + bj)."""

    def exp2(a, b):
        clamped = 2000.0 if a > 2000.0 else a
        clamped = -2000.0 if a < -2000.0 else clamped
        k = (clamped + ROUND_F64) - ROUND_F64
        _, q = _exp_reduced((clamped - k) * _LN2, 0.0)
        p = 1.0 + q
        # b log(2) as a sum of two floats: its error would be one of the direction of the result.
        angle = b * _LN2
        rest = fma_f64(b, _LN2, -angle) + b * _LN2_LOW
        finite = abs(angle) < _INFINITY
        rest = rest if finite else 0.0
        sine, cosine = sin_cos(angle)
        low_sine, low_cosine = sin_cos(rest)
        real = scale_f64(p * (cosine * low_cosine - sine * low_sine), k)
        imaginary = scale_f64(p * (sine * low_cosine + cosine * low_sine), k)
        real = _INFINITY if a == _INFINITY and not finite else real
        real = 0.0 if a == -_INFINITY and not finite else real
        imaginary = 0.0 if a == -_INFINITY and not finite else imaginary
        return real, b if b == 0.0 else imaginary

    return exp2


def make_sigmoid(sin_cos: Callable[..., Any]) -> Callable[..., Any]:
    """1 / (1 + e**-(a + bj)), without cancellation near the poles (2k + 1) pi j."""

    def sigmoid(a, b):
        size = abs(a)
        sine, cosine = sin_cos(0.5 * b)
        t = _exp(-size)
        # e**(z/2) / (2 cosh(z/2)), with both halves scaled by e**(-|a|/2).
        x, y = (1.0 + t) * cosine, -_expm1(-size) * sine
        below = x * x + y * y
        right = (x * cosine + y * sine) / below
        left = t * (x * cosine - y * sine) / below
        real = right if a >= 0.0 else left
        imaginary = 2.0 * t * sine * cosine / below
        settled = (size == _INFINITY) & (a == a)
        real = (1.0 if a > 0.0 else 0.0) if settled else real
        return real, 0.0 if settled else imaginary

    return sigmoid


exp2 = make_exp2(f64.sin_cos)
exp2_quick = make_exp2(f64.sin_cos_reduced)
sigmoid = make_sigmoid(f64.sin_cos)
sigmoid_quick = make_sigmoid(f64.sin_cos_reduced)
