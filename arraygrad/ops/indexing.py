"""Reading and writing with every kind of index that NumPy knows; take, take_along_axis."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import (
    BROADCAST_TO,
    adopt_history,
    apply,
    cast,
    node_of,
    operand,
    view,
    wrap,
    wrap_result,
)
from .._dispatch import lookup, register_kernel
from .._engine import ADD_INTO, RAW_PULL, TAKE_OUT
from .._errors import ArgumentTypeError, IndexOutOfRangeError, ShapeError
from .._graph import is_grad_enabled, next_seq
from .._layout import Shape
from .._op import Linear, Op, declare
from .._storage import TensorBase, join_family, prepare_write
from .._writes import check_write

if TYPE_CHECKING:
    from .._tensor import Tensor

_new = object.__new__
_BASIC = (int, slice, type(None), type(Ellipsis))


def _key_part(part: Any) -> Any:
    """One part of an index as NumPy takes it; arrays are copied, since a graph may keep them."""
    if type(part) in _BASIC:
        return part
    if isinstance(part, slice):
        return part
    if isinstance(part, TensorBase):
        array = part._array
        if array.dtype.kind not in "biu":
            raise IndexOutOfRangeError(
                f"a tensor of dtype {array.dtype} cannot index; use an integer or boolean tensor, "
                "e.g. i.astype(int)"
            )
        if array.ndim == 0 and array.dtype.kind != "b":
            return int(array)
        return array.copy()
    if isinstance(part, list):
        if any(isinstance(p, TensorBase | list) for p in part):
            part = [_key_part(p) for p in part]
        array = np.array(part)
        return array.astype(np.intp) if array.size == 0 else array
    if isinstance(part, np.ndarray):
        return part.copy()
    if isinstance(part, bool | np.bool_):
        return part
    try:
        return operator.index(part)
    except TypeError:
        raise IndexOutOfRangeError(
            f"{part!r} cannot index a tensor: use integers, slices, ..., None, or integer or "
            "boolean arrays"
        ) from None


def normalize_key(key: Any) -> tuple[Any, bool]:
    """The index as NumPy takes it, and whether it is basic (gives a view)."""
    kind = type(key)
    if kind is int or kind is slice or key is None or key is Ellipsis:
        return key, True
    if kind is tuple:
        parts = tuple(_key_part(part) for part in key)
        return parts, all(type(part) in _BASIC for part in parts)
    part = _key_part(key)
    return part, type(part) in _BASIC


def _indexed(array: Any, key: Any) -> Any:
    try:
        return array[key]
    except IndexError as error:
        raise IndexOutOfRangeError(f"{error} (tensor of shape {array.shape})") from None
    except (TypeError, ValueError) as error:
        raise IndexOutOfRangeError(f"{error} (index {key!r}, shape {array.shape})") from error


def getitem(x: Any, key: Any) -> Any:
    """x[key]: a view for basic indices, a copy for index arrays and masks.

    A full integer index gives a scalar, which owns its memory.
    """
    key, basic = normalize_key(key)
    array = x._array
    out = _indexed(array, key)
    node = node_of(x)
    if node is not None and not (is_grad_enabled() and array.dtype.kind in "fcV"):
        node = None
    if node is not None:
        attributes = {"key": key, "x_shape": array.shape, "x_dtype": array.dtype}
        node = [next_seq(), GETITEM if basic else GATHER, (node,), None, attributes]
    if type(out) is not np.ndarray:
        return wrap(out, node)
    result = wrap(out, node)
    if basic:
        if node is None and node_of(x) is not None:
            from .._apply import _share_storage

            _share_storage(result, x)
        else:
            join_family(result, x)
    return result


def setitem(x: Any, key: Any, value: Any) -> None:
    """x[key] = value, with NumPy's broadcasting and casts; the last write wins on repeats."""
    key, basic = normalize_key(key)
    check_write(x, "x[...] = value")
    array = x._array
    if isinstance(value, TensorBase):
        source = value._array
        if basic and source.base is not None and _same_memory(array, key, source):
            return  # x[key] += v ends with assigning the view to itself
        tracked = is_grad_enabled() and (node_of(value) is not None or node_of(x) is not None)
    else:
        tracked = is_grad_enabled() and node_of(x) is not None
        if isinstance(value, list | tuple):
            value = operand(value, "x[...] = value")
            source = value._array
            tracked = tracked or (is_grad_enabled() and node_of(value) is not None)
        else:
            source = value
    if not tracked:
        _checked_write(x, key, source)
        if is_grad_enabled():
            adopt_history(x, None)
        return
    value = operand(value, "x[...] = value", 2)
    shape = np.shape(_indexed(array, key))
    if value._array.shape != shape:
        value = _fit(value, shape)
    if value._array.dtype != array.dtype:
        value = cast(value, array.dtype)
    old = node_of(x)
    written = node_of(value)
    _checked_write(x, key, value._array)
    attributes = {"key": key, "x_shape": array.shape, "x_dtype": array.dtype}
    adopt_history(x, [next_seq(), SETITEM, (old, written), None, attributes])


