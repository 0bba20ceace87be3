"""Stand-ins for ``scipy.signal``: convolution, filters, smoothing, analytic signals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import wrap
from ._borders import correlated, extended
from ._chirp_z import (
    CZT as CZT,
    ZoomFFT as ZoomFFT,
    czt as czt,
    transform_of as transform_of,
    zoom_fft as zoom_fft,
)
from ._filter_forms import freqz as freqz, sos2tf as sos2tf, tf2zpk as tf2zpk, zpk2tf as zpk2tf
from ._filters import full_convolution, recursive, valid_convolution
from ._linear_systems import (
    StateSpace as StateSpace,
    TransferFunction as TransferFunction,
    ZerosPolesGain as ZerosPolesGain,
    bode as bode,
    dbode as dbode,
    dfreqresp as dfreqresp,
    dimpulse as dimpulse,
    dlsim as dlsim,
    dlti as dlti,
    dstep as dstep,
    freqresp as freqresp,
    impulse as impulse,
    lsim as lsim,
    lti as lti,
    step as step,
    system_of as system_of,
)
from ._resampling import (
    chirp as chirp,
    decimate as decimate,
    medfilt as medfilt,
    medfilt2d as medfilt2d,
    resample_poly as resample_poly,
    square as square,
    upfirdn as upfirdn,
)
from ._rule import (
    constant,
    is_tracked,
    plain,
    refuse,
    rule,
    scipy_object,
    tensor,
    tensors,
    tensors_of,
    xp,
)
from ._short_time import ShortTimeFFT as ShortTimeFFT, stft_of as stft_of
from ._spectral import (
    coherence as coherence,
    csd as csd,
    istft as istft,
    periodogram as periodogram,
    spectrogram as spectrogram,
    stft as stft,
    welch as welch,
)

# -- convolution -----------------------------------------------------------------------------------


def _convolution(in1: Any, in2: Any, mode: str, method: str, function: str) -> Any:
    x1, x2 = tensors_of(function, in1, in2)
    if x1.ndim == 0:
        return x1 * x2
    if mode == "valid":
        longer = [n1 >= n2 for n1, n2 in zip(x1.shape, x2.shape, strict=True)]
        if not all(longer):
            x1, x2 = x2, x1
        return valid_convolution(x1, x2, mode="valid", method=method)
    full = full_convolution(x1, x2, mode="full", method=method)
    if mode == "full":
        return full
    starts = [(n2 - 1) // 2 for n2 in x2.shape]
    return full[tuple(slice(s, s + n1) for s, n1 in zip(starts, x1.shape, strict=True))]


@rule("scipy.signal.convolve")
def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Convolution in all axes; bilinear, each cotangent is a correlation with the other."""
    return _convolution(in1, in2, mode, method, "scipy.signal.convolve")


@rule("scipy.signal.fftconvolve")
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Convolution by Fourier transforms; see `convolve`."""
    ndim = np.ndim(plain(in1))
    along = range(ndim) if axes is None else sorted({int(a) % ndim for a in np.atleast_1d(axes)})
    if len(along) < ndim:
        return _convolution_along(in1, in2, mode, list(along))
    return _convolution(in1, in2, mode, "fft", "scipy.signal.fftconvolve")


def _convolution_along(in1: Any, in2: Any, mode: str, axes: list[int]) -> Any:
    """Convolution in some axes, by the product of the transforms, which broadcasts the others."""
    x1, x2 = tensors_of("scipy.signal.fftconvolve", in1, in2)
    # Axes of length 1 are broadcast as well.
    axes = [a for a in axes if x1.shape[a] != 1 and x2.shape[a] != 1]
    if mode == "valid" and any(x1.shape[a] < x2.shape[a] for a in axes):
        x1, x2 = x2, x1
    lengths = [x1.shape[a] + x2.shape[a] - 1 for a in axes]
    product = xp.fft.fftn(x1, lengths, axes) * xp.fft.fftn(x2, lengths, axes) if axes else x1 * x2
    out = xp.fft.ifftn(product, lengths, axes) if axes else product
    out = out if x1.dtype.kind == "c" else xp.real(out)
    sizes = list(out.shape)
    for axis in axes:
        n1, n2 = x1.shape[axis], x2.shape[axis]
        sizes[axis] = {"full": n1 + n2 - 1, "same": n1, "valid": n1 - n2 + 1}[mode]
    if mode == "same":
        sizes = list(x1.shape)
    starts = [(whole - size) // 2 for whole, size in zip(out.shape, sizes, strict=True)]
    return out[tuple(slice(s, s + n) for s, n in zip(starts, sizes, strict=True))]


@rule("scipy.signal.oaconvolve")
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Convolution by Fourier transforms of pieces; see `convolve`."""
    return fftconvolve(in1, in2, mode, axes)


