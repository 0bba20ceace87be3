"""Calls of ``scipy.signal`` for linear systems, chirp z-transforms and ``ShortTimeFFT``."""

import numpy as np
import scipy.signal as ss

from .checking import refused

RNG = np.random.default_rng(31)
NUM = np.array([0.7, 1.3])
DEN = np.array([1.2, 0.9, 2.1])
A = np.array([[-0.3, 1.1], [-1.4, -0.5]])
B = np.array([[0.2], [1.0]])
C = np.array([[1.0, 0.3], [0.0, 0.7]])
D = np.array([[0.4], [0.1]])
T = np.linspace(0, 2, 9)
LATE = np.linspace(0.5, 2, 7)
W = np.array([0.2, 0.9, 2.3])
U = np.sin(3 * T)
X = RNG.normal(size=(2, 12))
LONG = RNG.normal(size=30)
WINDOW = np.hanning(10)[1:-1] + 0.1
STEADY = ss.lti(NUM, DEN)
SAMPLED = ss.dlti(A / 2, B, C, D, dt=0.1)
TRANSFORM = ss.CZT(12, 5, 0.9 * np.exp(-0.3j))
ZOOM = ss.ZoomFFT(12, [0.1, 0.5], 6)
SHORT = ss.ShortTimeFFT(WINDOW, 3, 2.0)


def size(z):
    """Two numbers of complex ones that say all about them."""
    return z.real, z.imag


def with_settings(**settings):
    """A short-time transform whose settings are changed after it is made."""
    made = ss.ShortTimeFFT(WINDOW, 3, 2.0)
    for name, value in settings.items():
        setattr(made, name, value)
    return made


