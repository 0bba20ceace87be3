"""Running lifted functions: what must hold while lifted code runs is set up and undone here.

Entering the outermost lifted call, values that lifted code will meet are made fit: objects of the
user's classes change to the twin class, arrays on them and in globals and closures become tensors
(sharing memory until something is written), functions in containers become twins. Leaving it, all
of this is undone: objects have their own class again, arrays are the same objects with the new
values written into them, globals and closure variables that were rebound are rebound in the
user's namespace. Only what the function can reach is looked at.
"""

from __future__ import annotations

import functools
import operator
import threading
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .._apply import _Types, wrap
from .._dtypes import is_supported
from .._storage import TensorBase, family_of, join_family
from ..numpy import random as tensor_random
from . import reach, rebinding, stand_ins
from .lifter import SCOPE, Lifter, Scope, functions_of, lifter_for

_INERT = frozenset({
    int, float, complex, bool, str, bytes, type(None), range, slice, type(Ellipsis), np.dtype,
    *(np.dtype(c).type for c in "?bhilqBHILQefdFD"),
})  # fmt: skip
_ARGUMENTS = _INERT | {_Types.tensor, _Types.scalar}  # what is handed over as it is
_CONTAINERS = (list, dict, deque, defaultdict, OrderedDict, types.SimpleNamespace)
_ABSENT: Any = object()


class Session:
    """What has been made fit since the outermost lifted call began, for all threads together."""

    def __init__(self) -> None:
        self.calls = 0
        self.lock = threading.RLock()
        self.start()

    def start(self) -> None:
        self.seen: dict[int, Any] = {}  # containers and objects that were made fit
        self.tensors: dict[int, Any] = {}  # id(array) -> its tensor
        self.arrays: dict[int, tuple[Any, Any]] = {}  # id(tensor) -> (tensor, array)
        self.kept: dict[int, Any] = {}  # tensors that the user's own containers held before
        self.replaced: dict[int, tuple[Any, Any]] = {}  # id(new) -> (new, old)


SESSION = Session()


class _Thread(threading.local):
    """The records of the lifted calls that this thread is in, outermost first."""

    def __init__(self) -> None:
        self.records: list[Record] = []


_THREAD = _Thread()


class Check:
    """Keeps the names of one scope that a record reaches in step with the user's namespace."""

    __slots__ = ("getter", "live", "names", "scope", "stored", "values", "written")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.names: tuple[str, ...] = ()
        self.stored: frozenset[str] = frozenset()  # names that code binds, here or elsewhere
        self.add(frozenset(), frozenset())

    def add(self, names: Iterable[str], stored: frozenset[str]) -> None:
        """Take up more names; the next pull binds them."""
        self.names += tuple(sorted(names))
        self.stored |= stored
        self.values: tuple[Any, ...] = ()
        self.live: list[str] = []
        self.written: dict[str, Any] = {}
        # All values at the speed of C.
        self.getter: Any = operator.itemgetter(*self.names) if len(self.names) > 1 else None

    def pull(self, record: Record) -> None:
        """Bring the twin up to date; a fraction of a microsecond where nothing has changed."""
        raw = self.scope.raw
        if self.getter is not None and self.values:
            try:
                if all(map(operator.is_, self.getter(raw), self.values)):
                    if self.live:
                        self._pull_names(self.live, record)
                    return
            except KeyError:
                pass
        values = tuple([raw.get(name, _ABSENT) for name in self.names])
        if len(values) == len(self.values) and all(map(operator.is_, values, self.values)):
            if self.live:
                self._pull_names(self.live, record)
            return
        names = self.names
        self.values = values
        self._pull_names(names, record)
        if self.names is names:  # else more were found on the way, and have been pulled
            self.live = [n for n, v in zip(names, values, strict=True) if is_live(v)]

    def _pull_names(self, names: Iterable[str], record: Record) -> None:
        raw = self.scope.raw
        twin = self.scope.twin
        for name in names:
            value = raw.get(name, _ABSENT)
            if value is _ABSENT:
                twin.pop(name, None)
            else:
                value = twin[name] = record.visit(value)
            if name in self.stored:
                self.written[name] = value

    def push(self, record: Record) -> None:
        """Bind in the user's namespace what lifted code has bound in the twin."""
        if not self.stored:
            return
        raw = self.scope.raw
        twin = self.scope.twin
        for name in self.stored:
            now = twin.get(name, _ABSENT)
            if now is self.written.get(name, raw.get(name, _ABSENT)):
                continue
            self.written[name] = now
            if now is _ABSENT:
                raw.pop(name, None)
            else:
                raw[name] = record.leave_value(now)
            if name in self.names:
                self.values = tuple([raw.get(n, _ABSENT) for n in self.names])
                if is_live(raw.get(name)) and name not in self.live:
                    self.live.append(name)
            else:
                self.add((name,), frozenset())
                record.ordered = None


