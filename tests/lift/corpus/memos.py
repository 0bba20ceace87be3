"""Caches of the user's own, filled by plain calls or by earlier derivatives."""
# Written as people write.
# ruff: noqa: B006

import hashlib
import types
import zlib

import numpy as np

from .cases import table

CASES, case = table()


class Table(dict):
    def __init__(self, f):
        self.f = f

    def __missing__(self, key):
        value = self[key] = self.f(key)
        return value


CUBES = Table(lambda k: k**3)


@case
def missing(x):
    return CUBES[x[0]] + CUBES[x[1]] * x[2]


class Objects:
    def __init__(self):
        self.by_bytes = {}
        self.by_tuple = {}
        self.by_hash = {}
        self.by_digest = {}


OBJECTS = Objects()


@case
def by_bytes(x):
    key = x.tobytes()
    if key not in OBJECTS.by_bytes:
        OBJECTS.by_bytes[key] = np.exp(x)
    return (OBJECTS.by_bytes[key] * x).sum()


@case
def by_tuple(x):
    key = ("loss", tuple(x))
    if key not in OBJECTS.by_tuple:
        OBJECTS.by_tuple[key] = (x**2).sum(), x[0]
    return OBJECTS.by_tuple[key][0] * 2 + OBJECTS.by_tuple[key][1]


@case
def by_hash(x):
    key = hash(x.tobytes())
    try:
        return OBJECTS.by_hash[key]
    except KeyError:
        value = OBJECTS.by_hash[key] = (x**3).sum()
    return value


@case
def by_digest(x):
    key = hashlib.sha1(x.tobytes()).hexdigest()
    if key not in OBJECTS.by_digest:
        OBJECTS.by_digest[key] = np.exp(x).sum()
    return OBJECTS.by_digest[key]


@case
def by_digest_of_the_array(x, known={}):
    key = hashlib.md5(np.ascontiguousarray(x)).digest()
    if key not in known:
        known[key] = np.exp(x).sum() * (zlib.crc32(x) > 0)
    return known[key]


@case
def by_text(x, known={}):
    key = str(x)
    if key not in known:
        known[key] = (x**2).sum()
    return known[key]


@case
def by_text_of_a_list(x, known={}):
    key = repr(x.tolist())
    if key not in known:
        known[key] = (x**2).sum()
    return known[key]


@case
def by_rounded_text(x, known={}):
    key = "_".join(f"{v:.6f}" for v in x)
    if key not in known:
        known[key] = (x**2).sum()
    return known[key]


@case
def by_rounded_numbers(x, known={}):
    key = tuple(map(float, np.round(x, 6)))
    if key not in known:
        known[key] = (x**2).sum()
    return known[key] * x[0]


def memoized(f):
    known = {}

    def g(*args):
        key = tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in args)
        if key not in known:
            known[key] = f(*args)
        return known[key]

    return g


@memoized
def exp(x):
    return np.exp(x)


@memoized
def cubed(v):
    return v**3


@case
def decorated(x):
    return exp(x).sum() + cubed(x[0]) * cubed(2.0)


def counted(x):
    if not hasattr(counted, "known"):
        counted.known = {}
    key = x.tobytes()
    if key not in counted.known:
        counted.known[key] = x * 3
    return counted.known[key].sum()


@case
def on_a_function(x):
    return counted(x)


class Problem:
    def __init__(self):
        self.x = None
        self.calls = 0

    def update(self, x):
        if self.x is not None and np.array_equal(self.x, x):
            return
        self.x = np.copy(x)
        self.residual = np.sin(x) - 0.1
        self.calls += 1

    def loss(self, x):
        self.update(x)
        return 0.5 * self.residual @ self.residual + 0.1 * x @ x


PROBLEM = Problem()


@case
def last_argument(x):
    return PROBLEM.loss(x)


class Memoize:
    def __init__(self, f):
        self.f = f
        self._value = None
        self.x = None

    def __call__(self, x):
        if not np.all(x == self.x) or self._value is None:
            self.x = np.asarray(x).copy()
            self._value = self.f(x)
        return self._value


SUM_OF_CUBES = Memoize(lambda x: (x**3).sum())


@case
def last_argument_of_a_callable(x):
    return SUM_OF_CUBES(x)


SHELF = types.SimpleNamespace(last=None, value=None)


@case
def last_argument_in_a_namespace(x):
    if SHELF.last is None or (SHELF.last != x).any():
        SHELF.last = x.copy()
        SHELF.value = np.sin(x)
    return (SHELF.value * x).sum()


def of_last_call(f):
    last = value = None

    def g(x):
        nonlocal last, value
        if last is None or not np.array_equal(last, x):
            last, value = x.copy(), f(x)
        return value

    return g


@of_last_call
def of_last(x):
    return np.sin(x)


@case
def last_argument_in_a_closure(x):
    return (of_last(x) * x).sum()


LATEST = None
PAIR = [None, None]


@case
def last_argument_in_a_global(x):
    global LATEST
    if LATEST is None or not np.allclose(LATEST[0], x, rtol=0, atol=0):
        LATEST = (x.copy(), np.cos(x).sum())
    return LATEST[1]


@case
def last_argument_in_a_list(x):
    if PAIR[0] is None or not np.all(PAIR[0] == x):
        PAIR[0] = np.array(x)
        PAIR[1] = np.cos(x)
    return PAIR[1].sum()


@case
def all_arguments_in_a_list(x, known=[]):
    for argument, value in known:
        if np.array_equal(argument, x):
            return value
    known.append((x.copy(), (x**2).sum()))
    return known[-1][1]
