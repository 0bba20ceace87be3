"""Complex elementwise functions whose NumPy loops miss special values of the Array API standard.

Every kernel here has the same plan. The finite elements go through NumPy's own loop, which is
accurate and raises exactly the floating-point flags it should. The elements with an infinity or a
NaN are computed by a ``_special_*`` function: the standard's table of special cases, written as
selects over the real part ``a`` and the imaginary part ``b``. Platforms differ in how well their C
library follows that table, so none of it is left to the C library.

A special element sets a flag only where its result holds a NaN that its input did not (the
mathematical "invalid operation"), as C99 allows and NumPy does.

Takes and returns complex arrays only; ``elementwise`` chooses between these and the real loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "reciprocal",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]

_Special = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

# A harmless argument in the domain of every function here; stands in for special elements.
_PLACEHOLDER = 0.5 + 0.25j


def _select(
    rows: list[tuple[np.ndarray, Any, Any]], a: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return real and imaginary parts from ``(condition, real, imag)`` rows; the first true wins.

    Elements that no row covers are ``nan + nan j``.
    """
    conditions = [row[0] for row in rows]
    real = np.select(conditions, [np.broadcast_to(row[1], a.shape) for row in rows], np.nan)
    imag = np.select(conditions, [np.broadcast_to(row[2], a.shape) for row in rows], np.nan)
    return real, imag


