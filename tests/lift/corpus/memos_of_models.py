"""Caches and states of models: looked up by all that is made of an argument."""
# Written as people write.
# ruff: noqa: B006, B019, UP031

import dataclasses
import functools
import json
import math
import types
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np

from .cases import table

CASES, case = table()


# joblib-like Memory
class Memory:
    def __init__(self):
        self.d = {}

    def cache(self, f):
        @functools.wraps(f)
        def w(*a, **k):
            key = (f.__name__, pickle_key(a), tuple(sorted(k.items())))
            if key not in self.d:
                self.d[key] = f(*a, **k)
            return self.d[key]

        return w


def pickle_key(a):
    return tuple(v.tobytes() if hasattr(v, "tobytes") and getattr(v, "ndim", 0) else v for v in a)


mem = Memory()


@mem.cache
def heavy(x, p=2.0):
    return (x**p).sum()


@case
def by_a_memory(x):
    return heavy(x, p=2.0) + heavy(x[0])


class Tree:
    def __init__(self, v, kids=()):
        self.v, self.kids, self._s = v, kids, None

    @property
    def s(self):
        if self._s is None:
            self._s = self.v + sum(k.s for k in self.kids)
        return self._s


@case
def lazy_sums(x):
    t = Tree(x[0], [Tree(x[1]), Tree(x[2])])
    return t.s * t.s


class Gp:
    def __init__(self):
        self._L = None
        self._theta = None
        self.X = np.array([0.0, 0.5, 1.2])

    def _fac(self, theta):
        if self._theta is None or self._theta != tuple(theta):
            K = theta[0] * np.exp(-0.5 * (self.X[:, None] - self.X) ** 2 / theta[1] ** 2) + theta[
                2
            ] * np.eye(3)
            self._L = np.linalg.cholesky(K)
            self._theta = tuple(theta)
        return self._L

    def nll(self, theta):
        L = self._fac(theta)
        a = np.linalg.solve(L, np.array([1.0, 2.0, 0.5]))
        return 0.5 * a @ a + np.log(np.diag(L)).sum()


GP = Gp()


@case
def factor_by_a_tuple(x):
    return GP.nll(x)


class Gp2(Gp):
    def _fac(self, theta):
        if getattr(self, "_key", None) != hash(theta.tobytes()):
            K = theta[0] * np.exp(-0.5 * (self.X[:, None] - self.X) ** 2 / theta[1] ** 2) + theta[
                2
            ] * np.eye(3)
            self._L = np.linalg.cholesky(K)
            self._key = hash(theta.tobytes())
        return self._L


GP2 = Gp2()


@case
def factor_by_a_hash(x):
    return GP2.nll(x)


class Gp3(Gp):
    def _fac(self, theta):
        if getattr(self, "_key", None) != str(theta):
            K = theta[0] * np.exp(-0.5 * (self.X[:, None] - self.X) ** 2 / theta[1] ** 2) + theta[
                2
            ] * np.eye(3)
            self._L = np.linalg.cholesky(K)
            self._key = str(theta)
        return self._L


GP3 = Gp3()


@case
def factor_by_a_text(x):
    return GP3.nll(x)


class Gp4(Gp):
    def _fac(self, theta):
        if getattr(self, "_key", None) != list(theta):
            K = theta[0] * np.exp(-0.5 * (self.X[:, None] - self.X) ** 2 / theta[1] ** 2) + theta[
                2
            ] * np.eye(3)
            self._L = np.linalg.cholesky(K)
            self._key = list(theta)
        return self._L


GP4 = Gp4()


@case
def factor_by_a_list(x):
    return GP4.nll(x)


class Gp5(Gp):
    def _fac(self, theta):
        if getattr(self, "_key", None) != theta.tobytes():
            K = theta[0] * np.exp(-0.5 * (self.X[:, None] - self.X) ** 2 / theta[1] ** 2) + theta[
                2
            ] * np.eye(3)
            self._L = np.linalg.cholesky(K)
            self._key = theta.tobytes()
        return self._L


