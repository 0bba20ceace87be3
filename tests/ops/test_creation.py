"""Making tensors: from everything that holds numbers, and from nothing."""

import array
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

# -- asarray --------------------------------------------------------------------------------------


def test_asarray_of_a_tensor_keeps_flag_and_node() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = ag.asarray(x)
    assert y is x
    z = ag.astype(ag.asarray(x * 1.0, copy=True), ag.float64)
    (z * y).sum().backward()
    assert x.requires_grad
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


def test_asarray_shares_the_memory_of_an_array() -> None:
    data = np.arange(6.0).reshape(2, 3)
    for view in (data, data.T, data[::-1, ::2]):
        x = ag.asarray(view)
        assert np.shares_memory(x, data)
        x[0, 0] = 9.0
        assert view[0, 0] == 9.0
    assert not np.shares_memory(ag.asarray(data, copy=True), data)
    assert not np.shares_memory(ag.tensor(data), data)


def test_memory_shared_with_numpy_is_never_swapped() -> None:
    """The graph saved x's memory; a write must reach NumPy's array and make backward complain."""
    data = np.ones(3)
    x = ag.asarray(data)
    w = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (w * x).sum()
    x[0] = 5.0
    assert data[0] == 5.0
    with pytest.raises(ag.errors.GradientError):
        y.backward()


def test_asarray_of_memory_maps_and_buffers(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "data", np.float32, "w+", shape=(4,))
    x = ag.asarray(mapped)
    x[1] = 3.0
    assert mapped[1] == 3.0
    buffer = array.array("d", [1.0, 2.0])
    y = ag.asarray(buffer)
    y[0] = 7.0
    assert buffer[0] == 7.0
    frozen = ag.asarray(b"abc")
    assert frozen.dtype == ag.uint8
    with pytest.raises(ag.errors.ReadOnlyError):
        frozen[0] = 1


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">c8", "<f4"])
def test_foreign_byte_order_is_copied_in(dtype: str) -> None:
    data = np.arange(3).astype(dtype)
    x = ag.asarray(data)
    assert x.dtype.isnative
    np.testing.assert_array_equal(x, [0, 1, 2])
    if not data.dtype.isnative:
        with pytest.raises(ag.errors.ArgumentError):
            ag.asarray(data, copy=False)


def test_asarray_of_nested_lists_with_tensors_keeps_the_graph() -> None:
    theta = ag.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    m = ag.asarray([[theta[0], theta[1]], [theta[2], theta[3]]])
    (m @ m).sum().backward()
    np.testing.assert_array_equal(theta.grad, [7.0, 11.0, 9.0, 13.0])


def test_nested_lists_mix_tensors_arrays_and_numbers() -> None:
    t = ag.tensor(2.0, requires_grad=True)
    x = ag.asarray([[t, 1], [np.float32(3.0), True]])
    np.testing.assert_array_equal(x.detach(), [[2.0, 1.0], [3.0, 1.0]])
    assert x.dtype == ag.float64
    row = ag.tensor([1.0, 2.0], requires_grad=True)
    y = ag.asarray([row, [5.0, t], np.array([6.0, 7.0])])
    np.testing.assert_array_equal(y.detach(), [[1, 2], [5, 2], [6, 7]])
    (y * ag.asarray([[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]])).sum().backward()
    assert float(t.grad) == 8.0
    np.testing.assert_array_equal(row.grad, [1.0, 2.0])
    z = ag.asarray([[[t, t], [t, t]]], dtype=ag.float32)
    assert z.shape == (1, 2, 2)
    assert z.dtype == ag.float32
    assert z.requires_grad


