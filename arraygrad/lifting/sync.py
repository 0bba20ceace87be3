"""Keeping what lifted code has of the user's variables in step with the user's own.

Each class has `pull` (before lifted code runs) and `push` (after it): globals, closure cells,
attributes of functions, default arguments. The entries of classes: class_sync.py.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from .. import _compiled
from . import kept
from .session import ABSENT, INERT, SESSION, THREAD, is_live
from .watched import Watched

# What stands for a value in this call; None if that needs more than to be handed over.
Fit = Callable[[Any], Any]

if TYPE_CHECKING:
    from .lifter import Scope
    from .record import Record


class Check:
    """Keeps the names of one scope that a record reaches in step with the user's namespace."""

    __slots__ = (
        "asked", "assigned", "attributes", "getter", "live", "names", "rebound", "scope", "size",
        "stored", "taken", "values", "written",
    )  # fmt: skip

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.names: tuple[str, ...] = ()
        self.stored: frozenset[str] = frozenset()  # names that code binds, here or elsewhere
        self.asked: frozenset[str] = frozenset()  # all names of the code, bound or not
        # Of modules that its names stand for: attributes that code asks for, and sets.
        self.attributes: frozenset[str] = frozenset()
        self.assigned: frozenset[str] = frozenset()
        self.size = len(scope.raw)
        self.rebound: set[str] = set()  # those that calls have bound
        self.taken = False  # whether some were taken since the last pull
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
        if self.taken:
            self.taken = False
            written = {name: self.written[name] for name in self.rebound}
            known = zip(self.names, self.values, strict=False)
            self.values = tuple([written.get(name, value) for name, value in known])
        if len(raw) != self.size:  # a name that was missing may have come
            self.size = len(raw)
            record.need(self.scope, self.asked, self.stored, self.attributes, self.assigned)
        if self.getter is not None and self.values:
            try:
                if all(map(operator.is_, self.getter(raw), self.values)):
                    if self.live:
                        self._pull_names(self.live, record)
                    return
            except KeyError:
                pass
        values = tuple([raw.get(name, ABSENT) for name in self.names])
        if len(values) == len(self.values) and all(map(operator.is_, values, self.values)):
            if self.live:
                self._pull_names(self.live, record)
            return
        record.settled = ABSENT
        names = self.names
        self.values = values
        self._pull_names(names, record)
        if self.names is names:  # else more were found on the way, and have been pulled
            self.live = [
                n for n, v in zip(names, values, strict=True)
                if v is not ABSENT and record.changes(v)
            ]  # fmt: skip

    def watch(self, before: Watched, after: Watched) -> bool:
        """Say what shows that a pull and a push have nothing to do; False if they may have."""
        raw, twin, passed = self.scope.raw, self.scope.twin, self.rebound.union(self.live)
        if self.stored:  # most are attributes of objects, and no globals
            after.sizes.append((twin, len(twin)))
            after.names += [
                (twin, n, twin[n]) for n in self.stored if n in twin and n not in passed
            ]
        if self.asked:  # a name that is missing may come
            before.sizes.append((raw, self.size))
        before.names += [(raw, n, raw.get(n, ABSENT)) for n in self.names if n not in passed]
        return not passed

    def gives(self, roots: Roots) -> bool:
        """Say by which names values are handed over with arguments; False if that cannot be."""
        if not self.stored.isdisjoint(self.live):
            return False
        if self.rebound:
            roots.syncs.append(self)
        scope = self.scope
        roots.names += [(scope.raw, name, scope.twin, scope.pulled) for name in self.live]
        return True

    def hand_over(self, record: Record, fit: Fit, left: Any) -> bool:
        """Give the twin the numbers that code binds; False if they are none, or left behind."""
        raw, twin, pulled = self.scope.raw, self.scope.twin, self.scope.pulled
        for name in self.rebound:
            value = raw.get(name, ABSENT)
            if type(value) not in INERT or (left and id(value) in left):
                return False
            self.written[name] = value
            if twin.get(name, ABSENT) is not value:
                twin[name] = value
                pulled[name] = (value, value)
        return True

    def take(self) -> bool:
        """Give the user the numbers that code has bound; False if they are none."""
        raw, twin = self.scope.raw, self.scope.twin
        for name in self.rebound:
            now = twin.get(name, ABSENT)
            if now is not self.written[name]:
                if type(now) not in INERT:
                    return False
                raw[name] = self.written[name] = now
                self.scope.pulled[name] = (now, now)
                self.taken = True
        return True

    def look(self, sight: Watched) -> bool:
        """Say what code may get by the names; False if it cannot be told."""
        raw = self.scope.raw
        if len(raw) != self.size or len(self.values) != len(self.names):
            return False
        sight.sizes.append((raw, self.size))
        for name, value in zip(self.names, self.values, strict=True):
            if name in self.live or name in self.stored:
                sight.live.append((raw, name))
            else:
                sight.names.append((raw, name, value))
        return True

    def _pull_names(self, names: Iterable[str], record: Record) -> None:
        raw = self.scope.raw
        twin = self.scope.twin
        pulled = self.scope.pulled
        inside = len(THREAD.records) > 1
        for name in names:
            value = raw.get(name, ABSENT)
            if inside and self._is_bound(name, value):
                value = twin[name]
            elif value is ABSENT:
                twin.pop(name, None)
            else:
                kind = type(value)
                if kind is ndarray and record.plainly:  # at half the cost
                    new = twin[name] = record.handlers[kind](record, value)
                else:
                    new = twin[name] = standing(record, value)
                pulled[name] = (value, new)
                if SESSION.suspects:
                    kept.placed(new, f"the global {name}", functools.partial(twin.get, name))
                    if new is not value and type(value) in INERT:
                        SESSION.lent.append(self.forget)
                value = new
            if name in self.stored:
                self.written[name] = value

    def _is_bound(self, name: str, value: Any) -> bool:
        """Whether a call that goes on outside of this one has bound a name in the twin."""
        last = self.scope.pulled.get(name)
        if last is None or last[0] is not value:
            return False
        return self.scope.twin.get(name, last[1]) is not last[1]

    def push(self, record: Record) -> None:
        """Bind in the user's namespace what lifted code has bound in the twin."""
        if not self.stored:
            return
        raw = self.scope.raw
        twin = self.scope.twin
        for name in self.stored:
            now = twin.get(name, ABSENT)
            if now is self.written.get(name, raw.get(name, ABSENT)):
                continue
            self.rebound.add(name)
            self.written[name] = now
            if now is ABSENT:
                raw.pop(name, None)
            else:
                left = raw[name] = record.leave_value(now)
                if len(THREAD.records) > 1:  # the twin's stays, for the call that goes on
                    self.scope.pulled[name] = (left, ABSENT)
                if left is not now and type(left) in INERT:
                    SESSION.lent.append(self.forget)
            if name in self.names:
                self.values = tuple([raw.get(n, ABSENT) for n in self.names])
                if record.changes(raw.get(name)) and name not in self.live:
                    self.live.append(name)
            else:
                self.add((name,), frozenset())
                record.ordered = None

    def forget(self) -> None:
        """Give the twin the user's numbers: it holds tensors of a call that has ended."""
        raw, twin = self.scope.raw, self.scope.twin
        for name in self.names:
            value = raw.get(name, ABSENT)
            if type(value) in INERT and twin.get(name, value) is not value:
                twin[name] = value
        self.values = ()


