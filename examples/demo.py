"""Differentiate unmodified NumPy programs with arraygrad and fit them to data.

The programs in `plain_numpy/` import NumPy and `math`, never arraygrad. Here each loss is handed to
`ag.value_and_grad` as it is, its gradient is checked against finite differences, and SciPy fits
it with that gradient. A table goes to the terminal, a picture to `examples/output/demo.png`.

Run it with `nox -s demo`, or `python examples/demo.py --help` where arraygrad is installed.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from plain_numpy import gaussian_process, heat_equation, logistic_regression, mlp, ode_fit
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes, load_digits

import arraygrad as ag

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Central differences of a loss in float64 are good to about 1e-8; a wrong derivative is off by far
# more than this.
GRADIENT_TOLERANCE = 1e-5
STEP = 1e-6
N_CLASSES = 10
LAYER_SIZES = (64, 32, N_CLASSES)
CONDUCTIVITIES = np.array([0.8, 2.0, 1.2])
NOISE = 0.002

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A plain NumPy loss, where to start, and how to tell a person what came out."""

    name: str
    loss: Callable[..., float]
    start: Vector
    arguments: tuple[Any, ...]
    score: Callable[[Vector], str]
    draw: Callable[[Any, Vector], None]


@dataclass(frozen=True)
class Outcome:
    """One row of the table."""

    problem: Problem
    fitted: Vector
    loss_before: float
    loss_after: float
    gradient_error: float
    loss_ms: float
    gradient_ms: float
    fit_s: float
    calls: int


def gradient_error(problem: Problem, point: Vector, gradient: Vector) -> float:
    """Largest error of directional derivatives, relative to what a random direction would see."""
    rng = np.random.default_rng(0)
    norm = np.linalg.norm(gradient)
    directions = [gradient / norm, *rng.normal(size=(5, point.size))]
    worst = 0.0
    for direction in directions:
        unit = direction / np.linalg.norm(direction)
        ahead = problem.loss(point + STEP * unit, *problem.arguments)
        behind = problem.loss(point - STEP * unit, *problem.arguments)
        difference = abs((ahead - behind) / (2 * STEP) - gradient @ unit)
        worst = max(worst, float(difference / (norm / np.sqrt(point.size))))
    return worst


def median_ms(function: Callable[[], object], rounds: int = 5) -> float:
    """Median time of a call, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def solve(problem: Problem, iterations: int) -> Outcome:
    """Differentiate, check, fit."""
    value_and_grad = ag.value_and_grad(problem.loss)  # all that arraygrad needs
    rng = np.random.default_rng(1)
    # a generic point: at an exact start such as zeros a wrong formula can be right by symmetry
    point = problem.start + 0.01 * rng.normal(size=problem.start.shape)
    value, gradient = value_and_grad(point, *problem.arguments)
    plain = problem.loss(point, *problem.arguments)
    if not np.isclose(value, plain, rtol=1e-12):
        raise SystemExit(f"{problem.name}: the loss is {plain}, arraygrad computed {value}")
    error = gradient_error(problem, point, gradient)
    loss_ms = median_ms(lambda: problem.loss(point, *problem.arguments))
    gradient_ms = median_ms(lambda: value_and_grad(point, *problem.arguments))

    began = time.perf_counter()
    result = minimize(
        value_and_grad,
        problem.start,
        args=problem.arguments,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations},
    )
    return Outcome(
        problem=problem,
        fitted=result.x,
        loss_before=problem.loss(problem.start, *problem.arguments),
        loss_after=float(result.fun),
        gradient_error=error,
        loss_ms=loss_ms,
        gradient_ms=gradient_ms,
        fit_s=time.perf_counter() - began,
        calls=int(result.nfev),
    )


# --- the problems ---------------------------------------------------------------------------


def digits() -> tuple[Vector, NDArray[np.int64], Vector, NDArray[np.int64]]:
    """Train and test features and labels of scikit-learn's 1,797 handwritten digits."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    features, labels = data.data[order] / 16.0, data.target[order]
    return features[:1297], labels[:1297], features[1297:], labels[1297:]


def tiles(axes: Any, images: list[Vector], **style: Any) -> None:
    """Draw 8x8 images side by side, five in a row."""
    rows = [
        np.hstack([np.pad(image.reshape(8, 8), 1) for image in images[i : i + 5]])
        for i in range(0, len(images) - len(images) % 5, 5)
    ]
    axes.imshow(np.vstack(rows), **style)
    axes.set_axis_off()


