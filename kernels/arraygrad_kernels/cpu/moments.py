"""Variance, standard deviation, logsumexp and softmax of floats.

Variance: rows go block by block, two passes over each block while it is in the first cache (its
mean, then squared distances from it), and blocks are merged as in [1]_; columns take two passes.
logsumexp: shifted by the maximum of each block or column, so that no exponential overflows; exp is
`vecmath`'s. Totals are float64. Where a result is not finite, NumPy's own variance runs again, for
its RuntimeWarnings.

Measured
--------
Speed relative to NumPy (logsumexp: SciPy), one thread, float32 / float64. var: 1000 elements
2.0 / 1.6, 4M 5.2 / 5.9, 2048 x 2048 along the first axis 5.1 / 3.4, rows of ten 2.7 / 4.9.
logsumexp: 1000 elements 35 / 21, 4M 8.7 / 6.7, along the first axis 4.3 / 7.0, rows of ten
3.1 / 4.3.

References
----------
.. [1] T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for
   computing sample variances", COMPSTAT 1982.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from arraygrad_kernels import _jit, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import (
    LAYOUT,
    canonical,
    over_rows,
    readable,
    result_shape,
    writable,
)
from arraygrad_kernels.cpu.reduction import (
    BLOCK,
    EXTREMUM_FLAGS,
    SUM_FLAGS,
    TILE,
    additive_kernels,
    column_totals,
    extremum_kernels,
)
from arraygrad_kernels.reference import reductions
from arraygrad_kernels.vecmath import bits, f32, f64, polynomials

__all__ = ["SPECS"]

for _module in (bits, polynomials, f64, f32):
    _jit.inline_module(_module)

_DOUBLE = np.dtype(np.float64)


# Variance


def _rows_squares(zero: Any) -> Callable[..., None]:
    """Sums of squared distances from the mean of each row."""
    narrow = zero.dtype.type

    @_jit.relaxed(*SUM_FLAGS)
    def block_sum(flat, first, stop):  # type: ignore[no-untyped-def]
        total = zero
        for c in range(first, stop):
            total += flat[c]
        return total

    @_jit.relaxed(*SUM_FLAGS)
    def block_squares(flat, first, stop, center):  # type: ignore[no-untyped-def]
        total = zero
        for c in range(first, stop):
            distance = flat[c] - center
            total += distance * distance
        return total

    def rows(flat, layout, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        for i in range(k):
            stop = i * s + r
            count = 0.0
            mean = 0.0
            squares = 0.0
            for b in range(i * s, stop, BLOCK):
                end = min(b + BLOCK, stop)
                n = np.float64(end - b)
                block_mean = block_sum(flat, b, end) / n
                center = narrow(block_mean)
                # The center is the mean rounded to the dtype of the elements: undo that.
                rounding = block_mean - center
                part = block_squares(flat, b, end, center) - n * rounding * rounding
                difference = block_mean - mean
                total = count + n
                mean += difference * (n / total)
                squares += part + difference * difference * (count * n / total)
                count = total
            out[i] = squares if squares > 0 else squares * 0

    return rows


def _columns_squares() -> Callable[..., None]:
    """Squared distances from `means`, added to `totals`."""

    def columns(flat, layout, means, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                for b in range(r):
                    at = i * s + b * t + first
                    for j in range(n):
                        distance = flat[at + j] - means[to + j]
                        totals[to + j] += distance * distance

    return columns


@cache
def _square_kernels(dtype: np.dtype[Any]) -> tuple[Callable[..., None], Callable[..., None]]:
    operand, totals, table = readable(dtype), writable(_DOUBLE), readable(_DOUBLE)
    rows = _jit.jit(
        _rows_squares(dtype.type(0)), f"squares_rows_{dtype}", (operand, LAYOUT, totals)
    )
    columns = _jit.jit(
        _columns_squares(), f"squares_columns_{dtype}", (operand, LAYOUT, table, totals)
    )
    return rows, columns


def _build_var(dtype: np.dtype[Any], root: bool) -> Callable[..., np.ndarray]:
    rows, columns = _square_kernels(dtype)
    sums = additive_kernels(dtype)
    own, limit = dtype, float(np.finfo(dtype).max)
    numpy_function: Callable[..., Any] = np.std if root else np.var

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, correction: float = 0.0,
        dtype: Any = None,
    ) -> np.ndarray:  # fmt: skip
        shape = result_shape(x.shape, axis, keepdims)
        count = math.prod([x.shape[i] for i in axis])
        if count - correction <= 0 or x.size == 0:
            return np.full(shape, np.nan, own if dtype is None else dtype)
        if dtype is not None and dtype != own:
            return np.asarray(
                numpy_function(x, axis=axis, keepdims=keepdims, ddof=correction, dtype=dtype)
            )
        flat, layout = canonical(x, axis)
        if layout[4] == 1:
            squares = np.empty(layout[0])
            over_rows(rows, flat, layout, squares)
        else:
            means = sums.column_totals(flat, layout)
            means /= count
            with np.errstate(invalid="ignore"):
                squares = column_totals(columns, flat, layout, np.float64(0), np.add, means)
        squares /= count - correction
        if not squares.max() <= limit:
            return np.asarray(numpy_function(x, axis=axis, keepdims=keepdims, ddof=correction))
        out = np.sqrt(squares) if root else squares
        return out.astype(own, copy=False).reshape(shape)

    return kernel


# logsumexp


def _exponential_steps(zero: Any) -> tuple[Callable[..., Any], ...]:
    """Maximum of a block, its shifted exponentials, and their sum."""
    lowest = zero.dtype.type(-np.inf)
    exp = f32.exp if zero.dtype == np.float32 else f64.exp

    @_jit.relaxed(*EXTREMUM_FLAGS)
    def block_max(flat, first, stop):  # type: ignore[no-untyped-def]
        total = lowest
        for c in range(first, stop):
            total = flat[c] if flat[c] > total else total
        return total

    # Strict, between two relaxed loops: exp rounds by adding and subtracting a large number.
    @_jit.relaxed("contract")
    def exponentials(flat, first, stop, shift, out):  # type: ignore[no-untyped-def]
        for c in range(stop - first):
            out[c] = exp(flat[first + c] - shift)

    @_jit.relaxed(*SUM_FLAGS)
    def block_sum(terms, first, stop):  # type: ignore[no-untyped-def]
        total = zero
        for c in range(first, stop):
            total += terms[c]
        return total

    return block_max, exponentials, block_sum


def _rows_logsumexp(zero: Any) -> Callable[..., None]:
    """Logarithms of sums of exponentials of each row."""
    block_max, exponentials, block_sum = _exponential_steps(zero)

    def rows(flat, layout, terms, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        for i in range(k):
            stop = i * s + r
            shift = -np.inf
            total = 0.0
            for b in range(i * s, stop, BLOCK):
                end = min(b + BLOCK, stop)
                # An infinite shift would make nan of inf - inf; exp(inf) and exp(-inf) are right.
                largest = block_max(flat, b, end)
                largest = largest if abs(largest) < np.inf else zero
                exponentials(flat, b, end, largest, terms)
                part = 0.0 + block_sum(terms, 0, end - b)
                if not part < np.inf:
                    # inf or nan: scaling it by exp(-large) = 0 would make nan of inf.
                    total += part
                    shift = 0.0
                    if part != part:
                        break
                elif part > 0 and total < np.inf:
                    new = max(shift, 0.0 + largest)
                    total = total * math.exp(shift - new) + part * math.exp(largest - new)
                    shift = new
            out[i] = shift + math.log(total) if total > 0 else total + math.log(total)

    return rows


def _columns_exponentials(dtype: np.dtype[Any]) -> Callable[..., None]:
    """Exponentials of distances from `shifts`, added to `totals`."""
    exp = f32.exp if dtype == np.float32 else f64.exp

    def columns(flat, layout, shifts, totals):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            for first in range(0, m, TILE):
                to = i * m + first
                n = min(TILE, m - first)
                for b in range(r):
                    at = i * s + b * t + first
                    for j in range(n):
                        totals[to + j] += exp(flat[at + j] - shifts[to + j])

    return columns


def _build_logsumexp(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    operand, result = readable(dtype), writable(dtype)
    rows = _jit.jit(
        _rows_logsumexp(dtype.type(0)), f"logsumexp_rows_{dtype}",
        (operand, LAYOUT, result, result),
    )  # fmt: skip
    columns = _jit.jit(
        _columns_exponentials(dtype), f"logsumexp_columns_{dtype}",
        (operand, LAYOUT, operand, writable(_DOUBLE)),
    )  # fmt: skip
    largest = extremum_kernels(dtype, True)
    own = dtype

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if dtype is not None and dtype != own:
            raise TypeError(f"logsumexp of {own} gives {own}, not {dtype}: cast the operand first")
        shape = result_shape(x.shape, axis, keepdims)
        if x.size == 0:
            return np.full(shape, -np.inf, own)
        flat, layout = canonical(x, axis)
        if layout[4] == 1:
            out = np.empty(layout[0], own)
            over_rows(
                lambda flat, layout, out: rows(flat, layout, np.empty(int(BLOCK), own), out),
                flat, layout, out, threads.COSTLY,
            )  # fmt: skip
            return out.reshape(shape)
        shifts = largest.column_totals(flat, layout)
        shifts[~np.isfinite(shifts)] = 0
        with np.errstate(all="ignore"):
            totals = column_totals(columns, flat, layout, np.float64(0), np.add, shifts)
            return (np.log(totals) + shifts).astype(own, copy=False).reshape(shape)

    return kernel


# Softmax


def _rows_softmax(zero: Any) -> Callable[..., bool]:
    """Softmax of each row; whether the largest element of a row is infinite (see the caller)."""
    block_max, exponentials, block_sum = _exponential_steps(zero)
    narrow = zero.dtype.type

    def rows(flat, layout, out):  # type: ignore[no-untyped-def]
        k, s, r, _, _ = layout
        special = False
        for i in range(k):
            weights = out[i]
            largest = block_max(flat, i * s, i * s + r)
            if not abs(largest) < np.inf:
                special = True
                continue
            exponentials(flat, i * s, i * s + r, largest, weights)
            total = 0.0
            for b in range(0, r, BLOCK):
                total += block_sum(weights, b, min(b + BLOCK, r))
            divisor = narrow(total)
            for c in range(r):
                weights[c] /= divisor
        return special

    return rows


def _build_softmax(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    rows = _jit.jit(
        _rows_softmax(dtype.type(0)), f"softmax_rows_{dtype}",
        (readable(dtype), LAYOUT, writable(dtype, 2)),
    )  # fmt: skip
    general = reductions.softmax

    def kernel(x: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
        if x.size == 0 or not is_rows(x, axis):
            return general(x, axis=axis)
        flat, layout = canonical(x, axis)
        out = np.empty((layout[0], layout[2]), dtype)
        # Infinities share the weight, or there is none to share: the general form knows.
        if over_rows(rows, flat, layout, out, threads.COSTLY):
            return general(x, axis=axis)
        return out.reshape(x.shape)

    return kernel


def is_rows(x: np.ndarray, axis: tuple[int, ...]) -> bool:
    """Whether `axis` are the last ones of a contiguous operand."""
    return axis == tuple(range(x.ndim - len(axis), x.ndim)) and x.flags.c_contiguous


# The table


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, name: str, build: Callable[..., Any], *arguments: Any) -> None:
        dtype = np.dtype(name)
        specs.append(KernelSpec(op, (dtype,), True, lambda: build(dtype, *arguments)))

    for name in ("float32", "float64"):
        add("var", name, _build_var, False)
        add("std", name, _build_var, True)
        add("logsumexp", name, _build_logsumexp)
        add("softmax", name, _build_softmax)
    return specs


SPECS: list[KernelSpec] = _specs()
