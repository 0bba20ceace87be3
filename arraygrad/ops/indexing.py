"""Reading and writing with every kind of index that NumPy knows; take, take_along_axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import (
    BROADCAST_TO,
    apply,
    cast,
    check_subclass,
    node_of,
    operand,
    scalar_class,
    share_storage,
    view,
    viewed,
    wrap,
    wrap_result,
)
from .._dispatch import lookup, register_kernel
from .._dtypes import check_convertible, check_supported
from .._engine import ADD_INTO, RAW_PULL, TAKE_OUT
from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    IndexOutOfRangeError,
    ShapeError,
)
from .._graph import ATTRIBUTES, FREED, VALUES, Node, is_grad_enabled, next_seq
from .._history import adopt_history, check_alone
from .._layout import Shape, broadcast_shapes, normalize_axis
from .._op import Linear, Op, Rule, declare
from .._short import taken, write_number
from .._storage import (
    Geometry,
    TensorBase,
    family_of,
    join_family,
    prepare_write,
    write_lock,
)
from .._windows import written_places
from .._writes import check_one_element, check_write, operand_for, write_element, written_number
from .keys import indexed, indexed_shape, is_basic, is_full, is_mask, needs_last, normalize_key

if TYPE_CHECKING:
    from .._tensor import Tensor


ndarray = np.ndarray


def rows(x: Any) -> Iterator[Any]:
    """The tensor's parts along its first axis, each taken when it is asked for."""
    array = x._array
    if array.ndim > 1 and type(array) is ndarray:
        for i in range(len(array)):
            array = x._array
            yield viewed(GETITEM, x, array, array[i], "key", i, "shape")
    else:
        for i in range(len(array)):
            yield getitem(x, i)


def getitem(x: Any, key: Any) -> Any:
    """x[key]: a view for basic indices, a copy for index arrays and masks.

    A full integer index gives a scalar, which owns its memory; what is made of it is no view.
    """
    if type(key) is int or is_basic(key):
        array = x._array
        if array.ndim and type(array) is ndarray:  # nothing special
            try:
                out = array[key]
            except (IndexError, TypeError, ValueError):  # to be said in our words
                out = None
            if type(out) is ndarray:  # no element
                return viewed(GETITEM, x, array, out, "key", key, "shape")
    key, basic = normalize_key(key)
    array = x._array
    if not array.ndim and isinstance(x, scalar_class()):
        array, basic = array.copy(), False
    out = indexed(array, key)
    own = node = node_of(x)
    if node is not None and not (is_grad_enabled() and array.dtype.kind in "fcV"):
        node = None
    if node is not None:
        attributes = {"key": key, "shape": array.shape}
        node = [next_seq(), GETITEM if basic else GATHER, (node,), None, attributes]
    if type(out) is not np.ndarray:
        return wrap(out, node)
    result = wrap(out, node)
    if basic:
        if node is None and own is not None:
            share_storage(result, x)
        else:
            join_family(result, x)
    return result


_NUMBERS = frozenset((float, int))


