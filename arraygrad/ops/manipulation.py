"""Shapes and order: reshape, permute_dims, concat, stack, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._apply import operand, view
from .._dispatch import register_kernel
from .._errors import ShapeError
from .._layout import as_shape, infer_size
from .._op import Linear, Op, declare

if TYPE_CHECKING:
    from .._tensor import Tensor

RESHAPE = declare(
    Op("reshape", ("x",), Linear(x=lambda g, x_shape: reshape(g, x_shape)), family="view",
       scalar=False)
)  # fmt: skip
register_kernel("reshape", lambda x, *, shape: x.reshape(shape))


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in C order under another shape.

    Parameters
    ----------
    x : Tensor
    shape : tuple of int
        One size may be -1 and is inferred.
    copy : bool, optional
        True always copies, False raises if a copy is needed, None copies only if needed.

    Returns
    -------
    Tensor
        A view where strides allow it.

    Notes
    -----
    Derivative: the reshape back.
    """
    x = operand(x, "reshape")
    if not isinstance(shape, tuple):
        shape = tuple(shape) if isinstance(shape, list) else as_shape(shape)
    target = infer_size(shape, x._array.size)
    if copy is False:
        try:
            x._array.reshape(target, copy=False)
        except ValueError as error:
            raise ShapeError(
                f"reshape to {target} needs a copy: strides {x._array.strides} do not allow a "
                "view; leave copy=None, or x.contiguous() first"
            ) from error
    out = view(RESHAPE, x, shape=target)
    if copy and out._family is not None:
        return out.copy()
    return out