@rule("scipy.signal.correlate")
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Correlation in all axes: convolution with the reversed conjugate."""
    x1, x2 = tensors_of("scipy.signal.correlate", in1, in2)
    if mode == "valid" and any(n1 < n2 for n1, n2 in zip(x1.shape, x2.shape, strict=True)):
        # The roles are exchanged, which reverses and conjugates the result.
        return xp.flip(xp.conj(correlate(x2, x1, mode, method)))
    return _convolution(x1, xp.flip(xp.conj(x2)), mode, method, "scipy.signal.correlate")


def _bordered(x1: Any, x2: Any, mode: str, boundary: str, fill: Any, reversed: bool = False) -> Any:
    """Convolution of matrices whose first is continued beyond its border.

    The middle of a kernel of even size lies on the other side when it is `reversed`.
    """
    if boundary == "fill" and not plain(fill):
        return _convolution(x1, x2, mode, "direct", "scipy.signal.convolve2d")
    if mode == "valid":
        return _convolution(x1, x2, mode, "direct", "scipy.signal.convolve2d")
    names = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}
    for axis, n2 in enumerate(x2.shape):
        before = after = n2 - 1
        if mode == "same":
            before, after = n2 // 2, (n2 - 1) // 2
            before, after = (after, before) if reversed else (before, after)
        x1 = extended(x1, axis, before, after, names[boundary], fill)
    return valid_convolution(x1, x2, mode="valid", method="direct")


@rule("scipy.signal.convolve2d")
def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """Convolution of matrices; bilinear."""
    x1, x2 = tensors_of("scipy.signal.convolve2d", in1, in2)
    return _bordered(x1, x2, mode, boundary, fillvalue)


@rule("scipy.signal.correlate2d")
def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """Correlation of matrices; bilinear in the first and the conjugate of the second."""
    if mode != "valid" and (boundary != "fill" or plain(fillvalue)):
        x1, x2 = tensors_of("scipy.signal.correlate2d", in1, in2)
        return _bordered(x1, xp.flip(xp.conj(x2)), mode, boundary, fillvalue, True)
    if mode != "same":
        return correlate(in1, in2, mode, "direct")
    full = correlate(in1, in2, "full", "direct")
    sizes = zip(np.shape(plain(in1)), np.shape(plain(in2)), strict=True)
    return full[tuple(slice(n2 // 2, n2 // 2 + n1) for n1, n2 in sizes)]


# -- places of extremes ----------------------------------------------------------------------------

argrelmax = constant("scipy.signal.argrelmax", "Plain indices of local maxima.")
argrelmin = constant("scipy.signal.argrelmin", "Plain indices of local minima.")
argrelextrema = constant("scipy.signal.argrelextrema", "Plain indices of local extremes.")


@rule("scipy.signal.find_peaks")
def find_peaks(x: Any, *limits: Any, **properties: Any) -> Any:
    """Plain indices of peaks, and their properties, of which heights have gradients."""
    peaks, found = scipy_object("scipy.signal.find_peaks")(
        plain(x), *plain(limits), **plain(properties)
    )
    unknown = found.keys() - _PLAIN_PROPERTIES - {"peak_heights"}
    if unknown:
        raise refuse("scipy.signal.find_peaks", f"of {', '.join(sorted(unknown))}",
                     "compute them from x at the peaks")  # fmt: skip
    if "peak_heights" in found:
        found["peak_heights"] = tensor(x, "scipy.signal.find_peaks")[peaks]
    return wrap(peaks), {k: tensors(v) for k, v in found.items()}


_PLAIN_PROPERTIES = {
    "left_bases", "right_bases", "plateau_sizes", "left_edges", "right_edges",
}  # fmt: skip

# -- recursive filters -----------------------------------------------------------------------------


@rule("scipy.signal.lfilter")
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Recursive filter a * out = b * x; with `zi` also the final state.

    Notes
    -----
    Differentiable in coefficients, signal and initial state. By x the transpose is the filter run
    backwards in time.
    """
    b, a, x = tensors_of("scipy.signal.lfilter", b, a, x)
    b, a = xp.atleast_1d(b), xp.atleast_1d(a)
    if a.shape[0] > 1 or zi is not None:
        b, a = b / a[0], a / a[0]
    else:
        b, a = b / a[0], xp.ones_like(a)
    x = xp.moveaxis(x, axis, -1)
    n = x.shape[-1]
    forward = _delayed_sum(b, x)
    states = max(a.shape[0], b.shape[0]) - 1
    if zi is not None:
        start = xp.moveaxis(tensor(zi, "scipy.signal.lfilter", 5), axis, -1)
        start = xp.broadcast_to(start, (*x.shape[:-1], states))
        padding = xp.zeros((*x.shape[:-1], max(n - states, 0)), dtype=start.dtype)
        forward = forward + xp.concatenate((start[..., :n], padding), axis=-1)
    out = recursive(a, forward) if a.shape[0] > 1 else forward
    result = xp.moveaxis(out, -1, axis)
    if zi is None:
        return result
    return result, xp.moveaxis(_final_state(b, a, x, out, start), -1, axis)


