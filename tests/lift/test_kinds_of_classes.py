"""A table of class styles, type questions and library calls: each right, or refused in words."""

from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.lifting import twin_classes
from tests.lift.corpus import (
    class_idioms,
    class_kinds,
    class_layouts,
    class_objects,
    class_protocols,
    standard_library,
    type_questions,
)

from .test_corpus import differences

MODULES = (
    class_layouts, class_kinds, class_protocols, class_objects, class_idioms, type_questions,
    standard_library,
)  # fmt: skip
CASES = [f for m in MODULES for f in m.CASES]
X = np.array([0.7, 1.3, 0.4])


@pytest.fixture(autouse=True)
def _no_handlers_of_last_resort():
    logging.getLogger("x").setLevel(logging.CRITICAL)


def by_grad(f):
    return ag.value_and_grad(f)(X)


def by_lift(f):
    x = ag.tensor(X, requires_grad=True)
    value = ag.lift(f)(x)
    value.backward()
    return value.detach().numpy(), x.grad.numpy()


@pytest.mark.parametrize("derive", [by_grad, by_lift])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f"{f.__module__[18:]}-{f.__name__}")
def test_value_and_gradient(f, derive):
    value, gradient = derive(f)
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, X), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("f", standard_library.LOUD, ids=lambda f: f.__name__)
def test_what_would_be_lost_is_refused(f):
    with pytest.raises(ag.errors.DetachError, match="would lose the gradient") as caught:
        ag.grad(f)(X)
    assert "in lifted code at" in caught.value.__notes__[0]


def test_classes_of_the_user_stay_as_they_are():
    """Entries of a class were rebound to the twin's: _abc_impl, and members' own class."""
    classes = [
        v for m in MODULES for v in vars(m).values()
        if isinstance(v, type) and v.__module__ == m.__name__
    ]  # fmt: skip
    assert len(classes) > 60
    kept = {"hist", "best", "count", "total", "_inst"}  # those that the code itself writes
    before = [{n: v for n, v in vars(c).items() if n not in kept} for c in classes]
    plain = [c for c in classes if not twin_classes.is_derived(c) and not issubclass(c, type)]
    known = [c.__subclasses__() for c in plain]
    for f in CASES:
        ag.grad(f)(X)
    for cls, entries in zip(classes, before, strict=True):
        after = {n: v for n, v in vars(cls).items() if n not in kept}
        assert [*after] == [*entries]
        assert all(after[n] is entries[n] for n in entries), cls
        assert pickle.loads(pickle.dumps(cls)) is cls
    assert known == [c.__subclasses__() for c in plain]
    assert all(type(k) is class_kinds.Kind for k in class_kinds.Kind)
    flags = class_kinds.FK.A | class_kinds.FK.B
    assert type(flags) is class_kinds.FK


class Distance:
    unit = 1.0

    def value(self, x):
        return self.unit * x * x


def cubed(self, x):
    return x * x * x


class Patched:
    pass


def test_methods_with_cells_and_defaults_given_between_calls_are_seen():
    """Their cells were never filled: a NameError in the user's own words."""

    def f(x):
        return Patched().value(x) if hasattr(Patched, "value") else x

    def method(power):
        factor = np.array(3.0)

        def value(self, x, offsets=np.zeros(2)):  # noqa: B008
            offsets = offsets + x
            return factor * (offsets**power).sum()

        return value

    gradient = ag.grad(f)
    assert gradient(2.0) == 1.0
    for power in (1, 2, 3):
        Patched.value = method(power)
        assert gradient(2.0) == 6.0 * power * 2.0 ** (power - 1)
        assert gradient(2.0) == 6.0 * power * 2.0 ** (power - 1)


def test_methods_and_attributes_rebound_between_calls_are_seen():
    def f(x):
        return Distance().value(x)

    gradient = ag.grad(f)
    assert gradient(3.0) == 6.0
    value = Distance.value
    try:
        Distance.unit = 2.0
        assert gradient(3.0) == 12.0
        Distance.value = cubed
        assert gradient(3.0) == 27.0
        Distance.factor = 5.0
        Distance.value = lambda self, x: self.factor * x
        assert gradient(3.0) == 5.0
        del Distance.factor
        with pytest.raises(AttributeError):
            gradient(3.0)
    finally:
        Distance.value = value
        Distance.unit = 1.0
    assert gradient(3.0) == 6.0


class Failed(Exception):
    """Keeps what was found so far."""

    def __init__(self, best):
        super().__init__(f"stopped at {best:.3f}")
        self.best = float(best)


def test_exceptions_leave_as_the_users_own():
    def f(x):
        raise Failed(x * 2)

    with pytest.raises(Failed, match="stopped at 6") as caught:
        ag.grad(f)(3.0)
    assert type(caught.value) is Failed
    assert type(caught.value.best) is not ag.Tensor
    assert pickle.loads(pickle.dumps(caught.value.best)) == 6.0


