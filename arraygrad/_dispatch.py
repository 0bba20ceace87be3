"""Which kernel runs: (op, device, layout, dtypes) -> kernel.

A plain dictionary that anyone can print (`table`) and extend (`register_kernel`); the library
registers its own kernels through the same call. This is the only module that imports
arraygrad_kernels, and the only one that knows how kernels get compiled:

* every op has a reference kernel (NumPy's loop, special values fixed to the standard);
* the first time that an (op, dtypes) pair runs, its Numba kernel is asked for. With
  ``ARRAYGRAD_COMPILE=background`` (the default) the reference kernel runs until the compiled one
  is ready and is swapped in; ``sync`` waits for the compiler, ``off`` never compiles;
* ``ARRAYGRAD_KERNELS=auto`` takes a Numba kernel where it was measured to be faster, ``numba``
  wherever there is one, ``numpy`` never.

Knows nothing of tensors: kernels take the device's own arrays.
"""

from __future__ import annotations

import atexit
import importlib
import os
from _thread import RLock
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ._errors import ArgumentError, DispatchError

__all__ = [
    "Kernel",
    "compile_all",
    "compile_mode",
    "find_kernel",
    "in_single_precision",
    "kernel_mode",
    "lookup",
    "register_allocator",
    "register_kernel",
    "table",
]

Kernel = Callable[..., Any]
Key = tuple[str, str, str, "tuple[np.dtype[Any], ...] | None"]


def _setting(name: str, allowed: tuple[str, ...]) -> str:
    value = os.environ.get(name, allowed[0])
    if value not in allowed:
        raise ArgumentError(f"{name}={value!r} is not a mode; set it to one of {allowed}")
    return value


kernel_mode = _setting("ARRAYGRAD_KERNELS", ("auto", "numba", "numpy"))
compile_mode = _setting("ARRAYGRAD_COMPILE", ("background", "sync", "off"))

# What was registered. dtypes None: a kernel for every dtype that has no kernel of its own.
_TABLE: dict[Key, Kernel] = {}
# Per op: dtype -> kernel for CPU operands that share this dtype (the road of most calls).
_FAST: dict[str, dict[np.dtype[Any], Kernel]] = {}
# The same for many elements; the elementwise road fills it.
_LARGE: dict[str, dict[np.dtype[Any], Kernel]] = {}
# The same for few elements, where kernels have forms that spend nothing on generality: those of
# products f(x1, x2), of copies f(x), of casts f(x, dtype, "C"), of joins f([x1, x2, ...], axis);
# those of reductions a pair, of a function that finds where an extreme is (or
# None), and f(x, axis=k, keepdims=True), whose axis is needed for several dimensions only.
_SHORT: dict[str, dict[np.dtype[Any], Any]] = {}
# Keys that were resolved by falling back to a kernel for all dtypes, or to the reference.
_RESOLVED: dict[Key, Kernel] = {}
# Keys that no kernel was found for, and asked for compilation: backward passes ask in each step.
_MISSING: set[Key] = set()


def register_kernel(
    op: str,
    kernel: Kernel,
    *,
    device: str = "cpu",
    layout: str = "strided",
    dtypes: tuple[np.dtype[Any], ...] | None = None,
) -> None:
    """Make `kernel` the one that runs for these arguments.

    Parameters
    ----------
    op : str
        Name of the op, e.g. ``"multiply"``.
    kernel : callable
        Takes the device's arrays in the order of the op's arguments and its attributes as
        keywords; returns a new array (or a tuple of them).
    device, layout : str
        Kind of device and layout, e.g. ``"cpu"`` and ``"strided"``.
    dtypes : tuple of dtype, optional
        Exact dtypes of the array arguments; None registers for all that have no own kernel.

    Examples
    --------
    >>> import numpy as np, arraygrad as ag
    >>> from arraygrad import extending
    >>> f8 = np.dtype("float64")
    >>> kernel = extending.lookup("cosh", "cpu", "strided", (f8,))
    >>> extending.register_kernel("cosh", kernel, dtypes=(f8,))
    """
    _TABLE[op, device, layout, dtypes] = kernel
    large_table(op).clear()
    short_table(op).clear()
    fast = fast_table(op)
    if dtypes is None:
        fast.clear()
        for key in [k for k in _RESOLVED if k[:3] == (op, device, layout)]:
            del _RESOLVED[key]
        _MISSING.clear()
    elif device == "cpu" and layout == "strided" and len(set(dtypes)) == 1:
        if dtypes[0] in fast:
            fast[dtypes[0]] = serial(kernel)


