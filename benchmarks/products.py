"""Row 10: products of square matrices."""

from benchmarks.harness import Call, Workload
from benchmarks.libraries import TOLERANCE, Libraries, calls_of, random


def product(n: int, dtype: str) -> Workload:
    """A product of two square matrices."""

    def make(libraries: Libraries) -> dict[str, Call]:
        return calls_of(libraries, "matmul", [random((n, n), dtype)] * 2)

    return Workload(f"matmul {dtype} {n}x{n}", "10", make, TOLERANCE[dtype])


SIZES = (64, 128, 256, 512, 1024, 2048)
WORKLOADS = [product(n, dtype) for dtype in ("float32", "float64") for n in SIZES]
