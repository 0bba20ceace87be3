"""Interpolation on regular grids in any number of dimensions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ._bsplines import basis, derived, interval_of, make_interp_spline
from ._piecewise import PchipInterpolator
from ._rule import needs_rule, plain, policed, refuse, rule, scipy_object, tensor, tensors, xp

_ORDERS = {"slinear": 1, "cubic": 3, "quintic": 5}


class RegularGridInterpolator:
    """Stand-in for ``scipy.interpolate.RegularGridInterpolator``.

    Notes
    -----
    Differentiable in the values, the grid and the points of evaluation. Methods "linear" and the
    splines "slinear", "cubic", "quintic" and "pchip"; "nearest" in the values.
    """

    def __init__(
        self, points: Any, values: Any, method: str = "linear", bounds_error: bool = True,
        fill_value: Any = np.nan, **options: Any,
    ) -> None:  # fmt: skip
        if "solver" in options:  # lifted code names ours, by which SciPy does not know its own
            options["solver"] = _scipys_solver(options["solver"])
        self._real = scipy_object("scipy.interpolate.RegularGridInterpolator")(
            plain(tuple(points)), plain(values), method, bounds_error, plain(fill_value), **options
        )
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value
        self.values = tensor(values, "scipy.interpolate.RegularGridInterpolator", 2)
        grid = [tensor(p, "scipy.interpolate.RegularGridInterpolator") for p in points]
        for axis, p in enumerate(grid):
            if p.shape[0] > 1 and plain(p)[0] > plain(p)[-1]:
                grid[axis], self.values = p[::-1], xp.flip(self.values, axis)
        self.grid = tuple(grid)

    @policed
    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        method = self.method if method is None else method
        if not needs_rule(xi, self.values, self.grid, self.fill_value):
            return tensors(self._real(plain(xi), method, nu=nu))
        # Raises for points out of bounds, and for derivatives of other methods than splines.
        self._real(plain(_points(xi, len(self.grid))), method, nu=nu)
        points = _points(xi, len(self.grid))
        flat = points.reshape((-1, len(self.grid)))
        coordinates = [flat[:, i] for i in range(len(self.grid))]
        orders = [0] * len(self.grid) if nu is None else [int(n) for n in nu]
        out = self._at(coordinates, method, orders)
        if self.fill_value is not None:
            outside = np.zeros(flat.shape[0], bool)
            for p, x in zip(self.grid, coordinates, strict=True):
                outside |= (plain(x) < plain(p)[0]) | (plain(x) > plain(p)[-1])
            if outside.any():
                fill = outside.reshape((-1,) + (1,) * (out.ndim - 1))
                out = xp.where(fill, self.fill_value, out)
        return out.reshape((*points.shape[:-1], *self.values.shape[len(self.grid) :]))

    def _at(self, coordinates: list[Any], method: str, orders: list[int]) -> Any:
        if method == "nearest":
            index = tuple(
                _nearest(plain(p), plain(x)) for p, x in zip(self.grid, coordinates, strict=True)
            )
            return self.values[index]
        if method == "linear":
            parts = [_linear(p, x) for p, x in zip(self.grid, coordinates, strict=True)]
            return _product(self.values, parts)
        if method == "pchip":
            return _monotone(self.grid, self.values, coordinates)
        c, parts = self.values, []
        for axis, (p, x) in enumerate(zip(self.grid, coordinates, strict=True)):
            spline = make_interp_spline(p, c, _ORDERS[method], axis=axis)
            t, c, k = spline.tck
            for _ in range(orders[axis]):
                t, c, k = derived(t, c, k) if k else (t, 0 * c, 0)
            c = xp.moveaxis(c, 0, axis)
            intervals = interval_of(t, k, x)
            weights = basis(t, k, x, intervals)
            parts.append([(intervals - k + i, w) for i, w in enumerate(weights)])
        return _product(c, parts)


def _scipys_solver(solver: Any) -> Any:
    if str(getattr(solver, "__module__", "")).startswith("arraygrad.scipy."):
        return scipy_object(f"scipy.sparse.linalg.{solver.__name__}")
    return solver


def _monotone(grid: tuple[Any, ...], values: Any, coordinates: list[Any]) -> Any:
    """One interpolation along each axis, the last axis first as in SciPy: they do not commute."""
    last = len(grid) - 1
    out = PchipInterpolator(grid[last], xp.moveaxis(values, last, 0))(coordinates[last])
    for axis in range(last - 1, -1, -1):
        p, x = grid[axis], coordinates[axis]
        rows = [PchipInterpolator(p, xp.moveaxis(out[j], axis, 0))(x[j]) for j in range(x.shape[0])]
        out = xp.stack(rows) if rows else xp.sum(out, axis=axis + 1)
    return out


def _points(xi: Any, count: int) -> Any:
    """Points, shape (..., count), from an array or a tuple of coordinates."""
    if isinstance(xi, tuple):
        return xp.stack(xp.broadcast_arrays(*(xp.asarray(x, dtype=float) for x in xi)), axis=-1)
    points = xp.asarray(xi, dtype=float)
    return points.reshape((-1, count)) if points.ndim == 1 else points


def _nearest(grid: Any, x: Any) -> Any:
    i = np.clip(np.searchsorted(grid, x) - 1, 0, len(grid) - 2)
    return np.where((x - grid[i]) / (grid[i + 1] - grid[i]) <= 0.5, i, i + 1)


def _linear(grid: Any, x: Any) -> list[Any]:
    """Both neighbours of each point along one axis, with their weights."""
    i = np.clip(np.searchsorted(plain(grid), plain(x)) - 1, 0, grid.shape[0] - 2)
    part = (x - grid[i]) / (grid[i + 1] - grid[i])
    return [(i, 1 - part), (i + 1, part)]


def _product(values: Any, parts: list[list[Any]]) -> Any:
    """Sum over all choices of a neighbour along each axis."""
    out: Any = 0.0
    for choice in itertools.product(*parts):
        weight: Any = 1.0
        for _, w in choice:
            weight = weight * w
        found = values[tuple(i for i, _ in choice)]
        out = out + found * weight.reshape((-1,) + (1,) * (found.ndim - 1))
    return out


@rule("scipy.interpolate.interpn")
def interpn(
    points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    """Interpolated values at the points xi; see `RegularGridInterpolator`."""
    if method == "splinef2d":
        raise refuse("scipy.interpolate.interpn", "for method='splinef2d'", "use 'cubic'")
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
