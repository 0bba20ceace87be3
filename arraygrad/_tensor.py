"""The Tensor: attributes, autograd and protocols, each a few lines over the functions in ops/.

Scalars (results of full indexing and full reductions) are tensors too, with NumPy's scalar
semantics: in-place operators rebind, they hash, and they never share memory.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _apply, _special_methods
from ._apply import detached, node_of, register_types, wrap
from ._device import CPU, Device, as_device
from ._dtypes import is_differentiable
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    ExportError,
    GradientError,
    IndexOutOfRangeError,
    ShapeError,
)
from ._graph import LIFTED_MARK
from ._layout import Shape, normalize_axis
from ._lazy import Absent, LazyModule, lazy_mixin
from ._special_methods import BESIDE_SCALARS, ScalarOperators, SpecialMethods
from ._storage import Storage, TensorBase, family_of

if TYPE_CHECKING:
    from . import (
        _detach as detach,
        _formulas as formulas,
        _ndarray_memory as ndarray_memory,
        _ndarray_methods as ndarray_methods,
        _writes as writes,
    )
    from ._ndarray_memory import NdarrayMemory
    from ._ndarray_methods import NdarrayMethods
    from .autograd import hooks, reverse
    from .interop import dlpack, numpy_protocol
    from .ops import devices, parts, products, shapes, views
else:  # imported when the first method asks: most programs need few of them
    detach = LazyModule("arraygrad._detach")
    formulas = LazyModule("arraygrad._formulas")
    ndarray_memory = LazyModule("arraygrad._ndarray_memory")
    ndarray_methods = LazyModule("arraygrad._ndarray_methods")
    writes = LazyModule("arraygrad._writes")
    hooks = LazyModule("arraygrad.autograd.hooks")
    reverse = LazyModule("arraygrad.autograd.reverse")
    dlpack = LazyModule("arraygrad.interop.dlpack")
    numpy_protocol = LazyModule("arraygrad.interop.numpy_protocol")
    devices = LazyModule("arraygrad.ops.devices")
    parts = LazyModule("arraygrad.ops.parts")
    products = LazyModule("arraygrad.ops.products")
    shapes = LazyModule("arraygrad.ops.shapes")
    views = LazyModule("arraygrad.ops.views")


def _name_as_tensors(mixin: type) -> None:
    """Give methods the names by which Python's errors, help() and pickle show them: Tensor's."""
    for method in vars(mixin).values():
        if isinstance(method, FunctionType):
            method.__module__ = __name__
            method.__qualname__ = f"Tensor.{method.__name__}"


_NDARRAY_METHODS = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip",
    "compress", "conj", "conjugate", "copy", "cumprod", "cumsum", "diagonal", "dot", "expand",
    "fill", "flat", "flatten", "item", "max", "mean", "min", "nonzero", "partition", "permute",
    "prod", "put", "ravel", "repeat", "reshape", "resize", "round", "searchsorted", "sort",
    "squeeze", "std", "sum", "swapaxes", "take", "tobytes", "tolist", "trace", "transpose",
    "unsqueeze", "var",
)  # fmt: skip
_NDARRAY_MEMORY = (
    "__class_getitem__", "__delitem__", "base", "byteswap", "ctypes", "dump", "dumps",
    "getfield", "setfield", "setflags", "tofile",
)  # fmt: skip
if not TYPE_CHECKING:
    NdarrayMethods = lazy_mixin(
        "arraygrad._ndarray_methods.NdarrayMethods", TensorBase, _NDARRAY_METHODS, _name_as_tensors
    )
    NdarrayMemory = lazy_mixin(
        "arraygrad._ndarray_memory.NdarrayMemory", TensorBase, _NDARRAY_MEMORY, _name_as_tensors
    )

_ASKING_FOR_OTHERS = frozenset({"abc", "typing"})


class Tensor(SpecialMethods, NdarrayMethods, NdarrayMemory):
    """A NumPy-compatible array that can carry gradients.

    Made by ``ag.tensor(...)``, ``ag.asarray(...)`` and the other creation functions.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4., 6.])
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __new__(cls, *args: object, **kwargs: object) -> Tensor:
        raise ArgumentTypeError("make a tensor with ag.tensor(data) or ag.asarray(data)")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The type; in lifted code NumPy's, as ``type(x)`` is there."""
        namespace = sys._getframe(1).f_globals
        if LIFTED_MARK in namespace:
            return namespace["__builtins__"]["type"](self)
        if namespace.get("__name__") in _ASKING_FOR_OTHERS:  # for ``case numbers.Real():``
            frame: Any = sys._getframe(1)
            while (
                frame.f_globals.get("__name__") in _ASKING_FOR_OTHERS and frame.f_back is not None
            ):
                frame = frame.f_back
            if LIFTED_MARK in frame.f_globals:
                return frame.f_globals["__builtins__"]["type"](self)
        return type(self)

    # -- shape and memory -------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type, a NumPy dtype; setting it reads the same bytes as another one."""
        return self._array.dtype  # type: ignore[no-any-return]

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        ndarray_memory.set_dtype(self, dtype)

    @property
    def shape(self) -> Shape:
        """Sizes of the dimensions; setting them re-views the memory."""
        return self._array.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: Any) -> None:
        node = node_of(self)
        if node is not None and formulas.is_leaf_node(node):
            raise GradientError(
                "the shape of a leaf that requires grad cannot be set; use y = x.reshape(shape)"
            )
        viewed = views.view_as(self, ndarray_methods._shape_arguments((shape,)))
        if viewed._family is None:  # of a scalar, which no view shares its memory with
            if viewed._array.ndim:
                raise ShapeError("a scalar has no dimensions to set; use y = x.reshape(shape)")
            return
        self._array, self._node = viewed._array, viewed._node
        self._family, self._epoch = viewed._family, viewed._epoch

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._array.size  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes  # type: ignore[no-any-return]

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bytes, as in NumPy; `stride()` gives elements. They can be set."""
        return self._array.strides  # type: ignore[no-any-return]

    @strides.setter
    def strides(self, strides: Any) -> None:
        ndarray_memory.set_strides(self, strides)

    @property
    def flags(self) -> Any:
        """Memory layout flags, as in NumPy; `writeable` can be set."""
        return ndarray_memory.Flags(self)

    @property
    def device(self) -> Device:
        """Where the memory lives."""
        array = self._array
        return CPU if type(array) is np.ndarray else array.device

    def to_device(self, device: Device | str, /, *, stream: Any = None) -> Tensor:
        """The tensor on another device; the tensor itself if it is there already."""
        target = as_device(device)
        if stream is not None:
            raise ArgumentError("stream: there are no streams here; leave it None")
        return self if target == self.device else devices.to_device(self, target)

    def stride(self, axis: int | None = None) -> Any:
        """Strides in elements: a tuple, or that of one axis."""
        strides = tuple(s // self._array.itemsize for s in self._array.strides)
        return strides if axis is None else strides[normalize_axis(axis, len(strides))]

    def storage(self) -> Storage:
        """The memory below this tensor, which its views share."""
        return family_of(self).storage

    def storage_offset(self) -> int:
        """Elements between the start of the storage and the first element of this tensor."""
        start = self.storage().data_ptr()
        return (self.data_ptr() - start) // int(self._array.itemsize)

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(self._array.__array_interface__["data"][0])

    def is_contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return bool(self._array.flags.c_contiguous)

    def contiguous(self) -> Tensor:
        """The tensor itself if it is contiguous, else a contiguous copy."""
        return self if self._array.flags.c_contiguous else self.copy()

    def view(self, *shape: Any, dtype: Any = None) -> Any:
        """A view of the memory under another shape or dtype; never a copy.

        ``x.view(dtype)`` reinterprets the bytes as NumPy does, ``x.view(*shape)`` refuses where
        the strides do not allow the shape, ``x.view()`` is a new tensor over the same memory.
        """
        if dtype is None and len(shape) == 1 and not isinstance(shape[0], int | tuple | list):
            kind = getattr(shape[0], "_real", shape[0])
            if isinstance(kind, type) and issubclass(kind, TensorBase | np.ndarray):
                if kind is not np.ndarray and not issubclass(kind, TensorBase):
                    what = f"a view as {kind.__name__}, which is derived from np.ndarray,"
                    detach.may_detach(self, what)
                    return self._array.view(kind)
                shape = ()
            else:
                dtype, shape = shape[0], ()
        if dtype is not None:
            return views.view_dtype(self, dtype)
        if not shape:
            return views.view_as(self, self._array.shape)
        return views.view_as(self, ndarray_methods._shape_arguments(shape))

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions reversed; a view."""
        return shapes.transposed(self)  # type: ignore[no-any-return]

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions exchanged; a view."""
        return products.matrix_transpose(self)

    @property
    def real(self) -> Tensor:
        """The real part; a view."""
        return parts.real(self)

    @real.setter
    def real(self, value: Any) -> None:
        writes.assign(parts.real(self), value, "x.real = value")

    @property
    def imag(self) -> Tensor:
        """The imaginary part; a view for complex dtypes, else zeros that cannot be written."""
        imaginary = parts.imag(self)
        if self._array.dtype.kind != "c":
            imaginary._array.flags.writeable = False
        return imaginary

    @imag.setter
    def imag(self, value: Any) -> None:
        writes.assign(self.imag, value, "x.imag = value")

    # -- autograd ---------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return node_of(self) is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Make this tensor a leaf whose gradient is wanted (or not); returns the tensor."""
        node = node_of(self)
        if requires_grad:
            if node is None:
                if not is_differentiable(self._array.dtype):
                    raise GradientError(
                        f"only floating-point and complex tensors carry gradients, not {self.dtype}"
                        "; convert first, x.astype(float)"
                    )
                self._start_history(formulas.make_leaf(self))
        elif node is not None:
            if not formulas.is_leaf_node(node):
                raise GradientError(
                    "requires_grad can be switched off only for leaves; use y.detach() for a "
                    "tensor without history"
                )
            self._start_history(None)
        return self

    def _start_history(self, node: Any) -> None:
        """Cut this tensor off its family's history; it keeps its memory."""
        family = self._family
        if family is None:
            self._node = node
        elif family.base == _apply.geometry_in(family, self._array):
            family.node = node
            family.epoch += 1
            self._node = node
            self._epoch = family.epoch
        else:
            fresh = detached(self)
            self._family = fresh._family
            self._epoch = 0
            self._node = node
            assert self._family is not None
            self._family.node = node

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this value."""
        node = node_of(self)
        return node is None or formulas.is_leaf_node(node)

    @property
    def grad_fn(self) -> Any:
        """The graph node that made this value (``MulBackward``), or None for a leaf."""
        return hooks.grad_fn(self)

    @property
    def grad(self) -> Tensor | None:
        """Gradient accumulated by backward(); of results only after `retain_grad`."""
        try:
            found: Tensor | None = self._grad
        except AttributeError:  # nothing was ever there
            found = None
        if found is not None:
            return found
        node = node_of(self)
        if node is not None and not formulas.is_leaf_node(node):
            hooks.warn_of_missing_grad(self)
        return None

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise ArgumentTypeError("grad must be a tensor or None; use ag.asarray(value)")
            if value.shape != self.shape:
                raise ShapeError(f"grad has shape {value.shape}, the tensor {self.shape}")
        self._grad = value

    @property
    def data(self) -> Tensor:
        """A tensor over the same memory that carries no gradient; writing to it is not recorded."""
        return detached(self)  # type: ignore[no-any-return]

    @data.setter
    def data(self, value: Any) -> None:
        # `x.data -= step` has written already when it gets here.
        if not (isinstance(value, TensorBase) and value._array is self._array):
            self.data[...] = value

    @property
    def _version(self) -> int:
        """Number of in-place writes to the memory so far."""
        return 0 if self._family is None else self._family.storage.version

    def detach(self) -> Tensor:
        """A tensor over the same memory that carries no gradient."""
        return detached(self)  # type: ignore[no-any-return]

    def detach_(self) -> Tensor:
        """Forget this tensor's history; it keeps its memory. Returns the tensor."""
        self._start_history(None)
        return self

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add d self / d leaf to the grad of every leaf that this value depends on.

        Parameters
        ----------
        gradient : Tensor, optional
            Cotangent of this tensor; 1 for a real tensor of one element.
        retain_graph : bool, optional
            Keep what was saved, so that backward can run again; `create_graph` by default.
        create_graph : bool
            Record the computation of the gradients, for higher derivatives.
        inputs : Tensor or sequence of Tensor, optional
            Accumulate into these only.
        """
        reverse.backward(self, gradient, retain_graph, create_graph, inputs)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in its grad."""
        hooks.retain_grad(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any:
        """Call `hook` with the gradient of this tensor; what it returns replaces it."""
        return hooks.register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Any:
        """Call `hook` with this leaf after its grad has been accumulated."""
        return hooks.register_post_accumulate_grad_hook(self, hook)

    # -- protocols --------------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module arraygrad, which is an Array API namespace; in lifted code NumPy's names."""
        if api_version not in _API_VERSIONS:
            raise ArgumentError(
                f"api_version={api_version!r} is not supported; use one of {_API_VERSIONS[1:]}"
            )
        lifted = LIFTED_MARK in sys._getframe(1).f_globals
        return importlib.import_module("arraygrad.numpy") if lifted else sys.modules["arraygrad"]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        detach.may_detach(self, "conversion to a NumPy array (__array__)")
        return numpy_protocol.to_ndarray(self, dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        keep_protocols()
        return numpy_protocol.array_ufunc(self, ufunc, method, *inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        keep_protocols()
        return numpy_protocol.array_function(self, func, types, args, kwargs)

    def numpy(self) -> Any:
        """The values as a NumPy array that shares memory; refused while tracked."""
        detach.may_detach(self, "numpy()")
        return numpy_protocol.to_ndarray(self, None, None)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        detach.may_detach(self, "DLPack export", ExportError)
        return dlpack.export(
            self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.device_of(self)

    def __copy__(self) -> Tensor:
        return self.copy()  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        node = node_of(self)
        # In lifted code a copy of an argument is computed from it, be it a leaf or not.
        if (
            node is not None
            and formulas.is_leaf_node(node)
            and not detach.is_lifted(sys._getframe(1))
        ):
            out: Tensor = wrap(self._array.copy())
            out.requires_grad_()
            if self.grad is not None:
                out.grad = self.grad.copy()
        else:
            out = self.copy()
        memo[id(self)] = out
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        node = node_of(self)
        if node is not None and not formulas.is_leaf_node(node):
            detach.may_detach(self, "pickling")
            node = None
        return _rebuild, (np.array(self._array), node is not None, isinstance(self, Scalar))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _ABSENT]


def keep_protocols() -> None:
    """Make the protocols themselves the class's methods, now that NumPy has asked for one."""
    Tensor.__array_ufunc__ = numpy_protocol.array_ufunc  # type: ignore[method-assign, assignment]
    Tensor.__array_function__ = numpy_protocol.array_function  # type: ignore[method-assign, assignment]


class Scalar(ScalarOperators, Tensor):
    """A 0-d tensor with NumPy's scalar semantics: in-place operators rebind, and it hashes."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        value = hash(self._array[()])
        if self._node is not None:
            detach.note_key(self, value)
        return value

    def _all_differ(self, other: Any, answer: bool) -> Any:
        return NotImplemented  # as any object's

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            super().__setitem__(key, value)
        except IndexOutOfRangeError as error:
            # By NumPy's TypeError code tells numbers from arrays.
            raise ArgumentTypeError(
                "a scalar has no items to assign to; write s[...] = value, or make an array of it, "
                "np.atleast_1d(s)"
            ) from error

    def __round__(self, ndigits: int | None = None) -> Any:
        # As NumPy's: an integer without ndigits. Its derivative is zero: nothing is lost.
        return int(super().__round__()) if ndigits is None else super().__round__(ndigits)

    def is_integer(self) -> bool:
        """Whether the value is whole, as NumPy's numbers say."""
        return self._array[()].is_integer()  # type: ignore[no-any-return]

    def as_integer_ratio(self) -> tuple[int, int]:
        """Numerator and denominator of the value, which carry no gradient."""
        detach.may_detach(self, "as_integer_ratio()")
        return self._array[()].as_integer_ratio()  # type: ignore[no-any-return]

    def hex(self) -> str:
        """The value as text in hexadecimal digits, which carries no gradient."""
        detach.may_detach(self, "hex()")
        return float(self._array[()]).hex()

    def __iadd__(self, other: Any, /) -> Any:
        return self + other

    def __isub__(self, other: Any, /) -> Any:
        return self - other

    def __imul__(self, other: Any, /) -> Any:
        return self * other

    def __itruediv__(self, other: Any, /) -> Any:
        return self / other

    def __ifloordiv__(self, other: Any, /) -> Any:
        return self // other

    def __imod__(self, other: Any, /) -> Any:
        return self % other

    def __ipow__(self, other: Any, /) -> Any:
        return self**other

    def __iand__(self, other: Any, /) -> Any:
        return self & other

    def __ior__(self, other: Any, /) -> Any:
        return self | other

    def __ixor__(self, other: Any, /) -> Any:
        return self ^ other

    def __ilshift__(self, other: Any, /) -> Any:
        return self << other

    def __irshift__(self, other: Any, /) -> Any:
        return self >> other


BESIDE_SCALARS.add(Scalar)

_API_VERSIONS = (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def _rebuild(array: Any, requires_grad: bool, scalar: bool) -> Tensor:
    out: Tensor = wrap(array[()] if scalar else array)
    if requires_grad:
        out.requires_grad_()
    return out


# Methods of PyTorch's and JAX's arrays, for which `_hints` says what to type.
_ABSENT = frozenset({
    "abs", "add", "add_", "addmm", "at", "block_until_ready", "bmm", "bool", "chunk", "clamp",
    "clone", "copy_", "cos", "cpu", "cuda", "dim", "div", "div_", "double", "element_size",
    "eq", "exp", "fill_", "float", "floor", "gather", "gt", "half", "index_add_",
    "index_select", "int", "is_cuda", "log", "logsumexp", "long", "lt", "masked_fill",
    "masked_select", "matmul", "mm", "mul", "mul_", "nelement", "new_ones", "new_zeros", "norm",
    "numel", "outer", "pow", "relu", "repeat_interleave", "scatter_add_", "sigmoid", "sign",
    "sin", "softmax", "split", "sqrt", "sub", "sub_", "t", "tanh", "to", "type", "type_as",
    "unbind", "zero_", "zero_grad",
})  # fmt: skip
for _name in _ABSENT:
    setattr(Tensor, _name, Absent(_name))

register_types(Tensor, Scalar)
_special_methods.register_types(Tensor)

_name_as_tensors(SpecialMethods)
_special_methods.compile_operators()
