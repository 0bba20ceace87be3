"""Fair timing: all contestants in one process, interleaved, on a stated number of threads.

Knows no workload. Separate runs of the same code differ by more than what is to be measured
(clock frequency, other load, memory layout), so each round times every contestant once, in an
order that rotates, and ratios are taken between times of the same round.
"""

import gc
import importlib
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

RESULTS = Path(__file__).parent / "results"
OURS = "arraygrad"
PEERS = ("numpy", "torch", "jax", "autograd", "mygrad")
# read once, when the library that they belong to starts
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "ARRAYGRAD_NUM_THREADS",
)
ROUNDS = 25
LEAST_ROUNDS = 7
WORKLOAD_SECONDS = 12.0  # long workloads get fewer rounds, but at least LEAST_ROUNDS
BATCH_SECONDS = 4e-3  # a timed batch of calls lasts about this long: far above the clock's grain

Call = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """Seconds per call of one contestant, and how many times faster than it we are.

    `ratio` is the ratio of medians; `ratio_low` and `ratio_high` are the quartiles of the ratios
    within each round. All three are None for ourselves.
    """

    first: float
    median: float
    best: float
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True)
class Workload:
    """Something to time: `make` returns one call for each library that can do it.

    row : key of the line of `targets.ROWS` that this belongs to
    """

    name: str
    row: str
    make: Callable[[Mapping[str, ModuleType]], dict[str, Call]]
    tolerance: float = 1e-5  # relative, between the contestants' results


@dataclass
class Report:
    """What a run measured, and on what."""

    date: str
    command: str
    machine: dict[str, Any]
    versions: dict[str, str]
    workloads: list[dict[str, Any]] = field(default_factory=list)


def restart_with_threads(threads: int | None) -> None:
    """Start this program anew with thread pools of `threads` (None: one for each core).

    The variables work only before NumPy and its like are loaded, so the process is replaced.
    """
    wanted = str(threads or os.cpu_count())
    if all(os.environ.get(name) == wanted for name in THREAD_VARIABLES):
        return
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, wanted)}
    environment.setdefault("ARRAYGRAD_COMPILE", "sync")
    # JAX reads its own flags; a CPU is what is compared here
    environment.setdefault("JAX_PLATFORMS", "cpu")
    if wanted == "1":
        environment["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
    arguments = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, arguments, environment)


def load(names: list[str], threads: int | None) -> dict[str, ModuleType]:
    """Import the libraries that are installed; a missing peer is left out, arraygrad is not."""
    libraries = {}
    for name in names:
        try:
            libraries[name] = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name or name in (OURS, "numpy"):
                raise
    if "torch" in libraries:
        libraries["torch"].set_num_threads(threads or os.cpu_count())
    if "jax" in libraries:
        libraries["jax"].config.update("jax_enable_x64", True)
    return libraries


def batch(call: Call, number: int) -> float:
    """Seconds per call over `number` calls."""
    started = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - started) / number


def calibrate(call: Call) -> int:
    """How many calls a timed batch takes."""
    number = 1
    while True:
        seconds = batch(call, number) * number
        if seconds >= BATCH_SECONDS or number >= 1_000_000:
            return number
        number = max(2 * number, int(number * BATCH_SECONDS / max(seconds, 1e-9)))


def race(
    calls: Mapping[str, Call], first: Mapping[str, float], rounds: int = ROUNDS
) -> dict[str, Timing]:
    """Time all `calls`, interleaved; ours has the name "arraygrad".

    `first` are the seconds of each one's very first call, which may compile: they are reported
    apart from the steady state.
    """
    numbers = {name: calibrate(call) for name, call in calls.items()}
    if rounds > LEAST_ROUNDS:
        once = sum(batch(call, numbers[name]) * numbers[name] for name, call in calls.items())
        rounds = min(rounds, max(LEAST_ROUNDS, int(WORKLOAD_SECONDS / once)))
    samples: dict[str, list[float]] = {name: [] for name in calls}
    order = list(calls)
    gc.collect()
    gc.freeze()  # the libraries' own objects: looking through them takes longer than a batch
    gc.disable()
    try:
        for _ in range(rounds):
            for name in order:
                samples[name].append(batch(calls[name], numbers[name]))
            order.append(order.pop(0))
            gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()
    ours = samples[OURS]
    return {name: timing(first[name], times, ours) for name, times in samples.items()}


