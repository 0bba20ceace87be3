"""Derivatives by shape parameters as ops, which give their own derivatives to every order.

By the parameter the order rises; by the variable the density is differentiated by the parameter.
"""

from __future__ import annotations

import math
from typing import Any

from .._apply import apply, cast, operand
from .._cotangents import times
from .._dispatch import register_kernel
from .._dtypes import promote
from .._op import Op, Rule, declare
from .._storage import TensorBase
from ._function import broadcast_tracked


def run(op: Op, *operands: Any, **attributes: Any) -> Any:
    """The op on operands of one dtype, those with history broadcast."""
    dtype: Any = None
    for x in operands:
        if isinstance(x, TensorBase):
            dtype = x._array.dtype if dtype is None else promote(dtype, x._array.dtype)
    given = [cast(operand(x, op.name), dtype or "float64") for x in operands]
    return apply(op, *broadcast_tracked(given), **attributes)


def make_op(name: str, args: tuple[str, ...], kernel: Any, **rules: Any) -> Op:
    """Declare an op with one cotangent formula per argument."""
    register_kernel(f"special.{name}", kernel)
    return declare(Op(f"special.{name}", args, Rule(**rules)))


def leibniz(value: Any, slopes: list[list[Any]]) -> Any:
    """The derivative of a positive function by two parameters, of orders (i, j).

    `slopes` holds at [i][j] the derivative of the logarithm, of these orders; both start at 0.
    The derivative of f = exp(h) follows from f' = f h' and the rule of Leibniz.
    """
    rows, columns = len(slopes), len(slopes[0])
    found = [[value] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if i:
                found[i][j] = _term_by_term(found, slopes, i - 1, j, 1, 0)
            elif j:
                found[i][j] = _term_by_term(found, slopes, 0, j - 1, 0, 1)
    return found[-1][-1]


def _term_by_term(
    found: list[list[Any]], slopes: list[list[Any]], i: int, j: int, up: int, right: int
) -> Any:
    total: Any = 0.0
    for p in range(i + 1):
        for q in range(j + 1):
            slope = slopes[i - p + up][j - q + right]
            total = total + math.comb(i, p) * math.comb(j, q) * times(found[p][q], slope)
    return total
