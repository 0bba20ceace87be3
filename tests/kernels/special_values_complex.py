"""Special values of complex functions: a literal copy of the standard's tables.

A row is ``(a, b, real, imag)`` for the argument ``a + bj``, or ``(a, b, result)`` where the result
is real; the rest as in the tables of real-valued functions.
"""

from __future__ import annotations

import math
from typing import Any

from tests.kernels.special_values import (
    ANY,
    ANY_BUT_ZERO,
    FINITE,
    INFINITE,
    NEGATIVE,
    NONZERO,
    NOT_NAN,
    POSITIVE,
    ZERO,
    either,
    inf,
    nan,
    pi,
)

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
