"""NumPy's protocols: ``__array__``, ``__array_ufunc__`` and ``__array_function__``.

NumPy's functions are looked up by object in ANSWERS. What has no answer runs on plain arrays if
nothing is tracked, and is refused by name if something is: a gradient is never lost silently.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _compiled
from .._answers import ASKED
from .._detach import lose
from .._errors import ArgumentError, ArgumentTypeError, out_of_memory
from .._graph import is_grad_enabled
from .._storage import TensorBase, pin
from . import ufuncs
from .lookup import answer_to
from .plain import is_tracked, plain, tensors
from .raised import RAISED, in_our_class

# Types that know better than we do what an operation between us and them means.
_FOREIGN = {"dask", "xarray", "pandas", "torch", "jax", "jaxlib", "pint", "polars", "sparse"}


def to_ndarray(x: Any, dtype: Any, copy: bool | None) -> Any:
    """The tensor's memory as an ndarray; shared unless a copy is asked for or needed."""
    array = x._array
    if dtype is not None and np.dtype(dtype) != array.dtype:
        if copy is False:
            raise ArgumentError(
                f"a tensor of dtype {array.dtype} becomes an array of dtype {np.dtype(dtype)} only "
                "by a copy; leave copy=None"
            )
        return array.astype(dtype)
    if copy:
        return array.copy()
    pin(x)
    return array.view()


# NumPy's modules whose functions tensors have nothing to give to.
_REFUSED = {
    "numpy.lib.recfunctions": "they have no fields; use a dict of tensors, or x.detach().numpy()",
    "numpy.char": "they hold no text; format numbers with f'{x}', or use x.detach().numpy()",
    "numpy.strings": "they hold no text; format numbers with f'{x}', or use x.detach().numpy()",
}


# Types of most operands, which need no look at their module.
_OURS: set[type] = {
    np.ndarray, np.float64, np.float32, np.int64, np.bool_, float, int, complex, bool
}  # fmt: skip


def _foreign(kind: type, protocol: str) -> bool:
    if issubclass(kind, TensorBase | np.ndarray):
        _OURS.add(kind)
        return False
    # A class that answers NumPy's protocol itself knows tensors, as it knows arrays, for values.
    return hasattr(kind, protocol) or str(kind.__module__).partition(".")[0] in _FOREIGN


# Called with the tensor that NumPy has asked, as methods: its class keeps the two as its own once
# one of them has been asked for, so that no call stands between NumPy and them.


def array_ufunc(x: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Answer a NumPy ufunc that met a tensor."""
    for argument in inputs:
        if type(argument) not in _OURS and _foreign(type(argument), "__array_ufunc__"):
            return NotImplemented
    try:
        if method == "__call__":
            if not kwargs and ufunc in ASKED:
                return ASKED[ufunc](*inputs)
            return ufuncs.call(ufunc, inputs, kwargs)
        return ufuncs.method(ufunc, method, inputs, kwargs)
    except MemoryError as error:
        raise out_of_memory(f"np.{ufunc.__name__}", error) from error
    except RAISED as error:
        said = in_our_class(error, f"np.{ufunc.__name__}")
        if said is error:
            raise
        raise said from error


def array_function(x: Any, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Answer a NumPy function that met a tensor."""
    for kind in types:
        if kind not in _OURS and _foreign(kind, "__array_function__"):
            return NotImplemented
    try:
        if func not in ASKED:
            return _answered(func, args, kwargs)
        return ASKED[func](*args, **kwargs) if kwargs else ASKED[func](*args)
    except MemoryError as error:
        raise out_of_memory(f"np.{func.__name__}", error) from error
    except RAISED as error:
        said = in_our_class(error, f"np.{func.__name__}")
        if said is error:
            raise
        raise said from error


def _answered(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    answer = answer_to(func)
    if answer is not None:
        return answer(*args, **kwargs)
    remedy = _REFUSED.get(func.__module__)
    if remedy is not None:
        name = f"{func.__module__}.{func.__name__}"
        raise ArgumentTypeError(f"{name} does not take tensors: {remedy}")
    if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
        lose(f"np.{func.__name__} has no derivative rule in arraygrad and")
    return tensors(func(*plain(args), **plain(kwargs)))


# The definitions, to which the compiled roads hand what they have no answer for.
python_array_ufunc = array_ufunc
if _compiled.ROADS is not None:
    _compiled.ROADS.register_protocols(
        ASKED, _OURS, RAISED, (array_ufunc, array_function, in_our_class, out_of_memory)
    )
    array_ufunc = _compiled.ROADS.array_ufunc
    array_function = _compiled.ROADS.array_function
