"""Measures which elementwise kernels beat NumPy's loops and rewrites the table of the choice.

``python -m benchmarks.choose`` builds every kernel, times it against the reference kernel of the
same operation and dtype on one thread and writes ``kernels/arraygrad_kernels/cpu/choice.py``;
``--dry-run`` prints the ratios only. On a machine in use more rounds (``--rounds 30``) find the
best time of each, or show that there is none to be found: ratios then differ from run to run.
"""

from __future__ import annotations

import argparse
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from arraygrad_kernels import cpu, reference
from arraygrad_kernels.cpu import choice
from arraygrad_kernels.cpu.elementwise import forward_ufunc
from arraygrad_kernels.scalars import SCALARS
from arraygrad_kernels.vecmath.by_dtype import CODES

SIZES = (2_000, 100_000)
"""Elements: where calls are short and where the level-2 cache is full."""
MARGIN = 0.9
"""A kernel must take less than this part of the reference's time, in the geometric mean."""
ROUNDS = 7

_TEMPLATE = '''"""Which elementwise kernels are faster than NumPy's loops, by measurement.

Regenerate with ``python -m benchmarks.choose``.
"""

from __future__ import annotations

__all__ = ["PREFERRED"]

PREFERRED: dict[str, str] = {{
{rows}
}}
"""Per operation, the dtypes (characters of `vecmath.by_dtype.CODES`) that the kernel wins."""
'''


def _operand(dtype: np.dtype[Any], size: int, random: np.random.Generator) -> np.ndarray:
    """Numbers inside the domain of nearly every operation."""
    if dtype.kind == "b":
        return random.integers(0, 2, size).astype(bool)
    if dtype.kind in "iu":
        return random.integers(1, 7, size).astype(dtype)
    x = random.uniform(-0.9, 0.9, size).astype(dtype)
    return x + dtype.type(0.3j) if dtype.kind == "c" else x


def _ratio(
    ours: Callable[..., Any], theirs: Callable[..., Any], operands: list[Any], rounds: int
) -> float:
    """Time of `ours` over time of `theirs`: the best of interleaved rounds."""
    best = [float("inf"), float("inf")]
    calls = max(1, 100_000 // operands[0].size)
    for _ in range(rounds):
        for i, function in enumerate((ours, theirs)):
            start = time.perf_counter()
            for _ in range(calls):
                function(*operands)
            best[i] = min(best[i], time.perf_counter() - start)
    return best[0] / best[1]


def measure(op: str, code: str, rounds: int = ROUNDS) -> float:
    """Geometric mean over `SIZES` of the kernel's time over the reference's."""
    random = np.random.default_rng(0)
    ufunc = forward_ufunc(op, code)
    logarithms = []
    for size in SIZES:
        operands = [
            _operand(CODES[code if kind == "=" else kind], size, random)
            for kind in SCALARS[op].operands
        ]
        if op in ("acosh", "log", "log2", "log10", "pow", "sqrt"):
            operands = [abs(x) + x.dtype.type(1) for x in operands]
        theirs = reference.find(op, tuple(x.dtype for x in operands))
        assert theirs is not None
        with np.errstate(all="ignore"):
            logarithms.append(np.log(_ratio(ufunc, theirs, operands, rounds)))
    return float(np.exp(np.mean(logarithms)))


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choose", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print, write nothing")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("ops", nargs="*", help="only these operations (implies --dry-run)")
    arguments = parser.parse_args()
    cpu.set_num_threads(1)
    rows = []
    for op, record in SCALARS.items():
        if arguments.ops and op not in arguments.ops:
            continue
        ratios = {code: measure(op, code, arguments.rounds) for code in record.dtypes}
        print(f"{op:22}", " ".join(f"{code} {ratio:5.2f}" for code, ratio in ratios.items()))
        wins = "".join(code for code, ratio in ratios.items() if ratio < MARGIN)
        if wins:
            rows.append(f'    "{op}": "{wins}",')
    if not arguments.dry_run and not arguments.ops:
        path = pathlib.Path(choice.__file__)
        path.write_text(_TEMPLATE.format(rows="\n".join(rows)))
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
