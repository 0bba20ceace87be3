"""Comparisons and what follows from them: maximum, minimum, clip, tests for nan and infinity.

Truth values never carry gradients. Comparisons between integers are exact: int64 with uint64, and
with Python integers that the dtype cannot hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import cast, operand, wrap_result
from .._dispatch import register_kernel
from .._elementwise import binary, elementwise, unary
from .._errors import ArgumentTypeError
from .._op import NONE, Op, Partials, declare
from .._short import limited
from .._storage import TensorBase

if TYPE_CHECKING:
    from .._tensor import Tensor


def _compare(op: Op, ufunc: np.ufunc, x1: Any, x2: Any) -> Tensor:
    """Run a comparison; NumPy's loops compare integers of different dtypes exactly."""
    first = _integers(x1, op.name, 1)
    second = None if first is None else _integers(x2, op.name, 2)
    if first is None or second is None or (type(first) is int and type(second) is int):
        return binary(op, x1, x2)
    if type(first) is not int and type(second) is not int and first.dtype == second.dtype:
        return binary(op, x1, x2)
    out: Tensor = wrap_result(ufunc(first, second))
    return out


def _integers(x: Any, function: str, position: int) -> Any:
    """The array of an integer tensor, or the Python integer; None for all else."""
    if type(x) is int:
        return x
    if isinstance(x, TensorBase):
        array = x._array
    elif isinstance(x, np.ndarray | np.generic | list | tuple):
        array = operand(x, function, position)._array
    else:
        return None
    return array if array.dtype.kind in "iu" else None


EQUAL = declare(Op("equal", ("x1", "x2"), NONE, dtypes="any", family="elementwise"))


