"""Storage, views, families and pooled memory."""

import gc
import weakref

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _storage
from tests import fresh_process


def test_views_share_one_storage():
    x = ag.tensor(np.arange(12.0).reshape(3, 4))
    views = [
        x[1:], x[:, ::-1], x.T, x.mT, x.reshape(4, 3), x.view(2, 6), x.diagonal(), x[0], x[None],
        x.expand(2, 3, 4), x.permute(1, 0), x.detach(), x.data, x.real, x.swapaxes(0, 1), x.ravel(),
    ]  # fmt: skip
    for view in views:
        assert view.storage() is x.storage()
        assert ag.shares_memory(view, x)
    for copy in (x.copy(), x + 0, x[[0, 1]], x[x > 3], x.flatten(), x.T.reshape(12)):
        assert copy.storage() is not x.storage()
        assert not ag.shares_memory(copy, x)


def test_strides_are_bytes_and_stride_is_elements():
    x = ag.tensor(np.zeros((3, 4), np.float32))
    assert x.strides == (16, 4)
    assert x.stride() == (4, 1)
    assert x.stride(0) == 4
    assert x[1:, 2:].storage_offset() == 6
    assert x.is_contiguous()
    assert not x.T.is_contiguous()
    assert x.T.contiguous().is_contiguous()
    assert x.contiguous() is x
    assert x.storage().nbytes == 48


def test_version_counts_writes_through_any_view():
    x = ag.tensor([1.0, 2.0, 3.0])
    view = x[1:]
    before = x._version
    view += 1
    x[0] = 5
    assert x._version == before + 2 == view._version
    np.testing.assert_array_equal(np.asarray(x), [5, 3, 4])


def test_view_refuses_what_reshape_copies():
    x = ag.tensor(np.arange(6.0).reshape(2, 3)).T
    with pytest.raises(ag.errors.ShapeError, match="reshape"):
        x.view(6)
    assert x.reshape(6).tolist() == [0, 3, 1, 4, 2, 5]


def test_view_of_dtype_reinterprets_bytes():
    x = ag.tensor(np.array([1.0, -0.0]))
    assert x.view(np.int64).tolist() == x.numpy().view(np.int64).tolist()
    assert x.view(ag.uint8).shape == (16,)


def test_scalar_of_full_index_owns_its_memory():
    x = ag.tensor([1.0, 2.0])
    v = x[0]
    w = v
    v += 1
    assert (x[0], v, w) == (1.0, 2.0, 1.0)
    assert hash(w) == hash(1.0)
    w[...] = 7
    assert x.tolist() == [1.0, 2.0]
    assert w == 7


def test_zero_dimensional_arrays_are_mutable_in_place():
    x = ag.asarray(3.0)
    alias = x
    x += 1
    assert alias == 4.0


def test_writes_reach_borrowed_ndarray_and_back():
    array = np.zeros(3)
    x = ag.asarray(array)
    x[0] = 1
    array[1] = 2
    assert x.tolist() == [1, 2, 0] == array.tolist()
    assert ag.tensor(array).storage().data_ptr() != x.storage().data_ptr()


def test_saved_memory_survives_in_place_write():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0
    z = ag.exp(y)
    w = z * z
    z += 100.0
    y[0] = 50.0
    w.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp([2.0, 4.0]))


def test_write_to_memory_aliased_outside_makes_backward_raise():
    array = np.array([1.0, 2.0])
    w = ag.tensor([3.0, 4.0], requires_grad=True)
    data = ag.asarray(array)
    loss = (w * data).sum()
    data += 1.0
    assert array.tolist() == [2.0, 3.0]
    with pytest.raises(ag.errors.GradientError, match="multiply"):
        loss.backward()
    assert w.grad is None


def over_array(n):
    array = np.arange(n, dtype=float)
    return ag.asarray(array), ag.asarray(array[::-1])


def over_buffer(n):
    buffer = bytearray(8 * n)
    return ag.asarray(np.frombuffer(buffer)), ag.asarray(np.frombuffer(buffer, offset=8))


def through_dlpack(n):
    array = np.arange(n, dtype=float)
    return ag.from_dlpack(array), ag.from_dlpack(array)


def array_and_dlpack(n):
    array = np.arange(n, dtype=float)
    return ag.asarray(array), ag.from_dlpack(array)


