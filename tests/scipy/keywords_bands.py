"""Calls of ``scipy.linalg`` on banded matrices, and for Schur, QZ, Hessenberg and RQ forms."""

import numpy as np
import scipy.linalg as sl

from .checking import refused

RNG = np.random.default_rng(11)
D = np.array([3.0, 1.0, -0.5, 2.2, 0.4])
E = np.array([0.5, -1.1, 0.7, 0.3])
BANDS = np.array(
    [[4.0, 5.0, 4.5, 3.9, 4.4], [0.7, -0.4, 0.6, 0.9, 0.0], [0.2, 0.1, -0.3, 0.0, 0.0]]
)
UPPER = np.array(
    [[0.0, 0.0, 0.2, 0.1, -0.3], [0.0, 0.7, -0.4, 0.6, 0.9], [4.0, 5.0, 4.5, 3.9, 4.4]]
)
B = RNG.normal(size=(5, 2))
# Real eigenvalues, and pairs of complex ones.
REAL = np.array([[3.0, 0.4, -0.2], [0.3, 1.0, 0.5], [0.1, -0.2, -2.0]])
PAIRS = np.array(
    [[1.0, 2.0, 0.3, 0.1], [-1.5, 0.8, 0.2, -0.4], [0.1, 0.3, -2.0, 1.1], [0.2, -0.1, -0.9, -2.5]]
)
OTHER = np.array(
    [[2.0, 0.1, 0.2, 0.0], [0.3, 1.5, -0.1, 0.2], [0.0, 0.2, 1.8, 0.3], [0.1, 0.0, 0.4, 2.2]]
)
WIDE = RNG.normal(size=(3, 5))


def hermitian(bands):
    """Bands of a complex Hermitian matrix."""
    return bands + 0.3j * np.array([[0.0], [1.0], [-0.5]]) * bands


def spread(v):
    return np.abs(v)


