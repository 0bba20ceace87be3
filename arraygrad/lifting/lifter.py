"""Twins: functions, classes and namespaces of the user as lifted code has them.

A twin function has the same code object and other globals, so tracebacks and debuggers show the
user's own lines. A twin namespace holds the user's names, those that mean NumPy and the like
rebound, and `__builtins__` of our own. A twin class is built like the user's, its methods are
twins. Nothing of the user's is changed here; what must hold while lifted code runs is in calls.py.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from .._detach import LIFTED_MARK
from . import reach, rebinding, stand_ins, twin_classes
from .class_sync import ClassSync
from .sync import CellTwin
from .twin_classes import ORIGINALS, wants_twin

SCOPE = LIFTED_MARK  # key under which a twin namespace holds its Scope

Visit = Callable[[Any], Any]


class Scope:
    """The twin of a global namespace.

    raw : dict
        The user's.
    twin : dict
        What lifted functions have as their globals; the namespace of `module`.
    pulled : dict
        Name -> the user's value for which the twin got one, and which.
    """

    __slots__ = ("__weakref__", "lifter", "module", "pulled", "raw", "twin")

    def __init__(self, lifter: Lifter, raw: dict[str, Any]) -> None:
        self.lifter = lifter
        self.raw = raw
        self.pulled: dict[str, tuple[Any, Any]] = {}
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
        self.class_syncs: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
        self.metas: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
        # Those that records reach by themselves, which all have one twin: id of the function, or of
        # the cell.
        self.closures: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.cell_twins: weakref.WeakValueDictionary[int, CellTwin] = weakref.WeakValueDictionary()
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

    def is_users_class(self, cls: type) -> bool:
        """Whether a class was defined in a namespace of the user."""
        home = reach.home_of(cls)
        return home is not None and self.is_users(home)

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
        facts = reach.facts(sys._getframe(1).f_code)
        return self.imported(found, facts.names, facts.assigned)

    # -- functions --------------------------------------------------------------------------------

    def function(self, f: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        """The twin of a function of the user (made anew if f has a closure)."""
        return self._rebuilt(f, self.scope(f.__globals__).twin, visit, cells)

    def known_closure(self, f: Any, cells: dict[int, tuple[Any, Any]]) -> Any:
        """The twin that a closure has for other records, if it is over these cells."""
        twin = self.closures.get(id(f))
        if twin is None or self.original(twin) is not f:
            return None
        for cell, own in zip(f.__closure__, twin.__closure__, strict=True):
            known = cells.get(id(cell))
            if known is None or known[1] is not own:
                return None
        return twin

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
            if wants_twin(cls, self.is_users):
                # A TypeError: a base or metaclass that allows no second class like this one.
                with contextlib.suppress(TypeError):
                    found = self._build(cls, visit, cells)
            self.classes[cls] = found
        return found

    def _build(self, cls: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
        twin, own = twin_classes.build(self, cls, visit, cells)
        self.classes[cls] = twin
        self.remember(twin, cls)
        self.class_syncs[cls] = sync = ClassSync(self, cls, twin, own)
        sync.renew(visit)
        return twin

    def member(self, value: Any, visit: Visit, cells: dict[int, tuple[Any, Any]]) -> Any:
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
        if type(value) is functools.singledispatchmethod:
            return stand_ins.SingleDispatchMethod(value, lift)
        if isinstance(value, functools._lru_cache_wrapper | type):
            return visit(value)
        return value

    # -- back -------------------------------------------------------------------------------------

    def remember(self, twin: Any, original: Any) -> None:
        """Note what a twin stands for."""
        ORIGINALS.remember(twin, original)

    def original(self, twin: Any) -> Any:
        """What a twin function or class stands for, or None."""
        return ORIGINALS.get(twin)

    def original_class(self, cls: Any) -> Any:
        """The user's class of a twin, or None."""
        return self.original(cls) if isinstance(cls, type) else None


_LIFTERS: dict[frozenset[str], Lifter] = {}


def lifter_for(packages: frozenset[str]) -> Lifter:
    """The Lifter of a choice of packages."""
    found = _LIFTERS.get(packages)
    if found is None:
        found = _LIFTERS[packages] = Lifter(packages)
    return found
