"""Views beyond the standard's: diagonals, windows, arbitrary strides, other shapes and dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import _Types, apply, node_of, operand, view, viewed, wrap
from .._dispatch import register_kernel
from .._dtypes import DTypeLike, as_dtype
from .._errors import ArgumentError, DTypeError, GradientError, ShapeError
from .._graph import is_grad_enabled, next_seq
from .._history import READ_WINDOW
from .._layout import (
    Shape,
    as_integer,
    as_shape,
    byte_extent,
    infer_size,
    listed,
    normalize_axes,
    normalize_axis,
)
from .._op import Linear, Op, declare
from .._storage import Geometry, family_of, join_family
from .shapes import RESHAPE

if TYPE_CHECKING:
    from .._tensor import Tensor


def viewable(x: Any, function: str) -> Any:
    """The operand as a tensor that may have views: scalars own their memory, so they are copied."""
    if type(x) is _Types.tensor:
        return x
    x = operand(x, function)
    if isinstance(x, _Types.scalar):
        return wrap(x._array.copy(), node_of(x))
    return x


ndarray = np.ndarray
_FAR = 1 << 30  # beyond all diagonals

# -- diagonals and windows ------------------------------------------------------------------------


def _put_diagonal_array(g: Any, *, shape: Shape, offset: int, axis1: int, axis2: int) -> Any:
    out = np.zeros(shape, g.dtype)
    _diagonal_array(out, offset=offset, axis1=axis1, axis2=axis2)[...] = g
    return out


def _diagonal_array(x: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    out = x.diagonal(offset, axis1, axis2)
    # NumPy marks its diagonals read-only for reasons of its past; it is an ordinary view.
    out.flags.writeable = x.flags.writeable
    return out


# (function, rows, columns, k) -> where the triangle is, for small matrices.
_TRIANGLES: dict[tuple[Any, int, int, int], Any] = {}


def triangle_array(x: Any, k: int, function: Any) -> Any:
    """NumPy's triangle of each matrix; making the mask takes most of its time."""
    rows, columns = x.shape[-2:]
    if rows * columns > 1 << 12 or x.dtype.kind not in "biufc":
        return function(x, k)
    mask = _TRIANGLES.get((function, rows, columns, k))
    if mask is None:
        mask = function(np.ones((rows, columns), bool), k)
        if len(_TRIANGLES) < 64:
            _TRIANGLES[function, rows, columns, k] = mask
    return np.where(mask, x, x.dtype.type(0))


DIAGONAL: Op = declare(
    Op("diagonal", ("x",),
       Linear(x=lambda g, x_shape, offset, axis1, axis2: apply(
           PUT_DIAGONAL, g, shape=x_shape, offset=offset, axis1=axis1, axis2=axis2)),
       family="view", scalar=False)
)  # fmt: skip
register_kernel("diagonal", _diagonal_array)
PUT_DIAGONAL: Op = declare(
    Op("put_diagonal", ("x",),
       Linear(x=lambda g, offset, axis1, axis2: diagonal(g, offset, axis1, axis2)), scalar=False)
)  # fmt: skip
register_kernel("put_diagonal", _put_diagonal_array)


