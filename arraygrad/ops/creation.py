"""Creation: arange, empty, eye, full, linspace, meshgrid, ones, tril, triu, zeros, ..."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from .._apply import apply, cast, constant, node_of, operand, wrap
from .._device import Device
from .._dispatch import register_kernel
from .._dtypes import DTypeLike, as_dtype, check_convertible, complex128, float64, promote
from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    IntegerOverflowError,
    OutOfMemoryError,
    ShapeError,
)
from .._graph import is_grad_enabled
from .._layout import Shape, as_integer, as_shape
from .._lazy import LazyModule
from .._op import Linear, Op, declare
from .._short import plain_like
from .._storage import TensorBase
from .arithmetic import add, multiply
from .conversion import asarray as asarray, from_dlpack as from_dlpack, tensor as tensor
from .devices import to_device
from .manipulation import broadcast_to, copied, reshape
from .searching import is_number
from .views import triangle_array

if TYPE_CHECKING:
    from .. import _hints as hints
    from .._tensor import Tensor
else:
    hints = LazyModule("arraygrad._hints")

# -- memory ---------------------------------------------------------------------------------------


def _physical_memory() -> int:
    """Bytes of memory that the machine has; as good as unlimited where that cannot be asked."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


_PHYSICAL = _physical_memory()


def _check_size(shape: Shape, dtype: np.dtype[Any], filled: bool) -> None:
    """OutOfMemoryError for sizes that cannot exist; filled memory must fit the machine's."""
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes >= 1 << 63 or (filled and nbytes > _PHYSICAL):
        raise _too_large(shape, dtype, nbytes)


def _too_large(shape: Shape, dtype: np.dtype[Any], nbytes: int) -> OutOfMemoryError:
    size = f"{nbytes / 2**30:.4g}" if nbytes < 1 << 90 else f"2**{nbytes.bit_length() - 31}"
    return OutOfMemoryError(
        f"a tensor of shape {shape} and dtype {dtype} needs {size} GiB, more than "
        "this machine can give; work in pieces or in a smaller dtype"
    )


def _allocated(
    make: Callable[..., Any], shape: Shape, dtype: np.dtype[Any], device: Any, filled: bool
) -> Any:
    _check_size(shape, dtype, filled)
    try:
        out = wrap(make(shape, dtype))
    except MemoryError as error:
        raise _too_large(shape, dtype, math.prod(shape) * dtype.itemsize) from error
    except ValueError as error:
        raise ShapeError(f"shape {shape}: {error}") from error
    return out if device is None else to_device(out, device)


def _new_dtype(dtype: DTypeLike | None) -> np.dtype[Any]:
    return float64 if dtype is None else as_dtype(dtype)


