"""Memos that plain calls, or derivatives at other arguments, have filled.

A function that keeps what it has computed of its argument (in a dict, beside a copy of the last
argument, in a global name, by whatever key) finds a plain value when its derivative is taken there,
and that part of the gradient would be missing. Nothing says where a value in a container came from;
but a memo, at other arguments, writes. So the function runs a second time a little elsewhere, on
plain values. Where that run writes what the first did not, the first may have found it. Then it
runs a third time, at its arguments, with those places as the second run has left them and without
entries like those that it has added: the user's own code sees that they are of other arguments.
If the value is the same, and more of it comes from the arguments, that is the result. Of the
second and third run no trace is left: containers, objects, names, arrays and random numbers are as
the first has left them.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import math
import threading
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import node_of, wrap
from .._detach import as_pythons, is_pythons
from .._errors import GradientWarning
from .._formulas import is_leaf_node
from .._graph import INPUTS, SEQ, next_seq
from .._storage import TensorBase
from .._warnings import warn
from ..interop.plain import plain
from ..ops import arithmetic
from . import kept, places, reach, undoing
from .session import INERT, SESSION
from .stand_ins import is_scalar, like_user

if TYPE_CHECKING:
    from .running import Running

_STEPS = (2.0**-9, -(2.0**-9), 2.0**-20)  # relative; more than keys are rounded to, then less
_BESIDE = 1e-13  # so near that values are the same to rounding, and keys are not
_GROWTH = 3  # calls 1, 3, 9, ... are looked at, and all of what is known to keep something
_SHAPES = 256  # of arguments; for so many it is known what calls leave
_NODES = 100_000  # so many are counted


class Look:
    """What is noted before a call, to know afterwards whether it found what others had left."""

    def __init__(
        self, record: Running, args: tuple[Any, ...], kwargs: dict[str, Any], must: bool
    ) -> None:
        self.record = record
        self.args = args
        self.kwargs = kwargs
        self.names = rebound_by(record)
        self.before = places.State(record, self.names)
        self.again = places.drawn_again(record, self.before)
        self.moving = _parameters(args, kwargs)
        self.must = must
        self.begin: undoing.Undoing | None = None
        self.since = next_seq()

    def state(self) -> places.State:
        """What all places hold now."""
        return places.State(self.record, self.names, self.before)


def look(
    record: Running, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Look | None:
    """What to note before a call; None if nothing that it reaches may hold a memo."""
    if not has_tracked(args, kwargs):
        return None
    must = record.calls >= record.next_look
    if must:
        record.next_look = _GROWTH * record.calls
    record.look_at = 0 if record.keeps else record.next_look
    if not (record.fills or rebound_by(record)) or undoing.is_outside(record):
        return None
    found = Look(record, args, kwargs, must)
    if not record.keeps and not _may_hold(record, found):
        return None
    return _begun(found, function)


def look_inside(
    record: Running, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Look | None:
    """What to note before a derivative that is taken inside of a call of the record.

    It is of a twin, whose code the record of that call knows.
    """
    if not record.looks or SESSION.quiet or not has_tracked(args, kwargs):
        return None
    return _begun(Look(record, args, kwargs, True), function)


def _begun(found: Look, function: Any) -> Look | None:
    """What a run can begin from as the first has; None if that cannot be had again."""
    try:
        found.begin = undoing.Undoing(found.record, function, found.args, found.kwargs)
    except undoing.CannotUndoError:
        return None
    return found


def _parameters(args: tuple[Any, ...], kwargs: dict[str, Any]) -> set[int]:
    """Tensors in objects and containers by which a derivative may be taken.

    Others were left there: what is kept of an argument stays as it is when that moves.
    """
    given = (*args, *kwargs.values())
    inside = {id(t) for t in kept.tensors_in([g for g in given if not isinstance(g, TensorBase)])}
    for g in given:
        if dataclasses.is_dataclass(g) and not isinstance(g, type):
            fields = [getattr(g, field.name, None) for field in dataclasses.fields(g)]
            inside |= {id(t) for t in kept.tensors_in(fields)}
    known = {id(g) for g in given}
    for key, t in SESSION.kept.items():
        node = node_of(t)
        if node is not None and is_leaf_node(node) and key not in known:
            inside.add(key)
    return inside


def _may_hold(record: Running, found: Look) -> bool:
    """Whether a place that code writes holds something with a gradient."""
    for held in found.before.held.values():
        if held.kind is places.ATTRIBUTES or held.kind is places.SLOTS:
            items = [v for k, v in held.items.items() if k in found.names]
        elif held.kind.entries or held.kind is places.ARRAY:
            items = [*held.items.values()] if record.fills else []
        else:
            items = [*held.items.values()]
        if any(map(places.may_carry, items)):
            return True
    return False


def tracked(values: Any) -> Iterator[Any]:
    """The tensors that a derivative may be taken by."""
    for t in (*kept.tensors_in(values), *SESSION.kept.values()):
        if node_of(t) is not None:
            yield t


def has_tracked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a derivative may be taken by something."""
    return next(tracked((*args, *kwargs.values())), None) is not None