def diagonal(x: Tensor, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as the last dimension.

    Parameters
    ----------
    x : Tensor, at least 2-d
    offset : int
        Above the main diagonal if positive, below it if negative.
    axis1, axis2 : int
        The two dimensions.

    Returns
    -------
    Tensor
        A view that can be written.

    Notes
    -----
    Derivative: the cotangent on the diagonal, zero elsewhere.
    """
    x = viewable(x, "diagonal")
    array = x._array
    ndim = array.ndim
    # The diagonals of one matrix, as nearly always.
    plain = ndim == 2 and axis1 == 0 and axis2 == 1 and type(axis1) is int and type(axis2) is int
    if plain and type(offset) is int and abs(offset) < _FAR and type(array) is ndarray:
        out = array.diagonal(offset)
        if array.flags.writeable:
            out.setflags(write=True)
        kept = {"offset": offset, "axis1": 0, "axis2": 1, "x_shape": array.shape}
        return viewed(DIAGONAL, x, array, out, None, kept)  # type: ignore[no-any-return]
    if ndim < 2:
        raise ShapeError(f"diagonal needs at least 2 dimensions, x has {ndim}")
    first, second = normalize_axis(axis1, ndim, "axis1"), normalize_axis(axis2, ndim, "axis2")
    if first == second:
        raise ArgumentError(f"diagonal: axis1={axis1} and axis2={axis2} are one axis")
    place = as_integer(offset, "offset", "diagonal")
    shape = x._array.shape
    place = max(-shape[first], min(place, shape[second]))  # beyond them there is nothing either
    return view(DIAGONAL, x, offset=place, axis1=first, axis2=second)  # type: ignore[no-any-return]


def _windows_array(x: Any, *, window_shape: Shape, axis: tuple[int, ...]) -> Any:
    return np.lib.stride_tricks.sliding_window_view(
        x, window_shape, axis, writeable=bool(x.flags.writeable)
    )


def _add_windows_array(g: Any, *, shape: Shape, window_shape: Shape, axis: tuple[int, ...]) -> Any:
    """Zeros of `shape` to which each window has been added; windows overlap."""
    out = np.zeros(shape, g.dtype)
    for place in np.ndindex(*window_shape):
        key = [slice(None)] * len(shape)
        for a, start, size in zip(axis, place, window_shape, strict=True):
            stop = (key[a].stop or shape[a]) - size + 1
            begin = (key[a].start or 0) + start
            key[a] = slice(begin, begin + stop - (key[a].start or 0))
        out[tuple(key)] += g[(Ellipsis, *place)]
    return out


SLIDING_WINDOW_VIEW: Op = declare(
    Op("sliding_window_view", ("x",),
       Linear(x=lambda g, x_shape, window_shape, axis: apply(
           ADD_WINDOWS, g, shape=x_shape, window_shape=window_shape, axis=axis)),
       family="view", scalar=False)
)  # fmt: skip
register_kernel("sliding_window_view", _windows_array)
ADD_WINDOWS: Op = declare(
    Op("add_windows", ("x",),
       Linear(x=lambda g, window_shape, axis: view(
           SLIDING_WINDOW_VIEW, g, window_shape=window_shape, axis=axis)),
       scalar=False)
)  # fmt: skip
register_kernel("add_windows", _add_windows_array)


def sliding_window_view(
    x: Tensor, window_shape: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None
) -> Tensor:
    """All windows of a size, as extra dimensions at the end.

    Parameters
    ----------
    x : Tensor
    window_shape : int or tuple of int
        Size of the window along each axis.
    axis : int or tuple of int, optional
        Axes along which the window slides; all by default.

    Returns
    -------
    Tensor
        A view in which elements occur repeatedly; writing through it reaches x.

    Notes
    -----
    Derivative: the sum over the windows that hold an element.
    """
    x = viewable(x, "sliding_window_view")
    shape = x._array.shape
    sizes = as_shape(window_shape, "window_shape")
    if axis is None:
        axes = tuple(range(len(shape)))
    else:
        given = listed(axis)
        normalize_axes(given, len(shape))
        axes = tuple(normalize_axis(a, len(shape)) for a in given)
    if len(axes) != len(sizes):
        raise ArgumentError(
            f"sliding_window_view: window_shape={sizes} must have a size for each of the "
            f"{len(axes)} axes"
        )
    for a, size in zip(axes, sizes, strict=True):
        if not 1 <= size <= shape[a]:
            raise ShapeError(
                f"sliding_window_view: a window of size {size} does not fit axis {a} of shape "
                f"{shape}"
            )
    return view(  # type: ignore[no-any-return]
        SLIDING_WINDOW_VIEW, x, window_shape=sizes, axis=axes
    )


# -- views by geometry ----------------------------------------------------------------------------


def _seen_through(x: Any, array: Any, function: str) -> Any:
    """A tensor over `array`, in the memory of x's family, with its part of the history."""
    out = wrap(array)
    node = node_of(x)
    if node is None:
        join_family(out, x)
        return out
    family = family_of(x)
    if not is_grad_enabled():
        raise GradientError(f"{function} of a tensor that carries a gradient inside no_grad: "
                            "use x.detach() first")  # fmt: skip
    if family.base.overlaps:
        raise GradientError(
            f"{function}: the memory below this tensor holds some elements several times, so that "
            "no derivative is defined; take x.copy() first"
        )
    join_family(out, x)
    if array.dtype.kind in "fcV":
        geometry = Geometry.of(array, family.storage._array)
        attributes = {"base": family.base, "view": geometry}
        out._node = [next_seq(), READ_WINDOW, (family.node,), None, attributes]
    return out


def as_strided(x: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """A view of the memory with any shape and strides, checked to stay inside of the memory.

    Parameters
    ----------
    x : Tensor
        The view starts at its first element.
    shape : tuple of int
    strides : tuple of int
        In bytes, as NumPy's; multiples of the item size.

    Returns
    -------
    Tensor
        A view; elements may occur several times in it.

    Raises
    ------
    ShapeError
        An element would lie outside of the memory of x and its base.

    Notes
    -----
    Derivative: the sum over the places where an element occurs.
    """
    x = viewable(x, "as_strided")
    sizes = as_shape(shape)
    steps = tuple(as_integer(s, "strides", "as_strided") for s in listed(strides))
    array = x._array
    if len(steps) != len(sizes):
        raise ArgumentError(f"as_strided: shape={sizes} and strides={steps} have different lengths")
    if any(s % array.itemsize for s in steps):
        raise ArgumentError(
            f"as_strided: strides={steps} are in bytes and must be multiples of {array.itemsize}"
        )
    family = family_of(x)
    base = family.base
    start = Geometry.of(array, family.storage._array).offset
    low, high = byte_extent(sizes, steps, array.itemsize)
    base_low, base_high = byte_extent(base.shape, base.strides, base.dtype.itemsize)
    base_low, base_high = base_low + base.offset, base_high + base.offset
    if 0 not in sizes and (start + low < base_low or start + high > base_high):
        raise ShapeError(
            f"as_strided: shape={sizes} with strides={steps} reaches bytes {start + low} to "
            f"{start + high} of memory that goes from {base_low} to {base_high}"
        )
    try:
        out = np.lib.stride_tricks.as_strided(
            array, sizes, steps, writeable=bool(array.flags.writeable)
        )
    except ValueError as error:
        raise ShapeError(f"as_strided: shape={sizes} has more elements than can be") from error
    return _seen_through(x, out, "as_strided")  # type: ignore[no-any-return]


def view_as(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The memory under another shape; never a copy.

    Parameters
    ----------
    x : Tensor
    shape : tuple of int
        One size may be -1 and is inferred.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ShapeError
        The strides do not allow it.

    Notes
    -----
    Derivative: the reshape back.
    """
    x = operand(x, "view")
    target = infer_size(shape, x._array.size)
    try:
        x._array.reshape(target, copy=False)
    except ValueError as error:
        raise ShapeError(
            f"view: strides {x._array.strides} of shape {x._array.shape} do not allow a view of "
            f"shape {target}; use x.reshape({target}), which copies then"
        ) from error
    return view(RESHAPE, x, shape=target)  # type: ignore[no-any-return]


def view_dtype(x: Tensor, dtype: DTypeLike) -> Tensor:
    """The bytes of the memory read as another dtype, as NumPy's ``x.view(dtype)``.

    Parameters
    ----------
    x : Tensor
    dtype : dtype
        Of another size only if the last dimension is contiguous.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    DTypeError
        The shape does not allow it.
    GradientError
        x carries a gradient and the dtypes are not a complex one and that of its parts.

    Notes
    -----
    Derivative: complex numbers seen as pairs of real ones and back; other reinterpretations of
    bytes have none.
    """
    x = viewable(x, "view")
    target = as_dtype(dtype)
    array = x._array
    if target == array.dtype:
        return view_as(x, array.shape)
    try:
        out = array.view(target)
    except (TypeError, ValueError) as error:
        raise DTypeError(
            f"view: {error} (dtype {array.dtype}, shape {array.shape}); x.astype({str(target)!r}) "
            "converts the values instead"
        ) from error
    if node_of(x) is not None and is_grad_enabled():
        kinds = {target.kind, array.dtype.kind}
        parts = kinds == {"c", "f"} and abs(target.itemsize - array.itemsize) * 2 == max(
            target.itemsize, array.itemsize
        )
        if not parts:
            raise GradientError(
                f"view: the bytes of {array.dtype} read as {target} have no derivative; use "
                "x.astype(...) to convert the values, or x.detach() first"
            )
    return _seen_through(x, out, "view")  # type: ignore[no-any-return]


def view_field(x: Tensor, dtype: DTypeLike, offset: int = 0) -> Tensor:
    """Some bytes of each element, as NumPy's ``x.getfield(dtype, offset)``.

    Parameters
    ----------
    x : Tensor
    dtype : dtype
        No larger than that of x.
    offset : int
        Bytes to skip in each element.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ArgumentError
        The bytes are not inside of an element.
    GradientError
        x carries a gradient and the bytes are not the real or imaginary part of its numbers.

    Notes
    -----
    Derivative: that of ``real`` or ``imag``.
    """
    x = viewable(x, "getfield")
    target, own = as_dtype(dtype), x._array.dtype
    try:
        out = x._array.getfield(target, offset)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"getfield: {error} (dtype {own}, field {target} at byte {offset})"
        ) from error
    part = own.kind == "c" and target.kind == "f" and 2 * target.itemsize == own.itemsize
    whole = target == own or (part and offset in (0, target.itemsize))
    if node_of(x) is not None and is_grad_enabled() and not whole:
        raise GradientError(
            f"getfield: bytes of {own} read as {target} have no derivative; use x.astype(...) to "
            "convert the values, or x.detach() first"
        )
    return _seen_through(x, out, "getfield")  # type: ignore[no-any-return]


@answers(np.shares_memory, np.may_share_memory)
def shares_memory(a: Tensor, b: Tensor, /, max_work: int | None = None) -> bool:
    """Whether two tensors (or arrays) have a byte of memory in common.

    Parameters
    ----------
    a, b : Tensor or ndarray
    max_work : int, optional
        Effort to spend on exactness, as in NumPy.

    Returns
    -------
    bool
    """
    arrays: list[Any] = [a, b]
    for i, x in enumerate(arrays):
        if type(x) is not np.ndarray:
            arrays[i] = operand(x, "shares_memory", i + 1)._array
    work = None if max_work is None else as_integer(max_work, "max_work", "shares_memory")
    if work is not None and not -1 <= work < 2**63:
        raise ArgumentError(f"shares_memory: max_work={work}; give None, or a number of steps")
    return bool(np.shares_memory(*arrays, max_work=work))  # type: ignore[arg-type, misc]
