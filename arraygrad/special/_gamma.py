"""The gamma function, its logarithm and its derivatives; zeta; incomplete gamma."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._cotangents import times
from .._op import Op
from ..ops.comparison import equal, less_equal
from ..ops.exponential import exp, log
from ..ops.rounding import floor
from ..ops.searching import where
from ..ops.trigonometric import cos, sin
from . import _contour
from ._elementary import xlogy
from ._function import ORDER, Special, scipy_object, special
from ._shapes import leibniz, make_op, run


def _is_pole(x: Any) -> Any:
    """Whether gamma has a pole there: at 0, -1, -2, ..."""
    return less_equal(x, 0) & equal(x, floor(x))


def _rgamma_slope(x: Any, out: Any) -> Any:
    """The derivative of 1 / gamma; left of 1/2 by reflection, as there psi has poles."""
    right = -out * psi(x)
    if x._array.dtype.kind == "c":
        return right
    # From the nearest whole number, so that the sine is exactly 0 at the zeros.
    whole = floor(x + 0.5)
    sign = 1 - 2 * (whole - 2 * floor(whole / 2))
    angle = math.pi * (x - whole)
    mirrored = sign * gamma(1 - x) * (cos(angle) - sin(angle) * psi(1 - x) / math.pi)
    return where(x < 0.5, mirrored, right)


def _polygamma_kernel(n: Any, x: Any, out: Any = None) -> Any:
    found = np.asarray(scipy_object("polygamma")(n, x)).astype(np.asarray(x).dtype)[()]
    if out is None:
        return found
    out[...] = found
    return out


gamma: Special = special("gamma", x=lambda x, out: out * psi(x))
gammaln: Special = special("gammaln", x=lambda x: psi(x))
loggamma: Special = special("loggamma", ("z",), z=lambda z: psi(z))
gammasgn: Special = special("gammasgn", x=lambda: 0.0)
rgamma: Special = special("rgamma", ("z",), z=lambda z, out: _rgamma_slope(z, out))
psi: Special = special("psi", ("z",), z=lambda z: polygamma(1.0, z))
digamma = psi
polygamma: Special = special(
    "polygamma", ("n", "x"), n=ORDER, x=lambda n, x: polygamma(n + 1, x),
    kernel=_polygamma_kernel, resolves="chdtr",
)  # fmt: skip

# -- products of gamma functions -------------------------------------------------------------------


def _binom_n(n: Any, k: Any, out: Any) -> Any:
    # Where the value is 0, a factor has a zero and the formula of the logarithm a pole.
    first, second = rgamma(k + 1), n - k + 1
    at_zero = gamma(n + 1) * first * (psi(n + 1) * rgamma(second) + _slope_of_rgamma(second))
    return where(equal(out, 0), at_zero, out * (psi(n + 1) - psi(second)))


def _binom_k(n: Any, k: Any, out: Any) -> Any:
    first, second = k + 1, n - k + 1
    at_zero = gamma(n + 1) * (
        _slope_of_rgamma(first) * rgamma(second) - rgamma(first) * _slope_of_rgamma(second)
    )
    return where(equal(out, 0), at_zero, out * (psi(second) - psi(first)))


def _slope_of_rgamma(x: Any) -> Any:
    return _rgamma_slope(x, rgamma(x))


def _poch_z(z: Any, m: Any, out: Any) -> Any:
    """Plain; z at a pole and z + m not; both at a pole (then by reflection)."""
    end = z + m
    both = out * (psi(1 - end) - psi(1 - z))
    one = gamma(end) * _slope_of_rgamma(z)
    return where(_is_pole(z), where(_is_pole(end), both, one), out * (psi(end) - psi(z)))


binom: Special = special("binom", ("n", "k"), n=_binom_n, k=_binom_k)
poch: Special = special("poch", ("z", "m"), z=_poch_z, m=lambda z, m, out: out * psi(z + m))

# -- zeta ------------------------------------------------------------------------------------------


def _zeta_s(s: Any, q: Any, order: int) -> Any:
    """The derivative of zeta(s, q) by s."""
    return run(_ZETA_S, s, q, order=order)


def _zeta_s_by_q(g: Any, s: Any, q: Any, order: int) -> Any:
    # by q: -s zeta(s + 1, q), of which s is differentiated `order` times
    lower = zeta(s + 1, q) if order == 1 else _zeta_s(s + 1, q, order - 1)
    return times(g, -s * _zeta_s(s + 1, q, order) - order * lower)


_ZETA_S: Op = make_op(
    "zeta_s", ("s", "q"), _contour.zeta_by_s,
    s=lambda g, s, q, order: times(g, _zeta_s(s, q, order + 1)), q=_zeta_s_by_q,
)  # fmt: skip
hurwitz_zeta: Special = special(
    "_zeta", ("x", "q"),
    x=lambda x, q: _zeta_s(x, q, 1), q=lambda x, q: -x * hurwitz_zeta(x + 1, q),
)  # fmt: skip
riemann_zeta: Special = special("_riemann_zeta", x=lambda x: _zeta_s(x, 1.0, 1), holomorphic=False)
zetac: Special = special("zetac", x=lambda x: _zeta_s(x, 1.0, 1))


def zeta(x: Any, q: Any = None) -> Any:
    """Riemann's zeta function, or Hurwitz' with a second argument.

    Parameters
    ----------
    x : Tensor, real-valued
        The exponent.
    q : Tensor, real-valued, optional
        What is added to the numbers 0, 1, 2, ...

    Returns
    -------
    Tensor
        The sum of (k + q)**-x over k >= 0; q is 1 by default.

    Notes
    -----
    Derivatives: by q, -x zeta(x + 1, q); by x, numerically to full precision, for q > 0.
    """
    return riemann_zeta(x) if q is None else hurwitz_zeta(x, q)


# -- incomplete gamma ------------------------------------------------------------------------------


def gammainc_a(a: Any, x: Any, order: int = 1) -> Any:
    """The derivative of gammainc by a."""
    return run(_GAMMAINC_A, a, x, order=order)


def gamma_density(a: Any, x: Any, order: int = 0) -> Any:
    """x**(a - 1) exp(-x) / gamma(a), gammainc by x; differentiated by a `order` times."""
    value = exp(xlogy(a - 1, x) - x - gammaln(a))
    if not order:
        return value
    slopes = [None, log(x) - psi(a), *(-polygamma(float(k), a) for k in range(1, order))]
    return leibniz(value, [[slope] for slope in slopes])


_GAMMAINC_A: Op = make_op(
    "gammainc_a", ("a", "x"), _contour.gammainc_by_a,
    a=lambda g, a, x, order: times(g, gammainc_a(a, x, order + 1)),
    x=lambda g, a, x, order: times(g, gamma_density(a, x, order)),
)  # fmt: skip

gammainc: Special = special(
    "gammainc", ("a", "x"),
    a=lambda a, x: gammainc_a(a, x), x=lambda a, x: gamma_density(a, x),
)  # fmt: skip
gammaincc: Special = special(
    "gammaincc", ("a", "x"),
    a=lambda a, x: -gammainc_a(a, x), x=lambda a, x: -gamma_density(a, x),
)  # fmt: skip
gammaincinv: Special = special(
    "gammaincinv", ("a", "y"),
    a=lambda a, out: -gammainc_a(a, out) / gamma_density(a, out),
    y=lambda a, out: 1 / gamma_density(a, out),
)  # fmt: skip
gammainccinv: Special = special(
    "gammainccinv", ("a", "y"),
    a=lambda a, out: -gammainc_a(a, out) / gamma_density(a, out),
    y=lambda a, out: -1 / gamma_density(a, out),
)  # fmt: skip
