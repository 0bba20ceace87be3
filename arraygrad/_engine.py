"""The reverse pass; the forward pass is `_forward_pass`. Knows no op by name.

The pass is iterative. It visits nodes by falling creation number, which is a topological order;
cotangents live in a dictionary of the pass, so that several threads can walk one graph. Without
``create_graph`` it works on plain arrays; with it, on tensors that stay in the graph, through the
same formulas.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from . import _compiled, _fused
from ._apply import RESULT, cast, node_of, operand, wrap
from ._cotangents import absorbs, add
from ._errors import DTypeError, ShapeError, out_of_memory
from ._formulas import (
    ALIAS as ALIAS,
    LEAF as LEAF,
    alias as alias,
    freed_error as freed_error,
    is_leaf_node as is_leaf_node,
    make_leaf as make_leaf,
    pull,
    separate as separate,
)
from ._graph import (
    ATTRIBUTES,
    FREED,
    GRAD_MODE,
    HOOKS,
    INPUTS,
    OP,
    OVERWRITTEN,
    PULL_OBSERVERS,
    SEQ,
    VALUES,
    Node,
    Packed,
    check_not_overwritten,
)
from ._op import Op
from ._storage import TensorBase, is_writeable_once, prepare_write
from ._windows import add_to_cotangent, pull_read, pull_write, take_from_cotangent

# -- the reverse pass ------------------------------------------------------------------------------

# Raw forms on plain arrays, by op name: f(node, g) -> cotangent arrays aligned with the inputs;
# those of untracked inputs are not looked at. A form that returns None leaves the node to its
# formula.
RAW_PULL: dict[str, Callable[[Node, Any], Sequence[Any] | None]] = {
    **_fused.FORMS,
    "read_window": pull_read,
    "write_window": pull_write,
}
# Ops that read part of their input: f(memory, g, node) adds into an existing cotangent; False: it
# cannot.
ADD_INTO: dict[str, Callable[[Any, Any, Node], bool]] = {"read_window": add_to_cotangent}
# Ops that replace part of their first input: f(g, attributes) -> cotangent of what was written,
# clearing that part of `g`, which then is the cotangent of the first input; None: by formula.
TAKE_OUT: dict[str, Callable[[Any, dict[str, Any]], Any]] = {"write_window": take_from_cotangent}


def gradients(
    outputs: Sequence[Any],
    cotangents: Sequence[Any],
    inputs: Sequence[Any],
    recording: bool,
    keep: bool,
) -> list[Any]:
    """Gradients of the outputs' sum (weighted with the cotangents) by `inputs`; None if unused."""
    roots = [(node_of(o), c) for o, c in zip(outputs, cotangents, strict=True)]
    return pull_back(roots, [node_of(x) for x in inputs], recording, keep)


def pull_back(
    roots: Sequence[tuple[Node | None, Any]],
    nodes: Sequence[Node | None],
    recording: bool,
    keep: bool,
    prune: bool = True,
) -> list[Any]:
    """Cotangents (tensors, or None) that reach `nodes` from the roots; no leaf accumulates.

    Only what lies between is visited, and freed unless `keep`. Without `prune` everything else
    is visited and freed, too: right if there is nothing else.
    """
    wanted = {node[SEQ]: node for node in nodes if node is not None}
    if not wanted:
        return [None] * len(nodes)
    found: dict[int, Any] = {}
    needed = nodes_between([root for root, _ in roots], wanted) if prune else None
    run_backward(roots, recording, keep, wanted=wanted, found=found, needed=needed)
    return [None if node is None else found.get(node[SEQ]) for node in nodes]


def nodes_between(roots: Iterable[Node | None], wanted: dict[int, Node]) -> set[int]:
    """Numbers of `wanted` and of the nodes below the roots that depend on them."""
    nodes = ancestors(roots, min(wanted))
    needed = set(wanted)
    for node in nodes:
        for parent in node[INPUTS]:
            if parent is not None and parent[SEQ] in needed:
                needed.add(node[SEQ])
                break
    return needed