def _delayed_sum(b: Any, x: Any) -> Any:
    """Convolution of the signals along the last axis with b, as long as the signals."""
    n = x.shape[-1]
    zeros = xp.zeros((*x.shape[:-1], b.shape[0] - 1), dtype=x.dtype)
    padded = xp.concatenate((zeros, x), axis=-1)
    if x.ndim == 1 and n:
        return valid_convolution(padded, b, mode="valid", method="direct")
    return xp.lib.stride_tricks.sliding_window_view(padded, b.shape[0], axis=-1) @ b[::-1]


def _final_state(b: Any, a: Any, x: Any, out: Any, start: Any) -> Any:
    """State i: what the past adds to output number i after the end."""
    n, states = x.shape[-1], start.shape[-1]
    found = []
    for i in range(states):
        total: Any = start[..., n + i] if n + i < states else 0.0 * start[..., 0]
        for j in range(i + 1, states + 1):
            back = n - 1 - (j - i - 1)
            if back < 0:
                continue
            if j < b.shape[0]:
                total = total + b[j] * x[..., back]
            if j < a.shape[0]:
                total = total - a[j] * out[..., back]
        found.append(total)
    return xp.stack(found, axis=-1) if found else start


@rule("scipy.signal.lfilter_zi")
def lfilter_zi(b: Any, a: Any) -> Any:
    """State in which a constant input 1 gives a constant output."""
    b, a = (xp.atleast_1d(x) for x in tensors_of("scipy.signal.lfilter_zi", b, a))
    n = max(b.shape[0], a.shape[0])
    b, a = (xp.concatenate((x, xp.zeros(n - x.shape[0], dtype=x.dtype))) / a[0] for x in (b, a))
    shifted = xp.eye(n - 1) - xp.eye(n - 1, k=1)
    first = np.zeros(n - 1)
    first[:1] = 1.0
    return core.solve(shifted + a[1:, None] * first, b[1:] - a[1:] * b[0])


@rule("scipy.signal.sosfilt_zi")
def sosfilt_zi(sos: Any) -> Any:
    """States of a cascade of sections in which a constant input 1 gives a constant output."""
    sos = tensor(sos, "scipy.signal.sosfilt_zi")
    states, scale = [], 1.0
    for i in range(sos.shape[0]):
        b, a = sos[i, :3], sos[i, 3:]
        states.append(scale * lfilter_zi(b, a))
        scale = scale * (xp.sum(b) / xp.sum(a))  # what the next section gets
    return xp.stack(states)


