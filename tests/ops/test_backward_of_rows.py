"""Backward of softmax, log_softmax, logsumexp, var, std and norms: its roads, and its memory."""

import tracemalloc

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _dispatch, special
from arraygrad._apply import node_of, wrap
from arraygrad._engine import gradients
from arraygrad._forward_pass import push_forward
from arraygrad._storage import release_pool

INF, NAN = np.inf, np.nan
OPS = {
    "softmax": lambda x, axis: ag.softmax(x, axis=axis),
    "log_softmax": lambda x, axis: special.log_softmax(x, axis=axis),
    "logsumexp": lambda x, axis: ag.logsumexp(x, axis=axis),
    "logsumexp kept": lambda x, axis: ag.logsumexp(x, axis=axis, keepdims=True),
    "var": lambda x, axis: ag.var(x, axis=axis),
    "std": lambda x, axis: ag.std(x, axis=axis, correction=1, keepdims=True),
    "vector_norm": lambda x, axis: ag.linalg.vector_norm(x, axis=axis),
}
DTYPES = ("float16", "float32", "float64", "complex64", "complex128")


def _case(name, x, axis, g=None):
    leaf = ag.tensor(x, requires_grad=True)
    with np.errstate(all="ignore"):
        out = OPS[name](leaf, axis)
    if g is None:
        rng = np.random.default_rng(5)
        g = rng.standard_normal(out.shape) + (
            1j * rng.standard_normal(out.shape) if out.dtype.kind == "c" else 0
        )
    return leaf, out, np.broadcast_to(np.asarray(g), out.shape).astype(out.dtype)


def _roads(leaf, out, g):
    """The cotangent by the formula, recorded; and by all other roads."""
    (recorded,) = gradients([out], [wrap(g)], [leaf], True, True)
    (pruned,) = gradients([out], [wrap(g)], [leaf], False, True)
    out.backward(wrap(g), retain_graph=True)
    return recorded.detach()._array, {"pruned": pruned._array, "raw": leaf.grad._array}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPS)
def test_roads_agree(name, dtype):
    rng = np.random.default_rng(0)
    shapes = ((5,), (0, 3), (4, 30), (3, 4, 5), (70, 3), (2, 2500))
    for shape in shapes if name == "std" else ((), *shapes):
        x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)
        x = x.astype(dtype)
        layouts = (x, np.array(x, order="F"), x[::-1] if x.ndim else x)
        for y in layouts:
            for axis in (None, *range(len(shape)), *(((0, 2),) if len(shape) == 3 else ())):
                if not y.size and axis != 1:
                    continue
                formula, roads = _roads(*_case(name, y, axis))
                eps = max(float(np.finfo(dtype).eps), 1e-15)
                scale = np.abs(formula).max(initial=0) + 1
                for road, found in roads.items():
                    assert (found.shape, found.dtype) == (shape, np.dtype(dtype)), road
                    np.testing.assert_allclose(found, formula, rtol=0, atol=60 * eps * scale)


ROWS = [
    [-INF, -INF, -INF, -INF], [INF, 0, INF, -1], [NAN, 0, 1, 2], [INF, NAN, 0, -INF],
    [-INF, 3, 3, 1], [1e4, -1e4, 1e4, 0], [0, 0, 0, 0], [2, 2, 2, 2], [INF, 1, 1, 1], [1, 2, 3, 4],
    [-0.0, 0.0, 1, -1], [1e30, -1e30, 1e30, 0],
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("repeat", [1, 20, 600])
@pytest.mark.parametrize("name", OPS)
def test_roads_agree_at_special_values(name, repeat, dtype):
    """Where zero meets an infinity or NaN, zero; whichever road is taken, with every cotangent."""
    rows = np.tile(np.array(ROWS), repeat).astype(dtype)
    eps = float(np.finfo(dtype).eps)
    for factor in (1.0, -2.0, 0.0, INF, NAN):
        for x, axis in ((rows, 1), (np.ascontiguousarray(rows.T), 0)):
            formula, roads = _roads(*_case(name, x, axis, factor))
            for road, found in roads.items():
                with np.errstate(all="ignore"):
                    finite = np.where(np.isfinite(formula), np.abs(formula), 0)
                    rest = 20 * eps * (finite.max(axis=axis, keepdims=True) + 1)
                    same = (found == formula) | (np.isnan(found) & np.isnan(formula))
                    same |= np.abs(found - formula) <= rest
                wrong = np.argwhere(~same.all(axis=axis)).reshape(-1)
                assert not wrong.size, (road, factor, [ROWS[i] for i in wrong])


@pytest.mark.parametrize("name", OPS)
def test_forward_mode_is_the_transpose(name):
    """The raw road against tangents, which go by formulas of their own."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal((6, 40))
    for axis in (0, 1):
        leaf, out, g = _case(name, x, axis)
        t = rng.standard_normal(x.shape)
        (moved,) = push_forward([node_of(out)], [node_of(leaf)], [wrap(t)], False)
        out.backward(wrap(g))
        np.testing.assert_allclose((moved._array * g).sum(), (t * leaf.grad._array).sum())


@pytest.mark.parametrize("name", OPS)
def test_zeros_that_do_not_absorb(name):
    """The raw forms stand aside: 0 * NaN is NaN."""
    x = np.array([[NAN, 0, 1, 2.0]])
    ag.set_absorbing_zeros(False)
    try:
        leaf, out, g = _case(name, x, 1, 0.0)
        out.backward(wrap(g))
        assert np.isnan(leaf.grad._array).any()
    finally:
        ag.set_absorbing_zeros(True)
    leaf, out, g = _case(name, x, 1, 0.0)
    out.backward(wrap(g))
    assert not leaf.grad._array.any()


def test_subnormal_norms_have_directions():
    x = np.array([[3e-320, 4e-320], [3.0, 4.0]])
    for y, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
        leaf = ag.tensor(y, requires_grad=True)
        ag.linalg.vector_norm(leaf, axis=axis).sum().backward()
        found = leaf.grad._array if axis else leaf.grad._array.T
        np.testing.assert_allclose(found, [[0.6, 0.8]] * 2, rtol=1e-3)


@pytest.mark.parametrize("name", OPS)
def test_a_gradient_is_added_to_nothing_of_the_graphs(name):
    """The cotangent is the leaf's own: what is written into it changes nothing else."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 300))
    leaf, out, g = _case(name, x, 1)
    saved = out.detach()._array.copy()
    out.backward(wrap(g), retain_graph=True)
    once = leaf.grad._array.copy()
    out.backward(wrap(g), retain_graph=True)
    np.testing.assert_array_equal(leaf.grad._array, 2 * once)
    leaf.grad += 1
    np.testing.assert_array_equal(out.detach()._array, saved)
    np.testing.assert_array_equal(leaf.detach()._array, x)


@pytest.mark.skipif(
    _dispatch.kernel_mode == "numpy" or _dispatch.compile_mode != "sync",
    reason="the reference kernels have temporaries",
)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", OPS)
def test_backward_takes_no_memory_beside_the_gradient(name, axis):
    if _dispatch._kernels("cpu").catalogue() == []:
        pytest.skip("nothing compiles under NUMBA_DISABLE_JIT")
    x = np.random.default_rng(0).standard_normal((700, 800))
    leaf, out, g = _case(name, x, axis)
    out.backward(wrap(g), retain_graph=True)  # compiles
    leaf.grad = None
    release_pool()
    tracemalloc.start()
    try:
        out.backward(wrap(g), retain_graph=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.15 * x.nbytes