def checked(found: Look, result: Any, function: Callable[..., Any]) -> Any:
    """The result of a call, computed anew where it was found in a memo."""
    record = found.record
    after = found.state()
    own = _written(found.before, after)
    given = (*found.args, *found.kwargs.values())
    shapes = tuple(
        [t._array.shape for t in given if isinstance(t, TensorBase) and node_of(t) is not None]
    )
    known = record.written.get(shapes)
    if own:
        record.note_left()
    if not (found.must or record.has_memo or known is None or not own >= known):
        return result
    try:
        undo = undoing.Undoing(record, function, found.args, found.kwargs, result)
    except undoing.CannotUndoError:
        return result
    try:
        with quietly():
            begun, ended = _elsewhere(found, after, undo, function)
            if ended is None:
                return result
            theirs = _written(begun, ended)
            if theirs:
                record.note_left()
            if len(record.written) >= _SHAPES:
                record.written.clear()
            record.written[shapes] = (known or Counter()) | own | theirs
            start, where = _without(found.before, begun, after, ended)
            if not where:
                return result
            again, is_clear = _rerun(found, start, result, function)
    finally:
        undo.put_back()
    if again is None and not is_clear:
        again = _near(record, result, function, found.args, found.kwargs, found.begin)
        if again is None:
            _warn(where)
    return result if again is None else again


def late(
    record: Running,
    result: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    copies: Iterable[tuple[Any, Any]] | None,
    swaps: Iterable[tuple[Any, Any, Any, Any]],
) -> Any:
    """The result of a call that was only counted, computed anew where it was found in a memo.

    The call is made again and looked at, with the containers and objects that it reached as they
    were before it; all else is as the call has left it, and is put back in the end.
    """
    record.miscounts += 1
    record.next_look = record.calls
    try:
        undo = undoing.Undoing(record, function, args, kwargs, result)
    except undoing.CannotUndoError:
        return result
    try:
        for owner, held in copies or ():
            if isinstance(owner, dict):
                owner.clear()
                owner.update(held)
            else:
                owner[:] = held
        for owner, key, _, new in swaps:
            owner[key] = new
        looking = look(record, function, args, kwargs)
        if looking is None:
            return result
        try:
            with quietly():
                first = undoing.apart(function, *args, **kwargs)
        except Exception:  # noqa: BLE001 - of what else the call has changed; it has its result
            return result
        again = checked(looking, first, function)
    finally:
        undo.put_back()
    if again is first:
        return result
    if not kept.is_same(result, again):
        _warn("a value")
        return result
    return again


def _warn(where: str) -> None:
    warn(
        f"the function may have found {where} as an earlier call has left it; then its part of the "
        "gradient is missing: if that is a cache, empty it before a derivative, or use "
        "functools.lru_cache, whose entries arraygrad keeps apart",
        GradientWarning,
    )


def _written(before: places.State, after: places.State) -> Counter[str]:
    """How often something with a gradient was put into each kind of place."""
    found: Counter[str] = Counter()
    for key, held in after.held.items():
        old = before.held.get(key)
        if old is not None and held.kind is not places.SET:
            for k in held.bound(old.items, held.items):
                if places.may_carry(held.items[k]):
                    found[held.kind.told if held.kind.entries else str(k)] += 1
    return found


def _elsewhere(
    found: Look, after: places.State, undo: undoing.Undoing, function: Callable[..., Any]
) -> tuple[places.State, places.State | None]:
    """What places hold before and after a run at other arguments, on plain values."""
    for step in _STEPS:
        moves = Moves(step, False)
        for held in after.held.values():
            items = {k: moves.of(v) for k, v in held.items.items() if id(v) in found.moving}
            if items:
                held.put(held.items | items)
        args, kwargs = moves.arguments(found.args, found.kwargs)
        begun = found.state()
        found.again()
        try:
            undoing.apart(function, *args, **kwargs)
            return begun, found.state()
        except Exception:  # noqa: BLE001, S112 - it may not be defined there
            continue
        finally:
            undo.put_back()
    return after, None


