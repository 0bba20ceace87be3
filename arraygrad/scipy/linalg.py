"""Stand-ins for ``scipy.linalg``.

Factorisations, functions of matrices and norms are those of ``arraygrad.linalg``; solvers of matrix
equations and triangular systems have rules of their own, found by differentiating the equation.
Matrices that SciPy takes as Hermitian have gradients in the space of Hermitian matrices, spread
evenly over both triangles.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import linalg as core
from .._errors import ShapeError
from ._equations import (
    riccati_continuous,
    riccati_discrete,
    solve_lyapunov_discrete,
    solve_of_sylvester,
)
from ._rule import (
    adjoint,
    needs_rule,
    plain,
    refuse,
    rule,
    scipy_object,
    tensor,
    tensors_of,
    xp,
)
from ._special_matrices import (
    block_diag as block_diag,
    circulant as circulant,
    companion as companion,
    hankel as hankel,
    toeplitz as toeplitz,
)
from ._triangular import lu_factors, permutation, solve_of_banded, solve_of_triangular

# -- systems and inverses --------------------------------------------------------------------------


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
        return _from_triangle(a, lower, assume_a.startswith("sym"))
    if assume_a in ("upper triangular", "lower triangular"):
        return xp.tril(a) if assume_a[0] == "l" else xp.triu(a)
    if assume_a in ("diagonal", "tridiagonal"):
        width = 0 if assume_a[0] == "d" else 1
        return xp.tril(xp.triu(a, -width), width)
    return a


def _from_triangle(a: Any, lower: bool, symmetric: bool) -> Any:
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
    a = _from_triangle(a, lower, False)
    return pinv(a, atol=atol, rtol=rtol, return_rank=return_rank)


# -- factorisations --------------------------------------------------------------------------------


@rule("scipy.linalg.cholesky")
def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Cholesky factor, the upper one unless `lower`."""
    return core.cholesky(xp.atleast_2d(tensor(a, "scipy.linalg.cholesky")), upper=not lower)


@rule("scipy.linalg.cho_factor")
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Cholesky factor for `cho_solve`; the other triangle is that of a, as SciPy leaves it."""
    a = xp.atleast_2d(tensor(a, "scipy.linalg.cho_factor"))
    left = xp.triu(a, 1) if lower else xp.tril(a, -1)
    return core.cholesky(a, upper=not lower) + left, lower


@rule("scipy.linalg.cho_solve")
def cho_solve(
    c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of a @ x = b from a Cholesky factor of a."""
    c, lower = c_and_lower
    lower = bool(lower)
    first, second = ("N", "C") if lower else ("C", "N")
    y = solve_triangular(c, b, trans=first, lower=lower)
    return solve_triangular(c, y, trans=second, lower=lower)


