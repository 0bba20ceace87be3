"""Reference kernels by family: shapes, dtypes, ``out=``, accumulation, order and errors."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import arraygrad_kernels.reference
import ml_dtypes
import numpy as np
import pytest
from arraygrad_kernels.reference import KERNELS, elementwise, find

bfloat16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(d) for d in ("float16", "float32", "float64")] + [bfloat16]
COMPLEX = [np.dtype(d) for d in ("complex64", "complex128")]
INTEGERS = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
BOOL = np.dtype(bool)
INEXACT = FLOATS + COMPLEX

# Operations by the dtypes that their arguments may have.
UNARY = {
    "abs": INTEGERS + INEXACT,
    "acos": INEXACT,
    "acosh": INEXACT,
    "angle": INEXACT,
    "asin": INEXACT,
    "asinh": INEXACT,
    "atan": INEXACT,
    "atanh": INEXACT,
    "bitwise_invert": [BOOL, *INTEGERS],
    "cbrt": FLOATS,
    "ceil": INTEGERS + FLOATS,
    "conj": INTEGERS + INEXACT,
    "cos": INEXACT,
    "cosh": INEXACT,
    "erf": FLOATS,
    "erfc": FLOATS,
    "exp": INEXACT,
    "exp2": INEXACT,
    "expm1": INEXACT,
    "floor": INTEGERS + FLOATS,
    "imag": INTEGERS + INEXACT,
    "isfinite": [BOOL, *INTEGERS, *INEXACT],
    "isinf": [BOOL, *INTEGERS, *INEXACT],
    "isnan": [BOOL, *INTEGERS, *INEXACT],
    "log": INEXACT,
    "log10": INEXACT,
    "log1p": INEXACT,
    "log2": [*FLOATS, *COMPLEX],
    "logical_not": [BOOL, *INTEGERS, *INEXACT],
    "negative": INTEGERS + INEXACT,
    "positive": INTEGERS + INEXACT,
    "real": INTEGERS + INEXACT,
    "reciprocal": INEXACT,
    "round": INTEGERS + INEXACT,
    "sigmoid": INEXACT,
    "sign": INTEGERS + INEXACT,
    "signbit": FLOATS,
    "sin": INEXACT,
    "sinc": INEXACT,
    "sinh": INEXACT,
    "sqrt": INEXACT,
    "square": INTEGERS + INEXACT,
    "tan": INEXACT,
    "tanh": INEXACT,
    "trunc": INTEGERS + FLOATS,
}

BINARY = {
    "absorbing_multiply": INTEGERS + INEXACT,
    "add": INTEGERS + INEXACT,
    "atan2": FLOATS,
    "bitwise_and": [BOOL, *INTEGERS],
    "bitwise_left_shift": INTEGERS,
    "bitwise_or": [BOOL, *INTEGERS],
    "bitwise_right_shift": INTEGERS,
    "bitwise_xor": [BOOL, *INTEGERS],
    "copysign": FLOATS,
    "divide": INEXACT,
    "equal": [BOOL, *INTEGERS, *INEXACT],
    "floor_divide": INTEGERS + FLOATS,
    "fmax": INTEGERS + FLOATS,
    "fmin": INTEGERS + FLOATS,
    "fmod": INTEGERS + FLOATS,
    "greater": INTEGERS + FLOATS,
    "greater_equal": INTEGERS + FLOATS,
    "heaviside": FLOATS,
    "hypot": FLOATS,
    "less": INTEGERS + FLOATS,
    "less_equal": INTEGERS + FLOATS,
    "logaddexp": FLOATS,
    "logaddexp2": FLOATS,
    "logical_and": [BOOL, *INTEGERS, *INEXACT],
    "logical_or": [BOOL, *INTEGERS, *INEXACT],
    "logical_xor": [BOOL, *INTEGERS, *INEXACT],
    "maximum": INTEGERS + INEXACT,
    "minimum": INTEGERS + INEXACT,
    "multiply": INTEGERS + INEXACT,
    "nextafter": FLOATS,
    "not_equal": [BOOL, *INTEGERS, *INEXACT],
    "pow": INTEGERS + INEXACT,
    "remainder": INTEGERS + FLOATS,
    "subtract": INTEGERS + INEXACT,
}

TERNARY = {"clip": INTEGERS + FLOATS, "where": [BOOL, *INTEGERS, *INEXACT]}

PREDICATES = {
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
}
REAL_VALUED = {"abs", "angle", "imag", "real"}


def sample(dtype: np.dtype, shape: tuple[int, ...], start: int = 1) -> np.ndarray:
    """Return small positive values, inexact ones within every function's domain."""
    values = (np.arange(math.prod(shape)) + start) % 5 + 1
    if dtype.kind == "b":
        return (values % 2 == 0).reshape(shape)
    if dtype.kind in "iu":
        return values.astype(dtype).reshape(shape)
    values = (values / 8).reshape(shape)
    if dtype.kind == "c":
        return (values + 1j * values[::-1] / 2).astype(dtype)
    return values.astype(dtype)