class CellTwin:
    """A closure cell of the user, and its twin, which all records share that reach it."""

    __slots__ = ("__weakref__", "cell", "set", "twin")

    def __init__(self, cell: Any, twin: Any) -> None:
        self.cell = cell
        self.twin = twin
        self.set: Any = ABSENT  # what was put into the twin last


class CellSync:
    """Keeps a twin closure cell in step with the user's."""

    __slots__ = ("cell", "live", "set", "shared", "twin", "value")

    def __init__(self, cell: Any, twin: Any, shared: CellTwin | None = None) -> None:
        self.cell = cell
        self.twin = twin
        self.shared = CellTwin(cell, twin) if shared is None else shared
        self.value: Any = ABSENT
        self.set: Any = ABSENT
        self.live = True

    def pull(self, record: Record) -> None:
        """Bring the twin up to date."""
        try:
            value = self.cell.cell_contents
        except ValueError:  # not bound yet
            return
        shared = self.shared
        if value is self.value and not self.live and shared.set is self.set:
            return
        if value is not self.value and record.own:
            record.settled = ABSENT
        kind = type(value)
        if kind is ndarray and record.plainly:
            self.set = record.handlers[kind](record, value)
            self.live = True
        else:
            self.set = standing(record, value)
            self.live = record.changes(value)
        self.value = value
        if shared.set is not ABSENT and self._now() is not shared.set:
            self.set = shared.set  # code that is running has bound it: that is given to the user
            return
        shared.set = self.twin.cell_contents = self.set
        if SESSION.suspects:
            kept.placed(self.set, "a variable of an enclosing function", self._now)
            if self.set is not value and type(value) in INERT:
                SESSION.lent.append(self.forget)

    def watch(self, before: Watched, after: Watched) -> bool:
        """Say what shows that a pull and a push have nothing to do; False if they may have."""
        if self.live or self.value is ABSENT:
            return False
        before.cells += [(self.cell, self.value), (self.twin, self.set)]
        after.cells.append((self.twin, self.set))
        return True

    def gives(self, roots: Roots) -> bool:
        """Say that the value is handed over with arguments."""
        roots.cells.append(self)
        return True

    def give(self, value: Any, new: Any) -> None:
        """Put into the twin what stands for a value."""
        self.value = value
        self.set = self.shared.set = self.twin.cell_contents = new

    def look(self, sight: Watched) -> bool:
        """Say what code may get of the variable."""
        sight.open_cells.append(self.cell)
        return True

    def _now(self) -> Any:
        try:
            return self.twin.cell_contents
        except ValueError:  # not bound
            return ABSENT

    def forget(self) -> None:
        """Have it pulled again: the twin holds a tensor of a call that has ended."""
        self.live = True
        self.shared.set = self.twin.cell_contents = self.set = self.value

    def push(self, record: Record) -> None:
        """Give the user what lifted code has bound."""
        now = self._now()
        if now is not ABSENT and now is not self.shared.set:
            self.set = self.shared.set = now
            self.value = self.cell.cell_contents = record.leave_value(now)
            self.live = True


