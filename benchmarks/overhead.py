"""Rows 1 to 4: what a call costs when there is next to nothing to compute."""

import operator
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


# Calls on 20 x 20 numbers (vectors of 20 where the name says v): name -> what everyone but torch
# calls, and what torch calls, if that differs. NumPy's functions reach tensors by its protocols.
SmallCalls = dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any] | None]]

VIEWS: SmallCalls = {
    "x.T": (lambda x: x.T, None),
    "x.reshape(400)": (lambda x: x.reshape(400), None),
    "x.reshape(2, -1)": (lambda x: x.reshape(2, -1), None),
    "x[0]": (operator.itemgetter(0), None),
    "x[1:5]": (operator.itemgetter(slice(1, 5)), None),
    "x[:, None]": (operator.itemgetter((slice(None), None)), None),
    "x[1, 2]": (operator.itemgetter((1, 2)), None),
    "list(x)": (list, None),
}
RESULTS: SmallCalls = {
    "x.sum()": (lambda x: x.sum(), None),
    "x.sum(0)": (lambda x: x.sum(0), None),
    "x.max()": (lambda x: x.max(), None),
    "x.mean()": (lambda x: x.mean(), None),
    "x.mean(0)": (lambda x: x.mean(0), None),
    "x.var()": (lambda x: x.var(), lambda x: x.var(correction=0)),
    "x @ x": (lambda x: x @ x, None),
    "v @ v": (lambda x: x[0] @ x[0], None),
    "x.copy()": (lambda x: x.copy(), lambda x: x.clone()),
}
WRITES: SmallCalls = {
    "x[0] = 1.0": (lambda x: _written(x, 0), None),
    "x[1, 2] = 1.0": (lambda x: _written(x, (1, 2)), None),
    "x *= 1.0": (lambda x: operator.imul(x, 1.0), None),
}
GRADIENTS: SmallCalls = {
    "x.T.sum()": (lambda x: x.T.sum(), None),
    "x[0].sum()": (lambda x: x[0].sum(), None),
    "x.reshape(-1).sum()": (lambda x: x.reshape(-1).sum(), None),
    "(x @ x).sum()": (lambda x: (x @ x).sum(), None),
    "x.mean()": (lambda x: x.mean(), None),
    "x.max()": (lambda x: x.max(), None),
    "sum over rows": (lambda x: sum((row.sum() for row in x), 0.0), None),
}


def _written(x: Any, key: Any) -> Any:
    x[key] = 1.0
    return x


def _by_numpy_functions() -> SmallCalls:
    """The same through NumPy's functions, which find out first whom they are called with."""
    import numpy as np

    mask, places = np.tri(20, dtype=bool), np.array([5, 1, 3])

    def where(x: Any) -> Any:
        return np.where(mask, x, 0.0)

    def torch_where(x: Any) -> Any:
        import torch

        return torch.where(torch_mask, x, 0.0)

    try:
        import torch
    except ModuleNotFoundError:
        torch = None  # type: ignore[assignment]
    else:
        torch_mask, torch_places = torch.tensor(mask), torch.tensor(places)
    return {
        "np.sum(x)": (np.sum, lambda x: torch.sum(x)),
        "np.exp(x)": (np.exp, lambda x: torch.exp(x)),
        "np.dot(x, x)": (lambda x: np.dot(x, x), lambda x: torch.mm(x, x)),
        "np.where(mask, x, 0.0)": (where, torch_where),
        "np.concatenate([v, v, v])": (
            lambda x: np.concatenate([x[0], x[0], x[0]]),
            lambda x: torch.cat([x[0], x[0], x[0]]),
        ),
        "np.stack([v, v, v])": (
            lambda x: np.stack([x[0], x[0], x[0]]),
            lambda x: torch.stack([x[0], x[0], x[0]]),
        ),
        "np.reshape(x, (400,))": (
            lambda x: np.reshape(x, (400,)),
            lambda x: torch.reshape(x, (400,)),
        ),
        "np.einsum('ij,jk->ik', x, x)": (
            lambda x: np.einsum("ij,jk->ik", x, x),
            lambda x: torch.einsum("ij,jk->ik", x, x),
        ),
        "np.take(x, i, axis=0)": (
            lambda x: np.take(x, places, axis=0),
            lambda x: torch.index_select(x, 0, torch_places),
        ),
        "np.tile(x, (2, 1))": (
            lambda x: np.tile(x, (2, 1)),
            lambda x: torch.tile(x, (2, 1)),
        ),
    }


def small(calls: SmallCalls, row: str, tracked: bool = False) -> list[Workload]:
    """Each of the calls on 20 x 20 numbers, recorded if `tracked`."""

    def workload(title: str) -> Workload:
        ours, torchs = calls[title]

        def make(libraries: Libraries) -> dict[str, Call]:
            array = random((20, 20), "float64")
            made: dict[str, Call] = {}
            for name in ("arraygrad", "torch") if tracked else ("arraygrad", "numpy", "torch"):
                if name in libraries:
                    function = torchs if name == "torch" and torchs is not None else ours
                    x = placed(libraries, name, array.copy(), tracked=tracked)
                    made[name] = waiting(libraries, name, function, [x], {})
            return made

        kind = "recorded" if tracked else "no graph"
        return Workload(f"{title}, {kind}", row, make, TOLERANCE["float64"])

    return [workload(title) for title in calls]


def small_gradients() -> list[Workload]:
    """Value and gradient of functions of 20 x 20 numbers that are made of a few small calls."""

    def workload(title: str) -> Workload:
        def make(libraries: Libraries) -> dict[str, Call]:
            array = random((20, 20), "float64")
            names = ("arraygrad", "torch")
            return gradient_calls(libraries, lambda name, np: GRADIENTS[title][0], [array], names)

        return Workload(f"{title}, gradient", "1h", make, TOLERANCE["float64"])

    return [workload(title) for title in GRADIENTS]


WORKLOADS = [
    *(untracked(op) for op in ("add", "multiply")),
    *(recorded(op) for op in ("add", "multiply")),
    *small(VIEWS, "1c"),
    *small(VIEWS, "1d", tracked=True),
    *small(RESULTS | _by_numpy_functions(), "1e"),
    *small(RESULTS | _by_numpy_functions(), "1f", tracked=True),
    *small(WRITES, "1g"),
    *small_gradients(),
    product_sum(),
    scalar_chain(),
    perceptron(),
]
