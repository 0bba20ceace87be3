"""Making tensors of what is there: asarray, tensor, from_dlpack.

Tensors inside of nested lists stay in the graph; memory of NumPy and of other libraries is shared
where that is possible and asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import (
    _Types,
    cast,
    check_subclass,
    node_of,
    operand,
    register_sequence_conversion,
    wrap,
)
from .._device import Device
from .._dtypes import DTypeLike, as_dtype, check_convertible, check_supported, is_supported
from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    ExportError,
    IntegerOverflowError,
    ShapeError,
    out_of_memory,
)
from .._graph import OBSERVERS, is_grad_enabled, next_seq
from .._storage import TensorBase, pin
from .devices import to_device
from .manipulation import STACK, copied, reshape, stack

if TYPE_CHECKING:
    from .._tensor import Tensor

_NUMBERS = (bool, int, float, complex)


def asarray(
    obj: Any,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """A tensor from a tensor, array, number, nested list, or object of another library.

    Parameters
    ----------
    obj : Tensor, ndarray, Python scalar, nested sequence or foreign array
        Foreign arrays are taken by ``__dlpack__``, ``__array__`` or the buffer protocol. A nested
        sequence may hold tensors, which stay in the graph. Of ndarray's subclasses those are
        refused that mean more than their numbers: masked arrays, ``np.matrix``, and classes with
        an ``__array_ufunc__`` of their own; all others (``np.memmap``, ``np.recarray``) are taken
        as plain arrays.
    dtype : dtype, optional
        That of `obj` by default; Python numbers give int64, float64, complex128 or bool.
    device : Device or str, optional
        Where the result lives.
    copy : bool, optional
        True always copies, False raises if a copy is needed, None copies only if needed.

    Returns
    -------
    Tensor
        A tensor is returned as it is, with its gradient; arrays share their memory unless a copy
        is asked for or needed.

    Raises
    ------
    ShapeError
        A nested sequence is ragged.
    DTypeError
        `obj` holds Python objects, strings or dates, or complex numbers for a real dtype.
    IntegerOverflowError
        A Python integer does not fit the dtype.
    ArgumentError
        ``copy=False`` where a copy is needed; NaN for an integer dtype.

    Notes
    -----
    Derivative: the identity.

    Examples
    --------
    >>> import arraygrad as ag
    >>> t = ag.tensor(2.0, requires_grad=True)
    >>> ag.asarray([[t, 0.0], [1.0, t * t]]).sum().backward()
    >>> t.grad
    tensor(5.)
    """
    target = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, TensorBase):
        out = _from_tensor(obj, target, copy)
    elif isinstance(obj, np.ndarray):
        try:
            out = _from_ndarray(obj, target, copy)
        except MemoryError as error:
            raise out_of_memory("asarray", error) from error
    elif isinstance(obj, np.generic):
        out = _from_ndarray(np.asarray(obj), target, copy)
    elif isinstance(obj, _NUMBERS):
        _refuse_sharing(copy, "a Python number")
        out = wrap(_plain_array(obj, target))
    elif isinstance(obj, list | tuple):
        _refuse_sharing(copy, "a nested sequence")
        out = _from_sequence(obj, target)
    else:
        out = _from_foreign(obj, target, copy)
    return out if device is None else to_device(out, device)  # type: ignore[no-any-return]


def tensor(
    data: Any,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A new tensor with memory of its own.

    Parameters
    ----------
    data : Tensor, ndarray, Python scalar, nested sequence or foreign array
        Always copied; tensors stay in the graph.
    dtype : dtype, optional
    device : Device or str, optional
    requires_grad : bool
        Make the result a leaf that accumulates a gradient.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: the identity.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.tensor([1.0, 2.0], requires_grad=True).requires_grad
    True
    """
    given: Any = requires_grad
    if given is not True and given is not False:
        requires_grad = _flag(given)
    copy = None if isinstance(data, (list, tuple, *_NUMBERS)) else True
    out: Any = asarray(data, dtype=dtype, device=device, copy=copy)
    if isinstance(out, _Types.scalar):
        out = wrap(out._array, node_of(out))
    if requires_grad and node_of(out) is None:
        out.requires_grad_(True)
    return out  # type: ignore[no-any-return]


def _flag(requires_grad: Any) -> bool:
    if not isinstance(requires_grad, np.bool_):
        raise ArgumentTypeError(
            f"tensor: requires_grad={requires_grad!r} is a {type(requires_grad).__name__}; use "
            "True or False"
        )
    return bool(requires_grad)


