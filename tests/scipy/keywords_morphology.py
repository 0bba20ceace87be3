"""Calls of grey morphology and of filters of spectra in ``scipy.ndimage`` with each keyword."""

import numpy as np
import scipy.ndimage as nd

from .checking import refused

RNG = np.random.default_rng(14)
GRID = RNG.normal(size=(6, 7))
HEIGHT = RNG.normal(size=(3, 2))
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]])
BASIC = (nd.grey_erosion, nd.grey_dilation)
COMPOSED = (nd.grey_opening, nd.grey_closing, nd.morphological_gradient, nd.morphological_laplace,
            nd.white_tophat, nd.black_tophat)  # fmt: skip
SPECTRAL = (nd.fourier_gaussian, nd.fourier_uniform, nd.fourier_ellipsoid, nd.fourier_shift)


def swirl(place, turn=0.1, move=0.2):
    return place[0] * 0.9 + turn * place[1], place[1] * 0.8 + move


CALLS = {
    "windows": (
        (GRID, HEIGHT),
        [
            *[lambda x, h, f=f: f(x, 3) for f in (*BASIC, *COMPOSED)],
            *[lambda x, h, f=f: f(x, size=(2, 3), mode="nearest") for f in (*BASIC, *COMPOSED)],
            *[lambda x, h, f=f: f(x, footprint=CROSS) for f in (*BASIC, *COMPOSED)],
            *[lambda x, h, f=f: f(x, structure=h) for f in (*BASIC, *COMPOSED)],
            *[
                lambda x, h, f=f: f(
                    x,
                    None,
                    CROSS,
                    np.ones((3, 3)) * h[0, 0],
                    mode="constant",
                    cval=0.3,
                    origin=(0, 1),
                    output=None,
                )
                for f in BASIC
            ],
            *[
                lambda x, h, f=f: f(x, 3, axis=0, output=float, mode="mirror", cval=0.0, origin=1)
                for f in (nd.maximum_filter1d, nd.minimum_filter1d)
            ],
            *[lambda x, h, f=f: f(x, 2) for f in (nd.maximum_filter1d, nd.minimum_filter1d)],
            *[
                lambda x, h, f=f: f(
                    input=x,
                    size=(3, 3),
                    footprint=None,
                    structure=h[:3, :1] * np.ones((3, 3)),
                    output=None,
                    mode="wrap",
                    cval=0.1,
                    origin=0,
                )
                for f in (
                    nd.grey_erosion,
                    nd.grey_dilation,
                    nd.grey_opening,
                    nd.grey_closing,
                    nd.morphological_gradient,
                    nd.morphological_laplace,
                    nd.white_tophat,
                    nd.black_tophat,
                )
            ],
            *[
                lambda x, h, f=f: f(
                    input=x, size=2, axis=1, output=None, mode="wrap", cval=0.1, origin=0
                )
                for f in (nd.maximum_filter1d, nd.minimum_filter1d)
            ],
            *[refused(lambda x, h, f=f: f(x, 3, output=np.zeros((6, 7)))) for f in BASIC],
            *[
                refused(lambda x, h, f=f: f(x, 3, axes=(0,)))
                for f in (
                    nd.grey_erosion,
                    nd.grey_dilation,
                    nd.grey_opening,
                    nd.grey_closing,
                    nd.morphological_gradient,
                    nd.morphological_laplace,
                    nd.white_tophat,
                    nd.black_tophat,
                )
            ],
        ],
    ),
    "functions of places": (
        (GRID, 0.13),
        [
            lambda x, t: nd.geometric_transform(x, swirl),
            lambda x, t: nd.geometric_transform(
                input=x,
                mapping=lambda p: swirl(p, t),
                output_shape=(3, 4),
                output=None,
                order=1,
                mode="nearest",
                cval=0.2,
                prefilter=True,
            ),
            lambda x, t: nd.geometric_transform(
                x, swirl, extra_arguments=(0.2,), extra_keywords={"move": 0.3}
            ),
        ],
    ),
    "spectra": (
        (GRID,),
        [
            *[lambda x, f=f: np.abs(f(np.fft.fft2(x), 1.3)) for f in SPECTRAL],
            *[lambda x, f=f: np.fft.irfft2(f(np.fft.rfft2(x), (0.4, 1.2), n=7)) for f in SPECTRAL],
            lambda x: nd.fourier_gaussian(input=x, sigma=0.7, n=-1, axis=0),
            *[
                lambda x, f=f: f(input=x, size=0.7, n=-1, axis=1)
                for f in (nd.fourier_uniform, nd.fourier_ellipsoid)
            ],
            lambda x: nd.fourier_shift(input=x, shift=0.7, n=-1, axis=1).real,
            *[
                refused(lambda x, f=f: f(x, 0.7, output=np.zeros((6, 7))))
                for f in (nd.fourier_gaussian, nd.fourier_uniform, nd.fourier_ellipsoid)
            ],
            refused(lambda x: nd.fourier_shift(x, 0.7, output=np.zeros((6, 7), complex)).real),
            *[refused(lambda x, f=f: np.abs(f(np.fft.fft2(GRID), x[0, :2]))) for f in SPECTRAL],
        ],
    ),
}
