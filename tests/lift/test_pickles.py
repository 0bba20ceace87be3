"""Stand-ins for functions and classes, pickled in lifted code: by pickle and by libraries."""

from __future__ import annotations

import cmath
import copy
import decimal
import functools
import json
import math
import pickle
import statistics
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import arraygrad as ag

FUNCTIONS = {
    "math.exp": lambda: math.exp, "math.floor": lambda: math.floor, "cmath.exp": lambda: cmath.exp,
    "np.sum": lambda: np.sum, "np.where": lambda: np.where, "np.sin": lambda: np.sin,
    "np.zeros": lambda: np.zeros, "np.linalg.norm": lambda: np.linalg.norm,
    "np.fft.fft": lambda: np.fft.fft, "np.shape": lambda: np.shape,
    "statistics.mean": lambda: statistics.mean, "json.dumps": lambda: json.dumps,
    "float": lambda: float, "complex": lambda: complex, "type": lambda: type,
    "round": lambda: round, "hasattr": lambda: hasattr, "lru_cache": lambda: functools.lru_cache,
    "Decimal": lambda: decimal.Decimal, "np.float64": lambda: np.float64,
    "np.ndarray": lambda: np.ndarray, "np.int32": lambda: np.int32,
}  # fmt: skip


@pytest.mark.parametrize("get", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_are_pickled_as_the_users(get):
    """PicklingError: it's not the same object as math.exp."""
    written = []

    def f(x):
        it = get()
        assert copy.deepcopy([it])[0] is it
        written.append(pickle.dumps(it))
        written.append(bytes(ForkingPickler.dumps({"f": it})))
        return x * 2.0

    ag.lift(f)(ag.tensor(1.0))
    assert pickle.loads(written[0]) is get()
    assert b"arraygrad" not in written[0]
    found = pickle.loads(written[1])["f"]
    assert found.__name__.rstrip("_") == get().__name__


def test_functions_that_a_library_pickles_compute_the_same():
    written = []

    def f(x):
        parts = (math.exp, functools.partial(np.sum, axis=0), np.sin, float, np.linalg.norm)
        written.append(bytes(ForkingPickler.dumps(parts)))
        return x * math.exp(0.0)

    ag.lift(f)(ag.tensor(1.0))
    exp, total, sin, number, norm = pickle.loads(written[0])
    assert exp(1.0) == math.exp(1.0)
    assert total(np.ones((2, 3))).tolist() == [2.0, 2.0, 2.0]
    assert sin(1.0) == np.sin(1.0)
    assert number is float
    assert float(norm(np.array([3.0, 4.0]))) == 5.0
