"""Least squares: the residuals are orthogonal to their derivatives at the minimum."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import wrap
from ._implicit import gradient, in_graph, is_recorded, jacobian, on_plain, vector
from ._minimize import _limits, _stationary, plain_bounds
from ._reports import guarded
from ._rule import by_name, is_grad_enabled, needs_rule, plain, scipy_object, tensors, xp
from .linalg import solve_triangular

_LOSSES: dict[str, Any] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (xp.sqrt(1 + z) - 1),
    "huber": lambda z: xp.where(plain(z) <= 1, z, 2 * xp.sqrt(xp.where(plain(z) <= 1, 1, z)) - 1),
    "cauchy": xp.log1p,
    "arctan": xp.arctan,
}


def _cost(residuals: Any, loss: Any = "linear", scale: Any = 1.0) -> Any:
    """Half the sum of the losses of squared residuals, as a function of the unknowns."""
    given = in_graph(loss) if callable(loss) else None

    def rho(z: Any) -> Any:
        return _LOSSES[loss](z) if given is None else given(z)[0]  # with two derivatives

    return lambda x: 0.5 * scale**2 * xp.sum(rho((residuals(x) / scale) ** 2))


def _fitted(cost: Any, value: Any, limits: Any) -> Any:
    """The minimum of the cost near `value` with its derivatives."""
    return _stationary(
        lambda x: gradient(cost, x), np.array(value, dtype=float), limits, []
    )  # fmt: skip


def least_squares(
    fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = None, *more: Any, **options: Any
) -> Any:
    """Report of a least-squares fit; its ``x``, ``fun`` and ``cost`` have derivatives.

    Notes
    -----
    Derivative: that of the stationary point of half the sum of losses, as in `minimize`.
    """
    fun = in_graph(fun)
    options = by_name("scipy.optimize.least_squares", 4, more, options)
    args, kwargs = options.pop("args", ()), options.pop("kwargs", None) or {}
    args = args if isinstance(args, tuple) else tuple(args)
    limited = {} if bounds is None else {"bounds": plain_bounds(bounds)}
    loss, scale = options.pop("loss", "linear"), options.pop("f_scale", 1.0)
    report = scipy_object("scipy.optimize.least_squares")(
        on_plain(fun), plain(x0), on_plain(in_graph(jac)), args=args, kwargs=kwargs, **limited,
        loss=on_plain(in_graph(loss)), f_scale=plain(scale), **plain(options),
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
    if not needs_rule(limits) and not is_recorded(residuals(wrap(report.x.copy()))):
        return report
    cost = _cost(residuals, loss, scale)
    x = _fitted(cost, report.x, limits)
    report.x, report.fun = x, residuals(x)
    report.cost = cost(x)
    return guarded(report, "scipy.optimize.least_squares")


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
        absolute_sigma=absolute_sigma, bounds=plain_bounds(bounds), method=method,
        jac=on_plain(in_graph(jac)), full_output=full_output, nan_policy=nan_policy, **given,
        **checked, **kwargs,
    )  # fmt: skip
    if not is_grad_enabled():
        return tensors((popt, *rest))
    deviations = None if sigma is None else xp.asarray(sigma, dtype=float)
    if deviations is not None and deviations.ndim == 2:
        deviations = core.cholesky(deviations)

    def residuals(p: Any) -> Any:
        found = vector(f(xdata, *p)) - vector(ydata)
        if deviations is None:
            return found
        if deviations.ndim == 2:
            return solve_triangular(deviations, found, lower=True)
        return found / deviations

    ends = [xp.broadcast_to(xp.asarray(b, dtype=float), popt.shape) for b in bounds]
    bounded = any(np.isfinite(plain(e)).any() for e in ends)
    if not needs_rule(ends) and not is_recorded(residuals(wrap(popt.copy()))):
        return tensors((popt, *rest))
    limits = _limits(zip(*ends, strict=True), popt.size) if bounded else None
    x = _fitted(_cost(residuals), popt, limits)
    matrix = jacobian(residuals, x, recorded=True)
    covariance = core.inv(xp.swapaxes(matrix, 0, 1) @ matrix)
    if not absolute_sigma:
        left = matrix.shape[0] - matrix.shape[1]
        covariance = covariance * (xp.sum(residuals(x) ** 2) / left)
    if full_output:  # SciPy's residuals are those of the weighted problem
        report = {**rest[1], "fvec": residuals(x)}
        rest[1] = guarded(report, "scipy.optimize.curve_fit", ("fvec",))
    return (x, covariance, *rest[1:])
