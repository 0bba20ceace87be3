"""Elementwise arithmetic: sums, products, quotients, remainders, hypot, nextafter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import binary, unary
from .._cotangents import ADD, MULTIPLY, where
from .._op import Linear, Op, Partials, declare
from .comparison import equal
from .rounding import round

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


def _negated(g: Any) -> Any:
    return negative(g)


SUBTRACT = declare(
    Op("subtract", ("x1", "x2"), Linear(x1=lambda g: g, x2=_negated),
       dtypes="number", family="elementwise")
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


def _divide_x1(x2: Any) -> Any:
    return reciprocal(x2)


def _divide_x2(x2: Any, out: Any) -> Any:
    return negative(divide(out, x2))


DIVIDE = declare(
    Op("divide", ("x1", "x2"), Partials(x1=_divide_x1, x2=_divide_x2), dtypes="floating",
       family="elementwise")
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
    Op("negative", ("x",), Linear(x=_negated), dtypes="number", family="elementwise")
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
    Op("reciprocal", ("x",), Partials(x=lambda out: negative(multiply(out, out))),
       dtypes="number", family="elementwise")
)  # fmt: skip


@answers(np.reciprocal)
def reciprocal(x: Tensor | complex, /) -> Tensor:
    """1 / x, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Integers give the integer part, as in NumPy.

    Returns
    -------
    Tensor
        Of the dtype of x.

    Notes
    -----
    Derivative: -1 / x**2.
    """
    return unary(RECIPROCAL, x)


POSITIVE = declare(
    Op("positive", ("x",), Linear(x=lambda g: g), dtypes="number", family="elementwise")
)


@answers(np.positive)
def positive(x: Tensor | complex, /) -> Tensor:
    """A copy of the tensor.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        +x, of the dtype of x.

    Notes
    -----
    Derivative: 1.
    """
    return unary(POSITIVE, x)


SQUARE = declare(
    Op("square", ("x",), Partials(x=lambda x: add(x, x)), dtypes="numeric", family="elementwise")
)


@answers(np.square)
def square(x: Tensor | complex, /) -> Tensor:
    """The square x * x, element by element.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Of the dtype of x.

    Notes
    -----
    Derivative: 2 x.
    """
    return unary(SQUARE, x)


def _zero() -> float:
    """Partial of a function that is constant between its jumps."""
    return 0.0


FLOOR_DIVIDE = declare(
    Op("floor_divide", ("x1", "x2"), Partials(x1=_zero, x2=_zero), dtypes="real",
       family="elementwise")
)  # fmt: skip


@answers(np.floor_divide)
def floor_divide(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Quotient rounded towards minus infinity, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        floor(x1 / x2), of the promoted dtype.

    Notes
    -----
    Derivative: 0 (the function is constant between its jumps).
    """
    return binary(FLOOR_DIVIDE, x1, x2)


REMAINDER = declare(
    Op("remainder", ("x1", "x2"),
       Partials(x1=lambda: 1.0, x2=lambda x1, x2: negative(floor_divide(x1, x2))),
       dtypes="real", family="elementwise")
)  # fmt: skip


@answers(np.remainder)
def remainder(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Remainder of `floor_divide`; it has the sign of the divisor.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Dividend and divisor; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 - x2 * floor(x1 / x2).

    Notes
    -----
    Derivative: d out / d x1 = 1, d out / d x2 = -floor(x1 / x2).
    """
    return binary(REMAINDER, x1, x2)


def _fmod_x2(x1: Any, x2: Any, out: Any) -> Any:
    # Not trunc(x1 / x2): 1.0 / 0.1 rounds to 10, but 0.1 fits only 9 times into 1.0.
    return round(divide(subtract(out, x1), x2))


FMOD = declare(
    Op("fmod", ("x1", "x2"), Partials(x1=lambda: 1.0, x2=_fmod_x2), dtypes="real",
       family="elementwise")
)  # fmt: skip


@answers(np.fmod)
def fmod(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Remainder of the division rounded towards zero; it has the sign of the dividend.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Dividend and divisor; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 - x2 * trunc(x1 / x2).

    Notes
    -----
    Derivative: d out / d x1 = 1, d out / d x2 = -trunc(x1 / x2).
    """
    return binary(FMOD, x1, x2)


def _share(x: Any, out: Any) -> Any:
    """Quotient x / out, and 0 at the origin."""
    return where(equal(out, 0), 0, divide(x, out))


HYPOT = declare(
    Op("hypot", ("x1", "x2"),
       Partials(x1=lambda x1, out: _share(x1, out), x2=lambda x2, out: _share(x2, out)),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.hypot)
def hypot(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Square root of the sum of squares, without overflow or underflow.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        sqrt(x1**2 + x2**2), floating-point.

    Notes
    -----
    Derivative: d out / d x1 = x1 / out, d out / d x2 = x2 / out; 0 for both at the origin.
    """
    return binary(HYPOT, x1, x2)


NEXTAFTER = declare(
    Op("nextafter", ("x1", "x2"), Partials(x1=lambda: 1.0, x2=_zero),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.nextafter)
def nextafter(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The next representable number after x1 in the direction of x2.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x2 where they are equal.

    Notes
    -----
    Derivative: d out / d x1 = 1, d out / d x2 = 0: the result is x1 but for rounding.
    """
    return binary(NEXTAFTER, x1, x2)
