"""Frequency responses and forms of filters, as in ``scipy.signal``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ._rule import plain, refuse, rule, scipy_object, tensor, xp


@rule("scipy.signal.freqz")
def freqz(
    b: Any, a: Any = 1, worN: Any = 512, whole: bool = False, plot: Any = None,
    fs: Any = 2 * np.pi, include_nyquist: bool = False,
) -> Any:  # fmt: skip
    """Frequencies, and the response of a filter there: a quotient of two polynomials."""
    real = scipy_object("scipy.signal.freqz")
    numbers = np.asarray(plain(worN))
    settings = {"whole": whole, "include_nyquist": include_nyquist}
    if numbers.ndim:
        frequencies = tensor(worN, "scipy.signal.freqz", 3)
    else:
        frequencies = real([1.0], 1, numbers.item(), fs=2 * np.pi, **settings)[0]
        frequencies = frequencies * (fs / (2 * np.pi))
    b, a = tensor(b, "scipy.signal.freqz"), tensor(a, "scipy.signal.freqz", 2)
    if b.ndim > 1 or a.ndim > 1:
        raise refuse("scipy.signal.freqz", "of filters with several axes", "give one at a time")
    z = xp.exp(-1j * (frequencies * (2 * np.pi / fs)))
    response = xp.polyval(xp.atleast_1d(b)[::-1], z) / xp.polyval(xp.atleast_1d(a)[::-1], z)
    if plot is not None:
        plot(frequencies, response)
    return frequencies, response


@rule("scipy.signal.zpk2tf")
def zpk2tf(z: Any, p: Any, k: Any) -> Any:
    """Numerator and denominator from zeros, poles and the gain."""
    z, p = (xp.atleast_1d(tensor(v, "scipy.signal.zpk2tf", i)) for i, v in ((1, z), (2, p)))
    if z.ndim > 1:
        raise refuse("scipy.signal.zpk2tf", "of several numerators", "give one at a time")
    return _without_imaginary_parts(xp.atleast_1d(k) * _poly(z)), _without_imaginary_parts(_poly(p))


def _poly(roots: Any) -> Any:
    return xp.poly(roots) if roots.size else xp.ones(1)


def _without_imaginary_parts(x: Any) -> Any:
    """Coefficients of real polynomials, whose roots come in conjugate pairs."""
    if x.dtype.kind == "c" and np.all(np.abs(plain(x).imag) <= 1e-12 * np.max(np.abs(plain(x)))):
        return xp.real(x)
    return x


@rule("scipy.signal.tf2zpk")
def tf2zpk(b: Any, a: Any) -> Any:
    """Zeros, poles and the gain from numerator and denominator."""
    b = xp.atleast_1d(tensor(b, "scipy.signal.tf2zpk"))
    a = xp.atleast_1d(tensor(a, "scipy.signal.tf2zpk", 2))
    if b.ndim > 1:
        raise refuse("scipy.signal.tf2zpk", "of several numerators", "give one at a time")
    # SciPy drops leading coefficients of b that are zero.
    b = b[int(np.argmax(np.abs(plain(b / a[0])) > 1e-14)) :]
    return xp.roots(b), xp.roots(a), b[0] / a[0]


@rule("scipy.signal.sos2tf")
def sos2tf(sos: Any) -> Any:
    """Numerator and denominator from second-order sections: products of polynomials."""
    sos = tensor(sos, "scipy.signal.sos2tf")
    numerators, denominators = [*sos[:, :3]], [*sos[:, 3:]]
    return functools.reduce(xp.polymul, numerators), functools.reduce(xp.polymul, denominators)
