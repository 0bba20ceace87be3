"""Calls of ``scipy.linalg`` and ``scipy.fft`` with each keyword and each documented value."""

import numpy as np
import scipy.fft as sf
import scipy.linalg as sl

from .checking import refused

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
B = RNG.normal(size=(3, 2))
V = RNG.normal(size=3)
S = A @ A.T + np.eye(3)  # symmetric positive definite
WIDE = RNG.normal(size=(2, 4))
TALL = RNG.normal(size=(5, 3))
STACK = RNG.normal(size=(2, 3, 3)) + 4 * np.eye(3)
BANDS = np.array([[0.0, 0.3, -0.2, 0.1], [4.0, 5.0, 4.5, 3.9], [0.2, 0.4, -0.3, 0.0]])
LINE = RNG.normal(size=6)
GRID = RNG.normal(size=(4, 6))


def sym(a):
    return (a + a.T) / 2


def signless(v):
    """Eigenvectors without their arbitrary phases."""
    return np.abs(v)


# name: (arguments, calls)
CALLS = {
    "solve": (
        (A, B),
        [
            lambda a, b: sl.solve(+a, +b, overwrite_a=True, overwrite_b=True, check_finite=False),
            lambda a, b: sl.solve(a, b, transposed=True),
            lambda a, b: sl.solve(sym(a), b, assume_a="sym"),
            lambda a, b: sl.solve(sym(a), b, lower=True, assume_a="symmetric"),
            lambda a, b: sl.solve(sym(a), b, assume_a="her"),
            lambda a, b: sl.solve(sym(a), b, assume_a="hermitian"),
            lambda a, b: sl.solve(a @ a.T, b, assume_a="pos"),
            lambda a, b: sl.solve(a @ a.T, b, lower=True, assume_a="positive definite"),
            lambda a, b: sl.solve(a, b, assume_a="gen"),
            lambda a, b: sl.solve(a, b, assume_a="general"),
            lambda a, b: sl.solve(np.diag(np.diag(a)), b, assume_a="diagonal"),
            lambda a, b: sl.solve(np.triu(np.tril(a, 1), -1), b, assume_a="tridiagonal"),
            lambda a, b: sl.solve(np.triu(np.tril(a, 1), -1), b, assume_a="banded"),
            lambda a, b: sl.solve(np.triu(a), b, assume_a="upper triangular"),
            lambda a, b: sl.solve(np.tril(a), b, assume_a="lower triangular"),
            lambda a, b: sl.solve(a, b[:, 0]),
        ],
    ),
    "solve, stacked": (
        (STACK, B),
        [
            lambda a, b: sl.solve(a, b),
            lambda a, b: sl.solve(a, b[:, 0]),
        ],
    ),
    "inv": (
        (A,),
        [
            lambda a: sl.inv(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.inv(a, assume_a="general"),
            lambda a: sl.inv(a, assume_a="sym", lower=True),
            lambda a: sl.inv(a @ a.T, assume_a="pos", lower=True),
            lambda a: sl.inv(a @ a.T, assume_a="pos", lower=False),
            lambda a: sl.inv(np.triu(a), assume_a="upper triangular"),
            lambda a: sl.inv(a, assume_a="upper triangular"),
            lambda a: sl.inv(a, assume_a="lower triangular"),
            lambda a: sl.inv(np.diag(np.diag(a)), assume_a="diagonal"),
            lambda a: sl.inv(a, assume_a="her", lower=True),
            lambda a: sl.inv(a, assume_a="sym", lower=False),
        ],
    ),
    "inv, stacked": ((STACK,), [lambda a: sl.inv(a), lambda a: sl.det(a)]),
    "det": ((A,), [lambda a: sl.det(+a, overwrite_a=True, check_finite=False)]),
    "solve_triangular": (
        (A, B),
        [
            lambda a, b: sl.solve_triangular(a, +b, overwrite_b=True, check_finite=False),
            lambda a, b: sl.solve_triangular(a, b, lower=True),
            lambda a, b: sl.solve_triangular(a, b, unit_diagonal=True),
            lambda a, b: sl.solve_triangular(a, b, lower=True, unit_diagonal=True),
            *[
                lambda a, b, t=t: sl.solve_triangular(a, b, trans=t)
                for t in (0, 1, 2, "N", "T", "C")
            ],
            lambda a, b: sl.solve_triangular(a, b[:, 0], trans=1, lower=True),
        ],
    ),
    "solve_triangular, stacked": ((STACK, B), [lambda a, b: sl.solve_triangular(a, b)]),
    "solve_banded": (
        (BANDS, V[:1] * np.ones((4, 1))),
        [
            lambda ab, b: sl.solve_banded(
                (1, 1), +ab, +b, overwrite_ab=True, overwrite_b=True, check_finite=False
            ),
            lambda ab, b: sl.solve_banded((1, 1), ab, b[:, 0]),
            lambda ab, b: sl.solve_banded((0, 1), ab[:2], b),
            lambda ab, b: sl.solve_banded((1, 0), ab[1:], b),
        ],
    ),
    "solveh_banded": (
        (BANDS, np.ones((4, 2))),
        [
            lambda ab, b: sl.solveh_banded(
                +ab[:2], +b, overwrite_ab=True, overwrite_b=True, check_finite=False
            ),
            lambda ab, b: sl.solveh_banded(ab[1:], b, lower=True),
            lambda ab, b: sl.solveh_banded(ab[1:], b[:, 0], lower=True),
        ],
    ),
    "solve_toeplitz": (
        (V + np.array([4.0, 0, 0]), B),
        [
            lambda c, b: sl.solve_toeplitz(c, b, check_finite=False),
            lambda c, b: sl.solve_toeplitz((c, c**2), b),
            lambda c, b: sl.solve_toeplitz((c, c), b),
            lambda c, b: sl.solve_toeplitz(c, b[:, 0]),
        ],
    ),
    "solve_circulant": (
        (V + np.array([4.0, 0, 0]), B),
        [
            lambda c, b: sl.solve_circulant(c, b, singular="raise", tol=1e-9),
            lambda c, b: sl.solve_circulant(c, b.T, baxis=1),
            lambda c, b: sl.solve_circulant(c, b, outaxis=1),
            lambda c, b: sl.solve_circulant(np.stack((c, 2 * c)), b[:, 0], caxis=1),
            lambda c, b: sl.solve_circulant(np.stack((c, 2 * c), axis=1), b[:, 0], caxis=0),
        ],
    ),
    "lstsq": (
        (TALL, RNG.normal(size=(5, 2))),
        [
            lambda a, b: sl.lstsq(+a, +b, overwrite_a=True, overwrite_b=True, check_finite=False)[
                :2
            ],
            lambda a, b: sl.lstsq(a, b, cond=1e-9)[0],
            lambda a, b: sl.lstsq(a, b[:, 0])[1],
            *[lambda a, b, d=d: sl.lstsq(a, b, lapack_driver=d)[0] for d in ("gelsd", "gelss")],
            lambda a, b: sl.lstsq(a, b, lapack_driver="gelsy")[:3],
        ],
    ),
    "pinv": (
        (TALL,),
        [
            lambda a: sl.pinv(a, check_finite=False),
            lambda a: sl.pinv(a, atol=1e-3),
            lambda a: sl.pinv(a, rtol=1e-3),
            lambda a: sl.pinv(a, atol=1e-3, rtol=0.1),
            lambda a: sl.pinv(a, return_rank=True)[0],
        ],
    ),
    "pinvh": (
        (A,),
        [
            lambda a: sl.pinvh(sym(a), atol=1e-6, check_finite=False),
            lambda a: sl.pinvh(sym(a), rtol=1e-6),
            lambda a: sl.pinvh(a, lower=True),
            lambda a: sl.pinvh(a, lower=False),
            lambda a: sl.pinvh(sym(a), return_rank=True)[0],
        ],
    ),
    "cholesky": (
        (A,),
        [
            lambda a: sl.cholesky(a @ a.T, overwrite_a=True, check_finite=False),
            lambda a: sl.cholesky(a @ a.T, lower=True),
            lambda a: np.triu(sl.cho_factor(a @ a.T, overwrite_a=True, check_finite=False)[0]),
            lambda a: np.tril(sl.cho_factor(a @ a.T, lower=True)[0]),
            lambda a: sl.cho_solve(
                sl.cho_factor(a @ a.T), +a, overwrite_b=True, check_finite=False
            ),
            lambda a: sl.cho_solve(sl.cho_factor(a @ a.T, lower=True), a[0]),
            lambda a: sl.cho_solve((sl.cholesky(a @ a.T, lower=True), True), a),
        ],
    ),
    "cholesky, stacked": (
        (STACK,),
        [
            lambda a: sl.cholesky(a @ np.swapaxes(a, 1, 2), lower=True),
        ],
    ),
    "qr": (
        (A,),
        [
            lambda a: sl.qr(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.qr(a, mode="full"),
            lambda a: sl.qr(a[:, :2], mode="economic"),
            lambda a: sl.qr(a, mode="r"),
            lambda a: sl.qr(a, pivoting=True)[:2],
            lambda a: sl.qr(a, mode="r", pivoting=True)[0],
            refused(lambda a: sl.qr_multiply(a, a[0])),
        ],
    ),
    "svd": (
        (A,),
        [
            lambda a: sl.svd(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.svd(a[:, :2], full_matrices=False),
            lambda a: sl.svd(a, compute_uv=False),
            *[lambda a, d=d: sl.svd(a, lapack_driver=d) for d in ("gesdd", "gesvd")],
            lambda a: sl.svdvals(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.svd(a[:, :2])[0],
            lambda a: sl.diagsvd(sl.svdvals(a), 3, 4),
        ],
    ),
    "orth and null_space": (
        (WIDE,),
        [
            lambda a: sl.orth(a, rcond=1e-9),
            lambda a: sl.orth(a.T),
            lambda a: signless(sl.null_space(a[:, :3], rcond=1e-9)),
            lambda a: signless(sl.null_space(a[:, :3], overwrite_a=True, check_finite=False)),
            lambda a: signless(sl.null_space(a[:, :3], lapack_driver="gesvd")),
        ],
    ),
    "polar": (
        (A,),
        [
            lambda a: sl.polar(a, side="right"),
            lambda a: sl.polar(a, side="left"),
            lambda a: sl.polar(a[:2], "left"),
            lambda a: sl.polar(a[:2], "right"),
            lambda a: sl.polar(a[:, :2], side="left"),
        ],
    ),
    "lu": (
        (A,),
        [
            lambda a: sl.lu(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.lu(a, permute_l=True),
            lambda a: sl.lu(a, p_indices=True)[1:],
            lambda a: sl.lu(a[:, :2]),
            lambda a: sl.lu(a[:2]),
            lambda a: sl.lu(a[:, :2], permute_l=True),
            lambda a: sl.lu(a[:2], p_indices=True)[1:],
            lambda a: sl.lu(np.stack((a, a.T))),
            lambda a: sl.lu(np.stack((a, a.T))[:, :, :2], permute_l=True),
            lambda a: sl.lu_factor(a[:, :2])[0],
            lambda a: sl.lu_factor(a[:2])[0],
            lambda a: sl.lu_factor(+a, overwrite_a=True, check_finite=False)[0],
            lambda a: sl.lu_solve(sl.lu_factor(a), +a, overwrite_b=True, check_finite=False),
            *[lambda a, t=t: sl.lu_solve(sl.lu_factor(a), a[0], trans=t) for t in (0, 1, 2)],
            refused(lambda a: sl.ldl(sym(a))[1]),
        ],
    ),
    "eigh": (
        (A,),
        [
            lambda a: sl.eigh(sym(a), overwrite_a=True, check_finite=False),
            lambda a: sl.eigh(sym(a), lower=False)[0],
            lambda a: sl.eigh(sym(a), lower=True),
            lambda a: sl.eigh(sym(a), eigvals_only=True),
            lambda a: sl.eigh(sym(a), a @ a.T, overwrite_b=True),
            *[lambda a, t=t: sl.eigh(sym(a), a @ a.T, type=t) for t in (1, 2, 3)],
            lambda a: sl.eigh(sym(a), subset_by_index=[0, 1]),
            lambda a: sl.eigh(sym(a), subset_by_value=[-np.inf, 4.0]),
            *[lambda a, d=d: sl.eigh(sym(a), driver=d) for d in ("ev", "evd", "evr", "evx")],
            *[lambda a, d=d: sl.eigh(sym(a), a @ a.T, driver=d) for d in ("gv", "gvd", "gvx")],
        ],
    ),
    "eigvalsh": (
        (A,),
        [
            lambda a: sl.eigvalsh(sym(a), overwrite_a=True, check_finite=False),
            lambda a: sl.eigvalsh(sym(a), a @ a.T, overwrite_b=True),
            lambda a: sl.eigvalsh(sym(a), lower=False),
            *[lambda a, t=t: sl.eigvalsh(sym(a), a @ a.T, type=t) for t in (1, 2, 3)],
            lambda a: sl.eigvalsh(sym(a), subset_by_index=[1, 2]),
            lambda a: sl.eigvalsh(sym(a), subset_by_value=[-np.inf, 4.0]),
            lambda a: sl.eigvalsh(sym(a), driver="ev"),
        ],
    ),
    "eig": (
        (A,),
        [
            lambda a: sl.eig(+a, overwrite_a=True, check_finite=False)[0],
            lambda a: sl.eig(a, right=False),
            lambda a: signless(sl.eig(a)[1]),
            lambda a: sl.eig(a, a @ a.T, overwrite_b=True, right=False),
            lambda a: signless(sl.eig(a, left=True, right=False)[1]),
            lambda a: [signless(v) for v in sl.eig(a, left=True)[1:]],
            lambda a: signless(sl.eig(a, a @ a.T)[1]),
            lambda a: sl.eigvals(+a, overwrite_a=True, check_finite=False),
            lambda a: sl.eigvals(a, a @ a.T),
            lambda a: sl.eigvals(a, homogeneous_eigvals=False),
            lambda a: sl.eigvals(a, None, True, False),
            refused(lambda a: sl.eigvals(a, homogeneous_eigvals=True)),
        ],
    ),
    "functions of matrices": (
        (0.3 * A,),
        [
            lambda a: sl.expm(a),
            lambda a: sl.expm(np.stack((a, 2 * a))),
            lambda a: sl.logm(a),
            lambda a: sl.sqrtm(a),
            lambda a: sl.cosm(a),
            lambda a: sl.sinm(a),
            lambda a: sl.tanm(a),
            lambda a: sl.coshm(a),
            lambda a: sl.sinhm(a),
            lambda a: sl.tanhm(a),
            refused(lambda a: sl.signm(a)),
            lambda a: sl.fractional_matrix_power(a, 0.4),
            lambda a: sl.fractional_matrix_power(a, 2),
            refused(lambda a: sl.funm(a, np.exp)),
            lambda a: sl.expm_frechet(a, a.T),
            lambda a: sl.expm_frechet(a, a.T, compute_expm=False),
            lambda a: sl.expm_cond(a),
        ],
    ),
    "equations": (
        (A, S),
        [
            lambda a, q: sl.solve_sylvester(a, q, a),
            lambda a, q: sl.solve_continuous_lyapunov(a, q),
            lambda a, q: sl.solve_discrete_lyapunov(0.1 * a, q),
            lambda a, q: sl.solve_discrete_lyapunov(0.1 * a, q, method="direct"),
            lambda a, q: sl.solve_discrete_lyapunov(0.1 * a, q, method="bilinear"),
            lambda a, q: sl.solve_continuous_are(a, q, sym(q), sym(q), balanced=False),
            lambda a, q: sl.solve_continuous_are(a, q, sym(q), sym(q), e=np.eye(3) * 2),
            lambda a, q: sl.solve_continuous_are(a, q, sym(q), sym(q), s=0.1 * np.eye(3)),
            lambda a, q: sl.solve_discrete_are(a, q, sym(q), sym(q), balanced=False),
            lambda a, q: sl.solve_discrete_are(a, q, sym(q), sym(q), s=0.1 * a),
            lambda a, q: sl.solve_discrete_are(a, q, sym(q), sym(q), e=np.eye(3) * 2),
        ],
    ),
    "norm": (
        (TALL,),
        [
            *[
                lambda a, o=o: sl.norm(a, o)
                for o in (None, "fro", "nuc", np.inf, -np.inf, 1, -1, 2, -2)
            ],
            *[lambda a, o=o: sl.norm(a[0], ord=o) for o in (np.inf, -np.inf, 1, -1, 2, -2, 2.5)],
            lambda a: sl.norm(a, axis=0),
            lambda a: sl.norm(a, axis=(0, 1), keepdims=True),
            lambda a: sl.norm(a, 1, axis=1, keepdims=True, check_finite=False),
        ],
    ),
    "special matrices": (
        (V, LINE),
        [
            lambda a, b: sl.toeplitz(a),
            lambda a, b: sl.toeplitz(a, b),
            lambda a, b: sl.hankel(a),
            lambda a, b: sl.hankel(a, b),
            lambda a, b: sl.circulant(a),
            lambda a, b: sl.companion(a),
            lambda a, b: sl.block_diag(a, b[:, None], a[:, None] * a),
            lambda a, b: sl.khatri_rao(a[:, None] * a, np.stack((a, a**2))),
            lambda a, b: sl.fiedler(a),
            lambda a, b: sl.fiedler_companion(a),
            lambda a, b: sl.leslie(a, b[:2]),
            lambda a, b: sl.convolution_matrix(a, 4),
            lambda a, b: sl.convolution_matrix(a, 4, mode="same"),
        ],
    ),
    "bandwidth and balance": (
        (A,),
        [
            refused(lambda a: sl.bandwidth(np.triu(a))[0] * a),
            refused(lambda a: sl.issymmetric(a) * a),
            refused(lambda a: sl.ishermitian(a) * a),
            refused(lambda a: sl.matrix_balance(a)[0]),
            lambda a: sl.orthogonal_procrustes(a, a.T)[0],
            refused(lambda a: sl.cossin(sl.qr(a)[0], 1, 1)[1]),
            lambda a: sl.subspace_angles(a[:, :1], a[:, 1:]),
            lambda a: sl.svdvals(a),
        ],
    ),
    "fft": (
        (GRID,),
        [
            *[
                lambda x, f=f, m=m: f(
                    x, n=5, axis=0, norm=m, overwrite_x=True, workers=1, plan=None
                )
                for f in (sf.fft, sf.ifft, sf.rfft, sf.irfft, sf.hfft, sf.ihfft)
                for m in (None, "backward", "ortho", "forward")
            ],
            *[
                lambda x, f=f, n=n: f(x, n=n)
                for f in (sf.fft, sf.ifft, sf.rfft, sf.irfft, sf.hfft, sf.ihfft)
                for n in (4, 9)
            ],
        ],
    ),
    "fft of several axes": (
        (GRID,),
        [
            *[
                lambda x, f=f, m=m: f(
                    x, s=(3, 8), axes=(1, 0), norm=m, overwrite_x=True, workers=1, plan=None
                )
                for f in (
                    sf.fft2,
                    sf.ifft2,
                    sf.rfft2,
                    sf.irfft2,
                    sf.fftn,
                    sf.ifftn,
                    sf.rfftn,
                    sf.irfftn,
                )
                for m in (None, "backward", "ortho", "forward")
            ],
            lambda x: sf.fftn(x, axes=0),
            lambda x: sf.fftn(x, s=5),
            lambda x: sf.irfftn(x, s=(5,)),
            *[
                lambda x, f=f, m=m: f(
                    x, s=(3, 8), axes=(1, 0), norm=m, overwrite_x=True, workers=1, plan=None
                )
                for f in (sf.hfft2, sf.ihfft2, sf.hfftn, sf.ihfftn)
                for m in (None, "backward", "ortho", "forward")
            ],
            lambda x: (sf.hfft2(x), sf.ihfft2(x), sf.hfftn(x), sf.ihfftn(x)),
            lambda x: sf.fftshift(x, axes=0),
            lambda x: sf.ifftshift(x, axes=(0, 1)),
            refused(lambda x: sf.fht(x[0] + 2, 0.1, 0.2)),
            refused(lambda x: sf.ifht(x[0] + 2, 0.1, 0.2, offset=0.1)),
        ],
    ),
    "dct and dst": (
        (GRID,),
        [
            *[
                lambda x, f=f, t=t, m=m: f(
                    x, type=t, n=5, axis=0, norm=m, overwrite_x=True, workers=1
                )
                for f in (sf.dct, sf.idct, sf.dst, sf.idst)
                for t in (1, 2, 3, 4)
                for m in (None, "backward", "ortho", "forward")
            ],
            *[
                lambda x, f=f, t=t, m=m, o=o: f(x, type=t, norm=m, orthogonalize=o)
                for f in (sf.dct, sf.idct, sf.dst, sf.idst)
                for o in (True, False)
                for t in (1, 2, 3, 4)
                for m in (None, "ortho", "forward")
            ],
        ],
    ),
    "dctn and dstn": (
        (GRID,),
        [
            *[
                lambda x, f=f, t=t, m=m: f(
                    x, type=t, s=(3, 8), axes=(1, 0), norm=m, overwrite_x=True, workers=1
                )
                for f in (sf.dctn, sf.idctn, sf.dstn, sf.idstn)
                for t in (1, 2, 3, 4)
                for m in (None, "backward", "ortho", "forward")
            ],
            *[
                lambda x, f=f, o=o: f(x, orthogonalize=o)
                for f in (sf.dctn, sf.idctn, sf.dstn, sf.idstn)
                for o in (True, False)
            ],
            lambda x: sf.dctn(x, 2, 5),
            lambda x: sf.dctn(x, 2, (5,), 0),
        ],
    ),
}
