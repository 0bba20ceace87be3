"""Calls of numpy.linalg and numpy.fft."""

import numpy as np

from .calls import call, complexes, normal, spd

H = complexes(3, 3)
H = H @ H.conj().T + np.diag([1.0, 2.0, 4.0])


def _symmetric(f):
    return lambda x: f((x + np.swapaxes(x, -1, -2)) / 2)


def _gram(u):
    """What of singular vectors does not depend on their signs."""
    return np.abs(u) ** 2


CALLS = {
    "linalg.norm": (
        call(np.linalg.norm, normal(4)),
        call(np.linalg.norm, complexes(2, 3)),
        call(np.linalg.norm, normal(2, 2, 2)),
        *[
            call(lambda x, o=o: np.linalg.norm(x, o), normal(4))
            for o in (1, 2, 3, 1.5, np.inf, -np.inf, -1, -2)
        ],
        *[
            call(lambda x, o=o: np.linalg.norm(x, o), normal(3, 4))
            for o in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
        ],
        call(lambda x: np.linalg.norm(x, 0), normal(4)),
        call(lambda x: np.linalg.norm(x, axis=1), normal(3, 4)),
        call(lambda x: np.linalg.norm(x, 3, axis=0, keepdims=True), normal(3, 4)),
        call(lambda x: np.linalg.norm(x, "nuc", axis=(2, 0)), normal(3, 2, 4)),
        call(lambda x: np.linalg.norm(x, 1, axis=(0, 1), keepdims=True), normal(3, 2, 4)),
        call(lambda x: np.linalg.norm(x, axis=(0, 2)), normal(3, 2, 4)),
    ),
    "linalg.vector_norm": (
        call(np.linalg.vector_norm, normal(2, 3)),
        call(lambda x: np.linalg.vector_norm(x, axis=1, ord=3, keepdims=True), complexes(2, 3)),
        call(lambda x: np.linalg.vector_norm(x, axis=(0, 2), ord=1), normal(2, 3, 2)),
    ),
    "linalg.matrix_norm": (
        call(np.linalg.matrix_norm, normal(2, 3)),
        call(lambda x: np.linalg.matrix_norm(x, ord="nuc", keepdims=True), normal(2, 2, 3)),
        call(lambda x: np.linalg.matrix_norm(x, ord=2), normal(3, 3)),
    ),
    "linalg.cond": (
        call(np.linalg.cond, normal(3, 3)),
        *[
            call(lambda x, p=p: np.linalg.cond(x, p), normal(3, 3))
            for p in ("fro", 1, -1, 2, -2, np.inf, -np.inf, "nuc")
        ],
    ),
    "linalg.det": (call(np.linalg.det, normal(3, 3)), call(np.linalg.det, complexes(2, 2, 2))),
    "linalg.slogdet": (
        call(np.linalg.slogdet, normal(3, 3)),
        call(np.linalg.slogdet, complexes(2, 2)),
    ),
    "linalg.inv": (call(np.linalg.inv, normal(3, 3)), call(np.linalg.inv, complexes(2, 2, 2))),
    "linalg.pinv": (
        call(np.linalg.pinv, normal(3, 2)),
        call(np.linalg.pinv, complexes(2, 3)),
        call(_symmetric(lambda x: np.linalg.pinv(x, hermitian=True)), normal(3, 3)),
        call(lambda x: np.linalg.pinv(x, rtol=1e-9), normal(2, 3)),
    ),
    "linalg.solve": (
        call(np.linalg.solve, normal(3, 3), normal(3)),
        call(np.linalg.solve, normal(2, 2, 2), normal(2, 2, 1)),
        call(np.linalg.solve, complexes(2, 2), normal(2, 3)),
    ),
    "linalg.lstsq": (
        call(lambda a, b: np.linalg.lstsq(a, b), normal(5, 2), normal(5)),
        call(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], normal(4, 2), normal(4, 3)),
        call(lambda a, b: np.linalg.lstsq(a, b)[0], normal(2, 4), normal(2)),
        *(
            call(lambda a, b, r=r: np.linalg.lstsq(a, b, r), normal(5, 2), normal(5))
            for r in (-1, 0.0, 1, 2.5)  # LAPACK's own precision
        ),
        call(lambda a, b: np.linalg.lstsq(a @ a.T, b, 1e-10)[0], normal(4, 2), normal(4)),
    ),
    "linalg.cholesky": (
        call(_symmetric(np.linalg.cholesky), spd(3)),
        call(_symmetric(lambda x: np.linalg.cholesky(x, upper=True)), spd(3)),
        call(lambda x: np.linalg.cholesky(x @ np.conj(x).T + 3 * np.eye(2)), complexes(2, 2)),
    ),
    "linalg.qr": (
        call(lambda x: np.linalg.qr(x), normal(3, 3)),
        call(lambda x: np.linalg.qr(x, mode="reduced"), normal(4, 2)),
        call(lambda x: np.linalg.qr(x, mode="r"), normal(3, 3)),
        call(lambda x: np.linalg.qr(x)[1], normal(2, 3)),
    ),
    "linalg.svd": (
        call(lambda x: np.linalg.svd(x, compute_uv=False), normal(3, 4)),
        call(
            lambda x: (lambda u, s, vh: (_gram(u), s, _gram(vh)))(
                *np.linalg.svd(x, full_matrices=False)
            ),
            normal(3, 4),
        ),
        call(lambda x: np.linalg.svd(x, full_matrices=False)[1], complexes(3, 2)),
        call(
            _symmetric(lambda x: np.linalg.svd(x, compute_uv=False, hermitian=True)), normal(3, 3)
        ),
        call(
            _symmetric(
                lambda x: (lambda u, s, vh: (_gram(u), s, u @ (s[:, None] * vh)))(
                    *np.linalg.svd(x, hermitian=True)
                )
            ),
            normal(3, 3),
        ),
    ),
    "linalg.svdvals": (
        call(np.linalg.svdvals, normal(3, 4)),
        call(np.linalg.svdvals, complexes(2, 2, 2)),
    ),
    "linalg.eig": (
        call(lambda x: np.linalg.eig(x)[0], normal(3, 3)),
        call(
            lambda x: (lambda w, v: (w, np.abs(v)))(*np.linalg.eig(x)),
            normal(2, 2) + np.diag([3.0, 0.0]),
        ),
    ),
    "linalg.eigvals": (
        call(np.linalg.eigvals, normal(3, 3)),
        call(np.linalg.eigvals, spd(3)),
        call(np.linalg.eigvals, complexes(2, 2)),
    ),
    "linalg.eigh": (
        call(_symmetric(lambda x: (lambda w, v: (w, _gram(v)))(*np.linalg.eigh(x))), normal(3, 3)),
        call(_symmetric(lambda x: np.linalg.eigh(x, UPLO="U")[0]), normal(2, 3, 3)),
        call(lambda x: np.linalg.eigh(x @ H @ np.conj(x).T)[0], complexes(3, 3)),
    ),
    "linalg.eigvalsh": (
        call(_symmetric(np.linalg.eigvalsh), normal(3, 3)),
        call(_symmetric(lambda x: np.linalg.eigvalsh(x, UPLO="U")), normal(3, 3)),
    ),
    "linalg.matrix_power": tuple(
        call(lambda x, n=n: np.linalg.matrix_power(x, n), normal(3, 3)) for n in (0, 1, 3, -2)
    ),
    "linalg.multi_dot": (
        call(lambda x, y: np.linalg.multi_dot([x, y]), normal(2, 3), normal(3, 2)),
        call(lambda x, y, z: np.linalg.multi_dot([x, y, z]), normal(2, 3), normal(3, 4), normal(4)),
        call(
            lambda x, y, z: np.linalg.multi_dot([x, y, z, y]),
            normal(3),
            normal(3, 3),
            normal(3, 3, seed=1),
        ),
    ),
    "linalg.tensorsolve": (
        call(np.linalg.tensorsolve, normal(2, 3, 6), normal(2, 3)),
        call(lambda a, b: np.linalg.tensorsolve(a, b, axes=(0, 1)), normal(2, 2, 4), normal(4)),
    ),
    "linalg.tensorinv": (
        call(np.linalg.tensorinv, normal(2, 2, 2, 2)),
        call(lambda a: np.linalg.tensorinv(a, ind=1), normal(4, 2, 2)),
    ),
    "linalg.matmul": (
        call(np.linalg.matmul, normal(2, 3), normal(3, 2)),
        call(np.linalg.matmul, complexes(3), complexes(2, 3, 2)),
    ),
    "linalg.tensordot": (
        call(lambda x, y: np.linalg.tensordot(x, y, axes=1), normal(2, 3), normal(3, 2)),
        call(
            lambda x, y: np.linalg.tensordot(x, y, axes=((0, 2), (1, 0))),
            complexes(2, 3, 2),
            complexes(2, 2, seed=1),
        ),
    ),
    "linalg.vecdot": (
        call(np.linalg.vecdot, normal(2, 3), normal(3)),
        call(lambda x, y: np.linalg.vecdot(x, y, axis=0), complexes(3, 2), complexes(3, 2, seed=1)),
    ),
    "linalg.outer": (
        call(np.linalg.outer, normal(2), normal(3)),
        call(np.linalg.outer, complexes(2), complexes(2, seed=1)),
    ),
    "linalg.cross": (
        call(np.linalg.cross, normal(2, 3), normal(2, 3, seed=1)),
        call(lambda x, y: np.linalg.cross(x, y, axis=0), normal(3, 2), normal(3, 2, seed=1)),
    ),
    "linalg.diagonal": (
        call(np.linalg.diagonal, normal(2, 3, 3)),
        call(lambda x: np.linalg.diagonal(x, offset=1), normal(3, 3)),
    ),
    "linalg.trace": (
        call(np.linalg.trace, normal(2, 3, 3)),
        call(lambda x: np.linalg.trace(x, offset=-1), normal(3, 3)),
    ),
    "linalg.matrix_transpose": (
        call(np.linalg.matrix_transpose, normal(2, 3, 2)),
        call(lambda x: np.linalg.matrix_transpose(x) @ x, complexes(3, 2)),
    ),
    "fft.fft": (
        call(np.fft.fft, normal(5)),
        call(lambda x: np.fft.fft(x, 7, axis=0), complexes(4, 2)),
        *[
            call(lambda x, m=m: np.fft.fft(x, n=3, norm=m), complexes(5))
            for m in (None, "backward", "ortho", "forward")
        ],
    ),
    "fft.ifft": (
        call(np.fft.ifft, complexes(5)),
        call(lambda x: np.fft.ifft(x, 3, 0, "ortho"), normal(4, 2)),
    ),
    "fft.rfft": (
        call(np.fft.rfft, normal(5)),
        call(lambda x: np.fft.rfft(x, 6, axis=0, norm="forward"), normal(4, 2)),
    ),
    "fft.irfft": (
        call(np.fft.irfft, complexes(4)),
        call(lambda x: np.fft.irfft(x, 5, norm="ortho"), complexes(2, 3)),
    ),
    "fft.hfft": (call(np.fft.hfft, complexes(4)), call(lambda x: np.fft.hfft(x, 5), complexes(4))),
    "fft.ihfft": (
        call(np.fft.ihfft, normal(5)),
        call(lambda x: np.fft.ihfft(x, 4, norm="ortho"), normal(2, 5)),
    ),
    "fft.fft2": (
        call(np.fft.fft2, normal(3, 4)),
        call(lambda x: np.fft.fft2(x, s=(2, 5), axes=(0, 1)), complexes(3, 4, 2)),
    ),
    "fft.ifft2": (
        call(np.fft.ifft2, complexes(3, 4)),
        call(lambda x: np.fft.ifft2(x, s=(2, 5), axes=(0, 1), norm="ortho"), complexes(3, 4, 2)),
    ),
    "fft.rfft2": (
        call(np.fft.rfft2, normal(3, 4)),
        call(lambda x: np.fft.rfft2(x, norm="ortho"), normal(2, 3, 5)),
    ),
    "fft.irfft2": (
        call(np.fft.irfft2, complexes(3, 4)),
        call(lambda x: np.fft.irfft2(x, s=(3, 5)), complexes(3, 3)),
    ),
    "fft.fftn": (
        call(np.fft.fftn, normal(2, 3, 2)),
        call(lambda x: np.fft.fftn(x, axes=(0,)), complexes(3, 2)),
    ),
    "fft.ifftn": (
        call(np.fft.ifftn, complexes(2, 3)),
        call(lambda x: np.fft.ifftn(x, s=(3,), axes=(1,), norm="forward"), normal(2, 4, 2)),
    ),
    "fft.rfftn": (
        call(np.fft.rfftn, normal(2, 3, 4)),
        call(lambda x: np.fft.rfftn(x, s=(3, 3), axes=(0, 1)), normal(2, 4)),
    ),
    "fft.irfftn": (
        call(np.fft.irfftn, complexes(2, 3)),
        call(lambda x: np.fft.irfftn(x, s=(2, 5), axes=(0, 1)), complexes(2, 3)),
    ),
    "fft.fftshift": (
        call(np.fft.fftshift, normal(5)),
        call(lambda x: np.fft.fftshift(x, axes=1), normal(2, 3)),
    ),
    "fft.ifftshift": (
        call(np.fft.ifftshift, normal(5)),
        call(lambda x: np.fft.ifftshift(x, axes=(0, 1)), normal(2, 3)),
    ),
}