class CellSync:
    """Keeps a twin closure cell in step with the user's."""

    __slots__ = ("cell", "live", "set", "twin", "value")

    def __init__(self, cell: Any, twin: Any) -> None:
        self.cell = cell
        self.twin = twin
        self.value: Any = _ABSENT
        self.set: Any = _ABSENT
        self.live = True

    def pull(self, record: Record) -> None:
        try:
            value = self.cell.cell_contents
        except ValueError:  # not bound yet
            return
        if value is self.value and not self.live:
            return
        self.value = value
        self.live = is_live(value)
        self.set = record.visit(value)
        self.twin.cell_contents = self.set

    def push(self, record: Record) -> None:
        try:
            now = self.twin.cell_contents
        except ValueError:
            return
        if now is not self.set:
            self.set = now
            self.value = self.cell.cell_contents = record.leave_value(now)
            self.live = True


class ClassSync:
    """Keeps the data attributes of a twin class in step with the user's class."""

    __slots__ = ("cls", "set", "twin", "values")

    def __init__(self, cls: Any, twin: Any) -> None:
        self.cls = cls
        self.twin = twin
        self.values = {n: v for n, v in vars(cls).items() if _is_data(n, v)}
        self.set: dict[str, Any] = dict(self.values)

    def pull(self, record: Record) -> None:
        own = vars(self.cls)
        for name in [*self.values]:
            value = own.get(name, _ABSENT)
            if value is not self.values[name] or is_live(value):
                new = record.visit(value)
                if new is not self.set.get(name):
                    type.__setattr__(self.twin, name, new)
                    self.set[name] = new
                self.values[name] = value

    def push(self, record: Record) -> None:
        for name, value in [*vars(self.twin).items()]:
            known = self.set.get(name, _ABSENT)
            if value is known or not _is_data(name, value):
                continue
            if known is _ABSENT and name in vars(self.cls):
                continue
            left = record.leave_value(value)
            type.__setattr__(self.cls, name, left)
            self.set[name] = value
            self.values[name] = left


def _is_data(name: str, value: Any) -> bool:
    if name.startswith("__") or hasattr(type(value), "__get__"):
        return False
    return not isinstance(value, types.FunctionType | type)


class DefaultsSync:
    """Keeps default arguments of a twin function (arrays, lists, functions) fit."""

    __slots__ = ("f", "twin")

    def __init__(self, f: Any, twin: Any) -> None:
        self.f = f
        self.twin = twin

    def pull(self, record: Record) -> None:
        if self.f.__defaults__:
            self.twin.__defaults__ = tuple(map(record.visit, self.f.__defaults__))
        if self.f.__kwdefaults__:
            self.twin.__kwdefaults__ = {
                k: record.visit(v) for k, v in self.f.__kwdefaults__.items()
            }

    def push(self, record: Record) -> None:
        return None


def is_live(value: Any) -> bool:
    """Whether what stands for a value must be looked at anew in each call."""
    kind = type(value)
    if kind in _INERT or isinstance(value, types.FunctionType | types.ModuleType | type):
        return False
    if isinstance(value, types.BuiltinFunctionType | np.ufunc | TensorBase):
        return False
    if kind is tuple:
        return any(map(is_live, value))
    return True


