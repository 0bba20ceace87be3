"""Second derivatives at equal eigenvalues and singular values, and svd at the singular value 0."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._errors import GradientError, GradientWarning

RNG = np.random.default_rng(0)
Q4, Q3 = (np.linalg.qr(RNG.standard_normal((n, n)))[0] for n in (4, 3))
EYE = np.eye(3)


def symmetric(*eigenvalues: float) -> np.ndarray:
    basis = Q4 if len(eigenvalues) == 4 else Q3
    return basis @ np.diag(eigenvalues) @ basis.T


def rectangular(*values: float) -> np.ndarray:
    return Q4[:, :3] @ np.diag(values) @ Q3


def eigenvalues(x: Any) -> Any:
    return np.linalg.eigvalsh((x + np.swapaxes(x, -1, -2)) / 2)


def singular_values(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


def hermitian(x: Any) -> Any:
    """A complex Hermitian matrix of nine real numbers."""
    m = np.reshape(x, (3, 3))
    upper = np.triu(m, 1) + 1j * np.swapaxes(np.tril(m, -1), 0, 1)
    return upper + np.conj(np.swapaxes(upper, 0, 1)) + np.diag(np.diag(m))


def differences(f: Callable[[Any], Any], x: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """The Hessian by central differences of the gradient."""
    gradient = ag.grad(f)
    found = np.zeros((x.size, x.size))
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = h
        step = step.reshape(x.shape)
        found[i] = ((gradient(x + step) - gradient(x - step)) / (2 * h)).ravel()
    return found


REVERSE_FIRST: dict[str, Any] = {
    "hessian": ag.hessian,
    "jacfwd of grad": lambda f: ag.jacfwd(ag.grad(f)),
}
COMPOSITIONS: dict[str, Any] = {
    **REVERSE_FIRST,
    "jacrev of jacfwd": lambda f: ag.jacrev(ag.jacfwd(f)),
    "jacfwd of jacfwd": lambda f: ag.jacfwd(ag.jacfwd(f)),
}

SMOOTH: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "exp, all equal": (lambda x: np.sum(np.exp(eigenvalues(x))), EYE),
    "exp, two equal": (lambda x: np.sum(np.exp(eigenvalues(x))), symmetric(1, 1, 2, 3)),
    "log, two pairs": (lambda x: np.sum(np.log(eigenvalues(x))), symmetric(1, 1, 2, 2)),
    "product": (lambda x: np.prod(eigenvalues(x)), symmetric(1, 1, 2, 3)),
    "logsumexp": (lambda x: np.log(np.sum(np.exp(eigenvalues(x)))), symmetric(1, 1, 1, 3)),
    "largest beside a pair": (lambda x: eigenvalues(x)[-1], symmetric(1, 1, 2, 3)),
    "trace": (lambda x: np.sum(eigenvalues(x)), EYE),
    "squares at zero": (lambda x: np.sum(eigenvalues(x) ** 2), np.zeros((3, 3))),
    "stack": (lambda x: np.sum(np.exp(eigenvalues(x))), np.stack([EYE, symmetric(1, 2, 4)])),
    "complex": (lambda x: np.sum(np.exp(np.linalg.eigvalsh(hermitian(x)))), EYE.reshape(-1)),
    "nuclear, all equal": (lambda x: np.linalg.norm(x, "nuc"), 2 * EYE),
    "nuclear, tall": (lambda x: np.linalg.norm(x, "nuc"), rectangular(2, 2, 3)),
    "nuclear, wide": (lambda x: np.linalg.norm(x, "nuc"), rectangular(2, 2, 3).T),
    "largest singular value": (lambda x: np.linalg.norm(x, 2), np.diag([1.0, 1.0, 3.0])),
    "cubes": (lambda x: np.sum(singular_values(x) ** 3), rectangular(2, 2, 3)),
    "squares, zero": (lambda x: np.sum(singular_values(x) ** 2), np.zeros((2, 3))),
    "fourth powers, one zero": (lambda x: np.sum(singular_values(x) ** 4), np.ones((3, 2))),
    "cosh, two zeros": (lambda x: np.sum(np.cosh(singular_values(x))),
                        Q4 @ np.diag([0.0, 0, 2, 3]) @ Q4),
    "complex singular": (lambda x: np.sum(np.cosh(singular_values(hermitian(x) * 1j))),
                         EYE.reshape(-1)),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("hessian", REVERSE_FIRST)
def test_hessian_of_smooth_symmetric_functions(name: str, hessian: str) -> None:
    f, x = SMOOTH[name]
    got = np.asarray(REVERSE_FIRST[hessian](f)(x)).reshape(x.size, x.size)
    np.testing.assert_allclose(got, differences(f, x), atol=1e-6)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("hessian", ["jacrev of jacfwd", "jacfwd of jacfwd"])
def test_forward_mode_first_is_right_or_loud(name: str, hessian: str) -> None:
    f, x = SMOOTH[name]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            got = np.asarray(COMPOSITIONS[hessian](f)(x)).reshape(x.size, x.size)
        except GradientError:
            return
    if np.isfinite(got).all() and not any(w.category is GradientWarning for w in said):
        np.testing.assert_allclose(got, differences(f, x), atol=1e-6)


KINKED: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "largest of equal eigenvalues": (lambda x: eigenvalues(x)[-1], EYE),
    "weights": (lambda x: eigenvalues(x) @ np.array([1.0, 2.0, 3.0]), EYE),
    "nuclear, low rank": (lambda x: np.linalg.norm(x, "nuc"), np.diag([1.0, 2.0, 0.0])),
    "nuclear, square at zero": (lambda x: np.linalg.norm(x, "nuc") ** 2, np.zeros((2, 2))),
    "spectral, tie": (lambda x: np.linalg.norm(x, 2), np.diag([3.0, 1.0, 3.0])),
}


@pytest.mark.parametrize("name", KINKED)
@pytest.mark.parametrize("hessian", REVERSE_FIRST)
def test_no_second_derivative_at_kinks(name: str, hessian: str) -> None:
    f, x = KINKED[name]
    assert np.isfinite(ag.grad(f)(x)).all()
    with pytest.raises(GradientError, match="second derivative does not exist"):
        REVERSE_FIRST[hessian](f)(x)


def test_recorded_gradients_are_the_same_as_others() -> None:
    for f, x in [*SMOOTH.values(), *KINKED.values()]:
        leaf = ag.tensor(x, requires_grad=True)
        (recorded,) = ag.autograd.grad(f(leaf), [leaf], create_graph=True)
        np.testing.assert_allclose(recorded.detach().numpy(), ag.grad(f)(x), atol=1e-12)


def _trace_of_square(x: Any) -> Any:
    return np.real(np.sum(np.linalg.eigvals(x) ** 2))


@pytest.mark.parametrize("hessian", REVERSE_FIRST)
def test_second_derivatives_at_equal_eigenvalues_of_general_matrices(hessian: str) -> None:
    """That of tr(x @ x) by way of its eigenvalues was wrong, with a warning."""
    with pytest.raises(GradientError, match="eig: some eigenvalues"):
        REVERSE_FIRST[hessian](_trace_of_square)(EYE)


def test_forward_mode_first_at_equal_eigenvalues_of_general_matrices() -> None:
    with pytest.warns(GradientWarning, match="some eigenvalues are equal"):
        ag.jacrev(ag.jacfwd(_trace_of_square))(EYE)
    assert np.isnan(ag.jacfwd(ag.jacfwd(_trace_of_square))(EYE)).any()


def test_third_derivative_at_equal_eigenvalues_is_refused() -> None:
    f, x = SMOOTH["exp, all equal"]
    with pytest.raises((GradientError, GradientWarning), match="equal"):
        ag.jacrev(ag.hessian(f))(x)


# -- svd at the singular value 0 ------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_vectors_of_the_singular_value_zero_are_refused(shape: str) -> None:
    """They are any vectors of the null space, which has two dimensions or more."""
    x = np.zeros((4, 3) if shape == "tall" else (3, 4))
    x[0, 0], x[1, 1] = 3.0, 2.0
    w = np.random.default_rng(1).standard_normal(max(x.shape))

    def f(x: Any) -> Any:
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        null = u[:, -1] if shape == "tall" else vh[-1]
        return np.sum(null * w) ** 2

    with pytest.raises(GradientError, match="belong to the singular value 0"):
        ag.grad(f)(x)


@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_vectors_of_other_singular_values_have_a_gradient_and_a_warning(shape: str) -> None:
    x = np.zeros((4, 3) if shape == "tall" else (3, 4))
    x[0, 0], x[1, 1] = 3.0, 2.0
    w = np.random.default_rng(1).standard_normal(x.shape)

    def f(x: Any) -> Any:
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        return np.sum(np.outer(u[:, 0], vh[0]) * w)

    want = np.zeros(x.shape)
    h = 1e-6
    for i in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[i] = h
        want[i] = (f(x + step) - f(x - step)) / (2 * h)
    with pytest.warns(GradientWarning, match="a singular value is zero"):
        got = ag.grad(f)(x)
    np.testing.assert_allclose(got, want, atol=1e-7)


def test_null_vector_of_a_square_matrix_has_a_gradient() -> None:
    x = np.diag([3.0, 2.0, 0.0])
    w = np.random.default_rng(1).standard_normal((3, 3))

    def f(x: Any) -> Any:
        u, _, vh = np.linalg.svd(x)
        return u[:, -1] @ w @ u[:, -1] + vh[-1] @ w @ vh[-1]

    want = np.zeros((3, 3))
    for i in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[i] = 1e-6
        want[i] = (f(x + step) - f(x - step)) / 2e-6
    np.testing.assert_allclose(ag.grad(f)(x), want, atol=1e-7)
