"""Systems of linear equations and inverses of ``scipy.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg as core
from .._errors import ShapeError
from ._rule import adjoint, plain, refuse, rule, tensor, tensors_of, xp
from ._special_matrices import circulant, toeplitz
from ._triangular import solve_of_banded, solve_of_triangular


@rule("scipy.linalg.solve")
def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: str | None = None, transposed: bool = False,
) -> Any:  # fmt: skip
    """Solution of a @ x = b.

    Notes
    -----
    Derivative: a dx = db - da x. Structure named by `assume_a` is taken as given, both triangles
    are read.
    """
    a, b = tensors_of("scipy.linalg.solve", a, b)
    a = _structured(xp.atleast_2d(a), lower, assume_a)
    return core.solve(xp.swapaxes(a, -1, -2) if transposed else a, b)


def _structured(a: Any, lower: bool, assume_a: str | None) -> Any:
    """The matrix of which SciPy reads those elements that the structure's name says."""
    if assume_a in ("sym", "her", "symmetric", "hermitian", "pos", "positive definite"):
        return from_triangle(a, lower, assume_a.startswith("sym"))
    if assume_a in ("upper triangular", "lower triangular"):
        return xp.tril(a) if assume_a[0] == "l" else xp.triu(a)
    if assume_a in ("diagonal", "tridiagonal"):
        width = 0 if assume_a[0] == "d" else 1
        return xp.tril(xp.triu(a, -width), width)
    return a


def from_triangle(a: Any, lower: bool, symmetric: bool) -> Any:
    """The symmetric or Hermitian matrix of which one triangle is stored."""
    strict = xp.tril(a, -1) if lower else xp.triu(a, 1)
    mirrored = xp.swapaxes(strict, -1, -2) if symmetric else adjoint(strict)
    return strict + mirrored + xp.tril(xp.triu(a))


@rule("scipy.linalg.inv")
def inv(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: str | None = None,
    lower: bool = False,
) -> Any:  # fmt: skip
    """Inverse of a matrix: d out = -out @ da @ out."""
    return core.inv(_structured(tensor(a, "scipy.linalg.inv"), lower, assume_a))


@rule("scipy.linalg.det")
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Determinant of a matrix: d out = out * trace(a^-1 da)."""
    return core.det(tensor(a, "scipy.linalg.det"))


@rule("scipy.linalg.solve_triangular")
def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False,
    overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Solution of a @ x = b for a triangular matrix, of which one triangle is read.

    Notes
    -----
    Derivative: a dx = db - da x, where da counts in that triangle only.
    """
    a, b = tensors_of("scipy.linalg.solve_triangular", a, b)
    _square(a, "scipy.linalg.solve_triangular")
    a = xp.tril(a) if lower else xp.triu(a)
    if unit_diagonal:
        a = (xp.tril(a, -1) if lower else xp.triu(a, 1)) + xp.eye(a.shape[-1], dtype=a.dtype)
    if trans in (1, "T", 2, "C"):
        a = xp.swapaxes(a, -1, -2) if trans in (1, "T") else adjoint(a)
        lower = not lower
    return _on_columns(lambda c: solve_of_triangular(a, c, lower=lower), a, b)


def _square(a: Any, function: str) -> None:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{function}: a has shape {a.shape}; give square matrices (..., N, N)")


def _on_columns(function: Any, a: Any, b: Any) -> Any:
    """Apply a solver of matrix right-hand sides to a vector, too."""
    return function(b[:, None])[:, 0] if b.ndim == 1 else function(b)


