"""Stand-ins for ``scipy.ndimage``: filters and interpolation.

Linear filters are sums over neighbours of the array continued beyond its borders, and
differentiable in the array and in the weights; interpolation also in the coordinates.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._errors import ArgumentError
from ._borders import correlated, windows
from ._ndimage_morphology import (
    black_tophat as black_tophat,
    fourier_ellipsoid as fourier_ellipsoid,
    fourier_gaussian as fourier_gaussian,
    fourier_shift as fourier_shift,
    fourier_uniform as fourier_uniform,
    geometric_transform as geometric_transform,
    grey_closing as grey_closing,
    grey_dilation as grey_dilation,
    grey_erosion as grey_erosion,
    grey_opening as grey_opening,
    maximum_filter1d as maximum_filter1d,
    minimum_filter1d as minimum_filter1d,
    morphological_gradient as morphological_gradient,
    morphological_laplace as morphological_laplace,
    white_tophat as white_tophat,
)
from ._rule import constant, plain, refuse, rule, scipy_object, tensor, tensors_of, xp
from ._sampling import (
    affine_transform as affine_transform,
    map_coordinates as map_coordinates,
    rotate as rotate,
    shift as shift,
    spline_filter as spline_filter,
    spline_filter1d as spline_filter1d,
    zoom as zoom,
)


def _no_output(output: Any, function: str) -> None:
    if output is not None and not isinstance(output, type | np.dtype | str):
        raise refuse(f"scipy.ndimage.{function}", "with output=", "use the result")


def _each(value: Any, n: int) -> list[Any]:
    """One value for each axis."""
    return list(value) if isinstance(value, list | tuple) else [value] * n


def _axes(axes: Any, ndim: int) -> list[int]:
    if axes is None:
        return list(range(ndim))
    return [int(a) % ndim for a in (axes if isinstance(axes, list | tuple) else (axes,))]


def _spread(value: Any, along: list[int], ndim: int, otherwise: Any) -> list[Any]:
    """What belongs to some axes, with `otherwise` for the others."""
    out = [otherwise] * ndim
    for axis, item in zip(along, _each(value, len(along)), strict=True):
        out[axis] = item
    return out


def _expanded(weights: Any, along: list[int], ndim: int) -> Any:
    """Weights for some axes, with length 1 in the others."""
    shape = list(weights.shape)
    if len(shape) != len(along):
        raise ArgumentError(f"{len(shape)} dimensions of weights or footprint for axes={along}")
    for axis in range(ndim):
        if axis not in along:
            shape.insert(axis, 1)
    return weights.reshape(tuple(shape))


# -- along one axis --------------------------------------------------------------------------------


@rule("scipy.ndimage.correlate1d")
def correlate1d(
    input: Any, weights: Any, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Correlation along an axis; bilinear in input and weights."""
    _no_output(output, "correlate1d")
    x, w = tensors_of("scipy.ndimage.correlate1d", input, weights)
    return correlated(x, w, axis % x.ndim, mode, cval, origin)