def wide(x: Any) -> np.ndarray:
    return np.asarray(x).astype(complex)


def expected_dtype(op: str, dtype: np.dtype) -> np.dtype:
    if op in PREDICATES:
        return BOOL
    if op in REAL_VALUED and dtype.kind == "c":
        return np.empty(0, dtype).real.dtype
    return dtype


def elementwise_cases(same_dtype: bool = False) -> list[Any]:
    """Return (op, number of arguments, dtype), on request only where the result has that dtype."""
    return [
        pytest.param(op, count, dtype, id=f"{op}-{dtype}")
        for table, count in ((UNARY, 1), (BINARY, 2), (TERNARY, 3))
        for op, dtypes in table.items()
        for dtype in dtypes
        if not same_dtype or expected_dtype(op, dtype) == dtype
    ]


def test_every_elementwise_kernel_is_tested_here() -> None:
    assert {*UNARY, *BINARY, *TERNARY} == set(elementwise.KERNELS)


def test_specialised_tables_name_known_kernels() -> None:
    for table in (
        elementwise.REAL_KERNELS,
        elementwise.COMPLEX_KERNELS,
        elementwise.EXTENSION_KERNELS,
    ):
        assert set(table) <= set(elementwise.KERNELS)
    assert find("no such operation", (BOOL,)) is None


def arguments(op: str, count: int, dtype: np.dtype, shape: tuple[int, ...]) -> list[np.ndarray]:
    if op == "acosh" and dtype.kind in "fV":
        return [(sample(dtype, shape) + dtype.type(1)).astype(dtype)]
    arrays = [sample(dtype, shape, start) for start in range(count)]
    if op == "where":
        arrays[0] = sample(BOOL, shape)
    return arrays


@pytest.mark.parametrize(("op", "count", "dtype"), elementwise_cases())
def test_elementwise_kernel_keeps_dtype_in_every_layout(
    op: str, count: int, dtype: np.dtype
) -> None:
    """One call on contiguous arrays, then the same elements strided, as ``out=`` and 0-d."""
    with np.errstate(all="raise"):
        arrays = arguments(op, count, dtype, (4, 6))
        kernel = KERNELS[op]
        result = kernel(*arrays)
        assert result.dtype == expected_dtype(op, dtype)
        assert result.shape == (4, 6)
        assert not any(np.shares_memory(result, x) for x in arrays)

        strided = kernel(*(x[::-1, ::2].T for x in arrays))
        np.testing.assert_allclose(wide(strided), wide(result[::-1, ::2].T), rtol=1e-6)

        out = np.empty_like(result)
        assert kernel(*arrays, out=out) is out
        np.testing.assert_array_equal(wide(out), wide(result))

        specialised = find(op, tuple(x.dtype for x in arrays))
        assert specialised is not None
        np.testing.assert_array_equal(wide(specialised(*arrays)), wide(result))

        scalar = kernel(*(x[2, 3, ...] for x in arrays))
        assert np.shape(scalar) == ()
        assert scalar.dtype == result.dtype

        empty = kernel(*(x[:0] for x in arrays))
        assert empty.shape == (0, 6)
        assert empty.dtype == result.dtype


