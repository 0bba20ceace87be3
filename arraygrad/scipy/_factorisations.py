"""Factorisations of ``scipy.linalg``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import linalg as core
from .._errors import ShapeError
from ._rule import adjoint, plain, refuse, rule, scipy_object, tensor, tensors, xp
from ._systems import solve_triangular
from ._triangular import lu_factors, permutation


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
    """Cholesky factor for `cho_solve`; the other triangle is that of a, where SciPy leaves it."""
    a = xp.atleast_2d(tensor(a, "scipy.linalg.cho_factor"))
    factor = core.cholesky(a, upper=not lower)
    if _leaves_the_other_triangle():
        factor = factor + (xp.triu(a, 1) if lower else xp.tril(a, -1))
    return factor, lower


@functools.cache
def _leaves_the_other_triangle() -> bool:
    """Whether the SciPy that is installed does: 1.18 puts zeros there."""
    factor, _ = scipy_object("scipy.linalg.cho_factor")(np.array([[1.0, 0.5], [0.5, 1.0]]))
    return bool(factor[1, 0])


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
    """LU decomposition of a matrix or several; the order of the rows counts as constant.

    Notes
    -----
    Derivative of a square one: with M = L^-1 (P^T da) U^-1, dL = L tril(M, -1) and
    dU = triu(M) U. More rows are those of L = a U^-1, more columns those of U = L^-1 a.
    """
    a = tensor(a, "scipy.linalg.lu")
    if a.ndim < 2:
        raise ShapeError(f"scipy.linalg.lu: shape {a.shape}; give a matrix: x[None] for one row")
    if a.ndim > 2:
        flat = a.reshape((-1, *a.shape[-2:]))
        several = [lu(flat[i], permute_l, p_indices=p_indices) for i in range(flat.shape[0])]
        if not several:
            return tensors(scipy_object("scipy.linalg.lu")(plain(a), permute_l,
                                                           p_indices=p_indices))  # fmt: skip
        stacked = [xp.stack(parts) for parts in zip(*several, strict=True)]
        return tuple(part.reshape((*a.shape[:-2], *part.shape[1:])) for part in stacked)
    places = np.argmax(scipy_object("scipy.linalg.lu")(plain(a))[0].real, axis=1)
    lower, upper = lu_factors(a[np.argsort(places)])
    if permute_l:
        return lower[places], upper
    p = places if p_indices else xp.eye(len(places), dtype=a.dtype)[places]
    return p, lower, upper


@rule("scipy.linalg.lu_factor")
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """LU decomposition for `lu_solve`: both factors in one matrix, and the pivots."""
    a = tensor(a, "scipy.linalg.lu_factor")
    if a.ndim > 2:
        flat = a.reshape((-1, *a.shape[-2:]))
        several = [lu_factor(flat[i]) for i in range(flat.shape[0])]
        factors = xp.stack([factor for factor, _ in several]).reshape(a.shape)
        return factors, np.stack([piv for _, piv in several]).reshape((*a.shape[:-2], -1))
    _matrix(a, "scipy.linalg.lu_factor")
    _, piv = scipy_object("scipy.linalg.lu_factor")(plain(a))
    lower, upper = lu_factors(a[permutation(piv, a.shape[0])])
    wide, tall = xp.zeros((2, *a.shape), dtype=a.dtype)
    wide[:, : lower.shape[1]] = xp.tril(lower, -1)
    tall[: upper.shape[0]] = upper
    return wide + tall, piv


@rule("scipy.linalg.lu_solve")
def lu_solve(
    lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of a @ x = b from `lu_factor`."""
    factors, piv = lu_and_piv
    if np.ndim(plain(piv)) != 1:
        raise refuse("scipy.linalg.lu_solve", "of several factorisations", "call it for each")
    rows = permutation(plain(piv), len(plain(piv)))
    if trans == 0:
        y = solve_triangular(factors, xp.asarray(b)[rows], lower=True, unit_diagonal=True)
        return solve_triangular(factors, y)
    y = solve_triangular(factors, b, trans=trans)
    out = solve_triangular(factors, y, trans=trans, lower=True, unit_diagonal=True)
    return out[np.argsort(rows)]
