"""Spectra of segments: Fourier transforms of windowed pieces of a signal, and their averages."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ._rule import plain, rule, scipy_object, tensor, xp

Detrend = str | bool | Callable[[Any], Any]


def _windowed(window: Any, nperseg: int | None, n: int) -> tuple[Any, int]:
    """The window's values and its length, for a signal of n samples."""
    if isinstance(window, str | tuple):
        nperseg = 256 if nperseg is None else int(nperseg)
        if nperseg > n:
            warnings.warn(
                f"nperseg={nperseg} is greater than the signal's length {n}: using that",
                stacklevel=4,
            )
            nperseg = n
        return scipy_object("scipy.signal.get_window")(window, nperseg), nperseg
    values = tensor(window, "window")
    if values.ndim != 1 or values.shape[0] > n or nperseg not in (None, values.shape[0]):
        raise ValueError("window: it must be 1-D, of length nperseg and no longer than the signal")
    return values, values.shape[0]


def _extended(x: Any, boundary: str | None, n: int) -> Any:
    """The signal continued by n samples at both ends of the last axis."""
    if boundary is None or n == 0:
        return x
    if boundary == "zeros":
        ends = xp.zeros((*x.shape[:-1], n), dtype=x.dtype)
        return xp.concatenate((ends, x, ends), axis=-1)
    left, right = x[..., n:0:-1], x[..., -2 : -(n + 2) : -1]
    if boundary == "odd":
        left, right = 2 * x[..., :1] - left, 2 * x[..., -1:] - right
    elif boundary == "constant":
        left = xp.broadcast_to(x[..., :1], left.shape)
        right = xp.broadcast_to(x[..., -1:], right.shape)
    return xp.concatenate((left, x, right), axis=-1)


def _detrended(pieces: Any, detrend: Detrend, axis: int) -> Any:
    if not detrend:
        return pieces
    if callable(detrend):
        if axis == -1:
            return detrend(pieces)
        return xp.moveaxis(detrend(xp.moveaxis(pieces, -1, axis)), axis, -1)
    from .signal import detrend as straightened

    return straightened(pieces, axis=-1, type=detrend)


class _Settings:
    """How a signal of n samples is cut and scaled."""

    def __init__(
        self, n: int, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
        detrend: Detrend, onesided: bool, scaling: str,
    ) -> None:  # fmt: skip
        self.window, self.nperseg = _windowed(window, nperseg, n)
        self.nfft = self.nperseg if nfft is None else int(nfft)
        self.noverlap = self.nperseg // 2 if noverlap is None else int(noverlap)
        if self.nfft < self.nperseg or self.noverlap >= self.nperseg:
            raise ValueError("nfft must be at least nperseg, and noverlap less than nperseg")
        self.step = self.nperseg - self.noverlap
        self.detrend, self.onesided = detrend, onesided
        if scaling not in ("density", "spectrum"):
            raise ValueError(f"scaling={scaling!r}; use 'density' or 'spectrum'")
        weight = fs * xp.sum(self.window**2) if scaling == "density" else xp.sum(self.window) ** 2
        self.scale = 1.0 / weight
        transform = np.fft.rfftfreq if onesided else np.fft.fftfreq
        self.frequencies = transform(self.nfft) * fs

    def transforms(self, x: Any, axis: int) -> Any:
        """Fourier transforms of the pieces, shape (..., pieces, frequencies)."""
        pieces = xp.lib.stride_tricks.sliding_window_view(x, self.nperseg, axis=-1)
        pieces = _detrended(pieces[..., :: self.step, :], self.detrend, axis) * self.window
        transform = xp.fft.rfft if self.onesided else xp.fft.fft
        return transform(pieces, self.nfft, axis=-1)

    def times(self, n: int, fs: Any, extended: bool) -> Any:
        first = self.nperseg / 2
        starts = np.arange(first, n - first + 1, self.step)
        return (starts - (first if extended else 0.0)) / fs


def _in_place(spectra: Any, axis: int) -> Any:
    """Frequencies where the samples were, pieces last."""
    spectra = xp.swapaxes(spectra, -1, -2)
    return xp.moveaxis(spectra, -2, axis - 1 if axis < 0 else axis)


