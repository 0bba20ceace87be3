"""Tensors among other libraries: who answers, and whether the graph comes through.

Libraries that are no requirement of the tests are played by classes from modules of their names.
SciPy and scikit-learn run in processes of their own: they read their switches when imported.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import arraygrad as ag
from tests import fresh_process

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
from scipy import integrate, optimize, special, stats

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
    check(name, f)
"""

SKLEARN = """
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.preprocessing import MinMaxScaler, StandardScaler

Y = X @ np.array([1.0, -2.0, 3.0, 0.5]) + np.sin(np.arange(12.0))


def like(x, values):
    return ag.asarray(values) if isinstance(x, ag.Tensor) else values


with sklearn.config_context(array_api_dispatch=True):
    for name, f in {
        "StandardScaler": lambda x: StandardScaler().fit_transform(x),
        "MinMaxScaler": lambda x: MinMaxScaler().fit_transform(x),
        "PCA transform": lambda x: PCA(2, svd_solver="full").fit_transform(x),
        "PCA variance": lambda x: PCA(2, svd_solver="full").fit(x).explained_variance_,
        "Ridge coefficients": lambda x: Ridge(solver="svd").fit(x, like(x, Y)).coef_,
        "Ridge prediction": lambda x: Ridge(solver="svd").fit(x, like(x, Y)).predict(x),
    }.items():
        check(name, f)
"""


def test_scipy_keeps_the_graph_with_its_array_api_switch() -> None:
    done = fresh_process.run(PRELUDE + SCIPY, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 18


@pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
def test_sklearn_keeps_the_graph_with_array_api_dispatch() -> None:
    done = fresh_process.run(PRELUDE + SKLEARN, SCIPY_ARRAY_API="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 6


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
    array[0] = 7.0
    assert x.tolist() == [1.0, 2.0]


def test_tracked_tensor_is_not_exported() -> None:
    with pytest.raises(BufferError, match=r"DLPack export would lose the gradient.*x.detach\(\)"):
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
