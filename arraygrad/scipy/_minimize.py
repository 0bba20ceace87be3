"""Minima: the gradient is zero there, or balanced by the constraints that are active."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .._apply import wrap
from ._implicit import gradient, in_graph, is_recorded, jacobian, on_plain, solution, vector
from ._reports import guarded
from ._rule import by_name, is_grad_enabled, needs_rule, plain, scipy_object, xp


def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Report of a search for a minimum; its ``x`` and ``fun`` have derivatives.

    Notes
    -----
    Derivative: with H the Hessian and g the gradient of fun, dx = -H^-1 (dg/dp) dp, where p is what
    else fun depends on. Elements at their bounds follow these; with constraints that are active the
    same holds for the Lagrangian.
    """
    fun = in_graph(fun)
    args = args if isinstance(args, tuple) else (args,)
    jac = in_graph(jac) if callable(jac) else jac
    report = scipy_object("scipy.optimize.minimize")(
        on_plain(fun), plain(x0), args, method, on_plain(jac), on_plain(in_graph(hess)),
        on_plain(in_graph(hessp)), plain_bounds(bounds), _plain_constraints(constraints), tol,
        callback, options,
    )  # fmt: skip
    if not is_grad_enabled():
        return report
    shape = np.shape(report.x)

    def value(x: Any) -> Any:
        out = fun(x.reshape(shape), *args)
        return out[0] if jac is True else out

    def slope(x: Any) -> Any:
        if callable(jac):
            return vector(jac(x.reshape(shape), *args))
        if jac is True:
            return vector(fun(x.reshape(shape), *args)[1])
        return gradient(value, x)

    point = np.array(report.x, dtype=float).reshape(-1)
    limits = _limits(bounds, point.size)
    active, pressed = _active_constraints(constraints, point, shape, slope, limits)
    functions = [value, *([slope] if callable(jac) else []), *active]
    if not needs_rule(limits) and not any(is_recorded(f(wrap(point.copy()))) for f in functions):
        return report
    x = _stationary(slope, point, limits, active, pressed=pressed)
    report.x, report.fun = x.reshape(shape), value(x)
    return guarded(report, "scipy.optimize.minimize")


def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Report of a search for the minimum of a function of one variable; as in `minimize`."""
    fun = in_graph(fun)
    args = args if isinstance(args, tuple) else (args,)
    report = scipy_object("scipy.optimize.minimize_scalar")(
        on_plain(fun), plain(bracket), plain(bounds), args, method, tol, options
    )
    if not is_grad_enabled():
        return report
    point = np.array([report.x], dtype=float)
    limits = _limits([bounds] if bounds is not None else None, 1)
    if not needs_rule(limits) and not is_recorded(fun(wrap(point.copy())[0], *args)):
        return report
    x = _stationary(lambda x: gradient(lambda y: fun(y[0], *args), x), point, limits, [])
    report.x, report.fun = x[0], fun(x[0], *args)
    return report


def _searched(name: str, func: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Report of a global search, whose minimum is a stationary point as any other."""
    func = in_graph(func)
    local = options.get("minimizer_kwargs") or {}
    held = options.pop("args", ()) or local.get("args", ())
    args = held if isinstance(held, tuple) else (held,)
    passed = {"args": args} if args and name != "basinhopping" else {}
    constraints = options.pop("constraints", ())
    if constraints:
        passed["constraints"] = tuple(_plain_constraints(constraints))
    first = plain_bounds(given[0]) if name != "basinhopping" else plain(given[0])
    report = scipy_object(f"scipy.optimize.{name}")(
        on_plain(func), first, **passed, **_plain_options(options)
    )
    if not is_grad_enabled():
        return report

    def value(x: Any) -> Any:
        return func(x, *args)

    point = np.array(report.x, dtype=float)
    if is_recorded(value(wrap(point.copy()))):
        limits = _limits(local.get("bounds") if name == "basinhopping" else given[0], point.size)
        active, pressed = _active_constraints(
            constraints, point, point.shape, lambda x: gradient(value, x), limits
        )
        whole = np.broadcast_to(plain(options.get("integrality")) or False, point.shape)
        x = _stationary(lambda x: gradient(value, x), point, limits, active, whole, pressed)
        report.x, report.fun = x, value(x)
        return guarded(report, f"scipy.optimize.{name}")
    return report


