"""Geometry, configurations, decorators, generators and text as in published programs."""
# Written as people write.
# ruff: noqa: B905, C408, C416, RET504, RUF007, RUF059, UP031

import enum
import itertools
import logging
import math
import operator
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps

import numpy as np

from .cases import table_with_points

logger = logging.getLogger(__name__)


CASES, case = table_with_points()


@case(at=(0.0, 0.0, 4.0, 0.2, 3.0, 3.0, 0.5, 2.0))
def polygon(flat):
    pts = flat.reshape(-1, 2)
    x, y = pts.T
    area = 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
    per = sum(np.linalg.norm(pts[i] - pts[(i + 1) % len(pts)]) for i in range(len(pts)))
    cx = np.sum((x + np.roll(x, -1)) * (x * np.roll(y, -1) - np.roll(x, -1) * y)) / (6 * area)
    return area / per**2 + cx


@case(at=(0.2, 0.1, 1.0, 0.3, 0.4, 0.9))
def ray_triangle(v):
    o, d = v[:3] * 0.1, v[3:] / np.linalg.norm(v[3:])
    a, b, c = map(np.array, ([-1.0, -1, 2], [2.0, -1, 2], [0.0, 2, 2.5]))
    e1, e2 = b - a, c - a
    h = np.cross(d, e2)
    det = e1.dot(h)
    if -1e-9 < det < 1e-9:
        return 0.0
    s = o - a
    u = s.dot(h) / det
    if not 0 <= u <= 1:
        return 0.0
    q = np.cross(s, e1)
    t = e2.dot(q) / det
    return t


@case(at=(0.3, 0.4))
def bezier_length(p):
    ctrl = [np.array([0.0, 0]), np.array([p[0], 1.0]), np.array([1.0, p[1]]), np.array([1.0, 0])]

    def casteljau(pts, t):
        return (
            pts[0]
            if len(pts) == 1
            else casteljau([(1 - t) * a + t * b for a, b in zip(pts[:-1], pts[1:])], t)
        )

    pts = [casteljau(ctrl, t) for t in np.linspace(0, 1, 9)]
    return sum(math.dist(a, b) for a, b in zip(pts, pts[1:]))


class Activation(enum.Enum):
    TANH = "tanh"
    SOFTPLUS = "softplus"

    def __call__(self, x):
        if self is Activation.TANH:
            return np.tanh(x)
        return np.array([math.log1p(math.exp(v)) for v in x])


@dataclass(frozen=True)
class TrainConfig:
    lr: float = 0.1
    steps: int = 5
    act: Activation = Activation.TANH
    reg: dict[str, float] = field(default_factory=lambda: {"l2": 0.01})

    def with_(self, **kw):
        return type(self)(**{**self.__dict__, **kw})


REGISTRY: dict[str, Callable] = {}


def register(name):
    def deco(f):
        REGISTRY[name] = f
        return f

    return deco


@register("mse")
def mse(a, b):
    return np.mean((a - b) ** 2)


@register("huber")
def huber(a, b, delta=1.0):
    e = np.abs(a - b)
    q = np.minimum(e, delta)
    return np.mean(0.5 * q**2 + delta * (e - q))


@case(at=(0.5, -0.3))
def train_loop(w0):
    cfg = TrainConfig().with_(act=Activation.SOFTPLUS, lr=0.05)
    X = np.array([0.1, 0.5, 0.9])
    Y = X**2
    w = w0.copy()
    log_: dict[str, list[float]] = defaultdict(list)
    for step in range(cfg.steps):
        pred = cfg.act(w[0] * X + w[1])
        err = pred - Y
        sig = 1 / (1 + np.exp(-(w[0] * X + w[1])))
        grad = (
            np.array([np.mean(2 * err * sig * X), np.mean(2 * err * sig)]) + 2 * cfg.reg["l2"] * w
        )
        w -= cfg.lr * grad
        log_["loss"].append(REGISTRY["huber"](pred, Y))
        if step and log_["loss"][-1] > 10 * log_["loss"][0]:
            raise RuntimeError("diverged")
    return log_["loss"][-1] + REGISTRY["mse"](cfg.act(w[0] * X + w[1]), Y)