@rule("scipy.linalg.solve_banded")
def solve_banded(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Solution of a @ x = b for a banded matrix: a dx = db - da x, on the bands."""
    ab, b = tensors_of("scipy.linalg.solve_banded", ab, b)
    lower, upper = (int(n) for n in plain(l_and_u))
    return _on_columns(lambda c: solve_of_banded(ab, c, lower=lower, upper=upper), ab, b)


@rule("scipy.linalg.solveh_banded")
def solveh_banded(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Solution of a @ x = b for a Hermitian banded matrix: a dx = db - da x, on the bands."""
    ab, b = tensors_of("scipy.linalg.solveh_banded", ab, b)
    width = ab.shape[0] - 1
    # The stored diagonals and their mirror images; what is shifted in is never read.
    mirrored = [
        xp.roll(xp.conj(ab[k if lower else width - k]), k if lower else -k)
        for k in range(1, width + 1)
    ]
    full = [*mirrored[::-1], *ab] if lower else [*ab, *mirrored]
    return _on_columns(
        lambda c: solve_of_banded(xp.stack(full), c, lower=width, upper=width), ab, b
    )


@rule("scipy.linalg.solve_toeplitz")
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """Solution of toeplitz(c, r) @ x = b: T dx = db - dT x."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    return core.solve(*tensors_of("scipy.linalg.solve_toeplitz", toeplitz(c, r), b))


@rule("scipy.linalg.solve_circulant")
def solve_circulant(
    c: Any, b: Any, singular: str = "raise", tol: Any = None, caxis: int = -1, baxis: int = 0,
    outaxis: int = 0,
) -> Any:  # fmt: skip
    """Solution of circulant(c) @ x = b: C dx = db - dC x."""
    c, b = tensors_of("scipy.linalg.solve_circulant", c, b)
    if singular != "raise":
        raise refuse("scipy.linalg.solve_circulant", "with singular='lstsq'",
                     "use scipy.linalg.lstsq(circulant(c), b)")  # fmt: skip
    c, b = xp.moveaxis(xp.atleast_1d(c), caxis, -1), xp.moveaxis(xp.atleast_1d(b), baxis, -1)
    out = core.solve(circulant(c), b[..., None])[..., 0]
    return xp.moveaxis(out, -1, outaxis)


@rule("scipy.linalg.lstsq")
def lstsq(
    a: Any, b: Any, cond: float | None = None, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, lapack_driver: str | None = None,
) -> Any:  # fmt: skip
    """Least-squares solution, residues, rank and singular values; derivative of pinv(a) @ b."""
    a, b = tensors_of("scipy.linalg.lstsq", a, b)
    x, _, rank, s = core.lstsq(a, b, rcond=np.finfo(a.dtype).eps if cond is None else cond)
    residues: Any = xp.empty(0, dtype=s.dtype)
    if int(rank) == a.shape[1] < a.shape[0]:
        error = b - a @ x
        residues = xp.sum(xp.real(error * xp.conj(error)), axis=0)
    if lapack_driver == "gelsy":  # by QR: it computes neither
        return x, xp.empty(0, dtype=s.dtype), int(rank), None
    return x, residues, int(rank), s


@rule("scipy.linalg.pinv")
def pinv(
    a: Any, *, atol: float | None = None, rtol: float | None = None, return_rank: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Pseudo-inverse, differentiated among matrices of the same rank."""
    a = tensor(a, "scipy.linalg.pinv")
    largest = float(np.linalg.norm(plain(a), 2)) if atol and a.size else 0.0
    if rtol is None:
        rtol = 0.0 if atol else max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    if largest:
        rtol = rtol + float(atol or 0.0) / largest
    out = core.pinv(a, rtol=rtol)
    return (out, int(np.linalg.matrix_rank(plain(a), rtol=rtol))) if return_rank else out


@rule("scipy.linalg.pinvh")
def pinvh(
    a: Any, atol: float | None = None, rtol: float | None = None, lower: bool = True,
    return_rank: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Pseudo-inverse of a Hermitian matrix of which one triangle is read."""
    a = tensor(a, "scipy.linalg.pinvh")
    _square(a, "scipy.linalg.pinvh")
    a = from_triangle(a, lower, False)
    return pinv(a, atol=atol, rtol=rtol, return_rank=return_rank)
