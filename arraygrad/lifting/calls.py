"""Calling what was lifted."""

from __future__ import annotations

import functools
import types
from types import FunctionType
from typing import Any

from numpy import ndarray

from .._apply import _Types
from .._storage import TensorBase
from ..autograd.derivative import named
from ..autograd.recorded import by_numbers
from . import rebinding
from .lifter import lifter_for
from .record import Record
from .running import mark_numbers
from .session import INERT, SESSION, THREAD
from .sight import is_clear

_TENSOR, _SCALAR = _Types.tensor, _Types.scalar


class Lifted:
    """What `ag.lift` returns: called like the function, with everything in it lifted."""

    def __init__(self, target: Any, packages: frozenset[str], for_derivatives: bool) -> None:
        self._target = target
        self._packages = packages
        self._for_derivatives = for_derivatives
        self._record: Record | None = None
        functools.update_wrapper(self, target, updated=())
        self.__wrapped__ = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result; plain if no tensor came in."""
        record = self._record
        if record is None:
            record = self._record = make_record(self._target, self._packages)
        if record.settled is not record.ordered or not (
            record.before is None or record.before.is_same()
        ):
            return self._run(record, args, kwargs)
        derivative = self._for_derivatives
        tensors = arrays = more = False
        others = record.fits
        for a in (*args, *kwargs.values()) if kwargs else args:
            kind = type(a)
            if kind is _TENSOR or kind is _SCALAR:
                tensors = True
            elif kind in INERT:
                continue
            elif kind is ndarray:
                arrays = True
                others = others or a.dtype.hasobject
            elif kind is list or kind is dict or (kind is FunctionType and a.__closure__ is None):
                more = True
            else:
                others = True
        more = more or others
        if not (tensors or derivative) and record.bare:
            # Inside of another call what is reached may have been bound to something else.
            alone = not (more or record.active)
            if not THREAD.records if alone else is_clear(record, args, kwargs):
                return self._target(*args, **kwargs)  # no tensor takes part
        if not record.quick:
            return self._run(record, args, kwargs)
        numbers = derivative and by_numbers()
        if not (others or arrays) and not (numbers and record.divides) and (tensors or derivative):
            if numbers:
                mark_numbers((*args, *kwargs.values()))
            if not more:
                return record.run_settled(args, kwargs, derivative)
            found = None if kwargs else record.at_hand(args, derivative)
            if found is not None:
                return record.run_settled(found[0], kwargs, derivative, found[1])
        if numbers:
            return self._run(record, args, kwargs)
        plain = not tensors and (
            derivative or not more or not (_hold_tensors(args) or _hold_tensors(kwargs.values()))
        )
        return record.run_fitting(args, kwargs, plain or derivative, plain and not derivative)

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
            return self.__qualname__  # type: ignore[attr-defined]
        return _again, (self._target, self._packages, self._for_derivatives)

    def __repr__(self) -> str:
        return f"arraygrad.lift({self._target!r})"


def _hold_tensors(values: Any) -> bool:
    for value in values:
        if isinstance(value, TensorBase):
            return True
        if isinstance(value, list | tuple) and _hold_tensors(value):
            return True
        if isinstance(value, dict) and _hold_tensors(value.values()):
            return True
    return False


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