def timed(f):
    @wraps(f)
    def inner(*a, **k):
        t0 = time.perf_counter()
        try:
            return f(*a, **k)
        finally:
            inner.elapsed = time.perf_counter() - t0
            inner.calls = getattr(inner, "calls", 0) + 1

    return inner


def memoize(f):
    cache = {}

    @wraps(f)
    def inner(*a):
        if a not in cache:
            cache[a] = f(*a)
        return cache[a]

    return inner


def validate(**specs):
    def deco(f):
        @wraps(f)
        def inner(x, *a, **k):
            x = np.asarray(x, dtype=float)
            if "ndim" in specs and x.ndim != specs["ndim"]:
                raise ValueError(f"{f.__name__}: expected {specs['ndim']}-d, got {x.ndim}-d")
            if specs.get("finite") and not np.isfinite(x).all():
                raise ValueError("non-finite")
            return f(x, *a, **k)

        return inner

    return deco


@memoize
def binom(n, k):
    return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)


@timed
@validate(ndim=1, finite=True)
def bernstein(c, t=0.3):
    n = len(c) - 1
    return sum(binom(n, i) * t**i * (1 - t) ** (n - i) * c[i] for i in range(n + 1))


@case(at=(0.5, -0.3, 1.0))
def decorated_stack(c):
    v = bernstein(c)
    assert bernstein.calls >= 1 and bernstein.elapsed >= 0
    return v + bernstein(list(c), t=0.6)


@case(at=(0.5, 2.0))
def generators(p):
    def windows(seq, n):
        it = iter(seq)
        win = deque(itertools.islice(it, n), maxlen=n)
        if len(win) == n:
            yield tuple(win)
        for e in it:
            win.append(e)
            yield tuple(win)

    def powers():
        k = 0
        while True:
            yield p[0] ** k * p[1]
            k += 1

    return sum(np.prod(w) for w in windows(itertools.islice(powers(), 6), 3)) + max(
        itertools.accumulate(itertools.islice(powers(), 4), operator.sub)
    )


@case(at=(0.5, 2.0))
def coroutine_average(p):
    def averager():
        total, n, avg = 0.0, 0, None
        while True:
            v = yield avg
            total += v
            n += 1
            avg = total / n

    g = averager()
    next(g)
    out = [g.send(v) for v in (p[0], p[1], p[0] * p[1])]
    g.close()
    return out[-1] * out[1]


@case(at=(0.5, 2.0, 1.0))
def vectorized(p):
    f = np.vectorize(lambda a, b: math.erf(a) * b if a > 0.6 else a - b)
    g = np.apply_along_axis(lambda r: np.sort(r)[::-1].cumsum(), 1, np.outer(p, [1.0, 3.0, 2.0]))
    h = np.frompyfunc if False else np.fromiter((v * 2 for v in p), dtype=float, count=3)
    return f(p, p[::-1]).sum() + g[:, 1].sum() + h[0]


@case(at=(0.5, 2.0, 1.0))
def masked_updates(p):
    x = np.linspace(-1, 1, 5) * p[0]
    y = np.full(x.shape, np.nan)
    m = x < 0
    y[m] = p[1] * np.exp(x[m])
    y[~m] = p[2] * np.log1p(x[~m])
    y[np.isnan(y)] = 0
    idx = np.flatnonzero(m)
    np.add.at(y, idx, p[0])
    y[idx[0]] *= 2
    return y.sum() + np.compress(m, y)[0] + y[np.argmax(y)]


COUNTER = {"calls": 0}
_last = None


@case(at=(0.5, 2.0))
def global_state(p):
    global _last
    COUNTER["calls"] += 1
    prev = _last
    _last = float(p[0])
    if prev is not None and abs(prev - _last) > 1e3:
        raise RuntimeError
    return _last * p[1]


