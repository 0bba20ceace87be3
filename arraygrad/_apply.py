"""The road of every primitive: check, promote, run the kernel, record.

Two roads: `view` (the result shares memory) and `apply` (everything else); that of elementwise ops
is `_elementwise`. Broadcasts and promotions of tracked operands are recorded as steps of their own,
so that no derivative formula mentions them.
"""

from __future__ import annotations

import importlib
from _weakref import ref as reference  # what weakref hands on, without its import
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _compiled, _dispatch
from ._dispatch import register_kernel
from ._dtypes import as_dtype, check_supported, is_supported
from ._errors import (
    ArgumentTypeError,
    DeviceError,
    IntegerOverflowError,
    ShapeError,
    kind_of,
    out_of_memory,
)
from ._graph import GRAD_MODE, OBSERVERS, Node, next_seq, owner_of
from ._layout import Shape
from ._lazy import LazyModule
from ._op import Linear, Op, declare
from ._storage import (
    Family,
    Geometry,
    Storage,
    TensorBase,
    family_of,
    join_family,
    keep,
)

history = LazyModule("arraygrad._history")  # lies above

_new = object.__new__
ndarray = np.ndarray
from_scalar = np.array  # half the time of asarray
generic = np.generic

_grad_mode = GRAD_MODE.get


class _Types:
    """The public classes, which are defined above this module and registered from there."""

    tensor: Any = TensorBase
    scalar: Any = TensorBase


def register_types(tensor: type, scalar: type) -> None:
    """Tell the roads which classes to make."""
    global _TENSOR, _SCALAR
    _TENSOR = _Types.tensor = tensor
    _SCALAR = _Types.scalar = scalar
    if _compiled.ROADS is not None:
        _compiled.ROADS.register_types(tensor, scalar)


_TENSOR: Any = TensorBase
_SCALAR: Any = TensorBase


def scalar_class() -> Any:
    """The class of 0-d tensors with NumPy's scalar semantics."""
    return _SCALAR


# -- places ---------------------------------------------------------------------------------------

_CPU_STRIDED = ("cpu", "strided")


def place_of(array: Any) -> tuple[str, str]:
    """(kind of device, layout) of a device's array.

    A NumPy array is strided CPU memory; the arrays of other devices and layouts say so
    themselves by attributes ``device`` and ``layout``.
    """
    if type(array) is ndarray:
        return _CPU_STRIDED
    return array.device.kind, getattr(array, "layout", "strided")


def common_place(arrays: Sequence[Any], function: str) -> tuple[str, str]:
    """The one place of all arrays; DeviceError if they live in different ones."""
    for array in arrays:
        if type(array) is not ndarray:
            break
    else:
        return _CPU_STRIDED
    place = _CPU_STRIDED
    for i, array in enumerate(arrays):
        found = place_of(array)
        if i and found != place:
            raise DeviceError(
                f"{function}: operands live on {place[0]!r} ({place[1]}) and {found[0]!r} "
                f"({found[1]}); move one with x.to_device({place[0]!r})"
            )
        place = found
    return place


# -- making tensors -----------------------------------------------------------------------------


def wrap(array: Any, node: Node | None = None) -> Any:
    """A tensor over an array that nothing else uses; NumPy scalars become scalars."""
    if type(array) is ndarray:
        out = _new(_TENSOR)
        out._array = array
    elif isinstance(array, np.generic):
        out = _new(_SCALAR)
        out._array = from_scalar(array)
    else:
        out = _new(_TENSOR)
        out._array = array
    out._node = node
    out._family = None
    return out


def wrap_result(array: Any, node: Node | None = None) -> Any:
    """Like `wrap`, but 0-d arrays become scalars too (ufuncs and reductions)."""
    if type(array) is not ndarray and isinstance(array, generic):
        array = from_scalar(array)
    out = _new(_TENSOR if array.ndim else _SCALAR)
    out._array = array
    out._node = node
    out._family = None
    return out


def node_of(x: Any) -> Node | None:
    """The graph node of the tensor's current value, after all writes to its memory."""
    family = x._family
    if family is not None and x._epoch != family.epoch:
        _refresh(x, family)
    node: Node | None = x._node
    return node


