"""Solvers: implicit differentiation by args and by variables of closures."""

import numpy as np
import pytest
import scipy.optimize as so
from scipy.optimize import brentq, curve_fit, fsolve, minimize, nnls, root

import arraygrad as ag

from .checking import SCIPY, check


def cubic(x, a, b):
    return x**3 + a * x - b


def test_roots_of_one_function():
    def f(a, b):
        return (
            brentq(cubic, 0.0, 3.0, args=(a, b)),
            brentq(lambda x: np.cos(x) - a * x, 0.0, 3.0),
            so.newton(cubic, 1.0, args=(a, b)),
            so.newton(lambda x: cubic(x, a, b), 1.0, fprime=lambda x: 3 * x**2 + a),
            so.bisect(cubic, 0.0, 3.0, args=(a, b)),
            so.toms748(cubic, 0.0, 3.0, args=(a, b)),
            so.root_scalar(cubic, args=(a, b), bracket=(0.0, 3.0)).root,
            so.fixed_point(lambda x: np.cos(a * x), 0.5),
        )  # fmt: skip

    check(f, 0.8, 1.3)


def test_third_derivative_of_a_root():
    """x^2 = p: the third derivative of the square root is 3/8 p^(-5/2)."""

    def f(p):
        return brentq(lambda x: x * x - p, 0.1, 5.0)

    assert ag.grad(ag.grad(ag.grad(f)))(2.0) == pytest.approx(0.375 * 2.0**-2.5)


def test_newton_for_many_points():
    check(lambda p: so.newton(lambda x: x**2 - p, np.ones(3)), [2.0, 3.0, 4.5])


def test_roots_of_several_functions():
    def f(a, b):
        def g(x):
            return [x[0] ** 2 + x[1] - a, x[0] - b * x[1] ** 2]

        return root(g, [1.0, 0.5]).x, fsolve(g, [1.0, 0.5]), root(g, [1, 0.5], method="lm").x

    check(f, 2.0, 0.7, rtol=1e-5)


def test_minima():
    def f(a, b):
        def loss(x):
            return (x[0] - a) ** 2 + np.exp(x[0] * x[1]) + b * x[1] ** 2

        found = minimize(loss, [0.5, 0.2], tol=1e-10)
        with_jac = minimize(
            lambda x, a: (np.sum((x - a) ** 4 + x**2), 4 * (x - a) ** 3 + 2 * x),
            np.zeros(2), args=(b,), jac=True, tol=1e-9,
        )  # fmt: skip
        scalar = so.minimize_scalar(lambda x: np.cosh(x - a) + b * x).x
        return found.x, found.fun, with_jac.x, scalar

    check(f, 0.8, 1.3, rtol=1e-4, value_rtol=1e-6, step=1e-3)


def test_bounds_and_constraints():
    def f(a, b):
        def loss(x):
            return np.sum((x - np.array([a, b, 1.0])) ** 2)

        bounded = minimize(loss, np.zeros(3), bounds=[(0, 0.5), (None, None), (0, b)], tol=1e-10)
        on_plane = minimize(
            loss, np.zeros(3), method="SLSQP", tol=1e-10,
            constraints=[{"type": "eq", "fun": lambda x: np.sum(x**2) - a},
                         {"type": "ineq", "fun": lambda x: 50.0 - x[0]}],
        )  # fmt: skip
        return bounded.x, on_plane.x

    check(f, 1.2, 0.7, rtol=1e-3, value_rtol=1e-6, step=1e-3)


def test_least_squares_and_curve_fit():
    t = np.linspace(0, 2, 8)
    y = 1.5 * np.exp(-0.8 * t) + 0.05 * np.cos(9 * t)

    def model(t, a, k):
        return a * np.exp(-k * t)

    def f(y, t):
        popt, pcov = curve_fit(model, t, y)
        fit = so.least_squares(lambda p: p[0] * np.exp(-p[1] * t) - y, [1.0, 1.0], xtol=1e-14)
        return popt, 10 * pcov, fit.x, fit.cost

    check(f, y, t, rtol=1e-4, order=1, value_rtol=1e-5, step=1e-3)
    check(lambda s: curve_fit(model, t, y, sigma=s, absolute_sigma=True)[0], 0.1 + 0.1 * t,
          rtol=1e-4, order=1, value_rtol=1e-5, step=1e-3)  # fmt: skip


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan", "own"])
def test_least_squares_with_other_losses(loss):
    t = np.linspace(0, 2, 8)

    def own(z):
        return np.array([np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2])

    def f(y, scale):
        fit = so.least_squares(
            lambda p: p[0] + p[1] * t - y, [1.0, 1.0], loss=own if loss == "own" else loss,
            f_scale=scale, xtol=1e-14, gtol=1e-14, ftol=1e-15,
        )  # fmt: skip
        return fit.x, fit.cost

    y = 0.4 + 1.5 * t + np.array([0.1, -0.2, 0.05, 1.5, -0.1, 0.2, -0.15, 0.1])
    check(f, y, 0.3, rtol=1e-3, order=1, value_rtol=1e-5, step=1e-3)


