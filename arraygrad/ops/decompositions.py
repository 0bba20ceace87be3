"""Eigenvalue, singular value and QR decompositions.

Eigenvectors and singular vectors of equal values are not determined: LAPACK picks some basis. What
that means for derivatives:

* Values alone are always fine. The cotangents of equal values are averaged, which changes nothing
  for differentiable functions and gives the minimum-norm subgradient at kinks (such as the largest
  eigenvalue where two are largest).
* A cotangent of vectors divides by differences of values. Where two are equal and the cotangent
  couples their vectors, its limit cannot be known from here, not even for functions that have
  one: GradientError. Where it does not couple them, it is taken not to depend on how they mix,
  with a GradientWarning, because a function of the matrix that is zero just there (log at 1) looks
  the same.
* Tangents (forward mode) of vectors that do not exist are NaN.
* Complex vectors have a free phase. A cotangent that depends on it is a GradientError.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._answers import answers
from .._apply import apply, cast, wrap
from .._cotangents import add, conj, times
from .._dispatch import register_kernel
from .._dtypes import complex_dtype
from .._errors import ArgumentError, GradientError, GradientWarning, LinAlgError
from .._op import Op, Rule, declare
from .arithmetic import multiply, negative, subtract
from .manipulation import reshape
from .products import (
    adjoint,
    diagonal,
    embed_diagonal,
    is_tracked,
    matmul,
    matrix_transpose,
)
from .solvers import lapack, matrices, square, triangle

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


class SVDResult(NamedTuple):
    """Left singular vectors, singular values and right singular vectors."""

    U: Any
    S: Any
    Vh: Any


class QRResult(NamedTuple):
    """Orthonormal and triangular factor."""

    Q: Any
    R: Any


# -- equal values ---------------------------------------------------------------------------------


def _equal_pairs(values: Any) -> Any:
    """Mask of the pairs of values that are equal up to rounding, the diagonal left out."""
    n = values.shape[-1]
    largest = abs(values).max(axis=-1, initial=0)
    bound = 8 * max(n, 1) * np.finfo(values.dtype).eps * largest
    equal = abs(values[..., :, None] - values[..., None, :]) <= bound[..., None, None]
    equal[..., np.arange(n), np.arange(n)] = False
    return equal


def _gap_kernel(x: Any, values: Any, *, unknown: float) -> Any:
    """x[i, j] / (values[j] - values[i]); zero on the diagonal and where x is zero.

    Where values are equal the result is `unknown` (0 or NaN) times a nonzero x.
    """
    equal = _equal_pairs(values)
    n = values.shape[-1]
    differences = values[..., None, :] - values[..., :, None]
    differences[..., np.arange(n), np.arange(n)] = np.inf
    differences[equal] = np.inf
    out = x / differences
    if unknown and equal.any():
        out[equal & ~_negligible(x, x)] = unknown
    return out


def _negligible(x: Any, scale: Any) -> Any:
    """Mask of the elements of `x` that are rounding errors beside the largest of `scale`."""
    largest = abs(scale).max(axis=(-2, -1), initial=0, keepdims=True)
    return abs(x) <= 64 * x.shape[-1] * np.finfo(x.dtype).eps * largest


def _gap_values_vjp(g: Any, out: Any, values: Any, unknown: float) -> Any:
    # d out = -out (d values[j] - d values[i]) / gap
    weight = negative(_over_gaps(times(g, conj(out)), conj(values), unknown))
    rows, columns = _row_sums(weight), _row_sums(matrix_transpose(weight))
    total = subtract(columns, rows)
    return cast(total, values._array.dtype)


def _row_sums(x: Any) -> Any:
    from .statistical import sum

    return sum(x, axis=-1)


def _gap_jvp(t: Any, values: Any, out: Any, unknown: float) -> Any:
    total = None if t[0] is None else _over_gaps(t[0], values, unknown)
    if t[1] is not None:
        n = t[1]._array.shape[-1]
        row = cast(reshape(t[1], (*t[1]._array.shape[:-1], 1, n)), out._array.dtype)
        moved = times(out, subtract(row, matrix_transpose(row)))
        change = negative(_over_gaps(moved, values, unknown))
        total = change if total is None else add(total, change)
    return total


OVER_GAPS = declare(
    Op("over_gaps", ("x", "values"),
       Rule(x=lambda g, values, unknown: _over_gaps(g, conj(values), unknown),
            values=_gap_values_vjp, jvp=_gap_jvp),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("over_gaps", _gap_kernel)


def _over_gaps(x: Any, values: Any, unknown: float = 0.0) -> Any:
    return apply(OVER_GAPS, x, values, unknown=unknown)


def _without_equal(coupling: Any, values: Any, function: str, what: str) -> Any:
    """Check that the cotangent couples no vectors of equal values; drop those rounding errors."""
    equal = _equal_pairs(values._array)
    if not equal.any():
        return coupling
    array = coupling._array
    coupled = equal & ~_negligible(array, array)
    if coupled.any():
        where = tuple(int(i) for i in np.argwhere(coupled)[0])
        raise GradientError(
            f"{function}: {what} {sorted(where[-2:])} are equal"
            + (f" in matrix {where[:-2]}" if where[:-2] else "")
            + " and their vectors, which are any basis of one space, are used: the derivative "
            f"does not exist or cannot be told from them. Use a function of the {what} alone, a "
            "function of the matrix (ag.linalg.expm, inv, solve, ...), or make them differ"
        )
    warnings.warn(
        f"{function}: some {what} are equal; the gradient takes the result not to depend on how "
        "their vectors mix. It would be wrong for a function of the matrix, built from vectors, "
        "that is zero at that value",
        GradientWarning,
        stacklevel=2,
    )
    return times(coupling, wrap((~equal).astype(array.dtype)))


def _averaged(g: Any, values: Any) -> Any:
    """Cotangents of equal values replaced by their mean."""
    equal = _equal_pairs(values._array)
    if not equal.any():
        return g
    n = equal.shape[-1]
    equal[..., np.arange(n), np.arange(n)] = True
    weights = (equal / equal.sum(axis=-1, keepdims=True)).astype(g._array.dtype)
    column = reshape(g, (*g._array.shape, 1))
    return reshape(matmul(wrap(weights), column), g._array.shape)


def _check_phase(coupling: Any, scale: Any, function: str) -> None:
    """GradientError unless the diagonal of V^H g_V is real up to rounding of `scale`."""
    array = coupling._array
    if array.dtype.kind != "c" or not array.size:
        return
    phases = np.diagonal(array, 0, -2, -1).imag
    bound = 1e3 * array.shape[-1] * np.finfo(array.dtype).eps * abs(scale._array).max()
    if abs(phases).max() > bound:
        raise GradientError(
            f"{function}: the result depends on the phase of the complex vectors, which is "
            "arbitrary: its derivative does not exist. Use quantities without phase, such as "
            "abs(v) or v @ v^H"
        )


def _scaled(x: Any, values: Any) -> Any:
    """The columns of the matrices times the values."""
    row = reshape(values, (*values._array.shape[:-1], 1, values._array.shape[-1]))
    return times(x, cast(row, x._array.dtype))


def _on_diagonal(values: Any, dtype: Any) -> Any:
    n = values._array.shape[-1]
    return embed_diagonal(cast(values, dtype), (*values._array.shape, n))


def _hermitian(x: Any) -> Any:
    return multiply(0.5, add(x, adjoint(x)))


def _skew(x: Any) -> Any:
    return multiply(0.5, subtract(x, adjoint(x)))


def _real(x: Any) -> Any:
    return cast(x, x._array.real.dtype)


def _sandwich(left: Any, middle: Any, right: Any) -> Any:
    return matmul(matmul(left, middle), right)


# -- eigh -----------------------------------------------------------------------------------------


@lapack("eigh", "check the matrices for NaN and inf")
def _eigh_kernel(x: Any, *, triangle: Any) -> Any:
    return tuple(np.linalg.eigh(x, triangle))


def _eigh_vjp(g: Any, out: Any) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    dtype = vectors._array.dtype
    if g_vectors is None:
        if g_values is None:
            return (None,)
        middle = _scaled(vectors, _averaged(g_values, values))
        return (_hermitian(matmul(middle, adjoint(vectors))),)
    coupling = matmul(adjoint(vectors), g_vectors)
    _check_phase(coupling, g_vectors, "eigh")
    coupling = _without_equal(coupling, values, "eigh", "eigenvalues")
    middle = _over_gaps(_skew(coupling), values)
    if g_values is not None:
        middle = add(middle, _on_diagonal(g_values, dtype))
    return (_hermitian(_sandwich(vectors, middle, adjoint(vectors))),)


def _eigh_jvp(t: Any, out: Any) -> Any:
    values, vectors = out
    moved = _sandwich(adjoint(vectors), _hermitian(t[0]), vectors)
    t_vectors = matmul(vectors, _over_gaps(moved, values, float("nan")))
    return _real(diagonal(moved)), t_vectors


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
    return _eigh_vjp((g, None), apply(EIGH, x, triangle=triangle))[0]


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
    and 0 on the diagonal. The cotangent is Hermitian although one triangle is read. For equal
    eigenvalues see the module's text: values are fine, vectors raise GradientError.

    References
    ----------
    M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
    differentiation", 2008.
    """
    triangle = _check_triangle(UPLO, "eigh")
    return EighResult(*apply(EIGH, square(x, "eigh"), triangle=triangle))


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


