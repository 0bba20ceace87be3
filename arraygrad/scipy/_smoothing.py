"""Smoothing splines with a given parameter, and FITPACK's other functions of one variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._bsplines import BSpline, _spline, derived, evaluate, interpolating, make_interp_spline
from ._piecewise import _data, solved
from ._rule import needs_rule, plain, refuse, rule, scipy_object, tensor, tensors, tensors_of, xp
from ._triangular import solve_of_banded


def _banded(diagonals: list[Any]) -> Any:
    """A symmetric matrix in banded form from its main diagonal and those above."""
    n, width = diagonals[0].shape[0], len(diagonals) - 1
    bands = xp.zeros((2 * width + 1, n), dtype=float)
    for k, values in enumerate(diagonals):
        bands[width - k, k:] = values
        bands[width + k, : n - k] = values
    return bands


def _smoothed(x: Any, y: Any, w: Any, lam: Any) -> Any:
    """Values at x of the natural cubic spline that balances residuals and curvature."""
    h = x[1:] - x[:-1]
    a, c = 1 / h[:-1], 1 / h[1:]  # second divided differences: a y0 + b y1 + c y2
    b = -(a + c)
    v = 1 / w
    curvature = [(h[:-1] + h[1:]) / 3, h[1:-1] / 6, 0.0]
    crossed = [
        a**2 * v[:-2] + b**2 * v[1:-1] + c**2 * v[2:],
        b[:-1] * a[1:] * v[1:-2] + c[:-1] * b[1:] * v[2:-1],
        c[:-2] * a[2:] * v[2:-2],
    ]
    bands = _banded([r + lam * q for r, q in zip(curvature, crossed, strict=True)])
    a, b, c, v = (part[:, None] for part in (a, b, c, v))
    second = solve_of_banded(bands, a * y[:-2] + b * y[1:-1] + c * y[2:], lower=2, upper=2)
    pull = xp.zeros(y.shape, dtype=float)
    pull[:-2] += a * second
    pull[1:-1] += b * second
    pull[2:] += c * second
    return y - lam * v * pull


@rule("scipy.interpolate.make_smoothing_spline")
def make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0
) -> BSpline:
    """Natural cubic spline with the least sum of w (y - f(x))^2 and lam times the curvature.

    Notes
    -----
    Differentiable in the data, the weights and `lam`: the coefficients solve a banded system.
    Without `lam` SciPy searches for it by cross-validation, to a few digits.
    """
    function = "scipy.interpolate.make_smoothing_spline"
    if lam is None:
        raise refuse(function, "by data that choose lam themselves", "give lam=, a number")
    real = scipy_object(function)  # its errors
    options = {"axis": axis} if axis else {}
    real(plain(x), plain(y), plain(w), plain(lam), **options)
    x, y, axis = _data(function, x, y, axis)
    w = xp.ones(x.shape[0]) if w is None else tensor(w, function, 3)
    fitted = _smoothed(x, y.reshape((y.shape[0], -1)), w, lam)
    made = make_interp_spline(x, fitted.reshape(y.shape), bc_type="natural")
    return _spline(made.t, made.c, 3, True, axis)


# -- curves ----------------------------------------------------------------------------------------

_FIXED = (
    "keep the knots: t = splrep(x.detach(), y.detach(), s=s)[0] and make_lsq_spline(x, y, t), or "
    "use make_smoothing_spline with lam="
)


@rule("scipy.interpolate.splprep")
def splprep(
    x: Any, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: int = 3,
    task: int = 0, s: Any = None, t: Any = None, full_output: int = 0, nest: Any = None,
    per: int = 0, quiet: int = 1,
) -> Any:  # fmt: skip
    """Knots, coefficients of each coordinate and degree of a curve, and its parameters.

    Notes
    -----
    Differentiable where it interpolates (s=0, or no s with no weights).
    """
    smooth = s if s is not None else (1 if w is not None else None)
    parts = [tensor(part, "scipy.interpolate.splprep") for part in x]
    if smooth is None:
        m = parts[0].shape[0]
        smooth = m - np.sqrt(2 * m)
    if plain(smooth) or task or per or t is not None:
        raise refuse("scipy.interpolate.splprep", "for these arguments (it interpolates, s=0)",
                     _FIXED)  # fmt: skip
    points = xp.stack(parts)
    if u is None:
        way = xp.sqrt(xp.sum((points[:, 1:] - points[:, :-1]) ** 2, axis=0))
        u = xp.concatenate((xp.zeros(1), xp.cumsum(way)))
        u = u / u[-1]
    u = tensor(u, "scipy.interpolate.splprep", 3)
    curves = [interpolating(u, part, k, ub, ue) for part in points]
    tck = [curves[0].t, [curve.c for curve in curves], k]
    if not full_output:
        return tck, u
    real = scipy_object("scipy.interpolate.splprep")
    found = real(plain(parts), plain(w), plain(u), plain(ub), plain(ue), k, s=0, full_output=1)
    return ((tck, u), *found[1:])


@rule("scipy.interpolate.make_splrep", optional=True)
def make_splrep(
    x: Any, y: Any, *, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3, s: Any = 0,
    t: Any = None, nest: Any = None, bc_type: Any = None,
) -> Any:  # fmt: skip
    """The interpolating spline (s=0); smoothing is refused, as it is by `splrep`."""
    if plain(s) or w is not None or t is not None or xb is not None or xe is not None or bc_type:
        raise refuse("scipy.interpolate.make_splrep", "for these arguments (it interpolates, s=0)",
                     _FIXED)  # fmt: skip
    return make_interp_spline(x, y, k)


# -- functions of knots, coefficients and degree ---------------------------------------------------


def _parts(tck: Any, function: str) -> tuple[Any, Any, int]:
    t, c, k = (tck.t, tck.c, tck.k) if hasattr(tck, "tck") else tck
    t, c = tensors_of(function, t, c)
    return t, c[: t.shape[0] - k - 1], k


@rule("scipy.interpolate.sproot")
def sproot(tck: Any, mest: int = 10) -> Any:
    """Zeros of a cubic spline; their derivative is implicit."""
    t, c, k = _parts(tck, "scipy.interpolate.sproot")
    padding = np.zeros(k + 1)
    zeros = scipy_object("scipy.interpolate.sproot")(
        (plain(t), np.concatenate((plain(c), padding)), k), mest
    )
    if not zeros.size:
        return tensors(zeros)
    spline = BSpline(t, c, k)
    return solved(spline, zeros, "scipy.interpolate.sproot")


@rule("scipy.interpolate.spalde")
def spalde(x: Any, tck: Any) -> Any:
    """Value and all derivatives of a spline at a point, or a list of them for several points."""
    t, c, k = _parts(tck, "scipy.interpolate.spalde")
    points = xp.asarray(x, dtype=float)
    if points.ndim:
        return [spalde(point, (t, c, k)) for point in points]
    found = []
    for _ in range(k + 1):
        found.append(evaluate(t, c, k, points.reshape(1))[0])
        if k:
            t, c, k = derived(t, c, k)
    return xp.stack(found)


@rule("scipy.interpolate.insert")
def insert(x: Any, tck: Any, m: int = 1, per: int = 0) -> Any:
    """The same spline with a knot more at x, m times; the knot is plain."""
    if per or needs_rule(x) or hasattr(tck, "tck"):
        raise refuse("scipy.interpolate.insert", "by the knot, or for periodic splines",
                     "give x.detach() and the tuple (t, c, k)")  # fmt: skip
    t, c, k = _parts(tck, "scipy.interpolate.insert")
    point = float(plain(x))
    for _ in range(m):
        n = t.shape[0] - k - 1
        place = int(np.clip(np.searchsorted(plain(t), point, "right") - 1, k, n - 1))
        i = np.arange(1, n)
        low, high = t[i], t[np.minimum(i + k, t.shape[0] - 1)]
        inner = (i > place - k) & (i <= place)
        part = xp.where(inner, (point - low) / xp.where(inner, high - low, 1.0), i <= place - k)
        mixed = part * c[1:] + (1 - part) * c[:-1]
        c = xp.concatenate((c[:1], mixed, c[-1:]))
        t = xp.concatenate((t[: place + 1], xp.asarray([point]), t[place + 1 :]))
    return t, xp.concatenate((c, xp.zeros(k + 1))), k
