"""Stand-ins for ``scipy.spatial.distance``: distances of vectors, pairs and sets of points.

At coinciding points, where a distance has a kink, its gradient is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .._rule import plain, refuse, rule, scipy_object, tensor, tensors_of, xp

# -- metrics: u and v broadcast, the coordinates are the last axis ---------------------------------


def _powers(difference: Any, w: Any) -> Any:
    return difference if w is None else w * difference


def _root(x: Any) -> Any:
    """Square root with derivative 0 at 0, where its argument is smallest."""
    zero = plain(x) == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, x)))


def _sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    return xp.sum(_powers((u - v) ** 2, w), axis=-1)


def _euclidean(u: Any, v: Any, w: Any = None) -> Any:
    return _root(_sqeuclidean(u, v, w))


def _cityblock(u: Any, v: Any, w: Any = None) -> Any:
    return xp.sum(_powers(xp.abs(u - v), w), axis=-1)


def _chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    if w is not None:
        counted = np.flatnonzero(plain(w) > 0)
        return xp.max(xp.abs(u - v)[..., counted], axis=-1)
    return xp.max(xp.abs(u - v), axis=-1)


def _minkowski(u: Any, v: Any, w: Any = None, p: Any = 2) -> Any:
    if np.isposinf(plain(p)):
        return _chebyshev(u, v, w)
    total = xp.sum(_powers(xp.abs(u - v) ** p, w), axis=-1)
    zero = plain(total) == 0
    return xp.where(zero, 0.0, xp.where(zero, 1.0, total) ** (1.0 / p))


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    product = xp.sum(_powers(u * v, w), axis=-1)
    squares = xp.sum(_powers(u * u, w), axis=-1) * xp.sum(_powers(v * v, w), axis=-1)
    return 1.0 - product / xp.sqrt(squares)


def _correlation(u: Any, v: Any, w: Any = None) -> Any:
    if w is not None:
        w = w / xp.sum(w)
        return _cosine(
            u - xp.sum(u * w, axis=-1, keepdims=True), v - xp.sum(v * w, axis=-1, keepdims=True), w
        )
    return _cosine(u - xp.mean(u, axis=-1, keepdims=True), v - xp.mean(v, axis=-1, keepdims=True))


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    below = xp.abs(u) + xp.abs(v)
    zero = plain(below) == 0
    parts = xp.where(zero, 0.0, xp.abs(u - v) / xp.where(zero, 1.0, below))
    return xp.sum(_powers(parts, w), axis=-1)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    above = xp.sum(_powers(xp.abs(u - v), w), axis=-1)
    return above / xp.sum(_powers(xp.abs(u + v), w), axis=-1)


def _seuclidean(u: Any, v: Any, V: Any = None) -> Any:
    return _root(xp.sum((u - v) ** 2 / V, axis=-1))


def _mahalanobis(u: Any, v: Any, VI: Any = None) -> Any:
    difference = u - v
    return _root(xp.sum((difference @ VI) * difference, axis=-1))


def _jensenshannon(u: Any, v: Any, base: Any = None) -> Any:
    rel_entr: Any = import_module("arraygrad.special").rel_entr
    p = u / xp.sum(u, axis=-1, keepdims=True)
    q = v / xp.sum(v, axis=-1, keepdims=True)
    m = (p + q) / 2.0
    total = xp.sum(rel_entr(p, m), axis=-1) + xp.sum(rel_entr(q, m), axis=-1)
    if base is not None:
        total = total / np.log(base)
    return _root(total / 2.0)


Metric = Callable[..., Any]
METRICS: dict[str, Metric] = {
    "braycurtis": _braycurtis, "canberra": _canberra, "chebyshev": _chebyshev,
    "cityblock": _cityblock, "correlation": _correlation, "cosine": _cosine,
    "euclidean": _euclidean, "jensenshannon": _jensenshannon, "mahalanobis": _mahalanobis,
    "minkowski": _minkowski, "seuclidean": _seuclidean, "sqeuclidean": _sqeuclidean,
}  # fmt: skip
_ALIASES = {
    "euclid": "euclidean", "eu": "euclidean", "e": "euclidean", "cityblock": "cityblock",
    "cblock": "cityblock", "cb": "cityblock", "manhattan": "cityblock", "sqeuclid": "sqeuclidean",
    "sqe": "sqeuclidean", "cheb": "chebyshev", "ch": "chebyshev", "cos": "cosine",
    "co": "correlation", "mahal": "mahalanobis", "mi": "minkowski", "pnorm": "minkowski",
    "se": "seuclidean", "js": "jensenshannon",
}  # fmt: skip


def _metric(metric: Any, function: str, points: Any, options: dict[str, Any]) -> Metric:
    """A metric of broadcasting arguments, its parameters filled in from the points."""
    if callable(metric):
        name = getattr(metric, "__name__", "")
        if METRICS.get(name) is None or globals().get(name) is not metric:
            return lambda u, v: _each(metric, u, v, options)
        metric = name
    name = _ALIASES.get(metric, metric)
    if name not in METRICS:
        raise refuse(function, f"for metric={metric!r}", f"use one of {', '.join(sorted(METRICS))}")
    found = METRICS[name]
    if name == "seuclidean" and options.get("V") is None:
        options = {**options, "V": xp.var(points, axis=0, ddof=1)}
    if name == "mahalanobis" and options.get("VI") is None:
        options = {**options, "VI": xp.linalg.inv(xp.atleast_2d(xp.cov(points.T))).T}
    given = {k: tensor(v, function) if k in ("w", "V", "VI") else v
             for k, v in options.items() if v is not None and k != "out"}  # fmt: skip
    return lambda u, v: found(u, v, **given)


def _each(metric: Any, u: Any, v: Any, options: dict[str, Any]) -> Any:
    """A metric of the user's, called for one pair after the other."""
    u, v = xp.broadcast_arrays(u, v)
    shape = u.shape[:-1]
    rows = [
        metric(a, b, **options)
        for a, b in zip(u.reshape((-1, u.shape[-1])), v.reshape((-1, v.shape[-1])), strict=True)
    ]
    return xp.stack([xp.asarray(r, dtype=float) for r in rows]).reshape(shape)


