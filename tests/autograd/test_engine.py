"""The passes: what backward and autograd.grad accumulate, free, refuse and leave alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arraygrad as ag

GradientError = ag.errors.GradientError


def leaf(*values: float, dtype: Any = float) -> Any:
    return ag.tensor(np.array(values, dtype), requires_grad=True)


def test_backward_accumulates() -> None:
    x = leaf(1.0, 2.0)
    for times in (1, 2):
        (x * x).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), times * np.array([2.0, 4.0]))


def test_grad_leaves_every_grad_alone() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (g,) = ag.autograd.grad((x * w).sum(), x)
    np.testing.assert_allclose(g.numpy(), [3.0, 4.0])
    assert x.grad is None
    assert w.grad is None


def test_shared_nodes_are_visited_once() -> None:
    """A diamond of depth 60 has 2**60 paths."""
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = (y + y) * 0.5
    y.sum().backward()
    assert x.grad.item() == 1.0


def test_backward_twice_needs_retain_graph() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(GradientError, match="retain_graph=True"):
        y.backward()
    np.testing.assert_allclose(x.grad.numpy(), [4.0, 8.0])


def test_failed_backward_changes_no_grad() -> None:
    """The younger leaf used to be accumulated before the freed value of the older was missed."""
    x = leaf(2.0)
    y = ag.exp(x)
    w = leaf(1.0)
    z = (y + w).sum()
    z.backward()
    with pytest.raises(GradientError):
        z.backward()
    assert w.grad.item() == 1.0
    np.testing.assert_allclose(x.grad.item(), np.exp(2.0))


def test_grad_frees_only_what_it_visits() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a, b = ag.exp(x), ag.exp(w)
    y = (a + b).sum()
    ag.autograd.grad(y, x)
    b.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), np.exp([3.0, 4.0]))


def test_intermediate_inputs() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    z = (y * x).sum()
    gy, gx = ag.autograd.grad(z, [y, x])
    np.testing.assert_allclose(gy.numpy(), [1.0, 2.0])
    np.testing.assert_allclose(gx.numpy(), [3.0, 12.0])


def test_unused_inputs() -> None:
    x, w = leaf(1.0), leaf(2.0, 3.0)
    y = (x * x).sum()
    with pytest.raises(GradientError, match="allow_unused"):
        ag.autograd.grad(y, [x, w], retain_graph=True)
    assert ag.autograd.grad(y, w, allow_unused=True, retain_graph=True) == (None,)
    (zero,) = ag.autograd.grad(y, w, materialize_grads=True)
    np.testing.assert_allclose(zero.numpy(), [0.0, 0.0])
    with pytest.raises(ValueError, match="contradicts"):
        ag.autograd.grad(y, w, allow_unused=False, materialize_grads=True)


def test_batched_cotangents() -> None:
    x = leaf(1.0, 2.0, 3.0)
    (J,) = ag.autograd.grad(x * x, x, np.eye(3), is_grads_batched=True)
    np.testing.assert_allclose(J.numpy(), np.diag([2.0, 4.0, 6.0]))
    with pytest.raises(ValueError, match="grad_outputs"):
        ag.autograd.grad(x * x, x, is_grads_batched=True)


def test_several_outputs_count_as_their_sum() -> None:
    x = leaf(1.0, 2.0)
    ag.autograd.backward([(x * x).sum(), x], [None, np.array([10.0, 20.0])])
    np.testing.assert_allclose(x.grad.numpy(), [12.0, 24.0])


def _read_only() -> ag.Tensor:
    array = np.array([1.0, 2.0])
    array.flags.writeable = False
    return ag.asarray(array)


GRADS_OF_USERS = {
    "read-only": _read_only,
    "broadcast": lambda: ag.broadcast_to(ag.tensor(1.0), (2,)),
    "of broadcast array": lambda: ag.asarray(np.broadcast_to(np.ones(1), (2,))),
    "one place twice": lambda: ag.asarray(
        np.lib.stride_tricks.as_strided(np.ones(1), (2,), (0,), writeable=True)
    ),
    "every other": lambda: ag.zeros(4)[::2],
}


@pytest.mark.parametrize("name", GRADS_OF_USERS)
@pytest.mark.parametrize("inputs", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_grads_of_users_that_cannot_be_added_to(
    name: str, inputs: bool, create_graph: bool
) -> None:
    """NumPy's error of read-only memory came out, and one place twice got the sum of all."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    given = x.grad = GRADS_OF_USERS[name]()
    before = given.tolist()
    y = (x * x).sum()
    y.backward(inputs=[x] if inputs else None, create_graph=create_graph)
    assert x.grad is not None
    assert x.grad.detach().tolist() == [before[0] + 2.0, before[1] + 4.0]
    written = name == "every other" and not create_graph
    assert (x.grad is given) == written
    if not written:
        assert given.tolist() == before


