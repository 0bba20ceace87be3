"""Built-ins as lifted code sees them: they know tensors for what NumPy has in their place.

``float(t)`` keeps the gradient, ``isinstance(t, float)`` and ``type(t)`` answer as for NumPy's
scalar or array. Nothing here is installed globally: lifted functions carry them as their
``__builtins__``.
"""

from __future__ import annotations

import builtins
import copyreg
import decimal
import fractions
import functools
import operator
import threading
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _texts as texts
from .._apply import node_of, scalar_class, wrap
from .._detach import as_pythons, is_pythons, lose
from .._elementwise import unary
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..autograd.recorded import by_numbers
from ..interop.plain import holds_tensor, is_tracked, plain
from ..numpy._types import StandIn, like_numpy, stand_in, unbound_methods
from ..ops import arithmetic, data_type
from .session import SESSION

_FLOAT64 = np.dtype(np.float64)
_POSITIVE = arithmetic.POSITIVE


class _NumberType(StandIn):
    """Metaclass of our float and complex."""

    def __call__(cls, *args: Any) -> Any:
        if len(args) == 1:
            if isinstance(args[0], TensorBase):
                x = args[0]
                array = x._array
                if cls is Float and array.dtype is _FLOAT64 and not array.ndim:
                    out = unary(_POSITIVE, x)
                    return float(array) if out._node is None else as_pythons(out)
                return _number(x, cls._real)
            if type(args[0]) is str:
                texts.refuse_text(args[0], f"{cls._real.__name__}()")
            else:
                args = (as_number_of_user(args[0], f"__{cls._real.__name__}__"),)
                if isinstance(args[0], TensorBase):
                    return _number(args[0], cls._real)
        if len(args) == 2 and any(isinstance(a, TensorBase) for a in args):  # complex(re, im)
            return arithmetic.add(args[0], arithmetic.multiply(1j, args[1]))
        return cls._real(*args)


def as_number_of_user(x: Any, method: str = "__float__") -> Any:
    """What an object of the user's class says to be as a number; anything else as it is."""
    asked = getattr(type(x), method, None)
    if not isinstance(asked, types.FunctionType):
        return x
    number = asked(x)
    return number if isinstance(number, TensorBase | float | complex) else x


def _number(x: Any, kind: Any) -> Any:
    """``float(x)``: a plain number if nothing is tracked, else a scalar of Python's precision."""
    if not (is_grad_enabled() and node_of(x) is not None) or x._array.size != 1:
        return kind(x)
    if kind is float and x._array.dtype.kind == "c":
        return kind(x)  # raises, with the remedy
    out: Any = data_type.astype(x, np.dtype(kind))
    if out._array.ndim:
        out = out.reshape(())
    return as_pythons(wrap(out._array[()], node_of(out)))


def like_user(x: Any) -> Any:
    """What the user would have in the place of `x`: an object of NumPy or a number of Python."""
    like = like_numpy(x)
    return like.item() if like is not x and is_pythons(x) else like


