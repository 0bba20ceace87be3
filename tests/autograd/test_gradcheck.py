"""gradcheck finds wrong derivatives and says which; passes right ones, real and complex."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arraygrad as ag

X = np.array([0.3, -0.7, 1.1])
Z = X + 1j * X[::-1]
Error = ag.errors.GradcheckError


def wrong(vjp: Any = None, jvp: Any = None) -> Any:
    return ag.primitive(np.sin, vjp=vjp, jvp=jvp)


def right_vjp(g: Any, out: Any, x: Any) -> Any:
    return g * np.cos(x)


def off_at_two(g: Any, out: Any, x: Any) -> Any:
    return g * np.cos(x) * np.array([1.0, 1.0, 1.01])


@pytest.mark.parametrize("fast", [False, True])
def test_right_derivatives_pass(fast: bool) -> None:
    assert ag.gradcheck(lambda x, y: (x * y, ag.exp(x).sum()), (X, X + 1), fast=fast)
    assert ag.gradgradcheck(lambda x, y: (x * y, ag.exp(x).sum()), (X, X + 1), fast=fast)


@pytest.mark.parametrize("fast", [False, True])
def test_complex_derivatives_pass(fast: bool) -> None:
    for f in (
        lambda z: z * z * ag.conj(z),
        ag.abs,
        ag.real,
        lambda z: ag.exp(z).sum(),
        lambda z: ag.imag(z) * z,
    ):
        assert ag.gradcheck(f, Z, fast=fast)
        assert ag.gradgradcheck(f, Z, fast=fast)
    assert ag.gradcheck(lambda x: ag.exp(x * 1j), X, fast=fast)
    assert ag.gradgradcheck(lambda x: ag.exp(x * 1j), X, fast=fast)


def test_wrong_element_is_named_in_reverse_mode() -> None:
    with pytest.raises(Error, match=r"reverse mode: d output 0\[2\] / d input 0\[2\]"):
        ag.gradcheck(wrong(off_at_two), X, modes=["reverse"])
    assert not ag.gradcheck(wrong(off_at_two), X, raise_exception=False)


def test_wrong_element_is_named_in_forward_mode() -> None:
    f = wrong(right_vjp, lambda t, out, x: t[0] * np.cos(x) * np.array([1.0, 1.2, 1.0]))
    with pytest.raises(Error, match=r"forward mode: d output 0\[1\] / d input 0\[1\]"):
        ag.gradcheck(f, X)
    assert ag.gradcheck(f, X, modes=["reverse"])


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_fast_finds_a_wrong_element(mode: str) -> None:
    with pytest.raises(Error, match=f"{mode} mode.*random"):
        ag.gradcheck(wrong(off_at_two), X, fast=True, modes=[mode])


def test_wrong_convention_is_found() -> None:
    """The conjugate gradient: right in its real part."""
    f = ag.primitive(lambda z: abs(z) ** 2, vjp=lambda g, out, z: 2 * g * np.conj(z))
    with pytest.raises(Error):
        ag.gradcheck(f, Z)


def test_wrong_second_derivative_is_found() -> None:
    frozen = ag.primitive(np.cos, vjp=lambda g, out, x: g * np.cos(x))
    f = ag.primitive(np.sin, vjp=lambda g, out, x: g * frozen(x))
    assert ag.gradcheck(f, X)
    with pytest.raises(Error, match="derivative of the reverse derivative"):
        ag.gradgradcheck(f, X)
    assert not ag.gradgradcheck(f, X, raise_exception=False)


def test_missing_gradient_is_found() -> None:
    f = lambda x: x * x.detach()  # noqa: E731
    with pytest.raises(Error):
        ag.gradcheck(f, X)


def test_inputs_are_checked() -> None:
    with pytest.raises(TypeError, match="float64"):
        ag.gradcheck(ag.sin, X.astype(np.float32))
    with pytest.raises(ValueError, match="no input"):
        ag.gradcheck(ag.sin, np.arange(3))
    with pytest.raises(ValueError, match="not a mode"):
        ag.gradcheck(ag.sin, X, modes=["backward"])
    assert ag.gradcheck(lambda x, i: x[i], (X, np.array([0, 0, 2])))


def test_writing_function_and_zero_size() -> None:
    def f(x: Any) -> Any:
        x *= x
        return x

    x = X.copy()
    assert ag.gradcheck(f, x)
    np.testing.assert_array_equal(x, X)
    assert ag.gradcheck(lambda x: x * x, np.zeros((0, 2)))
