"""What decompositions share: derivatives where eigenvalues or singular values are equal.

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
* Tangents (forward mode) of equal values are averaged too; those of their vectors are NaN unless
  all the values move alike.
* Complex vectors have a free phase. A cotangent that depends on it is a GradientError.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._apply import apply, cast, wrap
from .._cotangents import add, conj, times
from .._dispatch import register_kernel
from .._errors import GradientError, GradientWarning
from .._op import Op, Rule, declare
from .arithmetic import multiply, negative, subtract
from .manipulation import reshape
from .products import adjoint, embed_diagonal, matmul, matrix_transpose
from .statistical import sum


def equal_pairs(values: Any) -> Any:
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
    equal = equal_pairs(values)
    n = values.shape[-1]
    differences = values[..., None, :] - values[..., :, None]
    differences[..., np.arange(n), np.arange(n)] = np.inf
    differences[equal] = np.inf
    out = x / differences
    if unknown and equal.any():
        out[equal & ~negligible(x, x)] = unknown
    return out


def negligible(x: Any, scale: Any) -> Any:
    """Mask of the elements of `x` that are rounding errors beside the largest of `scale`."""
    largest = abs(scale).max(axis=(-2, -1), initial=0, keepdims=True)
    return abs(x) <= 64 * x.shape[-1] * np.finfo(x.dtype).eps * largest


def _gap_values_vjp(g: Any, out: Any, values: Any, unknown: float) -> Any:
    # d out = -out (d values[j] - d values[i]) / gap
    weight = negative(over_gaps(times(g, conj(out)), conj(values), unknown))
    rows, columns = _row_sums(weight), _row_sums(matrix_transpose(weight))
    total = subtract(columns, rows)
    return cast(total, values._array.dtype)


def _row_sums(x: Any) -> Any:
    return sum(x, axis=-1)


def _gap_jvp(t: Any, values: Any, out: Any, unknown: float) -> Any:
    total = None if t[0] is None else over_gaps(t[0], values, unknown)
    if t[1] is not None:
        n = t[1]._array.shape[-1]
        row = cast(reshape(t[1], (*t[1]._array.shape[:-1], 1, n)), out._array.dtype)
        moved = times(out, subtract(row, matrix_transpose(row)))
        change = negative(over_gaps(moved, values, unknown))
        total = change if total is None else add(total, change)
    return total


OVER_GAPS = declare(
    Op("over_gaps", ("x", "values"),
       Rule(x=lambda g, values, unknown: over_gaps(g, conj(values), unknown),
            values=_gap_values_vjp, jvp=_gap_jvp),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("over_gaps", _gap_kernel)


def over_gaps(x: Any, values: Any, unknown: float = 0.0) -> Any:
    """x[i, j] / (values[j] - values[i]), and `unknown` where that does not exist."""
    return apply(OVER_GAPS, x, values, unknown=unknown)


def rotation(change: Any, values: Any) -> Any:
    """How vectors turn into each other under V^-1 dx V = `change`; NaN where that is undetermined.

    Vectors of equal values are determined to first order only if all their values move alike.
    """
    turning = over_gaps(change, values, float("nan"))
    equal = equal_pairs(values._array)
    if not equal.any():
        return turning
    array = change._array
    own = np.diagonal(array, 0, -2, -1)
    apart = own[..., :, None] - own[..., None, :]
    undetermined = equal & ~negligible(apart, array)
    return add(turning, wrap(np.where(undetermined, np.nan, 0).astype(array.dtype)))


def without_equal(coupling: Any, values: Any, function: str, what: str) -> Any:
    """Check that the cotangent couples no vectors of equal values; drop those rounding errors."""
    equal = equal_pairs(values._array)
    if not equal.any():
        return coupling
    array = coupling._array
    coupled = equal & ~negligible(array, array)
    if coupled.any():
        where = tuple(int(i) for i in np.argwhere(coupled)[0])
        raise GradientError(
            f"{function}: {what} {sorted(where[-2:])} are equal"
            + (f" in matrix {where[:-2]}" if where[:-2] else "")
            + " and their vectors, which are any basis of one space, are used (second derivatives "
            "of values use them too): the derivative does not exist or cannot be told from them. "
            f"Use a function of the {what} alone, a function of the matrix (ag.linalg.expm, inv, "
            "solve, ...), or make them differ"
        )
    warnings.warn(
        f"{function}: some {what} are equal; the gradient takes the result not to depend on how "
        "their vectors mix. It would be wrong for a function of the matrix, built from vectors, "
        "that is zero at that value",
        GradientWarning,
        stacklevel=2,
    )
    return times(coupling, wrap((~equal).astype(array.dtype)))


def averaged(g: Any, values: Any) -> Any:
    """Cotangents of equal values replaced by their mean."""
    equal = equal_pairs(values._array)
    if not equal.any():
        return g
    n = equal.shape[-1]
    equal[..., np.arange(n), np.arange(n)] = True
    weights = (equal / equal.sum(axis=-1, keepdims=True)).astype(g._array.dtype)
    column = reshape(g, (*g._array.shape, 1))
    return reshape(matmul(wrap(weights), column), g._array.shape)


def check_phase(coupling: Any, scale: Any, function: str) -> None:
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


def scaled(x: Any, values: Any) -> Any:
    """The columns of the matrices times the values."""
    row = reshape(values, (*values._array.shape[:-1], 1, values._array.shape[-1]))
    return times(x, cast(row, x._array.dtype))


def on_diagonal(values: Any, dtype: Any) -> Any:
    """Diagonal matrices."""
    n = values._array.shape[-1]
    return embed_diagonal(cast(values, dtype), (*values._array.shape, n))


def hermitian(x: Any) -> Any:
    """The Hermitian part."""
    return multiply(0.5, add(x, adjoint(x)))


def skew(x: Any) -> Any:
    """The skew-Hermitian part."""
    return multiply(0.5, subtract(x, adjoint(x)))


def real_part(x: Any) -> Any:
    """The real part, of real dtype."""
    return cast(x, x._array.real.dtype)


def sandwich(left: Any, middle: Any, right: Any) -> Any:
    """The product of three matrices."""
    return matmul(matmul(left, middle), right)
