"""Running what was lifted: what it reaches is brought up to date before, and undone after it."""

from __future__ import annotations

import threading
import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .._apply import _Types
from .._detach import as_pythons, warn_of_caught
from .._storage import TensorBase
from ..autograd.recorded import by_numbers
from . import arrays, blame, memos, python_arithmetic
from .class_sync import take_numbers
from .handed import Handed, drain, fill, register_replaced, undo_later
from .items import set_class
from .leaving import ARGUMENTS, Leaving, apart
from .session import ABSENT, INERT, SESSION, THREAD
from .sight import is_data
from .sync import Check, Roots, roots_of
from .watched import Watched


def mark_numbers(args: Iterable[Any]) -> None:
    """Note that scalars among the arguments stand for Python's numbers."""
    for a in args:
        if type(a) is _Types.scalar:
            as_pythons(a)


class Running(Leaving):
    """The part of a record that calls the target, with all that it reaches up to date."""

    codes: set[Any]
    writes: bool
    fills: bool
    divides: bool
    draws: bool
    catches: bool
    names_us: bool
    plainly: bool
    rebound: tuple[int, frozenset[str]]
    outside: tuple[int, bool]
    checks: dict[int, Check]
    syncs: dict[int, Any]
    attributes: dict[int, Any]
    cells: dict[int, tuple[Any, Any]]
    closures: dict[int, tuple[Any, Any]]
    empty: dict[int, Any]
    guests: dict[int, Any]
    handlers: dict[type, Any]
    todo: list[Any]
    visit: Callable[[Any], Any]
    fit_contents: Callable[[], None]
    all_closures: Callable[[], list[tuple[Any, Any]]]

    def __init__(self, target: Any) -> None:
        self.target = target
        self.is_function = isinstance(target, types.FunctionType)
        self.twin: Any = None
        self.method: Any = None  # what a method runs, if that is the target
        # Whether tensors that lifted code leaves behind in the user's objects become arrays.
        self.plain = True
        self.ordered: tuple[Any, ...] | None = None  # checks and syncs, once all are known
        self.settled: Any = ABSENT  # the checks and syncs for which the following was found
        # What shows that some need no pull, if nothing changed, and no push.
        self.before: Watched | None = None
        self.after: Watched | None = None
        self.active: list[Any] = []  # all others
        self.roots: Roots | None = None  # what these hold, if it can be handed over
        self.limit = 0  # of closures that the target reaches
        self.overgrown = False  # whether there have been more: it was given others again and again
        self.gives_code = False  # whether a call has returned a function or a generator
        self.bare = False  # whether no tensor is reached but by arguments and what is active
        self.unsure: list[Any] = []  # what it reaches and has to be looked through for tensors
        self.sight: Watched | None = None  # what is active may hold, once that is asked for
        self.unhanded = 0  # how many calls do not try to hand their arguments over
        self.calls = 0  # which call it is, for classes that are looked at once in each
        self.keeps = False  # whether a call has left something with a gradient in its objects
        self.fits = not self.is_function  # whether no call goes the shortest way
        self.looks = False  # whether memos are looked for in the call that runs
        self.has_memo = False  # whether a result was once found in a memo
        self.look_at: float = 0  # the call in which memos are looked for
        self.next_look = 0  # at the latest
        self.written: dict[Any, Counter[str]] = {}  # what calls leave, by the arguments' shapes
        self.miscounts = 0  # how often a call that was only counted was to be looked at after all
        self.own = False  # whether what is met is reached by the target, not by arguments alone

    def run(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        plain: bool,
        plain_result: bool,
        known: bool = False,
    ) -> Any:
        """Call the target with what it reaches made fit; `known`, if what was passed over is."""
        records = THREAD.records
        if records:
            return self._run_inside(args, kwargs, plain, plain and not plain_result)
        session = SESSION
        latest = records.latest
        refused = latest["count"]
        lock = session.lock  # taken by its methods, at half the cost of a with statement
        if plain and not plain_result:
            session.arguments = (args, kwargs)
        looking = None
        records.append(self)
        try:
            function, args = self._made_fit(args, kwargs, known)
            numbers = plain and not plain_result and by_numbers()
            if numbers or self.catches:
                function = self._among_numbers(function, args, kwargs, numbers)
            if self.calls >= self.look_at and (session.kept or not plain_result):
                looking = memos.look(self, function, args, kwargs)
                self.looks = looking is not None
            result = function(*args, **kwargs)
            if plain and not plain_result and type(result) not in ARGUMENTS:
                result = apart(result)
            if latest["count"] != refused:
                warn_of_caught()
            if looking is not None:
                result = memos.checked(looking, result, function)
            if not plain_result and (
                session.suspects
                or session.merged
                or not isinstance(result, TensorBase)
                or result._node is None
            ):
                result = self._whole(result, function, args, kwargs)
            kind = type(result)
            if kind in INERT or (not plain_result and kind in ARGUMENTS):
                return result
            self.gives_code = self.gives_code or not is_data(result)
            with lock:
                self.plain = plain_result
                result = self.leave_value(result)
                session.left = 0
                return result
        except Exception as error:
            self.plain = plain
            self.leave_error(error)
            blame.note_line(error)
            raise
        finally:
            args = kwargs = function = looking = None  # type: ignore[assignment]  # nobody has twins
            self.looks = False
            lock.acquire()
            try:
                self.plain = plain
                if (
                    not known
                    or self.active
                    or self.guests
                    or session.rebound
                    or self.settled is not self.ordered
                    or not (self.after is None or self.after.is_same())
                ):
                    self._push()
                records.pop()
                self.leave()
                if self.guests:
                    self._dismiss()
                if self.settled is not self.ordered:
                    self._settle()
            finally:
                lock.release()

    def _made_fit(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], known: bool
    ) -> tuple[Any, tuple[Any, ...]]:
        """What stands for the target and its arguments; keywords are made fit where they are."""
        session = SESSION
        # Twins are shared by all threads: one at a time makes them and brings them up to date.
        session.lock.acquire()
        try:
            if session.lent:  # of a call that made nothing fit
                session.take_back()
            self.calls += 1
            if known and self.active:
                self.own = True
                try:
                    for sync in self.active:
                        sync.pull(self)
                finally:
                    self.own = False
                known = self.settled is self.ordered
            function = self.twin if known else None
            if function is None:
                if known and self.method is not None:
                    function = types.MethodType(self.method, self.visit(self.target.__self__))
                else:
                    function = self._enter(known)
            fitted = []
            handlers = self.handlers if self.plainly else {}
            for a in args:
                if type(a) not in ARGUMENTS:
                    handler = handlers.get(type(a))
                    a = self.visit(a) if handler is None else handler(self, a)
                fitted.append(a)
            for name, a in kwargs.items():
                if type(a) not in ARGUMENTS:
                    kwargs[name] = self.visit(a)
            if self.todo:
                self.fit_contents()
            return function, tuple(fitted)
        finally:
            session.lock.release()

    def _among_numbers(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], numbers: bool
    ) -> Any:
        """The function, run where scalars may stand for Python's numbers."""
        if numbers:
            mark_numbers((*args, *kwargs.values()))
        if (numbers and self.divides) or self.catches:
            return python_arithmetic.among_floats(function, numbers and self.catches)
        return function

    def _run_inside(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, derivative: bool
    ) -> Any:
        """Call the target inside of another lifted call, which undoes what is made fit."""
        records, lock = THREAD.records, SESSION.lock
        entered = self in records
        records.append(self)
        try:
            with lock:
                if SESSION.pending is not None:
                    pending, SESSION.pending = SESSION.pending, None
                    pending.register()
                self.calls += not entered
                function = self._enter(entered)
                visit = self.visit
                args = tuple([a if type(a) in ARGUMENTS else visit(a) for a in args])
                for name, a in kwargs.items():
                    kwargs[name] = visit(a)
            looking = memos.look_inside(records[0], function, args, kwargs) if derivative else None
            result = function(*args, **kwargs)
            return result if looking is None else memos.checked(looking, result, function)
        finally:
            with lock:
                self.plain = plain
                if not entered:
                    self._push()
                records.pop()
                if self.guests and not entered:
                    self._dismiss()

    def run_settled(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        derivative: bool,
        plain_result: bool,
        hand: Handed | None,
    ) -> Any:
        """Call the twin: it is up to date, and the arguments are fit, or `hand` makes them so."""
        records = THREAD.records
        if records:
            records.append(self)
            try:
                return self.twin(*args, **kwargs)
            finally:
                records.pop()
        session = SESSION
        latest = records.latest
        refused = latest["count"]
        function = self.twin
        filled: Any = None
        if hand is not None:
            function, args, filled = hand.call, hand.args, hand.filled
        session.pending = hand
        if self.catches:
            function = python_arithmetic.among_floats(function, False)
        if derivative:
            session.arguments = (args, kwargs)
        records.append(self)
        try:
            if hand is not None:
                for value, use in hand.held:
                    if use is not None:
                        set_class(value, use.twin)
                for owner, key, _, new in hand.swaps:
                    owner[key] = new
                if filled:
                    counts = fill(filled)
            # A call with keywords costs more, even without one.
            result = function(*args, **kwargs) if kwargs else function(*args)
            session.pending = None
            if derivative and type(result) not in ARGUMENTS:
                result = apart(result)
            watches = self.after is not None or self.roots is not None or session.rebound
            if watches and not self._takes_all():
                if hand is not None and hand.replaced:
                    register_replaced(hand)
                self._push_alone(derivative or plain_result)
            if latest["count"] != refused:
                warn_of_caught()
            whole = True
            if hand is not None and (hand.held or hand.stands):
                whole = isinstance(result, TensorBase) and result._node is not None
                whole = whole or memos.is_tracked_result(result)
                if not (whole and hand.is_taken_off()):
                    if hand.cells:
                        self._push_alone(derivative or plain_result)
                    with session.lock:
                        undo_later(hand)
            if not whole or (session.touched and (session.suspects or session.merged)):
                result = self._whole(result, function, args, kwargs)
            kind = type(result)
            if kind in ARGUMENTS and (not plain_result or kind in INERT):
                return result
            if hand is not None and hand.replaced:
                register_replaced(hand)
            with session.lock:
                self.plain = plain_result
                result = self.leave_value(result)
                session.left = 0
                return result
        except BaseException as error:
            session.pending = None
            self._push_alone(derivative or plain_result)
            if isinstance(error, Exception):
                self.leave_error(error)
                blame.note_line(error)
            raise
        finally:
            records.pop()
            if hand is not None:
                if hand.held or hand.stands:
                    undo_later(hand)
                if filled:
                    drain(self, filled, counts)
                if arrays.SHARED:
                    arrays.release()
            if session.touched or derivative:
                with session.lock:
                    self.plain = derivative or plain_result
                    self.leave()

    def _takes_all(self) -> bool:
        """Give the user numbers that code has bound; False if it has bound anything else."""
        session = SESSION
        if session.rebound:
            if not take_numbers(self.lifter, session.bound):
                return False
            session.rebound = False
            session.bound.clear()
        if self.after is not None and not self.after.is_same():
            return False
        return self.roots is None or all(sync.take() for sync in self.roots.syncs)

    def _push_alone(self, derivative: bool) -> None:
        with SESSION.lock:
            self.plain = derivative
            self._push()

    def _whole(
        self,
        result: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The result, computed anew where it is a constant, or one of equal arguments' alone."""
        if SESSION.suspects:
            result = memos.recomputed(self, result, function, args, kwargs)
        if SESSION.merged or (memos.is_number(result) and not memos.is_tracked_result(result)):
            if memos.has_tracked(args, kwargs):
                return memos.beside(self, result, function, args, kwargs)
        return result

    def _settle(self) -> None:
        """See which checks and syncs later calls can pass over if nothing was rebound."""
        if self.ordered is None:  # more was met with the arguments, and brought up to date
            self.ordered = self._all()
        self.settled = self.ordered
        self.sight = None
        before, after = Watched(), Watched()
        self.active = [sync for sync in self.ordered if not sync.watch(before, after)]
        self.roots = roots_of(self.active)
        unsure = before.unsure()
        self.bare = self.plainly and not (self.names_us or self.gives_code or unsure is None)
        self.unsure = unsure or []
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
            SESSION.bound.clear()
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
