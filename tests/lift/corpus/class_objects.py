"""Descriptors, operators, protocols of Python and NumPy, copies: what objects do."""
# Written as people write.
# ruff: noqa: B019, B904, C416, E721, E741, RUF015

from __future__ import annotations

import contextlib
import copy
import functools
import math
import pickle
import types
import weakref

import numpy as np

from .class_kinds import CONF, Conf, Kind
from .class_layouts import DS, S1, S2, fill

CASES = []


def case(f):
    CASES.append(f)
    return f


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


class Call:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return fill(x) * self.k


@case
def callable_objects(x):
    return functools.reduce(lambda a, f: f(a), [Call(2.0), Call(0.5)], x).sum()


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