def from_dlpack(
    x: Any, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Tensor:
    """A tensor over the memory of another library's array.

    Parameters
    ----------
    x : object with ``__dlpack__`` and ``__dlpack_device__``
    device : Device or str, optional
    copy : bool, optional
        True always copies, False raises if a copy is needed, None copies only if needed.

    Returns
    -------
    Tensor
        Shares memory with x unless copied; a tensor of ours keeps its gradient.

    Raises
    ------
    ExportError
        x cannot be exported without a copy, or lives on a device that is not known here.

    Notes
    -----
    Derivative: the identity for our own tensors; other libraries' gradients do not pass.
    """
    if isinstance(x, TensorBase):
        return asarray(x, copy=copy, device=device)
    if isinstance(x, np.ndarray) and type(x) is not np.ndarray:
        check_subclass(x, "from_dlpack")
    if not hasattr(x, "__dlpack__"):
        raise ArgumentTypeError(
            f"from_dlpack: {type(x).__name__} has no __dlpack__; use ag.asarray(x)"
        )
    out = _from_ndarray(_dlpack_array(x, copy), None, None)
    return out if device is None else to_device(out, device)  # type: ignore[no-any-return]


# -- one kind of object each ----------------------------------------------------------------------


def _refuse_sharing(copy: bool | None, what: str) -> None:
    if copy is False:
        raise ArgumentError(f"asarray: {what} cannot be used without a copy; leave copy=None")


def _from_tensor(x: Any, dtype: np.dtype[Any] | None, copy: bool | None) -> Any:
    if dtype is not None and x._array.dtype != dtype:
        if copy is False:
            raise ArgumentError(
                f"asarray: converting {x._array.dtype} to {dtype} needs a copy; leave copy=None"
            )
        check_convertible(x._array, dtype, "asarray")
        return cast(x, dtype)
    if copy:
        return copied(x)
    if isinstance(x, _Types.scalar) and copy is None:
        # As NumPy makes a 0-d array of a scalar: it can be written, the scalar cannot.
        return wrap(x._array.copy(), node_of(x))
    return x


def _from_ndarray(x: Any, dtype: np.dtype[Any] | None, copy: bool | None) -> Any:
    if type(x) is not np.ndarray:
        check_subclass(x, "asarray")
    array = np.asarray(x)
    target = check_supported(array.dtype, "asarray") if dtype is None else dtype
    check_supported(array.dtype, "asarray")
    if array.dtype == target and array.dtype.isnative:
        if copy:
            return wrap(np.array(array, order="C"))
        # A view: its owner may set the shape or the flags of an array.
        out = wrap(array.view() if array is x else array)
        pin(out)
        return out
    if copy is False:
        raise ArgumentError(
            f"asarray: converting {array.dtype!r} to {target} needs a copy; leave copy=None"
        )
    check_convertible(array, target, "asarray")
    return wrap(array.astype(target))


def _from_foreign(obj: Any, dtype: np.dtype[Any] | None, copy: bool | None) -> Any:
    """Other libraries' arrays, buffers, and sequences that are no list or tuple."""
    if isinstance(obj, type):  # has the methods that make its objects arrays
        raise DTypeError(
            f"asarray: tensors hold numbers, not classes such as "
            f"{obj.__name__}; pass an instance of it"
        )
    if isinstance(obj, str):
        raise DTypeError(f"asarray: the string {obj!r} is not a number; use float(...) first")
    if isinstance(obj, Mapping):
        raise ArgumentTypeError(
            f"asarray: a {type(obj).__name__} has no order of axes; use list(x.values())"
        )
    if hasattr(obj, "__dlpack__") and _lives_on_cpu(obj):
        try:
            return _from_ndarray(_dlpack_array(obj, None), dtype, copy)
        except ExportError:
            if not hasattr(obj, "__array__"):
                raise
    if hasattr(obj, "__array__") or hasattr(obj, "__array_interface__"):
        return _from_ndarray(np.asarray(obj), dtype, copy)
    try:
        buffer = memoryview(obj)
    except TypeError:
        buffer = None
    if buffer is not None:
        return _from_ndarray(np.asarray(buffer), dtype, copy)
    if isinstance(obj, Sequence) or (hasattr(obj, "__len__") and hasattr(obj, "__getitem__")):
        _refuse_sharing(copy, f"a {type(obj).__name__}")
        try:
            parts = list(obj)
        except TypeError as error:
            raise ArgumentTypeError(
                f"asarray: {type(obj).__name__} is neither a number, a nested list nor an array: "
                f"{error}"
            ) from error
        return _from_sequence(parts, dtype)
    number = _as_number(obj)
    if number is not None:
        _refuse_sharing(copy, f"a {type(obj).__name__}")
        return wrap(_plain_array(number, dtype))
    raise ArgumentTypeError(
        f"asarray: {type(obj).__name__} is neither a number, a nested list nor an array; convert "
        "it first, e.g. list(x) or np.asarray(x)"
    )


def _as_number(obj: Any) -> Any:
    """The integer that an object with __index__ stands for, else None."""
    try:
        return operator.index(obj)
    except TypeError:
        return None


def _lives_on_cpu(obj: Any) -> bool:
    device = getattr(obj, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == 1


def _dlpack_array(x: Any, copy: bool | None) -> Any:
    try:
        return np.from_dlpack(x, copy=copy)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExportError(
            f"from_dlpack: {type(x).__name__} cannot be taken: {error}; convert it in its own "
            "library first (e.g. to the CPU, detached, or a copy)"
        ) from error


# -- numbers and nested sequences -----------------------------------------------------------------


def _plain_array(obj: Any, dtype: np.dtype[Any] | None, function: str = "asarray") -> Any:
    """An ndarray from a Python number or a nested sequence without tensors."""
    try:
        array = np.array(obj)
    except OverflowError as error:
        raise IntegerOverflowError(f"{function}: {error}; use a float") from error
    except ValueError as error:
        raise ShapeError(
            f"{function}: the nested sequence is ragged ({error}); all rows must have one length"
        ) from error
    if array.dtype.kind == "O":
        if dtype is not None and dtype.kind in "fc" and _are_numbers(array):
            return _converted(obj, dtype, function)  # integers beyond 64 bits, as floats
        _refuse_objects(array, function)
    if not is_supported(array.dtype) and array.size:
        check_supported(array.dtype, function)
    if dtype is None:
        return array.astype(check_supported(array.dtype, function), copy=False)
    if dtype == array.dtype:
        return array
    if dtype.kind in "iu" and array.dtype.kind in "iuf":
        if array.dtype.kind == "f" and np.isnan(array).any():
            check_convertible(array, dtype, function)
        # From the numbers themselves: beside negative or small ones NumPy makes integers from
        # 2**63 on floats, which cannot hold them.
        return _converted(obj, dtype, function)
    check_convertible(array, dtype, function)
    return array.astype(dtype)


def _converted(obj: Any, dtype: np.dtype[Any], function: str) -> Any:
    try:
        return np.array(obj, dtype)
    except OverflowError as error:
        raise IntegerOverflowError(
            f"{function}: {error}; use a larger integer dtype or dtype=float"
        ) from error


def _are_numbers(array: Any) -> bool:
    return all(isinstance(x, int | float | complex) for x in array.reshape(-1))


def _refuse_objects(array: Any, function: str) -> None:
    flat = list(array.reshape(-1))
    if all(isinstance(x, int) for x in flat):
        big = max(flat, key=abs)
        raise IntegerOverflowError(
            f"{function}: the Python integer {big} does not fit 64 bits; use floats"
        )
    odd = next((x for x in flat if not isinstance(x, int | float | complex)), flat[0])
    raise DTypeError(
        f"{function}: tensors hold numbers, not Python objects such as {type(odd).__name__} "
        f"({odd!r}); convert each with float(...) first"
    )


def _holds_tensor(obj: Any) -> bool:
    for part in obj:
        if isinstance(part, TensorBase):
            return True
        if isinstance(part, list | tuple) and _holds_tensor(part):
            return True
    return False


_PLAIN_KINDS = set(_NUMBERS)
_NESTING_KINDS = {list, tuple}


def _is_plain(obj: Any) -> bool:
    """Whether np.array knows all parts of a sequence: numbers, NumPy's arrays, nested sequences."""
    kinds = set(map(type, obj))
    if kinds <= _PLAIN_KINDS:
        return True
    if kinds <= _NESTING_KINDS:
        return all(map(_is_plain, obj))
    return all(
        _is_plain(part)
        if isinstance(part, list | tuple)
        else isinstance(part, (*_NUMBERS, np.generic)) or _is_plain_array(part)
        for part in obj
    )


def _is_plain_array(part: Any) -> bool:
    if isinstance(part, np.ndarray) and type(part) is not np.ndarray:
        check_subclass(part, "asarray")
    return isinstance(part, np.ndarray)


def _from_sequence(obj: Any, dtype: np.dtype[Any] | None, function: str = "asarray") -> Any:
    if _is_plain(obj):
        return wrap(_plain_array(obj, dtype, function))
    if dtype is None or dtype is _FLOAT64:
        out = of_scalars(obj)
        if out is not None:
            return out
    if not _holds_tensor(obj):
        obj = [_detour(part) for part in obj]
        if not any(isinstance(part, TensorBase) for part in obj):
            return wrap(_plain_array(obj, dtype, function))
    return _stacked(obj, dtype, function)


def _detour(part: Any) -> Any:
    """A part of a sequence that may be another library's array."""
    if isinstance(part, (list, tuple, str, *_NUMBERS, np.ndarray, np.generic)):
        return part
    foreign = hasattr(part, "__dlpack__") or hasattr(part, "__array__")
    return asarray(part) if foreign else part


def _stacked(obj: Any, dtype: np.dtype[Any] | None, function: str) -> Any:
    """A nested sequence with tensors in it: one stack of all its leaves, which keeps the graph."""
    leaves: list[Any] = []
    outer = _collect(obj, leaves, dtype)
    shape = leaves[0]._array.shape
    if any(t._array.shape != shape for t in leaves):
        shapes = sorted({t._array.shape for t in leaves})
        raise ShapeError(
            f"asarray: the nested sequence is ragged: it holds tensors of shapes {shapes}; use "
            "concat to join tensors of different lengths"
        )
    out = of_scalars(leaves)
    if out is None:
        out = stack(leaves)
    if len(outer) > 1:
        out = reshape(out, outer + shape)
    if dtype is not None and out._array.dtype != dtype:
        check_convertible(out._array, dtype, function)
        return cast(out, dtype)
    return out


_FLOAT64 = np.dtype(np.float64)
_EXACT = 2**53  # integers below are the same in double precision


def of_scalars(parts: Any) -> Any:
    """The stack of scalars in double precision and numbers; None where anything else is among."""
    numbers: list[Any] = []
    nodes: list[Any] = []
    found = recorded = False
    for part in parts:
        kind = type(part)
        if isinstance(part, TensorBase):
            array = part._array
            if type(array) is not np.ndarray or array.ndim or array.dtype is not _FLOAT64:
                return None
            number, node, found = array.item(), node_of(part), True
            recorded = recorded or node is not None
        elif kind is float or kind is np.float64 or (kind is int and -_EXACT < part < _EXACT):
            number, node = part, None
        else:
            return None
        numbers.append(number)
        nodes.append(node)
    if not found or OBSERVERS:
        return None
    out = wrap(np.array(numbers, _FLOAT64))
    if recorded and is_grad_enabled():
        attributes = {"axis": 0, "result_like": (out._array.shape, _FLOAT64)}
        if STACK.meta:
            attributes["arrays_shape"] = ((),) * len(nodes)
        out._node = [next_seq(), STACK, tuple(nodes), (None, None), attributes]
    return out


def _collect(obj: Any, leaves: list[Any], dtype: np.dtype[Any] | None) -> tuple[int, ...]:
    """Append the tensors of a nested sequence to `leaves`; the shape of the nesting."""
    if not any(isinstance(part, list | tuple) for part in obj):
        leaves.extend(_leaf(part, dtype) for part in obj)
        return (len(obj),)
    if all(isinstance(part, list | tuple) for part in obj) and all(len(part) for part in obj):
        shapes = {_collect(part, leaves, dtype) for part in obj}
        if len(shapes) > 1:
            raise ShapeError(
                f"asarray: the nested sequence is ragged: its parts have shapes {sorted(shapes)}"
            )
        return (len(obj), *shapes.pop())
    # Lists beside tensors: each list must become a tensor of the others' shape.
    leaves.extend(_leaf(part, dtype) for part in obj)
    return (len(obj),)


def _leaf(part: Any, dtype: np.dtype[Any] | None) -> Any:
    if isinstance(part, TensorBase):
        return part
    if isinstance(part, _NUMBERS):
        # Integers must fit in the dtype; other numbers are cast with the tensors beside them.
        return wrap(_plain_array(part, dtype if dtype is not None and dtype.kind in "iu" else None))
    return asarray(part) if not isinstance(part, np.ndarray) else operand(part, "asarray")


register_sequence_conversion(_from_sequence)
