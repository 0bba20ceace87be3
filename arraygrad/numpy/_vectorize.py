"""``np.vectorize`` and ``np.frompyfunc``: the user's function on each element, in the graph."""

from __future__ import annotations

import functools
import gc
import itertools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._errors import ArgumentError, ArgumentTypeError
from .._storage import TensorBase
from ..interop.numpy_functions import shaping
from ..interop.plain import plain
from ..ops import manipulation, shapes
from . import _creation
from ._grids import _together
from ._ufuncs import Ufunc

_EMPTY = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


class _Hook:
    """What the function that is called for each element goes through; set by the lift."""

    visit: Callable[[Any], Any] = staticmethod(lambda function: function)


_HOOK = _Hook()


def look_up_by(visit: Callable[[Any], Any]) -> None:
    """Have functions that were given outside of lifted code replaced when they are called."""
    _HOOK.visit = visit


class Vectorize:
    """``np.vectorize``: the function is called with scalars of each element, in the graph.

    Attributes are those of NumPy's object, so that `over` can share them.
    """

    pyfunc: Any
    otypes: Any
    excluded: set[Any]
    cache: bool
    signature: str | None

    def __init__(
        self, pyfunc: Any = np._NoValue, otypes: Any = None, doc: str | None = None,
        excluded: Any = None, cache: bool = False, signature: str | None = None,
    ) -> None:  # fmt: skip
        made = np.vectorize(pyfunc, otypes, doc, excluded, cache, signature)
        vars(self).update(vars(made))

    @classmethod
    def over(cls, real: Any) -> Any:
        """Ours for one of NumPy's objects, the attributes of which it has and keeps."""
        made = cls.__new__(cls)
        made.__dict__ = vars(real)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function on each element, or on each part that the signature names."""
        if self.pyfunc is np._NoValue:  # used as @np.vectorize(otypes=...)
            return self._completed(*args, **kwargs)
        function = _HOOK.visit(self.pyfunc)
        if not kwargs and not self.excluded:
            return self._on_each(function, list(args))
        places = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]

        def filled(*elements: Any) -> Any:
            values = list(args)
            for i, element in zip(places, elements, strict=False):
                values[i] = element
            named = zip(names, elements[len(places) :], strict=True)
            return function(*values, **{**kwargs, **dict(named)})

        return self._on_each(filled, [args[i] for i in places] + [kwargs[n] for n in names])

    def _completed(self, pyfunc: Any) -> Any:
        doc = vars(self).get("_doc")
        made = np.vectorize(pyfunc, self.otypes, doc, self.excluded, self.cache, self.signature)
        vars(self).update(vars(made))
        return self

    def _on_each(self, function: Callable[..., Any], given: list[Any]) -> Any:
        if self.signature is not None:
            return self._by_signature(function, given)
        if not given:
            return function()
        arrays = shaping.broadcast_arrays(*map(_creation.asarray, given))
        shape = tuple(arrays[0].shape)
        if not shape:
            return self._finish([function(*(a[()] for a in arrays))], ())
        flat = [a.reshape(-1) for a in arrays]
        results = [function(*elements) for elements in zip(*flat, strict=True)]
        return self._finish(results, shape)

    def _finish(self, results: list[Any], shape: tuple[int, ...]) -> Any:
        if not results:
            if self.otypes is None:
                raise ValueError(_EMPTY)
            outs = [_creation.empty(shape, np.dtype(kind)) for kind in self.otypes]
            return outs[0] if len(outs) == 1 else tuple(outs)
        if isinstance(results[0], tuple):
            columns = zip(*results, strict=True)
            return tuple(self._array(list(c), shape, i) for i, c in enumerate(columns))
        return self._array(results, shape, 0)

    def _array(self, results: list[Any], shape: tuple[int, ...], i: int) -> Any:
        out = self._together(results, i)
        return out[0] if not shape else out.reshape(shape)

    def _together(self, results: list[Any], i: int) -> Any:
        dtype = None if self.otypes is None else np.dtype(self.otypes[i])
        out = _creation.array(results, dtype)
        if dtype is None and isinstance(out, TensorBase):
            # NumPy takes the type of the first result for all.
            first = np.asarray(plain(results[0])).dtype
            out = _together([out], first)[0]
        return out

    def _by_signature(self, function: Callable[..., Any], given: list[Any]) -> Any:
        inputs, outputs = map(_names, str(self.signature).replace(" ", "").split("->"))
        if len(given) != len(inputs):
            raise ArgumentTypeError(
                f"np.vectorize: wrong number of positional arguments: expected {len(inputs)}, "
                f"got {len(given)}"
            )
        arrays = [_creation.asarray(a) for a in given]
        sizes: dict[str, int] = {}
        for array, names in zip(arrays, inputs, strict=True):
            _take_sizes(tuple(array.shape), names, sizes)
        loops = [a.shape[: a.ndim - len(n)] for a, n in zip(arrays, inputs, strict=True)]
        shape = np.broadcast_shapes(*loops)
        arrays = [
            manipulation.broadcast_to(a, (*shape, *a.shape[a.ndim - len(n) :]))
            for a, n in zip(arrays, inputs, strict=True)
        ]
        results = [function(*(a[i] for a in arrays)) for i in np.ndindex(shape)]
        if not results:
            return self._nothing(shape, outputs, sizes)
        columns = [results]
        if len(outputs) > 1:
            columns = [list(c) for c in zip(*results, strict=True)]
        outs = tuple(self._stacked(column, shape, i) for i, column in enumerate(columns))
        return outs[0] if len(outputs) == 1 else outs

    def _stacked(self, results: list[Any], shape: tuple[int, ...], i: int) -> Any:
        out = self._together(results, i)
        return out.reshape((*shape, *out.shape[1:]))

    def _nothing(
        self, shape: tuple[int, ...], outputs: list[list[str]], sizes: dict[str, int]
    ) -> Any:
        if self.otypes is None:
            raise ValueError(_EMPTY)
        if not sizes.keys() >= {*itertools.chain(*outputs)}:
            raise ValueError(
                "cannot call `vectorize` with a signature including new output dimensions on "
                "size 0 inputs"
            )
        outs = tuple(
            _creation.empty((*shape, *(sizes[n] for n in names)), np.dtype(kind))
            for names, kind in zip(outputs, self.otypes, strict=True)
        )
        return outs[0] if len(outs) == 1 else outs


def _names(part: str) -> list[list[str]]:
    """The names of the dimensions in one half of a signature, ``(m,n),(n)``."""
    return [[n for n in names.split(",") if n] for names in part[1:-1].split("),(")]


def _take_sizes(shape: tuple[int, ...], names: list[str], sizes: dict[str, int]) -> None:
    if len(shape) < len(names):
        raise ArgumentError(
            f"np.vectorize: {len(shape)}-dimensional argument does not have enough dimensions "
            f"for all core dimensions {tuple(names)!r}"
        )
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise ArgumentError(
                f"np.vectorize: inconsistent size for core dimension {name!r}: {size} vs "
                f"{sizes[name]}"
            )


class PythonUfunc(Ufunc):
    """What ``np.frompyfunc`` makes; its arrays hold numbers where the results are numbers."""

    def __init__(self, pyfunc: Any, ufunc: Any) -> None:
        super().__init__(ufunc)
        self.pyfunc = pyfunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function on each element."""
        if kwargs:
            raise ArgumentTypeError(
                f"a function made by np.frompyfunc takes no {next(iter(kwargs))}= in lifted code; "
                "write the result where it belongs, out[...] = f(x)"
            )
        if len(args) != self.nin:
            raise ArgumentTypeError(
                f"{self.__name__}() takes {self.nin} arguments but {len(args)} were given"
            )
        return Vectorize(_HOOK.visit(self.pyfunc))(*args)

    def at(self, *args: Any, **kwargs: Any) -> Any:
        """Not for tensors."""
        _refuse_method("at")

    def reduceat(self, *args: Any, **kwargs: Any) -> Any:
        """Not for tensors."""
        _refuse_method("reduceat")

    def outer(self, A: Any, B: Any, /) -> Any:
        """The function of each pair of elements."""
        a, b = _creation.asarray(A), _creation.asarray(B)
        return self(a.reshape((*a.shape, *(1 for _ in b.shape))), b)

    def reduce(self, array: Any, axis: int = 0) -> Any:
        """The function of the first two along an axis, of the result and the third, ..."""
        return functools.reduce(self, _along(array, axis))

    def accumulate(self, array: Any, axis: int = 0) -> Any:
        """All results of `reduce` on the way."""
        steps = itertools.accumulate(_along(array, axis), self)
        return shapes.moveaxis(_creation.array(list(steps)), 0, axis)


def _refuse_method(name: str) -> NoReturn:
    raise ArgumentTypeError(
        f"{name} of a function made by np.frompyfunc takes no tensors; write a loop"
    )


def _along(array: Any, axis: int) -> list[Any]:
    return list(shapes.moveaxis(_creation.asarray(array), axis, 0))


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> Any:
    """As NumPy's frompyfunc, but the arrays hold numbers where the results are numbers."""
    return PythonUfunc(func, np.frompyfunc(func, nin, nout, **kwargs))


def function_of(ufunc: Any) -> Any:
    """The Python function under a ufunc that ``np.frompyfunc`` has made; None for any other."""
    if not ufunc.__name__.endswith(" (vectorized)"):
        return None
    # There is no attribute for it, but the collector of garbage is told.
    return next(filter(callable, gc.get_referents(ufunc)), None)


FUNCTIONS: dict[Any, Any] = {np.vectorize: Vectorize, np.frompyfunc: frompyfunc}
