"""Products of vectors, matrices and tensors, and the views that go with them.

matmul, tensordot, vecdot, outer, cross, matrix_transpose, diagonal, trace. One kernel, matmul,
does the contractions; the others bring their arguments into its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import (
    BROADCAST_TO,
    SUM_TO,
    apply,
    cast,
    node_of,
    operand,
    record,
    view,
    viewed,
    wrap_result,
)
from .._cotangents import absorbs, conj, times
from .._dispatch import in_single_precision, lookup, register_kernel
from .._dtypes import DTypeLike, promote
from .._engine import RAW_PULL
from .._errors import ArgumentError, DTypeError, ShapeError, out_of_memory
from .._graph import ATTRIBUTES, INPUTS, OBSERVERS, OP, VALUES, Node, Packed, is_grad_enabled
from .._layout import Shape, as_integer, broadcast_shapes, normalize_axis
from .._op import Bilinear, Linear, Op, Rule, declare
from .._short import product
from .._storage import TensorBase, empty
from . import manipulation, statistical, views
from .absorbing_products import absorbing_matmul, is_settled
from .arithmetic import multiply
from .manipulation import reshape
from .views import PUT_DIAGONAL

if TYPE_CHECKING:
    from .._tensor import Tensor


# -- shared by the whole of linear algebra --------------------------------------------------------


def sum_to(g: Any, shape: Shape) -> Any:
    """The cotangent summed over the dimensions that were broadcast from `shape`."""
    return g if g._array.shape == shape else apply(SUM_TO, g, shape=shape)


def adjoint(x: Any) -> Any:
    """The conjugate transpose of the matrices."""
    return conj(matrix_transpose(x))


def together(x1: Any, x2: Any, function: str) -> tuple[Any, Any]:
    """Two operands as tensors of one dtype."""
    if not isinstance(x1, TensorBase):
        x1 = operand(x1, function, 1)
    if not isinstance(x2, TensorBase):
        x2 = operand(x2, function, 2)
    if x1._array.dtype is not x2._array.dtype:
        dtype = promote(x1._array.dtype, x2._array.dtype)
        x1, x2 = cast(x1, dtype), cast(x2, dtype)
    return x1, x2


# -- matmul ---------------------------------------------------------------------------------------


def _matmul_kernel(x1: Any, x2: Any) -> Any:
    if x1.ndim <= 2 and x2.ndim <= 2:
        return x1.dot(x2)  # a fifth of matmul's call overhead, and never its slow loops
    if x2.ndim == 2:
        if x1.ndim > 2 and x1.flags.c_contiguous:
            # One product for the whole stack.
            out = np.dot(x1.reshape(prod(x1.shape[:-1]), x1.shape[-1]), x2)
            return out.reshape(*x1.shape[:-1], x2.shape[1])
    return np.matmul(x1, x2)


_matmul_kernel.short = np.ndarray.dot  # type: ignore[attr-defined]


def _matmul_cotangent1(g: Any, x2: Any, x1_shape: Shape) -> Any:
    b = x2._array
    if len(x1_shape) == 2 and b.ndim == 2:
        return _absorbing(g, adjoint(x2))
    if b.ndim == 1:
        g = reshape(g, (*g._array.shape, 1))
        x2 = reshape(x2, (b.shape[0], 1))
    if len(x1_shape) == 1:
        g = reshape(g, (*g._array.shape[:-1], 1, g._array.shape[-1]))
        return reshape(sum_to(_absorbing(g, adjoint(x2)), (1, *x1_shape)), x1_shape)
    return sum_to(_absorbing(g, adjoint(x2)), x1_shape)


def _matmul_cotangent2(g: Any, x1: Any, x2_shape: Shape) -> Any:
    a = x1._array
    if len(x2_shape) <= 2:
        # All matrices of x1 met the same x2: one product over all their rows.
        rows = prod(a.shape[:-1])
        columns = x2_shape[1] if len(x2_shape) == 2 else 1
        if a.ndim != 2:
            x1 = reshape(x1, (rows, a.shape[-1]))
        if g._array.shape != (rows, columns):
            g = reshape(g, (rows, columns))
        out = _absorbing(adjoint(x1), g)
        return out if len(x2_shape) == 2 else reshape(out, x2_shape)
    if a.ndim == 1:
        x1 = reshape(x1, (1, a.shape[0]))
        g = reshape(g, (*g._array.shape[:-1], 1, g._array.shape[-1]))
    return sum_to(_absorbing(adjoint(x1), g), x2_shape)


def _absorbing(x1: Any, x2: Any) -> Any:
    """The product with one convention more: 0 absorbs infinity and NaN (if zeros are to)."""
    out = matmul(x1, x2)
    if not absorbs() or is_settled(out._array, x1._array, x2._array):
        return out
    if x1._array.ndim > 1 and x2._array.ndim > 1:
        return apply(ABSORBING_MATMUL, x1, x2)
    rows = x1 if x1._array.ndim > 1 else reshape(x1, (1, x1._array.shape[0]))
    columns = x2 if x2._array.ndim > 1 else reshape(x2, (x2._array.shape[0], 1))
    return reshape(apply(ABSORBING_MATMUL, rows, columns), out._array.shape)


MATMUL = declare(
    Op("matmul", ("x1", "x2"),
       Bilinear(x1=_matmul_cotangent1, x2=_matmul_cotangent2, product=_absorbing))
)  # fmt: skip
register_kernel("matmul", in_single_precision(_matmul_kernel))
ABSORBING_MATMUL = declare(
    Op("absorbing_matmul", ("x1", "x2"), Bilinear(x1=_matmul_cotangent1, x2=_matmul_cotangent2))
)
register_kernel("absorbing_matmul", in_single_precision(absorbing_matmul))


vdot: Any = getattr(np.vdot, "_implementation", np.vdot)  # straight, for arrays only


def _pull_matmul(node: Node, g: Any) -> Sequence[Any] | None:
    """The cotangents of real matrices and vectors, without wrapping anything."""
    x1, x2, _ = node[VALUES]
    if g.ndim > 2 or g.dtype.char not in "fd":
        return None
    node1, node2 = node[INPUTS]
    shape1, shape2 = node[ATTRIBUTES]["x1_shape"], node[ATTRIBUTES]["x2_shape"]
    c1 = c2 = None
    try:
        if len(shape1) == 2 and len(shape2) == 2:
            c1 = None if node1 is None else g.dot(x2.T)
            c2 = None if node2 is None else x1.T.dot(g)
        elif len(shape1) == 2 and len(shape2) == 1:
            c1 = None if node1 is None else g[:, np.newaxis] * x2
            c2 = None if node2 is None else x1.T.dot(g)
        elif len(shape1) == 1 and len(shape2) == 2:
            c1 = None if node1 is None else x2.dot(g)
            c2 = None if node2 is None else x1[:, np.newaxis] * g
        elif len(shape1) == 1 and len(shape2) == 1:
            c1 = None if node1 is None else x2 * g
            c2 = None if node2 is None else x1 * g
        else:
            return None
        # One look for all: each of the three is in one of these factors, or spoils the other. There
        # is no quicker sum of all elements.
        if c2 is None:
            settled = is_settled(c1, g, x2)
        elif c1 is None:
            settled = is_settled(c2, g, x1)
        else:
            settled = isfinite(vdot(c1, x1) if c1.size < c2.size else vdot(c2, x2))
    except (FloatingPointError, RuntimeWarning):  # where the user has NumPy's warnings raised
        settled = False
    return (c1, c2) if settled else _with_absorbing_zeros(node, g)


@np.errstate(all="ignore")
def _with_absorbing_zeros(node: Node, g: Any) -> Sequence[Any]:
    x1, x2, _ = node[VALUES]
    node1, node2 = node[INPUTS]
    shape1, shape2 = node[ATTRIBUTES]["x1_shape"], node[ATTRIBUTES]["x2_shape"]
    g = g.reshape(shape1[0] if len(shape1) == 2 else 1, shape2[1] if len(shape2) == 2 else 1)
    c1 = c2 = None
    if node1 is not None:
        x2 = x2 if x2.ndim == 2 else x2[:, np.newaxis]
        c1 = absorbing_matmul(g, x2.T).reshape(shape1)
    if node2 is not None:
        x1 = x1 if x1.ndim == 2 else x1[np.newaxis]
        c2 = absorbing_matmul(x1.T, g).reshape(shape2)
    return c1, c2


RAW_PULL["matmul"] = _pull_matmul


def _check_matmul(shape1: Shape, shape2: Shape) -> None:
    if not shape1 or not shape2:
        raise ShapeError(
            f"matmul: argument {1 if not shape1 else 2} is 0-d; multiply by scalars with x1 * x2"
        )
    rows = shape2[0] if len(shape2) == 1 else shape2[-2]
    if shape1[-1] != rows:
        raise ShapeError(
            f"matmul: shapes {shape1} and {shape2} do not fit: size {shape1[-1]} of the last axis "
            f"of x1 meets size {rows} of x2; transpose one of them, e.g. x1 @ x2.mT"
        )
    broadcast_shapes(shape1[:-2], shape2[:-2])


@answers(np.matmul, np.linalg.matmul)
def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix product.

    Parameters
    ----------
    x1 : Tensor, shape (..., M, K) or (K,), numeric
    x2 : Tensor, shape (..., K, N) or (K,), numeric
        Leading dimensions broadcast; vectors lose their dimension again in the result.

    Returns
    -------
    Tensor, shape (..., M, N)
        A scalar for two vectors. Nothing is conjugated.

    Raises
    ------
    ShapeError
        If an argument is 0-d or the sizes differ.

    Notes
    -----
    Derivative: the cotangents are g @ x2^H and x1^H @ g, summed over what was broadcast. A zero in
    them absorbs infinity and NaN: rows that `where` did not select leave no NaN behind.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.matmul(ag.asarray([[1.0, 2.0], [3.0, 4.0]]), ag.asarray([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    if isinstance(x1, TensorBase) and isinstance(x2, TensorBase):
        out = product(MATMUL, x1, x2)
        if out is not None:
            return out  # type: ignore[no-any-return]
    x1, x2 = together(x1, x2, "matmul")
    a, b = x1._array, x2._array
    if not 0 < a.ndim < 3 or not 0 < b.ndim < 3 or a.shape[-1] != b.shape[0]:
        _check_matmul(a.shape, b.shape)
    elif type(a) is np.ndarray and type(b) is np.ndarray and not OBSERVERS:
        return _product_of_two(x1, x2, a, b)  # type: ignore[no-any-return]
    return apply(MATMUL, x1, x2)  # type: ignore[no-any-return]


def _product_of_two(x1: Any, x2: Any, a: Any, b: Any) -> Any:
    """The general road for matrices and vectors, short: small products are mostly overhead."""
    kernel = MATMUL.fast.get(a.dtype)
    if kernel is None:
        kernel = MATMUL.fast[a.dtype] = lookup("matmul", "cpu", "strided", (a.dtype, a.dtype))
    try:
        out = wrap_result(kernel(a, b))
    except MemoryError as error:
        raise out_of_memory("matmul", error) from error
    node1 = x1._node if x1._family is None else node_of(x1)
    node2 = x2._node if x2._family is None else node_of(x2)
    if (node1 is not None or node2 is not None) and is_grad_enabled() and a.dtype.kind in "fcV":
        node = out._node = record(MATMUL, (x1, x2), (node1, node2), out._array, None)
        if a.nbytes >= _REMAKE_FROM or b.nbytes >= _REMAKE_FROM:
            node[VALUES] = _frugal(node[VALUES], (x1, x2), (node1, node2))
    return out


# Bytes from which a product keeps how an operand was made instead of the operand.
_REMAKE_FROM = 1 << 18
# How often the product uses each element at least, so that its derivative is dear beside that.
_REMAKE_USES = 32


def _frugal(values: Any, tensors: tuple[Any, Any], nodes: tuple[Any, Any]) -> Any:
    """The saved operands of a product, those packed that are functions of what is kept anyway.

    An activation such as tanh keeps its argument; to compute its value again costs little beside
    the product's derivative, and halves what a chain of layers holds.
    """
    pieces: list[Any] = []
    a, b = tensors[0]._array, tensors[1]._array
    uses = (b.shape[1] if b.ndim == 2 else 1, a.shape[0] if a.ndim == 2 else 1)
    for value, x, node, used in zip(values, tensors, nodes, uses, strict=False):
        if value is None or node is None or used < _REMAKE_USES:
            source = None
        else:
            source = _argument(value, x, node)
        pieces.append(None if value is None else ((value if source is None else source),))
    if not any(piece is not None and type(piece[0]) is _Remade for piece in pieces):
        return values
    held = [piece[0] for piece in pieces if piece is not None]
    memory: list[Any] = []
    for h in held:
        memory.extend(h.arguments if type(h) is _Remade else (h,))
    return Packed((*pieces, None), lambda h: h.make() if type(h) is _Remade else h, tuple(memory))


def _argument(value: Any, x: Any, node: Any) -> _Remade | None:
    """How to make a saved operand again, if an elementwise op of kept arguments made it."""
    saved = node[VALUES]
    if value.nbytes < _REMAKE_FROM or x._family is not None or type(saved) is not tuple:
        return None
    if node[OP].family != "elementwise" or saved[-1] is not None:
        return None
    arguments = saved[:-1]
    if not arguments or any(a is None for a in arguments):
        return None
    return _Remade(node[OP].name, arguments, value)


class _Remade:
    """An elementwise function of arrays that stands for its value."""

    __slots__ = ("arguments", "dtype", "name", "shape")

    def __init__(self, name: str, arguments: tuple[Any, ...], value: Any) -> None:
        self.name = name
        self.arguments = arguments
        self.shape, self.dtype = value.shape, value.dtype

    def make(self) -> Any:
        kernel = lookup(self.name, "cpu", "strided", tuple([a.dtype for a in self.arguments]))
        with np.errstate(all="ignore"):  # warned about, if at all, when it was first computed
            return kernel(*self.arguments, out=empty(self.shape, self.dtype))


# -- other products -------------------------------------------------------------------------------


@answers(np.tensordot, np.linalg.tensordot)
def tensordot(
    x1: Tensor,
    x2: Tensor,
    /,
    axes: int | tuple[Sequence[int], Sequence[int]] = 2,
) -> Tensor:
    """Contraction of two tensors over some of their axes.

    Parameters
    ----------
    x1, x2 : Tensor, numeric
    axes : int or pair of sequences of int
        A number n contracts the last n axes of x1 with the first n of x2 (0 gives the outer
        product); a pair names the axes of x1 and of x2 that meet.

    Returns
    -------
    Tensor
        The other axes of x1, then those of x2.

    Notes
    -----
    Derivative: that of the matrix product which the contraction is.
    """
    x1, x2 = together(x1, x2, "tensordot")
    shape1, shape2 = x1._array.shape, x2._array.shape
    axes1, axes2 = _contracted(axes, len(shape1), len(shape2))
    for i, k in zip(axes1, axes2, strict=True):
        if shape1[i] != shape2[k]:
            raise ShapeError(
                f"tensordot: axis {i} of x1 has size {shape1[i]}, axis {k} of x2 has size "
                f"{shape2[k]}; contracted axes need equal sizes (shapes {shape1} and {shape2})"
            )
    free1 = tuple(i for i in range(len(shape1)) if i not in axes1)
    free2 = tuple(k for k in range(len(shape2)) if k not in axes2)
    inner = prod(shape1[i] for i in axes1)
    kept = tuple(shape1[i] for i in free1) + tuple(shape2[k] for k in free2)
    a = _permuted(x1, free1 + axes1)
    b = _permuted(x2, axes2 + free2)
    a = reshape(a, (prod(shape1[i] for i in free1), inner))
    b = reshape(b, (inner, prod(shape2[k] for k in free2)))
    return reshape(matmul(a, b), kept)


def _permuted(x: Any, axes: tuple[int, ...]) -> Any:
    return x if axes == tuple(range(len(axes))) else manipulation.permute_dims(x, axes)


def _contracted(axes: Any, ndim1: int, ndim2: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if not isinstance(axes, Sequence):
        count = as_integer(axes, "axes", "tensordot")
        if not 0 <= count <= min(ndim1, ndim2):
            raise ArgumentError(
                f"tensordot: axes={count} for tensors of {ndim1} and {ndim2} dimensions; give "
                "0 to the smaller of the two"
            )
        return tuple(range(ndim1 - count, ndim1)), tuple(range(count))
    try:
        first, second = axes
    except ValueError as error:
        raise ArgumentError(
            f"tensordot: axes={axes!r} is not a number or a pair (axes of x1, axes of x2)"
        ) from error
    listed1 = tuple(first) if isinstance(first, Sequence) else (first,)
    listed2 = tuple(second) if isinstance(second, Sequence) else (second,)
    axes1 = tuple(normalize_axis(a, ndim1, "axes[0]") for a in listed1)
    axes2 = tuple(normalize_axis(a, ndim2, "axes[1]") for a in listed2)
    if len(axes1) != len(axes2):
        raise ArgumentError(f"tensordot: axes={axes!r} name {len(axes1)} and {len(axes2)} axes")
    if len(set(axes1)) < len(axes1) or len(set(axes2)) < len(axes2):
        raise ArgumentError(f"tensordot: axes={axes!r} name one axis twice")
    return axes1, axes2


@answers(np.dot)
def dot(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """NumPy's dot: the product over the last axis of x1 and the last but one of x2.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, numeric

    Returns
    -------
    Tensor
        x1 * x2 if one is 0-d, ``matmul`` for up to two dimensions; beyond that all vectors of x1
        meet all vectors of x2 (and nothing broadcasts).

    Notes
    -----
    Derivative: that of the products which it is.
    """
    ndim1, ndim2 = operand(x1, "dot", 1)._array.ndim, operand(x2, "dot", 2)._array.ndim
    if not ndim1 or not ndim2:
        return multiply(x1, x2)
    if ndim2 == 1 or (ndim1 <= 2 and ndim2 == 2):
        return matmul(x1, x2)  # type: ignore[arg-type]
    return tensordot(x1, x2, axes=((ndim1 - 1,), (ndim2 - 2,)))  # type: ignore[arg-type]


def _last(x: Any, axis: int) -> Any:
    """The tensor with one axis moved to the end."""
    ndim = x._array.ndim
    axis = normalize_axis(axis, ndim)
    return _permuted(x, (*(i for i in range(ndim) if i != axis), axis))


def _vecdot_kernel(x1: Any, x2: Any) -> Any:
    return np.vecdot(x1, x2)


def _weighted(weight: Any, x: Any, shape: Shape) -> Any:
    """weight[..., None] * x, summed to `shape`."""
    return sum_to(times(reshape(weight, (*weight._array.shape, 1)), x), shape)


VECDOT = declare(
    Op("vecdot", ("x1", "x2"),
       Rule(x1=lambda g, x2, x1_shape: _weighted(conj(g), x2, x1_shape),
            x2=lambda g, x1, x2_shape: _weighted(g, x1, x2_shape)),
       dtypes="numeric")
)  # fmt: skip
register_kernel("vecdot", in_single_precision(_vecdot_kernel))


@answers(np.vecdot, np.linalg.vecdot)
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Dot products of the vectors along an axis; those of x1 are conjugated.

    Parameters
    ----------
    x1, x2 : Tensor, numeric
        Broadcast against each other, but not along `axis`.
    axis : int
        Where the vectors lie, in both.

    Returns
    -------
    Tensor
        sum(conj(x1) * x2) along the axis.

    Notes
    -----
    Derivative: the cotangents are conj(g) * x2 and g * x1.
    """
    x1, x2 = together(x1, x2, "vecdot")
    for position, x in enumerate((x1, x2), 1):
        if not x._array.ndim:
            raise ShapeError(f"vecdot: argument {position} is 0-d; it needs an axis of vectors")
    x1, x2 = _last(x1, axis), _last(x2, axis)
    shape1, shape2 = x1._array.shape, x2._array.shape
    if shape1[-1] != shape2[-1]:
        raise ShapeError(
            f"vecdot: the vectors have {shape1[-1]} and {shape2[-1]} elements along axis {axis}; "
            "they need equal sizes, which do not broadcast"
        )
    broadcast_shapes(shape1[:-1], shape2[:-1])
    return apply(VECDOT, x1, x2)  # type: ignore[no-any-return]


