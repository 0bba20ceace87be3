"""Stand-ins for ``scipy.sparse``: matrices with products that carry gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._rule import needs_rule, plain, policed, refuse, scipy_object, tensor, tensors, xp
from ._matrix import (
    KINDS,
    Sparse,
    holds_gradient,
    kind,
    plain_argument,
    plain_matrix,
    sparse_of as sparse_of,
)
from ._pattern import Pattern
from ._places import Numbered, converted, kron_of, merged, stored_by


@kind
class csr_array(Sparse):
    """Stand-in for ``scipy.sparse.csr_array``; see `Sparse`."""


@kind
class csc_array(Sparse):
    """Stand-in for ``scipy.sparse.csc_array``; see `Sparse`."""


@kind
class coo_array(Sparse):
    """Stand-in for ``scipy.sparse.coo_array``; see `Sparse`."""


@kind
class bsr_array(Sparse):
    """Stand-in for ``scipy.sparse.bsr_array``; see `Sparse`."""


@kind
class dia_array(Sparse):
    """Stand-in for ``scipy.sparse.dia_array``; see `Sparse`."""


@kind
class lil_array(Sparse):
    """Stand-in for ``scipy.sparse.lil_array``; see `Sparse`."""


@kind
class dok_array(Sparse):
    """Stand-in for ``scipy.sparse.dok_array``; see `Sparse`."""


@kind
class csr_matrix(Sparse):
    """Stand-in for ``scipy.sparse.csr_matrix``; see `Sparse`."""


@kind
class csc_matrix(Sparse):
    """Stand-in for ``scipy.sparse.csc_matrix``; see `Sparse`."""


@kind
class coo_matrix(Sparse):
    """Stand-in for ``scipy.sparse.coo_matrix``; see `Sparse`."""


@kind
class bsr_matrix(Sparse):
    """Stand-in for ``scipy.sparse.bsr_matrix``; see `Sparse`."""


@kind
class dia_matrix(Sparse):
    """Stand-in for ``scipy.sparse.dia_matrix``; see `Sparse`."""


@kind
class lil_matrix(Sparse):
    """Stand-in for ``scipy.sparse.lil_matrix``; see `Sparse`."""


@kind
class dok_matrix(Sparse):
    """Stand-in for ``scipy.sparse.dok_matrix``; see `Sparse`."""


# -- functions -------------------------------------------------------------------------------------


def issparse(x: Any) -> bool:
    """Whether x is a sparse matrix, SciPy's or ours."""
    return isinstance(x, Sparse)


def isspmatrix(x: Any) -> bool:
    """Whether x is a sparse matrix whose ``*`` is the matrix product."""
    return bool(scipy_object("scipy.sparse.isspmatrix")(plain_matrix(x)))


# Functions whose results have the entries of their arguments, in other places.
_PLACING = frozenset({"block_array", "block_diag", "bmat", "hstack", "tril", "triu", "vstack"})


def _made(name: str, summary: str) -> Callable[..., Any]:
    """A function of SciPy that makes a matrix, refused by name where it would lose a gradient."""

    def function(*args: Any, **kwargs: Any) -> Any:
        real = scipy_object(f"scipy.sparse.{name}")
        if any(map(holds_gradient, (*args, *kwargs.values()))):
            numbered = Numbered()
            given = [_numbers(numbered, a) for a in args] if name in _PLACING else []
            if not numbered.count:
                raise refuse(f"scipy.sparse.{name}", "rule", "use coo_array((data, (rows, cols)))")
            return _placed(numbered, real(*given, **kwargs))
        out = real(*map(plain_argument, args), **{k: plain_argument(v) for k, v in kwargs.items()})
        return sparse_of(out) if isinstance(out, Sparse) else out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return policed(function)


def _numbers(numbered: Numbered, x: Any) -> Any:
    """An argument with matrices replaced by those of entry numbers."""
    if isinstance(x, list | tuple):
        return [_numbers(numbered, item) for item in x]
    if isinstance(x, Sparse):
        x = sparse_of(x)
    elif np.ndim(plain(x)) == 2:
        x = csr_array(tensor(x, "scipy.sparse"))
    else:
        return plain(x)
    return numbered.matrix(x._data, x._pattern, type(x).__name__)


