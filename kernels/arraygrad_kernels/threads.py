"""A small pool of threads that share the chunks of one large elementwise operation.

May not know any operation. Compiled loops release the GIL, so threads help from the size on where
the work outweighs 15 microseconds of hand-over. Chunks are taken as threads come free: a core that
something else keeps busy delays one chunk and not the whole.

The pool serves one caller at a time. Who finds it busy, or runs inside one of its threads, works
serially instead of waiting. A forked child starts a pool of its own. Needs nothing but NumPy, so
that NumPy's own loops can have threads where nothing is compiled.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels.results import empty

__all__ = ["get_num_threads", "report", "run", "set_num_threads", "threaded"]

CHEAP = 1 << 21
"""Elements of memory-bound work (sums, comparisons) below which one thread is as fast."""
COSTLY = 1 << 18
"""The same for elementary functions, which take ten times as long per element."""
ALLOCATED = 1 << 15
"""Elements from which results come from the allocator; it leaves few bytes to malloc."""
STREAM = 1 << 25
"""Bytes of a result from which it is written past the caches, which hold less."""


def _default_threads() -> int:
    """``ARRAYGRAD_NUM_THREADS``, else the processors that this process may use."""
    text = os.environ.get("ARRAYGRAD_NUM_THREADS", "")
    if text:
        if not text.isdigit() or int(text) == 0:
            raise ValueError(
                f"ARRAYGRAD_NUM_THREADS is {text!r}; set it to a positive whole number, or unset it"
            )
        return int(text)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else (os.cpu_count() or 1)


class _Job:
    """Chunks of one operation, handed out in order to whoever asks."""

    def __init__(self, work: Callable[[int], None], n_chunks: int) -> None:
        self.work = work
        self.n_chunks = n_chunks
        self.counter = itertools.count()  # next() is atomic
        self.failure: BaseException | None = None
        self.n_done = 0
        self.lock = threading.Lock()
        self.finished = threading.Event()

    def take_chunks(self) -> None:
        """Work until no chunk is left; after a failure, pass over the rest."""
        while (chunk := next(self.counter)) < self.n_chunks:
            if self.failure is None:
                try:
                    self.work(chunk)
                except BaseException as error:  # noqa: BLE001 - `run` raises it in the caller
                    self.failure = error
            with self.lock:
                self.n_done += 1
                last = self.n_done == self.n_chunks
            if last:
                self.finished.set()


class _Helper:
    """A daemon thread that waits for jobs."""

    def __init__(self) -> None:
        self.job: _Job | None = None
        self.wake = threading.Lock()
        self.wake.acquire()
        threading.Thread(target=self._loop, name="arraygrad-kernels", daemon=True).start()

    def start(self, job: _Job) -> None:
        """Offer a job. The helper may still sleep when it is finished, and then finds the next."""
        self.job = job
        if self.wake.locked():
            self.wake.release()

    def _loop(self) -> None:
        _inside.value = True
        while True:
            self.wake.acquire()
            job, self.job = self.job, None
            if job is not None:
                job.take_chunks()
            del job  # the last reference to the operands must not wait for the next job


class _Pool:
    def __init__(self) -> None:
        self.busy = threading.Lock()
        self.helpers: list[_Helper] = []


_inside = threading.local()
_pool = _Pool()
_n_threads = _default_threads()


def _forget_pool() -> None:
    """Threads do not survive a fork, and their locks may be held for ever."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def get_num_threads() -> int:
    """Number of threads that share a large operation, the calling one included."""
    return _n_threads


def set_num_threads(n: int) -> int:
    """Set the number of threads, at least 1; returns the number before."""
    global _n_threads
    if n < 1:
        raise ValueError(f"the number of threads must be at least 1, got {n}")
    before, _n_threads = _n_threads, int(n)
    return before


def run(work: Callable[[int], None], n_chunks: int) -> bool:
    """Call ``work(0)`` to ``work(n_chunks - 1)`` on several threads.

    Returns
    -------
    bool
        False if nothing was done, because the pool is busy, the caller is one of its threads or one
        thread is all that the system gives: then the caller does the whole, in one piece.
    """
    pool, n_helpers = _pool, min(_n_threads, n_chunks) - 1
    if n_helpers < 1 or getattr(_inside, "value", False):
        return False
    if not pool.busy.acquire(blocking=False):
        return False
    try:
        try:
            while len(pool.helpers) < n_helpers:
                pool.helpers.append(_Helper())
        except RuntimeError:  # the system gives no more threads
            n_helpers = len(pool.helpers)
            if not n_helpers:
                return False
        job = _Job(work, n_chunks)
        for helper in pool.helpers[:n_helpers]:
            helper.start(job)
        job.take_chunks()
        job.finished.wait()
        for helper in pool.helpers[:n_helpers]:
            helper.job = None
    finally:
        pool.busy.release()
    if job.failure is not None:
        raise job.failure
    return True


