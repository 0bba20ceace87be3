"""Zeros absorb infinities and NaN in the cotangents of matrix products, as elementwise.

A product written out, x1[i, k] * x2[k, j] summed over k, says what is right.
"""

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._apply import node_of, wrap
from arraygrad._engine import gradients
from arraygrad._forward_pass import push_forward

PRODUCTS = {
    "matrices": (ag.matmul, "ik,kj->ij", (3, 4), (4, 2)),
    "matrix and vector": (ag.matmul, "ik,k->i", (3, 4), (4,)),
    "vector and matrix": (ag.matmul, "k,kj->j", (4,), (4, 2)),
    "vectors": (ag.matmul, "k,k->", (4,), (4,)),
    "stack and matrix": (ag.matmul, "bik,kj->bij", (2, 3, 4), (4, 2)),
    "stacks": (ag.matmul, "bik,bkj->bij", (2, 3, 4), (2, 4, 2)),
    "stack and vector": (ag.matmul, "bik,k->bi", (2, 3, 4), (4,)),
    "vector and stack": (ag.matmul, "k,bkj->bj", (4,), (2, 4, 3)),
    "vecdot": (ag.vecdot, "ik,ik->i", (3, 4), (3, 4)),
    "tensordot": (lambda x, y: ag.tensordot(x, y, axes=1), "ik,kj->ij", (3, 4), (4, 2)),
    "outer": (ag.linalg.outer, "i,j->ij", (3,), (4,)),
    "einsum": (lambda x, y: np.einsum("ik,jk->ij", x, y), "ik,jk->ij", (3, 4), (2, 4)),
    "inner": (np.inner, "ik,jk->ij", (3, 4), (2, 4)),
    "dot": (np.dot, "ik,kj->ij", (3, 4), (4, 2)),
}
NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0, 3.0)
OFTEN = (0.03, 0.03, 0.03, 0.2, 0.05, 0.2, 0.26, 0.2)


def _written_out(subscripts, x1, x2):
    """The product element by element, with broadcasting."""
    operands, kept = subscripts.split("->")
    labels = kept + "".join(sorted(set(operands) - set(kept) - {","}))

    def spread(x, own):
        missing = [label for label in labels if label not in own]
        x = ag.permute_dims(x, tuple(own.index(label) for label in labels if label in own))
        for label in sorted(missing, key=labels.index):
            x = ag.expand_dims(x, axis=labels.index(label))
        return x

    first, second = operands.split(",")
    terms = ag.multiply(spread(x1, first), spread(x2, second))
    return ag.sum(terms, axis=tuple(range(len(kept), len(labels))))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_cotangents_of_products_are_those_of_what_they_sum(name, dtype):
    product, subscripts, shape1, shape2 = PRODUCTS[name]
    rng = np.random.default_rng(5)

    def draw(shape):
        return rng.choice(NUMBERS, shape, p=OFTEN).astype(dtype)

    for _ in range(25):
        tensors = [ag.tensor(draw(shape), requires_grad=True) for shape in (shape1, shape2)]
        with np.errstate(all="ignore"):
            out, wanted_out = product(*tensors), _written_out(subscripts, *tensors)
        g = draw(out.shape)
        wanted = gradients([wanted_out], [wrap(g)], tensors, False, True)
        nodes = [node_of(out), node_of(wanted_out)]
        _equal(
            *[
                t._array
                for t in push_forward(nodes, [node_of(tensors[0])], [wrap(draw(shape1))], False)
            ]
        )
        roads = [
            gradients([out], [wrap(g)], tensors, recording, True) for recording in (False, True)
        ]
        out.backward(wrap(g))
        roads.append([t.grad for t in tensors])
        for road in roads:
            for found, right in zip(road, wanted, strict=True):
                _equal(found.detach()._array, right._array)


def _equal(found, right):
    if found.dtype.kind == "c":  # products by parts: NaN or infinite as it falls out
        found, right = [np.where(np.isfinite(x), x, np.nan) for x in (found, right)]
    np.testing.assert_array_equal(found, right)


def test_masked_rows_with_nan_leave_the_gradient_alone():
    """Missing data: what `where` did not take must not reach the weights."""
    x = np.array([[1.0, 2.0], [np.nan, 3.0], [np.inf, 0.0], [4.0, 5.0]])
    taken = np.array([True, False, False, True])[:, None]

    def loss(w):
        return np.sum(np.where(taken, x @ w, 0.0) ** 2)

    w = np.array([[1.0, -1.0, 0.5], [0.5, 2.0, 1.0]])
    clean = x[taken[:, 0]]
    with np.errstate(all="ignore"):
        found, curvature = ag.grad(loss)(w), ag.hessian(loss)(w)
    np.testing.assert_allclose(found, 2 * clean.T @ (clean @ w))
    wanted = np.einsum("ni,nj,kl->ikjl", clean, clean, 2 * np.eye(3))
    np.testing.assert_allclose(curvature, wanted)
    with np.errstate(all="ignore"):
        _, along = ag.jvp(loss, (w,), (np.ones_like(w),))
    np.testing.assert_allclose(along, found.sum())


def test_the_gradient_of_a_norm_at_zero_written_as_a_product():
    x = ag.tensor(np.zeros(3), requires_grad=True)
    np.sqrt(x @ x).backward()
    np.testing.assert_array_equal(x.grad, np.zeros(3))


def test_without_absorbing_zeros_products_show_where_nan_comes_from():
    x = ag.tensor(np.array([[0.0, 1.0]]), requires_grad=True)
    w = np.array([[1.0, 2.0], [np.inf, 3.0]])
    with np.errstate(all="ignore"):
        out = x @ w
        g = np.array([[0.0, 1.0]])
        ag.set_absorbing_zeros(False)
        try:
            (shown,) = gradients([out], [wrap(g)], [x], False, True)
        finally:
            ag.set_absorbing_zeros(True)
    np.testing.assert_array_equal(shown, [[2.0, np.nan]])
    np.testing.assert_array_equal(gradients([out], [wrap(g)], [x], False, True)[0], [[2.0, 3.0]])


def test_large_products_look_at_the_smaller_operands():
    """More elements in the result than in the operands: those are looked at."""
    x1, x2 = np.ones((1, 300)), np.ones((1, 300))
    x1[0, 5] = np.nan
    a = ag.tensor(x1.T, requires_grad=True)
    with np.errstate(all="ignore"):
        out = a @ x2  # 300 x 300, of a column and a row
    g = np.ones(out.shape)
    g[5] = 0
    out.backward(wrap(g))
    np.testing.assert_array_equal(a.grad, np.where(np.arange(300) == 5, 0, 300.0)[:, None])
    b = ag.tensor(np.ones((300, 1)), requires_grad=True)
    row = np.ones((300, 300))
    row[7] = np.inf
    with np.errstate(all="ignore"):
        (row @ b).backward(wrap(np.where(np.arange(300) == 7, 0, 1.0)[:, None]))
    np.testing.assert_array_equal(b.grad, np.full((300, 1), 299.0))
