"""What a function under differentiation keeps from one call to the next: caches and states."""

import copy
import functools

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.lifting.kept import is_same

X = np.array([0.1, 0.2, 0.3])
CACHE = {}
last = None


def cached_in_a_dict(x):
    if "exp" not in CACHE:
        CACHE["exp"] = np.exp(x)
    return CACHE["exp"].sum()


def cached_numbers(x, known={}):  # noqa: B006
    key = round(float(x), 8)
    if key not in known:
        known[key] = x**2
    return known[key] * 2 + x


class Grid:
    def __init__(self, x):
        self.memo = {}
        self.kernel = None
        self.state = np.zeros(3)
        self.history = []
        self.total = 0.0
        self.x = x

    def through_a_memo(self, x):
        if "sin" not in self.memo:
            self.memo["sin"] = np.sin(x) * self.x
        return self.memo["sin"].sum()

    def through_an_attribute(self, x):
        if self.kernel is None:
            self.kernel = np.cos(x)
        return (self.kernel * x).sum()

    def recurrent(self, x):
        self.state = np.tanh(self.state + x)
        self.history.append(self.state.sum())
        self.total = self.total + x.sum()
        return (self.state * x).sum() + self.total

    @functools.cached_property
    def exp(self):
        return np.exp(CACHE["x"])


def through_a_global(x):
    global last
    if last is None:
        last = 3 * x
    return (last * x).sum()


def running(x):
    global last
    last = np.tanh(x + (0 if last is None else last))
    return last.sum()


def noted(x, notes={}):  # noqa: B006
    notes["loss"] = (x**2).sum()
    return notes["loss"]


@pytest.fixture(autouse=True)
def empty():
    global last
    CACHE.clear()
    last = None


def test_an_entry_of_a_cache_is_computed_again():
    grid = Grid(2.0)
    for _ in range(3):
        np.testing.assert_allclose(ag.grad(cached_in_a_dict)(X), np.exp(X))
        np.testing.assert_allclose(ag.grad(grid.through_a_memo)(X), 2 * np.cos(X))
        assert ag.grad(cached_numbers)(2.0) == 9.0
        assert ag.grad(noted)(2.0) == 4.0
    assert type(CACHE["exp"]) is np.ndarray
    np.testing.assert_allclose(CACHE["exp"], np.exp(X))
    assert cached_in_a_dict(X) == np.exp(X).sum()


def test_a_cached_property_is_computed_again():
    grid = Grid(2.0)

    def f(x):
        CACHE["x"] = x
        return grid.exp.sum()

    for _ in range(3):
        np.testing.assert_allclose(ag.grad(f)(X), np.exp(X))


@pytest.mark.parametrize("f", [through_a_global, Grid(1.0).through_an_attribute])
def test_a_cache_that_cannot_be_emptied_is_refused(f):
    first = ag.grad(f)(X)
    with pytest.raises(ag.errors.GradientError, match="an earlier derivative at the same"):
        ag.grad(f)(X)
    ag.grad(f)(X + 1)  # at other arguments it is a constant, as it is in plain code
    assert np.all(np.isfinite(first))


def test_a_state_is_a_constant():
    grid, plain = Grid(1.0), Grid(1.0)
    for _ in range(3):
        before = plain.state.copy()
        gradient = ag.grad(grid.recurrent)(X)
        plain.recurrent(X)
        slope = 1 - np.tanh(before + X) ** 2
        np.testing.assert_allclose(gradient, np.tanh(before + X) + slope * X + 1)
        np.testing.assert_allclose(grid.state, plain.state)
        ag.grad(running)(X)
    np.testing.assert_allclose(grid.history, plain.history, rtol=1e-12)
    assert all(isinstance(h, float) for h in grid.history)


def test_states_that_the_arguments_do_not_reach_are_no_caches():
    grid = Grid(np.ones(3))

    def f(x, data):
        if grid.kernel is None:
            grid.kernel = data * 2
        return (grid.kernel * x).sum()

    for _ in range(2):
        np.testing.assert_array_equal(ag.grad(f)(X, np.ones(3)), [2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    "kept",
    [
        np.array(np.sin, dtype=object), np.array([None, "a", 1.5], dtype=object),
        np.array(["a", "b"]), np.array(["2024-01-01", "NaT"], dtype="M8[D]"),
        np.array([(1, 2.5)], dtype=[("n", int), ("v", float)]), np.array([True]),
    ],
    ids=lambda kept: kept.dtype.kind,
)  # fmt: skip
def test_results_that_do_not_subtract_are_compared(kept):
    """A function or text in a result that is computed again raised NumPy's TypeError."""
    for a in (kept, [kept], {"kept": kept}):
        assert is_same(a, copy.deepcopy(a)) is True
    assert is_same(kept, kept.ravel()[:0]) is False
    other = kept.copy()
    other[...] = np.zeros((), kept.dtype)
    assert is_same(kept, other) is False