@pytest.mark.parametrize(("op", "count", "dtype"), elementwise_cases(same_dtype=True))
def test_elementwise_kernel_writes_over_its_argument(op: str, count: int, dtype: np.dtype) -> None:
    arrays = arguments(op, count, dtype, (4, 6))
    expected = KERNELS[op](*arrays)
    target = arrays[-1]
    assert KERNELS[op](*arrays, out=target) is target
    np.testing.assert_array_equal(wide(target), wide(expected))


@pytest.mark.parametrize("op", [*BINARY, *TERNARY])
def test_elementwise_kernel_broadcasts(op: str) -> None:
    dtype = np.dtype("int32") if "bitwise" in op else np.dtype("float64")
    count = 3 if op in TERNARY else 2
    whole = arguments(op, count, dtype, (3, 4))
    parts = [whole[0][:, :1], whole[1][:1, :], *whole[2:]]
    expected = KERNELS[op](*(np.broadcast_to(x, (3, 4)).copy() for x in parts))
    result = KERNELS[op](*parts)
    np.testing.assert_array_equal(result, expected)


# --- values that NumPy does not have, and integer corners -----------------------------------------


def test_sigmoid_is_accurate_in_both_tails() -> None:
    x = np.array([-800.0, -700.0, -40.0, -1.0, 0.0, 1.0, 40.0, 700.0, 800.0])
    with np.errstate(all="raise"):
        result = KERNELS["sigmoid"](x)
    expected = [0.0 if v < -745 else math.exp(v) / (1 + math.exp(v)) for v in x[:5]]
    np.testing.assert_allclose(result[:5], expected, rtol=4e-16)
    np.testing.assert_allclose(result[5:], [1 / (1 + math.exp(-v)) for v in x[5:]], rtol=4e-16)


def test_sigmoid_of_complex_matches_its_definition() -> None:
    z = np.array([0.5 + 1j, -0.5 + 1j, -3 - 2j, 900 + 1j])
    np.testing.assert_allclose(KERNELS["sigmoid"](z)[:3], 1 / (1 + np.exp(-z[:3])), rtol=1e-14)
    assert KERNELS["sigmoid"](z)[3] == 1


def test_erf_and_erfc_match_mpmath() -> None:
    mpmath = pytest.importorskip("mpmath")
    x = np.array([-6.0, -2.5, -0.3, 1e-10, 0.5, 0.84375, 1.0, 3.0, 5.5, 10.0, 26.0])
    for op in ("erf", "erfc"):
        expected = [float(getattr(mpmath, op)(v)) for v in x]
        np.testing.assert_allclose(KERNELS[op](x), expected, rtol=5e-16)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shift_beyond_the_width_leaves_only_the_sign(dtype: np.dtype) -> None:
    bits = dtype.itemsize * 8
    x = np.array([5, -5 if dtype.kind == "i" else 6], dtype)
    shift = np.full(2, bits, dtype)
    assert KERNELS["bitwise_left_shift"](x, shift).tolist() == [0, 0]
    signs = [0, -1 if dtype.kind == "i" else 0]
    assert KERNELS["bitwise_right_shift"](x, shift).tolist() == signs


@pytest.mark.parametrize("op", ["ceil", "floor", "round", "trunc", "conj", "real"])
def test_integer_rounding_returns_a_copy(op: str) -> None:
    x = np.array([2**62 + 1, -(2**62) - 1])
    result = KERNELS[op](x)
    assert result.tolist() == x.tolist()
    assert not np.shares_memory(result, x)


