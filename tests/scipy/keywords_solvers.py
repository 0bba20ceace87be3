"""Calls of minimisers of ``scipy.optimize`` with each keyword and each documented value."""

import numpy as np
import scipy.optimize as so

from .checking import refused

T = np.linspace(0, 1.5, 4)
INF = np.inf


def bowl(z, a, b=0.0):
    return (z[0] - a) ** 2 + 2 * (z[1] + a**2 - b) ** 2 + 0.3 * z[0] * z[1] + 0.1 * z[0] ** 4


def bowl_slope(z, a, b=0.0):
    return np.array([2 * (z[0] - a) + 0.3 * z[1] + 0.4 * z[0] ** 3,
                     4 * (z[1] + a**2 - b) + 0.3 * z[0]])  # fmt: skip


def bowl_bend(z, a, b=0.0):
    return np.array([[2 + 1.2 * z[0] ** 2, 0.3], [0.3, 4.0]])


def bowl_along(z, p, a, b=0.0):
    return bowl_bend(z, a, b) @ p


def both_of_bowl(z, a):
    return bowl(z, a), bowl_slope(z, a)


def line(z, a, b=0.0):
    return (z - a) ** 2 + 0.1 * z**4 + b


def misfit(z, a, b=0.0):
    return np.array([z[0] - a, z[1] * z[0] - a**2 + b, z[1] + 0.3, 0.2 * z[0] * z[1]])


def misfit_slopes(z, a, b=0.0):
    return np.array([[1.0, 0.0], [z[1], z[0]], [0.0, 1.0], [0.2 * z[1], 0.2 * z[0]]])


def quiet(*args, **kwargs):
    """A callback that does nothing."""


def seen(report):
    return report.x, report.fun


