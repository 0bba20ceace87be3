"""det and slogdet, with derivatives that need no inverse.

det is a polynomial, so its derivatives exist at singular matrices too: the first is the cofactor
matrix, the second a matrix of 2 x 2 cofactors. Both are computed from the inverse where the matrix
is well-conditioned and from the singular value decomposition A = U S V^H where it is not:
det(A + H) = det(U) det(V^H) det(S + U^H H V), and the determinant of a diagonal matrix plus a small
one has coefficients that are products of the other singular values, without any division.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._answers import answers
from .._apply import apply, cast
from .._cotangents import add, conj, times
from .._dispatch import in_single_precision, register_kernel
from .._dtypes import real_dtype
from .._errors import GradientError, LinAlgError
from .._op import Op, Rule, declare
from .arithmetic import multiply, negative, subtract
from .manipulation import reshape
from .products import adjoint, matmul, matrix_transpose, trace
from .solvers import inv, square

if TYPE_CHECKING:
    from .._tensor import Tensor


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Any
    logabsdet: Any


# -- cofactors ------------------------------------------------------------------------------------


def _well_conditioned_inverse(x: Any) -> Any:
    """The inverse, or None if rounding errors of it would show in cofactors."""
    try:
        inverse = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return None
    with np.errstate(all="ignore"):
        sizes = abs(x).sum(axis=-1).max(axis=-1, initial=0)
        condition = sizes * abs(inverse).sum(axis=-1).max(axis=-1, initial=0)
        usable = np.isfinite(condition) & (condition < np.finfo(x.dtype).eps ** -0.5)
    return inverse if np.all(usable) else None


def _diagonalized(x: Any) -> tuple[Any, Any, Any, Any]:
    """U, S, V^H and det(U) det(V^H)."""
    u, s, vh = np.linalg.svd(x)
    return u, s, vh, np.linalg.det(u) * np.linalg.det(vh)


def _products_of_others(s: Any) -> Any:
    """For each element along the last axis the product of all others."""
    before, behind = np.ones_like(s), np.ones_like(s)
    before[..., 1:] = np.cumprod(s, axis=-1)[..., :-1]
    behind[..., :-1] = np.cumprod(s[..., ::-1], axis=-1)[..., -2::-1]
    return before * behind


def _products_of_all_but_two(s: Any) -> Any:
    """For each pair of elements the product of all others; zero on the diagonal."""
    index = np.arange(s.shape[-1])
    rest = np.broadcast_to(s[..., None, :], (*s.shape, s.shape[-1])).copy()
    rest[..., index, index] = 1
    products = _products_of_others(rest)
    products[..., index, index] = 0
    return products


def _cofactor_kernel(x: Any) -> Any:
    inverse = _well_conditioned_inverse(x)
    if inverse is not None:
        return np.linalg.det(x)[..., None, None] * inverse.mT
    u, s, vh, sign = _diagonalized(x)
    middle = _products_of_others(s)
    out = np.matmul(u.conj() * middle[..., None, :], vh.conj())
    return (out * sign[..., None, None]).astype(x.dtype)


def _cofactor_change_kernel(x: Any, h: Any) -> Any:
    """Change of the cofactor matrix of `x` along `h`: the second derivative of det."""
    inverse = _well_conditioned_inverse(x)
    if inverse is not None:
        moved = np.matmul(inverse, h)
        traces = np.trace(moved, axis1=-2, axis2=-1)[..., None, None]
        change = traces * inverse.mT - np.matmul(moved, inverse).mT
        return np.linalg.det(x)[..., None, None] * change
    u, s, vh, sign = _diagonalized(x)
    tilted = np.matmul(np.matmul(u.conj().mT, h), vh.conj().mT)
    products = _products_of_all_but_two(s)
    change = -products * tilted.mT
    index = np.arange(x.shape[-1])
    diagonal = tilted[..., index, index]
    change[..., index, index] = np.matmul(products, diagonal[..., None])[..., 0]
    out = np.matmul(np.matmul(u.conj(), change), vh.conj())
    return (out * sign[..., None, None]).astype(x.dtype)


def _third_derivative(x: Any, h: Any, k: Any) -> Any:
    """Change of the cofactor change along `k`; needs the inverse."""
    try:
        b = inv(x)
    except LinAlgError as error:
        raise GradientError(
            "det: third derivatives of the determinant of a singular matrix are not available; "
            "move the matrix slightly, x + 1e-9 * ag.eye(n)"
        ) from error
    bh, bk = matmul(b, h), matmul(b, k)
    th, tk, tkh = _column(trace(bh)), _column(trace(bk)), _column(trace(matmul(bk, bh)))
    bhb, bkb = matmul(bh, b), matmul(bk, b)
    plain = subtract(
        multiply(subtract(multiply(tk, th), tkh), b), add(multiply(tk, bhb), multiply(th, bkb))
    )
    mixed = add(matmul(bk, bhb), matmul(bh, bkb))
    return multiply(_column(det(x)), matrix_transpose(add(plain, mixed)))


def _column(x: Any) -> Any:
    """One number per matrix, ready to be multiplied with the matrices."""
    return reshape(x, (*x._array.shape, 1, 1))


COFACTOR = declare(
    Op("cofactor", ("x",), Rule(x=lambda g, x: conj(apply(COFACTOR_CHANGE, x, conj(g)))),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("cofactor", in_single_precision(_cofactor_kernel))

# Second and third derivatives of det are symmetric in their directions: hence the transposes.
COFACTOR_CHANGE: Op = declare(
    Op("cofactor_change", ("x", "h"),
       Rule(x=lambda g, x, h: conj(_third_derivative(x, h, conj(g))),
            h=lambda g, x: conj(apply(COFACTOR_CHANGE, x, conj(g)))),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("cofactor_change", in_single_precision(_cofactor_change_kernel))


# -- public ---------------------------------------------------------------------------------------

DET = declare(
    Op("det", ("x",), Rule(x=lambda g, x: times(_column(g), conj(apply(COFACTOR, x)))),
       dtypes="floating only")
)  # fmt: skip
register_kernel("det", in_single_precision(lambda x: np.linalg.det(x)))


@answers(np.linalg.det)
def det(x: Tensor, /) -> Tensor:
    """Determinants of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    Tensor, shape (...)

    Notes
    -----
    Derivative: the cofactor matrix, which exists at singular matrices too. Second derivatives are
    exact there as well; third ones need an invertible matrix.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> ag.linalg.det(x).backward()
    >>> x.grad.round(12).tolist()
    [[4.0, -2.0], [-2.0, 1.0]]
    """
    return apply(DET, square(x, "det"))  # type: ignore[no-any-return]


def _slogdet_kernel(x: Any) -> Any:
    sign, logabsdet = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(logabsdet)


def _slogdet_vjp(g: Any, x: Any, out: Any) -> Any:
    g_sign, g_log = g
    weight = None if g_log is None else cast(g_log, x._array.dtype)
    if g_sign is not None and x._array.dtype.kind == "c":
        # d sign = i sign Im tr(x^-1 dx), and Re(-i z) = Im z.
        turn = multiply(-1j, times(conj(g_sign), out[0]))
        phase = cast(negative(cast(turn, real_dtype(x._array.dtype))), x._array.dtype)
        rotation = multiply(1j, phase)
        weight = rotation if weight is None else add(weight, rotation)
    if weight is None:
        return (None,)
    try:
        inverse = inv(x)
    except LinAlgError as error:
        raise GradientError(
            "slogdet: log|det| is -inf at a singular matrix and has no derivative; use ag.linalg."
            "det, whose derivative exists"
        ) from error
    return (times(_column(weight), adjoint(inverse)),)


SLOGDET = declare(Op("slogdet", ("x",), Rule(vjp=_slogdet_vjp), dtypes="floating only"))
register_kernel("slogdet", in_single_precision(_slogdet_kernel))


@answers(np.linalg.slogdet)
def slogdet(x: Tensor, /) -> SlogdetResult:
    """Sign and logarithm of the absolute value of the determinants.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    SlogdetResult
        ``sign``, shape (...), of the dtype of x (on the unit circle for complex x); ``logabsdet``,
        shape (...), real. 0 and -inf for singular matrices.

    Notes
    -----
    Derivative: of logabsdet, inv(x)^H. The sign of a real determinant is constant; that of a
    complex one turns with Im tr(inv(x) dx).
    """
    return SlogdetResult(*apply(SLOGDET, square(x, "slogdet")))