def test_complex_expm1_beyond_overflow_warns_only_of_the_overflow() -> None:
    x = np.array([1000 + 0j, 1 + 1j])
    with np.errstate(invalid="raise", over="ignore"):
        result = KERNELS["expm1"](x)
    assert result[0] == math.inf
    assert result[1] == np.expm1(x[1])


@pytest.mark.parametrize(("op", "rounding"), [("log1p", 4), ("expm1", 4), ("log", 4), ("tanh", 8)])
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_function_is_accurate_in_norm(op: str, rounding: int, dtype: np.dtype) -> None:
    """NumPy's complex log1p has no correct digit below the rounding error of 1."""
    mpmath = pytest.importorskip("mpmath")
    parts = [1e-30, 1e-12, -1e-5, 0.3, -0.4, 0.7, 2.0, -3.0]
    x = np.array([complex(a, b) for a in parts for b in parts], dtype)
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        result = KERNELS[op](x)
    function = {"log1p": lambda z: mpmath.log(1 + z)}.get(op) or getattr(mpmath, op)
    with mpmath.workdps(80):
        for z, value in zip(x.tolist(), result.tolist(), strict=True):
            expected = function(mpmath.mpc(z))
            error = abs(mpmath.mpc(value) - expected) / abs(expected)
            assert error < rounding * np.finfo(dtype).eps, (z, value, expected)


def test_logaddexp_of_nan_is_reported_as_by_numpy() -> None:
    with pytest.warns(RuntimeWarning, match="invalid value encountered in logaddexp"):
        assert math.isnan(KERNELS["logaddexp"](np.array(math.nan), np.array(1.0)))


# --- reductions and scans -------------------------------------------------------------------------

REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "mean", "count_nonzero"]


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("axis", [(), (0,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduction_matches_numpy(op: str, axis: tuple[int, ...], keepdims: bool) -> None:
    x = np.linspace(-2, 3, 24).reshape(2, 3, 4)
    x[1, 1, 1] = 0
    if op == "count_nonzero":
        expected = np.sum(x != 0, axis=axis, keepdims=keepdims)
    else:
        expected = getattr(np, op)(x, axis=axis, keepdims=keepdims)
    result = KERNELS[op](x, axis=axis, keepdims=keepdims)
    assert np.shape(result) == np.shape(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-15)


@pytest.mark.parametrize("op", ["sum", "prod"])
def test_sum_of_small_integers_is_64_bit(op: str) -> None:
    for name, expected in (("bool", "int64"), ("int8", "int64"), ("uint16", "uint64")):
        x = np.ones(300, name)
        result = KERNELS[op](x, axis=(0,))
        assert result.dtype == expected
        assert result == (300 if op == "sum" else 1)
        assert KERNELS[op](x, axis=(0,), dtype=np.dtype("float32")).dtype == "float32"


@pytest.mark.parametrize("op", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1, 0.5])
@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "complex64", "complex128"])
def test_variance_matches_numpy(op: str, correction: float, dtype: str) -> None:
    x = (np.arange(24) * 7 % 11).astype(dtype).reshape(2, 12)
    expected = getattr(np, op)(x, axis=1, ddof=correction, keepdims=True)
    result = KERNELS[op](x, axis=(1,), correction=correction, keepdims=True)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("correction", [3, 4, 3.5])
def test_variance_without_degrees_of_freedom_is_nan(correction: float) -> None:
    """NumPy's division by zero gives infinity; the warning is the same."""
    x = np.array([[1.0, 2.0, 4.0]])
    with np.errstate(divide="ignore"):
        assert np.isnan(KERNELS["var"](x, axis=(1,), correction=correction)).all()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        KERNELS["std"](x, axis=(1,), correction=correction)


