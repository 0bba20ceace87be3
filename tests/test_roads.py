"""The compiled roads and the Python functions that they stand for: one answer, one graph.

`report` runs a table of calls on tensors in every state and describes what came of each: class,
dtype, bytes, strides, node, kept values, marks, warnings, errors. A process without the compiled
roads must describe the same.
"""

import json
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _apply, _compiled, _elementwise, _graph, _special_methods
from arraygrad._answers import ASKED
from arraygrad._op import find_op
from arraygrad.interop import ufuncs
from tests import fresh_process

pytestmark = pytest.mark.skipif(
    _compiled.ROADS is None,
    reason="the compiled roads are not built here, or ARRAYGRAD_ROADS=python leaves them out",
)

VALUES = np.array([0.5, -1.25, 3.0, 0.0, 2.0, 1e300])
DTYPES = ("float64", "float32", "float16", "int64", "uint8", "bool", "complex128")


def plain(dtype: str = "float64") -> Any:
    return ag.asarray(np.resize(VALUES[:5], 6).astype(dtype))


def leaf() -> Any:
    return plain().requires_grad_()


def result() -> Any:
    return ag.exp(leaf())


def viewed() -> Any:
    x = result()
    x[1:3]
    return x


def view() -> Any:
    return result()[::-1]


def rewritten() -> Any:
    """A view whose base was written after it was taken: its node is to be read anew."""
    x = result()
    part = x[:]
    x[2] = 7.0
    return part


def lent() -> Any:
    """A tensor over memory of a NumPy array that was an operand."""
    return ag.asarray(np.arange(6.0)) + 0.0


def in_columns() -> Any:
    return ag.asarray(np.arange(12.0).reshape(4, 3).T).requires_grad_()


def column() -> Any:
    return ag.ones((3, 1)).requires_grad_()


def large() -> Any:
    return ag.ones(1 << 15).requires_grad_()


class Derived(ag.Tensor):
    """A user's class: the roads leave it to Python."""

    __slots__ = ()


def derived() -> Any:
    out = object.__new__(Derived)
    out._array, out._node, out._family = np.arange(6.0), None, None
    return out


def scalar(value: float = 1.5, dtype: str = "float64") -> Any:
    return ag.asarray(np.array([value, 1.0]).astype(dtype)).requires_grad_(dtype[0] in "fc")[0]


OPERANDS: dict[str, Callable[[], Any]] = {
    "leaf": leaf,
    "result": result,
    "viewed": viewed,
    "view": view,
    "rewritten": rewritten,
    "lent": lent,
    "in columns": in_columns,
    "column": column,
    "large": large,
    "derived": derived,
    "empty": lambda: ag.zeros((0, 3)).requires_grad_(),
    "0-d": lambda: ag.asarray(2.5).requires_grad_(),
    "scalar": scalar,
    "scalar of float32": lambda: scalar(1.5, "float32"),
    "scalar of int64": lambda: scalar(2**62, "int64"),
    "scalar 1e300": lambda: scalar(1e300),
    "other shape": lambda: ag.ones(5),
    "square": lambda: ag.asarray(np.arange(9.0).reshape(3, 3)).requires_grad_(),
    "integers": lambda: ag.asarray(np.arange(9).reshape(3, 3)),
    **{dtype: lambda dtype=dtype: plain(dtype) for dtype in DTYPES},  # type: ignore[misc]
    "number": lambda: 2.0,
    "integer": lambda: 3,
    "0.0": lambda: 0.0,
    "-0.0": lambda: -0.0,
    "nan": lambda: float("nan"),
    "1e300": lambda: 1e300,
    "2**70": lambda: 2**70,
    "bool scalar": lambda: True,
    "complex number": lambda: 1j,
    "array": lambda: np.arange(6.0),
    "array of float32": lambda: np.ones(6, np.float32),
    "0-d array": lambda: np.array(0.5),
    "NumPy scalar": lambda: np.float64(0.25),
    "list": lambda: [1.0] * 6,
    "None": lambda: None,
    "text": lambda: "x",
}
TENSORS = tuple(OPERANDS)[: tuple(OPERANDS).index("number")]
BINARY = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, ag.add, ag.multiply, ag.divide, ag.pow,
    ag.maximum, ag.atan2, ag.floor_divide, ag.logical_and, ag.bitwise_xor, np.subtract, np.hypot,
)  # fmt: skip
UNARY = (
    operator.neg, ag.exp, ag.log, ag.sqrt, ag.tanh, ag.square, ag.abs, ag.sign, ag.isnan,
    ag.reciprocal, ag.bitwise_invert, np.sin, np.negative,
)  # fmt: skip


