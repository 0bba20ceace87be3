"""FITPACK's splines of one variable as classes: interpolation, and smoothing of plain data."""

from __future__ import annotations

from typing import Any

from ._bsplines import BSpline, interpolating, knots_around, make_lsq_spline, splev, splint
from ._piecewise import solved
from ._rule import (
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

_EXTENSIONS = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


class UnivariateSpline:
    """Stand-in for ``scipy.interpolate.UnivariateSpline``.

    Notes
    -----
    Differentiable in the points of evaluation, and in the data where it interpolates (s = 0), or
    where one polynomial is smooth enough. Else it chooses knots and smoothness by the data, which
    is refused.
    """

    _residual: Any = None

    def __init__(
        self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3, s: Any = None,
        ext: Any = 0, check_finite: bool = False,
    ) -> None:  # fmt: skip
        options = {"w": plain(w), "k": k, "s": s, "ext": ext}
        self._made(x, y, bbox, {**options, "check_finite": check_finite}, s == 0, w)

    @policed
    def _made(
        self, x: Any, y: Any, bbox: Any, options: dict[str, Any], interpolates: bool, *others: Any
    ) -> None:
        self._ext = _EXTENSIONS.get(options["ext"], options["ext"])
        if not needs_rule(x, y, bbox, *others):
            name = f"scipy.interpolate.{type(self).__name__}"
            self._real = scipy_object(name)(plain(x), plain(y), bbox=plain(bbox), **options)
            self._spline = BSpline(*self._real._eval_args)
            return
        if not interpolates:
            self._smooth(x, y, bbox, options, *others)
            return
        self._real = None
        self._spline = interpolating(x, y, options["k"], *bbox)

    def _smooth(self, x: Any, y: Any, bbox: Any, options: dict[str, Any], w: Any) -> None:
        """One polynomial, if that is smooth enough: else the data choose the knots."""
        name = f"scipy.interpolate.{type(self).__name__}"
        self._real = scipy_object(name)(plain(x), plain(y), bbox=plain(bbox), **options)
        if self._real._data[-1] != -2:
            raise refuse(name, "by data that choose knots and smoothness",
                         "use s=0, keep the knots (t = spline.get_knots() and LSQUnivariateSpline("
                         "x, y, t[1:-1])), or use make_smoothing_spline with lam=")  # fmt: skip
        self._fit(x, y, (), w, bbox, options["k"])

    def _fit(self, x: Any, y: Any, inner: Any, w: Any, bbox: Any, k: int) -> None:
        x = tensor(x, "scipy.interpolate.UnivariateSpline")
        first, last = bbox
        t = knots_around(x, first, last, k, inner)
        self._spline = make_lsq_spline(x, y, t, k, w)
        residual = tensor(y, "scipy.interpolate.UnivariateSpline", 2) - self._spline(x)
        self._residual = xp.sum((residual if w is None else residual * w) ** 2)

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        ext = self._ext if ext is None else _EXTENSIONS.get(ext, ext)
        return splev(x, self._spline.tck, nu, ext)

    def derivative(self, n: int = 1) -> BSpline:
        """The spline that is the derivative."""
        return self._spline.derivative(n)

    def antiderivative(self, n: int = 1) -> BSpline:
        """The spline whose derivative this is."""
        return self._spline.antiderivative(n)

    def derivatives(self, x: Any) -> Any:
        """Value and derivatives at one point."""
        return xp.stack([self(x, nu) for nu in range(self._spline.k + 1)])

    def integral(self, a: Any, b: Any) -> Any:
        """Integral from a to b."""
        return splint(a, b, self._spline.tck)

    def get_knots(self) -> Any:
        """Knots without repetitions."""
        return self._spline.t[self._spline.k : -self._spline.k]

    def get_coeffs(self) -> Any:
        """Coefficients of the B-splines."""
        n = self._spline.t.shape[0] - self._spline.k - 1
        return self._spline.c[:n]

    @policed
    def get_residual(self) -> Any:
        """Weighted sum of squared residuals: 0 where it interpolates."""
        if self._residual is not None:
            return self._residual
        return 0.0 if self._real is None else self._real.get_residual()

    @policed
    def roots(self) -> Any:
        """Zeros of a cubic spline; their derivative is implicit."""
        name = f"{type(self).__name__}.roots"
        if self._spline.k != 3:
            raise NotImplementedError(f"{name}: finding roots unsupported for non-cubic splines")
        zeros = scipy_object("scipy.interpolate.sproot")(plain(self._spline.tck))
        if not needs_rule(*self._spline.tck):
            return tensors(zeros)
        return solved(self._spline, zeros, name)

    def __getattr__(self, name: str) -> Any:
        raise without_method("scipy.interpolate.UnivariateSpline", name)


class InterpolatedUnivariateSpline(UnivariateSpline):
    """Stand-in for ``scipy.interpolate.InterpolatedUnivariateSpline``."""

    def __init__(
        self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3, ext: Any = 0,
        check_finite: bool = False,
    ) -> None:  # fmt: skip
        options = {"w": plain(w), "k": k, "ext": ext}
        self._made(x, y, bbox, {**options, "check_finite": check_finite}, True)


class LSQUnivariateSpline(UnivariateSpline):
    """Stand-in for ``scipy.interpolate.LSQUnivariateSpline``: given knots, least squares.

    Notes
    -----
    Differentiable in the data, the weights, the knots and the points of evaluation.
    """

    def __init__(
        self, x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: int = 3,
        ext: Any = 0, check_finite: bool = False,
    ) -> None:  # fmt: skip
        real = scipy_object("scipy.interpolate.LSQUnivariateSpline")
        self._ext = _EXTENSIONS.get(ext, ext)
        self._real = real(*plain((x, y, t, w, bbox)), k, ext, check_finite)
        if needs_rule(x, y, t, w, bbox):
            self._fit(x, y, t, w, bbox, k)
        else:
            self._spline = BSpline(*self._real._eval_args)
