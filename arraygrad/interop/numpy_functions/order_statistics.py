"""NumPy's functions of ranks: median, percentile, quantile; searching in sorted data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import cast, operand
from ...ops import indexing, manipulation, searching, sorting, statistical
from .constant import constant
from .nan_aware import joined, normalized
from .rebinding import rebound
from .reducing import _stored

percentile = rebound(np.percentile)
quantile = rebound(np.quantile)
digitize = constant(np.digitize)
lexsort = constant(np.lexsort)
searchsorted = constant(np.searchsorted)


@answers(np.median)
def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """np.median: the mean of the one or two middle elements, NaN if there is a NaN."""
    x = operand(a, "median")
    if x._array.dtype.kind not in "fc":
        x = cast(x, np.float64)
    axes = normalized(tuple(range(x._array.ndim)) if axis is None else axis, x._array.ndim)
    rows, kept = joined(x, axes)
    if not keepdims:
        kept = tuple(n for i, n in enumerate(x._array.shape) if i not in axes)
    n = rows._array.shape[-1]
    ordered = sorting.sort(rows)
    middle = indexing.getitem(ordered, (..., slice((n - 1) // 2, n // 2 + 1)))
    result = manipulation.reshape(statistical.mean(middle, axis=-1), kept)
    if n:
        nan = np.isnan(ordered._array[..., -1]).reshape(kept)
        if nan.any():
            last = manipulation.reshape(indexing.getitem(ordered, (..., -1)), kept)
            result = searching.where(nan, last, result)
    return _stored(out, result, "median")[()]


@answers(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """np.sort_complex: by real, then imaginary part; always complex."""
    x = sorting.sort(operand(a, "sort_complex"))
    if x._array.dtype.kind == "c":
        return x
    return cast(x, np.complex64 if x._array.dtype.char in "bhBH" else np.complex128)
