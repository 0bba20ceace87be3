"""Stand-ins for ``scipy.optimize``: solvers find the solution, the equation gives the derivative.

Derivatives are by whatever the functions depend on besides their unknowns: ``args`` and variables
of closures. Solutions do not depend on initial guesses and brackets. Derivatives are exact up to
the third order, to the accuracy of the solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from ._implicit import in_graph, is_recorded, on_plain, solution, vector
from ._least_squares import curve_fit as curve_fit, least_squares as least_squares
from ._linear_program import linprog as linprog
from ._minimize import (
    Bounds as Bounds,
    LinearConstraint as LinearConstraint,
    NonlinearConstraint as NonlinearConstraint,
    basinhopping as basinhopping,
    differential_evolution as differential_evolution,
    dual_annealing as dual_annealing,
    minimize as minimize,
    minimize_scalar as minimize_scalar,
)
from ._more_solvers import (
    anderson as anderson,
    broyden1 as broyden1,
    broyden2 as broyden2,
    brute as brute,
    diagbroyden as diagbroyden,
    direct as direct,
    excitingmixing as excitingmixing,
    fmin_cobyla as fmin_cobyla,
    fmin_slsqp as fmin_slsqp,
    isotonic_regression as isotonic_regression,
    linearmixing as linearmixing,
    lsq_linear as lsq_linear,
    milp as milp,
    newton_krylov as newton_krylov,
    shgo as shgo,
)
from ._older_optimizers import (
    brent as brent,
    fmin as fmin,
    fmin_bfgs as fmin_bfgs,
    fmin_cg as fmin_cg,
    fmin_l_bfgs_b as fmin_l_bfgs_b,
    fmin_ncg as fmin_ncg,
    fmin_powell as fmin_powell,
    fmin_tnc as fmin_tnc,
    fminbound as fminbound,
    golden as golden,
    leastsq as leastsq,
)
from ._reports import guarded
from ._rule import (
    by_name,
    needs_rule,
    plain,
    policed,
    refuse,
    rule,
    scipy_object,
    tensors,
    tensors_of,
    xp,
)

# SciPy's default: four times the rounding error.
_RTOL = 4 * float(np.finfo(float).eps)

# -- roots of one function of one variable ---------------------------------------------------------


def _scalar_residual(f: Any, args: tuple[Any, ...]) -> Callable[[Any], Any]:
    return lambda x: vector(f(x[0], *args))


def _scalar_root(name: str, f: Any, bracket: tuple[Any, ...], args: Any, options: Any) -> Any:
    f = in_graph(f)
    args = args if isinstance(args, tuple) else (args,)
    found = scipy_object(f"scipy.optimize.{name}")(
        on_plain(f), *plain(bracket), args=args, **plain(options)
    )
    value, *report = found if isinstance(found, tuple) else (found,)
    x = solution(_scalar_residual(f, args), np.array([value]), f"scipy.optimize.{name}")[0]
    return (x, *_reported(report, x)) if report else x


def _reported(report: list[Any], x: Any) -> list[Any]:
    """What comes with a root, of which SciPy's object for results has it, too."""
    for part in report:
        if hasattr(part, "root"):
            part.root = x
    return report


