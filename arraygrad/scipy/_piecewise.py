"""Piecewise polynomials on tensors, and the rules that find their coefficients."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import wrap
from .._errors import ArgumentError
from ._rule import (
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensors,
    tensors_of,
    without_method,
    xp,
)
from ._triangular import solve_of_banded


class PPoly:
    """Piecewise polynomial: sum of c[m, i] * (x - breakpoint i)^(degree - m) on interval i.

    Stand-in for ``scipy.interpolate.PPoly`` and for the classes that derive from it.

    Notes
    -----
    Differentiable in the coefficients, the breakpoints and the points of evaluation.
    """

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        c, x = tensors_of("scipy.interpolate.PPoly", c, x)
        axis = axis % (c.ndim - 1)
        if axis:  # degrees and intervals come first, as SciPy keeps them
            c = xp.moveaxis(c, (axis, axis + 1), (0, 1))
        self._set(c, x, extrapolate, axis)

    def _set(self, c: Any, x: Any, extrapolate: Any, axis: int) -> None:
        self.c, self.x = tensors_of("scipy.interpolate.PPoly", c, x)
        self.extrapolate = True if extrapolate is None else extrapolate
        self.axis = axis

    @classmethod
    def construct_fast(cls, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> PPoly:
        """A piecewise polynomial whose coefficients have degrees and intervals first already."""
        made = PPoly.__new__(PPoly)
        made._set(c, x, extrapolate, axis)
        return made

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: Any = None) -> PPoly:
        """The piecewise polynomial of a spline with knots, coefficients and degree."""
        from ._bsplines import splev

        t, _, k = tck.tck if hasattr(tck, "tck") else tck
        t = xp.asarray(t, dtype=float)
        extrapolate = getattr(tck, "extrapolate", None) if extrapolate is None else extrapolate
        rows = [splev(t[:-1], tck, der=m) / factorial(m) for m in range(k, -1, -1)]
        return cls.construct_fast(xp.stack(rows), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp: Any, extrapolate: Any = None) -> PPoly:
        """The piecewise polynomial of one of SciPy's in Bernstein's basis, which is plain."""
        real = scipy_object("scipy.interpolate.PPoly").from_bernstein_basis(bp, extrapolate)
        return cls.construct_fast(real.c, real.x, real.extrapolate, real.axis)

    def __getattr__(self, name: str) -> Any:
        raise without_method("scipy.interpolate.PPoly", name)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        x = xp.asarray(x, dtype=np.result_type(np.asarray(plain(x)).dtype, float))
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        breaks = plain(self.x)
        if extrapolate == "periodic":
            turns = np.floor((plain(x) - breaks[0]) / (breaks[-1] - breaks[0]))
            x = x - (self.x[-1] - self.x[0]) * turns
        points = x.reshape(-1)
        values = plain(points)
        interval = np.clip(np.searchsorted(breaks, values, "right") - 1, 0, len(breaks) - 2)
        u = points - self.x[interval]
        trailing = self.c.shape[2:]
        u = u.reshape((-1,) + (1,) * len(trailing))
        out = _horner(self.c, interval, u, nu)
        if not extrapolate:
            outside = (values < breaks[0]) | (values > breaks[-1])
            out = xp.where(outside.reshape((-1,) + (1,) * len(trailing)), np.nan, out)
        out = out.reshape((*x.shape, *trailing))
        return _axis_back(out, x.ndim, self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The piecewise polynomial that is the derivative; the antiderivative if nu < 0."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            degree = c.shape[0] - 1
            factors = np.arange(degree, 0, -1.0).reshape((-1,) + (1,) * (c.ndim - 1))
            c = c[:-1] * factors if degree else xp.zeros_like(c)
        return PPoly.construct_fast(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The continuous piecewise polynomial whose derivative this is, 0 at the first break."""
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        width = (self.x[1:] - self.x[:-1]).reshape((-1,) + (1,) * (c.ndim - 2))
        for _ in range(nu):
            powers = np.arange(c.shape[0], 0, -1.0).reshape((-1,) + (1,) * (c.ndim - 1))
            higher = c / powers
            area = higher[0] * width
            for row in higher[1:]:
                area = (area + row) * width
            start = xp.cumsum(area, axis=0) - area
            c = xp.concatenate((higher, start[None]))
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return PPoly.construct_fast(c, self.x, extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Integral from a to b; its derivative by b is the value at b."""
        whole = self.antiderivative()
        if (self.extrapolate if extrapolate is None else extrapolate) != "periodic":
            return whole(b, extrapolate=extrapolate) - whole(a, extrapolate=extrapolate)
        low, period = self.x[0], self.x[-1] - self.x[0]

        def up_to(end: Any) -> Any:
            turns = np.floor((plain(end) - plain(low)) / plain(period))
            return whole(end - turns * period) + turns * whole(self.x[-1])

        return up_to(b) - up_to(a)

    def roots(self, discontinuity: bool = True, extrapolate: Any = None) -> Any:
        """Where the value is zero; see `solve`."""
        return self.solve(0.0, discontinuity, extrapolate)

    @policed
    def solve(self, y: Any = 0.0, discontinuity: bool = True, extrapolate: Any = None) -> Any:
        """Where the value is y.

        Notes
        -----
        Derivative: with slope p'(x), dx = (dy - dp) / p'(x), where dp is by the coefficients.
        """
        real = scipy_object("scipy.interpolate.PPoly").construct_fast(
            plain(self.c), plain(self.x), self.extrapolate, self.axis
        )
        found = real.solve(plain(y), discontinuity, extrapolate)
        if not needs_rule(self.c, self.x, y):
            return tensors(found)
        if found.dtype == object or np.isnan(found).any():
            raise refuse("PPoly.solve", "for several polynomials, or where one is constant",
                         "solve each part by itself")  # fmt: skip
        return solved(lambda x, nu: self(x, nu, True) - (0.0 if nu else y), found, "PPoly.solve")


def solved(f: Callable[[Any, int], Any], found: Any, function: str) -> Any:
    """Zeros with their gradients: two steps of Newton's, exact to the third order.

    `f` takes points and the order of its derivative by them.
    """
    scale = np.abs(plain(f(wrap(found), 1)))
    jump = np.abs(plain(f(wrap(found), 0))) > 1e-6 * np.maximum(scale, 1.0)
    if (jump | (scale < 1e-9)).any():
        raise refuse(function, "at jumps and where the slope is zero", "use scipy.optimize.brentq")
    z = wrap(found)
    for _ in range(2):
        z = z - f(z, 0) / f(z, 1)
    return z + (found - plain(z))


def _horner(c: Any, interval: Any, u: Any, nu: int) -> Any:
    degree = c.shape[0] - 1
    if nu > degree:
        return 0 * u * c[0][interval]
    out = None
    for m in range(degree - nu + 1):
        factor = float(np.prod(np.arange(degree - m, degree - m - nu, -1.0)))
        term = c[m][interval] * factor
        out = term if out is None else out * u + term
    return out


def _axis_back(out: Any, count: int, axis: int) -> Any:
    """Move the axes of the evaluation, which come first, to where the data had theirs."""
    if axis == 0 or count == 0:
        return out
    axis = axis % (out.ndim - count + 1)
    order = [*range(count, count + axis), *range(count), *range(count + axis, out.ndim)]
    return xp.transpose(out, order)


def _data(function: str, x: Any, y: Any, axis: int) -> tuple[Any, Any, int]:
    """Abscissae and ordinates with the axis of interpolation first."""
    x, y = tensors_of(function, x, y)
    axis = axis % y.ndim
    y = xp.moveaxis(y, axis, 0)
    if x.ndim != 1 or x.shape[0] != y.shape[0] or (np.diff(plain(x)) <= 0).any():
        raise ArgumentError(
            f"{function}: x must be increasing and as long as y along its axis; shapes are "
            f"{x.shape} and {y.shape}"
        )
    return x, y, axis


class CubicHermiteSpline(PPoly):
    """Stand-in for ``scipy.interpolate.CubicHermiteSpline``: values and slopes at the breaks."""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, axis = _data("scipy.interpolate.CubicHermiteSpline", x, y, axis)
        slopes = xp.moveaxis(xp.asarray(dydx, dtype=float), axis, 0)
        self._set(_hermite(x, y, slopes), x, extrapolate, axis)


def _hermite(x: Any, y: Any, s: Any) -> Any:
    """Coefficients of the cubics with values y and slopes s at x."""
    dx = (x[1:] - x[:-1]).reshape((-1,) + (1,) * (y.ndim - 1))
    slope = (y[1:] - y[:-1]) / dx
    t = (s[:-1] + s[1:] - 2 * slope) / dx
    return xp.stack((t / dx, (slope - s[:-1]) / dx - t, s[:-1], y[:-1]))


class CubicSpline(PPoly):
    """Stand-in for ``scipy.interpolate.CubicSpline``: twice continuously differentiable.

    Notes
    -----
    The slopes at the breaks solve a linear system, through which the derivative passes.
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
    ) -> None:
        x, y, axis = _data("scipy.interpolate.CubicSpline", x, y, axis)
        flat = y.reshape((y.shape[0], -1))
        if isinstance(bc_type, str) and bc_type == "periodic":
            slopes = _periodic_slopes(x, flat)
            extrapolate = "periodic" if extrapolate is None else extrapolate
        else:
            start, end = _conditions(bc_type)
            slopes = _spline_slopes(x, flat, start, end)
        self._set(_hermite(x, y, slopes.reshape(y.shape)), x, extrapolate, axis)


