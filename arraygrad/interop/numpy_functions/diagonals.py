"""NumPy's functions of diagonals and triangles, and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ArgumentError, ShapeError
from ...ops import creation, manipulation, products, views


@answers(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """np.diag: of a vector a matrix, of a matrix its diagonal (a view)."""
    x = operand(v, "diag")
    if x._array.ndim == 2:
        return views.diagonal(x, k)
    if x._array.ndim != 1:
        raise ShapeError(f"np.diag takes a vector or a matrix, not shape {x._array.shape}")
    n = x._array.shape[0] + abs(k)
    return products.embed_diagonal(x, (n, n), k, 0, 1)


@answers(np.diagflat)
def diagflat(v: Any, k: int = 0) -> Any:
    """np.diagflat."""
    return diag(operand(v, "diagflat").ravel(), k)


@answers(np.tril)
def tril(m: Any, k: int = 0) -> Any:
    """np.tril."""
    return _triangle(creation.tril, m, k)


@answers(np.triu)
def triu(m: Any, k: int = 0) -> Any:
    """np.triu."""
    return _triangle(creation.triu, m, k)


def _triangle(function: Any, m: Any, k: int) -> Any:
    x = operand(m, function.__name__)
    if x._array.ndim == 1:  # NumPy: a vector is every row of a square matrix
        x = manipulation.broadcast_to(x, (x._array.size, x._array.size))
    return function(x, k=int(k))


@answers(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """np.meshgrid; views with copy=False."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"indexing={indexing!r}; use 'xy' or 'ij'")
    n = len(xi)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[:2] = 1, 0
    grids = []
    for i, x in enumerate(xi):
        shape = [1] * n
        shape[order[i]] = -1
        grids.append(manipulation.reshape(operand(x, "meshgrid", i + 1), tuple(shape)))
    if not sparse:
        grids = list(manipulation.broadcast_arrays(*grids)) if grids else grids
    return tuple(g.copy() for g in grids) if copy else tuple(grids)