def _plain_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options with functions as SciPy calls them; those of the local search in their dictionary."""
    out = {}
    for name, value in options.items():
        if isinstance(value, FunctionType):
            out[name] = on_plain(in_graph(value))
        elif isinstance(value, dict):
            out[name] = _plain_options(value)
        elif name == "bounds":
            out[name] = plain_bounds(value)
        else:
            out[name] = plain(value)
    return out


def differential_evolution(
    func: Any, bounds: Any, args: Any = (), *more: Any, **options: Any
) -> Any:
    """Report of a global search; derivatives of its minimum as in `minimize`."""
    options = by_name("scipy.optimize.differential_evolution", 3, more, options)
    return _searched("differential_evolution", func, (bounds,), {"args": args, **options})


def dual_annealing(func: Any, bounds: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """Report of a global search; derivatives of its minimum as in `minimize`."""
    options = by_name("scipy.optimize.dual_annealing", 3, more, options)
    return _searched("dual_annealing", func, (bounds,), {"args": args, **options})


def basinhopping(func: Any, x0: Any, *more: Any, **options: Any) -> Any:
    """Report of a global search; derivatives of its minimum as in `minimize`."""
    options = by_name("scipy.optimize.basinhopping", 2, more, options)
    return _searched("basinhopping", func, (x0,), options)


# -- SciPy's objects for bounds and constraints, which may hold tensors ----------------------------


def _numbers(x: Any) -> Any:
    return xp.asarray(x, dtype=float) if isinstance(x, list | tuple) else x


def Bounds(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    """SciPy's object for bounds, which may carry gradients."""
    return scipy_object("scipy.optimize.Bounds")(_numbers(lb), _numbers(ub), keep_feasible)


def LinearConstraint(
    A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False
) -> Any:
    """SciPy's object for lb <= A @ x <= ub, all three of which may carry gradients."""
    made = scipy_object("scipy.optimize.LinearConstraint")
    return made(*map(_numbers, (A, lb, ub)), keep_feasible)


def NonlinearConstraint(fun: Any, lb: Any, ub: Any, *args: Any, **options: Any) -> Any:
    """SciPy's object for lb <= fun(x) <= ub, where all may carry gradients."""
    options = plain(options)
    made = scipy_object("scipy.optimize.NonlinearConstraint")
    return made(fun, _numbers(lb), _numbers(ub), *args, **options)


# -- bounds ----------------------------------------------------------------------------------------


def plain_bounds(bounds: Any) -> Any:
    """Bounds as SciPy takes them, which may be an object."""
    if hasattr(bounds, "lb"):
        return type(bounds)(plain(bounds.lb), plain(bounds.ub), bounds.keep_feasible)
    return plain(list(bounds)) if isinstance(bounds, list | tuple | zip) else plain(bounds)


def _limits(bounds: Any, n: int) -> Any:
    """Lower and upper bounds as lists of n numbers or tensors; None where there is none."""
    if bounds is None:
        return None
    if hasattr(bounds, "lb"):
        ends = (xp.asarray(b, dtype=float) for b in (bounds.lb, bounds.ub))
        lows, highs = (xp.broadcast_to(b, (n,)) for b in ends)
        return list(lows), list(highs)
    pairs = list(bounds)
    return [low for low, _ in pairs], [high for _, high in pairs]


def _at_bound(x: float, bound: Any) -> bool:
    limit = plain(bound)
    return bound is not None and bool(np.isfinite(limit) and abs(x - limit) <= 1e-7 * (1 + abs(x)))


def _is_pressed(slope: Any, point: Any, i: int, bound: Any, force: Any) -> bool:
    """Whether a search that never reaches a bound ends beside it, with the minimum beyond."""
    if bound is None or not force[i] or not np.isfinite(plain(bound)):
        return False
    gap = plain(bound) - point[i]
    if abs(gap) > _NEAR * (1 + abs(point[i])):
        return False
    curvature = plain(jacobian(slope, wrap(point.copy())))[i, i]
    return bool(curvature <= 0 or abs(force[i] / curvature) > abs(gap))