# name: (arguments, calls)
CALLS = {
    "transfer functions": (
        (NUM, DEN, U),
        [
            lambda n, d, u: ss.lsim((n, d), U=u, T=T, X0=[0.3, -0.2], interp=True),
            lambda n, d, u: ss.lsim((n, d), u, T, interp=False),
            lambda n, d, u: ss.lsim((n, d), u[:7], LATE, X0=n),
            lambda n, d, u: ss.lsim((n, d), None, T, n),
            lambda n, d, u: ss.lsim((n, d), 0.0, T, X0=n),
            lambda n, d, u: ss.lsim((n, d), 0 * u, T)[1] + n[0],
            lambda n, d, u: ss.lsim((n, d), u[:1], [0.5], n)[1],
            lambda n, d, u: ss.lsim(STEADY, u, T)[1],
            lambda n, d, u: ss.lsim((n, d), U, T * n[0])[1:],
            lambda n, d, u: ss.step((n, d), X0=[0.1, 0.2], T=T, N=9),
            lambda n, d, u: ss.step((n, d), N=7)[1][:1],
            lambda n, d, u: ss.impulse((n, d), X0=[[0.1], [0.2]], T=T, N=9),
            lambda n, d, u: ss.impulse((n, d), T=LATE),
            lambda n, d, u: ss.freqresp((n, d), w=W, n=3)[1].real,
            lambda n, d, u: size(ss.freqresp((n, d), W + n[0])[1]),
            lambda n, d, u: ss.bode((n, d), w=W, n=3),
            lambda n, d, u: ss.dlsim((n, d, 0.1), u=u),
            lambda n, d, u: ss.dlsim((n, d, 0.25), u, t=T, x0=[0.1, 0.2]),
            lambda n, d, u: ss.dstep((n, d, 0.1), x0=None, t=None, n=5)[1][0],
            lambda n, d, u: ss.dstep((n, d, 0.1), t=[0.0, 0.1, 0.2])[1][0],
            lambda n, d, u: ss.dimpulse((n, d, 0.1), x0=n, t=None, n=5)[1][0],
            lambda n, d, u: size(ss.dfreqresp((n, d, 0.1), w=W, n=3, whole=False)[1]),
            lambda n, d, u: size(ss.dfreqresp((n, d, 0.1), n=3, whole=True)[1]),
            lambda n, d, u: ss.dbode((n, d, 0.1), w=W, n=3),
            lambda n, d, u: ss.dbode((n, d, 0.1), n=3),
        ],
    ),
    "zeros and poles": (
        (np.array([-0.4]), np.array([-1.2, -0.3]), 1.7),
        [
            lambda z, p, k: ss.lsim((z, p, k), U, T)[1],
            lambda z, p, k: ss.step((z, p, k), T=T),
            lambda z, p, k: size(ss.freqresp((z, p, k), W)[1]),
            lambda z, p, k: ss.lti(z, p, k).to_tf().den,
            lambda z, p, k: ss.lti(z, p, k).to_ss().step(T=T),
            lambda z, p, k: ss.ZerosPolesGain(z, p, k).to_tf().num,
            lambda z, p, k: ss.ZerosPolesGain(z / 2, p / 2, k, dt=0.2).step(n=4)[1][0],
            lambda z, p, k: ss.ZerosPolesGain(z, p, k).gain * ss.lti(z, p, k).poles,
            lambda z, p, k: ss.dstep((z / 2, p / 2, k, 0.2), n=4)[1][0],
        ],
    ),
    "matrices": (
        (A, B, C, D),
        [
            lambda a, b, c, d: ss.lsim((a, b, c, d), U, T),
            lambda a, b, c, d: ss.lsim(ss.lti(a, b, c, d), U, T, b[:, 0], False),
            lambda a, b, c, d: ss.step((a, b, c[:1], d[:1]), T=T),
            lambda a, b, c, d: ss.impulse(ss.StateSpace(a, b, c, d), T=T),
            lambda a, b, c, d: size(ss.freqresp((a, b, c[:1], d[:1]), W)[1]),
            lambda a, b, c, d: ss.dlsim((a / 2, b, c, d, 0.1), U[:5]),
            lambda a, b, c, d: ss.dlsim(ss.StateSpace(a / 2, b, c, d, dt=0.1), U[:5], x0=b[:, 0]),
            lambda a, b, c, d: ss.dimpulse((a / 2, c, c, 0 * c, 0.1), n=4)[1],
            lambda a, b, c, d: ss.StateSpace(a, b, c[:1], d[:1]).to_tf().den,
            lambda a, b, c, d: ss.StateSpace(a, b, c, d).to_discrete(0.1, method="zoh").A,
            lambda a, b, c, d: ss.StateSpace(a, b, c, d).C @ ss.lti(a, b, c, d).B,
        ],
    ),
    "systems as objects": (
        (NUM, DEN),
        [
            lambda n, d: ss.lti(n, d).step(T=T),
            lambda n, d: ss.lti(n, d).impulse(T=T),
            lambda n, d: ss.lti(n, d).output(U, T)[1],
            lambda n, d: ss.lti(n, d).bode(W),
            lambda n, d: size(ss.TransferFunction(n, d).freqresp(W)[1]),
            lambda n, d: ss.TransferFunction(n, d).den,
            lambda n, d: ss.TransferFunction(ss.lti(n, d)).num,
            lambda n, d: ss.StateSpace(ss.lti(n, d)).A,
            lambda n, d: ss.lti(n, d).to_zpk().gain,
            lambda n, d: ss.lti(n, d).zeros.real,
            lambda n, d: ss.dlti(n, d, dt=0.1).step(n=4)[1][0],
            lambda n, d: ss.dlti(n, d).output(n, None)[1],
            lambda n, d: ss.dlti(n, d, dt=0.1).bode(W),
            lambda n, d: ss.TransferFunction(n, d, dt=0.1).impulse(n=4)[1][0],
            lambda n, d: STEADY.output(n[0] * U, T)[1],
            lambda n, d: SAMPLED.output(n[0] * U, None)[1],
            lambda n, d: isinstance(ss.lti(n, d), ss.TransferFunction) * n,
            lambda n, d: isinstance(STEADY, ss.lti) * n + isinstance(SAMPLED, ss.lti),
        ],
    ),
    "czt": (
        (X, 0.93),
        [
            lambda x, w: size(ss.czt(x, m=5)),
            lambda x, w: size(ss.czt(x.T, 5, axis=0)),
            lambda x, w: size(ss.czt(x, m=20, w=(w + 0.06) * np.exp(-0.3j), a=1.0 + 0.1j)),
            lambda x, w: size(ss.czt(x, 4, w=w, a=w)),
            lambda x, w: size(ss.czt(x * (1 + 0.5j))),
            lambda x, w: size(ss.CZT(n=12, m=5, w=None, a=1.0)(x)),
            lambda x, w: size(TRANSFORM(x)),
            lambda x, w: size(TRANSFORM(x.T, axis=0)),
            lambda x, w: size(ZOOM(x)),
            lambda x, w: size(ss.zoom_fft(x, [0.1, 0.4])),
            lambda x, w: size(ss.zoom_fft(x, w, m=5, fs=3.0, endpoint=True, axis=-1)),
            lambda x, w: size(ss.zoom_fft(x.T, [w / 3, w], 7, axis=0)),
            lambda x, w: size(ss.ZoomFFT(n=12, fn=[0.1, w], m=5, fs=2, endpoint=False)(x)),
        ],
    ),
    "ShortTimeFFT": (
        (LONG, WINDOW),
        [
            *[
                lambda x, w, m=m, s=s: size(
                    ss.ShortTimeFFT(w, hop=3, fs=2.0, fft_mode=m, scale_to=s).stft(x)
                )
                for m in ("twosided", "centered", "onesided", "onesided2X")
                for s in ("magnitude", "psd")
            ],
            *[
                lambda x, w, p=p: size(SHORT.stft(x, 0, 8, k_offset=1, padding=p))
                for p in ("zeros", "edge", "even", "odd")
            ],
            *[
                lambda x, w, p=p: size(
                    ss.ShortTimeFFT(w, 3, 2.0, mfft=11, phase_shift=p).stft(x * (1 + 0 * w[0]))
                )
                for p in (None, 0, 2)
            ],
            *[
                lambda x, w, d=d: size(ss.ShortTimeFFT(w, 3, 2.0).stft_detrend(x, d))
                for d in ("linear", "constant", None, lambda v: v - v[..., :1])
            ],
            lambda x, w: size(SHORT.stft(x[:, None] * x[:3], axis=0)),
            lambda x, w: size(SHORT.stft(x[:3, None] * x, axis=-1)),
            lambda x, w: SHORT.spectrogram(x),
            lambda x, w: ss.ShortTimeFFT(w, 3, 2.0).spectrogram(x, detr="linear"),
            lambda x, w: size(SHORT.spectrogram(x, x**2, k_offset=1, padding="even", p0=0, p1=7)),
            *[
                lambda x, w, m=m, p=p: size(
                    ss.ShortTimeFFT(w, 3, 2.0, fft_mode=m, phase_shift=p, scale_to="psd").istft(
                        x[:5, None] * x[:6], k1=9
                    )
                )
                for m, p in (("onesided", 0), ("onesided2X", None))
            ],
            lambda x, w: size(with_settings(fft_mode="twosided").istft(x[:8, None] * x[:7])),
            lambda x, w: size(with_settings(fft_mode="centered").istft(x[:8, None] * x[:7], 3, 15)),
            lambda x, w: SHORT.istft(x[:5, None] * x[:7, None, None] * w[:2], f_axis=1, t_axis=0),
            lambda x, w: ss.ShortTimeFFT(w, 3, 2.0).istft(
                ss.ShortTimeFFT(w, 3, 2.0).stft(x), k1=len(x)
            ),
            lambda x, w: ss.ShortTimeFFT(w, 3, 2.0, dual_win=SHORT.dual_win).dual_win * w[0],
            lambda x, w: ss.ShortTimeFFT(w, 3, 2.0).dual_win,
            lambda x, w: ss.ShortTimeFFT.from_dual(w, 3, 2.0).win,
            lambda x, w: size(ss.ShortTimeFFT.from_window("hann", 2.0, 8, 4).stft(x)),
            lambda x, w: SHORT.delta_t * x,
            lambda x, w: SHORT.t(30) * x[0],
        ],
    ),
}  # fmt: skip
CALLS["refused"] = (
    (LONG, NUM),
    [
        refused(lambda x, n: SHORT.extent(n[0] * 30)),
        refused(lambda x, n: (ss.StateSpace(A * n[0], B, C, D) * 2).C),
        refused(lambda x, n: (n[0] * ss.StateSpace(A, B, C, D)).C),
        refused(lambda x, n: ss.place_poles(A * n[0], B, [-1.0, -2.0]).gain_matrix),
    ],
)
