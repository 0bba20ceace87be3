"""Creation functions with NumPy's signatures that make tensors.

Data that holds no numbers (objects, strings, dates, records) makes NumPy arrays.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _texts as texts
from .._aliases import is_borrowed
from .._apply import wrap
from .._detach import lose
from .._dtypes import is_supported
from .._errors import ArgumentError
from .._graph import is_grad_enabled
from .._layout import as_flag
from .._ndarray_options import memory_order
from .._storage import TensorBase, family_of
from ..interop.numpy_functions.creating import converted, laid_out, ordered
from ..interop.plain import is_tracked, plain
from ..ops import conversion, creation, manipulation
from ._types import holds_tensor
from ._ufuncs import CONSTANTS, as_operand

_FLOAT64 = np.dtype(np.float64)


def _is_dtype_of_numbers(dtype: Any) -> bool:
    return dtype is None or is_supported(np.dtype(dtype))


def _as_tensor(
    object: Any, dtype: Any, copy: bool | None, order: Any = "K", subok: bool = False
) -> Any:
    """A tensor, or what NumPy makes where there are no numbers."""
    if type(object) is list or type(object) is tuple:
        is_plain = CONSTANTS.issuperset(map(type, object))
        if not is_plain and (copy is True or copy is None) and order == "K":
            made = conversion.of_scalars(object)
            if made is not None and (dtype is None or np.dtype(dtype) is _FLOAT64):
                return made
    else:
        is_plain = False
        object = as_operand(object)
        if dtype is not None and type(object) is np.ndarray and object.dtype.kind == "O":
            items = object.tolist() if _is_dtype_of_numbers(dtype) else None
            object = items if holds_tensor(items) else object
    if not is_plain and holds_tensor(object):
        if not _is_dtype_of_numbers(dtype):
            return _without_numbers(object, np.dtype(dtype))
        return converted(object, dtype, order, copy, "array")
    if texts.NUMBERS and dtype is not None and isinstance(object, list | tuple):
        texts.refuse_text(object, "np.array()")
    made = np.array(object, dtype, copy=copy, order=order, subok=subok)
    if type(made) is not np.ndarray or not is_supported(made.dtype):
        return made
    if made is object:  # borrowed memory: visible outside, so it must not be moved
        return conversion.asarray(made)
    if copy is not True and is_borrowed(made):  # that of a memory map, a memoryview
        out = conversion.asarray(made)
        family_of(out).storage.borrowed = True
        return out
    return wrap(made)


def _without_numbers(values: Any, dtype: Any) -> Any:
    """An array of objects, which may be tensors, or one of NumPy's of plain values."""
    out = np.array(plain(values), dtype)
    if not (is_tracked(values) and is_grad_enabled()):
        return out
    if dtype.kind != "O":
        lose(
            f"np.array(..., dtype={dtype})",
            "its elements hold no tensors: keep an array of numbers for each field, in a dict",
        )
        return out
    for index in np.ndindex(out.shape):
        out[index] = functools.reduce(operator.getitem, index, values)
    return out


def array(
    object: Any, dtype: Any = None, *, copy: bool | None = True, order: Any = "K",
    subok: bool = False, ndmin: int = 0, like: Any = None, ndmax: int = 0,
) -> Any:  # fmt: skip
    """As NumPy's array, in the graph: the list may hold tensors."""
    out = _as_tensor(object, dtype, copy, order, subok)
    if ndmin and out.ndim < ndmin:
        out = out.reshape((1,) * (ndmin - out.ndim) + tuple(out.shape))
    return out


def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None,
    copy: bool | None = None, like: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's asarray: a tensor is returned as it is."""
    return _as_tensor(a, dtype, copy, order or "K")


def asanyarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None,
    copy: bool | None = None, like: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's asanyarray: subclasses of ndarray stay what they are."""
    return _as_tensor(a, dtype, copy, order or "K", subok=True)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """As NumPy's ascontiguousarray."""
    out: Any = array(a, dtype, copy=None, ndmin=1)
    if not isinstance(out, TensorBase):
        return np.ascontiguousarray(out)
    return out.contiguous()  # type: ignore[attr-defined]


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """As NumPy's asfortranarray."""
    out = asarray(a, dtype)
    if not isinstance(out, TensorBase):
        return np.asfortranarray(out)
    return out if out._array.flags.f_contiguous else out.T.copy().T  # type: ignore[attr-defined]


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """As NumPy's asarray_chkfinite."""
    out = asarray(a, dtype, order)
    if out.dtype.kind in "fc" and not np.isfinite(plain(out)).all():
        raise ArgumentError("asarray_chkfinite: the array has infinities or NaNs")
    return out


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """As NumPy's require; tensors are aligned, owned where they are not views, and writeable."""
    wanted = {str(r).upper()[0] for r in requirements or ()}
    if "F" in wanted:
        return asfortranarray(a, dtype)
    return ascontiguousarray(a, dtype) if "C" in wanted else asarray(a, dtype)


def copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    """As NumPy's copy, in the graph."""
    return array(a, order=order, subok=subok, copy=True)


