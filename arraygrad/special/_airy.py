"""Airy, Kelvin and Struve functions, and integrals of Bessel functions."""

from __future__ import annotations

import math
from typing import Any

from ..ops.exponential import pow, sqrt
from ..ops.searching import where
from ._bessel import i0, j0, k0, y0
from ._function import ORDER, Special, special
from ._gamma import rgamma


def _or(at: float, limit: Any, x: Any, value: Any) -> Any:
    """`value` with its removable singularity at x == `at` filled."""
    return where(x == at, limit, value)


# -- Airy ------------------------------------------------------------------------------------------

airy: Special = special(
    "airy", ("z",),
    z=(lambda out: out[1], lambda z, out: z * out[0], lambda out: out[3],
       lambda z, out: z * out[2]),
)  # fmt: skip


def _grown(z: Any) -> Any:
    """The derivative of the exponent 2/3 z**(3/2) that scales; 0 for negative z."""
    return sqrt(where(z > 0, z, 0))


airye: Special = special(
    "airye", ("z",), holomorphic=False,
    z=(lambda z, out: out[1] + sqrt(z) * out[0], lambda z, out: z * out[0] + sqrt(z) * out[1],
       lambda z, out: out[3] - _grown(z) * out[2],
       lambda z, out: z * out[2] - _grown(z) * out[3]),
)  # fmt: skip
itairy: Special = special(
    "itairy",
    x=(lambda x: airy(x)[0], lambda x: airy(x)[2], lambda x: airy(-x)[0], lambda x: airy(-x)[2]),
)

# -- Kelvin ----------------------------------------------------------------------------------------
# be = ber + i bei and ke = ker + i kei solve x**2 w'' + x w' = i x**2 w.

kelvin: Special = special(
    "kelvin",
    x=(lambda out: out[2], lambda out: out[3],
       lambda x, out: _or(0, 0.5j, x, 1j * out[0] - out[2] / x),
       lambda x, out: 1j * out[1] - out[3] / x),
)  # fmt: skip
ber: Special = special("ber", x=lambda x: berp(x))
bei: Special = special("bei", x=lambda x: beip(x))
ker: Special = special("ker", x=lambda x: kerp(x))
kei: Special = special("kei", x=lambda x: keip(x))
berp: Special = special("berp", x=lambda x, out: _or(0, 0, x, -bei(x) - out / x))
beip: Special = special("beip", x=lambda x, out: _or(0, 0.5, x, ber(x) - out / x))
kerp: Special = special("kerp", x=lambda x, out: -kei(x) - out / x)
keip: Special = special("keip", x=lambda x, out: ker(x) - out / x)

# -- Struve ----------------------------------------------------------------------------------------


def _struve_term(v: Any, x: Any) -> Any:
    return pow(x / 2, v) * rgamma(v + 1.5) / math.sqrt(math.pi)


struve: Special = special(
    "struve", ("v", "x"), v=ORDER,
    x=lambda v, x: (struve(v - 1, x) - struve(v + 1, x) + _struve_term(v, x)) / 2,
)  # fmt: skip
modstruve: Special = special(
    "modstruve", ("v", "x"), v=ORDER,
    x=lambda v, x: (modstruve(v - 1, x) + modstruve(v + 1, x) + _struve_term(v, x)) / 2,
)  # fmt: skip
itstruve0: Special = special("itstruve0", x=lambda x: struve(0.0, x))
it2struve0: Special = special(
    "it2struve0", x=lambda x: _or(0, -2 / math.pi, x, -struve(0.0, x) / x)
)
itmodstruve0: Special = special("itmodstruve0", x=lambda x: modstruve(0.0, x))

# -- integrals of Bessel functions -----------------------------------------------------------------

itj0y0: Special = special("itj0y0", x=(lambda x: j0(x), lambda x: y0(x)))
iti0k0: Special = special("iti0k0", x=(lambda x: i0(x), lambda x: k0(x)))
it2j0y0: Special = special(
    "it2j0y0", x=(lambda x: _or(0, 0, x, (1 - j0(x)) / x), lambda x: -y0(x) / x)
)
it2i0k0: Special = special(
    "it2i0k0", x=(lambda x: _or(0, 0, x, (i0(x) - 1) / x), lambda x: -k0(x) / x)
)
