"""Tensors among other libraries: who answers, and whether the graph comes through.

Libraries that are no requirement of the tests are played by classes from modules of their names.
SciPy and scikit-learn run in processes of their own: they read their switches when imported.
"""

from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import arraygrad as ag
from tests import fresh_process
from tests.scipy.checking import SCIPY as SCIPY_VERSION

SKLEARN_VERSION = (
    tuple(map(int, version("scikit-learn").split(".")[:2])) if find_spec("sklearn") else ()
)

FOREIGN = {
    "dask": "dask.array.core",
    "xarray": "xarray.core.dataarray",
    "pandas": "pandas.core.series",
    "pint": "pint.facade.plain",
    "sparse": "sparse.numba_backend._coo.core",
}


class _Stranger:
    """An array of another library, which answers every protocol with what it was asked."""

    def __add__(self, other: Any) -> str:
        return "add"

    def __radd__(self, other: Any) -> str:
        return "radd"

    def __rmatmul__(self, other: Any) -> str:
        return "rmatmul"

    def __lt__(self, other: Any) -> str:
        return "lt"

    def __gt__(self, other: Any) -> str:
        return "gt"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> str:
        return f"{ufunc.__name__} {method}"

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> str:
        return str(func.__name__)


class _Silent:
    """An array of another library that takes part in nothing."""


def stranger(module: str, base: type = _Stranger) -> Any:
    return type("Array", (base,), {"__module__": module})()


def leaf() -> Any:
    return ag.tensor([1.0, 2.0], requires_grad=True)


@pytest.mark.parametrize("module", FOREIGN.values(), ids=FOREIGN)
def test_the_other_library_answers(module: str) -> None:
    x, other = leaf(), stranger(module)
    assert x + other == "radd"
    assert other + x == "add"
    assert x @ other == "rmatmul"
    assert (x < other) == "gt"
    assert np.add(x, other) == "add __call__"
    assert np.add(other, x) == "add __call__"
    assert np.multiply.outer(x, other) == "multiply outer"
    assert np.concatenate([x, other]) == "concatenate"
    assert np.where(x.detach() > 0, x, other) == "where"


@pytest.mark.parametrize("module", FOREIGN.values(), ids=FOREIGN)
def test_nobody_answers(module: str) -> None:
    x, other = leaf(), stranger(module, _Silent)
    with pytest.raises(TypeError, match="unsupported operand"):
        x + other
    with pytest.raises(TypeError):
        np.add(x, other)
    with pytest.raises(TypeError):
        x @ other


def test_in_place_operator_leaves_the_tensor_to_the_other_library() -> None:
    x = ag.tensor([1.0, 2.0])
    name = x
    name += stranger("dask.array.core")
    assert name == "radd"
    assert x.tolist() == [1.0, 2.0]


def test_namespace_has_what_xarray_asks_it_for() -> None:
    """`xarray.dot` calls einsum of the namespace, which the standard does not have."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    out = x.__array_namespace__().einsum("i,ij->j", x, np.array([[1.0, 2.0], [3.0, 4.0]]))
    out.sum().backward()
    assert_array_equal(x.grad.numpy(), [3.0, 7.0])
    assert_array_equal(ag.einsum("i,i", [1.0, 2.0], np.ones(2)), 3.0)


# -- SciPy and scikit-learn ------------------------------------------------------------------------

PRELUDE = """
import warnings
import numpy as np
import arraygrad as ag

X = np.random.default_rng(0).uniform(0.3, 2.0, size=(12, 4))
WEIGHTS = np.random.default_rng(1).normal(size=1000)