def _without(
    before: places.State, begun: places.State, after: places.State, ended: places.State
) -> tuple[dict[int, places.Items], str]:
    """What places hold for a run that finds nothing, and what the first may have found, in words.

    No words: it cannot have found anything with a gradient.
    """
    start: dict[int, places.Items] = {}
    where = ""
    for key, held in ended.held.items():
        if key not in begun.held or key not in after.held:
            continue
        old, now = begun.held[key].items, after.held[key].items
        first = before.held[key].items if key in before.held else now
        own = {*held.bound(first, now)}
        lacking = [k for k in held.bound(old, held.items) if k in old and k not in own]
        fresh = held.fresh(old, held.items)
        gone = held.alike(first, fresh) if len(fresh) > len(held.fresh(first, now)) else []
        if lacking or gone:
            start[key] = {**first}
            for k in gone:
                del start[key][k]
            start[key] |= {k: held.items[k] for k in lacking}
            for k in (*gone, *lacking):
                if not where and places.may_carry(first.get(k, now.get(k))):
                    where = held.kind.told.format(k)
    return start, where


def _rerun(
    found: Look, start: dict[int, places.Items], result: Any, function: Callable[..., Any]
) -> tuple[Any, bool]:
    """The result, if a run that finds nothing has the same value, and more of the derivative.

    And whether it is clear that there is nothing to be found, if there is none.
    """
    assert found.begin is not None
    found.begin.put_back()
    for key, held in found.before.held.items():
        held.put(start.get(key, held.items))
    found.again()
    try:
        again = undoing.apart(function, *found.args, **found.kwargs)
    except Exception:  # noqa: BLE001 - it missed what may be a memo, or something else
        return None, False
    if not kept.is_same(result, again):
        return None, not _refilled(start, found.state())
    if steps_of(again, found.since) <= steps_of(result, found.since):
        return None, True
    found.record.has_memo = True
    return again, True


def _refilled(start: dict[int, places.Items], state: places.State) -> bool:
    """Whether a run has put something with a gradient where nothing was to be found."""
    return any(
        places.may_carry(state.held[key].items[k])
        for key, items in start.items()
        for k in state.held[key].bound(items, state.held[key].items)
    )


def steps_of(result: Any, since: int) -> int:
    """How many steps a result was computed by since then."""
    todo = [node_of(t) for t in kept.tensors_in((result,))]
    done: set[int] = set()
    while todo and len(done) < _NODES:
        node = todo.pop()
        if node is None or id(node) in done or node[SEQ] < since:
            continue
        done.add(id(node))
        todo.extend(node[INPUTS])
    return len(done)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Within it lifted code prints nothing, and NumPy warns of nothing: it has been said."""
    before, SESSION.quiet = SESSION.quiet, threading.get_ident()
    silent: Any = {k: "ignore" for k, v in np.geterr().items() if v == "warn"}
    try:
        with np.errstate(**silent):
            yield
    finally:
        SESSION.quiet = before


# -- other arguments -------------------------------------------------------------------------------


class Moves:
    """Values a little beside others: on plain values, or as steps of the graph."""

    def __init__(self, step: float, recorded: bool) -> None:
        self.step = step
        self.recorded = recorded
        self.made: dict[int, tuple[Any, Any]] = {}

    def arguments(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """All arguments."""
        return tuple(map(self.of, args)), {name: self.of(value) for name, value in kwargs.items()}

    def of(self, x: Any) -> Any:
        """What stands for a value."""
        if type(x) in INERT:
            return x
        found = self.made.get(id(x))
        if found is None:
            found = self.made[id(x)] = x, self._made(x)
        return found[1]

    def _made(self, x: Any) -> Any:
        if isinstance(x, TensorBase):
            return self._moved(x)
        if type(x) is tuple:
            return tuple(map(self.of, x))
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return type(x)(*map(self.of, x))
        if not self.recorded:  # what they hold has been moved
            return x
        if type(x) is list:
            return [self.of(item) for item in x]
        if type(x) is dict:
            return {key: self.of(value) for key, value in x.items()}
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            made = copy.copy(x)
            for field in dataclasses.fields(x):
                if hasattr(x, field.name):
                    object.__setattr__(made, field.name, self.of(getattr(x, field.name)))
            return made
        return x

    def _moved(self, x: Any) -> Any:
        array = x._array
        if node_of(x) is None or array.dtype.kind not in "fc" or not array.size:
            return x
        sizes = np.abs(array)
        size = float(np.max(sizes)) or 1.0
        if not math.isfinite(size):
            size = 1.0
        steps = self.step * np.where(sizes == 0, size, sizes)
        if abs(self.step) > _BESIDE:  # of another size for each: equal ones come apart
            steps = steps * (1.0 + np.arange(array.size).reshape(array.shape) % 97 / 128)
        else:
            steps = np.maximum(steps, 4 * np.spacing(sizes))
            steps = steps * (1 + np.arange(array.size).reshape(array.shape) % 97)
        if self.recorded:
            out: Any = arithmetic.add(x, steps.astype(sizes.dtype))  # type: ignore[arg-type]
        else:
            moved = (array + steps).astype(array.dtype)
            out = wrap(moved[()] if is_scalar(x) else moved)
        return as_pythons(out) if is_pythons(x) else out


def recomputed(
    record: Running,
    result: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The result without what a derivative at these arguments has left; all places as they are."""
    found = kept.used_for(result)
    if not found:
        return result
    try:
        undo = undoing.Undoing(record, function, args, kwargs, result)
    except undoing.CannotUndoError:
        raise kept.refusal(found) from None
    run = functools.partial(undoing.apart, function, *args, **kwargs)
    try:
        with quietly():
            return kept.recomputed(result, run, functools.partial(moved, function, args, kwargs))
    finally:
        undo.put_back()


