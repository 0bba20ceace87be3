"""Running a program in a process of its own, with the packages under test on its path."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def environment(**settings: str) -> dict[str, str]:
    """This process's environment, able to import what this one imports, with `settings`."""
    roots = [
        str(Path(find_spec(name).origin).parents[1]) for name in ("arraygrad", "arraygrad_kernels")
    ]
    path = os.pathsep.join([*roots, os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, **settings}


LIMIT = 600
"""Seconds after which a process hangs."""


def run(program: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """`python -c program`; the result holds what it printed."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment(**settings), capture_output=True, text=True, check=False, timeout=LIMIT,
    )  # fmt: skip
