"""Plain NumPy kernels for every operation and dtype: the oracle, and the fallback everywhere.

``KERNELS`` maps an operation's name to its kernel. The kernels return the special values of the
Array API standard, know nothing of tensors or gradients and need nothing but NumPy. ``find`` does
the choice by dtype once that some of them would otherwise make at every call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    KERNELS: dict[str, Callable[..., Any]]

__all__ = ["KERNELS", "find"]

# Family -> its operations; all others are elementwise. A family, a module of this package, is
# imported when the first of its operations is asked for: programs need few.
FAMILIES: dict[str, tuple[str, ...]] = {
    "backward": (
        "log_softmax.backward",
        "logsumexp.backward",
        "softmax.backward",
        "std.backward",
        "var.backward",
        "vector_norm.backward",
    ),
    "gather": (
        "add_along_axis",
        "add_at",
        "cast",
        "copy",
        "index_add",
        "mask_select",
        "nonzero",
        "take",
        "take_along_axis",
    ),
    "reductions": (
        "all",
        "any",
        "argmax",
        "argmin",
        "count_nonzero",
        "cumulative_prod",
        "cumulative_sum",
        "logsumexp",
        "max",
        "mean",
        "min",
        "prod",
        "softmax",
        "std",
        "sum",
        "var",
    ),
    "search": ("argsort", "searchsorted", "sort"),
    "sets": ("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
}
_FAMILY_OF = {op: family for family, ops in FAMILIES.items() for op in ops}


def find(op: str, dtypes: tuple[np.dtype, ...]) -> Callable[..., Any] | None:
    """Return the kernel of ``op`` for arrays of ``dtypes``, or None if there is no such operation.

    It computes what ``KERNELS[op]`` does. For real dtypes it is often the bare NumPy ufunc; for
    extension floats it avoids loops that warn of a mere NaN.
    """
    family = _FAMILY_OF.get(op)
    if family is not None:
        return _module(family).KERNELS[op]  # type: ignore[no-any-return]
    elementwise = _module("elementwise")
    kinds = {dtype.kind for dtype in dtypes}
    if "V" in kinds and op in elementwise.EXTENSION_KERNELS:
        return elementwise.EXTENSION_KERNELS[op]  # type: ignore[no-any-return]
    if kinds == {"c"} and op in elementwise.COMPLEX_KERNELS:
        return getattr(elementwise.complex_, op)  # type: ignore[no-any-return]
    if "c" not in kinds and op in elementwise.REAL_KERNELS:
        return elementwise.REAL_KERNELS[op]  # type: ignore[no-any-return]
    return elementwise.KERNELS.get(op)  # type: ignore[no-any-return]


def _module(family: str) -> Any:
    return importlib.import_module(f"{__name__}.{family}")


def __getattr__(name: str) -> Any:
    """``KERNELS``, for which every family is imported."""
    if name != "KERNELS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: dict[str, Callable[..., Any]] = {}
    for family in ("elementwise", *FAMILIES):
        found |= _module(family).KERNELS
    return globals().setdefault(name, found)
