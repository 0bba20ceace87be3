"""Elliptic integrals and functions; Carlson's symmetric forms; the arithmetic-geometric mean.

Formulas go through Carlson's forms, which have none of the cancellations that Legendre's have at
m == 0. [1]_

References
----------
.. [1] NIST Digital Library of Mathematical Functions, sections 19.18 and 19.25.
"""

from __future__ import annotations

import math
from typing import Any

from .._cotangents import times
from .._op import Op
from ..ops.exponential import sqrt
from ..ops.rounding import rint
from ..ops.searching import where
from ..ops.trigonometric import cos, sin
from . import _contour
from ._function import Special, special
from ._shapes import make_op, run

# -- Carlson's integrals ---------------------------------------------------------------------------


def _carlson(*args: Any, exponents: tuple[float, ...], power: int = 0) -> Any:
    """Integral of t**power times the product of (t + argument)**-exponent over t > 0."""
    missing = 4 - len(args)
    return run(
        _CARLSON, *args, *(args[-1],) * missing,
        exponents=exponents + (0.0,) * missing, power=power,
    )  # fmt: skip


def _by(i: int) -> Any:
    def rule(
        g: Any, x: Any, y: Any, z: Any, w: Any, exponents: tuple[float, ...], power: int
    ) -> Any:
        exponent = exponents[i]
        if not exponent:
            return times(g, 0.0 * g)
        raised = (*exponents[:i], exponent + 1, *exponents[i + 1 :])
        return times(g, -exponent * _carlson(x, y, z, w, exponents=raised, power=power))

    return rule


_CARLSON: Op = make_op(
    "carlson", ("x", "y", "z", "w"), _contour.carlson, x=_by(0), y=_by(1), z=_by(2), w=_by(3)
)


def _rd(i: int) -> Any:
    exponents = tuple((1.5 if k == 2 else 0.5) + (k == i) for k in range(3))
    return lambda x, y, z: -1.5 * (exponents[i] - 1) * _carlson(x, y, z, exponents=exponents)


def _rg(i: int) -> Any:
    exponents = tuple(0.5 + (k == i) for k in range(3))
    return lambda x, y, z: _carlson(x, y, z, exponents=exponents, power=1) / 8


def _rj(i: int) -> Any:
    exponents = tuple((1.0 if k == 3 else 0.5) + (k == i) for k in range(4))
    return lambda x, y, z, p: -1.5 * (exponents[i] - 1) * _carlson(x, y, z, p, exponents=exponents)


def _rc_y(x: Any, y: Any, out: Any) -> Any:
    # Left of 0 the integral is a principal value: the closed form, which has a pole at x == y.
    principal = ((sqrt(x) / y) - out) / (2 * (x - y))
    safe = where(y > 0, y, 1)
    return where(y > 0, -0.5 * _carlson(x, safe, exponents=(0.5, 2.0)), principal)


def _rc_x(x: Any, y: Any, out: Any) -> Any:
    principal = (out - 1 / sqrt(x)) / (2 * (y - x))
    safe = where(y > 0, y, 1)
    return where(y > 0, -0.25 * _carlson(x, safe, exponents=(1.5, 1.0)), principal)


elliprc: Special = special("elliprc", ("x", "y"), x=_rc_x, y=_rc_y, holomorphic=False)
elliprf: Special = special(
    "elliprf", ("x", "y", "z"), holomorphic=False,
    x=lambda x, y, z: -elliprd(y, z, x) / 6,
    y=lambda x, y, z: -elliprd(x, z, y) / 6,
    z=lambda x, y, z: -elliprd(x, y, z) / 6,
)  # fmt: skip
elliprd: Special = special(
    "elliprd", ("x", "y", "z"), x=_rd(0), y=_rd(1), z=_rd(2), holomorphic=False
)
elliprg: Special = special(
    "elliprg", ("x", "y", "z"), x=_rg(0), y=_rg(1), z=_rg(2), holomorphic=False
)
elliprj: Special = special(
    "elliprj", ("x", "y", "z", "p"), x=_rj(0), y=_rj(1), z=_rj(2), p=_rj(3), holomorphic=False
)

# -- Legendre's integrals --------------------------------------------------------------------------


def _k_slope(p: Any) -> Any:
    """The derivative of K by m, for the complementary parameter p = 1 - m."""
    return elliprd(0.0, 1.0, p) / 6


def _e_slope(p: Any) -> Any:
    return -elliprd(0.0, p, 1.0) / 6


def _period(phi: Any) -> tuple[Any, Any, Any]:
    """Number of half turns in phi; sine and cosine of the rest."""
    turns = rint(phi / math.pi)
    rest = phi - math.pi * turns
    return turns, sin(rest), cos(rest)


def _f_slope(phi: Any, m: Any) -> Any:
    turns, s, c = _period(phi)
    part = s**3 * elliprd(c**2, 1.0, 1 - m * s**2) / 6
    return part + where(turns == 0, 0, 2 * turns * _k_slope(1 - m))


def _e_inc_slope(phi: Any, m: Any) -> Any:
    turns, s, c = _period(phi)
    part = -(s**3) * elliprd(c**2, 1 - m * s**2, 1.0) / 6
    return part + where(turns == 0, 0, 2 * turns * _e_slope(1 - m))


ellipk: Special = special("ellipk", ("m",), m=lambda m: _k_slope(1 - m))
ellipkm1: Special = special("ellipkm1", ("p",), p=lambda p: -_k_slope(p))
ellipe: Special = special("ellipe", ("m",), m=lambda m: _e_slope(1 - m))
ellipkinc: Special = special(
    "ellipkinc", ("phi", "m"), phi=lambda phi, m: 1 / sqrt(1 - m * sin(phi) ** 2), m=_f_slope
)
ellipeinc: Special = special(
    "ellipeinc", ("phi", "m"), phi=lambda phi, m: sqrt(1 - m * sin(phi) ** 2), m=_e_inc_slope
)


# -- Jacobi's functions ----------------------------------------------------------------------------


def _amplitude_m(m: Any, out: Any) -> Any:
    """The derivative of the amplitude by m: u = F(amplitude, m) is held."""
    return -out[2] * _f_slope(out[3], m)


def _dn_m(m: Any, out: Any) -> Any:
    sn, cn, dn, _ = out
    return -(sn**2 + 2 * m * sn * cn * _amplitude_m(m, out)) / (2 * dn)


ellipj: Special = special(
    "ellipj", ("u", "m"),
    u=(lambda out: out[1] * out[2], lambda out: -out[0] * out[2],
       lambda m, out: -m * out[0] * out[1], lambda out: out[2]),
    m=(lambda m, out: out[1] * _amplitude_m(m, out),
       lambda m, out: -out[0] * _amplitude_m(m, out), _dn_m, _amplitude_m),
)  # fmt: skip


# -- the arithmetic-geometric mean: pi / (2 R_F(0, a**2, b**2)) ------------------------------------


def _agm_slope(a: Any, b: Any, out: Any) -> Any:
    return out**2 * a * elliprd(0.0, b**2, a**2) * (2 / (3 * math.pi))


agm: Special = special(
    "agm", ("a", "b"),
    a=lambda a, b, out: _agm_slope(a, b, out), b=lambda a, b, out: _agm_slope(b, a, out),
)  # fmt: skip