def _eig_vjp(g: Any, out: Any, x_dtype: Any) -> Any:
    g_values, g_vectors = g
    values, vectors = out
    dtype = vectors._array.dtype
    if g_values is None and g_vectors is None:
        return (None,)
    _check_independent(vectors, "eig")
    vh = adjoint(vectors)
    if g_vectors is None:
        middle = _on_diagonal(_averaged(g_values, values), dtype)
    else:
        coupling = matmul(vh, g_vectors)
        _check_phase(coupling, g_vectors, "eig")
        # Vectors are normed: a change along themselves is taken back.
        along = cast(_real(diagonal(coupling)), dtype)
        coupling = subtract(coupling, _scaled(matmul(vh, vectors), along))
        coupling = _without_equal(coupling, values, "eig", "eigenvalues")
        middle = _over_gaps(coupling, conj(values))
        if g_values is not None:
            middle = add(middle, _on_diagonal(g_values, dtype))
    from .solvers import SOLVE

    return (cast(apply(SOLVE, vh, matmul(middle, vh)), x_dtype),)


def _eig_jvp(t: Any, out: Any) -> Any:
    from .solvers import SOLVE

    values, vectors = out
    dtype = vectors._array.dtype
    moved = apply(SOLVE, vectors, matmul(cast(t[0], dtype), vectors))
    t_vectors = matmul(vectors, _over_gaps(moved, values, float("nan")))
    along = cast(_real(diagonal(matmul(adjoint(vectors), t_vectors))), dtype)
    return diagonal(moved), subtract(t_vectors, _scaled(vectors, along))


