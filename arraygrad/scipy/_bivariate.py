"""FITPACK's splines of two variables: interpolation on a grid, and evaluation of any of them."""

from __future__ import annotations

from typing import Any, ClassVar

from ._bsplines import (
    BSpline,
    _kept_within,
    basis,
    derived,
    evaluate,
    interpolating,
    interval_of,
)
from ._grids import _product
from ._rule import (
    needs_rule,
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

_FIXED = "put the data on a grid and use RectBivariateSpline, or use griddata or RBFInterpolator"


def _derived(tck: tuple[Any, ...], dx: int, dy: int) -> tuple[Any, ...]:
    """Knots, coefficients and degrees of a partial derivative."""
    tx, ty, c, kx, ky = tck
    for _ in range(dx):
        tx, c, kx = derived(tx, c, kx)
    c = xp.swapaxes(c, 0, 1)
    for _ in range(dy):
        ty, c, ky = derived(ty, c, ky)
    return tx, ty, xp.swapaxes(c, 0, 1), kx, ky


def _within(x: Any, t: Any, k: int) -> Any:
    return _kept_within(x, t, k, t.shape[0] - k - 1)


def _values(tck: tuple[Any, ...], x: Any, y: Any, dx: int, dy: int, grid: bool) -> Any:
    """Values or partial derivatives; points beyond the knots are at these, as in FITPACK."""
    x, y = _within(x, tck[0], tck[3]), _within(y, tck[1], tck[4])
    tx, ty, c, kx, ky = _derived(tck, dx, dy)
    if grid:
        rows = evaluate(tx, c, kx, xp.atleast_1d(x))
        return xp.swapaxes(evaluate(ty, xp.swapaxes(rows, 0, 1), ky, xp.atleast_1d(y)), 0, 1)
    x, y = xp.broadcast_arrays(x, y)
    parts = []
    for t, k, points in ((tx, kx, x.reshape(-1)), (ty, ky, y.reshape(-1))):
        at = interval_of(t, k, points)
        parts.append([(at - k + i, w) for i, w in enumerate(basis(t, k, points, at))])
    return _product(c, parts).reshape(x.shape)


def _integral(tck: tuple[Any, ...], xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
    tx, ty, c, kx, ky = tck

    def along(t: Any, k: int, values: Any, a: Any, b: Any) -> Any:
        ends = (_within(xp.asarray(end, dtype=float), t, k) for end in (a, b))
        return BSpline(t, values, k).integrate(*ends)

    return along(ty, ky, along(tx, kx, c, xa, xb), ya, yb)


class BivariateSpline:
    """Stand-in for the classes of ``scipy.interpolate`` that evaluate splines of two variables.

    Notes
    -----
    Differentiable in the points of evaluation, and in knots and coefficients.
    """

    _path: ClassVar[str] = "scipy.interpolate.BivariateSpline"

    def _take(self, tck: Any, degrees: Any, residual: Any = 0.0) -> None:
        tx, ty, c = tensors_of(self._path, *tck)
        kx, ky = degrees
        shape = tx.shape[0] - kx - 1, ty.shape[0] - ky - 1
        self._tck = tx, ty, c.reshape(shape), kx, ky
        self._residual = residual

    def __getattr__(self, name: str) -> Any:
        raise without_method(self._path, name)

    @property
    def tck(self) -> tuple[Any, Any, Any]:
        """Knots along both axes, and coefficients as a vector."""
        tx, ty, c, _, _ = self._tck
        return tx, ty, c.reshape(-1)

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees along both axes."""
        return self._tck[3], self._tck[4]

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        x, y = (xp.asarray(p, dtype=float) for p in (x, y))
        return _values(self._tck, x, y, dx, dy, grid)

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
        """Values at points."""
        return self(xi, yi, dx, dy, grid=False)

    def integral(self, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
        """Integral over a rectangle."""
        return _integral(self._tck, xa, xb, ya, yb)

    def partial_derivative(self, dx: int, dy: int) -> BivariateSpline:
        """The spline that is a partial derivative."""
        made = BivariateSpline()
        found = _derived(self._tck, dx, dy)
        made._take(found[:3], found[3:])
        return made

    def get_knots(self) -> Any:
        """Knots along both axes."""
        return self._tck[:2]

    def get_coeffs(self) -> Any:
        """Coefficients as a vector."""
        return self._tck[2].reshape(-1)

    def get_residual(self) -> Any:
        """Weighted sum of squared residuals."""
        return self._residual

    @policed
    def _fitted(self, data: Any, args: Any, kwargs: Any) -> None:
        """SciPy's own fit, of plain data."""
        if needs_rule(data, args, kwargs):
            raise refuse(self._path, "by data that it smooths", _FIXED)
        real = scipy_object(self._path)(*plain(data), *plain(args), **plain(kwargs))
        self._take(real.tck, real.degrees, real.get_residual())


class SmoothBivariateSpline(BivariateSpline):
    """Stand-in for ``scipy.interpolate.SmoothBivariateSpline``, of plain data."""

    _path = "scipy.interpolate.SmoothBivariateSpline"

    def __init__(self, x: Any, y: Any, z: Any, *args: Any, **kwargs: Any) -> None:
        self._fitted((x, y, z), args, kwargs)


class LSQBivariateSpline(BivariateSpline):
    """Stand-in for ``scipy.interpolate.LSQBivariateSpline``, of plain data."""

    _path = "scipy.interpolate.LSQBivariateSpline"

    def __init__(self, x: Any, y: Any, z: Any, tx: Any, ty: Any, *args: Any, **kwargs: Any) -> None:
        self._fitted((x, y, z, tx, ty), args, kwargs)


class RectBivariateSpline(BivariateSpline):
    """Stand-in for ``scipy.interpolate.RectBivariateSpline``.

    Notes
    -----
    Differentiable in the values and in the grid where it interpolates (s=0).
    """

    _path = "scipy.interpolate.RectBivariateSpline"

    @policed
    def __init__(
        self, x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: int = 3,
        ky: int = 3, s: Any = 0, maxit: int = 20,
    ) -> None:  # fmt: skip
        given = {} if maxit == 20 else {"maxit": maxit}  # SciPy 1.14 does not know it
        real = scipy_object(self._path)(*plain((x, y, z, list(bbox))), kx, ky, plain(s), **given)
        if not needs_rule(x, y, z, bbox, s):
            self._take(real.tck, (kx, ky), real.get_residual())
            return
        if plain(s):
            raise refuse(self._path, "by data that it smooths", "use s=0")
        x, y, z = tensors_of(self._path, x, y, z)
        rows = interpolating(x, z.reshape((x.shape[0], y.shape[0])), kx, *bbox[:2])
        columns = interpolating(y, xp.swapaxes(rows.c, 0, 1), ky, *bbox[2:])
        self._take((rows.t, columns.t, xp.swapaxes(columns.c, 0, 1)), (kx, ky))


def bivariate_of(real: Any) -> BivariateSpline:
    """Ours for a spline of two variables of SciPy."""
    kinds = (LSQBivariateSpline, RectBivariateSpline, SmoothBivariateSpline)
    kind = {k.__name__: k for k in kinds}.get(type(real).__name__, BivariateSpline)
    made = object.__new__(kind)
    made._take(real.tck, real.degrees, getattr(real, "fp", 0.0))
    return made


@rule("scipy.interpolate.bisplrep")
def bisplrep(x: Any, y: Any, z: Any, *args: Any, **kwargs: Any) -> Any:
    """SciPy's smoothing spline of two variables, of plain data."""
    raise refuse("scipy.interpolate.bisplrep", "by data that it smooths", _FIXED)


@rule("scipy.interpolate.bisplev")
def bisplev(x: Any, y: Any, tck: Any, dx: int = 0, dy: int = 0) -> Any:
    """Values or partial derivatives on a grid; differentiable in the points and coefficients."""
    tx, ty, c, kx, ky = tck
    made = BivariateSpline()
    made._take((tx, ty, c), (kx, ky))
    at = [tensor(p, "scipy.interpolate.bisplev") for p in (x, y)]
    out = made(at[0], at[1], dx, dy)
    if out.shape == (1, 1):
        return out[0, 0]
    return out[0] if out.shape[0] == 1 else out[:, 0] if out.shape[1] == 1 else out
