"""Functions of Python's standard library on numbers that carry gradients."""
# Written as people write.
# ruff: noqa: B905, C405, C416, E741, RUF007, RUF015, RUF059, UP031

import array
import bisect
import cmath
import collections
import contextlib
import copy
import functools
import heapq
import io
import itertools
import json
import logging
import math
import operator
import pickle
import random
import statistics
import time
from decimal import Decimal
from fractions import Fraction
from operator import itemgetter
from statistics import NormalDist, mean, stdev

import numpy as np

from .cases import table

CASES, case = table()


log = logging.getLogger("x")


@case
def st_mean(x):
    return statistics.mean(x) * 2


@case
def st_mean_list(x):
    return statistics.mean([float(v) for v in x]) * 2


@case
def st_fmean(x):
    return statistics.fmean(x) * 2


@case
def st_fmean_w(x):
    return statistics.fmean(x, weights=[1.0, 2.0, 3.0])


@case
def st_stdev(x):
    return statistics.stdev(x)


@case
def st_var(x):
    return statistics.variance(x) + statistics.pvariance(x)


@case
def st_pstdev(x):
    return statistics.pstdev([v for v in x])


@case
def st_median(x):
    return statistics.median(x) + statistics.median_low(x) + statistics.median_high(list(x))


@case
def st_geo(x):
    return statistics.geometric_mean(x)


@case
def st_harm(x):
    return statistics.harmonic_mean(x)


@case
def st_corr(x):
    return statistics.correlation(x, [1.0, 2.0, 4.0])


@case
def st_cov(x):
    return statistics.covariance(x, [1.0, 2.0, 4.0])


@case
def st_linreg(x):
    s = statistics.linear_regression([1.0, 2.0, 4.0], x)
    return s.slope + 2 * s.intercept


@case
def st_quant(x):
    return sum(statistics.quantiles(x, n=3))


@case
def st_normaldist(x):
    return NormalDist(float(x[0]), float(x[1])).pdf(0.3)


@case
def st_normaldist_cdf(x):
    return NormalDist(x[0], x[1]).cdf(float(x[2]))


@case
def st_from(x):
    return mean(x) + stdev(list(x))


@case
def b_sum(x):
    return sum(x) + sum(v * v for v in x) + sum([x, x], start=np.zeros(3))[0]


@case
def b_max(x):
    return (
        max(x) * 2
        + max(x, key=lambda v: -v)
        + max(x[0], x[1], 0.5)
        + max([], default=x[0])
        + max(0.0, x[1])
    )


@case
def b_min(x):
    return min(x) * 2 + min(enumerate(x), key=lambda p: p[1])[1] + min(float(x[0]), 3)


@case
def b_sorted(x):
    s = sorted(x)
    t = sorted(x, key=lambda v: -v, reverse=True)
    u = sorted(zip(x, "abc"), key=itemgetter(0))
    return s[0] * 1 + s[1] * 2 + s[2] * 3 + t[0] + u[0][0]


@case
def b_list_sort(x):
    l = list(x)
    l.sort()
    return l[0] * 1 + l[1] * 2 + l[2] * 3


@case
def b_reduce(x):
    return functools.reduce(lambda a, b: a * b + 1, x, 1.0) + functools.reduce(operator.mul, x)


@case
def b_accumulate(x):
    return (
        sum(itertools.accumulate(x))
        + list(itertools.accumulate(x, operator.mul))[-1]
        + list(itertools.accumulate(x, max, initial=0.0))[-1]
    )


@case
def b_accumulate2(x):
    return np.array(list(itertools.accumulate(x)))[1]


@case
def m_fsum(x):
    return math.fsum(x) + math.fsum(v**2 for v in x)


@case
def m_prod(x):
    both = math.prod([x, 2.0])  # of an array it is an array
    assert isinstance(both, np.ndarray)
    return math.prod(x) + math.prod([x[0], 2], start=x[1]) + both.sum()


@case
def m_hypot(x):
    return math.hypot(*x) + math.hypot(x[0], 1.0)


@case
def m_dist(x):
    return math.dist(x, [0.0, 1.0, 2.0]) + math.dist((x[0], x[1]), (x[2], 0))


@case
def m_sumprod(x):
    return math.sumprod(x, [1.0, 2.0, 3.0]) if hasattr(math, "sumprod") else x.sum()