def logistic_problem() -> Problem:
    """Handwritten digits by logistic regression."""
    x, labels, x_test, labels_test = digits()

    def score(parameters: Vector) -> str:
        guesses = logistic_regression.predict(parameters, x_test, N_CLASSES)
        return f"test accuracy {np.mean(guesses == labels_test):.1%}"

    def draw(axes: Any, parameters: Vector) -> None:
        weights, _ = logistic_regression.unpack(parameters, x.shape[1], N_CLASSES)
        reach = np.abs(weights).max()
        tiles(axes, list(weights.T), cmap="RdBu", vmin=-reach, vmax=reach)
        axes.set_title("logistic regression: weights of 0 to 9")

    start = logistic_regression.initial_parameters(x.shape[1], N_CLASSES)
    arguments = (x, labels, N_CLASSES)
    return Problem(
        "logistic regression, digits", logistic_regression.loss, start, arguments, score, draw
    )


def mlp_problem() -> Problem:
    """Handwritten digits by a multi-layer perceptron."""
    x, labels, x_test, labels_test = digits()

    def score(parameters: Vector) -> str:
        guesses = mlp.predict(parameters, x_test, LAYER_SIZES)
        return f"test accuracy {np.mean(guesses == labels_test):.1%}"

    def draw(axes: Any, parameters: Vector) -> None:
        guesses = mlp.predict(parameters, x_test, LAYER_SIZES)
        shown = np.argsort(guesses == labels_test, kind="stable")[:10]  # its mistakes first
        tiles(axes, list(x_test[shown]), cmap="gray_r")
        said = " ".join(str(guess) for guess in guesses[shown])
        axes.set_title(f"MLP: its hardest test digits, read as\n{said}")

    start = mlp.initial_parameters(LAYER_SIZES)
    arguments = (x, mlp.one_hot(labels, N_CLASSES), LAYER_SIZES)
    return Problem("MLP 64-32-10, digits", mlp.loss, start, arguments, score, draw)


def gaussian_process_problem() -> Problem:
    """Progress of diabetes from body-mass index, blood pressure and a serum value."""
    data = load_diabetes()
    x = data.data[:, [2, 3, 8]]
    x = x / x.std(axis=0)
    y = (data.target - data.target.mean()) / data.target.std()
    x_train, y_train, x_test, y_test = x[:300], y[:300], x[300:], y[300:]

    def score(parameters: Vector) -> str:
        mean, _ = gaussian_process.predict(parameters, x_train, y_train, x_test)
        explained = 1.0 - np.sum((mean - y_test) ** 2) / np.sum((y_test - y_test.mean()) ** 2)
        return f"test R2 {explained:.2f}"

    def draw(axes: Any, parameters: Vector) -> None:
        line = np.zeros((100, 3))
        line[:, 0] = np.linspace(x[:, 0].min(), x[:, 0].max(), 100)
        mean, deviation = gaussian_process.predict(parameters, x_train, y_train, line)
        axes.plot(x_train[:, 0], y_train, ".", color="0.7", label="patients")
        axes.plot(line[:, 0], mean, color="C0", label="mean")
        axes.fill_between(line[:, 0], mean - 2 * deviation, mean + 2 * deviation, alpha=0.3)
        axes.set(xlabel="body-mass index (scaled)", ylabel="progress of the disease (scaled)")
        axes.set_title("Gaussian process: diabetes")
        axes.legend()

    start = gaussian_process.initial_parameters(x.shape[1])
    arguments = (x_train, y_train)
    return Problem(
        "Gaussian process, diabetes", gaussian_process.loss, start, arguments, score, draw
    )


def heat_problem() -> Problem:
    """Conductivities of a rod's pieces from simulated, noisy thermometers."""
    measured = heat_equation.measurements(np.log(CONDUCTIVITIES), NOISE)
    start = heat_equation.initial_parameters(len(CONDUCTIVITIES))

    def score(parameters: Vector) -> str:
        worst = np.max(np.abs(np.exp(parameters) / CONDUCTIVITIES - 1.0))
        return f"conductivity within {worst:.1%}"

    def draw(axes: Any, parameters: Vector) -> None:
        for i, readings in enumerate(measured):
            axes.plot(heat_equation.SENSORS, readings, "o", color=f"C{i}")
        for guess, style in ((start, ":"), (parameters, "-")):
            for i, readings in enumerate(heat_equation.simulate(guess)):
                axes.plot(heat_equation.SENSORS, readings, style, color=f"C{i}")
        axes.set(xlabel="cell of the rod", ylabel="temperature")
        axes.set_title("heat equation: readings over time,\nfirst guess (dotted) and fit")

    arguments = (measured, NOISE)
    return Problem("heat equation, simulated", heat_equation.loss, start, arguments, score, draw)


