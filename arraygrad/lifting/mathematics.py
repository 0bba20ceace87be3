"""``math`` and ``cmath`` on tensors: with a tracked argument the result keeps the gradient.

Python's function runs first in any case: its domain errors (``math.sqrt(-1.0)``) are what code
written for floats catches, and plain arguments need nothing else.
"""

from __future__ import annotations

import cmath
import functools
import math
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .. import numpy as tensor_numpy
from .._apply import node_of, scalar_class, wrap
from .._detach import as_pythons, lose
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..interop.lookup import answer_to
from ..numpy._types import converted
from ..numpy._ufuncs import Ufunc
from ..ops import arithmetic, exponential
from . import stand_ins

xp: Any = tensor_numpy

_DOUBLES = (np.dtype(np.float64), np.dtype(np.complex128))
SCALAR = scalar_class()
_EXACT = 2**53
"""Integers below are the same in double precision."""


def _scalar(x: Any) -> Any:
    """A tensor of one element as a scalar in double precision; numbers as they are."""
    if not isinstance(x, TensorBase) or x._array.size != 1:
        return x
    kind = np.complex128 if x._array.dtype.kind == "c" else np.float64
    return converted(x.reshape(()) if x._array.ndim else x, kind)  # type: ignore[attr-defined]


def _plain(x: Any) -> Any:
    if isinstance(x, TensorBase):
        return x._array.tolist() if x._array.size != 1 else x._array.item()
    if isinstance(x, list | tuple):
        return [
            item._array if isinstance(item, TensorBase) and item._array.ndim else _plain(item)
            for item in x
        ]
    return x


def _tracked(x: Any) -> bool:
    if isinstance(x, TensorBase):
        return node_of(x) is not None
    return isinstance(x, list | tuple) and any(map(_tracked, x))


