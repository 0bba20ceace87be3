"""Matrices of which LAPACK reads one triangle only."""

import numpy as np


def lower_half_filled(x):
    k = np.zeros((3, 3))
    k[0, 0], k[1, 1], k[2, 2] = 1.0, 2.0, 4.0
    k[1, 0], k[2, 0], k[2, 1] = x
    values, vectors = np.linalg.eigh(k)
    return (values * np.arange(3.0)).sum() + np.abs(vectors[:, 2]).sum()


def upper_half_filled(x):
    k = np.diag([3.0, 4.0, 5.0])
    k[0, 1], k[0, 2], k[1, 2] = x
    return (np.linalg.eigvalsh(k, UPLO="U") ** 2).sum() - np.linalg.eigh(k, "U")[0][0]


def cholesky_of_a_half(x):
    k = np.diag([3.0, 4.0, 5.0])
    k[1, 0], k[2, 0], k[2, 1] = x
    return (np.linalg.cholesky(k) * np.arange(9.0).reshape(3, 3)).sum()
