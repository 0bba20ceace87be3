"""Calls of SciPy that have no derivative obey the policy, one way: each place has a row here."""

from __future__ import annotations

import ast
import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.sparse.linalg as splinalg
from scipy import integrate, interpolate, ndimage, sparse, special, stats
from scipy.cluster.vq import kmeans, kmeans2
from scipy.spatial import ConvexHull, KDTree, distance
from scipy.spatial.transform import Rotation

import arraygrad as ag
from arraygrad.scipy import _rule

from . import keywords_boundary
from .checking import SCIPY, TESTED, skip_if_older_than_the_call

X = np.array([0.3, 1.1, 1.7, 2.9, 3.1, 4.2])
CLOUD = np.array([[0.0, 0.1], [1.1, 0.0], [0.1, 1.3], [1.2, 1.0], [0.6, 0.5], [0.3, 0.8]])
PLANE = np.random.default_rng(2).uniform(size=(20, 2))
SQUARE = np.array([[3.0, 0.4, 0.2], [0.1, 2.5, 0.3], [0.3, 0.2, 2.0]])


def slope(a, t, y):
    return -a * y


def ending(t, y):
    return y[0] - 0.5


ending.terminal = True


def written(matrix, x):
    matrix[0, 0] = x[0]
    return matrix


def emptied(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="One of the clusters")
        return kmeans2(x, np.array([[0.5, 0.2], [900.0, 1.0]]), minit="matrix")[0]


