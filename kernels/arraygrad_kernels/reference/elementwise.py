"""Elementwise kernels: ``k(x[, x2[, x3]], *, out=None)``, broadcasting, special values included.

An entry of ``KERNELS`` is NumPy's own ufunc wherever that already follows the Array API standard
for every dtype; a function of this module adds what NumPy lacks. Inputs are arrays whose dtypes the
caller has already promoted. Floating-point flags follow ``np.errstate`` as in NumPy; branches that
are computed and thrown away leave no flag behind.

float16 is computed as NumPy does. bfloat16 (an extension dtype of kind "V") goes through the loops
that its package registers, and through float32 where they are missing or faulty.

``KERNELS`` serves every dtype. The three smaller tables hold, for real, complex and extension
dtypes, kernels that are shorter or better behaved than the general one; ``reference.find`` looks
there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["COMPLEX_KERNELS", "EXTENSION_KERNELS", "KERNELS", "REAL_KERNELS"]


class _ComplexKernels:
    """The module complex_elementwise, imported when the first complex array comes."""

    def __getattr__(self, name: str) -> Any:
        from arraygrad_kernels.reference import complex_elementwise

        kernel = self.__dict__[name] = getattr(complex_elementwise, name)
        return kernel


complex_ = _ComplexKernels()


def _finish(result: Any, out: np.ndarray | None) -> Any:
    if out is None:
        return result
    np.copyto(out, result, casting="same_kind")
    return out


def _is_narrow(x: np.ndarray) -> bool:
    """Return whether ``x`` is float16 or an extension float, which are computed in float32."""
    return x.dtype.char == "e" or x.dtype.kind == "V"


def _copy(x: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    return np.array(x, copy=True) if out is None else _finish(x, out)


# --- complex numbers: parts, and functions with a kernel of their own for complex dtypes ----------


def real(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return a copy of the real component."""
    return _copy(x.real if x.dtype.kind == "c" else x, out)


