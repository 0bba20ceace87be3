"""np.linspace, logspace, geomspace; np.i0; rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import cast, operand
from ..._detach import lose
from ..._dispatch import register_kernel
from ..._elementwise import elementwise
from ..._graph import is_grad_enabled
from ..._op import Op, Rule
from ...ops import arithmetic, rounding, searching, trigonometric
from ..plain import is_tracked, plain
from .rebinding import rebound
from .reducing import _stored

linspace = rebound(np.linspace)
logspace = rebound(np.logspace)
geomspace = rebound(np.geomspace)


@answers(np.round, np.around)
def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """np.round; its derivative is 0."""
    return _stored(out, rounding.around(operand(a, "round"), decimals), "round")


if hasattr(np, "fix"):  # deprecated since NumPy 2.5

    @answers(np.fix)
    def fix(x: Any, out: Any = None) -> Any:
        """np.fix; its derivative is 0."""
        return _stored(out, rounding.trunc(operand(x, "fix")), "fix")


@answers(np.sinc)
def sinc(x: Any) -> Any:
    """np.sinc."""
    return trigonometric.sinc(operand(x, "sinc"))


# -- the modified Bessel functions of order 0 and 1 ------------------------------------------------


def _written(values: Any, dtype: Any, out: Any) -> Any:
    if out is None:
        return np.asarray(values, dtype)
    np.copyto(out, values, casting="same_kind")
    return out


def _i0_kernel(x: Any, *, out: Any = None) -> Any:
    return _written(np.i0(x), x.dtype, out)


def _i1_kernel(x: Any, *, out: Any = None) -> Any:
    """I1: its power series up to 8, the derivative of NumPy's expansion of I0 beyond."""
    size = np.abs(np.asarray(x, np.float64))
    small = np.minimum(size, 8.0)
    quarter = small * small / 4
    term = small / 2
    total = term.copy()
    for k in range(1, 40):
        term = term * quarter / (k * (k + 1))
        total += term
    large = np.maximum(size, 8.0)
    coefficients = np.array(np.lib._function_base_impl._i0B)[::-1].copy()  # type: ignore[attr-defined]
    coefficients[0] /= 2
    series = np.polynomial.chebyshev.Chebyshev(coefficients)
    u = 32 / large - 2
    # I0 = exp(x) / sqrt(x) * f(u): the three factors differentiated
    f, slope = series(u / 2), series.deriv()(u / 2) / 2
    beyond = np.exp(large) / np.sqrt(large) * (f - f / (2 * large) - slope * 32 / large**2)
    return _written(np.copysign(np.where(size <= 8, total, beyond), x), x.dtype, out)


def _i0_slope(g: Any, x: Any) -> Any:
    return arithmetic.multiply(g, _i1(x))


def _i1_slope(g: Any, x: Any) -> Any:
    zero = x._array == 0
    ratio = arithmetic.divide(_i1(x), searching.where(zero, 1.0, x))
    ratio = searching.where(zero, 0.5, ratio) if zero.any() else ratio
    return arithmetic.multiply(g, cast(arithmetic.subtract(i0(x), ratio), x._array.dtype))


_I0 = Op("i0", ("x",), Rule(x=_i0_slope), dtypes="real floating", family="elementwise")
_I1 = Op("i1", ("x",), Rule(x=_i1_slope), dtypes="real floating", family="elementwise")
register_kernel("i0", _i0_kernel)
register_kernel("i1", _i1_kernel)


def _i1(x: Any) -> Any:
    return elementwise(_I1, x)


@answers(np.i0)
def i0(x: Any) -> Any:
    """np.i0; its derivative is I1."""
    t = operand(x, "i0")
    return elementwise(_I0, t if t._array.dtype.kind == "f" else cast(t, np.float64))


@answers(np.kaiser)
def kaiser(M: Any, beta: Any) -> Any:
    """np.kaiser: differentiable by the shape beta, not by the number of points."""
    if is_grad_enabled() and is_tracked(M):
        lose("np.kaiser with a number of points that requires grad")
    places = np.linspace(-1.0, 1.0, int(plain(M)))
    shape = operand(beta, "kaiser", 2)
    bent = shape * np.sqrt(np.maximum(1.0 - places**2, 0.0))
    return arithmetic.divide(i0(bent), i0(shape)) if places.size > 1 else np.ones(places.size)
