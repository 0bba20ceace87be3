"""Rows 1 to 4: what a call costs when there is next to nothing to compute."""

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Call, Workload
from benchmarks.libraries import (
    TOLERANCE,
    Libraries,
    calls_of,
    gradient_calls,
    placed,
    random,
    waiting,
)


def untracked(op: str) -> Workload:
    """An operation on ten elements: nothing but overhead."""

    def make(libraries: Libraries) -> dict[str, Call]:
        arrays = [random((10,), "float64"), random((10,), "float64")]
        calls = calls_of(libraries, op, arrays)
        if "mygrad" in libraries:
            operands = [placed(libraries, "mygrad", array) for array in arrays]
            function = getattr(libraries["mygrad"], op)
            calls["mygrad"] = waiting(libraries, "mygrad", function, operands, {})
        return calls

    return Workload(f"{op} n=10, no graph", "1a", make, TOLERANCE["float64"])


def recorded(op: str) -> Workload:
    """An operation on ten elements that gradients are asked of: the cost of recording."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = random((10,), "float64")
        calls: dict[str, Call] = {}
        for name in ("arraygrad", "torch", "mygrad"):
            if name in libraries:
                operands = [placed(libraries, name, array, tracked=True) for _ in range(2)]
                calls[name] = waiting(libraries, name, getattr(libraries[name], op), operands, {})
        if "autograd" in libraries:
            calls["autograd"] = boxed(op, array)
        return calls

    return Workload(f"{op} n=10, recorded", "1b", make, TOLERANCE["float64"])


def boxed(op: str, array: Any) -> Call:
    """The operation as autograd runs it inside `grad`, on boxes of one trace."""
    import autograd.numpy
    from autograd.core import VJPNode
    from autograd.tracer import new_box

    function = getattr(autograd.numpy, op)
    x1, x2 = (new_box(array, 0, VJPNode.new_root()) for _ in range(2))

    def call() -> object:
        return function(x1, x2)._value

    return call


def product_sum() -> Workload:
    """Value and gradients of (x*y).sum() for ten elements."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        if name == "autograd":
            return lambda x, y: np.sum(x * y)
        return lambda x, y: (x * y).sum()

    def make(libraries: Libraries) -> dict[str, Call]:
        return gradient_calls(libraries, write, [random((10,), "float64")] * 2)

    return Workload("(x*y).sum() n=10, gradients", "2", make, TOLERANCE["float64"])


def scalar_chain() -> Workload:
    """Twenty operations one after another on numbers."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        def chain(x: Any) -> Any:
            y = x
            for _ in range(5):
                y = np.sin(y) * x
                y = np.exp(y) + x
            return y

        return chain

    def make(libraries: Libraries) -> dict[str, Call]:
        return gradient_calls(libraries, write, [random((), "float64", 0.1, 0.2)])

    return Workload("20 operations on a number, gradient", "3", make, TOLERANCE["float64"])


def perceptron() -> Workload:
    """Loss of one example and the gradients by all weights."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        def loss(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
            hidden = np.tanh(x @ w1 + b1)
            scores = hidden @ w2 + b2
            return np.log(np.exp(scores).sum()) - scores[0, 3]

        return loss

    def make(libraries: Libraries) -> dict[str, Call]:
        shapes = ((1, 784), (784, 128), (128,), (128, 10), (10,))
        arrays = [random(shape, "float32", -0.1, 0.1) for shape in shapes]
        return gradient_calls(libraries, write, arrays)

    return Workload("MLP 784-128-10 batch 1, gradients", "4", make, TOLERANCE["float32"])


WORKLOADS = [
    *(untracked(op) for op in ("add", "multiply")),
    *(recorded(op) for op in ("add", "multiply")),
    product_sum(),
    scalar_chain(),
    perceptron(),
]
