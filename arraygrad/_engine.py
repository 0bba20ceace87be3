"""The reverse pass, the forward pass, and how derivative formulas are run. Knows no op by name.

Both passes are iterative. The reverse pass visits nodes by falling creation number, which is a
topological order; cotangents live in a dictionary of the pass, so that several threads can walk
one graph. Without ``create_graph`` it works on plain arrays; with it, on tensors that stay in the
graph, through the same formulas.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from ._apply import RESULT, apply, cast, elementwise, node_of, op_result_dtype, view, wrap
from ._cotangents import add, conj, times
from ._errors import GradientError
from ._graph import (
    ATTRIBUTES,
    HOOKS,
    INPUTS,
    OP,
    OVERWRITTEN,
    SEQ,
    VALUES,
    Node,
    check_not_overwritten,
    grad_mode,
    next_seq,
    node_name,
)
from ._op import Formula, Linear, Op, declare
from ._storage import TensorBase, prepare_write

LEAF = declare(Op("leaf", ("x",), Linear(x=lambda g: g)))

FREED: tuple[Any, ...] = ("freed",)


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


# -- running one node's formulas -----------------------------------------------------------------


class _Frame:
    """The named values of one node, as tensors (with their nodes when `recording`)."""

    __slots__ = ("made", "node", "recording")

    def __init__(self, node: Node, recording: bool) -> None:
        self.node = node
        self.recording = recording
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
            return tuple(n is not None for n in node[INPUTS])
        return node[ATTRIBUTES][name]

    def _value(self, op: Op, name: str, i: int) -> Any:
        values = self.node[VALUES]
        if values is FREED:
            raise GradientError(
                f"backward through {node_name(self.node)} a second time, after its saved values "
                "were freed; call the first backward with retain_graph=True"
            )
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


def pull(node: Node, g: Any, recording: bool) -> Sequence[Any]:
    """Cotangents of the node's inputs (tensors; None where there is none) from its own, `g`.

    `g` is a tensor, or a list of tensors and None for a node with several results.
    """
    op: Op = node[OP]
    derivative = op.derivative
    frame = _Frame(node, recording)
    inputs = node[INPUTS]
    if derivative.kind == "rule" and derivative.vjp is not None:  # type: ignore[attr-defined]
        found = frame.call(derivative.vjp, g)  # type: ignore[attr-defined]
        return found if isinstance(found, tuple | list) else (found,)
    if op.variadic:
        formula = derivative.by_argument[op.args[0]]
        return frame.call(formula, g)  # type: ignore[no-any-return]
    results: list[Any] = []
    for argument, parent in zip(op.args, inputs, strict=False):
        formula_ = derivative.by_argument.get(argument)
        if parent is None or formula_ is None:
            results.append(None)
        elif derivative.kind == "partials":
            partial = frame.call(formula_)
            if not isinstance(partial, TensorBase):
                partial = wrap(np.asarray(partial, g._array.dtype))
            results.append(times(g, conj(partial)))
        else:
            results.append(frame.call(formula_, g))
    return results


def push(node: Node, tangents: Sequence[Any], recording: bool) -> Any:
    """Tangent of the node's result (tuple for several) from those of its inputs (None: zero)."""
    op: Op = node[OP]
    derivative = op.derivative
    frame = _Frame(node, recording)
    if derivative.kind == "partials":
        total = None
        for argument, t in zip(op.args, tangents, strict=False):
            if t is not None and argument in derivative.by_argument:
                partial = frame.call(derivative.by_argument[argument])
                if not isinstance(partial, TensorBase):
                    partial = wrap(np.asarray(partial, t._array.dtype))
                term = times(t, partial)
                total = term if total is None else add(total, term)
        return total
    if derivative.kind == "rule" and derivative.jvp is not None:  # type: ignore[attr-defined]
        return frame.call(derivative.jvp, tuple(tangents))  # type: ignore[attr-defined]
    if derivative.kind == "bilinear":
        total = None
        for i, t in enumerate(tangents):
            if t is not None:
                arguments = [t if k == i else frame[name] for k, name in enumerate(op.args)]
                term = _rerun(node, arguments)
                total = term if total is None else add(total, term)
        return total
    if derivative.kind == "linear" and all(t is not None for t in tangents):
        return _rerun(node, tangents)
    return _push_by_transposition(node, tangents, recording)


