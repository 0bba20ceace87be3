"""NumPy's functions of diagonals and triangles, and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ShapeError
from ...ops import creation, manipulation, products, views
from .rebinding import rebound


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


meshgrid = rebound(np.meshgrid)
