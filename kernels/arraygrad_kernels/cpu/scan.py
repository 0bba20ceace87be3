"""Running sums and products along one axis.

Running totals of float32 are kept in float64, so that a long scan does not drift; NumPy keeps
float32. float64 keeps NumPy's order and its results. Integers wrap.

Measured
--------
Speed relative to NumPy, one thread, 4M elements: float32 3.6 in one row, 40 along the first of two
axes, 5 in rows of ten; float64 2.2, 9, 2.3; int32 2.1, 13, 2.7; int64 1.0, 8.5, 2.3; complex64 2.2,
6.6, 1.8. A scan of 1000 elements takes 0.6 (float32) to 1.2 (int32); below 4096 NumPy's runs for
those that lose.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import LAYOUT, canonical, readable, writable

__all__ = ["SPECS"]

_ONE = np.uint64(1)
_TILE = np.uint64(2048)


def _scan(initial: Any, multiply: bool) -> Callable[..., None]:
    """Scan of (outer, n, inner); `out` is C-contiguous with ``extra`` leading initial values."""

    def scan(flat, layout, extra, totals, out):  # type: ignore[no-untyped-def]
        k, s, r, t, m = layout
        for i in range(k):
            to = i * (r + extra) * m
            if m == _ONE:
                total = initial
                if extra == _ONE:
                    out[to] = total
                    to += extra
                for b in range(r):
                    if multiply:
                        total *= flat[i * s + b]
                    else:
                        total += flat[i * s + b]
                    out[to + b] = total
            else:
                for first in range(0, m, _TILE):
                    n = min(_TILE, m - first)
                    at = to + first
                    for j in range(n):
                        totals[j] = initial
                    if extra == _ONE:
                        for j in range(n):
                            out[at + j] = initial
                        at += m
                    for b in range(r):
                        source = i * s + b * t + first
                        for j in range(n):
                            if multiply:
                                totals[j] *= flat[source + j]
                            else:
                                totals[j] += flat[source + j]
                            out[at + j] = totals[j]
                        at += m

    return scan


def _build(dtype: np.dtype[Any], multiply: bool) -> Callable[..., np.ndarray]:
    wide: Any = {
        "f": np.float64, "c": np.complex128, "u": np.uint64, "i": np.int64,
    }[dtype.kind]  # fmt: skip
    result = np.dtype(wide) if dtype.kind in "iu" else dtype
    initial = wide(1 if multiply else 0)
    op = "cumulative_prod" if multiply else "cumulative_sum"
    scan = _jit.jit(
        _scan(initial, multiply), f"{op}_{dtype}",
        (readable(dtype), LAYOUT, types.uint64, writable(np.dtype(wide)), writable(result)),
    )  # fmt: skip
    ufunc: np.ufunc = np.multiply if multiply else np.add
    own = dtype
    # NumPy's lower overhead per call wins below, unless it has to widen.
    smallest = 1 if own.kind in "iu" and own.itemsize < 8 else 4096

    def numpy_scan(x: np.ndarray, axis: int, include_initial: bool, dtype: Any) -> np.ndarray:
        out = ufunc.accumulate(x, axis=axis, dtype=dtype)
        if not include_initial:
            return out
        shape = list(x.shape)
        shape[axis] = 1
        return np.concatenate([np.full(shape, initial, out.dtype), out], axis=axis)

    def kernel(
        x: np.ndarray, *, axis: int, include_initial: bool = False, dtype: Any = None
    ) -> np.ndarray:
        wanted = result if dtype is None else np.dtype(dtype)
        fits = wanted.kind in "iu" if own.kind in "iu" else wanted == own
        if x.size < smallest or not fits:
            return numpy_scan(x, axis, include_initial, wanted)
        flat, layout = canonical(x, (axis,), ordered=True, copy=False)
        # The result is in C order, so the kept axes have to lie around the scanned one.
        if layout is None or (layout[0], layout[4]) != _sides(x.shape, axis):
            x = np.array(x, order="C", copy=True)
            flat, layout = canonical(x, (axis,), ordered=True)
        shape = list(x.shape)
        shape[axis] += include_initial
        out = np.empty(shape, result)
        totals = np.empty(int(_TILE) if layout[4] > 1 else 1, wide)
        scan(flat, layout, int(include_initial), totals, out.reshape(-1))
        if result.kind in "fc" and not _finite_end(out, axis):
            # NumPy's values and RuntimeWarnings of overflow and of inf - inf.
            return numpy_scan(x, axis, include_initial, wanted)
        return out if wanted == result else out.astype(wanted)

    return kernel


def _sides(shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """Number of elements before and after `axis`."""
    return prod(shape[:axis]), prod(shape[axis + 1 :])


def _finite_end(out: np.ndarray, axis: int) -> bool:
    """Whether the scan ends in finite numbers: what is not finite stays so to the end."""
    return bool(np.isfinite(out[(slice(None),) * axis + (-1,)]).all())


SPECS: list[KernelSpec] = [
    KernelSpec(
        op, (np.dtype(name),), True,
        lambda name=name, multiply=multiply: _build(np.dtype(name), multiply),
    )
    for op, multiply in (("cumulative_sum", False), ("cumulative_prod", True))
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64", "complex64", "complex128",
    )
]  # fmt: skip
