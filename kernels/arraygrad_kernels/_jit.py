"""The only place that compiles: flags, disk cache, and real NumPy ufuncs from compiled loops.

May not know any operation. Family modules hand in plain Python functions, mostly made by small
factories that close over a scalar function; this module gives them one set of compiler flags, a
disk cache that follows every function they reach, and, for elementwise loops and reductions,
NumPy's own ufunc machinery.

Flags
-----
``fastmath`` is ``{"contract"}`` alone: fused multiply-adds, which change last bits only. The other
fast-math flags break special values (``nnan`` broke ``log(nan)``). ``error_model="numpy"`` divides
by zero as the hardware does, ``nogil`` lets a thread pool share the loops. Never ``parallel=True``.
`nest` gives more flags to single functions.

Cache
-----
Numba keys a cached function by the source file of the loop and by a pickle of its closure; globals
of the closed-over functions, and the identifiers that Numba draws at random for intrinsics, make
that key go stale or never hit. Ours is a fingerprint of all code and constants reachable from the
function (`fingerprint`): equal in every process, and changed exactly when compiled code may be.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import pathlib
import sys
import types as python_types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.extending import _Intrinsic

__all__ = ["LOOP_SIGNATURE", "enabled", "fingerprint", "jit", "loop", "ufunc"]

_BY_REFERENCE = {"numba", "llvmlite", "numpy", "math", "cmath", "builtins", "operator"}
_FOREIGN = _BY_REFERENCE | set(sys.stdlib_module_names)

_byte_pointer = numba.types.CPointer(numba.types.uint8)
LOOP_SIGNATURE = numba.types.void(
    numba.types.CPointer(_byte_pointer),
    numba.types.CPointer(numba.types.intp),
    numba.types.CPointer(numba.types.intp),
    numba.types.voidptr,
)
"""``void(char **args, intp *n, intp *steps, void *data)``, a NumPy ufunc's inner loop."""


def enabled() -> bool:
    """Whether Numba compiles; false under ``NUMBA_DISABLE_JIT=1``."""
    return not numba.config.DISABLE_JIT


def jit(function: Callable[..., Any], name: str, signature: Any) -> Callable[..., Any]:
    """Machine code of `function` for one signature, compiled now or loaded from the disk cache.

    Parameters
    ----------
    function : callable
        A function of its own for each call, not shared between signatures: it is renamed.
    name : str
        Name of the kernel and its cache files. Must be unique per (operation, dtypes), because
        two processes that store different signatures under one name may lose one of them.
    signature : str, numba signature or tuple of numba types
        The one signature to compile; no other is accepted at a call.

    Returns
    -------
    callable
        The compiled function; under ``NUMBA_DISABLE_JIT=1`` the function itself.
    """
    _rename(function, name)
    if not enabled():
        return function
    options = {"fastmath": {"contract"}, "nogil": True, "error_model": "numpy"}
    dispatcher = numba.njit(**options)(function)
    cache = _cache_of(function, None)
    if cache is not None:
        dispatcher._cache = cache
    try:
        dispatcher.compile(signature)
    except OSError:
        # The cache folder vanished or filled up after it was found writable.
        dispatcher = numba.njit(**options)(function)
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def loop(function: Callable[..., None], name: str, *, contract: bool = True) -> CFunc:
    """`function` compiled as a NumPy inner loop (`LOOP_SIGNATURE`); ``.address`` is its pointer.

    Without `contract` each product and each sum rounds on its own: complex products need that for
    ``z * conj(z)`` to be real.
    """
    _rename(function, name)
    fastmath = {"contract"} if contract else False
    options = {"fastmath": fastmath, "nogil": True, "error_model": "numpy"}
    signature = (LOOP_SIGNATURE.args, LOOP_SIGNATURE.return_type)
    compiled = CFunc(function, signature, locals={}, options=options)
    cache = _cache_of(function, contract)
    if cache is not None:
        compiled._cache = cache
    try:
        compiled.compile()
    except OSError:
        compiled = CFunc(function, signature, locals={}, options=options)
        compiled.compile()
    return compiled