def test_empty_reductions_have_their_identity() -> None:
    x = np.empty((0, 2))
    assert KERNELS["sum"](x, axis=(0,)).tolist() == [0, 0]
    assert KERNELS["prod"](x, axis=(0,)).tolist() == [1, 1]
    assert KERNELS["any"](x, axis=(0,)).tolist() == [False, False]
    assert KERNELS["all"](x, axis=(0,)).tolist() == [True, True]
    assert KERNELS["logsumexp"](x, axis=(0,)).tolist() == [-math.inf, -math.inf]
    with np.errstate(invalid="ignore"):
        assert np.isnan(KERNELS["mean"](x, axis=(0,))).all()
    with pytest.raises(ValueError, match="identity"):
        KERNELS["max"](x, axis=(0,))


@pytest.mark.parametrize("dtype", [np.dtype("float16"), bfloat16], ids=str)
@pytest.mark.parametrize("axis", [(0,), (0, 1)])
def test_narrow_floats_accumulate_in_float32(dtype: np.dtype, axis: tuple[int, ...]) -> None:
    """Adding 1/128 to 4 or more changes nothing in either dtype: sums would stick."""
    x = np.full((2048, 1), 1 / 128).astype(dtype)
    assert KERNELS["sum"](x, axis=axis).dtype == dtype
    assert float(np.squeeze(KERNELS["sum"](x, axis=axis))) == 16
    assert float(np.squeeze(KERNELS["mean"](x, axis=axis))) == 1 / 128
    assert float(np.squeeze(KERNELS["var"](x, axis=axis))) == 0
    assert float(KERNELS["cumulative_sum"](x, axis=0)[-1, 0]) == 16
    out = np.zeros(1, dtype)
    KERNELS["add_at"](out, np.zeros(2048, np.intp), x[:, 0])
    assert float(out[0]) == 16


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_propagates_through_reductions_silently(dtype: np.dtype) -> None:
    x = np.array([3.0, math.nan, 1.0]).astype(dtype)
    with np.errstate(all="raise"):
        for op in ("sum", "prod", "min", "max", "mean", "var", "std", "logsumexp"):
            result = KERNELS[op](x, axis=(0,))
            assert result.dtype == dtype
            assert math.isnan(float(result)), op
        assert KERNELS["argmax"](x, axis=0) == 1
        assert KERNELS["argmin"](x, axis=0) == 1
        assert KERNELS["count_nonzero"](x, axis=(0,)) == 3


def test_mean_of_complex_infinity_keeps_the_other_component() -> None:
    """Dividing by ``3 + 0j`` instead of 3 made the imaginary part NaN."""
    x = np.array([complex(math.inf, 1), 1 + 2j, 3 + 3j])
    assert KERNELS["mean"](x, axis=(0,)) == complex(math.inf, 2)


def test_logsumexp_at_its_limits() -> None:
    inf = math.inf
    rows = [
        ([1000.0, 1000.0], 1000 + math.log(2)),
        ([-1000.0, -1000.0], -1000 + math.log(2)),
        ([-inf, -inf], -inf),
        ([inf, 1.0], inf),
        ([inf, -inf], inf),
        ([-inf, 3.0], 3.0),
    ]
    with np.errstate(all="raise"):
        for values, expected in rows:
            assert KERNELS["logsumexp"](np.array(values), axis=(0,)) == expected
        assert math.isnan(KERNELS["logsumexp"](np.array([inf, math.nan]), axis=(0,)))


