"""Models as published: particles, options, networks, filters."""
# Written as people write.
# ruff: noqa: B007, E741, RUF059

import abc
import itertools
import logging
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.linalg import inv, norm
from scipy import stats

from .cases import table_with_points

logger = logging.getLogger(__name__)


CASES, case = table_with_points()


G_CONST = 1.0
MASSES = np.array([1.0, 0.5, 0.25])


def accelerations(pos, masses, eps=0.05):
    n = pos.shape[0]
    acc = np.zeros_like(pos)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            r = pos[j] - pos[i]
            d = np.sqrt(r @ r + eps**2)
            acc[i] += G_CONST * masses[j] * r / d**3
    return acc


@case(at=(0.0, 0.1, 1.0, 0.2, -0.5, 0.8))
def nbody_energy(p):
    pos = p.reshape(3, 2).copy()
    vel = np.zeros_like(pos)
    dt = 0.01
    acc = accelerations(pos, MASSES)
    for step in range(5):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = accelerations(pos, MASSES)
        vel += 0.5 * dt * acc
    kin = 0.5 * np.sum(MASSES[:, None] * vel**2)
    pot = 0.0
    for i, j in itertools.combinations(range(3), 2):
        pot -= G_CONST * MASSES[i] * MASSES[j] / norm(pos[i] - pos[j])
    return kin + pot


@case(at=(0.0, 0.0, 1.1, 0.0, 0.3, 1.2, 1.4, 1.3))
def lennard_jones(flat):
    xy = flat.reshape(-1, 2)
    delta = xy[:, np.newaxis, :] - xy[np.newaxis, :, :]
    r2 = (delta**2).sum(axis=-1)
    iu = np.triu_indices(len(xy), k=1)
    r2 = r2[iu]
    mask = r2 < 2.5**2
    inv6 = np.zeros_like(r2)
    inv6[mask] = 1.0 / r2[mask] ** 3
    return 4 * np.sum(inv6**2 - inv6)


class Option:
    def __init__(self, s, k, t, r=0.01, vol=0.2, kind="call"):
        self.s, self.k, self.t, self.r, self.vol = float(s), k, t, r, vol
        if kind not in ("call", "put"):
            raise ValueError(f"unknown kind {kind!r}")
        self.kind = kind

    @property
    def d1(self):
        return (math.log(self.s / self.k) + (self.r + self.vol**2 / 2) * self.t) / (
            self.vol * math.sqrt(self.t)
        )

    @property
    def d2(self):
        return self.d1 - self.vol * math.sqrt(self.t)

    def price(self):
        n = stats.norm.cdf
        df = math.exp(-self.r * self.t)
        if self.kind == "call":
            return self.s * n(self.d1) - self.k * df * n(self.d2)
        return self.k * df * n(-self.d2) - self.s * n(-self.d1)


@case(at=(100.0, 0.25, 0.6))
def option_book(p):
    book = [
        Option(p[0], k, p[2], vol=p[1], kind=kind)
        for k in (90, 100, 110)
        for kind in ("call", "put")
    ]
    return sum(o.price() for o in book)


@case(at=(100.0, 0.3))
def american_put(p, n=12, strike=105.0, r=0.02, T=1.0):
    s0, vol = p
    dt = T / n
    u = math.exp(vol * math.sqrt(dt))
    d = 1 / u
    q = (math.exp(r * dt) - d) / (u - d)
    prices = np.array([s0 * u**j * d ** (n - j) for j in range(n + 1)])
    v = np.maximum(strike - prices, 0)
    for i in range(n - 1, -1, -1):
        v[: i + 1] = math.exp(-r * dt) * (q * v[1 : i + 2] + (1 - q) * v[: i + 1])
        prices[: i + 1] = prices[: i + 1] * u
        np.maximum(v[: i + 1], strike - prices[: i + 1], out=v[: i + 1])
    return v[0]


class Module(abc.ABC):
    training = True

    def __init__(self):
        self._cache = {}

    @abc.abstractmethod
    def forward(self, x): ...
    def __call__(self, x, *a, **k):
        return self.forward(x, *a, **k)


class Linear(Module):
    def __init__(self, W, b=None):
        super().__init__()
        self.W = W
        self.b = b if b is not None else np.zeros(W.shape[1])

    def forward(self, x):
        self._cache["x"] = x
        return x @ self.W + self.b


class ReLU(Module):
    def forward(self, x):
        out = x.copy()
        out[out < 0] = 0
        self._cache["mask"] = out > 0
        return out


class Dropout(Module):
    def __init__(self, p, seed=0):
        super().__init__()
        self.p = p
        self.rng = np.random.RandomState(seed)

    def forward(self, x):
        if not self.training:
            return x
        mask = (self.rng.rand(*x.shape) > self.p) / (1 - self.p)
        return x * mask


class Sequential(Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = list(layers)

    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return x


def softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def one_hot(y, k):
    out = np.zeros((len(y), k))
    out[np.arange(len(y)), y] = 1
    return out


@case(at=tuple(np.linspace(-0.9, 1.1, 12)))
def mlp_cross_entropy(theta):
    W1 = theta[:6].reshape(2, 3)
    W2 = theta[6:].reshape(3, 2)
    X = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])
    y = np.array([0, 1, 1])
    net = Sequential(Linear(W1), ReLU(), Dropout(0.2, 1), Linear(W2))
    p = softmax(net(X))
    eps = 1e-12
    p = np.clip(p, eps, 1 - eps)
    return -np.mean(np.sum(one_hot(y, 2) * np.log(p), axis=1)) + 0.01 * sum(
        np.sum(l.W**2) for l in net.layers if isinstance(l, Linear)
    )


@case(at=(0.3, -0.2, 0.5, 0.9, -0.7, 0.1, 0.4, 0.8, -0.6))
def conv2d(k):
    img = np.arange(25.0).reshape(5, 5) / 25
    K = k.reshape(3, 3)
    pad = np.pad(img, ((1, 1), (1, 1)), mode="reflect")
    out = np.empty_like(img)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = np.sum(pad[i : i + 3, j : j + 3] * K)
    pooled = out[:4, :4].reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.tanh(pooled).sum()


@dataclass
class KF:
    F: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    x: np.ndarray = field(default_factory=lambda: np.zeros((2, 1)))
    P: np.ndarray = field(default_factory=lambda: np.eye(2))
    log_likelihood: float = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        sign, ld = np.linalg.slogdet(2 * np.pi * S)
        self.log_likelihood += -0.5 * (ld + (y.T @ inv(S) @ y).item())


@case(at=(0.1, 0.5))
def kalman(q):
    kf = KF(
        F=np.array([[1, 1.0], [0, 1]]),
        H=np.array([[1.0, 0]]),
        Q=q[0] * np.eye(2),
        R=np.array([[q[1]]]),
    )
    for z in [1.0, 1.9, 3.2, 3.8]:
        kf.predict()
        kf.update(np.atleast_2d(z))
    return kf.log_likelihood
