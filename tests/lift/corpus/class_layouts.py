"""Slots, dataclasses and named tuples."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import math
import weakref
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from .cases import table

CASES, case = table()


def fill(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = math.sin(x[i]) * 2
    return out


# -- slots
class S0:
    __slots__ = ("w",)


class S1(S0):
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v
        self.w = 2.0

    def get(self):
        return float(np.sum(fill(self.v))) * self.w


@case
def slots_inherit(x):
    return S1(x).get()


class S2(S1):
    __slots__ = ("u",)

    def __init__(self, v):
        super().__init__(v)
        self.u = np.zeros(3)

    def get(self):
        self.u[:] = self.v**2
        return super().get() + self.u.sum()


@case
def slots_super(x):
    return S2(x).get()


class S3(S2):  # with dict
    def __init__(self, v):
        super().__init__(v)
        self.extra = v * 2


@case
def slots_then_dict(x):
    s = S3(x)
    return s.get() + s.extra.sum()


OUTER_S2 = S2(np.array([1.0, 2, 3]))


@case
def slots_global_object(x):
    OUTER_S2.v = x
    return OUTER_S2.get()


class SE(S0):
    __slots__ = ()

    def __init__(self, w):
        self.w = w

    def g(self):
        return fill(self.w).sum()


@case
def slots_empty(x):
    return SE(x).g()


class SW:
    __slots__ = ("a", "__weakref__")

    def __init__(self, a):
        self.a = a

    def g(self):
        return fill(self.a).sum()


@case
def slots_weakref(x):
    s = SW(x)
    r = weakref.ref(s)
    return r().g()


class SD:
    __slots__ = ("a", "__dict__")

    def __init__(self, a):
        self.a = a
        self.b = a * 2

    def g(self):
        return fill(self.a).sum() + self.b.sum()


@case
def slots_dict(x):
    return SD(x).g()


class SP:
    __slots__ = ("__x", "y")

    def __init__(self, a):
        self.__x = a
        self.y = 1.0

    def g(self):
        return fill(self.__x).sum() * self.y


class SP2(SP):
    __slots__ = ("__x",)

    def __init__(self, a):
        SP.__init__(self, a)
        self.__x = a * 3

    def h(self):
        return fill(self.__x).sum() + self.g()


@case
def slots_private(x):
    return SP2(x).h()


@dataclass(slots=True)
class DS:
    a: np.ndarray
    k: float = 2.0

    def g(self):
        return fill(self.a).sum() * self.k


@dataclass(slots=True)
class DS2(DS):
    b: np.ndarray = field(default_factory=lambda: np.ones(3))

    def g(self):
        return super(DS2, self).g() + (self.b * self.a).sum()


@case
def dataclass_slots(x):
    return DS2(x, 3.0).g() + DS(x).g()


@dataclass(frozen=True, slots=True)
class DFS:
    a: np.ndarray

    def g(self):
        return fill(self.a).sum()


@case
def dataclass_frozen_slots(x):
    return dataclasses.replace(DFS(x), a=x * 2).g()


@dataclass(frozen=True)
class DF:
    a: np.ndarray
    n: int = 1

    def g(self):
        return fill(self.a).sum()


DF_G = DF(np.array([1.0, 2, 3]))


@case
def dataclass_frozen(x):
    d = dataclasses.replace(DF_G, a=x)
    return d.g() + DF_G.g() * x[0] + dataclasses.asdict(d)["a"].sum()


@dataclass(order=True)
class DO:
    key: float
    v: object = field(compare=False)


@case
def dataclass_order(x):
    return max([DO(float(v), v * 2) for v in x]).v + sorted([DO(v, v) for v in x])[0].key


@dataclass
class DP:
    a: np.ndarray
    total: float = field(init=False)
    scale: ClassVar[float] = 2.0

    def __post_init__(self):
        self.a = np.asarray(self.a, dtype=float)
        self.total = float(fill(self.a).sum())


@case
def dataclass_post_init(x):
    return DP(x).total * DP.scale


@dataclass(kw_only=True)
class DK(DP):
    b: float = 1.0


@case
def dataclass_kw(x):
    return DK(a=x, b=x[0]).b * DK(a=x).total


# -- NamedTuple
class NT(NamedTuple):
    a: np.ndarray
    b: float = 2.0

    def g(self):
        return fill(self.a).sum() * self.b

    @property
    def norm(self):
        return np.sqrt((self.a**2).sum())

    @classmethod
    def make(cls, x):
        return cls(np.array([x[0], x[1], x[2]]), x[0])


@case
def namedtuple_methods(x):
    return NT.make(x).g() + NT(x)._replace(b=x[1]).g() + NT(x).norm


class NT2(NT):
    __slots__ = ()

    def g(self):
        return super().g() * 2 + float(self.a[0])


@case
def namedtuple_subclass(x):
    return NT2(x, x[0]).g()


CNT = collections.namedtuple("CNT", "p q")


@case
def collections_namedtuple(x):
    c = CNT(fill(x), 3.0)
    p, q = c
    return p.sum() * q + c._asdict()["p"][0]
