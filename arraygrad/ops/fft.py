"""Discrete Fourier transforms, through NumPy's pocketfft.

Three linear ops do all the work: `fftn` (complex to complex along any axes, either direction),
`rfft` (real to half a spectrum) and `irfft` (back); a fourth, `fit`, trims and pads. Each one's
transpose is another of them: the transpose of a transform is the transform of the other
direction with the scaling moved to the other side, so that no matrix is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._apply import apply, cast, operand, wrap
from .._cotangents import conj, times
from .._device import Device, as_device
from .._dispatch import register_kernel
from .._dtypes import (
    DTypeLike,
    as_dtype,
    complex_dtype,
    default_dtype,
    float32,
    float64,
)
from .._errors import ArgumentError, DTypeError, ShapeError, out_of_memory
from .._layout import Shape, as_integer, as_real, listed, normalize_axis
from .._op import Linear, Op, declare
from . import manipulation

if TYPE_CHECKING:
    from .._tensor import Tensor

# The scaling of the transform that undoes, and of the transpose: the one on the other side.
_OTHER_SIDE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# -- the ops --------------------------------------------------------------------------------------


def _fit_kernel(x: Any, *, shape: Shape) -> Any:
    if all(n <= m for n, m in zip(shape, x.shape, strict=True)):
        return np.ascontiguousarray(x[tuple(slice(n) for n in shape)])
    out = np.zeros(shape, x.dtype)
    kept = tuple(slice(min(n, m)) for n, m in zip(shape, x.shape, strict=True))
    out[kept] = x[kept]
    return out


FIT: Op = declare(
    Op("fit", ("x",), Linear(x=lambda g, x_shape: apply(FIT, g, shape=x_shape)), scalar=False)
)
register_kernel("fit", _fit_kernel)


def _fftn_kernel(x: Any, *, axes: tuple[int, ...], norm: Any, inverse: bool) -> Any:
    if not axes:
        return x.copy()
    transform = np.fft.ifft if inverse else np.fft.fft
    for axis in reversed(axes):
        x = transform(x, axis=axis, norm=norm)
    return x


FFTN: Op = declare(
    Op("fftn", ("x",),
       Linear(x=lambda g, axes, norm, inverse: apply(
           FFTN, g, axes=axes, norm=_OTHER_SIDE[norm], inverse=not inverse)),
       dtypes="floating only", scalar=False)
)  # fmt: skip
register_kernel("fftn", _fftn_kernel)


def _edges(n: int, axis: int, ndim: int, dtype: Any, inner: float) -> Any:
    """1 at frequency 0 and at the highest one of an even length, `inner` elsewhere."""
    weights = np.full(n // 2 + 1, inner, dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return wrap(weights.reshape((-1,) + (1,) * (ndim - 1 - axis)))


def _rfft_transposed(g: Any, x_shape: Shape, axis: int, norm: str) -> Any:
    # irfft counts each inner frequency twice, for its mirror image.
    n = x_shape[axis]
    weights = _edges(n, axis, len(x_shape), g._array.real.dtype, 0.5)
    halved = times(g, cast(weights, g._array.dtype))
    return apply(IRFFT, halved, n=n, axis=axis, norm=_OTHER_SIDE[norm])


def _irfft_transposed(g: Any, n: int, axis: int, norm: str) -> Any:
    spectrum = apply(RFFT, g, axis=axis, norm=_OTHER_SIDE[norm])
    weights = _edges(n, axis, g._array.ndim, g._array.dtype, 2.0)
    return times(spectrum, cast(weights, spectrum._array.dtype))


RFFT = declare(Op("rfft", ("x",), Linear(x=_rfft_transposed), dtypes="real floating", scalar=False))
register_kernel("rfft", lambda x, *, axis, norm: np.fft.rfft(x, axis=axis, norm=norm))

IRFFT = declare(
    Op("irfft", ("x",), Linear(x=_irfft_transposed), dtypes="floating only", scalar=False)
)
register_kernel("irfft", lambda x, *, n, axis, norm: np.fft.irfft(x, n=n, axis=axis, norm=norm))


# -- arguments ------------------------------------------------------------------------------------


def _argument(x: Any, function: str, real: bool = False) -> Any:
    """The operand in a dtype that transforms exist for."""
    x = operand(x, function)
    dtype = x._array.dtype
    if real:
        if dtype.kind == "c":
            raise DTypeError(
                f"{function}: takes real input, not {dtype}; use fft for complex input, or "
                "transform ag.real(x)"
            )
        if dtype.kind in "biu":
            return cast(x, float64)
        return x if dtype.itemsize >= 4 else cast(x, float32)
    return cast(x, complex_dtype(dtype))


def _check_norm(norm: Any, function: str) -> str:
    if norm is None:
        return "backward"
    if not isinstance(norm, str) or norm not in _OTHER_SIDE:
        raise ArgumentError(
            f"{function}: norm={norm!r}; use 'backward', 'ortho' or 'forward' (who divides by n)"
        )
    return str(norm)


def _axis_and_length(x: Any, n: int | None, axis: int, function: str) -> tuple[int, int]:
    array = x._array
    if not array.ndim:
        raise ShapeError(f"{function}: the argument is 0-d; a transform needs an axis")
    axis = normalize_axis(axis, array.ndim)
    length = array.shape[axis] if n is None else as_integer(n, "n", function)
    if length < 1:
        raise ArgumentError(f"{function}: {length} points along axis {axis}; give n of at least 1")
    return axis, length


def _axes_and_lengths(
    x: Any, s: Sequence[int] | None, axes: Sequence[int] | None, function: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    array = x._array
    if s is not None:
        s = listed(s)
    if axes is None:
        count = array.ndim if s is None else len(s)
        if count > array.ndim:
            raise ArgumentError(
                f"{function}: s={tuple(s or ())} names {count} sizes, the tensor has {array.ndim} "
                "dimensions"
            )
        numbers = tuple(range(array.ndim - count, array.ndim))
    else:
        numbers = tuple(normalize_axis(a, array.ndim, "axes") for a in listed(axes))
    if s is None:
        lengths = tuple(array.shape[a] for a in numbers)
    else:
        lengths = tuple(
            array.shape[a] if k == -1 else as_integer(k, "s", function)
            for k, a in zip(s, numbers, strict=False)
        )
    if len(lengths) != len(numbers) or (s is not None and len(s) != len(numbers)):
        raise ArgumentError(
            f"{function}: {len(s or ())} sizes in s for {len(numbers)} axes; give one size per axis"
        )
    for length in lengths:
        if length < 1:
            raise ArgumentError(f"{function}: {length} points; each size must be at least 1")
    return numbers, lengths


def _fit(x: Any, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Any:
    """The tensor trimmed or padded with zeros at the end of these axes."""
    shape = list(x._array.shape)
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    return x if tuple(shape) == x._array.shape else apply(FIT, x, shape=tuple(shape))


def _transform(x: Any, n: int | None, axis: int, norm: Any, function: str, inverse: bool) -> Any:
    norm = _check_norm(norm, function)
    x = _argument(x, function)
    axis, length = _axis_and_length(x, n, axis, function)
    return apply(FFTN, _fit(x, (axis,), (length,)), axes=(axis,), norm=norm, inverse=inverse)


def _transform_n(x: Any, s: Any, axes: Any, norm: Any, function: str, inverse: bool) -> Any:
    norm = _check_norm(norm, function)
    x = _argument(x, function)
    numbers, lengths = _axes_and_lengths(x, s, axes, function)
    return apply(FFTN, _fit(x, numbers, lengths), axes=numbers, norm=norm, inverse=inverse)


# -- complex transforms ---------------------------------------------------------------------------


@answers(np.fft.fft)
def fft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    x : Tensor, floating-point
        Real input is transformed as complex.
    n : int, optional
        Number of points: longer input is trimmed, shorter input padded with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        Which side divides by n: the inverse, both by sqrt(n), or this transform.

    Returns
    -------
    Tensor, complex
        complex64 for float32 and complex64.

    Notes
    -----
    Derivative: the inverse transform of the cotangent without the division by n.
    """
    return _transform(x, n, axis, norm, "fft", False)  # type: ignore[no-any-return]


