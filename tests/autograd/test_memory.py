"""No reference cycles, nothing left behind, no recursion: with the collector off."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import arraygrad as ag


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_graph_is_gone_with_its_last_tensor() -> None:
    x = ag.tensor(np.ones(1000), requires_grad=True)
    y = ag.tanh(x) ** 2
    alive = weakref.ref(y)
    memory = weakref.ref(y._array)
    s = y.sum()
    s.backward()
    del y, s
    assert alive() is None
    assert memory() is None


def test_functional_calls_leave_nothing() -> None:
    x = ag.tensor(np.ones(1000), requires_grad=True)
    g = ag.grad(lambda t: (ag.tanh(t) ** 2).sum())(x)
    h = ag.grad(lambda t: ag.grad(lambda u: (ag.tanh(u) ** 2).sum())(t).sum())(x)
    alive = weakref.ref(x)
    del x, g, h
    assert alive() is None


def test_gradient_with_a_graph_makes_no_cycle() -> None:
    """The classic: leaf -> grad -> graph -> leaf."""
    x = ag.tensor(np.ones(1000), requires_grad=True)
    (ag.exp(x) * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    alive = weakref.ref(x)
    memory = weakref.ref(x.grad._array)
    del x
    assert alive() is None
    assert memory() is None


def step_backward(x: Any) -> None:
    (ag.exp(x) * x).sum().backward(create_graph=True)
    x.grad = None


def step_writes(x: Any) -> None:
    y = x * 2.0
    z = y[1:]
    z *= y[:-1]
    y[0] = 3.0
    (y * y).sum().backward()
    x.grad = None


def step_hooks(x: Any) -> None:
    y = x * 2.0
    y.retain_grad()
    y.register_hook(lambda g: g * 2.0)
    (y * y).sum().backward(create_graph=True)
    x.grad = None


def step_checkpoint(x: Any) -> None:
    ag.checkpoint(lambda t: (ag.exp(t) * t).sum(), x).backward(create_graph=True)
    x.grad = None


def step_hessian(x: Any) -> None:
    ag.hvp(lambda t: (ag.exp(t) * t).sum())(x.detach(), np.ones(x.shape))


def step_abandoned(x: Any) -> None:
    y = ag.exp(x)
    z = y[:5]
    z += 1.0
    w = z * y[5:10]
    del y
    ag.vjp(lambda t: t * w, np.ones(5))


class Cube(ag.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return 3 * y / x * g


def step_function(x: Any) -> None:
    Cube.apply(x).sum().backward(create_graph=True)
    x.grad = None


@pytest.mark.parametrize(
    "step",
    [
        step_backward,
        step_writes,
        step_hooks,
        step_checkpoint,
        step_hessian,
        step_abandoned,
        step_function,
    ],
)
def test_memory_returns_to_the_start_after_1000_steps(step: Callable[[Any], None]) -> None:
    x = ag.tensor(np.linspace(0.5, 1.5, 100), requires_grad=True)
    grown = []
    for _ in range(4):
        step(x)
        ag.wait_for_compiler()  # which keeps what it compiles
        blocks = sys.getallocatedblocks()
        for _ in range(1000):
            step(x)
        grown.append(sys.getallocatedblocks() - blocks)
        if grown[-1] < 20:
            return
    # Free lists and caches are full after a while; a leak goes on.
    pytest.fail(f"blocks that 1,000 steps left behind, four times: {grown}")


def test_saved_values_are_freed_as_backward_goes() -> None:
    """While the last op's derivative runs, the values of those after it are gone."""
    x = ag.tensor(np.ones(1000), requires_grad=True)
    a = x * 1.0
    b = ag.exp(a)
    memory = weakref.ref(b._array)
    c = b.sum()
    seen = []
    a.register_hook(lambda g: seen.append(memory() is None))
    del b
    c.backward()
    assert seen == [True]


def chain(length: int) -> tuple[Any, Any]:
    x = ag.tensor(np.ones(1), requires_grad=True)
    y = x
    for _ in range(length):
        y = y + 0.0
    return x, y


@pytest.mark.slow
def test_chain_of_a_million_nodes() -> None:
    """Forward, backward and freed without recursion."""
    x, y = chain(1_000_000)
    y.sum().backward(retain_graph=True)
    assert x.grad.item() == 1.0
    alive = weakref.ref(x)
    del x, y
    assert alive() is None