def _placed(numbered: Numbered, found: Any) -> Any:
    made = object.__new__(KINDS[type(found).__name__])
    made._take(*numbered.placed(found))
    return made


@policed
def kron(A: Any, B: Any, format: Any = None) -> Any:
    """Kronecker product of sparse matrices."""
    real = scipy_object("scipy.sparse.kron")
    if not holds_gradient([A, B]):
        return sparse_of(real(plain_argument(A), plain_argument(B), format))
    if any(not isinstance(x, Sparse) and np.ndim(plain(x)) != 2 for x in (A, B)):
        raise refuse("scipy.sparse.kron", "of one dimension", "give matrices, x[None]")
    (a, of_a), (b, of_b) = (
        converted(x._data, x._pattern, type(x).__name__, "coo") for x in map(sparse_of, (A, B))
    )
    # SciPy says of which class and format the product is: `*` has another meaning for matrices.
    product = real(plain_argument(A), plain_argument(B), format)
    made = object.__new__(KINDS[type(product).__name__])
    made._take(*kron_of(a, of_a, b, of_b))
    if product.format == "bsr":
        made._take(*stored_by(product, made.toarray()))
    return made


@policed
def find(A: Any) -> Any:
    """Rows, columns and values of the entries that are not 0."""
    if not holds_gradient(A):
        return tensors(scipy_object("scipy.sparse.find")(plain_argument(A)))
    A = sparse_of(A)
    data, pattern = merged(A._data, A._pattern)
    there = np.flatnonzero(plain(data))
    return pattern.rows[there], pattern.cols[there], data[there]


block_array = _made("block_array", "A sparse array of blocks.")
block_diag = _made("block_diag", "A sparse matrix of blocks on the diagonal.")
bmat = _made("bmat", "A sparse matrix of blocks.")
eye = _made("eye", "A sparse matrix with ones on a diagonal.")
eye_array = _made("eye_array", "A sparse array with ones on a diagonal.")
hstack = _made("hstack", "Sparse matrices side by side.")
identity = _made("identity", "The sparse identity.")
kronsum = _made("kronsum", "Kronecker sum of sparse matrices.")
random = _made("random", "A sparse matrix of random entries.")
random_array = _made("random_array", "A sparse array of random entries.")
spdiags = _made("spdiags", "A sparse matrix of diagonals.")
tril = _made("tril", "The lower triangle of a sparse matrix.")
triu = _made("triu", "The upper triangle of a sparse matrix.")
vstack = _made("vstack", "Sparse matrices one above the other.")


def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    """A sparse matrix of diagonals, which may carry gradients."""
    return _of_diagonals("diags", diagonals, offsets, shape, format, dtype)


def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None,
    dtype: Any = None,
) -> Any:  # fmt: skip
    """A sparse array of diagonals, which may carry gradients."""
    return _of_diagonals("diags_array", diagonals, offsets, shape, format, dtype)


def _of_diagonals(
    name: str, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any
) -> Any:
    real = scipy_object(f"scipy.sparse.{name}")
    given = {"offsets": plain(offsets), "shape": shape, "format": format, "dtype": dtype}
    if not needs_rule(diagonals):
        return sparse_of(real(plain(diagonals), **given))
    if np.ndim(plain(offsets)) == 0:
        diagonals = [diagonals] if np.ndim(plain(diagonals[0])) == 0 else list(diagonals)
        offsets = [offsets]
    parts = [xp.atleast_1d(tensor(d, f"scipy.sparse.{name}")) for d in diagonals]
    made = sparse_of(real([plain(p) for p in parts], **{**given, "offsets": plain(offsets)}))
    entries, rows, cols = [], [], []
    for part, k in zip(parts, plain(list(offsets)), strict=True):
        length = min(made.shape[0] + min(k, 0), made.shape[1] - max(k, 0))
        entries.append(xp.broadcast_to(part, (length,)))
        rows.append(np.arange(length) - min(k, 0))
        cols.append(np.arange(length) + max(k, 0))
    pattern = Pattern(np.concatenate(rows), np.concatenate(cols), made.shape)
    return made._like(xp.concatenate(entries), pattern)
