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

from .._apply import wrap
from .._dtypes import is_supported
from .._storage import TensorBase, join_family, mark_saved
from ..numpy import random as tensor_random
from ..numpy._types import like_numpy
from . import kept, memos, reach, rebinding, stand_ins
from .items import Layout, is_everybodys, items_of, place_of
from .lifter import SCOPE
from .session import INERT, SESSION
from .twin_classes import ORIGINALS

if TYPE_CHECKING:
    from .record import Record

# Takes the record and the value.
Handler = Callable[[Any, Any], Any]


def same(record: Record, value: Any) -> Any:
    """The value itself."""
    return value


def tensor(record: Record, value: Any) -> Any:
    """The tensor itself, noted as the user's own."""
    SESSION.kept[id(value)] = value
    return value


def function(record: Record, f: Any) -> Any:
    """The twin of a function of the user, ours for NumPy's, a library's as it is."""
    known = record.twins.get(f)
    if known is not None and not vars(f):
        return known
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
            record.twins[f] = twin
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
        record.add_defaults(f, twin)
    record.add_attributes(f, twin)
    return twin


def _take_cells(record: Record, f: Any) -> None:
    for cell in f.__closure__:
        record.add_cell(cell, record.cells[id(cell)][1])
        held = _contents(cell)
        if isinstance(held, types.ModuleType):
            record.need_of_module(held, reach.names_in(f.__code__), reach.stored_in(f.__code__))


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _wrapper(record: Record, f: Any) -> Any:
    """A library's function: a twin if there are functions of the user in its closure."""
    if f.__module__ is not None and f.__module__.partition(".")[0] == "arraygrad":
        return f
    found = record.closures.get(id(f))
    if found is not None:
        return found[1]
    if hasattr(f, "registry") and hasattr(f, "dispatch"):
        record.closures[id(f)] = (f, twin := _single_dispatch(record, f))
        return twin
    record.closures[id(f)] = (f, f)  # until it is known, and against cycles
    for cell in f.__closure__:
        held = _contents(cell)
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


def _single_dispatch(record: Record, f: Any) -> Any:
    """``functools.singledispatch``: by the type that NumPy would have, to the twins."""

    @functools.wraps(f)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        kind = type(like_numpy(args[0]))
        with SESSION.lock:
            chosen = record.visit(f.dispatch(kind))
        return chosen(*args, **kwargs)

    return dispatched


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
    twin = record.lifter.twin_class(cls, record.visit, record.cells)
    if twin is not cls and ORIGINALS.get(cls) is None:
        record.add_class(cls)
    elif issubclass(cls, type) and record.lifter.is_users_class(cls):
        record.add_meta(cls)
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
    SESSION.replaced[id(new)] = (new, old)
    return new


def method(record: Record, method: Any) -> Any:
    """The method of what stands for its function and its object."""
    function = method.__func__
    if not (getattr(function, "__module__", None) or "").startswith("scipy."):
        function = record.visit(function)
    if function is method.__func__:  # nobody's of the user
        ours = rebinding.known(method)
        if ours is not method:
            return ours
    owner = record.visit(method.__self__)
    if function is method.__func__ and owner is method.__self__:
        return method
    return replaced(types.MethodType(function, owner), method)


def partial(record: Record, partial: Any) -> Any:
    """The partial of what stands for its parts."""
    function = record.visit(partial.func)
    args = tuple(map(record.visit, partial.args))
    keywords = {k: record.visit(v) for k, v in partial.keywords.items()}
    return replaced(functools.partial(function, *args, **keywords), partial)


def memo(record: Record, memo: Any) -> Any:
    """``lru_cache`` around the twin, with a cache of its own."""
    function = record.visit(memo.__wrapped__)
    if function is memo.__wrapped__:
        return memo
    found = _MEMOS.get(function)
    if found is None:
        settings = memo.cache_parameters()
        found = _MEMOS[function] = stand_ins.lru_cache(**settings)(function)
    return replaced(found, memo)


def compiled(record: Record, dispatcher: Any) -> Any:
    """A function compiled by Numba: run as Python where a tensor comes in."""
    function = record.visit(dispatcher.py_func)

    @functools.wraps(dispatcher.py_func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, TensorBase) for a in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return dispatcher(*args, **kwargs)

    return replaced(call, dispatcher)


_HELD: set[Any] = set()  # dtypes that tensors have

# Arrays up to this size are always copied: less than a microsecond or two.
COPIED_UP_TO = 1 << 15


