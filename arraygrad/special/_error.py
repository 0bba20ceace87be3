"""The error function and the normal distribution."""

from __future__ import annotations

import math
from typing import Any

from ..ops import exponential
from ..ops.comparison import equal
from ..ops.exponential import exp
from ..ops.parts import abs, imag, real, sign
from ..ops.searching import where
from ._function import Special, special

_TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)
_ROOT_TWO = math.sqrt(2)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)
# Where 1 - 2 x dawsn(x) and its like have lost half of their digits, the asymptotic series has all.
_FAR = 30.0
_TERMS = 9


def _far_series(x: Any, sign: float) -> Any:
    """Sum over k >= 1 of sign**k (2 k - 1)!! / (2 x**2)**k, for |x| beyond _FAR."""
    u = sign / (2 * where(abs(x) > _FAR, x, math.inf) ** 2)
    total: Any = 0.0
    for k in range(_TERMS, 0, -1):
        total = (2 * k - 1) * u * (1 + total)
    return total


def _erfcx_slope(x: Any, out: Any) -> Any:
    near = 2 * x * out - _TWO_BY_ROOT_PI
    if x._array.dtype.kind == "c":
        return near
    return where(x > _FAR, _TWO_BY_ROOT_PI * _far_series(x, -1.0), near)


def _dawsn_slope(x: Any, out: Any) -> Any:
    near = 1 - 2 * x * out
    if x._array.dtype.kind == "c":
        return near
    return where(abs(x) > _FAR, -_far_series(x, 1.0), near)


def _wofz_slope(z: Any, out: Any) -> Any:
    return 1j * _TWO_BY_ROOT_PI - 2 * z * out


erf: Special = special("erf", ours=exponential.erf, x=lambda x: _TWO_BY_ROOT_PI * exp(-(x**2)))
erfc: Special = special("erfc", ours=exponential.erfc, x=lambda x: -_TWO_BY_ROOT_PI * exp(-(x**2)))
erfcx: Special = special("erfcx", x=_erfcx_slope)
erfi: Special = special("erfi", x=lambda x: _TWO_BY_ROOT_PI * exp(x**2))
erfinv: Special = special("erfinv", x=lambda out: exp(out**2) / _TWO_BY_ROOT_PI)
erfcinv: Special = special("erfcinv", x=lambda out: -exp(out**2) / _TWO_BY_ROOT_PI)
dawsn: Special = special("dawsn", x=_dawsn_slope)
wofz: Special = special("wofz", ("z",), z=_wofz_slope)

# -- the normal distribution -----------------------------------------------------------------------

ndtr: Special = special("ndtr", x=lambda x: exp(-(x**2) / 2) / _ROOT_TWO_PI)
# The ratio of density and distribution: erfcx does not underflow in the left tail.
log_ndtr: Special = special(
    "log_ndtr", x=lambda x: _TWO_BY_ROOT_PI / _ROOT_TWO / erfcx(-x / _ROOT_TWO)
)
ndtri: Special = special("ndtri", ("p",), p=lambda out: _ROOT_TWO_PI * exp(out**2 / 2))
ndtri_exp: Special = special(
    "ndtri_exp", ("y",), y=lambda out: erfcx(-out / _ROOT_TWO) * _ROOT_TWO / _TWO_BY_ROOT_PI
)
owens_t: Special = special(
    "owens_t", ("h", "a"),
    h=lambda h, a: -exp(-(h**2) / 2) * erf(a * h / _ROOT_TWO) / (2 * _ROOT_TWO_PI),
    a=lambda h, a: exp(-(h**2) * (1 + a**2) / 2) / (2 * math.pi * (1 + a**2)),
)  # fmt: skip
nrdtrimn: Special = special(
    "nrdtrimn", ("p", "std", "x"),
    p=lambda p, std: -std * _ROOT_TWO_PI * exp(ndtri(p) ** 2 / 2),
    std=lambda p: -ndtri(p), x=lambda: 1.0,
)  # fmt: skip
nrdtrisd: Special = special(
    "nrdtrisd", ("mn", "p", "x"),
    mn=lambda p: -1 / ndtri(p),
    p=lambda p, out: -out / ndtri(p) * _ROOT_TWO_PI * exp(ndtri(p) ** 2 / 2),
    x=lambda p: 1 / ndtri(p),
)  # fmt: skip


# -- Voigt's profile: the real part of an analytic function of x + i gamma -------------------------


def _voigt(x: Any, sigma: Any, gamma: Any) -> tuple[Any, Any, Any]:
    """z, and the derivative of that analytic function; sigma where it may divide."""
    safe = where(equal(sigma, 0), 1, sigma)
    z = (x + 1j * gamma) / (safe * _ROOT_TWO)
    return z, _wofz_slope(z, wofz(z)) / (2 * safe**2 * math.sqrt(math.pi)), safe


def _voigt_x(x: Any, sigma: Any, gamma: Any) -> Any:
    lorentz = -2 * x * gamma / (math.pi * (x**2 + gamma**2) ** 2)
    return where(equal(sigma, 0), lorentz, real(_voigt(x, sigma, gamma)[1]))


def _voigt_gamma(x: Any, sigma: Any, gamma: Any) -> Any:
    lorentz = (x**2 - gamma**2) / (math.pi * (x**2 + gamma**2) ** 2)
    # gamma enters by its magnitude
    return where(equal(sigma, 0), lorentz, -imag(_voigt(x, sigma, abs(gamma))[1]) * sign(gamma))


def _voigt_sigma(x: Any, sigma: Any, gamma: Any, out: Any) -> Any:
    z, slope, safe = _voigt(x, sigma, gamma)
    return where(equal(sigma, 0), 0, -(out + real(slope * z) * safe * _ROOT_TWO) / safe)


voigt_profile: Special = special(
    "voigt_profile", ("x", "sigma", "gamma"),
    x=_voigt_x, sigma=_voigt_sigma, gamma=_voigt_gamma,
)  # fmt: skip