def check(name, f):
    x = ag.asarray(X.copy()).requires_grad_()
    out, plain = f(x), f(X)
    assert isinstance(out, ag.Tensor), (name, type(out))
    assert out.requires_grad, name
    np.testing.assert_allclose(out.detach().numpy(), plain, rtol=1e-9, atol=1e-12, err_msg=name)
    weights = WEIGHTS[: out.size].reshape(out.shape)
    (out * weights).sum().backward()
    direction = np.random.default_rng(2).normal(size=X.shape)
    ahead, behind = f(X + 1e-6 * direction), f(X - 1e-6 * direction)
    numeric = np.sum(weights * (ahead - behind)) / 2e-6
    got = float((x.grad.numpy() * direction).sum())
    np.testing.assert_allclose(got, numeric, rtol=1e-5, atol=1e-6, err_msg=name)
    print(name)
"""

SCIPY = """
import scipy
from scipy import integrate, optimize, special, stats

CONVERTED = []
if scipy.__version__.startswith("1.15."):  # which converts these still: loud, not silent
    CONVERTED = ["softmax", "log_softmax", "expit", "gammaln", "entropy", "ttest_ind"]
for name, f in {
    "logsumexp": lambda x: special.logsumexp(x, axis=1),
    "softmax": lambda x: special.softmax(x, axis=1),
    "log_softmax": lambda x: special.log_softmax(x, axis=0),
    "expit": lambda x: special.expit(x),
    "gammaln": lambda x: special.gammaln(x),
    "xlogy": lambda x: special.xlogy(x, x),
    "zscore": lambda x: stats.zscore(x),
    "skew": lambda x: stats.skew(x, axis=1),
    "kurtosis": lambda x: stats.kurtosis(x, axis=0),
    "gmean": lambda x: stats.gmean(x, axis=1),
    "hmean": lambda x: stats.hmean(x, axis=1),
    "moment": lambda x: stats.moment(x, 3, axis=0),
    "entropy": lambda x: stats.entropy(x, axis=1),
    "tmean": lambda x: stats.tmean(x),
    "pearsonr": lambda x: stats.pearsonr(x[:, 0], x[:, 1]).statistic,
    "ttest_ind": lambda x: stats.ttest_ind(x[:, 0], x[:, 1]).statistic,
    "rosen": lambda x: optimize.rosen(x[0]),
    "trapezoid": lambda x: integrate.trapezoid(x, axis=1),
}.items():
    if name not in CONVERTED:
        check(name, f)
        continue
    try:
        f(ag.asarray(X.copy()).requires_grad_())
    except ag.errors.DetachError:
        print(name)
"""

MORE_OF_SCIPY = """
from scipy import cluster, fft, integrate, optimize, signal, special, stats
from scipy.spatial import transform

for name, f in {
    "log_ndtr": lambda x: special.log_ndtr(x),
    "ndtr": lambda x: special.ndtr(x),
    "i0": lambda x: special.i0(x),
    "erf": lambda x: special.erf(x),
    "rel_entr": lambda x: special.rel_entr(x, x[::-1]),
    "betainc": lambda x: special.betainc(2.0, 3.0, x / (1 + x)),
    "ttest_1samp": lambda x: stats.ttest_1samp(x, 0.5).statistic,
    "variation": lambda x: stats.variation(x),
    "sem": lambda x: stats.sem(x),
    "directional_stats": lambda x: stats.directional_stats(x).mean_direction,
    "circmean": lambda x: stats.circmean(x),
    "bartlett": lambda x: stats.bartlett(x[0], x[1])[0],
    "combine_pvalues": lambda x: stats.combine_pvalues(x[0] / (1 + x[0]))[0],
    "boxcox_llf": lambda x: stats.boxcox_llf(0.3, x[0]),
    "lmoment": lambda x: stats.lmoment(x[:, 0]),
    "fftconvolve": lambda x: signal.fftconvolve(x[0], x[1]),
    "hilbert": lambda x: signal.hilbert(x[:, 0]).imag,
    "resample": lambda x: signal.resample(x, 7),
    "fft": lambda x: fft.fft(x).real,
    "rfft": lambda x: fft.rfft(x).imag,
    "hfftn": lambda x: fft.hfftn(x),
    "fht": lambda x: fft.fht(x[0], 0.1, 0.2),
    "cumulative_trapezoid": lambda x: integrate.cumulative_trapezoid(x),
    "cumulative_simpson": lambda x: integrate.cumulative_simpson(x),
    "newton": lambda x: optimize.newton(lambda z: z**2 - x[0, 0], 1.0),
    "whiten": lambda x: cluster.vq.whiten(x),
    "Rotation": lambda x: transform.Rotation.from_rotvec(x[0, :3]).apply(np.ones(3)),
}.items():
    check(name, f)
