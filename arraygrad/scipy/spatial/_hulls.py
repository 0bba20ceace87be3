"""Triangulations, hulls and Voronoi cells: Qhull says who belongs together, by plain values.

What is made of whole numbers (simplices, neighbours, regions) is plain: it does not change where
the points move a little. Coordinates and sizes are computed again from the points in the graph.
"""

from __future__ import annotations

from math import factorial
from typing import Any, ClassVar

import numpy as np

from .. import _rule
from .._rule import needs_rule, plain, policed, refuse, scipy_object, tensor, tensors, xp


class _OfQhull:
    """What the stand-ins share: SciPy's object on plain points, and these points."""

    _path: ClassVar[str]
    _given: ClassVar[str] = "points"
    _instead: ClassVar[str] = "compute it from the points and simplices"

    def __init__(self, points: Any, *args: Any, **kwargs: Any) -> None:
        self._take(
            tensor(points, self._path),
            scipy_object(self._path)(plain(points), *plain(args), **plain(kwargs)),
        )

    def _take(self, points: Any, real: Any) -> None:
        self._points = points
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == self._given:
            return self._points
        return self._of_scipy(name)

    @policed
    def _of_scipy(self, name: str) -> Any:
        found = getattr(self._real, name)
        if callable(found):
            return lambda *args, **kwargs: self._called(name, args, kwargs)
        if isinstance(found, np.ndarray | float) and np.asarray(found).dtype.kind == "f":
            self._check(name)
            return tensors(found)
        return found

    @policed
    def _called(self, name: str, args: Any, kwargs: Any) -> Any:
        out = getattr(self._real, name)(*plain(args), **plain(kwargs))
        if _rule._has_floats(out):
            self._check(name, args, kwargs)
        elif name == "add_points":
            more = tensor(args[0], f"{self._path}.add_points")
            self._points = xp.concatenate((self._points, more))
        return tensors(out)

    def _check(self, name: str, *more: Any) -> None:
        if needs_rule(self._points, *more):
            raise refuse(f"{self._path}.{name}", "rule", self._instead)


class Delaunay(_OfQhull):
    """Stand-in for ``scipy.spatial.Delaunay``; ``points`` carry their gradient."""

    _path = "scipy.spatial.Delaunay"
    _instead = "compute it from x.points[x.simplices]"


def _size(edges: Any) -> Any:
    """Volumes of simplices from their edges, shape (n, k, d): sqrt(det(E E^T)) / k!."""
    k = edges.shape[-2]
    squares = edges @ xp.swapaxes(edges, -1, -2)
    return xp.sqrt(xp.linalg.det(squares)) / factorial(k)


class ConvexHull(_OfQhull):
    """Stand-in for ``scipy.spatial.ConvexHull``.

    Notes
    -----
    ``volume`` and ``area`` are sums over the facets, differentiable in the points.
    """

    _path = "scipy.spatial.ConvexHull"
    _instead = "compute it from x.points[x.simplices] and x.points[x.vertices]"

    @property
    def volume(self) -> Any:
        """Volume inside; in two dimensions the area."""
        if not needs_rule(self._points):
            return tensors(np.float64(self._real.volume))
        inside = np.mean(plain(self._points)[self._real.vertices], axis=0)
        corners = self._points[self._real.simplices] - inside
        volumes = xp.linalg.det(corners) / factorial(corners.shape[-1])
        return xp.sum(volumes * np.sign(plain(volumes)))

    @property
    def area(self) -> Any:
        """Area of the surface; in two dimensions the perimeter."""
        if not needs_rule(self._points):
            return tensors(np.float64(self._real.area))
        corners = self._points[self._real.simplices]
        return xp.sum(_size(corners[:, 1:] - corners[:, :1]))

    @property
    def min_bound(self) -> Any:
        """Least coordinates."""
        return xp.min(self._points, axis=0)

    @property
    def max_bound(self) -> Any:
        """Greatest coordinates."""
        return xp.max(self._points, axis=0)


class Voronoi(_OfQhull):
    """Stand-in for ``scipy.spatial.Voronoi``.

    Notes
    -----
    A vertex has the same distance to the points whose regions meet in it: 2 (p_i - p_0) v =
    p_i^2 - p_0^2.
    """

    _path = "scipy.spatial.Voronoi"
    _instead = "compute it from x.vertices and x.points"

    @property
    def vertices(self) -> Any:
        """Vertices of the regions."""
        real = self._real.vertices
        if not needs_rule(self._points):
            return tensors(real)
        around: list[list[int]] = [[] for _ in real]
        for point, region in enumerate(self._real.point_region):
            for vertex in self._real.regions[region] if region >= 0 else ():
                if vertex >= 0:
                    around[vertex].append(point)
        corners = self._points[np.array([a[: real.shape[1] + 1] for a in around])]
        origin = plain(corners)[:, :1]  # the squares of large coordinates would cancel
        corners = corners - origin
        rows = 2 * (corners[:, 1:] - corners[:, :1])
        squares = xp.sum(corners**2, axis=-1)
        right = (squares[:, 1:] - squares[:, :1])[..., None]
        return xp.linalg.solve(rows, right)[..., 0] + origin[:, 0]


class HalfspaceIntersection(_OfQhull):
    """Stand-in for ``scipy.spatial.HalfspaceIntersection``.

    Notes
    -----
    In a corner as many halfspaces are tight as there are dimensions: A x = -b.
    """

    _path = "scipy.spatial.HalfspaceIntersection"
    _given = "halfspaces"
    _instead = "compute it from x.intersections and x.halfspaces"

    def __init__(self, halfspaces: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(halfspaces, *args, **kwargs)

    @property
    def intersections(self) -> Any:
        """Corners of the intersection."""
        real = self._real.intersections
        if not needs_rule(self._points):
            return tensors(real)
        n = real.shape[1]
        tight = self._points[np.array([facet[:n] for facet in self._real.dual_facets])]
        return xp.linalg.solve(tight[..., :n], -tight[..., n:])[..., 0]


def hull_of(real: Any) -> Any:
    """Ours for a triangulation or hull of SciPy that was made outside of lifted code."""
    cls = {c.__name__: c for c in (ConvexHull, Delaunay, HalfspaceIntersection, Voronoi)}
    kind = cls[type(real).__name__]
    made = object.__new__(kind)
    made._take(tensor(getattr(real, kind._given), kind._path), real)
    return made


def tsearch(tri: Any, xi: Any) -> Any:
    """Numbers of the simplices in which points lie: plain."""
    return tri.find_simplex(xi)
