"""Twins: functions, classes and namespaces of the user as lifted code has them.

A twin function has the same code object and other globals, so tracebacks and debuggers show the
user's own lines. A twin namespace holds the user's names, those that mean NumPy and the like
rebound, and `__builtins__` of our own. A twin class is built like the user's, its methods are
twins. Nothing of the user's is changed here; what must hold while lifted code runs is in calls.py.
"""

from __future__ import annotations

import abc
import builtins
import contextlib
import enum
import functools
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._detach import LIFTED_MARK
from . import reach, rebinding, stand_ins

SCOPE = LIFTED_MARK  # key under which a twin namespace holds its Scope

Visit = Callable[[Any], Any]


class Scope:
    """The twin of a global namespace.

    raw : dict
        The user's.
    twin : dict
        What lifted functions have as their globals; the namespace of `module`.
    """

    __slots__ = ("__weakref__", "lifter", "module", "raw", "twin")

    def __init__(self, lifter: Lifter, raw: dict[str, Any]) -> None:
        self.lifter = lifter
        self.raw = raw
        self.module = types.ModuleType(str(raw.get("__name__", "__main__")), raw.get("__doc__"))
        self.twin = vars(self.module)
        # Other names are bound when lifted code needs them: a copy of all would keep alive what
        # the user deletes.
        self.twin.update({k: v for k, v in raw.items() if k[:2] == "__" == k[-2:]})
        self.twin["__builtins__"] = lifter.builtins
        self.twin["__getattr__"] = self.late
        self.twin[SCOPE] = self

    def late(self, name: str) -> Any:
        """An attribute of the twin module that no code seen so far has named."""
        if name in self.raw:
            return self.lifter.visit(self.raw[name])
        maker = self.raw.get("__getattr__")
        if maker is None:
            raise AttributeError(f"module {self.module.__name__!r} has no attribute {name!r}")
        return self.lifter.visit(maker(name))


