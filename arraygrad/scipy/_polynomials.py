"""Interpolation by one polynomial: Newton's form (Krogh) and the barycentric one."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .._op import Rule
from ._piecewise import _axis_back
from ._rule import (
    needs_rule,
    plain,
    policed,
    primitive_op,
    refuse,
    scipy_object,
    tensor,
    tensors,
    tensors_of,
    without_method,
    xp,
)

# -- the barycentric formula as an op --------------------------------------------------------------


def _weights(xi: Any) -> Any:
    """One over the product of each point's distances from the others, in units of their range."""
    if xi.shape[0] < 2:
        return xp.ones_like(xi)
    unit = np.eye(xi.shape[0])
    apart = 4.0 * (xi[:, None] - xi) / (xp.max(xi) - xp.min(xi))
    order = np.random.default_rng(0).permutation(xi.shape[0])  # products stay in range so
    return 1.0 / xp.prod(xp.where(unit, 1.0, apart)[:, order], axis=-1)


def _slopes(xi: Any, y: Any) -> Any:
    """Slopes of the polynomial at the points."""
    unit = np.eye(xi.shape[0])
    w = _weights(xi)
    matrix = w / (xp.where(unit, 1.0, xi[:, None] - xi) * w[:, None]) * (1.0 - unit)
    return matrix @ y - xp.sum(matrix, axis=-1)[:, None] * y


def _kernel(x: Any, xi: Any, y: Any) -> Any:
    """Values (m, r) at x (m,) of the polynomials through (xi, y), y (n, r)."""
    w = plain(_weights(xp.asarray(xi)))
    apart = x[:, None] - xi
    met = apart == 0
    terms = w / np.where(met, 1.0, apart)
    with np.errstate(divide="ignore", invalid="ignore"):
        out = (terms @ y) / terms.sum(axis=-1, keepdims=True)
    at, which = np.nonzero(met)
    out[at] = y[which]
    return out


def _cotangents(g: Any, x: Any, xi: Any, y: Any) -> Any:
    """A point's shift moves the curve by minus its slope there, times its cardinal polynomial."""
    slopes = _slopes(xi, y)
    cardinal = xp.asarray(np.eye(xi.shape[0]), dtype=xi.dtype)
    of_y = xp.swapaxes(_through(x, xi, cardinal), 0, 1) @ g
    of_x = xp.sum(xp.real(g * xp.conj(_through(x, xi, slopes))), axis=-1)
    return of_x, -xp.sum(xp.real(of_y * xp.conj(slopes)), axis=-1), of_y


_through: Any = primitive_op(
    "interpolate.barycentric", ("x", "xi", "y"), Rule(vjp=_cotangents), _kernel
)


# -- interpolators ---------------------------------------------------------------------------------


class _Polynomial:
    """What both interpolators share."""

    _path = ""
    _real: Any
    _y: Any  # (n, r)
    _axis: int
    _extra: tuple[int, ...]
    xi: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise without_method(self._path, name)

    def _set_y(self, yi: Any) -> None:
        self._axis = self._axis % yi.ndim
        rows = xp.moveaxis(yi, self._axis, 0)
        self._extra = rows.shape[1:]
        self._y = self.yi = xp.reshape(rows, (rows.shape[0], math.prod(self._extra)))
        self.n, self.r = self._y.shape

    def _orders(self, x: Any, orders: list[int]) -> list[Any]:
        """Derivatives of these orders at x (m,), each (m, r)."""
        raise NotImplementedError

    def _shaped(self, x: Any, orders: list[int]) -> list[Any]:
        at = tensor(x, self._path).astype(float)
        return [
            _axis_back(out.reshape((*at.shape, *self._extra)), at.ndim, self._axis)
            for out in self._orders(at.reshape(-1), orders)
        ]

    def _is_plain(self, x: Any) -> bool:
        return not needs_rule(x, self.xi, self._y)

    def __call__(self, x: Any) -> Any:
        """The polynomial at x."""
        if self._is_plain(x):
            return tensors(self._real(plain(x)))
        return self._shaped(x, [0])[0]

    def derivative(self, x: Any, der: int = 1) -> Any:
        """One derivative of the polynomial at x."""
        if self._is_plain(x):
            return tensors(self._real.derivative(plain(x), der))
        return self._shaped(x, [operator.index(der)])[0]

    def derivatives(self, x: Any, der: int | None = None) -> Any:
        """The first derivatives at x, the value first; all of them without `der`."""
        if self._is_plain(x):
            return tensors(self._real.derivatives(plain(x), der))
        return xp.stack(self._shaped(x, list(range(self.n if der is None else der))))


class KroghInterpolator(_Polynomial):
    """Stand-in for ``scipy.interpolate.KroghInterpolator``.

    Notes
    -----
    Differentiable in points, values and where it is evaluated. Points that repeat stand for
    derivatives: their gradients together are that of the point.
    """

    _path = "scipy.interpolate.KroghInterpolator"

    def __init__(self, xi: Any, yi: Any, axis: int = 0) -> None:
        self._real = scipy_object(self._path)(plain(xi), plain(yi), axis)  # its errors
        self.xi, yi = tensors_of(self._path, xi, yi)
        self.xi = xp.real(self.xi) if self.xi.dtype.kind == "c" else self.xi
        self._axis = axis
        self._set_y(yi)
        self.c = _divided(self.xi, self._y)

    def _orders(self, x: Any, orders: list[int]) -> list[Any]:
        count = max(orders) + 1
        found = [xp.zeros((x.shape[0], self.r), dtype=self._y.dtype) for _ in range(count)]
        for k in reversed(range(self.n)):  # Horner's scheme for each derivative
            apart = (x - self.xi[k])[:, None]
            for j in reversed(range(1, count)):
                found[j] = found[j] * apart + j * found[j - 1]
            found[0] = found[0] * apart + self.c[k]
        return [found[order] for order in orders]


