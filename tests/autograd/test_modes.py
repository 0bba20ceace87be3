"""Grad modes as context managers and decorators; they belong to the context."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

import arraygrad as ag


def test_managers_nest_and_restore() -> None:
    assert ag.is_grad_enabled()
    with ag.no_grad():
        assert not ag.is_grad_enabled()
        with ag.enable_grad():
            assert ag.is_grad_enabled()
        assert not ag.is_grad_enabled()
        with ag.set_grad_enabled(True):
            assert ag.is_grad_enabled()
        assert not ag.is_grad_enabled()
    assert ag.is_grad_enabled()


def test_restored_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), ag.no_grad():
        1 / 0
    assert ag.is_grad_enabled()


def test_one_manager_entered_twice() -> None:
    off = ag.no_grad()
    with off:
        with off:
            assert not ag.is_grad_enabled()
        assert not ag.is_grad_enabled()
    assert ag.is_grad_enabled()


def test_set_grad_enabled_as_a_call() -> None:
    ag.set_grad_enabled(False)
    assert not ag.is_grad_enabled()
    ag.set_grad_enabled(True)
    assert ag.is_grad_enabled()


@pytest.mark.parametrize("decorator", [ag.no_grad, ag.no_grad(), ag.set_grad_enabled(False)])
def test_decorator(decorator: object) -> None:
    @decorator
    def f(x: int) -> tuple[int, bool]:
        """Doc."""
        return x, ag.is_grad_enabled()

    assert f(3) == (3, False)
    assert (f.__name__, f.__doc__) == ("f", "Doc.")
    assert ag.is_grad_enabled()


ag.set_grad_enabled(True)  # the parametrisation above is evaluated at import


def test_decorated_set_grad_enabled_changes_nothing_outside() -> None:
    @ag.set_grad_enabled(False)
    def f() -> bool:
        return ag.is_grad_enabled()

    assert ag.is_grad_enabled()
    assert not f()


def test_class_cannot_be_decorated() -> None:
    with pytest.raises(TypeError, match="methods"):
        ag.no_grad(int)


def test_generator_has_the_mode_only_while_it_runs() -> None:
    closed = []

    @ag.no_grad
    def numbers() -> Iterator[object]:
        try:
            got = yield ag.is_grad_enabled()
            try:
                yield got
            except ValueError:
                yield "caught", ag.is_grad_enabled()
        finally:
            closed.append(ag.is_grad_enabled())

    g = numbers()
    assert next(g) is False
    assert ag.is_grad_enabled()
    assert g.send("sent") == "sent"
    assert g.throw(ValueError) == ("caught", False)
    assert ag.is_grad_enabled()
    g.close()
    assert closed == [False]


def test_generator_returns_its_value() -> None:
    @ag.no_grad
    def inner() -> Iterator[int]:
        yield 1
        return 7

    def outer() -> Iterator[int]:
        assert (yield from inner()) == 7

    assert list(outer()) == [1]


def test_coroutine_and_async_generator() -> None:
    @ag.no_grad
    async def f() -> bool:
        await asyncio.sleep(0)
        return ag.is_grad_enabled()

    @ag.no_grad()
    async def items() -> AsyncIterator[bool]:
        yield ag.is_grad_enabled()
        await asyncio.sleep(0)
        yield ag.is_grad_enabled()

    async def plain() -> bool:
        await asyncio.sleep(0)
        return ag.is_grad_enabled()

    async def main() -> tuple[object, ...]:
        together = await asyncio.gather(f(), plain())
        listed = [(item, ag.is_grad_enabled()) async for item in items()]
        return together, listed

    together, listed = asyncio.run(main())
    assert together == [False, True]
    assert listed == [(False, True), (False, True)]


def test_threads_start_enabled_and_do_not_disturb() -> None:
    seen, inside, leave = {}, threading.Event(), threading.Event()

    def work() -> None:
        seen["start"] = ag.is_grad_enabled()
        with ag.no_grad():
            inside.set()
            leave.wait(5)
        seen["end"] = ag.is_grad_enabled()

    with ag.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(5)
    assert ag.is_grad_enabled()
    leave.set()
    thread.join()
    assert seen == {"start": True, "end": True}


def test_one_manager_in_two_threads() -> None:
    """Earlier modes are kept in the context; kept on the manager they would be mixed up."""
    off, entered, go = ag.no_grad(), threading.Event(), threading.Event()
    seen = []

    def work() -> None:
        with ag.enable_grad(), off:
            entered.set()
            go.wait(5)
        seen.append(ag.is_grad_enabled())

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait(5)
    with ag.no_grad(), off:
        go.set()
        thread.join()
        assert not ag.is_grad_enabled()
    assert seen == [True]
    assert ag.is_grad_enabled()