@rule("scipy.spatial.distance.cdist")
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """Distances of each row of XA to each row of XB, shape (len(XA), len(XB))."""
    XA, XB = tensors_of("scipy.spatial.distance.cdist", XA, XB)
    both = xp.concatenate((XA, XB))
    return _metric(metric, "scipy.spatial.distance.cdist", both, kwargs)(XA[:, None], XB[None])


@rule("scipy.spatial.distance.pdist")
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """Distances of all pairs of rows of X, in the order (0, 1), (0, 2), ... as one vector."""
    X = tensor(X, "scipy.spatial.distance.pdist")
    first, second = np.triu_indices(X.shape[0], 1)
    return _metric(metric, "scipy.spatial.distance.pdist", X, kwargs)(X[first], X[second])


@rule("scipy.spatial.distance.squareform")
def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """Symmetric matrix of a vector of distances, or the vector of a matrix."""
    X = tensor(X, "scipy.spatial.distance.squareform")
    scipy_object("scipy.spatial.distance.squareform")(plain(X), force, checks)  # raises
    if X.ndim == 2:
        return X[np.triu_indices(X.shape[0], 1)]
    n = int(np.ceil(np.sqrt(X.shape[0] * 2)))
    n = max(n, 1)
    out = xp.zeros((n, n), dtype=X.dtype)
    rows, columns = np.triu_indices(n, 1)
    out[rows, columns] = X
    out[columns, rows] = X
    return out


# -- of two vectors --------------------------------------------------------------------------------


@rule("scipy.spatial.distance.euclidean")
def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """Euclidean distance."""
    u, v = tensors_of("euclidean", u, v)
    return _euclidean(u, v, w)


@rule("scipy.spatial.distance.sqeuclidean")
def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """Squared Euclidean distance."""
    u, v = tensors_of("sqeuclidean", u, v)
    return _sqeuclidean(u, v, w)


@rule("scipy.spatial.distance.cityblock")
def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """Sum of absolute differences."""
    u, v = tensors_of("cityblock", u, v)
    return _cityblock(u, v, w)


@rule("scipy.spatial.distance.chebyshev")
def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """Largest absolute difference."""
    u, v = tensors_of("chebyshev", u, v)
    return _chebyshev(u, v, w)


@rule("scipy.spatial.distance.minkowski")
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """Norm of order p of the difference."""
    u, v = tensors_of("minkowski", u, v)
    return _minkowski(u, v, w, p)


@rule("scipy.spatial.distance.cosine")
def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """One minus the cosine of the angle between the vectors."""
    u, v = tensors_of("cosine", u, v)
    return _cosine(u, v, w)


@rule("scipy.spatial.distance.correlation")
def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """One minus the correlation of the elements."""
    u, v = tensors_of("correlation", u, v)
    return _correlation(u, v, w) if centered else _cosine(u, v, w)


@rule("scipy.spatial.distance.canberra")
def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """Sum of |u - v| / (|u| + |v|)."""
    u, v = tensors_of("canberra", u, v)
    return _canberra(u, v, w)


@rule("scipy.spatial.distance.braycurtis")
def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    """Sum of |u - v| over the sum of |u + v|."""
    u, v = tensors_of("braycurtis", u, v)
    return _braycurtis(u, v, w)


@rule("scipy.spatial.distance.seuclidean")
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """Euclidean distance in units of the standard deviations, whose squares are V."""
    return _seuclidean(*tensors_of("seuclidean", u, v, V))


@rule("scipy.spatial.distance.mahalanobis")
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """Distance in the metric of the inverse covariance VI."""
    return _mahalanobis(*tensors_of("mahalanobis", u, v, VI))


@rule("scipy.spatial.distance.jensenshannon")
def jensenshannon(
    p: Any, q: Any, base: Any = None, *, axis: int = 0, keepdims: bool = False
) -> Any:
    """Root of the mean divergence from the mean distribution."""
    p, q = (xp.moveaxis(x, axis, -1) for x in tensors_of("jensenshannon", p, q))
    out = _jensenshannon(p, q, base)
    return xp.expand_dims(out, axis) if keepdims else out
