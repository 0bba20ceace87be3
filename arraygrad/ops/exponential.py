"""Elementwise exponentials, logarithms, powers and roots, the logistic and the error function."""

from __future__ import annotations

from math import log as _log, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import cast, node_of
from .._cotangents import conj, times, where
from .._elementwise import binary, unary
from .._errors import ArgumentError, ArraygradError
from .._lazy import LazyModule
from .._op import Op, Partials, Rule, declare
from .._storage import TensorBase
from .arithmetic import add, divide, multiply, negative, reciprocal, square, subtract
from .kinks import limit_at_root, tangent_at_kink
from .parts import scaled
from .slopes import sech_squared

if TYPE_CHECKING:
    from .._tensor import Tensor
    from . import bitwise, comparison
else:  # for a few formulas
    bitwise = LazyModule("arraygrad.ops.bitwise")
    comparison = LazyModule("arraygrad.ops.comparison")

_LN2 = _log(2)
_LN10 = _log(10)


EXP = declare(
    Op("exp", ("x",), Partials(x=lambda out: out), dtypes="floating", family="elementwise")
)


@answers(np.exp)
def exp(x: Tensor | complex, /) -> Tensor:
    """The exponential function, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Integers are promoted to floating-point as NumPy does.

    Returns
    -------
    Tensor
        e**x.

    Notes
    -----
    Derivative: exp(x).
    """
    return unary(EXP, x)


EXPM1 = declare(
    Op("expm1", ("x",), Partials(x=lambda x: exp(x)), dtypes="floating", family="elementwise")
)


@answers(np.expm1)
def expm1(x: Tensor | complex, /) -> Tensor:
    """exp(x) - 1 without cancellation near 0, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: exp(x), from x: the result plus 1 is 0 as soon as the result rounds to -1.
    """
    return unary(EXPM1, x)


def _exp2_slope(x: Any) -> Any:
    # 2**x may overflow where log(2) * 2**x does not: halve the one, double the other.
    return scaled(exp2(subtract(x, 1)), 2 * _LN2)


EXP2 = declare(Op("exp2", ("x",), Partials(x=_exp2_slope), dtypes="floating", family="elementwise"))


@answers(np.exp2)
def exp2(x: Tensor | complex, /) -> Tensor:
    """2**x, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: log(2) * 2**x, finite up to x = 1024.5 although 2**1024 is not.
    """
    return unary(EXP2, x)


LOG = declare(
    Op("log", ("x",), Partials(x=lambda x: reciprocal(x)), dtypes="floating", family="elementwise")
)


@answers(np.log)
def log(x: Tensor | complex, /) -> Tensor:
    """The natural logarithm, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        -inf at 0; NaN for negative real numbers.

    Notes
    -----
    Derivative: 1 / x.
    """
    return unary(LOG, x)


