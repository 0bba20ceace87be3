"""Functions of sparse matrices whose derivatives are those of the dense matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import linalg as core
from .._rule import policed, refuse, scipy_object, tensor, tensors, xp
from ._matrix import KINDS, Sparse, holds_gradient, plain_argument, sparse_of
from ._pattern import Pattern

# Largest number of rows for which a dense decomposition gives the derivative.
_MOST_ROWS = 2048


def real_of(name: str, *args: Any, **options: Any) -> Any:
    """What SciPy's function gives for plain matrices."""
    found = scipy_object(f"scipy.sparse.linalg.{name}")
    return found(*map(plain_argument, args), **{k: plain_argument(v) for k, v in options.items()})


def dense(A: Any, name: str) -> Any:
    """A matrix as a dense tensor; refused where that would be too large, or only acts."""
    if isinstance(A, Sparse):
        A = sparse_of(A).toarray()
    if hasattr(A, "matvec"):
        raise refuse(f"scipy.sparse.linalg.{name}", "by an operator", "give the matrix")
    A = xp.atleast_2d(tensor(A, f"scipy.sparse.linalg.{name}"))
    if max(A.shape) > _MOST_ROWS:
        raise refuse(
            f"scipy.sparse.linalg.{name}", f"of more than {_MOST_ROWS} rows",
            "with its vectors plain, compute the values in the graph: np.sum(v * (A @ v), axis=0)",
        )  # fmt: skip
    return A


def _nearest(found: Any, wanted: Any) -> list[int]:
    """For each wanted value the number of one that was found, each taken once."""
    free = list(range(len(found)))
    return [free.pop(int(np.argmin(np.abs(found[free] - value)))) for value in wanted]


def _turned(ours: Any, real: Any) -> Any:
    """Factors of size 1 that turn our vectors to SciPy's."""
    overlap = np.sum(ours.conj() * real, axis=0)
    size = np.abs(overlap)
    return np.where(size > 0, overlap / np.where(size > 0, size, 1), 1.0)


def _spectrum(name: str, hermitian: bool) -> Callable[..., Any]:
    def function(A: Any, k: Any = 6, M: Any = None, *args: Any, **options: Any) -> Any:
        options.setdefault("return_eigenvectors", True)
        found = real_of(name, A, k, M, *args, **options)
        if not holds_gradient([A, M]):
            return tensors(found)
        matrix = dense(A, name)
        if M is not None:
            matrix = core.solve(dense(M, name), matrix)
        w, v = (core.eigh if hermitian and M is None else core.eig)(matrix)
        values, vectors = found if options["return_eigenvectors"] else (found, None)
        order = _nearest(_values(w), values)
        w = w[np.array(order)]
        w = xp.real(w) if hermitian else w
        if vectors is None:
            return w
        v = v[:, np.array(order)]
        v = xp.real(v) if hermitian and not np.iscomplexobj(vectors) else v
        if M is not None:
            raise refuse(f"scipy.sparse.linalg.{name}", "of vectors of a pencil",
                         "give return_eigenvectors=False")  # fmt: skip
        return w, v * _turned(_values(v), vectors)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Some eigenvalues and eigenvectors; derivatives are those of the whole."
    return policed(function)


def _values(x: Any) -> Any:
    return np.asarray(plain_argument(x))


eigs = _spectrum("eigs", hermitian=False)
eigsh = _spectrum("eigsh", hermitian=True)


@policed
def lobpcg(A: Any, X: Any, B: Any = None, *args: Any, **options: Any) -> Any:
    """Some eigenvalues and eigenvectors of a symmetric matrix; derivatives as of `eigsh`."""
    found = real_of("lobpcg", A, X, B, *args, **options)
    if not holds_gradient([A, B]):
        return tensors(found)
    if B is not None or len(found) > 2:
        raise refuse("scipy.sparse.linalg.lobpcg", "of a pencil, or with histories", "use eigsh")
    w, v = core.eigh(dense(A, "lobpcg"))
    order = np.array(_nearest(_values(w), found[0]))
    v = v[:, order]
    return w[order], v * _turned(_values(v), found[1])


