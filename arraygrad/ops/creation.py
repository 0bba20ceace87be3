"""Creation: arange, linspace, meshgrid, tril, triu; those of one value are in ``filled``."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from .._apply import apply, cast, constant, node_of, operand, wrap
from .._device import Device
from .._dispatch import register_kernel
from .._dtypes import DTypeLike, as_dtype, complex128, float64, promote
from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    IntegerOverflowError,
    OutOfMemoryError,
    ShapeError,
)
from .._graph import is_grad_enabled
from .._layout import as_integer
from .._lazy import LazyModule
from .._op import Linear, Op, declare
from .._storage import TensorBase
from .arithmetic import add, multiply
from .conversion import asarray as asarray, from_dlpack as from_dlpack, tensor as tensor
from .devices import to_device
from .filled import (
    PHYSICAL_MEMORY,
    check_size,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .manipulation import broadcast_to, copied, reshape
from .views import triangle_array

if TYPE_CHECKING:
    from .. import _hints as hints
    from .._tensor import Tensor
else:
    hints = LazyModule("arraygrad._hints")

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
    if steps * size.itemsize > PHYSICAL_MEMORY:
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
    check_size((count,), target or complex128, True)
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
