"""Functions of every kind that run in a scope: between a call that enters and one that leaves.

For generators and coroutines the scope holds only while they run themselves, not while their
consumer does.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

from ._errors import ArgumentTypeError

Function = Callable[..., Any]


def decorated(
    function: Function, enter: Callable[[], None], leave: Callable[[], None], name: str
) -> Function:
    """The function (or generator, coroutine) running in a scope; classes are refused.

    Parameters
    ----------
    function : callable
        What the user decorates.
    enter, leave : callable
        Called before and after it runs, each time it is resumed.
    name : str
        What decorates it, for the message.
    """
    if isinstance(function, type) or not callable(function):
        raise ArgumentTypeError(
            f"{name} decorates functions, not {function!r}; decorate its methods, or use a "
            "with block"
        )
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, enter, leave)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            enter()
            try:
                return await function(*args, **kwargs)
            finally:
                leave()

        return coroutine
    if inspect.isgeneratorfunction(function):
        return _generator(function, enter, leave)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        enter()
        try:
            return function(*args, **kwargs)
        finally:
            leave()

    return wrapped


def _generator(function: Function, enter: Function, leave: Function) -> Function:
    def step(resume: Function, *args: Any) -> Any:
        enter()
        try:
            return resume(*args)
        finally:
            leave()

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        inner = function(*args, **kwargs)
        resume, given = inner.send, (None,)
        while True:
            try:
                item = step(resume, *given)
            except StopIteration as stop:
                return stop.value
            try:
                resume, given = inner.send, ((yield item),)
            except GeneratorExit:
                step(inner.close)
                raise
            except BaseException as error:  # noqa: BLE001 (handed on to the generator)
                resume, given = inner.throw, (error,)  # type: ignore[assignment]

    return wrapped


def _async_generator(function: Function, enter: Function, leave: Function) -> Function:
    @functools.wraps(function)
    async def wrapped(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        inner = function(*args, **kwargs)
        resume, given = inner.asend, (None,)
        while True:
            enter()
            try:
                item = await resume(*given)
            except StopAsyncIteration:
                return
            finally:
                leave()
            try:
                resume, given = inner.asend, ((yield item),)
            except GeneratorExit:
                await inner.aclose()
                raise
            except BaseException as error:  # noqa: BLE001 (handed on to the generator)
                resume, given = inner.athrow, (error,)  # type: ignore[assignment]

    return wrapped
