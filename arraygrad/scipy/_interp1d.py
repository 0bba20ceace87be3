"""One-dimensional interpolation with ``scipy.interpolate.interp1d``'s kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._bsplines import make_interp_spline
from ._piecewise import _axis_back
from ._rule import needs_rule, plain, scipy_object, tensors, tensors_of, xp

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_GATHERS = ("nearest", "nearest-up", "previous", "next")


class interp1d:
    """Stand-in for ``scipy.interpolate.interp1d``.

    Notes
    -----
    Differentiable in x, y and the points of evaluation. Values that are filled in outside of the
    data have no gradient by the points; kinds that pick one of the values have none either.
    """

    def __init__(
        self, x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True,
        bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: bool = False,
    ) -> None:  # fmt: skip
        self._real = scipy_object("scipy.interpolate.interp1d")(
            plain(x), plain(y), kind=kind, axis=axis, bounds_error=bounds_error,
            fill_value=plain(fill_value), assume_sorted=assume_sorted,
        )  # fmt: skip
        self._fill = fill_value
        self._kind = kind
        x, y = tensors_of("scipy.interpolate.interp1d", x, y)
        self.axis = axis % y.ndim
        if not assume_sorted:
            order = np.argsort(plain(x), kind="mergesort")
            if (np.diff(order) != 1).any():
                x, y = x[order], xp.take(y, order, axis=self.axis)
        self.x, self.y = x, y
        self._spline: Any = None

    def __call__(self, x: Any) -> Any:
        if not needs_rule(x, self.x, self.y, self._fill):
            return tensors(self._real(plain(x)))
        points = xp.asarray(x, dtype=float)
        plain_value = self._real(plain(points))  # raises where a point is out of bounds
        ordinates = xp.moveaxis(self.y, self.axis, 0)
        out = self._at(points.reshape(-1), ordinates)
        out = _axis_back(out.reshape((*points.shape, *ordinates.shape[1:])), points.ndim, self.axis)
        return self._filled(points, out, plain_value)

    def _at(self, points: Any, y: Any) -> Any:
        """The interpolant at points, shape (m,); the axis of the data comes first."""
        trailing = (1,) * (y.ndim - 1)
        if self._kind in _GATHERS:
            real = scipy_object("scipy.interpolate.interp1d")
            which = real(plain(self.x), np.arange(float(self.x.shape[0])), self._kind,
                         fill_value="extrapolate")  # fmt: skip
            found = np.nan_to_num(which(plain(points))).astype(int)
            return y[np.clip(found, 0, self.x.shape[0] - 1)]
        if self._kind == "linear":
            high = np.clip(np.searchsorted(plain(self.x), plain(points)), 1, self.x.shape[0] - 1)
            x0, x1 = self.x[high - 1], self.x[high]
            part = ((points - x0) / (x1 - x0)).reshape((-1, *trailing))
            return y[high - 1] + (y[high] - y[high - 1]) * part
        if self._spline is None:
            self._spline = make_interp_spline(self.x, y, k=_ORDERS.get(self._kind, self._kind))
        return self._spline(points)

    def _filled(self, points: Any, out: Any, plain_value: Any) -> Any:
        if isinstance(self._fill, str):
            if self._kind not in ("previous", "next"):
                return out
            # SciPy continues these kinds to one side only.
            return xp.where(np.isnan(plain_value), np.nan, out)
        values = plain(points)
        below, above = values < plain(self.x)[0], values > plain(self.x)[-1]
        if not (below.any() or above.any()):
            return out
        pair = self._fill if isinstance(self._fill, tuple) else (self._fill, self._fill)
        shape = (1,) * self.axis + values.shape + (1,) * (self.y.ndim - 1 - self.axis)
        out = xp.where(below.reshape(shape), self._shaped(pair[0], values.ndim), out)
        return xp.where(above.reshape(shape), self._shaped(pair[1], values.ndim), out)

    def _shaped(self, fill: Any, count: int) -> Any:
        """The fill value as it broadcasts against the result."""
        fill = xp.asarray(fill, dtype=float)
        if fill.ndim <= self.y.ndim - 1 - self.axis:
            return fill
        ones = (1,) * count
        return fill.reshape((*fill.shape[: self.axis], *ones, *fill.shape[self.axis :]))
