"""The road of every primitive: check, promote, run the kernel, record.

Three roads: `unary`/`binary`/`elementwise` (broadcasting, one dtype), `view` (the result shares
memory), `apply` (everything else). Broadcasts and promotions of tracked operands are recorded as
steps of their own, so that no derivative formula mentions them.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dispatch
from ._dispatch import register_kernel
from ._dtypes import as_dtype, check_supported, is_supported, promote, scalar_dtype
from ._errors import (
    ArgumentTypeError,
    DeviceError,
    DTypeError,
    IntegerOverflowError,
    ShapeError,
)
from ._graph import GRAD_MODE, OBSERVERS, Node, next_seq, owner_of
from ._layout import Shape, broadcast_shapes
from ._op import OPS, Linear, Op, declare
from ._storage import (
    POOL_FROM,
    Family,
    Geometry,
    TensorBase,
    empty,
    family_of,
    join_family,
    keep,
)

if TYPE_CHECKING:
    from ._tensor import Tensor

_new = object.__new__
ndarray = np.ndarray
asarray = np.asarray
generic = np.generic

_dispatch.take_results_from(empty)

# Bytes of an operand below which an elementwise call is neither pooled nor threaded.
SMALL = 1 << 18
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
        out._array = np.asarray(array)
    else:
        out = _new(_TENSOR)
        out._array = array
    out._node = node
    out._family = None
    return out


def wrap_result(array: Any, node: Node | None = None) -> Any:
    """Like `wrap`, but 0-d arrays become scalars too (ufuncs and reductions)."""
    if isinstance(array, generic):
        array = asarray(array)
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
                x._node = [next_seq(), OPS["read_window"], (base,), None, attributes]
        x._epoch = family.epoch


def geometry_in(family: Family, array: Any) -> Geometry:
    """Where a view of the family lies in its storage."""
    offset = family.storage.offset_of(array)
    return Geometry(array.dtype, array.shape, array.strides, offset)


_ARRAY_SCALARS = (bool, int, float, complex)


def operand(x: Any, function: str = "this function", position: int = 1) -> Any:
    """A tensor from a tensor, NumPy array or scalar, or nested list; no copy where possible."""
    if isinstance(x, TensorBase):
        return x
    if isinstance(x, ndarray | np.generic):
        if isinstance(x, ndarray) and type(x) is not ndarray:
            check_subclass(x, function)
        array = np.asarray(x)
        if not is_supported(array.dtype) or not array.dtype.isnative:
            dtype = check_supported(array.dtype, f"argument {position} of {function}")
            array = array.astype(dtype)
        out = wrap(array)
        if isinstance(x, ndarray) and (array is x or array.base is not None):
            storage = family_of(out).storage
            storage.pinned = True
            storage.lent = array.flags.writeable
        return out
    if isinstance(x, _ARRAY_SCALARS):
        return wrap(np.asarray(x))
    if isinstance(x, list | tuple):
        if _from_sequence is None:  # registered by the module that makes tensors
            importlib.import_module("arraygrad.ops.conversion")
        assert _from_sequence is not None
        return _from_sequence(x)
    if isinstance(x, Sequence) and not isinstance(x, str | bytes):  # range, deque, array.array
        return operand([*x], function, position)
    raise ArgumentTypeError(
        f"{function}: argument {position} is a {type(x).__name__}, not a tensor, array or number; "
        "convert it first with ag.asarray(...)"
    )


def check_subclass(x: Any, function: str) -> None:
    """Refuse arrays that mean something else than their numbers: masked ones, and matrices."""
    names = {k.__name__ for k in type(x).__mro__ if k.__module__.partition(".")[0] == "numpy"}
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


# Makes a tensor of nested sequences that may hold tensors; set by ops.creation.
_from_sequence: Callable[[Any], Any] | None = None


def register_sequence_conversion(function: Callable[[Any], Any]) -> None:
    global _from_sequence
    _from_sequence = function


def constant(value: complex, dtype: np.dtype[Any]) -> Any:
    """A Python scalar as a 0-d array of exactly `dtype`."""
    try:
        return np.array(value, dtype)
    except OverflowError as error:
        raise IntegerOverflowError(
            f"Python integer {value} is out of bounds for {dtype}; convert the tensor first, "
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


# -- the elementwise road -----------------------------------------------------------------------


def unary(op: Op, x: Any) -> Tensor:
    """Run an elementwise op of one argument."""
    if isinstance(x, TensorBase):
        array = x._array
        kernel = op.fast.get(array.dtype)
        if kernel is not None and type(array) is ndarray and array.nbytes < SMALL:
            out = kernel(array)
            node = x._node if x._family is None else node_of(x)
            if node is None or op.kept_flags is None or not _grad_mode():
                return _untracked(op, out, (array,))
            if type(out) is not ndarray:
                out = asarray(out)
            flags = op.kept_flags[0]
            if flags is None:
                values = None
            else:
                values = (keep(x) if flags[0] else None, out if flags[1] else None)
            return _tracked(op, out, [next_seq(), op, (node,), values, None], (array,))
    return elementwise(op, x)


def binary(op: Op, x1: Any, x2: Any) -> Tensor:
    """Run an elementwise op of two arguments.

    Every operator comes here: what most calls need stands in one piece, without calls of its own.
    """
    if isinstance(x1, TensorBase):
        a1 = x1._array
        dtype = a1.dtype
        kernel = op.fast.get(dtype)
        if kernel is None or type(a1) is not ndarray or a1.nbytes >= SMALL:
            return elementwise(op, x1, x2)
        if isinstance(x2, TensorBase):
            a2 = x2._array
            if a2.dtype is not dtype or type(a2) is not ndarray:
                return elementwise(op, x1, x2)
        else:
            a2 = _constant_beside(x2, dtype)
            if a2 is None:
                return elementwise(op, x1, x2)
            return _with_constant(op, kernel, x1, x2, (a1, a2), False)
        node1 = x1._node if x1._family is None else node_of(x1)
        node2 = x2._node if x2._family is None else node_of(x2)
        kept = op.kept_flags
        if (node1 is None and node2 is None) or kept is None or not _grad_mode():
            try:
                out = kernel(a1, a2)
            except ValueError:  # shapes that do not broadcast: say so in our words
                return elementwise(op, x1, x2)
            if type(out) is not ndarray:
                out = asarray(out)
            result = _new(_TENSOR if out.ndim else _SCALAR)
            result._array = out
            result._family = None
            result._node = None
            if OBSERVERS:
                observe(op, result, (a1, a2))
            return result  # type: ignore[no-any-return]
        if a1.shape != a2.shape:
            return _binary_broadcast(op, kernel, (x1, x2), (node1, node2))
        out = kernel(a1, a2)
        if type(out) is not ndarray:
            out = asarray(out)
        flags = kept[2 if node1 is not None and node2 is not None else node1 is None]
        if flags is None:
            values = None
        else:
            keeps1, keeps2, keeps_out = flags
            value1 = value2 = None  # `keep`, without its call
            if keeps1:
                if x1._family is None:
                    x1._saved = True
                    value1 = a1
                else:
                    value1 = keep(x1)
            if keeps2:
                if x2._family is None:
                    x2._saved = True
                    value2 = a2
                else:
                    value2 = keep(x2)
            values = (value1, value2, out if keeps_out else None)
        result = _new(_TENSOR if out.ndim else _SCALAR)
        result._array = out
        result._family = None
        result._node = [next_seq(), op, (node1, node2), values, None]
        result._saved = True
        if OBSERVERS:
            observe(op, result, (a1, a2))
        return result  # type: ignore[no-any-return]
    if isinstance(x2, TensorBase):
        a2 = x2._array
        kernel = op.fast.get(a2.dtype)
        if kernel is not None and type(a2) is ndarray and a2.nbytes < SMALL:
            a1 = _constant_beside(x1, a2.dtype)
            if a1 is not None:
                return _with_constant(op, kernel, x2, x1, (a1, a2), True)
    return elementwise(op, x1, x2)


def _binary_broadcast(
    op: Op, kernel: Any, tensors: tuple[Any, Any], nodes: tuple[Node | None, Node | None]
) -> Tensor:
    """A recorded op of two tensors of one dtype and different shapes."""
    arrays = (tensors[0]._array, tensors[1]._array)
    if arrays[1].nbytes >= SMALL:
        return elementwise(op, *tensors)
    try:
        out = kernel(*arrays)
    except ValueError:  # shapes that do not broadcast: say so in our words
        return elementwise(op, *tensors)
    shape = out.shape
    steps: list[Node | None] = []
    for array, node in zip(arrays, nodes, strict=True):
        if node is None or array.shape == shape:
            steps.append(node)
        else:
            attributes = {"shape": shape, "x_shape": array.shape}
            steps.append([next_seq(), BROADCAST_TO, (node,), None, attributes])
    flags = op.kept_flags[_mask(nodes) - 1]  # type: ignore[index]
    values = None
    if flags is not None:
        values = (
            _keep_broadcast(tensors[0], shape, nodes[0]) if flags[0] else None,
            _keep_broadcast(tensors[1], shape, nodes[1]) if flags[1] else None,
            out if flags[2] else None,
        )
    return _tracked(op, out, [next_seq(), op, tuple(steps), values, None], arrays)


def _keep_broadcast(x: Any, shape: Shape, node: Node | None) -> Any:
    """The value to save of an argument, in the shape of its node."""
    array = keep(x)
    return array if node is None or array.shape == shape else broadcast_array(array, shape=shape)


# Python numbers as 0-d arrays, for those that programs write again and again: 2, 0.5, ...
_CONSTANTS: dict[tuple[type, complex, np.dtype[Any]], Any] = {}


def _constant_beside(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number or small NumPy array as an array of the dtype of the tensor that it meets, or None.

    None: it is something else, or the two promote to another dtype.
    """
    kind = type(value)
    if kind is float or kind is int:
        array = _CONSTANTS.get((kind, value, dtype))
        if array is not None:
            return array
        if dtype.kind in "fc" or (kind is int and dtype.kind in "iu"):
            array = constant(value, dtype)
            if value and len(_CONSTANTS) < 256:  # 0.0 and -0.0 are one key
                array.flags.writeable = False
                _CONSTANTS[kind, value, dtype] = array
            return array
    elif kind is ndarray:
        if value.dtype is dtype and value.nbytes < SMALL:
            return value
    elif isinstance(value, generic) and value.dtype is dtype:
        return asarray(value)
    return None


