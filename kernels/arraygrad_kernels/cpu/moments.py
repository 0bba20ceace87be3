"""Variance and standard deviation of floats.

Elements go block by block, two passes over each block while it is in the first or second cache:
its mean, roughly, then distances from it and their squares. Blocks are merged in float64 as in
[1]_. "Invalid" and "overflow" are reported as by NumPy.

Measured
--------
Speed relative to NumPy, one thread, float32: 5 for 4M elements, 6 along the last axis of 2048 x
2048 and 2.8 along the first, 5.6 in rows of ten, 23 in columns of ten, 2.5 for 1000 elements.

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

from arraygrad_kernels import threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.axes import is_whole, one_axis, over_axis, result_shape
from arraygrad_kernels.cpu.folds import BLOCK, SHORT, SUM_FLAGS, ahead, compensated, packed, special
from arraygrad_kernels.cpu.reduction import reduction
from arraygrad_kernels.nest import plain, relaxed, report, scratch
from arraygrad_kernels.reference import reductions
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = ["SPECS"]

_TILE = 512
"""Columns at a time, and"""
_ROWS = 32
"""rows at a time: blocks of columns are in the second cache."""


def _careful(x, n, step):
    """In order, in float64: sums of float32 may have overflowed."""
    mean = 0.0
    for c in plain(range(n)):
        mean += x[c * step]
    mean /= n
    squares = 0.0
    for c in plain(range(n)):
        distance = x[c * step] - mean
        squares += distance * distance
    any_nan, any_infinite = special(x, n, step)
    report("invalid", (squares != squares) & (not any_nan))
    report("overflow", (squares == math.inf) & (not any_infinite))
    return squares


def _not_negative(squares):
    """0 where rounding made less of it; NaN stays."""
    return 0.0 if squares < 0 else squares


def _row(dtype: np.dtype[Any]) -> Callable[..., Any]:
    zero, code, itemsize = dtype.type(0), str(code_of(dtype)), dtype.itemsize
    narrow = dtype.type

    @relaxed(*SUM_FLAGS)
    def block_sum(x, n):
        total = zero
        for c in range(n):
            total += x[c]
        return total

    @relaxed(*SUM_FLAGS)
    def distances(x, n, center):
        first = zero
        second = zero
        for c in range(n):
            distance = x[c] - center
            first += distance
            second += distance * distance
        return np.float64(first), np.float64(second)

    def row(x, n, step, far):
        buffer = scratch(code, BLOCK)
        squares = 0.0
        if n <= SHORT:
            mean = 0.0
            for c in plain(range(n)):
                mean += x[c * step]
            mean /= n
            for c in plain(range(n)):
                distance = x[c * step] - mean
                squares += distance * distance
        else:
            count = 0.0
            mean = 0.0
            lost = 0.0
            # Means are distances from this, which loses no digits where all are large.
            origin = np.float64(x[0])
            for b in plain(range(0, n, BLOCK)):
                m = min(BLOCK, n - b)
                if far:
                    ahead(x, b, m, itemsize)
                y = packed(x, b, m, step, buffer)
                size = np.float64(m)
                center = narrow(np.float64(block_sum(y, m)) / size)
                first, second = distances(y, m, center)
                difference = (center - origin) + first / size - mean
                total = count + size
                mean += difference * (size / total)
                part = second - first * first / size
                part += difference * difference * (count * size / total)
                squares, lost = compensated(squares, lost, part)
                count = total
            squares += lost
        if not squares < math.inf:
            squares = _careful(x, n, step)
        return _not_negative(squares)

    return row


def _columns(dtype: np.dtype[Any]) -> Callable[..., None]:
    zero, code, narrow = dtype.type(0), str(code_of(dtype)), dtype.type

    def block(x, rows, width, pitch, centers, firsts, seconds):
        # Sums of distances, and of their squares, from a number near the mean of each column.
        for j in range(width):
            firsts[j] = zero
            seconds[j] = zero
            centers[j] = x[j]
        for b in plain(range(1, rows)):
            for j in range(width):
                centers[j] += x[b * pitch + j]
        share = narrow(1.0) / narrow(rows)
        for j in range(width):
            centers[j] *= share
        for b in plain(range(0, rows - 1, 2)):
            y = x[b * pitch :]
            for j in range(width):
                one = y[j] - centers[j]
                other = y[pitch + j] - centers[j]
                firsts[j] += one + other
                seconds[j] += one * one + other * other
        for b in plain(range((rows >> 1) << 1, rows)):
            for j in plain(range(width)):
                one = x[b * pitch + j] - centers[j]
                firsts[j] += one
                seconds[j] += one * one

    def columns(x, out, k, n, out_step, core):
        means = scratch("d", _TILE)
        squares = scratch("d", _TILE)
        origins = scratch("d", _TILE)
        centers = scratch(code, _TILE)
        firsts = scratch(code, _TILE)
        seconds = scratch(code, _TILE)
        times = 1  # rows that make a wide one, see `reduction`
        if (core == k) & (k <= 128) & (n * k >= 2 * _TILE):
            times = _TILE // k
        rows = n // times
        pitch = core * times
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            n_columns = min(_TILE, k - first)
            width = n_columns * times
            for j in plain(range(width)):
                means[j] = 0.0
                squares[j] = 0.0
            for j in plain(range(n_columns)):
                for b in plain(range(times)):
                    origins[b * k + j] = y[j]
            for b in plain(range(0, rows, _ROWS)):
                m = min(_ROWS, rows - b)
                block(y[b * pitch :], m, width, pitch, centers, firsts, seconds)
                size = np.float64(m)
                total = np.float64(b + m)
                share = size / total
                both = np.float64(b) * share
                for j in range(width):
                    first_moment = np.float64(firsts[j]) / size
                    difference = ((centers[j] - origins[j]) + first_moment) - means[j]
                    means[j] += difference * share
                    squares[j] += (seconds[j] - first_moment * firsts[j]) + (
                        difference * difference * both
                    )
            z = y[rows * pitch :]
            single = n_columns
            if times > 1:
                single = 0
            sound = True
            for j in range(single):
                out[(first + j) * out_step] = _not_negative(squares[j])
                sound = sound & (squares[j] < math.inf)
            if not sound:
                single = 0
            for j in plain(range(single, n_columns)):
                count = np.float64(rows)
                mean = means[j]
                total_squares = squares[j]
                for b in plain(range(1, times)):
                    difference = means[b * k + j] - mean
                    total = count + rows
                    mean += difference * (rows / total)
                    total_squares += squares[b * k + j]
                    total_squares += difference * difference * (count * rows / total)
                    count = total
                for b in plain(range(n - rows * times)):
                    difference = (z[b * k + j] - origins[j]) - mean
                    count += 1.0
                    mean += difference / count
                    total_squares += difference * difference * ((count - 1.0) / count)
                if not total_squares < math.inf:
                    total_squares = _careful(y[j:], n, core)
                out[(first + j) * out_step] = _not_negative(total_squares)

    return columns


@cache
def _squares(dtype: np.dtype[Any]) -> np.ufunc:
    """Compiled sums of squared distances from the mean, in float64."""
    return reduction("squares", _row(dtype), _columns(dtype), dtype, np.dtype(np.float64), True)


def _build_var(dtype: np.dtype[Any], root: bool) -> Callable[..., np.ndarray]:
    ufunc = _squares(dtype)
    own = dtype
    numpy_function: Callable[..., Any] = np.std if root else np.var
    general = reductions.KERNELS["std" if root else "var"]

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, correction: float = 0.0,
        dtype: Any = None,
    ) -> np.ndarray:  # fmt: skip
        whole = not keepdims and x.size < threads.CHEAP and is_whole(x, axis)  # most calls
        shape = () if whole else result_shape(x.shape, axis, keepdims)
        count = x.size if whole else math.prod([x.shape[i] for i in axis])
        if count - correction <= 0 or x.size == 0:
            return np.asarray(
                general(x, axis=axis, keepdims=keepdims, correction=correction, dtype=dtype)
            )
        if dtype is not None and dtype != own:
            return np.asarray(
                numpy_function(x, axis=axis, keepdims=keepdims, ddof=correction, dtype=dtype)
            )
        y, a = (x.reshape(-1), 0) if whole else one_axis(x, axis)
        found: list[str] = []
        with np.errstate(all="call", call=lambda kind, _: found.append(kind)):
            squares = ufunc(y) if whole else over_axis(ufunc, y, a, np.dtype(np.float64))
            out = squares / (count - correction)
            if root:
                out = np.sqrt(out)
            narrow = np.array(out, own, copy=None)
        if found:  # NumPy says in which of its steps; what is infinite has no digits to lose
            return np.asarray(general(x, axis=axis, keepdims=keepdims, correction=correction))
        return narrow.reshape(shape)

    return kernel


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, name: str, root: bool) -> None:
        dtype = np.dtype(name)
        specs.append(KernelSpec(op, (dtype,), True, lambda: _build_var(dtype, root)))

    for name in ("float32", "float64"):
        add("var", name, False)
        add("std", name, True)
    return specs


SPECS: list[KernelSpec] = _specs()
