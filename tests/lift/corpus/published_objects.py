"""Objects as in published programs: vectors, dual numbers, pipelines, optimisers."""
# Written as people write.
# ruff: noqa: B007, B905, E741, F841, PERF102, PT017

import contextlib
import copy
import dataclasses
import functools
import heapq
import math
import numbers
import random
import statistics
import time
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypedDict

import numpy as np
from numpy import linalg as LA
from numpy.random import RandomState, default_rng
from numpy.typing import NDArray

from .cases import table_with_points

CASES, case = table_with_points()


class Vector:
    """operator-heavy geometry class with numpy interop"""

    __slots__ = ("_c",)
    __array_priority__ = 100

    def __init__(self, *c):
        self._c = np.array(c, dtype=float)

    x = property(lambda s: s._c[0])
    y = property(lambda s: s._c[1])
    z = property(lambda s: s._c[2])

    @x.setter
    def x(self, v):
        self._c[0] = v

    def __add__(s, o):
        return Vector(*(s._c + (o._c if isinstance(o, Vector) else o)))

    __radd__ = __add__

    def __sub__(s, o):
        return Vector(*(s._c - o._c))

    def __mul__(s, k):
        return Vector(*(s._c * k)) if isinstance(k, numbers.Real) else float(np.dot(s._c, k._c))

    def __rmul__(s, k):
        return s * k

    def __matmul__(s, o):
        return float(s._c @ o._c)

    def __xor__(s, o):
        return Vector(*np.cross(s._c, o._c))

    def __neg__(s):
        return s * -1

    def __abs__(s):
        return float(np.sqrt(s @ s))

    def __iter__(s):
        return iter(s._c)

    def __len__(s):
        return 3

    def __getitem__(s, i):
        return s._c[i]

    def __setitem__(s, i, v):
        s._c[i] = v

    def __eq__(s, o):
        return isinstance(o, Vector) and np.allclose(s._c, o._c)

    def __hash__(s):
        return hash(tuple(s._c))

    def __repr__(s):
        return f"Vector({', '.join(f'{v:.3f}' for v in s)})"

    def __array__(s, dtype=None, copy=None):
        return np.array(s._c, dtype=dtype)

    def __format__(s, spec):
        return "(" + ", ".join(format(v, spec) for v in s) + ")"

    def __call__(s, i):
        return s[i]

    def __bool__(s):
        return bool(np.any(s._c))

    def __iadd__(s, o):
        s._c += o._c
        return s

    def __copy__(s):
        return Vector(*s._c)


@case()
def vector_class(p):
    a, b = Vector(*p), Vector(1, 2, 3)
    c = (a ^ b) + 2.0 * a - b
    c += a
    c.x = c.x**2
    c[1] = c.y * 2
    assert f"{c:.2f}" and repr(c) and c and a == Vector(*a) and len({a, b}) == 2 and len(c) == 3
    return abs(c) + a * b + c @ b + sum(c) + c(2) + np.linalg.norm(np.asarray(c)) + copy.copy(c).z


class Dual:
    def __init__(self, re, eps=0.0):
        self.re, self.eps = re, eps

    def __add__(s, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(s.re + o.re, s.eps + o.eps)

    __radd__ = __add__

    def __mul__(s, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(s.re * o.re, s.re * o.eps + s.eps * o.re)

    __rmul__ = __mul__

    def __pow__(s, n):
        return Dual(s.re**n, n * s.re ** (n - 1) * s.eps)

    def sin(self):
        return Dual(np.sin(self.re), np.cos(self.re) * self.eps)


@case(at=(0.7, 1.3))
def forward_mode_by_hand(p):
    x = Dual(p[0], 1.0)
    f = x**3 * p[1] + 2 * x.sin() + p[1] * x
    return f.eps + f.re


@case(at=(0.7, 1.3))
def numpy_calls_methods_of_objects(p):
    a = np.array([Dual(p[0], 1.0), Dual(p[1], 0.0)], dtype=object)
    s = np.sin(a)
    t = a * 2 + s
    return t[0].eps + t[1].re + sum(a).re + np.sum(t).re


class Matrix(UserList):
    def T(self):
        return Matrix(map(list, zip(*self.data)))

    def __matmul__(self, o):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o)] for r in self])


