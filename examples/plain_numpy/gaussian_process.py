"""Gaussian-process regression in plain NumPy: the marginal likelihood through Cholesky."""

import math

import numpy as np

JITTER = 1e-8


def initial_parameters(n_features):
    """Logarithms of: one length scale per feature, the signal's amplitude, the noise."""
    parameters = np.zeros(n_features + 2)
    parameters[-1] = math.log(0.5)
    return parameters


def squared_distances(x1, x2, length_scales):
    """Scaled squared distances between the rows of x1 and those of x2, feature by feature."""
    distances = np.zeros((x1.shape[0], x2.shape[0]))
    for k in range(x1.shape[1]):
        difference = (x1[:, k, None] - x2[None, :, k]) / length_scales[k]
        distances += difference**2
    return distances


def kernel(parameters, x1, x2):
    """The squared-exponential covariance, one length scale per feature."""
    length_scales = np.exp(parameters[:-2])
    amplitude = math.exp(parameters[-2])
    return amplitude**2 * np.exp(-0.5 * squared_distances(x1, x2, length_scales))


def noisy_kernel(parameters, x):
    """The covariance of the observations: noise added to the diagonal in place."""
    covariance = kernel(parameters, x, x)
    covariance += covariance.T  # symmetric to the last bit
    covariance *= 0.5
    covariance.flat[:: len(x) + 1] += math.exp(2.0 * parameters[-1]) + JITTER
    return covariance


def loss(parameters, x, y):
    """Negative log marginal likelihood per observation, with a weak prior on the parameters."""
    lower = np.linalg.cholesky(noisy_kernel(parameters, x))
    whitened = np.linalg.solve(lower, y)
    log_det = 2.0 * np.log(np.diag(lower)).sum()
    n = len(y)
    likelihood = -0.5 * (whitened @ whitened + log_det + n * math.log(2.0 * math.pi))
    terms = [likelihood]
    for parameter in parameters:
        scaled = parameter / 3.0
        terms.append(-0.5 * scaled**2)
    return float(-np.sum(terms) / n)


def predict(parameters, x, y, x_new):
    """Mean and standard deviation of the latent function at the rows of x_new."""
    lower = np.linalg.cholesky(noisy_kernel(parameters, x))
    cross = kernel(parameters, x, x_new)
    whitened = np.linalg.solve(lower, cross)
    mean = whitened.T @ np.linalg.solve(lower, y)
    variance = math.exp(2.0 * parameters[-2]) - np.einsum("ij,ij->j", whitened, whitened)
    variance[variance < 0.0] = 0.0  # by rounding
    return mean, np.sqrt(variance)
