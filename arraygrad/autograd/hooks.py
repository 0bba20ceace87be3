"""Looking into a graph and hooking into passes over it.

`grad_fn` objects wrap nodes of the graph; hooks are functions called with gradients as they
pass; saved-tensor hooks decide how values are kept between the forward and the reverse pass.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Literal

import numpy as np

from .._apply import RESULT, node_of, wrap
from .._engine import is_leaf_node
from .._errors import ArgumentTypeError, GradientError, GradientWarning
from .._graph import (
    ATTRIBUTES,
    FREED,
    HOOKS,
    INPUTS,
    OBSERVERS,
    OP,
    SEQ,
    VALUES,
    Node,
    Packed,
    node_name,
)
from .._storage import TensorBase

__all__ = [
    "GraphNode",
    "RemovableHandle",
    "grad_fn",
    "register_hook",
    "register_post_accumulate_grad_hook",
    "retain_grad",
    "saved_tensors_hooks",
]

Hook = Callable[[Any], Any]


class RemovableHandle:
    """Takes a hook away again: with ``remove()``, or at the end of a with block."""

    __slots__ = ("_hook", "_hooks")

    def __init__(self, hooks: list[Any], hook: Hook) -> None:
        self._hooks = hooks
        self._hook: Hook | None = hook

    def remove(self) -> None:
        """Take the hook away; nothing happens the second time."""
        if self._hook is not None:
            # By identity: hooks may compare equal, or not compare at all.
            for i, hook in enumerate(self._hooks):
                if hook is self._hook:
                    del self._hooks[i]
                    break
            self._hook = None

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        self.remove()
        return False


class GraphNode:
    """A step of the recorded computation: what ``y.grad_fn`` gives.

    Attributes
    ----------
    name : str
        Such as ``"MulBackward"``, or ``"AccumulateGrad"`` for a leaf.
    next_functions : tuple of (GraphNode or None, int)
        The steps that made the arguments, and which of their results each was.
    saved : dict
        What is kept for the derivative: name -> (shape, dtype); empty once freed.
    metadata : dict
        Static arguments such as axis.
    variable : Tensor or None
        The leaf, for an ``AccumulateGrad``.
    """

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def _step(self) -> Node:
        """The node that did the work: results of an op with several share one."""
        node = self._node
        return node[INPUTS][0] if node[OP] is RESULT else node

    @property
    def name(self) -> str:  # noqa: D102
        return node_name(self._step)

    @property
    def next_functions(self) -> tuple[tuple[GraphNode | None, int], ...]:  # noqa: D102
        found: list[tuple[GraphNode | None, int]] = []
        for parent in self._step[INPUTS]:
            if parent is None:
                found.append((None, 0))
            else:
                index = parent[ATTRIBUTES]["index"] if parent[OP] is RESULT else 0
                found.append((GraphNode(parent), index))
        return tuple(found)

    @property
    def saved(self) -> dict[str, Any]:  # noqa: D102
        node = self._step
        values = node[VALUES]
        if values is None or values is FREED:
            return {}
        if type(values) is Packed:
            return {
                name: "packed by a saved-tensor hook, or computed again when needed"
                for name, piece in zip(node[OP].slots, values.pieces, strict=False)
                if piece is not None
            }
        return {
            name: [(v.shape, v.dtype) for v in value]
            if isinstance(value, tuple)
            else (value.shape, value.dtype)
            for name, value in zip(node[OP].slots, values, strict=False)
            if value is not None
        }

    @property
    def metadata(self) -> dict[str, Any]:  # noqa: D102
        return {
            key: value
            for key, value in (self._step[ATTRIBUTES] or {}).items()
            if isinstance(value, int | float | str | tuple | np.dtype | None)
        }

    @property
    def variable(self) -> Any:  # noqa: D102
        node = self._step
        return node[ATTRIBUTES]["tensor"]() if is_leaf_node(node) else None

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook` with the gradient that arrives here; what it returns replaces it.

        Parameters
        ----------
        hook : callable
            Gets a tensor and returns one, or None to change nothing.
        """
        return _add_hook(self._node, hook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphNode) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node[SEQ])

    def __repr__(self) -> str:
        return f"<{self.name}>"


def grad_fn(x: TensorBase) -> GraphNode | None:
    """The step that made the tensor's value; None for leaves and untracked tensors."""
    node = node_of(x)
    return None if node is None or is_leaf_node(node) else GraphNode(node)


def _hooks_of(node: Node) -> list[Any]:
    if len(node) <= HOOKS:
        node.append([])
    elif node[HOOKS] is None:
        node[HOOKS] = []
    return node[HOOKS]  # type: ignore[no-any-return]


def _add_hook(node: Node, hook: Hook) -> RemovableHandle:
    if not callable(hook):
        raise ArgumentTypeError(f"a hook is a function of the gradient, not {hook!r}")
    hooks = _hooks_of(node)
    # retain_grad sees what all hooks have made of the gradient, whenever it was called.
    at = len(hooks) - 1 if hooks and isinstance(hooks[-1], _Retain) else len(hooks)
    hooks.insert(at, hook)
    return RemovableHandle(hooks, hook)


def _tracked_node(x: TensorBase, function: str) -> Node:
    node = node_of(x)
    if node is None:
        raise GradientError(
            f"{function}: this tensor carries no gradient; call requires_grad_() before computing"
        )
    return node


