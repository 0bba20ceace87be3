"""Functions whose derivative the user writes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._apply import RESULT, cast, node_of, observe, operand, scalar_class, wrap
from .._engine import alias, freed_error, is_leaf_node
from .._errors import ArgumentError, ArgumentTypeError, GradientError, ShapeError
from .._graph import (
    ATTRIBUTES,
    FREED,
    GRAD_MODE,
    INPUTS,
    OBSERVERS,
    Node,
    is_grad_enabled,
    next_seq,
)
from .._history import adopt_history
from .._op import Op, Rule
from .._storage import TensorBase, mark_saved

__all__ = ["Function", "FunctionContext", "once_differentiable"]


class FunctionContext:
    """What forward hands to backward; attributes of your own may be set on it.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of forward, whether its gradient is wanted.
    saved_tensors : tuple of Tensor
        What `save_for_backward` got.
    """

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward and jvp: arguments, results, or others, and None.

        Arguments and results that are saved this way stay part of the graph in backward, so that
        it can be differentiated again.
        """
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise ArgumentTypeError(
                    f"save_for_backward takes tensors, not a {type(t).__name__}; keep other "
                    "values as attributes of ctx"
                )
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:  # noqa: D102
        return self._to_save

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which arguments forward changes in place; they must be among its results."""
        for t in tensors:
            node = node_of(t)
            if node is not None and is_leaf_node(node) and any(self.needs_input_grad):
                raise GradientError(
                    "mark_dirty: a leaf that requires grad cannot be written while operations are "
                    "recorded; give the function a copy, x.copy()"
                )
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which results carry no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for results that were not used."""
        self._materialize = bool(value)


class _BoundContext(FunctionContext):
    """A context during one call of backward or jvp: shares its attributes, has its own values."""

    def __init__(self, context: FunctionContext, node: Node, values: Any, recording: bool) -> None:
        self.__dict__ = context.__dict__
        object.__setattr__(self, "_binding", (node, values, recording))

    __slots__ = ("_binding",)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        node, values, recording = self._binding  # type: ignore[attr-defined]
        if values is FREED:
            raise freed_error(node)
        found: list[Any] = []
        for (kind, index), array in zip(node[ATTRIBUTES]["saved"], values, strict=True):
            if array is None:
                found.append(None)
                continue
            tensor = wrap(array)
            tensor._saved = True
            if recording and kind == "argument":
                tensor._node = node[INPUTS][index]
            elif recording and kind == "result":
                tensor._node = _result_node(node, index)
            found.append(tensor)
        return tuple(found)


def _result_node(node: Node, index: int) -> Node:
    like = node[ATTRIBUTES]["result_like"]
    if not isinstance(like, list):
        return node
    return [next_seq(), RESULT, (node,), None, {"index": index, "count": len(like)}]