def like(function: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the name and the documentation of the one that it stands for."""
    return functools.update_wrapper(function, real)


def _make(real: Any) -> Any:
    namespace = {"_real": real, "__module__": "builtins", "__slots__": (), "dtype": np.dtype(real)}
    namespace |= {**unbound_methods(real), "__doc__": real.__doc__}
    return type.__new__(_NumberType, real.__name__, (real,), namespace)


Float = _make(float)
Complex = _make(complex)


class _PlainType(StandIn):
    """Metaclass of what stands for a class that holds plain numbers only."""

    _what: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        for text in args:
            texts.refuse_text(text, f"{cls.__module__}.{cls.__qualname__}()")
        return on_plain(
            cls._real, f"{cls.__module__}.{cls.__qualname__}(){cls._what}", args, kwargs
        )

    def __getattr__(cls, name: str) -> Any:
        value = getattr(cls._real, name)
        if getattr(value, "__self__", None) is not cls._real:
            return value

        def other_constructor(*args: Any, **kwargs: Any) -> Any:
            what = f"{cls.__module__}.{cls.__qualname__}.{name}()"
            return on_plain(value, what, args, kwargs)

        return other_constructor


def on_plain(
    real: Callable[..., Any], what: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A call of what takes plain numbers alone, refused by name where a gradient would be lost."""
    if any(map(holds_tensor, (*args, *kwargs.values()))):
        if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
            lose(what)
        args = tuple(map(plain, args))
        kwargs = {k: plain(v) for k, v in kwargs.items()}
    return real(*args, **kwargs)


def holding_plain_numbers(real: Any, what: str = "") -> Any:
    """What stands for a class whose objects hold no tensors; `what` is told if they would."""
    # Not derived from the real one: abstract classes of numbers ask all classes below them.
    namespace = {"_real": real, "_what": what, "__doc__": real.__doc__}
    for name in ("__module__", "__qualname__"):
        namespace[name] = getattr(real, name)
    made = type.__new__(_PlainType, real.__name__, (), namespace)
    if not isinstance(real, StandIn):  # which equals another class
        _TYPES[real] = made
    return made


# What ``type(x)`` gives in lifted code for objects of a class.
_TYPES: dict[type, Any] = {float: Float, complex: Complex}

Decimal = holding_plain_numbers(decimal.Decimal)
Fraction = holding_plain_numbers(fractions.Fraction)


class _TypeType(type):
    """Metaclass of our ``type``, whose call with one argument says what NumPy would have."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Type:
            return type.__call__(cls, *args, **kwargs)
        if len(args) == 1 and not kwargs:
            return type_of(args[0])
        return type(*args, **kwargs)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, type) if cls is Type else type.__instancecheck__(cls, x)

    def __subclasscheck__(cls, x: Any) -> bool:
        return issubclass(x, type) if cls is Type else type.__subclasscheck__(cls, x)


Type: Any = type.__new__(_TypeType, "type", (type,), {"__module__": "builtins"})


# In a derivative by Python's numbers a scalar is one of Python's, else one of NumPy's; it equals
# both, since code that asks for one of them may have been given the other.
_OF_NUMBERS = {np.float64: Float, np.complex128: Complex}
_OF_ARRAYS = {kind: stand_in(kind) for kind in _OF_NUMBERS}
for _kind, _number_type in _OF_NUMBERS.items():
    _number_type._alike = (_kind,)
    _OF_ARRAYS[_kind]._alike = (_number_type._real,)


def type_of(x: Any) -> Any:
    """``type(x)`` in lifted code."""
    kind = type(like_numpy(x))
    if kind in _OF_NUMBERS and isinstance(x, TensorBase):
        return (_OF_NUMBERS if is_pythons(x) or by_numbers() else _OF_ARRAYS)[kind]
    found = _TYPES.get(kind)
    if found is None:
        found = _TYPES[kind] = (
            stand_in(kind) if issubclass(kind, np.generic) or kind is np.ndarray else kind
        )
        if found is kind:
            del _TYPES[kind]  # or classes made by the user would live for ever
    return found


def is_scalar(x: Any) -> bool:
    """Whether a tensor is a scalar, as full indexing and reductions give."""
    return isinstance(x, scalar_class())


def _flat(classinfo: Any) -> list[Any]:
    if isinstance(classinfo, tuple):
        return [c for item in classinfo for c in _flat(item)]
    return list(getattr(classinfo, "__args__", None) or [classinfo])


def make_isinstance(original_of: Callable[[Any], Any]) -> Callable[..., Any]:
    """Our ``isinstance``; `original_of` gives the user's class for one of its lifted twins."""

    def isinstance(x: Any, classinfo: Any, /) -> bool:
        if not builtins.isinstance(x, TensorBase):
            if builtins.isinstance(x, classinfo):
                return True
            originals = tuple(o for c in _flat(classinfo) if (o := original_of(c)) is not None)
            return bool(originals) and builtins.isinstance(x, originals)
        if builtins.isinstance(like_user(x), classinfo):
            return True
        if builtins.isinstance(classinfo, type):
            return issubclass(classinfo, TensorBase) and builtins.isinstance(x, classinfo)
        asked = _flat(classinfo)
        return any(builtins.isinstance(c, type) and issubclass(c, TensorBase) for c in asked) and (
            builtins.isinstance(x, classinfo)
        )

    return isinstance


def _kind_of(x: Any) -> Any:
    """The class by which functools chooses: the one that the user's object would have."""
    return _real_class(type_of(x)) if isinstance(x, TensorBase) else x.__class__


def _real_class(cls: Any) -> Any:
    """What a class, or a union of some, says where lifted code named ours for NumPy's."""
    if isinstance(cls, StandIn):
        return cls._real
    parts = typing.get_args(cls)
    return functools.reduce(operator.or_, map(_real_class, parts)) if parts else cls


def _register(real: Any, cls: Any, function: Any) -> Any:
    """Register with a generic function of Python's what lifted code gives it."""
    if function is None and not isinstance(cls, type) and hasattr(cls, "__annotations__"):
        for annotated in typing.get_type_hints(cls).values():
            return real.register(_real_class(annotated), cls)
    return real.register(_real_class(cls), function)


def dispatching(real: Any, lift: Callable[[Any], Any], bind: Any = None) -> Any:
    """What lifted code has for a generic function: it chooses as for the user's own objects.

    `bind` makes a method of what was chosen.
    """

    @functools.wraps(real)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return real(**kwargs)  # raises
        chosen = real.dispatch(_kind_of(args[0]))
        return lift(chosen if bind is None else bind(chosen))(*args, **kwargs)

    dispatched.register = (  # type: ignore[attr-defined]
        lambda cls, function=None: _register(real, cls, function)
    )
    return dispatched


def singledispatch(function: Any) -> Any:
    """Our ``functools.singledispatch``, for generic functions that lifted code makes."""
    return dispatching(functools.singledispatch(function), lambda chosen: chosen)


class MadeSingleDispatchMethod(functools.singledispatchmethod):  # type: ignore[type-arg]
    """Our ``functools.singledispatchmethod``, for classes that lifted code makes."""

    def register(self, cls: Any, method: Any = None) -> Any:
        """As Python's."""
        return _register(self.dispatcher, cls, method)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As Python's."""
        return dispatching(
            self.dispatcher,
            lambda chosen: chosen,
            lambda chosen: chosen.__get__(instance, owner),
        )


class SingleDispatchMethod:
    """``functools.singledispatchmethod``: by the type that NumPy would have, to the twins."""

    def __init__(self, real: Any, lift: Callable[[Any], Any]) -> None:
        self._real = real
        self._lift = functools.cache(lift)
        for f in real.dispatcher.registry.values():  # what they reach is taken up with the class
            self._lift(f)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return dispatching(
            self._real.dispatcher,
            lambda chosen: chosen,
            lambda chosen: self._lift(chosen).__get__(instance, owner),
        )


def round_(number: Any, ndigits: Any = None) -> Any:
    """Our ``round``: without digits it gives a Python integer, as for NumPy's scalars."""
    if ndigits is None and isinstance(number, scalar_class()):
        return round(like_numpy(number))
    return round(number, ndigits)


def print_(*args: Any, **kwargs: Any) -> None:
    """Our ``print``: code that runs again to look for memos has printed that."""
    if SESSION.quiet != threading.get_ident():
        print(*args, **kwargs)


def open_(*args: Any, **kwargs: Any) -> Any:
    """Our ``open``: code that runs again to look for memos leaves files alone, and so fails."""
    if SESSION.quiet == threading.get_ident():
        raise OSError("a run that looks for memos opens no files")
    return open(*args, **kwargs)


def warn_(
    message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **kwargs: Any
) -> None:
    """Our ``warnings.warn``: code that runs again to look for memos has warned of that."""
    if SESSION.quiet != threading.get_ident():
        warnings.warn(message, category, stacklevel + 1, source, **kwargs)


class _Key:
    """A tracked tensor as a key: equal to itself only, as equal values may have other histories."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __hash__(self) -> int:
        return id(self.tensor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.tensor is self.tensor


# Caches with entries that belong to a graph, emptied when the outermost lifted call ends.
TRACKED_CACHES: dict[int, Callable[[], None]] = {}


def _forget_later(cache: Any) -> None:
    SESSION.touched = True
    TRACKED_CACHES[id(cache)] = cache.cache_clear


def forget_tracked() -> None:
    """Empty the caches that hold parts of a graph."""
    while TRACKED_CACHES:
        TRACKED_CACHES.popitem()[1]()


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """Our ``functools.lru_cache``: a tracked argument is looked up by identity, not by value."""
    if callable(maxsize):
        return cached(maxsize, functools.lru_cache(128, typed)(maxsize), 128, typed)
    return lambda function: cached(
        function, functools.lru_cache(maxsize, typed)(function), maxsize, typed
    )


def cache_(function: Any, /) -> Any:
    """Our ``functools.cache``."""
    return lru_cache(maxsize=None)(function)


def cached(function: Any, plain_cache: Any, maxsize: Any, typed: bool) -> Any:
    """`function` memoized: plain arguments in `plain_cache`, tracked ones for one call only."""

    def called(*args: Any, **kwargs: Any) -> Any:
        args = tuple(a.tensor if isinstance(a, _Key) else a for a in args)
        return function(
            *args, **{k: v.tensor if isinstance(v, _Key) else v for k, v in kwargs.items()}
        )

    by_identity = functools.lru_cache(maxsize, typed)(called)

    @functools.wraps(function)
    def memoized(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(a, TensorBase) for a in (*args, *kwargs.values())):
            out = plain_cache(*args, **kwargs)
            if is_tracked(out):
                _forget_later(plain_cache)
            return out
        _forget_later(by_identity)
        keys = tuple(_Key(a) if isinstance(a, TensorBase) else a for a in args)
        return by_identity(
            *keys, **{k: _Key(v) if isinstance(v, TensorBase) else v for k, v in kwargs.items()}
        )

    memoized.cache_info = plain_cache.cache_info  # type: ignore[attr-defined]
    memoized.cache_clear = plain_cache.cache_clear  # type: ignore[attr-defined]
    memoized.cache_parameters = plain_cache.cache_parameters  # type: ignore[attr-defined]
    return memoized


def _reduce(cls: Any) -> Any:
    """How pickle writes a stand-in for a class: as the class that it stands for."""
    real = type if cls is Type else vars(cls).get("_real")
    return str(cls.__qualname__) if real is None else (operator.getitem, ((real,), 0))


for _meta in (_NumberType, _PlainType, _TypeType):
    copyreg.pickle(_meta, _reduce)
