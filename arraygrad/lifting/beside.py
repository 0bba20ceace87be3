"""A run of a function a little beside its arguments: memos by value know nothing of it there.

Whatever a memo is looked up by (a number, bytes, a hash, a comparison), a few parts in 1e13 further
its code computes the value instead of finding it. The arguments are moved in the graph, so the
result has the whole derivative. It is taken, with the values found first, if they are the same to
rounding and more of it comes from the arguments than before; otherwise all is as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import node_of, wrap
from .._detach import as_pythons, is_pythons
from .._storage import TensorBase
from ..interop.plain import plain
from ..ops import arithmetic
from . import kept, memos
from .session import ABSENT, SESSION
from .stand_ins import is_scalar

if TYPE_CHECKING:
    from .running import Running

_STEP = 1e-13  # relative; keys that are computed from the arguments differ, too


def without_memos(
    record: Running, result: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a function that may hide a memo, computed anew where it came from one."""
    run = functools.partial(function, *args, **kwargs)
    moved_run = functools.partial(moved, function, args, kwargs)
    result = memos.without_last(record, result, run)
    if SESSION.suspects:
        result = kept.recomputed(result, run, moved_run)
    keys = memos.names_kept(record)
    tracked = memos.is_tracked_result(result)
    if SESSION.suspicious or keys or (not tracked and _is_number(result)):
        again = _computed_beside(record, result, moved_run, keys, False)
        if again is None and not tracked:
            again = _computed_beside(record, result, moved_run, keys, True)
        return result if again is None else _with_values(again, result)
    return result


def moved(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function beside its arguments."""
    return function(*map(_moved, args), **{name: _moved(value) for name, value in kwargs.items()})


def _moved(x: Any) -> Any:
    if isinstance(x, TensorBase):
        array = x._array
        if node_of(x) is None or array.dtype.kind not in "fc" or not array.size:
            return x
        sizes = np.abs(array)
        step = np.maximum(_STEP * sizes, 4 * np.spacing(sizes))
        if not sizes.all():
            step = np.where(sizes == 0, _STEP * (np.max(sizes) or 1.0), step)
        out: Any = arithmetic.add(x, step)  # type: ignore[arg-type]
        return as_pythons(out) if is_pythons(x) else out
    if type(x) in (list, tuple):
        return type(x)([_moved(item) for item in x])
    if type(x) is dict:
        return {key: _moved(value) for key, value in x.items()}
    return x


def _is_number(result: Any) -> bool:
    if isinstance(result, list | tuple):
        return any(map(_is_number, result))
    return isinstance(result, float | np.floating | TensorBase | np.ndarray)


def _computed_beside(
    record: Running, result: Any, run: Callable[[], Any], keys: list[tuple[Any, str]], empty: bool
) -> Any:
    """The result with more of the derivative; None if there is none."""
    put_back = _snapshot(record)
    try:
        for memo, key in SESSION.suspicious:
            memo.pop(key, None)
        for owner, name in keys:
            object.__setattr__(owner, name, type(object.__getattribute__(owner, name))())
        if empty:
            for value, _ in [*SESSION.seen.values()]:
                if isinstance(value, dict) and memos.has_made_keys(value):
                    value.clear()
        again = run()
        is_memo = kept.is_same(result, again) and (
            memos.nodes_of(again) > memos.nodes_of(result) + len(memos.tracked_arguments())
            if memos.is_tracked_result(result)
            else memos.is_tracked_result(again)
        )
    except Exception:  # noqa: BLE001 - the function has its result
        is_memo = False
    put_back()
    return again if is_memo else None


def _with_values(again: Any, result: Any) -> Any:
    """The second result with the values of the first."""
    if isinstance(again, TensorBase):
        array = np.array(plain(result), dtype=again._array.dtype)
        return wrap(array[()] if is_scalar(again) else array, node_of(again))
    if type(again) in (list, tuple) and type(result) is type(again):
        return type(again)(map(_with_values, again, result))
    return again


def _snapshot(record: Running) -> Callable[[], None]:
    put_back = kept.snapshot()
    names = [
        (check.scope.twin, name, check.scope.twin.get(name, ABSENT))
        for check in record.checks.values()
        for name in check.stored
    ]

    arrays = [(tensor, tensor._array.copy()) for tensor, _, _ in SESSION.arrays.values()]

    def put_all_back() -> None:
        put_back()
        for tensor, values in arrays:
            if not np.array_equal(tensor._array, values, equal_nan=values.dtype.kind in "fc"):
                tensor[...] = values
        for namespace, name, value in names:
            if value is ABSENT:
                namespace.pop(name, None)
            else:
                namespace[name] = value

    return put_all_back
