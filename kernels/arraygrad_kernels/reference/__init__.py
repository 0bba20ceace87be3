"""Plain NumPy kernels for every operation and dtype: the oracle, and the fallback everywhere.

``KERNELS`` maps an operation's name to its kernel. The kernels return the special values of the
Array API standard, know nothing of tensors or gradients and need nothing but NumPy. ``find`` does
the choice by dtype once that some of them would otherwise make at every call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.reference import elementwise, gather, reductions, search, sets

__all__ = ["KERNELS", "find"]

KERNELS: dict[str, Callable[..., Any]] = {
    **elementwise.KERNELS,
    **reductions.KERNELS,
    **gather.KERNELS,
    **search.KERNELS,
    **sets.KERNELS,
}


def find(op: str, dtypes: tuple[np.dtype, ...]) -> Callable[..., Any] | None:
    """Return the kernel of ``op`` for arrays of ``dtypes``, or None if there is no such operation.

    It computes what ``KERNELS[op]`` does. For real dtypes it is often the bare NumPy ufunc; for
    extension floats it avoids loops that warn of a mere NaN.
    """
    kinds = {dtype.kind for dtype in dtypes}
    if "V" in kinds and op in elementwise.EXTENSION_KERNELS:
        return elementwise.EXTENSION_KERNELS[op]
    if kinds == {"c"} and op in elementwise.COMPLEX_KERNELS:
        return getattr(elementwise.complex_, op)  # type: ignore[no-any-return]
    if "c" not in kinds and op in elementwise.REAL_KERNELS:
        return elementwise.REAL_KERNELS[op]
    return KERNELS.get(op)
