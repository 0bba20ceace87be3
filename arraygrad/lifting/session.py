"""What is changed for the time that lifted code runs, and which values need no change."""

from __future__ import annotations

import threading
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _compiled
from .._apply import node_of
from .._detach import LATEST, watch_keys
from .._graph import SEQ
from .._storage import TensorBase

# Values that are the same in lifted code and outside, and hold nothing.
INERT = frozenset({
    int, float, complex, bool, str, bytes, type(None), range, slice, type(Ellipsis), np.dtype,
    *(np.dtype(c).type for c in "?bhilqBHILQefdFD"),
})  # fmt: skip
CONTAINERS = (list, dict, deque, defaultdict, OrderedDict, types.SimpleNamespace)
ABSENT: Any = object()


_List: Any = list if _compiled.ROADS is None else _compiled.ROADS.QuickRecords


class Records(_List):  # type: ignore[misc]
    """The records of the lifted calls that a thread is in, outermost first.

    latest : dict
        What `LATEST` holds for the thread; to ask the thread for it twice a call would cost more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.latest: dict[str, Any] = vars(LATEST)


class Session(_compiled.base("QuickSession")):  # type: ignore[misc]
    """What has been made fit since the outermost lifted call began, for all threads together."""

    def __init__(self) -> None:
        self.threads: list[weakref.ref[Records]] = []  # what each thread is in
        self.lock = threading.RLock()
        # What lifted code has in the place of a value, in the call that is running; set by calls.py
        self.visit: Callable[[Any], Any] = lambda value: value
        self.rebound = False  # whether lifted code has bound an entry of a class
        self.bound: list[tuple[Any, str]] = []  # which: twin, name
        self.touched = False  # whether anything below may have been filled
        self.seen: dict[int, Any] = {}  # containers and objects that were made fit
        self.tensors: dict[int, Any] = {}  # id(array) -> its tensor
        # id(tensor) -> the tensor, the array that it stands for, and the memory that it had then
        self.arrays: dict[int, tuple[Any, Any, Any]] = {}
        self.kept: dict[int, Any] = {}  # tensors that the user's own containers held before
        self.replaced: dict[int, tuple[Any, Any]] = {}  # id(new) -> (new, old)
        # Places where the user's own objects name what stands for something of NumPy.
        self.users: set[tuple[int, Any]] = set()
        self.suspects: dict[int, Any] = {}  # id(tensor) -> its kept.Suspect
        self.arguments: Any = None  # of the outermost call, if it is one for a derivative
        # What makes twins of names and attributes forget the tensors of this call.
        self.lent: list[Callable[[], None]] = []
        self.pending: Any = None  # what the running call has handed over, if that is not below
        self.left = 0  # how many tensors of a graph were left in objects of the user
        # Hashes of tracked scalars, which are keys perhaps, and where each came from.
        self.keys: dict[int, int] = {}
        self.merged = False  # whether two of the same value came from elsewhere
        self.quiet = 0  # the thread that runs code again, which has said what it had to say
        self.prints: Any = None  # of the arguments, once they are asked for

    def clear(self) -> None:
        """Forget everything: nothing is changed now."""
        self.touched = False
        if self.seen:
            self.seen.clear()
        if self.arrays:
            self.tensors.clear()
            self.arrays.clear()
        if self.kept:
            self.kept.clear()
        if self.replaced:
            self.replaced.clear()
        if self.users:
            self.users.clear()
        if self.suspects:
            self.suspects.clear()
        if self.keys:
            self.keys.clear()
            self.merged = False
        if self.lent:
            self.take_back()
        self.arguments = self.prints = None

    def take_back(self) -> None:
        """Have what was lent pulled again in the next call."""
        for forget in self.lent:
            forget()
        self.lent.clear()

    def is_running(self) -> bool:
        """Whether lifted code runs, in any thread."""
        for thread in self.threads:
            if thread():
                return True
        self.threads[:] = [thread for thread in self.threads if thread() is not None]
        return False


SESSION = Session()


class _Thread(threading.local):
    def __init__(self) -> None:
        self.records = Records()
        with SESSION.lock:
            alive = [thread for thread in SESSION.threads if thread() is not None]
            SESSION.threads[:] = [*alive, weakref.ref(self.records)]


THREAD = _Thread()


def _note_key(x: Any, value: int) -> None:
    if THREAD.records:
        SESSION.touched = True
        origin = node_of(x)[SEQ]  # type: ignore[index]  # it is tracked
        if SESSION.keys.setdefault(value, origin) != origin:
            SESSION.merged = True


watch_keys(_note_key)


def is_live(value: Any) -> bool:
    """Whether what stands for a value must be looked at anew in each call."""
    kind = type(value)
    if kind in INERT or isinstance(value, types.FunctionType | types.ModuleType | type):
        return False
    if isinstance(value, types.BuiltinFunctionType | np.ufunc | TensorBase):
        return False
    if kind is tuple:
        return any(map(is_live, value))
    return True
