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
from ._bands import (
    cho_solve_banded as cho_solve_banded,
    cholesky_banded as cholesky_banded,
    eig_banded as eig_banded,
    eigh_tridiagonal as eigh_tridiagonal,
    eigvals_banded as eigvals_banded,
    eigvalsh_tridiagonal as eigvalsh_tridiagonal,
    matmul_toeplitz as matmul_toeplitz,
    phases,
)
from ._equations import (
    riccati_continuous,
    riccati_discrete,
    solve_lyapunov_discrete,
    solve_of_sylvester,
)
from ._factorisations import (
    cho_factor as cho_factor,
    cho_solve as cho_solve,
    cholesky as cholesky,
    lu as lu,
    lu_factor as lu_factor,
    lu_solve as lu_solve,
    null_space as null_space,
    orth as orth,
    polar as polar,
    qr as qr,
    svd as svd,
    svdvals as svdvals,
)
from ._reduced_forms import (
    hessenberg as hessenberg,
    ordqz as ordqz,
    qz as qz,
    rq as rq,
    schur as schur,
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
from ._systems import (
    det as det,
    from_triangle,
    inv as inv,
    lstsq as lstsq,
    pinv as pinv,
    pinvh as pinvh,
    solve as solve,
    solve_banded as solve_banded,
    solve_circulant as solve_circulant,
    solve_toeplitz as solve_toeplitz,
    solve_triangular as solve_triangular,
    solveh_banded as solveh_banded,
)

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
            half = solve_triangular(factor, from_triangle(a, lower, False), lower=True)
            c = solve_triangular(factor, adjoint(half), lower=True)
        else:
            c = adjoint(factor) @ from_triangle(a, lower, False) @ factor
        w, v = core.eigh((c + adjoint(c)) / 2, "L")
        v = factor @ v if type == 3 else solve_triangular(factor, v, trans="C", lower=True)
    real_w, real_v = scipy_object("scipy.linalg.eigh")(
        plain(a), plain(b), lower=lower, type=type, driver=driver
    )
    w, v = _chosen(w, v * phases(plain(v), real_v), real_w, subset_by_index, subset_by_value)
    return w if eigvals_only else (w, v)


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
