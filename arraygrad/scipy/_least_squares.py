"""Least squares: the residuals are orthogonal to their derivatives at the minimum."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import linalg as core
from ._implicit import gradient, in_graph, is_recorded, jacobian, on_plain, vector
from ._minimize import _limits, _stationary
from ._rule import is_grad_enabled, plain, refuse, scipy_object, tensors, xp


def _fitted(residuals: Any, value: Any, limits: Any) -> Any:
    """The minimum of the sum of squares near `value` with its derivatives."""
    return _stationary(
        lambda x: gradient(lambda y: 0.5 * xp.sum(residuals(y) ** 2), x),
        np.array(value, dtype=float), limits, [],
    )  # fmt: skip


def least_squares(
    fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = None, **options: Any
) -> Any:
    """Report of a least-squares fit; its ``x``, ``fun`` and ``cost`` have derivatives.

    Notes
    -----
    Derivative: that of the stationary point of half the sum of squares, as in `minimize`.
    """
    fun = in_graph(fun)
    args, kwargs = options.pop("args", ()), options.pop("kwargs", None) or {}
    limited = {} if bounds is None else {"bounds": plain(bounds)}
    report = scipy_object("scipy.optimize.least_squares")(
        on_plain(fun), plain(x0), on_plain(in_graph(jac)), args=args, kwargs=kwargs, **limited,
        **options,
    )  # fmt: skip
    if not is_grad_enabled():
        return report

    def residuals(x: Any) -> Any:
        return vector(fun(x, *args, **kwargs))

    limits = None
    if bounds is not None:
        n = report.x.size
        ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
        limits = tuple(list(xp.broadcast_to(xp.asarray(e, dtype=float), (n,))) for e in ends)
    x = _fitted(residuals, report.x, limits)
    if is_recorded(x) or is_recorded(residuals(xp.asarray(report.x))):
        if options.get("loss", "linear") != "linear":
            raise refuse(
                "scipy.optimize.least_squares", "for this loss", "use scipy.optimize.minimize"
            )
        report.x, report.fun = x, residuals(x)
        report.cost = 0.5 * xp.sum(report.fun**2)
    return report


def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None,
    absolute_sigma: bool = False, check_finite: Any = None, bounds: Any = (-np.inf, np.inf),
    method: Any = None, jac: Any = None, *, full_output: bool = False, nan_policy: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Parameters of f that fit the data best, and their covariance.

    Notes
    -----
    Derivative by the data and what else f depends on: that of the stationary point of the sum of
    squares. The covariance is that of f's derivatives at the fit.
    """
    f = in_graph(f)
    given = {} if p0 is None else {"p0": plain(p0)}
    if p0 is None:
        given["p0"] = np.ones(len(inspect.signature(f).parameters) - 1)
    checked = {} if check_finite is None else {"check_finite": check_finite}
    popt, *rest = scipy_object("scipy.optimize.curve_fit")(
        on_plain(f), plain(xdata), plain(ydata), sigma=plain(sigma),
        absolute_sigma=absolute_sigma, bounds=plain(bounds), method=method,
        jac=on_plain(in_graph(jac)), full_output=full_output, nan_policy=nan_policy, **given,
        **checked, **kwargs,
    )  # fmt: skip
    if not is_grad_enabled():
        return tensors((popt, *rest))
    weights: Any = 1.0
    if sigma is not None:
        if np.ndim(plain(sigma)) != 1:
            raise refuse("scipy.optimize.curve_fit", "for a covariance matrix in sigma",
                         "pass standard deviations, or whiten the data")  # fmt: skip
        weights = 1.0 / xp.asarray(sigma, dtype=float)

    def residuals(p: Any) -> Any:
        return (vector(f(xdata, *p)) - vector(ydata)) * weights

    ends = [xp.broadcast_to(xp.asarray(b, dtype=float), popt.shape) for b in bounds]
    bounded = any(np.isfinite(plain(e)).any() for e in ends)
    x = _fitted(residuals, popt, _limits(zip(*ends, strict=True), popt.size) if bounded else None)
    if not is_recorded(x):
        return tensors((popt, *rest))
    matrix = jacobian(residuals, x, recorded=True)
    covariance = core.inv(xp.swapaxes(matrix, 0, 1) @ matrix)
    if not absolute_sigma:
        left = matrix.shape[0] - matrix.shape[1]
        covariance = covariance * (xp.sum(residuals(x) ** 2) / left)
    return (x, covariance, *rest[1:])
