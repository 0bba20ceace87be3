"""Calls of ``scipy.integrate.solve_bvp`` with each keyword."""

import numpy as np
from scipy.integrate import solve_bvp

from .checking import refused

X = np.linspace(0, 1, 6)
GUESS = np.stack((X, 0 * X))
RTOL = 1e-5
STEP = 1e-4
TIGHT = {"tol": 1e-8, "max_nodes": 5000}


def bratu(k, end, x=X, bc_tol=None):
    """y'' + exp(k y) = 0 with y(0) = 0.1 k and y(1) = end."""

    def fun(x, y):
        return np.vstack((y[1], -np.exp(k * y[0])))

    def bc(first, last):
        return np.array([first[0] - 0.1 * k, last[0] - end])

    return solve_bvp(fun, bc, x, GUESS, tol=1e-8, max_nodes=5000, verbose=0, bc_tol=bc_tol)


def fun_jac(x, y):
    return np.array([[0 * x, 1 + 0 * x], [-1.3 * np.exp(1.3 * y[0]), 0 * x]])


def bc_jac(first, last):
    return np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])


def with_jacobians(end):
    def fun(x, y):
        return np.vstack((y[1], -np.exp(1.3 * y[0])))

    def bc(first, last):
        return np.array([first[0], last[0] - end])

    return solve_bvp(fun, bc, X, GUESS, fun_jac=fun_jac, bc_jac=bc_jac, **TIGHT)


def wave(a):
    """Wave number of y'' + p^2 (1 + a x) y = 0 with y(0) = y(1) = 0, and the solution."""

    def fun(x, y, p):
        out = np.zeros_like(y)
        out[0] = y[1]
        out[1] = -(p[0] ** 2) * (1 + a * x) * y[0]
        return out

    def bc(first, last, p):
        return np.array([first[0], last[0], first[1] - p[0]])

    start = np.stack((np.sin(np.pi * X), 0 * X))
    return solve_bvp(fun, bc, X, start, p=[3.0], S=None, **TIGHT)


def singular(a):
    """y'' + 2 y' / x + a y = 0 with y'(0) = 0 and y(1) = 1."""

    def fun(x, y):
        return np.vstack((y[1], -a * y[0]))

    return solve_bvp(
        fun, lambda first, last: np.array([first[1], last[0] - 1]), X, GUESS + 1.0,
        S=np.array([[0.0, 0.0], [0.0, -2.0]]),
    )  # fmt: skip


def rotating(a):
    """y' = i a y with y(0) = 1."""
    return solve_bvp(
        lambda x, y: 1j * a * y, lambda first, last: first - 1, X, np.ones((1, 6), complex)
    )


def without_solution(a):
    """Bratu's problem has no solution where a is above 3.51."""
    return solve_bvp(
        lambda x, y: np.vstack((y[1], -a * np.exp(y[0]))),
        lambda first, last: np.array([first[0], last[0]]), X, 0 * GUESS, max_nodes=50,
    )  # fmt: skip


# name: (arguments, calls)
CALLS = {
    "solve_bvp": (
        (1.3, 0.4),
        [
            lambda k, e: bratu(k, e).sol(np.array([0.3, 0.77]))[0],
            lambda k, e: bratu(k, e).sol(k / 2, 1),
            lambda k, e: bratu(k, e).y[:, ::8],
            lambda k, e: bratu(k, e).yp[:, -1],
            lambda k, e: bratu(k, e, bc_tol=1e-9).y[1, 0],
            lambda k, e: bratu(1.1, e, x=np.linspace(0.0, k, 6)).sol(0.5 * k),
            lambda k, e: bratu(1.1, e, x=np.linspace(0.0, k, 6)).x,
            lambda k, e: bratu(1.1, 0.5).y[:, -1] * k,
            lambda k, e: with_jacobians(e).y[1, 0],
        ],
    ),
    "solve_bvp with an unknown parameter": (
        (0.7,),
        [
            lambda a: wave(a).p,
            lambda a: wave(a).sol(0.4)[0],
        ],
    ),
    "solve_bvp, refused": (
        (1.2,),
        [
            refused(lambda a: singular(a).y),
            refused(lambda a: np.real(rotating(a).y)),
        ],
    ),
}
