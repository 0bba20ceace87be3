"""Reductions over any subset of axes: sum, mean, prod, max, min, any, all, count_nonzero.

Each kernel is two loop nests over the canonical layouts of `flat`: ``rows`` (the reduced axis is
contiguous) and ``columns`` (a kept axis is). `moments` and `extrema` hold the other reductions.

Accumulation
------------
Rows of float32 are summed in float32 inside blocks of 1024 elements (float64: 256), in as many
partial sums as the machine has lanes, and in float64 across blocks; columns in float64. Long
float64 rows are compensated across blocks (Neumaier), so that the error of a long sum is that of a
block. Where a sum is not finite, NumPy's own loop runs again: reordering may have met infinities
that the sum does not have, and the RuntimeWarnings are NumPy's. Integers wrap. Products keep
NumPy's order, since reordered factors may overflow on the way; float32 products run in float64.

Measured
--------
Speed relative to NumPy, one thread: 4M / 2048 x 2048 along the first axis / rows of ten / columns
of ten. sum float32 1.4 / 0.9 / 3.1 / 9.8, float64 1.1 / 1.3 / 3.3 / 5.8, int32 2.3 / 1.5 / 3.9 /
7.4, int8 4.5 / 3.9 / 4.9 / 14; mean float32 1.5 / 0.9 / 2.9 / 8.4; prod int8 3.7 / 2.1 / 3.2 / 8.2,
int64 1.4 / 1.0 / 2.8 / 3.5; max and min float32 - / - / 3.8 / 6.8 (NumPy's loop runs for long rows
and wide columns, where it is as fast as memory); any and all float32 1.5 / 1.1 / 2.2 / 9.0;
count_nonzero float32 2.5 / 2.4 / 11 / 7.6.
1000 elements relative to NumPy's function / to its bare ufunc: sum float32 1.3 / 0.9, float64 1.5 /
1.0, int32 1.6 / 1.3; mean float32 2.3 / 2.0; prod int64 1.6 / 1.3; count_nonzero float32 2.2 / 1.3.
Not preferred: prod of floats (0.5 at 1000 elements), sums of complex numbers, any and all of bool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import (
    LAYOUT,
    canonical,
    is_whole,
    over_rows,
    readable,
    result_shape,
    writable,
)

__all__ = ["SPECS", "additive_kernels", "column_totals", "extremum_kernels"]

# Unsigned, since an unsigned and a signed integer make a signed one in Numba, and a signed index
# is tested for wrap-around at each access, which keeps loops from becoming vectors.
BLOCK = np.uint64(1024)
_LONG = 1 << 19
"""Elements of one row above which it is worth several threads."""
_PIECE = 1 << 16
SHORT = np.uint64(24)
TILE = np.uint64(2048)
ONE = np.uint64(1)
SUM_FLAGS = ("contract", "nsz", "reassoc")
EXTREMUM_FLAGS = ("contract", "nnan", "nsz", "reassoc")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS = ("float32", "float64")
_COMPLEX = ("complex64", "complex128")

Rows = Callable[..., bool]
Columns = Callable[..., None]


# Sums and products


def _rows_float_sum(zero: Any) -> Rows:
    """Rows of a floating-point sum, divided by a number, in float64.

    True if a result is not finite, or not as a number of the operand's dtype.
    """
    limit = float(np.finfo(zero.dtype).max)
    # float64 has no wider type to repair what a long block loses.
    size = BLOCK if zero.dtype == np.float32 else np.uint64(256)

    @_jit.relaxed(*SUM_FLAGS)
    def block(flat, first, stop):  # type: ignore[no-untyped-def]
        total = zero
        for c in range(first, stop):
            total += flat[c]
        return total

    def rows(flat, layout, divisor, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        special = False
        for i in range(k):
            at = i * s
            stop = at + r
            total = 0.0
            carry = 0.0
            if r <= SHORT:
                for c in range(at, stop):
                    total += flat[c]
            else:
                for b in range(at, stop, size):
                    part = 0.0 + block(flat, b, min(b + size, stop))
                    new = total + part
                    if abs(total) >= abs(part):
                        carry += (total - new) + part
                    else:
                        carry += (part - new) + total
                    total = new
            value = (total + carry) / divisor
            out[i] = value
            special |= not abs(value) <= limit
        return special

    return rows


def _columns_float_sum() -> Columns:
    """Columns of a floating-point sum, added to float64 `totals`."""

    def columns(flat, layout, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                # Two rows at a time: half the traffic to the totals.
                for b in range(r >> ONE):
                    at = i * s + (b + b) * t + first
                    for j in range(n):
                        totals[to + j] += flat[at + j] + flat[at + t + j]
                if r & ONE:
                    at = i * s + (r - ONE) * t + first
                    for j in range(n):
                        totals[to + j] += flat[at + j]

    return columns


def _rows_exact(initial: Any, multiply: bool, count: bool) -> Rows:
    """Rows of a sum, product or count whose order is kept or does not matter."""

    def rows(flat, layout, divisor, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        for i in range(k):
            total = initial
            for c in range(i * s, i * s + r):
                if count:
                    total += flat[c] != 0
                elif multiply:
                    total *= flat[c]
                else:
                    total += flat[c]
            out[i] = total
        return False

    return rows


def _columns_exact(multiply: bool, count: bool) -> Columns:
    """Columns of a sum, product or count, merged into `totals`."""

    def columns(flat, layout, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                for b in range(r):
                    at = i * s + b * t + first
                    for j in range(n):
                        if count:
                            totals[to + j] += flat[at + j] != 0
                        elif multiply:
                            totals[to + j] *= flat[at + j]
                        else:
                            totals[to + j] += flat[at + j]

    return columns


# Extrema


def _rows_extremum(initial: Any, larger: bool) -> Rows:
    """Rows of max or min; NaN if there is one.

    Vectorised float maxima need the flag ``nnan``, which deletes tests for NaN; so NaN is looked
    for in a second loop with strict flags, over a block that is still in the first cache.
    """
    floating = isinstance(initial, np.floating)
    nan = initial.dtype.type(np.nan) if floating else initial

    @_jit.relaxed(*EXTREMUM_FLAGS)
    def block(flat, first, stop):  # type: ignore[no-untyped-def]
        total = initial
        for c in range(first, stop):
            x = flat[c]
            if larger:
                total = x if x > total else total
            else:
                total = x if x < total else total
        return total

    def rows(flat, layout, divisor, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        for i in range(k):
            stop = i * s + r
            total = initial
            for b in range(i * s, stop, BLOCK):
                end = min(b + BLOCK, stop)
                part = block(flat, b, end)
                if larger:
                    total = part if part > total else total
                else:
                    total = part if part < total else total
                if floating:
                    unordered = False
                    for c in range(b, end):
                        unordered |= flat[c] != flat[c]
                    if unordered:
                        total = nan
                        break
            out[i] = total
        return False

    return rows


def _columns_extremum(larger: bool) -> Columns:
    """Columns of max or min; ``x != x`` lets NaN in, and no comparison replaces it.

    ``|`` rather than ``or``, whose branch would keep the loop from becoming vectors.
    """

    def columns(flat, layout, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                for b in range(r):
                    at = i * s + b * t + first
                    for j in range(n):
                        x = flat[at + j]
                        total = totals[to + j]
                        if larger:
                            totals[to + j] = x if (x > total) | (x != x) else total
                        else:
                            totals[to + j] = x if (x < total) | (x != x) else total

    return columns


# Truth


def _rows_truth(expected: bool) -> Rows:
    """Rows of any (`expected` True) or all (False); stops after the block that decides."""

    def rows(flat, layout, divisor, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        for i in range(k):
            stop = i * s + r
            found = False
            for b in range(i * s, stop, BLOCK):
                for c in range(b, min(b + BLOCK, stop)):
                    found |= (flat[c] != 0) == expected
                if found:
                    break
            out[i] = found == expected
        return False

    return rows


def _columns_truth(expected: bool) -> Columns:
    """Columns of any or all, merged into `totals`."""

    def columns(flat, layout, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                for b in range(r):
                    at = i * s + b * t + first
                    for j in range(n):
                        if expected:
                            totals[to + j] |= flat[at + j] != 0
                        else:
                            totals[to + j] &= flat[at + j] != 0

    return columns


# Compilation


class Pair:
    """The two compiled loop nests of one reduction and one dtype.

    Parameters
    ----------
    name : str
        Of the operation.
    rows, columns : callable
        Plain loop nests, to be compiled.
    dtype, accumulator, result : dtype
        Of the operand, of running totals, and of the result of ``rows``.
    initial : scalar
        Neutral element.
    fold : numpy.ufunc
        Merges totals of neighbouring columns.
    """

    def __init__(
        self, name: str, rows: Rows, columns: Columns, dtype: Any, accumulator: Any,
        result: Any, initial: Any, fold: np.ufunc,
    ) -> None:  # fmt: skip
        dtype, self.accumulator, self.result = map(np.dtype, (dtype, accumulator, result))
        self.dtype, self.initial, self.fold = dtype, initial, fold
        operand = readable(dtype)
        self.rows = _jit.jit(
            rows, f"{name}_rows_{dtype}", (operand, LAYOUT, types.float64, writable(self.result))
        )
        self.columns = _jit.jit(
            columns, f"{name}_columns_{dtype}", (operand, LAYOUT, writable(self.accumulator))
        )

    def row_totals(self, flat: np.ndarray, layout: tuple[int, ...], divisor: float = 1.0) -> Any:
        """Totals of all rows, 1-d, of the dtype of results; and whether one is not finite."""
        out = np.empty(layout[0], self.result)
        if layout[0] == 1 or layout[0] * layout[2] < threads.CHEAP:
            return out, self.rows(flat, layout, divisor, out)

        def rows(flat: np.ndarray, layout: tuple[int, ...], out: np.ndarray) -> bool:
            return self.rows(flat, layout, divisor, out)

        return out, over_rows(rows, flat, layout, out)

    def long_row_total(self, flat: np.ndarray, size: int) -> Any:
        """Like `row_totals`, of one row so long that it is worth several threads.

        The pieces are the same for any number of threads, and so is the result.
        """
        pieces = size // _PIECE
        parts, special = self.row_totals(flat, (pieces, _PIECE, _PIECE, 1, 1))
        rest = size - pieces * _PIECE
        if rest:
            last, last_special = self.row_totals(flat[size - rest :], (1, 0, rest, 1, 1))
            parts, special = np.append(parts, last), special or last_special
        if special or parts.dtype.kind != "f":
            return self.fold.reduce(parts, keepdims=True), special
        return np.array([math.fsum(parts)]), False

    def column_totals(self, flat: np.ndarray, layout: tuple[int, ...]) -> np.ndarray:
        """Totals of all columns, 1-d, of the accumulator's dtype."""
        return column_totals(
            self.columns, flat, layout, np.dtype(self.accumulator).type(self.initial), self.fold
        )


