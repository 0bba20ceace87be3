"""Graph nodes, hooks on tensors and nodes, and hooks that keep saved values."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import arraygrad as ag


def leaf(*values: float) -> Any:
    return ag.tensor(np.array(values), requires_grad=True)


def test_grad_fn_names_and_links() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = (x * w).sum()
    assert y.grad_fn.name == "SumBackward"
    ((product, index),) = y.grad_fn.next_functions
    assert (product.name, index) == ("MulBackward", 0)
    (a, _), (b, _) = product.next_functions
    assert (a.name, b.name) == ("AccumulateGrad", "AccumulateGrad")
    assert a.variable is x
    assert product.saved == {"x1": ((2,), np.dtype(float)), "x2": ((2,), np.dtype(float))}
    assert y.grad_fn.metadata["axis"] == (0,)
    assert y.grad_fn == y.grad_fn
    assert len({y.grad_fn, y.grad_fn, product}) == 2
    assert repr(product) == "<MulBackward>"
    y.backward()
    assert product.saved == {}


def test_results_of_one_op_share_its_name() -> None:
    x = ag.tensor(np.diag([1.0, 2.0]), requires_grad=True)
    values, vectors = ag.linalg.eigh(x)
    assert values.grad_fn.name == vectors.grad_fn.name
    assert (values * 2).grad_fn.next_functions[0][1] == 0
    assert (vectors * 2).grad_fn.next_functions[0][1] == 1


def test_untracked_argument_has_no_node() -> None:
    y = leaf(1.0) * ag.asarray([2.0])
    assert y.grad_fn.next_functions[1] == (None, 0)


def test_hooks_run_in_order_and_replace() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    order: list[str] = []
    y.register_hook(lambda g: order.append("first"))
    y.register_hook(lambda g: (order.append("second"), g * 10.0)[1])
    y.register_hook(lambda g: order.append(f"third {g.numpy().tolist()}"))
    y.sum().backward()
    assert order == ["first", "second", "third [10.0, 10.0]"]
    np.testing.assert_allclose(x.grad.numpy(), [20.0, 40.0])


def test_hook_sees_the_whole_gradient_once() -> None:
    x = leaf(1.0)
    y = x * 1.0
    seen: list[float] = []
    y.register_hook(lambda g: seen.append(g.item()))
    (y * 2.0 + y * 3.0).sum().backward()
    assert seen == [5.0]


def test_leaf_hook_and_removal() -> None:
    x = leaf(1.0)
    handle = x.register_hook(lambda g: g * 2.0)
    (x * 3.0).sum().backward()
    assert x.grad.item() == 6.0
    handle.remove()
    handle.remove()
    (x * 3.0).sum().backward()
    assert x.grad.item() == 9.0
    with x.register_hook(lambda g: g * 0.0):
        (x * 3.0).sum().backward()
    (x * 3.0).sum().backward()
    assert x.grad.item() == 12.0


@pytest.mark.parametrize("create_graph", [False, True])
def test_hook_that_writes_harms_no_other_gradient(create_graph: bool) -> None:
    """While recording, the hook wrote to the tensor that is the cotangent of others as well."""
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    given = ag.asarray([1.0, 5.0])

    def clear(g: Any) -> None:
        g *= 0.0

    y = x * 2.0
    y.register_hook(clear)
    x.register_hook(clear)
    gx, gw = ag.autograd.grad(y + w, [x, w], given, create_graph=create_graph)
    assert gx.tolist() == [2.0, 10.0]
    assert gw.tolist() == [1.0, 5.0]
    assert given.tolist() == [1.0, 5.0]


def test_hooks_with_create_graph() -> None:
    x = leaf(2.0)
    y = x * x
    y.register_hook(lambda g: g * x)
    (g,) = ag.autograd.grad(y.sum(), x, create_graph=True)
    assert g.detach().item() == 8.0
    (h,) = ag.autograd.grad(g.sum(), x)
    assert h.item() == 8.0


def test_hooks_run_in_autograd_grad() -> None:
    x = leaf(2.0)
    x.register_hook(lambda g: g * 10.0)
    assert ag.autograd.grad((x * x).sum(), x)[0].item() == 40.0


def test_node_hook() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    handle = y.grad_fn.register_hook(lambda g: -g)
    y.sum().backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.numpy(), [-2.0, -4.0])
    handle.remove()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.0, 0.0])


def test_retain_grad_sees_what_later_hooks_made() -> None:
    x = leaf(1.0)
    y = x * 2.0
    y.retain_grad()
    y.retain_grad()
    y.register_hook(lambda g: g * 7.0)
    (y * y).sum().backward()
    assert y.grad.item() == 28.0
    x.retain_grad()
    assert x.grad.item() == 56.0


def test_post_accumulate_hook() -> None:
    x = leaf(1.0, 2.0)

    def descend(p: Any) -> None:
        with ag.no_grad():
            p -= 0.1 * p.grad
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(descend)
    (x * x).sum().backward()
    np.testing.assert_allclose(x.detach().numpy(), [0.8, 1.6])
    assert x.grad is None
    handle.remove()
    with pytest.raises(ag.errors.GradientError, match="register_hook"):
        (x * x).register_post_accumulate_grad_hook(descend)


def test_bad_hooks() -> None:
    with pytest.raises(ag.errors.GradientError, match="requires_grad_"):
        ag.asarray([1.0]).register_hook(print)
    with pytest.raises(TypeError, match="function"):
        leaf(1.0).register_hook(3)


@pytest.mark.parametrize("make", [np.array, np.float32, ag.asarray, list, lambda r: ag.asarray(r)])
def test_hooks_may_return_what_stands_for_a_tensor(make: Any) -> None:
    """An ndarray or a list ended in an AttributeError."""
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: make([3, 4]))
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 8.0]
    assert x.grad.dtype == np.float64


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (np.ones(3), ag.errors.ShapeError), (2.0, ag.errors.ShapeError),
        (ag.asarray([1j, 2.0]), ag.errors.DTypeError), ("no", ag.errors.ArgumentTypeError),
    ],
)  # fmt: skip
def test_hooks_that_return_what_does_not_fit(result: Any, error: type[Exception]) -> None:
    """Another shape was taken as it is and a complex gradient lost its imaginary part."""
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: result)
    with pytest.raises(error):
        y.sum().backward()
    assert x.grad is None


# -- saved-tensor hooks ----------------------------------------------------------------------------


def test_saved_tensors_are_packed_and_unpacked() -> None:
    x = leaf(1.0, 2.0)
    packed: list[Any] = []

    def pack(t: Any) -> int:
        packed.append(np.array(t.numpy()))
        return len(packed) - 1

    with ag.autograd.saved_tensors_hooks(pack, lambda i: ag.asarray(packed[i])):
        y = ag.concat([ag.exp(x) * x, ag.sin(x)])
        z = (y * y).sum()
    assert "packed" in z.grad_fn.next_functions[0][0].saved["x1"]
    count = len(packed)
    assert count >= 5
    (x * x).sum()
    assert len(packed) == count
    z.backward(retain_graph=True)
    v = np.array([1.0, 2.0])
    want = 2 * np.exp(v) * v * np.exp(v) * (1 + v) + 2 * np.sin(v) * np.cos(v)
    np.testing.assert_allclose(x.grad.numpy(), want)
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * want)
    with pytest.raises(ag.errors.GradientError, match="retain_graph"):
        z.backward()


def test_saved_tensor_hooks_hold_no_memory() -> None:
    x = ag.tensor(np.ones(10), requires_grad=True)
    with ag.autograd.saved_tensors_hooks(lambda t: None, lambda _: ag.zeros(10)):
        y = ag.exp(x)
        alive = weakref.ref(y._array)
        z = y * 1.0
    del y
    assert alive() is None
    z.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.zeros(10))


def test_saved_tensor_hooks_and_functions_and_higher_orders() -> None:
    with ag.autograd.saved_tensors_hooks(lambda t: np.array(t.numpy()), ag.asarray):
        x = leaf(2.0)
        (g,) = ag.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert ag.autograd.grad(g.sum(), x)[0].item() == 12.0


def test_unpack_must_return_a_tensor() -> None:
    x = leaf(2.0)
    with ag.autograd.saved_tensors_hooks(lambda t: 1, lambda i: i):
        y = (x * x).sum()
    with pytest.raises(TypeError, match="unpack"):
        y.backward()