def test_curve_fit_with_a_covariance_matrix():
    t = np.linspace(0, 2, 6)

    def f(y, root):
        sigma = root @ root.T + np.eye(6)
        return so.curve_fit(lambda t, a, b: a + b * t, t, y, sigma=sigma)[0]

    rng = np.random.default_rng(1)
    check(f, 1 + t**2, rng.normal(size=(6, 6)), rtol=1e-4, order=1, value_rtol=1e-5, step=1e-3)


def test_objects_for_constraints_and_bounds():
    def f(a, b):
        def loss(x):
            return np.sum((x - np.stack([a, b, 1.0])) ** 2)

        equal = so.LinearConstraint([[1.0, 1.0, 0.0]], b, b)
        below = so.LinearConstraint([[0.0, 0.0, 1.0], [b, 0.0, 0.0]], -9.0, [0.3, 5.0])
        curved = so.NonlinearConstraint(lambda x: x[0] * x[2] ** 2, -9.0, 0.02 * a)
        found = minimize(loss, np.zeros(3), method="SLSQP", constraints=[equal, below], tol=1e-12)
        both = minimize(loss, np.full(3, 0.1), method="SLSQP", constraints=[curved], tol=1e-12)
        inside = minimize(loss, np.zeros(3), bounds=so.Bounds(-1.0, [0.5, 0.2 * b, 2.0]), tol=1e-12)
        return found.x, both.x, inside.x

    check(f, 1.2, 0.7, rtol=1e-3, value_rtol=1e-5, step=1e-3)


def test_nnls():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(6, 4))
    b = A @ np.array([1.0, -0.5, 0.3, 0.0]) + 0.1 * rng.normal(size=6)
    check(lambda A, b: nnls(A, b), A, b)


def test_assignment_is_plain_and_its_gather_is_not():
    cost = np.array([[4.0, 1.0, 3.0], [2.0, 0.5, 5.0], [3.0, 2.0, 2.0]])

    def f(cost):
        rows, columns = so.linear_sum_assignment(cost)
        return cost[rows, columns].sum()

    check(f, cost)


def test_global_searches():
    seeded = {"rng" if SCIPY >= (1, 15) else "seed": 1}

    def f(a, b):
        def loss(x):
            return np.sum((x - a) ** 2) + b * np.cos(3 * x[0])

        found = so.differential_evolution(loss, [(-2, 2), (-2, 0.5)], **seeded, tol=1e-10)
        hopped = so.basinhopping(loss, [0.1, 0.2], niter=3, **seeded)
        return found.x, hopped.x, found.fun

    check(f, 0.8, 0.3, rtol=1e-3, value_rtol=1e-5, step=1e-3, order=1)


def test_a_solver_without_rule_refuses():
    def f(a):
        return so.linprog([a, 1.0], bounds=[(0, 1)]).x[0]

    with pytest.raises(ag.errors.DetachError) as raised:
        ag.grad(f)(0.5)
    assert "so.linprog" in raised.value.__notes__[0]


def test_a_singular_jacobian_is_named():
    with pytest.raises(ag.errors.LinAlgError, match="brentq"):
        ag.grad(lambda a: brentq(lambda x: (x - a) ** 3, 0.0, 1.0, xtol=1e-300))(0.5)


def bowl(x, a):
    return (x[0] - a) ** 2 + (x[1] - a**2) ** 2 + 0.1 * x[0] * x[1]


def test_searches_that_end_beside_a_bound():
    """They come near to it from inside; without the bound the minimum would move with a."""

    def within(a, upper):
        return (
            so.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, upper), method="bounded").x,
            so.fminbound(lambda x: (x - a) ** 2, 0.0, upper),
        )

    for i in (0, 1):
        assert ag.grad(lambda a, i=i: within(a, 1.0)[i])(1.3) == 0
        assert ag.grad(lambda upper, i=i: within(1.3, upper)[i])(1.0) == 1
        assert ag.grad(lambda a, i=i: within(a, 2.0)[i])(1.3) == pytest.approx(1)


@pytest.mark.parametrize("bounds", [None, [(0.4, 3.0), (0.0, 0.2)]])
def test_methods_agree_on_what_is_active(bounds):
    """An interior point stays off the constraints that hold it."""

    def solution(a, method):
        below = so.LinearConstraint([[1.0, 1.0]], -np.inf, 1.0)
        return so.minimize(
            bowl, [0.5, 0.1], (a,), method=method, constraints=below, bounds=bounds
        ).x

    exact = ag.jacobian(lambda a: solution(a, "SLSQP"))(1.3)
    found = ag.jacobian(lambda a: solution(a, "trust-constr"))(1.3)
    np.testing.assert_allclose(found, exact, atol=1e-5)

    def searched(a):
        below = {"type": "ineq", "fun": lambda x: 1.0 - x[0] - x[1]}
        return so.shgo(bowl, bounds or [(-3, 3), (-3, 3)], args=(a,), constraints=below).x

    np.testing.assert_allclose(ag.jacobian(searched)(1.3), exact, atol=1e-5)
