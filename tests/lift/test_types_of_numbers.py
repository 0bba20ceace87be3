"""``type(x)`` of numbers in lifted code: Python's and NumPy's, whichever the user asks for."""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.lifting import stand_ins
from arraygrad.numpy._types import stand_in


def equal(x):
    return x * 2 if type(x) == float else 0.0  # noqa: E721 - as such code does


def identical(x):
    return x * 2 if type(x) is float else 0.0


def among(x):
    return x * 2 if type(x) in (int, float) else 0.0


def by_name(x):
    return x * 2 if type(x).__name__ == "float" else 0.0


def by_table(x):
    return {float: 2.0, int: 3.0}[type(x)] * x


def computed(x):
    return x * 2 if type(x * x) is float and type(np.sin(x)) == np.float64 else 0.0  # noqa: E721


def not_another(x):
    return 0.0 if type(x) in (int, list, np.ndarray, str, complex) else x * 2


def made(x):
    return type(x)(2) * x


@pytest.mark.parametrize(
    "f", [equal, identical, among, by_name, by_table, computed, not_another, made]
)
def test_type_of_a_python_float(f):
    assert f(1.5) == 3.0
    assert ag.grad(f)(1.5) == 2.0
    assert ag.grad(ag.grad(lambda x: f(x) * x))(1.5) == 4.0


def element_is_numpys(x):
    return x[0] * 2 if type(x[0]) is np.float64 else 0.0


def element_is_a_float(x):
    return x[0] * 2 if type(x[0]) == float or type(x[0]) in (float,) else 0.0  # noqa: E721


def array_is_an_array(x):
    return np.sum(x) * 2 if type(x) is np.ndarray else 0.0


@pytest.mark.parametrize("f", [element_is_numpys, element_is_a_float, array_is_an_array])
def test_types_in_a_function_of_an_array(f):
    gradient = ag.grad(f)(np.array([1.5]))
    np.testing.assert_array_equal(gradient, [2.0])


def test_our_own_class_for_ndarray_among_the_arguments():
    """Looked at as a class derived from np.ndarray, it became what ``type(x)`` gives for arrays."""

    def f(x, cls):
        return np.sum(x) * 2 if type(x) is np.ndarray and isinstance(x, cls) else 0.0 * np.sum(x)

    for cls in (np.ndarray, ag.numpy.ndarray, np.ndarray):
        np.testing.assert_array_equal(ag.grad(f)(np.array([1.5]), cls), [2.0])


TOTAL = np.ndarray.sum
METHODS = {"mean": np.ndarray.mean, "add": np.ndarray.__add__, "float": float.__add__}
SQUARE = np.array([[1.5, 2.0], [3.0, 4.0]])


def written(x):
    y = x * 1.0
    np.ndarray.__setitem__(y, 0, 5.0)
    np.ndarray.__iadd__(y, x)
    np.ndarray.sort(y, axis=0)
    return np.ndarray.ravel(y)[1]


UNBOUND = {
    "sum": lambda x: np.ndarray.sum(x),
    "keywords": lambda x: np.ndarray.mean(x, axis=0, keepdims=True).max(),
    "mapped": lambda x: sum(map(np.ndarray.prod, x)),
    "reduced": lambda x: functools.reduce(np.ndarray.__mul__, [x, x, x]).sum(),
    "key": lambda x: sorted(x, key=np.ndarray.sum)[0].prod(),
    "named": lambda x: np.ndarray.std(x),
    "outside": lambda x: TOTAL(x) * METHODS["mean"](x) + METHODS["add"](x, x).sum(),
    "default": lambda x, method=np.ndarray.max: method(x),
    "plain array": lambda x: np.ndarray.sum(SQUARE) * x[0, 0],
    "array on the left": lambda x: np.ndarray.__matmul__(SQUARE, x).sum(),
    "written": written,
    "scalar": lambda x: np.float64.conjugate(x[0, 0]) * np.generic.mean(x[1, 1]),
    "number": lambda x: METHODS["float"](float(x[0, 0]), 2.0) * float.__pow__(float(x[0, 1]), 2.0),
}


@pytest.mark.parametrize("name", UNBOUND)
def test_methods_of_numpys_classes_take_tensors(name):
    """``np.ndarray.sum(x)`` raised NumPy's TypeError: x is no ndarray."""
    f = UNBOUND[name]
    sides = [f(SQUARE + d) - f(SQUARE - d) for d in 1e-6 * np.eye(4).reshape(4, 2, 2)]
    want = np.reshape(sides, (2, 2)) / 2e-6
    np.testing.assert_allclose(ag.grad(f)(SQUARE), want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("real", [np.ndarray, np.float64, np.complex128, float, complex])
def test_all_methods_that_tensors_answer_take_them(real):
    ours = {float: stand_ins.Float, complex: stand_ins.Complex}.get(real) or stand_in(real)
    for name in dir(real):
        method = getattr(real, name)
        is_one = isinstance(method, types.MethodDescriptorType) and not name.startswith("__")
        if is_one and hasattr(ag.Tensor, name):
            assert isinstance(getattr(ours, name), types.FunctionType), name
            assert getattr(ours, name).__wrapped__ is method, name
    with pytest.raises(TypeError, match="descriptor"):
        ours.conjugate([1.0])