def ode_problem() -> Problem:
    """Hares and lynxes: an ODE solved in plain NumPy, fitted to the Hudson's Bay record."""
    start = ode_fit.initial_parameters()
    arguments = (ode_fit.HARES, ode_fit.LYNXES)

    def score(parameters: Vector) -> str:
        return f"typical error {np.exp(np.sqrt(ode_fit.loss(parameters, *arguments))) - 1:.0%}"

    def draw(axes: Any, parameters: Vector) -> None:
        series = (("hares", ode_fit.HARES, "C0"), ("lynxes", ode_fit.LYNXES, "C3"))
        fitted = ode_fit.simulate(parameters)
        for column, (label, counts, colour) in enumerate(series):
            axes.plot(ode_fit.YEARS, counts, "o", color=colour, label=label)
            axes.plot(ode_fit.YEARS, fitted[:, column], color=colour)
        axes.set(xlabel="year", ylabel="pelts, thousands")
        axes.set_title("Lotka-Volterra: hares and lynxes")
        axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5, integer=True))
        axes.legend()

    return Problem("ODE, hares and lynxes", ode_fit.loss, start, arguments, score, draw)


# --- what a person sees ---------------------------------------------------------------------


def table(outcomes: list[Outcome]) -> str:
    """The results, aligned in columns."""
    rows = [
        ("program", "parameters", "loss before", "after", "result")
        + ("gradient error", "loss ms", "with gradient ms", "fit s", "calls")
    ]
    rows += [
        (o.problem.name, str(o.fitted.size), f"{o.loss_before:.4g}", f"{o.loss_after:.4g}")
        + (o.problem.score(o.fitted), f"{o.gradient_error:.1e}", f"{o.loss_ms:.2f}")
        + (f"{o.gradient_ms:.2f}", f"{o.fit_s:.1f}", str(o.calls))
        for o in outcomes
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    text = {0, 4}  # these columns are words, the others numbers
    lines = [
        "  ".join(
            cell.ljust(width) if k in text else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def picture(outcomes: list[Outcome], path: Path) -> None:
    """One panel for each program: the data and the fit."""
    figure, axes = plt.subplots(2, 3, figsize=(15, 8.5), layout="constrained")
    for panel in axes.flat[len(outcomes) : -1]:
        panel.set_axis_off()
    for panel, outcome in zip(axes.flat, outcomes, strict=False):
        outcome.problem.draw(panel, outcome.fitted)
    cost = axes.flat[-1]
    names = [outcome.problem.name.split(",")[0] for outcome in outcomes]
    bars = cost.barh(names, [outcome.gradient_ms / outcome.loss_ms for outcome in outcomes])
    cost.bar_label(bars, fmt="%.1f")
    cost.margins(x=0.12)  # room for the labels
    cost.invert_yaxis()
    cost.set(title="time of loss and gradient, in units of the plain loss's")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> int:
    """Run all programs; the exit status is 1 if a gradient is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=200, help="of L-BFGS-B, at most")
    parser.add_argument(
        "--picture", type=Path, default=Path(__file__).parent / "output" / "demo.png"
    )
    options = parser.parse_args()

    makers = (logistic_problem, mlp_problem, gaussian_process_problem, heat_problem, ode_problem)
    outcomes = []
    for i, make in enumerate(makers, start=1):
        problem = make()
        print(f"[{i}/{len(makers)}] {problem.name} ...", file=sys.stderr, flush=True)
        outcomes.append(solve(problem, options.iterations))
    print(f"\n{table(outcomes)}\n")
    picture(outcomes, options.picture)
    print(f"Picture: {options.picture}")

    wrong = [o.problem.name for o in outcomes if not o.gradient_error < GRADIENT_TOLERANCE]
    if wrong:
        print(f"Gradient differs from finite differences: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