"""

REFUSED_BY_SCIPY = """
import scipy
from scipy import fft, integrate, interpolate, linalg, ndimage, signal, stats
from scipy.cluster import vq
from scipy.spatial import distance

line = np.arange(12.0)
for name, f in {
    "Normal": lambda x: stats.Normal(mu=x[0, 0], sigma=1.0).logpdf(x[0]),
    "lfilter": lambda x: signal.lfilter([1.0, 0.5], [1.0, 0.2], x),
    "sosfilt": lambda x: signal.sosfilt(signal.butter(2, 0.3, output="sos"), x),
    "detrend": lambda x: signal.detrend(x),
    "convolve": lambda x: signal.convolve(x[0], x[1]),
    "welch": lambda x: signal.welch(x[:, 0], nperseg=4)[1],
    "savgol_filter": lambda x: signal.savgol_filter(x[:, 0], 5, 2),
    "dct": lambda x: fft.dct(x),
    "simpson": lambda x: integrate.simpson(x),
    "tanhsinh": lambda x: integrate.tanhsinh(lambda t: t * x[0, 0], 0.0, 1.0).integral,
    "gaussian_filter": lambda x: ndimage.gaussian_filter(x, 1.0),
    "zoom": lambda x: ndimage.zoom(x, 2.0),
    "vq": lambda x: vq.vq(x, x[:2])[1],
    "cdist": lambda x: distance.cdist(x, x),
    "inv": lambda x: linalg.inv(x[:4]),
    "expm": lambda x: linalg.expm(x[:4]),
    "CubicSpline": lambda x: interpolate.CubicSpline(line, x[:, 0])(2.3),
    "PchipInterpolator": lambda x: interpolate.PchipInterpolator(line, x[:, 0])(2.3),
}.items():
    try:
        f(ag.asarray(X.copy()).requires_grad_())
    except ag.errors.DetachError:
        print(name)
    except TypeError as error:  # SciPy's own words for tensors beside arrays
        assert "Multiple namespaces" in str(error), error
        print(name)
    else:
        assert tuple(map(int, scipy.__version__.split(".")[:2])) > (1, 17), name
        check(name, f)
"""

SKLEARN = """
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import pairwise
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

Y = X @ np.array([1.0, -2.0, 3.0, 0.5]) + np.sin(np.arange(12.0))


def like(x, values):
    return ag.asarray(values) if isinstance(x, ag.Tensor) else values


ROWS = {
    "StandardScaler": lambda x: StandardScaler().fit_transform(x),
    "MinMaxScaler": lambda x: MinMaxScaler().fit_transform(x),
    "PCA transform": lambda x: PCA(2, svd_solver="full").fit_transform(x),
    "PCA variance": lambda x: PCA(2, svd_solver="full").fit(x).explained_variance_,
    "Ridge coefficients": lambda x: Ridge(solver="svd").fit(x, like(x, Y)).coef_,
    "Ridge prediction": lambda x: Ridge(solver="svd").fit(x, like(x, Y)).predict(x),
}
if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 7):
    ROWS |= {
        "MaxAbsScaler": lambda x: MaxAbsScaler().fit_transform(x),
        "Normalizer": lambda x: Normalizer().fit_transform(x),
        "PolynomialFeatures": lambda x: PolynomialFeatures(2).fit_transform(x),
        "cosine_similarity": lambda x: pairwise.cosine_similarity(x),
        "euclidean_distances": lambda x: pairwise.euclidean_distances(x, x[:3] + 1),
        "rbf_kernel": lambda x: pairwise.rbf_kernel(x),
        "polynomial_kernel": lambda x: pairwise.polynomial_kernel(x),
    }
