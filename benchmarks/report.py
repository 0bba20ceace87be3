"""Print the tables of what `benchmarks/results/` holds: ``python -m benchmarks.report``.

Each figure says how many times faster arraygrad is than the column's library, with the quartiles of
the rounds in brackets; a dash stands for a library that was not there or cannot do it.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.harness import OURS, PEERS, RESULTS

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
DASH = "-"


def duration(seconds: float) -> str:
    """Seconds with a unit that keeps the number readable."""
    size, unit = next(((s, u) for s, u in UNITS if seconds >= s), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def ratio(timing: dict[str, Any] | None) -> str:
    """A peer's cell."""
    if timing is None:
        return DASH
    return f"{timing['ratio']:.2f} [{timing['ratio_low']:.2f}, {timing['ratio_high']:.2f}]"


def rows(report: dict[str, Any]) -> list[list[str]]:
    """One row for each workload: our time, our first call, and the ratio to each peer."""
    return [
        [
            workload["name"],
            duration(workload["timings"][OURS]["median"]),
            duration(workload["timings"][OURS]["first"]),
            *(ratio(workload["timings"].get(peer)) for peer in PEERS),
        ]
        for workload in report["workloads"]
    ]


def markdown(header: list[str], body: list[list[str]]) -> str:
    """A table that is aligned as text and valid Markdown."""
    widths = [max(len(line[k]) for line in [header, *body]) for k in range(len(header))]

    def line(cells: list[str]) -> str:
        first, *others = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join([first, *(cell.strip().rjust(len(cell)) for cell in others)])} |"

    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(header), line(rule), *(line(cells) for cells in body)])


def render(report: dict[str, Any]) -> str:
    """One results file as text."""
    machine, versions = report["machine"], report["versions"]
    body = rows(report)
    header = ["workload", OURS, "first call", *(f"vs {name}" for name in PEERS)]
    facts = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['threads']} thread(s), "
        f"{machine['system']}, Python {machine['python']}",
        ", ".join(f"{name} {version}" for name, version in versions.items()),
        f"{report['date']}: {report['command']}",
    ]
    return "\n".join([*facts, "", markdown(header, body)])


def main(folder: Path = RESULTS) -> None:
    """Print every results file."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise SystemExit(f"No results in {folder}. Type: nox -s bench")
    print("\n\n".join(render(json.loads(path.read_text())) for path in files))


if __name__ == "__main__":
    main()
