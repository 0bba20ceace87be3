"""Whatever NumPy does with a tensor: the gradient stays, or somebody hears of it.

Each row is something that a user writes. Without `ag.lift` it keeps the gradient, raises, or, where
NumPy hides our exception behind one of its own, raises and warns. Under `ag.lift` it is right.
"""

import asyncio
import math
import operator
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, special, stats

import arraygrad as ag
import arraygrad.numpy as agnp

WAYS_OUT = ("x.detach()", "ag.no_grad()", "ag.lift")
VALUES = np.array([0.7, 1.9])


@dataclass(frozen=True)
class Row:
    """What a user writes, and what becomes of it.

    without, lifted : "tracked", "raises", "hidden" or "plain"
        The result carries the gradient; DetachError; NumPy's exception and our warning; a plain
        result, in which there is no gradient to lose.
    """

    name: str
    code: Callable[[Any], Any]
    without: str
    lifted: str = "tracked"


def set_one(x):
    out = np.zeros(2)
    out[1] = x[0]
    return out


def set_one_of_two_dimensions(x):
    out = np.zeros((2, 2))
    out[0, 1] = x[0]
    return out


def set_flat(x):
    out = np.zeros((2, 2))
    out.flat[1] = x[0]
    return out


def set_by_method(x):
    out = np.zeros(2)
    out.__setitem__(0, x[0])
    return out


def filled(x):
    out = np.zeros(2)
    out.fill(x[1])
    return out


def set_slice(x):
    out = np.zeros(3)
    out[0:2] = x
    return out


def set_at_indices(x):
    out = np.zeros(3)
    out[[2, 0]] = x
    return out


def diagonal_filled(x):
    out = np.zeros((2, 2))
    np.fill_diagonal(out, x)
    return out


def copied(x):
    out = np.zeros(2)
    np.copyto(out, x)
    return out


def put(x):
    out = np.zeros(2)
    np.put(out, [1, 0], x)
    return out


def added_at(x):
    out = np.zeros(2)
    np.add.at(out, [1, 1], x)
    return out


def given_out(x):
    out = np.zeros(2)
    np.exp(x, out=out)
    return out


def added_in_place(x):
    out = np.ones(2)
    out += x
    return out


def indexed_by(x):
    return np.arange(5.0)[x]


def iterated(x):
    return sum(v[()] ** 2 for v in np.nditer(x))


def drawn(x):
    return np.random.default_rng(0).normal(x)


def compared(x):
    np.testing.assert_allclose(x, VALUES)
    return "equal"


