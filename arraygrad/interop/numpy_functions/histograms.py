"""NumPy's histograms: differentiable in the weights, and in edges where results depend on them.

The counts of a histogram are piecewise constant in the data, so their derivative there is 0. Edges
that NumPy makes from the range of the data move with its smallest and largest element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import apply, operand
from ..._graph import is_grad_enabled
from ..._storage import TensorBase
from ...ops import indexing, manipulation, statistical, utility
from ..plain import is_tracked, plain, tensors
from .rebinding import computed


def _sums(places: Any, weights: Any, size: int) -> Any:
    """Sums of the weights by place."""
    return apply(indexing.SCATTER_ADD, weights, key=np.asarray(places, np.intp), shape=(size,))


@answers(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """np.bincount, differentiable in the weights."""
    if not (is_grad_enabled() and is_tracked(weights)):
        return computed(np.bincount, (x,), {"weights": weights, "minlength": minlength})
    places = np.asarray(plain(x))
    size = np.bincount(places, minlength=minlength).size  # checks the places
    return _sums(places, operand(weights, "bincount", 2).astype(float, copy=False), size)


def _edges(data: Any, edges: Any, bins: Any, limits: Any) -> Any:
    """The plain edges as a tensor: as given, or between the ends of a range or of the data."""
    if np.ndim(plain(bins)) == 1 and not isinstance(bins, str):
        return operand(bins)
    ends = limits if limits is not None else (data.min(), data.max()) if data.size else (0, 1)
    if not (is_grad_enabled() and is_tracked(ends)):
        return tensors(edges)
    low, high = (operand(e) for e in ends)
    if low._array == high._array:
        low, high = low - 0.5, high + 0.5
    fraction = np.linspace(0, 1, edges.size)
    moved = low * (1 - fraction) + high * fraction
    return moved.astype(edges.dtype, copy=False)


@answers(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """np.histogram_bin_edges."""
    x = operand(a, "histogram_bin_edges").ravel()
    found = np.histogram_bin_edges(x._array, plain(bins), plain(range), plain(weights))
    return _edges(x, found, bins, range)


def _place(data: Any, edges: Any) -> Any:
    """In which bin each number is: 0 before the first edge, len(edges) behind the last."""
    place = np.searchsorted(edges, data, side="right")
    place[data == edges[-1]] -= 1
    return place


@answers(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """np.histogram."""
    x = operand(a, "histogram").ravel()
    counts, found = np.histogram(x._array, plain(bins), plain(range), None, plain(weights))
    edges = _edges(x, found, bins, range)
    if is_grad_enabled() and is_tracked(weights):
        n = found.size - 1
        place = _place(x._array, found)
        by_place = _sums(place, operand(weights, "histogram").ravel(), n + 2)
        total: Any = by_place[1:-1]
    else:
        total = tensors(counts)
    if density:
        total = total / utility.diff(edges) / statistical.sum(total)
    return total, edges


@answers(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """np.histogramdd."""
    x = _sample(sample)
    counts, found = np.histogramdd(x._array, _plain_bins(bins), plain(range), None, plain(weights))
    dimensions = len(found)
    each = list(bins) if _is_sequence(bins) else [bins] * dimensions
    limits = [None] * dimensions if range is None else list(range)
    edges = tuple(_edges(x[:, i], found[i], each[i], limits[i]) for i, _ in enumerate(found))
    if is_grad_enabled() and is_tracked(weights):
        shape = tuple(e.size + 1 for e in found)
        places = [_place(x._array[:, i], found[i]) for i, _ in enumerate(found)]
        flat = np.ravel_multi_index(places, shape)
        by_place = _sums(flat, _floats(weights), int(np.prod(shape)))
        total: Any = manipulation.reshape(by_place, shape)[(slice(1, -1),) * dimensions]
    else:
        total = tensors(counts)
    if density:
        scale = statistical.sum(total)
        for i, e in enumerate(edges):
            width = utility.diff(e)
            total = total / manipulation.reshape(
                width, tuple(-1 if k == i else 1 for k, _ in enumerate(edges))
            )
        total = total / scale
    return total, edges


def _floats(weights: Any) -> Any:
    """The weights in double precision, flat."""
    return operand(weights, "histogramdd").ravel().astype(float, copy=False)


def _is_sequence(bins: Any) -> bool:
    return isinstance(bins, list | tuple) or (
        isinstance(bins, np.ndarray | TensorBase) and np.ndim(plain(bins)) > 0
    )


def _plain_bins(bins: Any) -> Any:
    return [plain(b) for b in bins] if isinstance(bins, list | tuple) else plain(bins)


def _sample(sample: Any) -> Any:
    """One point per row, as NumPy reads it."""
    if isinstance(sample, list | tuple):
        return manipulation.stack([operand(s) for s in sample], axis=-1)
    x = operand(sample, "histogramdd")
    return x if x._array.ndim == 2 else manipulation.reshape(x, (-1, 1))


@answers(np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """np.histogram2d."""
    n = len(plain(bins)) if _is_sequence(bins) else 1
    if n not in (1, 2):
        bins = [operand(bins)] * 2
    total, edges = histogramdd([x, y], bins, range, density, weights)
    return total, edges[0], edges[1]