# name: (arguments, calls)
CALLS = {
    "eig_banded": (
        (BANDS, UPPER),
        [
            lambda b, u: sl.eig_banded(
                +b, lower=True, overwrite_a_band=True, max_ev=0, check_finite=False
            ),
            lambda b, u: sl.eig_banded(u),
            lambda b, u: sl.eig_banded(u, eigvals_only=True),
            lambda b, u: sl.eig_banded(b, True, select="i", select_range=(1, 3)),
            lambda b, u: sl.eig_banded(b, True, select="v", select_range=(3.5, 5.0)),
            lambda b, u: sl.eig_banded(b, True, select="v", select_range=(50.0, 60.0)) + (b,),
            lambda b, u: sl.eig_banded(b[:1], True),
            lambda b, u: sl.eig_banded(hermitian(b), True)[0],
            lambda b, u: spread(sl.eig_banded(hermitian(b), True)[1]),
            lambda b, u: sl.eigvals_banded(+u, overwrite_a_band=True, check_finite=False),
            lambda b, u: sl.eigvals_banded(b, lower=True, select="i", select_range=(0, 1)),
            lambda b, u: sl.eigvals_banded(b, True, select="v", select_range=(3.5, 5.0)),
            refused(lambda b, u: sl.eigvals_banded(np.ones((1, 2001)) * b[0, 0])),
        ],
    ),
    "tridiagonal": (
        (D, E),
        [
            lambda d, e: sl.eigh_tridiagonal(
                d, e, check_finite=False, tol=0.0, lapack_driver="stebz"
            ),
            *[
                lambda d, e, k=k: sl.eigh_tridiagonal(d, e, lapack_driver=k)
                for k in ("stebz", "stev")
            ],
            # The signs of stemr, which SciPy 1.14 takes, jump between neighbouring matrices.
            *[
                lambda d, e, k=k: spread(sl.eigh_tridiagonal(d, e, lapack_driver=k)[1])
                for k in ("auto", "stemr")
            ],
            lambda d, e: sl.eigh_tridiagonal(d, e, eigvals_only=True, lapack_driver="sterf"),
            lambda d, e: sl.eigh_tridiagonal(d, e, select="i", select_range=(0, 2)),
            lambda d, e: sl.eigh_tridiagonal(d, e, select="v", select_range=(0.0, 3.0))[0],
            lambda d, e: sl.eigh_tridiagonal(d, [0.5, 1.1, 0.7, 0.3])[0],
            lambda d, e: sl.eigvalsh_tridiagonal(d, e, check_finite=False, tol=0.0),
            lambda d, e: sl.eigvalsh_tridiagonal(d, e, "i", (1, 1), lapack_driver="stebz"),
            lambda d, e: sl.eigvalsh_tridiagonal(d, e, select="v", select_range=(0.0, 3.0)),
            lambda d, e: sl.eigh_tridiagonal(d[:1], e[:0]),
        ],
    ),
    "cholesky_banded": (
        (BANDS, UPPER, B),
        [
            lambda b, u, c: sl.cholesky_banded(
                +b, overwrite_ab=True, lower=True, check_finite=False
            ),
            lambda b, u, c: sl.cholesky_banded(u)[1:],
            lambda b, u, c: sl.cho_solve_banded(
                (sl.cholesky_banded(u), False), +c, overwrite_b=True, check_finite=False
            ),
            lambda b, u, c: sl.cho_solve_banded((sl.cholesky_banded(b, lower=True), True), c[:, 0]),
            lambda b, u, c: sl.cho_solve_banded((b, True), c),
            lambda b, u, c: sl.cho_solve_banded((u, False), c),
            lambda b, u, c: np.abs(
                sl.cho_solve_banded((sl.cholesky_banded(hermitian(b), lower=True), True), c)
            ),
        ],
    ),
    "matmul_toeplitz": (
        (D, B, E),
        [
            lambda c, b, r: sl.matmul_toeplitz(c, b, check_finite=True, workers=1),
            lambda c, b, r: sl.matmul_toeplitz((c, c**2), b[:, 0]),
            lambda c, b, r: sl.matmul_toeplitz((c, r), b[:4]),
            lambda c, b, r: sl.matmul_toeplitz((r, c), b),
            lambda c, b, r: spread(sl.matmul_toeplitz(c * (1 + 0.5j), b)),
            lambda c, b, r: sl.matmul_toeplitz(c, [1.0, 2.0, 3.0, 0.5, -1.0]),
        ],
    ),
    "schur": (
        (REAL, PAIRS),
        [
            lambda a, b: sl.schur(a, output="real", lwork=None, check_finite=False),
            lambda a, b: sl.schur(+b, overwrite_a=True),
            lambda a, b: sl.schur(b),
            *[
                lambda a, b, k=k: sl.schur(b, sort=k)[:2]
                for k in ("lhp", "rhp", "iuc", "ouc", lambda x, y: x > 0)
            ],
            lambda a, b: sl.schur(a, sort="lhp")[2] * a,
            refused(lambda a, b: np.abs(sl.schur(a, output="complex")[0])),
            refused(lambda a, b: np.abs(sl.schur(a + 1j * a.T)[0])),
            refused(lambda a, b: sl.schur(np.kron(np.eye(8), b))[0]),
        ],
    ),
    "hessenberg": (
        (PAIRS,),
        [
            lambda a: sl.hessenberg(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.hessenberg(a, calc_q=True),
            lambda a: sl.hessenberg(a[:2, :2]),
            lambda a: sl.hessenberg(a[:2, :2], calc_q=True)[0],
            refused(lambda a: np.abs(sl.hessenberg(a + 1j * a.T))),
        ],
    ),
    "qz": (
        (PAIRS, OTHER),
        [
            lambda a, b: sl.qz(a, b, output="real", lwork=None, check_finite=False),
            lambda a, b: sl.qz(+a, +b, overwrite_a=True, overwrite_b=True, sort=None),
            lambda a, b: sl.qz(a + a.T, b @ b.T),
            lambda a, b: sl.ordqz(
                a + a.T, b @ b.T, sort="lhp", output="real", overwrite_a=False,
                overwrite_b=False, check_finite=False,
            ),
            lambda a, b: sl.ordqz(a + a.T, b @ b.T, "ouc")[2:4],
            refused(lambda a, b: np.abs(sl.qz(a, b, output="complex")[0])),
            refused(lambda a, b: sl.ordqz(a, b)[0]),
        ],
    ),
    "rq": (
        (WIDE,),
        [
            lambda a: sl.rq(a[:, :3], lwork=None, check_finite=False),
            lambda a: sl.rq(+a[:, :3], overwrite_a=True, mode="full"),
            lambda a: sl.rq(a, mode="economic"),
            lambda a: sl.rq(a.T, mode="economic"),
            lambda a: sl.rq(a.T),
            lambda a: sl.rq(a, mode="r"),
            lambda a: sl.rq(a)[0],
        ],
    ),
}  # fmt: skip
