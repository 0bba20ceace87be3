"""Devices: where a tensor's memory lives. Knows nothing of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._errors import DeviceError

__all__ = ["CPU", "Device", "as_device", "known_devices", "register_device", "transfer"]


class Device:
    """A place for memory and kernels.

    Equal to its string, so that ``x.device == "cpu"`` and ``device="cpu"`` both work.

    Parameters
    ----------
    kind : str
        What the dispatcher looks kernels up by: ``"cpu"``, ``"cuda"``, ...
    index : int or None
        Number among several devices of one kind.
    """

    __slots__ = ("index", "kind")

    def __init__(self, kind: str, index: int | None = None) -> None:
        self.kind = kind
        self.index = index

    def __str__(self) -> str:
        return self.kind if self.index is None else f"{self.kind}:{self.index}"

    def __repr__(self) -> str:
        return f"Device({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self.kind == other.kind and self.index == other.index
        if isinstance(other, str):
            return str(self) == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return as_device, (str(self),)


CPU = Device("cpu")
_KNOWN: dict[str, Device] = {"cpu": CPU}


# device -> (from ndarray, to ndarray)
_TRANSFERS: dict[Device, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    CPU: (lambda array: array, lambda array: array)
}


def register_device(
    device: Device, from_numpy: Callable[[Any], Any], to_numpy: Callable[[Any], Any]
) -> Device:
    """Make a device known to ``device=`` arguments and `to_device`; kernels are registered apart.

    Parameters
    ----------
    device : Device
    from_numpy, to_numpy : callable
        Copy an ndarray to the device's own array, and back. The device's arrays need attributes
        ``dtype``, ``shape``, ``ndim``, ``size``, ``nbytes``, ``device``; ``layout`` if not strided.
    """
    _KNOWN[str(device)] = device
    _TRANSFERS[device] = (from_numpy, to_numpy)
    return device


def transfer(array: Any, source: Device, target: Device) -> Any:
    """The array on another device, by way of NumPy."""
    if source == target:
        return array
    return _TRANSFERS[target][0](_TRANSFERS[source][1](array))


def known_devices() -> tuple[Device, ...]:
    """Every device that ``device=`` accepts."""
    return tuple(_KNOWN.values())


def as_device(device: Device | str | None) -> Device:
    """The Device of a device, its name, or None (the default device, the CPU)."""
    if device is None or device is CPU:
        return CPU
    found = _KNOWN.get(str(device)) if isinstance(device, Device | str) else None
    if found is None:
        names = ", ".join(repr(str(known)) for known in _KNOWN.values())
        raise DeviceError(f"device={device!r} is not known here; use one of {names}")
    return found
