"""A user's function as SciPy calls it many times: the user's own code on plain values.

Lifted code sees tensors. Where only values are wanted the code that was lifted does as well, with
the tensors of its closures replaced by their values: it runs as fast as without arraygrad. The
first call runs both; where they differ, or where it cannot be known that the user's own code does
the same, the lifted code stays.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._detach import LIFTED_MARK
from .._storage import TensorBase
from ..autograd.modes import no_grad
from ._rule import plain

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.ndarray, np.dtype)
_CALLABLES = (types.BuiltinFunctionType, np.ufunc)
_CHANGES_A_CONTAINER = frozenset(
    {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}
)
_STORE_ITEM = dis.opmap["STORE_SUBSCR"]


class _Unknown(Exception):
    """The user's own code may do something else than its lifted twin."""


def fresh(x: Any) -> Any:
    """What a solver passes to the user's function, as tensors over memory of their own."""
    if isinstance(x, np.ndarray) and x.ndim:
        return wrap(x.copy())
    return x


def on_plain(f: Any) -> Any:
    """The function as SciPy calls it: plain values out, nothing recorded."""
    if not callable(f):
        return f
    own: Callable[..., Any] | None = None
    asked = False

    @functools.wraps(f, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal own, asked
        if own is not None:
            try:
                return plain(own(*plain(args), **plain(kwargs)))
            except ValueError as error:
                if "read-only" not in str(error):
                    raise
                own = None  # it writes into a tensor of its closure
        with no_grad():
            out = plain(f(*map(fresh, args), **kwargs))
        if not asked:
            asked = True
            own = _own_code(f)
            if own is not None and not _agrees(own, args, kwargs, out):
                own = None
        return out

    return call


def _agrees(own: Any, args: Any, kwargs: Any, expected: Any) -> bool:
    """Whether the user's own code gives what the lifted code gave; any error says no."""
    copies = [x.copy() if isinstance(x, np.ndarray) else x for x in plain(args)]
    try:
        found = np.asarray(plain(own(*copies, **plain(kwargs))))
        expected = np.asarray(expected)
        if found.shape != expected.shape or found.dtype != expected.dtype:
            return False
        bound = 1e-10 * np.abs(expected).max(initial=0.0)
        with np.errstate(invalid="ignore"):
            near = np.abs(found - expected) <= bound
        return bool((near | (found == expected)).all())
    except Exception:  # noqa: BLE001 - whatever it is, the lifted code does not raise it
        return False


def _own_code(f: Any) -> Callable[..., Any] | None:
    """The function that was lifted, on plain values; None where that is not certain."""
    if not isinstance(f, types.FunctionType) or LIFTED_MARK not in f.__globals__:
        return None
    try:
        own: Callable[..., Any] = _Rebuilder().function(f)
    except _Unknown:
        return None
    return own


class _Rebuilder:
    """Functions with the user's namespaces, and cells of plain values."""

    def __init__(self) -> None:
        self._functions: dict[int, tuple[Any, Any]] = {}
        self._seen: set[int] = set()

    def function(self, f: types.FunctionType) -> Any:
        found = self._functions.get(id(f))
        if found is not None:
            return found[1]
        scope = f.__globals__.get(LIFTED_MARK)
        raw = getattr(scope, "raw", None)
        if raw is None or f.__dict__:
            raise _Unknown
        self._check_names(f.__code__, f.__globals__, raw)
        cells = f.__closure__ or ()
        made = [types.CellType() for _ in cells]
        own = types.FunctionType(f.__code__, raw, f.__name__, None, tuple(made) or None)
        self._functions[id(f)] = f, own
        own.__defaults__ = self.value(f.__defaults__, f.__code__)
        own.__kwdefaults__ = self.value(f.__kwdefaults__, f.__code__)
        kept = []
        for old, new in zip(cells, made, strict=True):
            try:
                content = old.cell_contents
            except ValueError:  # still empty
                raise _Unknown from None
            value = self.value(content, f.__code__)
            new.cell_contents = value
            kept.append(old if value is content else new)
        if any(new is not cell for new, cell in zip(made, kept, strict=True)):
            # Cells that hold no tensor stay shared: counters and the like are seen outside.
            if self._is_in_a_cell(own, made):
                raise _Unknown
            own = types.FunctionType(f.__code__, raw, f.__name__, own.__defaults__, tuple(kept))
            own.__kwdefaults__ = self.value(f.__kwdefaults__, f.__code__)
            self._functions[id(f)] = f, own
        return own

    def _is_in_a_cell(self, own: Any, cells: list[Any]) -> bool:
        return any(cell.cell_contents is own for cell in cells)

    def value(self, x: Any, code: types.CodeType) -> Any:
        """The value without tensors; the object itself where it holds none."""
        if isinstance(x, TensorBase):
            if not x._array.ndim:
                return x._array[()]
            copy = x._array.copy()
            copy.flags.writeable = False  # a write would be seen by nobody else
            return copy
        if isinstance(x, _CONSTANTS) or type(x) in _CALLABLES:
            return x
        if isinstance(x, types.FunctionType):
            if LIFTED_MARK in x.__globals__:
                return self.function(x)
            if x.__module__ and x.__module__.startswith("arraygrad."):
                return x
            raise _Unknown
        if isinstance(x, types.ModuleType):
            if LIFTED_MARK in vars(x):
                raise _Unknown
            return x
        if type(x) in (tuple, list, set, frozenset):
            items = [self.value(item, code) for item in x]
            if all(a is b for a, b in zip(items, x, strict=True)):
                return x
            self._check_container(x, code)
            return type(x)(items)
        if type(x) is dict:
            changed = {key: self.value(item, code) for key, item in x.items()}
            if all(changed[key] is item for key, item in x.items()):
                return x
            self._check_container(x, code)
            return changed
        raise _Unknown

    def _check_container(self, x: Any, code: types.CodeType) -> None:
        """What is put into a copy of a container would be lost."""
        if type(x) is not tuple and (
            _CHANGES_A_CONTAINER & set(code.co_names) or _STORE_ITEM in code.co_code[::2]
        ):
            raise _Unknown

    def _check_names(self, code: types.CodeType, twin: Any, raw: Any) -> None:
        """The names of the module mean the same to the user's own code."""
        if id(code) in self._seen:
            return
        self._seen.add(id(code))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._check_names(constant, twin, raw)
        for name in code.co_names:
            if name not in twin:
                continue
            value = twin[name]
            if value is raw.get(name):
                if not isinstance(value, _CONSTANTS) and isinstance(value, TensorBase):
                    raise _Unknown
                continue
            if isinstance(value, types.FunctionType) and LIFTED_MARK in value.__globals__:
                if value.__closure__ or value.__dict__:
                    raise _Unknown  # the user's namespace has it with its tensors
                self._check_names(
                    value.__code__, value.__globals__, value.__globals__[LIFTED_MARK].raw
                )
                continue
            real = raw.get(name)
            if isinstance(value, type | TensorBase):
                raise _Unknown
            if isinstance(real, types.ModuleType) and _is_library(real):
                continue
            if isinstance(real, (types.BuiltinFunctionType, np.ufunc)):
                continue
            if callable(real) and _is_library(real):
                continue
            raise _Unknown


def _is_library(x: Any) -> bool:
    """Whether an object comes from NumPy, SciPy, or Python's mathematics."""
    name = getattr(x, "__module__", None) or getattr(x, "__name__", "") or ""
    return str(name).partition(".")[0] in ("numpy", "scipy", "math", "builtins", "cmath")