@answers(np.fft.ifft)
def ifft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Inverse of `fft`.

    Parameters
    ----------
    x : Tensor, floating-point
    n : int, optional
        Number of points: longer input is trimmed, shorter input padded with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        As in `fft`; by default this transform divides by n.

    Returns
    -------
    Tensor, complex

    Notes
    -----
    Derivative: the transform of the cotangent, with the same scaling.
    """
    return _transform(x, n, axis, norm, "ifft", True)  # type: ignore[no-any-return]


@answers(np.fft.fftn)
def fftn(
    x: Tensor,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Tensor:
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    x : Tensor, floating-point
    s : sequence of int, optional
        Number of points along each axis; -1 takes all.
    axes : sequence of int, optional
        All by default, or the last len(s).
    norm : {"backward", "ortho", "forward"}
        Which side divides by the number of points, see `fft`.

    Returns
    -------
    Tensor, complex

    Notes
    -----
    Derivative: the inverse transform of the cotangent without the division.
    """
    return _transform_n(x, s, axes, norm, "fftn", False)  # type: ignore[no-any-return]


@answers(np.fft.ifftn)
def ifftn(
    x: Tensor,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Tensor:
    """Inverse of `fftn`.

    Parameters
    ----------
    x : Tensor, floating-point
    s : sequence of int, optional
        Number of points along each axis; -1 takes all.
    axes : sequence of int, optional
        All by default, or the last len(s).
    norm : {"backward", "ortho", "forward"}
        As in `fftn`; by default this transform divides by the number of points.

    Returns
    -------
    Tensor, complex

    Notes
    -----
    Derivative: the transform of the cotangent, with the same scaling.
    """
    return _transform_n(x, s, axes, norm, "ifftn", True)  # type: ignore[no-any-return]


# -- real transforms ------------------------------------------------------------------------------


@answers(np.fft.rfft)
def rfft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Discrete Fourier transform of real input: the non-negative frequencies.

    Parameters
    ----------
    x : Tensor, real floating-point
    n : int, optional
        Number of points: longer input is trimmed, shorter input padded with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        Which side divides by n, see `fft`.

    Returns
    -------
    Tensor, complex
        n // 2 + 1 frequencies along the axis.

    Notes
    -----
    Derivative: real; the inverse transform in which each inner frequency counts half.
    """
    norm = _check_norm(norm, "rfft")
    x = _argument(x, "rfft", real=True)
    axis, length = _axis_and_length(x, n, axis, "rfft")
    return apply(RFFT, _fit(x, (axis,), (length,)), axis=axis, norm=norm)  # type: ignore[no-any-return]


@answers(np.fft.irfft)
def irfft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Inverse of `rfft`: the real signal with this half of its spectrum.

    Parameters
    ----------
    x : Tensor, floating-point
    n : int, optional
        Number of points of the result; 2 * (size - 1) by default. Give it for odd lengths.
    axis : int
    norm : {"backward", "ortho", "forward"}
        As in `rfft`; by default this transform divides by n.

    Returns
    -------
    Tensor, real
        The imaginary parts at frequency 0 and at the highest of an even length are ignored.

    Notes
    -----
    Derivative: the transform of the cotangent in which each inner frequency counts twice.
    """
    norm = _check_norm(norm, "irfft")
    x = _argument(x, "irfft")
    axis, length = _real_length(x, n, axis, "irfft")
    fitted = _fit(x, (axis,), (length // 2 + 1,))
    return apply(IRFFT, fitted, n=length, axis=axis, norm=norm)  # type: ignore[no-any-return]


@answers(np.fft.rfftn)
def rfftn(
    x: Tensor,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Tensor:
    """`rfft` along the last of the axes, `fft` along the others.

    Parameters
    ----------
    x : Tensor, real floating-point
    s : sequence of int, optional
        Number of points along each axis; -1 takes all.
    axes : sequence of int, optional
        All by default, or the last len(s).
    norm : {"backward", "ortho", "forward"}
        Which side divides by the number of points, see `fft`.

    Returns
    -------
    Tensor, complex

    Notes
    -----
    Derivative: that of `fft` and `rfft`.
    """
    norm = _check_norm(norm, "rfftn")
    x = _argument(x, "rfftn", real=True)
    numbers, lengths = _axes_and_lengths(x, s, axes, "rfftn")
    if not numbers:
        raise ArgumentError("rfftn: there are no axes to transform; name at least one")
    half = apply(RFFT, _fit(x, numbers, lengths), axis=numbers[-1], norm=norm)
    return apply(FFTN, half, axes=numbers[:-1], norm=norm, inverse=False)  # type: ignore[no-any-return]


@answers(np.fft.irfftn)
def irfftn(
    x: Tensor,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
) -> Tensor:
    """Inverse of `rfftn`.

    Parameters
    ----------
    x : Tensor, floating-point
    s : sequence of int, optional
        Number of points of the result along each axis.
    axes : sequence of int, optional
        All by default, or the last len(s).
    norm : {"backward", "ortho", "forward"}
        As in `rfftn`; by default this transform divides by the number of points.

    Returns
    -------
    Tensor, real

    Notes
    -----
    Derivative: that of `ifft` and `irfft`.
    """
    norm = _check_norm(norm, "irfftn")
    x = _argument(x, "irfftn")
    numbers, lengths = _axes_and_lengths(x, s, axes, "irfftn")
    if not numbers:
        raise ArgumentError("irfftn: there are no axes to transform; name at least one")
    last = numbers[-1]
    given = None if s is None else lengths[-1]
    last, length = _real_length(x, given, last, "irfftn")
    fitted = _fit(x, numbers, (*lengths[:-1], length // 2 + 1))
    full = apply(FFTN, fitted, axes=numbers[:-1], norm=norm, inverse=True)
    return apply(IRFFT, full, n=length, axis=last, norm=norm)  # type: ignore[no-any-return]


@answers(np.fft.hfft)
def hfft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Discrete Fourier transform of a signal with Hermitian symmetry: a real spectrum.

    Parameters
    ----------
    x : Tensor, floating-point
        Half of the signal.
    n : int, optional
        Number of points of the result; 2 * (size - 1) by default.
    axis : int
    norm : {"backward", "ortho", "forward"}
        Which side divides by n, see `fft`.

    Returns
    -------
    Tensor, real

    Notes
    -----
    Derivative: that of `irfft`.
    """
    norm = _check_norm(norm, "hfft")
    x = _argument(x, "hfft")
    return irfft(conj(x), n, axis, _OTHER_SIDE[norm])


@answers(np.fft.ihfft)
def ihfft(
    x: Tensor, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
) -> Tensor:
    """Inverse of `hfft`.

    Parameters
    ----------
    x : Tensor, real floating-point
    n : int, optional
        Number of points: longer input is trimmed, shorter input padded with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        As in `hfft`; by default this transform divides by n.

    Returns
    -------
    Tensor, complex
        n // 2 + 1 elements along the axis.

    Notes
    -----
    Derivative: that of `rfft`.
    """
    norm = _check_norm(norm, "ihfft")
    return conj(rfft(x, n, axis, _OTHER_SIDE[norm]))  # type: ignore[no-any-return]


def _real_length(x: Any, n: int | None, axis: int, function: str) -> tuple[int, int]:
    """Axis and number of real points of a transform back from half a spectrum."""
    axis, size = _axis_and_length(x, None, axis, function)
    length = 2 * (size - 1) if n is None else as_integer(n, "n", function)
    if length < 1:
        raise ArgumentError(f"{function}: {length} points along axis {axis}; give n of at least 1")
    return axis, length


# -- frequencies ----------------------------------------------------------------------------------


def _frequencies(
    make: Callable[..., Any], n: int, d: float, dtype: DTypeLike | None, device: Any
) -> Any:
    as_device(device)
    target = default_dtype("real floating") if dtype is None else as_dtype(dtype)
    if target.kind not in "fV":
        raise DTypeError(f"{make.__name__}: dtype={target} is not a real floating-point dtype")
    count = as_integer(n, "n", make.__name__)
    if count < 1:
        raise ArgumentError(f"{make.__name__}: n={count}; give at least one point")
    try:
        made = make(count, as_real(d, "d", make.__name__)).astype(target)
    except (MemoryError, OverflowError, ValueError) as error:  # too many even to be counted
        raise out_of_memory(make.__name__, MemoryError(str(error))) from error
    return wrap(made)


def fftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Frequencies that the elements of ``fft(x, n)`` belong to, in cycles per unit of `d`.

    Parameters
    ----------
    n : int
        Number of points of the transform.
    d : float
        Distance of two samples.
    dtype : dtype, optional
        Real floating-point; the default is float64.
    device : Device or str, optional

    Returns
    -------
    Tensor, shape (n,)
        Non-negative frequencies first, then the negative ones.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    return _frequencies(np.fft.fftfreq, n, d, dtype, device)  # type: ignore[no-any-return]


def rfftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Frequencies that the elements of ``rfft(x, n)`` belong to, in cycles per unit of `d`.

    Parameters
    ----------
    n : int
        Number of points of the transform.
    d : float
        Distance of two samples.
    dtype : dtype, optional
        Real floating-point; the default is float64.
    device : Device or str, optional

    Returns
    -------
    Tensor, shape (n // 2 + 1,)
        0 to the highest frequency.
    """
    return _frequencies(np.fft.rfftfreq, n, d, dtype, device)  # type: ignore[no-any-return]


def _shift(x: Any, axes: Any, function: str, back: bool) -> Any:
    x = operand(x, function)
    shape = x._array.shape
    if axes is None:
        numbers = tuple(range(len(shape)))
    else:
        numbers = tuple(normalize_axis(a, len(shape), "axes") for a in listed(axes))
    if not numbers:
        return x.copy()
    steps = tuple(-(shape[a] // 2) if back else shape[a] // 2 for a in numbers)
    return manipulation.roll(x, steps, axis=numbers)


@answers(np.fft.fftshift)
def fftshift(x: Tensor, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """The spectrum with frequency 0 in the middle.

    Parameters
    ----------
    x : Tensor
    axes : int or sequence of int, optional
        All by default.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: the cotangent shifted back.
    """
    return _shift(x, axes, "fftshift", False)  # type: ignore[no-any-return]


@answers(np.fft.ifftshift)
def ifftshift(x: Tensor, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """The spectrum with frequency 0 first: undoes `fftshift`, for odd lengths too.

    Parameters
    ----------
    x : Tensor
    axes : int or sequence of int, optional
        All by default.

    Returns
    -------
    Tensor

    Notes
    -----
    Derivative: the cotangent shifted back.
    """
    return _shift(x, axes, "ifftshift", True)  # type: ignore[no-any-return]
