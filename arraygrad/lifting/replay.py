"""Running one recorded call again by itself: with our function, and with NumPy's.

Gives our derivative along a random direction and its finite differences.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._apply import node_of, wrap
from .._engine import alias, pull_back
from .._graph import GRAD_MODE
from .._storage import TensorBase
from ..autograd.gradcheck import random_like
from . import rebinding
from .spying import Frozen, Sample, Spy

Array = np.ndarray[Any, np.dtype[Any]]

STEP = 1e-4  # of the fourth-order differences, relative to the largest element


class _Thaw:
    """The arguments of a sample, made anew: as arrays, or as tensors that carry gradients."""

    def __init__(self, sample: Sample, make: Callable[[Frozen], Any], numpys: bool) -> None:
        self.made = {id(f): make(f) for f in sample.frozen}
        self.numpys = numpys
        self.args = self._thaw(sample.args)
        self.kwargs = self._thaw(sample.kwargs)

    def _thaw(self, x: Any) -> Any:
        if isinstance(x, Frozen):
            return self.made[id(x)]
        if type(x) in (list, tuple):
            return type(x)(self._thaw(item) for item in x)
        if isinstance(x, dict):
            return {k: self._thaw(v) for k, v in x.items()}
        if isinstance(x, Spy):
            return x.numpys if self.numpys else x.ours
        if self.numpys and isinstance(x, type):
            return getattr(x, "_real", x)
        return rebinding.back(x) if self.numpys and callable(x) else x


def _as_tensor(f: Frozen) -> Any:
    made = wrap(f.array[()] if f.scalar else f.array.copy())
    return alias(made) if f.tracked and f.array.dtype.kind in "fc" else made


def floats_in(x: Any) -> list[Any]:
    """Floating-point values in a result."""
    if isinstance(x, TensorBase):
        return [x] if x._array.dtype.kind in "fc" else []
    if isinstance(x, np.ndarray | np.generic):
        return [x] if x.dtype.kind in "fc" else []
    if isinstance(x, float | complex):
        return [np.asarray(x)]
    if isinstance(x, list | tuple):
        return [leaf for item in x for leaf in floats_in(item)]
    if isinstance(x, dict):
        return [leaf for item in x.values() for leaf in floats_in(item)]
    return []


def array_of(x: Any) -> Array:
    """The values of a tensor, array or number."""
    return np.asarray(x._array if isinstance(x, TensorBase) else x)


class Replay:
    """A sample run once with our function, its derivative along a random direction, and NumPy's."""

    def __init__(self, sample: Sample, writes: bool) -> None:
        self.sample = sample
        self.rng = np.random.default_rng(0)
        token = GRAD_MODE.set(True)
        try:
            thaw = _Thaw(sample, _as_tensor, False)
            before = {k: node_of(v) for k, v in thaw.made.items()}
            self.nodes = {id(f): before[id(f)] for f in sample.frozen if before[id(f)] is not None}
            result = sample.ours(*thaw.args, **thaw.kwargs)
        finally:
            GRAD_MODE.reset(token)
        target = sample.args[0] if writes and sample.args else None
        self.written = [
            f for f in sample.frozen
            if f.array.dtype.kind in "fc" and (f is target or not np.array_equal(
                array_of(thaw.made[id(f)]), f.array, equal_nan=True))
        ]  # fmt: skip
        self.outputs = [*floats_in(result), *(thaw.made[id(f)] for f in self.written)]
        self.weights = [random_like(self.rng, array_of(o)) for o in self.outputs]
        self.edges: list[Any] = [False] * len(self.outputs)  # results that are left out
        self.moving = [f for f in sample.frozen if id(f) in self.nodes]
        self.directions = {id(f): self._direction(f.array) for f in self.moving}

    def _direction(self, array: Array) -> Array:
        wide = np.result_type(array.dtype, np.float64)
        direction = random_like(self.rng, array.astype(wide))
        square = array.ndim >= 2 and array.shape[-1] == array.shape[-2]
        if square and np.array_equal(array, np.conj(np.swapaxes(array, -1, -2))):
            # cholesky and eigh read one triangle: stay among the symmetric matrices
            direction = (direction + np.conj(np.swapaxes(direction, -1, -2))) / 2
        size = float(np.max(np.abs(array), initial=0.0))
        return np.asarray(direction * (size if np.isfinite(size) and size > 0 else 1.0))

    def leave_out_edges(self) -> bool:
        """Leave out results that are no numbers a step away (sqrt at 0); whether there are any."""
        steps = zip(*(self.values(h) for h in (-2 * STEP, 0.0, 2 * STEP)), strict=True)
        self.edges = [~np.isfinite(sum(values)) for values in steps]
        self.weights = [
            np.where(edge, 0.0, w) for edge, w in zip(self.edges, self.weights, strict=True)
        ]
        return any(map(np.any, self.edges))

    def reached(self) -> bool:
        """Whether a gradient leaves by any output."""
        return any(isinstance(o, TensorBase) and node_of(o) is not None for o in self.outputs)

    def slope(self) -> float:
        """Our derivative along the direction, weighted."""
        roots = [
            (node_of(o), wrap(np.asarray(w, array_of(o).dtype)))
            for o, w in zip(self.outputs, self.weights, strict=True)
            if isinstance(o, TensorBase) and node_of(o) is not None
        ]
        found = pull_back(roots, [self.nodes[id(f)] for f in self.moving], False, True)
        return sum(
            inner(array_of(g), self.directions[id(f)])
            for f, g in zip(self.moving, found, strict=True)
            if g is not None
        )

    def values(self, h: float = 0.0, wide: bool = True) -> list[Array]:
        """NumPy's outputs with the arguments moved by h along the direction."""

        def moved(f: Frozen) -> Any:
            array = f.array
            if wide and array.dtype.kind in "fc":
                array = array.astype(np.result_type(array.dtype, np.float64))
            if id(f) in self.directions and h:
                array = array + h * self.directions[id(f)]
            return array[()] if f.scalar else np.array(array)

        thaw = _Thaw(self.sample, moved, True)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = self.sample.numpys(*thaw.args, **thaw.kwargs)
        found = [*floats_in(result), *(thaw.made[id(f)] for f in self.written)]
        return [np.where(edge, 0.0, array_of(o)) for edge, o in zip(self.edges, found, strict=True)]

    def seconds(self, numpys: bool) -> float:
        """Least time of a few calls."""

        def plain(f: Frozen) -> Any:
            return f.array[()] if f.scalar else f.array.copy()

        function = self.sample.numpys if numpys else self.sample.ours
        best = np.inf
        token = GRAD_MODE.set(True)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for _ in range(5):
                    thaw = _Thaw(self.sample, plain if numpys else _as_tensor, numpys)
                    start = time.perf_counter()
                    function(*thaw.args, **thaw.kwargs)
                    best = min(best, time.perf_counter() - start)
        finally:
            GRAD_MODE.reset(token)
        return float(best)


