"""The road of elementwise ops: promote, broadcast, compute, record.

`unary` and `binary` hold what most calls need in one piece each, without calls of their own: small
operands of one dtype. `_roads.pyx` has them compiled. `elementwise` is the whole road.
"""

from __future__ import annotations

from functools import reduce
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _compiled, _dispatch
from ._apply import (
    _ARRAY_SCALARS,
    _CPU_STRIDED,
    BROADCAST_TO,
    _mask,
    _Types,
    broadcast_array,
    cast,
    common_place,
    constant,
    node_of,
    observe,
    operand,
    record,
    view,
    wrap,
    wrap_result,
)
from ._dtypes import promote, scalar_dtype
from ._errors import DTypeError, ShapeError, out_of_memory
from ._graph import GRAD_MODE, OBSERVERS, Node, next_seq
from ._layout import Shape, broadcast_shapes
from ._op import Op
from ._storage import POOL_FROM, TensorBase, empty, keep

if TYPE_CHECKING:
    from ._tensor import Tensor

_new = object.__new__
ndarray = np.ndarray
asarray = np.asarray
from_scalar = np.array  # half the time of asarray
generic = np.generic

# Bytes of an operand below which an elementwise call is neither pooled nor threaded. Results that a
# graph will keep are pooled from `POOL_FROM` on: others malloc has back before the next call.
SMALL = 1 << 20
# A product of two operands' bytes below which not even their outer product is large.
_MAYBE_LARGE = POOL_FROM * 8
_grad_mode = GRAD_MODE.get
_TENSOR: Any = _Types.tensor
_SCALAR: Any = _Types.scalar


def unary(op: Op, x: Any) -> Tensor:
    """Run an elementwise op of one argument."""
    if type(x) is _TENSOR or isinstance(x, TensorBase):
        array = x._array
        kernel = op.fast.get(array.dtype)
        if kernel is not None and type(array) is ndarray:
            family = x._family
            node = x._node if family is None or x._epoch == family.epoch else node_of(x)
            if node is None or op.kept_flags is None or not _grad_mode():
                if array.nbytes >= SMALL:
                    kernel = op.large.get(array.dtype) or _large_kernel(op, array.dtype, 1)
                return _untracked(op, kernel(array), (array,))
            if array.nbytes >= POOL_FROM:
                kernel = op.large.get(array.dtype) or _large_kernel(op, array.dtype, 1)
            out = kernel(array)
            if type(out) is not ndarray:
                out = from_scalar(out)
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
    if type(x1) is _TENSOR or isinstance(x1, TensorBase):
        a1 = x1._array
        dtype = a1.dtype
        try:
            kernel: Any = op.fast[dtype]
        except KeyError:
            return elementwise(op, x1, x2)
        if type(a1) is not ndarray:
            return elementwise(op, x1, x2)
        if type(x2) is _TENSOR or isinstance(x2, TensorBase):
            a2 = x2._array
            if a2.dtype is not dtype or type(a2) is not ndarray:
                return elementwise(op, x1, x2)
        else:
            a2 = _constant_beside(x2, dtype)
            if a2 is None:
                return elementwise(op, x1, x2)
            return _with_constant(op, kernel, x1, x2, (a1, a2), False)
        family = x1._family
        node1 = x1._node if family is None or x1._epoch == family.epoch else node_of(x1)
        family = x2._family
        node2 = x2._node if family is None or x2._epoch == family.epoch else node_of(x2)
        kept = op.kept_flags
        if (node1 is None and node2 is None) or kept is None or not _grad_mode():
            if a1.nbytes * a2.nbytes >= _MAYBE_LARGE and (
                a1.nbytes >= SMALL or (a1.shape != a2.shape and _is_large(a1, a2, SMALL))
            ):
                kernel = op.large.get(dtype) or _large_kernel(op, dtype, 2)
            try:
                out = kernel(a1, a2)
            except ValueError:  # shapes that do not broadcast: say so in our words
                return elementwise(op, x1, x2)
            if type(out) is not ndarray:
                out = from_scalar(out)
            result = _new(_TENSOR if out.ndim else _SCALAR)
            result._array = out
            result._family = None
            result._node = None
            if OBSERVERS:
                observe(op, result, (a1, a2))
            return result  # type: ignore[no-any-return]
        if a1.shape != a2.shape:
            return _binary_broadcast(op, kernel, (x1, x2), (node1, node2))
        if a1.nbytes >= POOL_FROM:
            kernel = op.large.get(dtype) or _large_kernel(op, dtype, 2)
        out = kernel(a1, a2)
        if type(out) is not ndarray:
            out = from_scalar(out)
        flags = kept[2 if node1 is not None and node2 is not None else node1 is None]
        if flags is None:
            values = None
        else:
            keeps1, keeps2, keeps_out = flags
            value1 = value2 = None
            if keeps1:  # `keep`, without its call
                x1._saved = True  # before asking: another thread may be making the family
                value1 = a1 if x1._family is None else keep(x1)
            if keeps2:
                x2._saved = True
                value2 = a2 if x2._family is None else keep(x2)
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
        if kernel is not None and type(a2) is ndarray:
            a1 = _constant_beside(x1, a2.dtype)
            if a1 is not None:
                return _with_constant(op, kernel, x2, x1, (a1, a2), True)
    return elementwise(op, x1, x2)


