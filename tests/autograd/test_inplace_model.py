"""Random programs of views, in-place writes and reads, against the same program on NumPy arrays.

Values must equal NumPy's after each step. The gradient of a function of everything alive must
equal the complex-step derivative of the plain program, which knows nothing of graphs, saved values
or copy-on-write; a second derivative must equal differences of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import arraygrad as ag

SHAPE = (3, 4)
START = np.linspace(-0.7, 0.9, 12).reshape(SHAPE)
TINY = 1e-30

index = st.integers(0, 30)
small = st.integers(-4, 4)
steps = st.sampled_from([1, 2, -1, -2])
values = st.sampled_from([-1.5, -0.5, 0.0, 0.25, 2.0])

Step = Callable[["Side"], None]


class Side:
    """One way to run the program: on tensors or on plain (complex) arrays."""

    def __init__(self, start: Any, library: Any) -> None:
        self.library = library
        self.start = start  # a leaf: neither it nor its views may be written
        self.live: list[Any] = [start * 1.0, self.constant(np.zeros(SHAPE))]

    def constant(self, array: Any) -> Any:
        if self.library is ag:
            return ag.tensor(array)
        return np.array(array, complex)

    def pick(self, i: int) -> Any:
        return self.live[i % len(self.live)]

    def add(self, x: Any) -> None:
        self.live.append(x)


def fits(value: Any, shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(value.shape, shape) == shape
    except ValueError:
        return False


def key_of(kind: int, a: int, b: int, step: int, x: Any) -> Any:
    """An index of one of several kinds that suits x."""
    ndim = x.ndim
    if not ndim or not x.size:
        return ()
    n = x.shape[0]
    keys = [
        slice(a, None, step),
        slice(None, b, step),
        (Ellipsis, slice(a, b)),
        a % n,
        np.array([a % n, b % n, a % n]),
        [b % n, a % n],
        np.arange(x.size).reshape(x.shape) % 3 == a % 3,
        (Ellipsis, None),
        (slice(None), np.array([0, a % x.shape[1], a % x.shape[1]])) if ndim > 1 else slice(None),
        (np.array([a % n, a % n]), np.array([b % x.shape[1], a % x.shape[1]]))
        if ndim > 1
        else Ellipsis,
        (np.arange(n) % 2 == 0,),
    ]
    return keys[kind % len(keys)]


class Programs(RuleBasedStateMachine):
    """Runs each step on both sides."""

    def __init__(self) -> None:
        super().__init__()
        self.x = ag.tensor(START, requires_grad=True)
        self.tensors = Side(self.x, ag)
        self.plain = Side(START + 0j, np)
        self.program: list[Step] = []

    def do(self, step: Step) -> None:
        step(self.plain)
        step(self.tensors)
        assert len(self.tensors.live) == len(self.plain.live)
        self.program.append(step)

    # -- new values -----------------------------------------------------------------------------

    @rule(i=index, j=index, name=st.sampled_from(["add", "subtract", "multiply"]))
    def combine(self, i: int, j: int, name: str) -> None:
        def step(side: Side) -> None:
            a, b = side.pick(i), side.pick(j)
            if fits(a, b.shape) or fits(b, a.shape):
                side.add(getattr(side.library, name)(a, b))

        self.do(step)

    @rule(i=index, name=st.sampled_from(["sin", "tanh", "square", "negative"]))
    def function(self, i: int, name: str) -> None:
        self.do(lambda side: side.add(getattr(side.library, name)(side.pick(i) * 0.5)))

    @rule(i=index, keepdims=st.booleans())
    def reduce(self, i: int, keepdims: bool) -> None:
        self.do(lambda side: side.add(side.pick(i).sum(axis=-1, keepdims=keepdims))
                if side.pick(i).ndim else None)  # fmt: skip

    @rule(i=index)
    def copy(self, i: int) -> None:
        self.do(lambda side: side.add(side.pick(i).copy()))

    @rule(i=index)
    def detach(self, i: int) -> None:
        kept: list[Any] = []  # a constant: it does not follow when the start is moved

        def step(side: Side) -> None:
            x = side.pick(i)
            if side.library is ag:
                side.add(x.detach().copy())
                return
            if not kept:
                kept.append(x.real.copy())
            side.add(kept[0] + 0j)

        self.do(step)

    # -- views ----------------------------------------------------------------------------------

    @rule(i=index, kind=index, a=small, b=small, by=steps)
    def read(self, i: int, kind: int, a: int, b: int, by: int) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            side.add(x[key_of(kind, a, b, by, x)])

        self.do(step)

    @rule(i=index)
    def transpose(self, i: int) -> None:
        self.do(lambda side: side.add(side.pick(i).T))

    @rule(i=index, flat=st.booleans())
    def reshape(self, i: int, flat: bool) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            side.add(x.reshape(-1) if flat or x.size % 2 else x.reshape(2, -1))

        self.do(step)

    @rule(i=index)
    def diagonal(self, i: int) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            if x.ndim > 1:
                view = x.diagonal()
                if side.library is np and x.flags.writeable:
                    view.flags.writeable = True  # NumPy's is read-only by default, ours is not
                side.add(view)

        self.do(step)

    @rule(i=index, row=index)
    def iterate(self, i: int, row: int) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            if x.ndim and len(x):
                side.add(list(x)[row % len(x)])

        self.do(step)

    # -- writes ---------------------------------------------------------------------------------

    @rule(i=index, j=index, kind=index, a=small, b=small, by=steps)
    def write(self, i: int, j: int, kind: int, a: int, b: int, by: int) -> None:
        def step(side: Side) -> None:
            x, value = side.pick(i), side.pick(j)
            if not writable(x):
                return
            key = key_of(kind, a, b, by, x)
            if fits(value, x[key].shape):
                if side.library is np and np.may_share_memory(x, value):
                    value = value.copy()  # NumPy's masks read what they have just written
                x[key] = value

        self.do(step)

    @rule(i=index, kind=index, a=small, b=small, by=steps, value=values)
    def write_number(self, i: int, kind: int, a: int, b: int, by: int, value: float) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            if writable(x):
                x[key_of(kind, a, b, by, x)] = value

        self.do(step)

    @rule(i=index, j=index, name=st.sampled_from(["+=", "-=", "*="]))
    def update(self, i: int, j: int, name: str) -> None:
        def step(side: Side) -> None:
            x, value = side.pick(i), side.pick(j)
            if not writable(x) or not fits(value, x.shape):
                return
            if name == "+=":
                x += value
            elif name == "-=":
                x -= value
            else:
                x *= value * 0.5

        self.do(step)

    @rule(i=index, j=index, kind=index, a=small, b=small, by=steps, times=st.booleans())
    def update_part(self, i: int, j: int, kind: int, a: int, b: int, by: int, times: bool) -> None:
        def step(side: Side) -> None:
            x, value = side.pick(i), side.pick(j)
            if not writable(x):
                return
            key = key_of(kind, a, b, by, x)
            if not fits(value, x[key].shape):
                return
            if times:
                x[key] *= value
            else:
                x[key] += value

        self.do(step)

    @rule(i=index, value=values)
    def write_unrecorded(self, i: int, value: float) -> None:
        def step(side: Side) -> None:
            x = side.pick(i)
            if writable(x):
                with ag.no_grad():
                    x += value

        self.do(step)

    @precondition(lambda self: len(self.plain.live) > 3)
    @rule(i=index)
    def drop(self, i: int) -> None:
        def step(side: Side) -> None:
            del side.live[i % len(side.live)]

        self.do(step)

    # -- checks ---------------------------------------------------------------------------------

    @invariant()
    def values_are_those_of_numpy(self) -> None:
        for t, a in zip(self.tensors.live, self.plain.live, strict=True):
            # not t.numpy(), which pins the memory: it could then not be kept for the graph
            np.testing.assert_allclose(t._array, a.real, rtol=1e-9, atol=1e-9)

    def teardown(self) -> None:
        loss = weighted(self.tensors)
        (got,) = ag.autograd.grad(
            loss, self.x, retain_graph=True, create_graph=True, materialize_grads=True
        )
        want = complex_step(self.program)
        scale = 1 + np.abs(want).max()
        np.testing.assert_allclose(got.detach().numpy() / scale, want / scale, atol=1e-9)
        direction = np.cos(np.arange(12.0)).reshape(SHAPE)
        second = np.zeros(SHAPE)
        if got.requires_grad:
            (found,) = ag.autograd.grad((got * direction).sum(), self.x, materialize_grads=True)
            second = found.numpy()
        ahead, behind = (complex_step(self.program, START + h * direction) for h in (H, -H))
        difference = (ahead - behind) / (2 * H)
        scale = 1 + np.abs(difference).max() + np.abs(want).max()
        np.testing.assert_allclose(second / scale, difference / scale, atol=1e-5)


H = 1e-5


def writable(x: Any) -> bool:
    """Arrays that NumPy lets us write; scalars rebind and are not written."""
    if isinstance(x, np.generic) or not x.ndim:
        return False
    flags = getattr(x, "_array", x).flags
    return bool(flags.writeable) and x.size > 0


def weighted(side: Side) -> Any:
    """A quadratic function of all that is alive, each element with a weight of its own."""
    total = side.library.sum(side.start * 0.1)
    for n, x in enumerate(side.live):
        weights = np.sin(1.0 + n + np.arange(x.size)).reshape(x.shape)
        # Not linear: then cotangents depend on the argument, and second derivatives pass through
        # the derivatives of writes too.
        total = total + side.library.sum((x + 0.25 * x * x) * side.constant(weights))
    return total


def complex_step(program: list[Step], start: Any = START) -> Any:
    """The gradient by running the plain program once for each element of its argument."""
    gradient = np.zeros(SHAPE)
    for at in np.ndindex(*SHAPE):
        moved = start + 0j
        moved[at] += TINY * 1j
        side = Side(moved, np)
        with np.errstate(all="ignore"):
            for step in program:
                step(side)
            gradient[at] = weighted(side).imag / TINY
    return gradient


def written_in_many_ways(x: Any) -> Any:
    y = x * x
    y[[0, 0, 2]] = x[:3, ::-1] * x[0, 1]
    view = y.T[1:]
    view *= x.T[1:]
    y.reshape(-1)[::5] += x[:, 0][:2].sum()
    list(y)[1][:2] = y[0, 2:] * y[2, :2]
    y[y.detach() > 0.1] *= 2.0
    return (y * y * y).sum()


def test_writes_to_third_order() -> None:
    """Some derivatives of writes are reached by third derivatives only."""
    x = START + 0.05
    ag.gradcheck(written_in_many_ways, x)
    ag.gradgradcheck(written_in_many_ways, x, fast=True)
    ag.gradgradcheck(lambda v: ag.grad(written_in_many_ways)(v), x, fast=True, atol=1e-5)


TestPrograms = Programs.TestCase
TestPrograms.settings = settings(
    max_examples=60,
    stateful_step_count=16,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
