"""Signs, magnitudes, and the parts of complex numbers. `real` and `imag` are views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cotangents
from .._answers import answers
from .._apply import cast, operand, view, wrap
from .._cotangents import times, where
from .._dispatch import register_kernel
from .._elementwise import binary, unary
from .._lazy import LazyModule
from .._op import NONE, Linear, Op, Partials, Rule, declare
from .arithmetic import divide, multiply, negative, subtract
from .comparison import equal
from .kinks import cotangents_at_kink, tangent_at_kink

if TYPE_CHECKING:
    from .._tensor import Tensor

slopes = LazyModule("arraygrad.ops.slopes")  # imports what needs this module


def _is_complex(x: Any) -> bool:
    return bool(x._array.dtype.kind == "c")


# From x alone: the result, which is zero where x is, need not be kept.
def _abs_vjp(g: Any, x: Any) -> Any:
    (c,) = cotangents_at_kink(
        [times(g, sign(x))], g, [x], x, "abs", np.abs, linear=not _is_complex(x)
    )
    return c


def _abs_jvp(t: tuple[Any, ...], x: Any) -> Any:
    moved = times(t[0], _cotangents.conj(sign(x)))

    def one_sided() -> Any:
        return np.abs(t[0]._array)

    if _is_complex(x):
        return tangent_at_kink(real(moved), abs(x), "abs", one_sided)
    return tangent_at_kink(moved, x, "abs", one_sided, linear=True)


ABS = declare(
    Op("abs", ("x",), Rule(x=_abs_vjp, jvp=_abs_jvp), dtypes="numeric", family="elementwise")
)


@answers(np.abs)
def abs(x: Tensor | complex, /) -> Tensor:
    """The magnitude of each element.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Real: of the dtype of x, or of its parts if x is complex.

    Notes
    -----
    Derivative: sign(x), which is x / |x| for complex numbers; 0 at 0.
    """
    return unary(ABS, x)


def _sign_vjp(g: Any, x: Any) -> Any:
    if not _is_complex(x):
        return times(g, 0.0)
    # Moving z turns z / |z| only by what is across z; along z nothing happens.
    direction = sign(x)
    across = subtract(g, multiply(direction, real(multiply(conj(direction), g))))
    size = abs(x)
    return where(equal(size, 0), 0, divide(across, size))


SIGN = declare(
    Op("sign", ("x",), Rule(x=_sign_vjp, jvp=lambda t, x: _sign_vjp(t[0], x)), dtypes="number",
       family="elementwise")
)  # fmt: skip


@answers(np.sign)
def sign(x: Tensor | complex, /) -> Tensor:
    """-1, 0 or 1 by the sign of each element; x / |x| for complex numbers.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Of the dtype of x; 0 at 0 and NaN at NaN.

    Notes
    -----
    Derivative: 0 for real numbers. For complex numbers a step t moves the direction s = x / |x| by
    (t - s Re(conj(s) t)) / |x|; 0 at 0.
    """
    return unary(SIGN, x)


SIGNBIT = declare(Op("signbit", ("x",), NONE, dtypes="real", family="elementwise"))


@answers(np.signbit)
def signbit(x: Tensor | float, /) -> Tensor:
    """Whether the sign bit is set: true for negative numbers and for -0.

    Parameters
    ----------
    x : Tensor, real-valued

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return unary(SIGNBIT, x)


def _copysign_x1(x1: Any, x2: Any) -> Any:
    return multiply(sign(x1), copysign(1.0, x2))


COPYSIGN = declare(
    Op("copysign", ("x1", "x2"), Partials(x1=_copysign_x1, x2=lambda: 0.0),
       dtypes="real floating", family="elementwise")
)  # fmt: skip


@answers(np.copysign)
def copysign(x1: Tensor | float, x2: Tensor | float, /) -> Tensor:
    """The magnitude of x1 with the sign of x2.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, real-valued
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Floating-point.

    Notes
    -----
    Derivative: d out / d x1 = sign(x1) * (sign of x2), 0 at x1 = 0; d out / d x2 = 0.
    """
    return binary(COPYSIGN, x1, x2)


# -- complex numbers -----------------------------------------------------------------------------


def conj(x: Tensor | complex, /) -> Tensor:
    """The complex conjugate.

    Parameters
    ----------
    x : Tensor, numeric

    Returns
    -------
    Tensor
        Of the dtype of x.

    Notes
    -----
    Derivative: the conjugate of the step, as the function is linear over the real numbers.
    """
    return unary(_cotangents.CONJ, operand(x, "conj"))


