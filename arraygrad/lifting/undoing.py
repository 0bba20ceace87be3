"""All that a second run of a function may change, as it is before it, and how to have it so again.

From the function, its arguments and the names that its code mentions everything is followed that
code can reach: containers, attributes of objects, classes and functions, variables, names, arrays,
random numbers. What is met must be known to be no state, or to be one that can be put back; of
anything else (an iterator, a file, an object of a library written in C) it cannot be told what a
run would leave there, and the function is not run a second time.
"""

from __future__ import annotations

import contextlib
import contextvars
import datetime
import decimal
import functools
import operator
import random
import re
import threading
import types
import typing
import weakref
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._storage import TensorBase, mark_saved
from . import items, reach
from .lifter import SCOPE
from .session import ABSENT, INERT, SESSION
from .twin_classes import ORIGINALS, OWN

if TYPE_CHECKING:
    from .running import Running

_LARGEST = 1 << 20  # bytes of one array that is copied; those that tensors hold are not
_MOST = 50_000  # objects that are followed

# By these names code gets at files, processes and the like. (Streams and iterators that are there
# already are met as objects.)
_OUTSIDE = frozenset({
    "open", "write_text", "write_bytes", "save", "savez", "savez_compressed", "savetxt", "tofile",
    "input", "mkdir", "unlink", "rmtree", "system", "popen", "Popen", "environ", "putenv", "socket",
    "sqlite3", "shelve", "dbm", "mmap", "ctypes", "subprocess", "logging", "shutil", "tempfile",
    "multiprocessing", "asyncio", "atexit", "signal", "memmap", "open_memmap",
})  # fmt: skip
# Modules of Python's own that keep what is done with them.
_STATEFUL = (
    "logging", "io", "_io", "sqlite3", "socket", "subprocess", "asyncio", "multiprocessing",
    "shelve", "dbm", "mmap", "ctypes", "concurrent",
)  # fmt: skip
_NUMBERS = ("numpy", "scipy", "arraygrad", "arraygrad_kernels", "numba")  # hold none of the user's

_STILL = INERT | frozenset({
    type(NotImplemented), types.CodeType, types.GenericAlias, types.UnionType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType, np.ufunc,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, decimal.Decimal,
    datetime.date, datetime.time, datetime.datetime,
    datetime.timedelta, datetime.timezone, re.Pattern, re.Match, typing.TypeVar,
    type(threading.Lock()), type(threading.RLock()), functools._lru_cache_wrapper,
})  # fmt: skip


class CannotUndoError(Exception):
    """Something is reached of which it is not known how to put it back."""


