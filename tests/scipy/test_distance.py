"""Distances."""

import numpy as np
import pytest
import scipy.spatial.distance as sd
from scipy.spatial.distance import cdist, pdist, squareform

import arraygrad as ag

from .checking import check

RNG = np.random.default_rng(17)
P, Q = RNG.uniform(0.5, 2, (4, 3)), RNG.uniform(0.5, 2, (5, 3))
METRICS = [
    "euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation",
    "canberra", "braycurtis", "seuclidean", "mahalanobis", "jensenshannon",
]  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
def test_sets_of_points(metric):
    check(lambda p, q: (cdist(p, q, metric), pdist(q, metric)), P, Q)


def test_parameters_and_user_metrics():
    def f(p, q, w):
        return (
            cdist(p, q, "minkowski", p=3, w=w), cdist(p, q, "cosine", w=w),
            pdist(p, lambda u, v: np.sum(w * np.abs(u - v) ** 1.5)),
            cdist(p, q, sd.euclidean), squareform(pdist(p)), squareform(squareform(pdist(p))),
        )  # fmt: skip

    check(f, P, Q, [0.5, 1.0, 2.0])


def test_vectors():
    def f(u, v, w):
        return [
            sd.euclidean(u, v, w), sd.sqeuclidean(u, v), sd.cityblock(u, v), sd.chebyshev(u, v),
            sd.minkowski(u, v, 3), sd.cosine(u, v), sd.correlation(u, v), sd.canberra(u, v),
            sd.braycurtis(u, v), sd.seuclidean(u, v, w), sd.mahalanobis(u, v, np.diag(w)),
            sd.jensenshannon(u, v),
        ]  # fmt: skip

    check(f, P[0], Q[0], [0.5, 1.0, 2.0])


def test_coinciding_points_have_no_gradient():
    gradient = ag.grad(lambda p: cdist(p, p).sum())(P)
    assert np.isfinite(gradient).all()
