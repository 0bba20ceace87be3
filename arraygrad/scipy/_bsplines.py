"""B-splines on tensors: evaluation by the recursion of Cox and de Boor, interpolation by bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg as core
from .._errors import ArgumentError
from ._piecewise import _axis_back, _conditions, _data
from ._rule import (
    needs_rule,
    ours_for,
    plain,
    policed,
    refuse,
    rule,
    scipy_object,
    tensor,
    tensors_of,
    without_method,
    xp,
)
from ._triangular import solve_of_banded


def basis(t: Any, k: int, x: Any, intervals: Any) -> list[Any]:
    """Values at x of the k + 1 B-splines that are not zero on the given intervals."""
    h: list[Any] = [xp.ones_like(x)]
    for j in range(1, k + 1):
        new: list[Any] = [0.0] * (j + 1)
        for i in range(j):
            right, left = t[intervals + i + 1], t[intervals + i + 1 - j]
            w = h[i] / (right - left)
            new[i] = new[i] + w * (right - x)
            new[i + 1] = new[i + 1] + w * (x - left)
        h = new
    return h


def interval_of(t: Any, k: int, x: Any) -> Any:
    """Index of the knot interval of each point; end intervals extend to infinity."""
    knots = plain(t)
    n = len(knots) - k - 1
    found = np.searchsorted(knots, plain(x), "right") - 1
    if k == 0:  # the last coefficient holds from the last knot on
        return np.clip(found, 0, n - 1)
    last = np.searchsorted(knots, knots[n], "left") - 1  # the last interval that is not empty
    return np.clip(found, k, max(last, k))


def evaluate(t: Any, c: Any, k: int, x: Any) -> Any:
    """Spline with knots t and coefficients c (first axis) at the points x, shape (m,)."""
    intervals = interval_of(t, k, x)
    trailing = (1,) * (c.ndim - 1)
    out: Any = 0.0
    for i, value in enumerate(basis(t, k, x, intervals)):
        out = out + c[intervals - k + i] * value.reshape((-1, *trailing))
    return out


def derived(t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    """Knots, coefficients and degree of the derivative."""
    n = t.shape[0] - k - 1
    trailing = (1,) * (c.ndim - 1)
    width = (t[k + 1 : n + k] - t[1:n]).reshape((-1, *trailing))
    difference = c[1:n] - c[: n - 1]
    empty = plain(width) == 0
    return t[1:-1], xp.where(empty, 0.0, k * difference / xp.where(empty, 1.0, width)), k - 1


class BSpline:
    """Stand-in for ``scipy.interpolate.BSpline``.

    Notes
    -----
    Differentiable in knots, coefficients and points of evaluation.
    """

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.t, self.c = tensors_of("scipy.interpolate.BSpline", t, c)
        axis = axis % self.c.ndim
        if axis:
            self.c = xp.moveaxis(self.c, axis, 0)
        self.k = int(k)
        self.extrapolate = extrapolate
        self.axis = axis

    @classmethod
    def construct_fast(
        cls, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
    ) -> BSpline:
        """A spline whose coefficients have the axis of interpolation first already."""
        return _spline(t, c, k, extrapolate, axis)

    @classmethod
    def basis_element(cls, t: Any, extrapolate: Any = True) -> BSpline:
        """The element of the basis with these knots."""
        t = xp.asarray(t, dtype=float)
        k = t.shape[0] - 2
        t = xp.concatenate((xp.stack([t[0] - 1] * k), t, xp.stack([t[-1] + 1] * k))) if k else t
        return cls(t, np.eye(2 * k + 1)[k], k, extrapolate)

    @classmethod
    @policed
    def design_matrix(cls, x: Any, t: Any, k: int, extrapolate: Any = False) -> Any:
        """SciPy's sparse matrix of the basis at the points, which is plain."""
        if needs_rule(x, t):
            raise refuse("scipy.interpolate.BSpline.design_matrix", "rule",
                         "evaluate BSpline(t, np.eye(n), k) at the points")  # fmt: skip
        real = scipy_object("scipy.interpolate.BSpline")
        return ours_for(real.design_matrix(plain(x), plain(t), k, extrapolate))

    def __getattr__(self, name: str) -> Any:
        raise without_method("scipy.interpolate.BSpline", name)

    @property
    def tck(self) -> tuple[Any, Any, int]:
        """Knots, coefficients, degree."""
        return self.t, self.c, self.k

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        x = xp.asarray(x, dtype=float)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        t, c, k = self.tck
        n = t.shape[0] - k - 1
        low, high = plain(t)[k], plain(t)[n]
        points = x.reshape(-1)
        if extrapolate == "periodic":
            turns = np.floor((plain(points) - low) / (high - low))
            points = points - (t[n] - t[k]) * turns
        for _ in range(nu):
            t, c, k = derived(t, c, k) if k else (t, 0 * c, 0)
        out = evaluate(t, c, k, points)
        if not extrapolate:
            outside = (plain(points) < low) | (plain(points) > high)
            out = xp.where(outside.reshape((-1,) + (1,) * (c.ndim - 1)), np.nan, out)
        return _axis_back(out.reshape((*x.shape, *c.shape[1:])), x.ndim, self.axis)

    def derivative(self, nu: int = 1) -> BSpline:
        """The spline that is the derivative."""
        t, c, k = self.tck
        for _ in range(nu):
            t, c, k = derived(t, c, k)
        return _spline(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """The spline whose derivative this is, 0 at the first knot."""
        t, c, k = self.tck
        for _ in range(nu):
            n = t.shape[0] - k - 1
            width = (t[k + 1 : k + 1 + n] - t[:n]).reshape((-1,) + (1,) * (c.ndim - 1))
            c = xp.cumsum(c[:n] * width / (k + 1), axis=0)
            c = xp.concatenate((xp.zeros_like(c[:1]), c))
            t, k = xp.concatenate((t[:1], t, t[-1:])), k + 1
        return _spline(t, c, k, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Integral from a to b; its derivative by b is the value at b."""
        whole = self.antiderivative()
        return whole(b, extrapolate=extrapolate) - whole(a, extrapolate=extrapolate)


def _spline(t: Any, c: Any, k: int, extrapolate: Any, axis: int) -> BSpline:
    """A spline whose coefficients have the axis of interpolation first already."""
    spline = BSpline(t, c, k, extrapolate)
    spline.axis = axis
    return spline


def spline_of(real: Any) -> BSpline:
    """Ours for a B-spline of SciPy."""
    return _spline(real.t, real.c, real.k, real.extrapolate, real.axis)


# -- interpolation ---------------------------------------------------------------------------------


@policed
def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0,
    check_finite: bool = True,
) -> BSpline:  # fmt: skip
    """Interpolating spline of degree k.

    Notes
    -----
    Its coefficients solve a banded system (dense for periodic splines), through which the
    derivative passes: to the values, and to the points, of which knots and matrix are made.
    """
    if isinstance(bc_type, str) and bc_type == "periodic" and (k > 1 or t is not None):
        if needs_rule(x, y, t):
            return _periodic(x, y, int(k), t, axis)
        real = scipy_object("scipy.interpolate.make_interp_spline")
        return spline_of(real(plain(x), plain(y), k, plain(t), bc_type, axis))
    x, y, axis = _data("scipy.interpolate.make_interp_spline", x, y, axis)
    k = int(k)
    if k == 0:
        return _spline(xp.concatenate((x, x[-1:])), y, 0, True, axis)
    start, end = _derivatives(bc_type)
    if t is None:
        t = _knots(x, k) if not start and not end else _augmented(x, k)
    t = tensor(t, "scipy.interpolate.make_interp_spline", 4)
    if t.shape[0] - k - 1 != x.shape[0] + len(start) + len(end):
        raise ArgumentError(
            f"make_interp_spline: {x.shape[0]} points and {len(start) + len(end)} conditions for "
            f"{t.shape[0] - k - 1} coefficients"
        )
    flat = y.reshape((y.shape[0], -1))
    c = _coefficients(x, flat, k, t, start, end)
    return _spline(t, c.reshape((-1, *y.shape[1:])), k, True, axis)


def _periodic(x: Any, y: Any, k: int, t: Any, axis: int) -> BSpline:
    """The periodic interpolating spline; the last value counts as the first one."""
    x, y, axis = _data("scipy.interpolate.make_interp_spline", x, y, axis)
    n = x.shape[0]
    first, last = plain(y)[0], plain(y)[-1]
    if not np.allclose(first, last, atol=1e-15):
        raise ArgumentError("make_interp_spline: first and last value of a periodic spline differ")
    t = _periodic_knots(x, k) if t is None else tensor(t, "make_interp_spline", 4)
    intervals = interval_of(t, k, x[:-1])
    values = xp.stack(basis(t, k, x[:-1], intervals), axis=1)
    matrix = xp.zeros((n - 1, n - 1), dtype=values.dtype)
    columns = (intervals[:, None] - k + np.arange(k + 1)) % (n - 1)
    xp.add.at(matrix, (np.arange(n - 1)[:, None] + 0 * columns, columns), values)
    c = core.solve(matrix, y[:-1].reshape((n - 1, -1)))
    c = c[np.arange(n + k - 1) % (n - 1)]
    return _spline(t, c.reshape((-1, *y.shape[1:])), k, "periodic", axis)


def _periodic_knots(x: Any, k: int) -> Any:
    """Points (for even degrees the middles between them), repeated on both sides."""
    inner = x if k % 2 else xp.concatenate((x[:1], (x[1:-1] + x[:-2]) / 2, x[-1:]))
    period = inner[-1] - inner[0]
    n = inner.shape[0] - 1
    steps = np.arange(-k, n + k + 1)
    return inner[steps % n] + (steps // n) * period


def _derivatives(bc_type: Any) -> tuple[list[Any], list[Any]]:
    """Pairs (order, value) prescribed at the first and at the last point."""
    if bc_type is None or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "periodic")):
        return [], []  # a periodic one of degree 0 or 1 has no condition
    found: list[list[Any]] = []
    for condition in (bc_type, bc_type) if isinstance(bc_type, str) else bc_type:
        if condition is None or (isinstance(condition, str) and condition == "not-a-knot"):
            found.append([])
        elif isinstance(condition, str):
            found.append([_conditions(condition)[0]])
        else:
            found.append(list(condition))
    return found[0], found[1]


def _augmented(x: Any, k: int) -> Any:
    return xp.concatenate((xp.stack([x[0]] * k), x, xp.stack([x[-1]] * k)))


def _knots(x: Any, k: int) -> Any:
    """Not-a-knot: as many knots as points, those nearest to the ends left out."""
    if k == 1:
        return _augmented(x, k)
    half = (k + 1) // 2 if k % 2 else k // 2
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    inner = inner[half : inner.shape[0] - half]
    return xp.concatenate((xp.stack([x[0]] * (k + 1)), inner, xp.stack([x[-1]] * (k + 1))))


def _coefficients(x: Any, y: Any, k: int, t: Any, start: Any, end: Any) -> Any:
    n = t.shape[0] - k - 1
    intervals = interval_of(t, k, x)
    values = xp.stack(basis(t, k, x, intervals), axis=1)  # (m, k + 1)
    columns = intervals[:, None] - k + np.arange(k + 1)
    blocks, rhs, places = [values], [y], [columns]
    for conditions, point, first in ((start, x[:1], 0), (end, x[-1:], n - k - 1)):
        rows = [_derivative_row(t, k, point, first, order) for order, _ in conditions]
        given = [
            xp.broadcast_to(xp.reshape(xp.asarray(v, dtype=float), (1, -1)), (1, y.shape[1]))
            for _, v in conditions
        ]
        here = [first + np.arange(k + 1)[None]] * len(rows)
        if first == 0:
            blocks, rhs, places = rows + blocks, given + rhs, here + places
        else:
            blocks, rhs, places = blocks + rows, rhs + given, places + here
    values, columns = xp.concatenate(blocks), np.concatenate(places)
    right = xp.concatenate(rhs)
    order = np.arange(n)[:, None]
    width = int(np.abs(columns - order).max())
    if 3 * width > n:
        matrix = xp.zeros((n, n), dtype=values.dtype)
        matrix[order + 0 * columns, columns] = values
        return core.solve(matrix, right)
    bands = xp.zeros((2 * width + 1, n), dtype=values.dtype)
    bands[width + order - columns, columns] = values
    return solve_of_banded(bands, right, lower=width, upper=width)


def _derivative_row(t: Any, k: int, point: Any, first: int, order: int) -> Any:
    """Derivatives at an end of the k + 1 splines that are not zero there, shape (1, k + 1)."""
    n = t.shape[0] - k - 1
    c: Any = xp.asarray(np.eye(n)[:, first : first + k + 1])
    for _ in range(order):
        t, c, k = derived(t, c, k)
    return evaluate(t, c, k, point)


@rule("scipy.interpolate.make_lsq_spline")
def make_lsq_spline(
    x: Any, y: Any, t: Any, k: int = 3, w: Any = None, axis: int = 0, check_finite: bool = True, *,
    method: str = "qr",
) -> BSpline:  # fmt: skip
    """Spline of degree k with given knots, closest to the data in weighted squares.

    Notes
    -----
    Its coefficients solve a linear least-squares problem, through which the derivative passes.
    """
    x, y, axis = _data("scipy.interpolate.make_lsq_spline", x, y, axis)
    k = int(k)
    t = tensor(t, "scipy.interpolate.make_lsq_spline", 3)
    intervals = interval_of(t, k, x)
    values = xp.stack(basis(t, k, x, intervals), axis=1)
    rows = np.arange(x.shape[0])[:, None] + np.zeros(k + 1, int)
    matrix = xp.zeros((x.shape[0], t.shape[0] - k - 1), dtype=values.dtype)
    matrix[rows, intervals[:, None] - k + np.arange(k + 1)] = values
    flat = y.reshape((y.shape[0], -1))
    if w is not None:
        w = tensor(w, "scipy.interpolate.make_lsq_spline", 5)[:, None]
        matrix, flat = matrix * w, flat * w
    c = core.lstsq(matrix, flat)[0]
    return _spline(t, c.reshape((-1, *y.shape[1:])), k, True, axis)


# -- FITPACK's names -------------------------------------------------------------------------------


@rule("scipy.interpolate.splrep")
def splrep(
    x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3, task: int = 0,
    s: Any = None, t: Any = None, full_output: int = 0, per: int = 0, quiet: int = 1,
) -> Any:  # fmt: skip
    """Knots, coefficients and degree of the interpolating spline.

    Notes
    -----
    Differentiable where it interpolates (s = 0), with given knots, and where one polynomial is
    smooth enough; where the data choose knots and smoothness it is refused.
    """
    if t is not None or task == -1:
        return _with_knots(x, y, w, xb, xe, k, t, full_output)
    smooth = plain(s) if s is not None else 0 if w is None else _usual(w)
    if per and not smooth and not task and k % 2:
        y = xp.concatenate((tensor(y, "splrep", 2)[:-1], tensor(y, "splrep", 2)[:1]))
        return _as_tck(_periodic(x, y, k, None, 0), full_output, (x, y, w, xb, xe, k), 1)
    if smooth and not (task or per):
        found = scipy_object("scipy.interpolate.splrep")(
            *plain((x, y, w, xb, xe)), k, s=smooth, full_output=1
        )
        if found[2] == -2:  # one polynomial is smooth enough
            return _with_knots(x, y, w, xb, xe, k, (), full_output, found)
    if smooth or task or per:
        raise refuse(
            "scipy.interpolate.splrep", "where the data choose knots or smoothness (it "
            "interpolates, with s=0)",
            "keep the knots: t = splrep(x.detach(), y.detach(), s=s)[0] and make_lsq_spline(x, y, "
            "t), or use make_smoothing_spline with lam=",
        )  # fmt: skip
    spline = interpolating(x, y, k, xb, xe)
    return _as_tck(spline, full_output, (x, y, w, xb, xe, k))


def _as_tck(spline: BSpline, full_output: int, given: tuple[Any, ...], per: int = 0) -> Any:
    """What `splrep` returns: coefficients have zeros behind them."""
    padding = xp.zeros(spline.t.shape[0] - spline.c.shape[0], dtype=spline.c.dtype)
    tck = spline.t, xp.concatenate((spline.c, padding)), spline.k
    if not full_output:
        return tck
    real = scipy_object("scipy.interpolate.splrep")
    return (tck, *real(*plain(given), s=0, full_output=1, per=per)[1:])


def _usual(w: Any) -> float:
    """The smoothness that FITPACK takes where there are weights."""
    m = len(w)
    return float(m - np.sqrt(2 * m))


def _with_knots(
    x: Any, y: Any, w: Any, xb: Any, xe: Any, k: int, t: Any, full_output: int, report: Any = None
) -> Any:
    """The spline with these inner knots that is closest to the data."""
    x = tensor(x, "scipy.interpolate.splrep")
    spline = make_lsq_spline(x, y, knots_around(x, xb, xe, k, t), k, w)
    tck = _as_tck(spline, 0, ())
    if not full_output:
        return tck
    real = scipy_object("scipy.interpolate.splrep")
    found = report or real(*plain((x, y, w, xb, xe)), k, -1, t=plain(t), full_output=1)
    residual = tensor(y, "splrep", 2) - spline(x)
    return (tck, xp.sum((residual if w is None else residual * w) ** 2), *found[2:])


def knots_around(x: Any, first: Any, last: Any, k: int, inner: Any) -> Any:
    """Inner knots, and the ends k + 1 times."""
    first, last = x[0] if first is None else first, x[-1] if last is None else last
    ends = (xp.stack([xp.asarray(end, dtype=float)] * (k + 1)) for end in (first, last))
    low, high = ends
    return xp.concatenate((low, xp.asarray(inner, dtype=float), high))


def interpolating(x: Any, y: Any, k: int, first: Any, last: Any) -> Any:
    """FITPACK's interpolating spline between two ends, by default the first and last point."""
    if first is None and last is None:
        return make_interp_spline(x, y, k)
    x = tensor(x, "scipy.interpolate.splrep")
    knots = xp.array(_knots(x, k))
    if first is not None:
        knots[: k + 1] = first
    if last is not None:
        knots[-k - 1 :] = last
    return make_interp_spline(x, y, k, knots)


def _kept_within(points: Any, t: Any, low: int, high: int) -> Any:
    """Points, of which those beyond two knots are at these; the knots get their gradient."""
    values, knots = plain(points), plain(t)
    points = xp.where(values < knots[low], t[low], points)
    return xp.where(values > knots[high], t[high], points)


@rule("scipy.interpolate.splev")
def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """Value or derivative of a spline; differentiable in x, knots and coefficients."""
    t, c, k = (tck.t, tck.c, tck.k) if hasattr(tck, "tck") else tck
    if isinstance(c, list | tuple) and np.ndim(plain(c[0])):
        return [splev(x, (t, part, k), der, ext) for part in c]
    t, c = tensors_of("scipy.interpolate.splev", t, c)
    n = t.shape[0] - k - 1
    points = xp.asarray(x, dtype=float)
    low, high = plain(t)[k], plain(t)[n]
    outside = (plain(points) < low) | (plain(points) > high)
    if ext == 2 and outside.any():
        raise ArgumentError("splev: a point lies outside of the knots, and ext=2 forbids it")
    if ext == 3:
        points = _kept_within(points, t, k, n)
    out = BSpline(t, c[:n], k)(points, nu=der)
    return xp.where(outside, 0.0, out) if ext == 1 else out


@rule("scipy.interpolate.splint")
def splint(a: Any, b: Any, tck: Any, full_output: int = 0) -> Any:
    """Integral of a spline, which is zero outside of its knots."""
    t, c, k = (tck.t, tck.c, tck.k) if hasattr(tck, "tck") else tck
    t, c = tensors_of("scipy.interpolate.splint", t, c)
    n = t.shape[0] - k - 1
    a, b = (_kept_within(xp.asarray(end, dtype=float), t, k, n) for end in (a, b))
    out = BSpline(t, c[:n], k).integrate(a, b)
    if not full_output:
        return out
    real = scipy_object("scipy.interpolate.splint")
    return out, real(plain(a), plain(b), (plain(t), plain(c), k), full_output=1)[1]
