"""Distributions of probability and their inverses.

An inverse, `out` with F(out, ...) = p, has the derivatives 1 / F_out by p and -F_v / F_out by any
other variable v. The functions `_<name>_<argument>` are the partials F_v of the distributions.
"""

from __future__ import annotations

import math
from typing import Any

from .._cotangents import times
from .._op import Op
from ..ops.comparison import equal
from ..ops.exponential import exp, log, log1p, pow, sqrt
from ..ops.parts import sign
from ..ops.rounding import floor
from ..ops.searching import where
from . import _contour
from ._bessel import ive
from ._beta import beta_density, betainc_a, betainc_b, betaln
from ._function import COUNT, PARAMETER, Special, special
from ._gamma import gamma_density, gammainc_a, gammaln
from ._hypergeometric import hyp1f1, hyperu
from ._shapes import make_op, run

# -- gamma and chi-square --------------------------------------------------------------------------

gdtr: Special = special(
    "gdtr", ("a", "b", "x"),
    a=lambda a, b, x: x * gamma_density(b, a * x),
    b=lambda a, b, x: gammainc_a(b, a * x),
    x=lambda a, b, x: a * gamma_density(b, a * x),
)  # fmt: skip
gdtrc: Special = special(
    "gdtrc", ("a", "b", "x"),
    a=lambda a, b, x: -x * gamma_density(b, a * x),
    b=lambda a, b, x: -gammainc_a(b, a * x),
    x=lambda a, b, x: -a * gamma_density(b, a * x),
)  # fmt: skip
gdtria: Special = special(
    "gdtria", ("p", "b", "x"),
    p=lambda b, x, out: 1 / (x * gamma_density(b, out * x)),
    b=lambda b, x, out: -gammainc_a(b, out * x) / (x * gamma_density(b, out * x)),
    x=lambda x, out: -out / x,
)  # fmt: skip
gdtrib: Special = special(
    "gdtrib", ("a", "p", "x"),
    a=lambda a, x, out: -x * gamma_density(out, a * x) / gammainc_a(out, a * x),
    p=lambda a, x, out: 1 / gammainc_a(out, a * x),
    x=lambda a, x, out: -a * gamma_density(out, a * x) / gammainc_a(out, a * x),
)  # fmt: skip
gdtrix: Special = special(
    "gdtrix", ("a", "b", "p"),
    a=lambda a, out: -out / a,
    b=lambda a, b, out: -gammainc_a(b, a * out) / (a * gamma_density(b, a * out)),
    p=lambda a, b, out: 1 / (a * gamma_density(b, a * out)),
)  # fmt: skip
chdtr: Special = special(
    "chdtr", ("v", "x"),
    v=lambda v, x: gammainc_a(v / 2, x / 2) / 2, x=lambda v, x: gamma_density(v / 2, x / 2) / 2,
)  # fmt: skip
chdtrc: Special = special(
    "chdtrc", ("v", "x"),
    v=lambda v, x: -gammainc_a(v / 2, x / 2) / 2, x=lambda v, x: -gamma_density(v / 2, x / 2) / 2,
)  # fmt: skip
chdtri: Special = special(
    "chdtri", ("v", "p"),
    v=lambda v, out: -gammainc_a(v / 2, out / 2) / gamma_density(v / 2, out / 2),
    p=lambda v, out: -2 / gamma_density(v / 2, out / 2),
)  # fmt: skip
chdtriv: Special = special(
    "chdtriv", ("p", "x"),
    p=lambda x, out: 2 / gammainc_a(out / 2, x / 2),
    x=lambda x, out: -gamma_density(out / 2, x / 2) / gammainc_a(out / 2, x / 2),
)  # fmt: skip


# -- F ---------------------------------------------------------------------------------------------


