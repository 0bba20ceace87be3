"""Gathering by index, its adding adjoints, and compression by masks.

take, take_along_axis, mask_select, nonzero; add_at, index_add, add_along_axis in place.

Gathers move bits, so one kernel per item size serves all dtypes. Indices are checked and made
non-negative before anything is written: an IndexError leaves the result untouched. Additions happen
in the order of the indices, so that repeated ones round as in ``numpy.add.at``.

Measured
--------
Speed relative to NumPy, one thread, 4M elements, float32 / float64; below 4096 elements NumPy's
function runs where it has less overhead. take 1.4 / 1.5 (runs: NumPy's); take_along_axis 1.3 / 1.5
along the last axis, 4.3 / 3.6 along the first; add_at 1.4 / 1.7; index_add of rows 47 / 17, of rows
of eight 5.6 / 4.9; add_along_axis 5.1 / 3.8; mask_select 9 / 5; nonzero 8 / 6, 1.3 of a bool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import CONTIGUOUS_ALIGNED, readable, writable

__all__ = ["SPECS"]

_INDEX = np.dtype(np.int64)
_REALS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
_COMPLEX = ("complex64", "complex128")
_BITS = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8")}


def _flat(x: np.ndarray) -> np.ndarray:
    """Elements of `x` in C order, aligned: a view where one exists."""
    if x.flags.num & CONTIGUOUS_ALIGNED != CONTIGUOUS_ALIGNED:
        x = np.array(x, order="C", copy=True)
    return x if x.ndim == 1 else x.reshape(-1)


def _broadcast(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return x if x.shape == shape else np.broadcast_to(x, shape)


_SMALL = 4096
"""Elements below which NumPy's lower overhead per call wins; it checks all indices first, too."""

# Indices


def _checked(indices: np.ndarray, length: int) -> np.ndarray:
    """Flat, contiguous, non-negative 64-bit indices; IndexError where one is out of range."""
    flat = _flat(indices if indices.dtype == _INDEX else indices.astype(_INDEX))
    if flat.size == 0:
        return flat
    low, high = _range_kernel()(flat)
    if low < -length or high >= length:
        wrong = high if high >= length else low
        raise IndexError(f"index {wrong} is out of bounds for axis with size {length}")
    return np.where(flat < 0, flat + length, flat) if low < 0 else flat


def _range(indices):  # type: ignore[no-untyped-def]
    low = indices[0]
    high = low
    for i in range(indices.size):
        index = indices[i]
        low = index if index < low else low
        high = index if index > high else high
    return low, high


@cache
def _range_kernel() -> Callable[..., tuple[int, int]]:
    return _jit.jit(_range, "index_range", (readable(_INDEX),))


# Loops. `x` is (outer, length, inner); `out` or `values` is (outer, n, inner), and `indices` is
# that or (n,).


def _take() -> Callable[..., None]:
    def take(x, indices, outer, length, inner, out):  # type: ignore[no-untyped-def]
        n = np.uint64(indices.size)
        if inner == 1:
            for o in range(outer):
                for i in range(n):
                    out[o * n + i] = x[o * length + indices[i]]
            return
        for o in range(outer):
            for i in range(n):
                source = (o * length + indices[i]) * inner
                to = (o * n + i) * inner
                for j in range(inner):
                    out[to + j] = x[source + j]

    return take


def _take_along() -> Callable[..., None]:
    def take_along(x, indices, outer, length, inner, n, out):  # type: ignore[no-untyped-def]
        for o in range(outer):
            for i in range(n):
                for j in range(inner):
                    to = (o * n + i) * inner + j
                    out[to] = x[(o * length + indices[to]) * inner + j]

    return take_along


def _index_add() -> Callable[..., None]:
    def index_add(out, indices, values, outer, length, inner):  # type: ignore[no-untyped-def]
        n = np.uint64(indices.size)
        if inner == 1:
            for o in range(outer):
                for i in range(n):
                    out[o * length + indices[i]] += values[o * n + i]
            return
        for o in range(outer):
            for i in range(n):
                to = (o * length + indices[i]) * inner
                source = (o * n + i) * inner
                for j in range(inner):
                    out[to + j] += values[source + j]

    return index_add


def _add_along() -> Callable[..., None]:
    def add_along(out, indices, values, outer, length, inner, n):  # type: ignore[no-untyped-def]
        for o in range(outer):
            for i in range(n):
                for j in range(inner):
                    source = (o * n + i) * inner + j
                    out[(o * length + indices[source]) * inner + j] += values[source]

    return add_along


