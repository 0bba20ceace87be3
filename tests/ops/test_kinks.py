"""Second derivatives of functions of abs, hypot, norms, std and roots where these are zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._errors import GradientError, GradientWarning

EYE = np.eye(3)
CENTRED = 2 / 3 * (EYE - 1 / 3)

# Smooth at zero: function and its Hessian there.
SMOOTH: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "norm**2": (lambda x: np.linalg.norm(x) ** 2, 2 * EYE),
    "norm*norm": (lambda x: np.linalg.norm(x) * np.linalg.norm(x), 2 * EYE),
    "norm of two products": (lambda x: np.linalg.norm(2 * x) * np.linalg.norm(x * 2), 8 * EYE),
    "norm**4": (lambda x: np.linalg.norm(x) ** 4, 0 * EYE),
    "cos norm": (lambda x: np.cos(np.linalg.norm(x)), -EYE),
    "norm of rows": (lambda x: np.sum(np.linalg.norm(np.outer(x, [1.0, 2.0]), axis=1) ** 2),
                     10 * EYE),
    "frobenius": (lambda x: np.linalg.norm(np.stack([x, x])) ** 2, 4 * EYE),
    "abs": (lambda x: np.sum(np.abs(x) ** 2), 2 * EYE),
    "abs of complex": (lambda x: np.sum(np.abs((1 + 2j) * x) ** 2), 10 * EYE),
    "hypot": (lambda x: np.hypot(x[0], x[1]) ** 2 + x[2] ** 2, 2 * EYE),
    "sqrt": (lambda x: np.sqrt(np.sum(x**2)) ** 2, 2 * EYE),
    "std": (lambda x: np.std(x) ** 2, CENTRED),
    "times a variable": (lambda x: (3 + x[0]) * np.linalg.norm(x) ** 2, 6 * EYE),
    "not selected": (lambda x: np.sum(np.where(np.abs(x) > 0, np.sqrt(np.abs(x)), x * x)),
                     2 * EYE),
    "norm not selected": (lambda x: np.where(np.linalg.norm(x) > 0, np.linalg.norm(x), x @ x),
                          2 * EYE),
}  # fmt: skip
SHARP: dict[str, Callable[[Any], Any]] = {
    "norm": lambda x: np.linalg.norm(x),
    "norm + square": lambda x: np.linalg.norm(x) + x @ x,
    "3-norm**2": lambda x: np.linalg.norm(x, 3) ** 2,
    "1-norm**2": lambda x: np.linalg.norm(x, 1) ** 2,
    "product of norms": lambda x: np.sum(np.linalg.norm(np.outer(x, [1.0, 2.0]), axis=1)) ** 2,
    "abs of complex": lambda x: np.sum(np.abs(1j * x)),
    "norm times a variable": lambda x: x[0] * np.linalg.norm(x),
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "std": lambda x: np.std(x),
}
REVERSE_FIRST = {
    "hessian": ag.hessian,
    "jacfwd of grad": lambda f: ag.jacfwd(ag.grad(f)),
}
FORWARD_FIRST = {
    "jacrev of jacfwd": lambda f: ag.jacrev(ag.jacfwd(f)),
    "jacfwd of jacfwd": lambda f: ag.jacfwd(ag.jacfwd(f)),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("hessian", REVERSE_FIRST)
def test_smooth_functions_have_their_hessian(name: str, hessian: str) -> None:
    """The Hessian of norm(x)**2 at zero was zero."""
    f, want = SMOOTH[name]
    got = REVERSE_FIRST[hessian](f)(np.zeros(3))
    np.testing.assert_allclose(got, want, atol=1e-12)


@pytest.mark.parametrize("name", SHARP)
@pytest.mark.parametrize("hessian", REVERSE_FIRST)
def test_functions_without_second_derivative_raise(name: str, hessian: str) -> None:
    f = SHARP[name]
    assert np.all(ag.grad(lambda x: f(x) + 0.0 * x[0])(np.zeros(3)) == 0)
    with pytest.raises(GradientError, match="second derivative does not exist"):
        REVERSE_FIRST[hessian](f)(np.zeros(3))


@pytest.mark.parametrize("name", [n for n in SMOOTH if "selected" not in n and "**4" not in n])
@pytest.mark.parametrize("hessian", FORWARD_FIRST)
def test_forward_mode_first_says_that_it_cannot_tell(name: str, hessian: str) -> None:
    f, _ = SMOOTH[name]
    with pytest.warns(GradientWarning, match="in forward mode it is taken to be zero"):
        FORWARD_FIRST[hessian](f)(np.zeros(3))


@pytest.mark.parametrize("hessian", REVERSE_FIRST.values())
def test_abs_of_real_numbers_is_straight_on_both_sides(hessian: Any) -> None:
    got = hessian(lambda x: np.sum(np.abs(x)) + x @ x)(np.array([0.0, 1.0, -2.0]))
    np.testing.assert_allclose(got, 2 * EYE)


def test_elements_at_zero_of_a_norm_below_two() -> None:
    x = np.array([0.0, 1.0, 2.0])
    with pytest.raises(GradientError, match=r"an element of the 1\.5-norm is zero"):
        ag.hessian(lambda x: np.linalg.norm(x, 1.5))(x)
    assert np.isfinite(ag.hessian(lambda x: np.linalg.norm(x, 3))(x)).all()


def test_first_derivatives_of_recorded_passes_are_the_same() -> None:
    for f, _ in SMOOTH.values():
        x = ag.tensor(np.zeros(3), requires_grad=True)
        out = f(x)
        (recorded,) = ag.autograd.grad(out, [x], create_graph=True)
        assert recorded.detach().tolist() == [0.0] * 3


def test_hooks_see_the_cotangents_of_the_pass_alone() -> None:
    x = ag.tensor(np.zeros(3), requires_grad=True)
    r = np.linalg.norm(x)
    r.retain_grad()
    seen = []
    r.register_hook(lambda g: seen.append(float(g.detach())))
    (r**2).backward(create_graph=True)
    assert seen == [0.0]
    assert float(r.grad.detach()) == 0.0


def test_third_derivatives_are_right_or_refused() -> None:
    third = ag.jacrev(ag.hessian(lambda x: (3 + x[0]) * np.linalg.norm(x) ** 2))
    with pytest.raises(GradientError, match="second derivative does not exist"):
        third(np.zeros(2))
    cubic = ag.jacrev(ag.hessian(lambda x: np.cos(np.linalg.norm(x)) + x[0] ** 3))(np.zeros(2))
    assert cubic[0, 0, 0] == 6


@pytest.mark.parametrize(
    "root",
    [np.sqrt, lambda x: x**0.5, lambda x: np.power(x, 0.5), lambda x: ag.pow(x, 0.5)],
    ids=["sqrt", "operator", "power", "pow"],
)
def test_limits_at_roots_of_zero(root):
    """Powers of one half had silent zeros. What is smooth in x has a gradient where recorded."""
    x = np.array([0.0, 4.0])
    np.testing.assert_allclose(
        ag.hessian(lambda x: np.sum(root(np.sum(x * x)) ** 2))(np.zeros(2)), 2 * np.eye(2)
    )
    t = ag.tensor(x, requires_grad=True)
    with np.errstate(all="ignore"):
        (recorded,) = ag.autograd.grad(np.sum(np.cos(root(t))), t, create_graph=True)
        (squared,) = ag.autograd.grad(np.sum(root(t) ** 2), t, create_graph=True)
    np.testing.assert_allclose(recorded.detach(), [-0.5, -np.sin(2) / 4])
    np.testing.assert_allclose(squared.detach(), [1.0, 1.0])
    # A pass that records nothing cannot ask: the zero absorbs (`ag.set_absorbing_zeros`).
    with np.errstate(all="ignore"):
        (raw,) = ag.autograd.grad(np.sum(np.cos(root(t))), t)
    np.testing.assert_allclose(raw, [0.0, -np.sin(2) / 4])


def test_powers_of_one_half_are_those_of_numpy():
    x = np.array([-0.0, 0.0, 2.0, -1.0, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal((ag.tensor(x) ** 0.5).numpy(), x**0.5)
        t = ag.tensor(x, requires_grad=True)
        np.testing.assert_allclose(ag.pow(t, 0.5).detach(), [0, 0, 2**0.5, np.nan, np.nan])
