"""Idioms of classes: registries, visitors, flyweights, decorators of classes, rich exceptions."""
# Written as people write.
# ruff: noqa: UP042

import abc
import enum
import functools
import inspect
import math
import weakref
from dataclasses import dataclass

import numpy as np

from .cases import table

CASES, case = table()


class Plug(abc.ABC):
    name = None

    @classmethod
    def create(cls, name):
        for c in cls.__subclasses__():
            if c.name == name:
                return c()
        raise KeyError(name)

    @abc.abstractmethod
    def run(self, x): ...


class PA(Plug):
    name = "a"

    def run(self, x):
        return np.array([float(v) for v in x]).sum()


class PB(Plug):
    name = "b"

    def run(self, x):
        return np.array([v**2 for v in x]).sum()


@case
def subclasses_registry(x):
    return Plug.create("b").run(x) + sum(c().run(x) for c in Plug.__subclasses__())


class Sl:
    __slots__ = ("a", "b")

    def __init__(self, a, b=1.0):
        self.a, self.b = a, b

    def __repr__(self):
        return ", ".join(f"{n}={getattr(self, n)}" for n in self.__slots__)

    def asdict(self):
        return {n: getattr(self, n) for n in self.__slots__}

    def __eq__(self, o):
        return all(getattr(self, n) is getattr(o, n) for n in self.__slots__)

    def total(self):
        return sum(np.sum(np.array([1.0 * v])) for v in self.asdict().values())

    def copy(self):
        new = type(self).__new__(type(self))
        for n in self.__slots__:
            setattr(new, n, getattr(self, n))
        return new


class Sl2(Sl):
    __slots__ = ("c",)

    def __init__(self, a, c):
        super().__init__(a)
        self.c = c

    def allslots(self):
        return [n for k in type(self).__mro__ for n in getattr(k, "__slots__", ())]


@case
def own_slots(x):
    s = Sl(x[0], x[1])
    repr(s)
    t = Sl2(x[2], x[0])
    assert s == s.copy()
    return (
        s.total()
        + s.copy().total()
        + sum(getattr(t, n) for n in sorted(set(t.allslots())))
        + len(Sl.__slots__) * x[0]
    )


class SH(Plug):
    name = "x"
    __slots__ = ("k",)

    def run(self, x):
        return 0.0


@functools.singledispatch
def area(s):
    raise TypeError(type(s))


@dataclass
class Circle:
    r: float


@dataclass
class Sq:
    a: float


class Big(Circle):
    pass


@area.register
def _(s: Circle):
    return math.pi * s.r**2


@area.register(Sq)
def _(s):
    return np.array([s.a])[0] ** 2


@case
def singledispatch_classes(x):
    return area(Circle(x[0])) + area(Sq(x[1])) + area(Big(x[2]))


VIS = {Circle: lambda s: math.exp(s.r), Sq: lambda s: np.full(2, s.a).sum()}


@case
def class_keyed_table(x):
    return sum(VIS[type(s)](s) for s in (Circle(x[0]), Sq(x[1]))) + VIS[Circle](Circle(x[2]))


class Visitor:
    def visit(self, n):
        return getattr(self, "visit_" + type(n).__name__, self.generic)(n)

    def generic(self, n):
        return 0.0

    def visit_Circle(self, n):
        return float(n.r) ** 2

    def visit_Sq(self, n):
        return math.sin(n.a)


@case
def visitor(x):
    v = Visitor()
    return sum(map(v.visit, [Circle(x[0]), Sq(x[1]), Big(x[2])]))


@case
def match_user_classes(x):
    tot = 0.0
    for s in [Circle(x[0]), Sq(x[1]), Big(x[2])]:
        match s:
            case Big(r=r):
                tot += math.exp(r)
            case Circle(r):
                tot += r**2
            case Sq(a=a) if a > 0:
                tot += math.sin(a)
    return tot


class Meta2(type):
    def __call__(cls, *a, **k):
        o = super().__call__(*a, **k)
        o.made = np.array([1.0 * v for v in a]).sum()
        return o

    def __iter__(cls):
        return iter(cls.items)

    def __getitem__(cls, i):
        return cls.items[i]

    def __len__(cls):
        return len(cls.items)

    def __contains__(cls, v):
        return v in cls.items

    @property
    def size(cls):
        return float(len(cls.items))


class WM(metaclass=Meta2):
    items = [1.0, 2.0]

    def __init__(self, a):
        self.a = a


@case
def meta_methods(x):
    return (
        WM(x[0]).made
        + sum(WM) * x[1]
        + WM[1] * x[2]
        + len(WM) * x[0]
        + WM.size * x[1]
        + (1.0 in WM) * x[0]
    )


class Err(Exception):
    code = 3

    def __init__(self, msg, *, value=None):
        super().__init__(msg)
        self.value = value

    @property
    def scaled(self):
        return np.array([self.value])[0] * self.code

    def __str__(self):
        return f"{self.args[0]} ({self.value:.2f})"


class SubErr(Err):
    pass


@case
def exceptions_rich(x):
    tot = 0.0
    for cls, v in ((Err, x[0]), (SubErr, x[1])):
        try:
            try:
                raise cls("m", value=v)
            except Err as e:
                raise ValueError("w") from e
        except ValueError as e:
            c = e.__cause__
            assert str(c) and isinstance(c, cls)
            tot += c.scaled
    try:
        raise ExceptionGroup("g", [Err("a", value=x[2]), KeyError("k")])
    except* Err as eg:
        tot += eg.exceptions[0].scaled
    except* KeyError:
        pass
    return tot


