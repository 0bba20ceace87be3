"""Reductions of complex numbers and truth values, most of them made of those of real numbers.

The variance of complex numbers is the sum of their parts' variances; the exponentials and the
logarithm of logsumexp and softmax are the elementwise kernels. Products and tests for zero have
loops here: products keep NumPy's order, in complex128, and NumPy's own runs again where one is not
finite, for its RuntimeWarnings. Truth values are counted, and have an extremum if any or all is.

Measured
--------
Speed relative to NumPy, one thread, a million elements / 700 x 700 along the first axis / along the
last / rows of ten. complex64: prod 5 / 1 / 7 / 12, all 0.9 / 1 / 1.1 / 1.9, count_nonzero 11 / 4 /
5 / 4, var 5 / 1.6 / 2 / 4, logsumexp 10 / 16 / 18 / 6, softmax 10 / 13 / 17 / 4. complex128: prod
4 / 1 / 2 / 6, all 1.2 / 1.1 / 1.3 / 2.3, count_nonzero 2 / 4 / 3 / 2, var 5 / 3 / 2 / 3.5,
logsumexp 2.8 / 5 / 4 / 2.7, softmax 2.5 / 3 / 3.4 / 2.8. bool: sum 1.8 / 2.1 / 1.9 / 3.2, prod 39 /
6 / 9 / 2, running sums 2 / 6 / 1.8 / 3. Below 4096 elements NumPy's functions run, whose calls take
less time. Not preferred: extrema of truth values and their positions, which NumPy finds as fast as
memory (0.1 to 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu import elementwise, extrema, moments, reduction, scan
from arraygrad_kernels.reference import reductions

__all__ = ["SPECS"]

_FEW = 4096
"""Elements below which NumPy's lower overhead per call wins."""
_REAL_OF = {"complex64": np.dtype(np.float32), "complex128": np.dtype(np.float64)}
_BOOL, _BYTE = np.dtype(np.bool_), np.dtype(np.int8)

Kernel = Callable[..., Any]


def _kernel_of(family: ModuleType, op: str, dtype: np.dtype[Any]) -> Kernel:
    """Kernel of another family, compiled."""
    return next(s for s in family.SPECS if s.op == op and s.dtypes == (dtype,)).build()


# Complex numbers.


def _build_var(own: np.dtype[Any], root: bool) -> Kernel:
    real = _REAL_OF[own.name]
    of_parts = _kernel_of(moments, "var", real)
    general = reductions.std if root else reductions.var

    def var(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, correction: float = 0.0,
        dtype: Any = None,
    ) -> np.ndarray:  # fmt: skip
        few = x.size < _FEW or math.prod([x.shape[i] for i in axis]) <= correction
        if few or (dtype is not None and dtype != own):
            return general(x, axis=axis, keepdims=keepdims, correction=correction, dtype=dtype)
        options: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "correction": correction}
        if len(axis) < x.ndim and x.ndim - 1 in axis:
            # Rows: as two columns each, they would leave the inner loop little to do.
            total = of_parts(x.real, **options) + of_parts(x.imag, **options)
        else:
            total = np.add.reduce(of_parts(x[..., np.newaxis].view(real), **options), axis=-1)
        return np.asarray(np.sqrt(total) if root else total)

    return var


def _finite_shift(x: np.ndarray, axis: tuple[int, ...]) -> np.ndarray | None:
    """Largest real parts, with axes kept; None where one is not finite."""
    shift = np.maximum.reduce(x.real, axis=axis, keepdims=True)
    return shift if np.isfinite(shift).all() else None


