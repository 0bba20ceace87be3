"""Calling what was lifted."""

from __future__ import annotations

import functools
import types
from typing import Any

from numpy import ndarray

from .. import _compiled, _texts as texts
from .._apply import _Types
from .._detach import warn_of_caught
from .._storage import Family, Storage, TensorBase
from ..autograd.derivative import named
from ..autograd.recorded import by_numbers
from . import arrays, blame, handed, kept, memos, places, python_arithmetic, rebinding, sight
from .class_sync import ClassSync
from .fitting import Uses
from .guests import Empty
from .items import Layout, is_everybodys
from .leaving import ARGUMENTS, apart
from .lifter import lifter_for
from .record import Record
from .running import mark_numbers
from .session import INERT, SESSION, THREAD
from .sync import CellSync, CellTwin

_TENSOR, _SCALAR = _Types.tensor, _Types.scalar


def _hold_tensors(values: Any) -> bool:
    for value in values:
        if isinstance(value, TensorBase):
            return True
        if isinstance(value, list | tuple) and _hold_tensors(value):
            return True
        if isinstance(value, dict) and _hold_tensors(value.values()):
            return True
    return False


if _compiled.ROADS is not None:
    _compiled.ROADS.register_lifting(
        (arrays.Standing, Uses, Layout, Family, Storage, CellSync, CellTwin, ClassSync,
         Empty),
        (
            INERT, ARGUMENTS, handed.PLAIN_KEYS, handed.WALKED, THREAD, SESSION, kept.LEFT,
            arrays.STANDING, types.FunctionType, types.MethodType, types.SimpleNamespace,
            handed.MADE_ANEW,
            sight.CONTENTS, arrays.SHARED, texts.NUMBERS,
            vars(object)["__class__"], by_numbers.__self__,  # type: ignore[attr-defined]
            places.DICT.told, places.LIST.told,
        ),
        (
            _hold_tensors, arrays.lend, is_everybodys,
            memos.is_tracked_result, arrays.release, sight.held_by, sight.is_harmless,
            sight.sight_of, blame.note_line, arrays.standing_for, handed.twin_of,
            handed.undo_later, warn_of_caught, python_arithmetic.among_floats,
            handed.replacement, kept.met, handed.made, handed.register_replaced,
            memos.late, arrays.of_tensor, apart,
        ),
    )  # fmt: skip


class Lifted(_compiled.base("QuickLifted")):  # type: ignore[misc]
    """What `ag.lift` returns: called like the function, with everything in it lifted."""

    def __init__(self, target: Any, packages: frozenset[str], for_derivatives: bool) -> None:
        self._target = target
        self._packages = packages
        self._for_derivatives = for_derivatives
        self._record: Record | None = None
        functools.update_wrapper(self, target, updated=())
        self.__wrapped__ = target

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result; plain if no tensor came in."""
        record = self._record
        if record is None:
            record = self._record = make_record(self._target, self._packages)
        if record.settled is not record.ordered or not (
            record.before is None or record.before.is_same()
        ):
            return self._run(record, args, kwargs)
        derivative = self._for_derivatives
        tensors = any_arrays = others = False
        for a in (*args, *kwargs.values()) if kwargs else args:
            kind = type(a)
            if kind is _TENSOR or kind is _SCALAR:
                tensors = True
            elif kind in INERT:
                continue
            elif kind is ndarray and not a.dtype.hasobject:
                any_arrays = True
            else:
                others = True
        if not (tensors or derivative) and record.bare:
            # Inside of another call what is reached may have been bound to something else.
            alone = not (record.fits or others or record.active or record.unsure)
            if not THREAD.records if alone else sight.is_clear(record, args, kwargs):
                return self._target(*args, **kwargs)  # no tensor takes part
        numbers = derivative and by_numbers()
        unfit = (record.active and record.roots is None) or record.keeps
        more = any_arrays or others or record.fits or record.roots is not None
        plain = not tensors and (
            derivative
            or not (others or record.fits)
            or not (_hold_tensors(args) or _hold_tensors(kwargs.values()))
        )
        if not (unfit or (numbers and record.divides)) and (more or tensors or derivative):
            hand = None
            if more and ARGUMENTS.issuperset(map(type, kwargs.values())):
                if record.unhanded:
                    record.unhanded -= 1
                elif record.calls + 1 < record.look_at or not (
                    record.fills or record.rebound[1] or record.rebound[0] != len(record.codes)
                ):  # else it may find a memo
                    hand = handed.handed(record, args, derivative)
                    if hand is None:
                        record.unhanded = 16  # calls that do not try
            if hand is not None or not more:
                if numbers:
                    mark_numbers((*args, *kwargs.values()))
                return record.run_settled(args, kwargs, derivative, plain and not derivative, hand)
        return record.run(args, kwargs, plain or derivative, plain and not derivative, True)

    def _run(self, record: Record, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call it with all that is reached brought up to date."""
        if record.overgrown:
            record = self._record = make_record(self._target, self._packages)
        if self._for_derivatives:
            # A derivative needs the tensors that come back; what is left behind becomes plain.
            return record.run(args, kwargs, True, False)
        plain = not (_hold_tensors(args) or (kwargs and _hold_tensors(kwargs.values())))
        return record.run(args, kwargs, plain, plain)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        if named(self):
            return self.__qualname__
        return _again, (self._target, self._packages, self._for_derivatives)

    def __repr__(self) -> str:
        return f"arraygrad.lift({self._target!r})"


if _compiled.ROADS is None:
    Lifted.__call__ = Lifted._call


def _again(target: Any, packages: frozenset[str], for_derivatives: bool) -> Lifted:
    return Lifted(target, packages, for_derivatives)


def make_record(target: Any, packages: frozenset[str]) -> Record:
    """The record of a target under the Lifter of its packages."""
    lifter = lifter_for(packages)
    lifter.imported = _imported
    lifter.visit = visit
    return Record(target, lifter)


def _imported(module: Any, names: frozenset[str], stored: frozenset[str]) -> Any:
    """What an import statement of lifted code gives."""
    records = THREAD.records
    if not records:  # a generator that outlived its call
        return rebinding.module(module)
    with SESSION.lock:
        return records[-1].imported(module, names, stored)


def visit(value: Any) -> Any:
    """What lifted code has in the place of a value that a module made when asked for it."""
    records = THREAD.records
    if not records:
        return value
    with SESSION.lock:
        return records[-1].visit(value)


SESSION.visit = visit
