"""The places in an object or container that hold values."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .session import ABSENT, CONTAINERS, INERT


def items_of(value: Any) -> Iterator[tuple[Callable[[Any], None], Any]]:
    """The places in an object or container: how to write each, and what is there."""
    if isinstance(value, list | deque):
        if set(map(type, value)) <= INERT:
            return
        for i, item in enumerate([*value]):
            yield functools.partial(value.__setitem__, i), item
    elif isinstance(value, dict):
        for key, item in [*value.items()]:
            yield functools.partial(value.__setitem__, key), item
    namespace = getattr(value, "__dict__", None)
    if isinstance(namespace, dict):
        for key, item in [*namespace.items()]:
            yield functools.partial(namespace.__setitem__, key), item
    for name in _slots(type(value)):
        item = getattr(value, name, ABSENT)
        if item is not ABSENT:
            yield functools.partial(object.__setattr__, value, name), item


def _slots(kind: type) -> list[str]:
    if kind in CONTAINERS:
        return []
    return [
        name
        for base in kind.__mro__
        for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType)
    ]
