"""numpy.lib.stride_tricks."""

from __future__ import annotations

from typing import Any

from numpy.lib import stride_tricks

from ..._answers import answers
from ..._apply import operand
from ...ops import views


@answers(stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """sliding_window_view: a read-only view."""
    return views.sliding_window_view(operand(x, "sliding_window_view"), window_shape, axis)


@answers(stride_tricks.as_strided)
def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
) -> Any:
    """as_strided: a view that must stay inside of the memory of x."""
    x = operand(x, "as_strided")
    array = x._array
    out = views.as_strided(
        x,
        array.shape if shape is None else shape,
        array.strides if strides is None else strides,
    )
    if not writeable:
        out._array.flags.writeable = False
    return out
