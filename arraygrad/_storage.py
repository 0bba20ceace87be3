"""Memory: storages, the families of views that share one, and pooled allocation.

A Storage is memory on one device with a version. Tensors that share both memory and derivative
history form a Family: a base tensor and its views. ``detach()`` starts a new family on the same
storage. Both are made only when a second tensor appears or something is written in place: most
results never have them. Knows nothing of ops.
"""

from __future__ import annotations

import os
import sys
import weakref
from _thread import RLock, allocate_lock  # what threading wraps, without its import
from math import prod
from typing import Any

import numpy as np

from . import _aliases
from ._device import CPU, Device
from ._dispatch import register_allocator
from ._errors import OutOfMemoryError, ReadOnlyError, out_of_memory
from ._graph import Node, note_overwritten, owner_of
from ._layout import Shape, may_overlap_itself

# Held while a tensor gets its family, so that it gets one only. The collector may run inside, and
# finalizers of the user's that need families too.
_MAKING = RLock()
# Held while the list of a storage's tensors is made shorter; who finds it taken lets it be.
_TRIMMING = allocate_lock()
# Held while memory is written, one of them for each storage.
_WRITING = [RLock() for _ in range(64)]


class TensorBase:
    """The slots of a tensor; methods are added by its subclasses.

    _array : the device's array (shape, strides, dtype, memory)
    _node : graph node of the current value, or None
    _family : Family, or None while nothing else shares the memory
    _epoch : the family's epoch for which _node is right (set with _family)
    _saved : set once a graph has kept this array (only while there is no family)
    _grad : accumulated gradient of a leaf
    """

    __slots__ = ("__weakref__", "_array", "_epoch", "_family", "_grad", "_node", "_saved")
    _array: Any
    _node: Node | None
    _family: Family | None
    _epoch: int
    _saved: bool
    _grad: Any


