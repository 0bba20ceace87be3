"""Which object of NumPy, math, functools or SciPy is replaced by which of ours in lifted code."""

from __future__ import annotations

import ast
import builtins
import cmath
import datetime
import decimal
import fractions
import functools
import hashlib
import importlib
import json
import marshal
import math
import pickle
import random
import statistics
import struct
import sys
import time
import types
import warnings
import weakref
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .._storage import TensorBase
from ..interop.lookup import answer_to
from ..numpy import _namespace, _vectorize
from ..numpy._types import stand_in, unbound_methods
from ..scipy import _registry
from . import mathematics, questions, stand_ins, standard_library
from .session import SESSION

# "module.name" of a SciPy function -> "module:name" of ours, imported when it is first met.
SCIPY: dict[str, str] = _registry.stand_ins()

_KNOWN: dict[int, tuple[Any, Any]] = {}
BACK: dict[int, tuple[Any, Any]] = {}  # id(ours) -> (ours, real)
_VIEWS: dict[str, Any] = {}


def register(real: Any, ours: Any) -> None:
    """Let lifted code have `ours` wherever it names `real`."""
    _KNOWN[id(real)] = (real, ours)
    BACK[id(ours)] = (ours, real)


def back(x: Any) -> Any:
    """What one of our objects stands for; `x` itself if it stands for nothing."""
    found = BACK.get(id(x))
    return x if found is None else found[1]


def registered(x: Any) -> Any:
    """What has been registered for `x`, or None."""
    found = _KNOWN.get(id(x))
    return None if found is None else found[1]


def stands_for_another(x: Any) -> bool:
    """Whether an object of ours stands for one of NumPy, SciPy or Python in lifted code."""
    return id(x) in BACK


def known(x: Any) -> Any:
    """What stands for `x` in lifted code; `x` itself if nothing does."""
    found = _KNOWN.get(id(x))
    if found is not None:
        return found[1]
    if _namespace.is_numpys(x) or (isinstance(x, np.ufunc) and answer_to(x) is not None):
        ours = _namespace.twin(x)
    else:
        adapter = _adapter(x)
        if adapter is not None:
            return adapter(x)  # not registered: instances come and go
        ours = _scipys_method(x) if isinstance(x, types.MethodType) else _scipys(x)
    if ours is not x:
        register(x, ours)
    return ours


def _scipys_method(x: Any) -> Any:
    """The method of ours for a method of an object of SciPy, such as ``norm.pdf``."""
    owner = x.__self__
    if not str(type(owner).__module__).startswith("scipy."):
        return x
    ours = known(owner)
    return x if ours is owner else getattr(ours, x.__name__)


def _adapter(x: Any) -> Any:
    """What makes ours of an instance of a class of SciPy or NumPy, as a frozen distribution is."""
    cls = type(x)
    if cls is np.vectorize:
        return _vectorized
    if cls is struct.Struct:
        return standard_library.Layout
    if cls is np.ufunc and _vectorize.function_of(x) is not None:
        return _vectorized
    if str(cls.__module__).startswith("numpy.polynomial."):
        return _imported("arraygrad.numpy.polynomial:over")
    if not str(cls.__module__).startswith("scipy."):
        return None
    for kind in cls.__mro__[:-1]:
        path = _registry.INSTANCES.get(f"{kind.__module__.partition('._')[0]}.{kind.__name__}")
        if path is not None:
            return _imported(path)
    return None


_vectorize.look_up_by(lambda function: SESSION.visit(function))

# id(NumPy's) -> ours, which has NumPy's alive.
_VECTORIZED: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def _vectorized(x: Any) -> Any:
    """Ours for what np.vectorize or np.frompyfunc have made; the function as lifted code has it."""
    made = _VECTORIZED.get(id(x))
    if made is None:
        if isinstance(x, np.ufunc):
            made = _vectorize.PythonUfunc(_vectorize.function_of(x), x)
        else:
            made = _vectorize.Vectorize.over(x)
        _VECTORIZED[id(x)] = made
        BACK[id(made)] = (None, x)
        weakref.finalize(made, BACK.pop, id(made), None).atexit = False
    SESSION.visit(made.pyfunc)  # what it reaches is taken up with the code that names it
    return made


