"""Calling the user's functions from SciPy's solvers, and differentiating what solvers find.

A solver gets the function on plain values. What it returns satisfies an equation F(x, p) = 0 whose
parameters p, among the arguments or in closures, may carry gradients. From the solution a few
steps of x <- x - J^-1 F(x, p), with J = dF/dx there, are taken on tensors: each step makes one more
order of derivative by p exact (the first gives the implicit function theorem), whatever p is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import node_of, wrap
from .._detach import LIFTED_MARK
from .._engine import alias
from .._errors import LinAlgError
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..autograd.modes import enable_grad, no_grad
from ..autograd.recorded import lifted
from ..autograd.reverse import grad
from ._rule import plain, xp
from ._values import fresh as fresh, on_plain as on_plain

# Derivatives of a solution are exact up to this order.
ORDERS = 3

Function = Callable[..., Any]


def in_graph(f: Any) -> Any:
    """The function as it runs on tensors: lifted, unless lifted code handed it over."""
    inner = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    inner = getattr(inner, "__func__", inner)
    if not callable(f) or LIFTED_MARK in getattr(inner, "__globals__", {}):
        return f
    return lifted(f)


def vector(x: Any) -> Any:
    """What the user's function returned, as one floating-point vector."""
    return xp.reshape(xp.asarray(x, dtype=_floating(x)), -1)


def _floating(x: Any) -> Any:
    dtype = x._array.dtype if isinstance(x, TensorBase) else np.asarray(plain(x)).dtype
    return np.result_type(dtype, np.float64) if dtype.kind in "biu" else dtype


def is_recorded(x: Any) -> bool:
    """Whether a value that the user's function returned carries a gradient."""
    return is_grad_enabled() and isinstance(x, TensorBase) and node_of(x) is not None


def moving(x: Any) -> Any:
    """The tensor itself if it is tracked, else a tracked one with its values."""
    return x if node_of(x) is not None else alias(x)


def gradient(f: Function, x: Any) -> Any:
    """Gradient of a scalar function at x, recorded."""
    with enable_grad():
        x = moving(x)
        out = f(x)
        if not is_recorded(out):
            return xp.zeros_like(x)
        found = grad(xp.sum(out), x, create_graph=True, allow_unused=True)[0]
    return xp.zeros_like(x) if found is None else found


def jacobian(f: Function, x: Any, recorded: bool = False) -> Any:
    """Jacobian of a vector function at the vector x."""
    with enable_grad():
        point = moving(x) if recorded else alias(wrap(np.array(plain(x))))
        out = f(point)
        if not is_recorded(out):
            return xp.zeros((out.shape[0], x.shape[0]))
        rows = [
            grad(out[i], point, retain_graph=True, create_graph=recorded, allow_unused=True)[0]
            for i in range(out.shape[0])
        ]
    return xp.stack([xp.zeros_like(point) if row is None else row for row in rows])


def solution(residual: Function, value: Any, function: str, polish: int = 0) -> Any:
    """The solution of residual(x) = 0 near the vector `value`, with its derivatives.

    Parameters
    ----------
    residual : callable
        Takes and returns a vector tensor.
    value : ndarray, shape (n,)
        What a solver found.
    function : str
        Name for messages.
    polish : int
        Chord steps on plain values to take first; the result is then their end.
    """
    value = np.array(value, dtype=np.result_type(value, float))
    matrix = plain(jacobian(residual, wrap(value))) if polish else None
    for _ in range(polish):
        with no_grad():
            rest = plain(residual(wrap(value.copy())))
        step = _solve(matrix, rest, function)
        value = value - step
        if np.abs(step).max(initial=0.0) <= 1e-15 * np.abs(value).max(initial=0.0):
            break
    x = wrap(value.copy())
    rest = residual(x)
    if not is_recorded(rest):
        return x
    matrix = plain(jacobian(residual, x))
    _solve(matrix, plain(rest), function)  # raises with advice if it is singular
    for step_number in range(ORDERS):
        if step_number:
            rest = residual(x)
        x = x - core.solve(matrix, rest)
    return x + (value - plain(x))


def _solve(matrix: Any, rest: Any, function: str) -> Any:
    try:
        return np.linalg.solve(matrix, rest)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"{function}: the Jacobian is singular at the solution, so that the solution has no "
            "derivative; use .detach() on the result"
        ) from error
