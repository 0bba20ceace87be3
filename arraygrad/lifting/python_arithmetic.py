"""Where arithmetic of Python's numbers is another than that of NumPy's.

In a derivative by Python's numbers scalars stand for floats. A division of floats by zero raises
ZeroDivisionError, where NumPy gives infinity and warns; a fractional power of a negative float is
complex, where NumPy gives NaN. NumPy tells of such an element while it computes; nothing is asked
where all is well.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._apply import node_of
from .._detach import is_pythons
from .._errors import ArgumentError
from .._graph import INPUTS, OP
from .._op import Op
from .._scalars import divided, operated
from .._short import of_scalars
from .._storage import TensorBase
from . import stand_ins

# What computes by NumPy's scalars, whose words are "scalar multiply".
_OF_SCALARS = {f.__code__ for f in (of_scalars, operated, divided)}
_DIVISIONS = frozenset({"truediv", "floordiv", "mod", "divmod"})
# Operations that Python's numbers have as well: what they give of floats are floats.
_ARITHMETIC = frozenset({
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "negative", "positive",
    "abs", "pow", "square", "reciprocal", "sqrt", "alias", "astype",
})  # fmt: skip


def as_of_floats(asks: bool) -> contextlib.AbstractContextManager[Any]:
    """Within it operators on floats raise what Python raises.

    Parameters
    ----------
    asks : bool
        Whether the code names ZeroDivisionError or OverflowError: then it means its own numbers,
        however they were computed.
    """
    kinds = [k for k in ("divide", "invalid", "over") if np.geterr()[k] == "warn"]

    def told(kind: str, flag: int) -> None:
        _raise(kind, asks)
        warnings.warn(f"{kind} encountered in {_name_of_op()}", RuntimeWarning, stacklevel=2)

    return np.errstate(call=told, **dict.fromkeys(kinds, "call"))  # type: ignore[arg-type]


def among_floats(function: Callable[..., Any], asks: bool) -> Callable[..., Any]:
    """The function, run so."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with as_of_floats(asks):
            return function(*args, **kwargs)

    return run


def _raise(kind: str, asks: bool) -> None:
    operator, left, right = _operator()
    if operator not in _DIVISIONS and operator != "pow":
        return
    if not all(isinstance(x, float | int) or _is_float(x, asks) for x in (left, right)):
        return
    if operator in _DIVISIONS:
        if right == 0:
            raise ZeroDivisionError("float division by zero")
    elif kind == "divide by zero":
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    elif kind == "overflow":
        raise OverflowError(34, "Numerical result out of range")
    elif left < 0:
        raise ArgumentError(
            f"{stand_ins.like_user(left)} ** {stand_ins.like_user(right)} of Python's numbers is "
            "complex; write complex(x) for x to have it so, or np.float64(x) to have NumPy's nan"
        )


def _is_float(x: Any, asks: bool) -> bool:
    """Whether a scalar is one of Python's numbers: marked as such, or computed from them alone."""
    if not isinstance(x, TensorBase) or not stand_ins.is_scalar(x):
        return False
    if asks or is_pythons(x):
        return True
    todo, done = [node_of(x)], set()
    while todo:
        node = todo.pop()
        if node is None or id(node) in done:
            continue
        done.add(id(node))
        op = node[OP]
        if isinstance(op, Op) and op.name in _ARITHMETIC:
            todo.extend(node[INPUTS])
        elif node[INPUTS] or len(done) > 1000:
            return False
    return True


def _operator() -> tuple[str, Any, Any]:
    """The operator that is being computed, and its operands; empty if it was called by name."""
    frame = sys._getframe(3)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("arraygrad"):
        name = frame.f_code.co_name.strip("_")
        if "other" in frame.f_locals and "self" in frame.f_locals:
            left, right = frame.f_locals["self"], frame.f_locals["other"]
            if name.startswith("r") and name[1:] in _DIVISIONS | {"pow"}:
                return name[1:], right, left
            return name.removeprefix("i") if name != "invert" else name, left, right
        frame = frame.f_back  # type: ignore[assignment]
    return "", None, None


def _name_of_op() -> str:
    frame = sys._getframe(2)
    while frame is not None and not isinstance(frame.f_locals.get("op"), Op):
        frame = frame.f_back  # type: ignore[assignment]
    name = "" if frame is None else frame.f_locals["op"].name
    said = str(getattr(getattr(np, name, None), "__name__", name))
    is_scalar = getattr(frame, "f_code", None) in _OF_SCALARS
    return f"scalar {said}" if is_scalar else said
