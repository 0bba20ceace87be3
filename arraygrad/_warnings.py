"""Warnings in NumPy's words, attributed to the line of the user that asked."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

__all__ = ["EMPTY_MEAN", "TOO_FEW", "AtUsersLine", "warn"]

# NumPy 2.4 dropped the full stop.
EMPTY_MEAN = "Mean of empty slice" + ("" if np.lib.NumpyVersion(np.__version__) >= "2.4.0" else ".")
TOO_FEW = "Degrees of freedom <= 0 for slice"


class AtUsersLine:
    """The module ``warnings`` for NumPy's code, whose stack levels are not those of ours."""

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    @staticmethod
    def warn(message: str, category: type[Warning] = UserWarning, *_: Any, **__: Any) -> None:
        """As ``warnings.warn``, at the line of the user whatever the level."""
        warn(message, category)


_LIBRARIES = ("arraygrad.", "numpy.")


def warn(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning at the innermost line that is neither NumPy's nor ours."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(_LIBRARIES):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
