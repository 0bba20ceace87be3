"""Distributions and sample statistics."""

import numpy as np
import pytest
import scipy.stats as st
from scipy.stats import multivariate_normal, norm

import arraygrad as ag

from .checking import check

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


def test_a_method_without_rule_is_refused_by_name():
    with pytest.raises(ag.errors.DetachError, match=r"multivariate_normal\.cdf"):
        ag.grad(lambda m: multivariate_normal.cdf(np.zeros(2), m))(np.zeros(2))
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


pdf = st.norm.pdf


def test_methods_of_distributions_are_names_too():
    """Lifting SciPy's own method once rewrote SciPy, and the built-ins with it."""
    check(lambda x: pdf(x), np.array([0.1, 3.0]))
    assert ag.grad(st.norm.logpdf)(2.0) == -2.0
