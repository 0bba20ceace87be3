"""Saying at which line of the user's code a gradient would have been lost."""

from __future__ import annotations

import linecache
import re
import sys
from typing import TYPE_CHECKING, Any

from .._detach import refused_at
from .._errors import DetachError
from .._lazy import LazyModule
from .lifter import SCOPE

if TYPE_CHECKING:
    from .. import _hints as hints
else:
    hints = LazyModule("arraygrad._hints")


def note_line(error: BaseException) -> None:
    """Add a note that names the user's line to an error about a gradient that would be lost.

    NumPy puts errors of its own in the place of ours ("setting an array element with a sequence"):
    then ours is their cause.
    """
    cause: Any = _detach_error(error)
    lines = _lines(error)
    if not lines:
        return
    if cause is None:
        cause = refused_at(*lines[-1][:2])
    foreign = (
        cause is None
        and not type(error).__module__.startswith("arraygrad.")
        and (_OUR_TYPES if isinstance(error, TypeError | AttributeError) else _OUR_TYPE).search(
            str(error)
        )
    )
    if cause is None and not foreign:
        return
    # Classes of Python's own library run lifted too, where they compute in Python.
    users = [line for line in lines if line[2].partition(".")[0] not in sys.stdlib_module_names]
    file, number, _ = (users or lines)[-1]
    note = f"in lifted code at {file}:{number}: {linecache.getline(file, number).strip()}"
    if foreign:
        note += f"\n{hints.of_keyword(error) or _ARRAYS_ARE_TENSORS}"
    elif cause is not error:
        note += f"\n{cause}"
    error.add_note(note)


_OUR_TYPES = re.compile(r"\b(Tensor|Scalar)\b")
# Of libraries with errors of their own; and of NumPy, which says nothing of the object's class.
_OUR_TYPE = re.compile(r"\btype '?(Tensor|Scalar)\b|^Could not convert object to NumPy \w+$")
_ARRAYS_ARE_TENSORS = (
    "arrays and numbers are arraygrad's tensors while a gradient is taken, and this line needs "
    "NumPy's own (as classes derived from np.ndarray and compiled code do): keep the array in an "
    "attribute of a class of its own, or state the derivative with ag.primitive"
)


def _detach_error(error: BaseException | None) -> BaseException | None:
    for _ in range(10):
        if error is None or isinstance(error, DetachError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _lines(error: BaseException) -> list[tuple[str, int, str]]:
    """File, line and module of each frame of lifted code, the innermost last."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if SCOPE in frame.f_globals:
            module = str(frame.f_globals.get("__name__", ""))
            found.append((frame.f_code.co_filename, traceback.tb_lineno, module))
        traceback = traceback.tb_next
    return found
