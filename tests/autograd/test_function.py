"""User-defined functions: Function and primitive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._errors import ArgumentError
from arraygrad.autograd import Function, once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


class ExpTimes(Function):
    """Saves a result, takes a number, has two results."""

    @staticmethod
    def forward(ctx: Any, x: Any, factor: float, y: Any) -> Any:
        e = ag.exp(x)
        ctx.save_for_backward(e, y)
        ctx.factor = factor
        return e, e * y * factor

    @staticmethod
    def backward(ctx: Any, ge: Any, gp: Any) -> Any:
        e, y = ctx.saved_tensors
        return ge * e + gp * e * y * ctx.factor, None, gp * e * ctx.factor

    @staticmethod
    def jvp(ctx: Any, tx: Any, _: Any, ty: Any) -> Any:
        e, y = ctx.saved_tensors
        return tx * e, (tx * e * y + e * ty) * ctx.factor


X = np.array([0.3, -0.7, 1.1])
Y = np.array([1.3, 0.2, -0.4])


def test_function_to_second_order_in_all_modes() -> None:
    ag.gradcheck(Cube.apply, X)
    ag.gradgradcheck(Cube.apply, X)
    f = lambda x, y: ExpTimes.apply(x, 2.0, y)  # noqa: E731
    ag.gradcheck(f, (X, Y))
    ag.gradgradcheck(f, (X, Y))
    assert ag.grad(ag.grad(ag.grad(Cube.apply)))(2.0) == 6.0


def test_function_names_its_node_and_runs_on_plain_input() -> None:
    x = ag.tensor(X, requires_grad=True)
    assert Cube.apply(x).grad_fn.name == "CubeBackward"
    assert not Cube.apply(ag.asarray(X)).requires_grad
    with ag.no_grad():
        assert not Cube.apply(x).requires_grad


def test_needs_input_grad_and_materialized_grads() -> None:
    seen: list[Any] = []

    class Probe(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, n: int) -> Any:
            seen.append(ctx.needs_input_grad)
            return x * 1.0, y * 1.0

        @staticmethod
        def backward(ctx: Any, gx: Any, gy: Any) -> Any:
            seen.append(gy.numpy().tolist())
            return gx, None, None

    x = ag.tensor(X, requires_grad=True)
    a, _ = Probe.apply(x, ag.asarray(Y), 3)
    a.sum().backward()
    assert seen == [(True, False, False), [0.0, 0.0, 0.0]]


def test_without_materialized_grads_backward_gets_none() -> None:
    class Lazy(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 1.0, x * 2.0

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            assert a is None
            return 2.0 * b

    x = ag.tensor(X, requires_grad=True)
    Lazy.apply(x)[1].sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2.0 * np.ones(3))


def test_mark_non_differentiable() -> None:
    class Sorted(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            order = ag.argsort(x)
            rank = ag.astype(order, ag.float64)
            ctx.mark_non_differentiable(rank)
            ctx.save_for_backward(order)
            return x[order], rank, order

        @staticmethod
        def backward(ctx: Any, g: Any, _: Any, __: Any) -> Any:
            (order,) = ctx.saved_tensors
            out = ag.zeros(3)
            out[order] = g
            return out

    x = ag.tensor(X, requires_grad=True)
    y, rank, order = Sorted.apply(x)
    assert (y.requires_grad, rank.requires_grad, order.requires_grad) == (True, False, False)
    (y * ag.asarray([1.0, 10.0, 100.0])).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [10.0, 1.0, 100.0])


class DoubleInPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x *= 2.0
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2.0 * g


def test_mark_dirty_updates_the_argument_and_its_views() -> None:
    x = ag.tensor(X, requires_grad=True)
    y = x * x
    view = y[1:]
    saved = (y * y).sum()
    out = DoubleInPlace.apply(y)
    assert out is y
    (saved + view.sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * X**3 + [0.0, *(4 * X[1:])])


def test_writes_that_mark_dirty_was_not_told_of_are_refused() -> None:
    class Doubled(ag.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, buffer: Any) -> Any:
            buffer[...] = 1.0  # nothing flows through it
            x *= 2
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g, None

    x = ag.tensor(X, requires_grad=True)
    with pytest.raises(ag.errors.GradientError, match="mark_dirty"):
        Doubled.apply(x * 1, ag.zeros(3))
    assert Doubled.apply(x.detach(), ag.zeros(3)) is not None


def test_mark_dirty_refuses_a_leaf_before_it_is_written() -> None:
    x = ag.tensor(X, requires_grad=True)
    with pytest.raises(ag.errors.GradientError, match="leaf"):
        DoubleInPlace.apply(x)
    np.testing.assert_allclose(x.detach().numpy(), X)


def test_returned_argument_gets_a_history_of_its_own() -> None:
    class Same(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 10.0 * g

    x = ag.tensor(X, requires_grad=True)
    (Same.apply(x) + x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 11.0 * np.ones(3))


def test_setup_context() -> None:
    class Square(Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, args: Any, result: Any) -> None:
            ctx.save_for_backward(args[0])

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    ag.gradcheck(Square.apply, X)


def test_once_differentiable_refuses_the_second_derivative() -> None:
    class Plain(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.x = x.detach().numpy().copy()
            return ag.asarray(np.sin(ctx.x))

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return ag.asarray(np.cos(ctx.x) * g.numpy())

    x = ag.tensor(X, requires_grad=True)
    (g,) = ag.autograd.grad(Plain.apply(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), np.cos(X))
    with pytest.raises(ag.errors.GradientError, match="once_differentiable"):
        g.sum().backward()


def test_saved_values_survive_writes_and_are_freed() -> None:
    x = ag.tensor(X, requires_grad=True)
    y = x * 1.0
    z = Cube.apply(y).sum()
    y *= 0.0
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * X**2)
    with pytest.raises(ag.errors.GradientError, match="retain_graph"):
        z.backward()


@pytest.mark.parametrize(
    ("backward", "words"),
    [
        (lambda ctx, g: (), "returned 0 gradients"),
        (lambda ctx, g: g.sum(), "shape"),
        (lambda ctx, g: (g, g), "returned 2 gradients"),
    ],
)
def test_wrong_backward_is_named(backward: Any, words: str) -> None:
    forward = staticmethod(lambda ctx, x: x * 2.0)
    Wrong = type("Wrong", (Function,), {"forward": forward, "backward": staticmethod(backward)})
    with pytest.raises(ValueError, match=f"Wrong.backward {words}|Wrong.backward .*{words}"):
        Wrong.apply(ag.tensor(X, requires_grad=True)).sum().backward()


class Doubling(Function):
    """Writes to its cotangent."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        g *= 2
        return g