class Record:
    """One thing to lift (a function, method, object) and all that it reaches."""

    def __init__(self, target: Any, lifter: Lifter) -> None:
        self.target = target
        self.lifter = lifter
        self.ordered: tuple[Any, ...] | None = None  # checks and syncs, once all are known
        self.codes: set[Any] = set()
        self.classes: set[Any] = set()
        self.checks: dict[int, Check] = {}
        self.syncs: dict[int, Any] = {}
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.closures: dict[int, tuple[Any, Any]] = {}  # functions with cells of this record
        # Whether tensors that lifted code leaves behind in the user's objects become arrays.
        self.plain = True
        self.handlers: dict[type, Callable[[Record, Any], Any]] = dict(_HANDLERS)
        self.is_function = isinstance(target, types.FunctionType)
        self.twin: Any = None

    # -- entering and leaving ---------------------------------------------------------------------

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the target with what it reaches made fit."""
        records = _THREAD.records
        outermost = not records
        entered = self in records
        if outermost:
            with SESSION.lock:
                SESSION.calls += 1
        records.append(self)
        try:
            if not entered:
                self._pull()
            function = self.twin
            if function is None:
                function = self.visit(self.target)
                self._pull()
                if self.is_function:
                    self.twin = function
            visit = self.visit
            args = tuple([a if type(a) in _ARGUMENTS else visit(a) for a in args])
            if kwargs:
                kwargs = {k: v if type(v) in _ARGUMENTS else visit(v) for k, v in kwargs.items()}
            result = function(*args, **kwargs)
            self.plain = plain_result
            if not outermost or (not plain_result and type(result) in _ARGUMENTS):
                return result
            return self.leave_value(result)
        finally:
            self.plain = plain
            if not entered:
                for sync in self.ordered or ():
                    sync.push(self)
            records.pop()
            if outermost:
                self._leave()

    def _pull(self) -> None:
        """Bring all that is reached up to date; what is found on the way is pulled too."""
        while True:
            if self.ordered is None:
                self.ordered = (*self.checks.values(), *self.syncs.values())
            ordered = self.ordered
            for sync in ordered:
                sync.pull(self)
            if self.ordered is ordered:
                return

    def _leave(self) -> None:
        session = SESSION
        with session.lock:
            session.calls -= 1
            if session.calls:
                return
            if session.seen:
                for value in [*session.seen.values()]:
                    self._restore(value)
            for tensor, array in session.arrays.values():
                if tensor._array is not array and array.flags.writeable:
                    np.copyto(array, tensor._array)
            stand_ins.forget_tracked()
            if session.seen or session.arrays or session.replaced or session.kept:
                session.start()

    # -- making fit -------------------------------------------------------------------------------

    def visit(self, value: Any) -> Any:
        """What lifted code has in the place of a value."""
        kind = type(value)
        if kind in _INERT:
            return value
        handler = self.handlers.get(kind)
        if handler is None:
            handler = self.handlers[kind] = self._handler(kind)
        return handler(self, value)

    def _handler(self, kind: type) -> Callable[[Record, Any], Any]:
        for base in (TensorBase, type, types.ModuleType):
            if issubclass(kind, base):
                return _HANDLERS[base]
        if kind.__name__ == "CPUDispatcher" and kind.__module__.startswith("numba."):
            return _compiled
        if issubclass(kind, Lifted):
            return _same
        if self.lifter.twin_class(kind, self.visit, self.cells) is not kind:
            return _instance
        if issubclass(kind, _CONTAINERS):
            return _HANDLERS[next(c for c in _CONTAINERS if issubclass(kind, c))]
        if issubclass(kind, tuple):
            return _tuple
        return _other

    def add_code(self, f: Any) -> None:
        """Take up what a function reaches through its globals."""
        code = f.__code__
        if code in self.codes:
            return
        self.codes.add(code)
        namespace = f.__globals__
        if SCOPE in namespace:
            return
        self.need(self.lifter.scope(namespace), reach.names_in(code), reach.stored_in(code))

    def need(self, scope: Scope, names: frozenset[str], stored: frozenset[str] = frozenset()) -> None:
        """Bind these names in a scope now, and keep them in step from now on."""
        raw = scope.raw
        check = self.checks.get(id(scope))
        if check is None:
            check = self.checks[id(scope)] = Check(scope)
            self.ordered = None
        wanted = raw.keys() if reach.is_dynamic(names) else names & raw.keys()
        new = {n for n in wanted if not n.startswith("__")}.difference(check.names)
        for name in wanted:
            if isinstance(raw[name], types.ModuleType):
                self._need_of_module(raw[name], names, stored)
        if new or not stored <= check.stored:
            check.add(new, stored)
            self.ordered = None
            check.pull(self)

    def _need_of_module(
        self, module: Any, names: frozenset[str], stored: frozenset[str]
    ) -> None:
        namespace = vars(module)
        if SCOPE in namespace or not self.lifter.is_users(namespace):
            return
        scope = self.lifter.scope(namespace)
        key = (id(scope), names)
        if key not in self.codes:
            self.codes.add(key)
            self.need(scope, names, stored)

    def add_class(self, cls: Any) -> None:
        """Take up the methods and data of a class of the user and of its bases."""
        if cls in self.classes:
            return
        self.classes.add(cls)
        for base in cls.__mro__:
            twin = self.lifter.classes.get(base)
            if twin is None or twin is base:
                continue
            if id(base) not in self.syncs:
                self.syncs[id(base)] = ClassSync(base, twin)
                self.ordered = None
            for value in vars(base).values():
                for f in functions_of(value):
                    method = self.lifter.methods.get(f)
                    if method is not None:
                        self.add_code(f)
                        self._add_defaults(f, method)
            for cell, twin_cell in self.lifter.class_cells.get(base, ()):
                self._add_cell(cell, twin_cell)

    def _add_defaults(self, f: Any, twin: Any) -> None:
        values = (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
        if any(type(v) not in _INERT for v in values):
            sync = DefaultsSync(f, twin)
            self.syncs[id(twin)] = sync
            self.ordered = None
            sync.pull(self)

    def _add_cell(self, cell: Any, twin: Any) -> None:
        if id(cell) not in self.syncs:
            sync = self.syncs[id(cell)] = CellSync(cell, twin)
            self.ordered = None
            sync.pull(self)

    def imported(self, module: Any, names: frozenset[str], stored: frozenset[str]) -> Any:
        """A module that lifted code imports."""
        if isinstance(module, types.ModuleType):
            self._need_of_module(module, names, stored)
        return self.visit(module)

    # -- undoing ----------------------------------------------------------------------------------

    def leave_value(self, value: Any) -> Any:
        """What the user has in the place of a value of lifted code."""
        kind = type(value)
        if kind in _INERT:
            return value
        if isinstance(value, TensorBase):
            return self._leave_tensor(value)
        found = SESSION.replaced.get(id(value))
        if found is not None:
            return found[1]
        if isinstance(value, types.FunctionType | type):
            original = self.lifter.original(value)
            return rebinding.back(value) if original is None else original
        if isinstance(value, _CONTAINERS):
            self._restore(value)
            return value
        if isinstance(value, tuple):
            return self._leave_tuple(value)
        if self.lifter.original(kind) is not None:
            self._restore(value)
            return value
        return rebinding.back(value)

    def _leave_tensor(self, tensor: Any) -> Any:
        found = SESSION.arrays.get(id(tensor))
        if found is not None:
            return found[1]
        if not self.plain or id(tensor) in SESSION.kept:
            return tensor
        return like_result(tensor)

    def _leave_tuple(self, value: Any) -> Any:
        items = [self.leave_value(item) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def _restore(self, value: Any) -> None:
        """Undo in an object or container, and in what it holds."""
        todo = [value]
        done: set[int] = set()
        while todo:
            value = todo.pop()
            if id(value) in done:
                continue
            done.add(id(value))
            original = self.lifter.original(type(value))
            if original is not None:
                object.__setattr__(value, "__class__", original)
            for replace, item in _items(value):
                kind = type(item)
                if kind in _INERT:
                    continue
                if isinstance(item, _CONTAINERS) or self.lifter.original(kind) is not None:
                    todo.append(item)
                    continue
                left = self.leave_value(item)
                if left is not item:
                    replace(left)


def like_result(tensor: Any) -> Any:
    """A tensor as NumPy would have it: a scalar or an array."""
    array = tensor._array
    return array if array.ndim or not stand_ins.is_scalar(tensor) else array[()]


def _items(value: Any) -> Iterator[tuple[Callable[[Any], None], Any]]:
    """The places in an object or container: how to write each, and what is there."""
    if isinstance(value, list | deque):
        if set(map(type, value)) <= _INERT:
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
        item = getattr(value, name, _ABSENT)
        if item is not _ABSENT:
            yield functools.partial(object.__setattr__, value, name), item


def _slots(kind: type) -> list[str]:
    if kind in _CONTAINERS:
        return []
    return [
        name
        for base in kind.__mro__
        for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType)
    ]


# -- making fit, by type ------------------------------------------------------------------------------


def _same(record: Record, value: Any) -> Any:
    return value


def _tensor(record: Record, value: Any) -> Any:
    SESSION.kept[id(value)] = value
    return value


def _function(record: Record, f: Any) -> Any:
    lifter = record.lifter
    if SCOPE in f.__globals__:
        return f
    if not lifter.is_users(f.__globals__):
        ours = rebinding.known(f)
        if ours is not f or f.__closure__ is None:
            return ours
        return _wrapper(record, f)
    record.add_code(f)
    if f.__closure__ is None:
        twin = lifter.functions.get(f)
        if twin is None:
            twin = lifter.functions[f] = lifter.function(f, record.visit, record.cells)
            lifter.finish(twin, f, record.visit)
    else:
        found = record.closures.get(id(f))
        if found is None:
            twin = lifter.function(f, record.visit, record.cells)
            record.closures[id(f)] = (f, twin)
            _take_cells(record, f)
            lifter.finish(twin, f, record.visit)
        else:
            twin = found[1]
    if id(twin) not in record.syncs and (f.__defaults__ or f.__kwdefaults__):
        record._add_defaults(f, twin)
    return twin


def _take_cells(record: Record, f: Any) -> None:
    for cell in f.__closure__:
        record._add_cell(cell, record.cells[id(cell)][1])


def _wrapper(record: Record, f: Any) -> Any:
    """A library's function: a twin if there are functions of the user in its closure."""
    if f.__module__ is not None and f.__module__.partition(".")[0] == "arraygrad":
        return f
    found = record.closures.get(id(f))
    if found is not None:
        return found[1]
    record.closures[id(f)] = (f, f)  # until it is known, and against cycles
    for cell in f.__closure__:
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        if isinstance(held, types.FunctionType | types.MethodType | functools.partial | type):
            if record.visit(held) is not held:
                break
    else:
        return f
    twin = record.lifter.wrapper(f, record.visit, record.cells)
    record.closures[id(f)] = (f, twin)
    _take_cells(record, f)
    record.lifter.finish(twin, f, record.visit)
    return twin


