"""Elementwise arithmetic: add, subtract, multiply, divide, negative, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._answers import answers
from .._apply import binary, unary
from .._cotangents import ADD, MULTIPLY, times
from .._op import Linear, Op, Partials, declare

if TYPE_CHECKING:
    from .._tensor import Tensor


@answers(np.add)
def add(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Sum of two tensors, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 + x2.

    Notes
    -----
    Derivative: d out / d x1 = d out / d x2 = 1.
    """
    return binary(ADD, x1, x2)


SUBTRACT = declare(
    Op("subtract", ("x1", "x2"), Linear(x1=lambda g: g, x2=lambda g: negative(g)),
       dtypes="numeric", family="elementwise")
)  # fmt: skip


@answers(np.subtract)
def subtract(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Difference of two tensors, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 - x2.

    Notes
    -----
    Derivative: d out / d x1 = 1, d out / d x2 = -1.
    """
    return binary(SUBTRACT, x1, x2)


@answers(np.multiply)
def multiply(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Product of two tensors, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 * x2.

    Notes
    -----
    Derivative: d out / d x1 = x2, d out / d x2 = x1. A zero factor absorbs an infinite cotangent.
    """
    return binary(MULTIPLY, x1, x2)


DIVIDE = declare(
    Op("divide", ("x1", "x2"),
       Partials(x1=lambda x2: reciprocal(x2), x2=lambda x2, out: negative(divide(out, x2))),
       dtypes="floating", family="elementwise")
)  # fmt: skip


@answers(np.divide)
def divide(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Quotient of two tensors, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric
        Operands; shapes broadcast and dtypes promote. Integers give float64.

    Returns
    -------
    Tensor
        x1 / x2.

    Notes
    -----
    Derivative: d out / d x1 = 1 / x2, d out / d x2 = -x1 / x2**2.
    """
    return binary(DIVIDE, x1, x2)


NEGATIVE = declare(
    Op("negative", ("x",), Linear(x=lambda g: negative(g)), dtypes="numeric", family="elementwise")
)


@answers(np.negative)
def negative(x: Tensor | complex, /) -> Tensor:
    """The tensor with the sign of each element changed.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        -x, of the dtype of x.

    Notes
    -----
    Derivative: -1.
    """
    return unary(NEGATIVE, x)


RECIPROCAL = declare(
    Op("reciprocal", ("x",), Partials(x=lambda out: negative(times(out, out))),
       dtypes="floating only", family="elementwise")
)  # fmt: skip


@answers(np.reciprocal)
def reciprocal(x: Tensor | complex, /) -> Tensor:
    """1 / x, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: -1 / x**2.
    """
    return unary(RECIPROCAL, x)
