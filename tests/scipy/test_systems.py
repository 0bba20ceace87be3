"""Linear systems as objects of lifted code, and dtypes of what their functions give."""

import numpy as np
import pytest
import scipy.cluster.vq as vq
import scipy.linalg as sl
import scipy.signal as ss

import arraygrad as ag

X = np.sin(0.7 * np.arange(16))
OUTSIDE = ss.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]])


def test_systems_without_gradients_are_combined_as_scipys():
    def f(x):
        both = 2 * OUTSIDE + ss.StateSpace([[-2.0]], [[1.0]], [[1.0]], [[0.0]]) - OUTSIDE
        return (-both / 2.0).output(x, np.arange(16.0))[1]

    x = ag.tensor(X, requires_grad=True)
    np.testing.assert_allclose(ag.lift(f)(x).detach(), f(X), rtol=1e-10)


def test_what_scipys_system_has_not_is_no_attribute():
    with pytest.raises(AttributeError, match="nonsense"):
        ag.lift(lambda k: ss.lti([k], [1.0, k]).nonsense)(ag.tensor(1.3, requires_grad=True))


@pytest.mark.parametrize("number", range(7))
def test_dtypes_are_scipys(number):
    f, x = (
        (lambda x: ss.ShortTimeFFT(np.ones(8), 4, 1.0).spectrogram(x), X),
        (lambda x: ss.ShortTimeFFT(np.ones(8), 4, 1.0).istft(x[:5, None] * x[:6]), X),
        (lambda x: vq.whiten(x.reshape(8, 2)), X),
        (lambda x: sl.schur(x)[0], np.array([[2.0, 1.0], [0.3, 1.0]])),
        (lambda x: sl.rq(x)[1], np.array([[2.0, 1.0], [0.3, 1.0]])),
        (lambda x: sl.eigh_tridiagonal(x, x[1:])[0], X),
        (lambda x: sl.matmul_toeplitz(x, x), X),
    )[number]
    x = x.astype(np.float32)
    found, wanted = ag.lift(f)(ag.tensor(x, requires_grad=True)), f(x)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.detach(), wanted, rtol=1e-4, atol=1e-4)
