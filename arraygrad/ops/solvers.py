"""Inverses, linear systems, Cholesky factors, least squares and powers of matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._answers import answers
from .._apply import apply, cast, operand, wrap
from .._cotangents import add, conj, times
from .._dispatch import in_single_precision, register_kernel
from .._dtypes import float64
from .._errors import ArgumentError, LinAlgError, ShapeError
from .._layout import Shape, as_integer, as_real, broadcast_shapes
from .._op import NONE, Op, Rule, declare
from . import creation, statistical
from .arithmetic import multiply, negative, subtract
from .manipulation import reshape
from .products import (
    adjoint,
    is_tracked,
    matmul,
    sum_to,
    together,
)

if TYPE_CHECKING:
    from .._tensor import Tensor


# -- arguments and errors -------------------------------------------------------------------------


def matrices(x: Any, function: str, position: int = 1) -> Any:
    """The operand as floating-point matrices."""
    x = operand(x, function, position)
    array = x._array
    if array.ndim < 2:
        raise LinAlgError(
            f"{function}: argument {position} has shape {array.shape}; it needs at least two "
            "dimensions (..., M, N)"
        )
    return cast(x, float64) if array.dtype.kind in "biu" else x


def square(x: Any, function: str, position: int = 1) -> Any:
    """The operand as floating-point square matrices."""
    x = matrices(x, function, position)
    shape = x._array.shape
    if shape[-1] != shape[-2]:
        raise LinAlgError(
            f"{function}: argument {position} has shape {shape}; the matrices must be square"
        )
    return x


def lapack(function: str, advice: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Kernel decorator: LAPACK's failures as our LinAlgError; half precision in float32."""

    def decorate(kernel: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(kernel)
        def run(*arrays: Any, **attributes: Any) -> Any:
            try:
                return kernel(*arrays, **attributes)
            except np.linalg.LinAlgError as error:
                raise LinAlgError(f"{function}: {str(error).lower()}; {advice}") from error

        return in_single_precision(run)

    return decorate


def triangle(n: int, dtype: Any, diagonal: float) -> Any:
    """Constant: ones below the diagonal, `diagonal` on it, zeros above."""
    mask = np.tri(n, n, -1, dtype=dtype)
    mask[np.arange(n), np.arange(n)] = diagonal
    return wrap(mask)


def from_triangle(x: Any, which: str) -> Any:
    """Matrices of which one triangle ("L" or "U") is read, with the other made from it.

    Only where it matters: the gradient of a Hermitian matrix is spread evenly over both triangles,
    that of any other must go to the one that is read.
    """
    if not is_tracked(x):
        return x
    array = x._array
    turned = _adjoint(array)
    if np.array_equal(array, turned):
        return x
    gap = np.abs(array - turned)
    is_builtin = array.dtype.kind in "fc"  # bfloat16 is not
    tolerance = max(1e-8, 8 * float(np.finfo(array.dtype).eps)) if is_builtin else 1e-2
    # Products such as A @ P @ A.T are Hermitian but for rounding.
    if gap.size == 0 or np.max(gap) <= tolerance * np.max(np.abs(array)):
        return x
    if which == "L":
        return creation.tril(x) + adjoint(creation.tril(x, k=-1))
    return creation.triu(x) + adjoint(creation.triu(x, k=1))


# -- inv ------------------------------------------------------------------------------------------


@lapack("inv", "for singular matrices use ag.linalg.pinv")
def _inv_kernel(x: Any) -> Any:
    return np.linalg.inv(x)


def _inv_vjp(g: Any, out: Any) -> Any:
    transposed = adjoint(out)
    return negative(matmul(matmul(transposed, g), transposed))


def _inv_jvp(t: Any, out: Any) -> Any:
    return negative(matmul(matmul(out, t[0]), out))


INV = declare(
    Op("inv", ("x",), Rule(x=_inv_vjp, jvp=_inv_jvp), dtypes="floating only", scalar=False)
)
register_kernel("inv", _inv_kernel)


@answers(np.linalg.inv)
def inv(x: Tensor, /) -> Tensor:
    """Inverses of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    Tensor, shape (..., M, M)

    Raises
    ------
    LinAlgError
        If a matrix is singular.

    Notes
    -----
    Derivative: d out = -out @ dx @ out.
    """
    return apply(INV, square(x, "inv"))  # type: ignore[no-any-return]


# -- solve ----------------------------------------------------------------------------------------


@lapack("solve", "the matrices of x1 must be invertible; otherwise use ag.linalg.lstsq")
def _solve_kernel(x1: Any, x2: Any) -> Any:
    return np.linalg.solve(x1, x2)


def _solve_vjp(g: Any, x1: Any, out: Any, x2_shape: Shape, needs: tuple[bool, ...]) -> Any:
    y = apply(SOLVE, adjoint(x1), g)
    g1 = None
    if needs[0]:
        g1 = sum_to(negative(matmul(y, adjoint(out))), x1._array.shape)
    return g1, sum_to(y, x2_shape)


def _solve_jvp(t: Any, x1: Any, out: Any) -> Any:
    t1, t2 = t
    if t1 is None:
        return apply(SOLVE, x1, _wide(t2, out))
    moved = negative(matmul(t1, out))
    return apply(SOLVE, x1, moved if t2 is None else add(t2, moved))


def _wide(t: Any, out: Any) -> Any:
    return t if t._array.shape == out._array.shape else add(t, wrap(np.zeros_like(out._array)))


SOLVE = declare(
    Op("solve", ("x1", "x2"), Rule(vjp=_solve_vjp, jvp=_solve_jvp), dtypes="floating only",
       scalar=False)
)  # fmt: skip
register_kernel("solve", _solve_kernel)


@answers(np.linalg.solve)
def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solutions of the linear systems x1 @ out = x2.

    Parameters
    ----------
    x1 : Tensor, shape (..., M, M), floating-point
    x2 : Tensor, shape (M,) or (..., M, K), floating-point
        One dimension means one right-hand side for all matrices of x1.

    Returns
    -------
    Tensor, shape (..., M) or (..., M, K)
        Leading dimensions broadcast.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    ShapeError
        If the shapes do not fit.

    Notes
    -----
    Derivative: the cotangent of x2 is y = solve(x1^H, g), that of x1 is -y @ out^H.
    """
    x1, x2 = together(x1, x2, "solve")
    x1, x2 = square(x1, "solve", 1), operand(x2, "solve", 2)
    if x2._array.dtype != x1._array.dtype:
        x2 = cast(x2, x1._array.dtype)
    vector = x2._array.ndim == 1
    if vector:
        x2 = reshape(x2, (x2._array.shape[0], 1))
    shape1, shape2 = x1._array.shape, x2._array.shape
    if len(shape2) < 2 or shape2[-2] != shape1[-1]:
        raise ShapeError(
            f"solve: matrices of shape {shape1} and right-hand sides of shape "
            f"{shape2[:-1] if vector else shape2} do not fit; x2 needs shape (M,) or (..., M, K) "
            f"with M = {shape1[-1]}"
        )
    broadcast_shapes(shape1[:-2], shape2[:-2])
    out = apply(SOLVE, x1, x2)
    return reshape(out, out._array.shape[:-1]) if vector else out


# -- cholesky -------------------------------------------------------------------------------------


@lapack("cholesky", "the matrices must be positive definite; add to the diagonal, x + 1e-9 * I")
def _cholesky_kernel(x: Any) -> Any:
    return np.linalg.cholesky(x)


# Columns of which the inverse of their diagonal block is made: below that, one block.
_WIDTH = 64


def _cholesky_backward_kernel(g: Any, factor: Any) -> Any:
    """Cotangent of x, by blocks of columns from the last to the first.

    As many operations as twice the factorization's, all of them products of matrices: the formula
    for whole matrices, of `_diagonal_block`, has seven times as many.
    """
    n = factor.shape[-1]
    dtype = np.result_type(g, factor)
    if n <= _WIDTH:
        return _diagonal_block(g.astype(dtype, copy=False), factor, np.linalg.inv(factor))
    pending = np.array(g, dtype, order="C")
    out = np.empty(pending.shape, dtype)
    count = -(-n // _WIDTH)
    edges = [n * i // count for i in range(count + 1)]
    for start, stop in zip(edges[-2::-1], edges[:0:-1], strict=True):
        before, here, after = slice(start), slice(start, stop), slice(stop, None)
        left, diagonal = factor[..., here, before], factor[..., here, here]
        inverse = np.linalg.inv(diagonal)
        own = pending[..., here, here]
        if stop < n:
            below = np.matmul(pending[..., after, here], inverse)
            upper = _adjoint(below)
            pending[..., after, before] -= np.matmul(below, left)
            own -= np.matmul(upper, factor[..., after, here])
            pending[..., here, before] -= np.matmul(upper, factor[..., after, before])
            out[..., after, here] = below = np.multiply(below, 0.5, out=below)
            out[..., here, after] = _adjoint(below)
        out[..., here, here] = middle = _diagonal_block(own, diagonal, inverse)
        if start:
            pending[..., here, before] -= np.matmul(2 * middle, left)
    return out


def _adjoint(array: Any) -> Any:
    turned = np.swapaxes(array, -1, -2)
    return np.conj(turned) if array.dtype.kind == "c" else turned


def _diagonal_block(g: Any, factor: Any, inverse: Any) -> Any:
    """L^-H tril(L^H g) L^-1 with half the diagonal, made Hermitian (Murray 2016)."""
    inverse = np.tril(inverse)
    middle = np.tril(np.matmul(_adjoint(factor), g))
    middle += _adjoint(middle)  # NumPy makes a copy where the memory overlaps
    np.einsum("...ii->...i", middle)[...] *= 0.5
    product = np.matmul(np.matmul(_adjoint(inverse), middle), inverse)
    product *= 0.5
    return product


def _cholesky_backward_vjp(g: Any, x1: Any, x2: Any, out: Any) -> Any:
    """With h Hermitian, w = h L^-H and q = tril(L^-1 w) with half the diagonal."""
    array = x2._array
    inverse = apply(INV, x2)
    h = multiply(0.5, add(g, adjoint(g)))
    w = matmul(h, adjoint(inverse))
    q = times(matmul(inverse, w), triangle(array.shape[-1], array.dtype, 0.5))
    by_factor = subtract(matmul(x1, adjoint(q)), multiply(2.0, matmul(out, w)))
    return matmul(x2, q), times(by_factor, triangle(array.shape[-1], array.dtype, 1.0))


CHOLESKY_BACKWARD = declare(
    Op("cholesky_backward", ("x1", "x2"), Rule(vjp=_cholesky_backward_vjp), dtypes="floating only",
       scalar=False)
)  # fmt: skip
register_kernel(
    "cholesky_backward",
    lapack("cholesky", "its derivative does not exist at such matrices")(_cholesky_backward_kernel),
)


def _cholesky_vjp(g: Any, out: Any) -> Any:
    return apply(CHOLESKY_BACKWARD, g, out)


CHOLESKY = declare(
    Op("cholesky", ("x",), Rule(x=_cholesky_vjp), dtypes="floating only", scalar=False)
)
register_kernel("cholesky", _cholesky_kernel)


@answers(np.linalg.cholesky)
def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Cholesky factors of Hermitian positive definite matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
        Only one triangle is read, the lower one unless `upper`.
    upper : bool
        Return the upper factor.

    Returns
    -------
    Tensor, shape (..., M, M)
        L with x = L @ L^H, or U with x = U^H @ U.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.

    Notes
    -----
    Derivative: the cotangent is Hermitian, as if x were (x + x^H) / 2: although one triangle is
    read, the gradient is spread evenly over both, which is the gradient in the space of Hermitian
    matrices. Where x is not Hermitian the gradient lies in the triangle that is read.

    References
    ----------
    I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016.
    """
    x = square(x, "cholesky")
    if not upper:
        return apply(CHOLESKY, from_triangle(x, "L"))  # type: ignore[no-any-return]
    return adjoint(apply(CHOLESKY, adjoint(from_triangle(x, "U"))))  # type: ignore[no-any-return]


# -- pinv -----------------------------------------------------------------------------------------


@lapack("pinv", "check the matrices for NaN and inf")
def _pinv_kernel(x: Any, *, rtol: Any) -> Any:
    return np.linalg.pinv(x, rtol=rtol)


def _pinv_vjp(g: Any, x: Any, out: Any) -> Any:
    """Derivative among matrices of the same rank (Golub and Pereyra 1973)."""
    p, ph, gh = out, adjoint(out), adjoint(g)
    first = negative(matmul(matmul(ph, g), ph))
    rows = matmul(gh, matmul(p, ph))  # gh P P^H, then (I - x P) from the left
    second = subtract(rows, matmul(x, matmul(p, rows)))
    columns = matmul(matmul(ph, p), gh)  # P^H P gh, then (I - P x) from the right
    third = subtract(columns, matmul(matmul(columns, p), x))
    return add(first, add(second, third))


PINV = declare(Op("pinv", ("x",), Rule(x=_pinv_vjp), dtypes="floating only", scalar=False))
register_kernel("pinv", _pinv_kernel)


def tolerance(rtol: Any, stack: Shape, function: str) -> Any:
    """The rtol argument, for a stack of matrices, as NumPy takes it."""
    if rtol is None:
        return None
    array = operand(rtol, function, 2)._array
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{function}: rtol={rtol!r} is not a real number or tensor")
    if not array.ndim:
        return float(array)
    if broadcast_shapes(array.shape, stack) != stack and function != "matrix_rank":
        raise ShapeError(
            f"{function}: rtol has shape {array.shape}, the stack of matrices {stack}; give one "
            "number, or one for each matrix"
        )
    return array


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Moore-Penrose pseudo-inverses of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    rtol : float or Tensor, shape (...), optional
        Singular values up to rtol times the largest count as zero; max(M, N) * eps by default.

    Returns
    -------
    Tensor, shape (..., N, M)

    Notes
    -----
    Derivative: with P the pseudo-inverse, dP = -P dx P + P P^H dx^H (1 - x P)
    + (1 - P x) dx^H P^H P. It holds along changes that keep the rank; across a change of rank the
    pseudo-inverse jumps and has no derivative.

    References
    ----------
    G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
    problems whose variables separate", SIAM J. Numer. Anal. 10, 1973.
    """
    x = matrices(x, "pinv")
    return apply(PINV, x, rtol=tolerance(rtol, x._array.shape[:-2], "pinv"))  # type: ignore[no-any-return]


MATRIX_RANK = declare(Op("matrix_rank", ("x",), NONE, dtypes="floating only"))
register_kernel(
    "matrix_rank",
    in_single_precision(
        lambda x, *, rtol: np.asarray(np.linalg.matrix_rank(x, rtol=rtol), np.int64)
    ),
)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Ranks of the matrices: how many singular values are not small.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    rtol : float or Tensor, shape (...), optional
        Singular values up to rtol times the largest are small; max(M, N) * eps by default.

    Returns
    -------
    Tensor, shape (...), int64
        Not differentiable.
    """
    x = matrices(x, "matrix_rank")
    rtol = tolerance(rtol, x._array.shape[:-2], "matrix_rank")
    return apply(MATRIX_RANK, x, rtol=rtol)  # type: ignore[no-any-return]


# -- lstsq ----------------------------------------------------------------------------------------


class LstsqResult(NamedTuple):
    """Least-squares solution and what is known about the system."""

    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any


@lapack("lstsq", "check the arguments for NaN and inf")
def _lstsq_kernel(x1: Any, x2: Any, *, rcond: float | None) -> Any:
    solution, _, rank, singular_values = np.linalg.lstsq(x1, x2, rcond=rcond)
    return solution, np.asarray(rank), singular_values


def _lstsq_vjp(
    g: Any, x1: Any, x2: Any, out: Any, rcond: float | None, needs: tuple[bool, ...]
) -> Any:
    g_solution, _, g_values = g
    g1 = g2 = None
    if g_solution is not None:
        solution = out[0]
        p = pinv(x1, rtol=_between(out[2]._array, int(out[1]._array)))
        ph = adjoint(p)
        y = matmul(ph, g_solution)
        g2 = y
        if needs[0]:
            residual = subtract(x2, matmul(x1, solution))
            outside = subtract(g_solution, matmul(p, matmul(x1, g_solution)))
            g1 = subtract(
                add(
                    matmul(residual, adjoint(matmul(p, y))),
                    matmul(matmul(ph, solution), adjoint(outside)),
                ),
                matmul(y, adjoint(solution)),
            )
    if g_values is not None and needs[0]:
        from .factorizations import svd

        u, _, vh = svd(x1, full_matrices=False)
        term = matmul(times(u, cast(reshape(g_values, (1, -1)), u._array.dtype)), vh)
        g1 = term if g1 is None else add(g1, term)
    return g1, g2


def _between(values: Any, rank: int) -> float:
    """What part of the largest singular value lies between those that counted and the others.

    LAPACK says which did: it takes an rcond that is not between 0 and 1 for its own precision.
    """
    if rank in (0, values.size):
        return 0.0 if rank else 1.0
    return float(values[rank - 1] + values[rank]) / (2.0 * float(values[0]))


LSTSQ = declare(Op("lstsq", ("x1", "x2"), Rule(vjp=_lstsq_vjp), dtypes="floating only"))
register_kernel("lstsq", _lstsq_kernel)


@answers(np.linalg.lstsq)
def lstsq(x1: Tensor, x2: Tensor, /, rcond: float | None = None) -> LstsqResult:
    """Solution of x1 @ solution = x2 with the least squared error, of least norm.

    Parameters
    ----------
    x1 : Tensor, shape (M, N), floating-point
    x2 : Tensor, shape (M,) or (M, K), floating-point
    rcond : float, optional
        Singular values up to rcond times the largest count as zero; max(M, N) * eps by default.

    Returns
    -------
    LstsqResult
        ``solution``, shape (N,) or (N, K); ``residuals``, the squared errors, shape (1,) or (K,),
        empty unless M > N = rank; ``rank``; ``singular_values`` of x1.

    Notes
    -----
    Derivative: that of pinv(x1) @ x2, among matrices of the same rank; singular values as in
    `svdvals`.
    """
    x1, x2 = together(x1, x2, "lstsq")
    x1 = matrices(x1, "lstsq", 1)
    x2 = cast(operand(x2, "lstsq", 2), x1._array.dtype)
    shape1, shape2 = x1._array.shape, x2._array.shape
    if len(shape1) != 2 or len(shape2) not in (1, 2) or shape1[0] != shape2[0]:
        raise ShapeError(
            f"lstsq: shapes {shape1} and {shape2} do not fit; give (M, N) and (M,) or (M, K)"
        )
    if rcond is not None:
        rcond = as_real(rcond, "rcond", "lstsq")
    columns = x2 if len(shape2) == 2 else reshape(x2, (shape2[0], 1))
    solution, rank, values = apply(LSTSQ, x1, columns, rcond=rcond)
    if shape1[0] > shape1[1] == int(rank._array):
        error = subtract(columns, matmul(x1, solution))
        residuals = statistical.sum(cast(multiply(error, conj(error)), values._array.dtype), axis=0)
    else:
        residuals = wrap(np.empty(0, values._array.dtype))
    if len(shape2) == 1:
        solution = reshape(solution, (shape1[1],))
    return LstsqResult(solution, residuals, rank, values)


# -- matrix_power ---------------------------------------------------------------------------------


@answers(np.linalg.matrix_power)
def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Integer powers of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
    n : int
        Negative powers invert first.

    Returns
    -------
    Tensor, shape (..., M, M)

    Raises
    ------
    LinAlgError
        If n is negative and a matrix is singular.

    Notes
    -----
    Derivative: that of the products which it is made of (log2(n) of them).
    """
    x = operand(x, "matrix_power")
    n = as_integer(n, "n", "matrix_power")
    integers = x._array.dtype.kind in "iu" and x._array.ndim >= 2
    if not (integers and n >= 0 and x._array.shape[-1] == x._array.shape[-2]):
        x = square(x, "matrix_power")
    if n == 0:
        # The gradient is zero, but it is there.
        eye = np.broadcast_to(np.eye(x._array.shape[-1], dtype=x._array.dtype), x._array.shape)
        return add(times(x, wrap(np.zeros_like(x._array))), wrap(eye))  # type: ignore[no-any-return]
    power, out = (inv(x), None) if n < 0 else (x, None)
    n = abs(n)
    while True:
        if n & 1:
            out = power if out is None else matmul(out, power)
        n >>= 1
        if not n:
            break
        power = matmul(power, power)
    return out.copy() if out is x else out  # type: ignore[return-value]
