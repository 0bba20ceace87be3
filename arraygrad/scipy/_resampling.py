"""Signals at other rates, medians of windows, and wave forms."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ._filters import full_convolution
from ._rule import (
    constant,
    is_grad_enabled,
    is_tracked,
    plain,
    policed,
    refuse,
    rule,
    scipy_module,
    scipy_object,
    tensor,
    tensors_of,
    xp,
)
from .ndimage import rank_filter

# -- filters between two rates ---------------------------------------------------------------------


def _mirrored(i: Any, n: int, odd: bool) -> tuple[Any, Any]:
    """Numbers of samples and their signs, where the signal is mirrored beside its ends."""
    i = i % (2 * n)
    back = i >= n
    return np.where(back, 2 * n - 1 - i, i), np.where(back & odd, -1.0, 1.0)


def _odd_about_ends(x: Any, i: Any) -> Any:
    """Samples where the signal is turned about its first and its last one, again and again."""
    n = x.shape[-1]
    turn, place = np.divmod(i, n - 1)
    back = turn % 2 == 1
    rise = x[..., -1:] - x[..., :1]
    found = x[..., np.where(back, n - 1 - place, place)]
    return xp.where(back, (turn + 1) * rise + 2.0 * x[..., :1] - found, turn * rise + found)


def _continued(x: Any, left: int, right: int, mode: str, cval: Any) -> Any:
    """The signal with samples before and behind, along the last axis, as SciPy continues it."""
    n = x.shape[-1]
    i = np.arange(-left, n + right)
    inside = np.clip(i, 0, n - 1)
    if mode == "constant":
        return xp.where((i >= 0) & (i < n), x[..., inside], cval)
    if mode == "edge" or n == 1:
        return x[..., inside] * (-1.0 if mode == "antisymmetric" and n == 1 else 1.0)
    if mode == "wrap":
        return x[..., i % n]
    if mode in ("symmetric", "antisymmetric"):
        place, sign = _mirrored(i, n, mode == "antisymmetric")
        return x[..., place] * sign
    if mode == "reflect":
        return x[..., (n - 1) - np.abs((n - 1) - i % (2 * n - 2))]
    if mode == "antireflect":
        return _odd_about_ends(x, i)
    line = (x[..., -1:] - x[..., :1]) / (n - 1)
    first, last = (line, line) if mode == "line" else (x[..., 1:2] - x[..., :1],
                                                       x[..., -1:] - x[..., -2:-1])  # fmt: skip
    return x[..., inside] + np.minimum(i, 0) * first + np.maximum(i - (n - 1), 0) * last


def _between(
    h: Any, x: Any, rates: tuple[int, int], start: int, count: int, mode: str, cval: Any = 0
) -> Any:
    """Samples start, start + down, ... of h over the signal with zeros in between."""
    up, down = rates
    left = max(-(-(h.shape[0] - 1 - start) // up), 0)
    right = max((start + (count - 1) * down) // up - (x.shape[-1] - 1), 0)
    x = _continued(x, left, right, mode, cval)
    sparse = xp.pad(x[..., None], [(0, 0)] * x.ndim + [(0, up - 1)]).reshape((*x.shape[:-1], -1))
    taps = h.reshape((1,) * (x.ndim - 1) + h.shape)
    if taps.dtype != sparse.dtype:
        dtype = np.result_type(taps.dtype, sparse.dtype)
        taps, sparse = taps.astype(dtype), sparse.astype(dtype)
    full = full_convolution(sparse, taps, mode="full", method="auto")
    first = start + left * up
    return full[..., first : first + (count - 1) * down + 1 : down]


@rule("scipy.signal.upfirdn")
def upfirdn(
    h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant",
    cval: Any = 0,
) -> Any:  # fmt: skip
    """Zeros in between, a filter, and every `down`-th sample; bilinear in h and x."""
    scipy_object("scipy.signal.upfirdn")(plain(h), np.ones(2), up, down, -1, mode)  # its errors
    h, x = tensors_of("scipy.signal.upfirdn", h, x)
    x = xp.moveaxis(x, axis, -1)
    count = ((x.shape[-1] - 1) * up + h.shape[0] - 1) // down + 1
    return xp.moveaxis(_between(h, x, (int(up), int(down)), 0, count, mode, cval), -1, axis)


_BACKGROUNDS: dict[str, Callable[..., Any]] = {
    "maximum": xp.max, "mean": xp.mean, "median": xp.median, "minimum": xp.min,
}  # fmt: skip


@rule("scipy.signal.resample_poly")
def resample_poly(
    x: Any, up: Any, down: Any, axis: int = 0, window: Any = ("kaiser", 5.0),
    padtype: str = "constant", cval: Any = None,
) -> Any:  # fmt: skip
    """A rate of up/down, by a filter without delay; linear in x and in a window of numbers."""
    own = not isinstance(window, str | tuple)
    scipy_object("scipy.signal.resample_poly")(
        np.ones(2), up, down, 0, plain(window) if own else "hann", padtype, plain(cval)
    )  # its errors
    x = xp.moveaxis(tensor(x, "scipy.signal.resample_poly"), axis, -1)
    common = math.gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    if up == down == 1:
        return xp.moveaxis(x, -1, axis).copy()
    if own:
        h = tensor(window, "scipy.signal.resample_poly", 5)
        half = (h.shape[0] - 1) // 2
    else:
        half = 10 * max(up, down)
        firwin = scipy_object("scipy.signal.firwin")
        h = xp.asarray(firwin(2 * half + 1, 1.0 / max(up, down), window=window), dtype=x.dtype)
    count = -(-x.shape[-1] * up // down)
    level = None
    if padtype in _BACKGROUNDS:
        level = _BACKGROUNDS[padtype](x, axis=-1, keepdims=True)
        x, padtype = x - level, "constant"
    fill = 0 if cval is None else cval
    out = _between(h * up, x, (up, down), half, count, padtype, fill)
    return xp.moveaxis(out if level is None else out + level, -1, axis)


@policed
def decimate(
    x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: int = -1, zero_phase: bool = True
) -> Any:
    """Every q-th sample of the filtered signal; linear in x."""
    return _decimated(x, q, n, _plain_system(ftype), axis, zero_phase)


@rule("scipy.signal.decimate")
def _decimated(
    x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: int = -1, zero_phase: bool = True
) -> Any:
    q = operator.index(q)
    x = xp.moveaxis(tensor(x, "scipy.signal.decimate"), axis, -1)
    b, a, sos = _anti_aliasing(q, n, ftype)
    if a is not None and len(a) == 1:
        b = b / a[0]
        if zero_phase:
            return xp.moveaxis(resample_poly(x, 1, q, -1, b), -1, axis)
        out = upfirdn(b, x, 1, q)[..., : -(-x.shape[-1] // q)]
        return xp.moveaxis(out, -1, axis)
    signal = import_module("arraygrad.scipy.signal")  # it lies above
    if sos is not None:
        out = signal.sosfiltfilt(sos, x) if zero_phase else signal.sosfilt(sos, x)
    else:
        out = signal.filtfilt(b, a, x) if zero_phase else signal.lfilter(b, a, x)
    return xp.moveaxis(out[..., ::q], -1, axis)


def _anti_aliasing(q: int, n: Any, ftype: Any) -> tuple[Any, Any, Any]:
    """The filter as numerator and denominator, or as sections."""
    module = scipy_module("scipy.signal")
    n = None if n is None else operator.index(n)
    if isinstance(ftype, str) and ftype == "fir":
        taps = module.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        return taps, np.ones(1), None
    if isinstance(ftype, str) and ftype == "iir":
        return None, None, module.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    if not isinstance(ftype, module.dlti):
        raise ValueError("invalid ftype")
    zpk = ftype.to_zpk()
    if len(zpk.poles) and not np.iscomplex(zpk.poles).any() and not np.iscomplex(zpk.gain):
        return None, None, module.zpk2sos(zpk.zeros, zpk.poles, zpk.gain)
    system = ftype.to_tf()
    return system.num, np.atleast_1d(system.den)[: None if len(zpk.poles) else 1], None


def _plain_system(ftype: Any) -> Any:
    """SciPy's system for one that lifted code has made or was given."""
    from ._linear_systems import LinearSystem

    if not isinstance(ftype, LinearSystem):
        return ftype
    if is_grad_enabled() and is_tracked(ftype._values):
        raise refuse("scipy.signal.decimate", "by the filter",
                     "filter with lfilter or sosfiltfilt and take every q-th sample")  # fmt: skip
    return ftype._real


