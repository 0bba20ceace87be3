"""Arrays on self, inheritance, dataclasses, properties, static and class methods."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .helpers import ACTIVATIONS, skew


class Kalman:
    """State is written in place."""

    count = 0

    def __init__(self, n=2):
        self.x = np.zeros(n)
        self.P = np.eye(n)
        self.Q = 0.01 * np.eye(n)
        self.history = []

    @property
    def spread(self):
        return np.sqrt(np.trace(self.P))

    @staticmethod
    def gain(P, r):
        return P / (P + r)

    @classmethod
    def fresh(cls, n):
        cls.count += 1
        return cls(n)

    def predict(self, dt):
        F = np.eye(len(self.x))
        F[0, 1] = dt
        self.x = F @ self.x
        self.P[:] = F @ self.P @ F.T + self.Q

    def update(self, z, r=0.1):
        H = np.zeros((1, len(self.x)))
        H[0, 0] = 1.0
        P = self.P
        S = H @ P @ H.T + r
        K = P @ H.T / S[0, 0]
        self.x += K[:, 0] * (z - self.x[0])
        P -= K @ H @ P
        self.history.append(self.x[0])
        return self.spread * self.gain(self.P[0, 0], r)


def kalman(x):
    f = Kalman.fresh(2)
    total = 0.0
    for z in x:
        f.predict(0.5)
        total += f.update(z) * z
    return total + sum(f.history) + f.x.sum()


FILTER = Kalman(2)


def global_object(x):
    FILTER.x[:] = 0.0
    FILTER.P[:] = np.eye(2)
    FILTER.history.clear()
    for z in x:
        FILTER.predict(0.5)
        FILTER.update(z)
    return FILTER.x[0] * x[0] + FILTER.spread


class Layer(ABC):
    registry = []

    def __init__(self, n):
        self.w = np.linspace(0.1, 1.0, n)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Layer.registry.append(cls.__name__)

    @abstractmethod
    def act(self, v): ...

    def __call__(self, v):
        return self.act(self.w * v)


class Named(Layer):
    def __init__(self, n, name):
        super().__init__(n)
        self.f = ACTIVATIONS[name]

    def act(self, v):
        return self.f(v)


class Doubled(Named):
    def act(self, v):
        out = np.empty(len(v))
        out[:] = 2 * super().act(v)
        return out


NETWORK = [Named(3, "tanh"), Doubled(3, "soft"), Named(3, "relu")]


def network(x):
    for layer in NETWORK:
        x = layer(x)
    return x.sum()


@dataclass
class Body:
    position: np.ndarray
    mass: float = 2.0
    forces: list = field(default_factory=list)

    def energy(self):
        return 0.5 * self.mass * np.dot(self.position, self.position)


@dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 1.0

    def area(self):
        return self.a * self.b


def bodies(x):
    bs = [Body(np.array([x[0], x[1], 0.0])), Body(position=x * 2, mass=x[2])]
    for b in bs:
        b.forces.append(skew(b.position) @ x)
    return sum(b.energy() for b in bs) + sum(f.sum() for b in bs for f in b.forces)


def frozen(x):
    f = Frozen(x[0], b=x[1])
    return f.area() + Frozen(x[2]).area()


class Point(NamedTuple):
    x: float
    y: float

    def norm2(self):
        return self.x**2 + self.y**2


def named_tuple(x):
    p = Point(x[0], x[1])
    return p.norm2() + p._replace(x=x[2]).norm2()


class Slotted:
    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values

    def __add__(self, other):
        return Slotted(self.values + other.values)

    def __getitem__(self, i):
        return self.values[i]

    def __len__(self):
        return len(self.values)


def operators(x):
    s = Slotted(np.array([x[0], x[1]])) + Slotted(x[1:])
    return s[0] * s[1] * len(s)


def copied(x):
    f = Kalman(2)
    f.x[0] = x[0]
    g = copy.deepcopy(f)
    g.x[0] *= x[1]
    h = copy.copy(f)
    return f.x[0] + g.x[0] * x[2] + h.x[0]


class Quaternion:
    def __init__(self, *a):
        self.q = np.array(a, dtype=float)

    def __mul__(self, o):
        w, v = self.q[0], self.q[1:]
        ow, ov = o.q[0], o.q[1:]
        return Quaternion(w * ow - v @ ov, *(w * ov + ow * v + np.cross(v, ov)))

    def conjugate(self):
        q = self.q.copy()
        q[1:] *= -1
        return type(self)(*q)


def quaternion(x):
    q = Quaternion(x[0], x[1], x[2], 1.0)
    return (q * Quaternion(0.0, 1.0, 2.0, 3.0) * q.conjugate()).q[1:].sum()


class Chain:
    """Each node knows the next."""

    def __init__(self, k, nxt=None):
        self.k, self.nxt = k, nxt

    def value(self, x):
        here = np.array([self.k * x])
        return here[0] if self.nxt is None else here[0] * self.nxt.value(x)


CHAIN = Chain(2.0, Chain(0.5, Chain(3.0)))


def chain(x):
    return CHAIN.value(x[0]) + CHAIN.nxt.value(x[1]) * x[2]


class Wrapped:
    """Converts itself for NumPy."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype=dtype)


def converts_itself(x):
    w = Wrapped(x * 2)
    assert not np.iscomplexobj(w)
    return np.sum(np.asarray(w) ** 2) + np.sin(w).sum() + np.mean(w)
