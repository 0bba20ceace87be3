"""Places in which nothing was rebound, if they hold what they held: the test of each later call."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _compiled
from .._storage import TensorBase
from .session import INERT

if TYPE_CHECKING:
    from .class_sync import ClassSync


class Watched(_compiled.base("QuickWatched")):  # type: ignore[misc]
    """What later calls look at, so that they need not bring anything up to date.

    sizes : list of (namespace, size)
    names : list of (namespace, name, value)
    attributes : list of (object, name, value)
    cells : list of (closure cell, value)
    entries : list of (ClassSync, its version)
    live : list of (namespace, name)
    open_cells : list of closure cells
    values_of : list of callables
        Places that may hold anything, and what gives values: see sight.py.
    """

    def __init__(self) -> None:
        self.sizes: list[tuple[Mapping[str, Any], int]] = []
        self.names: list[tuple[Mapping[str, Any], str, Any]] = []
        self.attributes: list[tuple[Any, str, Any]] = []
        self.cells: list[tuple[Any, Any]] = []
        self.entries: list[tuple[ClassSync, int]] = []
        self.live: list[tuple[Mapping[str, Any], str]] = []
        self.open_cells: list[Any] = []
        self.values_of: list[Callable[[], Iterable[Any]]] = []

    def is_same(self) -> bool:
        """Whether all places hold the very objects that they held.

        Loops: for the few places that there are, calls of `map` and `all` cost twice as much, and
        a loop over nothing as much as the call of this method.
        """
        try:
            if self.sizes:
                for namespace, size in self.sizes:
                    if len(namespace) != size:
                        return False
            if self.names:
                for namespace, name, value in self.names:
                    if namespace[name] is not value:
                        return False
            if self.attributes:
                for owner, name, value in self.attributes:
                    if getattr(owner, name) is not value:
                        return False
            if self.cells:
                for cell, value in self.cells:
                    if cell.cell_contents is not value:
                        return False
            if self.entries:
                for sync, version in self.entries:
                    if sync.version != version or not sync.is_same():
                        return False
        except (KeyError, ValueError):  # gone
            return False
        return True

    def put(self, todo: list[Any]) -> None:
        """Add what is now in the places that may hold anything."""
        for namespace, name in self.live:
            todo.append(namespace.get(name))
        for cell in self.open_cells:
            try:
                todo.append(cell.cell_contents)
            except ValueError:  # not bound yet
                continue
        for values in self.values_of:
            todo += values()

    def or_none(self) -> Watched | None:
        """Itself, or None if there is nothing to look at."""
        places = self.sizes or self.names or self.attributes or self.cells or self.entries
        return self if places else None

    def unsure(self) -> list[Any] | None:
        """What code gets from these places that may hold tensors; None if there is one."""
        found = []
        for *_, value in (*self.names, *self.cells):
            if is_tensor(value):
                return None
            if may_hold_tensors(value):
                found.append(value)
        if any(is_tensor(value) for sync, _ in self.entries for value in sync.raw):
            return None
        return found


# Types whose objects equal themselves alone, or are not told apart by code.
_BY_IDENTITY = frozenset({
    types.FunctionType, staticmethod, classmethod, property, functools.cached_property, type,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.BuiltinFunctionType, str,
    type(None), functools.partialmethod, types.WrapperDescriptorType,
})  # fmt: skip


def others(namespace: Mapping[str, Any], fixed: Collection[str]) -> list[tuple[str, Any]]:
    """Entries of a class that may equal other objects: numbers, containers, the user's objects."""
    return [
        (name, value)
        for name, value in namespace.items()
        if type(value) not in _BY_IDENTITY and name not in fixed
    ]


def has_entries(
    namespace: Mapping[str, Any], values: list[Any], named: list[tuple[str, Any]]
) -> bool:
    """Whether a class has the very entries that it had.

    Objects without an equality of their own are compared by that of lists, which is fast; `named`
    are all others.
    """
    try:
        if [*namespace.values()] != values:
            return False
        for name, value in named:
            if namespace[name] is not value:
                return False
    except Exception:  # noqa: BLE001 - a new value, whose equality may raise anything
        return False
    return True


def may_hold_tensors(value: Any) -> bool:
    """Whether code may get a tensor from a value that is known with what it reaches."""
    kind = type(value)
    if kind in INERT or kind in _BY_IDENTITY or isinstance(value, types.ModuleType | np.ufunc):
        return False
    if isinstance(value, tuple):
        return any(is_tensor(item) or may_hold_tensors(item) for item in value)
    return not isinstance(value, type) and kind.__module__ not in HOLD_NOTHING


# Modules of Python and NumPy whose objects hold nothing of the user's.
HOLD_NOTHING = frozenset({
    "datetime", "decimal", "fractions", "logging", "numpy.random._generator",
    "numpy.random.mtrand", "pathlib", "re", "uuid",
})  # fmt: skip


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, or anything of ours, which may make one."""
    if isinstance(value, types.ModuleType):
        return is_ours(value.__name__)
    if isinstance(value, types.FunctionType | type):
        return is_ours(value.__module__)
    return isinstance(value, TensorBase) or is_ours(type(value).__module__)


def is_ours(module: Any) -> bool:
    """Whether a module's name is one of this library's."""
    return isinstance(module, str) and module.partition(".")[0] == "arraygrad"
