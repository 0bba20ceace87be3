"""Cotangents on plain arrays by one pass over memory: the fast forms of elementwise derivatives.

The formula at the op is the definition. Where no graph is recorded, most ops have a fused backward
kernel that computes all cotangents of a node at once; tests hold the two equal. The engine asks
`pull` first and goes by the formula if the answer is None. Knows nothing of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from . import _dispatch
from ._cotangents import absorbs
from ._graph import ATTRIBUTES, INPUTS, OP, VALUES, Node

Arrays = Sequence[Any]

# Which values the fused kernel "<op>.backward" takes after the cotangent: slots of the op, "out"
# being the result. (A literal, because asking the kernels would import the compiler.)
FUSED_VALUES: dict[str, tuple[str, ...]] = {
    "absorbing_multiply": ("x1", "x2"),
    "acos": ("x",),
    "acosh": ("x",),
    "abs": ("x",),
    "asin": ("x",),
    "asinh": ("x",),
    "atan": ("x",),
    "atan2": ("x1", "x2"),
    "atanh": ("x",),
    "cbrt": ("out",),
    "clip": ("x", "min", "max"),
    "copysign": ("x1", "x2"),
    "cos": ("x",),
    "cosh": ("x",),
    "divide": ("x2", "out"),
    "erf": ("x",),
    "erfc": ("x",),
    "exp": ("out",),
    "exp2": ("x",),
    "expm1": ("x",),
    "hypot": ("x1", "x2", "out"),
    "log": ("x",),
    "log10": ("x",),
    "log1p": ("x",),
    "log2": ("x",),
    "logaddexp": ("x1", "x2"),
    "logaddexp2": ("x1", "x2"),
    "maximum": ("x1", "x2"),
    "minimum": ("x1", "x2"),
    "multiply": ("x1", "x2"),
    "reciprocal": ("out",),
    "sigmoid": ("x",),
    "sin": ("x",),
    "sinh": ("x",),
    "sqrt": ("out",),
    "square": ("x",),
    "tanh": ("x",),
}


def _same(node: Node, g: Any) -> Arrays:
    return [g] * len(node[INPUTS])


def _subtract(node: Node, g: Any) -> Arrays:
    first, second = node[INPUTS]
    return (None if first is None else g, None if second is None else np.asarray(np.negative(g)))


def _negative(node: Node, g: Any) -> Arrays:
    return (np.asarray(np.negative(g)),)


def _multiply(node: Node, g: Any) -> Arrays | None:
    """One tracked factor: a plain product. Two: the fused kernel."""
    first, second = node[INPUTS]
    x1, x2, _ = node[VALUES]
    if first is not None and second is not None:
        return _run_fused(node, g) or _both_products(g, x1, x2)
    product = _product(g, x2 if second is None else x1)
    if product is None:
        return None
    return (product, None) if second is None else (None, product)


def _product(g: Any, factor: Any) -> Any:
    """The cotangent times the conjugate factor, or None where their dtypes differ."""
    if g.dtype != factor.dtype:
        return None
    if factor.dtype.kind == "c":
        factor = np.conjugate(factor)
    kernel = _dispatch.lookup("absorbing_multiply", "cpu", "strided", (g.dtype, g.dtype))
    return np.asarray(kernel(g, factor))


def _both_products(g: Any, x1: Any, x2: Any) -> Arrays | None:
    first, second = _product(g, x2), _product(g, x1)
    return None if first is None or second is None else (first, second)


# Up to this many bytes a filled array costs less than a broadcast view and its later copy.
_FILL_UP_TO = 1 << 14


def _sum(node: Node, g: Any) -> Arrays | None:
    attributes = node[ATTRIBUTES]
    shape, axes = attributes["x_shape"], attributes["axis"]
    if type(g) is not np.ndarray:
        return None
    if g.ndim and g.ndim != len(shape):
        g = g.reshape([1 if i in axes else n for i, n in enumerate(shape)])
    if prod(shape) * g.itemsize > _FILL_UP_TO:
        return (np.broadcast_to(g, shape),)
    out = np.empty(shape, g.dtype)
    out[...] = g
    return (out,)


def _reshape(node: Node, g: Any) -> Arrays | None:
    if type(g) is not np.ndarray:
        return None
    return (g.reshape(node[ATTRIBUTES]["x_shape"]),)


# Ops whose cotangents need no kernel of their own.
SIMPLE: dict[str, Callable[[Node, Any], Arrays | None]] = {
    "absorbing_multiply": _multiply,
    "add": _same,
    "multiply": _multiply,
    "negative": _negative,
    "positive": _same,
    "reshape": _reshape,
    "subtract": _subtract,
    "sum": _sum,
}


def pull(node: Node, g: Any) -> Arrays | None:
    """Cotangents of the node's inputs, or None if there is no fast form for this node."""
    name = node[OP].name
    if name in SIMPLE:
        if SIMPLE[name] is _multiply and not absorbs():
            return None
        return SIMPLE[name](node, g)
    if name in FUSED_VALUES and absorbs():
        return _run_fused(node, g)
    return None


def _run_fused(node: Node, g: Any) -> Arrays | None:
    op = node[OP]
    saved = node[VALUES]
    if saved is None:
        return None
    arrays = [g]
    for slot in FUSED_VALUES[op.name]:
        value = saved[op.slot_index[slot]]
        if value is None:  # not kept, since only one of the arguments is tracked
            return None
        arrays.append(value)
    kernel = _dispatch.find_kernel(
        f"{op.name}.backward", "cpu", "strided", tuple([a.dtype for a in arrays])
    )
    if kernel is None:
        return None
    return [
        None if parent is None else np.asarray(cotangent)
        for parent, cotangent in zip(node[INPUTS], kernel(*arrays), strict=True)
    ]
