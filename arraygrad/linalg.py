"""Linear algebra: the standard's ``linalg`` extension and what NumPy and SciPy add to it."""

from .ops.decompositions import eig as eig
from .ops.decompositions import eigh as eigh
from .ops.decompositions import eigvals as eigvals
from .ops.decompositions import eigvalsh as eigvalsh
from .ops.decompositions import qr as qr
from .ops.decompositions import svd as svd
from .ops.decompositions import svdvals as svdvals
from .ops.determinants import det as det
from .ops.determinants import slogdet as slogdet
from .ops.matrix_functions import expm as expm
from .ops.matrix_functions import logm as logm
from .ops.matrix_functions import sqrtm as sqrtm
from .ops.norms import cond as cond
from .ops.norms import matrix_norm as matrix_norm
from .ops.norms import norm as norm
from .ops.norms import vector_norm as vector_norm
from .ops.products import cross as cross
from .ops.products import diagonal as diagonal
from .ops.products import matmul as matmul
from .ops.products import matrix_transpose as matrix_transpose
from .ops.products import outer as outer
from .ops.products import tensordot as tensordot
from .ops.products import trace as trace
from .ops.products import vecdot as vecdot
from .ops.solvers import cholesky as cholesky
from .ops.solvers import inv as inv
from .ops.solvers import lstsq as lstsq
from .ops.solvers import matrix_power as matrix_power
from .ops.solvers import matrix_rank as matrix_rank
from .ops.solvers import pinv as pinv
from .ops.solvers import solve as solve

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
