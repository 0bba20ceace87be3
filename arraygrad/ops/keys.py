"""Index expressions: what NumPy knows as an index, as a graph may keep it; reading by it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._apply import _Types
from .._dispatch import lookup
from .._errors import IndexOutOfRangeError, out_of_memory
from .._layout import Shape
from .._storage import TensorBase

_BASIC = (int, slice, type(None), type(Ellipsis))
_BASIC_KINDS = frozenset(_BASIC)


def _key_part(part: Any) -> Any:
    """One part of an index as NumPy takes it; arrays are copied, since a graph may keep them."""
    kind = type(part)
    if kind is np.ndarray:
        return part.copy()
    if kind in _BASIC:
        return _plain_slice(part) if kind is slice else part
    if isinstance(part, TensorBase):
        array = part._array
        if array.dtype.kind not in "biu":
            raise IndexOutOfRangeError(
                f"a tensor of dtype {array.dtype} cannot index; use an integer or boolean tensor, "
                "e.g. i.astype(int)"
            )
        if isinstance(part, _Types.scalar) and array.dtype.kind != "b":
            return int(array)  # a 0-d array is an index array to NumPy: what it gives is a copy
        return array.copy()
    if isinstance(part, list | tuple | range):
        return _list_index(part)
    if isinstance(part, np.ndarray):
        return part.copy()
    if isinstance(part, bool | np.bool_):
        return bool(part)
    try:
        return operator.index(part)
    except TypeError:
        raise IndexOutOfRangeError(
            f"{part!r} cannot index a tensor: use integers, slices, ..., None, or integer or "
            "boolean arrays"
        ) from None


def _list_index(part: Any) -> Any:
    """An index array from a nested list of numbers, truth values and tensors."""
    if any(isinstance(p, TensorBase | list | tuple) for p in part):
        part = [_key_part(p) for p in part]
    try:
        array = np.array(part)
    except ValueError as error:
        raise IndexOutOfRangeError(
            f"the nested list {part!r} is ragged and cannot index a tensor"
        ) from error
    if array.size == 0:
        return array.astype(np.intp)
    if array.dtype.kind not in "biu":
        raise IndexOutOfRangeError(
            f"a list of {array.dtype} cannot index a tensor: use integers or truth values"
        )
    return array


def _plain_slice(part: slice) -> slice:
    """The slice with Python integers: a graph that keeps it must not keep tensors alive."""
    if is_plain(part):
        return part
    bounds = (part.start, part.stop, part.step)
    try:
        return slice(*[None if bound is None else operator.index(bound) for bound in bounds])
    except TypeError:
        raise IndexOutOfRangeError(
            f"{part!r} cannot index a tensor: the bounds of a slice are integers or None"
        ) from None


_PLAIN_BOUNDS = frozenset((int, type(None)))


def is_plain(part: Any) -> bool:
    """Whether a part of an index is a basic one that needs no conversion: nearly all are."""
    kind = type(part)
    if kind is slice:
        return (
            type(part.start) in _PLAIN_BOUNDS
            and type(part.stop) in _PLAIN_BOUNDS
            and type(part.step) in _PLAIN_BOUNDS
        )
    return kind is int or part is None or part is Ellipsis


def is_basic(key: Any) -> bool:
    """Whether an index gives a view and needs no conversion: nearly all do."""
    if type(key) is tuple:
        for part in key:  # noqa: SIM110 - sooner done than a generator
            if not is_plain(part):
                return False
        return True
    return is_plain(key)


def normalize_key(key: Any) -> tuple[Any, bool]:
    """The index as NumPy takes it, and whether it is basic (gives a view)."""
    if is_basic(key):
        return key, True
    if type(key) is tuple:
        parts = tuple([_kept_part(part) for part in key])
        return parts, _BASIC_KINDS.issuperset(map(type, parts))
    part = _kept_part(key)
    return part, type(part) in _BASIC


def _kept_part(part: Any) -> Any:
    try:
        return _key_part(part)
    except MemoryError as error:
        raise out_of_memory("an index", error) from error


_LARGE = 16384
"""Elements from which the kernel for masks takes less time than NumPy, 4 to 10 times less."""
_MANY = 16
"""Rows from which NumPy's `take` takes less time than its indexing, 5 to 10 times less for many."""


def indexed(array: Any, key: Any) -> Any:
    """What the array holds at a normalised index, by the quickest road."""
    try:
        if type(key) is np.ndarray and key.dtype.kind == "b" and key.size >= _LARGE:
            if type(array) is np.ndarray and key.shape == array.shape:
                kernel = lookup("mask_select", "cpu", "strided", (array.dtype, key.dtype))
                return kernel(array, key)
        if (
            type(key) is np.ndarray
            and key.dtype.kind == "i"
            and key.size >= _MANY
            and type(array) is np.ndarray
            and array.ndim > 1
            and array.flags.c_contiguous  # else the whole of it would be copied first
        ):
            return array.take(key, axis=0)
        return array[key]
    except IndexError as error:
        raise IndexOutOfRangeError(f"{error} (tensor of shape {array.shape})") from None
    except (TypeError, ValueError) as error:
        raise IndexOutOfRangeError(f"{error} (index {key!r}, shape {array.shape})") from error
    except MemoryError as error:
        raise out_of_memory("x[key]", error) from error


def indexed_shape(array: Any, key: Any, needed: bool) -> Shape:
    """The shape that is indexed, and an error for a key that does not fit; reads no elements.

    Where only the error matters a mask of the tensor's own shape needs no look.
    """
    if not needed and is_mask(key) and key.shape == array.shape:
        return ()
    # Zero strides: the memory that is indexed is one element.
    like = np.broadcast_to(np.empty((), np.bool_), array.shape)
    return indexed(like, key).shape  # type: ignore[no-any-return]


def is_mask(key: Any) -> bool:
    """Whether the key is one array of truth values."""
    return isinstance(key, np.ndarray) and key.dtype.kind == "b"


def is_full(key: Any, ndim: int) -> bool:
    """Whether the key is one integer array per dimension."""
    return (
        isinstance(key, tuple)
        and len(key) == ndim
        and all(isinstance(p, np.ndarray) and p.dtype.kind in "iu" for p in key)
    )


def needs_last(key: Any) -> bool:
    """Whether writing there may write to one place several times, so that the last counts."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(p, np.ndarray) and p.dtype.kind != "b" and p.size > 1 for p in parts)