def _class(record: Record, cls: Any) -> Any:
    ours = rebinding.known(cls)
    if ours is not cls:
        return ours
    twin = record.lifter.twin_class(cls, record.visit, record.cells)
    if twin is not cls:
        record.add_class(cls)
    return twin


def _module(record: Record, module: Any) -> Any:
    namespace = vars(module)
    if SCOPE in namespace:
        return module
    if record.lifter.is_users(namespace):
        return record.lifter.scope(namespace).module
    return rebinding.module(module)


def _replace(new: Any, old: Any) -> Any:
    """Remember, and keep alive, what `new` stands for until the outermost call ends."""
    SESSION.replaced[id(new)] = (new, old)
    return new


def _method(record: Record, method: Any) -> Any:
    function = record.visit(method.__func__)
    owner = record.visit(method.__self__)
    if function is method.__func__ and owner is method.__self__:
        return rebinding.known(method)
    return _replace(types.MethodType(function, owner), method)


def _partial(record: Record, partial: Any) -> Any:
    function = record.visit(partial.func)
    args = tuple(map(record.visit, partial.args))
    keywords = {k: record.visit(v) for k, v in partial.keywords.items()}
    return _replace(functools.partial(function, *args, **keywords), partial)


def _cached(record: Record, memo: Any) -> Any:
    function = record.visit(memo.__wrapped__)
    if function is memo.__wrapped__:
        return memo
    found = _MEMOS.get(function)
    if found is None:
        settings = memo.cache_parameters()
        found = _MEMOS[function] = stand_ins.lru_cache(**settings)(function)
    return _replace(found, memo)