def _compress() -> Callable[..., int]:
    def compress(x, mask, out):  # type: ignore[no-untyped-def]
        # A write that may be overwritten instead of a branch that is mispredicted half the time;
        # `out` has one element more than there are selected ones, for the last such write.
        n = 0
        for i in range(x.size):
            out[n] = x[i]
            n += mask[i]
        return n

    return compress


def _positions() -> Callable[..., int]:
    def positions(mask, out):  # type: ignore[no-untyped-def]
        n = 0
        for i in range(mask.size):
            out[n] = i
            n += mask[i]
        return n

    return positions


_SIZE = types.uint64
_POSITIVE = types.Array(types.uint64, 1, "C", readonly=True)
"""Checked indices: unsigned, so that no access tests for wrap-around."""


@cache
def _compiled(loop: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """One loop for one dtype."""
    operand, result = readable(dtype), writable(dtype)
    mask = readable(np.dtype(np.uint8))
    factory, signature = {
        "take": (_take, (operand, _POSITIVE, _SIZE, _SIZE, _SIZE, result)),
        "take_along": (_take_along, (operand, _POSITIVE, _SIZE, _SIZE, _SIZE, _SIZE, result)),
        "index_add": (_index_add, (result, _POSITIVE, operand, _SIZE, _SIZE, _SIZE)),
        "add_along": (_add_along, (result, _POSITIVE, operand, _SIZE, _SIZE, _SIZE, _SIZE)),
        "compress": (_compress, (operand, mask, result)),
        "positions": (_positions, (mask, result)),
    }[loop]
    return _jit.jit(factory(), f"{loop}_{dtype}", signature)


# Calls


def _bits(x: np.ndarray) -> tuple[np.ndarray, int]:
    """`x` flat, contiguous, as unsigned integers, and how many of them make one element."""
    x = _flat(x)
    parts = 2 if x.itemsize == 16 else 1
    return x.view(_BITS[x.itemsize // parts]), parts


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray]:
    """New array, and its bits."""
    out = np.empty(shape, dtype)
    return out, _bits(out)[0]


def _sides(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """Number of elements before, along and after `axis`."""
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def _build_take(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    loop = _compiled("take", _BITS[min(dtype.itemsize, 8)])
    _range_kernel()

    def take(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
        outer, length, inner = _sides(x.shape, axis)
        if inner != 1 or outer * indices.size < 4 * _SMALL:
            # NumPy copies runs as well as we do, and checks all indices before it allocates.
            return np.take(x, indices, axis=axis)
        checked = _checked(indices, length)
        flat, parts = _bits(x)
        out, bits = _empty(x.shape[:axis] + indices.shape + x.shape[axis + 1 :], x.dtype)
        loop(flat, checked.view(np.uint64), outer, length, parts, bits)
        return out

    return take


def _along_shapes(
    x: np.ndarray, indices: np.ndarray, axis: int
) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Operands broadcast against each other on all axes but `axis`, and the result's shape."""
    if x.shape == indices.shape:
        return x, indices, x.shape
    before_and_after = np.broadcast_shapes(
        x.shape[:axis] + (1,) + x.shape[axis + 1 :],
        indices.shape[:axis] + (1,) + indices.shape[axis + 1 :],
    )

    def full(length: int) -> tuple[int, ...]:
        return before_and_after[:axis] + (length,) + before_and_after[axis + 1 :]

    shape = full(indices.shape[axis])
    return _broadcast(x, full(x.shape[axis])), _broadcast(indices, shape), shape


def _build_take_along(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    loop = _compiled("take_along", _BITS[dtype.itemsize])
    take = _build_take(dtype)

    def take_along_axis(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
        if x.ndim == 1:
            return take(x, indices, axis=0)
        x, indices, shape = _along_shapes(x, indices, axis)
        outer, length, inner = _sides(x.shape, axis)
        checked = _checked(indices, length).view(np.uint64)
        flat, _ = _bits(x)
        out, bits = _empty(shape, x.dtype)
        if out.size:
            loop(flat, checked, outer, length, inner, indices.shape[axis], bits)
        return out

    return take_along_axis


def _writable_parts(out: np.ndarray, real: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray | None]:
    """`out` flat as numbers of dtype `real`; and a copy to write back where strides forbid it."""
    if out.flags.c_contiguous and out.flags.aligned:
        return out.reshape(-1).view(real), None
    copy = np.array(out, order="C", copy=True)
    return copy.reshape(-1).view(real), copy


def _build_adding(dtype: np.dtype[Any], along: bool, flat_indices: bool) -> Callable[..., None]:
    """add_at (`flat_indices`), add_along_axis (`along`) or index_add.

    Complex numbers are pairs of reals along a last axis, where the loop allows an inner axis.
    """
    real = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    parts = 2 if dtype.kind == "c" else 1
    loop = _compiled("add_along" if along else "index_add", real)
    _range_kernel()

    def contiguous(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return _flat(_broadcast(values, shape)).view(real)

    def add_at(out: np.ndarray, flat_indices: np.ndarray, values: np.ndarray) -> None:
        if flat_indices.size < _SMALL and out.flags.c_contiguous:
            np.add.at(out.reshape(-1), flat_indices, values)
            return
        checked = _checked(flat_indices, out.size).view(np.uint64)
        values = contiguous(values, flat_indices.shape)
        target, copy = _writable_parts(out, real)
        if checked.size:
            loop(target, checked, values, 1, out.size, parts)
        if copy is not None:
            out[...] = copy

    def index_add(out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int) -> None:
        if out.ndim == 1 and indices.size < _SMALL:
            np.add.at(out, indices, values)
            return
        outer, length, inner = _sides(out.shape, axis)
        checked = _checked(indices, length).view(np.uint64)
        shape = out.shape[:axis] + indices.shape + out.shape[axis + 1 :]
        values = contiguous(values, shape)
        target, copy = _writable_parts(out, real)
        if values.size:
            loop(target, checked, values, outer, length, inner * parts)
        if copy is not None:
            out[...] = copy

    def add_along_axis(
        out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int
    ) -> None:
        if out.ndim == 1 and indices.size < _SMALL:
            np.add.at(out, indices, values)
            return
        full = out.shape[:axis] + (indices.shape[axis],) + out.shape[axis + 1 :]
        indices = _broadcast(indices, full)
        outer, length, inner = _sides(out.shape, axis)
        checked = _checked(indices, length).view(np.uint64)
        values = contiguous(values, full)
        target, copy = _writable_parts(out, real)
        if values.size:
            loop(target, checked, values, outer, length, inner, full[axis])
        if copy is not None:
            out[...] = copy

    return add_along_axis if along else add_at if flat_indices else index_add


def _build_mask_select(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    loop = _compiled("compress", _BITS[dtype.itemsize])

    def mask_select(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if mask.shape != x.shape:
            raise IndexError(f"mask of shape {mask.shape} selects from an array of shape {x.shape}")
        if x.size < _SMALL:
            return x[mask]
        chosen = _flat(mask)
        flat, _ = _bits(x)
        out, bits = _empty((int(np.count_nonzero(chosen)) + 1,), x.dtype)
        n = loop(flat, chosen.view(np.uint8), bits)
        return out[:n]

    return mask_select


def _build_nonzero(dtype: np.dtype[Any]) -> Callable[..., tuple[np.ndarray, ...]]:
    loop = _compiled("positions", _INDEX)

    def nonzero(x: np.ndarray) -> tuple[np.ndarray, ...]:
        if x.ndim == 0:
            raise ValueError("nonzero of a 0-d array has no axis to number: make it 1-d first")
        if x.size < _SMALL:
            return np.nonzero(x)
        chosen = _flat(x != 0 if x.dtype != np.bool_ else x)
        out = np.empty(int(np.count_nonzero(chosen)) + 1, _INDEX)
        flat = out[: loop(chosen.view(np.uint8), out)]
        return (flat,) if x.ndim == 1 else np.unravel_index(flat, x.shape)

    return nonzero


# The table


def _specs() -> list[KernelSpec]:
    """All kernels of this module, for 64-bit indices."""
    specs: list[KernelSpec] = []

    def add(op: str, dtypes: tuple[Any, ...], preferred: bool, build: Any, *arguments: Any) -> None:
        specs.append(
            KernelSpec(op, tuple(map(np.dtype, dtypes)), preferred, lambda: build(*arguments))
        )

    for name in ("bool", *_REALS, *_COMPLEX):
        dtype = np.dtype(name)
        for index in ("int32", "int64"):
            add("take", (name, index), True, _build_take, dtype)
            if dtype.itemsize <= 8:
                add("take_along_axis", (name, index), True, _build_take_along, dtype)
            if name == "bool":
                continue
            add("add_at", (name, index, name), True, _build_adding, dtype, False, True)
            add("index_add", (name, index, name), True, _build_adding, dtype, False, False)
            if name not in _COMPLEX:
                add("add_along_axis", (name, index, name), True, _build_adding, dtype, True, False)
        if dtype.itemsize <= 8:
            add("mask_select", (name, "bool"), True, _build_mask_select, dtype)
        add("nonzero", (name,), True, _build_nonzero, dtype)
    return specs


SPECS: list[KernelSpec] = _specs()