def register_hook(x: TensorBase, hook: Hook) -> RemovableHandle:
    """Call `hook` with the gradient of `x` whenever one is computed; what it returns replaces it.

    Parameters
    ----------
    x : Tensor
        A tracked tensor, leaf or not.
    hook : callable
        Gets a tensor and returns one, or None to change nothing. Several run in the order in
        which they were registered.

    Returns
    -------
    RemovableHandle
    """
    return _add_hook(_tracked_node(x, "register_hook"), hook)


def register_post_accumulate_grad_hook(x: TensorBase, hook: Hook) -> RemovableHandle:
    """Call `hook` with the leaf `x` each time backward() has added to its grad.

    Parameters
    ----------
    x : Tensor
        A leaf that requires grad.
    hook : callable
        Gets the leaf; its result is ignored.

    Returns
    -------
    RemovableHandle
    """
    node = _tracked_node(x, "register_post_accumulate_grad_hook")
    if not is_leaf_node(node):
        raise GradientError(
            "register_post_accumulate_grad_hook is for leaves, whose grad backward() adds to; use "
            "x.register_hook(hook) for a computed tensor"
        )
    hooks = node[ATTRIBUTES].setdefault("post_hooks", [])
    hooks.append(hook)
    return RemovableHandle(hooks, hook)


class _Retain:
    """The hook that keeps a non-leaf's gradient. It knows its tensor weakly: no cycle."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: TensorBase) -> None:
        self.tensor = weakref.ref(tensor)

    def __call__(self, g: Any) -> None:
        tensor = self.tensor()
        if tensor is not None:
            old = getattr(tensor, "_grad", None)
            fresh = g if node_of(g) is not None else wrap(np.array(g._array))
            tensor._grad = fresh if old is None else old + fresh


def retain_grad(x: TensorBase) -> None:
    """Keep the gradient of a non-leaf in its grad during backward(); nothing to do for a leaf."""
    node = _tracked_node(x, "retain_grad")
    if is_leaf_node(node):
        return
    hooks = _hooks_of(node)
    if not any(isinstance(h, _Retain) and h.tensor() is x for h in hooks):
        hooks.append(_Retain(x))


def warn_of_missing_grad(x: TensorBase) -> None:
    """Say why the grad of a non-leaf is None, unless it is only waiting for backward()."""
    node = _tracked_node(x, "grad")
    hooks = node[HOOKS] if len(node) > HOOKS else None
    if any(isinstance(h, _Retain) and h.tensor() is x for h in hooks or ()):
        return
    warnings.warn(
        "the grad of a computed tensor was read, which is None: backward() fills in that of leaves "
        "(x.is_leaf) only. After a step such as w = w - rate * w.grad, w is no leaf: write `with "
        "ag.no_grad(): w -= rate * w.grad`. To keep the gradient of a result call "
        "y.retain_grad() before backward()",
        GradientWarning,
        stacklevel=3,
    )


# -- how saved values are kept ---------------------------------------------------------------------

_PACKING: ContextVar[tuple[Callable[[Any], Any], Callable[[Any], Any]] | None] = ContextVar(
    "arraygrad_saved_tensors_hooks", default=None
)


def packed(values: tuple[Any, ...]) -> Any:
    """Saved values as the active hooks keep them; the values themselves without hooks."""
    hooks = _PACKING.get()
    if hooks is None or all(v is None for v in values):
        return values
    pack, unpack = hooks
    token = _PACKING.set(None)  # what `pack` computes is not packed in turn
    try:
        pieces = tuple([_pieces(value, pack) for value in values])
    finally:
        _PACKING.reset(token)
    return Packed(pieces, lambda piece: _unpacked(unpack(piece)))


def _pieces(value: Any, pack: Callable[[Any], Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return [pack(_saved(array)) for array in value]
    return (pack(_saved(value)),)


def _saved(array: Any) -> Any:
    tensor = wrap(array)
    tensor._saved = True
    return tensor


def _unpacked(tensor: Any) -> Any:
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(
            f"the unpack hook returned a {type(tensor).__name__}; return the tensor that pack got"
        )
    return tensor._array


def _observe(op: Any, result: Any, arrays: tuple[Any, ...]) -> None:
    if _PACKING.get() is None:
        return
    node = (result[0] if isinstance(result, tuple) else result)._node
    if node is not None and node[OP] is RESULT:
        node = node[INPUTS][0]
    if node is not None and type(node[VALUES]) is tuple:
        node[VALUES] = packed(node[VALUES])


class saved_tensors_hooks:
    """Decide how values that derivatives need are kept: packed, on disk, recomputed, ...

    A context manager; it holds for operations recorded inside, in the current context.

    Parameters
    ----------
    pack : callable
        Gets each tensor as it is saved and returns anything.
    unpack : callable
        Gets what `pack` returned and returns the tensor again; called when a derivative needs it,
        more than once if the graph is walked more than once.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> with ag.autograd.saved_tensors_hooks(lambda t: t.numpy().tolist(), ag.asarray):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
        self._hooks = (pack, unpack)
        self._tokens: list[Any] = []

    def __enter__(self) -> saved_tensors_hooks:
        OBSERVERS.append(_observe)
        self._tokens.append(_PACKING.set(self._hooks))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        _PACKING.reset(self._tokens.pop())
        OBSERVERS.remove(_observe)
        return False
