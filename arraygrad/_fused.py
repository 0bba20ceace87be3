"""Cotangents on plain arrays by one pass over memory: the fast forms of elementwise derivatives.

The formula at the op is the definition. Where no graph is recorded, most ops have a fused backward
kernel that computes all cotangents of a node at once; tests hold the two equal. The engine asks the
op's entry in `FORMS` first and goes by the formula if the answer is None. Makes no tensors.

The engine adds into cotangents that are nobody else's: those of ops that compute (`Op.computes`),
and of others what is an array of its own and not `g`. A form must not answer with one array twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from . import _compiled, _dispatch
from ._apply import sum_to_array
from ._graph import ATTRIBUTES, INPUTS, VALUES, Node

Arrays = Sequence[Any]

# Bytes of a cotangent below which its kernel runs in the serial form (as `_elementwise.SMALL`).
_SMALL = 1 << 18

# Which values the fused kernel "<op>.backward" takes after the cotangent: slots of the op, "out"
# being the result. (A literal, because asking the kernels would import the compiler.)
FUSED_VALUES: dict[str, tuple[str, ...]] = {
    "absorbing_multiply": ("x1", "x2"),
    "acos": ("x",),
    "acosh": ("x",),
    "abs": ("x",),
    "angle": ("x",),
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
    "fmax": ("x1", "x2"),
    "fmin": ("x1", "x2"),
    "fmod": ("x1", "x2", "out"),
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
    "pow": ("x1", "x2", "out"),
    "reciprocal": ("out",),
    "remainder": ("x1", "x2"),
    "sigmoid": ("x",),
    "sin": ("x",),
    "sinc": ("x",),
    "sinh": ("x",),
    "sqrt": ("out",),
    "square": ("x",),
    "tan": ("x",),
    "tanh": ("x",),
}


def _same(node: Node, g: Any) -> Arrays:
    return [g] * len(node[INPUTS])


# Bytes from which NumPy's loops gain by pooled memory and threads.
_LARGE = 1 << 22


def added(a: Any, b: Any, out: Any = None) -> Any:
    """Sum of two cotangents of one shape, written to `out` if it is given."""
    if a.nbytes >= _LARGE and a.dtype == b.dtype and a.shape == b.shape:
        return _dispatch.lookup("add", "cpu", "strided", (a.dtype, b.dtype))(a, b, out=out)
    return np.asarray(np.add(a, b, out=out))


def _negated(g: Any) -> Any:
    if g.nbytes >= _LARGE:
        return _dispatch.lookup("negative", "cpu", "strided", (g.dtype,))(g)
    return np.asarray(np.negative(g))


def _subtract(node: Node, g: Any) -> Arrays:
    first, second = node[INPUTS]
    return (None if first is None else g, None if second is None else _negated(g))


def _negative(node: Node, g: Any) -> Arrays:
    return (_negated(g),)


def _multiply(node: Node, g: Any) -> Arrays | None:
    """One tracked factor: a plain product. Two: the fused kernel."""
    x1, x2, _ = node[VALUES]
    if x1 is not None and x2 is not None:
        return _multiply_both(node, g) or _both_products(g, x1, x2)
    second = node[INPUTS][1]
    product = _product(g, x2 if second is None else x1)
    if product is None:
        return None
    return (product, None) if second is None else (None, product)


# dtype -> absorbing product of few elements
_PRODUCTS = _dispatch.fast_table("absorbing_multiply")


def _product(g: Any, factor: Any) -> Any:
    """The cotangent times the conjugate factor, or None where their dtypes differ."""
    if g.dtype != factor.dtype:
        return None
    if factor.dtype.kind == "c":
        factor = np.conjugate(factor)
    kernel = _PRODUCTS.get(g.dtype) if g.nbytes < _SMALL else None
    if kernel is None:
        kernel = _dispatch.lookup("absorbing_multiply", "cpu", "strided", (g.dtype, g.dtype))
        if g.nbytes < _SMALL:
            kernel = _PRODUCTS[g.dtype] = _dispatch.serial(kernel)
    return np.asarray(kernel(g, factor))


def _both_products(g: Any, x1: Any, x2: Any) -> Arrays | None:
    first, second = _product(g, x2), _product(g, x1)
    return None if first is None or second is None else (first, second)


# Up to this many bytes a filled array costs less than a broadcast view and its later copy.
_FILL_UP_TO = 1 << 14


def _sum(node: Node, g: Any) -> Arrays | None:
    attributes = node[ATTRIBUTES]
    shape = attributes["x_shape"]
    if g.ndim and g.ndim != len(shape):
        axes = attributes["axis"]
        g = g.reshape([1 if i in axes else n for i, n in enumerate(shape)])
    if prod(shape) * g.itemsize > _FILL_UP_TO:
        return (np.broadcast_to(g, shape),)
    out = np.empty(shape, g.dtype)
    out[...] = g
    return (out,)


def _mean(node: Node, g: Any) -> Arrays | None:
    attributes = node[ATTRIBUTES]
    shape = attributes["x_shape"]
    count = prod([shape[i] for i in attributes["axis"]])
    return _sum(node, np.asarray(g / count)) if count and g.dtype.kind in "fc" else None


def _cast(node: Node, g: Any) -> Arrays | None:
    dtype = node[ATTRIBUTES]["x_dtype"]
    if g.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return (g.astype(dtype),)


def _broadcast_to(node: Node, g: Any) -> Arrays:
    shape = node[ATTRIBUTES]["x_shape"]
    if g.shape == shape:
        return (g,)
    if g.size == prod(shape):  # nothing but dimensions of size 1
        return (g.reshape(shape),)
    with np.errstate(all="ignore"):  # as formulas: infinite cotangents are no mistake
        return (sum_to_array(g, shape=shape),)


def _reshape(node: Node, g: Any) -> Arrays:
    return (g.reshape(node[ATTRIBUTES]["x_shape"]),)


def _permute_dims(node: Node, g: Any) -> Arrays:
    axes = node[ATTRIBUTES]["axes"]
    return (g.transpose(axes if len(axes) < 3 else np.argsort(axes)),)


def _expand_dims(node: Node, g: Any) -> Arrays:
    return (g.squeeze(node[ATTRIBUTES]["axis"]),)


def _squeeze(node: Node, g: Any) -> Arrays:
    return (np.expand_dims(g, node[ATTRIBUTES]["axis"]),)


def _matrix_transpose(node: Node, g: Any) -> Arrays:
    return (g.mT,)


def _few(node: Node, g: Any) -> bool:
    """Whether real arrays are so small that calls count, not memory: then NumPy's loops do."""
    x = node[VALUES][0]
    return bool(g.dtype.kind == "f" and x.dtype == g.dtype and x.nbytes < _SMALL)


