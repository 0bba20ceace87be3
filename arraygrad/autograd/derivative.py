"""The object that `grad` and its kin return: called like the function, and it pickles."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any


class Derivative:
    """A derivative of a function, with the function's name, signature and docstring.

    Parameters
    ----------
    call : callable
        Computes it.
    maker : callable
        The public function that made this one: ``maker(f, *options)`` makes it again.
    f : callable
        What is differentiated.
    *options
        Of the maker.
    """

    def __init__(
        self, call: Callable[..., Any], maker: Callable[..., Any], f: Any, *options: Any
    ) -> None:
        functools.update_wrapper(self, f)
        self._call = call
        self._made = (maker, f, *options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""
        return self._call(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        if named(self):  # it decorates f, which nobody finds under its name
            return self.__qualname__  # type: ignore[attr-defined]
        maker, f, *options = self._made
        return maker, (f, *options)

    def __repr__(self) -> str:
        maker, f, *options = self._made
        return f"arraygrad.{maker.__name__}({', '.join(map(repr, (f, *options)))})"


def named(made: Any) -> bool:
    """Whether an object made from a function has the function's place in its module."""
    found: Any = sys.modules.get(getattr(made, "__module__", None) or "")
    for part in str(getattr(made, "__qualname__", "")).split("."):
        found = getattr(found, part, None)
    return found is made
