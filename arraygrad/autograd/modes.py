"""Grad modes: whether operations are recorded. Context-local, so threads and tasks are apart."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar, overload

from .._errors import ArgumentTypeError
from .._graph import GRAD_MODE
from .._scopes import decorated

__all__ = ["enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]

P = ParamSpec("P")
R = TypeVar("R")

# Earlier modes, innermost first, as nested pairs. It belongs to the context and not to the manager
# objects, so that one `mode = no_grad()` may be used by several threads at once.
_EARLIER: ContextVar[Any] = ContextVar("arraygrad_earlier_modes", default=None)


def _enter(mode: bool) -> None:
    _EARLIER.set((GRAD_MODE.get(), _EARLIER.get()))
    GRAD_MODE.set(mode)


def _leave() -> None:
    mode, earlier = _EARLIER.get()
    _EARLIER.set(earlier)
    GRAD_MODE.set(mode)


class _Called(type):
    """Says of a mode in a with statement that it must be called."""

    def __enter__(cls) -> None:
        name = cls.__name__
        raise ArgumentTypeError(
            f"ag.{name} in a with statement must be called: `with ag.{name}():`"
        )

    def __exit__(cls, *exc: object) -> None:
        """Python looks for it before it enters."""


class _Mode(metaclass=_Called):
    """A context manager and decorator that sets the grad mode."""

    mode = True

    def __enter__(self) -> None:
        _enter(self.mode)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        _leave()
        return False

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        return _decorated(function, self.mode)


def _decorated(function: Callable[..., Any], mode: bool) -> Callable[..., Any]:
    """The function (or generator, coroutine) running in a grad mode; classes are refused."""
    return decorated(function, functools.partial(_enter, mode), _leave, "a grad mode")


class no_grad(_Mode):
    """Operations inside are not recorded.

    A context manager (``with ag.no_grad():``) and a decorator (``@ag.no_grad`` or
    ``@ag.no_grad()``), also of generators and coroutines, for which the mode holds only while
    they run themselves.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor(2.0, requires_grad=True)
    >>> with ag.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    mode = False

    @overload
    def __new__(cls, function: None = None) -> no_grad: ...
    @overload
    def __new__(cls, function: Callable[P, R]) -> Callable[P, R]: ...  # type: ignore[misc]
    def __new__(cls, function: Any = None) -> Any:  # noqa: D102
        return super().__new__(cls) if function is None else _decorated(function, cls.mode)


class enable_grad(_Mode):
    """Operations inside are recorded, also within `no_grad`.

    A context manager and a decorator, like `no_grad`.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor(2.0, requires_grad=True)
    >>> with ag.no_grad(), ag.enable_grad():
    ...     y = x * x
    >>> y.requires_grad
    True
    """

    mode = True

    @overload
    def __new__(cls, function: None = None) -> enable_grad: ...
    @overload
    def __new__(cls, function: Callable[P, R]) -> Callable[P, R]: ...  # type: ignore[misc]
    def __new__(cls, function: Any = None) -> Any:  # noqa: D102
        return super().__new__(cls) if function is None else _decorated(function, cls.mode)


def is_grad_enabled() -> bool:
    """Whether operations are recorded here and now.

    Returns
    -------
    bool
        The grad mode of this context (thread or task).
    """
    return GRAD_MODE.get()


class set_grad_enabled(_Mode):
    """Switch recording on or off from here on.

    As a plain call it holds until the next one, in this context (thread or task); in a with
    statement until the block ends; as a decorator while the function runs.

    Parameters
    ----------
    mode : bool
        Whether operations are recorded.

    Examples
    --------
    >>> import arraygrad as ag
    >>> with ag.set_grad_enabled(False):
    ...     ag.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self._previous = GRAD_MODE.get()
        GRAD_MODE.set(self.mode)

    def __enter__(self) -> None:
        _EARLIER.set((self._previous, _EARLIER.get()))
        GRAD_MODE.set(self.mode)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:  # noqa: D102
        GRAD_MODE.set(self._previous)  # as a decorator it changes nothing outside
        return _decorated(function, self.mode)
