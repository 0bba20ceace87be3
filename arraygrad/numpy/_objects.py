"""Names, dates and other objects in lists: NumPy's own functions answer for them.

Tensors hold numbers, so our functions refuse a list of anything else. Code that runs lifted uses
such lists beside its numbers, ``np.unique(labels)``, ``np.where(x > 0, "up", "down")``; nothing in
them carries a gradient, so NumPy's answer is the right one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import ArgumentTypeError, DTypeError
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..interop.plain import is_tracked, plain, tensors
from . import _types

# What our functions raise for a list of objects, before anything was computed or written.
REFUSALS = (ArgumentTypeError, DTypeError)

_WRITERS = frozenset({"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"})


def concerns_numpy(real: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call that our function refused is one of objects, which NumPy's own answers.

    Not one that writes, nor one that calls the user's function: those would happen twice, or past
    the tensor. Nor one with tracked values beside the objects: their gradient would be lost.
    """
    values = (*args, *kwargs.values())
    if kwargs.get("out") is not None or real.__name__ in _WRITERS:
        return False
    if any(callable(x) and not isinstance(x, type) for x in values):
        return False
    if is_grad_enabled() and is_tracked(values):
        return False
    return any(x is not None and _holds_object(x) for x in values)


def answer(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's answer; numbers in it as tensors."""
    found = call(*map(_below, args), **{k: _below(v) for k, v in kwargs.items()})
    return tensors(found)


def _holds_object(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds_object, x))
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind not in "biufc"
    return not isinstance(x, TensorBase | int | float | complex)


def _below(x: Any) -> Any:
    return _types.like_numpy(x) if isinstance(x, type) else plain(x)
