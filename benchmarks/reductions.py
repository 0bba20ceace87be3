"""Rows 8 and 9: sums, variances, extrema; softmax and logsumexp; their gradients."""

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


def reduction(op: str, row: str, torch_keywords: dict[str, Any] | None = None) -> Workload:
    """One reduction of all of four million numbers."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = random((4 << 20,), "float32", 0.0, 1.0)
        return calls_of(libraries, op, [array], {}, torch_keywords)

    return Workload(f"{op} 4M float32", row, make, TOLERANCE["float32"])


def by_rows(op: str, row: str) -> Workload:
    """Softmax or logsumexp along the rows of a matrix; NumPy's users write it out."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = random((2048, 2048), "float32", -3.0, 3.0)
        calls = calls_of(libraries, op, [array], {"axis": 1}, {"dim": 1})
        np = libraries["numpy"]

        def softmax() -> Any:
            powers = np.exp(array - array.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)

        def logsumexp() -> Any:
            largest = array.max(axis=1, keepdims=True)
            return np.log(np.exp(array - largest).sum(axis=1)) + largest[:, 0]

        calls["numpy"] = {"softmax": softmax, "logsumexp": logsumexp}[op]
        if "jax" in libraries:
            jax = libraries["jax"]
            function = {"softmax": jax.nn.softmax, "logsumexp": jax.scipy.special.logsumexp}[op]
            held = placed(libraries, "jax", array)
            calls["jax"] = waiting(libraries, "jax", function, [held], {"axis": 1})
        return calls

    return Workload(f"{op} 2048x2048 float32", row, make, TOLERANCE["float32"])


def softmax_of(name: str, np: Any) -> Callable[[Any], Any]:
    """Softmax along rows, as the library's users write it."""
    if name == "torch":
        return lambda x: np.softmax(x, 1)
    if name == "arraygrad":
        return lambda x: np.softmax(x, axis=1)
    if name == "jax":
        import jax

        return lambda x: jax.nn.softmax(x, axis=1)

    def written_out(x: Any) -> Any:
        powers = np.exp(x - np.max(x, axis=1, keepdims=True))
        return powers / np.sum(powers, axis=1, keepdims=True)

    return written_out


def logsumexp_of(name: str, np: Any) -> Callable[[Any], Any]:
    """Logarithms of sums of exponentials of rows."""
    if name == "torch":
        return lambda x: np.logsumexp(x, 1)
    if name == "arraygrad":
        return lambda x: np.logsumexp(x, axis=1)
    if name == "jax":
        import jax

        return lambda x: jax.scipy.special.logsumexp(x, axis=1)

    def written_out(x: Any) -> Any:
        largest = np.max(x, axis=1, keepdims=True)
        return np.log(np.sum(np.exp(x - largest), axis=1)) + largest[:, 0]

    return written_out


def var_of(name: str, np: Any) -> Callable[[Any], Any]:
    """Variances of rows."""
    if name == "torch":
        return lambda x: np.var(x, 1, correction=0)
    return lambda x: np.var(x, axis=1)


def gradient(
    title: str, row: str, function_of: Callable[[str, Any], Callable[[Any], Any]], keeps: bool
) -> Workload:
    """Value and gradient of a weighted sum of a function of rows.

    The function has one result for each row or, if it `keeps` them, for each element.
    """

    def make(libraries: Libraries) -> dict[str, Call]:
        array = random((2048, 2048), "float32", -3.0, 3.0)
        weights = random((2048, 2048) if keeps else (2048,), "float32", -1.0, 1.0)

        def write(name: str, np: Any) -> Callable[..., Any]:
            function = function_of(name, np)
            return lambda x, w: (function(x) * w).sum()

        names = ("arraygrad", "torch", "jax", "autograd")
        return gradient_calls(libraries, write, [array], names, [weights])

    return Workload(f"gradient of {title} 2048x2048 float32", row, make, 1e-3)


WORKLOADS = [
    reduction("sum", "8a"),
    reduction("var", "8b", {"correction": 0}),
    reduction("argmax", "8c"),
    by_rows("softmax", "9a"),
    by_rows("logsumexp", "9b"),
    gradient("softmax", "9c", softmax_of, True),
    gradient("logsumexp", "9d", logsumexp_of, False),
    gradient("var", "9e", var_of, False),
]
