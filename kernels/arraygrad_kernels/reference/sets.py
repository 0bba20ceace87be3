"""Sets: unique elements and membership, by value equality.

Equality decides, so every NaN (every complex number with a NaN component) is distinct and counted
once, and -0 and 0 are one element, represented by whichever comes first. The results are sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.reference.search import comparable

__all__ = ["KERNELS"]


def _grouped(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the flat elements, the order that sorts them stably, and where new groups start."""
    flat = x.reshape(-1)
    keys = comparable(flat)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.ones(keys.shape, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return flat, order, first


def _inverse(order: np.ndarray, first: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    inverse = np.empty(order.shape, np.intp)
    inverse[order] = np.cumsum(first, dtype=np.intp) - 1
    return inverse.reshape(shape)


def _counts(first: np.ndarray) -> np.ndarray:
    return np.diff(np.flatnonzero(first), append=first.size)


def unique_all(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the unique elements, their first flat indices, the inverse indices and the counts."""
    flat, order, first = _grouped(x)
    indices = order[first]
    return flat[indices], indices, _inverse(order, first, x.shape), _counts(first)


def unique_counts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the unique elements and how often each occurs."""
    flat, order, first = _grouped(x)
    return flat[order[first]], _counts(first)


def unique_inverse(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the unique elements and, in the shape of ``x``, which of them each element is."""
    flat, order, first = _grouped(x)
    return flat[order[first]], _inverse(order, first, x.shape)


def unique_values(x: np.ndarray) -> np.ndarray:
    """Return the unique elements."""
    flat, order, first = _grouped(x)
    return flat[order[first]]


def isin(x1: np.ndarray, x2: np.ndarray, *, invert: bool = False) -> np.ndarray:
    """Return whether each element of ``x1`` equals one of ``x2``; NaN never does."""
    return np.isin(comparable(x1), comparable(x2), invert=invert)


KERNELS: dict[str, Callable[..., Any]] = {
    "isin": isin,
    "unique_all": unique_all,
    "unique_counts": unique_counts,
    "unique_inverse": unique_inverse,
    "unique_values": unique_values,
}
