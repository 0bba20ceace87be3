"""Keeping the entries of a twin class in step with those of the user's class."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _compiled
from . import kept, reach, twin_classes
from .session import ABSENT, CONTAINERS, INERT, SESSION, is_live
from .sync import Fit, Roots, standing
from .watched import Watched, has_entries, is_tensor, others

if TYPE_CHECKING:
    from .lifter import Lifter, Visit
    from .record import Record

_NOT_DATA = (types.FunctionType, type, *reach.DESCRIPTORS, types.GetSetDescriptorType)
# Written by Python itself, or when the class was built.
_FIXED = twin_classes.OWN | {
    "__abstractmethods__", "__doc__", "__module__", "__name__", "__qualname__", "__slots__",
    "__annotations__", "__annotate_func__", "__annotations_cache__", "__static_attributes__",
    "__firstlineno__", "__type_params__", "__parameters__", "__orig_bases__",
    "__dataclass_fields__", "__dataclass_params__", "__match_args__", "__slotnames__",
}  # fmt: skip

# What an enumeration keeps its members in.
_OF_ENUMS = frozenset({
    "_member_names_", "_member_map_", "_value2member_map_", "_hashable_values_",
    "_unhashable_values_", "_unhashable_values_map_",
})  # fmt: skip


class ClassSync:
    """Keeps a twin class in step; one for all records.

    version : int
        Number of times that entries of the user's class were rebound.
    """

    __slots__ = (
        "building", "cells", "cls", "lifter", "live", "named", "own", "raw", "set", "tag",
        "twin", "version",
    )  # fmt: skip

    def __init__(self, lifter: Lifter, cls: Any, twin: Any, cells: twin_classes.Cells) -> None:
        self.lifter = lifter
        self.cls = cls
        self.own = vars(cls)
        self.twin = twin
        self.cells = cells
        self.version = 0
        self.live: list[str] | None = None
        self.raw: list[Any] = []  # all entries of the user's class, in their order
        self.named: list[tuple[str, Any]] = []  # those that must be compared by identity
        self.set: dict[str, Any] = {}  # name -> what the twin has
        self.building = True
        self.tag: int | None = None  # by which compiled calls know that the class is as it was

    def renew(self, visit: Visit) -> None:
        """Give the twin what the user's class has now."""
        self.building = True
        own = {**vars(self.cls)}
        before = dict(zip(self.set, self.raw, strict=False))
        self.raw = [*own.values()]
        self.named = others(own, _FIXED)
        for name in self.set.keys() - own.keys():
            del self.set[name]
            if name in vars(self.twin):
                type.__delattr__(self.twin, name)
        for name, value in own.items():
            if name in self.set and before.get(name, ABSENT) is value:
                continue
            if name in _FIXED or isinstance(value, types.MemberDescriptorType):
                self.set[name] = vars(self.twin).get(name)
                continue
            new = self.lifter.member(value, visit, self.cells)
            if name == "__init_subclass__":
                new = twin_classes.quieted(new)
            if new is not vars(self.twin).get(name, ABSENT):
                type.__setattr__(self.twin, name, new)
            self.set[name] = new
        self.set = {name: self.set[name] for name in own}
        self._keep_cells()
        self.live = None
        self.building = False

    def _keep_cells(self) -> None:
        """Those of the methods alone: others would hold all that the class's first user had."""
        used = {id(cell) for f in self.functions() for cell in f.__closure__ or ()}
        self.cells = {key: pair for key, pair in self.cells.items() if key in used}
        self.lifter.class_cells[self.cls] = [
            pair for pair in self.cells.values() if twin_classes.contents(pair[1]) is not self.twin
        ]

    def pull(self, record: Record) -> None:
        """Bring the twin up to date."""
        if self.building:  # it was met again on the way
            return
        own = vars(self.cls)
        if not self.is_same() and not self._renumber():
            self.version += 1
            record.settled = ABSENT
            self.renew(record.visit)
        if record.versions.get(self, 0) != self.version:  # it may be another record that saw it
            record.versions[self] = self.version
            if id(self) in record.syncs:
                record.add_methods(self)
            record.forget_handlers()  # it may have another __setattr__
        if self.live is None:
            record.settled = ABSENT
            self.live = [name for name, value in own.items() if _is_data(name, value)]
            if kept.LEFT:  # numbers, which are else the same in lifted code
                self.live += [name for name, value in own.items() if id(value) in kept.LEFT]
            for name in [*self.live]:
                self._visit(name, own[name], record)
            self.live = [name for name in self.live if _stays_live(record, own.get(name))]
        else:
            for name in self.live:
                self._visit(name, own.get(name), record)
        if issubclass(self.cls, enum.Enum):
            for member in [*self._members()]:
                record.visit(member)

    def _renumber(self) -> bool:
        """Give the twin the numbers that the user has bound; False if there is more."""
        own = self.own
        if len(own) != len(self.raw) or kept.LEFT:
            return False
        bound = {}
        for (name, now), known, was in zip(own.items(), self.set, self.raw, strict=True):
            if name != known:
                return False
            if now is not was:
                if name in _FIXED or not INERT.issuperset((type(now), type(was))):
                    return False
                bound[name] = now
        for name, now in bound.items():
            type.__setattr__(self.twin, name, now)
        self._note(bound)
        return True

    def _note(self, bound: dict[str, Any]) -> None:
        """Know entries, numbers as before, for what the class and its twin have now."""
        if not bound:
            return
        places = [*self.set]
        for name, now in bound.items():
            self.set[name] = self.raw[places.index(name)] = now
        self.named = [(name, bound.get(name, was)) for name, was in self.named]

    def _visit(self, name: str, value: Any, record: Record) -> None:
        new = standing(record, value)
        if new is not self.set.get(name):
            type.__setattr__(self.twin, name, new)
            self.set[name] = new
        if SESSION.suspects:
            now = functools.partial(vars(self.twin).get, name)
            kept.placed(new, f"the attribute {name!r} of the class {self.cls.__name__}", now)
            if new is not value and type(value) in INERT:
                SESSION.lent.append(functools.partial(self.forget, name))

    def forget(self, name: str) -> None:
        """Give the twin what the user's class has: it holds a tensor of a call that has ended."""
        value = self.own.get(name, ABSENT)
        if value is not ABSENT and name in vars(self.twin):
            type.__setattr__(self.twin, name, value)
            self.set[name] = value
            self.live = None

    def _members(self) -> Iterator[Any]:
        yield from self.cls._member_map_.values()
        yield from self.cls._value2member_map_.values()  # flags put together

    def functions(self) -> Iterator[types.FunctionType]:
        """The user's functions in the class."""
        for value in self.raw:
            yield from reach.functions_of(value)

    def watch(self, before: Watched, after: Watched) -> bool:
        """Say what shows that a pull and a push have nothing to do; False if they may have."""
        if self.live or self.live is None or issubclass(self.cls, enum.Enum):
            return False
        before.entries.append((self, self.version))
        return True  # the metaclass of twins tells of entries that are bound

    def gives(self, roots: Roots) -> bool:
        """Say that the values are handed over with arguments; False if that cannot be."""
        if self.live is None:
            return False
        roots.syncs.append(self)
        return True

    def hand_over(self, record: Record, fit: Fit, left: Any) -> bool:
        """Give the twin what stands for the values in this call; False if some need more."""
        if self.live is None or record.versions.get(self, 0) != self.version:
            return False
        if not (self.is_same() or self._renumber()):
            return False
        for name in self.live:
            if name in _OF_ENUMS:  # they hold the members, which are handed over themselves
                continue
            value = self.own[name]
            new = fit(value)
            if new is None or (left and id(value) in left):
                return False
            if new is not self.set.get(name):
                type.__setattr__(self.twin, name, new)
                self.set[name] = new
        if issubclass(self.cls, enum.Enum):
            return all(fit(member) is member for member in self._members())
        return True

    def take(self) -> bool:
        """Nothing: the metaclass of twins tells of entries that are bound."""
        return True

    def take_number(self, name: str) -> bool:
        """Give the user a number that code has bound; False if it, or what was there, is none."""
        now, was = vars(self.twin).get(name, ABSENT), self.set.get(name, ABSENT)
        if now is not was:
            if self.live is None or not INERT.issuperset((type(now), type(was))) or name in _FIXED:
                return False
            type.__setattr__(self.cls, name, now)
            self._note({name: now})
        return True

    def look(self, sight: Watched) -> bool:
        """Say what code may get of the class; False if it cannot be told."""
        if self.live is None or issubclass(self.cls, enum.Enum):
            return False
        if any(map(is_tensor, self.raw)):
            return False
        sight.entries.append((self, self.version))
        sight.live += [(self.own, name) for name in self.live]
        return True

    def is_simple(self) -> bool:
        """Whether only those calls that get objects of the class need to look at it."""
        if self.building or issubclass(self.cls, enum.Enum):
            return False
        if reach.functions_of_meta(type(self.cls)):
            return False
        return not any(needs_syncs(f) for f in self.functions())

    def is_same(self) -> bool:
        """Whether the user's class has the entries that it had."""
        return has_entries(self.own, self.raw, self.named)

    if _compiled.ROADS is not None:
        is_same = _compiled.ROADS.has_same_entries(is_same)

    def push(self, record: Record) -> None:
        """Give the user what lifted code has bound."""
        own = vars(self.twin)
        if issubclass(self.cls, enum.Enum):
            for member in self._members():
                if type(member) is self.twin:
                    object.__setattr__(member, "__class__", self.cls)
        bound = [n for n, v in own.items() if self.set.get(n, ABSENT) is not v and n[:2] != "__"]
        gone = [n for n in self.set if n not in own and n[:2] != "__"]
        for name in bound:
            if name in twin_classes.OWN:
                continue
            value = own[name]
            left = record.leave_value(value)
            type.__setattr__(self.cls, name, left)
            self.set[name] = value
            if left is not value and type(left) in INERT:
                SESSION.lent.append(functools.partial(self.forget, name))
        for name in gone:
            if name in vars(self.cls) and not isinstance(
                vars(self.cls)[name], types.MemberDescriptorType
            ):
                type.__delattr__(self.cls, name)
                del self.set[name]
        if not gone and self.live is not None and self._are_numbers(bound):
            self._note({name: self.set[name] for name in bound})
        elif bound or gone:
            self.set = {name: self.set.get(name, ABSENT) for name in vars(self.cls)}
            self.raw = [*vars(self.cls).values()]
            self.named = others(self.own, _FIXED)
            self.live = None

    def _are_numbers(self, names: list[str]) -> bool:
        """Whether entries were numbers and are."""
        known = dict(zip(self.set, self.raw, strict=False)) if names else {}
        return all(
            name in known and INERT.issuperset((type(known[name]), type(self.set[name])))
            for name in names
        )