CALLS = {
    "minimize": (
        (np.array(0.8),),
        [
            *[
                lambda a, m=m: seen(so.minimize(bowl, [0.1, 0.2], (a,), method=m, tol=1e-10))
                for m in (
                    "Nelder-Mead",
                    "Powell",
                    "CG",
                    "BFGS",
                    "L-BFGS-B",
                    "COBYLA",
                    "COBYQA",
                    "SLSQP",
                )
            ],
            *[
                lambda a, m=m: seen(
                    so.minimize(
                        bowl, [0.1, 0.2], (a,), method=m, jac=bowl_slope, hess=bowl_bend, tol=1e-12
                    )
                )
                for m in ("Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-constr")
            ],
            *[
                lambda a, m=m: seen(
                    so.minimize(bowl, [0.1, 0.2], (a,), m, bowl_slope, hessp=bowl_along, tol=1e-12)
                )
                for m in ("Newton-CG", "trust-ncg")
            ],
            *[
                lambda a, j=j: seen(so.minimize(bowl, [0.1, 0.2], (a,), jac=j, tol=1e-9))
                for j in (None, False, "2-point", "3-point", bowl_slope)
            ],
            lambda a: seen(so.minimize(both_of_bowl, [0.1, 0.2], args=a, jac=True, tol=1e-10)),
            lambda a: seen(so.minimize(bowl, [0.1, 0.2], (a,), callback=quiet, tol=1e-10)),
            lambda a: seen(
                so.minimize(bowl, [0.1, 0.2], (a,), options={"gtol": 1e-10, "maxiter": 90})
            ),
            *[
                lambda a, m=m: seen(
                    so.minimize(
                        bowl, [0.1, 0.2], (a,), method=m, bounds=[(0, 0.5), (None, None)], tol=1e-12
                    )
                )
                for m in ("L-BFGS-B", "TNC", "SLSQP")
            ],
            lambda a: seen(
                so.minimize(bowl, [0.1, 0.2], (a,), bounds=[(0, a / 2), (-1, 1)], tol=1e-12)
            ),
            lambda a: seen(
                so.minimize(
                    bowl,
                    [0.1, 0.2],
                    (a,),
                    bounds=so.Bounds([0, -1], [a / 2, 1], keep_feasible=True),
                    tol=1e-12,
                )
            ),
            lambda a: seen(
                so.minimize(
                    bowl,
                    [0.1, 0.2],
                    (a,),
                    method="SLSQP",
                    tol=1e-12,
                    constraints={"type": "eq", "fun": lambda z, b: z[0] + z[1] - b, "args": (a,)},
                )
            ),
            lambda a: seen(
                so.minimize(
                    bowl,
                    [0.1, 0.2],
                    (a,),
                    method="SLSQP",
                    tol=1e-12,
                    constraints=[
                        {
                            "type": "ineq",
                            "fun": lambda z: 0.3 * a - z[0],
                            "jac": lambda z: [-1.0, 0],
                        }
                    ],
                )
            ),
            lambda a: seen(
                so.minimize(
                    bowl,
                    [0.1, 0.2],
                    (a,),
                    method="SLSQP",
                    tol=1e-12,
                    constraints=so.LinearConstraint([[1, 1]], a, a, keep_feasible=False),
                )
            ),
            lambda a: seen(
                so.minimize(
                    bowl,
                    [0.1, 0.2],
                    (a,),
                    method="trust-constr",
                    jac=bowl_slope,
                    hess=bowl_bend,
                    tol=1e-10,
                    constraints=so.NonlinearConstraint(
                        lambda z: z[0] ** 2 + z[1],
                        a,
                        a,
                        jac="3-point",
                        hess=lambda z, v: v[0] * np.diag([2.0, 0.0]),
                        keep_feasible=False,
                        finite_diff_rel_step=None,
                        finite_diff_jac_sparsity=None,
                    ),
                )
            ),
            refused(lambda a: so.minimize(bowl, [0.1, 0.2], (a,), tol=1e-10).jac + 0 * a),
        ],
    ),
    "minimize_scalar": (
        (np.array(0.8),),
        [
            *[
                lambda a, m=m: seen(
                    so.minimize_scalar(line, (0, 1), args=(a,), method=m, tol=1e-12)
                )
                for m in ("brent", "golden")
            ],
            lambda a: seen(so.minimize_scalar(line, bracket=(0, 0.5, 2), args=(a, a))),
            lambda a: seen(so.minimize_scalar(line, bounds=(0, 2), args=a, method="bounded")),
            lambda a: seen(
                so.minimize_scalar(line, bounds=(0, 0.5), args=(a,), options={"xatol": 1e-12})
            ),
            lambda a: seen(
                so.minimize_scalar(line, args=(a,), options={"maxiter": 100}, tol=1e-12)
            ),
            lambda a: so.brute(lambda z: bowl(z, a), ((0, 1), (0, 1)), Ns=4),
            lambda a: so.shgo(lambda z: bowl(z, a), [(0, 1), (-1, 1)]).x,
            lambda a: so.direct(lambda z: bowl(z, a), [(0, 1), (-1, 1)]).x,
            lambda a: so.fmin_slsqp(bowl, [0.1, 0.2], args=(a,), iprint=0),
            lambda a: so.lsq_linear([[a, 1.0], [1.0, 2.0], [0, a]], [1.0, a, 2]).x,
            lambda a: so.isotonic_regression([a, 0.2]).x,
        ],
    ),
    "older names": (
        (np.array(0.8),),
        [
            lambda a: so.fmin(bowl, [0.1, 0.2], (a,), disp=False, xtol=1e-9, ftol=1e-12),
            lambda a: so.fmin(
                bowl,
                [0.1, 0.2],
                (a,),
                full_output=True,
                disp=0,
                maxiter=900,
                maxfun=900,
                retall=False,
                callback=quiet,
                initial_simplex=None,
            )[1],
            lambda a: so.fminbound(line, 0, 2, (a,), xtol=1e-10, maxfun=90, disp=0),
            lambda a: so.fminbound(line, 0, 2, (a, a), full_output=True)[1],
            lambda a: so.fmin_bfgs(
                bowl, [0.1, 0.2], bowl_slope, (a,), gtol=1e-9, norm=2, maxiter=90, disp=False
            ),
            lambda a: so.fmin_bfgs(bowl, [0.1, 0.2], args=(a,), disp=False, epsilon=1e-8, retall=0),
            lambda a: so.fmin_cg(bowl, [0.1, 0.2], bowl_slope, args=(a,), gtol=1e-9, disp=False),
            lambda a: so.fmin_ncg(
                bowl, [0.1, 0.2], bowl_slope, bowl_along, args=(a,), avextol=1e-10, disp=False
            ),
            lambda a: so.fmin_ncg(
                bowl, [0.1, 0.2], bowl_slope, fhess=bowl_bend, args=(a,), disp=False
            ),
            lambda a: so.fmin_powell(bowl, [0.1, 0.2], (a,), disp=False, xtol=1e-9, ftol=1e-12),
            lambda a: so.fmin_powell(bowl, [0.1, 0.2], (a,), full_output=True, disp=False)[1],
            lambda a: so.fmin_l_bfgs_b(
                bowl,
                [0.1, 0.2],
                args=(a,),
                approx_grad=True,
                bounds=[(0, 0.5), (-1, a)],
                factr=10,
                pgtol=1e-9,
            )[:2],
            lambda a: so.fmin_l_bfgs_b(both_of_bowl, [0.1, 0.2], args=(a,), pgtol=1e-9)[0],
            lambda a: so.fmin_tnc(both_of_bowl, [0.1, 0.2], args=(a,), disp=0, pgtol=1e-12)[0],
            lambda a: so.fmin_bfgs(
                bowl,
                [0.1, 0.2],
                bowl_slope,
                (a,),
                callback=quiet,
                xrtol=0,
                c1=1e-4,
                c2=0.9,
                hess_inv0=np.eye(2),
                disp=False,
            ),
            lambda a: so.fmin_cg(
                bowl,
                [0.1, 0.2],
                args=(a,),
                norm=2,
                epsilon=1e-8,
                maxiter=90,
                full_output=False,
                retall=0,
                callback=quiet,
                c1=1e-4,
                c2=0.4,
                disp=False,
            ),
            lambda a: so.fmin_ncg(
                bowl,
                [0.1, 0.2],
                bowl_slope,
                args=(a,),
                epsilon=1e-8,
                maxiter=90,
                full_output=0,
                retall=0,
                callback=quiet,
                c1=1e-4,
                c2=0.9,
                disp=False,
            ),
            lambda a: so.fmin_l_bfgs_b(
                bowl,
                [0.1, 0.2],
                fprime=bowl_slope,
                args=(a,),
                m=9,
                epsilon=1e-8,
                maxfun=900,
                maxiter=900,
                callback=quiet,
                maxls=20,
            )[0],
            lambda a: so.fmin_powell(
                bowl,
                [0.1, 0.2],
                (a,),
                maxiter=900,
                maxfun=900,
                retall=0,
                callback=quiet,
                direc=None,
                disp=False,
                xtol=1e-9,
                ftol=1e-12,
            ),
            lambda a: so.fmin_tnc(
                bowl,
                [0.1, 0.2],
                fprime=bowl_slope,
                args=(a,),
                approx_grad=0,
                bounds=[(0, a / 2), (-1, 1)],
                epsilon=1e-8,
                scale=None,
                offset=None,
                messages=0,
                maxCGit=-1,
                maxfun=900,
                eta=-1,
                stepmx=0,
                accuracy=0,
                fmin=0,
                ftol=1e-14,
                xtol=1e-14,
                pgtol=1e-12,
                rescale=-1,
                callback=quiet,
            )[0],
            lambda a: so.golden(line, (a,), maxiter=900),
            lambda a: so.brent(line, (a,)),
            lambda a: so.brent(line, (a, a), brack=(0, 1), tol=1e-10),
            lambda a: so.brent(line, (a,), full_output=True, maxiter=90)[1],
            lambda a: so.golden(line, (a,), tol=1e-10),
            lambda a: so.golden(line, (a,), (0, 1), full_output=1)[1],
            lambda a: so.leastsq(misfit, [1.0, 0.7], (a,), xtol=1e-13)[0],
            lambda a: so.leastsq(
                misfit, [1.0, 0.7], (a, a), Dfun=misfit_slopes, ftol=1e-13, xtol=1e-13
            )[0],
            lambda a: so.leastsq(
                misfit,
                [1.0, 0.7],
                a,
                lambda z, a: misfit_slopes(z, a).T,
                True,
                True,
                gtol=0.0,
                maxfev=500,
                epsfcn=None,
                factor=50,
                diag=None,
            )[1],
            lambda a: so.leastsq(misfit, [1.0, 0.7], (a,), full_output=True)[2]["fvec"],
        ],
    ),
    "linprog": (
        (
            np.array([1.0, 2.0, 0.5]),
            np.array([[-1.0, -1, 0.2], [0.3, -1, -1]]),
            np.array([-1.0, -2]),
        ),
        [
            lambda c, a, b: so.linprog(c, a, b).x,
            lambda c, a, b: so.linprog(c, A_ub=a, b_ub=b).fun,
            lambda c, a, b: so.linprog(c, a, b, np.ones((1, 3)), b[:1] + 4.3).x,
            lambda c, a, b: so.linprog(c, a, b, np.ones((1, 3)), b[:1] + 4.3).con + c[0],
            lambda c, a, b: so.linprog(c, a, b).slack,
            lambda c, a, b: so.linprog(c, A_eq=a, b_eq=b).fun,
            lambda c, a, b: so.linprog(c, a, b, bounds=(0, 1.5)).x,
            lambda c, a, b: so.linprog(c, a, b, bounds=[(0, c[0]), (None, 5), (0, None)]).x,
            *[
                lambda c, a, b, m=m: so.linprog(c, a, b, method=m).x
                for m in ("highs", "highs-ds", "highs-ipm")
            ],
            lambda c, a, b: (
                so.linprog(c, a, b, callback=None, options={"presolve": True}, x0=None).x
            ),
            refused(lambda c, a, b: so.linprog(c, a, b, integrality=[1, 0, 0]).x),
            refused(lambda c, a, b: so.linprog(c, a, b).ineqlin.marginals),
        ],
    ),
    "global searches": (
        (np.array(0.4),),
        [
            lambda a: seen(so.basinhopping(lambda z: bowl(z, a), [0.1, 0.2], niter=2, seed=1)),
            lambda a: seen(
                so.basinhopping(
                    bowl,
                    [0.1, 0.2],
                    2,
                    T=0.5,
                    stepsize=0.1,
                    minimizer_kwargs={"args": (a,)},
                    callback=quiet,
                    interval=10,
                    disp=False,
                    niter_success=3,
                    rng=1,
                    target_accept_rate=0.4,
                    stepwise_factor=0.8,
                )
            ),
            lambda a: seen(
                so.basinhopping(
                    lambda z: bowl(z, a),
                    [0.1, 0.2],
                    2,
                    take_step=lambda z: z + 0.01,
                    accept_test=lambda **k: True,
                )
            ),
            lambda a: seen(
                so.dual_annealing(
                    bowl,
                    [(-1, 1), (-1, 1)],
                    (a,),
                    maxiter=10,
                    minimizer_kwargs={"method": "L-BFGS-B"},
                    initial_temp=5000,
                    restart_temp_ratio=1e-5,
                    visit=2.6,
                    accept=-5.0,
                    maxfun=1000,
                    rng=1,
                    no_local_search=False,
                    callback=quiet,
                    x0=[0.1, 0.2],
                )
            ),
            lambda a: (
                so.differential_evolution(
                    bowl,
                    [(-1, 1), (-1, 1)],
                    (a,),
                    "best1bin",
                    60,
                    8,
                    1e-9,
                    (0.5, 1),
                    0.7,
                    1,
                    callback=quiet,
                    disp=False,
                    polish=True,
                    init="latinhypercube",
                    atol=0,
                    updating="immediate",
                    workers=1,
                ).fun
            ),
            lambda a: seen(
                so.differential_evolution(
                    bowl,
                    [(-1, 1), (-1, 1)],
                    args=(a,),
                    maxiter=30,
                    popsize=5,
                    seed=1,
                    x0=[0.1, 0.2],
                    constraints=(),
                    integrality=None,
                    vectorized=False,
                )
            ),
            lambda a: (
                so.differential_evolution(
                    bowl,
                    [(-1, 1), (-1, 1)],
                    args=(a,),
                    maxiter=30,
                    popsize=5,
                    seed=1,
                    constraints=so.LinearConstraint([[1, 1]], -INF, a / 2),
                ).fun
            ),
            lambda a: (
                so.differential_evolution(
                    bowl,
                    [(-1, 1), (-1, 1)],
                    args=(a,),
                    maxiter=20,
                    popsize=5,
                    seed=1,
                    integrality=[True, False],
                ).fun
            ),
        ],
    ),
}

VALUE_RTOL, RTOL, STEP = 1e-5, 2e-4, 1e-4