def _divided(xi: Any, y: Any) -> list[Any]:
    """Coefficients of Newton's form, by divided differences; the values of SciPy decide."""
    known = plain(xi)
    c = [y[0]]
    row = [xp.zeros_like(y[0])] * len(known)
    for k in range(1, len(known)):
        repeats = 0
        while repeats < k and known[k - repeats - 1] == known[k]:
            repeats += 1
        row[0] = y[k] / math.factorial(repeats)
        for i in range(k - repeats):
            before = c[i] if repeats == 0 else row[i + 1]
            row[i + 1] = (before - row[i]) / (xi[i] - xi[k])
        c.append(row[k - repeats])
    return c


class BarycentricInterpolator(_Polynomial):
    """Stand-in for ``scipy.interpolate.BarycentricInterpolator``.

    Notes
    -----
    Differentiable in points, values and where it is evaluated, with weights of its own: where
    others are given (`wi`) there is no polynomial.
    """

    _path = "scipy.interpolate.BarycentricInterpolator"

    def __init__(
        self, xi: Any, yi: Any = None, axis: int = 0, *, wi: Any = None, rng: Any = None,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self._weighted = wi is not None
        given = {"wi": plain(wi)} if self._weighted else {}
        self._real = scipy_object(self._path)(plain(xi), plain(yi), axis, **given)  # its errors
        self.xi = tensor(xi, self._path).astype(float)
        self._y = None
        self._axis = axis
        self.n = self.xi.shape[0]
        if yi is not None:
            self._set_y(self._floating(yi))

    def _floating(self, yi: Any) -> Any:
        y = tensor(yi, self._path, 2)
        return y if y.dtype.kind == "c" else y.astype(float)

    @property
    def wi(self) -> Any:
        """The weights: SciPy's, plain."""
        return tensors(self._real.wi)

    def set_yi(self, yi: Any, axis: int | None = None) -> None:
        """Other values at the points; a curve again."""
        self._real.set_yi(plain(yi), axis)
        self._axis = self._axis if axis is None else axis
        self._set_y(self._floating(yi))

    def add_xi(self, xi: Any, yi: Any = None) -> None:
        """More points, with their values."""
        self._real.add_xi(plain(xi), plain(yi))
        self.xi = xp.concatenate((self.xi, tensor(xi, self._path).astype(float)))
        self.n = self.xi.shape[0]
        if yi is not None:
            rows = xp.moveaxis(self._floating(yi), self._axis, 0)
            self._y = self.yi = xp.concatenate((self._y, rows.reshape((-1, self.r))))

    @policed
    def _is_plain(self, x: Any) -> bool:
        if super()._is_plain(x):
            return True
        if self._weighted:
            mine, own = plain(self._real.wi), plain(_weights(self.xi))
            if not np.allclose(mine / mine[0], own / own[0], rtol=1e-9):
                raise refuse(self._path, "with weights wi that are not the polynomial's")
        return False

    def _orders(self, x: Any, orders: list[int]) -> list[Any]:
        y, found = self._y, []
        for _ in range(max(orders) + 1):
            found.append(_through(x, self.xi, y))
            y = _slopes(self.xi, y)
        return [found[order] for order in orders]


def _interpolated(interpolant: Any, x: Any, der: Any) -> Any:
    der = plain(der)
    if np.ndim(der) == 0 and der is not None:
        return interpolant.derivative(x, int(der)) if der else interpolant(x)
    if der is None:
        raise TypeError("der is a number, or a list of numbers")
    return interpolant.derivatives(x, int(np.amax(der)) + 1)[der]


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """Values or derivatives of the polynomial through points; see `KroghInterpolator`."""
    return _interpolated(KroghInterpolator(xi, yi, axis), x, der)


def barycentric_interpolate(
    xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> Any:
    """Values or derivatives of the polynomial through points; see `BarycentricInterpolator`."""
    return _interpolated(BarycentricInterpolator(xi, yi, axis), x, der)


# -- ours for objects that were made outside of lifted code ----------------------------------------


def krogh_of(real: Any) -> KroghInterpolator:
    """Ours for a ``KroghInterpolator`` of SciPy."""
    return KroghInterpolator(real.xi, *_values_of(real))


def barycentric_of(real: Any) -> BarycentricInterpolator:
    """Ours for a ``BarycentricInterpolator`` of SciPy."""
    if real.yi is None:
        return BarycentricInterpolator(real.xi, wi=real.wi)
    return BarycentricInterpolator(real.xi, *_values_of(real), wi=real.wi)


def _values_of(real: Any) -> tuple[Any, int]:
    """The values as they were given, and their axis."""
    rows = real.yi.reshape((real.yi.shape[0], *real._y_extra_shape))
    return np.moveaxis(rows, 0, real._y_axis), real._y_axis
