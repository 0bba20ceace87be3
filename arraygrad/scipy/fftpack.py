"""Stand-ins for ``scipy.fftpack``: the transforms of ``scipy.fft`` under their older names.

Inverse cosine and sine transforms are not normalized there, and real transforms are packed into
real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import fft as transforms
from ._rule import is_tracked, refuse, rule, tensor, xp


def _one_axis(name: str, summary: str) -> Callable[..., Any]:
    def transform(x: Any, n: Any = None, axis: int = -1, overwrite_x: bool = False) -> Any:
        return getattr(xp.fft, name)(tensor(x, f"scipy.fftpack.{name}"), n, axis)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = summary
    return rule(f"scipy.fftpack.{name}")(transform)


def _several_axes(name: str, default: Any, summary: str) -> Callable[..., Any]:
    def transform(x: Any, shape: Any = None, axes: Any = default, overwrite_x: bool = False) -> Any:
        return getattr(xp.fft, name)(tensor(x, f"scipy.fftpack.{name}"), shape, axes)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = summary
    return rule(f"scipy.fftpack.{name}")(transform)


fft = _one_axis("fft", "Discrete Fourier transform.")
ifft = _one_axis("ifft", "Inverse of `fft`.")
fft2 = _several_axes("fft2", (-2, -1), "Fourier transform in two axes.")
ifft2 = _several_axes("ifft2", (-2, -1), "Inverse of `fft2`.")
fftn = _several_axes("fftn", None, "Fourier transform in several axes.")
ifftn = _several_axes("ifftn", None, "Inverse of `fftn`.")


@rule("scipy.fftpack.rfft")
def rfft(x: Any, n: Any = None, axis: int = -1, overwrite_x: bool = False) -> Any:
    """Fourier transform of real numbers: [y0, Re y1, Im y1, Re y2, ...]."""
    x = xp.moveaxis(tensor(x, "scipy.fftpack.rfft"), axis, -1)
    size = x.shape[-1] if n is None else int(n)
    y = xp.fft.rfft(x, size)
    pairs = xp.stack([xp.real(y), xp.imag(y)], axis=-1).reshape((*y.shape[:-1], -1))
    packed = xp.concatenate([pairs[..., :1], pairs[..., 2:]], axis=-1)  # Im y0 is 0
    return xp.moveaxis(packed[..., :size], -1, axis)


@rule("scipy.fftpack.irfft")
def irfft(x: Any, n: Any = None, axis: int = -1, overwrite_x: bool = False) -> Any:
    """Inverse of `rfft`."""
    x = xp.moveaxis(tensor(x, "scipy.fftpack.irfft"), axis, -1)
    size = x.shape[-1] if n is None else int(n)
    missing = xp.zeros((*x.shape[:-1], max(size - x.shape[-1], 0) + 2), dtype=x.dtype)
    x = xp.concatenate([x[..., :size], missing], axis=-1)
    real = xp.concatenate([x[..., :1], x[..., 1 : size + 1 : 2]], axis=-1)
    imag = xp.concatenate([0.0 * x[..., :1], x[..., 2 : size + 2 : 2]], axis=-1)
    length = size // 2 + 1
    return xp.moveaxis(xp.fft.irfft(real[..., :length] + 1j * imag[..., :length], size), -1, axis)


@rule("scipy.fftpack.rfftfreq")
def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    """Frequencies of what `rfft` gives: each positive one twice."""
    if is_tracked(n):
        raise refuse("scipy.fftpack.rfftfreq", "with a number of points that requires grad")
    return xp.arange(1, n + 1) // 2 / (n * d)


def _cosine_or_sine(name: str, summary: str) -> Callable[..., Any]:
    forward = getattr(transforms, name.removeprefix("i"))
    # Without its factor the inverse is the forward transform of the transposed type.
    types = {1: 1, 2: 3, 3: 2, 4: 4} if name.startswith("i") else {1: 1, 2: 2, 3: 3, 4: 4}

    def transform(
        x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None,
        overwrite_x: bool = False,
    ) -> Any:  # fmt: skip
        return forward(x, types[type], n, axis, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = summary
    return rule(f"scipy.fftpack.{name}")(transform)


dct = _cosine_or_sine("dct", "Discrete cosine transform.")
idct = _cosine_or_sine("idct", "Inverse of `dct` but for a factor.")
dst = _cosine_or_sine("dst", "Discrete sine transform.")
idst = _cosine_or_sine("idst", "Inverse of `dst` but for a factor.")