REFUSED = {
    "stats.t.var where it is infinite": (lambda a: stats.t.var(a), 1.5),
    "stats.levy.std, which is infinite": (lambda a: stats.levy.std(0.0, a), 1.5),
    "ndimage.shift output": (lambda x: ndimage.shift(x, 0.4, output=np.zeros(6)), X),
    "signal.find_peaks of prominences": (
        lambda x: scipy.signal.find_peaks(x, prominence=0.1)[1]["prominences"], np.sin(3 * X),
    ),
    "signal.decimate by its filter": (
        lambda x: scipy.signal.decimate(np.arange(40.0), 2, ftype=scipy.signal.dlti(x, [1.0])), X,
    ),
    "signal.resample by its window": (lambda x: scipy.signal.resample(X, 4, window=x), X + 0.5),
    "integrate.solve_ivp of a span that an event ends": (
        lambda a: integrate.solve_ivp(
            lambda t, y: slope(1.3, t, y), (0, a), [1.0], events=ending
        ).y[0, -1],
        1.3,
    ),
    "interpolate.PPoly.solve of columns": (
        lambda x: interpolate.CubicSpline(X, np.stack((x, x + 1), axis=1)).roots()[0][:1], X - 2.0,
    ),
    "interpolate.PPoly.roots where the slope is zero": (
        lambda c: interpolate.PPoly(np.stack((c, 0 * c, 0 * c)), [-1.0, 1.0]).roots(), X[:1],
    ),
    "interpolate.BSpline.design_matrix": (
        lambda x: interpolate.BSpline.design_matrix(x, [0.0, 0.0, 5.0, 5.0], 1).toarray(), X,
    ),
    "interpolate.interpn splinef2d": (
        lambda x: interpolate.interpn((X, X), X * X[:, None], x[None, :2], "splinef2d"), X[1:3],
    ),
    "interpolate.BarycentricInterpolator with other weights": (
        lambda x: interpolate.BarycentricInterpolator(X, x, wi=np.cos(7 * X))([0.9, 2.0]), X**2,
    ),
    "interpolate.Rbf with a function as norm": (
        lambda x: interpolate.Rbf(
            X, x, norm=lambda a, b: np.abs(a[0] - b[0])
        )([0.9, 2.0]),
        X**2,
    ),
    "interpolate.CloughTocher2DInterpolator by its points": (
        lambda p: interpolate.CloughTocher2DInterpolator(p, p[:, 0])([[0.5, 0.5]]), CLOUD,
    ),
    "interpolate.CloughTocher2DInterpolator of complex values": (
        lambda v: interpolate.CloughTocher2DInterpolator(CLOUD, v * 1j)([[0.5, 0.5]]).imag,
        CLOUD[:, 0],
    ),
    "spatial.ConvexHull.equations": (lambda p: ConvexHull(p).equations, CLOUD),
    "stats.gaussian_kde.resample": (
        lambda x: stats.gaussian_kde(x).resample(3, seed=1), X**2,
    ),
    "optimize.linprog of whole numbers": (
        lambda c: scipy.optimize.linprog(c, bounds=(1, 2), integrality=1).x, X,
    ),
    "optimize.milp": (lambda c: scipy.optimize.milp(c, bounds=(1, 2)).fun, X),
    "optimize.linprog without a vertex": (
        lambda b: scipy.optimize.linprog([1.0, 1.0], [[-1.0, -1.0], [-1.0, 0.0], [0.0, -1.0]],
                                         -b, bounds=(None, None)).fun,
        np.array([2.0, 1.0, 1.0]),
    ),
    "optimize.fmin_bfgs with full_output": (
        lambda a: scipy.optimize.fmin_bfgs(
            lambda z: np.sum((z - a) ** 2), [0.0], full_output=True, disp=False)[0],
        1.3,
    ),
    "optimize.minimize hess_inv": (
        lambda a: scipy.optimize.minimize(lambda z: np.sum(a * z**2), [0.3]).hess_inv, 1.3,
    ),
    "stats.pearsonr by permutations": (
        lambda x: stats.pearsonr(x, X**2, method=stats.PermutationMethod(n_resamples=9))[0], X,
    ),
    "ndimage.gaussian_filter1d output": (
        lambda x: ndimage.gaussian_filter1d(x, 1.0, output=np.zeros(6)), X,
    ),
    "ndimage.grey_erosion output": (
        lambda x: ndimage.grey_erosion(x, 3, output=np.zeros(6)), X,
    ),
    "ndimage.fourier_shift by its shift": (
        lambda x: np.abs(ndimage.fourier_shift(np.fft.fft(X), x[0]) + 1), X,
    ),
    "ndimage.rotate of three dimensions": (
        lambda x: ndimage.rotate(x, 20.0), np.arange(27.0).reshape(3, 3, 3),
    ),
    "linalg.lu_solve of several factorisations": (
        lambda x: scipy.linalg.lu_solve(
            scipy.linalg.lu_factor(np.stack((x, x.T))), np.ones((2, 3, 1))
        ),
        SQUARE,
    ),
    "linalg.solve_circulant axis": (
        lambda x: scipy.linalg.solve_circulant(x, X[:3], singular="lstsq"), X[1:4],
    ),
    "linalg.qr raw": (lambda x: scipy.linalg.qr(x, mode="raw")[0][1], SQUARE),
    "cluster.kmeans2 with an empty cluster": (
        lambda x: emptied(x), CLOUD,
    ),
    "cluster.kmeans before it is settled": (
        lambda x: kmeans(x, np.array([0.3, 0.5]), thresh=1e9)[0], X,
    ),
    "integrate.solve_bvp with a singular term": (lambda a: keywords_boundary.singular(a).y, 1.2),
    "integrate.solve_bvp of complex states": (
        lambda a: np.real(keywords_boundary.rotating(a).y), 1.2,
    ),
    "linalg.schur in complex numbers": (
        lambda x: np.abs(scipy.linalg.schur(x, "complex")[0]), SQUARE,
    ),
    "linalg.schur of many rows": (
        lambda x: scipy.linalg.schur(np.kron(np.eye(11), x))[0], SQUARE,
    ),
    "linalg.ordqz of pairs": (
        lambda x: scipy.linalg.ordqz(x - x.T + np.eye(3), np.eye(3))[0], SQUARE,
    ),
    "linalg.eigvals_banded of many rows": (
        lambda x: scipy.linalg.eigvals_banded(np.ones((1, 2001)) * x[0, 0]), SQUARE,
    ),
    "linalg.eig homogeneous": (
        lambda x: scipy.linalg.eig(x, homogeneous_eigvals=True)[0].real, SQUARE,
    ),
    "signal.freqz of several filters": (
        lambda x: np.abs(scipy.signal.freqz(x[..., None], 1, worN=4)[1]), SQUARE,
    ),
    "signal.zpk2tf of several numerators": (
        lambda x: scipy.signal.zpk2tf(x, [0.5], np.array([1.0, 2.0, 3.0]))[0], SQUARE,
    ),
    "signal.filtfilt gust": (
        lambda x: scipy.signal.filtfilt([0.5, 0.5], [1.0], x, method="gust"), X,
    ),
    "distance.cdist metric": (lambda x: distance.cdist(x, x, "jaccard"), SQUARE),
    "integrate.cumulative_simpson by x": (
        lambda x: integrate.cumulative_simpson(X**2, x=x), X,
    ),
    "integrate.quad by the pole of a weight": (
        lambda c: integrate.quad(lambda x: np.exp(-x), 0, 2, weight="cauchy", wvar=c)[0], 1.3,
    ),
    "integrate.quad with a weight where QUADPACK misses what is far away": (
        lambda a: integrate.quad(
            lambda x: a * np.exp(-((x - 60) ** 2)), 0, np.inf, weight="sin", wvar=1.0
        )[0],
        1.3,
    ),
    "integrate.quad_vec by a limit of an infinite range": (
        lambda a: integrate.quad_vec(lambda x: np.exp(-x) * np.ones(2), a, np.inf)[0], 1.3,
    ),
    "interpolate.splrep smoothing": (lambda x: interpolate.splrep(X, x, s=0.01)[1], np.sin(3 * X)),
    "interpolate.make_smoothing_spline without lam": (
        lambda x: interpolate.make_smoothing_spline(X, x)(2.0), X**2,
    ),
    "interpolate.splprep smoothing": (
        lambda x: interpolate.splprep([X, np.sin(x)], s=0.3)[1], X**2,
    ),
    "interpolate.make_splrep smoothing": (
        lambda x: interpolate.make_splrep(X, np.sin(x), s=0.1).c, X**2,
    ),
    "interpolate.insert by the knot": (
        lambda x: interpolate.splev(0.4, interpolate.insert(x[2], interpolate.splrep(X, X**2))), X,
    ),
    "interpolate.SmoothBivariateSpline": (
        lambda z: interpolate.SmoothBivariateSpline(*PLANE.T, z, kx=1, ky=1).ev(0.5, 0.5),
        PLANE[:, 0] ** 2,
    ),
    "interpolate.RectBivariateSpline smoothing": (
        lambda z: interpolate.RectBivariateSpline(X, X, z, s=9.0).ev(0.5, 0.5), np.outer(X, X**2),
    ),
    "interpolate.bisplrep": (
        lambda z: interpolate.bisplev(
            0.5, 0.5, interpolate.bisplrep(*PLANE.T, z, kx=1, ky=1, s=9.0)
        ),
        PLANE[:, 0] ** 2,
    ),
    "interpolate.UnivariateSpline smoothing": (
        lambda x: interpolate.UnivariateSpline(X, x, s=0.01)(2.0), np.sin(3 * X),
    ),
    "optimize.approx_fprime": (
        lambda a: scipy.optimize.approx_fprime([1.0], lambda p: a * p[0] ** 2), 1.3,
    ),
    "sparse.csr_array.maximum": (
        lambda x: sparse.csr_array(np.eye(3)).maximum(sparse.csr_array(x)).sum(), SQUARE,
    ),
    "sparse.kron of one dimension": (
        lambda x: sparse.kron(sparse.eye(2), x).toarray(), X,
    ),
    "stats.kurtosis of a number": (lambda x: stats.kurtosis(x), 1.3),
    "sparse.kronsum": (
        lambda x: sparse.kronsum(sparse.eye(2), sparse.diags(x)).toarray(), X,
    ),
    "sparse.bsr_array of blocks": (
        lambda x: sparse.bsr_array((x[:, None, None], np.arange(6), np.arange(7))).toarray(), X,
    ),
    "sparse.dok_array.data": (lambda x: sparse.dok_array(np.diag(x)).tobsr().sum(), X),
    "sparse.lil_array.data": (
        lambda x: float(sparse.lil_array(np.diag(x)).data[0][0]), X,
    ),
    "sparse.csr_array.max along an axis": (
        lambda x: sparse.csr_array(x).max(axis=0).toarray(), SQUARE,
    ),
    "sparse row of one dimension": (lambda x: sparse.csr_array(x)[1].toarray(), SQUARE),
    "sparse.linalg.cg through an operator": (
        lambda x: splinalg.cg(splinalg.aslinearoperator(np.diag(X)), x)[0], X,
    ),
    "sparse.linalg.eigs of an operator": (
        lambda x: splinalg.eigsh(
            sparse.diags(x), 2, splinalg.aslinearoperator(np.eye(6)),
            return_eigenvectors=False,
        ),
        X,
    ),
    "sparse.linalg.eigsh of a pencil": (
        lambda x: splinalg.eigsh(sparse.diags(x), 2, np.eye(6), v0=X)[1] ** 2, X,
    ),
    "sparse.linalg.lobpcg of a pencil": (
        lambda x: splinalg.lobpcg(np.diag(x), np.ones((6, 1)), np.eye(6), maxiter=60)[0], X,
    ),
    "sparse.linalg.expm_multiply at several times": (
        lambda x: splinalg.expm_multiply(sparse.diags(x), X, 0.0, 1.0, 3), X,
    ),
    "sparse.spilu": (
        lambda x: splinalg.spilu(sparse.diags(x).tocsc()).solve(np.ones(6)), X,
    ),
    "spatial.KDTree.sparse_distance_matrix": (
        lambda x: KDTree(x[:, None]).sparse_distance_matrix(KDTree(X[:, None]), 2.0).toarray(), X,
    ),
    "spatial.Rotation.align_vectors": (
        lambda x: Rotation.align_vectors([x[:3]], [[1.0, 0.0, 0.0]])[0].as_matrix(), X,
    ),
    "spatial.Rotation.reduce": (
        lambda x: Rotation.from_rotvec(x[:3]).reduce(Rotation.create_group("C2")).as_matrix(), X,
    ),
    "stats.skew with NaN": (
        lambda x: stats.skew(np.concatenate((x, [np.nan])), nan_policy="omit"), X,
    ),
    "stats.ttest_ind with trim": (
        lambda x: stats.ttest_ind(x, X**2, trim=0.2).statistic, X,
    ),
    "stats.norm.expect": (lambda m: stats.norm.expect(lambda v: v, loc=m), 1.3),
    "stats.gamma.rvs by its shape": (
        lambda a: stats.gamma.rvs(a, size=3, random_state=np.random.RandomState(1)), 1.3,
    ),
    "stats.gumbel_r.moment": (lambda s: stats.gumbel_r.moment(2, scale=s), 1.3),
    "stats.cauchy.mean": (lambda s: stats.cauchy.mean(scale=s), 1.3),
    "stats.norm.stats of skewness": (lambda s: stats.norm.stats(scale=s, moments="s"), 1.3),
    "stats.binom.ppf": (lambda p: stats.binom.ppf(0.3, 5, p), 0.4),
    "stats.skewnorm.cdf": (lambda x: stats.skewnorm.cdf(x, 1.5), X),
    "stats.multivariate_normal.fit": (
        lambda x: stats.multivariate_normal.fit(x)[1], np.vstack((SQUARE, SQUARE**2)),
    ),
    "stats.multivariate_normal.cdf singular": (
        lambda x: stats.multivariate_normal.cdf(x, None, np.ones((2, 2)), True), X[:2],
    ),
    "stats.multivariate_t.rvs by df": (
        lambda v: stats.multivariate_t.rvs([0.0, 1.0], np.eye(2), v, random_state=1), 3.5,
    ),
    "stats.multivariate_t singular": (
        lambda m: stats.multivariate_t.logpdf([0.0, 1.0], m, np.ones((2, 2)), 3), X[:2],
    ),
    "stats.multinomial.entropy": (
        lambda p: stats.multinomial.entropy([3, 4], p / np.sum(p)), X[:3],
    ),
    "special.jv by its order": (lambda v: special.mathieu_a(1, v), 1.3),
    "special.ive of a complex argument": (lambda x: special.ive(1.0, x * 1j).real, 1.3),
    "random.gamma by its shape": (
        lambda a: np.random.default_rng(1).gamma(a, 2.0, size=3), 1.3,
    ),
    "random.poisson": (lambda a: np.random.default_rng(1).poisson(a, size=3), 1.3),
    "random.choice by p": (
        lambda p: np.random.default_rng(1).choice(X[:3], p=p / np.sum(p), size=4), X[:3],
    ),
}  # fmt: skip
KINDS = (ag.errors.DetachError, ag.errors.GradientError)


