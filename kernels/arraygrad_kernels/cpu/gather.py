"""Gathering by index, its adding adjoints, and compression by masks.

take, take_along_axis, mask_select, nonzero; add_at, index_add, add_along_axis in place.

Gathers move bits, so one kernel per item size serves all dtypes. Indices are checked and made
non-negative 64-bit integers before anything is written: an IndexError leaves the result untouched,
and one kernel serves every dtype of indices (`cpu.find` knows). Additions happen
in the order of the indices, so that repeated ones round as in ``numpy.add.at``.

Measured
--------
Speed relative to NumPy, one thread, 4M elements, float32 / float64; below 4096 elements NumPy's
function runs where it has less overhead. take 1.0 / 1.1, with negative indices 1.4 / 1.9 (runs:
NumPy's); take_along_axis 1.3 / 1.5 along the last axis, 4.3 / 3.6 along the first; add_at 1.4 /
1.7; index_add of rows 47 / 17, of rows of eight 5.6 / 4.9; add_along_axis 5.1 / 3.8; mask_select 9
/ 5; nonzero 8 / 6, 1.3 of a bool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit, results
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import CONTIGUOUS_ALIGNED, readable, writable
from arraygrad_kernels.reference import gather

__all__ = ["SPECS"]

_INDEX = np.dtype(np.int64)
_REALS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
_COMPLEX = ("complex64", "complex128")
_BITS = {
    1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8"), 16: np.dtype("c16"),
}  # fmt: skip
"""What moves an element of so many bytes; there are no integers of 16."""
_LARGEST = np.iinfo(_INDEX).max


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


def _signed(indices: np.ndarray, length: int) -> np.ndarray:
    """Indices as signed 64-bit integers; a conversion that wrapped might find an element."""
    if indices.dtype == _INDEX:
        return indices
    signed = indices.astype(_INDEX)  # first: broadcast ones may be more than memory holds
    if indices.dtype == np.uint64 and indices.size and indices.max() > _LARGEST:
        raise _out_of_bounds(indices.max(), length)
    return signed


def _out_of_bounds(index: Any, length: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for axis with size {length}")


def _checked(indices: np.ndarray, length: int) -> np.ndarray:
    """Flat, contiguous, non-negative 64-bit indices; IndexError where one is out of range."""
    flat = _flat(_signed(indices, length))
    if flat.size == 0:
        return flat
    low, high = _range_kernel()(flat)
    if low < -length or high >= length:
        raise _out_of_bounds(high if high >= length else low, length)
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


def _take() -> Callable[..., bool]:
    """Whether an index is out of range; checked on the way, since the result is not yet seen."""

    def take(x, indices, outer, length, out):  # type: ignore[no-untyped-def]
        n = np.uint64(indices.size)
        wrong = False
        for o in range(outer):
            for i in range(n):
                index = np.uint64(indices[i])
                # Unsigned, a negative index is beyond all others until it wraps around.
                place = index if index < length else index + length
                wrong |= place >= length
                out[o * n + i] = x[o * length + (place if place < length else np.uint64(0))]
        return wrong

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
        "take": (_take, (operand, readable(_INDEX), _SIZE, _SIZE, result)),
        "take_along": (_take_along, (operand, _POSITIVE, _SIZE, _SIZE, _SIZE, _SIZE, result)),
        "index_add": (_index_add, (result, _POSITIVE, operand, _SIZE, _SIZE, _SIZE)),
        "add_along": (_add_along, (result, _POSITIVE, operand, _SIZE, _SIZE, _SIZE, _SIZE)),
        "compress": (_compress, (operand, mask, result)),
        "positions": (_positions, (mask, result)),
    }[loop]
    return _jit.jit(factory(), f"{loop}_{dtype}", signature)


# Calls


def _whole(x: np.ndarray) -> np.ndarray:
    """`x` flat, contiguous, as what moves its elements in one piece."""
    return _flat(x).view(_BITS[x.itemsize])


def _sides(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """Number of elements before, along and after `axis`."""
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def _build_take(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    loop = _compiled("take", _BITS[dtype.itemsize])
    _range_kernel()

    def take(x: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
        outer, length, inner = _sides(x.shape, axis)
        if inner != 1 or outer * indices.size < 4 * _SMALL:
            # NumPy copies runs as well as we do, and checks all indices before it allocates.
            return np.take(x, _signed(indices, length), axis=axis)
        out = results.empty(x.shape[:axis] + indices.shape + x.shape[axis + 1 :], x.dtype)
        if not length:
            _checked(indices, length)  # nothing to take an element from
        elif loop(_whole(x), _flat(_signed(indices, length)), outer, length, _whole(out)):
            _checked(indices, length)  # says which index it is
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
        out = np.empty(shape, x.dtype)
        if out.size:
            loop(_whole(x), checked, outer, length, inner, indices.shape[axis], _whole(out))
        return out

    return take_along_axis


def _writable(out: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """`out` flat; and a copy to write back where strides forbid it."""
    if out.flags.c_contiguous and out.flags.aligned:
        return out.reshape(-1), None
    copy = np.array(out, order="C", copy=True)
    return copy.reshape(-1), copy


def _build_adding(dtype: np.dtype[Any], along: bool, flat_indices: bool) -> Callable[..., None]:
    """add_at (`flat_indices`), add_along_axis (`along`) or index_add."""
    loop = _compiled("add_along" if along else "index_add", dtype)
    _range_kernel()

    def contiguous(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return _flat(_broadcast(values, shape))

    def add_at(out: np.ndarray, flat_indices: np.ndarray, values: np.ndarray) -> None:
        if flat_indices.size < _SMALL and out.flags.c_contiguous:
            np.add.at(out.reshape(-1), _signed(flat_indices, out.size), values)
            return
        checked = _checked(flat_indices, out.size).view(np.uint64)
        values = contiguous(values, flat_indices.shape)
        target, copy = _writable(out)
        if checked.size:
            loop(target, checked, values, 1, out.size, 1)
        if copy is not None:
            out[...] = copy

    def index_add(out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int) -> None:
        if out.ndim == 1 and indices.size < _SMALL:
            np.add.at(out, _signed(indices, out.size), values)
            return
        outer, length, inner = _sides(out.shape, axis)
        checked = _checked(indices, length).view(np.uint64)
        shape = out.shape[:axis] + indices.shape + out.shape[axis + 1 :]
        values = contiguous(values, shape)
        target, copy = _writable(out)
        if values.size:
            loop(target, checked, values, outer, length, inner)
        if copy is not None:
            out[...] = copy

    def add_along_axis(
        out: np.ndarray, indices: np.ndarray, values: np.ndarray, *, axis: int
    ) -> None:
        if out.ndim == 1 and indices.size < _SMALL:
            np.add.at(out, _signed(indices, out.size), values)
            return
        full = out.shape[:axis] + (indices.shape[axis],) + out.shape[axis + 1 :]
        if any(n != m != 1 for n, m in zip(full, indices.shape, strict=True)):
            gather.add_along_axis(out, indices, values, axis=axis)  # `out` stands for several
            return
        indices = _broadcast(indices, full)
        outer, length, inner = _sides(out.shape, axis)
        checked = _checked(indices, length).view(np.uint64)
        values = contiguous(values, full)
        target, copy = _writable(out)
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
        out = np.empty(int(np.count_nonzero(chosen)) + 1, x.dtype)
        return _shortened(out, loop(_whole(x), chosen.view(np.uint8), _whole(out)))

    return mask_select


def _shortened(out: np.ndarray, n: int) -> np.ndarray:
    """The first n elements, in the memory that `out` owns."""
    out.resize(n, refcheck=False)
    return out


def _build_nonzero(dtype: np.dtype[Any]) -> Callable[..., tuple[np.ndarray, ...]]:
    loop = _compiled("positions", _INDEX)

    def nonzero(x: np.ndarray) -> tuple[np.ndarray, ...]:
        if x.ndim == 0:
            raise ValueError("nonzero of a 0-d array has no axis to number: make it 1-d first")
        if x.size < _SMALL:
            return np.nonzero(x)
        chosen = _flat(x != 0 if x.dtype != np.bool_ else x)
        out = np.empty(int(np.count_nonzero(chosen)) + 1, _INDEX)
        flat = _shortened(out, loop(chosen.view(np.uint8), out))
        return (flat,) if x.ndim == 1 else np.unravel_index(flat, x.shape)

    return nonzero


# The table


def _specs() -> list[KernelSpec]:
    """All kernels of this module, for indices of the dtype that others are converted to."""
    specs: list[KernelSpec] = []

    def add(op: str, dtypes: tuple[Any, ...], preferred: bool, build: Any, *arguments: Any) -> None:
        specs.append(
            KernelSpec(op, tuple(map(np.dtype, dtypes)), preferred, lambda: build(*arguments))
        )

    for name in ("bool", "float16", *_REALS, *_COMPLEX):
        dtype = np.dtype(name)
        add("take", (name, "int64"), True, _build_take, dtype)
        add("take_along_axis", (name, "int64"), True, _build_take_along, dtype)
        add("mask_select", (name, "bool"), True, _build_mask_select, dtype)
        add("nonzero", (name,), True, _build_nonzero, dtype)
    for name in (*_REALS, *_COMPLEX):
        dtype, operands = np.dtype(name), (name, "int64", name)
        add("add_at", operands, True, _build_adding, dtype, False, True)
        add("index_add", operands, True, _build_adding, dtype, False, False)
        add("add_along_axis", operands, True, _build_adding, dtype, True, False)
    return specs


SPECS: list[KernelSpec] = _specs()
