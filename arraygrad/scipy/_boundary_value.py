"""Boundary value problems: the collocation equations of SciPy's solution, differentiated.

SciPy finds the mesh and the solution on it, which solves r(z) = 0, where z are the states at the
nodes and the unknown parameters, and r is what the collocation equations and the boundary
conditions leave. Steps z <- z - M^-1 r(z) on tensors, with M = dr/dz there as one sparse
factorisation, carry the derivatives by whatever the functions depend on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import wrap
from .._errors import GradientError
from .._graph import is_grad_enabled
from ..autograd.modes import no_grad
from . import _trajectory
from ._implicit import ORDERS, in_graph, is_recorded, jacobian, moving, on_plain, vector
from ._piecewise import PPoly
from ._rule import is_tracked, plain, policed, refuse, scipy_object, tensor, tensors, xp
from ._stepwise import scaled

_NAME = "scipy.integrate.solve_bvp"


class _Factor:
    """A sparse matrix M, factorised, for the ops of `_trajectory`."""

    def __init__(self, matrix: Any) -> None:
        try:
            self._lu = scipy_object("scipy.sparse.linalg.splu")(matrix)
        except RuntimeError as error:
            raise GradientError(
                f"{_NAME}: the collocation equations are singular at the solution, so that it has "
                "no derivative; use .detach() on the result"
            ) from error

    def forward(self, r: Any) -> Any:
        return self._lu.solve(np.asarray(r))

    def backward(self, g: Any) -> Any:
        return self._lu.solve(np.asarray(g), "T")


class _Equations:
    """The collocation equations on a mesh.

    Parameters
    ----------
    fun, bc : callable
        The user's functions on tensors, with parameters as their last argument.
    x : Tensor, shape (m,)
        The mesh.
    n, k : int
        Numbers of states and of unknown parameters.
    """

    def __init__(self, fun: Callable[..., Any], bc: Callable[..., Any], x: Any, n: int, k: int):
        self.fun, self.bc, self.x, self.n, self.k = fun, bc, x, n, k
        self.m = x.shape[0]
        self.h = x[1:] - x[:-1]
        self.middles = x[:-1] + 0.5 * self.h

    def parts(self, z: Any) -> tuple[Any, Any]:
        """States (n, m) and parameters of the unknowns: node by node, then parameters."""
        states = z[: self.n * self.m].reshape((self.m, self.n)).T
        return states, z[self.n * self.m :]

    def middle(self, y: Any, f: Any) -> Any:
        return 0.5 * (y[:, 1:] + y[:, :-1]) - 0.125 * self.h * (f[:, 1:] - f[:, :-1])

    def rest(self, z: Any) -> Any:
        """What the equations leave, interval by interval, then the boundary conditions."""
        y, p = self.parts(z)
        f = self.fun(self.x, y, p)
        between = self.fun(self.middles, self.middle(y, f), p)
        left = y[:, 1:] - y[:, :-1] - self.h / 6 * (f[:, :-1] + f[:, 1:] + 4 * between)
        return xp.concatenate((left.T.reshape(-1), vector(self.bc(y[:, 0], y[:, -1], p))))

    def slopes(self, x: Any, y: Any, p: Any) -> Any:
        """Jacobians by the states at points, shape (m, n, n): columns of fun are independent."""
        rows = []
        for i in range(self.n):
            point = moving(wrap(np.array(y)))
            out = self.fun(wrap(np.array(x)), point, wrap(np.array(p)))[i]
            found = None
            if is_recorded(out):
                found = _gradient(xp.sum(out), point)
            rows.append(np.zeros(y.shape) if found is None else plain(found))
        return np.moveaxis(np.array(rows), 2, 0)

    def matrix(self, z: Any) -> Any:
        """The Jacobian of what is left, at plain values."""
        n, m, k = self.n, self.m, self.k
        y, p = (plain(part) for part in self.parts(wrap(z)))
        x, h, middles = plain(self.x), plain(self.h)[:, None, None], plain(self.middles)
        with no_grad():
            f = plain(self.fun(wrap(x), wrap(y.copy()), wrap(p.copy())))
        at_nodes = self.slopes(x, y, p)
        between = self.slopes(middles, plain(self.middle(wrap(y), wrap(f))), p)
        one = np.eye(n)
        left, right = at_nodes[:-1], at_nodes[1:]
        first = -one - h / 6 * (left + 4 * between @ (0.5 * one + h / 8 * left))
        second = one - h / 6 * (right + 4 * between @ (0.5 * one - h / 8 * right))
        rows = np.arange((m - 1) * n).reshape(m - 1, n, 1) + np.zeros((1, 1, n), int)
        columns = np.arange(m - 1)[:, None, None] * n + np.arange(n) + np.zeros((1, n, 1), int)
        ends = np.concatenate((y[:, 0], y[:, -1], p))
        of_ends = plain(
            jacobian(lambda e: vector(self.bc(e[:n], e[n : 2 * n], e[2 * n :])), wrap(ends))
        )
        places = np.concatenate((np.arange(n), (m - 1) * n + np.arange(n), m * n + np.arange(k)))
        below = (m - 1) * n + np.arange(n + k)
        data = [first.ravel(), second.ravel(), of_ends.ravel()]
        at_rows = [rows.ravel(), rows.ravel(), np.repeat(below, 2 * n + k)]
        at_columns = [columns.ravel(), columns.ravel() + n, np.tile(places, n + k)]
        for j, column in enumerate(self._by_parameters(z)):
            data.append(column)
            at_rows.append(np.arange((m - 1) * n))
            at_columns.append(np.full((m - 1) * n, m * n + j))
        size = m * n + k
        entries = (np.concatenate(data), (np.concatenate(at_rows), np.concatenate(at_columns)))
        return scipy_object("scipy.sparse.coo_matrix")(entries, shape=(size, size)).tocsc()

    def _by_parameters(self, z: Any) -> Any:
        """Columns by the unknown parameters: differences; the steps take what they miss."""
        inner = (self.m - 1) * self.n
        for j in range(self.n * self.m, self.n * self.m + self.k):
            step = np.zeros_like(z)
            step[j] = 1e-6 * (1 + abs(z[j]))
            with no_grad():
                up, down = (plain(self.rest(wrap(z + s)))[:inner] for s in (step, -step))
            yield (up - down) / (2 * step[j])


def _gradient(out: Any, x: Any) -> Any:
    from ..autograd.reverse import grad

    return grad(out, x, allow_unused=True)[0]


@policed
def solve_bvp(
    fun: Any, bc: Any, x: Any, y: Any, p: Any = None, S: Any = None, fun_jac: Any = None,
    bc_jac: Any = None, tol: Any = 1e-3, max_nodes: int = 1000, verbose: int = 0,
    bc_tol: Any = None,
) -> Any:  # fmt: skip
    """Report of a boundary value problem's solution; ``sol``, ``y``, ``yp`` and ``p`` are tensors.

    Notes
    -----
    The derivative by what fun and bc depend on (variables of closures), and by the ends of x, is
    that of the collocation equations on SciPy's mesh, whose choice has none; y and p are guesses.
    It is as accurate as the solution, which `tol` controls.
    """
    fun, bc = in_graph(fun), in_graph(bc)
    unknown = () if p is None else (p,)
    found = scipy_object("scipy.integrate.solve_bvp")(
        on_plain(fun), on_plain(bc), plain(x), np.array(plain(y)), plain(p), plain(S),
        _on_plain(fun_jac), _on_plain(bc_jac), plain(tol), max_nodes, verbose, plain(bc_tol),
    )  # fmt: skip
    if not is_grad_enabled():
        return _tensors(found)
    n, dtype = len(found.y), found.y.dtype

    def slope(at: Any, states: Any, more: Any) -> Any:
        out = fun(at, states, *((more,) if unknown else ()))
        return xp.reshape(xp.asarray(out, dtype=dtype), (n, states.shape[1]))

    def ends(first: Any, last: Any, more: Any) -> Any:
        return bc(first, last, *((more,) if unknown else ()))

    mesh: Any = wrap(found.x.copy())
    if is_tracked(x):
        given = tensor(x, _NAME, 3)
        mesh = scaled(found.x, (given[0], given[-1]))
    k = 0 if found.p is None else len(found.p)
    equations = _Equations(slope, ends, mesh, n, k)
    values = np.concatenate((found.y.T.ravel(), () if found.p is None else found.p))
    z = wrap(values.copy())
    left = equations.rest(z)
    if not is_recorded(left) and not is_tracked(S):
        return _tensors(found)
    if S is not None:
        raise refuse(_NAME, "with a singular term S",
                     "start a little behind the singular point, without S")  # fmt: skip
    if dtype.kind == "c":
        raise refuse(_NAME, "of complex states", "give their real and imaginary parts")
    if not found.success:
        raise GradientError(f"{_NAME} found no solution: {found.message}")
    factor = _Factor(equations.matrix(values))
    for number in range(ORDERS):
        left = equations.rest(z) if number else left
        z = z - _trajectory._forward(left, sweep=factor)
    z = z + (values - plain(z))
    states, parameters = equations.parts(z)
    found.x, found.y = mesh, states
    found.yp = slope(mesh, states, parameters)
    found.p = parameters if unknown else None
    found.sol = _spline(equations, states, found.yp)
    return found


def _on_plain(f: Any) -> Any:
    return None if f is None else on_plain(in_graph(f))


def _spline(equations: _Equations, y: Any, yp: Any) -> PPoly:
    """The cubic polynomials through states and slopes at the nodes."""
    h = equations.h
    slope = (y[:, 1:] - y[:, :-1]) / h
    t = (yp[:, :-1] + yp[:, 1:] - 2 * slope) / h
    rows = (t / h, (slope - yp[:, :-1]) / h - t, yp[:, :-1], y[:, :-1])
    return PPoly.construct_fast(xp.stack([row.T for row in rows]), equations.x, True, 1)


def _tensors(report: Any) -> Any:
    for name in ("x", "y", "yp", "p", "rms_residuals", "sol"):
        report[name] = tensors(report[name])
    return report
