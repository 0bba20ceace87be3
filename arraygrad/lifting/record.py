"""One thing to lift and all that it reaches; made fit before lifted code runs, undone after it.

Entering the outermost lifted call, values that lifted code will meet are made fit: objects of the
user's classes change to the twin class, arrays on them and in globals and closures become tensors
(sharing memory until something is written), functions in containers become twins. Leaving it, all
of this is undone: objects have their own class again, arrays are the same objects with the new
values written into them, globals and closure variables that were rebound are rebound in the
user's namespace. Only what the function can reach is looked at.
"""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from .._apply import _Types
from .._detach import LATEST, as_pythons, warn_of_caught
from .._storage import TensorBase
from ..autograd.recorded import by_numbers
from . import beside, blame, fitting, guests, kept, python_arithmetic, reach, rebinding
from .class_sync import ClassSync, MetaSync
from .leaving import ARGUMENTS, Leaving
from .lifter import SCOPE, Lifter, Scope
from .session import ABSENT, CONTAINERS, INERT, SESSION, THREAD, is_live
from .sync import AttributesSync, CellSync, Check, DefaultsSync
from .twin_classes import ORIGINALS
from .watched import Watched, may_hold_tensors

_ARITHMETIC_ERRORS = frozenset({"ZeroDivisionError", "OverflowError", "ArithmeticError"})


def mark_numbers(args: Iterable[Any]) -> None:
    """Note that scalars among the arguments stand for Python's numbers."""
    for a in args:
        if type(a) is _Types.scalar:
            as_pythons(a)


