"""Whether a call can see a tensor: where it cannot, the user's own function runs, at its own speed.

Looked through are the arguments and all that the target is known to reach, down to what they hold.
What cannot be looked into (iterators, objects of libraries) counts as a tensor. Should one be
missed after all, the user's code computes with it, gradient included, or is refused by name.
"""

from __future__ import annotations

import enum
import functools
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from .._storage import TensorBase
from .items import Layout
from .leaving import ARGUMENTS
from .session import INERT, SESSION, THREAD
from .watched import HOLD_NOTHING, Watched, is_ours

if TYPE_CHECKING:
    from .record import Record

# What a value holds, by its type.
CONTENTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    set: list,
    frozenset: list,
    deque: list,
    dict: lambda held: [*held, *held.values()],
    OrderedDict: lambda held: [*held, *held.values()],
    defaultdict: lambda held: [*held, *held.values(), held.default_factory],
    types.SimpleNamespace: lambda held: vars(held).values(),
    types.MappingProxyType: lambda held: [*held, *held.values()],
    functools.partial: lambda f: (f.func, *f.args, *f.keywords.values()),
}

# Modules of which classes and functions may be met that know nothing of tensors.
_KNOWN = frozenset({"builtins", "math", "cmath", "numpy", "operator", "scipy"})


def is_clear(record: Record, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether no tensor can take part in a call of a record's target, which is up to date."""
    if THREAD.records or len(SESSION.threads) > 1:  # calls that run may have changed anything
        return False
    todo = [*args, *kwargs.values()] if kwargs else [*args]
    todo += record.unsure
    if record.active:
        sight = record.sight
        if sight is None or not sight.is_same():
            sight = record.sight = sight_of(record)
            if sight is None:
                return False
        sight.put(todo)
    if not record.is_function:
        target = record.target
        todo.append(target.__self__ if type(target) is types.MethodType else target)
    return not _may_see(record, todo)


def sight_of(record: Record) -> Watched | None:
    """What the target's code may get; None if that cannot be told now."""
    sight = Watched()
    for sync in record.active:
        if not sync.look(sight):
            return None
    return sight if sight.is_same() else None


def _may_see(record: Record, todo: list[Any]) -> bool:
    """Whether there may be a tensor among values, or in what they hold."""
    done: set[int] = set()
    uses = record.uses
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in INERT:
            continue
        if kind in ARGUMENTS:
            return True
        if kind is ndarray:
            if value.dtype.hasobject:
                return True
            continue
        key = id(value)
        if key in done:
            continue
        done.add(key)
        if kind is list or kind is tuple:
            todo += value
            continue
        use = uses.get(kind)
        if use is not None:
            if use.syncs and id(use) not in done:
                done.add(id(use))
                sight = use.look()
                if sight is None:
                    return True
                sight.put(todo)
            if use.layout.simple:
                todo += value.__dict__.values()
                continue
            held = held_by(value, use.layout)
            if held is None:
                return True
            todo += held
        elif kind in CONTENTS:
            todo += CONTENTS[kind](value)
        elif not is_harmless(record, value, kind, todo):
            return True
    return False


def held_by(value: Any, layout: Layout) -> list[Any] | None:
    """What an object of the user's holds; None if it cannot be looked into."""
    found: list[Any] = []
    if layout.solid is tuple:
        found += tuple.__iter__(value)
    elif layout.solid not in _WITHOUT_CONTENTS:
        return None
    if layout.cls.__dictoffset__:
        found += layout.namespace(value).values()
    return found + layout.held(value)


_WITHOUT_CONTENTS = frozenset({object, int, float, complex, str, bytes})


def _is_of_class(method: Any) -> bool:
    """Whether a method is of its object's class, whose code is known with the object."""
    return getattr(type(method.__self__), method.__func__.__name__, None) is method.__func__


def is_harmless(record: Record, value: Any, kind: type, todo: list[Any]) -> bool:
    """Whether something that is no data holds no tensors, or those in `todo` only."""
    if kind is types.FunctionType:
        return _is_known(record, value, todo)
    if kind is types.MethodType:
        todo.append(value.__self__)
        return _is_of_class(value)
    if kind is types.BuiltinFunctionType:
        owner = value.__self__
        return owner is None or isinstance(owner, types.ModuleType)
    if isinstance(value, np.ufunc):
        return value.__class__ is np.ufunc
    if isinstance(value, types.ModuleType):
        return not is_ours(value.__name__)
    if isinstance(value, type):
        return value in record.classes or _top(str(value.__module__)) in _KNOWN
    if isinstance(value, enum.Enum):  # of a class without code
        todo.append(value._value_)
        return True
    return kind.__module__ in HOLD_NOTHING


def _is_known(record: Record, f: Any, todo: list[Any]) -> bool:
    """Whether all that a function reaches is known; what its variables hold is added to `todo`."""
    if f.__dict__ or f.__defaults__ or f.__kwdefaults__:
        todo += [*f.__dict__.values(), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
    if f.__closure__ is None:
        if f in record.twins:
            return True
        passing = record.passing.get(id(f))
        if passing is not None and passing[0]() is f:
            return True
        return _top(f.__module__ or "") in ("numpy", "scipy")
    owned = record.closures.get(id(f))
    if owned is not None and owned[0] is f and owned[1] is not f:
        return True  # its variables are looked at with all that the target reaches
    empty = record.empty.get(id(f))
    same: Any = None if empty is None else empty.function()
    if same is not f:
        return False
    for cell in f.__closure__:
        try:
            todo.append(cell.cell_contents)
        except ValueError:  # not bound
            continue
    return True


def _top(module: str) -> str:
    return module.partition(".")[0]


def is_data(value: Any, depth: int = 3) -> bool:
    """Whether a result has no code in it, which lifted calls give lifted."""
    kind = type(value)
    if kind in INERT or isinstance(value, ndarray | TensorBase):
        return True
    if not depth:
        return False
    if isinstance(value, list | tuple | set | frozenset | deque):
        return all(is_data(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return all(is_data(item, depth - 1) for item in value.values())
    if isinstance(value, type) or callable(value) or hasattr(kind, "__next__"):
        return False
    namespace = getattr(value, "__dict__", None)
    return not isinstance(namespace, dict) or is_data(namespace, depth - 1)
