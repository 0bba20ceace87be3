"""One thing to lift and all that it reaches; made fit before lifted code runs, undone after it.

Entering the outermost lifted call, values that lifted code will meet are made fit: objects of the
user's classes change to the twin class, arrays on them and in globals and closures become tensors
(sharing memory until something is written), functions in containers become twins. Leaving it, all
of this is undone: objects have their own class again, arrays are the same objects with the new
values written into them, globals and closure variables that were rebound are rebound in the
user's namespace. Only what the function can reach is looked at.
"""

from __future__ import annotations

import operator
import threading
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import _texts as texts
from .._apply import _Types, node_of
from .._detach import LATEST, as_pythons, warn_of_caught
from .._graph import is_grad_enabled, note_overwritten
from .._storage import TensorBase
from ..autograd.recorded import by_numbers
from . import blame, fitting, kept, memos, python_arithmetic, reach, rebinding, stand_ins
from .class_sync import ClassSync, MetaSync
from .items import is_everybodys, items_of, place_of
from .lifter import SCOPE, Lifter, Scope
from .session import ABSENT, CONTAINERS, INERT, SESSION, is_live
from .sync import AttributesSync, CellSync, Check, DefaultsSync
from .twin_classes import ORIGINALS

_ARITHMETIC_ERRORS = frozenset({"ZeroDivisionError", "OverflowError", "ArithmeticError"})
ARGUMENTS = INERT | {_Types.tensor, _Types.scalar}  # what is handed over as it is


# How to look at a place, the place, what was found there, and its size if it can grow; in step if
# all is the same still.
Watched = tuple[Callable[[Any], Iterable[Any]], Any, Sequence[Any], int | None]


class _Thread(threading.local):
    """The records of the lifted calls that this thread is in, outermost first."""

    def __init__(self) -> None:
        self.records: list[Record] = []


THREAD = _Thread()


def mark_numbers(args: Iterable[Any]) -> None:
    """Note that scalars among the arguments stand for Python's numbers."""
    for a in args:
        if type(a) is _Types.scalar:
            as_pythons(a)


def _may_hold_tensors(value: Any) -> bool:
    """Whether code may get a tensor from a value whose names are watched, or make one with it."""
    if isinstance(value, tuple):
        return any(map(_may_hold_tensors, value))
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] == "arraygrad"
    if isinstance(value, types.FunctionType | type):
        return (value.__module__ or "").partition(".")[0] == "arraygrad"
    return isinstance(value, TensorBase)


def _are_same(places: list[Watched]) -> bool:
    try:
        for look, place, values, size in places:
            if size is not None and len(place) != size:
                return False
            if not all(map(operator.is_, look(place), values)):
                return False
    except (KeyError, ValueError):  # a name or a variable that is gone
        return False
    return True


