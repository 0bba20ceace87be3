"""Descriptors, operators, special methods, protocols of Python and NumPy."""
# Written as people write.
# ruff: noqa: B019, B904, C416, E741, RUF015

from __future__ import annotations

import contextlib
import functools
import math

import numpy as np

from .cases import table
from .class_layouts import DS, fill

CASES, case = table()


class Desc:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        return self if o is None else getattr(o, self.n)

    def __set__(self, o, v):
        v = np.array([float(i) for i in v])
        setattr(o, self.n, v)


class WithDesc:
    a = Desc()

    def __init__(self, a):
        self.a = a

    def g(self):
        return fill(self.a).sum()


@case
def descriptor(x):
    return WithDesc(x).g()


class LazyProp:
    def __init__(self, f):
        self.f = f
        self.__name__ = f.__name__

    def __get__(self, o, t=None):
        if o is None:
            return self
        v = self.f(o)
        o.__dict__[self.__name__] = v
        return v


class WithLazy:
    def __init__(self, a):
        self.a = a

    @LazyProp
    def s(self):
        return fill(self.a)

    @functools.cached_property
    def c(self):
        return np.array([self.a[0], math.exp(self.a[1])])


@case
def lazy_props(x):
    w = WithLazy(x)
    return w.s.sum() + w.s[0] + w.c.sum() + w.c[1]


class SDm:
    @functools.singledispatchmethod
    def h(self, v):
        return v * 1.0

    @h.register
    def _(self, v: np.ndarray):
        return fill(v).sum()

    @h.register(float)
    def _(self, v):
        return math.sin(v)

    @h.register(list)
    def _(self, v):
        return sum(self.h(i) for i in v)


@case
def singledispatchmethod(x):
    return SDm().h(x) + SDm().h(float(x[0])) + SDm().h([x, x[0]])


@functools.singledispatch
def sd(v):
    return v * 1.0


@sd.register
def _(v: np.ndarray):
    return fill(v).sum()


@sd.register(float)
def _(v):
    return math.exp(v)


@case
def singledispatch(x):
    return sd(x) + sd(float(x[1])) + sd(x[0])


class Props:
    def __init__(self, r):
        self._r = r

    @property
    def r(self):
        return self._r

    @r.setter
    def r(self, v):
        if v < 0:
            raise ValueError("neg")
        self._r = float(v)

    @staticmethod
    def area(r):
        return np.array([math.pi * r**2])[0]

    @classmethod
    def from_x(cls, x):
        return cls(math.hypot(x[0], x[1]))

    def __repr__(self):
        return f"Props({self.r:.2f})"


@case
def props(x):
    p = Props.from_x(x)
    p.r = p.r * 2
    repr(p)
    return p.area(p.r)


class CM:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        self.buf = np.zeros(3)
        return self.buf

    def __exit__(self, *a):
        self.x.append(self.buf.sum())
        return False


@case
def cm_class(x):
    acc = []
    with CM(acc) as b:
        b[:] = fill(x)
    with CM(acc) as b:
        b[0] = x[0] ** 2
    return sum(acc)


@contextlib.contextmanager
def cm_gen(x):
    b = np.zeros(3)
    yield b
    b *= 2


@case
def cm_function(x):
    with cm_gen(x) as b:
        b[:] = x**2
    return b.sum()


class V2:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(s, o):
        return V2(s.x + o.x, s.y + o.y)

    def __mul__(s, k):
        return V2(s.x * k, s.y * k)

    __rmul__ = __mul__

    def __matmul__(s, o):
        return s.x * o.x + s.y * o.y

    def __neg__(s):
        return V2(-s.x, -s.y)

    def __eq__(s, o):
        return isinstance(o, V2) and s.x == o.x and s.y == o.y

    def __hash__(s):
        return hash((float(s.x), float(s.y)))

    def __abs__(s):
        return math.sqrt(s @ s)

    def __lt__(s, o):
        return abs(s) < abs(o)

    def __iter__(s):
        yield s.x
        yield s.y

    def __getitem__(s, i):
        return (s.x, s.y)[i]

    def __bool__(s):
        return bool(s.x or s.y)

    def __float__(s):
        return float(abs(s))


@case
def operators_user(x):
    a, b = V2(x[0], x[1]), V2(x[1], x[2])
    u, v = a + 2 * b
    return abs(max(a, b)) + (x[0] * a @ -b) + u * v + [*a][0] + a[1]


