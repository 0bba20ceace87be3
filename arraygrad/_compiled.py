"""The compiled roads, if they have been built and are wanted.

``ARRAYGRAD_ROADS=python`` leaves them out: the Python functions that they stand for run instead.
"""

from __future__ import annotations

import os
from types import ModuleType

# Counts the changes of what the compiled module and the Python code say to one another: a module
# that was built before the last change is left out. Both sides state it.
VERSION = 2
ROADS: ModuleType | None = None
WHY_NOT = "left out by ARRAYGRAD_ROADS"
if os.environ.get("ARRAYGRAD_ROADS") != "python":
    try:
        from . import _roads
    except ImportError as error:  # no compiler, another Python, a checkout without an install
        WHY_NOT = f"not built ({error.name or error})"
    else:
        if _roads.VERSION == VERSION:
            ROADS = _roads
        else:
            WHY_NOT = "built before the last change of its source; pip install -e ."
