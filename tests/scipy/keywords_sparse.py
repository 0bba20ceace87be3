"""Calls of ``scipy.sparse`` and its ``linalg`` by entries that carry gradients."""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from .checking import SCIPY, refused

RNG = np.random.default_rng(31)
M = RNG.normal(size=(5, 5)) + 4 * np.eye(5)
B = RNG.normal(size=5)
DATA = np.array([2.0, -1.0, 3.0, 4.0, 0.5, 2.5, 1.5])
ROWS, COLS = np.array([0, 0, 1, 2, 2, 3, 1]), np.array([3, 2, 1, 2, 2, 3, 0])
PLAIN = sp.csr_array(np.where(RNG.uniform(size=(5, 5)) < 0.6, M, 0.0) + 4 * np.eye(5))
RTOL = 3e-6


def spd(a):
    return a @ a.T + np.eye(5)


def assembled(kind, x):
    A = kind((4, 4))
    for i in range(4):
        A[i, i] = x[i] ** 2 + 2.0
        A[i, (i + 1) % 4] = x[i]
        A[i, i] = A[i, i] + x[0]
    A[2, :2] = x[:2]
    A[[0, 3], [2, 0]] = x[2]
    return A.tocsr()


def with_diagonal(A, values, k=0):
    A.setdiag(values, k=k)
    return A.toarray()