def test_asarray_of_other_libraries_arrays() -> None:
    class WithArray:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([1.0, 2.0])

    class WithDlpack:
        data = np.arange(3.0)

        def __dlpack__(self, **options: Any) -> Any:
            return self.data.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.data.__dlpack_device__()

    np.testing.assert_array_equal(ag.asarray(WithArray()), [1.0, 2.0])
    x = ag.asarray(WithDlpack())
    assert np.shares_memory(x, WithDlpack.data)
    if np.lib.NumpyVersion(np.__version__) >= "2.2.0":  # before, all such memory was read-only
        x[0] = 5.0
        assert WithDlpack.data[0] == 5.0
    y = ag.from_dlpack(WithDlpack())
    assert np.shares_memory(y, WithDlpack.data)
    assert not np.shares_memory(ag.from_dlpack(WithDlpack(), copy=True), WithDlpack.data)
    np.testing.assert_array_equal(ag.asarray([WithArray(), [3.0, 4.0]]), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(ag.asarray(range(3)), [0, 1, 2])


def test_from_dlpack_of_a_tensor_keeps_the_graph() -> None:
    x = ag.tensor([1.0], requires_grad=True)
    assert ag.from_dlpack(x * 2.0).requires_grad


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(True, "bool"), (3, "int64"), (3.0, "float64"), (3j, "complex128"), (2**63, "uint64")],
)
def test_default_dtypes(value: Any, dtype: str) -> None:
    assert ag.asarray(value).dtype == dtype
    assert ag.asarray([value]).dtype == dtype
    assert ag.full(2, value).dtype == dtype if value != 2**63 else True


def test_asarray_of_a_scalar_is_an_array_that_can_be_written() -> None:
    s = ag.asarray([1.0, 2.0]).sum()
    x = ag.asarray(s)
    x[...] = 0.0
    assert float(s) == 3.0
    x += 1.0
    assert float(x) == 1.0


def test_tensor_copies_and_marks() -> None:
    data = np.arange(3.0)
    x = ag.tensor(data, requires_grad=True)
    data[0] = 9.0
    np.testing.assert_array_equal(x.detach(), [0.0, 1.0, 2.0])
    assert x.is_leaf
    y = ag.tensor([x[0], 5.0])
    assert y.requires_grad
    assert not y.is_leaf
    assert not ag.shares_memory(ag.tensor(x), x)
    assert ag.tensor(x.sum()).shape == ()


@pytest.mark.parametrize("obj", [np.arange(3.0), [1.0], 1.0, ag.ones(2), b"ab"])
def test_copy_argument(obj: Any) -> None:
    assert ag.asarray(obj, copy=True) is not obj
    if isinstance(obj, list | float):
        with pytest.raises(ag.errors.ArgumentError):
            ag.asarray(obj, copy=False)
    else:
        ag.asarray(obj, copy=False)
        with pytest.raises(ag.errors.ArgumentError):
            ag.asarray(obj, copy=False, dtype=ag.float32)


# -- filled ---------------------------------------------------------------------------------------

DTYPES = ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), 0, 3, (2, 0), (2, 3)])
def test_filled(dtype: str, shape: Any) -> None:
    x = ag.zeros(shape, dtype=dtype)
    sizes = shape if isinstance(shape, tuple) else (shape,)
    for got, value in (
        (x, 0),
        (ag.ones(shape, dtype=dtype), 1),
        (ag.full(shape, 1, dtype=dtype), 1),
        (ag.zeros_like(x), 0),
        (ag.ones_like(x), 1),
        (ag.full_like(x, True), 1),
    ):
        assert got.shape == sizes
        assert got.dtype == x.dtype == ag.asarray(0, dtype=dtype).dtype
        np.testing.assert_array_equal(got, np.full(sizes, value, x.dtype))
    assert ag.empty(shape, dtype=dtype).shape == ag.empty_like(x).shape == sizes


@pytest.mark.parametrize("arguments", [(5,), (2, 5), (5, 2, -1), (0.0, 1.0, 0.1), (3, 0), (2.5,)])
def test_arange(arguments: Any) -> None:
    got, want = ag.arange(*arguments), np.arange(*arguments)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_arange_of_tensors() -> None:
    np.testing.assert_array_equal(ag.arange(ag.asarray(3)), [0, 1, 2])
    start = ag.tensor(1.0, requires_grad=True)
    step = ag.tensor(0.5, requires_grad=True)
    x = ag.arange(start, 3.0, step)
    np.testing.assert_array_equal(x.detach(), np.arange(1.0, 3.0, 0.5))
    x.sum().backward()
    assert float(start.grad) == 4.0
    assert float(step.grad) == 6.0


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("ends", [(0, 1), (1.5, -2.0), (0, 1j), (3, 3), (-1e300, 1e300)])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_linspace(ends: Any, num: int, endpoint: bool) -> None:
    got = ag.linspace(*ends, num, endpoint=endpoint)
    want = np.linspace(*ends, num, endpoint=endpoint)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want)


