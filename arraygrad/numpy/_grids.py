"""NumPy's objects that build arrays by indexing or from functions, in the graph.

``np.c_``, ``np.r_``, ``np.mgrid``, ``np.ogrid``, ``np.ix_``, ``np.vectorize``, ``np.fromfunction``,
``np.fromiter``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import node_of, wrap
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..interop.plain import plain, tensors
from ..ops import conversion, creation, data_type, manipulation
from . import _creation
from ._iteration import broadcast, nditer
from ._types import holds_tensor


def _is_tracked(x: Any) -> bool:
    return isinstance(x, TensorBase) and is_grad_enabled() and node_of(x) is not None


class Concatenator:
    """``np.r_`` and ``np.c_``: slices become ranges, everything is concatenated."""

    def __init__(self, real: Any, axis: int, ndmin: int, trans1d: int) -> None:
        self._real = real
        self._defaults = (axis, ndmin, trans1d)

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if isinstance(key, str) or not any(map(_slice_or_value_has_tensor, items)):
            return tensors(self._real[plain(key)])
        axis, ndmin, trans1d = self._defaults
        if isinstance(items[0], str):
            axis, ndmin, trans1d = _directive(items[0], self._defaults)
            items = items[1:]
        parts = [_part(item, ndmin, trans1d) for item in items]
        return manipulation.concat(tuple(_together(parts)), axis=axis)

    def __len__(self) -> int:
        return 0


def _slice_or_value_has_tensor(item: Any) -> bool:
    if isinstance(item, slice):
        return any(isinstance(x, TensorBase) for x in (item.start, item.stop, item.step))
    return holds_tensor(item)


def _directive(text: str, defaults: tuple[int, int, int]) -> tuple[int, int, int]:
    if text in ("r", "c"):
        raise NotImplementedError(
            f"np.r_[{text!r}, ...] makes a matrix, which tensors are not; use np.concatenate"
        )
    given = [int(n) for n in text.split(",")]
    return (*given, *defaults[len(given) :])  # type: ignore[return-value]


def _part(item: Any, ndmin: int, trans1d: int) -> Any:
    if isinstance(item, slice):
        x = _ranged(item)
    else:
        x = conversion.asarray(item)
    ndim = x._array.ndim
    if ndim == 0:
        return manipulation.reshape(x, (1,) * max(ndmin, 1))
    if ndim >= ndmin:
        return x
    # NumPy: the new axes go where trans1d says, the old ones keep their order.
    first = trans1d if trans1d >= 0 else ndmin - ndim + 1 + trans1d
    shape = (1,) * first + x._array.shape + (1,) * (ndmin - ndim - first)
    return manipulation.reshape(x, shape)


def _ranged(item: slice) -> Any:
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    plain_step: Any = plain(step)
    if isinstance(plain_step, complex | np.complexfloating):  # a number of points
        count: Any = abs(plain_step)
        return creation.linspace(start, item.stop, int(count))
    return _creation.arange(start, item.stop, step)


def _together(parts: list[Any], dtype: Any = None) -> list[Any]:
    """The tensors in one dtype, by default the one that all promote to."""
    if dtype is None:
        dtype = np.result_type(*(p._array.dtype for p in parts))
    return [p if p._array.dtype == dtype else data_type.astype(p, dtype) for p in parts]


class Grid:
    """``np.mgrid`` and ``np.ogrid``: a tracked start, stop or step stays in the graph."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.sparse = real.sparse

    def __getitem__(self, key: Any) -> Any:
        slices = key if isinstance(key, tuple) else (key,)
        if not any(
            _is_tracked(x)
            for s in slices
            if isinstance(s, slice)
            for x in (s.start, s.stop, s.step)
        ):
            return tensors(self._real[_plain_slices(key)])
        axes = _together([_ranged(s) for s in slices])
        if not isinstance(key, tuple):
            return axes[0]
        grids = creation.meshgrid(*axes, indexing="ij")
        if self.sparse:
            shape = [1] * len(axes)
            return tuple(
                manipulation.reshape(a, (*shape[:i], -1, *shape[i + 1 :]))
                for i, a in enumerate(axes)
            )
        return manipulation.stack(list(grids))


def _plain_slices(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain_slices(k) for k in key)
    if isinstance(key, slice):
        return slice(*(_number(x) for x in (key.start, key.stop, key.step)))
    return plain(key)


def _number(x: Any) -> Any:
    return x._array[()] if isinstance(x, TensorBase) else x


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """As NumPy's fromfunction: the function gets the grid as tensors."""
    grid = np.indices(_creation._sizes(shape), dtype=dtype)
    return function(*(wrap(g.copy()) for g in grid), **kwargs)


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """As NumPy's fromiter, in the graph."""
    items = list(iter)
    return _creation.array(items if count < 0 else items[:count], dtype)


def ix_(*args: Any) -> Any:
    """As NumPy's ix_: an open mesh of index arrays."""
    return tensors(np.ix_(*plain(args)))


def ndenumerate(arr: Any) -> Any:
    """As NumPy's ndenumerate: elements are scalars in the graph."""
    x = _creation.asarray(arr)
    return ((index, x[index]) for index in np.ndindex(tuple(x.shape)))


FUNCTIONS: dict[Any, Any] = {
    np.c_: Concatenator(np.c_, -1, 2, 0),
    np.r_: Concatenator(np.r_, 0, 1, -1),
    np.mgrid: Grid(np.mgrid),
    np.ogrid: Grid(np.ogrid),
    np.fromfunction: fromfunction,
    np.fromiter: fromiter,
    np.ix_: ix_,
    np.ndenumerate: ndenumerate,
    np.nditer: nditer,
    np.broadcast: broadcast,
}
