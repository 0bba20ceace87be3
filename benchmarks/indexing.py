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


def picked_rows(libraries: Libraries) -> Any:
    """Which rows are gathered; many come several times."""
    return libraries["numpy"].random.default_rng(1).integers(0, ROWS, PICKED)


def gather() -> Workload:
    """Rows of a table by an index array."""

    def make(libraries: Libraries) -> dict[str, Call]:
        table, picked = random((ROWS, WIDTH), "float32"), picked_rows(libraries)
        calls = {}
        for name in ("arraygrad", "numpy", "torch", "jax"):
            if name in libraries:
                operands = [placed(libraries, name, array) for array in (table, picked)]
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

    def write(name: str, np: Any) -> Callable[..., Any]:
        if name == "torch":
            embedding = np.nn.functional.embedding
            return lambda table, picked, factors: (embedding(picked, table) * factors).sum()
        return lambda table, picked, factors: np.sum(table[picked] * factors)

    def make(libraries: Libraries) -> dict[str, Call]:
        data = [picked_rows(libraries), random((PICKED, WIDTH), "float32")]
        names = ("arraygrad", "torch", "jax", "autograd")
        return gradient_calls(libraries, write, [random((ROWS, WIDTH), "float32")], names, data)

    return Workload("gather 1M, gradient", "19b", make, TOLERANCE["float32"])


def moved_gradient(op: str, n: int) -> Workload:
    """Gradient of a weighted sum of what a running sum or a sort gives."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        if op == "sort":
            move = (lambda x: x.sort().values) if name == "torch" else np.sort
        elif name == "torch":
            move = lambda x: np.cumsum(x, 0)  # noqa: E731
        else:
            move = np.cumulative_sum
        return lambda x, factors: (move(x) * factors).sum()

    def make(libraries: Libraries) -> dict[str, Call]:
        data = [random((n,), "float64", -1.0, 1.0)]
        names = ("arraygrad", "torch", "jax")
        return gradient_calls(libraries, write, [random((n,), "float64")], names, data)

    return Workload(f"{op} {n >> 20}M, gradient", "19b", make, 1e-8)


WORKLOADS = [
    gather(),
    moved("cumulative_sum", 4 << 20, ({"axis": 0}, {"dim": 0})),
    moved("sort", 1 << 20, ({}, {})),
    gather_gradient(),
    moved_gradient("cumulative_sum", 4 << 20),
    moved_gradient("sort", 1 << 20),
]