class DefaultsSync:
    """Keeps default arguments of a twin function (arrays, lists, functions) fit."""

    __slots__ = ("changes", "f", "live", "pulled", "twin")

    def __init__(self, f: Any, twin: Any) -> None:
        self.f = f
        self.twin = twin
        self.changes: Callable[[Any], bool] = is_live
        self.pulled: Any = None  # the user's, for which the twin has its own
        self.live: list[int] = []  # which must be looked at anew in each call

    def pull(self, record: Record) -> None:
        """Bring the twin up to date."""
        self.changes = record.changes
        self.pulled = self.f.__defaults__
        self.live = [i for i, value in enumerate(self.pulled or ()) if record.changes(value)]
        if self.f.__defaults__:
            self.twin.__defaults__ = tuple(map(record.visit, self.f.__defaults__))
        if self.f.__kwdefaults__:
            self.twin.__kwdefaults__ = {
                k: record.visit(v) for k, v in self.f.__kwdefaults__.items()
            }

    def push(self, record: Record) -> None:
        """Nothing: a default argument cannot be rebound by a call."""

    def watch(self, before: Watched, after: Watched) -> bool:
        """Say what shows that a pull has nothing to do; False if it may have."""
        f = self.f
        if f.__kwdefaults__ or f.__defaults__ is None or any(map(self.changes, f.__defaults__)):
            return False
        before.attributes.append((f, "__defaults__", f.__defaults__))
        return True

    def gives(self, roots: Roots) -> bool:
        """Say that the values are handed over with arguments."""
        roots.syncs.append(self)
        return True

    def hand_over(self, record: Record, fit: Fit, left: Any) -> bool:
        """Give the twin what stands for the values in this call; False if some need more."""
        f, twin = self.f, self.twin
        given, keywords = f.__defaults__, f.__kwdefaults__
        if given is not self.pulled:
            return False
        bound: Any = None
        for i in self.live:
            new = fit(given[i])
            if new is None:
                return False
            if new is not twin.__defaults__[i]:
                bound = bound or [*twin.__defaults__]
                bound[i] = new
        if bound:
            twin.__defaults__ = tuple(bound)
        if keywords:
            named = {k: v if type(v) in INERT else fit(v) for k, v in keywords.items()}
            if any(v is None and keywords[k] is not None for k, v in named.items()):
                return False
            twin.__kwdefaults__ = named
        return True

    def take(self) -> bool:
        """Nothing: a default argument cannot be rebound by a call."""
        return True

    def look(self, sight: Watched) -> bool:
        """Say what code may get of them."""
        sight.values_of.append(self._values)
        return True

    def _values(self) -> list[Any]:
        return [*(self.f.__defaults__ or ()), *(self.f.__kwdefaults__ or {}).values()]


