"""expm, logm and sqrtm, through SciPy.

Derivatives of all of them come from one identity, f([[A, E], [0, A]]) = [[f(A), L], [0, f(A)]]
where L is the derivative of f at A along E (Mathias 1996; Higham, "Functions of Matrices", 2008,
theorem 3.6). It needs no eigenvectors, so that repeated eigenvalues are no exception.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import apply, cast, wrap
from .._dispatch import in_single_precision, register_kernel
from .._dtypes import complex_dtype, promote
from .._errors import DispatchError
from .._op import Op, Rule, declare
from .manipulation import concat
from .products import adjoint
from .solvers import square

if TYPE_CHECKING:
    from .._tensor import Tensor


def _scipy_linalg(function: str) -> Any:
    try:
        import scipy.linalg
    except ImportError as error:
        raise DispatchError(f"{function} needs SciPy: pip install scipy") from error
    return scipy.linalg


def _each(function: Callable[[Any], Any], x: Any) -> Any:
    """The function of every matrix of a stack; complex if one result is."""
    if x.size == 0:
        return x.copy()
    flat = x.reshape(-1, *x.shape[-2:])
    return np.stack([np.asarray(function(matrix)) for matrix in flat]).reshape(x.shape)


def _expm_kernel(x: Any) -> Any:
    return _scipy_linalg("expm").expm(x) if x.size else x.copy()


def _logm_kernel(x: Any) -> Any:
    logm = _scipy_linalg("logm").logm
    return _fitted(_each(logm, x), x)


def _sqrtm_kernel(x: Any) -> Any:
    sqrtm = _scipy_linalg("sqrtm").sqrtm
    return _fitted(_each(sqrtm, x), x)


def _fitted(out: Any, x: Any) -> Any:
    """In the precision of the argument; SciPy may compute in a wider one."""
    return out.astype(complex_dtype(x.dtype) if out.dtype.kind == "c" else x.dtype, copy=False)


def _along(op: Op, x: Any, e: Any) -> Any:
    """Derivative of the function at `x` along `e`."""
    dtype = promote(x._array.dtype, e._array.dtype)
    x, e = cast(x, dtype), cast(e, dtype)
    n = x._array.shape[-1]
    zero = wrap(np.zeros(x._array.shape, dtype))
    top, bottom = concat((x, e), axis=-1), concat((zero, x), axis=-1)
    return apply(op, concat((top, bottom), axis=-2))[..., :n, n:]


def _function(name: str, kernel: Callable[..., Any]) -> Op:
    register_kernel(name, in_single_precision(kernel))
    op = Op(
        name,
        ("x",),
        Rule(x=lambda g, x, x_dtype: cast(_along(op, adjoint(x), g), x_dtype),
             jvp=lambda t, x, out: cast(_along(op, x, t[0]), out._array.dtype)),
        dtypes="floating only",
        scalar=False,
    )  # fmt: skip
    return declare(op)


EXPM = _function("expm", _expm_kernel)
LOGM = _function("logm", _logm_kernel)
SQRTM = _function("sqrtm", _sqrtm_kernel)


def expm(x: Tensor, /) -> Tensor:
    """Exponentials of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point

    Returns
    -------
    Tensor, shape (..., M, M)

    Raises
    ------
    DispatchError
        If SciPy is not installed.

    Notes
    -----
    Derivative: the upper right block of expm([[x, dx], [0, x]]).

    References
    ----------
    A. H. Al-Mohy and N. J. Higham, "A new scaling and squaring algorithm for the matrix
    exponential", SIAM J. Matrix Anal. Appl. 31, 2009.
    """
    return apply(EXPM, square(x, "expm"))  # type: ignore[no-any-return]


def logm(x: Tensor, /) -> Tensor:
    """Principal logarithms of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
        Invertible.

    Returns
    -------
    Tensor, shape (..., M, M)
        Complex where a real matrix has negative eigenvalues.

    Raises
    ------
    DispatchError
        If SciPy is not installed.

    Notes
    -----
    Derivative: the upper right block of logm([[x, dx], [0, x]]).
    """
    return apply(LOGM, square(x, "logm"))  # type: ignore[no-any-return]


def sqrtm(x: Tensor, /) -> Tensor:
    """Principal square roots of the matrices.

    Parameters
    ----------
    x : Tensor, shape (..., M, M), floating-point
        Invertible, if the derivative is wanted.

    Returns
    -------
    Tensor, shape (..., M, M)
        Complex where a real matrix has negative eigenvalues.

    Raises
    ------
    DispatchError
        If SciPy is not installed.

    Notes
    -----
    Derivative: the upper right block of sqrtm([[x, dx], [0, x]]).
    """
    return apply(SQRTM, square(x, "sqrtm"))  # type: ignore[no-any-return]