KEYS: tuple[Any, ...] = (
    0, -1, 7, slice(1, 4), slice(None, None, -1), (slice(None),), (0, 0), (0, slice(None)), None,
    ..., (..., 0), (), True, np.int64(1), [0, 2], np.array([True] * 6), 2.0, "x", (0, 0, 0),
    slice(0, 2.0),
)  # fmt: skip
REDUCTIONS: tuple[dict[str, Any], ...] = (
    {}, {"axis": 0}, {"axis": -1}, {"axis": 5}, {"axis": (0,)}, {"axis": (0, 1)}, {"axis": None},
    {"keepdims": True}, {"axis": 0, "keepdims": True}, {"axis": 1.5}, {"axis": 2**40},
    {"axis": -(2**70)},
)  # fmt: skip
REDUCING = (ag.sum, ag.prod, ag.max, ag.min, ag.mean, ag.all, ag.any, ag.argmax, np.sum, np.max)
VIEWING: dict[str, Callable[[Any], Any]] = {
    "T": lambda x: x.T,
    "reshape": lambda x: x.reshape(-1),
    "rows": lambda x: list(x)[-1],
    "view of a view": lambda x: x[1:][::-1],
    "squeeze": lambda x: x[:, None].squeeze(),
    "swapped": lambda x: np.swapaxes(x, 0, -1),
    "expanded": lambda x: ag.broadcast_to(x, (2, *x.shape)),
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "np.concatenate": lambda x: np.concatenate([x, x]),
    "np.concatenate along a wrong axis": lambda x: np.concatenate([x, x], axis=9),
    "np.clip": lambda x: np.clip(x, 0.0, 1.0),
    "np.where": lambda x: np.where(x > 0, x, 0.0),
    "np.sum of nothing known": lambda x: np.sum(x, axis="a"),
    "np.add with a list": lambda x: np.add([1.0], x),
    "np.add with text": lambda x: np.add(x, "text"),
    "np.add with out": lambda x: np.add(x, 1.0, out=ag.zeros(6)),
    "np.add.reduce": lambda x: np.add.reduce(x),
    "np.linalg.norm": lambda x: np.linalg.norm(x),
    "np.linalg.inv": lambda x: np.linalg.inv(x),
    "np.dot": lambda x: np.dot(x, x),
    "np.isclose": lambda x: np.isclose(x, 0.5),
    "np.reshape": lambda x: np.reshape(x, (5, 5)),
}
FACTORS = (
    "leaf", "result", "viewed", "rewritten", "in columns", "square", "integers", "column",
    "scalar", "derived", "empty", "float32", "array", "list", "0-d", "large",
)  # fmt: skip


def described(out: Any) -> list[Any]:
    """What can be told of a result apart from its identity."""
    if not isinstance(out, ag.Tensor):
        return [type(out).__name__, repr(out)]
    array = out._array
    return [
        type(out).__name__, str(array.dtype), list(array.shape), list(array.strides),
        array.tobytes().hex()[:96], bool(array.flags.writeable), out._family is None,
        getattr(out, "_saved", None), node_text(out._node, 3),
    ]  # fmt: skip


def node_text(node: Any, depth: int) -> Any:
    """A node, its kept values and the nodes before it."""
    if node is None or not depth:
        return None
    values = node[_graph.VALUES]
    kept = [
        None if v is None else [str(v.dtype), v.shape, v.tobytes().hex()[:64], v.flags.writeable]
        for v in values or ()
    ]
    before = [node_text(n, depth - 1) for n in node[_graph.INPUTS] or ()]
    attributes = node[_graph.ATTRIBUTES] or {}
    told = {key: str(value) for key, value in attributes.items() if key != "tensor"}  # of leaves
    return [node[_graph.OP].name, kept, told, before]


