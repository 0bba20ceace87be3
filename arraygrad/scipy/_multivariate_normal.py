"""The multivariate normal distribution on tensors."""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np

from .. import linalg as core
from . import linalg
from ._normal_boxes import box_probability
from ._rule import (
    needs_rule,
    plain,
    policed,
    refuse,
    refused_while_tracked,
    scipy_module,
    tensor,
    tensors,
    xp,
)


def _parameters(mean: Any, cov: Any) -> tuple[Any, Any]:
    """Mean and covariance in full; a number or vector is a diagonal, as in SciPy."""
    cov = getattr(cov, "covariance", cov)  # SciPy's Covariance objects
    cov = tensor(1.0 if cov is None else cov, "multivariate_normal", 2)
    mean = None if mean is None else tensor(mean, "multivariate_normal", 1)
    size = 1
    for value in (mean, cov):
        if value is not None and value.ndim:
            size = max(size, value.shape[-1])
    mean = xp.zeros(size) if mean is None else xp.atleast_1d(mean)
    if cov.ndim < 2:
        cov = cov * xp.eye(size) if cov.ndim == 0 else xp.diag(cov)
    return mean, cov


class MultivariateNormal:
    """Stand-in for ``scipy.stats.multivariate_normal``.

    Notes
    -----
    With r = x - mean and cov = L L^H: logpdf = -|L^-1 r|^2 / 2 - sum(log diag L) - k log(2 pi) / 2.
    A singular covariance is differentiated through its eigenvalues that are not zero.
    """

    @property
    def _real(self) -> Any:
        return scipy_module("scipy.stats").multivariate_normal

    def __call__(
        self, mean: Any = None, cov: Any = 1, allow_singular: bool = False, seed: Any = None,
        maxpts: Any = None, abseps: float = 1e-5, releps: float = 1e-5,
    ) -> FrozenMultivariateNormal:  # fmt: skip
        return FrozenMultivariateNormal(mean, cov, allow_singular, seed, maxpts, abseps, releps)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        real = getattr(self._real, name)
        return (
            refused_while_tracked(real, f"multivariate_normal.{name}") if callable(real) else real
        )

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """Logarithm of the density at the points x, shape (..., k)."""
        if not needs_rule(x, mean, cov):
            return tensors(self._real.logpdf(*plain((x, mean, cov)), allow_singular))
        mean, cov = _parameters(mean, cov)
        x = tensor(x, "multivariate_normal.logpdf")
        if mean.shape[0] == 1 and (x.ndim == 0 or x.shape[-1] != 1):
            x = x[..., None]
        deviation = x - mean
        if allow_singular and np.linalg.matrix_rank(plain(cov), hermitian=True) < cov.shape[0]:
            values, vectors = core.eigh(cov)
            kept = plain(values) > 1e-10 * plain(values)[-1]
            white = (deviation @ vectors[:, kept]) / xp.sqrt(values[kept])
            half = 0.5 * xp.sum(xp.log(values[kept]))
        else:
            factor = core.cholesky(cov)
            rows = deviation.reshape((-1, cov.shape[0]))
            white = linalg.solve_triangular(factor, rows.T, lower=True).T.reshape(deviation.shape)
            half = xp.sum(xp.log(xp.diag(factor)))
        return -0.5 * xp.sum(white * white, axis=-1) - half - 0.5 * log(2 * pi) * white.shape[-1]

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """Density at the points x, shape (..., k)."""
        if not needs_rule(x, mean, cov):
            return tensors(self._real.pdf(*plain((x, mean, cov)), allow_singular))
        return xp.exp(self.logpdf(x, mean, cov, allow_singular))

    def entropy(self, mean: Any = None, cov: Any = 1) -> Any:
        """Differential entropy: half the log-determinant of 2 pi e cov."""
        if not needs_rule(cov):
            return tensors(self._real.entropy(plain(mean), plain(cov)))
        _, cov = _parameters(mean, cov)
        return 0.5 * (core.slogdet(cov)[1] + cov.shape[0] * (log(2 * pi) + 1))

    def rvs(self, mean: Any = None, cov: Any = 1, size: Any = 1, random_state: Any = None) -> Any:
        """Random points mean + L z, differentiable by mean and covariance; z counts as constant."""
        points = self._real.rvs(*plain((mean, cov, size, random_state)))
        if not needs_rule(mean, cov):
            return tensors(points)
        full_mean, full_cov = _parameters(mean, cov)
        factor = core.cholesky(full_cov)
        deviation = np.reshape(points, (-1, len(plain(full_mean)))) - plain(full_mean)
        white = np.linalg.solve(plain(factor), deviation.T).T
        return (full_mean + xp.asarray(white) @ factor.T).reshape(np.shape(points))

    @policed
    def cdf(
        self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False,
        maxpts: Any = None, abseps: float = 1e-5, releps: float = 1e-5, *, lower_limit: Any = None,
        **random: Any,
    ) -> Any:  # fmt: skip
        """Probability of the box below x, or between `lower_limit` and x."""
        options = {"maxpts": maxpts, "abseps": abseps, "releps": releps, **plain(random)}
        if not needs_rule(x, mean, cov, lower_limit):
            if lower_limit is not None:
                options["lower_limit"] = plain(lower_limit)
            return tensors(self._real.cdf(*plain((x, mean, cov)), allow_singular, **options))
        mean, cov = _parameters(mean, cov)
        x = tensor(x, "multivariate_normal.cdf")
        n = mean.shape[0]
        if np.linalg.matrix_rank(plain(cov), hermitian=True) < n:
            raise refuse("scipy.stats.multivariate_normal.cdf", "for a singular covariance",
                         "leave out the dimensions that follow from others")  # fmt: skip
        if n == 1 and (x.ndim == 0 or x.shape[-1] != 1):
            x = x[..., None]
        lower = tensor(-np.inf if lower_limit is None else lower_limit, "multivariate_normal.cdf")
        lower, x = xp.broadcast_arrays(lower, x)
        return box_probability(lower - mean, x - mean, cov, options)[()]

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of `cdf`."""
        if not needs_rule(x, args, kwargs):
            return tensors(self._real.logcdf(plain(x), *plain(args), **plain(kwargs)))
        return xp.log(self.cdf(x, *args, **kwargs))


class FrozenMultivariateNormal:
    """``multivariate_normal(mean, cov)``."""

    def __init__(
        self, mean: Any, cov: Any, allow_singular: bool, seed: Any, maxpts: Any, abseps: float,
        releps: float,
    ) -> None:  # fmt: skip
        self.mean, self.cov = mean, cov
        self.allow_singular = allow_singular
        self.random_state = seed
        self.maxpts, self.abseps, self.releps = maxpts, abseps, releps

    def _box(self) -> dict[str, Any]:
        names = ("mean", "cov", "allow_singular", "maxpts", "abseps", "releps")
        return {name: getattr(self, name) for name in names}

    def logpdf(self, x: Any) -> Any:
        """Logarithm of the density."""
        return multivariate_normal.logpdf(x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x: Any) -> Any:
        """Density."""
        return multivariate_normal.pdf(x, self.mean, self.cov, self.allow_singular)

    def cdf(self, x: Any, **kwargs: Any) -> Any:
        """Probability of the box below x."""
        return multivariate_normal.cdf(x, **self._box(), **kwargs)

    def logcdf(self, x: Any, **kwargs: Any) -> Any:
        """Logarithm of `cdf`."""
        return multivariate_normal.logcdf(x, **self._box(), **kwargs)

    def entropy(self) -> Any:
        """Differential entropy."""
        return multivariate_normal.entropy(self.mean, self.cov)

    def rvs(self, size: Any = 1, random_state: Any = None) -> Any:
        """Random points."""
        state = self.random_state if random_state is None else random_state
        return multivariate_normal.rvs(self.mean, self.cov, size, state)


multivariate_normal = MultivariateNormal()
