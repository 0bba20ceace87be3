"""Calls of ``scipy.stats`` with each keyword and each documented value."""

import numpy as np
import scipy.stats as st

from .checking import refused

RNG = np.random.default_rng(3)
DATA = RNG.permutation(np.linspace(1, 2, 20) ** 2).reshape(4, 5)
OTHER = RNG.permutation(np.linspace(1, 2.5, 20)).reshape(4, 5)
WEIGHTS = RNG.uniform(0.5, 1.5, 5)
Z = np.array([0.2, 0.55, 0.9])
Q = np.array([0.15, 0.6])
LOC, SCALE = np.array([0.3, -0.2, 0.5]), np.array([1.6, 0.9, 1.1])
SHAPED = {
    "alpha": (2.3,),
    "beta": (1.7, 2.4),
    "burr": (2.0, 1.5),
    "chi": (3.1,),
    "chi2": (3.1,),
    "dweibull": (2.1,),
    "expon": (),
    "exponnorm": (1.5,),
    "f": (3.5, 6.5),
    "fisk": (3.1,),
    "gamma": (2.3,),
    "genextreme": (-0.1,),
    "gengamma": (2.0, 1.5),
    "genpareto": (0.1,),
    "gumbel_l": (),
    "gumbel_r": (),
    "halfcauchy": (),
    "halfnorm": (),
    "hypsecant": (),
    "invgamma": (3.2,),
    "invgauss": (0.7,),
    "kappa3": (1.0,),
    "laplace": (),
    "levy": (),
    "loggamma": (1.5,),
    "logistic": (),
    "loguniform": (0.1, 1.3),
    "lognorm": (0.8,),
    "lomax": (2.2,),
    "maxwell": (),
    "moyal": (),
    "nakagami": (1.9,),
    "norm": (),
    "pareto": (3.3,),
    "powerlaw": (1.7,),
    "rayleigh": (),
    "skewnorm": (1.1,),
    "t": (4.5,),
    "triang": (0.4,),
    "truncnorm": (-1.1, 1.8),
    "uniform": (),
    "vonmises": (1.2,),
    "wald": (),
    "weibull_max": (1.6,),
    "weibull_min": (1.6,),
    "cauchy": (),
    "exponpow": (1.7,),
    "mielke": (2.0, 3.0),
}
COMMON = ("beta", "cauchy", "chi2", "expon", "f", "gamma", "gumbel_l", "gumbel_r", "halfnorm",
          "invgamma", "laplace", "logistic", "lognorm", "norm", "pareto", "rayleigh", "t",
          "truncnorm", "uniform", "weibull_min")  # fmt: skip
AT = {"pareto": Z + 1.1, "t": Z, "norm": Z}
POINTWISE = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
QUANTILES = ("ppf", "isf")
DISCRETE = {"poisson": (2.2,), "binom": (5, 0.3), "bernoulli": (0.3,), "geom": (0.3,),
            "nbinom": (2.5, 0.3)}  # fmt: skip
COUNTS = {"bernoulli": np.array([0])}
# What has no derivative: any of these, moments of a distribution that has none, draws by shapes.
NEVER = {"moment", "expect", "fit"}
NOT_FOR = {"cauchy": {"mean", "var", "std", "stats"}}
SHAPED_DRAWS = {name for name, shapes in SHAPED.items() if shapes}


def of(name, method, f):
    """A call of a distribution's method, marked where it is refused."""
    drawn = method == "rvs" and name in SHAPED_DRAWS
    return refused(f) if method in NEVER or method in NOT_FOR.get(name, ()) or drawn else f


