"""Closures, decorators, generators, local imports, defaults, recursion."""

import functools
import itertools
import operator
from functools import lru_cache, partial, reduce

import numpy as np
import numpy.linalg as la
from numpy import array, cos, pi, sin, zeros
from numpy.linalg import norm

from . import helpers
from .helpers import STEPS


def local_imports(x):
    import math

    import numpy as onp
    from numpy import exp

    from . import helpers as hh
    from .helpers import check_vector

    out = onp.zeros(3)
    out[0] = math.sin(x[0])
    out[1] = exp(x[1])
    out[2] = hh.weighted(check_vector(x))
    return out.sum()


def closure(x):
    total = zeros(2)

    def add(i, v):
        nonlocal total
        total[i % 2] += v
        total = total * 1.5

    for i, v in enumerate(x):
        add(i, v)
    return total.prod()


def make_adder(k):
    table = np.zeros(3)

    def adder(x):
        table[:] = x * k
        return table.sum()

    return adder


adder = make_adder(3.0)


def module_closure(x):
    return adder(x) * x[0]


def traced(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@traced
def decorated(x):
    y = zeros(3)
    y[:] = x
    return (y * sin(y)).sum()


def calls_decorated(x):
    return decorated(x) + decorated(x * 2)


@functools.cache
def binomial(n, k):
    return 1.0 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@lru_cache
def squared(v):
    return v * v


def memoized(x):
    same = squared(x[0]) * 2 + squared(x[1] - x[1] + x[0])
    return same + sum(binomial(3, k) * x[k % 3] ** k for k in range(4))


def power(base, n, scale=np.ones(3), f=np.cos):
    return (scale * base**n).sum() + f(base).sum()


def defaults(x):
    return power(x, 2) + partial(power, n=3)(x) + partial(power, f=lambda v: v)(x, 1)


def generator(x):
    def pairs(v):
        for i in range(len(v) - 1):
            yield np.array([v[i], v[i + 1]])

    return sum(p.prod() for p in pairs(x)) + reduce(operator.mul, x)


def comprehension(x):
    K = np.array([[np.exp(-abs(a - b)) for a in x] for b in x])
    d = {i: v * i for i, v in enumerate(x)}
    return K.sum() + sum(d.values()) + sum(a * b for a, b in itertools.combinations(x, 2))


def recursive(x):
    def det(M):
        if len(M) == 1:
            return M[0, 0]
        total = 0.0
        for j in range(len(M)):
            minor = np.delete(M[1:], j, axis=1)
            total += (-1) ** j * M[0, j] * det(minor)
        return total

    M = np.eye(3) * 2.0
    M[0] = x
    M[2, 0] = x[1] * x[2]
    return det(M)


def de_casteljau(x):
    t = 0.3
    b = [x[i : i + 2] for i in range(len(x) - 1)]
    while len(b) > 1:
        b = [(1 - t) * b[i] + t * b[i + 1] for i in range(len(b) - 1)]
    return norm(b[0]) + la.norm(x, 1)


def composed(x):
    for f in STEPS:
        x = f(x)
    for name in ("tanh", "relu", "soft"):
        x = helpers.ACTIVATIONS[name](x)
    return x.sum()


def vectorized(x):
    @np.vectorize
    def f(v, k):
        return v**2 if v > k else -v

    g = np.vectorize(lambda v: math_like(v))
    return f(x, 0.5).sum() + g(x).sum()


def math_like(v):
    return cos(v) * pi


def unpacked(x):
    a, b, c = x
    (d, *rest) = array([a * b, b * c, c * a])
    return d + sum(rest) * a


def random_constant(x):
    rng = np.random.default_rng(3)
    noise = rng.normal(0.0, 1.0, 3)
    np.random.seed(1)
    draw = np.random.randn(3) + np.random.uniform(0, 1)
    return (x * noise).sum() + (draw * x**2).sum()


def reparameterised(x):
    rng = np.random.default_rng(5)
    return rng.normal(x[0], np.abs(x[1]), size=4).sum() + rng.uniform(x[0], x[2] + 5)


def by_name(x):
    f = np.sinh
    g = helpers.weighted
    return f(x).sum() + g(x) + globals()["math_like"](x[0])


def dtypes(x):
    a = np.zeros(3, dtype=x.dtype)
    a += x.astype(np.float64)
    b = np.asarray(x, dtype=float)
    c = np.array(x, dtype="f8", copy=True, ndmin=2)
    assert a.dtype == np.float64 and np.dtype(np.float64) == b.dtype
    assert np.issubdtype(c.dtype, np.floating) and isinstance(a, np.ndarray)
    return (a * b).sum() + np.float64(c[0, 1]) * np.finfo(np.float64).max ** 0


def ufunc_methods(x):
    a = np.add.reduce(x) + np.multiply.outer(x, x).sum() + np.maximum.accumulate(x)[-1]
    t = np.zeros(3)
    np.add.at(t, [0, 0, 2], x)
    return a + (t**2).sum()


def with_states(x):
    state = {"x": np.zeros(3), "log": []}

    def step(s, v):
        s["x"][0] += v
        s["x"] = np.roll(s["x"], 1)
        s["log"].append(s["x"].sum())

    for v in x:
        step(state, v)
    return sum(state["log"]) + (state["x"] * np.arange(3)).sum()


def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.sqrt(x), 0.0) / np.where(x == 0, np.nan, x)
    return np.nansum(y)


@functools.singledispatch
def doubled(v):
    raise TypeError(type(v))


@doubled.register(np.ndarray)
def _(v):
    out = np.zeros(len(v))
    out[:] = v
    return out * 2


@doubled.register(float)
def _(v):
    return v * 3


def dispatched(x):
    return doubled(x).sum() + doubled(x[0])


def sequences(x):
    from collections import defaultdict, deque

    last = deque(maxlen=2)
    for v in x:
        last.append(np.array([v, v]))
    sums = defaultdict(lambda: np.zeros(2))
    sums["a"][0] += x[0]
    sums["b"][1] += x[1]
    return np.mean(last) + np.sum(list(last)) + sum((v**2).sum() for v in sums.values())


def matched(x):
    total = 0.0
    for v in x:
        match v:
            case float():
                total += v * 2
            case _:
                total = np.nan
    match tuple(x):
        case (a, b, c):
            total += a * b + c
    return total


def items(x):
    return x[0].item() ** 2 + x.item(1) + sum(v * v for v in x.tolist()) + x[2:].item()
