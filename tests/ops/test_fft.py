"""Fourier transforms where the samples do not reach: dtypes, errors, identities.

Values against NumPy and derivatives are rows of tests/samples/fft.py.
"""

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import fft
from arraygrad._apply import wrap
from arraygrad._errors import ArgumentError, AxisError, DTypeError, ShapeError


def gradient(function, value):
    x = ag.tensor(np.asarray(value), requires_grad=True)
    out = function(x)
    out.backward(wrap(np.ones(out.shape, out.dtype)))
    return x.grad._array


@pytest.mark.parametrize(
    ("function", "dtype", "want"),
    [
        (fft.fft, "float32", "complex64"),
        (fft.fft, "float16", "complex64"),
        (fft.ifftn, "complex64", "complex64"),
        (fft.fft, "int64", "complex128"),
        (fft.rfft, "float32", "complex64"),
        (fft.rfftn, "float64", "complex128"),
        (fft.irfft, "complex64", "float32"),
        (fft.hfft, "complex128", "float64"),
        (fft.ihfft, "float32", "complex64"),
    ],
)
def test_precision_is_kept(function, dtype, want):
    assert function(np.ones((2, 4), dtype)).dtype == np.dtype(want)


@pytest.mark.parametrize(
    "function", [lambda x: abs(fft.fft(x)), lambda x: abs(fft.rfft(x)), lambda x: fft.irfft(x)]
)
def test_gradients_keep_the_dtype_of_the_argument(function):
    for dtype in ("float32", "float64"):
        assert gradient(function, np.arange(1.0, 6.0).astype(dtype)).dtype == dtype


def test_parseval():
    """The energy of the spectrum has the gradient 2 n x."""
    x = np.array([0.3, 1.1, 2.0, -0.7])
    found = gradient(lambda v: ag.sum(abs(fft.fft(v)) ** 2), x)
    np.testing.assert_allclose(found, 2 * 4 * x, rtol=1e-13)
    found = gradient(lambda v: ag.sum(abs(fft.fft(v, norm="ortho")) ** 2), x)
    np.testing.assert_allclose(found, 2 * x, rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_there_and_back_has_the_gradient_one(n):
    x = np.arange(1.0, n + 1)
    for call in (
        lambda v: fft.irfft(fft.rfft(v), n=n),
        lambda v: ag.real(fft.ifft(fft.fft(v))),
        lambda v: fft.hfft(fft.ihfft(v), n=n),
        lambda v: fft.ifftshift(fft.fftshift(v)),
    ):
        np.testing.assert_allclose(gradient(call, x), np.ones(n), rtol=1e-13)


def test_imaginary_part_of_frequency_zero_does_not_reach_irfft():
    found = gradient(lambda z: ag.sum(fft.irfft(z, n=4) * np.arange(4.0)), np.ones(3, complex))
    assert found[0].imag == 0
    assert found[2].imag == 0
    assert found[1].imag != 0


def test_padded_elements_get_no_gradient_beyond_the_input():
    assert gradient(lambda x: abs(fft.fft(x, n=8)), np.arange(3.0)).shape == (3,)
    found = gradient(lambda x: abs(fft.fft(x, n=2)), np.arange(1.0, 5.0))
    np.testing.assert_array_equal(found[2:], [0.0, 0.0])


def test_bad_arguments_are_refused():
    x = np.ones((2, 3))
    with pytest.raises(ArgumentError, match="norm='x'"):
        fft.fft(x, norm="x")
    with pytest.raises(ArgumentError, match="0 points"):
        fft.fft(x, n=0)
    with pytest.raises(ArgumentError, match="at least 1"):
        fft.fftn(x, s=(0, 2))
    with pytest.raises(ArgumentError, match="one size per axis"):
        fft.fftn(x, s=(1, 2), axes=(0,))
    with pytest.raises(AxisError):
        fft.fft(x, axis=2)
    with pytest.raises(ShapeError, match="0-d"):
        fft.fft(np.float64(1.0))
    with pytest.raises(DTypeError, match="takes real input"):
        fft.rfft(x * 1j)
    with pytest.raises(DTypeError, match="not a real"):
        fft.fftfreq(4, dtype=ag.complex128)
    with pytest.raises(ArgumentError, match="at least 1"):
        fft.irfft(np.ones(1))


def test_frequencies():
    np.testing.assert_array_equal(fft.fftfreq(5, d=0.1)._array, np.fft.fftfreq(5, 0.1))
    out = fft.rfftfreq(5, dtype=ag.float32)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out._array, np.fft.rfftfreq(5))


def test_shifts_of_some_axes():
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(fft.fftshift(x, axes=0)._array, np.fft.fftshift(x, 0))
    np.testing.assert_array_equal(fft.ifftshift(x, axes=(0, 1))._array, np.fft.ifftshift(x))