def back_through_dlpack(n):
    x = ag.ones(n)
    return x, ag.from_dlpack(np.from_dlpack(x))


def dlpack_and_its_view(n):
    first, second = through_dlpack(n)
    return first[2:], second


def overlapping_strides(n):
    array = np.arange(2 * n, dtype=float)
    windows = np.lib.stride_tricks.as_strided(array, (n, 2), (8, 8))
    return ag.asarray(windows), ag.asarray(array)


TWICE = [
    over_array, over_buffer, through_dlpack, array_and_dlpack, back_through_dlpack,
    dlpack_and_its_view, overlapping_strides,
]  # fmt: skip


# Before 2.2, NumPy takes all memory that comes through DLPack for read-only: which writes that
# refuses, by whether the two are swapped.
READ_ONLY = {}
if np.lib.NumpyVersion(np.__version__) < "2.2.0":
    READ_ONLY = {
        through_dlpack: (False, True), array_and_dlpack: (False,), back_through_dlpack: (False,),
        dlpack_and_its_view: (False, True),
    }  # fmt: skip


@pytest.mark.parametrize("make", TWICE)
@pytest.mark.parametrize("swapped", [False, True])
def test_memory_that_came_twice_is_known_as_one(make, swapped):
    """Each import has a storage of its own: a write through one was not seen by the other."""
    first, second = reversed(make(6)) if swapped else make(6)
    w = ag.tensor(np.ones(first.shape), requires_grad=True)
    loss = (w * first).sum()
    if swapped in READ_ONLY.get(make, ()):
        with pytest.raises(ag.errors.ReadOnlyError):
            second += 1.0
        return
    second += 1.0
    del second  # whoever wrote may be gone
    with pytest.raises(ag.errors.GradientError, match="was written later"):
        loss.backward()


@pytest.mark.parametrize("make", TWICE)
def test_gradient_written_into_memory_that_came_twice_is_refused(make):
    first, second = make(6)
    w = ag.tensor(2.0, requires_grad=True)
    if False in READ_ONLY.get(make, ()):
        with pytest.raises(ag.errors.ReadOnlyError):
            second[...] = w
        return
    with pytest.raises(ag.errors.GradientError, match="another tensor over the same memory"):
        second[...] = w
    kept = second.numpy().copy()
    np.testing.assert_array_equal(second.numpy(), kept)
    del first
    second[...] = w
    second.sum().backward()
    assert w.grad == second.size


def test_parts_of_one_array_that_do_not_overlap_are_free():
    array = np.zeros(6)
    first, second = ag.asarray(array[:3]), ag.asarray(array[3:])
    w = ag.tensor(2.0, requires_grad=True)
    second[:] = w
    (first.sum() + second.sum()).backward()
    assert w.grad == 3.0


@pytest.mark.parametrize("make", [over_array, through_dlpack, array_and_dlpack])
@pytest.mark.parametrize("swapped", [False, True])
def test_writes_before_the_value_was_saved_are_no_harm(make, swapped):
    first, second = reversed(make(3)) if swapped else make(3)
    written = first.numpy().copy()
    if swapped not in READ_ONLY.get(make, ()):
        second += 1.0
        written += 1.0
    w = ag.tensor(np.ones(3), requires_grad=True)
    (w * first).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), written)


def test_lists_of_aliased_memory_do_not_grow():
    from arraygrad import _aliases

    def entries():
        return sum(map(len, (_aliases._STORAGES, _aliases._HOLDING, _aliases._BORROWING)))

    before = entries()
    for _ in range(100):
        through_dlpack(3)
    assert entries() == before


def test_parameter_update_does_not_copy_once_the_graph_is_gone():
    w = ag.tensor(np.ones(4), requires_grad=True)
    (w * w).sum().backward()
    pointer = w.data_ptr()
    with ag.no_grad():
        w -= 0.1 * w.grad
    assert w.data_ptr() == pointer
    assert w.is_leaf
    assert w.requires_grad


def test_family_list_does_not_grow_with_dead_views():
    x = ag.tensor(np.zeros((10, 2)))
    for _ in range(1000):
        for row in x:
            row += 1
    assert len(x.storage()._tensors) < 50
    assert x.numpy().min() == 1000


def test_no_cycle_between_tensor_and_views():
    gc.collect()
    gc.disable()
    try:
        x = ag.tensor(np.ones(3))
        reference = weakref.ref(x)
        view = x[1:]
        del x
        assert reference() is None
        assert view.tolist() == [1, 1]
    finally:
        gc.enable()