def ufunc(
    loops: Sequence[tuple[int, Sequence[np.dtype[Any]]]],
    name: str,
    n_inputs: int,
    n_outputs: int = 1,
    documentation: str = "",
    keep: Any = None,
    signature: str = "",
    data: int = 0,
) -> np.ufunc:
    """NumPy ufunc over compiled inner loops.

    Parameters
    ----------
    loops : sequence of (address, dtypes)
        Pointer to each inner loop and the dtypes of its inputs and outputs, in order.
    name, documentation : str
        What the ufunc calls itself.
    n_inputs, n_outputs : int
        Numbers of operands.
    keep : object, optional
        Kept alive as long as the process: the owners of the machine code.
    signature : str, optional
        Core dimensions of a generalised ufunc, as in ``"(n)->()"``.
    data : int, default: 0
        What the loops get as their last argument.

    Notes
    -----
    ``PyUFunc_FromFuncAndData`` is entry 1 of NumPy's ufunc C API since 1.0,
    ``PyUFunc_FromFuncAndDataAndSignature`` entry 31 since 1.3. They store the pointers they are
    given, so all buffers here live for ever.
    """
    addresses = (ctypes.c_void_p * len(loops))(*(address for address, _ in loops))
    values = (ctypes.c_void_p * len(loops))(*[data] * len(loops))
    codes = b"".join(bytes(dtype.num for dtype in dtypes) for _, dtypes in loops)
    codes_buffer = ctypes.create_string_buffer(codes, len(codes))
    name_buffer = ctypes.create_string_buffer(name.encode())
    documentation_buffer = ctypes.create_string_buffer(documentation.encode())
    signature_buffer = ctypes.create_string_buffer(signature.encode()) if signature else None
    _immortal.append(
        (addresses, values, codes_buffer, name_buffer, documentation_buffer, signature_buffer, keep)
    )
    return _from_func_and_data()(
        addresses, values, codes_buffer, len(loops), n_inputs, n_outputs, -1,
        name_buffer, documentation_buffer, 0, signature_buffer,
    )  # fmt: skip


_immortal: list[Any] = []


def _from_func_and_data() -> Callable[..., np.ufunc]:
    """NumPy's ``PyUFunc_FromFuncAndDataAndSignature``; without a signature it is the other."""
    from numpy._core import _multiarray_umath

    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(
        pointer_of(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p)
    )
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, pointer, pointer, pointer, integer, integer, integer, integer,
        pointer, pointer, integer, pointer,
    )  # fmt: skip
    return prototype(table[31])


def _rename(function: Callable[..., Any], name: str) -> None:
    """Give `function` the kernel's name, which Numba uses for symbols and cache files."""
    function.__name__ = function.__qualname__ = name


class _Cache(FunctionCache):
    """Numba's function cache under our key."""

    def __init__(self, function: Callable[..., Any], salt: object) -> None:
        super().__init__(function)
        self._digest = fingerprint(function, salt)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._digest)


def _cache_of(function: Callable[..., Any], salt: object) -> _Cache | None:
    """Disk cache of `function`, or None where no cache folder is writable."""
    try:
        return _Cache(function, salt)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return None


def fingerprint(function: Callable[..., Any], *salt: object) -> str:
    """Digest of all code and constants that `function` can reach, equal in every process."""
    digest = hashlib.sha256()
    seen: dict[int, int] = {}
    for part in (function, *salt):
        for piece in _pieces(part, seen):
            digest.update(piece)
            digest.update(b"\0")
    return digest.hexdigest()


