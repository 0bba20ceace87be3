"""Closures that come with the arguments of a call: forgotten, or kept empty, when it ends.

They and their variables may refer to each other, through objects of the user too, so that nothing
would tell when they are gone. What is kept for the next call holds nothing of the user's.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import reach
from .session import INERT, SESSION
from .sync import CellSync

if TYPE_CHECKING:
    from .record import Record


class Empty:
    """A twin whose closure cells are empty, for when its function comes again."""

    __slots__ = ("busy", "function", "rebinds", "twin")
    twin: Any

    def __init__(self, function: weakref.ref[Any], twin: Any) -> None:
        self.function = function
        self.twin = twin
        self.rebinds = reach.facts(twin.__code__).rebinds
        self.busy = False  # whether a call has filled it


class Guests:
    """What the closures of one call need."""

    __slots__ = ("attributes", "cells", "closures", "filled", "syncs")

    def __init__(self) -> None:
        self.closures: dict[int, tuple[Any, Any]] = {}
        self.filled: dict[int, Empty] = {}
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.syncs: dict[int, Any] = {}
        self.attributes: dict[int, Any] = {}

    def again(self, record: Record, f: Any) -> Any:
        """The twin that a closure had in an earlier call, filled; None if there is none."""
        found = record.empty.get(id(f))
        if found is None or found.busy:
            return None
        same: Any = found.function()
        if same is not f:
            return None
        twin = found.twin
        pairs = [*zip(f.__closure__, twin.__closure__, strict=True)]
        for cell, own in pairs:
            known = record.cells.get(id(cell)) or self.cells.get(id(cell))
            if known is not None and known[1] is not own:
                return None  # it shares a variable with another one
        found.busy = True
        self.filled[id(f)] = found
        self.closures[id(f)] = (f, twin)
        watched = found.rebinds or SESSION.arguments is not None
        for pair in pairs:
            cell, own = pair
            self.cells[id(cell)] = pair
            if watched:
                sync = self.syncs[id(own)] = CellSync(cell, own)
                sync.pull(record)
                continue
            try:
                value = cell.cell_contents
            except ValueError:  # not bound yet
                continue
            own.cell_contents = value if type(value) in INERT else record.visit(value)
        return twin

    def push(self, record: Record) -> None:
        """Give the user what lifted code has bound."""
        for sync in (*self.syncs.values(), *self.attributes.values()):
            sync.push(record)

    def keep(self, record: Record) -> None:
        """Keep twins that nobody else has, when the call has ended."""
        new = [] if len(self.filled) == len(self.closures) else [*self._new(record)]
        for held in (self.closures, self.cells, self.syncs):
            held.clear()
        for key, empty in self.filled.items():
            if _is_alone(empty):
                empty.busy = False
            else:
                record.empty.pop(key, None)
        for key, empty in new:
            if _is_alone(empty):
                record.empty[key] = empty

    def _new(self, record: Record) -> Iterator[tuple[int, Empty]]:
        known = record.empty
        for key, (f, twin) in self.closures.items():
            if twin is f or f.__dict__ or id(twin) in self.syncs or key in self.filled:
                continue  # a library's, or one with attributes or defaults that change
            if any(id(cell) in record.cells for cell in f.__closure__ or ()):
                continue
            yield key, Empty(weakref.ref(f, lambda _, key=key: known.pop(key, None)), twin)  # type: ignore[misc]


def _is_alone(empty: Empty) -> bool:
    """Whether code that runs still has neither a twin nor its variables; then they are emptied."""
    if sys.getrefcount(empty.twin) != 2:  # by the object, and as an argument
        return False
    cells = empty.twin.__closure__
    for i in range(len(cells)):
        if sys.getrefcount(cells[i]) != 2:
            return False
    for cell in cells:
        with contextlib.suppress(ValueError):  # of a variable that is not bound
            del cell.cell_contents
    return True


def of_thread(record: Record) -> Guests:
    """Those of the call that this thread is in."""
    thread = threading.get_ident()
    found = record.guests.get(thread)
    if found is None:
        found = record.guests[thread] = Guests()
    return found
