"""Saying at which line of the user's code a gradient would have been lost."""

from __future__ import annotations

import linecache
from typing import Any

from .._errors import DetachError
from .lifter import SCOPE


def note_line(error: BaseException) -> None:
    """Add a note that names the user's line to an error about a gradient that would be lost.

    NumPy puts errors of its own in the place of ours ("setting an array element with a sequence"):
    then ours is their cause.
    """
    cause = _detach_error(error)
    foreign = cause is None and isinstance(error, TypeError | AttributeError) and (
        any(name in str(error) for name in ("'Tensor'", "'Scalar'", "arraygrad._tensor"))
    )  # fmt: skip
    if cause is None and not foreign:
        return
    line = _innermost(error)
    if line is None:
        return
    where, source = line
    note = f"in lifted code at {where}: {source}"
    if foreign:
        note += f"\n{_ARRAYS_ARE_TENSORS}"
    elif cause is not error:
        note += f"\n{cause}"
    error.add_note(note)


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


def _innermost(error: BaseException) -> tuple[str, str] | None:
    found: Any = None
    traceback = error.__traceback__
    while traceback is not None:
        if SCOPE in traceback.tb_frame.f_globals:
            found = traceback
        traceback = traceback.tb_next
    if found is None:
        return None
    file = found.tb_frame.f_code.co_filename
    return f"{file}:{found.tb_lineno}", linecache.getline(file, found.tb_lineno).strip()
