"""Calls of ``scipy.integrate`` and ``optimize`` with each keyword and each documented value."""

import numpy as np
import scipy.integrate as sg
import scipy.optimize as so

from .checking import refused

RNG = np.random.default_rng(2)
Y = RNG.normal(size=(4, 9))
X = np.sort(RNG.uniform(0, 3, 9))
T = np.linspace(0, 1.5, 4)
TIGHT = {"rtol": 1e-10, "atol": 1e-11}
STIFF = {"rtol": 1e-7, "atol": 1e-8}  # implicit methods take many steps otherwise
DATA = np.linspace(0.1, 2, 8)
NOISE = 0.05 * np.cos(np.arange(8.0))
INF = np.inf


def decay(t, y, a=1.0):
    return [-a * y[0] + 0.1 * y[1], y[0] - 0.3 * y[1]]


def slopes(t, y, a=1.0):
    return [[-a, 0.1], [1.0, -0.3]]


def stacked(t, y, a=1.0):
    return np.stack((-a * y[0] + 0.1 * y[1], y[0] - 0.3 * y[1]))


def low(t, y, *args):
    return y[0] - 0.5


def ending(t, y, *args):
    return y[0] - 0.5


ending.terminal = True


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


def curve(x, p, q):
    return p * np.exp(-q * x)


def curve_slopes(x, p, q):
    return np.stack((np.exp(-q * x), -p * x * np.exp(-q * x)), axis=1)


def quiet(*args, **kwargs):
    """A callback that does nothing."""


def seen(report):
    return report.x, report.fun