def _doubling_vjp(g: Any, out: Any, x: Any) -> Any:
    g *= 2
    return g


doubling = ag.primitive(lambda x: x * 2, vjp=_doubling_vjp)


@pytest.mark.parametrize("function", [Doubling.apply, doubling])
@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_that_writes_to_its_cotangent_changes_no_other(
    function: Any, create_graph: bool
) -> None:
    """The sum's other argument and the user's own cotangent got the doubled values too."""
    x, y = (ag.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    given = ag.asarray([1.0, 5.0])
    gx, gy = ag.autograd.grad(function(x) + y, [x, y], given, create_graph=create_graph)
    assert gx.tolist() == [2.0, 10.0]
    assert gy.tolist() == [1.0, 5.0]
    assert given.tolist() == [1.0, 5.0]


# -- primitive -------------------------------------------------------------------------------------


def seen_types(log: list[type]) -> Any:
    def f(x: Any, y: Any, scale: float = 1.0) -> Any:
        log.append(type(x))
        return np.sin(x) * y * scale

    return f


def test_primitive_gets_plain_arrays() -> None:
    log: list[type] = []
    f = ag.primitive(
        seen_types(log),
        vjp=lambda g, out, x, y, scale=1.0: (g * np.cos(x) * y * scale, g * np.sin(x) * scale),
    )
    gx, gy = ag.grad(lambda x, y: f(x, y, scale=2.0).sum(), (0, 1))(X, Y)
    np.testing.assert_allclose(gx, 2 * np.cos(X) * Y)
    np.testing.assert_allclose(gy, 2 * np.sin(X))
    assert log == [np.ndarray]
    assert type(f(X, Y)) is np.ndarray


def test_primitive_of_any_order_and_mode() -> None:
    f = ag.primitive(
        lambda x, y: np.sin(x) * y,
        vjp=lambda g, out, x, y: (g * np.cos(x) * y, g * np.sin(x)),
    )
    ag.gradcheck(f, (X, Y))
    ag.gradgradcheck(f, (X, Y))


def test_primitive_with_jvp_only() -> None:
    @ag.primitive(jvp=lambda t, out, x: t[0] * np.cos(x))
    def f(x: Any) -> Any:
        return np.sin(x)

    assert f.__name__ == "f"
    np.testing.assert_allclose(ag.jvp(f, (X,), (Y,))[1], np.cos(X) * Y)
    with pytest.raises(ValueError, match="only a jvp"):
        ag.grad(lambda x: f(x).sum())(X)


def test_primitive_with_several_results() -> None:
    f = ag.primitive(
        lambda x: (np.sin(x), np.cos(x)),
        vjp=lambda g, out, x: g[0] * out[1] - g[1] * out[0],
    )
    ag.gradcheck(f, X)
    ag.gradgradcheck(f, X)


def _halve_in_place(x: Any) -> Any:
    x *= 0.5
    return x.sum()


def test_primitive_that_writes_to_its_argument_is_refused() -> None:
    """It changed the tensor behind it, and what the derivative was computed from."""
    x = ag.tensor(X, requires_grad=True)
    f = ag.primitive(_halve_in_place, vjp=lambda g, out, x: g * 2 * x)
    with pytest.raises(ArgumentError, match=r"_halve_in_place writes to an argument.*x\.copy"):
        f(x)
    np.testing.assert_array_equal(x.detach(), X)
    f = ag.primitive(lambda x: _halve_in_place(x.copy()), vjp=lambda g, out, x: g * 0.5 + 0 * x)
    f(x).backward()
    np.testing.assert_array_equal(x.grad, np.full(X.shape, 0.5))


def test_array_beside_a_tensor_is_not_written_and_may_be_by_its_owner() -> None:
    x, by = ag.tensor(X, requires_grad=True), np.arange(1.0, 4.0)
    f = ag.primitive(lambda x, by: x * by, vjp=lambda g, out, x, by: (g * by, None))
    y = f(x, by)
    by[...] = 0
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0, 2.0, 3.0])
    scale = ag.primitive(
        lambda x, by: np.multiply(x, by, out=by), vjp=lambda g, out, x, by: (g * by, None)
    )
    with pytest.raises(ArgumentError, match="read-only"):
        scale(x, by)


def test_derivative_of_a_primitive_that_writes_is_refused() -> None:
    def vjp(g: Any, out: Any, x: Any) -> Any:
        out *= g
        return out

    x = ag.tensor(X, requires_grad=True)
    y = ag.primitive(np.exp, vjp=vjp)(x)
    with pytest.raises(ArgumentError, match="writes to an argument"):
        y.sum().backward()
    own = ag.primitive(np.exp, vjp=lambda g, out, x: np.multiply(g, out, out=g))
    own(x).sum().backward()  # the cotangent is the function's own
    np.testing.assert_array_equal(x.grad, np.exp(X))


def test_primitive_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="vjp="):
        ag.primitive(np.sin)
    f = ag.primitive(lambda x, by=1.0: x * by, vjp=lambda g, out, x, by=1.0: g * by)
    with pytest.raises(ValueError, match="by position"):
        f(ag.asarray(X), by=ag.tensor(2.0, requires_grad=True))
