"""Linear algebra. Rows of decompositions return what does not depend on signs or phases."""

from collections.abc import Callable
from typing import Any

import numpy as np

import arraygrad as ag

from . import Generator, Sample, constant, distinct, normal, strided

la, nla = ag.linalg, np.linalg


def well_conditioned(*shape: int) -> Generator:
    """Square matrices with condition numbers of at most about 10."""
    small = normal(*shape)
    return lambda rng, dtype: (0.3 * small(rng, dtype) + 2 * np.eye(shape[-1])).astype(dtype)


def separated(*shape: int) -> Generator:
    """Square matrices with eigenvalues about 1 apart."""
    small = normal(*shape)
    return lambda rng, dtype: (
        0.2 * small(rng, dtype) + np.diag(np.arange(1.0, shape[-1] + 1))
    ).astype(dtype)


def of_rank(rank: int, *shape: int) -> Generator:
    """Matrices of this rank."""
    left, right = normal(*shape[:-1], rank), normal(*shape[:-2], rank, shape[-1])
    return lambda rng, dtype: (left(rng, dtype) @ right(rng, dtype)).astype(dtype)


def _hermitian(x: Any) -> Any:
    return (x + x.mT.conj()) * 0.5


def _positive_definite(x: Any) -> Any:
    return x @ x.mT.conj() + np.eye(x.shape[-1], dtype=np.float32)


def _of_matrix(function: Callable[[Any], Any], to_matrix: Callable[[Any], Any]) -> Any:
    return lambda x: function(to_matrix(x))


def _eigh_function(module: Any) -> Callable[[Any], Any]:
    """V w^2 V^H, a function of the matrix."""

    def call(x: Any) -> Any:
        values, vectors = module.eigh(_hermitian(x))
        return (vectors * (values * values)[..., None, :]) @ vectors.mT.conj()

    return call


def _eigh_shares(module: Any) -> Callable[[Any], Any]:
    return lambda x: abs(module.eigh(_hermitian(x))[1])


def _eig_shares(module: Any) -> Callable[[Any], Any]:
    return lambda x: abs(module.eig(x)[1])


def _svd_product(module: Any, full_matrices: bool) -> Callable[[Any], Any]:
    """U V^H: the unitary factor of the polar decomposition."""

    def call(x: Any) -> Any:
        u, s, vh = module.svd(x, full_matrices=full_matrices)
        k = s.shape[-1]
        return u[..., :k] @ vh[..., :k, :]

    return call


def _svd_shares(module: Any) -> Callable[[Any], Any]:
    return lambda x: abs(module.svd(x, full_matrices=False)[0])


def _null_space(module: Any) -> Callable[[Any], Any]:
    """The projector that full_matrices adds."""

    def call(x: Any) -> Any:
        vh = module.svd(x, full_matrices=True)[2][..., x.shape[-2] :, :]
        return vh.mT.conj() @ vh

    return call


def _qr(module: Any, mode: str, part: int) -> Callable[[Any], Any]:
    return lambda x: module.qr(x, mode=mode)[part]


def _qr_complement(module: Any) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        rest = module.qr(x, mode="complete")[0][..., x.shape[-1] :]
        return rest @ rest.mT.conj()

    return call


def _matmul(label: str, first: Generator, second: Generator) -> Sample:
    return Sample(
        ("matmul",), ag.matmul, np.matmul, (first, second), (0, 1), "fc", "fc", label=label
    )


def _vector_norm(ord: float, order: int = 2) -> Sample:
    return Sample(
        ("vector_norm", "reciprocal_or_zero"),
        lambda x: la.vector_norm(x, ord=ord, axis=(0, 2)),
        lambda x: nla.vector_norm(x, ord=ord, axis=(0, 2)),
        (distinct(2, 3, 2),),
        dtypes="fc",
        gradient_dtypes="fc",
        order=order,
        label=f"order {ord}",
    )


def _matrix_norm(ord: Any) -> Sample:
    return Sample(
        ("vector_norm", "svd"),
        lambda x: la.matrix_norm(x, ord=ord, keepdims=True),
        lambda x: nla.matrix_norm(x, ord=ord, keepdims=True),
        (normal(2, 3, 4),),
        dtypes="fc",
        gradient_dtypes="fc",
        label=f"matrix {ord}",
    )


