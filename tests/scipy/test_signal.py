"""Convolutions, filters and transforms."""

import numpy as np
import pytest
import scipy.fft
import scipy.signal as ss
from scipy import fftpack
from scipy.signal import lfilter

import arraygrad as ag

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
    check(lambda d: (fftpack.rfftfreq(n, d), fftpack.fftfreq(n, d)), 0.3)
    check(lambda x: (fftpack.fft2(x), fftpack.ifft2(x), fftpack.rfft(x, axis=0)),
          RNG.normal(size=(4, n)))  # fmt: skip
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho") if kind > 1 else (None,):
            settings = {"type": kind, "norm": norm}
            check(lambda x, s=settings: (
                fftpack.dct(x, **s), fftpack.idct(x, **s), fftpack.dst(x, **s),
                fftpack.idst(x, **s),
            ), x, order=1)  # fmt: skip


# -- spectra ---------------------------------------------------------------------------------------

LONG = np.sin(np.arange(40.0) * 0.7) + 0.1 * np.cos(np.arange(40.0) ** 2)
OTHER = np.cos(np.arange(40.0) * 0.4)
ROWS_OF = np.stack((LONG[:20], OTHER[:20], LONG[20:]))
WINDOW = np.linspace(0.5, 1.5, 8)


@pytest.mark.parametrize(
    "options",
    [
        {"nperseg": 8}, {"nperseg": 9, "noverlap": 2, "nfft": 12, "scaling": "spectrum"},
        {"nperseg": 8, "detrend": "linear", "average": "median"},
        {"nperseg": 8, "detrend": False, "return_onesided": False, "window": ("tukey", 0.3)},
        {"nperseg": 16, "detrend": lambda d: d - d[..., :1]},
    ],
)  # fmt: skip
def test_power_spectra(options):
    def f(x, y, fs):
        frequencies, power = ss.welch(x, fs=fs, **options)
        _, cross = ss.csd(x, y[:30], fs=fs, **options)
        return frequencies, power, cross.real, cross.imag

    check(f, LONG, OTHER, 2.5, order=2 if options == {"nperseg": 8} else 1)


def test_spectra_along_another_axis_with_a_window_of_ones_own():
    def f(x, window):
        return (
            ss.welch(x.T, 2.0, window, axis=0)[1], ss.welch(x, window=window)[1],
            ss.stft(x.T, 2.0, window, nperseg=8, axis=0)[2].real,
            ss.spectrogram(x.T, 2.0, window, axis=0)[2],
        )  # fmt: skip

    check(f, ROWS_OF, WINDOW, order=1)


def test_periodogram_and_coherence():
    def f(x, y):
        return (
            ss.periodogram(x, 2.0)[1], ss.periodogram(x, nfft=50, window="hann")[1],
            ss.periodogram(x, nfft=16, scaling="spectrum", detrend=False)[1],
            ss.coherence(x, y, nperseg=10)[1],
        )  # fmt: skip

    check(f, LONG, OTHER, order=1)


@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None])
def test_short_time_transforms(boundary):
    def f(x):
        frequencies, times, z = ss.stft(x, 2.0, nperseg=8, boundary=boundary)
        one_sided = ss.stft(
            x,
            nperseg=9,
            noverlap=3,
            nfft=11,
            padded=False,
            detrend="linear",
            boundary=boundary,
            scaling="psd",
            return_onesided=False,
        )[2]
        return frequencies + 0 * x[0], times + 0 * x[0], z.real, z.imag, one_sided.imag

    check(f, LONG, order=1)


def test_inverse_short_time_transform():
    def f(real, imaginary, x):
        z = real + 1j * imaginary
        _, _, forward = ss.stft(x, nperseg=8)
        return (
            ss.istft(z, 2.0, nperseg=8)[1], ss.istft(z, nperseg=7, scaling="psd")[1],
            ss.istft(forward, nperseg=8)[1],
            ss.istft(z.T, nperseg=8, time_axis=0, freq_axis=1)[1],
            ss.istft(np.stack((z, 2 * z)), nperseg=8, time_axis=2, freq_axis=1)[1],
            ss.istft(z, nperseg=5, noverlap=3, input_onesided=False)[1].real,
        )  # fmt: skip

    rng = np.random.default_rng(4)
    check(f, rng.normal(size=(5, 7)), rng.normal(size=(5, 7)), LONG, order=1)


@pytest.mark.parametrize("mode", ["psd", "complex", "magnitude", "angle", "phase"])
def test_spectrogram(mode):
    def f(x):
        out = ss.spectrogram(x, 3.0, nperseg=8, mode=mode)[2]
        return out.real, ss.spectrogram(x, nperseg=8, noverlap=5, mode=mode)[2].imag

    check(f, LONG + 0.3, order=1)


def test_spectrum_of_a_signal_shorter_than_a_segment_warns_as_scipy_does():
    with pytest.warns(UserWarning, match="nperseg"):
        ag.grad(lambda x: ss.welch(x)[1].sum())(LONG)
