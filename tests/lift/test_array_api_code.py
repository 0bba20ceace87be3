"""Code that asks by the Array API which library its arrays are of: lifted, they are NumPy's."""

import importlib
import importlib.util

import numpy as np
import pytest

import arraygrad as ag


def found(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is not there
        return False


COPIES = [
    name
    for name in (
        "array_api_compat", "scipy._lib.array_api_compat", "scipy._external.array_api_compat",
        "sklearn.externals.array_api_compat",
    )
    if found(name)
]  # fmt: skip
X = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.2]])


@pytest.fixture(params=COPIES)
def compat(request):
    return importlib.import_module(request.param)


def check(f):
    want = f(X.copy())
    value, gradient = ag.value_and_grad(f)(X)
    np.testing.assert_allclose(value, want, rtol=1e-12)
    step = 1e-6 * np.eye(X.size).reshape(X.size, 3, 3)
    slopes = [(f(X + s) - f(X - s)) / 2e-6 for s in step]
    np.testing.assert_allclose(gradient.ravel(), slopes, rtol=1e-6, atol=1e-8)
    assert type(gradient) is np.ndarray


def test_the_namespace_has_all_of_numpy(compat):
    older = tuple(map(int, compat.__version__.split(".")[:2])) < (1, 10)
    nothing = () if older else (None,)  # which array-api-compat did not take

    def f(x):
        xp = compat.array_namespace(x, *nothing)
        out = xp.zeros(x.shape, dtype=x.dtype)  # to be filled, and not in the standard: cov
        out[...] = xp.cov(x)
        return xp.sum(out * xp.asarray(np.arange(9.0).reshape(3, 3), copy=True))

    check(f)


def test_questions_are_answered_as_for_numpys_arrays(compat):
    def f(x):
        xp = compat.array_namespace(x)
        assert compat.is_numpy_array(x)
        assert compat.is_array_api_obj(x)
        if hasattr(compat, "is_numpy_namespace"):  # not in array-api-compat 1.5
            assert compat.is_numpy_namespace(xp)
        assert compat.device(x) == "cpu"
        assert compat.size(x) == 9
        return xp.sum(compat.to_device(x, "cpu") ** 2)

    check(f)


def test_its_copy_of_numpy_makes_tensors(compat):
    xp = importlib.import_module(f"{compat.__name__}.numpy")
    matmul = importlib.import_module(f"{compat.__name__}.numpy").matmul

    def f(x):
        y = xp.asarray(x, copy=True)
        y[0, :] = 2.0 * y[1, :]
        return xp.sum(matmul(y, y)) + xp.linalg.vector_norm(y)

    check(f)


def test_the_method_gives_numpys_names_in_lifted_code_alone():
    def f(x):
        xp = x.__array_namespace__()
        return xp.sum(xp.cov(x) ** 2)

    check(f)
    assert ag.asarray(X).__array_namespace__() is ag


def test_modules_say_that_they_are_numpys():
    """Code for several libraries asks; in lifted code the answer was ``arraygrad.numpy``."""

    def f(x, xp):
        import numpy.linalg as linalg

        assert type(x).__module__ == np.__name__ == xp.__name__ == "numpy"
        assert linalg.__name__ == xp.linalg.__name__ == "numpy.linalg"
        assert np.random.__name__ == "numpy.random"
        assert (np.__version__, np.__file__, np.__spec__) == ABOUT
        assert not hasattr(np, "float")
        assert "sin" in dir(np)
        return {"numpy": xp.sin, "cupy": None}[xp.__name__](x).sum() + linalg.norm(x)

    x = np.array([0.3, 0.4])
    np.testing.assert_allclose(ag.grad(f)(x, np), np.cos(x) + x / 0.5)


ABOUT = np.__version__, np.__file__, np.__spec__