EIG = declare(
    Op("eig", ("x",), Rule(vjp=_eig_vjp, jvp=_eig_jvp), dtypes="floating only", scalar=False)
)
register_kernel("eig", _eig_kernel)


@lapack("eigvals", "check the matrices for NaN and inf")
def _eigvals_kernel(x: Any) -> Any:
    return np.linalg.eigvals(x).astype(complex_dtype(x.dtype), copy=False)


EIGVALS = declare(
    Op("eigvals", ("x",), Rule(x=lambda g, x, x_dtype: _eig_vjp(
        (g, None), apply(EIG, x), x_dtype)[0]), dtypes="floating only", scalar=False)
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


# -- svd ------------------------------------------------------------------------------------------


@lapack("svd", "check the matrices for NaN and inf")
def _svd_kernel(x: Any, *, full_matrices: bool) -> Any:
    return tuple(np.linalg.svd(x, full_matrices=full_matrices))


def _columns(x: Any, start: int, stop: int) -> Any:
    return x[..., start:stop]


def _without_complement(g: Any, vectors: Any, count: int, function: str) -> tuple[Any, Any]:
    """Cotangent of the first `count` vectors with that of the others, their complement, folded in.

    The others are any basis of what the first ones leave out, so that they move only with them:
    d rest = -first (d first)^H rest.
    """
    if vectors._array.shape[-1] == count:
        return g, vectors
    first, rest = _columns(vectors, 0, count), _columns(vectors, count, vectors._array.shape[-1])
    if g is None:
        return None, first
    g_first, g_rest = _columns(g, 0, count), _columns(g, count, vectors._array.shape[-1])
    turning = matmul(adjoint(rest), g_rest)
    array = turning._array - turning._array.conj().mT
    bound = 1e3 * array.shape[-1] * np.finfo(array.dtype).eps * abs(g._array).max(initial=0)
    if abs(array).max(initial=0) > bound:
        raise GradientError(
            f"{function}: the result depends on which basis of the orthogonal complement was "
            "chosen, which is arbitrary: its derivative does not exist. Ask for the reduced "
            "decomposition"
        )
    return subtract(g_first, matmul(rest, matmul(adjoint(g_rest), first))), first


def _inverse_sums(values: Any, dtype: Any) -> Any:
    """1 / (s[i] + s[j]), infinite where both are zero."""
    s = reshape(values, (*values._array.shape, 1))
    return cast(_reciprocal(add(_spread(s), matrix_transpose(_spread(s)))), dtype)


def _spread(column: Any) -> Any:
    n = column._array.shape[-2]
    return multiply(column, wrap(np.ones((1, n), column._array.dtype)))


def _reciprocal(x: Any) -> Any:
    from .arithmetic import reciprocal

    return reciprocal(x)


def _svd_vjp(g: Any, out: Any) -> Any:
    values = out[1]
    k = values._array.shape[-1]
    g_u, u = _without_complement(g[0], out[0], k, "svd")
    g_v, v = _without_complement(None if g[2] is None else adjoint(g[2]), adjoint(out[2]), k, "svd")
    g_values, dtype = g[1], u._array.dtype
    if g_u is None and g_v is None:
        if g_values is None:
            return (None,)
        return (matmul(_scaled(u, _averaged(g_values, values)), adjoint(v)),)
    with np.errstate(all="ignore"):
        middle = _svd_middle(g_u, u, g_v, v, values)
        if g_values is not None:
            middle = add(middle, _on_diagonal(g_values, dtype))
        cotangent = _sandwich(u, middle, adjoint(v))
        return (_svd_outside(cotangent, g_u, u, g_v, v, values),)


def _svd_middle(g_u: Any, u: Any, g_v: Any, v: Any, values: Any) -> Any:
    """Cotangent of U^H dx V, which turns the vectors within their spaces."""
    a = None if g_u is None else matmul(adjoint(u), g_u)
    b = None if g_v is None else matmul(adjoint(v), g_v)
    total: Any = a if b is None else b if a is None else add(a, b)
    difference: Any = a if b is None else negative(b) if a is None else subtract(a, b)
    _check_phase(total, g_u if b is None else g_v if a is None else total, "svd")
    for coupling in (a, b):
        if coupling is not None:
            _without_equal(coupling, values, "svd", "singular values")
    equal = _equal_pairs(values._array)
    if equal.any():
        total = times(total, wrap((~equal).astype(total._array.dtype)))
    rotation = _skew(difference)
    sums = _inverse_sums(values, rotation._array.dtype)
    _check_zero(rotation._array, np.isfinite(sums._array))
    return add(_over_gaps(_skew(total), values), times(rotation, sums))


def _check_zero(numerator: Any, defined: Any) -> None:
    if (np.broadcast_to(~defined, numerator.shape) & (numerator != 0)).any():
        raise GradientError(
            "svd: singular vectors that belong to the singular value 0 are used: the derivative "
            "does not exist. Use the singular values alone, or the vectors of nonzero ones"
        )


def _svd_outside(cotangent: Any, g_u: Any, u: Any, g_v: Any, v: Any, values: Any) -> Any:
    """Add what turns the vectors out of their spaces (matrices that are not square)."""
    k, rows, columns = values._array.shape[-1], u._array.shape[-2], v._array.shape[-2]
    for g, basis, other, size in ((g_u, u, v, rows), (g_v, v, u, columns)):
        if g is None or size == k:
            continue
        outside = subtract(g, matmul(basis, matmul(adjoint(basis), g)))
        zero = values._array[..., None, :] == 0
        _check_zero(outside._array, ~zero)
        if zero.any():
            warnings.warn(
                "svd: a singular value is zero; the gradient takes the result not to depend on "
                "its vectors",
                GradientWarning,
                stacklevel=2,
            )
        term = matmul(_scaled(outside, _reciprocal(values)), adjoint(other))
        cotangent = add(cotangent, term if basis is u else adjoint(term))
    return cotangent


def _svd_jvp(t: Any, out: Any) -> Any:
    values = out[1]
    k, dtype = values._array.shape[-1], out[0]._array.dtype
    u, v = _columns(out[0], 0, k), _columns(adjoint(out[2]), 0, k)
    with np.errstate(all="ignore"):
        moved = _sandwich(adjoint(u), t[0], v)
        gaps = _over_gaps(_hermitian(moved), values, float("nan"))
        sums = times(_skew(moved), _inverse_sums(values, dtype))
        t_u, t_v = matmul(u, add(gaps, sums)), matmul(v, subtract(gaps, sums))
        inverse = _reciprocal(values)
        if u._array.shape[-2] > k:
            image = matmul(t[0], v)
            out_of = subtract(image, matmul(u, matmul(adjoint(u), image)))
            t_u = add(t_u, _scaled(out_of, inverse))
        if v._array.shape[-2] > k:
            image = matmul(adjoint(t[0]), u)
            out_of = subtract(image, matmul(v, matmul(adjoint(v), image)))
            t_v = add(t_v, _scaled(out_of, inverse))
        t_u = _with_complement(t_u, out[0], u)
        t_v = _with_complement(t_v, adjoint(out[2]), v)
    return t_u, _real(diagonal(moved)), adjoint(t_v)


def _with_complement(t: Any, vectors: Any, first: Any) -> Any:
    """Tangent of all vectors from that of the first ones."""
    count, size = first._array.shape[-1], vectors._array.shape[-1]
    if count == size:
        return t
    from .manipulation import concat

    rest = _columns(vectors, count, size)
    return concat((t, negative(matmul(first, matmul(adjoint(t), rest)))), axis=-1)


SVD = declare(
    Op("svd", ("x",), Rule(vjp=_svd_vjp, jvp=_svd_jvp), dtypes="floating only", scalar=False)
)
register_kernel("svd", _svd_kernel)


@lapack("svdvals", "check the matrices for NaN and inf")
def _svdvals_kernel(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


SVDVALS = declare(
    Op("svdvals", ("x",), Rule(x=lambda g, x: _svd_vjp(
        (None, g, None), apply(SVD, x, full_matrices=False))[0]),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("svdvals", _svdvals_kernel)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition x = U @ diag(S) @ Vh.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    full_matrices : bool
        Complete U and Vh to square matrices.

    Returns
    -------
    SVDResult
        ``U``, shape (..., M, M) or (..., M, K); ``S``, shape (..., K), real, descending;
        ``Vh``, shape (..., N, N) or (..., K, N); with K = min(M, N).

    Notes
    -----
    Derivative: d S = real diag(U^H dx V); vectors turn with E[i, j] = 1 / (s[j]^2 - s[i]^2).
    For equal and zero singular values see the module's text: values are fine, vectors raise
    GradientError. Results must not depend on the phase of complex vectors, nor on the basis of
    the complement that ``full_matrices`` adds.

    References
    ----------
    J. Townsend, "Differentiating the singular value decomposition", 2016.
    """
    x = matrices(x, "svd")
    return SVDResult(*apply(SVD, x, full_matrices=bool(full_matrices)))


@answers(np.linalg.svdvals)
def svdvals(x: Tensor, /) -> Tensor:
    """Singular values of the matrices, descending.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point

    Returns
    -------
    Tensor, shape (..., K), real

    Notes
    -----
    Derivative: real diag(U^H dx V). Equal singular values share the mean of their cotangents.
    """
    x = matrices(x, "svdvals")
    if is_tracked(x):
        return apply(SVD, x, full_matrices=False)[1]  # type: ignore[no-any-return]
    return apply(SVDVALS, x)  # type: ignore[no-any-return]


# -- qr -------------------------------------------------------------------------------------------


@lapack("qr", "check the matrices for NaN and inf")
def _qr_kernel(x: Any, *, mode: Any) -> Any:
    return tuple(np.linalg.qr(x, mode))


def _qr_vjp(g: Any, x: Any, out: Any) -> Any:
    """Walter, Lehmann and Lamour 2012; the columns past the square follow from the others."""
    rows, columns = x._array.shape[-2:]
    k = min(rows, columns)
    g_q, q = _without_complement(g[0], out[0], k, "qr")
    r, g_r = out[1], g[1]
    if r._array.shape[-2] > k:
        r, g_r = r[..., :k, :], None if g_r is None else g_r[..., :k, :]
    if columns <= rows:
        return (_qr_tall(g_q, g_r, q, r),)
    from .manipulation import concat

    g_rest = None if g_r is None else g_r[..., k:]
    if g_rest is not None:
        pulled = matmul(x[..., k:], adjoint(g_rest))
        g_q = pulled if g_q is None else add(g_q, pulled)
        cotangent_rest = matmul(q, g_rest)
    else:
        cotangent_rest = wrap(np.zeros(x._array[..., k:].shape, x._array.dtype))
    first = _qr_tall(g_q, None if g_r is None else g_r[..., :k], q, r[..., :k])
    return (concat((first, cotangent_rest), axis=-1),)


def _qr_tall(g_q: Any, g_r: Any, q: Any, r: Any) -> Any:
    from .solvers import SOLVE

    n, dtype = r._array.shape[-1], r._array.dtype
    middle = None if g_r is None else matmul(g_r, adjoint(r))
    if g_q is not None:
        part = negative(matmul(adjoint(q), g_q))
        middle = part if middle is None else add(middle, part)
    if middle is None:
        return None
    upper = times(middle, matrix_transpose(triangle(n, dtype, 0.5)))
    inner = matmul(q, add(upper, adjoint(upper)))
    if g_q is not None:
        inner = add(g_q, inner)
    try:
        return adjoint(apply(SOLVE, r, adjoint(inner)))
    except LinAlgError as error:
        raise GradientError(
            "qr: the first columns of a matrix are linearly dependent, so the factors have no "
            "derivative"
        ) from error


QR = declare(Op("qr", ("x",), Rule(vjp=_qr_vjp), dtypes="floating only", scalar=False))
register_kernel("qr", _qr_kernel)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """QR decomposition x = Q @ R.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    mode : {"reduced", "complete"}

    Returns
    -------
    QRResult
        ``Q``, shape (..., M, K) or (..., M, M), orthonormal columns; ``R``, shape (..., K, N) or
        (..., M, N), upper triangular; with K = min(M, N).

    Notes
    -----
    Derivative: d R = (triu part of) Q^H dx R^-1 times R. The first K columns must be independent;
    with mode "complete" results must not depend on the basis of the complement: GradientError.

    References
    ----------
    S. F. Walter, L. Lehmann and R. Lamour, "On evaluating higher-order derivatives of the QR
    decomposition of tall matrices with full column rank in forward and reverse mode algorithmic
    differentiation", Optim. Methods Softw. 27, 2012.
    """
    x = matrices(x, "qr")
    if mode not in ("reduced", "complete"):
        raise ArgumentError(f"qr: mode={mode!r}; use 'reduced' or 'complete'")
    return QRResult(*apply(QR, x, mode=mode))