def _scipys(x: Any) -> Any:
    """Ours for one of SciPy's functions, distributions or classes, known by the object itself."""
    module = _module_of(x)
    if not isinstance(module, str):
        return x
    standard_library.note_met(module)
    if _ARRAY_API in module:
        return _of_array_api(x, module)
    if not module.startswith("scipy."):
        return x
    _index_scipy()
    path = _SCIPY_OBJECTS.get(id(x))
    if path is None:
        return _imported(_WITHOUT_RULE)(x) if _is_function(x) else x
    return _imported(path[1])


def _is_function(x: Any) -> bool:
    """Whether an object is a function, written in Python or Cython."""
    kinds = (types.FunctionType, types.BuiltinFunctionType)
    return isinstance(x, kinds) or type(x).__name__ == "cython_function_or_method"


def _module_of(x: Any) -> Any:
    try:
        return getattr(x, "__module__", None) or type(x).__module__
    except Exception:  # noqa: BLE001 - the user's own __getattribute__ may raise anything
        return None


_WITHOUT_RULE = "arraygrad.scipy._rule:without_rule"


_SCIPY_OBJECTS: dict[int, tuple[Any, str]] = {}
_INDEXED: set[str] = set()


def _index_scipy() -> None:
    """Find the objects that SCIPY names in those of SciPy's modules that are imported."""
    for module_name in {name.rpartition(".")[0] for name in SCIPY} - _INDEXED:
        module = sys.modules.get(module_name)
        if module is None:
            continue
        _INDEXED.add(module_name)
        for name, path in SCIPY.items():
            owner, _, attribute = name.rpartition(".")
            if owner == module_name and hasattr(module, attribute):
                real = getattr(module, attribute)
                _SCIPY_OBJECTS[id(real)] = (real, path)


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


class ModuleView(types.ModuleType):
    """A module as lifted code sees it: some of its names are ours, all others its own."""

    def __init__(self, real: Any, ours: dict[str, Any], replace: Callable[[Any], Any]) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__["_real"] = real
        self.__dict__["_replace"] = replace
        self.__dict__.update(ours)

    def __getattr__(self, name: str) -> Any:
        real = self.__dict__["_real"]
        value = getattr(real, name)
        if isinstance(value, types.ModuleType):
            found = module(value)
        else:
            path = SCIPY.get(f"{real.__name__}.{name}")
            found = self.__dict__["_replace"](value) if path is None else _imported(path)
        if not name.startswith("__"):
            self.__dict__[name] = found
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_real"])


def _numpys(real: Any) -> Any:
    """One of NumPy's modules with our names in it, which says of itself what NumPy's does.

    Not ``arraygrad.numpy``: code for several libraries asks for ``xp.__name__ == "numpy"``. An
    ordinary module, whose attributes Python reads fastest.
    """
    ours = _namespace.module_twin(real)
    view = types.ModuleType(real.__name__, real.__doc__)

    def attribute(name: str) -> Any:
        value = getattr(real, name)  # or NumPy's error
        if name.startswith("__"):
            return value
        found = module(value) if isinstance(value, types.ModuleType) else getattr(ours, name)
        vars(view)[name] = found
        return found

    about = {name: getattr(real, name) for name in ("__loader__", "__package__", "__spec__")}
    vars(view).update(about, __getattr__=attribute, __dir__=lambda: dir(real))
    return view


def module(real: Any) -> Any:
    """What stands for a module that is not the user's; the module itself if nothing does."""
    name = real.__name__
    view = _VIEWS.get(name)
    if view is None:
        if name in _namespace.MODULES:
            view = _numpys(real)
        elif name in _OURS:
            view = ModuleView(real, _OURS[name], known)
        elif _numpys_in_array_api(name) is not None:
            return module(_numpys_in_array_api(name))
        elif name == "scipy" or name.startswith("scipy.") or _ARRAY_API in name:
            view = ModuleView(real, {}, known)
        else:
            standard_library.note_met(name)
            return real
        _VIEWS[name] = view
        BACK[id(view)] = (view, real)
    return view


# -- array-api-compat, by itself or inside of another library --------------------------------------

_ARRAY_API = "array_api_compat"


