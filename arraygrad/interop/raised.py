"""NumPy's errors in our classes, where its own code runs behind a protocol.

Most of NumPy's functions run as they are, on tensors or on the values below them, and say what is
wrong in NumPy's words. The class is made ours at the border: each of ours is NumPy's too. What the
user's own code raises, called back by NumPy, stays what it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import (
    ArgumentError,
    ArgumentTypeError,
    ArraygradError,
    AxisError,
    DTypeError,
    IndexOutOfRangeError,
    IntegerOverflowError,
    LinAlgError,
)
from .._lazy import LazyModule

if TYPE_CHECKING:
    from .. import _hints as hints
else:
    hints = LazyModule("arraygrad._hints")

# What may have to be told in another class; those of NumPy are derived from these.
RAISED = (TypeError, ValueError, IndexError, OverflowError)

_OURS: dict[type[Exception], type[ArraygradError]] = {
    TypeError: ArgumentTypeError,
    ValueError: ArgumentError,
    IndexError: IndexOutOfRangeError,
    OverflowError: IntegerOverflowError,
    np.exceptions.AxisError: AxisError,
    np.linalg.LinAlgError: LinAlgError,
    np.exceptions.DTypePromotionError: DTypeError,
}

_LIBRARIES = frozenset(("numpy", "arraygrad", "arraygrad_kernels"))


def in_our_class(error: Exception, name: str) -> Exception:
    """The error of our class for one that NumPy's code has raised; any other one itself."""
    kind = type(error)
    ours = _OURS.get(kind)
    if ours is None and kind.__module__.startswith("numpy.") and isinstance(error, TypeError):
        ours = DTypeError  # a ufunc without such a loop
    if ours is None or not _from_libraries(error.__traceback__):
        return error
    return ours(f"{name}: {_words(error)}")


def _words(error: Exception) -> str:
    # Python names a function by its place in the code, and one of ours may be several of NumPy's.
    keyword = hints.of_keyword(error) if type(error) is TypeError else ""
    return keyword or str(error)


def in_our_classes(name: str) -> Callable[[Any], Any]:
    """Let a function of our namespace that runs NumPy's code raise errors of our classes."""

    def decorated(function: Any) -> Any:
        @functools.wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except RAISED as error:
                said = in_our_class(error, name)
                if said is error:
                    raise
                raise said from error

        return told

    return decorated


def _from_libraries(traceback: TracebackType | None) -> bool:
    """Whether no code of the user was at work where the error was raised."""
    while traceback is not None:
        module: Any = traceback.tb_frame.f_globals.get("__name__", "")
        if str(module).partition(".")[0] not in _LIBRARIES:
            return False
        traceback = traceback.tb_next
    return True
