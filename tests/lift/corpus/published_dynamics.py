"""Equations in time, images, signals and statistics as published."""
# Written as people write.
# ruff: noqa: B007, B905, E741, F841

import logging
from collections import namedtuple

import numpy as np
import numpy.linalg as la
from scipy import signal

from .cases import table_with_points

logger = logging.getLogger(__name__)


CASES, case = table_with_points()


def rk4(f, y, t, dt, *args, callback=None, **kw):
    k1 = f(t, y, *args, **kw)
    k2 = f(t + dt / 2, y + dt / 2 * k1, *args, **kw)
    k3 = f(t + dt / 2, y + dt / 2 * k2, *args, **kw)
    k4 = f(t + dt, y + dt * k3, *args, **kw)
    y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    if callback is not None:
        callback(t + dt, y)
    return y


def lotka(t, y, a, b, *, c=1.0, d=0.5):
    u, v = y
    return np.array([a * u - b * u * v, -c * v + d * u * v])


@case(at=(1.1, 0.4, 1.0))
def lotka_volterra(p):
    hist = []
    y = np.array([p[2], 0.5])
    for i in range(10):
        y = rk4(
            lotka,
            y,
            0.1 * i,
            0.1,
            p[0],
            p[1],
            c=0.9,
            callback=lambda t, s: hist.append((t, s.copy())),
        )
    ts, ys = zip(*hist)
    ys = np.vstack(ys)
    return np.trapezoid(ys[:, 0], ts) + ys[-1, 1]


@case(at=(1.5, 0.2))
def adaptive_ode(p):
    def f(y):
        return -p[0] * y + p[1] * np.sin(3 * y)

    t, y, h, tol = 0.0, 1.0, 0.1, 1e-3
    while t < 1.0 - 1e-12:
        h = min(h, 1.0 - t)
        k1 = f(y)
        k2 = f(y + h * k1)
        y1 = y + h * k1
        y2 = y + h * (k1 + k2) / 2
        err = abs(y2 - y1)
        if err > 0.1:
            h /= 2
            continue
        t += h
        y = y2
    return y


@case(at=(0.1, 1.0))
def heat2d(p):
    u = np.zeros((6, 6))
    u[0, :] = p[1]
    un = np.empty_like(u)
    for _ in range(4):
        un[:] = u
        u[1:-1, 1:-1] = un[1:-1, 1:-1] + p[0] * (
            un[2:, 1:-1] + un[:-2, 1:-1] + un[1:-1, 2:] + un[1:-1, :-2] - 4 * un[1:-1, 1:-1]
        )
        u[:, 0] = u[:, 1]
        u[:, -1] = u[:, -2]
    return u[2].sum()


@case(at=(0.2, 0.7))
def gauss_seidel(p):
    A = np.array([[4.0, p[0], 0], [1, 5, p[1]], [0, 1, 3]])
    b = np.array([1.0, 2, 3])
    x = np.zeros_like(b)
    for it in range(60):
        x_old = x.copy()
        for i in range(A.shape[0]):
            s = np.dot(A[i, :i], x[:i]) + np.dot(A[i, i + 1 :], x_old[i + 1 :])
            x[i] = (b[i] - s) / A[i, i]
        if np.allclose(x, x_old, rtol=1e-13):
            break
    return x @ [1, 2, 3]


@case(at=tuple(np.linspace(0.1, 0.9, 16)))
def sobel_edges(v):
    img = v.reshape(4, 4) ** 2
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gx = signal.convolve2d(img, kx, mode="valid")
    gy = signal.convolve2d(img, kx.T, mode="valid")
    mag = np.sqrt(gx**2 + gy**2)
    mag *= 255.0 / np.max(mag)
    return np.mean(mag[mag > 10])


@case(at=(0.2, 0.5, 0.8))
def rgb_to_lab(rgb):
    rgb = np.asarray(rgb, dtype=np.float64)
    mask = rgb > 0.04045
    lin = np.empty_like(rgb)
    lin[mask] = ((rgb[mask] + 0.055) / 1.055) ** 2.4
    lin[~mask] = rgb[~mask] / 12.92
    M = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = M.dot(lin) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]).sum()


