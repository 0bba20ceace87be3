"""Stand-ins for ``scipy.stats``: distributions, and some statistics of samples.

Distribution functions are those of ``arraygrad.special``, so that derivatives by shape parameters
are as good as those there.
"""

from __future__ import annotations

from importlib import import_module
from math import log, pi, sqrt
from typing import Any

import numpy as np

from ._distribution import Continuous, Discrete, Family
from ._kernel_density import gaussian_kde as gaussian_kde, kde_of as kde_of
from ._multivariate import (
    dirichlet as dirichlet,
    dirichlet_multinomial as dirichlet_multinomial,
    invwishart as invwishart,
    matrix_normal as matrix_normal,
    matrix_t as matrix_t,
    multinomial as multinomial,
    multivariate_t as multivariate_t,
    normal_inverse_gamma as normal_inverse_gamma,
    vonmises_fisher as vonmises_fisher,
    wishart as wishart,
)
from ._multivariate_normal import multivariate_normal as multivariate_normal
from ._rule import plain, refuse, xp
from ._samples import (
    entropy as entropy,
    gmean as gmean,
    gstd as gstd,
    gzscore as gzscore,
    hmean as hmean,
    iqr as iqr,
    kurtosis as kurtosis,
    linregress as linregress,
    median_abs_deviation as median_abs_deviation,
    moment as moment,
    pearsonr as pearsonr,
    pmean as pmean,
    rankdata as rankdata,
    sem as sem,
    skew as skew,
    trim_mean as trim_mean,
    ttest_1samp as ttest_1samp,
    ttest_ind as ttest_ind,
    ttest_rel as ttest_rel,
    variation as variation,
    zmap as zmap,
    zscore as zscore,
)


