"""Creation of tensors of one value: empty, eye, full, ones, zeros, and their likes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._apply import cast, operand, wrap
from .._device import Device
from .._dtypes import DTypeLike, as_dtype, check_convertible, float64
from .._errors import (
    ArgumentError,
    DTypeError,
    IntegerOverflowError,
    OutOfMemoryError,
    ShapeError,
)
from .._layout import Shape, as_integer, as_shape
from .._lazy import LazyModule
from .._short import plain_like
from .._storage import TensorBase
from .conversion import asarray
from .devices import to_device
from .manipulation import broadcast_to, copied
from .searching import is_number

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


PHYSICAL_MEMORY = _physical_memory()


def check_size(shape: Shape, dtype: np.dtype[Any], filled: bool) -> None:
    """OutOfMemoryError for sizes that cannot exist; filled memory must fit the machine's."""
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes >= 1 << 63 or (filled and nbytes > PHYSICAL_MEMORY):
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
    check_size(shape, dtype, filled)
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
    check_size(sizes, given._array.dtype, True)
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
