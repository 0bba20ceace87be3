"""NumPy's protocols: ``__array__``, ``__array_ufunc__`` and ``__array_function__``.

NumPy's functions are looked up by object in ANSWERS. What has no answer runs on plain arrays if
nothing is tracked, and is refused by name if something is: a gradient is never lost silently.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._answers import ANSWERS
from .._apply import node_of, wrap
from .._errors import ArgumentError, DetachError
from .._graph import is_grad_enabled
from .._storage import TensorBase, pin

# Types that know better than we do what an operation between us and them means.
_FOREIGN = ("dask", "xarray", "pandas", "torch", "jax", "jaxlib", "pint", "polars", "sparse")


def to_ndarray(x: Any, dtype: Any, copy: bool | None) -> Any:
    """The tensor's memory as an ndarray; shared unless a copy is asked for or needed."""
    array = x._array
    if dtype is not None and np.dtype(dtype) != array.dtype:
        if copy is False:
            raise ArgumentError(
                f"a tensor of dtype {array.dtype} becomes an array of dtype {np.dtype(dtype)} only "
                "by a copy; leave copy=None"
            )
        return array.astype(dtype)
    if copy:
        return array.copy()
    pin(x)
    return array.view()


def is_tracked(x: Any) -> bool:
    """Whether an argument (or something inside a list, tuple or dict) carries a gradient."""
    if isinstance(x, TensorBase):
        return node_of(x) is not None
    if isinstance(x, list | tuple):
        return any(is_tracked(item) for item in x)
    if isinstance(x, dict):
        return any(is_tracked(item) for item in x.values())
    return False


def plain(x: Any) -> Any:
    """The argument with tensors replaced by the arrays below them."""
    if isinstance(x, TensorBase):
        return x._array
    if isinstance(x, list):
        return [plain(item) for item in x]
    if type(x) is tuple:
        return tuple(plain(item) for item in x)
    if isinstance(x, tuple):
        return type(x)(*(plain(item) for item in x))
    if isinstance(x, dict):
        return {key: plain(item) for key, item in x.items()}
    return x


def tensors(x: Any) -> Any:
    """The result with arrays replaced by tensors."""
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "biufcV":
        return wrap(x if x.base is None or isinstance(x, np.generic) else x.copy())
    if isinstance(x, tuple) and type(x) is tuple:
        return tuple(tensors(item) for item in x)
    if isinstance(x, list):
        return [tensors(item) for item in x]
    return x


def _defers(arguments: Any) -> bool:
    return any(type(a).__module__.partition(".")[0] in _FOREIGN for a in arguments)


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer a NumPy ufunc that met a tensor."""
    if _defers(inputs):
        return NotImplemented
    if method == "__call__" and not kwargs:
        answer = ANSWERS.get(ufunc)
        if answer is not None:
            return answer(*inputs)
    return _unanswered(f"np.{ufunc.__name__}.{method}", getattr(ufunc, method), inputs, kwargs)


def array_function(func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Answer a NumPy function that met a tensor."""
    if any(t.__module__.partition(".")[0] in _FOREIGN for t in types):
        return NotImplemented
    answer = ANSWERS.get(func)
    if answer is not None:
        return answer(*args, **kwargs)
    return _unanswered(f"np.{func.__name__}", func, args, kwargs)


def _unanswered(name: str, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
        raise DetachError(
            f"{name} has no derivative rule in arraygrad and would lose the gradient; use "
            "x.detach(), or run under `with ag.no_grad():`"
        )
    return tensors(function(*plain(args), **plain(kwargs)))
