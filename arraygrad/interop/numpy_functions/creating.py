"""NumPy's creation functions that meet a tensor: array(like=), zeros_like, full_like, linspace."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from ..._answers import ANSWERS, answers
from ..._apply import operand, wrap
from ..._device import as_device
from ..._short import plain_like
from ...ops import conversion, creation
from ..plain import tensors


def copy_mode(copy: Any) -> bool | None:
    """NumPy's ``_CopyMode``, which libraries pass on for older NumPys, as True, False or None."""
    if isinstance(copy, np._CopyMode):
        return None if copy is np._CopyMode.IF_NEEDED else bool(copy)
    return copy  # type: ignore[no-any-return]


@answers(np.array)
def array(
    object: Any, dtype: Any = None, *, copy: bool | None = True, order: str = "K",
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: Any = None,
) -> Any:  # fmt: skip
    """np.array: nested lists that hold tensors keep their gradients."""
    made = conversion.asarray(object, dtype=dtype, copy=copy_mode(copy))
    lead = ndmin - made._array.ndim
    return made.reshape((1,) * lead + made._array.shape) if lead > 0 else made


@answers(np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None,
    copy: bool | None = None, like: Any = None,
) -> Any:  # fmt: skip
    """np.asarray."""
    return conversion.asarray(a, dtype=dtype, copy=copy_mode(copy))


@answers(np.zeros)
def zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.zeros(like=tensor)."""
    return creation.zeros(shape, dtype=dtype)


@answers(np.ones)
def ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.ones(like=tensor)."""
    return creation.ones(shape, dtype=dtype)


@answers(np.empty)
def empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    """np.empty(like=tensor)."""
    return creation.empty(shape, dtype=dtype)


@answers(np.full)
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None,
    like: Any = None,
) -> Any:  # fmt: skip
    """np.full(like=tensor)."""
    return creation.full(shape, fill_value, dtype=dtype)


@answers(np.eye)
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: str = "C", *,
    device: Any = None, like: Any = None,
) -> Any:  # fmt: skip
    """np.eye(like=tensor)."""
    return creation.eye(N, M, k=k, dtype=dtype)


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
        if dtype is None and shape is None and order == "K" and device is None:  # most calls
            out = plain_like(x, value)
            if out is not None:
                return out
        size = x._array.shape if shape is None else shape
        as_device(device)
        return function(size, dtype=x._array.dtype if dtype is None else dtype)

    made.__name__ = f"{function.__name__}_like"
    return made


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
        if dtype is None and shape is None and order == "K":  # most calls
            out = plain_like(x, fill_value)
            if out is not None:
                return out
    as_device(device)
    size = x._array.shape if shape is None else shape
    return creation.full(size, fill_value, dtype=x._array.dtype if dtype is None else dtype)


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
