"""Searching: argmax, argmin, count_nonzero, nonzero, searchsorted, where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _cotangents
from .._apply import apply, cast, constant, operand, wrap
from .._dtypes import bool_, promote, scalar_dtype
from .._errors import ArgumentError, ShapeError
from .._layout import normalize_axes, normalize_axis
from .._op import NONE, Op, declare
from .._short import choice, reduction
from .._storage import TensorBase

if TYPE_CHECKING:
    from .._tensor import Tensor

# -- positions ------------------------------------------------------------------------------------

ARGMAX: Op = declare(Op("argmax", ("x",), NONE))
ARGMIN: Op = declare(Op("argmin", ("x",), NONE))


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first largest element; of the first NaN if there is one.

    Parameters
    ----------
    x : Tensor, at least one element along `axis`
    axis : int, optional
        None searches the flattened tensor.
    keepdims : bool
        Keep the axis with size 1.

    Returns
    -------
    Tensor, int64
        A scalar when everything is searched.

    Notes
    -----
    Not differentiable.
    """
    return _extremum_index(ARGMAX, x, axis, keepdims)  # type: ignore[no-any-return]


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first smallest element; of the first NaN if there is one.

    Parameters
    ----------
    x : Tensor, at least one element along `axis`
    axis : int, optional
        None searches the flattened tensor.
    keepdims : bool
        Keep the axis with size 1.

    Returns
    -------
    Tensor, int64
        A scalar when everything is searched.

    Notes
    -----
    Not differentiable.
    """
    return _extremum_index(ARGMIN, x, axis, keepdims)  # type: ignore[no-any-return]


def _extremum_index(op: Op, x: Any, axis: int | None, keepdims: bool) -> Any:
    if isinstance(x, TensorBase) and (
        type(axis) is int or (axis is None and x._array.flags.c_contiguous)
    ):
        out = reduction(op, x, axis, keepdims)
        if out is not None:
            return out
    x = operand(x, op.name)
    array = x._array
    if not array.ndim and axis in (0, -1):  # as NumPy's, and our reductions
        axis = None
    if axis is not None:
        axis = normalize_axis(axis, array.ndim)
    if not (array.size if axis is None else array.shape[axis]):
        raise ArgumentError(
            f"{op.name} of no elements: x has shape {array.shape}, axis={axis}; there is no index"
        )
    return apply(op, x, axis=axis, keepdims=bool(keepdims))


COUNT_NONZERO: Op = declare(Op("count_nonzero", ("x",), NONE))


def count_nonzero(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Tensor:
    """How many elements are not zero.

    Parameters
    ----------
    x : Tensor
    axis : int or tuple of int, optional
        Axes to count over; all by default.
    keepdims : bool
        Keep the counted axes with size 1.

    Returns
    -------
    Tensor, int64
        A scalar when everything is counted.

    Notes
    -----
    Not differentiable.
    """
    x = operand(x, "count_nonzero")
    axes = normalize_axes(axis, x._array.ndim)
    return apply(COUNT_NONZERO, x, axis=axes, keepdims=bool(keepdims))  # type: ignore[no-any-return]


NONZERO: Op = declare(Op("nonzero", ("x",), NONE, scalar=False))


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, in C order.

    Parameters
    ----------
    x : Tensor, at least 1-d

    Returns
    -------
    tuple of Tensor, int64
        One 1-d tensor per dimension of x.

    Notes
    -----
    Not differentiable.
    """
    x = operand(x, "nonzero")
    if not x._array.ndim:
        raise ShapeError("nonzero of a 0-d tensor has no indices; use bool(x)")
    return apply(NONZERO, x)  # type: ignore[no-any-return]


SEARCHSORTED: Op = declare(Op("searchsorted", ("x1", "x2"), NONE))


def searchsorted(
    x1: Tensor,
    x2: Tensor | float,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Tensor | None = None,
) -> Tensor:
    """Where the elements of x2 go into the sorted x1.

    Parameters
    ----------
    x1 : Tensor, 1-d
        In ascending order, or brought into it by `sorter`.
    x2 : Tensor or Python scalar
    side : {"left", "right"}
        Before or behind equal elements.
    sorter : Tensor, 1-d, integral, optional
        Indices that sort x1, as `argsort` gives them.

    Returns
    -------
    Tensor, int64
        Of the shape of x2.

    Notes
    -----
    Not differentiable.
    """
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side={side!r}; use 'left' or 'right'")
    first = operand(x1, "searchsorted", 1)
    if first._array.ndim != 1:
        raise ShapeError(f"searchsorted: x1 must be 1-d, not of shape {first._array.shape}")
    dtype = first._array.dtype
    second: Any = x2
    if is_number(second):
        dtype = scalar_dtype(second, dtype)
        second = wrap(constant(second, dtype))
    else:
        second = operand(second, "searchsorted", 2)
        dtype = promote(dtype, second._array.dtype)
    order = None
    if sorter is not None:
        order = operand(sorter, "searchsorted", 3)._array
        if order.dtype.kind not in "iu" or order.shape != first._array.shape:
            raise ArgumentError(
                f"searchsorted: sorter must hold one integer per element of x1, not {order.dtype} "
                f"of shape {order.shape}; use ag.argsort(x1)"
            )
    return apply(  # type: ignore[no-any-return]
        SEARCHSORTED, cast(first, dtype), cast(second, dtype), side=side, sorter=order
    )


# -- choosing -------------------------------------------------------------------------------------


def where(condition: Tensor, x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """The elements of x1 where the condition is true, those of x2 elsewhere.

    Parameters
    ----------
    condition : Tensor, bool
        Other dtypes count as true where they are not zero.
    x1, x2 : Tensor or Python scalar
        Shapes of all three broadcast; dtypes of x1 and x2 promote.

    Returns
    -------
    Tensor
        Memory of its own.

    Notes
    -----
    Derivative: the cotangent where an element was selected and exactly 0 where it was not, so that
    an infinite or NaN derivative in the other branch does not matter.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.where(ag.asarray([True, False]), ag.asarray([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    out = choice(_cotangents.WHERE, condition, x1, x2)
    if out is not None:
        return out  # type: ignore[no-any-return]
    chosen = operand(condition, "where", 1)
    if chosen._array.dtype != bool_:
        chosen = wrap(np.asarray(chosen._array != 0))
    return _cotangents.where(chosen, x1, x2)  # type: ignore[no-any-return]


def is_number(x: Any) -> bool:
    """Whether x is a plain Python number, which adapts to the dtype of the other operand."""
    return isinstance(x, bool | int | float | complex) and not isinstance(
        x, np.generic | TensorBase
    )
