"""Integrals of functions: QUADPACK finds the panels, a sum over them is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._apply import wrap
from ._implicit import in_graph, is_recorded, on_plain
from ._rule import (
    is_grad_enabled,
    is_tracked,
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensors,
    xp,
)

# Gauss's rule of 15 points integrates each panel that QUADPACK made to its accuracy.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(15)


@policed
def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: int = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None,
    wvar: Any = None, wopts: Any = None, maxp1: Any = 50, limlst: Any = 50,
    complex_func: bool = False,
) -> Any:  # fmt: skip
    """Integral of func from a to b, and an estimate of its error.

    Notes
    -----
    Derivative: by the limits func(b) db - func(a) da, by what else func depends on (args, variables
    of closures) the integral of func's derivative, over the panels that the value was found with.
    With a limit that carries a gradient func must be differentiable in its first argument.
    """
    func = in_graph(func)
    args = args if isinstance(args, tuple) else (args,)
    if complex_func and weight is None:
        return _complex_quad(func, a, b, args, full_output, epsabs, epsrel, limit, points)
    if plain(b) < plain(a) and weight is None:
        value, *report = quad(func, b, a, args, full_output, epsabs, epsrel, limit, points,
                              complex_func=complex_func)  # fmt: skip
        return (-value, *report)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "weight": weight,
               "wvar": plain(wvar), "wopts": wopts, "maxp1": maxp1, "limlst": limlst,
               "complex_func": complex_func, "points": plain(points)}  # fmt: skip
    real = scipy_object("scipy.integrate.quad")
    low, high = float(plain(a)), float(plain(b))
    found = real(on_plain(func), low, high, args=args, full_output=full_output, **options)
    if not is_grad_enabled() or low == high:
        return tensors(found)
    limited = is_tracked((a, b))
    if not limited and not is_recorded(func(_inside(low, high), *args)):
        return tensors(found)
    if weight is not None:
        raise refuse("scipy.integrate.quad", "with weight=", "multiply it into func")
    report = real(on_plain(func), low, high, args=args, full_output=1, **options)[2]
    edges = _edges(report, low, high)
    total = _sum(func, a, b, args, edges, low, high)
    return (total + (found[0] - plain(total)), *found[1:])


def _complex_quad(func: Any, a: Any, b: Any, args: Any, full_output: Any, *options: Any) -> Any:
    """The integrals of both parts of func."""
    parts = [
        quad(lambda x, *p, f=f: f(func(x, *p)), a, b, args, full_output, *options)
        for f in (xp.real, xp.imag)
    ]
    value, error = (parts[0][i] + 1j * parts[1][i] for i in (0, 1))
    if not full_output:
        return value, error
    return value, error, {"real": parts[0][2:], "imag": parts[1][2:]}


def _inside(low: float, high: float) -> float:
    """A point between the limits."""
    if np.isinf(low) and np.isinf(high):
        return 0.125
    if np.isinf(high):
        return low + 1.125
    return high - 1.125 if np.isinf(low) else low + 0.5625 * (high - low)


def _edges(report: Any, low: float, high: float) -> Any:
    """Ends of the panels; for infinite ranges in QUADPACK's variable, in (0, 1]."""
    parts = report[0] if isinstance(report, tuple) else report
    if "last" not in parts or "alist" not in parts:
        raise refuse("scipy.integrate.quad", "for these options", "use plain limits only")
    last = parts["last"]
    return np.unique(np.concatenate((parts["alist"][:last], parts["blist"][:last])))


def _sum(func: Any, a: Any, b: Any, args: Any, edges: Any, low: float, high: float) -> Any:
    half = np.diff(edges) / 2
    nodes = ((edges[:-1] + edges[1:]) / 2)[:, None] + half[:, None] * _NODES
    weights = (half[:, None] * _WEIGHTS).ravel()
    nodes = nodes.ravel()
    if np.isinf(low) and np.isinf(high):
        both = [(1 - nodes) / nodes, -(1 - nodes) / nodes]
        scaled = weights / nodes**2
        return _weighted(func, np.concatenate(both), np.concatenate([scaled, scaled]), args)
    if np.isinf(low) or np.isinf(high):
        distance = (1 - nodes) / nodes
        points = a + distance if np.isinf(high) else b - distance
        return _weighted(func, points, weights / nodes**2, args)
    if is_tracked((a, b)):
        width = b - a
        part = (nodes - low) / (high - low)
        return _weighted(func, a + width * part, weights / (high - low), args) * width
    return _weighted(func, nodes, weights, args)


def _weighted(func: Any, nodes: Any, weights: Any, args: Any) -> Any:
    values = [func(x, *args) for x in (nodes if is_tracked(nodes) else plain(nodes).tolist())]
    return xp.sum(xp.stack([xp.asarray(v) for v in values]).reshape(-1) * weights)


def _nested(func: Any, ranges: list[Any], args: Any, options: dict[str, Any]) -> Any:
    """Integral over the first of the ranges outside, whose ends may be functions."""
    *inner, outer = ranges

    def integrand(x: Any, *more: Any) -> Any:
        given = (x, *more)
        if not inner:
            return func(*given, *args)
        bound = _bound(inner, given)
        # The function takes the inner variables, then these, and args at the end.
        return _nested(lambda *rest: func(*rest, *given, *args), bound, (), options)[0]

    low, high = outer
    return quad(integrand, low, high, **options)


def _bound(ranges: list[Any], outer: tuple[Any, ...]) -> list[Any]:
    """Ranges with their functions of the outer variables evaluated for the outermost one left."""
    *rest, (low, high) = ranges
    fixed = tuple(end(*outer) if callable(end) else end for end in (low, high))
    later = [tuple(_partial(end, outer) if callable(end) else end for end in pair) for pair in rest]
    return [*later, fixed]


def _partial(end: Any, outer: tuple[Any, ...]) -> Any:
    return lambda *inner: end(*inner, *outer)


def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:  # fmt: skip
    """Integral of func(y, x) for x from a to b and y from gfun(x) to hfun(x); see `quad`."""
    gfun, hfun = (in_graph(end) if callable(end) else end for end in (gfun, hfun))
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return _nested(in_graph(func), [(gfun, hfun), (a, b)], args, options)


def tplquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
    epsabs: float = 1.49e-8, epsrel: float = 1.49e-8,
) -> Any:  # fmt: skip
    """Integral of func(z, y, x); see `quad`. Ends of z are functions of (x, y) as in SciPy."""
    ends = [in_graph(end) if callable(end) else end for end in (gfun, hfun, qfun, rfun)]
    turned = [(lambda y, x, f=f: f(x, y)) if callable(f) else f for f in ends[2:]]
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return _nested(in_graph(func), [tuple(turned), tuple(ends[:2]), (a, b)], args, options)


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    """Gauss's rule with n points; func takes them as an array."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    func = in_graph(func)
    points = (b - a) * (nodes + 1) / 2.0 + a
    points = points if needs_rule(points) else wrap(np.asarray(plain(points)))
    return (b - a) / 2.0 * xp.sum(weights * func(points, *args), axis=-1), None
