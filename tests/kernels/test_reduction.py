"""Reductions on the CPU against NumPy: values, dtypes, layouts, special values, accuracy."""

from __future__ import annotations

import math
import warnings
from functools import cache

import numpy as np
import pytest
from arraygrad_kernels import _jit, threads
from arraygrad_kernels.cpu import exponential, extrema, moments, reduction

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

NUMPY = {
    "sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any,
    "all": np.all, "count_nonzero": np.count_nonzero, "var": np.var, "std": np.std,
}  # fmt: skip
ALL = [*reduction.SPECS, *moments.SPECS, *exponential.SPECS, *extrema.SPECS]
SPECS = [spec for spec in ALL if spec.op in NUMPY]
DTYPES_OF_LAYOUT_TESTS = {"float32", "float64", "int32", "complex64", "bool"}
OPTIONS = {"var": {"correction": 0.0}, "std": {"correction": 0.0}}


@cache
def build(op: str, dtype: str):
    (spec,) = [s for s in ALL if s.op == op and s.dtypes == (np.dtype(dtype),)]
    return spec.build()


def identity(spec) -> str:
    return f"{spec.op}-{spec.dtypes[0]}"


def values(dtype: np.dtype, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    real = np.exp(rng.uniform(-0.1, 0.1, shape))  # products of thousands stay in range
    return (real * np.exp(1j * rng.random(shape)) if dtype.kind == "c" else real).astype(dtype)


def layouts(dtype: np.dtype):
    x = values(dtype, (6, 7, 8))
    yield "contiguous", x
    yield "transposed", x.transpose(2, 0, 1)
    yield "strided", values(dtype, (12, 7, 16))[::2, :, ::2]
    yield "reversed", x[::-1, :, ::-1]
    yield "broadcast", np.broadcast_to(x[:1], (4, 7, 8))
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    yield "unaligned", np.frombuffer(b"\0" + x.tobytes(), dtype, offset=1).reshape(x.shape)


def check(spec, x: np.ndarray, axis: tuple[int, ...], keepdims: bool = False) -> None:
    out = build(spec.op, spec.dtypes[0].name)(
        x, axis=axis, keepdims=keepdims, **OPTIONS.get(spec.op, {})
    )
    expected = np.asarray(NUMPY[spec.op](x, axis=axis, keepdims=keepdims))
    assert isinstance(out, np.ndarray)
    assert out.shape == expected.shape
    assert out.dtype == expected.dtype
    if expected.dtype.kind in "fc":
        # Most of the difference is NumPy's, whose float32 products and column sums are naive.
        np.testing.assert_allclose(out, expected, rtol=500 * np.finfo(expected.dtype).eps)
    else:
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("spec", SPECS, ids=identity)
def test_reduction_of_long_and_short_rows_and_columns(spec):
    dtype = spec.dtypes[0]
    for shape, axis in (
        ((2500,), (0,)), ((5, 300), (1,)), ((300, 5), (0,)), ((70, 3), (1,)), ((3, 4, 5), (1,)),
        ((), ()),
    ):  # fmt: skip
        check(spec, values(dtype, shape), axis)


@pytest.mark.parametrize(
    "spec", [s for s in SPECS if s.dtypes[0].name in DTYPES_OF_LAYOUT_TESTS], ids=identity
)
def test_reduction_layouts_and_axes(spec):
    for _, x in layouts(spec.dtypes[0]):
        for axis in ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
            check(spec, x, axis, keepdims=axis == (0, 2))


@pytest.mark.parametrize("op", ["sum", "prod", "any", "all", "count_nonzero"])
def test_reduction_of_nothing_is_the_neutral_element(op):
    kernel = build(op, "float32")
    out = kernel(np.empty((0, 3), "f4"), axis=(0,), keepdims=False)
    np.testing.assert_array_equal(out, NUMPY[op](np.empty((0, 3), "f4"), axis=0))


def test_max_of_nothing_raises():
    with pytest.raises(ValueError, match="zero-size"):
        build("max", "float32")(np.empty(0, "f4"), axis=(0,), keepdims=False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremum_propagates_nan(op, dtype):
    kernel = build(op, dtype)
    for position in (0, 1, 999, 1024, 2999):
        x = values(np.dtype(dtype), (3000,))
        x[position] = np.nan
        assert np.isnan(kernel(x, axis=(0,), keepdims=False))
        assert np.isnan(kernel(x.reshape(1000, 3), axis=(0,), keepdims=False)[position % 3])
    x = np.array([[np.inf, 1], [-np.inf, -np.inf]], dtype)
    np.testing.assert_array_equal(kernel(x, axis=(1,), keepdims=False), NUMPY[op](x, axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["sum", "mean", "prod"])
def test_special_values_and_warnings_are_those_of_numpy(op, dtype):
    kernel = build(op, dtype)
    big = float(np.finfo(dtype).max)
    for entries in (
        [np.inf, 1.0], [-np.inf, 1.0], [np.inf, -np.inf], [np.nan, 1.0], [big, big],
        [np.inf, np.nan], [big, -big, 1.0],
    ):  # fmt: skip
        for repeat in (1, 700):
            x = np.array(entries * repeat, dtype)
            if op == "sum" and repeat == 700 and big in entries:
                continue  # NumPy's own result depends on its order here
            for shape, axis in ((x.shape, (0,)), ((-1, 1), (0,)), ((1, -1), (1,))):
                y = x.reshape(shape)
                with warnings.catch_warnings(record=True) as expected_warnings:
                    warnings.simplefilter("always")
                    expected = NUMPY[op](y, axis=axis)
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    out = kernel(y, axis=axis, keepdims=False)
                if np.isfinite(out).all():
                    continue  # float64 totals do not overflow where float32 ones do
                np.testing.assert_array_equal(out, expected)
                assert [str(w.message) for w in seen] == [str(w.message) for w in expected_warnings]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [100, 1000, 30_000, 1_000_000])
@pytest.mark.parametrize("signed", [False, True])
def test_sum_is_at_least_as_accurate_as_pairwise(dtype, n, signed):
    kernel = build("sum", dtype)
    ours, numpys = [], []
    for seed in range(8 if n > 1e5 else 30):
        x = np.random.default_rng(seed).random(n).astype(dtype) - (0.5 if signed else 0)
        x = x.astype(dtype)
        exact = math.fsum(x.tolist())
        scale = float(np.abs(x).sum()) * np.finfo(dtype).eps
        ours.append(abs(float(kernel(x, axis=(0,), keepdims=False)) - exact) / scale)
        numpys.append(abs(float(x.sum()) - exact) / scale)
    # Both are below one rounding of the result at best: allow that much.
    assert np.mean(ours) <= max(np.mean(numpys), 0.3)


def test_column_sums_in_float32_are_accurate():
    x = np.random.default_rng(0).random((20_000, 7)).astype("f4")
    out = build("sum", "float32")(x, axis=(0,), keepdims=False)
    np.testing.assert_allclose(out, x.astype("f8").sum(0), rtol=1e-7)


def test_integer_sums_wrap_and_narrow_like_numpy():
    x = np.full(3, np.iinfo("i8").max)
    kernel = build("sum", "int64")
    assert kernel(x, axis=(0,), keepdims=False) == np.sum(x)
    y = np.full(1000, 100, "i1")
    kernel = build("sum", "int8")
    assert kernel(y, axis=(0,), keepdims=False, dtype=np.dtype("i1")) == y.sum(dtype="i1")
    assert kernel(y, axis=(0,), keepdims=False, dtype=np.dtype("f4")) == 100_000


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["var", "std"])
def test_var_correction_special_values_and_offsets(op, dtype):
    kernel = build(op, dtype)
    rng = np.random.default_rng(0)
    x = (1000 + rng.random((3000, 3))).astype(dtype)
    exact = NUMPY[op](x.astype("f8") - 1000, axis=0, ddof=1)  # the difference is exact
    for y, axis in ((x, 0), (np.ascontiguousarray(x.T), 1), (np.asfortranarray(x), 0)):
        out = kernel(y, axis=(axis,), keepdims=False, correction=1.0)
        np.testing.assert_allclose(out, exact, rtol=100 * np.finfo(dtype).eps)
    with np.errstate(invalid="ignore"):
        assert np.isnan(kernel(x[:1], axis=(0,), keepdims=False, correction=1.0)).all()
        assert np.isnan(kernel(x[:0], axis=(0,), keepdims=False, correction=0.0)).all()
    constant = np.full((2000, 2), 0.1, dtype)
    assert kernel(constant, axis=(0,), keepdims=False, correction=0.0).max() < 1e-7
    x[5, 1] = np.nan
    out = kernel(x, axis=(0,), keepdims=True, correction=0.0)
    np.testing.assert_array_equal(np.isnan(out), [[False, True, False]])
    x[5, 1] = np.inf
    with pytest.warns(RuntimeWarning, match="invalid value"):
        kernel(x, axis=(0,), keepdims=True, correction=0.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logsumexp(dtype):
    kernel = build("logsumexp", dtype)
    rng = np.random.default_rng(0)
    for scale in (1, 300):
        x = (scale * rng.standard_normal((3000, 4))).astype(dtype)
        for y, axis in ((x, 0), (x, 1), (np.ascontiguousarray(x.T), 1), (x[::2, ::-1], 0)):
            wide = y.astype("f8")
            largest = wide.max(axis, keepdims=True)
            expected = np.log(np.exp(wide - largest).sum(axis)) + largest.squeeze(axis)
            out = kernel(y, axis=(axis,), keepdims=False)
            assert out.dtype == dtype
            np.testing.assert_allclose(out, expected, rtol=8 * np.finfo(dtype).eps, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [3, 3000])
def test_logsumexp_special_values(dtype, n):
    kernel = build("logsumexp", dtype)
    for entries, expected in (
        ([-np.inf, -np.inf, -np.inf], -np.inf), ([np.inf, 0, -np.inf], np.inf),
        ([np.nan, 0, 1], np.nan), ([np.inf, np.nan, 0], np.nan), ([0, 1e4, 0], 1e4),
        ([-1e4, -np.inf, -np.inf], -1e4), ([np.inf, 1e30, -1e30], np.inf),
    ):  # fmt: skip
        x = np.resize(np.array(entries, dtype), n)
        for y, axis in ((x, 0), (x[:, None] + np.zeros(2, dtype), 0), (x.reshape(1, n), 1)):
            out = kernel(y, axis=(axis,), keepdims=False)
            np.testing.assert_allclose(out, np.broadcast_to(expected, out.shape), rtol=2e-3)
        # The special elements meet finite ones in another block, in both orders.
        if n > 3 and np.isfinite(entries).sum() == 1:
            finite = np.full(2000, 5.0, dtype)
            for z in (np.concatenate([x, finite]), np.concatenate([finite, x])):
                out = kernel(z, axis=(0,), keepdims=False)
                both = np.maximum(expected, 5 + np.log(2000))
                np.testing.assert_allclose(out, both, rtol=2e-3)
    np.testing.assert_array_equal(kernel(np.empty((0, 2), dtype), axis=(0,)), [-np.inf] * 2)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_positions_of_extrema(op, dtype):
    kernel = build(op, dtype)
    function = getattr(np, op)
    for x in (
        np.random.default_rng(0).integers(0, 9, (20, 3, 100)).astype(dtype),
        np.random.default_rng(1).integers(0, 99, (7, 500)).astype(dtype).T,
        np.random.default_rng(1).integers(0, 99, (40, 500)).astype(dtype)[::-2],
    ):
        if x.dtype.kind == "f":
            x[3:5, 1] = np.nan
        for axis in (None, *range(x.ndim)):
            for keepdims in (False, True):
                out = kernel(x, axis=axis, keepdims=keepdims)
                np.testing.assert_array_equal(
                    out, function(x, axis=axis, keepdims=keepdims), strict=True
                )
    with pytest.raises(ValueError, match="empty sequence"):
        kernel(np.empty((0, 3), dtype), axis=0)


@pytest.mark.parametrize("op", ["sum", "mean", "var", "logsumexp", "count_nonzero"])
def test_results_are_equal_on_any_number_of_threads(op):
    kernel = build(op, "float32")
    rng = np.random.default_rng(0)
    n_before = threads.set_num_threads(3)
    try:
        for shape, axis in (((1_500_000,), 0), ((1500, 1001), 1), ((1501, 1000), 0)):
            x = rng.standard_normal(shape).astype("f4")
            results = []
            for n in (3, 1):
                threads.set_num_threads(n)
                results.append(kernel(x, axis=(axis,), keepdims=False, **OPTIONS.get(op, {})))
            np.testing.assert_array_equal(*results)
    finally:
        threads.set_num_threads(n_before)


@pytest.mark.parametrize("op", ["sum", "max", "var", "count_nonzero", "any"])
def test_columns_of_every_width_and_axes_apart(op):
    """Widened columns, several tiles of columns, leftover rows; sums over axes that are apart."""
    for shape in ((1500, 2), (999, 7), (10, 5000), (3, 2049), (70, 129), (33, 128), (5, 4, 30, 40)):
        x = np.random.default_rng(0).standard_normal(shape).astype("f4")
        for axis in ((0,), (0, 2, 3), (1, 3), (0, 1)):
            if max(axis) < x.ndim:
                out = build(op, "float32")(x, axis=axis, **OPTIONS.get(op, {}))
                expected = NUMPY[op](x.astype("f8"), axis=axis)
                np.testing.assert_allclose(out, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 300_000), (2000, 10), (300, 100), (10, 3000)])