class Record:
    """One thing to lift (a function, method, object) and all that it reaches."""

    def __init__(self, target: Any, lifter: Lifter) -> None:
        self.target = target
        self.lifter = lifter
        self.ordered: tuple[Any, ...] | None = None  # checks and syncs, once all are known
        self.codes: set[Any] = set()
        self.writes = False  # whether code was met that may write into arrays
        self.divides = False  # whether code was met that may divide by an operator
        self.catches = False  # whether code was met that names errors of Python's arithmetic
        # Up to how many codes known: the attributes and globals that they bind.
        self.rebound: tuple[int, frozenset[str]] = (0, frozenset())
        self.classes: set[Any] = set()
        self.checks: dict[int, Check] = {}
        self.syncs: dict[int, Any] = {}
        self.attributes: dict[int, Any] = {}  # id(twin function) -> its AttributesSync
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.closures: dict[int, tuple[Any, Any]] = {}  # functions with cells of this record
        self.versions: dict[ClassSync, int] = {}  # up to which functions of classes are known
        self.twins: dict[Any, Any] = {}  # functions of modules and classes -> their twins
        # Whether tensors that lifted code leaves behind in the user's objects become arrays.
        self.plain = True
        self.handlers = dict(fitting.HANDLERS)
        self.todo: list[Any] = []  # containers and objects whose contents are to be made fit
        self.fitting = False
        self.is_function = isinstance(target, types.FunctionType)
        self.twin: Any = None
        self.method: Any = None  # what a method runs, if that is the target
        self.settled: Any = ABSENT  # the checks and syncs for which the following was found
        self.before: list[Watched] = []  # what shows that some need no pull, if nothing changed
        self.after: list[Watched] = []  # and no push
        self.active: list[Any] = []  # all others
        self.quick = False  # whether there are no others, and the target is a function
        self.bare = False  # whether no tensor is reached but by arguments

    # -- entering and leaving ---------------------------------------------------------------------

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the target with what it reaches made fit."""
        records = THREAD.records
        outermost = not records
        refused = LATEST.count
        entered = not outermost and self in records
        derivative = plain and not plain_result
        lock = SESSION.lock
        if outermost:
            SESSION.running.append(self)
            if not plain_result:
                SESSION.asked = (args, kwargs)
                if derivative:
                    SESSION.arguments = (args, kwargs)
        records.append(self)
        try:
            # Twins are shared by all threads: one at a time makes them and brings them up to date.
            with lock:
                function = self._enter(entered)
                visit = self.visit
                args = tuple([a if type(a) in ARGUMENTS else visit(a) for a in args])
                if kwargs:
                    kwargs = {k: v if type(v) in ARGUMENTS else visit(v) for k, v in kwargs.items()}
            numbers = outermost and derivative and by_numbers()
            if numbers:
                mark_numbers(args)
            if (numbers and self.divides) or (outermost and self.catches):
                with python_arithmetic.as_of_floats(numbers and self.catches):
                    result = function(*args, **kwargs)
            else:
                result = function(*args, **kwargs)
            if outermost and LATEST.count != refused:
                warn_of_caught()
            if outermost and SESSION.asked and (SESSION.seen or SESSION.arrays):
                result = memos.without_last(self, result, lambda: function(*args, **kwargs))
            if outermost and SESSION.suspects:
                result = kept.recomputed(result, lambda: function(*args, **kwargs))
            if not outermost or (not plain_result and type(result) in ARGUMENTS):
                return result
            if type(result) in INERT:
                return result
            with lock:
                self.plain = plain_result
                return self.leave_value(result)
        except Exception as error:
            if outermost:
                self.plain = plain
                self._leave_error(error)
                blame.note_line(error)
            raise
        finally:
            with lock:
                self.plain = plain
                if not entered:
                    self._push()
                records.pop()
                if outermost:
                    SESSION.running.pop()
                    self._leave()
                    if self.settled is not self.ordered:
                        self._settle()

    def run_settled(self, args: tuple[Any, ...], kwargs: dict[str, Any], derivative: bool) -> Any:
        """Call the twin: it is up to date, and the arguments are fit as they are."""
        records = THREAD.records
        records.append(self)
        if len(records) > 1:
            try:
                return self.twin(*args)
            finally:
                records.pop()
        session = SESSION
        refused = LATEST.count
        session.running.append(self)
        if derivative:
            session.arguments = (args, kwargs)
        try:
            result = self.twin(*args)
            if self.after and not _are_same(self.after):
                with session.lock:
                    self.plain = derivative
                    self._push()
            if LATEST.count != refused:
                warn_of_caught()
            if session.suspects:
                result = kept.recomputed(result, lambda: self.twin(*args))
            if type(result) in ARGUMENTS:
                return result
            with session.lock:
                self.plain = False
                return self.leave_value(result)
        except Exception as error:
            with session.lock:
                self.plain = derivative
                self._push()
            self._leave_error(error)
            blame.note_line(error)
            raise
        finally:
            records.pop()
            session.running.pop()
            if session.touched or derivative:
                with session.lock:
                    self.plain = derivative
                    self._leave()

    def _settle(self) -> None:
        """See which checks and syncs later calls can pass over if nothing was rebound."""
        self.settled = ordered = self.ordered
        self.before, self.after, self.active = [], [], []
        for sync in ordered or ():
            found = sync.watched(self)
            if found is None:
                self.active.append(sync)
            else:
                self.before += found[0]
                self.after += found[1]
        self.quick = self.is_function and not self.active and not self.catches
        self.bare = self.quick and not any(
            _may_hold_tensors(v) for _, _, values, _ in self.before for v in values
        )

    def unchanged(self) -> bool:
        """Whether what was passed over is as it was found."""
        return self.settled is self.ordered and _are_same(self.before)

    def _enter(self, entered: bool) -> Any:
        """What stands for the target, with all that it reaches up to date."""
        if not entered:
            self._pull()
        function = self.twin
        if function is None and self.method is not None:
            return types.MethodType(self.method, self.visit(self.target.__self__))
        if function is None:
            function = self.visit(self.target)
            if self.ordered is None:  # more was found on the way
                self._pull()
            if self.is_function:
                self.twin = function
            elif isinstance(self.target, types.MethodType) and isinstance(
                function, types.MethodType
            ):
                self.method = function.__func__
        return function

    def _pull(self) -> None:
        """Bring all that is reached up to date; what is found on the way is pulled too."""
        if self.unchanged():
            ordered = self.ordered
            for sync in self.active:
                sync.pull(self)
            if self.ordered is ordered:
                return
        self.settled = ABSENT
        while True:
            if self.ordered is None:
                self.ordered = (
                    *self.checks.values(),
                    *self.syncs.values(),
                    *self.attributes.values(),
                )
            ordered = self.ordered
            for sync in ordered:
                sync.pull(self)
            if self.ordered is ordered:
                return

    def _push(self) -> None:
        """Give the user what lifted code has bound."""
        settled = self.settled is self.ordered and _are_same(self.after)
        for sync in self.active if settled else self.ordered or ():
            sync.push(self)

    def _leave(self) -> None:
        session = SESSION
        if session.running:
            return
        if texts.NUMBERS:
            texts.forget()
        if not session.touched:
            session.arguments = session.asked = None
            return
        if session.seen:
            for value, layout in [*session.seen.values()]:
                if layout is None or layout.slots or not layout.plain:
                    self._restore(value)
                else:
                    self._restore_attributes(value, layout.cls)
        for tensor, array, memory in session.arrays.values():
            family = tensor._family
            written = tensor._array is not memory or (family is not None and family.storage.version)
            if written and array.flags.writeable:
                note_overwritten(array, "a lifted function")
                np.copyto(array, tensor._array)
        stand_ins.forget_tracked()
        session.start()
        session.arguments = None

    # -- making fit -------------------------------------------------------------------------------

    def visit(self, value: Any) -> Any:
        """What lifted code has in the place of a value."""
        kind = type(value)
        if kind in INERT:
            return value
        SESSION.touched = True
        handler = self.handlers.get(kind)
        if handler is None:
            handler = self.handlers[kind] = self._handler(kind)
        value = handler(self, value)
        if self.todo and not self.fitting:
            self._fit_contents()
        return value

    def _fit_contents(self) -> None:
        """Contents of what was visited, one after the other: a long chain needs no deep stack."""
        self.fitting = True
        try:
            while self.todo:
                fitting.fit_contents(self, *self.todo.pop())
        finally:
            self.fitting = False
            self.todo.clear()

    def changes(self, value: Any) -> bool:
        """Whether what stands for a value must be looked at anew in each call."""
        return is_live(value) and self.handlers.get(type(value)) not in fitting.STATIC

    def _handler(self, kind: type) -> fitting.Handler:
        kind = ORIGINALS.get(kind) or kind
        for base in (TensorBase, type, types.ModuleType):
            if issubclass(kind, base):
                return fitting.HANDLERS[base]
        if kind.__name__ == "CPUDispatcher" and kind.__module__.startswith("numba."):
            return fitting.compiled
        if kind.__module__.startswith("arraygrad."):
            return fitting.same
        if self.lifter.twin_class(kind, self.visit, self.cells) is not kind:
            return fitting.instance_of(self, kind)
        if issubclass(kind, CONTAINERS):
            return fitting.HANDLERS[next(c for c in CONTAINERS if issubclass(kind, c))]
        return fitting.plain_tuple if issubclass(kind, tuple) else fitting.other

    def add_code(self, f: Any) -> None:
        """Take up what a function reaches through its globals."""
        code = f.__code__
        if code in self.codes:
            return
        self.codes.add(code)
        self.writes = self.writes or reach.may_write(code)
        self.divides = self.divides or reach.may_divide(code)
        self.catches = self.catches or not _ARITHMETIC_ERRORS.isdisjoint(reach.names_in(code))
        namespace = f.__globals__
        if SCOPE in namespace:
            return
        self.need(self.lifter.scope(namespace), reach.names_in(code), reach.stored_in(code))

    def need(self, scope: Scope, names: frozenset[str], stored: frozenset[str]) -> None:
        """Bind these names in a scope now, and keep them in step from now on."""
        raw = scope.raw
        check = self.checks.get(id(scope))
        if check is None:
            check = self.checks[id(scope)] = Check(scope)
            self.ordered = None
        check.asked |= names
        wanted = raw.keys() if reach.is_dynamic(names) else names & raw.keys()
        new = {n for n in wanted if not (n[:2] == "__" == n[-2:])}.difference(check.names)
        for name in [*wanted]:
            if isinstance(raw[name], types.ModuleType):
                self.need_of_module(raw[name], names, stored)
        if new or not stored <= check.stored:
            check.add(new, stored)
            self.ordered = None
            check.pull(self)

    def need_of_module(self, module: Any, names: frozenset[str], stored: frozenset[str]) -> None:
        """Bind these names in a module of the user, if it is one."""
        namespace = vars(module)
        if SCOPE in namespace or not self.lifter.is_users(namespace):
            return
        scope = self.lifter.scope(namespace)
        key = (id(scope), names, len(namespace))  # an import may have added to it
        if key not in self.codes:
            self.codes.add(key)
            self.need(scope, names, stored)

    def add_class(self, cls: Any) -> None:
        """Take up the methods and data of a class of the user and of its bases."""
        syncs = self.lifter.class_syncs
        if cls in self.classes or syncs[cls].building:
            return  # when it has been built it is taken up
        self.classes.add(cls)
        for base in cls.__mro__:
            sync = syncs.get(base)
            if sync is None or sync.building:
                continue
            if id(sync) not in self.syncs:
                self.syncs[id(sync)] = sync
                self.ordered = None
            self.add_methods(sync)
            sync.pull(self)

    def add_methods(self, sync: ClassSync) -> None:
        """Take up what the methods of a class, and of its metaclass, reach."""
        lifter, meta = self.lifter, type(sync.cls)
        for f in (*sync.functions(), *reach.functions_of_meta(meta)):
            method = lifter.methods.get(f)
            if method is not None:
                self.add_code(f)
                if id(method) not in self.syncs:
                    self.add_defaults(f, method)
        for owner in (sync.cls, *meta.__mro__):
            for cell, twin_cell in lifter.class_cells.get(owner, ()):
                self.add_cell(cell, twin_cell)

    def add_meta(self, meta: Any) -> None:
        """Take up the data of a class of classes, which has no twin."""
        if meta not in self.classes:
            self.classes.add(meta)
            sync = self.syncs[id(meta)] = MetaSync(meta)
            self.ordered = None
            sync.pull(self)

    def add_defaults(self, f: Any, twin: Any) -> None:
        """Keep the default arguments of a twin fit, if they need it."""
        values = (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
        if any(type(v) not in INERT for v in values):
            sync = DefaultsSync(f, twin)
            self.syncs[id(twin)] = sync
            self.ordered = None
            sync.pull(self)

    def add_attributes(self, f: Any, twin: Any) -> None:
        """Keep the attributes of a twin function in step, if code may rebind them."""
        sync = self.attributes.get(id(twin))
        if (sync is not None and sync.is_for(twin)) or not reach.sets_attributes(f):
            return
        sync = self.lifter.attributes.get(twin)
        if sync is None:
            sync = self.lifter.attributes[twin] = AttributesSync(f, twin)
        self.attributes[id(twin)] = sync
        self.ordered = None
        sync.pull(self)

    def add_cell(self, cell: Any, twin: Any) -> None:
        """Keep a twin of a closure cell in step; a class's methods may have another than ours."""
        if id(twin) not in self.syncs:
            sync = self.syncs[id(twin)] = CellSync(cell, twin)
            self.ordered = None
            sync.pull(self)

    def imported(self, module: Any, names: frozenset[str], stored: frozenset[str]) -> Any:
        """A module that lifted code imports."""
        if isinstance(module, types.ModuleType):
            self.need_of_module(module, names, stored)
        return self.visit(module)

    # -- undoing ----------------------------------------------------------------------------------

    def leave_value(self, value: Any) -> Any:
        """What the user has in the place of a value of lifted code."""
        kind = type(value)
        if kind in INERT:
            return value
        if isinstance(value, TensorBase):
            return self._leave_tensor(value)
        found = SESSION.replaced.get(id(value))
        if found is not None:
            return found[1]
        if isinstance(value, types.FunctionType | type):
            original = self.lifter.original(value)
            return rebinding.back(value) if original is None else original
        if isinstance(value, CONTAINERS):
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
        if id(tensor) in SESSION.suspects and id(tensor) in SESSION.replaced:
            return SESSION.replaced[id(tensor)][1]
        if not self.plain or id(tensor) in SESSION.kept:
            return tensor
        if SESSION.arguments is None and is_grad_enabled() and node_of(tensor) is not None:
            return tensor  # no derivative, and a tensor was reached that carries a gradient
        left = like_result(tensor)
        if SESSION.arguments is not None and node_of(tensor) is not None:
            if SESSION.prints is None:
                SESSION.prints = kept.prints_of(SESSION.arguments)
            kept.leave(left, SESSION.prints)
        return left

    def _leave_tuple(self, value: Any) -> Any:
        items = [self.leave_value(item) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def _leave_error(self, error: BaseException | None) -> None:
        """Give an error of the user's class, and those that it came of, back to the user."""
        known: set[int] = set()
        while error is not None and id(error) not in known:
            known.add(id(error))
            if self.lifter.original(type(error)) is not None:
                with SESSION.lock:
                    error.args = self._leave_tuple(error.args)
                    self._restore(error)
            error = error.__cause__ or error.__context__

    def _restore_attributes(self, value: Any, cls: type) -> None:
        """Undo in an object that holds nothing but attributes."""
        object.__setattr__(value, "__class__", cls)
        namespace = object.__getattribute__(value, "__dict__")
        seen = SESSION.seen
        for name in [n for n, v in namespace.items() if type(v) not in INERT]:
            item = namespace[name]
            if id(item) in seen:
                continue  # undone by itself
            left = self.leave_value(item)
            if left is not item and (id(namespace), name) not in SESSION.users:
                namespace[name] = left

    def _restore(self, value: Any) -> None:
        """Undo in an object or container, and in what it holds."""
        todo = [value]
        done: set[int] = set()
        while todo:
            value = todo.pop()
            if id(value) in done or (type(value) is dict and is_everybodys(value)):
                continue
            done.add(id(value))
            original = self.lifter.original(type(value))
            if original is not None:
                object.__setattr__(value, "__class__", original)
            if self.plain and isinstance(value, dict):
                memos.plain_keys(value)
            for replace, item in items_of(value):
                kind = type(item)
                if kind in INERT:
                    continue
                if kind in ARGUMENTS:
                    replace(self._leave_tensor(item))
                    continue
                if isinstance(item, CONTAINERS) or self.lifter.original(kind) is not None:
                    todo.append(item)
                    continue
                left = self.leave_value(item)
                if left is not item and not (SESSION.users and place_of(replace) in SESSION.users):
                    replace(left)


def like_result(tensor: Any) -> Any:
    """A tensor as NumPy would have it: a scalar or an array."""
    array = tensor._array
    return array if array.ndim or not stand_ins.is_scalar(tensor) else array[()]
