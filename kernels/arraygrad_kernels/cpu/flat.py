"""Canonical layouts: any strided array as one flat window plus a few integers.

One compiled kernel then serves every shape and number of dimensions. Reductions see an operand as
``(outer, reduced, inner)`` with an inner stride of one; the rare operand that does not fit is
copied first. Knows no operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import threads

__all__ = [
    "LAYOUT",
    "canonical",
    "coalesce",
    "is_whole",
    "over_rows",
    "readable",
    "result_shape",
    "window",
    "writable",
]

ALIGNED = 0x100  # NPY_ARRAY_ALIGNED
CONTIGUOUS_ALIGNED = 0x101  # | NPY_ARRAY_C_CONTIGUOUS

LAYOUT = types.UniTuple(types.uint64, 5)
"""Type of a layout. Unsigned, since a signed index costs a test for wrap-around at each access."""


def readable(dtype: np.dtype[Any]) -> types.Array:
    """Numba type of a flat operand; accepts read-only and writable arrays alike."""
    return types.Array(_scalar(dtype), 1, "C", readonly=True)


def writable(dtype: np.dtype[Any], ndim: int = 1) -> types.Array:
    """Numba type of a contiguous result, flat by default."""
    return types.Array(_scalar(dtype), ndim, "C")


def _scalar(dtype: np.dtype[Any]) -> types.Type:
    return types.boolean if dtype == np.bool_ else getattr(types, dtype.name)


def window(x: np.ndarray) -> np.ndarray:
    """1-d contiguous view of all memory from the first to the last element of `x`.

    `x` has elements, is aligned, and has non-negative strides that are multiples of its item size.
    """
    if x.flags.num & CONTIGUOUS_ALIGNED == CONTIGUOUS_ALIGNED:
        return x if x.ndim == 1 else x.reshape(-1)
    extent = 1 + sum(s * (n - 1) for s, n in zip(x.strides, x.shape, strict=True)) // x.itemsize
    return np.lib.stride_tricks.as_strided(x, (extent,), (x.itemsize,))


def coalesce(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """(length, stride) pairs in order, with unit lengths dropped and adjacent axes merged."""
    merged: list[tuple[int, int]] = []
    for length, stride in axes:
        if length == 1:
            continue
        if merged and merged[-1][1] == stride * length:
            merged[-1] = (merged[-1][0] * length, stride)
        else:
            merged.append((length, stride))
    return merged


def is_whole(x: np.ndarray, axis: tuple[int, ...]) -> bool:
    """Whether `axis` is all of a contiguous operand, which needs no layout."""
    return len(axis) == x.ndim and x.flags.num & CONTIGUOUS_ALIGNED == CONTIGUOUS_ALIGNED


@lru_cache(maxsize=1024)
def _layout(
    shape: tuple[int, ...],
    strides_bytes: tuple[int, ...],
    itemsize: int,
    axis: tuple[int, ...],
    ordered: bool,
) -> tuple[int, ...] | None:
    """Layout ``(outer, outer_stride, reduced, reduced_stride, inner)``, or None if none fits."""
    if any(s < 0 or s % itemsize for s in strides_bytes):
        return None
    pairs = [(n, s // itemsize) for n, s in zip(shape, strides_bytes, strict=True)]
    reduced = [pairs[i] for i in axis]
    if not ordered:
        reduced.sort(key=lambda pair: -pair[1])
    reduced = coalesce(reduced) or [(1, 1)]
    kept = coalesce([pair for i, pair in enumerate(pairs) if i not in axis])
    if len(reduced) > 1:
        return None
    r, t = reduced[0]
    if r == 1:
        t = 1
    if not kept:
        return (1, 0, r, t, 1) if t == 1 else None
    if len(kept) == 1 and t == 1:
        return (*kept[0], r, 1, 1)
    if kept[-1][1] != 1 or len(kept) > 2:
        return None
    outer = kept[0] if len(kept) == 2 else (1, 0)
    return (*outer, r, t, kept[-1][0])


def canonical(
    x: np.ndarray, axis: tuple[int, ...], ordered: bool = False, copy: bool = True
) -> tuple[np.ndarray, tuple[int, ...] | None]:
    """Window and layout of an operand that is reduced along `axis`.

    Parameters
    ----------
    x : ndarray
        Operand with at least one element.
    axis : tuple of int
        Axes to reduce, sorted.
    ordered : bool, default: False
        Visit the reduced elements in C order, for results that depend on it.
    copy : bool, default: True
        Copy an operand that fits no layout. Otherwise its layout is None.

    Returns
    -------
    flat : ndarray, shape (n,)
        View of the memory of `x`, or of a copy.
    layout : tuple of int
        ``(outer, outer_stride, reduced, reduced_stride, inner)``, in elements. Element
        ``(i, r, j)`` is at ``i * outer_stride + r * reduced_stride + j``. If ``inner`` is 1, the
        reduced stride is 1 too: the operand is a set of contiguous rows.
    """
    flags = x.flags.num
    if flags & CONTIGUOUS_ALIGNED == CONTIGUOUS_ALIGNED and len(axis) == x.ndim:
        return (x if x.ndim == 1 else x.reshape(-1)), (1, 0, x.size, 1, 1)
    if flags & ALIGNED:
        layout = _layout(x.shape, x.strides, x.itemsize, axis, ordered)
        if layout is not None:
            return window(x), layout
    if not copy:
        return x, None
    order = [i for i in range(x.ndim) if i not in axis] + list(axis)
    count = prod([x.shape[i] for i in axis])
    x = np.array(x.transpose(order), order="C", copy=True)
    return x.reshape(-1), (x.size // count, count, count, 1, 1)


def result_shape(shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """Shape of a reduction's result."""
    if keepdims:
        return tuple([1 if i in axis else n for i, n in enumerate(shape)])
    if len(axis) == len(shape):
        return ()
    return tuple([n for i, n in enumerate(shape) if i not in axis])


def over_rows(
    rows: Callable[..., Any], flat: np.ndarray, layout: tuple[int, ...], out: np.ndarray,
    minimum: int = threads.CHEAP,
) -> bool:  # fmt: skip
    """Call ``rows(flat, layout, out)``, on several threads where there are rows and work enough.

    Returns
    -------
    bool
        Whether a call returned true. Every row is computed alike on any number of threads.
    """
    k, s, r, t, m = layout
    if k == 1 or k * r < minimum:
        return bool(rows(flat, layout, out))
    n = min(k, 16)
    found = [False] * n

    def work(chunk: int) -> None:
        first, stop = k * chunk // n, k * (chunk + 1) // n
        part = (stop - first, s, r, t, m)
        found[chunk] = bool(rows(flat[first * s :], part, out[first:stop]))

    if threads.run(work, n):
        return any(found)
    return bool(rows(flat, layout, out))
