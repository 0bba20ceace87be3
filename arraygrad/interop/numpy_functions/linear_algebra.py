"""numpy.linalg with NumPy's signatures."""

from __future__ import annotations

from collections import namedtuple
from math import prod
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._errors import ArgumentError, LinAlgError
from ...ops import (
    arithmetic,
    determinants,
    eigenvalues,
    factorizations,
    indexing,
    manipulation,
    norms,
    parts,
    products,
    solvers,
)  # fmt: skip
from .constant import constant
from .rebinding import rebound

_NO = np._NoValue

EigResult = namedtuple("EigResult", ("eigenvalues", "eigenvectors"))
QRResult = namedtuple("QRResult", ("Q", "R"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))

multi_dot = rebound(np.linalg.multi_dot)
tensorinv = rebound(np.linalg.tensorinv)
matrix_rank = constant(np.linalg.matrix_rank)


@answers(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """np.linalg.tensorsolve."""
    x1, x2 = operand(a, "tensorsolve", 1), operand(b, "tensorsolve", 2)
    if axes is not None:
        order = [i for i in range(x1._array.ndim) if i not in axes] + list(axes)
        x1 = manipulation.permute_dims(x1, tuple(order))
    shape = x1._array.shape[x2._array.ndim :]
    n = prod(shape)
    if x1._array.size != n * n:
        raise LinAlgError(
            f"tensorsolve: shapes {x1._array.shape} and {x2._array.shape} do not fit: "
            "prod(a.shape[b.ndim:]) must equal prod(a.shape[:b.ndim])"
        )
    flat = solvers.solve(manipulation.reshape(x1, (n, n)), x2.ravel())
    return manipulation.reshape(flat, shape)


@answers(np.linalg.inv)
def inv(a: Any) -> Any:
    """np.linalg.inv."""
    return solvers.inv(operand(a, "inv"))


@answers(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """np.linalg.solve."""
    return solvers.solve(operand(a, "solve", 1), operand(b, "solve", 2))


@answers(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """np.linalg.lstsq; the rank is an integer."""
    solution, residuals, rank, values = solvers.lstsq(
        operand(a, "lstsq", 1), operand(b, "lstsq", 2), rcond
    )
    return solution, residuals, np.int32(rank._array), values


@answers(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """np.linalg.matrix_power."""
    return solvers.matrix_power(operand(a, "matrix_power"), n)


@answers(np.linalg.det)
def det(a: Any) -> Any:
    """np.linalg.det."""
    return determinants.det(operand(a, "det"))


@answers(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """np.linalg.slogdet."""
    return determinants.slogdet(operand(a, "slogdet"))


@answers(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """np.linalg.cond."""
    return norms.cond(operand(x, "cond"), p)


@answers(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """np.linalg.norm."""
    return norms.norm(operand(x, "norm"), ord, axis, keepdims)


@answers(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    """np.linalg.eigh."""
    return eigenvalues.eigh(operand(a, "eigh"), UPLO)


@answers(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """np.linalg.eigvalsh."""
    return eigenvalues.eigvalsh(operand(a, "eigvalsh"), UPLO)


@answers(np.linalg.eig)
def eig(a: Any) -> Any:
    """np.linalg.eig; before NumPy 2.5 real where all eigenvalues of a real argument are."""
    x = operand(a, "eig")
    values, vectors = eigenvalues.eig(x)
    if _all_real(x, values):
        return EigResult(parts.real(values), parts.real(vectors))
    return EigResult(values, vectors)


@answers(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """np.linalg.eigvals; before NumPy 2.5 real where all eigenvalues of a real argument are."""
    x = operand(a, "eigvals")
    values = eigenvalues.eigvals(x)
    return parts.real(values) if _all_real(x, values) else values


_ALWAYS_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"


def _all_real(x: Any, values: Any) -> bool:
    if _ALWAYS_COMPLEX:
        return False
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
    sign = np.where(values._array < 0, -1, 1).astype(values._array.dtype)
    turned = arithmetic.multiply(vectors, operand(sign[..., None, :]))
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
