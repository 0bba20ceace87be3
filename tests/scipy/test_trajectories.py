"""Solutions of differential equations whose steps are taken together: right, whatever the style."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp

import arraygrad as ag

from .checking import check

METHODS = ["RK45", "DOP853", "LSODA", "Radau", "BDF"]
TIMES = np.array([0.0, 0.3, 0.31, 1.0, 1.5])


def logistic(t, a, y0):
    """Closed form of y' = a y (1 - y), and its slopes by a and y0."""
    mpmath.mp.dps = 30

    def y(a, y0):
        return y0 * mpmath.exp(a * t) / (1 + y0 * (mpmath.exp(a * t) - 1))

    return [float(mpmath.diff(y, (a, y0), n)) for n in ((0, 0), (1, 0), (0, 1), (2, 0))]


def listed(t, y, a):
    return [a * y[0] * (1 - y[0]), 0.0]


def stacked(t, y, a):
    return np.array([a * y[0] * (1 - y[0]), 0.0 * t])


def filled(t, y, a):
    out = np.zeros(2)
    out[0] = a * y[0] * (1 - y[0])
    return out


def rate(y, a):
    made = np.empty(2)
    made[:] = a * y * (1 - y)
    made[1] = 0.0
    return made


def by_helper(t, y, a):
    return rate(y, a)


def branching(t, y, a):
    if y[0] > 0.4:
        return np.array([a * y[0] - a * y[0] ** 2, 0.0])
    return np.array([a * y[0] * (1 - y[0]), 0.0])


def of_any(t, y, a):
    """With several points at once the condition would mean something else."""
    slope = a * y[0] * (1 - y[0])
    if np.any(y[0] > 0.4):
        slope = slope + a * (0.5 + y[0]) * 0.0 * y[1]
    else:
        slope = slope + 1e-3 * y[1] * np.abs(y[1])
    return np.array([slope, 0.0 * y[1]])


def scaled(t, y, a):
    """The norm is that of one state."""
    return a * y * (1 - y) * np.linalg.norm(y) / np.sqrt(np.sum(y**2))


STYLES = [listed, stacked, filled, by_helper, branching, of_any]


