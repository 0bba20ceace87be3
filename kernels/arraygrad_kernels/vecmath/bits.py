"""Exact manipulations of floating-point numbers, in forms that vectorise.

AVX2 has no conversion between float64 and int64: adding 1.5 * 2**52 (float32: 1.5 * 2**23) rounds
to an integer and leaves it in the low bits, for NaN and infinities too, where a cast is undefined.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

__all__ = [
    "ROUND_F32",
    "ROUND_F64",
    "bits_f32",
    "bits_f64",
    "fma_f64",
    "from_bits_f32",
    "from_bits_f64",
    "power_of_two_f32",
    "power_of_two_f64",
    "scale_f32",
    "scale_f64",
]

ROUND_F64 = 6755399441055744.0
ROUND_F32 = np.float32(12582912.0)


def bits_f64(x):
    """Bit pattern of a float64 as int64."""
    return np.float64(x).view(np.int64)


def from_bits_f64(bits):
    """The float64 of an int64 bit pattern."""
    return np.int64(bits).view(np.float64)


def bits_f32(x):
    """Bit pattern of a float32 as int32."""
    return np.float32(x).view(np.int32)


def from_bits_f32(bits):
    """The float32 of an int32 bit pattern; higher bits are dropped."""
    return np.int32(bits).view(np.float32)


def power_of_two_f64(k):
    """2**k for an integral float64 k, -1022 <= k <= 1023; garbage outside."""
    return from_bits_f64((bits_f64(k + ROUND_F64) + 1023) << 52)


def power_of_two_f32(k):
    """2**k for an integral float32 k, -126 <= k <= 127; garbage outside."""
    return from_bits_f32(np.int32((bits_f32(k + ROUND_F32) + 127) << 23))


def scale_f64(p, k):
    """P * 2**k, rounded once even where the result is subnormal; -2044 <= k <= 2046."""
    half = (k * 0.5 + ROUND_F64) - ROUND_F64
    return p * power_of_two_f64(half) * power_of_two_f64(k - half)


def scale_f32(p, k):
    """P * 2**k, rounded once even where the result is subnormal; -252 <= k <= 254."""
    half = (k * np.float32(0.5) + ROUND_F32) - ROUND_F32
    return p * power_of_two_f32(half) * power_of_two_f32(k - half)


def fma_f64(a, b, c):
    """Fused a * b + c, rounded once; compiled code uses the processor's instruction."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    return np.float64(float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))))