def _is_large(a1: Any, a2: Any, limit: int) -> bool:
    """Whether an operand or the result of two arrays of one dtype has `limit` bytes and more."""
    if a1.nbytes >= limit or a2.nbytes >= limit:
        return True
    if a1.nbytes * a2.nbytes < _MAYBE_LARGE or a1.shape == a2.shape or not a1.ndim or not a2.ndim:
        return False
    try:
        return bool(prod(broadcast_shapes(a1.shape, a2.shape)) * a1.itemsize >= limit)
    except ShapeError:  # the road says what is wrong
        return False


def _binary_broadcast(
    op: Op, kernel: Any, tensors: tuple[Any, Any], nodes: tuple[Node | None, Node | None]
) -> Tensor:
    """A recorded op of two tensors of one dtype and different shapes."""
    x1, x2 = tensors
    node1, node2 = nodes
    a1, a2 = x1._array, x2._array
    if a1.nbytes * a2.nbytes >= _MAYBE_LARGE and _is_large(a1, a2, POOL_FROM):
        dtype = a1.dtype
        kernel = op.large.get(dtype) or _large_kernel(op, dtype, 2)
    try:
        out = kernel(a1, a2)
    except ValueError:  # shapes that do not broadcast: say so in our words
        return elementwise(op, x1, x2)
    shape = out.shape
    step1, step2 = node1, node2
    if node1 is not None and a1.shape != shape:
        attributes = {"shape": shape, "x_shape": a1.shape}
        step1 = [next_seq(), BROADCAST_TO, (node1,), None, attributes]
    if node2 is not None and a2.shape != shape:
        attributes = {"shape": shape, "x_shape": a2.shape}
        step2 = [next_seq(), BROADCAST_TO, (node2,), None, attributes]
    flags = op.kept_flags[2 if node1 is not None and node2 is not None else node1 is None]  # type: ignore[index]
    values = None
    if flags is not None:
        values = (
            _keep_broadcast(x1, shape, node1) if flags[0] else None,
            _keep_broadcast(x2, shape, node2) if flags[1] else None,
            out if flags[2] else None,
        )
    return _tracked(op, out, [next_seq(), op, (step1, step2), values, None], (a1, a2))


def _keep_broadcast(x: Any, shape: Shape, node: Node | None) -> Any:
    """The value to save of an argument, in the shape of its node."""
    array = keep(x)
    return array if node is None or array.shape == shape else broadcast_array(array, shape=shape)


# Python numbers as 0-d arrays, for those that programs write again and again: 2, 0.5, ...
_CONSTANTS: dict[tuple[type, complex | str, np.dtype[Any]], Any] = {}


