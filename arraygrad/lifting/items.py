"""The places in an object or container that hold values."""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .kept import LEFT
from .session import CONTAINERS, INERT


def items_of(value: Any) -> Iterator[tuple[Callable[[Any], None], Any]]:
    """The places that may need a change: how to write each, and what is there."""
    kind = type(value)
    if isinstance(value, list | deque):
        if set(map(type, value)) <= INERT and not LEFT:
            return
        for i, item in enumerate([*value]):
            yield functools.partial(value.__setitem__, i), item
    elif isinstance(value, dict):
        for key, item in _live(value):
            yield functools.partial(value.__setitem__, key), item
    if kind in CONTAINERS and kind is not types.SimpleNamespace:
        return
    # By object itself: the user's own __getattribute__ may do anything.
    try:
        namespace = object.__getattribute__(value, "__dict__")
    except AttributeError:
        namespace = None
    if isinstance(namespace, dict):
        for key, item in _live(namespace):
            yield functools.partial(namespace.__setitem__, key), item
    for _, member in _slots(kind):
        try:
            item = member.__get__(value)
        except AttributeError:  # not bound
            continue
        yield functools.partial(member.__set__, value), item


def _live(namespace: dict[Any, Any]) -> list[tuple[Any, Any]]:
    return [
        pair
        for pair in namespace.items()
        if type(pair[1]) not in INERT or (LEFT and id(pair[1]) in LEFT)
    ]


def place_of(replace: Any) -> tuple[int, Any]:
    """Which place a function of `items_of` replaces."""
    owner, key = replace.func.__self__, replace.args[0]
    return id(owner), id(key) if isinstance(owner, types.MemberDescriptorType) else key


def is_everybodys(value: dict[Any, Any]) -> bool:
    """Whether a dict is the namespace of a module, or that of all modules: it is left alone."""
    if value is sys.modules:
        return True
    name = value.get("__name__")
    module = sys.modules.get(name) if type(name) is str else None
    return module is not None and getattr(module, "__dict__", None) is value


class Layout:
    """Where the objects of a class of the user keep what they hold.

    cls : type
    slots : list of (str, descriptor)
    plain : bool
        Whether they have nothing but attributes: no items of a list or dict.
    """

    __slots__ = ("cls", "plain", "slots")

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.slots = _slots_of(cls)
        self.plain = not issubclass(cls, CONTAINERS)


def _slots_of(kind: type) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType):
                found.setdefault(f"{member.__objclass__.__qualname__}.{name}", (name, member))
    return [*found.values()]


_SLOTS: dict[int, tuple[Any, list[tuple[str, Any]]]] = {}  # by identity: twins equal their classes


def _slots(kind: type) -> list[tuple[str, Any]]:
    key = id(kind)
    found = _SLOTS.get(key)
    if found is None:
        forget = weakref.ref(kind, lambda _: _SLOTS.pop(key, None))
        found = _SLOTS[key] = (forget, _slots_of(kind))
    return found[1]
