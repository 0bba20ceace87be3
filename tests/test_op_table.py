"""Every op against NumPy and finite differences, from the rows in tests/samples/.

Values are compared for every dtype kind of a row in two layouts, derivatives to the row's order:
order 1 in reverse and forward mode, order 2 in the four compositions of modes.
`python -m tests.test_op_table` prints how much is checked for each op.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import warnings
import zlib
from collections import Counter
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._op import OPS, Op
from arraygrad._storage import TensorBase
from tests import samples
from tests.samples import Sample

# Ops without a public function of their own, and which tests reach them.
INTERNAL = {
    "leaf": "marks where differentiation starts; runs nothing",
    "alias": "an argument under differentiation; runs nothing",
    "result": "picks one of several results; every op with several is a test of it",
    "absorbing_multiply": "cotangent times partial: in each derivative of order 2",
    "absorbing_matmul": "matmul where a cotangent is not finite: tests of absorbing products",
    "maximum_weight": "partial of maximum",
    "minimum_weight": "partial of minimum",
    "fmax_weight": "partial of fmax",
    "fmin_weight": "partial of fmin",
    "sech_squared": "slope of tanh and sigmoid: tests/ops/test_elementwise_accuracy.py",
    "asin_slope": "slope of asin and acos: tests/ops/test_elementwise_accuracy.py",
    "share_of_hypot": "partial of hypot: tests/ops/test_elementwise_accuracy.py",
    "angle_slope": "partial of atan2: tests/ops/test_elementwise_accuracy.py",
    "zero_at_kink": "second derivatives at zero: tests/ops/test_kinks.py",
    "kinked": "second derivatives of matrix norms: tests/ops/test_spectral.py",
    "eigen_gradient": "second derivatives of eigenvalues: tests/ops/test_spectral.py",
    "singular_gradient": "second derivatives of singular values: tests/ops/test_spectral.py",
    "acosh_slope": "slope of acosh: tests/ops/test_elementwise_accuracy.py",
    "asinh_slope": "slope of asinh: tests/ops/test_elementwise_accuracy.py",
    "atan_slope": "slope of atan: tests/ops/test_elementwise_accuracy.py",
    "atanh_slope": "slope of atanh: tests/ops/test_elementwise_accuracy.py",
    "read_window": "views after in-place writes: tests/autograd/test_inplace_model.py",
    "add_window": "transpose of read_window",
    "write_window": "in-place writes through views: tests/autograd/test_inplace_model.py",
    "zero_window": "derivative of write_window by the base",
    "read_written": "derivative of write_window by the value",
    "sum_to": "transpose of broadcast_to",
    "put_item": "transpose of getitem",
    "scatter_add": "transpose of an index array",
    "clear_item": "derivative of setitem by the tensor",
    "take_written": "derivative of setitem by the value",
    "put_written": "transpose of take_written",
    "to_device": "needs a second device: tests/test_dispatch.py",
}

DTYPES = {
    "f": (np.float64, np.float32),
    "c": (np.complex128, np.complex64),
    "i": (np.int64, np.int32),
    "b": (np.bool_,),
}
GRADIENT_DTYPES = {"f": np.float64, "c": np.complex128}


def all_samples() -> list[Sample]:
    """Rows of all modules in tests/samples."""
    rows: list[Sample] = []
    for module in pkgutil.iter_modules(samples.__path__):
        rows += importlib.import_module(f"tests.samples.{module.name}").SAMPLES
    return rows


SAMPLES = all_samples()
IDS = [row.id for row in SAMPLES]


def arguments(row: Sample, dtype: Any) -> list[np.ndarray]:
    """The row's arguments; the same at each run."""
    rng = np.random.default_rng(zlib.crc32(row.id.encode()))
    return [make(rng, np.dtype(dtype)) for make in row.arguments]


def spread_out(array: np.ndarray) -> np.ndarray:
    """The same values with negative and non-unit strides."""
    if not array.ndim:
        return array
    return np.repeat(array, 2, axis=-1)[..., ::-1].copy()[..., ::-2][..., ::1]


def flat(result: Any) -> list[np.ndarray]:
    """Results as plain arrays."""
    listed = result if isinstance(result, tuple | list) else (result,)
    return [np.asarray(r.detach()._array if isinstance(r, TensorBase) else r) for r in listed]


def tolerance(dtype: np.dtype) -> float:
    """Relative error that a chain of a few operations may have."""
    return 1e-4 if dtype.itemsize // (2 if dtype.kind == "c" else 1) < 8 else 1e-10


def compare(got: list[np.ndarray], want: list[np.ndarray], what: str) -> None:
    assert len(got) == len(want), what
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape, f"{what}: shape {g.shape}, NumPy has {w.shape}"
        if g.dtype.kind in "fc":
            tol = tolerance(g.dtype)
            scale = np.max(np.abs(w[np.isfinite(w)]), initial=1.0)
            np.testing.assert_allclose(g, w, rtol=tol, atol=tol * scale, err_msg=what)
        else:
            np.testing.assert_array_equal(g, w, err_msg=what)