@pytest.mark.parametrize("axis", [0, 1])
def test_variance_is_at_least_as_accurate_as_two_passes(dtype, shape, axis):
    kernel = build("var", dtype)
    ours, numpys = [], []
    for seed in range(3):
        x = (np.random.default_rng(seed).random(shape) + 10.0).astype(dtype)
        if x.shape[axis] == 1:
            return
        wide = x.astype(np.longdouble)
        exact = np.square(wide - wide.mean(axis, keepdims=True)).mean(axis)
        for found, out in (
            (ours, kernel(x, axis=(axis,), correction=0.0)), (numpys, np.var(x, axis=axis)),
        ):  # fmt: skip
            found.append(np.abs(out / exact - 1).mean() / np.finfo(dtype).eps)
    assert np.mean(ours) <= max(np.mean(numpys), 0.5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["max", "argmax", "argmin"])
@pytest.mark.parametrize("n", [5, 100, 3000, 70_000])
def test_extrema_and_positions_among_infinities_and_nans(op, dtype, n):
    kernel, function = build(op, dtype), getattr(np, op)
    rng = np.random.default_rng(0)
    for entries in ((np.inf, 1.0), (-np.inf,), (-np.inf, np.inf), (np.nan, np.inf), (0.0, -0.0)):
        x = rng.choice(np.array(entries, dtype), n)
        y = np.where(rng.random(n) < 0.9, rng.random(n), x).astype(dtype)
        for z in (x, y, y[::-2], np.stack([x, y]), np.stack([x, y], axis=1)):
            for axis in range(z.ndim):
                where = axis if op != "max" else (axis,)
                out = kernel(z, axis=where)
                np.testing.assert_array_equal(out, function(z, axis=axis))