def rule(real: Callable[..., Any], ours: Callable[..., Any] | None) -> Callable[..., Any]:
    """`real` on numbers; `ours` on scalars if one of them is tracked (None: refused)."""
    direct: Any = ours  # for a ufunc: our function, looked up in the first call

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        nonlocal direct
        if len(args) == 1 and type(args[0]) is float and not kwargs:
            return real(args[0])
        numbers: list[Any] = []
        tracked = False
        for a in args:
            if type(a) is float or (type(a) is int and -_EXACT < a < _EXACT):
                numbers.append(a)
                continue
            if not isinstance(a, TensorBase):
                return general(args, kwargs)
            array = a._array
            if array.ndim or array.dtype not in _DOUBLES:
                return general(args, kwargs)
            numbers.append(array.item())
            tracked = tracked or node_of(a) is not None
        if kwargs:
            return general(args, kwargs)
        value = real(*numbers)
        if not tracked or not is_grad_enabled():
            return value
        if direct is None:
            return general(args, kwargs)
        if type(direct) is Ufunc:
            direct = answer_to(direct.__wrapped__) or ours
        out = direct(*args)
        if type(out) is not SCALAR or out is args[0]:
            return out if isinstance(out, tuple) else _as_scalar(out)
        return as_pythons(out)

    def general(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if all(type(a) is float or type(a) is int for a in args):
            return real(*args, **kwargs)
        args = tuple([
            a if isinstance(a, TensorBase)
            else list(a) if hasattr(a, "__next__") else stand_ins.as_number_of_user(a)
            for a in args
        ])  # fmt: skip
        value = real(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
        if not is_grad_enabled() or not any(map(_tracked, args)):
            return value
        if ours is None:
            lose(f"{real.__module__}.{real.__name__} has no derivative rule in arraygrad and")
            return value
        args = tuple(_scalar(a) if isinstance(a, TensorBase) else a for a in args)
        out = ours(*args, **kwargs)
        return out if isinstance(out, tuple) else _as_scalar(out)

    return function


def _as_scalar(x: Any) -> Any:
    if not isinstance(x, TensorBase) or x._array.ndim:  # math.prod([array]) is an array
        return x
    return as_pythons(wrap(x._array[()], node_of(x)))


def constant(real: Callable[..., Any]) -> Callable[..., Any]:
    """A function without a derivative (rounding, comparison, integers): plain values."""

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            return real(_plain(args[0]))
        return real(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})

    return function


def _log(x: Any, base: Any = None) -> Any:
    if base is None:
        log: Any = exponential.log if isinstance(x, TensorBase) else xp.log
        return log(x)
    return xp.log(x) / xp.log(base)


def _hypot(*xs: Any) -> Any:
    if len(xs) == 2 and isinstance(xs[0], TensorBase):
        return arithmetic.hypot(*xs)
    return functools.reduce(xp.hypot, xs) if len(xs) > 1 else xp.abs(xs[0])


def _dist(p: Any, q: Any) -> Any:
    return xp.linalg.norm(xp.asarray(p) - xp.asarray(q))


def _sum(xs: Any) -> Any:
    return functools.reduce(operator.add, list(xs), 0.0)


def _prod(xs: Any, *, start: Any = 1) -> Any:
    return functools.reduce(operator.mul, list(xs), start)


def _modf(x: Any) -> Any:
    whole = xp.trunc(x)
    return x - whole, _plain(whole)


def _frexp(x: Any) -> Any:
    _, exponent = math.frexp(_plain(x))
    return x * 2.0**-exponent, exponent


def _ldexp(x: Any, i: Any) -> Any:
    return x * 2.0 ** _plain(i)


def _nextafter(x: Any, y: Any, *, steps: Any = None) -> Any:
    """X but for rounding, as `arraygrad.nextafter`; y where the steps lead there."""
    if steps is None:
        return xp.nextafter(x, y)
    given, limit = _plain(x), _plain(y)
    value = math.nextafter(given, limit, steps=_plain(steps))  # type: ignore[call-arg]  # 3.12
    has_arrived = value == limit != given and _plain(steps) > 1
    origin = y if has_arrived else x
    return wrap(np.float64(value), node_of(xp.positive(origin)))


def _special(name: str) -> Callable[[Any], Any]:
    """A function of arraygrad.special, found when it is used."""

    def function(x: Any) -> Any:
        return getattr(import_module("arraygrad.special"), name)(x)

    return function


def _erf(name: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return getattr(exponential, name)(x)

    return function


def _polar(z: Any) -> Any:
    return xp.abs(z), xp.angle(z)


def _rect(r: Any, phi: Any) -> Any:
    return r * xp.exp(1j * phi)


_REAL: dict[str, Any] = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "cbrt": "cbrt", "copysign": "copysign", "cos": "cos",
    "cosh": "cosh", "degrees": "degrees", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
    "fabs": "abs", "fmod": "fmod", "log10": "log10", "log1p": "log1p", "log2": "log2",
    "pow": "power", "radians": "radians", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt",
    "tan": "tan", "tanh": "tanh",
    "log": _log, "hypot": _hypot, "dist": _dist, "fsum": _sum, "prod": _prod, "modf": _modf,
    "frexp": _frexp, "ldexp": _ldexp, "erf": _erf("erf"), "erfc": _erf("erfc"),
    "gamma": _special("gamma"), "lgamma": _special("gammaln"),
    "remainder": lambda x, y: x - y * xp.rint(_plain(x) / _plain(y)),
    "sumprod": lambda p, q: _sum(a * b for a, b in zip(p, q, strict=True)),
    "fma": lambda x, y, z: x * y + z,
    "fmax": "fmax", "fmin": "fmin", "nextafter": _nextafter,
}  # fmt: skip
_COMPLEX: dict[str, Any] = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh", "cos": "cos", "cosh": "cosh", "exp": "exp", "log": _log, "log10": "log10",
    "phase": "angle", "polar": _polar, "rect": _rect, "sin": "sin", "sinh": "sinh", "sqrt": "sqrt",
    "tan": "tan", "tanh": "tanh",
}  # fmt: skip
# Integers, truth values and the unit in the last place: nothing to differentiate.
_CONSTANT = frozenset({
    "ceil", "comb", "factorial", "floor", "gcd", "isclose", "isfinite", "isinf", "isnan", "isqrt",
    "lcm", "perm", "trunc", "ulp",
})  # fmt: skip


def _named(ours: Any) -> Any:
    if not isinstance(ours, str):
        return ours
    return getattr(xp, ours)


def _twins(module: Any, rules: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, real in vars(module).items():
        if name.startswith("_") or not callable(real):
            continue
        if name in _CONSTANT:
            found[name] = constant(real)
        else:
            ours = rules.get(name)
            if module is cmath and isinstance(ours, str) and name not in ("phase",):
                found[name] = rule(real, _on_complex(ours))
            else:
                found[name] = rule(real, _named(ours))
    return found


def _on_complex(name: str) -> Callable[..., Any]:
    function = getattr(xp, name)
    return lambda z, *rest: function(z + 0j, *rest)


MATH = _twins(math, _REAL)
CMATH = _twins(cmath, _COMPLEX)