def ancestors(roots: Iterable[Node | None], first: int = 0) -> list[Node]:
    """The roots and all that they depend on, down to number `first`, in order of creation."""
    seen: dict[int, Node] = {}
    stack = [n for n in roots if n is not None]
    while stack:
        node = stack.pop()
        seq = node[SEQ]
        if seq < first or seq in seen:
            continue
        seen[seq] = node
        stack.extend([parent for parent in node[INPUTS] if parent is not None])
    return [seen[seq] for seq in sorted(seen)]


def reaches_outside(roots: Iterable[Node | None], first: int) -> bool:
    """Whether the roots depend on a node older than `first`, or on any leaf."""
    pending: list[Sequence[Node | None]] = [tuple(roots)]
    seen: set[int] = set()
    while pending:
        for node in pending.pop():
            if node is not None:
                seq = node[SEQ]
                if seq < first or node[OP] is LEAF:
                    return True
                if seq not in seen:
                    seen.add(seq)
                    pending.append(node[INPUTS])
    return False


def run_backward(
    roots: Iterable[tuple[Node | None, Any]],
    recording: bool,
    keep: bool,
    wanted: dict[int, Node] | None = None,
    found: dict[int, Any] | None = None,
    needed: set[int] | None = None,
) -> None:
    """Walk back from the roots.

    With `wanted` (seq -> node) the cotangents of those nodes are put into `found` and leaves are
    left alone; without, leaves accumulate into their tensors' grad once the walk has succeeded,
    so that an error leaves every grad as it was. `needed` restricts the walk to these nodes.
    """
    arrived: list[tuple[Node, Any, bool]] = []
    token = GRAD_MODE.set(recording)
    try:
        if recording or needed is not None or PULL_OBSERVERS or not absorbs():
            mode: Any = _Recorded if recording else _Raw
            _walk(mode, roots, keep, wanted, found, needed, arrived)
        else:
            _walk_raw(roots, keep, wanted, found, arrived)
        if arrived:
            with _ACCUMULATING:
                hooked = _accumulate(arrived, recording)
            for node in hooked:
                _run_post_hooks(node)
    except MemoryError as error:
        raise out_of_memory("the backward pass", error) from error
    finally:
        GRAD_MODE.reset(token)


class _Raw:
    """Cotangents as plain arrays."""

    recording = False

    @staticmethod
    def enter(g: Any) -> Any:
        return g._array

    @staticmethod
    def leave(g: Any) -> Any:
        if type(g) is list:
            return [None if part is None else wrap(part) for part in g]
        return wrap(g)

    @staticmethod
    def pull(node: Node, g: Any, needs: tuple[bool, ...] | None) -> Sequence[Any]:
        raw = RAW_PULL.get(node[OP].name)
        # The raw forms are NumPy code, and all that they multiply is absorbed by zeros.
        if raw is not None and type(g) is np.ndarray and absorbs():
            values = node[VALUES]
            if values is FREED:
                raise freed_error(node)
            if type(values) is Packed:
                node = [*node]
                node[VALUES] = values.open()
            fast = raw(node, g)
            if fast is not None:
                return fast
        # Partials at poles are infinite without being a mistake: no warnings from formulas.
        with np.errstate(all="ignore"):
            found = pull(node, _Raw.leave(g), False, needs)
        return [None if c is None else c._array for c in found]

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        if type(a) is np.ndarray:
            return _fused.added(a, b)
        return add(wrap(a), wrap(b))._array


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
    def pull(node: Node, g: Any, needs: tuple[bool, ...] | None) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return pull(node, g, True, needs)

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        return add(a, b)


