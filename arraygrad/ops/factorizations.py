"""Singular value and QR decompositions.

What happens where singular values are equal is told in equal_values.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._answers import answers
from .._apply import apply, cast, wrap
from .._cotangents import add, times
from .._dispatch import register_kernel
from .._errors import ArgumentError, GradientError, GradientWarning
from .._op import Op, Rule, declare
from .arithmetic import multiply, negative, reciprocal, subtract
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
from .kinks import tangent_at_kink
from .manipulation import concat, reshape
from .products import adjoint, diagonal, is_tracked, matmul, matrix_transpose
from .solvers import SOLVE, lapack, matrices, triangle
from .spectral import gradient_of_singular_values

if TYPE_CHECKING:
    from .._tensor import Tensor


class SVDResult(NamedTuple):
    """Left singular vectors, singular values and right singular vectors."""

    U: Any
    S: Any
    Vh: Any


class QRResult(NamedTuple):
    """Orthonormal and triangular factor."""

    Q: Any
    R: Any


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
    return cast(reciprocal(add(_spread(s), matrix_transpose(_spread(s)))), dtype)


def _spread(column: Any) -> Any:
    n = column._array.shape[-2]
    return multiply(column, wrap(np.ones((1, n), column._array.dtype)))


def _svd_vjp(g: Any, out: Any, node: Any) -> Any:
    values = out[1]
    k = values._array.shape[-1]
    g_u, u = _without_complement(g[0], out[0], k, "svd")
    g_v, v = _without_complement(None if g[2] is None else adjoint(g[2]), adjoint(out[2]), k, "svd")
    g_values, dtype = g[1], u._array.dtype
    if g_u is None and g_v is None:
        if g_values is None:
            return (None,)
        found = gradient_of_singular_values(g_values, values, u, v, node)
        if found is not None:
            return (found,)
        # Singular values are like absolute values: the subgradient at zero is zero.
        nonzero = wrap((values._array != 0).astype(g_values._array.dtype))
        weights = times(averaged(g_values, values), nonzero)
        return (matmul(scaled(u, weights), adjoint(v)),)
    with np.errstate(all="ignore"):
        middle = _svd_middle(g_u, u, g_v, v, values)
        if g_values is not None:
            middle = add(middle, on_diagonal(g_values, dtype))
        cotangent = sandwich(u, middle, adjoint(v))
        return (_svd_outside(cotangent, g_u, u, g_v, v, values),)


def _svd_middle(g_u: Any, u: Any, g_v: Any, v: Any, values: Any) -> Any:
    """Cotangent of U^H dx V, which turns the vectors within their spaces."""
    a = None if g_u is None else matmul(adjoint(u), g_u)
    b = None if g_v is None else matmul(adjoint(v), g_v)
    total: Any = a if b is None else b if a is None else add(a, b)
    difference: Any = a if b is None else negative(b) if a is None else subtract(a, b)
    check_phase(total, g_u if b is None else g_v if a is None else total, "svd")
    for coupling in (a, b):
        if coupling is not None:
            without_equal(coupling, values, "svd", "singular values")
    equal = equal_pairs(values._array)
    if equal.any():
        total = times(total, wrap((~equal).astype(total._array.dtype)))
    opposite = skew(difference)
    sums = _inverse_sums(values, opposite._array.dtype)
    _check_zero(opposite._array, np.isfinite(sums._array))
    return add(over_gaps(skew(total), values), times(opposite, sums))


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
        term = matmul(scaled(outside, reciprocal(values)), adjoint(other))
        cotangent = add(cotangent, term if basis is u else adjoint(term))
    return cotangent


def _svd_jvp(t: Any, out: Any) -> Any:
    values = out[1]
    k, dtype = values._array.shape[-1], out[0]._array.dtype
    u, v = _columns(out[0], 0, k), _columns(adjoint(out[2]), 0, k)
    with np.errstate(all="ignore"):
        moved = sandwich(adjoint(u), t[0], v)
        gaps = rotation(hermitian(moved), values)
        sums = times(skew(moved), _inverse_sums(values, dtype))
        t_u, t_v = matmul(u, add(gaps, sums)), matmul(v, subtract(gaps, sums))
        inverse = reciprocal(values)
        if u._array.shape[-2] > k:
            image = matmul(t[0], v)
            out_of = subtract(image, matmul(u, matmul(adjoint(u), image)))
            t_u = add(t_u, scaled(out_of, inverse))
        if v._array.shape[-2] > k:
            image = matmul(adjoint(t[0]), u)
            out_of = subtract(image, matmul(v, matmul(adjoint(v), image)))
            t_v = add(t_v, scaled(out_of, inverse))
        t_u = _with_complement(t_u, out[0], u)
        t_v = _with_complement(t_v, adjoint(out[2]), v)
    t_values = averaged(real_part(diagonal(moved)), values)
    return t_u, tangent_at_kink(t_values, values, "svd", lambda: 0), adjoint(t_v)


def _with_complement(t: Any, vectors: Any, first: Any) -> Any:
    """Tangent of all vectors from that of the first ones."""
    count, size = first._array.shape[-1], vectors._array.shape[-1]
    if count == size:
        return t
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
        (None, g, None), apply(SVD, x, full_matrices=False), None)[0]),
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
    For equal and zero singular values see `ops.equal_values`: values are fine, vectors raise
    GradientError. Second derivatives of smooth symmetric functions of the values are exact, see
    `ops.spectral`. Results must not depend on the phase of complex vectors, nor on the basis of the
    complement that ``full_matrices`` adds.

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
    _refuse_dependent_columns(r._array)
    return adjoint(apply(SOLVE, r, adjoint(inner)))


def _refuse_dependent_columns(r: Any) -> None:
    """Refuse R whose columns depend on those before them, up to rounding."""
    own = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    whole = np.linalg.norm(r, axis=-2)  # by column: their scales do not matter
    if (own <= r.shape[-1] * np.finfo(r.dtype).eps * whole).any():
        raise GradientError(
            "qr: the first columns of a matrix are linearly dependent, so the factors have no "
            "derivative"
        )


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
