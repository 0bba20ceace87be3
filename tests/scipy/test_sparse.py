"""Sparse matrices: products, sums and solutions, by entries and by vectors."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from scipy import sparse
from scipy.sparse import csgraph, csr_matrix

import arraygrad as ag
import arraygrad.scipy.sparse as ours

from .checking import check

ROWS, COLS = np.array([0, 0, 1, 2, 2, 3, 1]), np.array([0, 2, 1, 2, 0, 3, 3])
DATA = np.array([2.0, -1.0, 3.0, 4.0, 0.5, 2.5, 1.5])
X = np.array([0.3, -1.2, 0.7, 2.0])
WIDE = np.array([[1.0, 0.5], [0.2, -1.0], [2.0, 0.1], [0.4, 0.3]])
OUTSIDE = sp.csr_array((DATA, (ROWS, COLS)), shape=(4, 4))
OLD = sp.csc_matrix((DATA, (ROWS, COLS)), shape=(4, 4))


@pytest.mark.parametrize("name", ["csr", "csc", "coo"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_products(name, family):
    def f(data, x, wide):
        A = getattr(sp, f"{name}_{family}")((data, (ROWS, COLS)), shape=(4, 4))
        return (
            A @ x, A.dot(x), x @ A, A.T @ x, A @ wide, wide.T @ A, (2.0 * A) @ x, (A * 2.0) @ x,
            (A / 2.0) @ x, (-A) @ x, (A + A.T) @ x, (A - OLD) @ x, A.toarray(), A.diagonal(),
            A.sum(), A.sum(axis=0), A.sum(axis=1), A.mean(axis=0), A.tocsc() @ x, A.copy() @ x,
            A.multiply(np.outer(x, x)).toarray(), A.transpose().tocoo().T @ x,
        )  # fmt: skip

    def converted(*args):
        return [np.asarray(a) for a in f(*args)]

    check(f if family == "array" else converted, DATA, X, WIDE, order=2 if name == "csr" else 1)


def test_star_is_the_matrix_product_of_matrices_and_elementwise_for_arrays():
    def f(data, x):
        old = csr_matrix((data, (ROWS, COLS)), shape=(4, 4))
        new = sp.csr_array((data, (ROWS, COLS)), shape=(4, 4))
        return old * x, (new * x).toarray(), (x * new).toarray()

    check(f, DATA, X)


def test_compressed_constructors_and_dense_ones():
    indices, starts = np.array([0, 2, 1, 3, 0, 2, 3]), np.array([0, 2, 4, 6, 7])

    def f(data, dense):
        return (
            sp.csr_array((data, indices, starts)) @ X, sp.csc_array((data, indices, starts)) @ X,
            sp.csr_array(dense) @ X, sp.csr_array(sp.coo_array(dense)).T @ X,
            sp.coo_array((data, (ROWS % 2, COLS % 2))).toarray(),  # entries of one place add up
            sp.csr_matrix((data, (ROWS * 1.0, COLS * 1.0 + 0.0 * data)), shape=(4, 4)) @ X,
        )  # fmt: skip

    check(f, DATA, np.arange(16.0).reshape(4, 4) - 3.3)


def test_diagonals():
    def g(main, side, far):
        return (
            sp.diags([side, main, side], [-1, 0, 1]) @ X, sp.diags(main) @ X,
            sp.diags_array([main, far], offsets=[0, 2], shape=(4, 4)).toarray(),
            sp.diags([main[0], -2.0], [0, 1], shape=(4, 4)).toarray(),
        )  # fmt: skip

    check(g, np.array([4.0, 5.0, 6.0, 7.0]), np.array([1.0, -1.0, 0.5]), np.array([0.3, 0.2]))


def test_solutions():
    def f(data, b, wide):
        A = sp.csc_array((data, (ROWS, COLS)), shape=(4, 4)) + sp.eye_array(4)
        lu = sl.splu(A.tocsc())
        return (
            sl.spsolve(A, b), sl.spsolve(A, wide), lu.solve(b), lu.solve(b, trans="T"),
            sl.factorized(A.tocsc())(b),
        )  # fmt: skip

    check(f, DATA, X, WIDE)


def test_iterative_solvers():
    def f(data, b):
        A = (sp.diags(data) + sp.diags([5.0, 1.0, 1.0], [0, 1, -1], shape=(4, 4))).tocsr()
        return [solver(A, b, rtol=1e-13)[0] for solver in (sl.cg, sl.gmres, sl.bicgstab, sl.minres)]

    check(f, np.array([1.0, 0.7, 1.3, 0.9]), X, value_rtol=1e-7, rtol=1e-5)


def test_matrices_made_outside_of_the_function():
    check(lambda x: (OUTSIDE @ x, OLD * x, OUTSIDE.T @ x, x @ OUTSIDE, sl.spsolve(OLD, x)), X)


def test_assembly_by_elements_and_blocks():
    def f(x):
        A = sparse.lil_matrix((4, 4))
        for i in range(4):
            A[i, i] = 2.0
            A[i, (i + 1) % 4] = -1.0
        A = A.tocsr()
        both = sparse.vstack([A, sparse.kron(sparse.eye(2), A[:2, 2:])])
        assert sparse.issparse(both)
        assert isinstance(A, csr_matrix)
        return A @ x, both @ x, A.shape[0] * x, A.nnz * x

    check(f, X)


def test_wrapped_by_hand():
    x = ag.tensor(X, requires_grad=True)
    A = ours.csr_array(OUTSIDE)
    (A @ x).sum().backward()
    np.testing.assert_allclose(x.grad, OUTSIDE.T @ np.ones(4))
    with pytest.raises(ag.errors.DetachError, match=r"A = arraygrad\.scipy\.sparse\.csr_array"):
        OUTSIDE @ x


def test_what_has_no_rule_is_refused_by_name():
    with pytest.raises(ag.errors.DetachError, match=r"scipy\.sparse.*onenormest"):
        ag.grad(lambda x: sl.onenormest(sp.diags(x)))(X)


def test_large_spectra_are_refused_by_name():
    with pytest.raises(ag.errors.DetachError, match=r"eigsh.* of more than 2048 rows"):
        ag.grad(lambda x: sl.eigsh(x * sp.eye_array(2049), k=1)[0][0])(1.5)


def test_graphs_of_plain_matrices():
    """Compiled functions of csgraph did not know the matrices of lifted code."""

    def f(x):
        graph = sp.csr_array(np.array([[0, 3, 1], [0, 0, 2], [0, 0, 0]]))
        return x * csgraph.maximum_flow(graph, 0, 2).flow_value

    assert ag.grad(f)(0.5) == 3