def _constant_beside(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number or small NumPy array as an array of the dtype of the tensor that it meets, or None.

    None: it is something else, or the two promote to another dtype.
    """
    kind = type(value)
    if kind is float or kind is int:
        array = _CONSTANTS.get((kind, value if value else repr(value), dtype))
        if array is not None:
            return array
        if dtype.kind in "fc" or (kind is int and dtype.kind in "iu"):
            array = constant(value, dtype)
            # What overflows is to be warned of each time.
            if len(_CONSTANTS) < 256 and (array.item() == value or abs(array) != inf):
                array.flags.writeable = False
                # 0.0 and -0.0 would be one key.
                _CONSTANTS[kind, value if value else repr(value), dtype] = array
            return array
    elif kind is ndarray:
        if value.dtype is dtype:
            return value
    elif isinstance(value, generic) and value.dtype is dtype:
        return asarray(value)
    return None


def _with_constant(
    op: Op, kernel: Any, x: Any, value: Any, arrays: tuple[Any, Any], first: bool
) -> Tensor:
    """An op of a tensor and a number or NumPy array; `first`: this is the first of the two."""
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    tracked = node is not None and op.kept_flags is not None and _grad_mode()
    if arrays[0].nbytes * arrays[1].nbytes >= _MAYBE_LARGE and _is_large(
        *arrays, POOL_FROM if tracked else SMALL
    ):
        dtype = arrays[0].dtype
        kernel = op.large.get(dtype) or _large_kernel(op, dtype, 2)
    try:
        out = kernel(*arrays)
    except ValueError:  # shapes that do not broadcast: say so in our words
        return elementwise(op, value, x) if first else elementwise(op, x, value)
    if not tracked:
        return _untracked(op, out, arrays)
    if type(out) is not ndarray:
        out = from_scalar(out)
    constant, shape = arrays[0 if first else 1], arrays[1 if first else 0].shape
    step = node
    if constant.ndim and shape != out.shape:
        attributes = {"shape": out.shape, "x_shape": shape}
        step = [next_seq(), BROADCAST_TO, (node,), None, attributes]
    flags = op.kept_flags[1 if first else 0]  # type: ignore[index]
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
        out = from_scalar(out)
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
    if place is not _CPU_STRIDED:
        check_category(op, dtype)
        out = _dispatch.lookup(op.name, *place, (dtype,) * len(arrays))(*arrays)
    elif nbytes < POOL_FROM:
        out = fast_kernel(op, dtype, len(arrays))(*arrays)
    else:
        kernel = op.large.get(dtype) or _large_kernel(op, dtype, len(arrays))
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


def _large_kernel(op: Op, dtype: np.dtype[Any], arity: int) -> Any:
    """The CPU kernel of an elementwise op for many elements: threads, results in pooled memory."""
    fast_kernel(op, dtype, arity)  # checks the dtype, and opens the short road
    kernel = _dispatch.lookup(op.name, "cpu", "strided", (dtype,) * arity)
    result_dtype = op_result_dtype(op, dtype)

    def large(*arrays: Any) -> Any:
        try:
            shape = arrays[0].shape
            plain = arrays[0].flags.c_contiguous
            for other in arrays[1:]:
                plain = plain and other.flags.c_contiguous
                if other.ndim and other.shape != shape:
                    shape = broadcast_shapes(*[array.shape for array in arrays])
            if not plain:
                axes = _memory_order(arrays, shape)
                if axes is not None:
                    arrays = tuple([
                        (a if a.shape == shape else broadcast_array(a, shape=shape)).transpose(axes)
                        for a in arrays
                    ])  # fmt: skip
                    out = kernel(*arrays, out=empty(arrays[0].shape, result_dtype))
                    return out.transpose([axes.index(i) for i in range(len(axes))])
            return kernel(*arrays, out=empty(shape, result_dtype))
        except MemoryError as error:  # of the result, or of what the kernel needs beside it
            raise out_of_memory(op.name, error) from error

    op.large[dtype] = large
    return large


def _memory_order(arrays: tuple[Any, ...], shape: Shape) -> tuple[int, ...] | None:
    """The axes from the slowest to the fastest in the memory of the operands of that shape.

    None: the order that they have, or operands that differ. Results lie in memory as their
    operands do (NumPy's order K).
    """
    order: list[int] | None = None
    for array in arrays:
        if array.shape == shape and 0 not in array.strides:
            steps = [-abs(step) for step in array.strides]
            axes = sorted(range(len(steps)), key=steps.__getitem__)
            if order is not None and axes != order:
                return None
            order = axes
    return None if order is None or order == sorted(order) else tuple(order)


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
        dtype = reduce(promote, [compute_dtype(op, t._array.dtype) for t in tensors])
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


# The definitions, which the compiled roads hand to what they do not do.
python_unary, python_binary = unary, binary
if _compiled.ROADS is not None:
    _compiled.ROADS.register_elementwise(
        Op,
        (GRAD_MODE, next_seq, OBSERVERS, _CONSTANTS),
        (SMALL, POOL_FROM, _MAYBE_LARGE),
        (unary, binary, keep, _constant_beside),
    )
    unary, binary = _compiled.ROADS.unary, _compiled.ROADS.binary
