"""Errors of stand-ins are of the kinds that SciPy's are: programs catch them to go on."""

import warnings

import numpy as np
import pytest
import scipy.linalg

import arraygrad as ag

ONE = ("cholesky", "cho_factor", "inv", "det", "qr", "svd", "svdvals", "eigh", "eigvalsh", "eig",
       "eigvals", "pinv", "polar", "logm", "expm", "schur", "hessenberg", "rq", "eig_banded",
       "eigvals_banded", "cholesky_banded")  # fmt: skip
INPUTS = {
    "a number": np.array(0.5),
    "one element": np.array([0.5]),
    "a vector": np.array([0.5, 0.3, 0.9]),
    "wide": np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]),
    "NaN": np.full((2, 2), np.nan),
    "infinite": np.array([[2.0, np.inf], [np.inf, 2.0]]),
    "singular": np.ones((2, 2)),
    "indefinite": np.diag([1.0, -1.0]),
}


def outcome(function, x):
    """The first array of the result, or the kind of the error."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)
            out = function(x)
    except np.linalg.LinAlgError:
        return "LinAlgError"
    except ValueError:
        return "ValueError"
    out = out[0] if isinstance(out, tuple) else out
    return np.asarray(out.detach()) if isinstance(out, ag.Tensor) else np.asarray(out)


@pytest.mark.parametrize("case", INPUTS)
@pytest.mark.parametrize("name", ONE)
def test_errors_are_of_scipys_kind(name, case):
    x, real = INPUTS[case], getattr(scipy.linalg, name)
    if (name, case) in (("expm", "NaN"), ("expm", "infinite"), ("logm", "singular")):
        pytest.skip("what SciPy does depends on its version")
    wanted = outcome(real, x)
    found = outcome(ag.lift(lambda x: real(x)), ag.tensor(x, requires_grad=True))
    if isinstance(wanted, str) or isinstance(found, str):
        assert str(found) == str(wanted)
    else:
        assert found.shape == wanted.shape
        if name not in ("qr", "svd", "eigh", "eig", "polar", "logm", "rq"):  # unique up to signs
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["cholesky", "inv", "det", "svd"])
def test_values_that_are_not_finite_pass_where_they_are_meant(name):
    x = ag.tensor([[2.0, np.nan], [np.nan, 2.0]], requires_grad=True)
    real = getattr(scipy.linalg, name)
    with pytest.raises(ag.errors.ArgumentError, match="check_finite=False"):
        ag.lift(lambda x: real(x))(x)
    wanted = outcome(lambda x: real(x, check_finite=False), np.asarray(x.detach()))
    found = outcome(ag.lift(lambda x: real(x, check_finite=False)), x)
    assert isinstance(found, str) == isinstance(wanted, str)


def test_a_second_try_is_made_where_the_plain_program_makes_it():
    """A covariance that is no matrix is another error than one that is not positive definite."""

    def log_determinant(c):
        try:
            factor = scipy.linalg.cholesky(c, lower=True)
        except scipy.linalg.LinAlgError:
            factor = scipy.linalg.cholesky(c + 1e-3 * np.eye(len(c)), lower=True)
        return 2 * np.log(np.diagonal(factor)).sum()

    for c in (np.array([0.5]), np.array([[2.0, 1.0], [1.0, 0.5]]), np.eye(2)):
        value, gradient = ag.value_and_grad(log_determinant)(c)
        assert value == pytest.approx(log_determinant(c), rel=1e-12)
        assert np.isfinite(gradient).all()
