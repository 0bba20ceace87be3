"""Tensors that stand for arrays of the user: made once, and taken again while nothing has changed.

A graph may keep what it has seen of an array, and the user's array gets the new values when a call
ends: so the two must not share memory. A tensor over a copy can be taken again in the next call if
the array holds the bytes that were copied and nobody has written to the tensor. An array that is
only read, and too large to be copied, is shared.

What lies in memory that others than arrays may see (a bytearray, a memory map, fields of records)
has a tensor over that very memory, so that plain values which are written there by any way are what
the tensor holds. Graphs keep copies of it. A value with a gradient, which the others would not get,
is not written there (`borrow`).
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from .._aliases import extent, is_borrowed
from .._apply import wrap
from .._dtypes import is_supported
from .._errors import GradientError
from .._storage import TensorBase, family_of, join_family, mark_saved, pin
from . import kept
from .session import SESSION

if TYPE_CHECKING:
    from .running import Running

# Arrays up to this size are always copied: less than a microsecond or two.
COPIED_UP_TO = 1 << 15
_AT_MOST = 4096

_HELD: set[Any] = set()  # dtypes that tensors have


class Standing:
    """A tensor that stands for an array, from one call to the next.

    array : weak reference to it
    tensor : TensorBase
    memory : ndarray
        The tensor's array, as it was made.
    copied : bytes or None
        What the array held then; None where the tensor shares its memory.
    owner : Standing or None
        Of the array that owns the memory of a view; the tensors share theirs likewise.
    """

    __slots__ = (
        "array", "copied", "dtype", "memory", "owner", "shape", "strides", "tensor", "writes",
    )  # fmt: skip

    def __init__(
        self, array: Any, tensor: TensorBase, shares: bool, owner: Standing | None
    ) -> None:
        self.array: Any = _Reference(array, _forget)
        self.array.key = id(array)
        self.tensor = tensor
        self.memory = tensor._array
        self.copied = None if shares else array.tobytes()
        self.owner = owner
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.writes = array.flags.writeable

    def is_fit(self, array: Any) -> bool:
        """Whether the tensor still stands for the array as it is."""
        tensor = self.tensor
        if tensor._array is not self.memory or tensor._node is not None:
            return False
        if self.array() is not array or (tensor._family is not None and not self.is_untouched()):
            return False
        if array.shape != self.shape or array.strides != self.strides:
            return False
        if array.dtype is not self.dtype or array.flags.writeable is not self.writes:
            return False
        copied = self.copied
        if copied is not None and not (array.tobytes() == copied == self.memory.tobytes()):
            return False  # results of the user's may be views of the memory, and be written
        owner = self.owner
        if owner is None:
            return True
        base = owner.array()
        return base is not None and STANDING.get(id(base)) is owner and owner.is_fit(base)

    def is_untouched(self) -> bool:
        """Whether nobody has written to the tensor, or made it carry a gradient."""
        tensor = self.tensor
        if tensor._array is not self.memory or tensor._node is not None:
            return False
        family = tensor._family
        if family is None:
            return True
        storage = family.storage
        return not (storage.version or storage.pinned or family.node is not None)

    def drop(self) -> None:
        """Take the tensor no more."""
        TENSORS.pop(id(self.tensor), None)
        if STANDING.get(self.array.key) is self:
            del STANDING[self.array.key]


class _Reference(weakref.ref[Any]):
    __slots__ = ("key",)
    key: int


STANDING: dict[int, Standing] = {}  # id(array) -> what stands for it
TENSORS: dict[int, Standing] = {}  # id(tensor) -> the same
SHARED: list[Standing] = []  # those over the user's memory, for one call
# First address, and the one past the last, of memory that plain arrays and others see in this call.
BORROWED: list[tuple[int, int]] = []


def _forget(
    reference: Any,
    standing: dict[int, Standing] = STANDING,  # at exit modules have lost their names
    tensors: dict[int, Standing] = TENSORS,
) -> None:
    found = standing.get(reference.key)
    if found is not None and found.array is reference:
        del standing[reference.key]
        tensors.pop(id(found.tensor), None)


def of_tensor(tensor: Any) -> Any:
    """The array that a tensor stands for, from one call to the next; None for other tensors."""
    found = TENSORS.get(id(tensor))
    return None if found is None or found.tensor is not tensor else found.array()


def is_held(dtype: np.dtype[Any]) -> bool:
    """Whether tensors have arrays of that dtype."""
    if dtype in _HELD:
        return True
    if not is_supported(dtype) or not dtype.isnative:
        return False
    _HELD.add(dtype)
    return True


def standing_for(record: Running, array: Any) -> Standing | None:
    """What stands for an array in this call and those to come; None if that has to be made anew."""
    found = STANDING.get(id(array))
    if found is not None:
        if found.is_fit(array):
            return found
        found.drop()
    if not is_held(array.dtype):
        return None
    owner = owner_of(array)
    if is_borrowed(owner):  # whatever the code's names say: the others see what it writes
        return None
    if owner is array:
        memory = memory_for(record, array)
        shares = memory is array
        if not shares and array.nbytes > COPIED_UP_TO:
            return None
        tensor = wrap(memory)
        if shares:
            mark_saved(tensor)  # the first write goes to a copy
        return keep(array, tensor, shares, None)
    base = standing_for(record, owner)
    if base is None:
        return None
    return keep(array, view_of(array, owner, base.tensor), base.copied is None, base)


def keep(array: Any, tensor: Any, shares: bool, owner: Standing | None) -> Standing:
    """Note that a tensor stands for an array from now on."""
    if len(STANDING) >= _AT_MOST:
        STANDING.clear()
        TENSORS.clear()
    found = Standing(array, tensor, shares, owner)
    STANDING[id(array)] = TENSORS[id(tensor)] = found
    if shares:
        SHARED.append(found)
    return found


def release() -> None:
    """Forget what shares memory with the user, when a call ends: it has the array alive."""
    for standing in SHARED:
        standing.drop()
    SHARED.clear()


def array(record: Running, array: Any) -> Any:
    """The tensor that stands for an array in this call."""
    session = SESSION
    tensors = session.tensors
    key = id(array)
    found = tensors.get(key)
    if found is not None:
        return found
    if not is_held(array.dtype):
        if array.base is not None:
            see_plainly(array)
        return array
    if kept.LEFT and key in kept.LEFT and session.arguments is not None:
        stand_in = kept.suspect(array)
        if stand_in is not None:
            _note(array, stand_in)
            return stand_in
    last = STANDING.get(key)
    if last is not None and last.copied is not None and not BORROWED:
        if last.is_fit(array) and _owner_is_noted(last):
            _note(array, last.tensor)
            return last.tensor
    if array.base is None and array.nbytes <= COPIED_UP_TO and not BORROWED:
        flags = array.flags
        if flags.c_contiguous and flags.writeable and flags.owndata:  # as below, at half the cost
            memory = array.copy()
            tensor = wrap(memory)
            session.touched = True
            tensors[key] = tensor
            session.arrays[id(tensor)] = (tensor, array, memory)
            return tensor
    owner = owner_of(array)
    tensor = tensors.get(id(owner))
    if tensor is None and (is_borrowed(owner) or is_seen_plainly(owner)):
        tensor = borrow(record, owner)
    elif tensor is None:
        last = STANDING.get(id(owner))
        if last is not None and last.is_fit(owner):
            tensor = last.tensor
            if last.copied is None:
                lend(tensor, session.arguments is None)
        else:
            tensor = wrap(memory_for(record, owner))
            if tensor._array is owner:
                mark_saved(tensor)  # shared after all: the first write goes to a copy
            if tensor._array is owner:
                lend(tensor, session.arguments is None)
        _note(owner, tensor)
    if array is owner:
        return tensor
    view = view_of(array, owner, tensor)
    _note(array, view)
    return view


def _owner_is_noted(found: Standing) -> bool:
    """Whether the owner of a view has the tensor in this call that is the owner of this one."""
    owner = found.owner
    if owner is None:
        return True
    base = owner.array()
    if SESSION.tensors.get(id(base)) is None:
        _note(base, owner.tensor)
    return SESSION.tensors.get(id(base)) is owner.tensor


def owner_of(array: Any) -> Any:
    """The array that owns the memory of a view; the array itself if no other one does.

    Only what has a tensor counts: an array of records, of another byte order or of a derived class
    has none.
    """
    base = array.base
    while base is not None:
        if type(base) is memoryview:
            base = base.obj
        elif type(base).__name__ == "DummyArray":  # NumPy's as_strided puts it between
            base = base.base
        if type(base) is not np.ndarray or not is_held(base.dtype):
            return array
        array, base = base, base.base
    return array


def lend(tensor: Any, lent: bool) -> None:
    """Have graphs keep copies of memory that is shared with the user, or not.

    A derivative has no need of them: it is done before the user can write there.
    """
    if tensor._array.flags.writeable:
        family_of(tensor).storage.lent = lent


# -- memory that others see too -------------------------------------------------------------------


def is_seen_plainly(owner: Any) -> bool:
    """Whether memory of an array is seen by plain arrays or others in this call."""
    if not BORROWED:
        return False
    first, last = extent(owner)
    return any(first < end and start < last for start, end in BORROWED)


def see_plainly(array: Any) -> None:
    """Note that lifted code has an array that stays plain: tensors share its memory from now on."""
    part = extent(array)
    BORROWED.append(part)
    SESSION.touched = True
    for tensor, other, _ in [*SESSION.arrays.values()]:
        first, last = extent(other)
        if first < part[1] and part[0] < last:
            _share(tensor, owner_of(other))


def borrow(record: Running, owner: Any) -> Any:
    """A tensor over memory that others see too, noted for this call."""
    see_plainly(owner)
    tensor = wrap(owner)
    lent = record.writes or owner.nbytes <= COPIED_UP_TO or SESSION.arguments is None
    _pin(tensor, owner, lent)
    _note(owner, tensor)
    return tensor


def _pin(tensor: Any, owner: Any, lent: bool) -> None:
    pin(tensor)
    storage = family_of(tensor).storage
    storage.lent = lent
    storage.borrowed = type(owner.base).__name__ != "_MemInfo"  # Numba's, which only arrays see


def _share(tensor: Any, owner: Any) -> None:
    """Move a tensor which stands for an array, and its views, to the memory of the array."""
    family = family_of(tensor)
    storage = family.storage
    if storage.pinned:
        return
    moves = tensor._array is not owner
    if storage.version or family.node is not None or (moves and not storage.borrow(owner)):
        raise GradientError(
            "a lifted function has two arrays over one memory, where one of them is no array of "
            "numbers or has its memory from elsewhere (a buffer, DLPack), and has written to the "
            "other: make both views of one array, or one of them a copy, np.array(...)"
        )
    for key, (other, array, _) in [*SESSION.arrays.items()]:
        if other._family is not None and other._family.storage is storage:
            SESSION.arrays[key] = (other, array, other._array)
    _pin(tensor, owner, True)


def view_of(array: Any, owner: Any, tensor: Any) -> Any:
    """A tensor that lies in the one which stands for the owner as the array lies in the owner."""
    moved = array
    if tensor._array is not owner:  # other memory
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        memory = tensor._array
        if not memory.flags.forc:  # in neither order: what it holds, as it lies in memory
            memory = memory.ravel(order="K")
        moved = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
        moved.flags.writeable = array.flags.writeable
    view = wrap(moved)
    join_family(view, tensor)
    return view


def memory_for(record: Running, owner: Any) -> Any:
    """The memory of a tensor that stands for an array which owns its own: a copy, or the same."""
    flags = owner.flags
    if not flags.writeable or (owner.nbytes > COPIED_UP_TO and not record.writes):
        return owner
    if flags.c_contiguous:
        return owner.copy()
    made = owner.copy(order="K")
    return made if made.strides == owner.strides else owner


def _note(array: Any, tensor: Any) -> None:
    SESSION.touched = True
    SESSION.tensors[id(array)] = tensor
    SESSION.arrays[id(tensor)] = (tensor, array, tensor._array)