def brentq(
    f: Any, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = _RTOL,
    maxiter: int = 100, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Root of f between a and b.

    Notes
    -----
    Derivative: dx = -(df/dp / df/dx) dp, where p is what else f depends on.
    """
    return _bracketed("brentq", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def brenth(
    f: Any, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = _RTOL,
    maxiter: int = 100, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Root of f between a and b; derivative as in `brentq`."""
    return _bracketed("brenth", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def ridder(
    f: Any, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = _RTOL,
    maxiter: int = 100, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Root of f between a and b; derivative as in `brentq`."""
    return _bracketed("ridder", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def bisect(
    f: Any, a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = _RTOL,
    maxiter: int = 100, full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Root of f between a and b; derivative as in `brentq`."""
    return _bracketed("bisect", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def _bracketed(
    name: str, f: Any, a: Any, b: Any, args: Any, xtol: Any, rtol: Any, maxiter: Any,
    full_output: bool, disp: bool,
) -> Any:  # fmt: skip
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "full_output": full_output,
               "disp": disp}  # fmt: skip
    return _scalar_root(name, f, (a, b), args, options)


def toms748(f: Any, a: Any, b: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """Root of f between a and b; derivative as in `brentq`."""
    options = by_name("scipy.optimize.toms748", 4, more, options)
    return _scalar_root("toms748", f, (a, b), args, options)


def newton(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-8,
    maxiter: int = 50, fprime2: Any = None, x1: Any = None, rtol: float = 0.0,
    full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Root of func near x0, or one near each element of x0; derivative as in `brentq`."""
    func = in_graph(func)
    found = scipy_object("scipy.optimize.newton")(
        on_plain(func), plain(x0), on_plain(in_graph(fprime)), args, tol, maxiter,
        on_plain(in_graph(fprime2)), plain(x1), rtol, full_output, disp,
    )  # fmt: skip
    value, *report = found if full_output else (found,)
    shape = np.shape(value)
    # One number goes to func as a number, several as an array of the shape of x0.
    x = solution(
        lambda x: vector(func(x.reshape(shape) if shape else x[0], *args)),
        np.reshape(value, -1),
        "scipy.optimize.newton",
    )
    out = x.reshape(shape) if shape else x[0]
    return (out, *_reported(report, out)) if report else out


def root_scalar(f: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """Report of a search for the root of f; its ``root`` has derivatives as in `brentq`."""
    f = in_graph(f)
    args = args if isinstance(args, tuple) else (args,)
    options = by_name("scipy.optimize.root_scalar", 2, more, options)
    options = {k: on_plain(in_graph(v)) for k, v in plain(options).items()}
    report = scipy_object("scipy.optimize.root_scalar")(on_plain(f), args=args, **options)

    def residual(x: Any) -> Any:
        out = f(x[0], *args)
        return vector(out[0] if isinstance(out, tuple) else out)

    report.root = solution(residual, np.array([report.root]), "scipy.optimize.root_scalar")[0]
    return report


# -- roots of several functions --------------------------------------------------------------------


def root(
    fun: Any, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """Report of a search for a zero of a vector function; its ``x`` has derivatives.

    Notes
    -----
    Derivative: dx = -J^-1 (dF/dp) dp, with J = dF/dx and p what else F depends on.
    """
    fun = in_graph(fun)
    args = args if isinstance(args, tuple) else (args,)
    report = scipy_object("scipy.optimize.root")(
        on_plain(fun), plain(x0), args=args, method=method, jac=on_plain(in_graph(jac)), tol=tol,
        callback=callback, options=options,
    )  # fmt: skip
    report.x = _root(fun, args, report.x, jac is True, "scipy.optimize.root")
    return guarded(report, "scipy.optimize.root") if is_recorded(report.x) else report


def fsolve(
    func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, *more: Any,
    **options: Any,
) -> Any:  # fmt: skip
    """Zero of a vector function; derivative as in `root`."""
    options = plain(by_name("scipy.optimize.fsolve", 5, more, options))
    func = in_graph(func)
    args = args if isinstance(args, tuple) else (args,)
    found = scipy_object("scipy.optimize.fsolve")(
        on_plain(func), plain(x0), args, on_plain(in_graph(fprime)), full_output, **options
    )
    value, *report = found if full_output else (found,)
    x = _root(func, args, value, False, "scipy.optimize.fsolve")
    if not report:
        return x
    if is_recorded(x):
        found = vector(func(x, *args)).reshape(np.shape(report[0]["fvec"]))
        report[0] = guarded({**report[0], "fvec": found}, "scipy.optimize.fsolve", ("fvec",))
    return (x, *report)


def fixed_point(func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """Solution of func(x) = x: dx = (1 - df/dx)^-1 (df/dp) dp."""
    options = by_name("scipy.optimize.fixed_point", 3, more, options)
    func = in_graph(func)
    value = scipy_object("scipy.optimize.fixed_point")(
        on_plain(func), plain(x0), args=args, **options
    )
    shape = np.shape(value)

    def residual(x: Any) -> Any:
        return x - vector(func(x.reshape(shape) if shape else x[0], *args))

    x = solution(residual, np.reshape(value, -1), "scipy.optimize.fixed_point")
    return x.reshape(shape) if shape else x[0]


def _root(fun: Any, args: Any, value: Any, pair: bool, function: str) -> Any:
    shape = np.shape(value)

    def residual(x: Any) -> Any:
        out = fun(x.reshape(shape), *args)
        return vector(out[0] if pair else out)

    return solution(residual, np.reshape(value, -1), function).reshape(shape)


# -- linear problems -------------------------------------------------------------------------------


@rule("scipy.optimize.nnls")
def nnls(A: Any, b: Any, *args: Any, **options: Any) -> Any:
    """Non-negative least-squares solution, and the norm of the residual.

    Notes
    -----
    Derivative: that of the least-squares problem of the elements that are not zero.
    """
    A, b = tensors_of("scipy.optimize.nnls", A, b)
    value, _ = scipy_object("scipy.optimize.nnls")(plain(A), plain(b), *args, **options)
    free = np.flatnonzero(value > 0)
    x = xp.zeros(A.shape[1], dtype=A.dtype)
    if free.size:
        columns = A[:, free]
        x[free] = core.pinv(columns) @ b
    x = x + (value - plain(x))
    return x, xp.linalg.norm(b - A @ x)


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> Any:
    """Plain rows and columns of the best assignment: integers, which have no derivative."""
    return scipy_object("scipy.optimize.linear_sum_assignment")(plain(cost_matrix), maximize)


@policed
def approx_fprime(xk: Any, f: Any, epsilon: Any = None, *args: Any) -> Any:
    """Finite differences of f; refused while f carries a gradient, which they would lose."""
    f = in_graph(f)
    xk = xp.asarray(xk, dtype=float)
    if needs_rule(xk) or is_recorded(f(xk, *args)):
        raise refuse("scipy.optimize.approx_fprime", "rule",
                     "use ag.grad(f) or ag.jacobian(f), which are exact")  # fmt: skip
    step = {} if epsilon is None else {"epsilon": plain(epsilon)}
    function = scipy_object("scipy.optimize.approx_fprime")
    return tensors(function(plain(xk), on_plain(lambda x: f(x, *args)), **step))


def rosen(x: Any) -> Any:
    """Rosenbrock's function."""
    x = xp.asarray(x, dtype=float)
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)