def _pieces(value: Any, seen: dict[int, int]) -> Iterable[bytes]:
    """Byte strings that describe `value`: code by content, foreign objects by name."""
    if isinstance(value, python_types.CodeType):
        yield value.co_code
        yield repr((value.co_names, value.co_varnames)).encode()
        for constant in value.co_consts:
            yield from _pieces(constant, seen)
        return
    if value is None or isinstance(value, str | bytes | bool | int | float | complex | np.generic):
        yield f"{type(value).__name__} {value!r}".encode()
        return
    if isinstance(value, frozenset | set):
        yield repr(sorted(map(repr, value))).encode()
        return
    if isinstance(value, tuple):
        yield f"tuple {len(value)}".encode()
        for item in value:
            yield from _pieces(item, seen)
        return
    if id(value) in seen:
        yield f"seen {seen[id(value)]}".encode()
        return
    seen[id(value)] = len(seen)
    if isinstance(value, list):
        yield f"list {len(value)}".encode()
        for item in value:
            yield from _pieces(item, seen)
    elif isinstance(value, dict):
        yield f"mapping {len(value)}".encode()
        for key, item in value.items():
            yield from _pieces((key, item), seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, _Intrinsic):
        yield from _pieces(value._defn, seen)
    elif isinstance(value, python_types.FunctionType):
        yield from _function_pieces(value, seen)
    elif isinstance(value, type) and value.__module__.partition(".")[0] not in _FOREIGN:
        yield _source_digest(value.__module__)
    else:
        module = getattr(value, "__module__", type(value).__module__)
        yield f"{module}.{getattr(value, '__qualname__', type(value).__qualname__)}".encode()
        if not isinstance(value, python_types.ModuleType | type | python_types.BuiltinFunctionType):
            yield str(value).encode() if " at 0x" not in str(value) else b""


@functools.cache
def _source_digest(module: str) -> bytes:
    """Digest of the file that defines a class and of those that its functions come from.

    A class compiles by all that its module says, and by what it imports by name.
    """
    names = {module}
    for value in vars(sys.modules[module]).values():
        if isinstance(value, type | python_types.FunctionType):
            names.add(value.__module__)
    digest = hashlib.sha256()
    for name in sorted(names):
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is not None and name.partition(".")[0] not in _FOREIGN:
            digest.update(pathlib.Path(path).read_bytes())
    return digest.digest()


def _function_pieces(function: python_types.FunctionType, seen: dict[int, int]) -> Iterable[bytes]:
    """Code, defaults, closure and globals in use of a Python function."""
    if function.__module__.partition(".")[0] in _BY_REFERENCE:
        yield f"{function.__module__}.{function.__qualname__}".encode()
        return
    yield from _pieces(function.__code__, seen)
    yield from _pieces(function.__defaults__, seen)
    yield from _pieces(function.__dict__.get("variants"), seen)
    for cell in function.__closure__ or ():
        yield from _pieces(cell.cell_contents, seen)
    for name in _global_names(function.__code__):
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield name.encode()
        yield from _pieces(value, seen)
        if isinstance(value, python_types.ModuleType):
            yield from _attribute_pieces(value, function.__code__, seen)


def _attribute_pieces(
    module: python_types.ModuleType, code: python_types.CodeType, seen: dict[int, int]
) -> Iterable[bytes]:
    """What `code` may look up in one of our modules, as in ``f64.exp``."""
    if module.__name__.partition(".")[0] not in _BY_REFERENCE:
        for name in _global_names(code):
            if hasattr(module, name):
                yield from _pieces(getattr(module, name), seen)


def _global_names(code: python_types.CodeType) -> list[str]:
    """Names that `code` or a function inside it may look up among the globals."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names += _global_names(constant)
    return names


def cache_folder() -> str:
    """Folder of this package's compiled kernels, or a note that there is none."""
    # Numba keeps compiled code beside the file of its source: that of the loops, not this one.
    source = pathlib.Path(__file__).parent / "cpu" / "__init__.py"
    beside = python_types.FunctionType(
        enabled.__code__.replace(co_filename=str(source)), globals(), "beside"
    )
    cache = _cache_of(beside, None)
    if cache is None:
        return "none is writable: kernels are compiled anew in each process"
    return str(cache.cache_path)