def _fit(value: Any, shape: Shape) -> Any:
    """The value broadcast to the indexed shape; extra leading ones are dropped as NumPy does."""
    array = value._array
    while array.ndim > len(shape) and array.shape[0] == 1:
        value = getitem(value, 0) if array.ndim > 1 else value.reshape(())
        array = value._array
    try:
        return view(BROADCAST_TO, value, shape=shape)
    except ShapeError:
        raise ShapeError(
            f"a value of shape {array.shape} cannot be assigned to an index of shape {shape}"
        ) from None


def _checked_write(x: Any, key: Any, source: Any) -> None:
    """Write plain data; an error leaves everything as it was."""
    array = x._array
    if not isinstance(source, np.ndarray | np.generic | int | float | complex):
        source = np.asarray(operand(source, "x[...] = value")._array)
    shape = np.shape(_indexed(array, key))
    given = np.shape(source)
    if given != shape and given:
        lead = len(given) - len(shape)
        if (lead > 0 and any(n != 1 for n in given[:lead])) or any(
            n not in (1, m)
            for n, m in zip(given[::-1], shape[::-1], strict=False)
        ):
            raise ShapeError(
                f"a value of shape {given} cannot be assigned to an index of shape {shape}"
            )
    if isinstance(source, complex | np.complexfloating) or (
        isinstance(source, np.ndarray) and source.dtype.kind == "c"
    ):
        if array.dtype.kind != "c":
            raise ArgumentTypeError(
                f"x[...] = value: a complex value cannot be written into dtype {array.dtype}; "
                "write value.real, or make x complex first"
            )
    prepare_write(x, "x[...] = value")
    x._array[key] = source


def _same_memory(array: Any, key: Any, source: Any) -> bool:
    target = array[key]
    return (
        isinstance(target, np.ndarray)
        and target.shape == source.shape
        and target.strides == source.strides
        and target.dtype == source.dtype
        and target.__array_interface__["data"] == source.__array_interface__["data"]
    )


# -- ops ----------------------------------------------------------------------------------------


def put_item_array(g: Any, *, key: Any, x_shape: Shape, x_dtype: Any) -> Any:
    out = np.zeros(x_shape, g.dtype)
    out[key] = g
    return out


def scatter_add_array(g: Any, *, key: Any, x_shape: Shape, x_dtype: Any) -> Any:
    """Zeros to which g has been added at the index; repeated indices add up."""
    out = np.zeros(x_shape, g.dtype)
    _add_at(out, key, g)
    return out


def _is_mask(key: Any) -> bool:
    return isinstance(key, np.ndarray) and key.dtype.kind == "b"


def _add_at(out: Any, key: Any, g: Any) -> None:
    if _is_mask(key):
        out[key] += g
    elif isinstance(key, np.ndarray) and out.flags.c_contiguous:
        flat = np.where(key < 0, key + out.shape[0], key)
        lookup("index_add", "cpu", "strided", (out.dtype, flat.dtype))(out, flat, g, axis=0)
    else:
        np.add.at(out, key, g)


def clear_item_array(g: Any, *, key: Any, x_shape: Shape, x_dtype: Any) -> Any:
    out = g.copy()
    out[key] = 0
    return out


