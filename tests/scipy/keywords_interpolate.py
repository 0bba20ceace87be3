"""Calls of ``scipy.interpolate`` and ``spatial.distance``: each keyword and documented value."""

import numpy as np
import scipy.interpolate as si
import scipy.spatial.distance as sd
from scipy.sparse.linalg import gmres, spsolve

from .checking import refused

X = np.array([0.0, 0.7, 1.5, 2.1, 3.4, 4.0, 4.9])
Y = np.sin(X) + 0.3 * X
Y2 = np.stack([Y, np.cos(X), (X + 1) ** 2 / 5], axis=1)
AT = np.array([0.31, 1.77, 2.5, 4.4])
OUTSIDE = np.array([-0.45, 0.3, 2.2, 5.8])
RNG = np.random.default_rng(4)
SECOND = np.linspace(0, 3, 6)
VALUES = RNG.normal(size=(7, 6))
POINTS = np.array([[0.3, 0.4], [3.1, 2.2], [1.6, 1.1]])
AWAY = np.array([[-0.3, 0.4], [3.1, 3.2], [5.6, 1.1], [1.0, 1.0]])
SETS = (
    np.random.default_rng(9).uniform(0.2, 1.5, size=(4, 3)),
    np.random.default_rng(8).uniform(0.2, 1.5, size=(3, 3)),
)
SCALES = np.array([0.5, 1.2, 0.8])
METRICS = ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine",
           "euclidean", "jensenshannon", "minkowski", "seuclidean", "sqeuclidean",
           "mahalanobis")  # fmt: skip
BOOLEAN = ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
KINDS = ("linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous",
         "next", 1, 2, 3, 4, 5)  # fmt: skip
BOUNDARIES = ("not-a-knot", "clamped", "natural", ((1, 0.3), (2, -0.4)), ((2, 0.0), (1, 0.5)))


def closed(y):
    return np.concatenate((y[:-1], y[:1]))


