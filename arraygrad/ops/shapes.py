"""Shapes: broadcasting, reshape, permute_dims, flip, ... Views wherever NumPy gives views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _layout, _short
from .._answers import answers
from .._apply import (
    BROADCAST_TO,
    _Types,
    apply,
    broadcast_array,
    operand,
    view,
    viewed,
    wrap_result,
)
from .._dispatch import register_kernel
from .._errors import ArgumentError, ShapeError, out_of_memory
from .._layout import ALL_AXES, as_shape, infer_size, listed, normalize_axes, normalize_axis
from .._op import Linear, Op, declare

if TYPE_CHECKING:
    from .._tensor import Tensor

ndarray = np.ndarray

COPY: Op = declare(Op("copy", ("x",), Linear(x=lambda g: g), scalar=False))


def copied(x: Any) -> Any:
    """A C-contiguous copy with memory of its own; a step of the graph."""
    out = _short.copied(COPY, x)
    if out is not None:
        return out
    out = apply(COPY, x)
    return wrap_result(out._array, out._node) if isinstance(x, _Types.scalar) else out


# -- broadcasting ---------------------------------------------------------------------------------


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all shapes broadcast to.

    Parameters
    ----------
    *shapes : tuple of int
        Any number of shapes; none gives ``()``.

    Returns
    -------
    tuple of int

    Raises
    ------
    ShapeError
        The shapes do not broadcast.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.broadcast_shapes((3, 1), (1, 4), ())
    (3, 4)
    """
    return _layout.broadcast_shapes(*[as_shape(s, "shapes") for s in shapes])


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """The tensor repeated along new and size-one dimensions, without copying.

    Parameters
    ----------
    x : Tensor
    shape : tuple of int

    Returns
    -------
    Tensor
        A read-only view whose repeated dimensions have stride 0.

    Raises
    ------
    ShapeError
        x does not broadcast to `shape`.

    Notes
    -----
    Derivative: the sum over the repeated dimensions.
    """
    x = operand(x, "broadcast_to")
    array = x._array
    if array.ndim and type(array) is ndarray:
        sizes = as_shape(shape)
        out = broadcast_array(array, shape=sizes)
        return viewed(BROADCAST_TO, x, array, out, "shape", sizes, "x_shape")  # type: ignore[no-any-return]
    return view(BROADCAST_TO, x, shape=as_shape(shape))  # type: ignore[no-any-return]


def expand(x: Tensor, *shape: int | tuple[int, ...]) -> Tensor:
    """The tensor broadcast to a shape in which -1 keeps a size.

    Parameters
    ----------
    x : Tensor
    *shape : int or tuple of int
        Sizes, one by one or as one tuple; new dimensions come first.

    Returns
    -------
    Tensor
        A read-only view, as that of `broadcast_to`.

    Notes
    -----
    Derivative: the sum over the repeated dimensions.
    """
    x = operand(x, "expand")
    old = x._array.shape
    wanted = listed(shape[0]) if len(shape) == 1 else shape
    lead = len(wanted) - len(old)
    sizes = tuple(old[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted))
    return broadcast_to(x, sizes)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """The tensors broadcast against each other.

    Parameters
    ----------
    *arrays : Tensor
        Of shapes that broadcast; dtypes stay as they are.

    Returns
    -------
    tuple of Tensor
        Read-only views of one common shape; those that have it already are returned as they are.

    Notes
    -----
    Derivative: as for `broadcast_to`.
    """
    tensors = [operand(a, "broadcast_arrays") for a in arrays]
    shape = _layout.broadcast_shapes(*[t._array.shape for t in tensors])
    return tuple(t if t._array.shape == shape else broadcast_to(t, shape) for t in tensors)


# -- views ----------------------------------------------------------------------------------------

