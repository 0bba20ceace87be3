"""Which of our functions answers which NumPy function: read by the protocols in interop/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# NumPy function or ufunc object -> our function with the same call signature.
ANSWERS: dict[Any, Callable[..., Any]] = {}

# The same for those that have been asked for: what a call looks at first.
ASKED: dict[Any, Callable[..., Any]] = {}


def answers(*numpy_functions: Any) -> Callable[[F], F]:
    """Register the function as the answer to these NumPy functions; returns it unchanged."""

    def register(function: F) -> F:
        for numpy_function in numpy_functions:
            ANSWERS[numpy_function] = function
            ASKED.pop(numpy_function, None)
        return function

    return register
