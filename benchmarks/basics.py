"""Call overhead, elementwise functions, reductions and products against NumPy and the peers.

``python -m benchmarks.basics [--threads N|all] [--only TEXT] [--rounds N] [--no-peers]``
"""

import argparse
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from benchmarks import harness
from benchmarks.harness import Call, Workload

Libraries = Mapping[str, ModuleType]

# standard's name, and where NumPy, torch and jax.numpy call it otherwise
OTHER_NAMES: dict[str, dict[str, str]] = {
    "cumulative_sum": {"torch": "cumsum"},
    "atan": {"numpy": "arctan", "jax": "arctan"},
    "var": {"torch": "var"},
}
# op, operands, (low, high) of the operands
ELEMENTWISE = (
    ("add", 2, (-1.0, 1.0)),
    ("multiply", 2, (-1.0, 1.0)),
    ("divide", 2, (0.5, 2.0)),
    ("sqrt", 1, (0.0, 10.0)),
    ("exp", 1, (-10.0, 10.0)),
    ("log", 1, (0.01, 10.0)),
    ("log1p", 1, (-0.5, 10.0)),
    ("expm1", 1, (-3.0, 3.0)),
    ("sin", 1, (-10.0, 10.0)),
    ("cos", 1, (-10.0, 10.0)),
    ("tanh", 1, (-3.0, 3.0)),
    ("atan", 1, (-3.0, 3.0)),
)
# op, keyword arguments, those of torch where they differ
REDUCTIONS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("sum", {}, {}),
    ("sum", {"axis": 0}, {"dim": 0}),
    ("sum", {"axis": 1}, {"dim": 1}),
    ("mean", {}, {}),
    ("var", {}, {"correction": 0}),
    ("max", {}, {}),
    ("argmax", {}, {}),
    ("cumulative_sum", {"axis": 1}, {"dim": 1}),
)
TOLERANCE = {"float32": 1e-4, "float64": 1e-10}


def operand(
    libraries: Libraries, shape: tuple[int, ...], dtype: str, low: float, high: float
) -> Any:
    """The same random ndarray every time."""
    rng = libraries["numpy"].random.default_rng(0)
    return rng.uniform(low, high, shape).astype(dtype)


def placed(libraries: Libraries, name: str, array: Any) -> Any:
    """`array` as the named library holds it."""
    if name == "numpy":
        return array
    if name == "arraygrad":
        return libraries[name].asarray(array)
    if name == "torch":
        return libraries[name].from_numpy(array.copy())
    if name == "jax":
        return libraries[name].numpy.asarray(array)
    return libraries[name].tensor(array, constant=True)  # mygrad


def function_of(libraries: Libraries, name: str, op: str) -> Any:
    """The library's function for an op of the standard."""
    namespace = libraries[name].numpy if name == "jax" else libraries[name]
    return getattr(namespace, OTHER_NAMES.get(op, {}).get(name, op))


def blocking(name: str, function: Any, *arguments: Any, **keywords: Any) -> Call:
    """A call that returns when the result is there; jax hands out promises."""
    if name == "jax":
        return lambda: function(*arguments, **keywords).block_until_ready()
    return lambda: function(*arguments, **keywords)


def calls_of(
    libraries: Libraries, op: str, arrays: list[Any], *keywords: dict[str, Any]
) -> dict[str, Call]:
    """One call of `op` for each of arraygrad, NumPy, torch and jax that is there."""
    ours, torchs = keywords or ({}, {})
    calls = {}
    for name in ("arraygrad", "numpy", "torch", "jax"):
        if name in libraries:
            operands = [placed(libraries, name, array) for array in arrays]
            function = function_of(libraries, name, op)
            calls[name] = blocking(
                name, function, *operands, **(torchs if name == "torch" else ours)
            )
    return calls


def elementwise(op: str, operands: int, span: tuple[float, float], n: int, dtype: str) -> Workload:
    """One elementwise function on n elements."""

    def make(libraries: Libraries) -> dict[str, Call]:
        arrays = [operand(libraries, (n,), dtype, *span) for _ in range(operands)]
        return calls_of(libraries, op, arrays)

    return Workload(f"{op} {dtype} n={n:,}", "elementwise", make, TOLERANCE[dtype])


