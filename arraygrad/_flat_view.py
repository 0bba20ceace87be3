"""What ``x.flat`` is: a tensor in one dimension, in C order, for any strides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._errors import IndexOutOfRangeError
from ._storage import TensorBase
from ._writes import check_one_element, operand_for
from .ops import manipulation

_WRITER = "x.flat[...] = value"


class FlatView:
    """Reading and writing a tensor by flat index."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __len__(self) -> int:
        return int(self._tensor.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tensor.ravel())

    def __getitem__(self, key: Any) -> Any:
        out = self._tensor.ravel()[_checked(key, "x.flat[key]")]
        return out.copy() if out._family is not None else out

    def __setitem__(self, key: Any, value: Any) -> None:
        x = self._tensor
        places = self._places(key)
        one = not np.ndim(places)
        if type(value) is not float and type(value) is not int:
            as_list = isinstance(value, list | tuple)
            value = operand_for(x, value, _WRITER, 2)
            if value._array.ndim:
                if one:
                    check_one_element(value._array.shape, as_list, _WRITER)
                value = _repeated(value, places, not x.shape)
                if value is None:
                    return
        if x.shape:
            x[np.unravel_index(places, x.shape)] = value
        elif np.size(places):
            x[...] = value

    def _places(self, key: Any) -> Any:
        """The index, or the array of indices, that a key stands for."""
        size = self._tensor.size
        key = _checked(key, _WRITER)
        if isinstance(key, tuple) and not key:
            raise IndexOutOfRangeError(
                f"{_WRITER}: an empty index cannot be written to; use x.flat[:]"
            )
        if isinstance(key, slice):
            return np.arange(*key.indices(size))
        if type(key) is int and -size <= key < size:
            return key % size
        if isinstance(key, TensorBase):
            key = key._array
        try:
            return np.arange(size)[key]
        except IndexError as error:
            raise IndexOutOfRangeError(
                f"{_WRITER}: {error} (of {size} elements in one dimension)"
            ) from error


def _checked(key: Any, what: str) -> Any:
    """A key without what means something else here than in one dimension: None, True and False."""
    if key is True:  # the first element, as NumPy has it
        return 0
    if key is False:
        return slice(0)
    is_masks_list = isinstance(key, list) and any(isinstance(k, bool | np.bool_) for k in key)
    if key is None or isinstance(key, np.bool_) or is_masks_list:
        raise IndexOutOfRangeError(
            f"{what}: {key!r} is no flat index; use integers, slices or an array of truth values, "
            "np.array(mask)"
        )
    return key


def _repeated(value: Any, places: Any, only_last: bool) -> Any:
    """The values by place, repeated as often as needed; None where nothing is written."""
    values = manipulation.reshape(value, (-1,))
    given, count = values._array.size, np.size(places)
    if not count or not given:
        return None
    if only_last:  # all of them go into the one element
        return values[(count - 1) % given]
    if given != count:
        values = values[np.arange(count) % given]
    return values.reshape(np.shape(places))