class Storage:
    """Memory on one device.

    Attributes
    ----------
    device : Device
    version : int
        Number of in-place writes so far.
    saved : bool
        A graph may hold this memory: the next write swaps the tensors to a copy of it.
    pinned : bool
        Aliased outside of arraygrad (NumPy, DLPack, a memory map): must not be swapped.
    lent : bool
        A NumPy array that was an operand of one operation: its owner may write to it at any time
        without our seeing it, so that graphs keep copies. (``ag.asarray(array)`` hands memory
        over instead, and nothing is copied.)
    borrowed : bool
        What is no array may have the memory: a value with a gradient is not written there.
    """

    __slots__ = (
        "__weakref__", "_address", "_array", "_tensors", "_trim_at", "borrowed", "device", "lent",
        "pinned", "saved", "version",
    )  # fmt: skip

    def __init__(self, array: Any, device: Device = CPU, pinned: bool = False) -> None:
        self._array = array
        # Address of the array, with the array for which that is right: asking NumPy is slow.
        self._address: tuple[Any, int] | None = None
        self.device = device
        self.version = 0
        self.saved = False
        self.pinned = pinned
        self.lent = False
        self.borrowed = False
        self._tensors: list[weakref.ref[TensorBase]] = []
        self._trim_at = 16

    @property
    def nbytes(self) -> int:
        """Bytes of the memory that the base tensor spans."""
        owner = owner_of(self._array)
        return int(getattr(owner, "nbytes", self._array.nbytes))

    @property
    def lock(self) -> Any:
        """Held while the memory is written and while it moves."""
        return _WRITING[id(self) >> 6 & 63]

    @property
    def readonly(self) -> bool:
        return not self._array.flags.writeable

    def offset_of(self, array: Any) -> int:
        """Bytes from the start of the storage's array to that of a view over the same memory."""
        own = self._array
        if array is own:
            return 0
        known = self._address
        if known is None or known[0] is not own:
            known = self._address = (own, _address(own))
        return _address(array) - known[1]

    def data_ptr(self) -> int:
        """Address of the first byte."""
        return int(owner_of(self._array).__array_interface__["data"][0])

    def add(self, tensor: TensorBase) -> None:
        """Count a tensor among those on this memory (`_apply.viewed` holds a copy of this)."""
        tensors = self._tensors
        tensors.append(weakref.ref(tensor))
        if len(tensors) > self._trim_at:
            self._trim()
        base, array = tensor._array.base, self._array
        if base is not array and base is not array.base and tensor._array is not array:
            self._catch_up(tensor)

    def _trim(self) -> None:
        """Drop the references to tensors that are gone.

        What is added meanwhile, by other threads or by what the collector runs, stays behind.
        """
        if _TRIMMING.acquire(blocking=False):
            try:
                tensors = self._tensors
                count = len(tensors)
                tensors[:count] = [r for r in tensors[:count] if r() is not None]
                self._trim_at = 2 * len(tensors) + 16
            finally:
                _TRIMMING.release()

    def _catch_up(self, tensor: TensorBase) -> None:
        """Move a view that was being made while another thread's write moved the memory."""
        with self.lock:
            array, fresh = tensor._array, owner_of(self._array)
            memory = None if owner_of(array) is fresh else _dense_bytes(array)
            if memory is not None:
                tensor._array = _moved(array, memory, _dense_bytes(fresh))

    def tensors(self) -> list[TensorBase]:
        """The live tensors on this memory."""
        return [t for r in list(self._tensors) if (t := r()) is not None]

    def prepare_write(self, writer: str) -> None:
        """Call before the memory changes: keeps what graphs have saved, counts the version.

        The caller holds `write_lock` until the memory has changed and its history is recorded.
        """
        if self.pinned:
            # Always: graphs may have saved the memory by way of another storage over it.
            self.saved = False
            note_overwritten(self._array, writer)
        elif self.saved:
            # Before the swap: other threads may save what has been moved already. And only here: a
            # mark that another thread sets just now must not be taken away without a swap.
            self.saved = False
            try:
                self._swap(writer)
            except MemoryError as error:
                self.saved = True  # nothing has moved: the next write must try again
                raise out_of_memory(writer, error) from error
        self.version += 1

    def _swap(self, writer: str) -> None:
        """Move every live tensor to a copy of the memory; graphs keep the old one."""
        memory = _dense_bytes(self._array)
        if memory is None:
            note_overwritten(self._array, writer)
            return
        self._move(memory, memory.copy())

    def borrow(self, owner: Any) -> bool:
        """Move every live tensor to the memory of an array that has the same values and layout."""
        memory, fresh = _dense_bytes(self._array), _dense_bytes(owner)
        if memory is None or fresh is None or memory.size != fresh.size:
            return False
        with self.lock:
            self._move(memory, fresh)
        return True

    def _move(self, memory: Any, fresh: Any) -> None:
        # First: views that other threads make from now on are moved by `add`.
        self._array, self._address = _moved(self._array, memory, fresh), None
        for tensor in self.tensors():
            array = tensor._array
            # It may still lie in memory of before an earlier swap, on its way to `add`.
            old = memory if owner_of(array) is owner_of(memory) else _dense_bytes(array)
            tensor._array = _moved(array, old, fresh)

    def __repr__(self) -> str:
        return f"Storage(nbytes={self.nbytes}, device={str(self.device)!r}, version={self.version})"


class Family:
    """Tensors that are views of one base value: they share a storage and a history.

    node : Node or None
        Graph node of the whole base value as it is now.
    epoch : int
        Raised whenever the history changes; a tensor whose _epoch differs asks for a new node.
    base : array
        The base's array: its shape, strides and dtype give `node` a meaning.
    """

    __slots__ = ("base", "epoch", "node", "storage")

    def __init__(self, storage: Storage, base: Any, node: Node | None, offset: int = 0) -> None:
        self.storage = storage
        self.base = Geometry(base.dtype, base.shape, base.strides, offset)
        self.node = node
        self.epoch = 0


class Geometry:
    """Where a view lies in its base: all in bytes, free of addresses."""

    __slots__ = ("dtype", "offset", "shape", "strides")

    def __init__(self, dtype: Any, shape: Shape, strides: tuple[int, ...], offset: int) -> None:
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.offset = offset

    @classmethod
    def of(cls, view: Any, base: Any) -> Geometry:
        offset = 0 if view is base else _address(view) - _address(base)
        return cls(view.dtype, view.shape, view.strides, offset)

    def key(self) -> tuple[Any, ...]:
        return self.dtype, self.shape, self.strides, self.offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Geometry) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    @property
    def overlaps(self) -> bool:
        return may_overlap_itself(self.shape, self.strides, self.dtype.itemsize)


