"""Exponentials over their sum, and the logarithms of both: softmax, log_softmax, logsumexp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import apply
from .._cotangents import conj, times
from .._dispatch import in_single_precision, lookup, register_kernel
from .._layout import Axis, as_flag, normalize_axes
from .._op import Op, Rule, declare
from .._storage import empty
from .arithmetic import subtract
from .exponential import exp
from .statistical import floating, spread, sum

if TYPE_CHECKING:
    from .._tensor import Tensor


def _softmax_vjp(g: Any, out: Any, axis: tuple[int, ...]) -> Any:
    weights = conj(out)
    mean_cotangent = sum(times(g, weights), axis=axis, keepdims=True)
    return times(subtract(g, mean_cotangent), weights)


def _softmax_jvp(tangents: Any, out: Any, axis: tuple[int, ...]) -> Any:
    t = tangents[0]
    return times(subtract(t, sum(times(t, out), axis=axis, keepdims=True)), out)


SOFTMAX: Op = declare(
    Op("softmax", ("x",), Rule(x=_softmax_vjp, jvp=_softmax_jvp), dtypes="floating", computes=True)
)


def softmax(x: Tensor, /, *, axis: Axis = None) -> Tensor:
    """exp(x) / sum(exp(x)) along axes, without overflow.

    Parameters
    ----------
    x : Tensor
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.

    Returns
    -------
    Tensor
        Weights that sum to 1; 0 where all elements are -inf.

    Notes
    -----
    Derivative: the cotangent minus its weighted mean, times the weights. Compiled kernels of
    float32 give the weight 0 where exp(x - max(x)) is below 1.2e-38, the least normal number;
    elsewhere such weights are subnormal numbers.
    """
    x = floating(x, "softmax")
    return apply(SOFTMAX, x, axis=normalize_axes(axis, x._array.ndim))  # type: ignore[no-any-return]


def _log_softmax_kernel(x: Any, *, axis: tuple[int, ...]) -> Any:
    sums = lookup("logsumexp", "cpu", "strided", (x.dtype,))(x, axis=axis, keepdims=True)
    out = empty(x.shape, x.dtype) if x.flags.c_contiguous else None
    return np.asarray(np.subtract(x, sums, out=out))


def _log_softmax_vjp(g: Any, out: Any, axis: tuple[int, ...]) -> Any:
    return subtract(g, times(sum(g, axis=axis, keepdims=True), conj(exp(out))))


def _log_softmax_jvp(tangents: Any, out: Any, axis: tuple[int, ...]) -> Any:
    t = tangents[0]
    return subtract(t, sum(times(t, exp(out)), axis=axis, keepdims=True))


LOG_SOFTMAX: Op = declare(
    Op("log_softmax", ("x",), Rule(x=_log_softmax_vjp, jvp=_log_softmax_jvp), dtypes="floating",
       computes=True)
)  # fmt: skip
register_kernel("log_softmax", in_single_precision(_log_softmax_kernel))


def log_softmax(x: Tensor, /, *, axis: Axis = None) -> Tensor:
    """The logarithm of softmax along axes, x - logsumexp(x), without overflow.

    Parameters
    ----------
    x : Tensor
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.

    Returns
    -------
    Tensor
        NaN where all elements are -inf, or one is inf.

    Notes
    -----
    Derivative: the cotangent minus its sum times softmax(x).
    """
    x = floating(x, "log_softmax")
    return apply(LOG_SOFTMAX, x, axis=normalize_axes(axis, x._array.ndim))  # type: ignore[no-any-return]


def _logsumexp_vjp(g: Any, x: Any, axis: tuple[int, ...]) -> Any:
    return times(spread(g, x._array.shape, axis), conj(softmax(x, axis=axis)))


def _logsumexp_jvp(tangents: Any, x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    return sum(times(tangents[0], softmax(x, axis=axis)), axis=axis, keepdims=keepdims)


LOGSUMEXP: Op = declare(
    Op("logsumexp", ("x",), Rule(x=_logsumexp_vjp, jvp=_logsumexp_jvp), dtypes="floating",
       computes=True)
)  # fmt: skip


def logsumexp(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) along axes, without overflow; -inf for no elements.

    Parameters
    ----------
    x : Tensor
        Integers give float64.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is reduced.

    Notes
    -----
    Derivative: softmax(x); 0 where all elements are -inf.
    """
    x = floating(x, "logsumexp")
    axes = normalize_axes(axis, x._array.ndim)
    return apply(LOGSUMEXP, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", "logsumexp"))  # type: ignore[no-any-return]
