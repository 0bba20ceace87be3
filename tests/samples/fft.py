"""Fourier transforms."""

from typing import Any

import numpy as np

import arraygrad as ag

from . import Generator, Sample, normal, strided


def _row(name: str, op: str, argument: Generator, label: str = "", **options: Any) -> Sample:
    kinds = "f" if name in ("rfft", "rfftn", "ihfft") else "fc"
    ours, numpys = getattr(ag.fft, name), getattr(np.fft, name)
    return Sample(
        (op,),
        lambda x: ours(x, **options),
        lambda x: numpys(x, **options),
        (argument,),
        dtypes=kinds,
        gradient_dtypes=kinds,
        label=f"{name} {label}".strip(),
    )


SAMPLES = [
    *[_row(name, "fftn", normal(5), norm, norm=norm)
      for name in ("fft", "ifft") for norm in ("backward", "ortho", "forward")],
    *[_row(name, "rfft", normal(n), f"{n} {norm}", norm=norm)
      for name in ("rfft", "ihfft") for n in (4, 5) for norm in ("backward", "ortho", "forward")],
    *[_row(name, "irfft", normal(4), f"{n} {norm}", n=n, norm=norm)
      for name in ("irfft", "hfft") for n in (6, 7) for norm in ("backward", "ortho", "forward")],
    _row("fft", "fit", normal(2, 5), "padded", n=7),
    _row("fft", "fit", strided(normal(2, 5)), "trimmed", n=3),
    _row("fft", "fftn", normal(4, 3), "axis", axis=0),
    _row("irfft", "irfft", normal(3, 2), "axis", axis=0),
    _row("rfft", "rfft", normal(1), "1"),
    _row("fftn", "fftn", normal(2, 3, 4)),
    _row("fftn", "fit", normal(3, 2, 4), "sizes", s=(4, 3), axes=(2, 0)),
    _row("ifftn", "fftn", normal(3, 4), "ortho", norm="ortho"),
    _row("rfftn", "rfft", normal(2, 3, 4)),
    _row("rfftn", "rfft", normal(3, 4), "sizes", s=(3, 5), axes=(1, 0)),
    _row("irfftn", "irfft", normal(3, 3)),
    _row("irfftn", "irfft", normal(3, 3), "sizes", s=(4, 5), axes=(1, 0)),
    Sample(("roll",), ag.fft.fftshift, np.fft.fftshift, (normal(4, 5),), dtypes="fci",
           gradient_dtypes="fc", label="fftshift"),
    Sample(("roll",), lambda x: ag.fft.ifftshift(x, axes=1), lambda x: np.fft.ifftshift(x, axes=1),
           (normal(2, 5),), dtypes="fci", gradient_dtypes="fc", label="ifftshift"),
]  # fmt: skip