def ratio(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return x * 3.0


def test_floats_divide_as_pythons_do():
    assert ag.grad(ratio)(2.0, 0.0) == 3.0
    assert ag.grad(lambda x: ratio(x, x - 2.0))(2.0) == 3.0
    assert ag.grad(lambda x: ratio(float(x[0]), 0.0))(X).tolist() == [3.0, 0.0, 0.0]
    assert ag.grad(lambda x: ratio(5.0, x) if x else x * 7.0)(0.0) == 7.0
    with pytest.raises(ZeroDivisionError, match="float division by zero"):
        ag.grad(lambda x: 1.0 / (x - 2.0))(2.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        assert ag.grad(lambda x: np.divide(1.0, x))(0.0) == -np.inf


def test_fractional_powers_of_negative_floats_are_refused():
    with pytest.raises(ag.errors.ArgumentError, match=r"-2.0 \*\* 0.5 .* is complex; write"):
        ag.grad(lambda x: abs(x**0.5))(-2.0)
    assert ag.grad(lambda x: abs(complex(x) ** 0.5))(-2.0) == pytest.approx(-0.5 / 2**0.5)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in power"):
        assert np.isnan(ag.grad(lambda x: np.power(x, 0.5))(-2.0))


def as_array(x):
    """As code does that may be given tensors of another library."""
    if hasattr(x, "detach"):
        x = x.detach().numpy()
    return np.asarray(x)


def test_arrays_have_no_attributes_of_other_libraries():
    np.testing.assert_array_equal(ag.grad(lambda x: as_array(x).sum())(X), np.ones(3))


class Interval:
    """Answers NumPy's protocol itself."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        lows = [i.low if isinstance(i, Interval) else i for i in inputs]
        highs = [i.high if isinstance(i, Interval) else i for i in inputs]
        return Interval(ufunc(*lows, **kwargs), ufunc(*highs, **kwargs))


def test_ufuncs_leave_classes_with_a_protocol_of_their_own_to_them():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    sum_ = np.add(x, Interval(x, 2.0))
    assert isinstance(sum_, Interval)
    (sum_.low.sum() + sum_.high.sum()).backward()
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


def test_what_lifted_code_pickles_is_the_users_own():
    written = []

    def f(x):
        layer = Keeps(np.arange(3.0), np.float64(2.0), len)
        written.append(pickle.dumps([layer, Keeps, as_array, class_kinds.Kind.SIN]))
        again, cls, function, kind = pickle.loads(written[-1])
        assert type(again) is Keeps is cls
        assert function is as_array
        assert kind is class_kinds.Kind.SIN
        return (again.w * x).sum() * again.k

    np.testing.assert_array_equal(ag.grad(f)(X), [0.0, 2.0, 4.0])
    assert b"arraygrad" not in written[0].replace(b"tests.lift", b"")
    layer, cls, function, _ = pickle.loads(written[0])
    assert type(layer) is Keeps is cls
    assert type(layer.w) is np.ndarray
    assert function is as_array
    with pytest.raises(ag.errors.DetachError, match="pickling"):
        ag.lift(lambda x: pickle.loads(pickle.dumps(x)))(ag.tensor(X, requires_grad=True))


class Keeps:
    def __init__(self, w, k, f):
        self.w, self.k, self.f = w, k, f


def test_errors_that_hide_ours_say_what_was_refused():
    with pytest.raises(ValueError, match="setting an array element") as caught:
        ag.grad(lambda x: x[0] * np.array([x[1]], dtype=object).astype(float)[0])(X)
    assert "float() in astype() would lose the gradient" in caught.value.__notes__[0]
    assert "dtype=object).astype(float)" in caught.value.__notes__[0]


def of_objects(x):
    mixed = np.array([x, None], dtype=object)
    table = np.array([[x[0], x[1]], [x[2], 2.0]], dtype=object)
    return mixed[0].sum() + (table @ table).sum() + np.sum(table.T * 2) + sum(table.ravel()[:2])


RECORD = np.dtype([("a", float), ("b", float, 2)])


def writes_a_field(x):
    records = np.zeros(3, RECORD)
    records["a"] = x
    return records["a"].sum()


def makes_records(x):
    return np.array([(x[0], (x[1], x[2]))], RECORD)["a"].sum()


def reads_records(x):
    records = np.zeros(3, RECORD)
    records["a"] = [1.0, 2.0, 3.0]
    return (records["a"] * x).sum()


@pytest.mark.parametrize("f", [of_objects, reads_records])
def test_arrays_without_numbers(f):
    value, gradient = by_grad(f)
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, X), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("f", "words"), [(writes_a_field, "arrays of records"), (makes_records, "for each field")]
)
@pytest.mark.filterwarnings("ignore::arraygrad.DetachWarning")
def test_records_hold_no_tensors(f, words):
    with pytest.raises(ag.errors.DetachError, match=words):
        ag.grad(f)(X)


class Unnamed:
    """As the types that Cython makes for compiled functions, whose __module__ is a descriptor."""

    def __call__(self, x):
        return x * x


Unnamed.__module__ = property(lambda self: "somewhere")
UNNAMED = Unnamed()


def test_a_class_whose_module_is_no_name():
    def f(x):
        return np.sum(UNNAMED(x)) + np.sum(Unnamed()(x))

    np.testing.assert_allclose(ag.grad(f)(X), 4 * X)
    with pytest.raises(TypeError):
        np.add(ag.tensor(X), UNNAMED)
    with pytest.raises(TypeError):
        ag.grad(lambda x: np.sum(np.add(x, UNNAMED)))(X)
