"""Distributions and sample statistics."""

import numpy as np
import pytest
import scipy.stats as st
from scipy.stats import multivariate_normal, norm

import arraygrad as ag

from .checking import SCIPY, check

CONTINUOUS = {
    # name: (shapes, points in standard form)
    "norm": ((), (-1.2, 0.3, 2.0)),
    "halfnorm": ((), (0.2, 1.3)),
    "uniform": ((), (0.2, 0.7)),
    "expon": ((), (0.2, 1.5)),
    "gamma": ((2.3,), (0.4, 1.7, 4.0)),
    "chi2": ((3.1,), (0.8, 2.5)),
    "invgamma": ((3.2,), (0.3, 0.9)),
    "beta": ((1.7, 2.4), (0.2, 0.6)),
    "t": ((4.5,), (-1.4, 0.6, 3.0)),
    "f": ((3.5, 6.5), (0.4, 1.6)),
    "lognorm": ((0.8,), (0.5, 2.1)),
    "laplace": ((), (-0.6, 1.1)),
    "logistic": ((), (-0.6, 1.1)),
    "cauchy": ((), (-0.6, 1.1)),
    "weibull_min": ((1.6,), (0.4, 1.1)),
    "pareto": ((3.3,), (1.2, 2.4)),
    "gumbel_r": ((), (-0.6, 1.1)),
    "gumbel_l": ((), (-0.6, 1.1)),
    "rayleigh": ((), (0.6, 1.1)),
    "truncnorm": ((-1.1, 1.8), (-0.6, 1.1)),
}
TWICE = {"norm", "gamma", "t", "lognorm"}  # the others have the same structure


@pytest.mark.parametrize("name", CONTINUOUS)
def test_density_and_distribution_function_of(name):
    shapes, points = CONTINUOUS[name]

    def f(z, loc, scale, *shapes):
        d = getattr(st, name)
        x = loc + scale * z
        return [
            getattr(d, method)(x, *shapes, loc=loc, scale=scale)
            for method in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
        ]

    def moving(x, loc, scale, *shapes):
        return f((x - 0.3) / 1.6, loc, scale, *shapes)

    x = 0.3 + 1.6 * np.asarray(points)
    check(moving, x, 0.3, 1.6, *shapes, order=2 if name in TWICE else 1)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles_of(name):
    shapes, _ = CONTINUOUS[name]

    def f(q, loc, scale, *shapes):
        d = getattr(st, name)(*shapes, loc=loc, scale=scale)
        return d.ppf(q), d.isf(q)

    check(f, np.array([0.15, 0.6]), 0.3, 1.6, *shapes, order=2 if name in TWICE else 1)


DISCRETE = {
    "poisson": ((2.2,), (0, 1, 4)),
    "binom": ((0.3,), (0, 2, 5)),
    "bernoulli": ((0.3,), (0, 1)),
    "geom": ((0.3,), (1, 3)),
    "nbinom": ((2.5, 0.3), (0, 3)),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_of(name):
    shapes, points = DISCRETE[name]
    leading = (5,) if name == "binom" else ()

    def f(*shapes):
        d = getattr(st, name)
        k = np.array(points)
        given = leading + shapes
        return d.pmf(k, *given), d.logpmf(k, *given), d.cdf(k, *given), d.mean(*given)

    check(f, *shapes)


def test_values_outside_of_the_support_have_no_gradient():
    def f(x):
        return np.sum(st.expon.pdf(x) + st.expon.cdf(x) + st.beta.pdf(x, 2.0, 3.0))

    gradient = ag.grad(f)(np.array([-1.0, -2.0]))
    np.testing.assert_array_equal(gradient, [0, 0])
    assert ag.lift(st.expon.logpdf)(ag.tensor(-1.0, requires_grad=True)).detach() == -np.inf


FROZEN = norm(0.5, 2.0)


def test_distributions_frozen_outside_of_the_function():
    check(lambda x: FROZEN.logpdf(x), np.array([0.1, 3.0]))


def test_moments_and_reparameterised_random_values():
    def f(a, loc, scale):
        return (
            st.gamma.mean(a, loc, scale), st.gamma.var(a, loc, scale), st.gamma.std(a, loc, scale),
            st.gamma.entropy(a, loc, scale), norm.entropy(loc, scale),
        )  # fmt: skip

    check(f, 2.2, 0.4, 1.3)
    check(lambda loc, s: norm.rvs(loc, s, size=5, random_state=3), 0.4, 1.3)


def test_multivariate_normal():
    def f(x, mean, root):
        cov = root @ root.T + np.eye(3)
        d = multivariate_normal(mean, cov)
        return multivariate_normal.logpdf(x, mean, cov), d.pdf(x), d.entropy()

    rng = np.random.default_rng(1)
    check(f, rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(3, 3)))


