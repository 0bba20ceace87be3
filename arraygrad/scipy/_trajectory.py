"""All steps of a differential equation's solution at once, on tensors.

A Runge-Kutta method states its stages by Y[i, s] = y[i] + h[i] sum_j A[s, j] f(t[i, j], Y[i, j]),
with y[i + 1] one of the stages of step i. The values of the stages come from SciPy's solution.
Newton's step x <- x - M^-1 r(x) on tensors, with r what these equations leave and M its Jacobian at
the values, makes one order of derivative by whatever f depends on exact. The slopes of all stages
are one call of f on columns where f allows that, and M^-1 is one pass over the steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._graph import is_grad_enabled
from .._op import Linear, Rule
from ._implicit import ORDERS
from ._rule import is_tracked, plain, primitive_op, scipy_object, xp
from ._slopes import Slopes

# -- methods ---------------------------------------------------------------------------------------


class Tableau:
    """Coefficients of a method whose step ends at one of its stages.

    Parameters
    ----------
    A, c : ndarray
        Weights of the slopes in each stage, and the places of the stages within the step.
    end : int
        The stage that is the step's result.
    name : str
        SciPy's explicit method, or "collocation".
    """

    def __init__(self, A: Any, c: Any, end: int, name: str, dense: bool = True) -> None:
        self.A, self.c, self.end, self.name = A, c, end, name
        self.dense = dense
        self.explicit = name != "collocation"


def explicit_tableau(name: str, dense: bool) -> Tableau:
    """The tableau of one of SciPy's explicit methods; `dense`: with the interpolant's stages."""
    solver = scipy_object(f"scipy.integrate.{name}")
    stages = len(solver.B)
    extra = solver.A_EXTRA if dense and name == "DOP853" else np.zeros((0, 0))
    A = np.zeros((stages + 1 + len(extra),) * 2)
    A[:stages, : solver.A.shape[1]] = solver.A[:stages]
    A[stages, :stages] = solver.B
    c = np.concatenate((solver.C[:stages], [1.0]))
    if len(extra):
        A[stages + 1 :, : extra.shape[1]] = extra
        c = np.concatenate((c, solver.C_EXTRA))
    return Tableau(A, c, stages, name, dense or name != "DOP853")


@functools.cache
def collocation(stages: int) -> Tableau:
    """Radau's method with so many stages, of order 2 stages - 1."""
    legendre = np.polynomial.legendre
    difference = np.zeros(stages + 1)
    difference[stages], difference[stages - 1] = 1.0, -1.0
    c = (np.sort(legendre.legroots(difference).real) + 1) / 2
    c[-1] = 1.0
    powers = np.arange(stages)
    A = (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)
    return Tableau(A, c, stages - 1, "collocation")


# -- the linear equations of all stages ------------------------------------------------------------


class Sweep:
    """M^-1 r and M^-T g, where M is the Jacobian of the equations of all stages.

    Parameters
    ----------
    tableau : Tableau
    h : ndarray, shape (steps,)
    jacobians : ndarray, shape (steps, stages, n, n)
        Those of the slopes.
    """

    def __init__(self, tableau: Tableau, h: Any, jacobians: Any) -> None:
        self._A, self._end, self._explicit = tableau.A, tableau.end, tableau.explicit
        self._J = h[:, None, None, None] * jacobians
        steps, stages, n, _ = self._shape = jacobians.shape
        if not tableau.explicit:
            blocks = -np.einsum("sj,ijkl->iskjl", tableau.A, self._J)
            blocks = blocks.reshape(steps, stages * n, stages * n)
            blocks[:, np.arange(stages * n), np.arange(stages * n)] += 1
            self._inverse = np.linalg.inv(blocks)
        start = np.broadcast_to(np.eye(n), (steps, stages, n, n))
        self._transition = self._stages(start)[:, self._end]

    def _stages(self, r: Any) -> Any:
        """Solve each step's own equations; r: (steps, stages, n, columns)."""
        if not self._explicit:
            steps, stages, n, columns = r.shape
            return (self._inverse @ r.reshape(steps, stages * n, columns)).reshape(r.shape)
        out = np.array(r)
        slopes = np.zeros_like(out)
        for s in range(r.shape[1]):
            if s:
                out[:, s] += np.einsum("j,ijkl->ikl", self._A[s, :s], slopes[:, :s])
            np.matmul(self._J[:, s], out[:, s], out=slopes[:, s])
        return out

    def _stages_transposed(self, g: Any) -> Any:
        if not self._explicit:
            steps, stages, n, _ = g.shape
            transposed = np.swapaxes(self._inverse, 1, 2)
            return (transposed @ g.reshape(steps, stages * n, 1)).reshape(g.shape)
        out = np.array(g)
        for s in range(g.shape[1] - 2, -1, -1):
            weighted = np.einsum("j,ijkl->ikl", self._A[s + 1 :, s], out[:, s + 1 :])
            out[:, s] += np.swapaxes(self._J[:, s], 1, 2) @ weighted
        return out

    def forward(self, r: Any) -> Any:
        """M^-1 r, shape (steps, stages, n)."""
        r = r[..., None]
        ends = self._stages(r)[:, self._end, :, 0]
        moved = np.zeros_like(ends)
        for i in range(len(ends) - 1):
            moved[i + 1] = self._transition[i] @ moved[i] + ends[i]
        return self._stages(r + moved[:, None, :, None])[..., 0]

    def backward(self, g: Any) -> Any:
        """M^-T g, shape (steps, stages, n)."""
        starts = self._stages_transposed(g[..., None])[..., 0].sum(axis=1)
        arriving = np.zeros_like(starts)
        for i in range(len(starts) - 1, 0, -1):
            arriving[i - 1] = arriving[i] @ self._transition[i] + starts[i]
        g = np.array(g)
        g[:, self._end] += arriving
        return self._stages_transposed(g[..., None])[..., 0]


