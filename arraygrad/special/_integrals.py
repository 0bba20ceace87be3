"""Exponential, sine, Fresnel and related integrals; Lambert's and Wright's functions."""

from __future__ import annotations

import math
from typing import Any

from ..ops.comparison import maximum
from ..ops.exponential import exp, log
from ..ops.parts import abs
from ..ops.searching import where
from ..ops.trigonometric import cos, cosh, sin, sinc
from ._function import ORDER, Special, special
from ._hypergeometric import exprel, hyp2f1

_HALF_PI = math.pi / 2


def _expn_x(n: Any, x: Any) -> Any:
    explicit = -exp(-x) * (1 + 1 / x) / x  # of order 0, which is exp(-x) / x
    return where(n == 0, explicit, -expn(maximum(n - 1, 0), x))


expi: Special = special("expi", x=lambda x: exp(x) / x)
exp1: Special = special("exp1", ("z",), z=lambda z: -exp(-z) / z)
expn: Special = special("expn", ("n", "x"), n=ORDER, x=_expn_x)
shichi: Special = special(
    "shichi", x=(lambda x: (exprel(x) + exprel(-x)) / 2, lambda x: cosh(x) / x), holomorphic=False
)
sici: Special = special("sici", x=(lambda x: sinc(x / math.pi), lambda x: cos(x) / x))
fresnel: Special = special(
    "fresnel", ("z",), z=(lambda z: sin(_HALF_PI * z**2), lambda z: cos(_HALF_PI * z**2))
)
_TURN = complex(math.sqrt(0.5), math.sqrt(0.5))  # exp(i pi / 4)
modfresnelp: Special = special(
    "modfresnelp",
    x=(lambda x: -exp(1j * x**2),
       lambda x, out: -2j * x * out[1] - _TURN.conjugate() / math.sqrt(math.pi)),
)  # fmt: skip
modfresnelm: Special = special(
    "modfresnelm",
    x=(lambda x: -exp(-1j * x**2), lambda x, out: 2j * x * out[1] - _TURN / math.sqrt(math.pi)),
)


def _spence_z(z: Any) -> Any:
    d = z - 1
    if z._array.dtype.kind == "c":
        return -log(z) / d
    # log(1 + d) / d has a removable singularity at 0.
    near = where(abs(d) < 0.5, d, 0)
    return where(abs(d) < 0.5, -hyp2f1(1.0, 1.0, 2.0, -near), -log(z) / d)


spence: Special = special("spence", ("z",), z=_spence_z)
wrightomega: Special = special("wrightomega", ("z",), z=lambda out: out / (1 + out))
_LAMBERT: Special = special(
    "_lambertw", ("z", "k", "tol"),
    z=lambda out: exp(-out) / (1 + out), k=ORDER, tol="it is the tolerance of an iteration",
)  # fmt: skip


def lambertw(z: Any, k: int = 0, tol: float = 1e-8) -> Any:
    """Lambert's W: the solution w of w * exp(w) == z.

    Parameters
    ----------
    z : Tensor, floating-point
    k : int
        Branch.
    tol : float
        Relative tolerance of the iteration.

    Returns
    -------
    Tensor
        Complex.

    Notes
    -----
    Derivative: exp(-w) / (1 + w).
    """
    return _LAMBERT(z, k, tol)