@rule("scipy.signal.sosfilt")
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Recursive filter as a cascade of second-order sections; see `lfilter`."""
    sos, x = tensors_of("scipy.signal.sosfilt", sos, x)
    finals = []
    for i in range(sos.shape[0]):
        b, a = sos[i, :3], sos[i, 3:]
        if zi is None:
            x = lfilter(b, a, x, axis)
        else:
            x, final = lfilter(b, a, x, axis, tensor(zi, "scipy.signal.sosfilt", 4)[i])
            finals.append(final)
    return x if zi is None else (x, xp.stack(finals))


def _odd_extension(x: Any, n: int, padtype: Any) -> Any:
    """The signal continued along the last axis by n samples."""
    if n <= 0 or padtype is None:
        return x
    left, right = x[..., n:0:-1], x[..., -2 : -(n + 2) : -1]
    if padtype == "odd":
        left, right = 2 * x[..., :1] - left, 2 * x[..., -1:] - right
    elif padtype == "constant":
        left = xp.broadcast_to(x[..., :1], left.shape)
        right = xp.broadcast_to(x[..., -1:], right.shape)
    return xp.concatenate((left, x, right), axis=-1)


def _both_ways(x: Any, axis: int, padlen: int, padtype: Any, run: Any) -> Any:
    """A filter run forwards and backwards over the continued signal."""
    x = xp.moveaxis(x, axis, -1)
    n = padlen if padtype is not None else 0
    y = run(_odd_extension(x, n, padtype))
    y = xp.flip(run(xp.flip(y, axis=-1)), axis=-1)
    return xp.moveaxis(y[..., n : y.shape[-1] - n], -1, axis)


@rule("scipy.signal.filtfilt")
def filtfilt(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None,
    method: str = "pad", irlen: Any = None,
) -> Any:  # fmt: skip
    """Recursive filter run forwards and backwards, without delay."""
    if method != "pad":
        raise refuse("scipy.signal.filtfilt", "for method='gust'", "use method='pad'")
    b, a, x = tensors_of("scipy.signal.filtfilt", b, a, x)
    zi = lfilter_zi(b, a)
    n = 3 * max(b.shape[0], a.shape[0]) if padlen is None else int(padlen)
    return _both_ways(x, axis, n, padtype, lambda y: lfilter(b, a, y, -1, zi * y[..., :1])[0])


@rule("scipy.signal.sosfiltfilt")
def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """Cascade of second-order sections run forwards and backwards."""
    sos, x = tensors_of("scipy.signal.sosfiltfilt", sos, x)
    values = plain(sos)
    n = 2 * len(values) + 1
    n -= int(min((values[:, 2] == 0).sum(), (values[:, 5] == 0).sum()))
    zi = sosfilt_zi(sos)

    def run(y: Any) -> Any:
        start = zi.reshape((zi.shape[0],) + (1,) * (y.ndim - 1) + (2,)) * y[..., :1]
        return sosfilt(sos, y, -1, start)[0]

    return _both_ways(x, axis, 3 * n if padlen is None else int(padlen), padtype, run)


# -- smoothing and trends --------------------------------------------------------------------------


@rule("scipy.signal.savgol_filter")
def savgol_filter(
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0,
    axis: int = -1, mode: str = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """Polynomials fitted to windows: fixed weights times neighbours."""
    x = xp.moveaxis(tensor(x, "scipy.signal.savgol_filter"), axis, -1)
    settings = (window_length, polyorder, deriv, delta)
    weights = scipy_object("scipy.signal.savgol_coeffs")(*settings)[::-1].copy()
    origin = 0 if window_length % 2 else -1
    if mode != "interp":
        out = correlated(x, xp.asarray(weights, dtype=x.dtype), x.ndim - 1, mode, cval, origin)
        return xp.moveaxis(out, -1, axis)
    inner = correlated(x, xp.asarray(weights, dtype=x.dtype), x.ndim - 1, "constant", 0.0, origin)
    edge = scipy_object("scipy.signal.savgol_filter")(np.eye(window_length), *settings, axis=0)
    half, n = window_length // 2, x.shape[-1]
    left = x[..., :window_length] @ edge[:half].T
    right = x[..., n - window_length :] @ edge[window_length - half :].T
    out = xp.concatenate((left, inner[..., half : n - half], right), axis=-1)
    return xp.moveaxis(out, -1, axis)


@rule("scipy.signal.detrend")
def detrend(
    data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False
) -> Any:
    """The signal without its mean, or without its line of best fit between the breaks bp."""
    x = xp.moveaxis(tensor(data, "scipy.signal.detrend"), axis, -1)
    if type in ("constant", "c"):
        return xp.moveaxis(x - xp.mean(x, axis=-1, keepdims=True), -1, axis)
    n = x.shape[-1]
    breaks = np.unique(np.concatenate(([0], np.atleast_1d(plain(bp)), [n]))).astype(int)
    parts = []
    for first, last in itertools.pairwise(breaks):
        basis = np.linalg.qr(np.vander(np.arange(last - first) / (last - first), 2))[0]
        part = x[..., first:last]
        parts.append(part - (part @ basis) @ basis.T)
    return xp.moveaxis(xp.concatenate(parts, axis=-1), -1, axis)


# -- transforms ------------------------------------------------------------------------------------


@rule("scipy.signal.hilbert")
def hilbert(x: Any, N: Any = None, axis: int = -1) -> Any:
    """Analytic signal: the Fourier transform without its negative frequencies."""
    x = xp.moveaxis(tensor(x, "scipy.signal.hilbert"), axis, -1)
    n = x.shape[-1] if N is None else int(N)
    weights = np.zeros(n)
    weights[0] = 1.0
    weights[1 : (n + 1) // 2] = 2.0
    if n % 2 == 0:
        weights[n // 2] = 1.0
    return xp.moveaxis(xp.fft.ifft(xp.fft.fft(x, n, axis=-1) * weights, axis=-1), -1, axis)


@rule("scipy.signal.resample")
def resample(
    x: Any, num: int, t: Any = None, axis: int = 0, window: Any = None, domain: str = "time"
) -> Any:
    """Band-limited interpolation at `num` samples: a fixed matrix times the signal."""
    if is_tracked(window):
        raise refuse("scipy.signal.resample", "by its window", "multiply the spectrum with it")
    x = xp.moveaxis(tensor(x, "scipy.signal.resample"), axis, -1)
    n = x.shape[-1]
    real = scipy_object("scipy.signal.resample")
    unit = np.eye(n, dtype=plain(x).dtype)
    matrix = real(unit, int(num), axis=0, window=plain(window), domain=domain)
    out = xp.moveaxis(x @ matrix.T, -1, axis)
    if t is None:
        return out
    t = tensor(t, "scipy.signal.resample", 3)
    return out, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num)
