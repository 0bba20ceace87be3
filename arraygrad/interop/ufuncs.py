"""NumPy ufuncs on tensors: call and methods, with ``out=``, ``where=``, ``dtype=``, ``casting=``.

The answer to a ufunc is looked up by object in ANSWERS; everything else (methods, out, where) is
made here from the answer, once for all ufuncs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._apply import BROADCAST_TO, apply, cast, node_of, operand, view, wrap
from .._detach import lose
from .._errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from .._graph import is_grad_enabled
from .._layout import broadcast_shapes, may_overlap_itself, normalize_axes, normalize_axis
from .._storage import TensorBase, check_writeable, prepare_write, write_lock
from .._writes import assign, check_write
from ..ops import (
    arithmetic,
    exponential_sums,
    indexing,
    keys,
    manipulation,
    searching,
    statistical,
    utility,
)
from .holders import has_one_name
from .lookup import answer_to
from .plain import is_tracked, plain, tensors

# ufunc -> the reduction and the scan that it stands for; the others run step by step.
_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: statistical.sum,
    np.multiply: statistical.prod,
    np.maximum: statistical.max,
    np.minimum: statistical.min,
    np.logical_and: utility.all,
    np.logical_or: utility.any,
    np.logaddexp: exponential_sums.logsumexp,
}
_SCANS: dict[Any, Callable[..., Any]] = {
    np.add: statistical.cumulative_sum,
    np.multiply: statistical.cumulative_prod,
}


def call(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """ufunc(*inputs, **kwargs)."""
    answer = answer_to(ufunc)
    if answer is None:
        return unanswered(ufunc, "__call__", inputs, kwargs)
    if not kwargs:
        return answer(*inputs)
    out = kwargs.pop("out", None)
    as_array = out is Ellipsis or (isinstance(out, tuple) and any(o is Ellipsis for o in out))
    if as_array:
        out = None
    where = kwargs.pop("where", True)
    casting = kwargs.get("casting", "same_kind")
    if kwargs:
        probe(ufunc, "__call__", inputs, kwargs)
        inputs, kwargs = _resolved(ufunc, inputs, kwargs)
    check_mask(where, ufunc.__name__)
    given = inputs
    if out is not None:
        # `array += tensor` writes the array after the graph has saved what it held.
        inputs = tuple(
            x.copy() if isinstance(x, np.ndarray) and _is_one_of(x, out) else x for x in inputs
        )
    if ufunc.signature is not None and kwargs:
        results = _generalized(ufunc, answer, inputs, **kwargs)
    elif where is True:
        results = answer(*inputs, **kwargs)
    else:  # NumPy does not compute what the mask leaves out, so nothing there is to be warned of
        with np.errstate(all="ignore"):
            results = answer(*inputs, **kwargs)
    if as_array:
        results = _arrays(results)
    several = isinstance(results, tuple)
    outs = out if isinstance(out, tuple) else (out,) * (1 if out is not None else 0)
    if not outs:
        return results if where is True else _masked(results, where, None)
    stored = tuple(
        r if o is None else store(o, r, where, casting, ufunc.__name__, given)
        for o, r in zip(outs, results if several else (results,), strict=True)
    )
    return stored if several else stored[0]


def _is_one_of(x: Any, out: Any) -> bool:
    return any(isinstance(o, np.ndarray) and np.may_share_memory(o, x) for o in
               (out if isinstance(out, tuple) else (out,)))  # fmt: skip


def _arrays(results: Any) -> Any:
    """0-d results as arrays, not scalars: what ``out=...`` asks for."""
    if isinstance(results, tuple):
        return tuple(map(_arrays, results))
    return results if results._array.ndim else wrap(results._array, results._node)


def _generalized(
    ufunc: Any, answer: Callable[..., Any], inputs: tuple[Any, ...], axes: Any = None,
    axis: Any = None, keepdims: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """A generalized ufunc (matmul, vecdot, ...) whose core dimensions are not the last ones."""
    if axes is None and axis is None and not keepdims:
        return answer(*inputs, **kwargs)
    given, _, result = ufunc.signature.replace("?", "").partition("->")
    cores = [len([c for c in part.split(",") if c]) for part in given[1:-1].split("),(")]
    count = len([c for c in result.strip("()").split(",") if c])
    if axes is None:
        axes = [() if not n else (-1 if axis is None else axis,) for n in (*cores, count)]
    axes = [a if isinstance(a, tuple) else (a,) for a in axes]
    moved = [
        manipulation.moveaxis(operand(x, ufunc.__name__), tuple(a), tuple(range(-n, 0))) if n else x
        for x, a, n in zip(inputs, axes, cores, strict=False)
    ]
    out = answer(*moved, **kwargs)
    if keepdims:
        out = manipulation.expand_dims(out, axis=-1)
        return manipulation.moveaxis(out, -1, axes[0][0])
    if count and len(axes) > len(cores):
        out = manipulation.moveaxis(out, tuple(range(-count, 0)), tuple(axes[-1]))
    return out


def _answer(ufunc: Any) -> Callable[..., Any]:
    found = answer_to(ufunc)
    assert found is not None
    return found


# What NumPy takes besides where= and out=, and the answers do not.
_OPTIONS = ("casting", "order", "subok", "dtype", "signature", "sig")


def _resolved(
    ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Inputs in the dtypes that dtype= or signature= asks for, and the options that are left."""
    left = {k: v for k, v in kwargs.items() if k not in _OPTIONS}
    signature = kwargs.get("signature", kwargs.get("sig"))
    if kwargs.get("dtype") is not None:
        signature = (None,) * ufunc.nin + (kwargs["dtype"],) * ufunc.nout
    if signature is None:
        return inputs, left
    given = tuple(
        type(x) if type(x) in (int, float, complex) else operand(x, ufunc.__name__)._array.dtype
        for x in inputs
    )
    casting = kwargs.get("casting", "same_kind")
    with _numpys_errors():
        dtypes = ufunc.resolve_dtypes(
            (*given, *(None,) * ufunc.nout), signature=signature, casting=casting
        )
    return tuple(
        cast(operand(x, ufunc.__name__), dtype) for x, dtype in zip(inputs, dtypes, strict=False)
    ), left