@case
def b_divmod(x):
    q, r = divmod(x[1] * 7, 2.0)
    a, b = divmod(float(x[1]) * 5, x[0])
    return r + q * x[0] + b


@case
def b_round(x):
    return round(x[0], 1) * x[1] + round(x[1]) * x[2] + round(float(x[0])) * x[0]


@case
def b_abs(x):
    return abs(x[0] - 2) + abs(float(x[1]) - 3) + sum(map(abs, x - 1))


@case
def b_pow(x):
    return pow(x[0], 2) + pow(2, x[1]) + pow(float(x[0]), -0.5) + pow(x, 2).sum()


@case
def b_int(x):
    return int(x[1]) * x[0] + int(float(x[1] * 3)) * x[0] + [1, 2, 3][int(x[1])] * x[2]


@case
def b_bool(x):
    return x[0] * 2 if bool(x[0]) and x[0] and x[1] else x[0] * 100


@case
def b_complex(x):
    z = complex(x[0], x[1])
    return abs(z) + z.real + z.imag * 2 + (z * z.conjugate()).real + complex(x[0]).real


@case
def b_any_all(x):
    return x[0] * 2 if all(x > 0) and any(x > 1) and all(v > 0 for v in x) else x[0] * 100


@case
def b_zip(x):
    return (
        sum(a * b for a, b in zip(x, x[1:]))
        + sum(map(lambda a, b: a * b, x, x))
        + sum(filter(lambda v: v > 0.5, x))
        + sum(i * v for i, v in enumerate(x))
        + next(iter(x))
        + list(reversed(x))[0]
    )


@case
def it_stuff(x):
    return (
        sum(a * b for a, b in itertools.combinations(x, 2))
        + sum(a * b for a, b in itertools.product(x, repeat=2))
        + sum(itertools.chain(x, [x[0]]))
        + sum(itertools.islice(x, 2))
        + sum(a * b for a, b in itertools.pairwise(x))
        + sum(map(operator.mul, x, x))
    )


@case
def op_stuff(x):
    return (
        operator.add(x[0], x[1])
        + operator.itemgetter(0)(x)
        + operator.attrgetter("T")(x)[1]
        + operator.mul(x[0], 2)
        + operator.truediv(1, x[0])
        + operator.neg(x[1])
        + operator.pow(x[0], x[1])
        + operator.matmul(x, x)
        + operator.methodcaller("sum")(x)
        + operator.getitem(x, 1)
        + operator.iadd(x[0], 2)
        + operator.abs(x[0])
    )


@case
def op_concat(x):
    return sum(operator.concat(list(x), [x[0]]))


@case
def fstr(x):
    s = (
        f"{x[0]:.3f} {x[1]!r} {x} {float(x[0]):8.2e} {x[0]:>10}"
        + "%g %s %d" % (x[0], x[1], x[1])
        + f"{x[0]:.2f} {x}"
        + str(x[0])
        + repr(x)
        + format(x[0], ".2f")
    )
    return x.sum() * len(s) / len(s)


@case
def logs(x):
    log.debug("v %f", x[0])
    log.warning("v %.3f %s", x[0], x)
    log.info(f"{x[0]:.2f}")
    return x.sum()


@case
def prints(x):
    with contextlib.redirect_stdout(io.StringIO()):
        print(x, x[0], "%.2f" % x[1], sep=",")
    return x.sum()


@case
def testing(x):
    np.testing.assert_allclose(x, x)
    np.testing.assert_array_equal(x, x.copy())
    np.testing.assert_almost_equal(x[0], x[0])
    np.testing.assert_array_less(x, 10)
    assert np.allclose(x, x) and np.array_equal(x, x) and math.isclose(x[0], x[0])
    return x.sum()


@case
def heap(x):
    h = []
    for v in x:
        heapq.heappush(h, v)
    return heapq.heappop(h) * 3 + heapq.nlargest(1, x)[0] + bisect.bisect([0.0, 1.0], x[1]) * x[0]


@case
def heap2(x):
    h = list(x)
    heapq.heapify(h)
    return h[0] + heapq.nsmallest(2, list(x))[1] + list(heapq.merge([x[0]], [x[1]]))[0]


@case
def deques(x):
    d = collections.deque(maxlen=2)
    for v in x:
        d.append(v)
    return sum(d) + np.mean(d)


