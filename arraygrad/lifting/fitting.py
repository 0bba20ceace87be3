"""What lifted code has in the place of a value of the user, by the value's type."""

from __future__ import annotations

import functools
import operator
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._storage import TensorBase
from ..numpy import random as tensor_random
from . import arrays, kept, reach, rebinding, stand_ins
from .items import Layout, holds_more, is_everybodys, items_of, place_of, set_class
from .leaving import ARGUMENTS
from .lifter import SCOPE
from .session import INERT, SESSION
from .sync import CellSync
from .twin_classes import ORIGINALS
from .watched import Watched

if TYPE_CHECKING:
    from .record import Record

# Takes the record and the value.
Handler = Callable[[Any, Any], Any]


def same(record: Record, value: Any) -> Any:
    """The value itself."""
    return value


def tensor(record: Record, value: Any) -> Any:
    """The tensor itself, noted as the user's own."""
    SESSION.touched = True
    SESSION.kept[id(value)] = value
    return value


def function(record: Record, f: Any) -> Any:
    """The twin of a function of the user, ours for NumPy's, a library's as it is."""
    known = record.twins.get(f)
    if known is not None and not f.__dict__:
        return known
    passing = record.passing.get(id(f))
    if passing is not None and passing[0]() is f and not f.__dict__:
        return passing[1]
    if f.__closure__ is not None and not record.own and not f.__dict__:
        twin = record.twin_of(f)
        if twin is not None:
            return twin
    lifter = record.lifter
    if SCOPE in f.__globals__:
        return f
    ours = rebinding.registered(f)
    if ours is not None:
        return ours
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
        if "<" not in f.__qualname__:
            # Others have their defaults made fit in each call.
            if record.own or not holds_more_than_numbers(f):
                record.twins[f] = twin
        elif not holds_more_than_numbers(f):
            key, known = id(f), record.passing
            known[key] = weakref.ref(f, lambda _: known.pop(key, None)), twin
    else:
        twin = record.twin_of(f)
        if twin is None:
            cells = record.cells_for(f)
            twin = lifter.known_closure(f, cells) if record.own else None
            if twin is not None:
                record.closures[id(f)] = (f, twin)
                _take_cells(record, f, cells)
            else:
                twin = lifter.function(f, record.visit, cells)
                record.holder().closures[id(f)] = (f, twin)
                if record.own:
                    lifter.closures[id(f)] = twin
                _take_cells(record, f, cells)
                lifter.finish(twin, f, record.visit)
    if id(twin) not in record.syncs and (f.__defaults__ or f.__kwdefaults__):
        record.add_defaults(f, twin)
    record.add_attributes(f, twin)
    return twin


