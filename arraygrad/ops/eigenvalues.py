"""Eigenvalue decompositions of Hermitian and of general matrices.

What happens where eigenvalues are equal is told in equal_values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._answers import answers
from .._apply import apply, cast, node_of
from .._cotangents import add, conj
from .._dispatch import register_kernel
from .._dtypes import complex_dtype
from .._errors import ArgumentError, GradientError
from .._graph import is_grad_enabled
from .._op import Op, Rule, declare
from .arithmetic import subtract
from .equal_values import (
    averaged,
    check_phase,
    equal_pairs,
    hermitian,
    on_diagonal,
    over_gaps,
    real_part,
    rotation,
    sandwich,
    scaled,
    skew,
    without_equal,
)
from .kinks import tangent_in_doubt, zero_without_derivative
from .products import adjoint, diagonal, is_tracked, matmul
from .solvers import SOLVE, from_triangle, lapack, square
from .spectral import gradient_of_eigenvalues, stand_in

if TYPE_CHECKING:
    from .._tensor import Tensor


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of a Hermitian matrix."""

    eigenvalues: Any
    eigenvectors: Any


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors of a general matrix."""

    eigenvalues: Any
    eigenvectors: Any


# -- eigh -----------------------------------------------------------------------------------------


@lapack("eigh", "check the matrices for NaN and inf")
def _eigh_kernel(x: Any, *, triangle: Any) -> Any:
    return tuple(np.linalg.eigh(x, triangle))


def _eigh_vjp(g: Any, out: Any, node: Any) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    dtype = vectors._array.dtype
    if g_vectors is None:
        if g_values is None:
            return (None,)
        found = gradient_of_eigenvalues(g_values, values, vectors, node)
        if found is not None:
            return (found,)
        middle = scaled(vectors, averaged(g_values, values))
        return (hermitian(matmul(middle, adjoint(vectors))),)
    coupling = matmul(adjoint(vectors), g_vectors)
    check_phase(coupling, g_vectors, "eigh")
    coupling = without_equal(coupling, values, "eigh", "eigenvalues")
    middle = over_gaps(skew(coupling), values)
    if g_values is not None:
        middle = add(middle, on_diagonal(g_values, dtype))
    return (hermitian(sandwich(vectors, middle, adjoint(vectors))),)


def _eigh_jvp(t: Any, out: Any) -> Any:
    values, vectors = out
    moved = sandwich(adjoint(vectors), hermitian(t[0]), vectors)
    equal = equal_pairs(values._array).any(axis=-1)
    t_values = averaged(real_part(diagonal(moved)), values)
    t_values = tangent_in_doubt(t_values, values, equal, "some eigenvalues are equal")
    return t_values, matmul(vectors, rotation(moved, values))


EIGH = declare(
    Op("eigh", ("x",), Rule(vjp=_eigh_vjp, jvp=_eigh_jvp), dtypes="floating only", scalar=False)
)
register_kernel("eigh", _eigh_kernel)


@lapack("eigvalsh", "check the matrices for NaN and inf")
def _eigvalsh_kernel(x: Any, *, triangle: Any) -> Any:
    return np.linalg.eigvalsh(x, triangle)


EIGVALSH = declare(
    Op("eigvalsh", ("x",), Rule(x=lambda g, x, triangle: _eigvalsh_vjp(g, x, triangle)),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("eigvalsh", _eigvalsh_kernel)


def _eigvalsh_vjp(g: Any, x: Any, triangle: str) -> Any:
    return _eigh_vjp((g, None), apply(EIGH, x, triangle=triangle), None)[0]


def _check_triangle(UPLO: str, function: str) -> str:
    if UPLO not in ("L", "U", "l", "u"):
        raise ArgumentError(f"{function}: UPLO={UPLO!r}; use 'L' (lower triangle) or 'U' (upper)")
    return UPLO.upper()


@answers(np.linalg.eigh)
def eigh(x: Tensor, /, UPLO: str = "L") -> EighResult:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
    UPLO : {"L", "U"}
        Which triangle is read.

    Returns
    -------
    EighResult
        ``eigenvalues``, shape (..., M), real, ascending; ``eigenvectors``, shape (..., M, M), the
        unit columns that belong to them.

    Notes
    -----
    Derivative: d w = real diag(V^H dx V), d V = V (E * (V^H dx V)) with E[i, j] = 1 / (w[j] - w[i])
    and 0 on the diagonal. The cotangent is Hermitian although one triangle is read; where x is not
    Hermitian it lies in that triangle. For equal eigenvalues see `ops.equal_values`: values are
    fine, vectors raise GradientError. Second derivatives of smooth symmetric functions of the
    values are exact (`ops.spectral`).

    References
    ----------
    M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
    differentiation", 2008.
    """
    triangle = _check_triangle(UPLO, "eigh")
    return EighResult(*apply(EIGH, from_triangle(square(x, "eigh"), triangle), triangle=triangle))


@answers(np.linalg.eigvalsh)
def eigvalsh(x: Tensor, /, UPLO: str = "L") -> Tensor:
    """Eigenvalues of Hermitian matrices, ascending.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
    UPLO : {"L", "U"}
        Which triangle is read.

    Returns
    -------
    Tensor, shape (..., M), real

    Notes
    -----
    Derivative: real diag(V^H dx V). Equal eigenvalues share the mean of their cotangents.
    """
    x, triangle = square(x, "eigvalsh"), _check_triangle(UPLO, "eigvalsh")
    if is_tracked(x):
        x = from_triangle(x, triangle)
        # The vectors, which the derivative needs, come with the values at little more than they.
        return apply(EIGH, x, triangle=triangle)[0]  # type: ignore[no-any-return]
    return apply(EIGVALSH, x, triangle=triangle)  # type: ignore[no-any-return]


