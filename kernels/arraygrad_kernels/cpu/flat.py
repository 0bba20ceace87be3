"""Strided arrays as flat windows, and the types of flat arrays. Knows no operation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

__all__ = ["coalesce", "readable", "window", "writable"]

ALIGNED = 0x100  # NPY_ARRAY_ALIGNED
CONTIGUOUS_ALIGNED = 0x101  # | NPY_ARRAY_C_CONTIGUOUS


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
