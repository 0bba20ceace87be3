"""Calls of interpolation by one polynomial or by radial functions, and of density estimates."""

import numpy as np
import scipy.interpolate as si
import scipy.stats as st
from scipy import special
from scipy.spatial import Delaunay

from .checking import SCIPY, refused

RNG = np.random.default_rng(12)
X = np.array([-1.1, -0.2, 0.4, 1.3, 2.1])
Y = RNG.normal(size=5)
AT = np.array([-0.8, 0.1, 0.9, 1.9])
COLUMNS = RNG.normal(size=(2, 5, 3))
TWICE = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
DATA = RNG.normal(size=(2, 9))
POINTS = RNG.normal(size=(2, 4))
WEIGHTS = RNG.uniform(0.5, 1.5, size=9)
KROGH = si.KroghInterpolator(X, COLUMNS, axis=1)
BARYCENTRIC = si.BarycentricInterpolator(X, COLUMNS, axis=1)
WITHOUT = si.BarycentricInterpolator(X)
PLANE = RNG.uniform(-1.0, 1.0, size=(9, 2))
HEIGHTS = RNG.normal(size=(9, 2))
WHERE = RNG.uniform(-1.0, 1.0, size=(4, 2))
RADIAL = si.RBFInterpolator(PLANE, HEIGHTS * (1 + 1j), smoothing=0.1)
OLDER = si.Rbf(PLANE[:, 0], PLANE[:, 1], HEIGHTS[:, 0], function="cubic", smooth=0.1)
RULES = ("multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate")
KDE = st.gaussian_kde(DATA, "silverman", WEIGHTS)


def with_more(x, y):
    interpolant = si.BarycentricInterpolator(x[:3], y[:3])
    interpolant.add_xi(x[3:], y[3:])
    return interpolant


def with_values(x, y, axis=None):
    interpolant = si.BarycentricInterpolator(x)
    interpolant.set_yi(y, axis=axis)
    return interpolant


def bell(r):
    return np.exp(-(r**2) / 3.0)


def of_object(self, r):
    return np.sqrt(r**2 + self.epsilon * self.extra)


def narrower(kde, *methods):
    for method in methods:
        kde.set_bandwidth(bw_method=method)
    return kde


CLOUD = RNG.uniform(0.0, 1.0, size=(14, 2))
SPACE = RNG.uniform(0.0, 1.0, size=(12, 3))
VALUES = np.sin(3 * CLOUD[:, 0]) + CLOUD[:, 1] ** 2
INSIDE = np.array([[0.4, 0.5], [0.5, 0.45], [0.62, 0.55]])
OUTSIDE = np.array([[3.0, 0.5]])
TRIANGLES = Delaunay(CLOUD)
LINEAR = si.LinearNDInterpolator(CLOUD, VALUES, rescale=True)
NEAREST = si.NearestNDInterpolator(CLOUD, VALUES, rescale=True)
SMOOTH = si.CloughTocher2DInterpolator(CLOUD, np.stack([VALUES, CLOUD[:, 0] ** 3], axis=1))


def just_outside(points):
    """Beside the hull, nearer than the steps of finite differences are small against."""
    first, second = points[Delaunay(CLOUD).convex_hull[0]]
    middle, way = (first + second) / 2, second - first
    outwards = np.array([way[1], -way[0]]) / np.sqrt(np.sum(way**2))
    side = np.sign(np.sum(outwards * (np.mean(CLOUD, axis=0) - middle)))
    return (middle - 1e-4 * side * outwards)[None]


