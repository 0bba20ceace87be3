"""Running what was lifted: what it reaches is brought up to date before, and undone after it."""

from __future__ import annotations

import functools
import threading
import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .._apply import _Types
from .._detach import as_pythons, warn_of_caught
from .._storage import TensorBase
from ..autograd.recorded import by_numbers
from . import blame, kept, memos, python_arithmetic
from .items import holds_more
from .leaving import ARGUMENTS, Leaving
from .session import ABSENT, INERT, SESSION, THREAD
from .sight import is_data
from .sync import Check
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
    cells: dict[int, tuple[Any, Any]]
    divides: bool
    draws: bool
    catches: bool
    names_us: bool
    plainly: bool
    rebound: tuple[int, frozenset[str]]
    checks: dict[int, Check]
    syncs: dict[int, Any]
    attributes: dict[int, Any]
    closures: dict[int, tuple[Any, Any]]
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
        self.quick = False  # whether there are no others
        self.limit = 0  # of closures that the target reaches
        self.overgrown = False  # whether there have been more: it was given others again and again
        self.gives_code = False  # whether a call has returned a function or a generator
        self.bare = False  # whether no tensor is reached but by arguments and what is active
        self.sight: Watched | None = None  # what is active may hold, once that is asked for
        self.calls = 0  # which call it is, for classes that are looked at once in each
        self.keeps = False  # whether a call has left something with a gradient in its objects
        self.fits = not self.is_function  # whether no call goes the shortest way
        self.has_memo = False  # whether a result was once found in a memo
        self.look_at = self.next_look = 0  # the call in which memos are looked for
        self.written: dict[Any, Counter[str]] = {}  # what calls leave, by the arguments' shapes
        self.own = False  # whether what is met is reached by the target, not by arguments alone

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the target with what it reaches made fit."""
        session = SESSION
        records = THREAD.records
        outermost = not records
        latest = records.latest
        refused = latest["count"]
        entered = not outermost and self in records
        derivative = plain and not plain_result
        lock = session.lock  # taken by its methods, at half the cost of a with statement
        if outermost and derivative:
            session.arguments = (args, kwargs)
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
                function = python_arithmetic.among_floats(function, numbers and self.catches)
            looking = None
            if outermost and self.calls >= self.look_at and (session.kept or not plain_result):
                looking = memos.look(self, args, kwargs)
            result = function(*args, **kwargs)
            if outermost:
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
            if not outermost or (not plain_result and type(result) in ARGUMENTS):
                return result
            if type(result) in INERT:
                return result
            self.gives_code = self.gives_code or not is_data(result)
            with lock:
                self.plain = plain_result
                result = self.leave_value(result)
                session.left = 0
                return result
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

    def run_settled(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        derivative: bool,
        held: list[Any] | None = None,
    ) -> Any:
        """Call the twin: it is up to date, and the arguments are fit as they are.

        Those `held` are lists and dicts of numbers, in which tensors may be left.
        """
        records = THREAD.records
        if records:
            if held is not None:
                return self.run(args, kwargs, derivative, False)
            records.append(self)
            try:
                return self.twin(*args, **kwargs)
            finally:
                records.pop()
        session = SESSION
        latest = records.latest
        refused = latest["count"]
        if derivative:
            session.arguments = (args, kwargs)
        records.append(self)
        try:
            # A call with keywords costs more, even without one.
            result = self.twin(*args, **kwargs) if kwargs else self.twin(*args)
            if session.rebound or (self.after is not None and not self.after.is_same()):
                with session.lock:
                    self.plain = derivative
                    self._push()
            if latest["count"] != refused:
                warn_of_caught()
            if held is not None:
                self._look_into(held, result)
            if session.touched and (session.suspects or session.merged):
                result = self._whole(result, self.twin, args, kwargs)
            if type(result) in ARGUMENTS:
                return result
            with session.lock:
                self.plain = False
                result = self.leave_value(result)
                session.left = 0
                return result
        except Exception as error:
            with session.lock:
                self.plain = derivative
                self._push()
            if held is not None:
                self._look_into(held, None)
            self.leave_error(error)
            blame.note_line(error)
            raise
        finally:
            records.pop()
            if session.touched or derivative:
                with session.lock:
                    self.plain = derivative
                    self.leave()

    def _whole(
        self,
        result: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The result, computed anew where it is a constant, or one of equal arguments' alone."""
        if SESSION.suspects:
            run = functools.partial(function, *args, **kwargs)
            moved = functools.partial(memos.moved, function, args, kwargs)
            result = kept.recomputed(result, run, moved)
        if SESSION.merged or (memos.is_number(result) and not memos.is_tracked_result(result)):
            if memos.has_tracked(args, kwargs):
                return memos.beside(self, result, function, args, kwargs)
        return result

    def _look_into(self, held: list[Any], result: Any) -> None:
        """Have undone what a call has put into containers."""
        session = SESSION
        if isinstance(result, TensorBase) and result._node is not None:
            for value in held:
                if holds_more(value if type(value) is list else value.values()):
                    break
            else:
                return
        with session.lock:
            session.touched = True
            for value in held:
                session.seen[id(value)] = (value, None)

    def run_fitting(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], plain: bool, plain_result: bool
    ) -> Any:
        """Call the twin: it is up to date, and the arguments are to be made fit."""
        records = THREAD.records
        if records:
            return self.run(args, kwargs, plain, plain_result)
        session = SESSION
        lock = session.lock
        latest = records.latest
        refused = latest["count"]
        if plain and not plain_result:
            session.arguments = (args, kwargs)
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
            looking = None
            if self.calls >= self.look_at and (session.kept or not plain_result):
                looking = memos.look(self, tuple(fitted), kwargs)
            result = function(*fitted, **kwargs)
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
                result = self._whole(result, function, tuple(fitted), kwargs)
            kind = type(result)
            if kind in INERT or (not plain_result and kind in ARGUMENTS):
                return result
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
        self.sight = None
        before, after = Watched(), Watched()
        self.active = [sync for sync in self.ordered if not sync.watch(before, after)]
        self.quick = not self.active and not self.catches
        self.bare = self.plainly and not (
            self.names_us or self.gives_code or before.may_hold_tensors()
        )
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
