"""Convolutions, filters and transforms."""

import numpy as np
import pytest
import scipy.fft
import scipy.signal as ss
from scipy import fftpack
from scipy.signal import lfilter

from .checking import check

RNG = np.random.default_rng(11)
X = RNG.normal(size=9)
B = np.array([0.5, 0.3, -0.2])
A = np.array([1.2, -0.4, 0.15])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode):
    def f(x, y):
        return (
            ss.convolve(x, y, mode), ss.convolve(y, x, mode), ss.fftconvolve(x, y, mode),
            ss.correlate(x, y, mode), ss.correlate(y, x, mode),
        )  # fmt: skip

    check(f, X, B)
    check(lambda x, y: (ss.convolve(x, y, mode), ss.convolve2d(x, y, mode),
                        ss.correlate2d(x, y, mode)),
          RNG.normal(size=(5, 4)), RNG.normal(size=(3, 2)))  # fmt: skip


@pytest.mark.parametrize("boundary", ["wrap", "symm", "fill"])
@pytest.mark.parametrize("mode", ["full", "same"])
def test_boundaries(mode, boundary):
    check(lambda x, y: ss.convolve2d(x, y, mode, boundary, 0.7),
          RNG.normal(size=(5, 4)), RNG.normal(size=(3, 2)), order=1)  # fmt: skip


def test_lfilter():
    check(lambda b, a, x: (lfilter(b, a, x), lfilter(b, [2.0], x), lfilter([1.0], a, x)), B, A, X)
    check(lambda b, a, x, zi: lfilter(b, a, x, zi=zi), B, A, X, [0.3, -0.2])
    check(lambda b, a, x: lfilter(b, a, x, axis=0), B, A, RNG.normal(size=(5, 2)))
    check(lambda x, zi: lfilter(B, A, x, zi=zi), X[:1], [0.3, -0.2], order=1)


def test_zero_phase_and_cascades():
    sos = ss.butter(3, 0.3, output="sos")
    x = RNG.normal(size=40)

    def f(b, a, x):
        return ss.filtfilt(b, a, x), ss.lfilter_zi(b, a), ss.filtfilt(b, a, x, padtype="even")

    check(f, B, A, x)

    def cascade(s, x):
        normalized = np.concatenate((s[:, :3], sos[:, 3:4], s[:, 4:]), axis=1)
        return ss.sosfilt(normalized, x)

    check(cascade, sos, x)
    check(lambda x: ss.sosfiltfilt(sos, x), x, order=1)


def test_smoothing_trends_and_transforms():
    def f(x):
        z = ss.hilbert(x)
        return (
            ss.savgol_filter(x, 5, 2), ss.savgol_filter(x, 5, 2, deriv=1, mode="nearest"),
            ss.detrend(x), ss.detrend(x, type="constant"), ss.detrend(x, bp=[4]),
            np.real(z), np.imag(z), np.abs(z), ss.resample(x, 7),
        )  # fmt: skip

    check(f, X)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_cosine_and_sine_transforms(kind, norm):
    def f(x):
        return [
            getattr(scipy.fft, name)(x, type=kind, norm=norm)
            for name in ("dct", "idct", "dst", "idst")
        ] + [scipy.fft.dctn(x[:, None] * x, type=kind, norm=norm), scipy.fft.dct(x, kind, n=12)]

    check(f, X, order=1)


def test_fourier_transforms():
    def f(x):
        y = scipy.fft.fft(x, norm="ortho")
        z = scipy.fft.rfft(x, n=12)
        return (
            np.abs(y), np.angle(z), scipy.fft.irfft(z), np.real(scipy.fft.ifft(y)),
            np.abs(scipy.fft.fft2(x[:, None] * x)), scipy.fft.fftshift(x),
        )  # fmt: skip

    check(f, X)


def test_frequency_responses_and_forms_of_filters():
    check(lambda b, a: (ss.freqz(b, a, 16), ss.freqz(b, a, [0.1, 0.5])), B, A)
    check(lambda b, fs: ss.freqz(b, 1, 8, fs=fs), B, 3.0)
    check(lambda b: ss.freqz(b, 1, 8, whole=True), B)
    check(ss.zpk2tf, [0.5, 0.3], [0.2, -0.1, 0.7], 2.0)
    check(lambda p: ss.zpk2tf([], p, 1.0), [0.5, 0.3])
    check(ss.tf2zpk, [0.5, 1.3, 0.2], [1.2, 2.4, 0.15])
    check(ss.sos2tf, ss.butter(4, 0.3, output="sos"))


@pytest.mark.parametrize("n", [6, 7])
def test_older_names_of_transforms(n):
    x = RNG.normal(size=n)

    def f(x):
        packed = fftpack.rfft(x)
        return (
            fftpack.fft(x, 5), fftpack.ifft(x), packed, fftpack.rfft(x, 9), fftpack.irfft(x),
            fftpack.irfft(packed, n + 1), fftpack.fftn(x), fftpack.ifftn(x), fftpack.fftshift(x),
        )  # fmt: skip

    check(f, x)
    check(lambda x: (fftpack.fft2(x), fftpack.ifft2(x), fftpack.rfft(x, axis=0)),
          RNG.normal(size=(4, n)))  # fmt: skip
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho") if kind > 1 else (None,):
            settings = {"type": kind, "norm": norm}
            check(lambda x, s=settings: (
                fftpack.dct(x, **s), fftpack.idct(x, **s), fftpack.dst(x, **s),
                fftpack.idst(x, **s),
            ), x, order=1)  # fmt: skip
