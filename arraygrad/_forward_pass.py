"""The forward pass: tangents along a recorded graph, by creation. Knows no op by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._apply import RESULT, node_of, wrap
from ._cotangents import add, times
from ._engine import ancestors, gradients
from ._errors import out_of_memory
from ._formulas import ALIAS, LEAF, Frame, make_leaf, pull, rerun, result_templates
from ._graph import (
    ATTRIBUTES,
    GRAD_MODE,
    INPUTS,
    OP,
    OVERWRITTEN,
    SEQ,
    Node,
    check_not_overwritten,
    grad_mode,
)
from ._op import Op
from ._storage import TensorBase


def push_forward(
    roots: Sequence[Node | None],
    nodes: Sequence[Node | None],
    tangents: Sequence[Any],
    recording: bool,
) -> list[Any]:
    """Tangents at the roots when the values of `nodes` move along `tangents`; None: unmoved."""
    moved: dict[int, Any] = {}
    for node, t in zip(nodes, tangents, strict=True):
        if node is not None and t is not None:
            moved[node[SEQ]] = t
    if not moved:
        return [None] * len(roots)
    given = set(moved)
    token = GRAD_MODE.set(recording)
    try:
        for node in ancestors(roots, min(moved)):
            if node[SEQ] in given or node[OP] is LEAF:
                continue
            arriving = [None if n is None else moved.get(n[SEQ]) for n in node[INPUTS]]
            if all(t is None for t in arriving):
                continue
            if node[OP] is RESULT:
                several: Any = arriving[0]
                moved[node[SEQ]] = several[node[ATTRIBUTES]["index"]]
            elif node[OP] is ALIAS:
                moved[node[SEQ]] = arriving[0]
            else:
                if OVERWRITTEN:
                    check_not_overwritten(node)
                with np.errstate(all="ignore"):  # as in the reverse pass
                    moved[node[SEQ]] = push(node, arriving, recording)
    except MemoryError as error:
        raise out_of_memory("the forward pass", error) from error
    finally:
        GRAD_MODE.reset(token)
    return [None if n is None else moved.get(n[SEQ]) for n in roots]


def push(node: Node, tangents: Sequence[Any], recording: bool) -> Any:
    """Tangent of the node's result (tuple for several) from those of its inputs (None: zero)."""
    op: Op = node[OP]
    derivative = op.derivative
    frame = Frame(node, recording)
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
        product = derivative.product  # type: ignore[attr-defined]
        for i, t in enumerate(tangents):
            if t is not None:
                arguments = [t if k == i else frame[name] for k, name in enumerate(op.args)]
                term = product(*arguments) if product else rerun(node, arguments)
                total = term if total is None else add(total, term)
        return total
    if derivative.kind == "linear" and all(t is not None for t in tangents):
        return rerun(node, tangents)
    return _push_by_transposition(node, tangents, recording)


def _push_by_transposition(node: Node, tangents: Sequence[Any], recording: bool) -> Any:
    """The vjp is linear in its cotangent; its transpose is the jvp. Exact, real and complex."""
    templates = result_templates(node, tangents)
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