@policed
def svds(A: Any, k: Any = 6, *args: Any, **options: Any) -> Any:
    """Some singular values and vectors; derivatives are those of the whole decomposition."""
    found = real_of("svds", A, k, *args, **options)
    if not holds_gradient(A):
        return tensors(found)
    matrix = dense(A, "svds")
    u, s, vt = core.svd(matrix, full_matrices=False)
    if not isinstance(found, tuple):
        return s[np.array(_nearest(_values(s), found))]
    real_u, real_s, real_vt = found
    order = np.array(_nearest(_values(s), real_s))
    u, s, vt = u[:, order], s[order], vt[order]
    side = real_u if real_u is not None else real_vt.T.conj()
    turn = _turned(_values(u) if real_u is not None else _values(vt).T.conj(), side)
    return (
        None if real_u is None else u * turn, s,
        None if real_vt is None else vt * turn.conj()[:, None],
    )  # fmt: skip


# -- functions of matrices -------------------------------------------------------------------------


def _sparse_like(A: Any, out: Any) -> Any:
    """A dense result in the format of an argument."""
    A = sparse_of(A)
    made = object.__new__(KINDS[type(A).__name__])
    rows, cols = np.divmod(np.arange(out.shape[0] * out.shape[1]), out.shape[1])
    made._take(out.reshape(-1), Pattern(rows, cols, tuple(out.shape)))
    return made


def _of_matrix(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    def function(A: Any, *args: Any, **options: Any) -> Any:
        if not holds_gradient(A):
            out = real_of(name, A, *args, **options)
            return sparse_of(out) if isinstance(out, Sparse) else tensors(out)
        out = ours(dense(A, name), *args, **options)
        return _sparse_like(A, out) if isinstance(A, Sparse) else out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of a sparse matrix; its derivative is that of the dense one."
    return policed(function)


expm = _of_matrix("expm", core.expm)
inv = _of_matrix("inv", core.inv)
matrix_power = _of_matrix("matrix_power", core.matrix_power)


@policed
def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """Norm of a sparse matrix, or of its rows or columns."""
    if not holds_gradient(x):
        return tensors(real_of("norm", x, ord, axis))
    whole = dense(x, "norm")
    if ord is None and axis is None:
        return xp.sqrt(xp.sum(xp.abs(whole) ** 2)) if _values(whole).any() else xp.sum(whole * 0)
    return xp.linalg.norm(whole, ord, axis)


@policed
def expm_multiply(A: Any, B: Any, *args: Any, **options: Any) -> Any:
    """Action of the exponential of a matrix."""
    if not holds_gradient([A, B]):
        return tensors(real_of("expm_multiply", A, B, *args, **options))
    given = {k: v for k, v in options.items() if k != "traceA" and v is not None}
    if args or given:
        raise refuse("scipy.sparse.linalg.expm_multiply", "at several times",
                     "call it for each time, expm_multiply(t * A, B)")  # fmt: skip
    return core.expm(dense(A, "expm_multiply")) @ tensor(B, "scipy.sparse.linalg.expm_multiply")


def _least_squares(name: str) -> Callable[..., Any]:
    def solver(A: Any, b: Any, damp: Any = 0.0, *args: Any, **options: Any) -> Any:
        found = real_of(name, A, b, damp, *args, **options)
        if not holds_gradient([A, b, damp]):
            return tensors(found)
        matrix = dense(A, name)
        b = tensor(b, f"scipy.sparse.linalg.{name}", 2).reshape(-1)
        n = matrix.shape[1]
        whole, right = matrix, b
        if holds_gradient(damp) or plain_argument(damp):
            whole = xp.concatenate((matrix, damp * xp.eye(n)))
            right = xp.concatenate((b, xp.zeros(n)))
        x = core.lstsq(whole, right[:, None])[0][:, 0]
        x = x + (found[0] - _values(x))
        rest = b - matrix @ x
        sizes = xp.sqrt(xp.sum(rest**2)), xp.sqrt(xp.sum(x**2))
        report = [x, *found[1:]]  # of which the others estimate how well the iteration went
        if name == "lsqr":
            report[3], report[8] = sizes
            report[4] = xp.sqrt(sizes[0] ** 2 + (damp * sizes[1]) ** 2)
        else:
            report[3], report[7] = sizes
        return tuple(report)

    solver.__name__ = solver.__qualname__ = name
    solver.__doc__ = "Least-squares solution of A @ x = b by iteration, and SciPy's report."
    return policed(solver)


lsmr = _least_squares("lsmr")
lsqr = _least_squares("lsqr")
