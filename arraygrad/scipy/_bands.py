"""Eigenvalues and Cholesky factors of banded matrices, products with Toeplitz matrices.

Eigenvalues and factors go by the full matrix, whose derivatives are those of ``arraygrad.linalg``:
up to so many rows that it fits; the bands of a factor are solved with as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg as core
from ._rule import plain, refuse, rule, scipy_object, tensor, tensors_of, xp
from ._systems import from_triangle
from ._triangular import _transposed_bands, solve_of_banded

# Rows of the largest banded matrix of which the full one is made.
_ROWS = 2000


def phases(ours: Any, real: Any) -> Any:
    """Factors that turn our eigenvectors into SciPy's, where they differ by a factor only."""
    overlap = np.sum(ours.conj() * real, axis=-2, keepdims=True)
    size = np.abs(overlap)
    norms = np.linalg.norm(ours, axis=-2, keepdims=True) * np.linalg.norm(
        real, axis=-2, keepdims=True
    )
    same = np.abs(size - norms) <= 1e-6 * norms
    return np.where(same, overlap / np.where(size == 0, 1, size), 1).astype(ours.dtype)


def _full(ab: Any, lower: bool, function: str) -> Any:
    """The Hermitian matrix of which the bands on one side are stored."""
    width, n = ab.shape[0] - 1, ab.shape[1]
    if n > _ROWS:
        raise refuse(function, f"of more than {_ROWS} rows",
                     "use scipy.sparse.linalg.eigsh, or solveh_banded for equations")  # fmt: skip
    i, j = np.arange(n)[:, None], np.arange(n)
    row = i - j if lower else width + i - j
    stored = (row >= 0) & (row <= width) & ((i >= j) if lower else (i <= j))
    triangle = xp.where(stored, ab[np.where(stored, row, 0), j], 0)
    return from_triangle(triangle, lower, False)


def _pairs(full: Any, found: Any, eigvals_only: bool) -> Any:
    """Those eigenvalues and vectors of a matrix that SciPy found, with its signs."""
    w, v = core.eigh(full)
    values = found[0]
    count = len(values)
    starts = range(w.shape[0] - count + 1)
    w_plain = plain(w)
    first = min(starts, key=lambda s: np.abs(w_plain[s : s + count] - values).max(initial=0.0))
    chosen = slice(first, first + count)
    if eigvals_only:
        return w[chosen]
    v = v[:, chosen]
    return w[chosen], v * phases(plain(v), found[1])


@rule("scipy.linalg.eig_banded")
def eig_banded(
    a_band: Any, lower: bool = False, eigvals_only: bool = False, overwrite_a_band: bool = False,
    select: Any = "a", select_range: Any = None, max_ev: int = 0, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Eigenvalues and vectors of a Hermitian banded matrix: d w_i = v_i^H da v_i on the bands."""
    function = "scipy.linalg.eig_banded"
    ab = tensor(a_band, function)
    found = scipy_object(function)(
        plain(ab), lower, False, False, select, plain(select_range), max_ev
    )
    return _pairs(_full(ab, lower, function), found, eigvals_only)


@rule("scipy.linalg.eigvals_banded")
def eigvals_banded(
    a_band: Any, lower: bool = False, overwrite_a_band: bool = False, select: Any = "a",
    select_range: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Eigenvalues of a Hermitian banded matrix, ascending; see `eig_banded`."""
    return eig_banded(a_band, lower, True, False, select, select_range)


@rule("scipy.linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    d: Any, e: Any, eigvals_only: bool = False, select: Any = "a", select_range: Any = None,
    check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto",
) -> Any:  # fmt: skip
    """Eigenvalues and vectors of a real symmetric tridiagonal matrix.

    Notes
    -----
    Derivative: d w_i = sum_j v_ji^2 dd_j + 2 v_ji v_(j+1)i de_j.
    """
    function = "scipy.linalg.eigh_tridiagonal"
    d, e = tensors_of(function, d, e)
    only = eigvals_only or lapack_driver == "sterf"  # that one knows no vectors
    found = scipy_object(function)(
        plain(d), plain(e), only, select, plain(select_range), True, tol, lapack_driver
    )
    below = xp.concatenate((e, xp.zeros(1, dtype=e.dtype)))
    full = _full(xp.stack((d, below)), True, function)
    return _pairs(full, (found,) if only else found, only)


@rule("scipy.linalg.eigvalsh_tridiagonal")
def eigvalsh_tridiagonal(
    d: Any, e: Any, select: Any = "a", select_range: Any = None, check_finite: bool = True,
    tol: float = 0.0, lapack_driver: str = "auto",
) -> Any:  # fmt: skip
    """Eigenvalues of a real symmetric tridiagonal matrix; see `eigh_tridiagonal`."""
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)


@rule("scipy.linalg.cholesky_banded")
def cholesky_banded(
    ab: Any, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True
) -> Any:
    """Bands of the Cholesky factor of a positive definite matrix; derivative as of `cholesky`."""
    function = "scipy.linalg.cholesky_banded"
    ab = tensor(ab, function)
    shape = ab.shape
    ab = ab.reshape(-1, 1) if ab.ndim < 2 else ab
    scipy_object(function)(plain(ab), lower=lower)  # its errors are SciPy's
    factor = core.cholesky(_full(ab, lower, function), upper=not lower)
    width, n = ab.shape[0] - 1, ab.shape[1]
    bands = np.arange(width + 1)[:, None] - (0 if lower else width)
    rows = bands + np.arange(n)
    inside = (rows >= 0) & (rows < n)
    # Places outside of the matrix are left as they were given.
    found = xp.where(inside, factor[np.clip(rows, 0, n - 1), np.arange(n)], ab)
    return found.reshape(shape)


@rule("scipy.linalg.cho_solve_banded")
def cho_solve_banded(
    cb_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Solution of a @ x = b from the bands of a Cholesky factor of a."""
    cb, lower = cb_and_lower
    cb, b = tensors_of("scipy.linalg.cho_solve_banded", cb, b)
    width = cb.shape[0] - 1
    ends = (width, 0) if lower else (0, width)
    mirrored = _transposed_bands(cb, *ends)
    first, second = (cb, mirrored) if lower else (mirrored, cb)
    columns = b[:, None] if b.ndim == 1 else b
    y = solve_of_banded(first, columns, lower=width, upper=0)
    x = solve_of_banded(second, y, lower=0, upper=width)
    return x[:, 0] if b.ndim == 1 else x


@rule("scipy.linalg.matmul_toeplitz")
def matmul_toeplitz(
    c_or_cr: Any, x: Any, check_finite: bool = False, workers: int | None = None
) -> Any:
    """Product toeplitz(c, r) @ x, by Fourier transforms of the circulant matrix around it."""
    function = "scipy.linalg.matmul_toeplitz"
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    c = tensor(c, function).reshape(-1)
    r = xp.conj(c) if r is None else tensor(r, function).reshape(-1)
    # SciPy computes in double precision.
    c, r, x, _ = tensors_of(function, c, r, x, np.zeros(0))
    rows, columns = c.shape[0], r.shape[0]
    n = rows + columns - 1
    circulant = xp.concatenate((c, xp.flip(r[1:])))
    flat = x.reshape((x.shape[0], -1))
    if c.dtype.kind == "c":
        transform, back = xp.fft.fft, xp.fft.ifft
    else:
        transform, back = xp.fft.rfft, xp.fft.irfft
    product = transform(circulant, n)[:, None] * transform(flat, n, axis=0)
    return back(product, n, axis=0)[:rows].reshape((rows, *x.shape[1:]))