def beside(
    record: Running,
    result: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The result, with the derivative of a run near its arguments if more of it is found there."""
    again = _near(record, result, function, args, kwargs)
    return result if again is None else again


def _near(
    record: Running,
    result: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    begin: undoing.Undoing | None = None,
) -> Any:
    """The result with values as they are and the derivative a few parts in 1e13 beside.

    For memos by value that are not known otherwise: nothing is found under such keys. It is taken
    if the values are the same to rounding and more of it comes from the arguments; else None.
    """
    try:
        undo = undoing.Undoing(record, function, args, kwargs, result)
    except undoing.CannotUndoError:
        return None
    try:
        if begin is not None:
            begin.put_back()
        with quietly():
            again = moved(function, args, kwargs)
    except Exception:  # noqa: BLE001 - the function has its result
        return None
    finally:
        undo.put_back()
    if not kept.is_same(result, again):
        return None
    if is_tracked_result(result):
        nodes = [node_of(t) for t in tracked((*args, *kwargs.values()))]
        since = min(node[SEQ] for node in nodes if node is not None)
        if steps_of(again, since) <= steps_of(result, since) + len(nodes):
            return None
    elif not is_tracked_result(again):
        return None
    return _with_values(again, result)


def moved(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function beside its arguments."""
    args, kwargs = Moves(_BESIDE, True).arguments(args, kwargs)
    return undoing.apart(function, *args, **kwargs)


def _with_values(again: Any, result: Any) -> Any:
    """The second result with the values of the first."""
    if isinstance(again, TensorBase):
        array = np.array(plain(result), dtype=again._array.dtype)
        return wrap(array[()] if is_scalar(again) else array, node_of(again))
    if type(again) in (list, tuple) and type(result) is type(again):
        return type(again)(map(_with_values, again, result))
    return again


def is_tracked_result(result: Any) -> bool:
    """Whether some of a result comes from the arguments."""
    return any(node_of(t) is not None for t in kept.tensors_in((result,)))


def is_number(result: Any) -> bool:
    """Whether a result is, or holds, numbers."""
    if isinstance(result, list | tuple):
        return any(map(is_number, result))
    return isinstance(result, float | np.floating | TensorBase | np.ndarray)


# -- what code binds -------------------------------------------------------------------------------


def rebound_by(record: Running) -> frozenset[str]:
    """Attributes, globals and names of functions around that code binds, objects once made."""
    count, names = record.rebound
    if count == len(record.codes):
        return names
    found: set[str] = set()
    for code in record.codes:
        if isinstance(code, types.CodeType) and code.co_name not in ("__init__", "__new__"):
            facts = reach.facts(code)
            found |= facts.stored | facts.assigned | facts.nonlocals
    record.rebound = len(record.codes), frozenset(found)
    return record.rebound[1]


# -- keys that are left ----------------------------------------------------------------------------


_KEYS = frozenset({str, int, float, np.float64, bytes})


def plain_keys(memo: dict[Any, Any]) -> None:
    """Make plain the keys that lifted code has added to a dict of the user."""
    if _KEYS.issuperset(map(type, memo)) or not any(map(_holds_tensor, memo)):
        return
    items = [(_plain_key(key), value) for key, value in memo.items()]
    memo.clear()
    memo.update(items)


def _holds_tensor(key: Any) -> bool:
    if type(key) is tuple:
        return any(map(_holds_tensor, key))
    return isinstance(key, TensorBase)


def _plain_key(key: Any) -> Any:
    if type(key) is tuple:
        return tuple(map(_plain_key, key))
    return like_user(key) if isinstance(key, TensorBase) else key
