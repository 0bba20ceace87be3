"""In-place operations: the new value is computed by the ordinary op, then written and recorded.

Writing is always right: memory that a graph has saved is kept for it (Storage.prepare_write), and
the histories of the tensor's base and other views follow (adopt_history).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._apply import BROADCAST_TO, cast, constant, from_sequence, node_of, operand, view, wrap
from ._dtypes import check_convertible
from ._elementwise import binary, elementwise, fast_kernel, op_result_dtype, prepare
from ._errors import ArgumentError, DTypeError, GradientError, ShapeError
from ._formulas import is_leaf_node
from ._graph import is_grad_enabled, next_seq
from ._history import adopt_history, overwrite
from ._layout import Shape
from ._lazy import LazyModule
from ._op import Op
from ._storage import Geometry, TensorBase, check_writeable, prepare_write, write_lock
from ._warnings import warn

shapes = LazyModule("arraygrad.ops.shapes")  # lies above
texts = LazyModule("arraygrad._texts")


def check_write(x: Any, writer: str) -> None:
    """Refuse a write to read-only memory, or to a leaf while recording; changes nothing."""
    check_writeable(x, writer)
    if is_grad_enabled():
        node = node_of(x)
        base = None if x._family is None else x._family.node
        for found in (node, base):
            if found is not None and is_leaf_node(found):
                raise GradientError(
                    f"{writer}: a leaf that requires grad (or a view of one) cannot be written "
                    "while operations are recorded; use `with ag.no_grad():` to change a "
                    "parameter, or write to a copy, y = x.copy()"
                )


def check_cast(source: np.dtype[Any], target: np.dtype[Any], writer: str) -> None:
    """Refuse a result dtype that an in-place operation may not narrow (NumPy's same_kind)."""
    if not np.can_cast(source, target, "same_kind"):
        raise DTypeError(
            f"{writer}: a result of dtype {source} cannot be written into a tensor of dtype "
            f"{target}; make the tensor {source} first, x = x.astype('{source}')"
        )


def update(op: Op, x: Any, other: Any, writer: str) -> Any:
    """Do x = op(x, other) in place; returns x."""
    check_write(x, writer)
    recording = is_grad_enabled()
    if recording and (
        node_of(x) is not None or (isinstance(other, TensorBase) and node_of(other) is not None)
    ):
        result = binary(op, x, other)
        _check_shape(result._array.shape, x._array.shape, writer)
        target = x._array.dtype
        if result._array.dtype is not target:
            check_cast(result._array.dtype, target, writer)
            result = cast(result, target)
        write(x, result, writer)
        return x
    tensors, dtype, shape = prepare(op, (x, other))
    _check_shape(shape, x._array.shape, writer)
    kernel = fast_kernel(op, dtype, 2)
    target = x._array.dtype
    if dtype == target and op_result_dtype(op, dtype) == target:
        with write_lock(x):
            prepare_write(x, writer)
            # prepare_write may have moved x to fresh memory.
            kernel(*[t._array for t in tensors], out=x._array)
            if recording:
                adopt_history(x, None)
        return x
    result = elementwise(op, *tensors)
    check_cast(result._array.dtype, target, writer)
    write(x, cast(result, target), writer)
    return x


def _check_shape(shape: Shape, target: Shape, writer: str) -> None:
    if shape != target:
        raise ShapeError(
            f"{writer}: the result has shape {shape}, which cannot be written into shape {target}"
        )


def write(x: Any, value: Any, writer: str) -> None:
    """Make `value`, a result that nothing else holds yet, the value of x."""
    recording = is_grad_enabled()
    if x._family is None and value._array.flags.c_contiguous and x._array.flags.c_contiguous \
            and not getattr(value, "_saved", False) and value._array.ndim \
            and value._family is None and (recording or x._node is None):  # fmt: skip
        # Nobody else sees x's memory: take the result's instead of copying it. (Not where x keeps
        # the node of its old value: who finds no family takes that for how x was made.)
        x._array = value._array
        x._saved = False
        if recording:
            x._node = value._node
        return
    overwrite(x, value, writer)


_ARRAYS = (TensorBase, np.ndarray, np.generic)


def operand_for(x: Any, value: Any, function: str, position: int = 1) -> Any:
    """What will be written into x, as a tensor.

    Python's numbers, in sequences too, become numbers of the dtype of x, which refuses those that
    it cannot hold; arrays and tensors keep their dtype, and are cast when they are written.
    """
    if not isinstance(value, _ARRAYS):
        dtype = x._array.dtype
        if isinstance(value, bool | int | float | complex):
            return wrap(written_number(value, dtype, function))
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            given = value if isinstance(value, list | tuple) else [*value]
            return from_sequence(given, dtype, function)
        if isinstance(value, str | bytes) and dtype.kind in "iufc":
            return wrap(_read_number(value, dtype, function))
    return operand(value, function, position)


def _read_number(text: str | bytes, dtype: np.dtype[Any], function: str) -> Any:
    """The number that a text says, such as "nan", which NumPy reads where it is written."""
    texts.refuse_text(text, function)
    try:
        return np.array(text).astype(dtype)
    except ValueError as error:
        raise ArgumentError(f"{function}: {text!r} says no number; write a number") from error


def written_number(value: complex, dtype: np.dtype[Any], function: str) -> Any:
    """A Python number as the 0-d array that is written into `dtype`."""
    if isinstance(value, complex) and dtype.kind not in "cb":
        raise DTypeError(
            f"{function}: the imaginary part of a complex value cannot be written into dtype "
            f"{dtype}; write value.real, or make x complex first"
        )
    try:
        return constant(value, dtype)
    except ValueError as error:
        raise ArgumentError(
            f"{function}: NaN has no value in dtype {dtype}; make x floating-point first, "
            "x.astype(float), or write a number"
        ) from error


def assign(x: Any, value: Any, writer: str = "x[...] = value") -> None:
    """x[...] = value with broadcasting and NumPy's unsafe assignment casts."""
    check_write(x, writer)
    as_list = isinstance(value, list | tuple)
    value = operand_for(x, value, writer)
    target = x._array
    if as_list and value._array.ndim > target.ndim:  # lists are not broadcast down
        raise _misfit(value, target.shape, writer)
    differs = value._array.dtype != target.dtype
    if differs:
        check_convertible(value._array, target.dtype, writer)
    value = fitted(value, target.shape, writer)
    if differs:
        value = cast(value, target.dtype)
    overwrite(x, value, writer)


def fill(x: Any, value: Any) -> None:
    """Write one value everywhere."""
    if type(value) is not float and type(value) is not int:
        as_list = isinstance(value, list | tuple)
        value = operand_for(x, value, "fill")
        if value._array.ndim:
            check_one_element(value._array.shape, as_list, "fill")
            value = shapes.reshape(value, ())
    assign(x, value, "fill")


_NUMBERS = frozenset((float, int))
_FLOAT64 = np.dtype(np.float64)


def write_element(op: Op, x: Any, key: Any, value: Any, writer: str) -> bool:
    """Write a scalar or number into one element of what shares no memory; False: not done."""
    family = x._family
    array = x._array
    if family is None or type(array) is not np.ndarray:
        return False  # its first write
    if type(key) is int:
        if array.ndim != 1:
            return False
    elif type(key) is not tuple or len(key) != array.ndim or {*map(type, key)} != {int}:
        return False
    written = None
    if type(value) in _NUMBERS:
        if array.dtype is not _FLOAT64:
            return False
        source = value
    elif not isinstance(value, TensorBase) or value._array.ndim:
        return False
    else:
        source, written = value._array, node_of(value)
    storage = family.storage
    flags = array.flags
    if storage.pinned or not flags.writeable or not flags.c_contiguous or not is_grad_enabled():
        return False
    dtype = array.dtype
    if dtype.kind != "f" or (source is not value and source.dtype is not dtype):
        return False
    with storage.lock:
        node = family.node
        if (node is None and (written is None or x._node is not None)) or x._array is not array:
            return False
        if array is not storage._array or not _is_base(family.base, array):
            return False
        if node is not None and is_leaf_node(node):
            return False
        try:
            array[key]
            number = dtype.type(source)
        except (IndexError, OverflowError):  # to be said in our words
            return False
        storage.prepare_write(writer)
        x._array[key] = number
        attributes = {"key": key, "shape": array.shape, "result_like": (array.shape, dtype)}
        x._node = family.node = [next_seq(), op, (node, written), None, attributes]
        family.epoch += 1
        x._epoch = family.epoch
    return True


def _is_base(base: Geometry, array: Any) -> bool:
    if base.shape != array.shape or base.strides != array.strides:
        return False
    return base.dtype is array.dtype and not base.offset


_ARRAYS_AS_ELEMENTS = np.lib.NumpyVersion(np.__version__) < "2.4.0"


def check_one_element(given: Shape, as_list: bool, writer: str) -> None:
    """Whether an array can be written into one element: as the NumPy that is there says."""
    if as_list or not _ARRAYS_AS_ELEMENTS or any(n != 1 for n in given):
        raise ShapeError(
            f"{writer}: a value of shape {given} cannot be written into one element; write its "
            "element, value[0], or write to a slice, x[i:i+1]"
        )
    warn(
        "Conversion of an array with ndim > 0 to a scalar is deprecated, and will error in future. "
        "Ensure you extract a single element from your array before performing this operation. "
        "(Deprecated NumPy 1.25.)",
        DeprecationWarning,
    )


def fitted(value: Any, shape: Shape, writer: str) -> Any:
    """The value broadcast to a shape, which may lack leading dimensions of size 1."""
    given = value._array.shape
    if given == shape:
        return value
    lead = len(given) - len(shape)
    try:
        if lead > 0 and all(n == 1 for n in given[:lead]):
            value = shapes.reshape(value, given[lead:])
        return view(BROADCAST_TO, value, shape=shape)
    except ShapeError:
        raise _misfit(value, shape, writer) from None


def _misfit(value: Any, shape: Shape, writer: str) -> ShapeError:
    given = value._array.shape
    return ShapeError(f"{writer}: a value of shape {given} does not broadcast to shape {shape}")