def array(record: Record, array: Any) -> Any:
    """A tensor with the array's values, over a copy of its memory if it may be written.

    A graph may keep what it has seen of the array, and the user's array gets the new values when
    the call ends: so the two must not share memory. An array that is only read is shared.
    """
    tensors = SESSION.tensors
    found = tensors.get(id(array))
    if found is not None:
        return found
    dtype = array.dtype
    if dtype not in _HELD:
        if not is_supported(dtype) or not dtype.isnative:
            return array
        _HELD.add(dtype)
    if kept.LEFT and id(array) in kept.LEFT and SESSION.arguments is not None:
        stand_in = kept.suspect(array)
        if stand_in is not None:
            _note(array, stand_in)
            return stand_in
    owner = array
    while type(owner.base) is np.ndarray:
        owner = owner.base
    tensor = tensors.get(id(owner))
    if tensor is None:
        tensor = wrap(_memory_for(record, owner))
        if tensor._array is owner:
            mark_saved(tensor)  # shared after all: the first write goes to a copy
        _note(owner, tensor)
    if array is owner:
        return tensor
    moved = array
    if tensor._array is not owner:  # other memory: the view lies in it as it lies in its owner
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        moved = np.ndarray(array.shape, array.dtype, tensor._array, offset, array.strides)
        moved.flags.writeable = array.flags.writeable
    view = wrap(moved)
    join_family(view, tensor)
    _note(array, view)
    return view


def _memory_for(record: Record, owner: Any) -> Any:
    if not owner.flags.writeable or (owner.nbytes > COPIED_UP_TO and not record.writes):
        return owner
    made = owner.copy(order="K")
    return made if made.strides == owner.strides else owner


def _note(array: Any, tensor: Any) -> None:
    SESSION.tensors[id(array)] = tensor
    SESSION.arrays[id(tensor)] = (tensor, array, tensor._array)


def generator(record: Record, generator: Any) -> Any:
    """Our random generator over the same state."""
    return replaced(tensor_random.over(generator), generator)


def container(record: Record, value: Any) -> Any:
    """The list, dict or namespace, its contents to be made fit in place."""
    if id(value) not in SESSION.seen:
        if type(value) is dict and is_everybodys(value):
            return value
        SESSION.seen[id(value)] = (value, None)
        record.todo.append((value, None))
    return value


def fit_contents(record: Record, value: Any, layout: Layout | None) -> None:
    """Put into a container or object what lifted code has in the place of its contents."""
    if layout is None or layout.slots or not layout.plain:
        if SESSION.asked is not None and isinstance(value, dict) and value:
            for key in memos.entries(value):
                memos.suspect_entry(value, key)
        for replace, item in items_of(value):
            _fit_item(record, value, replace, item)
        return
    namespace = object.__getattribute__(value, "__dict__")
    replaced = SESSION.replaced
    left = kept.LEFT if SESSION.arguments is not None else ()
    for name in [n for n, v in namespace.items() if type(v) not in INERT or id(v) in left]:
        item = namespace[name]
        if type(item) in INERT:
            _fit_item(record, value, functools.partial(namespace.__setitem__, name), item)
            continue
        new = record.visit(item)
        if new is not item:
            namespace[name] = new
            replaced[id(new)] = (new, item)
            if SESSION.suspects:
                kept.placed_in(value, new, functools.partial(namespace.__setitem__, name))
        elif rebinding.stands_for_another(item):
            SESSION.users.add((id(namespace), name))


def _fit_item(record: Record, value: Any, replace: Any, item: Any) -> None:
    if type(item) not in INERT:
        new = record.visit(item)
        if new is not item:
            replace(replaced(new, item))
            if SESSION.suspects:
                kept.placed_in(value, new, replace)
        elif rebinding.stands_for_another(item):
            SESSION.users.add(place_of(replace))
    elif id(item) in kept.LEFT and SESSION.arguments is not None:
        stand_in = kept.suspect(item)
        if stand_in is not None:
            replace(replaced(stand_in, item))
            kept.placed_in(value, stand_in, replace)


def plain_tuple(record: Record, items: Any) -> Any:
    """A tuple of what stands for its items."""
    new = [record.visit(item) for item in items]
    if all(map(operator.is_, new, items)):
        return items
    made = type(items)(*new) if hasattr(items, "_fields") else type(items)(new)
    return replaced(made, items)


def instance_of(record: Record, cls: Any) -> Handler:
    """Handler of a class of the user: an object is of the twin of its class for the time being."""
    record.add_class(cls)
    twin = record.lifter.classes[cls]
    layout = Layout(cls)
    if not hasattr(cls, "__dict__") or cls.__dictoffset__ == 0:
        layout.plain = False

    def instance(record: Record, value: Any) -> Any:
        seen = SESSION.seen
        key = id(value)
        if key in seen:
            return value
        seen[key] = (value, layout)
        try:
            object.__setattr__(value, "__class__", twin)
        except TypeError:  # a layout that cannot change class: its methods run as they are
            seen[key] = (value, None)
            return value
        record.todo.append((value, layout))
        return value

    return instance


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
    np.ndarray: array,
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

# Handlers of values that need no second look in later calls.
STATIC = frozenset({same, other, function, user_class, module})