def inner(a: Array, b: Array) -> float:
    """The real inner product."""
    return float(np.sum(a.real * b.real + a.imag * b.imag))


@dataclass
class Slopes:
    """Finite differences of a weighted sum: fourth-order, forward, backward, and its size."""

    central: float
    ahead: float
    behind: float
    size: float

    def error(self, slope: float) -> float:
        """Of a derivative, relative to the larger one."""
        scale = max(abs(slope), abs(self.central)) + 1e-6 * self.size + 1e-300
        return abs(slope - self.central) / scale

    @property
    def at_kink(self) -> bool:
        """Whether the two sides disagree."""
        scale = max(abs(self.ahead), abs(self.behind)) + 1e-6 * self.size
        return abs(self.ahead - self.behind) > 0.02 * scale

    @property
    def is_flat(self) -> bool:
        """Whether nothing changes along the direction."""
        return abs(self.central) <= 1e-7 * self.size


def slopes_of(values: Callable[[float], list[Array]], weights: Sequence[Array]) -> Slopes:
    """Differences of the weighted values along the way on which `values` takes its step."""

    def total(h: float) -> float:
        return sum(
            inner(np.asarray(w), v) for w, v in zip(weights, values(h), strict=True)
        )  # fmt: skip

    here = values(0.0)
    size = sum(float(np.sum(np.abs(w) * np.abs(v))) for w, v in zip(weights, here, strict=True))
    at, h = total(0.0), STEP
    plus, minus = total(h), total(-h)
    near, far = (plus - minus) / (2 * h), (total(2 * h) - total(-2 * h)) / (4 * h)
    return Slopes((4 * near - far) / 3, (plus - at) / h, (at - minus) / h, size)


def precision_of(arrays: Sequence[Array]) -> int:
    """Bytes of the least precise real number."""
    sizes = [a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1) for a in arrays]
    return min((s for s in sizes if s), default=8)
