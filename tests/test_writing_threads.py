"""Threads that write to different parts of one memory, as NumPy code does."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._storage import Storage

THREADS = 16


@pytest.fixture(autouse=True)
def _short_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def run(work: Callable[[int], None]) -> None:
    """Run work(i) in all threads at once and raise what any of them raised."""
    barrier = threading.Barrier(THREADS)

    def one(i: int) -> None:
        barrier.wait()
        work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(one, range(THREADS)))


def test_graphs_keep_what_other_threads_overwrite() -> None:
    """Swaps to a copy ran into each other: views were left behind, or moved twice."""
    base = ag.tensor(np.ones((THREADS, 100)))

    def work(i: int) -> None:
        for k in range(30):
            row = base[i]
            w = ag.tensor(np.ones(100), requires_grad=True)
            loss = (w * row).sum()
            row += 1
            again = (w * base[i]).sum()
            row += 1
            (loss + again).backward()
            assert w.grad is not None
            assert w.grad.tolist() == [4 * k + 3.0] * 100

    run(work)
    assert (base.numpy() == 61).all()


def test_first_views_of_a_tensor_share_its_memory() -> None:
    """Each thread made a family of its own for the base, which knew nothing of the others."""
    for _ in range(20):
        base = ag.tensor(np.zeros((THREADS, 20)))

        def work(i: int, base: Any = base) -> None:
            w = ag.tensor(np.ones(20), requires_grad=True)
            row = base[i]
            loss = (w * row).sum()
            row += 1
            loss.backward()
            assert w.grad is not None
            assert w.grad.tolist() == [0] * 20

        run(work)
        assert (base.numpy() == 1).all()


def test_first_writes_to_a_saved_tensor_meet_in_one_copy() -> None:
    """Each thread took a copy of its own for the base, and the writes to all but one were lost."""
    for _ in range(30):
        base = ag.tensor(np.ones((THREADS, 20)))
        w = ag.tensor(np.ones((THREADS, 20)), requires_grad=True)
        loss = (w * base).sum()

        def work(i: int, base: Any = base) -> None:
            base[i] = 2.0

        run(work)
        loss.backward()
        assert (base.numpy() == 2).all()
        assert w.grad is not None
        assert (w.grad.numpy() == 1).all()


class SlowMark:
    """Lets another thread in between the two steps that keep and that prepare a write."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, storage: Any, owner: Any = None) -> Any:
        value = self.slot.__get__(storage, owner)
        time.sleep(0)
        return value

    def __set__(self, storage: Any, value: bool) -> None:
        time.sleep(0)
        self.slot.__set__(storage, value)
        time.sleep(0)


def test_marks_of_saved_memory_survive_writes_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write read the mark, a graph set it, and the write cleared it without a swap."""
    monkeypatch.setattr(Storage, "saved", SlowMark(Storage.saved))
    for _ in range(3):
        test_graphs_keep_what_other_threads_overwrite()


def test_tracked_writes_of_all_threads_stay_in_the_history() -> None:
    """A write that was recorded at the same time as another got lost."""
    i = np.arange(1.0, THREADS + 1)
    for _ in range(15):
        x = ag.tensor(i, requires_grad=True)
        base = ag.tensor(np.zeros((THREADS, 20)))

        def work(i: int, x: Any = x, base: Any = base) -> None:
            row = base[i]
            row += x[i]
            base[i] *= x[i]
            base[i, 3:] = x[i] * 2
            row[0] = x[i] * x[i]

        run(work)
        base.sum().backward()
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), 6 * i + 17 * 2)


def test_views_made_in_the_middle_of_a_move_follow_it() -> None:
    """They looked at the array of x, which moves after the storage's, and stayed behind."""
    x = ag.tensor(np.arange(6.0).reshape(2, 3))
    storage = x[0].storage()
    # As far as a write has come that moves the memory: the tensors follow next.
    storage._array, storage._address = x._array.copy(), None
    with ag.no_grad():
        views = {"x[1]": x[1], "x.T": x.T, "rows": list(x)[1], "flat": x.reshape(6)}
    for name, view in views.items():
        assert np.shares_memory(view._array, storage._array), name
