"""Elementwise arithmetic: sums, products, quotients, remainders, hypot, nextafter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._cotangents import ADD, MULTIPLY, times, where
from .._dispatch import register_kernel
from .._elementwise import binary, unary
from .._lazy import LazyModule
from .._op import Linear, Op, Partials, Rule, declare
from .kinks import cotangents_at_kink, tangent_at_kink

if TYPE_CHECKING:
    from .._tensor import Tensor
    from . import bitwise, comparison, rounding
else:  # for a few formulas
    bitwise = LazyModule("arraygrad.ops.bitwise")
    comparison = LazyModule("arraygrad.ops.comparison")
    rounding = LazyModule("arraygrad.ops.rounding")


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


def _remainder_x2(x1: Any, x2: Any) -> Any:
    """-floor(x1 / x2): 1 for -1 / inf, where the standard's `floor_divide` is -0."""
    units = negative(floor_divide(x1, x2))
    infinite = comparison.isinf(x2)
    if not infinite.any():
        return units
    differ = comparison.not_equal(comparison.less(x1, 0), comparison.less(x2, 0))
    ordinary = bitwise.logical_and(comparison.isfinite(x1), comparison.not_equal(x1, 0))
    return where(bitwise.logical_and(bitwise.logical_and(infinite, ordinary), differ), 1, units)


REMAINDER = declare(
    Op("remainder", ("x1", "x2"), Partials(x1=lambda: 1.0, x2=_remainder_x2),
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
    Derivative: d out / d x1 = 1, d out / d x2 = -floor(x1 / x2), with floor(-1 / inf) = -1.
    """
    return binary(REMAINDER, x1, x2)


def _fmod_x2(x1: Any, x2: Any, out: Any) -> Any:
    # Not trunc(x1 / x2): 1.0 / 0.1 rounds to 10, but 0.1 fits only 9 times into 1.0.
    return rounding.round(divide(subtract(out, x1), x2))


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


def outside(size: Any) -> Any:
    """Where hypot(x1, x2) has overflowed, is infinite or NaN, or too small to have all its digits.

    None if that is nowhere.
    """
    if size.dtype.kind != "f":
        return None
    info = np.finfo(size.dtype)
    ordinary = (size >= info.tiny / info.eps) & (size <= info.max) | (size == 0)
    return None if ordinary.all() else ~np.asarray(ordinary)


def _share_kernel(x1: Any, x2: Any, *, out: Any = None) -> Any:
    with np.errstate(all="ignore"):
        size = np.hypot(x1, x2)
        below = np.where(size == 0, size.dtype.type(1), size)
        share = np.divide(x1, below, out=out)
        where_else = outside(size)
        if where_else is not None:
            share = np.asarray(share)
            x1, x2 = [np.broadcast_to(x, size.shape)[where_else] for x in (x1, x2)]
            share[where_else] = _share_of_any(x1, x2)
    return share


def _share_of_any(x1: Any, x2: Any) -> Any:
    """x1 / hypot(x1, x2) of numbers that are very large or small; NaN of two infinities."""
    larger = np.maximum(np.abs(x1), np.abs(x2))
    eps = np.finfo(larger.dtype).eps
    scale = np.where(larger > 1, eps, 1 / eps)
    finite = x1 * scale / np.hypot(x1 * scale, x2 * scale)
    infinite = np.isinf(x1) * np.sign(x1)
    defined = (x1 == x1) & (x2 == x2) & ~(np.isinf(x1) & np.isinf(x2))
    found = np.where(np.isinf(larger), infinite, finite)
    return np.where(defined, found, np.nan)


def _turned(x1: Any, x2: Any) -> Any:
    """(x2 / out)**2 / out: how x1 / out grows with x1. Without 1 - (x1 / out)**2, which cancels."""
    size = hypot(x1, x2)
    other = share_of_hypot(x2, x1)
    return where(comparison.equal(size, 0), 0, multiply(other, divide(other, size)))


def _turned_away(x1: Any, x2: Any, out: Any) -> Any:
    size = hypot(x1, x2)
    other = share_of_hypot(x2, x1)
    return where(comparison.equal(size, 0), 0, negative(multiply(out, divide(other, size))))


SHARE_OF_HYPOT = declare(
    Op("share_of_hypot", ("x1", "x2"), Partials(x1=_turned, x2=_turned_away),
       dtypes="real floating", family="elementwise")
)  # fmt: skip
register_kernel("share_of_hypot", _share_kernel)


def share_of_hypot(x1: Any, x2: Any) -> Any:
    """x1 / hypot(x1, x2), and 0 at the origin."""
    return binary(SHARE_OF_HYPOT, x1, x2)


def _hypot_vjp(g: Any, x1: Any, x2: Any, out: Any, needs: tuple[bool, ...]) -> Any:
    shares = [
        times(g, share_of_hypot(x, other)) if needed else None
        for x, other, needed in ((x1, x2, needs[0]), (x2, x1, needs[1]))
    ]
    return cotangents_at_kink(shares, g, [x1, x2], out, "hypot", np.hypot)


def _hypot_jvp(t: Any, x1: Any, x2: Any, out: Any) -> Any:
    terms = [
        times(moved, share_of_hypot(x, other))
        for moved, x, other in ((t[0], x1, x2), (t[1], x2, x1))
        if moved is not None
    ]
    moved = terms[0] if len(terms) == 1 else add(*terms)

    def one_sided() -> Any:
        t1, t2 = [0 if part is None else part._array for part in t]
        return np.hypot(t1, t2)

    return tangent_at_kink(moved, out, "hypot", one_sided)


HYPOT = declare(
    Op("hypot", ("x1", "x2"), Rule(vjp=_hypot_vjp, jvp=_hypot_jvp),
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
    Derivative: d out / d x1 = x1 / out, d out / d x2 = x2 / out; 0 for both at the origin; for
    second derivatives there see `ops.kinks`.
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
    Derivative: d out / d x1 = 1, d out / d x2 = 0: the result is x1 but for rounding. (In lifted
    code that of ``math.nextafter`` is the same.)
    """
    return binary(NEXTAFTER, x1, x2)
