"""Calls of lifted functions in which no tensor takes part: the user's own function runs."""

from __future__ import annotations

import contextvars
import dataclasses
import enum
import functools
import types
from collections import defaultdict, deque
from typing import NamedTuple

import numpy as np
import pytest

import arraygrad as ag

X = np.array([1.0, 2.0])
HELD = np.array([3.0, 4.0])
SETTINGS = {"w": HELD, "more": [HELD]}
NUMBER = 2.0
VARIABLE = contextvars.ContextVar("VARIABLE", default=HELD)


class Kind(enum.Enum):
    FIRST = 1


class Pair(NamedTuple):
    w: object
    kind: Kind = Kind.FIRST


class Slotted:
    __slots__ = ("w",)

    def __init__(self, w):
        self.w = w


class Texts(dict):
    """A dict that is an object of the user's."""


@dataclasses.dataclass
class Parameters:
    w: object
    kind: Kind = Kind.FIRST
    names: tuple = ("a", "b")


class Model:
    shared = 1.0

    def __init__(self, w, part=None):
        self.w, self.part = w, part

    def __call__(self, x):
        return self.loss(x)

    def loss(self, x):
        seen.append(type(x))
        return (filled(x) * self.w * self.shared).sum()


class Registered:
    table = {"w": HELD}  # noqa: RUF012 - that is the point

    def loss(self, x):
        seen.append(type(x))
        return (filled(x) * self.table["w"]).sum()


def filled(x):
    """What a tensor cannot fill outside of lifted code."""
    out = np.zeros(2)
    for i in range(2):
        out[i] = x[i]
    return out


seen = []


@pytest.fixture(autouse=True)
def nothing_seen():
    seen.clear()


def product(x, w):
    seen.append(type(x))
    return (filled(x) * w).sum()


def of_global(x):
    return product(x, HELD)


def of_settings(x):
    return product(x, SETTINGS["more"][0])


def of_default(x, w=HELD):
    return product(x, w)


def of_attribute(x):
    return product(x, of_attribute.w)


of_attribute.w = HELD


def of_variable(x):
    return product(x, VARIABLE.get())


def closure_over(w):
    def by(x):
        return product(x, w)

    return by


def argument(read):
    return lambda x, held: product(x, read(held))


def by_callback(x, callback):
    return callback(x)


CASES = {
    "number": (lambda x, c: product(x, c), lambda w: 2.0),
    "list": (argument(lambda h: h[0]), lambda w: [w, 1.0]),
    "nested": (argument(lambda h: h["a"][0][0]), lambda w: {"a": ([w],)}),
    "deque": (argument(lambda h: h[0]), lambda w: deque([w])),
    "defaultdict": (argument(lambda h: h["a"]), lambda w: defaultdict(float, a=w)),
    "namespace": (argument(lambda h: h.w), lambda w: types.SimpleNamespace(w=w)),
    "object": (argument(lambda h: h.w), Model),
    "in an object": (argument(lambda h: h.part.w), lambda w: Model(None, Model(w))),
    "slotted": (argument(lambda h: h.w), Slotted),
    "dataclass": (argument(lambda h: h.w), Parameters),
    "tuple": (argument(lambda h: h.w), Pair),
    "bound": (by_callback, lambda w: Model(w).loss),
    "partial": (by_callback, lambda w: functools.partial(product, w=w)),
    "closure": (by_callback, closure_over),
}


@pytest.mark.parametrize("name", CASES)
def test_arguments(name):
    """Results are those of the function itself; a tensor anywhere keeps its gradient."""
    f, make = CASES[name]
    lifted = ag.lift(f)
    held = make(HELD)
    for _ in range(5):
        result = lifted(X, held)
        assert type(result) is np.float64
        assert result == f(X, held)
    assert seen[-1] is seen[-2] is np.ndarray  # the call of f itself, and the last lifted one
    for _ in range(3):
        w = ag.tensor(HELD, requires_grad=True)
        x = ag.tensor(X, requires_grad=True)
        lifted(x, make(w)).backward()
        np.testing.assert_array_equal(x.grad, [2.0, 2.0] if name == "number" else HELD)
        if name != "number":
            lifted(X, make(w)).backward()
            np.testing.assert_array_equal(w.grad, 2 * X)
        assert type(lifted(X, held)) is np.float64


def holding(replace):
    """Targets, and what puts another value in the place that each reads."""
    model, part, registered = Model(HELD), Model(HELD), Registered()
    cell = closure_over(HELD)

    def set_cell(w):
        cell.__closure__[0].cell_contents = w

    def set_default(w):
        replace.setattr(of_default, "__defaults__", (w,))

    return {
        "global": (of_global, lambda w: replace.setitem(globals(), "HELD", w)),
        "container": (of_settings, lambda w: SETTINGS["more"].__setitem__(0, w)),
        "default": (of_default, set_default),
        "attribute": (of_attribute, lambda w: replace.setattr(of_attribute, "w", w)),
        "cell": (cell, set_cell),
        "method": (model.loss, lambda w: setattr(model, "w", w)),
        "callable": (part, lambda w: setattr(part, "w", w)),
        "class": (registered.loss, lambda w: replace.setitem(Registered.table, "w", w)),
        "partial": (functools.partial(Model.loss, model), lambda w: setattr(model, "w", w)),
    }


