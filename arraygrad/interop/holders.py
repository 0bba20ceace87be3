"""Who else sees an array of NumPy's that ``array += tensor`` writes into.

Python binds the name on the left to what the operator returns, a tensor with the gradient. Others
that hold the array (the caller's variable, a list, the array that it is a row of) would see its
values alone. How many hold it is what Python counts, less what the call itself holds: that is
measured once for each operator, on an array that has one name.

Python 3.14 and later lend local variables, uncounted: to the instruction that uses them where it
follows in straight code, and to a function called with them, whose own variable counts nothing.
"""

from __future__ import annotations

import opcode
import sys
from _thread import _local as local  # what threading wraps, without its import
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from .._apply import wrap
from .._detach import set_detach_policy
from ..autograd.modes import enable_grad

_OPERATORS = {
    "add": "+=",
    "subtract": "-=",
    "multiply": "*=",
    "divide": "/=",
    "floor_divide": "//=",
    "remainder": "%=",
    "power": "**=",
    "matmul": "@=",
}
_SOURCES = {
    True: "def run(make, t):\n    a = make()\n    a {} t\n",
    False: "def run(make, t):\n    global a\n    a = make()\n    a {} t\n",
}
_LENDS = "LOAD_FAST_BORROW" in opcode.opmap
# (ufunc's name, whether a local variable is on the left, where NumPy called us) -> references to an
# array with one name.
_USUAL: dict[tuple[str, bool, CodeType], int] = {}


class _Measuring(local):
    counts: list[int] | None = None


_MEASURING = _Measuring()


def has_one_name(out: Any, name: str) -> bool:
    """Whether an in-place operator is running, and nobody but the name on its left holds `out`."""
    count = sys.getrefcount(out)
    if _MEASURING.counts is not None:
        _MEASURING.counts.append(count)
        return True
    frame, entrance = _user()
    following = _after_operator(frame)
    if following is None or name not in _OPERATORS or frame is None:
        return False
    if str(frame.f_globals.get("__name__", "")).startswith("numpy."):
        return True  # NumPy's own code: what else it calls the array it does not look at again
    key = (name, following.startswith("STORE_FAST"), entrance.f_code)
    usual = _USUAL.get(key)
    if usual is None:
        usual = _USUAL[key] = _measured(name, key[1], entrance)
    if _LENDS and key[1]:
        if any(value is out for value in _variables(frame.f_back)):
            return False
        usual += not _is_lent(frame)
    return count <= usual and _owns_its_memory(out)


def _user() -> tuple[FrameType | None, FrameType]:
    """The innermost frame that is not ours, and the frame of ours that it called."""
    entrance = sys._getframe(2)
    frame = entrance.f_back
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("arraygrad."):
        entrance, frame = frame, frame.f_back
    return frame, entrance


def _after_operator(frame: FrameType | None) -> str | None:
    """The instruction after the operator that a frame is at; None if it is at something else."""
    if frame is None or frame.f_lasti < 0:
        return None
    code = frame.f_code.co_code
    at = frame.f_lasti
    if opcode.opname[code[at]] != "BINARY_OP":
        return None
    at += 2
    while at < len(code) and (not code[at] or code[at] == opcode.EXTENDED_ARG):
        at += 2  # what the interpreter keeps beside its instructions
    return opcode.opname[code[at]] if at < len(code) else None


def _variables(frame: FrameType | None) -> list[Any]:
    return [] if frame is None else list(frame.f_locals.values())


def _is_lent(frame: FrameType) -> bool:
    """Whether the operator that a frame is at got the local variable on its left uncounted.

    The operator and what loaded its left operand begin at the same place of the source. Where that
    is not seen, as in `a = f(); a += t` on one line, the answer is the one that never loses: True.
    """
    code, last = frame.f_code.co_code, frame.f_lasti // 2
    places = [(line, column) for line, _, column, _ in frame.f_code.co_positions()]
    if None not in places[last]:  # as without debug ranges
        for i in range(last - 1, -1, -1):
            if places[i] == places[last]:
                name = opcode.opname[code[2 * i]]
                if name.startswith("LOAD_FAST"):
                    return "BORROW" in name
    return True


def _measured(name: str, is_local: bool, entrance: FrameType) -> int:
    """References to an array with one name, where NumPy calls us at `entrance`."""
    namespace: dict[str, Any] = {}
    exec(_SOURCES[is_local].format(_OPERATORS[name]), namespace)
    shape = (1, 1) if name == "matmul" else (1,)
    tensor = wrap(np.ones(shape))
    tensor.requires_grad = True
    kind: Any = next(c for c in type(tensor).__mro__ if "__array_ufunc__" in vars(c))
    now = kind.__array_ufunc__
    if now.__code__ is not entrance.f_code:  # the first call of a process arrives in another way
        kind.__array_ufunc__ = FunctionType(entrance.f_code, entrance.f_globals)
    _MEASURING.counts = []
    try:
        with enable_grad(), set_detach_policy("error"):
            namespace["run"](lambda: np.ones(shape), tensor)
        return max(_MEASURING.counts)
    finally:
        _MEASURING.counts = None
        kind.__array_ufunc__ = now


def _owns_its_memory(array: Any) -> bool:
    """Whether no other array or object of the user's views the same memory."""
    view = np.ones(2)[:1]
    alone = sys.getrefcount(view.base)
    while array.base is not None:
        if not isinstance(array.base, np.ndarray) or sys.getrefcount(array.base) > alone:
            return False
        array = array.base
    return True