def tracked(x):
    return ag.tensor(x, requires_grad=True)


def values(out):
    return np.asarray(out.detach() if isinstance(out, ag.Tensor) else out)


@pytest.mark.parametrize("name", REFUSED)
def test_error_by_default(name):
    f, x = REFUSED[name]
    skip_if_older_than_the_call(f, x)
    with pytest.raises(KINDS, match=r"would lose the gradient.*x\.detach\(\)"):
        ag.lift(f)(tracked(x))


@pytest.mark.parametrize("name", REFUSED)
def test_warning_and_scipys_values(name):
    f, x = REFUSED[name]
    skip_if_older_than_the_call(f, x)
    with ag.set_detach_policy("warn"), pytest.warns(ag.DetachWarning, match="would lose"):
        out = ag.lift(f)(tracked(x))
    assert not getattr(out, "requires_grad", False)
    np.testing.assert_allclose(values(out), f(x), rtol=1e-9)


@pytest.mark.parametrize("name", REFUSED)
def test_silent_and_scipys_values(name):
    f, x = REFUSED[name]
    skip_if_older_than_the_call(f, x)
    with ag.set_detach_policy("allow"):
        out = ag.lift(f)(tracked(x))
    assert not getattr(out, "requires_grad", False)
    np.testing.assert_allclose(values(out), f(x), rtol=1e-9)


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_refused_where_nothing_is_tracked(name):
    f, x = REFUSED[name]
    skip_if_older_than_the_call(f, x)
    np.testing.assert_allclose(values(ag.lift(f)(ag.tensor(x))), f(x), rtol=1e-9)


