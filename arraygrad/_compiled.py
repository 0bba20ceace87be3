"""The compiled roads, if they have been built and are wanted.

``ARRAYGRAD_ROADS=python`` leaves them out: the Python functions that they stand for run instead.
"""

from __future__ import annotations

import os
from types import ModuleType

ROADS: ModuleType | None = None
if os.environ.get("ARRAYGRAD_ROADS") != "python":
    try:
        from . import _roads as ROADS
    except ImportError:  # not built: no compiler, another Python, a checkout without an install
        ROADS = None
