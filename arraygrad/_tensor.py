"""The Tensor: attributes, operators and methods, each a line over the functions in ops/.

Scalars (results of full indexing and full reductions) are tensors too, with NumPy's scalar
semantics: in-place operators rebind, they hash, and they never share memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _apply, _engine, _graph
from ._apply import BROADCAST_TO, cast, detached, node_of, register_types, view, wrap
from ._device import CPU, Device
from ._dtypes import DTypeLike, as_dtype, is_differentiable
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    DetachError,
    GradientError,
    ShapeError,
)
from ._layout import Shape
from ._storage import Family, Storage, TensorBase, family_of, mark_saved, pin
from ._writes import assign, update
from .ops import arithmetic, indexing, manipulation, statistical
from .ops.arithmetic import ADD, DIVIDE, MULTIPLY, SUBTRACT


class Tensor(TensorBase):
    """A NumPy-compatible array that can carry gradients.

    Made by ``ag.tensor(...)``, ``ag.asarray(...)`` and the other creation functions.
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __new__(cls, *args: object, **kwargs: object) -> Tensor:
        raise ArgumentTypeError("make a tensor with ag.tensor(data) or ag.asarray(data)")

    # -- memory -----------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type, a NumPy dtype."""
        return self._array.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> Shape:
        """Sizes of the dimensions."""
        return self._array.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._array.size  # type: ignore[no-any-return]

    @property
    def device(self) -> Device:
        """Where the memory lives."""
        return CPU

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions reversed; a view."""
        return manipulation.permute_dims(self, tuple(range(self.ndim))[::-1])

    # -- autograd ---------------------------------------------------------------------------

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
                self._start_history(_engine.make_leaf(self))
        elif node is not None:
            if not _engine.is_leaf_node(node):
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
        elif family.base == _apply._geometry_in(family, self._array):
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
        return node is None or _engine.is_leaf_node(node)

    @property
    def grad(self) -> Tensor | None:
        """Gradient accumulated by backward()."""
        return getattr(self, "_grad", None)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise ArgumentTypeError("grad must be a tensor or None; use ag.asarray(value)")
            if value.shape != self.shape:
                raise ShapeError(f"grad has shape {value.shape}, the tensor {self.shape}")
        self._grad = value

    def detach(self) -> Tensor:
        """A tensor over the same memory that carries no gradient."""
        return detached(self)  # type: ignore[no-any-return]

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add d self / d leaf to the grad of every leaf that this value depends on."""
        node = node_of(self)
        if node is None:
            raise GradientError("this tensor carries no gradient: nothing requires_grad")
        if gradient is None:
            if self.size != 1 or self.dtype.kind == "c":
                raise GradientError(
                    f"backward() of a {self.dtype} tensor of shape {self.shape} needs a gradient "
                    "of that shape; or reduce to a real number first, e.g. y.sum().backward()"
                )
            gradient = wrap(np.ones(self.shape, self.dtype))
        keep = create_graph if retain_graph is None else retain_graph
        _engine.run_backward([(node, gradient)], create_graph, keep)

    # -- operators --------------------------------------------------------------------------

    def __add__(self, other: Any, /) -> Tensor:
        return arithmetic.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any, /) -> Tensor:
        return arithmetic.subtract(self, other)

    def __mul__(self, other: Any, /) -> Tensor:
        return arithmetic.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any, /) -> Tensor:
        return arithmetic.divide(self, other)

    def __neg__(self) -> Tensor:
        return arithmetic.negative(self)

    def __iadd__(self, other: Any, /) -> Tensor:
        return update(ADD, self, other, "x += value")  # type: ignore[no-any-return]

    def __imul__(self, other: Any, /) -> Tensor:
        return update(MULTIPLY, self, other, "x *= value")  # type: ignore[no-any-return]

    def __getitem__(self, key: Any, /) -> Tensor:
        return indexing.getitem(self, key)  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        indexing.setitem(self, key, value)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise ArgumentTypeError("iteration over a 0-d tensor; use x.item() or x[()]")
        return (self[i] for i in range(len(self._array)))

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
        return statistical.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def copy(self, order: str = "C") -> Tensor:
        return _apply.apply(_apply.CAST, self, dtype=self.dtype)  # type: ignore[no-any-return]

    def reshape(self, *shape: Any) -> Tensor:
        return manipulation.reshape(
            self, shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        )

    def __repr__(self) -> str:
        return repr(self._array).replace("array", "tensor", 1)


class Scalar(Tensor):
    """A 0-d tensor with NumPy's scalar semantics."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self._array[()])

    def __iadd__(self, other: Any, /) -> Tensor:
        return self + other

    def __imul__(self, other: Any, /) -> Tensor:
        return self * other


register_types(Tensor, Scalar)
