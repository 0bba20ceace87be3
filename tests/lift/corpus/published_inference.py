"""Inference and numerics as published: Markov models, kernels, splines, elements, orbits."""
# Written as people write.
# ruff: noqa: B007, B905, E741

import logging
import math
from functools import reduce
from math import cos, pi, sin, sqrt

import numpy as np
import scipy.linalg as sla
from numpy.linalg import LinAlgError, cholesky, norm, solve
from scipy.spatial.distance import cdist

from .cases import table_with_points

logger = logging.getLogger(__name__)


CASES, case = table_with_points()


def logsumexp(a, axis=None):
    m = a.max(axis=axis, keepdims=True)
    return (
        np.squeeze(m, axis=axis) + np.log(np.sum(np.exp(a - m), axis=axis))
        if axis is not None
        else m.item() + np.log(np.exp(a - m).sum())
    )


@case(at=(0.3, 0.6, 0.2, 0.8))
def hmm_forward(p):
    A = np.array([[1 - p[0], p[0]], [p[1], 1 - p[1]]])
    B = np.array([[1 - p[2], p[2]], [1 - p[3], p[3]]])
    with np.errstate(divide="ignore"):
        logA, logB = np.log(A), np.log(B)
    la_ = np.log([0.5, 0.5]) + logB[:, 0]
    for o in [1, 1, 0, 1]:
        la_ = np.array([logsumexp(la_ + logA[:, j]) for j in range(2)]) + logB[:, o]
    return logsumexp(la_)


@case(at=(0.3, 0.6, 0.2, 0.8))
def viterbi(p):
    A = np.log(np.array([[1 - p[0], p[0]], [p[1], 1 - p[1]]]))
    B = np.log(np.array([[1 - p[2], p[2]], [1 - p[3], p[3]]]))
    obs = [0, 1, 1]
    T1 = np.zeros((2, 3))
    T2 = np.zeros((2, 3), dtype=int)
    T1[:, 0] = B[:, obs[0]]
    for t in range(1, 3):
        for s in range(2):
            seq = T1[:, t - 1] + A[:, s] + B[s, obs[t]]
            T1[s, t] = np.max(seq)
            T2[s, t] = np.argmax(seq)
    path = [int(np.argmax(T1[:, -1]))]
    for t in range(2, 0, -1):
        path.insert(0, T2[path[0], t])
    return T1[path[-1], -1] * 1.0


