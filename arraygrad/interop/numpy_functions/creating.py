"""NumPy's creation functions that meet a tensor: array(like=), zeros_like, full_like, linspace."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from ..._answers import ANSWERS, answers
from ..._apply import operand, wrap
from ..._device import as_device
from ..._dtypes import as_dtype
from ..._errors import ArgumentError
from ..._layout import as_flag, as_shape
from ..._ndarray_methods import _order_of_axes, _unpermuted
from ..._ndarray_options import memory_order
from ..._short import plain_like
from ..._storage import TensorBase
from ...ops import conversion, creation, manipulation
from ..plain import tensors


def copy_mode(copy: Any) -> bool | None:
    """NumPy's ``_CopyMode``, which libraries pass on for older NumPys, as True, False or None."""
    if isinstance(copy, np._CopyMode):
        return None if copy is np._CopyMode.IF_NEEDED else bool(copy)
    return copy  # type: ignore[no-any-return]


def converted(a: Any, dtype: Any, order: Any, copy: Any, function: str) -> Any:
    """A tensor of what is given, whose memory lies as ``order=`` asks."""
    order, copy = memory_order(order, function), copy_mode(copy)
    if not isinstance(a, TensorBase):
        return ordered(conversion.asarray(a, dtype=dtype, copy=copy), order)
    if dtype is not None and copy is not False:
        target = as_dtype(dtype)
        if target != a._array.dtype:
            return a.astype(target, order)  # type: ignore[attr-defined]
    made = conversion.asarray(a, dtype=dtype, copy=None if copy else copy)
    if copy and made._array is a._array:
        return made.copy(order)
    if copy is False and ordered(made, order) is not made:
        raise ArgumentError(f"{function}: order={order!r} needs a copy; leave copy=False away")
    return ordered(made, order)


def ordered(x: Any, order: str) -> Any:
    """The tensor, copied where its memory lies otherwise than in order C or F; A and K ask none."""
    flags = x._array.flags
    if order == "C":
        return x.contiguous()
    return x.copy("F") if order == "F" and not flags.f_contiguous else x


def laid_out(x: Any, array: Any) -> Any:
    """The tensor in memory that lies as that of an array of its shape."""
    axes = _order_of_axes(array, "K")
    if axes is None:
        return x
    return _unpermuted(manipulation.copied(manipulation.permute_dims(x, axes)), axes)


@answers(np.array)
def array(
    object: Any, dtype: Any = None, *, copy: bool | None = True, order: str = "K",
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: Any = None,
) -> Any:  # fmt: skip
    """np.array: nested lists that hold tensors keep their gradients."""
    made = converted(object, dtype, order, copy, "array")
    lead = ndmin - made._array.ndim
    return made.reshape((1,) * lead + made._array.shape) if lead > 0 else made


@answers(np.asarray, np.asanyarray)
def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None,
    copy: bool | None = None, like: Any = None,
) -> Any:  # fmt: skip
    """np.asarray."""
    return converted(a, dtype, order, copy, "asarray")