_CONDITIONS = {"natural": (2, 0.0), "clamped": (1, 0.0), "not-a-knot": "not-a-knot"}


def _conditions(bc_type: Any) -> list[Any]:
    pair = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    return [_CONDITIONS[bc] if isinstance(bc, str) else bc for bc in pair]


def _spline_slopes(x: Any, y: Any, start: Any, end: Any) -> Any:
    """Slopes from a tridiagonal system; `start` and `end` are (order, value) or "not-a-knot"."""
    n = x.shape[0]
    dx = x[1:] - x[:-1]
    h = dx[:, None]
    slope = (y[1:] - y[:-1]) / h
    if n == 2:
        start = (1, slope[0]) if isinstance(start, str) else start
        end = (1, slope[0]) if isinstance(end, str) else end
    if n == 3 and isinstance(start, str) and isinstance(end, str):
        return _parabola_slopes(h, slope)
    first = _end_row(dx, slope, start, 0)
    last = _end_row(dx, slope, end, -1)
    inner = 3 * (h[1:] * slope[:-1] + h[:-1] * slope[1:])
    rhs = xp.concatenate((first[2][None], inner, last[2][None]))
    zero = xp.zeros(1, dtype=x.dtype)
    upper = xp.concatenate((zero, first[1][None], dx[:-1]))
    middle = xp.concatenate((first[0][None], 2 * (dx[:-1] + dx[1:]), last[0][None]))
    lower = xp.concatenate((dx[1:], last[1][None], zero))
    return solve_of_banded(xp.stack((upper, middle, lower)), rhs, lower=1, upper=1)


