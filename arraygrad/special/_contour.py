"""Derivatives by shape parameters of incomplete gamma, incomplete beta and zeta, on arrays.

No closed formulas exist, but the functions are analytic in their parameters. Cauchy's integral
on a circle around the parameter gives every order of derivative from values at complex
parameters, with an error that falls geometrically in the number of points: 32 are plenty. The
values come from the series and continued fractions that also serve real parameters [1]_.

References
----------
.. [1] W. H. Press et al., Numerical Recipes, 3rd ed., sections 6.2 and 6.4.
.. [2] B. Fornberg, Numerical differentiation of analytic functions, ACM Trans. Math. Softw. 7
   (1981), 512-526.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._function import scipy_object

Array = Any

_POINTS = 32
_EPSILON = 2.0**-53
_TINY = 1e-300
# Enough for parameters up to about 1e7; what has not converged then is NaN, not wrong.
_MOST_STEPS = 20_000


def cauchy(f: Callable[[Array], Array], centre: Array, radius: Array, order: int) -> Array:
    """The derivative of an analytic function that is real on the real axis."""
    total = np.zeros_like(centre)
    for k in range(_POINTS // 2):  # the lower half of the circle holds the conjugate values
        angle = math.pi * (2 * k + 1) / _POINTS
        point = complex(math.cos(angle), math.sin(angle))
        total += (f(centre + radius * point) * point**-order).real
    return total * (2 * math.factorial(order) / _POINTS) / radius**order


def _loggamma(z: Array) -> Array:
    return scipy_object("loggamma")(z)


def _reciprocal_gamma(z: Array) -> Array:
    """log(1 / gamma(z + 1)): what keeps clear of the pole at 0."""
    return -_loggamma(z + 1)


def _repeat(step: Callable[[int], Array], total: Array) -> Array:
    """Run a converging recurrence until `step` says that all elements have settled."""
    settled = np.zeros(total.shape, bool)
    for i in range(1, _MOST_STEPS):
        settled |= step(i)
        if settled.all():
            return total
    total[~settled] = np.nan
    return total


def _lower_gamma(a: Array, x: Array) -> Array:
    """P(a, x) by its series, for x up to about a."""
    term = np.ones_like(a)
    total = np.ones_like(a)

    def step(i: int) -> Array:
        np.multiply(term, x / (a + i), out=term)
        np.add(total, term, out=total)
        return ~(np.abs(term) > _EPSILON * np.abs(total))

    _repeat(step, total)
    return total * np.exp(a * np.log(x) - x + _reciprocal_gamma(a))


def _lentz(b: Array, advance: Callable[[int, Array], tuple[Array, Array]]) -> Array:
    """1 / (b + a1 / (b1 + a2 / (b2 + ...))) by the modified method of Lentz."""
    d = 1 / np.where(b == 0, _TINY, b)
    c = np.full_like(b, 1 / _TINY)
    total = d.copy()

    def step(i: int) -> Array:
        nonlocal c, d
        numerator, denominator = advance(i, b)
        d = 1 / (denominator + numerator * d)
        c = denominator + numerator / c
        factor = c * d
        np.multiply(total, factor, out=total)
        return ~(np.abs(factor - 1) > 16 * _EPSILON)

    return _repeat(step, total)


def _upper_gamma(a: Array, x: Array) -> Array:
    """Q(a, x) by its continued fraction, for x from about a on."""
    fraction = _lentz(x + 1 - a, lambda i, b: (-i * (i - a), b + 2 * i))
    return fraction * a * np.exp(a * np.log(x) - x + _reciprocal_gamma(a))


def _beta_fraction(a: Array, b: Array, x: Array) -> Array:
    """I_x(a, b) by its continued fraction, for x below (a + 1) / (a + b + 2)."""

    def advance(i: int, _: Array) -> tuple[Array, Array]:
        m = i // 2
        if i % 2:
            top = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            top = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        return top, one

    one = np.ones_like(a)
    fraction = _lentz(one, _first_regular(a, b, x, advance))
    scale = _loggamma(a + b) + _reciprocal_gamma(a) + _reciprocal_gamma(b)
    return fraction * b * np.exp(a * np.log(x) + b * np.log1p(-x) + scale)


def _first_regular(
    a: Array, b: Array, x: Array, advance: Callable[[int, Array], tuple[Array, Array]]
) -> Callable[[int, Array], tuple[Array, Array]]:
    """The first coefficient without its factor a / a, which is 0 / 0 on circles around 0."""

    def cleared(i: int, one: Array) -> tuple[Array, Array]:
        return (-(a + b) * x / (a + 1), one) if i == 1 else advance(i, one)

    return cleared


def _on(mask: Array, f: Callable[..., Array], out: Array, *arrays: Array) -> None:
    """Compute only where the mask is true."""
    if mask.any():
        with np.errstate(all="ignore"):
            out[mask] = f(*(x[mask] for x in arrays))


def _as_doubles(*arrays: Array) -> tuple[Array, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(x, np.float64) for x in arrays)))


def gammainc_by_a(a: Array, x: Array, *, order: int) -> Array:
    """The derivative of gammainc by a, of the given order >= 1; relative error about 1e-12."""
    dtype = np.result_type(a, x)
    a, x = _as_doubles(a, x)
    out = np.full(a.shape, np.nan)
    out[(a > 0) & ((x == 0) | (x == np.inf))] = 0
    inside = (a > 0) & (a < np.inf) & (x > 0) & (x < np.inf)

    def side(f: Callable[[Array, Array], Array], sign: float) -> Callable[..., Array]:
        def run(a: Array, x: Array) -> Array:
            # The circle must not see the function change by much more than a factor e.
            slope = np.abs(np.log(x) - scipy_object("psi")(a + 1))
            radius = 1 / (2 / np.sqrt(1 + a) + slope)
            return sign * cauchy(lambda z: f(z, x), a, radius, order)

        return run

    _on(inside & (x < a + 1), side(_lower_gamma, 1.0), out, a, x)
    _on(inside & (x >= a + 1), side(_upper_gamma, -1.0), out, a, x)
    return out.astype(dtype)[()]


def betainc_by_shapes(a: Array, b: Array, x: Array, *, orders: tuple[int, int]) -> Array:
    """The derivative of betainc by a and b, of the given orders; relative error about 1e-12."""
    dtype = np.result_type(a, b, x)
    a, b, x = _as_doubles(a, b, x)
    out = np.full(a.shape, np.nan)
    shapes = (a > 0) & (b > 0) & (a < np.inf) & (b < np.inf)
    out[shapes & ((x == 0) | (x == 1))] = 0
    inside = shapes & (x > 0) & (x < 1)
    low = x <= (a + 1) / (a + b + 2)

    def mirrored(a: Array, b: Array, x: Array) -> Array:
        return -_beta_by_shapes(b, a, 1 - x, orders[::-1])

    _on(inside & low, lambda a, b, x: _beta_by_shapes(a, b, x, orders), out, a, b, x)
    _on(inside & ~low, mirrored, out, a, b, x)
    return out.astype(dtype)[()]


def _beta_by_shapes(a: Array, b: Array, x: Array, orders: tuple[int, int]) -> Array:
    psi = scipy_object("psi")
    width = 2 / np.sqrt(1 + a + b) + 4 / np.minimum(a + b, 1)
    radius_a = 1 / (width + np.abs(np.log(x) - psi(a + 1) + psi(a + b)))
    radius_b = 1 / (width + np.abs(np.log1p(-x) - psi(b + 1) + psi(a + b)))

    def by_b(z: Array) -> Array:
        if not orders[1]:
            return _beta_fraction(z, b.astype(complex), x)
        # Not real on the real axis, as z is complex: both halves of the circle.
        total = np.zeros_like(z)
        for k in range(_POINTS):
            angle = math.pi * (2 * k + 1) / _POINTS
            point = complex(math.cos(angle), math.sin(angle))
            total += _beta_fraction(z, b + radius_b * point, x) * point ** -orders[1]
        return total * (math.factorial(orders[1]) / _POINTS) / radius_b ** orders[1]

    if not orders[0]:
        return cauchy(lambda z: _beta_fraction(a.astype(complex), z, x), b, radius_b, orders[1])
    return cauchy(by_b, a, radius_a, orders[0])


# B_2k / (2k)!, k = 1, 2, ...
_BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000, 43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
)  # fmt: skip
_SUMMED = 24


def zeta_by_s(s: Array, q: Array, *, order: int) -> Array:
    """The derivative of Hurwitz' zeta(s, q) by s, of the given order >= 1, for q > 0.

    Euler-Maclaurin: the first terms are differentiated one by one, the rest on a circle.
    """
    dtype = np.result_type(s, q)
    s, q = _as_doubles(s, q)
    out = np.full(s.shape, np.nan)
    _on((q > 0) & (s != 1) & np.isfinite(s), lambda s, q: _zeta(s, q, order), out, s, q)
    return out.astype(dtype)[()]


def _zeta(s: Array, q: Array, order: int) -> Array:
    total = np.zeros_like(s)
    for n in range(_SUMMED):
        total += (-np.log(q + n)) ** order * (q + n) ** -s
    end = q + _SUMMED

    def rest(z: Array) -> Array:
        power = end**-z
        value = power * (end / (z - 1) + 0.5)
        rising = z / end
        for k, coefficient in enumerate(_BERNOULLI, 1):
            value = value + coefficient * rising * power
            rising = rising * (z + 2 * k - 1) * (z + 2 * k) / end**2
        return value

    radius = 0.25 * np.minimum(1, np.abs(s - 1))
    return total + cauchy(rest, s, radius, order)


def smirnov_by_d(n: Array, d: Array, *, order: int) -> Array:
    """The derivative of smirnov(n, d) by d: of the sum of positive terms that it is [3]_.

    References
    ----------
    .. [3] Z. W. Birnbaum and F. H. Tingey, Ann. Math. Statist. 22 (1951), 592-596.
    """
    dtype = np.asarray(d).dtype
    n, d = _as_doubles(n, d)
    out = np.full(d.shape, np.nan)
    out[(d == 0) | (d == 1)] = -1.0 if order == 1 else 0.0
    _on((d > 0) & (d < 1), lambda n, d: _smirnov(n, d, order), out, n, d)
    return out.astype(dtype)[()]


def _smirnov(n: Array, d: Array, order: int) -> Array:
    last = np.floor(n * (1 - d))
    total = np.zeros_like(d)
    loggamma = scipy_object("gammaln")
    for j in range(int(np.max(last, initial=-1.0)) + 1):
        weight = loggamma(n + 1) - loggamma(j + 1) - loggamma(n - j + 1)

        def term(z: Array, j: int = j, weight: Array = weight) -> Array:
            rest = 1 - z - j / n
            return z * np.exp(weight + (j - 1) * np.log(z + j / n) + (n - j) * np.log(rest))

        room = np.minimum(d, np.abs(1 - d - j / n))
        radius = np.maximum(0.5 * room / (1 + 0.05 * n * room), 1e-30)
        total += np.where(j <= last, cauchy(term, d, radius, order), 0)
    return total


def carlson(
    x: Array, y: Array, z: Array, w: Array, *, exponents: tuple[float, ...], power: int
) -> Array:
    """Integral over t > 0 of t**power / ((t + x)**p (t + y)**q (t + z)**r (t + w)**s).

    The trapezoidal rule in log(t): the integrand is analytic in a strip of half-width pi and
    decays at both ends, so that 400 points give full precision. Infinite or NaN where the integral
    does not converge.
    """
    dtype = np.result_type(x, y, z, w)
    arrays = _as_doubles(x, y, z, w)
    used = [(v, e) for v, e in zip(arrays, exponents, strict=True) if e]
    with np.errstate(all="ignore"):
        logs = [np.where(v > 0, np.log(v), np.nan) for v, _ in used]
        low = np.nan_to_num(np.fmin.reduce(logs)) - 80
        high = np.nan_to_num(np.fmax.reduce(logs)) + 80
        step = (high - low) / 400
        total = np.zeros(arrays[0].shape)
        for k in range(401):
            t = np.exp(low + k * step)
            value = t ** (power + 1)
            for v, e in used:
                value = value * (t + v) ** -e
            total += value
        total = total * step
        at_zero = sum((np.where(v == 0, e, 0.0) for v, e in used), np.zeros(arrays[0].shape))
        total = np.where(at_zero >= power + 1, np.inf, total)
        negative = np.logical_or.reduce([v < 0 for v, _ in used])
    return np.where(negative, np.nan, total).astype(dtype)[()]
