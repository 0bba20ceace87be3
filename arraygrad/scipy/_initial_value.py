"""Differential equations: SciPy chooses the steps, the same steps on tensors are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._errors import GradientError
from ._implicit import in_graph, is_recorded, on_plain, solution, vector
from ._rule import is_grad_enabled, is_tracked, plain, policed, refuse, scipy_object, tensors, xp

_EXPLICIT = ("RK23", "RK45", "DOP853")
# An explicit method that needs more steps than this meets a stiff problem.
_MANY_STEPS = 1000


@policed
def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Report of an initial value problem's solution; its ``y`` (and ``t``) have derivatives.

    Notes
    -----
    The derivative of the discrete solution by y0, by what fun depends on (args, variables of
    closures), and by the times: with explicit methods the steps that gave the value are repeated on
    tensors; with implicit ones those of Radau's method, each differentiated implicitly.
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
    report = scipy_object("scipy.integrate.solve_ivp")(
        on_plain(fun), start, np.atleast_1d(plain(y0)), method, times, dense_output,
        _plain_events(events), vectorized, args or None, **passed,
    )  # fmt: skip
    if not is_grad_enabled():
        return _wrapped(report)
    state = vector(y0)
    tracked = is_tracked((state, t_span, t_eval))
    if not tracked and not is_recorded(rhs(start[0], wrap(plain(state)))):
        return _wrapped(report)
    if not report.success:
        raise GradientError(f"scipy.integrate.solve_ivp found no solution: {report.message}")
    if report.status == 1 and is_tracked(tuple(t_span)):
        raise refuse("scipy.integrate.solve_ivp", "by the span that an event ends",
                     "give t_span without gradients")  # fmt: skip
    steps = report.t
    if name in _EXPLICIT and t_eval is not None:
        end = start[1]
        if report.status == 1:
            end = max((t[-1] for t in report.t_events if len(t)), key=lambda t: abs(t - start[0]))
        steps = _steps(name, on_plain(rhs), [start[0], end], plain(state), plain(options))
    tolerances = plain(options.get("rtol", 1e-3)), plain(options.get("atol", 1e-6))

    def at(times: Any) -> Any:
        if name in _EXPLICIT:
            return _explicit(name, rhs, state, _scaled(steps, t_span), times)
        return _replayed(rhs, state, t_span, times, *tolerances, stiff=name in ("Radau", "BDF"))

    outputs = report.t if t_eval is None else t_eval[: len(report.t)]
    if t_eval is None and is_tracked(tuple(t_span)):
        outputs = _scaled(report.t, t_span)
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
    Derivative by y0, by what func depends on (args, variables of closures), and by t: that of a
    solution by an explicit method of order 8, or by Radau's where the problem is stiff.
    """
    func = in_graph(func)
    args = args if isinstance(args, tuple) else (args,)

    def rhs(time: Any, y: Any) -> Any:
        return vector(func(time, y, *args) if tfirst else func(y, time, *args))

    times = np.asarray(plain(t), dtype=float)
    found = scipy_object("scipy.integrate.odeint")(
        on_plain(func), plain(y0), times, args, on_plain(in_graph(Dfun)), col_deriv, full_output,
        ml, mu, rtol, atol, tcrit, h0, hmax, hmin, ixpr, mxstep, mxhnil, mxordn, mxords,
        printmessg, tfirst,
    )  # fmt: skip
    value, *report = found if full_output else (found,)
    state = vector(y0)
    if not is_grad_enabled() or (
        not is_tracked((state, t)) and not is_recorded(rhs(times[0], wrap(plain(state).copy())))
    ):
        out = tensors(value)
    else:
        tolerance = 1.5e-8 if rtol is None else plain(rtol)
        y = xp.swapaxes(_replayed(rhs, state, (t[0], t[-1]), t, tolerance, tolerance), 0, 1)
        out = y + (value - plain(y))
    return (out, *report) if report else out


# -- steps -----------------------------------------------------------------------------------------


def _scaled(steps: Any, t_span: Any) -> Any:
    """The times of the steps, moving with the ends of the span."""
    if not is_tracked(tuple(t_span)):
        return steps
    first, last = steps[0], steps[-1]
    return t_span[0] + (t_span[1] - t_span[0]) * ((steps - first) / (last - first))


_SETTINGS = ("rtol", "atol", "max_step", "first_step")


def _steps(
    method: str, rhs: Any, span: Any, y0: Any, options: Any, limit: int | None = None
) -> Any:
    """The times that a solver steps to; None if it needs more than `limit` or fails."""
    solver = scipy_object(f"scipy.integrate.{method}")(
        rhs, span[0], y0, span[1], **{k: v for k, v in options.items() if k in _SETTINGS}
    )
    times = [solver.t]
    while solver.status == "running":
        solver.step()
        times.append(solver.t)
        if limit is not None and len(times) > limit:
            return None
    return np.array(times) if solver.status == "finished" else None


def _replayed(
    rhs: Any, state: Any, t_span: Any, outputs: Any, rtol: Any, atol: Any, stiff: bool = False
) -> Any:
    """Solution at the outputs by steps of our own choice, shape (n, outputs)."""
    times = np.asarray(plain(outputs), dtype=float)
    span = [float(plain(t)) for t in (t_span[0], times[-1])]
    options = {"rtol": max(float(np.min(rtol)) * 0.1, 1e-12), "atol": np.asarray(atol) * 0.1}
    steps = None
    if not stiff:
        steps = _steps("DOP853", on_plain(rhs), span, plain(state), options, _MANY_STEPS)
    if steps is not None:
        return _explicit("DOP853", rhs, state, _scaled(steps, t_span), outputs)
    return _implicit(rhs, state, outputs, t_span[0], options)