def _numpys_in_array_api(name: str) -> Any:
    """The module of NumPy of which a module of array-api-compat is a copy, or None."""
    found = name.partition(f"{_ARRAY_API}.")[2].removesuffix("._aliases")
    return sys.modules.get(found) if found.partition(".")[0] == "numpy" else None


def _of_array_api(x: Any, home: str) -> Any:
    """Ours for one of its functions: those that ask what an array is see NumPy's arrays."""
    if isinstance(x, functools._lru_cache_wrapper):
        return _of_array_api(x.__wrapped__, home)
    numpys = _numpys_in_array_api(home)
    if numpys is not None and isinstance(x, types.FunctionType):
        return known(getattr(numpys, x.__name__, x))
    if not (home.endswith(".common._helpers") and isinstance(x, types.FunctionType)):
        return x

    @functools.wraps(x)
    def function(*args: Any, **kwargs: Any) -> Any:
        found = x(*map(_as_numpys, args), **{k: _as_numpys(v) for k, v in kwargs.items()})
        if isinstance(found, types.ModuleType):
            return module(found)
        return args[0] if x.__name__ == "to_device" else found

    return function


def _as_numpys(x: Any) -> Any:
    return stand_ins.like_user(x) if isinstance(x, TensorBase) else back(x)


_FUNCTOOLS = {
    "lru_cache": stand_ins.lru_cache,
    "cache": stand_ins.cache_,
    "singledispatch": stand_ins.singledispatch,
    "singledispatchmethod": stand_ins.MadeSingleDispatchMethod,
}
_BUILTINS = {"float": stand_ins.Float, "complex": stand_ins.Complex, "type": stand_ins.Type,
             "hasattr": questions.hasattr_, "getattr": questions.getattr_, "dir": questions.dir_,
             "round": stand_ins.round_, "print": stand_ins.print_,
             "open": stand_ins.open_,
             **standard_library.CODE}  # fmt: skip
_OURS: dict[str, dict[str, Any]] = {
    "math": mathematics.MATH,
    "cmath": mathematics.CMATH,
    "functools": _FUNCTOOLS,
    "decimal": {"Decimal": stand_ins.Decimal},
    "fractions": {"Fraction": stand_ins.Fraction},
    "json": standard_library.JSON,
    "pickle": standard_library.PICKLE,
    "statistics": standard_library.STATISTICS,
    "struct": standard_library.STRUCT,
    "ast": standard_library.AST,
    "hashlib": standard_library.HASHLIB,
    "zlib": standard_library.ZLIB,
    "warnings": {"warn": stand_ins.warn_},
    "datetime": standard_library.DATETIME,
    "marshal": standard_library.MARSHAL,
    "random": standard_library.RANDOM,
    "time": standard_library.TIME,
}


def builtin_names() -> dict[str, Any]:
    """The built-ins of lifted code, apart from those that depend on what is lifted."""
    return {**vars(builtins), **_BUILTINS}


PLACES: Any = types.SimpleNamespace()  # where pickle finds what has the name of another function


def original(x: Any) -> Any:
    """What the user has in the place of one of our functions or classes, for pickle."""
    found = back(x)
    return _namespace.real_of(x) if found is x else found


def _register_all() -> None:
    modules = (
        math, cmath, functools, decimal, fractions, json, pickle, statistics, struct, ast, hashlib,
        zlib, warnings, datetime, marshal, random, time,
    )  # fmt: skip
    for cls in (np.generic, np.complex128, np.float64, np.ndarray, complex, float):
        stands = _BUILTINS.get(cls.__name__) or stand_in(cls)
        for name, method in unbound_methods(cls).items():
            register(method.__wrapped__, vars(stands)[name])  # type: ignore[attr-defined]
    for real, ours in ((builtins, _BUILTINS), *((m, _OURS[m.__name__]) for m in modules)):
        place = types.SimpleNamespace()
        setattr(PLACES, real.__name__, place)
        for name, value in ours.items():
            register(getattr(real, name), value)
            if isinstance(value, types.FunctionType) and value.__module__ == real.__name__:
                # Pickles of libraries would look for it under Python's name, where another is.
                setattr(place, name, value)
                value.__module__ = __name__
                value.__qualname__ = f"PLACES.{real.__name__}.{name}"


_register_all()