@case(at=(0.7, 1.3, 0.4, 2.0))
def pure_python_matrices(p):
    A = Matrix([[p[0], p[1]], [p[2], p[3]]])
    B = A @ A.T()

    def det(m):
        return (
            m[0][0]
            if len(m) == 1
            else sum(
                (-1) ** j * m[0][j] * det([r[:j] + r[j + 1 :] for r in m[1:]])
                for j in range(len(m))
            )
        )

    return det(B.data) + B[0][1]


class Params(UserDict):
    def __missing__(self, k):
        self[k] = 1.0
        return self.data[k]

    def __getattr__(self, k):
        if k.startswith("_") or k == "data":
            raise AttributeError(k)
        return self[k]


@case(at=(0.7, 1.3))
def userdict_params(p):
    q = Params(a=p[0])
    q["b"] = p[1] ** 2
    return q.a * q.b + q.unknown + sum(q.values()) + ChainMap({"a": p[0] * 3}, q)["a"]


class Config(TypedDict, total=False):
    lr: float
    act: str


@dataclass
class Body:
    mass: float
    pos: NDArray[np.float64]
    vel: InitVar[Any] = None
    trail: list = field(default_factory=list, repr=False, compare=False)
    count: ClassVar[int] = 0

    def __post_init__(self, vel):
        self.v = np.zeros_like(self.pos) if vel is None else np.asarray(vel, float)
        type(self).count += 1

    @property
    def kinetic(self):
        return 0.5 * self.mass * self.v @ self.v

    @cached_property
    def inv_mass(self):
        return 1 / self.mass

    def kick(self, f, dt):
        self.v += f * self.inv_mass * dt
        return self

    def drift(self, dt):
        self.trail.append(self.pos.copy())
        self.pos = self.pos + self.v * dt
        return self


@case(at=(0.7, 1.3, 0.4))
def body_chain(p):
    b = Body(p[0], np.array([p[1], p[2]]), vel=[0.1, p[2]])
    for _ in range(3):
        b.kick(-b.pos, 0.1).drift(0.1)
    c = dataclasses.replace(b, mass=2.0, vel=None)
    d = dataclasses.asdict(b)
    return b.kinetic + np.sum(b.trail) + c.kick(b.pos, 1).v.sum() + d["mass"]


class Observable:
    def __init__(self):
        self._subs = []

    def subscribe(self, fn, *a, **k):
        self._subs.append(functools.partial(fn, *a, **k))
        return lambda: self._subs.pop()

    def emit(self, v):
        return [s(v) for s in self._subs]


@case(at=(0.7, 1.3))
def observer(p):
    o = Observable()
    log = []
    un = o.subscribe(lambda k, v: log.append(k * v), p[0])
    o.subscribe(lambda v, scale=1: log.append(np.full(2, v) * scale), scale=p[1])
    o.emit(p[1])
    un()
    o.emit(2.0)
    return sum(np.sum(l) for l in log)


class Pipeline:
    def __init__(self, *steps):
        self.steps = OrderedDict(steps)

    def __or__(self, o):
        return Pipeline(*self.steps.items(), o)

    def __getitem__(self, k):
        return self.steps[k]

    def fit_transform(self, X):
        for name, s in self.steps.items():
            X = s.fit(X).transform(X) if hasattr(s, "fit") else s(X)
        return X


class Scaler:
    def fit(self, X):
        self.mean_, self.scale_ = X.mean(0), X.std(0)
        return self

    def transform(self, X):
        return (X - self.mean_) / self.scale_

    def get_params(self):
        return {k: v for k, v in self.__dict__.items() if k.endswith("_")}


class Poly:
    def __init__(self, degree):
        self.degree = degree

    def fit(self, X, y=None):
        check = getattr(self, "degree", None)
        assert check
        return self

    def transform(self, X):
        return np.hstack([X**d for d in range(1, self.degree + 1)])


@case(at=(0.7, 1.3, 0.4, 2.0, 0.9, 0.1))
def sklearn_like(p):
    X = p.reshape(3, 2)
    pipe = Pipeline(("scale", Scaler())) | ("poly", Poly(2)) | ("act", np.tanh)
    Z = pipe.fit_transform(X)
    return (
        Z[:, 0] @ [1, 2, 3]
        + Z.ravel()[5]
        + sum(v.sum() for v in pipe["scale"].get_params().values())
    )


class Optimizer:
    def __init__(self, lr=0.1, **defaults):
        self.state = defaultdict(dict)
        self.defaults = {"lr": lr, **defaults}

    def step(self, params, grads):
        for name, p in params.items():
            self.update(p, grads[name], self.state[name], **self.defaults)