def _refresh(x: Any, family: Family) -> None:
    """A write elsewhere in the family changed the value: read it anew from the base's node."""
    with family.storage.lock:  # node and epoch belong together
        base = family.node
        if base is None:
            x._node = None
        else:
            geometry = geometry_in(family, x._array)
            if geometry == family.base:
                x._node = base
            elif x._array.dtype.kind not in "fcV":
                x._node = None
            else:
                attributes = {"base": family.base, "view": geometry}
                x._node = [next_seq(), history.READ_WINDOW, (base,), None, attributes]
        x._epoch = family.epoch


def geometry_in(family: Family, array: Any) -> Geometry:
    """Where a view of the family lies in its storage."""
    offset = family.storage.offset_of(array)
    return Geometry(array.dtype, array.shape, array.strides, offset)


_ARRAYS = (ndarray, generic)
_ARRAY_SCALARS = (bool, int, float, complex)


def operand(x: Any, function: str = "this function", position: int = 1) -> Any:
    """A tensor from a tensor, NumPy array or scalar, or nested list; no copy where possible."""
    if isinstance(x, TensorBase):
        return x
    if isinstance(x, _ARRAYS):
        if isinstance(x, ndarray) and type(x) is not ndarray:
            check_subclass(x, function)
        array = np.asarray(x)
        if not is_supported(array.dtype) or not array.dtype.isnative:
            place = function if function.startswith("argument ") else ""
            dtype = check_supported(array.dtype, place or f"argument {position} of {function}")
            array = array.astype(dtype)
        out = wrap(array)
        if isinstance(x, ndarray) and (array is x or array.base is not None):
            storage = family_of(out).storage
            storage.pinned = True
            storage.lent = array.flags.writeable
        return out
    if isinstance(x, _ARRAY_SCALARS):
        array = np.asarray(x)
        if array.dtype.kind == "O":
            raise IntegerOverflowError(
                f"{function}: the Python integer {_shortened(x)} does not fit 64 bits; use a float"
            )
        return wrap(array)
    if isinstance(x, list | tuple):
        return from_sequence(x)
    if isinstance(x, Sequence) and not isinstance(x, str | bytes):  # range, deque, array.array
        return operand([*x], function, position)
    if type(x).__module__ == "fractions":
        return operand(float(x), function, position)
    raise ArgumentTypeError(
        f"{function}: argument {position} is a {kind_of(x)}, not a tensor, array or number; "
        "convert it first with ag.asarray(...)"
    )


def _shortened(x: Any) -> str:
    """A number in a message: of more than a screenful of digits, how many."""
    return str(x) if abs(x) < 10**100 else f"of {int(abs(x)).bit_length()} bits"


def check_subclass(x: Any, function: str) -> None:
    """Refuse arrays that mean something else than their numbers; other subclasses are numbers.

    Masked arrays, matrices, and classes with operators of their own, such as quantities with units.
    """
    names = {k.__name__ for k in type(x).__mro__ if str(k.__module__).partition(".")[0] == "numpy"}
    if "MaskedArray" in names:
        raise ArgumentTypeError(
            f"{function}: the mask of a masked array would be lost; fill it, x.filled(value), "
            "or write np.where(mask, ...)"
        )
    if "matrix" in names:
        raise ArgumentTypeError(
            f"{function}: an np.matrix has a product of its own, that of tensors is @; convert "
            "it first, np.asarray(x), and write @ for it"
        )
    if type(x).__array_ufunc__ is not ndarray.__array_ufunc__:
        raise ArgumentTypeError(
            f"{function}: a {type(x).__name__} is an array with operators of its own, whose "
            "meaning would be lost; convert it first, np.asarray(x)"
        )


def from_sequence(x: Any, dtype: np.dtype[Any] | None = None, function: str = "asarray") -> Any:
    """A tensor from a nested list or tuple."""
    if _from_sequence is None:  # registered by the module that makes tensors
        importlib.import_module("arraygrad.ops.conversion")
    assert _from_sequence is not None
    return _from_sequence(x, dtype, function)


# Makes a tensor of nested sequences that may hold tensors; set by ops.conversion.
_from_sequence: Callable[[Any, Any, str], Any] | None = None


def register_sequence_conversion(function: Callable[[Any, Any, str], Any]) -> None:
    global _from_sequence
    _from_sequence = function


