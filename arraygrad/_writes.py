"""In-place operations: the new value is computed by the ordinary op, then written and recorded.

Writing is always right: memory that a graph has saved is kept for it (Storage.prepare_write), and
the histories of the tensor's base and other views follow (adopt_history).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._apply import BROADCAST_TO, cast, node_of, operand_for, view
from ._dtypes import check_convertible
from ._elementwise import binary, elementwise, fast_kernel, op_result_dtype, prepare
from ._errors import DTypeError, GradientError, ShapeError
from ._formulas import is_leaf_node
from ._graph import is_grad_enabled
from ._history import adopt_history, overwrite
from ._layout import Shape
from ._op import Op
from ._storage import TensorBase, check_writeable, prepare_write, write_lock


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


def assign(x: Any, value: Any, writer: str = "x[...] = value") -> None:
    """x[...] = value with broadcasting and NumPy's unsafe assignment casts."""
    check_write(x, writer)
    value = operand_for(x, value, writer)
    target = x._array
    differs = value._array.dtype != target.dtype
    if differs:
        check_convertible(value._array, target.dtype, writer)
    if value._array.shape != target.shape:
        value = view(BROADCAST_TO, value, shape=target.shape)
    if differs:
        value = cast(value, target.dtype)
    overwrite(x, value, writer)
