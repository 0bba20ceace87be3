"""Between tensors and plain arrays, inside of nested arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._apply import node_of, scalar_class, wrap
from .._storage import TensorBase


def is_tracked(x: Any) -> bool:
    """Whether an argument (or something inside a list, tuple or dict) carries a gradient."""
    if isinstance(x, TensorBase):
        return node_of(x) is not None
    if isinstance(x, list | tuple):
        return any(is_tracked(item) for item in x)
    if isinstance(x, dict):
        return any(is_tracked(item) for item in x.values())
    return False


def holds_tensor(x: Any) -> bool:
    """Whether x is a tensor or a nested sequence with one inside."""
    if isinstance(x, list | tuple):
        return any(map(holds_tensor, x))
    return isinstance(x, TensorBase)


# Types of most arguments and results that are neither tensors nor hold some.
_PLAIN: frozenset[type] = frozenset((np.ndarray, bool, int, float, complex, str, type(None)))


def plain(x: Any) -> Any:
    """The argument with tensors replaced by the arrays below them, scalars by NumPy's."""
    if isinstance(x, TensorBase):
        return x._array[()] if isinstance(x, scalar_class()) else x._array
    if type(x) in _PLAIN:
        return x
    if isinstance(x, list):
        return [plain(item) for item in x]
    if type(x) is tuple:
        return tuple([plain(item) for item in x])
    if isinstance(x, tuple):
        return type(x)(*(plain(item) for item in x))
    if isinstance(x, dict):
        return {key: plain(item) for key, item in x.items()}
    return x


def tensors(x: Any) -> Any:
    """The result with arrays of numbers replaced by tensors; masked arrays, matrices stay."""
    if type(x) is not np.ndarray and type(x) in _PLAIN:
        return x
    if (type(x) is np.ndarray or isinstance(x, np.generic)) and x.dtype.kind in "biufcV":
        return wrap(x if isinstance(x, np.generic) or x.base is None else x.copy())
    if type(x) is tuple:
        return tuple([tensors(item) for item in x])
    if isinstance(x, tuple):
        return type(x)(*(tensors(item) for item in x))
    if isinstance(x, list):
        return [tensors(item) for item in x]
    return x
