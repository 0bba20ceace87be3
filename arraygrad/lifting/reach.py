"""What a function can reach: whose code is the user's, and which global names it mentions."""

from __future__ import annotations

import dis
import functools
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

# Modules of Python's own whose code is lifted as the user's: NormalDist, quantiles.
_LIKE_THE_USERS = frozenset({"statistics"})

# Code that mentions one of these may reach any global by a name made at run time.
_DYNAMIC = frozenset({"eval", "exec", "getattr", "globals", "import_module", "vars", "__dict__"})

_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"})

_NAMES: weakref.WeakKeyDictionary[types.CodeType, frozenset[str]] = weakref.WeakKeyDictionary()
_WRITES: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()
_DIVIDES: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()
_NONLOCALS: weakref.WeakKeyDictionary[types.CodeType, frozenset[str]] = weakref.WeakKeyDictionary()
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


def nonlocals_in(code: types.CodeType) -> frozenset[str]:
    """Names of functions around it that a code object binds."""
    found = _NONLOCALS.get(code)
    if found is None:
        free = code.co_freevars
        found = _NONLOCALS[code] = frozenset({
            i.argval for i in dis.get_instructions(code)
            if i.opname == "STORE_DEREF" and i.argval in free
        } if free else ())  # fmt: skip
    return found


def sets_attributes(f: types.FunctionType) -> bool:
    """Whether code may rebind attributes of a function: it has some, or names and sets its own."""
    if vars(f).keys() - {"__wrapped__"}:
        return True
    code = f.__code__
    name = f.__name__
    return (name in code.co_freevars or name in names_in(code)) and bool(stored_in(code))


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


def may_divide(code: types.CodeType) -> bool:
    """Whether code (or code defined in it) divides, or raises to a power, by an operator."""
    found = _DIVIDES.get(code)
    if found is None:
        found = (
            not _DIVIDERS.isdisjoint(code.co_names)
            or any(
                i.opname == "BINARY_OP" and i.argrepr.rstrip("=") in _DIVISIONS
                for i in dis.get_instructions(code)
            )
            or any(may_divide(c) for c in code.co_consts if isinstance(c, types.CodeType))
        )
        _DIVIDES[code] = found
    return found


_DIVISIONS = frozenset({"/", "//", "%", "**"})
_DIVIDERS = frozenset({
    "divmod", "pow", "truediv", "floordiv", "mod", "exec", "eval", "itruediv", "ifloordiv", "ipow",
})  # fmt: skip


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
def _is_installed(file: str, depth: int) -> bool:
    """Whether a source file, `depth` packages deep, is Python's or of an installed library."""
    path = Path(file).resolve()
    if "site-packages" in path.parts or "dist-packages" in path.parts:
        return True
    if str(path).startswith(_installed_folders()):
        return True
    # Installed to a folder of its own (pip install --target): its metadata lies beside it.
    return bool(depth) and _has_metadata(path.parents[depth])


@cache
def _has_metadata(folder: Path) -> bool:
    return any(folder.glob("*.dist-info"))


def is_users(namespace: dict[str, Any], packages: frozenset[str]) -> bool:
    """Whether the functions of a global namespace are the user's own.

    Code outside of the standard library and the installed packages is the user's, and so are the
    packages named.
    """
    name = str(namespace.get("__name__", "__main__"))
    top = name.partition(".")[0]
    if top in _NEVER:
        return False
    if name in _LIKE_THE_USERS:
        return True
    if any(name == p or name.startswith(f"{p}.") for p in packages):
        return True
    file = namespace.get("__file__")
    if file is None:
        module = sys.modules.get(name)
        # Code made by exec, in a notebook or at the prompt is somebody's own; a module without a
        # file is built in.
        return module is None or name == "__main__" or vars(module) is not namespace
    if top in sys.stdlib_module_names or not str(file).endswith((".py", ".pyc", ".ipynb")):
        return False
    depth = name.count(".") + str(file).endswith("__init__.py")
    return not _is_installed(str(file), depth)


# What may stand in a class around a function; of other objects no attribute is asked.
DESCRIPTORS = (
    staticmethod, classmethod, property, functools.cached_property, functools.partialmethod,
    functools._lru_cache_wrapper, functools.singledispatchmethod,
)  # fmt: skip


def functions_of(value: Any) -> list[types.FunctionType]:
    """The functions in an entry of a class's namespace."""
    if isinstance(value, types.FunctionType):
        return [value]
    if not isinstance(value, DESCRIPTORS):
        return []
    names = ("__func__", "fget", "fset", "fdel", "func", "__wrapped__")
    inner = [getattr(value, name, None) for name in names]
    if isinstance(value, functools.singledispatchmethod):
        inner += value.dispatcher.registry.values()
    return [f for f in inner if isinstance(f, types.FunctionType)]


def functions_of_meta(meta: type) -> list[types.FunctionType]:
    """The functions of a metaclass, those of its bases included."""
    if meta is type:
        return []
    return [
        f for base in meta.__mro__ for value in vars(base).values() for f in functions_of(value)
    ]


def is_compiled(cls: type) -> bool:
    """Whether a class, or the part of it that defines its layout, is not written in Python."""
    return any(
        isinstance(value, types.WrapperDescriptorType | types.MethodDescriptorType)
        and getattr(value, "__objclass__", None) is cls
        for value in vars(cls).values()
    )


def home_of(cls: type) -> dict[str, Any] | None:
    """The global namespace in which a class was defined, or None if it cannot be told."""
    for value in vars(cls).values():
        for function in functions_of(value):
            if function.__module__ == cls.__module__:
                return function.__globals__
    module = sys.modules.get(cls.__module__)
    return None if module is None else vars(module)
