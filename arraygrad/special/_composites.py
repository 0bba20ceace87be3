"""SciPy's functions that are no ufuncs, made of ours."""

from __future__ import annotations

import math
from typing import Any

from .._apply import operand
from .._errors import ArgumentError, ArgumentTypeError
from ..ops import statistical
from ..ops.exponential import exp, log
from ..ops.parts import abs, sign
from ..ops.searching import where
from ._gamma import gamma, gammaln


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    """The logarithm of the sum of exponentials, each weighted with b.

    Parameters
    ----------
    a : Tensor, real-valued
    axis : int or tuple of int, optional
        Axes to sum over; all by default.
    b : Tensor, real-valued, optional
        Weights of either sign; broadcast with a.
    keepdims : bool
        Whether summed axes stay with length 1.
    return_sign : bool
        Whether to return (log of the magnitude, sign) of the sum.

    Returns
    -------
    Tensor or tuple of Tensor
        NaN where the sum is negative, unless the sign is asked for.
    """
    a = operand(a, "special.logsumexp")
    if b is None and not return_sign:
        return statistical.logsumexp(a, axis=axis, keepdims=keepdims)
    weights = 1.0 if b is None else b
    # The weight 0 takes its term out, whatever a is there.
    a = where(operand(weights, "special.logsumexp", 3) == 0, -math.inf, a)
    top = statistical.max(a, axis=axis, keepdims=True).detach()
    top = where(abs(top) == math.inf, 0.0, top)
    total = statistical.sum(weights * exp(a - top), axis=axis, keepdims=keepdims)
    shift = top if keepdims else statistical.sum(top, axis=axis)
    if return_sign:
        return log(abs(total)) + shift, sign(total)
    return log(total) + shift


def softmax(x: Any, axis: Any = None) -> Any:
    """exp(x) over its sum.

    Parameters
    ----------
    x : Tensor, real-valued
    axis : int or tuple of int, optional
        Axes to sum over; all by default.

    Returns
    -------
    Tensor
    """
    return exp(log_softmax(x, axis))


def log_softmax(x: Any, axis: Any = None) -> Any:
    """The logarithm of softmax, without overflow.

    Parameters
    ----------
    x : Tensor, real-valued
    axis : int or tuple of int, optional
        Axes to sum over; all by default.

    Returns
    -------
    Tensor
    """
    x = operand(x, "special.log_softmax")
    return x - statistical.logsumexp(x, axis=axis, keepdims=True)


def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : Tensor, real-valued
        Greater than (d - 1) / 2.
    d : int
        Dimension of the space.

    Returns
    -------
    Tensor
    """
    a = operand(a, "special.multigammaln")
    if int(d) != d or d < 1:
        raise ArgumentError(f"special.multigammaln: d={d!r} is not a dimension: 1, 2, 3, ...")
    if (a._array <= 0.5 * (d - 1)).any():
        raise ArgumentError(f"special.multigammaln: a must be greater than {0.5 * (d - 1)}")
    total: Any = d * (d - 1) / 4 * math.log(math.pi)
    for j in range(int(d)):
        total = total + gammaln(a - j / 2)
    return total


def factorial(n: Any, exact: bool = False) -> Any:
    """gamma(n + 1), and 0 for negative n.

    Parameters
    ----------
    n : Tensor, real-valued
    exact : bool
        Must be False: exact factorials are Python integers, for which there is `math.factorial`.

    Returns
    -------
    Tensor
    """
    if exact:
        raise ArgumentTypeError(
            "special.factorial: exact=True makes Python integers; use math.factorial(n)"
        )
    n = operand(n, "special.factorial")
    return where(n < 0, 0.0, gamma(where(n < 0, 0.0, n) + 1))
