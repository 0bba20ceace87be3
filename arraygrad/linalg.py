"""Linear algebra: the standard's ``linalg`` extension and what NumPy and SciPy add to it."""

from .ops.determinants import det as det, slogdet as slogdet
from .ops.eigenvalues import eig as eig, eigh as eigh, eigvals as eigvals, eigvalsh as eigvalsh
from .ops.factorizations import qr as qr, svd as svd, svdvals as svdvals
from .ops.matrix_functions import expm as expm, logm as logm, sqrtm as sqrtm
from .ops.norms import (
    cond as cond,
    matrix_norm as matrix_norm,
    norm as norm,
    vector_norm as vector_norm,
)
from .ops.products import (
    cross as cross,
    diagonal as diagonal,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    outer as outer,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
)
from .ops.solvers import (
    cholesky as cholesky,
    inv as inv,
    lstsq as lstsq,
    matrix_power as matrix_power,
    matrix_rank as matrix_rank,
    pinv as pinv,
    solve as solve,
)

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "logm",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