class Record(Leaving):
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
        # What shows that some need no pull, if nothing changed, and no push.
        self.before: Watched | None = None
        self.after: Watched | None = None
        self.active: list[Any] = []  # all others
        self.quick = False  # whether there are no others
        self.limit = 0  # of closures that the target reaches
        self.overgrown = False  # whether there have been more: it was given others again and again
        self.bare = False  # whether no tensor is reached but by arguments
        self.calls = 0  # which call it is, for classes that are looked at once in each
        self.own = False  # whether what is met is reached by the target, not by arguments alone
        self.guests: dict[int, guests.Guests] = {}  # of the calls that run, by thread
        self.empty: dict[int, guests.Empty] = {}  # of earlier calls
        # Functions that are no module's or class's: id -> weak reference, twin.
        self.passing: dict[int, tuple[weakref.ref[Any], Any]] = {}

    # -- entering and leaving ---------------------------------------------------------------------

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the target with what it reaches made fit."""
        session = SESSION
        records = THREAD.records
        outermost = not records
        refused = LATEST.count
        entered = not outermost and self in records
        derivative = plain and not plain_result
        lock = session.lock  # taken by its methods, at half the cost of a with statement
        if outermost and not plain_result:
            session.asked = (args, kwargs)
            if derivative:
                session.arguments = session.asked
        records.append(self)
        try:
            # Twins are shared by all threads: one at a time makes them and brings them up to date.
            lock.acquire()
            try:
                if session.lent and outermost:  # of a call that made nothing fit
                    session.take_back()
                self.calls += not entered
                function = self._enter(entered)
                visit = self.visit
                args = tuple([a if type(a) in ARGUMENTS else visit(a) for a in args])
                if kwargs:
                    kwargs = {k: v if type(v) in ARGUMENTS else visit(v) for k, v in kwargs.items()}
            finally:
                lock.release()
            numbers = outermost and derivative and by_numbers()
            if numbers:
                mark_numbers(args)
            if (numbers and self.divides) or (outermost and self.catches):
                with python_arithmetic.as_of_floats(numbers and self.catches):
                    result = function(*args, **kwargs)
            else:
                result = function(*args, **kwargs)
            if outermost:
                if LATEST.count != refused:
                    warn_of_caught()
                if session.asked is not None:
                    result = beside.without_memos(self, result, function, args, kwargs)
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
                self.leave_error(error)
                blame.note_line(error)
            raise
        finally:
            lock.acquire()
            try:
                self.plain = plain
                if not entered:
                    self._push()
                records.pop()
                if outermost:
                    self.leave()
                if self.guests and not entered:
                    self._dismiss()
                if outermost:
                    if self.settled is not self.ordered:
                        self._settle()
            finally:
                lock.release()

    def run_settled(self, args: tuple[Any, ...], kwargs: dict[str, Any], derivative: bool) -> Any:
        """Call the twin: it is up to date, and the arguments are fit as they are."""
        records = THREAD.records
        if records:
            records.append(self)
            try:
                return self.twin(*args, **kwargs)
            finally:
                records.pop()
        session = SESSION
        refused = LATEST.count
        if derivative:
            session.arguments = (args, kwargs)
        records.append(self)
        try:
            result = self.twin(*args, **kwargs)
            if session.rebound or (self.after is not None and not self.after.is_same()):
                with session.lock:
                    self.plain = derivative
                    self._push()
            if LATEST.count != refused:
                warn_of_caught()
            if session.touched and session.suspects:
                run = functools.partial(self.twin, *args, **kwargs)
                moved = functools.partial(beside.moved, self.twin, args, kwargs)
                result = kept.recomputed(result, run, moved)
            if type(result) in ARGUMENTS:
                return result
            with session.lock:
                self.plain = False
                return self.leave_value(result)
        except Exception as error:
            with session.lock:
                self.plain = derivative
                self._push()
            self.leave_error(error)
            blame.note_line(error)
            raise
        finally:
            records.pop()
            if session.touched or derivative:
                with session.lock:
                    self.plain = derivative
                    self.leave()

    def run_fitting(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the twin: it is up to date, and the arguments are to be made fit."""
        records = THREAD.records
        if records:
            return self.run(args, kwargs, plain, plain_result)
        session = SESSION
        lock = session.lock
        refused = LATEST.count
        if not plain_result:
            session.asked = (args, kwargs)
            if plain:
                session.arguments = session.asked
        records.append(self)
        try:
            lock.acquire()
            try:
                self.calls += 1
                fitted = []
                for a in args:
                    kind = type(a)
                    if kind not in ARGUMENTS:
                        handler = self.handlers.get(kind)
                        a = self.visit(a) if handler is None else handler(self, a)
                    fitted.append(a)
                for name, a in kwargs.items():
                    kwargs[name] = self.visit(a)
                if self.todo:
                    self.fit_contents()
                function = self.twin if self.is_function else self._enter(True)
            finally:
                lock.release()
            result = function(*fitted, **kwargs)
            if LATEST.count != refused:
                warn_of_caught()
            if not plain_result:
                result = beside.without_memos(self, result, function, tuple(fitted), kwargs)
            kind = type(result)
            if kind in INERT or (not plain_result and kind in ARGUMENTS):
                return result
            with lock:
                self.plain = plain_result
                return self.leave_value(result)
        except Exception as error:
            self.plain = plain
            self.leave_error(error)
            blame.note_line(error)
            raise
        finally:
            lock.acquire()
            try:
                self.plain = plain
                if (
                    self.guests
                    or session.rebound
                    or self.settled is not self.ordered
                    or not (self.after is None or self.after.is_same())
                ):
                    self._push()
                records.pop()
                self.leave()
                if self.guests:
                    fitted = a = None  # type: ignore[assignment]  # nobody else has the twins
                    self._dismiss()
                if self.settled is not self.ordered:
                    self._settle()
            finally:
                lock.release()

    def _settle(self) -> None:
        """See which checks and syncs later calls can pass over if nothing was rebound."""
        if self.ordered is None:  # more was met with the arguments, and brought up to date
            self.ordered = self._all()
        self.settled = self.ordered
        before, after = Watched(), Watched()
        self.active = [sync for sync in self.ordered if not sync.watch(before, after)]
        self.quick = not self.active and not self.catches
        self.bare = self.is_function and not any(map(may_hold_tensors, before.values()))
        self.before, self.after = before.or_none(), after.or_none()
        self.limit = self.limit or 64 + 2 * len(self.closures)
        self.overgrown = len(self.closures) > self.limit

    def unchanged(self) -> bool:
        """Whether what was passed over is as it was found."""
        return self.settled is self.ordered and (self.before is None or self.before.is_same())

    def _enter(self, entered: bool) -> Any:
        """What stands for the target, with all that it reaches up to date."""
        if not entered and (self.active or not self.unchanged()):
            self.owned(self._pull)
        function = self.twin
        if function is None and self.method is not None:
            return types.MethodType(self.method, self.visit(self.target.__self__))
        if function is None:
            function = self.owned(self.visit, self.target)
            if self.ordered is None:  # more was found on the way
                self.owned(self._pull)
            if self.is_function:
                self.twin = function
            elif isinstance(self.target, types.MethodType) and isinstance(
                function, types.MethodType
            ):
                self.method = function.__func__
        return function

    def owned(self, do: Callable[..., Any], *args: Any) -> Any:
        """Call `do`; what is met meanwhile is reached by the target itself."""
        before, self.own = self.own, True
        try:
            return do(*args)
        finally:
            self.own = before

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
                self.ordered = self._all()
            ordered = self.ordered
            for sync in ordered:
                sync.pull(self)
            if self.ordered is ordered:
                return

    def _all(self) -> tuple[Any, ...]:
        return (*self.checks.values(), *self.syncs.values(), *self.attributes.values())

    def _push(self) -> None:
        """Give the user what lifted code has bound."""
        if self.settled is self.ordered and (self.after is None or self.after.is_same()):
            pushed: Any = self.active
        else:
            pushed = self.ordered or self._all()
        for sync in pushed:
            sync.push(self)
        if SESSION.rebound:
            SESSION.rebound = False
            for sync in [*self.lifter.class_syncs.values()]:
                sync.push(self)
        if self.guests:
            known = self.guests.get(threading.get_ident())
            if known is not None:
                known.push(self)

    def _dismiss(self) -> None:
        """Forget the closures that came with the arguments."""
        known = self.guests.pop(threading.get_ident(), None)
        if known is not None and not THREAD.records:
            known.keep(self)

    # -- making fit -------------------------------------------------------------------------------

    def visit(self, value: Any) -> Any:
        """What lifted code has in the place of a value."""
        kind = type(value)
        if kind in INERT:
            return value
        handler = self.handlers.get(kind)
        if handler is None:
            handler = self.handlers[kind] = self._handler(kind)
        value = handler(self, value)
        if self.todo and not self.fitting:
            self.fit_contents()
        return value

    def fit_contents(self) -> None:
        """Contents of what was visited, one after the other: a long chain needs no deep stack."""
        self.fitting = True
        session, todo, handlers = SESSION, self.todo, self.handlers
        plainly = type(self).visit is Record.visit
        left = kept.LEFT if session.arguments is not None else ()
        try:
            while todo:
                value, layout = todo.pop()
                if layout is not None and layout.plain:
                    owner = value.__dict__ if layout.direct else layout.namespace(value)
                    items = owner.items()
                elif type(value) is dict:
                    owner, items = value, value.items()
                elif type(value) is list:
                    owner, items = value, enumerate(value)
                else:
                    fitting.fit_places(self, value, layout)
                    continue
                for key, item in [
                    p for p in items if type(p[1]) not in INERT or (left and id(p[1]) in left)
                ]:
                    kind = type(item)
                    if kind is _Types.tensor or kind is _Types.scalar:
                        session.kept[id(item)] = item
                        continue
                    handler = handlers.get(kind)
                    if kind in INERT:
                        new = fitting.number(item)
                    elif handler is None or not plainly:
                        new = self.visit(item)
                    else:
                        new = handler(self, item)
                    if new is not item:
                        owner[key] = new
                        if type(new) not in ARGUMENTS:  # tensors are known by session.arrays
                            session.replaced[id(new)] = (new, item)
                        if session.suspects:
                            replace = functools.partial(owner.__setitem__, key)
                            kept.placed_in(value, new, replace)
                    elif id(item) in rebinding.BACK:
                        session.users.add((id(owner), key))
        finally:
            self.fitting = False
            todo.clear()

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
        if self.owned(self.lifter.twin_class, kind, self.visit, self.cells) is not kind:
            return fitting.instance_of(self, kind)
        if issubclass(kind, CONTAINERS):
            return fitting.HANDLERS[next(c for c in CONTAINERS if issubclass(kind, c))]
        return fitting.plain_tuple if issubclass(kind, tuple) else fitting.other

    def forget_handlers(self) -> None:
        """Have them made anew."""
        self.handlers.clear()
        self.handlers.update(fitting.HANDLERS)

    def add_code(self, f: Any) -> None:
        """Take up what a function reaches through its globals."""
        code = f.__code__
        if code in self.codes:
            return
        self.codes.add(code)
        facts = reach.facts(code)
        self.writes = self.writes or facts.writes
        self.divides = self.divides or facts.divides
        self.catches = self.catches or not _ARITHMETIC_ERRORS.isdisjoint(facts.globals)
        namespace = f.__globals__
        if SCOPE in namespace:
            return
        names = facts.names if reach.is_dynamic(facts.names) else facts.globals
        scope = self.lifter.scope(namespace)
        self.owned(self.need, scope, names, facts.stored, facts.names, facts.assigned)

    def need(
        self,
        scope: Scope,
        names: frozenset[str],
        stored: frozenset[str],
        attributes: frozenset[str],
        assigned: frozenset[str],
    ) -> None:
        """Bind names in a scope now, those that code stores too, and keep them in step from now on.

        In modules of the user that they stand for, `attributes` are names that the code asks for.
        """
        raw = scope.raw
        check = self.checks.get(id(scope))
        if check is None:
            check = self.checks[id(scope)] = Check(scope)
            self.ordered = None
        check.asked |= names
        check.attributes |= attributes
        check.assigned |= assigned
        wanted = raw.keys() if reach.is_dynamic(names) else names & raw.keys()
        new = {n for n in wanted if not (n[:2] == "__" == n[-2:])}.difference(check.names)
        for name in [*wanted]:
            if isinstance(raw[name], types.ModuleType):
                self.need_of_module(raw[name], attributes, assigned)
        if new or not stored <= check.stored:
            check.add(new, stored)
            self.ordered = None
            check.pull(self)

    def need_of_module(
        self, module: types.ModuleType, names: frozenset[str], stored: frozenset[str]
    ) -> None:
        """Bind these names in a module of the user, if it is one."""
        namespace = vars(module)
        if SCOPE in namespace or not self.lifter.is_users(namespace):
            return
        scope = self.lifter.scope(namespace)
        key = (id(scope), names, stored, len(namespace))  # an import may have added to it
        if key not in self.codes:
            self.codes.add(key)
            self.owned(self.need, scope, names, stored, names, stored)

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

    def add_codes(self, sync: ClassSync) -> None:
        """Take up what the code of a class, and of its metaclass, reaches."""
        lifter, meta = self.lifter, type(sync.cls)
        for f in (*sync.functions(), *reach.functions_of_meta(meta)):
            method = lifter.methods.get(f)
            if method is not None:
                self.add_code(f)
                if id(method) not in self.syncs:
                    self.add_defaults(f, method)

    def add_methods(self, sync: ClassSync) -> None:
        """Take up all that the methods of a class, and of its metaclass, reach."""
        self.add_codes(sync)
        lifter, meta = self.lifter, type(sync.cls)
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

    # -- closures ---------------------------------------------------------------------------------

    def holder(self) -> Record | guests.Guests:
        """Where closures that are met now are kept."""
        if self.own:
            return self
        return guests.of_thread(self)

    def twin_of(self, f: Any) -> Any:
        """The twin that a closure has, or None."""
        found = self.closures.get(id(f))
        if found is None and self.guests:
            known = self.guests.get(threading.get_ident())
            found = None if known is None else known.closures.get(id(f))
        if found is None:
            if not self.own and id(f) in self.empty:
                return guests.of_thread(self).again(self, f)
            return None
        return found[1]

    def all_closures(self) -> list[tuple[Any, Any]]:
        """Closures that the call that runs has, and their twins."""
        known = self.guests.get(threading.get_ident()) if self.guests else None
        return [*self.closures.values(), *(known.closures.values() if known is not None else ())]

    def cells_for(self, f: Any) -> dict[int, tuple[Any, Any]]:
        """Twins of closure cells by the cells' ids, where those of a function belong."""
        holder = self.holder()
        if holder is not self:  # it may share some with the target
            for cell in f.__closure__:
                if id(cell) in self.cells:
                    holder.cells[id(cell)] = self.cells[id(cell)]
        return holder.cells

    def add_defaults(self, f: Any, twin: Any) -> None:
        """Keep the default arguments of a twin fit, if they need it."""
        values = (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())
        if any(type(v) not in INERT for v in values):
            self._add(twin, DefaultsSync(f, twin))

    def add_attributes(self, f: Any, twin: Any) -> None:
        """Keep the attributes of a twin function in step, if code may rebind them."""
        holder = self.holder()
        sync = holder.attributes.get(id(twin))
        if (sync is not None and sync.is_for(twin)) or not reach.sets_attributes(f):
            return
        sync = self.lifter.attributes.get(twin)
        if sync is None:
            sync = self.lifter.attributes[twin] = AttributesSync(f, twin)
        holder.attributes[id(twin)] = sync
        if holder is self:
            self.ordered = None
        sync.pull(self)

    def add_cell(self, cell: Any, twin: Any) -> None:
        """Keep a twin of a closure cell in step; a class's methods may have another than ours."""
        if id(twin) not in self.syncs:
            self._add(twin, CellSync(cell, twin))

    def _add(self, twin: Any, sync: Any) -> None:
        holder = self.holder()
        if id(twin) not in holder.syncs:
            holder.syncs[id(twin)] = sync
            if holder is self:
                self.ordered = None
            sync.pull(self)

    def imported(self, module: Any, names: frozenset[str], stored: frozenset[str]) -> Any:
        """A module that lifted code imports."""
        if isinstance(module, types.ModuleType):
            self.need_of_module(module, names, stored)
        return self.visit(module)
