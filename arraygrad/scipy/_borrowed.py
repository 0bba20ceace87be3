"""SciPy's own Python code on tensors, for functions that have no rule.

Much of SciPy is Python over NumPy. Such a function runs with NumPy's names rebound, as NumPy's own
code does (`interop.numpy_functions.rebinding`), and with our stand-ins for what SciPy calls of
itself. The result is taken only if nothing on the way would have lost a gradient, and if its values
are those that SciPy gives for plain arguments; else the function stays refused.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .._detach import LATEST, set_detach_policy
from .._storage import TensorBase
from ..interop.numpy_functions import rebinding
from ..interop.plain import is_tracked
from ..numpy._types import StandIn, converted
from ._registry import stand_ins
from ._rule import xp

# Searches: the derivative of what they find is not that of the steps to it.
_SEARCHES = ("scipy.optimize.", "scipy.cluster.", "scipy.sparse.")
# SciPy's copy of NumPy's namespace in the standard's terms; where it is since SciPy 1.18.
_OF_NUMPY = ("scipy._lib.array_api_compat", "scipy._external.array_api_compat")
_OF_LIBRARIES = ("scipy._lib", "scipy._external")
_NOT_SEARCHES = frozenset({"rosen_der", "rosen_hess", "rosen_hess_prod"})
# Roots of polynomials, which for filters are often multiple ones: then they have no derivative.
_OF_ROOTS = frozenset({"sos2zpk", "tf2sos"})


def is_borrowed(real: Any) -> bool:
    """Whether a function of SciPy may be tried."""
    module = f"{real.__module__}."
    if module.startswith(_SEARCHES):
        return real.__name__ in _NOT_SEARCHES
    if real.__name__ in _OF_ROOTS:
        return False
    return isinstance(real, types.FunctionType)


def run(real: Any, args: Any, kwargs: Any, plain: Callable[[Any], Any]) -> Any:
    """The result on tensors, or None where the code cannot give it.

    Parameters
    ----------
    real : function
        SciPy's.
    plain : callable
        Gives an argument's plain value.
    """
    refused = LATEST.count
    try:
        with set_detach_policy("error"):
            out = _code(real)(*args, **kwargs)
        if LATEST.count != refused:
            return None
        expected = real(*plain(args), **plain(kwargs))
    except Exception:  # noqa: BLE001 - any error says that the code is not made for tensors
        return None
    if not is_tracked(out) or not same(plain(out), expected):
        return None
    if type(out) is tuple and hasattr(expected, "_make"):
        return expected._make(out)
    return out


def method(owner: Any, name: str, base: type) -> Callable[..., Any] | None:
    """The own code of a method, bound; None if the class has it from `base`, or it is compiled."""
    own = inspect.getattr_static(type(owner), name)
    if own is inspect.getattr_static(base, name) or type(own) is not types.FunctionType:
        return None
    return functools.partial(_code(own), owner)


def same(found: Any, expected: Any) -> bool:
    """Whether plain results have the same structure and values."""
    if isinstance(expected, tuple | list):
        return (
            isinstance(found, tuple | list)
            and len(found) == len(expected)
            and all(same(f, e) for f, e in zip(found, expected, strict=True))
        )
    if isinstance(expected, np.ndarray | np.generic | int | float | complex):
        expected, found = np.asarray(expected), np.asarray(found)
        return (
            found.shape == expected.shape
            and found.dtype.kind == expected.dtype.kind
            and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-12, equal_nan=True))
        )
    return type(found) is type(expected) and bool(found == expected)


# -- code ------------------------------------------------------------------------------------------

_LOCK = threading.RLock()
_CODES: dict[Any, Any] = {}
_NAMESPACES: dict[str, dict[str, Any]] = {}
_PROXIES: dict[str, Any] = {}


def _code(real: Any) -> Any:
    """The function behind its decorators, with our globals."""
    with _LOCK:
        made = _CODES.get(real)
        if made is None:
            own = inspect.unwrap(real)
            if type(own) is not types.FunctionType:  # compiled: its code object is empty
                raise TypeError(f"{real.__name__} is compiled")
            made = _CODES[real] = _rebuilt(own)
    return made


def _rebuilt(function: Any) -> Any:
    closure = function.__closure__
    if closure is not None:
        closure = tuple(_cell(cell) for cell in closure)
    twin = types.FunctionType(
        function.__code__, _namespace(function.__globals__), function.__name__,
        function.__defaults__, closure,
    )  # fmt: skip
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def _cell(cell: Any) -> Any:
    try:
        return types.CellType(_ours_for(cell.cell_contents))
    except ValueError:  # still empty
        return cell


def _namespace(raw: dict[str, Any]) -> dict[str, Any]:
    name = raw["__name__"]
    twin = _NAMESPACES.get(name)
    if twin is None:
        twin = _NAMESPACES[name] = dict(raw)
        twin["__builtins__"] = _BUILTINS
        for key, value in raw.items():
            if not key.startswith("__"):
                twin[key] = _ours_for(value)
    return twin


class _Proxy:
    """One of SciPy's modules: attributes are rebound when they are first used."""

    def __init__(self, module: types.ModuleType) -> None:
        self.__dict__["_module"] = module

    def __getattr__(self, name: str) -> Any:
        value = _ours_for(getattr(self.__dict__["_module"], name))
        self.__dict__[name] = value
        return value