_forward: Callable[..., Any] = primitive_op(
    "integrate.sweep",
    ("r",),
    Linear(r=lambda g, sweep: _backward(g, sweep=sweep)),
    lambda r, *, sweep: sweep.forward(r),
)
_backward: Callable[..., Any] = primitive_op(
    "integrate.sweep_transposed",
    ("r",),
    Linear(r=lambda g, sweep: _forward(g, sweep=sweep)),
    lambda r, *, sweep: sweep.backward(r),
)
# The difference of two values that have the same first derivative, which is zero.
_without_slope: Callable[..., Any] = primitive_op(
    "integrate.without_slope",
    ("x",),
    Rule(
        x=lambda g: _without_slope(g) if is_grad_enabled() else None,
        jvp=lambda t: _without_slope(t[0]) if is_grad_enabled() else None,
    ),
    np.array,
)

# -- solutions -------------------------------------------------------------------------------------


class Trajectory:
    """A solution as its stages, which carry the derivatives.

    Parameters
    ----------
    slopes : Slopes
    tableau : Tableau
    knots : ndarray or Tensor, shape (steps + 1,)
        Ends of the steps.
    start : Tensor, shape (n,)
    stages : ndarray, shape (steps, stages, n)
        Values.
    sweep : Sweep
        Of the Jacobians at the values.
    near : bool
        They are not quite those at the values: the first derivative takes two steps.
    """

    def __init__(
        self, slopes: Slopes, tableau: Tableau, knots: Any, start: Any, stages: Any, sweep: Sweep,
        near: bool = False,
    ) -> None:  # fmt: skip
        self.tableau = tableau
        self.dense = tableau.dense
        self._knots = xp.asarray(knots)
        self._values = plain(self._knots)
        self._h = self._knots[1:] - self._knots[:-1]
        times = self._knots[:-1, None] + tableau.c * self._h[:, None]
        self._slopes, self._times, self._start = slopes, times.reshape(-1), start
        found = xp.asarray(stages)
        for _ in range(2 if near else 1):
            found = found - _forward(self._left(found), sweep=sweep)
        first = found
        total: Any = 0.0
        for _ in range(ORDERS - 1):
            better = found - _forward(self._left(found), sweep=sweep)
            total = total + (better - found)
            found = better
        self._stages = first + _without_slope(total)
        self._starts = xp.concatenate((start[None], self._stages[:-1, tableau.end]))

    def _at_stages(self, stages: Any) -> Any:
        return self._slopes(self._times, stages.reshape((-1, stages.shape[2]))).reshape(
            stages.shape
        )

    def _left(self, stages: Any) -> Any:
        """What the equations of the stages leave."""
        slopes = self._at_stages(stages)
        starts = xp.concatenate((self._start[None], stages[:-1, self.tableau.end]))
        return stages - starts[:, None] - self._h[:, None, None] * (self.tableau.A @ slopes)

    @functools.cached_property
    def _stage_slopes(self) -> Any:
        return self._at_stages(self._stages)

    def at_knots(self) -> Any:
        """The solution at the ends of the steps, shape (n, steps + 1)."""
        return xp.concatenate((self._starts, self._stages[-1:, self.tableau.end])).T

    def __call__(self, times: Any) -> Any:
        """The solution at times, by the method's interpolant, shape (n, times)."""
        wanted = np.asarray(plain(times), dtype=float)
        knots = self._values
        sign = 1.0 if knots[-1] >= knots[0] else -1.0
        i = np.searchsorted(sign * knots, sign * wanted, "left") - 1
        i = np.clip(i, 0, len(knots) - 2)
        if not is_tracked(times) and np.isin(wanted, knots).all():
            return self.at_knots()[:, np.searchsorted(sign * knots, sign * wanted)]
        x = ((times - self._knots[i]) / self._h[i])[:, None]
        y = self._starts[i]
        if not self.tableau.explicit:
            return _polynomial(self.tableau, x, y, self._stages[i]).T
        h, k = self._h[i][:, None], self._stage_slopes[i]
        new = self._stages[i, self.tableau.end]
        return (y + _explicit_interpolant(self.tableau, x, h, new - y, k)).T


