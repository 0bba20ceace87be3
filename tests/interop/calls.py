"""Calls of NumPy functions for test_numpy_functions: what one row of the tables is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Call:
    """One call.

    function: the call on arrays or tensors, `arguments` in order.
    order: up to which order derivatives are compared with finite differences; 0 for values alone.
    fixed: positions of arguments that are not differentiated.
    compare: whether values are compared with NumPy's (not where NumPy leaves garbage).
    """

    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    order: int
    fixed: tuple[int, ...]
    compare: bool


def call(
    function: Callable[..., Any], *arguments: np.ndarray, order: int = 2,
    fixed: tuple[int, ...] = (), compare: bool = True,
) -> Call:  # fmt: skip
    return Call(function, arguments, order, fixed, compare)


def _generator(*key: int) -> np.random.Generator:
    return np.random.default_rng(key)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal numbers."""
    return np.asarray(_generator(seed, *shape).standard_normal(shape))


def complexes(*shape: int, seed: int = 0) -> np.ndarray:
    """Complex normal numbers."""
    return normal(*shape, seed=seed) + 1j * normal(*shape, seed=seed + 100)


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers in [0.5, 2)."""
    return np.asarray(_generator(seed, 1, *shape).uniform(0.5, 2, shape))


def distinct(*shape: int, seed: int = 0) -> np.ndarray:
    """Shuffled numbers at least 0.3 apart."""
    generator = _generator(seed, 2, *shape)
    count = int(np.prod(shape))
    values = generator.permutation(count) * 0.4 - count * 0.19 + generator.uniform(0, 0.1, count)
    return np.asarray(values.reshape(shape))


def ordered(n: int, seed: int = 0) -> np.ndarray:
    """Ascending numbers."""
    return np.sort(distinct(n, seed=seed))


def gappy(*shape: int, seed: int = 0) -> np.ndarray:
    """Distinct numbers with NaN at about every fourth place."""
    values = distinct(*shape, seed=seed)
    values.reshape(-1)[1::4] = np.nan
    return values


def spd(n: int, seed: int = 0) -> np.ndarray:
    """A symmetric positive definite matrix."""
    a = normal(n, n, seed=seed)
    return a @ a.T + n * np.eye(n)


def integers(*shape: int, high: int = 5, seed: int = 0) -> np.ndarray:
    """Integers from 0 to high - 1."""
    return np.asarray(_generator(seed, 3, *shape).integers(0, high, shape))