def in_single_precision(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with float16 and bfloat16 arguments computed in float32 and rounded once."""

    def run(*arrays: Any, **attributes: Any) -> Any:
        for array in arrays:
            dtype = array.dtype
            if dtype.kind == "V" or dtype.char == "e":
                out = kernel(*(a.astype(np.float32) for a in arrays), **attributes)
                if isinstance(out, tuple):
                    return tuple(_rounded(o, dtype) for o in out)
                return _rounded(out, dtype)
        return kernel(*arrays, **attributes)

    run.__module__ = kernel.__module__
    run.short = getattr(kernel, "short", None)  # type: ignore[attr-defined]
    return run


def _rounded(out: Any, dtype: np.dtype[Any]) -> Any:
    return out.astype(dtype) if out.dtype == np.float32 else out


def serial(kernel: Kernel) -> Kernel:
    """The form of a kernel that does not look whether to use threads: for few elements."""
    return getattr(kernel, "ufunc", kernel)


def fast_table(op: str) -> dict[np.dtype[Any], Kernel]:
    """The op's dtype -> kernel table for same-dtype CPU operands."""
    return _FAST.setdefault(op, {})


def large_table(op: str) -> dict[np.dtype[Any], Kernel]:
    """The op's dtype -> kernel table for many elements; empty after every change of kernels."""
    return _LARGE.setdefault(op, {})


def short_table(op: str) -> dict[np.dtype[Any], Any]:
    """The op's dtype -> short form table; None where there is none."""
    return _SHORT.setdefault(op, {})


# Dtypes that are computed in themselves, by every kernel.
_PLAIN_DTYPES = frozenset(map(np.dtype, ("float32", "float64", "int64", "bool")))


def short_form(op: str, dtype: np.dtype[Any], arity: int = 1) -> Any:
    """The form of a CPU kernel for few elements, or None; entered into the op's table."""
    form = None
    if dtype in _PLAIN_DTYPES:
        form = getattr(lookup(op, "cpu", "strided", (dtype,) * arity), "short", None)
    short_table(op)[dtype] = form
    return form


def find_kernel(
    op: str, device: str, layout: str, dtypes: tuple[np.dtype[Any], ...]
) -> Kernel | None:
    """The kernel for these arguments, or None; asks for compilation where that is due."""
    key = (op, device, layout, dtypes)
    kernel = _TABLE.get(key) or _RESOLVED.get(key)
    if kernel is not None or key in _MISSING:
        return kernel
    kernel = _TABLE.get((op, device, layout, None))
    if device == "cpu" and layout == "strided":
        if kernel is None:
            kernel = _kernels("reference").find(op, dtypes)
            if isinstance(kernel, np.ufunc):
                kernel = _with_threads(op, kernel, dtypes)
        if kernel_mode != "numpy":
            if compile_mode == "sync":
                kernel = _build(op, dtypes) or kernel
            elif compile_mode == "background":
                _compiler().request(op, dtypes)
    if kernel is None:
        _MISSING.add(key)
    else:
        _RESOLVED[key] = kernel
    return kernel


_empty: Callable[[Any, np.dtype[Any]], Any] = np.empty


def register_allocator(empty: Callable[[Any, np.dtype[Any]], Any]) -> None:
    """Where kernels get memory for large results: ``empty(shape, dtype)``."""
    global _empty
    _empty = empty


def _kernels(module: str) -> Any:
    """A module of the kernels' package, imported when it is first needed."""
    from arraygrad_kernels import results

    results.use(_empty)
    return importlib.import_module(f"arraygrad_kernels.{module}")


def _with_threads(op: str, ufunc: np.ufunc, dtypes: tuple[np.dtype[Any], ...]) -> Kernel:
    """NumPy's function, shared by threads where there are many elements.

    For results that fit no cache a compiled one that writes past the caches, if there is one.
    """
    if ufunc.nin != len(dtypes) or any(dtype.kind not in "biufc" for dtype in dtypes):
        return ufunc
    try:
        streaming = partial(find_kernel, f"{op}.streaming", "cpu", "strided", dtypes)
        threads = _kernels("threads")
        return threads.threaded(ufunc, threads.CHEAP, dtypes, streaming)  # type: ignore[no-any-return]
    except TypeError:  # no loop for these dtypes: the call itself says so best
        return ufunc


def lookup(op: str, device: str, layout: str, dtypes: tuple[np.dtype[Any], ...]) -> Kernel:
    """The kernel for these arguments; DispatchError, naming what exists, if there is none."""
    kernel = find_kernel(op, device, layout, dtypes)
    if kernel is not None:
        return kernel
    names = ", ".join(str(d) for d in dtypes)
    exists = sorted(
        {
            f"{d}/{lay}" + ("" if t is None else f"({', '.join(map(str, t))})")
            for (o, d, lay, t) in _registered()
            if o == op
        }
    )
    have = "; ".join(exists) if exists else "no kernel at all"
    raise DispatchError(
        f"{op} has no kernel for device {device!r}, layout {layout!r}, dtypes ({names}); "
        f"registered are: {have}. Convert the operands, or add one: register_kernel({op!r}, ...)"
    )


def _registered() -> dict[Key, Kernel]:
    """What was registered, over the reference kernels."""
    own = _kernels("reference").KERNELS
    return {**{(op, "cpu", "strided", None): kernel for op, kernel in own.items()}, **_TABLE}


def table() -> Iterator[tuple[str, str, str, str, str]]:
    """Rows (op, device, layout, dtypes, kernel) of everything registered or resolved, sorted."""
    merged = {**_RESOLVED, **_registered()}
    rows = [
        (
            op,
            device,
            layout,
            "any" if dtypes is None else ",".join(map(str, dtypes)),
            getattr(kernel, "__module__", None) or type(kernel).__name__,
        )
        for (op, device, layout, dtypes), kernel in merged.items()
    ]
    return iter(sorted(rows))


def _build(op: str, dtypes: tuple[np.dtype[Any], ...]) -> Kernel | None:
    """Compile the Numba kernel of (op, dtypes) if there is one and the mode wants it."""
    spec = _kernels("cpu").find(op, dtypes)  # imports Numba: 0.25 s, paid when first needed
    if spec is None or not (spec.preferred or kernel_mode == "numba"):
        return None
    return spec.build()  # type: ignore[no-any-return]


# Seconds between the first request and the first compilation: a program that ends sooner never
# imports Numba, and does not wait for a compiler when it ends.
COMPILE_DELAY = 0.5


class _Compiler:
    """One background thread that compiles what was asked for, in order."""

    def __init__(self) -> None:
        import threading  # at the first request: `import arraygrad` does without it

        self._changed = threading.Condition()
        self._new_thread = threading.Thread
        self._waiting: list[tuple[str, tuple[np.dtype[Any], ...]]] = []
        self._asked: set[tuple[str, tuple[np.dtype[Any], ...]]] = set()
        self._busy = False
        self._hurried = False
        self._stopping = False
        self._thread: Any = None
        self.failures: dict[tuple[str, tuple[np.dtype[Any], ...]], str] = {}

    def request(self, op: str, dtypes: tuple[np.dtype[Any], ...]) -> None:
        with self._changed:
            if self._stopping or (op, dtypes) in self._asked:
                return
            self._asked.add((op, dtypes))
            self._waiting.append((op, dtypes))
            self._changed.notify_all()
            if self._thread is None:
                self._thread = self._new_thread(
                    target=self._work, name="arraygrad-compile", daemon=True
                )
                self._thread.start()

    def _next(self) -> tuple[str, tuple[np.dtype[Any], ...]] | None:
        """What to compile now; waits for it. None at the end of the process."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            if self._stopping:
                return None
            self._busy = True
            return self._waiting.pop(0)

    def _work(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._hurried or self._stopping, COMPILE_DELAY)
        while (item := self._next()) is not None:
            op, dtypes = item
            try:
                kernel = _build(op, dtypes)
                if kernel is not None:
                    register_kernel(op, kernel, dtypes=dtypes)
            except Exception as error:  # noqa: BLE001 - the reference kernel goes on, `info` tells
                self.failures[item] = f"{type(error).__name__}: {error}"

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything asked for is compiled."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._waiting or self._busy), timeout)

    def stop(self) -> None:
        """At exit: finish the kernel in hand, drop the rest."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(timeout=10)


_COMPILER: _Compiler | None = None
_MAKING = RLock()


def _compiler() -> _Compiler:
    global _COMPILER
    if _COMPILER is None:
        with _MAKING:
            made = _Compiler()
            if _COMPILER is None:  # not by another thread, nor by what the collector has run
                _COMPILER = made
                atexit.register(_stop_compiler)
    return _COMPILER


def _stop_compiler() -> None:
    if _COMPILER is not None:
        _COMPILER.stop()


def _after_fork() -> None:
    global _COMPILER, _MAKING
    _COMPILER = None
    _MAKING = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def wait_for_compiler(timeout: float | None = None) -> bool:
    """Wait until every kernel that was asked for has been compiled and swapped in.

    Parameters
    ----------
    timeout : float, optional
        Seconds to wait at most.

    Returns
    -------
    bool
        False if the time was over first.
    """
    return _compiler().wait(timeout)


def compile_failures() -> dict[str, str]:
    """Kernels that did not compile (the reference runs instead), with the reason."""
    return {
        f"{op}({', '.join(map(str, dtypes))})": why
        for (op, dtypes), why in _compiler().failures.items()
    }


def compile_all(progress: Callable[[int, int, str], None] | None = None) -> int:
    """Compile every Numba kernel of the catalogue now; the number of kernels compiled."""
    specs = [s for s in _kernels("cpu").catalogue() if s.preferred or kernel_mode == "numba"]
    for done, spec in enumerate(specs):
        if progress is not None:
            progress(done, len(specs), f"{spec.op}({', '.join(map(str, spec.dtypes))})")
        register_kernel(spec.op, spec.build(), dtypes=spec.dtypes)
    if progress is not None:
        progress(len(specs), len(specs), "")
    return len(specs)


def cache_folder() -> str:
    """Where compiled kernels are kept between processes."""
    return str(_kernels("_jit").cache_folder())
