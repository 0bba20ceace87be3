"""Sums over the panels that an adaptive rule made, which are differentiated in its place."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from ._rule import is_tracked, plain, refuse, scipy_object, xp

# Gauss's rule of 15 points integrates each panel that QUADPACK made to its accuracy.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(15)


def gauss(edges: Any) -> tuple[Any, Any]:
    """Nodes and weights over all panels."""
    half = np.diff(edges) / 2
    nodes = ((edges[:-1] + edges[1:]) / 2)[:, None] + half[:, None] * _NODES
    return nodes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def panel_sum(func: Any, a: Any, b: Any, args: Any, edges: Any) -> Any:
    """The integral of func from a to b; for infinite ranges edges are in QUADPACK's variable."""
    low, high = float(plain(a)), float(plain(b))
    nodes, weights = gauss(edges)
    if np.isinf(low) and np.isinf(high):
        both = [(1 - nodes) / nodes, -(1 - nodes) / nodes]
        scaled = weights / nodes**2
        return weighted_values(func, np.concatenate(both), np.concatenate([scaled, scaled]), args)
    if np.isinf(low) or np.isinf(high):
        distance = (1 - nodes) / nodes
        points = a + distance if np.isinf(high) else b - distance
        return weighted_values(func, points, weights / nodes**2, args)
    if is_tracked((a, b)):
        width = b - a
        part = (nodes - low) / (high - low)
        return weighted_values(func, a + width * part, weights / (high - low), args) * width
    return weighted_values(func, nodes, weights, args)


def weighted_values(func: Any, nodes: Any, weights: Any, args: Any) -> Any:
    """The sum of func's values at nodes with weights."""
    values = [func(x, *args) for x in (nodes if is_tracked(nodes) else plain(nodes).tolist())]
    return xp.sum(xp.stack([xp.asarray(v) for v in values]).reshape(-1) * weights)


# -- functions with a weight -----------------------------------------------------------------------


def sum_with_weight(
    func: Any, a: Any, b: Any, args: Any, weight: str, wvar: Any, edges: Any, found: float
) -> Any:
    """The integral of func times one of QUADPACK's weights, which has found a value."""
    if weight in ("cos", "sin"):
        wave = xp.cos if weight == "cos" else xp.sin

        def waving(x: Any, *more: Any) -> Any:
            return func(x, *more) * wave(wvar * x)

        if np.isinf(plain(b)):
            total = _fourier_sum(waving, a, args, float(plain(wvar)), 10)
            if abs(found - float(plain(total))) > 1e-7 * abs(found):
                total = _fourier_sum(waving, a, args, float(plain(wvar)), 100)
            return total
        length = 4.0 / max(abs(float(plain(wvar))), 1e-300)
        return panel_sum(waving, a, b, args, _divided(edges, length))
    if weight == "cauchy":
        if is_tracked((a, b, wvar)):
            raise refuse("scipy.integrate.quad", "by the limits or the pole of weight='cauchy'",
                         "take the pole out of func")  # fmt: skip
        return _principal_value(func, args, float(wvar), edges)
    return _algebraic_sum(func, a, b, args, weight, wvar, edges)


def _divided(edges: Any, length: float) -> Any:
    """Edges with more between them, none further apart than a length."""
    parts = [
        np.linspace(low, high, 1 + int(np.ceil((high - low) / length)))
        for low, high in pairwise(edges)
    ]
    return np.unique(np.concatenate(parts))


def _fourier_sum(waving: Any, a: Any, args: Any, frequency: float, head: int) -> Any:
    """From a to infinity: some half waves by panels, the next ones by Euler's means of sums."""
    low, half = float(plain(a)), np.pi / abs(frequency)
    real = scipy_object("scipy.integrate.quad")
    tail = 32
    report = real(lambda x: float(plain(waving(x, *args))), low, low + head * half, limit=500,
                  full_output=1)[2]  # fmt: skip
    last = report["last"]
    edges = np.unique(np.concatenate((report["alist"][:last], report["blist"][:last])))
    nodes, weights = gauss(_divided(edges, half))
    ends = low + half * np.arange(head, head + tail + 1)
    nodes_behind, weights_behind = gauss(ends)
    shares = np.cumsum([comb(tail - 1, j) for j in range(tail)][::-1])[::-1] / 2.0 ** (tail - 1)
    nodes = np.concatenate((nodes, nodes_behind)) - low
    weights = np.concatenate((weights, weights_behind * np.repeat(shares, len(_NODES))))
    return weighted_values(waving, a + nodes, weights, args)


def _principal_value(func: Any, args: Any, pole: float, edges: Any) -> Any:
    """Differences on both sides of the pole, and what is further away on one of them."""
    low, high = float(edges[0]), float(edges[-1])
    near = min(pole - low, high - pole)
    if near <= 0:
        return weighted_values(lambda x, *p: func(x, *p) / (x - pole), *gauss(edges), args)
    apart = np.abs(edges - pole)
    inner = np.unique(np.concatenate(([0.0, near], apart[apart < near])))
    nodes, weights = gauss(inner)
    total = weighted_values(
        lambda t, *p: (func(pole + t, *p) - func(pole - t, *p)) / t, nodes, weights, args
    )
    far = max(pole - low, high - pole)
    if far == near:
        return total
    side = 1.0 if high - pole == far else -1.0
    steps = near * 2.0 ** np.arange(np.ceil(np.log2(far / near)))
    outer = np.unique(np.concatenate((steps, [far], apart[(apart > near) & (apart < far)])))
    nodes, weights = gauss(outer)
    return total + weighted_values(
        lambda t, *p: side * func(pole + side * t, *p) / t, nodes, weights, args
    )


def _algebraic_sum(func: Any, a: Any, b: Any, args: Any, weight: str, wvar: Any, edges: Any) -> Any:
    """By the part s of the way: powers of s and 1 - s, integrated by a double exponential rule."""
    low, high = float(plain(a)), float(plain(b))
    cuts = (np.asarray(edges) - low) / (high - low)
    if len(cuts) == 2:
        cuts = np.array([0.0, 0.5, 1.0])
    step = 0.1
    t = step * np.arange(-55, 56)
    y, rest = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(t))), 1.0 / (1.0 + np.exp(np.pi * np.sinh(t)))
    dy = step * np.pi * np.cosh(t) * y * rest
    middle, of_middle = gauss(cuts[1:-1]) if len(cuts) > 3 else (np.empty(0), np.empty(0))
    first, last = cuts[1], 1.0 - cuts[-2]
    behind = np.concatenate((first * y, middle, 1.0 - last * rest))
    ahead = np.concatenate((1.0 - first * y, 1.0 - middle, last * rest))
    weights = np.concatenate((first * dy, of_middle, last * dy))
    alpha, beta = wvar
    width = b - a
    factor = xp.exp(alpha * np.log(behind) + beta * np.log(ahead)) * weights
    if weight in ("alg-loga", "alg-log"):
        factor = factor * (np.log(behind) + xp.log(width))
    if weight in ("alg-logb", "alg-log"):
        factor = factor * (np.log(ahead) + xp.log(width))
    return weighted_values(func, a + width * behind, factor, args) * width ** (1.0 + alpha + beta)
