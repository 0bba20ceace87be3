"""math, float, isinstance, branches, loops on single numbers."""

import cmath
import math
from math import atan2, exp, pi, sqrt

import numpy as np

from . import helpers as h


def distance(x):
    dx = x[0] - 1.0
    dy = x[1] + 2.0
    return math.sqrt(dx * dx + dy * dy) + math.hypot(dx, dy) * atan2(dy, dx)


def haversine(x):
    p1, p2 = math.radians(x[0]), math.radians(x[1])
    a = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * sqrt(abs(x[2]))
    return 2 * math.asin(math.sqrt(min(1.0, a)))


def black_scholes(x):
    s, k, t = x
    d1 = (math.log(s / k) + 0.05 * t) / (0.2 * sqrt(t))
    cdf = lambda v: 0.5 * (1.0 + math.erf(v / math.sqrt(2.0)))
    return s * cdf(d1) - k * exp(-0.05 * t) * cdf(d1 - 0.2 * sqrt(t))


def as_float(x):
    total = 0.0
    for v in x:
        total += float(v) ** 3
    return float(np.float64(total))


def typed(x):
    v = x[0]
    if isinstance(v, float):
        y = v * 2
    elif isinstance(v, (int, np.integer)):
        y = 0.0
    else:
        y = np.nan
    if type(v) is float or isinstance(v, (np.floating, float)):
        y += x[1]
    if not np.isscalar(v):
        y = np.nan
    return y * x[2]


def overloaded(x):
    def g(a):
        if isinstance(a, np.ndarray):
            return np.array([g(v) for v in a])
        return a * a

    return g(x).sum()


def piecewise(x):
    total = 0.0
    for v in x:
        if v > 1:
            total += v**2
        elif v > 0:
            total += math.exp(v)
        else:
            total -= v
    return total


def newton(x):
    a = x[0]
    y = 1.0
    while abs(y * y - a) > 1e-13:
        y = 0.5 * (y + a / y)
    return y * x[1] + x[2]


def bisection(x):
    def f(u):
        return u**3 - x[0]

    y = 1.5
    for _ in range(40):
        y = y - f(y) / (3 * y**2)
    return y * x[1]


def rebinding(x):
    v = x[2]
    w = v
    v += 1.0
    v *= 2
    return v * w + x[2]


def builtin_functions(x):
    return sum(x) * max(x) + min(x[0], x[1]) + abs(x[2]) + pow(x[0], 2) + round(x[1]) * x[0]


def complex_inside(x):
    z = complex(x[0], x[1])
    w = cmath.exp(z) * np.exp(1j * x[2])
    return w.real + abs(w) + w.imag**2


def formatted(x):
    y = x.sum()
    text = f"{y:.3f} {x[0]} {y!s}"
    return y * len(text[:1])


def tried(x):
    try:
        y = math.sqrt(-x[0])
    except ValueError:
        y = math.sqrt(x[0])
    try:
        x.name = "x"
    except AttributeError:
        y += x[1]
    return y


def gravity(x):
    return 0.5 * h.GRAVITY * x[0] ** 2 + pi * h.weighted(x) + h.counted(x).sum()


def indices(x):
    i = int(np.floor(x[0]))
    table = np.array([0.0, 1.0, 4.0, 9.0])
    f = x[0] - i
    return table[i] * (1 - f) + table[i + 1] * f + x[np.argmax(x)]


def sums(x):
    return math.fsum(x) + math.prod(x) + math.dist(x[:2], x[1:])


def loop_until(x):
    n, total, term = 0, 0.0, 1.0
    while abs(term) > 1e-12 and n < 200:
        total += term
        n += 1
        term *= x[0] / n
    return total * x[1]
