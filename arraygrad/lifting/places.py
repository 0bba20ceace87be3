"""What outlives a lifted call: containers, objects, names and arrays, as they are at one moment.

A `State` says what those hold that may be a memo. Two states tell what code between them has put
where. (What a run may change besides, and how it is undone: undoing.py.)
"""

from __future__ import annotations

import contextlib
import functools
import random
import threading
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._storage import TensorBase
from .class_sync import ClassSync
from .session import SESSION
from .stand_ins import like_user
from .sync import CellSync

if TYPE_CHECKING:
    from .running import Running

Items = dict[Any, Any]

_LARGEST = 1 << 20  # bytes: of larger arrays nothing is noted
_TEXT = 16  # so long are texts that are no names


class Kind(NamedTuple):
    """A kind of owner: how to read and write what it holds, and what that is called."""

    read: Callable[[Any, Any], Items]  # takes the owner, and its names if it has others too
    write: Callable[[Any, Any, Items], None]
    told: str  # in messages
    entries: bool = False  # whether keys come and go, as those of a dict do


def _read_dict(owner: Any, names: Any) -> Items:
    if isinstance(owner, OrderedDict):
        return dict(OrderedDict.items(owner))
    return dict.copy(owner)


def _write_dict(owner: Any, names: Any, items: Items) -> None:
    base: Any = OrderedDict if isinstance(owner, OrderedDict) else dict
    base.clear(owner)  # by the base class, whatever the user's own makes of it
    base.update(owner, items)


def _read_list(owner: Any, names: Any) -> Items:
    return dict(enumerate(owner))


def _write_list(owner: Any, names: Any, items: Items) -> None:
    base: Any = list if isinstance(owner, list) else deque
    base.clear(owner)
    base.extend(owner, items.values())


def _read_set(owner: Any, names: Any) -> Items:
    return dict.fromkeys(owner)


def _write_set(owner: Any, names: Any, items: Items) -> None:
    set.clear(owner)
    set.update(owner, items)


def _read_names(owner: Any, names: Any) -> Items:
    return {name: owner[name] for name in names if name in owner}


def _write_names(owner: Any, names: Any, items: Items) -> None:
    for name in names:
        if name in items:
            owner[name] = items[name]
        else:
            owner.pop(name, None)


def _read_class(owner: Any, names: Any) -> Items:
    return _read_names(vars(owner), names)


def _write_class(owner: Any, names: Any, items: Items) -> None:
    for name in names:
        if name in items:
            type.__setattr__(owner, name, items[name])
        elif name in vars(owner):
            type.__delattr__(owner, name)


def _read_slots(owner: Any, names: Any) -> Items:
    found = {}
    for name, member in names:
        with contextlib.suppress(AttributeError):  # not bound
            found[name] = member.__get__(owner)
    return found


def _write_slots(owner: Any, names: Any, items: Items) -> None:
    bound = _read_slots(owner, names)
    for name, member in names:
        if name in items:
            member.__set__(owner, items[name])
        elif name in bound:
            member.__delete__(owner)


def _read_cell(owner: Any, names: Any) -> Items:
    try:
        return {"": owner.cell_contents}
    except ValueError:  # not bound
        return {}


def _write_cell(owner: Any, names: Any, items: Items) -> None:
    if items:
        owner.cell_contents = items[""]
    else:
        del owner.cell_contents


def _read_array(owner: Any, names: Any) -> Items:
    return {"": owner._array.copy()}


def _write_array(owner: Any, names: Any, items: Items) -> None:
    owner[...] = items[""]


DICT = Kind(_read_dict, _write_dict, "an entry of a dict, such as that of {!r},", entries=True)
LIST = Kind(_read_list, _write_list, "an item of a list", entries=True)
SET = Kind(_read_set, _write_set, "an item of a set", entries=True)
ATTRIBUTES = Kind(_read_dict, _write_dict, "the attribute {!r} of an object")
SLOTS = Kind(_read_slots, _write_slots, "the attribute {!r} of an object")
NAMES = Kind(_read_names, _write_names, "the global {}")
CLASS = Kind(_read_class, _write_class, "the attribute {!r} of a class")
CELL = Kind(_read_cell, _write_cell, "a variable of an enclosing function")
ARRAY = Kind(_read_array, _write_array, "the elements of an array")


class Held:
    """One owner, and what it held under its keys."""

    __slots__ = ("items", "kind", "names", "owner")

    def __init__(self, kind: Kind, owner: Any, names: Iterable[Any] = ()) -> None:
        self.kind = kind
        self.owner = owner
        self.names = names
        self.items: Items = kind.read(owner, names)

    def put(self, items: Items) -> None:
        """Put items there, if they are not."""
        now = self.kind.read(self.owner, self.names)
        if len(now) != len(items) or self.changed(items, now):
            self.kind.write(self.owner, self.names, items)

    def changed(self, before: Items, after: Items) -> list[Any]:
        """The keys under which there is something else."""
        if self.kind is ARRAY:
            a, b = before[""], after[""]
            return [] if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") else [""]
        return [k for k, v in after.items() if k not in before or before[k] is not v]

    def bound(self, before: Items, after: Items) -> list[Any]:
        """The keys under which there is something new; items of a list may have moved."""
        found = self.changed(before, after)
        if self.kind is LIST and found:
            known = {id(v) for v in before.values()}
            return [k for k in found if id(after[k]) not in known]
        return found

    def fresh(self, before: Items, after: Items) -> list[Any]:
        """The keys of entries that have come."""
        if self.kind is LIST:
            if len(after) <= len(before) and not _have_moved(before, after):
                return []  # others have been put into the places of some
            return self.bound(before, after)
        return [k for k in after if k not in before] if self.kind.entries else []

    def alike(self, items: Items, fresh: list[Any]) -> list[Any]:
        """The keys of entries that look like fresh ones."""
        if self.kind is LIST:
            looks = {look_of(self.items[k]) for k in fresh}
            return [k for k, v in items.items() if look_of(v) in looks]
        looks = {look_of(k) for k in fresh}
        return [
            k
            for k, v in items.items()
            if look_of(k) in looks and (self.kind is SET or may_carry(v))
        ]


