"""Sets: the unique elements of a tensor, and membership.

Equality decides: each NaN is an element of its own, and -0 and 0 are one element. The results are
sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._apply import apply, cast, constant, node_of, operand, wrap
from .._dtypes import promote, scalar_dtype
from .._graph import is_grad_enabled
from .._op import NONE, Op, declare
from .indexing import take
from .manipulation import reshape
from .searching import is_number

if TYPE_CHECKING:
    from .._tensor import Tensor


class UniqueAllResult(NamedTuple):
    """Result of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """Result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """Result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


# The values of tensors with a gradient are gathered by their indices, see `_values`.
UNIQUE_ALL: Op = declare(Op("unique_all", ("x",), NONE, scalar=False))
UNIQUE_COUNTS: Op = declare(Op("unique_counts", ("x",), NONE, scalar=False))
UNIQUE_INVERSE: Op = declare(Op("unique_inverse", ("x",), NONE, scalar=False))
UNIQUE_VALUES: Op = declare(Op("unique_values", ("x",), NONE, scalar=False))
ISIN: Op = declare(Op("isin", ("x1", "x2"), NONE))


def _tracked(x: Any) -> bool:
    return is_grad_enabled() and node_of(x) is not None


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """The unique elements, where they occur first, which one each element is, and how often.

    Parameters
    ----------
    x : Tensor
        Taken as flattened in C order.

    Returns
    -------
    UniqueAllResult
        values : sorted, 1-d; indices : of the first occurrences in the flattened x;
        inverse_indices : of the shape of x, so that ``values[inverse_indices]`` is x; counts.

    Notes
    -----
    Derivative of the values: that of their first occurrences.
    """
    x = operand(x, "unique_all")
    values, indices, inverse, counts = apply(UNIQUE_ALL, x)
    if _tracked(x):
        values = take(reshape(x, (-1,)), indices)
    return UniqueAllResult(values, indices, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """The unique elements and how often each occurs.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    UniqueCountsResult
        values : sorted, 1-d; counts.

    Notes
    -----
    Derivative of the values: that of their first occurrences.
    """
    x = operand(x, "unique_counts")
    if _tracked(x):
        found = unique_all(x)
        return UniqueCountsResult(found.values, found.counts)
    return UniqueCountsResult(*apply(UNIQUE_COUNTS, x))


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """The unique elements and which of them each element is.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    UniqueInverseResult
        values : sorted, 1-d; inverse_indices : of the shape of x.

    Notes
    -----
    Derivative of the values: that of their first occurrences.
    """
    x = operand(x, "unique_inverse")
    if _tracked(x):
        found = unique_all(x)
        return UniqueInverseResult(found.values, found.inverse_indices)
    return UniqueInverseResult(*apply(UNIQUE_INVERSE, x))


def unique_values(x: Tensor, /) -> Tensor:
    """The unique elements.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
        Sorted, 1-d.

    Notes
    -----
    Derivative: that of the first occurrences.
    """
    x = operand(x, "unique_values")
    if _tracked(x):
        return unique_all(x).values
    return apply(UNIQUE_VALUES, x)  # type: ignore[no-any-return]


def isin(x1: Tensor | complex, x2: Tensor | complex, /, *, invert: bool = False) -> Tensor:
    """Whether each element of x1 equals one of x2; NaN never does.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
    invert : bool
        Return whether it does not.

    Returns
    -------
    Tensor, bool
        Of the shape of x1.

    Notes
    -----
    Not differentiable.
    """
    first, second = is_number(x1), is_number(x2)
    t1: Any = None if first and not second else operand(x1, "isin", 1)
    t2: Any = None if second and not first else operand(x2, "isin", 2)
    if t1 is None:
        t1 = wrap(constant(x1, scalar_dtype(x1, t2._array.dtype)))  # type: ignore[arg-type]
    elif t2 is None:
        t2 = wrap(constant(x2, scalar_dtype(x2, t1._array.dtype)))  # type: ignore[arg-type]
    dtype = promote(t1._array.dtype, t2._array.dtype)
    return apply(ISIN, cast(t1, dtype), cast(t2, dtype), invert=bool(invert))  # type: ignore[no-any-return]
