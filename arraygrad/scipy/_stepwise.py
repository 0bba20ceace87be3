"""Steps of a differential equation one after the other on tensors: where they do not go together.

So it is for functions that take one state only, for complex ones, and for many unknowns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._errors import GradientError
from ._implicit import on_plain, solution
from ._rule import is_tracked, plain, scipy_object, xp

# An explicit method that needs more steps than this meets a stiff problem.
_MANY_STEPS = 1000


def scaled(steps: Any, t_span: Any) -> Any:
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


def explicit_steps(value: Any, knots: Any, y0: Any, tolerances: Any, limit: int) -> Any:
    """Steps of DOP853 with a tenth of the tolerances; None if it needs more than `limit`."""
    options = _tenth(*tolerances)
    return _steps("DOP853", value, [knots[0], knots[-1]], y0, options, limit)


def _tenth(rtol: Any, atol: Any) -> dict[str, Any]:
    return {"rtol": max(float(np.min(rtol)) * 0.1, 1e-12), "atol": np.asarray(atol) * 0.1}


def replayed(
    rhs: Any, state: Any, t_span: Any, outputs: Any, rtol: Any, atol: Any, stiff: bool = False
) -> Any:
    """Solution at the outputs by steps of our own choice, shape (n, outputs)."""
    times = np.asarray(plain(outputs), dtype=float)
    span = [float(plain(t)) for t in (t_span[0], times[-1])]
    options = _tenth(rtol, atol)
    steps = None
    if not stiff:
        steps = _steps("DOP853", on_plain(rhs), span, plain(state), options, _MANY_STEPS)
    if steps is not None:
        return explicit("DOP853", rhs, state, scaled(steps, t_span), outputs)
    return _implicit(rhs, state, outputs, t_span[0], options)


# -- explicit Runge-Kutta methods ------------------------------------------------------------------


def explicit(method: str, rhs: Any, y: Any, steps: Any, outputs: Any) -> Any:
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
            steps = scaled(steps, (before, now))
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