def column_totals(
    columns: Columns, flat: np.ndarray, layout: tuple[int, ...], initial: Any, fold: np.ufunc,
    *tables: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Totals of all columns, 1-d.

    Narrow columns in one piece of memory are widened: many neighbouring rows make one wide row,
    which leaves the inner loop something to do. `tables` hold one value per column.
    """
    k, _, r, t, m = layout
    wide = 1024 // m if k == 1 and t == m <= 128 and r >= 64 else 1
    totals = np.full(k * m * wide, initial)
    if wide == 1:
        columns(flat, layout, *tables, totals)
        return totals
    full = r // wide
    repeated = [np.tile(table, wide) for table in tables]
    columns(flat, (1, 0, full, m * wide, m * wide), *repeated, totals)
    columns(flat[full * wide * m :], (1, 0, r - full * wide, m, m), *repeated, totals)
    return fold.reduce(totals.reshape(wide, m), axis=0)


@cache
def additive_kernels(dtype: np.dtype[Any]) -> Pair:
    """Compiled sum of one real dtype; `moments` uses it too."""
    if dtype.kind == "f":
        rows, columns = _rows_float_sum(dtype.type(0)), _columns_float_sum()
        return Pair("sum", rows, columns, dtype, np.float64, np.float64, 0.0, np.add)
    wide = np.uint64 if dtype.kind == "u" else np.int64
    rows, columns = _rows_exact(wide(0), False, False), _columns_exact(False, False)
    return Pair("sum", rows, columns, dtype, wide, wide, 0, np.add)


@cache
def _count_kernels(dtype: np.dtype[Any]) -> Pair:
    rows, columns = _rows_exact(np.int64(0), False, True), _columns_exact(False, True)
    return Pair("count_nonzero", rows, columns, dtype, np.int64, np.int64, 0, np.add)


@cache
def _prod_kernels(dtype: np.dtype[Any]) -> Pair:
    wide: Any = {"f": np.float64, "u": np.uint64}.get(dtype.kind, np.int64)
    rows, columns = _rows_exact(wide(1), True, False), _columns_exact(True, False)
    return Pair("prod", rows, columns, dtype, wide, wide, 1, np.multiply)


@cache
def extremum_kernels(dtype: np.dtype[Any], larger: bool) -> Pair:
    """Compiled max or min of one real dtype; `moments` uses it too."""
    if dtype.kind == "f":
        initial = dtype.type(-np.inf if larger else np.inf)
    else:
        initial = dtype.type(np.iinfo(dtype).min if larger else np.iinfo(dtype).max)
    return Pair(
        "max" if larger else "min", _rows_extremum(initial, larger), _columns_extremum(larger),
        dtype, dtype, dtype, initial, np.maximum if larger else np.minimum,
    )  # fmt: skip


@cache
def _truth_kernels(dtype: np.dtype[Any], expected: bool) -> Pair:
    return Pair(
        "any" if expected else "all", _rows_truth(expected), _columns_truth(expected),
        dtype, np.bool_, np.bool_, not expected, np.logical_or if expected else np.logical_and,
    )  # fmt: skip


# Calls


def _build(
    pair: Callable[..., Pair], numpy_function: Callable[..., Any], view: np.dtype[Any],
    *arguments: Any, only_short: bool = False,
) -> Callable[..., np.ndarray]:  # fmt: skip
    """Kernel over a pair whose results are exact.

    With `only_short`, NumPy reduces long rows and wide columns, where it reads as fast as memory.
    """
    kernels = pair(view, *arguments)
    # Any and all had better stop at the first block that decides.
    splits = kernels.result != np.bool_

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        size = x.size
        if 0 < size < _LONG and dtype is None and not keepdims and is_whole(x, axis):
            # Most calls are of this kind, and small: spend nothing on generality.
            x = x if x.dtype == view else x.view(view)
            if only_short or (size < 4096 and not splits):
                return np.asarray(kernels.fold.reduce(x, axis=None))
            out = np.empty(1, kernels.result)
            kernels.rows(x if x.ndim == 1 else x.reshape(-1), (1, 0, size, 1, 1), 1.0, out)
            return out.reshape(())
        if size == 0:
            options = {} if dtype is None else {"dtype": dtype}
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, **options))
        flat, layout = canonical(x.view(view) if x.dtype != view else x, axis)
        if only_short and (layout[4] > 128 or (layout[4] == 1 and layout[2] > 2000)):
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims))
        if layout[4] != 1:
            out = kernels.column_totals(flat, layout)
        elif splits and layout[0] == 1 and layout[2] >= _LONG:
            out, _ = kernels.long_row_total(flat, layout[2])
        else:
            out, _ = kernels.row_totals(flat, layout)
        out = out.reshape(result_shape(x.shape, axis, keepdims))
        # Totals are modulo 2**64, so that narrower results wrap as NumPy's do.
        return out if dtype is None else out.astype(dtype, copy=False)

    return kernel


def _build_integer(
    pair: Callable[..., Pair], numpy_function: Callable[..., Any], operand: np.dtype[Any]
) -> Callable[..., np.ndarray]:
    """Sum or product of integers, with NumPy for results that are no integers."""
    exact = _build(pair, numpy_function, operand)

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if dtype is not None and np.dtype(dtype).kind not in "iu":
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, dtype=dtype))
        return exact(x, axis=axis, keepdims=keepdims, dtype=dtype)

    return kernel


_FEW = 256
"""Numbers up to which NumPy's sum is as accurate, and its call costs less than ours."""


def _build_float_sum(dtype: np.dtype[Any], mean: bool) -> Callable[..., np.ndarray]:
    """Sum or mean of floats."""
    pair = additive_kernels(dtype)
    own, limit = dtype, float(np.finfo(dtype).max)
    numpy_function: Any = np.mean if mean else np.sum
    numpy_few: Any = np.mean if mean else np.add.reduce

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        size = x.size
        if dtype is own:
            dtype = None
        if 0 < size <= _FEW and dtype is None:
            return np.asarray(numpy_few(x, axis=axis, keepdims=keepdims))
        if 0 < size < _LONG and dtype is None and not keepdims and is_whole(x, axis):
            # Most calls are of this kind, and small: spend nothing on generality.
            total = np.empty(1, np.float64)
            flat = x if x.ndim == 1 else x.reshape(-1)
            if not pair.rows(flat, (1, 0, size, 1, 1), size if mean else 1.0, total):
                return (total if own == np.float64 else total.astype(own)).reshape(())
        if size == 0 or (dtype is not None and dtype != own):
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, dtype=dtype))
        flat, layout = canonical(x, axis)
        divisor = float(layout[2]) if mean else 1.0
        k, _, r, _, m = layout
        if m == 1 and (k > 1 or r < _LONG):
            totals, special = pair.row_totals(flat, layout, divisor)
        else:
            if m == 1:
                totals, special = pair.long_row_total(flat, r)
            else:
                totals, special = pair.column_totals(flat, layout), False
            if mean:
                totals /= divisor
            special = special or not np.abs(totals).max() <= limit
        if special:
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims))
        out = totals.astype(own, copy=False)
        return out.reshape(result_shape(x.shape, axis, keepdims))

    return kernel


