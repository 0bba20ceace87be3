"""What the options of ndarray's methods may be: out=, where=, initial=, kind=, casting=."""

from __future__ import annotations

from types import NoneType
from typing import Any

import numpy as np

from ._apply import cast, constant, operand, wrap
from ._dtypes import check_convertible
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


def initial(value: Any, dtype: np.dtype[Any], method: str) -> Any:
    """What a reduction begins with: one number, written into its dtype as NumPy does."""
    if isinstance(value, str | bytes | NoneType):
        raise ArgumentTypeError(
            f"{method}: initial={value!r} is a {type(value).__name__}; use a number"
        )
    if isinstance(value, int) and dtype.kind != "b":
        return wrap(constant(value, dtype))
    start = operand(value, method)
    if start._array.ndim:
        raise ShapeError(f"{method}: initial= must be one number, it has shape {start.shape}")
    if start._array.dtype.kind == "c" and dtype.kind not in "cb":
        raise DTypeError(f"{method}: initial= is complex and x is not; use x.astype(complex)")
    check_convertible(start._array, dtype, method)
    if isinstance(value, float) and dtype.kind in "iu":
        return wrap(constant(int(value), dtype))
    return cast(start, dtype)


def check_order(kind: Any, order: Any, method: str, kinds: str = "qhms") -> None:
    """Refuse the way of sorting that NumPy does not know; what it knows has one result here."""
    if kind is not None and not (isinstance(kind, str) and kind[:1].lower() in [*kinds]):
        raise ArgumentError(f"{method}: kind={kind!r} is no way to do it; leave it away")
    if order is not None:
        raise ArgumentError(f"{method}: order={order!r} names fields, which tensors have not")


def memory_order(order: Any, function: str) -> str:
    """C, F, A or K; K for None, as in NumPy."""
    if order is None:
        return "K"
    if not isinstance(order, str):
        raise ArgumentTypeError(
            f"{function}: order={order!r} is a {type(order).__name__}; use 'C', 'F', 'A' or 'K'"
        )
    if order.upper() not in ("C", "F", "A", "K"):
        raise ArgumentError(f"{function}: order={order!r}; use 'C', 'F', 'A' or 'K'")
    return order.upper()


def can_cast(source: Any, target: Any, casting: Any) -> bool:
    try:
        return bool(np.can_cast(source, target, casting))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"astype: {error}; leave casting away, or use 'same_kind'") from error
