"""Positions of extrema: argmax and argmin along one axis or of the whole array.

The first NaN wins, then the first extremum, as in NumPy. Rows are read once, for the extremum of
each block; only the block that has it is searched. Columns keep extrema and their positions side by
side.

Measured
--------
Speed relative to NumPy, one thread, float32: 1.0 to 1.8 for 4M elements, which memory limits; 0.9
along the last axis of 2048 x 2048 and 17 along the first, 4.9 in rows of ten, 2.6 in columns of
ten. NumPy's loop runs for rows of 25 to 2047 elements, which it searches up to twice as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels import _jit, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.axes import over_axis, result_shape
from arraygrad_kernels.cpu.folds import SHORT, ahead, extreme, packed, row_or_column
from arraygrad_kernels.nest import nest_loop, plain, scratch
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = ["SPECS"]

_BLOCK = 1024
"""Elements of a row that are searched if they have the extremum."""
_MIDDLE = 2048
"""Elements of a contiguous row up to which NumPy's loop wins, if it is not short."""
_TILE = 1024
"""Columns whose extrema are on the stack at a time."""
_POSITION = np.dtype(np.int64)
_PIECE = 1 << 18
"""Elements of a long row that a thread takes at a time."""
_LONG = 1 << 24
"""Elements of one row from which it is worth several threads: one reads as fast as memory gives."""
_LARGEST = 1 << 31
"""Elements of an axis from which positions in columns do not fit."""


def _row(dtype: np.dtype[Any], larger: bool) -> Callable[..., Any]:
    code, itemsize = str(code_of(dtype)), dtype.itemsize
    floating = dtype.kind == "f"
    start, better, extreme_of, _ = extreme(dtype, larger)

    def first_equal(x, n, sought, nan):
        position = np.int32(n)
        for c in range(n):
            y = x[c]
            found = (y == sought) & (not nan) | (nan & (y != y)) if floating else y == sought
            here = np.int32(c) if found else np.int32(n)
            position = here if here < position else position
        return position

    def short_row(x, n, step):
        best = x[0]
        position = 0
        for c in plain(range(1, n)):
            y = x[c * step]
            wins = better(y, best)
            wins = wins | ((y != y) & (best == best)) if floating else wins
            best = y if wins else best
            position = c if wins else position
        return position

    def row(x, n, step, far):
        position = 0
        if n <= SHORT:
            position = short_row(x, n, step)
        else:
            buffer = scratch(code, _BLOCK)
            best = start
            where = 0
            nan = False
            for b in plain(range(0, n, _BLOCK)):
                m = min(_BLOCK, n - b)
                if far:
                    ahead(x, b, m, itemsize)
                y = packed(x, b, m, step, buffer)
                part, found = extreme_of(y, m)
                if found:
                    nan = True
                    where = b
                    break
                if better(part, best):
                    best = part
                    where = b
            m = min(_BLOCK, n - where)
            y = packed(x, where, m, step, buffer)
            position = where + first_equal(y, m, best, nan)
        return position

    return row


