"""The thread pool: chunks, errors, nesting, forks, configuration."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from arraygrad_kernels import _jit

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels import threads
from arraygrad_kernels.cpu import extrema, reduction
from arraygrad_kernels.cpu.elementwise import backward_ufunc, forward_ufunc
from arraygrad_kernels.threads import get_num_threads, set_num_threads


@pytest.fixture(autouse=True)
def _three_threads() -> Iterator[None]:
    before = set_num_threads(3)
    yield
    set_num_threads(before)


def test_each_chunk_runs_once() -> None:
    seen: list[int] = []
    assert threads.run(seen.append, 100)
    assert sorted(seen) == list(range(100))


def test_results_equal_those_of_one_thread() -> None:
    x = np.linspace(-5, 5, 10_001)
    kernel = threads.threaded(forward_ufunc("exp", "d"), 1000)
    np.testing.assert_array_equal(kernel(x), forward_ufunc("exp", "d")(x))
    np.testing.assert_array_equal(kernel(x.reshape(73, 137)).reshape(-1), kernel(x))


def test_scalar_operand_out_and_layouts() -> None:
    add = threads.threaded(forward_ufunc("add", "d"), 100)
    x = np.arange(900.0).reshape(30, 30)
    out = np.empty_like(x)
    assert add(x, np.array(2.0), out=out) is out
    np.testing.assert_array_equal(out, x + 2)
    np.testing.assert_array_equal(add(x, x.T), x + x.T)
    np.testing.assert_array_equal(add(x, x[0]), x + x[0])
    np.testing.assert_array_equal(add(x, x, out=x), out * 2 - 4)


def test_several_outputs() -> None:
    kernel = threads.threaded(backward_ufunc("multiply", "d"), 100)
    g, x, y = np.random.default_rng(0).normal(size=(3, 1000))
    first, second = kernel(g, x, y)
    np.testing.assert_array_equal(first, g * y)
    np.testing.assert_array_equal(second, g * x)


def test_errors_follow_errstate_of_the_caller() -> None:
    kernel = threads.threaded(forward_ufunc("log", "d"), 100)
    x = np.ones(1000)
    x[-1] = 0
    with np.errstate(all="ignore"):
        kernel(x)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match=r"zero .* in log"):
        kernel(x)
    with (
        np.errstate(divide="warn"),
        pytest.warns(RuntimeWarning, match=r"zero .* in log") as caught,
    ):
        kernel(x)
    assert len(caught) == 1


def test_failure_of_a_chunk_is_raised_in_the_caller() -> None:
    def fail(chunk: int) -> None:
        if chunk == 5:
            raise KeyError("chunk 5")

    with pytest.raises(KeyError, match="chunk 5"):
        threads.run(fail, 50)
    assert threads.run(lambda _: None, 5)


def test_nested_and_busy_calls_run_serially() -> None:
    answers = []
    assert threads.run(lambda _: answers.append(threads.run(lambda _: None, 4)), 8)
    assert answers == [False] * 8


@pytest.mark.parametrize("given", [0, 1])
def test_as_many_threads_as_the_system_gives(given: int, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    def start(self: threading.Thread) -> None:
        if len(started) == given:
            raise RuntimeError("can't start new thread")
        started.append(self)
        real(self)

    real = threading.Thread.start
    monkeypatch.setattr(threads, "_pool", threads._Pool())
    monkeypatch.setattr(threading.Thread, "start", start)
    seen: list[int] = []
    assert threads.run(seen.append, 100) == bool(given)
    assert sorted(seen) == (list(range(100)) if given else [])
    x = np.linspace(-5, 5, 10_001)
    kernel = threads.threaded(forward_ufunc("exp", "d"), 1000)
    np.testing.assert_array_equal(kernel(x), forward_ufunc("exp", "d")(x))


def test_many_callers_at_once() -> None:
    kernel = threads.threaded(forward_ufunc("exp", "d"), 100)
    x = np.linspace(0, 1, 5000)
    want = forward_ufunc("exp", "d")(x)
    wrong = []

    def call() -> None:
        wrong.extend(1 for _ in range(30) if not np.array_equal(kernel(x), want))

    callers = [threading.Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_set_num_threads() -> None:
    assert set_num_threads(1) == 3
    assert get_num_threads() == 1
    assert not threads.run(lambda _: None, 4)
    with pytest.raises(ValueError, match="at least 1"):
        set_num_threads(0)


CHILD = """
import os, warnings
import numpy as np
from arraygrad_kernels import threads
from arraygrad_kernels.threads import get_num_threads
assert get_num_threads() == 2
assert threads.run(lambda chunk: None, 10)
if hasattr(os, "fork"):
    warnings.simplefilter("ignore")
    child = os.fork()
    if child == 0:
        seen = []
        ran = threads.run(seen.append, 10)
        os._exit(0 if ran and sorted(seen) == list(range(10)) else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_environment_variable_and_fork() -> None:
    environment = {
        **os.environ,
        "ARRAYGRAD_NUM_THREADS": "2",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    subprocess.run([sys.executable, "-c", CHILD], env=environment, check=True, timeout=60)


def test_bad_environment_variable_is_named() -> None:
    environment = {
        **os.environ,
        "ARRAYGRAD_NUM_THREADS": "none",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    run = subprocess.run(
        [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, timeout=60
    )
    assert run.returncode != 0
    assert "ARRAYGRAD_NUM_THREADS is 'none'" in run.stderr


def test_numpy_functions_share_threads_and_report_errors_in_place() -> None:
    divide = threads.threaded(np.divide, 1000, (np.dtype("f4"),) * 2)
    less = threads.threaded(np.less, 1000, (np.dtype("f8"),) * 2)
    x = np.linspace(-1, 1, 50_000)
    np.testing.assert_array_equal(less(x, x[::-1].copy()), x < x[::-1])
    y, zero = x.astype("f4"), np.zeros(50_000, "f4")
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=r"zero .* in divide"):
        divide(y, zero, out=y)
    seen: list[object] = []
    with np.errstate(all="call", call=lambda kind, flag: seen.append((kind, flag))):
        divide(zero, zero)
        np.divide(zero[:3], zero[:3])
    assert seen[0] == seen[1]


def test_result_over_a_shifted_operand() -> None:
    """Chunks of the result used to overwrite what other chunks had still to read."""
    add = threads.threaded(np.add, 1000, (np.dtype("f8"),) * 2)
    for shift in (1, 3000):
        x = np.arange(100_000.0)
        expected = x[shift:] + x[:-shift]
        add(x[shift:], x[:-shift], out=x[shift:])
        np.testing.assert_array_equal(x[shift:], expected)


@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_position_of_an_extremum_found_by_pieces(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extrema, "_LONG", threads.COSTLY)
    (spec,) = [s for s in extrema.SPECS if s.op == op and s.dtypes == (np.dtype("f4"),)]
    kernel, expected = spec.build(), getattr(np, op)
    x = np.random.default_rng(0).integers(-9, 9, threads.COSTLY * 3 + 8).astype("f4")
    assert kernel(x) == expected(x)
    assert kernel(x.reshape(8, -1)[:, 1:], axis=None) == expected(x.reshape(8, -1)[:, 1:])
    assert kernel(x, keepdims=True).shape == (1,)
    x[-3] = x[-1] = np.nan
    assert kernel(x) == expected(x) == x.size - 3


@pytest.mark.parametrize(
    ("op", "dtype"), [("sum", "f4"), ("sum", "f8"), ("sum", "i4"), ("mean", "f4"), ("mean", "f8")]
)
def test_totals_found_by_pieces(op: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduction, "_LONG", threads.COSTLY)
    (spec,) = [s for s in reduction.SPECS if s.op == op and s.dtypes == (np.dtype(dtype),)]
    kernel = spec.build()
    x = (100 * np.random.default_rng(0).normal(size=threads.COSTLY * 3 + 8)).astype(dtype)
    expected = getattr(np, op)(x.astype("f8" if dtype != "i4" else "i8"))
    np.testing.assert_allclose(kernel(x, axis=(0,), keepdims=False), expected, rtol=1e-4)
    found = kernel(x.reshape(8, -1)[:, 1:], axis=(0, 1), keepdims=True)
    assert found.shape == (1, 1)
    expected = getattr(np, op)(x.reshape(8, -1)[:, 1:].astype("f8" if dtype != "i4" else "i8"))
    np.testing.assert_allclose(found, [[expected]], rtol=1e-4)