@answers(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """np.ascontiguousarray."""
    made = converted(a, dtype, "C", None, "ascontiguousarray")
    return made if made._array.ndim else made.reshape(1)


@answers(np.asfortranarray)
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """np.asfortranarray."""
    return converted(a, dtype, "F", None, "asfortranarray")


def _new(made: Any, order: Any, device: Any, function: str) -> Any:
    as_device(device)
    order = memory_order("C" if order is None else order, function)
    if order not in ("C", "F"):
        raise ArgumentError(f"{function}: order={order!r}; a new tensor is in order 'C' or 'F'")
    return ordered(made, order)


@answers(np.zeros)
def zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.zeros(like=tensor)."""
    return _new(creation.zeros(shape, dtype=dtype), order, device, "zeros")


@answers(np.ones)
def ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.ones(like=tensor)."""
    return _new(creation.ones(shape, dtype=dtype), order, device, "ones")


@answers(np.empty)
def empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.empty(like=tensor)."""
    return _new(creation.empty(shape, dtype=dtype), order, device, "empty")


@answers(np.full)
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None,
    like: Any = None,
) -> Any:  # fmt: skip
    """np.full(like=tensor)."""
    return _new(creation.full(shape, fill_value, dtype=dtype), order, device, "full")


@answers(np.eye)
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: str = "C", *,
    device: Any = None, like: Any = None,
) -> Any:  # fmt: skip
    """np.eye(like=tensor)."""
    return _new(creation.eye(N, M, k=k, dtype=dtype), order, device, "eye")


@answers(np.identity)
def identity(n: int, dtype: Any = None, *, like: Any = None) -> Any:
    """np.identity(like=tensor)."""
    return creation.eye(n, dtype=dtype)


@answers(np.arange)
def arange(*args: Any, device: Any = None, like: Any = None, **kwargs: Any) -> Any:
    """np.arange(like=tensor)."""
    return creation.arange(*args, **kwargs)


def _like(function: Any, value: int | None) -> Any:
    def made(
        a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
        device: Any = None,
    ) -> Any:  # fmt: skip
        x = operand(a, function.__name__)
        if dtype is None and shape is None and order == "K" and device is None and subok is True:
            if x._array.flags.c_contiguous:  # most calls
                out = plain_like(x, value)
                if out is not None:
                    return out
        as_device(device)
        layout = _layout_like(x, dtype, order, subok, shape, made.__name__)
        return laid_out(function(layout.shape, dtype=layout.dtype), layout)

    made.__name__ = f"{function.__name__}_like"
    return made


def _layout_like(x: Any, dtype: Any, order: Any, subok: Any, shape: Any, function: str) -> Any:
    """An array that lies as the result, with whatever the memory holds."""
    as_flag(subok, "subok", function)
    order = memory_order(order, function)
    target = x._array.dtype if dtype is None else as_dtype(dtype)
    size = None if shape is None else as_shape(shape)
    like = x._array if type(x._array) is np.ndarray else np.empty(x._array.shape, target)
    return np.empty_like(like, target, order, False, size)


zeros_like = answers(np.zeros_like)(_like(creation.zeros, 0))
ones_like = answers(np.ones_like)(_like(creation.ones, 1))
empty_like = answers(np.empty_like)(_like(creation.empty, None))


_FLOAT64 = np.dtype(np.float64)


@answers(np.full_like)
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,
    shape: Any = None, *, device: Any = None,
) -> Any:  # fmt: skip
    """np.full_like."""
    x = operand(a, "full_like")
    if type(fill_value) is float and x._array.dtype is _FLOAT64 and device is None:
        if dtype is None and shape is None and order == "K" and subok is True:
            if x._array.flags.c_contiguous:  # most calls
                out = plain_like(x, fill_value)
                if out is not None:
                    return out
    as_device(device)
    layout = _layout_like(x, dtype, order, subok, shape, "full_like")
    return laid_out(creation.full(layout.shape, fill_value, dtype=layout.dtype), layout)


@answers(np.tri)
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float, *, like: Any = None) -> Any:
    """np.tri(like=tensor)."""
    return wrap(np.tri(N, M, k, dtype))


@answers(np.astype)
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """np.astype: stays in the graph."""
    return operand(x, "astype").astype(dtype, copy=copy)


@answers(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """np.require: stays in the graph; a copy where memory of its own or another order is asked."""
    x = conversion.asarray(a, dtype=dtype)
    wanted = {str(r).upper()[0] for r in requirements or ()}
    flags = x._array.flags
    if wanted & {"F"}:
        return x if flags.f_contiguous else x.T.copy().T
    if ("C" in wanted and not flags.c_contiguous) or (
        wanted & {"O", "W"} and not (flags.owndata and flags.writeable)
    ):
        return x.copy()
    return x


@answers(np.fromfunction)
def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """np.fromfunction(like=tensor): the function gets tensors."""
    return function(*(wrap(i.copy()) for i in np.indices(shape, dtype=dtype)), **kwargs)


@answers(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """np.fromiter(like=tensor): tracked elements stay in the graph."""
    items = list(itertools.islice(iter, None if count < 0 else count))
    return conversion.asarray(items, dtype=np.dtype(dtype))


def _read(function: Any) -> Any:
    """A function that reads numbers from outside: makes a tensor of them."""

    @functools.wraps(function)
    def read(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        return tensors(function(*args, **kwargs))

    ANSWERS[function] = read
    return read


frombuffer = _read(np.frombuffer)
fromfile = _read(np.fromfile)
fromstring = _read(np.fromstring)
loadtxt = _read(np.loadtxt)
genfromtxt = _read(np.genfromtxt)
