"""Sixteen threads: each its own leaves and modes, or all one leaf and one graph."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import arraygrad as ag

THREADS = 16


def run(work: Callable[[int], None]) -> None:
    """Run work(k) in all threads at once; raise what one of them raised."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def body(k: int) -> None:
        try:
            barrier.wait()
            work(k)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=body, args=(k,)) for k in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_separate_leaves() -> None:
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        for _ in range(20):
            x = ag.tensor(np.full(10, k / 10), requires_grad=True)
            y = (ag.sin(x) * x).sum()
            y.backward()
            found[k] = x.grad.numpy()

    run(work)
    for k in range(THREADS):
        x = k / 10
        np.testing.assert_allclose(found[k], np.full(10, np.cos(x) * x + np.sin(x)))


def test_one_leaf_accumulates_everything() -> None:
    x = ag.tensor(np.ones(1000), requires_grad=True)

    def work(k: int) -> None:
        for _ in range(50):
            (x * float(k)).sum().backward()

    run(work)
    np.testing.assert_allclose(x.grad.numpy(), np.full(1000, 50.0 * sum(range(THREADS))))


def test_one_graph_is_walked_by_all() -> None:
    x = ag.tensor(np.linspace(0, 1, 50), requires_grad=True)
    y = ag.exp(x)
    for _ in range(10):
        y = ag.sin(y) * y
    y = y.sum()
    (want,) = ag.autograd.grad(y, x, retain_graph=True)
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        for _ in range(5):
            (found[k],) = ag.autograd.grad(y, x, retain_graph=True, create_graph=k % 2 == 0)

    run(work)
    for g in found.values():
        np.testing.assert_allclose(g.detach().numpy(), want.numpy(), rtol=1e-12)


def test_modes_and_functional_calls_do_not_mix() -> None:
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        for _ in range(10):
            if k % 4 == 0:
                with ag.no_grad():
                    assert not (ag.ones(3) * 1.0).requires_grad
                    found[k] = ag.grad(lambda x: (x * k).sum())(np.ones(5))
            else:
                found[k] = ag.grad(lambda x: ag.grad(lambda y: (y * y * x).sum())(x).sum() * k)(
                    np.ones(5)
                )

    run(work)
    for k in range(THREADS):
        want = k if k % 4 == 0 else 4 * k
        np.testing.assert_allclose(found[k], np.full(5, float(want)))


def test_writes_in_several_threads() -> None:
    def work(k: int) -> None:
        for _ in range(10):
            x = ag.tensor(np.arange(5.0), requires_grad=True)
            y = x * 1.0
            z = y * y
            y[k % 5] = 0.0
            y[:2] *= float(k)
            (z + y).sum().backward()
            want = 2 * np.arange(5.0) + 1
            want[:2] += k - 1
            want[k % 5] = 2.0 * (k % 5)
            np.testing.assert_allclose(x.grad.numpy(), want)

    run(work)


def test_recording_in_one_thread_and_passes_in_others() -> None:
    x = ag.tensor(np.ones(100), requires_grad=True)
    y = x * 1.0

    def work(k: int) -> None:
        for _ in range(50):
            if k == 0:
                ag.exp(y).sum()
            else:
                ag.autograd.grad((y * y).sum(), x, retain_graph=True)

    run(work)
