"""NumPy's linalg on tensors."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from . import _namespace

__all__ = list(_numpy.linalg.__all__)


def __getattr__(name: str) -> Any:
    found = _namespace.attribute(_numpy.linalg, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_numpy.linalg), *globals()})
