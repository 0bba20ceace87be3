"""Trigonometric and hyperbolic functions and their inverses, sinc, degrees and radians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import cast, operand
from .._cotangents import where
from .._dispatch import register_kernel
from .._elementwise import binary, unary
from .._op import Linear, Op, Partials, declare
from .arithmetic import (
    add,
    divide,
    fmod,
    multiply,
    negative,
    reciprocal,
    square,
    subtract,
)
from .comparison import less
from .parts import abs, times_1j
from .slopes import (
    acosh_slope,
    angle_slope,
    asin_slope,
    asinh_slope,
    atan_slope,
    atanh_slope,
    sech_squared,
)

if TYPE_CHECKING:
    from .._tensor import Tensor


def _is_complex(x: Any) -> bool:
    return bool(x._array.dtype.kind == "c")


def _cos(x: Any) -> Any:
    return cos(x)


SIN = declare(Op("sin", ("x",), Partials(x=_cos), dtypes="floating", family="elementwise"))


@answers(np.sin)
def sin(x: Tensor | complex, /) -> Tensor:
    """The sine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Angles in radians.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: cos(x).
    """
    return unary(SIN, x)


COS = declare(
    Op("cos", ("x",), Partials(x=lambda x: negative(sin(x))), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.cos)
def cos(x: Tensor | complex, /) -> Tensor:
    """The cosine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Angles in radians.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: -sin(x).
    """
    return unary(COS, x)


def _tan_slope(x: Any) -> Any:
    # 1 + tan(x)**2 would lose all digits far from the real axis, where tan(x) is nearly 1j.
    return sech_squared(times_1j(x)) if _is_complex(x) else square(reciprocal(cos(x)))


TAN = declare(Op("tan", ("x",), Partials(x=_tan_slope), dtypes="floating", family="elementwise"))


@answers(np.tan)
def tan(x: Tensor | complex, /) -> Tensor:
    """The tangent, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Angles in radians.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 / cos(x)**2.
    """
    return unary(TAN, x)


ASIN = declare(
    Op("asin", ("x",), Partials(x=lambda x: asin_slope(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.asin)
def asin(x: Tensor | complex, /) -> Tensor:
    """The inverse sine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        Radians; NaN for real numbers outside [-1, 1].

    Notes
    -----
    Derivative: 1 / sqrt((1 - x) (1 + x)).
    """
    return unary(ASIN, x)


ACOS = declare(
    Op("acos", ("x",), Partials(x=lambda x: negative(asin_slope(x))), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.acos)
def acos(x: Tensor | complex, /) -> Tensor:
    """The inverse cosine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        Radians; NaN for real numbers outside [-1, 1].

    Notes
    -----
    Derivative: -1 / sqrt((1 - x) (1 + x)).
    """
    return unary(ACOS, x)


ATAN = declare(
    Op("atan", ("x",), Partials(x=lambda x: atan_slope(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.atan)
def atan(x: Tensor | complex, /) -> Tensor:
    """The inverse tangent, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        Radians.

    Notes
    -----
    Derivative: 1 / (1 + x**2).
    """
    return unary(ATAN, x)


ATAN2 = declare(
    Op("atan2", ("x1", "x2"),
       Partials(x1=lambda x1, x2: angle_slope(x1, x2),
                x2=lambda x1, x2: negative(angle_slope(x2, x1))),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.atan2)
def atan2(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The angle of the point with ordinate x1 and abscissa x2, from -pi to pi.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Radians.

    Notes
    -----
    Derivative: d out / d x1 = x2 / (x1**2 + x2**2), d out / d x2 = -x1 / (x1**2 + x2**2), without
    underflow of the squares; 0 for both at the origin.
    """
    return binary(ATAN2, x1, x2)


# -- hyperbolic -----------------------------------------------------------------------------------


def _cosh(x: Any) -> Any:
    return cosh(x)


SINH = declare(Op("sinh", ("x",), Partials(x=_cosh), dtypes="floating", family="elementwise"))


@answers(np.sinh)
def sinh(x: Tensor | complex, /) -> Tensor:
    """The hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: cosh(x).
    """
    return unary(SINH, x)


COSH = declare(
    Op("cosh", ("x",), Partials(x=lambda x: sinh(x)), dtypes="floating", family="elementwise")
)


@answers(np.cosh)
def cosh(x: Tensor | complex, /) -> Tensor:
    """The hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: sinh(x).
    """
    return unary(COSH, x)


