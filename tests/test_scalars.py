"""Scalars (results of full indexing and reductions) behave as NumPy's do."""

import copy
import math
import operator
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._tensor import Scalar

VIEWS = {
    "T": lambda s: s.T,
    "real": lambda s: s.real,
    "reshape": lambda s: s.reshape(()),
    "squeeze": lambda s: s.squeeze(),
    "transpose": lambda s: s.transpose(),
    "np.squeeze": lambda s: np.squeeze(s),
    "permute": lambda s: ag.permute_dims(s, ()),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_zero_dimensional_views_of_scalars_are_scalars(view):
    """They were 0-d arrays over the scalar's memory: `r = s.real; r += 1` changed s."""
    x = ag.tensor([2.5, 1.0], requires_grad=True)
    s = x[0] * 2
    r = view(s)
    assert isinstance(r, Scalar)
    other = r
    r += 1
    assert (s, other, r) == (5.0, 5.0, 6.0)
    (r * s).backward()
    assert x.grad.tolist() == [2 * 5 + 2 * 6, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda s: s[...], lambda s: s[None], lambda s: s.reshape(1), lambda s: s.ravel(),
        lambda s: ag.expand_dims(s, 0), lambda s: np.atleast_1d(s), lambda s: s.view(1, 1),
    ],
)  # fmt: skip
def test_arrays_made_of_scalars_do_not_share_their_memory(make):
    """Writing to s[None] changed s."""
    x = ag.tensor([2.5, 1.0], requires_grad=True)
    s = x.sum()
    a = make(s)
    assert not isinstance(a, Scalar)
    a += 1
    a[...] *= 2
    assert s == 3.5
    assert a.item() if not a.requires_grad else True
    (a.sum() * s).backward()
    assert x.grad.tolist() == [2 * 3.5 + 9, 2 * 3.5 + 9]


def test_what_a_graph_holds_of_a_scalar_survives_its_assignment():
    """Broadcasts of the scalar that a graph has saved must not see s[...] = 0."""
    x = ag.tensor([2.0, 3.0], requires_grad=True)
    s = x.max() * 1.0
    y = (s * x).sum()
    s[...] = 100.0
    y.backward()
    assert x.grad.tolist() == [3, 3 + 5]


def test_round_without_digits_gives_an_integer():
    """It gave a floating-point tensor, which cannot index."""
    for value in (2.5, -1.5, np.float32(3.6), 7):
        s = ag.asarray([value])[0]
        assert type(round(s)) is int
        assert round(s) == round(np.asarray(value)[()])
    assert round(ag.asarray([2.567])[0], 1) == 2.6


def test_copies_and_pickles_of_scalars_are_scalars():
    s = ag.asarray([1.5])[0]
    pickled = pickle.loads(pickle.dumps(s))
    for out in (copy.copy(s), copy.deepcopy(s), pickled, s.copy(), s.detach()):
        assert isinstance(out, Scalar)
        assert out == s
        assert hash(out) == hash(1.5)


def test_scalars_refuse_items_as_numpys_do():
    """By the TypeError code tells a number from an array."""
    s = ag.tensor([1.0, 2.0]).sum()
    for key in (0, slice(None), (0, 0)):
        with pytest.raises(TypeError, match="no items to assign"):
            s[key] = 3.0
    s[...] = 3.0
    assert s == 3.0


