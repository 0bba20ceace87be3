"""numpy.linalg with NumPy's signatures."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ArgumentError
from ...ops import (
    arithmetic, eigenvalues, factorizations, indexing, parts, products, searching, solvers,
)  # fmt: skip
from .constant import constant
from .rebinding import rebound

_NO = np._NoValue  # type: ignore[attr-defined]

EigResult = namedtuple("EigResult", ("eigenvalues", "eigenvectors"))
QRResult = namedtuple("QRResult", ("Q", "R"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))

multi_dot = rebound(np.linalg.multi_dot)
tensorsolve = rebound(np.linalg.tensorsolve)
tensorinv = rebound(np.linalg.tensorinv)
matrix_rank = constant(np.linalg.matrix_rank)


@answers(np.linalg.eig)
def eig(a: Any) -> Any:
    """np.linalg.eig: real where all eigenvalues of a real argument are."""
    x = operand(a, "eig")
    values, vectors = eigenvalues.eig(x)
    if _all_real(x, values):
        return EigResult(parts.real(values), parts.real(vectors))
    return EigResult(values, vectors)


@answers(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """np.linalg.eigvals: real where all eigenvalues of a real argument are."""
    x = operand(a, "eigvals")
    values = eigenvalues.eigvals(x)
    return parts.real(values) if _all_real(x, values) else values


def _all_real(x: Any, values: Any) -> bool:
    return x._array.dtype.kind != "c" and not values._array.imag.any()


@answers(np.linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """np.linalg.svd."""
    x = operand(a, "svd")
    if hermitian:
        return _hermitian_svd(x, compute_uv)
    if not compute_uv:
        return factorizations.svdvals(x)
    return SVDResult(*factorizations.svd(x, full_matrices=full_matrices))


def _hermitian_svd(x: Any, compute_uv: bool) -> Any:
    """Singular values and vectors from the eigenvalues of a Hermitian matrix."""
    values, vectors = eigenvalues.eigh(x)
    order = operand(np.argsort(np.abs(values._array), axis=-1)[..., ::-1].copy())
    values = indexing.take_along_axis(values, order, axis=-1)
    sizes = parts.abs(values)
    if not compute_uv:
        return sizes
    vectors = indexing.take_along_axis(vectors, operand(order._array[..., None, :]), axis=-1)
    sign = searching.where(values._array < 0, -1.0, 1.0)
    turned = arithmetic.multiply(vectors, operand(np.asarray(sign)[..., None, :]))
    return SVDResult(vectors, sizes, products.adjoint(turned))


@answers(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """np.linalg.qr."""
    x = operand(a, "qr")
    mode = {"full": "reduced", "f": "reduced"}.get(mode, mode)
    if mode == "raw":
        raise ArgumentError(
            "np.linalg.qr: mode='raw' gives Householder reflectors, which have no derivative rule; "
            "use mode='reduced', or x.detach()"
        )
    q, r = factorizations.qr(x, mode="reduced" if mode == "r" else mode)
    return r if mode == "r" else QRResult(q, r)


@answers(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NO) -> Any:
    """np.linalg.pinv."""
    x = operand(a, "pinv")
    tolerance = rcond if rtol is _NO else rtol
    if hermitian:
        x = arithmetic.divide(arithmetic.add(x, products.adjoint(x)), 2)
    if tolerance is None and rtol is _NO:
        tolerance = 1e-15
    return solvers.pinv(x, rtol=tolerance)