def _softmax(x: np.ndarray, axis) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softmax_of_rows_and_columns(dtype):
    kernel = build("softmax", dtype)
    rng = np.random.default_rng(0)
    for shape in ((7, 300), (90, 5), (3, 2100), (600, 4, 3), (5000,)):
        x = (9 * rng.standard_normal(shape)).astype(dtype)
        for y in (x, x.T, x[::2], np.asfortranarray(x)):
            for axis in (*[(a,) for a in range(y.ndim)], tuple(range(y.ndim))):
                out = kernel(y, axis=axis)
                assert out.dtype == dtype
                eps = np.finfo(dtype).eps
                expected = _softmax(y.astype("f8"), axis)
                np.testing.assert_allclose(out, expected, rtol=60 * eps, atol=1e-37)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("repeat", [1, 40, 500])
def test_softmax_special_values(dtype, repeat):
    kernel = build("softmax", dtype)
    rows = np.array(
        [[-np.inf, -np.inf, -np.inf], [np.inf, 0, np.inf], [np.nan, 0, 1], [np.inf, np.nan, 0],
         [-np.inf, 3, 3], [1e4, -1e4, 1e4]], dtype,
    )  # fmt: skip
    weights = np.array(
        [[0, 0, 0], [0.5, 0, 0.5], [np.nan] * 3, [np.nan] * 3, [0, 0.5, 0.5], [0.5, 0, 0.5]]
    )
    x, expected = np.tile(rows, repeat), np.tile(weights / repeat, repeat)
    np.testing.assert_allclose(kernel(x, axis=(1,)), expected, rtol=1e-5)
    y = np.ascontiguousarray(x.T)
    np.testing.assert_allclose(kernel(y, axis=(0,)), expected.T, rtol=1e-5)
