"""Gradients that code would lose without a word: by type questions, memos, text, caught errors."""

from __future__ import annotations

import ast
import contextlib
import csv
import ctypes
import decimal
import io
import json
import logging
import random
import string
import struct
import warnings

import numpy as np
import pytest

import arraygrad as ag
from tests.lift.corpus import duck_types, memos, memos_in_names, memos_in_part, memos_of_models

from .test_corpus import differences

X = np.array([0.7, 1.3, 0.4])
MEMOS = [*memos.CASES, *memos_of_models.CASES]
NAMES = {"ids": lambda f: f.__name__}


@pytest.mark.parametrize("f", duck_types.CASES, **NAMES)
def test_kinds_of_arrays_are_told_apart_as_in_plain_code(f):
    value, gradient = ag.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, X), rtol=2e-5, atol=1e-6)
    assert value != 0


@pytest.mark.parametrize("f", duck_types.OF_NUMBERS, **NAMES)
def test_numbers_are_known_for_pythons(f):
    value, gradient = ag.value_and_grad(f)(1.5)
    assert value == f(1.5) != 0
    assert gradient == value / 1.5


def test_our_own_interface_is_there_in_lifted_code():
    def f(x):
        assert x.requires_grad
        return (x * x.detach().numpy()).sum()

    np.testing.assert_array_equal(ag.grad(f)(X), X)


# -- caches of the user's own ----------------------------------------------------------------------


@pytest.mark.parametrize("f", MEMOS, **NAMES)
def test_memos_of_plain_calls_and_of_earlier_derivatives(f):
    expected = differences(f, X)
    for _ in range(2):
        f(X.copy())
        value, gradient = ag.value_and_grad(f)(X)
        np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=2e-5, atol=1e-6)
    assert not isinstance(f(X.copy()), ag.Tensor)
    for known in (*vars(memos.OBJECTS).values(), memos.CUBES):
        for key in known:
            assert not any(isinstance(k, ag.Tensor) for k in (key if type(key) is tuple else [key]))


PARTS = [*memos_in_part.CASES, *memos_in_names.CASES]


def at_other_places(by):
    """What `by` gives of a function that plain calls have been to at other points, too."""

    def g(f, x):
        f(x + 0.375)
        by(f, x + 0.25)
        f(x.copy())
        return by(f, x)

    return g


def by_lift(f, x):
    x = ag.tensor(x, requires_grad=True)
    ag.lift(f)(x).backward()
    return x.grad


def by_jvp(f, x):
    return [ag.jvp(f, (x,), (v,))[1] for v in np.eye(3)]


WAYS = {
    "grad": lambda f, x: ag.grad(f)(x),
    "lift": by_lift,
    "jvp": by_jvp,
    "hvp": lambda f, x: ag.vjp(ag.grad(f), x) and ag.grad(f)(x),
    "grad_at_other_places": at_other_places(lambda f, x: ag.grad(f)(x)),
    "lift_at_other_places": at_other_places(by_lift),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PARTS, **NAMES)
