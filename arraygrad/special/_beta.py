"""The beta function and incomplete beta."""

from __future__ import annotations

from typing import Any

from .._cotangents import times
from .._op import Op
from ..ops.exponential import exp, log, log1p
from . import _contour
from ._elementary import xlog1py, xlogy
from ._function import Special, special
from ._gamma import polygamma, psi
from ._shapes import leibniz, make_op, run

beta: Special = special(
    "beta", ("a", "b"),
    a=lambda a, b, out: out * (psi(a) - psi(a + b)),
    b=lambda a, b, out: out * (psi(b) - psi(a + b)),
)  # fmt: skip
betaln: Special = special(
    "betaln", ("a", "b"), a=lambda a, b: psi(a) - psi(a + b), b=lambda a, b: psi(b) - psi(a + b)
)


def betainc_shapes(a: Any, b: Any, x: Any, orders: tuple[int, int]) -> Any:
    """The derivative of betainc by a and b, of these orders."""
    return run(_BETAINC_SHAPES, a, b, x, orders=orders)


def betainc_a(a: Any, b: Any, x: Any) -> Any:
    """The derivative of betainc by a."""
    return betainc_shapes(a, b, x, (1, 0))


def betainc_b(a: Any, b: Any, x: Any) -> Any:
    """The derivative of betainc by b."""
    return betainc_shapes(a, b, x, (0, 1))


def beta_density(a: Any, b: Any, x: Any, orders: tuple[int, int] = (0, 0)) -> Any:
    """x**(a - 1) (1 - x)**(b - 1) / beta(a, b): betainc by x; differentiated by a and b."""
    value = exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))
    if orders == (0, 0):
        return value
    rows, columns = orders
    both = [None, *(polygamma(float(k), a + b) for k in range(rows + columns))]
    slopes = [[both[i + j] for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(1, rows + 1):
        slopes[i][0] = slopes[i][0] - polygamma(float(i - 1), a) + (log(x) if i == 1 else 0)
    for j in range(1, columns + 1):
        slopes[0][j] = slopes[0][j] - polygamma(float(j - 1), b) + (log1p(-x) if j == 1 else 0)
    return leibniz(value, slopes)


_BETAINC_SHAPES: Op = make_op(
    "betainc_shapes", ("a", "b", "x"), _contour.betainc_by_shapes,
    a=lambda g, a, b, x, orders: times(g, betainc_shapes(a, b, x, (orders[0] + 1, orders[1]))),
    b=lambda g, a, b, x, orders: times(g, betainc_shapes(a, b, x, (orders[0], orders[1] + 1))),
    x=lambda g, a, b, x, orders: times(g, beta_density(a, b, x, orders)),
)  # fmt: skip

betainc: Special = special(
    "betainc", ("a", "b", "x"),
    a=lambda a, b, x: betainc_a(a, b, x),
    b=lambda a, b, x: betainc_b(a, b, x),
    x=lambda a, b, x: beta_density(a, b, x),
)  # fmt: skip
betaincc: Special = special(
    "betaincc", ("a", "b", "x"),
    a=lambda a, b, x: -betainc_a(a, b, x),
    b=lambda a, b, x: -betainc_b(a, b, x),
    x=lambda a, b, x: -beta_density(a, b, x),
)  # fmt: skip
betaincinv: Special = special(
    "betaincinv", ("a", "b", "y"),
    a=lambda a, b, out: -betainc_a(a, b, out) / beta_density(a, b, out),
    b=lambda a, b, out: -betainc_b(a, b, out) / beta_density(a, b, out),
    y=lambda a, b, out: 1 / beta_density(a, b, out),
)  # fmt: skip
betainccinv: Special = special(
    "betainccinv", ("a", "b", "y"),
    a=lambda a, b, out: -betainc_a(a, b, out) / beta_density(a, b, out),
    b=lambda a, b, out: -betainc_b(a, b, out) / beta_density(a, b, out),
    y=lambda a, b, out: -1 / beta_density(a, b, out),
)  # fmt: skip
btdtria: Special = special(
    "btdtria", ("p", "b", "x"),
    p=lambda b, x, out: 1 / betainc_a(out, b, x),
    b=lambda b, x, out: -betainc_b(out, b, x) / betainc_a(out, b, x),
    x=lambda b, x, out: -beta_density(out, b, x) / betainc_a(out, b, x),
)  # fmt: skip
btdtrib: Special = special(
    "btdtrib", ("a", "p", "x"),
    a=lambda a, x, out: -betainc_a(a, out, x) / betainc_b(a, out, x),
    p=lambda a, x, out: 1 / betainc_b(a, out, x),
    x=lambda a, x, out: -beta_density(a, out, x) / betainc_b(a, out, x),
)  # fmt: skip
