"""Later calls of one lifted function: what was rebound meanwhile is seen, and they cost little."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

import arraygrad as ag
import arraygrad.numpy as tensor_numpy

from .counting import python_calls

FACTOR = 2.0
SHIFT = np.array([1.0, 2.0])
SETTINGS = {"power": 2}
X = np.array([1.0, 3.0])


def helper(x):
    return x * FACTOR


def through_helper(x):
    return helper(x)


def late(x):
    return LATE * x if x > 1.0 else x  # noqa: F821 - bound between two calls


def with_array(x):
    return (x * SHIFT).sum()


def with_settings(x):
    return x ** SETTINGS["power"]


def counts(x):
    global COUNT
    COUNT += 1
    return x * COUNT


COUNT = 0


class Layer:
    scale = 1.0

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.scale * (self.w * x).sum()


@pytest.fixture(params=["grad", "lift"])
def slope(request):
    """Of a function of one number: the gradient's value, each call by the same lifted function."""

    def of(f):
        derivative, lifted = ag.grad(f), ag.lift(f)

        def by_lift(x):
            x = ag.tensor(x, requires_grad=True)
            lifted(x).backward()
            return float(x.grad)

        return derivative if request.param == "grad" else by_lift

    return of


def test_globals_and_helpers(slope, monkeypatch):
    by = slope(through_helper)
    assert [by(3.0), by(3.0), by(3.0)] == [2.0] * 3
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert by(3.0) == 5.0
    monkeypatch.setitem(globals(), "helper", lambda x: x * x * FACTOR)
    assert by(3.0) == 30.0
    monkeypatch.delitem(globals(), "FACTOR")
    with pytest.raises(NameError, match="FACTOR"):
        by(3.0)


def test_a_global_that_comes_later(slope, monkeypatch):
    by = slope(late)
    assert [by(0.5), by(0.5)] == [1.0, 1.0]
    monkeypatch.setitem(globals(), "LATE", 7.0)
    assert by(2.0) == 7.0


def test_arrays_and_containers_that_are_written_in_place(slope, monkeypatch):
    by = slope(with_array)
    assert [by(1.0), by(1.0)] == [3.0, 3.0]
    monkeypatch.setitem(globals(), "SHIFT", SHIFT.copy())
    SHIFT[:] = 4.0
    assert [by(1.0), by(1.0)] == [8.0, 8.0]
    by = slope(with_settings)
    assert [by(3.0), by(3.0)] == [6.0, 6.0]
    monkeypatch.setitem(SETTINGS, "power", 3)
    assert [by(3.0), by(3.0)] == [27.0, 27.0]


def test_variables_of_closures(slope):
    factor, calls = 2.0, 0

    def f(x):
        nonlocal calls
        calls += 1
        return factor * x

    by = slope(f)
    assert [by(3.0), by(3.0), calls] == [2.0, 2.0, 2]
    factor = 4.0
    assert [by(3.0), by(3.0), calls] == [4.0, 4.0, 4]


def test_globals_that_the_function_rebinds(slope, monkeypatch):
    monkeypatch.setitem(globals(), "COUNT", 0)
    by = slope(counts)
    assert [by(1.0), by(1.0), COUNT] == [1.0, 2.0, 2]
    monkeypatch.setitem(globals(), "COUNT", 9)
    assert [by(1.0), COUNT] == [10.0, 10]


def test_objects_and_their_classes(slope, monkeypatch):
    layer = Layer(np.array([1.0, 2.0]))
    by = slope(layer)
    assert [by(1.0), by(1.0)] == [3.0, 3.0]
    layer.w = np.array([5.0, 5.0])
    assert [by(1.0), by(1.0)] == [10.0, 10.0]
    layer.w[0] = 0.0
    assert [by(1.0), by(1.0)] == [5.0, 5.0]
    monkeypatch.setattr(Layer, "scale", 2.0)
    assert [by(1.0), by(1.0)] == [10.0, 10.0]
    layer.scale = 3.0
    assert [by(1.0), by(1.0)] == [15.0, 15.0]
    assert type(layer) is Layer
    assert type(layer.w) is np.ndarray


def test_derivatives_inside_of_settled_calls(slope):
    layer = Layer(np.array([1.0, 2.0]))

    def f(x):
        return ag.grad(lambda y: layer(y) * y * y)(x)

    by = slope(f)
    assert [by(1.0), by(1.0), by(2.0)] == [18.0, 18.0, 36.0]
    assert type(layer) is Layer
    assert type(layer.w) is np.ndarray


