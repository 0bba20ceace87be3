"""What the namespace can do: ``__array_namespace_info__``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _dtypes
from .._device import CPU, Device, as_device, known_devices
from .data_type import isdtype


class Devices(tuple[Device, ...]):
    """The known devices: a tuple that also adds to a list, which some consumers do."""

    __slots__ = ()

    def __add__(self, other: Any, /) -> Any:
        if isinstance(other, list):
            return [*self, *other]
        return tuple(self) + other


_NAMES = {
    "bool": _dtypes.bool_,
    "int8": _dtypes.int8,
    "int16": _dtypes.int16,
    "int32": _dtypes.int32,
    "int64": _dtypes.int64,
    "uint8": _dtypes.uint8,
    "uint16": _dtypes.uint16,
    "uint32": _dtypes.uint32,
    "uint64": _dtypes.uint64,
    "float32": _dtypes.float32,
    "float64": _dtypes.float64,
    "complex64": _dtypes.complex64,
    "complex128": _dtypes.complex128,
}


class __array_namespace_info__:
    """The inspection functions of the standard.

    Examples
    --------
    >>> import arraygrad as ag
    >>> info = ag.__array_namespace_info__()
    >>> info.default_dtypes()["real floating"]
    dtype('float64')
    """

    def capabilities(self) -> dict[str, Any]:
        """What is supported beyond the minimum: boolean masks, shapes that depend on data."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": 64,
        }

    def default_device(self) -> Device:
        """The device that new tensors live on."""
        return CPU

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """The dtypes that Python numbers and indices get, by kind."""
        as_device(device)
        return {
            kind: _dtypes.default_dtype(kind)
            for kind in ("real floating", "complex floating", "integral", "indexing")
        }

    def devices(self) -> Devices:
        """Every known device."""
        return Devices(known_devices())

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes by name, of all kinds or of those asked for."""
        as_device(device)
        if kind is None:
            return dict(_NAMES)
        return {name: dtype for name, dtype in _NAMES.items() if isdtype(dtype, kind)}
