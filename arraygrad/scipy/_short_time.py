"""``scipy.signal.ShortTimeFFT`` on tensors: slices, windows and their sums are SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._rule import (
    needs_rule,
    plain,
    policed,
    refused_while_tracked,
    scipy_object,
    tensor,
    tensors,
    xp,
)

_PADDINGS: dict[str, dict[str, Any]] = {
    "zeros": {"mode": "constant"},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


class ShortTimeFFT:
    """Stand-in for ``scipy.signal.ShortTimeFFT``.

    Notes
    -----
    Transforms are linear in the signal, ``istft`` in the transform; both are differentiable by the
    window. What else the object knows is SciPy's, of plain values.
    """

    _path = "scipy.signal.ShortTimeFFT"
    _real: Any
    _window: Any
    _dual: Any

    def __init__(self, win: Any, hop: int, fs: Any, **settings: Any) -> None:
        real = scipy_object(self._path)(plain(win), plain(hop), plain(fs), **plain(settings))
        self._take(real)
        if needs_rule(win, settings.get("dual_win")):
            dual = settings.get("dual_win")
            win = tensor(win, self._path)
            dual = _dual_window(win, real.hop) if dual is None else tensor(dual, self._path)
            kind = settings.get("scale_to")
            scale: Any = 1.0
            if kind == "magnitude":
                scale = 1.0 / xp.abs(xp.sum(win))
            elif kind is not None:
                scale = 1.0 / xp.sqrt(xp.sum(win.real**2 + win.imag**2) / real.T)
            self._own(win * scale, dual / scale)

    def _take(self, real: Any) -> None:
        object.__setattr__(self, "_real", real)
        self._own(None, None)

    def _own(self, window: Any, dual: Any) -> None:
        object.__setattr__(self, "_window", window)
        object.__setattr__(self, "_dual", dual)

    @classmethod
    def from_window(cls, *args: Any, **kwargs: Any) -> ShortTimeFFT:
        """One with a window by its name."""
        return stft_of(scipy_object(cls._path).from_window(*plain(args), **plain(kwargs)))

    @classmethod
    def from_dual(cls, dual_win: Any, hop: int, fs: Any, **settings: Any) -> ShortTimeFFT:
        """One whose inverse has a window."""
        real = scipy_object(cls._path)
        if not needs_rule(dual_win):
            return stft_of(real.from_dual(plain(dual_win), hop, plain(fs), **plain(settings)))
        return cls(_dual_window(tensor(dual_win, cls._path), hop), hop, fs, dual_win=dual_win,
                   **settings)  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._real, name)
        if not callable(found):
            return tensors(found)
        return refused_while_tracked(found, f"{self._path}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._real, name, plain(value))

    @property
    def win(self) -> Any:
        """The window, with its scale."""
        return xp.asarray(self._real.win) if self._window is None else self._window

    @property
    def dual_win(self) -> Any:
        """The window of the inverse."""
        return xp.asarray(self._real.dual_win) if self._dual is None else self._dual

    def stft(
        self, x: Any, p0: Any = None, p1: Any = None, *, k_offset: int = 0, padding: str = "zeros",
        axis: int = -1,
    ) -> Any:  # fmt: skip
        """Short-time Fourier transform."""
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    @policed
    def stft_detrend(
        self, x: Any, detr: Any, p0: Any = None, p1: Any = None, *, k_offset: int = 0,
        padding: str = "zeros", axis: int = -1,
    ) -> Any:  # fmt: skip
        """Short-time Fourier transform of slices without their trend."""
        options = {"k_offset": k_offset, "padding": padding, "axis": axis}
        named = None if callable(detr) else detr
        found = self._real.stft_detrend(plain(x), named, p0, p1, **options)
        if not needs_rule(x, self._window) and not callable(detr):
            return tensors(found)
        x = xp.moveaxis(tensor(x, self._path), axis, -1)
        first, last = self._real.p_range(x.shape[-1], p0, p1)
        slices = self._slices(x, k_offset, first, last, padding)
        if isinstance(detr, str):
            from .signal import detrend

            slices = detrend(slices, axis=-1, type=detr)
        elif detr is not None:
            slices = xp.stack([detr(slices[..., p, :]) for p in range(slices.shape[-2])], axis=-2)
        out = xp.swapaxes(self._transforms(slices * xp.conj(self.win)), -1, -2)
        out = out.astype(found.dtype)
        return xp.moveaxis(out, -2, axis if axis >= 0 else axis - 1) if x.ndim > 1 else out

    def _slices(self, x: Any, offset: int, p0: int, p1: int, padding: str) -> Any:
        real = self._real
        n, width = x.shape[-1], real.m_num
        start = p0 * real.hop - real.m_num_mid + offset
        stop = start + (p1 - p0) * real.hop + width
        inside = x[..., max(start, 0) : min(stop, n)]
        margins = [(0, 0)] * (x.ndim - 1) + [(-min(start, 0), max(stop - n, 0))]
        padded = xp.pad(inside, margins, **_PADDINGS[padding])
        windows = xp.lib.stride_tricks.sliding_window_view(padded, width, axis=-1)
        return windows[..., :: real.hop, :][..., : p1 - p0, :]

    def _rolls(self) -> int | None:
        real = self._real
        if real.phase_shift is None:
            return None
        return int((real.phase_shift + real.m_num_mid) % real.m_num)

    def _doubled(self) -> Any:
        """Factors of the frequencies of which one sign is left out."""
        factors = np.ones(self._real.f_pts)
        last = -1 if self._real.mfft % 2 == 0 else None
        factors[1:last] = np.sqrt(2) if self._real.scaling == "psd" else 2
        return factors

    def _transforms(self, slices: Any) -> Any:
        mode, size, shift = self._real.fft_mode, self._real.mfft, self._rolls()
        if shift is not None:
            missing = size - slices.shape[-1]
            if missing > 0:
                margins = [(0, 0)] * (slices.ndim - 1) + [(0, missing)]
                slices = xp.pad(slices, margins)
            slices = xp.roll(slices, -shift, axis=-1)
        if mode in ("twosided", "centered"):
            out = xp.fft.fft(slices, size, axis=-1)
            return out if mode == "twosided" else xp.fft.fftshift(out, axes=-1)
        out = xp.fft.rfft(slices, size, axis=-1)
        return out * self._doubled() if mode == "onesided2X" else out

    def _inverses(self, spectra: Any) -> Any:
        mode, size, shift = self._real.fft_mode, self._real.mfft, self._rolls()
        if mode in ("twosided", "centered"):
            moved = spectra if mode == "twosided" else xp.fft.ifftshift(spectra, axes=-1)
            x = xp.fft.ifft(moved, size, axis=-1)
        else:
            halved = spectra / self._doubled() if mode == "onesided2X" else spectra
            x = xp.fft.irfft(halved, size, axis=-1)
        if shift is not None:
            x = xp.roll(x, shift, axis=-1)
        return x[..., : self._real.m_num]

    def spectrogram(
        self, x: Any, y: Any = None, detr: Any = None, *, p0: Any = None, p1: Any = None,
        k_offset: int = 0, padding: str = "zeros", axis: int = -1,
    ) -> Any:  # fmt: skip
        """Squared magnitudes of the transform, or the cross spectrogram of two signals."""
        options = {"k_offset": k_offset, "padding": padding, "axis": axis}
        first = self.stft_detrend(x, detr, p0, p1, **options)
        if y is None or y is x:
            return first.real**2 + first.imag**2
        return first * xp.conj(self.stft_detrend(y, detr, p0, p1, **options))

    @policed
    def istft(
        self, S: Any, k0: int = 0, k1: Any = None, *, f_axis: int = -2, t_axis: int = -1
    ) -> Any:
        """The signal of a short-time Fourier transform."""
        real = self._real
        found = real.istft(plain(S), k0, k1, f_axis=f_axis, t_axis=t_axis)
        if not needs_rule(S, self._window):
            return tensors(found)
        S = xp.moveaxis(tensor(S, f"{self._path}.istft"), (f_axis, t_axis), (-1, -2))
        last = S.shape[-2] + real.p_min
        k1 = (last - 1) * real.hop + real.m_num - real.m_num_mid if k1 is None else k1
        first = k0 // real.hop + (real.p_min if k0 >= 0 else 0)
        numbers = np.arange(first, min(real.p_max(k1), last))
        pieces = self._inverses(S[..., numbers - real.p_min, :]) * self.dual_win
        places = numbers[:, None] * real.hop - real.m_num_mid + np.arange(real.m_num) - k0
        before = -min(int(places.min()), 0)
        length = max(int(places.max()) + 1, k1 - k0) + before
        x = xp.zeros((*S.shape[:-2], length), dtype=pieces.dtype)
        xp.add.at(x, (..., places + before), pieces)
        x = x[..., before : before + k1 - k0].astype(found.dtype)
        if x.ndim > 1:
            f_axis, t_axis = f_axis % S.ndim, t_axis % S.ndim
            x = xp.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis)
        return x


def _dual_window(win: Any, hop: int) -> Any:
    """The canonical dual: the window over the sum of the squares that land on each place."""
    n = win.shape[0]
    squares = win.real**2 + win.imag**2
    rows = -(-n // hop)
    padded = xp.concatenate((squares, xp.zeros(rows * hop - n, dtype=squares.dtype)))
    sums = xp.sum(padded.reshape(rows, hop), axis=0)
    return win / sums[np.arange(n) % hop]


def stft_of(real: Any) -> ShortTimeFFT:
    """Ours for an object of SciPy."""
    made: ShortTimeFFT = object.__new__(ShortTimeFFT)
    made._take(real)
    return made