CALLS = {
    "between scattered points": (
        (CLOUD, VALUES, INSIDE),
        [
            lambda p, v, x: si.LinearNDInterpolator(p, v)(x),
            lambda p, v, x: si.LinearNDInterpolator(p, v, fill_value=v[0], rescale=True)(
                np.concatenate((x, OUTSIDE))
            ),
            lambda p, v, x: si.LinearNDInterpolator((p[:, 0], p[:, 1]), v)(x[:, 0], x[:, 1]),
            lambda p, v, x: si.LinearNDInterpolator(Delaunay(p), np.stack([v, v**2], axis=1))(x),
            lambda p, v, x: si.LinearNDInterpolator(TRIANGLES, v)(x[None]),
            lambda p, v, x: si.LinearNDInterpolator(TRIANGLES, v * (1 + 2j))(x).real,
            lambda p, v, x: si.LinearNDInterpolator(SPACE, v[:12])(
                np.mean(SPACE) + 0.1 * np.concatenate((x[0], x[1, :1]))
            ),
            lambda p, v, x: LINEAR(x),
            lambda p, v, x: si.NearestNDInterpolator(p, v)(x),
            lambda p, v, x: si.NearestNDInterpolator(x=p, y=v, rescale=True, tree_options={})(
                x, distance_upper_bound=5.0
            ),
            lambda p, v, x: NEAREST(x),
            lambda p, v, x: si.griddata(p, v, x),
            lambda p, v, x: si.griddata(p, v, x, method="nearest", rescale=True),
            lambda p, v, x: si.griddata(
                (p[:, 0], p[:, 1]), v, (x[:, 0], x[:, 1]), fill_value=0.5, rescale=False
            ),
            lambda p, v, x: si.griddata(p[:, 0], v, x[:, 0]),
            lambda p, v, x: si.griddata(p[:, 0], v, x[:, 0], "cubic"),
            lambda p, v, x: si.griddata((p[:, 0],), v, x[:, 0], "nearest", fill_value=1.0),
            *(
                [
                    lambda p, v, x: si.griddata(p, v, just_outside(p), simplex_tolerance=1e11),
                    lambda p, v, x: si.griddata(p, v, x, "nearest", simplex_tolerance=1e11),
                    lambda p, v, x: si.griddata(p[:, 0], v, x[:, 0], simplex_tolerance=1e11),
                    lambda p, v, x: si.LinearNDInterpolator(p, v, rescale=True)(
                        just_outside(p), simplex_tolerance=1e11
                    ),
                ]
                if SCIPY >= (1, 18)
                else []
            ),
            refused(lambda p, v, x: si.CloughTocher2DInterpolator(p, v)(x)),
            refused(lambda p, v, x: si.CloughTocher2DInterpolator(CLOUD, v * 1j)(x).imag),
        ],
    ),
    "smooth between scattered points": (
        (VALUES, INSIDE),
        [
            lambda v, x: si.CloughTocher2DInterpolator(CLOUD, v, tol=1e-12)(x),
            lambda v, x: si.CloughTocher2DInterpolator(
                CLOUD,
                np.stack([v, v**2], axis=1),
                fill_value=v[0],
                tol=1e-12,
                maxiter=900,
                rescale=True,
            )(np.concatenate((x, OUTSIDE))),
            lambda v, x: SMOOTH(x[:, 0], x[:, 1]),
            lambda v, x: si.griddata(CLOUD, v, x, "cubic")[0] * 1e-6,
            *(
                [
                    lambda v, x: (
                        si.griddata(CLOUD, v, just_outside(CLOUD), "cubic", simplex_tolerance=1e11)
                        * 1e-6
                    )
                ]
                if SCIPY >= (1, 18)
                else []
            ),
        ],
    ),
    "polynomials": (
        (X, Y, AT),
        [
            *[
                lambda x, y, at, f=f: f(x, y)(at)
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
            ],
            *[
                lambda x, y, at, f=f: f(x, y)(at[1])
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
            ],
            *[
                lambda x, y, at, f=f: f(xi=x, yi=y * COLUMNS[0].T, axis=1)(x=at[:, None])
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
            ],
            *[
                lambda x, y, at, f=f, d=d: f(x, y).derivative(at, der=d)
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
                for d in (0, 1, 2, 6)
            ],
            *[
                lambda x, y, at, f=f, d=d: f(x, y[:, None] * COLUMNS, axis=1).derivatives(at, der=d)
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
                for d in (None, 3)
            ],
            *[
                lambda x, y, at, f=f: f(x, y).derivatives(at[0])
                for f in (si.KroghInterpolator, si.BarycentricInterpolator)
            ],
            *[
                lambda x, y, at, f=f, d=d: f(xi=x, yi=y[:, None] * COLUMNS, x=at, der=d, axis=1)
                for f in (si.krogh_interpolate, si.barycentric_interpolate)
                for d in (0, 2, [0, 2])
            ],
            lambda x, y, at: np.real(si.KroghInterpolator(X, y * (1 + 2j))(at)),
            lambda x, y, at: np.imag(si.BarycentricInterpolator(x, y * (1 + 2j))(at)),
            lambda x, y, at: si.BarycentricInterpolator(x, y)(x * 1.0),
            lambda x, y, at: si.BarycentricInterpolator(X, y)(X) * at[0],
            lambda x, y, at: si.BarycentricInterpolator(x, y, rng=1)(at),
            lambda x, y, at: si.BarycentricInterpolator(x, y, random_state=1)(at),
            lambda x, y, at: si.barycentric_interpolate(x, y, at, rng=1),
            lambda x, y, at: si.BarycentricInterpolator(X, y, wi=2.0 * WITHOUT.wi)(at),
            refused(lambda x, y, at: si.BarycentricInterpolator(x, y, wi=np.ones(5))(at)),
            lambda x, y, at: with_more(x, y)(at),
            lambda x, y, at: with_values(x, y)(at),
            lambda x, y, at: with_values(x, y * np.ones((2, 1)), 1)(at),
            lambda x, y, at: KROGH(at) * y[0],
            lambda x, y, at: KROGH.derivative(at),
            lambda x, y, at: BARYCENTRIC(at) * x[0],
            lambda x, y, at: BARYCENTRIC.derivatives(at, 2),
            lambda x, y, at: si.KroghInterpolator(TWICE, y)(at),
            lambda x, y, at: si.KroghInterpolator(x[0] + TWICE, y).derivatives(at, 3),
        ],
    ),
    "radial functions": (
        (PLANE, HEIGHTS, WHERE),
        [
            *[
                lambda y, d, x, k=k: si.RBFInterpolator(y, d, kernel=k)(x)
                for k in ("linear", "thin_plate_spline", "cubic", "quintic")
            ],
            *[
                lambda y, d, x, k=k: si.RBFInterpolator(y, d, kernel=k, epsilon=d[0, 0])(x)
                for k in ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")
            ],
            *[
                lambda y, d, x, n=n, g=g: si.RBFInterpolator(
                    y, d[:, 0], neighbors=n, smoothing=0.1, degree=g
                )(x=x)
                for n, g in ((5, 1), (9, 2), (20, 1))
            ],
            lambda y, d, x: si.RBFInterpolator(y, d, neighbors=1, kernel="linear")(x),
            lambda y, d, x: si.RBFInterpolator(y=y, d=d, smoothing=d[:, 0] ** 2, degree=2)(x),
            lambda y, d, x: si.RBFInterpolator(y, d, smoothing=x[0, 0] ** 2)(x),
            lambda y, d, x: np.imag(si.RBFInterpolator(y, d[:, :1] * (1 + 2j), degree=1)(x)),
            lambda y, d, x: si.RBFInterpolator(y[:, :1], d, kernel="cubic")(x[:, :1]),
            lambda y, d, x: np.real(RADIAL(x)) * d[0, 0],
            *[
                lambda y, d, x, f=f: si.Rbf(y[:, 0], y[:, 1], d[:, 0], function=f)(x[:, 0], x[:, 1])
                for f in (*RULES, bell)
            ],
            lambda y, d, x: si.Rbf(
                y[:, 0], y[:, 1], d, mode="N-D", epsilon=d[0, 0] ** 2 + 1, smooth=d[1, 0]
            )(x[:, 0], x[:, 1]),
            lambda y, d, x: si.Rbf(y[:, 0], y[:, 1], d[:, 0], function=of_object, extra=0.1)(
                x[:, 0], x[:, 1]
            ),
            lambda y, d, x: si.Rbf(y[:, 0], y[:, 1], d[:, 0], norm="cityblock")(x[:, 0], x[:, 1]),
            refused(
                lambda y, d, x: si.Rbf(y[:, 0], d[:, 0], norm=lambda a, b: np.abs(a[0] - b[0]))(
                    x[:, 0]
                )
            ),
            lambda y, d, x: OLDER(x[:, 0], x[:, 1]) * d[0, 0],
        ],
    ),
    "spherical harmonics": (
        (np.array([0.1, 0.4, 4.0, -0.6]), np.array([0.3, 1.1, 2.5, -0.7])),
        [
            *[
                lambda theta, phi, part=part, n=n: [
                    part(special.sph_harm_y(n, m, theta, phi, diff_n=0)) for m in range(-n, n + 1)
                ]
                for part in (np.real, np.imag)
                for n in (0, 1, 3)
            ],
            lambda theta, phi: np.real(special.sph_harm_y([[2], [3]], 1, theta, 0.3)) + phi,
            lambda theta, phi: np.imag(special.sph_harm_y(5, -2, 0.7, phi[0])) + theta,
            lambda theta, phi: np.abs(special.sph_harm_y(2, 3, theta, phi)) + phi,
        ],
    ),
    "kernel density": (
        (DATA, POINTS, WEIGHTS),
        [
            *[
                lambda d, p, w, b=b: st.gaussian_kde(dataset=d, bw_method=b, weights=w).evaluate(p)
                for b in (None, "scott", "silverman", 0.4, lambda kde: kde.n**-0.3)
            ],
            *[
                lambda d, p, w, b=b: st.gaussian_kde(d, b).logpdf(p) * w[0]
                for b in (None, "scott", "silverman", 0.4, lambda kde: kde.scotts_factor() / 2)
            ],
            lambda d, p, w: st.gaussian_kde(d, w[0], w).pdf(p),
            lambda d, p, w: st.gaussian_kde(d, w[0], w).logpdf(p),
            lambda d, p, w: st.gaussian_kde(d[0], weights=w)(p[0]),
            lambda d, p, w: st.gaussian_kde(d[0], weights=w).logpdf(p[0, 0]),
            lambda d, p, w: st.gaussian_kde(d, weights=w)(p[:, 0]),
            lambda d, p, w: st.gaussian_kde(d, weights=w).logpdf(p[:, 0]),
            lambda d, p, w: narrower(st.gaussian_kde(d, weights=w), "silverman", None)(p),
            lambda d, p, w: narrower(st.gaussian_kde(d, weights=w), 0.3, w[1])(p),
            lambda d, p, w: KDE(p) * w[0],
            lambda d, p, w: KDE.logpdf(p),
            lambda d, p, w: st.gaussian_kde(d, weights=w).integrate_gaussian(p[:, 0], np.eye(2)),
            lambda d, p, w: st.gaussian_kde(d[0], weights=w).integrate_gaussian(p[0, 0], w[0]),
            lambda d, p, w: st.gaussian_kde(d[0], weights=w).integrate_box_1d(-w[0], p[0, 0] + 3),
            lambda d, p, w: st.gaussian_kde(d, weights=w).integrate_kde(KDE),
            lambda d, p, w: KDE.integrate_kde(st.gaussian_kde(p)),
            lambda d, p, w: st.gaussian_kde(d, weights=w).marginal([1])(p[0]),
            lambda d, p, w: [
                getattr(st.gaussian_kde(d, weights=w), name)
                for name in ("covariance", "factor", "inv_cov", "log_det", "neff", "weights")
            ],
            refused(lambda d, p, w: st.gaussian_kde(d).resample(3, seed=1)),
        ],
    ),
}
