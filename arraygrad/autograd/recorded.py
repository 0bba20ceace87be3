"""One recorded run of a function under differentiation: what goes in, what comes out.

The function gets aliases of its arguments: the same values under graph nodes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from .._apply import cast, check_subclass, detached, node_of, operand, scalar_class, wrap
from .._dtypes import is_supported
from .._engine import alias, pull_back, reaches_outside, separate
from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    GradientError,
    IntegerOverflowError,
    kind_of,
)
from .._forward_pass import push_forward
from .._graph import GRAD_MODE, Node, is_grad_enabled, next_seq
from .._storage import TensorBase
from .trees import flatten

__all__ = [
    "Recorded",
    "lifted",
    "name_of",
    "normalize_argnums",
    "register_lift",
    "result_dtype",
    "scalar_cotangent",
]

Function = Callable[..., Any]
Argnums = int | Sequence[int]


_lift: Callable[[Function], Function] | None = None

# Whether the innermost function under differentiation was given Python's numbers only.
_BY_NUMBERS: ContextVar[bool] = ContextVar("arraygrad_by_numbers", default=False)
by_numbers: Callable[[], bool] = _BY_NUMBERS.get


def register_lift(lift: Callable[[Function], Function]) -> None:
    """Say how code is made to see tensors; arraygrad.lifting, a layer above, does it."""
    global _lift
    _lift = lift


def lifted(f: Function) -> Function:
    """The function that is differentiated for `f`, whose NumPy code makes tensors."""
    if _lift is None:
        # Nobody may have asked for ag.lift yet; it registers itself.
        import_module("arraygrad.lifting")
        assert _lift is not None
    return _lift(f)


class Entry:
    """One differentiable leaf of an argument: its alias, that alias's node, what it came as."""

    __slots__ = ("kind", "node", "scalar", "shape", "tensor")

    def __init__(self, leaf: Any, where: str, copy: bool) -> None:
        if isinstance(leaf, TensorBase):
            self.kind = "tensor"
            source = leaf
        elif isinstance(leaf, np.ndarray):
            self.kind = "array"
            if type(leaf) is not np.ndarray:
                check_subclass(leaf, where)
            # Only borrowed: an alias is copied before it is written. Where the derivative is taken
            # later the caller might write in between.
            array = np.array(leaf) if copy else np.asarray(leaf)
            known = is_supported(array.dtype) and array.dtype.isnative
            source = wrap(array) if known else operand(array, where)
        else:
            self.kind = "array" if isinstance(leaf, np.inexact) else "number"
            number = np.asarray(float_of(leaf, where) if isinstance(leaf, int) else leaf)
            source = wrap(number.astype(float)[()] if number.dtype.kind in "iu" else number[()])
        if source._array.dtype.kind not in "fcV":
            raise DTypeError(
                f"{where} has dtype {source._array.dtype}; derivatives are taken by floating-point "
                "and complex values: pass x.astype(float)"
            )
        self.tensor = alias(source)
        self.node: Node = self.tensor._node
        self.shape = source._array.shape
        self.scalar = isinstance(source, scalar_class())

    @property
    def dtype(self) -> Any:
        """Of the value that was entered."""
        return self.tensor._array.dtype

    @property
    def size(self) -> int:
        return prod(self.shape)


def float_of(number: int, where: str) -> float:
    """A Python integer as the float that derivatives are taken by."""
    try:
        return float(number)
    except OverflowError as error:
        raise IntegerOverflowError(
            f"{where}: a Python integer of {number.bit_length()} bits is beyond the largest float"
        ) from error


def is_number(leaf: Any) -> bool:
    if isinstance(leaf, TensorBase | np.ndarray):
        return True
    return isinstance(leaf, int | float | complex | np.number) and not isinstance(leaf, bool)


