"""Interpolation of scattered data by radial functions: linear systems on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from ._implicit import in_graph, on_plain
from ._rule import (
    is_grad_enabled,
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensor,
    tensors,
    without_method,
    xp,
)
from .spatial import distance


def _root(square: Any) -> Any:
    """Distances from their squares; derivative 0 at 0."""
    zero = plain(square) == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, square)))


def _thin_plate(square: Any) -> Any:
    zero = plain(square) == 0
    return xp.where(zero, 0.0, square * xp.log(xp.where(zero, 1.0, square)) / 2.0)


# Kernels of the squared distance.
_KERNELS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda s: -_root(s),
    "thin_plate_spline": _thin_plate,
    "cubic": lambda s: s * _root(s),
    "quintic": lambda s: -s * s * _root(s),
    "multiquadric": lambda s: -xp.sqrt(s + 1.0),
    "inverse_multiquadric": lambda s: 1.0 / xp.sqrt(s + 1.0),
    "inverse_quadratic": lambda s: 1.0 / (s + 1.0),
    "gaussian": lambda s: xp.exp(-s),
}


def _squares(x: Any, y: Any) -> Any:
    """Squared distances of points in rows, (m, n)."""
    parts = [(x[:, i][:, None] - y[:, i]) ** 2 for i in range(y.shape[1])]
    return sum(parts[1:], parts[0])


class RBFInterpolator:
    """Stand-in for ``scipy.interpolate.RBFInterpolator``.

    Notes
    -----
    Differentiable in points, values, where it is evaluated, smoothing and epsilon. Which neighbours
    are nearest is found by values.
    """

    _path = "scipy.interpolate.RBFInterpolator"

    def __init__(
        self, y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline", epsilon: Any = None, degree: Any = None,
    ) -> None:  # fmt: skip
        given = *plain((y, d)), neighbors, plain(smoothing), kernel, plain(epsilon), degree
        self._real = scipy_object(self._path)(*given)  # its errors
        self.y = tensor(y, self._path).astype(float)
        self.d = tensor(d, self._path, 2)
        self.smoothing = tensor(smoothing, self._path, 4) + xp.zeros(self.y.shape[0])
        self.epsilon = tensor(self._real.epsilon if epsilon is None else epsilon, self._path, 6)
        self.kernel = self._real.kernel
        self.neighbors = self._real.neighbors
        self.powers = np.asarray(self._real.powers)
        self._values = xp.reshape(self.d, (self.y.shape[0], -1))
        self._system: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise without_method(self._path, name)

    def __call__(self, x: Any) -> Any:
        """The interpolant at points in rows."""
        found = self._real(plain(x))
        if not needs_rule(x, self.y, self.d, self.smoothing, self.epsilon):
            return tensors(found)
        x = tensor(x, self._path).astype(float)
        if self.neighbors is None:
            if self._system is None:
                self._system = self._solved(slice(None))
            out = self._evaluated(x, slice(None), self._system)
        else:
            out = self._near(x)
        return xp.reshape(out, found.shape)

    def _polynomials(self, x: Any, shift: Any, scale: Any) -> list[Any]:
        """Monomials at points, columns; the span of them does not depend on shift and scale."""
        scaled = (x - shift) / scale
        columns = []
        for powers in self.powers:
            column = xp.ones(x.shape[0])
            for i, power in enumerate(powers):
                for _ in range(power):
                    column = column * scaled[:, i]
            columns.append(column[:, None])
        return columns

    def _matrix(self, x: Any, y: Any, shift: Any, scale: Any) -> Any:
        kernel = _KERNELS[self.kernel](_squares(x * self.epsilon, y * self.epsilon))
        return xp.concatenate([kernel, *self._polynomials(x, shift, scale)], axis=1)

    def _solved(self, rows: Any) -> tuple[Any, Any, Any]:
        """Shift and scale of the monomials, and coefficients of all the functions."""
        y, values = self.y[rows], self._values[rows]
        low, high = plain(y).min(axis=0), plain(y).max(axis=0)
        scale = np.where(high == low, 1.0, (high - low) / 2.0)
        shift = (high + low) / 2.0
        top = self._matrix(y, y, shift, scale)
        n, count = y.shape[0], len(self.powers)
        smoothed = xp.pad(xp.diag(self.smoothing[rows]), ((0, 0), (0, count)))
        below = xp.pad(top[:, n:].T, ((0, 0), (0, count)))
        system = xp.concatenate([top + smoothed, below])
        right = xp.pad(values, ((0, count), (0, 0)))
        return shift, scale, core.solve(system.astype(right.dtype), right)

    def _evaluated(self, x: Any, rows: Any, system: tuple[Any, Any, Any]) -> Any:
        shift, scale, coefficients = system
        matrix = self._matrix(x, self.y[rows], shift, scale)
        return matrix.astype(coefficients.dtype) @ coefficients

    def _near(self, x: Any) -> Any:
        """By the nearest neighbours of each point, one system for all that have the same."""
        tree = scipy_object("scipy.spatial.KDTree")(plain(self.y))
        nearest = tree.query(plain(x), list(range(1, self.neighbors + 1)))[1]
        groups, which = np.unique(np.sort(nearest, axis=1), axis=0, return_inverse=True)
        which = which.reshape(-1)
        parts = [
            self._evaluated(x[np.flatnonzero(which == i)], rows, self._solved(rows))
            for i, rows in enumerate(groups)
        ]
        order = np.argsort(which, kind="stable")
        return xp.concatenate(parts)[np.argsort(order)] if parts else self._values[:0]


# -- the older class -------------------------------------------------------------------------------

_OLDER: dict[str, Callable[[Any, Any], Any]] = {
    "multiquadric": lambda r, e: xp.sqrt((r / e) ** 2 + 1.0),
    "inverse_multiquadric": lambda r, e: 1.0 / xp.sqrt((r / e) ** 2 + 1.0),
    "gaussian": lambda r, e: xp.exp(-((r / e) ** 2)),
    "linear": lambda r, e: r,
    "cubic": lambda r, e: r**3,
    "quintic": lambda r, e: r**5,
    "thin_plate": lambda r, e: _thin_plate(r * r),
}


class Rbf:
    """Stand-in for ``scipy.interpolate.Rbf``.

    Notes
    -----
    Differentiable in points, values, where it is evaluated, epsilon and smooth.
    """

    _path = "scipy.interpolate.Rbf"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.function = kwargs.get("function", "multiquadric")
        given = plain(kwargs)
        if callable(self.function):
            given["function"] = _on_plain(self.function)
        self._real = scipy_object(self._path)(*plain(args), **given)  # its errors
        self.xi = xp.stack([tensor(a, self._path).astype(float).reshape(-1) for a in args[:-1]])
        self.N = self.xi.shape[-1]
        self.mode, self.norm = self._real.mode, kwargs.get("norm", "euclidean")
        values = tensor(args[-1], self._path, len(args))
        self.di = values.reshape(-1) if self.mode == "1-D" else values
        self.smooth = kwargs.get("smooth", 0.0)
        epsilon = kwargs.get("epsilon")
        self.epsilon = self._typical() if epsilon is None else epsilon
        for name in kwargs.keys() - {"function", "norm", "mode", "smooth", "epsilon"}:
            setattr(self, name, kwargs[name])  # for functions that take this object
        self._nodes: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise without_method(self._path, name)

    def _typical(self) -> Any:
        """The average distance between nodes, by the box around them."""
        edges = xp.max(self.xi, axis=1) - xp.min(self.xi, axis=1)
        edges = edges[np.flatnonzero(plain(edges))]
        return (xp.prod(edges) / self.N) ** (1.0 / edges.shape[0])

    def _function(self, r: Any) -> Any:
        if not callable(self.function):
            return _OLDER[self._real.function](r, self.epsilon)
        function = in_graph(self.function)
        return function(r) if _takes_one(self.function) else function(self, r)

    @policed
    def _is_plain(self, *values: Any) -> bool:
        if not needs_rule(values, self.xi, self.di, self.epsilon, self.smooth):
            if not callable(self.function) or not is_grad_enabled():
                return True  # else its closure may carry a gradient
        elif callable(self.norm):
            raise refuse(self._path, "with a function as norm", "give a name that cdist knows")
        return callable(self.norm)

    @property
    def A(self) -> Any:
        """The matrix of the linear system."""
        if self._is_plain():
            return tensors(self._real.A)
        r = distance.cdist(self.xi.T, self.xi.T, self.norm) * (1.0 - np.eye(self.N))
        return self._function(r) - np.eye(self.N) * self.smooth

    @property
    def nodes(self) -> Any:
        """Coefficients of the functions around the points."""
        if self._nodes is None:
            plain_nodes = self._is_plain()
            found = tensors(self._real.nodes) if plain_nodes else core.solve(self.A, self.di)
            if plain_nodes or not is_grad_enabled():
                return found
            self._nodes = found
        return self._nodes

    def __call__(self, *args: Any) -> Any:
        """The interpolant at points, one array for each coordinate."""
        if self._is_plain(args):
            return tensors(self._real(*plain(args)))
        points = [tensor(a, self._path).astype(float) for a in args]
        shape = points[0].shape
        if any(p.shape != shape for p in points):
            raise ValueError("Array lengths must be equal")
        at = xp.stack([p.reshape(-1) for p in points])
        out = self._function(distance.cdist(at.T, self.xi.T, self.norm)) @ self.nodes
        return xp.reshape(out, (*shape, *self.nodes.shape[1:]))


def _takes_one(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount == 1


def _on_plain(function: Any) -> Any:
    """The user's function as SciPy calls it, which counts its arguments."""
    call = on_plain(in_graph(function))
    if _takes_one(function):
        return lambda r: call(r)
    return lambda self, r: call(self, r)


# -- ours for objects that were made outside of lifted code ----------------------------------------


def radial_of(real: Any) -> RBFInterpolator:
    """Ours for an ``RBFInterpolator`` of SciPy."""
    made: RBFInterpolator = object.__new__(RBFInterpolator)
    values = real.d.view(real.d_dtype).reshape((real.d.shape[0], *real.d_shape))
    made._real, made._system = real, None
    made.y, made.d = tensor(real.y, made._path), tensor(values, made._path)
    made.smoothing, made.epsilon = tensor(real.smoothing, ""), tensor(real.epsilon, "")
    made.kernel, made.neighbors, made.powers = real.kernel, real.neighbors, np.asarray(real.powers)
    made._values = xp.reshape(made.d, (made.y.shape[0], -1))
    return made


def rbf_of(real: Any) -> Rbf:
    """Ours for an ``Rbf`` of SciPy."""
    made: Rbf = object.__new__(Rbf)
    for name, value in vars(real).items():
        if name not in ("_function", "nodes"):
            setattr(made, name, value)
    made._real = real
    made.xi, made._nodes = tensor(real.xi, made._path), tensor(real.nodes, made._path)
    return made