def _with_constant(
    op: Op, kernel: Any, x: Any, value: Any, arrays: tuple[Any, Any], first: bool
) -> Tensor:
    """An op of a tensor and a number or NumPy array; `first`: this is the first of the two."""
    try:
        out = kernel(*arrays)
    except ValueError:  # shapes that do not broadcast: say so in our words
        return elementwise(op, value, x) if first else elementwise(op, x, value)
    node = x._node if x._family is None else node_of(x)
    if node is None or op.kept_flags is None or not _grad_mode():
        return _untracked(op, out, arrays)
    if type(out) is not ndarray:
        out = asarray(out)
    constant, shape = arrays[0 if first else 1], arrays[1 if first else 0].shape
    step = node
    if constant.ndim and shape != out.shape:
        attributes = {"shape": out.shape, "x_shape": shape}
        step = [next_seq(), BROADCAST_TO, (node,), None, attributes]
    flags = op.kept_flags[1 if first else 0]
    if flags is None:
        values = None
    else:
        keeps1, keeps2, keeps_out = flags
        other = mine = None
        if keeps1 if first else keeps2:  # its owner may write to a NumPy array at any time
            other = constant.copy() if constant is value else constant
        if keeps2 if first else keeps1:
            mine = keep(x) if step is node else _keep_broadcast(x, out.shape, node)
        kept_out = out if keeps_out else None
        values = (other, mine, kept_out) if first else (mine, other, kept_out)
    nodes = (None, step) if first else (step, None)
    return _tracked(op, out, [next_seq(), op, nodes, values, None], arrays)


