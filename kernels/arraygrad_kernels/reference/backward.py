"""Cotangents of softmax, log_softmax, logsumexp, var, std and the Euclidean norm.

``k(g, *values, axis)``: ``g`` is the cotangent of the result, with or without the reduced axes;
values are the operand, the result, or both. All are of one real floating-point dtype. An exact zero
times an infinity or NaN is zero, as everywhere in derivatives; no error is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.reference import reductions

__all__ = ["KERNELS", "logsumexp", "share", "std", "var", "vector_norm"]


def _times(a: Any, b: Any) -> Any:
    """Return a * b, exactly 0 where either is."""
    product = np.asarray(a * b)
    if not np.isfinite(product).all():
        product = np.where((a == 0) | (b == 0), product.dtype.type(0), product)
    return product


def _kept(g: np.ndarray, shape: tuple[int, ...], axis: tuple[int, ...]) -> np.ndarray:
    """Return numbers of rows in the shape that keepdims gives."""
    return g.reshape([1 if i in axis else n for i, n in enumerate(shape)])


@np.errstate(all="ignore")
def softmax(g: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...]) -> Any:
    """Return (g - sum(g * out)) * out."""
    return _times(g - np.sum(_times(g, out), axis=axis, keepdims=True), out)


@np.errstate(all="ignore")
def log_softmax(g: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...]) -> Any:
    """Return g - sum(g) * exp(out)."""
    return np.asarray(g - _times(np.sum(g, axis=axis, keepdims=True), np.exp(out)))


@np.errstate(all="ignore")
def logsumexp(g: np.ndarray, x: np.ndarray, *, axis: tuple[int, ...]) -> Any:
    """Return g * softmax(x)."""
    return _times(_kept(g, x.shape, axis), reductions.softmax(x, axis=axis))


@np.errstate(all="ignore")
def var(g: np.ndarray, x: np.ndarray, *, axis: tuple[int, ...], correction: float) -> Any:
    """Return 2 g (x - mean(x)) / (n - correction)."""
    factors = g * g.dtype.type(2 * share(x.shape, axis, correction))
    return _times(_centred(x, axis), _kept(factors, x.shape, axis))


@np.errstate(all="ignore")
def std(
    g: np.ndarray, x: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...], correction: float
) -> Any:
    """Return g (x - mean(x)) / ((n - correction) out), 0 where out is."""
    g = np.asarray(g * g.dtype.type(share(x.shape, axis, correction)))
    return vector_norm(g, _centred(x, axis), out, axis=axis)


@np.errstate(all="ignore")
def vector_norm(g: np.ndarray, x: np.ndarray, out: np.ndarray, *, axis: tuple[int, ...]) -> Any:
    """Return g x / out, 0 where out is: the derivative of the Euclidean norm."""
    out, g = _kept(out, x.shape, axis), _kept(g, x.shape, axis)
    factors = _times(g, np.where(out == 0, out.dtype.type(0), 1 / out))
    result = _times(x, factors)
    # The inverse of a subnormal number may be infinite where the quotient is not.
    lost = np.isinf(factors) & np.isfinite(g)
    return np.where(lost, _times(x / out, g), result) if lost.any() else result


def _centred(x: np.ndarray, axis: tuple[int, ...]) -> Any:
    """Return distances from the mean; and from theirs, which is what rounding has left."""
    for _ in range(2):
        x = x - reductions.mean(x, axis=axis, keepdims=True)
    return x


def share(shape: tuple[int, ...], axis: tuple[int, ...], correction: float) -> float:
    """Return what one element of a row counts; NaN where there are too few."""
    divisor = math.prod([shape[i] for i in axis]) - correction
    return 1 / divisor if divisor > 0 else math.nan


KERNELS: dict[str, Callable[..., Any]] = {
    "log_softmax.backward": log_softmax,
    "logsumexp.backward": logsumexp,
    "softmax.backward": softmax,
    "std.backward": std,
    "var.backward": var,
    "vector_norm.backward": vector_norm,
}
