"""NumPy's stride tricks on tensors: views that overlap themselves, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy.lib import stride_tricks as _stride_tricks

from .. import _namespace

__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "sliding_window_view",
]


def __getattr__(name: str) -> Any:
    owner = _stride_tricks if hasattr(_stride_tricks, name) else _numpy
    found = _namespace.lookup(owner, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found
