"""Special values of the reference kernels, against the tables of the standard."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from arraygrad_kernels.reference import KERNELS, find

from tests.kernels.special_values import either, inf, nan
from tests.kernels.special_values_complex import (
    COMPLEX_TO_REAL,
    COMPLEX_UNARY,
    ODD_FUNCTIONS,
    TURNED,
)
from tests.kernels.special_values_real import REAL_BINARY, REAL_UNARY

ml_dtypes = pytest.importorskip("ml_dtypes")

FLOATS = [np.dtype(d) for d in ("float16", "float32", "float64")] + [np.dtype(ml_dtypes.bfloat16)]
COMPLEX = [np.dtype(d) for d in ("complex64", "complex128")]


def expand(arguments: tuple[Any, ...]) -> list[tuple[float, ...]]:
    return list(itertools.product(*(a if isinstance(a, tuple) else (a,) for a in arguments)))


def as_dtype(values: list[float], dtype: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(values, np.float64).astype(dtype)


def agrees(got: float, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, either):
        return agrees(abs(got), abs(expected.value), tolerance)
    if isinstance(expected, bool):
        return bool(got) is expected
    if math.isnan(expected):
        return math.isnan(got)
    if expected == 0 or math.isinf(expected):
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return math.isclose(got, expected, rel_tol=tolerance)


def has_no_flag_to_raise(inputs: list[float], results: list[Any]) -> bool:
    """Return whether neither a NaN nor an infinity is new in the result."""
    values = [r.value if isinstance(r, either) else r for r in results]
    new_nan = any(map(math.isnan, values)) and not any(map(math.isnan, inputs))
    new_infinity = any(map(math.isinf, values)) and all(map(math.isfinite, inputs))
    return not (new_nan or new_infinity)


def cases(table: Iterable[str], dtypes: list[np.dtype]) -> list[Any]:
    return [
        pytest.param(op, dtype, id=f"{op}-{dtype}")
        for op, dtype in itertools.product(table, dtypes)
    ]


def evaluate(op: str, arrays: list[np.ndarray], quiet: bool) -> Any:
    """Return the kernel's result; FloatingPointError if it raises a flag that it should not."""
    state = "raise" if quiet else "ignore"
    with np.errstate(invalid=state, divide=state, over="ignore", under="ignore"):
        kernel = find(op, tuple(x.dtype for x in arrays))
        assert kernel is not None
        result = np.asarray(kernel(*arrays))
    with np.errstate(all="ignore"):
        general = np.asarray(KERNELS[op](*arrays))
    assert general.dtype == result.dtype
    # As complex128, because NumPy's comparison of results does not know the NaN of bfloat16.
    np.testing.assert_array_equal(general.astype(complex), result.astype(complex))
    return result


@pytest.mark.parametrize(("op", "dtype"), cases(REAL_UNARY, FLOATS))
def test_real_unary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for argument, expected in REAL_UNARY[op]:
        for (value,) in expand((argument,)):
            x = as_dtype([value], dtype)
            quiet = has_no_flag_to_raise([value], [expected])
            result = evaluate(op, [x], quiet)
            assert result.dtype in (dtype, np.bool_)
            assert agrees(float(result[0]), expected, 1e-2), (op, value, result, expected)


@pytest.mark.parametrize(("op", "dtype"), cases(REAL_BINARY, FLOATS))
def test_real_binary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for *arguments, expected in REAL_BINARY[op]:
        for values in expand(tuple(arguments)):
            arrays = [as_dtype([v], dtype) for v in values]
            quiet = has_no_flag_to_raise(list(values), [expected])
            if op.startswith("logaddexp") and any(map(math.isnan, values)):
                quiet = False  # NumPy reports a mere NaN
            result = evaluate(op, arrays, quiet)
            assert result.dtype in (dtype, np.bool_)
            assert agrees(float(result[0]), expected, 1e-2), (op, values, result, expected)


def check_complex(op: str, dtype: np.dtype, a: float, b: float, expected: tuple[Any, Any]) -> None:
    x = np.empty(1, dtype)
    x.real, x.imag = a, b
    quiet = has_no_flag_to_raise([a, b], list(expected))
    result = evaluate(op, [x], quiet)
    assert result.dtype == dtype
    got = (float(result.real[0]), float(result.imag[0]))
    assert agrees(got[0], expected[0], 1e-5), (op, x, result, expected)
    assert agrees(got[1], expected[1], 1e-5), (op, x, result, expected)


def complex_rows(op: str) -> list[tuple[float, float, Any, Any]]:
    """Return the table of ``op`` with one row per value, and what conjugation adds to it."""
    rows = []
    for row in COMPLEX_UNARY[op]:
        for a, b in expand(row[:2]):
            real, imag = row[2](b) if len(row) == 3 else row[2:]
            rows += [(a, b, real, imag), (a, -b, real, opposite(imag))]
            if op in ODD_FUNCTIONS:
                rows += [(-a, -b, opposite(real), opposite(imag)), (-a, b, opposite(real), imag)]
            elif op == "cosh":
                rows += [(-a, -b, real, imag), (-a, b, real, opposite(imag))]
    return rows