def _end_row(dx: Any, slope: Any, condition: Any, end: int) -> tuple[Any, Any, Any]:
    """Diagonal and off-diagonal element and right-hand side of the first or last equation."""
    near, far = (0, 1) if end == 0 else (-1, -2)
    if isinstance(condition, str):
        span = dx[near] + dx[far]
        weighted = (dx[near] + 2 * span) * dx[far] * slope[near] + dx[near] ** 2 * slope[far]
        return dx[far], span, weighted / span
    order, value = condition
    value = xp.broadcast_to(xp.reshape(xp.asarray(value, dtype=float), -1), slope.shape[1:])
    if order == 1:
        return 1 + 0 * dx[near], 0 * dx[near], value
    if order != 2:
        raise ArgumentError("CubicSpline: bc_type gives a derivative of order 1 or 2")
    sign = -0.5 if end == 0 else 0.5
    return 2 * dx[near], dx[near], sign * value * dx[near] ** 2 + 3 * slope[near] * dx[near]


def _parabola_slopes(h: Any, slope: Any) -> Any:
    """Of the parabola through three points."""
    middle = (h[1] * slope[0] + h[0] * slope[1]) / (h[0] + h[1])
    return xp.stack((2 * slope[0] - middle, middle, 2 * slope[1] - middle))