def take_written_array(g: Any, *, key: Any, x_shape: Shape, x_dtype: Any) -> Any:
    """Cotangent of an assigned value: only the last of several writes to one place counts."""
    out = np.array(g[key])
    if _needs_last(key):
        order = np.arange(out.size).reshape(out.shape)
        last = np.full(x_shape, -1)
        last[key] = order
        out = np.where(last[key] == order, out, 0)
    return out


def _needs_last(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(p, np.ndarray) and p.dtype.kind != "b" and p.size > 1 for p in parts)


def _linear_pair(name: str, arguments: tuple[str, ...], **formulas: Any) -> Op:
    return declare(Op(name, arguments, Linear(**formulas), scalar=False))


GETITEM = declare(
    Op("getitem", ("x",),
       Linear(x=lambda g, key, x_shape, x_dtype: apply(
           PUT_ITEM, g, key=key, x_shape=x_shape, x_dtype=x_dtype)),
       family="view")
)  # fmt: skip
PUT_ITEM = declare(
    Op("put_item", ("x",), Linear(x=lambda g, key: getitem(g, key)), scalar=False)
)
GATHER = declare(
    Op("gather", ("x",),
       Linear(x=lambda g, key, x_shape, x_dtype: apply(
           SCATTER_ADD, g, key=key, x_shape=x_shape, x_dtype=x_dtype)))
)  # fmt: skip
SCATTER_ADD = declare(
    Op("scatter_add", ("x",), Linear(x=lambda g, key: getitem(g, key)), scalar=False)
)
SETITEM = declare(
    Op("setitem", ("x", "value"),
       Linear(
           x=lambda g, key, x_shape, x_dtype: apply(
               CLEAR_ITEM, g, key=key, x_shape=x_shape, x_dtype=x_dtype),
           value=lambda g, key, x_shape, x_dtype: apply(
               TAKE_WRITTEN, g, key=key, x_shape=x_shape, x_dtype=x_dtype)),
       scalar=False)
)  # fmt: skip
CLEAR_ITEM = declare(
    Op("clear_item", ("x",),
       Linear(x=lambda g, key, x_shape, x_dtype: apply(
           CLEAR_ITEM, g, key=key, x_shape=x_shape, x_dtype=x_dtype)), scalar=False)
)  # fmt: skip
TAKE_WRITTEN = declare(
    Op("take_written", ("x",),
       Linear(x=lambda g, key, x_shape, x_dtype: apply(
           PUT_WRITTEN, g, key=key, x_shape=x_shape, x_dtype=x_dtype)), scalar=False)
)  # fmt: skip
PUT_WRITTEN = declare(
    Op("put_written", ("x",),
       Linear(x=lambda g, key, x_shape, x_dtype: apply(
           TAKE_WRITTEN, g, key=key, x_shape=x_shape, x_dtype=x_dtype)), scalar=False)
)  # fmt: skip


def _drop_meta(function: Any) -> Any:
    def kernel(x: Any, *, key: Any, **_: Any) -> Any:
        return function(x, key)

    return kernel


register_kernel("getitem", _drop_meta(_indexed))
register_kernel("gather", _drop_meta(_indexed))
register_kernel("put_item", put_item_array)
register_kernel("scatter_add", scatter_add_array)
register_kernel("clear_item", clear_item_array)
register_kernel("take_written", take_written_array)
register_kernel("put_written", put_item_array)


def _setitem_array(x: Any, value: Any, *, key: Any, **_: Any) -> Any:
    out = x.copy()
    out[key] = value
    return out


register_kernel("setitem", _setitem_array)


def _add_into(memory: Any, g: Any, attributes: dict[str, Any]) -> bool:
    memory[attributes["key"]] += g
    return True


def _add_into_gather(memory: Any, g: Any, attributes: dict[str, Any]) -> bool:
    _add_at(memory, attributes["key"], g)
    return True


def _take_out(g: Any, attributes: dict[str, Any]) -> Any:
    value = take_written_array(g, **{k: attributes[k] for k in ("key", "x_shape", "x_dtype")})
    g[attributes["key"]] = 0
    return value


def _pull_getitem(node: Any, g: Any) -> Any:
    attributes = node[4]
    return (put_item_array(g, **attributes),)


ADD_INTO["getitem"] = _add_into
ADD_INTO["gather"] = _add_into_gather
TAKE_OUT["setitem"] = _take_out
RAW_PULL["getitem"] = _pull_getitem