def test_an_error_leaves_the_next_call_whole(slope):
    def f(x):
        if x > 2.0:
            raise ValueError("too large")
        return helper(x)

    by = slope(f)
    assert [by(1.0), by(1.0)] == [2.0, 2.0]
    with pytest.raises(ValueError, match="too large"):
        by(3.0)
    assert by(1.0) == 2.0


def test_tensors_that_objects_and_closures_hold_keep_their_gradients():
    """With plain arguments the result was plain, whatever it had been computed from."""
    w = ag.tensor([1.0, 2.0], requires_grad=True)
    layer = Layer(w)
    for f in (layer, lambda x: (w * x).sum(), lambda x: Layer(w)(x)):
        lifted = ag.lift(f)
        for _ in range(3):
            w.grad = None
            lifted(X).backward()
            np.testing.assert_array_equal(w.grad, X)
        w.requires_grad = False
        assert type(lifted(X)) is np.float64
        w.requires_grad = True
    assert layer.w is w


def test_cost_of_later_calls():
    def identity(a):
        return a

    def first(layer, a):
        return a

    x = ag.tensor(2.0, requires_grad=True)
    for f, args, most in (
        (identity, (x,), 4), (identity, (2.0,), 4), (identity, (X,), 4),
        (through_helper, (x,), 6), (first, (Layer(2.0), x), 24), (first, (Layer(X), x), 36),
    ):  # fmt: skip
        lifted = ag.lift(f)
        for _ in range(3):
            lifted(*args)
        assert python_calls(lifted, *args) - python_calls(f, *args) <= most, f.__name__


class Model:
    def __init__(self):
        self.w, self.b, self.c = np.array([1.0, 2.0]), np.ones(2), np.ones((2, 3), order="F")
        self.same, self.part = self.w, self.w[:1]

    def loss(self, x):
        self.w += 1.0
        self.part *= 10.0
        assert self.same is self.w
        self.c[0] = 5.0
        return (self.w * x + self.b).sum()


class Quiet:
    def __init__(self):
        self.w, self.b, self.k = np.array([3.0, 4.0]), np.ones(2), 2.0

    def fit(self, w):
        self.w = w

    def loss(self, x):
        return x


def test_arrays_of_a_model_are_written_in_place(slope):
    model = Model()
    held = {name: id(value) for name, value in vars(model).items()}
    by = slope(model.loss)
    assert [by(1.0), by(1.0), by(1.0)] == [20.0 + 3.0, 210.0 + 4.0, 2110.0 + 5.0]
    assert {name: id(value) for name, value in vars(model).items()} == held
    np.testing.assert_array_equal(model.w, [2110.0, 5.0])
    np.testing.assert_array_equal(model.c, [[5.0] * 3, [1.0] * 3])
    assert model.c.flags.f_contiguous
    model.w[:] = 0.0
    assert by(1.0) == 10.0 + 1.0


def test_cost_of_methods():
    model, x = Quiet(), ag.tensor([1.0, 2.0], requires_grad=True)
    lifted = ag.lift(model.loss)
    for _ in range(3):
        lifted(x)
    assert python_calls(lifted, x) - python_calls(model.loss, x) <= 22


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("held", [[2.0], {"a": 2.0}, {(1.0, 2.0): 2.0}, Layer(2.0)], ids=type)
def test_what_may_be_no_memo_runs_once(held, requires_grad):
    """Without a tracked argument it ran three times: the result might have come from a memo."""

    def f(x, held):
        runs.append(1)
        return (x * 2.0).sum()

    runs, lifted, x = [], ag.lift(f), ag.tensor([1.0, 2.0], requires_grad=requires_grad)
    for k in range(4):
        lifted(x, held)
        assert len(runs) == k + 1 or (type(held) is dict and (1.0, 2.0) in held)