@pytest.mark.parametrize("n", [1, 2])
def test_distribution_function_of_the_multivariate_normal(n):
    rng = np.random.default_rng(n)

    def f(x, mean, root, lower):
        cov = root @ root.T + np.eye(n)
        d = multivariate_normal(mean, cov)
        return (
            multivariate_normal.cdf(x, mean, cov), d.logcdf(x),
            multivariate_normal.cdf(x, mean, cov, lower_limit=lower), d.cdf(x, lower_limit=-1.0),
        )  # fmt: skip

    shapes = (3, n), n, (n, n), (3, n)
    x, mean, root, lower = (rng.normal(size=shape) for shape in shapes)
    check(f, x, mean, root, lower - 2.0, value_rtol=1e-7, rtol=1e-5)


def three_dimensional_cdf(x, mean, root):
    """The probability by quadrature over the first coordinate of one in two dimensions."""
    cov = root @ root.T + np.eye(3)
    nodes, weights = np.polynomial.legendre.leggauss(120)
    low, high = mean[0] - 9 * np.sqrt(cov[0, 0]), x[0]
    z = low + (high - low) * (1 + nodes) / 2
    rest = cov[1:, 1:] - np.outer(cov[1:, 0], cov[0, 1:]) / cov[0, 0]
    total = 0.0
    for point, weight in zip(z, weights, strict=True):
        middle = mean[1:] + cov[1:, 0] / cov[0, 0] * (point - mean[0])
        density = np.exp(-((point - mean[0]) ** 2) / (2 * cov[0, 0]))
        density = density / np.sqrt(2 * np.pi * cov[0, 0])
        total = total + weight * density * multivariate_normal.cdf(x[1:], middle, rest)
    return total * (high - low) / 2


def test_distribution_function_in_three_dimensions():
    """First and second derivatives are exact; the value is SciPy's, by randomized integration."""
    rng = np.random.default_rng(5)
    x, mean, root = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    seeded = {"rng": np.random.default_rng(1)} if SCIPY >= (1, 16) else {}

    def f(x, mean, root):
        cov = root @ root.T + np.eye(3)
        return multivariate_normal.cdf(x, mean, cov, **seeded)

    value = float(ag.lift(f)(ag.tensor(x, requires_grad=True), mean, root).detach())
    assert value == pytest.approx(three_dimensional_cdf(x, mean, root), abs=1e-4)
    for found, expected in zip(
        ag.grad(f, (0, 1, 2))(x, mean, root),
        ag.grad(three_dimensional_cdf, (0, 1, 2))(x, mean, root), strict=True,
    ):  # fmt: skip
        np.testing.assert_allclose(found, expected, atol=1e-10)
    hessian = ag.hessian(lambda x: f(x, mean, root))(x)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    step = np.array([0.0, 1e-5, 0.0])
    ahead, behind = (ag.grad(lambda x: f(x, mean, root))(x + s) for s in (step, -step))
    np.testing.assert_allclose(hessian[1], (ahead - behind) / 2e-5, atol=1e-8)


def test_singular_covariance_of_the_distribution_function_is_refused():
    cov = np.ones((2, 2))
    with pytest.raises(ag.errors.DetachError, match="singular"):
        ag.grad(lambda m: multivariate_normal.cdf(np.zeros(2), m, cov, True))(np.zeros(2))


def test_strongly_correlated_normal_variables():
    def both(rho):
        return multivariate_normal.cdf([0.3, 0.4], None, np.array([[1.0, rho], [rho, 1.0]]))

    for rho in (0.95, -0.99, 0.9999):
        expected = np.exp(-(0.09 - 0.24 * rho + 0.16) / (2 * (1 - rho**2)))
        expected /= 2 * np.pi * np.sqrt(1 - rho**2)
        assert ag.grad(both)(rho) == pytest.approx(expected, rel=1e-10)
        value = float(ag.lift(both)(ag.tensor(rho, requires_grad=True)).detach())
        assert value == pytest.approx(both(rho), abs=1e-7)


def test_a_method_without_rule_is_refused_by_name():
    with pytest.raises(ag.errors.DetachError, match=r"multivariate_normal\.fit"):
        ag.grad(lambda m: multivariate_normal.fit(m)[0][0])(np.zeros((3, 2)))
    with pytest.raises(ag.errors.DetachError, match=r"norm\.expect"):
        ag.grad(lambda m: norm.expect(lambda x: x, loc=m))(1.0)


