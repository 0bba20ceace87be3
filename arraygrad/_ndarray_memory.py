"""NumPy's ndarray attributes and methods that are about memory: its owner, bytes, fields, files.

Bytes carry no derivative: what would read or change those of a tracked tensor is refused.
"""

from __future__ import annotations

import pickle
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import numpy as np

from ._apply import geometry_in, node_of, wrap
from ._dtypes import DTypeLike
from ._errors import ArgumentError, ArgumentTypeError, GradientError, ReadOnlyError, out_of_memory
from ._lazy import LazyModule
from ._storage import Family, TensorBase, join_family

if TYPE_CHECKING:
    from . import _detach as detach, _writes as writes
    from .interop import numpy_protocol
    from .ops import views
else:  # imported when the first method asks: most programs need few of them
    detach = LazyModule("arraygrad._detach")
    writes = LazyModule("arraygrad._writes")
    numpy_protocol = LazyModule("arraygrad.interop.numpy_protocol")
    views = LazyModule("arraygrad.ops.views")


class Flags:
    """What ``x.flags`` is: NumPy's flags of the tensor's array, set on this tensor alone.

    The array is that of detached tensors, of the storage and of graphs too.
    """

    __slots__ = ("_tensor",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tensor: Any) -> None:
        object.__setattr__(self, "_tensor", tensor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tensor._array.flags, name)

    def __getitem__(self, key: str) -> bool:
        return self._tensor._array.flags[key]  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: Any) -> None:
        option = _SETTABLE.get(name)
        if option is None:
            raise AttributeError(f"the flag {name!r} cannot be set; it follows from the memory")
        self._tensor.setflags(**{option: bool(value)})

    def __setitem__(self, key: str, value: Any) -> None:
        name = _FLAG_NAMES.get(key)
        if name is None:
            raise KeyError(f"there is no flag {key!r} that can be set; use 'WRITEABLE'")
        setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        return bool(getattr(other, "num", None) == self.num)

    def __repr__(self) -> str:
        return repr(self._tensor._array.flags)


_SETTABLE = {"writeable": "write", "aligned": "align", "writebackifcopy": "uic"}
_FLAG_NAMES = {
    "WRITEABLE": "writeable", "W": "writeable", "ALIGNED": "aligned", "A": "aligned",
    "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
}  # fmt: skip