LOG1P = declare(
    Op("log1p", ("x",), Partials(x=lambda x: reciprocal(add(x, 1))), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.log1p)
def log1p(x: Tensor | complex, /) -> Tensor:
    """log(1 + x) without cancellation near 0, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        -inf at -1; NaN for real numbers below.

    Notes
    -----
    Derivative: 1 / (1 + x).
    """
    return unary(LOG1P, x)


LOG2 = declare(
    Op("log2", ("x",), Partials(x=lambda x: divide(1 / _LN2, x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.log2)
def log2(x: Tensor | complex, /) -> Tensor:
    """The logarithm to base 2, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 / (x log(2)).
    """
    return unary(LOG2, x)


LOG10 = declare(
    Op("log10", ("x",), Partials(x=lambda x: divide(1 / _LN10, x)), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.log10)
def log10(x: Tensor | complex, /) -> Tensor:
    """The logarithm to base 10, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: 1 / (x log(10)).
    """
    return unary(LOG10, x)


def _softmax_weight(x: Any, other: Any, out: Any, scale: float) -> Any:
    """Share of exp(x) in exp(x) + exp(other).

    The difference of equal infinities is NaN: two impossible events have no weight at all, two
    infinite ones share it.
    """
    undefined = bitwise.logical_and(comparison.isinf(out), comparison.equal(x, other))
    even = multiply(cast(comparison.greater(out, 0), out._array.dtype), 0.5)
    difference = subtract(x, other)
    if scale != 1:
        difference = multiply(difference, scale)
    return where(undefined, even, sigmoid(difference))


LOGADDEXP = declare(
    Op("logaddexp", ("x1", "x2"),
       Partials(x1=lambda x1, x2, out: _softmax_weight(x1, x2, out, 1),
                x2=lambda x1, x2, out: _softmax_weight(x2, x1, out, 1)),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.logaddexp)
def logaddexp(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Floating-point.

    Notes
    -----
    Derivative: d out / d x1 = exp(x1 - out), d out / d x2 = exp(x2 - out); 0 for both where both
    are -inf.
    """
    return binary(LOGADDEXP, x1, x2)


LOGADDEXP2 = declare(
    Op("logaddexp2", ("x1", "x2"),
       Partials(x1=lambda x1, x2, out: _softmax_weight(x1, x2, out, _LN2),
                x2=lambda x1, x2, out: _softmax_weight(x2, x1, out, _LN2)),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.logaddexp2)
def logaddexp2(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """log2(2**x1 + 2**x2) without overflow, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Floating-point.

    Notes
    -----
    Derivative: d out / d x1 = 2**(x1 - out), d out / d x2 = 2**(x2 - out); 0 for both where both
    are -inf.
    """
    return binary(LOGADDEXP2, x1, x2)


# -- powers and roots ----------------------------------------------------------------------------


def _constant_exponent(x2: Any) -> Any:
    """An exponent that does not move as a Python number, for the short ways of `pow`."""
    array = x2._array
    if array.ndim or array.dtype.kind not in "fiu" or node_of(x2) is not None:
        return x2
    return array.item()


def _pow_x1(x1: Any, x2: Any) -> Any:
    # `times`, not `multiply`: with x2 == 0 the slope is 0 also at x1 == 0, where x1**-1 is inf.
    exponent = _constant_exponent(x2)
    return times(pow(x1, subtract(exponent, 1) if exponent is x2 else exponent - 1), exponent)


def _pow_x2(x1: Any, x2: Any, out: Any) -> Any:
    # At x1 == 0 the logarithm is infinite: where x2 > 0, out == 0 absorbs it, x2 == 0 needs care.
    at_corner = bitwise.logical_and(comparison.equal(x1, 0), comparison.equal(x2, 0))
    return where(at_corner, 0, times(out, log(x1)))


POW = declare(
    Op("pow", ("x1", "x2"), Partials(x1=_pow_x1, x2=_pow_x2), dtypes="numeric",
       family="elementwise")
)  # fmt: skip


@answers(np.pow)
def pow(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """x1 to the power x2, element by element.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric
        Base and exponent; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        1 where x2 is 0. NaN for negative real bases with exponents that are not whole.

    Raises
    ------
    ArgumentError
        If integers are raised to negative integers.

    Notes
    -----
    Derivative: d out / d x1 = x2 * x1**(x2 - 1), 0 where x2 is 0; d out / d x2 = out * log(x1),
    0 where x1 is 0 and x2 >= 0, and NaN for negative real bases, which have no derivative by x2.
    """
    squares = type(x2) in (int, float) and x2 == 2
    if squares and isinstance(x1, TensorBase) and x1._array.dtype.kind in "fcV":
        return square(x1)  # by far the most frequent exponent; so does NumPy's x ** 2
    roots = type(x2) is float and x2 == 0.5
    if roots and isinstance(x1, TensorBase) and x1._array.dtype.kind == "f":
        # Of -0 and -inf the root is another number than the power.
        if node_of(x1) is not None and not np.signbit(x1._array).any():
            return sqrt(x1)  # its second derivative knows the limit at 0
    try:
        return binary(POW, x1, x2)
    except ValueError as error:
        if isinstance(error, ArraygradError):
            raise
        raise ArgumentError(
            "pow: integers to negative integer powers are fractions; make the base "
            "floating-point, e.g. x1.astype(float)"
        ) from error


def _sqrt_slope(out: Any) -> Any:
    if out._array.dtype.kind != "c" and (out._array == 0).any():
        out = add(out, 0.0)  # -0 is its own root, with the slope of 0
    return divide(0.5, out)


def _sqrt_vjp(g: Any, out: Any) -> Any:
    return limit_at_root(times(g, conj(_sqrt_slope(out))), g, out)


def _sqrt_jvp(t: Any, out: Any) -> Any:
    return tangent_at_kink(times(t[0], _sqrt_slope(out)), out, "sqrt", lambda: 0, linear=True)


SQRT = declare(
    Op("sqrt", ("x",), Rule(x=_sqrt_vjp, jvp=_sqrt_jvp), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.sqrt)
def sqrt(x: Tensor | complex, /) -> Tensor:
    """The square root, element by element.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        NaN for negative real numbers; complex numbers have the root with real part >= 0.

    Notes
    -----
    Derivative: 1 / (2 sqrt(x)), infinite at 0; a zero cotangent absorbs that. A recorded pass
    takes the limit for a cotangent that is zero because the root is, so that the Hessian of
    sqrt(sum(x * x))**2 is right at 0.
    """
    return unary(SQRT, x)


CBRT = declare(
    Op("cbrt", ("x",), Partials(x=lambda out: divide(1 / 3, square(out))), dtypes="real floating",
       family="elementwise")
)  # fmt: skip


@answers(np.cbrt)
def cbrt(x: Tensor | float, /) -> Tensor:
    """The cube root, element by element.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Floating-point, with the sign of x.

    Notes
    -----
    Derivative: 1 / (3 cbrt(x)**2), infinite at 0.
    """
    return unary(CBRT, x)


# -- the logistic and the error function ---------------------------------------------------------


SIGMOID = declare(
    Op("sigmoid", ("x",), Partials(x=lambda x: multiply(0.25, sech_squared(scaled(x, 0.5)))),
       dtypes="floating", family="elementwise")
)  # fmt: skip


def sigmoid(x: Tensor | complex, /) -> Tensor:
    """1 / (1 + exp(-x)), the logistic function, element by element; not in the standard.

    Parameters
    ----------
    x : Tensor, floating-point

    Returns
    -------
    Tensor
        Accurate in both tails.

    Notes
    -----
    Derivative: sigmoid(x) sigmoid(-x). (1 - sigmoid(x) is 0 as soon as sigmoid(x) rounds to 1.)
    """
    return unary(SIGMOID, x)


def _erf_slope(x: Any) -> Any:
    return multiply(2 / pi**0.5, exp(negative(square(x))))


ERF = declare(
    Op("erf", ("x",), Partials(x=_erf_slope), dtypes="real floating", family="elementwise")
)


def erf(x: Tensor | float, /) -> Tensor:
    """The error function, element by element; not in the standard.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Floating-point.

    Notes
    -----
    Derivative: 2 / sqrt(pi) * exp(-x**2).
    """
    return unary(ERF, x)


ERFC = declare(
    Op("erfc", ("x",), Partials(x=lambda x: negative(_erf_slope(x))), dtypes="real floating",
       family="elementwise")
)  # fmt: skip


def erfc(x: Tensor | float, /) -> Tensor:
    """1 - erf(x), accurate in the right tail, element by element; not in the standard.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Floating-point.

    Notes
    -----
    Derivative: -2 / sqrt(pi) * exp(-x**2).
    """
    return unary(ERFC, x)
