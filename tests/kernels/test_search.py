"""Binary search and sets on the CPU against NumPy and the reference kernels."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from arraygrad_kernels import _jit
from arraygrad_kernels.cpu import search, sets
from arraygrad_kernels.reference import sets as reference

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

DTYPES = ["int8", "uint16", "int32", "uint64", "float32", "float64"]


@cache
def build(op: str, *dtypes: str):
    wanted = tuple(map(np.dtype, dtypes))
    (spec,) = [s for s in (*search.SPECS, *sets.SPECS) if s.op == op and s.dtypes == wanted]
    return spec.build()


def values(dtype: str, shape: tuple[int, ...], top: int = 100) -> np.ndarray:
    x = np.random.default_rng(0).integers(0, top, shape).astype(dtype)
    if x.dtype.kind == "f":
        flat = x.reshape(-1)
        for position, special in ((0, -0.0), (4, np.nan), (5, np.inf), (8, np.nan), (9, 0.0)):
            flat[position : position + 1] = special
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 100, 1023, 70_000])
def test_searchsorted(dtype, side, n):
    kernel = build("searchsorted", dtype, dtype)
    rng = np.random.default_rng(0)
    x1 = np.sort(rng.integers(0, 120, n).astype(dtype))
    keys = rng.integers(0, 120, (50, 120)).astype(dtype)
    if keys.dtype.kind == "f":
        x1[n - n // 3 :] = np.nan
        keys[3::7] = np.nan
        keys[1, 1], keys[2, 2] = np.inf, -np.inf
    for x2 in (keys, keys.T, keys[:3, :4], np.sort(keys, axis=None), keys[0, 0, ...]):
        out = kernel(x1, x2, side=side)
        np.testing.assert_array_equal(out, np.searchsorted(x1, x2, side=side))
    order = rng.permutation(n)
    shuffled = np.empty_like(x1)
    shuffled[order] = x1
    out = kernel(shuffled, keys, side=side, sorter=order)
    np.testing.assert_array_equal(out, np.searchsorted(x1, keys, side=side))


def test_searchsorted_refuses_other_sides():
    with pytest.raises(ValueError, match="write 'left' or 'right'"):
        build("searchsorted", "float64", "float64")(np.zeros(1), np.zeros(1), side="middle")


def unique_operands(dtype: str):
    yield values(dtype, (0,))
    yield values(dtype, ())
    yield values(dtype, (1,))
    yield values(dtype, (30, 40))
    yield values(dtype, (30, 40)).T[::-1]
    yield values(dtype, (50_000,), 120)
    yield values(dtype, (50_000,), 2**31 - 1 if np.dtype(dtype).itemsize > 2 else 120)


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype):
    for x in unique_operands(dtype):
        expected = reference.unique_all(x)
        for op, parts in (
            ("unique_all", (0, 1, 2, 3)), ("unique_counts", (0, 3)), ("unique_inverse", (0, 2)),
        ):  # fmt: skip
            out = build(op, dtype)(x)
            assert len(out) == len(parts)
            for got, part in zip(out, parts, strict=True):
                np.testing.assert_array_equal(got, expected[part], strict=True)
        out = build("unique_values", dtype)(x)
        np.testing.assert_array_equal(out, expected[0], strict=True)
        if out.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(out), np.signbit(expected[0]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("invert", [False, True])
def test_isin(dtype, invert):
    kernel = build("isin", dtype, dtype)
    x1 = values(dtype, (70, 80))
    for x2 in (
        values(dtype, (0,)), values(dtype, (5,), 50), values(dtype, (40, 3)).T,
        values(dtype, (3000,), 120), np.unique(values(dtype, (900,), 2**31 - 1).view(dtype)),
    ):  # fmt: skip
        for y in (x1, x1.T, x1[::-2, 3], x1[0, 0, ...]):
            out = kernel(y, x2, invert=invert)
            np.testing.assert_array_equal(out, np.isin(y, x2, invert=invert), strict=True)


def complex_operand(dtype: str, shape: tuple[int, ...], high: int) -> np.ndarray:
    rng = np.random.default_rng(9)
    parts = rng.integers(-high, high, (2, *shape))
    x = np.asarray((parts[0] + 1j * parts[1]).astype(dtype))
    x[x == 1j] = complex(0.0, -0.0)
    return x


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape", [(0,), (), (30, 40), (90, 80)])
def test_unique_complex(dtype, shape, monkeypatch):
    for probe in (1, 4096):
        monkeypatch.setattr(sets, "_PROBE", probe)
        for high, with_nan in ((6, False), (10**6, False), (6, True)):
            x = complex_operand(dtype, shape, high)
            if with_nan and x.size:
                x.flat[::5] = complex(np.nan, 1)
                x.flat[1::7] = complex(2, np.nan)
            expected = reference.unique_all(x)
            for got, want in zip(build("unique_all", dtype)(x), expected, strict=True):
                np.testing.assert_array_equal(got, want, strict=True)
            out = build("unique_values", dtype)(x)
            np.testing.assert_array_equal(out, expected[0], strict=True)
            counts = build("unique_counts", dtype)(x)[1]
            np.testing.assert_array_equal(counts, expected[3], strict=True)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_isin_complex(dtype, monkeypatch):
    monkeypatch.setattr(sets, "_PROBE", 1)
    kernel = build("isin", dtype, dtype)
    x1 = complex_operand(dtype, (70, 80), 9)
    x1[3, 4:9] = complex(np.nan, 2)
    for x2 in (x1[:0, 0], x1[::3, ::7], complex_operand(dtype, (40,), 50)):
        for invert in (False, True):
            out = kernel(x1.T, x2, invert=invert)
            np.testing.assert_array_equal(out, reference.isin(x1.T, x2, invert=invert))


def test_unique_and_isin_of_truth_values():
    for x in (np.arange(5000).reshape(50, 100) % 3 == 1, np.ones(9, bool), np.zeros((0, 2), bool)):
        for got, want in zip(build("unique_all", "bool")(x), reference.unique_all(x), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
        for x2 in (x[:1], x[:0]):
            out = build("isin", "bool", "bool")(x, x2)
            np.testing.assert_array_equal(out, np.isin(x, x2), strict=True)
