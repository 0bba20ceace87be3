"""arraygrad.numpy has all of NumPy's names, and they mean what they mean in NumPy."""

import pickle

import numpy as onp
import pytest

import arraygrad as ag
import arraygrad.numpy as np
from tests.fresh_process import run


def leaf(values):
    return ag.tensor(values, requires_grad=True)


def test_every_public_name_of_numpy_is_there():
    assert [n for n in onp.__all__ if n != "test" and not hasattr(np, n)] == []
    assert set(np.__all__) == set(onp.__all__) - {"test"}


@pytest.mark.parametrize("name", ["linalg", "fft", "random", "testing", "lib"])
def test_every_public_name_of_a_submodule_is_there(name):
    ours, theirs = getattr(np, name), getattr(onp, name)
    assert ours.__name__ == f"arraygrad.numpy.{name}"
    assert [n for n in theirs.__all__ if not hasattr(ours, n)] == []


def test_unknown_names_raise_attribute_error():
    with pytest.raises(AttributeError, match=r"arraygrad\.numpy.*no attribute 'nothing'"):
        np.nothing


def test_importing_arraygrad_does_not_import_its_numpy():
    out = run("import sys, arraygrad; print('arraygrad.numpy' in sys.modules)").stdout
    assert out.strip() == "False"


CREATED = {
    "array": lambda m: m.array([[1, 2.5], [3, 4]]),
    "array-ndmin": lambda m: m.array([1.0], ndmin=3),
    "array-dtype": lambda m: m.array([1, 2], dtype=m.float32),
    "array-fortran": lambda m: m.array([[1.0, 2.0], [3.0, 4.0]], order="F"),
    "asarray": lambda m: m.asarray((1, 2)),
    "asarray-float": lambda m: m.asarray([1, 2], dtype=float),
    "ascontiguousarray": lambda m: m.ascontiguousarray(3.0),
    "zeros": lambda m: m.zeros((2, 3)),
    "zeros-int": lambda m: m.zeros(3, int),
    "zeros-positional": lambda m: m.zeros((2,), "complex64", "F"),
    "ones": lambda m: m.ones([2, 2], dtype=bool),
    "full": lambda m: m.full((2, 2), [1.0, 2.0]),
    "full-int": lambda m: m.full(3, 7),
    "zeros_like": lambda m: m.zeros_like([[1, 2]], dtype=float),
    "full_like": lambda m: m.full_like(m.zeros(3, int), 2.7),
    "eye": lambda m: m.eye(3, 4, k=1),
    "identity": lambda m: m.identity(2),
    "tri": lambda m: m.tri(3, k=-1),
    "arange": lambda m: m.arange(5),
    "arange-step": lambda m: m.arange(0.0, 1.0, 0.25),
    "arange-named": lambda m: m.arange(start=2, stop=8, step=3, dtype=float),
    "linspace": lambda m: m.linspace(0, 1, 5, endpoint=False),
    "linspace-columns": lambda m: m.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=1),
    "fromfunction": lambda m: m.fromfunction(lambda i, j: i + 2 * j, (2, 3)),
    "fromiter": lambda m: m.fromiter((i * i for i in range(4)), float),
    "indices": lambda m: m.indices((2, 2)),
    "mgrid": lambda m: m.mgrid[0:2, 0:3],
    "ogrid": lambda m: m.ogrid[0:2, 0:3][1],
    "mgrid-count": lambda m: m.mgrid[0:1:5j],
    "r_": lambda m: m.r_[1:4, 0, [2.5]],
    "c_": lambda m: m.c_[[1, 2], [3.0, 4.0]],
    "hanning": lambda m: m.hanning(5),
    "copy": lambda m: m.copy([1.0, 2.0]),
}


@pytest.mark.parametrize("name", CREATED)
def test_creation_gives_tensors_like_numpys_arrays(name):
    ours, theirs = CREATED[name](np), CREATED[name](onp)
    assert isinstance(ours, ag.Tensor)
    assert ours.dtype == theirs.dtype
    onp.testing.assert_array_equal(onp.asarray(ours), theirs)