# -- eig ------------------------------------------------------------------------------------------


@lapack("eig", "check the matrices for NaN and inf")
def _eig_kernel(x: Any) -> Any:
    values, vectors = np.linalg.eig(x)
    dtype = complex_dtype(x.dtype)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


def _check_independent(vectors: Any, function: str) -> None:
    """GradientError if the eigenvectors do not span the space (a defective matrix)."""
    array = vectors._array
    if not array.size:
        return
    smallest = np.linalg.svd(array, compute_uv=False)[..., -1]
    if (smallest < 64 * array.shape[-1] * np.finfo(array.dtype).eps).any():
        raise GradientError(
            f"{function}: a matrix is defective (its eigenvectors are dependent), so the "
            "eigenvalues have no derivative; perturb the matrix, or use ag.linalg.eigh if it is "
            "Hermitian"
        )


def _eig_vjp(g: Any, out: Any, x_dtype: Any, node: Any) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    dtype = vectors._array.dtype
    if g_values is None and g_vectors is None:
        return (None,)
    _check_independent(vectors, "eig")
    vh = adjoint(vectors)
    if g_vectors is None:
        middle = on_diagonal(averaged(g_values, values), dtype)
    else:
        coupling = matmul(vh, g_vectors)
        check_phase(coupling, g_vectors, "eig")
        # Vectors are normed: a change along themselves is taken back.
        along = cast(real_part(diagonal(coupling)), dtype)
        coupling = subtract(coupling, scaled(matmul(vh, vectors), along))
        coupling = without_equal(coupling, values, "eig", "eigenvalues")
        middle = over_gaps(coupling, conj(values))
        if g_values is not None:
            middle = add(middle, on_diagonal(g_values, dtype))
    c = cast(apply(SOLVE, vh, matmul(middle, vh)), x_dtype)
    return (c if g_vectors is not None else _once_where_equal(c, g_values, values, node),)


def _once_where_equal(c: Any, g: Any, values: Any, node: Any) -> Any:
    """The cotangent `c`, not to be differentiated again where equal eigenvalues are used."""
    if node is None or not is_grad_enabled():
        return c
    equal = equal_pairs(values._array).any(axis=-1)
    if not equal.any() or (node_of(g) is None and not g._array[equal].any()):
        return c
    x = stand_in(node, c._array)
    message = (
        "eig: some eigenvalues of a matrix that need not be Hermitian are equal: second "
        "derivatives of functions of them cannot be told; use ag.linalg.eigvalsh for Hermitian "
        "matrices, a function of the matrix (trace(x @ x), ag.linalg.expm), or make them differ"
    )
    mask = equal.reshape((*equal.shape[:-1], -1, 1)).any(axis=-2, keepdims=True)
    return add(c, zero_without_derivative(x, mask, message))


def _eig_jvp(t: Any, out: Any) -> Any:
    values, vectors = out
    dtype = vectors._array.dtype
    moved = apply(SOLVE, vectors, matmul(cast(t[0], dtype), vectors))
    t_vectors = matmul(vectors, rotation(moved, values))
    along = cast(real_part(diagonal(matmul(adjoint(vectors), t_vectors))), dtype)
    return averaged(diagonal(moved), values), subtract(t_vectors, scaled(vectors, along))


EIG = declare(
    Op("eig", ("x",), Rule(vjp=_eig_vjp, jvp=_eig_jvp), dtypes="floating only", scalar=False)
)
register_kernel("eig", _eig_kernel)


@lapack("eigvals", "check the matrices for NaN and inf")
def _eigvals_kernel(x: Any) -> Any:
    return np.linalg.eigvals(x).astype(complex_dtype(x.dtype), copy=False)


EIGVALS = declare(
    Op("eigvals", ("x",), Rule(x=lambda g, x, x_dtype: _eig_vjp(
        (g, None), apply(EIG, x), x_dtype, None)[0]), dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("eigvals", _eigvals_kernel)


def eig(x: Tensor, /) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    EigResult
        ``eigenvalues``, shape (..., M), and ``eigenvectors``, shape (..., M, M), the unit columns
        that belong to them; both always complex.

    Notes
    -----
    Derivative: d w = diag(P), P = V^-1 dx V; d V = V (E * P) minus its part along V, with
    E[i, j] = 1 / (w[j] - w[i]). Results must not depend on the phase of the vectors; of equal
    eigenvalues only the values may be used; defective matrices have no derivative: GradientError.

    References
    ----------
    C. Boeddeker et al., "On the computation of complex-valued gradients with application to
    statistically optimum beamforming", arXiv:1701.00392, 2017.
    """
    return EigResult(*apply(EIG, square(x, "eig")))


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues of square matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    Tensor, shape (..., M), complex

    Notes
    -----
    Derivative: diag(V^-1 dx V). Equal eigenvalues share the mean of their cotangents; defective
    matrices have no derivative.
    """
    x = square(x, "eigvals")
    if is_tracked(x):
        return apply(EIG, x)[0]  # type: ignore[no-any-return]
    return apply(EIGVALS, x)  # type: ignore[no-any-return]
