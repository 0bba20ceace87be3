"""How cost grows with size: seconds for n elements, for `report` to draw.

A step in a curve of ours is a threshold set wrongly: small calls, threads and pooled memory take
over from one another where both cost the same.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import OURS, RESULTS, Call, load, race, settle
from benchmarks.libraries import Libraries, calls_of, gradient_calls, random

LARGEST = 100_000_000
SIZES = [round(10 ** (k / 2)) for k in range(17)]
SECONDS = 2.0  # of one call, for one library, beyond which a curve ends
ROUNDS = 7
PEERS = ("numpy", "torch")
FILE = "growth.json"


def elementwise(op: str, n: int) -> Callable[[Libraries], dict[str, Call]]:
    """`op` on n float32 numbers."""
    arrays = 2 if op == "add" else 1
    return lambda libraries: calls_of(libraries, op, [random((n,), "float32")] * arrays)


def product(n: int) -> Callable[[Libraries], dict[str, Call]]:
    """A product of square matrices of n elements each."""
    side = max(1, round(n**0.5))
    return lambda libraries: calls_of(libraries, "matmul", [random((side, side), "float32")] * 2)


def backward(n: int) -> Callable[[Libraries], dict[str, Call]]:
    """Value and gradients of sum(exp(x * y)); NumPy has the value alone."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        return lambda x, y: np.exp(x * y).sum()

    def make(libraries: Libraries) -> dict[str, Call]:
        arrays = [random((n,), "float32")] * 2
        calls = gradient_calls(libraries, write, arrays, (OURS, "torch"))
        np = libraries["numpy"]
        calls["numpy"] = lambda: np.exp(arrays[0] * arrays[1]).sum()
        return calls

    return make


CURVES: dict[str, Callable[[int], Callable[[Libraries], dict[str, Call]]]] = {
    "add": lambda n: elementwise("add", n),
    "exp": lambda n: elementwise("exp", n),
    "sum": lambda n: elementwise("sum", n),
    "matmul": product,
    "sum(exp(x*y)) backward": backward,
}


def measure(peers: bool = True) -> Path:
    """Time every curve and write it down."""
    libraries = load([OURS, *PEERS] if peers else [OURS, "numpy"], None)
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for title, maker in CURVES.items():
        curve: dict[str, list[tuple[int, float]]] = {}
        for n in SIZES:
            calls = {k: call for k, call in maker(n)(libraries).items() if k in libraries}
            for call in calls.values():
                call()
            settle(calls)
            timings = race(calls, dict.fromkeys(calls, 0.0), ROUNDS)
            for name, timing in timings.items():
                curve.setdefault(name, []).append((n, timing.best))
            print(title, n, {k: f"{t.best:.3g}" for k, t in timings.items()}, flush=True)
            if max(t.best for t in timings.values()) > SECONDS / 10:
                break
        curves[title] = curve
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / FILE
    path.write_text(json.dumps(curves) + "\n")
    return path


def draw(source: Path, target: Path) -> bool:
    """Draw the curves; False where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    curves = json.loads(source.read_text())
    figure = Figure(figsize=(4 * len(curves), 4), layout="constrained")
    axes = figure.subplots(1, len(curves), sharey=True)
    colours = {OURS: "C3", "numpy": "C0", "torch": "C1"}
    for axis, (title, curve) in zip(axes, curves.items(), strict=True):
        for name, points in curve.items():
            label = "numpy, value only" if name == "numpy" and "backward" in title else name
            axis.loglog(*zip(*points, strict=True), marker=".", color=colours[name], label=label)
        axis.set(title=title, xlabel="elements")
        axis.grid(alpha=0.3)
        axis.legend()
    axes[0].set_ylabel("seconds")
    figure.savefig(target, dpi=100)
    return True