@rule("scipy.ndimage.convolve1d")
def convolve1d(
    input: Any, weights: Any, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Convolution along an axis; bilinear in input and weights."""
    weights = tensor(weights, "scipy.ndimage.convolve1d", 2)
    origin = -origin - (weights.shape[0] % 2 == 0)
    return correlate1d(input, weights[::-1], axis, output, mode, cval, origin)


def _gaussian_weights(sigma: Any, order: int, radius: int) -> Any:
    """Samples of a normalized Gaussian or of a derivative of it, reversed for correlation."""
    x = np.arange(-radius, radius + 1.0)
    variance = sigma * sigma
    bell = xp.exp(-0.5 / variance * x**2)
    bell = bell / xp.sum(bell)
    if order:
        # The polynomial q with (q e^f)' = (q' + q f') e^f, f' = -x / variance, `order` times.
        q: list[Any] = [1.0]
        for _ in range(order):
            raised = [0.0, *(-c / variance for c in q)]
            lowered = [*(i * c for i, c in enumerate(q) if i), 0.0, 0.0][: len(raised)]
            q = [a + b for a, b in zip(raised, lowered, strict=True)]
        polynomial: Any = 0.0
        for i, c in enumerate(q):
            polynomial = polynomial + c * x**i
        bell = polynomial * bell
    return bell[::-1]


@rule("scipy.ndimage.gaussian_filter1d")
def gaussian_filter1d(
    input: Any, sigma: Any, axis: int = -1, order: int = 0, output: Any = None,
    mode: str = "reflect", cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    """Gaussian filter along an axis; differentiable in sigma, the window counts as constant."""
    _no_output(output, "gaussian_filter1d")
    x = tensor(input, "scipy.ndimage.gaussian_filter1d")
    radius = int(truncate * float(plain(sigma)) + 0.5) if radius is None else int(radius)
    weights = xp.asarray(_gaussian_weights(sigma, order, radius), dtype=x.dtype)
    return correlated(x, weights, axis % x.ndim, mode, cval, 0)


@rule("scipy.ndimage.uniform_filter1d")
def uniform_filter1d(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Mean of `size` neighbours along an axis."""
    _no_output(output, "uniform_filter1d")
    x = tensor(input, "scipy.ndimage.uniform_filter1d")
    weights = xp.full(int(size), 1.0 / int(size), dtype=x.dtype)
    return correlated(x, weights, axis % x.ndim, mode, cval, origin)


# -- along several axes ----------------------------------------------------------------------------


@rule("scipy.ndimage.gaussian_filter")
def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """Gaussian filter: one along each axis; differentiable in sigma."""
    x = tensor(input, "scipy.ndimage.gaussian_filter")
    along = _axes(axes, x.ndim)
    n = len(along)
    sigmas = list(sigma) if np.ndim(plain(sigma)) else [sigma] * n
    settings = zip(along, sigmas, _each(order, n), _each(mode, n), _each(radius, n), strict=True)
    for axis, s, o, m, r in settings:
        if float(plain(s)) > 1e-15:
            x = gaussian_filter1d(x, s, axis, o, output, m, cval, truncate, radius=r)
    return x


@rule("scipy.ndimage.uniform_filter")
def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Mean of the neighbours in a box."""
    x = tensor(input, "scipy.ndimage.uniform_filter")
    along = _axes(axes, x.ndim)
    n = len(along)
    for axis, s, m, o in zip(along, _each(size, n), _each(mode, n), _each(origin, n), strict=True):
        if s > 1:
            x = uniform_filter1d(x, s, axis, output, m, cval, o)
    return x


@rule("scipy.ndimage.correlate")
def correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Correlation with weights in all axes; bilinear in input and weights."""
    _no_output(output, "correlate")
    x, w = tensors_of("scipy.ndimage.correlate", input, weights)
    along = _axes(axes, x.ndim)
    if len(along) < x.ndim:
        w, origin = _expanded(w, along, x.ndim), _spread(origin, along, x.ndim, 0)
    seen = windows(x, w.shape, _each(mode, x.ndim), cval, _each(origin, x.ndim))
    return xp.tensordot(seen, w, axes=w.ndim)


@rule("scipy.ndimage.convolve")
def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Convolution with weights in all axes; bilinear in input and weights."""
    w = tensor(weights, "scipy.ndimage.convolve", 2)
    origins = [-o - (size % 2 == 0) for o, size in zip(_each(origin, w.ndim), w.shape, strict=True)]
    return correlate(input, xp.flip(w), output, mode, cval, origins, axes=axes)


def _along_each(
    x: Any, axis: int, across: list[float], along: list[float], mode: Any, cval: Any
) -> Any:
    x = tensor(x, "scipy.ndimage")
    axis, modes = axis % x.ndim, _each(mode, x.ndim)
    out = correlate1d(x, along, axis, None, modes[axis], cval)
    for other in range(x.ndim):
        if other != axis:
            out = correlate1d(out, across, other, None, modes[other], cval)
    return out


@rule("scipy.ndimage.sobel")
def sobel(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """Sobel's filter: a smoothed difference along an axis."""
    _no_output(output, "sobel")
    return _along_each(input, axis, [1.0, 2.0, 1.0], [-1.0, 0.0, 1.0], mode, cval)


@rule("scipy.ndimage.prewitt")
def prewitt(
    input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    """Prewitt's filter: a smoothed difference along an axis."""
    _no_output(output, "prewitt")
    return _along_each(input, axis, [1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], mode, cval)


@rule("scipy.ndimage.laplace")
def laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    """Sum of the second differences along all axes, or those given."""
    _no_output(output, "laplace")
    x = tensor(input, "scipy.ndimage.laplace")
    along = _axes(axes, x.ndim)
    parts = [
        correlate1d(x, [1.0, -2.0, 1.0], axis, None, m, cval)
        for axis, m in zip(along, _each(mode, len(along)), strict=True)
    ]
    return sum(parts[1:], parts[0])


@rule("scipy.ndimage.gaussian_laplace")
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """Sum of the second derivatives of the Gaussian filter."""
    _no_output(output, "gaussian_laplace")
    x = tensor(input, "scipy.ndimage.gaussian_laplace")
    along = _axes(axes, x.ndim)
    sigmas = list(sigma) if np.ndim(plain(sigma)) else [sigma] * len(along)
    sigmas = _spread(sigmas, along, x.ndim, 0.0)
    parts = _gaussian_derivatives(x, sigmas, 2, along, mode, cval, options)
    return sum(parts[1:], parts[0])


@rule("scipy.ndimage.gaussian_gradient_magnitude")
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """Length of the gradient of the Gaussian filter; its own gradient is 0 where it vanishes."""
    _no_output(output, "gaussian_gradient_magnitude")
    x = tensor(input, "scipy.ndimage.gaussian_gradient_magnitude")
    # SciPy smooths along all axes, whichever of the derivatives count.
    parts = _gaussian_derivatives(x, sigma, 1, _axes(axes, x.ndim), mode, cval, options)
    return xp.linalg.norm(xp.stack(parts), axis=0)


def _gaussian_derivatives(
    x: Any, sigma: Any, order: int, along: list[int], mode: Any, cval: Any, options: dict[str, Any]
) -> list[Any]:
    """One for each axis, of which each has its own mode for the filters along all axes."""
    return [
        gaussian_filter(x, sigma, _spread([order], [axis], x.ndim, 0), None, m, cval, **options)
        for axis, m in zip(along, _each(mode, len(along)), strict=True)
    ]


# -- order statistics ------------------------------------------------------------------------------


_BY_RANK = frozenset({"median_filter", "percentile_filter", "rank_filter"})


def _window_values(
    x: Any, size: Any, footprint: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any,
    name: str,
) -> Any:  # fmt: skip
    """The values in the window of each element, as the last axis."""
    _no_output(output, name)
    x = tensor(x, f"scipy.ndimage.{name}")
    along = _axes(axes, x.ndim)
    if footprint is not None:
        footprint = np.asarray(plain(footprint), bool)
    elif name in _BY_RANK:  # for which SciPy takes the axes as if they were sorted
        footprint = np.ones(_each(size, len(along)), bool)
    if footprint is not None and name not in _BY_RANK and footprint.all():
        size, footprint = footprint.shape, None  # a box, whose sizes are in the order of the axes
    if footprint is not None:
        footprint = _expanded(footprint, along, x.ndim) if len(along) < x.ndim else footprint
        shape: Any = footprint.shape
    else:
        shape = _spread(size, along, x.ndim, 1)
    modes, origins = _spread(mode, along, x.ndim, "nearest"), _spread(origin, along, x.ndim, 0)
    seen = windows(x, shape, modes, cval, origins).reshape((*x.shape, -1))
    return seen if footprint is None else seen[..., np.flatnonzero(footprint)]


@rule("scipy.ndimage.maximum_filter")
def maximum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Largest value in the window; ties share the gradient."""
    seen = _window_values(
        input, size, footprint, output, mode, cval, origin, axes, "maximum_filter"
    )
    return xp.max(seen, axis=-1)


@rule("scipy.ndimage.minimum_filter")
def minimum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Smallest value in the window; ties share the gradient."""
    seen = _window_values(
        input, size, footprint, output, mode, cval, origin, axes, "minimum_filter"
    )
    return xp.min(seen, axis=-1)


@rule("scipy.ndimage.median_filter")
def median_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """Middle value in the window (the upper one of two); its gradient goes to that element."""
    seen = _window_values(input, size, footprint, output, mode, cval, origin, axes, "median_filter")
    return xp.sort(seen, axis=-1)[..., seen.shape[-1] // 2]


@rule("scipy.ndimage.rank_filter")
def rank_filter(
    input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The value of a rank in the window; its gradient goes to that element."""
    seen = _window_values(input, size, footprint, output, mode, cval, origin, axes, "rank_filter")
    rank = operator.index(plain(rank))
    scipy_object("scipy.ndimage.rank_filter")(np.zeros(1), rank, seen.shape[-1])  # its errors
    return xp.sort(seen, axis=-1)[..., rank]


@rule("scipy.ndimage.percentile_filter")
def percentile_filter(
    input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    """The value of a percentile in the window; its gradient goes to that element."""
    part = float(plain(percentile))
    scipy_object("scipy.ndimage.percentile_filter")(np.zeros(1), part, 1)  # its errors
    part = part + 100.0 if part < 0.0 else part
    seen = _window_values(
        input, size, footprint, output, mode, cval, origin, axes, "percentile_filter"
    )
    count = seen.shape[-1]
    return xp.sort(seen, axis=-1)[..., min(int(count * part / 100.0), count - 1)]


@rule("scipy.ndimage.generic_filter")
def generic_filter(
    input: Any, function: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (),
    extra_keywords: Any = None, *, axes: Any = None,
) -> Any:  # fmt: skip
    """What a function of the program makes of the values in each window."""
    if not callable(function):
        raise refuse("scipy.ndimage.generic_filter", "through compiled functions")
    seen = _window_values(
        input, size, footprint, output, mode, cval, origin, axes, "generic_filter"
    )
    rows = seen.reshape((-1, seen.shape[-1]))
    given = extra_keywords or {}
    values = [function(row * 1.0, *extra_arguments, **given) for row in rows]
    return xp.reshape(xp.stack(values), seen.shape[:-1]).astype(seen.dtype)


# -- labels ----------------------------------------------------------------------------------------


@rule("scipy.ndimage.center_of_mass")
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Mean position weighted with the values, one number for each axis."""
    if index is not None and np.ndim(plain(index)):
        return [center_of_mass(input, labels, i) for i in plain(index)]
    x = tensor(input, "scipy.ndimage.center_of_mass")
    if labels is not None:
        inside = plain(labels) == plain(index) if index is not None else plain(labels) > 0
        x = xp.where(inside, x, 0.0)
    total = xp.sum(x)
    grids = np.ogrid[tuple(slice(0, n) for n in x.shape)]
    return tuple(xp.sum(x * grid) / total for grid in grids)


label = constant("scipy.ndimage.label", "Plain numbers of connected regions.")
