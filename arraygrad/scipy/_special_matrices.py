"""Matrices that are made of the elements of vectors: gathers, so their transposes scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._rule import rule, tensor, tensors_of, xp


@rule("scipy.linalg.toeplitz")
def toeplitz(c: Any, r: Any = None) -> Any:
    """Toeplitz matrix with first column c and first row r."""
    c = tensor(c, "scipy.linalg.toeplitz").reshape(-1)
    r = xp.conj(c) if r is None else tensor(r, "scipy.linalg.toeplitz", 2).reshape(-1)
    values = xp.concatenate((c[::-1], r[1:]))
    rows, columns = np.arange(c.shape[0])[:, None], np.arange(r.shape[0])
    return values[c.shape[0] - 1 - rows + columns]


@rule("scipy.linalg.hankel")
def hankel(c: Any, r: Any = None) -> Any:
    """Hankel matrix with first column c and last row r."""
    c = tensor(c, "scipy.linalg.hankel").reshape(-1)
    r = xp.zeros_like(c) if r is None else tensor(r, "scipy.linalg.hankel", 2).reshape(-1)
    values = xp.concatenate((c, r[1:]))
    return values[np.arange(c.shape[0])[:, None] + np.arange(r.shape[0])]


@rule("scipy.linalg.circulant")
def circulant(c: Any) -> Any:
    """Circulant matrix with first column c."""
    c = tensor(c, "scipy.linalg.circulant")
    n = c.shape[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % n]


@rule("scipy.linalg.companion")
def companion(a: Any) -> Any:
    """Companion matrix of a polynomial: its first row is -a[1:] / a[0]."""
    a = tensor(a, "scipy.linalg.companion")
    n = a.shape[-1] - 1
    row = -a[..., 1:] / a[..., :1]
    below = xp.broadcast_to(xp.eye(n, dtype=row.dtype)[:-1], (*row.shape[:-1], n - 1, n))
    return xp.concatenate((row[..., None, :], below), axis=-2)


@rule("scipy.linalg.block_diag")
def block_diag(*arrs: Any) -> Any:
    """Matrix with the given blocks on its diagonal."""
    blocks = [xp.atleast_2d(a) for a in tensors_of("scipy.linalg.block_diag", *arrs)]
    width = sum(b.shape[-1] for b in blocks)
    start, rows = 0, []
    for block in blocks:
        stop = start + block.shape[-1]
        before, after = (
            xp.zeros((*block.shape[:-1], n), dtype=block.dtype) for n in (start, width - stop)
        )
        rows.append(xp.concatenate((before, block, after), axis=-1))
        start = stop
    return xp.concatenate(rows, axis=-2)
