"""Twin classes: what lifted code has in the place of a class of the user.

A twin equals the user's class and hashes like it, so that tables keyed by classes work. Most twins
stand beside the user's class, on the twins of its bases. Where that cannot be (objects may only
change to a class of the same memory layout, ``except`` asks for real subclasses, members belong to
their enumeration) a twin is derived from it, with all of the class's own entries: what comes from
the user's class then is its layout alone.
"""

from __future__ import annotations

import abc
import contextlib
import copyreg
import enum
import functools
import operator
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._detach import LIFTED_MARK
from ..numpy._vectorize import Vectorize
from . import reach
from .session import SESSION

if TYPE_CHECKING:
    from .lifter import Lifter, Visit

Cells = dict[int, tuple[Any, Any]]


class Originals:
    """Which class or function of the user a twin stands for, known by identity."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, Any]] = {}

    def remember(self, twin: Any, original: Any) -> None:
        """Note what a twin stands for, as long as it lives."""
        key = id(twin)
        forget = weakref.ref(twin, lambda _: self._found.pop(key, None))
        self._found[key] = (forget, weakref.ref(original))

    def get(self, twin: Any) -> Any:
        """The original, or None."""
        found = self._found.get(id(twin))
        return None if found is None else found[1]()


ORIGINALS = Originals()  # of all twins of all lifters


def wants_twin(cls: Any, is_users: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether a class is the user's and has anything that lifting changes."""
    if issubclass(cls, np.ndarray | type | Warning) or reach.is_compiled(cls):
        return False  # NumPy's own memory, which holds no tensors; classes that libraries look up
    home = reach.home_of(cls)
    if home is None or LIFTED_MARK in home or not is_users(home):
        return False  # a class made by lifted code has lifted methods already
    if issubclass(cls, BaseException | enum.Enum):
        return _has_code(cls, is_users)  # without code of its own it is used by identity alone
    return True


def _has_code(cls: type, is_users: Callable[[dict[str, Any]], bool]) -> bool:
    for base in cls.__mro__:
        for value in vars(base).values():
            if any(is_users(f.__globals__) for f in reach.functions_of(value)):
                return True
    return issubclass(cls, enum.Enum) and any(
        isinstance(member.value, functools.partial) or reach.functions_of(member.value)
        for member in cls
    )


def is_derived(cls: type) -> bool:
    """Whether a twin must be derived from the class itself."""
    if issubclass(cls, BaseException | enum.Enum):
        return True
    return any(vars(base).get("__slots__") for base in cls.__mro__)


# Classes of NumPy's with the same attributes as ours.
_OURS: dict[Any, Any] = {np.vectorize: Vectorize}

# Entries of a class that belong to it alone.
OWN = frozenset({"__dict__", "__weakref__", "_abc_impl"})


def build(lifter: Lifter, cls: Any, visit: Visit, cells: Cells) -> tuple[Any, Cells]:
    """A twin whose entries are the user's own still, and the cells that its methods get.

    Raises
    ------
    TypeError
        A base or metaclass allows no second class like this one.
    """
    bases = tuple(
        _OURS.get(base) or lifter.twin_class(base, visit, cells) for base in cls.__bases__
    )
    derived = is_derived(cls)
    if derived:
        bases = (cls, *(b for b in bases if b is not object))  # the first one's layout is taken
    entries = {name: value for name, value in vars(cls).items() if name not in OWN}
    if derived:
        entries["__slots__"] = ()
    else:
        members = types.MemberDescriptorType
        entries = {n: v for n, v in entries.items() if not isinstance(v, members)}
    entries.pop("__init_subclass__", None)
    # A descriptor of the user's is not to be told of a second owner. A property may be, and one of
    # the name __name__ can be bound in no other way than by an entry.
    told = {
        name: value for name, value in entries.items()
        if hasattr(type(value), "__set_name__") and type(value) is not property
    }  # fmt: skip
    entries = {n: v for n, v in entries.items() if n not in told}
    meta = twin_meta(lifter, type(cls), visit, derived)
    make: Any = type.__new__
    if issubclass(meta, abc.ABCMeta):
        if issubclass(meta, enum.EnumMeta):
            raise TypeError("an abstract enumeration")
        make = abc.ABCMeta.__new__
    with _quiet():
        _building.order = _mirrored(lifter, cls) if derived else None
        twin: Any = make(meta, cls.__name__, bases, entries)
    twin.__qualname__ = cls.__qualname__
    if derived:  # code may read what it said
        if "__slots__" in vars(cls):
            type.__setattr__(twin, "__slots__", vars(cls)["__slots__"])
        else:
            type.__delattr__(twin, "__slots__")
    for name, value in told.items():
        type.__setattr__(twin, name, value)
    if issubclass(meta, abc.ABCMeta):
        twin.__abstractmethods__ = cls.__abstractmethods__
    return twin, own_cells(cls, twin, cells)


def _mirrored(lifter: Lifter, cls: Any) -> list[Any]:
    """The method resolution order of a derived twin, without itself.

    The twins in the order of the classes that they stand for, so that super() goes from one to the
    next and ends where it ended; behind all that, for their layout alone, the classes themselves.
    """
    twins = [lifter.classes.get(base, base) for base in cls.__mro__[1:]]
    known = set(map(id, twins))  # by identity: a twin equals its class
    return [*twins, *(base for base in cls.__mro__ if id(base) not in known)]


