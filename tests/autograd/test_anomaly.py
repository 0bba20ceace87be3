"""detect_anomaly names the op, the element, its operands and the line of the user's code."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

AnomalyError = ag.errors.AnomalyError


def test_first_nan_is_blamed_with_its_line_and_operands() -> None:
    x = ag.tensor([5.0, 1.0], requires_grad=True)
    with ag.detect_anomaly():
        y = ag.sqrt(x - 2)  # born here
        z = ag.sqrt(y)
        with pytest.raises(AnomalyError) as caught:
            z.sum().backward()
    message = str(caught.value)
    assert "sqrt made nan at index (1,)" in message
    assert "ag.sqrt(x - 2)  # born here" in message
    assert "x: -1.0 (shape (2,), dtype float64)" in message
    assert "test_anomaly.py" in message
    assert x.grad is None


def test_functional_calls_are_watched() -> None:
    def f(x: Any) -> Any:
        return ag.log(x).sum()

    with ag.detect_anomaly(), pytest.raises(AnomalyError, match=r"log made nan .*\n.*ag.log"):
        ag.grad(f)(np.array([1.0, -1.0]))


def test_nan_that_where_does_not_select_is_fine() -> None:
    with ag.detect_anomaly():
        g = ag.grad(lambda x: ag.where(x > 0, ag.sqrt(x), 0.0).sum())(np.array([-1.0, 4.0]))
    np.testing.assert_allclose(g, [0.0, 0.25])


def test_nan_born_in_the_derivative() -> None:
    class Bad(ag.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ag.asarray([1.0, np.nan])

    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with ag.detect_anomaly():
        y = Bad.apply(x).sum()
        with pytest.raises(AnomalyError) as caught:
            y.backward()
    message = str(caught.value)
    assert "the derivative of BadBackward by its argument 1 is nan at index (1,)" in message
    assert "Bad.apply(x).sum()" in message


def test_nan_in_the_data_is_told_apart() -> None:
    x = ag.tensor([1.0, np.nan], requires_grad=True)
    with ag.detect_anomaly():
        y = (x * 2.0).sum()
        with pytest.raises(AnomalyError, match="came in with the data"):
            y.backward()


def test_immediately_and_inf() -> None:
    with ag.detect_anomaly(immediately=True), pytest.raises(AnomalyError, match="log made nan"):
        ag.log(ag.asarray([-1.0]))
    x = ag.tensor([0.0], requires_grad=True)
    with ag.detect_anomaly(check_inf=True):
        y = ag.log(x).sum()
        with pytest.raises(AnomalyError, match="log made -inf"):
            y.backward()
    with ag.detect_anomaly():
        ag.log(x).sum().backward()


def test_holds_for_its_own_context_and_ends() -> None:
    results: list[Any] = []

    def work() -> None:
        x = ag.tensor([-1.0], requires_grad=True)
        ag.sqrt(x).sum().backward()
        results.append(x.grad.numpy())

    with ag.detect_anomaly():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    work()
    assert len(results) == 2
    assert np.isnan(results).all()


def test_second_derivative_is_watched() -> None:
    with ag.detect_anomaly():
        value = ag.grad(ag.grad(lambda x: x * x * x))(2.0)
        assert value == 12.0
        with pytest.raises(AnomalyError, match="sqrt made nan"):
            ag.grad(ag.grad(lambda x: ag.sqrt(x) * x))(-1.0)
