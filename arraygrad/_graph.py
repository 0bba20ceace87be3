"""The recorded graph: nodes, grad mode, and what happened to saved memory. Knows no op by name.

A node is a list, because lists are the cheapest mutable object that Python makes::

    [seq, op, inputs, values, attributes]

seq : int
    Creation order, unique in the process: inputs always have smaller numbers, so that walking
    nodes by falling `seq` is a topological order.
op : Op
    Whose result this is; its derivative says how to go on.
inputs : tuple of (node or None)
    Nodes of the tracked arguments; None where an argument carries no gradient.
values : tuple or None
    Memory of the arguments and the result that the derivative needs, aligned with ``op.slots``;
    None entries were not needed. The engine sets the whole field to None once it is used up.
attributes : dict or None
    Static arguments (axis, shape, ...).
hooks : list or None, only when there are any
trace : TraceNote, only under anomaly detection: where in the user's code the node was made

A node points only to its inputs' nodes and to plain memory, never to tensors: no cycles.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._aliases import owners_over
from ._errors import GradientError

Node = list[Any]

SEQ, OP, INPUTS, VALUES, ATTRIBUTES, HOOKS, TRACE = range(7)

next_seq: Callable[[], int] = itertools.count(1).__next__

# Grad mode is context-local: threads start enabled, asyncio tasks inherit a copy.
GRAD_MODE: ContextVar[bool] = ContextVar("arraygrad_grad_mode", default=True)
is_grad_enabled: Callable[[], bool] = GRAD_MODE.get

# Key in the globals of lifted functions: what they ask of a tensor may be answered in the graph.
LIFTED_MARK = "__arraygrad_scope__"

# Functions called with (op, result, argument arrays) after each op, the result being a tensor with
# its node, or a tuple of them. Empty almost always, so that the road of a primitive pays one truth
# test. Observers look at their own context.
OBSERVERS: list[Callable[[Any, Any, tuple[Any, ...]], None]] = []

# Functions called with (node, cotangent, cotangents of the inputs) after each step of a reverse
# pass; arrays, or tensors while recording.
PULL_OBSERVERS: list[Callable[[Node, Any, Any], None]] = []


class Packed:
    """Stands in a node's `values` for values that are kept in another form than as arrays.

    pieces : for each value None, a tuple of one piece, or a list of pieces for a tuple of values
    unpack : makes the array of a piece
    memory : arrays that the pieces hold, which a write could spoil
    """

    __slots__ = ("memory", "pieces", "unpack")

    def __init__(
        self,
        pieces: tuple[Any, ...],
        unpack: Callable[[Any], Any],
        memory: tuple[Any, ...] = (),
    ) -> None:
        self.pieces = pieces
        self.unpack = unpack
        self.memory = memory

    def open(self) -> tuple[Any, ...]:
        """The values as `record` had them."""
        values: list[Any] = []
        for piece in self.pieces:
            if piece is None:
                values.append(None)
            elif type(piece) is list:  # of an op with any number of arguments
                values.append(tuple([self.unpack(p) for p in piece]))
            else:
                values.append(self.unpack(piece[0]))
        return tuple(values)

    def __iter__(self) -> Iterator[Any]:
        """Of the memory that is held, as from the values themselves."""
        return iter(self.memory)


# What stands in a node's `values` once they have been used up.
FREED: tuple[Any, ...] = ("freed",)


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Set grad mode inside a with block."""
    token = GRAD_MODE.set(enabled)
    try:
        yield
    finally:
        GRAD_MODE.reset(token)


# Overwritten memory: id(owner) -> (weak reference to owner, seq of the last write, writer's name).
# Only memory that is aliased outside (so that it could not be swapped) is ever listed here.
OVERWRITTEN: dict[int, tuple[weakref.ref[Any], int, str]] = {}


def owner_of(array: Any) -> Any:
    """The array at the end of the chain of bases: the one that holds the memory."""
    base = array.base
    while base is not None:
        if hasattr(base, "shape") and hasattr(base, "base"):
            array, base = base, base.base
        elif isinstance(base, memoryview):
            base = base.obj
        else:  # NumPy's as_strided puts an object of its own between view and base
            base = getattr(base, "base", None)
    return array


def note_overwritten(array: Any, writer: str) -> None:
    """Remember that memory which a graph may have saved has been written."""
    seq = next_seq()
    for owner in owners_over(owner_of(array)):
        key = id(owner)
        known = OVERWRITTEN.get(key)
        if known is not None and known[0]() is owner:
            reference = known[0]
        else:
            reference = weakref.ref(owner, _forget(key))
        OVERWRITTEN[key] = (reference, seq, writer)


def _forget(key: int) -> Callable[[Any], None]:
    def forget(_: Any) -> None:
        OVERWRITTEN.pop(key, None)

    return forget


def check_not_overwritten(node: Node) -> None:
    """Raise GradientError if a value that `node` saved has been written since."""
    for value in _arrays(node[VALUES]):
        found = OVERWRITTEN.get(id(owner_of(value)))
        if found is not None and found[1] > node[SEQ]:
            raise GradientError(
                f"a value that {node[OP].name} saved for its derivative was written later by "
                f"{found[2]}; the memory is shared with code outside (NumPy, DLPack), so the old "
                "value could not be kept: write to a copy instead, x = x.copy()"
            )


def _arrays(values: Any) -> Iterator[Any]:
    for value in values or ():
        if isinstance(value, tuple):
            yield from _arrays(value)
        elif hasattr(value, "base"):
            yield value


def node_name(node: Node) -> str:
    """Name that people know: MulBackward, AccumulateGrad, ..."""
    name: str = node[OP].name
    if name == "leaf":
        return "AccumulateGrad"
    if name[0].isupper():  # a user's Function
        return name + "Backward"
    return _SHORT.get(name) or "".join(p.capitalize() for p in name.split("_")) + "Backward"


_SHORT = {
    "multiply": "MulBackward",
    "subtract": "SubBackward",
    "divide": "DivBackward",
    "negative": "NegBackward",
}
