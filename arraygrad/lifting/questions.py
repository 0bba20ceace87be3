"""Built-ins that ask an object for its attributes, as lifted code has them.

Code tells kinds of arrays apart by what they have: ``hasattr(x, "detach")`` means one of PyTorch's,
``getattr(x, "mask", None)`` a masked one. A tensor answers as the array or number that NumPy would
have. Naming an attribute outright (``x.detach()``) is our own interface and stays so.
"""

from __future__ import annotations

from typing import Any

from .._storage import TensorBase
from .stand_ins import like_user


def hasattr_(x: Any, name: str, /) -> bool:
    """Our ``hasattr``: what NumPy would have has no length if a scalar, and nothing to detach."""
    return hasattr(like_user(x) if isinstance(x, TensorBase) else x, name)


def getattr_(x: Any, name: str, /, *default: Any) -> Any:
    """Our ``getattr``: with a default it asks, as ``hasattr`` does."""
    if default and isinstance(x, TensorBase) and not hasattr(like_user(x), name):
        return default[0]
    return getattr(x, name, *default)


def dir_(*x: Any) -> list[str]:
    """Our ``dir``."""
    if len(x) == 1 and isinstance(x[0], TensorBase):
        return dir(like_user(x[0]))
    return dir(*x)