PACKAGE = Path(ag.__file__).parent


def own_nodes(function):
    """What a function holds outside of the functions that it defines."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def functions_that_call(name):
    """ "file: function" for each function of the package that calls a function of this name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Call) and getattr(node.func, "id", "") == name
                for node in own_nodes(function)
            ):
                yield f"{path.name}: {function.name}"


# Places that no call reaches with the installed SciPy, or that guard against a missing formula.
UNREACHED = {
    "_multivariate.py: _as_scipys": "all formulas give SciPy's values, as far as we know",
    "fftpack.py: rfftfreq": "SciPy takes no number of points that is not whole",
    "_distribution.py: _formula": "all families state what the methods need",
    "_filter_forms.py: tf2zpk": "SciPy itself takes no roots of several numerators",
    "_quadrature.py: _edges": "QUADPACK's reports differ between versions of SciPy",
    "ndimage.py: generic_filter": "functions compiled for SciPy need a compiler",
    "_ndimage_morphology.py: geometric_transform": "functions compiled for SciPy need a compiler",
    "special.py: _legendre_vjp": "in the reverse pass: a test of its own is below",
    "linalg.py: logm": "disp was removed from SciPy 1.18",
    "linalg.py: sqrtm": "disp was removed from SciPy 1.18",
    "_rule.py: stand_in": "no keyword of the tested SciPy is left without a rule",
}


