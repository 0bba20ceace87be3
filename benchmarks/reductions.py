"""Rows 8 and 9: sums, variances, extrema; softmax and logsumexp."""

from typing import Any

from benchmarks.harness import Call, Workload
from benchmarks.libraries import TOLERANCE, Libraries, calls_of, placed, random, waiting


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


WORKLOADS = [
    reduction("sum", "8a"),
    reduction("var", "8b", {"correction": 0}),
    reduction("argmax", "8c"),
    by_rows("softmax", "9a"),
    by_rows("logsumexp", "9b"),
]
