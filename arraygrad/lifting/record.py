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
from typing import Any

from .._apply import _Types
from .._storage import TensorBase
from . import fitting, guests, kept, reach, rebinding
from .class_sync import ClassSync, MetaSync
from .leaving import ARGUMENTS
from .lifter import SCOPE, Lifter, Scope
from .running import Running
from .session import CONTAINERS, INERT, SESSION, is_live
from .sync import AttributesSync, CellSync, CellTwin, Check, DefaultsSync
from .twin_classes import ORIGINALS

_ARITHMETIC_ERRORS = frozenset({"ZeroDivisionError", "OverflowError", "ArithmeticError"})


class Record(Running):
    """One thing to lift (a function, method, object) and all that it reaches."""

    def __init__(self, target: Any, lifter: Lifter) -> None:
        super().__init__(target)
        self.lifter = lifter
        self.codes: set[Any] = set()
        self.writes = False  # whether code was met that may write into arrays
        self.fills = False  # whether code was met that may put something into containers
        self.draws = False  # whether code was met that may draw random numbers
        self.divides = False  # whether code was met that may divide by an operator
        self.catches = False  # whether code was met that names errors of Python's arithmetic
        self.names_us = False  # whether code was met that imports this library
        # Up to how many codes known: the attributes and globals that they bind.
        self.rebound: tuple[int, frozenset[str]] = (0, frozenset())
        self.outside: tuple[int, bool] = (0, False)  # whether they reach files and the like
        self.classes: set[Any] = set()
        self.checks: dict[int, Check] = {}
        self.syncs: dict[int, Any] = {}
        self.attributes: dict[int, Any] = {}  # id(twin function) -> its AttributesSync
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.closures: dict[int, tuple[Any, Any]] = {}  # functions with cells of this record
        self.versions: dict[ClassSync, int] = {}  # up to which functions of classes are known
        self.twins: dict[Any, Any] = {}  # functions of modules and classes -> their twins
        self.handlers = dict(fitting.HANDLERS)
        self.uses: dict[type, fitting.Uses] = {}  # classes of which it got objects
        self.todo: list[Any] = []  # containers and objects whose contents are to be made fit
        self.plainly = type(self).visit is Record.visit  # nobody watches
        self.fitting = False
        self.guests: dict[int, guests.Guests] = {}  # of the calls that run, by thread
        self.empty: dict[int, guests.Empty] = {}  # of earlier calls
        # Functions that are no module's or class's: id -> weak reference, twin.
        self.passing: dict[int, tuple[weakref.ref[Any], Any]] = {}

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
        left = kept.met()
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
                        if id(item) not in session.arrays:
                            session.kept[id(item)] = item
                        continue
                    handler = handlers.get(kind)
                    if kind in INERT:
                        new = fitting.number(item)
                    elif handler is None or not self.plainly:
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
        module = str(kind.__module__)  # a descriptor in types that Cython makes
        if kind.__name__ == "CPUDispatcher" and module.startswith("numba."):
            return fitting.compiled
        if module.startswith("arraygrad."):
            return fitting.same
        if self.owned(self.lifter.twin_class, kind, self.visit, self.cells) is not kind:
            return fitting.instance_of(self, kind)
        if issubclass(kind, CONTAINERS):
            return fitting.HANDLERS[next(c for c in CONTAINERS if issubclass(kind, c))]
        return fitting.plain_tuple if issubclass(kind, tuple) else fitting.other

    def forget_handlers(self) -> None:
        """Have them made anew."""
        self.uses.clear()
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
        self.fills = self.fills or facts.fills
        self.divides = self.divides or facts.divides
        self.draws = self.draws or facts.draws
        self.catches = self.catches or not _ARITHMETIC_ERRORS.isdisjoint(facts.globals)
        self.names_us = self.names_us or "arraygrad" in facts.names
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
        if holder is self:
            for cell in f.__closure__:
                known = self.lifter.cell_twins.get(id(cell))
                if known is not None and known.cell is cell:
                    self.cells.setdefault(id(cell), (cell, known.twin))
        else:  # it may share some with the target
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
        if id(twin) in self.syncs:
            return
        known = self.lifter.cell_twins.get(id(cell)) if self.own else None
        if known is None or known.twin is not twin:
            known = CellTwin(cell, twin)
            if self.own:
                known = self.lifter.cell_twins.setdefault(id(cell), known)
                if known.twin is not twin:
                    known = CellTwin(cell, twin)
        self._add(twin, CellSync(cell, twin, known))

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