# -- medians ---------------------------------------------------------------------------------------


@rule("scipy.signal.medfilt")
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The middle of the values around each, zeros beside the ends; its gradient goes there."""
    return _medians(xp.atleast_1d(tensor(volume, "scipy.signal.medfilt")), kernel_size)


@rule("scipy.signal.medfilt2d")
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    """See `medfilt`."""
    return _medians(tensor(input, "scipy.signal.medfilt2d"), kernel_size)


def _medians(x: Any, kernel_size: Any) -> Any:
    size = 3 if kernel_size is None else plain(kernel_size)
    scipy_object("scipy.signal.medfilt")(np.zeros(x.shape), kernel_size)  # its errors
    sizes = [int(n) for n in np.broadcast_to(size, (x.ndim,))]
    return rank_filter(x, math.prod(sizes) // 2, size=sizes, mode="constant")


# -- wave forms ------------------------------------------------------------------------------------


def _over(function: Callable[[Any], Any], coefficients: list[float], u: Any) -> Any:
    """function(u) / u; near 0, where both are, by the series."""
    small = np.abs(plain(u)) < 1e-3
    series = xp.zeros_like(u)
    for c in reversed(coefficients):
        series = series * u + c
    apart = xp.where(small, 1.0, u)
    return xp.where(small, series, function(apart) / apart)


def _phase(t: Any, f0: Any, t1: Any, f1: Any, method: str, vertex_zero: bool) -> Any:
    """The integral of the frequency, in turns."""
    if method in ("linear", "lin", "li"):
        return f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    if method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return f0 * t + beta * t**3 / 3
        return f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3
    if method in ("logarithmic", "log", "lo"):
        growth = [1.0 / math.factorial(k + 1) for k in range(6)]
        return f0 * t * _over(xp.expm1, growth, xp.log(f1 / f0) * (t / t1))
    decay = [(-1.0) ** k / (k + 1) for k in range(6)]
    slowing = (f0 - f1) * t / (f1 * t1)
    return f0 * t * _over(lambda u: xp.log(xp.abs(1.0 + u)), decay, slowing)


@rule("scipy.signal.chirp")
def chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: str = "linear", phi: Any = 0,
    vertex_zero: bool = True, *, complex: bool = False,
) -> Any:  # fmt: skip
    """A wave whose frequency moves from f0 to f1 at t1; differentiable in all of them."""
    scipy_object("scipy.signal.chirp")(
        np.zeros(1), *plain((f0, t1, f1)), method, 0, vertex_zero
    )  # its errors
    t, f0, t1, f1, phi = tensors_of("scipy.signal.chirp", t, f0, t1, f1, phi)
    phase = 2.0 * np.pi * _phase(t, f0, t1, f1, method, vertex_zero) + phi * (np.pi / 180.0)
    return xp.exp(1j * phase) if complex else xp.cos(phase)


square = constant("scipy.signal.square", "A wave of 1 and -1: plain, as there is no derivative.")
