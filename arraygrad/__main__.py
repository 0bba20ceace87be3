"""``python -m arraygrad``: what is here, and how to prepare it.

``info`` shows version, devices, kernels and cache; ``warmup`` compiles every kernel now; ``check``
runs a NumPy function on tensors and reports which of its calls differentiate.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__, _compiled, _dispatch, ops
from ._device import known_devices
from ._storage import POOL_LIMIT


def info(verbose: bool = False) -> None:
    """Print version, devices, kernels compiled and cache folder."""
    ops.load_all()  # chapters register their kernels when they are imported
    rows = list(_dispatch.table())
    by_module = Counter(module.partition(".")[0] for *_, module in rows)
    print(f"arraygrad     {__version__}")
    print(f"python        {platform.python_version()} on {platform.system()} {platform.machine()}")
    print(f"numpy         {np.__version__}")
    print(f"devices       {', '.join(str(d) for d in known_devices())}")
    print(f"kernel mode   {_dispatch.kernel_mode} (ARRAYGRAD_KERNELS=auto|numba|numpy)")
    print(f"compile mode  {_dispatch.compile_mode} (ARRAYGRAD_COMPILE=background|sync|off)")
    roads = "compiled" if _compiled.ROADS is not None else f"in Python, {_compiled.WHY_NOT}"
    print(f"short roads   {roads} (ARRAYGRAD_ROADS=auto|python)")
    sources = ", ".join(f"{count} from {module}" for module, count in by_module.most_common())
    print(f"kernels       {len(rows)} in the dispatch table: {sources} (info --table lists them)")
    cache = _dispatch.cache_folder()
    compiled = sum(1 for _ in Path(cache).glob("*.nbc"))
    print(f"kernel cache  {cache} ({compiled} compiled files)")
    print(f"memory pool   up to {POOL_LIMIT >> 20} MiB")
    failures = _dispatch.compile_failures()
    for name, why in failures.items():
        print(f"not compiled  {name}: {why}")
    if verbose:
        for op, device, layout, dtypes, module in rows:
            print(f"  {op:24} {device:6} {layout:8} {dtypes:28} {module}")


def _progress(done: int, total: int, name: str) -> None:
    if not sys.stdout.isatty() and done % 50 and done != total:
        return
    width = 30
    filled = width * done // max(total, 1)
    end = "\n" if done == total or not sys.stdout.isatty() else ""
    bar = "#" * filled + "." * (width - filled)
    print(f"\r[{bar}] {done}/{total} {name:40.40}", end=end, flush=True)


def warmup() -> None:
    """Compile every kernel of the current mode into the disk cache, with a progress bar."""
    start = time.perf_counter()
    count = _dispatch.compile_all(_progress)
    print(f"{count} kernels ready in {time.perf_counter() - start:.1f} s")


def _add_check(commands: Any) -> None:
    checked = commands.add_parser(
        "check",
        help="report which NumPy calls of a function differentiate",
        description="Run a NumPy function on tensors; for each NumPy call in it say whether it is "
        "differentiable, whether its gradient agrees with finite differences, where a gradient "
        "would be lost, and its time against NumPy. Exit status: 0 all is right, 1 there are "
        "problems, 2 it could not be run.",
    )
    checked.add_argument("target", metavar="FILE.py:function")
    checked.add_argument("--shapes", help="of random arguments: '(3,), (4, 2)'; () is a number")
    checked.add_argument("--values", help="the arguments themselves: '[1.0, 2.0], 0.5, 3'")
    checked.add_argument("--seed", type=int, default=0, help="of the random arguments")
    checked.add_argument("--dtype", default="float64", help="of floating-point arguments")
    checked.add_argument(
        "--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
        help="draw uniform instead of normal arguments",
    )  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m arraygrad", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    shown = commands.add_parser("info", help="version, devices, kernels, cache")
    shown.add_argument("--table", action="store_true", help="print the whole dispatch table")
    commands.add_parser("warmup", help="compile every kernel now")
    _add_check(commands)
    arguments, rest = parser.parse_known_args(argv)
    if rest:
        hint = ""
        if arguments.command == "check":
            hint = "; several shapes or values go in one pair of quotes: --shapes '(3,), (4, 2)'"
        commands.choices[arguments.command].error(f"not understood: {' '.join(rest)}{hint}")
    if arguments.command == "check":
        from . import checking

        return checking.main(
            arguments.target,
            arguments.shapes,
            arguments.values,
            arguments.dtype,
            arguments.seed,
            arguments.range,
        )
    if arguments.command == "warmup":
        warmup()
    else:
        info(getattr(arguments, "table", False))
    return 0


if __name__ == "__main__":
    # A broken pipe (| head) is no error of ours.
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.close(sys.stdout.fileno())