def _kept(g: Any, shape: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    """The cotangent of a reduction's result, in the shape that keepdims gives."""
    return g.reshape([1 if i in axes else n for i, n in enumerate(shape)])


def _extreme(node: Node, g: Any) -> Arrays | None:
    """Ties split evenly."""
    if not _few(node, g):
        return None
    x, out = node[VALUES]
    axes = node[ATTRIBUTES]["axis"]
    attained, number = _attained(x, out, axis=axes)
    return (np.where(attained, _kept(g / number, x.shape, axes), x.dtype.type(0)),)


def _attained(x: Any, out: Any, axis: tuple[int, ...]) -> Any:
    return _dispatch.lookup("attained", "cpu", "strided", (x.dtype, out.dtype))(x, out, axis=axis)


# What the backward kernels of rows are compiled for; the rest goes by formula.
_ROW_DTYPES = frozenset(map(np.dtype, ("float32", "float64")))


def _row_form(name: str, slots: tuple[str, ...], *options: str) -> Callable[..., Arrays | None]:
    """The form of an op that reduces rows, or keeps them: one kernel, one pass over memory."""
    title = f"{name}.backward"
    known = _dispatch.fast_table(title)
    places = tuple([_PLACES[slot] for slot in slots])

    def pull_rows(node: Node, g: Any) -> Arrays | None:
        dtype, saved = g.dtype, node[VALUES]
        arrays = [saved[place] for place in places]
        for array in arrays:
            if array.dtype != dtype:
                return None
        kernel = known.get(dtype)
        if kernel is None:
            if dtype not in _ROW_DTYPES:
                return None
            dtypes = (dtype,) * (1 + len(places))
            kernel = known[dtype] = _dispatch.lookup(title, "cpu", "strided", dtypes)
        attributes = node[ATTRIBUTES]
        more = {option: attributes[option] for option in options}
        return (kernel(g, *arrays, axis=attributes["axis"], **more),)

    return pull_rows


# Where a value stands in a node's `values`: the arguments in order, the result last.
_PLACES = {"x": 0, "x1": 0, "x2": 1, "min": 1, "max": 2, "out": -1}

_log_softmax = _row_form("log_softmax", ("out",))
_logsumexp = _row_form("logsumexp", ("x",))
_softmax = _row_form("softmax", ("out",))
_std = _row_form("std", ("x", "out"), "correction")
_var = _row_form("var", ("x",), "correction")
_euclidean_norm = _row_form("vector_norm", ("x", "out"))


# dtype -> the least normal number.
_LEAST = {np.dtype(kind): np.finfo(kind).smallest_normal for kind in ("float32", "float64")}


@np.errstate(all="ignore")
def _prod(node: Node, g: Any) -> Arrays | None:
    """Where no product is zero, subnormal, infinite or NaN: a quotient has all the information."""
    if not _few(node, g):
        return None
    x, out = node[VALUES]
    axes = node[ATTRIBUTES]["axis"]
    if x.dtype not in _LEAST or x.dtype != out.dtype or not x.size:
        return None
    sizes = np.abs(out)
    if not (sizes.min() >= _LEAST[x.dtype] and sizes.max() < np.inf):
        return None
    others = _kept(out, x.shape, axes) / x
    return (_product(_kept(g, x.shape, axes), others),)


def _vector_norm(node: Node, g: Any) -> Arrays | None:
    return _euclidean_norm(node, g) if node[ATTRIBUTES]["ord"] == 2 else None


@np.errstate(all="ignore")
def _cumulative_sum(node: Node, g: Any) -> Arrays | None:
    attributes = node[ATTRIBUTES]
    if attributes["include_initial"] or g.nbytes >= _SMALL:
        return None
    backwards = (*(slice(None),) * attributes["axis"], slice(None, None, -1))
    return (np.add.accumulate(g[backwards], axis=attributes["axis"])[backwards],)


def _where(node: Node, g: Any) -> Arrays | None:
    if g.nbytes >= _SMALL:
        return None
    condition, zero = node[VALUES][0], g.dtype.type(0)
    _, first, second = node[INPUTS]
    return (
        None,
        None if first is None else np.where(condition, g, zero),
        None if second is None else np.where(condition, zero, g),
    )


def _concat(node: Node, g: Any) -> Arrays:
    axis = node[ATTRIBUTES]["axis"]
    before = (slice(None),) * axis
    parts: list[Any] = []
    stop = 0
    for shape, source in zip(node[ATTRIBUTES]["arrays_shape"], node[INPUTS], strict=True):
        start, stop = stop, stop + shape[axis]
        parts.append(None if source is None else g[(*before, slice(start, stop))])
    return parts


def _stack(node: Node, g: Any) -> Arrays:
    before = (slice(None),) * node[ATTRIBUTES]["axis"]
    return [
        None if source is None else g[(*before, i, ...)] for i, source in enumerate(node[INPUTS])
    ]


def _conj(node: Node, g: Any) -> Arrays:
    return (np.asarray(np.conjugate(g)),)


def _complex(node: Node, g: Any) -> Arrays:
    return (g.real.copy(), g.imag.copy())


def _deg2rad(node: Node, g: Any) -> Arrays | None:
    return (np.asarray(np.deg2rad(g)),) if g.dtype.kind == "f" else None


def _rad2deg(node: Node, g: Any) -> Arrays | None:
    return (np.asarray(np.rad2deg(g)),) if g.dtype.kind == "f" else None


def _none(node: Node, g: Any) -> Arrays | None:
    """Cotangents of a function that is constant between its jumps; the sign of complex is not."""
    return None if g.dtype.kind == "c" else [np.zeros_like(g) for _ in node[INPUTS]]


def _first(node: Node, g: Any) -> Arrays:
    return (g.copy(), np.zeros_like(g))


def _pow(node: Node, g: Any) -> Arrays | None:
    """Both tracked: the fused kernel. The base alone, as in x**3: NumPy's loops where few."""
    if node[INPUTS][1] is not None:
        return _pow_both(node, g)
    x1, x2, _ = node[VALUES]
    if not _few(node, g) or x2.dtype != g.dtype:
        return None
    with np.errstate(all="ignore"):
        slope = _product(np.power(x1, x2 - 1), x2)
    return (_product(g, slope), None)


def _heaviside(node: Node, g: Any) -> Arrays:
    second = node[INPUTS][1]
    chosen = None if second is None else np.where(node[VALUES][0] == 0, g, g.dtype.type(0))
    return (np.zeros_like(g), chosen)


_SECOND = "a partial itself: differentiated while a graph is recorded, where formulas run"
# Differentiable elementwise ops without a fast form, and why.
BY_FORMULA: dict[str, str] = {
    "acosh_slope": _SECOND,
    "angle_slope": _SECOND,
    "asin_slope": _SECOND,
    "asinh_slope": _SECOND,
    "atan_slope": _SECOND,
    "atanh_slope": _SECOND,
    "reciprocal_or_zero": _SECOND,
    "sech_squared": _SECOND,
    "share_of_hypot": _SECOND,
    "special.*": "SciPy computes values and partials, one element at a time",
}


def _fused_form(name: str, slots: tuple[str, ...]) -> Callable[[Node, Any], Arrays | None]:
    """The form that runs the op's fused backward kernel."""
    title = f"{name}.backward"
    small = _dispatch.fast_table(title)
    places = tuple([_PLACES[slot] for slot in slots])
    first, last = places[0], places[-1]
    single = len(places) == 1

    def pull_small(node: Node, g: Any) -> Arrays | None:
        """Few elements of one dtype, the kernel known already: nothing to look up."""
        kernel = small.get(g.dtype)
        saved = node[VALUES]
        if kernel is None or saved is None or g.nbytes >= _SMALL:
            return pull_any(node, g)
        dtype = g.dtype
        value = saved[first]
        if value is None or value.dtype is not dtype:
            return pull_any(node, g)
        if single:
            out = kernel(g, value)
        else:
            value2 = saved[last]
            if value2 is None or value2.dtype is not dtype:
                return pull_any(node, g)
            out = kernel(g, value, value2)
        if type(out) is np.ndarray:
            return (out,)
        if type(out) is tuple:
            return out if type(out[0]) is np.ndarray else [np.asarray(c) for c in out]
        return (np.asarray(out),)

    def pull_any(node: Node, g: Any) -> Arrays | None:
        saved = node[VALUES]
        if saved is None:
            return None
        arrays = [g]
        for place in places:
            value = saved[place]
            if value is None:  # not kept, since only one of the arguments is tracked
                return None
            arrays.append(value)
        dtype = g.dtype
        few = g.nbytes < _SMALL and all(a.dtype == dtype for a in arrays)
        kernel = small.get(dtype) if few else None
        if kernel is None:
            dtypes = tuple([a.dtype for a in arrays])
            kernel = _dispatch.find_kernel(title, "cpu", "strided", dtypes)
            if kernel is None:
                return None
            if few:
                kernel = small[dtype] = _dispatch.serial(kernel)
        out = kernel(*arrays)
        return [np.asarray(c) for c in (out if type(out) is tuple else (out,))]

    if len(places) > 2:
        return pull_any
    roads = _compiled.ROADS
    return pull_small if roads is None else roads.fused_form(pull_small, small, places)


_FUSED = {name: _fused_form(name, slots) for name, slots in FUSED_VALUES.items()}
_multiply_both = _FUSED["multiply"]
_pow_both = _FUSED["pow"]
# The definitions, to which the compiled forms hand what is special.
if _compiled.ROADS is not None:
    _multiply = _compiled.ROADS.multiply_form(_multiply, _multiply_both, _PRODUCTS)
    _sum = _compiled.ROADS.sum_form(_sum, _FILL_UP_TO)

# Ops whose cotangents need no kernel of their own.
SIMPLE: dict[str, Callable[[Node, Any], Arrays | None]] = {
    "absorbing_multiply": _multiply,
    "add": _same,
    "broadcast_to": _broadcast_to,
    "cast": _cast,
    "ceil": _none,
    "complex": _complex,
    "concat": _concat,
    "conj": _conj,
    "cumulative_sum": _cumulative_sum,
    "deg2rad": _deg2rad,
    "expand_dims": _expand_dims,
    "floor": _none,
    "floor_divide": _none,
    "heaviside": _heaviside,
    "log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "matrix_transpose": _matrix_transpose,
    "max": _extreme,
    "mean": _mean,
    "min": _extreme,
    "multiply": _multiply,
    "negative": _negative,
    "nextafter": _first,
    "permute_dims": _permute_dims,
    "positive": _same,
    "pow": _pow,
    "prod": _prod,
    "rad2deg": _rad2deg,
    "reshape": _reshape,
    "rint": _none,
    "round": _none,
    "sign": _none,
    "softmax": _softmax,
    "squeeze": _squeeze,
    "stack": _stack,
    "std": _std,
    "subtract": _subtract,
    "sum": _sum,
    "trunc": _none,
    "var": _var,
    "vector_norm": _vector_norm,
    "where": _where,
}

# All fast forms by op: f(node, cotangent) -> cotangents of the inputs, those of untracked ones
# meaningless; None where the node must go by its formula.
FORMS: dict[str, Callable[[Node, Any], Arrays | None]] = {**_FUSED, **SIMPLE}
