"""Where kernels get memory for large results: from NumPy, or from a pool of who calls them.

A fresh result of megabytes costs page faults, which take as long as a cheap kernel. Kernels with an
argument ``out`` leave that to their caller; the others ask here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["empty", "use"]

_allocate: Callable[[tuple[int, ...], np.dtype[Any]], np.ndarray] = np.empty


def use(allocate: Callable[[tuple[int, ...], np.dtype[Any]], np.ndarray]) -> None:
    """Let ``allocate(shape, dtype)`` give the memory from now on."""
    global _allocate
    _allocate = allocate


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """C-contiguous array, not initialised."""
    return _allocate(shape, dtype)
