"""The random states that a function may draw from: to start from them once more."""

from __future__ import annotations

import copy
import functools
import random
import types
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
# Objects to look at, at most, nearest first.
_LIMIT = 1000
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), np.ndarray})
# Packages whose functions and objects hold no generator of the user's.
_SEALED = ("arraygrad", "arraygrad_kernels", "numpy", "scipy", "builtins")


class RandomStates:
    """The states of all generators within reach of a function, as they are now.

    As a context manager it puts them back, and afterwards those that it found.
    """

    def __init__(self, function: Any) -> None:
        self.generators = {id(g): g for g in within_reach(function)}
        self.states = self._read()
        self.later: list[list[Any]] = []

    def _read(self) -> list[Any]:
        states = [np.random.get_state(), random.getstate()]  # noqa: NPY002
        return states + [_state(g) for g in self.generators.values()]

    def _write(self, states: list[Any]) -> None:
        np.random.set_state(states[0])  # noqa: NPY002
        random.setstate(states[1])
        for generator, state in zip(self.generators.values(), states[2:], strict=True):
            _set_state(generator, state)

    def __enter__(self) -> None:
        self.later.append(self._read())
        self._write(self.states)

    def __exit__(self, *error: object) -> None:
        self._write(self.later.pop())


def _state(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return copy.deepcopy(generator.bit_generator.state)
    if isinstance(generator, np.random.RandomState):
        return generator.get_state()
    return generator.getstate()


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.setstate(state)


def within_reach(function: Any) -> list[Any]:
    """The generators that a call of `function` can reach by names, closures and attributes."""
    found: list[Any] = []
    seen: set[int] = set()
    waiting = deque([function])
    while waiting and len(seen) < _LIMIT:
        x = waiting.popleft()
        if type(x) in _PLAIN or id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, _GENERATORS):
            found.append(x)
        else:
            waiting.extend(_held(x))
    return found


def _held(x: Any) -> Iterator[Any]:
    """What an object of the user's holds, as far as it may be drawn from."""
    if isinstance(x, types.FunctionType):
        if _is_sealed(x.__module__):
            return
        yield from x.__defaults__ or ()
        yield from (x.__kwdefaults__ or {}).values()
        for cell in x.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # empty as yet
                continue
        yield from _named(x.__code__, x.__globals__)
    elif isinstance(x, types.MethodType):
        yield x.__func__
        yield x.__self__
    elif isinstance(x, functools.partial):
        yield x.func
        yield from x.args
        yield from x.keywords.values()
    elif isinstance(x, dict):
        yield from islice(x.values(), _LIMIT)
    elif isinstance(x, list | tuple | set | frozenset):
        yield from islice(x, _LIMIT)
    elif not isinstance(x, type | types.ModuleType) and not _is_sealed(type(x).__module__):
        yield from getattr(x, "__dict__", {}).values()
        slots = getattr(type(x), "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            yield getattr(x, name, None)
        for kind in type(x).__mro__:
            yield vars(kind).get("__call__")


def _named(code: types.CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """The values of global names in a function's code, and of those that it takes of modules."""
    codes = [code]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        for name in code.co_names:
            if name not in names:
                continue
            value = names[name]
            yield value
            if isinstance(value, types.ModuleType) and not _is_sealed(value.__name__):
                yield from [vars(value)[n] for n in code.co_names if n in vars(value)]


def _is_sealed(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _SEALED
