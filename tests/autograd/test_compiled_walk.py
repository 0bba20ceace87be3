"""The compiled reverse pass and the Python functions that it stands for: one gradient, one graph.

`report` draws graphs at random, walks each in several ways, and tells of every grad, hook, error
and node what can be told. A process without the compiled roads must tell the same.
"""

import json
import random
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _compiled, _engine, _fused, _graph
from arraygrad._op import find_op
from tests import fresh_process

pytestmark = pytest.mark.skipif(
    _compiled.ROADS is None,
    reason="the compiled roads are not built here, or ARRAYGRAD_ROADS=python leaves them out",
)

GRAPHS = 600
DTYPES = ("float64", "float64", "float64", "float32", "complex128", "float16")
SHAPES = ((3,), (3,), (2, 3), (), (1,), (0, 3), (2, 1), (200, 3))
UNARY = (
    ag.exp, ag.sin, ag.sqrt, ag.log, ag.tanh, ag.square, ag.negative, ag.reciprocal, ag.abs,
    ag.sum, ag.mean, lambda x: x, lambda x: x.T, lambda x: x.reshape(-1), lambda x: x[..., None],
    lambda x: x.sum(keepdims=True), lambda x: x.sum(axis=0), lambda x: x * 3.0,
    lambda x: x**2, lambda x: 1.0 / x, lambda x: x.astype("float64"), lambda x: x[:1],
    lambda x: ag.unstack(x)[0], lambda x: ag.max(x), lambda x: x.detach() * 2.0,
    lambda x: x + x, lambda x: ag.where(x == x, x, 0.0), lambda x: ag.linalg.eigh(x)[0],
)  # fmt: skip
BINARY = (
    ag.add, ag.multiply, ag.multiply, ag.subtract, ag.divide, ag.maximum, ag.pow, ag.atan2,
    lambda x, y: x @ y, lambda x, y: ag.concat([x, y]), lambda x, y: x * y + y,
    lambda x, y: ag.stack([x, y]),
)  # fmt: skip
VALUES = np.array([0.5, -1.25, 3.0, 0.0, 2.0, 1e300, np.inf, 1e-300])


def leaf(draw: random.Random) -> Any:
    """A leaf; of ordinary numbers, mostly."""
    dtype, shape = draw.choice(DTYPES), draw.choice(SHAPES)
    values = VALUES if draw.random() < 0.2 else VALUES[[0, 2, 4]]
    with np.errstate(all="ignore"):
        array = np.resize(np.roll(values, draw.randrange(4)), shape).astype(dtype)
    if draw.random() < 0.2:
        array = array.T
    x = ag.asarray(array).requires_grad_()
    if draw.random() < 0.2:
        x.grad = ag.ones_like(x)
    return x


def graph(draw: random.Random, told: list[Any]) -> tuple[list[Any], list[Any]]:
    """Leaves and results of random operations on them, some of them watched or rewritten."""
    leaves = [leaf(draw) for _ in range(draw.randrange(1, 4))]
    values = list(leaves)
    for _ in range(draw.randrange(1, 12)):
        try:
            if draw.random() < 0.5:
                made = draw.choice(UNARY)(draw.choice(values))
            else:
                made = draw.choice(BINARY)(draw.choice(values), draw.choice(values))
        except (TypeError, ValueError, LookupError, ArithmeticError, RuntimeError):
            continue  # shapes that do not fit; the same ones in the other process
        values.append(made)
        chance = draw.random()
        if chance < 0.1:
            watch(made, told, draw)
        elif chance < 0.15 and made.ndim and made.base is None and not made.is_leaf:
            made[:1] = 1.0
        elif chance < 0.2 and made.requires_grad:
            made.retain_grad()
    return leaves, values


def watch(x: Any, told: list[Any], draw: random.Random) -> None:
    """Hook into a tensor: one that looks, doubles, writes or returns another dtype."""
    if not x.requires_grad:
        return
    kind = draw.randrange(4)

    def hook(g: Any) -> Any:
        told.append(["hook", described(g)])
        if kind == 1:
            return g * 2.0
        if kind == 2 and g.ndim:
            g[...] = 1.0
        return g.detach() if kind == 3 else None

    x.register_hook(hook)


def described(x: Any) -> Any:
    """What can be told of a gradient apart from its identity."""
    if x is None:
        return None
    a = x._array
    return [
        type(x).__name__, str(a.dtype), list(a.shape), list(a.strides), a.tobytes().hex()[:200],
        bool(a.flags.writeable), bool(a.flags.owndata), x._family is None, x.requires_grad,
    ]  # fmt: skip


