"""The plain NumPy programs: right as NumPy, and their unmodified losses have right gradients."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import arraygrad as ag
from examples.plain_numpy import (
    gaussian_process,
    heat_equation,
    logistic_regression,
    mlp,
    ode_fit,
)

PROGRAMS = sorted(Path(mlp.__file__).parent.glob("*.py"))
SIZES = (5, 4, 3)


@dataclass(frozen=True)
class Case:
    """A loss, where it starts, and its data."""

    loss: Callable[..., float]
    start: np.ndarray
    arguments: tuple[Any, ...]


def labelled_clouds() -> tuple[np.ndarray, np.ndarray]:
    """Three classes of 20 points in five dimensions, shape (60, 5), and their labels."""
    labels = np.repeat(np.arange(3), 20)
    features = np.random.default_rng(0).normal(size=(60, 5))
    features[np.arange(60), labels] += 2.0
    return features, labels


def smooth_curve() -> tuple[np.ndarray, np.ndarray]:
    """Noisy values of a smooth function of two variables at 25 points."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(25, 2))
    return x, np.sin(x[:, 0]) + 0.3 * x[:, 1] + 0.1 * rng.normal(size=25)


def cases() -> dict[str, Case]:
    """One small problem for each program."""
    features, labels = labelled_clouds()
    rod = heat_equation.measurements(np.log([0.8, 2.0, 1.2]), 0.002)
    return {
        "logistic_regression": Case(
            logistic_regression.loss,
            logistic_regression.initial_parameters(5, 3),
            (features, labels, 3),
        ),
        "mlp": Case(
            mlp.loss, mlp.initial_parameters(SIZES), (features, mlp.one_hot(labels, 3), SIZES)
        ),
        "gaussian_process": Case(
            gaussian_process.loss, gaussian_process.initial_parameters(2), smooth_curve()
        ),
        "heat_equation": Case(
            heat_equation.loss, heat_equation.initial_parameters(3), (rod, 0.002)
        ),
        "ode_fit": Case(
            ode_fit.loss,
            ode_fit.initial_parameters(),
            (ode_fit.HARES[:8], ode_fit.LYNXES[:8]),
        ),
    }


CASES = cases()


def numerical_gradient(case: Case, point: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences of the plain loss."""
    gradient = np.zeros_like(point)
    for i in range(point.size):
        ahead, behind = point.copy(), point.copy()
        ahead[i] += step
        behind[i] -= step
        difference = case.loss(ahead, *case.arguments) - case.loss(behind, *case.arguments)
        gradient[i] = difference / (2 * step)
    return gradient


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_imports_numpy_and_math_only(path: Path) -> None:
    roots = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add((node.module or "").split(".")[0])
    assert roots <= {"numpy", "math"}


@pytest.mark.parametrize("name", CASES)
def test_loss_is_a_float_and_can_be_lowered(name: str) -> None:
    case = CASES[name]
    before = case.loss(case.start, *case.arguments)
    assert isinstance(before, float)
    result = minimize(
        case.loss, case.start, case.arguments, method="L-BFGS-B", options={"maxiter": 5}
    )
    assert result.fun < 0.95 * before


@pytest.mark.parametrize("name", CASES)
def test_gradient_of_unmodified_loss(name: str) -> None:
    case = CASES[name]
    point = case.start + 0.01 * np.random.default_rng(2).normal(size=case.start.shape)
    value, gradient = ag.value_and_grad(case.loss)(point, *case.arguments)
    assert isinstance(value, float)
    assert type(gradient) is np.ndarray
    assert_allclose(value, case.loss(point, *case.arguments), rtol=1e-13)
    numerical = numerical_gradient(case, point)
    assert_allclose(gradient, numerical, rtol=1e-5, atol=1e-6 * np.abs(numerical).max())


def test_classifiers_learn_the_clouds() -> None:
    features, labels = labelled_clouds()
    case = CASES["logistic_regression"]
    fitted = minimize(case.loss, case.start, case.arguments, method="L-BFGS-B").x
    guesses = logistic_regression.predict(fitted, features, 3)
    assert np.mean(guesses == labels) > 0.85
    case = CASES["mlp"]
    fitted = minimize(case.loss, case.start, case.arguments, method="L-BFGS-B").x
    assert np.mean(mlp.predict(fitted, features, SIZES) == labels) > 0.85


def test_gaussian_process_interpolates() -> None:
    x, y = smooth_curve()
    parameters = np.log([0.3, 0.3, 1.0, 1e-3])
    mean, deviation = gaussian_process.predict(parameters, x, y, x)
    assert_allclose(mean, y, atol=0.02)
    assert np.all(deviation < 0.01)


def test_heat_reaches_the_steady_state() -> None:
    """A uniform rod ends with a straight temperature profile between its two ends."""
    temperature = np.linspace(0.0, 0.3, heat_equation.N_CELLS)
    flux = np.zeros(heat_equation.N_CELLS - 1)
    for _ in range(20_000):
        heat_equation.step(temperature, np.ones_like(flux), flux)
    assert_allclose(temperature, np.linspace(1.0, 0.0, heat_equation.N_CELLS), atol=1e-6)


def test_ode_solver_is_of_fourth_order() -> None:
    exact = ode_fit.simulate(ode_fit.initial_parameters(), 4, steps_per_year=64)
    coarse = ode_fit.simulate(ode_fit.initial_parameters(), 4, steps_per_year=4)
    fine = ode_fit.simulate(ode_fit.initial_parameters(), 4, steps_per_year=8)
    ratio = np.abs(coarse - exact).max() / np.abs(fine - exact).max()
    assert 10.0 < ratio < 25.0
