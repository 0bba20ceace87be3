"""Compiled cotangents of rows and columns against the reference kernels and exact formulas."""

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

from arraygrad_kernels.cpu import backward

OPS = ("softmax", "log_softmax", "logsumexp", "var", "std", "vector_norm")
DTYPES = ("float32", "float64")
CASES = [(op, dtype) for op in OPS for dtype in DTYPES]
INF, NAN = np.inf, np.nan


@cache
def build(op: str, dtype: str) -> Any:
    (spec,) = [s for s in backward.SPECS if s.op == f"{op}.backward" and s.dtypes[0] == dtype]
    return spec.build()


def options_of(op: str, count: int) -> dict[str, float]:
    return {"correction": 1.0 if count > 1 else 0.0} if op in ("var", "std") else {}


def shape_of(shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple([1 if i in axis else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axis])


def values_of(op: str, x: np.ndarray, axis: tuple[int, ...], **options: float) -> tuple[Any, ...]:
    """What the op saves: its operand, its result, or both."""
    with np.errstate(all="ignore"):
        if op in ("softmax", "log_softmax"):
            weights = reference.KERNELS["softmax"](x, axis=axis)
            return (weights if op == "softmax" else np.log(weights),)
        if op == "std":
            return x, np.std(x, axis=axis, ddof=options["correction"])
        return (x, np.sqrt(np.sum(x * x, axis=axis))) if op == "vector_norm" else (x,)


def exact(op: str, g: np.ndarray, values: tuple[Any, ...], axis: Any, **options: float) -> Any:
    """The formula, of long doubles."""
    g = g.astype(np.longdouble)
    x, *others = [v.astype(np.longdouble) for v in values]
    if op == "softmax":
        return (g - (g * x).sum(axis=axis, keepdims=True)) * x
    if op == "log_softmax":
        return g - g.sum(axis=axis, keepdims=True) * np.exp(x)
    g = g.reshape(shape_of(x.shape, axis, True))
    if op == "logsumexp":
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        return g * powers / powers.sum(axis=axis, keepdims=True)
    if op == "vector_norm":
        return g * x / np.where(others[0] == 0, INF, others[0]).reshape(g.shape)
    share = np.prod([x.shape[i] for i in axis], dtype=np.longdouble) - options["correction"]
    near = x[(slice(0, 1),) * x.ndim]  # 64 bits are not enough for the mean of large numbers
    distances = x - (near + (x - near).mean(axis=axis, keepdims=True))
    if op == "var":
        return 2 * g * distances / share
    return g * distances / (share * np.where(others[0] == 0, INF, others[0]).reshape(g.shape))


def layouts(x: np.ndarray) -> Iterator[np.ndarray]:
    yield x
    yield np.asfortranarray(x)
    yield x[::-1, ..., ::-1]
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield np.broadcast_to(x[:1], x.shape)
    yield np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


def axes_of(ndim: int) -> Iterator[tuple[int, ...]]:
    yield from [(a,) for a in range(ndim)]
    yield tuple(range(ndim))
    if ndim == 3:
        yield from [(0, 1), (1, 2), (0, 2)]


@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.parametrize("shape", [(7, 3), (4, 5, 6), (300, 20), (5, 300), (2100, 3), (3, 5000)])
def test_all_axes_and_layouts(op: str, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    eps = float(np.finfo(dtype).eps)
    for x in layouts(rng.standard_normal(shape).astype(dtype)):
        for axis in axes_of(len(shape)):
            options = options_of(op, int(np.prod([shape[i] for i in axis])))
            if op in ("softmax", "log_softmax"):
                g = rng.standard_normal(shape).astype(dtype)
                cotangents = [g, np.asfortranarray(g), np.broadcast_to(g[..., :1], shape)]
            else:
                g = rng.standard_normal(shape_of(shape, axis, False)).astype(dtype)
                cotangents = [g, g.reshape(shape_of(shape, axis, True))]
            for g in cotangents:
                values = values_of(op, x, axis, **options)
                got = build(op, dtype)(g, *values, axis=axis, **options)
                assert (got.shape, got.dtype) == (shape, np.dtype(dtype))
                want = exact(op, g, values, axis, **options)
                # What is left of cancelling terms has the error of the terms.
                scale = np.abs(want).max() + {
                    "softmax": np.abs(g).max() * values[0].max(),
                    "log_softmax": np.abs(g).sum() * np.exp(values[0].max()),
                }.get(op, 0) + (np.abs(want).max() == 0)  # fmt: skip
                assert np.abs(got - want).max() <= 40 * eps * scale, (x.strides, axis, g.strides)


@pytest.mark.parametrize(("op", "dtype"), CASES)
def test_no_dimensions_and_no_elements(op: str, dtype: str) -> None:
    for shape, axis in (((), ()), ((3,), ()), ((0, 3), (0,)), ((0, 3), (1,)), ((2, 0), (0, 1))):
        x = np.ones(shape, dtype)
        options = dict.fromkeys(options_of(op, 2), 0.0)
        values = (x, np.ones(shape_of(shape, axis, False), dtype))
        if op in ("softmax", "log_softmax"):
            g, values = np.ones(shape, dtype), (x,)
        else:
            g, values = values[1], values[: 1 if op in ("logsumexp", "var") else 2]
        got = build(op, dtype)(g, *values, axis=axis, **options)
        want = reference.KERNELS[f"{op}.backward"](g, *values, axis=axis, **options)
        np.testing.assert_allclose(got, want, rtol=1e-6)
        assert (got.shape, got.dtype) == (shape, np.dtype(dtype))


ROWS = [
    [-INF, -INF, -INF, -INF], [INF, 0, INF, -1], [NAN, 0, 1, 2], [INF, NAN, 0, -INF],
    [-INF, 3, 3, 1], [1e4, -1e4, 1e4, 0], [0, 0, 0, 0], [2, 2, 2, 2], [1e30, 1e30, 1e30, 1e30],
    [1e30, -1e30, 1e30, 0], ["tiny", "tiny", 0, 0], ["tiny", "-tiny", 0, "tiny"], [INF, 1, 1, 1],
    [1, 2, 3, 4],
]  # fmt: skip
FACTORS = [1.0, -2.0, 0.0, INF, NAN, "max", "tiny"]


def numbers(rows: Any, dtype: str) -> np.ndarray:
    info = np.finfo(dtype)
    known = {"max": float(info.max), "tiny": 3 * float(info.smallest_subnormal)}
    known |= {f"-{name}": -value for name, value in known.items()}
    return np.array([[known.get(v, v) for v in row] for row in rows], dtype)


@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.parametrize("repeat", [1, 10, 100, 800])
def test_special_values_equal_the_reference_quietly(op: str, dtype: str, repeat: int) -> None:
    """Rows of 4, 40, ... elements; as rows, as rows with gaps, and as columns."""
    x = np.tile(numbers(ROWS, dtype), repeat)
    options = options_of(op, 4)
    for factor in FACTORS:
        one = numbers([[factor]], dtype)[0, 0]
        if op in ("softmax", "log_softmax"):
            g = np.ones_like(x)
            g[:, ::3] = one
        else:
            g = np.full(len(x), one)
        values = values_of(op, x, (1,), **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            want = reference.KERNELS[f"{op}.backward"](g, *values, axis=(1,), **options)
            turned = [np.ascontiguousarray(v.T) for v in (g, *values)]
            spaced = [np.repeat(v, 2, axis=-1)[..., ::2] if v.ndim > 1 else v for v in (g, *values)]
            found = [
                build(op, dtype)(g, *values, axis=(1,), **options),
                build(op, dtype)(*spaced, axis=(1,), **options),
                build(op, dtype)(*turned, axis=(0,), **options).T,
            ]
        for got in found:
            with np.errstate(all="ignore"):
                eps = float(np.finfo(dtype).eps)
                # What is left of terms that cancel.
                finite = np.where(np.isfinite(want), np.abs(want), 0).max(axis=1, keepdims=True)
                rest = 10 * eps * (finite + (1 + abs(one) if np.isfinite(one) else 1))
                same = (got == want) | (np.isnan(got) & np.isnan(want))
                same |= np.abs(got - want) <= 100 * eps * np.abs(want) + rest
                assert same.all(), (one, ROWS[int(np.argmin(same.all(axis=1)))])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 40, 3000])
def test_distances_of_equal_numbers_are_zero(dtype: str, n: int) -> None:
    """Their mean is not exactly 0.1, and what rounding leaves of it is not a derivative."""
    for number in (0.1, 1e30, 7e-20):
        x = np.full((n, 5), number, dtype)
        for y, axis in ((x, (0,)), (x.T, (1,)), (np.ascontiguousarray(x.T), (1,)), (x, (0, 1))):
            g = np.ones(shape_of(y.shape, axis, False), dtype)
            assert not build("var", dtype)(g, y, axis=axis, correction=0.0).any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_variance_far_from_zero_and_with_outliers(dtype: str) -> None:
    rng = np.random.default_rng(1)
    far = (1000 + rng.random((3000, 4))).astype(dtype)
    outlier = rng.random((3000, 4)).astype(dtype)
    outlier[0] = 1e5
    for x in (far, outlier):
        g = np.ones(4, dtype)
        want = exact("var", g, (x,), (0,), correction=0.0)
        for y, axis in ((x, (0,)), (np.ascontiguousarray(x.T), (1,))):
            got = build("var", dtype)(g, y, axis=axis, correction=0.0)
            got = got if axis == (0,) else got.T
            assert np.abs(got - want).max() <= 4 * np.finfo(dtype).eps * np.abs(want).max()


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_of_large_numbers_are_those_of_softmax(dtype: str) -> None:
    """exp(x - logsumexp(x)) has the rounding error of logsumexp(x) as a factor."""
    rng = np.random.default_rng(2)
    x = (12345 + rng.standard_normal((50, 600))).astype(dtype)
    want = exact("logsumexp", np.ones(50, dtype), (x,), (1,))
    for y, axis in ((x, (1,)), (np.ascontiguousarray(x.T), (0,))):
        got = build("logsumexp", dtype)(np.ones(50, dtype), y, axis=axis)
        got = got if axis == (1,) else got.T
        assert (np.abs(got - want) <= 8 * np.finfo(dtype).eps * want).all()


@pytest.mark.parametrize("op", OPS)
def test_results_are_equal_on_any_number_of_threads(op: str) -> None:
    rng = np.random.default_rng(3)
    before = threads.set_num_threads(3)
    try:
        for shape, axis in (((700, 500), (1,)), ((500, 700), (0,)), ((40, 90, 100), (1,))):
            x = rng.standard_normal(shape).astype("float32")
            options = options_of(op, 3)
            g = rng.standard_normal(shape).astype("float32")
            g = g if op in ("softmax", "log_softmax") else np.ascontiguousarray(g.min(axis=axis))
            values = values_of(op, x, axis, **options)
            found = []
            for n in (3, 1):
                threads.set_num_threads(n)
                found.append(build(op, "float32")(g, *values, axis=axis, **options))
            np.testing.assert_array_equal(*found)
    finally:
        threads.set_num_threads(before)