class _Special:
    """Functions of arraygrad.special, which imports SciPy, when they are first used."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(import_module("arraygrad.special"), name)
        setattr(self, name, function)
        return function


def _above(bound: float, shape: Any, name: str) -> Any:
    """A shape by which a moment exists; elsewhere its formula has another value than SciPy."""
    if np.any(plain(shape) <= bound):
        raise refuse(f"scipy.stats.{name}", f"where its shape is at most {bound} (no finite value)")
    return shape


sp: Any = _Special()
_LOG_2PI = log(2 * pi)
_EULER = float(np.euler_gamma)


def _log_of_density(z: Any) -> Any:
    return -0.5 * z * z - 0.5 * _LOG_2PI


norm = Continuous(Family(
    "norm",
    logpdf=_log_of_density,
    cdf=lambda z: sp.ndtr(z), sf=lambda z: sp.ndtr(-z),
    logcdf=lambda z: sp.log_ndtr(z), logsf=lambda z: sp.log_ndtr(-z),
    ppf=lambda q: sp.ndtri(q), isf=lambda q: -sp.ndtri(q),
    mean=lambda: 0.0, var=lambda: 1.0, entropy=lambda: 0.5 * (_LOG_2PI + 1),
))  # fmt: skip

halfnorm = Continuous(Family(
    "halfnorm", (0.0, np.inf),
    logpdf=lambda z: _log_of_density(z) + log(2),
    cdf=lambda z: sp.erf(z / sqrt(2)), sf=lambda z: 2 * sp.ndtr(-z),
    ppf=lambda q: sp.ndtri((1 + q) / 2), isf=lambda q: -sp.ndtri(q / 2),
    mean=lambda: sqrt(2 / pi), var=lambda: 1 - 2 / pi, entropy=lambda: 0.5 * log(pi / 2) + 0.5,
))  # fmt: skip

uniform = Continuous(Family(
    "uniform", (0.0, 1.0),
    logpdf=lambda z: 0 * z, pdf=lambda z: 0 * z + 1,
    cdf=lambda z: z, sf=lambda z: 1 - z,
    ppf=lambda q: q, isf=lambda q: 1 - q,
    mean=lambda: 0.5, var=lambda: 1 / 12, entropy=lambda: 0.0,
))  # fmt: skip

expon = Continuous(Family(
    "expon", (0.0, np.inf),
    logpdf=lambda z: -z,
    cdf=lambda z: -xp.expm1(-z), sf=lambda z: xp.exp(-z), logsf=lambda z: -z,
    ppf=lambda q: -xp.log1p(-q), isf=lambda q: -xp.log(q),
    mean=lambda: 1.0, var=lambda: 1.0, entropy=lambda: 1.0,
))  # fmt: skip

gamma = Continuous(Family(
    "gamma", (0.0, np.inf),
    logpdf=lambda z, a: sp.xlogy(a - 1, z) - z - sp.gammaln(a),
    cdf=lambda z, a: sp.gammainc(a, z), sf=lambda z, a: sp.gammaincc(a, z),
    mean=lambda a: a, var=lambda a: a,
    entropy=lambda a: a + sp.gammaln(a) + (1 - a) * sp.psi(a),
))  # fmt: skip

erlang = Continuous(Family("erlang", (0.0, np.inf), **gamma._family.functions))

chi2 = Continuous(Family(
    "chi2", (0.0, np.inf),
    logpdf=lambda z, df: (
        sp.xlogy(df / 2 - 1, z) - z / 2 - sp.gammaln(df / 2) - df * (log(2) / 2)
    ),
    cdf=lambda z, df: sp.gammainc(df / 2, z / 2), sf=lambda z, df: sp.gammaincc(df / 2, z / 2),
    mean=lambda df: df, var=lambda df: 2 * df,
    entropy=lambda df: df / 2 + log(2) + sp.gammaln(df / 2) + (1 - df / 2) * sp.psi(df / 2),
))  # fmt: skip

invgamma = Continuous(Family(
    "invgamma", (0.0, np.inf), ends=False,
    logpdf=lambda z, a: -(a + 1) * xp.log(z) - sp.gammaln(a) - 1 / z,
    cdf=lambda z, a: sp.gammaincc(a, 1 / z), sf=lambda z, a: sp.gammainc(a, 1 / z),
    mean=lambda a: 1 / (_above(1, a, "invgamma.mean") - 1),
    var=lambda a: 1 / ((_above(2, a, "invgamma.var") - 1) ** 2 * (a - 2)),
    entropy=lambda a: a + sp.gammaln(a) - (1 + a) * sp.psi(a),
))  # fmt: skip

beta = Continuous(Family(
    "beta", (0.0, 1.0),
    logpdf=lambda z, a, b: sp.xlog1py(b - 1, -z) + sp.xlogy(a - 1, z) - sp.betaln(a, b),
    cdf=lambda z, a, b: sp.betainc(a, b, z), sf=lambda z, a, b: sp.betainc(b, a, 1 - z),
    mean=lambda a, b: a / (a + b), var=lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1)),
    entropy=lambda a, b: (
        sp.betaln(a, b) - (a - 1) * sp.psi(a) - (b - 1) * sp.psi(b) + (a + b - 2) * sp.psi(a + b)
    ),
))  # fmt: skip


def _t_sf(z: Any, df: Any) -> Any:
    """Half a regularised incomplete beta function on either side of 0.

    Its argument df / (df + z^2) has no information about small z, that of the other half,
    z^2 / (df + z^2), has none about large ones.
    """
    square = z * z
    near = plain(square) < plain(df)
    x = square / (df + square)
    inner = 0.5 - 0.5 * xp.sign(z) * sp.betainc(0.5, df / 2, xp.where(near, x, 0.5))
    outer = 0.5 * sp.betainc(df / 2, 0.5, xp.where(near, 0.5, df / (df + square)))
    return xp.where(near, inner, xp.where(plain(z) > 0, outer, 1 - outer))


t = Continuous(Family(
    "t",
    logpdf=lambda z, df: (
        sp.gammaln((df + 1) / 2) - sp.gammaln(df / 2) - 0.5 * xp.log(df * pi)
        - (df + 1) / 2 * xp.log1p(z * z / df)
    ),
    cdf=lambda z, df: _t_sf(-z, df), sf=_t_sf,
    mean=lambda df: 0.0 * _above(1, df, "t.mean"), var=lambda df: _above(2, df, "t.var") / (df - 2),
    entropy=lambda df: (
        (df + 1) / 2 * (sp.psi((df + 1) / 2) - sp.psi(df / 2))
        + 0.5 * xp.log(df) + sp.betaln(df / 2, 0.5)
    ),
))  # fmt: skip

f = Continuous(Family(
    "f", (0.0, np.inf),
    logpdf=lambda z, m, n: (
        m / 2 * xp.log(m) + n / 2 * xp.log(n) + sp.xlogy(m / 2 - 1, z)
        - (n + m) / 2 * xp.log(n + m * z) - sp.betaln(m / 2, n / 2)
    ),
    cdf=lambda z, m, n: sp.betainc(m / 2, n / 2, m * z / (n + m * z)),
    sf=lambda z, m, n: sp.betainc(n / 2, m / 2, n / (n + m * z)),
    mean=lambda m, n: _above(2, n, "f.mean") / (n - 2),
    var=lambda m, n: 2 * _above(4, n, "f.var")**2 * (m + n - 2) / (m * (n - 2) ** 2 * (n - 4)),
    entropy=lambda m, n: (
        (1 - m / 2) * sp.psi(m / 2) - (1 + n / 2) * sp.psi(n / 2)
        + (m + n) / 2 * sp.psi((m + n) / 2) + sp.betaln(m / 2, n / 2) + xp.log(n / m)
    ),
))  # fmt: skip

lognorm = Continuous(Family(
    "lognorm", (0.0, np.inf), ends=False,
    logpdf=lambda z, s: _log_of_density(xp.log(z) / s) - xp.log(s * z),
    cdf=lambda z, s: sp.ndtr(xp.log(z) / s), sf=lambda z, s: sp.ndtr(-xp.log(z) / s),
    logcdf=lambda z, s: sp.log_ndtr(xp.log(z) / s), logsf=lambda z, s: sp.log_ndtr(-xp.log(z) / s),
    ppf=lambda q, s: xp.exp(s * sp.ndtri(q)), isf=lambda q, s: xp.exp(-s * sp.ndtri(q)),
    mean=lambda s: xp.exp(s * s / 2), var=lambda s: xp.expm1(s * s) * xp.exp(s * s),
    entropy=lambda s: 0.5 * (1 + _LOG_2PI) + xp.log(s),
))  # fmt: skip


def _laplace_cdf(z: Any) -> Any:
    half = 0.5 * xp.exp(-xp.abs(z))
    return xp.where(plain(z) > 0, 1 - half, half)


laplace = Continuous(Family(
    "laplace",
    logpdf=lambda z: -xp.abs(z) - log(2),
    cdf=_laplace_cdf, sf=lambda z: _laplace_cdf(-z),
    ppf=lambda q: xp.where(plain(q) > 0.5, -xp.log(2 * (1 - q)), xp.log(2 * q)),
    isf=lambda q: xp.where(plain(q) > 0.5, xp.log(2 * (1 - q)), -xp.log(2 * q)),
    mean=lambda: 0.0, var=lambda: 2.0, entropy=lambda: 1 + log(2),
))  # fmt: skip

logistic = Continuous(Family(
    "logistic",
    logpdf=lambda z: -xp.abs(z) - 2 * xp.log1p(xp.exp(-xp.abs(z))),
    cdf=lambda z: sp.expit(z), sf=lambda z: sp.expit(-z),
    logcdf=lambda z: -xp.logaddexp(0.0, -z), logsf=lambda z: -xp.logaddexp(0.0, z),
    ppf=lambda q: xp.log(q) - xp.log1p(-q), isf=lambda q: xp.log1p(-q) - xp.log(q),
    mean=lambda: 0.0, var=lambda: pi * pi / 3, entropy=lambda: 2.0,
))  # fmt: skip

cauchy = Continuous(Family(
    "cauchy",
    logpdf=lambda z: -log(pi) - xp.log1p(z * z),
    cdf=lambda z: xp.arctan2(1.0, -z) / pi, sf=lambda z: xp.arctan2(1.0, z) / pi,
    ppf=lambda q: xp.tan(pi * q - pi / 2), isf=lambda q: xp.tan(pi / 2 - pi * q),
    entropy=lambda: log(4 * pi),
))  # fmt: skip

weibull_min = Continuous(Family(
    "weibull_min", (0.0, np.inf),
    logpdf=lambda z, c: xp.log(c) + sp.xlogy(c - 1, z) - z**c,
    cdf=lambda z, c: -xp.expm1(-(z**c)), sf=lambda z, c: xp.exp(-(z**c)),
    logsf=lambda z, c: -(z**c),
    ppf=lambda q, c: (-xp.log1p(-q)) ** (1 / c), isf=lambda q, c: (-xp.log(q)) ** (1 / c),
    mean=lambda c: sp.gamma(1 + 1 / c),
    var=lambda c: sp.gamma(1 + 2 / c) - sp.gamma(1 + 1 / c) ** 2,
    entropy=lambda c: -_EULER / c - xp.log(c) + _EULER + 1,
))  # fmt: skip

pareto = Continuous(Family(
    "pareto", (1.0, np.inf),
    logpdf=lambda z, b: xp.log(b) - (b + 1) * xp.log(z),
    cdf=lambda z, b: 1 - z**-b, sf=lambda z, b: z**-b, logsf=lambda z, b: -b * xp.log(z),
    ppf=lambda q, b: (1 - q) ** (-1 / b), isf=lambda q, b: q ** (-1 / b),
    mean=lambda b: _above(1, b, "pareto.mean") / (b - 1),
    var=lambda b: _above(2, b, "pareto.var") / ((b - 1) ** 2 * (b - 2)),
    entropy=lambda b: 1 + 1 / b - xp.log(b),
))  # fmt: skip

gumbel_r = Continuous(Family(
    "gumbel_r",
    logpdf=lambda z: -z - xp.exp(-z),
    cdf=lambda z: xp.exp(-xp.exp(-z)), logcdf=lambda z: -xp.exp(-z),
    sf=lambda z: -xp.expm1(-xp.exp(-z)),
    ppf=lambda q: -xp.log(-xp.log(q)), isf=lambda q: -xp.log(-xp.log1p(-q)),
    mean=lambda: _EULER, var=lambda: pi * pi / 6, entropy=lambda: 1 + _EULER,
))  # fmt: skip

gumbel_l = Continuous(Family(
    "gumbel_l",
    logpdf=lambda z: z - xp.exp(z),
    cdf=lambda z: -xp.expm1(-xp.exp(z)), sf=lambda z: xp.exp(-xp.exp(z)),
    logsf=lambda z: -xp.exp(z),
    ppf=lambda q: xp.log(-xp.log1p(-q)), isf=lambda q: xp.log(-xp.log(q)),
    mean=lambda: -_EULER, var=lambda: pi * pi / 6, entropy=lambda: 1 + _EULER,
))  # fmt: skip

rayleigh = Continuous(Family(
    "rayleigh", (0.0, np.inf),
    logpdf=lambda z: xp.log(z) - z * z / 2,
    cdf=lambda z: -xp.expm1(-z * z / 2), sf=lambda z: xp.exp(-z * z / 2),
    logsf=lambda z: -z * z / 2,
    ppf=lambda q: xp.sqrt(-2 * xp.log1p(-q)), isf=lambda q: xp.sqrt(-2 * xp.log(q)),
    mean=lambda: sqrt(pi / 2), var=lambda: (4 - pi) / 2,
    entropy=lambda: _EULER / 2 + 1 - log(2) / 2,
))  # fmt: skip


def _truncated_mass(a: Any, b: Any) -> Any:
    """Probability of [a, b] under the normal law, by the tail in which it lies."""
    right = plain(a) > 0
    low, high = xp.where(right, -b, a), xp.where(right, -a, b)
    return sp.ndtr(high) - sp.ndtr(low)


def _truncated_moments(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Mass of [a, b], and phi(a) - phi(b) and a phi(a) - b phi(b) in its units."""
    mass = _truncated_mass(a, b)
    low, high = xp.exp(_log_of_density(a)) / mass, xp.exp(_log_of_density(b)) / mass
    ends = (xp.where(np.isfinite(plain(end)), end, 0.0) for end in (a, b))
    first, last = ends
    return mass, low - high, first * low - last * high