def setitem(x: Any, key: Any, value: Any) -> None:
    """x[key] = value, with NumPy's broadcasting and casts; the last write wins on repeats."""
    if type(value) in _NUMBERS and (type(key) is int or is_basic(key)):
        if write_number(x, key, value, _WRITER):
            return
    if write_element(SETITEM, x, key, value, _WRITER):
        return
    key, basic = normalize_key(key)
    check_write(x, _WRITER)
    array = x._array
    as_list = isinstance(value, list | tuple)
    if as_list:
        value = operand_for(x, value, _WRITER, 2)
    recording = is_grad_enabled()
    written = None
    if isinstance(value, TensorBase):
        source = value._array
        written = node_of(value) if recording else None
    else:
        source = _plain_value(x, value)
    if basic:
        target = indexed(array, key)
        if _same_memory(target, source) and _same_history(x, value, recording):
            return  # x[key] += v ends with assigning the view to itself
        shape = target.shape
        if source.ndim and not shape and (as_list or type(target) is not np.ndarray):
            check_one_element(source.shape, as_list, _WRITER)
            source = source.reshape(())
    else:
        shape = indexed_shape(array, key, source.ndim > 0 or written is not None)
    if source.dtype is not array.dtype:
        _check_kind(source.dtype, array.dtype)
        check_convertible(source, array.dtype, _WRITER)
    if source.ndim and source.shape != shape:
        if basic and as_list and source.ndim > len(shape):  # lists are not broadcast down
            raise _misfit(source.shape, shape)
        _check_fit(source.shape, shape)
        if source.ndim > 1 and is_mask(key) and key.ndim == array.ndim:
            raise ArgumentTypeError(
                f"{_WRITER}: a mask selects elements of one dimension, the value has shape "
                f"{source.shape}; use value.reshape(-1)"
            )
    if written is not None:
        if source.shape != shape:
            value = _fit(value, shape)
        value = cast(value, array.dtype)
        source, written = value._array, node_of(value)
        check_alone(x, target if basic and isinstance(target, np.ndarray) else array, _WRITER)
    if not basic and source.ndim and np.may_share_memory(array, source):
        # NumPy reads what it has just written where a mask selects from overlapping memory.
        source = source.copy()
    with write_lock(x):
        repeats = None
        if recording and not array.flags.c_contiguous:
            repeats = _repeats(x, key, written)
        prepare_write(x, _WRITER)
        x._array[key] = source
        if recording:
            _record_written(x, key, written, repeats)


def _repeats(x: Any, key: Any, written: Any) -> Any:
    """What is written, by place in the base, if x is a tracked view that repeats elements."""
    if written is None and node_of(x) is None:
        return None
    family = family_of(x)
    view = Geometry.of(x._array, family.storage._array)
    return written_places(family.base, view, key) if view.overlaps else None


def _record_written(x: Any, key: Any, written: Any, repeats: Any) -> None:
    if repeats is None:
        node = node_of(x)
        if node is not None or written is not None:
            node = _setitem_node(node, written, key, x._array)
        adopt_history(x, node)
        return
    family = family_of(x)
    places, kept = repeats
    if written is not None:
        shape = x._array[key].shape
        attributes = {"key": np.unravel_index(kept, shape) if shape else None, "shape": shape}
        written = [next_seq(), GATHER, (written,), None, attributes]
    family.node = _setitem_node(family.node, written, places, family.base)
    family.epoch += 1


def _setitem_node(node: Any, written: Any, key: Any, like: Any) -> Any:
    attributes = {"key": key, "shape": like.shape, "result_like": (like.shape, like.dtype)}
    return [next_seq(), SETITEM, (node, written), None, attributes]


_WRITER = "x[...] = value"


def _plain_value(x: Any, value: Any) -> Any:
    """A value that is no tensor, as an array that can be written into x."""
    if isinstance(value, np.ndarray | np.generic):
        if type(value) is not np.ndarray and isinstance(value, np.ndarray):
            check_subclass(value, _WRITER)
        array = np.asarray(value)
        check_supported(array.dtype, _WRITER)
        return array
    if not isinstance(value, bool | int | float | complex):
        return operand_for(x, value, _WRITER, 2)._array
    if isinstance(value, complex) and x._array.dtype.kind != "c":
        _check_kind(np.dtype(complex), x._array.dtype)
    return written_number(value, x._array.dtype, _WRITER)


