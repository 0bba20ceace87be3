"""Derivatives of functions: grad, vjp, jvp, jacobian, hessian and their kin.

All are type-preserving: plain arrays and numbers in, plain arrays and numbers out; tensors in,
tensors out. What a result owes to tensors tracked outside stays in their graph (and such a result
is a tensor), so that the calls nest to any order in any composition of modes.

A function is run once on aliases of its arguments: same value, a graph node of their own. Its
derivatives see nothing but what reached the result through these nodes, so nested calls cannot
take each other's perturbations for their own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._apply import cast, detached, node_of, operand, scalar_class, wrap
from .._cotangents import conj
from .._engine import alias, pull_back, push_forward, reaches_outside
from .._errors import ArgumentError, ArgumentTypeError, DTypeError, GradientError
from .._graph import GRAD_MODE, Node, is_grad_enabled, next_seq
from .._storage import TensorBase
from .anomaly import check_value
from .reverse import cotangent_of
from .trees import flatten, leaves_like

__all__ = [
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]

Function = Callable[..., Any]
Argnums = int | Sequence[int]


def _lifted(f: Function) -> Function:
    """The function that is differentiated for `f`: here code is made to see tensors."""
    return f


# -- entering and leaving --------------------------------------------------------------------------


class _Entry:
    """One differentiable leaf of an argument: its alias, that alias's node, what it came as."""

    __slots__ = ("kind", "node", "scalar", "shape", "tensor")

    def __init__(self, leaf: Any, where: str, copy: bool) -> None:
        if isinstance(leaf, TensorBase):
            self.kind = "tensor"
            source = leaf
        elif isinstance(leaf, np.ndarray):
            self.kind = "array"
            # Only borrowed: an alias is copied before it is written. Where the derivative is taken
            # later the caller might write in between.
            source = operand(np.array(leaf) if copy else np.asarray(leaf).view(), where)
        else:
            self.kind = "array" if isinstance(leaf, np.inexact) else "number"
            number = np.asarray(leaf)
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
        return int(np.prod(self.shape, dtype=int))


def _is_number(leaf: Any) -> bool:
    if isinstance(leaf, TensorBase | np.ndarray):
        return True
    return isinstance(leaf, int | float | complex | np.number) and not isinstance(leaf, bool)


