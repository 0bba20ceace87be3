"""States in closures, defaults, containers, iterators and names of modules."""
# Written as people write.
# ruff: noqa: B006, B007, E741

import array as arr
import collections
import functools
import itertools

import numpy as np

from . import state_module
from .states import kind, val


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
