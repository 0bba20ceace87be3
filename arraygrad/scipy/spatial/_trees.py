"""Trees of points: SciPy's search, distances computed again in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._rule import by_name, needs_rule, plain, policed, refuse, scipy_object, tensor, tensors, xp


def _distances(difference: Any, p: float) -> Any:
    """Minkowski distances; at coinciding points their gradient is 0."""
    size = xp.abs(difference)
    if np.isinf(p):
        return xp.max(size, axis=-1)
    total = xp.sum(size**p, axis=-1)
    zero = plain(total) == 0
    return xp.where(zero, 0.0, xp.where(zero, 1.0, total) ** (1.0 / p))


class KDTree:
    """Stand-in for ``scipy.spatial.KDTree``: which points are near is found by values.

    Notes
    -----
    Distances are differentiable in the points of the tree and in those that are asked for; numbers
    of points have no derivative.
    """

    _path = "scipy.spatial.KDTree"

    def __init__(self, data: Any, *args: Any, **kwargs: Any) -> None:
        self.data = tensor(data, self._path)
        given = by_name(KDTree._path, 1, args, kwargs)  # the other is written in C
        self._real = scipy_object(self._path)(plain(self.data), **plain(given))
        self._box = given.get("boxsize")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._real, name)
        if not callable(found):
            return found

        def method(*args: Any, **kwargs: Any) -> Any:
            return tensors(found(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()}))

        return method

    def query(
        self, x: Any, k: Any = 1, eps: float = 0.0, p: float = 2.0,
        distance_upper_bound: float = np.inf, workers: int = 1,
    ) -> Any:  # fmt: skip
        """Distances of the nearest points, and their numbers."""
        x = tensor(x, f"{self._path}.query")
        given = plain(eps), plain(p), plain(distance_upper_bound), workers
        distances, found = self._real.query(plain(x), plain(k), *given)
        if not needs_rule(x, self.data, self._box):
            return tensors((distances, found))
        missing = np.asarray(found) == self._real.n
        nearest = self.data[np.where(missing, 0, found)]
        at = x if np.ndim(found) == x.ndim - 1 else xp.expand_dims(x, -2)
        near = _distances(self._shortest(at - nearest), float(plain(p)))
        return xp.where(missing, np.inf, near), tensors(found)

    def _shortest(self, difference: Any) -> Any:
        """Differences of coordinates, with each axis around its box where there is one."""
        if self._box is None:
            return difference
        box = xp.asarray(self._box, dtype=float)
        around = plain(box) > 0  # 0 says that an axis has no period
        turns = np.round(plain(difference) / np.where(around, plain(box), np.inf))
        return difference - turns * box

    @policed
    def sparse_distance_matrix(self, other: Any, *args: Any, **kwargs: Any) -> Any:
        """SciPy's, of plain values."""
        if needs_rule(self.data, _data(other)):
            raise refuse(f"{self._path}.sparse_distance_matrix", "here", "use cdist")
        return self._real.sparse_distance_matrix(_plain(other), *args, **kwargs)


class cKDTree(KDTree):
    """Stand-in for ``scipy.spatial.cKDTree``."""

    _path = "scipy.spatial.cKDTree"


def _data(x: Any) -> Any:
    return x.data if isinstance(x, KDTree) else x


def _plain(x: Any) -> Any:
    return x._real if isinstance(x, KDTree) else plain(x)


def tree_of(real: Any) -> KDTree:
    """Ours for a tree of SciPy."""
    cls = KDTree if isinstance(real, scipy_object(KDTree._path)) else cKDTree
    made: KDTree = object.__new__(cls)
    made.data, made._real, made._box = tensor(real.data, cls._path), real, real.boxsize
    return made
