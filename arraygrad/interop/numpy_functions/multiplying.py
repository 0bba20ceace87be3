"""NumPy's products: inner, outer, vdot, kron, cross, convolve, correlate, cov, corrcoef."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import ANSWERS, answers
from ..._apply import apply, cast, operand
from ..._dispatch import register_kernel
from ..._dtypes import promote
from ..._errors import ArgumentError, ShapeError
from ..._op import Bilinear, Op
from ...ops import arithmetic, indexing, manipulation, parts, products
from .rebinding import rebound
from .reducing import _stored

cov = rebound(np.cov)
corrcoef = rebound(np.corrcoef)
_general_cross = rebound(np.cross)
del ANSWERS[np.cross]


@answers(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """np.cross."""
    x1, x2 = operand(a, "cross", 1), operand(b, "cross", 2)
    usual = axis in (None, -1) and axisa == axisb == axisc == -1
    if usual and x1._array.shape[-1:] == x2._array.shape[-1:] == (3,):
        return products.cross(x1, x2)
    return _general_cross(x1, x2, axisa, axisb, axisc, axis)


@answers(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """np.tensordot."""
    return products.tensordot(operand(a, "tensordot", 1), operand(b, "tensordot", 2), axes=axes)


@answers(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    """np.inner: sums over the last axes."""
    x1, x2 = operand(a, "inner", 1), operand(b, "inner", 2)
    if not x1._array.ndim or not x2._array.ndim:
        return arithmetic.multiply(x1, x2)
    return products.tensordot(x1, x2, axes=((-1,), (-1,)))[()]


@answers(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """np.outer: of the flat arguments."""
    x1 = manipulation.reshape(operand(a, "outer", 1), (-1, 1))
    x2 = operand(b, "outer", 2)
    if x2._array.ndim != 1:
        x2 = manipulation.reshape(x2, (-1,))
    return _stored(out, arithmetic.multiply(x1, x2), "outer")


@answers(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    """np.vdot: conjugates its first argument; flattens both."""
    x1 = manipulation.reshape(operand(a, "vdot", 1), (-1,))
    x2 = manipulation.reshape(operand(b, "vdot", 2), (-1,))
    return products.vecdot(x1, x2)


@answers(np.kron)
def kron(a: Any, b: Any) -> Any:
    """np.kron."""
    x1, x2 = operand(a, "kron", 1), operand(b, "kron", 2)
    ndim = max(x1._array.ndim, x2._array.ndim)
    s1 = (1,) * (ndim - x1._array.ndim) + x1._array.shape
    s2 = (1,) * (ndim - x2._array.ndim) + x2._array.shape
    left = manipulation.reshape(x1, tuple(n for m in s1 for n in (m, 1)))
    right = manipulation.reshape(x2, tuple(n for m in s2 for n in (1, m)))
    product = arithmetic.multiply(left, right)
    return manipulation.reshape(product, tuple(n * m for n, m in zip(s1, s2, strict=True)))


# -- convolution -----------------------------------------------------------------------------------


def _valid(g: Any, x: Any, n: int) -> Any:
    """The transpose of convolving with x: correlate, and keep the n places of full overlap."""
    full = _convolved(g, manipulation.flip(parts.conj(x)))
    start = x._array.shape[0] - 1
    return indexing.getitem(full, slice(start, start + n))


_CONVOLVE = Op(
    "convolve",
    ("x1", "x2"),
    Bilinear(
        x1=lambda g, x2, x1_shape: _valid(g, x2, x1_shape[0]),
        x2=lambda g, x1, x2_shape: _valid(g, x1, x2_shape[0]),
    ),
    scalar=False,
)
register_kernel("convolve", lambda x1, x2: np.convolve(x1, x2))


def _convolved(x1: Any, x2: Any) -> Any:
    return apply(_CONVOLVE, x1, x2)


@answers(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """np.convolve."""
    x1, x2 = _vectors(a, v, "convolve")
    n, m = x1._array.shape[0], x2._array.shape[0]
    return _cut(_convolved(x1, x2), n, m, mode, n < m)


@answers(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """np.correlate: conjugates its second argument."""
    x1, x2 = _vectors(a, v, "correlate")
    n, m = x1._array.shape[0], x2._array.shape[0]
    return _cut(_convolved(x1, manipulation.flip(parts.conj(x2))), n, m, mode, False)


def _vectors(a: Any, v: Any, name: str) -> tuple[Any, Any]:
    x1, x2 = operand(a, name, 1), operand(v, name, 2)
    x1, x2 = (x.reshape(1) if not x._array.ndim else x for x in (x1, x2))
    if x1._array.ndim != 1 or x2._array.ndim != 1:
        raise ShapeError(
            f"np.{name} takes 1-d arguments, not shapes {x1._array.shape} and {x2._array.shape}"
        )
    if not x1._array.size or not x2._array.size:
        raise ArgumentError(f"np.{name}: an argument is empty")
    dtype = promote(x1._array.dtype, x2._array.dtype)
    return cast(x1, dtype), cast(x2, dtype)


def _cut(full: Any, n: int, m: int, mode: Any, swapped: bool) -> Any:
    """The part of a full convolution that NumPy's mode asks for."""
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)
    longer, shorter = max(n, m), min(n, m)
    if mode == "full":
        return full
    if mode == "valid":
        return indexing.getitem(full, slice(shorter - 1, longer))
    if mode != "same":
        raise ArgumentError(f"mode={mode!r}; use 'full', 'same' or 'valid'")
    # NumPy starts half the shorter length in; a correlation with the longer one second is mirrored.
    start = (shorter - 1) // 2 if n >= m or swapped else shorter // 2
    return indexing.getitem(full, slice(start, start + longer))
