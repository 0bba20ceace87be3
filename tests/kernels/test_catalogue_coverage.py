"""The catalogue of compiled kernels has no holes: functions of the standard by dtypes it names."""

from __future__ import annotations

import numpy as np
import pytest
from arraygrad_kernels import _jit, reference

from tests.standard_signatures import MAIN

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels import cpu
from arraygrad_kernels.scalars import PARTIALS

BOOL = ("bool",)
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
CATEGORIES = {
    "any": BOOL + INTEGERS + FLOATS + COMPLEX,
    "boolean": BOOL,
    "complex": COMPLEX,
    "floating": FLOATS + COMPLEX,
    "integer": INTEGERS,
    "integer or boolean": BOOL + INTEGERS,
    "numeric": INTEGERS + FLOATS + COMPLEX,
    "real": INTEGERS + FLOATS,
    "real floating": FLOATS,
}

# The standard's category for the operands of each function that has a family of kernels.
UNARY = {
    "abs": "numeric", "acos": "floating", "acosh": "floating", "asin": "floating",
    "asinh": "floating", "atan": "floating", "atanh": "floating",
    "bitwise_invert": "integer or boolean", "ceil": "real", "conj": "numeric", "cos": "floating",
    "cosh": "floating", "exp": "floating", "expm1": "floating", "floor": "real", "imag": "complex",
    "isfinite": "numeric", "isinf": "numeric", "isnan": "numeric", "log": "floating",
    "log10": "floating", "log1p": "floating", "log2": "floating", "logical_not": "boolean",
    "negative": "numeric", "positive": "numeric", "real": "numeric", "reciprocal": "floating",
    "round": "numeric", "sign": "numeric", "signbit": "real floating", "sin": "floating",
    "sinh": "floating", "sqrt": "floating", "square": "numeric", "tan": "floating",
    "tanh": "floating", "trunc": "real",
}  # fmt: skip
BINARY = {
    "add": "numeric", "atan2": "real floating", "bitwise_and": "integer or boolean",
    "bitwise_left_shift": "integer", "bitwise_or": "integer or boolean",
    "bitwise_right_shift": "integer", "bitwise_xor": "integer or boolean",
    "copysign": "real floating", "divide": "numeric", "equal": "any", "floor_divide": "real",
    "greater": "real", "greater_equal": "real", "hypot": "real floating", "less": "real",
    "less_equal": "real", "logaddexp": "real floating", "logical_and": "boolean",
    "logical_or": "boolean", "logical_xor": "boolean", "maximum": "real", "minimum": "real",
    "multiply": "numeric", "nextafter": "real floating", "not_equal": "any", "pow": "numeric",
    "remainder": "real", "subtract": "numeric",
}  # fmt: skip
REDUCTIONS = {
    "all": "any", "any": "any", "argmax": "real", "argmin": "real", "count_nonzero": "any",
    "cumulative_prod": "numeric", "cumulative_sum": "numeric", "max": "real", "mean": "floating",
    "min": "real", "prod": "numeric", "std": "floating", "sum": "numeric", "var": "floating",
}  # fmt: skip
SEARCHES = {
    "argsort": ("any", 1), "isin": ("any", 2), "nonzero": ("any", 1), "searchsorted": ("real", 2),
    "sort": ("any", 1), "unique_all": ("any", 1), "unique_counts": ("any", 1),
    "unique_inverse": ("any", 1), "unique_values": ("any", 1),
}  # fmt: skip
SPECIAL = {"clip", "take", "take_along_axis", "where"}
"""Functions whose operands have several dtypes, or three."""

# What the public functions accept beyond the standard.
EXTRAS = {
    "angle": ("complex", 1), "argmax": ("boolean", 1), "argmin": ("boolean", 1),
    "cbrt": ("real floating", 1), "cumulative_prod": ("boolean", 1),
    "cumulative_sum": ("boolean", 1), "erf": ("real floating", 1), "erfc": ("real floating", 1),
    "exp2": ("floating", 1), "fmod": ("real", 2), "heaviside": ("real floating", 2),
    "logaddexp2": ("real floating", 2), "logsumexp": ("floating", 1), "max": ("boolean", 1),
    "min": ("boolean", 1), "prod": ("boolean", 1), "sigmoid": ("floating", 1),
    "sinc": ("floating", 1), "softmax": ("floating", 1), "sum": ("boolean", 1),
    "logical_not": ("numeric", 1), "logical_and": ("numeric", 2),
}  # fmt: skip