@answers(np.linalg.outer)
def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Outer product of two vectors.

    Parameters
    ----------
    x1 : Tensor, shape (N,), numeric
    x2 : Tensor, shape (M,), numeric

    Returns
    -------
    Tensor, shape (N, M)
        x1[i] * x2[k]. Nothing is conjugated.

    Notes
    -----
    Derivative: that of the product, element by element.
    """
    x1, x2 = together(x1, x2, "outer")
    for position, x in enumerate((x1, x2), 1):
        if x._array.ndim != 1:
            raise ShapeError(
                f"outer: argument {position} has shape {x._array.shape}, not one dimension; "
                "flatten it first, x.reshape(-1)"
            )
    return multiply(reshape(x1, (x1._array.shape[0], 1)), x2)


def _cross_kernel(x1: Any, x2: Any) -> Any:
    return np.linalg.cross(x1, x2)


CROSS: Op = declare(
    Op("cross", ("x1", "x2"),
       Bilinear(x1=lambda g, x2: apply(CROSS, conj(x2), g),
                x2=lambda g, x1: apply(CROSS, g, conj(x1))),
       dtypes="numeric")
)  # fmt: skip
register_kernel("cross", in_single_precision(_cross_kernel))


@answers(np.linalg.cross)
def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of 3-element vectors along an axis.

    Parameters
    ----------
    x1, x2 : Tensor, numeric
        Size 3 along `axis`; the other axes broadcast.
    axis : int
        Where the vectors lie.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If a vector does not have three elements.

    Notes
    -----
    Derivative: the cotangents are cross(conj(x2), g) and cross(g, conj(x1)).
    """
    x1, x2 = together(x1, x2, "cross")
    shape = broadcast_shapes(x1._array.shape, x2._array.shape)
    axis = normalize_axis(axis, len(shape)) - len(shape)
    for position, x in enumerate((x1, x2), 1):
        size = x._array.shape[axis] if x._array.ndim >= -axis else 1
        if size != 3:
            raise ShapeError(
                f"cross: argument {position} has size {size} along axis {axis}; cross products "
                "need vectors of 3 elements"
            )
    if x1._array.dtype.kind == "b":
        raise DTypeError("cross: not defined for bool; convert first, x.astype(int)")
    x1, x2 = _last(_spread(x1, shape), axis), _last(_spread(x2, shape), axis)
    out = apply(CROSS, x1, x2)
    if axis == -1:
        return out  # type: ignore[no-any-return]
    order = list(range(len(shape) - 1))
    order.insert(len(shape) + axis, len(shape) - 1)
    return manipulation.permute_dims(out, tuple(order))


