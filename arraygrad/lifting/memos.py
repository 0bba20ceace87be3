"""Memos of plain calls, which a derivative at the same arguments would find.

A function that keeps ``cache[x.tobytes()]``, or its last argument with what it gave
(``if not np.array_equal(x, self._x): ...``), has been called plainly at x before its derivative is
taken there, as a line search does. What it finds then is plain, and its part of the gradient would
be missing. Nothing says where such a value came from, so a memo is known by what it is looked up
by: a key made of the argument's value, or a copy of the argument that code writes. It is taken
away, and the function runs again; if it then gives the same value and has filled the place again,
that was a memo. Otherwise all is put back.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import node_of, wrap
from .._detach import as_pythons
from .._engine import alias
from .._graph import INPUTS, SEQ
from .._storage import TensorBase
from . import kept, reach
from .session import INERT, SESSION
from .stand_ins import is_scalar, like_user

if TYPE_CHECKING:
    from .running import Running

# -- entries by a key that says the value of an argument -------------------------------------------

_ELEMENTS = 64  # of larger arrays the bytes alone are a key
_HASH = 1 << 40  # smaller integers are counts and indices, not hashes
_TEXTS = 1024  # so many entries with texts as keys are looked through
_DECIMALS = 3  # keys are rounded to so many, or more
# How long the digests are that hashlib makes.
_DIGESTS = {
    16: ("md5",), 20: ("sha1",), 32: ("sha256", "blake2s"), 64: ("sha512", "blake2b"),
}  # fmt: skip
_DIGESTS.update({2 * size: names for size, names in _DIGESTS.items() if size != 16})
_DIGESTS[32] += ("md5",)
_FRACTION = re.compile(r"[-+]?\d*\.\d{2,}(?:[eE][-+]?\d+)?")


class Names:
    """All that a memo may call the values of the arguments by."""

    def __init__(self) -> None:
        self.arrays = [t._array for t in tracked_arguments()]
        self.exact: set[Any] = set()
        numbers: set[float] = set()
        for array in self.arrays:
            text = array.tobytes()
            self.exact |= {text, hash(text)}
            if array.size <= _ELEMENTS and array.dtype.kind == "f":
                values = array.ravel().tolist()
                numbers.update(values)
                self.exact.add(hash(tuple(values)))
        self.exact |= numbers
        self.exact.update(map(hash, numbers))
        self.numbers = sorted(numbers)

    def texts(self, size: int) -> set[Any]:
        """Texts of the values; digests of them, if there are any of this length."""
        found: set[Any] = set()
        for array in self.arrays:
            found |= {str(array), str(array.tolist()), repr(array)}
        for number in self.numbers:
            found |= {str(number), repr(np.float64(number))}
        return found | {d.hexdigest() for d in self._digests(size)}

    def digests(self, size: int) -> set[Any]:
        """Digests of this length."""
        return {d.digest() for d in self._digests(size)}

    def _digests(self, size: int) -> Iterator[Any]:
        hashlib = sys.modules.get("hashlib")
        for name in _DIGESTS.get(size, ()) if hashlib is not None else ():
            for array in self.arrays:
                yield getattr(hashlib, name)(array.tobytes())

    def have(self, key: Any) -> bool:
        """Whether a key, or a part of one, is made of the values."""
        kind = type(key)
        if kind is tuple or kind is list:
            return any(map(self.have, key))
        if kind is str:
            return key in self.texts(len(key)) or self.spell(key)
        if kind is int:
            return abs(key) >= _HASH and key in self.exact
        if kind is float or kind is np.float64:
            return key in self.exact or self.have_rounded(float(key))
        return kind is bytes and key in self.exact

    def have_rounded(self, key: float) -> bool:
        """Whether a number is one of the values, rounded to some decimals."""
        decimals = len(repr(key).partition(".")[2])
        i = bisect_left(self.numbers, key)
        return decimals >= _DECIMALS and any(
            round(number, decimals) == key for number in self.numbers[max(i - 1, 0) : i + 1]
        )

    def spell(self, key: str) -> bool:
        """Whether a text has one of the values in it."""
        return any(
            number in self.exact or self.have_rounded(number)
            for number in map(float, _FRACTION.findall(key))
        )


def tracked_arguments() -> list[Any]:
    """The tensors that a derivative is taken by."""
    args, kwargs = SESSION.asked
    found = []
    for a in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(a, TensorBase):
            found.append(a)
        elif type(a) not in INERT:
            found += kept.tensors_in((a,))
    return [t for t in found if node_of(t) is not None]


def _may_be_name(key: Any) -> bool:
    kind = type(key)
    if kind is int:
        return bool(abs(key) >= _HASH)
    if kind is str:
        return len(key) in _DIGESTS or not key.isidentifier()
    if kind is tuple or kind is list:
        return any(map(_may_be_name, key))
    if kind is float or kind is np.float64:
        return not key.is_integer()
    return kind is bytes


def _names() -> Names:
    if SESSION.names is None:
        SESSION.names = Names()
    return SESSION.names  # type: ignore[no-any-return]


def entries(memo: dict[Any, Any]) -> list[Any]:
    """The keys of a dict that may be made of the arguments."""
    last = next(reversed(memo))
    if not _may_be_name(last):
        return []
    names = _names()
    kind = type(last)
    if kind is str:
        found = [*(memo.keys() & names.texts(len(last)))]
        if not found and len(memo) <= _TEXTS:
            found = [key for key in memo if type(key) is str and names.spell(key)]
        return found
    if kind is bytes:
        return [*(memo.keys() & (names.exact | names.digests(len(last))))]
    if kind is int:
        return [*filter(names.have, memo.keys() & names.exact)]
    return [*filter(names.have, memo)]


def has_plain_keys(memo: dict[Any, Any]) -> bool:
    """Whether none of a dict's keys can be made of the arguments, by the last one."""
    return not _may_be_name(next(reversed(memo)))