def threaded(
    ufunc: np.ufunc,
    minimum: int,
    dtypes: tuple[np.dtype[Any], ...] | None = None,
    streaming: Callable[[], Any] | None = None,
) -> Callable[..., Any]:
    """`ufunc` as a kernel that splits calls of `minimum` and more elements over the pool.

    From `ALLOCATED` elements on, results come from the allocator. Split are calls whose operands
    are C-contiguous and of one shape, or 0-d: the others go to the ufunc whole. Floating-point
    errors are reported once, after the last chunk, as ``np.errstate`` of the calling thread says.
    The attributes ``ufunc`` and ``minimum`` let a caller who knows the size skip this function.

    dtypes : those of the operands; needed where the ufunc has more than one loop.
    streaming : gives the ufunc for results of `STREAM` and more bytes, or None for the same one.
    """
    codes = ufunc.types[0].partition("->")[2]
    if dtypes is not None:
        resolved = ufunc.resolve_dtypes((*dtypes, *[None] * ufunc.nout))
        codes = "".join([dtype.char for dtype in resolved[ufunc.nin :]])

    def unary(x: Any, *, out: Any = None) -> Any:
        if out is None:
            if x.size < ALLOCATED:
                return ufunc(x)
        elif x.size < minimum:
            return ufunc(x, out=out)
        return _large(ufunc, (x,), out, minimum, codes, streaming)

    def binary(x1: Any, x2: Any, *, out: Any = None) -> Any:
        if out is None:
            if x1.size < ALLOCATED and x2.size < ALLOCATED:
                return ufunc(x1, x2)
        elif x1.size < minimum and x2.size < minimum:
            return ufunc(x1, x2, out=out)
        return _large(ufunc, (x1, x2), out, minimum, codes, streaming)

    def ternary(x1: Any, x2: Any, x3: Any, *, out: Any = None) -> Any:
        if out is None:
            if x1.size < ALLOCATED and x2.size < ALLOCATED and x3.size < ALLOCATED:
                return ufunc(x1, x2, x3)
        elif x1.size < minimum and x2.size < minimum and x3.size < minimum:
            return ufunc(x1, x2, x3, out=out)
        return _large(ufunc, (x1, x2, x3), out, minimum, codes, streaming)

    def general(*operands: Any, out: Any = None) -> Any:
        return _large(ufunc, operands, out, minimum, codes, streaming)

    kernel: Callable[..., Any] = general
    if ufunc.nout == 1:
        kernel = {1: unary, 2: binary, 3: ternary}.get(ufunc.nin, general)
    kernel.__name__ = kernel.__qualname__ = ufunc.__name__
    kernel.__dict__.update(ufunc=ufunc, minimum=minimum)
    return kernel


def _large(
    ufunc: np.ufunc, operands: Any, out: Any, minimum: int, codes: str,
    streaming: Callable[[], Any] | None,
) -> Any:  # fmt: skip
    """Split the call if its layout allows it. `codes` are the dtypes of results."""
    given = () if out is None else (out if isinstance(out, tuple) else (out,))
    largest = max(operands, key=_size)
    shape, size = largest.shape, largest.size
    if out is None and size < ALLOCATED:
        return ufunc(*operands)
    for array in (*operands, *given):
        if array.ndim and (array.shape != shape or not array.flags.c_contiguous):
            return ufunc(*operands, out=given or (None,) * ufunc.nout)
    if size >= minimum and (
        any(array.dtype.char != c for array, c in zip(given, codes, strict=False))
        or any(_overlap(array, result) for array in operands for result in given)
    ):
        return ufunc(*operands, out=given)
    results = given or tuple([empty(shape, np.dtype(code)) for code in codes])
    if size < minimum:
        return ufunc(*operands, out=results)
    # A few chunks per thread even out their speeds; each is long against its own overhead.
    length = -(-max(minimum // 4, size // (8 * _n_threads)) // _WHOLE) * _WHOLE
    if streaming is not None and results[0].nbytes >= STREAM and not _address(results[0]) % 64:
        ufunc = streaming() or ufunc
    flat = [array.reshape(-1) if array.ndim else array for array in operands]
    flat_results = [array.reshape(-1) for array in results]
    found: set[str] = set()

    def work(chunk: int) -> None:
        start = chunk * length
        stop = min(start + length, size)
        parts = [array[start:stop] if array.ndim else array for array in flat]
        with np.errstate(all="call", call=lambda kind, _: found.add(kind)):
            ufunc(*parts, out=tuple([array[start:stop] for array in flat_results]))

    if not run(work, -(-size // length)):
        return ufunc(*operands, out=results)
    if found:
        report(ufunc.__name__, found)
    return results[0] if ufunc.nout == 1 else results


_WHOLE = 4096
"""Chunks are multiples of this many elements, and so of whole cache lines."""


def _overlap(operand: Any, result: Any) -> bool:
    """Whether a chunk of the result may lie over another chunk of the operand."""
    if operand is result or not np.may_share_memory(operand, result):
        return False
    return not operand.ndim or _address(operand) != _address(result)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _size(array: Any) -> int:
    return array.size


# What NumPy calls an error, and its name in ``np.geterr`` and number for ``np.geterrcall``.
_KINDS = {
    "divide by zero": ("divide", 1),
    "overflow": ("over", 2),
    "underflow": ("under", 4),
    "invalid value": ("invalid", 8),
}


def report(name: str, kinds: set[str]) -> None:
    """Raise, warn or ignore floating-point errors as the caller's ``np.errstate`` says.

    In Python, because NumPy has no call for it, and computing again may find other operands: the
    result may have been written over them.
    """
    modes: dict[str, str] = dict(np.geterr())  # type: ignore[arg-type]
    for kind, (key, number) in _KINDS.items():
        if kind not in kinds or modes[key] == "ignore":
            continue
        message = f"{kind} encountered in {name}"
        if modes[key] == "raise":
            raise FloatingPointError(message)
        if modes[key] == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=4)
        elif modes[key] == "call":
            np.geterrcall()(kind, number)  # type: ignore[misc, operator]
        else:  # "print" and "log"
            stream = np.geterrcall() if modes[key] == "log" else sys.stderr
            stream.write(f"Warning: {message}\n")  # type: ignore[union-attr]
