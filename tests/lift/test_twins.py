"""Twins shared by calls, records and threads: cells, attributes of functions, classes."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import arraygrad as ag

from .. import fresh_process

X = np.array([1.0, 2.0])


def counted(f):
    """A decorator whose wrapper names itself."""

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@counted
def squares(x, n=2):
    return (x**n).sum()


def test_a_counter_on_a_function_counts_in_lifted_code():
    squares.calls = 0
    gradient = ag.grad(squares)
    for k in range(3):
        assert np.array_equal(gradient(X), 2 * X)
        assert squares.calls == k + 1
    squares(X)
    assert squares.calls == 4
    ag.grad(functools.partial(squares, n=3))(X)
    assert squares.calls == 5


def remembers(x):
    remembers.last = x * 2
    return remembers.last.sum()


def test_a_function_may_keep_what_it_computed():
    assert np.array_equal(ag.grad(remembers)(X), [2.0, 2.0])
    assert type(remembers.last) is np.ndarray
    assert np.array_equal(remembers.last, 2 * X)
    del remembers.last
    remembers(X)
    ag.grad(remembers)(X + 1)
    assert np.array_equal(remembers.last, 2 * X + 2)


def test_a_deleted_attribute_is_gone_for_lifted_code_too():
    def f(x):
        return x * getattr(f, "factor", 1.0)

    f.factor = 3.0
    gradient = ag.grad(f)
    assert gradient(1.0) == 3.0
    f.factor = 4.0
    assert gradient(1.0) == 4.0
    del f.factor
    assert gradient(1.0) == 1.0


def test_calls_inside_of_calls_count_too():
    squares.calls = 0

    def outer(x):
        return squares(x) + ag.grad(squares)(x).sum()

    assert np.array_equal(ag.grad(outer)(X), 2 * X + 2)
    assert squares.calls == 2


def make_model():
    """A class and a function that share closure variables."""
    scale = 2.0
    seen = 0

    class Model:
        def value(self, x):
            return scale * x

        def count(self):
            nonlocal seen
            seen += 1
            return seen

    @counted
    def loss(x):
        model = Model()
        model.count()
        return scale * model.value(x).sum()

    return loss, lambda: seen


def test_a_class_met_by_another_function_first_leaves_closures_whole():
    loss, seen = make_model()
    for f in (loss, functools.partial(loss), lambda x: loss(x) * 1.0):
        for _ in range(2):
            assert np.array_equal(ag.grad(f)(X), [4.0, 4.0])
    assert seen() == 6
    assert loss.calls == 6


THREADS = """
import functools, threading
import numpy as np
import arraygrad as ag
from concurrent.futures import ThreadPoolExecutor

def counted(f):
    @functools.wraps(f)
    def wrapper(*args):
        wrapper.calls += 1
        return helper(f(*args))
    wrapper.calls = 0
    return wrapper

def helper(x):
    out = np.zeros(2)
    out[:] = x * Scale(2.0).factor
    return out

class Scale:
    def __init__(self, factor):
        self.factor = factor

@counted
def f(x):
    return x * x

start = threading.Barrier(4)

def gradient(x):
    start.wait()
    return ag.grad(lambda x: f(x).sum())(x) if x[0] > 2 else ag.grad(loss)(x)

def loss(x):
    return f(x).sum()

xs = [np.array([k, 1.0]) for k in range(1, 5)]
with ThreadPoolExecutor(4) as pool:
    found = [*pool.map(gradient, xs)]
assert all(np.array_equal(g, 4 * x) for g, x in zip(found, xs)), found
print("right")
"""


def test_the_first_gradients_may_be_taken_by_several_threads_at_once():
    done = fresh_process.run(THREADS)
    assert done.stdout == "right\n", done.stderr


class Model:
    def __init__(self):
        self.trace = []

    def __call__(self, x):
        self.trace.append(x.sum())
        return (x * x).sum()


def test_threads_leave_plain_objects():
    gate = threading.Barrier(4)

    def run(k):
        model = Model()
        gate.wait()
        for _ in range(5):
            assert np.array_equal(ag.grad(model)(X * k), 2 * k * X)
        return model

    with ThreadPoolExecutor(4) as pool:
        models = [*pool.map(run, range(1, 5))]
    assert all(type(m) is Model for m in models)
    assert all(type(v) is np.float64 for m in models for v in m.trace)