def _rerun(node: Node, arguments: Sequence[Any]) -> Any:
    """The node's op on other arguments, with the same attributes."""
    op: Op = node[OP]
    if op.family == "elementwise":
        return elementwise(op, *arguments)
    skipped = {name for name, _, _ in op.meta} | {"result_like"}
    attributes = {k: v for k, v in (node[ATTRIBUTES] or {}).items() if k not in skipped}
    road = view if op.family == "view" else apply
    return road(op, *arguments, **attributes)


def _push_by_transposition(node: Node, tangents: Sequence[Any], recording: bool) -> Any:
    """The vjp is linear in its cotangent; its transpose is the jvp. Exact, real and complex."""
    templates = _result_templates(node, tangents)
    several = isinstance(templates, list)
    dummies = []
    for shape, dtype in templates if several else [templates]:
        dummy = wrap(np.zeros(shape, dtype))
        dummy._node = make_leaf(dummy)
        dummies.append(dummy)
    with grad_mode(True):
        pulled = pull(node, dummies if several else dummies[0], recording)
        outputs, cotangents = [], []
        for c, t in zip(pulled, tangents, strict=False):
            if c is not None and t is not None and node_of(c) is not None:
                outputs.append(c)
                cotangents.append(t)
    if not outputs:
        return tuple(None for _ in dummies) if several else None
    found = gradients(outputs, cotangents, dummies, recording, keep=True)
    return tuple(found) if several else found[0]


def _result_templates(node: Node, tangents: Sequence[Any]) -> Any:
    """(shape, dtype) of the node's result, or a list of them."""
    attributes = node[ATTRIBUTES]
    if attributes and "result_like" in attributes:
        return attributes["result_like"]
    t = next(t for t in tangents if t is not None)
    return t._array.shape, op_result_dtype(node[OP], t._array.dtype)


# -- the reverse pass ------------------------------------------------------------------------------

# Raw forms on plain arrays, by op name: f(node, g) -> cotangent arrays aligned with the inputs.
RAW_PULL: dict[str, Callable[[Node, Any], Sequence[Any]]] = {}
# Ops that read part of their input: f(memory, g, attributes) adds into an existing cotangent.
ADD_INTO: dict[str, Callable[[Any, Any, dict[str, Any]], bool]] = {}
# Ops that replace part of their first input: f(g, attributes) -> cotangent of what was written,
# clearing that part of `g`, which then is the cotangent of the first input.
TAKE_OUT: dict[str, Callable[[Any, dict[str, Any]], Any]] = {}


def _pull_arrays(node: Node, g: Any) -> Sequence[Any]:
    if isinstance(g, list):
        wrapped: Any = [None if a is None else wrap(a) for a in g]
    else:
        wrapped = wrap(g)
    return [None if c is None else c._array for c in pull(node, wrapped, False)]


def gradients(
    outputs: Sequence[Any],
    cotangents: Sequence[Any],
    inputs: Sequence[Any],
    recording: bool,
    keep: bool,
) -> list[Any]:
    """Gradients of the outputs' sum (weighted with the cotangents) by `inputs`; None if unused."""
    wanted = {}
    for x in inputs:
        node = node_of(x)
        if node is not None:
            wanted[node[SEQ]] = node
    roots = [(node_of(o), c) for o, c in zip(outputs, cotangents, strict=True)]
    found: dict[int, Any] = {}
    run_backward(roots, recording, keep, wanted=wanted, found=found)
    results = []
    for x in inputs:
        node = node_of(x)
        results.append(None if node is None else found.get(node[SEQ]))
    return results


