"""NumPy's finite differences, sums of areas and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ArgumentError
from ...ops import arithmetic, indexing, manipulation, parts, searching, utility
from ..plain import plain
from .rebinding import rebound

_NO = np._NoValue

gradient = rebound(np.gradient)
trapezoid = rebound(np.trapezoid)
unwrap = rebound(np.unwrap)


@answers(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _NO, append: Any = _NO) -> Any:
    """np.diff."""
    return utility.diff(
        operand(a, "diff"), axis=axis, n=n,
        prepend=None if prepend is _NO else prepend, append=None if append is _NO else append,
    )  # fmt: skip


@answers(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """np.ediff1d."""
    x = operand(ary, "ediff1d").ravel()
    pieces = [utility.diff(x)]
    for added, at in ((to_begin, 0), (to_end, 2)):
        if added is not None:
            pieces.insert(at, operand(added, "ediff1d").astype(x._array.dtype, copy=False).ravel())
    return pieces[0] if len(pieces) == 1 else manipulation.concat(pieces)


@answers(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """np.interp, differentiable in the places, the nodes and their values.

    At a node the slope in x is that of the interval on its right (on the left at the last node);
    outside of the nodes it is 0, and so it is at nodes beside a value that is not finite.
    """
    at, nodes, values = operand(x, "interp", 1), operand(xp, "interp", 2), operand(fp, "interp", 3)
    at, nodes = at.astype(float, copy=False), nodes.astype(float, copy=False)
    values = values.astype(complex if values._array.dtype.kind == "c" else float, copy=False)
    if nodes._array.ndim != 1 or nodes._array.shape != values._array.shape:
        raise ArgumentError(
            f"np.interp: nodes of shape {nodes._array.shape} and values of shape "
            f"{values._array.shape}; give two 1-d ones of the same length"
        )
    if not nodes._array.size:
        raise ArgumentError("np.interp: there are no nodes")
    if period is not None:
        at, nodes, values = _periodic(at, nodes, values, period)
        left = right = None
    first, last = values[0], values[-1]
    j = _intervals(at._array, nodes._array)
    if values._array.dtype.kind == "c":
        inside = parts.complex_from_parts(
            _inside(at, nodes, parts.real(values), j), _inside(at, nodes, parts.imag(values), j)
        )
        nan = np.isnan(at._array) & (nodes._array.size > 1)
        inside = searching.where(nan, complex(np.nan, 0.0), inside) if nan.any() else inside
    else:
        inside = _inside(at, nodes, values, j)
    low, high = j < 0, j == nodes._array.size
    out = searching.where(low, first if left is None else left, inside)
    out = searching.where(high, last if right is None else right, out)
    return out if at._array.ndim else out[()]


def _inside(at: Any, nodes: Any, values: Any, j: Any) -> Any:
    """The values at places from the first node to the last; anything elsewhere."""
    n = nodes._array.shape[0]
    if n == 1:
        return manipulation.broadcast_to(values[0], at._array.shape)
    inside = _on_interval(at, nodes, values, np.clip(j, 0, n - 2))
    is_last = (j == n - 1) & (at._array != nodes._array[-1])  # of nodes without order
    return searching.where(is_last, values[-1], inside) if is_last.any() else inside


def _intervals(at: Any, nodes: Any) -> Any:
    """The intervals of the places: -1 before all nodes, their number behind all.

    Among nodes that are not in order, or NaN, NumPy begins where it found the last place, so that
    one place changes where the next is found.
    """
    n = len(nodes)
    if n == 1:
        return np.where(at > nodes[0], 1, np.where(at < nodes[0], -1, 0))
    if (nodes[1:] >= nodes[:-1]).all():
        j = np.searchsorted(nodes, at, side="right") - 1
        return np.where(at > nodes[-1], n, np.where(np.isnan(at), 0, j))
    key, guess, found = nodes.tolist(), 0, []
    for x in at.ravel().tolist():
        guess = guess if x != x else _search(x, key, guess)
        found.append(0 if x != x else guess)
    return np.array(found, np.intp).reshape(at.shape)


_NEAR = 8  # nodes that NumPy takes for cached


def _search(x: float, key: list[float], guess: int) -> int:
    """The interval of one place: NumPy's bisection, with its shortcuts near the last one."""
    n = len(key)
    if x > key[-1] or x < key[0]:
        return n if x > key[-1] else -1
    if n <= 4:
        return next((i for i in range(1, n) if not x >= key[i]), n) - 1
    guess = max(min(guess, n - 3), 1)
    low, high = 0, n
    if x < key[guess]:
        if not x < key[guess - 1]:
            return guess - 1
        high = guess - 1
        if guess > _NEAR and x >= key[guess - _NEAR]:
            low = guess - _NEAR
    elif x < key[guess + 1] or x < key[guess + 2]:
        return guess if x < key[guess + 1] else guess + 1
    else:
        low = guess + 2
        if guess < n - _NEAR - 1 and x < key[guess + _NEAR]:
            high = guess + _NEAR
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if x >= key[middle] else (low, middle)
    return low - 1


def _on_interval(at: Any, nodes: Any, values: Any, j: Any) -> Any:
    """On the line through nodes j and j + 1, with NumPy's ways around values that are not finite.

    A line through infinity has no slope at its finite end, where the value counts alone.
    """
    index = operand(j)
    x0 = indexing.take(nodes, index, axis=0) if j.ndim else nodes[int(j)]
    x1 = indexing.take(nodes, operand(j + 1), axis=0) if j.ndim else nodes[int(j) + 1]
    y0 = indexing.take(values, index, axis=0) if j.ndim else values[int(j)]
    y1 = indexing.take(values, operand(j + 1), axis=0) if j.ndim else values[int(j) + 1]
    with np.errstate(all="ignore"):  # np.interp does not warn
        slope = (y1 - y0) / (x1 - x0)
        out = slope * (at - x0) + y0
        is_end = at._array == x1._array  # of the last interval: NumPy gives the value itself
        if not is_end.any() and np.isfinite(out._array).all():
            return out
        backwards = slope * (at - x1) + y1
    if is_end.any():
        out = searching.where(is_end, backwards, out)
    if np.isfinite(out._array).all():
        return out
    is_start = at._array == x0._array
    is_nan = np.isnan(out._array) & ~np.isnan(at._array)
    level = np.isnan(backwards._array) & (y0._array == y1._array)
    broken = ~np.isfinite(out._array)
    out = searching.where(is_nan, backwards, out)
    out = searching.where((is_start & broken) | (is_nan & level), y0, out)
    return searching.where(is_end & broken, y1, out)


def _periodic(at: Any, nodes: Any, values: Any, period: Any) -> tuple[Any, Any, Any]:
    """Everything brought into one period, and one node of the neighbours on each side."""
    if np.any(plain(period) == 0):
        raise ArgumentError("np.interp: period=0; it must not be zero")
    period = abs(period)
    at = arithmetic.remainder(at, period)
    nodes = arithmetic.remainder(nodes, period)
    order = operand(np.argsort(nodes._array))
    nodes = indexing.take(nodes, order, axis=0)
    values = indexing.take(values, order, axis=0)
    nodes = manipulation.concat((nodes[-1:] - period, nodes, nodes[:1] + period))
    return at, nodes, manipulation.concat((values[-1:], values, values[:1]))