class Recorded:
    """One run of a function: entered arguments, result, and whether outer graphs take part."""

    def __init__(
        self,
        f: Function,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        argnums: Sequence[int],
        has_aux: bool,
        deferred: bool = False,
    ) -> None:
        self.first = next_seq()
        self.deferred = deferred
        self.outer = is_grad_enabled()
        self.entries: list[Entry] = []
        self.rebuilds: list[tuple[Any, list[Entry | None]]] = []
        entered = list(args)
        for i in argnums:
            entered[i] = self._enter(args[i], f"argument {i} of {name_of(f)}")
        self.plain = all(e.kind != "tensor" for e in self.entries)
        self.numbers = all(e.kind == "number" for e in self.entries)
        token = GRAD_MODE.set(True)
        outer = by_numbers()
        # In a derivative of a derivative Python's numbers have become scalars.
        inner = self.numbers or (outer and all(e.scalar for e in self.entries))
        if outer is not inner:
            _BY_NUMBERS.set(inner)
        try:
            result = lifted(f)(*entered, **kwargs)
        finally:
            GRAD_MODE.reset(token)
            if outer is not inner:
                _BY_NUMBERS.set(outer)
        self.aux = None
        if has_aux:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise ArgumentTypeError(
                    f"{name_of(f)} must return a pair (value, aux) when has_aux=True, it returned "
                    f"{described(result)}"
                )
            result, self.aux = result
        self.out = result
        self.leaves, self.rebuild_out = flatten(result)
        nodes = [node_of(v) for _, v in self.leaves if isinstance(v, TensorBase)]
        if has_aux:
            nodes += [node_of(v) for _, v in flatten(self.aux)[0] if isinstance(v, TensorBase)]
        self.outside = reaches_outside(nodes, self.first)
        # Then the gradients are part of outer graphs, and what was saved stays needed.
        self.tracked = self.outer and self.outside

    def _enter(self, argument: Any, where: str) -> Any:
        leaves, rebuild = flatten(argument, where)
        entries: list[Entry | None] = []
        for path, leaf in leaves:
            entries.append(Entry(leaf, path, self.deferred) if is_number(leaf) else None)
        if not any(entries) and not (leaves == [] and argument is not None):
            raise ArgumentTypeError(
                f"{where} is a {kind_of(argument)}: derivatives are taken by tensors, arrays, "
                "numbers and containers of them; use np.asarray(x, float), or choose another "
                "argument with argnums"
            )
        self.entries += [e for e in entries if e is not None]
        self.rebuilds.append((rebuild, entries))
        return rebuild(
            [leaf if e is None else e.tensor for e, (_, leaf) in zip(entries, leaves, strict=True)]
        )

    def by_argument(self, values: Sequence[Any]) -> list[Any]:
        """Values aligned with the entries, in the containers of the arguments."""
        remaining = iter(values)
        return [
            rebuild([None if e is None else next(remaining) for e in entries])
            for rebuild, entries in self.rebuilds
        ]

    def leave(self, tree: Any) -> Any:
        """Values that f returned, as the caller gets them."""
        leaves, rebuild = flatten(tree)
        return rebuild([self._leave(v) for _, v in leaves])

    def _leave(self, value: Any) -> Any:
        if not isinstance(value, TensorBase) or self.keeps(value):
            return value
        if not self.plain:
            return detached(value)
        return self.number(value._array)

    def number(self, array: Any) -> Any:
        """A plain result as the caller gets it: of Python numbers Python numbers."""
        if array.ndim:
            return array
        return array.item() if self.numbers and array.dtype.kind in "fc" else array[()]

    def owes(self, x: Any) -> bool:
        """Whether the tensor depends on graphs that were there before this run."""
        return reaches_outside([node_of(x)], self.first)

    def gradients_out(self, found: Sequence[Any], keep: Callable[[Any], bool]) -> list[Any]:
        """Gradients in the types and containers of the arguments; those to `keep` stay tracked."""
        return self.by_argument(
            [self._gradient_out(g, e, keep) for g, e in zip(found, self.entries, strict=True)]
        )

    def keeps(self, x: Any) -> bool:
        """Whether a result of the recorded pass belongs to an outer graph."""
        return self.tracked and self.owes(x)

    def _gradient_out(self, g: Any, entry: Entry, keep: Callable[[Any], bool]) -> Any:
        if keep(g):
            return separate(g)
        array = np.array(g._array)  # cotangents may be views, or shared between arguments
        if entry.kind == "tensor":
            return wrap(array[()] if entry.scalar and array.ndim == 0 else array)
        if array.ndim == 0:
            return array.item() if entry.kind == "number" else array[()]
        return array

    def gradients(self, cotangents: Sequence[Any], recording: bool, keep: bool) -> list[Any]:
        """Gradient (a tensor) by each entry, for cotangents aligned with the leaves; zeros."""
        roots = [
            (node_of(v), g)
            for (_, v), g in zip(self.leaves, cotangents, strict=True)
            if isinstance(v, TensorBase) and g is not None
        ]
        nodes = [e.node for e in self.entries]
        found = pull_back(roots, nodes, recording, keep, prune=self.outside or recording)
        return [
            wrap(np.zeros(e.shape, e.dtype)) if g is None else cast(g, e.dtype)
            for e, g in zip(self.entries, found, strict=True)
        ]

    def tangents(self, given: Sequence[Any], recording: bool) -> list[Any]:
        """Tangent (a tensor) of each leaf of the result; None for what is not a tensor."""
        roots = [node_of(v) if isinstance(v, TensorBase) else None for _, v in self.leaves]
        found = push_forward(roots, [e.node for e in self.entries], given, recording)
        results: list[Any] = []
        for (_, v), t in zip(self.leaves, found, strict=True):
            if not is_number(v):
                results.append(None)
                continue
            array = v._array if isinstance(v, TensorBase) else np.asarray(v)
            dtype = array.dtype if array.dtype.kind in "fcV" else np.dtype(float)
            results.append(wrap(np.zeros(array.shape, dtype)) if t is None else cast(t, dtype))
        return results


