"""Linear algebra with SciPy's signatures."""

import numpy as np
import pytest
import scipy.linalg
from scipy.linalg import cho_factor, cho_solve, expm, solve, solve_triangular, toeplitz

import arraygrad as ag

from .checking import check

RNG = np.random.default_rng(19)
A = RNG.normal(size=(4, 4))
S = A @ A.T + 4 * np.eye(4)
B = RNG.normal(size=(4, 2))
b = RNG.normal(size=4)


def symmetric(x):
    return (x + x.T) / 2 + 3 * np.eye(4)


def positive(x):
    return x @ x.T + 2 * np.eye(4)


def test_systems():
    def f(a, b):
        t = a + 3 * np.eye(4)
        return (
            solve(t, b), solve(positive(a), b, assume_a="pos"), scipy.linalg.inv(t),
            scipy.linalg.det(a), solve_triangular(t, b, lower=True), solve(t, b[:, 0]),
            solve_triangular(t, b, trans="T"), solve_triangular(t, b[:, 0], unit_diagonal=True),
            cho_solve(cho_factor(positive(a)), b), scipy.linalg.pinv(b),
            solve(t, b, transposed=True),
            scipy.linalg.lu_solve(scipy.linalg.lu_factor(t), b),
            scipy.linalg.lu_solve(scipy.linalg.lu_factor(t), b, trans=1),
            scipy.linalg.lstsq(b, a)[0],
        )  # fmt: skip

    check(f, A, B)


def test_bands():
    bands = RNG.normal(size=(4, 6))
    bands[1] += 5
    hermitian = RNG.normal(size=(3, 6))
    hermitian[0] += 8

    def f(ab, h, c, y):
        return (
            scipy.linalg.solve_banded((2, 1), ab, y), scipy.linalg.solveh_banded(h, y, lower=True),
            scipy.linalg.solve_toeplitz(c, y), scipy.linalg.solve_circulant(c, y),
        )  # fmt: skip

    check(f, bands, hermitian, [5.0, 1, 2, 0.5, 0.1, 0.2], RNG.normal(size=6))


def test_factorisations():
    def f(a, b):
        q, r = scipy.linalg.qr(b, mode="economic")
        _, lower, upper = scipy.linalg.lu(a)
        return (
            scipy.linalg.cholesky(positive(a)), scipy.linalg.cholesky(positive(a), lower=True),
            q, r, *scipy.linalg.qr(a), scipy.linalg.qr(a, pivoting=True)[1], *scipy.linalg.svd(a),
            scipy.linalg.svdvals(b), lower, upper, *scipy.linalg.polar(a), scipy.linalg.orth(a),
        )  # fmt: skip

    check(f, A, B, rtol=1e-5)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_hermitian_eigenvalues(kind):
    def f(a, b):
        w, v = scipy.linalg.eigh(symmetric(a), positive(b), type=kind)
        w2, v2 = scipy.linalg.eigh(symmetric(a))
        some = scipy.linalg.eigvalsh(symmetric(a), subset_by_index=[1, 2])
        # SciPy's signs jump between neighbouring matrices.
        return w, np.abs(v), w2, np.abs(v2), some

    check(f, A, RNG.normal(size=(4, 4)), rtol=1e-5)


def test_general_eigenvalues():
    def f(a):
        w = scipy.linalg.eigvals(positive(a) + a)
        w2, v = scipy.linalg.eig(positive(a) + a)
        return np.sort(w.real), np.sort(np.abs(w2)), np.abs(v)

    check(f, A, rtol=1e-4)


def test_functions_of_matrices():
    def f(a):
        s = positive(a)
        return (
            expm(a), scipy.linalg.logm(s), scipy.linalg.sqrtm(s), scipy.linalg.cosm(a),
            scipy.linalg.sinm(a), scipy.linalg.tanm(a / 5), scipy.linalg.coshm(a),
            scipy.linalg.tanhm(a), scipy.linalg.norm(a), scipy.linalg.norm(a, 1),
            scipy.linalg.fractional_matrix_power(s, 0.3), scipy.linalg.norm(a, axis=1),
        )  # fmt: skip

    check(f, A, rtol=1e-5)


def test_made_of_vectors():
    def f(c, r, a):
        return (
            toeplitz(c, r), toeplitz(c), scipy.linalg.circulant(c), scipy.linalg.hankel(c, r),
            scipy.linalg.companion(c), scipy.linalg.block_diag(a, c, r),
            scipy.linalg.khatri_rao(a, a[:2]),
        )  # fmt: skip

    check(f, b, [0.3, 1.2, -0.4], A)


def test_matrix_equations():
    def f(a, b, q):
        s = positive(q)
        r = np.array([[2.0, 0.3], [0.3, 1.0]])
        return (
            scipy.linalg.solve_sylvester(positive(a), a + 5 * np.eye(4), q),
            scipy.linalg.solve_continuous_lyapunov(positive(a), q),
            scipy.linalg.solve_discrete_lyapunov(0.2 * a, q),
            scipy.linalg.solve_continuous_are(a, b, s, r),
            scipy.linalg.solve_discrete_are(a, b, s, r),
        )  # fmt: skip

    # SciPy's Riccati solvers want matrices that are symmetric to the last bit.
    check(lambda a, b, q: f(a, b, q), A, B, RNG.normal(size=(4, 4)), rtol=1e-5)


def test_what_has_no_rule_is_refused_by_name():
    with pytest.raises(ag.errors.DetachError, match=r"scipy\.linalg\.ldl"):
        ag.grad(lambda a: scipy.linalg.ldl(a)[0].sum())(A)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, complex])
def test_cho_factor_leaves_the_other_triangle_as_scipy_does(lower, dtype):
    import arraygrad.scipy.linalg as ours

    a = S.astype(dtype)
    if dtype is complex:
        a += 0.5j * (np.triu(A, 1) - np.triu(A, 1).T)
    wanted = scipy.linalg.cho_factor(a, lower)[0]
    factor = ours.cho_factor(ag.tensor(a, requires_grad=True), lower)[0].detach().numpy()
    assert factor.dtype == wanted.dtype
    np.testing.assert_allclose(factor, wanted, rtol=1e-5)


def test_untracked_calls_are_scipys():
    import arraygrad.scipy.linalg as ours

    factor, lower = ours.cho_factor(S)
    np.testing.assert_array_equal(np.asarray(factor), scipy.linalg.cho_factor(S)[0])
    assert not lower
    assert isinstance(ours.inv(S), ag.Tensor)
