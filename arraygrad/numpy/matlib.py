"""NumPy's matlib: repmat on tensors; what makes matrices, which hold no tensors, is NumPy's."""

from __future__ import annotations

import warnings as _warnings
from typing import Any

import numpy as _np

from . import _namespace

with _warnings.catch_warnings():  # NumPy's advice is for whoever names its module
    _warnings.simplefilter("ignore", PendingDeprecationWarning)
    import numpy.matlib as _numpy

__all__ = list(_numpy.__all__)


def repmat(a: Any, m: int, n: int) -> Any:
    """Repeat an array of at most two dimensions m times down and n times across.

    Parameters
    ----------
    a : Tensor
    m, n : int

    Returns
    -------
    Tensor
        Of two dimensions.

    Notes
    -----
    Derivative: the sum over the copies of an element.
    """
    return _namespace.twin(_np.tile)(_namespace.twin(_np.atleast_2d)(a), (m, n))


TWINS = {_numpy.repmat: repmat}


def __getattr__(name: str) -> Any:
    found = _namespace.attribute(_numpy, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_numpy), *globals()})
