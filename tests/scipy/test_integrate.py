"""Integrals of samples and functions, and differential equations."""

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import cumulative_trapezoid, odeint, quad, simpson, solve_ivp, trapezoid

import arraygrad as ag

from . import keywords_boundary
from .checking import check

X = np.array([0.0, 0.7, 1.5, 2.1, 3.4, 4.0, 4.9])
Y = np.sin(X) + 0.3 * X


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_samples(n):
    def f(y, x, dx):
        return (
            trapezoid(y, x), simpson(y, x=x), cumulative_trapezoid(y, x), simpson(y, dx=dx),
            cumulative_trapezoid(y, dx=dx, initial=0), trapezoid(y[:, None] * y, dx=dx, axis=0),
            simpson(y[:, None] * y, x=x, axis=0),
        )  # fmt: skip

    check(f, Y[:n], X[:n], 0.3)


def test_fixed_weights():
    check(lambda y: integrate.romb(y[:5], dx=0.2), Y)
    check(lambda y: integrate.cumulative_simpson(y, x=X, initial=0), Y)


def bell(x, width, height):
    return height * np.exp(-((x / width) ** 2))


def test_quad_by_args_limits_and_closure():
    def f(width, height, a, b, shift):
        return (
            quad(bell, a, b, args=(width, height))[0],
            quad(lambda x: bell(x - shift, width, height), -1.0, 2.0)[0],
            quad(bell, 0.2, np.inf, args=(width, height))[0],
            quad(bell, -np.inf, b, args=(width, height))[0],
            quad(bell, -np.inf, np.inf, args=(width, height))[0],
            quad(bell, b, a, args=(width, height))[0],
        )  # fmt: skip

    check(f, 0.8, 1.3, -0.4, 1.2, 0.3)


def test_quad_of_an_integrand_that_does_not_depend():
    check(lambda b: quad(np.cos, 0.0, b)[0], 1.2)
    assert quad(np.cos, 0.0, 1.0)[0] == pytest.approx(ag.lift(lambda: quad(np.cos, 0.0, 1.0))()[0])


def test_double_and_fixed_quad():
    def f(a, b):
        return (
            integrate.dblquad(lambda y, x: np.exp(-a * x * y), 0.0, b, 0.0, lambda x: x * a)[0],
            integrate.fixed_quad(lambda x: np.exp(-a * x), 0.0, b)[0],
        )

    check(f, 0.8, 1.2, order=1)


def pendulum(t, y, damping, gravity):
    angle, speed = y
    return [speed, -damping * speed - gravity * np.sin(angle)]


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853"])
def test_explicit_methods(method):
    times = np.array([0.0, 0.4, 1.1, 1.5])

    def f(y0, damping, gravity):
        sol = solve_ivp(
            pendulum, (0.0, 1.5), y0, method=method, t_eval=times, args=(damping, gravity),
            rtol=1e-4,
        )  # fmt: skip
        return sol.y

    # The steps of the value change with the parameters, those of the derivative do not.
    check(f, [0.6, -0.1], 0.3, 2.0, order=1, rtol=1e-3)


def test_the_end_of_the_span_and_the_last_value():
    def f(y0, end, k):
        sol = solve_ivp(lambda t, y: -k * y + np.sin(t), (0.0, end), y0, rtol=1e-8, atol=1e-8)
        return sol.y[:, -1], sol.t[-1]

    check(f, [0.6], 1.5, 0.7, rtol=1e-5)


def decay(y, t, k):
    return np.array([-k * y[0], k * y[0] - y[1]])


def test_odeint():
    times = np.linspace(0, 2, 5)
    check(lambda y0, k: odeint(decay, y0, times, args=(k,)), [1.0, 0.2], 0.7, rtol=1e-5)
    check(lambda y0, t: odeint(decay, y0, t, args=(0.7,)), [1.0, 0.2], times, order=1, rtol=1e-5)


@pytest.mark.parametrize("method", ["LSODA", "Radau", "BDF"])
def test_implicit_methods(method):
    def f(k):
        return solve_ivp(
            lambda t, y: [-k * y[0] + y[1], -y[1] * y[1]], (0.0, 1.0), [1.0, 0.5], method=method,
            t_eval=[0.5, 1.0], rtol=1e-5, atol=1e-7,
        ).y  # fmt: skip

    check(f, 3.0, order=1, rtol=1e-3, step=1e-2)


def test_a_stiff_problem_by_implicit_steps():
    def f(k):
        return solve_ivp(
            lambda t, y: [-k * (y[0] - np.cos(t))], (0.0, 1.0), [0.5], method="Radau",
            t_eval=[1.0], rtol=1e-4,
        ).y  # fmt: skip

    check(f, 1e5, order=1, rtol=1e-4)


def falling_below(t, y):
    return y[0] - 0.5


falling_below.terminal = True


def test_events_and_dense_output():
    """An event's time is an implicit function; the solution ends there, and moves with it."""

    def f(k):
        report = solve_ivp(
            lambda t, y: [-k * y[0]], (0.0, 1.0), [1.0], "DOP853", events=falling_below,
            dense_output=True, rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        return report.t_events[0], report.y_events[0], report.t[-1], report.sol([0.2, 0.1])

    check(f, 2.0)
    time = ag.grad(lambda k: f(k)[0][0])
    assert time(2.0) == pytest.approx(-np.log(2) / 4, rel=1e-8)
    assert ag.grad(time)(2.0) == pytest.approx(np.log(2) / 4, rel=1e-7)


def test_arguments_of_nested_integrals_come_last():
    """They once came between the variables."""

    def f(a):
        return integrate.dblquad(lambda y, x, p, q: p * x + q * y**2, 0, 1, 0, 2.0, args=(a, 3.0))[
            0
        ]

    check(f, 1.3)


def test_a_boundary_value_problem_without_solution_has_no_gradient():
    with pytest.raises(ag.errors.GradientError, match=r"solve_bvp found no solution"):
        ag.grad(lambda a: keywords_boundary.without_solution(a).y[0, 2])(4.0)
    assert not keywords_boundary.without_solution(4.0).success


def test_a_boundary_value_problem_without_gradients_gives_tensors():
    from arraygrad.scipy.integrate import solve_bvp

    def fun(x, y):
        return np.vstack((y[1], -np.exp(y[0])))

    problem = fun, lambda first, last: np.array([first[0], last[0]]), X / 4.9, np.zeros((2, 7))
    found, wanted = solve_bvp(*problem), integrate.solve_bvp(*problem)
    assert isinstance(found.y, ag.Tensor)
    np.testing.assert_array_equal(found.y, wanted.y)
    np.testing.assert_allclose(found.sol(0.5), wanted.sol(0.5))