def fill(x, held, fails=False):
    many = held.append if isinstance(held, list) else lambda new: held.setdefault(len(held), new)
    for new in (x * 2.0, np.zeros(2), helper, Layer, Layer(2.0)):
        many(new)
    if fails:
        raise ValueError("full")
    return (x * 3.0).sum()


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("make", [lambda: [1.0], lambda: {"a": 1.0}, list, dict])
def test_containers_of_numbers_that_are_filled(make, fails):
    """They are handed over as they are, and what was put into them is looked at afterwards."""
    lifted = ag.lift(fill)
    for _ in range(4):
        x, held = ag.tensor([1.0, 2.0], requires_grad=True), make()
        size = len(held)
        if fails:
            with pytest.raises(ValueError, match="full"):
                lifted(x, held, True)
        else:
            lifted(x, held).backward()
            np.testing.assert_array_equal(x.grad, [3.0, 3.0])
        doubled, zeros, function, cls, layer = [
            *(held if isinstance(held, list) else held.values())
        ][size:]
        assert doubled.requires_grad
        assert isinstance(zeros, ag.Tensor | np.ndarray)
        assert function is helper
        assert cls is Layer is type(layer)


def scaled(v, by=np.array([1.0, 2.0])):  # noqa: B008 - that is the point
    return v * by


def apply(x, callback):
    return callback(x).sum()


def test_callbacks_and_what_they_reach(monkeypatch):
    """Writes to the default of a function that came again and again were not seen."""
    lifted = ag.lift(apply)

    def slope_by(callback):
        x = ag.tensor([1.0, 1.0], requires_grad=True)
        lifted(x, callback).backward()
        return x.grad.tolist()

    for k in range(4):
        scaled.__defaults__[0][:] = k
        assert slope_by(scaled) == [k, k]
        monkeypatch.setitem(globals(), "FACTOR", k + 5.0)
        assert slope_by(helper) == [k + 5.0] * 2
        assert slope_by(lambda v: helper(v) * 2.0) == [2 * k + 10.0] * 2
    helper.twice = 1
    assert slope_by(helper) == [8.0, 8.0]
    del helper.twice


EVERYTHING = {"builtins": vars(builtins), "modules": sys.modules, "own": globals()}


def test_namespaces_of_modules_are_not_made_fit():
    """The built-ins were those of lifted code, for all code, while a call lasted."""

    def f(x):
        assert EVERYTHING["modules"]["sys"].modules is sys.modules
        return x * len(EVERYTHING["own"]["SETTINGS"]) + 0.0 * unlifted("float", "type", "hasattr")

    before = {**vars(builtins)}

    def unlifted(*names):
        return float(all(EVERYTHING["builtins"][name] is before[name] for name in names)) - 1.0

    assert ag.grad(f)(2.0) == 1.0
    assert vars(builtins) == before


LIBRARIES = {"numpy": np, "arraygrad": tensor_numpy, "sin": tensor_numpy.sin}


class Backend:
    def __init__(self):
        self.xp, self.all = tensor_numpy, [tensor_numpy, np]


def test_names_of_ours_in_objects_of_the_user_stay():
    """``arraygrad.numpy`` in a dict or on an object was NumPy afterwards."""
    backend = Backend()

    def f(x):
        xp = backend.xp
        return xp.sin(x) + LIBRARIES["arraygrad"].cos(x) + LIBRARIES["numpy"].exp(x)

    for _ in range(2):
        assert ag.grad(f)(0.0) == 2.0
        assert backend.xp is tensor_numpy is backend.all[0] is LIBRARIES["arraygrad"]
        assert LIBRARIES["sin"] is tensor_numpy.sin
        assert LIBRARIES["numpy"] is np is backend.all[1]


def counting():
    calls, weights = 0, np.ones(2)

    def inner(x):
        nonlocal calls
        calls += 1
        return (x * calls * weights).sum()

    return inner, weights


inner, WEIGHTS = counting()


def calls_a_closure(x):
    return inner(x)


def calls_it_too(x):
    return inner(x) * 1.0


def test_a_closure_has_the_same_variables_for_all_that_reach_it():
    """Each lifted function had variables of its own for it, and ran with those of another."""
    by_grad, too = ag.grad(calls_a_closure), ag.grad(calls_it_too)
    count = 0
    for k in range(3):
        x = ag.tensor(X, requires_grad=True)
        for by in (by_grad, too):
            count += 1
            np.testing.assert_array_equal(by(X), np.full(2, count * (k + 1.0)))
        ag.lift(calls_a_closure)(x).backward()
        np.testing.assert_array_equal(x.grad, np.full(2, (count + 1) * (k + 1.0)))
        assert calls_a_closure(X) == (count + 2) * (k + 1.0) * X.sum()
        count += 2
        WEIGHTS[:] += 1.0