CALLS = {
    "interp1d": (
        (X, Y, AT),
        [
            *[
                lambda x, y, at, k=k: si.interp1d(x, y, kind=k)(at)
                for k in KINDS
                if k not in ("nearest", "nearest-up", "zero", "previous", "next")
            ],
            *[
                lambda x, y, at, k=k: si.interp1d(x, y, kind=k, copy=False)(at)
                for k in ("nearest", "nearest-up", "zero", "previous", "next")
            ],
            *[
                lambda x, y, at, k=k: si.interp1d(x, y, kind=k, bounds_error=False, fill_value=0.7)(
                    at + 1
                )
                for k in KINDS
            ],
            *[
                lambda x, y, at, k=k: si.interp1d(
                    x, y, kind=k, bounds_error=False, fill_value=(0.7, y[0])
                )(OUTSIDE)
                for k in KINDS
            ],
            *[
                lambda x, y, at, k=k: np.nan_to_num(
                    si.interp1d(x, y, kind=k, fill_value="extrapolate")(OUTSIDE)
                )
                for k in KINDS
            ],
            lambda x, y, at: si.interp1d(x[::-1], y[::-1], assume_sorted=False)(at),
            lambda x, y, at: si.interp1d(x, y, assume_sorted=True)(at),
            lambda x, y, at: si.interp1d(x, y, bounds_error=True)(at),
            lambda x, y, at: si.interp1d(x, y, copy=True)(at[0]),
            lambda x, y, at: si.interp1d(x, y).x,
            lambda x, y, at: si.interp1d(x, y).y,
        ],
    ),
    "interp1d, columns": (
        (X, Y2, AT),
        [
            *[lambda x, y, at, k=k: si.interp1d(x, y, axis=0, kind=k)(at) for k in KINDS],
            *[lambda x, y, at, k=k: si.interp1d(x, y.T, kind=k)(at) for k in KINDS],
            lambda x, y, at: si.interp1d(x, y.T, bounds_error=False, fill_value=y[0])(OUTSIDE[::3]),
            lambda x, y, at: si.interp1d(x, y.T, axis=-1)(at.reshape(2, 2)),
        ],
    ),
    "CubicSpline": (
        (X, Y, AT),
        [
            *[lambda x, y, at, b=b: si.CubicSpline(x, y, bc_type=b)(at) for b in BOUNDARIES],
            *[
                lambda x, y, at, b=b: si.CubicSpline(x, y, bc_type=b).derivative()(at)
                for b in BOUNDARIES
            ],
            *[
                lambda x, y, at, b=b: si.CubicSpline(x, y, bc_type=b).antiderivative(2)(at)
                for b in BOUNDARIES
            ],
            *[
                lambda x, y, at, b=b: si.CubicSpline(x, y, bc_type=b).integrate(0.1, at[2])
                for b in BOUNDARIES
            ],
            lambda x, y, at: si.CubicSpline(x, closed(y), bc_type="periodic")(OUTSIDE),
            *[
                lambda x, y, at, e=e: si.CubicSpline(x, y, extrapolate=e)(OUTSIDE[1:3])
                for e in (True, False, None, "periodic")
            ],
            *[
                lambda x, y, at, e=e: si.CubicSpline(x, y, extrapolate=e)(OUTSIDE)
                for e in (True, "periodic")
            ],
            lambda x, y, at: si.CubicSpline(x, y)(OUTSIDE, extrapolate=True),
            lambda x, y, at: si.CubicSpline(x, y)(OUTSIDE[1:3], 0, False),
            *[lambda x, y, at, n=n: si.CubicSpline(x, y)(at, nu=n) for n in (0, 1, 2, 3, 4)],
            lambda x, y, at: si.CubicSpline(x, y - 1).roots(),
            lambda x, y, at: si.CubicSpline(x, y - 1).roots(discontinuity=False, extrapolate=False),
            lambda x, y, at: si.CubicSpline(x, y).solve(0.8),
            lambda x, y, at: si.CubicSpline(x, y).solve(at[0], extrapolate=False),
            lambda x, y, at: si.CubicSpline(x, y).derivative().roots(extrapolate=False),
            lambda x, y, at: si.CubicSpline(x, y).c,
            lambda x, y, at: si.CubicSpline(x, y).x,
            lambda x, y, at: si.CubicSpline(x, y).integrate(-0.5, 5.5, extrapolate=True),
            lambda x, y, at: si.CubicSpline(x, closed(y), bc_type="periodic").integrate(-0.5, 5.5),
            lambda x, y, at: si.CubicSpline(x, y).derivative(nu=2)(at),
            lambda x, y, at: si.CubicSpline(x, y).antiderivative(nu=1)(at),
        ],
    ),
    "CubicSpline, columns": (
        (X, Y2, AT),
        [
            *[
                lambda x, y, at, b=b: si.CubicSpline(x, y, axis=0, bc_type=b)(at)
                for b in ("not-a-knot", "clamped", "natural")
            ],
            lambda x, y, at: si.CubicSpline(x, y.T, axis=-1)(at),
            lambda x, y, at: si.CubicSpline(x, y, bc_type=((1, y[0]), (2, y[1])))(at),
            lambda x, y, at: si.CubicSpline(x, y).integrate(0.1, 2.0),
            lambda x, y, at: si.PchipInterpolator(x, y.T, axis=1)(at),
            lambda x, y, at: si.Akima1DInterpolator(x, y.T, axis=1)(at),
            lambda x, y, at: si.CubicHermiteSpline(x, y.T, 2 * y.T, axis=1)(at),
            lambda x, y, at: si.make_interp_spline(x, y.T, axis=1)(at),
        ],
    ),
    "PchipInterpolator": (
        (X, Y, AT),
        [
            lambda x, y, at: si.PchipInterpolator(x, y)(at),
            *[
                lambda x, y, at, e=e: si.PchipInterpolator(x, y, extrapolate=e)(OUTSIDE)
                for e in (True, None)
            ],
            lambda x, y, at: si.PchipInterpolator(x, y, extrapolate=False)(at),
            lambda x, y, at: si.PchipInterpolator(x, y).derivative()(at),
            lambda x, y, at: si.PchipInterpolator(x, y).antiderivative()(at),
            lambda x, y, at: si.PchipInterpolator(x, y).integrate(0.1, 2.0),
            lambda x, y, at: si.PchipInterpolator(x, y - 1).roots(),
            *[lambda x, y, at, d=d: si.pchip_interpolate(x, y, at, der=d) for d in (0, 1, 2)],
            lambda x, y, at: si.pchip_interpolate(x, np.stack((y, 2 * y)), at, axis=1),
            lambda x, y, at: si.pchip_interpolate(x, y, at, der=[0, 1]),
        ],
    ),
    "Akima1DInterpolator": (
        (X, Y, AT),
        [
            *[
                lambda x, y, at, m=m: si.Akima1DInterpolator(x, y, method=m)(at)
                for m in ("akima", "makima")
            ],
            lambda x, y, at: si.Akima1DInterpolator(x, y, extrapolate=True)(OUTSIDE),
            lambda x, y, at: si.Akima1DInterpolator(x, y, extrapolate=False)(at),
            lambda x, y, at: si.Akima1DInterpolator(x, y, extrapolate=None)(at),
            lambda x, y, at: si.Akima1DInterpolator(x, y).derivative()(at),
            lambda x, y, at: si.Akima1DInterpolator(x, y).integrate(0.1, 2.0),
            lambda x, y, at: si.Akima1DInterpolator(x, y - 1).roots(),
        ],
    ),
    "CubicHermiteSpline and PPoly": (
        (X, Y, AT),
        [
            lambda x, y, at: si.CubicHermiteSpline(x, y, y**2)(at),
            *[
                lambda x, y, at, e=e: si.CubicHermiteSpline(x, y, y**2, extrapolate=e)(OUTSIDE)
                for e in (True, "periodic")
            ],
            lambda x, y, at: si.PPoly(np.stack((y[1:], y[:-1])), x)(at),
            lambda x, y, at: si.PPoly(c=np.stack((y[1:], y[:-1])), x=x, extrapolate="periodic")(
                OUTSIDE
            ),
            lambda x, y, at: si.PPoly(
                np.stack((y[1:], y[:-1]))[..., None] * y[:2], x, extrapolate=True, axis=0
            )(at),
            lambda x, y, at: si.PPoly(y[None, None, :-1] * at[:2, None, None], x, axis=1)(at),
            lambda x, y, at: si.PPoly.from_spline(si.splrep(x, y))(at),
            refused(lambda x, y, at: si.BPoly(np.stack((y[1:], y[:-1])), x)(at)),
            lambda x, y, at: si.PPoly.construct_fast(np.stack((y[1:], y[:-1])), x)(at),
            lambda x, y, at: si.BarycentricInterpolator(x, y)(at),
            lambda x, y, at: si.KroghInterpolator(x, y)(at),
            lambda x, y, at: si.barycentric_interpolate(x, y, at),
            lambda x, y, at: si.krogh_interpolate(x, y, at),
        ],
    ),
    "BSpline": (
        (X, Y, AT),
        [
            *[
                lambda x, y, at, b=b: si.make_interp_spline(x, y, bc_type=b)(at)
                for b in (None, "natural", "clamped", "not-a-knot", ([(1, 0.3)], [(2, 0.1)]))
            ],
            lambda x, y, at: si.make_interp_spline(x, closed(y), bc_type="periodic")(at),
            *[
                lambda x, y, at, k=k: si.make_interp_spline(x, y, k=k)(at)
                for k in (0, 1, 2, 3, 4, 5)
            ],
            lambda x, y, at: si.make_interp_spline(x, y, check_finite=False)(at),
            lambda x, y, at: si.make_interp_spline(
                X, y, k=2, t=np.array([0.0, 0, 0, 1.0, 1.8, 2.8, 3.7, 4.9, 4.9, 4.9])
            )(at),
            lambda x, y, at: si.BSpline([0.0, 0, 0, 1.0, 2.0, 4.9, 4.9, 4.9], y[:5], 2)(at),
            lambda x, y, at: si.BSpline(np.concatenate((x[:1], x[:1], x, x[-1:])), y, 2)(at[:2]),
            *[
                lambda x, y, at, e=e: si.BSpline(t=x, c=y[:4], k=2, extrapolate=e)(OUTSIDE[2:3])
                for e in (True, False, "periodic")
            ],
            *[
                lambda x, y, at, e=e: si.BSpline(x, y[:4], 2, extrapolate=e)(OUTSIDE)
                for e in (True, "periodic")
            ],
            lambda x, y, at: si.BSpline(x, y[:2, None] * y[:4], 2, axis=1)(at[1:3]),
            lambda x, y, at: si.make_interp_spline(x, y)(at, nu=2),
            lambda x, y, at: si.make_interp_spline(x, y)(OUTSIDE, extrapolate=True),
            lambda x, y, at: si.make_interp_spline(x, y).derivative(2)(at),
            lambda x, y, at: si.make_interp_spline(x, y).antiderivative()(at),
            lambda x, y, at: si.make_interp_spline(x, y).integrate(0.1, at[1]),
            lambda x, y, at: si.make_interp_spline(x, y).integrate(-0.5, 6.0, extrapolate=True),
            lambda x, y, at: si.make_interp_spline(x, y).c,
            lambda x, y, at: si.make_interp_spline(x, y).t,
            refused(
                lambda x, y, at: si.BSpline.design_matrix(
                    at, [0.0, 0, 0, 1.0, 4.9, 4.9, 4.9], 2
                ).toarray()
            ),
            lambda x, y, at: si.make_lsq_spline(
                X, y, [0.0, 0, 0, 0, 2.0, 4.9, 4.9, 4.9, 4.9], method="qr"
            )(at),
            lambda x, y, at: si.make_lsq_spline(
                X, y, [0.0, 0, 0, 4.9, 4.9, 4.9], k=2, w=1 + y**2, check_finite=False
            )(at),
            lambda x, y, at: si.make_lsq_spline(
                X, y * np.ones((2, 1)), [0.0, 0, 0, 4.9, 4.9, 4.9], k=2, axis=1
            )(at),
            lambda x, y, at: si.make_smoothing_spline(x, y, lam=0.1)(at),
        ],
    ),
    "splrep and splev": (
        (X, Y, AT),
        [
            *[lambda x, y, at, k=k: si.splev(at, si.splrep(x, y, k=k)) for k in (1, 2, 3, 4, 5)],
            lambda x, y, at: si.splev(at, si.splrep(x, y, s=0)),
            lambda x, y, at: si.splev(at, si.splrep(x, y, w=np.ones(7), s=0)),
            lambda x, y, at: si.splev(at, si.splrep(X, y, xb=0.0, xe=4.9)),
            lambda x, y, at: si.splev(at, si.splrep(x, y, xb=-0.5, xe=5.9)),
            lambda x, y, at: si.splev(at, si.splrep(x, y, task=0, quiet=1)),
            lambda x, y, at: si.splev(at, si.splrep(x, y, full_output=1)[0]),
            lambda x, y, at: si.splev(at, si.splrep(x, y, task=-1, t=[1.0, 2.5])),
            lambda x, y, at: si.splev(at, si.splrep(x, closed(y), per=True)),
            lambda x, y, at: si.splev(at, si.splrep(x, y, s=0.3)),
            *[lambda x, y, at, d=d: si.splev(at, si.splrep(x, y), der=d) for d in (0, 1, 2, 3)],
            *[lambda x, y, at, e=e: si.splev(OUTSIDE, si.splrep(x, y), ext=e) for e in (0, 1, 3)],
            lambda x, y, at: si.splev(at, si.splrep(x, y), ext=2),
            lambda x, y, at: si.splint(0.1, at[1], si.splrep(x, y)),
            lambda x, y, at: si.splint(0.1, 2.0, si.splrep(x, y), full_output=1)[0],
            lambda x, y, at: si.splev(at, si.splder(si.splrep(x, y))),
            lambda x, y, at: si.splev(at, si.splantider(si.splrep(x, y))),
            lambda x, y, at: si.sproot(si.splrep(x, y - 1)),
            lambda x, y, at: si.spalde(1.0, si.splrep(x, y)),
            lambda x, y, at: si.splev(at[0], si.splprep([x, y], s=0)[0])[0],
            lambda x, y, at: si.splev(at, si.make_interp_spline(x, y)),
            lambda x, y, at: si.splrep(x, y)[1],
        ],
    ),
    "UnivariateSpline": (
        (X, Y, AT),
        [
            *[
                lambda x, y, at, k=k: si.UnivariateSpline(x, y, k=k, s=0)(at)
                for k in (1, 2, 3, 4, 5)
            ],
            *[
                lambda x, y, at, e=e: si.UnivariateSpline(x, y, s=0, ext=e)(OUTSIDE)
                for e in (0, 1, 3, "extrapolate", "zeros", "const")
            ],
            *[
                lambda x, y, at, e=e: si.UnivariateSpline(x, y, s=0, ext=e)(at)
                for e in (2, "raise")
            ],
            lambda x, y, at: si.UnivariateSpline(x, y, w=np.ones(7), s=0, check_finite=True)(at),
            lambda x, y, at: si.UnivariateSpline(X, y, s=0, bbox=[0.0, 4.9])(at),
            lambda x, y, at: si.UnivariateSpline(x, y, s=0, bbox=[-0.3, None])(at),
            lambda x, y, at: si.UnivariateSpline(x, y, s=0.2)(at),
            lambda x, y, at: si.UnivariateSpline(x, y)(at),
            lambda x, y, at: si.UnivariateSpline(x, y - 1, s=0).roots(),
            lambda x, y, at: si.UnivariateSpline(x, y, s=0).derivative(2)(at),
            lambda x, y, at: si.UnivariateSpline(x, y, s=0).integral(0.1, 2.0),
            *[
                lambda x, y, at, k=k: si.InterpolatedUnivariateSpline(x, y, k=k)(at)
                for k in (1, 2, 3, 4, 5)
            ],
            lambda x, y, at: si.InterpolatedUnivariateSpline(x, y, w=np.ones(7), check_finite=True)(
                at
            ),
            lambda x, y, at: si.InterpolatedUnivariateSpline(X, y, bbox=[0.0, 4.9])(at),
            *[
                lambda x, y, at, e=e: si.InterpolatedUnivariateSpline(x, y, ext=e)(OUTSIDE)
                for e in (0, 1, 3)
            ],
            lambda x, y, at: si.LSQUnivariateSpline(x, y, [1.0, 2.5])(at),
        ],
    ),
    "RegularGridInterpolator": (
        (VALUES, POINTS),
        [
            *[
                lambda v, at, m=m: si.RegularGridInterpolator((X, SECOND), v, method=m)(at)
                for m in ("linear", "nearest", "pchip")
            ],
            *[
                lambda v, at, m=m: si.RegularGridInterpolator(
                    (X, SECOND), v, method=m, solver=spsolve
                )(at)
                for m in ("slinear", "cubic", "quintic")
            ],
            lambda v, at: si.RegularGridInterpolator(
                (X, SECOND), v, method="slinear", solver=gmres, solver_args={"rtol": 1e-14}
            )(at),
            *[
                lambda v, at, m=m, f=f: si.RegularGridInterpolator(
                    (X, SECOND), v, method=m, bounds_error=False, fill_value=f
                )(AWAY)
                for m in ("linear", "nearest", "pchip")
                for f in (0.4, None)
            ],
            *[
                lambda v, at, m=m, f=f: si.RegularGridInterpolator(
                    (X, SECOND), v, m, bounds_error=False, fill_value=f, solver=spsolve
                )(AWAY)
                for m in ("slinear", "cubic")
                for f in (0.4, None)
            ],
            lambda v, at: si.RegularGridInterpolator((X, SECOND), v)(at, method="nearest"),
            lambda v, at: si.RegularGridInterpolator((X, SECOND), v)(at, "linear"),
            lambda v, at: si.RegularGridInterpolator((X, SECOND), v, bounds_error=True)(
                (at[:, 0], at[:, 1])
            ),
            lambda v, at: si.RegularGridInterpolator((X, SECOND), v[..., None] * v[0, :2])(at),
            lambda v, at: si.RegularGridInterpolator(
                (X, SECOND), v, method="cubic", solver=spsolve
            )(at, nu=(1, 0)),
            lambda v, at: si.RegularGridInterpolator((X[::-1], SECOND), v)(at),
            lambda v, at: si.interpn((X, SECOND), v, at),
            *[
                lambda v, at, m=m: si.interpn((X, SECOND), v, at, method=m)
                for m in ("linear", "nearest", "slinear", "pchip")
            ],
            refused(lambda v, at: si.interpn((X, SECOND), v, at, method="splinef2d")),
            lambda v, at: si.interpn((X, SECOND), v, AWAY, bounds_error=False, fill_value=0.4),
            lambda v, at: si.interpn((X, SECOND), v, AWAY, bounds_error=False, fill_value=None),
            lambda v, at: si.RectBivariateSpline(X, SECOND, v).ev(at[:, 0], at[:, 1]),
            lambda v, at: si.RBFInterpolator(at, v[0, :3], degree=1)(AWAY),
            lambda v, at: si.NearestNDInterpolator(at, v[0, :3])(AWAY),
        ],
    ),
    "cdist": (
        SETS,
        [
            *[lambda a, b, m=m: sd.cdist(a, b, m) for m in METRICS[:-1]],
            *[refused(lambda a, b, m=m: sd.cdist(a, b, metric=m)) for m in BOOLEAN],
            *[
                lambda a, b, m=m: sd.cdist(a, b, m, w=SCALES)
                for m in (
                    "braycurtis",
                    "canberra",
                    "chebyshev",
                    "cityblock",
                    "correlation",
                    "cosine",
                    "euclidean",
                    "minkowski",
                    "sqeuclidean",
                )
            ],
            lambda a, b: sd.cdist(a, b, "minkowski", p=3),
            lambda a, b: sd.cdist(a, b, "minkowski", p=np.inf),
            lambda a, b: sd.cdist(a, b, "minkowski", p=1.5, w=b[0]),
            lambda a, b: sd.cdist(a, b, "minkowski", p=0.5),
            lambda a, b: sd.cdist(a, b, "seuclidean", V=SCALES),
            lambda a, b: sd.cdist(a, b, "mahalanobis", VI=np.diag(SCALES)),
            lambda a, b: sd.cdist(a, b, "mahalanobis"),
            lambda a, b: sd.cdist(a, b, lambda u, v: np.sum(np.abs(u - v) ** 3)),
            lambda a, b: sd.cdist(a, b, out=np.empty((4, 3))),
            lambda a, b: sd.cdist(a, b, sd.cityblock),
        ],
    ),
    "pdist": (
        SETS[:1],
        [
            *[lambda a, m=m: sd.pdist(a, m) for m in METRICS],
            *[refused(lambda a, m=m: sd.pdist(a, metric=m)) for m in BOOLEAN],
            *[
                lambda a, m=m: sd.pdist(a, m, w=SCALES)
                for m in (
                    "braycurtis",
                    "canberra",
                    "chebyshev",
                    "cityblock",
                    "correlation",
                    "cosine",
                    "euclidean",
                    "minkowski",
                    "sqeuclidean",
                )
            ],
            lambda a: sd.pdist(a, "minkowski", p=3),
            lambda a: sd.pdist(a, "seuclidean", V=SCALES),
            lambda a: sd.pdist(a, "mahalanobis", VI=np.diag(SCALES)),
            lambda a: sd.pdist(a, lambda u, v: np.sum(np.abs(u - v) ** 3)),
            lambda a: sd.pdist(a, out=np.empty(6)),
            lambda a: sd.squareform(sd.pdist(a)),
            lambda a: sd.squareform(sd.squareform(sd.pdist(a))),
            lambda a: sd.squareform(sd.pdist(a), force="tomatrix"),
            lambda a: sd.squareform(a[:3] @ a[:3].T, force="tovector", checks=False),
            lambda a: sd.squareform(sd.pdist(a), force="no", checks=True),
            refused(lambda a: sd.directed_hausdorff(a, 2 * a)[0]),
        ],
    ),
    "distances of vectors": (
        SETS,
        [
            lambda a, b: sd.braycurtis(a[0], b[0], w=b[1]),
            lambda a, b: sd.canberra(a[0], b[0], w=b[1]),
            lambda a, b: sd.chebyshev(a[0], b[0], w=b[1]),
            lambda a, b: sd.cityblock(a[0], b[0], w=b[1]),
            lambda a, b: sd.correlation(a[0], b[0], w=b[1], centered=True),
            lambda a, b: sd.correlation(a[0], b[0], centered=False),
            lambda a, b: sd.cosine(a[0], b[0], w=b[1]),
            lambda a, b: sd.euclidean(a[0], b[0], w=b[1]),
            lambda a, b: sd.sqeuclidean(a[0], b[0], w=b[1]),
            lambda a, b: sd.minkowski(a[0], b[0], p=3, w=b[1]),
            lambda a, b: sd.minkowski(a[0], b[0], np.inf),
            lambda a, b: sd.jensenshannon(a[0], b[0], base=2.0),
            lambda a, b: sd.jensenshannon(a[:3], b, axis=1),
            lambda a, b: sd.jensenshannon(a[:3], b, axis=0),
            lambda a, b: sd.jensenshannon(a[:3], b, axis=1, keepdims=True),
            lambda a, b: sd.mahalanobis(a[0], b[0], np.diag(SCALES)),
            lambda a, b: sd.seuclidean(a[0], b[0], b[1]),
            refused(lambda a, b: sd.hamming(a[0], b[0])),
            lambda a, b: sd.jaccard(a[0] > 0.5, b[0] > 0.5) + 0 * a[0],
            lambda a, b: sd.dice(a[0] > 0.5, b[0] > 0.5) + 0 * a[0],
        ],
    ),
}
