"""Lifted code on single numbers: `math`, ``float(x)``, lists of scalars, writes of elements."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.lifting import mathematics

ONE_ARGUMENT = [
    "sin", "cos", "tan", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "erf", "erfc", "gamma", "lgamma", "fabs", "degrees",
]  # fmt: skip


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_functions_of_math_give_their_numbers_and_slopes(name: str) -> None:
    function = getattr(math, name)

    def f(x: Any) -> Any:
        y = function(x)
        assert type(y) is float
        return y

    x, step = 0.6, 1e-6
    slope = (function(x + step) - function(x - step)) / (2 * step)
    assert ag.grad(f)(x) == pytest.approx(slope, rel=1e-7)
    assert ag.value_and_grad(f)(x)[0] == pytest.approx(function(x), rel=1e-15)


@pytest.mark.parametrize("other", [2, 1.5, "tracked"])
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "fmod", "log"])
def test_functions_of_two_numbers(name: str, other: Any) -> None:
    function = getattr(math, name)

    def f(x: Any) -> Any:
        return function(x, x * x + 1.0 if other == "tracked" else other)

    x, step = 0.6, 1e-6
    slope = (f(x + step) - f(x - step)) / (2 * step)
    assert ag.grad(f)(x) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize(
    ("name", "x", "error", "words"),
    [
        ("sqrt", -1.0, ValueError, "math domain error"),
        ("log", 0.0, ValueError, "math domain error"),
        ("acos", 2.0, ValueError, "math domain error"),
        ("exp", 1e4, OverflowError, "math range error"),
    ],
)
def test_errors_are_pythons(name: str, x: float, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as expected:
        getattr(math, name)(x)
    with pytest.raises(error) as caught:
        ag.grad(lambda v: getattr(math, name)(v))(x)
    assert str(caught.value) == str(expected.value)
    assert words in str(caught.value) or "expected" in str(caught.value)


WITH_WHOLE_NUMBERS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm"}
AFTER_NUMBERS = {"isclose": (1.0,)}


@pytest.mark.parametrize("name", sorted(mathematics._CONSTANT - WITH_WHOLE_NUMBERS))
def test_functions_without_a_slope_are_constant_between_jumps(name: str) -> None:
    """math.nextafter, which is x but for rounding, was among them."""
    function = getattr(math, name)
    rest = AFTER_NUMBERS.get(name, ())
    assert function(0.3, *rest) == function(0.3 + 1e-9, *rest)


def test_nextafter_is_x_but_for_rounding() -> None:
    for toward in (2.0, -1.0, math.inf):
        both = ag.grad(lambda x, y: math.nextafter(x, y) ** 2, argnums=(0, 1))(1.5, toward)
        assert both == (2 * math.nextafter(1.5, toward), 0.0)
        of_numpy = ag.grad(lambda x, y: np.nextafter(x, y) ** 2, argnums=(0, 1))(1.5, toward)
        assert of_numpy == both
    assert ag.grad(lambda x: math.nextafter(2.0, x))(3.0) == 0.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="new in Python 3.12")
def test_nextafter_in_steps() -> None:
    def stepping(x: Any, y: Any, steps: int) -> Any:
        return math.nextafter(x, y, steps=steps) ** 2  # type: ignore[call-arg]

    for steps, slopes in ((0, (1, 0)), (1, (1, 0)), (5, (1, 0)), (2**63, (0, 1))):
        value = math.nextafter(1.5, 2.0, steps=steps)  # type: ignore[call-arg]
        both = ag.grad(stepping, argnums=(0, 1))(1.5, 2.0, steps)
        assert both == tuple(2 * value * slope for slope in slopes)
    assert ag.grad(stepping, argnums=(0, 1))(1.5, 1.5, 7) == (3.0, 0.0)


def test_complex_scalars_are_refused_by_math() -> None:
    with pytest.raises(TypeError, match="complex"):
        ag.grad(lambda v: math.sqrt(v * 1j))(2.0)


def test_a_float_of_a_scalar_is_another_value() -> None:
    def f(x: Any) -> Any:
        y = float(x[0])
        z = np.float64(x[0])
        assert type(y) is float
        assert isinstance(y, float)
        assert not isinstance(y, np.ndarray)
        assert isinstance(z, np.float64)
        return y * z * x[0]

    assert ag.grad(f)(np.array([2.0, 5.0])).tolist() == [12.0, 0.0]


def test_untracked_scalars_give_plain_numbers() -> None:
    def f(x: Any) -> Any:
        plain = np.array([4.0, 1.0])[0]
        for number in (float(plain), math.sqrt(plain)):
            assert not isinstance(number, ag.Tensor)
        return x[0] * float(plain) * math.sqrt(plain)

    assert ag.grad(f)(np.array([2.0, 4.0])).tolist() == [8.0, 0.0]


@pytest.mark.parametrize("kind", [list, tuple])
def test_arrays_of_scalars_and_numbers(kind: Any) -> None:
    def f(x: Any) -> Any:
        row = np.array(kind([x[0], 3, 1.5, np.float64(0.5), x[1] * x[0]]))
        assert row.dtype == np.float64
        assert row.shape == (5,)
        table = np.array([[x[0], 0.0], [1, x[1]]])
        assert table.shape == (2, 2)
        row[0] *= 2.0  # memory of its own
        return np.sum(row * row) + np.sum(table * table) + x[0]

    # 4 a^2 + (a b)^2 + a^2 + b^2 + a + constants
    a, b = 2.0, 3.0
    expected = [8 * a + 2 * a * b * b + 2 * a + 1, 2 * a * a * b + 2 * b]
    assert ag.grad(f)(np.array([a, b])).tolist() == expected


def test_arrays_of_scalars_keep_asked_dtypes() -> None:
    def f(x: Any) -> Any:
        half = np.array([x[0], x[1]], dtype=np.float32)
        assert half.dtype == np.float32
        assert np.array([x[0], 1], dtype=float).dtype == np.float64
        assert np.array([x[0], 1j]).dtype == np.complex128
        assert np.array([x[0], x[1]], ndmin=2).shape == (1, 2)
        return np.sum(half)

    assert ag.grad(f)(np.array([2.0, 4.0])).tolist() == [1.0, 1.0]


def test_elements_written_again_and_again() -> None:
    def f(x: Any) -> Any:
        out = np.zeros(4)
        table = np.zeros((2, 2))
        for i in range(4):
            out[i] = x[i % 2] * (i + 1)
        before = out * out  # keeps what is overwritten next
        out[1] = 7.0
        out[-1] = x[0]
        out[2] = out[0] * out[2]
        table[0, 1] = x[0]
        table[1, 0] = out[2]
        table[0, 1] = x[1] * table[1, 0]
        part = out[1:3]
        out[1] = x[1]
        return np.sum(before) + np.sum(out) + np.sum(table) + np.sum(part * part)

    x = np.array([0.7, 1.3])
    got = ag.grad(f)(x)
    step = 1e-6
    for i in range(2):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        assert got[i] == pytest.approx((f(up) - f(down)) / (2 * step), rel=1e-7)


def test_elements_outside_change_nothing() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    out = x * 1.0
    out[0] = x[1]
    for key in (2, -3, (0, 0), (2,)):
        with pytest.raises(IndexError):
            out[key] = x[0]
    assert out.detach().tolist() == [2.0, 2.0]
    out.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0]
