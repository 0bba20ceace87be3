"""Loop nests of reductions: rows, columns, and what sums, products, extrema and truth fold.

Written for `nest`, in its language; nothing is compiled here. A row is contiguous, or its elements
are any distance apart; columns lie side by side, each row of them contiguous.

Accumulation
------------
Rows of float32 are summed in float32 inside blocks of 1024 elements (float64: 256), in as many
partial sums as the machine has lanes, and in float64 across blocks; columns in float64, four rows
at a time. Blocks are compensated (Neumaier), so that the error of a long sum is that of a block.
Where a sum is not finite it is added up again in order: reordering may have met infinities that the
sum does not have. Integers wrap. Products keep NumPy's order, since reordered factors may overflow
on the way; float32 products run in float64. "Invalid" and "overflow" are reported as by NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arraygrad_kernels.nest import plain, prefetch, relaxed, report, scratch
from arraygrad_kernels.vecmath.by_dtype import code_of

__all__ = [
    "BLOCK", "EXTREMUM_FLAGS", "FAR", "PIECE", "SHORT", "SUM_FLAGS", "Fold", "ahead",
    "compensated", "exact_sum", "extreme", "extremum", "float_sum", "fold_columns", "fold_rows",
    "packed", "product", "row_or_column", "special", "truth",
]  # fmt: skip

BLOCK = 1024
SHORT = 24
"""Elements of a row up to which a plain loop over it is all."""
_TURNED = 64
"""Short rows that are turned into columns at a time."""
TILE = 2048
"""Columns whose totals are on the stack at a time."""
PIECE = 1 << 16
_LINE = 64
_AHEAD = 8192
FAR = 1 << 16
"""Elements that are in no cache of a core's own."""
SUM_FLAGS = ("contract", "nsz", "reassoc")
EXTREMUM_FLAGS = ("contract", "nnan", "nsz", "reassoc")


class Fold(NamedTuple):
    """A reduction by parts.

    Attributes
    ----------
    start : scalar
        Neutral element, in the dtype of totals.
    block : callable
        ``block(x, n)``, the total of contiguous elements.
    combine : callable
        Total of two totals.
    merge : callable
        ``merge(total, element)``.
    merge_four : callable
        ``merge_four(total, a, b, c, d)``, four elements at once.
    careful : callable or None
        ``careful(x, n, step, total)``, the result of the n elements of `x` that are `step` apart
        where the total is not `sound`.
    sound : callable or None
        Whether a total is a result.
    decided : callable or None
        Whether more elements cannot change a total.
    short : callable or None
        ``short(x, n, step)``, the total of few elements; by default one `merge` after the other.
    size : int
        Elements of a block.
    """

    start: Any
    block: Callable[..., Any]
    combine: Callable[..., Any]
    merge: Callable[..., Any]
    merge_four: Callable[..., Any]
    careful: Callable[..., Any] | None = None
    sound: Callable[..., Any] | None = None
    decided: Callable[..., Any] | None = None
    short: Callable[..., Any] | None = None
    size: int = BLOCK


def packed(x, at, n, step, buffer):
    """The n elements of x from `at` on, one after the other."""
    y = x[at * step :]
    if step != 1:
        for c in plain(range(n)):
            buffer[c] = x[(at + c) * step]
        y = buffer
    return y


def special(x, n, step):
    """Whether one of the n floats is NaN, and whether one is infinite."""
    any_nan = False
    any_infinite = False
    for c in plain(range(n)):
        y = x[c * step]
        any_nan = any_nan | (y != y)
        any_infinite = any_infinite | (abs(y) == math.inf)
    return any_nan, any_infinite


