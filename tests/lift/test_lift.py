"""How lifting works: nothing of the user's changes, state is written back, lines stay visible."""

import functools
import inspect
import pickle
import sys
import threading
import traceback
import types

import numpy as np
import pytest

import arraygrad as ag
from tests.lift.corpus import classes, helpers, styles

from .counting import python_calls

COUNT = 0
LOG = []
TABLE = {"scale": 2.0, "f": np.sin}
BUFFER = np.zeros(3)
CONSTANT = np.arange(3.0)


def leaf(*values):
    return ag.tensor(list(values) if len(values) > 1 else values[0], requires_grad=True)


def filled(x):
    out = np.zeros(3)
    out[0] = x
    return out.sum()


def counting(x):
    global COUNT
    COUNT += 1
    LOG.append(x * 2)
    return x * COUNT


def fails(x):
    out = np.zeros(3)
    out[1] = x
    raise ValueError("the user's own")


class Model:
    instances = 0

    def __init__(self, w):
        self.w = np.array(w)
        self.calls = 0
        self.child = None
        self.f = np.tanh

    def loss(self, x):
        self.calls += 1
        Model.instances += 1
        buffer = np.zeros(len(self.w))
        buffer[:] = self.w * x
        self.last = self.f(buffer)
        self.w[0] = 7.0
        return self.last.sum() + (0.0 if self.child is None else self.child.loss(x))


# -- what is the user's stays the user's ---------------------------------------------------------


def test_module_is_untouched():
    module = sys.modules[__name__]
    before = dict(vars(module))
    ag.grad(filled)(2.0)
    ag.lift(filled)(leaf(2.0))
    after = vars(module)
    assert before.keys() == after.keys()
    assert all(after[name] is before[name] for name in before)
    assert filled.__globals__["np"] is np


def test_code_object_is_the_users():
    seen = []

    def f(x):
        seen.append(sys._getframe().f_code)
        return np.array([x]).sum()

    ag.grad(f)(1.0)
    assert seen == [f.__code__]


def test_traceback_shows_the_users_line():
    with pytest.raises(ValueError, match="the user's own") as caught:
        ag.grad(fails)(1.0)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename == __file__
    assert last.line == 'raise ValueError("the user\'s own")'


def test_state_is_restored_after_an_error():
    model = Model([1.0, 2.0])
    model.f = lambda v: fails(v)
    f = model.f
    with pytest.raises(ValueError):
        ag.grad(model.loss)(1.0)
    assert type(model) is Model
    assert model.f is f
    assert type(model.w) is np.ndarray


def test_lifted_function_pickles_and_looks_like_the_original():
    lifted = pickle.loads(pickle.dumps(ag.lift(filled)))
    x = leaf(2.0)
    lifted(x).backward()
    assert x.grad == 1.0
    assert lifted.__name__ == "filled"
    assert inspect.signature(lifted) == inspect.signature(filled)
    assert lifted.__wrapped__ is filled


def test_functions_of_modules_are_lifted_once():
    assert ag.lift(filled) is ag.lift(filled)
    assert ag.lift(ag.lift(filled)) is ag.lift(filled)


def test_lift_refuses_what_cannot_be_called():
    with pytest.raises(TypeError, match="not callable"):
        ag.lift(3)


# -- state that lifted code writes ---------------------------------------------------------------


def test_globals_are_written_back():
    global COUNT
    COUNT = 0
    LOG.clear()
    log = LOG
    assert ag.grad(counting)(3.0) == 1.0
    assert COUNT == 1
    assert LOG is log
    assert LOG == [6.0]
    assert not isinstance(LOG[0], ag.Tensor)
    COUNT = 10  # and changes from outside are seen
    assert ag.grad(counting)(3.0) == 11.0
    assert COUNT == 11


def test_global_array_is_written_in_place():
    def f(x):
        BUFFER[1] = x * 5
        return BUFFER.sum()

    buffer = BUFFER
    assert ag.grad(f)(2.0) == 5.0
    assert BUFFER is buffer
    np.testing.assert_array_equal(BUFFER, [0.0, 10.0, 0.0])
    BUFFER[:] = 0


def test_global_array_that_is_only_read_keeps_its_memory():
    address = CONSTANT.__array_interface__["data"][0]
    assert ag.grad(lambda x: (CONSTANT * x).sum())(2.0) == 3.0
    assert CONSTANT.__array_interface__["data"][0] == address


def test_views_on_an_object_keep_pointing_into_its_array():
    holder = types.SimpleNamespace()
    holder.state = np.zeros(4)
    holder.position = holder.state[:2]

    def f(x):
        holder.position[:] = x
        return (holder.state**2).sum()

    np.testing.assert_allclose(ag.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])
    assert holder.position.base is holder.state
    np.testing.assert_array_equal(holder.state, [1.0, 2.0, 0.0, 0.0])


def test_monkeypatched_helper_is_used(monkeypatch):
    assert ag.grad(lambda v: helpers.weighted(v))(np.ones(3))[0] == 0.5
    monkeypatch.setattr(helpers, "weighted", lambda v: np.array([v[0] * 3]).sum())
    assert ag.grad(lambda v: helpers.weighted(v))(np.ones(3))[0] == 3.0


