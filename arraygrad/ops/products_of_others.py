"""Derivatives of products that stay exact where factors are zero, to every order.

d prod / d x_i is the product of the other factors. Where no factor is zero that is prod / x_i,
which is quick; else, and for higher orders, it is computed without a division, from running
products and from a linear recurrence, whose derivatives are such recurrences again.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from .._apply import apply, node_of, wrap
from .._cotangents import conj, times
from .._dispatch import register_kernel
from .._op import Op, Rule, declare
from .arithmetic import add, divide, multiply
from .indexing import getitem
from .manipulation import concat, flip


def is_divisible(x: Any, out: Any) -> bool:
    """Whether out / x has all the information: no zero, no under- or overflow, no NaN.

    Only for the first derivative: differentiated once more, the two parts of a quotient cancel
    (by 1 / x), which leaves nothing of the digits where a factor is small.
    """
    if node_of(x) is not None:
        return False
    size = np.abs(out._array)
    tiny = np.finfo(size.dtype).smallest_normal if size.dtype.kind == "f" else 1
    return bool(np.all(size >= tiny) and np.all(np.isfinite(size)) and np.all(x._array != 0))


def _part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    return getitem(x, (slice(None),) * axis + (slice(start, stop),))


def _running_before(x: Any, axis: int) -> Any:
    """The product of all elements in front of each one."""
    from .statistical import cumulative_prod

    return _part(cumulative_prod(x, axis=axis, include_initial=True), axis, None, -1)


def products_of_others(x: Any) -> Any:
    """For each element the product of the others along the last axis, without a division."""
    axis = x._array.ndim - 1
    before = _running_before(x, axis)
    behind = flip(_running_before(flip(x, axis=axis), axis), axis=axis)
    return multiply(before, behind)


def cotangent_of_running_product(g: Any, x: Any, out: Any, axis: int) -> Any:
    """Cotangent of x for its running product `out` along `axis`."""
    from .statistical import cumulative_sum

    if not x._array.size:
        return g
    if is_divisible(x, out):
        weighted = times(g, conj(out))
        total = flip(cumulative_sum(flip(weighted, axis=axis), axis=axis), axis=axis)
        return divide(total, conj(x))
    # S_i = g_i + x_{i+1} S_{i+1}: what all later products say about the part up to i.
    following = flip(concat([_part(conj(x), axis, 1, None), _zero_slice(x, axis)], axis=axis),
                     axis=axis)  # fmt: skip
    later = flip(linear_recurrence(following, flip(g, axis=axis), axis), axis=axis)
    return multiply(conj(_running_before(x, axis)), later)


def _zero_slice(x: Any, axis: int) -> Any:
    shape = list(x._array.shape)
    shape[axis] = 1
    return wrap(np.zeros(shape, x._array.dtype))


# -- s_i = b_i + a_i s_{i-1} ----------------------------------------------------------------------


def _recurrence_array(a: Any, b: Any, *, axis: int) -> Any:
    dtype = np.result_type(a, b)
    if b.ndim == 1 and dtype.kind in "fc" and dtype.itemsize >= 8:
        steps = zip(a[1:].tolist(), b[1:].tolist(), strict=True)
        sums = accumulate(steps, lambda s, step: step[1] + step[0] * s, initial=b[0].item())
        return np.fromiter(sums, dtype, b.size)
    out = np.empty(b.shape, dtype)
    a, b, rows = (np.moveaxis(x, axis, 0) for x in (a, b, out))
    rows[0] = b[0]
    for i in range(1, len(b)):
        np.multiply(a[i], rows[i - 1], out=rows[i, ...])
        rows[i, ...] += b[i]
    return out


def _recurrence_vjp_b(g: Any, a: Any, axis: int) -> Any:
    """The same recurrence from the end: r_i = g_i + conj(a_{i+1}) r_{i+1}."""
    following = concat([_part(conj(a), axis, 1, None), _zero_slice(a, axis)], axis=axis)
    found = linear_recurrence(flip(following, axis=axis), flip(g, axis=axis), axis)
    return flip(found, axis=axis)


def _recurrence_vjp_a(g: Any, a: Any, out: Any, axis: int) -> Any:
    before = concat([_zero_slice(out, axis), _part(out, axis, None, -1)], axis=axis)
    return multiply(_recurrence_vjp_b(g, a, axis), conj(before))


def _recurrence_jvp(tangents: Any, a: Any, out: Any, axis: int) -> Any:
    """Differentiated, s'_i = (b'_i + a'_i s_{i-1}) + a_i s'_{i-1}."""
    t_a, t_b = tangents
    if t_a is None:
        return linear_recurrence(a, t_b, axis)
    before = concat([_zero_slice(out, axis), _part(out, axis, None, -1)], axis=axis)
    pushed = multiply(t_a, before)
    return linear_recurrence(a, pushed if t_b is None else add(t_b, pushed), axis)


LINEAR_RECURRENCE: Op = declare(
    Op("linear_recurrence", ("a", "b"),
       Rule(a=_recurrence_vjp_a, b=_recurrence_vjp_b, jvp=_recurrence_jvp), scalar=False)
)  # fmt: skip
register_kernel("linear_recurrence", _recurrence_array)


def linear_recurrence(a: Any, b: Any, axis: int) -> Any:
    """S with s_0 = b_0 and s_i = b_i + a_i s_{i-1} along an axis; both of one shape and dtype.

    Notes
    -----
    Derivative: the recurrence from the end, r_i = g_i + a_{i+1} r_{i+1}, is the cotangent of b;
    r_i s_{i-1} is that of a.
    """
    return apply(LINEAR_RECURRENCE, a, b, axis=axis)