def _polynomial(tableau: Tableau, x: Any, y: Any, stages: Any) -> Any:
    """The polynomial through the start of the step and its stages."""
    nodes = np.concatenate(([0.0], tableau.c))
    powers = np.arange(len(nodes))
    weights = x**powers @ np.linalg.inv(nodes[:, None] ** powers)
    return weights[:, :1] * y + (weights[:, None, 1:] @ stages)[:, 0]


def _explicit_interpolant(tableau: Tableau, x: Any, h: Any, delta: Any, k: Any) -> Any:
    """What SciPy's interpolant of an explicit method adds to the start of the step."""
    solver = scipy_object(f"scipy.integrate.{tableau.name}")
    if tableau.name != "DOP853":
        weights = x ** np.arange(1, solver.P.shape[1] + 1) @ solver.P.T
        return h * (weights[:, None, :] @ k[:, : solver.P.shape[0]])[:, 0]
    first, last = k[:, 0], k[:, tableau.end]
    terms = [delta, h * first - delta, 2 * delta - h * (last + first)]
    terms += [h * (row @ k) for row in solver.D]
    out: Any = 0.0
    for j, term in enumerate(reversed(terms)):
        out = (out + term) * (x if j % 2 == 0 else 1 - x)
    return out


def by_explicit_steps(
    slopes: Slopes, name: str, knots: Any, states: Any, start: Any, dense: bool
) -> Trajectory:
    """The steps of one of SciPy's methods from its states at the ends, shape (n, steps + 1)."""
    tableau = explicit_tableau(name, dense)
    values = plain(knots)
    h = np.diff(values)
    stages = np.zeros((len(h), len(tableau.c), len(states)))
    found = np.zeros_like(stages)
    for s, c in enumerate(tableau.c):
        stages[:, s] = states.T[:-1] + h[:, None] * np.einsum(
            "j,ijk->ik", tableau.A[s, :s], found[:, :s]
        )
        if s + 1 < len(tableau.c):
            found[:, s] = slopes.values(values[:-1] + c * h, stages[:, s])
    times = (values[:-1, None] + tableau.c * h[:, None]).reshape(-1)
    jacobians = slopes.jacobians(times, stages.reshape(-1, len(states)))
    sweep = Sweep(tableau, h, jacobians.reshape((*stages.shape, len(states))))
    return Trajectory(slopes, tableau, knots, start, stages, sweep)


# Newton's steps for the stages, and what the last one must be below (relative).
_NEWTON = 12
_CONVERGED = 1e-12
# The relative step after which Jacobians that are taken point by point are kept.
_NEAR = 1e-5
# Most numbers in the matrices of all steps.
_ROOM = 2**23


def stages_that_fit(steps: int, n: int) -> int:
    """How many stages a step has: as many as memory allows; 0 if it does not."""
    for stages in (5, 3):
        if steps * (stages * n) ** 2 <= _ROOM:
            return stages
    return 0


def by_collocation(
    slopes: Slopes, stages: int, knots: Any, guess: Callable[[Any], Any], start: Any
) -> Trajectory | None:
    """Radau's steps of high order over given steps; None if their equations are not solved.

    Parameters
    ----------
    guess : callable
        SciPy's solution at times, shape (n, times).
    """
    tableau = collocation(stages)
    values = plain(knots)
    h = np.diff(values)
    times = (values[:-1, None] + tableau.c * h[:, None]).reshape(-1)
    n = start.shape[0]
    found = np.ascontiguousarray(guess(times).T).reshape(len(h), stages, n)
    first = plain(start)
    scale = np.abs(found).max(axis=(0, 1)) + np.abs(first)
    scale = scale + 1e-10 * scale.max() + 1e-300
    size, kept = np.inf, False
    for _ in range(_NEWTON):
        if not kept:
            jacobians = slopes.jacobians(times, found.reshape(-1, n)).reshape(*found.shape, n)
            sweep = Sweep(tableau, h, jacobians)
        if size <= _CONVERGED:
            near = kept or not slopes.together
            return Trajectory(slopes, tableau, knots, start, found, sweep, near)
        slope = slopes.values(times, found.reshape(-1, n)).reshape(found.shape)
        starts = np.concatenate((first[None], found[:-1, -1]))
        left = found - starts[:, None] - h[:, None, None] * (tableau.A @ slope)
        step = sweep.forward(left)
        found = found - step
        before, size = size, float((np.abs(step) / scale).max())
        if not np.isfinite(size):
            return None
        if size > 1e-10 and size > before:
            return None
        if size <= 1e-9 and size > 0.1 * before:
            size = 0.0  # no more than rounding is left
        # Taken point by point, Jacobians cost more than all the rest.
        kept = not slopes.together and size <= min(_NEAR, 0.1 * before)
    return None