CALLS = {
    "samples": (
        (Y, X),
        [
            lambda y, x: sg.trapezoid(y, x),
            lambda y, x: sg.trapezoid(y, dx=x[0], axis=0),
            lambda y, x: sg.trapezoid(y, x * np.ones((4, 1)), axis=1),
            lambda y, x: sg.simpson(y, x=x),
            lambda y, x: sg.simpson(y, dx=x[0], axis=0),
            lambda y, x: sg.simpson(y[:, :8], x=x[:8]),
            lambda y, x: sg.simpson(y, x=x[:4], axis=0),
            lambda y, x: sg.cumulative_trapezoid(y, x, initial=0),
            lambda y, x: sg.cumulative_trapezoid(y, dx=x[0]),
            lambda y, x: sg.cumulative_trapezoid(y, x[:4], axis=0),
            lambda y, x: sg.cumulative_trapezoid(y, x, 1.0, -1),
            lambda y, x: sg.cumulative_simpson(y, x=X),
            lambda y, x: sg.cumulative_simpson(y, dx=0.3, axis=0),
            lambda y, x: sg.cumulative_simpson(y, dx=0.3, initial=y[0, 0]),
            lambda y, x: sg.cumulative_simpson(y, dx=0.3, initial=0.0),
            refused(lambda y, x: sg.cumulative_simpson(y, dx=x[0])),
            lambda y, x: sg.romb(y, dx=x[0]),
            lambda y, x: sg.romb(y[:3], axis=0),
            lambda y, x: sg.romb(y, show=False),
            refused(lambda y, x: sg.cumulative_simpson(y, x=x)),
        ],
    ),
    "quad": (
        (np.array(1.3),),
        [
            lambda a: sg.quad(lambda x: np.exp(-a * x), 0, 2)[0],
            lambda a: sg.quad(lambda x, p, q: np.exp(-p * x) + q, 0, 2, args=(a, 1.0))[0],
            lambda a: sg.quad(lambda x, p: np.exp(-p * x), 0, 2, args=a)[0],
            lambda a: sg.quad(lambda x: np.exp(-a * x), 0, a, full_output=1)[0],
            lambda a: sg.quad(lambda x: np.exp(-a * x), 0, 2, full_output=True)[1] + 0 * a,
            lambda a: sg.quad(np.exp, -INF, -a)[0],
            lambda a: sg.quad(lambda x: np.exp(-x * x * a), -INF, INF)[0],
            lambda a: sg.quad(lambda x: np.exp(-a * x), a, INF)[0],
            lambda a: sg.quad(lambda x: x**a, 0, 1)[0],
            lambda a: sg.quad(lambda x: np.exp(-a * x), INF, a)[0],
            lambda a: sg.quad(lambda x: a * x, a, 0)[0],
            lambda a: sg.quad(lambda x: np.abs(x - a), 0, 3, points=[a])[0],
            lambda a: sg.quad(lambda x: np.abs(x - 1) * a, 0, 3, points=[1.0])[0],
            lambda a: sg.quad(lambda x: a * x, 0, 2, epsabs=1e-10, epsrel=1e-10, limit=60)[0],
            lambda a: sg.quad(lambda x: a * x, 0, 2, limlst=60, maxp1=60)[0],
            *[
                refused(
                    lambda a, w=w: sg.quad(lambda x: np.exp(-a * x), 0, 2, weight=w, wvar=2.0)[0]
                )
                for w in ("cos", "sin")
            ],
            refused(
                lambda a: sg.quad(
                    lambda x: np.exp(-a * x), 0, 2, weight="cos", wvar=2.0, wopts=None
                )[0]
            ),
            refused(
                lambda a: sg.quad(
                    lambda x: np.exp(-a * x), 0, INF, weight="cos", wvar=2.0, limlst=60
                )[0]
            ),
            *[
                refused(
                    lambda a, w=w: sg.quad(
                        lambda x: np.exp(-a * x), 0, 2, weight=w, wvar=(-0.3, 0.2)
                    )[0]
                )
                for w in ("alg", "alg-loga", "alg-logb", "alg-log")
            ],
            refused(
                lambda a: sg.quad(lambda x: np.exp(-a * x), 0, 2, weight="cauchy", wvar=0.7)[0]
            ),
            lambda a: sg.quad(lambda x: np.exp(-1j * a * x), 0, 2, complex_func=True)[0],
            lambda a: sg.dblquad(lambda y, x, p: p * x + y**2, 0, a, 0, lambda x: x, args=(a,))[0],
            lambda a: sg.dblquad(
                lambda y, x: a * x * y, 0, 1, lambda x: a * x, 2.0, epsabs=1e-9, epsrel=1e-9
            )[0],
            lambda a: sg.tplquad(
                lambda z, y, x, p: p * x * z, 0, 1, 0, 1, 0, a, args=(a,), epsabs=1e-9, epsrel=1e-9
            )[0],
            lambda a: sg.fixed_quad(lambda x, p: np.exp(-p * x), 0, a, args=(a,), n=4)[0],
            refused(lambda a: sg.nquad(lambda x, y: a * x * y, [[0, 1], [0, a]])[0]),
            refused(lambda a: sg.quad_vec(lambda x: np.array([a * x, x**a]), 0, 1)[0]),
            refused(lambda a: sg.tanhsinh(lambda x: a * x, 0, 1).integral),
            lambda a: sg.newton_cotes(3)[0] * a,
        ],
    ),
    "solve_ivp": (
        (np.array(1.3), np.array([0.9, 0.4])),
        [
            *[
                lambda a, y, m=m: sg.solve_ivp(decay, (0, 1.5), y, method=m, args=(a,), **TIGHT).y[
                    :, -1
                ]
                for m in ("RK45", "DOP853", "LSODA")
            ],
            *[
                lambda a, y, m=m: sg.solve_ivp(decay, (0, 0.2), y, method=m, args=(a,), **STIFF).y[
                    :, -1
                ]
                for m in ("RK23", "Radau", "BDF")
            ],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, t_eval=T, args=(a,), **TIGHT).y,
            lambda a, y: sg.solve_ivp(decay, (0, a), y, t_eval=[0.3, a], args=(a,), **TIGHT).y,
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, t_eval=T * a / 2, args=(a,), **TIGHT).y,
            lambda a, y: sg.solve_ivp(decay, (0.1 * a, a), y, args=(a,), **TIGHT).y[:, -1],
            lambda a, y: sg.solve_ivp(decay, (1.5, 0), y, args=(a,), **TIGHT).y[:, -1],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), dense_output=True, **TIGHT).y[
                :, -1
            ],
            lambda a, y: sg.solve_ivp(
                decay, (0, 1.5), y, args=(a,), dense_output=True, **TIGHT
            ).sol(T),
            lambda a, y: sg.solve_ivp(
                decay, (0, 1.5), y, args=(a,), dense_output=True, **TIGHT
            ).sol(0.7),
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), events=low, **TIGHT).y[:, -1],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), events=low, **TIGHT).t_events[
                0
            ],
            lambda a, y: sg.solve_ivp(
                decay, (0, 1.5), y, args=(a,), events=[ending], **TIGHT
            ).y_events[0],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), events=ending, **TIGHT).y[
                :, -1
            ],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), events=ending, **TIGHT).t[-1],
            lambda a, y: (
                sg.solve_ivp(
                    decay,
                    (0, 1.5),
                    y,
                    t_eval=[0.1, 0.2, 1.4],
                    args=(a,),
                    events=(low, ending),
                    **TIGHT,
                ).y
            ),
            lambda a, y: sg.solve_ivp(
                decay, (0, 0.6), y, "LSODA", args=(a,), events=ending, dense_output=True, **TIGHT
            ).sol([0.2, 0.1]),
            *[
                lambda a, y, m=m: sg.solve_ivp(
                    decay, (0, 0.2), y, method=m, args=(a,), jac=slopes, **STIFF
                ).y[:, -1]
                for m in ("Radau", "BDF", "LSODA")
            ],
            lambda a, y: sg.solve_ivp(
                decay, (0, 0.2), y, "BDF", args=(a,), jac_sparsity=np.ones((2, 2)), **STIFF
            ).y[:, -1],
            *[
                lambda a, y, m=m: sg.solve_ivp(
                    stacked, (0, 0.2), y, method=m, args=(a,), vectorized=True, **STIFF
                ).y[:, -1]
                for m in ("RK45", "Radau", "BDF")
            ],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), max_step=0.1, **TIGHT).y[
                :, -1
            ],
            lambda a, y: sg.solve_ivp(decay, (0, 1.5), y, args=(a,), first_step=0.01, **TIGHT).y[
                :, -1
            ],
            lambda a, y: sg.solve_ivp(
                decay, (0, 1.5), y, "LSODA", args=(a,), min_step=1e-9, lband=1, uband=1, **TIGHT
            ).y[:, -1],
            lambda a, y: sg.solve_ivp(
                decay, (0, 1.5), y, args=(a,), rtol=1e-10, atol=[1e-11, 1e-12]
            ).y[:, -1],
            lambda a, y: sg.solve_ivp(
                lambda t, z: -a * z, [0, 1.5], [y[0]], method=sg.DOP853, **TIGHT
            ).y[:, -1],
        ],
    ),
    "odeint": (
        (np.array(1.3), np.array([0.9, 0.4])),
        [
            lambda a, y: sg.odeint(lambda y, t, a: decay(t, y, a), y, T, args=(a,), **TIGHT),
            lambda a, y: sg.odeint(decay, y, T, args=(a,), tfirst=True, **TIGHT),
            lambda a, y: sg.odeint(decay, y, T, (a,), slopes, tfirst=True, **TIGHT),
            lambda a, y: sg.odeint(
                decay,
                y,
                T,
                (a,),
                lambda t, y, a: np.array(slopes(t, y, a)).T,
                col_deriv=1,
                tfirst=True,
                **TIGHT,
            ),
            lambda a, y: sg.odeint(decay, y, T, args=(a,), tfirst=True, full_output=1, **TIGHT)[0],
            lambda a, y: sg.odeint(decay, y, T, args=(a,), tfirst=True, ml=1, mu=1, **TIGHT),
            lambda a, y: sg.odeint(
                decay,
                y,
                T,
                args=(a,),
                tfirst=True,
                h0=0.01,
                hmax=0.1,
                hmin=1e-9,
                ixpr=0,
                mxstep=5000,
                mxhnil=2,
                mxordn=10,
                mxords=4,
                printmessg=0,
                **TIGHT,
            ),
            lambda a, y: sg.odeint(decay, y, T, args=(a,), tfirst=True, tcrit=[0.7], **TIGHT),
            lambda a, y: sg.odeint(decay, y, T * a, args=(a,), tfirst=True, **TIGHT),
            lambda a, y: sg.odeint(lambda y, t: -a * y, y[0], T, **TIGHT),
        ],
    ),
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
            refused(lambda a: so.brute(lambda z: bowl(z, a), ((0, 1), (0, 1)), Ns=4)),
            refused(lambda a: so.shgo(lambda z: bowl(z, a), [(0, 1), (-1, 1)]).x),
            refused(lambda a: so.direct(lambda z: bowl(z, a), [(0, 1), (-1, 1)]).x),
            refused(lambda a: so.fmin_slsqp(bowl, [0.1, 0.2], args=(a,), iprint=0)),
            refused(lambda a: so.lsq_linear([[a, 1.0], [1.0, 2.0], [0, a]], [1.0, a, 2]).x),
            refused(lambda a: so.isotonic_regression([a, 0.2]).x),
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
            refused(lambda a, b: so.lsq_linear(a, b).x),
            lambda a, b: so.linprog(b[:3], a, b**2, bounds=(0, 1)).x,
        ],
    ),
}
VALUE_RTOL, RTOL, STEP = 1e-5, 2e-4, 1e-4