def test_object_keeps_class_identity_and_plain_state():
    model = Model([1.0, 2.0])
    model.child = Model([0.5])
    w, before = model.w, Model.instances
    f = model.loss
    gradient = ag.grad(f)(0.3)
    expected = sum(v * (1 - np.tanh(v * 0.3) ** 2) for v in (1.0, 2.0, 0.5))
    assert gradient == pytest.approx(expected)
    assert type(model) is Model
    assert type(model.child) is Model
    assert model.w is w
    assert w[0] == 7.0
    assert type(model.last) is np.ndarray
    assert model.f is np.tanh
    assert model.calls == 1
    assert Model.instances == before + 2
    pickle.dumps(model)


def test_objects_made_inside_have_the_users_class():
    def f(x):
        return Model([1.0, 2.0]), x

    model, _ = ag.lift(f)(1.0)
    assert type(model) is Model
    assert type(model.w) is np.ndarray


def test_lifted_objects_keep_tensors_when_tensors_come_in():
    model = Model([1.0, 2.0])
    x = leaf(0.5)
    ag.lift(model.loss)(x)
    assert isinstance(model.last, ag.Tensor)
    model.last.sum().backward()
    assert x.grad != 0


def test_nonlocal_variable_is_written_back():
    total = 0.0

    def f(x):
        nonlocal total
        total = total + x * 2
        return total

    assert ag.grad(f)(3.0) == 2.0
    assert total == 6.0
    assert not isinstance(total, ag.Tensor)


def test_containers_of_functions_are_restored():
    def f(x):
        return TABLE["f"](x) * TABLE["scale"]

    assert ag.grad(f)(0.5) == pytest.approx(2 * np.cos(0.5))
    assert TABLE["f"] is np.sin


def test_subclass_registry_does_not_hear_of_lifting():
    before = list(classes.Layer.registry)
    ag.grad(classes.network)(np.array([0.7, 1.3, 0.4]))
    assert classes.Layer.registry == before


def test_tracked_arguments_are_memoized_by_identity():
    def f(x):
        return styles.squared(x[0]) + styles.squared(x[1])

    np.testing.assert_allclose(ag.grad(f)(np.array([2.0, 2.0])), [4.0, 4.0])


def test_arguments_are_not_changed():
    x = np.array([1.0, 2.0])

    def f(v):
        v[0] = v[1] ** 2
        v += 1
        return v.sum()

    np.testing.assert_allclose(ag.grad(f)(x), [0.0, 5.0])
    np.testing.assert_array_equal(x, [1.0, 2.0])


# -- results -------------------------------------------------------------------------------------


def test_plain_arguments_give_plain_results():
    lifted = ag.lift(lambda x: {"a": np.zeros(3) + x, "b": [np.sum(x)], "c": (1, np.ones(2))})
    out = lifted(np.arange(3.0))
    assert type(out["a"]) is np.ndarray
    assert type(out["b"][0]) is np.float64
    assert type(out["c"][1]) is np.ndarray


def test_argument_returned_is_the_same_object():
    x = np.arange(3.0)
    assert ag.lift(lambda v: v)(x) is x


def test_tensors_give_tensors():
    out = ag.lift(filled)(leaf(2.0))
    assert isinstance(out, ag.Tensor)
    assert out.requires_grad


@pytest.mark.parametrize("f", [np.sin, functools.partial(np.multiply, 2.0)])
def test_numpy_functions_themselves(f):
    assert ag.grad(f)(0.0) == pytest.approx(1.0 if f is np.sin else 2.0)


# -- cost ----------------------------------------------------------------------------------------


def test_calls_after_the_first_cost_little():
    operations = 300

    def chain(x):
        for _ in range(operations):
            x = x * 1.01
        return x

    x = leaf(2.0)
    lifted = ag.lift(chain)
    lifted(x)
    assert python_calls(lifted, x) - python_calls(chain, x) < 0.1 * operations


def test_closures_are_freed():
    import gc
    import weakref

    class Unmet(Model):
        """Its twin, made while f is lifted, kept what f had around it."""

    def make():
        data = Unmet(np.ones(1000))

        def f(x):
            return (data.w * x).sum()

        g = ag.grad(f)
        assert g(2.0) == 1000.0
        return weakref.ref(f), weakref.ref(data)

    first, second = make()
    gc.collect()
    assert first() is None
    assert second() is None


def test_threads():
    errors = []

    def work(k):
        try:
            for _ in range(20):
                g = ag.grad(lambda x: filled(np.sin(k * x)))(1.0)
                assert g == pytest.approx(k * np.cos(k))
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


def test_long_chains_of_objects_need_no_deep_stack():
    head = None
    for _ in range(3000):
        head = classes.Chain(1.0, head)

    def f(x):
        total, node = 0.0, head
        while node is not None:
            total += np.array([node.k * x])[0]
            node = node.nxt
        return total

    assert ag.grad(f)(1.0) == 3000.0
    assert type(head.nxt) is classes.Chain
