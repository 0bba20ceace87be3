"""Copies, casts, gathers by index or mask, and the in-place scatter-additions that transpose them.

Index arrays may have any integer dtype and may count from the end; every one is checked before
anything is written, and ``IndexError`` says which axis it overran.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["KERNELS"]

# From this many elements per index on, one slice addition per index beats indexing each element.
_SLICE_SIZE = 256


def _normalised(indices: np.ndarray, size: int, axis: int | None) -> np.ndarray:
    """Return ``indices`` as non-negative ``intp``; IndexError if one is outside [-size, size)."""
    indices = np.asarray(indices)
    if indices.size == 0:
        return indices.astype(np.intp)
    if 0 in indices.strides and indices.size > 1:
        # Broadcast: each is looked at once, as there may be more than could be written down.
        once = tuple(slice(0, 1) if step == 0 else slice(None) for step in indices.strides)
        if indices[once].size < indices.size:
            return np.broadcast_to(_normalised(indices[once], size, axis), indices.shape)
    low, high = indices.min(), indices.max()
    if low < -size or high >= size:
        worst = high if high >= size else low
        place = "the flattened array" if axis is None else f"axis {axis}"
        raise IndexError(f"index {worst} is out of bounds for {place} with size {size}")
    indices = indices.astype(np.intp, copy=False)
    return np.where(indices < 0, indices + size, indices) if low < 0 else indices


def copy(x: np.ndarray) -> np.ndarray:
    """Return a C-contiguous copy."""
    return np.array(x, copy=True, order="C")


def cast(x: np.ndarray, *, dtype: Any) -> np.ndarray:
    """Return a C-contiguous copy as ``dtype``, converting as C (and NumPy's ``astype``) does."""
    return x.astype(dtype, order="C", copy=True)


# Forms for few elements: f(x) and f(x, dtype, "C").
copy.short = np.ndarray.copy  # type: ignore[attr-defined]
cast.short = np.ndarray.astype  # type: ignore[attr-defined]


def take(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    """Return the slices of ``x`` at ``indices`` along ``axis``.

    ``indices`` may have any number of dimensions, which replace ``axis`` in the result.
    """
    return np.take(x, _normalised(indices, x.shape[axis], axis), axis=axis)


def take_along_axis(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    """Return ``x`` at ``indices`` matched with the other axes, which broadcast."""
    indices = _normalised(indices, x.shape[axis], axis)
    return x[_grid(x.shape, indices, axis)]


def _grid(shape: tuple[int, ...], indices: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """Return an open grid of indices for every axis, with ``indices`` in the place of ``axis``."""
    ndim = len(shape)
    grid = [
        np.arange(size).reshape((1,) * i + (size,) + (1,) * (ndim - i - 1))
        for i, size in enumerate(shape)
    ]
    grid[axis] = indices
    return tuple(grid)


def _is_narrow(x: np.ndarray) -> bool:
    """Return whether sums in the dtype of ``x`` (float16, bfloat16) need a wider accumulator."""
    return x.dtype.char == "e" or x.dtype.kind == "V"


def add_at(out: np.ndarray, flat_indices: np.ndarray, values: np.ndarray) -> None:
    """Add ``values`` to ``out.reshape(-1)`` at ``flat_indices``; repeated indices add up.

    ``out`` is C-contiguous. ``values`` broadcasts to the shape of ``flat_indices``.
    """
    if _is_narrow(out):
        wide = out.astype(np.float32)
        add_at(wide, flat_indices, values.astype(np.float32))
        out[...] = wide
        return
    flat = out.reshape(-1)
    indices = _normalised(flat_indices, flat.size, None)
    # One-dimensional operands take NumPy's fast path.
    values = np.broadcast_to(values, indices.shape).reshape(-1)
    np.add.at(flat, indices.reshape(-1), values)


def index_add(out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int) -> None:
    """Add ``values`` to the slices of ``out`` at ``indices`` along ``axis`` (adjoint of ``take``).

    ``values`` has the shape that ``take(out, indices, axis=axis)`` has, or broadcasts to it.
    """
    if _is_narrow(out):
        wide = out.astype(np.float32)
        index_add(wide, indices, values.astype(np.float32), axis=axis)
        out[...] = wide
        return
    size = out.shape[axis]
    indices = np.asarray(indices)
    outer, inner = out.shape[:axis], out.shape[axis + 1 :]
    values = np.broadcast_to(values, outer + indices.shape + inner)
    values = values.reshape(outer + (indices.size, *inner))
    indices = _normalised(indices, size, axis).reshape(-1)
    if not out.flags.c_contiguous or math.prod(outer) * math.prod(inner) >= _SLICE_SIZE:
        targets, sources = np.moveaxis(out, axis, 0), np.moveaxis(values, axis, 0)
        for position, index in enumerate(indices.tolist()):
            targets[index, ...] += sources[position]
        return
    outer_size, inner_size = math.prod(outer), math.prod(inner)
    rows = np.arange(outer_size)[:, None, None] * size + indices[:, None]
    flat_indices = rows * inner_size + np.arange(inner_size)
    add_at(out, flat_indices, values.reshape(flat_indices.shape))


def add_along_axis(out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int) -> None:
    """Add ``values`` to ``out`` at ``indices`` (adjoint of ``take_along_axis``).

    Where the other axes of ``indices`` have length 1 they broadcast against ``out``.
    """
    if _is_narrow(out):
        wide = out.astype(np.float32)
        add_along_axis(wide, indices, values.astype(np.float32), axis=axis)
        out[...] = wide
        return
    np.add.at(out, _grid(out.shape, _normalised(indices, out.shape[axis], axis), axis), values)


def mask_select(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the elements of ``x`` where ``mask`` is true, in C order; 1-d if shapes are equal."""
    return x[mask]


def nonzero(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return one index array per axis for the nonzero elements, in C order."""
    return np.nonzero(x)


KERNELS: dict[str, Callable[..., Any]] = {
    "add_along_axis": add_along_axis,
    "add_at": add_at,
    "cast": cast,
    "copy": copy,
    "index_add": index_add,
    "mask_select": mask_select,
    "nonzero": nonzero,
    "take": take,
    "take_along_axis": take_along_axis,
}
