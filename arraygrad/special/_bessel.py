"""Bessel and Hankel functions, plain, scaled and spherical: derivatives by the argument."""

from __future__ import annotations

from typing import Any

from .._cotangents import times
from .._op import Op
from ..ops.comparison import maximum
from ..ops.conversion import asarray
from ..ops.parts import sign
from ..ops.searching import where
from ._function import ORDER, PARAMETER, Special, special
from ._orders import bessel_by_order
from ._shapes import make_op, run

# -- of whole order 0 and 1 ------------------------------------------------------------------------

j0: Special = special("j0", x=lambda x: -j1(x))
j1: Special = special("j1", x=lambda x: (j0(x) - jv(2.0, x)) / 2)
y0: Special = special("y0", x=lambda x: -y1(x))
y1: Special = special("y1", x=lambda x: (y0(x) - yv(2.0, x)) / 2)
i0: Special = special("i0", x=lambda x: i1(x))
i1: Special = special("i1", x=lambda x: (i0(x) + iv(2.0, x)) / 2)
k0: Special = special("k0", x=lambda x: -k1(x))
k1: Special = special("k1", x=lambda x: -(k0(x) + kv(2.0, x)) / 2)
i0e: Special = special("i0e", x=lambda x, out: i1e(x) - sign(x) * out)
i1e: Special = special("i1e", x=lambda x, out: (i0e(x) + ive(2.0, x)) / 2 - sign(x) * out)
k0e: Special = special("k0e", x=lambda x, out: out - k1e(x))
k1e: Special = special("k1e", x=lambda x, out: out - (k0e(x) + kve(2.0, x)) / 2)

# -- of any order ----------------------------------------------------------------------------------


def _of_order(kind: str, slope: Any) -> Any:
    """The derivative by the order as an op; by the order again its own rises, by z `slope` holds.

    `slope` gives the derivative by z from the function itself, f(v, z), which for the op is the
    derivative by the order: both hold for all orders, so that one may be differentiated by them.
    """

    def by_order(v: Any, z: Any, order: int = 1) -> Any:
        return run(op, v, z, order=order)

    def by_z(g: Any, v: Any, z: Any, out: Any, order: int) -> Any:
        return times(g, slope(lambda v, z: by_order(v, z, order), v, z, out))

    def kernel(v: Any, z: Any, *, order: int) -> Any:
        return bessel_by_order(v, z, kind=kind, order=order)

    op: Op = make_op(
        f"{kind}_order", ("v", "z"), kernel,
        v=lambda g, v, z, order: times(g, by_order(v, z, order + 1)), z=by_z,
    )  # fmt: skip
    return by_order


_jv_v = _of_order("jv", lambda f, v, z, out: (f(v - 1, z) - f(v + 1, z)) / 2)
_yv_v = _of_order("yv", lambda f, v, z, out: (f(v - 1, z) - f(v + 1, z)) / 2)
_iv_v = _of_order("iv", lambda f, v, z, out: (f(v - 1, z) + f(v + 1, z)) / 2)
_kv_v = _of_order("kv", lambda f, v, z, out: -(f(v - 1, z) + f(v + 1, z)) / 2)
_ive_v = _of_order("ive", lambda f, v, z, out: (f(v - 1, z) + f(v + 1, z)) / 2 - sign(z) * out)
_kve_v = _of_order("kve", lambda f, v, z, out: out - (f(v - 1, z) + f(v + 1, z)) / 2)

jv: Special = special(
    "jv", ("v", "z"), v=lambda v, z: _jv_v(v, z), z=lambda v, z: (jv(v - 1, z) - jv(v + 1, z)) / 2
)
jn = jv
yv: Special = special(
    "yv", ("v", "z"), v=lambda v, z: _yv_v(v, z), z=lambda v, z: (yv(v - 1, z) - yv(v + 1, z)) / 2
)
yn: Special = special("yn", ("n", "x"), n=ORDER, x=lambda n, x: (yn(n - 1, x) - yn(n + 1, x)) / 2)
iv: Special = special(
    "iv", ("v", "z"), v=lambda v, z: _iv_v(v, z), z=lambda v, z: (iv(v - 1, z) + iv(v + 1, z)) / 2
)
kv: Special = special(
    "kv", ("v", "z"), v=lambda v, z: _kv_v(v, z), z=lambda v, z: -(kv(v - 1, z) + kv(v + 1, z)) / 2
)
kn: Special = special("kn", ("n", "x"), n=ORDER, x=lambda n, x: -(kn(n - 1, x) + kn(n + 1, x)) / 2)
# The scales exp(-|Im z|) and exp(-|Re z|) are no holomorphic functions; for real z the first is 1.
jve: Special = special(
    "jve", ("v", "z"), v=lambda v, z: _jv_v(v, z), holomorphic=False,
    z=lambda v, z: (jve(v - 1, z) - jve(v + 1, z)) / 2,
)  # fmt: skip
yve: Special = special(
    "yve", ("v", "z"), v=lambda v, z: _yv_v(v, z), holomorphic=False,
    z=lambda v, z: (yve(v - 1, z) - yve(v + 1, z)) / 2,
)  # fmt: skip
ive: Special = special(
    "ive", ("v", "z"), v=lambda v, z: _ive_v(v, z), holomorphic=False,
    z=lambda v, z, out: (ive(v - 1, z) + ive(v + 1, z)) / 2 - sign(z) * out,
)  # fmt: skip
kve: Special = special(
    "kve",
    ("v", "z"),
    v=lambda v, z: _kve_v(v, z),
    z=lambda v, z, out: out - (kve(v - 1, z) + kve(v + 1, z)) / 2,
)
hankel1: Special = special(
    "hankel1", ("v", "z"), v=ORDER, z=lambda v, z: (hankel1(v - 1, z) - hankel1(v + 1, z)) / 2
)
hankel2: Special = special(
    "hankel2", ("v", "z"), v=ORDER, z=lambda v, z: (hankel2(v - 1, z) - hankel2(v + 1, z)) / 2
)
hankel1e: Special = special(
    "hankel1e", ("v", "z"), v=ORDER,
    z=lambda v, z, out: (hankel1e(v - 1, z) - hankel1e(v + 1, z)) / 2 - 1j * out,
)  # fmt: skip
hankel2e: Special = special(
    "hankel2e", ("v", "z"), v=ORDER,
    z=lambda v, z, out: (hankel2e(v - 1, z) - hankel2e(v + 1, z)) / 2 + 1j * out,
)  # fmt: skip


