"""NumPy's functions of shape and order: reshape ... block, split, pad-free joins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ..._dtypes import is_supported
from ..._errors import ArgumentError, ArgumentTypeError
from ..._layout import as_integer, listed, normalize_axis
from ..._ndarray_options import check_order
from ..._short import joined, taken
from ..._storage import TensorBase
from ..._warnings import warn
from ...ops import (
    comparison,
    indexing,
    manipulation,
    parts,
    products,
    searching,
    shapes,
    sorting,
    views,
)
from ..plain import plain
from ..ufuncs import store

_NO = np._NoValue


def _stored(out: Any, result: Any, name: str) -> Any:
    return result if out is None else store(out, result, True, "same_kind", name)


def _renamed(shape: Any, newshape: Any) -> Any:
    """The shape that np.reshape is given under its old name; NumPy 2.4 took the name out."""
    if shape is not None:
        raise ArgumentTypeError("np.reshape: give 'shape' alone, not 'newshape' and 'shape'")
    if newshape is None:
        raise ArgumentTypeError("reshape() missing 1 required positional argument: 'shape'")
    warn(
        "`newshape` keyword argument is deprecated, use `shape=...` or pass shape positionally "
        "instead. (deprecated in NumPy 2.1)",
        DeprecationWarning,
    )
    return newshape


@answers(np.reshape)
def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None,
    copy: bool | None = None,
) -> Any:  # fmt: skip
    """np.reshape; newshape= is its old keyword."""
    if order == "C" and copy is newshape is None and isinstance(a, TensorBase):  # most calls
        out = None
        if type(shape) is tuple:
            out = shapes.reshaped(a, shape)
        elif type(shape) is int:
            out = shapes.reshaped(a, (shape,))
        if out is not None:
            return out
    if newshape is not None or shape is None:
        shape = _renamed(shape, newshape)
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return operand(a, "reshape").reshape(shape, order=order, copy=copy)


@answers(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """np.ravel."""
    if order == "C" and isinstance(a, TensorBase) and a._array.flags.c_contiguous:  # most calls
        out = shapes.reshaped(a, (-1,))
        if out is not None:
            return out
    return operand(a, "ravel").ravel(order)


@answers(np.transpose)
def transpose(a: Any, axes: Any = None) -> Any:
    """np.transpose."""
    if isinstance(a, TensorBase):
        out = shapes.transposed(a) if axes is None else shapes.permuted(a, axes)
        if out is not None:
            return out
    x = operand(a, "transpose")
    return x.transpose() if axes is None else x.transpose(tuple(axes))


@answers(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    """np.squeeze."""
    x = operand(a, "squeeze")
    return shapes.squeezed(x) if axis is None else shapes.squeeze(x, axis)


@answers(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """np.expand_dims."""
    return shapes.expand_dims(a, axis)


@answers(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """np.moveaxis: a view."""
    return shapes.moveaxis(a, source, destination)


@answers(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """np.swapaxes: a view."""
    return shapes.swapaxes(a, axis1, axis2)


@answers(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """np.rollaxis."""
    x = operand(a, "rollaxis")
    np.rollaxis(np.empty((1,) * x._array.ndim), axis, start)  # checks the arguments
    n = x._array.ndim
    axis, start = axis % n, start + n if start < 0 else start
    axes = [i for i in range(n) if i != axis]
    axes.insert(start - (axis < start), axis)
    return x.transpose(tuple(axes))


@answers(np.concatenate)
def concatenate(
    arrays: Any, /, axis: int | None = 0, out: Any = None, *, dtype: Any = None,
    casting: str = "same_kind",
) -> Any:  # fmt: skip
    """np.concatenate."""
    if out is None and dtype is None:
        result = joined(manipulation.CONCAT, arrays, axis, 0)
        if result is not None:
            return result
    parts_ = [operand(a, "concatenate", i) for i, a in enumerate(arrays, 1)]
    result = manipulation.concat(parts_, axis=axis)
    if dtype is not None:
        result = result.astype(dtype, casting=casting)
    return _stored(out, result, "concatenate")


@answers(np.stack)
def stack(
    arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """np.stack."""
    if out is None and dtype is None:
        result = joined(manipulation.STACK, arrays, axis, 1)
        if result is not None:
            return result
    parts_ = [operand(a, "stack", i) for i, a in enumerate(arrays, 1)]
    result = manipulation.stack(parts_, axis=axis)
    if dtype is not None:
        result = result.astype(dtype, casting=casting)
    return _stored(out, result, "stack")


@answers(np.atleast_1d)
def atleast_1d(*arrays: Any) -> Any:
    """np.atleast_1d."""
    found = tuple(x if x._array.ndim else x.reshape(1) for x in map(operand, arrays))
    return found[0] if len(found) == 1 else found


@answers(np.atleast_2d)
def atleast_2d(*arrays: Any) -> Any:
    """np.atleast_2d."""
    found = tuple(
        x if x._array.ndim >= 2 else x.reshape((1,) * (2 - x._array.ndim) + x._array.shape)
        for x in map(operand, arrays)
    )
    return found[0] if len(found) == 1 else found


@answers(np.atleast_3d)
def atleast_3d(*arrays: Any) -> Any:
    """np.atleast_3d."""
    lengthened: dict[int, Callable[..., tuple[int, ...]]] = {
        0: lambda s: (1, 1, 1), 1: lambda s: (1, *s, 1), 2: lambda s: (*s, 1)
    }  # fmt: skip
    found = tuple(
        x if x._array.ndim >= 3 else x.reshape(lengthened[x._array.ndim](x._array.shape))
        for x in map(operand, arrays)
    )
    return found[0] if len(found) == 1 else found


@answers(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.vstack."""
    rows = [x if isinstance(x, TensorBase) and x._array.ndim > 1 else atleast_2d(x) for x in tup]
    return concatenate(rows, 0, dtype=dtype, casting=casting)


