"""Print what `benchmarks/results/` holds against the targets: ``python -m benchmarks.report``.

Each figure says how many times faster arraygrad is than the column's library: the ratio of medians,
with the quartiles of the rounds in brackets. ``>=`` before the target says that it is met, ``<``
that it is missed. A dash stands for a library that was not there or cannot do it.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

from benchmarks import growth
from benchmarks.harness import OURS, PEERS, RESULTS
from benchmarks.targets import LIMITS, ROWS, Row

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
DASH = "-"
PLOT = Path(__file__).parent.parent / "docs" / "cost-growth.png"


def duration(seconds: float) -> str:
    """Seconds with a unit that keeps the number readable."""
    size, unit = next(((s, u) for s, u in UNITS if seconds >= s), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def ratio(timing: dict[str, Any] | None) -> str:
    """A peer's cell."""
    if timing is None:
        return DASH
    return f"{timing['ratio']:.2f} [{timing['ratio_low']:.2f}, {timing['ratio_high']:.2f}]"


def mean_ratio(timings: list[dict[str, Any]], minima: bool) -> dict[str, float]:
    """The geometric means of several workloads' ratios; of the best rounds if `minima`."""

    def mean(values: list[float]) -> float:
        return math.exp(math.fsum(map(math.log, values)) / len(values))

    keys = ("ratio", "ratio_low", "ratio_high")
    found = {key: mean([timing[key] for timing in timings]) for key in keys}
    if minima:
        found["ratio"] = mean([timing["best"] / timing["ours"] for timing in timings])
    return found


def target_cell(row: Row, peer: str, workloads: list[dict[str, Any]], minima: bool) -> str:
    """A peer's ratio over a row of the table, and the target."""
    timings = [
        w["timings"][peer] | {"ours": w["timings"][OURS]["best"]}
        for w in workloads
        if peer in w["timings"]
    ]
    target = row.targets.get(peer)
    if not timings:
        return DASH if target is None else f"{DASH} (target {target:g})"
    found = mean_ratio(timings, minima)
    if target is None:
        return ratio(found)
    return f"{ratio(found)} {'>=' if found['ratio'] >= target else '<'} {target:g}"


def target_rows(report: dict[str, Any], minima: bool = False) -> list[list[str]]:
    """One line for each row of the list that was measured."""
    lines = []
    for row in ROWS:
        workloads = [w for w in report["workloads"] if w["row"] == row.key]
        if workloads:
            cells = [target_cell(row, peer, workloads, minima) for peer in PEERS]
            lines.append([row.key, row.title, *cells])
    return lines


def rows(report: dict[str, Any]) -> list[list[str]]:
    """One line for each workload: our time, our first call, and the ratio to each peer."""
    return [
        [
            workload["name"],
            duration(workload["timings"][OURS]["median"]),
            duration(workload["timings"][OURS]["first"]),
            *(ratio(workload["timings"].get(peer)) for peer in PEERS),
        ]
        for workload in report["workloads"]
    ]


def limit_rows(figures: dict[str, float]) -> list[list[str]]:
    """Figures of fresh processes against their limits."""
    lines = []
    for limit in LIMITS:
        found = figures.get(limit.key)
        sign = DASH if found is None else f"{found:.3g} {limit.unit}"
        if found is not None:
            sign += f" {'<=' if found <= limit.limit else '>'} {limit.limit:g}"
        lines.append([limit.key, limit.title, sign])
    return lines


def markdown(header: list[str], body: list[list[str]]) -> str:
    """A table that is aligned as text and valid Markdown."""
    widths = [max(len(line[k]) for line in [header, *body]) for k in range(len(header))]

    def line(cells: list[str]) -> str:
        first, *others = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join([first, *(cell.strip().rjust(len(cell)) for cell in others)])} |"

    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(header), line(rule), *(line(cells) for cells in body)])


def render(report: dict[str, Any], minima: bool = False) -> str:
    """One results file as text: the table of targets, then every workload."""
    machine, versions = report["machine"], report["versions"]
    peers = [f"vs {name}" for name in PEERS]
    facts = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['threads']} thread(s), "
        f"{machine['system']}, Python {machine['python']}",
        ", ".join(f"{name} {version}" for name, version in versions.items()),
        f"{report['date']}: {report['command']}",
    ]
    tables = [
        markdown(["row", "workload", *peers], target_rows(report, minima)),
        markdown(["workload", OURS, "first call", *peers], rows(report)),
    ]
    return "\n\n".join(["\n".join(facts), *tables])


def main(folder: Path = RESULTS) -> None:
    """Print every results file and draw the plot of growing cost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument(
        "--minima", action="store_true", help="ratios of the best rounds: for a machine in use"
    )
    options = parser.parse_args()
    files = sorted(folder.glob("*-threads.json"))
    if not files:
        raise SystemExit(f"No results in {folder}. Type: nox -s bench")
    print("\n\n".join(render(json.loads(path.read_text()), options.minima) for path in files))
    processes = folder / "processes.json"
    if processes.exists():
        header = ["row", "fresh processes", "found and limit"]
        print("\n" + markdown(header, limit_rows(json.loads(processes.read_text()))))
    curves = folder / growth.FILE
    if curves.exists() and growth.draw(curves, PLOT):
        print(f"\nwrote {PLOT}")


if __name__ == "__main__":
    main()
