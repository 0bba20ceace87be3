"""Calls of smoothing splines, FITPACK's functions and splines of two variables."""

import numpy as np
import scipy.interpolate as si

from .checking import SCIPY, refused

X = np.array([0.0, 0.7, 1.5, 2.1, 3.4, 4.0, 4.9, 5.5])
Y = np.array([0.2, 1.1, -0.4, 0.9, 1.6, -0.8, 0.3, 1.2])
AT = np.array([0.31, 1.77, 2.5, 4.4])
WEIGHTS = np.array([1.0, 0.7, 1.3, 0.9, 1.1, 0.8, 1.2, 1.0])
SECOND = np.linspace(0, 3, 6)
GRID = np.random.default_rng(4).normal(size=(8, 6))
FAR = np.array([-0.4, 2.2, 7.8])
CLOUD = np.random.default_rng(5).uniform(0.0, 3.0, size=(40, 2))
SURFACE = si.RectBivariateSpline(X, SECOND, GRID)
SMOOTH = si.SmoothBivariateSpline(*CLOUD.T, CLOUD[:, 0] ** 2, kx=2, ky=3, s=1.0)
FITTED = si.LSQBivariateSpline(*CLOUD.T, CLOUD[:, 0] ** 2, [1.5], [1.4], kx=2, ky=2)
PIECES = si.bisplrep(*CLOUD.T, np.sin(CLOUD[:, 0]), kx=3, ky=2, s=0.2)
PLAIN = si.make_smoothing_spline(X, Y, lam=0.1)


def closed(y):
    return np.concatenate((y[:-1], y[:1]))


def stacked(c):
    return np.stack(c)