def _fdtr(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """Arguments of the incomplete beta that fdtr is, and its density over the denominator**2."""
    denominator = dfd + dfn * x
    a, b, w = dfn / 2, dfd / 2, dfn * x / denominator
    return a, b, w, beta_density(a, b, w) / denominator**2


def _fdtr_dfn(dfn: Any, dfd: Any, x: Any) -> Any:
    a, b, w, density = _fdtr(dfn, dfd, x)
    return betainc_a(a, b, w) / 2 + density * x * dfd


def _fdtr_dfd(dfn: Any, dfd: Any, x: Any) -> Any:
    a, b, w, density = _fdtr(dfn, dfd, x)
    return betainc_b(a, b, w) / 2 - density * x * dfn


def _fdtr_x(dfn: Any, dfd: Any, x: Any) -> Any:
    return _fdtr(dfn, dfd, x)[3] * dfn * dfd


fdtr: Special = special("fdtr", ("dfn", "dfd", "x"), dfn=_fdtr_dfn, dfd=_fdtr_dfd, x=_fdtr_x)
fdtrc: Special = special(
    "fdtrc", ("dfn", "dfd", "x"),
    dfn=lambda dfn, dfd, x: -_fdtr_dfn(dfn, dfd, x),
    dfd=lambda dfn, dfd, x: -_fdtr_dfd(dfn, dfd, x),
    x=lambda dfn, dfd, x: -_fdtr_x(dfn, dfd, x),
)  # fmt: skip
fdtri: Special = special(
    "fdtri", ("dfn", "dfd", "p"),
    dfn=lambda dfn, dfd, out: -_fdtr_dfn(dfn, dfd, out) / _fdtr_x(dfn, dfd, out),
    dfd=lambda dfn, dfd, out: -_fdtr_dfd(dfn, dfd, out) / _fdtr_x(dfn, dfd, out),
    p=lambda dfn, dfd, out: 1 / _fdtr_x(dfn, dfd, out),
)  # fmt: skip
fdtridfd: Special = special(
    "fdtridfd", ("dfn", "p", "x"),
    dfn=lambda dfn, x, out: -_fdtr_dfn(dfn, out, x) / _fdtr_dfd(dfn, out, x),
    p=lambda dfn, x, out: 1 / _fdtr_dfd(dfn, out, x),
    x=lambda dfn, x, out: -_fdtr_x(dfn, out, x) / _fdtr_dfd(dfn, out, x),
)  # fmt: skip


# -- Student's t -----------------------------------------------------------------------------------


def _stdtr_t(df: Any, t: Any) -> Any:
    return exp(-(df + 1) / 2 * log1p(t**2 / df) - betaln(df / 2, 0.5)) / sqrt(df)


def _stdtr_df(df: Any, t: Any) -> Any:
    w = df / (df + t**2)
    direct = t * exp((df / 2 - 1) * -log1p(t**2 / df) - betaln(df / 2, 0.5)) * (df + t**2) ** -1.5
    return -(sign(t) * betainc_a(df / 2, 0.5, w) / 2 + direct) / 2


stdtr: Special = special("stdtr", ("df", "t"), df=_stdtr_df, t=_stdtr_t)
stdtrit: Special = special(
    "stdtrit", ("df", "p"),
    df=lambda df, out: -_stdtr_df(df, out) / _stdtr_t(df, out),
    p=lambda df, out: 1 / _stdtr_t(df, out),
)  # fmt: skip
stdtridf: Special = special(
    "stdtridf", ("p", "t"),
    p=lambda t, out: 1 / _stdtr_df(out, t),
    t=lambda t, out: -_stdtr_t(out, t) / _stdtr_df(out, t),
)  # fmt: skip

# -- counts: binomial, negative binomial, Poisson --------------------------------------------------
# bdtr and its like cut k down to a whole number, the inverses in k do not.

bdtr: Special = special(
    "bdtr", ("k", "n", "p"), k=COUNT, n=COUNT,
    p=lambda k, n, p: -beta_density(n - floor(k), floor(k) + 1, 1 - p),
)  # fmt: skip
bdtrc: Special = special(
    "bdtrc", ("k", "n", "p"), k=COUNT, n=COUNT,
    p=lambda k, n, p: beta_density(n - floor(k), floor(k) + 1, 1 - p),
)  # fmt: skip
bdtri: Special = special(
    "bdtri", ("k", "n", "y"), k=COUNT, n=COUNT,
    y=lambda k, n, out: -1 / beta_density(n - floor(k), floor(k) + 1, 1 - out),
)  # fmt: skip


def _bdtr_k(k: Any, n: Any, p: Any) -> Any:
    return betainc_b(n - k, k + 1, 1 - p) - betainc_a(n - k, k + 1, 1 - p)


def _bdtr_n(k: Any, n: Any, p: Any) -> Any:
    return betainc_a(n - k, k + 1, 1 - p)


def _bdtr_p(k: Any, n: Any, p: Any) -> Any:
    return -beta_density(n - k, k + 1, 1 - p)


bdtrik: Special = special(
    "bdtrik", ("y", "n", "p"),
    y=lambda n, p, out: 1 / _bdtr_k(out, n, p),
    n=lambda n, p, out: -_bdtr_n(out, n, p) / _bdtr_k(out, n, p),
    p=lambda n, p, out: -_bdtr_p(out, n, p) / _bdtr_k(out, n, p),
)  # fmt: skip
bdtrin: Special = special(
    "bdtrin", ("k", "y", "p"),
    k=lambda k, p, out: -_bdtr_k(k, out, p) / _bdtr_n(k, out, p),
    y=lambda k, p, out: 1 / _bdtr_n(k, out, p),
    p=lambda k, p, out: -_bdtr_p(k, out, p) / _bdtr_n(k, out, p),
)  # fmt: skip
nbdtr: Special = special(
    "nbdtr", ("k", "n", "p"), k=COUNT, n=COUNT,
    p=lambda k, n, p: beta_density(n, floor(k) + 1, p),
)  # fmt: skip
nbdtrc: Special = special(
    "nbdtrc", ("k", "n", "p"), k=COUNT, n=COUNT,
    p=lambda k, n, p: -beta_density(n, floor(k) + 1, p),
)  # fmt: skip
nbdtri: Special = special(
    "nbdtri", ("k", "n", "y"), k=COUNT, n=COUNT,
    y=lambda k, n, out: 1 / beta_density(n, floor(k) + 1, out),
)  # fmt: skip
nbdtrik: Special = special(
    "nbdtrik", ("y", "n", "p"),
    y=lambda n, p, out: 1 / betainc_b(n, out + 1, p),
    n=lambda n, p, out: -betainc_a(n, out + 1, p) / betainc_b(n, out + 1, p),
    p=lambda n, p, out: -beta_density(n, out + 1, p) / betainc_b(n, out + 1, p),
)  # fmt: skip
nbdtrin: Special = special(
    "nbdtrin", ("k", "y", "p"),
    k=lambda k, p, out: -betainc_b(out, k + 1, p) / betainc_a(out, k + 1, p),
    y=lambda k, p, out: 1 / betainc_a(out, k + 1, p),
    p=lambda k, p, out: -beta_density(out, k + 1, p) / betainc_a(out, k + 1, p),
)  # fmt: skip
pdtr: Special = special("pdtr", ("k", "m"), k=COUNT, m=lambda k, m: -gamma_density(floor(k) + 1, m))
pdtrc: Special = special(
    "pdtrc", ("k", "m"), k=COUNT, m=lambda k, m: gamma_density(floor(k) + 1, m)
)
pdtri: Special = special(
    "pdtri", ("k", "y"), k=COUNT, y=lambda k, out: -1 / gamma_density(k + 1, out)
)
pdtrik: Special = special(
    "pdtrik", ("p", "m"),
    p=lambda m, out: -1 / gammainc_a(out + 1, m),
    m=lambda m, out: -gamma_density(out + 1, m) / gammainc_a(out + 1, m),
)  # fmt: skip


# -- noncentral chi-square -------------------------------------------------------------------------


def _chndtr_x(x: Any, df: Any, nc: Any) -> Any:
    """The density; central where nc is 0."""
    safe = where(equal(nc, 0), 1, nc)
    order = df / 2 - 1
    bent = exp(-((sqrt(x) - sqrt(safe)) ** 2) / 2) * ive(order, sqrt(safe * x)) / 2
    return where(equal(nc, 0), gamma_density(df / 2, x / 2) / 2, pow(x / safe, order / 2) * bent)


def _chndtr_nc(x: Any, df: Any, nc: Any) -> Any:
    return -_chndtr_x(x, df + 2, nc)


chndtr: Special = special("chndtr", ("x", "df", "nc"), x=_chndtr_x, df=PARAMETER, nc=_chndtr_nc)
chndtrix: Special = special(
    "chndtrix", ("p", "df", "nc"), df=PARAMETER,
    p=lambda df, nc, out: 1 / _chndtr_x(out, df, nc),
    nc=lambda df, nc, out: -_chndtr_nc(out, df, nc) / _chndtr_x(out, df, nc),
)  # fmt: skip
chndtrinc: Special = special(
    "chndtrinc", ("x", "df", "p"), df=PARAMETER,
    x=lambda x, df, out: -_chndtr_x(x, df, out) / _chndtr_nc(x, df, out),
    p=lambda x, df, out: 1 / _chndtr_nc(x, df, out),
)  # fmt: skip
chndtridf: Special = special("chndtridf", ("x", "p", "nc"), x=PARAMETER, p=PARAMETER, nc=PARAMETER)


# -- noncentral F ----------------------------------------------------------------------------------


def _ncfdtr_f(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    a, b, w, density = _fdtr(dfn, dfd, f)
    return density * dfn * dfd * exp(-nc / 2) * hyp1f1(a + b, a, nc * w / 2)


def _ncfdtr_nc(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    a, b, w, density = _fdtr(dfn, dfd, f)
    power = density * (dfd + dfn * f) ** 2 * w * (1 - w)  # w**a (1 - w)**b / beta(a, b)
    return -power / (2 * a) * exp(-nc / 2) * hyp1f1(a + b, a + 1, nc * w / 2)


ncfdtr: Special = special(
    "ncfdtr", ("dfn", "dfd", "nc", "f"), dfn=PARAMETER, dfd=PARAMETER, nc=_ncfdtr_nc, f=_ncfdtr_f
)
ncfdtri: Special = special(
    "ncfdtri", ("dfn", "dfd", "nc", "p"), dfn=PARAMETER, dfd=PARAMETER,
    nc=lambda dfn, dfd, nc, out: -_ncfdtr_nc(dfn, dfd, nc, out) / _ncfdtr_f(dfn, dfd, nc, out),
    p=lambda dfn, dfd, nc, out: 1 / _ncfdtr_f(dfn, dfd, nc, out),
)  # fmt: skip
ncfdtrinc: Special = special(
    "ncfdtrinc", ("dfn", "dfd", "p", "f"), dfn=PARAMETER, dfd=PARAMETER,
    p=lambda dfn, dfd, f, out: 1 / _ncfdtr_nc(dfn, dfd, out, f),
    f=lambda dfn, dfd, f, out: -_ncfdtr_f(dfn, dfd, out, f) / _ncfdtr_nc(dfn, dfd, out, f),
)  # fmt: skip
ncfdtridfn: Special = special(
    "ncfdtridfn", ("p", "dfd", "nc", "f"), p=PARAMETER, dfd=PARAMETER, nc=PARAMETER, f=PARAMETER
)
ncfdtridfd: Special = special(
    "ncfdtridfd", ("dfn", "p", "nc", "f"), dfn=PARAMETER, p=PARAMETER, nc=PARAMETER, f=PARAMETER
)


# -- noncentral t ----------------------------------------------------------------------------------


def _nct_integral(power: Any, df: Any, nc: Any, t: Any) -> Any:
    """Integral of s**(power - 1) phi(t s - nc) over the law of s = sqrt(chi-square / df).

    A parabolic cylinder function of t * nc: by hyp1f1 where it is positive, by hyperu where not.
    """
    scale = df + t**2
    z = nc * t / sqrt(2 * scale)
    half = power / 2
    # log of the factor before s**(df - 1) exp(-df s**2 / 2) in the density, over sqrt(2 pi)
    factor = df / 2 * log(df / 2) - gammaln(df / 2) + 0.5 * math.log(2 / math.pi)
    square = z**2
    even = exp(gammaln(half)) * hyp1f1(half, 0.5, square)
    odd = 2 * z * exp(gammaln(half + 0.5)) * hyp1f1(half + 0.5, 1.5, square)
    positive = exp((half - 1) * math.log(2)) * (even + odd)
    negative = exp(gammaln(power) - half * math.log(2)) * hyperu(half, 0.5, square)
    return exp(factor - nc**2 / 2) * scale**-half * where(z < 0, negative, positive)


def _nctdtr_t(df: Any, nc: Any, t: Any) -> Any:
    return _nct_integral(df + 1, df, nc, t)


def _nctdtr_nc(df: Any, nc: Any, t: Any) -> Any:
    return -_nct_integral(df, df, nc, t)


nctdtr: Special = special("nctdtr", ("df", "nc", "t"), df=PARAMETER, nc=_nctdtr_nc, t=_nctdtr_t)
nctdtrit: Special = special(
    "nctdtrit", ("df", "nc", "p"), df=PARAMETER,
    nc=lambda df, nc, out: -_nctdtr_nc(df, nc, out) / _nctdtr_t(df, nc, out),
    p=lambda df, nc, out: 1 / _nctdtr_t(df, nc, out),
)  # fmt: skip
nctdtrinc: Special = special(
    "nctdtrinc", ("df", "p", "t"), df=PARAMETER,
    p=lambda df, t, out: 1 / _nctdtr_nc(df, out, t),
    t=lambda df, t, out: -_nctdtr_t(df, out, t) / _nctdtr_nc(df, out, t),
)  # fmt: skip
nctdtridf: Special = special("nctdtridf", ("p", "nc", "t"), p=PARAMETER, nc=PARAMETER, t=PARAMETER)


# -- Kolmogorov and Smirnov ------------------------------------------------------------------------


def _kolmogorov_slope(y: Any) -> Any:
    """By the series in exp(-2 y**2), or for small y by that in exp(-pi**2 / (8 y**2))."""
    large: Any = 0.0
    small: Any = 0.0
    u = where(y > 0, y, 1)
    for k in range(1, 7):
        large = large - 8 * (-1) ** (k - 1) * k**2 * u * exp(-2 * (k * u) ** 2)
        bend = ((2 * k - 1) * math.pi) ** 2 / 8
        small = small + (1 / u**2 - 2 * bend / u**4) * exp(-bend / u**2)
    value = where(u > 0.9, large, math.sqrt(2 * math.pi) * small)
    return where(y > 0, value, 0)


def _smirnov_slope(n: Any, d: Any, order: int = 1) -> Any:
    return run(_SMIRNOV_D, n, d, order=order)


_SMIRNOV_D: Op = make_op(
    "smirnov_d", ("n", "d"), _contour.smirnov_by_d,
    d=lambda g, n, d, order: times(g, _smirnov_slope(n, d, order + 1)),
)  # fmt: skip
kolmogorov: Special = special("kolmogorov", ("y",), y=_kolmogorov_slope)
kolmogi: Special = special("kolmogi", ("p",), p=lambda out: 1 / _kolmogorov_slope(out))
smirnov: Special = special("smirnov", ("n", "d"), n=COUNT, d=lambda n, d: _smirnov_slope(n, d))
smirnovi: Special = special(
    "smirnovi", ("n", "p"), n=COUNT, p=lambda n, out: 1 / _smirnov_slope(n, out)
)
