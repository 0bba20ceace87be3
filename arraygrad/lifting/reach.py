"""What a function can reach: whose code is the user's, and which global names it mentions."""

from __future__ import annotations

import dis
import site
import sys
import sysconfig
import types
import weakref
from functools import cache
from pathlib import Path
from typing import Any

# These are never rewritten, not even by name: their functions are rebound instead, or compiled.
_NEVER = frozenset({"arraygrad", "arraygrad_kernels", "numpy", "builtins", "numba", "llvmlite"})

# Code that mentions one of these may reach any global by a name made at run time.
_DYNAMIC = frozenset({"eval", "exec", "getattr", "globals", "import_module", "vars", "__dict__"})

_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"})

_NAMES: weakref.WeakKeyDictionary[types.CodeType, frozenset[str]] = weakref.WeakKeyDictionary()
_WRITES: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()
_STORED: weakref.WeakKeyDictionary[types.CodeType, frozenset[str]] = weakref.WeakKeyDictionary()


def names_in(code: types.CodeType) -> frozenset[str]:
    """Global, attribute and import names of a code object and of all that is defined in it."""
    found = _NAMES.get(code)
    if found is None:
        names = {part for name in code.co_names for part in name.split(".")}
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names |= names_in(constant)
        found = _NAMES[code] = frozenset(names)
    return found


def is_dynamic(names: frozenset[str]) -> bool:
    """Whether code with these names may look up a global by a name made at run time."""
    return not _DYNAMIC.isdisjoint(names)


def stored_in(code: types.CodeType) -> frozenset[str]:
    """Names that a code object (or one defined in it) binds as globals or attributes."""
    found = _STORED.get(code)
    if found is None:
        names = {i.argval for i in dis.get_instructions(code) if i.opname in _STORES}
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names |= stored_in(constant)
        found = _STORED[code] = frozenset(names)
    return found


def may_write(code: types.CodeType) -> bool:
    """Whether a code object (or one defined in it) may write into an array in place."""
    found = _WRITES.get(code)
    if found is None:
        found = (
            not _WRITERS.isdisjoint(code.co_names)
            or any(isinstance(c, tuple) and "out" in c for c in code.co_consts)
            or any(map(_is_write, dis.get_instructions(code)))
            or any(may_write(c) for c in code.co_consts if isinstance(c, types.CodeType))
        )
        _WRITES[code] = found
    return found


def _is_write(instruction: dis.Instruction) -> bool:
    if instruction.opname in ("STORE_SUBSCR", "STORE_SLICE"):
        return True
    return instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("=")


# Methods and functions that write where no subscript is assigned.
_WRITERS = frozenset({
    "fill", "sort", "partition", "put", "itemset", "resize", "setflags", "byteswap", "copyto",
    "fill_diagonal", "place", "putmask", "put_along_axis", "shuffle", "at", "flat", "nditer",
    "setattr", "exec", "eval",
})  # fmt: skip


@cache
def _installed_folders() -> tuple[str, ...]:
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {*site.getsitepackages(), site.getusersitepackages()}
    return tuple(str(Path(p).resolve()) + "/" for p in paths if p)


@cache
def _is_installed_file(file: str) -> bool:
    path = str(Path(file).resolve())
    if "/site-packages/" in path or "/dist-packages/" in path:
        return True
    return path.startswith(_installed_folders())


def is_users(namespace: dict[str, Any], packages: frozenset[str]) -> bool:
    """Whether the functions of a global namespace are the user's own.

    Code outside of the standard library and the installed packages is the user's, and so are the
    packages named.
    """
    name = str(namespace.get("__name__", "__main__"))
    top = name.partition(".")[0]
    if top in _NEVER:
        return False
    if any(name == p or name.startswith(f"{p}.") for p in packages):
        return True
    file = namespace.get("__file__")
    if file is None:
        module = sys.modules.get(name)
        # Code made by exec, in a notebook or at the prompt is somebody's own; a module without a
        # file is built in.
        return module is None or name == "__main__" or vars(module) is not namespace
    return top not in sys.stdlib_module_names and not _is_installed_file(str(file))


def home_of(cls: type) -> dict[str, Any] | None:
    """The global namespace in which a class was defined, or None if it cannot be told."""
    for value in vars(cls).values():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if isinstance(function, types.FunctionType) and function.__module__ == cls.__module__:
            return function.__globals__
    module = sys.modules.get(cls.__module__)
    return None if module is None else vars(module)
