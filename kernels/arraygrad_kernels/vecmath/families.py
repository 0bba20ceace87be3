"""Complex functions of one or two arguments, wrapped from functions of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["complex64", "complex64_pair", "complex128", "complex128_pair"]


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


def complex128_pair(parts: Callable[..., Any]) -> Callable[..., Any]:
    """Two complex128 to complex128 from a function of four float64 parts."""

    def function(x1, x2):
        real, imaginary = parts(x1.real, x1.imag, x2.real, x2.imag)
        return complex(real, imaginary)

    return function


def complex64_pair(parts: Callable[..., Any]) -> Callable[..., Any]:
    """Two complex64 to complex64 through float64."""

    def function(x1, x2):
        a, b = np.float64(x1.real), np.float64(x1.imag)
        real, imaginary = parts(a, b, np.float64(x2.real), np.float64(x2.imag))
        return np.complex64(complex(real, imaginary))

    return function
