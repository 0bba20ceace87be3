"""NumPy's ndarray methods on tensors: NumPy's names, defaults and semantics.

Each is a few lines over the functions in ops/. Methods that write in place do so with gradients.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cotangents
from ._apply import CAST, scalar_class, wrap
from ._dtypes import DTypeLike, as_dtype
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    IndexOutOfRangeError,
    ShapeError,
    out_of_memory,
)
from ._lazy import LazyModule
from ._short import converted, flattened, reduction, taken
from ._storage import TensorBase

if TYPE_CHECKING:
    from . import (
        _detach as detach,
        _flat_view as flat_view,
        _ndarray_options as options,
        _texts as texts,
        _writes as writes,
    )
    from .interop.numpy_functions import reducing, selecting
    from .ops import (
        arithmetic,
        comparison,
        creation,
        data_type,
        indexing,
        manipulation,
        products,
        rounding,
        searching,
        shapes,
        sorting,
        statistical,
        utility,
        views,
    )
else:  # imported when the first method or operator asks: most programs need few of them
    detach = LazyModule("arraygrad._detach")
    flat_view = LazyModule("arraygrad._flat_view")
    options = LazyModule("arraygrad._ndarray_options")
    texts = LazyModule("arraygrad._texts")
    writes = LazyModule("arraygrad._writes")
    reducing = LazyModule("arraygrad.interop.numpy_functions.reducing")
    selecting = LazyModule("arraygrad.interop.numpy_functions.selecting")
    arithmetic = LazyModule("arraygrad.ops.arithmetic")
    comparison = LazyModule("arraygrad.ops.comparison")
    creation = LazyModule("arraygrad.ops.creation")
    data_type = LazyModule("arraygrad.ops.data_type")
    indexing = LazyModule("arraygrad.ops.indexing")
    manipulation = LazyModule("arraygrad.ops.manipulation")
    products = LazyModule("arraygrad.ops.products")
    rounding = LazyModule("arraygrad.ops.rounding")
    searching = LazyModule("arraygrad.ops.searching")
    shapes = LazyModule("arraygrad.ops.shapes")
    sorting = LazyModule("arraygrad.ops.sorting")
    statistical = LazyModule("arraygrad.ops.statistical")
    utility = LazyModule("arraygrad.ops.utility")
    views = LazyModule("arraygrad.ops.views")


def _shape_arguments(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """f(2, 3) and f((2, 3)) mean the same."""
    if len(shape) != 1:
        return shape
    (only,) = shape
    if type(only) is int:
        return shape
    if isinstance(only, tuple | list):
        return tuple(only)
    return tuple(map(operator.index, only)) if getattr(only, "ndim", 0) == 1 else shape


def _cut(numbers: Any) -> Any:
    """Numbers and lists where NumPy makes integers of them by force; arrays stay as they are."""
    if type(numbers) is int or isinstance(numbers, np.ndarray):
        return numbers
    if isinstance(numbers, TensorBase):  # a scalar, as NumPy's, is no array
        is_number = isinstance(numbers, scalar_class()) and numbers._array.dtype.kind == "f"
        return int(numbers._array) if is_number else numbers
    if isinstance(numbers, list | tuple):
        return [_cut(n) for n in numbers]
    return int(numbers) if isinstance(numbers, float | bool | np.floating | np.bool_) else numbers


def _store(out: Any, value: Any, method: str, casting: Any = "unsafe") -> Any:
    """Write a result into out= and return it; without out= return the result."""
    return value if out is None else options.store(out, value, method, casting)


def _is_all(where: Any) -> bool:
    """Whether ``where=`` of a reduction leaves nothing out."""
    return where is True or where is None


def _given(initial: Any) -> Any:
    return np._NoValue if initial is None else initial


class NdarrayMethods(TensorBase):
    """Mix-in with the methods that ndarray has; `self` is a Tensor, defined above this module."""

    __slots__ = ()

    # -- shape ----------------------------------------------------------------------------------

    def reshape(self: Any, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
        """The elements under another shape; a view where strides allow it."""
        if order == "C" and copy is None:
            out = shapes.reshaped(self, shape)
            if out is not None:
                return out
        target = _shape_arguments(shape)
        if order == "C":
            return shapes.reshape(self, target, copy=copy)
        if order in ("C", "A") and not (order == "A" and self._array.flags.fnc):
            return manipulation.reshape(self, target, copy=copy)
        if order not in ("F", "A"):
            raise ArgumentError(f"order={order!r}; use 'C', 'F' or 'A'")
        return manipulation.reshape(self.transpose(), target[::-1], copy=copy).transpose()

    def transpose(self: Any, *axes: Any) -> Any:
        """The tensor with its dimensions reversed, or in the order of `axes`; a view."""
        if not axes or (len(axes) == 1 and axes[0] is None):
            return shapes.transposed(self)
        out = shapes.permuted(self, axes)
        return shapes.permute_dims(self, _shape_arguments(axes)) if out is None else out

    def permute(self: Any, *axes: Any) -> Any:
        """The dimensions in the order of `axes`; a view."""
        return manipulation.permute_dims(self, _shape_arguments(axes))

    def swapaxes(self: Any, axis1: int, axis2: int) -> Any:
        """The tensor with two dimensions exchanged; a view."""
        return shapes.swapaxes(self, axis1, axis2)

    def expand(self: Any, *shape: Any) -> Any:
        """The tensor broadcast to `shape` (-1 keeps a size) as a read-only view."""
        return manipulation.expand(self, *_shape_arguments(shape))

    def squeeze(self: Any, axis: Any = None) -> Any:
        """The tensor without dimensions of size 1; a view."""
        return shapes.squeezed(self) if axis is None else shapes.squeeze(self, axis)

    def unsqueeze(self: Any, axis: int) -> Any:
        """The tensor with a dimension of size 1 inserted; a view."""
        return shapes.expand_dims(self, axis)

    def ravel(self: Any, order: str = "C") -> Any:
        """The elements in one dimension; a view of contiguous memory, else a copy."""
        axes = None if order == "C" else _order_of_axes(self._array, order, visits=True)
        x = self if axes is None else manipulation.permute_dims(self, axes)
        out = shapes.reshaped(x, (-1,))
        if out is None:
            out = shapes.reshape(x, (-1,))
        # Of every second element reshape gives a view; ravel copies them.
        return out if out._array.flags.c_contiguous else out.copy()

    def flatten(self: Any, order: str = "C") -> Any:
        """The elements in one dimension; always a copy."""
        if order == "C":
            out = flattened(shapes.RESHAPE, self)
            if out is not None:
                return out
        flat = self.ravel(order)
        return flat.copy() if flat._family is not None else flat

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The diagonal of two dimensions as the last one; a writable view."""
        return views.diagonal(self, offset, axis1, axis2)

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Any:
        """Elements repeated along an axis (of the flat tensor if None)."""
        x, axis = _with_an_axis(self, axis)
        return manipulation.repeat(x, _cut(repeats), axis=axis)

    def resize(self: Any, *shape: Any, refcheck: bool = True) -> None:
        """Refused: a tensor's memory cannot grow in place."""
        raise ArgumentError(
            "tensors cannot be resized in place; use x.reshape(shape) or np.pad(x, widths)"
        )

    # -- type and copies ------------------------------------------------------------------------

    def astype(
        self: Any, dtype: DTypeLike, order: str = "K", casting: Any = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> Any:  # fmt: skip
        """The tensor in another dtype; a copy unless copy=False and nothing changes."""
        target = as_dtype(dtype)
        if order == "K" and casting == "unsafe" and target is not self._array.dtype:
            if self._array.flags.c_contiguous:
                out = converted(CAST, self, target)
                if out is not None:
                    return out
        if not options.can_cast(self._array.dtype, target, casting):
            raise ArgumentTypeError(
                f"astype: {self._array.dtype} does not cast to {target} under casting={casting!r}"
            )
        if order == "A":
            order = "F" if self._array.flags.fnc else "C"
        if target != self._array.dtype:
            axes = _order_of_axes(self._array, order)
            x = self if axes is None else manipulation.permute_dims(self, axes)
            out = data_type.astype(x, target)
            if out._array.ndim > 1 and not out._array.flags.c_contiguous:
                out = out.copy()
            return out if axes is None else _unpermuted(out, axes)
        return self.copy(order) if copy or not _is_ordered(self._array, order) else self

    def copy(self: Any, order: str = "C") -> Any:
        """A copy with memory of its own, in the graph."""
        if order == "C":
            return shapes.copied(self)
        axes = _order_of_axes(self._array, order)
        if axes is None:
            return manipulation.copied(self)
        return _unpermuted(manipulation.copied(manipulation.permute_dims(self, axes)), axes)

    def fill(self: Any, value: Any) -> None:
        """Write one value everywhere."""
        writes.fill(self, value)

    def tolist(self: Any) -> Any:
        """Nested lists of Python numbers; refused while tracked (in lifted code: of scalars)."""
        if detach.stays_in_graph(self):
            return detach.as_nested_pythons(_nested(self))
        detach.may_detach(self, "tolist()")
        try:
            return self._array.tolist()
        except MemoryError as error:
            raise out_of_memory("tolist", error) from error

    def tobytes(self: Any, order: str = "C") -> bytes:
        """The raw bytes; refused while tracked (in lifted code: free as keys, not to be read)."""
        if detach.stays_in_graph(self):
            return texts.note(self._array.tobytes(order), self)  # type: ignore[no-any-return]
        detach.may_detach(self, "tobytes()")
        try:
            return bytes(self._array.tobytes(order))
        except MemoryError as error:
            raise out_of_memory("tobytes", error) from error

    def item(self: Any, *args: Any) -> Any:
        """One element as a Python number; refused while tracked (in lifted code: a scalar)."""
        if not args and self._node is None and self._family is None:
            array = self._array
            if not array.ndim and type(array) is np.ndarray:
                return array.item()
        if detach.stays_in_graph(self):
            _item(self._array, args)  # for its errors
            place = args or (0,)
            return detach.as_pythons(self[args] if len(args) > 1 else self.ravel()[place[0]])
        detach.may_detach(self, "item()")
        return _item(self._array, args)

    # -- elementwise ----------------------------------------------------------------------------

    def conj(self: Any) -> Any:
        """The complex conjugate; a real tensor itself, as in NumPy."""
        return _cotangents.conj(self)

    def conjugate(self: Any) -> Any:
        """The complex conjugate; a real tensor itself, as in NumPy."""
        return _cotangents.conj(self)

    def clip(self: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
        """Values limited to [min, max]."""
        return _store(out, comparison.clip(self, min, max), "clip", "same_kind")

    def round(self: Any, decimals: int = 0, out: Any = None) -> Any:
        """Values rounded to a number of decimals (ties to even)."""
        return _store(out, rounding.around(self, decimals), "round", "same_kind")

    # -- reductions -----------------------------------------------------------------------------

    def sum(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        """Sum along axes."""
        if where is None and dtype is None and initial is None and out is None:
            total = reduction(statistical.SUM, self, axis, keepdims)
            if total is not None:
                return total
        x = self if where is None else options.where(where, self, 0, "sum")
        total = statistical.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
        if initial is not None:
            total = arithmetic.add(total, options.initial(initial, total._array.dtype, "sum"))
        return total if out is None else _store(out, total, "sum")

    def prod(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        """Product along axes."""
        x = self if where is None else options.where(where, self, 1, "prod")
        total = statistical.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)
        if initial is not None:
            total = arithmetic.multiply(total, options.initial(initial, total._array.dtype, "prod"))
        return _store(out, total, "prod")

    def max(
        self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        """Largest element along axes."""
        if initial is None and (where is True or where is None):
            largest = reduction(statistical.MAX, self, axis, keepdims) if out is None else None
            if largest is not None:
                return largest
            largest = statistical.max(self, axis=axis, keepdims=keepdims)
        else:
            largest = reducing.max(self, axis, None, keepdims, _given(initial), where)
        return _store(out, largest, "max")

    def min(
        self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        """Smallest element along axes."""
        if initial is None and (where is True or where is None):
            smallest = reduction(statistical.MIN, self, axis, keepdims) if out is None else None
            if smallest is not None:
                return smallest
            smallest = statistical.min(self, axis=axis, keepdims=keepdims)
        else:
            smallest = reducing.min(self, axis, None, keepdims, _given(initial), where)
        return _store(out, smallest, "min")

    def mean(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *,
        where: Any = True,
    ) -> Any:  # fmt: skip
        """Mean along axes."""
        if where is True and dtype is None and out is None and self._array.dtype.kind == "f":
            mean = reduction(statistical.MEAN, self, axis, keepdims)
            if mean is not None:
                return mean
        if not _is_all(where):
            mean = reducing.mean(self, axis, dtype, None, keepdims, where=where)
            return _store(out, mean, "mean")
        x = self if dtype is None else data_type.astype(self, as_dtype(dtype))
        return _store(out, statistical.mean(x, axis=axis, keepdims=keepdims), "mean")

    def var(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
        keepdims: bool = False, *, where: Any = True, mean: Any = None,
        correction: float | None = None,
    ) -> Any:  # fmt: skip
        """Variance along axes."""
        by = ddof if correction is None else correction
        if mean is not None or not _is_all(where):
            variance = reducing.var(
                self, axis, dtype, None, by, keepdims, where=where, mean=_given(mean)
            )
            return _store(out, variance, "var")
        x = self if dtype is None else data_type.astype(self, as_dtype(dtype))
        variance = statistical.var(x, axis=axis, correction=by, keepdims=keepdims)
        return variance if out is None else _store(out, variance, "var")

    def std(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
        keepdims: bool = False, *, where: Any = True, mean: Any = None,
        correction: float | None = None,
    ) -> Any:  # fmt: skip
        """Standard deviation along axes."""
        by = ddof if correction is None else correction
        if mean is not None or not _is_all(where):
            deviation = reducing.std(
                self, axis, dtype, None, by, keepdims, where=where, mean=_given(mean)
            )
            return _store(out, deviation, "std", "same_kind")
        x = self if dtype is None else data_type.astype(self, as_dtype(dtype))
        deviation = statistical.std(x, axis=axis, correction=by, keepdims=keepdims)
        return deviation if out is None else _store(out, deviation, "std", "same_kind")

    def all(
        self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
    ) -> Any:
        """Whether all elements along axes are true."""
        x = self if _is_all(where) else options.where(where, self, True, "all")
        return _store(out, utility.all(x, axis=axis, keepdims=keepdims), "all")

    def any(
        self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
    ) -> Any:
        """Whether any element along axes is true."""
        x = self if _is_all(where) else options.where(where, self, False, "any")
        return _store(out, utility.any(x, axis=axis, keepdims=keepdims), "any")

    def argmax(
        self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        """Index of the first largest element."""
        found = searching.argmax(self, axis=axis, keepdims=keepdims)
        return found if out is None else _store(out, found, "argmax")

    def argmin(
        self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        """Index of the first smallest element."""
        found = searching.argmin(self, axis=axis, keepdims=keepdims)
        return found if out is None else _store(out, found, "argmin")

    def cumsum(self: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        """Running sum along an axis (of the flat tensor if None)."""
        x, axis = (self.ravel(), 0) if axis is None else (self, axis)
        return _store(out, statistical.cumulative_sum(x, axis=axis, dtype=dtype), "cumsum")

    def cumprod(self: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        """Running product along an axis (of the flat tensor if None)."""
        x, axis = (self.ravel(), 0) if axis is None else (self, axis)
        return _store(out, statistical.cumulative_prod(x, axis=axis, dtype=dtype), "cumprod")

    def trace(
        self: Any,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: Any = None,
        out: Any = None,
    ) -> Any:
        """Sum of the diagonal."""
        diagonal: Any = views.diagonal(self, offset, axis1, axis2)
        if dtype is None and out is None:
            total = reduction(statistical.SUM, diagonal, -1, False)
            if total is not None:
                return total
        return _store(out, statistical.sum(diagonal, axis=-1, dtype=dtype), "trace")

    # -- products -------------------------------------------------------------------------------

    def dot(self: Any, b: Any, out: Any = None) -> Any:
        """NumPy's dot product."""
        return _store(out, products.dot(self, b), "dot", "no")

    # -- order and search -------------------------------------------------------------------------

    def sort(
        self: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None
    ) -> None:
        """Sort in place along an axis."""
        options.check_order(kind, order, "sort")
        writes.assign(self, sorting.sort(self, axis=axis), "sort")

    def argsort(
        self: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None
    ) -> Any:
        """Indices that sort along an axis."""
        options.check_order(kind, order, "argsort")
        x, axis = _with_an_axis(self, axis)
        return sorting.argsort(x, axis=axis, stable=True)

    def partition(
        self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None
    ) -> None:
        """Partition in place along an axis."""
        options.check_order(kind, order, "partition", "i")
        writes.assign(self, sorting.partition(self, kth, axis=axis), "partition")

    def argpartition(
        self: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
    ) -> Any:
        """Indices that partition along an axis."""
        options.check_order(kind, order, "argpartition", "i")
        x, axis = _with_an_axis(self, axis)
        return sorting.argpartition(x, kth, axis=axis)

    def searchsorted(self: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Where `v` would be inserted into this sorted 1-d tensor."""
        return searching.searchsorted(self, v, side=side, sorter=sorter)

    def nonzero(self: Any) -> tuple[Any, ...]:
        """Indices of the non-zero elements, one tensor per dimension."""
        return searching.nonzero(self)

    def take(
        self: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
    ) -> Any:
        """Elements at the indices along an axis (of the flat tensor if None)."""
        x, axis = _with_an_axis(self, axis)
        if out is None and mode == "raise":
            found = taken(indexing.TAKE, x, indices, axis)
            if found is not None:
                return found
        found = indexing.take_mode(x, _cut(indices), axis=axis, mode=mode)
        return _store(out, found, "take")

    def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write values at flat indices."""
        indexing.put(self, indices, values, mode=mode)

    def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """Slices along an axis where the condition is true."""
        x, axis = _with_an_axis(self, axis)
        mask = creation.asarray(condition)._array
        if mask.ndim != 1:
            raise ShapeError(
                f"compress: the condition must have one dimension, its shape is {mask.shape}"
            )
        chosen = np.nonzero(mask)[0]
        return _store(out, indexing.take(x, wrap(chosen), axis=axis), "compress")

    def choose(self: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        """Elements of the choice that each of these indices names."""
        return _store(out, selecting.choose(self, choices, mode=mode), "choose")

    # -- memory -----------------------------------------------------------------------------------

    @property
    def flat(self: Any) -> Any:
        """The tensor in one dimension; writing to it writes here if it is contiguous."""
        return flat_view.FlatView(self)

    @flat.setter
    def flat(self: Any, value: Any) -> None:
        flat_view.FlatView(self)[:] = value


def _with_an_axis(x: Any, axis: int | None) -> tuple[Any, int]:
    """A tensor and the axis to go along: None means the flat tensor, and so does no axis."""
    if axis is None:
        return x.ravel(), 0
    return (x if x._array.ndim else x.ravel()), axis


def _is_ordered(array: Any, order: Any) -> bool:
    """Whether memory lies as ``order=`` of astype asks; K asks for nothing."""
    if order in ("K", None):
        return True
    flags = array.flags
    return bool(flags.c_contiguous if order == "C" else order == "F" and flags.f_contiguous)


def _order_of_axes(array: Any, order: Any, visits: bool = False) -> tuple[int, ...] | None:
    """The axes from the slowest to the fastest in a copy; None if that is the order they have.

    `visits`: in one dimension, where axes along which elements repeat stay behind their followers.
    """
    if order not in ("C", "F", "A", "K"):
        order = options.memory_order(order, "a tensor's method")
    if order == "C" or type(array) is not np.ndarray or array.ndim < 2:
        return None
    if order != "F" and array.flags.c_contiguous:
        return None
    axes = tuple(range(array.ndim))
    if order == "F" or array.flags.f_contiguous:
        return axes[::-1]
    if order == "A":
        return None
    if visits and 0 in array.strides:
        slowest_first = _order_of_visits(array.strides)
    else:
        slowest_first = tuple(sorted(axes, key=lambda i: -abs(array.strides[i])))
    return None if slowest_first == axes else slowest_first


def _order_of_visits(strides: tuple[int, ...]) -> tuple[int, ...]:
    """As np.nditer sorts axes: by insertion, where a stride of 0 is neither less nor greater."""
    fastest_first: list[int] = []
    for axis in reversed(range(len(strides))):
        step, place = abs(strides[axis]), len(fastest_first)
        for i in reversed(range(place)):
            other = abs(strides[fastest_first[i]])
            if step and other:
                if other <= step:
                    break
                place = i
        fastest_first.insert(place, axis)
    return tuple(fastest_first[::-1])


def _unpermuted(x: Any, axes: tuple[int, ...]) -> Any:
    """The axes of a C-contiguous copy back in their places; a view."""
    return manipulation.permute_dims(x, tuple(int(i) for i in np.argsort(axes)))


def _item(array: Any, args: tuple[Any, ...]) -> Any:
    try:
        return array.item(*args)
    except IndexError as error:
        raise IndexOutOfRangeError(f"item: {error} (shape {array.shape})") from error
    except ValueError as error:
        raise ArgumentError(
            f"item{args}: {error} (shape {array.shape}); give one index, or one for each dimension"
        ) from error
    except OverflowError as error:
        raise IndexOutOfRangeError(f"item{args}: {error} (shape {array.shape})") from error
    except TypeError as error:
        raise ArgumentTypeError(f"item{args}: {error}; give integers") from error


def _nested(x: Any) -> Any:
    """Scalars in lists as deep as x has dimensions."""
    return x[()] if not x._array.ndim else [_nested(item) for item in x]
