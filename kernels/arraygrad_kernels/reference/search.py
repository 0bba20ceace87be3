"""Sorting and searching. NaN sorts last in both directions; complex numbers sort lexicographically.

Extension floats (bfloat16) are compared as float32, which holds all of them exactly: the comparison
that their package registers treats NaN as equal to everything, which leaves garbage unsorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

__all__ = ["KERNELS", "comparable"]


def comparable(x: np.ndarray) -> np.ndarray:
    """Return ``x``, or an order-preserving copy of it if its dtype's own comparison is unusable."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def searchsorted(
    x1: np.ndarray,
    x2: np.ndarray,
    *,
    side: Literal["left", "right"] = "left",
    sorter: np.ndarray | None = None,
) -> np.ndarray:
    """Return where each of ``x2`` goes into the 1-d ``x1``, which is sorted (by ``sorter``)."""
    x1 = comparable(x1)
    if sorter is not None:
        x1 = np.take(x1, np.asarray(sorter).astype(np.intp, copy=False))
    return np.asarray(np.searchsorted(x1, comparable(x2), side=side))


def argsort(
    x: np.ndarray, *, axis: int, descending: bool = False, stable: bool = True
) -> np.ndarray:
    """Return the indices that sort ``x``; equal elements keep their order in both directions."""
    x = comparable(x)
    if not descending:
        return stable_order(x, axis) if stable else np.argsort(x, axis=axis)
    # Sorting the reversed array and reversing the result keeps equal elements in order.
    order = stable_order(np.flip(x, axis), axis)
    order = x.shape[axis] - 1 - np.flip(order, axis)
    return _roll_nan_to_end(order, x, axis)


def sort(x: np.ndarray, *, axis: int, descending: bool = False, stable: bool = True) -> np.ndarray:
    """Return ``x`` sorted; equal elements (0 and -0) keep their order in both directions."""
    keys = comparable(x)
    kind: Literal["stable"] | None = "stable" if stable and _order_shows(keys) else None
    if not descending:
        return np.sort(keys, axis=axis, kind=kind).astype(x.dtype, copy=False)
    result = np.flip(np.sort(np.flip(keys, axis), axis=axis, kind=kind), axis)
    return np.ascontiguousarray(_roll_nan_to_end(result, keys, axis)).astype(x.dtype, copy=False)


_FEW = 4096
"""Elements below which a stable sort takes less than the ways around it."""


def stable_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Return the indices that sort ``x`` stably.

    NumPy's stable sort takes several times as long as its vectorised unstable one. That one may
    only have mixed up indices of equal elements, so these are put in order afterwards.
    """
    if x.size < _FEW or x.dtype.kind not in "fiu" or x.itemsize < 4:
        return np.argsort(x, axis=axis, kind="stable")
    rows = np.moveaxis(x, axis, -1)
    order = np.argsort(rows, axis=-1)
    ordered = np.take_along_axis(rows, order, -1)
    starts = np.ones(order.shape, bool)  # where a run of equal elements starts
    np.not_equal(ordered[..., 1:], ordered[..., :-1], out=starts[..., 1:])
    if x.dtype.kind == "f":
        starts[..., 1:] &= ~np.isnan(ordered[..., :-1])  # NaN, sorted last, equals NaN here
    if not starts.all():
        runs = np.cumsum(starts.reshape(-1)).reshape(order.shape) * order.shape[-1]
        keys = runs + order
        keys.sort(axis=-1)
        order = keys - runs
    return np.ascontiguousarray(np.moveaxis(order, -1, axis))


def _order_shows(x: np.ndarray) -> bool:
    """Whether equal elements can be told apart, so that a stable sort differs from another."""
    if x.size < _FEW or x.dtype.kind == "c":
        return True
    if x.dtype.kind != "f":
        return False
    bits = np.dtype(f"i{x.itemsize}")
    return bool((x.view(bits) == np.iinfo(bits).min).any())  # -0.0, which 0.0 may meet


def _roll_nan_to_end(result: np.ndarray, x: np.ndarray, axis: int) -> np.ndarray:
    """Return ``result``, a descending order of ``x``, with the leading NaN slots moved last."""
    if x.dtype.kind not in "fc":
        return result
    nan_count = np.count_nonzero(np.isnan(x), axis=axis, keepdims=True)
    if not nan_count.any():
        return result
    size = x.shape[axis]
    shape = [1] * x.ndim
    shape[axis] = size
    source = (np.arange(size).reshape(shape) + nan_count) % size
    return np.take_along_axis(result, source, axis=axis)


KERNELS: dict[str, Callable[..., Any]] = {
    "argsort": argsort,
    "searchsorted": searchsorted,
    "sort": sort,
}
