"""Plain NumPy functions through ag.value_and_grad: value as NumPy's, gradient as differences."""

import numpy as np
import pytest

import arraygrad as ag
from tests.lift.corpus import (
    classes,
    filling,
    integers,
    numerics,
    published_callbacks,
    published_dynamics,
    published_inference,
    published_models,
    published_objects,
    published_programs,
    published_python,
    published_scripts,
    scalars,
    sequences,
    styles,
    triangles,
)

THREE = [0.7, 1.3, 0.4]
FOUR = [1.0, 2.0, 0.3, 0.8]
SPECIAL_POINTS = {
    "block": FOUR,
    "aliases": FOUR,
    "rows": FOUR,
    "heat": [1.0, 2.0, 0.3, 0.8, 1.5, 0.1],
    "triangle": [1.0, 0.5, 2.0, 0.3, 0.1, 0.9],
    "distances": [0.0, 0.0, 1.0, 0.5, -1.0, 2.0],
    "de_casteljau": [0.7, 1.3, 0.4, 2.0],
    "haversine": [10.0, 25.0, 0.4],
    "black_scholes": [100.0, 95.0, 0.5],
    "indices": [1.4, 0.3, 2.7],
    "thomas": [0.7, 1.3, 0.4, 0.2],
    "cumulative": [0.7, -1.3, 0.4],
    "with_errstate": [0.7, 1.3, 0.4],
}


def functions_of(module):
    return [
        f
        for name, f in vars(module).items()
        if callable(f)
        and not isinstance(f, type)
        and getattr(f, "__module__", None) == module.__name__
        and name not in NOT_CASES
    ]


NOT_CASES = {
    "_",
    "doubled",
    "make_adder",
    "traced",
    "binomial",
    "squared",
    "power",
    "math_like",
    "adder",
}
MODULES = (filling, scalars, classes, styles, numerics, integers, sequences, triangles)
PUBLISHED = (
    published_models, published_inference, published_dynamics, published_programs,
    published_objects, published_python, published_scripts, published_callbacks,
)  # fmt: skip
CASES = [*(f for m in MODULES for f in functions_of(m)), *(f for m in PUBLISHED for f in m.CASES)]


def differences(f, x, h=1e-6):
    g = np.zeros(len(x))
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
    return g


def test_corpus_is_as_large_as_promised():
    assert len(CASES) >= 190


@pytest.mark.parametrize(
    "f", CASES, ids=lambda f: f"{f.__module__.rpartition('.')[2]}-{f.__name__}"
)
def test_value_and_gradient(f):
    x = np.array(getattr(f, "at", SPECIAL_POINTS.get(f.__name__, THREE)), dtype=float)
    before = x.copy()
    want = f(x.copy())
    value, gradient = ag.value_and_grad(f)(x)
    np.testing.assert_allclose(value, want, rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, x), rtol=2e-5, atol=1e-6)
    assert type(gradient) is np.ndarray
    np.testing.assert_array_equal(x, before)
    np.testing.assert_allclose(f(x.copy()), want, rtol=1e-12)
    assert not isinstance(f(x.copy()), ag.Tensor)