def _power(settings: _Settings, x: Any, y: Any, axis: int) -> Any:
    """Cross spectra of the pieces, shape (..., pieces, frequencies); of x itself real."""
    first = settings.transforms(x, axis)
    if y is x:
        power = (first.real**2 + first.imag**2) * settings.scale
    else:
        power = xp.conj(first) * settings.transforms(y, axis) * settings.scale
    if not settings.onesided:
        return power
    doubled = np.full(power.shape[-1], 2.0)
    doubled[0] = 1.0
    if settings.nfft % 2 == 0:
        doubled[-1] = 1.0
    return power * doubled


def _signal(x: Any, axis: int, function: str, position: int = 1) -> Any:
    return xp.moveaxis(tensor(x, function, position), axis, -1)


def _padded(x: Any, n: int) -> Any:
    missing = n - x.shape[-1]
    if not missing:
        return x
    return xp.concatenate((x, xp.zeros((*x.shape[:-1], missing), dtype=x.dtype)), axis=-1)


def _averaged(power: Any, average: str) -> Any:
    """Mean or median over the pieces, which come second to last."""
    n = power.shape[-2]
    if n == 1:
        return power[..., 0, :]
    if average == "mean":
        return xp.mean(power, axis=-2)
    if average != "median":
        raise ValueError(f"average={average!r}; use 'mean' or 'median'")
    even = 2.0 * np.arange(1, (n - 1) // 2 + 1)
    bias = 1 + np.sum(1 / (even + 1) - 1 / even)
    if power.dtype.kind == "c":
        return (xp.median(power.real, axis=-2) + 1j * xp.median(power.imag, axis=-2)) / bias
    return xp.median(power, axis=-2) / bias


@rule("scipy.signal.csd")
def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Detrend = "constant", return_onesided: bool = True,
    scaling: str = "density", axis: int = -1, average: str = "mean",
) -> Any:  # fmt: skip
    """Frequencies and the cross spectral density by Welch's method."""
    same = y is x
    first = _signal(x, axis, "scipy.signal.csd")
    second = first if same else _signal(y, axis, "scipy.signal.csd", 2)
    n = max(first.shape[-1], second.shape[-1])
    first = _padded(first, n)
    second = first if same else _padded(second, n)
    onesided = return_onesided and first.dtype.kind != "c" and second.dtype.kind != "c"
    settings = _Settings(n, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling)
    averaged = _averaged(_power(settings, first, second, axis), average)
    return settings.frequencies, xp.moveaxis(averaged, -1, axis)


@rule("scipy.signal.welch")
def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Detrend = "constant", return_onesided: bool = True,
    scaling: str = "density", axis: int = -1, average: str = "mean",
) -> Any:  # fmt: skip
    """Frequencies and the power spectral density by Welch's method."""
    x = tensor(x, "scipy.signal.welch")
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
               average)  # fmt: skip


@rule("scipy.signal.coherence")
def coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Detrend = "constant", axis: int = -1,
) -> Any:  # fmt: skip
    """Frequencies and the squared coherence of two signals."""
    options = (fs, window, nperseg, noverlap, nfft, detrend)
    frequencies, xx = welch(x, *options, axis=axis)
    _, yy = welch(y, *options, axis=axis)
    _, xy = csd(x, y, *options, axis=axis)
    return frequencies, (xy.real**2 + xy.imag**2) / xx / yy


@rule("scipy.signal.periodogram")
def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None,
    detrend: Detrend = "constant", return_onesided: bool = True, scaling: str = "density",
    axis: int = -1,
) -> Any:  # fmt: skip
    """Frequencies and the power spectral density of the whole signal."""
    x = _signal(x, axis, "scipy.signal.periodogram")
    if nfft is not None and nfft < x.shape[-1]:
        x, nfft = x[..., :nfft], None
    x = xp.moveaxis(x, -1, axis)
    window = "boxcar" if window is None else window
    return welch(x, fs, window, x.shape[axis], 0, nfft, detrend, return_onesided, scaling, axis)


