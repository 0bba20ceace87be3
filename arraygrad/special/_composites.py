"""SciPy's functions that are no ufuncs, made of ours."""

from __future__ import annotations

import math
from typing import Any

from .._apply import operand
from .._errors import ArgumentError, ArgumentTypeError
from .._storage import TensorBase
from ..ops import exponential_sums, statistical
from ..ops.exponential import exp, log
from ..ops.parts import abs, sign
from ..ops.searching import where
from ..ops.trigonometric import cos
from ._function import scipy_special
from ._gamma import binom, gamma, gammaln, poch


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
        return exponential_sums.logsumexp(a, axis=axis, keepdims=keepdims)
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
    return exponential_sums.log_softmax(operand(x, "special.log_softmax"), axis=axis)


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
        Python integers, of plain numbers only.

    Returns
    -------
    Tensor
    """
    if exact:
        return _exact("factorial", n)
    n = operand(n, "special.factorial")
    return where(n < 0, 0.0, gamma(where(n < 0, 0.0, n) + 1))


def _exact(function: str, *given: Any, **options: Any) -> Any:
    """SciPy's Python integers, of plain numbers."""
    if any(isinstance(x, TensorBase) for x in given):
        raise ArgumentTypeError(
            f"special.{function}: exact=True makes Python integers, not of tensors; leave it out, "
            f"or use math.{function} of plain numbers"
        )
    return getattr(scipy_special, function)(*given, exact=True, **options)


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """Number of choices of k out of N, continued to real numbers; 0 where there are none.

    Parameters
    ----------
    N, k : Tensor, real-valued
    exact : bool
        Python integers, of plain numbers only.
    repetition : bool
        Whether what is chosen may be chosen again.

    Returns
    -------
    Tensor
        `binom` of N and k where 0 <= k <= N.
    """
    if exact:
        return _exact("comb", N, k, repetition=repetition)
    N, k = operand(N, "special.comb"), operand(k, "special.comb", 2)
    if repetition:
        N = N + k - 1
    there = (k <= N) & (N >= 0) & (k >= 0)
    return where(there, binom(where(there, N, 1.0), where(there, k, 1.0)), 0.0)


def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """Number of ordered choices of k out of N, continued to real numbers; 0 where there are none.

    Parameters
    ----------
    N, k : Tensor, real-valued
    exact : bool
        Python integers, of plain numbers only.

    Returns
    -------
    Tensor
        gamma(N + 1) / gamma(N - k + 1) where 0 <= k <= N.
    """
    if exact:
        return _exact("perm", N, k)
    N, k = operand(N, "special.perm"), operand(k, "special.perm", 2)
    there = (k <= N) & (N >= 0) & (k >= 0)
    return where(there, poch(where(there, N - k + 1, 1.0), where(there, k, 1.0)), 0.0)


def diric(x: Any, n: Any) -> Any:
    """Dirichlet's kernel sin(n x / 2) / (n sin(x / 2)), with its limits.

    Parameters
    ----------
    x : Tensor, real-valued
    n : int
        Periodicity; a positive whole number.

    Returns
    -------
    Tensor
    """
    x = operand(x, "special.diric")
    if not isinstance(n, int) or n < 1:
        raise ArgumentError(f"special.diric: n={n!r}; use a positive int")
    # The mean of the cosines of n equidistant multiples of x: the same function without a pole.
    multiples = [(n - 1) / 2 - j for j in range(n)]
    total = multiples[0] * 0.0 * x
    for m in multiples:
        total = total + cos(m * x)
    return total / n