def _check_kind(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    if source.kind == "c" and target.kind not in "cb":
        raise ArgumentTypeError(
            f"{_WRITER}: a complex value cannot be written into dtype {target}; write value.real, "
            "or make x complex first"
        )


def _fit(value: Any, shape: Shape) -> Any:
    """The value broadcast to the indexed shape; extra leading ones are dropped as NumPy does."""
    array = value._array
    while array.ndim > len(shape) and array.shape[0] == 1:
        value = getitem(value, (0, Ellipsis))
        array = value._array
    try:
        return view(BROADCAST_TO, value, shape=shape)
    except ShapeError:
        raise _misfit(array.shape, shape) from None


def _misfit(given: Shape, shape: Shape) -> ShapeError:
    return ShapeError(f"a value of shape {given} cannot be assigned to an index of shape {shape}")


def _check_fit(given: Shape, shape: Shape) -> None:
    """ShapeError if a value does not broadcast to the index; extra leading ones are no harm."""
    lead = len(given) - len(shape)
    if any(n != 1 for n in given[: max(lead, 0)]) or any(
        n not in (1, m) for n, m in zip(given[::-1], shape[::-1], strict=False)
    ):
        raise _misfit(given, shape)


def _same_memory(target: Any, source: Any) -> bool:
    return (
        source.base is not None
        and isinstance(target, np.ndarray)
        and target.shape == source.shape
        and target.strides == source.strides
        and target.dtype == source.dtype
        and target.__array_interface__["data"] == source.__array_interface__["data"]
    )


def _same_history(x: Any, value: Any, recording: bool) -> bool:
    """Whether what is written carries what x carries there (a detached view does not)."""
    return not recording or (isinstance(value, TensorBase) and value._family is x._family)


# -- ops ----------------------------------------------------------------------------------------
#
# Each one is linear; `shape` is that of the tensor that is indexed. The pairs of transposes:
# getitem and put_item, gather and scatter_add, take_written and put_written.


def put_item_array(g: Any, *, key: Any, shape: Shape) -> Any:
    """Zeros into which g has been written at the index; the last of several writes wins."""
    out = np.zeros(shape, g.dtype)
    out[key] = g
    return out


def scatter_add_array(g: Any, *, key: Any, shape: Shape) -> Any:
    """Zeros to which g has been added at the index; repeated indices add up."""
    out = np.zeros(shape, g.dtype)
    _add_at(out, key, g)
    return out


def _add_at(out: Any, key: Any, g: Any) -> None:
    if is_mask(key):
        out[key] += g
    elif isinstance(key, np.ndarray) and out.flags.c_contiguous:
        lookup("index_add", "cpu", "strided", (out.dtype, key.dtype, g.dtype))(out, key, g, axis=0)
    elif out.flags.c_contiguous and is_full(key, out.ndim):
        parts = [np.where(p < 0, p + n, p) for p, n in zip(key, out.shape, strict=True)]
        flat = np.ravel_multi_index(tuple(np.broadcast_arrays(*parts)), out.shape)
        lookup("add_at", "cpu", "strided", (out.dtype, flat.dtype, g.dtype))(out, flat, g)
    else:
        np.add.at(out, key, g)


def clear_item_array(g: Any, *, key: Any, shape: Shape) -> Any:
    """A copy of g with zeros at the index."""
    out = g.copy()
    out[key] = 0
    return out


def take_written_array(g: Any, *, key: Any, shape: Shape) -> Any:
    """Cotangent of an assigned value: only the last of several writes to one place counts."""
    out = np.array(g[key])
    if needs_last(key):
        order = np.arange(out.size).reshape(out.shape)
        last = np.full(shape, -1)
        last[key] = order
        out = np.where(last[key] == order, out, 0).astype(g.dtype, copy=False)
    return out


GETITEM: Op = declare(
    Op("getitem", ("x",),
       Linear(x=lambda g, key, shape: apply(PUT_ITEM, g, key=key, shape=shape)), family="view")
)  # fmt: skip
PUT_ITEM: Op = declare(
    Op("put_item", ("x",), Linear(x=lambda g, key: getitem(g, key)), scalar=False)
)
GATHER: Op = declare(
    Op("gather", ("x",),
       Linear(x=lambda g, key, shape: apply(SCATTER_ADD, g, key=key, shape=shape)))
)  # fmt: skip
SCATTER_ADD: Op = declare(
    Op("scatter_add", ("x",), Linear(x=lambda g, key: getitem(g, key)), scalar=False)
)
SETITEM: Op = declare(
    Op("setitem", ("x", "value"),
       Linear(x=lambda g, key, shape: apply(CLEAR_ITEM, g, key=key, shape=shape),
              value=lambda g, key, shape: apply(TAKE_WRITTEN, g, key=key, shape=shape)),
       scalar=False)
)  # fmt: skip
CLEAR_ITEM: Op = declare(
    Op("clear_item", ("x",),
       Linear(x=lambda g, key, shape: apply(CLEAR_ITEM, g, key=key, shape=shape)), scalar=False)
)  # fmt: skip
TAKE_WRITTEN: Op = declare(
    Op("take_written", ("x",),
       Linear(x=lambda g, key, shape: apply(PUT_WRITTEN, g, key=key, shape=shape)), scalar=False)
)  # fmt: skip
PUT_WRITTEN: Op = declare(
    Op("put_written", ("x",),
       Linear(x=lambda g, key, shape: apply(TAKE_WRITTEN, g, key=key, shape=shape)), scalar=False)
)  # fmt: skip


def _getitem_array(x: Any, *, key: Any, shape: Shape) -> Any:
    out = indexed(x, key)
    return np.asarray(out) if isinstance(out, np.generic) else out


def _setitem_array(x: Any, value: Any, *, key: Any, shape: Shape) -> Any:
    out = x.copy()
    out[key] = value
    return out


register_kernel("getitem", _getitem_array)
register_kernel("gather", _getitem_array)
register_kernel("put_item", put_item_array)
register_kernel("scatter_add", scatter_add_array)
register_kernel("setitem", _setitem_array)
register_kernel("clear_item", clear_item_array)
register_kernel("take_written", take_written_array)
register_kernel("put_written", put_item_array)


def _add_into(memory: Any, g: Any, node: Node) -> bool:
    memory[node[ATTRIBUTES]["key"]] += g
    return True


def _add_into_gather(memory: Any, g: Any, node: Node) -> bool:
    _add_at(memory, node[ATTRIBUTES]["key"], g)
    return True


def _take_out(g: Any, attributes: dict[str, Any]) -> Any:
    value = take_written_array(g, key=attributes["key"], shape=attributes["shape"])
    g[attributes["key"]] = 0
    return value


def _pull_getitem(node: Any, g: Any) -> Any:
    return (put_item_array(g, **node[ATTRIBUTES]),)


ADD_INTO["getitem"] = _add_into
ADD_INTO["gather"] = _add_into_gather
TAKE_OUT["setitem"] = _take_out
RAW_PULL["getitem"] = _pull_getitem


# -- take and put along one axis ------------------------------------------------------------------


def _add_slices_array(g: Any, indices: Any, *, axis: int, shape: Shape) -> Any:
    out = np.zeros(shape, g.dtype)
    kernel = lookup("index_add", "cpu", "strided", (g.dtype, indices.dtype, g.dtype))
    kernel(out, indices, g, axis=axis)
    return out


def _add_along_array(g: Any, indices: Any, *, axis: int, shape: Shape) -> Any:
    out = np.zeros(shape, g.dtype)
    kernel = lookup("add_along_axis", "cpu", "strided", (g.dtype, indices.dtype, g.dtype))
    kernel(out, indices, g, axis=axis)
    return out


TAKE: Op = declare(
    Op("take", ("x", "indices"),
       Rule(x=lambda g, indices, axis, x_shape: apply(
               ADD_SLICES, g, indices, axis=axis, shape=x_shape),
            jvp=lambda tangents, indices, axis: apply(TAKE, tangents[0], indices, axis=axis)),
       scalar=False)
)  # fmt: skip
ADD_SLICES: Op = declare(
    Op("add_slices", ("g", "indices"),
       Rule(g=lambda g, indices, axis: apply(TAKE, g, indices, axis=axis),
            jvp=lambda tangents, indices, axis, shape: apply(
                ADD_SLICES, tangents[0], indices, axis=axis, shape=shape)),
       scalar=False)
)  # fmt: skip
TAKE_ALONG_AXIS: Op = declare(
    Op("take_along_axis", ("x", "indices"),
       Rule(x=lambda g, indices, axis, x_shape: apply(
               ADD_ALONG_AXIS, g, indices, axis=axis, shape=x_shape),
            jvp=lambda tangents, indices, axis: apply(
                TAKE_ALONG_AXIS, tangents[0], indices, axis=axis)),
       scalar=False)
)  # fmt: skip
ADD_ALONG_AXIS: Op = declare(
    Op("scatter_add_along_axis", ("g", "indices"),
       Rule(g=lambda g, indices, axis: apply(TAKE_ALONG_AXIS, g, indices, axis=axis),
            jvp=lambda tangents, indices, axis, shape: apply(
                ADD_ALONG_AXIS, tangents[0], indices, axis=axis, shape=shape)),
       scalar=False)
)  # fmt: skip
register_kernel("add_slices", _add_slices_array)
register_kernel("scatter_add_along_axis", _add_along_array)


def _index_operand(indices: Any, function: str) -> Any:
    indices = operand(indices, function, 2)
    array = indices._array
    if array.dtype.kind not in "iu":
        if array.size:
            raise IndexOutOfRangeError(
                f"{function}: indices of dtype {array.dtype}; they must be integers, e.g. "
                "indices.astype(int)"
            )
        return wrap(array.astype(np.intp))
    return indices


def _add_taken(kernel_name: str) -> Callable[[Any, Any, Node], bool]:
    """Adds the cotangent of slices or elements that were taken into that of what they are from."""

    def add_into(memory: Any, g: Any, node: Node) -> bool:
        values = node[VALUES]
        if type(values) is not tuple or values is FREED or type(memory) is not np.ndarray:
            return False
        if g.dtype != memory.dtype or not memory.flags.c_contiguous:
            return False
        indices = values[1]
        kernel = lookup(kernel_name, "cpu", "strided", (g.dtype, indices.dtype, g.dtype))
        kernel(memory, indices, g, axis=node[ATTRIBUTES]["axis"])
        return True

    return add_into


ADD_INTO["take"] = _add_taken("index_add")
ADD_INTO["take_along_axis"] = _add_taken("add_along_axis")


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices at the indices along an axis.

    Parameters
    ----------
    x : Tensor
    indices : Tensor, integral
        Of any shape, which replaces the axis; negative ones count from the end.
    axis : int, optional
        None indexes the flattened tensor.

    Returns
    -------
    Tensor
        Memory of its own.

    Raises
    ------
    IndexOutOfRangeError
        An index is outside of [-n, n).

    Notes
    -----
    Derivative: the cotangent added at the indices; repeated ones add up.
    """
    x = operand(x, "take")
    out: Any = taken(TAKE, x, indices, axis)
    if out is not None:
        return out  # type: ignore[no-any-return]
    if axis is None:
        if x._array.ndim != 1:
            x = getitem(x, None) if not x._array.ndim else x.reshape(-1)
        axis = 0
    axis = normalize_axis(axis, x._array.ndim)
    indices = _index_operand(indices, "take")
    try:
        out = apply(TAKE, x, indices, axis=axis)
    except IndexError as error:
        raise IndexOutOfRangeError(f"take: {error} (shape {x._array.shape})") from None
    if not out._array.ndim:
        return wrap_result(out._array, out._node)  # type: ignore[no-any-return]
    return out  # type: ignore[no-any-return]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements at indices matched with the other axes, as `argsort` and `argmax` give them.

    Parameters
    ----------
    x : Tensor, at least 1-d
    indices : Tensor, integral, of as many dimensions as x
        Broadcasts against x except along `axis`; negative ones count from the end.
    axis : int

    Returns
    -------
    Tensor
        Memory of its own, of the size of `indices` along `axis`.

    Raises
    ------
    IndexOutOfRangeError
        An index is outside of [-n, n).

    Notes
    -----
    Derivative: the cotangent added at the indices; repeated ones add up.
    """
    x = operand(x, "take_along_axis")
    axis, indices = _along(x, indices, axis, "take_along_axis")
    try:
        return apply(TAKE_ALONG_AXIS, x, indices, axis=axis)  # type: ignore[no-any-return]
    except IndexError as error:
        raise IndexOutOfRangeError(f"take_along_axis: {error} (shape {x._array.shape})") from None


def _along(x: Any, indices: Any, axis: int, function: str) -> tuple[int, Any]:
    indices = _index_operand(indices, function)
    shape, given = x._array.shape, indices._array.shape
    axis = normalize_axis(axis, len(shape))
    if len(given) != len(shape):
        raise ShapeError(
            f"{function}: indices have {len(given)} dimensions, x has {len(shape)}; add "
            "dimensions of size 1 with indices[..., None]"
        )
    broadcast_shapes(
        *[tuple(1 if i == axis else n for i, n in enumerate(s)) for s in (shape, given)]
    )
    return axis, indices


def put_along_axis(x: Tensor, indices: Tensor, values: Tensor | complex, axis: int) -> None:
    """Write values at indices matched with the other axes, in place.

    Parameters
    ----------
    x : Tensor
        Is written.
    indices : Tensor, integral, of as many dimensions as x
    values : Tensor
        Broadcasts to the shape of `indices`.
    axis : int

    Notes
    -----
    Derivative: as for ``x[...] = values``; the last of several writes to one place counts.
    """
    if not isinstance(x, TensorBase):
        raise ArgumentTypeError(
            f"put_along_axis: x is a {type(x).__name__}, it must be a tensor to be written; use "
            "np.put_along_axis for arrays"
        )
    axis, indices = _along(x, indices, axis, "put_along_axis")
    shape = x._array.shape
    grid = [
        np.arange(n).reshape((1,) * i + (n,) + (1,) * (len(shape) - i - 1))
        for i, n in enumerate(shape)
    ]
    grid[axis] = indices._array
    setitem(x, tuple(grid), values)


def take_mode(x: Any, indices: Any, *, axis: int, mode: str) -> Any:
    """`take` with NumPy's ways of treating indices that are out of range: raise, wrap, clip."""
    indices = _index_operand(indices, "take")
    axis = normalize_axis(axis, x._array.ndim)
    return take(x, wrap(_in_range(indices._array, x._array.shape[axis], mode)), axis=axis)


def _in_range(indices: Any, size: int, mode: str) -> Any:
    if mode == "wrap":
        return indices % size
    if mode == "clip":
        return np.clip(indices, 0, size - 1)
    if mode != "raise":
        raise ArgumentError(f"mode={mode!r}; use 'raise', 'wrap' or 'clip'")
    return indices


def put(x: Any, indices: Any, values: Any, *, mode: str = "raise") -> None:
    """Write values at flat indices of x, in place; they are repeated as often as needed."""
    where = _in_range(_index_operand(indices, "put")._array, x._array.size, mode).reshape(-1)
    size = x._array.size
    if where.size and (where.min() < -size or where.max() >= size):
        raise IndexOutOfRangeError(f"put: an index is outside of a tensor of {size} elements")
    values = operand_for(x, values, "put", 3)
    count = values._array.size
    if not where.size or not count:
        return
    if count != 1:
        values = take(values, wrap(np.arange(where.size) % count))
    else:
        values = values.reshape(())
    if not x._array.ndim:
        x = x.reshape(1)
    setitem(x, np.unravel_index(np.where(where < 0, where + size, where), x._array.shape), values)