def run_backward(
    roots: Iterable[tuple[Node | None, Any]],
    recording: bool,
    keep: bool,
    wanted: dict[int, Node] | None = None,
    found: dict[int, Any] | None = None,
) -> None:
    """Walk back from the roots.

    With `wanted` (seq -> node) the cotangents of those nodes are put into `found` and leaves are
    left alone; without, leaves accumulate into their tensors' grad.
    """
    if recording:
        with grad_mode(True):
            _walk(_Recorded(), roots, keep, wanted, found)
    else:
        with grad_mode(False):
            _walk(_Raw(), roots, keep, wanted, found)


class _Raw:
    """Cotangents as plain arrays."""

    recording = False

    @staticmethod
    def enter(g: Any) -> Any:
        return g._array

    @staticmethod
    def leave(g: Any) -> Any:
        return wrap(g)

    @staticmethod
    def pull(node: Node, g: Any) -> Sequence[Any]:
        raw = RAW_PULL.get(node[OP].name)
        return _pull_arrays(node, g) if raw is None else raw(node, g)

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        return np.asarray(np.add(a, b))


class _Recorded:
    """Cotangents as tensors of the graph."""

    recording = True

    @staticmethod
    def enter(g: Any) -> Any:
        return g

    @staticmethod
    def leave(g: Any) -> Any:
        return g

    @staticmethod
    def pull(node: Node, g: Any) -> Sequence[Any]:
        return pull(node, g, True)

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        return add(a, b)


def _walk(
    mode: Any,
    roots: Iterable[tuple[Node | None, Any]],
    keep: bool,
    wanted: dict[int, Node] | None,
    found: dict[int, Any] | None,
) -> None:
    pending: dict[int, list[Any]] = {}  # seq -> [node, cotangent, ours]
    heap: list[int] = []
    for node, g in roots:
        if node is not None:
            _receive(mode, pending, heap, node, mode.enter(g), False)
    stop = min(wanted) if wanted else 0
    while heap:
        seq = -heappop(heap)
        node, g, ours = pending.pop(seq)
        if seq < stop:
            return
        if len(node) > HOOKS and node[HOOKS]:
            g, ours = _run_hooks(mode, node, g), False
        if wanted is not None and found is not None and seq in wanted:
            found[seq] = mode.leave(g)
            ours = False
        op: Op = node[OP]
        if op is LEAF:
            if wanted is None:
                _accumulate(node, mode.leave(g), ours, mode.recording)
            continue
        if op is RESULT:
            parent = node[INPUTS][0]
            _receive_result(mode, pending, heap, parent, g, node[ATTRIBUTES])
            continue
        if OVERWRITTEN:
            check_not_overwritten(node)
        _spread(mode, pending, heap, node, g, ours)
        if not keep and node[VALUES] is not None and any(v is not None for v in node[VALUES]):
            node[VALUES] = FREED


def _spread(
    mode: Any, pending: dict[int, list[Any]], heap: list[int], node: Node, g: Any, ours: bool
) -> None:
    """Hand the cotangents of a node to its inputs."""
    op: Op = node[OP]
    inputs = node[INPUTS]
    if not mode.recording:
        adder = ADD_INTO.get(op.name)
        if adder is not None:
            entry = pending.get(inputs[0][SEQ])
            if entry is not None and entry[2] and adder(entry[1], g, node[ATTRIBUTES]):
                return
        taker = TAKE_OUT.get(op.name)
        if taker is not None and ours:
            value = taker(g, node[ATTRIBUTES])
            if inputs[0] is not None:
                _receive(mode, pending, heap, inputs[0], g, True)
            if inputs[1] is not None:
                _receive(mode, pending, heap, inputs[1], value, True)
            return
    cotangents = mode.pull(node, g)
    computed = op.derivative.kind in ("partials", "bilinear")
    for parent, c in zip(inputs, cotangents, strict=False):
        if parent is not None and c is not None:
            fresh = not mode.recording and (
                computed or (op.derivative.kind == "linear" and c is not g and c.base is None)
            )
            _receive(mode, pending, heap, parent, c, fresh)