def _untracked(op: Op, out: Any, arrays: tuple[Any, ...]) -> Tensor:
    """The tensor, or scalar, over an elementwise result without history."""
    if type(out) is not ndarray:
        out = asarray(out)
    result = _new(_TENSOR if out.ndim else _SCALAR)
    result._array = out
    result._family = None
    result._node = None
    if OBSERVERS:
        observe(op, result, arrays)
    return result  # type: ignore[no-any-return]


def _tracked(op: Op, out: Any, node: Node, arrays: tuple[Any, ...]) -> Tensor:
    """The tensor, or scalar, over an elementwise result that `node` made."""
    result = _new(_TENSOR if out.ndim else _SCALAR)
    result._array = out
    result._family = None
    result._node = node
    result._saved = True
    if OBSERVERS:
        observe(op, result, arrays)
    return result  # type: ignore[no-any-return]


def elementwise(op: Op, *operands: Any) -> Tensor:
    """Run an elementwise op: convert, promote, broadcast, compute, record."""
    tensors, dtype, shape = prepare(op, operands)
    arrays = [t._array for t in tensors]
    place = common_place(arrays, op.name)
    nbytes = prod(shape) * dtype.itemsize
    if nbytes < SMALL and place is _CPU_STRIDED:
        out = fast_kernel(op, dtype, len(arrays))(*arrays)
    else:
        check_category(op, dtype)
        kernel = _dispatch.lookup(op.name, *place, (dtype,) * len(arrays))
        if nbytes >= POOL_FROM and place is _CPU_STRIDED:
            # Large results go to pooled memory.
            out = kernel(*arrays, out=empty(shape, op_result_dtype(op, dtype)))
        else:
            out = kernel(*arrays)
    nodes = tuple(node_of(t) for t in tensors)
    result = wrap_result(out)
    if any(n is not None for n in nodes) and _grad_mode() and op.derivative.kind != "none":
        if op.variadic:
            raise AssertionError("elementwise ops are not variadic")
        result._node = record(op, tensors, nodes, result._array, None)
        if op.save_flags[_mask(nodes)][-1]:
            result._saved = True
    if OBSERVERS:
        observe(op, result, tuple(arrays))
    return result  # type: ignore[no-any-return]


