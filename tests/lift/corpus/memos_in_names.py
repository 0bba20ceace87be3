"""Memos of the last call in globals, classes, functions and closures, by bytes or a copy."""
# Written as people write.

import numpy as np

from .cases import table

CASES, case = table()


LAST_KEY = LAST_VALUE = None


@case
def in_globals(x):
    global LAST_KEY, LAST_VALUE
    if x.tobytes() != LAST_KEY:
        LAST_KEY = x.tobytes()
        LAST_VALUE = np.sum(x**2)
    return LAST_VALUE


@case
def in_globals_in_part(x):
    return in_globals(x) * x[0]


class Shared:
    last = None
    key = None

    def by_a_copy(self, x):
        if Shared.last is None or not np.array_equal(Shared.last, x):
            Shared.last = x.copy()
            Shared.value = np.sum(x**2)
        return Shared.value

    @classmethod
    def by_bytes(cls, x):
        if cls.key != x.tobytes():
            cls.key = x.tobytes()
            cls.sum = np.sum(x**2)
            cls.cubes = x**3
        return cls.sum * x[1] + cls.cubes.sum()


SHARED = Shared()


@case
def in_a_class(x):
    return SHARED.by_a_copy(x)


@case
def in_a_class_in_part(x):
    return SHARED.by_a_copy(x) * x[0] + x[1]


@case
def by_a_class_method(x):
    return Shared.by_bytes(x)


@case
def in_a_function(x):
    f = in_a_function
    if getattr(f, "key", None) != x.tobytes():
        f.key = x.tobytes()
        f.value = np.sum(x**2)
    return f.value


@case
def in_a_function_in_part(x):
    return in_a_function(x) * x[0]


def remembering():
    key = value = None

    def f(x):
        nonlocal key, value
        if key != x.tobytes():
            key = x.tobytes()
            value = np.sum(x**2)
        return value + x[0]

    return f


remembered = remembering()


@case
def in_a_closure(x):
    return remembered(x)


class Lazy:
    def __init__(self, x):
        self.x = x
        self.last = None

    @property
    def key(self):
        raise ValueError("a property that nobody asked for")

    @key.setter
    def key(self, value):
        self.last = value


LAZY = Lazy(np.array([1.0, 2.0]))


def setting_a_property(x):
    LAZY.key = x[0]
    return np.sum(LAZY.x[0] * x**2)