CALLS = {
    f"{name}, broadcast": (
        (AT.get(name, Z), LOC[:, None], SCALE[:, None], *SHAPED[name]),
        [
            lambda z, loc, scale, *s, name=name, m=m: getattr(getattr(st, name), m)(
                loc + scale * z, *s, loc=loc, scale=scale
            )
            for m in POINTWISE
        ]
        + [
            lambda z, loc, scale, *s, name=name, m=m: getattr(getattr(st, name), m)(
                Q, *s, loc, scale
            )
            for m in QUANTILES
        ]
        + [
            lambda z, loc, scale, *s, name=name, m=m: getattr(
                getattr(st, name)(*s, loc=loc, scale=scale), m
            )(loc + scale * z)
            for m in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
        ],
    )
    for name in COMMON
}
CALLS |= {
    f"{name}, moments": (
        (1.3, 0.7, *SHAPED[name]),
        [
            of(
                name,
                m,
                lambda loc, scale, *s, name=name, m=m: getattr(getattr(st, name), m)(
                    *s, loc=loc, scale=scale
                ),
            )
            for m in ("mean", "var", "std", "entropy", "median")
        ]
        + [
            of(
                name,
                "interval",
                lambda loc, scale, *s, name=name: getattr(st, name).interval(
                    0.8, *s, loc=loc, scale=scale
                ),
            ),
            of(
                name,
                "stats",
                lambda loc, scale, *s, name=name: getattr(st, name).stats(
                    *s, loc=loc, scale=scale, moments="mv"
                ),
            ),
            of(
                name,
                "moment",
                lambda loc, scale, *s, name=name: getattr(st, name).moment(
                    2, *s, loc=loc, scale=scale
                ),
            ),
            of(
                name,
                "expect",
                lambda loc, scale, *s, name=name: getattr(st, name).expect(
                    lambda v: 1 / (1 + v * v), args=s, loc=loc, scale=scale, lb=0.5, ub=2.0
                ),
            ),
            of(
                name,
                "rvs",
                lambda loc, scale, *s, name=name: getattr(st, name).rvs(
                    *s, loc=loc, scale=scale, size=4, random_state=2
                ),
            ),
            of(
                name,
                "support",
                lambda loc, scale, *s, name=name: (
                    getattr(st, name).support(*s, loc=loc, scale=scale)[0].clip(-9.0) + loc
                ),
            ),
            of(
                name,
                "nnlf",
                lambda loc, scale, *s, name=name: getattr(st, name).nnlf(
                    (*s, loc, scale), loc + scale * (AT.get(name, Z))
                ),
            ),
            of(
                name,
                "fit",
                lambda loc, scale, *s, name=name: getattr(st, name).fit(
                    loc + scale * (AT.get(name, Z) + 0.1)
                )[0],
            ),
            of(
                name,
                "mean",
                lambda loc, scale, *s, name=name: getattr(st, name)(*s, loc, scale).mean(),
            ),
            of(
                name,
                "ppf",
                lambda loc, scale, *s, name=name: getattr(st, name)(*s, loc, scale).ppf(0.3),
            ),
        ],
    )
    for name in COMMON
}
# Families by SciPy's own formulas: methods that SciPy computes numerically, infinite moments.
NUMERICAL = {
    "alpha": ("std",), "burr": ("std",), "dweibull": ("std",), "exponpow": ("std",),
    "fisk": ("std",), "genpareto": ("logpdf", "cdf"), "halfcauchy": ("std",), "invgauss": ("ppf",),
    "levy": ("std",), "lomax": ("std",), "skewnorm": ("cdf", "ppf"),
    "vonmises": ("cdf", "ppf", "std"),
}  # fmt: skip


def unless_numerical(name, method, f):
    """The call, marked where SciPy has no formula."""
    return refused(f) if method in NUMERICAL.get(name, ()) else f


CALLS |= {
    f"{name}, by SciPy's formulas": (
        (-Z if name == "weibull_max" else Z, 1.3, *SHAPED[name]),
        [
            unless_numerical(
                name,
                "logpdf",
                lambda z, scale, *s, name=name: getattr(st, name).logpdf(
                    scale * z, *s, scale=scale
                ),
            ),
            unless_numerical(
                name,
                "cdf",
                lambda z, scale, *s, name=name: getattr(st, name)(*s, scale=scale).cdf(scale * z),
            ),
            unless_numerical(
                name,
                "ppf",
                lambda z, scale, *s, name=name: getattr(st, name).ppf(Q, *s, scale=scale),
            ),
            unless_numerical(
                name,
                "std",
                lambda z, scale, *s, name=name: getattr(st, name)(*s, scale=scale).std(),
            ),
        ],
    )
    for name in SHAPED
    if name not in COMMON
}
CALLS |= {
    f"{name}, discrete": (
        (0.0, *DISCRETE[name][-1:]),
        [
            lambda loc, *s, name=name, m=m: getattr(getattr(st, name), m)(
                COUNTS.get(name, np.array([1, 2, 4])), *DISCRETE[name][:-1], *s
            )
            for m in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
        ]
        + [
            lambda loc, *s, name=name, m=m: getattr(getattr(st, name), m)(*DISCRETE[name][:-1], *s)
            for m in ("mean", "var", "std")
        ]
        + [
            refused(
                lambda loc, *s, name=name, m=m: getattr(getattr(st, name), m)(
                    *DISCRETE[name][:-1], *s
                )
            )
            for m in ("entropy", "median")
        ]
        + [
            lambda loc, *s, name=name: getattr(st, name)(*DISCRETE[name][:-1], *s, loc=1).logpmf(
                COUNTS.get(name, np.array([1, 2])) + 1
            ),
            refused(
                lambda loc, *s, name=name: getattr(st, name).rvs(*DISCRETE[name][:-1], *s, size=3)
            ),
            lambda loc, *s, name=name: getattr(st, name).stats(*DISCRETE[name][:-1], *s),
        ],
    )
    for name in DISCRETE
}