def test_eye_and_triangles() -> None:
    for arguments, k in (((3,), 0), ((2, 4), 1), ((4, 2), -1), ((2, 2), 9), ((0, 3), 0)):
        np.testing.assert_array_equal(ag.eye(*arguments, k=k), np.eye(*arguments, k=k))
    x = np.arange(24.0).reshape(2, 3, 4)
    for k in (-9, -1, 0, 2, 9):
        np.testing.assert_array_equal(ag.tril(ag.asarray(x), k=k), np.tril(x, k))
        np.testing.assert_array_equal(ag.triu(ag.asarray(x), k=k), np.triu(x, k))


def test_full_of_a_tracked_value() -> None:
    s = ag.tensor(3.0, requires_grad=True)
    x = ag.full((2, 2), s)
    x[0, 0] = 1.0
    x.sum().backward()
    assert float(s.grad) == 3.0
    assert ag.full(2, s, dtype=ag.float32).dtype == ag.float32


def test_huge_but_possible_zeros_are_lazy() -> None:
    """zeros asks the system for memory; only pages that are written exist."""
    x = ag.zeros(2**27, dtype=ag.float64)
    x[5] = 1.0
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None


T = ag.tensor(2.0, requires_grad=True)
BAD: list[tuple[type[Exception], Callable[[], Any]]] = [
    (ValueError, lambda: ag.asarray([[1, 2], [3]])),
    (ValueError, lambda: ag.asarray([T, [1, 2]])),
    (ValueError, lambda: ag.asarray([[T], [1, 2]])),
    (TypeError, lambda: ag.asarray([object()])),
    (TypeError, lambda: ag.asarray("abc")),
    (TypeError, lambda: ag.asarray(["a"])),
    (TypeError, lambda: ag.asarray([T, "a"])),
    (TypeError, lambda: ag.asarray(np.array(["a"]))),
    (TypeError, lambda: ag.asarray(np.array(1, dtype=object))),
    (TypeError, lambda: ag.asarray(np.array("2020-01-01", "datetime64[D]"))),
    (TypeError, lambda: ag.asarray(np.zeros(2, [("a", float)]))),
    (TypeError, lambda: ag.asarray(np.ma.array([1.0]))),
    (TypeError, lambda: ag.asarray(object())),
    (TypeError, lambda: ag.asarray(None)),
    (TypeError, lambda: ag.asarray(1.0, dtype="no such dtype")),
    (TypeError, lambda: ag.asarray(1j, dtype=float)),
    (TypeError, lambda: ag.asarray(ag.asarray([1j]), dtype=float)),
    (OverflowError, lambda: ag.asarray(2**70)),
    (OverflowError, lambda: ag.asarray([1, 2**70])),
    (OverflowError, lambda: ag.asarray(300, dtype="int8")),
    (OverflowError, lambda: ag.asarray([300], dtype="int8")),
    (OverflowError, lambda: ag.asarray(-1, dtype="uint8")),
    (ValueError, lambda: ag.asarray(float("nan"), dtype=int)),
    (ValueError, lambda: ag.asarray(np.array([np.nan]), dtype=int)),
    (ValueError, lambda: ag.asarray([T * float("inf")], dtype=int)),
    (TypeError, lambda: ag.from_dlpack([1.0])),
    (MemoryError, lambda: ag.zeros((10**10, 10**10))),
    (MemoryError, lambda: ag.empty(2**62)),
    (MemoryError, lambda: ag.ones((10**6, 10**7))),
    (MemoryError, lambda: ag.full((10**6, 10**7), 1.0)),
    (MemoryError, lambda: ag.full((10**6, 10**7), T)),
    (MemoryError, lambda: ag.arange(10**15)),
    (MemoryError, lambda: ag.arange(0, float("inf"))),
    (MemoryError, lambda: ag.linspace(0, 1, 10**15)),
    (MemoryError, lambda: ag.eye(10**10)),
    (ValueError, lambda: ag.arange(0, 1, 0)),
    (ValueError, lambda: ag.arange(float("nan"))),
    (ValueError, lambda: ag.arange(ag.ones(3))),
    (TypeError, lambda: ag.arange(3j)),
    (TypeError, lambda: ag.arange("3")),
    (ValueError, lambda: ag.zeros(-1)),
    (ValueError, lambda: ag.zeros((1,) * 70)),
    (TypeError, lambda: ag.zeros(1.5)),
    (TypeError, lambda: ag.zeros(3, dtype="object")),
    (ValueError, lambda: ag.zeros(3, device="nowhere")),
    (ValueError, lambda: ag.linspace(0, 1, -1)),
    (ValueError, lambda: ag.full(3, float("nan"), dtype=int)),
    (OverflowError, lambda: ag.full(3, 300, dtype="int8")),
    (TypeError, lambda: ag.full(3, 1j, dtype=float)),
    (ValueError, lambda: ag.full(3, ag.ones(2))),
    (ValueError, lambda: ag.tril(ag.ones(3))),
    (ValueError, lambda: ag.meshgrid(ag.ones((2, 2)))),
    (ValueError, lambda: ag.meshgrid(ag.ones(2), indexing="no")),
]