def _walk(
    mode: Any,
    roots: Iterable[tuple[Node | None, Any]],
    keep: bool,
    wanted: dict[int, Node] | None,
    found: dict[int, Any] | None,
    needed: set[int] | None,
    arrived: list[tuple[Node, Any, bool]],
) -> None:
    pending: dict[int, list[Any]] = {}  # seq -> [node, cotangent, ours]
    heap: list[int] = []
    for node, g in roots:
        if node is not None and (needed is None or node[SEQ] in needed):
            _receive(mode, pending, heap, node, mode.enter(g), False)
    while heap:
        seq = -heappop(heap)
        node, g, ours = pending.pop(seq)
        if len(node) > HOOKS and node[HOOKS]:
            g, ours = _run_hooks(mode, node, g), False
        if wanted is not None and seq in wanted:
            assert found is not None
            found[seq] = mode.leave(g)
            ours = False
        op: Op = node[OP]
        if op is LEAF:
            if wanted is None:
                arrived.append((node, g, ours))
            continue
        if op is RESULT:
            _receive_result(mode, pending, heap, node[INPUTS][0], g, node[ATTRIBUTES])
            continue
        if op is ALIAS and node[INPUTS][0] is None:
            continue
        if OVERWRITTEN:
            check_not_overwritten(node)
        _spread(mode, pending, heap, node, g, ours, needed)
        if not keep and node[VALUES] is not None:
            node[VALUES] = FREED


def _walk_raw(
    roots: Iterable[tuple[Node | None, Any]],
    keep: bool,
    wanted: dict[int, Node] | None,
    found: dict[int, Any] | None,
    arrived: list[tuple[Node, Any, bool]],
) -> None:
    """What `_walk` does, for most passes: on arrays, everywhere, with nobody watching.

    Nodes with a raw form are handled here, without a call, and a chain of them without the heap.
    Leaves wait apart: nothing comes after them.
    """
    pending: dict[int, list[Any]] = {}
    leaves: dict[int, list[Any]] = {}
    heap: list[int] = []
    for node, g in roots:
        if node is not None:
            if pending:
                _receive(_Raw, pending, heap, node, g._array, False)
            else:
                pending[node[SEQ]] = [node, g._array, False]
                heap.append(-node[SEQ])
    while heap:
        node, g, ours = pending.pop(-heappop(heap))
        while True:
            op: Op = node[OP]
            if op is LEAF:
                _gather(_Raw, leaves, node, g, ours)
                break
            if len(node) > HOOKS and node[HOOKS]:
                g, ours = _run_hooks(_Raw, node, g), False
            if wanted is not None and node[SEQ] in wanted:
                _deliver(found, node, g)
                ours = False
            if op is RESULT:
                _receive_result(_Raw, pending, heap, node[INPUTS][0], g, node[ATTRIBUTES])
                break
            if op is ALIAS and node[INPUTS][0] is None:
                break
            if OVERWRITTEN:
                check_not_overwritten(node)
            form = op.raw
            if form is None:
                form = op.raw = _raw_form(op)
            values = node[VALUES]
            cotangents = None
            if type(g) is np.ndarray and values is not FREED and type(values) is not Packed:
                if op.name in ADD_INTO:  # a part of the input: added where there is something
                    source = node[INPUTS][0]
                    entry = leaves.get(source[SEQ]) or pending.get(source[SEQ])
                    if entry is not None and entry[2]:
                        if ADD_INTO[op.name](entry[1], g, node):
                            if not keep and values is not None:
                                node[VALUES] = FREED
                            break
                cotangents = form(node, g)
            if cotangents is None:
                _spread(_Raw, pending, heap, node, g, ours, None)
                if not keep and values is not None:
                    node[VALUES] = FREED
                values = None
                break
            if not keep and values is not None:
                node[VALUES] = FREED
            computes = op.computes
            following = None
            for parent, c in zip(node[INPUTS], cotangents):  # noqa: B905 - aligned by contract
                if parent is None or c is None:
                    continue
                fresh = computes or (c is not g and c.base is None)
                seq = parent[SEQ]
                if parent[OP] is LEAF:
                    if seq in leaves:
                        _gather(_Raw, leaves, parent, c, fresh)
                    else:
                        leaves[seq] = [parent, c, fresh]
                elif following is None and seq not in pending:
                    following, next_g, next_ours = parent, c, fresh
                elif parent is following:
                    next_g, next_ours = _fused.added(next_g, c), True
                else:
                    _receive(_Raw, pending, heap, parent, c, fresh)
            values = cotangents = c = None  # what is used up may go
            if following is None:
                break
            if heap and following[SEQ] < -heap[0]:  # another node comes first
                _receive(_Raw, pending, heap, following, next_g, next_ours)
                next_g = None
                break
            node, g, ours, next_g = following, next_g, next_ours, None
    for seq, (node, g, ours) in leaves.items():
        if len(node) > HOOKS and node[HOOKS]:
            g, ours = _run_hooks(_Raw, node, g), False
        if wanted is None:
            arrived.append((node, g, ours))
        elif seq in wanted:
            _deliver(found, node, g)