def empty(
    shape: int | tuple[int, ...],
    *more: Never,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor whose elements are whatever the memory holds.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : Device or str, optional

    Returns
    -------
    Tensor

    Raises
    ------
    OutOfMemoryError
        The memory cannot be had.
    """
    if more or unknown:
        hints.refuse_arguments("empty", (shape, *more), unknown)
    return _allocated(np.empty, as_shape(shape), _new_dtype(dtype), device, False)  # type: ignore[no-any-return]


def zeros(
    shape: int | tuple[int, ...],
    *more: Never,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : Device or str, optional

    Returns
    -------
    Tensor

    Raises
    ------
    OutOfMemoryError
        The memory cannot be had.
    """
    if more or unknown:
        hints.refuse_arguments("zeros", (shape, *more), unknown)
    return _allocated(np.zeros, as_shape(shape), _new_dtype(dtype), device, False)  # type: ignore[no-any-return]


def ones(
    shape: int | tuple[int, ...],
    *more: Never,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of ones.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : Device or str, optional

    Returns
    -------
    Tensor

    Raises
    ------
    OutOfMemoryError
        The memory cannot be had.
    """
    if more or unknown:
        hints.refuse_arguments("ones", (shape, *more), unknown)
    return _allocated(np.ones, as_shape(shape), _new_dtype(dtype), device, True)  # type: ignore[no-any-return]


def full(
    shape: int | tuple[int, ...],
    fill_value: Tensor | complex,
    *more: Never,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor filled with one value.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : Python scalar or Tensor
        A tensor is broadcast to the shape and stays in the graph.
    dtype : dtype, optional
        That of the value by default: bool, int64, float64 or complex128 for Python scalars.
    device : Device or str, optional

    Returns
    -------
    Tensor
        Memory of its own.

    Raises
    ------
    OutOfMemoryError
        The memory cannot be had.
    IntegerOverflowError
        The value does not fit the dtype.

    Notes
    -----
    Derivative: the sum of the cotangent.
    """
    if more or unknown:
        hints.refuse_arguments("full", (shape, fill_value, *more), unknown)
    sizes = as_shape(shape)
    if is_number(fill_value):
        target = np.dtype(type(fill_value)) if dtype is None else as_dtype(dtype)
        value = _fill(fill_value, target)
        return _allocated(  # type: ignore[no-any-return]
            lambda s, d: np.full(s, value, d), sizes, target, device, True
        )
    given: Any = asarray(fill_value)
    if dtype is not None:
        target = as_dtype(dtype)
        check_convertible(given._array, target, "full")
        given = cast(given, target)
    _check_size(sizes, given._array.dtype, True)
    out: Any = copied(broadcast_to(given, sizes))
    return out if device is None else to_device(out, device)  # type: ignore[no-any-return]


def _fill(value: Any, dtype: np.dtype[Any]) -> Any:
    try:
        return np.array(value, dtype)
    except OverflowError as error:
        raise IntegerOverflowError(
            f"full: {value} does not fit dtype {dtype}; use a larger dtype"
        ) from error
    except ValueError as error:
        raise ArgumentError(
            f"full: {value} has no value in dtype {dtype}; use a floating-point dtype"
        ) from error
    except TypeError as error:
        raise DTypeError(
            f"full: {value} is complex and dtype {dtype} is not; use value.real or a complex dtype"
        ) from error


# -- like another tensor --------------------------------------------------------------------------


def _like(x: Any, dtype: DTypeLike | None, function: str) -> tuple[Shape, np.dtype[Any], Any]:
    x = operand(x, function)
    device = None if type(x._array) is np.ndarray else x.device
    return x._array.shape, x._array.dtype if dtype is None else as_dtype(dtype), device


def empty_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of the shape of x whose elements are whatever the memory holds.

    Parameters
    ----------
    x : Tensor
    dtype : dtype, optional
        That of x by default.
    device : Device or str, optional
        That of x by default.

    Returns
    -------
    Tensor
        Without gradient.
    """
    if unknown:
        hints.refuse_keywords("empty_like", unknown)
    if dtype is None and device is None and isinstance(x, TensorBase):
        out = plain_like(x, None)
        if out is not None:
            return out  # type: ignore[no-any-return]
    shape, target, place = _like(x, dtype, "empty_like")
    return empty(shape, dtype=target, device=place if device is None else device)


def zeros_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of zeros of the shape of x.

    Parameters
    ----------
    x : Tensor
    dtype : dtype, optional
        That of x by default.
    device : Device or str, optional
        That of x by default.

    Returns
    -------
    Tensor
        Without gradient.
    """
    if unknown:
        hints.refuse_keywords("zeros_like", unknown)
    if dtype is None and device is None and isinstance(x, TensorBase):
        out = plain_like(x, 0)
        if out is not None:
            return out  # type: ignore[no-any-return]
    shape, target, place = _like(x, dtype, "zeros_like")
    return zeros(shape, dtype=target, device=place if device is None else device)


def ones_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of ones of the shape of x.

    Parameters
    ----------
    x : Tensor
    dtype : dtype, optional
        That of x by default.
    device : Device or str, optional
        That of x by default.

    Returns
    -------
    Tensor
        Without gradient.
    """
    if unknown:
        hints.refuse_keywords("ones_like", unknown)
    if dtype is None and device is None and isinstance(x, TensorBase):
        out = plain_like(x, 1)
        if out is not None:
            return out  # type: ignore[no-any-return]
    shape, target, place = _like(x, dtype, "ones_like")
    return ones(shape, dtype=target, device=place if device is None else device)


def full_like(
    x: Tensor,
    /,
    fill_value: Tensor | complex,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A tensor of the shape of x filled with one value.

    Parameters
    ----------
    x : Tensor
    fill_value : Python scalar or Tensor
        A tensor is broadcast to the shape and stays in the graph.
    dtype : dtype, optional
        That of x by default.
    device : Device or str, optional
        That of x by default.

    Returns
    -------
    Tensor
        Memory of its own.

    Notes
    -----
    Derivative by the value: the sum of the cotangent; x gives its shape only.
    """
    if unknown:
        hints.refuse_keywords("full_like", unknown)
    shape, target, place = _like(x, dtype, "full_like")
    return full(shape, fill_value, dtype=target, device=place if device is None else device)


# -- ranges and grids -----------------------------------------------------------------------------


def _number(x: Any, function: str, argument: str) -> Any:
    """A Python or NumPy number from a number or a tensor of one element."""
    if isinstance(x, TensorBase | np.ndarray):
        array: Any = x._array if isinstance(x, TensorBase) else x
        if array.size != 1:
            raise ShapeError(f"{function}: {argument} has shape {array.shape}; it must be a number")
        return array.reshape(())[()]
    if isinstance(x, bool | int | float | complex | np.generic):
        return x
    try:
        return operator.index(x)
    except TypeError as error:
        raise ArgumentTypeError(f"{function}: {argument}={x!r} is not a number") from error


def _is_tracked(x: Any) -> bool:
    return isinstance(x, TensorBase) and node_of(x) is not None and is_grad_enabled()


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """Evenly spaced numbers from `start` until before `stop`.

    Parameters
    ----------
    start : int, float or 0-d Tensor
        Without `stop` this is the end, and the start is 0.
    stop : int, float or 0-d Tensor, optional
    step : int, float or 0-d Tensor
        Not zero.
    dtype : dtype, optional
        int64 if all are integers, else float64; that of tensors.
    device : Device or str, optional

    Returns
    -------
    Tensor, shape (ceil((stop - start) / step),)

    Notes
    -----
    Derivative: element i is start + i * step. The number of elements, which is all that `stop`
    decides, is piecewise constant.
    """
    if unknown:
        hints.refuse_keywords("arange", unknown)
    if stop is None:
        start, stop = 0, start
    first, last, by = (
        _number(x, "arange", name) for x, name in ((start, "start"), (stop, "stop"), (step, "step"))
    )
    if any(isinstance(x, complex | np.complexfloating) for x in (first, last, by)):
        raise ArgumentTypeError("arange takes real numbers, which have an order")
    if by == 0:
        raise ArgumentError("arange: step=0 never reaches stop; use ag.full for equal elements")
    try:
        steps = (float(last) - float(first)) / float(by)
    except OverflowError as error:
        raise IntegerOverflowError(f"arange: {first} to {last} does not fit 64 bits") from error
    if math.isnan(steps):
        raise ArgumentError(f"arange: start={first}, stop={last}, step={by} hold NaN")
    target = None if dtype is None else as_dtype(dtype)
    size = target or float64
    if steps * size.itemsize > _PHYSICAL:
        raise OutOfMemoryError(
            f"arange: start={first}, stop={last}, step={by} needs {steps:.4g} elements of "
            f"{size.itemsize} bytes, more than this machine has"
        )
    if _is_tracked(start) or _is_tracked(step):
        count = max(math.ceil(steps), 0)
        out = add(start, multiply(step, wrap(np.arange(count, dtype=float64))))
        narrow = out._array.dtype if target is None else target
        common = _common_dtype(start, step) if target is None else narrow
        out = cast(out, common)
    else:
        try:
            made = np.arange(first, last, by, dtype=target)
        except OverflowError as error:
            raise IntegerOverflowError(f"arange: {error}") from error
        if made.dtype.kind == "O":
            raise IntegerOverflowError(f"arange: {first} to {last} does not fit 64-bit integers")
        out = wrap(made)
    return out if device is None else to_device(out, device)  # type: ignore[no-any-return]


def _common_dtype(*numbers: Any) -> np.dtype[Any]:
    """The dtype of the tensors among the numbers, at least floating-point."""
    dtype: np.dtype[Any] | None = None
    for x in numbers:
        if isinstance(x, TensorBase):
            dtype = x._array.dtype if dtype is None else promote(dtype, x._array.dtype)
    return float64 if dtype is None or dtype.kind in "biu" else dtype


def linspace(
    start: Tensor | complex,
    stop: Tensor | complex,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    endpoint: bool = True,
    **unknown: Never,
) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start, stop : Python scalar or Tensor
        Tensors of more dimensions are interpolated element by element.
    num : int
        Number of samples.
    dtype : dtype, optional
        float64, or complex128 if an end is complex; that of tensors.
    device : Device or str, optional
    endpoint : bool
        Whether `stop` is the last sample, or the first one left out.

    Returns
    -------
    Tensor, shape (num, ...)

    Notes
    -----
    Derivative: sample i is (1 - w) * start + w * stop with w = i / (num - 1).
    """
    if unknown:
        hints.refuse_keywords("linspace", unknown)
    count = as_integer(num, "num", "linspace")
    if count < 0:
        raise ArgumentError(f"linspace: num={count} is negative")
    target = None if dtype is None else as_dtype(dtype)
    _check_size((count,), target or complex128, True)
    if _is_tracked(start) or _is_tracked(stop):
        out = _linspace_tracked(start, stop, count, endpoint)
        if target is not None:
            out = cast(out, target)
    else:
        first, last = _end(start, 1), _end(stop, 2)
        made = np.linspace(first, last, count, endpoint=endpoint, dtype=target)
        out = wrap(made)
    return out if device is None else to_device(out, device)  # type: ignore[no-any-return]


def _end(x: Any, position: int) -> Any:
    """An end of linspace as NumPy takes it: the array of what may be one, numbers themselves."""
    if type(x) is int:
        return x if -(2**63) <= x < 2**63 else float(constant(x, float64))
    return x if type(x) in (float, complex, bool) else operand(x, "linspace", position)._array


def _linspace_tracked(start: Any, stop: Any, count: int, endpoint: bool) -> Any:
    first, last = operand(start, "linspace", 1), operand(stop, "linspace", 2)
    dtype = _common_dtype(*[x for x in (start, stop) if isinstance(x, TensorBase)])
    if any(isinstance(x, complex) for x in (start, stop)):
        dtype = promote(dtype, np.dtype(np.complex64))
    ndim = max(first._array.ndim, last._array.ndim)
    steps = max(count - 1 if endpoint else count, 1)
    weight = (np.arange(count) / steps).reshape((count,) + (1,) * ndim)
    # Both weights are exact at the ends, so that the samples there are.
    return add(
        multiply(cast(first, dtype), wrap((1 - weight).astype(dtype))),
        multiply(cast(last, dtype), wrap(weight.astype(dtype))),
    )


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    **unknown: Never,
) -> Tensor:
    """A matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
    n_cols : int, optional
        As many as rows by default.
    k : int
        Which diagonal: above the main one if positive, below it if negative.
    dtype : dtype, optional
        float64 by default.
    device : Device or str, optional

    Returns
    -------
    Tensor, shape (n_rows, n_cols)
    """
    if unknown:
        hints.refuse_keywords("eye", unknown)
    shape = as_shape((n_rows, n_rows if n_cols is None else n_cols), "n_rows, n_cols")
    diagonal = max(-shape[0], min(shape[1], as_integer(k, "k", "eye")))
    return _allocated(  # type: ignore[no-any-return]
        lambda s, d: np.eye(s[0], s[1], diagonal, d), shape, _new_dtype(dtype), device, False
    )


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid from the coordinates along its axes.

    Parameters
    ----------
    *arrays : Tensor, 1-d or 0-d
    indexing : {"xy", "ij"}
        "xy" exchanges the first two dimensions of the results.

    Returns
    -------
    tuple of Tensor
        One per argument, of its dtype, with memory of its own.

    Notes
    -----
    Derivative: the sum over the dimensions of the other axes.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing={indexing!r}; use 'xy' or 'ij'")
    tensors = [operand(a, "meshgrid") for a in arrays]
    for i, t in enumerate(tensors, 1):
        if t._array.ndim > 1:
            raise ShapeError(
                f"meshgrid: argument {i} has shape {t._array.shape}; coordinates are 1-d"
            )
    places = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        places[:2] = [1, 0]
    shape = [1] * len(tensors)
    for t, place in zip(tensors, places, strict=True):
        shape[place] = t._array.size
    results = []
    for t, place in zip(tensors, places, strict=True):
        along = [1] * len(tensors)
        along[place] = t._array.size
        results.append(copied(broadcast_to(reshape(t, tuple(along)), tuple(shape))))
    return tuple(results)


# -- triangles ------------------------------------------------------------------------------------

TRIL: Op = declare(Op("tril", ("x",), Linear(x=lambda g, k: tril(g, k=k)), scalar=False))
TRIU: Op = declare(Op("triu", ("x",), Linear(x=lambda g, k: triu(g, k=k)), scalar=False))
register_kernel("tril", lambda x, *, k: triangle_array(x, k, np.tril))
register_kernel("triu", lambda x, *, k: triangle_array(x, k, np.triu))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangle of each matrix; zeros above a diagonal.

    Parameters
    ----------
    x : Tensor, shape (..., m, n)
    k : int
        The diagonal: above the main one if positive, below it if negative.

    Returns
    -------
    Tensor
        Memory of its own.

    Notes
    -----
    Derivative: the lower triangle of the cotangent.
    """
    return _triangle(TRIL, x, k)  # type: ignore[no-any-return]


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangle of each matrix; zeros below a diagonal.

    Parameters
    ----------
    x : Tensor, shape (..., m, n)
    k : int
        The diagonal: above the main one if positive, below it if negative.

    Returns
    -------
    Tensor
        Memory of its own.

    Notes
    -----
    Derivative: the upper triangle of the cotangent.
    """
    return _triangle(TRIU, x, k)  # type: ignore[no-any-return]


def _triangle(op: Op, x: Any, k: int) -> Any:
    x = operand(x, op.name)
    shape = x._array.shape
    if len(shape) < 2:
        raise ShapeError(f"{op.name} takes matrices, shape (..., m, n), not shape {shape}")
    k = as_integer(k, "k", op.name)
    return apply(op, x, k=max(-shape[-2] - 1, min(shape[-1] + 1, k)))