RESHAPE: Op = declare(
    Op("reshape", ("x",), Linear(x=lambda g, x_shape: reshape(g, x_shape)), family="view",
       scalar=False)
)  # fmt: skip
register_kernel("reshape", lambda x, *, shape: x.reshape(shape))


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in C order under another shape.

    Parameters
    ----------
    x : Tensor
    shape : tuple of int
        One size may be -1 and is inferred.
    copy : bool, optional
        True always copies, False raises if a copy is needed, None copies only if needed.

    Returns
    -------
    Tensor
        A view where strides allow it.

    Notes
    -----
    Derivative: the reshape back.
    """
    x = operand(x, "reshape")
    sizes: Any = shape
    if not isinstance(sizes, tuple):
        sizes = listed(sizes)
    if copy is None:
        out = reshaped(x, sizes)
        if out is not None:
            return out  # type: ignore[no-any-return]
    target = infer_size(sizes, x._array.size)
    if copy is False:
        try:
            x._array.reshape(target, copy=False)
        except ValueError as error:
            raise ShapeError(
                f"reshape to {target} needs a copy: strides {x._array.strides} do not allow a "
                "view; leave copy=None, or x.contiguous() first"
            ) from error
    out = view(RESHAPE, x, shape=target)
    if copy and out._family is not None:
        return copied(out)  # type: ignore[no-any-return]
    return out  # type: ignore[no-any-return]


def reshaped(x: Any, sizes: tuple[Any, ...]) -> Any:
    """Reshape where nothing is special and nothing copied, else None."""
    array = x._array
    if type(array) is not ndarray or not array.ndim:
        return None
    try:
        out = array.reshape(sizes)
        shape = out.shape
        plain = shape == sizes
    except (TypeError, ValueError):  # to be said in our words, or of arrays
        return None
    except MemoryError as error:  # of one that has to copy
        raise out_of_memory("reshape", error) from error
    if not plain:
        for size in sizes:  # NumPy infers any negative size
            if type(size) is not int or size < -1:
                return None
    base = out.base
    if base is array or (base is not None and base is array.base):
        return viewed(RESHAPE, x, array, out, "shape", shape, "x_shape")
    return None


PERMUTE_DIMS: Op = declare(
    Op("permute_dims", ("x",),
       Linear(x=lambda g, axes: permute_dims(g, tuple(np.argsort(axes).tolist()))),
       family="view", scalar=False)
)  # fmt: skip
register_kernel("permute_dims", lambda x, *, axes: x.transpose(axes))


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The tensor with its dimensions in another order.

    Parameters
    ----------
    x : Tensor
    axes : tuple of int
        Dimension i of the result is dimension ``axes[i]`` of x.

    Returns
    -------
    Tensor
        A view.

    Notes
    -----
    Derivative: the inverse permutation.
    """
    x = operand(x, "permute_dims")
    out = permuted(x, axes)
    if out is not None:
        return out  # type: ignore[no-any-return]
    ndim = x._array.ndim
    order = tuple(normalize_axis(a, ndim, "axes") for a in listed(axes))
    if len(order) != ndim or len(set(order)) != ndim:
        raise ArgumentError(
            f"axes={order} must name each of the {ndim} dimensions once, e.g. "
            f"{tuple(range(ndim))[::-1]} to reverse them"
        )
    return view(PERMUTE_DIMS, x, axes=order)  # type: ignore[no-any-return]


def permuted(x: Any, axes: Any) -> Any:
    """permute_dims where nothing is special, else None."""
    array = x._array
    if type(array) is not ndarray or type(axes) is not tuple or not axes:
        return None
    try:
        out = array.transpose(axes)
    except (TypeError, ValueError):  # to be said in our words
        return None
    for axis in axes:
        if type(axis) is not int or axis < 0:
            return None
    return viewed(PERMUTE_DIMS, x, array, out, "axes", axes)


# The orders of dimensions that reverse 0, 1, 2, ... of them.
_REVERSED = [axes[::-1] for axes in ALL_AXES]


def transposed(x: Any) -> Any:
    """The tensor with its dimensions reversed; a view."""
    array = x._array
    if array.ndim and type(array) is ndarray:
        return viewed(PERMUTE_DIMS, x, array, array.T, "axes", _REVERSED[array.ndim])
    return view(PERMUTE_DIMS, x, axes=_REVERSED[array.ndim])