def ahead(x, at, n, itemsize):
    """Ask for what is 8 KiB behind n elements: processors do not look beyond a page of memory."""
    for c in plain(range(0, n, 4 * _LINE // itemsize)):
        y = x[at + _AHEAD // itemsize + c :]
        for line in (0, 1, 2, 3):
            prefetch(y, line * _LINE // itemsize)


def row_or_column(
    code: str, row: Callable[..., Any], columns: Callable[..., None], turn: bool
) -> Callable[..., None]:
    """Nest that calls ``row(x, n, step, far)`` for each row, or `columns` for all of them.

    `far` is whether the rows are one piece of memory that is in no cache of this core.

    With `turn`, short rows are turned into columns, some at a time. That is one move for each
    element, worth it where there is more to do than an addition or a comparison.
    """

    def loop(x, out, k, n, x_step, out_step, core):
        turned = turn & (n <= SHORT) & (k > SHORT) & (x_step != 1)
        if turned | ((x_step == 1) & (core != 1) & (k > 1)):
            tile = scratch(code, SHORT * _TURNED)
            y = x
            pitch = core
            batch = k
            if turned:
                y = tile
                pitch = _TURNED
                batch = _TURNED
            for first in plain(range(0, k, batch)):
                count = min(batch, k - first)
                if turned:
                    for i in plain(range(count)):
                        z = x[(first + i) * x_step :]
                        to = tile[i:]
                        for c in plain(range(n)):
                            to[c * _TURNED] = z[c * core]
                columns(y, out[first * out_step :], count, n, out_step, pitch)
        else:
            far = (core == 1) & (n * k >= FAR) & ((x_step == n) | (k == 1))
            for i in plain(range(k)):
                out[i * out_step] = row(x[i * x_step :], n, core, far)

    return loop


def fold_rows(fold: Fold, code: str, itemsize: int) -> Callable[..., Any]:
    """``row(x, n, step, far)`` of a fold over elements of a dtype."""
    start, size = fold.start, fold.size

    def row(x, n, step, far):
        buffer = scratch(code, size)
        total = start
        if n <= SHORT:
            if fold.short:
                total = fold.short(x, n, step)
            else:
                for c in plain(range(n)):
                    total = fold.merge(total, x[c * step])
        else:
            for b in plain(range(0, n, size)):
                m = min(size, n - b)
                if far:
                    ahead(x, b, m, itemsize)
                total = fold.combine(total, fold.block(packed(x, b, m, step, buffer), m))
                if fold.decided:
                    if fold.decided(total):
                        break
        return total

    return row


def fold_columns(fold: Fold) -> Callable[..., None]:
    """Columns; few of them, in one piece of memory, are widened.

    Many neighbouring rows then make one wide row, which gives the inner loop something to do.
    """
    start, code = fold.start, str(code_of(np.asarray(fold.start).dtype))

    def columns(x, out, k, n, out_step, core):
        totals = scratch(code, TILE)
        times = 1
        if (core == k) & (k <= 128) & (n * k >= 2 * TILE):
            times = TILE // k
        rows = n // times
        pitch = core * times
        for first in plain(range(0, k, TILE)):
            y = x[first:]
            count = min(TILE, k - first)
            width = count * times
            for j in plain(range(width)):
                totals[j] = start
            for b in plain(range(0, rows - 3, 4)):
                z = y[b * pitch :]
                for j in range(width):
                    totals[j] = fold.merge_four(
                        totals[j], z[j], z[pitch + j], z[2 * pitch + j], z[3 * pitch + j]
                    )
            for b in plain(range((rows >> 2) << 2, rows)):
                z = y[b * pitch :]
                for j in range(width):
                    totals[j] = fold.merge(totals[j], z[j])
            z = y[rows * pitch :]
            for j in plain(range((n - rows * times) * k)):
                totals[j] = fold.merge(totals[j], z[j])
            for b in plain(range(1, times)):
                for j in plain(range(count)):
                    totals[j] = fold.combine(totals[j], totals[b * k + j])
            sound = True
            for j in range(count):
                out[(first + j) * out_step] = totals[j]
                if fold.sound:
                    sound = sound & fold.sound(totals[j])
            if fold.sound:
                if not sound:
                    for j in plain(range(count)):
                        if not fold.sound(totals[j]):
                            total = fold.careful(y[j:], n, core, totals[j])
                            out[(first + j) * out_step] = total

    return columns


# Sums


def compensated(total, carry, part):
    """Neumaier's step: the sum of `total` and `part`, and what it and former ones have lost."""
    new = total + part
    lost = (total - new) + part if abs(total) >= abs(part) else (part - new) + total
    return new, carry + lost


def float_sum(
    dtype: np.dtype[Any], result: np.dtype[Any]
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Row and columns of a floating-point sum that is kept as `result`."""
    zero = dtype.type(0)
    code, itemsize = str(code_of(dtype)), dtype.itemsize
    limit = float(np.finfo(result).max)
    # float64 has no wider type to repair what a long block loses.
    size = BLOCK if dtype == np.float32 else 256

    @relaxed(*SUM_FLAGS)
    def block(x, n):
        total = zero
        for c in range(n):
            total += x[c]
        return total

    def add(total, x):
        return total + x

    def add_four(total, a, b, c, d):
        return total + ((a + b) + (c + d))

    def sound(total):
        return abs(total) <= limit

    def careful(x, n, step, total):
        result = 0.0
        for c in plain(range(n)):
            result += x[c * step]
        any_nan, any_infinite = special(x, n, step)
        report("invalid", (result != result) & (not any_nan))
        report("overflow", (abs(result) > limit) & (not any_infinite))
        return result

    def row(x, n, step, far):
        result = 0.0
        if n <= SHORT:
            for c in plain(range(n)):
                result += x[c * step]
        else:
            buffer = scratch(code, size)
            lost = 0.0
            for first in plain(range(0, n, PIECE)):
                y = x[first * step :]
                count = min(PIECE, n - first)
                total = 0.0
                carry = 0.0
                for b in plain(range(0, count, size)):
                    m = min(size, count - b)
                    if far:
                        ahead(y, b, m, itemsize)
                    part = np.float64(block(packed(y, b, m, step, buffer), m))
                    total, carry = compensated(total, carry, part)
                total += carry
                result, lost = compensated(result, lost, total)
            result += lost
        if not sound(result):
            result = careful(x, n, step, result)
        return result

    return row, fold_columns(Fold(0.0, block, add, add, add_four, careful, sound))


def exact_sum(start: Any, count: bool) -> Fold:
    """Sum or number of nonzero elements, in 64-bit integers."""

    def term(x):
        return (x != 0) if count else x

    def block(x, n):
        total = start
        for c in range(n):
            total += term(x[c])
        return total

    def block_count(x, n):
        total = np.int32(0)
        for c in range(n):
            total += np.int32(x[c] != 0)
        return total

    def combine(a, b):
        return a + b

    def merge(total, x):
        return total + term(x)

    def merge_four(total, a, b, c, d):
        return merge(merge(merge(merge(total, a), b), c), d)

    return Fold(start, block_count if count else block, combine, merge, merge_four)


def product(dtype: np.dtype[Any]) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Row and columns of a product, in order. Errors of complex ones are not reported."""
    wide: Any = {"f": np.float64, "u": np.uint64, "c": np.complex128}.get(dtype.kind, np.int64)
    start = wide(1)
    floating = dtype.kind == "f"
    limit = float(np.finfo(dtype).max) if floating else 0.0

    def multiply(a, b):
        return a * wide(b)

    def multiply_four(total, a, b, c, d):
        return multiply(multiply(multiply(multiply(total, a), b), c), d)

    def sound(total):
        return abs(total) <= limit

    def careful(x, n, step, total):
        any_nan, any_infinite = special(x, n, step)
        report("invalid", (total != total) & (not any_nan))
        report("overflow", (abs(total) > limit) & (not any_infinite))
        return total

    def row(x, n, step, far):
        total = start
        for c in plain(range(n)):
            total = multiply(total, x[c * step])
        if floating:
            if not sound(total):
                total = careful(x, n, step, total)
        return total

    fold = Fold(start, multiply, multiply, multiply, multiply_four)
    if floating:
        fold = fold._replace(careful=careful, sound=sound)
    return row, fold_columns(fold)


# Extrema


class Extreme(NamedTuple):
    """What extrema and their positions are made of.

    Attributes
    ----------
    start : scalar
        What any element beats or equals.
    better : callable
        Whether an element beats another.
    block : callable
        ``block(x, n)``, the extremum of contiguous elements, and whether one is NaN; then the
        extremum is not to be used.
    short : callable
        ``short(x, n, step)``, the same of few elements that are `step` apart.
    """

    start: Any
    better: Callable[..., Any]
    block: Callable[..., Any]
    short: Callable[..., Any]


def extreme(dtype: np.dtype[Any], larger: bool) -> Extreme:
    """Vectorised float maxima need the flag ``nnan``, which deletes tests for NaN.

    So NaN is looked for by other means, under other flags: all elements times 0 are added up.
    """
    floating = dtype.kind == "f"
    zero = dtype.type(0)
    if floating:
        start = dtype.type(-np.inf if larger else np.inf)
    else:
        start = dtype.type(np.iinfo(dtype).min if larger else np.iinfo(dtype).max)

    def better(a, b):
        return a > b if larger else a < b

    @relaxed(*EXTREMUM_FLAGS)
    def best(a, b):
        return a if better(a, b) else b

    @relaxed(*SUM_FLAGS)
    def add_nothing(total, x):
        return total + x * zero

    def any_nan(x, n, step, nothing):
        found = False
        # An infinity times 0 is NaN too.
        if nothing != nothing:
            for c in plain(range(n)):
                found = found | (x[c * step] != x[c * step])
        return found

    def block(x, n):
        total = start
        nothing = zero
        for c in range(n):
            total = best(x[c], total)
            if floating:
                nothing = add_nothing(nothing, x[c])
        return total, any_nan(x, n, 1, nothing) if floating else False

    def short(x, n, step):
        total = start
        nothing = zero
        for c in plain(range(n)):
            total = best(x[c * step], total)
            if floating:
                nothing = add_nothing(nothing, x[c * step])
        return total, any_nan(x, n, step, nothing) if floating else False

    return Extreme(start, better, block, short)


def extremum(dtype: np.dtype[Any], larger: bool) -> Fold:
    """Maximum or minimum; NaN if there is one."""
    start, better, extreme_of, extreme_of_few = extreme(dtype, larger)
    floating = dtype.kind == "f"
    nan = dtype.type(np.nan) if floating else start

    def block(x, n):
        total, found = extreme_of(x, n)
        return nan if found else total

    def short(x, n, step):
        total, found = extreme_of_few(x, n, step)
        return nan if found else total

    def merge(total, x):
        above = better(x, total)
        # `|` rather than `or`, and no comparison replaces a NaN.
        above = above | (x != x) if floating else above
        return x if above else total

    def larger_of(a, b):
        return a if better(a, b) else b

    def merge_four(total, a, b, c, d):
        # Where `total` is NaN it stays; NaN among the elements is looked for two by two.
        result = larger_of(larger_of(larger_of(a, b), larger_of(c, d)), total)
        found = ((a != a) | (b != b)) | ((c != c) | (d != d)) if floating else False
        return nan if found else result

    return Fold(start, block, merge, merge, merge_four, short=short)


# Truth


def truth(expected: bool) -> Fold:
    """Any (`expected` True) or all (False); stops after the block that decides."""
    start = np.bool_(not expected)

    def block(x, n):
        found = False
        for c in range(n):
            found = found | ((x[c] != 0) == expected)
        return found == expected

    def combine(a, b):
        return a | b if expected else a & b

    def merge(total, x):
        return combine(total, x != 0)

    def merge_four(total, a, b, c, d):
        return merge(merge(merge(merge(total, a), b), c), d)

    def decided(total):
        return total == expected

    return Fold(start, block, combine, merge, merge_four, decided=decided)