def _ours_for(value: Any) -> Any:
    """What stands for an object in rebound code; the object itself if nothing does."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
        if value is math:
            return _MATH
        if name.startswith(_OF_NUMPY):
            return rebinding.ours_for(np)
        if name.partition(".")[0] != "scipy":
            return rebinding.ours_for(value)
        if name not in _PROXIES:
            _PROXIES[name] = _Proxy(value)
        return _PROXIES[name]
    if _is_table(value):
        return {key: _ours_for(entry) for key, entry in value.items()}
    if type(value) is list and all(isinstance(entry, types.FunctionType) for entry in value):
        return [_ours_for(entry) for entry in value]
    if value is np.r_ or value is np.c_:
        return xp.r_ if value is np.r_ else xp.c_
    if not isinstance(value, types.FunctionType):
        module = getattr(value, "__module__", None)
        if type(module) is str and module.startswith("scipy.fft") and not isinstance(value, type):
            return _Helper(value)  # SciPy dispatches its transforms itself
        return rebinding.ours_for(value)
    if value.__name__ in _HELPERS and value.__module__.startswith(_OF_LIBRARIES):
        return _HELPERS[value.__name__]
    if not (value.__module__ or "").startswith("scipy"):
        return rebinding.ours_for(value)
    return _Helper(value)


def _is_table(value: Any) -> bool:
    """Whether functions are looked up in it by name, as those of filter designs are."""
    if type(value) is not dict:
        return False
    firsts = [e[0] if type(e) is list and e else e for e in value.values()]
    return all(isinstance(first, types.FunctionType) for first in firsts)


class _Helper:
    """A function of SciPy: our stand-in, or its own code, made when it is first called."""

    def __init__(self, function: Any) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    @functools.cached_property
    def _code(self) -> Any:
        ours = _stand_in(self._function)
        return _code(self._function) if ours is None else ours

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._code(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        # What was found in a table is compared with the name of a function.
        return self._function is (other._function if isinstance(other, _Helper) else other)

    def __hash__(self) -> int:
        return hash(self._function)


class _Math(types.SimpleNamespace):
    """Python's math, on tensors by NumPy's functions of the same meaning."""

    def __getattr__(self, name: str) -> Any:
        real = getattr(math, name)
        ours = getattr(np, _OTHER_NAMES.get(name, name), None)
        if not callable(real) or not isinstance(ours, np.ufunc):
            return real

        def function(*args: Any) -> Any:
            tracked = any(isinstance(a, TensorBase) for a in args)
            return ours(*args) if tracked else real(*args)

        setattr(self, name, function)
        return function


_OTHER_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "pow": "power",
}  # fmt: skip
_MATH = _Math()


def _stand_in(function: Any) -> Any:
    """Ours for a public function of SciPy, known by the object; None if there is none."""
    for path, ours in stand_ins().items():
        module, _, name = path.rpartition(".")
        if name == function.__name__:
            real = getattr(sys.modules.get(module), name, None)
            if real is function:
                home, _, attribute = ours.partition(":")
                return getattr(importlib.import_module(home), attribute)
    return None


def _namespace_of(*arrays: Any, **options: Any) -> Any:
    return rebinding.ours_for(np)


def _dtype_of(*arrays: Any, force_floating: bool = False, xp: Any = None) -> Any:
    found = [a._array.dtype if isinstance(a, TensorBase) else a for a in arrays if a is not None]
    dtype = np.result_type(*found)
    return np.result_type(dtype, float) if force_floating and dtype.kind in "biu" else dtype


# What SciPy asks of the library that arrays are of.
_HELPERS: dict[str, Any] = {
    "array_namespace": _namespace_of,
    "is_numpy": lambda xp: True,
    "is_jax": lambda xp: False,
    "is_torch": lambda xp: False,
    "is_cupy": lambda xp: False,
    "is_dask": lambda xp: False,
    "is_marray": lambda xp: False,
    "is_lazy_array": lambda x: False,
    "is_array_api_obj": lambda x: isinstance(x, np.ndarray | np.generic | TensorBase),
    "is_numpy_array": lambda x: isinstance(x, np.ndarray | np.generic | TensorBase),
    "xp_result_type": _dtype_of,
    "xp_copy": lambda x, **options: x.copy(),
    "xp_size": lambda x: x.size,
    "xp_device": lambda x: None,
    "device": lambda x: None,
}


class _NumberType(StandIn):
    """Metaclass of the float and complex of this code: of a tracked number they keep the graph."""

    def __call__(cls, *args: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], TensorBase) and args[0]._array.size == 1:
            number: Any = args[0]
            return converted(number.reshape(()), np.dtype(cls._real).type)
        return cls._real(*args)


def _number_type(real: Any) -> Any:
    entries = {"_real": real, "__module__": "builtins", "__slots__": (), "dtype": np.dtype(real)}
    return type.__new__(_NumberType, real.__name__, (real,), entries)


_BUILTINS: dict[str, Any] = {
    **rebinding._BUILTINS, "float": _number_type(float), "complex": _number_type(complex)
}  # fmt: skip