def outcome(function: Callable[..., Any], names: tuple[str, ...]) -> list[Any]:
    """What a call on fresh operands gives, and what it does to them."""
    operands = [OPERANDS[name]() for name in names]
    seq = _graph.next_seq()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given: Any = described(function(*operands))
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
            given = [type(error).__name__, str(error)]
    marks = [  # of the memory, in one of two places
        getattr(x, "_saved", None) if x._family is None else x._family.storage.saved
        for x in operands
        if isinstance(x, ag.Tensor)
    ]
    said = [f"{w.category.__name__}: {w.message}" for w in caught]
    return [given, marks, said, _graph.next_seq() - seq]


def report() -> Iterator[tuple[str, list[Any]]]:
    """Every function with every operand; every other operand beside it."""
    for function in UNARY:
        for name in TENSORS:
            yield f"{function.__name__}({name})", outcome(function, (name,))
    for function in BINARY:
        for name in TENSORS:
            for other in OPERANDS:
                # All pairs would be a minute: each tensor beside itself, beside one of each kind,
                # and all beside three of them.
                if name in ("leaf", "scalar", "viewed") or other in (name, "number", "leaf"):
                    yield f"{function.__name__}({name}, {other})", outcome(function, (name, other))
                    yield f"{function.__name__}({other}, {name})", outcome(function, (other, name))
    for name in TENSORS:
        for key in KEYS:
            yield f"{name}[{key}]", outcome(lambda x, key=key: x[key], (name,))
        for title, function in VIEWING.items():
            yield f"{title}({name})", outcome(function, (name,))
        for reduce in REDUCING:
            for options in REDUCTIONS:
                yield (
                    f"{reduce.__module__}.{reduce.__name__}({name}, {options})",
                    outcome(lambda x, f=reduce, options=options: f(x, **options), (name,)),
                )
    for name in TENSORS:
        for title, function in CALLS.items():
            yield f"{title} of {name}", outcome(function, (name,))
    for name in FACTORS:
        for other in FACTORS:
            yield f"{name} @ {other}", outcome(operator.matmul, (name, other))
    with ag.no_grad():
        for name in ("leaf", "viewed", "scalar"):
            yield f"{name}[0] without grad", outcome(operator.itemgetter(0), (name,))
            yield f"{name}[1:] without grad", outcome(operator.itemgetter(slice(1, None)), (name,))
            yield f"sum({name}) without grad", outcome(ag.sum, (name,))
            yield f"{name} @ leaf without grad", outcome(operator.matmul, (name, "leaf"))
        yield "add(leaf, leaf) without grad", outcome(ag.add, ("leaf", "leaf"))
        yield "exp(leaf) without grad", outcome(ag.exp, ("leaf",))
    with np.errstate(all="raise"):
        yield "x / 0 raises", outcome(operator.truediv, ("leaf", "0.0"))
        yield "underflow raises", outcome(ag.exp, ("scalar 1e300",))
    with np.errstate(all="ignore"):
        yield "x / 0 is silent", outcome(operator.truediv, ("leaf", "0.0"))


def test_compiled_roads_do_what_the_python_functions_do() -> None:
    script = "import json; from tests.test_roads import report; print(json.dumps(list(report())))"
    told = fresh_process.run(script, ARRAYGRAD_ROADS="python", ARRAYGRAD_COMPILE="off").stdout
    here = fresh_process.run(script, ARRAYGRAD_COMPILE="off").stdout
    expected, got = dict(json.loads(told)), dict(json.loads(here))
    assert expected.keys() == got.keys()
    assert len(got) > 8000
    differing = {name: (got[name], expected[name]) for name in got if got[name] != expected[name]}
    assert not differing


def test_observers_see_what_runs_on_the_compiled_roads() -> None:
    seen = []

    def observe(op: Any, result: Any, arrays: tuple[Any, ...]) -> None:
        seen.append(op.name)

    x = leaf()
    (x + x, ag.exp(x) * 2.0, 2.0 * x > 1.0, -x)  # so that the kernels are known
    _graph.OBSERVERS.append(observe)
    try:
        x + x
        ag.exp(x) * 2.0
        _ = (2.0 * x > 1.0, -x)
    finally:
        _graph.OBSERVERS.remove(observe)
    assert seen == ["add", "exp", "multiply", "multiply", "greater", "negative"]