def test_scalars_say_whether_they_are_whole():
    x = ag.tensor([2.0, 2.5], requires_grad=True)
    assert x[0].is_integer()
    assert not x[1].is_integer()
    assert ag.asarray([3])[0].is_integer()
    assert ag.grad(lambda t: t * t if t.is_integer() else t)(3.0) == 6.0
    assert ag.asarray([2.5])[0].as_integer_ratio() == (5, 2)
    with pytest.raises(ag.errors.DetachError, match="as_integer_ratio"):
        x[1].as_integer_ratio()
    assert not hasattr(x, "is_integer")  # as for arrays


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "function"), [
    ("add", lambda x, y: x + y), ("subtract", lambda x, y: x - y),
    ("multiply", lambda x, y: x * y), ("divide", lambda x, y: x / y),
])  # fmt: skip
def test_operators_of_scalars_have_the_derivatives_of_arrays(name, function, dtype):
    """They are computed apart, by NumPy's scalars."""
    kinds = []
    for pick in (lambda x: x[0], lambda x: x[:1]):  # scalars, arrays
        x = ag.tensor([1.5], dtype=dtype, requires_grad=True)
        y = ag.tensor([-2.5], dtype=dtype, requires_grad=True)
        a, b = pick(x), pick(y)
        found = []
        for out in (function(a, b), function(a, 3), function(3, b), function(a, a),
                    function(2.5, a), function(a, np.float64(2))):  # fmt: skip
            (out * out * out).sum().backward()
            gradients = [None if t.grad is None else t.grad.tolist() for t in (x, y)]
            found.append((out.detach().reshape(-1).tolist(), out.dtype, gradients))
            x.grad = y.grad = None
        assert type(function(a, b)) is type(a)
        kinds.append(found)
    assert [row[0] for row in kinds[0]] == [row[0] for row in kinds[1]]
    for of_scalar, of_array in zip(*kinds, strict=True):
        assert of_scalar[2] == of_array[2]

    def second(value):
        g = ag.grad(lambda t: function(t[0], t[1]) * function(t[1], t[0]))
        return ag.jacrev(g)(value)

    def second_of_arrays(value):
        g = ag.grad(lambda t: (function(t[:1], t[1:]) * function(t[1:], t[:1])).sum())
        return ag.jacrev(g)(value)

    at = ag.tensor([1.5, -2.5], dtype=dtype)
    np.testing.assert_allclose(second(at), second_of_arrays(at), rtol=1e-6)


@pytest.mark.parametrize("function", [int, math.floor, math.ceil, math.trunc])
def test_whole_numbers_of_scalars(function) -> None:
    """Rounding has a zero derivative: nothing is lost, recorded or not."""
    for value in (2.5, -2.5, 0.0, -0.0, 1e300):
        for x in (ag.tensor(value), ag.tensor(value, requires_grad=True), ag.tensor([value])):
            found = function(x)
            assert type(found) is int
            assert found == function(value)
    assert function(ag.tensor(2**60 + 1)) == 2**60 + 1
    assert function(ag.tensor(True)) == 1
    for value, error in ((np.nan, ValueError), (np.inf, OverflowError)):
        with pytest.raises(error):
            function(ag.tensor(value))
    with pytest.raises(TypeError, match="real"):
        function(ag.tensor(1j))
    with pytest.raises(TypeError):
        function(ag.ones(2))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
@pytest.mark.parametrize("function", [operator.neg, abs])
def test_signs_of_whole_scalars_warn_as_numpys(dtype, function):
    """NumPy's scalars say that -(-128) overflows; its arrays and ufuncs say nothing."""
    for value in (np.iinfo(dtype).min, 3):
        number = np.dtype(dtype).type(value)
        told = []
        for x in (number, ag.asarray(np.array([number]))[0]):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                out = function(x)
            told.append((int(out), np.dtype(out.dtype), [str(w.message) for w in caught]))
        assert told[0] == told[1]
        for x in (ag.asarray(np.array([number])), ag.asarray(np.array(number))):
            function(x)  # without a warning
        np.negative(ag.asarray(np.array([number]))[0])


def test_fractions_are_numbers():
    """They were no operands: ``Fraction(1, 2) * x``, as tables of weights are written."""
    half = Fraction(1, 2)
    x = ag.tensor([1.5, 2.0], requires_grad=True)
    for y in (x, x[0]):
        plain = y.detach()
        for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow,
                  operator.lt, operator.ge, operator.mod):  # fmt: skip
            for a, b in ((f(y, half), f(plain, 0.5)), (f(half, y), f(0.5, plain))):
                np.testing.assert_array_equal(a.detach(), b)
    (half * x[0] / Fraction(3)).backward()
    np.testing.assert_allclose(x.grad, [1 / 6, 0])
