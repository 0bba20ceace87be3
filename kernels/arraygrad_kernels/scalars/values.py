"""One plain Python function per elementwise operation: its value, for one element per operand.

May not know how it is compiled. The functions work on NumPy scalars, and in compiled code on the
types that Numba gives them. Numba computes integers narrower than 64 bits in 64 bits and cuts the
result, as NumPy's wrap-around does. Where a dtype needs arithmetic of its own, `by_dtype` chooses.

Selects are written so that NaN falls through: ``a if a > b else b`` and not ``max(a, b)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels import vecmath
from arraygrad_kernels.scalars import integer_power
from arraygrad_kernels.vecmath import c128
from arraygrad_kernels.vecmath.bits import bits_f32, bits_f64, from_bits_f32, from_bits_f64
from arraygrad_kernels.vecmath.by_dtype import by_dtype

_INFINITY = float("inf")
_NAN = float("nan")
_PI = 3.141592653589793
_SIGNED, _UNSIGNED, _REAL, _COMPLEX = "bhil", "BHIL", "fd", "FD"


def _over(characters: str, function: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return dict.fromkeys(characters, function)


# Arithmetic.


def add(x1, x2):
    """x1 + x2."""
    return x1 + x2


def subtract(x1, x2):
    """x1 - x2."""
    return x1 - x2


def multiply(x1, x2):
    """x1 * x2."""
    return x1 * x2


def negative(x):
    """-x."""
    return -x


def positive(x):
    """X itself."""
    return x


def square(x):
    """X * x."""
    return x * x


def _divide_real(x1, x2):
    return x1 / x2


def _divide_complex(x1, x2):
    real, imaginary = c128.divide(x1.real, x1.imag, x2.real, x2.imag)
    return complex(real, imaginary)


divide = by_dtype(
    "divide", "x1 / x2.", _over(_REAL, _divide_real) | _over(_COMPLEX, _divide_complex)
)


def _reciprocal_f32(x):
    return np.float32(1.0) / x


def _reciprocal_f64(x):
    return 1.0 / x


def _reciprocal_complex(x):
    real, imaginary = c128.divide(1.0, 0.0, x.real, x.imag)
    return complex(real, imaginary)


reciprocal = by_dtype(
    "reciprocal",
    "1 / x.",
    {
        "f": _reciprocal_f32,
        "d": _reciprocal_f64,
        "F": _reciprocal_complex,
        "D": _reciprocal_complex,
    },
)


def _abs_signed(x):
    return -x if x < 0 else x


def _abs_real(x):
    return abs(x)


def _abs_complex(x):
    return vecmath.hypot(x.real, x.imag)


absolute = by_dtype(
    "abs",
    "Magnitude.",
    _over(_SIGNED, _abs_signed)
    | _over(_UNSIGNED, positive)
    | _over(_REAL, _abs_real)
    | _over(_COMPLEX, _abs_complex),
)


def _sign_integer(x):
    return 1 if x > 0 else (-1 if x < 0 else 0)


def _sign_f32(x):
    y = np.float32(1.0) if x > np.float32(0.0) else x
    y = np.float32(-1.0) if x < np.float32(0.0) else y
    return np.float32(0.0) if x == np.float32(0.0) else y


def _sign_f64(x):
    y = 1.0 if x > 0.0 else x
    y = -1.0 if x < 0.0 else y
    return 0.0 if x == 0.0 else y


def _sign_complex(x):
    a, b = np.float64(x.real), np.float64(x.imag)
    larger = abs(a) if abs(a) > abs(b) else abs(b)
    scale = 5.421010862427522e-20 if larger > 1e300 else 1.0  # 2**-64: no overflow of the size
    scale = 1.3407807929942597e154 if larger < 1e-290 else scale  # 2**512: nor too few bits
    size = vecmath.hypot(a * scale, b * scale)
    wide, tall = abs(a) == _INFINITY, abs(b) == _INFINITY
    below = 1.0 if size == 0.0 else size
    real, imaginary = a * scale / below, b * scale / below
    real = math.copysign(1.0, a) if wide else (0.0 if tall else real)
    imaginary = math.copysign(1.0, b) if tall else (0.0 if wide else imaginary)
    undefined = (a != a) | (b != b) | (wide & tall)
    real = _NAN if undefined else (0.0 if size == 0.0 else real)
    imaginary = _NAN if undefined else (0.0 if size == 0.0 else imaginary)
    return complex(real, imaginary)


sign = by_dtype(
    "sign",
    "-1, 0 or 1, x / abs(x) of complex numbers; NaN for NaN.",
    _over(_SIGNED + _UNSIGNED, _sign_integer)
    | {"f": _sign_f32, "d": _sign_f64}
    | _over(_COMPLEX, _sign_complex),
)


# Comparisons and logic.


def equal(x1, x2):
    """x1 == x2."""
    return x1 == x2


def not_equal(x1, x2):
    """x1 != x2."""
    return x1 != x2


def less(x1, x2):
    """x1 < x2."""
    return x1 < x2


def less_equal(x1, x2):
    """x1 <= x2."""
    return x1 <= x2


def greater(x1, x2):
    """x1 > x2."""
    return x1 > x2


def greater_equal(x1, x2):
    """x1 >= x2."""
    return x1 >= x2


def logical_and(x1, x2):
    """Whether both are true; a NaN is true."""
    return (x1 != 0) & (x2 != 0)


def logical_or(x1, x2):
    """Whether one is true."""
    return (x1 != 0) | (x2 != 0)


def logical_xor(x1, x2):
    """Whether exactly one is true."""
    return (x1 != 0) != (x2 != 0)


def logical_not(x):
    """Whether x is false."""
    return x == 0


def maximum(x1, x2):
    """Larger of the two, or NaN."""
    y = x1 if x1 > x2 else x2
    return x1 if x1 != x1 else y


def minimum(x1, x2):
    """Smaller of the two, or NaN."""
    y = x1 if x1 < x2 else x2
    return x1 if x1 != x1 else y


_maximum, _minimum = maximum, minimum


def clip(x, minimum, maximum):
    """X limited to [minimum, maximum]; NaN in any of the three gives NaN."""
    return _minimum(_maximum(x, minimum), maximum)


def where(condition, x1, x2):
    """x1 where the condition holds, else x2."""
    return x1 if condition else x2


# Bits.


def bitwise_and(x1, x2):
    """x1 & x2."""
    return x1 & x2


def bitwise_or(x1, x2):
    """x1 | x2."""
    return x1 | x2


def bitwise_xor(x1, x2):
    """x1 ^ x2."""
    return x1 ^ x2


def bitwise_invert(x):
    """~x."""
    return ~x


def _logical_invert(x):
    return not x


invert = by_dtype(
    "bitwise_invert",
    "~x; logical not for bool.",
    _over(_SIGNED + _UNSIGNED, bitwise_invert) | {"?": _logical_invert},
)


def _make_left_shift(bits: int) -> Callable[..., Any]:
    def left_shift(x1, x2):
        # Counts outside the width clear the number, as in NumPy; the processor would wrap them.
        inside = (x2 >= 0) & (x2 < bits)
        return (x1 << (x2 if inside else 0)) if inside else (x1 ^ x1)

    return left_shift


def _make_right_shift(bits: int) -> Callable[..., Any]:
    def right_shift(x1, x2):
        inside = (x2 >= 0) & (x2 < bits)
        spread = (x1 ^ x1) if x1 >= 0 else ~(x1 ^ x1)
        return (x1 >> (x2 if inside else 0)) if inside else spread

    return right_shift


_WIDTHS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "l": 64, "L": 64}
bitwise_left_shift = by_dtype(
    "bitwise_left_shift", "x1 << x2.", {c: _make_left_shift(n) for c, n in _WIDTHS.items()}
)
bitwise_right_shift = by_dtype(
    "bitwise_right_shift", "x1 >> x2.", {c: _make_right_shift(n) for c, n in _WIDTHS.items()}
)


# Rounding and floating-point structure.


def floor(x):
    """Largest integer not above x."""
    return np.floor(x)


def ceil(x):
    """Smallest integer not below x."""
    return np.ceil(x)


def trunc(x):
    """X without its fraction."""
    return np.trunc(x)


def _round_f64(x):
    a = abs(x)
    y = (a + 4503599627370496.0) - 4503599627370496.0  # 2**52 has no room for a fraction
    y = a if a >= 4503599627370496.0 else y
    y = math.copysign(y, x)
    return x if x != x else y


def _round_f32(x):
    a = abs(x)
    y = (a + np.float32(8388608.0)) - np.float32(8388608.0)
    y = a if a >= np.float32(8388608.0) else y
    return x if x != x else _copysign_f32(y, x)


def _copysign_f64(x1, x2):
    low = 0x7FFFFFFFFFFFFFFF
    return from_bits_f64((bits_f64(x1) & low) | (bits_f64(x2) & ~low))


def _copysign_f32(x1, x2):
    low = np.int32(0x7FFFFFFF)
    return from_bits_f32(np.int32(bits_f32(x1) & low) | np.int32(bits_f32(x2) & ~low))


def _round_c64(x):
    return complex(_round_f32(x.real), _round_f32(x.imag))


def _round_c128(x):
    return complex(_round_f64(x.real), _round_f64(x.imag))


round_half_even = by_dtype(
    "round",
    "Nearest integer, ties to even; of both parts.",
    {"f": _round_f32, "d": _round_f64, "F": _round_c64, "D": _round_c128},
)
copysign = by_dtype("copysign", "x1 with the sign of x2.", {"f": _copysign_f32, "d": _copysign_f64})


def _signbit_f32(x):
    return bits_f32(x) < 0


def _signbit_f64(x):
    return bits_f64(x) < 0


signbit = by_dtype(
    "signbit", "Whether the sign bit is set.", {"f": _signbit_f32, "d": _signbit_f64}
)


def _nextafter_f64(x1, x2):
    bits = bits_f64(x1)
    up = (x1 < x2) == (bits >= 0)
    stepped = from_bits_f64(bits + 1 if up else bits - 1)
    smallest = 5e-324 if x2 > 0.0 else -5e-324
    y = smallest if x1 == 0.0 else stepped
    y = x2 if x1 == x2 else y
    return x1 + x2 if x1 != x1 or x2 != x2 else y


def _nextafter_f32(x1, x2):
    bits = bits_f32(x1)
    up = (x1 < x2) == (bits >= 0)
    stepped = from_bits_f32(bits + np.int32(1) if up else bits - np.int32(1))
    smallest = from_bits_f32(np.int32(1)) if x2 > np.float32(0.0) else -from_bits_f32(np.int32(1))
    y = smallest if x1 == np.float32(0.0) else stepped
    y = x2 if x1 == x2 else y
    return x1 + x2 if x1 != x1 or x2 != x2 else y


nextafter = by_dtype(
    "nextafter", "Neighbour of x1 towards x2.", {"f": _nextafter_f32, "d": _nextafter_f64}
)


def _isnan_real(x):
    return x != x


def _isnan_complex(x):
    return (x.real != x.real) | (x.imag != x.imag)


def _isinf_real(x):
    return abs(x) == _INFINITY


def _isinf_complex(x):
    return (abs(x.real) == _INFINITY) | (abs(x.imag) == _INFINITY)


def _isfinite_real(x):
    return abs(x) < _INFINITY


def _isfinite_complex(x):
    return (abs(x.real) < _INFINITY) & (abs(x.imag) < _INFINITY)


isnan = by_dtype(
    "isnan", "Whether x is NaN.", _over(_REAL, _isnan_real) | _over(_COMPLEX, _isnan_complex)
)
isinf = by_dtype(
    "isinf", "Whether x is infinite.", _over(_REAL, _isinf_real) | _over(_COMPLEX, _isinf_complex)
)
isfinite = by_dtype(
    "isfinite",
    "Whether x is neither infinite nor NaN.",
    _over(_REAL, _isfinite_real) | _over(_COMPLEX, _isfinite_complex),
)


# Division with remainder of integers: 0 by a zero divisor, wrapping at the least number by -1.


def _divisor(x1, x2):
    """x2, or 1 where the processor would trap."""
    overflows = (x2 == -1) & (x1 == -x1)
    return (x2 ^ x2) + 1 if (x2 == 0) | overflows else x2


def _floor_divide_signed(x1, x2):
    y = x1 // _divisor(x1, x2)
    return (x1 ^ x1) if x2 == 0 else (-x1 if x2 == -1 else y)


def _remainder_signed(x1, x2):
    return (x1 ^ x1) if (x2 == 0) | (x2 == -1) else x1 % _divisor(x1, x2)


def _fmod_signed(x1, x2):
    y = _remainder_signed(x1, x2)
    return y - x2 if (y != 0) & ((x1 < 0) != (x2 < 0)) else y


def _floor_divide_unsigned(x1, x2):
    y = x1 // ((x2 ^ x2) + 1 if x2 == 0 else x2)
    return (x1 ^ x1) if x2 == 0 else y


def _remainder_unsigned(x1, x2):
    y = x1 % ((x2 ^ x2) + 1 if x2 == 0 else x2)
    return (x1 ^ x1) if x2 == 0 else y


floor_divide = by_dtype(
    "floor_divide",
    "Quotient rounded towards minus infinity.",
    _over(_SIGNED, _floor_divide_signed)
    | _over(_UNSIGNED, _floor_divide_unsigned)
    | _over(_REAL, vecmath.floor_divide),
)
remainder = by_dtype(
    "remainder",
    "Remainder with the sign of x2.",
    _over(_SIGNED, _remainder_signed)
    | _over(_UNSIGNED, _remainder_unsigned)
    | _over(_REAL, vecmath.remainder),
)
fmod = by_dtype(
    "fmod",
    "Remainder with the sign of x1.",
    _over(_SIGNED, _fmod_signed)
    | _over(_UNSIGNED, _remainder_unsigned)
    | _over(_REAL, vecmath.fmod),
)


# Complex parts.


def real(x):
    """Real part."""
    return x.real


def imag(x):
    """Imaginary part."""
    return x.imag


def _conj_c128(x):
    return complex(x.real, -x.imag)


def _conj_c64(x):
    return np.complex64(complex(x.real, -x.imag))


conj = by_dtype(
    "conj", "Complex conjugate.", {"F": _conj_c64, "D": _conj_c128} | _over(_REAL, positive)
)


def angle(x):
    """Argument of a complex number."""
    return vecmath.atan2(x.imag, x.real)


# Others.


def _make_sinc(sin: Callable[..., Any]) -> Callable[..., Any]:
    def sinc(x):
        y = x * _PI
        return (y * 0.0 + 1.0) if y == 0.0 else sin(y) / y

    return sinc


def _make_complex_sinc(sin: Callable[..., Any]) -> Callable[..., Any]:
    def sinc(x):
        y = complex(np.float64(x.real) * _PI, np.float64(x.imag) * _PI)
        # 1 - y**2 / 6; a complex quotient of subnormal numbers would overflow on the way.
        small = (abs(y.real) < 1e-18) & (abs(y.imag) < 1e-18)
        return (y * 0.0 + 1.0) if small else sin(y) / y

    return sinc


sinc = by_dtype(
    "sinc",
    "sin(pi x) / (pi x), 1 at 0.",
    {code: _make_sinc(vecmath.sin.__dict__["find"](code)) for code in _REAL}
    | dict.fromkeys(_COMPLEX, _make_complex_sinc(vecmath.sin.__dict__["find"]("D"))),
)
sinc_quick = {code: _make_sinc(vecmath.QUICK["sin", code][0]) for code in _REAL}
sinc_quick |= dict.fromkeys(_COMPLEX, _make_complex_sinc(vecmath.QUICK["sin", "D"][0]))


def sinc_exceeds(x):
    """Whether pi x is too large for the quick sine; half its limit for float32."""
    return abs(x.real) > 2000.0


pow = by_dtype(
    "pow",
    "x1**x2.",
    integer_power.power | dict.fromkeys(_REAL + _COMPLEX, vecmath.pow),
)


def _heaviside_f32(x1, x2):
    y = np.float32(1.0) if x1 > np.float32(0.0) else x1
    y = np.float32(0.0) if x1 < np.float32(0.0) else y
    return x2 if x1 == np.float32(0.0) else y


def _heaviside_f64(x1, x2):
    y = 1.0 if x1 > 0.0 else x1
    y = 0.0 if x1 < 0.0 else y
    return x2 if x1 == 0.0 else y


heaviside = by_dtype(
    "heaviside", "0 below 0, 1 above, x2 at 0.", {"f": _heaviside_f32, "d": _heaviside_f64}
)


def _absorbing_f32(g, p):
    return np.float32(0.0) if (g == np.float32(0.0)) | (p == np.float32(0.0)) else g * p


def _absorbing_f64(g, p):
    return 0.0 if (g == 0.0) | (p == 0.0) else g * p


def _absorbing_complex(g, p):
    zero = ((g.real == 0.0) & (g.imag == 0.0)) | ((p.real == 0.0) & (p.imag == 0.0))
    real_part = g.real * p.real - g.imag * p.imag
    imaginary_part = g.real * p.imag + g.imag * p.real
    return complex(0.0 if zero else real_part, 0.0 if zero else imaginary_part)


def _absorbing_real_complex(g, p):
    zero = (g == 0.0) | ((p.real == 0.0) & (p.imag == 0.0))
    return complex(0.0 if zero else g * p.real, 0.0 if zero else g * p.imag)


absorbing_multiply = by_dtype(
    "absorbing_multiply",
    "g * p, exactly 0 where either is 0.",
    {
        "f": _absorbing_f32,
        "d": _absorbing_f64,
        "F": _absorbing_complex,
        "D": _absorbing_complex,
        "fF": _absorbing_real_complex,
        "fD": _absorbing_real_complex,
        "dD": _absorbing_real_complex,
    },
)