def state_of(node: Any, seen: set[int]) -> Iterator[Any]:
    """Which nodes of a graph have given up what they kept."""
    if node is not None and id(node) not in seen:
        seen.add(id(node))
        yield [node[_graph.OP].name, node[_graph.VALUES] is _graph.FREED]
        for before in node[_graph.INPUTS]:
            yield from state_of(before, seen)


def walked(seed: int) -> list[Any]:
    """A graph, walked in a way that is drawn too, and what came of it."""
    draw = random.Random(seed)
    told: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        packs = draw.random() < 0.1
        keeping = ag.autograd.saved_tensors_hooks(lambda x: x.numpy().copy(), ag.asarray)
        with keeping if packs else ag.enable_grad():
            leaves, values = graph(draw, told)
        roots = [x for x in values[len(leaves) :] if x.requires_grad]
        if not roots:
            return []
        root = draw.choice(roots[-3:])
        if draw.random() < 0.2:
            leaves[0].register_post_accumulate_grad_hook(
                lambda x: told.append(["post", described(x.grad)])
            )
        if draw.random() < 0.1:
            values = leaves = leaves[1:]
        cotangent = ag.ones_like(root) if draw.random() < 0.8 else ag.full_like(root, 1e300)
        way = draw.randrange(4)
        for _ in range(2):
            try:
                if way == 0:
                    root.backward(cotangent, retain_graph=draw.random() < 0.5)
                elif way == 1:
                    wanted = draw.sample(values, min(2, len(values)))
                    found = ag.autograd.grad(
                        root, [x for x in wanted if x.requires_grad], cotangent,
                        retain_graph=draw.random() < 0.5, allow_unused=True,
                    )  # fmt: skip
                    told.append([described(g) for g in found])
                elif way == 2:
                    ag.autograd.backward([root, roots[0], root], [cotangent, None, cotangent])
                else:
                    root.backward(cotangent)
            except (TypeError, ValueError, RuntimeError, ArithmeticError) as error:
                told.append([type(error).__name__, str(error)])
            told.append([described(x.grad) for x in values if x.is_leaf])
            told.append(list(state_of(root._node, set())))
    told.extend(f"{w.category.__name__}: {w.message}" for w in caught)
    return told


def report() -> dict[str, list[Any]]:
    """What is told of every graph."""
    return {str(seed): walked(seed) for seed in range(GRAPHS)}


@pytest.mark.parametrize("compiles", ["sync", "off"])
def test_compiled_walks_do_what_the_python_functions_do(compiles: str) -> None:
    script = (
        "import json; from tests.autograd.test_compiled_walk import report; "
        "print(json.dumps(report()))"
    )
    told = fresh_process.run(script, ARRAYGRAD_ROADS="python", ARRAYGRAD_COMPILE=compiles).stdout
    here = fresh_process.run(script, ARRAYGRAD_COMPILE=compiles).stdout
    expected, got = json.loads(told), json.loads(here)
    assert sum(bool(walk) for walk in got.values()) > 0.9 * GRAPHS
    differing = {seed: (got[seed], expected[seed]) for seed in got if got[seed] != expected[seed]}
    assert not differing, f"{len(differing)}: {next(iter(differing.items()))}"


def test_compiled_walks_are_what_runs() -> None:
    assert _engine._walk_raw is _compiled.ROADS.walk
    assert type(find_op("exp").raw or _fused.FORMS["exp"]).__name__ == "cython_function_or_method"


def test_many_threads_bring_gradients_to_one_leaf() -> None:
    x = ag.ones(4).requires_grad_()
    start = threading.Barrier(4)

    def run() -> None:
        start.wait()
        for _ in range(300):
            (x * 2.0).sum().backward()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [2400.0] * 4


def test_long_chains_are_walked_and_freed() -> None:
    y = x = ag.ones(3).requires_grad_()
    for _ in range(100_000):
        y = y + x
    y.sum().backward()
    assert x.grad.tolist() == [100_001.0] * 3


def test_a_leaf_whose_tensor_has_gone_is_left_out() -> None:
    x, y = ag.ones(3).requires_grad_(), ag.ones(3).requires_grad_()
    out = (x * y).sum()
    del x
    out.backward()
    assert y.grad.tolist() == [1.0] * 3
