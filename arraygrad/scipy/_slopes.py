"""The right-hand side of a differential equation at many points in one call."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._detach import LIFTED_MARK
from .._engine import alias
from ..autograd.modes import enable_grad, no_grad
from ..autograd.reverse import grad
from ._implicit import is_recorded
from ._rule import plain, tensor, xp

# Relative width of central differences.
_WIDTH = float(np.finfo(float).eps) ** (1 / 3)
# So many points one after the other try to share a Jacobian, and its relative error then.
_SHARING = 5
_SHARED = 1e-7


class Slopes:
    """The right-hand side at several times and states, shape (points, n) each.

    Parameters
    ----------
    rhs : callable
        Slope, a vector tensor, at a time and a state.
    columns : callable
        What the user's function returns for times (points,) and states (n, points), see `widened`.
    value : callable
        Plain slope at a time and a state.
    seen : list
        Times, states and slopes that a solver met: where one call on all of them does not give the
        same slopes, the points are taken one by one.
    """

    def __init__(
        self,
        rhs: Callable[..., Any],
        columns: Callable[..., Any],
        value: Callable[..., Any],
        seen: list[Any],
    ) -> None:
        self.rhs, self.value, self._columns = rhs, value, columns
        self.together = len(seen) > 1 and self._agrees(seen)

    def _agrees(self, seen: list[Any]) -> bool:
        times, states, slopes = (np.array(part, dtype=float) for part in zip(*seen, strict=True))
        try:
            with no_grad(), np.errstate(all="ignore"):
                found = plain(self._together(wrap(times), wrap(states)))
        except Exception:  # noqa: BLE001 - the user's function is not made for columns
            return False
        if found.shape != slopes.shape:
            return False
        bound = 1e-9 * np.abs(slopes).max(axis=1, keepdims=True)
        return bool((np.abs(found - slopes) <= bound).all())

    def _together(self, times: Any, states: Any) -> Any:
        out = self._columns(times, states.T)
        if isinstance(out, list | tuple):
            n = states.shape[0]
            out = xp.stack([xp.broadcast_to(tensor(row, "rhs"), (n,)) for row in out])
        return tensor(out, "rhs").T

    def __call__(self, times: Any, states: Any) -> Any:
        if self.together:
            return self._together(times, states)
        return xp.stack([self.rhs(times[i], states[i]) for i in range(states.shape[0])])

    def values(self, times: Any, states: Any) -> Any:
        """Plain slopes."""
        if not self.together:
            each = [self.value(t, y) for t, y in zip(times, states, strict=True)]
            return np.array([np.reshape(slope, -1) for slope in each], dtype=float)
        with no_grad():
            return plain(self(wrap(times.copy()), wrap(states.copy())))

    def jacobians(self, times: Any, states: Any) -> Any:
        """Plain Jacobians, shape (points, n, n); from differences, where taken one by one."""
        found = np.zeros((*states.shape, states.shape[1]))
        if not self.together:
            return self._one_by_one(times, states)
        with enable_grad():
            point = alias(wrap(states.copy()))
            out = self._together(wrap(times.copy()), point)
            for i in range(states.shape[1]):
                row = xp.sum(out[:, i])
                if is_recorded(row):
                    g = grad(row, point, retain_graph=True, allow_unused=True)[0]
                    if g is not None:
                        found[:, i] = plain(g)
        return found

    def _one_by_one(self, times: Any, states: Any) -> Any:
        """Jacobians at points from central differences, or at some of them if that will do."""
        count, n = states.shape
        scale = np.abs(states).max(axis=0)
        widths = _WIDTH * np.maximum(np.abs(states), 1e-3 * scale + 1e-9 * scale.max())
        widths[widths == 0] = _WIDTH

        def changes(points: Any, direction: Any) -> Any:
            width = widths[points] * direction
            at, near = times[points], states[points]
            return 0.5 * (self.values(at, near + width) - self.values(at, near - width))

        every = np.arange(count)
        along = np.random.default_rng(0).normal(size=n)
        wanted = changes(every, along) if count > _SHARING * n else None
        for owners in (0 * every, every // _SHARING * _SHARING) if wanted is not None else ():
            points, place = np.unique(owners, return_inverse=True)
            found = self._differences(points, changes, widths)[place]
            steps = widths * along
            bound = (np.abs(found) @ np.abs(steps)[..., None])[..., 0].max(axis=1, keepdims=True)
            if (np.abs(wanted - (found @ steps[..., None])[..., 0]) <= _SHARED * bound).all():
                return found
        return self._differences(every, changes, widths)

    @staticmethod
    def _differences(points: Any, changes: Callable[..., Any], widths: Any) -> Any:
        columns = [changes(points, unit) / widths[points, i, None]
                   for i, unit in enumerate(np.eye(widths.shape[1]))]  # fmt: skip
        return np.stack(columns, axis=2)


# -- functions that make vectors -------------------------------------------------------------------


class _Wide:
    """NumPy's namespace as a function of columns has it: its vectors have a column per point."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self.points = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def _shape(self, shape: Any) -> Any:
        if isinstance(shape, list | tuple):
            return (*shape, self.points) if len(shape) == 1 else shape
        return (int(shape), self.points)

    def zeros(self, shape: Any, *args: Any, **kwargs: Any) -> Any:
        return self._module.zeros(self._shape(shape), *args, **kwargs)

    def empty(self, shape: Any, *args: Any, **kwargs: Any) -> Any:
        return self._module.empty(self._shape(shape), *args, **kwargs)

    def ones(self, shape: Any, *args: Any, **kwargs: Any) -> Any:
        return self._module.ones(self._shape(shape), *args, **kwargs)

    def array(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        return self._module.array(self._even(x), *args, **kwargs)

    def asarray(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        return self._module.asarray(self._even(x), *args, **kwargs)

    def _even(self, x: Any) -> Any:
        """A list whose numbers stand beside rows, as rows too."""
        if type(x) not in (list, tuple) or not any(np.ndim(plain(item)) == 1 for item in x):
            return x
        return [xp.broadcast_to(xp.asarray(item, dtype=float), (self.points,)) for item in x]


def widened(f: Any) -> Callable[[int], Any]:
    """How a lifted function is called with columns: a function of the number of points."""
    wide = _Wide(xp)
    made = _widened(f, wide, {})

    def of(points: int) -> Any:
        wide.points = points
        return made

    return of


def _widened(f: Any, wide: _Wide, made: dict[int, Any]) -> Any:
    """The function, and those that it names, with the wide namespace for NumPy's."""
    if f is xp:
        return wide
    if not isinstance(f, types.FunctionType) or LIFTED_MARK not in f.__globals__:
        return f
    if id(f) in made:
        return made[id(f)]
    names = dict(f.__globals__)
    cells = f.__closure__ or ()
    # Cells of anything else stay shared: counters and the like are seen outside.
    closure = tuple(types.CellType() if _is_widened(cell) else cell for cell in cells)
    new = types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, closure or None)
    new.__kwdefaults__ = f.__kwdefaults__
    made[id(f)] = new
    for name in f.__code__.co_names:
        if name in names:
            names[name] = _widened(names[name], wide, made)
    for old, cell in zip(cells, closure, strict=True):
        if cell is not old:
            cell.cell_contents = _widened(old.cell_contents, wide, made)
    return new


def _is_widened(cell: Any) -> bool:
    try:
        content = cell.cell_contents
    except ValueError:  # still empty
        return False
    return content is xp or (
        isinstance(content, types.FunctionType) and LIFTED_MARK in content.__globals__
    )
