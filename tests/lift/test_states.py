"""State counts once: of the runs that look for memos no trace is left, wherever code keeps it."""

import copy
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

import arraygrad as ag

from .corpus import states_of_classes, states_of_functions, states_of_libraries
from .corpus.states import STATES  # filled by the modules above

MODULES = (states_of_classes, states_of_functions, states_of_libraries)
_RNG = np.random.default_rng(0)
_POINTS = [_RNG.uniform(0.5, 2.0, 3) for _ in range(4)]
CALLS = [_POINTS[i] for i in (0, 1, 0, 2, 0, 0, 3, 1, 0, 2)]


def last(make, count, x):
    """Value and state after a call at x, which others come before: by plain Python."""
    f, state = make()
    for earlier in CALLS[:count]:
        f(earlier.copy())
    return float(f(x)), copy.deepcopy(state())


def slopes(make, count, step=1e-5):
    out = []
    for i in range(3):
        ends = []
        for sign in (1, -1):
            x = CALLS[count].copy()
            x[i] += sign * step
            ends.append(last(make, count, x)[0])
        out.append((ends[0] - ends[1]) / (2 * step))
    return out


def by_grad(f):
    gradient = ag.grad(f)
    return lambda x: (None, np.asarray(gradient(x)))


def by_value_and_grad(f):
    both = ag.value_and_grad(f)

    def run(x):
        value, gradient = both(x)
        return float(value), np.asarray(gradient)

    return run


def by_lift(f):
    lifted = ag.lift(f)

    def run(x):
        t = ag.tensor(x, requires_grad=True)
        value = lifted(t)
        value.backward()
        return float(value.detach().item()), np.asarray(t.grad)

    return run


def plainly(f):
    lifted = ag.lift(f)
    return lambda x: (float(lifted(x)), None)


def by_turns(f):
    runs = [by_value_and_grad(f), by_lift(f), lambda x: (float(f(x)), None), by_grad(f)]
    count = iter(range(100))
    return lambda x: runs[next(count) % 4](x)


def check(name, way):
    make = STATES[name]
    f, state = make()
    run = way(f)
    found = [(*run(x.copy()), copy.deepcopy(state())) for x in CALLS]
    for count, (value, gradient, state_) in enumerate(found):
        want, state_wanted = last(make, count, CALLS[count].copy())
        if value is not None:
            np.testing.assert_allclose(value, want, rtol=1e-9)
        if gradient is not None:
            np.testing.assert_allclose(gradient, slopes(make, count), rtol=1e-5, atol=1e-6)
        assert state_ == state_wanted or repr(state_) == repr(state_wanted)


WAYS = [by_grad, by_value_and_grad, by_lift, plainly, by_turns]


def test_every_module_has_its_rows():
    assert {make.__module__ for make in STATES.values()} == {m.__name__ for m in MODULES}
    assert len(STATES) >= 57


@pytest.mark.filterwarnings("ignore:w:UserWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", STATES)
def test_state_counts_once(name, way):
    check(name, way)


def test_warnings_are_given_once():
    f, _ = STATES["warned"]()
    gradient = ag.grad(f)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for x in CALLS:
            gradient(x)
    assert [str(w.message) for w in found] == ["w"] * 10
    assert {os.path.basename(w.filename) for w in found} == {"states_of_libraries.py"}


@pytest.mark.parametrize("name", ["class_attr_by_arg", "numpy_rng_nested"])
def test_state_counts_once_in_a_program_of_its_own(name):
    code = f"from tests.lift.test_states import *; [check({name!r}, way) for way in WAYS]"
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    home = pathlib.Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=paths, cwd=home
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("filled", ["never", "by_a_call", "by_a_derivative", "by_both"])
def test_a_derivative_inside_of_another_over_a_cache(filled):
    memo = {}
    calls = [0]

    def inner(y):
        key = round(float(y[0]), 9)
        if key not in memo:
            memo[key] = (y**3).sum()
        return memo[key]

    def outer(x):
        calls[0] += 1
        return (ag.grad(inner)(x) * x).sum()

    x = np.array([1.5, 2.0])
    if filled == "by_a_call":
        inner(x)
    elif filled == "by_a_derivative":
        ag.grad(inner)(x)
    elif filled == "by_both":
        ag.grad(outer)(x)
        calls[0] = 0
    for count in range(1, 11):
        np.testing.assert_allclose(ag.grad(outer)(x), 9 * x**2)
        assert calls == [count]


def test_an_iterator_is_taken_from_once():
    """Also where there is a memo, whose part is then not found: the guide says so."""
    f, _ = STATES["iter_count"]()
    assert [ag.value_and_grad(f)(CALLS[0])[0] for _ in range(3)] == [
        f_value * (CALLS[0] ** 2).sum() for f_value in (1, 2, 3)
    ]


def test_methods_of_random_generators():
    """Compiled methods take their own object for granted: they crashed with ours."""
    normal = np.random.default_rng(2).normal
    want = np.random.default_rng(2).normal()
    assert ag.value_and_grad(lambda x: x * normal())(2.0) == (2.0 * want, want)