class _Recorded:
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
        self.entries: list[_Entry] = []
        self.rebuilds: list[tuple[Any, list[_Entry | None]]] = []
        entered = list(args)
        for i in argnums:
            entered[i] = self._enter(args[i], f"argument {i} of {_name(f)}")
        self.plain = all(e.kind != "tensor" for e in self.entries)
        token = GRAD_MODE.set(True)
        try:
            result = _lifted(f)(*entered, **kwargs)
        finally:
            GRAD_MODE.reset(token)
        self.aux = None
        if has_aux:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise ArgumentTypeError(
                    f"{_name(f)} must return a pair (value, aux) when has_aux=True, it returned "
                    f"a {type(result).__name__}"
                )
            result, self.aux = result
        self.out = result
        self.leaves, self.rebuild_out = flatten(result)
        nodes = [node_of(v) for _, v in self.leaves if isinstance(v, TensorBase)]
        if has_aux:
            nodes += [node_of(v) for _, v in flatten(self.aux)[0] if isinstance(v, TensorBase)]
        # Then the gradients are part of outer graphs, and what was saved stays needed.
        self.tracked = self.outer and reaches_outside(nodes, self.first)

    def _enter(self, argument: Any, where: str) -> Any:
        leaves, rebuild = flatten(argument, where)
        entries: list[_Entry | None] = []
        for path, leaf in leaves:
            entries.append(_Entry(leaf, path, self.deferred) if _is_number(leaf) else None)
        if not any(entries) and not (leaves == [] and argument is not None):
            raise ArgumentTypeError(
                f"{where} is a {type(argument).__name__}: derivatives are taken by tensors, arrays, "
                "numbers and containers of them; convert it with np.asarray(x, float), or choose "
                "another argument with argnums"
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
        return value._array[()] if value._array.ndim == 0 else value._array

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

    def _gradient_out(self, g: Any, entry: _Entry, keep: Callable[[Any], bool]) -> Any:
        if keep(g):
            return g
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
        found = pull_back(roots, [e.node for e in self.entries], recording, keep)
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
            if not _is_number(v):
                results.append(None)
                continue
            array = v._array if isinstance(v, TensorBase) else np.asarray(v)
            dtype = array.dtype if array.dtype.kind in "fcV" else np.dtype(float)
            results.append(wrap(np.zeros(array.shape, dtype)) if t is None else cast(t, dtype))
        return results


def _name(f: Any) -> str:
    return getattr(f, "__name__", None) or type(f).__name__


def _argnums(argnums: Argnums, count: int, f: Function) -> tuple[tuple[int, ...], bool]:
    """The positions as non-negative integers, and whether a single one was asked for."""
    single = isinstance(argnums, int | np.integer)
    listed = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    found = []
    for n in listed:
        if not isinstance(n, int | np.integer) or not -count <= n < count:
            raise ArgumentError(
                f"argnums={argnums!r}, but {_name(f)} was called with {count} positional "
                f"argument{'s' * (count != 1)}; pass what is differentiated by position"
            )
        found.append(int(n) % count)
    if len(set(found)) != len(found) or not found:
        raise ArgumentError(f"argnums={argnums!r} must name different arguments, at least one")
    return tuple(found), single


def _single_output(run: _Recorded, f: Function) -> Any:
    if len(run.leaves) != 1 or run.leaves[0][1] is not run.out:
        raise GradientError(
            f"{_name(f)} returned a {type(run.out).__name__}, a gradient needs one number; with "
            "extra results return (value, aux) and pass has_aux=True, or use ag.jacobian"
        )
    return run.out


def _checked_kind(out: Any, f: Function) -> Any:
    """The dtype of an output; refuses what has no derivative."""
    if not _is_number(out) and not isinstance(out, bool | np.bool_):
        raise GradientError(f"{_name(f)} returned a {type(out).__name__}, not a number or array")
    if isinstance(out, TensorBase | np.ndarray):
        dtype = out._array.dtype if isinstance(out, TensorBase) else out.dtype
        if dtype.kind not in "fcV":
            raise GradientError(
                f"{_name(f)} returned dtype {dtype}, which has no derivative; return "
                "floating-point values"
            )
        return dtype
    return np.asarray(out).dtype


def _scalar_cotangent(run: _Recorded, f: Function, holomorphic: bool) -> Any:
    """The cotangent 1 of a scalar result; errors say what to type for other results."""
    out = _single_output(run, f)
    dtype = _checked_kind(out, f)
    shape = out._array.shape if isinstance(out, TensorBase) else np.shape(out)
    if np.prod(shape, dtype=int) != 1:
        raise GradientError(
            f"{_name(f)} returned an array of shape {shape}, a gradient needs one number: reduce "
            "it, e.g. with .sum(), or use ag.jacobian(f), or ag.elementwise_grad(f)"
        )
    if dtype.kind == "c" and not holomorphic:
        raise GradientError(
            f"{_name(f)} returned a complex number, whose gradient is not one number: return a "
            "real one (np.real(y), np.abs(y)), use ag.vjp with a cotangent, or pass "
            "holomorphic=True if f is complex-differentiable"
        )
    if holomorphic:
        if dtype.kind != "c" or any(e.dtype.kind != "c" for e in run.entries):
            raise GradientError("holomorphic=True needs complex arguments and a complex result")
    return wrap(np.ones(shape, dtype if dtype.kind in "fcV" else float))


# -- gradients -------------------------------------------------------------------------------------


def value_and_grad(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """A function that gives f's value and its gradient.

    Parameters
    ----------
    f : callable
        Returns one real number, as tensor, array or Python number.
    argnums : int or sequence of int
        Positions of the arguments to differentiate by: tensors, arrays, numbers, or containers
        (dict, list, tuple, dataclass) of them.
    has_aux : bool
        f returns a pair (value, aux); aux is handed on.
    holomorphic : bool
        f is complex-differentiable and returns a complex number; the gradient is then f'(z).

    Returns
    -------
    callable
        Takes f's arguments and returns (value, gradient), or ((value, aux), gradient). The
        gradient has the types and containers of the argument, as a tuple if `argnums` is a
        sequence. scipy.optimize takes it with ``jac=True``.

    Notes
    -----
    The gradient by a complex argument is dL/dRe + i dL/dIm, the direction of steepest ascent.
    Arguments are never changed: f gets copies of those that it writes to.

    Examples
    --------
    >>> import arraygrad as ag
    >>> value, gradient = ag.value_and_grad(lambda x: (x * x).sum())(ag.asarray([1.0, 2.0]))
    >>> gradient
    tensor([2., 4.])
    """

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions, single = _argnums(argnums, len(args), f)
        run = _Recorded(f, args, kwargs, positions, has_aux)
        g = _scalar_cotangent(run, f, holomorphic)
        check_value(run.out)
        found = run.gradients([g], run.tracked, run.tracked)
        if holomorphic:
            found = [conj(c) for c in found]
        gradient = run.gradients_out(found, run.keeps)
        value = run.leave(run.out)
        result = gradient[0] if single else tuple(gradient)
        return ((value, run.leave(run.aux)), result) if has_aux else (value, result)

    return wrapped


def grad(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """A function that gives f's gradient.

    Parameters
    ----------
    f : callable
        Returns one real number, as tensor, array or Python number.
    argnums : int or sequence of int
        Positions of the arguments to differentiate by: tensors, arrays, numbers, or containers
        (dict, list, tuple, dataclass) of them.
    has_aux : bool
        f returns a pair (value, aux); the result is then (gradient, aux).
    holomorphic : bool
        f is complex-differentiable and returns a complex number; the gradient is then f'(z).

    Returns
    -------
    callable
        Takes f's arguments and returns the gradient in their types and containers: arrays for
        arrays, floats for numbers, tensors for tensors.

    See Also
    --------
    value_and_grad, jacobian, elementwise_grad

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.grad(lambda x: x * x)(3.0)
    6.0
    """
    both = value_and_grad(f, argnums, has_aux, holomorphic)

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def elementwise_grad(f: Function, argnums: Argnums = 0) -> Function:
    """A function that gives the derivative of each element of f's result by its own input.

    Parameters
    ----------
    f : callable
        Acts element by element: element i of the result depends on element i of the argument
        only (else the result is the gradient of the sum).
    argnums : int or sequence of int
        Positions of the arguments to differentiate by.

    Returns
    -------
    callable
        Takes f's arguments and returns an array shaped like the argument.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.elementwise_grad(lambda x: x * x)(ag.asarray([1.0, 2.0]))
    tensor([2., 4.])
    """

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions, single = _argnums(argnums, len(args), f)
        run = _Recorded(f, args, kwargs, positions, False)
        cotangents: list[Any] = []
        for _, v in run.leaves:
            dtype = _checked_kind(v, f)
            if dtype.kind == "c":
                raise GradientError(
                    f"elementwise_grad: {_name(f)} returned complex values; differentiate their "
                    "real or imaginary part, or use ag.jacobian(f, holomorphic=True)"
                )
            shape = v._array.shape if isinstance(v, TensorBase) else np.shape(v)
            cotangents.append(wrap(np.ones(shape, dtype)))
        found = run.gradients(cotangents, run.tracked, run.tracked)
        gradient = run.gradients_out(found, run.keeps)
        return gradient[0] if single else tuple(gradient)

    return wrapped


# -- vjp, jvp, linearize ---------------------------------------------------------------------------


def vjp(f: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Value of f and the function that pulls cotangents back through it.

    Parameters
    ----------
    f : callable
        Any number of array arguments and results, in containers or not.
    *primals : array, number, Tensor or container of them
        Where to evaluate.
    has_aux : bool
        f returns a pair (value, aux); aux becomes a third result.

    Returns
    -------
    out : like f's result
    pull : callable
        ``pull(g)`` takes a cotangent with the structure of `out` and returns a tuple with one
        cotangent for each primal. It can be called any number of times.

    Examples
    --------
    >>> import arraygrad as ag
    >>> out, pull = ag.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> pull(1.0)
    (3.0, 2.0)
    """
    run = _Recorded(f, primals, {}, range(len(primals)), has_aux, deferred=True)
    out = run.leave(run.out)

    def pull(cotangent: Any) -> tuple[Any, ...]:
        given = leaves_like(cotangent, run.out, "the cotangent")
        checked: list[Any] = []
        for (_, v), g in zip(run.leaves, given, strict=True):
            known = isinstance(v, TensorBase) and v._array.dtype.kind in "fcV"
            checked.append(cotangent_of(v, g, "the cotangent") if known and g is not None else None)
        recording = is_grad_enabled() and (run.tracked or any(map(_tracked, checked)))
        found = run.gradients(checked, recording, True)
        # A tracked cotangent may belong to a younger graph than the run: no test of age then.
        return tuple(run.gradients_out(found, _tracked if recording else _never))

    return (out, pull, run.leave(run.aux)) if has_aux else (out, pull)


def _never(_: Any) -> bool:
    return False


def _tracked(x: Any) -> bool:
    return isinstance(x, TensorBase) and node_of(x) is not None


def linearize(f: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Value of f and the function that pushes tangents forward through it.

    Parameters
    ----------
    f : callable
        Any number of array arguments and results, in containers or not.
    *primals : array, number, Tensor or container of them
        Where to evaluate.
    has_aux : bool
        f returns a pair (value, aux); aux becomes a third result.

    Returns
    -------
    out : like f's result
    push : callable
        ``push(*tangents)`` takes one tangent for each primal, with its structure, and returns
        the tangent of `out`. It can be called any number of times without running f again.

    Examples
    --------
    >>> import arraygrad as ag
    >>> out, push = ag.linearize(lambda x: x * x, 3.0)
    >>> push(1.0), push(2.0)
    (6.0, 12.0)
    """
    run = _Recorded(f, primals, {}, range(len(primals)), has_aux, deferred=True)
    out = run.leave(run.out)

    def push(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ArgumentError(
                f"{len(primals)} arguments but {len(tangents)} tangents; pass one for each"
            )
        checked: list[Any] = []
        for (_, entries), t, p in zip(run.rebuilds, tangents, primals, strict=True):
            for e, leaf in zip(entries, leaves_like(t, p, "a tangent"), strict=True):
                if e is not None:
                    checked.append(
                        None if leaf is None else cotangent_of(e.tensor, _floating(leaf), "tangent")
                    )
        recording = is_grad_enabled() and (run.tracked or any(map(_tracked, checked)))
        found = run.tangents(checked, recording)
        return run.rebuild_out([_tangent_out(run, t, recording) for t in found])

    return (out, push, run.leave(run.aux)) if has_aux else (out, push)


def _floating(leaf: Any) -> Any:
    return float(leaf) if isinstance(leaf, int) else leaf


def _tangent_out(run: _Recorded, t: Any, recorded: bool) -> Any:
    # Tangents may come from any graph: no test whether it is an older one.
    if t is None or (recorded and node_of(t) is not None):
        return t
    array = np.array(t._array)
    if not run.plain:
        return wrap(array[()] if isinstance(t, scalar_class()) else array)
    return array[()] if array.ndim == 0 else array


def jvp(f: Function, primals: Any, tangents: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Value of f and its derivative along a direction.

    Parameters
    ----------
    f : callable
        Any number of array arguments and results, in containers or not.
    primals : tuple or list
        The arguments of f; anything else is its only argument.
    tangents : tuple or list
        One direction for each argument, with its structure.
    has_aux : bool
        f returns a pair (value, aux); aux becomes a third result.

    Returns
    -------
    out, tangent : like f's result

    Notes
    -----
    f runs once and is recorded; the tangents then move forward along the record. Memory is that of
    a reverse pass.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    if not isinstance(primals, tuple | list):
        primals, tangents = (primals,), (tangents,)
    if not isinstance(tangents, tuple | list) or len(tangents) != len(primals):
        raise ArgumentError("jvp needs one tangent for each primal: jvp(f, (x, y), (tx, ty))")
    out, push, *aux = linearize(f, *primals, has_aux=has_aux)
    return (out, push(*tangents), *aux)


# -- jacobians -------------------------------------------------------------------------------------


def jacobian(f: Function, argnums: Argnums = 0, holomorphic: bool = False) -> Function:
    """A function that gives f's Jacobian by the cheaper mode: reverse or forward.

    Parameters
    ----------
    f : callable
        Returns an array, or a container of arrays.
    argnums : int or sequence of int
        Positions of the arguments to differentiate by.
    holomorphic : bool
        f maps complex to complex and is complex-differentiable.

    Returns
    -------
    callable
        Takes f's arguments and returns d f[i...] / d x[j...] of shape ``f.shape + x.shape``; with
        containers, one such array for each pair, the result's container outside.

    Notes
    -----
    Rows of a real result by a complex argument are dL/dRe + i dL/dIm, as everywhere. A complex
    result by a real argument has the complex Jacobian d Re/dx + i d Im/dx.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.jacobian(lambda x: x * x)(ag.asarray([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian(f, argnums, holomorphic, "cheaper")


def jacrev(f: Function, argnums: Argnums = 0, holomorphic: bool = False) -> Function:
    """A function that gives f's Jacobian, row by row with reverse passes; see `jacobian`."""
    return _jacobian(f, argnums, holomorphic, "reverse")


def jacfwd(f: Function, argnums: Argnums = 0, holomorphic: bool = False) -> Function:
    """A function that gives f's Jacobian, column by column with forward passes; see `jacobian`."""
    return _jacobian(f, argnums, holomorphic, "forward")


def _jacobian(f: Function, argnums: Argnums, holomorphic: bool, mode: str) -> Function:
    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        positions, single = _argnums(argnums, len(args), f)
        run = _Recorded(f, args, kwargs, positions, False)
        blocks = jacobian_blocks(run, f, mode, holomorphic)
        rows = [run.gradients_out(row, run.keeps) for row in blocks]
        return run.rebuild_out([row[0] if single else tuple(row) for row in rows])

    return wrapped


def jacobian_blocks(run: _Recorded, f: Function, mode: str, holomorphic: bool) -> list[list[Any]]:
    """d leaf / d entry as tensors, one row per leaf of the result."""
    from .jacobians import forward_blocks, reverse_blocks

    dtypes = [_checked_kind(v, f) for _, v in run.leaves]
    sizes = [v._array.size if isinstance(v, TensorBase) else np.size(v) for _, v in run.leaves]
    complex_in = any(e.dtype.kind == "c" for e in run.entries)
    complex_out = any(d.kind == "c" for d in dtypes)
    if complex_in and complex_out and not holomorphic:
        raise GradientError(
            f"{_name(f)} maps complex to complex: its Jacobian is one complex matrix only if it is "
            "complex-differentiable; pass holomorphic=True then, or differentiate its real and "
            "imaginary parts apart"
        )
    if holomorphic and not (
        all(e.dtype.kind == "c" for e in run.entries) and all(d.kind == "c" for d in dtypes)
    ):
        raise GradientError("holomorphic=True needs complex arguments and a complex result")
    if mode == "cheaper":
        rows = sum(sizes) * (2 if complex_out and not holomorphic else 1)
        columns = sum(e.size for e in run.entries) * (2 if complex_in and not holomorphic else 1)
        # A forward step costs about as much as a reverse one, but reverse steps have fused forms.
        mode = "reverse" if rows <= columns else "forward"
    blocks = reverse_blocks if mode == "reverse" else forward_blocks
    return blocks(run, holomorphic)


def hessian(f: Function, argnums: Argnums = 0) -> Function:
    """A function that gives f's matrix of second derivatives.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        Positions of the real arguments to differentiate by.

    Returns
    -------
    callable
        Takes f's arguments and returns d2 f / d x[i...] d x[j...] of shape ``x.shape + x.shape``
        (a tuple of tuples if `argnums` is a sequence).

    Notes
    -----
    The Jacobian of the gradient: reverse passes over the recorded gradient.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.hessian(lambda x: x[0] * x[0] * x[1])(ag.asarray([1.0, 2.0]))
    tensor([[4., 2.],
            [2., 0.]])
    """
    wrapped = functools.wraps(f)(jacrev(grad(f, argnums), argnums))
    return wrapped


def hvp(f: Function) -> Function:
    """A function that gives f's Hessian times a vector, without the Hessian.

    Parameters
    ----------
    f : callable
        Returns one real number; differentiated by its first argument.

    Returns
    -------
    callable
        ``hvp(f)(x, v, *args)`` with f's first argument, the vector, and f's other arguments: what
        scipy.optimize takes as `hessp`.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.hvp(lambda x: (x * x * x).sum())(ag.asarray([1.0, 2.0]), ag.asarray([1.0, 0.0]))
    tensor([6., 0.])
    """
    gradient = grad(f)

    @functools.wraps(f)
    def wrapped(x: Any, v: Any, *args: Any, **kwargs: Any) -> Any:
        # The Hessian is symmetric: its product with v is the gradient's vjp, one reverse pass.
        _, pull = vjp(lambda y: gradient(y, *args, **kwargs), x)
        return pull(v)[0]

    return wrapped
