"""Probability of a box under the multivariate normal law, differentiable to every order.

P(lower < z < upper) for z of mean 0 and covariance S. In one and two dimensions the values are
exact, in more they are SciPy's, by randomized integration. Derivatives are such probabilities in
fewer dimensions [1]_ [2]_: by a limit the density there times the probability of the others given
that coordinate; by the covariance half of the Hessian by the mean (the heat equation).

References
----------
.. [1] R. L. Plackett, A reduction formula for normal multivariate integrals, Biometrika 41 (1954),
   351-360.
.. [2] A. Genz and F. Bretz, Computation of Multivariate Normal and t Probabilities, Springer 2009.
"""

from __future__ import annotations

import itertools
from math import pi
from typing import Any

import numpy as np

from .._op import Rule
from ._rule import plain, primitive_op, scipy_object, xp

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def _below(h: Any, k: Any, r: float) -> Any:
    """P(z1 < h, z2 < k) for correlation r, by Plackett's integral over the correlation.

    With r = sin(a) the integrand has no singularity; strong correlations are measured from 1, where
    the probability is the smaller one's. Absolute error about 1e-15.
    """
    ndtr = scipy_object("scipy.special.ndtr")
    if abs(r) > 0.925:
        return _below_correlated(h, k, r, ndtr)
    angle = np.arcsin(r) * (1 + _NODES) / 2
    h, k = np.clip(h, -40, 40)[..., None], np.clip(k, -40, 40)[..., None]
    s, c = np.sin(angle), np.cos(angle)
    terms = np.exp(-(h * h - 2 * h * k * s + k * k) / (2 * c * c))
    total = (terms @ _WEIGHTS) * (np.arcsin(r) / (4 * pi))
    return total + ndtr(h[..., 0]) * ndtr(k[..., 0])


def _below_correlated(h: Any, k: Any, r: float, ndtr: Any) -> Any:
    """The same for |r| near 1: the integral from r to the sign of r.

    Over u = sqrt(1 - r'**2) the integrand is exp(-(h - s k)**2 / (2 u**2)) times a smooth one.
    """
    s = 1.0 if r > 0 else -1.0
    h, k = np.clip(h, -40, 40), np.clip(k, -40, 40)
    at_end = ndtr(np.minimum(h, k)) if s > 0 else np.maximum(0.0, ndtr(h) - ndtr(-k))
    last = np.sqrt((1 - r) * (1 + r))
    u = last * (1 + _NODES) / 2
    gap = np.abs(h - s * k)[..., None]
    product = (s * h * k)[..., None]
    root = np.sqrt((1 - u) * (1 + u))
    with np.errstate(under="ignore"):
        rest = np.exp(-(gap**2) / (2 * u * u) - product / (1 + root)) / root
    # The exponential is flat to all orders at u = 0, but rises within a width of gap.
    smooth = gap[..., 0] > 0.6 * last
    total = (rest @ _WEIGHTS) * (last / 2)
    if not smooth.all():
        total = np.where(smooth, total, _graded(gap, product, last))
    return at_end - s * total / (2 * pi)


def _graded(gap: Any, product: Any, last: float) -> Any:
    """The same integral over panels that halve towards u = 0."""
    total: Any = 0.0
    high = last
    for i in range(52):
        low = high / 2 if i < 51 else 0.0
        u = low + (high - low) * (1 + _NODES) / 2
        root = np.sqrt((1 - u) * (1 + u))
        with np.errstate(under="ignore"):
            values = np.exp(-(gap**2) / (2 * u * u) - product / (1 + root)) / root
        total = total + (values @ _WEIGHTS) * ((high - low) / 2)
        high = low
    return total


def _kernel(lower: Any, upper: Any, cov: Any, *, options: dict[str, Any]) -> Any:
    n = cov.shape[0]
    deviation = np.sqrt(np.diag(cov))
    ndtr = scipy_object("scipy.special.ndtr")
    if n == 1:
        a, b = lower[..., 0] / deviation[0], upper[..., 0] / deviation[0]
        right = a + b > 0  # by the tail in which the interval lies
        a, b = np.where(right, -b, a), np.where(right, -a, b)
        return np.asarray(ndtr(b) - ndtr(a))
    if n == 2:
        a, b = lower / deviation, upper / deviation
        r = cov[0, 1] / (deviation[0] * deviation[1])
        total: Any = 0.0
        for (s1, x), (s2, y) in itertools.product(((1, b), (-1, a)), repeat=2):
            h, k = x[..., 0], y[..., 1]
            inside = ~(np.isneginf(h) | np.isneginf(k))
            total = total + s1 * s2 * np.where(inside, _below(h, k, r), 0.0)
        return np.asarray(total)
    real = scipy_object("scipy.stats.multivariate_normal")
    return np.asarray(real.cdf(upper, np.zeros(n), cov, lower_limit=lower, **options))


