"""Arguments that hold nothing but numbers and each other: later calls hand them over as they are.

Objects of the user's change to their twin class, and closures get their twins of earlier calls,
with the variables as they are now. When the call ends one look tells whether anything but numbers
was put into them: then, as in other calls, what they hold is undone place by place.
"""

from __future__ import annotations

import functools
from sys import getrefcount
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..numpy import random as tensor_random
from . import arrays, fitting, kept, rebinding
from .items import is_everybodys, set_class
from .leaving import ARGUMENTS
from .lifter import SCOPE
from .session import INERT, SESSION, THREAD

if TYPE_CHECKING:
    from .record import Record
    from .running import Running
    from .sync import CellSync, Roots


class Handed:
    """What hands arguments over, and what the target reaches besides.

    call, args
        What is called, and with what.
    held : list of (value, its Uses or None)
        The objects, lists and dicts, which are the user's own in the call too.
    inner : set of int
        Ids of what may be in them when the call ends, besides numbers.
    filled : list of (Empty, list)
        The twins of closures with their variables.
    swaps : list of (list or dict, key, value, what stands for it)
        Places that hold what stands for an array or function while the call runs.
    replaced : list of (what stands for it, value)
        What was made for this call alone.
    stands : list of Standing
        All that stand for arrays.
    cells : list of CellSync
        Variables of the target that were given their values.
    tensors : list of TensorBase
        Those that the user's objects and containers hold.
    tuples : list of tuple
        Those of which `inner` has the ids, which no others may get.
    """

    __slots__ = (
        "args", "call", "cells", "derivative", "filled", "held", "inner", "replaced", "stands",
        "swaps", "tensors", "tuples",
    )  # fmt: skip

    def __init__(self, call: Any, derivative: bool) -> None:
        self.call = call
        self.derivative = derivative
        self.args: tuple[Any, ...] = ()
        self.held: list[tuple[Any, Any]] = []
        self.inner: set[int] = set()
        self.filled: list[tuple[Any, list[Any]]] = []
        self.swaps: list[tuple[Any, Any, Any, Any]] = []
        self.replaced: list[tuple[Any, Any]] = []
        self.stands: list[arrays.Standing] = []
        self.cells: list[CellSync] = []
        self.tensors: list[Any] = []
        self.tuples: list[Any] = []

    def register(self) -> None:
        """Have the session know what is handed over: another lifted call begins inside of this."""
        undo_later(self)

    def is_taken_off(self) -> bool:
        """Make all as the user has it, if it holds nothing but numbers and what it held."""
        if len(SESSION.threads) > 1:  # another one has begun a call, with the same objects perhaps
            return False
        for stand in self.stands:
            if not stand.is_untouched():
                return False
        for sync in self.cells:
            if sync.twin.cell_contents is not sync.set:
                return False
        held, inner, swaps = self.held, self.inner, self.swaps
        for value, use in held:
            if use is not None:
                if type(value) is not use.twin:
                    return False
                set_class(value, use.layout.cls)
        for owner, key, old, new in swaps:
            try:
                if owner[key] is not new:
                    return False
            except (KeyError, IndexError):
                return False
            owner[key] = old
        for value, use in held:
            if use is not None:
                items = value.__dict__.values() if use.layout.simple else use.layout.held(value)
            elif type(value) is list:
                items = value
            else:
                items = value.values()
                if not has_plain_keys(value):
                    return False
            for item in items:
                if type(item) not in INERT and id(item) not in inner:
                    return False
        self.held, self.swaps, self.stands = [], [], []
        return True


def undo_later(hand: Handed) -> None:
    """Have the session undo what is not undone yet."""
    session = SESSION
    session.touched = True
    for value, use in hand.held:
        if use is None:
            session.seen[id(value)] = (value, None)
        else:
            if type(value) is use.layout.cls:
                set_class(value, use.twin)
            session.seen[id(value)] = (value, use.layout)
    register_replaced(hand)
    for _, _, old, new in hand.swaps:
        if type(old) is not ndarray:
            session.replaced[id(new)] = (new, old)
    for stand in hand.stands:
        array = stand.array()
        session.arrays[id(stand.tensor)] = (stand.tensor, array, stand.memory)
        if not stand.is_untouched():
            stand.drop()
    for tensor in hand.tensors:
        session.kept[id(tensor)] = tensor
    hand.held, hand.swaps, hand.stands = [], [], []


WALKED: frozenset[Any] = frozenset({list, dict, tuple, SimpleNamespace})
PLAIN_KEYS = frozenset({str, int, float, bool, bytes, type(None)})


