"""Reductions of complex numbers and truth values against NumPy and the reference kernels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from arraygrad_kernels import _jit, reference, threads

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels import cpu
from arraygrad_kernels.cpu import reduction_of_others

SPECS = reduction_of_others.SPECS
ONE_AXIS = {"argmax", "argmin", "cumulative_sum", "cumulative_prod"}
COMPLEX = ("complex64", "complex128")


@pytest.fixture(autouse=True)
def _no_operand_is_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small operands go through the compiled loops too."""
    monkeypatch.setattr(reduction_of_others, "_FEW", 1)


@cache
def build(op: str, dtype: str) -> Any:
    spec = cpu.find(op, (np.dtype(dtype),))
    assert spec is not None
    return spec.build()


def values(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(4)
    if dtype.kind == "b":
        return rng.random(shape) < 0.9
    # Sizes near 1 keep long products in range; some zeros in either part and in both.
    size, angle = np.exp(rng.uniform(-0.1, 0.1, shape)), rng.uniform(-3, 3, shape)
    return (size * np.exp(1j * angle)).astype(dtype)


def layouts(x: np.ndarray) -> Iterator[np.ndarray]:
    yield x
    yield x.transpose(2, 0, 1)
    yield x[::-1, ::2, ::-1]
    yield np.broadcast_to(x[:1], (4, *x.shape[1:]))
    yield np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


def check(op: str, x: np.ndarray, **options: Any) -> None:
    got = build(op, x.dtype.name)(x, **options)
    want = np.asarray(reference.KERNELS[op](x, **options))
    assert isinstance(got, np.ndarray)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    if want.dtype.kind in "fc":
        bound = 300 * float(np.finfo(want.dtype).eps)
        np.testing.assert_allclose(got, want, rtol=bound, atol=bound)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.op}-{spec.dtypes[0]}")
def test_values_equal_reference(spec: cpu.KernelSpec) -> None:
    dtype, op = spec.dtypes[0], spec.op
    for x in layouts(values(dtype, (6, 7, 8))):
        if op in ONE_AXIS:
            for axis in range(3):
                check(op, x, axis=axis)
            continue
        for axis in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
            check(op, x, axis=axis)
            if op != "softmax":
                check(op, x, axis=axis, keepdims=True)
    for shape in ((2500,), (5, 3000), (300, 5)):
        for axis in range(len(shape)):
            check(op, values(dtype, shape), axis=axis if op in ONE_AXIS else (axis,))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.op}-{spec.dtypes[0]}")
def test_no_dimensions_and_no_elements(spec: cpu.KernelSpec) -> None:
    dtype, op = spec.dtypes[0], spec.op
    if op not in ONE_AXIS:
        check(op, np.array(1, dtype), axis=())
        check(op, np.array([1, 0, 1], dtype), axis=())
    empty = np.empty((0, 3), dtype)
    if op in ("max", "min", "argmax", "argmin"):
        with pytest.raises(ValueError, match=r"zero-size|empty"):
            build(op, dtype.name)(empty, axis=0 if op in ONE_AXIS else (0,))
        return
    with np.errstate(invalid="ignore"):
        check(op, empty, axis=0 if op in ONE_AXIS else (0,))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_zero_in_both_parts_is_zero(dtype: str) -> None:
    for n in (5, 3000):
        x = np.full(n, complex(0, 1), dtype)
        x[1], x[2] = complex(-0.0, np.nan), complex(2, 0)
        for zeros in (0, 1):
            if zeros:
                x[3] = complex(0.0, -0.0)
            for y in (x, x[:, None] + np.zeros(3, dtype), x[None]):
                axis = (1,) if y.shape[0] == 1 else (0,)
                assert (build("all", dtype)(y, axis=axis) == (zeros == 0)).all()
                assert (build("count_nonzero", dtype)(y, axis=axis) == n - zeros).all()


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", ["prod", "var", "std", "logsumexp", "softmax"])
def test_special_values_and_warnings_equal_reference(op: str, dtype: str) -> None:
    big = float(np.finfo(dtype).max)
    for entries in (
        [np.inf, 1], [complex(0, -np.inf), 1], [np.nan, 1j], [big, big * 1j], [-np.inf, -np.inf],
        [complex(np.inf, np.nan), 2], [np.inf, -np.inf],
    ):  # fmt: skip
        x = np.array(entries * 3, dtype)
        found, results = [], []
        for kernel in (build(op, dtype), reference.KERNELS[op]):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                results.append(np.asarray(kernel(x, axis=(0,))))
            found.append({str(warning.message).partition(" encountered")[0] for warning in caught})
        if np.isfinite(results[0]).all():
            continue  # totals in float64 do not overflow where float32's do
        np.testing.assert_array_equal(np.isnan(results[0]), np.isnan(results[1]))
        assert found[0] == found[1], entries


@pytest.mark.parametrize("dtype", COMPLEX)
def test_variance_is_accurate_far_from_zero(dtype: str) -> None:
    rng = np.random.default_rng(0)
    x = (1000 - 500j + rng.random((3000, 3)) + 1j * rng.random((3000, 3))).astype(dtype)
    exact = np.var((x - dtype_of(x, 1000 - 500j)).astype(complex), axis=0, ddof=1)
    out = build("var", dtype)(x, axis=(0,), correction=1.0)
    np.testing.assert_allclose(out, exact, rtol=100 * float(np.finfo(dtype).eps))
    std = build("std", dtype)(x.T, axis=(1,), correction=1.0)
    np.testing.assert_allclose(std, np.sqrt(exact), rtol=100 * float(np.finfo(dtype).eps))
    with np.errstate(invalid="ignore"):
        assert np.isnan(build("var", dtype)(x[:1], axis=(0,), correction=1.0)).all()


def dtype_of(x: np.ndarray, value: complex) -> Any:
    """`value` in the dtype of x."""
    return x.dtype.type(value)


def test_sums_of_truth_values_have_the_dtype_asked_for() -> None:
    x = np.arange(1000) % 3 == 0
    for dtype in ("int8", "int64", "uint16", "float32", "complex128", "bool"):
        for op in ("sum", "prod", "cumulative_sum"):
            axis = 0 if op == "cumulative_sum" else (0,)
            check(op, x, axis=axis, dtype=np.dtype(dtype))
    check("cumulative_sum", x, axis=0, include_initial=True)


def test_results_are_equal_on_any_number_of_threads() -> None:
    x = values(np.dtype(np.complex64), (900, 500))
    before = threads.set_num_threads(3)
    try:
        for op in ("prod", "all", "count_nonzero", "var", "logsumexp"):
            results = []
            for n in (3, 1):
                threads.set_num_threads(n)
                results.append(build(op, "complex64")(x, axis=(1,)))
            np.testing.assert_array_equal(*results)
    finally:
        threads.set_num_threads(before)
