"""Copies into C order, and casts: tile by tile where the operand's memory order asks for it.

A transposed operand read in C order touches a new cache line at each element; read in tiles of
32 x 32, each line serves 32 elements. The tile is written row by row: the result is often new
memory, whose pages cost more than the operand's cache misses. Copies move bits, so one kernel per
item size serves all dtypes.

Measured
--------
Speed relative to NumPy, one thread, 4M elements, 8 / 16 / 32 / 64 bits, into new memory. A
transposed 2048 x 2048 matrix 2.4 / 2.3 / 2.3 / 1.9; (16, 64, 64, 64) with its second axis last
1.3 / 1.3 / 1.1 / 1.0; (64, 256, 256) with axes reversed 1.3 / 1.5 / 1.6 / 1.6, with the last one
moved first 1.7 / 1.4 / 1.4 / 1.6. Small or contiguous operands, and axes shorter than a tile, are
NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit, results
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import ALIGNED, coalesce, readable, window, writable

__all__ = ["SPECS"]

_SMALL = 16384
"""Elements below which NumPy's lower overhead per call wins."""
_TILE = np.uint64(32)
_BITS = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8")}
_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_LAYOUT = types.UniTuple(types.uint64, 7)


def _transpose() -> Callable[..., None]:
    """Copy of (outer, middle, rows, columns) whose rows are contiguous in memory, into C order."""

    def transpose(x, layout, out):  # type: ignore[no-untyped-def]
        outer, outer_stride, rows, middle, middle_stride, columns, columns_stride = layout
        for o in range(outer):
            for first_row in range(0, rows, _TILE):
                last_row = min(first_row + _TILE, rows)
                for q in range(middle):
                    for first in range(0, columns, _TILE):
                        last = min(first + _TILE, columns)
                        for i in range(first_row, last_row):
                            source = o * outer_stride + q * middle_stride + i
                            to = ((o * rows + i) * middle + q) * columns
                            for j in range(first, last):
                                out[to + j] = x[source + j * columns_stride]

    return transpose


@cache
def _kernel(itemsize: int) -> Callable[..., None]:
    bits = _BITS[itemsize]
    return _jit.jit(
        _transpose(), f"transpose_{8 * itemsize}", (readable(bits), _LAYOUT, writable(bits))
    )


@lru_cache(maxsize=1024)
def _layout(
    shape: tuple[int, ...], strides_bytes: tuple[int, ...], itemsize: int
) -> tuple[int, ...] | None:
    """Loop nest of a tiled copy, or None where NumPy's order is as good.

    ``(outer, outer_stride, rows, middle, middle_stride, columns, columns_stride)``: the axes of
    the result, of which ``rows`` has stride one in the operand.
    """
    if any(s < 0 or s % itemsize for s in strides_bytes):
        return None
    axes = coalesce([(n, s // itemsize) for n, s in zip(shape, strides_bytes, strict=True)])
    unit = [i for i, (_, s) in enumerate(axes) if s == 1]
    if len(unit) != 1 or unit[0] == len(axes) - 1:
        return None
    before, (rows, _), after = axes[: unit[0]], axes[unit[0]], axes[unit[0] + 1 :]
    if len(before) > 1 or len(after) > 2 or min(rows, after[-1][0]) < 32:
        return None
    outer = before[0] if before else (1, 0)
    middle = after[0] if len(after) == 2 else (1, 0)
    return (*outer, rows, *middle, *after[-1])


def _build_copy(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    if dtype.itemsize > 8:
        return _copy_wide
    kernel, bits = _kernel(dtype.itemsize), _BITS[dtype.itemsize]

    def copy(x: np.ndarray) -> np.ndarray:
        if x.size >= _SMALL and x.flags.num & ALIGNED:
            layout = _layout(x.shape, x.strides, x.itemsize)
            if layout is not None:
                out = results.empty(x.shape, x.dtype)
                kernel(window(x).view(bits), layout, out.reshape(-1).view(bits))
                return out
        return np.array(x, order="C", copy=True)

    copy.short = np.ndarray.copy  # type: ignore[attr-defined]
    return copy


def _copy_wide(x: np.ndarray) -> np.ndarray:
    """Copy of 16-byte elements, of which a cache line holds four: NumPy's order does."""
    return np.array(x, order="C", copy=True)


def _build_cast(source: np.dtype[Any]) -> Callable[..., np.ndarray]:
    copy = _build_copy(source)

    def cast(x: np.ndarray, *, dtype: Any) -> np.ndarray:
        if source.kind == "c" and np.dtype(dtype).kind not in "cb":
            return x.real.astype(dtype, order="C")  # dropped on purpose: no warning
        if x.size >= _SMALL and _layout(x.shape, x.strides, x.itemsize) is not None:
            x = copy(x)
            return x if x.dtype == dtype else x.astype(dtype)
        return x.astype(dtype, order="C")

    cast.short = np.ndarray.astype  # type: ignore[attr-defined]
    return cast


SPECS: list[KernelSpec] = [
    KernelSpec(
        op, (np.dtype(name),), np.dtype(name).itemsize <= 8,
        lambda build=build, name=name: build(np.dtype(name)),
    )
    for op, build in (("copy", _build_copy), ("cast", _build_cast))
    for name in _NAMES
]  # fmt: skip