def _receive(
    mode: Any, pending: dict[int, list[Any]], heap: list[int], node: Node, g: Any, ours: bool
) -> None:
    seq = node[SEQ]
    entry = pending.get(seq)
    if entry is None:
        pending[seq] = [node, g, ours]
        heappush(heap, -seq)
    elif entry[2] and not mode.recording and entry[1].dtype == g.dtype and entry[1].ndim:
        np.add(entry[1], g, out=entry[1])
    else:
        entry[1] = mode.add(entry[1], g)
        entry[2] = not mode.recording


def _receive_result(
    mode: Any, pending: dict[int, list[Any]], heap: list[int], node: Node, g: Any, where: Any
) -> None:
    seq = node[SEQ]
    entry = pending.get(seq)
    if entry is None:
        entry = pending[seq] = [node, [None] * where["count"], False]
        heappush(heap, -seq)
    parts = entry[1]
    i = where["index"]
    parts[i] = g if parts[i] is None else mode.add(parts[i], g)


def _run_hooks(mode: Any, node: Node, g: Any) -> Any:
    for hook in list(node[HOOKS]):
        replaced = hook(mode.leave(g))
        if replaced is not None:
            g = mode.enter(replaced)
    return g


def _accumulate(node: Node, g: Any, ours: bool, recording: bool) -> None:
    """Add a cotangent to the grad of a leaf's tensor, if that still lives."""
    attributes = node[ATTRIBUTES]
    tensor = attributes["tensor"]()
    if tensor is None:
        return
    if g._array.dtype != attributes["dtype"]:
        g = cast(g, attributes["dtype"])
        ours = True
    old = getattr(tensor, "_grad", None)
    if old is None:
        if not recording and not (ours and g._array.flags.writeable):
            g = wrap(np.array(g._array))
        tensor._grad = g
    elif recording or node_of(old) is not None:
        tensor._grad = add(old, g)
    else:
        prepare_write(old, "backward")
        np.add(old._array, g._array, out=old._array)
    for hook in attributes.get("post_hooks", ()):
        hook(tensor)


# -- the forward pass ------------------------------------------------------------------------------


def subgraph(outputs: Iterable[Node | None], inputs: dict[int, Any]) -> list[Node]:
    """Nodes between the inputs (by seq) and the outputs, in order of creation."""
    seen: dict[int, Node] = {}
    stack = [n for n in outputs if n is not None]
    first = min(inputs, default=0)
    while stack:
        node = stack.pop()
        if node[SEQ] in seen or node[SEQ] < first:
            continue
        seen[node[SEQ]] = node
        stack.extend(n for n in node[INPUTS] if n is not None)
    return [seen[seq] for seq in sorted(seen)]


def run_forward(
    outputs: Sequence[Any], inputs: Sequence[Any], tangents: Sequence[Any], recording: bool
) -> list[Any]:
    """Tangents of the outputs when the inputs move along `tangents`; None where they do not."""
    moved: dict[int, Any] = {}
    for x, t in zip(inputs, tangents, strict=True):
        node = node_of(x)
        if node is not None and t is not None:
            moved[node[SEQ]] = t
    roots = [node_of(o) for o in outputs]
    with grad_mode(recording):
        for node in subgraph(roots, moved):
            if node[SEQ] in moved or node[OP] is LEAF:
                continue
            arriving = [None if n is None else moved.get(n[SEQ]) for n in node[INPUTS]]
            if all(t is None for t in arriving):
                continue
            if node[OP] is RESULT:
                moved[node[SEQ]] = arriving[0][node[ATTRIBUTES]["index"]]
            else:
                moved[node[SEQ]] = push(node, arriving, recording)
    return [None if n is None else moved.get(n[SEQ]) for n in roots]