def suspect_entry(memo: dict[Any, Any], key: Any) -> None:
    """Put a tracked value in the place of an entry, so that it is known whether it is used."""
    old = memo[key]
    new = _tracked(old)
    if new is old:  # an object, a list: it may hold anything
        SESSION.suspicious.append((memo, key))
    else:
        memo[key] = new
        SESSION.replaced[id(new)] = (new, old)
        for tensor in kept.tensors_in((new,)):
            found = SESSION.suspects.get(id(tensor))
            if found is not None:
                found.where = f"a dict, under the key {key!r},"
                found.still_there = lambda: memo.get(key) is new
                found.remove = functools.partial(memo.pop, key, None)
                found.by_key = True


def _tracked(value: Any) -> Any:
    """The value with numbers and arrays as suspects."""
    kind = type(value)
    if isinstance(value, tuple):
        items = [_tracked(item) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return kind(*items) if hasattr(value, "_fields") else kind(items)
    if kind is not float and kind is not np.float64 and kind is not np.ndarray:
        return value
    if kind is np.ndarray and value.dtype.kind not in "fc":
        return value
    made = alias(wrap(value.copy() if kind is np.ndarray else np.float64(value)))
    if kind is float:
        as_pythons(made)
    SESSION.suspects[id(made)] = kept.Suspect(made)
    SESSION.replaced[id(made)] = (made, value)
    return made


# -- the last argument -----------------------------------------------------------------------------

_FEW = 4  # items of a list or dict that may be a memo of one call
_MORE = 256  # and if the result is plain: all of it may come from there

Place = tuple[Callable[[], Any], Callable[[Any], Any]]  # what is there, and how to replace it


_NODES = 100_000  # so many are counted


def may_hide(record: Running, result: Any) -> bool:
    """Whether there are places that a memo may be in, or the result comes from nowhere."""
    if SESSION.suspects:
        return True
    if not isinstance(result, TensorBase) or result._node is None:
        return any(
            isinstance(value, dict) and has_made_keys(value) for value, _ in SESSION.seen.values()
        ) or bool(tracked_arguments())
    session = SESSION
    names = record.rebound[1] if record.rebound[0] == len(record.codes) else rebound_by(record)
    if names:
        if not (session.seen or session.arrays):
            return False
    else:
        for _, layout in session.seen.values():
            if layout is None:  # a dict or list
                break
        else:
            return False
    if session.suspicious or session.kept:  # tensors in containers
        return True
    args, kwargs = session.asked
    for a in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(a, TensorBase) and (not a._array.ndim or _has_likes(a._array)):
            return True  # a number, which a list may hold, or an array
    return bool(names) and bool(names_kept(record))


def _has_likes(array: Any) -> bool:
    """Whether an array that was met may be a copy of this one."""
    if not SESSION.arrays or not array.size:
        return False
    shape, first, last = array.shape, array.item(0), array.item(-1)
    for tensor, _, _ in SESSION.arrays.values():  # as the call has left them
        other = tensor._array
        if other.shape == shape and other.item(0) == first and other.item(-1) == last:
            return True
    return False


def without_last(record: Running, result: Any, run: Callable[[], Any]) -> Any:
    """The result, computed without a memo of the last argument if there was one."""
    names = rebound_by(record)
    arguments = tracked_arguments()
    shapes = {a._array.shape for a in arguments}
    copies = {
        id(tensor)
        for tensor, array, _ in SESSION.arrays.values()
        if array.shape in shapes and _is_copy(tensor, arguments)
    }
    numbers = {a._array.item() for a in arguments if is_scalar(a)} if () in shapes else ()
    if not copies and not numbers:
        return result

    def is_one(item: Any) -> bool:
        if type(item) is tuple:
            return any(map(is_one, item))
        return id(item) in copies or (type(item) in (float, np.float64) and item in numbers)

    few = _FEW if is_tracked_result(result) else _MORE
    places = [*_places(record, names, is_one, few)]
    if not places:
        return result
    before = [now() for now, _ in places]
    put_back = kept.snapshot()
    unlike = [_unlike(old, is_one) for old in before]
    for (_, replace), new in zip(places, unlike, strict=True):
        replace(new)
    again = None
    try:
        with np.errstate(invalid="ignore"):
            again = run()
        same = kept.is_same(result, again)
    except Exception:  # noqa: BLE001 - it was no memo, and the function has its result
        same = False
    filled = not any(now() is new for (now, _), new in zip(places, unlike, strict=True))
    # A list of arguments with their results has got another entry; an array is written in place.
    is_memo = same and (filled or nodes_of(again) > nodes_of(result))
    if not is_memo:
        put_back()
    for (now, replace), old, new in zip(places, before, unlike, strict=True):
        if now() is new:
            replace(old)
    return again if is_memo else result


def nodes_of(result: Any) -> int:
    """How many steps lead from the arguments to a result."""
    arguments = [node_of(t) for t in tracked_arguments()]
    oldest = min((node[SEQ] for node in arguments if node is not None), default=0)
    todo = [node_of(t) for t in kept.tensors_in((result,))]
    done: set[int] = set()
    while todo and len(done) < _NODES:
        node = todo.pop()
        if node is None or id(node) in done or node[SEQ] < oldest:
            continue
        done.add(id(node))
        todo.extend(node[INPUTS])
    return len(done)


def is_tracked_result(result: Any) -> bool:
    """Whether some of a result comes from the arguments."""
    return any(node_of(t) is not None for t in kept.tensors_in((result,)))


def _is_copy(tensor: Any, arguments: list[Any]) -> bool:
    array = tensor._array
    for argument in arguments:
        other = argument._array
        if (
            array.shape == other.shape
            and array.size
            and array.dtype == other.dtype
            and array.item(0) == other.item(0)
            and np.array_equal(array, other)
        ):
            return array.dtype.kind in "fc" and array.ndim > 0
    return False


def _unlike(old: Any, is_one: Callable[[Any], bool]) -> Any:
    """The same with what equals nothing in the place of copies."""
    if type(old) is tuple:
        return tuple([_unlike(item, is_one) if is_one(item) else item for item in old])
    if not isinstance(old, TensorBase):
        return type(old)("nan")
    return wrap(np.full_like(old._array, np.nan))


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


def names_kept(record: Running) -> list[tuple[Any, str]]:
    """The attributes that code binds and that say the values of the arguments."""
    names = rebound_by(record)
    found = []
    for value, layout in SESSION.seen.values() if names else ():
        if layout is None:
            continue
        for name in names:
            key = _attribute(value, name)
            if type(key) in _SAYING and _may_be_name(key) and _names().have(key):
                found.append((value, name))
    return found


def has_made_keys(memo: dict[Any, Any]) -> bool:
    """Whether the keys of a dict are no names: they may be made of arguments."""
    return bool(memo) and not all(type(key) is str and key.isidentifier() for key in memo)


_SAYING = frozenset({tuple, list, bytes, str, int, float, np.float64})


def _places(
    record: Running, names: frozenset[str], is_one: Callable[[Any], bool], few: int
) -> Iterator[Place]:
    """Where such a copy is, in a place that code writes."""
    for value, layout in [*SESSION.seen.values()]:
        if isinstance(value, dict):
            if len(value) <= few:
                for key in [k for k, item in value.items() if is_one(item)]:
                    yield (
                        functools.partial(value.get, key),
                        functools.partial(value.__setitem__, key),
                    )
        elif isinstance(value, list):
            if len(value) <= few:
                for i in [i for i, item in enumerate(value) if is_one(item)]:
                    yield (
                        functools.partial(_item, value, i),
                        functools.partial(value.__setitem__, i),
                    )
        elif layout is not None:
            for name in names:
                if is_one(_attribute(value, name)):
                    yield (
                        functools.partial(_attribute, value, name),
                        functools.partial(object.__setattr__, value, name),
                    )
    for check in record.checks.values():
        twin = check.scope.twin
        for name in check.stored:
            if is_one(twin.get(name)):
                yield functools.partial(twin.get, name), functools.partial(twin.__setitem__, name)

    for f, function in record.all_closures():
        for name in reach.facts(f.__code__).nonlocals if f is not function else ():
            cell = function.__closure__[f.__code__.co_freevars.index(name)]
            if is_one(_contents(cell)):
                yield functools.partial(_contents, cell), functools.partial(_fill, cell)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound
        return None


def _fill(cell: Any, value: Any) -> None:
    cell.cell_contents = value


def _item(values: list[Any], i: int) -> Any:
    return values[i] if i < len(values) else None


def _attribute(value: Any, name: str) -> Any:
    """What an object itself holds under a name; properties of its class are code, and not run."""
    kind = type(value)
    for cls in kind.__mro__:
        held = cls.__dict__.get(name)
        if held is None:
            continue
        if type(held) is types.MemberDescriptorType:  # of __slots__
            try:
                return held.__get__(value, kind)
            except AttributeError:
                return None
        if hasattr(type(held), "__set__"):
            return None
        break
    try:
        return object.__getattribute__(value, "__dict__").get(name)
    except AttributeError:
        return None


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
