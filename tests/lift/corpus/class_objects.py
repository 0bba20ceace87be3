"""What becomes of objects: copied, pickled, derived, compared, stored and deleted."""
# Written as people write.
# ruff: noqa: E721

from __future__ import annotations

import copy
import math
import pickle
import types
import weakref

import numpy as np

from .cases import table
from .class_kinds import CONF, Conf, Kind
from .class_layouts import DS, S1, S2, fill
from .class_protocols import WithLazy

CASES, case = table()


class CA:
    W = np.array([1.0, 2.0, 3.0])
    hist = []
    best = None

    def g(self, x):
        CA.hist.append(float(x[0]))
        CA.best = x.copy()
        self.__class__.count = getattr(self.__class__, "count", 0) + 1
        return (self.W * fill(x)).sum() + (CA.best * x).sum()


@case
def class_attr_arrays(x):
    return CA().g(x)


@case
def deepcopy_obj(x):
    w = WithLazy(x)
    c = copy.deepcopy(w)
    d = copy.copy(w)
    return fill(c.a).sum() + d.s.sum()


class Tree:
    def __init__(self, v, kids=()):
        self.v = v
        self.kids = list(kids)

    def total(self):
        return self.v + sum(k.total() for k in self.kids)


@case
def recursive_objects(x):
    return copy.deepcopy(
        Tree(x[0], [Tree(x[1] * 2), Tree(math.sin(x[2]), [Tree(x[0] * x[1])])])
    ).total()


@case
def deepcopy_slots(x):
    s = copy.deepcopy(S2(x))
    return s.get()


@case
def deepcopy_enum(x):
    c = copy.deepcopy(CONF)
    assert c.kind is Kind.SIN
    return c.kind.apply(x).sum()


@case
def pickle_plain_inside(x):
    c = pickle.loads(pickle.dumps(Conf(Kind.SIN)))
    assert type(c) is Conf and isinstance(c, Conf)
    return c.kind.apply(x).sum()


@case
def pickle_class_inside(x):
    assert pickle.loads(pickle.dumps(Conf)) is Conf
    assert pickle.loads(pickle.dumps(fill)) is fill
    return fill(x).sum()


class Parm(dict):
    def __getattr__(self, n):
        return self[n]

    def __setattr__(self, n, v):
        self[n] = v

    def total(self):
        return sum(np.sum(np.array([v * 1.0])) for v in self.values())


@case
def dict_subclass(x):
    p = Parm(a=x)
    p.b = x[0] * 2
    return p.total()


class L(list):
    def tot(self):
        return np.array(self).sum()


@case
def list_subclass(x):
    return L([x[0], x[1] ** 2]).tot()


class F(float):
    def dbl(self):
        return self * 2


@case
def float_subclass(x):
    return F(2.0).dbl() * x[0] + F(3.0) * x.sum()


class Mixin:
    def tot(self):
        return self.vals().sum()


class A1(Mixin):
    def vals(self):
        return fill(self.x)


class B1(Mixin):
    def __init__(self, x):
        self.x = x

    def vals(self):
        return self.x**2


class C1(A1, B1):
    def vals(self):
        return super().vals() + B1.vals(self)


@case
def diamond(x):
    return C1(x).tot()


class Err(ValueError):
    def __init__(self, v):
        super().__init__("bad")
        self.v = v

    def fix(self):
        return fill(self.v).sum()


def raises(x):
    raise Err(x * 2)


@case
def exception_class(x):
    try:
        raises(x)
    except Err as e:
        return e.fix() + float(e.v[0])


class Outer:
    class Inner:
        def __init__(self, x):
            self.x = x

        def g(self):
            return fill(self.x).sum()

    def g(self, x):
        return self.Inner(x).g() + Outer.Inner(x * 2).g()


@case
def nested_class(x):
    return Outer().g(x)


class Tp:
    pass


@case
def class_identity(x):
    t = Tp()
    t.x = x
    assert type(t) is Tp and t.__class__ is Tp and isinstance(t, Tp) and issubclass(type(t), Tp)
    assert type(t) == Tp and type(t).__name__ == "Tp" and {Tp: 1}[type(t)] == 1
    return fill(t.x).sum()


OBJ = Tp()
TABLE = {Tp: 2.0}


@case
def class_identity_global(x):
    assert type(OBJ) is Tp and OBJ.__class__ is Tp
    return TABLE[type(OBJ)] * fill(x).sum()


KINDS = {"s1": S1, "ds": DS}


@case
def class_in_table(x):
    return KINDS["s1"](x).get() + KINDS["ds"](x).g()


class Del:
    def __init__(self, x):
        self.x = x

    def __del__(self):
        pass

    def g(self):
        return fill(self.x).sum()


@case
def with_del(x):
    return Del(x).g()


class SimpleNS:
    pass


@case
def simplens(x):
    n = types.SimpleNamespace(a=x, b=fill(x))
    n.c = n.a * 2
    return n.b.sum() + n.c.sum()


class Weak:
    def __init__(self):
        self.d = weakref.WeakKeyDictionary()

    def g(self, x):
        k = Tp()
        self.d[k] = fill(x)
        return self.d[k].sum()


@case
def weakdict(x):
    return Weak().g(x)


class Meth:
    def __init__(self, kind):
        self.f = getattr(self, "_" + kind)
        self.tab = {"a": self._a}

    def _a(self, x):
        return fill(x).sum()


M = Meth("a")


@case
def stored_bound(x):
    return M.f(x) + M.tab["a"](x) + Meth("a").f(x)