def _spread(x: Any, shape: Shape) -> Any:
    return x if x._array.shape == shape else view(BROADCAST_TO, x, shape=shape)


# -- views of matrices ----------------------------------------------------------------------------

MATRIX_TRANSPOSE: Op = declare(
    Op("matrix_transpose", ("x",), Linear(x=lambda g: view(MATRIX_TRANSPOSE, g)), family="view",
       scalar=False)
)  # fmt: skip
register_kernel("matrix_transpose", lambda x: x.mT)


@answers(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Tensor, /) -> Tensor:
    """The matrices transposed: the last two axes change places.

    Parameters
    ----------
    x : Tensor, shape (..., M, N)

    Returns
    -------
    Tensor, shape (..., N, M)
        A view. Nothing is conjugated.

    Notes
    -----
    Derivative: the transpose of the cotangent.
    """
    x = operand(x, "matrix_transpose")
    array = x._array
    if array.ndim > 1 and type(array) is np.ndarray:
        return viewed(MATRIX_TRANSPOSE, x, array, array.mT)  # type: ignore[no-any-return]
    if x._array.ndim < 2:
        raise ShapeError(
            f"matrix_transpose: shape {x._array.shape} has fewer than two dimensions; make a "
            "matrix first, e.g. x[None, :]"
        )
    return view(MATRIX_TRANSPOSE, x)  # type: ignore[no-any-return]


