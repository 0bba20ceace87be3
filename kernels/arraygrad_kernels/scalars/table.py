"""The table of elementwise operations: value, dtypes, result and floating-point errors of each."""

from __future__ import annotations

from arraygrad_kernels import vecmath
from arraygrad_kernels.scalars import errors, values
from arraygrad_kernels.scalars.record import (
    COMPARES,
    DOMAIN,
    DOMAIN_TINY,
    EXACT,
    HUGE,
    MODULUS,
    OVERFLOWS,
    POLE,
    POLE_TINY,
    POWER,
    QUIET,
    QUOTIENT,
    RATIO,
    TINY,
    Raises,
    Scalar,
)

__all__ = ["SCALARS"]

_INTEGERS = "bhilBHIL"
_REAL = _INTEGERS + "fd"
_NUMERIC = _REAL + "FD"
_ALL = "?" + _NUMERIC
_FLOATS, _COMPLEX = "fd", "FD"
_PAIR, _TRIPLE = "==", "==="

SCALARS: dict[str, Scalar] = {
    "abs": Scalar(values.absolute, _NUMERIC, "r", QUIET),
    "absorbing_multiply": Scalar(
        values.absorbing_multiply, "fdFD", "=", QUIET, _PAIR, contract=False
    ),
    "acos": Scalar(vecmath.acos, "fdFD", "=", DOMAIN),
    "acosh": Scalar(vecmath.acosh, "fdFD", "=", DOMAIN),
    "add": Scalar(values.add, _NUMERIC, "=", EXACT, _PAIR),
    "angle": Scalar(values.angle, _COMPLEX, "r", TINY),
    "asin": Scalar(vecmath.asin, "fdFD", "=", DOMAIN_TINY),
    "asinh": Scalar(vecmath.asinh, "fdFD", "=", TINY),
    "atan": Scalar(vecmath.atan, "fdFD", "=", TINY, complex_raises=POLE_TINY),
    "atan2": Scalar(vecmath.atan2, _FLOATS, "=", TINY, _PAIR),
    "atanh": Scalar(vecmath.atanh, "fdFD", "=", POLE_TINY),
    "bitwise_and": Scalar(values.bitwise_and, "?" + _INTEGERS, "=", EXACT, _PAIR),
    "bitwise_invert": Scalar(values.invert, "?" + _INTEGERS),
    "bitwise_left_shift": Scalar(values.bitwise_left_shift, _INTEGERS, "=", EXACT, _PAIR),
    "bitwise_or": Scalar(values.bitwise_or, "?" + _INTEGERS, "=", EXACT, _PAIR),
    "bitwise_right_shift": Scalar(values.bitwise_right_shift, _INTEGERS, "=", EXACT, _PAIR),
    "bitwise_xor": Scalar(values.bitwise_xor, "?" + _INTEGERS, "=", EXACT, _PAIR),
    "cbrt": Scalar(vecmath.cbrt, _FLOATS, "=", QUIET),
    "ceil": Scalar(values.ceil, _FLOATS, "=", QUIET),
    "clip": Scalar(values.clip, _REAL, "=", QUIET, _TRIPLE),
    "conj": Scalar(values.conj, _COMPLEX),
    "copysign": Scalar(values.copysign, _FLOATS, "=", QUIET, _PAIR),
    "cos": Scalar(vecmath.cos, "fdFD", "=", DOMAIN, complex_raises=OVERFLOWS),
    "cosh": Scalar(vecmath.cosh, "fdFD", "=", OVERFLOWS),
    "divide": Scalar(
        values.divide,
        _FLOATS + _COMPLEX,
        "=",
        EXACT,
        _PAIR,
        contract=False,
        complex_raises=RATIO._replace(rules=errors.RATIO_RULE),
    ),
    "equal": Scalar(values.equal, _ALL, "?", COMPARES, _PAIR),
    "erf": Scalar(vecmath.erf, _FLOATS, "=", QUIET),
    "erfc": Scalar(vecmath.erfc, _FLOATS, "=", QUIET),
    "exp": Scalar(vecmath.exp, "fdFD", "=", OVERFLOWS),
    "exp2": Scalar(vecmath.exp2, "fdFD", "=", OVERFLOWS),
    "expm1": Scalar(vecmath.expm1, "fdFD", "=", OVERFLOWS),
    "floor": Scalar(values.floor, _FLOATS, "=", QUIET),
    "floor_divide": Scalar(
        values.floor_divide, _REAL, "=", QUOTIENT._replace(rules=errors.FLOOR_DIVIDE), _PAIR
    ),
    "fmod": Scalar(values.fmod, _REAL, "=", MODULUS, _PAIR),
    "greater": Scalar(values.greater, _REAL, "?", COMPARES, _PAIR),
    "greater_equal": Scalar(values.greater_equal, _REAL, "?", COMPARES, _PAIR),
    "heaviside": Scalar(values.heaviside, _FLOATS, "=", QUIET, _PAIR),
    "hypot": Scalar(vecmath.hypot, _FLOATS, "=", HUGE, _PAIR),
    "imag": Scalar(values.imag, _COMPLEX, "r"),
    "isfinite": Scalar(values.isfinite, "fdFD", "?", COMPARES),
    "isinf": Scalar(values.isinf, "fdFD", "?", COMPARES),
    "isnan": Scalar(values.isnan, "fdFD", "?", COMPARES),
    "less": Scalar(values.less, _REAL, "?", COMPARES, _PAIR),
    "less_equal": Scalar(values.less_equal, _REAL, "?", COMPARES, _PAIR),
    "log": Scalar(vecmath.log, "fdFD", "=", POLE),
    "log10": Scalar(vecmath.log10, "fdFD", "=", POLE),
    "log1p": Scalar(vecmath.log1p, "fdFD", "=", POLE_TINY),
    "log2": Scalar(vecmath.log2, "fdFD", "=", POLE),
    "logaddexp": Scalar(vecmath.logaddexp, _FLOATS, "=", Raises(rules=errors.LOGADDEXP), _PAIR),
    "logaddexp2": Scalar(vecmath.logaddexp2, _FLOATS, "=", Raises(rules=errors.LOGADDEXP2), _PAIR),
    "logical_and": Scalar(values.logical_and, _ALL, "?", COMPARES, _PAIR),
    "logical_not": Scalar(values.logical_not, _ALL, "?", COMPARES),
    "logical_or": Scalar(values.logical_or, _ALL, "?", COMPARES, _PAIR),
    "logical_xor": Scalar(values.logical_xor, _ALL, "?", COMPARES, _PAIR),
    "maximum": Scalar(values.maximum, _REAL, "=", QUIET, _PAIR),
    "minimum": Scalar(values.minimum, _REAL, "=", QUIET, _PAIR),
    "multiply": Scalar(values.multiply, _NUMERIC, "=", EXACT, _PAIR, contract=False),
    "negative": Scalar(values.negative, _NUMERIC),
    "nextafter": Scalar(
        values.nextafter, _FLOATS, "=", HUGE._replace(rules=errors.NEXTAFTER), _PAIR
    ),
    "not_equal": Scalar(values.not_equal, _ALL, "?", COMPARES, _PAIR),
    "positive": Scalar(values.positive, _NUMERIC),
    "pow": Scalar(
        values.pow,
        _NUMERIC,
        "=",
        POWER._replace(rules=errors.POW),
        _PAIR,
        complex_raises=OVERFLOWS,
    ),
    "real": Scalar(values.real, _COMPLEX, "r"),
    "reciprocal": Scalar(
        values.reciprocal, _FLOATS + _COMPLEX, contract=False, complex_raises=RATIO
    ),
    "remainder": Scalar(values.remainder, _REAL, "=", MODULUS, _PAIR),
    "round": Scalar(values.round_half_even, "fdFD", "=", QUIET),
    "sigmoid": Scalar(vecmath.sigmoid, "fdFD", "=", QUIET),
    "sign": Scalar(values.sign, _NUMERIC, "=", QUIET),
    "signbit": Scalar(values.signbit, _FLOATS, "?"),
    "sin": Scalar(vecmath.sin, "fdFD", "=", OVERFLOWS),
    "sinc": Scalar(values.sinc, "fdFD", "=", DOMAIN, complex_raises=OVERFLOWS),
    "sinh": Scalar(vecmath.sinh, "fdFD", "=", OVERFLOWS),
    "sqrt": Scalar(vecmath.sqrt, "fdFD", "=", DOMAIN),
    "square": Scalar(values.square, _NUMERIC, contract=False),
    "subtract": Scalar(values.subtract, _NUMERIC, "=", EXACT, _PAIR),
    "tan": Scalar(vecmath.tan, "fdFD", "=", DOMAIN_TINY),
    "tanh": Scalar(vecmath.tanh, "fdFD", "=", DOMAIN),
    "trunc": Scalar(values.trunc, _FLOATS, "=", QUIET),
    "where": Scalar(values.where, _ALL, "=", EXACT, "?=="),
}