def _density(x: Any, variance: Any) -> Any:
    return xp.exp(-x * x / (2 * variance)) / xp.sqrt(2 * pi * variance)


def _without(x: Any, i: int) -> Any:
    return xp.concatenate((x[..., :i], x[..., i + 1 :]), axis=-1)


def _given(limits: tuple[Any, Any], cov: Any, i: int, side: int, options: Any) -> Any:
    """Density of coordinate i at a limit, times the probability of the others given it there."""
    x = limits[side][..., i]
    finite = np.isfinite(plain(x))
    if not finite.any():
        return None
    x = xp.where(finite, x, 0.0)
    variance = cov[i, i]
    value = _density(x, variance)
    if cov.shape[0] > 1:
        column = _without(cov[:, i], i)
        rest = _without(_without(cov, i).T, i)
        mean = x[..., None] * (column / variance)
        low, high = (_without(limit, i) - mean for limit in limits)
        conditional = rest - column[:, None] * column / variance
        value = value * box_probability(low, high, conditional, options)
    return xp.where(finite, value, 0.0)


def _mean_hessian(limits: tuple[Any, Any], cov: Any, options: Any) -> Any:
    """Second derivatives by the mean, shape (..., n, n), from pairs of limits and from single ones.

    A shift of the mean moves the limits of the others against it: the diagonal follows from
    (x_i / S_ii) p(x_i) and from the pairs.
    """
    n = cov.shape[0]
    shape = limits[0].shape[:-1]
    zero = xp.zeros(shape, dtype=cov.dtype)
    rows: list[list[Any]] = [[zero] * n for _ in range(n)]
    for i in range(n):
        for side, sign in ((0, 1.0), (1, -1.0)):
            single = _given(limits, cov, i, side, options)
            if single is None:
                continue
            x = limits[side][..., i]
            x = xp.where(np.isfinite(plain(x)), x, 0.0)
            rows[i][i] = rows[i][i] + sign * x / cov[i, i] * single
            for j in range(n):
                if j == i:
                    continue
                pair = _pair(limits, cov, i, side, j, options)
                rows[i][i] = rows[i][i] - sign * cov[j, i] / cov[i, i] * pair
                rows[i][j] = rows[i][j] + sign * pair
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def _pair(limits: tuple[Any, Any], cov: Any, i: int, side: int, j: int, options: Any) -> Any:
    """Derivative of `_given` by the mean of coordinate j, given coordinate i."""
    x = limits[side][..., i]
    finite = np.isfinite(plain(x))
    x = xp.where(finite, x, 0.0)
    variance = cov[i, i]
    column = _without(cov[:, i], i)
    rest = _without(_without(cov, i).T, i)
    mean = x[..., None] * (column / variance)
    inner = tuple(_without(limit, i) - mean for limit in limits)
    conditional = rest - column[:, None] * column / variance
    k = j - (j > i)
    total: Any = 0.0
    for other, sign in ((0, 1.0), (1, -1.0)):
        found = _given((inner[0], inner[1]), conditional, k, other, options)
        total = total if found is None else total + sign * found
    return xp.where(finite, _density(x, variance) * total, 0.0)


def _pull(
    g: Any, lower: Any, upper: Any, cov: Any, options: dict[str, Any], needs: tuple[bool, ...]
) -> tuple[Any, Any, Any]:
    found: list[Any] = [None, None, None]
    limits = (lower, upper)
    for side, sign in ((0, -1.0), (1, 1.0)):
        if needs[side]:
            parts = [_given(limits, cov, i, side, options) for i in range(cov.shape[0])]
            zero = xp.zeros(g.shape, dtype=cov.dtype)
            found[side] = sign * g[..., None] * xp.stack(
                [zero if p is None else p for p in parts], axis=-1
            )  # fmt: skip
    if needs[2]:
        hessian = _mean_hessian(limits, cov, options)
        weighted = 0.5 * g[..., None, None] * hessian
        found[2] = xp.sum(weighted.reshape((-1, *cov.shape)), axis=0)
    return found[0], found[1], found[2]


_BOX = primitive_op("normal_box", ("lower", "upper", "cov"), Rule(vjp=_pull), _kernel)


def box_probability(lower: Any, upper: Any, cov: Any, options: dict[str, Any]) -> Any:
    """P(lower < z < upper), shape (...), for limits of shape (..., n) and covariance (n, n)."""
    shape = np.broadcast_shapes(lower.shape, upper.shape)
    return _BOX(xp.broadcast_to(lower, shape), xp.broadcast_to(upper, shape), cov, options=options)
