"""Numba kernels for the CPU: what exists, and which one serves an operation on given dtypes.

Each family module lists its kernels as ``SPECS``; nothing is compiled before `KernelSpec.build`.
Under ``NUMBA_DISABLE_JIT=1`` there are no kernels here.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import Any

import numpy as np

from arraygrad_kernels import _jit
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.threads import get_num_threads, set_num_threads

__all__ = ["KernelSpec", "catalogue", "find", "get_num_threads", "set_num_threads"]

_FAMILIES = (
    "elementwise", "reduction", "moments", "extrema", "scan", "copy", "gather", "search", "sets",
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
    """Kernel of `op` for arrays of `dtypes`, in order; None where there is none."""
    return _index().get((op, tuple(dtypes)))
