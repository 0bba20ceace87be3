"""Numba kernels for the CPU: what exists, and which one serves an operation on given dtypes.

Each family module lists its kernels as ``SPECS``; nothing is compiled before `KernelSpec.build`.
Under ``NUMBA_DISABLE_JIT=1`` there are no kernels here.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from arraygrad_kernels import _jit
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.threads import get_num_threads, set_num_threads

__all__ = ["KernelSpec", "catalogue", "find", "get_num_threads", "set_num_threads"]

_FAMILIES = (
    "elementwise", "reduction", "moments", "exponential", "extrema", "scan",
    "reduction_of_others", "backward", "copy", "gather", "search", "sets",
)  # fmt: skip


@functools.cache
def _index() -> dict[tuple[str, tuple[np.dtype[Any], ...]], KernelSpec]:
    """Kernels by operation and dtypes."""
    index: dict[tuple[str, tuple[np.dtype[Any], ...]], KernelSpec] = {}
    if not _jit.enabled():
        return index
    for family in _FAMILIES:
        name = f"{__name__}.{family}"
        if importlib.util.find_spec(name) is None:
            continue
        for spec in getattr(importlib.import_module(name), "SPECS", ()):
            index[spec.op, spec.dtypes] = spec
    return index


def catalogue() -> list[KernelSpec]:
    """All kernels that can be built on this machine."""
    return list(_index().values())


def find(op: str, dtypes: tuple[np.dtype[Any], ...]) -> KernelSpec | None:
    """Kernel of `op` for arrays of `dtypes`, in order; None where there is none.

    A kernel that converts its indices itself, or only moves elements, is in the catalogue once and
    found for every dtype of indices, and for every element of two bytes that NumPy does not know.
    """
    index = _index()
    found = index.get((op, tuple(dtypes)))
    return found or index.get((op, tuple(_stand_ins(op, dtypes))))


_MOVING = {"copy", "mask_select", "take", "take_along_axis"}
_INDEXED = {"add_along_axis", "add_at", "index_add", "take", "take_along_axis"}


def _stand_ins(op: str, dtypes: Sequence[np.dtype[Any]]) -> list[np.dtype[Any]]:
    """Dtypes of the kernel that serves `dtypes` too."""
    chosen = list(dtypes)
    if op in _INDEXED and len(chosen) > 1 and chosen[1].kind in "iu":
        chosen[1] = np.dtype(np.int64)
    if op in _MOVING and chosen and chosen[0].kind == "V" and chosen[0].itemsize == 2:
        chosen[0] = np.dtype(np.float16)
    return chosen
