"""Calls of ``scipy.optimize`` for roots and fits with each keyword and each documented value."""

import numpy as np
import scipy.optimize as so

from .checking import refused

RNG = np.random.default_rng(2)
T = np.linspace(0, 1.5, 4)
DATA = np.linspace(0.1, 2, 8)
NOISE = 0.05 * np.cos(np.arange(8.0))


def cube(x, a, b=0.0):
    return x**3 - a * (1 + b)


def cube_slope(x, a, b=0.0):
    return 3 * x**2


def cube_bend(x, a, b=0.0):
    return 6 * x


def pair(z, a, b=0.0):
    return [z[0] ** 2 + a * z[1] - 2, z[1] ** 3 + z[0] - a - b]


def pair_slopes(z, a, b=0.0):
    return np.array([[2 * z[0], a], [1.0, 3 * z[1] ** 2]])


def both_of_pair(z, a):
    return pair(z, a), pair_slopes(z, a)


def misfit(z, a, b=0.0):
    return np.array([z[0] - a, z[1] * z[0] - a**2 + b, z[1] + 0.3, 0.2 * z[0] * z[1]])


def misfit_slopes(z, a, b=0.0):
    return np.array([[1.0, 0.0], [z[1], z[0]], [0.0, 1.0], [0.2 * z[1], 0.2 * z[0]]])


def curve(x, p, q):
    return p * np.exp(-q * x)


def curve_slopes(x, p, q):
    return np.stack((np.exp(-q * x), -p * x * np.exp(-q * x)), axis=1)


def quiet(*args, **kwargs):
    """A callback that does nothing."""