def _besselpoly_a(a: Any, lmb: Any, nu: Any, out: Any) -> Any:
    """Under the integral: J_nu'(z) = nu / z J_nu(z) - J_(nu + 1)(z)."""
    first = where(nu == 0, 0, nu * out / a)
    return first - 2 * besselpoly(a, lmb + 1, nu + 1)


besselpoly: Special = special(
    "besselpoly", ("a", "lmb", "nu"), a=_besselpoly_a, lmb=PARAMETER, nu=ORDER
)

# -- spherical -------------------------------------------------------------------------------------


def _neighbours(function: Any, n: Any, z: Any, sign: int) -> Any:
    """(n f_(n-1) + sign (n + 1) f_(n+1)) / (2 n + 1), which has no pole at 0."""
    below = n * function(maximum(n - 1, 0), z)
    return (below + sign * (n + 1) * function(n + 1, z)) / (2 * n + 1)


# SciPy's public functions choose between these ufuncs and those of the derivative.
_J: Special = special(
    "_spherical_jn", ("n", "z"), n=ORDER, z=lambda n, z: _neighbours(_J, n, z, -1)
)
_Y: Special = special(
    "_spherical_yn", ("n", "z"), n=ORDER, z=lambda n, z: _neighbours(_Y, n, z, -1)
)
_I: Special = special("_spherical_in", ("n", "z"), n=ORDER, z=lambda n, z: _neighbours(_I, n, z, 1))
_K: Special = special(
    "_spherical_kn", ("n", "z"), n=ORDER, z=lambda n, z: -_neighbours(_K, n, z, 1)
)
special("_spherical_jn_d", ("n", "z"), n=ORDER, z=lambda n, z, out: _second(_J, n, z, out, -1))
special("_spherical_yn_d", ("n", "z"), n=ORDER, z=lambda n, z, out: _second(_Y, n, z, out, -1))
special("_spherical_in_d", ("n", "z"), n=ORDER, z=lambda n, z, out: _second(_I, n, z, out, 1))
special("_spherical_kn_d", ("n", "z"), n=ORDER, z=lambda n, z, out: _second(_K, n, z, out, 1))


def _second(function: Any, n: Any, z: Any, slope: Any, sign: int) -> Any:
    """The second derivative, by the differential equation."""
    return (sign + n * (n + 1) / z**2) * function(n, z) - 2 * slope / z


def spherical_jn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Spherical Bessel function of the first kind, or its derivative.

    Parameters
    ----------
    n : Tensor or int
        Order, not differentiable.
    z : Tensor, floating-point
    derivative : bool
        Whether to give the derivative by z.

    Returns
    -------
    Tensor
    """
    return _spherical(_J, n, z, derivative, -1)


def spherical_yn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Spherical Bessel function of the second kind, or its derivative.

    See `spherical_jn` for the arguments.
    """
    return _spherical(_Y, n, z, derivative, -1)


def spherical_in(n: Any, z: Any, derivative: bool = False) -> Any:
    """Modified spherical Bessel function of the first kind, or its derivative.

    See `spherical_jn` for the arguments.
    """
    return _spherical(_I, n, z, derivative, 1)


def spherical_kn(n: Any, z: Any, derivative: bool = False) -> Any:
    """Modified spherical Bessel function of the second kind, or its derivative.

    See `spherical_jn` for the arguments.
    """
    return _spherical(_K, n, z, derivative, 1)


def _spherical(function: Any, n: Any, z: Any, derivative: bool, sign: int) -> Any:
    if not derivative:
        return function(n, z)
    slope = _neighbours(function, asarray(n), z, sign)
    return -slope if function is _K else slope
