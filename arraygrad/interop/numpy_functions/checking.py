"""NumPy's functions about arrays: their answer has no derivative.

Truth values, shapes, dtypes, indices, counts and texts are made from the values alone and are free
for tracked tensors. Files, dates, strings and records are refused by name, with a remedy.
"""

from __future__ import annotations

import numpy as np

from .constant import constant, refused, untracked_only

_FREE = (
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
if hasattr(np, "in1d"):
    constant(np.in1d)

_FILES = "save the values, x.detach(), or pickle the tensor"
for _function in (np.save, np.savez, np.savez_compressed, np.savetxt):
    untracked_only(_function, _FILES)

_DATES = "they hold numbers, not dates; convert with x.detach().numpy().astype('datetime64[D]')"
for _function in (np.busday_count, np.busday_offset, np.is_busday, np.datetime_as_string):
    refused(_function, _DATES)