def test_read_only_memory_refuses_writes_and_changes_nothing():
    array = np.arange(3.0)
    array.flags.writeable = False
    for x in (ag.asarray(array), ag.broadcast_to(ag.tensor(1.0), (3,))):
        before = x.tolist()
        for write in (
            lambda x=x: x.__setitem__(0, 1.0),
            lambda x=x: x.__iadd__(1.0),
            lambda x=x: x.fill(2),
            lambda x=x: x.sort(),
        ):
            with pytest.raises(ag.errors.ReadOnlyError):
                write()
        assert x.tolist() == before


def test_pool_reuses_large_buffers_only_when_free():
    _storage.release_pool()
    n = _storage.POOL_FROM // 8 * 2
    x = ag.tensor(np.ones(n))
    a = x + 1
    kept = a.data_ptr()
    b = x + 2
    assert b.data_ptr() != kept
    view = a[5:]
    del a
    c = x + 3
    assert c.data_ptr() != kept
    assert view[0] == 2
    del view, c
    gc.collect()
    pointers = {(x + i).data_ptr() for i in range(4)}
    assert len(pointers) <= 2
    _storage.release_pool()


def test_memory_map_is_borrowed(tmp_path):
    path = tmp_path / "data.bin"
    np.arange(4.0).tofile(path)
    memory = np.memmap(path, dtype=np.float64, mode="r+")
    x = ag.asarray(memory)
    x[0] = 10
    memory.flush()
    assert np.fromfile(path)[0] == 10
    read_only = ag.asarray(np.memmap(path, dtype=np.float64, mode="r"))
    with pytest.raises(ag.errors.ReadOnlyError):
        read_only[0] = 1


def test_more_than_two_to_the_31_elements_in_zero_stride_views():
    x = ag.broadcast_to(ag.tensor(1.0), (1 << 33,))
    assert x.size == 1 << 33
    assert x[(1 << 33) - 1] == 1.0
    assert x[:: 1 << 20].sum() == 1 << 13


def test_overlapping_views_write_as_numpy_does():
    array = np.arange(6.0)
    x = ag.tensor(array)
    x[1:] = x[:-1]
    array[1:] = array[:-1].copy()
    assert x.tolist() == array.tolist()
    x[::-1] += x
    array[::-1] += array.copy()
    assert x.tolist() == array.tolist()
    y = ag.as_strided(x, (3, 2), (8, 8))
    y[...] = [[1, 2], [3, 4], [5, 6]]
    expected = np.array(array)
    np.lib.stride_tricks.as_strided(expected, (3, 2), (8, 8))[...] = [[1, 2], [3, 4], [5, 6]]
    assert x.tolist() == expected.tolist()


def test_non_native_byte_order_is_copied_in():
    x = ag.asarray(np.array([1.0, 2.0], ">f8"))
    assert x.dtype.isnative
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["foo", "shape_", "values", "fit", "iloc", "__dask_graph__"])
def test_unknown_attributes_raise(name):
    x = ag.tensor([1.0])
    with pytest.raises(AttributeError):
        getattr(x, name)
    with pytest.raises(AttributeError):
        setattr(x, name, 1)


def test_a_detached_view_has_a_history_of_its_own():
    """Offsets of views were once taken from the storage, not from the detached base."""
    w = ag.tensor(2.0, requires_grad=True)
    x = ag.tensor(np.arange(6.0))
    base = x[::-1][1:].detach()
    view = base[1:]
    view *= w
    assert base.requires_grad
    assert not x.requires_grad
    (base * ag.tensor([1.0, 10.0, 100.0, 1000.0, 10000.0])).sum().backward()
    assert w.grad == 10 * 3 + 100 * 2 + 1000 * 1


@pytest.mark.parametrize("other", [np.ones(3), 1.0, ag.tensor(np.ones(3))])
def test_unrecorded_write_of_another_dtype_keeps_the_history(other):
    """float32 parameters updated with float64 steps under no_grad stopped requiring grad."""
    w = ag.tensor(np.ones(3, np.float32), requires_grad=True)
    y = w * 2
    with ag.no_grad():
        w -= other
        y -= other
    assert w.is_leaf
    assert w.requires_grad
    assert y.requires_grad
    assert w.dtype == np.float32
    (w.sum() + y.sum()).backward()
    assert w.grad.tolist() == [3, 3, 3]