CALLS = {
    "make_smoothing_spline": (
        (X, Y, WEIGHTS, AT, 0.3),
        [
            lambda x, y, w, at, lam: si.make_smoothing_spline(x, y, w=w, lam=lam)(at),
            lambda x, y, w, at, lam: si.make_smoothing_spline(x, y, lam=lam).c,
            lambda x, y, w, at, lam: si.make_smoothing_spline(x, y, lam=lam)(at, 1),
            lambda x, y, w, at, lam: si.make_smoothing_spline(x[:5], y[:5], lam=1e-4)(at),
            lambda x, y, w, at, lam: si.make_smoothing_spline(X, Y, lam=0.1)(at) + PLAIN(at),
            *(
                [
                    lambda x, y, w, at, lam: si.make_smoothing_spline(
                        x, np.stack((y, y**2)), w, lam, axis=1
                    )(at)
                ]
                if SCIPY >= (1, 15)
                else []
            ),
            refused(lambda x, y, w, at, lam: si.make_smoothing_spline(x, y)(at)),
        ],
    ),
    "knots and smoothness": (
        (X, Y, WEIGHTS, AT),
        [
            lambda x, y, w, at: si.splev(at, si.splrep(x, y, task=-1, t=[1.6, 2.9])),
            lambda x, y, w, at: si.splev(at, si.splrep(x, y, w, -0.5, 5.8, k=2, t=at[1:2])),
            lambda x, y, w, at: si.splrep(x, y, w, t=[2.9], full_output=1)[1],
            lambda x, y, w, at: si.splev(at, si.splrep(x, y, s=90.0)),
            lambda x, y, w, at: si.splrep(x, y, w=w, k=2, s=90.0, full_output=1)[1],
            lambda x, y, w, at: si.splev(at, si.splrep(x, closed(y), per=True)),
            lambda x, y, w, at: si.splev(at, si.splrep(x, closed(y), k=5, per=1, full_output=1)[0]),
            *[
                lambda x, y, w, at, k=k: si.make_interp_spline(
                    x, closed(y), k=k, bc_type="periodic"
                )(at + 2.87)
                for k in (1, 2, 3, 5)
            ],
            lambda x, y, w, at: si.make_interp_spline(
                x, np.stack((closed(y), closed(w))), bc_type="periodic", axis=1
            )(at),
            lambda x, y, w, at: si.make_lsq_spline(X, Y, [0, 0, 0, 2, 5.5, 5.5, 5.5], 2)(at),
            refused(lambda x, y, w, at: si.splev(at, si.splrep(x, y, s=0.3))),
            refused(lambda x, y, w, at: si.splev(at, si.splrep(x, closed(y), k=2, per=True))),
            refused(lambda x, y, w, at: si.splev(at, si.splrep(x, closed(y), s=0.3, per=True))),
        ],
    ),
    "UnivariateSpline": (
        (X, Y, WEIGHTS, AT),
        [
            lambda x, y, w, at: si.UnivariateSpline(x, y, w, s=90.0)(at),
            lambda x, y, w, at: si.UnivariateSpline(x, y, s=90.0, k=2, bbox=[-1, 6])(at),
            lambda x, y, w, at: si.UnivariateSpline(x, y, w, s=90.0).get_residual(),
            lambda x, y, w, at: si.LSQUnivariateSpline(x, y, [1.6, 2.9], w=w)(at),
            lambda x, y, w, at: si.LSQUnivariateSpline(
                x, y, t=at[1:2], bbox=[-1.0, 6.0], k=2, ext=3, check_finite=True
            )(FAR),
            lambda x, y, w, at: si.LSQUnivariateSpline(X, Y, [1.6, 2.9])(at),
            lambda x, y, w, at: si.LSQUnivariateSpline(x, y, [2.9]).get_coeffs(),
            lambda x, y, w, at: si.LSQUnivariateSpline(x, y, [2.9]).get_residual(),
            lambda x, y, w, at: si.LSQUnivariateSpline(x, y, [2.9]).derivative()(at),
            refused(lambda x, y, w, at: si.UnivariateSpline(x, y, s=0.2)(at)),
            refused(lambda x, y, w, at: si.UnivariateSpline(x, 9 * y)(at)),
        ],
    ),
    "FITPACK": (
        (X, Y, AT),
        [
            lambda x, y, at: si.sproot(tck=si.splrep(x, y), mest=12),
            lambda x, y, at: si.spalde(at[0], si.splrep(x, y)),
            lambda x, y, at: si.spalde(at, si.splrep(x, y, k=2)),
            lambda x, y, at: si.splev(at, si.insert(2.4, si.splrep(x, y))),
            lambda x, y, at: si.splev(at, si.insert(x=2.4, tck=si.splrep(x, y), m=2, per=0)),
            lambda x, y, at: si.splprep([x, y], s=0)[1],
            lambda x, y, at: stacked(si.splev(at / 5, si.splprep([x, y], s=0, k=2)[0])),
            lambda x, y, at: stacked(si.splev(at, si.splprep([y, x**2], u=x, s=0, task=0)[0])),
            lambda x, y, at: stacked(
                si.splev(
                    at,
                    si.splprep([y], None, x, -0.1, 5.6, full_output=1, s=0, per=0, quiet=1)[0][0],
                )
            ),
            *(
                [
                    lambda x, y, at: si.make_splrep(x, y, s=0)(at),
                    lambda x, y, at: si.make_splrep(x, y, k=2)(at),
                    refused(lambda x, y, at: si.make_splrep(x, y, s=0.2)(at)),
                    refused(
                        lambda x, y, at: si.make_splrep(
                            x, y, w=WEIGHTS, xb=-1, xe=6, s=0.1, t=None, nest=None, bc_type=None
                        )(at)
                    ),
                ]
                if SCIPY >= (1, 15)
                else []
            ),
            refused(lambda x, y, at: si.splprep([x, y], s=0.2)[1]),
            refused(lambda x, y, at: si.splprep([x, y], w=WEIGHTS, t=None, nest=None)[1]),
            refused(lambda x, y, at: si.insert(at[0], si.splrep(X, Y))[0]),
        ],
    ),
    "of two variables": (
        (X, SECOND, GRID, AT),
        [
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z)(at, at / 2),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).ev(at, at / 2),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z)(FAR, FAR / 2),
            *[
                lambda x, y, z, at, k=k: si.RectBivariateSpline(x, y, z, kx=k[0], ky=k[1], s=0)(
                    at, at / 2, grid=False
                )
                for k in ((1, 1), (2, 4), (5, 3))
            ],
            lambda x, y, z, at: si.RectBivariateSpline(X, SECOND, z, bbox=[-1, 6, -1, 4])(at, at),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z)(at, at / 2, dx=1, dy=2),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).ev(at, at / 2, dx=2),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).integral(0.2, at[1], -1, at[2]),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).get_coeffs(),
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).tck[2],
            lambda x, y, z, at: si.RectBivariateSpline(x, y, z).partial_derivative(1, 1)(at, at),
            lambda x, y, z, at: SURFACE.ev(at, at / 2),
            lambda x, y, z, at: (SMOOTH(at, at / 2), FITTED.ev(at, at / 2)),
            lambda x, y, z, at: si.SmoothBivariateSpline(*CLOUD.T, CLOUD[:, 0], s=1.0).ev(at, at),
            lambda x, y, z, at: si.LSQBivariateSpline(
                *CLOUD.T, CLOUD[:, 0] ** 2, [1.5], [1.4], kx=2, ky=2
            )(at / 2, at / 2),
            lambda x, y, z, at: si.bisplev(at / 2, at / 2, PIECES),
            lambda x, y, z, at: si.bisplev(at[0], at / 2, PIECES, dx=1, dy=1),
            lambda x, y, z, at: si.bisplev(at[0], at[1] / 2, PIECES),
            *(
                [lambda x, y, z, at: si.RectBivariateSpline(x, y, z, maxit=9)(at, at)]
                if SCIPY >= (1, 15)
                else []
            ),
            lambda x, y, z, at: si.SmoothBivariateSpline(
                *CLOUD.T, z=CLOUD[:, 0], w=np.ones(40), bbox=[0, 3, 0, 3], s=1.0, eps=1e-16
            ).ev(at, at),
            lambda x, y, z, at: si.LSQBivariateSpline(
                *CLOUD.T,
                CLOUD[:, 0] ** 2,
                [1.5],
                ty=[1.4],
                w=np.ones(40),
                bbox=[0, 3, 0, 3],
                kx=2,
                ky=2,
                eps=1e-16,
            ).ev(at / 2, at / 2),
            lambda x, y, z, at: si.bisplev(
                at / 2,
                at / 2,
                si.bisplrep(
                    *CLOUD.T,
                    z=np.sin(CLOUD[:, 0]),
                    w=np.ones(40),
                    xb=0,
                    xe=3,
                    yb=0,
                    ye=3,
                    kx=2,
                    ky=2,
                    task=0,
                    s=0.2,
                    eps=1e-16,
                    tx=None,
                    ty=None,
                    full_output=0,
                    nxest=None,
                    nyest=None,
                    quiet=1,
                ),
            ),
            refused(lambda x, y, z, at: si.RectBivariateSpline(x, y, z, s=0.3)(at, at)),
            refused(
                lambda x, y, z, at: si.SmoothBivariateSpline(*CLOUD.T, z[:5, :8].ravel()).ev(1, 1)
            ),
            refused(
                lambda x, y, z, at: si.LSQBivariateSpline(
                    *CLOUD.T, z[:5, :8].ravel(), [1.5], [1.4]
                ).ev(1, 1)
            ),
            refused(lambda x, y, z, at: si.bisplrep(*CLOUD.T, z[:5, :8].ravel(), s=9)[2]),
        ],
    ),
}
