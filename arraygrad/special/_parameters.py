"""Derivatives of hypergeometric functions by their parameters, from the power series.

The terms are analytic in the parameters, so that the sum at complex parameters, on a circle around
the given one, gives the derivative as in `_contour`. Kummer's and Pfaff's transformations keep the
terms of one sign. Relative error about 1e-12, where the function is not close to one of its zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any

_MOST_TERMS = 6000
_POINTS = 28


def _sum(above: list[Array], below: list[Array], z: Array) -> Array:
    """The series with the given parameters; NaN where it has not converged."""
    term = np.ones(np.broadcast_shapes(*(np.shape(p) for p in (*above, *below)), z.shape), complex)
    total = term.copy()
    settled = np.zeros(total.shape, bool)
    for n in range(_MOST_TERMS):
        factor = z / (n + 1)
        for p in above:
            factor = factor * (p + n)
        for p in below:
            factor = factor / (p + n)
        term = term * factor
        total = total + term
        settled |= np.abs(term) <= 1e-17 * np.abs(total)
        if n > 8 and settled.all():
            return total
    total[~settled] = np.nan
    return total


def _hyp0f1(v: Array, z: Array) -> Array:
    return _sum([], [v], z)


def _hyp1f1(a: Array, b: Array, z: Array) -> Array:
    right = z >= 0
    direct = _sum([np.where(right, a, b - a)], [b], np.abs(z))
    return np.where(right, 1.0, np.exp(z)) * direct


def _hyp2f1(a: Array, b: Array, c: Array, z: Array) -> Array:
    right = z >= 0
    direct = _sum([a, np.where(right, b, c - b)], [c], np.where(right, z, z / (z - 1)))
    return np.where(right, 1.0, (1 - z) ** -a) * direct


_FUNCTIONS: dict[str, Any] = {"hyp0f1": _hyp0f1, "hyp1f1": _hyp1f1, "hyp2f1": _hyp2f1}


def _with_slopes(name: str, given: list[Array], steps: int) -> Array:
    """The derivative by z, of order `steps`: all parameters rise, their quotient is a factor."""
    *above, below, z = given
    factor: Any = 1.0
    for n in range(steps):
        for p in above:
            factor = factor * (p + n)
        factor = factor / (below + n)
    raised = [p + steps for p in (*above, below)]
    return factor * _FUNCTIONS[name](*raised, z)


def by_parameters(*arguments: Array, name: str, orders: tuple[int, ...], steps: int) -> Array:
    """The derivative by the parameters, of these orders, and by z (the last), `steps` times.

    NaN where there is none, at poles and for z >= 1 of hyp2f1, and for complex arguments.
    """
    dtype = np.result_type(*arguments)
    shape = np.broadcast_shapes(*(np.shape(x) for x in arguments))
    if dtype.kind == "c":
        return np.full(shape, np.nan, dtype)
    values = [np.broadcast_to(np.asarray(x, float), shape).ravel() for x in arguments]
    *_, below, z = values
    pole = np.abs(below - np.minimum(np.round(below), 0))
    inside = np.isfinite(z) & (pole > 0)
    if name == "hyp2f1":
        inside &= z < 1
    out = np.full(z.shape, np.nan)
    if inside.any():
        chosen = [x[inside] for x in values]
        radii = [np.minimum(0.5, 0.1 + 0.05 * np.abs(p)) for p in chosen[:-1]]
        radii[-1] = np.minimum(radii[-1], 0.5 * pole[inside])
        with np.errstate(all="ignore"):
            out[inside] = _on_circles(name, chosen, radii, orders, steps).real
    return out.reshape(shape).astype(dtype)[()]


def _on_circles(
    name: str, given: list[Array], radii: list[Array], orders: tuple[int, ...], steps: int
) -> Array:
    """Circles within circles: one for each parameter that is differentiated by."""
    for i, order in enumerate(orders):
        if not order:
            continue
        rest = (*orders[:i], 0, *orders[i + 1 :])
        angles = 2 * math.pi * (np.arange(_POINTS) + 0.5) / _POINTS
        points = np.exp(1j * angles).reshape((-1,) + (1,) * given[0].ndim)
        moved = [x[None] for x in given]
        moved[i] = moved[i] + radii[i] * points
        values = _on_circles(name, moved, radii, rest, steps) * points**-order
        return values.sum(axis=0) * (math.factorial(order) / _POINTS) / radii[i] ** order
    return _with_slopes(name, given, steps)
