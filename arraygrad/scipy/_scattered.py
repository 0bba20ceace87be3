"""Interpolation between scattered points: linear, nearest, and smooth in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._interp1d import interp1d
from ._rule import needs_rule, plain, policed, refuse, rule, scipy_object, tensor, tensors, xp
from .sparse._pattern import Pattern, solved
from .spatial._hulls import Delaunay, hull_of


def _coordinates(args: tuple[Any, ...], count: int) -> Any:
    """Points, shape (..., count), from an array, or from one array for each coordinate."""
    if len(args) == 1 and isinstance(args[0], tuple):
        args = args[0]
    if len(args) > 1:
        return xp.stack(xp.broadcast_arrays(*(xp.asarray(a, dtype=float) for a in args)), axis=-1)
    points = xp.asarray(args[0], dtype=float)
    return points.reshape((-1, count)) if points.ndim == 1 and count > 1 else points


class _Scattered:
    """What the interpolators share: points, shape (n, d), and values, shape (n, ...)."""

    _name: str

    def _begin(self, points: Any, values: Any, options: dict[str, Any]) -> None:
        self._path = f"scipy.interpolate.{self._name}"
        if isinstance(points, scipy_object("scipy.spatial.Delaunay")):
            points = hull_of(points)
        made = points._real if isinstance(points, Delaunay) else plain(points)
        self._real = scipy_object(self._path)(made, plain(values), **plain(options))
        given = points.points if isinstance(points, Delaunay) else points
        self.points = tensor(_coordinates((given,), self._real.points.shape[-1]), self._path)
        self.values = tensor(values, self._path, 2)
        self._fill = options.get("fill_value", np.nan)

    def _flat(self, args: Any) -> Any:
        found = _coordinates(args, self.points.shape[-1])
        return found, found.reshape((-1, self.points.shape[-1]))

    @policed
    def __call__(self, *args: Any, **options: Any) -> Any:
        if not needs_rule(args, self.points, self.values, self._fill):
            return tensors(self._real(*plain(args), **plain(options)))
        if options:
            self._real(*plain(args), **plain(options))  # its errors
        points, flat = self._flat(args)
        out = self._at(flat, options)
        return out.reshape((*points.shape[:-1], *self.values.shape[1:]))

    def _at(self, flat: Any, options: dict[str, Any]) -> Any:
        raise NotImplementedError

    # -- simplices ---------------------------------------------------------------------------------

    def _places(self, flat: Any, options: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Simplex of each point, its corners, and the barycentric coordinates in it."""
        tri, real = self._real.tri, self._real
        scaled = plain(flat)
        if getattr(real, "scale", None) is not None:
            scaled = (scaled - real.offset) / real.scale
        tolerance = plain(options).get("simplex_tolerance")  # since SciPy 1.18
        default = 100 * np.finfo(float).eps
        simplex = tri.find_simplex(scaled, tol=None if tolerance is None else default * tolerance)
        corners = tri.simplices[np.maximum(simplex, 0)]
        at = self.points[corners]
        edges = xp.swapaxes(at[:, 1:] - at[:, :1], -1, -2)
        part = xp.linalg.solve(edges, (flat - at[:, 0])[..., None])[..., 0]
        first = 1 - xp.sum(part, axis=-1, keepdims=True)
        return simplex, corners, xp.concatenate((first, part), axis=-1)

    def _filled(self, out: Any, simplex: Any) -> Any:
        outside = simplex < 0
        if not outside.any():
            return out
        return xp.where(outside.reshape((-1,) + (1,) * (out.ndim - 1)), self._fill, out)


class LinearNDInterpolator(_Scattered):
    """Stand-in for ``scipy.interpolate.LinearNDInterpolator``.

    Notes
    -----
    Differentiable in the values, in the points and where it is evaluated: the triangulation stays
    the same where points move a little.
    """

    _name = "LinearNDInterpolator"

    def __init__(
        self, points: Any, values: Any, fill_value: Any = np.nan, rescale: bool = False
    ) -> None:
        self._begin(points, values, {"fill_value": fill_value, "rescale": rescale})

    def _at(self, flat: Any, options: dict[str, Any]) -> Any:
        simplex, corners, weights = self._places(flat, options)
        weights = weights.reshape((*weights.shape, *(1,) * (self.values.ndim - 1)))
        return self._filled(xp.sum(self.values[corners] * weights, axis=1), simplex)