CALLS = {
    "entries": (
        (DATA, B),
        [
            lambda d, x: sp.csr_array((d, (ROWS, COLS)), shape=(4, 4)).data,
            lambda d, x: sp.csc_array((d, (ROWS, COLS)), shape=(4, 4)).data,
            lambda d, x: sp.coo_array((d, (ROWS, COLS)), shape=(4, 4)).data,
            lambda d, x: sp.csr_array((d, COLS, [0, 2, 3, 5, 7])).data,
            lambda d, x: sp.csr_array((d, (ROWS, COLS))).tocsc().indices * x[0],
            lambda d, x: sp.csr_array((d, (ROWS, COLS))).indptr * x[0],
            lambda d, x: sp.coo_matrix((d, (ROWS, COLS))).row * d + sp.coo_array(PLAIN).nnz,
            lambda d, x: sp.csr_array((d, (ROWS, COLS)))[1, 0],
            lambda d, x: sp.csr_array((d, (ROWS, COLS)))[0, 0] + 0 * x[0],
            lambda d, x: sp.csr_array((d, (ROWS, COLS)))[1:3].toarray(),
            lambda d, x: sp.csc_matrix((d, (ROWS, COLS)))[[0, 2], 1:].toarray(),
            lambda d, x: np.asarray(sp.csr_matrix((d, (ROWS, COLS))).getrow(1).toarray()),
            lambda d, x: sp.dia_array((np.stack((x, x**2)), [0, 2]), shape=(5, 5)).toarray(),
            lambda d, x: assembled(sp.lil_array, x) @ x[:4],
            lambda d, x: assembled(sp.dok_matrix, x).toarray().sum(),
            lambda d, x: with_diagonal(sp.lil_array(PLAIN), x),
            lambda d, x: with_diagonal(sp.csr_array((d, (ROWS, COLS)), shape=(4, 4)), x[:3], 1),
            *(
                [lambda d, x: sp.find(sp.csr_array((d, (ROWS, COLS))))[2]]
                if SCIPY >= (1, 15)
                else []
            ),
            refused(lambda d, x: sp.dok_array(sp.csr_array((d, (ROWS, COLS)))).data),
            refused(lambda d, x: sp.csr_array((d, (ROWS, COLS))).max(axis=0).toarray()),
        ],
    ),
    "functions of matrices": (
        (M,),
        [
            *[
                lambda a, name=name: getattr(sp.csr_array(0.1 * a), name)().toarray()
                for name in ("sin", "tanh", "expm1", "arctan", "log1p", "sqrt")
                if name != "sqrt"
            ],
            lambda a: sp.csr_array(a**2).sqrt().sum(),
            lambda a: sp.csr_array(a).power(3).toarray(),
            lambda a: (sp.csr_array(a) ** 2).toarray(),
            lambda a: np.asarray((sp.csr_matrix(a) ** 2).todense()),
            lambda a: abs(sp.csr_array(a)).toarray(),
            lambda a: sp.csr_array(a).trace(offset=1) + sp.csr_array(a).max(),
            lambda a: sp.csr_array(a).min(),
            lambda a: (sp.csr_array(a) @ PLAIN).toarray(),
            lambda a: (PLAIN.T @ sp.csc_array(a)).toarray(),
            lambda a: (sp.csr_matrix(a) * sp.csr_matrix(a)).toarray().sum(),
            lambda a: sp.kron(A=sp.csr_array(a), B=np.eye(2), format="csr").toarray(),
            lambda a: sp.kron(sp.eye(2), sp.coo_matrix(a)).toarray().sum(),
            lambda a: sp.block_diag([a, PLAIN, sp.csr_array(a)]).toarray(),
            lambda a: sp.hstack([sp.csr_array(a), PLAIN], format="csc").toarray(),
            lambda a: sp.vstack((sp.csr_array(a), PLAIN)).toarray(),
            lambda a: sp.bmat([[sp.csr_array(a), None], [None, PLAIN]]).toarray(),
            lambda a: sp.block_array([[sp.csr_array(a)], [PLAIN]]).toarray(),
            lambda a: (sp.tril(sp.csr_array(a), k=-1) + sp.triu(sp.csr_array(a), 1)).toarray(),
            lambda a: sp.csr_array(a).reshape((25, 1)).toarray(),
            refused(lambda a: sp.kronsum(sp.csr_array(a), PLAIN).toarray()),
            refused(lambda a: sp.csr_array(a).maximum(PLAIN).toarray()),
        ],
    ),
    "solvers": (
        (M, B),
        [
            *[
                lambda a, b, f=f: f(sp.csr_array(spd(a)), b, rtol=1e-13)[0]
                for f in (sl.cgs, sl.qmr, sl.lgmres, sl.gcrotmk, sl.tfqmr)
            ],
            lambda a, b: sl.lsqr(sp.csr_array(a[:, :3]), b, atol=1e-14, btol=1e-14)[0],
            lambda a, b: sl.lsqr(sp.csr_array(a[:, :3]), b, 0.3, atol=1e-14, btol=1e-14)[:5:4],
            lambda a, b: sl.lsmr(sp.csr_array(a[:, :3]), b, atol=1e-14, btol=1e-14)[:4:3],
            lambda a, b: sl.lsmr(PLAIN, b, damp=b[0] ** 2, atol=1e-14, btol=1e-14)[0],
            lambda a, b: sl.spsolve_triangular(sp.csr_array(np.tril(a)), b),
            lambda a, b: (
                sl.spsolve_triangular(
                    sp.csr_array(np.triu(a)),
                    np.stack((b, b**2), axis=1),
                    lower=False,
                    overwrite_A=False,
                    overwrite_b=False,
                    unit_diagonal=True,
                )
                if SCIPY >= (1, 15)
                else b
            ),
            refused(lambda a, b: sl.cg(sl.aslinearoperator(PLAIN), b)[0]),
        ],
    ),
    "spectra": (
        (M, B),
        [
            lambda a, b: sl.eigsh(sp.csr_array(spd(a)), k=2)[0],
            lambda a, b: np.abs(sl.eigsh(spd(a), 2, which="SA")[1]),
            lambda a, b: sl.eigsh(sp.csr_array(spd(a)), 2, sp.eye(5), return_eigenvectors=False),
            lambda a, b: sl.eigsh(spd(a), k=3, sigma=1.5, return_eigenvectors=False),
            lambda a, b: np.abs(sl.eigs(sp.csr_array(a), k=2)[0]),
            lambda a, b: sl.svds(sp.csr_array(a), k=2)[1],
            lambda a, b: [np.abs(part) for part in sl.svds(a[:4], k=2)],
            lambda a, b: sl.svds(a, k=2, return_singular_vectors=False),
            lambda a, b: sl.lobpcg(spd(a), np.eye(5)[:, :1], tol=1e-12, maxiter=90)[0],
            lambda a, b: sl.expm(sp.csc_array(0.1 * a)).toarray(),
            lambda a, b: sl.inv(sp.csc_array(a)).toarray(),
            lambda a, b: sl.matrix_power(sp.csr_array(a), 3).toarray(),
            lambda a, b: (sl.norm(sp.csr_array(a)), sl.norm(sp.csr_array(a), "fro")),
            lambda a, b: (sl.norm(sp.csr_array(a), 1), sl.norm(sp.csr_array(a), np.inf)),
            lambda a, b: sl.norm(sp.csr_array(a), axis=0),
            lambda a, b: sl.expm_multiply(A=sp.csr_array(0.1 * a), B=b),
            refused(lambda a, b: sl.eigsh(spd(a), 2, np.eye(5))[1]),
            refused(lambda a, b: sl.lobpcg(spd(a), np.eye(5)[:, :1], np.eye(5))[0]),
            refused(lambda a, b: sl.expm_multiply(PLAIN, b, 0.0, 1.0, 3)),
            refused(lambda a, b: sl.onenormest(sp.csr_array(a))),
        ],
    ),
}