def _deliver(found: dict[int, Any] | None, node: Node, g: Any) -> None:
    """Put the cotangent of a wanted node where the caller of the pass finds it."""
    assert found is not None
    found[node[SEQ]] = _Raw.leave(g)


def _no_form(node: Node, g: Any) -> None:
    """The raw form of an op that has none."""


def _raw_form(op: Op) -> Callable[[Node, Any], Sequence[Any] | None]:
    """The form that a raw pass asks first; ops that write a part go the general way."""
    return _no_form if op.name in TAKE_OUT else RAW_PULL.get(op.name, _no_form)


def _spread(
    mode: Any,
    pending: dict[int, list[Any]],
    heap: list[int],
    node: Node,
    g: Any,
    ours: bool,
    needed: set[int] | None,
) -> None:
    """Hand the cotangents of a node to its inputs."""
    op: Op = node[OP]
    inputs = node[INPUTS]
    needs = None
    if needed is not None:
        needs = tuple([n is not None and n[SEQ] in needed for n in inputs])
        if not any(needs):
            return
    recording = mode.recording
    if not recording and (op.name in ADD_INTO or op.name in TAKE_OUT):
        adder = ADD_INTO.get(op.name)
        if adder is not None:
            entry = pending.get(inputs[0][SEQ])
            if entry is not None and entry[2] and adder(entry[1], g, node):
                return
        taker = TAKE_OUT.get(op.name)
        value = taker(g, node[ATTRIBUTES]) if taker is not None and ours else None
        if value is not None:
            for i, c in enumerate((g, value)):
                if inputs[i] is not None and (needs is None or needs[i]):
                    _receive(mode, pending, heap, inputs[i], c, True)
            return
    cotangents = mode.pull(node, g, needs)
    if PULL_OBSERVERS:
        cotangents = [None if n is None else c for n, c in zip(inputs, cotangents, strict=False)]
        for observer in tuple(PULL_OBSERVERS):
            observer(node, g, cotangents)
    kind = op.derivative.kind
    computed = not recording and op.computes
    linear = not recording and kind == "linear"
    for i, c in enumerate(cotangents):
        parent = inputs[i]
        if c is not None and parent is not None and (needs is None or needs[i]):
            fresh = computed or (linear and c is not g and _owns_memory(c))
            seq = parent[SEQ]
            if seq in pending:
                _receive(mode, pending, heap, parent, c, fresh)
            else:
                pending[seq] = [parent, c, fresh]
                heappush(heap, -seq)


def _owns_memory(array: Any) -> bool:
    return type(array) is np.ndarray and array.base is None


def _receive(
    mode: Any, pending: dict[int, list[Any]], heap: list[int], node: Node, g: Any, ours: bool
) -> None:
    """Add a cotangent to what has come to a node so far, which waits for its turn."""
    if node[SEQ] not in pending:
        heappush(heap, -node[SEQ])
    _gather(mode, pending, node, g, ours)


def _gather(mode: Any, entries: dict[int, list[Any]], node: Node, g: Any, ours: bool) -> None:
    """Add a cotangent to the entry of a node, made now if there is none."""
    entry = entries.get(node[SEQ])
    if entry is None:
        entries[node[SEQ]] = [node, g, ours]
    elif (
        entry[2]
        and not mode.recording
        and type(entry[1]) is np.ndarray
        and entry[1].dtype == g.dtype
        and entry[1].ndim
    ):
        _fused.added(entry[1], g, out=entry[1])
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
        given = mode.leave(g)
        if mode.recording:  # others may hold the very tensor: what a hook writes must not reach it
            if isinstance(given, list):
                given = [None if part is None else separate(part) for part in given]
            else:
                given = separate(given)
        for part in given if isinstance(given, list) else (given,):
            if part is not None:
                # Others may hold this memory: a hook that writes gets a copy.
                part._saved = True
                if not part._array.flags.writeable:
                    part._array = part._array.copy()
        replaced = hook(given)
        if replaced is not None:
            if isinstance(given, list):
                if len(replaced) != len(given):
                    raise ShapeError(
                        f"a hook returned {len(replaced)} gradients for the {len(given)} that it "
                        "was given"
                    )
                pairs = zip(replaced, given, strict=True)
                g = [None if r is None else mode.enter(_fitting(r, part)) for r, part in pairs]
            else:
                g = mode.enter(_fitting(replaced, given))
    return g