@pytest.mark.parametrize("cut", [lambda v: v.detach(), lambda v: v.data, np.asarray])
@pytest.mark.parametrize("key", [Ellipsis, slice(1, None), (slice(None), 0)])
def test_a_detached_view_written_onto_itself_cuts_the_gradient(cut, key):
    """The write was skipped, since the memory holds these values already."""
    x = ag.tensor(np.ones((2, 2)), requires_grad=True)
    y = x * 2
    y[key] = cut(y.detach()[key])
    want = np.full((2, 2), 2.0)
    want[key] = 0
    (y.sum() + 0 * x.sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy(), want)


def test_two_tensors_over_one_ndarray_know_of_each_others_writes():
    """Only the storage through which a value was saved was asked: the gradient was wrong."""
    array = np.array([1.0, 2.0])
    w = ag.tensor([3.0, 4.0], requires_grad=True)
    first, second = ag.asarray(array), ag.asarray(array)
    loss, other = (w * first).sum(), (w * array).sum()
    second += 1
    with pytest.raises(ag.errors.GradientError, match="multiply"):
        loss.backward()
    other.backward()  # the graph has a copy of what was a mere operand
    assert w.grad.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "function",
    [
        ag.conj, ag.positive, ag.floor, ag.round, ag.fft.fftshift, ag.fft.ifftshift,
        lambda x: ag.fft.fftn(x.astype(complex), axes=()), lambda x: ag.fft.fftshift(x, axes=()),
        lambda x: ag.clip(x), lambda x: ag.roll(x, 0), lambda x: ag.astype(x, x.dtype),
    ],
)  # fmt: skip
@pytest.mark.parametrize("data", [np.float64(2.0), np.ones(3), np.ones(3, int)])
def test_functions_that_change_nothing_give_memory_of_their_own(function, data):
    """conj of real tensors and transforms along no axis gave their argument back."""
    x = ag.asarray(np.array(data))
    out = function(x)
    assert out is not x
    assert not ag.shares_memory(out, x)


def test_broadcast_to_the_same_shape_is_a_read_only_view():
    """It was the tensor itself, so that writes to the result changed it."""
    x = ag.tensor([1.0, 2.0])
    for out in (ag.broadcast_to(x, (2,)), ag.expand(x, 2), ag.expand(x, -1)):
        with pytest.raises(ag.errors.ReadOnlyError):
            out += 1
    assert x.tolist() == [1.0, 2.0]


def test_a_numpy_operand_may_be_overwritten_after_a_graph_has_saved_it():
    """The graph once kept the caller's own memory: the gradient of the loop was [6, 6]."""
    x = ag.tensor([1.0, 1.0], requires_grad=True)
    scratch = np.zeros(2)
    total = 0.0
    for i in range(3):
        scratch[:] = i
        total = total + (x * scratch).sum() + (scratch @ x)
    total.backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_memory_that_was_handed_over_is_not_copied():
    array = np.ones(3)
    x = ag.tensor(np.ones(3), requires_grad=True)
    product = x * ag.asarray(array)
    assert product.grad_fn.next_functions
    assert any(
        value is array or value.base is array for value in product._node[3] if value is not None
    )


FINALIZER = """
import gc, sys
import arraygrad as ag

class Garbage:
    def __init__(self):
        self.cycle = self

    def __del__(self):  # runs where the collector does: inside of whatever allocates
        view = ag.ones(3)[1:]
        view += 1
        ag.exp(ag.ones(1 << 16))

gc.disable()
for count in range(1, 40):
    x, few = ag.ones(1 << 16).requires_grad_(), ag.ones(3)
    gc.collect()
    Garbage()
    gc.set_threshold(count + gc.get_count()[0], 1000, 1000)
    gc.enable()
    views = few[:2], few[1:]
    large = x * x * x
    gc.disable()
    assert views[0].base is few and views[1].storage() is few.storage()
    assert (large == 1).all()
print("done")
"""


def test_finalizers_may_use_tensors_wherever_the_collector_runs():
    """Locks that their own thread waits for: the program would stand still."""
    ran = fresh_process.run(
        f"import faulthandler; faulthandler.dump_traceback_later(60, exit=True)\n{FINALIZER}"
    )
    assert ran.stdout == "done\n", ran.stderr
