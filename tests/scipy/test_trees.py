"""``scipy.spatial.KDTree``: SciPy's neighbours, with gradients of their distances."""

import numpy as np
import pytest
from scipy.spatial import KDTree, cKDTree

import arraygrad as ag

from .checking import check

RNG = np.random.default_rng(5)
POINTS = RNG.normal(size=(9, 3))
ASKED = RNG.normal(size=(4, 3))
PLAIN = cKDTree(POINTS)

ROWS = {
    "the nearest": (lambda t, x: KDTree(t).query(x)[0], (POINTS, ASKED)),
    "some": (lambda t, x: cKDTree(t, leafsize=4).query(x, k=3, p=1)[0], (POINTS, ASKED)),
    "of one point": (lambda t, x: KDTree(t).query(x, 2, p=np.inf)[0], (POINTS, ASKED[0])),
    "chosen ones": (lambda t, x: KDTree(t).query(x, k=[1, 4], p=3)[0], (POINTS, ASKED)),
    "one in a list": (lambda t, x: KDTree(t).query(x, k=[2])[0], (POINTS, ASKED)),
    "not all found": (
        lambda t, x: np.minimum(KDTree(t).query(x, k=4, distance_upper_bound=1.5)[0], 9.0),
        (POINTS, ASKED),
    ),
    "of a tree made outside": (lambda x: PLAIN.query(x, k=2)[0], (ASKED,)),
    "itself": (lambda t: np.log(KDTree(t).query(t, k=3)[0][:, -1]), (POINTS,)),
    "an icp step": (
        lambda t, x: t[cKDTree(t).query(x)[1]].mean(axis=0) - x.mean(axis=0), (POINTS, ASKED),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_value_and_derivatives(name):
    f, arguments = ROWS[name]
    check(f, *arguments)


def test_coinciding_points_have_a_gradient_of_zero():
    x = ag.tensor(POINTS, requires_grad=True)
    ag.lift(lambda x: np.sum(KDTree(x).query(x)[0]))(x).backward()
    assert not x.grad.any()


def test_what_counts_points_is_scipys():
    def f(x):
        tree, other = KDTree(x), KDTree(POINTS)
        assert isinstance(tree, KDTree)
        assert (tree.n, tree.m) == POINTS.shape
        return (
            tree.query_ball_point(ASKED[0], 1.5), tree.query_ball_tree(other, 1.0)[0],
            sorted(tree.query_pairs(1.5)), tree.count_neighbors(other, 1.0), tree.query(ASKED)[1],
        )  # fmt: skip

    found, expected = ag.lift(f)(ag.tensor(POINTS, requires_grad=True)), f(POINTS)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))
