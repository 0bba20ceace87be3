"""Arrays sampled between their elements by B-splines, as ``scipy.ndimage`` does."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ._borders import extended
from ._bsplines import basis
from ._rule import plain, refuse, rule, scipy_object, tensor, xp

# SciPy continues the array by this many elements before it fits a spline in these modes.
_PAD = 12
_PADDED = ("nearest", "grid-constant")


@rule("scipy.ndimage.spline_filter1d")
def spline_filter1d(
    input: Any, order: int = 3, axis: int = -1, output: Any = None, mode: str = "mirror"
) -> Any:
    """Spline coefficients along an axis: a fixed matrix times the array."""
    x = tensor(input, "scipy.ndimage.spline_filter1d")
    if order in (0, 1) or x.shape[axis] == 1:
        return x
    real = scipy_object("scipy.ndimage.spline_filter1d")
    matrix = real(np.eye(x.shape[axis]), order, axis=0, mode=mode)
    return xp.moveaxis(xp.moveaxis(x, axis, -1) @ matrix.T, -1, axis)


@rule("scipy.ndimage.spline_filter")
def spline_filter(input: Any, order: int = 3, output: Any = None, mode: str = "mirror") -> Any:
    """Spline coefficients along all axes."""
    x = tensor(input, "scipy.ndimage.spline_filter")
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, None, mode)
    return x


def _folded(t: Any, n: int, mode: str) -> Any:
    """Coordinates moved into the array: t -> sign * t + offset, piecewise constant."""
    values = plain(t)
    if mode in ("constant", "grid-constant"):
        return t
    if mode == "nearest":
        return xp.clip(t, 0.0, n - 1.0)
    if mode == "wrap":
        period = max(n - 1.0, 1.0)
        outside = (values < 0) | (values > n - 1)
        return t - np.where(outside, period * np.floor(values / period), 0.0)
    if mode == "grid-wrap":
        return t - n * np.floor((values + 0.5) / n) if n else t
    # mirror about the centres of the end elements, reflect about their outer edges
    period, centre = (2.0 * (n - 1), 0.0) if mode == "mirror" else (2.0 * n, -0.5)
    if n == 1:
        return 0.0 * t
    turns = np.floor((values - centre) / period)
    inner = values - centre - turns * period
    backward = inner > period / 2
    return xp.where(backward, 2 * centre + period - (t - turns * period), t - turns * period)


def _neighbour(index: Any, n: int, mode: str) -> Any:
    """Elements that stand for those beyond the ends."""
    mirrored = mode in ("constant", "wrap", "mirror")
    if mode == "grid-constant":
        return index
    if mode == "nearest":
        return np.clip(index, 0, n - 1)
    if mode == "grid-wrap":
        return index % n
    if n == 1:
        return np.zeros_like(index)
    if mirrored:
        folded = index % (2 * n - 2)
        return np.where(folded >= n, 2 * n - 2 - folded, folded)
    folded = index % (2 * n)
    return np.where(folded >= n, 2 * n - 1 - folded, folded)


def sampled(
    x: Any, coordinates: list[Any], order: int, mode: str, cval: Any, filtered: bool
) -> Any:
    """Values of the spline of an array at coordinates, one tensor for each axis."""
    mode = {"grid-mirror": "reflect"}.get(mode, mode)
    padding = _PAD if order > 1 and filtered and mode in _PADDED else 0
    shape = x.shape
    for axis in range(x.ndim if padding else 0):
        x = extended(x, axis, padding, padding, mode, cval)
    if order > 1 and filtered:
        x = spline_filter(x, order, None, mode)
    parts = []
    outside: Any = False
    for axis, t in enumerate(coordinates):
        n = x.shape[axis]
        if mode == "constant":
            values = plain(t)
            outside = outside | (values < 0) | (values > shape[axis] - 1)
        parts.append(_weights(_folded(t + padding, n, mode), n, order, mode))
    out: Any = 0.0
    for choice in itertools.product(*parts):
        weight: Any = 1.0
        for _, w in choice:
            weight = weight * w
        index = tuple(index for index, _ in choice)
        out = out + (_or_constant(x, index, cval) if mode == "grid-constant" else x[index]) * weight
    return xp.where(outside, cval, out) if np.any(outside) else out


def _or_constant(x: Any, index: tuple[Any, ...], cval: Any) -> Any:
    """Elements of an array that goes on with a constant beyond its ends."""
    inside: Any = True
    for i, n in zip(index, x.shape, strict=True):
        inside = inside & (i >= 0) & (i < n)
    if np.all(inside):
        return x[index]
    clipped = (np.clip(i, 0, n - 1) for i, n in zip(index, x.shape, strict=True))
    return xp.where(inside, x[tuple(clipped)], cval)


def _weights(t: Any, n: int, order: int, mode: str) -> list[Any]:
    """The neighbours that count along one axis, with their weights."""
    values = plain(t)
    if order == 0:
        return [(_neighbour(np.floor(values + 0.5).astype(int), n, mode), 1.0 + 0.0 * t)]
    # B-spline i has its centre at element i: knots at i - (order + 1) / 2
    shift_of_knots = (order + 1) / 2
    interval = np.floor(values + shift_of_knots).astype(int)
    if mode != "grid-constant":  # in which what lies beyond the end counts
        interval = np.where(
            values >= n - 1, np.minimum(interval, n - 1 + (order + 1) // 2), interval
        )
    low = int(interval.min(initial=0)) - order - 1
    high = int(interval.max(initial=0)) + order + 2
    knots = np.arange(low, high + 1) - shift_of_knots
    weights = basis(xp.asarray(knots), order, t, interval - low)
    return [(_neighbour(interval - order + i, n, mode), w) for i, w in enumerate(weights)]


@rule("scipy.ndimage.map_coordinates")
def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: int = 3, mode: str = "constant",
    cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """Values at coordinates, shape (ndim, ...); differentiable in input and coordinates."""
    _check("map_coordinates", output)
    x = tensor(input, "scipy.ndimage.map_coordinates")
    at = tensor(coordinates, "scipy.ndimage.map_coordinates", 2)
    return sampled(x, list(at), order, mode, cval, prefilter)


def _check(function: str, output: Any) -> None:
    if output is not None and not isinstance(output, type | np.dtype | str):
        raise refuse(f"scipy.ndimage.{function}", "with output=", "use the result")


@rule("scipy.ndimage.shift")
def shift(
    input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant",
    cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """The array moved by fractions of elements; differentiable in input and shift."""
    _check("shift", output)
    x = tensor(input, "scipy.ndimage.shift")
    by = list(shift) if np.ndim(plain(shift)) else [shift] * x.ndim
    at = [grid - s for grid, s in zip(np.indices(x.shape, dtype=float), by, strict=True)]
    return sampled(x, [xp.asarray(t) for t in at], order, mode, cval, prefilter)


@rule("scipy.ndimage.affine_transform")
def affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None,
    order: int = 3, mode: str = "constant", cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """The array at matrix @ position + offset; differentiable in all three."""
    _check("affine_transform", output)
    x = tensor(input, "scipy.ndimage.affine_transform")
    matrix = tensor(matrix, "scipy.ndimage.affine_transform", 2)
    offset = tensor(offset, "scipy.ndimage.affine_transform", 3)
    if matrix.ndim == 2 and matrix.shape[1] == x.ndim + 1:
        matrix, offset = matrix[: x.ndim, : x.ndim], matrix[: x.ndim, x.ndim]
    shape = x.shape if output_shape is None else tuple(output_shape)
    positions = np.indices(shape, dtype=float).reshape((len(shape), -1))
    moved = matrix[:, None] * positions if matrix.ndim == 1 else matrix @ positions
    at = moved + xp.broadcast_to(offset, (x.ndim,))[:, None]
    return sampled(x, [t.reshape(shape) for t in at], order, mode, cval, prefilter)


@rule("scipy.ndimage.zoom")
def zoom(
    input: Any, zoom: Any, output: Any = None, order: int = 3, mode: str = "constant",
    cval: Any = 0.0, prefilter: bool = True, *, grid_mode: bool = False,
) -> Any:  # fmt: skip
    """The array at another resolution; linear in input, the zoom counts as constant."""
    _check("zoom", output)
    x = tensor(input, "scipy.ndimage.zoom")
    factors = np.broadcast_to(plain(zoom), (x.ndim,))
    shape = tuple(round(n * f) for n, f in zip(x.shape, factors, strict=True))
    less = 0 if grid_mode else 1  # distances between outer edges, or between centres
    pairs = zip(x.shape, shape, strict=True)
    steps = [(n - less) / (m - less) if m > less else 1.0 for n, m in pairs]
    middle = 0.5 if grid_mode else 0.0
    at = np.indices(shape, dtype=float) + middle
    at = at * np.reshape(steps, (-1,) + (1,) * x.ndim) - middle
    return sampled(x, [xp.asarray(t) for t in at], order, mode, cval, prefilter)


@rule("scipy.ndimage.rotate")
def rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: bool = True, output: Any = None,
    order: int = 3, mode: str = "constant", cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """The matrix rotated by an angle in degrees; differentiable in both."""
    _check("rotate", output)
    x = tensor(input, "scipy.ndimage.rotate")
    if x.ndim != 2 or {a % 2 for a in axes} != {0, 1}:
        raise refuse("scipy.ndimage.rotate", "of other than two dimensions", "rotate each matrix")
    radians = tensor(angle, "scipy.ndimage.rotate", 2) * (np.pi / 180)
    c, s = xp.cos(radians), xp.sin(radians)
    matrix = xp.stack((xp.stack((c, s)), xp.stack((-s, c))))
    shape = np.asarray(x.shape)
    if reshape:
        rows, columns = x.shape
        corners = plain(matrix) @ [[0, 0, rows, rows], [0, columns, 0, columns]]
        shape = (np.ptp(corners, axis=1) + 0.5).astype(int)
    centre = (np.asarray(x.shape) - 1) / 2
    offset = centre - matrix @ ((shape - 1) / 2)
    return affine_transform(x, matrix, offset, tuple(shape), None, order, mode, cval, prefilter)
