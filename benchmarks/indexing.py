"""Row 19: code that moves data about, and its gradients."""

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Call, Workload
from benchmarks.libraries import (
    TOLERANCE,
    Libraries,
    calls_of,
    gradient_calls,
    placed,
    random,
    waiting,
)

ROWS, WIDTH, PICKED = 100_000, 8, 1 << 17  # a million numbers are gathered


def indices(libraries: Libraries, name: str) -> Any:
    """Which rows are gathered; many come several times."""
    picked = libraries["numpy"].random.default_rng(1).integers(0, ROWS, PICKED)
    return picked if name in ("numpy", "autograd") else placed(libraries, name, picked)


def gather() -> Workload:
    """Rows of a table by an index array."""

    def make(libraries: Libraries) -> dict[str, Call]:
        table = random((ROWS, WIDTH), "float32")
        calls = {}
        for name in ("arraygrad", "numpy", "torch", "jax"):
            if name in libraries:
                operands = [placed(libraries, name, table), indices(libraries, name)]
                calls[name] = waiting(libraries, name, lambda t, i: t[i], operands, {})
        return calls

    return Workload("gather 1M", "19a", make, TOLERANCE["float32"])


def moved(op: str, n: int, axis: tuple[dict[str, int], dict[str, int]]) -> Workload:
    """A running sum or a sort."""

    def make(libraries: Libraries) -> dict[str, Call]:
        calls = calls_of(libraries, op, [random((n,), "float64")], *axis)
        if op == "sort" and "torch" in calls:
            x = placed(libraries, "torch", random((n,), "float64"))
            calls["torch"] = lambda: x.sort().values
        return calls

    return Workload(f"{op} {n >> 20}M", "19a", make, TOLERANCE["float64"])


def gather_gradient() -> Workload:
    """Gradient by a table of which rows were gathered."""

    def make(libraries: Libraries) -> dict[str, Call]:
        weights = random((PICKED, WIDTH), "float32")

        def write(name: str, np: Any) -> Callable[..., Any]:
            picked, factors = indices(libraries, name), placed(libraries, name, weights)
            if name == "torch":
                embedding = libraries["torch"].nn.functional.embedding
                return lambda table: (embedding(picked, table) * factors).sum()
            return lambda table: np.sum(table[picked] * factors)

        names = ("arraygrad", "torch", "jax", "autograd")
        return gradient_calls(libraries, write, [random((ROWS, WIDTH), "float32")], names)

    return Workload("gather 1M, gradient", "19b", make, TOLERANCE["float32"])


def moved_gradient(op: str, n: int) -> Workload:
    """Gradient of a weighted sum of what a running sum or a sort gives."""

    def make(libraries: Libraries) -> dict[str, Call]:
        weights = random((n,), "float64", -1.0, 1.0)

        def write(name: str, np: Any) -> Callable[..., Any]:
            factors = placed(libraries, name, weights)
            if op == "sort":
                move = (lambda x: x.sort().values) if name == "torch" else np.sort
            else:
                move = {"torch": lambda x: np.cumsum(x, 0), "arraygrad": np.cumulative_sum}.get(
                    name
                ) or np.cumsum
            return lambda x: (move(x) * factors).sum()

        names = ("arraygrad", "torch", "jax")
        return gradient_calls(libraries, write, [random((n,), "float64")], names)

    return Workload(f"{op} {n >> 20}M, gradient", "19b", make, 1e-8)


WORKLOADS = [
    gather(),
    moved("cumulative_sum", 4 << 20, ({"axis": 0}, {"dim": 0})),
    moved("sort", 1 << 20, ({}, {})),
    gather_gradient(),
    moved_gradient("cumulative_sum", 4 << 20),
    moved_gradient("sort", 1 << 20),
]
