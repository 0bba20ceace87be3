"""Second derivatives of functions of eigenvalues or singular values where some are equal.

The gradient of a function F of the eigenvalues w of A is V diag(g) V^H with g = dF/dw. When A moves
by dA, M = V^H dA V, the vectors turn, and the gradient changes by V (D * M) V^H plus what g changes
by, with the divided differences D[i, j] = (g[i] - g[j]) / (w[i] - w[j]) (Daleckii and Krein). Where
w[i] = w[j] that is 0 / 0 for every F that is differentiable there, and the limit is how much more
g[i] changes with w[i] than with w[j]. A recorded g is part of a graph, so that it can be asked. If
g is not symmetric in equal values (the largest of two equal eigenvalues), there is no limit, and a
second derivative that needs it is a GradientError.

For singular values the same holds for the Hermitian part of U^H dA V, sums take the place of the
differences for its skew part, and the values are even functions: at zero g[i] / s[i] has a limit.

References
----------
A. S. Lewis and H. S. Sendov, "Twice differentiable spectral functions", SIAM J. Matrix Anal. Appl.
23, 2001.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._apply import apply, cast, node_of, wrap
from .._cotangents import add, times
from .._dispatch import register_kernel
from .._errors import GradientError
from .._forward_pass import push_forward
from .._graph import INPUTS, Node, is_grad_enabled
from .._op import Op, Rule, declare
from .arithmetic import divide, multiply, subtract
from .equal_values import (
    averaged,
    equal_pairs,
    hermitian,
    negligible,
    on_diagonal,
    over_gaps,
    real_part,
    sandwich,
    scaled,
    skew,
)
from .manipulation import reshape
from .products import adjoint, diagonal, matmul, matrix_transpose


def _rows(values: Any) -> Any:
    """Matrices of which each row is `values`."""
    n = values._array.shape[-1]
    row = reshape(values, (*values._array.shape[:-1], 1, n))
    return multiply(row, wrap(np.ones((n, 1), values._array.dtype)))


def _differences(values: Any) -> Any:
    """values[j] - values[i]."""
    rows = _rows(values)
    return subtract(rows, matrix_transpose(rows))


def _sums(values: Any) -> Any:
    rows = _rows(values)
    return add(rows, matrix_transpose(rows))


def _pairs(values: Any, singular: bool) -> tuple[Any, Any]:
    """Masks of the pairs of equal values and of the zeros among them."""
    equal = equal_pairs(values)
    zero = np.zeros(values.shape, bool)
    if singular and values.shape[-1]:
        bound = 8 * values.shape[-1] * np.finfo(values.dtype).eps
        zero = values <= bound * values.max(axis=-1, keepdims=True)
        index = np.arange(values.shape[-1])
        equal[..., index, index] |= zero
    return equal, zero


def _negligible(g: Any) -> Any:
    """Mask of the elements that are rounding errors beside the largest."""
    bound = 64 * g.shape[-1] * np.finfo(g.dtype).eps
    return abs(g) <= bound * abs(g).max(axis=-1, keepdims=True, initial=0)


def limits(g: Any, values: Any, node: Node, singular: bool) -> Any:
    """How much more g[i] changes with values[i] than with values[j], for equal pairs; else zero.

    NaN where that depends on the direction, or where g[i] and g[j] differ.
    """
    equal, zero = _pairs(values._array, singular)
    array = g._array
    unequal = ~negligible(_outer(array, -1), _outer(array, 1)) & equal
    used = zero & ~_negligible(array)
    unequal |= used[..., :, None] & equal & zero[..., None, :]
    nan = wrap(np.where(unequal, np.nan, 0).astype(array.dtype))
    if node_of(g) is None:
        return nan
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2):
        step = rng.uniform(0.5, 1.5, array.shape).astype(array.dtype)
        rest = (None,) * (2 if singular else 1)
        tangent = (None, wrap(step), None) if singular else (wrap(step), *rest)
        try:
            moved = push_forward([node_of(g)], [node], [tangent], True)[0]
        except GradientError:  # a kink on the way
            return wrap(np.where(equal, np.nan, 0).astype(array.dtype))
        if moved is None:
            return nan
        gaps = -_outer(step, -1)
        both = zero[..., :, None] & zero[..., None, :]
        gaps = np.where(both, _outer(step, 1), gaps)
        inverse = np.where(equal, 1 / np.where(equal, gaps, 1), 0).astype(array.dtype)
        change = _differences(moved)
        if both.any():
            mask = wrap(both.astype(array.dtype))
            change = add(change, times(mask, subtract(_sums(moved), change)))
        found.append(times(change, wrap(inverse)))
    first, second = found[0]._array, found[1]._array
    bound = 1e-6 * max(abs(first).max(initial=0), abs(second).max(initial=0))
    mixed = ~(abs(first - second) <= bound)
    return add(found[0], add(nan, wrap(np.where(mixed, np.nan, 0).astype(array.dtype))))


def _outer(values: Any, sign: int) -> Any:
    """values[i] + sign * values[j]."""
    return values[..., :, None] + sign * values[..., None, :]


def _without_unknown(quotients: Any, moved: Any, what: str) -> Any:
    """The quotients with zeros for those that do not exist, which nothing may need."""
    unknown = np.isnan(quotients._array)
    if not unknown.any():
        return quotients
    if (unknown & ~negligible(moved._array, moved._array)).any():
        raise GradientError(
            f"some {what} are equal or zero and used in different ways (as by their largest, or by "
            "a norm that has a kink there): the second derivative does not exist. Use a function "
            f"that is smooth and symmetric in the {what}, or make them differ"
        )
    return wrap(np.where(unknown, 0, quotients._array))


def _change(moved: Any, g: Any, values: Any, limit: Any, what: str, zero: Any) -> Any:
    """D * M, and what averaging over equal values takes away from the change of g."""
    dtype = moved._array.dtype
    limit = _without_unknown(limit, moved, what)
    quotients = add(over_gaps(cast(_differences(g), dtype), values), cast(limit, dtype))
    n = moved._array.shape[-1]
    off = wrap((~np.eye(n, dtype=bool)).astype(dtype))
    total = times(times(moved, off), quotients)
    equal = limit._array != 0
    count = np.maximum(equal.sum(axis=-1), 1)
    summed = reshape(matmul(limit, wrap(np.ones((n, 1), limit._array.dtype))), g._array.shape)
    rate = divide(summed, wrap(count.astype(g._array.dtype)))
    own = real_part(diagonal(moved))
    kept = averaged(own, values)
    if zero is not None:
        kept = times(kept, wrap((~zero).astype(own._array.dtype)))
    return add(total, on_diagonal(times(rate, subtract(own, kept)), dtype))


# -- Hermitian matrices ---------------------------------------------------------------------------


def _eigen_vjp(c: Any, g: Any, values: Any, vectors: Any, limit: Any) -> Any:
    moved = sandwich(adjoint(vectors), hermitian(c), vectors)
    changed = _change(moved, g, values, limit, "eigenvalues", None)
    return hermitian(sandwich(vectors, changed, adjoint(vectors)))


def _eigen_jvp(t: Any, g: Any, values: Any, vectors: Any, limit: Any) -> Any:
    # The values and vectors move with x, and are accounted for by it.
    terms = [] if t[0] is None else [_eigen_vjp(t[0], g, values, vectors, limit)]
    if t[1] is not None:
        terms.append(matmul(scaled(vectors, t[1]), adjoint(vectors)))
    return add(*terms) if len(terms) == 2 else terms[0] if terms else None


EIGEN_GRADIENT = declare(
    Op("eigen_gradient", ("x", "g", "values", "vectors", "limit"),
       Rule(x=_eigen_vjp,
            g=lambda c, vectors: real_part(diagonal(sandwich(adjoint(vectors), c, vectors))),
            jvp=_eigen_jvp),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel(
    "eigen_gradient",
    lambda x, g, values, vectors, limit: (vectors * g[..., None, :]) @ vectors.conj().mT,
)


def stand_in(node: Node, like: Any) -> Any:
    """Something in place of the decomposed matrix, of which only the node counts."""
    x = wrap(np.zeros_like(like))
    x._node = node[INPUTS][0]
    return x


def gradient_of_eigenvalues(g: Any, values: Any, vectors: Any, node: Node | None) -> Any:
    """V diag(g) V^H for cotangents of the values alone, with its derivative at equal values.

    None where no values are equal, or nothing is recorded: then formulas do.
    """
    if node is None or not is_grad_enabled() or not equal_pairs(values._array).any():
        return None
    mean = averaged(g, values)
    x = stand_in(node, vectors._array)
    return apply(EIGEN_GRADIENT, x, mean, values, vectors, limits(g, values, node, False))


# -- singular values ------------------------------------------------------------------------------


def _singular_vjp(c: Any, g: Any, values: Any, u: Any, v: Any, limit: Any) -> Any:
    dtype = c._array.dtype
    _, zero = _pairs(values._array, True)
    known = _without_unknown(limit, sandwich(adjoint(u), c, v), "singular values")
    moved = sandwich(adjoint(u), c, v)
    changed = _change(hermitian(moved), g, values, known, "singular values", zero)
    # (g[i] + g[j]) / (s[i] + s[j]); where both are zero it is the limit
    both = zero[..., :, None] & zero[..., None, :]
    above = wrap((~both).astype(values._array.dtype))
    below = add(_sums(values), wrap(both.astype(values._array.dtype)))
    sums = add(times(divide(_sums(g), below), above),
               times(known, wrap(both.astype(known._array.dtype))))  # fmt: skip
    changed = add(changed, times(skew(moved), cast(sums, dtype)))
    total = sandwich(u, changed, adjoint(v))
    # g[i] / s[i] for what turns the vectors out of their spaces
    single = diagonal(sums)
    k = values._array.shape[-1]
    if u._array.shape[-2] > k:
        image = matmul(c, v)
        outside = subtract(image, matmul(u, matmul(adjoint(u), image)))
        total = add(total, matmul(scaled(outside, single), adjoint(v)))
    if v._array.shape[-2] > k:
        image = matmul(adjoint(c), u)
        outside = subtract(image, matmul(v, matmul(adjoint(v), image)))
        total = add(total, adjoint(matmul(scaled(outside, single), adjoint(u))))
    return total


def _singular_jvp(t: Any, g: Any, values: Any, u: Any, v: Any, limit: Any) -> Any:
    terms = [] if t[0] is None else [_singular_vjp(t[0], g, values, u, v, limit)]
    if t[1] is not None:
        terms.append(matmul(scaled(u, t[1]), adjoint(v)))
    return add(*terms) if len(terms) == 2 else terms[0] if terms else None


SINGULAR_GRADIENT = declare(
    Op("singular_gradient", ("x", "g", "values", "u", "v", "limit"),
       Rule(x=_singular_vjp,
            g=lambda c, u, v: real_part(diagonal(sandwich(adjoint(u), c, v))),
            jvp=_singular_jvp),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel(
    "singular_gradient",
    lambda x, g, values, u, v, limit: (u * g[..., None, :]) @ v.conj().mT,
)


def gradient_of_singular_values(g: Any, values: Any, u: Any, v: Any, node: Node | None) -> Any:
    """U diag(g) V^H for cotangents of the values alone; None where formulas do."""
    if node is None or not is_grad_enabled():
        return None
    equal, zero = _pairs(values._array, True)
    if not (equal.any() or zero.any()):
        return None
    dropped = (values._array == 0) | (zero & _negligible(g._array))
    mean = times(averaged(g, values), wrap((~dropped).astype(g._array.dtype)))
    x = stand_in(node, u._array @ v._array.mT)
    limit = limits(g, values, node, True)
    return apply(SINGULAR_GRADIENT, x, mean, values, u, v, limit)