def has_plain_keys(keys: Any) -> bool:
    """Whether the keys of a dict are numbers and text, or tuples of them."""
    return PLAIN_KEYS.issuperset(map(type, keys)) or all(
        type(key) in PLAIN_KEYS or (type(key) is tuple and has_plain_keys(key)) for key in keys
    )


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


def handed(record: Record, args: tuple[Any, ...], derivative: bool) -> Handed | None:
    """What hands these arguments over; None if some need more."""
    if THREAD.records or len(SESSION.threads) > 1:
        return None
    hand = Handed(record.twin, derivative)
    todo: list[Any] = []
    fitted: list[Any] = []
    if hand.call is None:
        hand.call = target = record.target
        if record.method is not None:
            hand.call, target = record.method, target.__self__
            fitted.append(target)
        todo.append(target)
    left = kept.met(args, {}) if derivative else None
    for a in args:
        kind = type(a)
        if kind is FunctionType:
            a = twin_of(record, a, hand.filled, todo)
            if a is None:
                return None
        elif kind is ndarray:
            a = _tensor_for(record, a, hand, left)
            if a is None:
                return None
        elif kind in WALKED or kind in record.uses:
            todo.append(a)
        elif kind not in ARGUMENTS:
            new = _replaced(record, a, hand)
            if new is None:
                return None
            if new is not a and kind not in MADE_ANEW:
                hand.replaced.append((new, a))
            a = new
        fitted.append(a)
    if record.roots is not None and not _hand_roots(record, record.roots, hand, todo, left):
        return None
    if todo and not _walk(record, todo, hand, left):
        return None
    record.calls += 1
    if left and not all(left.keys().isdisjoint(map(id, values)) for _, values in hand.filled):
        return None
    hand.args = tuple(fitted)
    return hand


def _tensor_for(record: Record, array: Any, hand: Handed, left: Any) -> Any:
    """The tensor that stands for an array from call to call; None if there is none."""
    if left and id(array) in left:
        return None
    stand = arrays.STANDING.get(id(array))
    if stand is None or not stand.is_fit(array):
        stand = arrays.standing_for(record, array)
        if stand is None:
            return None
    hand.stands.append(stand)
    if stand.copied is None:
        arrays.lend(stand.tensor, not hand.derivative)
    return stand.tensor


def _hand_roots(record: Record, roots: Roots, hand: Handed, todo: list[Any], left: Any) -> bool:
    """Give names and variables of twins what they have in this call; False if some need more."""
    for raw, name, twin, pulled in roots.names:
        value = raw.get(name)
        new = _root_for(record, value, hand, todo, left)
        if new is None:
            return False
        if twin.get(name) is not new:
            twin[name] = new
            pulled[name] = (value, new)
    for sync in roots.cells:
        try:
            value, old = sync.cell.cell_contents, sync.twin.cell_contents
        except ValueError:  # not bound
            return False
        if old is not sync.shared.set:
            return False
        new = _root_for(record, value, hand, todo, left)
        if new is None:
            return False
        if old is not new or sync.value is not value or sync.set is not new:
            sync.give(value, new)
        hand.cells.append(sync)
    fit = functools.partial(_root_for, record, hand=hand, todo=todo, left=left)
    return all(sync.hand_over(record, fit, left) for sync in roots.syncs)


def _root_for(record: Record, value: Any, hand: Handed, todo: list[Any], left: Any) -> Any:
    kind = type(value)
    if kind is ndarray:
        return _tensor_for(record, value, hand, left)
    if kind in ARGUMENTS or kind is FunctionType:
        return None  # bound anew: no such values are handed over
    if kind is tuple and INERT.issuperset(map(type, value)):
        return value
    if kind in MADE_ANEW:
        return _replaced(record, value, hand)
    todo.append(value)
    return value


def _replaced(record: Record, value: Any, hand: Handed) -> Any:
    """What stands for something that is no data; None if it holds more than numbers."""
    kind = type(value)
    if kind in MADE_ANEW:
        new = made(record, value)
        if new is not None and new is not value:
            hand.replaced.append((new, value))
        return new
    handler = record.handlers.get(kind) if record.plainly else None
    return handler(record, value) if handler in fitting.STATIC else None


# Types for whose values others are made.
MADE_ANEW = frozenset({
    functools.partial, functools._lru_cache_wrapper, np.random.Generator, np.random.RandomState,
})  # fmt: skip


def made(record: Record, value: Any) -> Any:
    """What is made to stand for a value of such a type; None if it holds more than numbers."""
    kind = type(value)
    if not record.plainly:
        return None
    if kind is functools.partial:
        function = _code_for(record, value.func)
        held = (*value.args, *value.keywords.values())
        if function is None or value.__dict__ or not INERT.issuperset(map(type, held)):
            return None
        return functools.partial(function, *value.args, **value.keywords)
    if kind is functools._lru_cache_wrapper:
        function = _code_for(record, value.__wrapped__)
        return None if function is None else fitting.memo_of(value, function)
    return tensor_random.over(value)


