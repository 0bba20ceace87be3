"""Reverse passes over a graph that is there already: `grad` and `backward`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .._apply import cast, node_of, operand, wrap
from .._engine import accumulate_into, pull_back, run_backward, separate
from .._errors import ArgumentError, ArgumentTypeError, GradientError, ShapeError
from .._graph import OBSERVERS, SEQ, Node
from .._storage import TensorBase
from .anomaly import check_value

__all__ = ["backward", "grad"]


@lru_cache
def _one(dtype: np.dtype[Any]) -> Any:
    """1 as an array that nobody writes to: passes do not write to what they begin with."""
    one = np.array(1, dtype)
    one.flags.writeable = False
    return one


def cotangent_of(output: Any, g: Any, name: str) -> Any:
    """`g` as a cotangent of `output`: checked, in its dtype; 1 where g is None."""
    array = output._array
    if g is None:
        if array.size != 1 or array.dtype.kind == "c":
            raise GradientError(
                f"a {array.dtype} tensor of shape {array.shape} needs {name}, a tensor of that "
                "shape; or reduce to one real number first, e.g. y.sum()"
            )
        return wrap(_one(array.dtype) if not array.ndim else np.ones(array.shape, array.dtype))
    g = operand(g, "backward")
    if g._array.shape != array.shape:
        raise ShapeError(
            f"{name} has shape {g._array.shape}, the tensor that it belongs to {array.shape}; "
            f"use ag.broadcast_to({name}, {array.shape}) if all elements count alike"
        )
    if g._array.dtype.kind == "c" and array.dtype.kind != "c":
        raise ArgumentTypeError(
            f"{name} is complex, but the tensor that it belongs to has dtype {array.dtype}; use "
            f"{name}.real"
        )
    return cast(g, array.dtype)


def _as_sequence(tensors: Any, name: str) -> list[Any]:
    if isinstance(tensors, TensorBase):
        return [tensors]
    if not isinstance(tensors, Iterable):
        raise ArgumentTypeError(f"{name} is a {type(tensors).__name__}, not a tensor or sequence")
    found = list(tensors)
    for i, t in enumerate(found):
        if not isinstance(t, TensorBase):
            raise ArgumentTypeError(
                f"{name}[{i}] is a {type(t).__name__}, not a tensor; derivatives by plain arrays "
                "and numbers are what ag.grad(f)(x) gives"
            )
    return found


def _roots(outputs: Any, given: Any, name: str, given_name: str) -> list[tuple[Node, Any]]:
    if isinstance(outputs, TensorBase):
        return [_root(outputs, given, "", given_name)]
    found = _as_sequence(outputs, name)
    cotangents = [None] * len(found) if given is None else list(given)
    if len(cotangents) != len(found):
        raise ArgumentError(f"{len(found)} {name} but {len(cotangents)} {given_name}")
    return [
        _root(x, g, f"{name}[{i}]: ", given_name)
        for i, (x, g) in enumerate(zip(found, cotangents, strict=True))
    ]


def _root(output: Any, g: Any, start: str, given_name: str) -> tuple[Node, Any]:
    """The node to start from, and its cotangent."""
    node = node_of(output)
    if node is None:
        raise GradientError(
            f"{start}a tensor of shape {output._array.shape} carries no gradient: none of what it "
            "was computed from requires grad (make that with ag.tensor(..., requires_grad=True)), "
            "or it was computed under no_grad"
        )
    if OBSERVERS:  # anomaly detection is one of them
        check_value(output)
    return node, cotangent_of(output, g, given_name)


def _input_nodes(inputs: Sequence[Any], name: str) -> list[Node]:
    nodes = []
    for i, x in enumerate(inputs):
        node = node_of(x)
        if node is None:
            raise GradientError(
                f"{name}[{i}] does not require grad; call x.requires_grad_() before computing "
                "with it"
            )
        nodes.append(node)
    return nodes


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
    is_grads_batched: bool = False,
) -> tuple[Any, ...]:
    """Gradients of outputs by inputs that are part of one graph; no tensor's grad changes.

    Parameters
    ----------
    outputs : Tensor or sequence of Tensor
        What to differentiate.
    inputs : Tensor or sequence of Tensor
        What to differentiate by: leaves or intermediate results.
    grad_outputs : Tensor or sequence of (Tensor or None), optional
        Cotangent of each output; 1 for real outputs of one element.
    retain_graph : bool, optional
        Keep what was saved, so that the graph can be walked again; `create_graph` by default.
    create_graph : bool
        Record the computation of the gradients, for higher derivatives.
    allow_unused : bool, optional
        Give None for inputs that the outputs do not depend on, instead of raising; by default
        True with `materialize_grads`.
    materialize_grads : bool
        Give zeros instead of None.
    is_grads_batched : bool
        `grad_outputs` have an extra first dimension, and so will the gradients: one vjp each.

    Returns
    -------
    tuple of Tensor
        One for each input, of its shape and dtype.

    Raises
    ------
    GradientError
        If an input is not part of the graph, or a saved value is gone.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> ag.autograd.grad((x * x).sum(), x)
    (tensor([2., 4.]),)
    """
    targets = _as_sequence(inputs, "inputs")
    nodes = _input_nodes(targets, "inputs")
    if allow_unused is None:
        allow_unused = materialize_grads
    elif materialize_grads and not allow_unused:
        raise ArgumentError("materialize_grads=True contradicts allow_unused=False; drop one")
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        found = _batched(outputs, grad_outputs, nodes, keep, create_graph)
    else:
        roots = _roots(outputs, grad_outputs, "outputs", "grad_outputs")
        found = pull_back(roots, nodes, create_graph, keep)
    results = []
    for i, (x, g) in enumerate(zip(targets, found, strict=True)):
        if g is None:
            if not allow_unused:
                raise GradientError(
                    f"the outputs do not depend on inputs[{i}]; pass allow_unused=True to get "
                    "None for it, or materialize_grads=True to get zeros"
                )
            shape = x._array.shape
            if is_grads_batched:
                shape = (_batch_size(grad_outputs), *shape)
            results.append(wrap(np.zeros(shape, x._array.dtype)) if materialize_grads else None)
        else:
            results.append(owned(cast(g, x._array.dtype), create_graph))
    return tuple(results)


def owned(g: Any, recorded: bool) -> Any:
    """The gradient as a tensor of its own: passes hand the same one to several places."""
    return separate(g) if recorded else wrap(np.array(g._array))


def _batch_size(grad_outputs: Any) -> int:
    first = grad_outputs if isinstance(grad_outputs, TensorBase) else next(iter(grad_outputs))
    return int(operand(first, "grad").shape[0])


def _batched(
    outputs: Any, grad_outputs: Any, nodes: list[Node], keep: bool, create_graph: bool
) -> list[Any]:
    from ..ops.manipulation import stack

    listed = [grad_outputs] if isinstance(outputs, TensorBase) else list(grad_outputs or ())
    if any(g is None for g in listed) or not listed:
        raise ArgumentError("is_grads_batched=True needs grad_outputs for every output")
    count = _batch_size(listed)
    rows: list[list[Any]] = []
    for i in range(count):
        one = [operand(g, "grad")[i] for g in listed]
        roots = _roots(
            outputs, one[0] if isinstance(outputs, TensorBase) else one, "outputs", "grad_outputs"
        )
        rows.append(pull_back(roots, nodes, create_graph, keep or i + 1 < count))
    found: list[Any] = []
    for column in zip(*rows, strict=True):
        given = next((g for g in column if g is not None), None)
        if given is None:
            found.append(None)
            continue
        zero = wrap(np.zeros(given._array.shape, given._array.dtype))
        found.append(stack([zero if g is None else g for g in column]))
    return found


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add d tensors / d leaf to the grad of every leaf that the tensors depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        What to differentiate; several count as their sum.
    grad_tensors : Tensor or sequence of (Tensor or None), optional
        Cotangent of each tensor; 1 for real tensors of one element.
    retain_graph : bool, optional
        Keep what was saved, so that backward can run again; `create_graph` by default.
    create_graph : bool
        Record the computation of the gradients, for higher derivatives.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate into the grad of these only, leaves or not.

    Raises
    ------
    GradientError
        If a tensor carries no gradient, or a saved value is gone. No grad has changed then.

    Notes
    -----
    A complex gradient is dL/dRe + i dL/dIm. The grad of a leaf has the leaf's dtype.
    """
    roots = _roots(tensors, grad_tensors, "tensors", "gradient")
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        run_backward(roots, create_graph, keep)
        return
    targets = _as_sequence(inputs, "inputs")
    if not targets:
        raise ArgumentError("inputs is empty; leave it out to accumulate into all leaves")
    nodes = _input_nodes(targets, "inputs")
    found = pull_back(roots, nodes, create_graph, keep)
    seen: set[int] = set()
    for x, node, g in zip(targets, nodes, found, strict=True):
        if g is not None and node[SEQ] not in seen:
            accumulate_into(x, g, False, create_graph)
        seen.add(node[SEQ])