def _order(cls: Any) -> list[Any]:
    order = getattr(_building, "order", None)
    if order is None:
        return type.mro(cls)
    _building.order = None
    return [cls, *order]


def own_cells(cls: Any, twin: Any, cells: Cells) -> Cells:
    """Cells for methods: that of the class, which super() looks at, holds the twin."""
    own_cell = types.CellType(twin)
    own = {**cells}
    for value in vars(cls).values():
        for f in reach.functions_of(value):
            for cell in f.__closure__ or ():
                if contents(cell) is cls:
                    own[id(cell)] = (cell, own_cell)
    return own


def contents(cell: Any) -> Any:
    """What a closure cell holds; None if it is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


# -- metaclasses ----------------------------------------------------------------------------------


def _equals(cls: Any, other: Any) -> Any:
    if cls is other:
        return True
    if not isinstance(other, type):
        return NotImplemented
    mine, theirs = ORIGINALS.get(cls) or cls, ORIGINALS.get(other) or other
    return mine is theirs


def _hashed(cls: Any) -> int:
    return type.__hash__(ORIGINALS.get(cls) or cls)


def _subclasses(cls: Any) -> list[Any]:
    """The twins of the original's subclasses, and those that lifted code has made."""
    own = [c for c in type.__subclasses__(cls) if ORIGINALS.get(c) is None]
    original = ORIGINALS.get(cls)
    if original is None:
        return own
    users = [c for c in type.__subclasses__(original) if ORIGINALS.get(c) is None]
    return [*map(SESSION.visit, users), *own]


def _noted(method: Any) -> Any:
    """What binds an entry of a twin class, for the user's class to get it too."""

    def bind(cls: Any, name: str, *args: Any) -> None:
        SESSION.rebound = True
        SESSION.bound.append((cls, name))
        method(cls, name, *args)

    return functools.wraps(method)(bind)


def _is_subclass(cls: Any, other: Any) -> bool:
    """Whether ``issubclass`` holds; classes may be registered with the user's abstract class."""
    if abc.ABCMeta.__subclasscheck__(cls, other):
        return True
    original = ORIGINALS.get(cls)
    return original is not None and issubclass(ORIGINALS.get(other) or other, original)


def twin_meta(lifter: Lifter, meta: Any, visit: Visit, derived: bool = False) -> Any:
    """The class of twins, derived or not, of classes of class `meta`."""
    known = lifter.metas.setdefault(meta, {})
    if derived not in known:
        if derived:
            bases = (twin_meta(lifter, meta, visit),)
            known[True] = type.__new__(type(meta), meta.__name__, bases, {"mro": _order})
        else:
            known[False] = _built_meta(lifter, meta, visit)
        copyreg.pickle(known[derived], pickled)
    return known[derived]


def _built_meta(lifter: Lifter, meta: Any, visit: Visit) -> Any:
    entries: dict[str, Any] = {
        "__module__": meta.__module__,
        "__qualname__": meta.__qualname__,
        "__subclasses__": _subclasses,
        "__setattr__": _noted(meta.__setattr__),
        "__delattr__": _noted(meta.__delattr__),
    }
    if meta.__eq__ is type.__eq__ and meta.__hash__ is type.__hash__:
        entries |= {"__eq__": _equals, "__hash__": _hashed}
    if issubclass(meta, abc.ABCMeta) and meta.__subclasscheck__ is abc.ABCMeta.__subclasscheck__:
        entries["__subclasscheck__"] = _is_subclass
    above = (twin_meta(lifter, b, visit) for b in meta.__bases__ if issubclass(b, type))
    made: Any = type.__new__(type(meta), meta.__name__, (meta, *above), entries)
    cells: Cells = {}
    for name, value in vars(meta).items():
        functions = reach.functions_of(value)
        if name in ("__new__", "__init_subclass__") or not any(
            lifter.is_users(f.__globals__) for f in functions
        ):
            continue
        own = [c for f in functions for c in f.__closure__ or () if contents(c) is meta]
        cells |= {id(cell): (cell, cell) for cell in own}  # what super() looks at
        member = lifter.member(value, visit, cells)
        if name in ("__setattr__", "__delattr__"):
            member = _noted(member)
        type.__setattr__(made, name, member)
    lifter.class_cells[meta] = [pair for pair in cells.values() if pair[0] is not pair[1]]
    return made


def pickled(twin: Any) -> Any:
    """How pickle writes a twin: as the user's own class or function, found by its name."""
    original = ORIGINALS.get(twin)
    if original is None:
        return str(twin.__qualname__)
    return operator.getitem, ((original,), 0)


# -- __init_subclass__ ----------------------------------------------------------------------------

_building = threading.local()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """While twins are built no ``__init_subclass__`` of the user hears of them."""
    before = getattr(_building, "active", False)
    _building.active = True
    try:
        yield
    finally:
        _building.active = before


def quieted(hook: Any) -> Any:
    """An ``__init_subclass__`` that does not hear of twins."""
    heard = getattr(hook, "__func__", hook)

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:
        if not getattr(_building, "active", False):
            heard(cls, **kwargs)

    return classmethod(__init_subclass__)
