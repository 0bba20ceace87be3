"""What functions keep between calls, when later calls are not brought up to date any more."""

from __future__ import annotations

import enum
import functools
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _compiled
from arraygrad.lifting import running

FEATURES = np.linspace(0.0, 1.0, 15).reshape(5, 3)
HISTORY: list[Any] = []
COUNT = 0


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that were brought up to date."""
    found: list[Any] = []
    run = running.Running.run

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(self)
        return run(self, *args, **kwargs)

    monkeypatch.setattr(running.Running, "run", noted)
    return found


def few(slow: list[Any], at_most: int) -> bool:
    """Whether few calls were; without the compiled calls, any number."""
    return _compiled.ROADS is None or len(slow) <= at_most


def points(n: int) -> list[np.ndarray]:
    return [np.array([1.0, 2.0, 3.0]) + 0.1 * i for i in range(n)]


def tensor(x: Any) -> Any:
    return ag.tensor(x, requires_grad=True)


# -- values with a gradient that are left behind --------------------------------------------------


def logs(w: Any) -> Any:
    loss = ((FEATURES @ w) ** 2).mean()
    HISTORY.append(float(loss))
    return loss


class Net:
    def __init__(self) -> None:
        self.history: list[Any] = []
        self.steps = 0

    def loss(self, w: Any) -> Any:
        self.steps += 1
        self.hidden = np.tanh(FEATURES @ w)
        self.last = (self.hidden**2).mean()
        if self.steps % 3 == 0:
            self.history.append(self.last)
        return self.last


def test_histories_of_losses_cost_no_more_with_every_step(slow):
    HISTORY.clear()
    step = ag.value_and_grad(logs)
    for w in points(100):
        value, gradient = step(w)
        assert value == HISTORY[-1] == pytest.approx(((FEATURES @ w) ** 2).mean())
        assert gradient == pytest.approx(2 * FEATURES.T @ (FEATURES @ w) / 5)
    assert len(HISTORY) == 100
    assert {type(entry) for entry in HISTORY} <= {float, np.float64}
    assert few(slow, 8)  # the first two, and calls 3, 9, 27, 81


def test_histories_of_tensors_hold_tensors(slow):
    HISTORY.clear()
    lifted = ag.lift(logs)
    for w in points(60):
        x = tensor(w)
        lifted(x).backward()
        assert x.grad == pytest.approx(2 * FEATURES.T @ (FEATURES @ w) / 5)
    assert len(HISTORY) == 60
    assert few(slow, 8)


def test_histories_beside_arrays_that_are_filled(slow):
    history: list[Any] = []

    def fills(w: Any) -> Any:
        out = np.zeros(5)
        for i in range(5):
            out[i] = FEATURES[i] @ w
        loss = (out**2).mean()
        history.append(float(loss))
        return loss

    step = ag.value_and_grad(fills)
    for w in points(60):
        value, gradient = step(w)
        assert value == history[-1]
        assert gradient == pytest.approx(2 * FEATURES.T @ (FEATURES @ w) / 5)
    assert len(history) == 60
    assert few(slow, 8)


def test_objects_that_keep_what_they_have_computed(slow):
    net, twin = Net(), Net()
    step = ag.value_and_grad(net.loss)
    for w in points(60):
        value, gradient = step(w)
        assert value == pytest.approx(twin.loss(w))
        slope = 1 - np.tanh(FEATURES @ w) ** 2
        assert gradient == pytest.approx(2 * FEATURES.T @ (twin.hidden * slope) / 5)
        assert type(net.hidden) is np.ndarray
        assert net.hidden == pytest.approx(twin.hidden)
        assert (net.steps, len(net.history)) == (twin.steps, len(twin.history))
    assert net.history == pytest.approx(twin.history)


def test_arrays_that_are_kept_belong_to_the_user():
    net = Net()
    step = ag.value_and_grad(net.loss)
    for w in points(20):
        value, _ = step(w)
        assert value == pytest.approx((np.tanh(FEATURES @ w) ** 2).mean())
        net.hidden[:] = 7.0  # what later calls compute does not come from here
        net.hidden = net.hidden[::2]


class Remembers:
    """A memo of one value, found by a rounded key."""

    def __init__(self) -> None:
        self.key: Any = None
        self.value: Any = None

    def __call__(self, x: Any) -> Any:
        key = round(float(x[0]), 6)
        if self.key != key:
            self.key = key
            self.value = np.sin(x) * 2
        return self.value.sum() * x[1]


def in_a_dict() -> Any:
    memo: dict[Any, Any] = {}

    def f(x: Any) -> Any:
        key = round(float(x[0]), 6)
        if key not in memo:
            memo.update({key: np.sin(x) * 2})
        return memo[key].sum() * x[1]

    return f


def by_items() -> Any:
    memo: dict[Any, Any] = {}

    def f(x: Any) -> Any:
        key = round(float(x[0]), 6), "sine"
        if key not in memo:
            memo[key] = np.sin(x) * 2
        return memo[key].sum() * x[1]

    return f


def slope_of(x: np.ndarray) -> np.ndarray:
    slope = 2 * np.cos(x) * x[1]
    slope[1] += 2 * np.sin(x).sum()
    return slope


@pytest.mark.parametrize("make", [Remembers, in_a_dict, by_items])
@pytest.mark.parametrize("misses", [1, 2, 5, 30])
def test_memos_that_are_first_found_in_a_late_call(make, misses):
    f = make()
    gradient = ag.grad(f)
    for x in points(misses):
        assert gradient(x) == pytest.approx(slope_of(x))
    for nearby in (x + 1e-13, x, x):
        assert gradient(nearby) == pytest.approx(slope_of(x))
    for x in points(3):
        assert gradient(x) == pytest.approx(slope_of(x))


@pytest.mark.parametrize("make", [Remembers, in_a_dict, by_items])
@pytest.mark.parametrize("misses", [2, 5, 30])
def test_memos_of_tensors_that_are_first_found_in_a_late_call(make, misses):
    lifted = ag.lift(make())
    for at in [*points(misses), points(misses)[-1]]:
        x = tensor(at)
        lifted(x).backward()
        assert x.grad == pytest.approx(slope_of(at))


def test_a_call_that_is_looked_at_after_all_leaves_its_traces_once():
    seen: list[Any] = []

    class Sometimes:
        def __init__(self) -> None:
            self.calls = 0
            self.kept: list[Any] = []

        def __call__(self, x: Any) -> Any:
            self.calls += 1
            seen.append("call")
            if x[0] < 3:  # fewer values are left from here on, though there is no memo
                self.kept.append(x.sum())
            return (x**2).sum() * self.calls

    f = Sometimes()
    step = ag.grad(f)
    for i, x in enumerate(points(40), 1):
        assert step(x) == pytest.approx(2 * x * i)
        assert f.calls == len(seen) == i
    assert f.kept == pytest.approx([x.sum() for x in points(40) if x[0] < 3])


# -- what is reached besides ----------------------------------------------------------------------


def counts_in_a_global(x: Any) -> Any:
    global COUNT
    COUNT += 1
    return (x * COUNT).sum()


def test_globals_that_code_counts_in(slow):
    global COUNT
    COUNT = 0
    lifted = ag.lift(counts_in_a_global)
    for i in range(1, 31):
        assert float(lifted(tensor(np.ones(3))).detach()) == 3 * i == 3 * COUNT
        if i == 20:  # the user binds it
            COUNT = 50
            assert float(lifted(tensor(np.ones(3))).detach()) == 3 * 51
            COUNT = 20
    assert few(slow, 8)
    COUNT = 0
    assert counts_in_a_global(np.ones(3)) == 3.0


def test_globals_that_code_binds_to_something_else_now_and_then():
    namespace: dict[str, Any] = {"np": np, "last": 0}
    source = """