def _compiled(record: Record, dispatcher: Any) -> Any:
    """A function compiled by Numba: run as Python where a tensor comes in."""
    function = record.visit(dispatcher.py_func)

    @functools.wraps(dispatcher.py_func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, TensorBase) for a in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return dispatcher(*args, **kwargs)

    return _replace(call, dispatcher)


def _array(record: Record, array: Any) -> Any:
    """A tensor over the array's memory, which moves elsewhere when it is first written."""
    tensors = SESSION.tensors
    found = tensors.get(id(array))
    if found is not None:
        return found
    if not is_supported(array.dtype) or not array.dtype.isnative:
        return array
    owner = array
    while type(owner.base) is np.ndarray:
        owner = owner.base
    tensor = tensors.get(id(owner))
    if tensor is None:
        tensor = wrap(owner)
        # As if a graph held it: the memory is the user's, so the first write goes to a copy.
        family_of(tensor).storage.saved = True
        _note(owner, tensor)
    if array is owner:
        return tensor
    moved = array
    if tensor._array is not owner:  # it was written and has moved: so must its new view
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        moved = np.ndarray(array.shape, array.dtype, tensor._array, offset, array.strides)
    view = wrap(moved)
    join_family(view, tensor)
    _note(array, view)
    return view


def _note(array: Any, tensor: Any) -> None:
    SESSION.tensors[id(array)] = tensor
    SESSION.arrays[id(tensor)] = (tensor, array)