@answers(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """np.hstack."""
    rows = [x if isinstance(x, TensorBase) and x._array.ndim else atleast_1d(x) for x in tup]
    axis = 0 if rows and rows[0]._array.ndim == 1 else 1
    return concatenate(rows, axis, dtype=dtype, casting=casting)


@answers(np.dstack)
def dstack(tup: Any) -> Any:
    """np.dstack."""
    return concatenate([atleast_3d(x) for x in tup], 2)


@answers(np.column_stack)
def column_stack(tup: Any) -> Any:
    """np.column_stack."""
    columns = []
    for a in tup:
        x = operand(a, "column_stack")
        columns.append(x.reshape(-1, 1) if x._array.ndim < 2 else x)
    return concatenate(columns, 1)


@answers(np.block)
def block(arrays: Any) -> Any:
    """np.block."""

    def depth(item: Any) -> int:
        return 1 + max(map(depth, item)) if isinstance(item, list) else 0

    def largest(item: Any) -> int:
        if isinstance(item, list):
            return max(map(largest, item))
        return operand(item, "block")._array.ndim  # type: ignore[no-any-return]

    levels = depth(arrays)
    ndim = max(levels, largest(arrays))

    def join(item: Any, level: int) -> Any:
        if level == levels:
            x = operand(item, "block")
            return x.reshape((1,) * (ndim - x._array.ndim) + x._array.shape)
        return concatenate([join(i, level + 1) for i in item], level - levels)

    return join(arrays, 0)


@answers(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """np.array_split: views."""
    x = operand(ary, "array_split")
    return [x[key] for key in _cuts(x._array, indices_or_sections, axis, np.array_split)]


def _cuts(array: Any, sections: Any, axis: int, function: Any) -> list[Any]:
    """Slices by which NumPy cuts an axis; NumPy itself says where, but for equal parts."""
    if type(sections) is int and type(axis) is int and 0 <= axis < array.ndim and sections > 0:
        step, rest = divmod(array.shape[axis], sections)
        if not rest and step:
            lead = (slice(None),) * axis
            return [(*lead, slice(i, i + step)) for i in range(0, step * sections, step)]
    places = function(np.arange(array.shape[axis]), plain(sections))
    lead = (slice(None),) * (axis % array.ndim)
    cuts = []
    for place in places:
        start = int(place[0]) if place.size else 0
        cuts.append((*lead, slice(start, start + place.size)))
    return cuts


@answers(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """np.split: views."""
    x = operand(ary, "split")
    return [x[key] for key in _cuts(x._array, indices_or_sections, axis, np.split)]


@answers(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """np.hsplit: views."""
    return split(ary, indices_or_sections, 1 if operand(ary)._array.ndim > 1 else 0)


@answers(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """np.vsplit: views."""
    return split(ary, indices_or_sections, 0)


@answers(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """np.dsplit: views."""
    return split(ary, indices_or_sections, 2)


@answers(np.unstack)
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """np.unstack."""
    return manipulation.unstack(operand(x), axis=axis)


@answers(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """np.flip: a view."""
    return shapes.flip(m, axis=axis)


@answers(np.fliplr)
def fliplr(m: Any) -> Any:
    """np.fliplr: a view."""
    return operand(m, "fliplr")[:, ::-1]


@answers(np.flipud)
def flipud(m: Any) -> Any:
    """np.flipud: a view."""
    return operand(m, "flipud")[::-1, ...]


@answers(np.rot90)
def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Any:
    """np.rot90: a view."""
    x = operand(m, "rot90")
    ndim = x._array.ndim
    numbers = tuple(normalize_axis(a, ndim, "axes") for a in listed(axes))
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        raise ArgumentError(f"np.rot90: axes={axes} must be two different axes, e.g. (0, 1)")
    first, second = numbers
    k = as_integer(k, "k", "np.rot90") % 4
    if k == 0:
        return x[:]
    if k == 2:
        return manipulation.flip(x, axis=(first, second))
    if k == 1:
        return manipulation.flip(x, axis=second).swapaxes(first, second)
    return manipulation.flip(x.swapaxes(first, second), axis=second)


@answers(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """np.roll; it cuts shifts to integers."""
    if type(shift) is not int:
        shifts = np.asarray(plain(shift))
        if shifts.dtype.kind == "f":
            shift = tuple(int(s) for s in shifts) if shifts.ndim else int(shifts)
    return manipulation.roll(operand(a, "roll"), shift, axis=axis)


@answers(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """np.tile."""
    reps = (int(reps),) if np.ndim(reps) == 0 else tuple(int(r) for r in reps)
    return manipulation.tile(operand(A, "tile"), reps)


@answers(np.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """np.repeat."""
    return operand(a, "repeat").repeat(repeats, axis)


@answers(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """np.broadcast_to: a read-only view."""
    if type(shape) is not tuple:
        shape = (int(shape),) if np.ndim(shape) == 0 else tuple(shape)
    return shapes.broadcast_to(array, shape)


@answers(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """np.broadcast_arrays; None, texts and the like beside tensors become arrays, as in NumPy."""
    found = [operand(a, "broadcast_arrays") if _is_numeric(a) else np.asarray(a) for a in args]
    shape = np.broadcast_shapes(*(np.shape(plain(a)) for a in found))
    return tuple(
        manipulation.broadcast_to(a, shape)  # type: ignore[arg-type]
        if isinstance(a, TensorBase)
        else np.broadcast_to(a, shape)
        for a in found
    )


def _is_numeric(a: Any) -> bool:
    return isinstance(a, TensorBase | list | tuple) or is_supported(np.asarray(a).dtype)


@answers(np.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """np.diagonal: a view."""
    return views.diagonal(a, offset, axis1, axis2)


@answers(np.trace)
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """np.trace."""
    return operand(a, "trace").trace(offset, axis1, axis2, dtype, out)


@answers(np.real)
def real(val: Any) -> Any:
    """np.real: a view."""
    return parts.real(operand(val, "real"))


@answers(np.imag)
def imag(val: Any) -> Any:
    """np.imag: a view."""
    return parts.imag(operand(val, "imag"))


@answers(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """np.angle."""
    found = parts.angle(operand(z, "angle"))
    return found * (180 / np.pi) if deg else found


@answers(np.sort)
def sort(
    a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None,
    descending: Any = False,
) -> Any:  # fmt: skip
    """np.sort."""
    check_order(kind, order, "sort")
    x = operand(a, "sort")
    if axis is None:
        x, axis = x.reshape(-1), -1
    return sorting.sort(x, axis=axis, descending=descending is True)


@answers(np.argsort)
def argsort(
    a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None,
    descending: Any = False,
) -> Any:  # fmt: skip
    """np.argsort."""
    check_order(kind, order, "argsort")
    x = operand(a, "argsort")
    if axis is None or not x._array.ndim:
        x, axis = x.reshape(-1), -1 if axis is None else axis
    return sorting.argsort(x, axis=axis, descending=descending is True)


@answers(np.partition)
def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """np.partition."""
    check_order(kind, order, "partition", "i")
    x = operand(a, "partition")
    if axis is None:
        x, axis = x.reshape(-1), -1
    return sorting.partition(x, plain(kth), axis=axis)


@answers(np.argpartition)
def argpartition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """np.argpartition."""
    check_order(kind, order, "argpartition", "i")
    x = operand(a, "argpartition")
    if axis is None or not x._array.ndim:
        x, axis = x.reshape(-1), -1 if axis is None else axis
    return sorting.argpartition(x, plain(kth), axis=axis)


@answers(np.where)
def where(condition: Any, x: Any = _NO, y: Any = _NO, /) -> Any:
    """np.where; the branch not taken has gradient 0, never NaN."""
    if x is _NO and y is _NO:
        return searching.nonzero(operand(condition, "where"))
    return searching.where(condition, x, y)


@answers(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """np.dot."""
    return _stored(out, products.dot(a, b), "dot")


@answers(np.matmul)
def matmul(x1: Any, x2: Any, /) -> Any:
    """np.matmul."""
    return products.matmul(x1, x2)


@answers(np.take)
def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    """np.take."""
    if out is None and mode == "raise" and isinstance(a, TensorBase):
        found = taken(indexing.TAKE, a, indices, axis)
        if found is not None:
            return found
    return operand(a, "take").take(indices, axis, out, mode)


@answers(np.clip)
def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None,
    max: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """np.clip."""
    low = a_min if min is None or min is _NO else min
    high = a_max if max is None or max is _NO else max
    if out is None and low is not _NO and high is not _NO:  # most calls
        return comparison.clip(a, low, high)
    low, high = (None if v is _NO else v for v in (low, high))
    return operand(a, "clip").clip(low, high, out)


@answers(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """np.copy: stays in the graph."""
    if order in ("K", "C") and isinstance(a, TensorBase) and a._array.flags.c_contiguous:
        return shapes.copied(a)
    return operand(a, "copy").copy(order)