def _have_moved(before: Items, after: Items) -> bool:
    at = {id(v): k for k, v in before.items()}
    return any(at.get(id(v), k) != k for k, v in after.items())


def look_of(key: Any) -> Any:
    """What a key, or an item of a list, looks like."""
    key = like_user(key) if isinstance(key, TensorBase) else key
    if isinstance(key, tuple):
        return tuple([look_of(part) for part in key])
    if isinstance(key, str):
        return str, len(key) >= _TEXT or not key.isidentifier()
    for kind in (bool, int, float, complex):
        if isinstance(key, kind):
            return kind
    return int if isinstance(key, np.integer) else type(key)


class State:
    """What all that a call reaches holds now."""

    def __init__(
        self, record: Running, names: frozenset[str], earlier: State | None = None
    ) -> None:
        self.held: dict[int, Held] = {}
        for held in _all(record, names):
            self.held.setdefault(id(held.owner), held)
        if earlier is None:
            named = [*_named(record, [*self.held.values()])]
            self.sets = [value for value in named if type(value) is set]
            self.generators = [value for value in named if isinstance(value, random.Random)]
        else:  # what names stand for is looked at once
            self.sets = earlier.sets
            self.generators = earlier.generators
        for value in self.sets:
            self.held.setdefault(id(value), Held(SET, value))


def _all(record: Running, names: frozenset[str]) -> Iterator[Held]:
    for value, layout in [*SESSION.seen.values()]:
        if isinstance(value, dict):
            yield Held(DICT, value)
        elif isinstance(value, list | deque):
            yield Held(LIST, value)
        with contextlib.suppress(AttributeError):  # none, or slots alone
            yield Held(ATTRIBUTES, object.__getattribute__(value, "__dict__"))
        if layout is not None and layout.slots:
            yield Held(SLOTS, value, layout.slots)
    for check in record.checks.values():
        if check.stored:
            yield Held(NAMES, check.scope.twin, check.stored)
    guests = record.guests.get(threading.get_ident())
    for holder in (record,) if guests is None else (record, guests):
        for _, cell in [*holder.cells.values()]:
            yield Held(CELL, cell)
        for attributes in [*holder.attributes.values()]:
            twin = attributes.twin()
            if twin is not None:
                yield Held(ATTRIBUTES, vars(twin))
    for sync in [*record.syncs.values()]:
        if isinstance(sync, ClassSync):
            yield Held(CLASS, sync.twin, names)
        elif isinstance(sync, CellSync):
            yield Held(CELL, sync.twin)
    if record.writes:
        for tensor, array, _ in [*SESSION.arrays.values()]:
            if array.nbytes <= _LARGEST and array.flags.writeable:
                yield Held(ARRAY, tensor)


def _named(record: Running, all_held: list[Held]) -> Iterator[Any]:
    """What names and attributes stand for."""
    for check in record.checks.values():
        yield from check.values
    for sync in record.syncs.values():
        if isinstance(sync, ClassSync):
            yield from sync.raw
    for held in all_held:
        if not held.kind.entries and held.kind is not ARRAY:
            yield from held.items.values()


_NOTHING = (int, np.integer, bool, np.bool, str, bytes, type(None), np.dtype, range, slice, type,
            types.FunctionType, types.BuiltinFunctionType, types.ModuleType)  # fmt: skip


def may_carry(value: Any) -> bool:
    """Whether a value may have a part in a gradient."""
    if isinstance(value, TensorBase):
        return value._array.dtype.kind in "fc"
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fcO"
    if isinstance(value, tuple | list):
        return any(map(may_carry, value))
    return not isinstance(value, _NOTHING)


def drawn_again(record: Running, state: State) -> Callable[[], None]:
    """What has all random numbers drawn from now on drawn again."""
    shared = np.random.mtrand._rand
    found: list[tuple[Callable[[Any], Any], Any]] = [
        (generator.setstate, generator.getstate()) for generator in state.generators
    ]
    if record.draws:
        found.append((shared.set_state, shared.get_state()))
        found.append((random.setstate, random.getstate()))
    for _, old in [*SESSION.replaced.values()]:
        if isinstance(old, np.random.RandomState):
            found.append((old.set_state, old.get_state()))
        elif isinstance(old, np.random.Generator):
            bits = old.bit_generator
            found.append((functools.partial(setattr, bits, "state"), bits.state))

    def put_back() -> None:
        for put, drawn in found:
            put(drawn)

    return put_back
