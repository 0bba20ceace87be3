"""``python -m arraygrad.ops``: the table of ops for people.

One row an op: family, dtypes, kernels per device, how its derivative is stated, what it saves,
and the NumPy functions that it answers.
"""

from __future__ import annotations

import arraygrad

from .. import _dispatch
from .._answers import ANSWERS
from .._op import OPS
from ..interop import lookup


def rows() -> list[tuple[str, ...]]:
    """The table, sorted by name."""
    lookup.load()  # whatever is imported only when asked for declares and answers too
    kernels: dict[str, set[str]] = {}
    for kernel, device, _, dtypes, _ in _dispatch.table():
        kernels.setdefault(kernel, set()).add(device + ("" if dtypes == "any" else "*"))
    numpy_names: dict[str, set[str]] = {}
    for numpy_function, answer in ANSWERS.items():
        numpy_names.setdefault(answer.__name__, set()).add(numpy_function.__name__)
    table: list[tuple[str, ...]] = []
    for name, op in sorted(OPS.items()):
        saved = {
            slot
            for flags in op.save_flags
            for slot, flag in zip(op.slots, flags, strict=True)
            if flag
        }
        table.append(
            (
                name,
                op.family,
                op.dtypes,
                " ".join(sorted(kernels.get(name, ()))) or "-",
                op.derivative.kind,
                " ".join(sorted(saved)) or "-",
                " ".join(sorted(numpy_names.get(name, ()))) or "-",
            )
        )
    return table


def main() -> None:
    """Print the table."""
    header = ("op", "family", "dtypes", "kernels", "derivative", "saves", "NumPy")
    table = [header, *rows()]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
    print(f"\n{len(table) - 1} ops of {arraygrad.__name__}")


if __name__ == "__main__":
    main()
