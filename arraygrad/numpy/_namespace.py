"""What stands for a NumPy object in ``arraygrad.numpy``: decided by the object, once.

creation functions and classes -> ours; ufuncs -> Ufunc; functions with a rule -> the rule;
functions about arrays (shape, allclose) -> NumPy's on the values; all other functions -> NumPy's
as long as nothing is tracked; modules -> arraygrad.numpy's of the same name; the rest -> itself.
"""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

import numpy as np

from .. import _texts as texts
from .._detach import lose
from .._graph import is_grad_enabled
from .._hints import remedy
from ..interop.lookup import answer_to
from ..interop.plain import is_tracked, plain, tensors
from ..interop.raised import RAISED, in_our_class
from . import _creation, _grids, _objects, _types, _vectorize
from ._ufuncs import Ufunc, as_operand, is_numeric

# NumPy's modules that have a module here; the others (ma, char, ...) are NumPy's own.
MODULES = {
    "numpy": "arraygrad.numpy",
    "numpy.linalg": "arraygrad.numpy.linalg",
    "numpy.fft": "arraygrad.numpy.fft",
    "numpy.random": "arraygrad.numpy.random",
    "numpy.random._generator": "arraygrad.numpy.random",
    "numpy.random.mtrand": "arraygrad.numpy.random",
    "numpy.testing": "arraygrad.numpy.testing",
    "numpy.matlib": "arraygrad.numpy.matlib",
    "numpy.lib": "arraygrad.numpy.lib",
    "numpy.lib.stride_tricks": "arraygrad.numpy.lib.stride_tricks",
    "numpy.polynomial": "arraygrad.numpy.polynomial",
    "numpy.polynomial.chebyshev": "arraygrad.numpy.polynomial.chebyshev",
    "numpy.polynomial.hermite": "arraygrad.numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e": "arraygrad.numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre": "arraygrad.numpy.polynomial.laguerre",
    "numpy.polynomial.legendre": "arraygrad.numpy.polynomial.legendre",
    "numpy.polynomial.polynomial": "arraygrad.numpy.polynomial.polynomial",
    "numpy.polynomial.polyutils": "arraygrad.numpy.polynomial.polyutils",
}

# Functions whose answer is about the array and no derivative of it: they look at the values.
_ABOUT_ARRAYS = frozenset({
    "allclose", "array2string", "array_equal", "array_equiv", "array_repr", "array_str",
    "base_repr", "binary_repr", "broadcast_shapes", "can_cast", "common_type", "dtype",
    "format_float_positional", "format_float_scientific", "info", "isclose", "iscomplex",
    "iscomplexobj", "isfortran", "isnan", "isreal", "isrealobj", "isscalar", "issubdtype",
    "iterable",
    "may_share_memory", "min_scalar_type", "mintypecode", "ndim", "promote_types", "result_type",
    "savetxt", "shape", "shares_memory", "size", "typename",
})  # fmt: skip

_WRITE_TEXT = frozenset({
    "array2string", "array_repr", "array_str", "format_float_positional",
    "format_float_scientific", "savetxt",
})  # fmt: skip

# Whatever calls back into user code hands it tensors: NumPy's own would hand it arrays.
_OURS: dict[Any, Any] = {
    **_creation.FUNCTIONS, **_grids.FUNCTIONS, **_vectorize.FUNCTIONS, np.ufunc: Ufunc,
}  # fmt: skip

_TWINS: dict[int, tuple[Any, Any]] = {}


def attribute(module: Any, name: str, ours: str) -> Any:
    """The attribute `name` of a NumPy module as this package has it; AttributeError if none."""
    try:
        real = getattr(module, name)
    except AttributeError:
        raise AttributeError(f"module {ours!r} has no attribute {name!r}") from None
    if isinstance(real, types.ModuleType):
        return module_twin(real)
    return twin(real)


def module_twin(module: Any) -> Any:
    """Our module for one of NumPy's; the module itself where there is none."""
    ours = MODULES.get(module.__name__)
    if ours is None:
        return module
    if ours.startswith("arraygrad.numpy.polynomial"):
        importlib.import_module("arraygrad.numpy.polynomial")  # makes its submodules
    return importlib.import_module(ours)


def twin(real: Any) -> Any:
    """What stands for a NumPy object."""
    found = _TWINS.get(id(real))
    if found is None:
        found = real, _make(real)
        _TWINS[id(real)] = found
    return found[1]


def is_numpys(x: Any) -> bool:
    """Whether `x` is a function, class or object that NumPy publishes."""
    return id(x) in _published() or _is_of_late_modules(x)


