"""Multivariate distributions at the borders of what they are defined for: SciPy's values there.

Formulas go on outside of their domain: the mean of a normal-inverse-gamma distribution with a < 1
was a negative number, where SciPy says that there is none.
"""

import numpy as np
import pytest
import scipy.stats as st

import arraygrad as ag
import arraygrad.scipy.stats as ours

TWO = np.array([[2.0, 0.3], [0.3, 1.0]])
THREE = np.diag([1.0, 2.0, 3.0]) + 0.1
SINGULAR = np.ones((2, 2))
COUNTS = [[1, 1, 2], [4, 0, 0], [1, 1, 1], [-1, 3, 2]]

# (distribution, methods, arguments); arguments that are not whole are tracked.
ROWS = [
    *[
        ("normal_inverse_gamma", ("mean", "var"), (0.3, 1.2, a, 0.7))
        for a in (0.5, 1.0, 1.5, 2.0, 2.5, np.array([0.5, 1.0, 1.5, 2.0, 2.5]))
    ],
    *[
        ("normal_inverse_gamma", ("mean", "var"), p)
        for p in ((0.3, -1.0, 2.5, 1.0), (0.3, 1.0, -2.5, 1.0), (0.3, 1.0, 2.5, 0.0))
    ],
    *[
        ("normal_inverse_gamma", ("logpdf", "pdf"), p)
        for p in (
            (0.1, 0.0, 0.3, 1.2, 0.8, 0.7), (0.1, -1.0, 0.3, 1.2, 0.8, 0.7),
            (0.1, 0.5, 0.3, 1.2, -0.8, 0.7), (0.1, np.array([-0.5, 0.5]), 0.3, 1.2, 0.8, 0.7),
        )
    ],
    *[
        (name, ("mean", "var", "mode", "entropy"), (df, scale))
        for name in ("wishart", "invwishart")
        for scale in (TWO, THREE, np.array(1.5))
        for df in np.sqrt(scale.size) + np.array([-1.0, -0.5, 0.0, 1.0, 1.5, 2.0, 3.0, 3.5])
    ],
    *[
        ("multivariate_t", ("entropy",), (np.zeros(2), TWO, df))
        for df in (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, np.inf)
    ],
    *[
        ("dirichlet", ("mean", "var", "cov", "entropy"), (np.array(alpha),))
        for alpha in ([0.5, 0.5, 0.5], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [-1.0, 1.0, 1.0])
    ],
    ("dirichlet", ("logpdf", "pdf"), (np.array([0.0, 0.5, 0.5]), np.array([0.5, 1.0, 2.0]))),
    ("dirichlet", ("logpdf", "pdf"), (np.array([0.0, 0.5, 0.5]), np.array([1.5, 1.0, 2.0]))),
    *[
        ("multinomial", ("mean", "cov", "entropy"), (n, np.array(p)))
        for n in (0, 4, 2.5, -1)
        for p in ([0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.7, 0.6, -0.3])
    ],
    *[
        ("multinomial", ("logpmf", "pmf"), (COUNTS, n, np.array(p)))
        for n in (0, 4, 2.5, -1)
        for p in ([0.2, 0.3, 0.5], [0.0, 0.5, 0.5], [0.7, 0.6, -0.3])
    ],
    ("dirichlet_multinomial", ("mean", "var", "cov"), (np.array([0.5, 1.0, 2.0]), 0)),
    ("dirichlet_multinomial", ("logpmf", "pmf"), (COUNTS[:3], np.array([0.5, 1.0, 2.0]), 4)),
    ("dirichlet_multinomial", ("logpmf", "pmf"), ([1, 2, 0], np.array([1.5]), 3)),
    *[("vonmises_fisher", ("entropy",), (np.array([0.6, 0.8]), k)) for k in (0.0, 1e-10, 800.0)],
]  # fmt: skip
CASES = {
    f"{name}.{method} {i}": (name, method, arguments)
    for i, (name, methods, arguments) in enumerate(ROWS)
    for method in methods
}


def result_of(function, *arguments):
    """What the function returns, or the type of its error."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - compared
        return next(t for t in type(error).__mro__ if t.__module__ in ("builtins", "numpy.linalg"))


def parts(out):
    if isinstance(out, tuple):
        return [part for item in out for part in parts(item)]
    return [out.detach().numpy() if isinstance(out, ag.Tensor) else out]


def is_parameter(x):
    return isinstance(x, float | np.ndarray)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", CASES)
def test_values_are_scipys_and_gradients_are_zero_where_nothing_exists(name):
    distribution, method, arguments = CASES[name]
    if not hasattr(st, distribution):
        pytest.skip("this SciPy has it not")
    wanted = result_of(getattr(getattr(st, distribution), method), *arguments)
    given = [ag.tensor(a, requires_grad=True) if is_parameter(a) else a for a in arguments]
    out = result_of(getattr(getattr(ours, distribution), method), *given)
    if isinstance(wanted, type):
        assert out is wanted
        return
    for found, expected in zip(parts(out), parts(wanted), strict=True):
        assert (found is None) == (expected is None)
        if expected is not None:
            assert found.shape == np.shape(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    results = out if isinstance(out, tuple) else (out,)
    if wanted is None or any(np.isfinite(part).any() for part in parts(wanted)):
        return
    for part in results:
        if part.requires_grad:
            part.sum().backward()
    for x in given:
        if isinstance(x, ag.Tensor) and x.grad is not None:
            np.testing.assert_array_equal(np.asarray(x.grad), 0.0)


@pytest.mark.parametrize("method", ["logpdf", "entropy"])
def test_a_singular_shape_is_refused(method):
    """Its entropy was minus infinity, where SciPy takes the determinant of what is not zero."""
    arguments = ([0.1, 0.2], np.zeros(2))[: 2 if method == "logpdf" else 1]
    shape = ag.tensor(SINGULAR, requires_grad=True)
    with pytest.raises(ag.errors.DetachError, match=r"multivariate_t\.\w+ .*singular"):
        getattr(ours.multivariate_t, method)(*arguments, shape, 2.5)


def test_a_frozen_distribution_knows_what_it_allows():
    """Its methods forgot allow_singular."""
    frozen = st.multivariate_t([0.0, 0.0], SINGULAR, np.inf, allow_singular=True)
    found = ours.multivariate_t([0.0, 0.0], SINGULAR, np.inf, allow_singular=True)
    np.testing.assert_allclose(found.logpdf([0.1, 0.1]), frozen.logpdf([0.1, 0.1]))