GP5 = Gp5()


@case
def factor_by_bytes(x):
    return GP5.nll(x)


class Dirty:
    def __init__(self):
        self.p = np.zeros(3)
        self.dirty = True
        self.val = None

    def set(self, p):
        if not np.allclose(p, self.p, rtol=0, atol=1e-12):
            self.p = np.array(p)
            self.dirty = True

    def get(self):
        if self.dirty:
            self.val = np.sin(self.p).sum()
            self.dirty = False
        return self.val


DI = Dirty()


@case
def dirty_by_closeness(x):
    DI.set(x)
    return DI.get()


class Dirty2(Dirty):
    def set(self, p):
        if (p != self.p).any():
            self.p[:] = p
            self.dirty = True


DI2 = Dirty2()


@case
def dirty_written_in_place(x):
    DI2.set(x)
    return DI2.get()


class Dirty3(Dirty):
    def set(self, p):
        if np.linalg.norm(p - self.p) > 1e-14:
            self.p = p.copy()
            self.dirty = True


DI3 = Dirty3()


@case
def dirty_by_a_norm(x):
    DI3.set(x)
    return DI3.get()


class Dirty4(Dirty):
    def set(self, p):
        if list(p) != list(self.p):
            self.p = list(p)
            self.dirty = True


DI4 = Dirty4()


@case
def dirty_by_lists(x):
    DI4.set(x)
    return DI4.get()


class Dirty5:
    def __init__(self):
        self.a = self.b = self.c = None
        self.v = None

    def f(self, a, b, c):
        if (a, b, c) != (self.a, self.b, self.c):
            self.a, self.b, self.c = a, b, c
            self.v = a * b + c
        return self.v


DI5 = Dirty5()


@case
def last_numbers(x):
    return DI5.f(*x)


@case
def last_floats(x):
    return DI5.f(*map(float, x)) * 2


class Opt:
    def __init__(self):
        self.hist = []
        self.best = np.inf
        self.best_x = None
        self.n = 0

    def f(self, x):
        self.n += 1
        v = (x**2).sum()
        self.hist.append(float(v))
        if v < self.best:
            self.best = v
            self.best_x = x.copy()
        return v


OP = Opt()


@case
def best_so_far(x):
    return OP.f(x)


class Opt2(Opt):
    def f(self, x):
        v = (x**2).sum()
        if v < self.best:
            self.best = v
            self.best_x = x.copy()
        return v


OP2 = Opt2()


@case
def best_argument_so_far(x):
    return OP2.f(x)


# EM / running normalisation
class Norm:
    def __init__(self):
        self.mean = np.zeros(3)
        self.n = 0

    def f(self, x):
        return ((x - self.mean) ** 2).sum()


NO = Norm()


@case
def state_that_is_read(x):
    return NO.f(x)


# global registry of interpolants keyed by grid, depends on constants only
REG = {}


def interp(n):
    if n not in REG:
        REG[n] = np.linspace(0, 1, n) ** 2
    return REG[n]


@case
def tables_of_constants(x):
    return (interp(3) * x).sum() + interp(4)[1] * x[0]


W = {}


def weights(h):
    key = round(float(h), 10)
    if key not in W:
        W[key] = np.exp(-np.arange(3) / h)
    return W[key]


@case
def weights_by_a_rounded_number(x):
    return weights(x[0]) @ x


W2 = OrderedDict()


def weights2(h, n):
    if (h, n) in W2:
        W2.move_to_end((h, n))
        return W2[h, n]
    W2[h, n] = v = np.exp(-np.arange(n) / h)
    if len(W2) > 3:
        W2.popitem(last=False)
    return v


@case
def weights_in_an_ordered_dict(x):
    return weights2(x[0], 3) @ x + weights2(float(x[1]), 2).sum()