def timing(first: float, times: list[float], ours: list[float]) -> Timing:
    """Summarise one contestant's rounds."""
    median = statistics.median(times)
    if times is ours:
        return Timing(first, median, min(times))
    paired = [theirs / mine for theirs, mine in zip(times, ours, strict=True)]
    # of a single round there is no spread
    low, _, high = statistics.quantiles(paired, n=4) if len(paired) > 1 else paired * 3
    return Timing(first, median, min(times), median / statistics.median(ours), low, high)


def check(workload: Workload, calls: Mapping[str, Call]) -> None:
    """Refuse to time contestants that disagree: a fast wrong answer is no answer."""
    import numpy as np

    expected = [np.asarray(part) for part in parts_of(calls[OURS]())]
    for name, call in calls.items():
        found = [np.asarray(part) for part in parts_of(call())]
        if [part.shape for part in found] != [part.shape for part in expected]:
            shapes = [[part.shape for part in parts] for parts in (found, expected)]
            raise SystemExit(f"{workload.name}: {name} gives {shapes[0]}, not {shapes[1]}")
        for theirs, ours in zip(found, expected, strict=True):
            scale = np.max(np.abs(ours), initial=0.0)
            wide = np.result_type(ours, theirs, np.float64)
            error = np.max(np.abs(theirs.astype(wide) - ours), initial=0.0)
            if not error <= workload.tolerance * max(scale, 1e-300):
                raise SystemExit(f"{workload.name}: {name} differs from ours by {error:.3g}")


def parts_of(result: Any) -> list[Any]:
    """A library's result, one or a tuple of them, as things that NumPy takes."""
    if isinstance(result, tuple | list):
        return [part for item in result for part in parts_of(item)]
    result = getattr(result, "data", result) if "mygrad" in type(result).__module__ else result
    detach = getattr(result, "detach", None)
    return [detach() if detach is not None else result]


def version_of(name: str, library: ModuleType) -> str:
    """A library's version; autograd keeps it in its metadata alone, a bare checkout has none."""
    return getattr(library, "__version__", None) or importlib.metadata.version(name)


def machine(threads: int | None) -> dict[str, Any]:
    """Describe what this runs on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "threads": threads or os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def settle(calls: Mapping[str, Call]) -> None:
    """Run ours until its kernels are compiled: what is timed is the steady state."""
    from arraygrad import wait_for_compiler

    for _ in range(3):
        calls[OURS]()
        wait_for_compiler()


def measure(
    workloads: list[Workload], threads: int | None, peers: bool = True, rounds: int = ROUNDS
) -> Path:
    """Time the workloads, show progress, and enter them into the results; return their file."""
    libraries = load([OURS, *PEERS] if peers else [OURS, "numpy"], threads)
    report = Report(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        command=" ".join(["python", *sys.orig_argv[1:]]),
        machine=machine(threads),
        versions={key: version_of(key, library) for key, library in libraries.items()},
    )
    path = RESULTS
    for i, workload in enumerate(workloads, start=1):
        print(f"[{i}/{len(workloads)}] {workload.name}", file=sys.stderr, flush=True)
        calls = workload.make(libraries)
        first = {key: batch(call, 1) for key, call in calls.items()}
        settle(calls)
        check(workload, calls)
        timings = race(calls, first, rounds)
        report.workloads.append(
            {
                "name": workload.name,
                "row": workload.row,
                "timings": {key: asdict(value) for key, value in timings.items()},
            }
        )
        path = save(report)
    return path


def save(report: Report) -> Path:
    """Enter the workloads into the results of this number of threads; others stay."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{report.machine['threads']}-threads.json"
    new = asdict(report)
    if path.exists():
        measured = {workload["name"] for workload in new["workloads"]}
        old = json.loads(path.read_text())
        if old["machine"] == new["machine"] and old["versions"] == new["versions"]:
            kept = [w for w in old["workloads"] if w["name"] not in measured]
            new["workloads"] = kept + new["workloads"]
    path.write_text(json.dumps(new, indent=1) + "\n")
    return path
