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
    """Reading and writing a tensor by flat index; an iterator, as NumPy's is, that goes once."""

    __slots__ = ("_index", "_rest", "_tensor")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor
        self._restart()

    def _restart(self) -> None:
        self._index = 0
        self._rest: Iterator[Any] | None = None

    @property
    def base(self) -> Any:
        """The tensor itself."""
        return self._tensor

    @property
    def index(self) -> int:
        """Flat index of the element that comes next."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """Index in each dimension of the element that comes next."""
        shape, rest, coords = self._tensor.shape, self._index, []
        for n in reversed(shape[1:]):
            rest, place = divmod(rest, n or 1)
            coords.append(place)
        return (rest, *reversed(coords)) if shape else ()

    def copy(self) -> Any:
        """The elements in one dimension, in memory of their own."""
        return self._tensor.flatten()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._tensor.ravel().__array__(dtype, copy)

    def __len__(self) -> int:
        return int(self._tensor.size)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._rest is None:
            x = self._tensor
            # What is written meanwhile is read, so the elements of a copy will not do.
            in_place = x._array.flags.c_contiguous
            self._rest = iter(
                x.reshape(-1) if in_place else map(x.__getitem__, np.ndindex(x.shape))
            )
        value = next(self._rest)
        self._index += 1
        return value

    def __eq__(self, other: Any) -> Any:
        return self._tensor.ravel() == other

    def __ne__(self, other: Any) -> Any:
        return self._tensor.ravel() != other

    def __lt__(self, other: Any) -> Any:
        return self._tensor.ravel() < other

    def __le__(self, other: Any) -> Any:
        return self._tensor.ravel() <= other

    def __gt__(self, other: Any) -> Any:
        return self._tensor.ravel() > other

    def __ge__(self, other: Any) -> Any:
        return self._tensor.ravel() >= other

    def __getitem__(self, key: Any) -> Any:
        self._restart()  # as in NumPy
        out = self._tensor.ravel()[_checked(key, "x.flat[key]")]
        return out.copy() if out._family is not None else out

    def __setitem__(self, key: Any, value: Any) -> None:
        self._restart()
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