def _is_of_late_modules(x: Any) -> bool:
    """Whether `x` is of modules that NumPy imports when they are first used."""
    return isinstance(x, type | types.FunctionType) and (
        str(getattr(x, "__module__", "")).startswith(("numpy.polynomial", "numpy.matlib"))
    )


@functools.cache
def _published() -> dict[int, Any]:
    modules = [np, np.linalg, np.fft, np.random, np.testing, np.lib, np.lib.stride_tricks]
    found = {}
    for module in modules:
        for name in dir(module):
            value = getattr(module, name)
            if not name.startswith("_") and _may_have_twin(value):
                found[id(value)] = value
    return found


def _may_have_twin(x: Any) -> bool:
    return not isinstance(x, str | bytes | int | float | complex | list | tuple | dict | type(None))


def _make(real: Any) -> Any:
    if str(getattr(real, "__module__", "")).startswith("numpy.polynomial"):
        from . import polynomial

        return polynomial.twin(real)
    if getattr(real, "__module__", None) == "numpy.matlib":
        from . import matlib

        return matlib.TWINS.get(real, real)
    if isinstance(real, type):
        return _random_class(real) or _OURS.get(real) or _types.stand_in(real)
    try:
        ours = _OURS.get(real)
    except TypeError:  # not hashable, so not a function
        return real
    if ours is not None:
        return ours
    if isinstance(real, np.ufunc):
        return Ufunc(real)
    if not callable(real) or isinstance(real, np.dtype):
        return real
    return _random_function(real) or _named(_function(real), real)


def _named(function: Any, real: Any) -> Any:
    """The function under a name by which pickle finds it, not NumPy's own."""
    module = MODULES.get(getattr(real, "__module__", None) or "")
    if module is not None:
        function.__module__ = module
    return function


def real_of(ours: Any) -> Any:
    """What an object of this package stands for; itself if it stands for nothing."""
    return next((real for real, twin in _TWINS.values() if twin is ours), ours)


def _random_class(real: Any) -> Any:
    if str(real.__module__).startswith("numpy.random"):
        from . import random

        return random.TWINS.get(real)
    return None


def _random_function(real: Any) -> Any:
    owner = getattr(real, "__self__", None)
    module = getattr(real, "__module__", None) or type(owner).__module__
    if not str(module).startswith("numpy.random"):
        return None
    from . import random

    return random.TWINS.get(real) or random.legacy(real)


def _function(real: Any) -> Any:
    name = getattr(real, "__name__", "")
    module = getattr(real, "__module__", "") or ""
    if name in _ABOUT_ARRAYS or str(module).startswith("numpy.testing"):
        return _about_arrays(real)
    answer = answer_to(real)
    return _unanswered(real) if answer is None else _answered(real, answer)


def _answered(real: Any, answer: Any) -> Any:
    """The rule, called with NumPy's signature; NumPy's own function where no number is."""

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args and not is_numeric(args[0]):
            args = (as_operand(args[0]), *args[1:])
            if _is_object_like(args[0]):
                return real(*args, **kwargs)
        try:
            return answer(*args, **kwargs)
        except _objects.REFUSALS:
            if not _objects.concerns_numpy(real, args, kwargs):
                raise
        except RAISED as error:
            said = in_our_class(error, f"np.{real.__name__}")
            if said is error:
                raise
            raise said from error
        return _objects.answer(real, args, kwargs)

    return function


def _is_object_like(x: Any) -> bool:
    """Arrays of objects, strings or dates, and arrays of other libraries."""
    return isinstance(x, np.ndarray) or str(type(x).__module__).partition(".")[0] in _FOREIGN


_FOREIGN = {"dask", "xarray", "pandas", "torch", "jax", "jaxlib", "pint", "polars", "sparse"}


def _about_arrays(real: Any) -> Any:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if real.__name__ in _WRITE_TEXT:
            texts.note_numbers(args)
        args = tuple(_seen_by_numpy(a) for a in args)
        return real(*args, **{k: _seen_by_numpy(v) for k, v in kwargs.items()})

    return function


def _seen_by_numpy(x: Any) -> Any:
    """Values below tensors, scalars as NumPy scalars, and stand-in classes as the real ones."""
    if isinstance(x, type):
        return getattr(x, "_real", x)
    if isinstance(x, list | tuple | dict):
        return plain(x)
    return _types.like_numpy(as_operand(x))


def _unanswered(real: Any) -> Any:
    """NumPy's function on plain values; refused by name if that would lose a gradient."""

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
            instead = remedy(str(real.__module__), real.__name__)
            lose(f"np.{real.__name__} has no derivative rule in arraygrad and", instead)
        return tensors(real(*plain(args), **plain(kwargs)))

    return function