@case(at=(0.0, 3.0, 0.4))
def em_gmm(p):
    x = np.array([-0.2, 0.1, 0.4, 2.8, 3.3, 3.1])
    mu = np.array([p[0], p[1]])
    sd = np.ones(2) * 0.8
    w = np.array([p[2], 1 - p[2]])
    for it in range(3):
        pdf = w * np.exp(-0.5 * ((x[:, None] - mu) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        r = pdf / pdf.sum(1, keepdims=True)
        nk = r.sum(0)
        mu = (r * x[:, None]).sum(0) / nk
        sd = np.sqrt((r * (x[:, None] - mu) ** 2).sum(0) / nk)
        w = nk / len(x)
    return np.log(pdf.sum(1)).sum()


class Kernel:
    def __add__(self, o):
        return Sum(self, o)

    def __mul__(self, o):
        return Product(self, o if isinstance(o, Kernel) else Const(o))

    __rmul__ = __mul__


class Const(Kernel):
    def __init__(self, c):
        self.c = c

    def __call__(self, a, b):
        return self.c * np.ones((len(a), len(b)))


class RBF(Kernel):
    def __init__(self, l):
        self.l = l

    def __call__(self, a, b):
        return np.exp(-0.5 * cdist(a / self.l, b / self.l, metric="sqeuclidean"))


class White(Kernel):
    def __init__(self, s):
        self.s = s

    def __call__(self, a, b):
        return self.s * np.eye(len(a)) if a is b else np.zeros((len(a), len(b)))


class Binary(Kernel):
    def __init__(self, a, b):
        self.a, self.b = a, b


class Sum(Binary):
    def __call__(self, x, y):
        return self.a(x, y) + self.b(x, y)


class Product(Binary):
    def __call__(self, x, y):
        return self.a(x, y) * self.b(x, y)


@case(at=(0.8, 1.2, 0.1))
def gp_marginal(p):
    X = np.linspace(0, 3, 6)[:, None]
    y = np.sin(X).ravel()
    kernel = p[0] * RBF(p[1]) + White(p[2])
    K = kernel(X, X)
    try:
        L = sla.cholesky(K, lower=True)
    except LinAlgError:
        return -np.inf
    alpha = sla.cho_solve((L, True), y)
    return -0.5 * y @ alpha - np.log(np.diag(L)).sum() - 3 * np.log(2 * np.pi)


@case(at=(1.0, 2.0))
def jitter_cholesky(p):
    A = np.outer(p, p)
    jitter = 1e-10
    for attempt in range(12):
        try:
            L = cholesky(A + jitter * np.eye(2))
            break
        except LinAlgError:
            logger.debug("jitter %g failed", jitter)
            jitter *= 10
    else:
        raise RuntimeError("not positive definite")
    return L[0, 0] * 2 + L[1, 0]


def tridiag(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    x = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m if i < n - 1 else 0
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@case(at=(0.0, 1.0, 0.5, 2.0, 1.2))
def natural_spline(y):
    x = np.arange(5.0)
    h = np.diff(x)
    n = 5
    a = np.zeros(n)
    b = np.ones(n)
    c = np.zeros(n)
    d = np.zeros(n)
    for i in range(1, n - 1):
        a[i], b[i], c[i] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        d[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    M = tridiag(a, b, c, d)

    def ev(t):
        i = min(max(np.searchsorted(x, t) - 1, 0), n - 2)
        A, B = (x[i + 1] - t) / h[i], (t - x[i]) / h[i]
        return A * y[i] + B * y[i + 1] + ((A**3 - A) * M[i] + (B**3 - B) * M[i + 1]) * h[i] ** 2 / 6

    return sum(ev(t) for t in (0.3, 1.7, 2.2, 3.9))


@case(at=(1.0, 2.0, 0.5))
def fem_bar(E):
    n = len(E)
    K = np.zeros((n + 1, n + 1))
    ke = np.array([[1.0, -1], [-1, 1]])
    for e in range(n):
        dofs = np.array([e, e + 1])
        K[np.ix_(dofs, dofs)] += E[e] * ke
    f = np.zeros(n + 1)
    f[-1] = 1.0
    free = np.setdiff1d(np.arange(n + 1), [0])
    u = np.zeros(n + 1)
    u[free] = solve(K[np.ix_(free, free)], f[free])
    return f @ u + u[1] ** 2


@case(at=(1.0, 1.1))
def truss(p):
    nodes = {"a": np.array([0.0, 0]), "b": np.array([2.0, 0]), "c": p}
    bars = [("a", "c", 1.0), ("b", "c", 2.0)]
    K = np.zeros((2, 2))
    for n1, n2, ea in bars:
        v = nodes[n2] - nodes[n1]
        L = np.linalg.norm(v)
        v = v / L
        K += ea / L * np.outer(v, v)
    return np.linalg.inv(K).trace()


def kepler_E(M, e, tol=1e-12, maxiter=50):
    E = M if e < 0.8 else pi
    for _ in range(maxiter):
        dE = (E - e * sin(E) - M) / (1 - e * cos(E))
        E -= dE
        if abs(dE) < tol:
            return E
    raise RuntimeError(f"no convergence, last step {dE:.3e}")


@case(at=(1.2, 0.3, 1.5))
def orbit_position(p):
    M, e, a = map(float, p)
    E = kepler_E(M, e)
    nu = 2 * math.atan2(sqrt(1 + e) * sin(E / 2), sqrt(1 - e) * cos(E / 2))
    r = a * (1 - e * cos(E))
    return np.hypot(r * np.cos(nu), 2 * r * np.sin(nu))


def rot(axis, t):
    c, s = np.cos(t), np.sin(t)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


@case(at=(0.3, 0.5, 0.7))
def euler_rotation(p):
    R = reduce(np.matmul, [rot(a, t) for a, t in zip("zxz", p)])
    v = R @ np.array([1.0, 2.0, 3.0])
    lat = np.arcsin(v[2] / norm(v))
    lon = np.arctan2(v[1], v[0])
    return np.degrees(lat) + np.rad2deg(lon)
