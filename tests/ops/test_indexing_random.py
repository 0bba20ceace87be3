"""Random index expressions and values against NumPy: reading, writing, aliasing, errors."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

SHAPES = [(), (1,), (4,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 1), (5, 1, 2)]
DTYPES = ["float64", "float32", "int32", "uint8", "complex64", "bool"]
ERRORS = (IndexError, ValueError, TypeError, OverflowError, DeprecationWarning)


class Draw:
    """Draws index expressions from all kinds that NumPy knows."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def part(self, n: int) -> Any:
        r = self.random
        within = lambda: r.randint(-n, max(n - 1, 0))  # noqa: E731
        kinds: list[Callable[[], Any]] = [
            lambda: r.randint(-n - 1, n),
            lambda: slice(
                r.choice([None, r.randint(-n - 2, n + 2)]),
                r.choice([None, r.randint(-n - 2, n + 2)]),
                r.choice([None, 1, 2, -1, -2, 3]),
            ),
            lambda: None,
            lambda: Ellipsis,
            lambda: r.choice([True, False, np.True_, np.bool_(False)]),
            lambda: [within() for _ in range(r.randint(0, 3))],
            lambda: np.array([within() for _ in range(r.randint(0, 4))], r.choice(["i1", "i8"])),
            lambda: np.array([abs(within()) for _ in range(r.randint(1, 3))], "u4"),
            lambda: np.array([r.random() < 0.5 for _ in range(n)], bool),
            lambda: [r.random() < 0.5 for _ in range(n)],
            lambda: np.array(within()),
            lambda: np.int64(within()),
            lambda: np.array([[within() for _ in range(2)]] * r.randint(1, 2)),
            lambda: slice(None),
            lambda: r.choice([np.array(True), np.uint8(0), [], (), np.array([]), 1.0, "a", [[]]]),
            lambda: range(min(n, 2)),
        ]
        return r.choice(kinds)()

    def key(self, shape: tuple[int, ...]) -> Any:
        r = self.random
        if r.random() < 0.08:
            return ()
        if r.random() < 0.15 and shape:
            part = shape[: r.randint(1, len(shape))]
            return np.array([r.random() < 0.5 for _ in range(int(np.prod(part)))]).reshape(part)
        count = r.randint(0, len(shape) + 1)
        key = tuple(self.part(shape[min(i, len(shape) - 1)] if shape else 0) for i in range(count))
        return key[0] if count == 1 and r.random() < 0.7 else key

    def value(self, shape: tuple[int, ...]) -> Any:
        r = self.random
        return r.choice([
            7, 2 + 1j, True, -1, np.float32(3.5), [5], np.array([2.0]), np.array(4),
            np.arange(int(np.prod(shape)))[::-1].reshape(shape), np.arange(r.randint(0, 4)),
            np.ones((1,) * r.randint(0, 2) + shape),
        ])  # fmt: skip

    def as_tensors(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(map(self.as_tensors, key))
        numbers = isinstance(key, np.ndarray) and key.dtype.kind in "biu"
        return ag.asarray(key.copy()) if numbers and self.random.random() < 0.5 else key


def _result(call: Callable[[], Any]) -> Any:
    """What a call gives, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call()
        except ERRORS as error:
            return error


def _written(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


def _check_read(array: np.ndarray, key: Any, wanted: Any, found: Any) -> None:
    if isinstance(wanted, Exception):
        assert isinstance(found, next(kind for kind in ERRORS if isinstance(wanted, kind)))
        return
    assert not isinstance(found, Exception), found
    plain = found._array
    np.testing.assert_array_equal(plain, wanted)
    assert plain.dtype == wanted.dtype
    is_array = isinstance(wanted, np.ndarray)
    assert is_array == (type(found) is ag.Tensor)
    if is_array and wanted.size:
        assert (found.base is None) != np.shares_memory(wanted, array)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tracked", [False, True])
def test_any_index_reads_and_writes_as_numpys(seed: int, tracked: bool) -> None:
    draw = Draw(seed)
    for _ in range(60):
        shape, dtype = draw.random.choice(SHAPES), draw.random.choice(DTYPES)
        if tracked and (dtype in ("int32", "uint8", "bool") or not shape):
            continue
        array = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
        if draw.random.random() < 0.3:
            array = array.T
        key = draw.key(array.shape)
        ours = draw.as_tensors(key)
        wanted = _result(lambda array=array, key=key: array[key])

        def fresh(array: np.ndarray = array) -> Any:
            return ag.tensor(array, requires_grad=True) * 1 if tracked else ag.tensor(array)

        where = f"{array.shape} {dtype} {key!r}"
        x = fresh()
        found = _result(lambda x=x, ours=ours: x[ours])
        try:
            _check_read(array, key, wanted, found)
        except AssertionError as error:
            raise AssertionError(f"reading {where}: {error}") from error
        value = draw.value(wanted.shape if isinstance(wanted, np.ndarray) else ())
        target = array.copy()
        written = _result(lambda t=target, key=key, value=value: _written(t, key, value))
        x = fresh()
        found = _result(lambda x=x, ours=ours, value=value: _written(x, ours, value))
        where += f" = {value!r}"
        if dtype == "bool" and np.ndim(value) and not np.ndim(wanted):
            continue  # NumPy writes the truth value of a whole list
        assert isinstance(written, Exception) == isinstance(found, Exception), (where, found)
        np.testing.assert_array_equal(x._array, target, err_msg=where)
