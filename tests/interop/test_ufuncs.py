"""NumPy's ufuncs on tensors: values and gradients of calls, methods, out=, where=, dtype=."""

import operator
import textwrap

import numpy as np
import pytest

import arraygrad as ag
from tests import fresh_process

from .calls import call, complexes, distinct, normal, positive
from .test_numpy_functions import assert_same, check_gradient, direction_for, tracked

A = normal(3, 4)


def _with_out(function):
    """The call with a tensor (or array) as out=."""

    def run(x, *rest):
        out = np.zeros_like(x)
        result = function(x, *rest, out=out)
        assert result is out
        return result

    return run


def _at(ufunc, indices):
    def run(x, *values):
        target = x * 1.0
        ufunc.at(target, indices, *values)
        return target

    return run


def _overlap_add(ufunc, *key):
    """Frames of eight numbers that share some of these, added to through the view of them."""

    def run(x, frames):
        line = x * 1.0
        view = np.lib.stride_tricks.sliding_window_view(line, 4, writeable=True)[::2]
        ufunc.at(view, key or ..., frames)
        return line, view * 1.0

    return run


def _accumulated(ufunc):
    """An accumulation into a part of the array that it reads."""

    def run(x):
        target = x * 1.0
        ufunc.accumulate(target[:, 1:], axis=1, out=target[:, 1:])
        return target

    return run


CALLS = {
    # ufuncs that the standard does not have
    "fabs": call(np.fabs, distinct(4)),
    "float_power": call(np.float_power, positive(3), normal(3)),
    "float_power of complex": call(lambda x: np.float_power(x, 2), complexes(3)),
    "ldexp": call(lambda x: np.ldexp(x, [1, -2, 0]), normal(3)),
    "frexp": call(np.frexp, 4 * normal(4)),
    "modf": call(np.modf, 4 * normal(4)),
    "divmod": call(np.divmod, 4 * normal(4), positive(4)),
    "degrees": call(np.degrees, normal(3)),
    "radians": call(np.radians, normal(3)),
    "rint": call(np.rint, 3 * normal(3)),
    "clip": call(lambda x: np.clip(x, -0.5, 0.5), distinct(5)),
    # reduce
    "add.reduce": call(np.add.reduce, A),
    "add.reduce of all": call(lambda x: np.add.reduce(x, axis=None), A),
    "add.reduce with options": call(
        lambda x: np.add.reduce(x, axis=1, keepdims=True, initial=2.0, where=A > 0), A
    ),
    "subtract.reduce from a value": call(lambda x: np.subtract.reduce(x, initial=2.0), A),
    "divide.reduce of some": call(
        lambda x: np.divide.reduce(x, axis=1, initial=3.0, where=A > 0), positive(3, 4)
    ),
    "hypot.reduce of some": call(
        lambda x: np.hypot.reduce(x, axis=(0, 1), where=A > 0), positive(3, 4)
    ),
    "maximum.reduce of some": call(
        lambda x: np.maximum.reduce(x, axis=1, initial=0.1, where=A > 0, keepdims=True),
        distinct(3, 4),
    ),
    "add.reduce complex dtype": call(lambda x: np.add.reduce(x, dtype=complex), A),
    "multiply.reduce of some": call(
        lambda x: np.multiply.reduce(x, where=[[True], [False], [True]]), positive(3, 2)
    ),
    "multiply.reduce": call(lambda x: np.multiply.reduce(x, axis=(0, 1)), normal(2, 3)),
    "maximum.reduce": call(lambda x: np.maximum.reduce(x, axis=1), distinct(3, 4)),
    "subtract.reduce": call(np.subtract.reduce, A),
    "divide.reduce": call(lambda x: np.divide.reduce(x, axis=1), positive(2, 3)),
    "hypot.reduce": call(np.hypot.reduce, positive(3, 2)),
    "logaddexp.reduce": call(lambda x: np.logaddexp.reduce(x, axis=1), A),
    "power.reduce": call(np.power.reduce, positive(3)),
    # accumulate
    "add.accumulate": call(lambda x: np.add.accumulate(x, axis=1), A),
    "multiply.accumulate": call(np.multiply.accumulate, normal(4)),
    "maximum.accumulate": call(np.maximum.accumulate, distinct(5)),
    "subtract.accumulate": call(np.subtract.accumulate, normal(4)),
    "multiply.accumulate in place": call(_accumulated(np.multiply), normal(2, 4)),
    # reduceat
    "subtract.reduceat": call(lambda x: np.subtract.reduceat(x, [0, 2, 2], axis=1), A),
    "outer with a dtype": call(
        lambda x, y: np.multiply.outer(x, y, dtype=complex), normal(2), normal(3)
    ),
    "exp of a signature": call(lambda x: np.exp(x, signature="D->D"), A),
    "add.reduceat": call(lambda x: np.add.reduceat(x, [0, 3, 1, 4]), normal(6)),
    "multiply.reduceat": call(lambda x: np.multiply.reduceat(x, [0, 2], axis=1), A),
    # outer
    "multiply.outer": call(np.multiply.outer, normal(2), normal(3)),
    "subtract.outer": call(np.subtract.outer, normal(2, 2), normal(3)),
    "power.outer": call(np.power.outer, positive(2), normal(2)),
    # at
    "add.at": call(_at(np.add, [0, 0, 2]), normal(4), normal(3)),
    "add.at with a scalar": call(_at(np.add, [1, 1]), normal(3), normal()),
    "subtract.at": call(_at(np.subtract, ([0, 0], [1, 1])), normal(2, 3), normal(2)),
    "add.at of overlapping frames": call(_overlap_add(np.add), normal(8), normal(3, 4)),
    "subtract.at of some overlapping frames": call(
        _overlap_add(np.subtract, [0, 2, 0]), normal(8), normal(3, 4)
    ),
    "multiply.at of overlapping frames": call(_overlap_add(np.multiply), normal(8), normal(3, 4)),
    "multiply.at": call(_at(np.multiply, [0, 0, 2]), normal(4), normal(3)),
    "negative.at": call(_at(np.negative, [0, 2]), normal(4)),
    "maximum.at": call(_at(np.maximum, [0, 0, 1]), distinct(4), normal(3)),
    # out, where, dtype
    "exp out": call(_with_out(np.exp), A),
    "multiply out": call(_with_out(np.multiply), A, normal(4)),
    "add out positional": call(lambda x, y: np.add(x, y, np.zeros_like(x)), A, normal(4)),
    "sqrt where": call(
        lambda x: np.sqrt(x, out=np.ones_like(x), where=x > 0), np.array([-1.0, 2.0, 3.0])
    ),
    "divide where": call(
        lambda x, y: np.divide(x, y, out=np.zeros_like(x), where=y != 0),
        normal(3), np.array([1.0, 0.0, 2.0]), fixed=(1,),
    ),
    "divmod out": call(
        lambda x, y: np.divmod(x, y, out=(np.zeros_like(x), np.zeros_like(x))),
        4 * normal(3), positive(3),
    ),
    "add dtype": call(lambda x: np.add(x, 1, dtype=complex), normal(3)),
    "add casting": call(lambda x: np.add(x, 1.0, dtype="f4", casting="same_kind"), A, order=0),
    "operand aliased": call(
        lambda x: (lambda y: np.multiply(y, y, out=y))(x * 1.0), normal(3)
    ),
    # generalized ufuncs
    "matmul": call(np.matmul, normal(2, 3), normal(3, 2)),
    "matmul axes": call(
        lambda x, y: np.matmul(x, y, axes=[(0, 1), (1, 0), (1, 0)]), normal(2, 3), normal(2, 3)
    ),
    "vecdot": call(np.vecdot, complexes(2, 3), complexes(3)),
    "vecdot axis": call(lambda x, y: np.vecdot(x, y, axis=0), normal(3, 2), normal(3, 2, seed=1)),
}  # fmt: skip
if hasattr(np, "matvec"):
    CALLS["matvec"] = call(np.matvec, normal(2, 2, 3), normal(3))
    CALLS["vecmat"] = call(np.vecmat, complexes(2), complexes(2, 3))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_values_and_gradients(name):
    row = CALLS[name]

    def copies():
        return [np.array(a) for a in row.arguments]

    want = row.function(*copies())
    assert_same(row.function(*[ag.asarray(a) for a in copies()]), want, name)
    assert_same(row.function(*tracked(copies(), direction_for(row.arguments, ()))), want, name)
    if row.order:
        check_gradient(row, name)