def _build_logsumexp(own: np.dtype[Any]) -> Kernel:
    exp, log = _kernel_of(elementwise, "exp", own), _kernel_of(elementwise, "log", own)

    def logsumexp(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        shift = None if not x.size else _finite_shift(x, axis)
        if shift is None or (dtype is not None and dtype != own):
            return reductions.logsumexp(x, axis=axis, keepdims=keepdims, dtype=dtype)
        with np.errstate(all="ignore"):
            total = np.add.reduce(exp(x - shift), axis=axis, keepdims=keepdims)
            return np.asarray(log(np.asarray(total)) + shift.reshape(np.shape(total)))

    return logsumexp


def _build_softmax(own: np.dtype[Any]) -> Kernel:
    exp, divide = _kernel_of(elementwise, "exp", own), _divide(own)

    def softmax(x: np.ndarray, *, axis: tuple[int, ...]) -> np.ndarray:
        shift = None if not x.size else _finite_shift(x, axis)
        if shift is not None:
            with np.errstate(invalid="ignore", under="ignore"):
                weights = np.asarray(exp(x - shift))
                total = np.add.reduce(weights, axis=axis, keepdims=True)
                if total.all():
                    return np.asarray(divide(weights, total))
        return reductions.softmax(x, axis=axis)

    return softmax


def _divide(own: np.dtype[Any]) -> Kernel:
    pair = (own, own)
    return next(s for s in elementwise.SPECS if s.op == "divide" and s.dtypes == pair).build()


# Truth values.


def _build_sum_of_truth(op: str) -> Kernel:
    """Sum or product of truth values as numbers: their count, or whether all are true."""
    counted = _kernel_of(reduction, "count_nonzero" if op == "sum" else "all", _BOOL)

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        wanted = np.dtype(np.int64 if dtype is None else dtype)
        if x.size < _FEW or wanted.kind not in "iub":
            general = reductions.KERNELS[op]
            return np.asarray(general(x, axis=axis, keepdims=keepdims, dtype=dtype))
        return np.asarray(counted(x, axis=axis, keepdims=keepdims)).astype(wanted, copy=False)

    return kernel


def _build_extremum_of_truth(op: str) -> Kernel:
    decided = _kernel_of(reduction, "any" if op == "max" else "all", _BOOL)
    general = reductions.KERNELS[op]

    def kernel(
        x: np.ndarray, *, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None
    ) -> np.ndarray:
        # No elements have an `any`, but no maximum.
        chosen = decided if x.size else general
        return np.asarray(chosen(x, axis=axis, keepdims=keepdims))

    return kernel


def _build_over_bytes(family: ModuleType, op: str) -> Kernel:
    """Kernel for bytes, which truth values are."""
    bytes_kernel, general = _kernel_of(family, op, _BYTE), reductions.KERNELS[op]

    def kernel(x: np.ndarray, **options: Any) -> np.ndarray:
        if x.size < _FEW:
            return np.asarray(general(x, **options))
        return np.asarray(bytes_kernel(x.view(_BYTE), **options))

    return kernel


# The table


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, dtype: np.dtype[Any], build: Kernel, *arguments: Any) -> None:
        preferred = (op, dtype.name) not in _SLOWER
        specs.append(KernelSpec(op, (dtype,), preferred, lambda: build(*arguments)))

    for name in _REAL_OF:
        dtype = np.dtype(name)
        add("var", dtype, _build_var, dtype, False)
        add("std", dtype, _build_var, dtype, True)
        add("logsumexp", dtype, _build_logsumexp, dtype)
        add("softmax", dtype, _build_softmax, dtype)
    for op in ("sum", "prod"):
        add(op, _BOOL, _build_sum_of_truth, op)
    for op in ("max", "min"):
        add(op, _BOOL, _build_extremum_of_truth, op)
    for op in ("argmax", "argmin"):
        add(op, _BOOL, _build_over_bytes, extrema, op)
    for op in ("cumulative_sum", "cumulative_prod"):
        add(op, _BOOL, _build_over_bytes, scan, op)
    return specs


_SLOWER = {(op, "bool") for op in ("max", "min", "argmax", "argmin")}
"""(operation, dtype) where NumPy's loop was measured faster at some size."""

SPECS: list[KernelSpec] = _specs()
