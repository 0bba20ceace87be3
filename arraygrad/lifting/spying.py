"""Watching which NumPy calls lifted code makes: where, and with what.

Functions are watched by handing lifted code a `Spy` in the place of each of ours; operators,
methods and indexing, which no name leads to, by a profile function of the thread.
"""

from __future__ import annotations

import dis
import linecache
import math
import operator
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._apply import node_of, scalar_class
from .._detach import LIFTED_MARK
from .._lazy import LazyMethod
from .._special_methods import operators_in_frames
from .._storage import TensorBase
from .._tensor import Tensor, keep_protocols
from ..interop.numpy_protocol import python_array_ufunc
from . import calls
from .lifter import Lifter
from .record import Record


@dataclass(eq=False)
class Frozen:
    """A tensor or array among the arguments of a call, as it was before the call."""

    array: Any
    tracked: bool
    scalar: bool


@dataclass(eq=False)
class Sample:
    """One call: our function, NumPy's, and the arguments with `Frozen` for tensors and arrays."""

    ours: Callable[..., Any]
    numpys: Callable[..., Any]
    args: Any
    kwargs: Any
    frozen: list[Frozen]


@dataclass(eq=False)
class Site:
    """One place in the user's code that makes a call."""

    file: str
    line: int
    text: str
    name: str
    calls: int = 0
    samples: list[Sample] = field(default_factory=list)


class Watch:
    """What was seen so far; of each place the first calls are kept with their arguments."""

    def __init__(self, kept: int = 2) -> None:
        self.kept = kept
        self.sites: dict[Any, Site] = {}

    def note(
        self, frame: Any, name: str, ours: Any, numpys: Any, args: Any, kwargs: dict[str, Any]
    ) -> None:
        """A call from a lifted frame, before it runs."""
        code = frame.f_code
        key = (code.co_filename, frame.f_lineno, code.co_firstlineno, frame.f_lasti, name)
        site = self.sites.get(key)
        if site is None:
            text = _source(frame) or name
            site = self.sites[key] = Site(code.co_filename, frame.f_lineno, text, name)
        site.calls += 1
        if len(site.samples) < self.kept:
            memo: dict[int, Frozen] = {}
            frozen_args, frozen_kwargs = _freeze(tuple(args), memo), _freeze(kwargs, memo)
            held = [*memo.values()]
            site.samples.append(Sample(ours, numpys, frozen_args, frozen_kwargs, held))


def _freeze(x: Any, memo: dict[int, Frozen]) -> Any:
    if isinstance(x, TensorBase | np.ndarray):
        found = memo.get(id(x))
        if found is None:
            tensor = isinstance(x, TensorBase)
            array = np.array(x._array if isinstance(x, TensorBase) else x)
            tracked = tensor and node_of(x) is not None
            found = memo[id(x)] = Frozen(array, tracked, isinstance(x, scalar_class()))
        return found
    if type(x) in (list, tuple):
        return type(x)(_freeze(item, memo) for item in x)
    if isinstance(x, dict):
        return {k: _freeze(v, memo) for k, v in x.items()}
    return x