def _code_for(record: Record, f: Any) -> Any:
    if type(f) is not FunctionType:
        return replacement(record, f)
    filled: list[Any] = []
    twin = twin_of(record, f, filled, [])
    return None if filled else twin


def replacement(record: Record, value: Any) -> Any:
    """What stands for a class, a function of a library and the like; None for anything else."""
    handler = record.handlers.get(type(value)) if record.plainly else None
    return handler(record, value) if handler in fitting.STATIC else None


def register_replaced(hand: Handed) -> None:
    """Have the session know what stands for something that was made for this call."""
    SESSION.touched = True
    for new, old in hand.replaced:
        SESSION.replaced[id(new)] = (new, old)


def _walk(record: Record, todo: list[Any], hand: Handed, left: Any) -> bool:
    """Note what is held, and what is in it; False if anything needs more."""
    known = record.uses
    inner = hand.inner
    looked = None
    owner: Any
    while todo:
        value = todo.pop()
        if inner:
            if id(value) in inner:
                continue
            inner.add(id(value))
        kind = type(value)
        use = known.get(kind)
        owner = None
        if kind is SimpleNamespace and not inner:
            inner.add(id(value))
        if use is not None:
            if use is not looked:
                if not use.is_handy():
                    return False
                looked = use
            hand.held.append((value, use))
            if use.layout.simple:
                owner = value.__dict__
                items = owner.values()
            else:
                items = use.layout.held(value)
        elif kind is list:
            hand.held.append((value, None))
            owner = items = value
        elif kind is dict:
            hand.held.append((value, None))
            owner, items = value, value.values()
            if not has_plain_keys(value):
                return False
            if "__name__" in value and is_everybodys(value):
                return False
        elif kind is tuple:
            hand.tuples.append(value)
            items = value
        elif kind is SimpleNamespace:
            todo.append(vars(value))
            continue
        else:
            return False
        for item in items:
            if type(item) not in INERT:
                break
        else:
            if left and not left.keys().isdisjoint(map(id, items)):
                return False
            continue
        if not inner:
            inner.add(id(value))
        if left and not left.keys().isdisjoint(map(id, items)):
            return False
        if type(owner) is dict:
            pairs: Any = owner.items()
        else:
            pairs = enumerate(items)
        for key, item in pairs:
            kind = type(item)
            if kind in INERT:
                continue
            if kind is ndarray:
                new = None if owner is None else _tensor_for(record, item, hand, left)
                if new is None:
                    return False
                hand.swaps.append((owner, key, item, new))
                inner.add(id(item))
            elif kind is FunctionType:
                new = None if owner is None else twin_of(record, item, hand.filled, todo)
                if new is None:
                    return False
                hand.swaps.append((owner, key, item, new))
                inner.add(id(item))
            elif kind in ARGUMENTS:
                hand.tensors.append(item)
                inner.add(id(item))
            elif kind in WALKED or kind in known:
                todo.append(item)
            else:
                new = _replaced(record, item, hand)
                if new is None or (owner is None and new is not item):
                    return False
                inner.add(id(item))
                if new is not item:
                    hand.swaps.append((owner, key, item, new))
    return True


def twin_of(record: Record, f: Any, filled: list[Any], todo: list[Any]) -> Any:
    """The twin of a function whose variables, defaults and attributes are looked at; else None."""
    twin: Any = None
    owned = record.closures.get(id(f))
    if owned is not None and owned[0] is f:
        twin = owned[1]  # its variables are those of the target
    elif f.__closure__ is None:
        twin = record.twins.get(f)
        if twin is None:
            passing = record.passing.get(id(f))
            if passing is not None and passing[0]() is f:
                twin = passing[1]
            elif not record.lifter.is_users(f.__globals__) and SCOPE not in f.__globals__:
                return rebinding.known(f)
    if twin is not None:
        if (
            f.__dict__
            and f.__dict__.keys() != {"__wrapped__"}
            and id(twin) not in record.attributes
        ):
            return None
        if (f.__defaults__ or f.__kwdefaults__) and id(twin) not in record.syncs:
            return None if fitting.holds_more_than_numbers(f) else twin
        return twin
    if f.__dict__ or f.__closure__ is None:
        return None
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
            value = twin_of(record, value, filled, todo)
            if value is None:
                return None
        elif kind not in INERT:
            todo.append(value)
        values.append(value)
    return twin
