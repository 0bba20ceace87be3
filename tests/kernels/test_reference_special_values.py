"""Special values of the reference kernels: a literal copy of the standard's tables.

A row is ``(arguments..., result)``. An argument may be a tuple, which stands for each of its
values. Signs of zeros count. ``either(v)`` accepts both signs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest
from arraygrad_kernels.reference import KERNELS, find

ml_dtypes = pytest.importorskip("ml_dtypes")

inf = math.inf
nan = math.nan
pi = math.pi

POSITIVE = (1e-7, 0.25, 1.0, 1.5, 3.0, 1000.0)
NEGATIVE = tuple(-v for v in POSITIVE)
ZERO = (0.0, -0.0)
NONZERO = POSITIVE + NEGATIVE
FINITE = NONZERO + ZERO
INFINITE = (inf, -inf)
ABOVE_ZERO = (*POSITIVE, inf)
BELOW_ZERO = (*NEGATIVE, -inf)
NOT_NAN = FINITE + INFINITE
ANY = (*NOT_NAN, nan)
ANY_BUT_ZERO = NONZERO + INFINITE
ODD = (1.0, 3.0, 5.0)
NOT_ODD = (0.5, 2.0, 2.5, 4.0, inf)


class either(NamedTuple):
    """A value whose sign the standard leaves open."""

    value: float


# --- real-valued functions of one argument --------------------------------------------------------

REAL_UNARY: dict[str, list[tuple[Any, Any]]] = {
    "abs": [(nan, nan), (-0.0, 0.0), (0.0, 0.0), (-inf, inf), (inf, inf)],
    "acos": [(nan, nan), ((1.5, 3.0, inf), nan), ((-1.5, -3.0, -inf), nan), (1.0, 0.0)],
    "acosh": [(nan, nan), ((0.5, 0.0, -1.0, -inf), nan), (1.0, 0.0), (inf, inf)],
    "asin": [(nan, nan), ((1.5, inf), nan), ((-1.5, -inf), nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [
        (nan, nan),
        ((-1.5, -inf, 1.5, inf), nan),
        (-1.0, -inf),
        (1.0, inf),
        (0.0, 0.0),
        (-0.0, -0.0),
    ],
    "cbrt": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (-8.0, -2.0)],
    "ceil": [
        (inf, inf),
        (-inf, -inf),
        (0.0, 0.0),
        (-0.0, -0.0),
        (nan, nan),
        (-0.5, -0.0),
        (3.0, 3.0),
        (2.5, 3.0),
    ],
    "cos": [(nan, nan), (ZERO, 1.0), (INFINITE, nan)],
    "cosh": [(nan, nan), (ZERO, 1.0), (INFINITE, inf)],
    "erf": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "erfc": [(nan, nan), (ZERO, 1.0), (inf, 0.0), (-inf, 2.0)],
    "exp": [(nan, nan), (ZERO, 1.0), (inf, inf), (-inf, 0.0)],
    "exp2": [(nan, nan), (ZERO, 1.0), (inf, inf), (-inf, 0.0), (3.0, 8.0)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "floor": [
        (inf, inf),
        (-inf, -inf),
        (0.0, 0.0),
        (-0.0, -0.0),
        (nan, nan),
        (0.5, 0.0),
        (3.0, 3.0),
        (-2.5, -3.0),
    ],
    "log": [(nan, nan), ((-1.0, -inf), nan), (ZERO, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), ((-1.0, -inf), nan), (ZERO, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [
        (nan, nan),
        ((-1.5, -inf), nan),
        (-1.0, -inf),
        (-0.0, -0.0),
        (0.0, 0.0),
        (inf, inf),
    ],
    "log2": [(nan, nan), ((-1.0, -inf), nan), (ZERO, -inf), (1.0, 0.0), (inf, inf), (8.0, 3.0)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf), (nan, nan)],
    "positive": [(0.0, 0.0), (-0.0, -0.0), (-inf, -inf), (nan, nan)],
    "reciprocal": [(nan, nan), (0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0), (2.0, 0.5)],
    "round": [
        (inf, inf),
        (-inf, -inf),
        (0.0, 0.0),
        (-0.0, -0.0),
        (nan, nan),
        (0.5, 0.0),
        (-0.5, -0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (-2.5, -2.0),
    ],
    "sigmoid": [(nan, nan), (ZERO, 0.5), (inf, 1.0), (-inf, 0.0)],
    "sign": [(BELOW_ZERO, -1.0), (ZERO, either(0.0)), (ABOVE_ZERO, 1.0), (nan, nan)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (INFINITE, nan)],
    "sinc": [(nan, nan), (ZERO, 1.0)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (BELOW_ZERO, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(nan, nan), (ZERO, 0.0), (INFINITE, inf), (-3.0, 9.0)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (INFINITE, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [
        (inf, inf),
        (-inf, -inf),
        (0.0, 0.0),
        (-0.0, -0.0),
        (nan, nan),
        (-0.5, -0.0),
        (0.5, 0.0),
        (3.0, 3.0),
        (-2.5, -2.0),
    ],
    # Predicates.
    "isfinite": [(INFINITE, False), (nan, False), (FINITE, True)],
    "isinf": [(INFINITE, True), (nan, False), (FINITE, False)],
    "isnan": [(nan, True), (NOT_NAN, False)],
    "signbit": [
        (0.0, False),
        (-0.0, True),
        (ABOVE_ZERO, False),
        (BELOW_ZERO, True),
        (nan, False),
        (-nan, True),
    ],
    "logical_not": [(ZERO, True), (NONZERO + INFINITE, False), (nan, False)],
}

# --- real-valued functions of two arguments -------------------------------------------------------

REAL_BINARY: dict[str, list[tuple[Any, Any, Any]]] = {
    "add": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (inf, -inf, nan),
        (-inf, inf, nan),
        (inf, (inf, *FINITE), inf),
        (-inf, (-inf, *FINITE), -inf),
        (FINITE, inf, inf),
        (FINITE, -inf, -inf),
        (-0.0, -0.0, -0.0),
        (-0.0, 0.0, 0.0),
        (0.0, ZERO, 0.0),
        (ZERO, 1.5, 1.5),
        (1.5, ZERO, 1.5),
        (1.5, -1.5, 0.0),
    ],
    "subtract": [
        (nan, ANY, nan),
        (inf, inf, nan),
        (-inf, -inf, nan),
        (inf, (-inf, *FINITE), inf),
        (FINITE, inf, -inf),
        (-0.0, 0.0, -0.0),
        (0.0, ZERO, 0.0),
        (1.5, 1.5, 0.0),
    ],
    "multiply": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (INFINITE, ZERO, nan),
        (ZERO, INFINITE, nan),
        (inf, ABOVE_ZERO, inf),
        (inf, BELOW_ZERO, -inf),
        (-inf, ABOVE_ZERO, -inf),
        (-inf, BELOW_ZERO, inf),
        (POSITIVE, inf, inf),
        (NEGATIVE, inf, -inf),
        (0.0, POSITIVE, 0.0),
        (0.0, NEGATIVE, -0.0),
        (-0.0, NEGATIVE, 0.0),
    ],
    "divide": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (INFINITE, INFINITE, nan),
        (ZERO, ZERO, nan),
        (0.0, ABOVE_ZERO, 0.0),
        (-0.0, ABOVE_ZERO, -0.0),
        (0.0, BELOW_ZERO, -0.0),
        (-0.0, BELOW_ZERO, 0.0),
        (ABOVE_ZERO, 0.0, inf),
        (ABOVE_ZERO, -0.0, -inf),
        (BELOW_ZERO, 0.0, -inf),
        (BELOW_ZERO, -0.0, inf),
        (inf, POSITIVE, inf),
        (inf, NEGATIVE, -inf),
        (-inf, POSITIVE, -inf),
        (-inf, NEGATIVE, inf),
        (POSITIVE, inf, 0.0),
        (POSITIVE, -inf, -0.0),
        (NEGATIVE, inf, -0.0),
        (NEGATIVE, -inf, 0.0),
    ],
    "floor_divide": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (INFINITE, INFINITE, nan),
        (ZERO, ZERO, nan),
        (0.0, ABOVE_ZERO, 0.0),
        (-0.0, ABOVE_ZERO, -0.0),
        (0.0, BELOW_ZERO, -0.0),
        (-0.0, BELOW_ZERO, 0.0),
        (ABOVE_ZERO, 0.0, inf),
        (ABOVE_ZERO, -0.0, -inf),
        (BELOW_ZERO, 0.0, -inf),
        (BELOW_ZERO, -0.0, inf),
        (inf, POSITIVE, inf),
        (inf, NEGATIVE, -inf),
        (-inf, POSITIVE, -inf),
        (-inf, NEGATIVE, inf),
        (POSITIVE, inf, 0.0),
        (POSITIVE, -inf, -0.0),
        (NEGATIVE, inf, -0.0),
        (NEGATIVE, -inf, 0.0),
        (0.5, 1.0, 0.0),
        (-0.5, -1.0, 0.0),
        (-0.5, 1.0, -1.0),
        (7.0, -2.0, -4.0),
    ],
    "remainder": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (INFINITE, INFINITE, nan),
        (ZERO, ZERO, nan),
        (ZERO, POSITIVE, 0.0),
        (ZERO, NEGATIVE, -0.0),
        (NONZERO, ZERO, nan),
        (INFINITE, NONZERO, nan),
        (1.5, inf, 1.5),
        (POSITIVE, -inf, -inf),
        (NEGATIVE, inf, inf),
        (-1.5, -inf, -1.5),
        (7.0, -2.0, -1.0),
        (-7.0, 2.0, 1.0),
        (6.0, -2.0, -0.0),
    ],
    "fmod": [(nan, ANY, nan), (INFINITE, ANY, nan), (NONZERO, ZERO, nan), (-7.0, 2.0, -1.0)],
    "pow": [
        ((0.5, -1.0, 2.0, inf, -inf, nan), nan, nan),
        (ANY, ZERO, 1.0),
        (nan, ANY_BUT_ZERO, nan),
        ((1.5, -1.5, 3.0, -3.0, inf, -inf), inf, inf),
        ((1.5, -1.5, 3.0, -3.0, inf, -inf), -inf, 0.0),
        ((1.0, -1.0), INFINITE, 1.0),
        (1.0, NOT_NAN, 1.0),
        ((0.5, -0.5, 0.0, -0.0), inf, 0.0),
        ((0.5, -0.5, 0.0, -0.0), -inf, inf),
        (inf, ABOVE_ZERO, inf),
        (inf, BELOW_ZERO, 0.0),
        (-inf, ODD, -inf),
        (-inf, NOT_ODD, inf),
        (-inf, tuple(-v for v in ODD), -0.0),
        (-inf, tuple(-v for v in NOT_ODD), 0.0),
        (0.0, ABOVE_ZERO, 0.0),
        (0.0, BELOW_ZERO, inf),
        (-0.0, ODD, -0.0),
        (-0.0, NOT_ODD, 0.0),
        (-0.0, tuple(-v for v in ODD), -inf),
        (-0.0, tuple(-v for v in NOT_ODD), inf),
        (NEGATIVE, (0.5, -0.5, 2.5, 1e-7), nan),
    ],
    "atan2": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (ABOVE_ZERO, ZERO, pi / 2),
        (BELOW_ZERO, ZERO, -pi / 2),
        (0.0, (0.0, *ABOVE_ZERO), 0.0),
        (0.0, (-0.0, *BELOW_ZERO), pi),
        (-0.0, (0.0, *ABOVE_ZERO), -0.0),
        (-0.0, (-0.0, *BELOW_ZERO), -pi),
        (POSITIVE, inf, 0.0),
        (POSITIVE, -inf, pi),
        (NEGATIVE, inf, -0.0),
        (NEGATIVE, -inf, -pi),
        (inf, FINITE, pi / 2),
        (-inf, FINITE, -pi / 2),
        (inf, inf, pi / 4),
        (inf, -inf, 3 * pi / 4),
        (-inf, inf, -pi / 4),
        (-inf, -inf, -3 * pi / 4),
    ],
    "copysign": [
        (1.5, (0.0, *ABOVE_ZERO), 1.5),
        (1.5, (-0.0, *BELOW_ZERO), -1.5),
        (-1.5, (0.0, *ABOVE_ZERO), 1.5),
        (1.5, nan, 1.5),
        (1.5, -nan, -1.5),
        (0.0, -1.0, -0.0),
        (-inf, 1.0, inf),
        (nan, ANY, nan),
    ],
    "hypot": [
        (INFINITE, ANY, inf),
        (ANY, INFINITE, inf),
        (ZERO, -1.5, 1.5),
        (-1.5, ZERO, 1.5),
        ((nan, *FINITE), nan, nan),
        (nan, (nan, *FINITE), nan),
        (ZERO, ZERO, 0.0),
    ],
    "logaddexp": [
        (nan, ANY, nan),
        (ANY, nan, nan),
        (inf, NOT_NAN, inf),
        (NOT_NAN, inf, inf),
        (-inf, -inf, -inf),
        (-inf, 1.5, 1.5),
    ],
    "logaddexp2": [(nan, ANY, nan), (inf, NOT_NAN, inf), (-inf, -inf, -inf), (1.0, 1.0, 2.0)],
    "maximum": [(nan, ANY, nan), (ANY, nan, nan), (inf, NOT_NAN, inf), (-inf, 1.5, 1.5)],
    "minimum": [(nan, ANY, nan), (ANY, nan, nan), (-inf, NOT_NAN, -inf), (inf, 1.5, 1.5)],
    "nextafter": [(nan, ANY, nan), (ANY, nan, nan), (-0.0, 0.0, 0.0), (0.0, -0.0, -0.0)],
    "heaviside": [(nan, ANY, nan), (BELOW_ZERO, ANY, 0.0), (ABOVE_ZERO, ANY, 1.0), (0.0, 0.5, 0.5)],
    # Comparisons.
    "equal": [
        (nan, ANY, False),
        (ANY, nan, False),
        (inf, inf, True),
        (-inf, -inf, True),
        (ZERO, ZERO, True),
        (1.5, 1.5, True),
        (inf, (-inf, *FINITE), False),
    ],
    "not_equal": [
        (nan, ANY, True),
        (ANY, nan, True),
        (inf, -inf, True),
        (-inf, inf, True),
        (1.5, 3.0, True),
        (inf, inf, False),
        (ZERO, ZERO, False),
    ],
    "less": [(nan, ANY, False), (ANY, nan, False), (ZERO, ZERO, False), (-inf, FINITE, True)],
    "less_equal": [(nan, ANY, False), (ANY, nan, False), (ZERO, ZERO, True), (inf, inf, True)],
    "greater": [(nan, ANY, False), (ANY, nan, False), (ZERO, ZERO, False), (inf, FINITE, True)],
    "greater_equal": [(nan, ANY, False), (ANY, nan, False), (ZERO, ZERO, True), (inf, inf, True)],
    "logical_and": [(nan, ABOVE_ZERO, True), (nan, ZERO, False)],
    "logical_or": [(nan, ZERO, True), (ZERO, ZERO, False)],
    "logical_xor": [(nan, ZERO, True), (nan, nan, False)],
    "absorbing_multiply": [
        (ZERO, ANY, either(0.0)),
        (ANY, ZERO, either(0.0)),
        (inf, POSITIVE, inf),
        (nan, NONZERO, nan),
        (1.5, -2.0, -3.0),
    ],
}

# --- complex functions of one argument: (a, b, real, imag) ----------------------------------------


def cis_times(radius: float, minus: float = 0.0) -> Any:
    """Return the ``radius * cis(b) - minus`` of a table; subtracting 0 keeps a negative zero."""
    return lambda b: (radius * math.cos(b) - minus, radius * math.sin(b))


COMPLEX_UNARY: dict[str, list[tuple[Any, ...]]] = {
    "acos": [
        (ZERO, 0.0, pi / 2, -0.0),
        (ZERO, nan, pi / 2, nan),
        (FINITE, inf, pi / 2, -inf),
        (NONZERO, nan, nan, nan),
        (-inf, POSITIVE, pi, -inf),
        (inf, POSITIVE, 0.0, -inf),
        (-inf, inf, 3 * pi / 4, -inf),
        (inf, inf, pi / 4, -inf),
        (INFINITE, nan, nan, either(inf)),
        (nan, FINITE, nan, nan),
        (nan, inf, nan, -inf),
        (nan, nan, nan, nan),
    ],
    "acosh": [
        (ZERO, 0.0, 0.0, pi / 2),
        (FINITE, inf, inf, pi / 2),
        (NONZERO, nan, nan, nan),
        (0.0, nan, nan, either(pi / 2)),
        (-inf, POSITIVE, inf, pi),
        (inf, POSITIVE, inf, 0.0),
        (-inf, inf, inf, 3 * pi / 4),
        (inf, inf, inf, pi / 4),
        (INFINITE, nan, inf, nan),
        (nan, FINITE, nan, nan),
        (nan, inf, inf, nan),
        (nan, nan, nan, nan),
    ],
    "asinh": [
        (0.0, 0.0, 0.0, 0.0),
        (POSITIVE, inf, inf, pi / 2),
        (FINITE, nan, nan, nan),
        (inf, POSITIVE, inf, 0.0),
        (inf, inf, inf, pi / 4),
        (inf, nan, inf, nan),
        (nan, 0.0, nan, 0.0),
        (nan, NONZERO, nan, nan),
        (nan, inf, either(inf), nan),
        (nan, nan, nan, nan),
    ],
    "atanh": [
        (0.0, 0.0, 0.0, 0.0),
        (0.0, nan, 0.0, nan),
        (1.0, 0.0, inf, 0.0),
        (POSITIVE, inf, 0.0, pi / 2),
        (NONZERO, nan, nan, nan),
        (inf, POSITIVE, 0.0, pi / 2),
        (inf, inf, 0.0, pi / 2),
        (inf, nan, 0.0, nan),
        (nan, FINITE, nan, nan),
        (nan, inf, either(0.0), pi / 2),
        (nan, nan, nan, nan),
    ],
    "cosh": [
        (0.0, 0.0, 1.0, 0.0),
        (0.0, inf, nan, either(0.0)),
        (0.0, nan, nan, either(0.0)),
        (NONZERO, (inf, nan), nan, nan),
        (inf, 0.0, inf, 0.0),
        (inf, NONZERO, cis_times(inf)),
        (inf, inf, either(inf), nan),
        (inf, nan, inf, nan),
        (nan, ZERO, nan, either(0.0)),
        (nan, NONZERO, nan, nan),
        (nan, nan, nan, nan),
    ],
    "exp": [
        (ZERO, 0.0, 1.0, 0.0),
        (FINITE, (inf, nan), nan, nan),
        (inf, 0.0, inf, 0.0),
        (-inf, FINITE, cis_times(0.0)),
        (inf, NONZERO, cis_times(inf)),
        (-inf, (inf, nan), either(0.0), either(0.0)),
        (inf, (inf, nan), either(inf), nan),
        (nan, 0.0, nan, 0.0),
        (nan, ANY_BUT_ZERO, nan, nan),
        (nan, nan, nan, nan),
    ],
    "expm1": [
        (ZERO, 0.0, 0.0, 0.0),
        (FINITE, (inf, nan), nan, nan),
        (inf, 0.0, inf, 0.0),
        (-inf, FINITE, cis_times(0.0, 1.0)),
        (inf, NONZERO, cis_times(inf, 1.0)),
        (-inf, (inf, nan), -1.0, either(0.0)),
        (inf, (inf, nan), either(inf), nan),
        (nan, 0.0, nan, 0.0),
        (nan, ANY_BUT_ZERO, nan, nan),
        (nan, nan, nan, nan),
        # Not in the table: beyond the overflow of exp the imaginary zero stays.
        (1000.0, 0.0, inf, 0.0),
    ],
    "log": [
        (-0.0, 0.0, -inf, pi),
        (0.0, 0.0, -inf, 0.0),
        (FINITE, inf, inf, pi / 2),
        (FINITE, nan, nan, nan),
        (-inf, POSITIVE, inf, pi),
        (inf, POSITIVE, inf, 0.0),
        (-inf, inf, inf, 3 * pi / 4),
        (inf, inf, inf, pi / 4),
        (INFINITE, nan, inf, nan),
        (nan, FINITE, nan, nan),
        (nan, inf, inf, nan),
        (nan, nan, nan, nan),
    ],
    "log1p": [
        (-1.0, 0.0, -inf, 0.0),
        (FINITE, inf, inf, pi / 2),
        (FINITE, nan, nan, nan),
        (-inf, POSITIVE, inf, pi),
        (inf, POSITIVE, inf, 0.0),
        (-inf, inf, inf, 3 * pi / 4),
        (inf, inf, inf, pi / 4),
        (INFINITE, nan, inf, nan),
        (nan, FINITE, nan, nan),
        (nan, inf, inf, nan),
        (nan, nan, nan, nan),
    ],
    "sign": [
        (ZERO, ZERO, either(0.0), either(0.0)),
        (nan, ANY, nan, nan),
        (ANY, nan, nan, nan),
        (POSITIVE, ZERO, 1.0, either(0.0)),
        (ZERO, NEGATIVE, either(0.0), -1.0),
        (-3.0, 4.0, -0.6, 0.8),
    ],
    "sinh": [
        (0.0, 0.0, 0.0, 0.0),
        (0.0, (inf, nan), either(0.0), nan),
        (POSITIVE, (inf, nan), nan, nan),
        (inf, 0.0, inf, 0.0),
        (inf, POSITIVE, cis_times(inf)),
        (inf, (inf, nan), either(inf), nan),
        (nan, 0.0, nan, 0.0),
        (nan, NONZERO, nan, nan),
        (nan, nan, nan, nan),
    ],
    "sqrt": [
        (ZERO, 0.0, 0.0, 0.0),
        (ANY, inf, inf, inf),
        (FINITE, nan, nan, nan),
        (-inf, POSITIVE, 0.0, inf),
        (inf, POSITIVE, inf, 0.0),
        (-inf, nan, nan, either(inf)),
        (inf, nan, inf, nan),
        (nan, FINITE, nan, nan),
        (nan, nan, nan, nan),
    ],
    "tanh": [
        (0.0, 0.0, 0.0, 0.0),
        (NONZERO, (inf, nan), nan, nan),
        (0.0, (inf, nan), 0.0, nan),
        (inf, POSITIVE, 1.0, 0.0),
        (inf, (inf, nan), 1.0, either(0.0)),
        (nan, 0.0, nan, 0.0),
        (nan, (*NONZERO, inf), nan, nan),
        (nan, nan, nan, nan),
    ],
    "round": [
        (2.5, -0.5, 2.0, -0.0),
        (nan, 1.5, nan, 2.0),
        (inf, nan, inf, nan),
        (-0.0, -inf, -0.0, -inf),
    ],
}

# Odd functions and even ones, for which half of each table follows by reflection.
ODD_FUNCTIONS = ("asinh", "atanh", "sinh", "tanh")
# f(x) = -1j * g(1j * x)
TURNED = {"sin": "sinh", "tan": "tanh", "asin": "asinh", "atan": "atanh"}

COMPLEX_TO_REAL: dict[str, list[tuple[Any, Any, Any]]] = {
    "abs": [
        (INFINITE, ANY, inf),
        (ANY, INFINITE, inf),
        (ZERO, -1.5, 1.5),
        (-1.5, ZERO, 1.5),
        (nan, FINITE, nan),
        (FINITE, nan, nan),
        (nan, nan, nan),
    ],
    "isfinite": [
        (nan, ANY, False),
        (ANY, nan, False),
        (INFINITE, ANY, False),
        (ANY, INFINITE, False),
        (FINITE, FINITE, True),
    ],
    "isinf": [
        (INFINITE, ANY, True),
        (ANY, INFINITE, True),
        (FINITE, (nan, *FINITE), False),
        (nan, nan, False),
    ],
    "isnan": [(nan, ANY, True), (ANY, nan, True), (NOT_NAN, NOT_NAN, False)],
    "angle": [(-1.0, 0.0, pi), (0.0, 1.0, pi / 2), (1.0, -0.0, -0.0), (nan, 1.0, nan)],
}

FLOATS = [np.dtype(d) for d in ("float16", "float32", "float64")] + [np.dtype(ml_dtypes.bfloat16)]
COMPLEX = [np.dtype(d) for d in ("complex64", "complex128")]


def expand(arguments: tuple[Any, ...]) -> list[tuple[float, ...]]:
    return list(itertools.product(*(a if isinstance(a, tuple) else (a,) for a in arguments)))


def as_dtype(values: list[float], dtype: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(values, np.float64).astype(dtype)


def agrees(got: float, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, either):
        return agrees(abs(got), abs(expected.value), tolerance)
    if isinstance(expected, bool):
        return bool(got) is expected
    if math.isnan(expected):
        return math.isnan(got)
    if expected == 0 or math.isinf(expected):
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return math.isclose(got, expected, rel_tol=tolerance)


def has_no_flag_to_raise(inputs: list[float], results: list[Any]) -> bool:
    """Return whether neither a NaN nor an infinity is new in the result."""
    values = [r.value if isinstance(r, either) else r for r in results]
    new_nan = any(map(math.isnan, values)) and not any(map(math.isnan, inputs))
    new_infinity = any(map(math.isinf, values)) and all(map(math.isfinite, inputs))
    return not (new_nan or new_infinity)


def cases(table: Iterable[str], dtypes: list[np.dtype]) -> list[Any]:
    return [
        pytest.param(op, dtype, id=f"{op}-{dtype}")
        for op, dtype in itertools.product(table, dtypes)
    ]


def evaluate(op: str, arrays: list[np.ndarray], quiet: bool) -> Any:
    """Return the kernel's result; FloatingPointError if it raises a flag that it should not."""
    state = "raise" if quiet else "ignore"
    with np.errstate(invalid=state, divide=state, over="ignore", under="ignore"):
        kernel = find(op, tuple(x.dtype for x in arrays))
        assert kernel is not None
        result = np.asarray(kernel(*arrays))
    with np.errstate(all="ignore"):
        general = np.asarray(KERNELS[op](*arrays))
    assert general.dtype == result.dtype
    # As complex128, because NumPy's comparison of results does not know the NaN of bfloat16.
    np.testing.assert_array_equal(general.astype(complex), result.astype(complex))
    return result