def _source(frame: Any) -> str:
    """The expression that a frame is at, as the user has written it."""
    code = frame.f_code
    positions = list(code.co_positions())[frame.f_lasti // 2]
    first, last, start, end = positions
    if first is None or start is None or end is None:
        return ""
    line = linecache.getline(code.co_filename, first).encode()
    text = line[start:end] if last == first else line[start:].rstrip() + b" ..."
    opname = next((i.opname for i in dis.get_instructions(code) if i.offset == frame.f_lasti), "")
    shown = " ".join(text.decode(errors="replace").split())
    return f"{shown} = ..." if opname.startswith("STORE_") else shown


# -- functions ------------------------------------------------------------------------------------

# Their functions draw numbers or look at arrays: there is nothing to compare.
_SKIPPED = ("numpy.random", "numpy.testing")
_METHODS_OF_UFUNCS = ("reduce", "accumulate", "reduceat", "outer", "at")


class Spy:
    """Stands for one of our functions and tells the watch of each call."""

    def __init__(self, watch: Watch, ours: Any, numpys: Any, name: str) -> None:
        self._watch = watch
        self.ours = ours
        self.numpys = numpys
        self._name = name
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What our function gives."""
        frame = sys._getframe(1)
        if LIFTED_MARK in frame.f_globals:
            self._watch.note(frame, self._name, self.ours, self.numpys, args, kwargs)
        return self.ours(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        """``np.r_[key]`` and its like."""
        frame = sys._getframe(1)
        if LIFTED_MARK in frame.f_globals:
            ours, numpys = self.ours.__getitem__, self.numpys.__getitem__
            self._watch.note(frame, self._name, ours, numpys, (key,), {})
        return self.ours[key]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.ours, name)
        if name not in _METHODS_OF_UFUNCS:
            return value
        made = Spy(self._watch, value, getattr(self.numpys, name), f"{self._name}.{name}")
        self.__dict__[name] = made
        return made


class SpyModule(types.ModuleType):
    """A module whose functions are spies."""

    def __init__(self, record: SpyRecord, ours: Any, real: Any) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(_record=record, ours=ours, _real=real)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["ours"], name)
        real = getattr(self.__dict__["_real"], name, value)
        made = self.__dict__["_record"].spied(value, real, name)
        if not name.startswith("__"):
            self.__dict__[name] = made
        return made

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_real"])


class SpyRecord(Record):
    """A record whose lifted code has spies where it would have our functions."""

    def __init__(self, target: Any, watch: Watch) -> None:
        lifter = Lifter(frozenset())  # its twins hold spies: nobody else may have them
        lifter.imported, lifter.visit = calls._imported, calls.visit
        super().__init__(target, lifter)
        self.watch = watch
        self.look_at = math.inf  # it runs once: what is watched is this call
        self._spies: dict[int, tuple[Any, Any]] = {}

    def visit(self, value: Any) -> Any:
        """What lifted code has in the place of a value."""
        ours = super().visit(value)
        return ours if isinstance(ours, Spy | SpyModule) else self.spied(ours, value)

    def spied(self, ours: Any, real: Any, name: str = "") -> Any:
        """A spy for a function or module of ours; anything else as it is."""
        found = self._spies.get(id(ours))
        if found is not None:
            return found[1]
        made = ours
        if isinstance(ours, types.ModuleType):
            if ours is not real and LIFTED_MARK not in vars(ours):
                skipped = real.__name__.startswith(_SKIPPED)
                made = ours if skipped else SpyModule(self, ours, real)
        elif ours is not real and _is_ours(ours, real):
            made = Spy(self.watch, ours, real, name or getattr(real, "__name__", "?"))
        self._spies[id(ours)] = (ours, made)
        return made

    def leave_value(self, value: Any) -> Any:
        """What the user has in the place of a value of lifted code."""
        if isinstance(value, Spy | SpyModule):
            value = value.ours
        return super().leave_value(value)


def _is_ours(ours: Any, real: Any) -> bool:
    """Whether it stands for a function of a library."""
    if isinstance(ours, type) or isinstance(real, type):
        return False
    if type(real).__name__ in ("RClass", "CClass"):
        return True
    module = getattr(real, "__module__", None) or ""
    if isinstance(real, np.ufunc):
        return True
    top = str(module).partition(".")[0]
    return callable(ours) and top in ("numpy", "scipy", "math", "cmath") and (
        not str(module).startswith(_SKIPPED)
    )  # fmt: skip


# -- operators, methods and indexing --------------------------------------------------------------

_UNARY = ("neg", "pos", "abs", "invert")
_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OTHERS = ("getitem", "setitem", "eq", "ne", "lt", "le", "gt", "ge")
_ATTRIBUTES = ("T", "mT", "real", "imag")
# They are about memory, or give what was kept in the graph on purpose.
_UNWATCHED = frozenset({"item", "tolist", "tobytes", "view", "setflags", "data", "flat"})


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, other: function(other, x)


def _watched() -> dict[types.CodeType, tuple[str, Callable[..., Any]]]:
    """Code of each method of tensors -> its name, and a function that does it for arrays too."""
    table: dict[str, Callable[..., Any]] = {}
    for name in (*_UNARY, *_BINARY, *_OTHERS):
        table[f"__{name}__"] = getattr(operator, f"__{name}__")
    for name in _BINARY:
        table[f"__i{name}__"] = getattr(operator, f"__i{name}__")
        table[f"__r{name}__"] = _reflected(table[f"__{name}__"])
    table["__int__"] = int
    found: dict[types.CodeType, tuple[str, Callable[..., Any]]] = {}
    for cls in scalar_class().__mro__:
        for name, value in [*vars(cls).items()]:
            if isinstance(value, LazyMethod):
                getattr(cls, name)  # then the class has the method itself
                value = vars(cls)[name]
            if isinstance(value, property) and name in _ATTRIBUTES and value.fget is not None:
                found[value.fget.__code__] = (name, operator.attrgetter(name))
            elif not isinstance(value, types.FunctionType):
                continue
            elif name in table:
                found[value.__code__] = (name, table[name])
            elif not name.startswith("_") and hasattr(np.ndarray, name) and name not in _UNWATCHED:
                found[value.__code__] = (name, operator.methodcaller)
    return found


def _arguments(frame: Any) -> tuple[list[Any], dict[str, Any]]:
    """What a function was called with, read from its frame as it starts."""
    code, local = frame.f_code, frame.f_locals
    names, count = code.co_varnames, code.co_argcount
    args = [local[name] for name in names[:count]]
    given = {name: local[name] for name in names[count : count + code.co_kwonlyargcount]}
    at = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        args += local[names[at]]
        at += 1
    if code.co_flags & 0x08:
        given |= local[names[at]]
    return args, given


def _method(name: str, defaults: dict[str, Any]) -> Callable[..., Any]:
    """A method of arrays, called with what differs from our defaults."""

    def call(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        kwargs = {k: v for k, v in kwargs.items() if k not in defaults or v is not defaults[k]}
        return getattr(x, name)(*args, **kwargs)

    return call


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Tell the watch of operators, methods and indexing in lifted code of this thread."""
    table: dict[types.CodeType, tuple[str, Callable[..., Any]]] = {}
    table_of_ufuncs = python_array_ufunc.__code__
    previous = sys.getprofile()

    def hook(frame: Any, event: str, argument: Any) -> None:
        if event != "call" or frame.f_back is None or LIFTED_MARK not in frame.f_back.f_globals:
            return
        code = frame.f_code
        if code is table_of_ufuncs:
            (_, ufunc, method, *args), kwargs = _arguments(frame)
            function = getattr(ufunc, method)
            watch.note(frame.f_back, ufunc.__name__, function, function, args, kwargs)
            return
        found = table.get(code)
        if found is None:
            return
        name, function = found
        args, kwargs = _arguments(frame)
        if function is operator.methodcaller:
            function, args, kwargs = _as_method(name, frame, args, kwargs)
        elif name in ("__pow__", "__rpow__", "__ipow__"):
            args = args[:2]  # without the modulus
        watch.note(frame.f_back, name, function, function, args, kwargs)

    Tensor.__array_ufunc__ = python_array_ufunc  # type: ignore[method-assign, assignment]
    with operators_in_frames():
        table.update(_watched())
        sys.setprofile(hook)
        try:
            yield
        finally:
            sys.setprofile(previous)
            keep_protocols()


def _as_method(name: str, frame: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    code = frame.f_code
    function = getattr(type(args[0]), name)
    values = function.__defaults__ or ()
    first = code.co_argcount - len(values)
    defaults = dict(zip(code.co_varnames[first : code.co_argcount], values, strict=True))
    defaults |= function.__kwdefaults__ or {}
    optional = dict(zip(defaults, args[first : code.co_argcount], strict=False))
    rest = args[code.co_argcount :]  # *args
    return _method(name, defaults), [*args[:first], *rest], {**optional, **kwargs}