def _build_complex_sum(dtype: np.dtype[Any], mean: bool) -> Callable[..., np.ndarray]:
    """Sum or mean of complex numbers, whose real and imaginary parts are two columns."""
    own, real = dtype, np.dtype(f"f{dtype.itemsize // 2}")
    parts = _build_float_sum(real, mean)
    numpy_function: Any = np.mean if mean else np.sum

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if x.size == 0 or x.ndim == 0 or (dtype is not None and dtype != own):
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, dtype=dtype))
        x = x[..., np.newaxis]
        out = parts(x.view(real), axis=axis, keepdims=True).view(own)
        return out.reshape(result_shape(x.shape[:-1], axis, keepdims))

    return kernel


def _build_float_prod(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Product of floats in NumPy's order; NumPy's own where the result may carry a warning."""
    pair, own = _prod_kernels(dtype), dtype

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if x.size and (dtype is None or dtype == own):
            flat, layout = canonical(x, axis, True)
            if layout[4] == 1:
                totals, _ = pair.row_totals(flat, layout)
            else:
                totals = pair.column_totals(flat, layout)
            with np.errstate(all="ignore"):
                out = totals.astype(own, copy=False)
            if np.isfinite(out).all():
                return out.reshape(result_shape(x.shape, axis, keepdims))
        return np.asarray(np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype))

    return kernel


def _build_complex_any(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Any of complex numbers: a number is true if its real or imaginary part is."""
    real = np.dtype(f"f{dtype.itemsize // 2}")
    parts = _build(_truth_kernels, np.any, real, True)

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        x = x[..., np.newaxis]
        out = parts(x.view(real), axis=(*axis, x.ndim - 1), keepdims=keepdims)
        return out[..., 0] if keepdims else out

    return kernel


# The table


def _bits(name: str) -> np.dtype[Any]:
    """Dtype with the same zero that stands for `name` where only zero matters."""
    return np.dtype({"bool": "uint8"}.get(name, name.replace("int", "uint").replace("uu", "u")))


def _specs() -> list[KernelSpec]:
    """All kernels of this module; ``preferred`` as measured (module docstring)."""
    specs: list[KernelSpec] = []

    def add(op: str, name: str, build: Any, *arguments: Any, **options: Any) -> None:
        preferred = (op, name) not in _SLOWER
        specs.append(
            KernelSpec(op, (np.dtype(name),), preferred, lambda: build(*arguments, **options))
        )

    for name in _FLOATS:
        add("sum", name, _build_float_sum, np.dtype(name), False)
        add("mean", name, _build_float_sum, np.dtype(name), True)
        add("prod", name, _build_float_prod, np.dtype(name))
    for name in _COMPLEX:
        add("sum", name, _build_complex_sum, np.dtype(name), False)
        add("mean", name, _build_complex_sum, np.dtype(name), True)
        add("any", name, _build_complex_any, np.dtype(name))
    for name in _INTEGERS:
        add("sum", name, _build_integer, additive_kernels, np.sum, np.dtype(name))
        add("prod", name, _build_integer, _prod_kernels, np.prod, np.dtype(name))
    for name in (*_INTEGERS, *_FLOATS):
        dtype = np.dtype(name)
        add("max", name, _build, extremum_kernels, np.max, dtype, True, only_short=True)
        add("min", name, _build, extremum_kernels, np.min, dtype, False, only_short=True)
    for name in ("bool", *_INTEGERS, *_FLOATS):
        view = _bits(name)
        add("any", name, _build, _truth_kernels, np.any, view, True)
        add("all", name, _build, _truth_kernels, np.all, view, False)
        add("count_nonzero", name, _build, _count_kernels, np.count_nonzero, view)
    return specs


_SLOWER = {
    *[("prod", name) for name in _FLOATS],
    *[(op, name) for op in ("sum", "mean", "any") for name in _COMPLEX],
    ("any", "bool"),
    ("all", "bool"),
}
"""(operation, dtype) where NumPy's loop was measured faster at some size."""

SPECS: list[KernelSpec] = _specs()
