"""Matrix products in which an exact zero absorbs an infinity or NaN: those of cotangents.

A row that `where` did not select has a cotangent of zeros; where it holds a NaN, the plain product
of the two is NaN in every element that the row meets. The plain product runs, and what it gives is
looked at: only a result that is not finite is computed anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dispatch import lookup


def is_settled(out: Any, a: Any, b: Any) -> bool:
    """Whether the plain product `out` of a and b is one with absorbing zeros for certain."""
    if out.size > a.size + b.size:
        return _is_finite(a) and _is_finite(b)
    return _is_finite(out)


def _is_finite(x: Any) -> bool:
    # The quickest sum; of squares it may overflow where no element is infinite.
    squares = np.vdot(x, x) if x.dtype.char in "fd" else np.inf
    return bool(squares < np.inf or np.isfinite(x).all())


@np.errstate(all="ignore")
def absorbing_matmul(a: Any, b: Any) -> Any:
    """The product of (stacks of) matrices; 0 times infinity or NaN is 0."""
    product = lookup("matmul", "cpu", "strided", (a.dtype, b.dtype))
    out = product(a, b)
    if is_settled(out, a, b):
        return out
    finite_a, finite_b = np.isfinite(a), np.isfinite(b)
    met = _count((~finite_a, b == 0)) + _count((a == 0, ~finite_b))
    if not met.any():
        return out
    if a.dtype.kind == "c":
        return _by_columns(a, b)
    zero = a.dtype.type(0)
    out = product(np.where(finite_a, a, zero), np.where(finite_b, b, zero))
    above, below = _infinite_terms(a, b)
    undefined = _count((np.isnan(a), b != 0)) + _count((a != 0, np.isnan(b)))
    out[above > 0] = np.inf
    out[below > 0] = -np.inf
    out[(undefined > 0) | ((above > 0) & (below > 0))] = np.nan
    return out


def _count(*pairs: tuple[Any, Any]) -> Any:
    """For each element of the product, in how many of its terms both masks of a pair are true."""
    total: Any = 0
    for first, second in pairs:
        total = total + np.matmul(first.astype(np.float32), second.astype(np.float32))
    return total


def _infinite_terms(a: Any, b: Any) -> tuple[Any, Any]:
    """How many terms of each element are +inf, and how many are -inf."""
    up, down = a == np.inf, a == -np.inf
    right_up, right_down = b == np.inf, b == -np.inf
    more, less = np.isfinite(a) & (a > 0), np.isfinite(a) & (a < 0)
    above = _count((up, b > 0), (down, b < 0), (more, right_up), (less, right_down))
    below = _count((up, b < 0), (down, b > 0), (more, right_down), (less, right_up))
    return above, below


def _by_columns(a: Any, b: Any) -> Any:
    """The product as a sum over columns of a and rows of b, each term with absorbing zeros."""
    times = lookup("absorbing_multiply", "cpu", "strided", (a.dtype, b.dtype))
    total: Any = 0
    for k in range(a.shape[-1]):
        total = total + times(a[..., :, k, np.newaxis], b[..., k, np.newaxis, :])
    return total