def test_inputs_limit_accumulation() -> None:
    x, w = leaf(1.0), leaf(2.0)
    y = x * w
    z = (y * y).sum()
    z.backward(inputs=[x, y])
    assert w.grad is None
    assert x.grad.item() == 8.0
    assert y.grad.item() == 4.0
    with pytest.raises(ValueError, match="empty"):
        (x * w).sum().backward(inputs=[])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.backward(), GradientError, "shape"),
        (lambda x: x.backward(np.ones(3)), ValueError, "shape"),
        (lambda x: x.backward(np.ones(2) * 1j), TypeError, "real"),
        (lambda x: x.detach().backward(np.ones(2)), GradientError, "no gradient"),
        (lambda x: (x * 1j).sum().backward(), GradientError, "complex"),
        (lambda x: ag.autograd.grad(x.sum(), [3.0]), TypeError, r"ag.grad\(f\)"),
        (lambda x: ag.autograd.grad(x.sum(), x.detach()), GradientError, "requires_grad_"),
        (lambda x: ag.autograd.grad([x, x], x, [np.ones(2)]), ValueError, "2 outputs"),
    ],
)
def test_bad_calls(call: Any, error: type[Exception], words: str) -> None:
    x = leaf(1.0, 2.0) * 1.0
    with pytest.raises(error, match=words):
        call(x)


def test_gradient_of_lower_precision_is_cast() -> None:
    x = leaf(1.0, 2.0)
    (x * x).backward(np.ones(2, np.float32))
    assert x.grad.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_grad_has_the_leafs_dtype(dtype: Any) -> None:
    x = leaf(1.0, 2.0, dtype=dtype)
    y = ag.real((x * np.complex128(2 + 1j)).sum())
    y.backward()
    assert x.grad.dtype == dtype


def test_grad_does_not_share_memory() -> None:
    """Both leaves get the same cotangent; adding to one grad must not change the other."""
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    g = ag.ones(2)
    (x + w).backward(g)
    x.grad += 1.0
    np.testing.assert_allclose(w.grad.numpy(), [1.0, 1.0])
    np.testing.assert_allclose(g.numpy(), [1.0, 1.0])
    (a, b) = ag.autograd.grad((x + w).sum(), (x, w))
    a += 1.0
    np.testing.assert_allclose(b.numpy(), [1.0, 1.0])