@pytest.mark.parametrize(("op", "dtype"), cases(REAL_UNARY, FLOATS))
def test_real_unary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for argument, expected in REAL_UNARY[op]:
        for (value,) in expand((argument,)):
            x = as_dtype([value], dtype)
            quiet = has_no_flag_to_raise([value], [expected])
            result = evaluate(op, [x], quiet)
            assert result.dtype in (dtype, np.bool_)
            assert agrees(float(result[0]), expected, 1e-2), (op, value, result, expected)


@pytest.mark.parametrize(("op", "dtype"), cases(REAL_BINARY, FLOATS))
def test_real_binary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for *arguments, expected in REAL_BINARY[op]:
        for values in expand(tuple(arguments)):
            arrays = [as_dtype([v], dtype) for v in values]
            quiet = has_no_flag_to_raise(list(values), [expected])
            if op.startswith("logaddexp") and any(map(math.isnan, values)):
                quiet = False  # NumPy reports a mere NaN
            result = evaluate(op, arrays, quiet)
            assert result.dtype in (dtype, np.bool_)
            assert agrees(float(result[0]), expected, 1e-2), (op, values, result, expected)


def check_complex(op: str, dtype: np.dtype, a: float, b: float, expected: tuple[Any, Any]) -> None:
    x = np.empty(1, dtype)
    x.real, x.imag = a, b
    quiet = has_no_flag_to_raise([a, b], list(expected))
    result = evaluate(op, [x], quiet)
    assert result.dtype == dtype
    got = (float(result.real[0]), float(result.imag[0]))
    assert agrees(got[0], expected[0], 1e-5), (op, x, result, expected)
    assert agrees(got[1], expected[1], 1e-5), (op, x, result, expected)