def constant(value: complex, dtype: np.dtype[Any]) -> Any:
    """A Python scalar as a 0-d array of exactly `dtype`."""
    try:
        return np.array(value, dtype)
    except OverflowError as error:
        what = "Python integer " if isinstance(value, int) else ""
        raise IntegerOverflowError(
            f"{what}{value} is out of bounds for {dtype}; convert the tensor first, "
            "e.g. x.astype('int64')"
        ) from error


def observe(op: Op, out: Any, arrays: tuple[Any, ...]) -> None:
    """Show a result (a tensor or a tuple of them) to whoever watches (anomaly detection)."""
    for observer in tuple(OBSERVERS):
        observer(op, out, arrays)


# -- recording ----------------------------------------------------------------------------------


def record(
    op: Op,
    tensors: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    out: Any,
    attributes: dict[str, Any] | None,
) -> Node:
    """The node of a result, saving what its derivative needs.

    `attributes` is the caller's to give away: static facts about the arguments are added to it.
    """
    if op.variadic:
        values: tuple[Any, ...] | None = _values_of_many(op, tensors, out)
    else:
        kept = op.kept_flags
        flags = None if kept is None else kept[0 if len(nodes) == 1 else _mask(nodes) - 1]
        values = None if flags is None else _values(flags, tensors, out)
    if op.needs_template:
        several = isinstance(out, tuple)
        like = [(o.shape, o.dtype) for o in out] if several else (out.shape, out.dtype)
        attributes = {**(attributes or {}), "result_like": like}
    if op.meta:
        if attributes is None:
            attributes = {}
        for name, i, what in op.meta:
            if op.variadic:
                attributes[name] = tuple(getattr(t._array, what) for t in tensors)
            else:
                attributes[name] = getattr(tensors[i]._array, what)
    return [next_seq(), op, nodes, values, attributes]