def _short_time(
    x: Any, fs: Any, settings: _Settings, axis: int, boundary: str | None, padded: bool
) -> tuple[Any, Any]:
    """Times and Fourier transforms of the pieces, shape (..., pieces, frequencies)."""
    x = _extended(x, boundary, settings.nperseg // 2)
    if padded:
        n = settings.nperseg
        x = _padded(x, x.shape[-1] + (-(x.shape[-1] - n) % settings.step) % n)
    spectra = settings.transforms(x, axis) * xp.sqrt(settings.scale)
    return settings.times(x.shape[-1], fs, boundary is not None), spectra


@rule("scipy.signal.stft")
def stft(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None,
    nfft: Any = None, detrend: Detrend = False, return_onesided: bool = True,
    boundary: Any = "zeros", padded: bool = True, axis: int = -1, scaling: str = "spectrum",
) -> Any:  # fmt: skip
    """Frequencies, times and the short-time Fourier transform, which is linear in x."""
    x = _signal(x, axis, "scipy.signal.stft")
    onesided = return_onesided and x.dtype.kind != "c"
    scaling = "density" if scaling == "psd" else scaling
    settings = _Settings(
        x.shape[-1], fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling
    )
    times, spectra = _short_time(x, fs, settings, axis, boundary, padded)
    return settings.frequencies, times, _in_place(spectra, axis)


@rule("scipy.signal.spectrogram")
def spectrogram(
    x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Detrend = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, mode: str = "psd",
) -> Any:  # fmt: skip
    """Frequencies, times and spectra of the pieces: power, or what `mode` says."""
    x = _signal(x, axis, "scipy.signal.spectrogram")
    onesided = return_onesided and x.dtype.kind != "c"
    n = x.shape[-1]
    if noverlap is None:
        noverlap = _windowed(plain(window), nperseg, n)[1] // 8
    settings = _Settings(n, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling)
    if mode == "psd":
        times, found = settings.times(n, fs, False), _power(settings, x, x, axis)
        return settings.frequencies, times, _in_place(found, axis)
    times, found = _short_time(x, fs, settings, axis, None, False)
    found = _in_place(found, axis)
    if mode == "magnitude":
        found = xp.abs(found)
    elif mode in ("angle", "phase"):
        found = xp.angle(found)
        if mode == "phase":
            found = xp.unwrap(found, axis=axis - 1 if axis < 0 else axis)
    elif mode != "complex":
        raise ValueError(f"mode={mode!r}; use psd, complex, magnitude, angle or phase")
    return settings.frequencies, times, found


@rule("scipy.signal.istft")
def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, input_onesided: bool = True, boundary: bool = True, time_axis: int = -1,
    freq_axis: int = -2, scaling: str = "spectrum",
) -> Any:  # fmt: skip
    """Times and the signal of a short-time Fourier transform, which is linear in it."""
    z = xp.moveaxis(tensor(Zxx, "scipy.signal.istft"), (freq_axis, time_axis), (-2, -1))
    bins, count = z.shape[-2:]
    usual = 2 * (bins - 1) if input_onesided else bins
    nperseg = usual if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == usual + 1 else usual
    step = nperseg - (nperseg // 2 if noverlap is None else int(noverlap))
    if isinstance(window, str | tuple):
        window = scipy_object("scipy.signal.get_window")(window, nperseg)
    window = tensor(window, "scipy.signal.istft", 3)
    transform = xp.fft.irfft if input_onesided else xp.fft.ifft
    pieces = xp.swapaxes(transform(z, nfft, axis=-2)[..., :nperseg, :], -1, -2)
    factor = xp.sum(window) if scaling == "spectrum" else xp.sqrt(fs * xp.sum(window**2))
    pieces = pieces * (window * factor)
    places = np.arange(count)[:, None] * step + np.arange(nperseg)
    length = nperseg + (count - 1) * step
    x = xp.zeros((*z.shape[:-2], length), dtype=pieces.dtype)
    xp.add.at(x, (..., places), pieces)
    norm = xp.zeros(length, dtype=window.dtype)
    xp.add.at(norm, places, xp.broadcast_to(window**2, places.shape))
    if boundary:
        x, norm = (v[..., nperseg // 2 : -(nperseg // 2)] for v in (x, norm))
    x = x / xp.where(plain(norm) > 1e-10, norm, 1.0)
    if x.ndim > 1 and time_axis % (x.ndim + 1) != x.ndim:
        time = time_axis % (x.ndim + 1)
        x = xp.moveaxis(x, -1, time - (freq_axis % (x.ndim + 1) < time))
    return np.arange(x.shape[0]) / fs, x
