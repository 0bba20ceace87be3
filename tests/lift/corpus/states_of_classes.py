"""States in classes and their objects, in attributes of every kind."""
# Written as people write.
# ruff: noqa: B010, E741, F841, SIM401

import dataclasses
import enum
import functools
import types
import weakref

from .states import kind, val


@kind
def class_attr():
    class C:
        n = 0
        last = None

    c = C()

    def f(x):
        C.n += 1
        C.last = x * 1.0
        return val(x, C.n)

    return f, lambda: C.n


@kind
def class_attr_by_arg():
    class C:
        n = 0
        last = None

        def go(self, x):
            type(self).n += 1
            setattr(type(self), "last", x * 2)
            return val(x, type(self).n)

    c = C()
    g = lambda x: c.go(x)
    return g, lambda: C.n


@kind
def class_method():
    class C:
        n = 0
        last = None

        @classmethod
        def go(cls, x):
            cls.n += 1
            cls.last = x * 2
            return val(x, cls.n)

    class D(C):
        pass

    return D.go, lambda: (C.n, D.n)


@kind
def bound_method():
    class C:
        def __init__(self):
            self.n = 0

        def go(self, x):
            self.n += 1
            self.last = x * 2
            return val(x, self.n)

    c = C()
    return c.go, lambda: c.n


@kind
def callable_object():
    class C:
        def __init__(self):
            self.n = 0
            self.log = []

        def __call__(self, x):
            self.n += 1
            self.log.append(self.n)
            self.last = x * 2
            return val(x, self.n)

    c = C()
    return c, lambda: (c.n, c.log)


@kind
def meta_attr():
    class M(type):
        n = 0

        def bump(cls):
            M.n += 1
            cls.k = getattr(cls, "k", 0) + 1
            return M.n + cls.k

    class C(metaclass=M):
        last = None

    def f(x):
        n = C.bump()
        C.last = x * 1.0
        return val(x, n)

    return f, lambda: (M.n, C.k if hasattr(C, "k") else 0)


@kind
def setattr_custom():
    class C:
        def __init__(self):
            object.__setattr__(self, "n", 0)
            object.__setattr__(self, "seen", [])

        def __setattr__(self, k, v):
            self.seen.append(k)
            object.__setattr__(self, k, v)

        def __delattr__(self, k):
            self.seen.append("del " + k)
            object.__delattr__(self, k)

    c = C()

    def f(x):
        c.n = c.n + 1
        c.last = x * 1.0
        if hasattr(c, "tmp"):
            del c.tmp
        else:
            c.tmp = 1
        return val(x, c.n + len(c.seen))

    return f, lambda: (c.n, c.seen, hasattr(c, "tmp"))


@kind
def prop():
    class C:
        _n = 0

        @property
        def n(self):
            self._n += 1
            return self._n

        @n.setter
        def n(self, v):
            self._n = v

    c = C()

    def f(x):
        c.last = x * 1.0
        r = val(x, c.n)
        c.n = c._n + 1
        return r

    return f, lambda: c._n


@kind
def descriptor():
    class D:
        def __init__(self):
            self.store = weakref.WeakKeyDictionary()
            self.hits = 0

        def __get__(self, o, t=None):
            self.hits += 1
            return self.store.get(o, 0)

        def __set__(self, o, v):
            self.store[o] = v

    class C:
        n = D()

    c = C()
    d = C.__dict__["n"]

    def f(x):
        c.n = c.n + 1
        c.last = x * 1.0
        return val(x, c.n + d.hits)

    return f, lambda: (d.store[c] if c in d.store else 0, d.hits)


@kind
def class_container():
    class C:
        d = {}
        l = []
        s = set()

    def f(x):
        C.l.append(1)
        C.s.add(len(C.l))
        C.d["k"] = x * 1.0
        C.d[len(C.l)] = 1
        return val(x, len(C.l) + len(C.s) + len(C.d))

    return f, lambda: (C.l, C.s, len(C.d))


@kind
def stored_instances():
    class P:
        count = 0

        def __init__(self, v):
            P.count += 1
            self.v = v

    store = []

    def f(x):
        store.append(P(x * 1.0))
        store[0].hits = getattr(store[0], "hits", 0) + 1
        return val(x, P.count + store[0].hits)

    return f, lambda: (P.count, len(store), getattr(store[0], "hits", 0) if store else 0)