def f(x):
    global last
    last = last + 1 if x[0] < 2 else (x * 2 if x[0] < 2.5 else 0)
    return (x * (1 if isinstance(last, int) else last)).sum()
"""
    exec(source, namespace)
    namespace["__name__"] = __name__
    twin: dict[str, Any] = {"np": np, "last": 0}
    exec(source, twin)
    gradient = ag.value_and_grad(namespace["f"])
    for x in [*points(20), *points(20)]:
        assert gradient(x)[0] == pytest.approx(twin["f"](x))
        assert np.all(namespace["last"] == twin["last"])
        assert type(namespace["last"]) is type(twin["last"])


def test_function_attributes(slow):
    def f(x: Any) -> Any:
        f.calls += 1  # type: ignore[attr-defined]
        return (x * f.weights * f.calls).sum()  # type: ignore[attr-defined]

    f.calls, f.weights = 0, np.ones(3)  # type: ignore[attr-defined]
    lifted = ag.lift(f)
    for i in range(1, 31):
        if i == 15:
            f.weights = np.full(3, 2.0)  # type: ignore[attr-defined]
        if i == 20:
            f.weights[:] = 1.0  # type: ignore[attr-defined]
        x = tensor(np.ones(3))
        lifted(x).backward()
        assert x.grad.tolist() == [i * (2.0 if 15 <= i < 20 else 1.0)] * 3
        assert f.calls == i  # type: ignore[attr-defined]
        assert type(f.weights) is np.ndarray  # type: ignore[attr-defined]
    assert few(slow, 8)


class Rates:
    table = {"slope": 2.0, "weights": np.ones(3)}  # noqa: RUF012
    weights = np.ones(3)
    calls = 0

    @classmethod
    def loss(cls, x: Any) -> Any:
        cls.calls += 1
        return (x * cls.weights * cls.table["weights"] * cls.table["slope"]).sum()


def test_class_attributes():
    lifted = ag.lift(lambda x: Rates.loss(x))
    Rates.calls = 0
    for i in range(1, 31):
        if i == 10:
            Rates.table["slope"] = 3.0
        if i == 15:
            Rates.weights = np.full(3, 2.0)
        if i == 20:
            Rates.table["weights"][:] = 5.0
        if i == 25:
            Rates.calls = 100
        x = tensor(np.ones(3))
        lifted(x).backward()
        slope = (3 if i >= 10 else 2) * (2 if i >= 15 else 1) * (5 if i >= 20 else 1)
        assert x.grad.tolist() == [slope] * 3
        assert Rates.calls == (i if i < 25 else 101 + i - 25)
        assert type(Rates.weights) is np.ndarray
    Rates.weights, Rates.table = np.ones(3), {"slope": 2.0, "weights": np.ones(3)}


def test_methods_that_are_replaced_are_called_anew():
    class Model:
        scale = 2.0

        def loss(self, x: Any) -> Any:
            return (x * self.scale).sum()

    lifted = ag.lift(Model().loss)
    of_class = ag.lift(lambda x: Model().loss(x))
    for i in range(30):
        if i == 10:
            Model.scale = 3.0
        if i == 20:
            Model.loss = lambda self, x: (x * self.scale * 10).sum()  # type: ignore[assignment,method-assign]
        for f in (lifted, of_class):
            x = tensor(np.ones(3))
            f(x).backward()
            expected = 2.0 if i < 10 else 3.0 if i < 20 or f is lifted else 30.0
            assert x.grad.tolist() == [expected] * 3


class Mode(enum.Enum):
    PLAIN = 1
    SQUARED = 2

    def of(self, x: Any) -> Any:
        return x**2 if self is Mode.SQUARED else x


def test_default_arguments(slow):
    weights, options = np.ones(3), [2.0]

    def f(x: Any, w: Any = weights, o: Any = options, m: Any = Mode.SQUARED, *, k: Any = 3) -> Any:
        return (m.of(x) * w * o[0] * k).sum()

    lifted = ag.lift(f)
    for i in range(30):
        if i == 10:
            options[0] = 4.0
        if i == 15:
            weights[:] = 2.0
        if i == 20:
            f.__defaults__ = (np.full(3, 10.0), options, Mode.SQUARED)
        x = tensor(np.ones(3))
        lifted(x).backward()
        slope = (4 if i >= 10 else 2) * (10 if i >= 20 else 2 if i >= 15 else 1)
        assert x.grad.tolist() == [2.0 * 3 * slope] * 3
    assert type(f.__defaults__[0]) is np.ndarray


Point = namedtuple("Point", "x scale")
SPACE = SimpleNamespace(scale=2.0, weights=np.ones(3), inner=SimpleNamespace(shift=1.0))
PARTIAL = functools.partial(np.multiply, 2.0)
RANDOM = np.random.default_rng(3)


@functools.lru_cache
def grid(n: int) -> np.ndarray:
    return np.linspace(0.0, 1.0, n)


def test_namespaces_partials_memos_and_named_tuples(slow):
    def f(x: Any) -> Any:
        p = Point(x, SPACE.scale)
        return (PARTIAL(p.x) * p.scale * SPACE.weights * grid(3) + SPACE.inner.shift).sum()

    lifted = ag.lift(f)
    for i in range(30):
        if i == 10:
            SPACE.weights[:] = 3.0
        if i == 20:
            SPACE.inner = SimpleNamespace(shift=5.0)
            SPACE.weights = np.ones(3)
        x = tensor(np.ones(3))
        y = lifted(x)
        y.backward()
        assert x.grad == pytest.approx(2 * 2.0 * (3.0 if 10 <= i < 20 else 1.0) * grid(3))
        assert float(y.detach()) == pytest.approx(f(np.ones(3)))
    assert type(SPACE.weights) is np.ndarray
    assert few(slow, 8)


def test_generators_go_on_where_they_were(slow):
    def f(x: Any) -> Any:
        return (x * RANDOM.normal(size=3)).sum()

    lifted, other = ag.lift(f), np.random.default_rng(8)
    RANDOM.bit_generator.state = other.bit_generator.state
    for _ in range(20):
        x = tensor(np.ones(3))
        lifted(x).backward()
        assert x.grad == pytest.approx(other.normal(size=3))
    assert few(slow, 8)


def test_keywords_and_caught_errors_of_arithmetic(slow):
    def f(x: Any, scale: Any = 1.0, shift: Any = 0.0) -> Any:
        try:
            return (x * (1 / scale) + shift).sum()
        except ZeroDivisionError:
            return x.sum() * 100

    lifted = ag.lift(f)
    for i in range(20):
        x, shift = tensor(np.ones(3)), tensor(np.array(float(i)))
        lifted(x, scale=2.0, shift=shift).backward()
        assert x.grad.tolist() == [0.5] * 3
        assert float(shift.grad) == 3.0
        x = tensor(np.ones(3))
        lifted(x, scale=0).backward()
        assert x.grad.tolist() == [100.0] * 3
    assert few(slow, 8)


def test_results_in_tuples_and_dicts():
    weights = np.ones(3)

    def f(x: Any) -> Any:
        return x.sum(), {"squares": x**2, "n": 3}, [x * 2, weights], weights

    lifted = ag.lift(f)
    for _ in range(10):
        x = tensor(np.ones(3))
        total, named, listed, same = lifted(x)
        assert same is weights
        assert listed[1] is weights
        (total + named["squares"].sum() + listed[0].sum()).backward()
        assert x.grad.tolist() == [5.0] * 3


# -- calls that are looked at after all ------------------------------------------------------------

SEEN: set[int] = set()


class Busy:
    """Changes much that is in no list, dict or object, and leaves more now and then."""

    calls = 0

    def __init__(self) -> None:
        self.history: list[Any] = []
        self.kept: list[Any] = []
        self.buffer = np.zeros(3)
        self.random = np.random.default_rng(5)

    def __call__(self, x: Any, keeps: bool = False) -> Any:
        Busy.calls = Busy.calls + 1
        SEEN.add(len(SEEN))
        self.noise = float(self.random.laplace())
        np.add(self.buffer, 1.0, self.buffer)
        hidden = np.tanh(x)
        if keeps:
            self.kept = [hidden, hidden * 2]
        loss = (hidden**2 * self.buffer).sum() * Busy.calls
        self.history.append(float(loss))
        return loss


def test_what_cannot_be_copied_is_changed_once():
    Busy.calls = 0
    SEEN.clear()
    busy, same = Busy(), np.random.default_rng(5)
    step = ag.value_and_grad(busy)
    for i, x in enumerate(points(60), 1):
        value, gradient = step(x, keeps=i % 20 == 0)
        noise = same.laplace()
        assert value == pytest.approx((np.tanh(x) ** 2).sum() * i * i)
        assert gradient == pytest.approx(2 * np.tanh(x) * (1 - np.tanh(x) ** 2) * i * i)
        assert (Busy.calls, len(SEEN), len(busy.history)) == (i, i, i)
        assert (busy.buffer.tolist(), busy.noise) == ([float(i)] * 3, noise)
    assert busy.kept[1] == pytest.approx(np.tanh(points(60)[-1]) * 2)


class Growing:
    """A memo that is a history too: a value that is found is appended again."""

    def __init__(self) -> None:
        self.keys: list[Any] = []
        self.values: list[Any] = []

    def __call__(self, x: Any) -> Any:
        key, value = round(float(x[0]), 6), None
        for known, kept in zip(self.keys, self.values):  # noqa: B905 - what users write
            if known == key:
                value = kept
        if value is None:
            value = np.sin(x) * 2
        self.keys.append(key)
        self.values.append(value)
        return value.sum() * x[1]


def test_memos_that_append_what_they_have_found():
    step = ag.grad(Growing())
    for x in [*points(30), points(30)[-1] + 1e-13, points(30)[7] + 1e-13]:
        assert step(x) == pytest.approx(slope_of(x))


class Calling:
    def __init__(self) -> None:
        self.history: list[Any] = []

    def __call__(self, x: Any, depth: int = 3) -> Any:
        self.history.append(x.sum())
        return (x**2).sum() if depth == 0 else self.lifted(x * 2, depth - 1)


def test_lifted_functions_that_call_themselves_by_their_lifted_names():
    f = Calling()
    f.lifted = ag.lift(f)
    step = ag.value_and_grad(f)
    for x in points(12):
        _, gradient = step(x)
        assert gradient == pytest.approx(128 * x)
        assert {type(v) for v in f.history} == {np.float64}
    assert len(f.history) == 48


def test_what_is_counted_is_kept_when_calls_are_interrupted():
    namespace: dict[str, Any] = {"n": 0}
    exec(
        "def f(x, stops):\n global n\n n = n + 1\n if stops: raise KeyboardInterrupt\n"
        " return (x**2).sum()",
        namespace,
    )
    namespace["__name__"] = __name__

    def g(x: Any, stops: bool) -> Any:
        Busy.calls = Busy.calls + 1
        g.calls += 1  # type: ignore[attr-defined]
        if stops:
            raise KeyboardInterrupt
        return (x**2).sum()

    Busy.calls, g.calls = 0, 0  # type: ignore[attr-defined]
    lifted, other = ag.lift(namespace["f"]), ag.lift(g)
    for i in range(1, 13):
        for f in (lifted, other):
            try:
                f(tensor(np.ones(3)), i in (6, 9))
            except KeyboardInterrupt:
                assert i in (6, 9)
        assert namespace["n"] == Busy.calls == g.calls == i  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [list, dict])
def test_results_that_the_function_keeps_have_their_derivatives(kind):
    class Keeps:
        def __call__(self, x: Any) -> Any:
            parts = [x * 2, [x**2]]
            self.out = parts if kind is list else dict(zip("ab", parts, strict=True))
            return self.out

    f = Keeps()
    x = np.array([1.0, 2.0])
    for _ in range(5):
        slopes = ag.jacobian(f)(x)
        first, (second,) = slopes if kind is list else slopes.values()
        assert np.array_equal(first, np.diag([2.0, 2.0]))
        assert np.array_equal(second, np.diag(2 * x))
        kept = f.out if kind is list else [*f.out.values()]
        assert type(kept[0]) is type(kept[1][0]) is np.ndarray