_RESULT_DTYPES: dict[tuple[str, Any], np.dtype[Any]] = {}


def op_result_dtype(op: Op, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The result dtype of an elementwise op for operands of `dtype` (found by a run on one)."""
    key = (op.name, dtype)
    found = _RESULT_DTYPES.get(key)
    if found is None:
        kernel = fast_kernel(op, dtype, len(op.args))
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*[np.ones(1, dtype)] * len(op.args))).dtype
        _RESULT_DTYPES[key] = found
    return found


def fast_kernel(op: Op, dtype: np.dtype[Any], arity: int) -> Any:
    """The CPU kernel of an elementwise op for few elements of one dtype."""
    kernel = op.fast.get(dtype)
    if kernel is None:
        check_category(op, dtype)
        kernel = _dispatch.lookup(op.name, "cpu", "strided", (dtype,) * arity)
        kernel = op.fast[dtype] = _dispatch.serial(kernel)
    return kernel


def prepare(op: Op, operands: tuple[Any, ...]) -> tuple[tuple[Any, ...], np.dtype[Any], Shape]:
    """Operands as tensors of one dtype, the tracked ones expanded to the common shape."""
    dtype: np.dtype[Any] | None = None
    tensors: list[Any] = []
    scalars = False
    for i, x in enumerate(operands, 1):
        if type(x) in _ARRAY_SCALARS or (
            isinstance(x, _ARRAY_SCALARS) and not isinstance(x, np.generic | TensorBase)
        ):
            tensors.append(x)
            scalars = True
            continue
        t = operand(x, op.name, i)
        tensors.append(t)
        dtype = t._array.dtype if dtype is None else promote(dtype, t._array.dtype)
    if dtype is None:
        tensors = [operand(x, op.name) for x in operands]
        dtype = tensors[0]._array.dtype
        for t in tensors[1:]:
            dtype = promote(dtype, t._array.dtype)
    elif scalars:
        for x in tensors:
            if not isinstance(x, TensorBase):
                dtype = scalar_dtype(x, dtype)
        # First the dtype to compute in: uint8 / -2 is a floating-point division.
        dtype = compute_dtype(op, dtype)
        tensors = [x if isinstance(x, TensorBase) else wrap(constant(x, dtype)) for x in tensors]
    if dtype.kind in "iu" and len(tensors) > 1 and op.dtypes in ("floating", "real floating"):
        # As NumPy looks for its loops: each operand is converted, not what they promote to.
        dtype = functools.reduce(promote, [compute_dtype(op, t._array.dtype) for t in tensors])
    dtype = compute_dtype(op, dtype)
    shape = broadcast_shapes(*[t._array.shape for t in tensors])
    recording = _grad_mode()
    for i, t in enumerate(tensors):
        if t._array.dtype != dtype:
            t = tensors[i] = cast(t, dtype)
        if recording and t._array.shape != shape and node_of(t) is not None:
            tensors[i] = view(BROADCAST_TO, t, shape=shape)
    return tuple(tensors), dtype, shape


# Integers that meet a floating-point function: NumPy's table.
_FLOAT_OF = {
    "bool": "float16", "int8": "float16", "uint8": "float16",
    "int16": "float32", "uint16": "float32",
    "int32": "float64", "uint32": "float64", "int64": "float64", "uint64": "float64",
}  # fmt: skip
_FLOAT_OF_DTYPE = {np.dtype(k): np.dtype(v) for k, v in _FLOAT_OF.items()}


def compute_dtype(op: Op, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that an elementwise op computes in for operands promoted to `dtype`."""
    if op.dtypes in ("floating", "real floating") and dtype.kind in "biu":
        return np.dtype("float64") if op.name == "divide" else _FLOAT_OF_DTYPE[dtype]
    return dtype


_ALLOWED = {
    "any": "biufcV",
    "numeric": "biufcV",
    "number": "iufcV",
    "real": "biufV",
    "floating": "fcV",
    "floating only": "fcV",
    "real floating": "fV",
    "integral": "iu",
    "integral or bool": "biu",
    "bool": "b",
}


def check_category(op: Op, dtype: np.dtype[Any]) -> None:
    """DTypeError if the op is not defined for `dtype`."""
    if dtype.kind not in _ALLOWED[op.dtypes]:
        raise DTypeError(
            f"{op.name} is not defined for dtype {dtype}: it takes {op.dtypes} dtypes; convert "
            "first with x.astype(...)"
        )


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
    out = kernel(*arrays, **attributes)
    if tracked:
        tracked = op.kept_flags is not None and _grad_mode()
    if isinstance(out, tuple):  # a named one, maybe
        results = _wrap_several(op, tensors, nodes, out, attributes, tracked)
        if OBSERVERS:
            observe(op, results, arrays)
        return results
    result = wrap_result(out) if op.scalar else wrap(_as_array(out))
    if tracked and result._array.dtype.kind in "fcV":
        result._node = record(op, tensors, nodes, result._array, attributes)
        result._saved = True
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
    out = kernel_of_one(op, array)(array, **attributes)
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
        family = Family(storage, result._array, result._node)
        family.base = Geometry.of(result._array, storage._array)
    result._epoch = 0
    result._family = family


def detached(x: Any) -> Any:
    """A tensor over the same memory without history."""
    result = _new(type(x))
    result._array = x._array
    result._node = None
    result._family = None
    share_storage(result, x)
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
    lead = len(shape) - x.ndim
    if lead < 0:
        raise ShapeError(f"a tensor of shape {x.shape} does not broadcast to {shape}")
    strides = [0] * len(shape)
    for i, (n, s) in enumerate(zip(x.shape, x.strides, strict=True)):
        if n == shape[lead + i]:
            strides[lead + i] = s
        elif n != 1:
            raise ShapeError(f"a tensor of shape {x.shape} does not broadcast to {shape}")
    if x.flags.c_contiguous:
        out: Any = ndarray(shape, x.dtype, buffer=x, strides=tuple(strides))
        out.flags.writeable = False
        return out
    return np.broadcast_to(x, shape)


def _cast_array(x: Any, *, dtype: np.dtype[Any]) -> Any:
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        return x.real.astype(dtype)
    return x.astype(dtype)


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