class AttributesSync:
    """Keeps the attributes of a twin function (counters, caches) in step with the user's.

    One for all records, so that a call inside of a call does not undo what was bound.
    """

    __slots__ = ("_f", "_twin", "live", "set", "values")

    def __init__(self, f: Any, twin: Any) -> None:
        self._f = weakref.ref(f)
        self._twin = weakref.ref(twin)
        self.values: dict[str, Any] = {}
        self.set: dict[str, Any] = {}
        self.live = True  # whether some must be looked at anew in each call

    def twin(self) -> Any:
        """The twin function; None if it is gone."""
        return self._twin()

    def is_for(self, twin: Any) -> bool:
        """Whether this is of `twin`, not of an earlier one whose id was the same."""
        return self._twin() is twin

    def watch(self, before: Watched, after: Watched) -> bool:
        """Say what shows that a pull and a push have nothing to do; False if they may have."""
        f, twin = self._f(), self._twin()
        if f is None or twin is None or self.live:
            return False
        for namespace, values, watched in (
            (vars(f), self.values, before),
            (vars(twin), self.set, after),
        ):
            if namespace.keys() - _OWN != values.keys():
                return False
            watched.sizes.append((namespace, len(namespace)))
            watched.names += [(namespace, name, value) for name, value in values.items()]
        return True

    def gives(self, roots: Roots) -> bool:
        """Say that the values are handed over with arguments."""
        roots.syncs.append(self)
        return True

    def hand_over(self, record: Record, fit: Fit, left: Any) -> bool:
        """Give the twin what stands for the values in this call; False if some need more."""
        f, twin = self._f(), self._twin()
        if f is None or twin is None:
            return False
        held = vars(f)
        if len(held) - ("__wrapped__" in held) != len(self.values):
            return False
        for name, was in self.values.items():
            value = held.get(name, ABSENT)
            new = value if type(value) in INERT else None if value is ABSENT else fit(value)
            if (new is None and value is not None) or (left and id(value) in left):
                return False
            if value is not was or new is not self.set[name]:
                self.values[name] = value
                self.set[name] = vars(twin)[name] = new
        return True

    def take(self) -> bool:
        """Give the user the numbers that code has bound; False if it has bound anything else."""
        f, twin = self._f(), self._twin()
        if f is None or twin is None:
            return False
        held = vars(twin)
        if len(held) - ("__wrapped__" in held) != len(self.set):
            return False
        for name, was in self.set.items():
            now = held.get(name, ABSENT)
            if now is not was:
                if type(now) not in INERT:
                    return False
                self.set[name] = self.values[name] = vars(f)[name] = now
        return True

    def look(self, sight: Watched) -> bool:
        """Say what code may get of them."""
        sight.values_of.append(self._values)
        return True

    def _values(self) -> list[Any]:
        f = self._f()
        return [] if f is None else [v for name, v in vars(f).items() if name not in _OWN]

    def pull(self, record: Record) -> None:
        """Bring the twin up to date."""
        f, twin = self._f(), self._twin()
        if f is None or twin is None:
            return
        self.live = False
        for name, value in [*vars(f).items()]:
            changes = record.changes(value)
            self.live = self.live or (changes and name not in _OWN)
            if name not in _OWN and (changes or value is not self.values.get(name, ABSENT)):
                if record.own and value is not self.values.get(name, ABSENT):
                    record.settled = ABSENT
                self.values[name] = value
                new = self.set[name] = vars(twin)[name] = standing(record, value)
                if SESSION.suspects:
                    now = functools.partial(vars(twin).get, name)
                    kept.placed(new, f"the attribute {name!r} of a function", now)
                    if new is not value and type(value) in INERT:
                        SESSION.lent.append(functools.partial(self.forget, name))
        for name in self.values.keys() - vars(f).keys():
            del self.values[name], self.set[name]
            vars(twin).pop(name, None)

    def push(self, record: Record) -> None:
        """Give the user what lifted code has bound."""
        f, twin = self._f(), self._twin()
        if f is None or twin is None:
            return
        for name, now in [*vars(twin).items()]:
            if name not in _OWN and now is not self.set.get(name, ABSENT):
                self.set[name] = now
                self.live = True
                left = self.values[name] = vars(f)[name] = record.leave_value(now)
                if left is not now and type(left) in INERT:
                    SESSION.lent.append(functools.partial(self.forget, name))
        for name in self.values.keys() - vars(twin).keys():
            del self.values[name], self.set[name]
            vars(f).pop(name, None)

    def forget(self, name: str) -> None:
        """Have it pulled again: the twin holds a tensor of a call that has ended."""
        if name in self.values:
            self.values[name] = ABSENT
            self.live = True
            f, twin = self._f(), self._twin()
            if f is not None and twin is not None and name in vars(f):
                self.set[name] = vars(twin)[name] = vars(f)[name]


