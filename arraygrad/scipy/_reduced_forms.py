"""Schur, QZ and Hessenberg forms: orthogonal factors as implicit functions of the matrix.

SciPy finds the factors. They are an isolated solution of the equations that the form states, so
that their derivative is that of an implicit function; where eigenvalues are equal they are none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from ._implicit import solution
from ._rule import adjoint, plain, refuse, rule, scipy_object, tensor, tensors_of, xp

# Rows of the largest matrix: the equations are solved as one dense system of their squares.
_ROWS = 30


def _checked(function: str, *matrices: Any) -> None:
    if any(m.dtype.kind == "c" for m in matrices):
        raise refuse(function, "in complex numbers, where phases are arbitrary",
                     "use output='real' of real matrices, or scipy.linalg.eig")  # fmt: skip
    if matrices[0].shape[-1] > _ROWS:
        raise refuse(function, f"of more than {_ROWS} rows",
                     "use scipy.linalg.eig, eigvals or solve")  # fmt: skip


def _upper(x: Any) -> Any:
    """Elements on and above the diagonal, as a vector."""
    return x[np.triu_indices(x.shape[0])]


def _factors(conditions: Callable[..., list[Any]], values: tuple[Any, ...], name: str) -> list[Any]:
    """Orthogonal matrices near the values, which fulfil the conditions."""
    n = len(values[0])
    one = np.eye(n)

    def rest(vector: Any) -> Any:
        found = vector.reshape((len(values), n, n))
        factors = [found[i] for i in range(len(values))]
        orthogonal = [_upper(q.T @ q - one) for q in factors]
        return xp.concatenate([*orthogonal, *conditions(*factors)])

    found = solution(rest, np.stack(values).reshape(-1), name).reshape((len(values), n, n))
    return [found[i] for i in range(len(values))]


def _as_found(x: Any, value: Any) -> Any:
    """A form with the zeros and the values that SciPy gives."""
    value = np.asarray(value)
    x = xp.where(value == 0, 0.0, x).astype(value.dtype)
    return x + (value - plain(x))


def _below(form: Any) -> tuple[Any, Any]:
    """Places below the diagonal that are zero in a form."""
    rows, columns = np.tril_indices(len(form), -1)
    zero = form[rows, columns] == 0
    return rows[zero], columns[zero]


@rule("scipy.linalg.schur")
def schur(
    a: Any, output: str = "real", lwork: int | None = None, overwrite_a: bool = False,
    sort: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Schur form T and factor Z, with a = Z T Z^T, of a real matrix.

    Notes
    -----
    Derivative: the solution of Z^T Z = 1, where Z^T a Z is zero below the diagonal and has equal
    numbers on the diagonal of blocks for pairs of complex eigenvalues.
    """
    name = "scipy.linalg.schur"
    a = tensor(a, name)
    t, z, *count = scipy_object(name)(plain(a), output, lwork, False, sort)
    _checked(name, a, t)
    zero = _below(t)
    pairs = np.flatnonzero(np.diag(t, -1))

    def conditions(q: Any) -> list[Any]:
        form = q.T @ a @ q
        return [form[zero], form[pairs, pairs] - form[pairs + 1, pairs + 1]]

    (q,) = _factors(conditions, (z,), name)
    return _as_found(q.T @ a @ q, t), _as_found(q, z), *count


@rule("scipy.linalg.hessenberg")
def hessenberg(
    a: Any, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Hessenberg form H, and the factor Q with a = Q H Q^T, of a real matrix.

    Notes
    -----
    Derivative: the solution of Q^T Q = 1, where Q^T a Q is zero below the first subdiagonal and
    the first column of Q is fixed.
    """
    name = "scipy.linalg.hessenberg"
    a = tensor(a, name)
    h, q = scipy_object(name)(plain(a), calc_q=True)
    if len(h) <= 2:
        return (a, xp.asarray(q)) if calc_q else a
    _checked(name, a)
    zero = np.tril_indices(len(h), -2)
    (found,) = _factors(lambda q: [(q.T @ a @ q)[zero], q[1:, 0]], (q,), name)
    form = _as_found(found.T @ a @ found, h)
    return (form, _as_found(found, q)) if calc_q else form


@rule("scipy.linalg.qz")
def qz(
    A: Any, B: Any, output: str = "real", lwork: int | None = None, sort: Any = None,
    overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Generalised Schur forms AA and BB and factors Q and Z, with A = Q AA Z^T, B = Q BB Z^T.

    Notes
    -----
    Derivative: the solution of Q^T Q = Z^T Z = 1, where Q^T A Z and Q^T B Z are zero below the
    diagonal; for pairs of complex eigenvalues BB is diagonal.
    """
    return _generalised("scipy.linalg.qz", A, B, output, lwork, sort)


@rule("scipy.linalg.ordqz")
def ordqz(
    A: Any, B: Any, sort: Any = "lhp", output: str = "real", overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Sorted generalised Schur forms, eigenvalues as alpha and beta, factors; see `qz`."""
    name = "scipy.linalg.ordqz"
    A, B = tensors_of(name, A, B)
    aa, bb, alpha, _, q, z = scipy_object(name)(plain(A), plain(B), sort, output)
    if np.iscomplexobj(alpha) and (alpha.imag != 0).any():
        raise refuse(name, "of pairs of complex eigenvalues", "use scipy.linalg.qz")
    forms = _generalised_forms(name, A, B, aa, bb, q, z)
    first, second = (xp.diagonal(form) for form in forms[:2])
    return (*forms[:2], first.astype(alpha.dtype), second, *forms[2:])


def _generalised(name: str, A: Any, B: Any, *options: Any) -> Any:
    A, B = tensors_of(name, A, B)
    return _generalised_forms(name, A, B, *scipy_object(name)(plain(A), plain(B), *options))


def _generalised_forms(name: str, A: Any, B: Any, aa: Any, bb: Any, q: Any, z: Any) -> Any:
    _checked(name, A, aa)
    zero = _below(aa)
    below = np.tril_indices(len(aa), -1)
    pairs = np.flatnonzero(np.diag(aa, -1))

    def conditions(q: Any, z: Any) -> list[Any]:
        second = q.T @ B @ z
        return [(q.T @ A @ z)[zero], second[below], second[pairs, pairs + 1]]

    left, right = _factors(conditions, (q, z), name)
    forms = (_as_found(left.T @ m @ right, form) for m, form in ((A, aa), (B, bb)))
    return (*forms, _as_found(left, q), _as_found(right, z))


@rule("scipy.linalg.rq")
def rq(
    a: Any, overwrite_a: bool = False, lwork: int | None = None, mode: str = "full",
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """RQ decomposition: the QR decomposition of the matrix turned around."""
    name = "scipy.linalg.rq"
    a = tensor(a, name)
    small = mode == "economic"
    _, value = scipy_object(name)(plain(a), False, lwork, mode if small else "full")
    q, r = core.qr(adjoint(xp.flip(a, axis=0)), mode="reduced" if small else "complete")
    q, r = xp.flip(adjoint(q), axis=0), xp.flip(adjoint(r))
    turn = value @ np.conj(plain(q)).T  # signs, and a rotation of the rows that a does not fix
    r = r @ np.conj(turn).T
    return r if mode == "r" else (r, turn @ q)
