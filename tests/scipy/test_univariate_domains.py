"""Distributions of one variable where parameters or points leave their domain: SciPy's values.

Formulas went on there: ``norm.cdf(1, scale=-1)`` was a number, where SciPy says that there is none.
"""

import numpy as np
import pytest
import scipy.stats as st

import arraygrad as ag
import arraygrad.scipy.stats as ours

DISCRETE = ("bernoulli", "binom", "geom", "nbinom", "poisson")
CONTINUOUS = (
    "beta", "cauchy", "chi2", "erlang", "expon", "f", "gamma", "gumbel_l", "gumbel_r", "halfnorm",
    "invgamma", "laplace", "logistic", "lognorm", "norm", "pareto", "rayleigh", "t", "truncnorm",
    "uniform", "weibull_min",
)  # fmt: skip
FIRST = (-1.0, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0)
POINTS = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.nan])
MOMENTS = ("mean", "var", "std", "entropy", "median")


def parameters(name):
    """Shapes and scales on both sides of each border."""
    count = getattr(st, name).numargs
    for first in FIRST:
        for second in (2.0, 4.0, 5.0, 0.5) if count > 1 else (1.0,):
            shapes = (first, second)[:count]
            if name in ("binom", "nbinom"):
                shapes = (4.0, first / 2)
            for scale in (1.3, -1.0, 0.0) if name in CONTINUOUS else (None,):
                yield shapes, scale
        if not count and name in CONTINUOUS:
            return


def tracked(x):
    return ag.tensor(x, requires_grad=True)


def compared(name, method, points, shapes, scale):
    real, mine = getattr(st, name), getattr(ours, name)
    options = {} if scale is None else {"scale": scale}
    try:
        wanted = getattr(real, method)(*points, *shapes, **options)
    except (OverflowError, ZeroDivisionError):  # SciPy's own, of some versions
        return
    given = [tracked(s) for s in shapes], {k: tracked(v) for k, v in options.items()}
    if not shapes and not options:
        return
    try:
        found = getattr(mine, method)(*points, *given[0], **given[1])
    except ag.errors.DetachError:  # there is no rule, or no moment
        return
    np.testing.assert_allclose(
        found.detach().numpy(), wanted, rtol=1e-8, atol=1e-14,
        err_msg=f"{name}.{method} {shapes} scale={scale}",
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", DISCRETE + CONTINUOUS)
def test_values_are_scipys(name):
    # What SciPy gives for logcdf of bad parameters of discrete ones depends on the point.
    kinds = ("pdf", "logpdf", "logcdf") if name in CONTINUOUS else ("pmf", "logpmf")
    for shapes, scale in parameters(name):
        for method in MOMENTS:
            compared(name, method, (), shapes, scale)
        for method in (*kinds, "cdf", "sf"):
            compared(name, method, (POINTS,), shapes, scale)


def test_gradients_are_zero_where_there_is_no_value():
    scale = tracked([1.0, -1.0, 0.0])
    out = ours.norm.logpdf(0.7, scale=scale)
    np.testing.assert_array_equal(np.isnan(out.detach()), [False, True, True])
    out[0].backward()
    np.testing.assert_allclose(scale.grad, [0.7**2 - 1, 0.0, 0.0])
