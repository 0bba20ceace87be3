"""States in arrays, random generators and Python's own registries."""
# Written as people write.
# ruff: noqa: B028, E741, F841

import contextvars
import logging
import random
import warnings

import numpy as np

from .states import kind, val


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
