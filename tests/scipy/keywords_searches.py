"""Calls of the less usual solvers of ``scipy.optimize`` with each of their keywords."""

import numpy as np
import scipy.optimize as so
from scipy.optimize import Bounds, fmin, fmin_powell

from .checking import refused

RNG = np.random.default_rng(6)
MATRIX = RNG.normal(size=(6, 3))
RIGHT = RNG.normal(size=6)
SEQUENCE = np.array([0.3, 0.9, 0.5, 0.4, 1.6, 1.2, 1.9])
WEIGHTS = np.array([1.0, 0.7, 1.3, 0.9, 1.1, 0.8, 1.2])
VALUE_RTOL, RTOL, STEP = 1e-6, 1e-4, 1e-3


def equations(a):
    return lambda x: 0.6 * x + 0.1 * np.sin(x[::-1]) - a


def falling(a):
    return lambda x: a - 0.6 * x - 0.1 * np.sin(x[::-1])


def bowl(x, a):
    return (x[0] - a) ** 2 + 2.0 * (x[1] - a**2) ** 2 + 0.1 * x[0] * x[1]


def slope(x, a):
    return np.stack([2.0 * (x[0] - a) + 0.1 * x[1], 4.0 * (x[1] - a**2) + 0.1 * x[0]])


def line(x, a):
    return (x[0] - a) ** 2 + 0.1 * x[0] ** 4


