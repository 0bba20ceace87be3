"""Rounding to integers: ceil, floor, trunc, round, and to decimals. Derivatives are zero.

But rounding to so many decimals that only the noise of floating-point arithmetic goes keeps slopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import apply, operand
from .._dispatch import register_kernel
from .._elementwise import unary
from .._layout import as_integer
from .._op import Op, Partials, Rule, declare

if TYPE_CHECKING:
    from .._tensor import Tensor


def _zero() -> float:
    """Partial of a function that is constant between its jumps."""
    return 0.0


CEIL = declare(Op("ceil", ("x",), Partials(x=_zero), dtypes="real", family="elementwise"))


@answers(np.ceil)
def ceil(x: Tensor | float, /) -> Tensor:
    """The smallest integer not less than x, element by element.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Of the dtype of x; integers are copied.

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps.
    """
    return unary(CEIL, x)


FLOOR = declare(Op("floor", ("x",), Partials(x=_zero), dtypes="real", family="elementwise"))


@answers(np.floor)
def floor(x: Tensor | float, /) -> Tensor:
    """The largest integer not greater than x, element by element.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Of the dtype of x; integers are copied.

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps.
    """
    return unary(FLOOR, x)


TRUNC = declare(Op("trunc", ("x",), Partials(x=_zero), dtypes="real", family="elementwise"))


@answers(np.trunc)
def trunc(x: Tensor | float, /) -> Tensor:
    """The elements without their fractions (rounded towards zero).

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Of the dtype of x; integers are copied.

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps.
    """
    return unary(TRUNC, x)


ROUND = declare(Op("round", ("x",), Partials(x=_zero), dtypes="numeric", family="elementwise"))


def round(x: Tensor | complex, /) -> Tensor:
    """The nearest integer, ties to even, element by element.

    Parameters
    ----------
    x : Tensor, numeric
        Both parts of a complex number are rounded.

    Returns
    -------
    Tensor
        Of the dtype of x; integers are copied.

    See Also
    --------
    around : Rounds to decimals.

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps.
    """
    return unary(ROUND, x)


RINT = declare(Op("rint", ("x",), Partials(x=_zero), dtypes="floating", family="elementwise"))
register_kernel("rint", np.rint)


@answers(np.rint)
def rint(x: Tensor | complex, /) -> Tensor:
    """The nearest integer as a floating-point number, ties to even, element by element.

    Parameters
    ----------
    x : Tensor, numeric
        Integers are promoted to floating-point as NumPy does.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps.
    """
    return unary(RINT, x)


def _zeros_like(g: Any) -> Any:
    return apply(AROUND, g, decimals=None)


def _around(x: Any, *, decimals: int | None) -> Any:
    # decimals None: the linear map that is zero, the derivative of all others.
    return np.zeros_like(x) if decimals is None else np.round(x, decimals)


AROUND = declare(Op("around", ("x",), Rule(x=_zeros_like, jvp=lambda t: _zeros_like(t[0]))))
register_kernel("around", _around)

CLEANED = declare(Op("cleaned", ("x",), Rule(x=lambda g: g, jvp=lambda t: t[0])))
register_kernel("cleaned", _around)


def _takes_noise_only(dtype: np.dtype[Any], decimals: int) -> bool:
    # Steps that no difference quotient sees: programs remove noise so, before they compare.
    return dtype.kind in "fc" and 10.0**-decimals < float(np.finfo(dtype).eps) ** 0.5


def around(x: Tensor | complex, /, decimals: int = 0) -> Tensor:
    """The elements rounded to a number of decimals, ties to even.

    Parameters
    ----------
    x : Tensor, numeric
    decimals : int
        Negative numbers round to the left of the decimal point.

    Returns
    -------
    Tensor
        Of the dtype of x.

    See Also
    --------
    round : The standard's function, to whole numbers.

    Notes
    -----
    Derivative: 0 everywhere, also at the jumps; but 1 where the decimals are so many (8 or more for
    float64, 4 for float32) that only noise of floating-point arithmetic is removed.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.asarray([1.234, 5.678]).round(1)
    tensor([1.2, 5.7])
    """
    decimals = as_integer(decimals, "decimals", "round")
    values = operand(x, "around")
    op = CLEANED if _takes_noise_only(values._array.dtype, decimals) else AROUND
    out: Tensor = apply(op, values, decimals=decimals)
    return out