class Function:
    """A differentiable function with a backward of your own.

    Subclass it with static methods and call it with ``apply``:

    ``forward(ctx, *args)``
        Computes the result (a tensor or a tuple of them) from tensors and other values. Nothing is
        recorded inside. With a separate ``setup_context(ctx, args, result)`` forward gets no ctx.
    ``backward(ctx, *grads)``
        Gets the gradient of each result and returns that of each argument (None for those without).
        Written with tensor functions it can be differentiated to any order.
    ``jvp(ctx, *tangents)``, optional
        Gets a tangent for each argument (None for non-tensors) and returns that of each result.
        Without it forward mode transposes backward, which is exact.

    Examples
    --------
    >>> import arraygrad as ag
    >>> class Square(ag.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> ag.grad(Square.apply)(3.0)
    6.0
    """

    _primitive: str | None = None  # the user's function, if `primitive` made the class
    _hidden = 0  # leading arguments of forward that the user does not see

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Refused: a Function has no instances."""
        raise ArgumentTypeError(
            f"{cls.__name__} has no instances; call the class, {cls.__name__}.apply(x)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; to be overridden."""
        raise NotImplementedError

    @staticmethod
    def setup_context(ctx: FunctionContext, args: tuple[Any, ...], result: Any) -> None:
        """Fill the context after forward; optional."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Compute the arguments' gradients; to be overridden."""
        raise NotImplementedError("a Function needs a static method backward(ctx, *grads)")

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Compute the results' tangents; optional."""
        raise NotImplementedError

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run the function and record it as one step.

        Parameters
        ----------
        *args : Tensor or anything
            What forward takes.
        """
        ctx = FunctionContext()
        nodes = tuple(node_of(a) if isinstance(a, TensorBase) else None for a in args)
        tracked = is_grad_enabled() and any(n is not None for n in nodes)
        _check_complete(cls, tracked)
        ctx.needs_input_grad = tuple(tracked and n is not None for n in nodes)
        versions = [0 if n is None else a._version for a, n in zip(args, nodes, strict=True)]
        token = GRAD_MODE.set(False)
        try:
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        finally:
            GRAD_MODE.reset(token)
        _check_written(cls, ctx, args, nodes, versions)
        several = isinstance(result, tuple)
        results = [_as_result(r, args, ctx) for r in (result if several else (result,))]
        if tracked:
            _record(cls, ctx, args, nodes, results, several)
        ctx._to_save = ctx._dirty = ctx._non_differentiable = ()
        if OBSERVERS:
            tensors = tuple(r for r in results if isinstance(r, TensorBase))
            if tensors:
                arrays = tuple(a._array for a in args if isinstance(a, TensorBase))
                observe(_op_of(cls), tensors, arrays)
        return tuple(results) if several else results[0]


def _check_complete(cls: type[Function], tracked: bool) -> None:
    """Refuse a Function without forward, and one without derivatives where they are needed."""
    if cls.forward is Function.forward:
        missing = "forward(ctx, *args)"
    elif tracked and cls.backward is Function.backward and cls.jvp is Function.jvp:
        missing = "backward(ctx, *grads)"
    else:
        return
    raise NotImplementedError(f"{cls.__name__} needs a static method {missing}")


def _check_written(
    cls: type[Function],
    ctx: FunctionContext,
    args: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    versions: list[int],
) -> None:
    """Refuse writes to arguments that mark_dirty was not told of: their history would be wrong."""
    for i, (a, node, version) in enumerate(zip(args, nodes, versions, strict=True)):
        if node is None or a._version == version or any(a is d for d in ctx._dirty):
            continue
        raise GradientError(
            f"{cls.__name__}.forward wrote to its argument {i}, which requires grad, in place; "
            "call ctx.mark_dirty(x) and return x, or write to a copy, x.copy()"
        )


def _as_result(result: Any, args: tuple[Any, ...], ctx: FunctionContext) -> Any:
    """A result of forward as a tensor with a history of its own."""
    if isinstance(result, np.ndarray | np.generic):
        result = operand(result, "forward")
    if not isinstance(result, TensorBase) or any(result is d for d in ctx._dirty):
        return result
    if any(result is a for a in args) or result._family is not None:
        # An argument or a view of one: its history must not become that of the argument.
        fresh = wrap(result._array.copy())
        ctx._to_save = tuple(fresh if s is result else s for s in ctx._to_save)
        ctx._non_differentiable = tuple(
            fresh if s is result else s for s in ctx._non_differentiable
        )
        return fresh
    return result


def _record(
    cls: type[Function],
    ctx: FunctionContext,
    args: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    results: list[Any],
    several: bool,
) -> None:
    likes = [
        (r._array.shape, r._array.dtype) if isinstance(r, TensorBase) else ((), np.dtype(float))
        for r in results
    ]
    saved, values = _saved_values(ctx, args, results)
    attributes = {
        "context": ctx,
        "function": cls,
        "saved": saved,
        "result_like": likes if several else likes[0],
        "like": [
            (a._array.shape, a._array.dtype) if isinstance(a, TensorBase) else None for a in args
        ],
    }
    node: Node = [next_seq(), _op_of(cls), nodes, values, attributes]
    for i, r in enumerate(results):
        if not isinstance(r, TensorBase) or r._array.dtype.kind not in "fcV":
            continue
        if any(r is n for n in ctx._non_differentiable):
            continue
        own = _result_node(node, i)
        if any(r is d for d in ctx._dirty):
            adopt_history(r, own)
        else:
            r._node = own


def _saved_values(
    ctx: FunctionContext, args: tuple[Any, ...], results: list[Any]
) -> tuple[list[tuple[str, int]], tuple[Any, ...]]:
    """For each saved tensor where it comes from, and its array."""
    saved: list[tuple[str, int]] = []
    values: list[Any] = []
    for t in ctx._to_save:
        place = ("other", 0)
        for kind, listed in (("result", results), ("argument", args)):
            index = next((i for i, r in enumerate(listed) if r is t), None)
            if index is not None:
                place = (kind, index)
                break
        saved.append(place)
        if t is None:
            values.append(None)
        else:
            values.append(t._array)
            mark_saved(t)
    return saved, tuple(values)


def _op_of(cls: type[Function]) -> Op:
    """The op that stands for the class in the graph."""
    op: Op | None = cls.__dict__.get("_op")
    if op is None:
        with_jvp = cls.jvp is not Function.jvp
        rule = Rule(vjp=_pull, jvp=_push if with_jvp else None)
        op = Op(cls.__name__[:1].upper() + cls.__name__[1:], ("*args",), rule)
        cls._op = op  # type: ignore[attr-defined]
    return op


def _pull(g: Any, node: Node, values: Any, recording: bool) -> Sequence[Any]:
    attributes = node[ATTRIBUTES]
    cls: type[Function] = attributes["function"]
    context: FunctionContext = attributes["context"]
    likes = attributes["result_like"]
    given = g if isinstance(likes, list) else [g]
    if context._materialize:
        pairs = zip(given, likes if isinstance(likes, list) else [likes], strict=True)
        given = [wrap(np.zeros(*like)) if part is None else part for part, like in pairs]
    given = [_own(part) for part in given]
    found = cls.backward(_BoundContext(context, node, values, recording), *given)
    found = found if isinstance(found, tuple | list) else (found,)
    inputs = node[INPUTS]
    if len(found) < len(inputs) or any(f is not None for f in found[len(inputs) :]):
        hidden = cls._hidden
        given, expected = len(found) - hidden, len(inputs) - hidden
        arguments = f"{expected} argument{'s' * (expected != 1)}"
        raise ArgumentError(
            f"{_called(cls, 'backward')} returned {given} gradient{'s' * (given != 1)} for "
            f"{arguments}{'' if hidden else ' of forward'}; return one for each, None for those "
            "without"
        )
    return [
        _checked(cls, i, c, like, parent)
        for i, (c, like, parent) in enumerate(zip(found, attributes["like"], inputs, strict=False))
    ]


def _called(cls: type[Function], method: str) -> str:
    """How messages call what the user wrote: a method, or what `primitive` was given."""
    if cls._primitive is None:
        return f"{cls.__name__}.{method}"
    return f"the {'vjp' if method == 'backward' else method} of the primitive {cls._primitive}"


def _own(part: Any) -> Any:
    """A cotangent or tangent for the user's function, which may write to it, as nobody else's."""
    if part is None or isinstance(part, scalar_class()):
        return part
    if is_grad_enabled() and node_of(part) is not None:
        return alias(part)
    own = wrap(part._array)
    mark_saved(part)
    mark_saved(own)
    return own


def _checked(cls: type[Function], i: int, c: Any, like: Any, parent: Any) -> Any:
    if c is None or parent is None:
        return None
    c = operand(c, _called(cls, "backward"))
    shape, dtype = like
    if c._array.shape != shape:
        raise ShapeError(
            f"{_called(cls, 'backward')} returned a gradient of shape {c._array.shape} for "
            f"argument {i + 1 - cls._hidden}, which has shape {shape}"
        )
    return cast(c, dtype)


def _push(tangents: Any, node: Node, values: Any, recording: bool) -> Any:
    attributes = node[ATTRIBUTES]
    cls: type[Function] = attributes["function"]
    context: FunctionContext = attributes["context"]
    given = list(tangents)
    if context._materialize:
        for i, like in enumerate(attributes["like"]):
            if like is not None and given[i] is None:
                given[i] = wrap(np.zeros(*like))
    given = [_own(part) for part in given]
    found = cls.jvp(_BoundContext(context, node, values, recording), *given)
    likes = attributes["result_like"]
    if not isinstance(likes, list):
        if isinstance(found, tuple) and len(found) == 1:
            found = found[0]
        return _checked_tangent(cls, found, likes)
    if not isinstance(found, tuple | list) or len(found) != len(likes):
        raise ArgumentError(
            f"{_called(cls, 'jvp')} must return one tangent for each of {len(likes)} results"
        )
    return tuple(_checked_tangent(cls, t, like) for t, like in zip(found, likes, strict=True))


def _checked_tangent(cls: type[Function], t: Any, like: Any) -> Any:
    if t is None:
        return None
    t = operand(t, _called(cls, "jvp"))
    if t._array.shape != like[0]:
        raise ShapeError(
            f"{_called(cls, 'jvp')} returned a tangent of shape {t._array.shape} for a result "
            f"of shape {like[0]}"
        )
    return cast(t, like[1])


def _refuse(g: Any) -> Any:
    raise GradientError(
        "a backward decorated with once_differentiable was differentiated again; write it with "
        "tensor functions and drop the decorator, or give the Function a jvp for forward mode"
    )


_ONCE = Op("OnceDifferentiable", ("*args",), Rule(vjp=_refuse))


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward that computes with plain values: differentiating it again raises.

    Parameters
    ----------
    backward : callable
        The static method ``backward(ctx, *grads)``.

    Returns
    -------
    callable
        The method to define in its place.
    """

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        recording = is_grad_enabled()
        token = GRAD_MODE.set(False)
        try:
            found = backward(ctx, *grads)
        finally:
            GRAD_MODE.reset(token)
        if not recording:
            return found
        several = isinstance(found, tuple | list)
        listed = list(found) if several else [found]
        inputs = tuple(node_of(g) for g in grads if isinstance(g, TensorBase))
        for i, c in enumerate(listed):
            if c is not None:
                tensor = operand(c, "backward")
                listed[i] = wrap(tensor._array)
                like = (tensor._array.shape, tensor._array.dtype)
                listed[i]._node = [next_seq(), _ONCE, inputs, None, {"result_like": like}]
        return tuple(listed) if several else listed[0]

    return wrapped
