"""Rows 17 and 18: what only fresh processes can show: start-up, first calls, peak memory."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import RESULTS

STARTS = 11

IMPORT = """
import time, numpy
started = time.perf_counter()
import arraygrad
print(time.perf_counter() - started)
"""

FIRST_OPERATION = """
import time, numpy, arraygrad
a = numpy.ones(1_000_000)
x = arraygrad.tensor(a, requires_grad=True)
started = time.perf_counter()
numpy.exp(a * a).sum()
plain = time.perf_counter()
arraygrad.exp(x * x).sum()
print(time.perf_counter() - plain - (plain - started))
"""

# Peak of resident memory above what was there before. The kernel's record of the peak is reset by
# /proc, so this needs Linux.
FROM_NOW_ON = """
def memory(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024

open("/proc/self/clear_refs", "w").write("5")
before = memory("VmRSS")
"""
AT_THE_PEAK = 'memory("VmHWM") - before'

STEP = (
    """
import numpy, {library}

LAYERS, WIDTH, BATCH = 100, 512, 512
generator = numpy.random.default_rng(0)
weights = [
    {library}.tensor(generator.normal(0, 0.05, (WIDTH, WIDTH)).astype("float32"),
                     requires_grad=True)
    for _ in range(LAYERS)
]
x = {library}.tensor(generator.normal(0, 1, (BATCH, WIDTH)).astype("float32"))

def step(weights, x):
    h = x
    for w in weights:
        h = {library}.tanh(h @ w)
    (h * h).mean().backward()
    with {library}.no_grad():
        for w in weights:
            w -= 0.01 * w.grad
            w.grad = None

small = [{library}.tensor(numpy.ones((2, 2), "float32"), requires_grad=True)]
step(small, {library}.tensor(numpy.ones((2, 2), "float32")))  # loads what is loaded lazily
"""
    + FROM_NOW_ON
    + """for _ in range(2):
    step(weights, x)
"""
    + f"print({AT_THE_PEAK})"
)


def output_of(program: str, **environment: str) -> float:
    """The number that a program prints in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def start_times() -> dict[str, float]:
    """Milliseconds of the import and of the first operation, with no compiled kernel anywhere."""
    imports = [output_of(IMPORT) for _ in range(STARTS)]
    firsts = []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as empty:
            firsts.append(output_of(FIRST_OPERATION, NUMBA_CACHE_DIR=empty))
    return {"17a": 1e3 * statistics.median(imports), "17b": 1e3 * statistics.median(firsts)}


def memory_ratio() -> dict[str, float]:
    """Peak memory of the training step over torch's; nothing where torch or /proc is missing."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    try:
        theirs = output_of(STEP.format(library="torch"))
    except subprocess.CalledProcessError as error:
        if "No module named 'torch'" not in error.stderr:
            raise
        return {}
    return {"18": output_of(STEP.format(library="arraygrad")) / theirs}


def measure(chosen: set[int], peers: bool = True) -> Path:
    """Measure the chosen rows and enter them into ``results/processes.json``."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "processes.json"
    figures = json.loads(path.read_text()) if path.exists() else {}
    if 17 in chosen:
        figures |= start_times()
    if 18 in chosen and peers:
        figures |= memory_ratio()
    path.write_text(json.dumps(figures, indent=1) + "\n")
    return path