def embed_diagonal(x: Any, shape: Shape, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """Zeros of the given shape with `x` on the diagonal: the transpose of `diagonal`."""
    first, second = axis1 % len(shape), axis2 % len(shape)
    return apply(PUT_DIAGONAL, x, shape=shape, offset=offset, axis1=first, axis2=second)


@answers(np.linalg.diagonal)
def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, N)
    offset : int
        Diagonals above the main one have positive numbers, those below negative ones.

    Returns
    -------
    Tensor, shape (..., K)
        A view, writeable where x is.

    Notes
    -----
    Derivative: the cotangent on the diagonal of a zero matrix.
    """
    return views.diagonal(x, offset, -2, -1)


@answers(np.linalg.trace)
def trace(x: Tensor, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Sum of the diagonal of each matrix.

    Parameters
    ----------
    x : Tensor, shape (..., M, N), numeric
    offset : int
        Which diagonal, see `diagonal`.
    dtype : dtype, optional
        Of the result; integers are summed in 64 bits by default.

    Returns
    -------
    Tensor, shape (...)

    Notes
    -----
    Derivative: 1 on the diagonal.
    """
    return statistical.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def is_tracked(*tensors: Any) -> bool:
    """Whether what is computed from these tensors now carries a gradient."""
    return is_grad_enabled() and any(node_of(x) is not None for x in tensors)
