"""Calls of ``scipy.signal`` with each keyword and each documented value."""

import numpy as np
import scipy.signal as ss

from .checking import refused

RNG = np.random.default_rng(6)
X = RNG.normal(size=9)
GRID = RNG.normal(size=(5, 6))
SMALL = RNG.normal(size=(3, 2))
B = np.array([0.5, 0.3, -0.2])
A = np.array([1.2, -0.4, 0.15])
SOS = ss.butter(4, 0.3, output="sos")
LONG = np.sin(np.arange(40.0) * 0.7) + 0.1 * np.cos(np.arange(40.0) ** 2)
ROWS = np.stack((LONG, np.cos(np.arange(40.0) * 0.4)))
ALL = ("full", "same", "valid")


def normalized(sos):
    """Sections whose first denominator is 1, as SciPy demands."""
    return sos / sos[:, 3:4]


EXTENSIONS = ("constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric",
              "antireflect", "line")  # fmt: skip
RECURSIVE = ss.dlti([0.5, 0.2], [1.0, 0.3 + 0.2j, 0.1])
SECTIONS = ss.dlti([0.5, 0.2], [1.0, 0.3])
TAPS = ss.dlti([0.5, 0.3, 0.2], [1.0])

CALLS = {
    "upfirdn": (
        (B, np.stack((X, X[::-1] ** 2))),
        [
            *[
                lambda h, x, m=m, u=u, d=d: ss.upfirdn(h, x, up=u, down=d, mode=m)
                for m in EXTENSIONS
                for u, d in ((1, 1), (3, 2), (2, 5))
            ],
            *[
                lambda h, x, m=m: ss.upfirdn(np.tile(h, 10), x[:, :4], 2, axis=1, mode=m)
                for m in EXTENSIONS
            ],
            *[lambda h, x, m=m: ss.upfirdn(h, x[:, :1], 1, 1, 1, m) for m in EXTENSIONS[:3]],
            lambda h, x: ss.upfirdn(h=h, x=x, up=2, axis=0, mode="constant", cval=0.7),
            *[
                lambda h, x, p=p: ss.resample_poly(x, up=3, down=2, axis=1, padtype=p)
                for p in (*EXTENSIONS, "mean", "median", "minimum", "maximum")
            ],
            lambda h, x: ss.resample_poly(x, 4, 6, axis=1, window=h, padtype="constant", cval=0.7),
            lambda h, x: ss.resample_poly(x, 1, 2, axis=1, window=np.tile(h, 4)),
            lambda h, x: ss.resample_poly(x, 2, 1, window="hann") + h[0],
            lambda h, x: ss.resample_poly(x, 3, 3, window=("kaiser", 4.0)) * h[0],
        ],
    ),
    "decimate": (
        (ROWS,),
        [
            *[
                lambda x, f=f, z=z: ss.decimate(x, 3, ftype=f, axis=1, zero_phase=z)
                for f in ("iir", "fir", RECURSIVE, SECTIONS, TAPS)
                for z in (True, False)
            ],
            lambda x: ss.decimate(x.T, q=2, n=3, axis=0),
            lambda x: ss.decimate(x[0], 2, n=3, ftype="fir"),
        ],
    ),
    "medfilt": (
        (GRID,),
        [
            lambda x: ss.medfilt(x),
            lambda x: ss.medfilt(volume=x, kernel_size=5),
            lambda x: ss.medfilt(x, [3, 1]),
            lambda x: ss.medfilt2d(x),
            lambda x: ss.medfilt2d(input=x, kernel_size=[1, 5]),
        ],
    ),
    "wave forms": (
        (X, np.array([1.3, 0.8, 2.1, 0.4])),
        [
            *[
                lambda t, p, m=m, v=v: ss.chirp(
                    t, f0=p[0], t1=p[1], f1=p[2], method=m, phi=p[3], vertex_zero=v
                )
                for m in ("linear", "quadratic", "logarithmic", "hyperbolic")
                for v in (True, False)
            ],
            *[
                lambda t, p, m=m: ss.chirp(t, p[0], p[1], p[0] + 1e-3 * p[2], m)
                for m in ("logarithmic", "hyperbolic")
            ],
            lambda t, p: np.imag(ss.chirp(t, p[0], 2.0, p[2], complex=True)),
            lambda t, p: ss.square(t, duty=0.3) * p[0],
            lambda t, p: ss.sawtooth(t, width=p[3]) * p[0],
        ],
    ),
    "convolve": (
        (X, B),
        [
            *[
                lambda x, b, m=m, d=d: ss.convolve(x, b, m, method=d)
                for m in ALL
                for d in ("auto", "direct", "fft")
            ],
            *[
                lambda x, b, m=m, d=d: ss.correlate(x, b, mode=m, method=d)
                for m in ALL
                for d in ("auto", "direct", "fft")
            ],
            lambda x, b: ss.correlation_lags(9, 3) + 0 * x[0],
            lambda x, b: ss.deconvolve(x, b)[0],
        ],
    ),
    "convolve in two axes": (
        (GRID, SMALL),
        [
            *[
                lambda x, b, m=m, d=d: ss.convolve(x, b, mode=m, method=d)
                for m in ALL
                for d in ("auto", "direct", "fft")
            ],
            *[
                lambda x, b, m=m, d=d: ss.correlate(x, b, mode=m, method=d)
                for m in ALL
                for d in ("auto", "direct", "fft")
            ],
            *[lambda x, b, m=m: ss.fftconvolve(x, b, mode=m) for m in ALL],
            *[lambda x, b, m=m: ss.oaconvolve(x, b, mode=m) for m in ALL],
            *[lambda x, b, m=m: ss.fftconvolve(x, b[:, :1], mode=m, axes=0) for m in ALL],
            *[lambda x, b, m=m: ss.fftconvolve(x, b[:1], mode=m, axes=[1]) for m in ALL],
            *[lambda x, b, m=m: ss.oaconvolve(x, b[:, :1], mode=m, axes=0) for m in ALL],
            *[
                lambda x, b, m=m, e=e: ss.convolve2d(x, b, mode=m, boundary=e, fillvalue=0.3)
                for m in ALL
                for e in ("fill", "wrap", "symm")
            ],
            *[
                lambda x, b, m=m, e=e: ss.correlate2d(x, b, mode=m, boundary=e, fillvalue=0.3)
                for m in ALL
                for e in ("fill", "wrap", "symm")
            ],
            refused(lambda x, b: ss.sepfir2d(x, np.ones(3), np.ones(3))),
        ],
    ),
    "lfilter": (
        (B, A, GRID),
        [
            lambda b, a, x: ss.lfilter(b, a, x),
            lambda b, a, x: ss.lfilter(b, a, x, axis=0),
            lambda b, a, x: ss.lfilter(b, a, x, axis=1, zi=np.outer(x[:, 0], b[:2])),
            lambda b, a, x: ss.lfilter(b, a, x, axis=0, zi=np.outer(b[:2], x[0])),
            lambda b, a, x: ss.lfilter(b, a, x, axis=-1, zi=np.outer(x[:, 0], b[:2]))[1],
            lambda b, a, x: ss.lfilter(b, a, x[0], zi=ss.lfilter_zi(b, a) * x[0, 0])[0],
            lambda b, a, x: ss.lfilter(b[:1], a, x),
            lambda b, a, x: ss.lfilter(b, a[:1], x),
            lambda b, a, x: ss.lfilter(b, 2.0, x),
            lambda b, a, x: ss.lfilter(b, [1.0, a[1]], x),
            lambda b, a, x: ss.lfilter(b, 1, x, zi=0 * x[:, :2] + 0.1)[1],
            lambda b, a, x: ss.lfiltic(b, a, x[0, :2]),
        ],
    ),
    "filtfilt": (
        (B, A, ROWS[:, :20]),
        [
            *[
                lambda b, a, x, p=p: ss.filtfilt(b, a, x, padtype=p)
                for p in ("odd", "even", "constant", None)
            ],
            lambda b, a, x: ss.filtfilt(b, a, x.T, axis=0),
            lambda b, a, x: ss.filtfilt(b, a, x, padlen=4),
            lambda b, a, x: ss.filtfilt(b, a, x, padlen=0),
            lambda b, a, x: ss.filtfilt(b, a, x, method="pad"),
            refused(lambda b, a, x: ss.filtfilt(b, a, x, method="gust")),
            refused(lambda b, a, x: ss.filtfilt(b, a, x, method="gust", irlen=8)),
            lambda b, a, x: ss.filtfilt(b, a, x, -1, "odd", None, "pad", 3),
        ],
    ),
    "sosfilt": (
        (SOS, ROWS),
        [
            lambda s, x: ss.sosfilt(normalized(s), x),
            lambda s, x: ss.sosfilt(normalized(s), x.T, axis=0),
            lambda s, x: ss.sosfilt(
                normalized(s), x, zi=ss.sosfilt_zi(SOS)[:, None, :] * np.ones((2, 1))
            ),
            lambda s, x: ss.sosfilt(normalized(s), x[0], zi=x[:, 2:4]),
            lambda s, x: ss.sosfilt(normalized(s), x.T, axis=0, zi=np.ones((2, 2, 2))),
            lambda s, x: ss.sosfilt_zi(normalized(s)),
            *[
                lambda s, x, p=p: ss.sosfiltfilt(normalized(s), x, padtype=p)
                for p in ("odd", "even", "constant", None)
            ],
            lambda s, x: ss.sosfiltfilt(normalized(s), x.T, axis=0),
            lambda s, x: ss.sosfiltfilt(normalized(s), x, padlen=5),
            lambda s, x: ss.sos2tf(normalized(s)),
            refused(lambda s, x: ss.sos2zpk(normalized(s))),
            lambda s, x: ss.sosfreqz(normalized(s), 5)[1],
            refused(lambda s, x: ss.tf2sos(*ss.sos2tf(normalized(s)))),
        ],
    ),
    "freqz": (
        (B, A),
        [
            lambda b, a: ss.freqz(b, a, 5),
            lambda b, a: ss.freqz(b, a, worN=[0.1, 0.5], whole=True),
            lambda b, a: ss.freqz(b, a, worN=8, whole=True, fs=3.0, include_nyquist=True),
            lambda b, a: ss.freqz(b, a, worN=8, whole=False, include_nyquist=True),
            lambda b, a: ss.freqz(b, a, 5, plot=lambda w, h: None),
            lambda b, a: ss.freqz(b, a, b),
            lambda b, a: ss.freqz(b),
            lambda b, a: ss.freqz(b, a[0]),
            lambda b, a: ss.freqz(b, a, worN=None)[1][:4],
            lambda b, a: ss.freqs(b, a, [0.1, 0.5])[1],
            lambda b, a: ss.group_delay((b, a), 4)[1],
            lambda b, a: ss.tf2zpk(b, a),
            lambda b, a: ss.zpk2tf(b, a, 2.0),
            lambda b, a: ss.zpk2tf(z=b, p=a, k=b[0]),
            lambda b, a: ss.zpk2sos([b[0]], [a[1]], 1.0),
            lambda b, a: ss.tf2ss(b, a)[0],
            refused(lambda b, a: ss.bilinear(b, a)),
            refused(lambda b, a: ss.residue(b, a)[0]),
            lambda b, a: ss.lfilter_zi(b=b, a=a),
            lambda b, a: ss.normalize(b, a),
            lambda b, a: ss.sos2tf(sos=np.concatenate((b, a / a[0]))[None]),
            lambda b, a: ss.tf2zpk(b=b, a=a),
        ],
    ),
    "design": (
        (np.array(0.3),),
        [
            lambda w: ss.butter(2, w),
            lambda w: ss.butter(3, w, btype="high", output="sos"),
            lambda w: ss.butter(2, [w, 2 * w], "band", output="zpk")[1],
            lambda w: ss.cheby1(2, 1.0, w),
            lambda w: ss.cheby2(2, 20.0, w),
            lambda w: ss.ellip(2, 1.0, 20.0, w),
            lambda w: ss.bessel(2, w),
            lambda w: ss.firwin(5, w),
            lambda w: ss.iirnotch(w, 3.0),
            lambda w: ss.iirpeak(w, 3.0),
            lambda w: ss.gaussian(5, w) if hasattr(ss, "gaussian") else ss.windows.gaussian(5, w),
            lambda w: ss.windows.kaiser(5, w),
            lambda w: ss.windows.tukey(5, w),
            refused(lambda w: ss.get_window(("kaiser", w), 5)),
            lambda w: ss.windows.general_cosine(5, [w, 1 - w]),
            refused(lambda w: ss.savgol_coeffs(5, 2, delta=w)),
            lambda w: ss.firwin2(5, [0, w, 1], [1, 1, 0]),
            lambda w: ss.chirp(np.linspace(0, 1, 4), w, 1.0, 2.0),
            lambda w: ss.sawtooth([0.1, 1.0], w),
            lambda w: ss.gausspulse(np.array([0.1, 0.2]), fc=w),
            lambda w: ss.unit_impulse(3) * w,
            lambda w: ss.morlet2(5, w) if hasattr(ss, "morlet2") else w,
            lambda w: ss.butter(2, w, fs=2.5),
            lambda w: ss.butter(2, w, analog=True),
            lambda w: ss.buttord(w, 0.6, 1.0, 20.0)[1],
        ],
    ),
    "savgol_filter": (
        (ROWS[:, :12],),
        [
            *[
                lambda x, m=m: ss.savgol_filter(x, 5, 2, mode=m, cval=0.3)
                for m in ("mirror", "constant", "nearest", "wrap", "interp")
            ],
            *[
                lambda x, m=m: ss.savgol_filter(x, 6, 2, mode=m)
                for m in ("mirror", "constant", "nearest", "wrap", "interp")
            ],
            lambda x: ss.savgol_filter(x, 5, 2, deriv=1, delta=0.5),
            lambda x: ss.savgol_filter(x.T, 5, 3, deriv=2, delta=0.5, axis=0),
            lambda x: ss.savgol_filter(x.T, 5, 3, axis=0, mode="nearest"),
        ],
    ),
    "detrend": (
        (ROWS[:, :12],),
        [
            lambda x: ss.detrend(x, axis=0),
            lambda x: ss.detrend(+x, overwrite_data=True),
            *[lambda x, t=t: ss.detrend(x, type=t) for t in ("linear", "constant", "l", "c")],
            lambda x: ss.detrend(x, bp=[3, 7]),
            lambda x: ss.detrend(x.T, axis=0, bp=5),
            lambda x: ss.detrend(x, type="constant", bp=[3, 7]),
            lambda x: ss.detrend(x, axis=-1),
        ],
    ),
    "hilbert": (
        (ROWS[:, :11],),
        [
            lambda x: ss.hilbert(x),
            lambda x: ss.hilbert(x, N=8),
            lambda x: ss.hilbert(x, N=16),
            lambda x: ss.hilbert(x.T, axis=0),
            lambda x: ss.hilbert(x, axis=1),
            lambda x: ss.hilbert2(x),
            lambda x: ss.envelope(x),
        ],
    ),
    "resample": (
        (ROWS[:, :11],),
        [
            lambda x: ss.resample(x, 7, axis=1),
            lambda x: ss.resample(x.T, 15),
            lambda x: ss.resample(x.T, 7, window="hann"),
            lambda x: ss.resample(x.T, 7, window=np.linspace(0.5, 1, 11)),
            lambda x: ss.resample(x, 7, axis=1, t=np.arange(11.0))[0],
            lambda x: ss.resample(x, 7, axis=1, t=np.arange(11.0))[1] + 0 * x[0, 0],
            lambda x: ss.resample(x, 7, axis=1, domain="freq"),
            lambda x: ss.resample(x, 7, axis=1, domain="time"),
            lambda x: ss.resample(x, 7, axis=1, window=lambda f: 1 + f**2),
            lambda x: ss.resample_poly(x, 2, 3, axis=1),
            lambda x: ss.upfirdn([1.0, 2.0], x, 2),
            lambda x: ss.decimate(x[0], 2, n=1),
            lambda x: ss.medfilt(x[0], 3),
            lambda x: ss.wiener(x[0]),
            lambda x: ss.find_peaks(x[0])[0] + 0 * x[0, 0],
            refused(lambda x: ss.peak_widths(x[0], [5])[0]),
            refused(lambda x: ss.peak_prominences(x[0], [5])[0]),
            refused(lambda x: ss.cspline1d(x[0])),
            lambda x: ss.order_filter(x, np.ones((1, 3)), 1),
            refused(lambda x: ss.qspline1d(x[0])),
            lambda x: ss.vectorstrength(x[0], 2.0)[0],
            lambda x: ss.lombscargle(x[0], x[1], [0.5]),
            lambda x: ss.find_peaks(x[0], height=0.1)[1]["peak_heights"],
            lambda x: ss.find_peaks(x[0], height=0.1, distance=2)[1]["peak_heights"],
            lambda x: x[0][ss.find_peaks(x[0], plateau_size=1)[0]],
            lambda x: x[0][ss.find_peaks(x[0], distance=3)[0]],
            refused(lambda x: ss.find_peaks(x[0], threshold=0.01)[0]),
            refused(lambda x: ss.find_peaks(x[0], prominence=0.1, wlen=5)[0]),
            refused(lambda x: ss.find_peaks(x[0], width=0.1, rel_height=0.4)[0]),
            lambda x: ss.decimate(x[0], 2, ftype="fir"),
        ],
    ),
    "extrema": (
        (ROWS[:, :11],),
        [
            *[
                lambda x, f=f, m=m: x[f(x, axis=1, order=2, mode=m)]
                for f in (ss.argrelmin, ss.argrelmax)
                for m in ("clip", "wrap")
            ],
            lambda x: x[ss.argrelextrema(x, np.greater, axis=1, order=1, mode="clip")],
            lambda x: x[0][ss.find_peaks(x[0])[0]],
            refused(lambda x: x[0][ss.find_peaks_cwt(x[0], [1, 2])]),
        ],
    ),
    "welch": (
        (LONG,),
        [
            *[
                lambda x, w=w: ss.welch(x, 2.0, window=w, nperseg=10, noverlap=3, nfft=12)[1]
                for w in ("hann", "boxcar", ("tukey", 0.3), np.linspace(0.5, 1, 10))
            ],
            *[
                lambda x, d=d: ss.welch(x, nperseg=10, detrend=d)[1]
                for d in ("constant", "linear", False)
            ],
            *[
                lambda x, s=s: ss.welch(x, nperseg=10, scaling=s)[1]
                for s in ("density", "spectrum")
            ],
            *[lambda x, s=s: ss.welch(x, nperseg=10, average=s)[1] for s in ("mean", "median")],
            lambda x: ss.welch(x, nperseg=10, return_onesided=False)[1],
            lambda x: ss.welch(x[:, None] * x[:3], nperseg=10, axis=0)[1],
            lambda x: ss.csd(x, x**2, 2.0, "boxcar", nperseg=10, noverlap=3, nfft=12)[1],
            *[
                lambda x, d=d: ss.csd(x, x**2, nperseg=10, detrend=d)[1]
                for d in ("constant", "linear", False)
            ],
            *[
                lambda x, s=s: ss.csd(x, x**2, nperseg=10, scaling=s)[1]
                for s in ("density", "spectrum")
            ],
            *[lambda x, s=s: ss.csd(x, x**2, nperseg=10, average=s)[1] for s in ("mean", "median")],
            lambda x: ss.csd(x, x**2, nperseg=10, return_onesided=False)[1],
            lambda x: ss.csd(x[:, None] * x[:3], x[:, None] + x[:3], nperseg=10, axis=0)[1],
            lambda x: ss.coherence(x, x**2, 2.0, "hann", nperseg=10, noverlap=3, nfft=12)[1],
            lambda x: ss.coherence(x, x**2, nperseg=10, detrend="linear")[1],
            lambda x: ss.coherence(x[:, None] * x[:3], x[:, None] ** 2 + x[:3], nperseg=10, axis=0)[
                1
            ],
            lambda x: ss.periodogram(x, 2.0, "hann", nfft=50, detrend="linear", scaling="spectrum")[
                1
            ],
            lambda x: ss.periodogram(x, return_onesided=False)[1],
            lambda x: ss.periodogram(x[:, None] * x[:3], axis=0)[1],
        ],
    ),
    "stft": (
        (LONG,),
        [
            *[
                lambda x, b=b: ss.stft(x, 2.0, "hann", 8, 4, 10, False, True, b, True)[2]
                for b in ("even", "odd", "constant", "zeros", None)
            ],
            *[lambda x, s=s: ss.stft(x, nperseg=8, scaling=s)[2] for s in ("spectrum", "psd")],
            lambda x: ss.stft(
                x, nperseg=8, detrend="constant", return_onesided=False, padded=False
            )[2],
            lambda x: ss.stft(x[:, None] * x[:3], nperseg=8, axis=0)[2],
            *[
                lambda x, s=s: ss.istft(ss.stft(x, nperseg=8, scaling=s)[2], nperseg=8, scaling=s)[
                    1
                ]
                for s in ("spectrum", "psd")
            ],
            lambda x: ss.istft(
                ss.stft(x, 2.0, "boxcar", 8, 4, 10, return_onesided=False)[2],
                2.0,
                "boxcar",
                8,
                4,
                10,
                input_onesided=False,
                boundary=True,
                time_axis=-1,
                freq_axis=-2,
            )[1],
            lambda x: ss.istft(
                ss.stft(x, nperseg=8, boundary=None)[2], window="boxcar", nperseg=8, boundary=False
            )[1],
            *[
                lambda x, m=m: ss.spectrogram(x, 2.0, "hann", 8, 3, 10, mode=m)[2]
                for m in ("psd", "complex", "magnitude", "angle", "phase")
            ],
            *[
                lambda x, d=d: ss.spectrogram(x, nperseg=8, detrend=d)[2]
                for d in ("constant", "linear", False)
            ],
            *[
                lambda x, s=s: ss.spectrogram(x, nperseg=8, scaling=s)[2]
                for s in ("density", "spectrum")
            ],
            lambda x: ss.spectrogram(x, nperseg=8, return_onesided=False, nfft=9)[2],
            lambda x: ss.spectrogram(x[:, None] * x[:3], nperseg=8, axis=0)[2],
            lambda x: ss.check_COLA("hann", 8, 4) * x[0],
        ],
    ),
}
