"""``np.nditer`` and ``np.broadcast`` over tensors: elements are in the graph.

Those of nditer are views, which may be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._apply import node_of
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..ops import manipulation
from . import _creation

# Flags that ask for whole stretches of memory in the place of elements.
_STRETCHES = frozenset({"external_loop", "buffered", "delay_bufalloc", "ranged", "grow_inner"})


def nditer(op: Any, flags: Any = (), op_flags: Any = None, **settings: Any) -> Any:
    """As NumPy's nditer; elements of tensors that are tracked or written stay in the graph."""
    several = isinstance(op, list | tuple) and any(isinstance(x, TensorBase | None) for x in op)
    operands = list(op) if several else [op]
    needed = is_grad_enabled() and any(isinstance(x, TensorBase) for x in operands) and (
        _writes(op_flags) or any(isinstance(x, TensorBase) and node_of(x) for x in operands)
    )  # fmt: skip
    if not needed or not _STRETCHES.isdisjoint(flags):
        given = [np.asarray(x) if isinstance(x, TensorBase) else x for x in operands]
        return np.nditer(given if several else given[0], flags, op_flags, **settings)
    return _Elements(operands, flags, op_flags, settings)


def _writes(op_flags: Any) -> bool:
    return "readwrite" in str(op_flags) or "writeonly" in str(op_flags)


class _Elements:
    """NumPy's iterator, which says where it is, and views of the tensors there."""

    def __init__(self, operands: list[Any], flags: Any, op_flags: Any, settings: Any) -> None:
        plain = [x._array if isinstance(x, TensorBase) else x for x in operands]
        flags = list({*flags, "multi_index"})
        allocates = any(x is None for x in plain)
        if allocates and op_flags is None:
            op_flags = [["writeonly", "allocate"] if x is None else ["readonly"] for x in plain]
        # An iterator of our own arrays may write nothing: it only says in which order to go.
        kinds: Any = op_flags if allocates else [["readonly"]] * len(plain)
        self._places = np.nditer(plain, flags, kinds, **settings)
        shape = self._places.shape
        made = [
            _creation.zeros(shape, o.dtype) if x is None else _creation.asarray(x)
            for x, o in zip(operands, self._places.operands, strict=True)
        ]
        self.operands = tuple(
            x if tuple(x.shape) == shape else manipulation.broadcast_to(x, shape) for x in made
        )
        self._first = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._places, name)

    @property
    def value(self) -> Any:
        """The elements at this place."""
        at = (*self._places.multi_index, ...)
        found = tuple(x[at] for x in self.operands)
        return found[0] if len(found) == 1 else found

    def __getitem__(self, i: Any) -> Any:
        return self.operands[i][(*self._places.multi_index, ...)]

    def __setitem__(self, i: int, value: Any) -> None:
        self[i][...] = value

    def iternext(self) -> bool:
        """Go to the next place; whether there is one."""
        return self._places.iternext()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._first:
            self._first = False
            if self._places.finished:
                raise StopIteration
        elif not self._places.iternext():
            raise StopIteration
        return self.value

    def __enter__(self) -> _Elements:
        return self

    def __exit__(self, *error: object) -> None:
        self._places.close()

    def close(self) -> None:
        """Nothing is left to be written."""
        self._places.close()


def broadcast(*arrays: Any) -> Any:
    """As NumPy's broadcast; elements of tensors that are tracked stay in the graph."""
    operands = [x if np.isscalar(x) else _creation.asarray(x) for x in arrays]
    values = np.broadcast(*(x._array if isinstance(x, TensorBase) else x for x in operands))
    if not (is_grad_enabled() and any(isinstance(x, TensorBase) and node_of(x) for x in operands)):
        return values
    return _Broadcast(values, operands)


class _Broadcast:
    """NumPy's object, which knows the shape, and the tensors that it goes through."""

    def __init__(self, values: Any, operands: list[Any]) -> None:
        self._values = values
        made = (_creation.asarray(x) for x in operands)
        self._operands = [manipulation.broadcast_to(x, values.shape) for x in made]
        self.reset()

    def __getattr__(self, name: str) -> Any:
        if name == "_values":
            raise AttributeError(name)
        return getattr(self._values, name)

    def reset(self) -> None:
        """Begin with the first elements again."""
        self.index = 0
        self.iters = tuple(iter(x.flat) for x in self._operands)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        first = next(self.iters[0])  # or all of them are at their end
        self.index += 1
        return first, *(next(elements) for elements in self.iters[1:])