@pytest.mark.parametrize(
    ("ufunc", "arguments"),
    [
        (np.gcd, ([12, 18], 8)), (np.lcm, ([4, 6], 10)), (np.invert, ([1, -3],)),
        (np.bitwise_count, ([5, 255],)), (np.spacing, ([1.0, -3.0],)),
        (np.isfinite, ([1.0, np.inf],)),
        (np.signbit, ([1.0, -3.0],)), (np.logical_xor, ([True, False], True)),
    ],
)  # fmt: skip
def test_ufuncs_of_integers_and_truth_values_are_numpys(ufunc, arguments):
    plain = [np.asarray(a) for a in arguments]
    got = ufunc(*[ag.asarray(a) for a in plain])
    assert isinstance(got, ag.Tensor)
    assert not got.requires_grad
    np.testing.assert_array_equal(np.asarray(got), ufunc(*plain))


def test_array_with_itself_as_out_keeps_what_the_graph_saved():
    x = ag.tensor([2.0, 3.0], requires_grad=True)
    b = np.array([5.0, 7.0])
    b *= x
    b.sum().backward()
    np.testing.assert_array_equal(np.asarray(x.grad), [5.0, 7.0])


class Holder:
    """An object with an array."""

    def __init__(self):
        self.array = np.ones(2)


def of_a_variable(x):
    a = np.ones(2)
    a += x
    return a


def of_a_view_alone(x):
    a = np.arange(4.0).reshape(2, 2).T
    a -= x
    return a


def of_an_attribute(x):
    holder = Holder()
    holder.array *= x
    return holder.array


def of_an_item(x):
    kept = {"a": np.ones(2)}
    kept["a"] /= x
    return kept["a"]


