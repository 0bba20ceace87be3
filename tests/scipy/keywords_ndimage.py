"""Calls of ``scipy.ndimage`` with each keyword and each documented value."""

import numpy as np
import scipy.ndimage as nd

from .checking import refused

RNG = np.random.default_rng(6)
RNG.normal(size=9)
GRID = RNG.normal(size=(5, 6))
SMALL = RNG.normal(size=(3, 2))
B = np.array([0.5, 0.3, -0.2])
MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant",
         "grid-wrap")  # fmt: skip
CORNERS = np.array([[0.3, 1.2, 2.9, 4.4], [0.8, 2.1, 3.7, 0.2]])
OUTSIDE = np.array([[-0.6, 1.2, 5.4], [0.8, -1.3, 7.7]])
TURN = np.array([[0.9, -0.2], [0.3, 1.1]])
FORK = np.array([[0, 1, 0], [1, 1, 1]])


CALLS = {
    "ndimage along one axis": (
        (GRID, B),
        [
            *[
                lambda x, w, m=m, f=f: f(x, w, axis=0, output=float, mode=m, cval=0.3, origin=1)
                for m in MODES[:5]
                for f in (nd.correlate1d, nd.convolve1d)
            ],
            *[
                lambda x, w, m=m, f=f: f(x, w[:2], mode=m, origin=-1)
                for m in MODES[5:]
                for f in (nd.correlate1d, nd.convolve1d)
            ],
            *[
                lambda x, w, m=m: nd.uniform_filter1d(
                    x, 4, axis=0, output=np.float64, mode=m, cval=0.3, origin=1
                )
                for m in MODES[:5]
            ],
            *[
                lambda x, w, m=m, o=o: nd.gaussian_filter1d(
                    x, 0.8, axis=0, order=o, output=None, mode=m, cval=0.3, truncate=3.0
                )
                for m in MODES[:5]
                for o in (0, 1, 2, 3)
            ],
            lambda x, w: nd.gaussian_filter1d(x, 0.8, radius=2),
            refused(lambda x, w: nd.generic_filter1d(x, lambda a, b: None, 3)),
            lambda x, w: nd.minimum_filter1d(x, 3),
            lambda x, w: nd.maximum_filter1d(x, 3, axis=0),
            lambda x, w: nd.correlate1d(x, w, 0, None, "constant", w[0]),
            lambda x, w: nd.correlate1d(x, w, output="float64"),
        ],
    ),
    "ndimage in all axes": (
        (GRID, SMALL),
        [
            *[
                lambda x, w, m=m, f=f: f(x, w, output=float, mode=m, cval=0.3, origin=(1, -1))
                for m in MODES
                for f in (nd.correlate, nd.convolve)
            ],
            *[lambda x, w, f=f: f(x, w[0], axes=(1,)) for f in (nd.correlate, nd.convolve)],
            *[lambda x, w, f=f: f(x, w, axes=(1, 0)) for f in (nd.correlate, nd.convolve)],
            *[lambda x, w, f=f: f(x, w, axes=(0, 1)) for f in (nd.correlate, nd.convolve)],
            *[lambda x, w, f=f: f(x, w, origin=-1) for f in (nd.correlate, nd.convolve)],
            *[
                lambda x, w, m=m: nd.uniform_filter(
                    x, size=(3, 2), output=float, mode=m, cval=0.3, origin=(1, 0)
                )
                for m in MODES
            ],
            lambda x, w: nd.uniform_filter(x, 2, axes=(1,)),
            lambda x, w: nd.uniform_filter(x, (3, 2), mode=("wrap", "nearest"), axes=(1, 0)),
            *[
                lambda x, w, m=m: nd.gaussian_filter(
                    x, sigma=(0.8, 0.5), order=(0, 1), output=float, mode=m, cval=0.3, truncate=3.0
                )
                for m in MODES
            ],
            lambda x, w: nd.gaussian_filter(x, 0.8, radius=(2, 1)),
            lambda x, w: nd.gaussian_filter(x, 0.8, axes=(1,)),
            lambda x, w: nd.gaussian_filter(x, (0.8, 0.4), mode=("wrap", "nearest"), axes=(1, 0)),
            lambda x, w: nd.gaussian_filter(x, w[0] ** 2 + 0.5),
            lambda x, w: nd.gaussian_filter(x, 0.8, 2),
            *[
                lambda x, w, m=m, f=f: f(x, axis=0, output=float, mode=m, cval=0.3)
                for m in MODES
                for f in (nd.sobel, nd.prewitt)
            ],
            *[lambda x, w, f=f: f(x, mode=("wrap", "nearest")) for f in (nd.sobel, nd.prewitt)],
            *[lambda x, w, m=m: nd.laplace(x, output=float, mode=m, cval=0.3) for m in MODES],
            lambda x, w: nd.laplace(x, mode=("wrap", "nearest")),
            lambda x, w: nd.laplace(x, axes=(0,)),
            *[
                lambda x, w, m=m, f=f: f(x, 0.8, output=float, mode=m, cval=0.3)
                for m in MODES
                for f in (nd.gaussian_laplace, nd.gaussian_gradient_magnitude)
            ],
            *[
                lambda x, w, f=f: f(x, (0.8, 0.5), mode=("wrap", "nearest"))
                for f in (nd.gaussian_laplace, nd.gaussian_gradient_magnitude)
            ],
            *[
                lambda x, w, f=f: f(x, 0.8, axes=(1,), truncate=3.0)
                for f in (nd.gaussian_laplace, nd.gaussian_gradient_magnitude)
            ],
            *[
                lambda x, w, f=f: f(x, 0.8, axes=1, radius=2)
                for f in (nd.gaussian_laplace, nd.gaussian_gradient_magnitude)
            ],
            lambda x, w: nd.generic_laplace(x, lambda *a: a[0]),
            refused(lambda x, w: nd.generic_gradient_magnitude(x, nd.sobel)),
            lambda x, w: nd.morphological_gradient(x, 3),
            lambda x, w: nd.grey_erosion(x, 3),
            lambda x, w: nd.white_tophat(x, 3),
            refused(lambda x, w: nd.vectorized_filter(x, np.mean, size=2)),
            lambda x, w: nd.generic_filter(x, np.mean, 2),
            lambda x, w: nd.fourier_gaussian(x, 1.0),
            lambda x, w: nd.fourier_shift(x, 1.0),
        ],
    ),
    "ndimage order statistics": (
        (GRID,),
        [
            *[
                lambda x, m=m, f=f: f(x, size=(3, 2), output=float, mode=m, cval=0.3, origin=(1, 0))
                for m in MODES[:5]
                for f in (nd.maximum_filter, nd.minimum_filter, nd.median_filter)
            ],
            *[
                lambda x, f=f: f(x, footprint=[[0, 1, 0], [1, 1, 1]], mode="nearest", origin=0)
                for f in (nd.maximum_filter, nd.minimum_filter, nd.median_filter)
            ],
            *[
                lambda x, f=f: f(x, 3, axes=(0,))
                for f in (nd.maximum_filter, nd.minimum_filter, nd.median_filter)
            ],
            *[
                lambda x, f=f: f(x, (2, 3), axes=(1, 0))
                for f in (nd.maximum_filter, nd.minimum_filter, nd.median_filter)
            ],
            *[
                lambda x, f=f: f(x, footprint=np.ones((1, 2)), axes=(0, 1))
                for f in (nd.maximum_filter, nd.minimum_filter, nd.median_filter)
            ],
            *[
                lambda x, f=f: f(x, 3, mode=("wrap", "nearest"))
                for f in (nd.maximum_filter, nd.minimum_filter)
            ],
            lambda x: nd.percentile_filter(x, 30, 3),
            lambda x: nd.rank_filter(x, 2, 3),
            *[
                lambda x, m=m, f=f, r=r: f(
                    x, r, size=(3, 2), output=float, mode=m, cval=0.3, origin=(1, 0)
                )
                for m in MODES[:5]
                for f, r in ((nd.percentile_filter, 40), (nd.rank_filter, -2))
            ],
            *[
                lambda x, m=m: nd.percentile_filter(
                    x, -20, footprint=FORK, output=float, mode=m, cval=0.3, axes=(1, 0)
                )
                for m in MODES[:5]
            ],
            *[
                lambda x, m=m: nd.rank_filter(
                    x, 1, footprint=FORK, output=float, mode=m, cval=0.3, origin=0, axes=(0, 1)
                )
                for m in MODES[:5]
            ],
            *[
                lambda x, m=m: nd.generic_filter(
                    x, np.prod, size=2, output=float, mode=m, cval=0.3, origin=-1, axes=(1,)
                )
                for m in MODES[:5]
            ],
            lambda x: nd.generic_filter(
                x,
                lambda v, p, q: p * np.sum(v**2) + q,
                footprint=FORK,
                output=None,
                extra_arguments=(2.0,),
                extra_keywords={"q": 0.5},
                axes=(0, 1),
            ),
        ],
    ),
    "ndimage coordinates": (
        (GRID, CORNERS),
        [
            *[
                lambda x, c, m=m, o=o: nd.map_coordinates(
                    x, c, output=float, order=o, mode=m, cval=0.3
                )
                for m in MODES
                for o in (1, 2, 3)
            ],
            *[
                lambda x, c, o=o: nd.map_coordinates(x, c, order=o, prefilter=False)
                for o in range(6)
            ],
            *[
                lambda x, c, m=m, o=o: nd.map_coordinates(x, OUTSIDE, order=o, mode=m, cval=0.3)
                for m in MODES
                for o in (0, 1, 3)
            ],
            *[
                lambda x, c, m=m, o=o: nd.shift(x, c[:, 0], output=float, order=o, mode=m, cval=0.3)
                for m in MODES
                for o in (1, 3)
            ],
            lambda x, c: nd.shift(x, c[0, 0], prefilter=False),
            lambda x, c: nd.shift(x, (1, -1), order=0),
            *[
                lambda x, c, m=m: nd.zoom(x, (1.7, 0.6), output=float, order=2, mode=m, cval=0.3)
                for m in MODES
            ],
            lambda x, c: nd.zoom(x, 1.7, prefilter=False),
            lambda x, c: nd.zoom(x, 1.7, order=0),
            *[
                lambda x, c, m=m: nd.zoom(x, 1.7, mode=m, grid_mode=True)
                for m in ("nearest", "grid-constant", "grid-wrap")
            ],
            *[
                lambda x, c, m=m: nd.rotate(
                    x, 20.0, axes=(0, 1), reshape=True, output=float, order=2, mode=m, cval=0.3
                )
                for m in MODES[:5]
            ],
            lambda x, c: nd.rotate(x, 20.0, reshape=False, prefilter=False),
            lambda x, c: nd.rotate(x, 90.0, order=1),
            *[
                lambda x, c, m=m: nd.affine_transform(
                    x,
                    TURN,
                    offset=0.3,
                    output_shape=(4, 3),
                    output=float,
                    order=3,
                    mode=m,
                    cval=0.3,
                )
                for m in MODES
            ],
            lambda x, c: nd.affine_transform(x, TURN * c[:2, :2], offset=c[:, 2], prefilter=False),
            lambda x, c: nd.affine_transform(x, np.array([0.9, 1.1]), offset=(0.2, 0.1), order=1),
            lambda x, c: nd.affine_transform(x, np.eye(3)[:2] * 1.1, order=1),
            lambda x, c: nd.geometric_transform(x, lambda p: p),
            *[
                lambda x, c, m=m, o=o: nd.spline_filter(x, order=o, output=float, mode=m)
                for m in ("mirror", "reflect", "grid-wrap")
                for o in (2, 3, 4, 5)
            ],
            *[
                lambda x, c, m=m, o=o: nd.spline_filter1d(x, order=o, axis=0, output=float, mode=m)
                for m in ("mirror", "reflect", "grid-wrap")
                for o in (2, 3)
            ],
            lambda x, c: nd.spline_filter1d(x, order=1),
            lambda x, c: nd.spline_filter1d(x, mode="nearest"),
        ],
    ),
    "ndimage labels": (
        (GRID**2,),
        [
            lambda x: nd.center_of_mass(x),
            lambda x: nd.center_of_mass(x, x > 0.5),
            lambda x: nd.center_of_mass(x, np.arange(30).reshape(5, 6) // 10, 1),
            lambda x: nd.center_of_mass(x, np.arange(30).reshape(5, 6) // 10, [1, 2]),
            lambda x: x * nd.label(x > 0.5, structure=np.ones((3, 3)), output=int)[0],
            lambda x: nd.sum_labels(x),
            lambda x: nd.mean(x),
            lambda x: nd.variance(x),
            lambda x: nd.standard_deviation(x),
            lambda x: nd.maximum(x),
            lambda x: nd.minimum(x),
            lambda x: nd.median(x),
            lambda x: nd.extrema(x)[:2],
            refused(lambda x: nd.maximum_position(x)),
            refused(lambda x: nd.histogram(x, 0, 1, 3)),
            refused(lambda x: nd.labeled_comprehension(x, None, None, np.mean, float, 0)),
            lambda x: nd.distance_transform_edt(x > 0.5) + 0 * x,
            lambda x: nd.binary_erosion(x > 0.5) * x,
            lambda x: nd.find_objects(np.asarray(x > 0.5, int))[0][0].start + 0 * x,
        ],
    ),
}
