"""numpy.fft with NumPy's signatures: ``out=``, norm=None, the 2-d transforms, frequencies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._answers import ANSWERS, answers
from ..._apply import operand
from ..._detach import lose
from ..._graph import is_grad_enabled
from ...ops import arithmetic, fft as transforms
from ..plain import is_tracked, plain
from ..ufuncs import store


def _along_one(function: Any, ours: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def transform(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        result = ours(operand(a, function.__name__), n, axis, norm)
        return result if out is None else store(out, result, True, "same_kind", function.__name__)

    ANSWERS[function] = transform
    return transform


def _along_several(function: Any, ours: Callable[..., Any], default: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def transform(
        a: Any, s: Any = None, axes: Any = default, norm: str | None = None, out: Any = None
    ) -> Any:
        result = ours(operand(a, function.__name__), s, axes, norm)
        return result if out is None else store(out, result, True, "same_kind", function.__name__)

    ANSWERS[function] = transform
    return transform


fft = _along_one(np.fft.fft, transforms.fft)
ifft = _along_one(np.fft.ifft, transforms.ifft)
rfft = _along_one(np.fft.rfft, transforms.rfft)
irfft = _along_one(np.fft.irfft, transforms.irfft)
hfft = _along_one(np.fft.hfft, transforms.hfft)
ihfft = _along_one(np.fft.ihfft, transforms.ihfft)
fftn = _along_several(np.fft.fftn, transforms.fftn, None)
ifftn = _along_several(np.fft.ifftn, transforms.ifftn, None)
rfftn = _along_several(np.fft.rfftn, transforms.rfftn, None)
irfftn = _along_several(np.fft.irfftn, transforms.irfftn, None)
fft2 = _along_several(np.fft.fft2, transforms.fftn, (-2, -1))
ifft2 = _along_several(np.fft.ifft2, transforms.ifftn, (-2, -1))
rfft2 = _along_several(np.fft.rfft2, transforms.rfftn, (-2, -1))
irfft2 = _along_several(np.fft.irfft2, transforms.irfftn, (-2, -1))


@answers(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """np.fft.fftshift."""
    return transforms.fftshift(operand(x, "fftshift"), axes)


@answers(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """np.fft.ifftshift."""
    return transforms.ifftshift(operand(x, "ifftshift"), axes)


def _frequencies(function: Any, n: Any, d: Any) -> Any:
    if is_grad_enabled() and is_tracked(n):
        lose(f"np.fft.{function.__name__} with a number of points that requires grad")
    count = plain(n)
    steps = np.rint(function(count) * count)  # whole numbers: what n and d scale
    return arithmetic.multiply(steps, arithmetic.divide(1.0, arithmetic.multiply(count, d)))


@answers(np.fft.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """np.fft.fftfreq: differentiable by the distance of two samples."""
    return _frequencies(np.fft.fftfreq, n, d)


@answers(np.fft.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """np.fft.rfftfreq: differentiable by the distance of two samples."""
    return _frequencies(np.fft.rfftfreq, n, d)