def of_a_closure(x):
    a = np.ones(2)

    def inner():
        nonlocal a
        a **= x

    inner()
    return a


def of_an_argument(x, a=None):
    if a is None:
        return of_an_argument(x, np.ones((2, 2)))
    a @= x[:, None] * x
    return a


def of_a_choice(x, positive=True):
    a = np.ones(2)
    a += x if positive else -x
    return a


def of_a_loop(x):
    a = np.ones(2)
    a -= sum([t * x for t in (1.0, 2.0)])
    return a


def of_a_variable_that_may_be_unbound(x, bound=True):
    if bound:
        a = np.ones(2)
    a *= x
    return a


@pytest.mark.parametrize(
    "function",
    [
        of_a_variable, of_a_view_alone, of_an_attribute, of_an_item, of_a_closure, of_an_argument,
        of_a_choice, of_a_loop, of_a_variable_that_may_be_unbound,
    ],
)  # fmt: skip
def test_array_of_one_name_becomes_a_tensor_in_place(function):
    x = ag.tensor([2.0, 3.0], requires_grad=True)
    got = function(x)
    assert isinstance(got, ag.Tensor)
    assert got.requires_grad
    np.testing.assert_allclose(got.detach(), function(np.array([2.0, 3.0])))
    assert ag.gradcheck(function, x.detach())


def seen_by_another_name(x):
    a = b = np.ones((2, 2))
    b += x
    return a


def seen_by_the_caller(x):
    def add(target):
        target += x

    a = np.ones((2, 2))
    add(a)
    return a


def seen_by_a_caller_further_out(x):
    def add(target):
        target += x if target.any() else -x

    def pass_on(target):
        add(target=target)

    a = np.ones((2, 2))
    pass_on(a)
    return a


def seen_by_another_name_beside_a_choice(x, positive=True):
    a = b = np.ones((2, 2))
    b += x if positive else -x
    return a


def seen_by_a_list(x):
    kept = [np.ones((2, 2))]
    a = kept[0]
    a -= x
    return kept[0]


def seen_by_what_it_views(x):
    a = np.ones((2, 2))
    for row in a:
        row *= x
    return a


def seen_by_a_buffer(x):
    memory = bytearray(np.ones((2, 2)).tobytes())
    a = np.frombuffer(memory).reshape(2, 2)
    a += x
    return np.frombuffer(memory)


def seen_as_out(x):
    a = np.ones((2, 2))
    np.add(a, x, out=a)
    return a


def seen_by_operator_module(x):
    a = np.ones((2, 2))
    operator.iadd(a, x)
    return a


@pytest.mark.parametrize(
    "function",
    [
        seen_by_another_name, seen_by_the_caller, seen_by_a_caller_further_out,
        seen_by_another_name_beside_a_choice, seen_by_a_list, seen_by_what_it_views,
        seen_by_a_buffer, seen_as_out, seen_by_operator_module,
    ],
)  # fmt: skip
def test_array_that_others_see_takes_no_gradient_in_place(function):
    x = ag.tensor([2.0, 3.0], requires_grad=True)
    with pytest.raises(ag.errors.DetachError, match="while others see"):
        function(x)
    np.testing.assert_array_equal(function(x.detach()), function(np.array([2.0, 3.0])))


def test_first_operator_of_a_process_counts_as_later_ones():
    program = """
        import numpy as np, arraygrad as ag
        x = ag.tensor([2.0, 3.0], requires_grad=True)
        a = b = np.ones(2)
        try:
            a += x
        except ag.errors.DetachError:
            print("refused")
        c = np.ones(2)
        c += x
        print(type(c).__name__)
    """
    assert fresh_process.run(textwrap.dedent(program)).stdout.split() == ["refused", "Tensor"]


def test_tracked_result_into_an_array_is_refused_and_the_array_unchanged():
    x = ag.tensor([2.0, 3.0], requires_grad=True)
    out = np.zeros(2)
    with pytest.raises(ag.errors.DetachError, match="out="):
        np.exp(x, out=out)
    with pytest.raises(ag.errors.DetachError, match="target"):
        np.add.at(out, [0, 1], x)
    np.testing.assert_array_equal(out, 0)


def test_bad_calls_say_what_is_wrong():
    x = ag.asarray([1.0, 2.0])
    with pytest.raises(ag.errors.ShapeError, match="broadcast"):
        np.add(x, x, out=ag.zeros(3))
    with pytest.raises(ag.errors.DTypeError, match="casting"):
        np.add(x, x, out=ag.zeros(2, dtype=ag.int64))
    with pytest.raises(ag.errors.DTypeError, match="dtype"):
        np.add(x, x, dtype=np.int64)
    with pytest.raises(ag.errors.ArgumentError, match="initial"):
        np.maximum.reduce(x, where=[True, False])


def test_unknown_ufunc_computes_untracked_and_is_refused_tracked():
    double = np.frompyfunc(lambda v: 2 * v, 1, 1)
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    assert list(double(x.detach())) == [2.0, 4.0]
    with pytest.raises(ag.errors.DetachError, match="no derivative rule"):
        double(x)