def zeros(
    shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """As NumPy's zeros."""
    return _new(np.zeros, shape, dtype, order)


def ones(
    shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """As NumPy's ones."""
    return _new(np.ones, shape, dtype, order)


def empty(
    shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """As NumPy's empty."""
    return _new(np.empty, shape, dtype, order)


def _new(make: Callable[..., Any], shape: Any, dtype: Any, order: Any) -> Any:
    made = make(_sizes(shape), dtype, order)
    return wrap(made) if is_supported(made.dtype) else made


def _sizes(shape: Any) -> Any:
    """A shape that may have tensors in it, as Python integers."""
    if isinstance(shape, TensorBase):
        return tuple(plain(shape).tolist()) if shape._array.ndim else int(shape)  # type: ignore[call-overload]
    if isinstance(shape, list | tuple):
        return tuple(int(n) if isinstance(n, TensorBase) else n for n in shape)  # type: ignore[call-overload]
    return shape


def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None,
    like: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's full: a tracked value stays in the graph."""
    if not holds_tensor(fill_value):
        made = np.full(_sizes(shape), fill_value, dtype, order)
        return wrap(made) if is_supported(made.dtype) else made
    value = conversion.asarray(fill_value, dtype=dtype)
    sizes = _sizes(shape)
    out = manipulation.broadcast_to(value, sizes if isinstance(sizes, tuple) else (sizes,))
    return ordered(manipulation.copied(out), memory_order(order, "full"))


def zeros_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's zeros_like."""
    return _like(np.zeros_like, a, dtype, order, subok, shape)


def ones_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's ones_like."""
    return _like(np.ones_like, a, dtype, order, subok, shape)


def empty_like(
    prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's empty_like."""
    return _like(np.empty_like, prototype, dtype, order, subok, shape)


def _like(make: Callable[..., Any], a: Any, dtype: Any, order: Any, subok: Any, shape: Any) -> Any:
    as_flag(subok, "subok", make.__name__)
    made = make(plain(a), dtype=dtype, order=order, subok=False, shape=_sizes(shape))
    return wrap(made) if is_supported(made.dtype) else made


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
    shape: Any = None, *, device: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's full_like: a tracked value stays in the graph."""
    made = empty_like(a, dtype, order, subok, shape)
    out = full(made.shape, fill_value, made.dtype)
    return laid_out(out, made._array) if isinstance(out, TensorBase) else out


def eye(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C", *, device: Any = None,
    like: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's eye."""
    return wrap(np.eye(int(N), None if M is None else int(M), int(k), dtype, order))


def identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """As NumPy's identity."""
    return wrap(np.identity(int(n), dtype))


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> Any:
    """As NumPy's tri."""
    return wrap(np.tri(int(N), None if M is None else int(M), int(k), dtype))


def arange(
    *args: Any, dtype: Any = None, device: Any = None, like: Any = None, **named: Any
) -> Any:
    """As NumPy's arange: start and step may be tracked."""
    numbers = (*args[:3], *named.values())
    if len(args) > 3:
        dtype = args[3]
    if not any(isinstance(n, TensorBase) for n in numbers):
        made = np.arange(*args[:3], dtype=dtype, **named)
        return wrap(made) if is_supported(made.dtype) else made
    start = named.get("start", args[0] if args else 0)
    stop = named.get("stop", args[1] if len(args) > 1 else None)
    step = named.get("step", args[2] if len(args) > 2 else 1)
    out = creation.arange(start, stop, step)
    return out if dtype is None else conversion.asarray(out, dtype=dtype)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """As NumPy's linspace: start and stop may be tracked."""
    count = int(num)
    if not (holds_tensor(start) or holds_tensor(stop)):
        made: Any = np.linspace(start, stop, count, endpoint, True, dtype, axis)  # type: ignore[call-overload]
        return (wrap(made[0]), made[1]) if retstep else wrap(made[0])
    first: Any = conversion.asarray(start)
    last: Any = conversion.asarray(stop)
    steps = max(count - 1 if endpoint else count, 1)
    step = (last - first) / steps
    place = np.arange(count).reshape((-1,) + (1,) * step.ndim)
    # From both ends, so that the last value is `stop` exactly.
    weight = place / steps
    out = first * (1.0 - weight) + last * weight
    if dtype is not None:
        out = conversion.asarray(out, dtype=dtype)
    if axis and out.ndim > 1:
        out = manipulation.moveaxis(out, 0, axis)
    return (out, step) if retstep else out


def _computed(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function on plain values; the array it makes becomes a tensor."""

    def made(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("like", None)
        if is_grad_enabled() and is_tracked(args):
            lose(f"np.{function.__name__} makes new data and")
        texts.refuse_text(args, f"np.{function.__name__}()")
        out = function(*plain(args), **plain(kwargs))
        texts.refuse_numbers(out, f"np.{function.__name__}()")
        if function is np.frombuffer and out.flags.writeable:
            return out  # what is written to it is seen outside: no tensors
        return wrap(out) if isinstance(out, np.ndarray) and is_supported(out.dtype) else out

    made.__name__ = made.__qualname__ = function.__name__
    made.__doc__ = function.__doc__
    return made


FUNCTIONS: dict[Any, Any] = {
    np.array: array,
    np.asarray: asarray,
    np.asanyarray: asanyarray,
    np.ascontiguousarray: ascontiguousarray,
    np.asfortranarray: asfortranarray,
    np.asarray_chkfinite: asarray_chkfinite,
    np.require: require,
    np.copy: copy,
    np.zeros: zeros,
    np.ones: ones,
    np.empty: empty,
    np.full: full,
    np.zeros_like: zeros_like,
    np.ones_like: ones_like,
    np.empty_like: empty_like,
    np.full_like: full_like,
    np.eye: eye,
    np.identity: identity,
    np.tri: tri,
    np.arange: arange,
    np.linspace: linspace,
    np.frombuffer: _computed(np.frombuffer),
    np.fromfile: _computed(np.fromfile),
    np.fromstring: _computed(np.fromstring),
    np.loadtxt: _computed(np.loadtxt),
    np.genfromtxt: _computed(np.genfromtxt),
    np.from_dlpack: conversion.from_dlpack,
    np.hanning: _computed(np.hanning),
    np.hamming: _computed(np.hamming),
    np.blackman: _computed(np.blackman),
    np.bartlett: _computed(np.bartlett),
    np.indices: _computed(np.indices),
}  # fmt: skip