@pytest.mark.parametrize("name", holding(None))
def test_what_is_reached(name, monkeypatch):
    """What the target reaches is looked through in each call."""
    f, put = holding(monkeypatch)[name]
    lifted = ag.lift(f)
    values = HELD
    for _ in range(3):
        for k in range(5):
            put(values * k)
            assert type(lifted(X)) is np.float64
            assert lifted(X) == f(X)
        if name != "default":  # which is another object each time
            assert seen[-2] is np.ndarray
        for _ in range(2):
            w = ag.tensor(values, requires_grad=True)
            put(w)
            lifted(X).backward()
            np.testing.assert_array_equal(w.grad, X)
    put(values)
    assert type(lifted(X)) is np.float64


def test_a_class_that_gets_a_tensor(monkeypatch):
    model = Model(HELD)
    lifted = ag.lift(model.loss)
    by_argument = ag.lift(lambda x, m: m.loss(x))
    for _ in range(3):
        for _ in range(3):
            assert lifted(X) == by_argument(X, model) == 11.0
        w = ag.tensor(2.0, requires_grad=True)
        monkeypatch.setattr(Model, "shared", w)
        (lifted(X) + by_argument(X, model)).backward()
        assert w.grad == 22.0
        monkeypatch.setattr(Model, "shared", 1.0)


def test_what_cannot_be_looked_into():
    """Iterators and objects of libraries may give tensors, to lifted code."""
    lifted = ag.lift(lambda x, ws: product(x, next(ws)))
    for _ in range(4):
        assert lifted(X, iter([HELD])) == 11.0
        w = ag.tensor(HELD, requires_grad=True)
        lifted(X, iter([w])).backward()
        np.testing.assert_array_equal(w.grad, X)
    lifted = ag.lift(of_variable)
    for _ in range(4):
        assert lifted(X) == 11.0
    w = ag.tensor(HELD, requires_grad=True)
    token = VARIABLE.set(w)
    lifted(X).backward()
    VARIABLE.reset(token)
    np.testing.assert_array_equal(w.grad, X)
    array = np.empty(1, dtype=object)
    array[0] = ag.tensor(2.0, requires_grad=True)
    lifted = ag.lift(lambda a: a[0] * 3.0)
    for _ in range(4):
        lifted(array).backward()
    assert array[0].grad == 12.0


def test_code_that_makes_tensors():
    def trained(x):
        import arraygrad

        w = arraygrad.tensor([1.0, 1.0], requires_grad=True)
        (filled(w) * x).sum().backward()
        return np.asarray(w.grad)

    lifted = ag.lift(trained)
    for _ in range(4):
        np.testing.assert_array_equal(lifted(X), X)


def test_functions_and_generators_that_are_returned_stay_lifted():
    def made(w):
        return lambda x: product(x, w)

    def generated(w):
        x = yield
        yield product(x, w)

    by_function, by_generator = ag.lift(made), ag.lift(generated)
    for _ in range(4):
        x = ag.tensor(X, requires_grad=True)
        by_function(HELD)(x).backward()
        steps = by_generator(HELD)
        next(steps)
        steps.send(x).backward()
        np.testing.assert_array_equal(x.grad, 2 * HELD)


def scaled(x):
    return x * NUMBER


SCALED = ag.lift(scaled)


def rebinds(x):
    global NUMBER
    NUMBER = x * 2.0
    return SCALED(2.0)


def test_inside_of_another_call(monkeypatch):
    """The plain function found the global as it was before the outer call: the gradient was 0."""
    for _ in range(4):
        assert SCALED(2.0) == 4.0
    for _ in range(3):
        assert ag.grad(rebinds)(3.0) == 4.0
        monkeypatch.setitem(globals(), "NUMBER", 2.0)


def test_state_is_the_users():
    class Counter:
        def __init__(self):
            self.calls, self.last = 0, None

        def step(self, x):
            self.calls += 1
            self.last = x * 2.0
            return self.last.sum()

    counter = Counter()
    lifted = ag.lift(counter.step)
    for k in range(1, 5):
        assert lifted(X) == 6.0
        assert counter.calls == k
        assert type(counter.last) is np.ndarray
    x = ag.tensor(X, requires_grad=True)
    lifted(x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 2.0])
    assert counter.calls == 5
    assert lifted(X) == 6.0
    assert type(counter.last) is np.ndarray


def test_errors_and_warnings_are_those_of_the_function():
    lifted = ag.lift(lambda x: 1.0 / x)
    for _ in range(3):
        lifted(X)
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        lifted(np.zeros(2))
    assert caught[0].filename == __file__
    with pytest.raises(ZeroDivisionError):
        lifted(0.0)


ARRAY = np.ones(2)


def of_array(x):
    return (x * ARRAY).sum()


OF_ARRAY = ag.lift(of_array)


def binds_an_array(x):
    global ARRAY
    ARRAY = x * np.ones(2)
    return OF_ARRAY(2.0)


def binds_a_variable(value):
    held = value
    inner = ag.lift(lambda x: np.sum(x * held))

    def outer(x):
        nonlocal held
        held = x * value
        return inner(2.0)

    for _ in range(3):
        inner(2.0)
    return outer


def test_what_an_outer_call_binds_is_not_pulled_over(monkeypatch):
    """The inner call had the user's array again, or a variable of its own: the gradient was 0."""
    by_array, by_number = binds_a_variable(np.ones(2)), binds_a_variable(1.0)
    for _ in range(3):
        OF_ARRAY(2.0)
    for _ in range(3):
        monkeypatch.setitem(globals(), "ARRAY", np.ones(2))
        assert ag.grad(binds_an_array)(3.0) == 4.0
        np.testing.assert_array_equal(ARRAY, [3.0, 3.0])
        assert ag.grad(by_array)(3.0) == 4.0
        assert ag.grad(by_number)(3.0) == 2.0