def _truncated_variance(a: Any, b: Any) -> Any:
    _, mean, second = _truncated_moments(a, b)
    return 1 + second - mean**2


def _truncated_entropy(a: Any, b: Any) -> Any:
    mass, _, second = _truncated_moments(a, b)
    return 0.5 * (_LOG_2PI + 1) + xp.log(mass) + second / 2


truncnorm = Continuous(Family(
    "truncnorm", lambda a, b: (a, b),
    logpdf=lambda z, a, b: _log_of_density(z) - xp.log(_truncated_mass(a, b)),
    cdf=lambda z, a, b: _truncated_mass(a, z) / _truncated_mass(a, b),
    sf=lambda z, a, b: _truncated_mass(z, b) / _truncated_mass(a, b),
    mean=lambda a, b: _truncated_moments(a, b)[1], var=_truncated_variance,
    entropy=_truncated_entropy,
))  # fmt: skip

# -- discrete --------------------------------------------------------------------------------------

poisson = Discrete(Family(
    "poisson", (0.0, np.inf),
    logpmf=lambda k, mu: sp.xlogy(k, mu) - sp.gammaln(k + 1) - mu,
    cdf=lambda k, mu: sp.gammaincc(k + 1, mu), sf=lambda k, mu: sp.gammainc(k + 1, mu),
    mean=lambda mu: mu, var=lambda mu: mu,
))  # fmt: skip


