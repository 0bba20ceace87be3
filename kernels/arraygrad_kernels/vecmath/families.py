"""Complex functions of one argument, wrapped from functions of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["complex64", "complex128"]


def complex128(parts: Callable[..., Any]) -> Callable[..., Any]:
    """complex128 to complex128 from a function of two float64 parts."""

    def function(x):
        real, imaginary = parts(x.real, x.imag)
        return complex(real, imaginary)

    return function


def complex64(parts: Callable[..., Any]) -> Callable[..., Any]:
    """complex64 to complex64 through float64."""

    def function(x):
        real, imaginary = parts(np.float64(x.real), np.float64(x.imag))
        return np.complex64(complex(real, imaginary))

    return function