def holds_more_than_numbers(f: Any) -> bool:
    """Whether a function has defaults that must be made fit."""
    values = (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
    return any(type(v) not in INERT for v in values)


def _take_cells(record: Record, f: Any, cells: dict[int, tuple[Any, Any]]) -> None:
    for cell in f.__closure__:
        record.add_cell(cell, cells[id(cell)][1])
        held = _contents(cell)
        if isinstance(held, types.ModuleType):
            facts = reach.facts(f.__code__)
            record.need_of_module(held, facts.names, facts.assigned)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _wrapper(record: Record, f: Any) -> Any:
    """A library's function: a twin if there are functions of the user in its closure."""
    if f.__module__ is not None and f.__module__.partition(".")[0] == "arraygrad":
        return f
    twin = record.twin_of(f)
    if twin is not None:
        return twin
    closures = record.holder().closures
    if hasattr(f, "registry") and hasattr(f, "dispatch"):
        closures[id(f)] = (f, twin := _single_dispatch(record, f))
        return twin
    if f.__code__ in _METHOD_OF.co_consts:
        return _dispatching_method(record, f)
    closures[id(f)] = (f, f)  # until it is known, and against cycles
    for cell in f.__closure__:
        held = _contents(cell)
        if isinstance(held, types.FunctionType | types.MethodType | functools.partial | type):
            if record.visit(held) is not held:
                break
    else:
        return f
    cells = record.cells_for(f)
    twin = record.lifter.known_closure(f, cells) if record.own else None
    if twin is not None:
        closures[id(f)] = (f, twin)
        _take_cells(record, f, cells)
        return twin
    twin = record.lifter.wrapper(f, record.visit, cells)
    closures[id(f)] = (f, twin)
    if record.own:
        record.lifter.closures[id(f)] = twin
    _take_cells(record, f, cells)
    record.lifter.finish(twin, f, record.visit)
    return twin


def _single_dispatch(record: Record, f: Any) -> Any:
    """``functools.singledispatch``: by the type that NumPy would have, to the twins."""
    return stand_ins.dispatching(f, functools.partial(_visit, record))


def _visit(record: Record, chosen: Any) -> Any:
    with SESSION.lock:
        return record.visit(chosen)


_METHOD_OF = functools.singledispatchmethod.__get__.__code__


def _dispatching_method(record: Record, f: Any) -> Any:
    """A method of ``functools.singledispatchmethod``, bound outside of lifted code."""
    cells = record.cells_for(f)
    twins = [record.lifter.cell(cell, cells) for cell in f.__closure__]
    twin_of = dict(zip(f.__code__.co_freevars, twins, strict=True))

    def bind(chosen: Any) -> Any:
        return chosen.__get__(twin_of["obj"].cell_contents, twin_of["cls"].cell_contents)

    free = f.__code__.co_freevars
    # Python 3.13.0 and 3.13.1 close over the descriptor's `dispatch` in its place.
    real = _contents(f.__closure__[free.index("self")]) if "self" in free else f.register.__self__
    twin = stand_ins.dispatching(real.dispatcher, functools.partial(_visit, record), bind)
    record.holder().closures[id(f)] = (f, twin)
    _take_cells(record, f, cells)
    return twin


def dispatching_object(record: Record, method: Any) -> Any:
    """The same from Python 3.14 on, which has an object for it."""
    instance, owner = record.visit(method._obj), record.visit(method._cls)

    def bind(chosen: Any) -> Any:
        return chosen.__get__(instance, owner)

    lift = functools.partial(_visit, record)
    return replaced(stand_ins.dispatching(method._unbound.dispatcher, lift, bind), method)


def user_class(record: Record, cls: Any) -> Any:
    """The twin of a class, or ours for NumPy's and Python's."""
    ours = rebinding.known(cls)
    if ours is not cls:
        return ours
    if issubclass(cls, np.ndarray):
        what = ", of a class derived from np.ndarray, which holds no tensors,"
        ours = stand_ins.holding_plain_numbers(cls, what)
        rebinding.register(cls, ours)
        return ours
    twin = record.owned(record.lifter.twin_class, cls, record.visit, record.cells)
    if twin is not cls and ORIGINALS.get(cls) is None:
        record.owned(record.add_class, cls)
    elif issubclass(cls, type) and record.lifter.is_users_class(cls):
        record.owned(record.add_meta, cls)
    return twin


def module(record: Record, module: Any) -> Any:
    """The twin of a module of the user, ours for NumPy's and math."""
    namespace = vars(module)
    if SCOPE in namespace:
        return module
    if record.lifter.is_users(namespace):
        return record.lifter.module(module)
    return rebinding.module(module)


def replaced(new: Any, old: Any) -> Any:
    """Remember, and keep alive, what `new` stands for until the outermost call ends."""
    SESSION.touched = True
    SESSION.replaced[id(new)] = (new, old)
    return new


def method(record: Record, method: Any) -> Any:
    """The method of what stands for its function and its object."""
    function = method.__func__
    if not str(getattr(function, "__module__", "")).startswith("scipy."):
        function = record.visit(function)
    if function is method.__func__:  # nobody's of the user
        ours = rebinding.known(method)
        if ours is not method:
            return ours
    owner = record.visit(method.__self__)
    if function is method.__func__ and owner is method.__self__:
        return method
    if function is method.__func__ and type(function).__name__ == "cython_function_or_method":
        # Compiled code takes its own object for granted, and ours is another: it would crash.
        return replaced(getattr(owner, function.__name__), method)
    return replaced(types.MethodType(function, owner), method)


def partial(record: Record, partial: Any) -> Any:
    """The partial of what stands for its parts."""
    function = record.visit(partial.func)
    args = tuple(map(record.visit, partial.args))
    keywords = {k: record.visit(v) for k, v in partial.keywords.items()}
    return replaced(functools.partial(function, *args, **keywords), partial)


def memo(record: Record, memo: Any) -> Any:
    """``lru_cache`` around the twin, with a cache of its own."""
    found = memo_of(memo, record.visit(memo.__wrapped__))
    return memo if found is memo else replaced(found, memo)


def memo_of(memo: Any, function: Any) -> Any:
    """The memo of what stands for a function; that of the function itself if it is the same."""
    if function is memo.__wrapped__:
        return memo
    found = _MEMOS.get(function)
    if found is None:
        settings = memo.cache_parameters()
        found = _MEMOS[function] = stand_ins.lru_cache(**settings)(function)
    return found


def compiled(record: Record, dispatcher: Any) -> Any:
    """A function compiled by Numba: run as Python where a tensor comes in."""
    function = record.visit(dispatcher.py_func)

    @functools.wraps(dispatcher.py_func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, TensorBase) for a in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return dispatcher(*args, **kwargs)

    call.py_func = function  # type: ignore[attr-defined]
    return replaced(call, dispatcher)


def generator(record: Record, generator: Any) -> Any:
    """Our random generator over the same state."""
    return replaced(tensor_random.over(generator), generator)


def container(record: Record, value: Any) -> Any:
    """The list, dict or namespace, its contents to be made fit in place."""
    if id(value) not in SESSION.seen:
        kind = type(value)
        if kind is dict and is_everybodys(value):
            return value
        SESSION.touched = True
        SESSION.seen[id(value)] = (value, None)
        if (kind is list or kind is dict) and not kept.met():
            if not holds_more(value if kind is list else value.values()):
                return value
            if not _fit_arrays(record, value, enumerate(value) if kind is list else value.items()):
                return value
        record.todo.append((value, None))
    return value


def _fit_arrays(record: Record, owner: Any, items: Any) -> bool:
    """Make arrays of a container or object fit, up to other contents; whether there are any.

    Arrays hold nothing, so they need not wait for their turn as others do.
    """
    for key, item in items:
        kind = type(item)
        if kind in INERT:
            continue
        if kind is np.ndarray and record.plainly:
            new = arrays.array(record, item)
            if new is not item:
                owner[key] = new
        else:
            return True
    return False


def fit_places(record: Record, value: Any, layout: Layout | None) -> None:
    """Put into a container or object what lifted code has in the place of its contents.

    Record.fit_contents does it for lists, dicts and attributes.
    """
    if layout is not None and layout.slotted:
        _fit_slots(record, value, layout)
        return
    for replace, item in items_of(value):
        new = _fit(record, item)
        if new is not item:
            replace(new)
            if SESSION.suspects:
                kept.placed_in(value, new, replace)
        elif rebinding.stands_for_another(item):
            SESSION.users.add(place_of(replace))


def _fit_slots(record: Record, value: Any, layout: Layout) -> None:
    left = kept.met()
    for _, member in layout.slots:
        try:
            item = member.__get__(value)
        except AttributeError:  # not bound
            continue
        if type(item) in INERT and not (left and id(item) in left):
            continue
        new = _fit(record, item)
        if new is not item:
            member.__set__(value, new)
            if SESSION.suspects:
                kept.placed_in(value, new, functools.partial(member.__set__, value))
        elif id(item) in rebinding.BACK:
            SESSION.users.add((id(member), id(value)))


def _fit(record: Record, item: Any) -> Any:
    """What is put in the place of an item."""
    new = record.visit(item) if type(item) not in INERT else number(item)
    if new is not item and type(new) not in ARGUMENTS:
        SESSION.replaced[id(new)] = (new, item)
    return new


def number(item: Any) -> Any:
    """A number that a derivative may have left behind."""
    new = kept.suspect(item) if SESSION.arguments is not None else None
    return item if new is None else replaced(new, item)


def plain_tuple(record: Record, items: Any) -> Any:
    """A tuple of what stands for its items."""
    new = [record.visit(item) for item in items]
    if all(map(operator.is_, new, items)):
        return items
    made = type(items)(*new) if hasattr(items, "_fields") else type(items)(new)
    return replaced(made, items)


class Uses:
    """What to bring up to date in a call that gets objects of a class.

    Classes that the target reaches by itself are looked at in every call; others, of which it got
    an object once, in those calls alone.
    """

    __slots__ = ("call", "cells", "layout", "sight", "syncs", "tags", "turns", "twin", "version")

    def __init__(self, record: Record, cls: Any) -> None:
        known = record.lifter.class_syncs
        self.layout = Layout(cls)
        self.twin = self.layout.twin = record.lifter.classes[cls]
        self.turns = self.layout.simple  # whether objects are known to change to the twin
        self.sight: Watched | None = None
        self.tags: Any = None  # by which compiled calls know that classes are as they were
        self.call = -1
        self.syncs = [known[base] for base in cls.__mro__ if base in known]
        if record.own or not all(sync.is_simple() for sync in self.syncs):
            self.syncs = []
            record.owned(record.add_class, cls)
        self.version = 0
        self.cells: list[CellSync] = []
        for sync in self.syncs:
            record.owned(sync.pull, record)
            record.add_codes(sync)
            self.version += sync.version
            pairs = record.lifter.class_cells.get(sync.cls, ())
            self.cells += [CellSync(cell, twin) for cell, twin in pairs]

    def refresh(self, record: Record) -> bool:
        """Before the first object of a call is made fit; whether another handler is needed."""
        self.call = record.calls
        version = 0
        for sync in self.syncs:
            if sync.live is None or sync.live or not sync.is_same():
                record.owned(sync.pull, record)
            version += sync.version
        if version == self.version:
            for cell in self.cells:
                cell.pull(record)
            return False
        record.forget_handlers()
        return True

    def is_handy(self) -> bool:
        """Whether classes need no look but at their entries, which are as they were."""
        if not self.turns or self.cells:
            return False
        version = 0
        for sync in self.syncs:
            if sync.live is None or sync.live:
                return False
            if not sync.is_same():
                return False
            version += sync.version
        return version == self.version

    def look(self) -> Watched | None:
        """What code may get of the classes; None if it cannot be told."""
        sight = self.sight
        if sight is None or not sight.is_same():
            sight = self.sight = Watched()
            version = sum(sync.version for sync in self.syncs)
            if version != self.version or not all(sync.look(sight) for sync in self.syncs):
                self.sight = None
                return None
            for cell in self.cells:
                cell.look(sight)
        return sight


def instance_of(record: Record, cls: Any) -> Handler:
    """Handler of a class of the user: an object is of the twin of its class for the time being."""
    uses = record.uses[cls] = Uses(record, cls)
    twin = uses.twin
    layout = uses.layout
    turns = layout.slotted and layout.solid is object
    simple = layout.plain and layout.direct
    if issubclass(cls, tuple) and not layout.slots and cls.__dictoffset__ == 0:
        return _tuples_of(layout, twin)

    def instance(record: Record, value: Any) -> Any:
        seen = SESSION.seen
        key = id(value)
        if key in seen:
            return value
        if uses.call != record.calls and uses.refresh(record):
            return record.visit(value)
        SESSION.touched = True
        seen[key] = (value, layout)
        if simple:  # this is what most objects cost
            value.__class__ = twin
            if not kept.met():
                namespace = value.__dict__
                for item in namespace.values():
                    if type(item) not in INERT:
                        if not _fit_arrays(record, namespace, namespace.items()):
                            return value
                        break
                else:
                    return value
        else:
            try:
                set_class(value, twin)
            except TypeError:  # a layout that cannot change class: its methods run as they are
                seen[key] = (value, None)
                return value
            uses.turns = turns
        record.todo.append((value, layout))
        return value

    return instance


def _tuples_of(layout: Layout, twin: Any) -> Handler:
    """Handler of a class of named tuples: another tuple, as items cannot be replaced."""

    def named_tuple(record: Record, value: Any) -> Any:
        items = [item if type(item) in INERT else record.visit(item) for item in value]
        if not all(map(operator.is_, items, value)):
            return replaced(tuple.__new__(twin, items), value)
        SESSION.touched = True
        SESSION.seen[id(value)] = (value, layout)
        set_class(value, twin)
        return value

    return named_tuple


def plain_array(record: Record, value: Any) -> Any:
    """An array of a derived class of NumPy's, which holds no tensors."""
    arrays.see_plainly(value)
    return rebinding.known(value)


def other(record: Record, value: Any) -> Any:
    """Ours for an object of NumPy or SciPy, anything else as it is."""
    return rebinding.known(value)


_MEMOS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
HANDLERS: dict[type, Handler] = {
    TensorBase: tensor,
    types.FunctionType: function,
    type: user_class,
    types.ModuleType: module,
    types.MethodType: method,
    functools.partial: partial,
    functools._lru_cache_wrapper: memo,
    np.ndarray: arrays.array,
    np.memmap: plain_array,
    np.matrix: plain_array,
    np.recarray: plain_array,
    np.random.Generator: generator,
    np.random.RandomState: generator,
    list: container,
    deque: container,
    dict: container,
    defaultdict: container,
    OrderedDict: container,
    types.SimpleNamespace: container,
    tuple: plain_tuple,
}

if hasattr(functools, "_singledispatchmethod_get"):
    HANDLERS[functools._singledispatchmethod_get] = dispatching_object

# Handlers of values that need no second look in later calls.
STATIC = frozenset({same, other, function, user_class, module})