@pytest.mark.parametrize(("op", "initial"), [("cumulative_sum", 0), ("cumulative_prod", 1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_scan_includes_its_initial_value(op: str, initial: int, axis: int) -> None:
    x = np.arange(1, 7, dtype=np.int8).reshape(2, 3)
    accumulate = np.add.accumulate if op == "cumulative_sum" else np.multiply.accumulate
    plain = accumulate(x, axis=axis, dtype=np.int64)
    result = KERNELS[op](x, axis=axis, dtype=np.dtype(np.int64))
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result, plain)
    started = KERNELS[op](x, axis=axis, include_initial=True, dtype=np.dtype(np.int64))
    first, rest = np.split(started, [1], axis=axis)
    assert (first == initial).all()
    np.testing.assert_array_equal(rest, plain)


# --- gather and scatter ---------------------------------------------------------------------------


@pytest.mark.parametrize("index_dtype", INTEGERS, ids=str)
def test_take_accepts_every_index_dtype(index_dtype: np.dtype) -> None:
    x = np.arange(12.0).reshape(3, 4)
    indices = np.array([[0, 3], [2, 2]], index_dtype)
    np.testing.assert_array_equal(KERNELS["take"](x, indices, axis=1), x[:, indices.astype(int)])
    along = np.array([[0, 3], [2, 2], [1, 0]], index_dtype)
    expected = np.take_along_axis(x, along.astype(int), axis=1)
    np.testing.assert_array_equal(KERNELS["take_along_axis"](x, along, axis=1), expected)


def test_indices_count_from_the_end() -> None:
    x = np.arange(4.0)
    assert KERNELS["take"](x, np.array([-1, -4]), axis=0).tolist() == [3, 0]
    assert KERNELS["take_along_axis"](x, np.array([-1, -4]), axis=0).tolist() == [3, 0]


@pytest.mark.parametrize("bad", [4, -5])
def test_index_out_of_range_changes_nothing(bad: int) -> None:
    out = np.zeros((4, 4))
    indices = np.array([0, bad])
    values = np.ones((2, 4))
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 4"):
        KERNELS["take"](out, indices, axis=0)
    with pytest.raises(IndexError, match="axis 0"):
        KERNELS["index_add"](out, indices, values, axis=0)
    with pytest.raises(IndexError, match="axis 1"):
        KERNELS["add_along_axis"](out, np.full((4, 1), bad), np.ones((4, 1)), axis=1)
    with pytest.raises(IndexError, match="flattened"):
        KERNELS["add_at"](out, np.array([0, 4 * bad]), np.ones(2))
    assert not out.any()


def test_huge_unsigned_index_is_out_of_range() -> None:
    """Converted to a signed integer first, 2**64 - 1 would be the last element."""
    with pytest.raises(IndexError, match=str(2**64 - 1)):
        KERNELS["take"](np.arange(3), np.array([2**64 - 1], np.uint64), axis=0)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("trailing", [2, 400])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.dtype("float32"), np.dtype("complex128"), bfloat16], ids=str)