class Lifter:
    """All twins made under one choice of packages; use `lifter_for`."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self.builtins = rebinding.builtin_names()
        self.builtins["isinstance"] = stand_ins.make_isinstance(self.original_class)
        self.builtins["__import__"] = self._import
        self._scopes: weakref.WeakValueDictionary[int, Scope] = weakref.WeakValueDictionary()
        self._modules: dict[int, Scope] = {}  # those of imported modules, which stay
        self.functions: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.classes: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
        self._originals: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.methods: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.class_cells: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
        self.attributes: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        # How the call that is running takes a module and any other value; set by calls.py.
        self.imported: Callable[..., Any] = lambda module, names, stored: module
        self.visit: Visit = lambda value: value

    # -- namespaces -------------------------------------------------------------------------------

    def is_users(self, namespace: dict[str, Any]) -> bool:
        """Whether functions of this namespace are lifted."""
        return id(namespace) in self._scopes or reach.is_users(namespace, self.packages)

    def scope(self, raw: dict[str, Any]) -> Scope:
        """The twin of a namespace of the user."""
        found = self._scopes.get(id(raw))
        if found is None or found.raw is not raw:
            found = self._scopes[id(raw)] = Scope(self, raw)
            module = sys.modules.get(str(raw.get("__name__")))
            if module is not None and vars(module) is raw:
                self._modules[id(raw)] = found
        return found

    def module(self, real: types.ModuleType) -> types.ModuleType:
        """The twin of a module of the user."""
        scope = self.scope(vars(real))
        if type(real) is not types.ModuleType:  # it makes attributes when they are asked for
            scope.twin["__getattr__"] = lambda name: self.visit(getattr(real, name))
        return scope.module

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        """The ``__import__`` of lifted code."""
        found = builtins.__import__(name, globals, locals, fromlist, level)
        code = sys._getframe(1).f_code
        return self.imported(found, reach.names_in(code), reach.stored_in(code))

    # -- functions --------------------------------------------------------------------------------

    def function(self, f: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        """The twin of a function of the user (made anew if f has a closure)."""
        return self._rebuilt(f, self.scope(f.__globals__).twin, visit, cells)

    def wrapper(self, f: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        """A library's function around functions of the user (a decorator's): cells alone differ."""
        return self._rebuilt(f, f.__globals__, visit, cells)

    def _rebuilt(
        self, f: Any, namespace: dict[str, Any], visit: Visit, cells: dict[int, tuple[Any, Any]]
    ) -> Any:
        closure = f.__closure__
        if closure is not None:
            closure = tuple(self.cell(c, cells) for c in closure)
        twin = types.FunctionType(f.__code__, namespace, f.__name__, f.__defaults__, closure)
        twin.__kwdefaults__ = f.__kwdefaults__
        twin.__doc__ = f.__doc__
        twin.__qualname__ = f.__qualname__
        twin.__module__ = f.__module__
        if sys.version_info < (3, 14):
            twin.__annotations__ = f.__annotations__
        self.remember(twin, f)
        return twin

    def finish(self, twin: Any, f: Any, visit: Visit) -> None:
        """What may lead back to the function itself, once it is known."""
        for name, value in vars(f).items():
            setattr(twin, name, visit(value))

    def cell(self, cell: Any, cells: dict[int, tuple[Any, Any]]) -> Any:
        """The twin of a closure cell; filled by whoever keeps it in step."""
        found = cells.get(id(cell))
        if found is None:
            found = cells[id(cell)] = (cell, types.CellType())
        return found[1]

    # -- classes ----------------------------------------------------------------------------------

    def twin_class(self, cls: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        """The twin of a class of the user; the class itself if it cannot or need not have one."""
        found = self.classes.get(cls)
        if found is None:
            found = cls
            if self._wants_twin(cls):
                try:
                    found = self._build(cls, visit, cells)
                except TypeError:  # a base or metaclass that allows no second class like this one
                    found = cls
            self.classes[cls] = found
        return found

    def _wants_twin(self, cls: Any) -> bool:
        if issubclass(cls, BaseException | enum.Enum | type) or getattr(cls, "_is_protocol", False):
            return False  # caught, compared or used by identity
        if issubclass(cls, np.ndarray):
            return False  # NumPy's own memory, which holds no tensors
        if reach.is_compiled(cls):
            return False
        home = reach.home_of(cls)
        if home is None or not (SCOPE in home or self.is_users(home)):
            return False
        # A class made by lifted code has lifted methods already.
        return SCOPE not in home

    def _build(self, cls: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        bases = tuple(self.twin_class(b, visit, cells) for b in cls.__bases__)
        namespace: dict[str, Any] = {}
        own_cell = types.CellType()
        for name, value in vars(cls).items():
            if name in ("__dict__", "__weakref__", "_abc_impl") or isinstance(
                value, types.MemberDescriptorType
            ):
                continue
            namespace[name] = value
        namespace.pop("__init_subclass__", None)
        meta = type(cls)
        make = abc.ABCMeta.__new__ if issubclass(meta, abc.ABCMeta) else type.__new__
        with _quiet():
            twin: Any = make(meta, cls.__name__, bases, namespace)
        twin.__qualname__ = cls.__qualname__
        own_cell.cell_contents = twin
        self.classes[cls] = twin
        self.remember(twin, cls)
        own: dict[int, tuple[Any, Any]] = {**cells}
        for value in vars(cls).values():
            for f in reach.functions_of(value):
                for cell in f.__closure__ or ():
                    if _contents(cell) is cls:  # what super() looks at
                        own[id(cell)] = (cell, own_cell)
        for name, value in vars(cls).items():
            replaced = self._member(value, visit, own)
            if name == "__init_subclass__":
                replaced = _quieted(replaced)
            if replaced is not value and name not in ("__dict__", "__weakref__"):
                type.__setattr__(twin, name, replaced)
        self.class_cells[cls] = [
            own[id(cell)]
            for value in vars(cls).values()
            for f in reach.functions_of(value)
            for cell in f.__closure__ or ()
            if id(cell) in own and own[id(cell)][1] is not own_cell
        ]
        return twin

    def _member(self, value: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        """An entry of a class's namespace: functions, also inside of descriptors, as twins."""

        def lift(f: Any) -> Any:
            if isinstance(f, types.FunctionType) and self.is_users(f.__globals__):
                twin = self.methods[f] = self.function(f, visit, cells)
                self.finish(twin, f, visit)
                return twin
            return None if f is None else visit(f)

        if isinstance(value, types.FunctionType):
            return lift(value)
        if type(value) in (staticmethod, classmethod):
            return type(value)(lift(value.__func__))
        if type(value) is property:
            return property(lift(value.fget), lift(value.fset), lift(value.fdel), value.__doc__)
        if type(value) is functools.cached_property:
            made = functools.cached_property(lift(value.func))
            made.attrname = value.attrname
            return made
        if type(value) is functools.partialmethod:
            return functools.partialmethod(lift(value.func), *value.args, **value.keywords)
        if isinstance(value, functools._lru_cache_wrapper):
            return visit(value)
        return value

    # -- back -------------------------------------------------------------------------------------

    def remember(self, twin: Any, original: Any) -> None:
        """Note what a twin stands for."""
        self._originals[twin] = weakref.ref(original)

    def original(self, twin: Any) -> Any:
        """What a twin function or class stands for, or None."""
        found = self._originals.get(twin)
        return None if found is None else found()

    def original_class(self, cls: Any) -> Any:
        """The user's class of a twin, or None."""
        return self.original(cls) if isinstance(cls, type) else None


_building = threading.local()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """While twins are built no ``__init_subclass__`` of the user hears of them."""
    before = getattr(_building, "active", False)
    _building.active = True
    try:
        yield
    finally:
        _building.active = before


def _quieted(hook: Any) -> Any:
    heard = getattr(hook, "__func__", hook)

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:
        if not getattr(_building, "active", False):
            heard(cls, **kwargs)

    return classmethod(__init_subclass__)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


_LIFTERS: dict[frozenset[str], Lifter] = {}


def lifter_for(packages: frozenset[str]) -> Lifter:
    """The Lifter of a choice of packages."""
    found = _LIFTERS.get(packages)
    if found is None:
        found = _LIFTERS[packages] = Lifter(packages)
    return found