def family_of(tensor: TensorBase, settle: bool = False) -> Family:
    """The tensor's family, made now if it has none; with `settle` in memory that no graph holds."""
    family = tensor._family
    if family is None:
        with _MAKING:
            if tensor._family is None:
                if settle:
                    _settle(tensor)
                array = tensor._array
                storage = Storage(array)
                storage.saved = getattr(tensor, "_saved", False)
                storage.add(tensor)
                made = Family(storage, array, tensor._node)
                if tensor._family is None:  # else the collector has run what needed it
                    tensor._epoch = 0
                    tensor._family = made
                    if getattr(tensor, "_saved", False):  # set meanwhile: see `keep`
                        storage.saved = True
            family = tensor._family
    return family


def join_family(view: TensorBase, of: TensorBase) -> None:
    """Make `view` a member of the family of `of`."""
    family = of._family
    if family is None:
        family = family_of(of)
    view._family = family
    view._epoch = family.epoch
    family.storage.add(view)


def mark_saved(tensor: TensorBase) -> None:
    """A graph keeps the tensor's array, which the caller has read already, from now on."""
    family = tensor._family
    if family is None:
        tensor._saved = True
        family = tensor._family  # another thread may have made it without seeing the mark
    if family is not None:
        family.storage.saved = True


def keep(tensor: TensorBase) -> Any:
    """The tensor's array for a graph to keep; a copy if somebody may write to it unseen.

    First the array, then the mark: another thread that writes in between leaves the array behind
    if the memory was marked before, and swaps at its next write if it was not. The other way round
    it could take the mark away and move the tensor before the array is read.
    """
    array = tensor._array
    family = tensor._family
    if family is None:
        tensor._saved = True
        family = tensor._family  # another thread may have made it without seeing the mark
        if family is None:
            return array
    storage = family.storage
    if storage.lent:
        return array.copy()
    storage.saved = True
    return array


def pin(tensor: TensorBase) -> None:
    """The memory is visible outside from now on: never swap it."""
    storage = family_of(tensor).storage
    storage.pinned = True
    _aliases.register(storage, owner_of(storage._array))


def check_writeable(tensor: TensorBase, writer: str) -> None:
    if not tensor._array.flags.writeable:
        raise ReadOnlyError(
            f"{writer}: this tensor's memory is read-only (a broadcast view, or borrowed from "
            "read-only data); write to a copy instead, x = x.copy()"
        )


def is_writeable_once(array: Any) -> bool:
    """Whether what is written into a device's array stays: it is writeable, no place twice."""
    if type(array) is not np.ndarray:
        return False
    flags = array.flags
    if not flags.writeable:
        return False
    return flags.forc or not may_overlap_itself(array.shape, array.strides, array.itemsize)


def write_lock(tensor: TensorBase) -> Any:
    """Hold this from before `prepare_write` until the write is recorded.

    Threads may write to different parts of one memory, as in NumPy; the swap to a copy and the
    history of the base concern all of it.
    """
    family = tensor._family
    if family is None:
        family = family_of(tensor, settle=True)
    return family.storage.lock


def prepare_write(tensor: TensorBase, writer: str) -> None:
    """Keep what graphs have saved of the tensor's memory; call before each in-place write."""
    family_of(tensor, settle=True).storage.prepare_write(writer)


def _settle(tensor: TensorBase) -> None:
    """Give a tensor without family memory that no graph holds."""
    if getattr(tensor, "_saved", False):
        if not _unshared(tensor):
            try:
                fresh = tensor._array.copy(order="K")
            except MemoryError as error:
                raise out_of_memory("a write to values that a graph holds", error) from error
            if tensor._family is not None:  # made meanwhile, see `_MAKING`
                return
            tensor._array = fresh
        tensor._saved = False


def _references(tensor: TensorBase) -> int:
    return sys.getrefcount(tensor._array)


def _unshared(tensor: TensorBase) -> bool:
    """Whether nothing but the tensor holds its array (the graph that saved it is gone)."""
    array = tensor._array
    base = array.base
    del array
    return base is None and _references(tensor) <= _ALONE


def _calibrate() -> int:
    tensor = TensorBase()
    tensor._array = np.empty(1)
    return _references(tensor)


