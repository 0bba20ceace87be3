"""Allocate, then write."""

import numpy as np

from . import helpers
from .helpers import SCRATCH, into_scratch, skew


def block(x):
    B = np.zeros((4, 4))
    B[:2, :2] = x.reshape(2, 2)
    B[2, 3] = x[0] ** 2
    B[3, :] = x
    return np.sum(B**2)


def rotation(x):
    th = np.linalg.norm(x)
    K = skew(x / th)
    R = np.eye(3) + np.sin(th) * K + (1 - np.cos(th)) * K @ K
    return (R @ np.array([1.0, 2.0, 3.0])).sum() + R[0, 1]


def finite_differences(x):
    d = np.empty_like(x)
    d[0] = x[1] - x[0]
    d[-1] = x[-1] - x[-2]
    d[1:-1] = (x[2:] - x[:-2]) / 2
    return (d**2).sum()


def heat(x):
    u = x.copy()
    for _ in range(4):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
    return (u * np.arange(len(u))).sum()


def masked(x):
    y = np.ones_like(x)
    m = x > 0.5
    y[m] = np.log(x[m])
    y[~m] *= x[~m] ** 2
    return y.sum()


def outer_fill(x):
    n = x.shape[0]
    K = np.zeros((n, n), dtype=np.float64)
    for i in range(n):
        for j in range(i + 1):
            K[i, j] = np.exp(-((x[i] - x[j]) ** 2))
            K[j, i] = K[i, j]
    return K.sum() + np.trace(K @ K)


def full_and_like(x):
    a = np.full(3, x[0])
    b = np.full_like(np.zeros(3), x[1])
    a[1] += x[2]
    return (a * b).sum()


def arange_of(x):
    t = np.arange(3) * x[0] + np.linspace(0.0, x[1], 3)
    return np.sum(t * t) + np.arange(0.0, 3.0)[1] * x[2]


def columns(x):
    A = np.c_[np.ones(len(x)), x, x**2]
    r = np.r_[x, 0.0, x[:2] * 3]
    return (A.T @ A).sum() + (r**2).sum()


def from_list(x):
    rows = []
    for i in range(len(x) - 1):
        rows.append([x[i], x[i + 1] * x[i]])
    return np.array(rows).prod(axis=1).sum() + np.mean([x[0], x[1] + 2])


def triangle(x):
    L = np.zeros((3, 3))
    L[np.tril_indices(3)] = x
    return np.sum((L @ L.T) ** 2)


def shared_buffer(x):
    return (into_scratch(x) ** 2).sum() + SCRATCH[0] + helpers.SCRATCH[1]


def aliases(x):
    y = x * 1.0
    v = y.reshape(2, 2).T[0]
    v *= 3.0
    v[1:] += x[0] * x[3]
    w = y[1:]
    w -= 1.0
    return (y * np.array([1.0, 10.0, 100.0, 1000.0])).sum()


def rows(x):
    y = x.reshape(2, 2) * 1.0
    for i, row in enumerate(y):
        row *= i + 2
        row[:1] -= 1.0
    return (y**2).sum()


def out_argument(x):
    a = np.zeros_like(x)
    np.multiply(x, 2.0, out=a)
    np.negative(a, a)
    return (a * a * a).sum()


def nan_then_fill(x):
    a = np.full((2, 3), np.nan)
    a[0] = x
    a[1] = a[0] * x[::-1]
    return a[~np.isnan(a)].sum()


def uncertainty(x):
    P = np.diag([0.1, 0.2, 0.3])
    F = np.eye(3)
    F[0, 2] = x[0]
    F[1, 2] = x[1] * x[2]
    P = F @ P @ F.T
    P += 0.01 * np.identity(3)
    return np.log(np.linalg.det(P))
