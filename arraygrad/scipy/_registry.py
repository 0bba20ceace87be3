"""Which names of SciPy have a stand-in here: a literal table, read without importing either."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "linalg": (
        "block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "companion", "coshm",
        "cosm", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "fractional_matrix_power",
        "hankel", "inv", "khatri_rao", "kron", "logm", "lstsq", "lu", "lu_factor", "lu_solve",
        "norm", "null_space", "orth", "pinv", "pinvh", "polar", "qr", "sinhm", "sinm", "solve",
        "solve_banded", "solve_circulant", "solve_continuous_are", "solve_continuous_lyapunov",
        "solve_discrete_are", "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester",
        "solve_toeplitz", "solve_triangular", "solveh_banded", "sqrtm", "svd", "svdvals",
        "tanhm", "tanm", "toeplitz",
    ),
}  # fmt: skip


def stand_ins() -> dict[str, str]:
    """Path of SciPy's object -> "module:name" of ours."""
    return {
        f"scipy.{module}.{name}": f"arraygrad.scipy.{module}:{name}"
        for module, names in NAMES.items()
        for name in names
    }