# What sys.getrefcount says of an array that only its tensor holds: differs between Pythons.
_ALONE = _calibrate()


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _dense_bytes(array: Any) -> Any:
    """1-d uint8 view of all the memory below `array`, or None if it cannot be had."""
    owner = owner_of(array)
    if not isinstance(owner, np.ndarray):
        return None
    axes = sorted(range(owner.ndim), key=lambda i: -abs(owner.strides[i]))
    ordered = owner.transpose(axes)
    if not ordered.flags.c_contiguous:
        return None
    return ordered.reshape(-1).view(np.uint8)


def _moved(array: Any, old: Any, fresh: Any) -> Any:
    """The same view over other memory (both memories as dense bytes)."""
    # Of a view without elements the address says nothing: the imaginary part of no numbers begins
    # behind the memory.
    offset = _address(array) - _address(old) if array.size else 0
    moved = np.ndarray(array.shape, array.dtype, buffer=fresh, offset=offset, strides=array.strides)
    if not array.flags.writeable:
        moved.flags.writeable = False
    return moved


# -- pooled allocation ------------------------------------------------------------------------

# Bytes; smaller results come from malloc, which recycles them itself. Larger ones it gives back to
# the system when a graph lets go of them, and every step of a training maps their pages anew.
POOL_FROM = 1 << 18
POOL_LIMIT = 1 << 29  # bytes kept for reuse at most
_LINE = 64  # bytes of a cache line, at which results begin: kernels may write whole lines
# Blocks with their size and the offset of the first cache line: asking an array for its address
# takes longer than adding small ones.
_POOL: list[tuple[Any, int, int]] = []
# Held while the pool is searched or changed. Who finds it taken does without the pool: it may be
# its own thread that holds it, whose search the collector or a signal has interrupted.
_POOL_LOCK = allocate_lock()


def empty(shape: Shape, dtype: np.dtype[Any]) -> Any:
    """Uninitialised C-contiguous array; large ones reuse memory whose pages are mapped already.

    A fresh 64 MB result costs more in page faults than in arithmetic. A block is free when the
    pool holds the only reference to it, so nothing has to be told when an array dies.
    """
    nbytes = prod(shape) * dtype.itemsize
    if nbytes < POOL_FROM:
        return np.empty(shape, dtype)
    size = _size_class(nbytes)
    if _POOL_LOCK.acquire(blocking=False):
        try:  # between finding a block free and taking it nobody else may look
            pool = _POOL
            for i, (block, block_size, offset) in enumerate(pool):
                if block_size == size and sys.getrefcount(block) <= _FREE:
                    if i > 8:
                        pool.insert(0, pool.pop(i))
                    return np.ndarray(shape, dtype, block, offset)
        finally:
            _POOL_LOCK.release()
    try:
        block = np.empty(size, np.uint8)
    except MemoryError as error:
        release_pool()
        raise OutOfMemoryError(
            f"a result of shape {shape} and dtype {dtype} needs {nbytes / 2**30:.3g} GiB, "
            "which the system does not give; work in pieces or in a smaller dtype"
        ) from error
    offset = -_address(block) % _LINE
    result = np.ndarray(shape, dtype, block, offset)
    if size <= POOL_LIMIT // 2 and _POOL_LOCK.acquire(blocking=False):
        try:
            _POOL.insert(0, (block, size, offset))
            _trim()
        finally:
            _POOL_LOCK.release()
    return result


register_allocator(empty)


def _size_class(nbytes: int) -> int:
    """Bytes of a block: the next multiple of an eighth of the power of two, and a cache line.

    At most 12.5 % is wasted.
    """
    step = 1 << max(nbytes.bit_length() - 4, 12)
    return -(-nbytes // step) * step + _LINE


def _trim() -> None:
    kept = 0
    for i, (_, size, _) in enumerate(_POOL):
        kept += size
        if kept > POOL_LIMIT:
            del _POOL[i:]
            return


def release_pool() -> None:
    """Give the pool's unused memory back to the system."""
    global _POOL
    _POOL = []  # who is searching the old list keeps it until done


def _after_fork() -> None:
    global _POOL_LOCK, _MAKING, _TRIMMING
    _POOL_LOCK = allocate_lock()
    _MAKING = RLock()
    _TRIMMING = allocate_lock()
    _WRITING[:] = [RLock() for _ in _WRITING]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _calibrate_pool() -> int:
    pool = [(np.empty(1, np.uint8), 1, 0)]
    for _, (block, _, _) in enumerate(pool):
        return sys.getrefcount(block)
    raise AssertionError


_FREE = _calibrate_pool()