def test_parts_of_results_from_memos_of_plain_calls(f, way):
    at = X + 0.0625 * (1 + [*WAYS].index(way))
    expected = differences(f, at, 1e-4)
    for _ in range(3):
        value = f(at.copy())
        np.testing.assert_allclose(WAYS[way](f, at), expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(f(at.copy()), value, rtol=1e-12)


@pytest.mark.parametrize("f", memos_in_names.CASES, **NAMES)
def test_memos_of_earlier_derivatives_in_names(f):
    expected = differences(f, X)
    f(X + 1)
    for _ in range(3):
        value, gradient = ag.value_and_grad(f)(X)
        assert type(value) is np.float64
        np.testing.assert_allclose(gradient, expected, rtol=2e-5, atol=1e-6)


def test_properties_are_not_run_in_search_of_memos():
    gradient = ag.grad(memos_in_names.setting_a_property)(X)
    np.testing.assert_allclose(gradient, 2 * X)


@pytest.mark.parametrize("f", MEMOS, **NAMES)
def test_memos_of_plain_calls_under_lift(f):
    at = X + 0.25  # caches keep tensors: not where other tests go
    expected = differences(f, at)
    f(at.copy())
    x = ag.tensor(at, requires_grad=True)
    ag.lift(f)(x).backward()
    np.testing.assert_allclose(x.grad, expected, rtol=2e-5, atol=1e-6)


class Walk:
    def __init__(self, start):
        self.start = start
        self.previous = start
        self.path = []
        self.runs = 0

    def from_start(self, x):
        self.runs += 1
        return ((x - self.start) ** 2).sum() + (x * self.start).sum()

    def step(self, x):
        self.runs += 1
        length = ((x - self.previous) ** 2).sum() + x.sum()
        self.previous = x.copy()
        self.path.append((x.copy(), length))
        return length


class Gate:
    def __init__(self):
        self.calls = 0
        self.seen = []

    def closed(self, x):
        global GATES
        GATES += 1
        self.calls += 1
        self.seen.append(self.calls)
        return 0.0 if x.sum() > 0 else x.sum()


GATES = 0
TABLE = {0.5: 2.0, 1.5: 3.0}


def by_a_table(x):
    return TABLE[x] * x


def test_what_only_looks_like_a_memo_stays_as_it_is():
    walk = Walk(X.copy())
    np.testing.assert_array_equal(ag.grad(walk.from_start)(X), X)
    assert walk.runs == 1
    np.testing.assert_array_equal(ag.grad(walk.step)(X), np.ones(3))
    np.testing.assert_array_equal(ag.grad(walk.step)(X), np.ones(3))
    assert walk.runs == 3
    assert len(walk.path) == 2
    gate = Gate()
    np.testing.assert_array_equal(ag.grad(gate.closed)(X), np.zeros(3))
    np.testing.assert_array_equal(ag.grad(gate.closed)(-X), np.ones(3))
    assert gate.seen == [1, 2]
    assert GATES == gate.calls == 2
    assert ag.grad(by_a_table)(1.5) == 3.0
    assert TABLE == {0.5: 2.0, 1.5: 3.0}
    assert [type(v) for v in TABLE.values()] == [float, float]


CUBED = {}


def cubed(v):
    global GATES
    GATES += 1
    if v not in CUBED:
        CUBED[v] = v**3
    return CUBED[v]


def of_equal_elements(x):
    return sum(cubed(v) * w for v, w in zip(x, x[::-1], strict=True)) + cubed(x[0])


def of_equal_elements_in_one_call(x):
    known = {}
    for v in map(float, x):
        known.setdefault(v, v**2)
    return sum(known[float(v)] * (i + 1) for i, v in enumerate(x))


@pytest.mark.parametrize("by", [lambda f, x: ag.grad(f)(x), by_lift], ids=["grad", "lift"])
def test_equal_elements_have_entries_of_their_own(by):
    global GATES
    CUBED.clear()
    for filled in (False, False, True):
        GATES = 0
        if filled:
            of_equal_elements(np.ones(3))
        slope = by(of_equal_elements, np.ones(3))
        np.testing.assert_allclose(slope, [7.0, 4.0, 4.0], rtol=1e-11)
        assert 4 + 4 * filled == GATES
        slope = by(of_equal_elements_in_one_call, np.ones(3))
        np.testing.assert_allclose(slope, [2.0, 4.0, 6.0], rtol=1e-11)


@pytest.mark.parametrize("f", [*PARTS, *memos.CASES], **NAMES)
def test_memos_that_lift_and_derivatives_fill_in_turn(f):
    """What `lift` has left there are tensors of another graph: it was taken for a constant."""
    at = X + 0.8125
    expected = differences(f, at, 1e-4)
    ways = [lambda x: ag.grad(f)(x), lambda x: by_lift(f, x), lambda x: f(x.copy())]
    for k in (1, 0, 1, 1, 0, 2, 1, 2, 0, 0):
        found = ways[k](at)
        if k < 2:
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


class Changing:
    """A cache whose entries depend on how often it was missed."""

    def __init__(self):
        self.key, self.misses = None, 0

    def loss(self, x):
        if self.key != float(x.sum()):
            self.key = float(x.sum())
            self.misses += 1
            self.value = (x**2).sum() * self.misses
        return self.value + x[0]


def test_a_memo_that_cannot_be_computed_again_is_told():
    model = Changing()
    model.loss(X)
    with pytest.warns(
        ag.errors.GradientWarning, match="the attribute 'key' of an object as an earlier"
    ):
        ag.grad(model.loss)(X)
    assert (model.misses, model.key) == (1, X.sum())


class States:
    """What is kept from call to call and is no cache; all calls count once."""

    def __init__(self):
        self.least, self.most, self.scale = np.inf, -np.inf, 1.0
        self.mean, self.history, self.calls = np.zeros(3), [], 0
        self.generator, self.pythons = np.random.default_rng(0), random.Random(1)
        self.drawn = []

    def extremes(self, x):
        value = (x**2).sum()
        if value < self.least:
            self.least, self.scale = float(value), self.scale * 1.5
        if value > self.most:
            self.most, self.scale = float(value), self.scale * 1.25
        return value * self.scale

    def averages(self, x):
        self.calls += 1
        self.mean = 0.9 * self.mean + 0.1 * np.array([1.0, 2.0, 3.0])
        self.history.append(float(x.sum()))
        return (x * self.mean).sum()

    def draws(self, x):
        drawn = [self.generator.normal(), self.pythons.random(), random.random()]
        self.drawn.append([*drawn, np.random.rand()])  # noqa: NPY002
        return sum(drawn) * x.sum()


@pytest.mark.parametrize("name", ["extremes", "averages", "draws"])
def test_states_are_no_memos(name):
    left = []
    for by in (lambda f: f, lambda f: lambda x: ag.value_and_grad(f)(x)[0]):
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        states = States()
        f = getattr(states, name)
        values = [(by(f) if k % 2 else f)(X + k // 2 * 0.25) for k in range(6)]
        left.append((values, states.calls, states.history, states.drawn, states.scale))
    np.testing.assert_allclose(left[0][0], left[1][0], rtol=1e-12)
    assert left[0][1:] == left[1][1:]


def test_what_runs_again_says_nothing_and_takes_nothing(capsys):
    known, batches, taken = {}, iter(range(100)), []

    def says(x):
        key = float(x.sum())
        print("at", key)
        if key not in known:
            known[key] = (x**2).sum()
        return known[key]

    def takes(x):
        taken.append(next(batches))
        known["last"] = x.sum()
        return x.sum()

    says(X)
    np.testing.assert_allclose(ag.grad(says)(X), 2 * X)
    assert capsys.readouterr().out == "at 2.4\n" * 2
    for _ in range(3):
        ag.grad(takes)(X)
    assert taken == [0, 1, 2]


# -- text and bytes --------------------------------------------------------------------------------


def through_a_file(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.loadtxt(file).sum()


def through_csv(x):
    file = io.StringIO()
    csv.writer(file).writerow(x)
    file.seek(0)
    return sum(float(v) for v in next(csv.reader(file)))


def through_json_file(x):
    file = io.StringIO()
    json.dump(x.tolist(), file)
    file.seek(0)
    return json.load(file)[1]


def through_bytes(x):
    return np.frombuffer(x.tobytes())[1]


def through_memory(x):
    memory = bytearray(24)
    np.frombuffer(memory)[:] = x
    return np.frombuffer(memory).sum()


READ_BACK = [
    through_a_file, through_csv, through_json_file, through_bytes,
    lambda x: float("%.17g" % x[1]),  # noqa: UP031
    lambda x: float(f" {x[1]} ".strip()),
    lambda x: float(f"{x[0]},{x[1]}".split(",")[1]),
    lambda x: float(f"{x[1]:.12e}"),
    lambda x: np.float64(repr(float(x[1]))),
    lambda x: sum(float(s) for s in str(x).strip("[]").split()),
    lambda x: np.array([str(v) for v in x], dtype=float).sum(),
    lambda x: np.fromstring(" ".join(map(str, x)), sep=" ").sum(),
    lambda x: np.loadtxt([str(v) for v in x]).sum(),
    lambda x: eval(f"{x[1]} * 2"),
    lambda x: eval(string.Template("$a + 1").substitute(a=x[1])),
    lambda x: ast.literal_eval(f"[{x[0]}, {x[1]}]")[1],
    lambda x: json.loads(f"[{x[0]}, {x[1]}]")[1],
    lambda x: float(decimal.Decimal(f"{x[1]}")),
    lambda x: struct.unpack("d", struct.pack("d", x[1]))[0],
    lambda x: struct.unpack("3d", x.tobytes())[1],
    lambda x: float(np.array2string(x[1])),
    lambda x: float.fromhex(x[1].hex()),
]  # fmt: skip


@pytest.mark.filterwarnings(
    "ignore:.*which this call has also written:arraygrad._errors.GradientWarning"
)
@pytest.mark.parametrize("f", READ_BACK)
@pytest.mark.parametrize("x", [X, X * np.pi], ids=["short", "long"])
def test_numbers_read_back_from_what_was_written_are_refused(f, x):
    with pytest.raises(ag.errors.DetachError, match="would lose the gradient"):
        ag.grad(f)(x)


SHORT = [
    lambda x: sum(float(s) ** 2 for s in ",".join(map(str, x)).split(",")),
    lambda x: float("%.17g" % x[0]) + float("%g" % x[1]),  # noqa: UP031
    lambda x: float(f" {x[0]} "),
    lambda x: sum(float(s) for s in str(x).strip("[]").split()),
    lambda x: np.array([f"0{v}" for v in x], dtype=float).sum(),
    lambda x: np.fromstring(" ".join(map(str, x)), sep=" ").sum(),
    lambda x: np.float64(f"-{x[0]}") * np.float64(f"-{x[1]}"),
    lambda x: eval(f"{x[0]} * {x[1]}"),
    lambda x: json.loads(f"[{x[0]}, {x[1]}]")[1],
    lambda x: ast.literal_eval(f"[{x[0]}, {x[1]}]")[1],
    lambda x: float(decimal.Decimal(f"1{x[1]}"[1:])),
]


@pytest.mark.parametrize("f", SHORT)
@pytest.mark.parametrize("x", [[1.0, 0.1], [10.0, 2.0], [0.0, 1e-5]], ids=str)
def test_short_numbers_in_other_texts_are_warned_of(f, x):
    with pytest.warns(ag.errors.GradientWarning, match="which this call has also written") as told:
        ag.grad(lambda x: f(x) + x.sum())(np.array(x))
    assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings(), ag.set_detach_policy("allow"):
        warnings.simplefilter("error")
        ag.grad(lambda x: f(x) + x.sum())(np.array(x))


def test_short_numbers_of_others_are_read():
    def f(x):
        text = f"{x} {x[0]:.1f} {x[0]:.3f} " + "%.3f" % x[0]  # noqa: UP031
        rounded = float(text.split()[-2]) * float(text.split()[-1]) * float("1.000")
        return (x * float("0.5") * json.loads("[3.0, 7]")[0] * eval("2 * 1")).sum() * rounded

    np.testing.assert_allclose(ag.grad(f)(np.array([1.0, 0.1])), 3.0)


@pytest.mark.filterwarnings("ignore::arraygrad.DetachWarning")
def test_memory_that_others_see_takes_no_tensors():
    with pytest.raises(ag.errors.DetachError, match="would lose the gradient"):
        ag.grad(through_memory)(X)
    words = np.frombuffer(bytearray(X.tobytes()))
    gradient = ag.grad(lambda x: (np.frombuffer(bytearray(words.tobytes())) * x).sum())(X)
    np.testing.assert_array_equal(gradient, X)


def test_writing_is_free_and_what_others_wrote_is_read():
    def f(x):
        logging.getLogger("nobody").debug("%f %s", x[0], x)
        text = f"{x} {x[1]:.3f} %g" % x[2]
        with contextlib.redirect_stdout(io.StringIO()):
            print(text, repr(x), x.tolist())
        data = np.loadtxt(["1.5 2.25 3.125"]) * float("1.0") * eval("0.5 * 2") * len(text[:1])
        rounded = float(f"{x[0]:.2f}") + float("0.25") + json.loads("[1.75]")[0]
        return (data * x).sum() * rounded

    np.testing.assert_allclose(ag.grad(f)(X), np.array([1.5, 2.25, 3.125]) * 2.7)


def test_numbers_written_by_an_earlier_derivative_are_constants():
    texts = []

    def writes(x):
        texts.append(f"{x:.17g}")
        return x * 2

    assert ag.grad(writes)(np.pi) == 2.0
    assert ag.grad(lambda x: x * float(texts[0]))(2.0) == np.pi


# -- errors that code catches ----------------------------------------------------------------------


def caught(x):
    try:
        y = ctypes.c_double(x[0]).value
    except Exception:  # noqa: BLE001
        y = 1.0
    return x[1] * y


def test_a_refusal_that_code_catches_is_told():
    with pytest.warns(ag.DetachWarning, match=r"code caught what was refused at .*float\(\)"):
        ag.grad(caught)(X)
    with ag.set_detach_policy("allow"):
        np.testing.assert_array_equal(ag.grad(caught)(X), [0.0, 0.7, 0.0])
