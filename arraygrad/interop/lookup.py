"""Finding our answer to a NumPy function or ufunc.

The functions with NumPy's signatures are imported at the first question, not with the package:
whoever uses arraygrad's own names never pays for them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from .. import ops
from .._answers import ANSWERS, ASKED


class _State:
    loaded = False
    special = False


def load() -> None:
    """Import all answers. Several threads may call this at once: the import lock orders them."""
    if not _State.loaded:
        from . import numpy_functions  # noqa: F401

        ops.load_all()

        _State.loaded = True


def answer_to(function: Any) -> Callable[..., Any] | None:
    """Our function for a NumPy function or ufunc object, or None."""
    if not _State.loaded:
        load()
    found = ANSWERS.get(function)
    if found is None and not _State.special and "scipy.special" in sys.modules:
        importlib.import_module("arraygrad.special")  # by name: it lies above this module
        _State.special = True
        found = ANSWERS.get(function)
    if found is not None:
        ASKED[function] = found
    return found
