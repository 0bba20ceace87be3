"""Gathering and adding scatter on the CPU against NumPy: dtypes, layouts, bounds, repeats."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from arraygrad_kernels import _jit

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels import cpu


@cache
def build(op: str, *dtypes: str):
    wanted = tuple(map(np.dtype, dtypes))
    spec = cpu.find(op, wanted)
    assert spec is not None
    return spec.build()


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind == "c":
        return (rng.random(shape) + 1j * rng.random(shape)).astype(dtype)
    return (rng.random(shape) * 100).astype(dtype)


def variants(x: np.ndarray):
    yield x
    yield np.asfortranarray(x)
    yield x[::-1]
    yield np.repeat(x, 2, axis=-1)[..., ::2]


DTYPES = (
    "bool", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
INDICES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ADDABLE = ("int8", "uint64", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_take(dtype, index):
    kernel = build("take", dtype, index)
    indices = np.array([[3, -1, 0], [2, 2, -4]], index)
    for x in variants(values(dtype, (4, 5, 6))):
        for axis in range(3):
            out = kernel(x, indices, axis=axis)
            np.testing.assert_array_equal(out, np.take(x, indices, axis=axis), strict=True)
    wide = values(dtype, (4, 400))
    np.testing.assert_array_equal(kernel(wide, indices, axis=0), wide[indices], strict=True)
    np.testing.assert_array_equal(
        kernel(wide, np.array(-3, index), axis=1), wide[:, -3], strict=True
    )
    assert kernel(wide, np.empty(0, index), axis=1).shape == (4, 0)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "complex64", "complex128"])
def test_take_along_axis(dtype):
    kernel = build("take_along_axis", dtype, "int64")
    for x in variants(values(dtype, (4, 5, 6))):
        for axis in range(3):
            shape = list(x.shape)
            shape[axis] = 3
            indices = np.random.default_rng(2).integers(-4, 4, shape)
            expected = np.take_along_axis(x, indices, axis)
            np.testing.assert_array_equal(kernel(x, indices, axis=axis), expected, strict=True)
            one = indices[:1] if axis else indices[:, :1]
            expected = np.take_along_axis(x, one, axis)
            np.testing.assert_array_equal(kernel(x, one, axis=axis), expected, strict=True)


@pytest.mark.parametrize("dtype", ADDABLE)
def test_add_at_adds_repeated_indices(dtype):
    kernel = build("add_at", dtype, "int64", dtype)
    indices = np.random.default_rng(3).integers(-20, 20, (100, 3))
    terms = values(dtype, (100, 3))
    out = values(dtype, (4, 5))
    expected = out.copy()
    np.add.at(expected.reshape(-1), indices, terms)
    assert kernel(out, indices, terms) is None
    np.testing.assert_array_equal(out, expected)
    kernel(out, indices, np.ones((), dtype))
    np.add.at(expected.reshape(-1), indices, np.ones((), dtype))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ADDABLE)
@pytest.mark.parametrize("transposed", [False, True])
def test_index_add(dtype, transposed):
    kernel = build("index_add", dtype, "int32", dtype)
    indices = np.array([0, -1, 2, 0, 0], "int32")
    for axis in range(3):
        out = values(dtype, (3, 4, 5))
        out = out.T if transposed else out
        expected = out.copy()
        shape = list(out.shape)
        shape[axis] = 5
        terms = values(dtype, tuple(shape))
        np.add.at(expected, (slice(None),) * axis + (indices,), terms)
        kernel(out, indices, terms, axis=axis)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64", "complex128"])
def test_add_along_axis(dtype):
    kernel = build("add_along_axis", dtype, "int64", dtype)
    for axis in range(2):
        out = values(dtype, (3, 4))
        expected = out.copy()
        shape = [3, 4]
        shape[axis] = 6
        indices = np.random.default_rng(4).integers(-3, 3, shape)
        terms = values(dtype, tuple(shape))
        grid = list(np.indices(shape))
        grid[axis] = indices
        np.add.at(expected, tuple(grid), terms)
        kernel(out, indices, terms, axis=axis)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_large_operands_take_the_compiled_loops(dtype):
    n = 20_000
    rng = np.random.default_rng(6)
    x, out = values(dtype, (n,)), values(dtype, (n,))
    indices = rng.integers(-n, n, n)
    taken = build("take", dtype, "int64")(x, indices, axis=0)
    np.testing.assert_array_equal(taken, x[indices], strict=True)
    columns = build("take", dtype, "int64")(x.reshape(50, 400), indices[:400] % 400, axis=1)
    np.testing.assert_array_equal(columns, x.reshape(50, 400)[:, indices[:400] % 400])
    expected = out.copy()
    np.add.at(expected, indices, x)
    build("add_at", dtype, "int64", dtype)(out, indices, x)
    np.testing.assert_array_equal(out, expected)
    np.add.at(expected, indices, x)
    build("index_add", dtype, "int64", dtype)(out, indices, x, axis=0)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("repeat", [1, 3000])
@pytest.mark.parametrize("wrong", [4, -5])
def test_an_index_out_of_range_changes_nothing(wrong, repeat):
    indices = np.array([0, 1, wrong] * repeat)
    terms = np.ones(3 * repeat)
    x = values("float64", (4,))
    out = x.copy()
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis"):
        build("take", "float64", "int64")(x, indices, axis=0)
    with pytest.raises(IndexError, match="out of bounds"):
        build("take_along_axis", "float64", "int64")(x, indices, axis=0)
    with pytest.raises(IndexError, match="out of bounds"):
        build("add_at", "float64", "int64", "float64")(out, indices, terms)
    with pytest.raises(IndexError, match="out of bounds"):
        build("index_add", "float64", "int64", "float64")(out, indices, terms, axis=0)
    with pytest.raises(IndexError, match="out of bounds"):
        build("add_along_axis", "float64", "int64", "float64")(out, indices, terms, axis=0)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "complex64", "complex128"])
def test_mask_select_and_nonzero(dtype):
    for x in (*variants(values(dtype, (7, 8))), values(dtype, (9000,)), values(dtype, (70, 80)).T):
        for share in (0.0, 0.5, 1.0):
            mask = np.random.default_rng(5).random(x.shape) < share
            out = build("mask_select", dtype, "bool")(x, mask)
            np.testing.assert_array_equal(out, x[mask], strict=True)
            y = np.where(mask, x, 0).astype(dtype)
            for got, expected in zip(build("nonzero", dtype)(y), np.nonzero(y), strict=True):
                np.testing.assert_array_equal(got, expected, strict=True)
    with pytest.raises(IndexError, match="mask of shape"):
        build("mask_select", dtype, "bool")(x, mask[0])
    with pytest.raises(ValueError, match="0-d"):
        build("nonzero", dtype)(np.zeros((), dtype))


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("n", [40, 6000])
def test_indices_of_every_dtype(index, n):
    x, terms = values("float64", (120,)), values("float64", (n,))
    indices = np.random.default_rng(7).integers(0, 120, n).astype(index)
    if np.dtype(index).kind == "i":
        indices[::3] -= 120
    places = indices.astype("int64")
    for op in ("take", "take_along_axis"):
        got = build(op, "float64", index)(x, indices, axis=0)
        np.testing.assert_array_equal(got, x[places], strict=True)
    expected = x.copy()
    np.add.at(expected, places, terms)
    for op, options in (
        ("add_at", {}),
        ("index_add", {"axis": 0}),
        ("add_along_axis", {"axis": 0}),
    ):
        out = x.copy()
        build(op, "float64", index, "float64")(out, indices, terms, **options)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("n", [3, 9000])
@pytest.mark.parametrize("wrong", [2**63, 2**64 - 1])
def test_unsigned_index_that_would_wrap_is_out_of_range(wrong, n):
    """As a signed integer 2**64 - 1 would be the last element."""
    x = values("float64", (4, 5))
    indices = np.zeros(n, "uint64")
    indices[1] = wrong
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        build("take", "float64", "uint64")(x, indices, axis=0)
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        build("take_along_axis", "float64", "uint64")(x, indices[:, None], axis=0)
    out = x.copy()
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        build("add_at", "float64", "uint64", "float64")(out, indices, np.ones(n))
    np.testing.assert_array_equal(out, x)


def test_elements_of_two_bytes_that_numpy_does_not_know():
    """Bfloat16 is such a dtype; what only moves it need not know it."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = values("float32", (60, 100)).astype(bfloat16)
    indices = np.random.default_rng(8).integers(-60, 60, (70, 100))
    dtype = x.dtype
    got = cpu.find("take_along_axis", (dtype, np.dtype("int64"))).build()(x, indices, axis=0)
    np.testing.assert_array_equal(got, np.take_along_axis(x, indices, 0), strict=True)
    mask = x > 50
    got = cpu.find("mask_select", (dtype, np.dtype(bool))).build()(x, mask)
    np.testing.assert_array_equal(got, x[mask], strict=True)
    got = cpu.find("copy", (dtype,)).build()(np.broadcast_to(x, (4, 60, 100)).T)
    np.testing.assert_array_equal(got, np.broadcast_to(x, (4, 60, 100)).T, strict=True)
    assert cpu.find("nonzero", (dtype,)) is None
