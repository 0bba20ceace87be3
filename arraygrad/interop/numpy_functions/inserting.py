"""NumPy's functions that change the size: append, delete, insert, pad, resize, trim_zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ...ops import manipulation
from .rebinding import rebound

insert = rebound(np.insert)
delete = rebound(np.delete)
pad = rebound(np.pad)
resize = rebound(np.resize)
trim_zeros = rebound(np.trim_zeros)


@answers(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """np.append."""
    x1, x2 = operand(arr, "append", 1), operand(values, "append", 2)
    if axis is None:
        x1, x2, axis = x1.ravel(), x2.ravel(), 0
    return manipulation.concat((x1, x2), axis=axis)