def _values(flags: tuple[bool, ...], tensors: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    """The arrays to keep, None where `flags` says no."""
    values = []
    for tensor, kept in zip(tensors, flags):  # noqa: B905 - the last flag is the result's
        values.append(keep(tensor) if kept else None)
    values.append(out if flags[-1] else None)
    return tuple(values)


def _values_of_many(op: Op, tensors: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    flags = op.save_flags[1]
    many = tuple([keep(t) for t in tensors]) if flags[0] else None
    return many, out if flags[-1] else None


def _mask(nodes: tuple[Node | None, ...]) -> int:
    mask = 0
    for i, node in enumerate(nodes):
        if node is not None:
            mask |= 1 << i
    return mask


# -- the general road ---------------------------------------------------------------------------


def apply(op: Op, *tensors: Any, **attributes: Any) -> Any:
    """Run an op on tensors whose arguments have been checked: compute and record.

    Ops with several results return a tuple of tensors.
    """
    if len(tensors) == 1:
        x = tensors[0]
        array = x._array
        arrays: tuple[Any, ...] = (array,)
        node = x._node if x._family is None else node_of(x)
        nodes: tuple[Node | None, ...] = (node,)
        tracked = node is not None
        kernel = op.fast.get(array.dtype) if type(array) is ndarray else None
        if kernel is None:
            kernel = kernel_of_one(op, array)
    else:
        arrays = tuple([t._array for t in tensors])
        nodes = tuple([node_of(t) for t in tensors])
        tracked = any([n is not None for n in nodes])  # noqa: C419 - sooner done than a generator
        place = common_place(arrays, op.name)
        kernel = _dispatch.lookup(op.name, *place, tuple([a.dtype for a in arrays]))
    try:
        out = kernel(*arrays, **attributes)
    except MemoryError as error:
        raise out_of_memory(op.name, error) from error
    except ValueError as error:
        if str(error).startswith(("array is too big", "Maximum allowed")):  # to be counted, even
            raise out_of_memory(op.name, MemoryError(str(error))) from error
        raise
    if tracked:
        tracked = op.kept_flags is not None and _grad_mode()
    if type(out) is not ndarray and isinstance(out, tuple):  # a named one, maybe
        results = _wrap_several(op, tensors, nodes, out, attributes, tracked)
        if OBSERVERS:
            observe(op, results, arrays)
        return results
    if type(out) is not ndarray and isinstance(out, generic):
        out = from_scalar(out)
    result = _new(_SCALAR if op.scalar and not out.ndim else _TENSOR)
    result._array = out
    result._family = None
    if tracked and out.dtype.kind in "fcV":
        result._node = record(op, tensors, nodes, out, attributes)
        result._saved = True
    else:
        result._node = None
    if OBSERVERS:
        observe(op, result, arrays)
    return result


def kernel_of_one(op: Op, array: Any) -> Any:
    """The kernel of an op with one array argument."""
    if type(array) is not ndarray:
        return _dispatch.lookup(op.name, *place_of(array), (array.dtype,))
    kernel = op.fast.get(array.dtype)
    if kernel is None:
        kernel = op.fast[array.dtype] = _dispatch.lookup(op.name, "cpu", "strided", (array.dtype,))
    return kernel


def _as_array(out: Any) -> Any:
    return np.asarray(out) if isinstance(out, np.generic) else out


def _wrap_several(
    op: Op,
    tensors: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    out: tuple[Any, ...],
    attributes: dict[str, Any],
    tracked: bool,
) -> tuple[Any, ...]:
    results = tuple(wrap_result(o) if op.scalar else wrap(_as_array(o)) for o in out)
    if tracked:
        arrays = tuple(r._array for r in results)
        node = record(op, tensors, nodes, arrays, attributes)
        for i, result in enumerate(results):
            if result._array.dtype.kind in "fcV":
                result._node = [next_seq(), RESULT, (node,), None, {"index": i, "count": len(out)}]
                result._saved = True
    return results


def view(op: Op, x: Any, **attributes: Any) -> Any:
    """Run a view op: the result is a tensor over the same memory, in the family of `x`.

    Where the kernel had to copy (reshape), the result is a tensor of its own, and so are those of
    scalars, which are scalars again if they are 0-d: writing to them changes no other.
    """
    scalar = type(x) is _SCALAR
    array = x._array.copy() if scalar else x._array
    try:
        out = kernel_of_one(op, array)(array, **attributes)
    except MemoryError as error:  # of one that had to copy
        raise out_of_memory(op.name, error) from error
    if not scalar and type(out) is ndarray and op.kept_flags is not None and not op.meta:
        base = out.base
        if base is not None and (base is array or base is array.base):
            return viewed(op, x, array, out, None, attributes)
    result = _new(_SCALAR if scalar and not out.ndim else _TENSOR)
    result._array = out
    result._family = None
    own = node = node_of(x)
    if node is not None and _grad_mode() and out.dtype.kind in "fcV":
        if op.derivative.kind == "none":
            node = None
        else:
            result._node = record(op, (x,), (node,), out, attributes)
    else:
        node = None
    if node is None:
        result._node = None
    if not scalar and (out is array or shares_base(out, array)):
        if node is None and own is not None:
            # Made without recording: shares memory, not history.
            share_storage(result, x)
        else:
            join_family(result, x)
    return result


def viewed(
    op: Op,
    x: Any,
    array: Any,
    out: Any,
    name: str | None = None,
    value: Any = None,
    shape: str | None = None,
) -> Any:
    """The tensor over `out`, a NumPy view that the caller took of `array`, that of x; recorded.

    What `view` does where nothing is special, in one piece: x is no scalar, its memory NumPy's.
    The op's attributes are ``name=value`` (without a name, the dictionary `value`) and, under the
    name `shape`, the shape of x.
    """
    family = x._family
    if family is None:
        family = family_of(x)
    result = _new(_TENSOR)
    result._array = out
    node = x._node if x._epoch == family.epoch else node_of(x)
    if node is None:
        result._node = None
    elif _grad_mode():
        if shape is not None:
            result._node = [
                next_seq(), op, (node,), None, {name: value, shape: array.shape}
            ]  # fmt: skip
        else:
            attributes = value if name is None else {name: value}
            result._node = [next_seq(), op, (node,), None, attributes]
    else:
        result._node = None
        share_storage(result, x)
        return result
    result._family = family
    result._epoch = family.epoch
    storage = family.storage  # `Storage.add`, without its call
    tensors = storage._tensors
    tensors.append(reference(result))
    if len(tensors) > storage._trim_at:
        storage._trim()
    # The storage's array, not that of x: a write that moves the memory moves that one first.
    base, own = out.base, storage._array
    if base is not own and base is not own.base and out is not own:
        storage._catch_up(result)
    return result


def shares_base(out: Any, array: Any) -> bool:
    """Whether a kernel's result is a view of its argument."""
    base = getattr(out, "base", None)
    if base is None:
        return False
    return base is array or base is array.base or owner_of(out) is owner_of(array)


def share_storage(result: Any, x: Any) -> None:
    """Put a tensor over the memory of `x` into a family of its own: no common history."""
    storage = family_of(x).storage
    with storage.lock:
        storage.add(result)
        array = result._array
        family = Family(storage, array, result._node, storage.offset_of(array))
    result._epoch = 0
    result._family = family


def detached(x: Any) -> Any:
    """A tensor over the same memory without history."""
    own = x._family
    if own is None:
        own = family_of(x)
    storage = own.storage
    result = _new(type(x))
    array = result._array = x._array
    result._node = None
    if array is not storage._array:
        result._family = None
        share_storage(result, x)
        return result
    # The tensor that the storage is of. Whatever family it is in lies as it does.
    family = _new(Family)
    family.storage = storage
    family.base = own.base
    family.node = None
    family.epoch = 0
    result._epoch = 0
    result._family = family
    storage.add(result)  # moves it if the memory has just been moved
    return result


# -- ops that the roads themselves need ------------------------------------------------------------


def cast(x: Any, dtype: Any) -> Any:
    """The tensor in another dtype; recorded; the tensor itself if it has that dtype."""
    dtype = as_dtype(dtype)
    if x._array.dtype == dtype:
        return x
    out = apply(CAST, x, dtype=dtype)
    if isinstance(x, _SCALAR) or x._array.ndim:
        return out
    return wrap(out._array, out._node)


def _sum_to(g: Any, x_shape: Shape) -> Any:
    return g if g._array.shape == x_shape else apply(SUM_TO, g, shape=x_shape)


def sum_to_array(g: Any, *, shape: Shape) -> Any:
    """Transpose of broadcasting: sums over the dimensions that were broadcast."""
    lead = g.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1
    )
    if axes:
        g = np.add.reduce(g, axis=axes, keepdims=True)
    return g.reshape(shape)


def broadcast_array(x: Any, *, shape: Shape) -> Any:
    """Zero-stride view of `x` with the given shape; read-only."""
    own = x.shape
    lead = len(shape) - len(own)
    if lead < 0:
        raise ShapeError(f"a tensor of shape {own} does not broadcast to {shape}")
    strides = [0] * lead
    for size, wanted, step in zip(own, shape[lead:], x.strides, strict=True):
        if size == wanted:
            strides.append(step)
        elif size == 1:
            strides.append(0)
        else:
            raise ShapeError(f"a tensor of shape {own} does not broadcast to {shape}")
    try:
        if x.flags.c_contiguous:
            out: Any = ndarray(shape, x.dtype, x, 0, tuple(strides))
            out.setflags(write=False)
            return out
        return np.broadcast_to(x, shape)
    except ValueError as error:
        raise ShapeError(f"shape {shape} has more elements of {x.dtype} than can be") from error


def _cast_array(x: Any, *, dtype: np.dtype[Any]) -> Any:
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        return x.real.astype(dtype)
    return x.astype(dtype)


_cast_array.short = ndarray.astype  # type: ignore[attr-defined]
CAST = declare(
    Op("cast", ("x",), Linear(x=lambda g, x_dtype: cast(g, x_dtype)), scalar=True)
)  # fmt: skip
register_kernel("cast", _cast_array)

BROADCAST_TO = declare(
    Op("broadcast_to", ("x",), Linear(x=_sum_to), family="view", scalar=False)
)  # fmt: skip
register_kernel("broadcast_to", broadcast_array)

SUM_TO = declare(
    Op("sum_to", ("x",), Linear(x=lambda g, x_shape: view(BROADCAST_TO, g, shape=x_shape)),
       scalar=False)
)  # fmt: skip
register_kernel("sum_to", sum_to_array)

# Picks one result of an op with several: the engine collects the cotangents.
RESULT = declare(Op("result", ("x",), Linear(x=lambda g: g), scalar=False))


# The definition, to which the compiled road hands what is special.
if _compiled.ROADS is not None:
    _compiled.ROADS.register_views(
        TensorBase, Family, Storage, (viewed, family_of, node_of), (BROADCAST_TO, broadcast_array)
    )
    viewed = _compiled.ROADS.viewed
