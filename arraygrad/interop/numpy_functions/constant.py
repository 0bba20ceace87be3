"""Functions without a derivative: declared so, computed on the values, or refused by name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..._answers import ANSWERS
from ..._detach import lose
from ..._errors import ArgumentTypeError
from ..._graph import is_grad_enabled
from ..plain import is_tracked
from .rebinding import computed

# NumPy function -> why it has no derivative here ("constant") or how it is refused.
KINDS: dict[Any, str] = {}


def constant(function: Any) -> Callable[..., Any]:
    """Declare a NumPy function not differentiable: its result is made from the values alone.

    Indices, counts, truth values, dtypes, texts: their derivative is zero or has no meaning.
    """

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        return computed(function, args, kwargs)

    ANSWERS[function] = answer
    KINDS[function] = "constant"
    return answer


def refused(function: Any, remedy: str) -> Callable[..., Any]:
    """Refuse a NumPy function for tensors, saying what to type instead."""

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        raise ArgumentTypeError(f"np.{function.__name__} does not take tensors: {remedy}")

    ANSWERS[function] = answer
    KINDS[function] = "refused"
    return answer


def untracked_only(function: Any, remedy: str) -> Callable[..., Any]:
    """Compute a NumPy function as long as no gradient would be lost."""

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
            lose(f"np.{function.__name__}", remedy)
        return computed(function, args, kwargs)

    ANSWERS[function] = answer
    KINDS[function] = "refused"
    return answer
