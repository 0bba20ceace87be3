"""Values that a function under differentiation keeps from one call to the next.

What it leaves in objects of its own is plain data when the derivative is done. That is right for a
state, which the next call takes as a constant. It is wrong for a cache: a call at the same
arguments would find the value there and the way from the arguments to it would be missing. So
values left behind are remembered with the arguments that they came from. Where a later call at
those arguments finds one, uses it for its result and leaves it in place, it is a cache: its entry
is dropped and the function runs again, or, if that cannot be done, the derivative is refused.
"""

from __future__ import annotations

import functools
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .._apply import node_of, wrap
from .._engine import alias
from .._errors import GradientError
from .._graph import INPUTS, SEQ
from .._storage import TensorBase, family_of
from ..interop.plain import plain
from .session import SESSION

Prints = frozenset[tuple[Any, ...]]

# id(value) -> (the value or a weak reference to it, prints of the arguments it came from)
LEFT: OrderedDict[int, tuple[Any, Prints]] = OrderedDict()
_AT_MOST = 4096
_BY_PRINT: dict[tuple[Any, ...], dict[int, Any]] = {}  # ids of values, by the arguments
_NOTHING: dict[int, Any] = {}


class Suspect:
    """A value left behind, in a call at the arguments that it came from.

    still_there : whether it is where it was
    remove : takes it away from there; None where that is not known to be harmless
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.where = "a variable"
        self.still_there: Callable[[], bool] = lambda: True
        self.remove: Callable[[], Any] | None = None


def prints_of(arguments: Iterable[Any]) -> Prints:
    """What tells the tracked arguments of two calls apart."""
    return frozenset(_prints(arguments))


def _prints(values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    for value in values:
        if isinstance(value, TensorBase):
            if node_of(value) is not None:
                array = value._array
                yield array.shape, array.dtype.str, zlib.crc32(np.ascontiguousarray(array).data)
        elif isinstance(value, list | tuple):
            yield from _prints(value)
        elif isinstance(value, dict):
            yield from _prints(value.values())


def leave(value: Any, prints: Prints) -> None:
    """Remember a value that is left behind, an array or a NumPy scalar."""
    if not prints:
        return
    key = id(value)
    held = value
    if isinstance(value, np.ndarray):
        held = weakref.ref(value, lambda _, forget=_forget: forget(key))  # type: ignore[misc]
    _forget(key)
    LEFT[key] = (held, prints)
    for one in prints:
        _BY_PRINT.setdefault(one, {})[key] = None
    while len(LEFT) > _AT_MOST:
        _forget(next(iter(LEFT)))


def _forget(key: int, left: Any = LEFT, by_print: Any = _BY_PRINT) -> None:
    """Forget a value; the tables are held, as values may go after the module's names."""
    _, prints = left.pop(key, (None, ()))
    for one in prints:
        del by_print[one][key]
        if not by_print[one]:
            del by_print[one]


def met(args: tuple[Any, ...] | None = None, kwargs: Any = None) -> dict[int, Any]:
    """What derivatives at the arguments of this one, which may be given, have left, by id."""
    if not LEFT or (args is None and SESSION.arguments is None):
        return _NOTHING
    if SESSION.prints is None:
        SESSION.prints = prints_of(SESSION.arguments if args is None else (args, kwargs))
    found = [_BY_PRINT[one] for one in SESSION.prints if one in _BY_PRINT]
    if not found:
        return _NOTHING
    ids = found.pop().copy()  # values may go at any time
    for more in found:
        ids.update(more)
    return ids


def suspect(value: Any) -> Any:
    """A tracked stand-in for a value left behind by a call at these arguments; None for others."""
    found = LEFT.get(id(value))
    if found is None:
        return None
    held, prints = found
    if (held() if isinstance(held, weakref.ref) else held) is not value:
        return None
    if SESSION.prints is None:
        SESSION.prints = prints_of(SESSION.arguments)
    if prints.isdisjoint(SESSION.prints):
        return None
    made = alias(wrap(value.copy() if isinstance(value, np.ndarray) else value))
    family_of(made)  # by which writes to it are known
    SESSION.touched = True
    SESSION.suspects[id(made)] = Suspect(made)
    return made