@rule("scipy.linalg.qr")
def qr(
    a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full",
    pivoting: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """QR decomposition; the order of the columns that pivoting chooses counts as constant."""
    if mode == "raw":
        raise refuse("scipy.linalg.qr", "in mode 'raw'", "use mode='economic'")
    a = tensor(a, "scipy.linalg.qr")
    order = scipy_object("scipy.linalg.qr")(plain(a), pivoting=True)[2] if pivoting else None
    if order is not None:
        a = a[..., order]
    q, r = core.qr(a, mode="reduced" if mode == "economic" else "complete")
    out = (r,) if mode == "r" else (q, r)
    return out if order is None else (*out, order)


@rule("scipy.linalg.svd")
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False,
    check_finite: bool = True, lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    """Singular value decomposition U, s, Vh (s alone unless `compute_uv`)."""
    a = tensor(a, "scipy.linalg.svd")
    if not compute_uv:
        return core.svdvals(a)
    u, s, vh = core.svd(a, full_matrices=full_matrices)
    return u, s, vh


@rule("scipy.linalg.svdvals")
def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Singular values, descending: d s_i = u_i^H da v_i."""
    return core.svdvals(tensor(a, "scipy.linalg.svdvals"))


@rule("scipy.linalg.orth", finite=True)
def orth(A: Any, rcond: float | None = None) -> Any:
    """Orthonormal basis of the range: the left singular vectors of `svd`."""
    u, s, _ = core.svd(tensor(A, "scipy.linalg.orth"), full_matrices=False)
    return u[:, : _rank(s, A, rcond)]


@rule("scipy.linalg.null_space", finite=True)
def null_space(A: Any, rcond: float | None = None, **options: Any) -> Any:
    """Orthonormal basis of the null space: the last right singular vectors of `svd`."""
    _, s, vh = core.svd(tensor(A, "scipy.linalg.null_space"), full_matrices=True)
    return adjoint(vh[_rank(s, A, rcond) :])


def _rank(s: Any, a: Any, rcond: float | None) -> int:
    values = plain(s)
    if rcond is None:
        rcond = float(np.finfo(values.dtype).eps) * max(np.shape(plain(a)))
    return int(np.sum(values > np.amax(values, initial=0.0) * rcond))


@rule("scipy.linalg.polar", finite=True)
def polar(a: Any, side: str = "right") -> Any:
    """Polar decomposition a = u p (or p u), by the singular value decomposition."""
    w, s, vh = core.svd(tensor(a, "scipy.linalg.polar"), full_matrices=False)
    u = w @ vh
    p = (adjoint(vh) * s) @ vh if side == "right" else (w * s) @ adjoint(w)
    return u, p


def _matrix(a: Any, function: str) -> None:
    if a.ndim < 2:
        raise ShapeError(f"{function}: a has shape {a.shape}; give a matrix (M, N)")


@rule("scipy.linalg.lu")
def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True,
    p_indices: bool = False,
) -> Any:  # fmt: skip
    """LU decomposition of a square matrix; the order of the rows counts as constant.

    Notes
    -----
    Derivative: with M = L^-1 (P^T da) U^-1, dL = L tril(M, -1) and dU = triu(M) U.
    """
    a = tensor(a, "scipy.linalg.lu")
    _matrix(a, "scipy.linalg.lu")
    _, piv = scipy_object("scipy.linalg.lu_factor")(plain(a))
    rows = permutation(piv)
    lower, upper = lu_factors(a[rows], "scipy.linalg.lu")
    inverse = np.argsort(rows)
    if permute_l:
        return lower[inverse], upper
    p = inverse if p_indices else xp.eye(len(rows), dtype=a.dtype)[inverse]
    return p, lower, upper


@rule("scipy.linalg.lu_factor")
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """LU decomposition for `lu_solve`: both factors in one matrix, and the pivots."""
    a = tensor(a, "scipy.linalg.lu_factor")
    _matrix(a, "scipy.linalg.lu_factor")
    _, piv = scipy_object("scipy.linalg.lu_factor")(plain(a))
    lower, upper = lu_factors(a[permutation(piv)], "scipy.linalg.lu_factor")
    return xp.tril(lower, -1) + upper, piv


@rule("scipy.linalg.lu_solve")
def lu_solve(
    lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of a @ x = b from `lu_factor`."""
    factors, piv = lu_and_piv
    rows = permutation(plain(piv))
    if trans == 0:
        y = solve_triangular(factors, xp.asarray(b)[rows], lower=True, unit_diagonal=True)
        return solve_triangular(factors, y)
    y = solve_triangular(factors, b, trans=trans)
    out = solve_triangular(factors, y, trans=trans, lower=True, unit_diagonal=True)
    return out[np.argsort(rows)]


# -- eigenvalues -----------------------------------------------------------------------------------


@rule("scipy.linalg.eigh")
def eigh(
    a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False,
    overwrite_a: bool = False, overwrite_b: bool = False, type: int = 1,
    check_finite: bool = True, subset_by_index: Any = None, subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:  # fmt: skip
    """Eigenvalues and eigenvectors of a Hermitian matrix, or pencil with positive definite b.

    Notes
    -----
    A pencil is reduced by the Cholesky factor of b to one matrix, whose derivative is that of
    ``arraygrad.linalg.eigh``. Signs of eigenvectors are SciPy's.
    """
    a = tensor(a, "scipy.linalg.eigh")
    triangle = "L" if lower else "U"
    if b is None:
        w, v = core.eigh(a, triangle)
    else:
        factor = core.cholesky(tensor(b, "scipy.linalg.eigh", 2), upper=not lower)
        factor = factor if lower else adjoint(factor)
        if type == 1:
            half = solve_triangular(factor, _from_triangle(a, lower, False), lower=True)
            c = solve_triangular(factor, adjoint(half), lower=True)
        else:
            c = adjoint(factor) @ _from_triangle(a, lower, False) @ factor
        w, v = core.eigh((c + adjoint(c)) / 2, "L")
        v = factor @ v if type == 3 else solve_triangular(factor, v, trans="C", lower=True)
    real_w, real_v = scipy_object("scipy.linalg.eigh")(
        plain(a), plain(b), lower=lower, type=type, driver=driver
    )
    w, v = _chosen(w, v * _phases(plain(v), real_v), real_w, subset_by_index, subset_by_value)
    return w if eigvals_only else (w, v)


def _phases(ours: Any, real: Any) -> Any:
    """Factors that turn our eigenvectors into SciPy's, where they differ by a factor only."""
    overlap = np.sum(ours.conj() * real, axis=-2, keepdims=True)
    size = np.abs(overlap)
    norms = np.linalg.norm(ours, axis=-2, keepdims=True) * np.linalg.norm(
        real, axis=-2, keepdims=True
    )
    same = np.abs(size - norms) <= 1e-6 * norms
    return np.where(same, overlap / np.where(size == 0, 1, size), 1).astype(ours.dtype)


def _chosen(w: Any, v: Any, real_w: Any, by_index: Any, by_value: Any) -> Any:
    if by_index is not None:
        first, last = (int(i) for i in plain(by_index))
        return w[first : last + 1], v[:, first : last + 1]
    if by_value is not None:
        low, high = plain(by_value)
        kept = np.flatnonzero((real_w > low) & (real_w <= high))
        return w[kept], v[:, kept]
    return w, v


@rule("scipy.linalg.eigvalsh")
def eigvalsh(
    a: Any, b: Any = None, *, lower: bool = True, overwrite_a: bool = False,
    overwrite_b: bool = False, type: int = 1, check_finite: bool = True,
    subset_by_index: Any = None, subset_by_value: Any = None, driver: str | None = None,
) -> Any:  # fmt: skip
    """Eigenvalues of a Hermitian matrix, ascending: d w_i = v_i^H (da - w_i db) v_i."""
    return eigh(a, b, lower=lower, eigvals_only=True, type=type, subset_by_index=subset_by_index,
                subset_by_value=subset_by_value, driver=driver)  # fmt: skip


@rule("scipy.linalg.eig")
def eig(
    a: Any, b: Any = None, left: bool = False, right: bool = True, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False,
) -> Any:  # fmt: skip
    """Eigenvalues (complex) and eigenvectors of a square matrix, or of the pencil (a, b)."""
    if homogeneous_eigvals:
        raise refuse("scipy.linalg.eig", "of homogeneous eigenvalues",
                     "use homogeneous_eigvals=False")  # fmt: skip
    a = tensor(a, "scipy.linalg.eig")
    w, v = core.eig(a if b is None else core.solve(tensor(b, "scipy.linalg.eig", 2), a))
    w = w.astype(np.result_type(w.dtype, np.complex64))
    found: tuple[Any, ...] = (w,)
    if left:
        rows = adjoint(core.inv(v))
        if b is not None:
            rows = adjoint(core.solve(xp.swapaxes(tensor(b, "eig"), -1, -2), xp.conj(rows)).T)
            rows = adjoint(rows)
        found += (rows / xp.linalg.norm(rows, axis=-2, keepdims=True),)
    if right:
        found += (v,)
    return w if len(found) == 1 else found


@rule("scipy.linalg.eigvals")
def eigvals(a: Any, b: Any = None, *settings: Any, **options: Any) -> Any:
    """Eigenvalues (complex) of a square matrix, or of the pencil (a, b)."""
    # The order of the settings is not the same in all versions of SciPy.
    real = inspect.signature(scipy_object("scipy.linalg.eigvals"))
    given = real.bind(a, b, *settings, **options).arguments
    return eig(a, b, right=False, homogeneous_eigvals=given.get("homogeneous_eigvals", False))


# -- functions of matrices -------------------------------------------------------------------------


@rule("scipy.linalg.expm")
def expm(A: Any) -> Any:
    """Matrix exponential; its derivative is the Fréchet derivative."""
    return core.expm(xp.atleast_2d(tensor(A, "scipy.linalg.expm")))


@rule("scipy.linalg.logm")
def logm(A: Any, disp: bool = True) -> Any:
    """Matrix logarithm, the inverse of `expm`."""
    if not disp:
        raise refuse("scipy.linalg.logm", "with disp=False", "leave disp out")
    return core.logm(tensor(A, "scipy.linalg.logm"))


@rule("scipy.linalg.sqrtm")
def sqrtm(A: Any, disp: bool = True, blocksize: int = 64) -> Any:
    """Matrix square root: out dout + dout out = dA."""
    if not disp:
        raise refuse("scipy.linalg.sqrtm", "with disp=False", "leave disp out")
    return core.sqrtm(xp.atleast_2d(tensor(A, "scipy.linalg.sqrtm")))


@rule("scipy.linalg.fractional_matrix_power")
def fractional_matrix_power(A: Any, t: Any) -> Any:
    """A to the power t: expm(t logm(A))."""
    power = plain(t)
    if not needs_rule(t) and float(power).is_integer():
        return core.matrix_power(tensor(A, "scipy.linalg.fractional_matrix_power"), int(power))
    return core.expm(t * core.logm(tensor(A, "scipy.linalg.fractional_matrix_power")))


def _exponentials(A: Any, factor: complex) -> tuple[Any, Any]:
    """Exponentials of factor * A and of its negative."""
    x = tensor(A, "functions of matrices") * factor
    return core.expm(x), core.expm(-x)


def _kind_of(A: Any, out: Any) -> Any:
    return xp.real(out) if np.asarray(plain(A)).dtype.kind != "c" else out


@rule("scipy.linalg.cosm")
def cosm(A: Any) -> Any:
    """Matrix cosine, from exponentials."""
    up, down = _exponentials(A, 1j)
    return _kind_of(A, 0.5 * (up + down))


@rule("scipy.linalg.sinm")
def sinm(A: Any) -> Any:
    """Matrix sine, from exponentials."""
    up, down = _exponentials(A, 1j)
    return _kind_of(A, -0.5j * (up - down))


@rule("scipy.linalg.tanm")
def tanm(A: Any) -> Any:
    """Matrix tangent: cosm(A)^-1 sinm(A)."""
    return core.solve(cosm(A), sinm(A))


@rule("scipy.linalg.coshm")
def coshm(A: Any) -> Any:
    """Hyperbolic matrix cosine, from exponentials."""
    up, down = _exponentials(A, 1.0)
    return 0.5 * (up + down)


@rule("scipy.linalg.sinhm")
def sinhm(A: Any) -> Any:
    """Hyperbolic matrix sine, from exponentials."""
    up, down = _exponentials(A, 1.0)
    return 0.5 * (up - down)


@rule("scipy.linalg.tanhm")
def tanhm(A: Any) -> Any:
    """Hyperbolic matrix tangent: coshm(A)^-1 sinhm(A)."""
    return core.solve(coshm(A), sinhm(A))


@rule("scipy.linalg.norm")
def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Norm of a vector or matrix; 0 is the subgradient at 0."""
    return xp.linalg.norm(tensor(a, "scipy.linalg.norm"), ord, axis, keepdims)


@rule("scipy.linalg.kron", optional=True)
def kron(a: Any, b: Any) -> Any:
    """Kronecker product."""
    return xp.kron(a, b)


@rule("scipy.linalg.khatri_rao")
def khatri_rao(a: Any, b: Any) -> Any:
    """Column-wise Kronecker product."""
    a, b = tensors_of("scipy.linalg.khatri_rao", a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise ShapeError(f"scipy.linalg.khatri_rao: shapes {a.shape} and {b.shape}; give matrices")
    out = a[..., :, None, :] * b[..., None, :, :]
    return out.reshape((*out.shape[:-3], -1, out.shape[-1]))


# -- matrix equations ------------------------------------------------------------------------------


@rule("scipy.linalg.solve_sylvester")
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """Solution of a x + x b = q.

    Notes
    -----
    Derivative: a dx + dx b = dq - da x - x db.
    """
    return solve_of_sylvester(*tensors_of("scipy.linalg.solve_sylvester", a, b, q))


@rule("scipy.linalg.solve_continuous_lyapunov")
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """Solution of a x + x a^H = q; derivative as in `solve_sylvester`."""
    a, q = tensors_of("scipy.linalg.solve_continuous_lyapunov", a, q)
    return solve_of_sylvester(a, adjoint(a), q)


solve_lyapunov = solve_continuous_lyapunov


@rule("scipy.linalg.solve_discrete_lyapunov")
def solve_discrete_lyapunov(a: Any, q: Any, method: str | None = None) -> Any:
    """Solution of a x a^H - x + q = 0.

    Notes
    -----
    Derivative: dx = a dx a^H + (da x a^H + a x da^H + dq).
    """
    return solve_lyapunov_discrete(*tensors_of("scipy.linalg.solve_discrete_lyapunov", a, q))


def _reduced(
    a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, function: str
) -> tuple[Any, Any, Any, Any]:
    """Matrices of the Riccati equation without e and s that has the same solution.

    The square is completed in s, and the equation multiplied with e^-1 from both sides.
    """
    if s is not None:
        s = tensor(s, function, 6)
        gain = core.solve(r, adjoint(s))
        a, q = a - b @ gain, q - s @ gain
    if e is not None:
        e = tensor(e, function, 5)
        a = adjoint(core.solve(adjoint(e), adjoint(a)))
        q = adjoint(core.solve(adjoint(e), adjoint(core.solve(adjoint(e), q))))
    return a, b, q, r


@rule("scipy.linalg.solve_continuous_are")
def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """Solution of a^H x e + e^H x a - (e^H x b + s) r^-1 (b^H x e + s^H) + q = 0.

    Notes
    -----
    Derivative, without e and s: with k = r^-1 b^H x and c = a - b k, c^H dx + dx c + dq + k^H dr k
    + (da - db k)^H x + x (da - db k) = 0.
    """
    function = "scipy.linalg.solve_continuous_are"
    a, b, q, r = tensors_of(function, a, b, q, r)
    return riccati_continuous(*_reduced(a, b, q, r, e, s, function))


@rule("scipy.linalg.solve_discrete_are")
def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """Solution of e^H x e = a^H x a - (a^H x b + s) (r + b^H x b)^-1 (b^H x a + s^H) + q.

    Notes
    -----
    Derivative, without e and s: with k = (r + b^H x b)^-1 b^H x a and c = a - b k,
    dx = c^H dx c + dq + k^H dr k + (da - db k)^H x c + c^H x (da - db k).
    """
    function = "scipy.linalg.solve_discrete_are"
    a, b, q, r = tensors_of(function, a, b, q, r)
    return riccati_discrete(*_reduced(a, b, q, r, e, s, function))
