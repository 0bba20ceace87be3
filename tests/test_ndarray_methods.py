"""NumPy's methods on tensors: the arguments that ndarray's methods take give what they give."""

import numpy as np
import pytest

import arraygrad as ag

DATA = np.random.default_rng(3).normal(size=(3, 4))
MASK = DATA > -0.5

REDUCTIONS = {
    "max with initial": lambda x, mask: x.max(initial=0.3),
    "max along an axis with initial": lambda x, mask: x.max(axis=1, initial=0.3),
    "max by position": lambda x, mask: x.max(0, None, True, -9.0, mask),
    "max with where": lambda x, mask: x.max(axis=0, initial=-9.0, where=mask),
    "max of nothing": lambda x, mask: x[:, :0].max(axis=1, initial=2.0),
    "min with initial": lambda x, mask: x.min(initial=-0.3),
    "min with where": lambda x, mask: x.min(axis=1, initial=9.0, where=mask, keepdims=True),
    "mean with where": lambda x, mask: x.mean(where=mask),
    "mean along an axis with where": lambda x, mask: x.mean(axis=0, where=mask, keepdims=True),
    "mean in another dtype with where": lambda x, mask: x.mean(dtype="float32", where=mask),
    "var with where": lambda x, mask: x.var(axis=1, ddof=1, where=mask),
    "std with where": lambda x, mask: x.std(axis=1, where=mask),
    "all with where": lambda x, mask: (x > -0.5).all(axis=0, where=mask),
    "any with where": lambda x, mask: (x < -0.5).any(axis=1, where=mask),
    "mean where all": lambda x, mask: x.mean(axis=0, where=True),
}


@pytest.mark.parametrize("case", REDUCTIONS)
def test_reductions_take_the_arguments_of_ndarray(case):
    reduce = REDUCTIONS[case]
    x = ag.tensor(DATA, requires_grad=True)
    found, expected = reduce(x, ag.asarray(MASK)), reduce(DATA, MASK)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-6)


def test_what_a_mask_leaves_out_gets_no_gradient():
    for reduce in (
        lambda x: x.mean(where=MASK),
        lambda x: x.std(where=MASK),
        lambda x: x.max(initial=-9.0, where=MASK),
    ):
        x = ag.tensor(np.where(MASK, DATA, np.nan), requires_grad=True)
        reduce(x).backward()
        assert (x.grad.numpy()[~MASK] == 0).all()
        assert np.isfinite(x.grad.numpy()).all()
        assert x.grad.numpy().any()


LAYOUTS = {
    "C": lambda: np.arange(24.0).reshape(2, 3, 4),
    "F": lambda: np.arange(24.0).reshape(4, 3, 2).T,
    "permuted": lambda: np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0),
    "sliced": lambda: np.arange(24.0).reshape(4, 6).T[::2],
    "1-d": lambda: np.arange(4.0),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_lie_in_memory_as_order_asks(layout, order):
    array = LAYOUTS[layout]()
    x = ag.asarray(array).requires_grad_()
    for found, expected in (
        (x.copy(order=order), array.copy(order=order)),
        (x.astype("float64", order=order), array.astype("float64", order=order)),
        (x.astype("float32", order=order), array.astype("float32", order=order)),
        (np.copy(x, order=order), np.copy(array, order=order)),
        (x.astype("float64", order=order, copy=False),
         array.astype("float64", order=order, copy=False)),
    ):  # fmt: skip
        np.testing.assert_array_equal(found.detach().numpy(), expected)
        assert found.strides == expected.strides
    copy = x.copy(order=order)
    assert copy.data_ptr() != x.data_ptr()
    (copy * copy).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * array)


def test_none_is_compared_element_by_element():
    x = ag.ones((2, 2))
    assert (x == None).tolist() == [[False, False], [False, False]]  # noqa: E711
    assert (x != None).tolist() == [[True, True], [True, True]]  # noqa: E711
    assert (x == None).shape == (2, 2)  # noqa: E711
    assert (x.sum() == None) is False  # noqa: E711
    assert None not in x


def test_the_imaginary_part_of_reals_is_read_only():
    for x in (ag.tensor([1.0, 2.0]), ag.tensor([1, 2]), ag.tensor([1.0, 2.0], requires_grad=True)):
        assert not x.imag.flags.writeable
        assert not x.imag.detach().numpy().any()
    z = ag.tensor([1j, 2j])
    z.imag[0] = 5
    assert z.tolist() == [5j, 2j]


def test_expand_takes_sizes_or_a_shape():
    x = ag.ones((1, 3))
    assert ag.expand(x, (4, 3)).shape == ag.expand(x, 4, -1).shape == x.expand((4, 3)).shape


RAVELLED = {
    "plain": lambda x: x,
    "reversed": lambda x: x[::-1],
    "every second row": lambda x: x[::2],
    "every second column": lambda x: x[..., ::2],
    "transposed": lambda x: x.T,
    "two axes exchanged": lambda x: x.swapaxes(1, 2),
    "axes rotated": lambda x: np.moveaxis(x, 0, -1)[::-1],
    "vector": lambda x: x[0, 0],
    "reversed vector": lambda x: x[0, 0, ::-1],
    "column": lambda x: x[:, 0, :1],
    "repeated": lambda x: np.broadcast_to(x[0, 0], (2, 4)),
    "repeated and exchanged": lambda x: np.broadcast_to(x[0].T, (2, 4, 3)),
    "repeated between": lambda x: np.broadcast_to(x[0].T[:, None], (4, 2, 3)),
    "nothing": lambda x: x[:0],
}


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", RAVELLED)
def test_ravel_gives_views_copies_and_orders_as_in_numpy(layout, order):
    array = np.arange(24.0).reshape(2, 3, 4)
    x = ag.asarray(array.copy())
    want, got = RAVELLED[layout](array).ravel(order), RAVELLED[layout](x).ravel(order)
    np.testing.assert_array_equal(got, want)
    assert ag.shares_memory(got, x) == np.shares_memory(want, array)
    np.testing.assert_array_equal(RAVELLED[layout](x).flatten(order), want)
    leaf = x.detach().requires_grad_()
    weights = np.arange(1.0, want.size + 1)
    (RAVELLED[layout](leaf).ravel(order) * weights).sum().backward()
    expected = np.zeros(24)
    np.add.at(expected, want.astype(int), weights)
    np.testing.assert_array_equal(
        np.zeros(24) if leaf.grad is None else leaf.grad.reshape(24), expected
    )
