"""Places where code keeps a state: each row makes a function, and what says the state it is in.

They also store something of the argument, so that it is asked whether that is a cache.
"""
# Written as people write.
# ruff: noqa: B006, B007, B010, B028, E741, F841, SIM401

import array as arr
import collections
import contextvars
import dataclasses
import enum
import functools
import itertools
import logging
import random
import types
import warnings
import weakref

import numpy as np

from . import state_module

STATES = {}


def kind(f):
    STATES[f.__name__] = f
    return f


def val(x, n):
    return (x**2).sum() * n


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
def nested_nonlocal():
    def outer():
        n = 0
        last = None

        def mid():
            m = 0

            def inner(x):
                nonlocal n, m, last
                n += 1
                m += 2
                last = x * 1.0
                return val(x, n + m)

            return inner

        return mid(), lambda: n

    f, s = outer()
    return f, s


@kind
def function_attr():
    def f(x):
        f.n = getattr(f, "n", 0) + 1
        f.last = x * 1.0
        return val(x, f.n)

    return f, lambda: getattr(f, "n", 0)


@kind
def helper_function_attr():
    def h():
        h.n += 1
        return h.n

    h.n = 0
    memo = {}

    def f(x):
        memo["a"] = x * 1.0
        return val(x, h())

    return f, lambda: h.n


@kind
def default_list():
    def f(x, seen=[], memo={}):
        seen.append(1)
        memo["k"] = x * 1.0
        return val(x, len(seen))

    d = f.__defaults__[0]
    return f, lambda: len(d)


@kind
def kw_default():
    def f(x, *, seen=[0], memo={}):
        seen[0] += 1
        memo["k"] = x * 1.0
        return val(x, seen[0])

    d = f.__kwdefaults__["seen"]
    return f, lambda: d[0]


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
def containers():
    dq = collections.deque(maxlen=4)
    od = collections.OrderedDict()
    dd = collections.defaultdict(int)
    ct = collections.Counter()

    def f(x):
        dq.append(len(dq))
        od["a"] = od.get("a", 0) + 1
        od.move_to_end("a")
        od["v"] = x * 1.0
        dd["q"] += 1
        ct["z"] += 2
        ct.update("ab")
        return val(x, sum(dq) + od["a"] + dd["q"] + ct["z"] + ct["a"])

    return f, lambda: (list(dq), od.get("a"), dict(dd), dict(ct))


@kind
def bytes_like():
    ba = bytearray(4)
    a = arr.array("d", [0.0])
    b2 = bytearray(2)
    mv = memoryview(b2)
    memo = {}

    def f(x):
        ba[0] += 1
        a[0] += 1.0
        mv[1] = mv[1] + 1
        ba.append(1)
        memo["k"] = x * 1.0
        return val(x, ba[0] + a[0] + mv[1] + len(ba))

    return f, lambda: (bytes(ba), list(a), bytes(b2))


@kind
def iter_count():
    it = itertools.count(1)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, next(it))

    return f, lambda: repr(it)


@kind
def iter_in_list():
    box = [itertools.count(1)]
    memo = {}

    class H:
        pass

    h = H()
    h.box = {"i": (box,)}

    def f(x):
        memo["k"] = x * 1.0
        for n in h.box["i"][0][0]:
            break
        return val(x, n)

    return f, lambda: repr(box[0])


@kind
def iter_zip():
    z = zip(itertools.count(1), itertools.count(2))
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        a, b = z.__next__()
        return val(x, a + b)

    return f, lambda: 0


@kind
def gen():
    def g():
        n = 0
        while True:
            n += 1
            yield n

    G = g()
    memo = {}
    step = G.__next__

    def f(x):
        memo["k"] = x * 1.0
        return val(x, step())

    return f, lambda: 0


@kind
def partial_count():
    step = functools.partial(next, itertools.count(1))
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, step())

    return f, lambda: 0


@kind
def default_factory_count():
    dd = collections.defaultdict(itertools.count(1).__next__)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, dd[len(dd)])

    return f, lambda: dict(dd)


@kind
def user_iter():
    class It:
        n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            return self.n

    it = It()
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        for n in it:
            break
        return val(x, n)

    return f, lambda: it.n


@kind
def numpy_rng():
    r = np.random.default_rng(3)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, r.standard_normal())

    return f, lambda: r.bit_generator.state["state"]["state"]


@kind
def numpy_rng_nested():
    class H:
        pass

    h = H()
    h.r = (np.random.default_rng(3), np.random.RandomState(2), random.Random(5))
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, h.r[0].normal() + h.r[1].rand() + h.r[2].random())

    return f, lambda: (
        h.r[0].bit_generator.state["state"]["state"],
        h.r[1].get_state()[2],
        h.r[2].getstate(),
    )


@kind
def py_random():
    random.seed(7)
    np.random.seed(5)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, random.random() + np.random.rand() + random.gauss(0, 1))

    return f, lambda: (random.getstate(), np.random.get_state()[2])


@kind
def rng_methods():
    draw = random.Random(5).random
    nd = np.random.default_rng(2).normal
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        return val(x, draw() + nd())

    return f, lambda: 0


