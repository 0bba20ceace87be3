"""Small numerical methods written out."""

import numpy as np


def runge_kutta(x):
    def rhs(t, y):
        return np.array([y[1], -x[0] * y[0] - x[1] * y[1]])

    y = np.array([1.0, x[2]])
    dt = 0.1
    ys = np.zeros((6, 2))
    ys[0] = y
    for i in range(5):
        k1 = rhs(0, y)
        k2 = rhs(0, y + dt / 2 * k1)
        k3 = rhs(0, y + dt / 2 * k2)
        k4 = rhs(0, y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        ys[i + 1] = y
    return (ys**2).sum()


def thomas(x):
    n = len(x)
    c, d = np.zeros(n), np.zeros(n)
    c[0] = 1.0 / (4 + x[0])
    d[0] = x[0] / (4 + x[0])
    for i in range(1, n):
        m = 4 + x[i] - c[i - 1]
        c[i] = 1.0 / m
        d[i] = (x[i] - d[i - 1]) / m
    out = np.zeros(n)
    out[-1] = d[-1]
    for i in reversed(range(n - 1)):
        out[i] = d[i] - c[i] * out[i + 1]
    return out.sum()


def gauss_elimination(x):
    A = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.5], [2.0, 0.5, 5.0]])
    A[0, 0] += x[0]
    b = x.copy()
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    y = np.zeros(n)
    for i in range(n - 1, -1, -1):
        y[i] = (b[i] - A[i, i + 1 :] @ y[i + 1 :]) / A[i, i]
    return y @ y


def solve(x):
    A = np.eye(3) * 3 + np.outer(x, x)
    return np.linalg.solve(A, x).sum() + np.log(np.linalg.det(A)) + np.linalg.inv(A)[0, 1]


def simpson(x):
    f = lambda t: np.exp(-x[0] * t) * np.sin(x[1] * t)
    t = np.linspace(0, x[2], 21)
    y = f(t)
    return (t[1] - t[0]) / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-2:2].sum())


def least_squares(x):
    t = np.array([0.0, 1.0, 2.0, 3.0])
    A = np.vstack([t, np.ones(len(t))]).T
    y = np.concatenate([x, [2.0]])
    m, c = np.linalg.solve(A.T @ A, A.T @ y)
    return m * 2 + c


def softmax_loss(x):
    z = x - np.max(x)
    p = np.exp(z) / np.exp(z).sum()
    onehot = np.zeros(3)
    onehot[1] = 1
    return -(onehot * np.log(p)).sum()


def distances(x):
    pts = x.reshape(-1, 2)
    d = np.sqrt(((pts[:, None] - pts[None]) ** 2).sum(-1))
    iu = np.triu_indices(len(pts), 1)
    return d[iu].sum()


def convolution(x):
    k = np.array([1.0, -2.0, 1.0])
    out = np.zeros(len(x) + len(k) - 1)
    for i, v in enumerate(x):
        out[i : i + len(k)] += v * k
    return (out**2).sum()


def power_iteration(x):
    A = np.diag([3.0, 2.0, 1.0])
    A[0, 1] = A[1, 0] = x[0]
    v = np.ones(3) / np.sqrt(3)
    for _ in range(60):
        w = A @ v
        v = w / np.linalg.norm(w)
    return v @ A @ v


def cumulative(x):
    price = 100 * np.cumprod(1 + 0.1 * x)
    drawdown = price / np.maximum.accumulate(price) - 1
    return drawdown.min() + np.cumsum(x).mean() + np.diff(price).std()


def sorted_parts(x):
    s = np.sort(x)[::-1]
    return s[0] * 3 + np.median(x) + x[np.argsort(x)][1] ** 2


def interpolate(x):
    return np.interp(x[0], [0.0, 1.0, 2.0], [x[1], x[2], 5.0]) + np.polyval([1.0, x[1], 2.0], x[0])


def transform(x):
    T = np.block([[np.eye(2), x[:2, None]], [np.zeros((1, 2)), np.ones((1, 1))]])
    p = T @ np.array([1.0, x[2], 1.0])
    return p[0] * p[1] + T.flatten()[2]


def einsum(x):
    A = np.tensordot(x, x, axes=0)
    A[np.diag_indices(3)] = 0.0
    np.einsum("ii->i", A)[...] = x
    return np.einsum("ij,j->", A, x) + A.T[0].sum()