# How far from its bounds and constraints a search may end that approaches them from inside.
_NEAR = 1e-3


def _stationary(
    slope: Callable[[Any], Any], point: Any, limits: Any, active: list[Callable[[Any], Any]],
    whole_numbers: Any = (), pressed: dict[int, Any] | None = None,
) -> Any:  # fmt: skip
    """The minimum near `point` with its derivatives; some unknowns may be whole numbers."""
    held: dict[int, Any] = dict(pressed or {})
    held |= {int(i): point[i] for i in np.flatnonzero(whole_numbers)}
    if limits is not None:
        force = plain(slope(wrap(point.copy())))
        for i, (low, high) in enumerate(zip(*limits, strict=True)):
            if i in held:
                continue
            if _at_bound(point[i], low) and (force[i] > 0 or active):
                held[i] = low
            elif _at_bound(point[i], high) and (force[i] < 0 or active):
                held[i] = high
            elif not active and _is_pressed(slope, point, i, low if force[i] > 0 else high, force):
                held[i] = low if force[i] > 0 else high
    free = np.array([i for i in range(point.size) if i not in held], dtype=int)
    fixed = [held[i] + 0.0 * point[i] if i in held else point[i] for i in range(point.size)]
    base = xp.asarray(fixed) if needs_rule(fixed) else wrap(point.copy())

    def whole(z: Any) -> Any:
        if not held:
            return z[: free.size]
        x = xp.array(base)
        x[free] = z[: free.size]
        return x

    if not active:
        if not free.size:
            return base
        return whole(
            solution(lambda z: slope(whole(z))[free], point[free], "scipy.optimize.minimize")
        )
    return _constrained(slope, whole, point, free, active)


# What a NonlinearConstraint of SciPy holds besides its functions.
_OPTIONS = ("keep_feasible", "finite_diff_rel_step", "finite_diff_jac_sparsity")

# -- constraints -----------------------------------------------------------------------------------


def _listed(constraints: Any) -> list[Any]:
    return list(constraints) if isinstance(constraints, list | tuple) else [constraints]


def _plain_constraints(constraints: Any) -> Any:
    def converted(c: Any) -> Any:
        if hasattr(c, "A"):
            return type(c)(plain(c.A), plain(c.lb), plain(c.ub), c.keep_feasible)
        if not isinstance(c, dict):
            options = {k: getattr(c, k) for k in _OPTIONS if hasattr(c, k)}
            slopes = {k: on_plain(in_graph(getattr(c, k))) for k in ("jac", "hess")}
            return type(c)(on_plain(in_graph(c.fun)), plain(c.lb), plain(c.ub), **slopes, **options)
        return {k: on_plain(in_graph(v)) if callable(v) else v for k, v in c.items()}

    return [converted(c) for c in _listed(constraints)]


def _held(function: Any, args: Any, shape: Any) -> Callable[[Any], Any]:
    """A constraint as a function of the vector of unknowns."""
    return lambda x: vector(function(x.reshape(shape), *args))


class _Sides:
    """Functions that are zero (equalities) or not negative at the solution."""

    def __init__(self, function: Callable[[Any], Any], value: Any, equal: Any) -> None:
        self.function, self.value, self.equal = function, value, equal
        self.tight = equal | (np.abs(value) <= 1e-7)


def _active_constraints(
    constraints: Any, point: Any, shape: Any, slope: Callable[[Any], Any], limits: Any
) -> tuple[list[Callable[[Any], Any]], dict[int, Any]]:
    """Functions that are held at zero (equalities, tight inequalities), and unknowns at bounds."""
    sides: list[_Sides] = []
    for c in _listed(constraints):
        if not isinstance(c, dict):
            sides.extend(_of_limits(c, point, shape))
            continue
        held = _held(in_graph(c["fun"]), c.get("args", ()), shape)
        value = plain(held(wrap(point.copy())))
        sides.append(_Sides(held, value, np.full(value.shape, c["type"] == "eq")))
    pressed = _find_pressed(sides, point, slope, limits) if sides else {}
    active = [_part(s.function, np.flatnonzero(s.tight)) for s in sides if s.tight.any()]
    return active, pressed