TANH = declare(
    Op("tanh", ("x",), Partials(x=lambda x: sech_squared(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.tanh)
def tanh(x: Tensor | complex, /) -> Tensor:
    """The hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 / cosh(x)**2, taken from x: 1 - tanh(x)**2 is 0 as soon as tanh(x) rounds to 1.
    """
    return unary(TANH, x)


ASINH = declare(
    Op("asinh", ("x",), Partials(x=lambda x: asinh_slope(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.asinh)
def asinh(x: Tensor | complex, /) -> Tensor:
    """The inverse hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 / sqrt(1 + x**2).
    """
    return unary(ASINH, x)


ACOSH = declare(
    Op("acosh", ("x",), Partials(x=lambda x: acosh_slope(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.acosh)
def acosh(x: Tensor | complex, /) -> Tensor:
    """The inverse hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        NaN for real numbers below 1.

    Notes
    -----
    Derivative: 1 / (sqrt(x - 1) sqrt(x + 1)).
    """
    return unary(ACOSH, x)


ATANH = declare(
    Op("atanh", ("x",), Partials(x=lambda x: atanh_slope(x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.atanh)
def atanh(x: Tensor | complex, /) -> Tensor:
    """The inverse hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        NaN for real numbers outside [-1, 1].

    Notes
    -----
    Derivative: 1 / ((1 - x) (1 + x)).
    """
    return unary(ATANH, x)


# -- extras ---------------------------------------------------------------------------------------

# sin(y) / y has the slope (cos(y) - sin(y) / y) / y, which loses its digits near 0: there this
# is the Taylor series, slope = y * (c1 + c2 y**2 + ...); the last term is below 4e-19 at y = 1.
_SINC_SLOPE_SERIES = (
    -1 / 3, 1 / 30, -1 / 840, 1 / 45360, -1 / 3991680, 1 / 518918400, -1 / 93405312000,
    1 / 22230464256000, -1 / 6758061133824000,
)  # fmt: skip


def _sinc_slope(x: Any) -> Any:
    y = multiply(x, np.pi)
    y_squared = square(y)
    series: Any = _SINC_SLOPE_SERIES[-1]
    for coefficient in _SINC_SLOPE_SERIES[-2::-1]:
        series = add(coefficient, multiply(series, y_squared))
    turned = y if _is_complex(x) else multiply(fmod(x, 2.0), np.pi)  # pi times a large x rounds
    closed = divide(subtract(cos(turned), divide(sin(turned), y)), y)
    return multiply(np.pi, where(less(abs(y), 1), multiply(y, series), closed))


SINC = declare(Op("sinc", ("x",), Partials(x=_sinc_slope), dtypes="floating", family="elementwise"))


@answers(np.sinc)
def sinc(x: Tensor | complex, /) -> Tensor:
    """sin(pi x) / (pi x), element by element; 1 at 0.

    Parameters
    ----------
    x : Tensor, floating-point
        Integers are computed in float64, as in NumPy.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: (cos(pi x) - sinc(x)) / x, near 0 by its Taylor series: all orders are right at 0.
    """
    numbers = operand(x, "sinc")
    if numbers._array.dtype.kind in "biu":
        numbers = cast(numbers, "float64")
    return unary(SINC, numbers)


def _as_radians(g: Any) -> Any:
    return deg2rad(g)


DEG2RAD = declare(
    Op("deg2rad", ("x",), Linear(x=_as_radians), dtypes="real floating",
       family="elementwise")
)  # fmt: skip
register_kernel("deg2rad", np.deg2rad)


@answers(np.deg2rad, np.radians)
def deg2rad(x: Tensor | float, /) -> Tensor:
    """Degrees as radians.

    Parameters
    ----------
    x : Tensor, real-valued
        Angles in degrees.

    Returns
    -------
    Tensor
        x * pi / 180.

    Notes
    -----
    Derivative: pi / 180.
    """
    return unary(DEG2RAD, x)


def _as_degrees(g: Any) -> Any:
    return rad2deg(g)


RAD2DEG = declare(
    Op("rad2deg", ("x",), Linear(x=_as_degrees), dtypes="real floating",
       family="elementwise")
)  # fmt: skip
register_kernel("rad2deg", np.rad2deg)


@answers(np.rad2deg, np.degrees)
def rad2deg(x: Tensor | float, /) -> Tensor:
    """Radians as degrees.

    Parameters
    ----------
    x : Tensor, real-valued
        Angles in radians.

    Returns
    -------
    Tensor
        x * 180 / pi.

    Notes
    -----
    Derivative: 180 / pi.
    """
    return unary(RAD2DEG, x)