def _columns(dtype: np.dtype[Any], larger: bool) -> Callable[..., None]:
    code = str(code_of(dtype))
    floating = dtype.kind == "f"
    # Lanes as wide as the elements, if they hold a position.
    index, narrow = ("l", np.int64) if dtype.itemsize == 8 else ("i", np.int32)

    def wins(x, y):
        above = x > y if larger else x < y
        return above | ((x != x) & (y == y)) if floating else above

    def columns(x, out, k, n, out_step, core):
        best = scratch(code, _TILE)
        positions = scratch(index, _TILE)
        times = 1  # rows that make a wide one, see `reduction`
        if (core == k) & (k <= 128) & (n * k >= 2 * _TILE):
            times = _TILE // k
        rows = n // times
        pitch = core * times
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            count = min(_TILE, k - first)
            width = count * times
            for j in plain(range(width)):
                best[j] = y[j]
                positions[j] = 0
            for b in plain(range(1, rows - 1, 2)):
                z = y[b * pitch :]
                for j in range(width):
                    above = wins(z[pitch + j], z[j])
                    total = z[pitch + j] if above else z[j]
                    position = narrow(b + 1) if above else narrow(b)
                    above = wins(total, best[j])
                    best[j] = total if above else best[j]
                    positions[j] = position if above else positions[j]
            for b in plain(range(max(1, rows - 1 + (rows & 1)), rows)):
                z = y[b * pitch :]
                for j in range(width):
                    above = wins(z[j], best[j])
                    best[j] = z[j] if above else best[j]
                    positions[j] = narrow(b) if above else positions[j]
            if times == 1:
                for j in range(count):
                    out[(first + j) * out_step] = positions[j]
                count = 0
            z = y[rows * pitch :]
            for j in plain(range(count)):
                total = best[j]
                position = np.int64(positions[j]) * times
                for b in plain(range(1, times)):
                    other = best[b * k + j]
                    place = np.int64(positions[b * k + j]) * times + b
                    nan = (other != other) & (total != total) if floating else False
                    tie = ((other == total) | nan) & (place < position)
                    above = wins(other, total) | tie
                    total = other if above else total
                    position = place if above else position
                for b in plain(range(n - rows * times)):
                    above = wins(z[b * k + j], total)
                    total = z[b * k + j] if above else total
                    position = rows * times + b if above else position
                out[(first + j) * out_step] = position

    return columns


def _build(dtype: np.dtype[Any], larger: bool) -> Callable[..., np.ndarray]:
    name = "argmax" if larger else "argmin"
    loop = row_or_column(str(code_of(dtype)), _row(dtype, larger), _columns(dtype, larger), True)
    compiled = _jit.loop(nest_loop(loop, [dtype], [_POSITION], 1, 1), f"{name}_{dtype}")
    ufunc = _jit.ufunc(
        [(compiled.address, (dtype, _POSITION))], name, 1, signature="(n)->()", keep=compiled
    )
    numpy_function: Callable[..., Any] = np.argmax if larger else np.argmin

    def kernel(
        x: np.ndarray, *, axis: int | None = None, keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if x.size == 0 or x.ndim == 0 or (axis is not None and x.shape[axis] >= _LARGEST):
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims))
        if axis == x.ndim - 1 and SHORT < x.shape[axis] < _MIDDLE and x.flags.c_contiguous:
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims))
        if axis is not None and x.ndim > 1:
            out = np.asarray(over_axis(ufunc, x, axis, _POSITION))
            return out.reshape(result_shape(x.shape, (axis,), True)) if keepdims else out
        y = x if x.ndim == 1 else x.reshape(-1)
        out = np.asarray(_by_pieces(ufunc, y) if y.size >= _LONG else ufunc(y))
        return out.reshape((1,) * x.ndim) if keepdims else out

    kernel.short = None, np.ndarray.argmax if larger else np.ndarray.argmin  # type: ignore[attr-defined]
    return kernel


def _by_pieces(ufunc: np.ufunc, x: np.ndarray) -> Any:
    """The position in a long vector, from the positions in pieces that threads share.

    The first piece with the extremum, or with a nan, has the first position.
    """
    if threads.get_num_threads() == 1:
        return ufunc(x)
    found = np.empty(-(-x.size // _PIECE), _POSITION)

    def work(piece: int) -> None:
        start = piece * _PIECE
        found[piece] = start + ufunc(x[start : start + _PIECE])

    if not threads.run(work, found.size):
        return ufunc(x)
    return found[ufunc(x[found])]


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, name: str, larger: bool) -> None:
        dtype = np.dtype(name)
        specs.append(KernelSpec(op, (dtype,), True, lambda: _build(dtype, larger)))

    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64",
    ):  # fmt: skip
        add("argmax", name, True)
        add("argmin", name, False)
    return specs


SPECS: list[KernelSpec] = _specs()
