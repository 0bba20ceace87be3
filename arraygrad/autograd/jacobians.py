"""Jacobians of a recorded run, by reverse passes (rows) or forward passes (columns)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import cast, node_of, wrap
from .._cotangents import add, conj, times
from .._storage import TensorBase

if TYPE_CHECKING:
    from .functional import _Recorded


def _assemble(pieces: Sequence[Any], shape: tuple[int, ...], dtype: Any, axis: int) -> Any:
    """Stacked pieces (tensors) along `axis`, reshaped; zeros if there are none."""
    if not pieces:
        return wrap(np.zeros(shape, dtype))
    if all(node_of(p) is None for p in pieces):
        return wrap(np.stack([p._array for p in pieces], axis=axis).reshape(shape))
    from ..ops.manipulation import reshape, stack

    return reshape(stack(list(pieces), axis=axis), shape)


def _combined(real: Any, imaginary: Any) -> Any:
    """real + i imaginary, for complex tensors of the parts' rows."""
    dtype = np.result_type(real._array.dtype, np.complex64)
    unit = wrap(np.full(imaginary._array.shape, 1j, dtype))
    return add(cast(real, dtype), times(cast(imaginary, dtype), unit))


def _unit(shape: tuple[int, ...], dtype: Any, index: int, value: complex) -> Any:
    array = np.zeros(shape, dtype)
    array.reshape(-1)[index] = value
    return wrap(array)


def reverse_blocks(run: _Recorded, holomorphic: bool) -> list[list[Any]]:
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


def _row(run: _Recorded, k: int, g: Any) -> list[Any]:
    cotangents = [g if n == k else None for n in range(len(run.leaves))]
    return run.gradients(cotangents, run.tracked, True)


def forward_blocks(run: _Recorded, holomorphic: bool) -> list[list[Any]]:
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


def _column(run: _Recorded, n: int, t: Any) -> list[Any]:
    given = [t if m == n else None for m in range(len(run.entries))]
    return run.tangents(given, run.tracked)
