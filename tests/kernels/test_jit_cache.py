"""The disk cache of compiled kernels: hits, exact invalidation, odd folders, many processes."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest
from arraygrad_kernels import _jit

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

KERNELS = pathlib.Path(_jit.__file__).parents[1]

BUILD = """
from arraygrad_kernels import _jit
import arraygrad_kernels.cpu.elementwise as elementwise
import numpy as np
loops = []
real_loop = _jit.loop
def loop(*arguments, **options):
    loops.append(real_loop(*arguments, **options))
    return loops[-1]
_jit.loop = loop
elementwise.forward_ufunc("tanh", "f")
elementwise.backward_ufunc("multiply", "d")
function = _jit.jit(lambda x: x + 1.0, "test_jit_cache_add_one", "float64(float64)")
assert function(1.0) == 2.0
assert elementwise.forward_ufunc("tanh", "f")(np.float32(0)) == 0
print([loop.cache_hits for loop in loops], sum(function.stats.cache_hits.values()))
"""


def _start(
    cache: pathlib.Path | None, kernels: pathlib.Path, **extra: str
) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(kernels), **extra}
    environment.pop("NUMBA_CACHE_DIR", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    # A file, because the cache wants a function's source.
    script = (cache or kernels).parent / "build_some_kernels.py"
    if not script.exists():  # Numba tells by its time whether a source has changed
        script.write_text(textwrap.dedent(BUILD))
    return subprocess.Popen(
        [sys.executable, str(script)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _output(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out.strip()


def _build(cache: pathlib.Path | None, kernels: pathlib.Path = KERNELS, **extra: str) -> str:
    return _output(_start(cache, kernels, **extra))


def test_next_process_hits_and_a_changed_scalar_misses(tmp_path: pathlib.Path) -> None:
    cache, kernels = tmp_path / "cache", tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels, ignore=shutil.ignore_patterns("__pycache__"))
    assert _build(cache, kernels) == "[0, 0] 0"
    assert _build(cache, kernels) == "[1, 1] 1"
    # A constant deep inside a function that only `tanh` reaches, two modules away.
    polynomials = kernels / "arraygrad_kernels" / "vecmath" / "polynomials.py"
    text = polynomials.read_text()
    head, _, tail = text.partition("def exp_f32")
    polynomials.write_text(f"{head}def exp_f32{tail.replace('0.1666657699', '0.1666657700', 1)}")
    assert _build(cache, kernels) == "[0, 1] 1"
    assert _build(cache, kernels) == "[1, 1] 1"
    # What emits the code counts for all ufuncs and for nothing else.
    with (kernels / "arraygrad_kernels" / "translate.py").open("a") as file:
        file.write("# changed\n")
    assert _build(cache, kernels) == "[0, 0] 1"


def test_concurrent_processes_share_a_cold_cache(tmp_path: pathlib.Path) -> None:
    processes = [_start(tmp_path / "cache", KERNELS) for _ in range(3)]
    for process in processes:
        _output(process)
    assert _build(tmp_path / "cache") == "[1, 1] 1"


def test_no_writable_folder_compiles_without_cache(tmp_path: pathlib.Path) -> None:
    """A file stands where each cache folder would be made, which stops even root."""
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (kernels / "arraygrad_kernels", kernels / "arraygrad_kernels" / "cpu", tmp_path):
        (folder / "__pycache__").write_text("")
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "LOCALAPPDATA": str(blocked)}
    assert _build(None, kernels, PYTHONDONTWRITEBYTECODE="1", **home) == "[0, 0] 0"


WHERE = """
import pathlib, sys
import numpy as np
from arraygrad_kernels import _jit, cpu
cpu.find("exp", (np.dtype("f4"),)).build()
kept = {str(path.parent) for path in pathlib.Path(sys.argv[1]).rglob("*.nbc")}
assert kept == {_jit.cache_folder()}, (kept, _jit.cache_folder())
"""


@pytest.mark.parametrize("elsewhere", [True, False])
def test_the_cache_folder_is_where_kernels_are_kept(
    tmp_path: pathlib.Path, elsewhere: bool
) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(kernels)}
    environment.pop("NUMBA_CACHE_DIR", None)
    if elsewhere:
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    command = [sys.executable, "-c", WHERE, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_cache_folder_that_vanishes(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_jit._Cache, "save_overload", fail)
    name = f"test_jit_cache_vanishes_{os.getpid()}"
    assert _jit.jit(lambda x: x * 2.0, name, "float64(float64)")(4.0) == 8.0


def test_fingerprint_follows_reachable_code() -> None:
    def make(constant: float, factor: float):
        def inner(x: float) -> float:
            return x * factor

        def outer(x: float) -> float:
            return inner(x) + constant

        return outer

    same = _jit.fingerprint(make(1.0, 2.0))
    assert same == _jit.fingerprint(make(1.0, 2.0))
    assert same != _jit.fingerprint(make(1.5, 2.0))
    assert same != _jit.fingerprint(make(1.0, 2.5))
    assert same != _jit.fingerprint(make(1.0, 2.0), "salt")


def test_without_jit_there_are_no_kernels_and_scalars_still_run() -> None:
    code = """
import numpy as np
from arraygrad_kernels import cpu, vecmath
assert cpu.catalogue() == [] and cpu.find("exp", (np.dtype("f8"),)) is None
assert abs(vecmath.exp(np.float64(1)) - np.e) < 1e-15
"""
    environment = {**os.environ, "PYTHONPATH": str(KERNELS), "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)