def _find_pressed(
    sides: list[_Sides], point: Any, slope: Callable[[Any], Any], limits: Any
) -> dict[int, Any]:
    """What a search from inside came near to, and what holds against the slope.

    Such constraints are noted as tight; the unknowns at such bounds are returned with these.
    """
    reach = _NEAR * (1 + np.abs(point).max())
    near = [~s.tight & (np.abs(s.value) <= reach) for s in sides]
    ends = [] if limits is None else [
        (i, sign, end)
        for sign, bounds in zip((1, -1), limits, strict=True) for i, end in enumerate(bounds)
        if end is not None and abs(point[i] - plain(end)) <= reach
    ]  # fmt: skip
    if not any(n.any() for n in near) and all(_at_bound(point[i], end) for i, _, end in ends):
        return {}
    rows, places = [], []
    for s, n in zip(sides, near, strict=True):
        matrix = plain(jacobian(s.function, wrap(point.copy())))
        for i in np.flatnonzero(n | s.tight):
            for sign in (1, -1) if s.equal[i] else (1,):  # equalities hold in both directions
                rows.append(sign * matrix[i])
                places.append((s, i))
    rows += [sign * np.eye(point.size)[i] for i, sign, _ in ends]
    force = plain(slope(wrap(point.copy())))
    multipliers = scipy_object("scipy.optimize.nnls")(np.array(rows).T, force)[0]
    strong = multipliers > 1e-6 * np.abs(force).max()
    for (s, i), holds in zip(places, strong, strict=False):
        s.tight[i] |= holds
    return {i: end for (i, _, end), holds in zip(ends, strong[len(places) :], strict=True) if holds}


def _of_limits(c: Any, point: Any, shape: Any) -> list[_Sides]:
    """Both sides of a LinearConstraint or NonlinearConstraint."""
    if hasattr(c, "A"):
        held = _held(lambda x: xp.asarray(c.A, dtype=float) @ x, (), shape)
    else:
        held = _held(in_graph(c.fun), (), shape)
    value = plain(held(wrap(point.copy())))
    lows, highs = (xp.broadcast_to(xp.asarray(e, dtype=float), value.shape) for e in (c.lb, c.ub))
    equal = plain(lows) == plain(highs)
    found = []
    for sign, limit in ((1, lows), (-1, highs)):
        slack = sign * (value - plain(limit))
        if sign < 0:  # an equality counts once
            slack = np.where(equal, np.inf, slack)
        finite = np.isfinite(plain(limit))
        slack = np.where(finite, slack, np.inf)
        found.append(_Sides(_difference(held, limit, sign), slack, equal & (sign > 0)))
    return found


def _difference(function: Callable[[Any], Any], limit: Any, sign: int) -> Callable[[Any], Any]:
    return lambda x: sign * (function(x) - limit)


def _part(function: Callable[[Any], Any], index: Any) -> Callable[[Any], Any]:
    return lambda x: function(x)[index]


def _constrained(slope: Any, whole: Any, point: Any, free: Any, active: Any) -> Any:
    """Solve slope(x) = multipliers @ dc/dx, c(x) = 0 for x and the multipliers together."""

    def held(z: Any) -> Any:
        return xp.concatenate([c(whole(z)) for c in active])

    start = wrap(point[free])
    matrix = plain(jacobian(held, start))
    force = plain(slope(whole(start)))[free]
    multipliers = np.linalg.lstsq(matrix.T, force, rcond=None)[0]

    def residual(z: Any) -> Any:
        pull = jacobian(held, z[: free.size], recorded=True)
        return xp.concatenate((slope(whole(z))[free] - z[free.size :] @ pull, held(z)))

    z = solution(residual, np.concatenate((point[free], multipliers)), "scipy.optimize.minimize")
    return whole(z)