class Adam(Optimizer):
    def update(self, p, g, st, lr, b1=0.9, b2=0.999, eps=1e-8):
        st.setdefault("m", np.zeros_like(p))
        st.setdefault("v", np.zeros_like(p))
        st["t"] = t = st.get("t", 0) + 1
        st["m"][...] = b1 * st["m"] + (1 - b1) * g
        st["v"] *= b2
        st["v"] += (1 - b2) * g**2
        p -= lr * (st["m"] / (1 - b1**t)) / (np.sqrt(st["v"] / (1 - b2**t)) + eps)


@case(at=(0.7, 1.3, 0.4))
def adam_inside(p):
    params = {"w": p.copy(), "b": np.ones(2) * p[0]}
    opt = Adam(lr=0.05)
    for _ in range(4):
        opt.step(params, {"w": params["w"] ** 2 + 1, "b": params["b"] * p[1]})
    return params["w"].sum() + params["b"] @ [1, 2]


@case(at=(0.7, 1.3, 0.4))
def lstm_cell(p):
    sig = lambda z: 1 / (1 + np.exp(-z))
    h = np.zeros(2)
    c = np.zeros(2)
    W = np.outer(np.arange(1.0, 9) / 10, p)
    outs = []
    for t in range(3):
        z = W @ np.concatenate([[np.sin(t)], h])
        i, f, o, g = np.split(z, 4)
        c = sig(f) * c + sig(i) * np.tanh(g)
        h = sig(o) * np.tanh(c)
        outs.append(h)
    return np.stack(outs).sum(axis=0) @ [1, 2]


@case(at=(0.7, 1.3, 0.4))
def batchnorm_running(p):
    class BN:
        def __init__(self, n):
            self.mu = np.zeros(n)
            self.var = np.ones(n)
            self.momentum = 0.9

        def __call__(self, x):
            m, v = x.mean(0), x.var(0)
            self.mu[:] = self.momentum * self.mu + (1 - self.momentum) * m
            self.var = self.momentum * self.var + (1 - self.momentum) * v
            return (x - m) / np.sqrt(v + 1e-5)

    bn = BN(3)
    X = np.vstack([p, p**2, np.ones(3)])
    y = bn(X)
    y = bn(y * p)
    return y[0].sum() + bn.mu.sum() + bn.var.prod()


@case(at=(0.7, 1.3, 0.4))
def queue_bfs(p):
    graph = {0: {1: p[0], 2: p[1]}, 1: {3: p[2]}, 2: {3: 0.1}, 3: {}}
    dist = dict.fromkeys(graph, math.inf)
    dist[0] = 0.0
    pq = [(0.0, 0)]
    seen = set()
    while pq:
        d, u = heapq.heappop(pq)
        if u in seen:
            continue
        seen.add(u)
        for v, w in graph[u].items():
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(pq, (dist[v], v))
    return dist[3] + dist[2] ** 2


@case(at=(0.7, 1.3, 0.4))
def memo_recursion(p):
    @functools.cache
    def v(t, s):
        return (
            0.0 if t == 3 else max(p[0] * s + 0.9 * v(t + 1, s), p[1] + 0.9 * v(t + 1, s + 1), p[2])
        )

    return v(0, 1)


@case(at=(0.7, 1.3, 0.4))
def exec_namespace(p):
    ns = {"np": np, "x": p}
    exec("def g(v):\n    out = np.zeros(3)\n    out[:] = v**2\n    return out.sum()", ns)
    return ns["g"](p) + eval("np.sin(x).sum()", {"np": np, "x": p})


@case(at=(0.7, 1.3, 0.4))
def views_alias(p):
    A = np.zeros((3, 3))
    d = A.ravel()[::4]
    np.fill_diagonal(A, p)
    B = A.T
    B[0] += 1
    col = A[:, 0]
    col *= 2
    A.flat[5] = p[0]
    A[A > 1] -= 1
    np.einsum("ii->i", A)[:] += p
    return A.sum() + A[1, 2] + d.sum() * 0


@case(at=(0.7, 1.3, 0.4))
def outs_and_wheres(p):
    out = np.ones(3)
    np.multiply(p, 2, out=out)
    np.add(out, p, out, where=p > 0.5)
    r = np.add.reduce(out)
    np.clip(out, 0, 2, out=out)
    buf = np.empty((2, 3))
    np.stack([p, out], out=buf)
    np.matmul(buf, buf.T[:, 0], out=out[:2])
    return r + out.sum() + np.cumsum(p, out=np.empty(3))[1] + np.mean(p, where=p > 0.5)


