"""Stand-ins for ``scipy.cluster.vq``: SciPy says which code is nearest, which counts as constant.

Means and distances are computed again from the points in the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._rule import plain, refuse, rule, scipy_object, tensor, tensors, xp


@rule("scipy.cluster.vq.whiten")
def whiten(obs: Any, check_finite: Any = None) -> Any:
    """Points with each coordinate divided by its standard deviation, where that is not zero."""
    obs = tensor(obs, "scipy.cluster.vq.whiten")
    zero = np.std(plain(obs), axis=0) == 0
    if check_finite is not False:
        scipy_object("scipy.cluster.vq.whiten")(plain(obs))  # for its error and its warning
    # The deviation of equal numbers is not differentiated.
    others = np.arange(obs.shape[0], dtype=obs.dtype).reshape((-1,) + (1,) * zero.ndim)
    spread = xp.std(xp.where(zero, others, obs), axis=0)
    return obs / xp.where(zero, 1.0, spread)


@rule("scipy.cluster.vq.vq", finite=True)
def vq(obs: Any, code_book: Any, check_finite: bool = True) -> Any:
    """Numbers of the nearest codes, and the distances to them; 0 is the subgradient at 0."""
    function = "scipy.cluster.vq.vq"
    obs, code_book = tensor(obs, function), tensor(code_book, function, 2)
    codes, _ = scipy_object(function)(plain(obs), plain(code_book))
    return tensors(codes), _distances(obs, code_book, codes)


def _distances(obs: Any, code_book: Any, codes: Any) -> Any:
    away = obs - code_book[codes]
    return xp.abs(away) if away.ndim == 1 else xp.linalg.norm(away, axis=-1)


def _means(obs: Any, labels: Any, count: int) -> Any:
    """Means of the points of each of so many clusters."""
    weights = (labels == np.arange(count)[:, None]).astype(float)
    return (weights / weights.sum(axis=1, keepdims=True)) @ obs


@rule("scipy.cluster.vq.kmeans2")
def kmeans2(
    data: Any, k: Any, iter: int = 10, thresh: float = 1e-5, minit: str = "random",
    missing: str = "warn", check_finite: bool = True, *, rng: Any = None, seed: Any = None,
) -> Any:  # fmt: skip
    """Centres of clusters, which are means of their points, and the labels of the points."""
    function = "scipy.cluster.vq.kmeans2"
    data = tensor(data, function)
    draws = {name: plain(v) for name, v in (("rng", rng), ("seed", seed)) if v is not None}
    centres, labels = scipy_object(function)(
        plain(data), plain(k), iter, thresh, minit, missing, check_finite, **draws
    )
    if len(np.unique(labels)) < len(centres):
        raise refuse(function, "where a cluster is empty", "start with fewer centres")
    return _means(data, labels, len(centres)), tensors(labels)


@rule("scipy.cluster.vq.kmeans")
def kmeans(
    obs: Any, k_or_guess: Any, iter: int = 20, thresh: float = 1e-5, check_finite: bool = True, *,
    rng: Any = None, seed: Any = None,
) -> Any:  # fmt: skip
    """Centres of clusters, and the mean distance of the points to them."""
    function = "scipy.cluster.vq.kmeans"
    obs = tensor(obs, function)
    draws = {name: plain(v) for name, v in (("rng", rng), ("seed", seed)) if v is not None}
    book, distance = scipy_object(function)(
        plain(obs), plain(k_or_guess), iter, thresh, check_finite, **draws
    )
    labels, distances = scipy_object("scipy.cluster.vq.vq")(plain(obs), book)
    centres = _means(obs, labels, len(book)) if len(set(labels)) == len(book) else None
    settled = centres is not None and np.allclose(plain(centres), book, rtol=1e-9, atol=0)
    if not settled or not np.isclose(np.mean(distances), distance, rtol=1e-9, atol=0):
        raise refuse(function, "before its centres are settled", "use a smaller thresh")
    return centres, xp.mean(_distances(obs, centres, labels))