class NdarrayMemory(TensorBase):
    """Mix-in with what ndarray says of its memory; `self` is a Tensor, defined above this."""

    __slots__ = ()

    def __class_getitem__(cls, item: Any, /) -> GenericAlias:
        try:
            np.ndarray[item]
        except TypeError as error:
            raise ArgumentTypeError(f"{cls.__name__}[shape, dtype]: {error}") from error
        return GenericAlias(cls, item)

    def __delitem__(self, key: Any, /) -> None:
        raise ArgumentError("elements cannot be deleted; use np.delete(x, indices)")

    @property
    def base(self: Any) -> Any:
        """The tensor whose memory this one views; None for one that owns its memory."""
        family = self._family
        return None if family is None else _base(self, family)

    def setflags(
        self: Any, write: bool | None = None, align: bool | None = None, uic: bool | None = None
    ) -> None:
        """Make the tensor read-only or writeable again; the other flags can only be confirmed."""
        own = self._array[...]  # a storage and graphs have the array too
        try:
            # NumPy takes a view's base away for uic=False, and the memory with it.
            own.setflags(write=write, align=align, uic=uic or None)
            if own.flags.writeable is not self._array.flags.writeable:
                self._array = own
        except ValueError as error:
            raise ReadOnlyError(
                f"setflags: {error}: the memory is borrowed or repeated; use x.copy()"
            ) from error

    @property
    def ctypes(self: Any) -> Any:
        """NumPy's object for the ctypes module, over the same memory; refused while tracked."""
        detach.may_detach(self, "x.ctypes")
        return numpy_protocol.to_ndarray(self, None, None).ctypes

    # -- bytes ------------------------------------------------------------------------------------

    def byteswap(self: Any, inplace: bool = False) -> Any:
        """The tensor with the bytes of each element reversed; refused while tracked."""
        _refuse_tracked(self, "byteswap")
        try:
            swapped = wrap(self._array.byteswap())
        except MemoryError as error:
            raise out_of_memory("byteswap", error) from error
        if not inplace:
            return swapped
        writes.assign(self, swapped, "byteswap(inplace=True)")
        return self

    def getfield(self: Any, dtype: DTypeLike, offset: int = 0) -> Any:
        """A view of some bytes of each element; with gradients for parts of complex numbers."""
        return views.view_field(self, dtype, offset)

    def setfield(self: Any, val: Any, dtype: DTypeLike, offset: int = 0) -> None:
        """Write some bytes of each element; with gradients for parts of complex numbers."""
        writes.assign(views.view_field(self, dtype, offset), val, "setfield")

    # -- files ------------------------------------------------------------------------------------

    def tofile(self: Any, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the bytes, or the numbers as text, to a file; refused while tracked."""
        detach.may_detach(self, "tofile()")
        self._array.tofile(fid, sep=sep, format=format)

    def dumps(self: Any) -> bytes:
        """The pickled tensor, for pickle.loads; refused for results that carry a gradient."""
        try:
            return pickle.dumps(self, protocol=2)
        except MemoryError as error:
            raise out_of_memory("dumps", error) from error

    def dump(self: Any, file: Any) -> None:
        """Pickle the tensor to a file, given open or by its name."""
        pickled = self.dumps()
        if hasattr(file, "write"):
            file.write(pickled)
            return
        with open(file, "wb") as stream:
            stream.write(pickled)


def _refuse_tracked(x: Any, what: str) -> None:
    if node_of(x) is not None:
        raise GradientError(
            f"{what}: the bytes of a tensor that carries a gradient have no derivative; use "
            "x.detach() first"
        )


def _base(x: Any, family: Family) -> Any:
    """The tensor over the whole memory that the family knows: a living one, or a new one.

    A detached view is the base of a family of its own; its memory still belongs to another.
    """
    storage = family.storage
    own = geometry_in(family, x._array)
    members = [(t, geometry_in(family, t._array)) for t in storage.tensors()]
    whole = [t for t, geometry in members if geometry == family.base and t._family is family]
    if own != family.base:
        return whole[0] if whole else _new_base(x, family)
    if whole and whole[0] is not x:
        return whole[0]
    memory = geometry_in(family, storage._array)
    owner = next((t for t, geometry in members if geometry == memory), x)
    return None if owner is x else owner


def _new_base(x: Any, family: Family) -> Any:
    """A tensor in the place of a base that nobody holds any more."""
    whole, array = family.base, family.storage._array
    if geometry_in(family, array) != whole:
        return None  # the base of a detached view, which only the view itself reaches
    out = wrap(array)
    join_family(out, x)
    out._node = family.node
    return out


def set_strides(x: Any, strides: tuple[int, ...]) -> None:
    """x.strides = strides, as NumPy's, within the memory of x and its base."""
    _refuse_tracked(x, "x.strides = strides")
    if not isinstance(strides, tuple | list):
        raise ArgumentTypeError(f"x.strides = {strides!r}: give a tuple of integers (bytes)")
    _become(x, views.as_strided(x, x._array.shape, tuple(strides)))


def set_dtype(x: Any, dtype: DTypeLike) -> None:
    """x.dtype = dtype: the same bytes read as another dtype."""
    _refuse_tracked(x, "x.dtype = dtype")
    _become(x, views.view_dtype(x, dtype))


def _become(x: Any, viewed: Any) -> None:
    x._array, x._node = viewed._array, viewed._node
    x._family, x._epoch = viewed._family, viewed._epoch
    x._family.storage.add(x)
