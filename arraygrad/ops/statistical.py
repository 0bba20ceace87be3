"""Reductions: sum, prod, min, max, mean, var, std and cumulative ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import BROADCAST_TO, apply, cast, operand, view
from .._dtypes import DTypeLike, as_dtype, int64, uint64
from .._layout import Shape, normalize_axes, reduced_shape
from .._op import Linear, Op, declare
from .manipulation import reshape

if TYPE_CHECKING:
    from .._tensor import Tensor


def spread(g: Any, shape: Shape, axis: tuple[int, ...]) -> Any:
    """Transpose of summing over `axis`: each summand gets the sum's cotangent (a view)."""
    kept = reshape(g, reduced_shape(shape, axis, True))
    return view(BROADCAST_TO, kept, shape=shape)


SUM = declare(
    Op("sum", ("x",), Linear(x=lambda g, x_shape, axis: spread(g, x_shape, axis)),
       dtypes="numeric")
)  # fmt: skip


def accumulation_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that sums and products of `dtype` have by default: at least 64-bit integers."""
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype


def sum(  # the standard's name, here meaning ours
    x: Tensor,
    /,
    *,
    axis: int | Iterable[int] | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Sum of the elements along axes.

    Parameters
    ----------
    x : Tensor, numeric
    axis : int or tuple of int, optional
        Axes to sum over; all by default.
    dtype : dtype, optional
        Of the result; integers are summed in 64 bits by default.
    keepdims : bool
        Keep the summed axes with size 1.

    Returns
    -------
    Tensor
        A scalar when everything is summed.

    Notes
    -----
    Derivative: 1 for each summand.
    """
    x = operand(x, "sum")
    target = accumulation_dtype(x._array.dtype) if dtype is None else as_dtype(dtype)
    axes = normalize_axes(axis, x._array.ndim)
    return apply(SUM, cast(x, target), axis=axes, keepdims=bool(keepdims), dtype=target)
