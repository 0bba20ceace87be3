"""Rows that the op tests run over: one Sample is one call of one public function.

Each chapter of the standard has a module here with a literal list ``SAMPLES``. The driver tests
(tests/test_op_table.py) check for every row: value against NumPy for several dtypes and layouts,
and, where the row is differentiable, gradients to order 2 in both modes against finite differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Generator = Callable[[np.random.Generator, np.dtype], np.ndarray]


@dataclass(frozen=True)
class Sample:
    """One call.

    ops: names of the ops (arraygrad.Op names) that the call exercises, the first is its label.
    call: the call on tensors (all of `arguments`, in order).
    numpy: the same on ndarrays, or None where NumPy has no such function.
    arguments: one generator per array argument.
    differentiable: positions of the arguments to differentiate by; () for none.
    dtypes: kinds to run values for: "f" float32/64, "c" complex64/128, "i" integers, "b" bool.
    gradient_dtypes: kinds to check gradients for: "f" and/or "c".
    order: highest order of derivative to check (2 unless the function is piecewise linear ...).
    label: distinguishes several rows of one op.
    """

    ops: tuple[str, ...]
    call: Callable[..., Any]
    numpy: Callable[..., Any] | None
    arguments: tuple[Generator, ...]
    differentiable: tuple[int, ...] = (0,)
    dtypes: str = "f"
    gradient_dtypes: str = "f"
    order: int = 2
    label: str = ""
    tolerance: float = 1e-6
    notes: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        return self.ops[0] + (f"-{self.label}" if self.label else "")


def _cast(values: np.ndarray, dtype: np.dtype, rng: np.random.Generator) -> np.ndarray:
    if dtype.kind == "c":
        values = values + 1j * rng.uniform(-1, 1, values.shape) * np.maximum(abs(values), 0.1)
    if dtype.kind == "b":
        return values > np.median(values) if values.size else values.astype(bool)
    if dtype.kind in "iu":
        values = np.rint(values * 5)
        if dtype.kind == "u":
            values = abs(values)
    return np.asarray(values).astype(dtype)


def normal(*shape: int) -> Generator:
    """Standard normal values."""
    return lambda rng, dtype: _cast(rng.standard_normal(shape), dtype, rng)


def uniform(low: float, high: float, *shape: int) -> Generator:
    """Uniform values in [low, high)."""
    return lambda rng, dtype: _cast(rng.uniform(low, high, shape), dtype, rng)


def positive(*shape: int) -> Generator:
    """Values in [0.3, 3)."""
    return uniform(0.3, 3.0, *shape)


def away_from_zero(*shape: int) -> Generator:
    """Values of both signs with magnitude in [0.3, 2)."""

    def make(rng: np.random.Generator, dtype: np.dtype) -> np.ndarray:
        sign = rng.choice([-1.0, 1.0], shape)
        return _cast(sign * rng.uniform(0.3, 2.0, shape), dtype, rng)

    return make


def distinct(*shape: int) -> Generator:
    """Shuffled values at least 0.4 apart, so that order does not change under small steps."""

    def make(rng: np.random.Generator, dtype: np.dtype) -> np.ndarray:
        n = int(np.prod(shape))
        values = rng.permutation(n) * 0.5 - n * 0.25 + rng.uniform(0, 0.1, n)
        return _cast(values.reshape(shape), dtype, rng)

    return make


def constant(values: Any) -> Generator:
    """Always these values, in their own dtype (masks, indices)."""
    array = np.asarray(values)
    return lambda rng, dtype: array.copy()


def strided(generator: Generator) -> Generator:
    """The same values as a non-contiguous, negatively strided view."""

    def make(rng: np.random.Generator, dtype: np.dtype) -> np.ndarray:
        values = generator(rng, dtype)
        doubled = np.repeat(values, 2, axis=-1) if values.ndim else values
        return doubled[..., ::-2] if values.ndim else values

    return make
