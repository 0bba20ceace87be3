"""Functions on plain arrays with derivatives that the user gives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import node_of, wrap
from .._errors import ArgumentError, ArgumentTypeError
from .._graph import is_grad_enabled
from .._storage import TensorBase
from .function import Function

__all__ = ["primitive"]


def primitive(
    f: Callable[..., Any] | None = None,
    *,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A differentiable function from one on plain arrays and its derivatives.

    For code that tensors cannot enter: compiled extensions, simulators, table look-ups.

    Parameters
    ----------
    f : callable
        Takes plain arrays (in place of tensors) and anything else; returns an array or a tuple of
        arrays. It must not write to its arguments: beside a tensor all arrays are read-only.
    vjp : callable, optional
        ``vjp(g, out, *args, **kwargs)`` returns the cotangent of each positional argument (None
        where there is none), as a tuple unless there is one argument.
    jvp : callable, optional
        ``jvp(tangents, out, *args, **kwargs)`` returns the tangent of the result; `tangents` is a
        tuple with None for arguments that do not move.

    Returns
    -------
    callable
        Takes tensors and arrays; plain where all arguments are. Without `f`, a decorator.

    Notes
    -----
    `vjp` and `jvp` get plain arrays, and tensors when a higher derivative is being recorded:
    written with NumPy functions, operators, or other primitives they can be differentiated again.

    Examples
    --------
    >>> import numpy as np, arraygrad as ag
    >>> cube = ag.primitive(lambda x: x**3, vjp=lambda g, out, x: g * 3 * x**2)
    >>> ag.grad(cube)(2.0)
    12.0
    """
    if f is None:
        return lambda function: primitive(function, vjp=vjp, jvp=jvp)
    if not callable(f):
        raise ArgumentTypeError(f"primitive decorates a function, not {f!r}")
    if vjp is None and jvp is None:
        raise ArgumentError("primitive needs vjp=, jvp=, or both")
    function = _function_of(f, vjp, jvp)

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        for name, value in kwargs.items():
            if isinstance(value, TensorBase) and node_of(value) is not None:
                raise ArgumentError(
                    f"{name}: pass what is differentiated by position, not by keyword"
                )
        if not any(isinstance(a, TensorBase) for a in args):
            return f(*args, **kwargs)
        return function.apply(kwargs, *args)

    return wrapped


def _array(x: Any) -> Any:
    """What a user's function gets of an argument: of arrays a view that NumPy refuses to write."""
    if isinstance(x, TensorBase):
        x = x._array[()]
    if type(x) is np.ndarray:
        x = x[...]
        x.flags.writeable = False
    return x


def _kept(x: Any) -> Any:
    """A NumPy array belongs to its owner, who may overwrite it before the derivative is asked."""
    return _array(x.copy()) if type(x) is np.ndarray else x


def _refused(error: ValueError, name: str) -> ArgumentError:
    return ArgumentError(
        f"primitive {name} writes to an argument ({error}), from which its derivative is computed; "
        "let it write to a copy: x = x.copy()"
    )


def _call(name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A call of the user's function; what it says of read-only arrays in our words."""
    try:
        return function(*args, **kwargs)
    except ValueError as error:
        if "read-only" in str(error) or "readonly" in str(error):
            raise _refused(error, name) from error
        raise


def _same(x: Any) -> Any:
    return x


def _own(out: Any, args: tuple[Any, ...]) -> Any:
    """The result as a tensor over memory that is not an argument's."""
    array = np.asarray(out)
    if array.base is not None or any(array is a for a in args):
        array = array.copy()
    return wrap(array if array.ndim else array[()])


def _function_of(
    f: Callable[..., Any], vjp: Callable[..., Any] | None, jvp: Callable[..., Any] | None
) -> type[Function]:
    def forward(ctx: Any, kwargs: dict[str, Any], *args: Any) -> Any:
        plain = tuple(_array(a) for a in args)
        out = _call(name, f, *plain, **kwargs)
        results = tuple(_own(o, plain) for o in (out if isinstance(out, tuple) else (out,)))
        ctx.several = isinstance(out, tuple)
        ctx.others = tuple(None if isinstance(a, TensorBase) else _kept(a) for a in args)
        ctx.is_tensor = tuple(isinstance(a, TensorBase) for a in args)
        ctx.kwargs = kwargs
        ctx.save_for_backward(*(a for a in args if isinstance(a, TensorBase)), *results)
        return results if ctx.several else results[0]

    def given(ctx: Any, *leading: Any) -> tuple[Any, Any, list[Any]]:
        """Leading values, result and arguments: tensors where one is tracked, else arrays."""
        saved = ctx.saved_tensors
        tensors = [*saved, *leading]
        recorded = is_grad_enabled() and any(
            isinstance(t, TensorBase) and node_of(t) is not None for t in tensors
        )
        shown: Callable[[Any], Any] = _same if recorded else _array
        count = sum(ctx.is_tensor)
        remaining = iter(saved[:count])
        args = [
            shown(next(remaining) if is_tensor else other)
            for is_tensor, other in zip(ctx.is_tensor, ctx.others, strict=True)
        ]
        outs = tuple(shown(t) for t in saved[count:])
        # Others may hold the memory of a cotangent: a user's function that writes gets a copy.
        first = [t if recorded or t is None else np.array(t._array)[()] for t in leading]
        return first, outs if ctx.several else outs[0], args

    def backward(ctx: Any, *g: Any) -> Any:
        shown, out, args = given(ctx, *g)
        assert vjp is not None
        g_shown = tuple(shown) if ctx.several else shown[0]
        found = _call(name, vjp, g_shown, out, *args, **ctx.kwargs)
        found = found if isinstance(found, tuple | list) else (found,)
        return (None, *found)

    def push(ctx: Any, _: Any, *tangents: Any) -> Any:
        assert jvp is not None
        shown, out, args = given(ctx, *tangents)
        return _call(name, jvp, tuple(shown), out, *args, **ctx.kwargs)

    def no_vjp(ctx: Any, *g: Any) -> Any:
        raise ArgumentError(
            f"the primitive {name} has only a jvp, so it works in forward mode: use ag.jvp or "
            "ag.jacfwd, or give it vjp="
        )

    name = getattr(f, "__name__", "primitive")
    members: dict[str, Any] = {
        "_primitive": name,
        "_hidden": 1,
        "forward": staticmethod(forward),
        "backward": staticmethod(no_vjp if vjp is None else backward),
    }
    if jvp is not None:
        members["jvp"] = staticmethod(push)
    return type(name if name.isidentifier() else "Primitive", (Function,), members)