def integrate_simpson(f, a, b, n=20, *, weight=None, **kw):
    x = np.linspace(a, b, n + 1)
    y = np.array([f(xi, **kw) for xi in x])
    if weight is not None:
        y = y * weight(x)
    return (b - a) / n / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


@case(at=(0.5, 2.0))
def kwargs_forwarding(p):
    opts = dict(k=p[0], shift=0.1)
    return integrate_simpson(
        lambda x, k, shift=0: math.exp(-k * x**2) + shift, 0, p[1], weight=lambda x: 1 + x, **opts
    )


@case(at=(0.5, 2.0, 0.3))
def linked_recursion(p):
    class Node:
        __slots__ = ("value", "children", "parent")

        def __init__(self, value, parent=None):
            self.value, self.children, self.parent = value, [], parent
            parent and parent.children.append(self)

        def __iter__(self):
            yield self
            for c in self.children:
                yield from c

        def __bool__(self):
            return True

        def depth(self):
            return 0 if self.parent is None else 1 + self.parent.depth()

    root = Node(p[0])
    a = Node(p[1], root)
    Node(p[2], a)
    Node(p[0] * p[1], root)
    return sum(n.value / (1 + n.depth()) ** 2 for n in root)


@case(at=(0.5, 2.0, 0.3))
def units_and_constants(p):
    class Q(float):
        unit = "m"

        def to(self, k):
            return self * k

    consts = {"c": Q(2.0), "h": Q(3.0)}
    table = np.array([(k, v) for k, v in consts.items()], dtype=object)
    return sum(v.to(p[i]) for i, (k, v) in enumerate(consts.items())) + p[2] * float(table[0, 1])


@case(at=(0.2, 0.5, 0.9))
def text_reports(p):
    rows = [f"{n:>10} {v:8.3f}" for n, v in zip("abc", p)]
    rep = "\n".join(rows + ["%s: %5.2f%%" % ("sum", 100 * p.sum())])
    logger.info(rep)
    logger.debug("%r", p)
    best = max(enumerate(p), key=lambda kv: kv[1])
    s = str(best[0]) + repr(p.round(2).tolist())
    assert len(rep.splitlines()) == 4 and s
    return best[1] * p[0]


@case(at=(0.21, 0.52, 0.93))
def sorted_ranks(p):
    order = sorted(range(3), key=lambda i: (-p[i], i))
    ranks = np.empty(3, int)
    ranks[order] = np.arange(3)
    q = p[np.argsort(p)][::-1]
    gini = np.sum((2 * np.arange(1, 4) - 4) * np.sort(p)) / (3 * p.sum())
    uniq, inv_ = np.unique(np.round(p, 1), return_inverse=True)
    return (
        q @ ranks
        + gini
        + np.bincount(inv_.ravel(), weights=p)[0]
        + np.histogram(p, bins=2, range=(0, 1), weights=p)[0][1]
    )


@case(at=(0.2, 0.5, 0.9))
def swap_rows_lu(p):
    A = np.array([[p[0], 2.0, 1], [1, p[1], 3], [2, 1, p[2]]])
    n = 3
    A = A.astype(float)
    det = 1.0
    for k in range(n):
        piv = k + np.argmax(np.abs(A[k:, k]))
        if piv != k:
            A[[k, piv]] = A[[piv, k]]
            det = -det
        det *= A[k, k]
        for i in range(k + 1, n):
            A[i, k:] -= A[i, k] / A[k, k] * A[k, k:]
    return det


@case(at=(0.2, 0.5, 0.9))
def power_iteration(p):
    A = np.diag(p) + np.ones((3, 3))
    v = np.ones(3)
    lam = 0.0
    while True:
        w = A.dot(v)
        new = np.linalg.norm(w)
        v = w / new
        if np.isclose(new, lam, rtol=1e-13, atol=0):
            break
        lam = new
    return lam + v[0]
