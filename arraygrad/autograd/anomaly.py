"""Finding the first NaN: which op made it, of which operands, on which line of the user's code.

Every result is looked at while `detect_anomaly` is active. A NaN whose operands hold none is a
birth; it is reported when it reaches a value that is differentiated, or a gradient: the NaNs of
branches that `where` does not select harm nobody. Births and lines are kept in the nodes.
"""

from __future__ import annotations

import linecache
import os
import sys
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, Literal

import numpy as np

from .._apply import RESULT, node_of
from .._engine import ancestors
from .._errors import AnomalyError
from .._graph import (
    HOOKS,
    INPUTS,
    OBSERVERS,
    OP,
    PULL_OBSERVERS,
    TRACE,
    VALUES,
    Node,
    Packed,
    node_name,
)
from .._op import Op
from .._storage import TensorBase

__all__ = ["check_value", "detect_anomaly"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_NUMPY = os.path.dirname(os.path.realpath(np.__file__))


class _Settings:
    __slots__ = ("inf", "now")

    def __init__(self, inf: bool, now: bool) -> None:
        self.inf = inf
        self.now = now


_ACTIVE: ContextVar[_Settings | None] = ContextVar("arraygrad_anomaly", default=None)


class TraceNote:
    """Where a node was made, and the report of a NaN that was born there (or None)."""

    __slots__ = ("birth", "place")

    def __init__(self, place: str, birth: str | None) -> None:
        self.place = place
        self.birth = birth


def _user_line() -> str:
    """The innermost line outside arraygrad and NumPy, as 'file:line: source'."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_PACKAGE, _NUMPY)):
            source = linecache.getline(name, frame.f_lineno).strip()
            where = f'file "{name}", line {frame.f_lineno}, in {frame.f_code.co_name}'
            return f"{where}: {source}" if source else where
        frame = frame.f_back
    return "an unknown line"


def _bad(array: Any, inf: bool) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fcV":
        return None
    found = ~np.isfinite(array) if inf else np.isnan(array)
    return found if found.any() else None


def _report(op: Op, out: Any, bad: Any, arrays: tuple[Any, ...], place: str) -> str:
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    lines = [
        f"{op.name} made {out[index]} at index {index} of its result (shape {out.shape}, dtype "
        f"{out.dtype}), {int(bad.sum())} such element{'s' * (int(bad.sum()) != 1)}",
        f"  {place}",
    ]
    for name, array in zip(op.args if not op.variadic else (), arrays, strict=False):
        lines.append(f"  {name}: {_operand(op, array, index, out.shape)}")
    return "\n".join(lines)


def _operand(op: Op, array: Any, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    what = f"shape {array.shape}, dtype {array.dtype}"
    if op.family == "elementwise":
        return f"{np.broadcast_to(array, shape)[index]} ({what})"
    if array.size <= 8:
        return f"{array.tolist()} ({what})"
    return what


def _observe(op: Op, result: Any, arrays: tuple[Any, ...]) -> None:
    settings = _ACTIVE.get()
    if settings is None:
        return
    tensors = result if isinstance(result, tuple) else (result,)
    place = None
    for tensor in tensors:
        bad = _bad(tensor._array, settings.inf)
        node = tensor._node
        if bad is None and node is None:
            continue
        place = place or _user_line()
        birth = None
        if bad is not None and not any(_bad(a, settings.inf) is not None for a in arrays):
            birth = _report(op, tensor._array, bad, arrays, place)
            if settings.now:
                raise AnomalyError(birth)
        if node is not None:
            _note(node, TraceNote(place, birth))
            if node[OP] is RESULT:
                _note(node[INPUTS][0], TraceNote(place, None))


def _note(node: Node, note: TraceNote) -> None:
    if len(node) <= HOOKS:
        node.append(None)
    if len(node) <= TRACE:
        node.append(note)


def _observe_pull(node: Node, g: Any, cotangents: Any) -> None:
    settings = _ACTIVE.get()
    if settings is None:
        return
    for i, c in enumerate(cotangents):
        array = c._array if isinstance(c, TensorBase) else c
        bad = _bad(array, settings.inf)
        if bad is None or _any_bad(g, settings.inf):
            continue
        _raise_first_birth([node], "a gradient", settings)
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        note = node[TRACE] if len(node) > TRACE else None
        lines = [
            f"the derivative of {node_name(node)} by its argument {i + 1} is {array[index]} at "
            f"index {index} (shape {array.shape}), although what arrived holds no such value"
        ]
        if note is not None:
            lines.append(f"  the op ran in {note.place}")
        lines += _saved(node, index)
        raise AnomalyError("\n".join(lines))


def _any_bad(g: Any, inf: bool) -> bool:
    listed = g if isinstance(g, list) else [g]
    arrays = [x._array if isinstance(x, TensorBase) else x for x in listed]
    return any(_bad(a, inf) is not None for a in arrays)


def _saved(node: Node, index: tuple[int, ...]) -> list[str]:
    values = node[VALUES]
    if values is None or type(values) is Packed:
        return []
    op: Op = node[OP]
    lines = []
    for name, value in zip(op.slots, values, strict=False):
        if isinstance(value, np.ndarray):
            try:
                lines.append(f"  {name}: {np.asarray(value)[index]} (shape {value.shape})")
            except IndexError:
                lines.append(f"  {name}: shape {value.shape}, dtype {value.dtype}")
    return lines


def _raise_first_birth(nodes: list[Node | None], reached: str, settings: _Settings) -> None:
    for node in ancestors(nodes):
        if len(node) > TRACE and node[TRACE].birth is not None:
            raise AnomalyError(f"{node[TRACE].birth}\n  it reached {reached}")


def check_value(*values: Any) -> None:
    """Raise AnomalyError if a value that is about to be differentiated holds a NaN (if active)."""
    settings = _ACTIVE.get()
    if settings is None:
        return
    for value in values:
        if isinstance(value, TensorBase) and _bad(value._array, settings.inf) is not None:
            _raise_first_birth([node_of(value)], "the value that is differentiated", settings)
            raise AnomalyError(
                "the value that is differentiated holds a NaN that came in with the data: no "
                "operation made it"
            )


class detect_anomaly:
    """Raise AnomalyError where a NaN that reaches a derivative was born.

    The error names the op, the first bad element with the operands that made it, and the line of
    code. It is raised when the value that is differentiated holds a NaN, or when a derivative
    turns NaN. A context manager; it holds for the current context (thread or task) and makes
    every operation slower.

    Parameters
    ----------
    check_inf : bool
        Infinities count as well.
    immediately : bool
        Raise at each operation that makes a NaN, whether or not it reaches a derivative.

    Examples
    --------
    >>> import numpy as np, arraygrad as ag
    >>> x = ag.tensor([1.0], requires_grad=True)
    >>> with ag.detect_anomaly(), np.errstate(invalid="ignore"):
    ...     y = ag.sqrt(x - 2)
    ...     y.sum().backward()  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    AnomalyError: sqrt made nan at index (0,) of its result ...
    """

    def __init__(self, check_inf: bool = False, immediately: bool = False) -> None:
        self._settings = _Settings(check_inf, immediately)
        self._tokens: list[Any] = []

    def __enter__(self) -> detect_anomaly:
        OBSERVERS.append(_observe)
        PULL_OBSERVERS.append(_observe_pull)
        self._tokens.append(_ACTIVE.set(self._settings))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        _ACTIVE.reset(self._tokens.pop())
        OBSERVERS.remove(_observe)
        PULL_OBSERVERS.remove(_observe_pull)
        return False
