"""Integrals of functions: QUADPACK finds the panels, a sum over them is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._apply import wrap
from ._implicit import in_graph, is_recorded, on_plain
from ._panels import gauss, panel_sum, sum_with_weight
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
    as_given = {"full_output": full_output, "epsabs": epsabs, "epsrel": epsrel, "limit": limit,
                "points": points, "weight": weight, "wvar": wvar, "wopts": wopts, "maxp1": maxp1,
                "limlst": limlst}  # fmt: skip
    if complex_func:
        return _complex_quad(func, a, b, args, full_output, as_given)
    if plain(b) < plain(a):
        value, *report = quad(func, b, a, args, **as_given)
        return (-value, *report)
    if weight in ("cos", "sin") and np.isneginf(plain(a)) and not np.isposinf(plain(b)):
        sign = 1.0 if weight == "cos" else -1.0
        return quad(lambda x, *p: sign * func(-x, *p), -b, np.inf, args, **as_given)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "weight": weight,
               "wvar": plain(wvar), "wopts": wopts, "maxp1": maxp1, "limlst": limlst,
               "points": plain(points)}  # fmt: skip
    real = scipy_object("scipy.integrate.quad")
    low, high = float(plain(a)), float(plain(b))
    found = real(on_plain(func), low, high, args=args, full_output=full_output, **options)
    if not is_grad_enabled() or low == high:
        return tensors(found)
    limited = is_tracked((a, b, wvar))
    if not limited and not is_recorded(func(_inside(low, high), *args)):
        return tensors(found)
    if weight is not None and np.isinf(high):
        total = sum_with_weight(func, a, b, args, weight, wvar, None, found[0])
    else:
        report = real(on_plain(func), low, high, args=args, **{**options, "full_output": 1})[2]
        edges = _edges(report, low, high)
        total = (
            panel_sum(func, a, b, args, edges)
            if weight is None
            else sum_with_weight(func, a, b, args, weight, wvar, edges, found[0])
        )
    apart = abs(found[0] - float(plain(total)))
    if weight is not None and apart > 1e-6 * abs(found[0]) + 10.0 * max(found[1], 1e-9):
        raise refuse("scipy.integrate.quad", f"with weight={weight!r}, whose panels do not suffice",
                     "multiply it into func")  # fmt: skip
    return (total + (found[0] - plain(total)), *found[1:])


def _complex_quad(func: Any, a: Any, b: Any, args: Any, full_output: Any, options: Any) -> Any:
    """The integrals of both parts of func."""
    parts = [
        quad(lambda x, *p, f=f: f(func(x, *p)), a, b, args, **options) for f in (xp.real, xp.imag)
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
    if last == 0:  # one panel was enough
        return np.array([low, high])
    return np.unique(np.concatenate((parts["alist"][:last], parts["blist"][:last])))


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


def nquad(
    func: Any, ranges: Any, args: Any = None, opts: Any = None, full_output: bool = False
) -> Any:
    """Integral over several variables, the first one innermost; see `quad`."""
    func = in_graph(func)
    ends = [in_graph(r) if callable(r) else r for r in ranges]
    given = [opts or {}] * len(ends) if opts is None or isinstance(opts, dict) else list(opts)
    given = [opts] * len(ends) if callable(opts) else given
    worst, count = 0.0, 0

    def over(depth: int, *outer: Any) -> Any:
        nonlocal worst, count
        end, options = ends[depth], given[depth]
        low, high = end(*outer) if callable(end) else end
        options = dict(options(*outer) if callable(options) else options)
        if "points" in options:
            options["points"] = [x for x in options["points"] if low <= x <= high]
        inner = func if depth == 0 else lambda x, *more: over(depth - 1, x, *more)
        value, error, report = quad(inner, low, high, outer, full_output=1, **options)[:3]
        worst = max(worst, float(plain(error)))
        count += report["neval"] if depth == 0 else 0
        return value

    extra = args if isinstance(args, tuple) else () if args is None else (args,)
    value = over(len(ends) - 1, *extra)
    return (value, worst, {"neval": count}) if full_output else (value, worst)


@policed
def quad_vec(
    f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-8, norm: Any = "2",
    cache_size: Any = 100e6, limit: Any = 10000, workers: Any = 1, points: Any = None,
    quadrature: Any = None, full_output: bool = False, *, args: Any = (),
) -> Any:  # fmt: skip
    """Integral of a function of one number whose values are arrays; see `quad`.

    Notes
    -----
    Derivative: by what f depends on, over the panels that the value was found with, and by limits
    that are finite both.
    """
    f = in_graph(f)
    args = args if isinstance(args, tuple) else (args,)
    options = {"epsabs": epsabs, "epsrel": epsrel, "norm": norm, "cache_size": cache_size,
               "limit": limit, "workers": workers, "points": plain(points),
               "quadrature": quadrature}  # fmt: skip
    low, high = float(plain(a)), float(plain(b))
    call = on_plain(lambda x: f(x, *args))
    value, error, report = scipy_object("scipy.integrate.quad_vec")(
        call, low, high, full_output=True, **options
    )
    rest = (error, report) if full_output else (error,)
    limited = is_tracked((a, b))
    if not is_grad_enabled() or low == high:
        return (tensors(value), *rest)
    if not limited and not is_recorded(f(_inside(min(low, high), max(low, high)), *args)):
        return (tensors(value), *rest)
    edges = np.unique(np.asarray(report.intervals))
    nodes, weights = gauss(edges)
    if np.isinf(low) or np.isinf(high):
        if limited:
            raise refuse("scipy.integrate.quad_vec", "by a limit of an infinite range",
                         "use scipy.integrate.quad")  # fmt: skip
        distance, weights = (1 - np.abs(nodes)) / nodes, weights / nodes**2
        start = 0.0 if np.isinf(low) and np.isinf(high) else high if np.isinf(low) else low
        sign = -1.0 if np.isneginf(low) and start == high else 1.0
        at = start + sign * distance
    elif limited:
        at, weights = a + (b - a) * ((nodes - low) / (high - low)), weights / abs(high - low)
    else:
        at, weights = nodes, weights * np.sign(high - low)
    values = xp.stack([xp.asarray(f(x, *args)) for x in (at if limited else at.tolist())])
    total = xp.tensordot(xp.asarray(weights), values, 1) * ((b - a) if limited else 1.0)
    return (total + (value - plain(total)), *rest)


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    """Gauss's rule with n points; func takes them as an array."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    func = in_graph(func)
    points = (b - a) * (nodes + 1) / 2.0 + a
    points = points if needs_rule(points) else wrap(np.asarray(plain(points)))
    return (b - a) / 2.0 * xp.sum(weights * func(points, *args), axis=-1), None
