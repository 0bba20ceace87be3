"""Cotangents of softmax, log_softmax, logsumexp, var, std and the Euclidean norm, of floats.

Each row is read for its total (or maximum, or mean) and written while it is in the cache: one pass
over memory, without temporaries. Columns side by side are read twice. Totals are float64. An exact
zero times an infinity or NaN is zero, as everywhere in derivatives; no error is reported.

Measured
--------
Speed relative to PyTorch's kernels, one thread, 2048 x 2048, float32, float64 along the last axis
/ along the first: softmax 1.1, 4.5 / 3.3, 6.8; log_softmax 1, 2.6 / 6, 7.4; logsumexp 3.2, 7 / 1.4,
5.2; var 2.2, 10 / 1.5, 6.3; norm 0.9, 6.9 / 1, 7.3. Rows of 16: 0.4 to 1.3, columns of 16: 0.6 to
2.7. Softmax takes a third of the time of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels import _jit, results, threads
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.axes import one_axis, over_axis_of_several
from arraygrad_kernels.cpu.exponential import column_passes, exponentials
from arraygrad_kernels.cpu.folds import BLOCK, SHORT, SUM_FLAGS, packed
from arraygrad_kernels.nest import nest_loop, plain, relaxed, scratch
from arraygrad_kernels.reference import backward as reference
from arraygrad_kernels.vecmath import f32, f64
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = ["SPECS"]

Nest = Callable[..., None]

_FLAT = 64
"""Elements of a row up to which rows are worked on together, as one piece of memory."""
_MIDDLE = 256
"""Elements of a row up to which several rows share one loop of exponentials."""
_TILE = 2048
"""Columns at a time. Narrower tiles would stay in a cache, but jump through memory: slower."""
_ROWS = 128
"""Rows whose sums are added up apart, so that errors do not grow with the length of columns."""


def _times(dtype: np.dtype[Any]) -> Callable[..., Any]:
    zero = dtype.type(0)

    def times(a, b):
        return zero if (a == zero) | (b == zero) else a * b

    return times


# softmax and log_softmax: g and the result


def _softmax(dtype: np.dtype[Any], logarithm: bool) -> Nest:
    """(g - sum(g * out)) * out; of logarithms g - sum(g) * exp(out)."""
    zero, code, narrow = dtype.type(0), str(code_of(dtype)), dtype.type
    limit = float(np.finfo(dtype).max)
    times = _times(dtype)
    exp = f32.exp_quick if dtype == np.float32 else f64.exp

    def term(g, w):
        return g if logarithm else g * w

    def absorbing_term(g, w):
        return g if logarithm else times(g, w)

    def slope(g, w, total):
        return g - times(exp(w), total) if logarithm else times(g - total, w)

    @relaxed(*SUM_FLAGS)
    def total_of_block(g, w, n):
        total = zero
        for c in range(n):
            total += term(g[c], w[c])
        return total

    def careful(g, w, n, g_core, w_core):
        total = 0.0
        for c in plain(range(n)):
            total += absorbing_term(g[c * g_core], w[c * w_core])
        return total

    def row(g, w, out, n, g_core, w_core, out_core):
        first = scratch(code, BLOCK)
        second = scratch(code, BLOCK)
        total = 0.0
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            y = packed(g, b, m, g_core, first)
            total += np.float64(total_of_block(y, packed(w, b, m, w_core, second), m))
        if not abs(total) <= limit:
            total = careful(g, w, n, g_core, w_core)
        one = narrow(total)
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            y = packed(g, b, m, g_core, first)
            z = packed(w, b, m, w_core, second)
            if out_core == 1:
                to = out[b:]
                for c in range(m):
                    to[c] = slope(y[c], z[c], one)
            else:
                for c in plain(range(m)):
                    out[(b + c) * out_core] = slope(y[c], z[c], one)

    def flat_rows(g, w, out, k, n):
        # Rows one after the other, so that loops over elements are long.
        terms = scratch(code, BLOCK)
        many = BLOCK // n
        for first in plain(range(0, k, many)):
            rows = min(many, k - first)
            y = g[first * n :]
            z = w[first * n :]
            to = out[first * n :]
            for c in range(rows * n):
                terms[c] = absorbing_term(y[c], z[c])
            for i in plain(range(rows)):
                part = terms[i * n :]
                total = 0.0
                for c in plain(range(0, n - 3, 4)):
                    total += (part[c] + part[c + 1]) + (part[c + 2] + part[c + 3])
                for c in plain(range((n >> 2) << 2, n)):
                    total += part[c]
                one = narrow(total)
                for c in plain(range(n)):
                    part[c] = one
            for c in range(rows * n):
                to[c] = slope(y[c], z[c], terms[c])

    def columns(g, w, out, k, n, g_step, g_core, w_core, out_core):
        totals = scratch("d", _TILE)
        parts = scratch("d", _TILE)
        narrowed = scratch(code, _TILE)
        buffer = scratch(code, _TILE)
        times = 1  # rows that make a wide one
        if (g_step == 1) & (g_core == k) & (w_core == k) & (out_core == k) & (k <= 128):
            times = _TILE // k
        rows = (n + times - 1) // times
        for first in plain(range(0, k, _TILE)):
            x = g[first * g_step :]
            y = w[first:]
            to = out[first:]
            columns_here = min(_TILE, k - first)
            width = columns_here * times
            size = n * width
            if times > 1:
                size = n * k
            for j in plain(range(width)):
                totals[j] = 0.0
            for top in plain(range(0, rows, _ROWS)):
                for j in plain(range(width)):
                    parts[j] = 0.0
                for b in plain(range(top, min(top + _ROWS, rows))):
                    w_here = min(width, size - b * width)
                    u = packed(x[b * times * g_core :], 0, w_here, g_step, buffer)
                    v = y[b * times * w_core :]
                    for j in range(w_here):
                        parts[j] += term(u[j], v[j])
                for j in range(width):
                    totals[j] += parts[j]
            for j in plain(range(columns_here)):
                total = 0.0
                for b in plain(range(times)):
                    total += totals[b * k + j]
                if not abs(total) <= limit:
                    total = careful(x[j * g_step :], y[j:], n, g_core, w_core)
                for b in plain(range(times)):
                    narrowed[b * k + j] = narrow(total)
            for b in plain(range(rows)):
                w_here = min(width, size - b * width)
                u = packed(x[b * times * g_core :], 0, w_here, g_step, buffer)
                v = y[b * times * w_core :]
                into = to[b * times * out_core :]
                for j in range(w_here):
                    into[j] = slope(u[j], v[j], narrowed[j])

    def loop(g, w, out, k, n, g_step, w_step, out_step, g_core, w_core, out_core):
        beside = (g_core == 1) & (w_core == 1) & (out_core == 1)
        if (w_step == 1) & (out_step == 1) & (w_core != 1) & (out_core != 1) & (k > 1):
            columns(g, w, out, k, n, g_step, g_core, w_core, out_core)
        elif beside & (n <= _FLAT) & (g_step == n) & (w_step == n) & (out_step == n):
            flat_rows(g, w, out, k, n)
        else:
            for i in plain(range(k)):
                row(g[i * g_step :], w[i * w_step :], out[i * out_step :],
                    n, g_core, w_core, out_core)  # fmt: skip

    return loop


# logsumexp: the operand and g


def _logsumexp(dtype: np.dtype[Any]) -> Nest:
    """The product of g and softmax(x), whose weights are not stored apart."""
    steps = exponentials(dtype)
    shifts_of, totals_of = column_passes(dtype, steps)
    zero, code, narrow = dtype.type(0), str(code_of(dtype)), dtype.type
    limit = dtype.type(np.finfo(dtype).max)
    times = _times(dtype)

    def divisor(total):
        return 1.0 if total == 0 else total

    def careful(out, n, step, g, total):
        # An infinite or NaN factor: as the weights are first, and then g times them.
        for c in plain(range(n)):
            out[c * step] = times(g, out[c * step] / narrow(divisor(total)))

    def row(x, g, out, n, x_core, out_core):
        buffer = scratch(code, BLOCK)
        terms = scratch(code, BLOCK)
        largest = dtype.type(-math.inf)
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            one = steps.largest(packed(x, b, m, x_core, buffer), m)
            largest = one if one > largest else largest
        shift = steps.shift(largest)
        total = 0.0
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            y = packed(x, b, m, x_core, buffer)
            z = terms
            if out_core == 1:
                z = out[b:]
            part = zero
            for c in range(m):
                weight = steps.weight(y[c], shift)
                z[c] = weight
                part = steps.add(part, weight)
            total += part
            if out_core != 1:
                for c in plain(range(m)):
                    out[(b + c) * out_core] = z[c]
        factor = narrow(g / divisor(total))
        if not abs(factor) <= limit:
            careful(out, n, out_core, g, total)
        elif out_core == 1:
            for c in range(n):
                out[c] *= factor
        else:
            for c in plain(range(n)):
                out[c * out_core] *= factor

    def short_rows(x, g, out, k, n, x_step, g_step, out_step):
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
                one = g[(first + i) * g_step]
                total = steps.total(y, n)
                factor = narrow(one / divisor(total))
                if abs(factor) <= limit:
                    for c in range(n):
                        z[c] = y[c] * factor
                else:
                    for c in plain(range(n)):
                        z[c] = y[c]
                    careful(z, n, 1, one, total)

    def columns(x, g, out, k, n, g_step, core, out_core):
        shifts = scratch(code, _TILE)
        totals = scratch("d", _TILE)
        times = 1
        if (core == k) & (out_core == k) & (k <= 128):
            times = _TILE // k
        rows = (n + times - 1) // times
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            z = out[first:]
            columns_here = min(_TILE, k - first)
            width = columns_here * times
            size = n * width
            if times > 1:
                size = n * k
            pitch = core * times
            out_pitch = out_core * times
            shifts_of(y, rows, width, size, pitch, times, k, shifts)
            totals_of(y, z, rows, width, size, pitch, out_pitch, times, k, shifts, totals)
            sound = True
            for j in plain(range(columns_here)):
                factor = narrow(g[(first + j) * g_step] / divisor(totals[j]))
                sound = sound & (abs(factor) <= limit)
                for b in plain(range(times)):
                    shifts[b * k + j] = factor
            if sound:
                for b in plain(range(rows)):
                    to = z[b * out_pitch :]
                    for j in range(min(width, size - b * width)):
                        to[j] *= shifts[j]
            else:
                for j in plain(range(columns_here)):
                    careful(z[j:], n, out_core, g[(first + j) * g_step], totals[j])

    def loop(x, g, out, k, n, x_step, g_step, out_step, x_core, out_core):
        if (x_step == 1) & (out_step == 1) & (x_core != 1) & (out_core != 1) & (k > 1):
            columns(x, g, out, k, n, g_step, x_core, out_core)
        elif (x_core == 1) & (out_core == 1) & (n <= _MIDDLE):
            short_rows(x, g, out, k, n, x_step, g_step, out_step)
        else:
            for i in plain(range(k)):
                row(x[i * x_step :], g[i * g_step], out[i * out_step :], n, x_core, out_core)

    return loop


# var, std and the norm: the operand and two numbers for each row


def _scaled(dtype: np.dtype[Any], centred: bool, divided: bool) -> Nest:
    """Elements, or distances from the mean (`centred`), times g and a number, or over it."""
    zero, code, narrow = dtype.type(0), str(code_of(dtype)), dtype.type
    limit = float(np.finfo(dtype).max)
    wide = dtype == np.float64
    times = _times(dtype)

    @relaxed(*SUM_FLAGS)
    def block_sum(x, n, center):
        total = zero
        for c in range(n):
            total += x[c] - center
        return total

    def split(high, low):
        """A sum as a number of the dtype and what is missing to it, in the dtype too."""
        total = high + low
        one = np.float64(narrow(total))
        back = total - high
        return narrow(one), narrow((total - one) + ((high - (total - back)) + (low - back)))

    def mean_in_order(x, n, step):
        total = 0.0
        for c in plain(range(n)):
            total += x[c * step]
        return total / n

    def mean_of(x, n, step, buffer):
        # Means of blocks, and of all, are distances from a number of the row: where all are
        # equal, and where all are large, no digits are lost.
        origin = np.float64(x[0])
        mean = 0.0
        if n <= SHORT:
            for c in plain(range(n)):
                mean += x[c * step] - origin
            mean /= n
        else:
            count = 0.0
            for b in plain(range(0, n, BLOCK)):
                m = min(BLOCK, n - b)
                y = packed(x, b, m, step, buffer)
                size = np.float64(m)
                center = narrow(np.float64(block_sum(y, m, zero)) / size)
                rest = np.float64(block_sum(y, m, center)) / size
                count += size
                mean += ((center - origin) + rest - mean) * (size / count)
        high, low = split(origin, mean)
        if not abs(mean) <= limit:
            high, low = split(mean_in_order(x, n, step), 0.0)
        return high, low

    def distance(x, high, low):
        return (x - high) - low if centred else x

    def factor_of(g, number):
        if divided:
            inverse = zero if number == zero else 1 / number
            factor = times(g, inverse)
        else:
            factor = g * number
        return factor

    def is_lost(factor, g):
        # The inverse of a subnormal number may be infinite where the quotient is not.
        return (abs(factor) > limit) & (abs(g) <= limit) if divided else False

    def careful(x, g, number, out, n, core, out_core, high, low):
        for c in plain(range(n)):
            out[c * out_core] = times(g, distance(x[c * core], high, low) / number)

    def row(x, g, number, out, n, core, out_core):
        buffer = scratch(code, BLOCK)
        high = zero
        low = zero
        if centred:
            high, low = mean_of(x, n, core, buffer)
        factor = factor_of(g, number)
        for b in plain(range(0, n, BLOCK)):
            m = min(BLOCK, n - b)
            y = packed(x, b, m, core, buffer)
            if out_core == 1:
                to = out[b:]
                for c in range(m):
                    to[c] = times(distance(y[c], high, low), factor)
            else:
                for c in plain(range(m)):
                    out[(b + c) * out_core] = times(distance(y[c], high, low), factor)
        if divided:
            if is_lost(factor, g):
                careful(x, g, number, out, n, core, out_core, high, low)

    def means(x, n, rows, width, size, pitch, core, single, wide_rows, k, totals, highs, lows):
        # From the first element of each column on; of float64 from there once more.
        for again in (False, True) if wide else (False,):
            for j in plain(range(width)):
                totals[j] = 0.0
            for b in plain(range(rows)):
                z = x[b * pitch :]
                for j in range(min(width, size - b * width)):
                    totals[j] += (np.float64(z[j]) - highs[j]) - lows[j]
            for j in plain(range(single)):
                total = 0.0
                for b in plain(range(wide_rows)):
                    total += totals[b * k + j]
                mean = total / n
                high = highs[j]
                low = lows[j] + mean
                if not again:
                    high, low = split(np.float64(highs[j]), mean)
                    if not abs(mean) <= limit:
                        high, low = split(mean_in_order(x[j:], n, core), 0.0)
                for b in plain(range(wide_rows)):
                    highs[b * k + j] = high
                    lows[b * k + j] = low

    def columns(x, g, numbers, out, k, n, g_step, step, core, out_core):
        totals = scratch("d", _TILE)
        highs = scratch(code, _TILE)
        lows = scratch(code, _TILE)
        factors = scratch(code, _TILE)
        wide_rows = 1  # rows that make a wide one
        if (core == k) & (out_core == k) & (k <= 128):
            wide_rows = _TILE // k
        rows = (n + wide_rows - 1) // wide_rows
        pitch = core * wide_rows
        for first in plain(range(0, k, _TILE)):
            y = x[first:]
            to = out[first:]
            single = min(_TILE, k - first)
            width = single * wide_rows
            size = n * width
            if wide_rows > 1:
                size = n * k
            lost = False
            for j in plain(range(single)):
                one = g[(first + j) * g_step]
                factor = factor_of(one, numbers[(first + j) * step])
                lost = lost | is_lost(factor, one)
                for b in plain(range(wide_rows)):
                    factors[b * k + j] = factor
                    highs[b * k + j] = y[j] if centred else zero
                    lows[b * k + j] = zero
            if centred:
                means(y, n, rows, width, size, pitch, core, single, wide_rows, k,
                      totals, highs, lows)  # fmt: skip
            for b in plain(range(rows)):
                z = y[b * pitch :]
                into = to[b * wide_rows * out_core :]
                for j in range(min(width, size - b * width)):
                    into[j] = times(distance(z[j], highs[j], lows[j]), factors[j])
            if divided:
                if lost:
                    for j in plain(range(single)):
                        one = g[(first + j) * g_step]
                        if is_lost(factors[j], one):
                            careful(y[j:], one, numbers[(first + j) * step], to[j:], n, core,
                                    out_core, highs[j], lows[j])  # fmt: skip

    def loop(x, g, numbers, out, k, n, x_step, g_step, step, out_step, x_core, out_core):
        if (x_step == 1) & (out_step == 1) & (x_core != 1) & (out_core != 1) & (k > 1):
            columns(x, g, numbers, out, k, n, g_step, step, x_core, out_core)
        else:
            for i in plain(range(k)):
                row(x[i * x_step :], g[i * g_step], numbers[i * step], out[i * out_step :],
                    n, x_core, out_core)  # fmt: skip

    return loop


# Kernels


def _ufunc(nest: Nest, dtype: np.dtype[Any], name: str, signature: str) -> np.ufunc:
    n_inputs = signature.count(",") + 1
    in_core = signature.count("n")
    compiled = _jit.loop(nest_loop(nest, [dtype] * n_inputs, [dtype], 1, in_core), name)
    loops = [(compiled.address, (dtype,) * (n_inputs + 1))]
    return _jit.ufunc(loops, name, n_inputs, signature=signature, keep=compiled)


def _run(
    ufunc: np.ufunc, full: tuple[np.ndarray, ...], rows: tuple[np.ndarray, ...],
    axis: tuple[int, ...],
) -> np.ndarray | None:  # fmt: skip
    """The ufunc over axes that lie side by side; None where they do not, or have no elements.

    The result has the layout of the last of `full`; `rows` have one number for each row.
    """
    x = full[-1]
    shape, size = x.shape, x.size
    if 0 < size < threads.ALLOCATED and x.flags.c_contiguous:  # most calls
        if len(axis) == 1:
            a = axis[0]
            reduced = [r.reshape(shape[:a] + shape[a + 1 :]) if r.ndim else r for r in rows]
            if a == len(shape) - 1:
                return np.asarray(ufunc(*full, *reduced))
            return np.asarray(ufunc(*full, *reduced, axis=a, out=np.empty(shape, x.dtype)))
        if axis and len(axis) == len(shape):
            flat = [y.reshape(-1) for y in full]
            return np.asarray(ufunc(*flat, *[r.reshape(()) for r in rows])).reshape(shape)
    if not size or (axis and axis[-1] - axis[0] != len(axis) - 1):
        return None
    merged = [one_axis(y, axis, ordered=True) for y in full]
    y, a = merged[-1]
    kept = y.shape[:a] + y.shape[a + 1 :]
    reduced = [r.reshape(kept) if r.ndim else np.broadcast_to(r, kept) for r in rows]
    out = results.empty(y.shape, y.dtype) if y.flags.c_contiguous else np.empty_like(y)
    over_axis_of_several(ufunc, [x for x, _ in merged], reduced, a, out, threads.COSTLY)
    return out if out.shape == shape else out.reshape(shape)


def _build_softmax(dtype: np.dtype[Any], logarithm: bool) -> Callable[..., np.ndarray]:
    name = "log_softmax" if logarithm else "softmax"
    ufunc = _ufunc(_softmax(dtype, logarithm), dtype, f"{name}_backward_{dtype}", "(n),(n)->(n)")
    general = reference.KERNELS[f"{name}.backward"]

    def kernel(g: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
        result = _run(ufunc, (g, out), (), axis)
        return general(g, out, axis=axis) if result is None else result

    return kernel


def _build_logsumexp(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    ufunc = _ufunc(_logsumexp(dtype), dtype, f"logsumexp_backward_{dtype}", "(n),()->(n)")

    def kernel(g: np.ndarray, x: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
        result = _run(ufunc, (x,), (g,), axis)
        return reference.logsumexp(g, x, axis=axis) if result is None else result

    return kernel


def _build_var(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    nest = _scaled(dtype, True, False)
    ufunc = _ufunc(nest, dtype, f"var_backward_{dtype}", "(n),(),()->(n)")

    def kernel(
        g: np.ndarray, x: np.ndarray, *, axis: tuple[int, ...], correction: float
    ) -> np.ndarray:
        number = np.asarray(reference.share(x.shape, axis, correction) * 2, dtype)
        result = _run(ufunc, (x,), (g, number), axis)
        if result is None:
            return reference.var(g, x, axis=axis, correction=correction)
        return result

    return kernel


def _build_std(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    nest = _scaled(dtype, True, True)
    ufunc = _ufunc(nest, dtype, f"std_backward_{dtype}", "(n),(),()->(n)")

    def kernel(
        g: np.ndarray, x: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...], correction: float
    ) -> np.ndarray:
        with np.errstate(all="ignore"):
            shared = np.asarray(g * dtype.type(reference.share(x.shape, axis, correction)))
        result = _run(ufunc, (x,), (shared, out), axis)
        if result is None:
            return reference.std(g, x, out, axis=axis, correction=correction)
        return result

    return kernel


def _build_norm(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    nest = _scaled(dtype, False, True)
    ufunc = _ufunc(nest, dtype, f"vector_norm_backward_{dtype}", "(n),(),()->(n)")

    def kernel(
        g: np.ndarray, x: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...]
    ) -> np.ndarray:
        result = _run(ufunc, (x,), (g, out), axis)
        return reference.vector_norm(g, x, out, axis=axis) if result is None else result

    return kernel


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, name: str, n_arrays: int, build: Callable[..., Any], *options: Any) -> None:
        dtype = np.dtype(name)
        dtypes = (dtype,) * n_arrays
        specs.append(KernelSpec(f"{op}.backward", dtypes, True, lambda: build(dtype, *options)))

    for name in ("float32", "float64"):
        add("softmax", name, 2, _build_softmax, False)
        add("log_softmax", name, 2, _build_softmax, True)
        add("logsumexp", name, 2, _build_logsumexp)
        add("var", name, 2, _build_var)
        add("std", name, 3, _build_std)
        add("vector_norm", name, 3, _build_norm)
    return specs


SPECS: list[KernelSpec] = _specs()
