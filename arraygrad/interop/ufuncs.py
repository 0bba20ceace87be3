"""NumPy ufuncs on tensors: call and methods, with ``out=``, ``where=``, ``dtype=``, ``casting=``.

The answer to a ufunc is looked up by object in ANSWERS; everything else (methods, out, where) is
made here from the answer, once for all ufuncs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import BROADCAST_TO, apply, cast, node_of, operand, view, wrap
from .._detach import lose
from .._errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from .._graph import is_grad_enabled
from .._layout import broadcast_shapes, normalize_axis
from .._storage import TensorBase, check_writeable, prepare_write, write_lock
from .._writes import assign, check_write
from ..ops import indexing, manipulation, searching, statistical, utility
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
    np.logaddexp: statistical.logsumexp,
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
    dtype = kwargs.pop("dtype", None)
    casting = kwargs.pop("casting", "same_kind")
    kwargs.pop("order", None)
    kwargs.pop("subok", None)
    signature = kwargs.pop("signature", kwargs.pop("sig", None))
    if dtype is None and signature is not None:
        dtype = _signature_dtype(signature)
    if dtype is not None:
        dtype = _instance(dtype, inputs)
        inputs = tuple(_as(x, dtype, casting, ufunc) for x in inputs)
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


def _instance(dtype: Any, inputs: tuple[Any, ...]) -> Any:
    """A dtype for dtype=, which may be a class of dtypes, ``type(x.dtype)``."""
    if isinstance(dtype, type) and issubclass(dtype, np.dtype):
        for x in inputs:
            if isinstance(x, TensorBase) and isinstance(x._array.dtype, dtype):
                return x._array.dtype
        made: Any = dtype
        return made()
    return np.dtype(dtype)


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


def _signature_dtype(signature: Any) -> Any:
    """The one dtype that a ufunc signature asks for."""
    parts = signature if isinstance(signature, tuple) else signature.replace("->", "")
    kinds = {np.dtype(p) for p in parts if p is not None}
    if len(kinds) != 1:
        raise ArgumentError(f"signature={signature!r}: tensors take one dtype; use dtype=...")
    return kinds.pop()


def _as(x: Any, dtype: np.dtype[Any], casting: str, ufunc: Any) -> Any:
    x = operand(x, ufunc.__name__)
    if not np.can_cast(x._array.dtype, dtype, casting) and x._array.ndim:  # type: ignore[arg-type]
        raise DTypeError(
            f"{ufunc.__name__}: dtype={dtype} does not take {x._array.dtype} under "
            f"casting={casting!r}"
        )
    return cast(x, dtype)


def _masked(result: Any, where: Any, old: Any) -> Any:
    """Results where the mask is true; elsewhere `old`, or 0 where NumPy leaves garbage."""
    if isinstance(result, tuple):
        return tuple(_masked(r, where, old) for r in result)
    return searching.where(where, result, 0 if old is None else old)


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
        if inputs and inputs[0] is out:
            # `array += tensor`: the name on the left is bound to what we return, and keeps the
            # gradient; the array's own memory gets the values for whoever else sees it.
            np.copyto(out, result._array, casting="unsafe")
            return result if where is True else _masked(result, where, wrap(out.copy()))
        lose(f"{name} with a NumPy array as out=", "pass a tensor (ag.zeros(...)) or no out=")
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
    keepdims: bool = False, initial: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    x = operand(array, f"{ufunc.__name__}.reduce")
    if dtype is not None:
        x = cast(x, dtype)
    if where is not True:
        identity = initial if ufunc.identity is None else ufunc.identity
        if identity is None:
            raise ArgumentError(
                f"{ufunc.__name__}.reduce with where= needs initial=, as it has no identity"
            )
        x = searching.where(where, x, identity)
    function = _REDUCTIONS.get(ufunc)
    if x._array.ndim == 0:
        axis = None
    if function is not None:
        result = function(x, axis=axis, keepdims=keepdims)
    else:
        result = _reduce_stepwise(ufunc, x, axis, keepdims)
    if initial is not None and initial is not np._NoValue:
        result = _answer(ufunc)(initial, result)
    if dtype is not None:
        result = cast(result, dtype)
    out = out[0] if isinstance(out, tuple) else out
    return result if out is None else store(out, result, True, "same_kind", ufunc.__name__)


def _reduce_stepwise(ufunc: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """Each step: acc = ufunc(acc, x[i]) along the axes, one after the other."""
    ndim = x._array.ndim
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for a in sorted((normalize_axis(a, ndim) for a in axes), reverse=True):
        parts = manipulation.unstack(x, axis=a)
        if not parts:
            if ufunc.identity is None:
                raise ArgumentError(f"{ufunc.__name__}.reduce of an empty axis has no value")
            shape = x._array.shape[:a] + x._array.shape[a + 1 :]
            x = wrap(np.full(shape, ufunc.identity, x._array.dtype))
        else:
            x = functools.reduce(_answer(ufunc), parts)
        if keepdims:
            x = manipulation.expand_dims(x, axis=a)
    return x


def _accumulate(ufunc: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    x = operand(array, f"{ufunc.__name__}.accumulate")
    if dtype is not None:
        x = cast(x, dtype)
    scan = _SCANS.get(ufunc)
    if scan is not None:
        result = scan(x, axis=axis)
    elif not x._array.shape[axis]:
        result = x
    else:
        parts = list(manipulation.unstack(x, axis=axis))
        for i in range(1, len(parts)):
            parts[i] = _answer(ufunc)(parts[i - 1], parts[i])
        result = manipulation.stack(parts, axis=axis)
    out = out[0] if isinstance(out, tuple) else out
    return result if out is None else store(out, result, True, "same_kind", ufunc.__name__)


def _reduceat(
    ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    x = operand(array, f"{ufunc.__name__}.reduceat")
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
    result = manipulation.stack(parts, axis=axis)
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
    key, _ = indexing.normalize_key(indices)
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
        added = apply(indexing.SCATTER_ADD, value, key=key, shape=target.shape)
        assign(a, _answer(ufunc)(a, added), name)
        return
    _at_stepwise(ufunc, a, key, b, name)


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
