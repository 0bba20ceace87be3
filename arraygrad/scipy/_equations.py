"""Matrix equations as ops: SciPy solves them; their derivatives solve linear ones alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg as core
from .._op import Rule
from ._rule import adjoint, primitive_op, scipy_object


def _sylvester_kernel(a: Any, b: Any, q: Any) -> Any:
    return scipy_object("scipy.linalg.solve_sylvester")(a, b, q)


def _sylvester_vjp(g: Any, a: Any, b: Any, out: Any) -> Any:
    """The adjoint of x -> a x + x b is y -> a^H y + y b^H."""
    y = solve_of_sylvester(adjoint(a), adjoint(b), g)
    return -(y @ adjoint(out)), -(adjoint(out) @ y), y


solve_of_sylvester = primitive_op(
    "linalg.solve_sylvester", ("a", "b", "q"), Rule(vjp=_sylvester_vjp), _sylvester_kernel
)


def _lyapunov_kernel(a: Any, q: Any) -> Any:
    return scipy_object("scipy.linalg.solve_discrete_lyapunov")(a, q)


def _lyapunov_vjp(g: Any, a: Any, out: Any) -> Any:
    """The adjoint of x -> x - a x a^H is y -> y - a^H y a."""
    y = solve_lyapunov_discrete(adjoint(a), g)
    return y @ a @ adjoint(out) + adjoint(y) @ a @ out, y


solve_lyapunov_discrete = primitive_op(
    "linalg.solve_discrete_lyapunov", ("a", "q"), Rule(vjp=_lyapunov_vjp), _lyapunov_kernel
)


def _riccati_cotangents(y: Any, gain: Any, x: Any, target: Any) -> Any:
    """Cotangents of a, b, q, r from that of the equation.

    The solution is stationary by the gain, so that only the explicit changes count.
    """
    both = x @ target @ (y + adjoint(y))
    return both, -(both @ adjoint(gain)), y, gain @ y @ adjoint(gain)


def _continuous_kernel(a: Any, b: Any, q: Any, r: Any) -> Any:
    return np.asarray(scipy_object("scipy.linalg.solve_continuous_are")(a, b, q, r))


def _continuous_vjp(g: Any, a: Any, b: Any, r: Any, out: Any) -> Any:
    gain = core.solve(r, adjoint(b) @ out)
    closed = a - b @ gain
    y = solve_of_sylvester(closed, adjoint(closed), -g)
    both = out @ (y + adjoint(y))
    return both, -(both @ adjoint(gain)), y, gain @ y @ adjoint(gain)


riccati_continuous = primitive_op(
    "linalg.solve_continuous_are", ("a", "b", "q", "r"), Rule(vjp=_continuous_vjp),
    _continuous_kernel,
)  # fmt: skip


def _discrete_kernel(a: Any, b: Any, q: Any, r: Any) -> Any:
    return np.asarray(scipy_object("scipy.linalg.solve_discrete_are")(a, b, q, r))


def _discrete_vjp(g: Any, a: Any, b: Any, r: Any, out: Any) -> Any:
    gain = core.solve(r + adjoint(b) @ out @ b, adjoint(b) @ out @ a)
    closed = a - b @ gain
    y = solve_lyapunov_discrete(closed, g)
    return _riccati_cotangents(y, gain, out, closed)


riccati_discrete = primitive_op(
    "linalg.solve_discrete_are", ("a", "b", "q", "r"), Rule(vjp=_discrete_vjp), _discrete_kernel
)  # fmt: skip
