"""Searching, sorting and sets: values for dtypes and layouts, where's gradient, bad input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "strided": lambda x: x[:, ::-2],
}


def _data(dtype: str) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 5, (3, 6, 4)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values(dtype: str, layout: str) -> None:
    array = LAYOUTS[layout](_data(dtype))
    x = ag.asarray(array)
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(ag.sort(x, axis=axis), np.sort(array, axis=axis))
        np.testing.assert_array_equal(
            ag.argsort(x, axis=axis), np.argsort(array, axis=axis, stable=True)
        )
        down = ag.sort(x, axis=axis, descending=True)
        np.testing.assert_array_equal(down, np.flip(np.sort(array, axis=axis), axis))
        order = ag.argsort(x, axis=axis, descending=True)
        np.testing.assert_array_equal(ag.take_along_axis(x, order, axis=axis), down)
        for keepdims in (False, True):
            np.testing.assert_array_equal(
                ag.argmax(x, axis=axis, keepdims=keepdims),
                np.argmax(array, axis=axis, keepdims=keepdims),
            )
            np.testing.assert_array_equal(
                ag.argmin(x, axis=axis, keepdims=keepdims),
                np.argmin(array, axis=axis, keepdims=keepdims),
            )
    assert int(ag.argmax(x)) == np.argmax(array)
    assert int(ag.argmin(x)) == np.argmin(array)
    for got, want in zip(ag.nonzero(x), np.nonzero(array), strict=True):
        np.testing.assert_array_equal(got, want)
    for got, want in zip(ag.unique_all(x), np.unique_all(array), strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(ag.unique_values(x), np.unique(array))
    np.testing.assert_array_equal(ag.isin(x, x[0, 0]), np.isin(array, array[0, 0]))
    np.testing.assert_array_equal(
        ag.searchsorted(ag.sort(x[0, 0]), x), np.searchsorted(np.sort(array[0, 0]), array)
    )


def test_descending_sort_is_stable_and_puts_nan_last() -> None:
    x = ag.asarray([1.0, np.nan, 2.0, 1.0, 2.0])
    np.testing.assert_array_equal(ag.argsort(x, descending=True), [2, 4, 0, 3, 1])
    np.testing.assert_array_equal(ag.sort(x, descending=True), [2, 2, 1, 1, np.nan])


def test_unique_counts_each_nan() -> None:
    found = ag.unique_counts(ag.asarray([np.nan, 1.0, np.nan, -0.0, 0.0]))
    np.testing.assert_array_equal(found.counts, [2, 1, 1, 1])
    assert found.values.shape == (4,)


def test_sorted_gradient_follows_the_elements() -> None:
    x = ag.tensor([3.0, 1.0, 3.0, 2.0], requires_grad=True)
    ag.flip(ag.sort(x))[:2].sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 1.0, 0.0])
    x.grad = None
    (ag.unique_values(x) * ag.asarray([1.0, 2.0, 4.0])).sum().backward()
    np.testing.assert_array_equal(x.grad, [4.0, 1.0, 0.0, 2.0])


@pytest.mark.parametrize(
    ("condition", "x1", "x2"),
    [
        ([True, False], [1, 2], [3.5, 4.5]),
        ([True, False], 1, 2.5),
        (True, [1.0, 2.0], 3),
        ([[True], [False]], np.float32([1, 2]), 1.0),
        ([1, 0], 1j, np.float32([1, 2])),
        ([True, False], np.int8([1, 2]), 1),
        (np.zeros((0, 2), bool), [1.0, 2.0], 0.0),
    ],
)
def test_where(condition: Any, x1: Any, x2: Any) -> None:
    got, want = ag.where(condition, x1, x2), np.where(condition, x1, x2)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_unselected_branch_does_not_matter() -> None:
    x = ag.tensor([-1.0, 4.0], requires_grad=True)
    with np.errstate(invalid="ignore"):
        ag.where(x > 0, ag.sqrt(x), 0.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.25])
    x = ag.tensor(1000.0, requires_grad=True)
    with np.errstate(over="ignore"):
        ag.where(x <= 0, ag.exp(x), 1 + x).backward()
    assert float(x.grad) == 1.0
    rows = ag.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    r = ag.sqrt((rows * rows).sum(axis=1))
    with np.errstate(divide="ignore"):
        ag.where(r > 0.5, r, 1.0).sum().backward()
    np.testing.assert_allclose(rows.grad, [[0.6, 0.8], [0.0, 0.0]])


X = ag.ones((2, 3))
BAD: list[tuple[type[Exception], Callable[[], Any]]] = [
    (ValueError, lambda: ag.argmax(ag.zeros(0))),
    (ValueError, lambda: ag.argmin(ag.zeros((0, 2)), axis=0)),
    (IndexError, lambda: ag.argmax(X, axis=2)),
    (IndexError, lambda: ag.count_nonzero(X, axis=2)),
    (ValueError, lambda: ag.nonzero(ag.asarray(1.0))),
    (ValueError, lambda: ag.searchsorted(X, 1.0)),
    (ValueError, lambda: ag.searchsorted(X[0], 1.0, side="middle")),
    (ValueError, lambda: ag.searchsorted(X[0], 1.0, sorter=ag.asarray([0]))),
    (ValueError, lambda: ag.where(X > 0, ag.ones(2), 0.0)),
    (TypeError, lambda: ag.where(X > 0, "a", 0.0)),
    (IndexError, lambda: ag.sort(X, axis=2)),
    (IndexError, lambda: ag.argsort(ag.asarray(1.0))),
    (TypeError, lambda: ag.isin(X, object())),
]


@pytest.mark.parametrize(("error", "call"), BAD, ids=range(len(BAD)))
def test_bad_input(error: type[Exception], call: Callable[[], Any]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, ag.errors.ArraygradError)
