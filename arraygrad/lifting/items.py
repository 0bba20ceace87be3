"""The places in an object or container that hold values."""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections import OrderedDict, deque
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
        base: Any = list if isinstance(value, list) else deque
        put = base.__setitem__.__get__(value)  # whatever the user's own __setitem__ counts
        for i, item in enumerate([*base.__iter__(value)]):
            yield functools.partial(put, i), item
    elif isinstance(value, dict):
        put = dict.__setitem__.__get__(value)
        for key, item in _live(value):
            yield functools.partial(put, key), item
    # Twins, whose comparison is slow, are none of these.
    if isinstance(value, CONTAINERS) and kind in CONTAINERS and kind is not types.SimpleNamespace:
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
    pairs = (
        OrderedDict.items(namespace)
        if isinstance(namespace, OrderedDict)
        else dict.items(namespace)
    )
    return [pair for pair in pairs if type(pair[1]) not in INERT or (LEFT and id(pair[1]) in LEFT)]


def holds_more(values: Any) -> bool:
    """Whether there is anything but numbers and the like in a list, or among values of a dict."""
    if len(values) > 16:
        return not INERT.issuperset(map(type, values))
    for value in values:  # noqa: SIM110 - a generator costs more than all of the loop
        if type(value) not in INERT:
            return True
    return False


def place_of(replace: Any) -> tuple[int, Any]:
    """Which place a function of `items_of` replaces."""
    owner, key = replace.func.__self__, replace.args[0]
    return id(owner), id(key) if isinstance(owner, types.MemberDescriptorType) else key


def is_everybodys(value: dict[Any, Any]) -> bool:
    """Whether a dict is the namespace of a module, or that of all modules: it is left alone."""
    if value is sys.modules:
        return True
    if "__name__" not in value:
        return False
    name = value["__name__"]
    module = sys.modules.get(name) if type(name) is str else None
    return module is not None and getattr(module, "__dict__", None) is value


set_class: Callable[[Any, type], None] = vars(object)["__class__"].__set__


_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


class Layout:
    """Where the objects of a class of the user keep what they hold.

    cls : type
    slots : list of (str, descriptor)
    plain : bool
        Whether they have nothing but attributes: no slots, and no items of a list or dict.
    slotted : bool
        Whether they have nothing but slots.
    direct : bool
        Whether Python's own syntax reaches class and attributes, not a method of the user's.
    solid : type
        The class written in C from which it is derived.
    simple : bool
        Whether all that they hold is in a dict that Python's own syntax reaches.
    twin : type or None
        What stands for the class in lifted code.
    """

    __slots__ = ("cls", "direct", "plain", "simple", "slots", "slotted", "solid", "twin")

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.twin: Any = None
        self.slots = _slots_of(cls)
        holds_items = issubclass(cls, CONTAINERS)
        self.plain = not self.slots and not holds_items and cls.__dictoffset__ != 0
        self.slotted = not holds_items and cls.__dictoffset__ == 0
        self.solid: Any = cls
        while self.solid.__flags__ & _MADE_BY_PYTHON:
            self.solid = self.solid.__base__
        special = ("__class__", "__dict__", "__setattr__", "__getattribute__")
        found = [name for base in cls.__mro__ for name in special if name in vars(base)]
        self.direct = found.count("__dict__") == 1 and len(found) == 4  # the others: of object
        self.simple = self.plain and self.direct and self.solid is object

    def held(self, value: Any) -> list[Any]:
        """What is in its slots."""
        found = []
        for _, member in self.slots:
            try:
                found.append(member.__get__(value))
            except AttributeError:  # not bound
                continue
        return found

    def namespace(self, value: Any) -> dict[str, Any]:
        """Its attributes, by object itself: the user's own __getattribute__ may do anything."""
        return (  # type: ignore[no-any-return]
            value.__dict__ if self.direct else object.__getattribute__(value, "__dict__")
        )


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
