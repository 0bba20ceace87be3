"""Time arraygrad against its peers: ``python -m benchmarks [1-4,9] [--threads 1|all|both]``."""

import argparse
import subprocess
import sys

from benchmarks import growth, harness, processes, targets


def main() -> None:
    """Time what was asked for and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="?", default="1-19", help="row numbers, such as 1-4,9")
    parser.add_argument("--threads", choices=("1", "all", "both"), default="both")
    parser.add_argument("--rounds", type=int, default=harness.ROUNDS)
    parser.add_argument("--no-peers", action="store_true", help="against NumPy alone")
    parser.add_argument("--growth", action="store_true", help="only the plot of growing cost")
    options = parser.parse_args()
    if options.growth:
        harness.restart_with_threads(None)
        print(f"wrote {growth.measure(not options.no_peers)}")
        return
    chosen = targets.numbers(options.rows)
    if options.threads == "both":
        again = [sys.executable, "-m", "benchmarks", *sys.argv[1:], "--threads"]
        for threads in ("1", "all"):
            subprocess.run([*again, threads], check=True)
        print(f"wrote {processes.measure(chosen, not options.no_peers)}")
        if options.rows == parser.get_default("rows"):
            subprocess.run([*again[:3], *sys.argv[1:], "--growth"], check=True)
        return
    threads = None if options.threads == "all" else 1
    judged = {1: ("one", "both")}.get(threads, ("all", "both"))
    rows = {row.key for row in targets.ROWS if row.number in chosen and row.threads in judged}
    workloads = [workload for workload in targets.workloads() if workload.row in rows]
    if workloads:
        harness.restart_with_threads(threads)
        path = harness.measure(workloads, threads, not options.no_peers, options.rounds)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