GRADIENTS = {
    "array": (lambda x: np.array([[x[0], 1.0], [x[1], x[0]]]), [2.0, 1.0]),
    "asarray-list": (lambda x: np.asarray([x, x]), [2.0, 2.0]),
    "full": (lambda x: np.full((2, 3), x[0]), [6.0, 0.0]),
    "full_like": (lambda x: np.full_like(onp.zeros(3), x[1]), [0.0, 3.0]),
    "arange": (lambda x: np.arange(3) * 0 + np.arange(x[0], x[0] + 3.0, 1.0)[:3], [3.0, 0.0]),
    "linspace": (lambda x: np.linspace(x[0], x[1], 3), [1.5, 1.5]),
    "linspace-rows": (lambda x: np.linspace(x, 2 * x, 3, axis=-1), [4.5, 4.5]),
    "c_": (lambda x: np.c_[x, x, [1.0, 2.0]], [2.0, 2.0]),
    "r_": (lambda x: np.r_[x, 0.0, x[0]], [2.0, 1.0]),
    "r_-axis": (lambda x: np.r_["0,2", x, x], [2.0, 2.0]),
    "mgrid": (lambda x: np.mgrid[x[0] : x[0] + 3 : 1], [3.0, 0.0]),
    "vectorize": (lambda x: np.vectorize(lambda v: v**2 if v > 1.5 else v)(x), [1.0, 4.0]),
    "vectorize-2": (lambda x: np.vectorize(lambda v, w: v * w)(x, x[:, None]), [6.0, 6.0]),
    "fromiter": (lambda x: np.fromiter((v * 2 for v in x), float), [2.0, 2.0]),
    "ndenumerate": (lambda x: np.array([v * i[0] for i, v in np.ndenumerate(x)]), [0.0, 1.0]),
    "float64": (lambda x: np.float64(x[0]) * np.float64(2), [2.0, 0.0]),
    "ufunc-out": (lambda x: np.multiply(x, 2.0, out=np.zeros(2)), [2.0, 2.0]),
    "ufunc-positional-out": (lambda x: np.negative(x, np.empty(2)), [-1.0, -1.0]),
    "reduce": (lambda x: np.add.reduce(x), [1.0, 1.0]),
    "outer": (lambda x: np.multiply.outer(x, x), [6.0, 6.0]),
    "accumulate": (lambda x: np.add.accumulate(x), [2.0, 1.0]),
    "norm-of-list": (lambda x: np.linalg.norm([x[0] * 0, x[1]]), [0.0, 1.0]),
    "rfft": (lambda x: np.fft.rfft(x).real, [2.0, 0.0]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_flow_through(name):
    f, want = GRADIENTS[name]
    x = leaf([1.0, 2.0])
    np.asarray(f(x)).sum().backward()
    onp.testing.assert_allclose(onp.asarray(x.grad), want)


def test_ufunc_at_adds_in_place():
    x, out = leaf([1.0, 2.0, 3.0]), np.zeros(2)
    np.add.at(out, [0, 0, 1], x)
    (out**2).sum().backward()
    onp.testing.assert_allclose(onp.asarray(x.grad), [6.0, 6.0, 6.0])


def test_ufuncs_refuse_more_arguments_than_numpys_before_they_write():
    def f(x):
        y, z = x * 1.0, x * 1.0
        for ufunc, given in ((np.add, (x, x, y, z)), (np.sin, (x, y, z)), (np.add, (x,))):
            with pytest.raises(TypeError, match="positional argument"):
                ufunc(*given)
        return (y + z).sum()

    assert np.array_equal(ag.grad(f)(np.ones(3)), [2.0, 2.0, 2.0])


def test_ufunc_keeps_its_attributes():
    assert np.add.nin == 2
    assert np.add.identity == 0
    assert np.add.__name__ == "add"
    assert np.add == onp.add
    assert pickle.loads(pickle.dumps(np.add)) is np.add


def test_ufuncs_of_numbers_stay_numbers():
    assert type(np.sqrt(2.0)) is onp.float64
    assert type(np.exp(onp.float32(1))) is onp.float32


def test_objects_strings_and_dates_are_numpys():
    assert type(np.array(["a", "b"])) is onp.ndarray
    assert type(np.array([None, 1], dtype=object)) is onp.ndarray
    assert type(np.array(["2020-01-01"], dtype="M8[D]")) is onp.ndarray
    assert np.add(onp.array([1, 2], dtype=object), 1).dtype == object


@pytest.mark.parametrize("name", ["float64", "float32", "int64", "bool_", "complex128", "floating"])
def test_classes_are_dtypes_and_classes(name):
    ours, theirs = getattr(np, name), getattr(onp, name)
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    assert issubclass(theirs, ours)
    assert pickle.loads(pickle.dumps(ours)) is ours
    if name != "floating":
        assert onp.dtype(ours) == onp.dtype(theirs)
        assert onp.zeros(2, ours).dtype == theirs
        assert np.zeros(2, ours).dtype == ours
        assert isinstance(theirs(1), ours)
        assert ours(1) == theirs(1)


def test_array_and_scalar_classes_know_tensors():
    x = leaf([1.0, 2.0])
    assert isinstance(x, np.ndarray)
    assert not isinstance(x[0], np.ndarray)
    assert isinstance(x[0], np.floating)
    assert isinstance(x[0], np.float64)
    assert not isinstance(x[0], np.integer)
    assert np.issubdtype(x.dtype, np.floating)
    assert np.finfo(np.float64).eps == onp.finfo(float).eps


def test_questions_about_tracked_tensors_have_plain_answers():
    x = leaf([1.0, 2.0])
    assert np.allclose(x, [1.0, 2.0]) is True
    assert np.shape(x) == (2,)
    assert np.ndim(x) == 1
    assert np.isscalar(x[0])
    assert np.array_equal(x, x) is True
    assert np.result_type(x, np.float32) == np.float64
    np.testing.assert_allclose(x, [1.0, 2.0])
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, [1.0, 3.0])


def test_constants_and_indexing_helpers():
    assert np.pi == onp.pi
    assert np.newaxis is None
    assert np.s_[1:3] == slice(1, 3)
    assert list(np.ndindex(2, 2)) == list(onp.ndindex(2, 2))
    with np.errstate(divide="ignore"):
        assert np.isinf(np.asarray(1.0) / 0.0)
    rows, columns = np.ix_([0, 1], [1, 0])
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    onp.testing.assert_array_equal(onp.asarray(x.detach()[rows, columns]), [[2, 1], [4, 3]])


def test_what_has_no_rule_is_refused_by_name():
    x = leaf([1.0, 2.0])
    with pytest.raises(TypeError, match="gradient"):
        onp.frompyfunc(lambda v: v, 1, 1)(x)
    onp.testing.assert_array_equal(np.packbits(np.array([1, 0, 1], dtype=np.uint8)), [160])


def test_sliding_windows_of_the_library_module():
    x = leaf([1.0, 2.0, 3.0])
    np.lib.stride_tricks.sliding_window_view(x, 2).sum().backward()
    onp.testing.assert_allclose(onp.asarray(x.grad), [1.0, 2.0, 1.0])


def test_what_is_listed_is_there() -> None:
    """Completion asks for every name: `np.random.test`, which has no name of its own, failed."""
    for module in (np, np.linalg, np.fft, np.random, np.lib, np.testing, np.polynomial):
        assert [name for name in dir(module) if not hasattr(module, name)] == []
