"""Memory that code outside sees too: which arrays and storages over it are alive.

One block of memory may reach us twice: a NumPy array given to ``ag.asarray`` twice, a tensor that
came back through DLPack, two buffers over one bytearray. Each time it gets a storage of its own,
and the arrays need not share a chain of bases, so that only addresses tell. A write through one of
them must reach those who have saved the others (`owners_over`), and one that carries a gradient
would be lost for them (`is_seen_by_others`). Knows nothing of graphs or ops.
"""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np

from ._layout import byte_extent

_Registry = dict[int, "weakref.ref[Any]"]

# Arrays at the end of their chain of bases, pinned once. Only one that borrows memory (from a
# capsule, a buffer, a memory map) can overlap with another.
_HOLDING: _Registry = {}
_BORROWING: _Registry = {}
# Storages over pinned memory.
_STORAGES: _Registry = {}


def extent(array: Any) -> tuple[int, int]:
    """Addresses of the first byte and of the one past the last of an array."""
    low, high = byte_extent(array.shape, array.strides, array.dtype.itemsize)
    start = int(array.__array_interface__["data"][0])
    return start + low, start + high


def _enter(registry: _Registry, x: Any) -> None:
    key = id(x)
    if key not in registry:
        registry[key] = weakref.ref(x, lambda _: registry.pop(key, None))


def register(storage: Any, owner: Any) -> None:
    """A storage whose memory `owner` holds is seen outside from now on."""
    _enter(_STORAGES, storage)
    flags = getattr(owner, "flags", None)
    if flags is not None:
        _enter(_HOLDING if flags.owndata else _BORROWING, owner)


def _alive(registry: _Registry) -> list[Any]:
    return [x for r in list(registry.values()) if (x := r()) is not None]


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def owners_over(owner: Any) -> list[Any]:
    """The owner, and all others whose memory overlaps with its."""
    if not _BORROWING or not hasattr(owner, "__array_interface__"):
        return [owner]
    borrows = id(owner) in _BORROWING
    others = _alive(_BORROWING) + (_alive(_HOLDING) if borrows else [])
    own = extent(owner)
    return [owner, *(o for o in others if o is not owner and _overlap(own, extent(o)))]


def is_borrowed(array: Any) -> bool:
    """Whether an array at the end of its chain of bases may share its memory with what is no array.

    It does not where it alone holds what the memory is of, as after `pickle`.
    """
    return not array.flags.owndata and not _is_alone(array)


def _is_alone(array: Any) -> bool:
    base, usual = array.base, _USUAL_REFERENCES
    if type(base) is memoryview:
        if sys.getrefcount(base) > usual:
            return False
        # Views of one buffer, as those of a view are, have an object in common that has the buffer.
        behind = gc.get_referents(base)
        if sys.getrefcount(behind[0]) > _USUAL_AMONG_VIEWS:
            return False
        base, usual = base.obj, _USUAL_BEHIND_VIEW
    if type(base) in (bytes, bytearray) or (isinstance(base, np.ndarray) and base.flags.owndata):
        return sys.getrefcount(base) <= usual
    return False


def _references(array: Any) -> tuple[int, int, int]:
    base = array.base
    usual = sys.getrefcount(base)
    behind = gc.get_referents(base)
    among_views = sys.getrefcount(behind[0])
    base = base.obj
    return usual, among_views, sys.getrefcount(base)


# How often what is held once is counted, as it is looked at in `_is_alone`: differs among Pythons.
_USUAL_REFERENCES, _USUAL_AMONG_VIEWS, _USUAL_BEHIND_VIEW = _references(np.frombuffer(bytearray(8)))


def is_seen_by_others(storage: Any, array: Any) -> bool:
    """Whether a live tensor of another storage sees memory of this array."""
    if len(_STORAGES) < 2:
        return False
    own = extent(array)
    return any(
        s is not storage and any(_overlap(own, extent(t._array)) for t in s.tensors())
        for s in _alive(_STORAGES)
    )
