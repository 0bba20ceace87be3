"""Saying at which line of the user's code a gradient would have been lost."""

from __future__ import annotations

import linecache
import re
from typing import Any

from .._detach import refused_at
from .._errors import DetachError
from .lifter import SCOPE


def note_line(error: BaseException) -> None:
    """Add a note that names the user's line to an error about a gradient that would be lost.

    NumPy puts errors of its own in the place of ours ("setting an array element with a sequence"):
    then ours is their cause.
    """
    cause: Any = _detach_error(error)
    line = _innermost(error)
    if line is None:
        return
    file, number = line
    if cause is None:
        cause = refused_at(file, number)
    foreign = (
        cause is None
        and not type(error).__module__.startswith("arraygrad.")
        and (_OUR_TYPES if isinstance(error, TypeError | AttributeError) else _OUR_TYPE).search(
            str(error)
        )
    )
    if cause is None and not foreign:
        return
    note = f"in lifted code at {file}:{number}: {linecache.getline(file, number).strip()}"
    if foreign:
        note += f"\n{_ARRAYS_ARE_TENSORS}"
    elif cause is not error:
        note += f"\n{cause}"
    error.add_note(note)


_OUR_TYPES = re.compile(r"\b(Tensor|Scalar)\b")
_OUR_TYPE = re.compile(r"\btype '?(Tensor|Scalar)\b")  # of libraries with errors of their own
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


def _innermost(error: BaseException) -> tuple[str, int] | None:
    found: Any = None
    traceback = error.__traceback__
    while traceback is not None:
        if SCOPE in traceback.tb_frame.f_globals:
            found = traceback
        traceback = traceback.tb_next
    if found is None:
        return None
    return found.tb_frame.f_code.co_filename, found.tb_lineno