def placed(tensor: Any, where: str, current: Callable[[], Any]) -> None:
    """Say where a suspect is."""
    found = SESSION.suspects.get(id(tensor))
    if found is not None:
        found.where = where
        found.still_there = lambda: current() is tensor


def placed_in(container: Any, tensor: Any, replace: Any) -> None:
    """Say in which object or container a suspect is, by what replaces it there."""
    found = SESSION.suspects.get(id(tensor))
    if found is None:
        return
    owner, key = getattr(replace.func, "__self__", container), replace.args[-1]
    if isinstance(owner, dict):
        found.still_there = lambda: owner.get(key) is tensor
        if owner is container:
            found.where = f"a dict, under the key {key!r},"
            found.remove = functools.partial(owner.pop, key, None)
        else:
            found.where = f"the attribute {key!r} of a {type(container).__name__}"
            if isinstance(getattr(type(container), key, None), functools.cached_property):
                found.remove = functools.partial(owner.pop, key, None)
    elif isinstance(owner, list):
        found.where = "a list"
        found.still_there = lambda: any(item is tensor for item in owner)


def used_for(result: Any) -> list[Suspect]:
    """The suspects that a result was computed from and that are still where they were."""
    nodes = {id(s.tensor._node): s for s in SESSION.suspects.values()}
    oldest = min(s.tensor._node[SEQ] for s in SESSION.suspects.values())
    todo = [node_of(t) for t in tensors_in((result,))]
    done: set[int] = set()
    found = []
    while todo:
        node = todo.pop()
        if node is None or id(node) in done or node[SEQ] < oldest:
            continue
        done.add(id(node))
        if id(node) in nodes:
            found.append(nodes[id(node)])
        todo.extend(node[INPUTS])
    return [s for s in found if s.still_there()]


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """Tensors in nested values."""
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())


def recomputed(result: Any, run: Callable[[], Any], beside: Callable[[], Any]) -> Any:
    """The result without values from a cache: `run` gives it again, or `beside` does."""
    found = used_for(result)
    while found:
        if any(s.remove is None for s in found):
            again = beside()
            if not is_same(result, again) or used_for(again):
                raise refusal(found)
            return again
        for s in found:
            assert s.remove is not None
            s.remove()
        again = run()
        if not is_same(result, again):  # no cache, if the value depends on what was there
            raise refusal(found)
        result, found = again, used_for(again)
    return result


def is_same(a: Any, b: Any) -> bool:
    """Whether two results have the same values, computed by NumPy or by us."""
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(is_same(a[k], b[k]) for k in a)
    a, b = plain(a), plain(b)
    if not all(isinstance(v, float | complex | int | np.ndarray | np.number) for v in (a, b)):
        return type(a) is type(b)
    if np.shape(a) != np.shape(b):
        return False
    kinds = {np.asarray(v).dtype.kind for v in (a, b)}
    if "O" in kinds:  # what NumPy does not subtract: functions, None, text
        return all(map(is_same, np.asarray(a).ravel().tolist(), np.asarray(b).ravel().tolist()))
    if kinds - set("biufc"):  # text, dates, records
        return bool(a.dtype == b.dtype) and a.tobytes() == b.tobytes()
    return bool(np.allclose(a, b, rtol=1e-9, atol=0.0, equal_nan=True))


def refusal(found: list[Suspect]) -> GradientError:
    """What to raise where these cannot be left out."""
    return GradientError(
        f"the result uses a value that an earlier derivative at the same arguments left in "
        f"{found[0].where}; for this call it is a constant, so its part of the gradient would be "
        "missing: empty that cache before each call, or use functools.lru_cache, whose entries "
        "arraygrad keeps apart"
    )