def test_a_loop_is_not_that_of_a_kernel_which_has_gone() -> None:
    """Kernels may be exchanged while a program runs: the table of loops follows."""
    op = find_op("add")
    x, array = plain(), plain()._array
    x + x
    ufuncs = (np.subtract, np.multiply, np.add, np.maximum, lambda a, b: a - 2 * b)
    for kernel in ufuncs * 3:
        with pytest.MonkeyPatch.context() as patched:
            patched.setitem(op.fast, array.dtype, kernel)
            assert (x + x).tolist() == kernel(array, array).tolist()
            assert _elementwise.binary(op, x, 3.0).tolist() == kernel(array, 3.0).tolist()
    for _ in range(3000):  # more kernels than the table has places, each gone after its call
        with pytest.MonkeyPatch.context() as patched:
            patched.setitem(op.fast, array.dtype, np.frompyfunc(operator.sub, 2, 1))
            assert (x + x).tolist() == [0.0] * 6
    assert (x + x).tolist() == (array + array).tolist()


def test_scalars_alone_need_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their operators took the long way until the op had met a tensor, and no scalar changed it."""
    x, y = scalar(), scalar(0.5, "float32")
    for name in ("add", "subtract", "multiply", "divide"):
        monkeypatch.setattr(find_op(name), "fast", {})
    monkeypatch.setattr(_special_methods.short, "of_scalars", None)  # not to be called
    values = (x + x, x - 2.0, 3 * x, 1.0 / x, y * 2, x / x)
    assert [float(v._array) for v in values] == [3.0, -0.5, 4.5, 1 / 1.5, 1.0, 1.0]
    assert all(v._node is not None for v in values)


def of_a_kernel(value: Any) -> Any:
    return lambda *arrays: value


@pytest.mark.parametrize("value", [1.5, 3, 2**70, True, 1j, [1.0, 2.0], np.float32(2), "text"])
def test_what_a_kernel_returns_becomes_the_array_that_numpy_makes_of_it(
    value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python number was read as if it were NumPy's: wrong values, a crash."""
    x, array = plain(), np.array(value)
    _ = (x + x, ag.exp(x), x.sum(), x @ x)  # fill the tables
    for name in ("add", "exp"):
        monkeypatch.setitem(find_op(name).fast, x._array.dtype, of_a_kernel(value))
    monkeypatch.setitem(find_op("sum").short, x._array.dtype, (None, of_a_kernel(value)))
    monkeypatch.setitem(find_op("matmul").short, x._array.dtype, of_a_kernel(value))
    for out in (x + x, x + 1.0, ag.exp(x), x.sum(), x @ x):
        assert out._array.dtype == array.dtype
        assert out.tolist() == array.tolist()


def test_kernels_that_another_thread_exchanges_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The form of a product, read from the table, was lent while nodes were asked for."""
    x = plain()
    base = rewritten()  # its node is made anew, by Python code, when it is asked for
    forms = find_op("matmul").short
    x @ x
    monkeypatch.setitem(forms, x._array.dtype, lambda a, b: np.float64(7.0))

    def refresh(*arguments: Any) -> Any:
        forms[x._array.dtype] = lambda a, b: np.float64(8.0)
        return geometry_in(*arguments)

    geometry_in = _apply.geometry_in
    monkeypatch.setattr(_apply, "geometry_in", refresh)
    assert (base @ x)._array == 7.0


def test_answers_that_are_exchanged_while_they_run_are_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Answer:
        def __call__(self, *arguments: Any) -> Any:
            for function in (np.sin, np.sum):
                monkeypatch.setitem(ASKED, function, None)
            return id(self)

    x = plain()
    for call in (np.sin, np.sum):
        monkeypatch.setitem(ASKED, call, Answer())
        assert call(x)


def test_ufuncs_say_in_our_words_that_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """With keywords they are answered in Python, without in C: they said it in two ways."""

    def full(*arguments: Any, **keywords: Any) -> Any:
        raise MemoryError("Unable to allocate 8 TiB")

    x = plain()
    monkeypatch.setitem(ASKED, np.sin, full)
    monkeypatch.setattr(ufuncs, "call", full)
    for call in (lambda: np.sin(x), lambda: np.sin(x, dtype="float64")):
        with pytest.raises(ag.errors.OutOfMemoryError, match=r"np\.sin: Unable to allocate"):
            call()


def test_empty_tensor_objects_raise() -> None:
    """An object whose slots nobody has set must not be read as if they were."""
    hollow = object.__new__(ag.Tensor)
    for call in (lambda: hollow + 1.0, lambda: ag.exp(hollow), lambda: ag.ones(3) * hollow):
        with pytest.raises(AttributeError):
            call()
