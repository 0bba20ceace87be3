"""Stand-ins for ``scipy.integrate``: samples, functions and differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._boundary_value import solve_bvp as solve_bvp
from ._initial_value import odeint as odeint, solve_ivp as solve_ivp
from ._quadrature import (
    dblquad as dblquad,
    fixed_quad as fixed_quad,
    nquad as nquad,
    quad as quad,
    quad_vec as quad_vec,
    tplquad as tplquad,
)
from ._rule import is_tracked, plain, refuse, rule, scipy_object, tensor, xp


@rule("scipy.integrate.trapezoid")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Trapezoidal rule; linear in y, and differentiable in x."""
    x = x if x is None else tensor(x, "scipy.integrate.trapezoid", 2)
    return xp.trapezoid(tensor(y, "scipy.integrate.trapezoid"), x, dx, axis)


def _widths(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Distances of the samples, axis last; broadcast against y with axis last."""
    if x is None:
        return xp.asarray(dx, dtype=y.dtype) * xp.ones(y.shape[axis] - 1, dtype=y.dtype)
    x = tensor(x, "scipy.integrate", 2)
    return xp.diff(x if x.ndim == 1 else xp.moveaxis(x, axis, -1), axis=-1)


@rule("scipy.integrate.cumulative_trapezoid")
def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """Trapezoidal rule up to each sample."""
    y = tensor(y, "scipy.integrate.cumulative_trapezoid")
    h = _widths(y, x, dx, axis)
    last = xp.moveaxis(y, axis, -1)
    out = xp.cumsum(h * (last[..., 1:] + last[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        out = xp.concatenate((xp.full((*out.shape[:-1], 1), initial, dtype=float), out), axis=-1)
    return xp.moveaxis(out, -1, axis)


@rule("scipy.integrate.simpson")
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """Simpson's rule; with an even number of samples the last interval has Cartwright's formula."""
    y = tensor(y, "scipy.integrate.simpson")
    h = _widths(y, x, dx, axis)
    y = xp.moveaxis(y, axis, -1)
    n = y.shape[-1]
    if n < 3:
        return 0.5 * h[..., 0] * (y[..., 0] + y[..., 1]) if n == 2 else 0.0 * y[..., 0]
    if n % 2:
        return _parabolas(y, h)
    h0, h1 = h[..., -2], h[..., -1]
    last = (
        y[..., -1] * (2 * h1**2 + 3 * h0 * h1) / (6 * (h1 + h0))
        + y[..., -2] * (h1**2 + 3 * h0 * h1) / (6 * h0)
        - y[..., -3] * h1**3 / (6 * h0 * (h0 + h1))
    )
    return _parabolas(y[..., :-1], h[..., :-1]) + last


def _parabolas(y: Any, h: Any) -> Any:
    h0, h1 = h[..., ::2], h[..., 1::2]
    total, ratio = h0 + h1, h0 / h1
    parts = (
        y[..., :-2:2] * (2.0 - 1.0 / ratio)
        + y[..., 1::2] * (total * total / (h0 * h1))
        + y[..., 2::2] * (2.0 - ratio)
    )
    return xp.sum(total / 6.0 * parts, axis=-1)


@rule("scipy.integrate.romb")
def romb(y: Any, dx: Any = 1.0, axis: int = -1, show: bool = False) -> Any:
    """Romberg's rule: a sum of the samples with fixed weights."""
    y = xp.moveaxis(tensor(y, "scipy.integrate.romb"), axis, -1)
    weights = scipy_object("scipy.integrate.romb")(np.eye(y.shape[-1]), axis=0)
    return dx * (y @ weights)


@rule("scipy.integrate.cumulative_simpson", optional=True)
def cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """Simpson's rule up to each sample: sums of the samples with fixed weights, if x is plain."""
    if is_tracked((x, dx)):
        raise refuse("scipy.integrate.cumulative_simpson", "by x or dx",
                     "use scipy.integrate.cumulative_trapezoid")  # fmt: skip
    y = xp.moveaxis(tensor(y, "scipy.integrate.cumulative_simpson"), axis, -1)
    real = scipy_object("scipy.integrate.cumulative_simpson")
    weights = real(np.eye(y.shape[-1]), x=plain(x), dx=plain(dx))
    out = y @ weights
    if initial is not None:
        start = xp.full((*out.shape[:-1], 1), initial, dtype=float)
        out = xp.concatenate((start, out + initial), axis=-1)
    return xp.moveaxis(out, -1, axis)
