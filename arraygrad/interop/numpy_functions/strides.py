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
