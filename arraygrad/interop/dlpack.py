"""DLPack: sharing memory with other libraries.

On the CPU the capsules are NumPy's own; bfloat16, which NumPy cannot export, is refused.
"""

from __future__ import annotations

from typing import Any

from .._errors import ArgumentError, ExportError
from .._storage import pin

CPU_DEVICE = (1, 0)


def device_of(x: Any) -> tuple[int, int]:
    """(device type, index) in DLPack's numbers."""
    return CPU_DEVICE


def export(
    x: Any,
    *,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> Any:
    """A DLPack capsule over the tensor's memory."""
    if stream is not None:
        raise ArgumentError("stream: the CPU has no streams; leave it None")
    if dl_device is not None and tuple(dl_device) != CPU_DEVICE:
        raise ExportError(f"dl_device={dl_device}: a CPU tensor can be exported to (1, 0) only")
    array = x._array
    if copy:
        array = array.copy()
    else:
        pin(x)
    try:
        return array.__dlpack__(max_version=max_version, dl_device=dl_device)
    except BufferError as error:
        raise ExportError(f"{error}; export a copy, x.copy()") from error