def name_of(f: Any) -> str:
    """How messages call the function."""
    return getattr(f, "__name__", None) or type(f).__name__


def described(result: Any, but: str = "") -> str:
    """How messages call what a function returned."""
    if result is None:
        return f"None{', ' * bool(but)}{but}: is there a return missing?"
    if isinstance(result, scalar_class()):
        kind = "one number"
    elif isinstance(result, TensorBase | np.ndarray):
        array = result._array if isinstance(result, TensorBase) else result
        kind = f"one array of shape {array.shape}"
    else:
        kind = f"a {type(result).__name__}"
    return f"{kind}, {but}" if but else kind


def check_argnums(argnums: Argnums) -> None:
    """Refuse, before there is a call, what names no positions: values were meant for the call."""
    several = isinstance(argnums, Collection) and getattr(argnums, "ndim", 1) != 0
    listed: Any = argnums if several else [argnums]
    if not all(isinstance(n, int | np.integer) for n in listed):
        raise ArgumentTypeError(
            f"argnums={argnums!r} names no positions of arguments; what comes from f is a function "
            "that is called with the values, e.g. ag.grad(f)(x)"
        )


def normalize_argnums(argnums: Argnums, count: int, f: Function) -> tuple[tuple[int, ...], bool]:
    """The positions as non-negative integers, and whether a single one was asked for."""
    single = isinstance(argnums, int | np.integer)
    listed = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    found = []
    for n in listed:
        if not isinstance(n, int | np.integer) or not -count <= n < count:
            raise ArgumentError(
                f"argnums={argnums!r}, but {name_of(f)} was called with {count} positional "
                f"argument{'s' * (count != 1)}; pass what is differentiated by position"
            )
        found.append(int(n) % count)
    if len(set(found)) != len(found) or not found:
        raise ArgumentError(f"argnums={argnums!r} must name different arguments, at least one")
    return tuple(found), single


def _single_output(run: Recorded, f: Function) -> Any:
    if len(run.leaves) != 1 or run.leaves[0][1] is not run.out:
        raise GradientError(
            f"{name_of(f)} returned {described(run.out)}, a gradient needs one number; with "
            "extra results return (value, aux) and pass has_aux=True, or use ag.jacobian"
        )
    return run.out


def result_dtype(out: Any, f: Function) -> Any:
    """The dtype of an output; refuses what has no derivative."""
    if not is_number(out) and not isinstance(out, bool | np.bool_):
        raise GradientError(f"{name_of(f)} returned {described(out, 'not a number or array')}")
    if isinstance(out, TensorBase | np.ndarray):
        dtype = out._array.dtype if isinstance(out, TensorBase) else out.dtype
        if dtype.kind not in "fcV":
            raise GradientError(
                f"{name_of(f)} returned dtype {dtype}, which has no derivative; return "
                "floating-point values"
            )
        return dtype
    return np.asarray(out).dtype


def scalar_cotangent(run: Recorded, f: Function, holomorphic: bool) -> Any:
    """The cotangent 1 of a scalar result; errors say what to type for other results."""
    out = _single_output(run, f)
    dtype = result_dtype(out, f)
    shape = out._array.shape if isinstance(out, TensorBase) else np.shape(out)
    if prod(shape) != 1:
        raise GradientError(
            f"{name_of(f)} returned an array of shape {shape}, a gradient needs one number: reduce "
            "it, e.g. with .sum(), or use ag.jacobian(f), or ag.elementwise_grad(f)"
        )
    if dtype.kind == "c" and not holomorphic:
        raise GradientError(
            f"{name_of(f)} returned a complex number, whose gradient is not one number: return a "
            "real one (np.real(y), np.abs(y)), use ag.vjp with a cotangent, or pass "
            "holomorphic=True if f is complex-differentiable"
        )
    if holomorphic:
        if dtype.kind != "c" or any(e.dtype.kind != "c" for e in run.entries):
            raise GradientError("holomorphic=True needs complex arguments and a complex result")
    one = np.empty(shape, dtype if dtype.kind in "fcV" else float)
    one.fill(1)
    return wrap(one)