def test_chains_of_writes_views_and_aliases() -> None:
    """Other kinds of links than an op's arguments are long, too."""
    x = ag.tensor(np.ones(2), requires_grad=True)
    y = x * 1.0
    for _ in range(20_000):
        y[0] += 1.0
        y = y[:]
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1.0, 1.0])
    del y

    z = x * 1.0
    for _ in range(20_000):
        ag.multiply(z, 1.0).sum()
        z *= 1.0
    (g,) = ag.autograd.grad(z.sum(), x, create_graph=True)
    del z, g


def layers(n: int) -> tuple[Any, Any, Any]:
    """An activation, the weights that it meets, and the product."""
    generator = np.random.default_rng(0)
    x = ag.tensor(generator.normal(size=(n, n)), requires_grad=True)
    w = ag.tensor(generator.normal(size=(n, n)), requires_grad=True)
    return x, w, ag.tanh(x * 0.5) @ w


LARGE = 200  # 320 kB: a product keeps the argument of the activation, not its value


@pytest.mark.parametrize(
    ("activation", "slope"),
    [
        (ag.tanh, 1 / np.cosh(1) ** 2),
        (lambda x: ag.maximum(x, 0.0), 1.0),
        (lambda x: x * x, 2.0),
    ],
    ids=["tanh", "relu", "square"],
)
def test_product_does_not_keep_a_large_activation(activation: Any, slope: float) -> None:
    x = ag.tensor(np.ones((LARGE, LARGE)), requires_grad=True)
    h = activation(x)
    memory = weakref.ref(h._array)
    w = ag.tensor(np.ones((LARGE, LARGE)), requires_grad=True)
    y = h @ w
    value = h.detach().numpy().copy()
    del h
    assert memory() is None
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), LARGE * slope)
    np.testing.assert_allclose(w.grad.numpy(), np.repeat(value.sum(0)[:, None], LARGE, axis=1))


@pytest.mark.parametrize("n", [3, LARGE])
def test_gradients_through_activations_that_are_made_again(n: int) -> None:
    x, w, y = layers(n)
    weights = np.arange(n, dtype=float)
    (y * weights).sum().backward(retain_graph=True)
    h = np.tanh(x.detach().numpy() * 0.5)
    g = np.broadcast_to(weights, (n, n))
    np.testing.assert_allclose(w.grad.numpy(), h.T @ g, rtol=1e-12)
    want = g @ w.detach().numpy().T * (1 - h * h) * 0.5
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-9, atol=1e-12)
    (y * weights).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * (h.T @ g), rtol=1e-12)
    with pytest.raises(ag.errors.GradientError):
        y.sum().backward()


def test_second_order_and_writes_with_activations_that_are_made_again() -> None:
    x, w, y = layers(LARGE)
    (first,) = ag.autograd.grad(y.sum(), w, create_graph=True)
    (second,) = ag.autograd.grad((first * first).sum(), x)
    h = np.tanh(x.detach().numpy() * 0.5)
    columns = h.sum(axis=0)  # of each row of `first`
    want = 2 * LARGE * columns * (1 - h * h) * 0.5
    np.testing.assert_allclose(second.numpy(), want, rtol=1e-9, atol=1e-9)

    z = x * 1.0
    product = ag.tanh(z) @ w
    z *= 0.0  # the graph keeps what tanh was computed from
    (g,) = ag.autograd.grad(product.sum(), w)
    total = np.tanh(x.detach().numpy()).sum(axis=0)
    np.testing.assert_allclose(g.numpy(), np.repeat(total[:, None], LARGE, axis=1), rtol=1e-9)


def test_activation_written_unrecorded_is_not_made_again_from_its_argument() -> None:
    """The write gave it other values and left it its node, from which its old value was made."""
    x = ag.tensor(np.ones((LARGE, 2 * LARGE), np.float32), requires_grad=True)
    w = ag.tensor(np.ones((2 * LARGE, LARGE), np.float32), requires_grad=True)
    h = ag.maximum(x, 0.0)
    with ag.no_grad():
        h *= np.full(h.shape, 3.0)  # of float64: the result is cast before it is written
    (h @ w).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), np.full(w.shape, 3.0 * LARGE, np.float32))
