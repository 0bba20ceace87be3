"""The sets of values that the tables of special values name, in the standard's words."""

from __future__ import annotations

import math
from typing import NamedTuple

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