CALLS = {
    "roots of one function": (
        (np.array(1.3),),
        [
            *[
                lambda a, f=f: f(cube, 0, 3, args=(a,))
                for f in (so.brentq, so.brenth, so.ridder, so.bisect)
            ],
            *[
                lambda a, f=f: f(cube, 0.0, 3.0, (a, a))
                for f in (so.brentq, so.brenth, so.ridder, so.bisect)
            ],
            *[
                lambda a, f=f: f(
                    lambda x: cube(x, a), 0, 3, xtol=1e-13, rtol=1e-14, maxiter=200, disp=False
                )
                for f in (so.brentq, so.brenth, so.ridder, so.bisect)
            ],
            *[
                lambda a, f=f: f(cube, 0, 3, args=(a,), full_output=True)[0]
                for f in (so.brentq, so.brenth, so.ridder, so.bisect)
            ],
            *[
                lambda a, f=f: f(cube, 0, 3, args=(a,), full_output=True)[1].root + 0 * a
                for f in (so.brentq, so.bisect)
            ],
            lambda a: so.brentq(cube, 0 * a, 3 * a, args=(a,)),
            lambda a: so.toms748(
                cube, 0, 3, args=(a,), k=2, xtol=1e-13, rtol=1e-14, maxiter=90, disp=True
            ),
            lambda a: so.toms748(cube, 0, 3, (a,), full_output=True)[0],
            lambda a: so.newton(cube, 1.0, args=(a,)),
            lambda a: so.newton(cube, 1.0, cube_slope, (a,)),
            lambda a: so.newton(cube, 1.0, cube_slope, (a,), fprime2=cube_bend),
            lambda a: so.newton(
                cube, 1.0, args=(a,), x1=1.2, tol=1e-12, rtol=1e-12, maxiter=90, disp=True
            ),
            lambda a: so.newton(cube, 1.0, args=(a,), full_output=True)[0],
            lambda a: so.newton(
                lambda x: x**3 - a * np.array([1.0, 2.0]), np.array([1.0, 1.3]), tol=1e-12
            ),
            *[
                lambda a, m=m: so.root_scalar(cube, args=(a,), method=m, bracket=[0, 3]).root
                for m in ("bisect", "brentq", "brenth", "ridder", "toms748")
            ],
            lambda a: so.root_scalar(cube, (a,), "newton", x0=1.0, fprime=cube_slope).root,
            lambda a: so.root_scalar(cube, (a,), method="newton", x0=1.0).root,
            lambda a: (
                so.root_scalar(
                    lambda x, a: (cube(x, a), cube_slope(x, a)), (a,), x0=1.0, fprime=True
                ).root
            ),
            lambda a: (
                so.root_scalar(
                    lambda x, a: (cube(x, a), cube_slope(x, a), cube_bend(x, a)),
                    (a,),
                    method="halley",
                    x0=1.0,
                    fprime=True,
                    fprime2=True,
                ).root
            ),
            lambda a: (
                so.root_scalar(
                    cube, (a,), "halley", x0=1.0, fprime=cube_slope, fprime2=cube_bend, xtol=1e-12
                ).root
            ),
            lambda a: (
                so.root_scalar(cube, (a,), "secant", x0=1.0, x1=1.2, rtol=1e-12, maxiter=90).root
            ),
            lambda a: so.root_scalar(cube, (a,), bracket=[0, 3], options={"disp": False}).root,
            lambda a: so.fixed_point(lambda x, p: np.cos(p * x), 0.7, args=(a,)),
            lambda a: so.fixed_point(
                lambda x: np.cos(a * x), 0.7, xtol=1e-12, maxiter=900, method="del2"
            ),
            lambda a: so.fixed_point(
                lambda x: np.cos(a * x / 2), [0.7, 0.6], method="iteration", xtol=1e-13
            ),
        ],
    ),
    "roots of several functions": (
        (np.array(1.3),),
        [
            *[
                lambda a, m=m: so.root(pair, [1.0, 0.7], (a,), method=m, tol=1e-12).x
                for m in ("hybr", "lm", "broyden1", "krylov", "df-sane", "diagbroyden")
            ],
            lambda a: so.root(pair, [1.0, 0.7], args=a, jac=pair_slopes).x,
            lambda a: so.root(both_of_pair, [1.0, 0.7], args=(a,), jac=True).x,
            lambda a: so.root(pair, [1.0, 0.7], args=(a, a), options={"xtol": 1e-12}).x,
            lambda a: so.root(pair, [1.0, 0.7], (a,), "krylov", callback=quiet, tol=1e-12).x,
            lambda a: so.fsolve(pair, [1.0, 0.7], args=(a,)),
            lambda a: so.fsolve(pair, [1.0, 0.7], a),
            lambda a: so.fsolve(pair, [1.0, 0.7], (a,), fprime=pair_slopes),
            lambda a: so.fsolve(pair, [1.0, 0.7], (a,), full_output=True)[0],
            lambda a: so.fsolve(pair, [1.0, 0.7], (a,), full_output=1)[1]["fvec"] + 0 * a,
            lambda a: so.fsolve(
                pair, [1.0, 0.7], (a,), lambda z, a: pair_slopes(z, a).T, col_deriv=True, xtol=1e-12
            ),
            lambda a: so.fsolve(
                pair,
                [1.0, 0.7],
                (a,),
                maxfev=500,
                band=None,
                epsfcn=1e-9,
                factor=10,
                diag=[1.0, 2.0],
            ),
        ],
    ),
    "least_squares": (
        (np.array(0.8),),
        [
            *[
                lambda a, m=m: (
                    so.least_squares(
                        misfit, [1.0, 0.7], method=m, args=(a,), ftol=1e-14, xtol=1e-14, gtol=1e-14
                    ).x
                )
                for m in ("trf", "dogbox", "lm")
            ],
            *[
                lambda a, j=j: so.least_squares(misfit, [1.0, 0.7], j, args=(a,), gtol=1e-14).x
                for j in ("2-point", "3-point", "cs", misfit_slopes)
            ],
            lambda a: (
                so.least_squares(
                    misfit, [1.0, 0.7], bounds=([0, 0.0], [5, 5]), args=(a,), gtol=1e-14
                ).x
            ),
            lambda a: so.least_squares(misfit, [0.3, 0.7], bounds=(0, a), args=(a,), gtol=1e-14).x,
            *[
                lambda a, x=x: (
                    so.least_squares(misfit, [1.0, 0.7], x_scale=x, args=(a,), gtol=1e-14).x
                )
                for x in (1.0, "jac", [1.0, 2.0])
            ],
            *[
                lambda a, x=x: (
                    so.least_squares(
                        misfit, [1.0, 0.7], loss=x, f_scale=0.5, args=(a,), gtol=1e-14, ftol=1e-15
                    ).x
                )
                for x in ("linear", "soft_l1", "huber", "cauchy", "arctan")
            ],
            lambda a: so.least_squares(misfit, [1.0, 0.7], diff_step=1e-6, args=(a,), gtol=1e-14).x,
            *[
                lambda a, x=x: (
                    so.least_squares(misfit, [1.0, 0.7], tr_solver=x, args=(a,), gtol=1e-14).x
                )
                for x in ("exact", "lsmr")
            ],
            lambda a: (
                so.least_squares(
                    misfit,
                    [1.0, 0.7],
                    tr_solver="lsmr",
                    tr_options={"atol": 1e-14, "btol": 1e-14},
                    jac_sparsity=np.ones((4, 2)),
                    args=(a,),
                    gtol=1e-14,
                ).x
            ),
            lambda a: (
                so.least_squares(
                    misfit,
                    [1.0, 0.7],
                    max_nfev=90,
                    verbose=0,
                    args=(a,),
                    kwargs={"b": 0.2},
                    gtol=1e-14,
                ).x
            ),
            lambda a: so.least_squares(misfit, [1.0, 0.7], args=(a,), gtol=1e-14).cost,
            lambda a: so.least_squares(misfit, [1.0, 0.7], args=(a,), gtol=1e-14).fun,
            refused(
                lambda a: so.least_squares(misfit, [1.0, 0.7], args=(a,), gtol=1e-14).jac + 0 * a
            ),
            lambda a: so.leastsq(misfit, [1.0, 0.7], (a,))[0],
            lambda a: (
                so.least_squares(
                    misfit, [1.0, 0.7], args=(a,), callback=quiet, workers=None, gtol=1e-14
                ).x
            ),
        ],
    ),
    "curve_fit": (
        (curve(DATA, 1.3, 0.7) + NOISE, DATA),
        [
            lambda y, x: so.curve_fit(curve, x, y),
            lambda y, x: so.curve_fit(curve, x, y, p0=[1.0, 0.5])[0],
            lambda y, x: so.curve_fit(curve, x, y, sigma=0.1 + 0.01 * x),
            lambda y, x: so.curve_fit(curve, x, y, sigma=0.1 + 0.01 * x, absolute_sigma=True)[1],
            lambda y, x: so.curve_fit(curve, x, y, sigma=np.eye(8) * 0.1 + 0.01)[0],
            lambda y, x: so.curve_fit(curve, x, y, check_finite=False)[0],
            lambda y, x: so.curve_fit(curve, x, y, bounds=([0, 0], [5, 5]))[0],
            lambda y, x: so.curve_fit(curve, x, y, p0=[0.8, 0.5], bounds=([0, 0], [1, 5]))[0],
            *[
                lambda y, x, m=m: so.curve_fit(curve, x, y, method=m, xtol=1e-13)[0]
                for m in ("lm", "trf", "dogbox")
            ],
            lambda y, x: so.curve_fit(curve, x, y, jac=curve_slopes)[0],
            lambda y, x: so.curve_fit(curve, x, y, full_output=True)[0],
            lambda y, x: so.curve_fit(curve, x, y, full_output=True)[2]["fvec"] + 0 * y,
            lambda y, x: so.curve_fit(curve, x, y, nan_policy="raise", maxfev=900)[0],
            lambda y, x: so.curve_fit(curve, x, y, nan_policy="omit")[0],
        ],
    ),
    "linear": (
        (RNG.uniform(0.2, 1, (5, 3)), RNG.normal(size=5)),
        [
            lambda a, b: so.nnls(a, b),
            lambda a, b: so.nnls(a, b, maxiter=90)[0],
            lambda a, b: a[so.linear_sum_assignment(a)],
            lambda a, b: a[so.linear_sum_assignment(a, maximize=True)],
            refused(lambda a, b: so.approx_fprime(b, lambda z: np.sum(z**3))),
            lambda a, b: so.rosen(b),
            refused(lambda a, b: so.approx_fprime(b, lambda z, w: np.sum(w * z**3), 1e-7, a[0, 0])),
            lambda a, b: so.rosen_der(b),
            lambda a, b: so.rosen_hess(b),
            lambda a, b: so.rosen_hess_prod(b, b),
            refused(lambda a, b: so.check_grad(lambda z: np.sum(z**3), lambda z: 3 * z**2, b)),
            lambda a, b: so.lsq_linear(a, b).x,
            lambda a, b: so.linprog(b[:3], a, b**2, bounds=(0, 1)).x,
        ],
    ),
}

VALUE_RTOL, RTOL, STEP = 1e-5, 2e-4, 1e-4
