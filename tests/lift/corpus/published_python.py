"""Corners of Python as in published programs: coroutines, contexts, iterators."""

import asyncio
import contextvars
import dataclasses
import operator
import threading

import numpy as np

from .cases import table_with_points

CASES, case = table_with_points()


@case()
def async_code(p):
    async def part(i):
        await asyncio.sleep(0)
        out = np.zeros(1)
        out[0] = p[i] ** 2
        return out[0]

    async def main():
        return sum(await asyncio.gather(*(part(i) for i in range(3))))

    return asyncio.run(main())


CTX = contextvars.ContextVar("ctx", default=2.0)


@case()
def context_vars(p):
    tok = CTX.set(p[0])
    try:
        return CTX.get() * p[1] + contextvars.copy_context().run(
            lambda: np.array([CTX.get()]).sum()
        )
    finally:
        CTX.reset(tok)


LOCK = threading.Lock()


@case()
def threads_manual(p):
    res = [None] * 3

    def work(i):
        with LOCK:
            res[i] = np.full(2, p[i]).prod()

    ts = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return sum(res)


@case()
def int_inplace(p):
    a = np.arange(3)
    try:
        a += p
    except TypeError:
        a = a + p
    b = np.ones(3, int)
    b[0] = p[1]
    c = np.zeros(3, dtype="f8")
    c[1:] = p[:2]
    c[[0]] = [p[2]]
    d = np.array([1, 2, 3])
    e = d * p
    d = d.astype(float)
    d[...] = e
    return a.sum() + (b * p).sum() + c.sum() + d.sum()


@case()
def dataclass_eq_hash(p):
    @dataclasses.dataclass(frozen=True, eq=True)
    class K:
        a: float
        b: tuple

    d = {K(1.0, (1, 2)): p[0]}

    @dataclasses.dataclass
    class V:
        x: float

        def __lt__(self, o):
            return self.x < o.x

    return (
        d[K(1.0, (1, 2))] * 2
        + max(V(v) for v in p).x
        + min([V(p[0]), V(p[1])]).x
        + sorted(map(V, p))[1].x
    )


@case()
def slots_in_loops(p):
    class P:
        __slots__ = "x", "v"

        def __init__(self, x, v):
            self.x = x
            self.v = v

        def step(self, dt):
            self.v -= self.x * dt
            self.x += self.v * dt

    ps = [P(v, 0.0) for v in p]
    for _ in range(4):
        for q in ps:
            q.step(0.1)
    return sum(q.x**2 for q in ps) + ps[0].v


@case()
def operator_tables(p):
    ops = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "^": operator.pow,
    }
    st = []
    for tok in ["p0", "p1", "+", "p2", "*", "2", "^"]:
        if tok in ops:
            b, a = st.pop(), st.pop()
            st.append(ops[tok](a, b))
        elif tok.startswith("p"):
            st.append(p[int(tok[1:])])
        else:
            st.append(float(tok))
    return st.pop()


@case()
def cython_style(p):
    n = p.shape[0]
    i = j = 0
    acc = 0.0
    buf = np.empty((n, n), dtype=np.double)
    while i < n:
        j = 0
        while j < n:
            buf[i][j] = p[i] * p[j] if i != j else p[i]
            j += 1
        i += 1
    for row in buf:
        for v in row:
            acc += v
    return acc + buf[-1][-1] + buf[1, :].sum() + buf.item(0, 1)


@case()
def rolled_state_machine(p):
    state, v, k = "init", 0.0, 0
    while state != "done":
        match state:
            case "init":
                v, state = p[0], "grow"
            case "grow" if v < 3:
                v = v * p[1] + 0.5
                k += 1
            case "grow":
                state = "shrink"
            case "shrink":
                v, state = v - p[2], "done"
    return v + k * p[2]


@case()
def class_with_numpy_dispatch(p):
    class Arr(np.lib.mixins.NDArrayOperatorsMixin):
        def __init__(self, a):
            self.a = np.asarray(a)

        def __array_ufunc__(self, uf, m, *i, **k):
            return Arr(getattr(uf, m)(*[x.a if isinstance(x, Arr) else x for x in i], **k))

        def sum(self):
            return self.a.sum()

    x = Arr(p)
    return (
        (x * 2 + np.exp(x) - 1 / x).sum()
        + (p * x).sum()
        + (np.float64(2) * x).sum()
        + (-x).sum() * 2
        + np.maximum(x, 0.5).sum()
    )


@case()
def iterator_writes(p):
    a = np.zeros((2, 3))
    a[:] = p
    a = a.T
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = 2 * x + 1
    return (a * np.arange(6.0).reshape(3, 2)).sum()


@case()
def iterator_broadcasts(p):
    s = 0.0
    for a, b in np.nditer([p, np.array([[1.0, 2.0, 3.0], [4, 5, 6]])]):
        s += a * b
    return s


@case()
def iterator_has_places(p):
    it = np.nditer(np.outer(p, p), flags=["multi_index"])
    s = 0.0
    while not it.finished:
        i, j = it.multi_index
        s += (i + 2 * j) * it[0]
        it.iternext()
    return s


@case()
def iterator_allocates(p):
    it = np.nditer([p, None])
    for x, y in it:
        y[...] = x * x
    return it.operands[1].sum()


@case()
def iterator_counts(p):
    it = np.nditer(p, flags=["c_index"])
    s = 0.0
    for v in it:
        s += v * it.index
    return s


@case()
def pairs_of_broadcast(p):
    b = np.broadcast(p, p[:, None], 2.0)
    out = np.empty(b.shape)
    out.flat = [u * v**k * b.index for u, v, k in b]
    b.reset()
    return out.sum() + next(b)[0] + sum(b.iters[1]) * b.size * np.broadcast(p, [[1], [2]]).ndim


@case()
def iterator_fills(p):
    out = np.empty(3)
    with np.nditer([p, out], [], [["readonly"], ["writeonly"]]) as it:
        for x, y in it:
            y[...] = np.sin(x)
    return out.sum()


@case()
def iterator_reads(p):
    return sum(float(v) for v in np.nditer(p))