def opposite(value: Any) -> Any:
    return value if isinstance(value, either) else -value


@pytest.mark.parametrize(("op", "dtype"), cases(COMPLEX_UNARY, COMPLEX))
def test_complex_unary_follows_the_table(op: str, dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows(op):
        check_complex(op, dtype, a, b, (real, imag))


@pytest.mark.parametrize(("op", "dtype"), cases(TURNED, COMPLEX))
def test_complex_circular_function_is_the_turned_hyperbolic_one(op: str, dtype: np.dtype) -> None:
    # 1j * x = -b + a j, and -1j * (r + s j) = s - r j.
    for a, b, real, imag in complex_rows(TURNED[op]):
        check_complex(op, dtype, b, -a, (imag, opposite(real)))


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_cos_is_cosh_of_turned_argument(dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows("cosh"):
        check_complex("cos", dtype, b, -a, (real, imag))


@pytest.mark.parametrize(("op", "base"), [("log2", 2.0), ("log10", 10.0)])
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_log_changes_base(op: str, base: float, dtype: np.dtype) -> None:
    for a, b, real, imag in complex_rows("log"):
        check_complex(op, dtype, a, b, (real / math.log(base), imag / math.log(base)))


@pytest.mark.parametrize(("op", "dtype"), cases(COMPLEX_TO_REAL, COMPLEX))
def test_complex_to_real_follows_the_table(op: str, dtype: np.dtype) -> None:
    for *arguments, expected in COMPLEX_TO_REAL[op]:
        for a, b in expand(tuple(arguments)):
            x = np.empty(1, dtype)
            x.real, x.imag = a, b
            result = evaluate(op, [x], quiet=True)
            assert result.dtype.kind in "fb"
            assert agrees(float(result[0]), expected, 1e-5), (op, x, result, expected)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_equality_compares_components(dtype: np.dtype) -> None:
    def number(a: float, b: float) -> np.ndarray:
        x = np.empty(1, dtype)
        x.real, x.imag = a, b
        return x

    rows = [
        (number(nan, 1), number(nan, 1), False),
        (number(1, nan), number(1, nan), False),
        (number(1, inf), number(1, inf), True),
        (number(0.0, -0.0), number(-0.0, 0.0), True),
        (number(1, 2), number(1, 3), False),
    ]
    for x1, x2, expected in rows:
        assert KERNELS["equal"](x1, x2)[0] == expected
        assert KERNELS["not_equal"](x1, x2)[0] != expected


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_clip_with_nan_anywhere_is_nan(dtype: np.dtype, position: int) -> None:
    values = [1.0, 0.0, 2.0]
    values[position] = nan
    result = KERNELS["clip"](*(as_dtype([v], dtype) for v in values))
    assert np.isnan(result.astype(np.float64)).all()


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_absorbing_multiply_of_complex_zero_is_exactly_zero(dtype: np.dtype) -> None:
    g = np.array([0, 2, 0j, 1 + 1j], dtype)
    p = np.array([complex(inf, nan), 0, complex(nan, nan), 2j], dtype)
    with np.errstate(all="raise"):
        result = KERNELS["absorbing_multiply"](g, p)
    assert result.tolist() == [0, 0, 0, -2 + 2j]


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_reciprocal_is_one_divided_by(dtype: np.dtype) -> None:
    x = np.array([0, 2, 3 - 4j, complex(inf, 1), complex(nan, nan)], dtype)
    with np.errstate(all="ignore"):
        expected = np.divide(dtype.type(1), x)
        np.testing.assert_array_equal(KERNELS["reciprocal"](x), expected)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_special_elements_leave_their_neighbours_alone(dtype: np.dtype) -> None:
    """A NaN in the array takes the slow route; ordinary elements must not change by it."""
    x = np.array([0.5 + 0.25j, complex(nan, inf), -0.25 + 1j], dtype)
    for op in (*COMPLEX_UNARY, *TURNED, "cos", "log2", "log10"):
        with np.errstate(all="ignore"):
            together = KERNELS[op](x)
            apart = KERNELS[op](x[[0, 2]])
        assert together[[0, 2]].tolist() == apart.tolist(), op


def test_floor_divide_by_zero_warns_as_numpy_does() -> None:
    x = np.array([1.0, inf])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["floor_divide"](x, np.array([0.0, 2.0])).tolist() == [inf, inf]
    integers = np.array([7, -7])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["floor_divide"](integers, np.array([0, 2])).tolist() == [0, -4]
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert KERNELS["remainder"](integers, np.array([0, 2])).tolist() == [0, 1]
