"""Solvers of ``scipy.optimize`` beside the usual ones: iterations, searches, bounded squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import wrap
from ._implicit import gradient, in_graph, is_recorded, on_plain, solution, vector
from ._minimize import (
    _active_constraints,
    _limits,
    _searched,
    _stationary,
    plain_bounds,
)
from ._older_optimizers import _called
from ._rule import (
    by_name,
    is_grad_enabled,
    needs_rule,
    plain,
    refuse,
    rule,
    scipy_object,
    tensor,
    tensors,
    tensors_of,
    xp,
)

# -- zeros by iteration ----------------------------------------------------------------------------


def _iteration(name: str) -> Callable[..., Any]:
    """A solver of F(x) = 0 that takes the function and where to begin."""

    def solver(F: Any, xin: Any, *args: Any, **options: Any) -> Any:
        F = in_graph(F)
        function = scipy_object(f"scipy.optimize.{name}")
        value = function(on_plain(F), plain(xin), *plain(args), **plain(options))
        shape = np.shape(value)

        def residual(x: Any) -> Any:
            return vector(F(x.reshape(shape) if shape else x[0]))

        x = solution(residual, np.reshape(value, -1), f"scipy.optimize.{name}")
        return x.reshape(shape) if shape else x[0]

    solver.__name__ = solver.__qualname__ = name
    solver.__doc__ = "Zero of a vector function; derivative as in `root`."
    return solver


anderson = _iteration("anderson")
broyden1 = _iteration("broyden1")
broyden2 = _iteration("broyden2")
diagbroyden = _iteration("diagbroyden")
excitingmixing = _iteration("excitingmixing")
linearmixing = _iteration("linearmixing")
newton_krylov = _iteration("newton_krylov")

# -- minima ----------------------------------------------------------------------------------------


def direct(func: Any, bounds: Any, *, args: Any = (), **options: Any) -> Any:
    """Report of a global search; derivatives of its minimum as in `minimize`."""
    return _searched("direct", func, (bounds,), {"args": args, **options})


def shgo(func: Any, bounds: Any, args: Any = (), constraints: Any = None, *more: Any,
         **options: Any) -> Any:  # fmt: skip
    """Report of a global search; derivatives of its minimum as in `minimize`."""
    options = by_name("scipy.optimize.shgo", 4, more, options)
    given = {"args": args, "constraints": constraints or (), **options}
    return _searched("shgo", func, (bounds,), given)


def _least(
    function: Any, args: Any, found: Any, constraints: Any, bounds: Any
) -> tuple[Any, Any] | None:
    """The minimum and the value there with derivatives; None if there are none."""
    shape = np.shape(found)
    point = np.array(found, dtype=float).reshape(-1)

    def value(x: Any) -> Any:
        return xp.sum(function(x.reshape(shape) if shape else x[0], *args))

    def slope(x: Any) -> Any:
        return gradient(value, x)

    limits = _limits(bounds, point.size)
    active, pressed = _active_constraints(constraints, point, shape, slope, limits)
    recorded = [f(wrap(point.copy())) for f in (value, *active)]
    if not is_grad_enabled() or not (needs_rule(limits) or any(map(is_recorded, recorded))):
        return None
    x = _stationary(slope, point, limits, active, pressed=pressed)
    return (x.reshape(shape) if shape else x[0]), value(x)


def _rows(functions: Any, kind: str, args: Any) -> list[Any]:
    """Constraints in the form that `minimize` takes."""
    given = functions if isinstance(functions, list | tuple) else [functions]
    return [{"type": kind, "fun": in_graph(f), "args": args} for f in given if f is not None]


def fmin_slsqp(*args: Any, **kwargs: Any) -> Any:
    """The minimum under constraints; derivatives as in `minimize`."""
    found, given = _called("fmin_slsqp", args, kwargs, ("eqcons", "ieqcons"))
    held = given["args"]
    constraints = [
        *_rows(list(given["eqcons"]), "eq", held), *_rows(given["f_eqcons"], "eq", held),
        *_rows(list(given["ieqcons"]), "ineq", held), *_rows(given["f_ieqcons"], "ineq", held),
    ]  # fmt: skip
    first = found[0] if given["full_output"] else found
    out = _least(given["func"], held, first, constraints, given["bounds"] or None)
    if out is None:
        return tensors(found)
    return (*out, *found[2:]) if given["full_output"] else out[0]


def fmin_cobyla(*args: Any, **kwargs: Any) -> Any:
    """The minimum under constraints; derivatives as in `minimize`."""
    found, given = _called("fmin_cobyla", args, kwargs, ("cons",))
    held = given["args"] if given["consargs"] is None else given["consargs"]
    held = held if isinstance(held, tuple) else (held,)
    out = _least(given["func"], given["args"], found, _rows(given["cons"], "ineq", held), None)
    return tensors(found) if out is None else out[0]


def brute(*args: Any, **kwargs: Any) -> Any:
    """The minimum on a grid, and near it where `finish` searches on; derivatives as in `minimize`.

    Notes
    -----
    Without `finish` it is a point of the grid, which does not depend on the function.
    """
    if getattr(kwargs.get("finish"), "__module__", "").startswith("arraygrad."):
        kwargs = {**kwargs, "finish": scipy_object(f"scipy.optimize.{kwargs['finish'].__name__}")}
    found, given = _called("brute", args, kwargs)
    if given["finish"] is None:
        return tensors(found)
    first = found[0] if given["full_output"] else found
    out = _least(given["func"], given["args"], first, (), None)
    if out is None:
        return tensors(found)
    return (*out, *tensors(found[2:])) if given["full_output"] else out[0]


# -- linear least squares, and sequences that only rise --------------------------------------------


@rule("scipy.optimize.lsq_linear")
def lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf), *args: Any, **options: Any) -> Any:
    """Report of a linear least-squares problem with bounds.

    Notes
    -----
    Derivative of ``x``: that of the problem of the elements that are not at their bounds, which
    they follow; ``fun`` and ``cost`` follow from it.
    """
    A, b = tensors_of("scipy.optimize.lsq_linear", A, b)
    report = scipy_object("scipy.optimize.lsq_linear")(
        plain(A), plain(b), plain_bounds(bounds), *plain(args), **plain(options)
    )
    n = A.shape[1]
    ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    low, high = (xp.broadcast_to(xp.asarray(end, dtype=float), (n,)) for end in ends)
    mask = report.active_mask
    finite = [xp.where(np.isfinite(plain(end)), end, 0.0) for end in (low, high)]
    held = xp.where(mask < 0, finite[0], xp.where(mask > 0, finite[1], 0.0))
    free = np.flatnonzero(mask == 0)
    x = held
    if free.size:
        found = core.pinv(A[:, free]) @ (b - A @ held)
        x = x + xp.asarray(np.eye(n)[:, free]) @ found
    report.x = x + (report.x - plain(x))
    report.fun = A @ report.x - b
    report.cost = 0.5 * xp.sum(report.fun**2)
    return report


@rule("scipy.optimize.isotonic_regression")
def isotonic_regression(y: Any, *, weights: Any = None, increasing: bool = True) -> Any:
    """The sequence that rises (or falls), closest to y in weighted squares.

    Notes
    -----
    It is constant in blocks, with the weighted mean of each; the blocks do not change where the
    data move a little.
    """
    y = tensor(y, "scipy.optimize.isotonic_regression")
    report = scipy_object("scipy.optimize.isotonic_regression")(
        plain(y), weights=plain(weights), increasing=increasing
    )
    w = xp.ones(y.shape[0]) if weights is None else tensor(weights, "isotonic_regression", 2)
    ends = np.sort(np.asarray(report.blocks))
    member = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    sums = xp.asarray(np.eye(len(ends) - 1)[member].T)
    totals = sums @ w
    report.x = ((sums @ (w * y)) / totals)[member]
    report.weights = totals if increasing else totals[::-1]
    return report


@rule("scipy.optimize.milp")
def milp(c: Any, **options: Any) -> Any:
    """SciPy's report of a linear problem in whole numbers, of plain values."""
    raise refuse("scipy.optimize.milp", "of whole numbers",
                 "hold these at their values, with bounds, and use scipy.optimize.linprog",
                 )  # fmt: skip
