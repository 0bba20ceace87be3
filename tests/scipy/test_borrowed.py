"""Functions of SciPy without a rule, by SciPy's own code: right, or refused by name."""

import numpy as np
import pytest
import scipy.interpolate as ip
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.optimize as so
import scipy.signal as ss
import scipy.sparse.linalg as splinalg
import scipy.stats as st
from scipy import sparse

import arraygrad as ag
from arraygrad.scipy import _borrowed

from .checking import check, check_or_refused, skip_if_older_than_the_call

RNG = np.random.default_rng(0)
Y = RNG.normal(size=8)
X = np.sort(RNG.uniform(0.2, 3, 8))
POSITIVE = np.abs(Y) + 0.1
SIGNAL = RNG.normal(size=40)
SQUARE = RNG.normal(size=(4, 4)) + 3 * np.eye(4)
LABELS = np.array([1, 1, 2, 2, 0, 2, 1, 0])
KINDS = (ag.errors.DetachError, ag.errors.GradientError)

# One call each: (arguments, calls).
ROWS = {
    "labels": (
        (Y,),
        [
            lambda x: nd.sum_labels(x, LABELS, [1, 2]),
            lambda x: nd.mean(x),
            lambda x: nd.mean(x, LABELS, 1),
            lambda x: nd.variance(x, LABELS, [1, 2]),
            lambda x: nd.standard_deviation(x, LABELS, 2),
            lambda x: nd.maximum(x, LABELS, [1, 2]),
            lambda x: nd.minimum(x),
            lambda x: nd.median(x, LABELS, [1, 2]),
            lambda x: nd.extrema(x, LABELS, [1, 2])[:2],
        ],
    ),
    "matrices": (
        (SQUARE,),
        [
            lambda a: sl.leslie(a[0], a[1, :3]),
            lambda a: sl.fiedler(a[0]),
            lambda a: sl.convolution_matrix(a[0], 5),
            lambda a: sl.expm_frechet(0.3 * a, a.T)[1],
            lambda a: sl.subspace_angles(a[:, :2], a[:, 2:]),
        ],
    ),
    "designs of filters": (
        (np.array([0.3, 0.4, 20.0, 1.3]),),
        [
            lambda x: ss.butter(3, x[0]),
            lambda x: ss.butter(2, [x[0] / 2, x[1]], "bandpass", output="sos"),
            lambda x: ss.butter(2, x[3], "high", fs=x[2]),
            lambda x: ss.cheby1(3, x[3], x[0]),
            lambda x: ss.cheby2(3, x[2], x[0]),
            lambda x: ss.ellip(2, x[3], x[2], x[0]),
            lambda x: ss.bessel(2, x[0]),
            lambda x: ss.iirnotch(x[0], x[2]),
            lambda x: ss.iirpeak(x[3], x[2], fs=x[2]),
            lambda x: ss.iircomb(0.25, x[2]),
            lambda x: ss.firwin2(7, [0, x[0], 1], [1.0, x[1], 0.0]),
            lambda x: ss.tf2ss([1.0, x[0]], [1.0, x[1], x[3]])[:2],
            lambda x: ss.filtfilt(*ss.butter(2, x[0]), SIGNAL)[::5],
        ],
    ),
    "filters": (
        (SIGNAL,),
        [
            lambda x: ss.wiener(x, 5),
            lambda x: ss.deconvolve(x, [1.0, 0.5])[0],
            lambda x: ss.chirp(x, 1.0, 2.0, 3.0),
            lambda x: ss.lsim(([1.0], [1.0, 1.0]), x, np.arange(40.0))[1],
            lambda x: ss.lombscargle(np.arange(40) * 1.1, x, [0.3, 0.7]),
        ],
    ),
    "tests of samples": (
        (POSITIVE,),
        [
            lambda x: st.f_oneway(x, Y).statistic,
            lambda x: st.bartlett(x, 2 * Y)[0],
            lambda x: st.levene(x, Y)[0],
            lambda x: st.wasserstein_distance(x, Y),
            lambda x: st.energy_distance(x, Y),
            lambda x: st.power_divergence(x, np.sum(x) / 8 * np.ones(8))[0],
        ],
    ),
    "statistics": (
        (POSITIVE,),
        [
            lambda x: st.tmean(x),
            lambda x: st.tvar(x),
            lambda x: st.tsem(x),
            lambda x: st.circmean(x),
            lambda x: st.circvar(x),
            lambda x: st.circstd(x),
            lambda x: st.boxcox_llf(0.5, x),
            lambda x: st.kstat(x),
            lambda x: st.expectile(x),
            lambda x: st.describe(x).variance,
            lambda x: st.binned_statistic(Y, x, bins=2)[0],
        ],
    ),
    "splines": (
        (Y,),
        [
            lambda y: ip.splev(1.0, ip.splder(ip.splrep(X, y))),
        ],
    ),
}
CALLS = [
    pytest.param(f, a, id=f"{n} [{i}]") for n, (a, fs) in ROWS.items() for i, f in enumerate(fs)
]


