"""Running sums and products on the CPU against NumPy."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from arraygrad_kernels import _jit
from arraygrad_kernels.cpu import scan

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

NUMPY = {"cumulative_sum": np.cumulative_sum, "cumulative_prod": np.cumulative_prod}


@cache
def build(op: str, dtype: str):
    (spec,) = [s for s in scan.SPECS if s.op == op and s.dtypes == (np.dtype(dtype),)]
    return spec.build()


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    angle = 1j * rng.random(shape) if np.dtype(dtype).kind == "c" else 0
    return np.exp(rng.uniform(-0.1, 0.1, shape) + angle).astype(dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("op", list(NUMPY))
def test_scan_along_every_axis_and_layout(op, dtype):
    kernel = build(op, dtype)
    x = values(dtype, (20, 21, 22))
    # Like NumPy, a scan of short integers is one of 64 bits.
    for y in (x, x.T, x[::-1, :, ::2], x[:3, :4, :5], x.transpose(1, 0, 2), x[0], x[0, 0], x[:0]):
        for axis in range(y.ndim):
            for include_initial in (False, True):
                out = kernel(y, axis=axis, include_initial=include_initial)
                expected = NUMPY[op](y, axis=axis, include_initial=include_initial)
                assert out.dtype == expected.dtype
                if out.dtype.kind in "iu":
                    np.testing.assert_array_equal(out, expected)
                else:
                    eps = np.finfo(out.dtype).eps
                    np.testing.assert_allclose(out, expected, rtol=50 * eps, atol=0)


def test_scan_keeps_the_asked_dtype():
    kernel = build("cumulative_sum", "int8")
    x = np.full(1000, 100, "i1")
    for dtype in ("i1", "i4", "f8"):
        out = kernel(x, axis=0, dtype=np.dtype(dtype))
        np.testing.assert_array_equal(out, np.cumsum(x, dtype=dtype), strict=True)


def test_long_float32_sums_do_not_drift():
    x = np.full(3_000_000, 0.1, "f4")
    out = build("cumulative_sum", "float32")(x, axis=0)
    exact = np.arange(1, x.size + 1) * float(x[0])
    np.testing.assert_allclose(out, exact, rtol=1.2e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", list(NUMPY))
def test_special_values_and_warnings_are_those_of_numpy(op, dtype):
    kernel = build(op, dtype)
    big = float(np.finfo(dtype).max)
    for entries in ([np.inf, -np.inf], [np.nan, 1.0], [big, big], [1.0, np.inf]):
        for n in (4, 6000):
            x = np.resize(np.array(entries, dtype), n)
            with warnings.catch_warnings(record=True) as expected_warnings:
                warnings.simplefilter("always")
                expected = NUMPY[op](x)
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                out = kernel(x, axis=0)
            np.testing.assert_array_equal(out, expected, strict=True)
            assert [str(w.message) for w in seen] == [str(w.message) for w in expected_warnings]