# -- explicit Runge-Kutta methods ------------------------------------------------------------------


def _explicit(method: str, rhs: Any, y: Any, steps: Any, outputs: Any) -> Any:
    """Repeat the steps of a method on tensors; dense output at the outputs, shape (n, outputs)."""
    solver = scipy_object(f"scipy.integrate.{method}")
    wanted, knots = np.asarray(plain(outputs), dtype=float), plain(steps)
    sign = 1.0 if knots[-1] >= knots[0] else -1.0
    interval = np.clip(
        np.searchsorted(sign * knots, sign * wanted, "left") - 1, 0, max(len(knots) - 2, 0)
    )
    columns: list[Any] = [y] * len(wanted)
    slope = rhs(steps[0], y)
    for i in range(len(knots) - 1):
        h = steps[i + 1] - steps[i]
        k = [slope]
        for a, c in zip(solver.A[1:], solver.C[1:], strict=True):
            k.append(rhs(steps[i] + c * h, y + h * _combined(k, a)))
        new = y + h * _combined(k, solver.B)
        slope = rhs(steps[i + 1], new)
        k.append(slope)
        dense: Callable[[Any], Any] | None = None
        for j in np.flatnonzero(interval == i):
            if wanted[j] == knots[i + 1] and not is_tracked(outputs):
                columns[j] = new
            elif wanted[j] != knots[0] or is_tracked(outputs):
                dense = dense or _dense(method, solver, rhs, steps[i], h, y, new, k)
                columns[j] = dense((outputs[j] - steps[i]) / h)
        y = new
    return xp.stack(columns, axis=1)


def _combined(k: list[Any], weights: Any) -> Any:
    """Sum of the slopes with their weights, those that are not zero."""
    pairs = [(w, slope) for w, slope in zip(weights, k, strict=False) if w]
    if len(pairs) < 2:
        return float(pairs[0][0]) * pairs[0][1] if pairs else 0.0 * k[0]
    return np.array([w for w, _ in pairs]) @ xp.stack([slope for _, slope in pairs])


def _dense(
    method: str, solver: Any, rhs: Any, t: Any, h: Any, y: Any, new: Any, k: list[Any]
) -> Callable[[Any], Any]:
    """The method's own interpolant within one step, of the fraction of the step."""
    if method != "DOP853":
        powers = [_combined(k, column) for column in solver.P.T]

        def polynomial(x: Any) -> Any:
            out: Any = 0.0
            for coefficient in reversed(powers):
                out = (out + coefficient) * x
            return y + h * out

        return polynomial
    k = list(k)
    for a, c in zip(solver.A_EXTRA, solver.C_EXTRA, strict=True):
        k.append(rhs(t + c * h, y + h * _combined(k, a)))
    delta = new - y
    f_new = k[solver.n_stages]
    terms = [delta, h * k[0] - delta, 2 * delta - h * (f_new + k[0])]
    terms += [h * _combined(k, row) for row in solver.D]

    def interpolant(x: Any) -> Any:
        out: Any = 0.0
        for i, term in enumerate(reversed(terms)):
            out = (out + term) * (x if i % 2 == 0 else 1 - x)
        return y + out

    return interpolant


# -- Radau's method of order 5 ---------------------------------------------------------------------

_ROOT6 = 6**0.5
_RADAU_C = np.array([(4 - _ROOT6) / 10, (4 + _ROOT6) / 10, 1.0])
_RADAU_A = np.array([
    [(88 - 7 * _ROOT6) / 360, (296 - 169 * _ROOT6) / 1800, (-2 + 3 * _ROOT6) / 225],
    [(296 + 169 * _ROOT6) / 1800, (88 + 7 * _ROOT6) / 360, (-2 - 3 * _ROOT6) / 225],
    [(16 - _ROOT6) / 36, (16 + _ROOT6) / 36, 1 / 9],
])  # fmt: skip


def _implicit(rhs: Any, y: Any, outputs: Any, start: Any, options: Any) -> Any:
    """Radau steps that end at each output, differentiated implicitly, shape (n, outputs)."""
    columns = []
    before = start
    plain_rhs = on_plain(rhs)
    for j in range(len(plain(outputs))):
        now = outputs[j]
        span = [float(plain(before)), float(plain(now))]
        if span[0] != span[1]:
            steps = _steps("Radau", plain_rhs, span, plain(y), options)
            if steps is None:
                raise GradientError("the steps of the differential equation became too small")
            steps = _scaled(steps, (before, now))
            for i in range(len(steps) - 1):
                y = _radau_step(rhs, steps[i], steps[i + 1] - steps[i], y)
        columns.append(y)
        before = now
    return xp.stack(columns, axis=1)


def _radau_step(rhs: Any, t: Any, h: Any, y: Any) -> Any:
    n = y.shape[0]

    def residual(z: Any) -> Any:
        stages = z.reshape((3, n))
        slopes = xp.stack([rhs(t + c * h, y + stages[i]) for i, c in enumerate(_RADAU_C)])
        return (stages - h * (_RADAU_A @ slopes)).reshape(-1)

    step = plain(h) * plain(rhs(plain(t), wrap(plain(y).copy())))
    guess = (_RADAU_C[:, None] * step).reshape(-1) * 0.0
    z = solution(residual, guess, "scipy.integrate.solve_ivp", polish=20)
    return y + z[2 * n :]
