"""Calls of ``scipy.integrate`` with each keyword and each documented value."""

import numpy as np
import scipy.integrate as sg

from .checking import refused

RNG = np.random.default_rng(2)
Y = RNG.normal(size=(4, 9))
X = np.sort(RNG.uniform(0, 3, 9))
T = np.linspace(0, 1.5, 4)
TIGHT = {"rtol": 1e-10, "atol": 1e-11}
STIFF = {"rtol": 1e-7, "atol": 1e-8}  # implicit methods take many steps otherwise
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
                lambda a, w=w, f=f, b=b: sg.quad(
                    lambda x: np.exp(-a * x), 0, b, weight=w, wvar=f, wopts=None
                )[0]
                for w in ("cos", "sin")
                for f in (2.0, 31.0)
                for b in (2.0, INF)
            ],
            *[
                lambda a, w=w: sg.quad(lambda x: 1 / (a + x), a, INF, weight=w, wvar=a)[0]
                for w in ("cos", "sin")
            ],
            lambda a: sg.quad(
                lambda x: np.exp(-a * x / 5) * np.cos(1.9 * x), 0, INF, weight="cos", wvar=2.0
            )[0],
            *[
                lambda a, w=w: sg.quad(lambda x: np.exp(a * x), -INF, a, weight=w, wvar=1.5)[0]
                for w in ("cos", "sin")
            ],
            *[
                lambda a, w=w: sg.quad(lambda x: np.exp(-a * x), a, -a, weight=w, wvar=a)[0]
                for w in ("cos", "sin")
            ],
            lambda a: sg.quad(lambda x: np.exp(-a * x), 0, INF, weight="cos", wvar=2.0, limlst=60)[
                0
            ],
            *[
                lambda a, w=w, v=v: sg.quad(
                    lambda x: np.exp(-a * x), 0, 2, weight=w, wvar=(v, 0.2)
                )[0]
                for w in ("alg", "alg-loga", "alg-logb", "alg-log")
                for v in (-0.3, 0.5)
            ],
            lambda a: sg.quad(lambda x: np.cos(9 * a * x), -a, a, weight="alg", wvar=(a, -a / 3))[
                0
            ],
            *[
                lambda a, c=c: sg.quad(
                    lambda x: np.exp(-a * x) * np.cos(4 * x), -1, 2, weight="cauchy", wvar=c
                )[0]
                for c in (-0.9, 0.5, 1.99, 3.0)
            ],
            refused(lambda a: sg.quad(lambda x: a * x, 0, 2, weight="cauchy", wvar=a)[0]),
            lambda a: sg.quad(
                lambda x: np.exp(1j * a * x), 0, 2, weight="cos", wvar=2.0, complex_func=True
            )[0],
            lambda a: sg.quad(lambda x: np.exp(-1j * a * x), 0, 2, complex_func=True)[0],
            lambda a: sg.dblquad(lambda y, x, p: p * x + y**2, 0, a, 0, lambda x: x, args=(a,))[0],
            lambda a: sg.dblquad(
                lambda y, x: a * x * y, 0, 1, lambda x: a * x, 2.0, epsabs=1e-9, epsrel=1e-9
            )[0],
            lambda a: sg.tplquad(
                lambda z, y, x, p: p * x * z, 0, 1, 0, 1, 0, a, args=(a,), epsabs=1e-9, epsrel=1e-9
            )[0],
            lambda a: sg.fixed_quad(lambda x, p: np.exp(-p * x), 0, a, args=(a,), n=4)[0],
            lambda a: sg.nquad(lambda x, y: a * x * y, [[0, 1], [0, a]])[0],
            lambda a: sg.nquad(
                lambda x, y, p: p * x * y,
                ranges=[lambda y, p: (0, p * y), (0, 1)],
                args=(a,),
                opts=[lambda y, p: {"epsrel": 1e-9}, {"epsabs": 1e-9}],
                full_output=True,
            )[0],
            lambda a: sg.nquad(
                lambda x, y: a * np.abs(x - 0.5) * y, [(0, 1), (0, a)], opts={"points": [0.5]}
            )[0],
            lambda a: sg.quad_vec(lambda x: np.array([a * x, np.exp(a * x)]), 0, 1)[0],
            lambda a: sg.quad_vec(lambda x: np.cos(a * x) * np.eye(2), 2, a)[0],
            lambda a: sg.quad_vec(lambda x: np.array([np.exp(-a * x), x * x]), 2, 0.5)[0],
            *[
                lambda a, r=r: sg.quad_vec(lambda x: np.exp(-a * x * x) * np.ones(2), *r)[0]
                for r in ((0.3, INF), (-INF, 0.7), (-INF, INF))
            ],
            lambda a: sg.quad_vec(
                lambda x, p: np.array([p * np.abs(x - 0.3)]),
                0,
                1,
                epsabs=1e-10,
                epsrel=1e-10,
                norm="max",
                cache_size=1e6,
                limit=500,
                workers=1,
                points=[0.3],
                quadrature="gk15",
                full_output=True,
                args=(a,),
            )[0],
            refused(lambda a: sg.quad_vec(lambda x: np.exp(-x) * np.ones(2), a, INF)[0]),
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
}

VALUE_RTOL, RTOL, STEP = 1e-5, 2e-4, 1e-4