def _generator(record: Record, generator: Any) -> Any:
    return _replace(tensor_random.over(generator), generator)


def _list(record: Record, items: Any) -> Any:
    if id(items) in SESSION.seen:
        return items
    if set(map(type, items)) <= _INERT:
        if type(items) is list:
            SESSION.seen[id(items)] = items
        return items
    SESSION.seen[id(items)] = items
    for i, item in enumerate([*items]):
        new = record.visit(item)
        if new is not item:
            items[i] = _replace(new, item)
    return items


def _dict(record: Record, mapping: Any) -> Any:
    if id(mapping) in SESSION.seen:
        return mapping
    SESSION.seen[id(mapping)] = mapping
    for key, item in [*mapping.items()]:
        if type(item) not in _INERT:
            new = record.visit(item)
            if new is not item:
                mapping[key] = _replace(new, item)
    return mapping


def _tuple(record: Record, items: Any) -> Any:
    new = [record.visit(item) for item in items]
    if all(map(operator.is_, new, items)):
        return items
    made = type(items)(*new) if hasattr(items, "_fields") else type(items)(new)
    return _replace(made, items)


def _namespace(record: Record, value: Any) -> Any:
    _dict(record, vars(value))
    SESSION.seen[id(value)] = value
    return value


def _instance(record: Record, value: Any) -> Any:
    cls = type(value)
    if id(value) in SESSION.seen:
        return value
    SESSION.seen[id(value)] = value
    record.add_class(cls)
    twin = record.lifter.classes[cls]
    try:
        object.__setattr__(value, "__class__", twin)
    except TypeError:  # a layout that cannot change class: its methods run as they are
        return value
    for replace, item in _items(value):
        if type(item) not in _INERT:
            new = record.visit(item)
            if new is not item:
                replace(_replace(new, item))
    return value


def _other(record: Record, value: Any) -> Any:
    return rebinding.known(value)


_MEMOS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_HANDLERS: dict[type, Callable[[Record, Any], Any]] = {
    TensorBase: _tensor,
    types.FunctionType: _function,
    type: _class,
    types.ModuleType: _module,
    types.MethodType: _method,
    functools.partial: _partial,
    functools._lru_cache_wrapper: _cached,
    np.ndarray: _array,
    np.random.Generator: _generator,
    np.random.RandomState: _generator,
    list: _list,
    deque: _list,
    dict: _dict,
    defaultdict: _dict,
    OrderedDict: _dict,
    types.SimpleNamespace: _namespace,
    tuple: _tuple,
}


class Lifted:
    """What `ag.lift` returns: called like the function, with everything in it lifted."""

    def __init__(self, target: Any, packages: frozenset[str], for_derivatives: bool) -> None:
        self._target = target
        self._packages = packages
        self._for_derivatives = for_derivatives
        self._record: Record | None = None
        functools.update_wrapper(self, target, updated=())
        self.__wrapped__ = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        record = self._record
        if record is None:
            record = self._record = make_record(self._target, self._packages)
        plain = not (_hold_tensors(args) or (kwargs and _hold_tensors(kwargs.values())))
        return record.run(args, kwargs, plain or self._for_derivatives, plain)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        return _again, (self._target, self._packages, self._for_derivatives)

    def __repr__(self) -> str:
        return f"arraygrad.lift({self._target!r})"


def _hold_tensors(values: Any) -> bool:
    for value in values:
        if isinstance(value, TensorBase):
            return True
        if isinstance(value, list | tuple) and _hold_tensors(value):
            return True
        if isinstance(value, dict) and _hold_tensors(value.values()):
            return True
    return False


def _again(target: Any, packages: frozenset[str], for_derivatives: bool) -> Lifted:
    return Lifted(target, packages, for_derivatives)


def make_record(target: Any, packages: frozenset[str]) -> Record:
    """The record of a target under the Lifter of its packages."""
    lifter = lifter_for(packages)
    lifter.imported = _imported
    return Record(target, lifter)


def _imported(module: Any, names: frozenset[str], stored: frozenset[str]) -> Any:
    """What an import statement of lifted code gives."""
    records = _THREAD.records
    if not records:  # a generator that outlived its call
        return rebinding.module(module)
    return records[-1].imported(module, names, stored)