class Roots(_compiled.base("QuickRoots")):  # type: ignore[misc]
    """Names and variables whose values are handed over with the arguments of a call.

    names : list of (the user's namespace, name, the twin's namespace, what it was given)
    cells : list of CellSync
    syncs : list
        Others, which hand over their values themselves, and take what was bound.
    """

    def __init__(self) -> None:
        self.names: list[tuple[dict[str, Any], str, dict[str, Any], dict[str, Any]]] = []
        self.cells: list[CellSync] = []
        self.syncs: list[Any] = []


def roots_of(active: list[Any]) -> Roots | None:
    """Those of checks and syncs that are pulled in each call; None if some hold more."""
    if not active:
        return None
    roots = Roots()
    if all(hasattr(sync, "gives") and sync.gives(roots) for sync in active):
        return roots
    return None


def standing(record: Record, value: Any) -> Any:
    """What stands for a value that lifted code may have bound; numbers, too, may be left behind."""
    if type(value) not in INERT:
        return record.visit(value)
    if kept.LEFT and id(value) in kept.LEFT and SESSION.arguments is not None:
        new = kept.suspect(value)
        if new is not None:
            SESSION.replaced[id(new)] = (new, value)
            return new
    return value


_OWN = frozenset({"__wrapped__"})  # set once, by the decorator
