"""NumPy's ufuncs as callables that give tensors and keep their methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _compiled
from .._answers import ASKED
from .._detach import LIFTED_MARK
from .._storage import TensorBase
from ..interop import ufuncs
from ..interop.lookup import answer_to
from ..interop.plain import plain, tensors
from . import _objects

# A ufunc of these gives a NumPy scalar: it cannot be written, so it needs no tensor around it.
CONSTANTS = frozenset(
    {bool, int, float, complex}
    | {np.dtype(c).type for c in "?bhilqBHILQefdFD"}
)  # fmt: skip


def is_numeric(x: Any) -> bool:
    """Whether our functions take the argument; NumPy's own serve all others (objects, dates)."""
    if isinstance(x, TensorBase) or type(x) in CONSTANTS:
        return True
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biufc" and type(x) is np.ndarray
    return isinstance(x, list | tuple | range)


def as_operand(x: Any) -> Any:
    """What our functions take for an object that NumPy would convert; other values as they are.

    A sequence that is no list or tuple (deque, UserList) as a list, but for buffers, of which NumPy
    makes a view; an object whose ``__array__`` is the user's, lifted, as the tensor that it gives.
    """
    kind = type(x)
    convert = getattr(kind, "__array__", None)
    if convert is not None:
        if LIFTED_MARK in getattr(convert, "__globals__", ()):
            return x.__array__()
        return x
    if isinstance(x, Sequence) and not isinstance(
        x, list | tuple | range | str | bytes | bytearray | memoryview
    ):
        return x if kind.__module__ == "array" else list(x)
    return x


class _UfuncType(type):
    """Class of `Ufunc`, so that lifted code may ask whether something is an ``np.ufunc``."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, np.ufunc) or issubclass(type(x), cls)


_Quick: Any = object
if _compiled.ROADS is not None:
    _compiled.ROADS.register_ufuncs(
        ASKED, CONSTANTS, _objects.REFUSALS, (_objects.concerns_numpy, _objects.answer)
    )
    _Quick = _compiled.ROADS.QuickUfunc


class Ufunc(_Quick, metaclass=_UfuncType):  # type: ignore[misc]
    """One NumPy ufunc: called with tensors, arrays, lists or numbers; methods as in NumPy."""

    def __init__(self, ufunc: Any) -> None:
        self.__wrapped__ = ufunc
        self.__name__ = self.__qualname__ = ufunc.__name__
        self.__doc__ = ufunc.__doc__
        self.nin = ufunc.nin
        if _compiled.ROADS is not None:
            self.answers(ufunc, ufunc.nin)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        ufunc = self.__wrapped__
        for x in args:
            if type(x) not in CONSTANTS:
                break
        else:
            if not kwargs:
                return ufunc(*args)
        if not kwargs and len(args) == self.nin:
            answer = answer_to(ufunc)
            if answer is not None and all(map(is_numeric, args)):
                try:
                    return answer(*args)
                except _objects.REFUSALS:
                    if not _objects.concerns_numpy(ufunc, args, kwargs):
                        raise
                return _objects.answer(ufunc, args, kwargs)
        return self._general(args, kwargs)

    def _general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ufunc = self.__wrapped__
        if len(args) > ufunc.nargs:
            return ufunc(*args, **kwargs)  # which says how many it takes
        args = tuple(map(as_operand, args))
        if len(args) > self.nin:
            kwargs["out"] = args[self.nin :]
            args = args[: self.nin]
        out = kwargs.get("out")
        if out is not None and not isinstance(out, tuple):
            kwargs["out"] = (out,)
        if not all(map(is_numeric, args)):
            return tensors(ufunc(*args, **kwargs))
        try:
            return ufuncs.call(ufunc, args, dict(kwargs))  # which takes what it knows out
        except _objects.REFUSALS:
            if not _objects.concerns_numpy(ufunc, args, kwargs):
                raise
        return _objects.answer(ufunc, args, kwargs)

    def _method(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not args or not is_numeric(args[0]):
            return getattr(self.__wrapped__, method)(*args, **kwargs)
        return ufuncs.method(self.__wrapped__, method, args, kwargs)

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """As NumPy's ufunc.reduce."""
        return self._method("reduce", args, kwargs)

    def accumulate(self, *args: Any, **kwargs: Any) -> Any:
        """As NumPy's ufunc.accumulate."""
        return self._method("accumulate", args, kwargs)

    def reduceat(self, *args: Any, **kwargs: Any) -> Any:
        """As NumPy's ufunc.reduceat."""
        return self._method("reduceat", args, kwargs)

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        """As NumPy's ufunc.outer."""
        return self._method("outer", args, kwargs)

    def at(self, *args: Any, **kwargs: Any) -> Any:
        """As NumPy's ufunc.at."""
        return self._method("at", args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return f"<arraygrad.numpy ufunc {self.__name__!r}>"

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __reduce__(self) -> Any:
        return _ufunc_of, (self.__wrapped__,)


if _compiled.ROADS is None:
    Ufunc.__call__ = Ufunc._call


def _ufunc_of(ufunc: Any) -> Any:
    from ._namespace import twin

    return twin(ufunc)


def computed(function: Any, args: Any, kwargs: Any) -> Any:
    """A function run on the values below tensors; its arrays become tensors."""
    return tensors(function(*plain(args), **plain(kwargs)))