@case(at=(0.7, 1.3, 0.4))
def try_numpy_errors(p):
    tot = 0.0
    for A in (np.zeros((2, 2)), np.eye(2) * p[0], np.ones((2, 3))):
        try:
            tot += LA.inv(A)[0, 0]
        except LA.LinAlgError as e:
            tot += p[1]
            assert isinstance(e, ValueError) or True
    try:
        p @ np.ones(4)
    except ValueError as e:
        assert "mismatch" in str(e) or e.args
        tot += p[2]
    try:
        p[7]
    except IndexError:
        tot += 1
    try:
        p.reshape(2, 2)
    except ValueError:
        tot *= 2
    try:
        np.concatenate([p, np.ones((2, 2))])
    except ValueError:
        tot += p[0]
    try:
        float(p)
    except TypeError:
        tot += p[1]
    try:
        if p:
            pass
    except ValueError:
        tot += p[2]
    return tot


@case(at=(0.7, 1.3, 0.4))
def errstate_raise(p):
    try:
        with np.errstate(divide="raise", invalid="raise"):
            return np.sum(p / 0.0)
    except FloatingPointError:
        pass
    try:
        with np.errstate(over="raise"):
            np.exp(p * 1e4)
    except FloatingPointError:
        return p.sum() * 2


@case(at=(0.7, 1.3, 0.4))
def random_reparam(p):
    rng = default_rng(1)
    legacy = RandomState(3)
    np.random.seed(5)
    z = rng.normal(p[0], p[1], size=4)
    u = legacy.uniform(0, p[2], 3)
    idx = rng.permutation(3)
    e = rng.exponential(p[1])
    w = np.random.randn(3)
    rng.shuffle(idx)
    return z.mean() + u.sum() + p[idx][0] + e + w @ p + rng.choice(p)


@case(at=(0.7, 1.3, 0.4))
def with_stack(p):
    class Timer(contextlib.ContextDecorator):
        def __enter__(self):
            self.t = time.time()
            return self

        def __exit__(self, *e):
            self.dt = time.time() - self.t
            return False

    @Timer()
    def f(x):
        return np.array([x, x**2]).sum()

    with contextlib.ExitStack() as st, contextlib.suppress(KeyError):
        t = st.enter_context(Timer())
        st.callback(lambda: None)
        v = f(p[0])
        {}["x"]
    return v + f(p[1])


@case(at=(0.7, 1.3, 0.4))
def string_dispatch(p):
    modes = {
        "rect": lambda x: (abs(x) < 1) * 1.0,
        "tri": lambda x: max(1 - abs(x), 0),
        "gauss": lambda x: math.exp(-x * x),
    }

    def smooth(x, mode="gauss", *, h=1.0, normalize=True):
        try:
            k = modes[mode.lower()]
        except KeyError:
            raise ValueError(f"mode must be one of {sorted(modes)}, got {mode!r}") from None
        w = np.array([[k((a - b) / h) for b in x] for a in x])
        w = w / w.sum(1, keepdims=True) if normalize else w
        return w @ x

    try:
        smooth(p, "bad")
    except ValueError as e:
        assert "gauss" in str(e)
    return smooth(p, "Gauss", h=p[0]).sum() + smooth(p, "tri", h=2.0)[0]


@case(at=(0.7, 1.3, 0.4))
def unpacking(p):
    ((a, *rest),) = [p]
    b, c = rest
    x, y, z = np.eye(3) @ p
    d = {"a": a, "b": b}
    f = lambda *a, **k: sum(a) + sum(k.values())
    first, *_, last = p
    m = [[a, b], [b, c]]
    (q, w), (e, r) = m
    return f(*p, **d) + x * y * z + first * last + q * r - w * e


@case(at=(0.7, 1.3, 0.4))
def statistics_random_std(p):
    r = random.Random(2)
    noise = [r.gauss(0, 1) for _ in range(3)]
    vals = [v + n for v, n in zip(p, noise)]
    return (
        statistics.mean(vals)
        + statistics.stdev(vals)
        + statistics.median(p)
        + statistics.fmean(vals, [1.0, 2, 1])
        + max(vals, key=abs)
    )