class NearestNDInterpolator(_Scattered):
    """Stand-in for ``scipy.interpolate.NearestNDInterpolator``; differentiable in the values."""

    _name = "NearestNDInterpolator"

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        self._begin(x, y, {"rescale": rescale, "tree_options": tree_options})

    def _at(self, flat: Any, options: dict[str, Any]) -> Any:
        real, scaled = self._real, plain(flat)
        if real.scale is not None:
            scaled = (scaled - real.offset) / real.scale
        distance, found = real.tree.query(scaled, **plain(options))
        missing = ~np.isfinite(distance)
        out = self.values[np.where(missing, 0, found)]
        if not needs_rule(self.values):  # constant between the points: the derivative is zero
            still = 0.0 * xp.sum(xp.sign(flat), axis=-1) + 0.0 * xp.sum(xp.sign(self.points))
            out = out + still.reshape((-1,) + (1,) * (out.ndim - 1))
        if not missing.any():
            return out
        return xp.where(missing.reshape((-1,) + (1,) * (out.ndim - 1)), np.nan, out)


class CloughTocher2DInterpolator(_Scattered):
    """Stand-in for ``scipy.interpolate.CloughTocher2DInterpolator``.

    Notes
    -----
    Differentiable in the values and where it is evaluated. SciPy iterates for the slopes at the
    points; their derivative is that of the solution of the linear system.
    """

    _name = "CloughTocher2DInterpolator"

    def __init__(
        self, points: Any, values: Any, fill_value: Any = np.nan, tol: float = 1e-6,
        maxiter: int = 400, rescale: bool = False,
    ) -> None:  # fmt: skip
        options = {"fill_value": fill_value, "tol": tol, "maxiter": maxiter, "rescale": rescale}
        self._begin(points, values, options)

    def _at(self, flat: Any, options: dict[str, Any]) -> Any:
        if needs_rule(self.points):
            raise refuse(self._path, "by its points", "use LinearNDInterpolator, which has")
        if self.values._array.dtype.kind == "c":
            raise refuse(self._path, "by complex values", "interpolate both parts")
        simplex, corners, weights = self._places(flat, options)
        columns = self.values.reshape((self.values.shape[0], -1))
        tri = self._real.tri
        slopes = _slopes(tri, columns, np.asarray(self._real.grad))
        out = _alfeld(tri, simplex, corners, weights, columns, slopes)
        return self._filled(out.reshape((-1, *self.values.shape[1:])), simplex)


def _edges(tri: Any) -> tuple[Any, Any, Any]:
    """First and second point of each edge, in both directions, and the way between them."""
    starts, second = tri.vertex_neighbor_vertices
    first = np.repeat(np.arange(len(tri.points)), np.diff(starts))
    return first, second, tri.points[second] - tri.points[first]


def _slopes(tri: Any, values: Any, real: Any) -> Any:
    """Slopes at the points, shape (n, 2, columns), that make the curvature along edges least."""
    n = len(tri.points)
    first, second, way = _edges(tri)
    cube = np.sum(way**2, axis=1) ** 1.5
    outer = way[:, :, None] * way[:, None, :] / cube[:, None, None]
    i, j = np.broadcast_arrays(np.arange(2)[None, :, None], np.arange(2)[None, None, :])
    rows = (2 * first[:, None, None] + i).reshape(-1)
    own = (2 * first[:, None, None] + j).reshape(-1)
    other = (2 * second[:, None, None] + j).reshape(-1)
    pattern = Pattern(np.concatenate((rows, rows)), np.concatenate((own, other)), (2 * n, 2 * n))
    entries = xp.asarray(np.concatenate((4 * outer.reshape(-1), 2 * outer.reshape(-1))))
    rise = 6 * (values[second] - values[first])[:, None, :] * (way / cube[:, None])[:, :, None]
    right = xp.zeros((n, 2, values.shape[1]), dtype=float)
    xp.add.at(right, first, rise)
    found = solved(entries, right.reshape((2 * n, -1)), pattern).reshape((n, 2, -1))
    # SciPy's values, which its iteration leaves a little off.
    return found + (np.moveaxis(real.reshape((n, -1, 2)), 1, 2) - plain(found))


def _ways(tri: Any, simplex: Any, corners: Any) -> Any:
    """For each side, where the centre of the triangle beyond it lies along that side."""
    found = np.full((len(corners), 3), -0.5)
    for k in range(3):
        beyond = tri.neighbors[np.maximum(simplex, 0), k]
        inner = beyond >= 0
        centre = tri.points[tri.simplices[beyond]].mean(axis=1)
        transform = tri.transform[np.maximum(simplex, 0)]
        part = np.einsum("nij,nj->ni", transform[:, :2], centre - transform[:, 2])
        c = np.concatenate((part, 1 - part.sum(axis=1, keepdims=True)), axis=1)
        one, two = c[:, (k + 1) % 3], c[:, (k + 2) % 3]
        found[inner, k] = ((2 * two + one - 1) / (2 - 3 * two - 3 * one))[inner]
    return found[:, :, None]