COPY = "the result is the operand: NumPy copies it"
CONSTANT = "the result is the same for all integers: NumPy fills it"
PROMOTED = "the caller casts integers to float64 first, as the standard's type promotion asks"
NUMPY_SORTS = "NumPy's vectorised sorts are faster than any that Numba compiles"
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("ceil", "integer"): COPY,
    ("floor", "integer"): COPY,
    ("round", "integer"): COPY,
    ("trunc", "integer"): COPY,
    ("conj", "real"): COPY,
    ("real", "real"): COPY,
    ("isfinite", "integer"): CONSTANT,
    ("isinf", "integer"): CONSTANT,
    ("isnan", "integer"): CONSTANT,
    ("divide", "integer"): PROMOTED,
    ("argsort", "any"): NUMPY_SORTS,
    ("sort", "any"): NUMPY_SORTS,
}
"""Functions by category of dtypes that have no kernel, each with its reason.

float16 and bfloat16, which the standard does not know, are computed by NumPy's loops everywhere;
only what moves elements (take, take_along_axis, mask_select, copy) has kernels for them.
"""
SERVED_BY_NUMPY = {
    (function, dtype)
    for function, category in EXCEPTIONS
    for dtype in CATEGORIES[category]
}  # fmt: skip


def _rows() -> list[tuple[str, tuple[str, ...]]]:
    """Every (function, dtypes of operands) that must have a kernel, or an exception."""
    rows: set[tuple[str, tuple[str, ...]]] = set()
    counted = {
        **{op: (category, 1) for op, category in (UNARY | REDUCTIONS).items()},
        **{op: (category, 2) for op, category in BINARY.items()},
        **SEARCHES,
    }
    for table in (counted, EXTRAS):
        for op, (category, n) in table.items():
            rows |= {(op, (dtype,) * n) for dtype in CATEGORIES[category]}
    for dtype in CATEGORIES["any"]:
        rows |= {("where", ("bool", dtype, dtype)), ("mask_select", (dtype, "bool"))}
        rows |= {("copy", (dtype,)), ("cast", (dtype,))}
        for index in INTEGERS:
            rows |= {("take", (dtype, index)), ("take_along_axis", (dtype, index))}
    for dtype in CATEGORIES["real"]:
        rows.add(("clip", (dtype,) * 3))
    for dtype in CATEGORIES["numeric"]:
        for op in ("add_at", "index_add", "add_along_axis"):
            rows |= {(op, (dtype, index, dtype)) for index in INTEGERS}
    for op in ("take", "take_along_axis"):
        rows.add((op, ("float16", "int64")))
    rows |= {("mask_select", ("float16", "bool")), ("copy", ("float16",))}
    return sorted(rows)


ROWS = _rows()


@pytest.mark.parametrize("op", sorted({op for op, _ in ROWS}))
def test_kernel_exists_or_has_an_exception(op: str) -> None:
    for function, names in ROWS:
        if function == op:
            found = cpu.find(op, tuple(map(np.dtype, names)))
            exempt = (op, names[0]) in SERVED_BY_NUMPY
            assert (found is None) == exempt, (op, names)


def test_tables_name_all_functions_of_the_standard_that_have_kernels() -> None:
    named = set(UNARY) | set(BINARY) | set(REDUCTIONS) | set(SEARCHES) | SPECIAL
    assert named == set(MAIN) & set(reference.KERNELS)


VALUES_BY_NUMPY = {"fmax", "fmin", "log_softmax", "vector_norm"}
"""Operations of which only the derivative is compiled."""


def test_every_kernel_in_the_catalogue_has_a_row() -> None:
    """So that a new operation cannot be left out of the tables."""
    known = {op for op, _ in ROWS} | {"absorbing_multiply"} | VALUES_BY_NUMPY
    ops = {spec.op.removesuffix(".backward").removesuffix(".streaming") for spec in cpu.catalogue()}
    assert ops <= known


ROWS_BACKWARD = ("log_softmax", "logsumexp", "softmax", "std", "var", "vector_norm")


@pytest.mark.parametrize("op", ROWS_BACKWARD)
def test_derivative_of_rows_exists_compiled_and_as_reference(op: str) -> None:
    title = f"{op}.backward"
    found = {spec.dtypes[-1].name for spec in cpu.catalogue() if spec.op == title}
    assert found == set(FLOATS)
    assert callable(reference.KERNELS[title])


NO_COMPLEX_DERIVATIVE = {
    "atan2", "cbrt", "clip", "copysign", "erf", "erfc", "fmax", "fmin", "fmod", "hypot",
    "logaddexp", "logaddexp2", "maximum", "minimum", "remainder",
}  # fmt: skip
"""Real functions: they take no complex numbers."""


@pytest.mark.parametrize("op", sorted(PARTIALS))
def test_fused_derivative_exists_for_every_dtype(op: str) -> None:
    names = FLOATS if op in NO_COMPLEX_DERIVATIVE else FLOATS + COMPLEX
    title = f"{op}.backward"
    found = {spec.dtypes[-1].name for spec in cpu.catalogue() if spec.op == title}
    assert found == set(names)
