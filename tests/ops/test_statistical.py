"""Reductions and scans: values for dtypes and layouts, degenerate data, gradients there."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

REDUCTIONS = ["sum", "prod", "mean", "var", "std", "max", "min", "all", "any", "count_nonzero"]
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "strided": lambda x: x[:, ::-2],
    "broadcast": lambda x: np.broadcast_to(x[:1, :1], (2, 3, 4)),
    "empty": lambda x: x[:, :0],
}


def _data(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.uniform(-2, 2, (3, 5, 4))
    if dtype == "complex64":
        values = values + 1j * rng.uniform(-2, 2, values.shape)
    if dtype == "uint16":
        values = abs(values)
    return values.astype(dtype)


# NumPy warns about means of nothing: see test_no_elements.
CASES = [
    (name, layout)
    for name in REDUCTIONS
    for layout in LAYOUTS
    if layout != "empty" or name not in ("mean", "var", "std")
]


@pytest.mark.parametrize(("name", "layout"), CASES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reduction(name: str, dtype: str, layout: str) -> None:
    array = LAYOUTS[layout](_data(dtype))
    x = ag.asarray(array)
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            function = getattr(ag, name)
            if layout == "empty" and name in ("max", "min") and axis is None:
                with pytest.raises(ag.errors.ArgumentError):
                    function(x, axis=axis, keepdims=keepdims)
                continue
            got = function(x, axis=axis, keepdims=keepdims)
            options: Any = {}
            if dtype == "float16":
                options = (
                    {}
                    if name in ("max", "min", "all", "any", "count_nonzero")
                    else {"dtype": np.float32}
                )
            want = np.asarray(getattr(np, name)(array, axis=axis, keepdims=keepdims, **options))
            assert got.shape == want.shape
            assert got.dtype == (dtype if options else want.dtype)
            tolerance = 2e-2 if dtype == "float16" else 1e-4 if "64" not in dtype else 1e-5
            np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)


def test_bfloat16_reduces() -> None:
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0]], dtype="bfloat16", requires_grad=True)
    for name, want in (("sum", 10), ("mean", 2.5), ("prod", 24), ("max", 4), ("std", 1.118)):
        got = getattr(ag, name)(x)
        assert got.dtype == x.dtype
        assert abs(float(got.detach()) - want) < 0.01
        x.grad = None
        got.backward()
        assert x.grad.dtype == x.dtype
        assert np.isfinite(np.asarray(x.grad).astype(float)).all()


def test_no_elements() -> None:
    x = ag.zeros((0, 3))
    assert float(ag.sum(x)) == 0.0
    assert float(ag.prod(x)) == 1.0
    assert float(ag.logsumexp(x)) == -np.inf
    np.testing.assert_array_equal(ag.sum(x, axis=0), [0, 0, 0])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's mean warns, its sum / 0 sets a flag
        for function in (ag.mean, ag.var, ag.std):
            assert np.isnan(np.asarray(function(x, axis=0))).all()
    for function in (ag.max, ag.min):
        with pytest.raises(ag.errors.ArgumentError):
            function(x, axis=0)
        assert function(x, axis=1).shape == (0,)
    assert ag.cumulative_sum(x, axis=0, include_initial=True).shape == (1, 3)


def test_result_dtypes_of_sums() -> None:
    for dtype, want in (("int8", "int64"), ("bool", "int64"), ("uint8", "uint64")):
        x = ag.ones(3, dtype=dtype)
        for function in (ag.sum, ag.prod, ag.cumulative_sum, ag.cumulative_prod):
            assert function(x).dtype == want
    assert ag.sum(ag.ones(3, dtype="int8"), dtype=ag.float32).dtype == ag.float32
    assert ag.mean(ag.ones(3, dtype="int8")).dtype == ag.float64
    assert ag.sum(ag.ones(300, dtype="int8"), dtype="int8").dtype == ag.int8


def _gradient(function: Callable[[Any], Any], x: Any) -> np.ndarray:
    t = ag.tensor(x, requires_grad=True)
    function(t).backward()
    return np.asarray(t.grad)


def test_spread_of_equal_elements_has_gradient_zero() -> None:
    for x in (np.ones(3), np.full(3, 0.1), np.full((2, 5), 1e8 / 3)):
        np.testing.assert_allclose(_gradient(ag.std, x), np.zeros(x.shape), atol=1e-7)
        np.testing.assert_allclose(_gradient(ag.var, x), np.zeros(x.shape), atol=1e-7)
    x = np.array([[1.0, 1.0], [1.0, 3.0]])
    got = _gradient(lambda t: ag.sum(ag.std(t, axis=0)), x)
    np.testing.assert_allclose(got, [[0.0, -0.5], [0.0, 0.5]])


def test_products_with_zeros() -> None:
    np.testing.assert_array_equal(_gradient(ag.prod, [0.0, 2.0, 3.0]), [6.0, 0.0, 0.0])
    np.testing.assert_array_equal(_gradient(ag.prod, [0.0, 0.0, 3.0]), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(_gradient(lambda x: ag.sum(ag.prod(x, axis=0)), [[0.0]]), [[1.0]])
    np.testing.assert_array_equal(
        _gradient(lambda x: ag.sum(ag.prod(x, axis=1)), [[0.0, 5.0], [2.0, 3.0]]),
        [[5.0, 0.0], [3.0, 2.0]],
    )
    for zeros in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]):
        x = ag.tensor(zeros, requires_grad=True)
        (g,) = ag.autograd.grad(ag.prod(x), [x], create_graph=True)
        for i in range(3):
            (row,) = ag.autograd.grad(g[i], [x], retain_graph=True)
            want = [0.0 if i == j else zeros[3 - i - j] for j in range(3)]
            np.testing.assert_array_equal(row, want)


@pytest.mark.parametrize("x", [[1e-17, 2.0, 3.0], [1e-300, 2.0, 1e-10], [1e-160, 1e-160, 3.0]])
@pytest.mark.parametrize("f", [ag.prod, lambda x: ag.cumulative_prod(x)[-1]])
def test_products_with_a_small_factor_to_second_order(f: Any, x: list[float]) -> None:
    """The derivative of prod / x cancels by 1 / x: nothing was left of the second derivative."""
    a, b, c = x
    v = np.array([0.1, 0.2, 0.3])
    want = np.array([[0, c, b], [c, 0, a], [b, a, 0]]) @ v
    point = np.array(x)
    np.testing.assert_allclose(ag.grad(f)(point), [b * c, a * c, a * b], rtol=1e-13)
    for got in (
        ag.jvp(ag.grad(f), (point,), (v,))[1],
        ag.grad(lambda x: ag.jvp(f, (x,), (v,))[1])(point),
        ag.grad(lambda x: (ag.grad(f)(x) * v).sum())(point),
        ag.hessian(f)(point) @ v,
    ):
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_running_products_with_zeros_and_overflow() -> None:
    got = _gradient(lambda x: ag.sum(ag.cumulative_prod(x)), [2.0, 0.0, 3.0, 5.0])
    np.testing.assert_array_equal(got, [1.0, 2.0 + 6.0 + 30.0, 0.0, 0.0])
    with np.errstate(over="ignore"):
        got = _gradient(ag.prod, [1e-300, 1e200, 1e200])
    np.testing.assert_allclose(got, [np.inf, 1e-100, 1e-100], rtol=1e-12)
    got = _gradient(ag.prod, [1e-200, 1e-200, 1e300])
    np.testing.assert_allclose(got, [1e100, 1e100, 0.0], rtol=1e-12)


@pytest.mark.parametrize(
    "spelling",
    [
        ag.max,
        lambda x: ag.max(x, axis=0),
        lambda x: ag.max(x, axis=0, keepdims=True)[0],
        lambda x: -ag.min(-x),
        lambda x: x.max(),
    ],
)
def test_ties_split_evenly(spelling: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(_gradient(spelling, [1.0, 1.0, 0.0]), [0.5, 0.5, 0.0])
    np.testing.assert_array_equal(_gradient(spelling, [2.0, 2.0, 2.0, 2.0]), [0.25] * 4)


def test_extreme_of_nan_and_infinity() -> None:
    assert np.isnan(float(ag.max(ag.asarray([1.0, np.nan]))))
    np.testing.assert_array_equal(_gradient(ag.max, [1.0, np.nan]), [0.0, 1.0])
    np.testing.assert_array_equal(_gradient(ag.max, [np.inf, 1.0]), [1.0, 0.0])


def test_logsumexp_of_infinities() -> None:
    np.testing.assert_array_equal(_gradient(ag.logsumexp, [-np.inf, -np.inf]), [0.0, 0.0])
    np.testing.assert_array_equal(_gradient(ag.logsumexp, [np.inf, 1.0]), [1.0, 0.0])
    np.testing.assert_array_equal(_gradient(ag.logsumexp, [-np.inf, 1.0]), [0.0, 1.0])
    np.testing.assert_allclose(_gradient(ag.logsumexp, [1000.0, 1000.0]), [0.5, 0.5])
    np.testing.assert_allclose(ag.softmax(ag.asarray([1000.0, 1000.0])), [0.5, 0.5])


def test_scan_needs_an_axis() -> None:
    with pytest.raises(ag.errors.ShapeError):
        ag.cumulative_sum(ag.ones((2, 2)))
    np.testing.assert_array_equal(ag.cumulative_sum(ag.asarray(3.0)), [3.0])


def test_diff() -> None:
    x = np.array([[1.0, 4.0, 9.0], [2.0, 3.0, 5.0]])
    for options in (
        {},
        {"axis": 0},
        {"n": 2},
        {"n": 0},
        {"prepend": 0.0, "append": [[1.0], [2.0]]},
    ):
        np.testing.assert_array_equal(ag.diff(ag.asarray(x), **options), np.diff(x, **options))
    np.testing.assert_array_equal(ag.diff(ag.asarray([True, False, False])), [True, False])


X = ag.ones((2, 3))
BAD: list[tuple[type[Exception], Callable[[], Any]]] = [
    (IndexError, lambda: ag.sum(X, axis=2)),
    (IndexError, lambda: ag.mean(X, axis=(0, 5))),
    (ValueError, lambda: ag.sum(X, axis=(0, 0))),
    (TypeError, lambda: ag.sum(X, axis=0.5)),
    (TypeError, lambda: ag.sum(ag.asarray([1j]), dtype=float)),
    (TypeError, lambda: ag.sum("abc")),
    (ValueError, lambda: ag.max(ag.zeros(0))),
    (IndexError, lambda: ag.cumulative_sum(X, axis=2)),
    (ValueError, lambda: ag.cumulative_prod(X)),
    (ValueError, lambda: ag.diff(X, n=-1)),
    (IndexError, lambda: ag.diff(X, axis=3)),
    (ValueError, lambda: ag.diff(X, prepend=ag.ones((3, 1)))),
    (IndexError, lambda: ag.all(X, axis=2)),
]


@pytest.mark.parametrize(("error", "call"), BAD, ids=range(len(BAD)))
def test_bad_input(error: type[Exception], call: Callable[[], Any]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, ag.errors.ArraygradError)


@pytest.mark.parametrize("function", ["sum", "prod", "max", "min", "any", "all"])
@pytest.mark.parametrize("axis", [0, -1])
def test_a_scalar_may_be_reduced_along_axis_0_as_in_numpy(function, axis):
    x = ag.tensor([2.0, 3.0])[0]
    wanted = getattr(np, function)(np.float64(2.0), axis=axis)
    assert getattr(ag, function)(x, axis=axis) == wanted
    assert getattr(np, function)(x, axis=axis) == wanted
    assert getattr(x, function)(axis=axis) == wanted


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [5, 300])
def test_softmax_of_a_wide_range_is_scipys_down_to_the_least_normal_number(dtype: str, n: int):
    """Of float32, exponentials below it may be zero, as `ag.softmax` says."""
    special = pytest.importorskip("scipy.special")
    limits = np.finfo(dtype)
    x = np.resize(np.linspace(0, 1.06 * np.log(limits.smallest_normal), 97), n).astype(dtype)
    lost = limits.smallest_normal if dtype == "float32" else 0
    for axis, array in ((0, x), (1, np.tile(x, (3, 1))), (0, np.tile(x, (3, 1)).T.copy())):
        found = ag.softmax(ag.asarray(array), axis=axis)._array
        wanted = special.softmax(array, axis=axis)
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=float(lost))


# -- what is no axis, and no flag ------------------------------------------------------------------

METHODS = [
    "sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "cumsum",
    "cumprod", "argsort",
]  # fmt: skip
AXES = [
    1.5, "x", (0, 0), (0, 1.5), True, np.True_, np.array(0), None, (), -3, 2, 0, -1, (0,), (0, 2),
    {}, 1j, np.float64(1),
]  # fmt: skip
# Then mean, var and std warn, and may find first that there is no axis of that number.
TRUTH_IS_A_NUMBER = np.lib.NumpyVersion(np.__version__) < "2.3.0"


@pytest.mark.filterwarnings("ignore:Mean of empty:RuntimeWarning", "ignore:invalid:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*'np.bool' scalars to be interpreted:DeprecationWarning")
@pytest.mark.parametrize("shape", [(2, 3), (), (0,)], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_axes_are_taken_and_refused_as_by_numpy(method: str, shape: tuple[int, ...]) -> None:
    """argmax took a tuple of all axes, and mean an axis of a number."""

    def outcome(x: Any, axis: Any) -> Any:
        try:
            return np.shape(getattr(x, method)(axis=axis))
        except (TypeError, ValueError) as error:
            return error

    for axis in AXES:
        wanted, found = outcome(np.ones(shape), axis), outcome(ag.ones(shape), axis)
        assert isinstance(found, Exception) == isinstance(wanted, Exception), (axis, wanted, found)
        if isinstance(found, Exception):
            assert isinstance(found, ag.errors.ArraygradError), (axis, found)
            alike = TypeError if isinstance(wanted, TypeError) else ValueError
            free = axis is True or (axis is np.True_ and TRUTH_IS_A_NUMBER)
            assert free or isinstance(found, alike), (axis, wanted, found)
        else:
            assert found == wanted, axis


@pytest.mark.parametrize("keepdims", [None, "yes", 1.0, []])
@pytest.mark.parametrize("name", [*REDUCTIONS[:-1], "logsumexp"])
def test_keepdims_is_true_or_false(name: str, keepdims: Any) -> None:
    x = ag.ones((2, 3))
    with pytest.raises(ag.errors.ArgumentTypeError, match="keepdims"):
        getattr(ag, name)(x, keepdims=keepdims)
    with pytest.raises(ag.errors.ArgumentTypeError, match="keepdims"):
        getattr(ag, name)(x, axis=0, keepdims=keepdims)
    if name != "logsumexp":
        with pytest.raises(TypeError):
            getattr(np.ones((2, 3)), name)(keepdims=keepdims)
        with pytest.raises(ag.errors.ArgumentTypeError, match="keepdims"):
            getattr(np, name)(x, keepdims=keepdims)
    assert getattr(ag, name)(x, keepdims=1).shape == (1, 1)
    assert getattr(ag, name)(x, keepdims=np.True_).shape == (1, 1)
