"""NumPy's objects that build arrays by indexing or from functions, in the graph.

``np.c_``, ``np.r_``, ``np.mgrid``, ``np.ogrid``, ``np.ix_``, ``np.vectorize``, ``np.fromfunction``,
``np.fromiter``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import node_of, wrap
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..interop.numpy_functions import shaping
from ..interop.plain import plain, tensors
from ..ops import conversion, creation, data_type, manipulation
from . import _creation
from ._iteration import nditer
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


class Vectorize:
    """``np.vectorize``: the function is called with scalars of each element, in the graph."""

    def __init__(
        self, pyfunc: Any = None, otypes: Any = None, doc: str | None = None, excluded: Any = None,
        cache: bool = False, signature: str | None = None,
    ) -> None:  # fmt: skip
        self.pyfunc = pyfunc
        self.otypes = otypes
        self.excluded = set(excluded or ())
        self.signature = signature
        self.cache = cache
        if pyfunc is not None:
            functools.update_wrapper(self, pyfunc)
        if doc is not None:
            self.__doc__ = doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is None:  # used as @np.vectorize(otypes=...)
            self.pyfunc = args[0]
            functools.update_wrapper(self, args[0])
            return self
        if self.signature is not None:
            return self._by_signature(args, kwargs)
        names = list(kwargs)
        values = [*args, *kwargs.values()]
        fixed = {i for i in range(len(values)) if i in self.excluded}
        fixed |= {len(args) + i for i, n in enumerate(names) if n in self.excluded}
        looped = [i for i in range(len(values)) if i not in fixed]
        arrays = shaping.broadcast_arrays(*(_creation.asarray(values[i]) for i in looped))
        shape = arrays[0].shape if arrays else ()
        if not shape:
            scalars = [a[()] for a in arrays]
            return self._finish([self._one(values, looped, scalars, names, len(args))], ())
        flat = [a.reshape(-1) for a in arrays]
        results = [
            self._one(values, looped, [f[k] for f in flat], names, len(args))
            for k in range(len(flat[0]))
        ]
        return self._finish(results, shape)

    def _one(
        self, values: list[Any], looped: list[int], scalars: list[Any], names: list[str], count: int
    ) -> Any:
        filled = list(values)
        for i, scalar in zip(looped, scalars, strict=True):
            filled[i] = scalar
        return self.pyfunc(*filled[:count], **dict(zip(names, filled[count:], strict=True)))

    def _finish(self, results: list[Any], shape: tuple[int, ...]) -> Any:
        if not results:
            if self.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            return _creation.empty(shape, np.dtype(self.otypes[0]))
        if isinstance(results[0], tuple):
            columns = zip(*results, strict=True)
            return tuple(self._array(list(c), shape, i) for i, c in enumerate(columns))
        return self._array(results, shape, 0)

    def _array(self, results: list[Any], shape: tuple[int, ...], i: int) -> Any:
        dtype = None if self.otypes is None else np.dtype(self.otypes[i])
        out = _creation.array(results, dtype)
        if dtype is None and isinstance(out, TensorBase):
            # NumPy takes the type of the first result for all.
            first = np.asarray(plain(results[0])).dtype
            out = _together([out], first)[0]
        return out[0] if not shape else out.reshape(shape)

    def _by_signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        inputs, outputs = str(self.signature).replace(" ", "").split("->")
        core = [len([n for n in part.split(",") if n]) for part in inputs[1:-1].split("),(")]
        arrays = [_creation.asarray(a) for a in args]
        loops = [a.shape[: a.ndim - c] for a, c in zip(arrays, core, strict=True)]
        shape = np.broadcast_shapes(*loops)
        arrays = [
            manipulation.broadcast_to(a, shape + a.shape[a.ndim - c :])
            for a, c in zip(arrays, core, strict=True)
        ]
        results = [self.pyfunc(*(a[i] for a in arrays), **kwargs) for i in np.ndindex(shape)]
        if outputs.count("(") > 1:
            columns = zip(*results, strict=True)
            return tuple(_stacked(list(c), shape) for c in columns)
        return _stacked(results, shape)


def _stacked(results: list[Any], shape: tuple[int, ...]) -> Any:
    first = _creation.asarray(results[0])
    return _creation.array(results).reshape(shape + tuple(first.shape))


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


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> Any:
    """As NumPy's frompyfunc, but the arrays hold numbers where the results are numbers."""
    return Vectorize(func)


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
    np.vectorize: Vectorize,
    np.fromfunction: fromfunction,
    np.fromiter: fromiter,
    np.frompyfunc: frompyfunc,
    np.ix_: ix_,
    np.ndenumerate: ndenumerate,
    np.nditer: nditer,
}