with sklearn.config_context(array_api_dispatch=True):
    for name, f in ROWS.items():
        check(name, f)
"""


@pytest.mark.skipif(SCIPY_VERSION < (1, 15), reason="older ones convert logsumexp's argument")
def test_scipy_keeps_the_graph_with_its_array_api_switch() -> None:
    done = fresh_process.run(PRELUDE + SCIPY, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 18


@pytest.mark.skipif(SCIPY_VERSION < (1, 17), reason="older ones convert more functions' arguments")
@pytest.mark.parametrize(("program", "count"), [(MORE_OF_SCIPY, 27), (REFUSED_BY_SCIPY, 18)])
def test_scipy_keeps_the_graph_or_refuses_with_its_switch(program: str, count: int) -> None:
    done = fresh_process.run(PRELUDE + program, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == count


@pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
@pytest.mark.skipif(
    SKLEARN_VERSION < (1, 7) and find_spec("array_api_compat") is None,
    reason="scikit-learn before 1.7 asks for array_api_compat, which is not installed",
)
def test_sklearn_keeps_the_graph_with_array_api_dispatch() -> None:
    done = fresh_process.run(PRELUDE + SKLEARN, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) in (6, 13)


def test_scipy_without_its_switch_is_loud_not_silent() -> None:
    """`scipy.special.logsumexp` then converts to ndarrays, which a tracked tensor refuses."""
    program = """
import arraygrad as ag
from scipy import special

try:
    special.logsumexp(ag.tensor([1.0, 2.0], requires_grad=True))
except ag.errors.DetachError as error:
    assert "ag.lift" in str(error)
    print("refused")
"""
    done = fresh_process.run(program, SCIPY_ARRAY_API="")
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


# -- DLPack ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex128"])
def test_numpy_shares_memory_through_dlpack(dtype: str) -> None:
    x = ag.asarray(np.arange(6).astype(dtype).reshape(2, 3))
    array = np.from_dlpack(x)
    assert array.dtype == dtype
    assert array.__array_interface__["data"][0] == x.data_ptr()
    back = ag.from_dlpack(array)
    assert back.data_ptr() == x.data_ptr()
    assert_array_equal(back.numpy(), x.numpy())


def test_strides_come_through_dlpack() -> None:
    x = ag.asarray(np.arange(12.0).reshape(3, 4))[::2, 1::2]
    assert_array_equal(np.from_dlpack(x), x.numpy())
    assert_array_equal(ag.from_dlpack(np.arange(12.0)[::3]).numpy(), [0.0, 3.0, 6.0, 9.0])


def test_copy_through_dlpack_has_memory_of_its_own() -> None:
    x = ag.tensor([1.0, 2.0])
    array = np.from_dlpack(x, copy=True)
    assert not np.shares_memory(array, x.numpy())
    x[0] = 7.0
    assert array.tolist() == [1.0, 2.0]


def test_tracked_tensor_is_not_exported() -> None:
    words = r"DLPack export in from_dlpack\(\) would lose the gradient.*x\.detach\(\)"
    with pytest.raises(BufferError, match=words):
        np.from_dlpack(leaf())
    assert_array_equal(np.from_dlpack(leaf().detach()), [1.0, 2.0])


def test_read_only_array_stays_read_only_through_dlpack() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    x = ag.from_dlpack(array)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_torch_shares_memory_through_dlpack() -> None:
    import torch

    x = ag.asarray(np.arange(6.0).reshape(2, 3))
    there = torch.from_dlpack(x)
    there[0, 0] = 9.0
    assert_allclose(x.numpy(), there.numpy())
    assert ag.from_dlpack(there).data_ptr() == x.data_ptr()