def test_zero_size() -> None:
    x = ag.tensor(np.zeros((0, 3)), requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.shape == (0, 3)


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("part", [lambda y: y.imag, lambda y: y.T, lambda y: y[1:], lambda y: y])
def test_writes_to_views_of_nothing(part: Any, recording: bool) -> None:
    """The imaginary part of no numbers begins behind the memory: NumPy refused to move it."""
    x = ag.tensor(np.zeros((2, 0), complex), requires_grad=True)
    y = x * 2.0
    saved = y * y
    view = part(y)
    with ag.autograd.set_grad_enabled(recording):
        view *= 3.0
        view[...] = 1.0
    (saved * y).sum().real.backward()
    assert x.grad.shape == (2, 0)


def test_create_graph_to_third_order() -> None:
    x = leaf(2.0)
    y = (x * x * x * x).sum()
    for want in (32.0, 48.0, 48.0, 24.0):
        (y,) = ag.autograd.grad(y, x, np.ones(y.shape), create_graph=True)
        assert y.detach().item() == want


def test_backward_with_create_graph_accumulates_in_the_graph() -> None:
    x = leaf(3.0)
    (x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    (g,) = ag.autograd.grad(x.grad.sum(), x)
    assert g.item() == 2.0
    x.grad = None


def test_recorded_gradients_are_separate_tensors() -> None:
    """One cotangent for two leaves: writing to one gradient changed the other."""
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    given = ag.ones(2)
    (x + w).backward(given, create_graph=True)
    x.grad += 1.0
    np.testing.assert_allclose(w.grad.numpy(), [1.0, 1.0])
    np.testing.assert_allclose(given.numpy(), [1.0, 1.0])
    c = leaf(5.0, 6.0)
    a, b = ag.autograd.grad(((x + w) * c).sum(), (x, w), create_graph=True)
    a *= 2.0
    np.testing.assert_allclose(b.detach().numpy(), [5.0, 6.0])
    np.testing.assert_allclose(ag.autograd.grad((a + b).sum(), c)[0].numpy(), [3.0, 3.0])
    ga, gb = ag.grad(lambda u, v: ((u + v) * c).sum(), (0, 1))(np.ones(2), np.ones(2))
    ga *= 0.0
    np.testing.assert_allclose(gb.detach().numpy(), [5.0, 6.0])


def test_leaf_metadata() -> None:
    x = leaf(1.0)
    y = x * x
    assert (x.is_leaf, y.is_leaf) == (True, False)
    assert (x.grad_fn, y.grad_fn.name) == (None, "MulBackward")
    assert not y.detach().requires_grad
    with pytest.raises(GradientError, match="leaves"):
        y.requires_grad_(False)
    with pytest.raises(GradientError, match="astype"):
        ag.asarray([1]).requires_grad_()


def test_leaf_cannot_be_written_and_keeps_its_value() -> None:
    x = leaf(1.0, 2.0)
    for write in (lambda: x.__setitem__(0, 5.0), lambda: x.__iadd__(1.0),
                  lambda: x[:1].__imul__(2.0)):  # fmt: skip
        with pytest.raises(GradientError, match="no_grad"):
            write()
    np.testing.assert_allclose(x.detach().numpy(), [1.0, 2.0])
    with ag.no_grad():
        x -= 1.0
    assert x.requires_grad
    np.testing.assert_allclose(x.detach().numpy(), [0.0, 1.0])


def test_write_after_save_uses_the_saved_value() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3.0
    z = y * y
    y *= 100.0
    z.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [18.0, 36.0])


def test_write_to_shared_memory_makes_backward_raise() -> None:
    x = leaf(1.0, 2.0)
    outside = np.ones(2)
    y = ag.asarray(outside)
    z = (x * y).sum()
    y += 1.0
    with pytest.raises(GradientError, match=r"multiply saved .* written later"):
        z.backward()
    with pytest.raises(GradientError, match="written later"):
        ag.autograd.grad(z, x)
    assert x.grad is None


def test_same_result_with_and_without_recording() -> None:
    """Raw passes have forms of their own for many ops: both must agree."""
    rng = np.random.default_rng(0)
    x = ag.tensor(rng.uniform(0.5, 1.5, (3, 4)), requires_grad=True)
    y = ag.tensor(rng.uniform(0.5, 1.5, (4,)), requires_grad=True)
    z = (ag.exp(x * y - x / y) + ag.sqrt(x) * ag.sin(y) + ag.maximum(x, y) - (-x)).sum()
    raw = ag.autograd.grad(z, (x, y), retain_graph=True)
    recorded = ag.autograd.grad(z, (x, y), create_graph=True)
    for a, b in zip(raw, recorded, strict=True):
        np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-13)


def test_alias_keeps_scalars_and_arrays_apart() -> None:
    from arraygrad._engine import alias

    array, scalar = ag.asarray(1.5), ag.asarray([1.5])[0]
    assert type(alias(array)) is type(array)
    assert type(alias(scalar)) is type(scalar)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.var() * 1.0,
        lambda x: (ag.cumulative_sum(x) * ag.asarray([np.inf, -np.inf, np.inf])).sum(),
        lambda x: ((x[:1] + ag.zeros(3)) * ag.asarray([np.inf, -np.inf, 1.0])).sum(),
    ],
    ids=["var", "cumulative_sum", "broadcast_to"],
)
def test_reverse_passes_do_not_warn_of_infinite_cotangents(f) -> None:
    """Filters make warnings errors: raw forms are as quiet as the formulas that they stand for."""
    x = ag.tensor([np.inf, 1.0, 2.0], requires_grad=True)
    with np.errstate(all="ignore"):
        y = f(x)
    y.backward()
    assert x.grad.shape == (3,)


def test_nobody_writes_to_the_one_that_passes_begin_with() -> None:
    """It is one array for all passes."""
    x = ag.tensor(2.0, requires_grad=True)
    y = x + 0.0
    y.register_hook(lambda g: g.__setitem__(..., 11.0))
    for _ in range(2):
        (by_itself,) = ag.autograd.grad(x, x)
        by_itself[...] = 5.0
        by_itself += 1.0
        x.grad = None
        x.backward()
        assert float(x.grad) == 1.0
        x.grad[...] = 9.0
        y.backward(retain_graph=True)
    assert ag.grad(lambda t: t)(3.0) == 1.0
