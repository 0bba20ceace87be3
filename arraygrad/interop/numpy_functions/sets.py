"""NumPy's set functions.

What they return are elements of their arguments: each keeps the derivative of one element, the
first of equal ones. Indices and counts have none.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import node_of, operand
from ..._graph import is_grad_enabled
from ...ops import indexing, manipulation
from ..plain import plain, tensors
from .constant import constant

UniqueAllResult = namedtuple("UniqueAllResult", ("values", "indices", "inverse_indices", "counts"))
UniqueCountsResult = namedtuple("UniqueCountsResult", ("values", "counts"))
UniqueInverseResult = namedtuple("UniqueInverseResult", ("values", "inverse_indices"))

constant(np.isin)


def _elements(values: Any, *sources: Any) -> Any:
    """The plain `values`, all of which are found in the sources, in the graph of these."""
    flat = [manipulation.reshape(operand(s), (-1,)) for s in sources]
    if not (is_grad_enabled() and any(node_of(x) is not None for x in flat)):
        return tensors(values)
    joined = flat[0] if len(flat) == 1 else manipulation.concat(flat)
    order = np.argsort(joined._array, kind="stable")
    places = order[np.searchsorted(joined._array, values, sorter=order)]
    return indexing.take(joined, operand(places), axis=0).astype(values.dtype, copy=False)


@answers(np.unique)
def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """np.unique."""
    x = operand(ar, "unique")
    find: Any = np.unique
    found = find(x._array, True, return_inverse, return_counts, axis, **kwargs)
    values, places = found[0], found[1]
    if axis is None:
        first = _elements(values, x)
    else:
        first = indexing.take(x, operand(places), axis=axis)
    rest = [tensors(f) for f in found[2:]]
    if return_index:
        rest.insert(0, tensors(places))
    return (first, *rest) if rest else first


@answers(np.unique_values)
def unique_values(x: Any) -> Any:
    """np.unique_values."""
    t = operand(x, "unique_values")
    return _elements(np.unique_values(t._array), t)


@answers(np.unique_all)
def unique_all(x: Any) -> Any:
    """np.unique_all."""
    t = operand(x, "unique_all")
    values, *rest = np.unique_all(t._array)
    return UniqueAllResult(_elements(values, t), *map(tensors, rest))


@answers(np.unique_counts)
def unique_counts(x: Any) -> Any:
    """np.unique_counts."""
    t = operand(x, "unique_counts")
    values, counts = np.unique_counts(t._array)
    return UniqueCountsResult(_elements(values, t), tensors(counts))


@answers(np.unique_inverse)
def unique_inverse(x: Any) -> Any:
    """np.unique_inverse."""
    t = operand(x, "unique_inverse")
    values, inverse = np.unique_inverse(t._array)
    return UniqueInverseResult(_elements(values, t), tensors(inverse))


@answers(np.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """np.intersect1d: values of the first argument."""
    intersect: Any = np.intersect1d
    found = intersect(plain(ar1), plain(ar2), assume_unique, return_indices)
    if not return_indices:
        return _elements(found, ar1, ar2)
    return (_elements(found[0], ar1, ar2), tensors(found[1]), tensors(found[2]))


@answers(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """np.union1d."""
    return _elements(np.union1d(plain(ar1), plain(ar2)), ar1, ar2)


@answers(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """np.setdiff1d."""
    return _elements(np.setdiff1d(plain(ar1), plain(ar2), assume_unique), ar1)


@answers(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """np.setxor1d."""
    return _elements(np.setxor1d(plain(ar1), plain(ar2), assume_unique), ar1, ar2)
