"""NumPy's namespace whose arrays are tensors: ``import arraygrad.numpy as np``.

Every public name of NumPy is here. Creation functions make tensors, functions with a derivative
rule have it, ufuncs keep their methods, scalar types stay usable as dtypes and as calls, and what
has no rule computes as long as nothing is tracked. Documentation is NumPy's.

Names are looked up in NumPy when they are first used, so that this module is right for whatever
version of NumPy is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy

from . import _namespace

if TYPE_CHECKING:  # these are made by __getattr__ as well
    from . import fft as fft, linalg as linalg, random as random

__all__ = [name for name in _numpy.__all__ if name != "test"]


def __getattr__(name: str) -> Any:
    found = _namespace.attribute(_numpy, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_numpy), *globals()})
