"""Arguments that hold nothing but numbers and each other: later calls hand them over as they are.

Objects of the user's change to their twin class, and closures get their twins of earlier calls,
with the variables as they are now. When the call ends one look tells whether anything but numbers
was put into them: then, as in other calls, what they hold is undone place by place.
"""

from __future__ import annotations

from sys import getrefcount
from types import FunctionType
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from . import kept, memos
from .items import set_class
from .leaving import ARGUMENTS
from .session import INERT, SESSION, THREAD

if TYPE_CHECKING:
    from .record import Record
    from .running import Running


# What is called, its arguments; the objects, lists and dicts among them and in them, ids of these
# if some are in others; the twins of closures with their variables.
Handed = tuple[Any, tuple[Any, ...], list[Any], set[int], list[tuple[Any, list[Any]]]]


def fill(filled: list[tuple[Any, list[Any]]]) -> list[int]:
    """Give twins of closures the variables; how many references there are to them then."""
    for empty, values in filled:
        empty.busy = True
        cells = empty.twin.__closure__
        for i in range(len(cells)):
            cells[i].cell_contents = values[i]
    return _count(filled)


def drain(record: Running, filled: list[tuple[Any, list[Any]]], counts: list[int]) -> None:
    """Empty the twins of closures; those that somebody else has by now are forgotten."""
    alone = counts == _count(filled)
    for empty, _ in filled:
        if alone:
            empty.busy = False
            for cell in empty.twin.__closure__:
                del cell.cell_contents
        else:
            record.empty.pop(id(empty.function()), None)


def _count(filled: list[tuple[Any, list[Any]]]) -> list[int]:
    found = []
    for empty, _ in filled:
        found.append(getrefcount(empty.twin))
        cells = empty.twin.__closure__
        for i in range(len(cells)):
            found.append(getrefcount(cells[i]))  # noqa: PERF401 - few, and no frame for them
    return found


def taken_off(held: list[Any], inner: set[int]) -> bool:
    """Make objects as the user has them, if all holds nothing but numbers and each other."""
    if len(SESSION.threads) > 1:  # another one has begun a call, with the same objects perhaps
        return False
    for value, use in held:
        if use is not None:
            set_class(value, use.layout.cls)
    for value, use in held:
        if use is None:
            items = value if type(value) is list else value.values()
        else:
            items = value.__dict__.values() if use.layout.simple else use.layout.held(value)
        for item in items:
            if type(item) not in INERT and id(item) not in inner:
                return False
    held.clear()
    return True


def undo_later(held: list[Any]) -> None:
    """Have the session undo what is not undone yet."""
    SESSION.touched = True
    for value, use in held:
        if use is None:
            SESSION.seen[id(value)] = (value, None)
        else:
            set_class(value, use.twin)
            SESSION.seen[id(value)] = (value, use.layout)
    held.clear()


def handed(record: Record, args: tuple[Any, ...], derivative: bool) -> Handed | None:
    """What hands these arguments over; None if some need more."""
    if THREAD.records or len(SESSION.threads) > 1:
        return None
    call = record.twin
    todo: list[Any] = []
    fitted: list[Any] = []
    filled: list[Any] = []
    if call is None:
        call = target = record.target
        if record.method is not None:
            call, target = record.method, target.__self__
            fitted.append(target)
        todo.append(target)
    left = kept.LEFT if derivative else None
    for a in args:
        kind = type(a)
        if kind is FunctionType:
            a = _twin_of(record, a, filled, todo)
            if a is None:
                return None
        elif kind not in ARGUMENTS:
            todo.append(a)
        fitted.append(a)
    held: list[Any] = []
    inner = _NONE
    if todo:
        found = _walk(record, todo, held, left)
        if found is None:
            return None
        inner = found
    if held:
        if record.calls >= record.look_at and (record.fills or memos.rebound_by(record)):
            return None  # one of them may be a memo
        record.calls += 1
    if left and not all(left.keys().isdisjoint(map(id, values)) for _, values in filled):
        return None
    return call, tuple(fitted), held, inner, filled


_NONE: set[int] = set()  # stays empty


def _walk(record: Record, todo: list[Any], held: list[Any], left: Any) -> set[int] | None:
    """Note what is held, and in it; ids if some are in others, None if anything needs more."""
    known = record.uses
    inner = _NONE
    looked = None
    while todo:
        value = todo.pop()
        if inner:
            if id(value) in inner:
                continue
            inner.add(id(value))
        kind = type(value)
        use = known.get(kind)
        if use is not None:
            if use is not looked:
                if not use.is_handy():
                    return None
                looked = use
            held.append((value, use))
            items = value.__dict__.values() if use.layout.simple else use.layout.held(value)
        elif kind is list:
            held.append((value, None))
            items = value
        elif kind is dict:
            held.append((value, None))
            items = value.values()
        elif kind is tuple:
            items = value
        else:
            return None
        for item in items:
            if type(item) not in INERT:
                if type(item) is ndarray:
                    return None
                todo.append(item)
                inner = inner or {id(value)}
        if left and not left.keys().isdisjoint(map(id, items)):
            return None
    return inner


def _twin_of(record: Record, f: Any, filled: list[Any], todo: list[Any]) -> Any:
    """The twin of a function that is as it was when it first came; None for others."""
    if f.__dict__:
        return None
    if f.__closure__ is None:
        if f.__defaults__ or f.__kwdefaults__:
            return None
        twin = record.twins.get(f)
        if twin is None:
            passing = record.passing.get(id(f))
            if passing is not None and passing[0]() is f:
                twin = passing[1]
        return twin
    empty = record.empty.get(id(f))
    if empty is None or empty.busy or empty.rebinds:
        return None
    same: Any = empty.function()
    twin = empty.twin
    if same is not f or f.__defaults__ is not twin.__defaults__ or f.__kwdefaults__:
        return None
    for other, _ in filled:
        if other is empty:
            return twin
    values: list[Any] = []
    filled.append((empty, values))
    for cell in f.__closure__:
        if id(cell) in record.cells:
            return None  # the target has it, and may bind it
        try:
            value = cell.cell_contents
        except ValueError:  # not bound yet
            return None
        kind = type(value)
        if kind is FunctionType:
            value = _twin_of(record, value, filled, todo)
            if value is None:
                return None
        elif kind not in INERT:
            todo.append(value)
        values.append(value)
    return twin
