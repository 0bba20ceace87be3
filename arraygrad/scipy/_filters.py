"""Convolutions and recursive filters as ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Bilinear, Rule
from ._rule import primitive_op, scipy_object, xp

# -- convolution: every dimension of x1 at least as long as that of x2 in mode "valid" -------------


def _convolve_kernel(x1: Any, x2: Any, *, mode: str, method: str) -> Any:
    return scipy_object("scipy.signal.convolve")(x1, x2, mode, method)


def _flipped(x: Any) -> Any:
    return xp.flip(xp.conj(x))


def _real_like(g: Any, dtype: Any) -> Any:
    """A cotangent in the dtype of its argument: the real part for a real one."""
    return xp.real(g) if dtype.kind != "c" and g.dtype.kind == "c" else g


full_convolution: Any = primitive_op(
    "signal.convolve_full", ("x1", "x2"),
    Bilinear(
        x1=lambda g, x2, x1_dtype, method: _real_like(
            valid_convolution(g, _flipped(x2), mode="valid", method=method), x1_dtype),
        x2=lambda g, x1, x2_dtype, method: _real_like(
            valid_convolution(g, _flipped(x1), mode="valid", method=method), x2_dtype),
    ),
    _convolve_kernel,
)  # fmt: skip

valid_convolution: Any = primitive_op(
    "signal.convolve_valid", ("x1", "x2"),
    Bilinear(
        x1=lambda g, x2, x1_dtype, method: _real_like(
            full_convolution(g, _flipped(x2), mode="full", method=method), x1_dtype),
        x2=lambda g, x1, x2_dtype, method: _real_like(
            xp.flip(valid_convolution(xp.conj(x1), xp.flip(g), mode="valid", method=method)),
            x2_dtype),
    ),
    _convolve_kernel,
)  # fmt: skip

# -- all-pole filter: a * out = v, along the last axis ---------------------------------------------


def _recursive_kernel(a: Any, v: Any) -> Any:
    return scipy_object("scipy.signal.lfilter")(np.ones(1, a.dtype), a, v)


def _recursive_vjp(g: Any, a: Any, out: Any, v_dtype: Any) -> Any:
    """H solves the equation backwards in time; a sees the filter's own output, delayed."""
    h = xp.flip(recursive(xp.conj(a), xp.flip(g, axis=-1)), axis=-1)
    n = out.shape[-1]
    taps = [
        -xp.sum(h[..., k:] * xp.conj(out[..., : n - k])) if k < n else 0.0 * a[0]
        for k in range(a.shape[0])
    ]
    return _real_like(xp.stack(taps), a.dtype), _real_like(h, v_dtype)


recursive = primitive_op(
    "signal.recursive", ("a", "v"), Rule(vjp=_recursive_vjp), _recursive_kernel
)
