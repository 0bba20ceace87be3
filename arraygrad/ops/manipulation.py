"""The standard's manipulation functions: joining and repeating here, shapes and views passed on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import (
    SUM_TO,
    apply,
    cast,
    common_place,
    node_of,
    operand,
    record,
    sum_to_array,
    wrap,
)
from .._dispatch import lookup, register_kernel
from .._dtypes import promote
from .._engine import RAW_PULL
from .._errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError, out_of_memory
from .._graph import ATTRIBUTES, is_grad_enabled
from .._layout import Shape, as_integer, as_shape, listed, normalize_axis
from .._op import Linear, Op, declare
from .._short import joined
from .._storage import TensorBase
from .indexing import getitem, take
from .shapes import (
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to,
    copied as copied,
    expand as expand,
    expand_dims as expand_dims,
    flip as flip,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    reshape as reshape,
    squeeze as squeeze,
    swapaxes as swapaxes,
)
from .views import (
    as_strided as as_strided,
    diagonal as diagonal,
    sliding_window_view as sliding_window_view,
    view_as as view_as,
    view_dtype as view_dtype,
)

if TYPE_CHECKING:
    from .._tensor import Tensor


def join(op: Op, tensors: Sequence[Any], axis: int) -> Any:
    """Run a variadic op on tensors of one dtype.

    Unlike `apply` it looks the kernel up by that one dtype, however long the sequence is.
    """
    arrays = tuple([t._array for t in tensors])
    dtype = arrays[0].dtype
    kernel = lookup(op.name, *common_place(arrays, op.name), (dtype,))
    try:
        out = kernel(*arrays, axis=axis)
    except MemoryError as error:
        raise out_of_memory(op.name, error) from error
    result = wrap(out)
    if dtype.kind in "fcV" and is_grad_enabled():
        nodes = tuple([node_of(t) for t in tensors])
        if any([n is not None for n in nodes]):  # noqa: C419 - sooner done than a generator
            result._node = record(op, tuple(tensors), nodes, out, {"axis": axis})
    return result


def promoted(tensors: Sequence[Any]) -> list[Any]:
    """The tensors in the one dtype that they all promote to."""
    dtype = tensors[0]._array.dtype
    for t in tensors[1:]:
        if t._array.dtype is not dtype:
            dtype = promote(dtype, t._array.dtype)
    return [t if t._array.dtype is dtype else cast(t, dtype) for t in tensors]


def _operands(arrays: Any, function: str) -> list[Any]:
    if (type(arrays) is list or type(arrays) is tuple) and arrays:
        return [operand(a, function, i) for i, a in enumerate(arrays, 1)]
    if isinstance(arrays, TensorBase):
        if not arrays._array.ndim:
            raise ShapeError(f"{function} needs a sequence of tensors, not a 0-d tensor")
        return list(unstack(arrays))  # type: ignore[arg-type]
    if isinstance(arrays, np.ndarray) or not isinstance(arrays, Iterable):
        arrays = [*arrays] if isinstance(arrays, np.ndarray) and arrays.ndim else [arrays]
        if len(arrays) == 1:
            raise ArgumentTypeError(
                f"{function}: the first argument must be a tuple or list of tensors"
            )
    tensors = [operand(a, function, i) for i, a in enumerate(arrays, 1)]
    if not tensors:
        raise ArgumentError(f"{function} needs at least one tensor, not an empty sequence")
    return tensors


# -- joining --------------------------------------------------------------------------------------


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices of the tensor along an axis.

    Parameters
    ----------
    x : Tensor, at least 1-d
    axis : int

    Returns
    -------
    tuple of Tensor
        Views without that axis; the elements of a 1-d tensor are scalars.

    Notes
    -----
    Derivative: each slice's cotangent goes back to its place.
    """
    x = operand(x, "unstack")
    axis = normalize_axis(axis, x._array.ndim)
    before = (slice(None),) * axis
    return tuple(getitem(x, (*before, i)) for i in range(x._array.shape[axis]))


def _split(
    g: Any, axis: int, arrays_shape: tuple[Shape, ...], needs: tuple[bool, ...]
) -> list[Any]:
    """Transpose of concat: each array's part of the cotangent."""
    before = (slice(None),) * axis
    parts: list[Any] = []
    start = 0
    for shape, needed in zip(arrays_shape, needs, strict=True):
        stop = start + shape[axis]
        parts.append(getitem(g, (*before, slice(start, stop))) if needed else None)
        start = stop
    return parts


CONCAT: Op = declare(Op("concat", ("*arrays",), Linear(arrays=_split), scalar=False))


def _concatenated(*arrays: Any, axis: int) -> Any:
    return np.concatenate(arrays, axis=axis)


# Straight, for arrays only.
_concatenated.short = getattr(np.concatenate, "_implementation", np.concatenate)  # type: ignore[attr-defined]
register_kernel("concat", _concatenated)


