"""What the user has again when a lifted call ends: own objects, arrays and plain results."""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _compiled, _texts as texts
from .._apply import _Types, node_of
from .._graph import is_grad_enabled, note_overwritten
from .._storage import TensorBase
from . import arrays, kept, memos, rebinding, stand_ins
from .items import Layout, holds_more, is_everybodys, items_of, place_of, set_class
from .session import CONTAINERS, INERT, SESSION

if TYPE_CHECKING:
    from .lifter import Lifter

ARGUMENTS = INERT | {_Types.tensor, _Types.scalar}  # what is handed over as it is


def apart(value: Any) -> Any:
    """A result with tensors, in lists and dicts of its own: the user's get plain data."""
    kind = type(value)
    if kind is dict:
        held: Any = value.values()
    elif kind is list or isinstance(value, tuple):
        held = value
    else:
        return value
    items = [*map(apart, held)]
    if all(map(operator.is_, items, held)) and (
        (kind is not list and kind is not dict) or not any(isinstance(v, TensorBase) for v in items)
    ):
        return value
    if kind is dict:
        return dict(zip(value, items, strict=True))
    if kind is list:
        return items
    return kind(*items) if hasattr(value, "_fields") else kind(items)


class Leaving(_compiled.base("QuickRecord")):  # type: ignore[misc]
    """The half of a record that undoes what was made fit."""

    lifter: Lifter
    keeps: bool
    look_at: float
    fits: bool
    plain: bool  # whether tensors that lifted code leaves in the user's objects become arrays

    def leave(self) -> None:
        """Undo everything, if no other call needs it."""
        session = SESSION
        if len(session.threads) > 1 and session.is_running():
            return
        if texts.NUMBERS:
            texts.forget()
        if not session.touched:
            if session.left:
                self.note_left()
            if session.lent:
                session.take_back()
            session.arguments = session.prints = None
            return
        seen: Any = [*session.seen.values()] if session.seen else ()
        # Classes first: to hash twins, as a look into a set of types does, costs more than all.
        for value, layout in seen:
            if layout is not None:
                cls = layout.cls
                if type(value) is not layout.twin:  # code has given it another class
                    cls = self.lifter.original(type(value)) or type(value)
                if layout.direct:
                    value.__class__ = cls
                else:
                    set_class(value, cls)
        for value, layout in seen:
            if layout is not None and layout.plain:
                namespace = value.__dict__ if layout.direct else layout.namespace(value)
                for item in namespace.values():
                    if type(item) not in INERT:
                        if restore_arrays(namespace, namespace.items()):
                            self._restore_items(namespace, namespace.items())
                        break
            elif layout is not None and layout.slotted:
                self._restore_slots(value, layout)
            elif type(value) is list:
                if holds_more(value) and restore_arrays(value, enumerate(value)):
                    self._restore_items(value, enumerate(value))
            elif type(value) is dict:
                if self.plain:
                    memos.plain_keys(value)
                if holds_more(value.values()) and restore_arrays(value, value.items()):
                    self._restore_items(value, value.items())
            else:
                self._restore(value)
        for tensor, array, memory in session.arrays.values():
            family = tensor._family
            written = tensor._array is not memory or (family is not None and family.storage.version)
            if written and array.flags.writeable:
                note_overwritten(array, "a lifted function")
                np.copyto(array, tensor._array)
                standing = arrays.STANDING.get(id(array))
                if standing is not None:
                    standing.drop()
        if arrays.SHARED:
            arrays.release()
        if arrays.BORROWED:
            arrays.BORROWED.clear()
        if stand_ins.TRACKED_CACHES:
            stand_ins.forget_tracked()
        if session.left:
            self.note_left()
        session.clear()

    def note_left(self) -> None:
        """Note that the code keeps something with a gradient: later calls are looked at."""
        SESSION.left = 0
        self.keeps = self.fits = True
        self.look_at = 0

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
        array = arrays.of_tensor(tensor)
        if array is not None:
            return array
        if id(tensor) in SESSION.suspects and id(tensor) in SESSION.replaced:
            return SESSION.replaced[id(tensor)][1]
        if not self.plain or id(tensor) in SESSION.kept:
            SESSION.left += tensor._node is not None and id(tensor) not in SESSION.kept
            return tensor
        if SESSION.arguments is None and is_grad_enabled() and node_of(tensor) is not None:
            return tensor  # no derivative, and a tensor was reached that carries a gradient
        left = like_result(tensor)
        if SESSION.arguments is not None and node_of(tensor) is not None:
            if SESSION.prints is None:
                SESSION.prints = kept.prints_of(SESSION.arguments)
            kept.leave(left, SESSION.prints)
            SESSION.left += 1
        return left

    def _leave_tuple(self, value: Any) -> Any:
        items = [self.leave_value(item) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def leave_error(self, error: BaseException | None) -> None:
        """Give an error of the user's class, and those that it came of, back to the user."""
        known: set[int] = set()
        while error is not None and id(error) not in known:
            known.add(id(error))
            if self.lifter.original(type(error)) is not None:
                with SESSION.lock:
                    error.args = self._leave_tuple(error.args)
                    self._restore(error)
            error = error.__cause__ or error.__context__

    def _restore_items(self, owner: Any, items: Any) -> None:
        """Undo in places of a list or dict that was made fit."""
        seen, users = SESSION.seen, SESSION.users
        for key, item in [pair for pair in items if type(pair[1]) not in INERT]:
            if id(item) in seen:
                continue  # undone by itself
            left = self._leave_tensor(item) if type(item) in ARGUMENTS else self.leave_value(item)
            if left is not item and not (users and (id(owner), key) in users):
                owner[key] = left

    def _restore_slots(self, value: Any, layout: Layout) -> None:
        """Undo in an object that holds nothing but slots."""
        seen, users = SESSION.seen, SESSION.users
        for _, member in layout.slots:
            try:
                item = member.__get__(value)
            except AttributeError:  # not bound
                continue
            if type(item) not in INERT and id(item) not in seen:
                left = self.leave_value(item)
                if left is not item and not (users and (id(member), id(value)) in users):
                    member.__set__(value, left)

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
                set_class(value, original)
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


def restore_arrays(owner: Any, items: Any) -> bool:
    """Put arrays back where their tensors are, up to what else is to be undone; whether it is."""
    seen, arrays = SESSION.seen, SESSION.arrays
    for key, item in items:
        if type(item) in INERT:
            continue
        number = id(item)
        if number in arrays:
            owner[key] = arrays[number][1]
        elif number not in seen:  # what is there is undone by itself
            return True
    return False


def like_result(tensor: Any) -> Any:
    """A tensor as NumPy would have it: a scalar or an array."""
    array = tensor._array
    return array if array.ndim or not stand_ins.is_scalar(tensor) else array[()]
