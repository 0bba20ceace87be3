"""The chirp z-transform by Bluestein's convolution, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._rule import needs_rule, plain, policed, rule, scipy_object, tensor, tensors, xp


class CZT:
    """Stand-in for ``scipy.signal.CZT``: sums of x[n] a^-n w^(k n), for k < m.

    Notes
    -----
    Linear in the signal; differentiable by w and a, too.
    """

    _path = "scipy.signal.CZT"
    _given: tuple[Any, ...]

    def __init__(self, n: int, m: int | None = None, w: Any = None, a: Any = 1 + 0j) -> None:
        self._real = scipy_object(self._path)(plain(n), m, plain(w), plain(a))
        self.n, self.m = self._real.n, self._real.m
        k = np.arange(max(self.m, self.n))
        if w is None:
            chirp = xp.asarray(np.exp(-1j * np.pi * (k**2 % (2 * self.m)) / self.m))
        else:
            chirp = tensor(w, self._path, 3) ** (k**2 / 2.0)
        self._given = w, a
        self._set(tensor(a, self._path, 4) ** -k[: self.n].astype(float), chirp)

    def _set(self, weights: Any, chirp: Any) -> None:
        self._weights, self._chirp = weights * chirp[: self.n], chirp

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._real, name)
        return (lambda: tensors(found())) if callable(found) else found

    @policed
    def __call__(self, x: Any, *, axis: int = -1) -> Any:
        """The transform along an axis."""
        if not needs_rule(x, self._given):
            return tensors(self._real(plain(x), axis=axis))
        self._real(plain(x), axis=axis)  # its errors are SciPy's
        n, m, chirp = self.n, self.m, self._chirp
        x = xp.swapaxes(tensor(x, self._path), axis, -1)
        size = int(scipy_object("scipy.fft.next_fast_len")(n + m - 1))
        around = xp.concatenate((xp.flip(chirp[1:n]), chirp[:m]))
        product = xp.fft.fft(1 / around, size) * xp.fft.fft(x * self._weights, size)
        out = xp.fft.ifft(product)[..., n - 1 : n + m - 1] * chirp[:m]
        return xp.swapaxes(out, axis, -1)


class ZoomFFT(CZT):
    """Stand-in for ``scipy.signal.ZoomFFT``: the transform between two frequencies."""

    _path = "scipy.signal.ZoomFFT"

    def __init__(
        self, n: int, fn: Any, m: int | None = None, *, fs: Any = 2, endpoint: bool = False
    ) -> None:
        settings = {"fs": plain(fs), "endpoint": endpoint}
        self._real = scipy_object(self._path)(plain(n), plain(fn), m, **settings)
        self.n, self.m = self._real.n, self._real.m
        fn = xp.reshape(tensor(fn, self._path, 2), -1)
        low, high = (fn[0], fn[1]) if fn.shape[0] == 2 else (0.0 * fn[0], fn[0])
        k = np.arange(max(self.m, self.n)).astype(float)
        scale = (high - low) / fs * (self.m / (self.m - 1) if endpoint else 1.0)
        self._given = fn, fs
        self._set(
            xp.exp(-2j * np.pi * k[: self.n] * low / fs),
            xp.exp(-1j * np.pi * scale * k**2 / self.m),
        )


@rule("scipy.signal.czt")
def czt(x: Any, m: Any = None, w: Any = None, a: Any = 1 + 0j, *, axis: int = -1) -> Any:
    """Chirp z-transform; linear in x."""
    return CZT(np.shape(plain(x))[axis], m, w, a)(x, axis=axis)


@rule("scipy.signal.zoom_fft")
def zoom_fft(
    x: Any, fn: Any, m: Any = None, *, fs: Any = 2, endpoint: bool = False, axis: int = -1
) -> Any:
    """Fourier transform between two frequencies; linear in x."""
    return ZoomFFT(np.shape(plain(x))[axis], fn, m, fs=fs, endpoint=endpoint)(x, axis=axis)


def transform_of(real: Any) -> CZT:
    """Ours for a transform of SciPy."""
    zooms = isinstance(real, scipy_object("scipy.signal.ZoomFFT"))
    made: CZT = object.__new__(ZoomFFT if zooms else CZT)
    made._real, made.n, made.m, made._given = real, real.n, real.m, ()
    made._weights = xp.asarray(real._Awk2)
    k = np.arange(max(real.m, real.n))
    if zooms:
        made._chirp = xp.asarray(np.exp(1j * np.angle(real.w) * k**2 / 2.0))
    else:
        made._chirp = xp.asarray(complex(real.w) ** (k**2 / 2.0))
    return made