def test_statistics_of_samples():
    def f(x, y):
        return (
            st.zscore(x), st.skew(x), st.kurtosis(x), st.sem(x), st.gmean(x), st.hmean(x),
            st.moment(x, 3), st.entropy(x), st.entropy(x, y), st.variation(x),
            st.pearsonr(x, y)[0], st.linregress(x, y).slope, st.linregress(x, y).intercept,
            st.skew(x, bias=False), st.linregress(x, y).stderr, st.zscore(x[:, None] * y, axis=1),
        )  # fmt: skip

    rng = np.random.default_rng(2)
    check(f, rng.uniform(1, 2, 6), rng.uniform(1, 2, 6))


ROBUST = {
    "iqr": lambda x: (
        st.iqr(x), st.iqr(x, axis=0), st.iqr(x, axis=1, rng=(10, 80), scale="normal"),
        st.iqr(x, axis=(0, 1), scale=2.0, keepdims=True), st.iqr(x, interpolation="midpoint"),
    ),
    "median_abs_deviation": lambda x: (
        st.median_abs_deviation(x), st.median_abs_deviation(x, axis=None, scale="normal"),
        st.median_abs_deviation(x, axis=1, center=np.mean, scale=2.0),
    ),
    "trim_mean": lambda x: (st.trim_mean(x, 0.3), st.trim_mean(x, 0.1, axis=None),
                            st.trim_mean(x, 0.4, axis=1)),
    "gstd": lambda x: (st.gstd(x), st.gstd(x, axis=1, ddof=0), st.gstd(x, axis=None)),
    "gzscore": lambda x: (st.gzscore(x), st.gzscore(x, axis=1, ddof=1)),
    "means": lambda x: (
        st.gmean(x, axis=1, weights=x[0]), st.hmean(x, axis=0, weights=x), st.pmean(x, 2.5),
        st.pmean(x, 0, axis=None), st.gmean(x, axis=None, dtype=np.float64),
    ),
    "moments": lambda x: (
        st.moment(x, [2, 3], axis=1), st.moment(x, 2, center=0.3, keepdims=True),
        st.skew(x, axis=None), st.skew(x, axis=1, bias=False, keepdims=True),
        st.kurtosis(x, axis=1, fisher=False), st.kurtosis(x, axis=None, bias=False),
        st.sem(x, axis=1, ddof=0), st.sem(x, axis=None, keepdims=True), st.zscore(x, axis=None),
        st.zmap(x, x[:2], ddof=1), st.variation(x, axis=1, ddof=1, keepdims=True),
        st.entropy(x, axis=1, base=2, keepdims=True), st.entropy(x, x**2, axis=None),
    ),
    "ttest_1samp": lambda x: (
        *st.ttest_1samp(x, 1.4), *st.ttest_1samp(x, 1.2, axis=1, alternative="less"),
        st.ttest_1samp(x, 1.2, axis=None, alternative="greater").pvalue,
    ),
    "ttest_rel": lambda x: tuple(st.ttest_rel(x, x[::-1] ** 2 + 0.1, axis=1)),
    "ttest_ind": lambda x: (
        *st.ttest_ind(x, x[:2] ** 2), *st.ttest_ind(x, x**2, axis=1, equal_var=False),
        st.ttest_ind(x[:, 0], x[:2, 1], equal_var=False, alternative="greater").df,
    ),
    "pearsonr": lambda x: (st.pearsonr(x[0], x[1]).statistic, st.pearsonr(x[0], x[1])[0]),
    "linregress": lambda x: (
        st.linregress(x[0], x[1]).slope, st.linregress(x[0], x[1]).intercept_stderr,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROBUST)
def test_statistics_along_axes(name):
    rng = np.random.default_rng(8)
    check(ROBUST[name], rng.permutation(np.linspace(1, 2, 20) ** 2).reshape(4, 5), order=1)


def test_correlation_along_an_axis():
    if SCIPY >= (1, 15):
        x = np.random.default_rng(8).normal(size=(4, 6))
        check(lambda x: st.pearsonr(x, x[::-1] ** 2, axis=1).statistic, x, order=1)


def test_nan_policy():
    x = np.array([1.0, 2.0, np.nan])
    assert np.isnan(ag.grad(lambda x: st.sem(x))(x)).all()
    with pytest.raises(ValueError, match="nan_policy='raise'"):
        ag.grad(lambda x: st.sem(x, nan_policy="raise"))(x)


pdf = st.norm.pdf


def test_methods_of_distributions_are_names_too():
    """Lifting SciPy's own method once rewrote SciPy, and the built-ins with it."""
    check(lambda x: pdf(x), np.array([0.1, 3.0]))
    assert ag.grad(st.norm.logpdf)(2.0) == -2.0
