"""Enumerations, abstract classes, metaclasses, generics and protocols."""

from __future__ import annotations

import abc
import collections
import collections.abc
import enum
import functools
import math
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from .cases import table
from .class_layouts import fill

CASES, case = table()


# -- Enum
class Kind(enum.Enum):
    SIN = 1
    SQ = 2

    def apply(self, x):
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = math.sin(x[i]) if self is Kind.SIN else x[i] ** 2
        return out

    @property
    def scale(self):
        return float(self.value)

    @classmethod
    def default(cls):
        return cls.SQ

    @staticmethod
    def sfill(x):
        return fill(x)


@case
def enum_method(x):
    return (
        Kind.SIN.apply(x).sum()
        + Kind(2).apply(x).sum() * Kind["SQ"].scale
        + Kind.default().apply(x)[0]
        + Kind.sfill(x).sum()
    )


def pick(kind):
    return kind.apply


@case
def enum_bound(x):
    return pick(Kind.SQ)(x).sum() + sum(k.apply(x).sum() for k in Kind)


class IK(enum.IntEnum):
    A = 1
    B = 2

    def g(self, x):
        return fill(x)[self]


@case
def intenum_method(x):
    return IK.A.g(x) + IK.B.g(x)


class FK(enum.Flag):
    A = 1
    B = 2

    def g(self, x):
        out = np.zeros(3)
        if self & FK.A:
            out[0] = x[0] ** 2
        if FK.B in self:
            out[1] = x[1] ** 2
        return out.sum()


@case
def flag_method(x):
    return (FK.A | FK.B).g(x) + FK.A.g(x)


class EV(enum.Enum):
    LIN = functools.partial(lambda x: fill(x).sum())
    SQ = functools.partial(lambda x: (np.array([x[0], x[1]]) ** 2).sum())

    def __call__(self, x):
        return self.value(x)


@case
def enum_callable_values(x):
    return EV.LIN(x) + EV.SQ(x)


class EData(enum.Enum):
    EARTH = (2.0, 3.0)
    MARS = (4.0, 5.0)

    def __init__(self, m, r):
        self.m = m
        self.r = r

    @property
    def g(self):
        return self.m / self.r**2

    def weight(self, x):
        return np.array([self.g * float(v) for v in x])


@case
def enum_planets(x):
    return EData.EARTH.weight(x).sum() + EData.MARS.weight(x)[0]


@dataclass
class Conf:
    kind: Kind = Kind.SQ


@case
def enum_in_dataclass(x):
    c = Conf()
    assert c.kind is Kind.SQ
    match c.kind:
        case Kind.SIN:
            return 0.0
        case Kind.SQ:
            return c.kind.apply(x).sum()


CONF = Conf(Kind.SIN)


@case
def enum_in_global_object(x):
    return CONF.kind.apply(x).sum() if CONF.kind is Kind.SIN else 0.0


@case
def enum_table(x):
    return {Kind.SIN: 2.0, Kind.SQ: 3.0}[Kind.SQ] * Kind.SQ.apply(x).sum()


# -- ABC
class Base(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...
    def total(self, x):
        return float(np.sum(self.f(x)))


class Impl(Base):
    def f(self, x):
        return fill(x)


@case
def abc_impl(x):
    assert isinstance(Impl(), Base)
    return Impl().total(x)


class Duck:
    def f(self, x):
        return fill(x)


Base.register(Duck)


@case
def abc_register(x):
    assert isinstance(Duck(), Base) and issubclass(Duck, Base)
    return Duck().f(x).sum()


class Vec(collections.abc.Sequence):
    def __init__(self, d):
        self.d = d

    def __getitem__(self, i):
        return self.d[i]

    def __len__(self):
        return len(self.d)


@case
def abc_sequence(x):
    return sum(Vec(fill(x))) + np.array(list(reversed(Vec(x))))[0]


class MP(collections.abc.MutableMapping):
    def __init__(self):
        self.d = {}

    def __getitem__(self, k):
        return self.d[k]

    def __setitem__(self, k, v):
        self.d[k] = v

    def __delitem__(self, k):
        del self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


@case
def abc_mapping(x):
    m = MP()
    m["a"] = fill(x)
    m.update(b=x * 2)
    return sum(v.sum() for v in m.values())


# -- metaclass, __init_subclass__
class Meta(type):
    registry = {}

    def __new__(m, name, bases, ns):
        c = super().__new__(m, name, bases, ns)
        m.registry[name] = c
        return c

    def build(cls, x):
        return cls(fill(x))


class WithMeta(metaclass=Meta):
    def __init__(self, a):
        self.a = a

    def g(self):
        return self.a.sum()


class WithMeta2(WithMeta):
    def g(self):
        return super().g() * 2 + np.array([self.a[0] * 1.0])[0]


@case
def metaclass(x):
    return Meta.registry["WithMeta2"].build(x).g() + WithMeta.build(x).g()


class SingletonMeta(type):
    _inst = {}

    def __call__(cls, *a, **k):
        if cls not in SingletonMeta._inst:
            SingletonMeta._inst[cls] = super().__call__(*a, **k)
        return SingletonMeta._inst[cls]


class Single(metaclass=SingletonMeta):
    def __init__(self):
        self.scale = 2.0

    def g(self, x):
        return fill(x).sum() * self.scale


@case
def singleton_meta(x):
    return Single().g(x) * (1.0 if Single() is Single() else 0.0)


class SingleNew:
    _inst = None

    def __new__(cls):
        if cls._inst is None:
            cls._inst = super().__new__(cls)
        return cls._inst

    def g(self, x):
        return fill(x).sum()


@case
def singleton_new(x):
    assert SingleNew() is SingleNew()
    return SingleNew().g(x)


class Plugin:
    reg = {}

    def __init_subclass__(cls, name=None, **k):
        super().__init_subclass__(**k)
        Plugin.reg[name] = cls

    def __init__(self, k=2.0):
        self.k = k


class P1(Plugin, name="p1"):
    def g(self, x):
        return fill(x).sum() * self.k


class P2(P1, name="p2"):
    def g(self, x):
        return super().g(x) + np.array([x[0] ** 2])[0]


@case
def init_subclass(x):
    assert len(Plugin.reg) == 2
    return Plugin.reg["p2"](3.0).g(x)


@case
def local_class(x):
    class Local(P1, name="p1"):
        def g(self, x):
            return super().g(x) + float(x[0])

    return Local().g(x)


T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, v: T):
        self.v = v

    def map(self, f):
        return Box(f(self.v))


class FBox(Box[float]):
    def g(self):
        return fill(self.v).sum()


@case
def generics(x):
    return FBox(x).g() + Box[float](x).map(fill).v.sum()


@runtime_checkable
class HasF(Protocol):
    def f(self, x): ...


class PImpl(HasF):
    def f(self, x):
        return fill(x)


class PDefault(Protocol):
    def f(self, x):
        return fill(x)

    def both(self, x):
        return self.f(x).sum() * 2


class PD(PDefault):
    pass


@case
def protocols(x):
    assert isinstance(Duck(), HasF) and isinstance(PImpl(), HasF)
    return PImpl().f(x).sum() + PD().both(x)
