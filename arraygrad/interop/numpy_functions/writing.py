"""NumPy's functions that write into their first argument.

On a tensor they write in place and the values keep their gradients; on an array a tracked value is
refused, as an array cannot hold a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand, scalar_class
from ..._detach import lose
from ..._errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from ..._graph import is_grad_enabled
from ..._layout import Shape, broadcast_shapes
from ..._storage import TensorBase
from ..._writes import assign, check_write, fitted, operand_for
from ...ops import indexing, manipulation, searching
from ..plain import is_tracked, plain


def _on_array(function: Any, target: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether the target is an array, which then has been written by NumPy itself."""
    if isinstance(target, TensorBase):
        return False
    if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
        lose(f"np.{function.__name__} into a NumPy array", "make it a tensor, ag.asarray(a)")
    function(target, *plain(args), **plain(kwargs))
    return True


@answers(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """np.copyto."""
    if _on_array(np.copyto, dst, src, casting=casting, where=where):
        return
    dtype = dst._array.dtype
    is_number = type(src) in (bool, int, float, complex)
    given = src if is_number else operand(src, "np.copyto", 2)
    kind = np.result_type(src, dtype) if is_number else given._array.dtype
    if not np.can_cast(kind, dtype, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"np.copyto: {src!r} cannot be written into dtype {dtype} under "
            f"casting={casting!r}; use casting='unsafe'"
        )
    if is_number:  # integers must fit; floats are cast
        given = operand_for(dst, src, "np.copyto", 2) if type(src) is int else operand(src)
    if where is True:
        assign(dst, given, "np.copyto")
        return
    mask = _mask(where, dst._array.shape)
    if mask.any():
        check_write(dst, "np.copyto")
        given = fitted(given, dst._array.shape, "np.copyto")
        # What the mask leaves out may be NaN, which an integer tensor could not take.
        value = searching.where(operand(mask), given, 0).astype(dtype, copy=False)
        assign(dst, searching.where(operand(mask), value, dst), "np.copyto")


def _mask(where: Any, shape: Shape) -> Any:
    """The array of truth values that where= means, for a target of a shape."""
    mask = np.asarray(plain(where))
    if mask.dtype.kind != "b":
        raise ArgumentTypeError(
            f"np.copyto: where= must be a mask of truth values, not of {mask.dtype}; compare, x > 0"
        )
    if mask.ndim > len(shape) or broadcast_shapes(mask.shape, shape) != shape:
        raise ShapeError(
            f"np.copyto: where= has shape {mask.shape}, which does not broadcast to {shape}"
        )
    return mask


@answers(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """np.put."""
    if not _on_array(np.put, a, ind, v, mode=mode):
        indexing.put(a, operand(ind, "put", 2), v, mode=mode)


def _cycled(a: Any, values: Any, places: Any, function: str) -> Any:
    """Elements, to be written into a, of the flat values at places, repeated as needed."""
    flat = manipulation.reshape(operand_for(a, values, function, 3), (-1,))
    if not flat._array.size:
        raise ArgumentError(f"np.{function}: cannot write from an empty tensor")
    return indexing.take(flat, operand(places % flat._array.size), axis=0)


def _check_safe(a: Any, values: Any, function: str) -> None:
    """Refuse arrays whose dtype has values that a has not, as NumPy does here."""
    if isinstance(values, TensorBase | np.ndarray) and not isinstance(values, scalar_class()):
        given = values._array.dtype if isinstance(values, TensorBase) else values.dtype
        if not np.can_cast(given, a._array.dtype, "safe"):
            raise DTypeError(
                f"np.{function}: values of dtype {given} cannot be written into dtype "
                f"{a._array.dtype} without loss; convert them first, "
                f"values.astype('{a._array.dtype}')"
            )


def _write_flat(a: Any, places: Any, values: Any) -> None:
    if places.size:
        indexing.setitem(a, np.unravel_index(places, a._array.shape), values)


@answers(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """np.place: the n-th true element gets the n-th value."""
    if not _on_array(np.place, arr, mask, vals):
        _check_safe(arr, vals, "place")
        chosen = np.asarray(plain(mask))
        if chosen.size != arr._array.size:
            raise ShapeError(
                f"np.place: the mask has shape {chosen.shape}, the target {arr._array.shape}"
            )
        places = np.flatnonzero(chosen)
        if places.size:
            _write_flat(arr, places, _cycled(arr, vals, np.arange(places.size), "place"))


@answers(np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """np.putmask: element n gets value n, where the mask is true."""
    if not _on_array(np.putmask, a, mask, values):
        _check_safe(a, values, "putmask")
        chosen = np.asarray(plain(mask), bool)
        if chosen.shape != a._array.shape:
            raise ArgumentError(
                f"np.putmask: the mask has shape {chosen.shape}, the target {a._array.shape}"
            )
        places = np.flatnonzero(chosen)
        if places.size:
            _write_flat(a, places, _cycled(a, values, places, "putmask"))


@answers(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """np.fill_diagonal."""
    if _on_array(np.fill_diagonal, a, val, wrap=wrap):
        return
    marked = np.zeros(a._array.shape, bool)
    np.fill_diagonal(marked, True, wrap=wrap)  # checks the shape, too
    places = np.flatnonzero(marked)
    if places.size:
        _write_flat(a, places, _cycled(a, val, np.arange(places.size), "fill_diagonal"))


@answers(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """np.put_along_axis."""
    if _on_array(np.put_along_axis, arr, indices, values, axis=axis):
        return
    index = operand(indices, "put_along_axis", 2)
    value = operand_for(arr, values, "put_along_axis", 3)
    if axis is None:
        places = index._array.reshape(-1) % (arr._array.size or 1)
        _write_flat(arr, places, manipulation.broadcast_to(value, index._array.shape).ravel())
    else:
        indexing.put_along_axis(arr, index, value, axis)