def _complex(real: Any, imag: Any, *, out: Any = None) -> Any:
    if out is None:
        dtype = np.complex64 if real.dtype.itemsize <= 4 else np.complex128
        out = np.empty(np.broadcast_shapes(real.shape, imag.shape), dtype)
    out.real = real
    out.imag = imag
    return out


def _to_real(g: Any) -> Any:
    return real(g)


def _to_imag(g: Any) -> Any:
    return imag(g)


COMPLEX = declare(
    Op("complex", ("real", "imag"), Linear(real=_to_real, imag=_to_imag),
       dtypes="real floating", family="elementwise")
)  # fmt: skip
register_kernel("complex", _complex)


def complex_from_parts(real: Any, imag: Any) -> Any:
    """The complex tensor with these parts; unlike real + 1j * imag it keeps infinities apart."""
    return binary(COMPLEX, real, imag)


def scaled(x: Any, factor: float) -> Any:
    """X times a real number, the parts of complex numbers each: 0 times infinity does not meet."""
    if not _is_complex(x):
        return multiply(x, factor)
    return complex_from_parts(multiply(real(x), factor), multiply(imag(x), factor))


def times_1j(x: Any) -> Any:
    """1j * x by its parts."""
    return complex_from_parts(negative(imag(x)), real(x))


def _real_vjp(g: Any, x_dtype: np.dtype[Any]) -> Any:
    return cast(complex_from_parts(g, 0.0), x_dtype) if x_dtype.kind == "c" else g


# Not called "real" and "imag": under those names there are kernels that copy.
REAL = declare(Op("real_view", ("x",), Linear(x=_real_vjp), family="view", scalar=False))
register_kernel("real_view", lambda x: x.real if x.dtype.kind == "c" else x[...])


@answers(np.real)
def real(x: Tensor | complex, /) -> Tensor:
    """The real part, as a view.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
        A view: writing to it changes x. For real tensors a view of all of x.

    Notes
    -----
    Derivative: the real part of the step; a cotangent g arrives at x as g + 0j.
    """
    return view(REAL, operand(x, "real"))  # type: ignore[no-any-return]


def _imag_vjp(g: Any, x_dtype: np.dtype[Any]) -> Any:
    return cast(complex_from_parts(0.0, g), x_dtype)


IMAG = declare(Op("imag_view", ("x",), Linear(x=_imag_vjp), family="view", scalar=False))
register_kernel("imag_view", lambda x: x.imag)


@answers(np.imag)
def imag(x: Tensor | complex, /) -> Tensor:
    """The imaginary part, as a view.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
        A view: writing to it changes x. For real tensors a new tensor of zeros.

    Notes
    -----
    Derivative: the imaginary part of the step; a cotangent g arrives at x as 0 + 1j * g.
    """
    z = operand(x, "imag")
    if _is_complex(z):
        return view(IMAG, z)  # type: ignore[no-any-return]
    if z._array.dtype.kind in "fV":
        return times(z, 0.0)  # type: ignore[no-any-return]
    return wrap(np.zeros(z._array.shape, z._array.dtype))  # type: ignore[no-any-return]


def _angle_vjp(g: Any, x: Any) -> Any:
    if not _is_complex(x):
        return times(g, 0.0)
    along, up = real(x), imag(x)
    return complex_from_parts(
        negative(times(g, slopes.angle_slope(along, up))), times(g, slopes.angle_slope(up, along))
    )


def _angle_jvp(t: tuple[Any, ...], x: Any) -> Any:
    if not _is_complex(x):
        return times(t[0], 0.0)
    along, up = real(x), imag(x)
    return subtract(
        times(imag(t[0]), slopes.angle_slope(up, along)),
        times(real(t[0]), slopes.angle_slope(along, up)),
    )


ANGLE = declare(
    Op("angle", ("x",), Rule(x=_angle_vjp, jvp=_angle_jvp), dtypes="floating",
       family="elementwise")
)  # fmt: skip


@answers(np.angle)
def angle(x: Tensor | complex, /, deg: bool = False) -> Tensor:
    """The angle of complex numbers in the plane, from -pi to pi.

    Parameters
    ----------
    x : Tensor, numeric
    deg : bool
        Give degrees instead of radians.

    Returns
    -------
    Tensor
        Real floating-point; 0 or pi for real numbers.

    Notes
    -----
    Derivative: a step t turns x by Im(conj(x) t) / |x|**2; 0 at 0 and for real tensors.
    """
    out = unary(ANGLE, x)
    return multiply(out, 180 / np.pi) if deg else out