ROWS = [
    Row("nd[i] = t[j]", set_one, "hidden"),
    Row("nd[i, j] = t[k]", set_one_of_two_dimensions, "hidden"),
    Row("nd.flat[i] = t[j]", set_flat, "hidden"),
    Row("nd.__setitem__(i, t[j])", set_by_method, "hidden"),
    Row("nd.fill(t[i])", filled, "hidden"),
    Row("np.fromiter", lambda x: np.fromiter((v * v for v in x), float), "hidden"),
    Row("nd[a:b] = t", set_slice, "raises"),
    Row("nd[indices] = t", set_at_indices, "raises"),
    Row("np.fill_diagonal(nd, t)", diagonal_filled, "raises"),
    Row("np.full(n, t[i])", lambda x: np.full(3, x[1]), "raises"),
    Row("np.full(n, t)", lambda x: np.full((3, 2), x), "raises"),
    Row("np.arange(t[i], ...)", lambda x: np.arange(x[0], 3.0, x[1]), "raises"),
    Row("np.array([t[i], t[j]])", lambda x: np.array([x[1], x[0] ** 2]), "raises"),
    Row("np.array([t, t])", lambda x: np.array([x, x * x]), "raises"),
    Row("np.array(t)", lambda x: np.array(x), "raises"),
    Row("np.asarray(t)", lambda x: np.asarray(x), "raises"),
    Row("np.asarray(t, dtype=float)", lambda x: np.asarray(x, dtype=float), "raises"),
    Row("np.mean([t, t])", lambda x: np.mean([x, x * x]), "raises"),
    Row("np.exp([t, t])", lambda x: np.exp([x, x * x]), "raises"),
    Row("np.diag([t[i], t[j]])", lambda x: np.diag([x[0], x[1]]), "raises"),
    Row("np.r_[t]", lambda x: np.r_[x, 1.0, x[0]], "raises"),
    Row("np.c_[t, t]", lambda x: np.c_[x, x * x], "raises"),
    Row("np.float64(t[i])", lambda x: np.float64(x[0]), "raises"),
    Row("np.array(..., like=t)", lambda x: np.array([x[0], x[1]], like=x), "tracked"),
    Row("np.zeros(n, like=t)", lambda x: np.zeros(2, like=x) + x, "tracked"),
    Row("np.zeros_like(t)", lambda x: np.zeros_like(x) + x, "tracked"),
    Row("np.linspace(0, t[i], n)", lambda x: np.linspace(0, x[1], 4), "tracked"),
    Row("np.stack", lambda x: np.stack([x, x * x]), "tracked"),
    Row("np.concatenate", lambda x: np.concatenate([x, x * x]), "tracked"),
    Row("np.block", lambda x: np.block([[x, x], [x, x * x]]), "tracked"),
    Row("np.einsum", lambda x: np.einsum("i,j->ij", x, x), "tracked"),
    Row("np.where", lambda x: np.where(x > 1.0, x, x * x), "tracked"),
    Row("np.dot", lambda x: np.dot(np.ones(2), x), "tracked"),
    Row("np.fft.fft", lambda x: np.abs(np.fft.fft(x)), "tracked"),
    Row("np.linalg.norm", lambda x: np.linalg.norm(x), "tracked"),
    Row("np.full_like(nd, t)", lambda x: np.full_like(np.zeros(2), x), "raises"),
    Row("np.full_like(nd, t[i])", lambda x: np.full_like(np.zeros(2), x[0]), "raises"),
    Row("np.copyto(nd, t)", copied, "raises"),
    Row("np.put(nd, i, t)", put, "raises"),
    Row("np.add.at(nd, i, t)", added_at, "raises"),
    Row("np.exp(t, out=nd)", given_out, "raises"),
    Row("nd * t", lambda x: np.ones(2) * x, "tracked"),
    Row("nd @ t", lambda x: np.ones(2) @ x, "tracked"),
    Row("np.float64(2) * t", lambda x: np.float64(2) * x, "tracked"),
    Row("nd += t", added_in_place, "tracked"),
    Row("nd.dot(t)", lambda x: np.ones(2).dot(x), "raises"),
    Row("np.vectorize", lambda x: np.vectorize(lambda v: v * v)(x), "raises"),
    Row("np.nditer(t)", iterated, "hidden"),
    Row("rng.normal(t)", drawn, "raises"),
    Row("np.testing.assert_allclose(t, ...)", compared, "raises", "plain"),
    Row("math.exp(t[i])", lambda x: math.exp(x[0]), "raises"),
    Row("float(t[i])", lambda x: float(x[0]) * 2.0, "raises"),
    Row("complex(t[i])", lambda x: complex(x[0]).real, "raises"),
    Row('"%f" % t[i]', lambda x: "%f" % x[0], "raises", "plain"),  # noqa: UP031
    Row('f"{t[i]:.3f}"', lambda x: f"{x[0]:.3f}", "plain", "plain"),
    Row("t > 1", lambda x: (x > 1.0).all() or x.sum() > 9, "plain", "plain"),
    Row("scipy.special.gammaln(t)", lambda x: special.gammaln(x), "tracked"),
    Row("scipy.linalg.solve(nd, t)", lambda x: linalg.solve(np.diag([1.0, 2.0]), x), "raises"),
]
IDS = [row.name for row in ROWS]


def leaf() -> Any:
    return ag.asarray(VALUES.copy()).requires_grad_()


