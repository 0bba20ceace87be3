"""Norms of vectors and matrices, and condition numbers.

A norm has a kink at zero: its gradient there is the minimum-norm subgradient, zero. The same for
each vector of a stack, so that norm(x)**2 has the gradient 2 x everywhere. For second derivatives
at zero see `ops.kinks`: those of norm(x)**2 are right, those of the norm itself do not exist.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._answers import answers
from .._apply import apply, cast, node_of, operand, wrap
from .._cotangents import add, conj, times
from .._dispatch import in_single_precision, register_kernel
from .._dtypes import float64, real_dtype
from .._elementwise import unary
from .._errors import ArgumentError, ShapeError
from .._graph import is_grad_enabled
from .._layout import Shape, listed, normalize_axes, normalize_axis, reduced_shape
from .._op import Op, Partials, Rule, declare
from . import comparison, exponential, parts, statistical
from .arithmetic import divide, negative
from .factorizations import svdvals
from .kinks import cotangents_at_kink, kinked, tangent_at_kink, zero_without_derivative
from .manipulation import broadcast_to, permute_dims, reshape
from .solvers import inv, matrices, square

if TYPE_CHECKING:
    from .._tensor import Tensor


# -- the Euclidean norm and its kin ---------------------------------------------------------------


_sum: Any = np.add.reduce
_min: Any = np.minimum.reduce
_max: Any = np.maximum.reduce
_dot: Any = getattr(np.vdot, "_implementation", np.vdot)  # straight, for arrays only


def _reciprocal_kernel(x: Any, *, out: Any = None) -> Any:
    if out is None:
        out = np.zeros_like(x)
    else:
        out[...] = 0
    return np.divide(1, x, out=out, where=x != 0)


RECIPROCAL_OR_ZERO = declare(
    Op("reciprocal_or_zero", ("x",), Partials(x=lambda out: negative(times(out, out))),
       dtypes="floating only", family="elementwise")
)  # fmt: skip
register_kernel("reciprocal_or_zero", _reciprocal_kernel)


# Elements below which it is calls that count.
_FEW = 1 << 12

# dtype -> the least sum of squares that has lost no digits.
_LEAST = {np.dtype(kind): float(np.finfo(kind).tiny) * 1e8 for kind in ("float32", "float64")}


def _powers_kernel(x: Any, *, axis: tuple[int, ...], keepdims: bool, ord: float) -> Any:
    """(sum |x|^p)^(1/p), scaled where the powers would overflow or vanish."""
    least = _LEAST.get(x.dtype)
    if ord == 2 and least is not None and len(axis) == x.ndim and not keepdims:
        if x.flags.c_contiguous:  # most norms
            flat = x.reshape(-1)
            total = float(_dot(flat, flat))
            if least <= total < math.inf:
                return np.array(math.sqrt(total), x.dtype)
    if ord == 2 and least is not None and 0 < x.size < _FEW:
        with np.errstate(all="ignore"):
            squares: Any = _sum(x * x, axis=axis, keepdims=keepdims)
        # Nothing is lost where none is infinite, NaN or small.
        if least <= _min(squares, axis=None) and _max(squares, axis=None) < math.inf:
            return np.sqrt(squares)
    with np.errstate(all="ignore"):
        if ord == 2:
            out = np.sqrt(_sum_of_squares(x, axis))
        else:
            out = np.power(np.power(abs(x), ord).sum(axis=axis, keepdims=True), 1 / ord)
        if ord > 0 and x.size:
            small = np.finfo(out.dtype).tiny ** (1 / max(ord, 1)) * 1e4
            if not ((out >= small) & (out < np.inf)).all():
                out = _scaled_powers(abs(x), axis, ord)
    return out if keepdims else out.reshape(reduced_shape(x.shape, axis, False))


def _sum_of_squares(x: Any, axis: tuple[int, ...]) -> Any:
    """Of absolute values, with the axes kept."""
    if len(axis) == x.ndim and x.flags.c_contiguous:
        flat = x.reshape(-1)  # BLAS, as NumPy's norm does
        return np.asarray(np.vdot(flat, flat).real).reshape((1,) * x.ndim)
    squares = np.square(x.real)
    if x.dtype.kind == "c":
        squares += np.square(x.imag)
    return squares.sum(axis=axis, keepdims=True)


def _scaled_powers(sizes: Any, axis: tuple[int, ...], ord: float) -> Any:
    largest = sizes.max(axis=axis, keepdims=True)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1)
    powers = np.power(sizes / scale, ord).sum(axis=axis, keepdims=True)
    return (scale * np.power(powers, 1 / ord)).astype(sizes.dtype, copy=False)


def _powers_cotangent(g: Any, x: Any, out: Any, axis: tuple[int, ...], ord: float) -> Any:
    shape = x._array.shape
    kept = reduced_shape(shape, axis, True)
    scale = unary(RECIPROCAL_OR_ZERO, reshape(out, kept))
    dtype = x._array.dtype
    if ord == 2:
        weight = times(reshape(g, kept), scale)
        return times(cast(broadcast_to(weight, shape), dtype), x)
    # sign(x) (|x| / out)^(p - 1)
    ratio = times(parts.abs(x), broadcast_to(scale, shape))
    weight = times(broadcast_to(reshape(g, kept), shape), _power(ratio, ord - 1))
    c = times(cast(weight, dtype), parts.sign(x))
    if ord < 2 and is_grad_enabled() and node_of(x) is not None:
        corners = (x._array == 0) & (reshape(g, kept)._array != 0)
        if corners.any():
            return add(
                c, zero_without_derivative(x, corners, f"an element of the {ord}-norm is zero")
            )
    return c


def _powers_vjp(g: Any, x: Any, out: Any, axis: tuple[int, ...], ord: float) -> Any:
    shape = x._array.shape
    kept = reduced_shape(shape, axis, True)
    (c,) = cotangents_at_kink(
        [_powers_cotangent(g, x, out, axis, ord)], g, [x], out, "vector_norm",
        lambda t: _powers_kernel(t, axis=axis, keepdims=True, ord=ord),
        spread=lambda t: broadcast_to(reshape(t, kept), shape), quadratic=ord == 2,
    )  # fmt: skip
    return c


def _powers_jvp(t: Any, x: Any, out: Any, axis: tuple[int, ...], keepdims: bool, ord: float) -> Any:
    weights = _powers_cotangent(wrap(np.ones_like(out._array)), x, out, axis, ord)
    moved = cast(times(t[0], conj(weights)), out._array.dtype)
    moved = statistical.sum(moved, axis=axis, keepdims=keepdims)

    def one_sided() -> Any:
        return _powers_kernel(t[0]._array, axis=axis, keepdims=keepdims, ord=ord)

    return tangent_at_kink(moved, out, "vector_norm", one_sided)


def _power(x: Any, exponent: float) -> Any:
    return exponential.pow(x, exponent)


VECTOR_NORM = declare(
    Op("vector_norm", ("x",), Rule(x=_powers_vjp, jvp=_powers_jvp), dtypes="floating only",
       computes=True)
)  # fmt: skip
register_kernel("vector_norm", in_single_precision(_powers_kernel))


def _floating(x: Any, function: str) -> Any:
    x = operand(x, function)
    return cast(x, float64) if x._array.dtype.kind in "biu" else x


@answers(np.linalg.vector_norm)
def vector_norm(
    x: Tensor,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float = 2,
) -> Tensor:
    """Norms of vectors.

    Parameters
    ----------
    x : Tensor, floating-point
    axis : int or tuple of int, optional
        Where the vectors lie; by default all elements are one vector.
    keepdims : bool
        Keep the reduced axes with size 1.
    ord : int, float, inf or -inf
        p in (sum |x|^p)^(1/p); inf is the largest, -inf the smallest element, 0 counts the
        nonzero ones.

    Returns
    -------
    Tensor, real floating-point

    Notes
    -----
    Derivative: sign(x) (|x| / out)^(p - 1); zero where the norm is zero (minimum-norm
    subgradient). For inf and -inf ties split evenly. The count (0) has derivative zero. Second
    derivatives where the norm is zero: those of its square are right, other functions raise
    GradientError (see `ops.kinks`).
    """
    x = _floating(x, "vector_norm")
    axes = normalize_axes(axis, x._array.ndim)
    power = _order(ord, "vector_norm")
    keepdims = bool(keepdims)
    if power == math.inf:
        return statistical.max(parts.abs(x), axis=axes, keepdims=keepdims)
    if power == -math.inf:
        return statistical.min(parts.abs(x), axis=axes, keepdims=keepdims)
    if power == 1:
        return statistical.sum(parts.abs(x), axis=axes, keepdims=keepdims)
    if power == 0:
        dtype = real_dtype(x._array.dtype)
        count = cast(comparison.not_equal(x, 0), dtype)
        return statistical.sum(count, axis=axes, keepdims=keepdims)
    return apply(VECTOR_NORM, x, axis=axes, keepdims=keepdims, ord=power)  # type: ignore[no-any-return]


def _order(ord: Any, function: str) -> float:
    try:
        return float(ord)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{function}: ord={ord!r} is not a number; use e.g. 2, 1 or ag.inf"
        ) from error


# -- matrices -------------------------------------------------------------------------------------

MatrixOrder = float | Literal["fro", "nuc"] | None


def _significant(values: Any, shape: Shape) -> Any:
    """Singular values with those that are zero up to rounding cut off from the gradient."""
    array = values._array
    largest = array.max(axis=-1, keepdims=True, initial=0)
    bound = largest * max(shape[-2:]) * np.finfo(array.dtype).eps
    zero = array <= bound
    return kinked(values, zero, "a singular value is zero in matrix_norm", cut=True)


@answers(np.linalg.matrix_norm)
def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: MatrixOrder = "fro") -> Tensor:
    """Norms of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    keepdims : bool
        Keep the last two axes with size 1.
    ord : {"fro", "nuc", inf, -inf, 1, -1, 2, -2} or None
        Frobenius (also None), sum of singular values, largest or smallest sum of a row (inf), of a
        column (1), largest or smallest singular value (2).

    Returns
    -------
    Tensor, shape (...), real

    Notes
    -----
    Derivative: that of the sums and singular values; ties split evenly, and singular values that
    are zero contribute nothing (minimum-norm subgradient).
    """
    x = matrices(x, "matrix_norm")
    shape, keepdims = x._array.shape, bool(keepdims)
    if ord is None or ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord == "nuc":
        out = statistical.sum(_significant(svdvals(x), shape), axis=-1)
    elif ord not in (1, -1, 2, -2, math.inf, -math.inf):
        raise ArgumentError(
            f"matrix_norm: ord={ord!r}; use 'fro', 'nuc', 1, -1, 2, -2, ag.inf or -ag.inf"
        )
    elif ord in (2, -2):
        values = _significant(svdvals(x), shape)
        out = _extreme(_without_ties(values, ord), ord)
    else:
        sums = statistical.sum(parts.abs(x), axis=-2 if ord in (1, -1) else -1)
        out = _extreme(sums, ord)
    return reshape(out, (*shape[:-2], 1, 1)) if keepdims else out


def _without_ties(values: Any, ord: float) -> Any:
    """Singular values of which several extreme ones must not be differentiated twice."""
    array = values._array
    if array.shape[-1] < 2:
        return values
    extreme = (np.max if ord > 0 else np.min)(array, axis=-1, keepdims=True)
    near = abs(array - extreme) <= 8 * array.shape[-1] * np.finfo(array.dtype).eps * extreme
    tied = near & (near.sum(axis=-1, keepdims=True) > 1)
    return kinked(values, tied, "the extreme singular values are equal in matrix_norm")


def _extreme(values: Any, ord: float) -> Any:
    if not values._array.shape[-1]:
        return statistical.sum(values, axis=-1)  # norms of empty matrices are 0
    return (statistical.max if ord > 0 else statistical.min)(values, axis=-1)


@answers(np.linalg.norm)
def norm(
    x: Tensor,
    /,
    ord: MatrixOrder = None,
    axis: int | tuple[int, int] | None = None,
    keepdims: bool = False,
) -> Tensor:
    """NumPy's norm: of vectors or of matrices, depending on `ord` and `axis`.

    Parameters
    ----------
    x : Tensor, floating-point
    ord : int, float, inf, -inf, "fro", "nuc" or None
        None is the Euclidean norm of all elements.
    axis : int or pair of int, optional
        One axis: vectors; two axes: matrices. By default all of a 1-d or 2-d tensor.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor, real

    Notes
    -----
    Derivative: that of `vector_norm` and `matrix_norm`.
    """
    x = _floating(x, "norm")
    ndim = x._array.ndim
    if axis is None:
        if ord is None or (ord == 2 and ndim == 1) or (ord == "fro" and ndim == 2):
            return vector_norm(x, keepdims=keepdims)
        axes = tuple(range(ndim))
    else:
        normalize_axes(axis, ndim)  # refuses what is none
        axes = tuple(normalize_axis(a, ndim) for a in listed(axis))
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ArgumentError(f"norm: ord={ord!r} is for matrices; give two axes")
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ShapeError(
            f"norm: ord={ord!r} needs one axis (vectors) or two (matrices), not {axes}; name them "
            "with axis="
        )
    if ord is None:
        return vector_norm(x, axis=axes, keepdims=keepdims)
    others = tuple(i for i in range(ndim) if i not in axes)
    out = matrix_norm(permute_dims(x, (*others, *axes)), ord=ord)
    return reshape(out, reduced_shape(x._array.shape, axes, True)) if keepdims else out


@answers(np.linalg.cond)
def cond(x: Tensor, /, p: MatrixOrder = None) -> Tensor:
    """Condition numbers of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), floating-point
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}
        Which norm; None is 2.

    Returns
    -------
    Tensor, shape (...), real
        norm(x) * norm(inv(x)); for 2 the quotient of the largest and smallest singular value.

    Notes
    -----
    Derivative: that of the norms.
    """
    x = matrices(x, "cond")
    if p is None or p in (2, -2):
        values = svdvals(x)
        if not values._array.shape[-1]:
            raise ShapeError("cond: the condition number of an empty matrix is not defined")
        first, last = values[..., 0], values[..., -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return divide(last, first) if p == -2 else divide(first, last)
    x = square(x, "cond")
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)