CALLS = {
    "zeros": (
        (np.array([0.7, 1.1]),),
        [
            *[
                lambda a, f=f: f(
                    F=equations(a),
                    xin=[0.5, 0.6],
                    iter=None,
                    alpha=None,
                    verbose=False,
                    maxiter=300,
                    f_tol=1e-11,
                    f_rtol=None,
                    x_tol=None,
                    x_rtol=None,
                    tol_norm=None,
                    line_search="armijo",
                    callback=None,
                )
                for f in (so.broyden1, so.broyden2, so.diagbroyden)
            ],
            lambda a: so.anderson(
                F=equations(a),
                xin=[0.5, 0.6],
                iter=None,
                alpha=None,
                verbose=False,
                maxiter=300,
                f_tol=1e-8,
                f_rtol=None,
                x_tol=None,
                x_rtol=None,
                tol_norm=None,
                line_search="armijo",
                callback=None,
                M=2,
            ),
            *[
                lambda a, f=f: f(
                    F=falling(a),
                    xin=[0.5, 0.6],
                    iter=None,
                    alpha=1.0,
                    verbose=False,
                    maxiter=300,
                    f_tol=1e-11,
                    f_rtol=None,
                    x_tol=None,
                    x_rtol=None,
                    tol_norm=None,
                    line_search=None,
                    callback=None,
                )
                for f in (so.linearmixing, so.excitingmixing)
            ],
            *[
                lambda a, f=f: f(
                    equations(a),
                    np.array([0.5, 0.6]),
                    f_tol=1e-11,
                    reduction_method="svd",
                    max_rank=4,
                )
                for f in (so.broyden1, so.broyden2)
            ],
            lambda a: so.anderson(equations(a), [0.5, 0.6], f_tol=1e-8, w0=0.02, M=2),
            lambda a: so.excitingmixing(
                falling(a), [0.5, 0.6], alpha=1.0, line_search=None, f_tol=1e-11, alphamax=1.5
            ),
            lambda a: so.newton_krylov(
                F=equations(a),
                xin=[0.5, 0.6],
                iter=None,
                f_tol=1e-11,
                rdiff=1e-7,
                method="gmres",
                inner_maxiter=30,
                inner_M=None,
                outer_k=8,
                verbose=False,
                maxiter=300,
                f_rtol=None,
                x_tol=None,
                x_rtol=None,
                tol_norm=None,
                line_search="armijo",
                callback=None,
            ),
        ],
    ),
    "minima": (
        (0.9,),
        [
            lambda a: so.fmin_slsqp(
                func=lambda x: bowl(x, a),
                x0=[0.1, 0.2],
                iter=200,
                acc=1e-14,
                iprint=0,
                disp=0,
                epsilon=1e-7,
                callback=None,
            ),
            lambda a: so.fmin_slsqp(
                bowl,
                [0.1, 0.2],
                eqcons=[lambda x, a: x[0] + x[1] - a],
                args=(a,),
                fprime=slope,
                iprint=0,
                acc=1e-14,
                bounds=[(-1, 3), (-1, 3)],
            ),
            lambda a: so.fmin_slsqp(
                bowl,
                [0.1, 0.2],
                f_eqcons=lambda x, a: np.array([x[0] + x[1] - a]),
                args=(a,),
                fprime_eqcons=lambda x, a: np.array([[1.0, 1.0]]),
                iprint=0,
                acc=1e-14,
                full_output=True,
            )[:2],
            lambda a: so.fmin_slsqp(
                bowl,
                [0.1, 0.2],
                ieqcons=[lambda x, a: a - x[0] - x[1]],
                args=(a,),
                iprint=0,
                acc=1e-14,
            ),
            lambda a: so.fmin_slsqp(
                bowl,
                [0.1, 0.2],
                f_ieqcons=lambda x, a: np.array([a - x[0] - x[1]]),
                args=(a,),
                fprime_ieqcons=lambda x, a: np.array([[-1.0, -1.0]]),
                iprint=0,
                acc=1e-14,
            ),
            lambda a: so.fmin_cobyla(
                func=lambda x: bowl(x, a),
                x0=[0.1, 0.2],
                cons=[lambda x: a - x[0] - x[1]],
                rhobeg=0.5,
                rhoend=1e-10,
                maxfun=5000,
                disp=0,
                catol=1e-12,
                callback=None,
            ),
            lambda a: so.fmin_cobyla(
                bowl,
                [0.1, 0.2],
                lambda x, b: b - x[0] - x[1],
                args=(a,),
                consargs=(a,),
                rhobeg=0.5,
                rhoend=1e-10,
                catol=1e-12,
                maxfun=5000,
            ),
            lambda a: so.brute(
                lambda x: line(x, a), ((-1, 2),), Ns=12, finish=polished, disp=False, workers=1
            ),
            lambda a: so.brute(
                bowl, (slice(-1, 2, 0.5), (-1, 2)), args=(a,), finish=polished, full_output=True
            )[:2],
            lambda a: so.brute(line, ((-1, 2),), args=(a,), finish=None) + 0 * a,
            lambda a: so.brute(line, ((-1, 2),), (0.9,), finish=fmin) + 0 * a,
            lambda a: (
                so.shgo(
                    bowl,
                    [(-1, 2), (-1, 2)],
                    args=(a,),
                    n=30,
                    iters=1,
                    callback=None,
                    minimizer_kwargs={"method": "SLSQP", "options": {"ftol": 1e-14}},
                    options={"ftol": 1e-14},
                    sampling_method="sobol",
                    workers=1,
                ).x
            ),
            lambda a: (
                so.direct(
                    bowl,
                    Bounds([-1, -1], [2, 2]),
                    args=(a,),
                    eps=1e-6,
                    maxfun=None,
                    maxiter=4000,
                    locally_biased=True,
                    f_min=-np.inf,
                    f_min_rtol=1e-4,
                    vol_tol=1e-22,
                    len_tol=1e-11,
                    callback=None,
                ).fun
            ),
            refused(
                lambda a: (
                    so.milp(
                        c=[a, 1.0], integrality=1, bounds=(0, 1), constraints=None, options=None
                    ).fun
                )
            ),
            refused(lambda a: so.shgo(line, [(-1, 2)], args=(a,)).xl),
        ],
    ),
    "linear least squares": (
        (MATRIX, RIGHT, 0.11),
        [
            lambda m, b, u: so.lsq_linear(m, b).x,
            lambda m, b, u: (so.lsq_linear(m, b).cost, so.lsq_linear(m, b).fun),
            lambda m, b, u: so.lsq_linear(m, b, (-np.inf, u), method="bvls", tol=1e-14).x,
            lambda m, b, u: (
                so.lsq_linear(
                    m,
                    b,
                    bounds=Bounds([-u, -u, -u], [u, np.inf, 0.7]),
                    method="bvls",
                    lsq_solver=None,
                    lsmr_tol=None,
                    max_iter=90,
                    verbose=0,
                    lsmr_maxiter=None,
                ).x
            ),
            lambda m, b, u: so.lsq_linear(m, b, bounds=(-1e-3 * u, 1e-3 * u), method="bvls").cost,
        ],
    ),
    "isotonic_regression": (
        (SEQUENCE, WEIGHTS),
        [
            lambda y, w: so.isotonic_regression(y).x,
            lambda y, w: so.isotonic_regression(y, weights=w, increasing=True).x,
            lambda y, w: so.isotonic_regression(y, weights=w).weights,
            lambda y, w: so.isotonic_regression(y[::-1], weights=w, increasing=False).x,
        ],
    ),
}


def polished(func, x0, args=(), full_output=True, disp=False):
    """A local search that ends close to the minimum."""
    found = fmin_powell(func, x0, args, xtol=1e-10, ftol=1e-14, full_output=True, disp=False)
    return found[0], found[1], 0, found[3], found[5]
