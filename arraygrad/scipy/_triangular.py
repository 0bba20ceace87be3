"""Triangular and banded systems and the LU decomposition as ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Rule
from ._rule import adjoint, primitive_op, scipy_object, xp

# -- triangular systems; the other triangle of `a` is zero -----------------------------------------


def _triangular_kernel(a: Any, b: Any, *, lower: bool) -> Any:
    return scipy_object("scipy.linalg.solve_triangular")(a, b, lower=lower)


def _triangular_vjp(g: Any, a: Any, out: Any, lower: bool) -> Any:
    y = solve_of_triangular(adjoint(a), g, lower=not lower)
    product = -(y @ adjoint(out))
    return (xp.tril(product) if lower else xp.triu(product)), y


solve_of_triangular = primitive_op(
    "linalg.solve_triangular", ("a", "b"), Rule(vjp=_triangular_vjp), _triangular_kernel
)

# -- banded systems: ab[upper + i - j, j] = a[i, j] ------------------------------------------------


def _banded_kernel(ab: Any, b: Any, *, lower: int, upper: int) -> Any:
    return scipy_object("scipy.linalg.solve_banded")((lower, upper), ab, b)


def _rows_of(n: int, lower: int, upper: int) -> tuple[Any, Any]:
    """Row of the matrix at each place of ab, and whether it is a place of the matrix."""
    rows = np.arange(-upper, lower + 1)[:, None] + np.arange(n)
    return np.clip(rows, 0, n - 1), (rows >= 0) & (rows < n)


def _transposed_bands(ab: Any, lower: int, upper: int) -> Any:
    """The bands of the conjugate transpose."""
    columns, inside = _rows_of(ab.shape[1], upper, lower)
    # out[lower + j - i, i] = conj(a[i, j]), and a[i, j] = ab[upper + i - j, j]
    bands = np.arange(lower + upper, -1, -1)[:, None]
    return xp.where(inside, xp.conj(ab)[bands, columns], 0)


def _banded_vjp(g: Any, ab: Any, out: Any, lower: int, upper: int) -> Any:
    y = solve_of_banded(_transposed_bands(ab, lower, upper), g, lower=upper, upper=lower)
    rows, inside = _rows_of(ab.shape[1], lower, upper)
    product = -xp.sum(y[rows] * xp.conj(out), axis=-1)
    return xp.where(inside, product, 0), y


solve_of_banded = primitive_op(
    "linalg.solve_banded", ("ab", "b"), Rule(vjp=_banded_vjp), _banded_kernel
)

# -- LU --------------------------------------------------------------------------------------------


def permutation(pivots: Any, n: int) -> Any:
    """The order of n rows that LAPACK's sequence of interchanges gives."""
    rows = np.arange(n)
    for i, p in enumerate(pivots):
        rows[[i, p]] = rows[[p, i]]
    return rows


def _lu_kernel(a: Any) -> Any:
    _, lower, upper = scipy_object("scipy.linalg.lu")(a)
    return lower, upper


def _lu_vjp(g: Any, out: Any) -> Any:
    g_lower, g_upper = g
    lower, upper = out
    middle = xp.zeros(lower.shape, dtype=lower.dtype)
    if g_lower is not None:
        middle = middle + xp.tril(adjoint(lower) @ g_lower, -1)
    if g_upper is not None:
        middle = middle + xp.triu(g_upper @ adjoint(upper))
    left = solve_of_triangular(adjoint(lower), middle, lower=False)
    return adjoint(solve_of_triangular(upper, adjoint(left), lower=False))


_lu = primitive_op("linalg.lu", ("a",), Rule(a=_lu_vjp), _lu_kernel)


def lu_factors(a: Any) -> Any:
    """Both factors of a matrix whose rows are in pivoted order."""
    m, n = a.shape
    if m == n:
        return _lu(a)
    if m > n:
        lower, upper = _lu(a[:n])
        below = solve_of_triangular(xp.swapaxes(upper, 0, 1), a[n:].T, lower=True).T
        return xp.concatenate((lower, below)), upper
    lower, upper = _lu(a[:, :m])
    beside = solve_of_triangular(lower, a[:, m:], lower=True)
    return lower, xp.concatenate((upper, beside), axis=1)