def test_index_add_is_the_adjoint_of_take(
    axis: int, trailing: int, layout: Any, dtype: np.dtype
) -> None:
    shape = (3, 4, trailing)
    indices = np.array([[0, 2, 0], [1, 2, -1]])
    values = KERNELS["take"](sample(dtype, shape), indices % shape[axis], axis=axis)
    indices = indices % shape[axis] if trailing == 2 else indices
    expected = np.zeros(shape, complex)
    np.add.at(
        np.moveaxis(expected, axis, 0),
        indices.reshape(-1),
        np.moveaxis(wide(values).reshape(shape[:axis] + (6,) + shape[axis + 1 :]), axis, 0),
    )
    out = np.zeros(shape, dtype, order=layout)
    assert KERNELS["index_add"](out, indices, values, axis=axis) is None
    np.testing.assert_allclose(wide(out), expected, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_add_along_axis_is_the_adjoint_of_take_along_axis(axis: int) -> None:
    out = np.ones((3, 3))
    indices = np.array([[0, 0, 1], [2, 0, -1]]) if axis == 0 else np.array([[0, 0], [1, 2], [2, 2]])
    values = np.arange(1.0, 7).reshape(indices.shape)
    assert KERNELS["add_along_axis"](out, indices, values, axis=axis) is None
    expected = np.ones((3, 3))
    for position, index in np.ndenumerate(indices):
        target = (index, position[1]) if axis == 0 else (position[0], index)
        expected[target] += values[position]
    np.testing.assert_array_equal(out, expected)


def test_take_along_axis_broadcasts_the_other_axes() -> None:
    x = np.arange(12).reshape(3, 4)
    result = KERNELS["take_along_axis"](x, np.array([[1, 0]]), axis=1)
    np.testing.assert_array_equal(result, x[:, [1, 0]])


def test_add_at_adds_repeated_indices_to_the_flat_array() -> None:
    out = np.zeros((2, 2), np.int32)
    KERNELS["add_at"](out, np.array([[3, 3], [0, -1]]), np.array([[1, 2], [3, 4]], np.int32))
    assert out.tolist() == [[3, 0], [0, 7]]


def test_copy_and_cast_are_contiguous() -> None:
    x = np.arange(12).reshape(3, 4).T[::-1]
    for result in (KERNELS["copy"](x), KERNELS["cast"](x, dtype=x.dtype)):
        assert result.flags.c_contiguous
        assert not np.shares_memory(result, x)
        np.testing.assert_array_equal(result, x)
    assert KERNELS["cast"](x, dtype=bfloat16).dtype == bfloat16


def test_mask_select_and_nonzero_go_in_order() -> None:
    x = np.array([[1.0, 0.0], [math.nan, 2.0]])
    assert KERNELS["mask_select"](x, x > 0).tolist() == [1, 2]
    rows, columns = KERNELS["nonzero"](x)
    assert rows.tolist() == [0, 1, 1]
    assert columns.tolist() == [0, 0, 1]


# --- sorting, searching, sets ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, *INTEGERS, BOOL], ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_sort_is_stable_and_consistent(dtype: np.dtype, descending: bool, axis: int) -> None:
    x = sample(dtype, (5, 7))
    order = KERNELS["argsort"](x, axis=axis, descending=descending)
    result = KERNELS["sort"](x, axis=axis, descending=descending)
    assert result.dtype == dtype
    np.testing.assert_array_equal(np.take_along_axis(x, order, axis), result)
    for lane, lane_order in zip(
        np.moveaxis(x, axis, -1), np.moveaxis(order, axis, -1), strict=True
    ):
        keys = [complex(v) for v in lane]
        expected = sorted(
            range(lane.size),
            key=lambda i: (keys[i].real, keys[i].imag),
            reverse=descending,
        )
        assert lane_order.tolist() == expected


@pytest.mark.parametrize("dtype", INEXACT, ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("stable", [False, True])
def test_sort_puts_nan_last(dtype: np.dtype, descending: bool, stable: bool) -> None:
    nan = math.nan
    x = np.array([[2, nan, 1, nan], [nan, 0, math.inf, 3]]).astype(dtype)
    with np.errstate(all="raise"):
        result = KERNELS["sort"](x, axis=1, descending=descending, stable=stable)
        order = KERNELS["argsort"](x, axis=1, descending=descending, stable=stable)
    finite = [[1, 2], [0, 3, math.inf]]
    for row, expected in zip(result, finite, strict=True):
        count = len(expected)
        assert [complex(v) for v in row[:count]] == (expected[::-1] if descending else expected)
        assert np.isnan(row[count:]).all()
    np.testing.assert_array_equal(wide(np.take_along_axis(x, order, 1)), wide(result))
    if stable:
        assert order[0].tolist() == [0, 2, 1, 3] if descending else [2, 0, 1, 3]


def test_complex_sort_is_lexicographic() -> None:
    x = np.array([1 + 2j, 1 + 1j, 0 + 5j, 1 - 1j])
    assert KERNELS["argsort"](x, axis=0).tolist() == [2, 3, 1, 0]
    assert KERNELS["argsort"](x, axis=0, descending=True).tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int16"), np.dtype("uint64")], ids=str)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_with_sorter(dtype: np.dtype, side: str) -> None:
    x1 = np.array([3, 1, 2, 2]).astype(dtype)
    x2 = np.array([[0, 1, 2], [3, 4, 2]]).astype(dtype)
    sorter = np.array([1, 2, 3, 0], np.uint8)
    expected = [[0, 0, 1], [3, 4, 1]] if side == "left" else [[0, 1, 3], [4, 4, 3]]
    result = KERNELS["searchsorted"](x1, x2, side=side, sorter=sorter)
    assert result.tolist() == expected
    assert KERNELS["searchsorted"](np.sort(x1.astype(float)), x2.astype(float), side=side).tolist()


def test_searchsorted_finds_the_place_of_nan() -> None:
    x1 = np.array([1, 2, math.nan]).astype(bfloat16)
    assert KERNELS["searchsorted"](x1, x1[2:], side="left").tolist() == [2]


@pytest.mark.parametrize("dtype", INEXACT, ids=str)
def test_unique_counts_each_nan_and_joins_zeros(dtype: np.dtype) -> None:
    nan = math.nan
    x = np.array([[nan, 1, -0.0], [0.0, nan, 1]]).astype(dtype)
    with np.errstate(all="raise"):
        values, indices, inverse, counts = KERNELS["unique_all"](x)
        assert values.dtype == dtype
        assert [complex(v) for v in values[:2]] == [0, 1]
        assert np.isnan(values[2:]).all()
        assert counts.tolist() == [2, 2, 1, 1]
        assert indices.tolist() == [2, 1, 0, 4]
        assert inverse.tolist() == [[2, 1, 0], [0, 3, 1]]
        np.testing.assert_array_equal(wide(values[inverse]), wide(x))
        np.testing.assert_array_equal(wide(KERNELS["unique_values"](x)), wide(values))
        np.testing.assert_array_equal(KERNELS["unique_counts"](x)[1], counts)
        np.testing.assert_array_equal(KERNELS["unique_inverse"](x)[1], inverse)


def test_complex_with_a_nan_component_is_distinct() -> None:
    x = np.array([complex(1, math.nan), complex(1, math.nan), complex(math.nan, 1), 1])
    assert KERNELS["unique_counts"](x)[1].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3)])