def reduction(
    op: str, keywords: dict[str, Any], torch_keywords: dict[str, Any], rows: int, dtype: str
) -> Workload:
    """One reduction or scan of a square matrix."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = operand(libraries, (rows, rows), dtype, 0.0, 1.0)
        return calls_of(libraries, op, [array], keywords, torch_keywords)

    options = "".join(f" {key}={value}" for key, value in keywords.items())
    return Workload(f"{op}{options} {dtype} {rows}x{rows}", "reduction", make, TOLERANCE[dtype])


def product(n: int, dtype: str) -> Workload:
    """A product of two square matrices."""

    def make(libraries: Libraries) -> dict[str, Call]:
        return calls_of(libraries, "matmul", [operand(libraries, (n, n), dtype, 0.0, 1.0)] * 2)

    return Workload(f"matmul {dtype} {n}x{n}", "matmul", make, TOLERANCE[dtype])


def small_call(op: str) -> Workload:
    """An operation on ten elements: nothing but overhead."""

    def make(libraries: Libraries) -> dict[str, Call]:
        arrays = [operand(libraries, (10,), "float64", 0.5, 1.0)] * 2
        calls = calls_of(libraries, op, arrays)
        if "mygrad" in libraries:
            operands = [placed(libraries, "mygrad", array) for array in arrays]
            calls["mygrad"] = blocking("mygrad", getattr(libraries["mygrad"], op), *operands)
        return calls

    return Workload(f"{op} n=10, no graph", "call overhead", make, TOLERANCE["float64"])


def small_recorded() -> Workload:
    """An addition of ten elements that a gradient is asked of: the cost of recording."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = operand(libraries, (10,), "float64", 0.5, 1.0)
        ag, torch, mygrad = (libraries.get(name) for name in ("arraygrad", "torch", "mygrad"))
        x = ag.tensor(array, requires_grad=True)
        calls: dict[str, Call] = {"arraygrad": lambda: x + x}
        if torch is not None:
            y = torch.tensor(array, requires_grad=True)
            calls["torch"] = lambda: y + y
        if mygrad is not None:
            z = mygrad.tensor(array)
            calls["mygrad"] = lambda: z + z
        return calls

    return Workload("add n=10, recorded", "call overhead", make, TOLERANCE["float64"])


def small_gradient() -> Workload:
    """Value and gradient of (x*y).sum() for ten elements."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = operand(libraries, (10,), "float64", 0.5, 1.0)
        calls: dict[str, Call] = {}
        for name in ("arraygrad", "torch", "mygrad"):
            if name in libraries:
                calls[name] = gradient_by_backward(name, libraries[name], array)
        if "jax" in libraries:
            jax = libraries["jax"]
            gradient = jax.jit(jax.grad(lambda x, y: (x * y).sum()))
            held = placed(libraries, "jax", array)
            calls["jax"] = blocking("jax", gradient, held, held)
        if "autograd" in libraries:
            import autograd.numpy as anp

            plain = libraries["autograd"].grad(lambda x, y: anp.sum(x * y))
            calls["autograd"] = lambda: plain(array, array)
        return calls

    return Workload("(x*y).sum() n=10, gradient", "call overhead", make, TOLERANCE["float64"])


def gradient_by_backward(name: str, library: ModuleType, array: Any) -> Call:
    """A call that runs (x*y).sum() forward and backward and returns x's gradient."""
    if name == "mygrad":
        x, y = library.tensor(array), library.tensor(array)
    else:
        x, y = (library.tensor(array, requires_grad=True) for _ in range(2))

    def call() -> object:
        x.grad = y.grad = None
        (x * y).sum().backward()
        return x.grad

    def call_mygrad() -> object:
        (x * y).sum().backward()  # mygrad replaces the gradients by itself
        return x.grad

    return call_mygrad if name == "mygrad" else call


WORKLOADS = [
    small_call("add"),
    small_call("multiply"),
    small_recorded(),
    small_gradient(),
    *(elementwise(*row, 1_000, "float64") for row in ELEMENTWISE if row[0] in ("add", "exp")),
    *(elementwise(*row, 1_000_000, dtype) for dtype in TOLERANCE for row in ELEMENTWISE),
    *(reduction(*row, 1_000, dtype) for dtype in TOLERANCE for row in REDUCTIONS),
    *(product(n, dtype) for dtype in TOLERANCE for n in (64, 512)),
]


def main() -> None:
    """Time what was asked for and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.basics", description=__doc__)
    parser.add_argument("--threads", default="1", help="a number, or `all` (default 1)")
    parser.add_argument("--only", default="", help="workloads whose name or group has this text")
    parser.add_argument("--rounds", type=int, default=harness.ROUNDS)
    parser.add_argument("--no-peers", action="store_true", help="against NumPy alone")
    options = parser.parse_args()
    threads = None if options.threads == "all" else int(options.threads)
    harness.restart_with_threads(threads)
    chosen = [w for w in WORKLOADS if options.only in w.name or options.only in w.group]
    if not chosen:
        names = "\n  ".join(sorted({w.group for w in WORKLOADS} | {w.name for w in WORKLOADS}))
        raise SystemExit(f"No workload has {options.only!r} in its name. There are:\n  {names}")
    path = harness.measure("basics", chosen, threads, not options.no_peers, options.rounds)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
