"""Arrays continued beyond their ends, and sums over windows, with ``scipy.ndimage``'s modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import ArgumentError
from .._op import Bilinear
from ._rule import primitive_op, scipy_object, xp

# SciPy's mode -> NumPy's name for the same continuation.
_PADS = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge",
    "wrap": "wrap", "grid-wrap": "wrap", "constant": "edge", "grid-constant": "edge",
}  # fmt: skip


def extended(x: Any, axis: int, before: int, after: int, mode: str, cval: Any) -> Any:
    """The array continued along an axis: a gather, whose transpose adds."""
    if mode not in _PADS:
        raise ArgumentError(f"mode={mode!r} is not one of {', '.join(sorted(_PADS))}")
    if before < 0 or after < 0:
        n = x.shape[axis]
        x = xp.take(x, np.arange(max(-before, 0), n - max(-after, 0)), axis=axis)
        before, after = max(before, 0), max(after, 0)
    if not before and not after:
        return x
    n = x.shape[axis]
    index = np.arange(n)
    pad: Any = _PADS[mode]
    index = np.pad(index, (before, after), mode=pad) if n > 1 else np.zeros(n + before + after, int)
    out = xp.take(x, index, axis=axis)
    if mode.endswith("constant"):
        inside = np.zeros(index.shape, bool)
        inside[before : before + n] = True
        shape = [1] * x.ndim
        shape[axis] = -1
        out = xp.where(inside.reshape(shape), out, cval)
    return out


def correlated(x: Any, weights: Any, axis: int, mode: str, cval: Any, origin: int) -> Any:
    """Sum of weights times neighbours along an axis; bilinear in x and weights."""
    size = weights.shape[0]
    before = size // 2 + origin
    x = extended(x, axis, before, size - 1 - before, mode, cval)
    return _correlated_inside(x, weights, axis=axis)


def _inside_kernel(x: Any, weights: Any, *, axis: int) -> Any:
    size = weights.shape[0]
    out = scipy_object("scipy.ndimage.correlate1d")(x, weights, axis, mode="constant")
    index = [slice(None)] * x.ndim
    index[axis] = slice(size // 2, size // 2 + x.shape[axis] - size + 1)
    return np.ascontiguousarray(out[tuple(index)])


def _cotangent_of_array(g: Any, weights: Any, axis: int) -> Any:
    """Convolution with the weights: correlation of the cotangent between zeros."""
    shape = list(g.shape)
    shape[axis] = weights.shape[0] - 1
    zeros = xp.zeros(shape, dtype=g.dtype)
    padded = xp.concatenate((zeros, g, zeros), axis=axis)
    return _correlated_inside(padded, xp.flip(xp.conj(weights)), axis=axis)


def _cotangent_of_weights(g: Any, x: Any, weights_shape: Any, axis: int) -> Any:
    seen = xp.lib.stride_tricks.sliding_window_view(x, weights_shape[0], axis=axis)
    return xp.tensordot(g, xp.conj(seen), axes=g.ndim)


_correlated_inside: Any = primitive_op(
    "ndimage.correlate1d", ("x", "weights"),
    Bilinear(x=_cotangent_of_array, weights=_cotangent_of_weights), _inside_kernel,
)  # fmt: skip


def windows(x: Any, shape: Any, modes: Any, cval: Any, origins: Any) -> Any:
    """All windows of a shape around each element: the array's axes, then those of the window."""
    for axis, size in enumerate(shape):
        before = size // 2 + origins[axis]
        x = extended(x, axis, before, size - 1 - before, modes[axis], cval)
    return xp.lib.stride_tricks.sliding_window_view(x, tuple(shape))
