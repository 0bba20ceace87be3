"""``type(x)`` of numbers in lifted code: Python's and NumPy's, whichever the user asks for."""

from __future__ import annotations

import numpy as np
import pytest

import arraygrad as ag


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