W3 = defaultdict(dict)


@case
def nested_dicts(x):
    d = W3["exp"]
    k = tuple(x.round(8))
    if k not in d:
        d[k] = {"val": np.exp(x).sum(), "grad": None}
    return d[k]["val"]


@case
def entries_that_are_lists(x, _c={}):
    k = tuple(x)
    if k not in _c:
        _c[k] = [np.exp(x).sum(), 1.0]
    return _c[k][0]


@dataclasses.dataclass
class Res:
    fun: float
    x: np.ndarray


RES = {}


@case
def entries_that_are_objects(x):
    k = x.tobytes()
    if k not in RES:
        RES[k] = Res((x**2).sum(), x.copy())
    return RES[k].fun


@case
def arguments_in_objects(x):
    k = x.tobytes()
    if k not in RES:
        RES[k] = Res((x**2).sum(), x.copy())
    return (RES[k].x ** 2).sum()


RN = {}


@case
def entries_that_are_namespaces(x):
    k = x.tobytes().hex()
    if k not in RN:
        RN[k] = types.SimpleNamespace(v=(x**2).sum())
    return RN[k].v


@case
def by_json(x, c={}):
    k = json.dumps(x.tolist())
    if k not in c:
        c[k] = (x**2).sum()
    return c[k]


@case
def by_text_of_numbers(x, c={}):
    k = str(list(x))
    if k not in c:
        c[k] = (x**2).sum()
    return c[k]


@case
def by_formatted_numbers(x, c={}):
    k = "%.10f|%.10f" % (x[0], x[1])
    if k not in c:
        c[k] = x[0] * x[1]
    return c[k]


@case
def by_an_integer(x, c={}):
    k = int(x[0] * 1e6)
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


@case
def by_integers(x, c={}):
    k = tuple((x * 1e8).astype(int))
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


@case
def by_a_frozen_set(x, c={}):
    k = frozenset(enumerate(x))
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


@case
def by_a_complex_number(x, c={}):
    k = complex(x[0], x[1])
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


@case
def by_a_computed_number(x, c={}):
    k = math.exp(x[0])
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


@case
def by_a_norm(x, c={}):
    k = float(np.linalg.norm(x))
    if k not in c:
        c[k] = x[0] ** 2
    return c[k]


class HObj:
    def __init__(self, x):
        self.x = x

    def __hash__(self):
        return hash(self.x.tobytes())

    def __eq__(self, o):
        return np.array_equal(self.x, o.x)


HC = {}


@case
def by_an_object_with_a_hash(x):
    k = HObj(x)
    if k not in HC:
        HC[k] = (x**2).sum()
    return HC[k]


@dataclasses.dataclass(frozen=True)
class FK:
    a: float
    b: float


@case
def by_a_frozen_dataclass(x, c={}):
    k = FK(float(x[0]), float(x[1]))
    if k not in c:
        c[k] = x[0] * x[1]
    return c[k]


NTk = namedtuple("NTk", "a b")


@case
def by_a_named_tuple(x, c={}):
    k = NTk(x[0], x[1])
    if k not in c:
        c[k] = x[0] * x[1]
    return c[k]


@functools.cache
def lc(k):
    return k.a * k.b


@case
def lru_cache_of_objects(x):
    return lc(NTk(x[0], x[1])) + lc(FK(x[1], x[2]))


class Cached:
    def __init__(self):
        self.k = 2.0

    @functools.lru_cache(maxsize=8)
    def f(self, a, b=1.0):
        return self.k * a * b

    @functools.cached_property
    def tab(self):
        return np.arange(3) * self.k


CC = Cached()


@case
def lru_cache_of_methods(x):
    return CC.f(x[0], b=x[1]) + (CC.tab * x).sum()


@case
def recursion(x):
    @functools.lru_cache
    def rec(i):
        return x[i] if i == 0 else rec(i - 1) * x[i] + 1

    return rec(2)