def _example(x: Any) -> Any:
    """What NumPy is shown in the place of an operand: ones of its dtype and number of axes."""
    if isinstance(x, TensorBase | np.ndarray):
        array = x._array if isinstance(x, TensorBase) else x
        return np.ones(tuple([min(n, 1) for n in array.shape]), array.dtype)
    return _example(operand(x, "ufunc")) if isinstance(x, list | tuple) else x


def probe(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's result for arrays of the same kinds with one element: for its errors and dtypes.

    Which options a ufunc takes, together and for which dtypes, is NumPy's to say: casting, loops,
    axes of reductions that cannot be reordered, initial values where there is no identity.
    """
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    with _numpys_errors(), np.errstate(all="ignore"):
        return function(*map(_example, inputs), **{k: plain(v) for k, v in kwargs.items()})


@contextlib.contextmanager
def _numpys_errors() -> Iterator[None]:
    """NumPy's words, in our classes."""
    try:
        yield
    except TypeError as error:
        of_dtypes = any(word in str(error) for word in ("loop", "cast", "input types"))
        raise (DTypeError if of_dtypes else ArgumentTypeError)(str(error)) from error
    except np.exceptions.AxisError:
        raise
    except ValueError as error:
        raise ArgumentError(str(error)) from error


def check_mask(where: Any, name: str) -> None:
    """Refuse a where= that is no mask."""
    mask = where._array if isinstance(where, TensorBase) else where
    if isinstance(mask, np.ndarray) and mask.dtype.kind != "b":
        raise ArgumentTypeError(
            f"{name}: where= must be a mask of truth values, not of {mask.dtype}; compare, x > 0"
        )


def _masked(result: Any, where: Any, old: Any) -> Any:
    """Results where the mask is true; elsewhere `old`, or 0 where NumPy leaves garbage."""
    if isinstance(result, tuple):
        return tuple(_masked(r, where, old) for r in result)
    return searching.where(
        where, result, wrap(np.zeros((), result._array.dtype)) if old is None else old
    )


def store(
    out: Any, result: Any, where: Any, casting: str, name: str, inputs: tuple[Any, ...] = ()
) -> Any:
    """Write a result into out= as NumPy does; returns what the call returns."""
    result = operand(result, name)
    array = out._array if isinstance(out, TensorBase) else out
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(
            f"{name}: out= must be a tensor or an array, not {type(out).__name__}"
        )
    if broadcast_shapes(result._array.shape, array.shape) != array.shape:
        raise ShapeError(
            f"{name}: a result of shape {result._array.shape} does not fit out of shape "
            f"{array.shape}"
        )
    if not np.can_cast(result._array.dtype, array.dtype, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"{name}: a result of dtype {result._array.dtype} cannot be written into out of dtype "
            f"{array.dtype} under casting={casting!r}"
        )
    if isinstance(out, TensorBase):
        check_write(out, f"{name}(out=...)")
        assign(out, result if where is True else _masked(result, where, out), f"{name}(out=...)")
        return out
    if is_grad_enabled() and node_of(result) is not None:
        if inputs and inputs[0] is out and has_one_name(out, name):
            # `array += tensor`: the name on the left is bound to what we return, and keeps the
            # gradient.
            np.copyto(out, result._array, casting="unsafe")
            return result if where is True else _masked(result, where, wrap(out.copy()))
        lose(
            f"{name} written into a NumPy array, by out= or in place while others see the array,",
            "bind a new name, new = array + tensor, or write into a tensor: ag.asarray(array), "
            "np.array(array) in lifted code",
        )
    np.copyto(out, result._array, where=plain(where), casting="unsafe")
    return out


# -- methods --------------------------------------------------------------------------------------


def method(ufunc: Any, name: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """ufunc.reduce, accumulate, reduceat, outer and at."""
    if answer_to(ufunc) is None:
        return unanswered(ufunc, name, inputs, kwargs)
    return _METHODS[name](ufunc, *inputs, **kwargs)


def _reduce(
    ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
    keepdims: bool = False, initial: Any = np._NoValue, where: Any = True,
) -> Any:  # fmt: skip
    name = f"{ufunc.__name__}.reduce"
    x = operand(array, name)
    function = _REDUCTIONS.get(ufunc)
    expected = None
    asked = dtype is not None or initial is not np._NoValue or where is not True
    if function is None or asked or x._array.dtype.kind in "biu":
        options = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "initial": initial}
        check_mask(where, name)
        if where is not True:
            options["where"] = np.array(True)
        example = [x if x._array.ndim else x._array]
        expected = np.asarray(probe(ufunc, "reduce", tuple(example), options)).dtype
        if dtype is not None or expected.kind != "b":
            x = cast(x, expected)
    if x._array.ndim == 0:
        axis = None
    identity = None if initial is np._NoValue else initial
    if identity is not None and function is not None:
        identity = cast(operand(identity, name), expected or x._array.dtype)
    if function is None:
        result = _reduce_stepwise(ufunc, x, axis, keepdims, identity, where)
    else:
        if where is not True:
            fill: Any = identity if ufunc.identity is None else ufunc.identity
            x = searching.where(where, x, fill)
        if identity is None:
            result = function(x, axis=axis, keepdims=keepdims)
        else:
            result = reduced_from(identity, function, _answer(ufunc), x, axis, keepdims)
    if expected is not None:
        result = cast(result, expected)
    if ufunc is np.logaddexp and where is True and x._array.dtype.kind == "f":
        array = x._array
        if not (np.abs(array) < np.finfo(array.dtype).max / 2).all():
            np.logaddexp.reduce(array, axis, keepdims=keepdims)  # for its warnings
    out = out[0] if isinstance(out, tuple) else out
    return result if out is None else store(out, result, True, "same_kind", ufunc.__name__)


def reduced_from(
    initial: Any, function: Callable[..., Any], combine: Callable[..., Any], x: Any, axis: Any,
    keepdims: bool,
) -> Any:  # fmt: skip
    """A reduction that begins with a value, which is the result where there are no elements."""
    shape = x._array.shape
    axes = normalize_axes(axis, len(shape))
    if all(shape[i] for i in axes):
        return combine(initial, function(x, axis=axis, keepdims=keepdims))
    nothing = statistical.sum(x, axis=axis, keepdims=keepdims)  # 0, with its place in the graph
    return cast(arithmetic.add(initial, nothing), initial._array.dtype)


def _reduce_stepwise(
    ufunc: Any, x: Any, axis: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    """Each step: acc = ufunc(acc, x[i]) along the axes, one after the other, from `initial`."""
    ndim = x._array.ndim
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    step = _answer(ufunc)
    mask: Any = None if where is True else np.broadcast_to(np.asarray(plain(where)), x._array.shape)
    for a in sorted((normalize_axis(a, ndim) for a in axes), reverse=True):
        parts = list(manipulation.unstack(x, axis=a))
        kept: list[Any] = [True] * len(parts) if mask is None else list(np.moveaxis(mask, a, 0))
        start = ufunc.identity if initial is None else initial
        if initial is not None or not parts or mask is not None:
            shape = x._array.shape[:a] + x._array.shape[a + 1 :]
            parts.insert(0, wrap(np.full(shape, start, x._array.dtype)))
            kept.insert(0, True)
        total = parts[0]
        for part, where_here in zip(parts[1:], kept[1:], strict=True):
            found = step(total, part)
            total = found if where_here is True else searching.where(where_here, found, total)
        x = manipulation.expand_dims(total, axis=a) if keepdims else total
        # An initial value counts once: NumPy lets one axis only be reduced where that matters.
        mask = initial = None
    return x


def _accumulate(ufunc: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    x = operand(array, f"{ufunc.__name__}.accumulate")
    if not x._array.ndim:
        raise ArgumentTypeError(f"{ufunc.__name__}.accumulate: a scalar has no axis to go along")
    scan = _SCANS.get(ufunc)
    expected = None
    if scan is None or dtype is not None:
        expected = probe(ufunc, "accumulate", (x,), {"axis": axis, "dtype": dtype}).dtype
        x = cast(x, expected)
    if scan is not None:
        result = scan(x, axis=axis)
    elif not x._array.shape[axis]:
        result = x
    else:
        parts = list(manipulation.unstack(x, axis=axis))
        for i in range(1, len(parts)):
            parts[i] = _answer(ufunc)(parts[i - 1], parts[i])
        result = manipulation.stack(parts, axis=axis)
    if expected is not None:
        result = cast(result, expected)
    out = out[0] if isinstance(out, tuple) else out
    return result if out is None else store(out, result, True, "same_kind", ufunc.__name__)


def _reduceat(
    ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    x = operand(array, f"{ufunc.__name__}.reduceat")
    shape = tuple(n if i == axis % max(x._array.ndim, 1) else min(n, 1)
                  for i, n in enumerate(x._array.shape))  # fmt: skip
    with _numpys_errors(), np.errstate(all="ignore"):
        example = ufunc.reduceat(np.ones(shape, x._array.dtype), plain(indices), axis, dtype)
    axis = normalize_axis(axis, x._array.ndim)
    starts = [int(i) for i in np.asarray(plain(indices))]
    n = x._array.shape[axis]
    parts = []
    for k, start in enumerate(starts):
        stop = starts[k + 1] if k + 1 < len(starts) else n
        key = (slice(None),) * axis
        if stop > start:
            part = indexing.getitem(x, (*key, slice(start, stop)))
            parts.append(_reduce(ufunc, part, axis=axis, dtype=dtype))
        else:
            parts.append(indexing.getitem(x, (*key, start)))
    if parts:
        result = cast(manipulation.stack(parts, axis=axis), example.dtype)
    else:
        empty = x._array.shape[:axis] + (0,) + x._array.shape[axis + 1 :]
        result = wrap(np.empty(empty, example.dtype))
    out = out[0] if isinstance(out, tuple) else out
    return result if out is None else store(out, result, True, "same_kind", ufunc.__name__)


def _outer(ufunc: Any, a: Any, b: Any, /, **kwargs: Any) -> Any:
    a = operand(a, f"{ufunc.__name__}.outer")
    b = operand(b, f"{ufunc.__name__}.outer")
    lifted = manipulation.reshape(a, a._array.shape + (1,) * b._array.ndim)
    return call(ufunc, (lifted, b), kwargs)


def _at(ufunc: Any, a: Any, indices: Any, b: Any = None, /) -> None:
    name = f"{ufunc.__name__}.at"
    if not isinstance(a, TensorBase):
        if is_grad_enabled() and is_tracked(b):
            lose(f"{name} into a NumPy array", "make the target a tensor, ag.asarray(a)")
        ufunc.at(a, plain(indices), *(() if b is None else (plain(b),)))
        return
    check_write(a, name)
    key, _ = keys.normalize_key(indices)
    tracked = is_grad_enabled() and (node_of(a) is not None or is_tracked(b))
    if not tracked:
        with write_lock(a):
            prepare_write(a, name)
            ufunc.at(a._array, key, *(() if b is None else (plain(b),)))
        return
    if ufunc in (np.add, np.subtract):
        target = a._array
        shape = target[key].shape
        value = cast(operand(b, name), target.dtype)
        if value._array.shape != shape:
            value = view(BROADCAST_TO, value, shape=shape)
        assign(a, _answer(ufunc)(a, _added(value, key, target)), name)
        return
    _at_stepwise(ufunc, a, key, b, name)


def _added(value: Any, key: Any, target: Any) -> Any:
    """What each element of the target gets, in all of the view's places where it is."""
    if not may_overlap_itself(target.shape, target.strides, target.itemsize):
        return apply(indexing.SCATTER_ADD, value, key=key, shape=target.shape)
    offsets = np.zeros(target.shape, np.int64)
    for index, stride in zip(np.indices(target.shape, sparse=True), target.strides, strict=True):
        offsets += index * stride
    elements, element = np.unique(offsets, return_inverse=True)
    element = element.reshape(target.shape)
    shape = elements.shape
    sums = apply(indexing.SCATTER_ADD, value, key=(element[key],), shape=shape)
    return indexing.getitem(sums, element)


def _at_stepwise(ufunc: Any, a: Any, key: Any, b: Any, name: str) -> None:
    """One index after the other, so that repeated ones apply repeatedly."""
    places = np.arange(a._array.size).reshape(a._array.shape)[key]
    if b is not None:
        b = operand(b, name)
        if b._array.shape != places.shape:
            b = view(BROADCAST_TO, b, shape=places.shape)
        b = manipulation.reshape(b, (-1,))
    for k, place in enumerate(places.reshape(-1)):
        where = np.unravel_index(place, a._array.shape)
        old = indexing.getitem(a, tuple(int(i) for i in where))
        new = _answer(ufunc)(old) if b is None else _answer(ufunc)(old, indexing.getitem(b, k))
        indexing.setitem(a, tuple(int(i) for i in where), new)


_METHODS: dict[str, Callable[..., Any]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "outer": _outer,
    "at": _at,
}


def unanswered(ufunc: Any, name: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc that we have no rule for: computed if nothing is tracked, else refused by name."""
    function = ufunc if name == "__call__" else getattr(ufunc, name)
    label = getattr(ufunc, "__name__", str(ufunc)) + ("" if name == "__call__" else f".{name}")
    if is_grad_enabled() and (is_tracked(inputs) or is_tracked(kwargs)):
        lose(
            f"the ufunc {label} has no derivative rule here and",
            "state its derivative with ag.primitive",
        )
    for out in kwargs.get("out") or ():
        if isinstance(out, TensorBase):
            check_writeable(out, label)
            prepare_write(out, label)
    result = function(*plain(inputs), **plain(kwargs))
    outs = kwargs.get("out") or ()
    if outs:
        return outs[0] if len(outs) == 1 else outs
    return tensors(result)