SAMPLES = [
    Sample(("matmul",), ag.matmul, np.matmul, (normal(2, 3), normal(3, 4)), (0, 1), "fcib", "fc"),
    _matmul("vectors", normal(3), normal(3)),
    _matmul("vector and matrix", normal(3), normal(3, 2)),
    _matmul("matrix and vector", normal(2, 3), normal(3)),
    _matmul("vector and stack", normal(3), normal(2, 3, 4)),
    _matmul("stack and vector", normal(2, 2, 3), normal(3)),
    _matmul("stack and matrix", normal(2, 2, 3), normal(3, 2)),
    _matmul("matrix and stack", normal(2, 3), normal(2, 3, 2)),
    _matmul("broadcast", normal(2, 1, 2, 3), normal(3, 3, 2)),
    _matmul("strided", strided(normal(2, 3)), strided(normal(3, 2))),
    _matmul("empty", normal(2, 0), normal(0, 3)),
    Sample(("matmul",), lambda x: x @ x, lambda x: x @ x, (normal(2, 2),), dtypes="fc",
           gradient_dtypes="fc", label="twice the same"),
    Sample(("tensordot",), lambda x1, x2: ag.tensordot(x1, x2, axes=((1, 0), (0, 2))),
           lambda x1, x2: np.tensordot(x1, x2, axes=((1, 0), (0, 2))),
           (normal(2, 3, 2), normal(3, 4, 2)), (0, 1), "fci", "fc"),
    Sample(("tensordot",), lambda x1, x2: ag.tensordot(x1, x2, axes=0),
           lambda x1, x2: np.tensordot(x1, x2, axes=0), (normal(2), normal(3)), (0, 1),
           label="outer"),
    Sample(("vecdot",), ag.vecdot, np.vecdot, (normal(4, 1, 3), normal(2, 3)), (0, 1), "fci", "fc"),
    Sample(("vecdot",), lambda x1, x2: ag.vecdot(x1, x2, axis=-2),
           lambda x1, x2: np.vecdot(x1, x2, axis=-2), (normal(3, 2), strided(normal(3, 2))), (0, 1),
           "fc", "fc", label="axis"),
    Sample(("multiply",), la.outer, nla.outer, (normal(3), normal(2)), (0, 1), "fci", "fc",
           label="outer-linalg"),
    Sample(("cross",), la.cross, nla.cross, (normal(2, 3), normal(2, 3)), (0, 1), "fci", "fc"),
    Sample(("cross",), lambda x1, x2: la.cross(x1, x2, axis=-2),
           lambda x1, x2: nla.cross(x1, np.broadcast_to(x2, x1.shape), axis=-2),
           (normal(3, 2), normal(3, 1)), (0, 1), "fc", "fc", label="broadcast"),
    Sample(("matrix_transpose",), ag.matrix_transpose, np.matrix_transpose, (normal(2, 3, 4),),
           dtypes="fcib", gradient_dtypes="fc"),
    Sample(("sum",), la.trace, nla.trace, (normal(3, 3),), dtypes="fci", gradient_dtypes="fc",
           label="trace"),
    Sample(("sum",), lambda x: la.trace(x, offset=-1), lambda x: nla.trace(x, offset=-1),
           (normal(2, 3, 2),), dtypes="fc", label="trace-offset"),
    Sample(("diagonal",), lambda x: la.diagonal(x, offset=1), lambda x: nla.diagonal(x, offset=1),
           (normal(2, 3, 4),), dtypes="fcib", gradient_dtypes="fc", label="stack"),
    # -- determinants, inverses, systems
    Sample(("det", "cofactor", "cofactor_change"), la.det, nla.det, (normal(3, 3),), dtypes="fc",
           gradient_dtypes="fc"),
    Sample(("det", "cofactor", "cofactor_change"), la.det, nla.det, (normal(2, 2, 2),), dtypes="fc",
           gradient_dtypes="fc", label="stack"),
    Sample(("det", "cofactor", "cofactor_change"), la.det, None, (of_rank(2, 3, 3),),
           gradient_dtypes="fc", label="rank 2 of 3", tolerance=1e-5),
    Sample(("det", "cofactor", "cofactor_change"), la.det, nla.det, (constant(np.zeros((3, 3))),),
           label="zero"),
    Sample(("det",), la.det, nla.det, (normal(1, 1),), dtypes="fc", gradient_dtypes="fc",
           label="1 x 1"),
    Sample(("slogdet",), lambda x: la.slogdet(x).logabsdet, lambda x: nla.slogdet(x)[1],
           (normal(2, 3, 3),), dtypes="fc", gradient_dtypes="fc"),
    Sample(("slogdet",), lambda x: la.slogdet(x).sign, lambda x: nla.slogdet(x)[0],
           (normal(3, 3),), dtypes="fc", gradient_dtypes="c", label="sign"),
    Sample(("inv",), la.inv, nla.inv, (well_conditioned(2, 3, 3),), dtypes="fc",
           gradient_dtypes="fc"),
    Sample(("solve",), la.solve, nla.solve, (well_conditioned(3, 3), normal(3)), (0, 1), "fc", "fc",
           label="vector"),
    Sample(("solve",), la.solve, nla.solve, (well_conditioned(2, 3, 3), normal(3)), (0, 1), "fc",
           "fc", label="stack and vector"),
    Sample(("solve",), la.solve, nla.solve, (well_conditioned(2, 1, 2, 2), normal(3, 2, 2)), (0, 1),
           "fc", "fc", label="broadcast"),
    Sample(("cholesky", "cholesky_backward"), _of_matrix(la.cholesky, _positive_definite),
           _of_matrix(nla.cholesky, _positive_definite), (normal(2, 3, 3),), dtypes="fc",
           gradient_dtypes="fc"),
    Sample(("cholesky", "cholesky_backward"),
           lambda x: la.cholesky(_positive_definite(x), upper=True),
           lambda x: nla.cholesky(_positive_definite(x), upper=True), (normal(3, 3),), dtypes="fc",
           gradient_dtypes="fc", label="upper"),
    Sample(("pinv",), la.pinv, nla.pinv, (normal(2, 4, 2),), dtypes="fc", gradient_dtypes="fc",
           label="tall", tolerance=1e-5),
    Sample(("pinv",), la.pinv, nla.pinv, (normal(2, 4),), dtypes="fc", gradient_dtypes="fc",
           label="wide", tolerance=1e-5),
    Sample(("pinv",), lambda x1, x2: la.pinv(x1 @ x2), None, (normal(4, 2), normal(2, 3)), (0, 1),
           gradient_dtypes="fc", label="rank 2", tolerance=1e-5),
    Sample(("matmul",), lambda x: la.matrix_power(x, 3), lambda x: nla.matrix_power(x, 3),
           (normal(2, 2, 2),), dtypes="fci", gradient_dtypes="fc", label="matrix_power"),
    Sample(("inv",), lambda x: la.matrix_power(x, -2), lambda x: nla.matrix_power(x, -2),
           (well_conditioned(2, 2),), dtypes="fc", gradient_dtypes="fc", label="matrix_power"),
    Sample(("matmul",), lambda x: la.matrix_power(x, 0), lambda x: nla.matrix_power(x, 0),
           (normal(2, 2),), dtypes="fc", label="matrix_power-0"),
    Sample(("matrix_rank",), la.matrix_rank, nla.matrix_rank, (of_rank(2, 2, 4, 3),), (), "fc"),
    Sample(("lstsq",), lambda x1, x2: la.lstsq(x1, x2).solution,
           lambda x1, x2: nla.lstsq(x1, x2)[0],
           (normal(5, 2), normal(5, 2)), (0, 1), "fc", "fc", label="tall"),
    Sample(("lstsq",), lambda x1, x2: la.lstsq(x1, x2).residuals,
           lambda x1, x2: nla.lstsq(x1, x2)[1], (normal(5, 2), normal(5)), (0, 1), "fc", "fc",
           label="residuals"),
    Sample(("lstsq",), lambda x1, x2: la.lstsq(x1, x2).solution,
           lambda x1, x2: nla.lstsq(x1, x2)[0],
           (normal(2, 4), normal(2)), (0, 1), "fc", "fc", label="wide", tolerance=1e-5),
    Sample(("lstsq",), lambda x1, x2: la.lstsq(x1, x2).singular_values,
           lambda x1, x2: nla.lstsq(x1, x2)[3], (normal(4, 2), normal(4)), (0,), "fc", "fc",
           label="singular values"),
    # -- decompositions
    Sample(("eigvalsh", "eigh"), _of_matrix(la.eigvalsh, _hermitian),
           _of_matrix(nla.eigvalsh, _hermitian), (separated(2, 3, 3),), dtypes="fc",
           gradient_dtypes="fc"),
    Sample(("eigh", "over_gaps"), _eigh_function(la), _eigh_function(nla), (separated(2, 3, 3),),
           dtypes="fc", gradient_dtypes="fc", tolerance=1e-5),
    Sample(("eigh", "over_gaps"), _eigh_shares(la), _eigh_shares(nla), (separated(3, 3),),
           dtypes="fc", gradient_dtypes="fc", label="vectors", tolerance=1e-5),
    Sample(("eigvals", "eig"), la.eigvals, None, (separated(2, 3, 3),), gradient_dtypes="fc",
           tolerance=1e-5),
    Sample(("eig", "over_gaps"), _eig_shares(la), _eig_shares(nla), (separated(3, 3),), dtypes="fc",
           gradient_dtypes="fc", label="vectors", tolerance=1e-5),
    Sample(("svdvals", "svd"), la.svdvals, nla.svdvals, (normal(2, 3, 2),), dtypes="fc",
           gradient_dtypes="fc", tolerance=1e-5),
    Sample(("svd",), _svd_product(la, False), _svd_product(nla, False), (normal(4, 3),),
           dtypes="fc", gradient_dtypes="fc", label="tall", tolerance=1e-4),
    Sample(("svd",), _svd_product(la, True), _svd_product(nla, True), (normal(2, 4),), dtypes="fc",
           gradient_dtypes="fc", label="wide, full", tolerance=1e-4),
    Sample(("svd",), _svd_shares(la), _svd_shares(nla), (separated(3, 3),), dtypes="fc",
           gradient_dtypes="fc", label="vectors", tolerance=1e-4),
    Sample(("svd",), _null_space(la), _null_space(nla), (normal(2, 4),), dtypes="fc",
           gradient_dtypes="fc", label="null space", tolerance=1e-4),
    Sample(("qr",), _qr(la, "reduced", 0), _qr(nla, "reduced", 0), (normal(2, 4, 2),), dtypes="fc",
           gradient_dtypes="fc", label="tall Q", tolerance=1e-5),
    Sample(("qr",), _qr(la, "reduced", 1), _qr(nla, "reduced", 1), (normal(4, 2),), dtypes="fc",
           gradient_dtypes="fc", label="tall R", tolerance=1e-5),
    Sample(("qr",), _qr(la, "reduced", 0), _qr(nla, "reduced", 0), (well_conditioned(3, 3),),
           dtypes="fc", gradient_dtypes="fc", label="square Q", tolerance=1e-5),
    Sample(("qr",), _qr(la, "reduced", 1), _qr(nla, "reduced", 1), (normal(2, 4),), dtypes="fc",
           gradient_dtypes="fc", label="wide R", tolerance=1e-5),
    Sample(("qr",), _qr(la, "complete", 1), _qr(nla, "complete", 1), (normal(4, 2),), dtypes="fc",
           gradient_dtypes="fc", label="complete R", tolerance=1e-5),
    Sample(("qr",), _qr_complement(la), _qr_complement(nla), (normal(4, 2),), dtypes="fc",
           gradient_dtypes="fc", label="complement", tolerance=1e-5),
    # -- norms
    *[_vector_norm(ord) for ord in (1, 2, 3, 1.5, -1, 0, np.inf, -np.inf)],
    Sample(("vector_norm",), la.vector_norm, nla.vector_norm, (normal(2, 3),), dtypes="fci",
           gradient_dtypes="fc"),
    Sample(("vector_norm",), la.norm, nla.norm, (strided(normal(3, 4)),), dtypes="fci",
           gradient_dtypes="fc", label="norm"),
    *[_matrix_norm(ord) for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)],
    Sample(("svdvals",), la.cond, nla.cond, (well_conditioned(3, 3),), dtypes="fc",
           gradient_dtypes="fc", tolerance=1e-5, label="cond"),
    Sample(("inv",), lambda x: la.cond(x, "fro"), lambda x: nla.cond(x, "fro"),
           (well_conditioned(3, 3),), dtypes="fc", gradient_dtypes="fc", label="cond",
           tolerance=1e-5),
    # -- functions of matrices
    Sample(("expm",), la.expm, None, (well_conditioned(2, 2, 2),), dtypes="fc",
           gradient_dtypes="fc", tolerance=1e-5),
    Sample(("logm",), la.logm, None, (well_conditioned(2, 2),), gradient_dtypes="fc",
           tolerance=1e-5),
    Sample(("sqrtm",), la.sqrtm, None, (well_conditioned(2, 2),), gradient_dtypes="fc",
           tolerance=1e-5),
]  # fmt: skip
