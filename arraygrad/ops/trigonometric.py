"""Trigonometric and hyperbolic functions and their inverses, sinc, degrees and radians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import binary, cast, operand, unary
from .._cotangents import where
from .._dispatch import register_kernel
from .._op import Linear, Op, Partials, declare
from .arithmetic import add, divide, hypot, multiply, negative, reciprocal, square, subtract
from .comparison import equal, less
from .exponential import sigmoid, sqrt
from .parts import abs

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


def _tanh_slope(x: Any) -> Any:
    """1 / cosh(x)**2 as 4 sigmoid(2x) sigmoid(-2x), in which nothing overflows."""
    twice = add(x, x)
    return multiply(4, multiply(sigmoid(twice), sigmoid(negative(twice))))


def _tan_slope(x: Any) -> Any:
    # 1 + tan(x)**2 would lose all digits far from the real axis, where tan(x) is nearly 1j.
    return _tanh_slope(multiply(x, 1j)) if _is_complex(x) else square(reciprocal(cos(x)))


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


def _asin_slope(x: Any) -> Any:
    """1 / sqrt(1 - x**2); the two factors keep the digits near the ends and the branch cuts.

    -(x - 1) and not 1 - x: a zero imaginary part must change its sign.
    """
    return reciprocal(multiply(sqrt(negative(subtract(x, 1))), sqrt(add(1, x))))


ASIN = declare(Op("asin", ("x",), Partials(x=_asin_slope), dtypes="floating", family="elementwise"))


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
    Op("acos", ("x",), Partials(x=lambda x: negative(_asin_slope(x))), dtypes="floating",
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


def _atan_slope(x: Any) -> Any:
    if _is_complex(x):
        # Near the poles at 1j and -1j the two factors keep digits that 1 + x**2 loses.
        turned = multiply(x, 1j)
        return reciprocal(multiply(subtract(1, turned), add(1, turned)))
    return reciprocal(add(1, square(x)))


ATAN = declare(Op("atan", ("x",), Partials(x=_atan_slope), dtypes="floating", family="elementwise"))


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


def _over_square_of_hypot(numerator: Any, x1: Any, x2: Any) -> Any:
    """Quotient numerator / (x1**2 + x2**2) where the squares may underflow; 0 at the origin."""
    size = hypot(x1, x2)
    return where(equal(size, 0), 0, divide(divide(numerator, size), size))


ATAN2 = declare(
    Op("atan2", ("x1", "x2"),
       Partials(x1=lambda x1, x2: _over_square_of_hypot(x2, x1, x2),
                x2=lambda x1, x2: _over_square_of_hypot(negative(x1), x1, x2)),
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


TANH = declare(Op("tanh", ("x",), Partials(x=_tanh_slope), dtypes="floating", family="elementwise"))


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


def _asinh_slope(x: Any) -> Any:
    if _is_complex(x):
        turned = multiply(x, 1j)
        return reciprocal(multiply(sqrt(subtract(1, turned)), sqrt(add(1, turned))))
    return reciprocal(hypot(x, 1))  # x**2 overflows long before the slope underflows


ASINH = declare(
    Op("asinh", ("x",), Partials(x=_asinh_slope), dtypes="floating", family="elementwise")
)


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


def _acosh_slope(x: Any) -> Any:
    return reciprocal(multiply(sqrt(subtract(x, 1)), sqrt(add(x, 1))))


ACOSH = declare(
    Op("acosh", ("x",), Partials(x=_acosh_slope), dtypes="floating", family="elementwise")
)


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
    Op("atanh", ("x",), Partials(x=lambda x: reciprocal(multiply(subtract(1, x), add(1, x)))),
       dtypes="floating", family="elementwise")
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
    closed = divide(subtract(cos(y), divide(sin(y), y)), y)
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
