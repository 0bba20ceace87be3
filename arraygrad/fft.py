"""Discrete Fourier transforms: the standard's ``fft`` extension."""

from .ops.fft import fft as fft
from .ops.fft import fftfreq as fftfreq
from .ops.fft import fftn as fftn
from .ops.fft import fftshift as fftshift
from .ops.fft import hfft as hfft
from .ops.fft import ifft as ifft
from .ops.fft import ifftn as ifftn
from .ops.fft import ifftshift as ifftshift
from .ops.fft import ihfft as ihfft
from .ops.fft import irfft as irfft
from .ops.fft import irfftn as irfftn
from .ops.fft import rfft as rfft
from .ops.fft import rfftfreq as rfftfreq
from .ops.fft import rfftn as rfftn

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
