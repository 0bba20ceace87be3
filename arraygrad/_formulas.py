"""The formulas of one node: its saved values as tensors, its vjp, its op on other arguments.

Also the two ops that the graph itself needs, leaves and aliases. Knows no op by name.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._apply import RESULT, apply, node_of, scalar_class, view, wrap
from ._cotangents import conj, times
from ._dispatch import register_kernel
from ._elementwise import elementwise, op_result_dtype
from ._errors import GradientError
from ._graph import (
    ATTRIBUTES,
    FREED,
    GRAD_MODE,
    INPUTS,
    OP,
    VALUES,
    Node,
    Packed,
    next_seq,
    node_name,
)
from ._op import Formula, Linear, Op, declare
from ._storage import TensorBase, mark_saved

LEAF = declare(Op("leaf", ("x",), Linear(x=lambda g: g)))

# The same value under a node of its own: what a function under differentiation gets as argument.
ALIAS = declare(Op("alias", ("x",), Linear(x=lambda g: g), scalar=False))
register_kernel("alias", lambda x: x)


def make_leaf(tensor: TensorBase) -> Node:
    """The node of a leaf. It knows its tensor weakly: gradients are kept on the tensor."""
    attributes = {
        "tensor": weakref.ref(tensor),
        "shape": tensor._array.shape,
        "dtype": tensor._array.dtype,
    }
    return [next_seq(), LEAF, (), None, attributes]


def is_leaf_node(node: Node) -> bool:
    return node[OP] is LEAF


def alias(x: TensorBase) -> Any:
    """A tensor with the value of `x` and a node of its own behind the node of `x`, if any.

    Derivatives by the alias see nothing else that `x` is used for, while those by `x` (or what
    made it) flow through. It shares memory with `x` until one of the two is written.
    """
    out = wrap(x._array[()] if isinstance(x, scalar_class()) else x._array)
    out._array = x._array
    out._saved = True
    mark_saved(x)
    attributes = {"shape": x._array.shape, "dtype": x._array.dtype}
    out._node = [next_seq(), ALIAS, (node_of(x) if GRAD_MODE.get() else None,), None, attributes]
    return out


def separate(g: Any) -> Any:
    """A recorded gradient as a tensor of its own: several places may have been handed the same."""
    return wrap(np.array(g._array)) if node_of(g) is None else alias(g)


# -- running one node's formulas -----------------------------------------------------------------


# Names of a frame's own that formulas of user-defined functions ask for.
_OF_THE_NODE = ("node", "values", "recording")


class Frame:
    """The named values of one node, as tensors (with their nodes when `recording`)."""

    __slots__ = ("made", "needs", "node", "opened", "recording")

    def __init__(self, node: Node, recording: bool, needs: tuple[bool, ...] | None = None) -> None:
        self.node = node
        self.recording = recording
        self.needs = needs
        self.opened: Any = None
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        made = self.made
        if name in made:
            return made[name]
        node = self.node
        op: Op = node[OP]
        i = op.slot_index.get(name)
        if i is not None:
            value = made[name] = self._value(op, name, i)
            return value
        if name == "needs":
            return self.needs or tuple(n is not None for n in node[INPUTS])
        if name in _OF_THE_NODE:
            return getattr(self, name)
        return node[ATTRIBUTES][name]

    @property
    def values(self) -> Any:
        """What the node saved; unpacked once, when it is asked for."""
        if self.opened is None:
            values = self.node[VALUES]
            self.opened = values.open() if type(values) is Packed else values
        return self.opened

    def _value(self, op: Op, name: str, i: int) -> Any:
        values = self.values
        if values is FREED:
            raise freed_error(self.node)
        array = values[i]
        inputs = self.node[INPUTS]
        if name == "out":
            if isinstance(array, tuple):
                return tuple(
                    self._tensor(a, self._result_node(k, len(array))) for k, a in enumerate(array)
                )
            return self._tensor(array, self.node)
        if op.variadic:
            return tuple(self._tensor(a, n) for a, n in zip(array, inputs, strict=True))
        return self._tensor(array, inputs[i])

    def _result_node(self, index: int, count: int) -> Node:
        return [next_seq(), RESULT, (self.node,), None, {"index": index, "count": count}]

    def _tensor(self, array: Any, node: Node | None) -> Any:
        tensor = wrap(array)
        if self.recording:
            tensor._node = node
        # The array belongs to the graph: a formula that writes in place must get a copy.
        tensor._saved = True
        return tensor

    def call(self, formula: Formula, *leading: Any) -> Any:
        return formula.function(*leading, **{name: self[name] for name in formula.names})


def freed_error(node: Node) -> GradientError:
    return GradientError(
        f"backward through {node_name(node)} a second time, after its saved values were freed; "
        "call the first backward with retain_graph=True"
    )


def pull(
    node: Node, g: Any, recording: bool, needs: tuple[bool, ...] | None = None
) -> Sequence[Any]:
    """Cotangents of the node's inputs (tensors; None where there is none) from its own, `g`.

    `g` is a tensor, or a list of tensors and None for a node with several results. `needs` says
    which inputs' cotangents are wanted; by default those of all tracked inputs.
    """
    op: Op = node[OP]
    derivative = op.derivative
    frame = Frame(node, recording, needs)
    inputs = node[INPUTS]
    if derivative.kind == "rule" and derivative.vjp is not None:  # type: ignore[attr-defined]
        found = frame.call(derivative.vjp, g)  # type: ignore[attr-defined]
        return found if isinstance(found, tuple | list) else (found,)
    if op.variadic:
        formula = derivative.by_argument[op.args[0]]
        return frame.call(formula, g)  # type: ignore[no-any-return]
    results: list[Any] = []
    for i, argument in enumerate(op.args):
        formula_ = derivative.by_argument.get(argument)
        if inputs[i] is None or formula_ is None or (needs is not None and not needs[i]):
            results.append(None)
        elif derivative.kind == "partials":
            partial = frame.call(formula_)
            if not isinstance(partial, TensorBase):
                partial = wrap(np.asarray(partial, g._array.dtype))
            results.append(times(g, conj(partial)))
        else:
            results.append(frame.call(formula_, g))
    return results


def rerun(node: Node, arguments: Sequence[Any]) -> Any:
    """The node's op on other arguments, with the same attributes."""
    op: Op = node[OP]
    if op.family == "elementwise":
        return elementwise(op, *arguments)
    skipped = {name for name, _, _ in op.meta} | {"result_like"}
    attributes = {k: v for k, v in (node[ATTRIBUTES] or {}).items() if k not in skipped}
    road = view if op.family == "view" else apply
    return road(op, *arguments, **attributes)


def result_templates(node: Node, tangents: Sequence[Any]) -> Any:
    """(shape, dtype) of the node's result, or a list of them."""
    attributes = node[ATTRIBUTES]
    if attributes and "result_like" in attributes:
        return attributes["result_like"]
    t = next(t for t in tangents if t is not None)
    return t._array.shape, op_result_dtype(node[OP], t._array.dtype)
