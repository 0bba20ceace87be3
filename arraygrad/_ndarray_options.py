"""What the options of ndarray's methods may be: out=, where=, initial=, kind=, casting=."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._apply import operand
from ._errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from ._storage import TensorBase
from ._writes import assign
from .ops import searching

_BOOL = np.dtype(np.bool_)


def store(out: Any, value: Any, method: str, casting: Any) -> Any:
    """Write a result into out= and return it.

    `casting` is that of NumPy's method: its reductions cast to any dtype.
    """
    if not isinstance(out, TensorBase):
        raise ArgumentTypeError(
            f"{method}: out= must be a tensor, not {type(out).__name__}, since the result of a "
            "tensor method is a tensor; leave out= away"
        )
    if out._array.shape != value._array.shape:
        raise ShapeError(
            f"{method}: out has shape {out._array.shape}, the result {value._array.shape}"
        )
    if not np.can_cast(value._array.dtype, out._array.dtype, casting):
        raise DTypeError(
            f"{method}: a result of dtype {value._array.dtype} cannot be written into out= of "
            f"dtype {out._array.dtype}; give out= of dtype {value._array.dtype}"
        )
    assign(out, value, f"{method}(out=...)")
    return out


def where(mask: Any, x: Any, identity: Any, method: str) -> Any:
    """The elements that the mask of a reduction selects, its identity elsewhere."""
    if getattr(mask, "dtype", _BOOL).kind != "b":
        raise ArgumentTypeError(
            f"{method}: where= must be a mask of truth values, not of {mask.dtype}; compare, x > 0"
        )
    return searching.where(mask, x, identity)


def initial(value: Any, x: Any, method: str) -> Any:
    """What a reduction of x begins with: one number, given as it is (Python's are of any dtype)."""
    given = operand(value, method)._array
    if given.ndim:
        raise ShapeError(f"{method}: initial= must be one number, it has shape {given.shape}")
    if given.dtype.kind == "c" and x._array.dtype.kind != "c":
        raise DTypeError(f"{method}: initial= is complex and x is not; use x.astype(complex)")
    return value


def check_order(kind: Any, order: Any, method: str, kinds: str = "qhms") -> None:
    """Refuse the way of sorting that NumPy does not know; what it knows has one result here."""
    if kind is not None and not (isinstance(kind, str) and kind[:1].lower() in [*kinds]):
        raise ArgumentError(f"{method}: kind={kind!r} is no way to do it; leave it away")
    if order is not None:
        raise ArgumentError(f"{method}: order={order!r} names fields, which tensors have not")


def can_cast(source: Any, target: Any, casting: Any) -> bool:
    try:
        return bool(np.can_cast(source, target, casting))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"astype: {error}; leave casting away, or use 'same_kind'") from error