def _fitting(replaced: Any, given: Any) -> Any:
    """What a hook returned as a tensor that can stand in for the gradient that it was given."""
    replaced = operand(replaced, "a hook of a gradient")
    if given is None:
        return replaced
    shape, dtype = given._array.shape, given._array.dtype
    if replaced._array.shape != shape:
        raise ShapeError(
            f"a hook returned a gradient of shape {replaced._array.shape} for one of shape {shape}"
        )
    if replaced._array.dtype.kind == "c" and dtype.kind != "c":
        raise DTypeError(
            f"a hook returned a complex gradient for one of dtype {dtype}; return its .real"
        )
    return cast(replaced, dtype)


# Several threads may bring gradients to one leaf at once.
_ACCUMULATING = RLock()


def _after_fork() -> None:
    global _ACCUMULATING
    _ACCUMULATING = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _accumulate(arrived: list[tuple[Node, Any, bool]], recording: bool) -> list[Node]:
    """Add cotangents to the grad of the leaves' tensors; the leaves that somebody watches."""
    for node, g, ours in arrived:
        _accumulate_one(node, g, ours, recording)
    return [node for node, _, _ in arrived if "post_hooks" in node[ATTRIBUTES]]


def _accumulate_one(node: Node, g: Any, ours: bool, recording: bool) -> None:
    """Add a cotangent (a tensor, or an array of a raw pass) to the grad of a leaf's tensor."""
    attributes = node[ATTRIBUTES]
    tensor = attributes["tensor"]()
    if tensor is None:  # it lives no more
        return
    if recording:
        accumulate_into(tensor, g, ours, True)
    elif ours and type(g) is np.ndarray and g.dtype is attributes["dtype"]:
        if getattr(tensor, "_grad", None) is None:
            tensor._grad = wrap(g)
        else:
            accumulate_into(tensor, wrap(g), ours, False)
    else:
        accumulate_into(tensor, wrap(g), ours, False)


def accumulate_into(tensor: Any, g: Any, ours: bool, recording: bool) -> None:
    """Add `g` to the tensor's grad, in its dtype. `ours`: nothing else holds the memory of `g`."""
    dtype = tensor._array.dtype
    if g._array.dtype != dtype:
        g = cast(g, dtype)
        ours = True
    old = getattr(tensor, "_grad", None)
    if old is None:
        if not recording and type(g._array) is np.ndarray:
            if not (ours and g._array.flags.writeable):
                g = wrap(np.array(g._array))
        tensor._grad = separate(g) if recording else g
    elif recording or node_of(old) is not None or not is_writeable_once(old._array):
        tensor._grad = add(old, g)
    else:
        prepare_write(old, "backward")
        np.add(old._array, g._array, out=old._array)


def _run_post_hooks(node: Node) -> None:
    attributes = node[ATTRIBUTES]
    hooks = attributes.get("post_hooks")
    if hooks:
        tensor = attributes["tensor"]()
        if tensor is not None:
            for hook in list(hooks):
                hook(tensor)


# The definitions, to which the compiled reverse pass hands what is special.
if _compiled.ROADS is not None:
    _compiled.ROADS.register_backward(
        Op,
        TensorBase,
        (heappop, heappush),
        (LEAF, RESULT, ALIAS, FREED, Packed, OVERWRITTEN, ADD_INTO, _Raw),
        (
            _accumulate_one, _fused.added, _deliver, _gather, _raw_form, _receive,
            _receive_result, _run_hooks, _spread, check_not_overwritten,
        ),
    )  # fmt: skip
    _walk_raw, _accumulate = _compiled.ROADS.walk, _compiled.ROADS.accumulate
