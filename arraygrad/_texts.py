"""Numbers that carry gradients and were written as text or bytes.

Text is for people, so writing it is free. A number that is read back from it has lost its
gradient: that is refused where lifted code reads numbers. A text is known by identity, the numbers
in it by their value, if they have digits enough to be no coincidence; of 1.0 and 0.5 in other texts
than were written there is a warning. What was rounded on purpose (``f"{x:.3f}"``) is a constant, as
of ``round``.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import numpy as np

from ._apply import node_of
from ._detach import get_detach_policy, lose
from ._errors import GradientWarning
from ._graph import is_grad_enabled
from ._storage import TensorBase
from ._warnings import warn

_TEXTS: OrderedDict[int, Any] = OrderedDict()  # by identity; the latest only
_TEXTS_AT_MOST = 256

NUMBERS: set[float] = set()  # what was written since the outermost lifted call began
_ROUNDED: set[str] = set()  # the same in seven digits, as other texts of them may be shorter
_NUMBERS_AT_MOST = 8192
_OF_AN_ARRAY = 1024  # of larger ones some elements tell

_DIGITS = 2  # so many has a number that is known by its value
_DIGITS_OF_ROUNDED = 8  # and one that is known by its first seven

_ROUNDING = re.compile(r"\.([0-7])(?![0-9])")  # a precision in a format
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
_INTEGER = re.compile(r"[-+]?\d+")  # "%.17g" % 1.0
_PADDED = re.compile(r"\.\d+0(?:[eE]|$)")  # rounded, as 1.000


def note(text: Any, written: Any) -> Any:
    """Remember a text or bytes, which is returned, as made of numbers that carry gradients."""
    _TEXTS[id(text)] = text
    if len(_TEXTS) > _TEXTS_AT_MOST:
        _TEXTS.popitem(last=False)
    note_numbers(written)
    return text


def note_formatted(text: str, spec: str, x: Any) -> str:
    """Remember what a format gave of a number, unless that is rounded."""
    return text if _ROUNDING.search(spec) is not None else str(note(text, x))


def note_numbers(written: Any) -> None:
    """Remember numbers that are being written: those of tensors, also in containers."""
    if isinstance(written, TensorBase):
        array = written._array
        if node_of(written) is None or not is_grad_enabled() or array.dtype.kind not in "fc":
            return
        if len(NUMBERS) < _NUMBERS_AT_MOST:
            for number in array.ravel()[:_OF_AN_ARRAY].tolist():
                for part in (number.real, number.imag):
                    NUMBERS.add(abs(part))
                    _ROUNDED.add(f"{abs(part):.6e}")
    elif isinstance(written, list | tuple):
        for item in written:
            note_numbers(item)
    elif isinstance(written, dict):
        note_numbers([*written.values()])


def forget() -> None:
    """The outermost lifted call has ended: for the next what was written is constant."""
    _TEXTS.clear()
    NUMBERS.clear()
    _ROUNDED.clear()


def _is_known(number: float) -> bool:
    number = abs(number)
    digits = len(repr(number).partition("e")[0].replace(".", "").strip("0"))
    if digits >= _DIGITS and number in NUMBERS:
        return True
    return digits >= _DIGITS_OF_ROUNDED and f"{number:.6e}" in _ROUNDED


def refuse_text(text: Any, what: str) -> None:
    """Raise (or warn, by policy) if a number is read from such a text, which may be in a list."""
    if not (_TEXTS or NUMBERS) or not is_grad_enabled():
        return
    if isinstance(text, list | tuple):
        for item in text:
            refuse_text(item, what)
    elif isinstance(text, str | bytes) and (
        _TEXTS.get(id(text)) is text or (NUMBERS and isinstance(text, str) and _holds_known(text))
    ):
        lose(f"{what} of the text of a number")
    elif NUMBERS and isinstance(text, str) and (short := _short_in(text)):
        _warn_of_short(what, short)


def _short_in(text: str) -> str:
    """A number of few digits in a text that was written in this call, or none: ``""``."""
    whole = text.strip()
    for number in [whole] if _INTEGER.fullmatch(whole) else _NUMBER.findall(text):
        if abs(float(number)) in NUMBERS and _PADDED.search(number) is None:
            return str(number)
    return ""


def _warn_of_short(what: str, number: str) -> None:
    if get_detach_policy() != "allow":
        warn(
            f"{what} of {number!r}, which this call has also written of a tensor that requires "
            "grad: if that is what is read here, its gradient is lost; keep the number itself, or "
            "write x.detach()",
            GradientWarning,
        )


def _holds_known(text: str) -> bool:
    return any(_is_known(float(number)) for number in _NUMBER.findall(text))


def refuse_numbers(read: Any, what: str) -> None:
    """Raise (or warn, by policy) if among numbers that were read is one that was written."""
    if not NUMBERS or not is_grad_enabled():
        return
    if isinstance(read, np.ndarray):
        if read.dtype.kind != "f":
            return
        read = read.ravel()[:_OF_AN_ARRAY].tolist()
    if any(isinstance(number, float) and _is_known(number) for number in read):
        lose(f"{what} of what was written of a number")
