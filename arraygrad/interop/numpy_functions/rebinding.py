"""NumPy's own Python code, run on tensors.

Most of NumPy's functions are Python over others of NumPy's functions. Where that code runs through
on tensors, we run it: every mode and corner then has NumPy's exact semantics, on whatever version
is installed. A rebound function has NumPy's code object and globals of its own, in which

* what makes arrays without asking the protocols (``zeros``, ``asarray``, ``array``, ...) makes
  tensors of floating-point numbers, so that they can be filled;
* ``isinstance`` takes tensors for ndarrays;
* warnings are issued at the line of the user, however many of our frames lie between;
* helpers that are private to NumPy are rebound too, and public functions dispatch by themselves.

Where nothing is tracked, NumPy's function runs on the plain values below the tensors.
"""

from __future__ import annotations

import builtins
import functools
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._answers import ANSWERS
from ..._apply import wrap
from ..._dtypes import is_supported
from ..._errors import ArgumentError, ShapeError
from ..._graph import is_grad_enabled
from ..._storage import TensorBase
from ..._warnings import AtUsersLine
from ...ops import conversion
from ..plain import holds_tensor, is_tracked, plain, tensors
from ..ufuncs import store


def rebound(function: Any, calls_back: bool = False, **replaced: Any) -> Callable[..., Any]:
    """Register NumPy's own code, rebound, as the answer to a public function of NumPy.

    `replaced` names globals of the code that are ours. Where the code calls a function of the
    user's, that may return what is tracked although no argument is.
    """
    code: Callable[..., Any] | None = None  # made at the first tracked call

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        nonlocal code
        tracked = is_grad_enabled() and (calls_back or is_tracked(args) or is_tracked(kwargs))
        if not tracked:
            return computed(function, args, kwargs)
        if code is None:
            code = rebuilt(function._implementation, replaced)
        return code(*map(_whole, args), **{k: _whole(v) for k, v in kwargs.items()})

    ANSWERS[function] = answer
    return answer


def _whole(x: Any) -> Any:
    """A list that holds tracked numbers as one tensor: NumPy would take each by itself."""
    if isinstance(x, list | tuple) and is_tracked(x) and not any(map(callable, x)):
        try:
            return conversion.asarray(x)
        except (ArgumentError, ShapeError):  # arrays of several shapes, each an argument
            return x
    return x


def computed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's function on plain values; its arrays become tensors, ``out=`` is written."""
    function = _WARNING.get(function) or _warning(function)
    out = kwargs.get("out") if kwargs else None
    if isinstance(out, TensorBase):
        kwargs = {**kwargs, "out": None}
        result = tensors(function(*plain(args), **plain(kwargs)))
        return store(out, result, True, "unsafe", function.__name__)
    if kwargs:
        return tensors(function(*plain(args), **plain(kwargs)))
    return tensors(function(*plain(args)))


# NumPy's functions, those that warn with our module `warnings`.
_WARNING: dict[Any, Any] = {}


def _warning(function: Any) -> Any:
    code = getattr(getattr(function, "_implementation", None), "__code__", None)
    made = function
    if code is not None and "warnings" in code.co_names:
        real = function._implementation
        namespace = {**real.__globals__, "warnings": _WARNINGS}
        made = types.FunctionType(
            code, namespace, real.__name__, real.__defaults__, real.__closure__
        )
        made.__kwdefaults__ = real.__kwdefaults__
    _WARNING[function] = made
    return made


# -- globals ---------------------------------------------------------------------------------------

_NAMESPACES: dict[str, dict[str, Any]] = {}
_LOCK = threading.RLock()  # a namespace is seen by others only when it is filled
_PROXIES: dict[str, Any] = {}
_WARNINGS = AtUsersLine()


def rebuilt(function: Any, replaced: dict[str, Any] | None = None) -> Any:
    """The function with the same code and our globals."""
    namespace = _namespace(function.__globals__)
    if replaced:
        namespace = {**namespace, **replaced}
    twin = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    if replaced:
        namespace[function.__name__] = twin
    return twin


def _namespace(raw: dict[str, Any]) -> dict[str, Any]:
    """The globals of one of NumPy's modules with its names rebound."""
    name = raw["__name__"]
    with _LOCK:
        twin = _NAMESPACES.get(name)
        if twin is None:
            twin = dict(raw)
            twin["__builtins__"] = _BUILTINS
            for key, value in raw.items():
                if not key.startswith("__"):
                    twin[key] = ours_for(value)
            _NAMESPACES[name] = twin
    return twin


class _Proxy:
    """One of NumPy's modules: attributes are rebound when they are first used."""

    def __init__(self, module: types.ModuleType) -> None:
        self.__dict__["_module"] = module

    def __getattr__(self, name: str) -> Any:
        value = ours_for(getattr(self.__dict__["_module"], name))
        self.__dict__[name] = value
        return value