def test_unique_of_scalars_and_nothing(shape: tuple[int, ...]) -> None:
    values, indices, inverse, counts = KERNELS["unique_all"](np.ones(shape, np.int8))
    size = math.prod(shape)
    assert values.tolist() == [1] * size
    assert indices.tolist() == [0] * size
    assert counts.tolist() == [1] * size
    assert inverse.shape == shape


@pytest.mark.parametrize("dtype", [*INEXACT, *INTEGERS], ids=str)
@pytest.mark.parametrize("invert", [False, True])
def test_isin_goes_by_equality(dtype: np.dtype, invert: bool) -> None:
    x1 = np.array([[0, 1], [2, 3]]).astype(dtype)
    x2 = np.array([3, 0, 9]).astype(dtype)
    result = KERNELS["isin"](x1, x2, invert=invert)
    assert (result != invert).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("size", [1, 40])
def test_isin_never_finds_nan(size: int) -> None:
    x2 = np.full(size, math.nan)
    assert KERNELS["isin"](np.array([math.nan, 1.0]), x2).tolist() == [False, False]


# --- the package ----------------------------------------------------------------------------------


def test_families_are_those_of_the_modules() -> None:
    listed = arraygrad_kernels.reference.FAMILIES
    found = {
        name: importlib.import_module(f"arraygrad_kernels.reference.{name}") for name in listed
    }
    assert {name: tuple(sorted(module.KERNELS)) for name, module in found.items()} == listed
    assert set(KERNELS) == set(elementwise.KERNELS).union(*listed.values())


def test_import_needs_numpy_only() -> None:
    root = str(Path(arraygrad_kernels.reference.__file__).parents[2])
    code = (
        f"import sys, numpy; sys.path.insert(0, {root!r}); before = set(sys.modules)\n"
        "import arraygrad_kernels.reference\n"
        "new = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "assert new <= {'arraygrad_kernels', '__future__', 'importlib'}, new\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