def detach_error(error: BaseException | None) -> ag.errors.DetachError | None:
    while error is not None and not isinstance(error, ag.errors.DetachError):
        error = error.__cause__
    return error


def outcome(code: Callable[[Any], Any], x: Any) -> tuple[str, Any]:
    """What becomes of the code: its word in Row, and the result or the messages."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out = code(x)
        except (TypeError, ValueError) as error:
            heard = [str(w.message) for w in caught if w.category is ag.DetachWarning]
            ours = isinstance(error, ag.errors.DetachError)
            return ("raises", [str(error)]) if ours else ("hidden", heard)
    assert not caught
    if isinstance(out, ag.Tensor) and out.requires_grad:
        return "tracked", out
    return "plain", out


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_gradient_stays_or_somebody_hears_of_it(row: Row) -> None:
    x = leaf()
    word, found = outcome(row.code, x)
    assert word == row.without
    if word == "tracked":
        assert_gradient(row.code, x, found)
    elif word != "plain":
        assert len(found) == 1
        for way in WAYS_OUT:
            assert way in found[0]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_lifted_code_is_right(row: Row) -> None:
    x = leaf()
    word, found = outcome(ag.lift(row.code), x)
    assert word == row.lifted
    if word == "tracked":
        assert_gradient(row.code, x, found)
    else:
        assert str(found) == str(row.code(VALUES))


def assert_gradient(code: Callable[[Any], Any], x: Any, out: Any) -> None:
    """Value and gradient against NumPy and its finite differences."""
    assert_allclose(out.detach().numpy(), code(VALUES), rtol=1e-14)
    weights = np.random.default_rng(3).normal(size=out.shape)
    (out * weights).sum().backward()
    numeric = []
    for i in range(VALUES.size):
        step = np.zeros(VALUES.size)
        step[i] = 1e-6
        numeric.append(np.sum(weights * (code(VALUES + step) - code(VALUES - step))) / 2e-6)
    assert_allclose(x.grad.numpy(), numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["nd[t]", "np.ma.array(t)", "memoryview(t)"])
def test_what_nobody_can_keep_is_refused_everywhere(name: str) -> None:
    """Floats index nothing; masked arrays and buffers hold no gradient."""
    code = {"nd[t]": indexed_by, "np.ma.array(t)": np.ma.array, "memoryview(t)": memoryview}[name]
    for function in (code, ag.lift(lambda x: code(x))):
        with pytest.raises((TypeError, IndexError)):
            function(leaf())


@pytest.mark.parametrize("row", [r for r in ROWS if r.without in ("raises", "hidden")])
def test_untracked_tensors_are_welcome(row: Row) -> None:
    """Where there is no gradient to lose NumPy gets the values."""
    expected = row.code(VALUES)
    for x in (ag.asarray(VALUES), leaf().detach()):
        assert str(np.asarray(row.code(x))) == str(np.asarray(expected))
    with ag.no_grad():
        assert str(np.asarray(row.code(leaf()))) == str(np.asarray(expected))


@pytest.mark.parametrize("row", [r for r in ROWS if r.without in ("raises", "hidden")])
def test_policy_lets_values_through(row: Row) -> None:
    expected = str(np.asarray(row.code(VALUES)))
    with ag.set_detach_policy("allow"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(np.asarray(row.code(leaf()))) == expected
    with ag.set_detach_policy("warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert str(np.asarray(row.code(leaf()))) == expected
    assert {w.category for w in caught} == {ag.DetachWarning}
    assert {w.filename for w in caught} == {__file__}


def test_hidden_exception_survives_a_filter_that_makes_warnings_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="setting an array element") as caught:
            set_one(leaf())
    assert detach_error(caught.value) is not None


def test_visible_exception_needs_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ag.errors.DetachError):
            float(leaf()[0])
        with pytest.raises(ag.errors.DetachError):
            math.exp(leaf()[0])


def test_lifted_code_names_the_users_line() -> None:
    def masked(x):
        return np.ma.array(x).sum()

    with pytest.raises(ag.errors.DetachError) as caught:
        ag.lift(masked)(leaf())
    (note,) = caught.value.__notes__
    assert "test_nothing_lost.py" in note
    assert "return np.ma.array(x).sum()" in note


# -- the policy -----------------------------------------------------------------------------------


def test_policy_holds_until_the_block_ends() -> None:
    assert ag.get_detach_policy() == "error"
    with ag.set_detach_policy("allow"):
        with ag.set_detach_policy("warn"):
            assert ag.get_detach_policy() == "warn"
        assert ag.get_detach_policy() == "allow"
        assert float(leaf()[0]) == VALUES[0]
    assert ag.get_detach_policy() == "error"


def test_policy_is_restored_after_an_exception() -> None:
    with pytest.raises(RuntimeError), ag.set_detach_policy("allow"):
        raise RuntimeError
    assert ag.get_detach_policy() == "error"


def test_policy_set_without_a_block_stays() -> None:
    ag.set_detach_policy("allow")
    try:
        assert np.asarray(leaf()).tolist() == VALUES.tolist()
    finally:
        ag.set_detach_policy("error")


def test_policy_as_a_decorator_holds_while_the_function_runs() -> None:
    @ag.set_detach_policy("allow")
    def function(x: ag.Tensor) -> float:
        """Its words stay."""
        return float(x[0])

    @ag.set_detach_policy("allow")
    def generator(x: ag.Tensor) -> Iterator[float]:
        for item in x:
            yield float(item)

    @ag.set_detach_policy("warn")
    async def coroutine() -> str:
        await asyncio.sleep(0)
        return ag.get_detach_policy()

    assert ag.get_detach_policy() == "error"
    assert function(leaf()) == VALUES[0]
    assert (function.__name__, function.__doc__) == ("function", "Its words stay.")
    for found, value in zip(generator(leaf()), VALUES, strict=True):
        assert found == value
        assert ag.get_detach_policy() == "error"  # the consumer's own
    assert asyncio.run(coroutine()) == "warn"
    assert ag.get_detach_policy() == "error"
    with pytest.raises(ag.errors.ArgumentTypeError, match="decorate its methods"):
        ag.set_detach_policy("allow")(type("Model", (), {}))
    assert ag.get_detach_policy() == "error"


def test_policy_scope_may_be_entered_again() -> None:
    scope = ag.set_detach_policy("allow")
    for _ in range(2):
        with scope, scope:
            assert ag.get_detach_policy() == "allow"
        assert ag.get_detach_policy() == "error"


def test_unknown_policy_is_refused_and_changes_nothing() -> None:
    with pytest.raises(ag.errors.ArgumentError, match="'error', 'warn' or 'allow'"):
        ag.set_detach_policy("ignore")
    assert ag.get_detach_policy() == "error"


def test_policy_of_a_thread_is_its_own() -> None:
    seen: list[Any] = []

    def work() -> None:
        ag.set_detach_policy("warn")
        seen.append(ag.get_detach_policy())

    with ag.set_detach_policy("allow"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert ag.get_detach_policy() == "allow"
    assert seen == ["warn"]
    assert ag.get_detach_policy() == "error"


def test_policy_of_a_task_is_its_own() -> None:
    async def permissive(entered: asyncio.Event, leave: asyncio.Event) -> float:
        with ag.set_detach_policy("allow"):
            entered.set()
            await leave.wait()
            return float(leaf()[1])

    async def both() -> float:
        entered, leave = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(permissive(entered, leave))
        await entered.wait()
        with pytest.raises(ag.errors.DetachError):  # while the other task may
            float(leaf()[1])
        leave.set()
        return await task

    assert asyncio.run(both()) == VALUES[1]
    assert ag.get_detach_policy() == "error"


@pytest.mark.parametrize("mode", np._CopyMode)
def test_numpys_copy_modes_are_taken(mode):
    """Libraries pass np._CopyMode for older NumPys: its truth value raised."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    assert np.array(x, copy=mode, like=x).requires_grad
    assert agnp.array(x, copy=mode).requires_grad


