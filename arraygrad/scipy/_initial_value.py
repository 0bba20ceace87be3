"""Differential equations: SciPy solves them, its steps on tensors are differentiated.

Values are SciPy's. The derivative is that of a discrete solution over SciPy's own steps: the very
method where that is explicit, else Radau's of order 9, which is closer to the solution than any
multistep method with the same steps. So it is about as accurate as the solution, or more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._errors import GradientError
from .._graph import grad_mode
from . import _trajectory
from ._implicit import in_graph, is_recorded, on_plain, solution, vector
from ._rule import is_grad_enabled, is_tracked, plain, policed, refuse, scipy_object, tensors, xp
from ._slopes import Slopes, widened
from ._stepwise import explicit, explicit_steps, replayed, scaled

_EXPLICIT = ("RK23", "RK45", "DOP853")
# How many slopes of SciPy's are kept to see whether points can be taken together.
_SEEN = 4096
# Most numbers in the Jacobians of all stages.
_ROOM = 2**24


@policed
def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Report of an initial value problem's solution; its ``y`` (and ``t``) have derivatives.

    Notes
    -----
    The derivative by y0, by what fun depends on (args, variables of closures), and by the times is
    that of a discrete solution over SciPy's own steps: with RK23, RK45 and DOP853 the same method
    (whose choice of steps has no derivative), with Radau, BDF and LSODA Radau's method of order 9.
    Its error is about that of the values, which `rtol` and `atol` control. It is exact up to the
    third order. Slopes at all points come from one call of fun with arrays of times (m,) and of
    states (n, m), if that gives what SciPy got point by point; else points are taken one by one.
    """
    fun = in_graph(fun)
    args = () if args is None else tuple(args)

    def rhs(t: Any, y: Any) -> Any:
        out = fun(t, y[:, None], *args) if vectorized else fun(t, y, *args)
        return vector(out)

    start = [float(plain(t)) for t in t_span]
    times = None if t_eval is None else np.asarray(plain(t_eval), dtype=float)
    name = method if isinstance(method, str) else method.__name__
    passed = {k: on_plain(in_graph(v)) if callable(v) else plain(v) for k, v in options.items()}
    state = vector(y0)
    wanted = is_grad_enabled() and (
        is_tracked((state, t_span, t_eval)) or is_recorded(rhs(start[0], wrap(plain(state).copy())))
    )
    seen = _Seen(on_plain(fun))
    steps_wanted = wanted and (times is not None or name not in _EXPLICIT)
    report = scipy_object("scipy.integrate.solve_ivp")(
        seen if wanted else seen.fun, start, np.atleast_1d(plain(y0)), method, times,
        dense_output or steps_wanted, _plain_events(events), vectorized, args or None, **passed,
    )  # fmt: skip
    if not wanted:
        return _wrapped(report)
    if not report.success:
        raise GradientError(f"scipy.integrate.solve_ivp found no solution: {report.message}")
    if report.status == 1 and is_tracked(tuple(t_span)):
        raise refuse("scipy.integrate.solve_ivp", "by the span that an event ends",
                     "give t_span without gradients")  # fmt: skip

    def value(t: Any, y: Any) -> Any:
        return seen.fun(t, y[:, None] if vectorized else y, *args)

    wide = widened(fun)
    slopes = Slopes(rhs, lambda t, y: wide(y.shape[1])(t, y, *args), value, seen.points)
    tolerances = plain(options.get("rtol", 1e-3)), plain(options.get("atol", 1e-6))
    at = _solved(name, slopes, state, t_span, report, tolerances)
    outputs = report.t if t_eval is None else t_eval[: len(report.t)]
    if t_eval is None and is_tracked(tuple(t_span)):
        outputs = scaled(report.t, t_span)
    if not dense_output:
        report.sol = None
    if events is not None:
        listed = events if isinstance(events, list | tuple) else [events]
        _met(report, [in_graph(e) for e in listed], args, at)
        if report.status == 1 and t_eval is None:  # the last event ends the solution
            found = (t[-1] for t in report.t_events if len(t))
            last = max(found, key=lambda t: abs(plain(t) - start[0]))
            outputs = xp.concatenate((report.t[:-1], last[None]))
    y = at(outputs)
    report.t = xp.asarray(outputs)
    report.y = y + (report.y - plain(y))
    if dense_output:
        report.sol = DenseSolution(report.sol, at)
    return report


