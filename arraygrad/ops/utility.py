"""Utilities: all, any, diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._apply import apply, operand
from .._errors import ArgumentError
from .._layout import Axis, as_flag, as_integer, normalize_axes, normalize_axis
from .._op import NONE, Op, declare
from .._short import reduction
from .._storage import TensorBase
from .arithmetic import subtract
from .comparison import not_equal
from .indexing import getitem
from .manipulation import broadcast_to, concat

if TYPE_CHECKING:
    from .._tensor import Tensor

ALL: Op = declare(Op("all", ("x",), NONE))
ANY: Op = declare(Op("any", ("x",), NONE))


def all(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along axes are true; true for no elements.

    Parameters
    ----------
    x : Tensor
        Elements that are not zero are true, NaN too.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor, bool
        A scalar when everything is reduced.

    Notes
    -----
    Not differentiable.
    """
    return _reduced(ALL, x, axis, keepdims)  # type: ignore[no-any-return]


def any(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is true; false for no elements.

    Parameters
    ----------
    x : Tensor
        Elements that are not zero are true, NaN too.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor, bool
        A scalar when everything is reduced.

    Notes
    -----
    Not differentiable.
    """
    return _reduced(ANY, x, axis, keepdims)  # type: ignore[no-any-return]


def _reduced(op: Op, x: Any, axis: Axis, keepdims: bool) -> Any:
    if isinstance(x, TensorBase):
        out = reduction(op, x, axis, keepdims)
        if out is not None:
            return out
    x = operand(x, op.name)
    axes = normalize_axes(axis, x._array.ndim)
    return apply(op, x, axis=axes, keepdims=as_flag(keepdims, "keepdims", op.name))


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The differences of neighbours along an axis, n times.

    Parameters
    ----------
    x : Tensor, at least 1-d
    axis : int
    n : int
        How often to take differences; 0 gives x as it is, with nothing joined to it.
    prepend, append : Tensor, optional
        Joined to x first; 0-d ones are broadcast to one slice.

    Returns
    -------
    Tensor
        Shorter by n along the axis; truth values differ where they are not equal.

    Notes
    -----
    Derivative: linear; the negative differences of the cotangent, with zeros around it.
    """
    x = operand(x, "diff")
    n = as_integer(n, "n", "diff")
    if not n:
        return x
    axis = normalize_axis(axis, x._array.ndim)
    if n < 0:
        raise ArgumentError(f"diff: n={n} is negative; use ag.cumulative_sum to sum up")
    parts = [x]
    for added, at in ((prepend, 0), (append, 2)):
        if added is not None:
            extra = operand(added, "diff")
            if not extra._array.ndim:
                shape = tuple(1 if i == axis else m for i, m in enumerate(x._array.shape))
                extra = broadcast_to(extra, shape)
            parts.insert(at, extra)
    if len(parts) > 1:
        x = concat(parts, axis=axis)
    before = (slice(None),) * axis
    difference = not_equal if x._array.dtype.kind == "b" else subtract
    for _ in range(min(n, x._array.shape[axis])):  # then nothing is left
        x = difference(
            getitem(x, (*before, slice(1, None))), getitem(x, (*before, slice(None, -1)))
        )
    return x
