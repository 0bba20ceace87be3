"""What a function can reach: whose code is the user's, and which global names it mentions."""

from __future__ import annotations

import dis
import functools
import site
import sys
import sysconfig
import types
import weakref
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

# These are never rewritten, not even by name: their functions are rebound instead, or compiled.
_NEVER = frozenset({"arraygrad", "arraygrad_kernels", "numpy", "builtins", "numba", "llvmlite"})

# Modules of Python's own whose code is lifted as the user's: NormalDist, quantiles.
_LIKE_THE_USERS = frozenset({"statistics"})

# Code that mentions one of these may reach any global by a name made at run time.
_DYNAMIC = frozenset({"eval", "exec", "getattr", "globals", "import_module", "vars", "__dict__"})

_READS_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_STORES_GLOBALS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_STORES_ATTRIBUTES = frozenset({"STORE_ATTR", "DELETE_ATTR"})
_STORES_ITEMS = frozenset({"STORE_SUBSCR", "STORE_SLICE"})
_REBINDS = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_STEPS = {
    dis.opmap[name]: name
    for name in (
        *_READS_GLOBALS, *_STORES_GLOBALS, *_STORES_ATTRIBUTES, *_STORES_ITEMS, *_REBINDS,
        "BINARY_OP",
    )
    if name in dis.opmap
}  # fmt: skip
_EXTENDED_ARG = dis.EXTENDED_ARG
_OPERATORS: list[str] = [symbol for _, symbol in dis._nb_ops]  # type: ignore[attr-defined]


def _steps(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """The instructions that matter here, and what each is about.

    `dis` takes ten times as long; a test holds this against it for the code of Python's modules.
    """
    names, code_bytes, extended = code.co_names, code.co_code, 0
    for i in range(0, len(code_bytes), 2):
        op, arg = code_bytes[i], code_bytes[i + 1] | extended
        extended = arg << 8 if op == _EXTENDED_ARG else 0
        name = _STEPS.get(op)
        if name is None:
            continue
        if name == "BINARY_OP":
            yield name, _OPERATORS[arg]
        elif name in _REBINDS:
            yield name, code._varname_from_oparg(arg)  # type: ignore[attr-defined]
        elif name in _STORES_ITEMS:
            yield name, ""
        else:
            yield name, names[arg >> 1 if name == "LOAD_GLOBAL" else arg]


class Facts:
    """What a code object and all that is defined in it does, found in one pass.

    names : names of globals, attributes and imports
    globals : those of globals
    stored : names that are bound as globals
    assigned : names that are bound as attributes
    writes : whether it may write into an array in place
    fills : whether it may put something into a container
    draws : whether it may draw random numbers that all code shares
    divides : whether it divides, or raises to a power, by an operator
    rebinds : whether it binds variables that other functions see
    nonlocals : those of functions around it, without what is defined in it
    """

    __slots__ = (
        "assigned", "divides", "draws", "fills", "globals", "names", "nonlocals", "rebinds",
        "stored", "writes",
    )  # fmt: skip
    nonlocals: frozenset[str]
    names: frozenset[str]
    globals: frozenset[str]
    stored: frozenset[str]
    assigned: frozenset[str]
    writes: bool
    draws: bool
    fills: bool
    divides: bool
    rebinds: bool

    def __init__(self, code: types.CodeType) -> None:
        called = frozenset(code.co_names)
        names = {part for name in code.co_names for part in name.split(".")}
        reads: set[str] = set()
        stored: set[str] = set()
        assigned: set[str] = set()
        writes = not _WRITERS.isdisjoint(called)
        fills = not _FILLERS.isdisjoint(called)
        divides = not _DIVIDERS.isdisjoint(called)
        rebinds = False
        nonlocals: set[str] = set()
        for name, argument in _steps(code):
            if name in _READS_GLOBALS:
                reads.add(argument)
            elif name in _STORES_GLOBALS:
                stored.add(argument)
            elif name in _STORES_ATTRIBUTES:
                assigned.add(argument)
            elif name == "BINARY_OP":
                writes = writes or argument.endswith("=")
                divides = divides or argument.rstrip("=") in _DIVISIONS
            elif name in _STORES_ITEMS:
                writes = fills = True
            else:
                rebinds = True
                if name == "STORE_DEREF" and argument in code.co_freevars:
                    nonlocals.add(argument)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                inner = facts(constant)
                names |= inner.names
                reads |= inner.globals
                stored |= inner.stored
                assigned |= inner.assigned
                writes = writes or inner.writes
                fills = fills or inner.fills
                divides = divides or inner.divides
                rebinds = rebinds or inner.rebinds
            elif isinstance(constant, tuple):
                writes = writes or "out" in constant
        if "globals" in called:  # it may bind any of the names that it says
            stored |= {c for c in code.co_consts if isinstance(c, str) and c.isidentifier()}
        self.names = frozenset(names)
        self.globals = frozenset(reads | stored)
        self.stored = frozenset(stored)
        self.assigned = frozenset(assigned)
        self.writes = writes
        self.fills = fills
        self.draws = not _DRAWING.isdisjoint(names)
        self.divides = divides
        self.rebinds = rebinds
        self.nonlocals = frozenset(nonlocals)


_FACTS: weakref.WeakKeyDictionary[types.CodeType, Facts] = weakref.WeakKeyDictionary()


def facts(code: types.CodeType) -> Facts:
    """The facts of a code object."""
    found = _FACTS.get(code)
    if found is None:
        found = _FACTS[code] = Facts(code)
    return found


def is_dynamic(names: frozenset[str]) -> bool:
    """Whether code with these names may look up a global by a name made at run time."""
    return not _DYNAMIC.isdisjoint(names)


def sets_attributes(f: types.FunctionType) -> bool:
    """Whether code may rebind attributes of a function: it has some, or names and sets its own."""
    if f.__dict__ and f.__dict__.keys() - {"__wrapped__"}:
        return True
    known = facts(f.__code__)
    name = f.__name__
    own = name in f.__code__.co_freevars or name in known.names
    return own and bool(known.assigned or known.stored)


_DIVISIONS = frozenset({"/", "//", "%", "**"})
_DIVIDERS = frozenset({
    "divmod", "pow", "truediv", "floordiv", "mod", "exec", "eval", "itruediv", "ifloordiv", "ipow",
})  # fmt: skip
# Methods and functions that write where no subscript is assigned.
_WRITERS = frozenset({
    "fill", "sort", "partition", "put", "itemset", "resize", "setflags", "byteswap", "copyto",
    "fill_diagonal", "place", "putmask", "put_along_axis", "shuffle", "at", "flat", "nditer",
    "setattr", "exec", "eval", "setfield", "setitem", "__setitem__", "__setattr__",
    *(f"{under}i{name}{under}" for under in ("", "__") for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift",
    )),
})  # fmt: skip


# Names by which code gets at random numbers of a state that is shared.
_DRAWING = frozenset({
    "random", "rand", "randn", "randint", "randrange", "random_sample", "ranf", "uniform",
    "normal", "normalvariate", "gauss", "standard_normal", "choice", "choices", "sample", "shuffle",
    "permutation", "seed", "exponential", "expovariate", "gamma", "beta", "poisson", "binomial",
    "multivariate_normal", "exec", "eval", "rvs",
})  # fmt: skip
# Methods and functions that put something into containers.
_FILLERS = frozenset({
    "setdefault", "append", "appendleft", "insert", "extend", "update", "add", "__setitem__",
    "setattr", "exec", "eval", "__dict__", "vars", "copyto", "put", "fill",
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