@case(at=(0.3, 0.6, 0.1))
def biquad(c):
    x = np.sin(np.arange(12) * 0.5)
    y = np.zeros_like(x)
    z1 = z2 = 0.0
    for n, xn in enumerate(x):
        yn = c[0] * xn + z1
        z1 = c[1] * xn - 0.5 * yn + z2
        z2 = c[2] * xn - 0.1 * yn
        y[n] = yn
    return np.sqrt(np.mean(y**2))


@case(at=(1.0, 0.2, 0.1))
def pid_controller(k):
    class PID:
        def __init__(self, kp, ki, kd):
            self.kp, self.ki, self.kd = kp, ki, kd
            self.reset()

        def reset(self):
            self.integral = 0.0
            self.prev: float | None = None

        def __call__(self, err, dt):
            self.integral += err * dt
            der = 0.0 if self.prev is None else (err - self.prev) / dt
            self.prev = err
            return np.clip(self.kp * err + self.ki * self.integral + self.kd * der, -5, 5)

    pid, y, cost = PID(*k), 0.0, 0.0
    for _ in range(20):
        u = pid(1.0 - y, 0.1)
        y += 0.1 * (-y + u)
        cost += (1 - y) ** 2
    return cost


@case(at=(0.5, -1.0, 2.0))
def logistic_irls(beta0):
    X = np.c_[np.ones(5), np.arange(5.0), np.arange(5.0) ** 2 / 10]
    y = np.array([0, 0, 1, 0, 1])
    beta = beta0 * 0.1
    for _ in range(3):
        p = 1 / (1 + np.exp(-X @ beta))
        W = np.diag(p * (1 - p))
        H = X.T @ W @ X + 0.1 * np.eye(3)
        beta = beta + la.solve(H, X.T @ (y - p) - 0.1 * beta)
    return beta.sum() + p.prod()


@case(at=(0.7, 1.3, 0.4, 2.1))
def bootstrap(x):
    rng = np.random.RandomState(0)
    means = [rng.choice(x, size=len(x), replace=True).mean() for _ in range(20)]
    lo, hi = np.percentile(means, [5, 95])
    return hi - lo


@case(at=(0.7, 1.3, 0.4, 2.1))
def kmeans(flat):
    pts = flat.reshape(2, 2)
    X = np.array([[0.0, 0], [0, 1], [3, 3], [3, 4]])
    C = pts.copy()
    for _ in range(3):
        d = np.linalg.norm(X[:, None] - C[None], axis=2)
        lab = d.argmin(axis=1)
        new = np.array(
            [X[lab == k].mean(axis=0) if np.any(lab == k) else C[k] for k in range(len(C))]
        )
        if np.abs(new - C).max() < 1e-9:
            break
        C = 0.5 * C + 0.5 * new
    return np.min(np.linalg.norm(X[:, None] - C[None], axis=2), axis=1).sum()


@case(at=(0.7, 1.3, 0.4, 2.1, 0.9, 0.2))
def pca(flat):
    X = flat.reshape(3, 2)
    Xc = X - X.mean(axis=0)
    C = np.cov(Xc, rowvar=False)
    w, V = np.linalg.eigh(C)
    order = np.argsort(w)[::-1]
    w = w[order]
    V = V[:, order]
    V *= np.sign(V[0])
    return w[0] / w.sum() + V[1, 0]


@case(at=(0.3, 0.2))
def tree_boosting(p):
    X = np.arange(6.0)
    y = p[0] * X + p[1] * X**2
    pred = np.full_like(y, y.mean())
    Node = namedtuple("Node", "thr left right")
    for m in range(3):
        r = y - pred
        best, best_err = None, np.inf
        for thr in (X[:-1] + X[1:]) / 2:
            l, g = r[thr >= X], r[thr < X]
            err = ((l - l.mean()) ** 2).sum() + ((g - g.mean()) ** 2).sum()
            if err < best_err:
                best, best_err = Node(thr, l.mean(), g.mean()), err
        pred += 0.5 * np.where(best.thr >= X, best.left, best.right)
    return ((y - pred) ** 2).mean()