def _special_exp(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    finite_b = np.isfinite(b)
    return _select(
        [
            ((a == -np.inf) & finite_b, 0.0 * np.cos(b), 0.0 * np.sin(b)),
            (a == -np.inf, 0.0, 0.0),
            ((b == 0) & ~np.isfinite(a), a, b),
            ((a == np.inf) & finite_b, np.inf * np.cos(b), np.inf * np.sin(b)),
            (a == np.inf, np.inf, np.nan),
        ],
        a,
    )


def _special_expm1(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    real, imag = _special_exp(a, b)
    return real - 1.0, imag


def _special_log(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.where(np.isinf(a) | np.isinf(b), np.inf, np.nan), np.arctan2(b, a)


def _special_log2(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    real, imag = _special_log(a, b)
    return real, imag / np.log(2.0)


def _special_log10(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    real, imag = _special_log(a, b)
    return real, imag / np.log(10.0)


def _special_sqrt(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _select(
        [
            (np.isinf(b), np.inf, b),
            ((a == np.inf) & ~np.isnan(b), np.inf, np.copysign(0.0, b)),
            ((a == -np.inf) & ~np.isnan(b), 0.0, np.copysign(np.inf, b)),
            (a == np.inf, np.inf, np.nan),
            (a == -np.inf, np.nan, np.inf),
        ],
        a,
    )


def _special_cosh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # The imaginary zero has the sign of a*b, which keeps cosh even and cosh(conj(x)) conjugate.
    zero = np.copysign(0.0, a) * np.copysign(1.0, b)
    return _select(
        [
            ((a == 0) & ~np.isfinite(b), np.nan, zero),
            ((b == 0) & np.isinf(a), np.inf, zero),
            ((b == 0) & np.isnan(a), np.nan, zero),
            (np.isinf(a) & np.isfinite(b), np.inf * np.cos(b), a * np.sin(b)),
            (np.isinf(a), np.inf, np.nan),
        ],
        a,
    )


def _special_sinh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _select(
        [
            ((a == 0) & ~np.isfinite(b), a, np.nan),
            ((b == 0) & ~np.isfinite(a), a, b),
            (np.isinf(a) & np.isfinite(b), a * np.cos(b), np.inf * np.sin(b)),
            (np.isinf(a), a, np.nan),
        ],
        a,
    )


def _special_tanh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # C99 gives the zero at a = inf the sign of sin(2b); the standard gives it the sign of b.
    return _select(
        [
            ((a == 0) & ~np.isfinite(b), a, np.nan),
            (np.isinf(a) & np.isnan(b), np.copysign(1.0, a), 0.0),
            (np.isinf(a), np.copysign(1.0, a), np.copysign(0.0, b)),
            ((b == 0) & np.isnan(a), np.nan, b),
        ],
        a,
    )


def _special_asinh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _select(
        [
            (np.isinf(a) & np.isnan(b), a, np.nan),
            (np.isinf(a) & np.isinf(b), a, np.copysign(np.pi / 4, b)),
            (np.isinf(a), a, np.copysign(0.0, b)),
            (np.isnan(a) & np.isinf(b), np.inf, np.nan),
            (np.isinf(b), np.copysign(np.inf, a), np.copysign(np.pi / 2, b)),
            ((b == 0) & np.isnan(a), np.nan, b),
        ],
        a,
    )


def _special_acos(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    infinity = -np.copysign(np.inf, b)
    infinite_b = np.isinf(b)
    return _select(
        [
            (np.isinf(a) & np.isnan(b), np.nan, infinity),
            ((a == -np.inf) & infinite_b, 3 * np.pi / 4, infinity),
            ((a == np.inf) & infinite_b, np.pi / 4, infinity),
            (np.isnan(a) & infinite_b, np.nan, infinity),
            (infinite_b, np.pi / 2, infinity),
            (a == -np.inf, np.pi, infinity),
            (a == np.inf, 0.0, infinity),
            ((a == 0) & np.isnan(b), np.pi / 2, np.nan),
        ],
        a,
    )


def _special_acosh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    real, imag = _special_acos(a, b)
    return np.abs(imag), np.copysign(real, b)


def _special_atanh(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    zero = np.copysign(0.0, a)
    return _select(
        [
            (np.isinf(a) & np.isnan(b), zero, np.nan),
            (np.isinf(a) | np.isinf(b), zero, np.copysign(np.pi / 2, b)),
            ((a == 0) & np.isnan(b), zero, np.nan),
        ],
        a,
    )


def _turned(special: _Special) -> _Special:
    """Return the special values of ``f`` with ``f(z) = -1j * special(1j * z)``."""

    def turned(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        real, imag = special(-b, a)
        return imag, -real

    return turned


def _special_cos(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _special_cosh(-b, a)


def _finite_expm1(x: np.ndarray) -> np.ndarray:
    """Return ``exp(x) - 1`` of finite elements.

    NumPy multiplies ``exp(a)`` by ``sin(b)``: past the overflow of ``exp(a)`` this makes
    ``inf * 0 = nan`` of ``1000 + 0j``, which the scaled complex ``exp`` gets right.
    """
    large = x.real > 0.99 * np.log(np.finfo(x.dtype).max)
    if large.any():
        result = np.asarray(np.expm1(np.where(large, x.dtype.type(_PLACEHOLDER), x)))
        result[large] = _named("expm1", np.exp, x[large]) - 1
    else:
        result = np.asarray(np.expm1(x))
    # NumPy keeps the sign of a zero real part; the standard has 0 + 0j at -0 + 0j.
    result.real += 0.0
    return result


def _finite_log1p(x: np.ndarray) -> np.ndarray:
    """Return ``log(1 + x)`` of finite elements.

    NumPy takes ``log(hypot(1 + a, b))``, which is 0 for all small ``x``. With
    ``|1 + x|**2 = 1 + (a * (2 + a) + b**2)`` the real part keeps its digits.
    """
    result = np.asarray(np.log1p(x))
    small = (np.abs(x.real) < 0.5) & (np.abs(x.imag) < 0.5)
    if small.any():
        a, b = x.real[small], x.imag[small]
        with np.errstate(under="ignore"):
            result.real[small] = 0.5 * np.log1p(a * (2 + a) + b * b)
    return result


def _finish(result: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _unary(
    x: np.ndarray,
    out: np.ndarray | None,
    finite_function: Callable[..., np.ndarray],
    special_function: _Special,
) -> np.ndarray:
    """Return ``finite_function`` of the finite elements, ``special_function`` of the others."""
    x = np.asarray(x)
    special = ~np.isfinite(x)
    if not special.any():
        return _finish(finite_function(x), out)
    result = np.asarray(finite_function(np.where(special, x.dtype.type(_PLACEHOLDER), x)))
    z = x[special]
    with np.errstate(all="ignore"):
        real, imag = special_function(z.real, z.imag)
    values = np.empty_like(z)
    values.real = real
    values.imag = imag
    result[special] = values
    _raise_invalid(finite_function, z[np.isnan(values) & ~np.isnan(z)])
    return _finish(result, out)


def _raise_invalid(function: Callable[..., np.ndarray], z: np.ndarray) -> None:
    """Raise the flags of NumPy's loop for special elements whose result is a new NaN."""
    if z.size:
        with np.errstate(over="ignore", divide="ignore", under="ignore"):
            function(z)


def _named(name: str, function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Call a NumPy function that stands in for another; warnings name the other."""
    found: set[str] = set()
    with np.errstate(all="call", call=lambda kind, _: found.add(kind)):
        result = function(*operands, **options)
    if found:
        from arraygrad_kernels import threads

        threads.report(name, found)
    return result


def exp(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``exp(x)``."""
    return _unary(x, out, np.exp, _special_exp)


def expm1(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``exp(x) - 1``, accurate near zero."""
    return _unary(x, out, _finite_expm1, _special_expm1)


def log(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the natural logarithm; branch cut along the negative real axis."""
    return _unary(x, out, np.log, _special_log)


def log1p(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``log(1 + x)``, accurate near zero."""
    return _unary(x, out, _finite_log1p, _special_log)


def log2(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``log(x) / log(2)``."""
    return _unary(x, out, np.log2, _special_log2)


def log10(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``log(x) / log(10)``."""
    return _unary(x, out, np.log10, _special_log10)


def sqrt(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the principal square root; branch cut along the negative real axis."""
    return _unary(x, out, np.sqrt, _special_sqrt)


def cosh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the hyperbolic cosine."""
    return _unary(x, out, np.cosh, _special_cosh)


def sinh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the hyperbolic sine."""
    return _unary(x, out, np.sinh, _special_sinh)


def tanh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the hyperbolic tangent."""
    return _unary(x, out, np.tanh, _special_tanh)


def cos(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the cosine, ``cosh(1j * x)``."""
    return _unary(x, out, np.cos, _special_cos)


def sin(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the sine, ``-1j * sinh(1j * x)``."""
    return _unary(x, out, np.sin, _turned(_special_sinh))


def tan(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the tangent, ``-1j * tanh(1j * x)``."""
    return _unary(x, out, np.tan, _turned(_special_tanh))


def acosh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse hyperbolic cosine; branch cut along the real axis below 1."""
    return _unary(x, out, np.acosh, _special_acosh)


def asinh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse hyperbolic sine; branch cuts on the imaginary axis outside [-1j, 1j]."""
    return _unary(x, out, np.asinh, _special_asinh)


def atanh(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse hyperbolic tangent; branch cuts on the real axis outside [-1, 1]."""
    return _unary(x, out, np.atanh, _special_atanh)


def acos(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse cosine; branch cuts on the real axis outside [-1, 1]."""
    return _unary(x, out, np.acos, _special_acos)


def asin(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse sine, ``-1j * asinh(1j * x)``."""
    return _unary(x, out, np.asin, _turned(_special_asinh))


def atan(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse tangent, ``-1j * atanh(1j * x)``."""
    return _unary(x, out, np.atan, _turned(_special_atanh))


def reciprocal(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``1 / x`` by the rules of complex division (``np.reciprocal`` has its own)."""
    return _named("reciprocal", np.divide, x.dtype.type(1), x, out=out)


def sign(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``x / abs(x)``; ``0`` at zeros and ``nan + nan j`` if a component is NaN."""
    result = np.asarray(np.sign(x))
    size = np.maximum(np.abs(x.real), np.abs(x.imag))
    info = np.finfo(size.dtype)
    # NumPy divides by a size that may have overflowed or lost its digits.
    far = (size > info.max / 2) & np.isfinite(size) | (size < info.tiny / info.eps) & (size > 0)
    if far.any():
        scale = np.where(size > 1, info.eps, 1 / info.eps)
        with np.errstate(all="ignore"):  # NumPy's function has reported what it meets
            result[far] = np.sign(x[far] * scale[far])
    nan = np.isnan(x)
    if nan.any():
        result[nan] = complex(np.nan, np.nan)
    return _finish(result, out)