@answers(np.equal)
def equal(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Whether x1 == x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. False where either is NaN.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.equal(ag.asarray([255, 0], dtype=ag.uint8), -1)
    tensor([False, False])
    """
    return _compare(EQUAL, np.equal, x1, x2)


NOT_EQUAL = declare(Op("not_equal", ("x1", "x2"), NONE, dtypes="any", family="elementwise"))


@answers(np.not_equal)
def not_equal(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Whether x1 != x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. True where either is NaN.
    """
    return _compare(NOT_EQUAL, np.not_equal, x1, x2)


LESS = declare(Op("less", ("x1", "x2"), NONE, dtypes="numeric", family="elementwise"))


@answers(np.less)
def less(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Whether x1 < x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes; complex
        numbers by their real parts first, as in NumPy.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. False where either is NaN.
    """
    return _compare(LESS, np.less, x1, x2)


LESS_EQUAL = declare(Op("less_equal", ("x1", "x2"), NONE, dtypes="numeric", family="elementwise"))


@answers(np.less_equal)
def less_equal(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Whether x1 <= x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. False where either is NaN.
    """
    return _compare(LESS_EQUAL, np.less_equal, x1, x2)


GREATER = declare(Op("greater", ("x1", "x2"), NONE, dtypes="numeric", family="elementwise"))


@answers(np.greater)
def greater(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Whether x1 > x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. False where either is NaN.
    """
    return _compare(GREATER, np.greater, x1, x2)


GREATER_EQUAL = declare(
    Op("greater_equal", ("x1", "x2"), NONE, dtypes="numeric", family="elementwise")
)


@answers(np.greater_equal)
def greater_equal(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """Whether x1 >= x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast. Integers are compared exactly, whatever their dtypes.

    Returns
    -------
    Tensor
        Boolean; carries no gradient. False where either is NaN.
    """
    return _compare(GREATER_EQUAL, np.greater_equal, x1, x2)


# -- tests -------------------------------------------------------------------------------------


ISFINITE = declare(Op("isfinite", ("x",), NONE, dtypes="numeric", family="elementwise"))


@answers(np.isfinite)
def isfinite(x: Tensor | complex, /) -> Tensor:
    """Whether elements are neither infinite nor NaN.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Boolean; carries no gradient. True for all integers.
    """
    return unary(ISFINITE, x)


ISINF = declare(Op("isinf", ("x",), NONE, dtypes="numeric", family="elementwise"))


@answers(np.isinf)
def isinf(x: Tensor | complex, /) -> Tensor:
    """Whether elements are infinite; for complex numbers, whether either part is.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return unary(ISINF, x)


ISNAN = declare(Op("isnan", ("x",), NONE, dtypes="numeric", family="elementwise"))


@answers(np.isnan)
def isnan(x: Tensor | complex, /) -> Tensor:
    """Whether elements are NaN; for complex numbers, whether either part is.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return unary(ISNAN, x)


# -- the larger and the smaller ----------------------------------------------------------------


def _weight_kernel(chosen: np.ufunc, nan_wins: bool) -> Any:
    """Kernel (x, other) -> 1 where `chosen` takes x, 0.5 in a tie, 0 where it takes the other."""

    def weight(x: Any, other: Any, *, out: Any = None) -> Any:
        x_nan, other_nan = x != x, other != other
        wins = chosen(x, other) | (x_nan if nan_wins else other_nan)
        tie = (x == other) | (x_nan & other_nan)
        found = np.where(tie, 0.5, wins & ~(other_nan if nan_wins else x_nan)).astype(x.dtype)
        if out is None:
            return found
        np.copyto(out, found)
        return out

    return weight


def _weight_op(name: str, chosen: np.ufunc, nan_wins: bool) -> Op:
    """Op for the partials of a choice. Piecewise constant: second derivatives are exactly zero."""
    register_kernel(name, _weight_kernel(chosen, nan_wins))
    return declare(Op(name, ("x", "other"), NONE, dtypes="numeric", family="elementwise"))


def _weights(name: str, chosen: np.ufunc, nan_wins: bool) -> Partials:
    op = _weight_op(f"{name}_weight", chosen, nan_wins)
    return Partials(
        x1=lambda x1, x2: binary(op, x1, x2),
        x2=lambda x1, x2: binary(op, x2, x1),
    )


MAXIMUM = declare(
    Op("maximum", ("x1", "x2"), _weights("maximum", np.greater, True), dtypes="numeric",
       family="elementwise")
)  # fmt: skip


@answers(np.maximum)
def maximum(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The larger of two elements.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        NaN where either is NaN.

    Notes
    -----
    Derivative: 1 for the larger, 0 for the other, 0.5 for each in a tie.
    """
    return binary(MAXIMUM, x1, x2)


MINIMUM = declare(
    Op("minimum", ("x1", "x2"), _weights("minimum", np.less, True), dtypes="numeric",
       family="elementwise")
)  # fmt: skip


@answers(np.minimum)
def minimum(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The smaller of two elements.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        NaN where either is NaN.

    Notes
    -----
    Derivative: 1 for the smaller, 0 for the other, 0.5 for each in a tie.
    """
    return binary(MINIMUM, x1, x2)


FMAX = declare(
    Op("fmax", ("x1", "x2"), _weights("fmax", np.greater, False), dtypes="numeric",
       family="elementwise")
)  # fmt: skip
register_kernel("fmax", np.fmax)


@answers(np.fmax)
def fmax(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The larger of two elements, ignoring NaN where the other is a number.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 for the one that was taken, 0 for the other, 0.5 for each in a tie.
    """
    return binary(FMAX, x1, x2)


FMIN = declare(
    Op("fmin", ("x1", "x2"), _weights("fmin", np.less, False), dtypes="numeric",
       family="elementwise")
)  # fmt: skip
register_kernel("fmin", np.fmin)


@answers(np.fmin)
def fmin(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The smaller of two elements, ignoring NaN where the other is a number.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 for the one that was taken, 0 for the other, 0.5 for each in a tie.
    """
    return binary(FMIN, x1, x2)


def _clip_masks(x: Any, min: Any, max: Any) -> tuple[Any, Any]:
    """Where min replaced x, and where max replaced either."""
    x, min, max = x._array, min._array, max._array
    low = (x < min) | ((min != min) & (x == x))
    raised = np.where(low, min, x)
    high = (max < raised) | ((max != max) & (raised == raised))
    return low & ~high, high


def _clip_x(x: Any, min: Any, max: Any) -> Any:
    low, high = _clip_masks(x, min, max)
    return wrap_result((~(low | high)).astype(x._array.dtype))


def _clip_min(x: Any, min: Any, max: Any) -> Any:
    return wrap_result(_clip_masks(x, min, max)[0].astype(x._array.dtype))


def _clip_max(x: Any, min: Any, max: Any) -> Any:
    return wrap_result(_clip_masks(x, min, max)[1].astype(x._array.dtype))


CLIP = declare(
    Op("clip", ("x", "min", "max"), Partials(x=_clip_x, min=_clip_min, max=_clip_max),
       dtypes="real", family="elementwise")
)  # fmt: skip


def clip(
    x: Tensor,
    /,
    min: Tensor | float | None = None,
    max: Tensor | float | None = None,
) -> Tensor:
    """The elements limited to the range from min to max.

    Parameters
    ----------
    x : Tensor, real-valued
    min, max : Tensor or Python scalar, optional
        Bounds; they broadcast with x and promote. None sets no bound, and so does a Python
        integer beyond the range of an integer dtype.

    Returns
    -------
    Tensor
        NaN where any of the three is NaN; max where min > max.

    Notes
    -----
    Derivative: d out / d x = 1 where min <= x <= max (both included), else 0; a bound gets 1
    where it replaced x.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.clip(ag.asarray([-2.0, 0.5, 3.0]), 0.0, 1.0)
    tensor([0. , 0.5, 1. ])
    """
    x = operand(x, "clip")
    out = limited(CLIP, x, min, max)
    if out is not None:
        return out  # type: ignore[no-any-return]
    min, max = _bounds(x._array.dtype, min, max)
    return elementwise(CLIP, x, min, max)


def _bounds(dtype: np.dtype[Any], low: Any, high: Any) -> tuple[Any, Any]:
    """The bounds with what does not limit `dtype` replaced by its extreme values."""
    lowest: float
    highest: float
    if dtype.kind in "iu":
        lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
    elif dtype.kind == "b":
        lowest, highest = False, True
    else:
        lowest, highest = -np.inf, np.inf
    for name, bound in (("min", low), ("max", high)):
        if isinstance(bound, str | bytes | complex):
            raise ArgumentTypeError(f"clip: {name} is {bound!r}; give a real number or None")
    if low is None or (type(low) is int and dtype.kind in "iu" and low < lowest):
        low = lowest
    if high is None or (type(high) is int and dtype.kind in "iu" and high > highest):
        high = highest
    return low, high


HEAVISIDE = declare(
    Op("heaviside", ("x1", "x2"),
       Partials(x1=lambda: 0.0, x2=lambda x1: cast(equal(x1, 0), x1._array.dtype)),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.heaviside)
def heaviside(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The step function: 0 below zero, x2 at zero, 1 above.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Argument, and the value at zero; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: d out / d x1 = 0, also at the jump; d out / d x2 = 1 where x1 is zero.
    """
    return binary(HEAVISIDE, x1, x2)