# -- arrays of NumPy that mean more than their numbers ---------------------------------------------

MASKED = np.ma.array([1.0, 2.0], mask=[True, False])
MATRIX = np.matrix([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * MASKED, lambda x: MASKED * x, lambda x: np.add(MASKED, x),
        lambda x: np.where(MASKED > 0, MASKED, x), lambda x: np.ma.masked_where([True, False], x),
        lambda x: np.ma.array(x, mask=[True, False]), lambda x: np.ma.mean(x),
    ],
)  # fmt: skip
def test_masked_arrays_are_refused_with_the_remedy(call):
    """The tensor's answer once left the mask out of account."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match=r"np\.where\(mask, \.\.\.\)"):
        call(x)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * MATRIX, lambda x: MATRIX * x, lambda x: MATRIX @ x, lambda x: MATRIX + x,
        lambda x: np.dot(MATRIX, x), np.matrix, np.asmatrix,
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_are_refused_with_the_remedy(call):
    """``matrix * tensor`` once was the product of elements, which it is not for NumPy."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match=r"and (write )?@"):
        call(x)


class Quantity(np.ndarray):
    """An array with a unit, say, which its operators reckon with."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented


class Named(np.ndarray):
    """An array that says more, and computes as one."""


ROADS = {
    "tensor": ag.tensor,
    "asarray": ag.asarray,
    "a list": lambda a: ag.tensor([a, a]),
    "a nested list": lambda a: ag.asarray([[a], [a]]),
    "a list with a tensor": lambda a: ag.asarray([a, ag.asarray(np.eye(2))]),
    "DLPack": ag.from_dlpack,
    "full": lambda a: ag.full((2, 2), a),
    "ones_like": ag.ones_like,
    "function": ag.exp,
    "NumPy's function": lambda a: np.multiply(ag.asarray(np.eye(2)), a),
    "operator": lambda a: ag.asarray(np.eye(2)) + a,
    "matmul": lambda a: ag.asarray(np.eye(2)) @ a,
    "comparison": lambda a: ag.asarray(np.eye(2)) > a,
    "in place": lambda a: operator.iadd(ag.tensor(np.eye(2)), a),
    "written": lambda a: operator.setitem(ag.tensor(np.eye(2)), slice(None), a),
    "written by a mask": lambda a: operator.setitem(ag.ones((2, 2)), np.full((2, 2), True), a),
    "derivative": ag.grad(np.sum),
}


@pytest.mark.parametrize(
    "array", [MATRIX, np.ma.array(np.eye(2), mask=np.eye(2)), np.eye(2).view(Quantity)],
    ids=["matrix", "masked", "quantity"],
)  # fmt: skip
@pytest.mark.parametrize("road", ROADS)
def test_arrays_that_mean_more_than_their_numbers_are_taken_nowhere(road, array):
    with pytest.raises(ag.errors.ArgumentTypeError, match=r"np\.asarray\(x\)|x\.filled\(value\)"):
        ROADS[road](array)


@pytest.mark.parametrize("kind", [Named, np.recarray, np.memmap])
@pytest.mark.parametrize("road", ROADS)
def test_other_subclasses_are_plain_arrays(road, kind, tmp_path):
    plain = np.arange(4.0).reshape(2, 2)
    if kind is np.memmap:
        array = np.memmap(tmp_path / "numbers", float, "w+", shape=(2, 2))
        array[...] = plain
    else:
        array = plain.view(kind)
    if road == "written by a mask":
        array, plain = array.reshape(-1), plain.reshape(-1)
    found, wanted = ROADS[road](array), ROADS[road](plain)
    if wanted is not None:
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


def test_the_remedy_names_what_lifted_code_uses():
    x = ag.tensor([1.0, 2.0, 4.0], requires_grad=True)
    with pytest.raises(ag.errors.DetachError, match=r"use arraygrad\.scipy\.stats\.zscore"):
        stats.zscore(x)
