"""NumPy's stride tricks on tensors: views that overlap themselves, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy.lib import stride_tricks as _stride_tricks

from .. import _namespace

__all__ = [name for name in dir(_stride_tricks) if not name.startswith("_")]


def __getattr__(name: str) -> Any:
    owner = _stride_tricks if hasattr(_stride_tricks, name) else _numpy
    found = _namespace.attribute(owner, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