def _periodic_slopes(x: Any, y: Any) -> Any:
    n = x.shape[0]
    dx = x[1:] - x[:-1]
    slope = (y[1:] - y[:-1]) / dx[:, None]
    before, slope_before = xp.roll(dx, 1), xp.roll(slope, 1, axis=0)
    if n == 2:
        return xp.zeros_like(y)
    matrix = xp.diag(2 * (dx + before))
    # Adding both handles n = 3, where the two neighbours are the same point.
    eye = np.eye(n - 1)
    matrix = (
        matrix + before[:, None] * np.roll(eye, 1, axis=1) + dx[:, None] * np.roll(eye, -1, axis=1)
    )
    # Row i: dx[i] s[i-1] + 2 (dx[i-1] + dx[i]) s[i] + dx[i-1] s[i+1]
    rhs = 3 * (dx[:, None] * slope_before + before[:, None] * slope)
    s = core.solve(matrix, rhs)
    return xp.concatenate((s, s[:1]))


class PchipInterpolator(PPoly):
    """Stand-in for ``scipy.interpolate.PchipInterpolator``: monotone where the data are.

    Notes
    -----
    Slopes are weighted harmonic means of the neighbouring differences, and 0 where these change
    sign; the derivative there is 0.
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, axis = _data("scipy.interpolate.PchipInterpolator", x, y, axis)
        self._set(_hermite(x, y, _monotone_slopes(x, y)), x, extrapolate, axis)


def _monotone_slopes(x: Any, y: Any) -> Any:
    h = (x[1:] - x[:-1]).reshape((-1,) + (1,) * (y.ndim - 1))
    m = (y[1:] - y[:-1]) / h
    if x.shape[0] == 2:
        return xp.concatenate((m, m))
    values = plain(m)
    monotone = (np.sign(values[1:]) == np.sign(values[:-1])) & (values[1:] * values[:-1] != 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    before, after = xp.where(monotone, m[:-1], 1.0), xp.where(monotone, m[1:], 1.0)
    inner = xp.where(monotone, (w1 + w2) / (w1 / before + w2 / after), 0.0)
    start, end = _end_slope(h[0], h[1], m[0], m[1]), _end_slope(h[-1], h[-2], m[-1], m[-2])
    return xp.concatenate((start[None], inner, end[None]))


class Akima1DInterpolator(PPoly):
    """Stand-in for ``scipy.interpolate.Akima1DInterpolator``: slopes without overshoot.

    Notes
    -----
    The slope at a point is the mean of its neighbouring differences, weighted with how much the
    differences beyond change. Where none changes it is their plain mean, as in SciPy.
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
    ) -> None:
        if method not in ("akima", "makima"):
            raise ArgumentError(f"Akima1DInterpolator: method={method!r}; use 'akima' or 'makima'")
        x, y, axis = _data("scipy.interpolate.Akima1DInterpolator", x, y, axis)
        slopes = _akima_slopes(x, y, method == "makima")
        self._set(_hermite(x, y, slopes), x, bool(extrapolate), axis)


def _akima_slopes(x: Any, y: Any, modified: bool) -> Any:
    h = (x[1:] - x[:-1]).reshape((-1,) + (1,) * (y.ndim - 1))
    m = (y[1:] - y[:-1]) / h
    if x.shape[0] == 2:
        return xp.concatenate((m, m))
    left, right = 2 * m[:1] - m[1:2], 2 * m[-1:] - m[-2:-1]
    m = xp.concatenate((2 * left - m[:1], left, m, right, 2 * right - m[-1:]))
    change = xp.abs(m[1:] - m[:-1])
    if modified:
        change = change + 0.5 * xp.abs(m[1:] + m[:-1])
    after, before = change[2:], change[:-2]
    total = plain(after) + plain(before)
    defined = total > 1e-9 * np.max(total, initial=-np.inf)
    share = before / xp.where(defined, after + before, 1.0)
    weighted = m[1:-2] + share * (m[2:-1] - m[1:-2])
    return xp.where(defined, weighted, 0.5 * (m[3:] + m[:-3]))


def _end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """One-sided slope of three points, kept monotone."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turned = np.sign(plain(d)) != np.sign(plain(m0))
    steep = (np.sign(plain(m0)) != np.sign(plain(m1))) & (np.abs(plain(d)) > 3 * np.abs(plain(m0)))
    return xp.where(turned, 0.0, xp.where(steep, 3.0 * m0, d))