@pytest.mark.parametrize(("f", "arguments"), CALLS)
def test_value_and_gradient(f, arguments):
    skip_if_older_than_the_call(f, *arguments)
    check_or_refused(f, *arguments, order=1, rtol=1e-5)


def test_a_namedtuple_stays_one():
    found = ag.lift(lambda x: st.f_oneway(x, Y))(ag.tensor(POSITIVE, requires_grad=True))
    assert type(found) is type(st.f_oneway(POSITIVE, Y))
    assert found.statistic.requires_grad


REFUSED = {
    "scipy.signal.sepfir2d": lambda x: ss.sepfir2d(x, np.ones(3), np.ones(3)),
    "scipy.linalg.ldl": lambda x: sl.ldl(x)[0],
    "scipy.linalg.cossin": lambda x: sl.cossin(sl.orth(x), 2, 2)[0],
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_compiled_code_is_refused_by_name(name):
    with pytest.raises(KINDS, match=f"{name} has no derivative rule"):
        ag.lift(REFUSED[name])(ag.tensor(SQUARE, requires_grad=True))


def test_code_that_is_compiled_is_not_run_as_python():
    """Its code object is empty: to run it ended the process."""
    found = _borrowed.run(sl.bandwidth, (ag.tensor(SQUARE, requires_grad=True),), {}, np.asarray)
    assert found is None


def test_nothing_is_remembered_of_what_was_tried():
    """The warning of refusals that code catches came for a call that went well."""

    def f(x):
        total = st.tmean(x)
        try:
            raise ValueError
        except ValueError:
            return total

    assert ag.grad(f)(POSITIVE) == pytest.approx(np.full(8, 1 / 8))


# -- distributions ---------------------------------------------------------------------------------

INSIDE = 0.05 + POSITIVE * 0.1
FAMILIES = {
    "weibull_max": (-INSIDE, 1.5), "exponweib": (INSIDE, 1.5, 1.2), "gengamma": (INSIDE, 1.5, 1.2),
    "levy": (INSIDE,), "maxwell": (INSIDE,), "nakagami": (INSIDE, 1.5), "powerlaw": (INSIDE, 1.5),
    "triang": (INSIDE, 0.8), "invgauss": (INSIDE, 1.5),
    "hypsecant": (INSIDE,), "gompertz": (INSIDE, 1.5), "fisk": (INSIDE, 1.5), "chi": (INSIDE, 2.5),
    "johnsonsu": (INSIDE, 1.5, 1.2), "lomax": (INSIDE, 1.5), "halfcauchy": (INSIDE,),
    "halflogistic": (INSIDE,), "arcsine": (INSIDE,), "moyal": (INSIDE,), "wald": (INSIDE,),
    "loguniform": (INSIDE, 0.01, 5.0), "truncexpon": (INSIDE, 1.5), "betaprime": (INSIDE, 1.5, 1.2),
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_other_families(name):
    def f(x, scale, *shapes):
        dist = getattr(st, name)
        return (dist.logpdf(x, *shapes, loc=0.001, scale=scale),
                dist.pdf(x, *shapes, scale=scale), dist(*shapes).cdf(x))  # fmt: skip

    x, *shapes = FAMILIES[name]
    check_or_refused(f, x, 1.1, *shapes, order=1, rtol=1e-5)


def test_frozen_ones_that_were_made_outside():
    dist = st.maxwell(scale=1.3)
    check(lambda x: (dist.logpdf(x), dist.cdf(x)), INSIDE, order=1)


def test_other_discrete_families():
    check(
        lambda a: (st.planck.logpmf([1, 3], a), st.zipf.pmf([1, 3], 1 + a), st.planck.cdf(2, a)),
        1.5, order=1,
    )  # fmt: skip


MOMENTS = {
    "loguniform": (0.2, 1.7), "maxwell": (), "triang": (0.3,), "powerlaw": (1.6,), "chi": (2.5,),
    "invgauss": (0.7,), "genpareto": (0.1,), "skewnorm": (1.2,), "truncexpon": (1.4,),
    "exponnorm": (1.5,), "arcsine": (), "nakagami": (1.3,),
}  # fmt: skip


@pytest.mark.parametrize("name", MOMENTS)
def test_moments_of_other_families(name):
    def f(scale, *shapes):
        dist = getattr(st, name)
        return (dist.mean(*shapes, loc=0.3, scale=scale), dist.var(*shapes, scale=scale),
                dist(*shapes, 0.3, scale).std())  # fmt: skip

    check(f, 1.1, *MOMENTS[name], order=1)


def test_moments_and_entropy_of_other_families_by_their_own_formulas():
    check(lambda a: (st.planck.mean(a), st.planck.var(a), st.powerlaw.entropy(a)), 1.5, order=1)


@pytest.mark.parametrize(
    ("name", "f"),
    [
        ("skewnorm.cdf", lambda x: st.skewnorm.cdf(x, 1.5)),
        ("maxwell.fit", lambda x: st.maxwell.fit(x)[1]),
        ("maxwell.expect", lambda x: st.maxwell.expect(lambda v: v, scale=x[0])),
        ("planck.entropy", lambda x: st.planck.entropy(x[0])),
        ("gompertz.mean", lambda x: st.gompertz.mean(x[0])),
    ],
)
def test_what_scipy_computes_numerically_is_refused_by_the_name_of_the_family(name, f):
    with pytest.raises(KINDS, match=rf"scipy\.stats\.{name} has no derivative rule"):
        ag.lift(f)(ag.tensor(INSIDE, requires_grad=True))


@pytest.mark.parametrize(
    ("name", "method", "shapes"),
    [
        ("pareto", "mean", (1.0,)), ("pareto", "var", (1.5,)), ("pareto", "std", (2.0,)),
        ("invgamma", "mean", (0.5,)), ("invgamma", "var", (1.5,)), ("t", "mean", (0.9,)),
        ("t", "var", (1.5,)), ("f", "mean", (3.0, 1.5)), ("f", "var", (3.0, 4.0)),
        ("levy", "mean", ()), ("halfcauchy", "std", ()), ("alpha", "var", (1.4,)),
    ],
)  # fmt: skip
def test_moments_that_are_infinite_are_refused(name, method, shapes):
    """Formulas continued to there gave other values than SciPy, and a gradient of 0 of an inf."""

    def f(scale):
        return getattr(getattr(st, name)(*map(np.float64, shapes), scale=scale), method)()

    assert not np.isfinite(f(1.3))
    with pytest.raises(KINDS, match=rf"scipy\.stats\.{name}\.\w+ has no derivative where"):
        ag.lift(f)(ag.tensor(1.3, requires_grad=True))
    with ag.set_detach_policy("allow"):
        np.testing.assert_allclose(
            np.asarray(ag.lift(f)(ag.tensor(1.3, requires_grad=True))), f(1.3)
        )


SPARSE = sparse.csr_array(SQUARE)
SEEDED = {"rng": np.random.default_rng(3)}  # SciPy warns of a global generator that has a seed


@pytest.mark.filterwarnings("ignore:`lagrange` is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "f"),
    [
        ("interpolate.lagrange", lambda x: ip.lagrange(np.arange(4.0), x[0])(0.3)),
        (
            "optimize.quadratic_assignment",
            lambda x: so.quadratic_assignment(x, SQUARE, options=SEEDED).fun,
        ),
        ("linalg.onenormest", lambda x: splinalg.onenormest(SPARSE * x[0, 0])),
        ("linalg.funm_multiply_krylov", lambda x: splinalg.funm_multiply_krylov(np.exp, x, x[0])),
    ],
)
def test_what_failed_on_tensors_in_scipys_words_is_refused_by_name(name, f):
    skip_if_older_than_the_call(f, SQUARE)
    with pytest.raises(KINDS, match=rf"{name} has no derivative rule"):
        ag.lift(f)(ag.tensor(SQUARE, requires_grad=True))


def test_functions_of_sparse_matrices_on_plain_values():
    """They failed on the matrices that lifted code has."""
    b = SQUARE[0]
    for f in (
        lambda: splinalg.lsqr(SPARSE, b)[0], lambda: splinalg.norm(SPARSE),
        lambda: splinalg.lgmres(SPARSE, b)[0],
    ):  # fmt: skip
        np.testing.assert_allclose(np.asarray(ag.lift(f)()), f())
