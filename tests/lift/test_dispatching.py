"""``functools.singledispatch`` and ``singledispatchmethod``: by the class that plain code has."""

import abc
import collections.abc
import functools
import numbers
import typing

import numpy as np
import pytest

import arraygrad as ag

X = np.array([1.3, 0.7])
SCALE = [1.0]


class Model:
    def __init__(self, weight=1.0):
        self.weight = weight

    @functools.singledispatchmethod
    def of(self, v):
        return 0.0

    @of.register
    def _(self, v: np.ndarray):
        return (self.weight * v**2).sum()

    @of.register(float)
    def _(self, v):
        return self.of(np.array([v])) * SCALE[0]

    @functools.singledispatchmethod
    @classmethod
    def of_class(cls, v):
        return 0.0

    @of_class.register
    @classmethod
    def _(cls, v: np.ndarray):
        return cls().of(v)

    @functools.singledispatchmethod
    @staticmethod
    def of_none(v):
        return 0.0

    @of_none.register(np.ndarray | float)
    @staticmethod
    def _(v):
        return np.sum(v**2)


class Derived(Model):
    pass


def square_of_floats():
    @functools.singledispatch
    def g(v):
        return 0.0

    @g.register(float)
    def _(v):
        return v * v

    return g


def by_float(x):
    g = square_of_floats()
    return sum(g(float(v)) for v in x)


def by_array(x):
    @functools.singledispatch
    def g(v):
        return 0.0

    @g.register
    def _(v: np.ndarray):
        return (v * v).sum()

    return g(x)


def by_union(x):
    @functools.singledispatch
    def g(v):
        return 0.0

    @g.register(np.ndarray | list)
    def _(v):
        return (v * v).sum()

    return functools.partial(g, x)() + sum(map(g, [2.0, "text"]))


def of_plain_values(x):
    @functools.singledispatch
    def g(v):
        return 0.0

    g.register(float, lambda v: 1.0)
    g.register(str, lambda v: 2.0)
    return (x**2).sum() * (g(1.5) + g("a") + g(3) + g(np.float64(1.0)) - 3.0)


def by_class_made_here(x):
    class Made:
        @functools.singledispatchmethod
        def of(self, v):
            return 0.0

        @of.register
        def _(self, v: np.ndarray):
            return (v * v).sum()

    return Made().of(x)


def registers_later(x):
    Model.of_none.register(tuple, lambda v: sum(v) ** 2)
    return Model.of_none(x)


@functools.singledispatch
def by_class_of_number(v):
    return 0.0


@by_class_of_number.register(np.float64)
def _(v):
    return v * v


@by_class_of_number.register(float)
def _(v):
    return v**2 * 3


def of_elements(x):
    return sum((by_class_of_number(v) + 2 * by_class_of_number(float(v))) / 7 for v in x)


CASES = {
    "bound": Model().of,
    "bound, of a derived class": Derived().of,
    "bound to the class": Model.of_class,
    "bound to the class by an object": Derived().of_class,
    "static": Model.of_none,
    "in a lambda": lambda x: Model().of(x),
    "by map": lambda x: sum(map(Model().of, [x])),
    "to a number": lambda x: sum(Model().of(float(v)) for v in x),
    **{
        f.__name__: f
        for f in (
            by_float, by_array, by_union, of_plain_values, by_class_made_here, of_elements,
            registers_later,
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions_are_chosen_as_in_plain_code(name):
    f = CASES[name]
    assert f(X) == pytest.approx((X**2).sum())
    for _ in range(2):
        value, gradient = ag.value_and_grad(f)(X)
        assert value == pytest.approx((X**2).sum())
        np.testing.assert_allclose(gradient, 2 * X)


def test_of_a_number_of_python():
    def h(x):
        g = square_of_floats()
        return g(float(x)) + g(x)

    assert ag.value_and_grad(h)(1.5) == (4.5, 6.0)


def test_a_bound_method_is_of_the_object_as_it_is_now():
    model = Model()
    gradient = ag.grad(model.of)
    np.testing.assert_allclose(gradient(X), 2 * X)
    model.weight = np.array([2.0, 3.0])
    np.testing.assert_allclose(gradient(X), 2 * model.weight * X)
    assert type(model) is Model
    assert type(model.weight) is np.ndarray


def test_calls_without_arguments_raise_as_in_plain_code():
    def f(x):
        return functools.singledispatch(lambda v: v)() * x

    with pytest.raises(TypeError, match="requires at least"):
        ag.grad(f)(1.0)


# -- patterns --------------------------------------------------------------------------------------


class Registered(abc.ABC):  # noqa: B024
    @classmethod
    def __subclasshook__(cls, kind):
        return hasattr(kind, "ravel") and not hasattr(kind, "detach")


@typing.runtime_checkable
class Protocol(typing.Protocol):
    def ravel(self): ...


def of_numbers(x):
    match x[0]:
        case numbers.Real():
            return (x**2).sum()
    return 0.0


def of_abstract(x):
    match x:
        case collections.abc.Sequence() | numbers.Number():
            return 0.0
        case Registered():
            return (x**2).sum()
    return 0.0


def of_protocol(x):
    match x:
        case Protocol():
            return (x**2).sum()
    return 0.0


def of_classes(x):
    match {"a": [x, float(x[0])]}:
        case {"a": [np.ndarray() as v, float()]}:
            return (v**2).sum()
    return 0.0


@pytest.mark.parametrize("f", [of_numbers, of_abstract, of_protocol, of_classes])
def test_patterns_match_as_in_plain_code(f):
    value, gradient = ag.value_and_grad(f)(X)
    assert value == f(X) == (X**2).sum()
    np.testing.assert_allclose(gradient, 2 * X)
