"""Where a sparse matrix has entries, and products with it: linear in entries and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._op import Rule
from .._rule import primitive_op, scipy_object, xp


class Pattern:
    """Rows and columns of the entries, in the order of the data; entries of one place add up.

    rows, cols : ndarray of int, shape (entries,)
    shape : tuple of two int
    """

    def __init__(self, rows: Any, cols: Any, shape: tuple[int, int]) -> None:
        self.rows = _whole_numbers(rows)
        self.cols = _whole_numbers(cols)
        self.shape = shape
        self.kept = ""  # the format whose order of entries this is, as they were given
        self._compressed: Any = None
        self._transposed: Pattern | None = None

    @property
    def transposed(self) -> Pattern:
        if self._transposed is None:
            self._transposed = Pattern(self.cols, self.rows, self.shape[::-1])
            self._transposed._transposed = self
            self._transposed.kept = {"csr": "csc", "csc": "csr"}.get(self.kept, "")
        return self._transposed

    def matrix(self, data: Any) -> Any:
        """SciPy's csr_array with these entries, duplicates kept apart."""
        if self._compressed is None:
            order = np.argsort(self.rows, kind="stable")
            counts = np.bincount(self.rows, minlength=self.shape[0])
            starts = np.concatenate(([0], np.cumsum(counts)))
            self._compressed = order, self.cols[order], starts
        order, columns, starts = self._compressed
        made = scipy_object("scipy.sparse.csr_array")
        return made((data[order], columns, starts), shape=self.shape)

    def summed(self, data: Any) -> Any:
        """SciPy's csc_array with these entries, duplicates added up."""
        found = self.matrix(data).tocsc()
        found.sum_duplicates()
        return found


def _whole_numbers(indices: Any) -> Any:
    """Indices as integers: SciPy cuts numbers with decimals, as columns of tables often are."""
    indices = np.asarray(indices)
    return indices if indices.dtype.kind in "iu" else indices.astype(np.intp)


def _by_entry(g: Any, x: Any, pattern: Pattern) -> Any:
    """Cotangent of the entries of a matrix that is multiplied with x."""
    products = g[pattern.rows] * xp.conj(x[pattern.cols])
    return xp.sum(products, axis=-1) if products.ndim == 2 else products


def _by_vector(g: Any, data: Any, pattern: Pattern) -> Any:
    return product(xp.conj(data), g, pattern.transposed)


_PRODUCT = primitive_op(
    "sparse.product", ("data", "x"), Rule(data=_by_entry, x=_by_vector),
    lambda data, x, *, pattern: np.asarray(pattern.matrix(data) @ x),
)  # fmt: skip


def product(data: Any, x: Any, pattern: Pattern) -> Any:
    """The matrix times a vector or a dense matrix x."""
    return _PRODUCT(data, x, pattern=pattern)


def _solve_pull(
    g: Any, data: Any, out: Any, pattern: Pattern, needs: tuple[bool, ...]
) -> tuple[Any, Any]:
    by_b = solved(xp.conj(data), g, pattern.transposed)
    return (-_by_entry(by_b, out, pattern) if needs[0] else None), by_b


def _solve_kernel(data: Any, b: Any, *, pattern: Pattern) -> Any:
    solver = scipy_object("scipy.sparse.linalg.splu")(pattern.summed(data))
    return solver.solve(b)


_SOLVE = primitive_op("sparse.solve", ("data", "b"), Rule(vjp=_solve_pull), _solve_kernel)


def solved(data: Any, b: Any, pattern: Pattern) -> Any:
    """The x with matrix @ x = b, for a vector or a dense matrix b."""
    return _SOLVE(data, b, pattern=pattern)