def _alfeld(tri: Any, simplex: Any, corners: Any, weights: Any, values: Any, slopes: Any) -> Any:
    """The cubic in each of the three parts of a triangle, in Bernstein's form."""
    f = [values[corners[:, i]] for i in range(3)]
    d = [slopes[corners[:, i]] for i in range(3)]
    p = [tri.points[corners[:, i]] for i in range(3)]
    near = {  # coefficient next to corner i on the side to corner j
        (i, j): f[i] + xp.sum(d[i] * (p[j] - p[i])[:, :, None], axis=1) / 3
        for i in range(3) for j in range(3) if i != j
    }  # fmt: skip
    below = [(near[i, (i + 1) % 3] + near[i, (i + 2) % 3] + f[i]) / 3 for i in range(3)]
    g = _ways(tri, simplex, corners)
    across = []  # beside the middle of the side opposite to corner k
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        third = f[j] - 3 * near[j, i] + 3 * near[i, j] - f[i]
        rest = -f[i] + 2 * near[i, j] - near[j, i] + below[i] + below[j]
        across.append((g[:, k] * third + rest) / 2)
    inner = [(across[(i + 1) % 3] + across[(i + 2) % 3] + below[i]) / 3 for i in range(3)]
    middle = (inner[0] + inner[1] + inner[2]) / 3
    least = xp.min(weights, axis=1, keepdims=True)
    b = [(weights[:, i : i + 1] - least) for i in range(3)]
    t = 3 * least
    out = t**3 * middle
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out = out + b[i] ** 3 * f[i] + 3 * b[i] ** 2 * (b[j] * near[i, j] + b[k] * near[i, k])
        out = out + 3 * b[i] * t * (b[i] * below[i] + t * inner[i])
        out = out + 6 * b[j] * b[k] * t * across[i]
    return out


@rule("scipy.interpolate.griddata")
def griddata(
    points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = np.nan,
    rescale: bool = False, simplex_tolerance: float = 1.0,
) -> Any:  # fmt: skip
    """Values at xi between scattered points; see the interpolators of this module."""
    given = {} if simplex_tolerance == 1.0 else {"simplex_tolerance": simplex_tolerance}
    if given:
        real = scipy_object("scipy.interpolate.griddata")
        real(*plain((points, values, xi, method, fill_value, rescale)), **given)  # its errors
    shape = np.shape(plain(points))
    count = len(points) if isinstance(points, tuple) else shape[-1] if len(shape) > 1 else 1
    if count == 1:
        return _on_a_line(points, values, xi, method, fill_value)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    kinds: Any = {"linear": LinearNDInterpolator, "cubic": CloughTocher2DInterpolator}
    return kinds[method](points, values, fill_value=fill_value, rescale=rescale)(xi, **given)


def _on_a_line(points: Any, values: Any, xi: Any, method: str, fill_value: Any) -> Any:
    points = tensor(points[0] if isinstance(points, tuple) else points, "griddata").reshape(-1)
    if isinstance(xi, tuple):
        (xi,) = xi
    order = np.argsort(plain(points))
    fill = "extrapolate" if method == "nearest" else fill_value
    values = tensor(values, "griddata", 2)[order]
    return interp1d(points[order], values, kind=method, axis=0, bounds_error=False,
                    fill_value=fill)(xi)  # fmt: skip


def scattered_of(real: Any) -> Any:
    """Ours for an interpolator of SciPy that was made outside of lifted code."""
    kinds = (CloughTocher2DInterpolator, LinearNDInterpolator, NearestNDInterpolator)
    kind = {k.__name__: k for k in kinds}[type(real).__name__]
    made: Any = object.__new__(kind)
    made._path, made._real = f"scipy.interpolate.{kind._name}", real
    scale, offset = getattr(real, "scale", None), getattr(real, "offset", None)
    points = np.asarray(real.points)
    made.points = tensor(points if scale is None else points * scale + offset, made._path)
    values = np.asarray(real.values)
    shape = getattr(real, "values_shape", values.shape[1:])
    made.values = tensor(values.reshape((len(points), *shape)), made._path)
    made._fill = getattr(real, "fill_value", np.nan)
    return made
