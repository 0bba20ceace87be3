"""Idioms of scripts, exercise solutions and small projects, as published."""

import math
import warnings
from collections import deque, namedtuple

import numpy as np

from .cases import table_with_points

CASES, case = table_with_points()


def __resampled(values, step):
    """A function of the module whose name begins with two underscores, and is not mangled."""
    grid = np.arange(0.0, len(values) - 1, step)
    return np.interp(grid, np.arange(len(values)), values)


__SCALE = 2.5


@case()
def names_with_two_underscores(p):
    return np.sum(__resampled(p, 0.5) ** 2) * __SCALE


@case()
def patches_by_indices(p):
    height = 4
    out = (height - 2) / 1 + 1  # a float, as integer divisions of older Python left it
    row = np.repeat(np.arange(3, dtype="int32"), 2)
    column = np.repeat(np.arange(out, dtype="int32"), out)
    return np.sum(p[row % 3]) * np.sum(p[column.astype(int) % 3] ** 2)


@case()
def tiles_by_matlib(p):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        import numpy.matlib  # noqa: F401 - its name is used below
        from numpy.matlib import repmat

    weights = np.arange(18.0).reshape(3, 6)
    return np.sum(np.matlib.repmat(p, 3, 2) * weights) + np.sum(repmat(p[1], 1, 4) ** 2)


@case()
def correlated_draws(p):
    cov = [[p[0], p[1] / 4], [p[1] / 4, p[2]]]
    np.random.seed(1)
    paths = np.cumsum(np.random.multivariate_normal([0.0, p[0]], cov, 5), axis=0)
    other = np.random.default_rng(2).multivariate_normal(np.zeros(3), np.diag(p), method="cholesky")
    return np.sum(paths * np.arange(10.0).reshape(5, 2)) + np.sum(other**2)


@case()
def rolls_by_a_half(p):
    shift = len(p) / 2
    return np.sum(np.roll(p, shift) * np.arange(3.0)) + np.sum(np.roll(p, [1.0], axis=[0]) * p)


@case()
def repeats_by_a_list(p):
    return np.sum(np.repeat(p, [1.0, 2.0, True]) ** 2) + np.sum(p.repeat(2.0))


@case()
def rounds_noise_away(p):
    times = np.round(np.cumsum(p), 10)
    t = round(p[0] * 3, 9)
    return np.interp(t, times, p**2) + times[-1] * np.around(p, decimals=12).sum()


@case()
def swapped_rows(p):
    A = np.outer(p, np.arange(1.0, 4.0)) + np.eye(3)
    A[[0, 1]] = A[[1, 0]]
    A[:, [0, 2]] = A[:, [2, 0]]
    return np.sum(A * np.arange(9.0).reshape(3, 3))


@case((0.7, 1.3, 0.4, 0.9, 0.2, 1.1))
def means_of_windows_in_place(p, width=3):
    running = np.add.accumulate(p)
    running[width:] -= running[:-width]  # the two overlap
    means = running[width - 1 :] / width
    return np.sum(means**2)


@case((0.7, 1.3, 0.4, 0.9, 0.2, 1.1))
def rolling_by_strides(p):
    view = np.lib.stride_tricks.as_strided(p, shape=(4, 3), strides=(p.strides[0], p.strides[0]))
    return np.sum(view.max(axis=1) * view.mean(axis=1))


Disc = namedtuple("Disc", "center, radius")


@case()
def disc_through_two_points(p):
    (ax, ay), (bx, by) = a, b = (p[0], 0.1), (0.2, p[1])
    radius = 2.0 + p[2]
    chord = math.dist(a, b)
    if chord > 2.0 * radius:
        raise ValueError("the points are too far apart")
    away = math.sqrt(radius**2 - (chord / 2) ** 2) / chord
    center = (ax + bx) / 2 + away * (ay - by), (ay + by) / 2 + away * (bx - ax)
    disc = Disc(center=center, radius=abs(radius))
    return math.prod(disc.center) + disc.radius


@case((0.7, 1.3, 0.4, 0.9, 0.2, 1.1))
def averages_of_a_stream(p):
    def averager(period):
        total = 0.0
        values = deque([0.0] * period)

        def add(x):
            nonlocal total
            values.append(x)
            total += x - values.popleft()
            return total / period

        return add

    add = averager(3)
    return sum(add(v) ** 2 for v in p)


class Quantity:
    """A value with an error, which computes."""

    def __init__(self, value, err=0.0):
        self.value, self.err = float(value), abs(float(err))

    def __mul__(self, other):
        other = other if isinstance(other, Quantity) else Quantity(other)
        value = self.value * other.value
        relative = (self.err / self.value) ** 2 + (other.err / other.value) ** 2
        return Quantity(value, abs(value) * relative**0.5)

    def __pow__(self, p):
        return Quantity(self.value**p, abs(p * self.value ** (p - 1) * self.err))

    def __str__(self):
        return f"{self.value:g}±{self.err:g}"


@case()
def errors_that_propagate(p):
    q = (Quantity(p[0], 0.1) * Quantity(p[1], p[2])) ** 2 * 3
    assert "±" in str(q)
    return q.value + q.err