AXES = (0, 1, -1, None)
POLICIES = ("propagate", "raise", "omit")
CALLS |= {
    "statistics along axes": (
        (DATA,),
        [
            *[
                lambda x, f=f, a=a: f(x, axis=a)
                for a in AXES
                for f in (
                    st.skew,
                    st.kurtosis,
                    st.moment,
                    st.sem,
                    st.variation,
                    st.zscore,
                    st.gstd,
                    st.gmean,
                    st.hmean,
                    st.entropy,
                    st.iqr,
                    st.median_abs_deviation,
                )
            ],
            *[
                lambda x, f=f: f(x, keepdims=True)
                for f in (
                    st.skew,
                    st.kurtosis,
                    st.moment,
                    st.sem,
                    st.variation,
                    st.gstd,
                    st.gmean,
                    st.hmean,
                    st.entropy,
                    st.iqr,
                    st.median_abs_deviation,
                )
            ],
            *[
                lambda x, f=f, p=p: f(x, nan_policy=p)
                for p in POLICIES
                for f in (
                    st.skew,
                    st.kurtosis,
                    st.moment,
                    st.sem,
                    st.variation,
                    st.zscore,
                    st.gstd,
                    st.gzscore,
                    st.gmean,
                    st.hmean,
                    st.entropy,
                    st.iqr,
                    st.median_abs_deviation,
                )
            ],
            *[
                lambda x, f=f: f(x, axis=1, keepdims=True)
                for f in (
                    st.skew,
                    st.kurtosis,
                    st.moment,
                    st.sem,
                    st.variation,
                    st.gstd,
                    st.gmean,
                    st.hmean,
                    st.entropy,
                    st.iqr,
                    st.median_abs_deviation,
                )
            ],
            *[
                lambda x, f=f, d=d: f(x, ddof=d)
                for d in (0, 1)
                for f in (st.sem, st.variation, st.zscore, st.gstd, st.gzscore)
            ],
            *[
                lambda x, f=f, b=b: f(x, bias=b, axis=1)
                for b in (True, False)
                for f in (st.skew, st.kurtosis)
            ],
            lambda x: st.kurtosis(x, fisher=False, bias=False),
            lambda x: st.moment(x, [1, 2, 3], center=1.2),
            lambda x: st.moment(x, 3, axis=1, center=x[0, 0]),
            lambda x: st.moment(x, order=4),
            lambda x: st.entropy(x, x**2, base=3, axis=1),
            lambda x: st.entropy(x, base=2.0, keepdims=True),
            *[
                lambda x, f=f: f(x, weights=WEIGHTS, axis=1, dtype=float)
                for f in (st.gmean, st.hmean)
            ],
            *[lambda x, f=f: f(x, weights=x) for f in (st.gmean, st.hmean)],
            lambda x: st.pmean(
                x, 1.7, axis=1, dtype=float, weights=WEIGHTS, keepdims=True, nan_policy="omit"
            ),
            lambda x: st.pmean(x, x[0, 0]),
            *[
                lambda x, i=i: st.iqr(x, axis=1, rng=(20, 70), interpolation=i)
                for i in ("linear", "lower", "higher", "midpoint", "nearest")
            ],
            *[lambda x, c=c: st.iqr(x, scale=c) for c in (1.0, "normal", 2.0)],
            *[
                lambda x, c=c: st.median_abs_deviation(x, scale=c, center=np.mean)
                for c in (1.0, "normal")
            ],
            *[lambda x, a=a: st.trim_mean(x, 0.2, axis=a) for a in AXES],
            lambda x: st.trim_mean(x, proportiontocut=0.3, keepdims=True, nan_policy="omit"),
            *[lambda x, p=p: st.zmap(x, x[:3], axis=0, ddof=1, nan_policy=p) for p in POLICIES],
            lambda x: st.zmap(x, x**2, axis=1),
            lambda x: st.zmap(x, x, axis=None),
            lambda x: x * st.rankdata(x, method="min", axis=1, nan_policy="omit"),
            *[
                lambda x, m=m: x * st.rankdata(x, m).reshape(x.shape)
                for m in ("average", "min", "max", "dense", "ordinal")
            ],
            lambda x: st.skew(x, axis=(0, 1)),
            lambda x: st.sem(x, axis=(0, 1), keepdims=True),
            lambda x: st.gmean(x, axis=(0, 1)),
            lambda x: st.variation(x, axis=(0, 1)),
        ],
    ),
    "tests": (
        (DATA, OTHER),
        [
            *[lambda x, y, a=a: st.ttest_1samp(x, 1.4, axis=a).statistic for a in AXES],
            *[lambda x, y, a=a: tuple(st.ttest_ind(x, y, axis=a)) for a in AXES],
            *[lambda x, y, a=a: tuple(st.ttest_rel(x, y, axis=a)) for a in AXES],
            *[
                lambda x, y, a=a, f=f: f(x, y, alternative=a).pvalue
                for a in ("two-sided", "less", "greater")
                for f in (st.ttest_ind, st.ttest_rel)
            ],
            *[
                lambda x, y, a=a: st.ttest_1samp(x, 1.4, alternative=a).pvalue
                for a in ("two-sided", "less", "greater")
            ],
            *[
                lambda x, y, f=f: tuple(f(x, y, keepdims=True, nan_policy="omit"))
                for f in (st.ttest_ind, st.ttest_rel)
            ],
            lambda x, y: tuple(st.ttest_1samp(x, 1.4, keepdims=True, nan_policy="omit")),
            lambda x, y: st.ttest_ind(x, y, equal_var=False).statistic,
            refused(lambda x, y: st.ttest_ind(x, y, trim=0.2).statistic),
            refused(
                lambda x, y: st.ttest_ind(x, y, method=st.PermutationMethod(n_resamples=9)).pvalue
            ),
            lambda x, y: st.ttest_ind(x, y).confidence_interval().low,
            lambda x, y: st.ttest_1samp(x, 1.4).confidence_interval(0.9).high,
            lambda x, y: st.ttest_rel(x, y).confidence_interval().low,
            lambda x, y: st.pearsonr(x[0], y[0]).statistic,
            lambda x, y: st.pearsonr(x[0], y[0])[0],
            lambda x, y: st.pearsonr(x[0], y[0])[1],
            lambda x, y: st.pearsonr(x[0], y[0]).pvalue,
            *[
                lambda x, y, a=a: st.pearsonr(x[0], y[0], alternative=a)[0]
                for a in ("two-sided", "less", "greater")
            ],
            lambda x, y: st.pearsonr(x, y, axis=1).statistic,
            lambda x, y: st.pearsonr(x, y, axis=None)[0],
            refused(
                lambda x, y: st.pearsonr(x[0], y[0], method=st.PermutationMethod(n_resamples=9))[0]
            ),
            lambda x, y: st.pearsonr(x[0], y[0]).confidence_interval(0.9).low,
            lambda x, y: st.linregress(x[0], y[0])[:3],
            lambda x, y: st.linregress(x[0], y[0]).stderr,
            lambda x, y: st.linregress(x[0], y[0]).intercept_stderr,
            lambda x, y: st.linregress(x[0], y[0]).pvalue,
            lambda x, y: st.linregress(x[0], y[0], alternative="less").slope,
            lambda x, y: st.linregress(x[0], y[0], alternative="less").pvalue,
            lambda x, y: st.linregress(x, y, axis=1).slope,
            lambda x, y: st.linregress(x, y, axis=0).intercept,
            lambda x, y: st.linregress(x[0], y[0], nan_policy="omit", keepdims=True).slope,
            lambda x, y: st.linregress(x, y, axis=None).rvalue,
            refused(lambda x, y: st.spearmanr(x[0], y[0])[0] + 0 * x[0]),
            refused(lambda x, y: st.kendalltau(x[0], y[0])[0] + 0 * x[0]),
            refused(lambda x, y: st.mode(x, axis=None)[0]),
            lambda x, y: st.tmean(x),
            lambda x, y: st.tvar(x),
            lambda x, y: st.describe(x).mean,
            lambda x, y: st.gaussian_kde(x[0])(y[0]),
            lambda x, y: st.gaussian_kde(x[0]).logpdf(y[0]),
            lambda x, y: st.gaussian_kde(DATA[0])(y[0]),
            lambda x, y: st.f_oneway(x[0], y[0])[0],
            lambda x, y: st.chisquare(x[0], x[0])[0],
            refused(lambda x, y: st.ks_2samp(x[0], y[0])[0]),
            refused(lambda x, y: st.mannwhitneyu(x[0], y[0])[0]),
            refused(lambda x, y: st.wilcoxon(x[0], y[0])[0]),
            refused(lambda x, y: st.shapiro(x[0])[0]),
            lambda x, y: st.boxcox(x[0], 0.3),
            refused(lambda x, y: st.boxcox(x[0])[0]),
            lambda x, y: st.yeojohnson(x[0], 0.3),
            lambda x, y: st.boxcox_llf(0.3, x[0]),
            lambda x, y: st.theilslopes(y[0], x[0])[0],
            lambda x, y: st.scoreatpercentile(x[0], 30),
            refused(lambda x, y: st.percentileofscore(x[0], 1.5) + 0 * x[0]),
            lambda x, y: st.circmean(x[0]),
            lambda x, y: st.circstd(x[0]),
            lambda x, y: st.kstat(x[0], 2),
            lambda x, y: st.wasserstein_distance(x[0], y[0]),
            lambda x, y: st.energy_distance(x[0], y[0]),
            lambda x, y: st.trimboth(x[0], 0.1),
            lambda x, y: st.winsorize(x[0]) if hasattr(st, "winsorize") else x,
            refused(lambda x, y: st.binned_statistic(x[0], y[0], bins=2)[0]),
            lambda x, y: st.differential_entropy(x[0]),
            lambda x, y: st.probplot(x[0])[0][1],
            lambda x, y: st.sigmaclip(x[0])[0],
            lambda x, y: st.relfreq(x[0])[0] + 0 * x[0, 0],
            lambda x, y: st.quantile(x[0], 0.3) if hasattr(st, "quantile") else x,
            lambda x, y: st.lmoment(x[0]),
            refused(lambda x, y: st.bootstrap((x[0],), np.mean, n_resamples=9).standard_error),
            refused(lambda x, y: st.ecdf(x[0]).cdf.quantiles),
            lambda x, y: st.expectile(x[0], 0.3),
            lambda x, y: st.combine_pvalues(x[0] / 9)[0],
            lambda x, y: st.tsem(x[0]),
            refused(lambda x, y: st.tstd(x[0])),
        ],
    ),
    "multivariate": (
        (
            np.array([[0.2, -0.4], [0.5, 0.1]]),
            np.array([0.1, 0.2]),
            np.array([[1.3, 0.2], [0.2, 0.8]]),
        ),
        [
            *[
                lambda x, m, c, f=f: getattr(st.multivariate_normal, f)(x, m, (c + c.T) / 2)
                for f in ("pdf", "logpdf", "cdf", "logcdf")
            ],
            lambda x, m, c: st.multivariate_normal.pdf(
                x, mean=m, cov=(c + c.T) / 2, allow_singular=True
            ),
            lambda x, m, c: st.multivariate_normal.cdf(
                x,
                m,
                (c + c.T) / 2,
                allow_singular=False,
                maxpts=9000,
                abseps=1e-9,
                releps=1e-9,
                lower_limit=[-2.0, -2.0],
            ),
            lambda x, m, c: st.multivariate_normal.entropy(m, (c + c.T) / 2),
            lambda x, m, c: st.multivariate_normal(
                m, (c + c.T) / 2, allow_singular=True, seed=1
            ).logpdf(x),
            lambda x, m, c: st.multivariate_normal.rvs(m, np.eye(2), size=3, random_state=1),
            lambda x, m, c: st.multivariate_normal(m, np.eye(2)).rvs(3, random_state=1),
            lambda x, m, c: st.multivariate_normal.logpdf(x, m),
            lambda x, m, c: st.multivariate_normal.logpdf(x, m, m**2),
            lambda x, m, c: st.multivariate_normal.logpdf(x[:, 0], cov=c[0, 0]),
            refused(lambda x, m, c: st.multivariate_normal.marginal([0], m, (c + c.T) / 2).mean),
            lambda x, m, c: st.uniform_direction.rvs(2, random_state=1) * x,
        ],
    ),
}