@case
def operators_scalar_left(x):
    a = V2(x[0], x[1])
    b = np.float64(2.0) * x[1] * a
    return b.x + (x[2] * a).y


class UF(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, v):
        self.v = v

    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        ins = [i.v if isinstance(i, UF) else i for i in inputs]
        return UF(getattr(ufunc, method)(*ins, **kw))

    def __array_function__(self, func, types, args, kw):
        args = [a.v if isinstance(a, UF) else a for a in args]
        return func(*args, **kw)


@case
def array_ufunc_user(x):
    u = UF(x)
    w = np.sin(u) * 2 + u
    z = x * u
    return w.v.sum() + np.add.reduce(z).v + np.add.reduce(u).v


class AP:
    __array_priority__ = 1000

    def __init__(self, v):
        self.v = v

    def __rmul__(self, o):
        return AP(o * self.v)

    __array_ufunc__ = None


@case
def array_priority(x):
    return (x * AP(x)).v.sum() + (np.array([1.0, 2, 3]) * AP(x)).v.sum()


class WithArr:
    def __init__(self, v):
        self.v = v

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.v, dtype=dtype)


@case
def array_protocol(x):
    return np.sum(np.asarray(WithArr(x))) + np.sin(WithArr(x)).sum()


class Getattr:
    def __init__(self, v):
        object.__setattr__(self, "store", {"v": v})

    def __getattr__(self, n):
        try:
            return self.store[n]
        except KeyError:
            raise AttributeError(n)

    def __setattr__(self, n, v):
        self.store[n] = v


@case
def getattr_class(x):
    g = Getattr(x)
    g.w = fill(x)
    return g.w.sum() + g.v[0]


class Call:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return fill(x) * self.k


@case
def callable_objects(x):
    return functools.reduce(lambda a, f: f(a), [Call(2.0), Call(0.5)], x).sum()


class It:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= 3:
            raise StopIteration
        self.i += 1
        return float(self.x[self.i - 1]) ** 2


@case
def iterator_class(x):
    return sum(It(x)) + np.fromiter(It(x), float).sum()


class Deco:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.n = 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a) * 2


@Deco
def decorated(x):
    return fill(x).sum()


@case
def class_decorator(x):
    return decorated(x)


@case
def match_class(x):
    d = DS(x)
    match d:
        case DS(a=a, k=k):
            return fill(a).sum() * k
        case _:
            return 0.0


class MA:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


@case
def match_args(x):
    match MA(x[0], 2.0):
        case MA(a, float(b)):
            return math.sin(a) * b
    return 0.0


class TotOrd:
    def __init__(self, v):
        self.v = v

    def __eq__(s, o):
        return s.v == o.v

    def __lt__(s, o):
        return s.v < o.v


TotOrd = functools.total_ordering(TotOrd)


@case
def total_ordering(x):
    return max(TotOrd(v) for v in x).v if TotOrd(x[0]) >= TotOrd(x[0]) else 0


class PM:
    def power(self, x, n):
        return (np.array([v for v in x]) ** n).sum()

    square = functools.partialmethod(power, n=2)
    alias = power
    lam = lambda self, x: fill(x).sum()


@case
def partialmethods(x):
    return PM().square(x) + PM().alias(x, 3) + PM().lam(x)


class LC:
    @functools.cache
    def g(self, n):
        return n * 2.0

    @functools.lru_cache
    def h(self, v):
        return np.array([v])[0] ** 2


@case
def lru_methods(x):
    l = LC()
    return l.g(3) * x[0] + l.h(x[1]) + l.h(x[1])


class NewCls:
    def __new__(cls, x):
        o = object.__new__(cls)
        o.x = fill(x)
        return o

    def g(self):
        return self.x.sum()


class NewSub(NewCls):
    def __new__(cls, x):
        o = super().__new__(cls, x)
        o.y = 2.0
        return o

    def g(self):
        return super().g() * self.y


@case
def new_methods(x):
    return NewSub(x).g()


class ClsGet:
    table = {}

    def __class_getitem__(cls, k):
        return cls.table.setdefault(k, 2.0)

    def g(self, x):
        return fill(x).sum() * ClsGet["a"]


@case
def class_getitem(x):
    return ClsGet().g(x)