class Temp:
    def __init__(self, c):
        self.c = c

    @property
    def f(self):
        return self.c * 9 / 5 + 32

    @f.setter
    def f(self, v):
        self.c = (v - 32) * 5 / 9

    @f.deleter
    def f(self):
        self.c = 0.0

    @staticmethod
    def conv(v):
        return np.array([v]).sum()

    @classmethod
    def from_f(cls, v):
        t = cls(0.0)
        t.f = v
        return t

    k = property(lambda s: s.c + 273.15, doc="kelvin")

    def __getattr__(self, n):
        if n.startswith("c_plus_"):
            return self.c + float(n[7:])
        raise AttributeError(n)


@case
def properties(x):
    t = Temp.from_f(x[0])
    a = t.f * 2 + t.k + t.c_plus_3 + Temp.conv(x[1])
    del t.f
    assert Temp.k.__doc__ == "kelvin" and not hasattr(t, "zzz")
    return a + t.c


class Shared:
    instances = []
    cache = weakref.WeakValueDictionary()
    total = 0.0

    def __new__(cls, k, *a):
        if k in cls.cache:
            return cls.cache[k]
        o = super().__new__(cls)
        cls.cache[k] = o
        cls.instances.append(o)
        return o

    def __init__(self, k, v):
        self.k, self.v = k, v
        Shared.total += float(v)


@case
def flyweight(x):
    Shared.instances.clear()
    Shared.total = 0.0
    Shared.cache.clear()
    a = Shared("a", x[0])
    b = Shared("a", x[1])
    assert a is b
    return a.v + Shared.total + sum(s.v for s in Shared.instances)


class Chain:
    def __init__(self):
        self.ops = []

    def __getattr__(self, n):
        if n.startswith("__"):
            raise AttributeError(n)

        def add(*a):
            self.ops.append((n, a))
            return self

        return add

    def run(self, v):
        for n, a in self.ops:
            v = getattr(np, n)(v, *a)
        return v


@case
def fluent(x):
    return Chain().sin().multiply(x[1]).add(2.0).run(x[0])


class Lazy:
    def __init__(self, f):
        self.f = f

    def __set_name__(self, o, n):
        self.n = n

    def __get__(self, o, t):
        if o is None:
            return self
        o.__dict__[self.n] = r = self.f(o)
        return r


def tracked(cls):
    orig = cls.__init__

    @functools.wraps(orig)
    def init(self, *a, **k):
        orig(self, *a, **k)
        self.n_args = len(a)

    cls.__init__ = init
    cls.extra = lambda self: np.array([self.v])[0] * self.n_args
    return cls


@tracked
class Tracked:
    def __init__(self, v):
        self.v = v

    @Lazy
    def heavy(self):
        return np.array([math.exp(self.v)])[0]


@case
def class_decorators(x):
    t = Tracked(x[0])
    return t.extra() + t.heavy + t.heavy


class Base0:
    def __init_subclass__(cls, /, scale=1.0, **k):
        super().__init_subclass__(**k)
        cls.scale = scale

    def val(self, x):
        return np.array([x])[0] * self.scale


class D1(Base0, scale=3.0):
    pass


@case
def init_subclass_scale(x):
    class D2(D1, scale=5.0):
        def val(self, x):
            return super().val(x) + 1

    return (
        D1().val(x[0]) + D2().val(x[1]) + Base0().val(x[2])
        if hasattr(Base0, "scale")
        else D1().val(x[0]) + D2().val(x[1])
    )


class Unit(enum.Enum):
    M = 1.0
    KM = 1000.0

    def __mul__(self, o):
        return o * self.value

    __rmul__ = __mul__

    def convert(self, v, to):
        return float(v) * self.value / to.value

    @classmethod
    def parse(cls, s):
        return cls[s.upper()]

    def __str__(self):
        return self.name.lower()


class Color(str, enum.Enum):
    R = "r"
    G = "g"

    def w(self, x):
        return np.array({"r": [x[0]], "g": [x[1]]}[self.value]).sum()


@case
def enums_more(x):
    return (
        x[0] * Unit.KM
        + Unit.parse("m").convert(x[1], Unit.KM) * 1e3
        + Color("g").w(x)
        + Color.R.w(x)
        + (Unit.M in Unit) * x[2]
        + len(f"{Unit.M}") * x[0]
        + sum(u.convert(x[2], Unit.M) for u in Unit)
    )


@case
def vars_and_dict(x):
    c = Circle(x[0])
    c.__dict__["k"] = x[1]
    vars(c)["j"] = 2.0
    d = dict(vars(c))
    c.z = x[2]
    delattr(c, "j")
    assert (
        "z" in dir(c)
        and not hasattr(c, "j")
        and c.__class__.__name__ == "Circle"
        and type(c).__qualname__ == "Circle"
        and type(c).__module__ == __name__
    )
    return c.k + c.z + d["r"] + sum(v for n, v in inspect.getmembers(c) if n in ("k", "z"))


G1 = Circle(2.0)
G2 = [Circle(1.0), {"s": Sq(3.0)}, (Sq(2.0), Circle(0.5))]


@case
def nested_globals(x):
    return (
        area(G1) * x[0]
        + sum(area(s) for s in G2[2]) * x[1]
        + area(G2[1]["s"]) * x[2]
        + isinstance(G2[0], Circle) * x[0]
        + (type(G2[0]) is Circle) * x[1]
    )


class It2:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            yield np.array([v]).sum()

    def __contains__(self, v):
        return any(v is u for u in self.x)

    def __reversed__(self):
        return iter(self.x[::-1])

    def __getitem__(self, s):
        return It2(self.x[s]) if isinstance(s, slice) else self.x[s]

    def __len__(self):
        return len(self.x)


@case
def containers_user(x):
    i = It2(list(x))
    return sum(i) + next(reversed(i)) + sum(i[1:]) + i[0] * len(i) + max(i) + sorted(i)[0]