def concat(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after another along an existing axis.

    Parameters
    ----------
    arrays : tuple or list of Tensor
        Of the same shape except along `axis`; dtypes promote.
    axis : int or None
        None joins the flattened tensors.

    Returns
    -------
    Tensor
        Memory of its own.

    Raises
    ------
    ShapeError
        Shapes differ in another axis, or a tensor is 0-d.

    Notes
    -----
    Derivative: each tensor gets its part of the cotangent.
    """
    out = joined(CONCAT, arrays, axis, 0)
    if out is not None:
        return out  # type: ignore[no-any-return]
    tensors = _operands(arrays, "concat")
    if axis is None:
        tensors = [reshape(t, (-1,)) for t in tensors]
        axis = 0
    first = tensors[0]._array.shape
    if any(not t._array.ndim for t in tensors):
        raise ShapeError("concat: 0-d tensors have no axis to join; use stack, or axis=None")
    axis = normalize_axis(axis, len(first))
    for i, t in enumerate(tensors):
        shape = t._array.shape
        if shape == first:
            continue
        if len(shape) != len(first) or any(
            n != m for a, (n, m) in enumerate(zip(shape, first, strict=True)) if a != axis
        ):
            raise ShapeError(
                f"concat: shapes {first} of the first and {shape} of tensor {i} differ in another "
                f"axis than {axis}"
            )
    return join(CONCAT, promoted(tensors), axis)  # type: ignore[no-any-return]


def _slices(g: Any, axis: int, needs: tuple[bool, ...]) -> list[Any]:
    """Transpose of stack: the slice of each array."""
    before = (slice(None),) * axis
    return [getitem(g, (*before, i)) if needed else None for i, needed in enumerate(needs)]


def _stack_arrays(*arrays: Any, axis: int) -> Any:
    if not arrays[0].ndim:
        # Much faster than np.stack for the many scalars of a nested list.
        return np.array([a[()] for a in arrays], arrays[0].dtype)
    shape = arrays[0].shape
    out = np.empty((*shape[:axis], len(arrays), *shape[axis:]), arrays[0].dtype)
    rows = out if axis == 0 else np.moveaxis(out, axis, 0)
    for i, a in enumerate(arrays):
        rows[i] = a
    return out


def _stack_few(arrays: Any, axis: int) -> Any:
    if axis:
        return _stack_arrays(*arrays, axis=axis)
    return np.array(arrays)  # half the time


_stack_arrays.short = _stack_few  # type: ignore[attr-defined]
STACK: Op = declare(Op("stack", ("*arrays",), Linear(arrays=_slices), scalar=False))
register_kernel("stack", _stack_arrays)


def stack(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int = 0) -> Tensor:
    """The tensors side by side along a new axis.

    Parameters
    ----------
    arrays : tuple or list of Tensor
        All of one shape; dtypes promote.
    axis : int
        Position of the new axis in the result.

    Returns
    -------
    Tensor
        Memory of its own.

    Raises
    ------
    ShapeError
        Shapes differ.

    Notes
    -----
    Derivative: each tensor gets its slice of the cotangent.
    """
    out = joined(STACK, arrays, axis, 1)
    if out is not None:
        return out  # type: ignore[no-any-return]
    tensors = _operands(arrays, "stack")
    shape = tensors[0]._array.shape
    for i, t in enumerate(tensors):
        if t._array.shape != shape:
            raise ShapeError(
                f"stack: shapes {shape} of the first and {t._array.shape} of tensor {i} differ; "
                "use concat to join along an existing axis"
            )
    axis = normalize_axis(axis, len(shape) + 1)
    return join(STACK, promoted(tensors), axis)  # type: ignore[no-any-return]


# -- repeating and rolling ------------------------------------------------------------------------


def _copies(x: Any, *, apart: Shape, wide: Shape, shape: Shape) -> Any:
    """Elements several times: x as `apart`, broadcast to `wide`, as `shape`."""
    out = np.empty(wide, x.dtype)
    out[...] = x.reshape(apart)
    return out.reshape(shape)


def _of_copies(g: Any, x_shape: Shape, apart: Shape, wide: Shape) -> Any:
    return reshape(apply(SUM_TO, reshape(g, wide), shape=apart), x_shape)


REPEAT: Op = declare(Op("repeat", ("x",), Linear(x=_of_copies), scalar=False))
TILE: Op = declare(Op("tile", ("x",), Linear(x=_of_copies), scalar=False))
register_kernel("repeat", _copies)
register_kernel("tile", _copies)


def _pull_copies(node: Any, g: Any) -> Any:
    attributes = node[ATTRIBUTES]
    with np.errstate(all="ignore"):  # as formulas: infinite cotangents are no mistake
        total = sum_to_array(g.reshape(attributes["wide"]), shape=attributes["apart"])
    return (total.reshape(attributes["x_shape"]),)


RAW_PULL["repeat"] = RAW_PULL["tile"] = _pull_copies


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element (or slice) several times in a row.

    Parameters
    ----------
    x : Tensor
    repeats : int or Tensor, shape () or (1,) or (n,), integral
        How often each of the n elements along `axis` occurs.
    axis : int, optional
        None repeats the elements of the flattened tensor.

    Returns
    -------
    Tensor
        Memory of its own, of the dtype of x.

    Notes
    -----
    Derivative: the sum over the copies of an element.
    """
    x = operand(x, "repeat")
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    axis = normalize_axis(axis, x._array.ndim)
    shape = x._array.shape
    if type(repeats) is int and repeats >= 0:
        return _repeated(x, repeats, axis)  # type: ignore[no-any-return]
    counts = operand(repeats, "repeat", 2)._array
    if counts.dtype.kind not in "iu" or counts.ndim > 1:
        raise DTypeError(
            f"repeat: repeats must be an integer or a 1-d integer tensor, not {counts.ndim}-d of "
            f"dtype {counts.dtype}"
        )
    if counts.size and counts.min() < 0:
        raise ArgumentError(f"repeat: repeats={counts.min()} is negative")
    if counts.ndim and counts.shape not in ((1,), (shape[axis],)):
        raise ShapeError(
            f"repeat: repeats of shape {counts.shape} does not broadcast to ({shape[axis]},), the "
            f"size of axis {axis}"
        )
    if counts.size == 1:
        return _repeated(x, int(counts.reshape(-1)[0]), axis)  # type: ignore[no-any-return]
    return take(x, wrap(np.repeat(np.arange(shape[axis]), counts)), axis=axis)


def _repeated(x: Any, times: int, axis: int) -> Any:
    shape = x._array.shape
    before, after = shape[:axis], shape[axis + 1 :]
    n = shape[axis]
    return apply(
        REPEAT, x, apart=(*before, n, 1, *after), wide=(*before, n, times, *after),
        shape=(*before, n * times, *after),
    )  # fmt: skip


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The tensor put side by side with itself along each axis.

    Parameters
    ----------
    x : Tensor
    repetitions : tuple of int
        How often along each axis; the shorter of it and the shape is padded with ones in front.

    Returns
    -------
    Tensor
        Memory of its own, of the dtype of x.

    Notes
    -----
    Derivative: the sum over the copies of an element.
    """
    x = operand(x, "tile")
    counts = as_shape(repetitions, "repetitions")
    shape = x._array.shape
    ndim = max(len(shape), len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - len(shape)) + shape
    apart: list[int] = []
    wide: list[int] = []
    sizes: list[int] = []
    for count, size in zip(counts, shape, strict=True):
        apart += 1, size
        wide += count, size
        sizes.append(count * size)
    return apply(  # type: ignore[no-any-return]
        TILE, x, apart=tuple(apart), wide=tuple(wide), shape=tuple(sizes)
    )


ROLL: Op = declare(
    Op("roll", ("x",),
       Linear(x=lambda g, shift, axis: apply(ROLL, g, shift=tuple(-s for s in shift), axis=axis)),
       scalar=False)
)  # fmt: skip


def _rolled(x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    """Each axis in turn: the part that leaves at the end, then the rest."""
    out = x
    for steps, a in zip(shift, axis, strict=True):
        n = x.shape[a]
        if n and steps % n:
            before = (slice(None),) * a
            cut = n - steps % n
            parts = (out[(*before, slice(cut, None))], out[(*before, slice(None, cut))])
            out = np.concatenate(parts, axis=a)
    return x.copy() if out is x else out


def _pull_roll(node: Any, g: Any) -> Any:
    attributes = node[ATTRIBUTES]
    back = tuple([-steps for steps in attributes["shift"]])
    return (_rolled(g, shift=back, axis=attributes["axis"]),)


RAW_PULL["roll"] = _pull_roll
register_kernel("roll", _rolled)


def roll(
    x: Tensor,
    /,
    shift: int | tuple[int, ...],
    *,
    axis: int | tuple[int, ...] | None = None,
) -> Tensor:
    """The tensor with its elements shifted along axes; what leaves at one end enters at the other.

    Parameters
    ----------
    x : Tensor
    shift : int or tuple of int
        Steps towards larger indices, one for all axes or one for each.
    axis : int or tuple of int, optional
        None rolls the flattened tensor, by all shifts together, and restores its shape.

    Returns
    -------
    Tensor
        Memory of its own.

    Notes
    -----
    Derivative: the roll back.
    """
    x = operand(x, "roll")
    shape = x._array.shape
    if type(shift) is int and type(axis) is int:
        return apply(  # type: ignore[no-any-return]
            ROLL, x, shift=(shift,), axis=(normalize_axis(axis, len(shape)),)
        )
    shifts = tuple(as_integer(s, "shift", "roll") for s in listed(shift))
    if axis is None:
        return reshape(apply(ROLL, reshape(x, (-1,)), shift=(sum(shifts),), axis=(0,)), shape)
    axes = listed(axis)
    axes = tuple(normalize_axis(a, len(shape)) for a in axes)
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll: shift={shift!r} and axis={axis!r} have different lengths")
    return apply(ROLL, x, shift=shifts, axis=axes)  # type: ignore[no-any-return]