@pytest.mark.skipif(SCIPY < TESTED, reason="rows call functions that an older SciPy has not")
def test_each_refusal_in_the_package_has_a_row(monkeypatch):
    met = set()
    original = _rule.Refusal.__init__

    def spy(self, *args):
        frame = inspect.currentframe().f_back.f_back
        met.add(f"{Path(frame.f_code.co_filename).name}: {frame.f_code.co_name}")
        original(self, *args)

    monkeypatch.setattr(_rule.Refusal, "__init__", spy)
    for f, x in REFUSED.values():
        with pytest.raises(KINDS):
            ag.lift(f)(tracked(x))
    places = set(functions_that_call("refuse"))
    assert met <= places
    missing = places - met - set(UNREACHED)
    assert not missing


@pytest.mark.skipif(SCIPY < (1, 15), reason="a newer SciPy has it")
def test_third_derivatives_of_legendre_polynomials():
    with pytest.raises(KINDS, match=r"scipy\.special\.legendre_p .*third order"):
        ag.grad(lambda x: np.sum(special.legendre_p(4, x, diff_n=2)[2]))(0.3)


def test_only_the_policy_raises_what_loses_a_gradient():
    """DetachError is raised by `lose`, and where SciPy hides it behind an error of its own."""
    assert set(functions_that_call("DetachError")) == {"_rule.py: function"}


IN_CLASSES = {
    "scipy.interpolate.BPoly": lambda x: interpolate.BPoly(x[:, None], [0.0, 1.0]),
    "scipy.interpolate.RectSphereBivariateSpline": lambda x: interpolate.RectSphereBivariateSpline(
        X[:4] / 2, X, np.outer(x[:4], x)
    ),
    "scipy.interpolate.AAA": lambda x: interpolate.AAA(X, x),
    "scipy.stats.random_correlation.rvs": lambda x: stats.random_correlation.rvs(
        6 * x / np.sum(x), random_state=1
    ),
}


@pytest.mark.parametrize("name", IN_CLASSES)
def test_what_is_called_of_scipy_is_named_not_what_it_is_made_of(name):
    if name.endswith("AAA") and not hasattr(interpolate, "AAA"):
        pytest.skip("a newer SciPy has it")
    with pytest.raises(KINDS, match=rf" in {name} would lose"):
        ag.lift(IN_CLASSES[name])(tracked(X))