def imag(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return a copy of the imaginary component; zeros for real dtypes."""
    if x.dtype.kind == "c":
        return _copy(x.imag, out)
    return _finish(np.zeros(x.shape, x.dtype), out)


def conj(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the complex conjugate; a copy for real dtypes, which include bool."""
    return np.conjugate(x, out=out) if x.dtype.kind == "c" else _copy(x, out)


def angle(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``atan2(imag(x), real(x))``."""
    if x.dtype.kind == "c":
        return np.atan2(x.imag, x.real, out=out)
    return np.atan2(np.zeros((), x.dtype), x, out=out)


# Functions for which NumPy follows the standard with real dtypes only.
COMPLEX_KERNELS = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log",
    "log10", "log1p", "log2", "reciprocal", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip


def _for_every_dtype(op: str) -> Callable[..., Any]:
    """Return NumPy's function for real dtypes, the kernel of our own for complex ones."""
    real_kernel = getattr(np, op)

    def kernel(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
        return (getattr(complex_, op) if x.dtype.kind == "c" else real_kernel)(x, out=out)

    kernel.__name__ = kernel.__qualname__ = op
    return kernel


# --- real arithmetic with fix-ups -----------------------------------------------------------------


def _in_float32(ufunc: np.ufunc) -> Callable[..., Any]:
    """Return a kernel that computes extension floats as float32, which holds them exactly."""

    def kernel(*operands: np.ndarray, out: np.ndarray | None = None) -> Any:
        result = ufunc(*(x.astype(np.float32) for x in operands))
        if result.dtype == np.float32:
            result = result.astype(operands[0].dtype)
        return _finish(result, out)

    kernel.__name__ = kernel.__qualname__ = f"{ufunc.__name__}_in_float32"
    return kernel


def floor_divide(x1: np.ndarray, x2: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the quotient rounded towards minus infinity.

    At infinities the standard wants ``floor(x1 / x2)`` with signed zeros where NumPy pairs ``//``
    with ``%`` and has NaN or -1: ``inf // 2`` is ``inf`` and ``-1 // inf`` is ``-0``.
    """
    if x1.dtype.kind in "iub":
        return np.floor_divide(x1, x2, out=out)
    if x1.dtype.kind == "V":
        wide = floor_divide(x1.astype(np.float32), x2.astype(np.float32))
        return _finish(np.asarray(wide).astype(x1.dtype), out)
    infinite = np.isinf(x1) | np.isinf(x2)
    if not infinite.any():
        return np.floor_divide(x1, x2, out=out)
    one = x1.dtype.type(1)
    result = np.asarray(np.floor_divide(np.where(infinite, one, x1), np.where(infinite, one, x2)))
    # x1 / x2 itself is the answer there: infinite, a zero of the right sign, or NaN.
    undefined = np.isinf(x1) & np.isinf(x2)
    np.divide(x1, x2, out=result, where=infinite & ~undefined)
    if undefined.any():  # NumPy's function, for its name in the warning
        np.floor_divide(x1, x2, out=result, where=undefined)
    return _finish(result, out)


def nextafter(x1: np.ndarray, x2: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the next representable value after ``x1`` towards ``x2``.

    Where they are equal that is ``x2``; NumPy's float16 loop returns ``x1``, the wrong zero.
    """
    if x1.dtype.char != "e":
        return np.nextafter(x1, x2, out=out)
    return _finish(np.where(x1 == x2, x2, np.nextafter(x1, x2)), out)


def round(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the nearest integer, ties to even; integers are copied (``np.rint`` makes floats)."""
    return _copy(x, out) if x.dtype.kind in "iub" else np.rint(x, out=out)


def clip(
    x: np.ndarray, minimum: np.ndarray, maximum: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return ``x`` limited to [minimum, maximum]; NaN in any of the three gives NaN."""
    if x.dtype.kind == "V":
        wide = clip(*(bound.astype(np.float32) for bound in (x, minimum, maximum)))
        return _finish(np.asarray(wide).astype(x.dtype), out)
    return np.minimum(np.maximum(x, minimum), maximum, out=out)


def where(
    condition: np.ndarray, x1: np.ndarray, x2: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return elements of ``x1`` where ``condition`` is true and of ``x2`` elsewhere."""
    return _finish(np.where(condition, x1, x2), out)


@np.errstate(all="ignore")
def absorbing_multiply(
    g: np.ndarray, p: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return ``g * p``, exactly 0 where either is 0, even against an infinity or a NaN.

    Raises no flag: the derivative at a pole is infinite without being a mistake.
    """
    nonzero = np.logical_and(g, p)
    result = np.zeros(nonzero.shape, np.result_type(g, p))
    np.multiply(g, p, out=result, where=nonzero)
    return _finish(result, out)


# --- functions that NumPy lacks -------------------------------------------------------------------


def sigmoid(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``1 / (1 + exp(-x))`` without overflow, tails included."""
    wide = x.astype(np.float32) if _is_narrow(x) else x
    positive = wide.real >= 0
    with np.errstate(all="ignore"):
        # exp of the non-positive argument never overflows; the other tail is e / (1 + e).
        e = np.exp(np.where(positive, -wide, wide))
        result = np.where(positive, 1, e) / (1 + e)
    return _finish(result.astype(x.dtype, copy=False), out)


def sinc(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``sin(pi x) / (pi x)``, 1 at 0."""
    wide = x.astype(np.float32) if _is_narrow(x) else x
    y = wide * np.asarray(np.pi, wide.dtype)
    zero = y == 0
    y = np.where(zero, wide.dtype.type(1), y)
    kernel = complex_.sin if y.dtype.kind == "c" else np.sin
    result = np.where(zero, wide.dtype.type(1), kernel(y) / y)
    with np.errstate(under="ignore"):  # rounding to a narrow dtype
        return _finish(result.astype(x.dtype, copy=False), out)


# Elements turned into Python floats at a time: bounds the memory that the list takes.
_BLOCK = 1 << 16


def _by_element(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """Return the C library's scalar function of each element, computed in float64."""
    flat = x.reshape(-1)
    result = np.empty(flat.shape, x.dtype)
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, _BLOCK):
            block = flat[start : start + _BLOCK].astype(np.float64)
            result[start : start + _BLOCK] = np.array(list(map(function, block.tolist())))
    return result.reshape(x.shape)


def erf(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the error function."""
    return _finish(_by_element(math.erf, x), out)


def erfc(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return ``1 - erf(x)``, accurate in the right tail."""
    return _finish(_by_element(math.erfc, x), out)


KERNELS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "absorbing_multiply": absorbing_multiply,
    "add": np.add,
    "angle": angle,
    "atan2": np.atan2,
    "bitwise_and": np.bitwise_and,
    "bitwise_invert": np.bitwise_invert,
    "bitwise_left_shift": np.bitwise_left_shift,
    "bitwise_or": np.bitwise_or,
    "bitwise_right_shift": np.bitwise_right_shift,
    "bitwise_xor": np.bitwise_xor,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "clip": clip,
    "conj": conj,
    "copysign": np.copysign,
    "divide": np.divide,
    "equal": np.equal,
    "erf": erf,
    "erfc": erfc,
    "exp2": np.exp2,
    "floor": np.floor,
    "floor_divide": floor_divide,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "heaviside": np.heaviside,
    "hypot": np.hypot,
    "imag": imag,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "less": np.less,
    "less_equal": np.less_equal,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "logical_and": np.logical_and,
    "logical_not": np.logical_not,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "negative": np.negative,
    "nextafter": nextafter,
    "not_equal": np.not_equal,
    "positive": np.positive,
    "pow": np.pow,
    "real": real,
    "remainder": np.remainder,
    "round": round,
    "sigmoid": sigmoid,
    "signbit": np.signbit,
    "sinc": sinc,
    "square": np.square,
    "subtract": np.subtract,
    "trunc": np.trunc,
    "where": where,
    **{op: _for_every_dtype(op) for op in COMPLEX_KERNELS},
}

# What `KERNELS` chooses at each call, for callers that know the dtypes beforehand.
REAL_KERNELS: dict[str, Callable[..., Any]] = {op: getattr(np, op) for op in COMPLEX_KERNELS}

# ml_dtypes' own loops of these flag a mere NaN operand as an invalid operation.
EXTENSION_KERNELS: dict[str, Callable[..., Any]] = {
    "greater": _in_float32(np.greater),
    "greater_equal": _in_float32(np.greater_equal),
    "less": _in_float32(np.less),
    "less_equal": _in_float32(np.less_equal),
    "maximum": _in_float32(np.maximum),
    "minimum": _in_float32(np.minimum),
    "remainder": _in_float32(np.remainder),
}