@kind
def ctxvar():
    v = contextvars.ContextVar("v", default=0)
    l = contextvars.ContextVar("l")
    l.set([])
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        v.set(v.get() + 1)
        l.get().append(1)
        return val(x, v.get() + len(l.get()))

    return f, lambda: (v.get(), len(l.get()))


@kind
def callback_append():
    out = []
    add = out.append
    memo = {}

    class E:
        def __init__(self):
            self.subs = []

        def fire(self, v):
            for s in self.subs:
                s(v)

    e = E()
    e.subs.append(add)
    e.subs.append(lambda v: out.append(v))

    def f(x):
        memo["k"] = x * 1.0
        e.fire(1)
        return val(x, len(out))

    return f, lambda: out


@kind
def log_handler():
    class H(logging.Handler):
        def __init__(self):
            super().__init__()
            self.rec = []

        def emit(self, r):
            self.rec.append(r.getMessage())

    lg = logging.Logger("own")
    h = H()
    lg.addHandler(h)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        lg.warning("a")
        return val(x, len(h.rec))

    return f, lambda: h.rec


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
def np_inplace():
    s = np.zeros(6)
    v = s[::2]
    i = np.zeros(2, int)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s[0] += 1
        v[1] += 2
        i[0] += 1
        s.reshape(2, 3)[1, 2] += 1
        return val(x, s[0] + v[1] + i[0] + s[5])

    return f, lambda: (s.tolist(), v.tolist(), i.tolist())


@kind
def np_big():
    s = np.zeros(200_001)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s[7] += 1
        return val(x, s[7])

    return f, lambda: s[:9].tolist()


@kind
def np_carry():
    s = np.zeros(3)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s[:] = s * 0.5 + x
        return (x * s).sum()

    return f, lambda: np.round(s, 8).tolist()


@kind
def np_big_carry():
    s = np.zeros(200_001)
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s[:3] = s[:3] * 0.5 + x
        return (x * s[:3]).sum()

    return f, lambda: np.round(s[:5], 8).tolist()


@kind
def np_obj():
    s = np.empty(2, object)
    s[0] = 0
    s[1] = []
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s[0] += 1
        s[1].append(1)
        return val(x, s[0] + len(s[1]))

    return f, lambda: (s[0], s[1])


@kind
def np_struct():
    s = np.zeros(2, [("a", int), ("b", float)])
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        s["a"][0] += 1
        return val(x, int(s["a"][0]))

    return f, lambda: s.tolist()


@kind
def np_transposed():
    s = np.zeros((3, 4)).T
    r = s[::-1]
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        r[0, 0] += 1
        np.add(s, 1, out=s)
        return val(x, s[-1, 0] + r[1, 1])

    return f, lambda: (s.tolist(), r.tolist())


@kind
def list_subclass():
    class L(list):
        n = 0

        def append(self, v):
            self.n += 1
            super().append(v)

    class D(dict):
        def __setitem__(self, k, v):
            self.w = getattr(self, "w", 0) + 1
            super().__setitem__(k, v)

    l, d = L(), D()

    def f(x):
        l.append(1)
        d["k"] = x * 1.0
        return val(x, l.n + len(l) + d.w)

    return f, lambda: (l.n, list(l), getattr(d, "w", 0))


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
def memo_and_counter():
    memo = {}
    n = [0]

    class C:
        hits = 0

    def f(x):
        n[0] += 1
        C.hits += 1
        k = tuple(np.round(np.asarray([float(v) for v in x]), 12))
        if k not in memo:
            memo[k] = (x**2).sum()
        return memo[k] * C.hits + n[0]

    return f, lambda: (n, C.hits, len(memo))


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
def warned():
    seen = []
    memo = {}
    n = [0]

    def f(x):
        memo["k"] = x * 1.0
        n[0] += 1
        warnings.warn("w", UserWarning)
        return val(x, n[0])

    return f, lambda: n


@kind
def exec_global():
    ns = {"__name__": "usermod", "np": np}
    exec(
        """
N = 0
LAST = None
D = {}
def bump():
    global N
    N += 1
    return N
def helper(x):
    global LAST
    LAST = x * 1.0
    D['k'] = x * 3
    globals()['M'] = globals().get('M', 0) + 1
    return (x ** 2).sum() * (bump() + M)
""",
        ns,
    )
    return ns["helper"], lambda: (ns["N"], ns.get("M", 0))


@kind
def other_module():
    state_module.N = state_module.C.n = state_module.EXTRA = 0

    def f(x):
        state_module.keep(x * 1.0)
        state_module.EXTRA = getattr(state_module, "EXTRA", 0) + 1
        return val(x, state_module.bump() + state_module.EXTRA)

    return f, lambda: (
        state_module.N,
        state_module.EXTRA if hasattr(state_module, "EXTRA") else 0,
        state_module.C.n,
    )


@kind
def bound_setitem():
    d = {}
    put = d.__setitem__
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        put(len(d), 1)
        return val(x, len(d))

    return f, lambda: d


@kind
def tuple_subclass():
    class T(tuple):
        pass

    t = T((1, [0]))
    t.n = 0
    memo = {}

    def f(x):
        memo["k"] = x * 1.0
        t.n += 1
        t[1][0] += 1
        return val(x, t.n + t[1][0])

    return f, lambda: (t.n, t[1])


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