@case
def counter(x):
    c = collections.defaultdict(float)
    for i, v in enumerate(x):
        c[i % 2] += v**2
    return c[0] * 2 + c[1]


@case
def gauss_like(x):
    return random.Random(3).uniform(0, 1) * x[0]


@case
def negpow(x):
    return ((x[0] * -1) ** 2) + (-x[1]) ** 3


@case
def cm(x):
    return cmath.exp(1j * x[0]).real + abs(cmath.sqrt(-x[1])) + cmath.phase(complex(x[0], x[1]))


@case
def copies(x):
    return (
        copy.copy(x).sum()
        + copy.deepcopy(x)[0]
        + copy.deepcopy([x, {"a": x[0]}])[1]["a"]
        + list(x)[0]
        + [*x][1]
        + x.tolist()[0]
        + x.copy()[1]
    )


@case
def swap(x):
    a, b, c = x
    a, b = b, a
    return a * 2 + b + c * 3


@case
def partials(x):
    return functools.partial(pow, x[0])(2) + functools.partial(math.hypot, x[0])(x[1])


@case
def lenrange(x):
    return sum(x[i] * i for i in range(len(x))) + sum(x[-i] for i in range(x.size))


@case
def timing(x):
    t = time.perf_counter()
    y = x.sum()
    assert time.perf_counter() - t >= 0
    return y


@case
def slices(x):
    s = slice(0, 2)
    return (
        x[s].sum()
        + x[::-1][0]
        + x[[0, 2]].sum()
        + x[np.array([True, False, True])].sum()
        + x[...][0]
        + x[None][0, 1]
    )


@case
def walrus(x):
    return (y := x[0] * 2) + y**2


@case
def cond(x):
    return (x[0] if x[0] > x[1] else x[1]) * 2 + (x[0] and x[1]) + (0.0 or x[2])


@case
def chained(x):
    return x[0] * 2 if 0 < x[0] < 1 <= x[1] else x[0] * 100


@case
def trymath(x):
    try:
        return math.log(-x[0])
    except ValueError:
        return x[0] * 2


@case
def zerodiv(x):
    try:
        return float(x[0]) / 0.0
    except ZeroDivisionError:
        return x[0] * 2


@case
def overflow(x):
    try:
        return math.exp(x[0] * 2000)
    except OverflowError:
        return x[0] * 2


@case
def strjoin(x):
    s = ",".join(map(str, x)) + ",".join(f"{v:.3f}" for v in x)
    return x.sum() * len(s.split(","))


@case
def array_mod(x):
    return sum(v for v in x if v == v) + (x[0] != x[0]) * 1.0 + x[1]


@case
def dictkeys(x):
    d = {float(v): i for i, v in enumerate(x)}
    return x[0] * (d[float(x[2])] if x[2] in d else 50)


@case
def sets(x):
    return sum(set([x[0], x[1]])) * 2


LOUD = []


def loud(f):
    LOUD.append(f)
    return f


@loud
def l_json(x):
    return json.loads(json.dumps({"a": [float(v) for v in x]}))["a"][0]


@loud
def l_json_list(x):
    return json.loads(json.dumps(x.tolist()))[0]


@loud
def l_decimal(x):
    return float(Decimal(float(x[0])) * 2)


@loud
def l_decimal_str(x):
    return float(Decimal(str(x[0])) * 2)


@loud
def l_fraction(x):
    return float(Fraction(float(x[0])) * 2)


@loud
def l_array(x):
    return array.array("d", x)[0]


@loud
def l_floatstr(x):
    return float(str(x[0]))


@loud
def l_floatfmt(x):
    return float(f"{x[0]:.17g}")


@loud
def l_frombytes(x):
    return np.frombuffer(x.tobytes())[0]


@loud
def l_pickle(x):
    return pickle.loads(pickle.dumps(x))[0]


@loud
def l_save(x):
    b = io.BytesIO()
    np.save(b, x)
    b.seek(0)
    return np.load(b)[0]


@loud
def l_ratio(x):
    a, b = float(x[0]).as_integer_ratio()
    return a / b


@loud
def l_choices(x):
    return random.choices([1.0, 2.0, 3.0], weights=x)[0]


@case
def object_array_sum(x):
    return np.array([x[0], x[1]], dtype=object).sum()


@loud
def l_ctypes(x):
    import ctypes

    return ctypes.c_double(x[0]).value


@loud
def l_complexstr(x):
    return complex(str(x[0])).real