def ours_for(value: Any) -> Any:
    """What stands for an object of NumPy in rebound code; the object itself if nothing does."""
    if value is warnings:
        return _WARNINGS
    if isinstance(value, types.ModuleType):
        if value.__name__.partition(".")[0] != "numpy":
            return value
        found = _PROXIES.get(value.__name__)
        if found is None:
            found = _PROXIES[value.__name__] = _Proxy(value)
        return found
    try:
        made = _REPLACED.get(value)
    except TypeError:  # not hashable: no function
        return value
    if made is not None:
        return made
    if (
        isinstance(value, types.FunctionType)
        and (value.__module__ or "").startswith("numpy")
        and not hasattr(value, "_implementation")
        and "__name__" in value.__globals__
    ):
        return _Helper(value)
    return value


class _Helper:
    """A private function of NumPy, rebound when it is first called."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function: Any = function
        self._code: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._code is None:
            self._code = rebuilt(self._function)
        return self._code(*args, **kwargs)


# -- what makes arrays ----------------------------------------------------------------------------


def _to_fill(made: Any) -> Any:
    """A fresh array of floating-point numbers as a tensor, which can be filled with tracked values.

    Arrays of integers and truth values stay plain: they index and mask.
    """
    return wrap(made) if made.dtype.kind in "fc" and is_supported(made.dtype) else made


def _creator(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def create(*args: Any, **kwargs: Any) -> Any:
        return _to_fill(function(*plain(args), **plain(kwargs)))

    return create


def _creator_like(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def create(a: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(a, *args, **kwargs)  # of tensors by the protocol
        return made if isinstance(made, TensorBase) else _to_fill(made)

    return create


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **kwargs: Any) -> Any:
    if isinstance(fill_value, TensorBase):
        out = np.empty(shape, fill_value._array.dtype if dtype is None else dtype)
        made = _to_fill(out)
        made[...] = fill_value
        return made
    return _to_fill(np.full(shape, fill_value, dtype))


def _array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: bool = False,
    ndmin: int = 0, **kwargs: Any,
) -> Any:  # fmt: skip
    if not (isinstance(object, TensorBase) or holds_tensor(object)):
        made = np.array(object, dtype, copy=copy, ndmin=ndmin)
        return _to_fill(made) if copy is True else made
    x = conversion.asarray(object, dtype=dtype, copy=copy)
    lead = ndmin - x._array.ndim
    return x.reshape((1,) * lead + x._array.shape) if lead > 0 else x


def _asarray(a: Any, dtype: Any = None, order: Any = None, *args: Any, **kwargs: Any) -> Any:
    return _array(a, dtype, copy=kwargs.get("copy"))


class _Converter:
    """NumPy's _array_converter: arrays of several arguments, and results as those were."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self.scalar_input = tuple(np.ndim(plain(a)) == 0 for a in arguments)

    def as_arrays(self, subok: bool = True, pyscalars: str = "convert") -> tuple[Any, ...]:
        keep = pyscalars == "preserve" or (
            pyscalars == "convert_if_no_array"
            and not all(type(a) in (int, float, complex) for a in self._arguments)
        )
        return tuple(
            a if keep and type(a) in (int, float, complex) else _asarray(a) for a in self._arguments
        )

    def result_type(self, *extra: Any, ensure_inexact: bool = False) -> Any:
        dtype = np.result_type(*plain(self._arguments), *plain(extra))
        if ensure_inexact and dtype.kind not in "fc":
            dtype = np.result_type(dtype, 1.0)
        return dtype

    def wrap(self, array: Any, /, to_scalar: Any = None) -> Any:
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        return array[()] if to_scalar and np.ndim(plain(array)) == 0 else array

    def __getitem__(self, index: int) -> Any:
        return _asarray(self._arguments[index])

    def __len__(self) -> int:
        return len(self._arguments)


_REPLACED: dict[Any, Any] = {
    np.zeros: _creator(np.zeros),
    np.ones: _creator(np.ones),
    np.empty: _creator(np.empty),
    np.zeros_like: _creator_like(np.zeros_like),
    np.ones_like: _creator_like(np.ones_like),
    np.empty_like: _creator_like(np.empty_like),
    np.full: _full,
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _asarray,
    np.broadcast: lambda *arrays: np.broadcast(*plain(arrays)),
    np.isscalar: lambda element: np.isscalar(plain(element)),
}


def replace(real: Any, ours: Any) -> None:
    """Let all rebound code have `ours` where it names NumPy's `real`."""
    _REPLACED[real] = ours


def _unwrapped(x: Any) -> Any:
    return x


def _makearray(a: Any) -> Any:
    """numpy.linalg's: an array, and how a result becomes of the argument's class."""
    return _asarray(a), _unwrapped


def _register_private() -> None:
    converter = getattr(np._core._multiarray_umath, "_array_converter", None)  # type: ignore[attr-defined]
    if converter is not None:
        _REPLACED[converter] = _Converter
    _REPLACED[np.linalg._linalg._makearray] = _makearray  # type: ignore[attr-defined]


_register_private()


# -- built-ins ------------------------------------------------------------------------------------


def _isinstance(x: Any, kinds: Any, /) -> bool:
    """Tensors are ndarrays here."""
    if isinstance(x, TensorBase):
        listed = kinds if isinstance(kinds, tuple) else (kinds,)
        return np.ndarray in listed or isinstance(x, kinds)
    return isinstance(x, kinds)


_BUILTINS: dict[str, Any] = {**vars(builtins), "isinstance": _isinstance}
