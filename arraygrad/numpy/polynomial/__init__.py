"""NumPy's polynomials on tensors: differentiable in coefficients and points, fits in the data too.

Functions and classes are NumPy's own Python code, run on tensors as `interop` runs it elsewhere.
The submodules (``polynomial``, ``chebyshev``, ...) are views of NumPy's with these in place.
"""

from __future__ import annotations

import abc
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as _numpy
import numpy.polynomial  # NumPy imports it at first use

from ..._graph import is_grad_enabled
from ...interop.lookup import answer_to
from ...interop.numpy_functions.rebinding import computed, ours_for, rebuilt, replace
from ...interop.plain import is_tracked
from ...ops.conversion import asarray

_BASES = ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre")
_SUBMODULES = (*_BASES, "polyutils")
_CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")

__all__ = [*_numpy.polynomial.__all__, *_SUBMODULES]

# Left to the class that is made: what Python sets by itself, and what abc keeps of the original.
_NOT_COPIED = {
    "__abstractmethods__", "__dict__", "__doc__", "__module__", "__qualname__", "__slots__",
    "__weakref__", "_abc_impl",
}  # fmt: skip


def _function(real: Any) -> Callable[..., Any]:
    """NumPy's function: its own results where nothing is tracked, else its code on tensors."""
    answer = answer_to(real)
    if answer is not None:
        return answer
    code: Any = None

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        nonlocal code
        if not (is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs))):
            return computed(real, args, kwargs)
        if code is None:
            code = rebuilt(real)
        return code(*args, **kwargs)

    return function


def _member(value: Any) -> Any:
    """A method or function of a class, over our globals."""
    if isinstance(value, types.FunctionType):
        return rebuilt(value)
    if isinstance(value, classmethod):
        return classmethod(rebuilt(value.__func__))
    if isinstance(value, staticmethod):
        return staticmethod(ours_for(value.__func__))
    if isinstance(value, property):
        return property(*(None if f is None else rebuilt(f) for f in
                          (value.fget, value.fset, value.fdel)))  # fmt: skip
    return value


class _Twin(abc.ABCMeta):
    """Metaclass of our classes: NumPy's own polynomials are instances, too."""

    def __instancecheck__(cls, x: Any) -> bool:
        real = vars(cls).get("_real")  # none in classes that derive from ours
        return super().__instancecheck__(x) if real is None else isinstance(x, real)


def _class(real: Any) -> Any:
    """A class derived from NumPy's, all of whose methods run on tensors."""
    namespace: dict[str, Any] = {
        "__module__": __name__, "__doc__": real.__doc__, "_real": real
    }  # fmt: skip
    for owner in reversed(real.__mro__[:-1]):
        if owner.__module__.startswith("numpy."):
            for name, value in vars(owner).items():
                if name not in _NOT_COPIED:
                    namespace[name] = _member(value)
    return _Twin(real.__name__, (real,), namespace)


class _Submodule(types.ModuleType):
    """One of NumPy's modules of polynomials as it is on tensors."""

    def __init__(self, name: str) -> None:
        real = getattr(_numpy.polynomial, name)
        super().__init__(f"{__name__}.{name}", real.__doc__)
        self.__dict__["_real"] = real
        self.__dict__["__all__"] = list(real.__all__)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["_real"], name, self)
        if value is self:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = twin(value)
        if not name.startswith("__"):
            self.__dict__[name] = found
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_real"])


def _mapdomain(x: Any, old: Any, new: Any) -> Any:
    """NumPy's mapdomain, which makes an array of objects of a polynomial."""
    offset, scale = rebuilt(_numpy.polynomial.polyutils.mapparms)(old, new)
    if not isinstance(x, _numpy.polynomial._polybase.ABCPolyBase):
        x = asarray(x) if isinstance(x, list | tuple) or is_tracked(x) else _numpy.asanyarray(x)
    return offset + scale * x


replace(_numpy.polynomial.polyutils.mapdomain, _mapdomain)

_TWINS: dict[int, tuple[Any, Any]] = {}


def twin(real: Any) -> Any:
    """What stands for one of the objects of NumPy's modules of polynomials."""
    found = _TWINS.get(id(real))
    if found is None:
        found = real, _make(real)
        _TWINS[id(real)] = found
    return found[1]


def _make(real: Any) -> Any:
    if isinstance(real, type) and real.__name__ in _CLASSES:
        return _class(real)
    if isinstance(real, types.FunctionType):
        return _function(real)
    if isinstance(real, types.ModuleType) and real.__name__.startswith("numpy.polynomial."):
        return sys.modules.get(f"{__name__}.{real.__name__.rpartition('.')[2]}", real)
    return real


def over(real: Any) -> Any:
    """Ours for one of NumPy's polynomials, which was made elsewhere."""
    made = twin(type(real))(real.coef, real.domain, real.window)
    made._symbol = real._symbol
    return made


for _name in _SUBMODULES:
    sys.modules[f"{__name__}.{_name}"] = _Submodule(_name)


def __getattr__(name: str) -> Any:
    value = getattr(_numpy.polynomial, name, None)
    if value is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = twin(value)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_numpy.polynomial), *globals()})
