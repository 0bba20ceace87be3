"""Derivatives of functions: grad, vjp, jvp, jacobian, hessian and their kin.

All are type-preserving: plain arrays and numbers in, plain arrays and numbers out; tensors in,
tensors out. What a result owes to tensors tracked outside stays in their graph (and such a result
is a tensor), so that the calls nest to any order in any composition of modes.

A function is run once on aliases of its arguments: same value, a graph node of their own. Its
derivatives see nothing but what reached the result through these nodes, so nested calls cannot
take each other's perturbations for their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._apply import node_of, scalar_class, wrap
from .._cotangents import conj
from .._errors import ArgumentError, GradientError
from .._graph import is_grad_enabled
from .._storage import TensorBase
from .anomaly import check_value
from .derivative import Derivative
from .jacobians import jacobian_blocks
from .recorded import (
    Argnums,
    Function,
    Recorded,
    check_argnums,
    float_of,
    lifted,
    name_of,
    normalize_argnums,
    result_dtype,
    scalar_cotangent,
)
from .reverse import cotangent_of
from .trees import leaves_like

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
    check_argnums(argnums)
    body = lifted(f)

    def both(*args: Any, **kwargs: Any) -> Any:
        positions, single = normalize_argnums(argnums, len(args), f)
        run = Recorded(body, args, kwargs, positions, has_aux)
        g = scalar_cotangent(run, f, holomorphic)
        check_value(run.out)
        found = run.gradients([g], run.tracked, run.tracked)
        if holomorphic:
            found = [conj(c) for c in found]
        gradient = run.gradients_out(found, run.keeps)
        value = run.leave(run.out)
        result = gradient[0] if single else tuple(gradient)
        return ((value, run.leave(run.aux)), result) if has_aux else (value, result)

    return Derivative(both, value_and_grad, f, argnums, has_aux, holomorphic)


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

    def gradient_only(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return Derivative(gradient_only, grad, f, argnums, has_aux, holomorphic)


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
    check_argnums(argnums)
    body = lifted(f)

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        positions, single = normalize_argnums(argnums, len(args), f)
        run = Recorded(body, args, kwargs, positions, False)
        cotangents: list[Any] = []
        for _, v in run.leaves:
            dtype = result_dtype(v, f)
            if dtype.kind == "c":
                raise GradientError(
                    f"elementwise_grad: {name_of(f)} returned complex values; differentiate their "
                    "real or imaginary part, or use ag.jacobian(f, holomorphic=True)"
                )
            shape = v._array.shape if isinstance(v, TensorBase) else np.shape(v)
            cotangents.append(wrap(np.ones(shape, dtype)))
        found = run.gradients(cotangents, run.tracked, run.tracked)
        gradient = run.gradients_out(found, run.keeps)
        return gradient[0] if single else tuple(gradient)

    return Derivative(derivatives, elementwise_grad, f, argnums)


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
    _check_given(vjp, f, primals)
    return _vjp(f, primals, has_aux, "the cotangent")


def _check_given(maker: Function, f: Function, primals: tuple[Any, ...]) -> None:
    if not primals:
        raise ArgumentError(
            f"{maker.__name__} takes the values beside the function: ag.{maker.__name__}"
            f"({name_of(f)}, x); only ag.grad, ag.jacobian and their kin give a function to call"
        )


def _vjp(f: Function, primals: tuple[Any, ...], has_aux: bool, name: str) -> tuple[Any, ...]:
    """What `vjp` returns; messages call the cotangent by this name."""
    run = Recorded(f, primals, {}, range(len(primals)), has_aux, deferred=True)
    out = run.leave(run.out)

    def pull(cotangent: Any) -> tuple[Any, ...]:
        given = leaves_like(cotangent, run.out, name)
        checked: list[Any] = []
        for (_, v), g in zip(run.leaves, given, strict=True):
            known = isinstance(v, TensorBase) and v._array.dtype.kind in "fcV"
            checked.append(cotangent_of(v, g, name) if known and g is not None else None)
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
    _check_given(linearize, f, primals)
    run = Recorded(f, primals, {}, range(len(primals)), has_aux, deferred=True)
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
    return float_of(leaf, "a tangent") if isinstance(leaf, int) else leaf


def _tangent_out(run: Recorded, t: Any, recorded: bool) -> Any:
    # Tangents may come from any graph: no test whether it is an older one.
    if t is None or (recorded and node_of(t) is not None):
        return t
    array = np.array(t._array)
    if not run.plain:
        return wrap(array[()] if isinstance(t, scalar_class()) else array)
    return run.number(array)


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
    (6.0, 3.0)
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
    matrix = _jacobian(f, argnums, "cheaper", holomorphic)
    return Derivative(matrix, jacobian, f, argnums, holomorphic)


def jacrev(f: Function, argnums: Argnums = 0, holomorphic: bool = False) -> Function:
    """A function that gives f's Jacobian, row by row with reverse passes.

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
        As `jacobian` returns it.
    """
    matrix = _jacobian(f, argnums, "reverse", holomorphic)
    return Derivative(matrix, jacrev, f, argnums, holomorphic)


def jacfwd(f: Function, argnums: Argnums = 0, holomorphic: bool = False) -> Function:
    """A function that gives f's Jacobian, column by column with forward passes.

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
        As `jacobian` returns it.
    """
    matrix = _jacobian(f, argnums, "forward", holomorphic)
    return Derivative(matrix, jacfwd, f, argnums, holomorphic)


def _jacobian(f: Function, argnums: Argnums, mode: str, holomorphic: bool) -> Function:
    check_argnums(argnums)
    body = lifted(f)

    def matrix(*args: Any, **kwargs: Any) -> Any:
        positions, single = normalize_argnums(argnums, len(args), f)
        run = Recorded(body, args, kwargs, positions, False)
        blocks = jacobian_blocks(run, f, mode, holomorphic)
        rows = [run.gradients_out(row, run.keeps) for row in blocks]
        return run.rebuild_out([row[0] if single else tuple(row) for row in rows])

    return matrix


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
    return Derivative(jacrev(grad(f, argnums), argnums), hessian, f, argnums)


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

    def product(x: Any, v: Any, *args: Any, **kwargs: Any) -> Any:
        # The Hessian is symmetric: its product with v is the gradient's vjp, one reverse pass.
        _, pull = _vjp(lambda y: gradient(y, *args, **kwargs), (x,), False, "the vector v")
        return pull(v)[0]

    return Derivative(product, hvp, f)