def complex_rows(op: str) -> list[tuple[float, float, Any, Any]]:
    """Return the table of ``op`` with one row per value, and what conjugation adds to it."""
    rows = []
    for row in COMPLEX_UNARY[op]:
        for a, b in expand(row[:2]):
            real, imag = row[2](b) if len(row) == 3 else row[2:]
            rows += [(a, b, real, imag), (a, -b, real, opposite(imag))]
            if op in ODD_FUNCTIONS:
                rows += [(-a, -b, opposite(real), opposite(imag)), (-a, b, opposite(real), imag)]
            elif op == "cosh":
                rows += [(-a, -b, real, imag), (-a, b, real, opposite(imag))]
    return rows


def opposite(value: Any) -> Any:
    return value if isinstance(value, either) else -value


@pytest.mark.parametrize(("op", "dtype"), cases(COMPLEX_UNARY, COMPLEX))
def test_complex_unary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows(op):
        check_complex(op, dtype, a, b, (real, imag))


@pytest.mark.parametrize(("op", "dtype"), cases(TURNED, COMPLEX))
def test_complex_circular_function_is_the_turned_hyperbolic_one(op: str, dtype: np.dtype) -> None:
    # 1j * x = -b + a j, and -1j * (r + s j) = s - r j.
    for a, b, real, imag in complex_rows(TURNED[op]):
        check_complex(op, dtype, b, -a, (imag, opposite(real)))


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_cos_is_cosh_of_turned_argument(dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows("cosh"):
        check_complex("cos", dtype, b, -a, (real, imag))


@pytest.mark.parametrize(("op", "base"), [("log2", 2.0), ("log10", 10.0)])
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_log_changes_base(op: str, base: float, dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows("log"):
        check_complex(op, dtype, a, b, (real / math.log(base), imag / math.log(base)))


@pytest.mark.parametrize(("op", "dtype"), cases(COMPLEX_TO_REAL, COMPLEX))
def test_complex_to_real_follows_the_table(op: str, dtype: np.dtype) -> None:
    for *arguments, expected in COMPLEX_TO_REAL[op]:
        for a, b in expand(tuple(arguments)):
            x = np.empty(1, dtype)
            x.real, x.imag = a, b
            result = evaluate(op, [x], quiet=True)
            assert result.dtype.kind in "fb"
            assert agrees(float(result[0]), expected, 1e-5), (op, x, result, expected)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_equality_compares_components(dtype: np.dtype) -> None:
    def number(a: float, b: float) -> np.ndarray:
        x = np.empty(1, dtype)
        x.real, x.imag = a, b
        return x

    rows = [
        (number(nan, 1), number(nan, 1), False),
        (number(1, nan), number(1, nan), False),
        (number(1, inf), number(1, inf), True),
        (number(0.0, -0.0), number(-0.0, 0.0), True),
        (number(1, 2), number(1, 3), False),
    ]
    for x1, x2, expected in rows:
        assert KERNELS["equal"](x1, x2)[0] == expected
        assert KERNELS["not_equal"](x1, x2)[0] != expected


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_clip_with_nan_anywhere_is_nan(dtype: np.dtype, position: int) -> None:
    values = [1.0, 0.0, 2.0]
    values[position] = nan
    result = KERNELS["clip"](*(as_dtype([v], dtype) for v in values))
    assert np.isnan(result.astype(np.float64)).all()


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_absorbing_multiply_of_complex_zero_is_exactly_zero(dtype: np.dtype) -> None:
    g = np.array([0, 2, 0j, 1 + 1j], dtype)
    p = np.array([complex(inf, nan), 0, complex(nan, nan), 2j], dtype)
    with np.errstate(all="raise"):
        result = KERNELS["absorbing_multiply"](g, p)
    assert result.tolist() == [0, 0, 0, -2 + 2j]


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_reciprocal_is_one_divided_by(dtype: np.dtype) -> None:
    x = np.array([0, 2, 3 - 4j, complex(inf, 1), complex(nan, nan)], dtype)
    with np.errstate(all="ignore"):
        expected = np.divide(dtype.type(1), x)
        np.testing.assert_array_equal(KERNELS["reciprocal"](x), expected)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_special_elements_leave_their_neighbours_alone(dtype: np.dtype) -> None:
    """A NaN in the array takes the slow route; ordinary elements must not change by it."""
    x = np.array([0.5 + 0.25j, complex(nan, inf), -0.25 + 1j], dtype)
    for op in (*COMPLEX_UNARY, *TURNED, "cos", "log2", "log10"):
        with np.errstate(all="ignore"):
            together = KERNELS[op](x)
            apart = KERNELS[op](x[[0, 2]])
        assert together[[0, 2]].tolist() == apart.tolist(), op


def test_floor_divide_by_zero_warns_as_numpy_does() -> None:
    x = np.array([1.0, inf])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["floor_divide"](x, np.array([0.0, 2.0])).tolist() == [inf, inf]
    integers = np.array([7, -7])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["floor_divide"](integers, np.array([0, 2])).tolist() == [0, -4]
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["remainder"](integers, np.array([0, 2])).tolist() == [0, 1]
