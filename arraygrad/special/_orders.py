"""Derivatives of Bessel functions by their order, from integrals over the order's exponentials.

Schlaefli's integrals [1]_ hold the order v only in factors such as cos(v t) and exp(-v t), which
are differentiated any number of times under the integral sign. Where J and I are small against
their integrals (orders above the argument) their power series is differentiated on a circle
instead. Errors relative to the largest of the neighbouring orders are about 1e-13.

References
----------
.. [1] NIST Digital Library of Mathematical Functions, sections 10.9 and 10.32.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._errors import GradientError
from ._contour import cauchy
from ._function import scipy_object

Array = Any

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_PANELS = 24
_SMALLEST_EXPONENT = 745.0


def _over_half_turn(v: Array, x: Array) -> tuple[Array, Array]:
    """Nodes and weights on (0, pi) for as many oscillations as v and x make."""
    panels = 2 + int(np.max(np.abs(v) + np.abs(x), initial=0.0) // 8)
    edges = np.linspace(0, math.pi, panels + 1)
    half = np.diff(edges)[:, None] / 2
    nodes = (edges[:-1, None] + half * (1 + _NODES)).ravel()
    return nodes, (half * _WEIGHTS).ravel()


def _to_infinity(v: Array, x: Array, rise: Any) -> tuple[Array, Array]:
    """Nodes and weights up to where x * rise(t) has outgrown |v| t; one more axis at the end."""
    end = np.ones_like(x)
    for _ in range(60):
        end = np.arcsinh((_SMALLEST_EXPONENT + np.abs(v) * end) / x)
    if rise is _above_one:  # cosh(t) - 1 is about t**2 / 2
        end = np.arccosh(1 + (_SMALLEST_EXPONENT + np.abs(v) * end) / x)
    fractions = (np.arange(_PANELS)[:, None] + (1 + _NODES) / 2).ravel() / _PANELS
    weights = np.tile(_WEIGHTS, _PANELS) / (2 * _PANELS)
    return end[:, None] * fractions, end[:, None] * weights


def _above_one(t: Array) -> Array:
    return 2 * np.sinh(t / 2) ** 2


def _turned(v: Array, t: Array, order: int) -> Array:
    """Derivative by v of exp((i pi - t) v)."""
    step = 1j * math.pi - t
    return step**order * np.exp(step * v)


def _j(v: Array, x: Array, order: int) -> Array:
    nodes, weights = _over_half_turn(v, x)
    phase = v[:, None] * nodes - x[:, None] * np.sin(nodes) + order * math.pi / 2
    t, w = _to_infinity(v, x, np.sinh)
    tail = np.exp(-x[:, None] * np.sinh(t)) * _turned(v[:, None], t, order).imag
    return ((nodes**order * np.cos(phase)) @ weights - (tail * w).sum(axis=-1)) / math.pi


def _y(v: Array, x: Array, order: int) -> Array:
    nodes, weights = _over_half_turn(v, x)
    phase = x[:, None] * np.sin(nodes) - v[:, None] * nodes - order * math.pi / 2
    t, w = _to_infinity(v, x, np.sinh)
    rising = t**order * np.exp(v[:, None] * t - x[:, None] * np.sinh(t))
    tail = rising + np.exp(-x[:, None] * np.sinh(t)) * _turned(v[:, None], t, order).real
    return ((nodes**order * np.sin(phase)) @ weights - (tail * w).sum(axis=-1)) / math.pi


def _i(v: Array, x: Array, order: int) -> Array:
    """Times exp(-x)."""
    nodes, weights = _over_half_turn(v, np.sqrt(x))
    bell = np.exp(x[:, None] * (np.cos(nodes) - 1))
    turning = nodes**order * np.cos(v[:, None] * nodes + order * math.pi / 2)
    t, w = _to_infinity(v, x, _above_one)
    tail = np.exp(-x[:, None] * (_above_one(t) + 2)) * _turned(v[:, None], t, order).imag
    return ((bell * turning) @ weights - (tail * w).sum(axis=-1)) / math.pi


def _k(v: Array, x: Array, order: int) -> Array:
    """Times exp(x)."""
    t, w = _to_infinity(v, x, _above_one)
    low = x[:, None] * _above_one(t)
    both = np.exp(v[:, None] * t - low) + (-1) ** order * np.exp(-v[:, None] * t - low)
    return (t**order * both / 2 * w).sum(axis=-1)


def _series(v: Array, x: Array, order: int, sign: float) -> Array:
    """The derivative of J (sign -1) or I (sign 1) from their power series."""
    square = sign * x * x / 4

    def value(z: Array) -> Array:
        term = np.ones_like(z)
        total = np.ones_like(z)
        for k in range(1, 400):
            term = term * square / (k * (z + k))
            total = total + term
            if np.all(np.abs(term) <= 1e-17 * np.abs(total)):
                break
        return total * np.exp(z * np.log(x / 2) - scipy_object("loggamma")(z + 1))

    radius = 1 / (2 + np.abs(np.log(x / 2) - np.log(v + 1)))
    return cauchy(value, v, radius, order)


_KINDS = {"jv": _j, "yv": _y, "iv": _i, "ive": _i, "kv": _k, "kve": _k}


def bessel_by_order(v: Array, z: Array, *, kind: str, order: int) -> Array:
    """The derivative by v, of the given order >= 1, for arguments z >= 0; NaN for others."""
    dtype = np.result_type(v, z)
    if dtype.kind == "c":
        raise GradientError(
            f"special.{kind} has a derivative by its order for real arguments only; pass z.real or "
            "v.detach()"
        )
    v, z = np.broadcast_arrays(np.asarray(v, float), np.asarray(z, float))
    shape = v.shape
    v, z = v.ravel(), z.ravel()
    out = np.full(v.shape, np.nan)
    if kind in ("jv", "iv", "ive"):
        out[(z == 0) & (v > 0)] = 0.0
    inside = (z > 0) & np.isfinite(z) & np.isfinite(v)
    small = inside & (z * z <= 12 * (v + 1))  # few terms of the series, that hardly cancel
    if kind in ("iv", "ive"):  # none does
        small |= inside & (v > -1) & (z <= np.maximum(v, 30)) & (z <= 300)
    elif kind != "jv":
        small[:] = False
    with np.errstate(all="ignore"):
        if small.any():
            found = _series(v[small], z[small], order, -1.0 if kind == "jv" else 1.0)
            out[small] = found * np.exp(-z[small]) if kind == "ive" else found
        rest = inside & ~small
        if rest.any():
            out[rest] = _KINDS[kind](v[rest], z[rest], order)
            if kind in ("iv", "kv"):
                out[rest] *= np.exp(z[rest] if kind == "iv" else -z[rest])
    return out.reshape(shape).astype(dtype)[()]
