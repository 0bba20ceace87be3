"""Logarithms of sums of exponentials, and softmax, of floats.

Shifted by the maximum of each row, block or column, so that no exponential overflows; totals are
float64. Exponentials of float32 below the least normal number are 0. Infinities share the weight
evenly; where all elements are -inf the logarithm is -inf and every weight 0. No error is reported.

Measured
--------
Speed relative to what users of NumPy write, one thread, float32: 4M elements / 2048 x 2048 along
the last axis / the first / rows of ten / columns of ten / 1000 elements. logsumexp 5.9 / 9 / 4 /
3.4 / 6.4 / 2.5; softmax 4.2 / 5.3 / 3.2 / 3.7 / 5.4 / 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arraygrad_kernels import _jit, results, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.axes import one_axis, over_axis, result_shape
from arraygrad_kernels.cpu.folds import BLOCK, EXTREMUM_FLAGS, SHORT, SUM_FLAGS, packed
from arraygrad_kernels.nest import nest_loop, plain, relaxed, scratch
from arraygrad_kernels.reference.reductions import softmax as reference
from arraygrad_kernels.vecmath import f32, f64
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = ["SPECS", "Exponentials", "column_passes", "exponentials"]

_MIDDLE = 256
"""Elements of a row up to which several rows share one loop of exponentials."""
_LONG_BLOCK = 4096
"""Elements of a long row whose exponentials have one shift."""
_TILE = 2048
"""Columns at a time."""


class Exponentials(NamedTuple):
    """What the nests of one dtype are made of."""

    largest: Callable[..., Any]
    shift: Callable[..., Any]
    weight: Callable[..., Any]
    add: Callable[..., Any]
    total: Callable[..., Any]


def exponentials(dtype: np.dtype[Any]) -> Exponentials:
    """Maxima, weights and their sums, of elements of a dtype."""
    lowest, zero = dtype.type(-np.inf), dtype.type(0)
    exp = f32.exp_quick if dtype == np.float32 else f64.exp

    @relaxed(*EXTREMUM_FLAGS)
    def largest_of_many(x, n):
        result = lowest
        for c in range(n):
            result = x[c] if x[c] > result else result
        return result

    def largest(x, n):
        # A NaN is passed over: its exponential is NaN, and so are all that follow from it.
        result = lowest
        if n <= SHORT:
            for c in plain(range(n)):
                result = x[c] if x[c] > result else result
        else:
            result = largest_of_many(x, n)
        return result

    def shift(largest):
        return zero if largest == lowest else largest

    def weight(x, shift):
        # An infinite shift would make NaN of inf - inf.
        return exp(zero if x == shift else x - shift)

    @relaxed(*SUM_FLAGS)
    def add(total, x):
        return total + x

    @relaxed(*SUM_FLAGS)
    def total_of_many(x, n):
        result = zero
        for c in range(n):
            result += x[c]
        return result

    def total(x, n):
        result = 0.0
        if n <= SHORT:
            for c in plain(range(n)):
                result += x[c]
        else:
            result += total_of_many(x, n)
        return result

    return Exponentials(largest, shift, weight, add, total)


# Columns


def column_passes(dtype: np.dtype[Any], steps: Exponentials) -> tuple[Callable[..., Any], ...]:
    """Shifts of a tile of columns, and sums of their weights, perhaps stored."""
    lowest = dtype.type(-np.inf)

    def shifts_of(y, rows, width, size, pitch, times, k, shifts):
        for j in plain(range(width)):
            shifts[j] = lowest
        for b in plain(range(rows)):
            z = y[b * pitch :]
            for j in range(min(width, size - b * width)):
                shifts[j] = z[j] if z[j] > shifts[j] else shifts[j]
        for j in plain(range(width // times)):
            largest = shifts[j]
            for b in plain(range(1, times)):
                x = shifts[b * k + j]
                largest = x if x > largest else largest
            for b in plain(range(times)):
                shifts[b * k + j] = steps.shift(largest)

    def totals_of(y, out, rows, width, size, pitch, out_pitch, times, k, shifts, totals):
        for j in plain(range(width)):
            totals[j] = 0.0
        for b in plain(range(rows)):
            z = y[b * pitch :]
            to = out[b * out_pitch :]
            w = min(width, size - b * width)
            # Two loops, because float64 would halve the lanes of the exponentials.
            for j in range(w):
                to[j] = steps.weight(z[j], shifts[j])
            for j in range(w):
                totals[j] += to[j]
        for j in plain(range(width // times)):
            total = 0.0
            for b in plain(range(times)):
                total += totals[b * k + j]
            for b in plain(range(times)):
                totals[b * k + j] = total

    return shifts_of, totals_of


# logsumexp


def _logsumexp(dtype: np.dtype[Any]) -> tuple[Callable[..., Any], ...]:
    steps = exponentials(dtype)
    shifts_of, totals_of = column_passes(dtype, steps)
    code, zero = str(code_of(dtype)), dtype.type(0)

    def long_row(x, n, step):
        buffer = scratch(code, _LONG_BLOCK)
        shift = -math.inf
        total = 0.0
        for b in plain(range(0, n, _LONG_BLOCK)):
            m = min(_LONG_BLOCK, n - b)
            y = packed(x, b, m, step, buffer)
            largest = steps.shift(steps.largest(y, m))
            part = zero
            for c in range(m):
                part = steps.add(part, steps.weight(y[c], largest))
            # A block of -inf says nothing of the size of others.
            new = shift if part == 0 else np.float64(largest)
            if b == 0:
                total += part
                shift = new
            else:
                both = new if new > shift else shift
                total = total * f64.exp(0.0 if shift == both else shift - both)
                total += part * f64.exp(0.0 if new == both else new - both)
                shift = both
        return shift + f64.log(total)

    def short_rows(x, out, k, n, x_step, out_step):
        # Rows one after the other, so that loops of exponentials and logarithms are long.
        terms = scratch(code, BLOCK)
        shifts = scratch(code, BLOCK)
        totals = scratch("d", BLOCK)
        many = BLOCK // n
        for first in plain(range(0, k, many)):
            rows = min(many, k - first)
            for i in plain(range(rows)):
                y = x[(first + i) * x_step :]
                z = terms[i * n :]
                shifts[i] = steps.shift(steps.largest(y, n))
                shift = shifts[i]
                for c in range(n):
                    z[c] = zero if y[c] == shift else y[c] - shift
            for c in range(rows * n):
                terms[c] = steps.weight(terms[c], zero)
            for i in plain(range(rows)):
                totals[i] = steps.total(terms[i * n :], n)
            for i in range(rows):
                totals[i] = shifts[i] + f64.log(totals[i])
            for i in plain(range(rows)):
                out[(first + i) * out_step] = totals[i]

    def columns(x, out, k, n, out_step, core):
        shifts = scratch(code, _TILE)
        totals = scratch("d", _TILE)
        weights = scratch(code, _TILE)
        times = 1
        if (core == k) & (k <= 128):
            times = _TILE // k
        rows = (n + times - 1) // times
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            width = min(_TILE, k - first) * times
            size = n * width
            if times > 1:
                size = n * k
            shifts_of(y, rows, width, size, core * times, times, k, shifts)
            totals_of(y, weights, rows, width, size, core * times, 0, times, k, shifts, totals)
            for j in range(width):
                totals[j] = shifts[j] + f64.log(totals[j])
            for j in plain(range(width // times)):
                out[(first + j) * out_step] = totals[j]

    def loop(x, out, k, n, x_step, out_step, core):
        if (x_step == 1) & (core != 1) & (k > 1):
            columns(x, out, k, n, out_step, core)
        elif (core == 1) & (n <= _MIDDLE):
            short_rows(x, out, k, n, x_step, out_step)
        else:
            for i in plain(range(k)):
                out[i * out_step] = long_row(x[i * x_step :], n, core)

    return loop


def _build_logsumexp(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    own = dtype
    compiled = _jit.loop(nest_loop(_logsumexp(dtype), [dtype], [dtype], 1, 1), f"logsumexp_{dtype}")
    ufunc = _jit.ufunc(
        [(compiled.address, (dtype, dtype))], "reduce", 1, signature="(n)->()", keep=compiled
    )

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        if dtype is not None and dtype != own:
            raise TypeError(f"logsumexp of {own} gives {own}, not {dtype}: cast the operand first")
        shape = result_shape(x.shape, axis, keepdims)
        if x.size == 0:
            return np.full(shape, -np.inf, own)
        y, a = one_axis(x, axis)
        return np.asarray(over_axis(ufunc, y, a, own, threads.COSTLY)).reshape(shape)

    return kernel


# Softmax


def _softmax(dtype: np.dtype[Any]) -> Callable[..., None]:
    steps = exponentials(dtype)
    shifts_of, totals_of = column_passes(dtype, steps)
    code, zero, narrow = str(code_of(dtype)), dtype.type(0), dtype.type
    lowest = dtype.type(-np.inf)

    def divisor(total):
        return narrow(1.0 if total == 0 else total)

    def long_row(x, out, n):
        largest = steps.shift(steps.largest(x, n))
        total = 0.0
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            y = x[b:]
            z = out[b:]
            part = zero
            for c in range(m):
                weight = steps.weight(y[c], largest)
                z[c] = weight
                part = steps.add(part, weight)
            total += part
        by = divisor(total)
        for c in range(n):
            out[c] /= by

    def short_rows(x, out, k, n, x_step, out_step):
        terms = scratch(code, BLOCK)
        many = BLOCK // n
        for first in plain(range(0, k, many)):
            rows = min(many, k - first)
            for i in plain(range(rows)):
                y = x[(first + i) * x_step :]
                z = terms[i * n :]
                shift = steps.shift(steps.largest(y, n))
                for c in range(n):
                    z[c] = zero if y[c] == shift else y[c] - shift
            for c in range(rows * n):
                terms[c] = steps.weight(terms[c], zero)
            for i in plain(range(rows)):
                y = terms[i * n :]
                z = out[(first + i) * out_step :]
                by = divisor(steps.total(y, n))
                for c in range(n):
                    z[c] = y[c] / by

    def columns(x, out, k, n, core, out_core):
        shifts = scratch(code, _TILE)
        totals = scratch("d", _TILE)
        times = 1
        if (core == k) & (out_core == k) & (k <= 128):
            times = _TILE // k
        rows = (n + times - 1) // times
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            z = out[first:]
            width = min(_TILE, k - first) * times
            size = n * width
            if times > 1:
                size = n * k
            pitch = core * times
            out_pitch = out_core * times
            shifts_of(y, rows, width, size, pitch, times, k, shifts)
            totals_of(y, z, rows, width, size, pitch, out_pitch, times, k, shifts, totals)
            for j in range(width):
                shifts[j] = divisor(totals[j])
            for b in plain(range(rows)):
                to = z[b * out_pitch :]
                for j in range(min(width, size - b * width)):
                    to[j] /= shifts[j]

    def strided_row(x, out, n, core, out_core):
        largest = lowest
        for c in plain(range(n)):
            largest = x[c * core] if x[c * core] > largest else largest
        shift = steps.shift(largest)
        total = 0.0
        for c in plain(range(n)):
            weight = steps.weight(x[c * core], shift)
            out[c * out_core] = weight
            total += weight
        by = divisor(total)
        for c in plain(range(n)):
            out[c * out_core] /= by

    def loop(x, out, k, n, x_step, out_step, core, out_core):
        if (x_step == 1) & (out_step == 1) & (core != 1) & (k > 1):
            columns(x, out, k, n, core, out_core)
        elif (core == 1) & (out_core == 1):
            if n <= _MIDDLE:
                short_rows(x, out, k, n, x_step, out_step)
            else:
                for i in plain(range(k)):
                    long_row(x[i * x_step :], out[i * out_step :], n)
        else:
            for i in plain(range(k)):
                strided_row(x[i * x_step :], out[i * out_step :], n, core, out_core)

    return loop


def _build_softmax(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    own = dtype
    compiled = _jit.loop(nest_loop(_softmax(dtype), [dtype], [dtype], 1, 2), f"softmax_{dtype}")
    ufunc = _jit.ufunc(
        [(compiled.address, (dtype, dtype))], "softmax", 1, signature="(n)->(n)", keep=compiled
    )

    def kernel(x: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
        if x.size == 0 or (axis and axis[-1] - axis[0] != len(axis) - 1):
            return reference(x, axis=axis)
        if x.size < threads.COSTLY and axis == (x.ndim - 1,) and x.flags.c_contiguous:
            return ufunc(x)
        y, a = one_axis(x, axis, ordered=True)
        # The layout of the operand, so that rows of both are rows.
        out = results.empty(y.shape, own) if y.flags.c_contiguous else np.empty_like(y)
        over_axis(ufunc, y, a, own, threads.COSTLY, out=out)
        return out.reshape(x.shape)

    return kernel


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, name: str, build: Callable[..., Any]) -> None:
        dtype = np.dtype(name)
        specs.append(KernelSpec(op, (dtype,), True, lambda: build(dtype)))

    for name in ("float32", "float64"):
        add("logsumexp", name, _build_logsumexp)
        add("softmax", name, _build_softmax)
    return specs


SPECS: list[KernelSpec] = _specs()
