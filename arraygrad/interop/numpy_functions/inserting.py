"""NumPy's functions that change the size: append, delete, insert, pad, resize, trim_zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import apply, operand
from ..._storage import TensorBase
from ...ops import indexing, manipulation
from .rebinding import rebound

insert = rebound(np.insert)
delete = rebound(np.delete)
_numpys_pad = rebound(np.pad)
resize = rebound(np.resize)
trim_zeros = rebound(np.trim_zeros)


@answers(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """np.pad; with zeros, as most calls ask, in one step."""
    if mode == "constant" and not kwargs and isinstance(array, TensorBase):
        shape = array._array.shape
        widths = _widths(pad_width, len(shape))
        if widths is not None:
            key = tuple([slice(w[0], w[0] + n) for w, n in zip(widths, shape, strict=True)])
            wide = tuple([w[0] + n + w[1] for w, n in zip(widths, shape, strict=True)])
            return apply(indexing.PUT_ITEM, array, key=key, shape=wide)
    return _numpys_pad(array, pad_width, mode, **kwargs)


def _widths(given: Any, ndim: int) -> list[tuple[int, int]] | None:
    """How much is added before and behind each axis, where that is said by a number or pairs."""
    if type(given) is int and given >= 0 and ndim:
        return [(given, given)] * ndim
    if type(given) not in (tuple, list) or len(given) != ndim or not ndim:
        return None
    for pair in given:
        if type(pair) not in (tuple, list) or len(pair) != 2:
            return None
        if any(type(width) is not int or width < 0 for width in pair):
            return None
    return [tuple(pair) for pair in given]


@answers(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """np.append."""
    x1, x2 = operand(arr, "append", 1), operand(values, "append", 2)
    if axis is None:
        x1, x2, axis = x1.ravel(), x2.ravel(), 0
    return manipulation.concat((x1, x2), axis=axis)
