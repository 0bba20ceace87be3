"""Stand-ins for ``scipy.sparse.linalg``: solutions of sparse systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import linalg as core
from .._rule import by_name, plain, policed, refuse, tensor, tensors, xp
from ._dense_rules import (
    eigs as eigs,
    eigsh as eigsh,
    expm as expm,
    expm_multiply as expm_multiply,
    inv as inv,
    lobpcg as lobpcg,
    lsmr as lsmr,
    lsqr as lsqr,
    matrix_power as matrix_power,
    norm as norm,
    real_of,
    svds as svds,
)
from ._matrix import Sparse, holds_gradient, plain_argument, sparse_of
from ._pattern import Pattern, solved


def _solution(A: Any, b: Any, function: str) -> Any:
    """The x with A @ x = b, differentiable in the entries of A and in b."""
    if not isinstance(A, Sparse) and hasattr(A, "matvec"):
        raise refuse(f"scipy.sparse.linalg.{function}", "through an operator", "give the matrix")
    if not isinstance(A, Sparse):
        return core.solve(tensor(A, function), tensor(b, function, 2))
    A = sparse_of(A)
    if isinstance(b, Sparse):
        b = sparse_of(b).toarray()
    b = tensor(b, function, 2)
    dtype = np.result_type(A._data._array.dtype, b._array.dtype)
    return solved(A._data.astype(dtype), b.astype(dtype), A._pattern)


@policed
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """Solution of A @ x = b.

    Notes
    -----
    Derivative: dx = A^-1 (db - dA x), by a solution with the transposed matrix.
    """
    if not holds_gradient([A, b]):
        out = real_of("spsolve", A, b, permc_spec=permc_spec, use_umfpack=use_umfpack)
        return sparse_of(out) if isinstance(out, Sparse) else tensors(out)
    x = _solution(A, b, "spsolve")
    return x[:, 0] if x.ndim == 2 and x.shape[1] == 1 and not isinstance(b, Sparse) else x


class _Factors:
    """What ``splu`` returns: solves with the matrix, its transpose or its adjoint."""

    def __init__(self, A: Any, function: str, options: dict[str, Any]) -> None:
        self._matrix = A
        self._function = function
        self._real = real_of(function, A, **options)

    @policed
    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solution for a right-hand side."""
        if not holds_gradient([self._matrix, rhs]):
            return tensors(self._real.solve(plain_argument(rhs), trans))
        if self._function == "spilu":
            raise refuse("scipy.sparse.linalg.spilu", "of its approximate solutions", "use splu")
        A = sparse_of(self._matrix)
        A = {"N": A, "T": A.T, "H": A.H}[trans]
        return _solution(A, rhs, self._function)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or holds_gradient(self._matrix):
            raise AttributeError(f"{name}: the factors of a matrix with gradients are not given")
        return getattr(self._real, name)


def splu(A: Any, *more: Any, **options: Any) -> Any:
    """Factors of a matrix, whose ``solve`` is differentiable."""
    return _Factors(A, "splu", by_name("scipy.sparse.linalg.splu", 1, more, options))


def spilu(A: Any, *more: Any, **options: Any) -> Any:
    """Approximate factors of a matrix; plain."""
    return _Factors(A, "spilu", by_name("scipy.sparse.linalg.spilu", 1, more, options))


def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves for a right-hand side."""
    factors = splu(sparse_of(A).asformat("csc"))
    return lambda b: factors.solve(b)


def _iterative(name: str) -> Callable[..., Any]:
    """A solver that iterates: SciPy's value, and the derivative of the exact solution."""

    def solver(A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
        value, info = real_of(name, A, b, x0, **{k: plain_argument(v) for k, v in options.items()})
        if not holds_gradient([A, b]):
            return tensors(value), info
        x = _solution(A, b, name)
        return xp.reshape(x, value.shape) + (value - np.reshape(plain_argument(x), -1)), info

    solver.__name__ = solver.__qualname__ = name
    solver.__doc__ = "Solution of A @ x = b by iteration, and SciPy's report."
    return policed(solver)


cg = _iterative("cg")
gmres = _iterative("gmres")
bicg = _iterative("bicg")
bicgstab = _iterative("bicgstab")
minres = _iterative("minres")
cgs = _iterative("cgs")
gcrotmk = _iterative("gcrotmk")
lgmres = _iterative("lgmres")
qmr = _iterative("qmr")
tfqmr = _iterative("tfqmr")


@policed
def spsolve_triangular(
    A: Any, b: Any, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    """Solution of A @ x = b for a triangular matrix; derivative as in `spsolve`."""
    if not holds_gradient([A, b]):
        return tensors(
            real_of("spsolve_triangular", A, b, lower, overwrite_A, overwrite_b, unit_diagonal)
        )
    A = sparse_of(A)
    rows, cols = A._pattern.rows, A._pattern.cols
    inside = (rows > cols if lower else rows < cols) | ((rows == cols) & (not unit_diagonal))
    kept = np.flatnonzero(inside)
    data, rows, cols = A._data[kept], rows[kept], cols[kept]
    if unit_diagonal:
        places = np.arange(A.shape[0])
        data = xp.concatenate((data, xp.ones(A.shape[0], dtype=data.dtype)))
        rows, cols = np.concatenate((rows, places)), np.concatenate((cols, places))
    b = tensor(b, "scipy.sparse.linalg.spsolve_triangular", 2)
    dtype = np.result_type(plain(data).dtype, plain(b).dtype)
    return solved(data.astype(dtype), b.astype(dtype), Pattern(rows, cols, A.shape))
