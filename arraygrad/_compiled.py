"""The compiled roads, if they have been built and are wanted.

``ARRAYGRAD_ROADS=python`` leaves them out: the Python functions that they stand for run instead;
``auto`` (the default) takes them where there are any.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from ._errors import ArgumentError

# Counts the changes of what the compiled module and the Python code say to one another: a module
# that was built before the last change is left out. Both sides state it.
VERSION = 9
ROADS: ModuleType | None = None
WHY_NOT = "as ARRAYGRAD_ROADS says"
_mode = os.environ.get("ARRAYGRAD_ROADS", "auto")
if _mode not in ("auto", "python"):
    raise ArgumentError(f"ARRAYGRAD_ROADS is {_mode!r}; set it to one of ('auto', 'python')")
if _mode == "auto":
    try:
        from . import _roads
    except ImportError as error:  # no compiler, another Python, a checkout without an install
        WHY_NOT = f"not built: {error}"
    else:
        if _roads.VERSION == VERSION:
            ROADS = _roads
        else:
            WHY_NOT = "built before the last change of its source; pip install -e ."


def base(name: str) -> Any:
    """A compiled class for a Python class to extend, or object; see `_roads_lifting.pxi`."""
    return object if ROADS is None else getattr(ROADS, name)