class _Seen:
    """A function that SciPy calls, and some of the points where it did."""

    def __init__(self, fun: Any) -> None:
        self.fun = fun
        self.points: list[tuple[Any, Any, Any]] = []
        self._every, self._calls = 1, 0

    def note(self, t: Any, y: Any, slope: Any) -> None:
        """Keep a time, a state and the slope there."""
        self._calls += 1
        if self._calls % self._every or np.size(y) != np.size(slope):
            return
        self.points.append((float(t), np.array(y).reshape(-1), np.array(slope).reshape(-1)))
        if len(self.points) > _SEEN:
            del self.points[::2]
            self._every *= 2

    def __call__(self, t: Any, y: Any, *args: Any) -> Any:
        out = self.fun(t, y, *args)
        if np.ndim(y) < 2 or np.shape(y)[1] == 1:
            self.note(t, y, out)
        return out


def _solved(
    name: str, slopes: Any, state: Any, t_span: Any, report: Any, tolerances: Any
) -> Callable[[Any], Any]:
    """The solution at times, as tensors, from SciPy's report and its steps."""
    sol = report.sol
    knots = report.t if sol is None else sol.ts
    kept: list[Any] = []

    def one_by_one(times: Any) -> Any:
        if name in _EXPLICIT:
            return explicit(name, slopes.rhs, state, scaled(knots, t_span), times)
        rtol, atol = tolerances
        stiff = name in ("Radau", "BDF")
        return replayed(slopes.rhs, state, t_span, times, rtol, atol, stiff)

    if plain(state).dtype.kind == "c" or (np.diff(knots) == 0).any():
        return one_by_one
    if name not in _EXPLICIT:
        return _by_collocation(slopes, state, t_span, sol, tolerances, one_by_one)
    fits = 16 * len(knots) * state.shape[0] ** 2 <= _ROOM
    if not fits or not slopes.together:
        return one_by_one
    states = report.y if sol is None else sol(knots)

    def at(times: Any) -> Any:
        dense = is_tracked(times) or not np.isin(plain(times), knots).all()
        if not kept or (dense and not kept[0].dense):
            made = _trajectory.by_explicit_steps(
                slopes, name, scaled(knots, t_span), states, state, dense
            )
            kept[:] = [made]
        return kept[0](times)

    return at


def _by_collocation(
    slopes: Any, state: Any, t_span: Any, sol: Any, tolerances: Any,
    otherwise: Callable[[Any], Any],
) -> Callable[[Any], Any]:  # fmt: skip
    """The solution at times by collocation over SciPy's steps; `otherwise` where that fails."""
    kept: list[Any] = []

    def at(times: Any) -> Any:
        if not kept:
            kept.append(_collocated(slopes, state, t_span, sol, tolerances) or otherwise)
        return kept[0](times)

    return at


# Points of which one call each is recorded, rather than those of an explicit method's steps.
_FEW = 200


