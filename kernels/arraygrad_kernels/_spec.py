"""The record of one compiled kernel, kept apart so that family modules import no package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["KernelSpec"]


class KernelSpec(NamedTuple):
    """One kernel for one operation and one combination of dtypes.

    Attributes
    ----------
    op : str
        Name of the operation, spelled as in the Array API standard.
    dtypes : tuple of numpy.dtype
        Dtypes of the array arguments, in order.
    preferred : bool
        Whether the kernel was measured faster than the reference loop; the mode ``auto`` takes
        only such kernels, the mode ``numba`` takes all.
    build : callable
        Compiles the kernel, or loads it from the disk cache, and returns a callable with the
        signature of the reference kernel of the same operation.
    """

    op: str
    dtypes: tuple[np.dtype[Any], ...]
    preferred: bool
    build: Callable[[], Callable[..., Any]]
