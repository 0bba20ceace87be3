"""NumPy's classes: usable as dtypes and in checks as before, and called on tensors.

``np.float64`` must be three things at once: a dtype (``dtype=np.float64``), a class
(``isinstance(x, np.float64)``, ``issubclass``), and a conversion (``np.float64(x)``). The stand-ins
inherit from NumPy's class, which makes them dtypes; their metaclass makes them the other two.
"""

from __future__ import annotations

import copyreg
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _texts as texts
from .._apply import _Types, node_of, scalar_class, wrap
from .._elementwise import unary
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..ops import arithmetic, conversion, creation, data_type

_FLOAT64 = np.dtype(np.float64)


def like_numpy(x: Any) -> Any:
    """What NumPy would have in the place of `x`, for questions about its type."""
    if not isinstance(x, TensorBase):
        return x
    return x._array[()] if isinstance(x, scalar_class()) else x._array


def holds_tensor(x: Any) -> bool:
    """Whether a nested sequence has tensors in it."""
    if isinstance(x, TensorBase):
        return True
    return isinstance(x, list | tuple) and any(map(holds_tensor, x))


class StandIn(type):
    """Metaclass of classes that stand in for one of NumPy's or Python's, `_real`."""

    _real: Any
    # What else it counts as in ``==``: a number in a graph may be Python's or NumPy's in the user's
    # eyes, who may have asked for either.
    _alike: tuple[Any, ...] = ()

    def __new__(cls, name: str, bases: tuple[Any, ...], entries: Any, **kwargs: Any) -> Any:
        """A class that lifted code derives: from the real one; stand-ins are not made by this."""
        bases = tuple(vars(base).get("_real", base) for base in bases)
        return type(name, bases, entries, **kwargs)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(like_numpy(x), cls._real)

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(getattr(other, "_real", other), cls._real)

    def __eq__(cls, other: object) -> bool:
        real = getattr(other, "_real", other)
        return real is cls._real or real in cls._alike or cls._real in getattr(other, "_alike", ())

    def __hash__(cls) -> int:
        return hash(cls._real)

    def __repr__(cls) -> str:
        return repr(cls._real)


class _ScalarType(StandIn):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and holds_tensor(args[0]):
            return converted(args[0], cls._real)
        texts.refuse_text(args, f"np.{cls.__name__}()")
        return cls._real(*args, **kwargs)


def converted(x: Any, kind: Any) -> Any:
    """``np.float64(x)``: a scalar for a single value, else an array; tracked if x is."""
    if not isinstance(x, TensorBase):
        x = conversion.asarray(x)
    array = x._array
    if array.ndim == 0:
        if kind is np.float64 and array.dtype is _FLOAT64:
            out: Any = unary(arithmetic.POSITIVE, x)
            return out if out._node is not None else kind(array)
        if not (is_grad_enabled() and node_of(x) is not None) or kind(0).dtype.kind in "biu":
            return kind(array)
        out = data_type.astype(x, np.dtype(kind))
        return wrap(out._array[()], node_of(out))
    return data_type.astype(x, np.dtype(kind))


class _NdarrayType(StandIn):
    def __call__(cls, shape: Any, dtype: Any = float, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            return np.ndarray(shape, dtype, *args, **kwargs)
        return creation.empty(shape, dtype=dtype)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(like_numpy(x), np.ndarray)


_MADE: dict[Any, Any] = {}
_ABSTRACT = frozenset({
    np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact,
    np.floating, np.complexfloating,
})  # fmt: skip


_WITH_METHODS = frozenset({np.ndarray, np.generic, np.float64, np.complex128})
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
# What makes and changes objects, and what NumPy asks of the class of an operand.
_OF_THE_CLASS = frozenset({
    "__array_finalize__", "__array_function__", "__array_interface__", "__array_ufunc__",
    "__array_wrap__", "__delattr__", "__delitem__", "__getattribute__", "__init__", "__reduce__",
    "__reduce_ex__", "__setattr__", "__setstate__",
})  # fmt: skip


def unbound_methods(real: type) -> dict[str, Callable[..., Any]]:
    """The methods of a class, as functions that tensors may be given to: ``np.ndarray.sum(x)``."""
    return {
        name: _unbound(name, method)
        for base in reversed(real.__mro__[:-1])
        for name, method in vars(base).items()
        if isinstance(method, _METHODS) and name not in _OF_THE_CLASS
        and hasattr(_Types.scalar, name)
    }  # fmt: skip


def _unbound(name: str, method: Any) -> Callable[..., Any]:
    def function(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self, TensorBase):
            return getattr(self, name)(*args, **kwargs)
        return method(self, *args, **kwargs)

    # A third of the time of functools.wraps, for hundreds of them.
    function.__name__, function.__qualname__ = name, method.__qualname__
    function.__wrapped__ = method  # type: ignore[attr-defined]
    return function


def stand_in(real: Any) -> Any:
    """The class that stands in for one of NumPy's; classes that hold no numbers are themselves."""
    found = _MADE.get(real)
    if found is not None:
        return found
    if real is np.ndarray:
        meta: type = _NdarrayType
    elif real in _ABSTRACT:
        meta = StandIn
    elif issubclass(real, np.number | np.bool_):
        meta = _ScalarType
    else:
        return real
    namespace = {"_real": real, "__module__": "numpy", "__slots__": (), "__doc__": real.__doc__}
    if real in _WITH_METHODS:
        namespace.update(unbound_methods(real))
    made: Any = type.__new__(meta, real.__name__, (real,), namespace)
    _MADE[real] = made
    return made


def _reduce(cls: Any) -> Any:
    return stand_in, (cls._real,)


# Pickle would look for the class under NumPy's name and find NumPy's own.
for _meta in (StandIn, _ScalarType, _NdarrayType):
    copyreg.pickle(_meta, _reduce)