def _collocated(
    slopes: Any, state: Any, t_span: Any, sol: Any, tolerances: Any
) -> Callable[[Any], Any] | None:
    """The solution by the longest steps that memory asks for, if it is SciPy's; None if not."""
    knots = sol.ts
    if not slopes.together and len(knots) > _FEW:
        # Each point costs one call: explicit steps of high order are fewer, if they are stable.
        steps = explicit_steps(slopes.value, knots, plain(state), tolerances, len(knots) // 4)
        if steps is not None:
            return lambda times: explicit("DOP853", slopes.rhs, state, scaled(steps, t_span), times)
    for every in (1, 2, 4) if slopes.together else (2, 1):
        chosen = np.unique(np.append(np.arange(0, len(knots), every), len(knots) - 1))
        stages = _trajectory.stages_that_fit(len(chosen), state.shape[0])
        if stages:
            moving = scaled(knots[chosen], t_span)
            made = _trajectory.by_collocation(slopes, stages, moving, sol, state)
            if made is not None and (every == 1 or _is_near(made, sol, tolerances)):
                return made
    return None


def _is_near(made: Any, sol: Any, tolerances: Any) -> bool:
    """Whether a solution over longer steps is SciPy's, up to some times its tolerance."""
    expected = sol(sol.ts)
    bound = tolerances[0] * np.abs(expected).max(axis=1, keepdims=True) + np.reshape(
        tolerances[1], (-1, 1)
    )
    with grad_mode(False):
        return bool((np.abs(plain(made(sol.ts)) - expected) <= 100 * bound).all())


def _met(report: Any, events: list[Any], args: Any, at: Any) -> None:
    """Times and states of events: implicit functions of what the solution depends on."""
    for i, event in enumerate(events):
        found = report.t_events[i]
        if not len(found):
            continue

        def rest(times: Any, event: Any = event) -> Any:
            y = at(times)
            return xp.stack([xp.asarray(event(times[j], y[:, j], *args)).reshape(())
                             for j in range(times.shape[0])])  # fmt: skip

        times = solution(rest, found, "scipy.integrate.solve_ivp")
        y = xp.swapaxes(at(times), 0, 1)
        report.t_events[i] = times
        report.y_events[i] = y + (report.y_events[i] - plain(y))


class DenseSolution:
    """The solution between the steps; differentiable in time and in what the solution depends on.

    Stands for ``scipy.integrate.OdeSolution``.
    """

    def __init__(self, real: Any, at: Callable[[Any], Any]) -> None:
        self._real = real
        self._at = at

    def __call__(self, t: Any) -> Any:
        times = xp.atleast_1d(xp.asarray(t, dtype=float))
        values = plain(times)
        order = np.argsort(values if self._real.ts[-1] >= self._real.ts[0] else -values)
        y = self._at(times[order])[:, np.argsort(order)]
        y = y + (self._real(values) - plain(y))
        return y if np.ndim(plain(t)) else y[:, 0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _wrapped(report: Any) -> Any:
    report.t, report.y = tensors(report.t), tensors(report.y)
    return report


def _plain_events(events: Any) -> Any:
    if events is None or not isinstance(events, list | tuple):
        return None if events is None else _plain_event(events)
    return [_plain_event(event) for event in events]


def _plain_event(event: Any) -> Any:
    called = on_plain(in_graph(event))
    for name in ("terminal", "direction"):
        if hasattr(event, name):
            setattr(called, name, getattr(event, name))
    return called


def odeint(
    func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: int = 0,
    full_output: int = 0, ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None,
    tcrit: Any = None, h0: float = 0.0, hmax: float = 0.0, hmin: float = 0.0, ixpr: int = 0,
    mxstep: int = 0, mxhnil: int = 0, mxordn: int = 12, mxords: int = 5, printmessg: int = 0,
    tfirst: bool = False,
) -> Any:  # fmt: skip
    """Solution of an initial value problem at the times t, shape (len(t), len(y0)).

    Notes
    -----
    Derivative by y0, by what func depends on (args, variables of closures), and by t: as that of
    LSODA's solution in `solve_ivp`, with the same tolerances.
    """
    func = in_graph(func)
    args = args if isinstance(args, tuple) else (args,)

    def rhs(time: Any, y: Any) -> Any:
        return vector(func(time, y, *args) if tfirst else func(y, time, *args))

    times = np.asarray(plain(t), dtype=float)
    state = vector(y0)
    wanted = is_grad_enabled() and (
        is_tracked((state, t)) or is_recorded(rhs(times[0], wrap(plain(state).copy())))
    )
    called = on_plain(func)
    seen = _Seen(called)

    def value_at(time: Any, y: Any) -> Any:
        return called(time, y, *args) if tfirst else called(y, time, *args)

    def noted(first: Any, second: Any, *more: Any) -> Any:
        out = called(first, second, *more)
        seen.note(*((first, second) if tfirst else (second, first)), out)
        return out

    found = scipy_object("scipy.integrate.odeint")(
        noted if wanted else called, plain(y0), times, args, on_plain(in_graph(Dfun)), col_deriv,
        full_output, ml, mu, rtol, atol, tcrit, h0, hmax, hmin, ixpr, mxstep, mxhnil, mxordn,
        mxords, printmessg, tfirst,
    )  # fmt: skip
    value, *report = found if full_output else (found,)
    if not wanted:
        out = tensors(value)
    else:
        tolerance = (1.49012e-8 if rtol is None else plain(rtol),
                     1.49012e-8 if atol is None else plain(atol))  # fmt: skip
        wide = widened(func)

        def columns(s: Any, y: Any) -> Any:
            f = wide(y.shape[1])
            return f(s, y, *args) if tfirst else f(y, s, *args)

        slopes = Slopes(rhs, columns, value_at, seen.points)
        at = _at_times(slopes, state, t, tolerance)
        y = xp.swapaxes(at(t), 0, 1)
        out = y + (value - plain(y))
    return (out, *report) if report else out


def _at_times(slopes: Any, state: Any, t: Any, tolerance: Any) -> Callable[[Any], Any]:
    """The solution of `odeint` at times, over the steps that LSODA makes."""
    span = t[0], t[-1]
    ends = [float(plain(end)) for end in span]

    def one_by_one(times: Any) -> Any:
        return replayed(slopes.rhs, state, span, times, *tolerance)

    if plain(state).dtype.kind == "c" or ends[0] == ends[1]:
        return one_by_one
    report = scipy_object("scipy.integrate.solve_ivp")(
        slopes.value, ends, plain(state), "LSODA", dense_output=True,
        rtol=max(float(np.min(tolerance[0])), 1e-13), atol=tolerance[1],
    )  # fmt: skip
    if not report.success:
        return one_by_one
    return _by_collocation(slopes, state, span, report.sol, tolerance, one_by_one)
