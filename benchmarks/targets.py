"""The table of what is measured: rows, their targets, and on how many threads they are judged.

A target is how many times faster than the column's library arraygrad should be. Rows are selected
by the number before the letter: ``nox -s bench -- 1-4``.
"""

from dataclasses import dataclass, field

from benchmarks.harness import Workload


@dataclass(frozen=True)
class Row:
    """A line of the table; its ratio is the geometric mean over its workloads.

    threads : "one", "all", or "both"
    """

    key: str
    title: str
    targets: dict[str, float] = field(default_factory=dict)
    threads: str = "one"

    @property
    def number(self) -> int:
        """The row's number in the list of benchmarks: 8 for "8b"."""
        return int(self.key.rstrip("abcdefgh"))


ROWS: tuple[Row, ...] = (
    Row("1a", "add n=10, no graph", {"numpy": 0.5, "torch": 2.5, "mygrad": 8}),
    Row("1b", "add n=10, recorded", {"torch": 2.5, "autograd": 8, "mygrad": 8}),
    Row("1c", "views and items of 20x20, no graph", {"torch": 1}),
    Row("1d", "views and items of 20x20, recorded", {"torch": 1}),
    Row("1e", "reductions, products, joins of 20x20, no graph", {"torch": 1}),
    Row("1f", "reductions, products, joins of 20x20, recorded", {"torch": 1}),
    Row("1g", "writes in place into 20x20", {"torch": 1}),
    Row("1h", "value and gradient through these", {"torch": 1}),
    Row("2", "(x*y).sum() n=10, value and gradients", {"torch": 3.5, "jax": 1}),
    Row("3", "20 operations on scalars, value and gradient", {"torch": 2.2}),
    Row("4", "MLP 784-128-10, batch 1, value and gradients", {"torch": 1.6, "jax": 1}),
    Row("5", "float32 functions of one argument, 4M", {"numpy": 1.5, "torch": 2.2}, "all"),
    Row("6", "float64 sin, cos, 4M", {"numpy": 9, "torch": 2}, "both"),
    Row("7", "complex exp, log, 2M", {"numpy": 8, "torch": 10}, "both"),
    Row("8a", "sum, 4M float32", {"numpy": 2, "torch": 0.95}, "both"),
    Row("8b", "var, 4M float32", {"numpy": 4, "torch": 5}, "both"),
    Row("8c", "argmax, 4M float32", {"numpy": 1, "torch": 8}, "both"),
    Row("9a", "softmax of rows, 2048x2048 float32", {"numpy": 3, "torch": 1.1}, "both"),
    Row("9b", "logsumexp of rows, 2048x2048 float32", {"numpy": 3, "torch": 2}, "both"),
    Row("9c", "gradient of softmax of rows", {"torch": 1}, "both"),
    Row("9d", "gradient of logsumexp of rows", {"torch": 2}, "both"),
    Row("9e", "gradient of var of rows", {"torch": 2}, "both"),
    Row("10", "matmul 64 ... 2048", {"numpy": 0.97, "torch": 0.95, "jax": 0.95}, "both"),
    Row("11", "Black-Scholes 1M, value and 4 gradients", {"torch": 1.3}, "both"),
    Row("16", "chain of 4 operations on 64 MB", {"numpy": 1.6, "torch": 4}, "both"),
    Row("19a", "gather, cumulative sum, sort", {"numpy": 1}, "both"),
    Row("19b", "gradients of gather, cumulative sum, sort", {"torch": 1}, "both"),
)


@dataclass(frozen=True)
class Limit:
    """A figure that must stay below a limit."""

    key: str
    title: str
    unit: str
    limit: float

    @property
    def number(self) -> int:
        """The number in the list of benchmarks."""
        return int(self.key.rstrip("abcdefgh"))


LIMITS: tuple[Limit, ...] = (
    Limit("17a", "import arraygrad, beyond NumPy's import", "ms", 10.0),
    Limit("17b", "first operation of a process, beyond NumPy's", "ms", 20.0),
    Limit("18", "peak memory of a training step of a 100-layer MLP, over torch's", "x", 1.0),
)


def workloads() -> list[Workload]:
    """Every workload, in the order of the rows."""
    from benchmarks import elementwise, indexing, overhead, products, reductions

    families = (overhead, elementwise, reductions, products, indexing)
    found = [w for family in families for w in family.WORKLOADS]
    order = [row.key for row in ROWS]
    return sorted(found, key=lambda w: order.index(w.row))


def numbers(text: str) -> set[int]:
    """Row numbers of a selection such as ``1-4,9``."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            raise SystemExit(f"{text!r} is no selection of rows; type for example 1-4,9")
        chosen.update(range(int(first), int(last or first) + 1))
    known = {row.number for row in (*ROWS, *LIMITS)}
    if not chosen & known:
        raise SystemExit(f"There is no row {text}; there are {sorted(known)}")
    return chosen