@pytest.mark.parametrize("row", [r for r in SAMPLES if r.numpy is not None], ids=lambda r: r.id)
def test_value(row: Sample) -> None:
    assert row.numpy is not None
    for kind in row.dtypes:
        for dtype in DTYPES[kind]:
            plain = arguments(row, dtype)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # NumPy's own at special values
                want = flat(row.numpy(*[a.copy() for a in plain]))
                for layout in (np.array, spread_out):
                    got = flat(row.call(*[ag.asarray(layout(a)) for a in plain]))
                    compare(got, want, f"{row.id}, {np.dtype(dtype)}, {layout.__name__}")


def differentiated(row: Sample, plain: list[np.ndarray]) -> tuple[Any, list[np.ndarray]]:
    """The call as a function of the differentiable arguments, and these."""

    def f(*moving: Any) -> Any:
        given: list[Any] = [ag.asarray(a.copy()) for a in plain]
        for i, x in zip(row.differentiable, moving, strict=True):
            given[i] = x
        result = row.call(*given)
        return tuple(result) if isinstance(result, list) else result

    return f, [plain[i] for i in row.differentiable]


GRADIENT_ROWS = [
    pytest.param(row, kind, id=f"{row.id}-{kind}")
    for row in SAMPLES
    if row.differentiable
    for kind in row.gradient_dtypes
]


@pytest.mark.parametrize(("row", "kind"), GRADIENT_ROWS)
def test_first_derivative(row: Sample, kind: str) -> None:
    f, moving = differentiated(row, arguments(row, GRADIENT_DTYPES[kind]))
    assert ag.gradcheck(f, moving, fast=True, atol=row.tolerance, rtol=row.tolerance)


@pytest.mark.parametrize(("row", "kind"), [p for p in GRADIENT_ROWS if p.values[0].order >= 2])
def test_second_derivative(row: Sample, kind: str) -> None:
    f, moving = differentiated(row, arguments(row, GRADIENT_DTYPES[kind]))
    assert ag.gradgradcheck(f, moving, fast=True, atol=10 * row.tolerance, rtol=10 * row.tolerance)


@pytest.mark.parametrize(
    "row",
    [r for r in SAMPLES if not r.differentiable and r.arguments and "f" in r.dtypes],
    ids=lambda r: r.id,
)
def test_no_gradient_where_none_is_declared(row: Sample) -> None:
    if any(OPS[name].differentiable for name in row.ops if name in OPS):
        pytest.skip("the row leaves out arguments of a differentiable op")
    given = [ag.asarray(a) for a in arguments(row, np.float64)]
    for t in given:
        if t.dtype.kind == "f":
            t.requires_grad_()
    result = row.call(*given)
    for r in result if isinstance(result, tuple | list) else (result,):
        assert not getattr(r, "requires_grad", False)


@functools.cache
def sampled() -> frozenset[str]:
    return frozenset(name for row in SAMPLES for name in row.ops)


# The ops of arraygrad.special, there once that is imported, have a test file of their own.
NAMES = sorted(name for name in OPS if not name.startswith("special."))


@pytest.mark.parametrize("name", NAMES)
def test_op_has_samples(name: str) -> None:
    assert (name in sampled()) != (name in INTERNAL), (
        f"op {name!r} needs a row in tests/samples/ or, if no public function runs it alone, a "
        "reason in INTERNAL (not both)"
    )


def test_differentiable_ops_have_gradient_rows() -> None:
    checked = {name for row in SAMPLES if row.differentiable for name in row.ops}
    missing = [n for n in NAMES if _differentiable(OPS[n]) and n not in checked]
    assert not missing


def _differentiable(op: Op) -> bool:
    return op.differentiable and op.name not in INTERNAL


def test_rows_have_distinct_names() -> None:
    repeated = [name for name, n in Counter(IDS).items() if n > 1]
    assert not repeated


def test_samples_name_ops_that_exist() -> None:
    unknown = {n for row in SAMPLES for n in row.ops if n not in OPS and not hasattr(ag, n)}
    assert not unknown


def print_table() -> None:
    """Print the rows and checks of each op."""
    rows: Counter[str] = Counter()
    checks: Counter[tuple[str, int]] = Counter()
    for row in SAMPLES:
        for name in row.ops:
            rows[name] += 1
            for order in range(1, row.order + 1 if row.differentiable else 1):
                checks[name, order] += len(row.gradient_dtypes) * (2 if order == 1 else 4)
    print(f"{'op':28} {'rows':>5} {'order 1':>8} {'order 2':>8}")
    for name in sorted(rows):
        print(f"{name:28} {rows[name]:5} {checks[name, 1]:8} {checks[name, 2]:8}")
    total = [sum(n for (_, o), n in checks.items() if o == order) for order in (1, 2)]
    print(f"{'all':28} {len(SAMPLES):5} {total[0]:8} {total[1]:8}")


if __name__ == "__main__":
    print_table()
