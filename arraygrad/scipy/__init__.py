"""SciPy's functions with derivatives: the same names, signatures and values.

``arraygrad.scipy.linalg.solve`` stands for ``scipy.linalg.solve``, and so on. Lifted code gets them
wherever it names SciPy's. Where no argument is tracked SciPy itself computes, with everything it
can do; where one is, the derivative follows from a rule, and what has no rule is refused by name.

SciPy is an optional dependency and is imported when a function is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_attributes

if TYPE_CHECKING:
    from . import (
        cluster as cluster,
        fft as fft,
        integrate as integrate,
        interpolate as interpolate,
        linalg as linalg,
        ndimage as ndimage,
        optimize as optimize,
        signal as signal,
        sparse as sparse,
        spatial as spatial,
        stats as stats,
    )

__all__ = [
    "cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal",
    "sparse", "spatial", "stats",
]  # fmt: skip

__getattr__ = lazy_attributes(__name__, dict.fromkeys(__all__, ()))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