@pytest.mark.parametrize("style", STYLES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_closed_form(method, style):
    def at(a, y0):
        return solve_ivp(
            style, (0, 1.5), [y0, 0.0], method, TIMES, args=(a,), rtol=1e-6, atol=1e-8
        ).y[0]

    for i in (2, 4):
        value, by_a, by_y0, _ = logistic(TIMES[i], 1.3, 0.2)
        assert ag.lift(at)(1.3, 0.2)[i] == pytest.approx(value, rel=1e-5)
        found = ag.grad(lambda a, y0, i=i: at(a, y0)[i], (0, 1))(1.3, 0.2)
        np.testing.assert_allclose(found, (by_a, by_y0), rtol=2e-5)


@pytest.mark.parametrize("style", STYLES, ids=lambda f: f.__name__)
def test_closed_form_of_odeint(style):
    def at(a, y0):
        return odeint(style, [y0, 0.0], TIMES, args=(a,), tfirst=True)[4, 0]

    _, by_a, by_y0, by_a_twice = logistic(TIMES[4], 1.3, 0.2)
    np.testing.assert_allclose(ag.grad(at, (0, 1))(1.3, 0.2), (by_a, by_y0), rtol=1e-7)
    if style is not of_any:
        found = ag.grad(ag.grad(at))(1.3, 0.2)
        assert found == pytest.approx(by_a_twice, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_norm_of_one_state(method):
    def last(a):
        return solve_ivp(scaled, (0, 1.5), [0.2, 0.5], method, args=(a,), rtol=1e-8, atol=1e-11).y[
            0, -1
        ]

    assert ag.grad(last)(1.3) == pytest.approx(logistic(1.5, 1.3, 0.2)[1], rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_forward_mode_and_higher_orders(method):
    def last(a):
        return solve_ivp(stacked, (0, 1.5), [0.2, 0.0], method, args=(a,), rtol=1e-8, atol=1e-11).y[
            0, -1
        ]

    _, first, _, second = logistic(1.5, 1.3, 0.2)
    assert ag.jvp(last, (1.3,), (1.0,))[1] == pytest.approx(first, rel=1e-5)
    assert ag.hessian(last)(1.3) == pytest.approx(second, rel=1e-5)
    assert ag.jacfwd(ag.grad(last))(1.3) == pytest.approx(second, rel=1e-5)

    def y(a):
        return 0.2 * mpmath.exp(a * 1.5) / (1 + 0.2 * (mpmath.exp(a * 1.5) - 1))

    third = ag.grad(ag.grad(ag.grad(last)))(1.3)
    assert third == pytest.approx(float(mpmath.diff(y, 1.3, 3)), rel=1e-4)


def robertson(t, y, p):
    return [-p[0] * y[0] + p[1] * y[1] * y[2],
            p[0] * y[0] - p[1] * y[1] * y[2] - p[2] * y[1] ** 2,
            p[2] * y[1] ** 2]  # fmt: skip


@pytest.mark.parametrize("method", ["LSODA", "Radau", "BDF"])
def test_a_stiff_problem(method):
    """Against the equations of the sensitivities, solved beside those of the solution."""
    p = np.array([0.04, 1e4, 3e7])

    def last(p):
        return solve_ivp(
            robertson, (0, 40), [1.0, 0, 0], method, args=(p,), rtol=1e-5, atol=1e-9
        ).y[0, -1]

    def extended(t, z):
        y, s = z[:3], z[3:].reshape(3, 3)
        jacobian = np.array([
            [-p[0], p[1] * y[2], p[1] * y[1]],
            [p[0], -p[1] * y[2] - 2 * p[2] * y[1], -p[1] * y[1]],
            [0, 2 * p[2] * y[1], 0],
        ])  # fmt: skip
        by_p = np.array([[-y[0], y[1] * y[2], 0], [y[0], -y[1] * y[2], -(y[1] ** 2)],
                         [0, 0, y[1] ** 2]])  # fmt: skip
        return np.concatenate((robertson(t, y, p), (jacobian @ s + by_p * p).ravel()))

    z0 = np.concatenate(([1.0], np.zeros(11)))
    expected = solve_ivp(extended, (0, 40), z0, "Radau", rtol=1e-9, atol=1e-13).y[3:6, -1]
    np.testing.assert_allclose(ag.grad(last)(p) * p, expected, rtol=2e-5)


@pytest.mark.parametrize("method", METHODS)
def test_backwards_and_moving_ends(method):
    """dy/d(end) is the slope there, dy/d(start) that of the inverse flow."""

    def last(start, end):
        return solve_ivp(
            lambda t, y: -0.7 * y, (start, end), [2.0], method, rtol=1e-8, atol=1e-10
        ).y[0, -1]

    y = 2.0 * np.exp(0.7 * 1.1)
    np.testing.assert_allclose(ag.grad(last, (0, 1))(1.2, 0.1), (0.7 * y, -0.7 * y), rtol=1e-5)


def test_many_unknowns():
    n = 20
    modes = np.sin(np.pi * np.arange(1, n - 1) / (n - 1))
    eigenvalue = 4 * (n - 1) ** 2 * np.sin(np.pi / (2 * (n - 1))) ** 2

    def total(k):
        def heat(t, u):
            padded = np.concatenate((0 * u[:1], u, 0 * u[:1]))
            return k * (padded[2:] - 2 * u + padded[:-2]) * (n - 1) ** 2

        return np.sum(solve_ivp(heat, (0, 0.05), modes, "BDF", rtol=1e-6, atol=1e-9).y[:, -1])

    expected = -eigenvalue * 0.05 * np.exp(-eigenvalue * 0.05) * modes.sum()
    assert ag.grad(total)(1.0) == pytest.approx(expected, rel=1e-5)


def test_the_function_is_called_with_few_tensors():
    """Once with all points for each order, not once for each point."""
    calls = []

    def last(a):
        def slope(t, y):
            if isinstance(a * 1.0, ag.Tensor) and ag.is_grad_enabled():
                calls.append(np.shape(y))
            return -a * y

        return solve_ivp(slope, (0, 5), [1.0], "BDF", rtol=1e-7).y[0, -1]

    ag.grad(last)(1.3)
    assert len(calls) < 20


POINTS = 10


def diffusion(u, t, k, a):
    """Of one state only: its mean is that of all columns."""
    padded = np.concatenate((0 * u[:1], u, 0 * u[:1]))
    return 81 * k * (padded[2:] - 2 * u + padded[:-2]) - a * np.mean(u)


def reaction(u, t, k, a):
    return diffusion(u, t, k, a) - a * np.mean(u) * u**2


@pytest.mark.parametrize("function", [diffusion, reaction])
def test_a_stiff_problem_point_by_point(function):
    start = np.sin(np.pi * np.arange(1, POINTS + 1) / (POINTS + 1))

    def states(k, a):
        return odeint(function, start, np.linspace(0, 0.5, 6), (k, a), rtol=1e-9, atol=1e-11)

    check(states, 0.1, 0.7, rtol=1e-5, value_rtol=1e-9, step=1e-3)


@pytest.mark.parametrize(("function", "most"), [(diffusion, 5_000), (reaction, 12_000)])
def test_jacobians_point_by_point_are_few(function, most):
    """They were taken three times at all points, which was a thousand times what SciPy takes."""
    start = np.sin(np.pi * np.arange(1, POINTS + 1) / (POINTS + 1))
    calls = [0]

    def total(k):
        def counted(u, t, k, a):
            calls[0] += 1
            return function(u, t, k, a)

        return np.sum(odeint(counted, start, np.linspace(0, 2.0, 6), (k, 0.7)))

    ag.grad(total)(0.1)
    assert calls[0] < most


# -- the user's own code for values ----------------------------------------------------------------


def test_counters_and_records_of_the_user_are_kept():
    def last(a, lines):
        count = 0

        def slope(t, y):
            nonlocal count
            count += 1
            lines.append(float(np.max(t)))
            return -a * y

        report = solve_ivp(slope, (0, 2), [1.0])
        return report.y[0, -1] + 0.0 * count, count

    lines = []
    _, count = ag.lift(last)(ag.tensor(1.3, requires_grad=True), lines)
    assert count == len(lines) > 10


def test_functions_that_write_into_tensors_around_them():
    def last(a):
        memory = a * np.ones(2)
        calls = np.zeros(1)

        def slope(t, y):
            memory[0] = a
            calls[0] += 1
            return -memory[0] * y * memory[1] / a

        return solve_ivp(slope, (0, 2), [1.0], rtol=1e-9, atol=1e-12).y[0, -1] + 0 * calls[0]

    assert ag.grad(last)(1.3) == pytest.approx(-2 * np.exp(-2.6), rel=1e-6)


FACTOR = 1.0


def uses_the_module(t, y):
    return -FACTOR * y


def test_names_of_the_module_that_carry_a_gradient():
    def last(a):
        global FACTOR
        FACTOR = a
        out = solve_ivp(uses_the_module, (0, 2), [1.0], rtol=1e-9, atol=1e-12).y[0, -1]
        FACTOR = 1.0
        return out

    assert ag.grad(last)(1.3) == pytest.approx(-2 * np.exp(-2.6), rel=1e-6)


class Model:
    def __init__(self, rate):
        self.rate = rate

    def slope(self, t, y):
        return -self.rate * y


def test_methods_of_objects():
    def last(a):
        return solve_ivp(Model(a).slope, (0, 2), [1.0], "LSODA", rtol=1e-9, atol=1e-12).y[0, -1]

    assert ag.grad(last)(1.3) == pytest.approx(-2 * np.exp(-2.6), rel=1e-6)
