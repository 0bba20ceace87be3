"""Plain NumPy kernels for every operation and dtype: the oracle, and the fallback everywhere.

``KERNELS`` maps an operation's name to its kernel. The kernels return the special values of the
Array API standard, know nothing of tensors or gradients and need nothing but NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arraygrad_kernels.reference import elementwise, gather, reductions, search, sets

__all__ = ["KERNELS"]

KERNELS: dict[str, Callable[..., Any]] = {
    **elementwise.KERNELS,
    **reductions.KERNELS,
    **gather.KERNELS,
    **search.KERNELS,
    **sets.KERNELS,
}
