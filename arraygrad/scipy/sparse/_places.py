"""Which entries a function of SciPy puts where: it runs on matrices of entry numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._rule import plain, scipy_object, xp
from ._pattern import Pattern


def merged(data: Any, pattern: Pattern, by_columns: bool = False) -> tuple[Any, Pattern]:
    """Entries without duplicates, sorted by rows and then columns, or the other way round."""
    rows, cols = pattern.rows, pattern.cols
    first, second, width = (cols, rows, pattern.shape[0]) if by_columns else (
        rows, cols, pattern.shape[1]
    )  # fmt: skip
    keys = first.astype(np.int64) * width + second
    found, inverse = np.unique(keys, return_inverse=True)
    if found.size == keys.size:  # nothing adds up
        order = np.argsort(keys, kind="stable")
        return data[order], Pattern(rows[order], cols[order], pattern.shape)
    total = xp.zeros(found.size, dtype=data.dtype)
    xp.add.at(total, inverse.reshape(-1), data)
    first, second = found // width, found % width
    rows, cols = (second, first) if by_columns else (first, second)
    return total, Pattern(rows, cols, pattern.shape)


class Numbered:
    """Matrices of SciPy whose values are the numbers of entries, and all these entries."""

    def __init__(self) -> None:
        self._entries: list[Any] = []
        self.count = 0

    def matrix(self, data: Any, pattern: Pattern, kind: str) -> Any:
        """SciPy's matrix of the kind, with the numbers of these entries, from 1 on."""
        data, pattern = merged(data, pattern)
        numbers = np.arange(1.0, data.shape[0] + 1) + self.count
        self._entries.append(data)
        self.count += data.shape[0]
        made = scipy_object("scipy.sparse.coo_array")(
            (numbers, (pattern.rows, pattern.cols)), shape=pattern.shape
        )
        return scipy_object(f"scipy.sparse.{kind}")(made)

    def entries(self, numbers: Any) -> Any:
        """Entries by their numbers; number 0 is a zero."""
        dtype = np.result_type(*(plain(e).dtype for e in self._entries))
        every = xp.concatenate([xp.zeros(1, dtype=dtype), *self._entries])
        return every[np.asarray(numbers).astype(np.int64)]

    def placed(self, found: Any) -> tuple[Any, Pattern]:
        """Entries and pattern of what a function made of such matrices."""
        coo = found.tocoo()
        rows, cols = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
        return self.entries(coo.data), Pattern(rows, cols, coo.shape)


def product_of(data: Any, pattern: Pattern, other: Any, of_other: Pattern) -> tuple[Any, Pattern]:
    """The product of two sparse matrices: a term for each pair of entries that meet."""
    order = np.argsort(of_other.rows, kind="stable")
    counts = np.bincount(of_other.rows, minlength=of_other.shape[0])
    starts = np.concatenate(([0], np.cumsum(counts)))
    lengths = counts[pattern.cols]
    first = np.repeat(np.arange(lengths.size), lengths)
    within = np.arange(first.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    second = order[starts[pattern.cols[first]] + within]
    shape = pattern.shape[0], of_other.shape[1]
    terms = data[first] * other[second]
    return merged(terms, Pattern(pattern.rows[first], of_other.cols[second], shape))


def kron_of(data: Any, pattern: Pattern, other: Any, of_other: Pattern) -> tuple[Any, Pattern]:
    """The Kronecker product of two sparse matrices."""
    m, n = of_other.shape
    rows = (pattern.rows[:, None] * m + of_other.rows).reshape(-1)
    cols = (pattern.cols[:, None] * n + of_other.cols).reshape(-1)
    shape = pattern.shape[0] * m, pattern.shape[1] * n
    return (data[:, None] * other).reshape(-1), Pattern(rows, cols, shape)


def written(data: Any, pattern: Pattern, values: list[tuple[Any, Any, Any]]) -> tuple[Any, Pattern]:
    """Entries after values were written at places; the last one written at a place stays."""
    width = pattern.shape[1]
    rows = np.concatenate([r for r, _, _ in values])
    cols = np.concatenate([c for _, c, _ in values])
    new = xp.concatenate([v for _, _, v in values])
    keys = rows.astype(np.int64) * width + cols
    _, last = np.unique(keys[::-1], return_index=True)
    last = np.sort(keys.size - 1 - last)
    old = ~np.isin(pattern.rows.astype(np.int64) * width + pattern.cols, keys)
    kept = np.flatnonzero(old)
    return xp.concatenate((data[kept], new[last])), Pattern(
        np.concatenate((pattern.rows[kept], rows[last])),
        np.concatenate((pattern.cols[kept], cols[last])), pattern.shape,
    )  # fmt: skip


def transposed(x: Any) -> Any:
    """An operation for `kind_after`."""
    return x.T


def multiplied(x: Any, y: Any) -> Any:
    """An operation for `kind_after`."""
    return x.multiply(y)


def squared(x: Any) -> Any:
    """An operation for `kind_after`."""
    return x.power(2)


@functools.cache
def kind_after(operation: Callable[..., Any], *names: str) -> str:
    """The class of what SciPy's operation gives for matrices of these classes, or "dense"."""
    x = np.ones((2, 2))
    given = [x if name == "dense" else scipy_object(f"scipy.sparse.{name}")(x) for name in names]
    return type(operation(*given)).__name__


def converted(data: Any, pattern: Pattern, old: str, new: str) -> tuple[Any, Pattern]:
    """Entries for a matrix of another class: lists of places have them as their source has."""
    if old[:3] == "dia" and new[:3] in ("coo", "csc", "csr"):
        # By diagonals, or sorted: that depends on SciPy's version.
        numbered = Numbered()
        data, pattern = numbered.placed(numbered.matrix(data, pattern, old).asformat(new[:3]))
        pattern.kept = new[:3]
        return data, pattern
    if pattern.kept and pattern.kept != new[:3]:
        return data, Pattern(pattern.rows, pattern.cols, pattern.shape)
    if new.startswith("coo") and not old.startswith("coo"):
        apart = merged(data, pattern, old.startswith("csc"))
        # A dictionary of places lists them in the order in which they came.
        return (data, pattern) if old[:3] == "dok" and apart[0].shape == data.shape else apart
    return data, pattern


def stored_by(real: Any, dense: Any) -> tuple[Any, Pattern]:
    """Entries of a dense tensor where SciPy's matrix stores some, zeros in blocks included."""
    coo = real.tocsr().tocoo()
    return dense[coo.row, coo.col], Pattern(coo.row, coo.col, coo.shape)
