"""Single precision and complex values stay what they are."""

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance

import arraygrad as ag

MATRIX = np.random.default_rng(23).normal(size=(5, 5)) + 5 * np.eye(5)
CALLS = {
    "solve": lambda x: scipy.linalg.solve(x, x[0]),
    "cholesky": lambda x: scipy.linalg.cholesky(x @ x.conj().T),
    "expm": scipy.linalg.expm,
    "trapezoid": scipy.integrate.trapezoid,
    "simpson": scipy.integrate.simpson,
    "gaussian_filter": lambda x: scipy.ndimage.gaussian_filter(x, 1.0),
    "convolve": lambda x: scipy.signal.convolve(x, x[:2, :2]),
    "lfilter": lambda x: scipy.signal.lfilter(x[0, :2], x[1, :3], x[2]),
}


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("name", CALLS)
def test_dtype_is_that_of_scipy(name, dtype):
    x = MATRIX.astype(dtype)
    if dtype == "complex128":
        x = x + 0.3j * MATRIX.T
    f = ag.lift(CALLS[name])
    expected = CALLS[name](x)
    found = f(ag.tensor(x, requires_grad=True))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-4)


def test_holomorphic_derivatives_through_complex_rules():
    x = MATRIX + 0.3j * MATRIX.T
    for name in ("solve", "expm", "convolve", "lfilter"):
        f = CALLS[name]
        direction = np.random.default_rng(5).normal(size=(5, 5)) * (1 + 0.5j)
        _, tangent = ag.jvp(f, (x,), (direction,))
        h = 1e-6
        expected = (f(x + h * direction) - f(x - h * direction)) / (2 * h)
        np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
