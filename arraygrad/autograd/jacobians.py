"""Jacobians of a recorded run, by reverse passes (rows) or forward passes (columns)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._apply import cast, node_of, wrap
from .._cotangents import add, conj, times
from .._errors import GradientError
from .._storage import TensorBase
from ..ops.manipulation import reshape, stack
from .recorded import Recorded, name_of, result_dtype


def jacobian_blocks(
    run: Recorded, f: Callable[..., Any], mode: str, holomorphic: bool
) -> list[list[Any]]:
    """Derivatives of each leaf of the result (rows) by each entry (columns), as tensors."""
    dtypes = [result_dtype(v, f) for _, v in run.leaves]
    sizes = [v._array.size if isinstance(v, TensorBase) else np.size(v) for _, v in run.leaves]
    complex_in = any(e.dtype.kind == "c" for e in run.entries)
    complex_out = any(d.kind == "c" for d in dtypes)
    if complex_in and complex_out and not holomorphic:
        raise GradientError(
            f"{name_of(f)} maps complex to complex: its Jacobian is one matrix only if it is "
            "complex-differentiable; pass holomorphic=True then, or differentiate its real and "
            "imaginary parts apart"
        )
    if holomorphic and not (
        all(e.dtype.kind == "c" for e in run.entries) and all(d.kind == "c" for d in dtypes)
    ):
        raise GradientError("holomorphic=True needs complex arguments and a complex result")
    if mode == "cheaper":
        rows = sum(sizes) * (2 if complex_out and not holomorphic else 1)
        columns = sum(e.size for e in run.entries) * (2 if complex_in and not holomorphic else 1)
        # A forward step costs about as much as a reverse one, but reverse steps have fused forms.
        mode = "reverse" if rows <= columns else "forward"
    blocks = reverse_blocks if mode == "reverse" else forward_blocks
    return blocks(run, holomorphic)


def _assemble(pieces: Sequence[Any], shape: tuple[int, ...], dtype: Any, axis: int) -> Any:
    """Stacked pieces (tensors) along `axis`, reshaped; zeros if there are none."""
    if not pieces:
        return wrap(np.zeros(shape, dtype))
    if all(node_of(p) is None for p in pieces):
        return wrap(np.stack([p._array for p in pieces], axis=axis).reshape(shape))
    return reshape(stack(list(pieces), axis=axis), shape)


def _combined(real: Any, imaginary: Any) -> Any:
    """The rows of the real part plus i times those of the imaginary part."""
    dtype = np.result_type(real._array.dtype, np.complex64)
    unit = wrap(np.full(imaginary._array.shape, 1j, dtype))
    return add(cast(real, dtype), times(cast(imaginary, dtype), unit))


def _unit(shape: tuple[int, ...], dtype: Any, index: int, value: complex) -> Any:
    array = np.zeros(shape, dtype)
    array.reshape(-1)[index] = value
    return wrap(array)


def reverse_blocks(run: Recorded, holomorphic: bool) -> list[list[Any]]:
    """One reverse pass per element of the result (two where it is complex, by real arguments)."""
    blocks: list[list[Any]] = []
    for k, (_, leaf) in enumerate(run.leaves):
        if not isinstance(leaf, TensorBase):
            shape = np.shape(leaf)
            blocks.append([wrap(np.zeros(shape + e.shape, e.dtype)) for e in run.entries])
            continue
        array = leaf._array
        split = array.dtype.kind == "c" and not holomorphic
        rows: list[list[Any]] = [[] for _ in run.entries]
        for i in range(array.size):
            found = _row(run, k, _unit(array.shape, array.dtype, i, 1))
            if holomorphic:
                found = [conj(c) for c in found]
            elif split:
                # Re(conj(i) y) = Im(y): the second pass gives the imaginary part's derivative.
                other = _row(run, k, _unit(array.shape, array.dtype, i, 1j))
                found = [_combined(c, d) for c, d in zip(found, other, strict=True)]
            for row, c in zip(rows, found, strict=True):
                row.append(c)
        blocks.append(
            [_assemble(row, array.shape + e.shape, np.result_type(array.dtype, e.dtype), 0)
             for row, e in zip(rows, run.entries, strict=True)]
        )  # fmt: skip
    return blocks


def _row(run: Recorded, k: int, g: Any) -> list[Any]:
    cotangents = [g if n == k else None for n in range(len(run.leaves))]
    return run.gradients(cotangents, run.tracked, True)


def forward_blocks(run: Recorded, holomorphic: bool) -> list[list[Any]]:
    """One forward pass per element of the arguments (two where they are complex)."""
    columns: list[list[list[Any]]] = [[[] for _ in run.entries] for _ in run.leaves]
    for n, entry in enumerate(run.entries):
        split = entry.dtype.kind == "c" and not holomorphic
        for j in range(entry.size):
            found = _column(run, n, _unit(entry.shape, entry.dtype, j, 1))
            if split:
                other = _column(run, n, _unit(entry.shape, entry.dtype, j, 1j))
                found = [_combined(c, d) for c, d in zip(found, other, strict=True)]
            for k, t in enumerate(found):
                columns[k][n].append(t)
    blocks = []
    for (_, leaf), by_entry in zip(run.leaves, columns, strict=True):
        array = leaf._array if isinstance(leaf, TensorBase) else np.asarray(leaf, float)
        blocks.append(
            [_assemble(column, array.shape + e.shape, np.result_type(array.dtype, e.dtype), -1)
             for column, e in zip(by_entry, run.entries, strict=True)]
        )  # fmt: skip
    return blocks


def _column(run: Recorded, n: int, t: Any) -> list[Any]:
    given = [t if m == n else None for m in range(len(run.entries))]
    return run.tangents(given, run.tracked)
