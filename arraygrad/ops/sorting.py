"""Sorting: argsort, sort. NaN sorts last in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._apply import apply, node_of, operand
from .._graph import is_grad_enabled
from .._layout import normalize_axis
from .._op import NONE, Op, declare
from .indexing import take_along_axis

if TYPE_CHECKING:
    from .._tensor import Tensor

ARGSORT: Op = declare(Op("argsort", ("x",), NONE, scalar=False))


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The indices that sort the tensor along an axis.

    Parameters
    ----------
    x : Tensor, at least 1-d
        Complex numbers are ordered by their real, then their imaginary part.
    axis : int
    descending : bool
        Largest first.
    stable : bool
        Keep equal elements in their order, in both directions.

    Returns
    -------
    Tensor, int64
        Of the shape of x.

    Notes
    -----
    Not differentiable.
    """
    x = operand(x, "argsort")
    axis = normalize_axis(axis, x._array.ndim)
    return apply(  # type: ignore[no-any-return]
        ARGSORT, x, axis=axis, descending=bool(descending), stable=bool(stable)
    )


# Runs on tensors without a gradient only: those with one are gathered by their argsort.
SORT: Op = declare(Op("sort", ("x",), NONE, scalar=False))


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in ascending (or descending) order along an axis.

    Parameters
    ----------
    x : Tensor, at least 1-d
        Complex numbers are ordered by their real, then their imaginary part.
    axis : int
    descending : bool
        Largest first.
    stable : bool
        Keep equal elements in their order, in both directions.

    Returns
    -------
    Tensor
        Memory of its own, of the shape and dtype of x.

    Notes
    -----
    Derivative: each cotangent goes to the element that came there; of equal elements to the one
    that the (stable) sort put there.
    """
    x = operand(x, "sort")
    if is_grad_enabled() and node_of(x) is not None:
        order = argsort(x, axis=axis, descending=descending, stable=stable)
        return take_along_axis(x, order, axis=axis)
    axis = normalize_axis(axis, x._array.ndim)
    return apply(  # type: ignore[no-any-return]
        SORT, x, axis=axis, descending=bool(descending), stable=bool(stable)
    )


def partition(x: Tensor, kth: int, /, *, axis: int = -1) -> Tensor:
    """The elements along an axis with the one at `kth` where sorting puts it.

    Parameters
    ----------
    x : Tensor, at least 1-d
    kth : int
        All smaller elements come before this position, all larger ones behind it.
    axis : int

    Returns
    -------
    Tensor
        Completely sorted, which is such an order.

    Notes
    -----
    Derivative: as for `sort`.
    """
    x = operand(x, "partition")
    normalize_axis(kth, x._array.shape[normalize_axis(axis, x._array.ndim)], "kth")
    return sort(x, axis=axis)
