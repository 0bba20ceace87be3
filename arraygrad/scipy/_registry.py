"""Which names of SciPy have a stand-in here: a literal table, read without importing either."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "fft": (
        "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftn", "fftshift", "hfft", "idct", "idctn",
        "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2",
        "irfftn", "rfft", "rfft2", "rfftn",
    ),
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
    "integrate": (
        "cumulative_simpson", "cumulative_trapezoid", "dblquad", "fixed_quad", "odeint", "quad",
        "romb", "simpson", "solve_ivp", "tplquad", "trapezoid",
    ),
    "interpolate": (
        "BSpline", "CubicHermiteSpline", "CubicSpline", "InterpolatedUnivariateSpline", "PPoly",
        "PchipInterpolator", "RegularGridInterpolator", "interp1d", "interpn",
        "make_interp_spline", "pchip_interpolate", "splev", "splint", "splrep",
    ),
    "ndimage": (
        "affine_transform", "center_of_mass", "convolve", "convolve1d", "correlate",
        "correlate1d", "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude",
        "gaussian_laplace", "laplace", "map_coordinates", "maximum_filter", "median_filter",
        "minimum_filter", "prewitt", "rotate", "shift", "sobel", "spline_filter",
        "spline_filter1d", "uniform_filter", "uniform_filter1d", "zoom",
    ),
    "optimize": (
        "approx_fprime", "basinhopping", "bisect", "brenth", "brentq", "curve_fit",
        "differential_evolution", "dual_annealing", "fixed_point", "fsolve",
        "least_squares", "linear_sum_assignment", "minimize", "minimize_scalar", "newton", "nnls",
        "ridder", "root", "root_scalar", "rosen", "toms748",
    ),
    "signal": (
        "convolve", "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve",
        "filtfilt", "hilbert", "lfilter", "lfilter_zi", "oaconvolve", "resample",
        "savgol_filter", "sosfilt", "sosfiltfilt",
    ),
    "spatial.distance": (
        "braycurtis", "canberra", "cdist", "chebyshev", "cityblock", "correlation", "cosine",
        "euclidean", "jensenshannon", "mahalanobis", "minkowski", "pdist", "seuclidean",
        "sqeuclidean", "squareform",
    ),
    "stats": (
        "entropy", "gmean", "hmean", "kurtosis", "linregress", "moment", "pearsonr", "pmean",
        "sem", "skew", "variation", "zmap", "zscore",
    ),
}

# SciPy's objects, not functions.
DISTRIBUTIONS = (
    "bernoulli", "beta", "binom", "cauchy", "chi2", "erlang", "expon", "f", "gamma", "geom",
    "gumbel_l", "gumbel_r", "halfnorm", "invgamma", "laplace", "logistic", "lognorm",
    "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "rayleigh", "t", "truncnorm",
    "uniform", "weibull_min",
)

# Functions of scipy.special that are no ufuncs: its ufuncs reach tensors by themselves.
SPECIAL = (
    "factorial", "lambertw", "log_softmax", "logsumexp", "multigammaln", "polygamma", "softmax",
    "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "zeta",
)

# Classes whose instances, made outside of lifted code, are stood for by what a function makes.
INSTANCES = {
    "scipy.interpolate.Akima1DInterpolator": "arraygrad.scipy.interpolate:piecewise_of",
    "scipy.interpolate.BSpline": "arraygrad.scipy.interpolate:spline_of",
    "scipy.interpolate.CubicHermiteSpline": "arraygrad.scipy.interpolate:piecewise_of",
    "scipy.interpolate.CubicSpline": "arraygrad.scipy.interpolate:piecewise_of",
    "scipy.interpolate.PPoly": "arraygrad.scipy.interpolate:piecewise_of",
    "scipy.interpolate.PchipInterpolator": "arraygrad.scipy.interpolate:piecewise_of",
    "scipy.interpolate.RegularGridInterpolator": "arraygrad.scipy.interpolate:grid_of",
    "scipy.interpolate.interp1d": "arraygrad.scipy.interpolate:interp1d_of",
    "scipy.stats.rv_continuous_frozen": "arraygrad.scipy._distribution:stand_in_for",
    "scipy.stats.rv_discrete_frozen": "arraygrad.scipy._distribution:stand_in_for",
}  # fmt: skip


def stand_ins() -> dict[str, str]:
    """Path of SciPy's object -> "module:name" of ours."""
    found = {
        f"scipy.{module}.{name}": f"arraygrad.scipy.{module}:{name}"
        for module, names in NAMES.items()
        for name in names
    }
    for name in DISTRIBUTIONS:
        found[f"scipy.stats.{name}"] = f"arraygrad.scipy.stats:{name}"
    for name in SPECIAL:
        found[f"scipy.special.{name}"] = f"arraygrad.special:{name}"
    return found