@pytest.mark.parametrize(("error", "call"), BAD, ids=range(len(BAD)))
def test_bad_input(error: type[Exception], call: Callable[[], Any]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, ag.errors.ArraygradError)


# -- dtypes and inspection ------------------------------------------------------------------------


def test_result_type() -> None:
    assert ag.result_type(ag.float32, 1.0) == ag.float32
    assert ag.result_type(ag.int8, 1.0) == ag.float64
    assert ag.result_type(ag.ones(2, dtype="int8"), 1) == ag.int8
    assert ag.result_type(ag.float32, 1j) == ag.complex64
    assert ag.result_type(ag.int8, ag.uint8, ag.float32) == ag.float32
    assert ag.result_type(ag.uint64, ag.int64) == ag.float64
    with pytest.raises(ag.errors.ArgumentTypeError):
        ag.result_type()


def test_limits() -> None:
    info = ag.finfo(ag.complex64)
    assert (info.bits, info.dtype) == (32, ag.float32)
    for value in (info.eps, info.max, info.min, info.smallest_normal, info.tiny, info.resolution):
        assert type(value) is float
    assert ag.finfo(ag.ones(1)).eps == np.finfo(np.float64).eps
    assert ag.finfo("bfloat16").eps == 2**-7
    assert ag.iinfo("uint8").max == 255
    for call in (lambda: ag.finfo(ag.int32), lambda: ag.iinfo(ag.float32)):
        with pytest.raises(ag.errors.DTypeError):
            call()


def test_kinds_and_casts() -> None:
    assert ag.isdtype(ag.float16, "real floating")
    assert ag.isdtype(ag.int8, ("bool", "integral"))
    assert ag.isdtype(ag.int8, ag.int8)
    assert not ag.isdtype(ag.bool, "numeric")
    with pytest.raises(ag.errors.ArgumentError):
        ag.isdtype(ag.float32, "float")
    assert ag.can_cast(ag.int8, ag.int16)
    assert not ag.can_cast(ag.ones(1), ag.float32)
    for bad in (ag.asarray([1j]), ag.asarray([np.nan])):
        with pytest.raises((ag.errors.DTypeError, ag.errors.ArgumentError)):
            ag.astype(bad, ag.int32)
    x = ag.ones(2)
    assert ag.astype(x, ag.float64, copy=False) is x
    assert not ag.shares_memory(ag.astype(x, ag.float64), x)


def test_inspection() -> None:
    info = ag.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.default_device() == "cpu"
    assert info.devices() + [None] == ["cpu", None]
    assert isinstance(info.devices(), tuple)
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"}
    assert info.dtypes()["bool"] == ag.bool
    assert info.default_dtypes()["indexing"] == ag.int64


def test_large_unsigned_integers_beside_small_ones_are_exact():
    """They went through float64: 2**63 + 1 became 2**63."""
    values = [1, 2**63 + 1, 2**64 - 1]
    for made in (ag.asarray(values, dtype="uint64"), ag.tensor([values], dtype="uint64")[0]):
        assert made.tolist() == values
    with pytest.raises(ag.errors.IntegerOverflowError):
        ag.asarray([-1, 2**63 + 1], dtype="uint64")
    assert ag.asarray([1.5, -2.5], dtype=int).tolist() == [1, -2]