def moveaxis(
    x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Tensor:
    """The tensor with some dimensions moved to new positions, the others in their order.

    Parameters
    ----------
    x : Tensor
    source, destination : int or tuple of int
        Dimensions and the positions that they get.

    Returns
    -------
    Tensor
        A view.

    Notes
    -----
    Derivative: the move back.
    """
    x = operand(x, "moveaxis")
    ndim = x._array.ndim
    if type(source) is int and type(destination) is int:
        if -ndim <= source < ndim and -ndim <= destination < ndim:
            order = [*ALL_AXES[ndim]]
            order.insert(destination % ndim, order.pop(source))
            return permute_dims(x, tuple(order))
    sources = _ordered_axes(source, ndim, "source")
    destinations = _ordered_axes(destination, ndim, "destination")
    if len(sources) != len(destinations):
        raise ArgumentError(
            f"source={source!r} and destination={destination!r} must name equally many axes"
        )
    order = [a for a in range(ndim) if a not in sources]
    for to, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(to, axis)
    return permute_dims(x, tuple(order))


answers(np.moveaxis)(moveaxis)


def _ordered_axes(axis: int | tuple[int, ...], ndim: int, argument: str) -> tuple[int, ...]:
    axes = listed(axis)
    normalize_axes(axes, ndim, argument)
    return tuple(normalize_axis(a, ndim, argument) for a in axes)


def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """The tensor with two dimensions exchanged.

    Parameters
    ----------
    x : Tensor
    axis1, axis2 : int

    Returns
    -------
    Tensor
        A view.

    Notes
    -----
    Derivative: the exchange back.
    """
    if type(x) is not _Types.tensor:
        x = operand(x, "swapaxes")
    array = x._array
    order = None
    if type(axis1) is int and type(axis2) is int:
        order = _EXCHANGED.get((array.ndim, axis1, axis2))
    if order is None:
        order = _exchanged(array.ndim, axis1, axis2)
    if array.ndim and type(array) is ndarray:
        return viewed(PERMUTE_DIMS, x, array, array.transpose(order), "axes", order)  # type: ignore[no-any-return]
    return view(PERMUTE_DIMS, x, axes=order)  # type: ignore[no-any-return]


# (number of dimensions, axis, axis) -> the order of dimensions that exchanges the two.
_EXCHANGED: dict[tuple[int, int, int], tuple[int, ...]] = {}


def _exchanged(ndim: int, axis1: Any, axis2: Any) -> tuple[int, ...]:
    first, second = normalize_axis(axis1, ndim, "axis1"), normalize_axis(axis2, ndim, "axis2")
    order = list(ALL_AXES[ndim])
    order[first], order[second] = second, first
    if len(_EXCHANGED) < 256 and type(axis1) is int and type(axis2) is int:
        _EXCHANGED[ndim, axis1, axis2] = tuple(order)
    return tuple(order)


answers(np.swapaxes)(swapaxes)

EXPAND_DIMS: Op = declare(
    Op("expand_dims", ("x",), Linear(x=lambda g, axis: squeeze(g, axis)), family="view",
       scalar=False)
)  # fmt: skip
register_kernel("expand_dims", lambda x, *, axis: np.expand_dims(x, axis))


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """The tensor with new dimensions of size one.

    Parameters
    ----------
    x : Tensor
    axis : int or tuple of int
        Positions of the new dimensions in the result.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    AxisError
        A position is out of range.

    Notes
    -----
    Derivative: the squeeze of these dimensions.
    """
    if type(x) is not _Types.tensor:
        x = operand(x, "expand_dims")
    array = x._array
    if type(axis) is int and type(array) is ndarray and array.ndim:
        sizes = array.shape
        place = axis + len(sizes) + 1 if axis < 0 else axis
        if 0 <= place <= len(sizes):
            out = array.reshape((*sizes[:place], 1, *sizes[place:]))
            if out.base is array or out.base is array.base:
                return viewed(EXPAND_DIMS, x, array, out, "axis", (place,))  # type: ignore[no-any-return]
    places = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    axes = normalize_axes(places, x._array.ndim + len(places))
    return view(EXPAND_DIMS, x, axis=axes)  # type: ignore[no-any-return]


answers(np.expand_dims)(expand_dims)

SQUEEZE: Op = declare(
    Op("squeeze", ("x",), Linear(x=lambda g, axis: expand_dims(g, axis)), family="view",
       scalar=False)
)  # fmt: skip
register_kernel("squeeze", lambda x, *, axis: x.squeeze(axis) if axis else x[...])


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """The tensor without some dimensions of size one.

    Parameters
    ----------
    x : Tensor
    axis : int or tuple of int
        Dimensions to remove.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ShapeError
        One of the dimensions has another size than 1.

    Notes
    -----
    Derivative: the dimensions are put back.
    """
    x = operand(x, "squeeze")
    axes = normalize_axes(axis, x._array.ndim)
    array = x._array
    if array.ndim and axes and type(array) is ndarray:
        try:
            out = array.squeeze(axes)
        except ValueError:  # to be said in our words
            out = None
        if out is not None:
            return viewed(SQUEEZE, x, array, out, "axis", axes)  # type: ignore[no-any-return]
    for a in axes:
        if x._array.shape[a] != 1:
            raise ShapeError(
                f"squeeze: axis {a} of shape {x._array.shape} has size {x._array.shape[a]}, not 1; "
                "use x[..., i] or a reduction to remove it"
            )
    return view(SQUEEZE, x, axis=axes)  # type: ignore[no-any-return]


def squeezed(x: Any) -> Any:
    """The tensor without any of its dimensions of size one; a view."""
    array = x._array
    axes = tuple([i for i, size in enumerate(array.shape) if size == 1])
    if array.ndim and type(array) is ndarray:
        return viewed(SQUEEZE, x, array, array.squeeze(), "axis", axes)
    return view(SQUEEZE, x, axis=axes)


def _flipped(x: Any, *, axis: tuple[int, ...]) -> Any:
    if len(axis) == 1:
        return x[(*_WHOLE[: axis[0]], _BACKWARDS)]
    return x[tuple([_BACKWARDS if i in axis else slice(None) for i in range(x.ndim)])]


_WHOLE, _BACKWARDS = (slice(None),) * 64, slice(None, None, -1)
FLIP: Op = declare(
    Op("flip", ("x",), Linear(x=lambda g, axis: flip(g, axis=axis)), family="view", scalar=False)
)  # fmt: skip
register_kernel("flip", lambda x, *, axis: _flipped(x, axis=axis) if axis else x[...])


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """The tensor with the order of the elements reversed along axes.

    Parameters
    ----------
    x : Tensor
    axis : int or tuple of int, optional
        All axes by default.

    Returns
    -------
    Tensor
        A view.

    Notes
    -----
    Derivative: the flip of the cotangent.
    """
    x = operand(x, "flip")
    axes = normalize_axes(None if axis is None else listed(axis), x._array.ndim)
    return view(FLIP, x, axis=axes)  # type: ignore[no-any-return]
