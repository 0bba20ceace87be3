"""Filters and interpolation of images."""

import numpy as np
import pytest
import scipy.ndimage as nd
from scipy.ndimage import gaussian_filter, map_coordinates

import arraygrad as ag

from .checking import check

RNG = np.random.default_rng(13)
IMAGE = RNG.normal(size=(6, 5))
MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]


@pytest.mark.parametrize("mode", MODES)
def test_linear_filters(mode):
    def f(x, w, k, sigma):
        return (
            nd.convolve(x, w, mode=mode, cval=0.3), nd.correlate(x, w, mode=mode, origin=(0, -1)),
            nd.convolve1d(x, k, axis=0, mode=mode), nd.correlate1d(x, k, mode=mode, origin=1),
            gaussian_filter(x, sigma, mode=mode, cval=0.2),
            gaussian_filter(x, (0.4, sigma), (0, 1)),
            nd.gaussian_filter1d(x, sigma, order=2, mode=mode),
            nd.uniform_filter(x, 3, mode=mode), nd.uniform_filter1d(x, 4, mode=mode),
            nd.sobel(x, mode=mode), nd.prewitt(x, 0), nd.laplace(x, mode=mode),
            nd.gaussian_laplace(x, sigma), nd.gaussian_gradient_magnitude(x, sigma),
        )  # fmt: skip

    check(f, IMAGE, RNG.normal(size=(3, 2)), RNG.normal(size=4), 0.8, order=1)
    if mode == "reflect":
        check(f, IMAGE, RNG.normal(size=(3, 2)), RNG.normal(size=4), 0.8)


def test_order_filters():
    def f(x):
        return (
            nd.maximum_filter(x, 3), nd.minimum_filter(x, (2, 3), mode="nearest"),
            nd.median_filter(x, 3), nd.maximum_filter(x, footprint=np.eye(3) > 0),
            nd.center_of_mass(x**2), nd.center_of_mass(x**2, IMAGE > 0, 1),
        )  # fmt: skip

    check(f, IMAGE)


def test_filters_by_rank():
    def f(x):
        return (
            nd.rank_filter(x, 2, 3), nd.rank_filter(x, -3, footprint=np.eye(3), mode="mirror"),
            nd.percentile_filter(x, 30, (3, 2)), nd.percentile_filter(x, -20.0, size=3, origin=1),
            nd.percentile_filter(x, 100, 3),
        )  # fmt: skip

    check(f, IMAGE)
    tracked = ag.tensor(IMAGE, requires_grad=True)
    for name, given in (("rank_filter", 9), ("rank_filter", -10), ("percentile_filter", 101)):
        with pytest.raises(RuntimeError):
            getattr(nd, name)(IMAGE, given, 3)
        with pytest.raises(RuntimeError):
            ag.lift(lambda x, n=name, g=given: getattr(nd, n)(x, g, 3))(tracked)


def test_filters_by_functions_of_the_program():
    def spread(window, power, shift=0.0):
        window -= window.mean()
        return np.sum(np.abs(window) ** power) + shift

    class Counting:
        calls = 0

        def __call__(self, window):
            self.calls += 1
            return np.sort(window)[1] * window[0]

    def f(x):
        counting = Counting()
        return (
            nd.generic_filter(x, spread, 3, extra_arguments=(1.5,), extra_keywords={"shift": 0.2}),
            nd.generic_filter(x, np.median, footprint=np.eye(3), mode="constant", cval=0.3),
            nd.generic_filter(x, counting, size=(2, 3), origin=(0, 1)), counting.calls * x,
        )  # fmt: skip

    check(f, IMAGE, order=1)


@pytest.mark.parametrize("mode", [*MODES, "grid-wrap"])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 5])
def test_sampling(mode, order):
    at = np.array([[0.3, 2.6, 4.2, -0.7, 5.8, 1.1], [1.2, 3.3, 0.4, 2.2, 1.7, -1.3]])

    def f(x, at):
        return map_coordinates(x, at, order=order, mode=mode, cval=0.4)

    check(f, IMAGE, at, order=1)


def test_geometry():
    def f(x, by, angle):
        c, s = np.cos(angle), np.sin(angle)
        m = np.array([[c, -s], [s, c]])
        return (
            nd.shift(x, by), nd.shift(x, [by, -0.3], order=1, mode="nearest"),
            nd.affine_transform(x, m, offset=[0.2, by], mode="mirror"),
            nd.rotate(x, 20 * angle, mode="reflect"),
            nd.rotate(x, 30 * angle, reshape=False, order=1, mode="nearest"),
        )  # fmt: skip

    check(f, IMAGE, 0.7, 0.4)
    check(lambda x: (nd.zoom(x, 1.7), nd.spline_filter(x)), IMAGE)
