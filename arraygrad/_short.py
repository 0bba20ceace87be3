"""Short roads for few elements of one dtype: reductions, products, copies, joins, choices, writes.

Each does in one piece what the general road (`_apply.apply`, `_writes`) does, for what most calls
ask, and answers None (a write False) to anything else: the caller then takes the general road,
which also knows what is wrong. `_elementwise` has those of elementwise ops, `_apply.viewed` is that
of views. Kernels have a form for these roads, their attribute `short` (`_dispatch.short_form`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _compiled, _dispatch
from ._apply import _Types, node_of, observe, wrap
from ._elementwise import _constant_beside, _tracked, _untracked
from ._graph import GRAD_MODE, OBSERVERS, next_seq
from ._layout import ALL_AXES
from ._op import Op
from ._storage import TensorBase, keep

_new = object.__new__
ndarray = np.ndarray
from_scalar = np.array  # half the time of asarray

# Bytes of an operand from which the general road costs nothing beside the work.
_FEW = 1 << 17
_grad_mode = GRAD_MODE.get
_BOOL = np.dtype(np.bool_)
_NUMBERS = frozenset((float, int))
_FLOATS = frozenset((np.dtype(np.float64), np.dtype(np.float32)))
_TENSOR: Any = _Types.tensor
_SCALAR: Any = _Types.scalar


def reduction(op: Op, x: Any, axis: Any, keepdims: Any) -> Any:
    """The result of reducing a tensor over all axes, or over one; None: by the general road."""
    array = x._array
    try:
        forms = op.short[array.dtype]
    except KeyError:
        forms = _dispatch.short_form(op.name, array.dtype)
    if forms is None or type(array) is not ndarray or not 0 < array.nbytes < _FEW:
        return None
    place, form = forms
    ndim = array.ndim
    if axis is None:
        if keepdims is not False:
            return None
        flat = array.ravel("K")
        out = form(flat) if place is None else flat[place(flat)]
        axes = ALL_AXES[ndim]
    elif type(axis) is int:
        if axis < 0:
            axis += ndim
        if not 0 <= axis < ndim:
            return None
        axes = (axis,)
        if keepdims is False:
            out = form(array) if ndim == 1 else form(array, axis=axis)
        elif keepdims is True:
            out = form(array, axis=axis, keepdims=True)
        else:
            return None
    elif type(axis) is tuple and axis == ALL_AXES[ndim]:
        return reduction(op, x, None, keepdims)
    elif type(axis) is tuple and len(axis) == 1 and type(axis[0]) is int:
        return reduction(op, x, axis[0], keepdims)
    else:
        return None
    if type(out) is not ndarray:
        out = from_scalar(out)
    result = _new(_TENSOR if out.ndim else _SCALAR)
    result._array = out
    result._family = None
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    if node is None or op.kept_flags is None or not _grad_mode():
        result._node = None
    else:
        if op.meta:  # of a reduction that is the shape
            attributes = {"axis": axes, "keepdims": keepdims, "x_shape": array.shape}
        else:
            attributes = {"axis": axes, "keepdims": keepdims}
        if op.needs_template:
            attributes["result_like"] = (out.shape, out.dtype)
        flags = op.kept_flags[0]
        if flags is None:
            values = None
        else:
            values = (keep(x) if flags[0] else None, out if flags[1] else None)
        result._node = [next_seq(), op, (node,), values, attributes]
        result._saved = True
    if OBSERVERS:
        observe(op, result, (array,))
    return result


def of_scalars(op: Op, function: Any, x: Any, other: Any, first: bool = False) -> Any:
    """An operator of a float scalar and another, a float or an int (`first`: before it); or None.

    NumPy's scalars compute it, which is sooner done, and warn in words of their own: "overflow
    encountered in scalar multiply".
    """
    kind = type(other)
    a = x._array
    dtype = a.dtype
    if dtype not in _FLOATS or type(a) is not ndarray:
        return None
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    if kind is _SCALAR:
        b = other._array
        if b.dtype is not dtype or type(b) is not ndarray:
            return None
        family = other._family
        node2 = other._node if family is None or other._epoch == family.epoch else node_of(other)
    else:
        b = _constant_beside(other, dtype)
        node2 = None
    out = from_scalar(function(b[()], a[()]) if first else function(a[()], b[()]))
    result = _new(_SCALAR)
    result._array = out
    result._family = None
    kept = op.kept_flags
    if (node is None and node2 is None) or kept is None or not _grad_mode():
        result._node = None
    else:
        nodes = (node2, node) if first else (node, node2)
        flags = kept[2 if node is not None and node2 is not None else nodes[0] is None]
        values: Any = None
        if flags is not None:
            keeps1, keeps2, keeps_out = flags
            mine = keep(x) if (keeps2 if first else keeps1) else None
            others = None
            if keeps1 if first else keeps2:
                others = keep(other) if kind is _SCALAR else b
            values = (others, mine) if first else (mine, others)
            values = (*values, out if keeps_out else None)
        result._node = [next_seq(), op, nodes, values, None]
        result._saved = True
    if OBSERVERS:
        observe(op, result, (b, a) if first else (a, b))
    return result


def product(op: Op, x1: Any, x2: Any) -> Any:
    """The product of two matrices or vectors; None: by the general road."""
    a, b = x1._array, x2._array
    dtype = a.dtype
    try:
        form = op.short[dtype]
    except KeyError:
        form = _dispatch.short_form(op.name, dtype, 2)
    if form is None or b.dtype is not dtype or type(a) is not ndarray or type(b) is not ndarray:
        return None
    if not 0 < a.ndim < 3 or not 0 < b.ndim < 3:
        return None
    family = x1._family
    node1 = x1._node if family is None or x1._epoch == family.epoch else node_of(x1)
    family = x2._family
    node2 = x2._node if family is None or x2._epoch == family.epoch else node_of(x2)
    recorded = (node1 is not None or node2 is not None) and dtype.kind == "f" and _grad_mode()
    if recorded and (a.nbytes > _FEW or b.nbytes > _FEW):  # what to keep is to be thought about
        return None
    try:
        out = form(a, b)
    except (MemoryError, ValueError):  # shapes that do not fit: to be said in our words
        return None
    if type(out) is not ndarray:
        out = from_scalar(out)
    result = _new(_TENSOR if out.ndim else _SCALAR)
    result._array = out
    result._family = None
    if recorded:
        values = (
            None if node2 is None else keep(x1),
            None if node1 is None else keep(x2),
            None,
        )
        attributes = {"x1_shape": a.shape, "x2_shape": b.shape}
        result._node = [next_seq(), op, (node1, node2), values, attributes]
        result._saved = True
    else:
        result._node = None
    if OBSERVERS:
        observe(op, result, (a, b))
    return result


def copied(op: Op, x: Any) -> Any:
    """A C-contiguous copy of a tensor; None: by the general road."""
    array = x._array
    try:
        form = op.short[array.dtype]
    except KeyError:
        form = _dispatch.short_form(op.name, array.dtype)
    if form is None or type(array) is not ndarray or not array.ndim or array.nbytes > _FEW:
        return None
    return _linear(op, x, array, form(array), None)


def flattened(op: Op, x: Any) -> Any:
    """A copy of a tensor in one dimension, by the op that reshapes; None: as above."""
    array = x._array
    if type(array) is not ndarray or not array.ndim or array.nbytes > _FEW:
        return None
    out = array.flatten()
    return _linear(op, x, array, out, {"shape": out.shape, "x_shape": array.shape})


def converted(op: Op, x: Any, dtype: np.dtype[Any]) -> Any:
    """A C-contiguous tensor of another dtype; None: by the general road.

    None, too, where not every value has its like: NaN among integers.
    """
    array = x._array
    own = array.dtype
    try:
        form = op.short[own]
    except KeyError:
        form = _dispatch.short_form(op.name, own)
    if form is None or type(array) is not ndarray or not array.ndim or array.nbytes > _FEW:
        return None
    if own.kind == "f" and dtype.kind != "f":
        return None
    return _linear(op, x, array, form(array, dtype, "C"), {"dtype": dtype, "x_dtype": own})


def _linear(op: Op, x: Any, array: Any, out: Any, attributes: dict[str, Any] | None) -> Any:
    """The tensor over what a linear op of one argument, which keeps nothing, has computed."""
    result = _new(_TENSOR)
    result._array = out
    result._family = None
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    if node is None or not _grad_mode():
        result._node = None
    else:
        result._node = [next_seq(), op, (node,), None, attributes]
        result._saved = True
    if OBSERVERS:
        observe(op, result, (array,))
    return result


def joined(op: Op, tensors: Any, axis: Any, added: int) -> Any:
    """Tensors of one dtype joined along an axis, a new one if `added` is 1; None: as above."""
    if (type(tensors) is not list and type(tensors) is not tuple) or type(axis) is not int:
        return None
    arrays: list[Any] = []
    nodes: list[Any] = []
    dtype = None
    recorded = False
    for t in tensors:
        if type(t) is not _TENSOR:
            return None
        array = t._array
        if array.dtype is not dtype:
            if dtype is not None:
                return None
            dtype, ndim = array.dtype, array.ndim
        if type(array) is not ndarray:
            return None
        arrays.append(array)
        family = t._family
        node = t._node if family is None or t._epoch == family.epoch else node_of(t)
        nodes.append(node)
        if node is not None:
            recorded = True
    if dtype is None or not ndim or OBSERVERS:
        return None
    if axis < 0:
        axis += ndim + added
    try:
        form = op.short[dtype]
    except KeyError:
        form = _dispatch.short_form(op.name, dtype)
    if form is None or not 0 <= axis < ndim + added:
        return None
    try:
        out = form(arrays, axis)
    except (MemoryError, ValueError):  # shapes that do not fit: to be said in our words
        return None
    result = _new(_TENSOR)
    result._array = out
    result._family = None
    if recorded and _grad_mode():
        attributes = {"axis": axis, "result_like": (out.shape, dtype)}
        if op.meta:  # of a join those are the shapes
            attributes["arrays_shape"] = tuple([array.shape for array in arrays])
        result._node = [next_seq(), op, tuple(nodes), (None, None), attributes]
    else:
        result._node = None
    return result


def choice(op: Op, condition: Any, x1: Any, x2: Any) -> Any:
    """`where` for a mask, and operands that have its shape or are numbers; None: as above."""
    mask = condition._array if isinstance(condition, TensorBase) else condition
    if type(mask) is not ndarray or mask.dtype is not _BOOL or not 0 < mask.nbytes < _FEW >> 3:
        return None
    shape = mask.shape
    node1 = node2 = None
    if isinstance(x1, TensorBase):
        a1 = x1._array
        dtype = a1.dtype
        family = x1._family
        node1 = x1._node if family is None or x1._epoch == family.epoch else node_of(x1)
        if isinstance(x2, TensorBase):
            a2 = x2._array
            family = x2._family
            node2 = x2._node if family is None or x2._epoch == family.epoch else node_of(x2)
        else:
            a2 = _constant_beside(x2, dtype)
    elif isinstance(x2, TensorBase):
        a2 = x2._array
        dtype = a2.dtype
        family = x2._family
        node2 = x2._node if family is None or x2._epoch == family.epoch else node_of(x2)
        a1 = _constant_beside(x1, dtype)
    else:
        return None
    if type(a1) is not ndarray or type(a2) is not ndarray or a1.dtype is not a2.dtype:
        return None
    if not shape or not (a1.shape == shape or (node1 is None and not a1.ndim)):
        return None
    if not (a2.shape == shape or (node2 is None and not a2.ndim)):
        return None
    try:
        form = op.short[dtype]
    except KeyError:
        kernel = _dispatch.lookup(op.name, "cpu", "strided", (_BOOL, dtype, dtype))
        form = op.short[dtype] = _dispatch.serial(kernel)
    out = form(mask, a1, a2)
    result = _new(_TENSOR)
    result._array = out
    result._family = None
    if (node1 is None and node2 is None) or not _grad_mode():
        result._node = None
    else:
        # Its owner may write to a NumPy array at any time.
        kept = keep(condition) if mask is not condition else mask.copy()
        attributes = {"result_like": (shape, dtype)} if op.needs_template else None
        values = (kept, None, None, None)
        result._node = [next_seq(), op, (None, node1, node2), values, attributes]
        result._saved = True
    if OBSERVERS:
        observe(op, result, (mask, a1, a2))
    return result


def limited(op: Op, x: Any, low: Any, high: Any) -> Any:
    """`clip` of floats between two numbers; None: as above."""
    array = x._array
    dtype = array.dtype
    kernel = op.fast.get(dtype)
    if kernel is None or dtype.kind != "f" or type(array) is not ndarray or array.nbytes > _FEW:
        return None
    if type(low) not in _NUMBERS or type(high) not in _NUMBERS:
        return None
    bounds = _constant_beside(low, dtype), _constant_beside(high, dtype)
    out = kernel(array, *bounds)
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    if node is None or not _grad_mode():
        return _untracked(op, out, (array, *bounds))
    if type(out) is not ndarray:
        out = from_scalar(out)
    values = [
        value if kept else None
        for value, kept in zip((array, *bounds, out), op.kept_flags[0], strict=True)  # type: ignore[index, arg-type]
    ]
    if values[0] is not None:
        values[0] = keep(x)
    return _tracked(
        op, out, [next_seq(), op, (node, None, None), tuple(values), None], (array, *bounds)
    )


_INDEX = np.dtype(np.intp)


def taken(op: Op, x: Any, indices: Any, axis: Any) -> Any:
    """`take` of slices at an array of a few integers; None: as above."""
    array = x._array
    index = indices._array if isinstance(indices, TensorBase) else indices
    if type(index) is not ndarray or index.dtype is not _INDEX or type(array) is not ndarray:
        return None
    ndim = array.ndim
    if axis is None and ndim == 1:
        axis = 0
    if type(axis) is not int or not -ndim <= axis < ndim or not index.ndim:
        return None
    if index.nbytes > _FEW >> 3 or array.nbytes > _FEW:
        return None
    if axis < 0:
        axis += ndim
    try:
        out = array.take(index, axis)
    except IndexError:  # to be said in our words
        return None
    result = _new(_TENSOR)
    result._array = out
    result._family = None
    family = x._family
    node = x._node if family is None or x._epoch == family.epoch else node_of(x)
    if node is None or not _grad_mode():
        result._node = None
    else:
        # Its owner may write to a NumPy array at any time.
        kept = index.copy() if index is indices else keep(indices)
        attributes = {"axis": axis, "x_shape": array.shape}
        result._node = [next_seq(), op, (node, None), (None, kept, None), attributes]
    if OBSERVERS:
        observe(op, result, (array, index))
    return result


def plain_like(x: Any, value: float | None) -> Any:
    """0, 1 or (None) nothing in the shape and dtype of a tensor; None: by the general road."""
    array = x._array
    if type(array) is not ndarray or array.nbytes > _FEW or array.dtype.kind not in "biufc":
        return None
    if value == 0 and type(value) is int:  # not for -0.0
        return wrap(np.zeros(array.shape, array.dtype))
    out = np.empty(array.shape, array.dtype)
    if value is not None:
        out.fill(value)
    return wrap(out)


# -- writing --------------------------------------------------------------------------------------


def write_number(x: Any, key: Any, value: float, writer: str) -> bool:
    """x[key] = value for a basic index; False, with nothing written: by the general road."""
    family = x._family
    array = x._array
    if family is None or x._node is not None or type(array) is not ndarray:
        return False  # its first write, or one that is recorded
    if array.dtype.kind != "f" or not array.flags.writeable:
        return False
    storage = family.storage
    with storage.lock:
        if family.node is not None:
            return False
        try:
            if storage.saved or storage.pinned:
                x._array[key]
                number = array.dtype.type(value)
                storage.prepare_write(writer)
                x._array[key] = number
            else:
                x._array[key] = value
                storage.version += 1
        except (IndexError, OverflowError, TypeError, ValueError):  # to be said in our words
            return False
    return True


def update(op: Op, x: Any, other: Any, writer: str) -> bool:
    """Do x = op(x, other) in place, of floats; False, with nothing written: by the general road."""
    family = x._family
    array = x._array
    if family is None or x._node is not None or type(array) is not ndarray:
        return False  # its first write, or one that is recorded
    dtype = array.dtype
    kernel = op.fast.get(dtype)
    if kernel is None or dtype.kind != "f" or not array.flags.writeable:
        return False
    if isinstance(other, TensorBase):
        operand = other._array
        if node_of(other) is not None or operand.dtype is not dtype:
            return False
    else:
        operand = _constant_beside(other, dtype)
    if type(operand) is not ndarray or (operand.ndim and operand.shape != array.shape):
        return False
    storage = family.storage
    with storage.lock:
        if family.node is not None:
            return False
        if storage.saved or storage.pinned:
            storage.prepare_write(writer)
        else:
            storage.version += 1
        array = x._array
        kernel(array, operand, out=array)
    return True


# The definitions, which the compiled roads hand to what they do not do.
if _compiled.ROADS is not None:
    _compiled.ROADS.register_short(_FEW, ALL_AXES, (reduction, product))
    reduction, product = _compiled.ROADS.reduction, _compiled.ROADS.product