def _log_of_choices(n: Any, k: Any) -> Any:
    return sp.gammaln(n + 1) - sp.gammaln(k + 1) - sp.gammaln(n - k + 1)


def _binomial_cdf(k: Any, n: Any, p: Any) -> Any:
    last = plain(k) >= plain(n)
    return xp.where(last, 1.0, sp.betainc(xp.where(last, 1.0, n - k), k + 1, 1 - p))


binom = Discrete(Family(
    "binom", lambda n, p: (0.0, n),
    logpmf=lambda k, n, p: _log_of_choices(n, k) + sp.xlogy(k, p) + sp.xlog1py(n - k, -p),
    cdf=_binomial_cdf, sf=lambda k, n, p: 1 - _binomial_cdf(k, n, p),
    mean=lambda n, p: n * p, var=lambda n, p: n * p * (1 - p),
))  # fmt: skip

bernoulli = Discrete(Family(
    "bernoulli", (0.0, 1.0),
    logpmf=lambda k, p: sp.xlogy(k, p) + sp.xlog1py(1 - k, -p),
    cdf=lambda k, p: xp.where(plain(k) >= 1, 1.0, 1 - p),
    sf=lambda k, p: xp.where(plain(k) >= 1, 0.0, p),
    mean=lambda p: p, var=lambda p: p * (1 - p),
))  # fmt: skip

geom = Discrete(Family(
    "geom", (1.0, np.inf),
    logpmf=lambda k, p: sp.xlog1py(k - 1, -p) + xp.log(p),
    cdf=lambda k, p: -xp.expm1(xp.log1p(-p) * k), sf=lambda k, p: xp.exp(k * xp.log1p(-p)),
    mean=lambda p: 1 / p, var=lambda p: (1 - p) / p**2,
))  # fmt: skip

nbinom = Discrete(Family(
    "nbinom", (0.0, np.inf),
    logpmf=lambda k, n, p: (
        sp.gammaln(n + k) - sp.gammaln(k + 1) - sp.gammaln(n) + n * xp.log(p) + sp.xlog1py(k, -p)
    ),
    cdf=lambda k, n, p: sp.betainc(n, k + 1, p), sf=lambda k, n, p: sp.betainc(k + 1, n, 1 - p),
    mean=lambda n, p: n * (1 - p) / p, var=lambda n, p: n * (1 - p) / p**2,
))  # fmt: skip
