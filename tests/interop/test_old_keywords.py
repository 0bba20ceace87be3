"""Keywords that NumPy 2.4 took out: with an older one they mean and warn what NumPy's do."""

import warnings

import numpy as np
import pytest

import arraygrad as ag

VALUES = np.array([[0.5, -1.0, 2.0], [1.5, 4.0, -3.0]])
# name -> (the call with the old keyword, what it is called with now).
ROWS = {
    "percentile(interpolation=)": (
        lambda x: np.percentile(x, 40, interpolation="lower"),
        lambda x: np.percentile(x, 40, method="lower"),
    ),
    "quantile(interpolation=)": (
        lambda x: np.quantile(x, 0.4, axis=0, interpolation="linear"),
        lambda x: np.quantile(x, 0.4, axis=0, method="linear"),
    ),
    "nanpercentile(interpolation=)": (
        lambda x: np.nanpercentile(x, 40, interpolation="higher"),
        lambda x: np.nanpercentile(x, 40, method="higher"),
    ),
    "nanquantile(interpolation=)": (
        lambda x: np.nanquantile(x, 0.4, interpolation="midpoint"),
        lambda x: np.nanquantile(x, 0.4, method="midpoint"),
    ),
    "reshape(newshape=)": (
        lambda x: np.reshape(x, newshape=(3, -1), order="F"),
        lambda x: np.reshape(x, (3, -1), order="F"),
    ),
    "corrcoef(bias=)": (lambda x: np.corrcoef(x, bias=True), np.corrcoef),
    "corrcoef(ddof=)": (lambda x: np.corrcoef(x, ddof=1), np.corrcoef),
}
TAKEN_OUT = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


def called(function, x):
    """The result, and the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(x)
    return result, [(w.category, str(w.message)) for w in caught]


@pytest.mark.skipif(TAKEN_OUT, reason="NumPy 2.4 took these keywords out")
@pytest.mark.parametrize("name", ROWS)
def test_old_keywords_mean_and_warn_what_numpys_do(name):
    old, now = ROWS[name]
    x, y = (ag.tensor(VALUES, requires_grad=True) for _ in range(2))
    want, warned = called(old, VALUES)
    found, said = called(old, x)
    np.testing.assert_allclose(found.detach().numpy(), want, rtol=1e-12)
    assert said == warned
    (found * np.arange(found.size).reshape(found.shape)).sum().backward()
    expected = now(y)
    (expected * np.arange(expected.size).reshape(expected.shape)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize("name", ROWS)
def test_old_keywords_are_refused_where_numpy_refuses_them(name):
    old, _ = ROWS[name]
    if not TAKEN_OUT:
        pytest.skip("NumPy before 2.4 takes these keywords")
    for x in (VALUES, ag.asarray(VALUES)):
        with pytest.raises(TypeError, match="unexpected keyword"):
            old(x)


@pytest.mark.skipif(TAKEN_OUT, reason="NumPy 2.4 took newshape out")
def test_one_shape_is_asked_for():
    for x in (VALUES, ag.asarray(VALUES)):
        with pytest.raises(TypeError, match=r"'newshape' and 'shape'"):
            np.reshape(x, (6,), newshape=(6,))
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'shape'"):
            np.reshape(x)
