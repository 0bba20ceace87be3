"""``initial=`` and ``where=`` of reductions against NumPy, of shapes with and without elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

SHAPES = [(0,), (3,), (), (0, 3), (3, 0), (2, 0, 3), (2, 3), (1, 0), (2, 3, 2)]
UFUNCS = {"max": np.maximum, "min": np.minimum, "sum": np.add, "prod": np.multiply}
ROADS = {
    "function": lambda x, name, options: getattr(np, name)(x, **options),
    "method": lambda x, name, options: getattr(x, name)(**options),
    "ufunc": lambda x, name, options: UFUNCS[name].reduce(x, **options),
}


def _options(shape: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    ndim = len(shape)
    several = [a for k in range(ndim + 1) for a in itertools.combinations(range(ndim), k)]
    for axis in (None, *range(-ndim, ndim), *several):
        for keepdims, initial in itertools.product((False, True), (None, 0.0, 10.0, -np.inf)):
            masks = [np.resize([True, False], shape), *([np.array([True])] if ndim else [])]
            for where in (None, True, False, *masks):
                options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
                if initial is not None:
                    options["initial"] = initial
                if where is not None:
                    options["where"] = where
                yield options


def _result(road: Any, x: Any, name: str, options: dict[str, Any]) -> Any:
    try:
        return road(x, name, options)
    except (ValueError, TypeError) as error:
        return error


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("name", UFUNCS)
def test_reductions_begin_with_the_value(name: str, road: str, shape: tuple[int, ...]) -> None:
    array = np.arange(int(np.prod(shape)), dtype=float).reshape(shape) - 2
    x = ag.tensor(array)
    with np.errstate(invalid="ignore"):
        for options in _options(shape):
            wanted = _result(ROADS[road], array, name, options)
            found = _result(ROADS[road], x, name, options)
            if isinstance(wanted, Exception):
                assert isinstance(found, Exception), options
                continue
            assert not isinstance(found, Exception), (options, found)
            np.testing.assert_array_equal(found._array, wanted, strict=np.ndim(wanted) > 0)
            assert found.dtype == wanted.dtype


@pytest.mark.parametrize("name", ["max", "min", "sum"])
def test_reductions_of_nothing_stay_in_the_graph(name: str) -> None:
    x = ag.tensor(np.ones((2, 0)), requires_grad=True)
    start = ag.tensor(3.0, requires_grad=True)
    out = getattr(np, name)(x, axis=1, initial=start)
    out.sum().backward()
    assert out.tolist() if not out.requires_grad else (out.detach() == 3.0).all()
    assert x.grad.shape == (2, 0)
    assert start.grad == 2.0
