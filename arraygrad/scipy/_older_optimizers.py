"""Minimisers of SciPy under their older names; derivatives of the minimum as in `minimize`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from .. import linalg as core
from .._apply import wrap
from ._implicit import gradient, in_graph, is_recorded, jacobian, on_plain, vector
from ._least_squares import _cost, _fitted
from ._minimize import _limits, _stationary, plain_bounds
from ._reports import guarded
from ._rule import is_grad_enabled, needs_rule, plain, policed, refuse, scipy_object, tensors, xp


def _called(
    name: str, args: Any, kwargs: Any, of_functions: Collection[str] = ()
) -> tuple[Any, dict[str, Any]]:
    """SciPy's result for plain functions, and the arguments by name with ours in the graph.

    The arguments `of_functions` may be lists of them.
    """
    real = scipy_object(f"scipy.optimize.{name}")
    bound = inspect.signature(real).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    for key, value in given.items():
        given[key] = in_graph(value) if inspect.isfunction(value) and _is_users(value) else value
    if not isinstance(given.get("args", ()), tuple):
        given["args"] = (given["args"],)
    passed = {
        k: on_plain(v) if callable(v) and _is_users(v) else plain(v) for k, v in given.items()
    }
    for key in of_functions:
        if isinstance(given[key], list | tuple):
            passed[key] = [on_plain(in_graph(f)) for f in given[key]]
    if given.get("bounds") is not None:
        passed["bounds"] = plain_bounds(given["bounds"])
    return real(**passed), given


def _is_users(function: Any) -> bool:
    """Whether a function is not SciPy's, such as the minimiser that ends a search."""
    return not str(getattr(function, "__module__", "")).startswith("scipy.")


def _make(name: str, value_at: int | None) -> Callable[..., Any]:
    """An older minimiser; its results are the minimum, and the value there at `value_at`."""

    @policed
    def minimiser(*args: Any, **kwargs: Any) -> Any:
        found, given = _called(name, args, kwargs)
        function: Any = given.get("func", given.get("f"))
        first = found[0] if isinstance(found, tuple) else found
        shape = np.shape(first)

        def value(x: Any) -> Any:
            out = function(x.reshape(shape) if shape else x[0], *given["args"])
            return out[0] if isinstance(out, tuple) else out

        point = np.array(first, dtype=float).reshape(-1)
        bounds = given.get("bounds")
        if name == "fminbound":
            bounds = [(given["x1"], given["x2"])]
        limits = _limits(bounds, point.size)
        moved = needs_rule(limits) or is_recorded(value(wrap(point.copy())))
        if not is_grad_enabled() or not moved:
            return tensors(found)
        if isinstance(found, tuple) and name in ("fmin_bfgs", "fmin_cg", "fmin_ncg"):
            raise refuse(f"scipy.optimize.{name}", "with full_output=",
                         "use scipy.optimize.minimize")  # fmt: skip
        x = _stationary(lambda x: gradient(value, x), point, limits, [])
        least = value(x)
        x = x.reshape(shape) if shape else x[0]
        if not isinstance(found, tuple):
            return x
        rest = list(tensors(found[1:]))
        if value_at is not None:
            rest[value_at - 1] = least
        if name == "fmin_l_bfgs_b":
            rest[1] = guarded(rest[1], f"scipy.optimize.{name}")
        return (x, *rest)

    minimiser.__name__ = minimiser.__qualname__ = name
    minimiser.__doc__ = "The minimum; derivatives as in `minimize`."
    return minimiser


brent = _make("brent", 1)
fmin = _make("fmin", 1)
fmin_bfgs = _make("fmin_bfgs", 1)
fmin_cg = _make("fmin_cg", 1)
fmin_l_bfgs_b = _make("fmin_l_bfgs_b", 1)
fmin_ncg = _make("fmin_ncg", 1)
fmin_powell = _make("fmin_powell", 1)
fmin_tnc = _make("fmin_tnc", None)
fminbound = _make("fminbound", 1)
golden = _make("golden", 1)


def leastsq(*args: Any, **kwargs: Any) -> Any:
    """The least-squares solution and a flag; derivatives as in `least_squares`."""
    found, given = _called("leastsq", args, kwargs)
    value, *rest = found

    def residuals(x: Any) -> Any:
        return vector(given["func"](x, *given["args"]))

    point = np.array(value, dtype=float).reshape(-1)
    if not is_grad_enabled() or not is_recorded(residuals(wrap(point.copy()))):
        return tensors(found)
    x = _fitted(_cost(residuals), point, None)
    if given["full_output"]:
        matrix = jacobian(residuals, x, recorded=True)
        covariance = rest[0]
        if covariance is not None:
            made = core.inv(xp.swapaxes(matrix, 0, 1) @ matrix)
            covariance = made + (covariance - plain(made))
        report = {**rest[1], "fvec": residuals(x)}
        rest[:2] = covariance, guarded(report, "scipy.optimize.leastsq", ("fvec",))
    return (x, *rest)