class Undoing:
    """What all that a function reaches holds now.

    Raises
    ------
    CannotUndoError
        If something is reached that could not be put back.
    """

    def __init__(self, record: Running, *roots: Any) -> None:
        if is_outside(record):
            raise CannotUndoError
        self.record = record
        self.lifter = record.lifter
        self.known: dict[int, Any] = {}
        self.handlers: dict[int, Callable[[Undoing, Any], None]] = {}  # by ids of types
        self.puts: list[Callable[[], None]] = []
        self.todo: list[Any] = [*roots]
        self._note_names()
        self._note_others()
        while self.todo:
            value = self.todo.pop()
            if type(value) not in _STILL and id(value) not in self.known:
                self.known[id(value)] = value
                if len(self.known) > _MOST:
                    raise CannotUndoError
                self._note(value)

    def put_back(self) -> None:
        """Have all as it was."""
        for put in self.puts:
            put()

    # -- where to begin ---------------------------------------------------------------------------

    def _note_names(self) -> None:
        """Namespaces: all are put back, and what stands under the names of code is followed."""
        for scope in [*self.lifter._scopes.values()]:
            for namespace in (scope.raw, scope.twin):
                self.known[id(namespace)] = namespace
                self._put_dict(namespace)
        for check in [*self.record.checks.values()]:
            for name in {*check.names, *check.stored}:
                for namespace in (check.scope.raw, check.scope.twin):
                    if name in namespace and name != SCOPE:
                        self.todo.append(namespace[name])

    def _note_others(self) -> None:
        record, session = self.record, SESSION
        guests = record.guests.get(threading.get_ident())
        for holder in (record,) if guests is None else (record, guests):
            for pair in [*holder.cells.values(), *holder.closures.values()]:
                self.todo += pair
            for sync in [*holder.syncs.values(), *holder.attributes.values()]:
                self._note_sync(sync)
        for cls, sync in [*self.lifter.class_syncs.items()]:  # code may have them by any way
            self._put_class(cls)
            self._put_class(sync.twin)
        for twin in [*self.lifter.cell_twins.values()]:
            self._put_cell(twin.cell)
            self._put_cell(twin.twin)
        self.todo += [value for value, _ in session.seen.values()]
        self.todo += session.kept.values()
        self.todo += [tensor for tensor, _, _ in session.arrays.values()]
        for pair in session.replaced.values():
            self.todo += pair
        generator = np.random.mtrand._rand
        self.puts.append(functools.partial(generator.set_state, generator.get_state()))
        self.puts.append(functools.partial(random.setstate, random.getstate()))

    def _note_sync(self, sync: Any) -> None:
        for name in ("cls", "meta", "cell", "f", "twin"):
            value = getattr(sync, name, None)
            if value is not None:
                self.todo.append(
                    value()
                    if name == "twin"
                    and callable(value)
                    and not isinstance(value, type | types.FunctionType)
                    else value
                )

    # -- by kind ----------------------------------------------------------------------------------

    def _note(self, value: Any) -> None:
        if isinstance(value, type):
            self._class(value)
        elif isinstance(value, TensorBase):
            self._tensor(value)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            self.todo.append(value.__self__)
        else:
            kind = type(value)
            handler = self.handlers.get(id(kind))  # to hash a twin takes longer
            if handler is None:
                handler = self.handlers[id(kind)] = _handler(kind)
            handler(self, value)
            self._attributes(value, kind)

    def _attributes(self, value: Any, kind: type) -> None:
        module = str(kind.__module__)
        if module.startswith("arraygrad."):
            return
        if module.partition(".")[0] in _STATEFUL:
            raise CannotUndoError
        try:
            namespace = object.__getattribute__(value, "__dict__")
        except AttributeError:
            namespace = None
        if type(namespace) is dict:
            self.todo.append(namespace)
        if kind.__flags__ & items._MADE_BY_PYTHON:
            self._put_slots(value, items._slots(kind))
            self.todo.append(kind)
            self.puts.append(functools.partial(_put_kind, value, kind, namespace))

    def _class(self, cls: type) -> None:
        original = ORIGINALS.get(cls)
        if original is not None:
            self.todo.append(original)
        elif cls.__module__ in ("builtins", "typing", "abc") or not (
            cls in self.lifter.class_syncs or self.lifter.is_users_class(cls)
        ):
            return
        self.todo += cls.__mro__[1:]
        self.todo.append(type(cls))
        for value in self._put_class(cls).values():
            if isinstance(value, reach.DESCRIPTORS):
                self.todo += reach.functions_of(value)
            else:
                self.todo.append(value)

    def _put_class(self, cls: type) -> dict[str, Any]:
        held = {name: value for name, value in vars(cls).items() if name not in OWN}
        self.puts.append(functools.partial(_put_entries, cls, held))
        return held

    def _function(self, f: Any) -> None:
        original = ORIGINALS.get(f)
        if original is not None:
            self.todo.append(original)
        self.todo += (f.__dict__, *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
        home = str(f.__globals__.get("__name__", "")).partition(".")[0]
        if home not in ("arraygrad", "numpy", "scipy"):
            self.todo += f.__closure__ or ()
        if SCOPE in f.__globals__ or self.lifter.is_users(f.__globals__):
            self.puts.append(functools.partial(setattr, f, "__defaults__", f.__defaults__))

    def _tensor(self, tensor: Any) -> None:
        """Its memory is kept by the library itself: the next write goes to a copy."""
        family = tensor._family
        if family is None:
            mark_saved(tensor)
        else:
            storage = family.storage
            self.todo += storage.tensors()
            if id(storage) not in self.known:
                self.known[id(storage)] = storage
                self._storage(storage)
            if id(family) not in self.known:
                self.known[id(family)] = family
                self.puts.append(_slots_put(family, ("node", "epoch")))
        grad = getattr(tensor, "_grad", None)
        if grad is not None:
            self.todo.append(grad)
        names = ("_array", "_node", "_family", "_epoch", "_saved", "_grad")
        self.puts.append(_slots_put(tensor, names))

    def _storage(self, storage: Any) -> None:
        if storage.pinned:
            self._elements(storage._array)
            return
        storage.saved = True
        self.puts.append(_slots_put(storage, ("_array", "_address", "saved")))

    def _array(self, value: Any) -> None:
        if id(value) not in SESSION.tensors:  # else code has the tensor, and writes there
            self._elements(value)

    def _elements(self, value: Any) -> None:
        if value.dtype.hasobject:
            self.todo += value.ravel().tolist() if value.dtype.names is None else ()
        if not value.flags.writeable:
            return
        if value.nbytes > _LARGEST:
            if self.record.writes:
                raise CannotUndoError
            return
        self.puts.append(functools.partial(_put_elements, value, value.copy()))

    def _dict(self, value: Any) -> None:
        if items.is_everybodys(value):
            return
        for key, item in self._put_dict(value).items():
            self.todo += (key, item)
        if isinstance(value, defaultdict):
            self.todo.append(value.default_factory)

    def _put_dict(self, value: Any) -> dict[Any, Any]:
        held = dict(
            OrderedDict.items(value) if isinstance(value, OrderedDict) else dict.items(value)
        )
        self.puts.append(functools.partial(_put_dict, value, held))
        return held

    def _list(self, value: Any) -> None:
        held = [*value]
        self.todo += held
        base: Any = list if isinstance(value, list) else deque
        self.puts.append(functools.partial(_put_list, value, base, held))

    def _set(self, value: Any) -> None:
        held = [*set.__iter__(value)]
        self.todo += held
        self.puts.append(functools.partial(_put_set, value, held))

    def _bytes(self, value: Any) -> None:
        self.puts.append(functools.partial(_put_bytes, value, value[:]))

    def _tuple(self, value: Any) -> None:
        self.todo += value

    def _cell(self, value: Any) -> None:
        self.todo += self._put_cell(value)

    def _put_cell(self, cell: Any) -> list[Any]:
        try:
            held = [cell.cell_contents]
        except ValueError:  # not bound
            held = []
        self.puts.append(functools.partial(_put_cell, cell, held))
        return held

    def _put_slots(self, value: Any, slots: list[tuple[str, Any]]) -> None:
        for _, member in slots:
            if reach.is_compiled(member.__objclass__):
                continue  # a part that is set once
            try:
                held = member.__get__(value)
            except AttributeError:  # not bound
                held = ABSENT
            else:
                self.todo.append(held)
            self.puts.append(functools.partial(_put_member, value, member, held))

    def _memory(self, value: Any) -> None:
        if isinstance(value.obj, np.ndarray):
            self._elements(value.obj)
        self.todo.append(value.obj)

    def _parts(self, value: Any) -> None:
        for name in ("func", "args", "keywords", "__func__", "__self__", "fget", "fset", "fdel",
                     "__wrapped__"):  # fmt: skip
            self.todo.append(getattr(value, name, None))

    def _proxy(self, value: Any) -> None:
        self.todo += value.values()

    def _reference(self, value: Any) -> None:
        self.todo.append(value())

    def _variable(self, value: Any) -> None:
        self.todo.append(value.get(None))  # the variable itself: see `apart`

    def _random(self, value: Any) -> None:
        self.puts.append(functools.partial(value.setstate, value.getstate()))

    def _generator(self, value: Any) -> None:
        self.todo.append(value.bit_generator)

    def _legacy(self, value: Any) -> None:
        self.puts.append(functools.partial(value.set_state, value.get_state()))

    def _bits(self, value: Any) -> None:
        self.puts.append(functools.partial(setattr, value, "state", value.state))

    def _nothing(self, value: Any) -> None:
        """It holds nothing itself."""


_RANDOM: Any = random.Random.__base__  # in C
_KINDS: dict[type, Callable[[Undoing, Any], None]] = {
    dict: Undoing._dict, list: Undoing._list, deque: Undoing._list, set: Undoing._set,
    bytearray: Undoing._bytes, array: Undoing._bytes, memoryview: Undoing._memory,
    tuple: Undoing._tuple, frozenset: Undoing._tuple, types.CellType: Undoing._cell,
    np.ndarray: Undoing._array, functools.partial: Undoing._parts,
    types.MethodType: Undoing._parts, staticmethod: Undoing._parts, classmethod: Undoing._parts,
    property: Undoing._parts, BaseException: Undoing._parts, types.MappingProxyType: Undoing._proxy,
    weakref.ref: Undoing._reference, contextvars.ContextVar: Undoing._variable,
    _RANDOM: Undoing._random, np.random.Generator: Undoing._generator,
    np.random.RandomState: Undoing._legacy, np.random.BitGenerator: Undoing._bits,
    types.SimpleNamespace: Undoing._nothing, threading.local: Undoing._nothing,
    np.generic: Undoing._nothing,
    **dict.fromkeys((int, float, complex, str, bytes), Undoing._nothing),
}  # fmt: skip


def _solid(kind: Any) -> Any:
    """The class written in C from which a class is derived."""
    while (
        kind not in _KINDS
        and kind not in _STILL
        and kind.__flags__ & items._MADE_BY_PYTHON
        and not reach.is_compiled(kind)
    ):
        kind = kind.__base__
    return kind


def _handler(kind: type) -> Callable[[Undoing, Any], None]:
    """What notes an object of a class, but for its attributes."""
    solid = _solid(kind)
    for base in solid.__mro__:
        if base in _KINDS:
            return _KINDS[base]
    home = str(solid.__module__).partition(".")[0]
    if solid is object or solid in _STILL:
        return Undoing._nothing
    if (home in _NUMBERS or hasattr(solid, "__get__")) and not hasattr(solid, "__next__"):
        return Undoing._nothing
    raise CannotUndoError


def is_outside(record: Running) -> bool:
    """Whether code may reach what is outside of Python: files, processes."""
    count, found = record.outside
    if count != len(record.codes):
        found = not _OUTSIDE.isdisjoint(_mentioned(record))
        record.outside = len(record.codes), found
    return found


def _mentioned(record: Running) -> set[str]:
    """The names in code that the target runs, as far as code mentions other code by its name.

    Where one function makes up names at run time, all of its module is reached; most is not run.
    """
    codes = [code for code in record.codes if isinstance(code, types.CodeType)]
    names = {getattr(record.target, "__name__", "__call__")}
    while True:
        run = [c for c in codes if c.co_name in names or c.co_name[0] in "_<"]
        if not run:
            return names
        codes = [c for c in codes if c not in run]
        for code in run:
            names |= reach.facts(code).names


def apart(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function; of context variables that it sets no trace is left."""
    return contextvars.copy_context().run(function, *args, **kwargs)


# -- putting back ----------------------------------------------------------------------------------


def _put_dict(owner: Any, held: dict[Any, Any]) -> None:
    base: Any = OrderedDict if isinstance(owner, OrderedDict) else dict
    if len(owner) == len(held) and all(
        a is b and v is w for (a, v), (b, w) in zip(base.items(owner), held.items(), strict=True)
    ):
        return
    if SCOPE in held or "__builtins__" in held:  # a namespace: other threads may use it
        for name in owner.keys() - held.keys():
            del owner[name]
        owner.update({k: v for k, v in held.items() if owner.get(k, ABSENT) is not v})
        return
    base.clear(owner)
    base.update(owner, held)


def _put_list(owner: Any, base: Any, held: list[Any]) -> None:
    if len(owner) != len(held) or not all(map(operator.is_, base.__iter__(owner), held)):
        base.clear(owner)
        base.extend(owner, held)


def _put_set(owner: Any, held: list[Any]) -> None:
    now = {id(item) for item in set.__iter__(owner)}
    if now != {id(item) for item in held}:
        set.clear(owner)
        set.update(owner, held)


def _put_bytes(owner: Any, held: Any) -> None:
    if owner != held:
        owner[:] = held


def _put_elements(owner: Any, held: Any) -> None:
    owner[...] = held


def _put_cell(cell: Any, held: list[Any]) -> None:
    if held:
        cell.cell_contents = held[0]
    else:
        with contextlib.suppress(ValueError):  # not bound
            del cell.cell_contents


def _put_member(owner: Any, member: Any, held: Any) -> None:
    now = ABSENT
    with contextlib.suppress(AttributeError):  # not bound
        now = member.__get__(owner)
    if held is not ABSENT and now is not held:
        member.__set__(owner, held)
    elif held is ABSENT and now is not ABSENT:
        member.__delete__(owner)


def _put_kind(owner: Any, kind: type, namespace: Any) -> None:
    if type(owner) is not kind:
        items.set_class(owner, kind)
    if namespace is not None and object.__getattribute__(owner, "__dict__") is not namespace:
        object.__setattr__(owner, "__dict__", namespace)


def _put_entries(cls: type, held: dict[str, Any]) -> None:
    now = vars(cls)
    for name in [name for name in now if name not in held and name not in OWN]:
        type.__delattr__(cls, name)
    for name, value in held.items():
        if now.get(name, ABSENT) is not value:
            type.__setattr__(cls, name, value)


def _slots_put(owner: Any, names: Iterable[str]) -> Callable[[], None]:
    held = [(name, getattr(owner, name, ABSENT)) for name in names]

    def put() -> None:
        for name, value in held:
            if value is not ABSENT:
                setattr(owner, name, value)
            elif hasattr(owner, name):
                delattr(owner, name)

    return put
