"""Python's own modules in lifted code: right gradients, or a refusal that names what was called.

None may answer in words about our classes or about what a tensor is not ("must be real number").
"""

import array
import contextlib
import ctypes
import datetime
import io
import json
import marshal
import math
import pickle
import queue
import random
import re
import select
import sqlite3
import statistics
import struct
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

import arraygrad as ag

DOUBLE = struct.Struct("d")


def in_thread(x: Any) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(x * x))
    thread.start()
    thread.join()
    return found[0]


def in_queue(x: Any) -> Any:
    waiting: queue.Queue[Any] = queue.Queue()
    waiting.put(x * x)
    return waiting.get()


def database(parameters: Callable[[Any], Any], statement: str = "select ?") -> Any:
    def f(x: Any) -> Any:
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            return connection.execute(statement, parameters(x)).fetchone()[0]

    return f


def many(x: Any) -> Any:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (a real)")
        connection.executemany("insert into t values (?)", [(1.0,), (x,)])


def helper(a: Any) -> Any:
    return a * a


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def run(self, a: Any) -> Any:
        return self.scale * a


MODEL = Model(3.0)


def sent(x: Any, what: Any) -> Any:
    """What another process would get."""
    return pickle.loads(bytes(ForkingPickler.dumps(what)))


GRADIENTS: dict[str, Callable[[Any], Any]] = {
    "thread": in_thread,
    "queue": in_queue,
    "gauss": lambda x: random.Random(3).gauss(x, 2 * x),
    "uniform": lambda x: random.Random(3).uniform(x, x * x),
    "expovariate": lambda x: random.Random(3).expovariate(x),
    "choice": lambda x: random.Random(3).choice([x, 2 * x]),
    "sleep": lambda x: time.sleep(x / 1e6) or x,
    "ratio of times": lambda x: datetime.timedelta(seconds=3) / datetime.timedelta(seconds=2) * x,
    "database of numbers": lambda x: database(lambda x: (2.5,))(x) * x,
    "database of untracked": lambda x: (
        database(lambda x: (x,))(x.detach()) * x
        if isinstance(x, ag.Tensor)
        else database(lambda x: (x,))(x) * 1.5
    ),
    "packed numbers": lambda x: DOUBLE.unpack(DOUBLE.pack(2.5))[0] * x * DOUBLE.size,
    "packed here": lambda x: struct.Struct("d").unpack(struct.Struct("d").pack(2.5))[0] * x,
    "processes": lambda x: sent(x, helper)(2.0) * x,
    "processes, method": lambda x: sent(x, MODEL.run)(2.0) * x,
    "processes, object": lambda x: sent(x, MODEL).scale * x,
    "processes, list": lambda x: sent(x, [helper, 2.0])[0](3.0) * x,
    "type of decimals": lambda x: x if type(Decimal(1)) is Decimal else 0 * x,
    "type of fractions": lambda x: x if type(Fraction(1, 2)) is Fraction else 0 * x,
    "type of times": lambda x: (
        x
        if type(datetime.timedelta(1)) is datetime.timedelta
        and isinstance(datetime.datetime.now(), datetime.date)
        and not isinstance(1.0, datetime.timedelta)
        else 0 * x
    ),
    "attributes of classes": lambda x: x * datetime.timedelta.max.days * datetime.date.min.day,
    "other constructors": lambda x: (
        x
        * datetime.date.fromisoformat("2024-05-06").day
        * float(Fraction.from_float(0.5))
        * datetime.datetime.fromtimestamp(1e6).day
    ),
    "normal distribution": lambda x: statistics.NormalDist(x, 2.0).pdf(0.5),
    "seed": lambda x: random.seed(3) or x,
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    f = GRADIENTS[name]
    step = 1e-6
    found = (float(f(1.5 + step)) - float(f(1.5 - step))) / (2 * step)
    if name == "database of untracked":  # a constant beside x
        found = 1.5
    assert float(ag.grad(f)(1.5)) == pytest.approx(found, rel=1e-5)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "timedelta": (lambda x: datetime.timedelta(seconds=x), "datetime.timedelta()"),
    "timedelta by place": (lambda x: datetime.timedelta(x), "datetime.timedelta()"),
    "datetime": (
        lambda x: datetime.datetime.fromtimestamp(x), "datetime.datetime.fromtimestamp()",
    ),
    "date": (lambda x: datetime.date.fromtimestamp(x), "datetime.date.fromtimestamp()"),
    "date of numbers": (lambda x: datetime.date(2024, 1, x), "datetime.date()"),
    "Fraction": (lambda x: Fraction(x), "fractions.Fraction()"),
    "Fraction.from_float": (lambda x: Fraction.from_float(x), "fractions.Fraction.from_float()"),
    "Decimal": (lambda x: Decimal(x), "decimal.Decimal()"),
    "Decimal.from_float": (lambda x: Decimal.from_float(x), "decimal.Decimal.from_float()"),
    "database": (database(lambda x: (x,)), "a parameter of a statement of sqlite3 in execute()"),
    "database by name": (
        database(lambda x: {"a": x}, "select :a"), "a parameter of a statement of sqlite3",
    ),
    "database of many": (many, "a parameter of a statement of sqlite3 in executemany()"),
    "pack": (lambda x: struct.unpack("d", struct.pack("d", x)), "struct.unpack()"),
    "pack_into": (lambda x: struct.pack_into("d", bytearray(8), 0, x), "struct.pack_into()"),
    "Struct": (lambda x: DOUBLE.unpack(DOUBLE.pack(x)), "struct.unpack()"),
    "Struct, into": (lambda x: DOUBLE.pack_into(bytearray(8), 0, x), "struct.pack_into()"),
    "array": (lambda x: array.array("d", [x]), "float() in array()"),
    "append": (lambda x: array.array("d").append(x), "float() in append()"),
    "ctypes": (lambda x: ctypes.c_double(x), "float() in c_double()"),
    "marshal": (lambda x: marshal.dumps(x), "marshal.dumps()"),
    "seed": (lambda x: random.seed(x), "random.seed()"),
    "gmtime": (lambda x: time.gmtime(x), "time.gmtime()"),
    "ctime": (lambda x: time.ctime(x), "time.ctime()"),
    "inverse distribution": (
        lambda x: statistics.NormalDist(0, 1).inv_cdf(x / 4), "float() in _normal_dist_inv_cdf()",
    ),
    "processes": (lambda x: sent(x, x), "pickling in multiprocessing.reduction.ForkingPickler"),
    "json": (lambda x: json.load(io.StringIO(json.dumps([x]))), "json.loads()"),
    "logarithm of a gamma variate": (
        lambda x: random.Random(3).gammavariate(x, x), "float() in random.Random.gammavariate",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_named_with_its_line(name: str) -> None:
    f, what = REFUSED[name]
    with pytest.raises(ag.errors.DetachError, match=re.escape(what)) as caught:
        ag.grad(f)(1.5)
    assert "use x.detach()" in str(caught.value)
    notes = getattr(caught.value, "__notes__", [])
    assert any(f"in lifted code at {__file__}" in note for note in notes)


def test_the_same_of_values_without_gradients() -> None:
    """In lifted code constants are tensors too, which these take for their numbers."""

    def f(x: Any) -> Any:
        t = ag.tensor([2.5])[0]
        assert datetime.timedelta(seconds=t).total_seconds() == 2.5
        assert (Fraction(t), Decimal(t), Decimal.from_float(t)) == (2.5, 2.5, 2.5)
        assert DOUBLE.unpack(DOUBLE.pack(t)) == (2.5,)
        assert marshal.loads(marshal.dumps(float(t))) == 2.5
        assert time.gmtime(t).tm_sec == 2
        assert database(lambda t: (t,))(t) == 2.5
        assert select.select([], [], [], 0.0) == ([], [], [])
        random.seed(t)
        drawn = random.random()
        random.seed(2.5)
        assert drawn == random.random()
        return x * math.pi

    assert ag.grad(f)(1.5) == math.pi
