"""Mathieu, spheroidal and parabolic cylinder functions: by the argument.

SciPy gives each together with its derivative; the derivative of that follows from the
differential equation.
"""

from __future__ import annotations

import math
from typing import Any

from ..ops.trigonometric import cos, cosh
from ._function import ORDER, PARAMETER, Special, special

_DEGREE = math.pi / 180

# -- parabolic cylinder ----------------------------------------------------------------------------

pbdv: Special = special(
    "pbdv", ("v", "x"), v=ORDER,
    x=(lambda out: out[1], lambda v, x, out: (x**2 / 4 - v - 0.5) * out[0]),
)  # fmt: skip
pbvv: Special = special(
    "pbvv", ("v", "x"), v=ORDER,
    x=(lambda out: out[1], lambda v, x, out: (x**2 / 4 - v - 0.5) * out[0]),
)  # fmt: skip
pbwa: Special = special(
    "pbwa", ("a", "x"), a=PARAMETER,
    x=(lambda out: out[1], lambda a, x, out: (a - x**2 / 4) * out[0]),
)  # fmt: skip

# -- Mathieu: the angle in degrees, the derivative that SciPy gives by radians ---------------------

mathieu_a: Special = special("mathieu_a", ("m", "q"), m=ORDER, q=PARAMETER)
mathieu_b: Special = special("mathieu_b", ("m", "q"), m=ORDER, q=PARAMETER)


def _angular(name: str, value: Special) -> Special:
    return special(
        name, ("m", "q", "x"), m=ORDER, q=PARAMETER,
        x=(lambda out: _DEGREE * out[1],
           lambda m, q, x, out: _DEGREE * (2 * q * cos(2 * _DEGREE * x) - value(m, q)) * out[0]),
    )  # fmt: skip


def _modified(name: str, value: Special) -> Special:
    return special(
        name, ("m", "q", "x"), m=ORDER, q=PARAMETER,
        x=(lambda out: out[1],
           lambda m, q, x, out: (value(m, q) - 2 * q * cosh(2 * x)) * out[0]),
    )  # fmt: skip


mathieu_cem = _angular("mathieu_cem", mathieu_a)
mathieu_sem = _angular("mathieu_sem", mathieu_b)
mathieu_modcem1 = _modified("mathieu_modcem1", mathieu_a)
mathieu_modcem2 = _modified("mathieu_modcem2", mathieu_a)
mathieu_modsem1 = _modified("mathieu_modsem1", mathieu_b)
mathieu_modsem2 = _modified("mathieu_modsem2", mathieu_b)

# -- spheroidal ------------------------------------------------------------------------------------

pro_cv: Special = special("pro_cv", ("m", "n", "c"), m=ORDER, n=ORDER, c=PARAMETER)
obl_cv: Special = special("obl_cv", ("m", "n", "c"), m=ORDER, n=ORDER, c=PARAMETER)


def _bend(m: Any, c: Any, cv: Any, x: Any, out: Any, kind: str) -> Any:
    """The second derivative: (p s')' = (..) s with p = 1 - x**2 or, oblate and radial, 1 + x**2."""
    if kind == "prolate":  # angular and radial functions solve the same equation
        p, q, dp = 1 - x**2, c**2 * x**2 - cv + m**2 / (1 - x**2), -2 * x
    elif kind == "oblate angular":
        p, q, dp = 1 - x**2, -(c**2) * x**2 - cv + m**2 / (1 - x**2), -2 * x
    else:
        p, q, dp = 1 + x**2, cv - c**2 * x**2 - m**2 / (1 + x**2), 2 * x
    return (q * out[0] - dp * out[1]) / p


def _spheroidal(name: str, kind: str, value: Special) -> Special:
    return special(
        name, ("m", "n", "c", "x"), m=ORDER, n=ORDER, c=PARAMETER,
        x=(lambda out: out[1],
           lambda m, n, c, x, out: _bend(m, c, value(m, n, c), x, out, kind)),
    )  # fmt: skip


def _with_value(name: str, kind: str) -> Special:
    """The same function, whose characteristic value is an argument."""
    return special(
        name, ("m", "n", "c", "cv", "x"), m=ORDER, n=ORDER, c=PARAMETER, cv=PARAMETER,
        x=(lambda out: out[1], lambda m, c, cv, x, out: _bend(m, c, cv, x, out, kind)),
    )  # fmt: skip


pro_ang1 = _spheroidal("pro_ang1", "prolate", pro_cv)
pro_rad1 = _spheroidal("pro_rad1", "prolate", pro_cv)
pro_rad2 = _spheroidal("pro_rad2", "prolate", pro_cv)
obl_ang1 = _spheroidal("obl_ang1", "oblate angular", obl_cv)
obl_rad1 = _spheroidal("obl_rad1", "oblate radial", obl_cv)
obl_rad2 = _spheroidal("obl_rad2", "oblate radial", obl_cv)
pro_ang1_cv = _with_value("pro_ang1_cv", "prolate")
pro_rad1_cv = _with_value("pro_rad1_cv", "prolate")
pro_rad2_cv = _with_value("pro_rad2_cv", "prolate")
obl_ang1_cv = _with_value("obl_ang1_cv", "oblate angular")
obl_rad1_cv = _with_value("obl_rad1_cv", "oblate radial")
obl_rad2_cv = _with_value("obl_rad2_cv", "oblate radial")
