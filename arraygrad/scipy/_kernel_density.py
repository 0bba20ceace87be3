"""Density estimates by Gaussian kernels, differentiable in data, weights, bandwidth and points."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import special
from . import linalg
from ._multivariate_normal import multivariate_normal
from ._rule import (
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensor,
    tensors,
    without_method,
    xp,
)

_NAME = "scipy.stats.gaussian_kde"


class gaussian_kde:
    """Stand-in for ``scipy.stats.gaussian_kde``.

    Notes
    -----
    Differentiable in the data, whose covariance the kernels have, in weights, in a bandwidth that
    is a number, and in the points of evaluation.
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        self.dataset = xp.atleast_2d(tensor(dataset, _NAME).astype(float))
        self._real = scipy_object(_NAME)(plain(self.dataset), None, plain(weights))  # its errors
        self.d, self.n = self.dataset.shape
        if weights is None:
            self.weights = xp.ones(self.n) / self.n
        else:
            given = xp.atleast_1d(tensor(weights, _NAME, 3).astype(float))
            self.weights = given / xp.sum(given)
        self.neff = 1.0 / xp.sum(self.weights**2)
        self._method: Any = None
        self.set_bandwidth(bw_method)

    def __getattr__(self, name: str) -> Any:
        raise without_method(_NAME, name)

    # -- bandwidth --------------------------------------------------------------------------------

    def scotts_factor(self) -> Any:
        """Scott's rule of thumb."""
        return self.neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self) -> Any:
        """Silverman's rule of thumb."""
        return (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    def covariance_factor(self) -> Any:
        """The factor that scales the deviations of the data to those of a kernel."""
        if self._method is None or self._method == "scott":
            return self.scotts_factor()
        if self._method == "silverman":
            return self.silverman_factor()
        return self._method(self) if callable(self._method) else self._method

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Another rule for the bandwidth: a name, a number or a function; None keeps it."""
        if bw_method is not None:
            if not callable(bw_method):
                self._real.set_bandwidth(plain(bw_method))  # its errors
            self._method = bw_method
        self.factor = self.covariance_factor()
        self._real.set_bandwidth(float(plain(self.factor)))
        deviations = self.dataset - (self.dataset @ self.weights)[:, None]
        spread = 1.0 - xp.sum(self.weights**2)
        self._of_data = (deviations * self.weights) @ deviations.T / spread
        self.covariance = self._of_data * self.factor**2
        self.cho_cov = linalg.cholesky(self._of_data, lower=True) * self.factor
        self.log_det = 2.0 * xp.sum(xp.log(xp.diagonal(self.cho_cov) * np.sqrt(2.0 * np.pi)))

    @property
    def inv_cov(self) -> Any:
        """The inverse of the kernels' covariance."""
        return linalg.inv(self._of_data) / self.factor**2

    # -- density ----------------------------------------------------------------------------------

    def _is_plain(self, *values: Any) -> bool:
        return not needs_rule(values, self.dataset, self.weights, self.factor)

    def _energies(self, points: Any) -> Any:
        """Half the squared distances of points and data, in the kernels' metric, (m, n)."""
        points = xp.atleast_2d(tensor(points, _NAME).astype(float))
        if points.shape[0] != self.d:
            points = xp.reshape(points, (self.d, 1))  # SciPy has accepted it: one point
        data = linalg.solve_triangular(self.cho_cov, self.dataset, lower=True)
        at = linalg.solve_triangular(self.cho_cov, points, lower=True)
        parts = [(at[i][:, None] - data[i]) ** 2 for i in range(self.d)]
        return sum(parts[1:], parts[0]) / 2.0

    def evaluate(self, points: Any) -> Any:
        """The density at points, one a column."""
        found = self._real.evaluate(plain(points))
        if self._is_plain(points):
            return tensors(found)
        return xp.exp(-self._energies(points)) @ self.weights * xp.exp(-self.log_det / 2.0)

    __call__ = evaluate
    pdf = evaluate

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        found = self._real.logpdf(plain(x))
        if self._is_plain(x):
            return tensors(found)
        total = special.logsumexp(-self._energies(x), axis=-1, b=self.weights)
        return total - self.log_det / 2.0

    # -- integrals --------------------------------------------------------------------------------

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        """Integral of the density times that of a normal distribution."""
        found = self._real.integrate_gaussian(plain(mean), plain(cov))
        if self._is_plain(mean, cov):
            return tensors(found)
        mean = xp.atleast_1d(xp.squeeze(tensor(mean, _NAME)))
        total = self.covariance + xp.atleast_2d(tensor(cov, _NAME, 2))
        return multivariate_normal.pdf(self.dataset.T, mean, total) @ self.weights

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """Integral of a density in one dimension between two limits."""
        found = self._real.integrate_box_1d(plain(low), plain(high))
        if self._is_plain(low, high):
            return tensors(found)
        deviation = xp.sqrt(self.covariance[0, 0])
        below, above = ((end - self.dataset[0]) / deviation for end in (low, high))
        return (special.ndtr(above) - special.ndtr(below)) @ self.weights

    def integrate_box(
        self, low_bounds: Any, high_bounds: Any, maxpts: Any = None, **random: Any
    ) -> Any:
        """Integral of the density over a box."""
        if self._is_plain(low_bounds, high_bounds):
            given = plain(low_bounds), plain(high_bounds)
            return tensors(self._real.integrate_box(*given, maxpts, **plain(random)))
        low, high = (tensor(x, _NAME) - self.dataset.T for x in (low_bounds, high_bounds))
        zero = xp.zeros(self.d)
        parts = multivariate_normal.cdf(
            high, zero, self.covariance, maxpts=maxpts, lower_limit=low, **random
        )
        return parts @ self.weights

    def integrate_kde(self, other: Any) -> Any:
        """Integral of the product of two densities."""
        other = kde_of(other)
        found = self._real.integrate_kde(other._real)
        if self._is_plain(other.dataset, other.weights, other.factor):
            return tensors(found)
        total = self.covariance + other.covariance
        apart = self.dataset.T[:, None] - other.dataset.T
        zero = xp.zeros(self.d)
        return (
            self.weights
            @ multivariate_normal.pdf(apart.reshape((-1, self.d)), zero, total).reshape(
                (self.n, other.n)
            )
            @ other.weights
        )

    # -- others -----------------------------------------------------------------------------------

    @policed
    def resample(self, size: Any = None, seed: Any = None) -> Any:
        """Random points: SciPy's, of plain values."""
        if not self._is_plain():
            raise refuse(f"{_NAME}.resample", "here", "draw rows of the data, and add normal noise")
        return tensors(self._real.resample(size, plain(seed)))

    def marginal(self, dimensions: Any) -> Any:
        """The density of some of the dimensions."""
        self._real.marginal(plain(dimensions))  # its errors
        chosen = np.atleast_1d(plain(dimensions)) % self.d
        return gaussian_kde(self.dataset[chosen], self.covariance_factor(), self.weights)


def kde_of(real: Any) -> Any:
    """Ours for an estimate of SciPy."""
    if isinstance(real, gaussian_kde):
        return real
    return gaussian_kde(real.dataset, float(real.factor), real.weights)