def take_numbers(lifter: Lifter, bound: list[tuple[Any, str]]) -> bool:
    """Give the user's classes the numbers that code has bound; False if it has bound more."""
    for twin, name in bound:
        cls = twin_classes.ORIGINALS.get(twin)
        sync = None if cls is None else lifter.class_syncs.get(cls)
        if sync is None or not sync.take_number(name):
            return False
    return True


def needs_syncs(f: types.FunctionType) -> bool:
    """Whether a method has defaults that must be made fit, or binds variables around the class."""
    defaults = (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
    return any(type(v) not in INERT for v in defaults) or (
        f.__closure__ is not None and reach.facts(f.__code__).rebinds
    )


def _is_data(name: str, value: Any) -> bool:
    if name in _FIXED or isinstance(value, _NOT_DATA):
        return False
    return is_live(value)


def _stays_live(record: Record, value: Any) -> bool:
    return record.changes(value)


class MetaSync:
    """Makes the containers that a class of classes of the user holds fit, such as a registry."""

    __slots__ = ("meta",)

    def __init__(self, meta: Any) -> None:
        self.meta = meta

    def pull(self, record: Record) -> None:
        """Bring their contents up to date."""
        for value in vars(self.meta).values():
            if isinstance(value, CONTAINERS):
                record.visit(value)

    def push(self, record: Record) -> None:
        """Nothing: contents are restored where they are."""

    def watch(self, before: Watched, after: Watched) -> bool:
        """Nothing: they are made fit in each call."""
        return False

    def look(self, sight: Watched) -> bool:
        """It cannot be told."""
        return False
