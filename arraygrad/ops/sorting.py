"""Sorting: argsort, sort. NaN sorts last in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._apply import apply, node_of, operand, wrap
from .._dispatch import register_kernel
from .._errors import ArgumentTypeError
from .._graph import is_grad_enabled
from .._layout import as_flag, normalize_axis
from .._op import NONE, Op, declare
from .indexing import TAKE_ALONG_AXIS, take_along_axis

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
        ARGSORT,
        x,
        axis=axis,
        descending=as_flag(descending, "descending", "argsort"),
        stable=as_flag(stable, "stable", "argsort"),
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
        axis = normalize_axis(axis, x._array.ndim)
        return apply(TAKE_ALONG_AXIS, x, order, axis=axis)  # type: ignore[no-any-return]
    axis = normalize_axis(axis, x._array.ndim)
    return apply(  # type: ignore[no-any-return]
        SORT,
        x,
        axis=axis,
        descending=as_flag(descending, "descending", "sort"),
        stable=as_flag(stable, "stable", "sort"),
    )


# Run on tensors without a gradient only, as SORT does.
PARTITION: Op = declare(Op("partition", ("x",), NONE, scalar=False))
ARGPARTITION: Op = declare(Op("argpartition", ("x",), NONE, scalar=False))
register_kernel("partition", lambda x, *, kth, axis: np.partition(x, kth, axis=axis))
register_kernel("argpartition", lambda x, *, kth, axis: np.argpartition(x, kth, axis=axis))


def partition(x: Tensor, kth: int | tuple[int, ...], /, *, axis: int = -1) -> Tensor:
    """The elements along an axis with the one at `kth` where sorting puts it.

    Parameters
    ----------
    x : Tensor, at least 1-d
    kth : int or tuple of int
        All smaller elements come before this position, all larger ones behind it.
    axis : int

    Returns
    -------
    Tensor
        Memory of its own; the order of the other elements is NumPy's.

    Notes
    -----
    Derivative: each cotangent goes to the element that came there, as for `sort`.
    """
    x = operand(x, "partition")
    axis = normalize_axis(axis, x._array.ndim)
    kth = _checked(kth, x._array.shape[axis])
    out = apply(PARTITION, x, kth=kth, axis=axis)
    if not (is_grad_enabled() and node_of(x) is not None):
        return out  # type: ignore[no-any-return]
    # NumPy's partition and argpartition need not agree on the order that is left open. Which
    # element came where follows from the ranks, which both arrays have in common.
    ranks = np.argsort(np.argsort(out._array, axis=axis, kind="stable"), axis=axis)
    source = np.take_along_axis(np.argsort(x._array, axis=axis, kind="stable"), ranks, axis=axis)
    return take_along_axis(x, wrap(source), axis=axis)


def argpartition(x: Tensor, kth: int | tuple[int, ...], /, *, axis: int = -1) -> Tensor:
    """The indices that partition the tensor along an axis.

    Parameters
    ----------
    x : Tensor, at least 1-d
    kth : int or tuple of int
        Position (or positions) that get the element which sorting puts there.
    axis : int

    Returns
    -------
    Tensor, int64
        Of the shape of x.

    Notes
    -----
    Not differentiable.
    """
    x = operand(x, "argpartition")
    axis = normalize_axis(axis, x._array.ndim)
    kth = _checked(kth, x._array.shape[axis])
    return apply(ARGPARTITION, x, kth=kth, axis=axis)  # type: ignore[no-any-return]


def _checked(kth: int | tuple[int, ...], n: int) -> tuple[int, ...]:
    """Positions as non-negative numbers."""
    every = np.atleast_1d(operand(kth, "partition", 2)._array).tolist()
    if not every:
        raise ArgumentTypeError(f"partition: kth={kth!r} names no position; give an integer")
    return tuple(normalize_axis(k, n, "kth") for k in every)
