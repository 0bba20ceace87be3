"""Shape, stride and axis arithmetic on plain integers. Knows nothing of memory or tensors."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError, ArraygradError, AxisError, ShapeError

Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None


def listed(x: Any) -> tuple[Any, ...]:
    """The numbers of an argument that is one or lists some; a 0-d array is a number itself."""
    return tuple(x) if isinstance(x, Iterable) and getattr(x, "ndim", 1) != 0 else (x,)


def as_shape(shape: int | Iterable[int], argument: str = "shape") -> Shape:
    """A tuple of non-negative Python integers from an integer or a sequence of them."""
    if type(shape) is tuple:
        for size in shape:
            if type(size) is not int or size < 0:
                break
        else:  # nearly always
            return shape
    try:
        sizes = tuple(map(operator.index, listed(shape)))
    except TypeError as error:
        raise ArgumentTypeError(
            f"{argument}: {shape!r} is not an integer or a tuple of integers"
        ) from error
    for size in sizes:
        if size < 0:
            raise ShapeError(f"{argument}: {sizes} has a negative size; sizes must be >= 0")
    return sizes


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that all shapes broadcast to; ShapeError where they do not."""
    if not shapes:
        return ()
    out = shapes[0]
    for shape in shapes[1:]:
        if shape != out:
            out = _broadcast_two(out, shape, shapes)
    return out


def _broadcast_two(shape1: Shape, shape2: Shape, shapes: Sequence[Shape]) -> Shape:
    if len(shape1) < len(shape2):
        shape1, shape2 = shape2, shape1
    lead = len(shape1) - len(shape2)
    out = list(shape1)
    for axis, size in enumerate(shape2, lead):
        if size != out[axis]:
            if out[axis] == 1:
                out[axis] = size
            elif size != 1:
                listed = " and ".join(str(s) for s in shapes)
                raise ShapeError(
                    f"shapes {listed} do not broadcast: sizes {out[axis]} and {size} meet in "
                    "one dimension; use reshape or x[:, None] to line dimensions up"
                )
    return tuple(out)


def as_integer(number: Any, argument: str, function: str) -> int:
    """A Python integer; ArgumentTypeError for what is none."""
    try:
        return operator.index(number)
    except TypeError as error:
        raise ArgumentTypeError(f"{function}: {argument}={number!r} is not an integer") from error


def as_real(number: Any, argument: str, function: str) -> float:
    """A Python float; ArgumentTypeError for what is none."""
    try:
        return float(number)
    except ArraygradError:  # of a tensor, which says what is lost
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentTypeError(
            f"{function}: {argument}={number!r:.60} is not a real number"
        ) from error


def as_flag(value: Any, argument: str, function: str) -> bool:
    """True or False, from a truth value or an integer; ArgumentTypeError for None and others."""
    if value is True or value is False:
        return value
    try:
        return bool(value if type(value).__name__ == "bool" else operator.index(value))
    except TypeError as error:
        raise ArgumentTypeError(
            f"{function}: {argument}={value!r} is neither True nor False"
        ) from error


def normalize_axis(axis: int, ndim: int, argument: str = "axis") -> int:
    """The axis as a number in range(ndim)."""
    if type(axis) is int and -ndim <= axis < ndim:  # nearly always
        return axis + ndim if axis < 0 else axis
    if isinstance(axis, bool | np.bool):  # which Python and older NumPys take for a number
        raise ArgumentTypeError(f"{argument}={axis} is not an integer; use {int(axis)}")
    try:
        number = operator.index(axis)
    except TypeError as error:
        raise ArgumentTypeError(f"{argument}={axis!r} is not an integer") from error
    if not -ndim <= number < ndim:
        raise AxisError(
            f"{argument}={number} is out of range for {ndim} dimension{'s' * (ndim != 1)}"
            + (f"; use {-ndim} to {ndim - 1}" if ndim else "; a 0-d tensor has no axes")
        )
    return number + ndim if number < 0 else number


ALL_AXES = [tuple(range(ndim)) for ndim in range(65)]  # NumPy has at most 64 dimensions


def as_python(number: Any) -> Any:
    """A NumPy number, or a tensor of one, as Python's, for texts; others as they are."""
    return number.item() if getattr(number, "ndim", None) == 0 else number


def normalize_axes(
    axis: Any, ndim: int, argument: str = "axis", strict: bool = False
) -> tuple[int, ...]:
    """Sorted axes in range(ndim); None means all of them. Several are a tuple, as in NumPy.

    As in NumPy's reductions a 0-d array may be reduced along axis 0 or -1, which changes nothing;
    `strict` are those of them that count elements (mean, var, std), for which it has no axis.
    """
    if axis is None:
        return ALL_AXES[ndim]
    if isinstance(axis, list | range) or getattr(axis, "ndim", None):
        raise ArgumentTypeError(
            f"{argument}={axis!r} is a {type(axis).__name__}; several axes are a tuple, "
            f"{argument}={tuple(map(as_python, axis))}"
        )
    if isinstance(axis, tuple):
        axes = tuple([normalize_axis(a, ndim, argument) for a in axis])
        if len(set(axes)) != len(axes):
            raise ArgumentError(f"{argument}={axis} names one axis twice")
        return tuple(sorted(axes))
    if not ndim and not strict and axis in (0, -1) and not isinstance(axis, bool | np.bool):
        return ()
    return (normalize_axis(axis, ndim, argument),)


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """Shape after reducing the (normalised) axes."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def infer_size(shape: Sequence[int], size: int, argument: str = "shape") -> Shape:
    """Replace one -1 in `shape` so that it holds `size` elements; ShapeError if it cannot."""
    try:
        sizes = tuple(map(operator.index, shape))
    except TypeError as error:
        raise ArgumentTypeError(f"{argument}: {shape!r} is not a tuple of integers") from error
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    if any(n < -1 for n in sizes) or len(unknown) > 1:
        raise ShapeError(f"{argument}={sizes}: only one size may be -1, all others must be >= 0")
    if unknown:
        known = prod(n for n in sizes if n != -1)
        if known == 0 or size % known:
            raise ShapeError(f"cannot reshape {size} elements into {argument}={sizes}")
        sizes = tuple(size // known if n == -1 else n for n in sizes)
    elif prod(sizes) != size:
        raise ShapeError(
            f"cannot reshape {size} elements into {argument}={sizes}, which holds {prod(sizes)}"
        )
    return sizes


def byte_extent(shape: Shape, strides_bytes: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """Lowest and one past the highest byte touched, relative to the first element."""
    if 0 in shape:
        return 0, 0
    low = high = 0
    for size, stride in zip(shape, strides_bytes, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high + itemsize


def may_overlap_itself(shape: Shape, strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether two indices can reach one byte (exact for ordinary views, else conservative)."""
    pairs = sorted(
        (abs(stride), size) for size, stride in zip(shape, strides, strict=True) if size > 1
    )
    if 0 in shape:
        return False
    span = itemsize
    for stride, size in pairs:
        if stride < span:
            return True
        span = stride * (size - 1) + span
    return False
