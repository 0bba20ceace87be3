"""NumPy's functions about arrays: their answer has no derivative.

Truth values, shapes, dtypes, indices, counts and texts are made from the values alone and are free
for tracked tensors. Files, dates, strings and records are refused by name, with a remedy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._storage import TensorBase
from ..plain import plain
from .constant import constant, refused, untracked_only

_FREE: tuple[Any, ...] = (
    np.allclose, np.array_equal, np.array_equiv, np.iscomplex, np.iscomplexobj,
    np.isreal, np.isrealobj, np.isneginf, np.isposinf, np.ndim, np.shape, np.size,
    np.result_type, np.can_cast, np.min_scalar_type, np.common_type,
    np.array2string, np.array_repr, np.array_str,
    np.argwhere, np.flatnonzero, np.nonzero, np.isin,
    np.packbits, np.unpackbits, np.ravel_multi_index, np.unravel_index,
    np.diag_indices_from, np.tril_indices_from, np.triu_indices_from, np.ix_,
)  # fmt: skip
for _function in _FREE:
    constant(_function)
if hasattr(np, "in1d"):  # until NumPy 2.3
    constant(getattr(np, "in1d"))  # noqa: B009


@answers(np.shape)
def shape(a: Any) -> tuple[int, ...]:
    """np.shape."""
    return a._array.shape if isinstance(a, TensorBase) else np.shape(plain(a))


@answers(np.ndim)
def ndim(a: Any) -> int:
    """np.ndim."""
    return a._array.ndim if isinstance(a, TensorBase) else np.ndim(plain(a))


@answers(np.size)
def size(a: Any, axis: Any = None) -> int:
    """np.size."""
    if axis is None and isinstance(a, TensorBase):
        return a._array.size  # type: ignore[no-any-return]
    return np.size(plain(a), axis)


_FILES = "save the values, x.detach(), or pickle a tensor that is a leaf"
_WRITERS: tuple[Any, ...] = (np.save, np.savez, np.savez_compressed, np.savetxt)
for _function in _WRITERS:
    untracked_only(_function, _FILES)

_DATES = "they hold numbers, not dates; convert with x.detach().numpy().astype('datetime64[D]')"
_OF_DATES: tuple[Any, ...] = (
    np.busday_count, np.busday_offset, np.is_busday, np.datetime_as_string,
)  # fmt: skip
for _function in _OF_DATES:
    refused(_function, _DATES)