@kind
def weak():
    class P:
        pass

    ps = [P() for _ in range(3)]
    ws = weakref.WeakSet()
    wv = weakref.WeakValueDictionary()
    wk = weakref.WeakKeyDictionary()
    r = weakref.ref(ps[0])
    n = [0]
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        n[0] += 1
        ws.add(ps[n[0] % 3])
        wv[n[0]] = ps[0]
        wk[ps[1]] = n[0]
        r().c = getattr(r(), "c", 0) + 1
        return val(x, len(ws) + len(wv) + wk[ps[1]] + r().c)

    return f, lambda: (len(ws), len(wv), getattr(ps[0], "c", 0), n)


@kind
def weak_only():
    class P:
        pass

    keep = []
    p = P()
    keep.append(p)
    r = weakref.ref(p)
    wd = weakref.WeakValueDictionary(a=p)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        wd["a"].c = getattr(r(), "c", 0) + 1
        return val(x, r().c)

    return f, lambda: getattr(keep[0], "c", 0)


@kind
def dclass():
    @dataclasses.dataclass
    class S:
        n: int = 0
        h: list = dataclasses.field(default_factory=list)
        m: object = None

    @dataclasses.dataclass(slots=True)
    class T:
        n: int = 0
        m: object = None

    s, t = S(), T()

    def f(x):
        s.n += 1
        s.h.append(s.n)
        s.m = x * 1.0
        t.n += 1
        t.m = x * 2.0
        return val(x, s.n + t.n + len(s.h))

    return f, lambda: (s.n, s.h, t.n)


@kind
def slots():
    class A:
        __slots__ = ("n", "m", "gone")

    class B(A):
        __slots__ = ("k",)

    a = B()
    a.n = 0
    a.k = 0

    def f(x):
        a.n += 1
        a.k += 1
        a.m = x * 1.0
        if hasattr(a, "gone"):
            del a.gone
        else:
            a.gone = 1
        return val(x, a.n + a.k)

    return f, lambda: (a.n, a.k, hasattr(a, "gone"))


@kind
def namespace_state():
    ns = types.SimpleNamespace(n=0, sub=types.SimpleNamespace(k=0))

    def f(x):
        ns.n += 1
        ns.sub.k += 2
        ns.m = x * 1.0
        return val(x, ns.n + ns.sub.k)

    return f, lambda: (ns.n, ns.sub.k)


@kind
def dict_attr():
    class C:
        pass

    c = C()
    c.n = 0

    def f(x):
        c.__dict__["n"] += 1
        vars(c)["m"] = x * 1.0
        return val(x, c.n)

    return f, lambda: c.n


@kind
def swap_dict_class():
    class A:
        pass

    class B(A):
        pass

    c = A()
    c.n = 0

    def f(x):
        c.__dict__ = {"n": c.n + 1, "m": x * 1.0}
        return val(x, c.n)

    return f, lambda: c.n


@kind
def registry_subclass():
    class Base:
        reg = []

        def __init_subclass__(cls, **k):
            Base.reg.append(cls.__name__)

    memo = {}

    def f(x):
        memo["k"] = x * 1.0

        class D(Base):
            pass

        return val(x, len(Base.reg))

    return f, lambda: Base.reg


@kind
def cached_prop():
    class C:
        made = 0

        @functools.cached_property
        def k(self):
            C.made += 1
            return C.made

    c = C()

    def f(x):
        c.m = x * 1.0
        c.__dict__.pop("k", None)
        return val(x, c.k)

    return f, lambda: C.made


@kind
def enum_state():
    class E(enum.Enum):
        A = 1

        def bump(self):
            self.n = getattr(self, "n", 0) + 1
            return self.n

    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, E.A.bump())

    return f, lambda: getattr(E.A, "n", 0)


@kind
def exception_state():
    class Err(Exception):
        n = 0

    e = Err("a")
    e.k = 0
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        Err.n += 1
        e.k += 1
        try:
            raise Err("q")
        except Err as err:
            err.z = 1
        return val(x, Err.n + e.k)

    return f, lambda: (Err.n, e.k)
