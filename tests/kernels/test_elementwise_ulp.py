"""Accuracy of every elementary function against mpmath, in units in the last place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from arraygrad_kernels import _jit, vecmath
from arraygrad_kernels.vecmath.by_dtype import CODES

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels.cpu.elementwise import forward_ufunc

BOUND = 2.5
N = 250

mp = mpmath.mp.clone()
mp.prec = 140


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _cbrt(x: Any) -> Any:
    return mp.sign(x) * mp.cbrt(abs(x))


def _logaddexp(x1: Any, x2: Any) -> Any:
    return mp.log(mp.exp(x1) + mp.exp(x2))


EXACT: dict[str, Callable[..., Any]] = {
    "acos": mp.acos,
    "acosh": mp.acosh,
    "asin": mp.asin,
    "asinh": mp.asinh,
    "atan": mp.atan,
    "atan2": mp.atan2,
    "atanh": mp.atanh,
    "cbrt": _cbrt,
    "cos": mp.cos,
    "cosh": mp.cosh,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "exp": mp.exp,
    "exp2": lambda x: mp.power(2, x),
    "expm1": mp.expm1,
    "hypot": mp.hypot,
    "log": mp.log,
    "log10": mp.log10,
    "log1p": mp.log1p,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "logaddexp": _logaddexp,
    "pow": mp.power,
    "sigmoid": _sigmoid,
    "sin": mp.sin,
    "sinh": mp.sinh,
    "sqrt": mp.sqrt,
    "tan": mp.tan,
    "tanh": mp.tanh,
}


def _ranges(op: str, code: str, random: np.random.Generator) -> np.ndarray:
    """Arguments over the whole domain of `op`: moderate, near its zeros, huge and subnormal."""
    limits = np.finfo(CODES[code])
    overflow = float(np.log(limits.max))
    smallest, largest = np.log10(float(limits.smallest_normal)), np.log10(float(limits.max))

    def signed_powers(low: float, high: float) -> np.ndarray:
        return random.choice([-1.0, 1.0], N) * 10 ** random.uniform(low, high, N)

    subnormal = signed_powers(smallest - limits.nmant * 0.3, smallest)
    whole = [signed_powers(smallest, largest - 0.1), signed_powers(-5, 5), subnormal]
    if op in ("exp", "expm1", "sinh", "cosh", "sigmoid"):
        parts = [random.uniform(-overflow - 30, overflow, N), random.uniform(-2, 2, N), subnormal]
    elif op == "exp2":
        parts = [random.uniform(limits.minexp - limits.nmant, limits.maxexp, N), subnormal]
    elif op in ("asin", "acos", "atanh"):
        near_one = random.choice([-1, 1], N) * (1 - 10 ** random.uniform(-7, 0, N))
        parts = [random.uniform(-1, 1, N), near_one, signed_powers(-20, 0)]
    elif op == "acosh":
        parts = [1 + 10 ** random.uniform(-6, 3, N), abs(signed_powers(0, largest - 0.1))]
    elif op in ("log", "log2", "log10", "sqrt"):
        parts = [*map(abs, whole), random.uniform(0.5, 2, N)]
    elif op == "log1p":
        parts = [random.uniform(-0.999, 3, N), abs(whole[0]), signed_powers(-20, -1), subnormal]
    elif op in ("erf", "erfc"):
        tail = 26.0 if code == "d" else 9.5
        parts = [random.uniform(-6, tail, N), random.uniform(-1, 1, N), subnormal]
    elif op in ("sin", "cos", "tan"):
        parts = [*whole, random.uniform(-8000, 8000, N), random.uniform(-1e6, 1e6, N)]
        parts.append(np.arange(1, N) * (np.pi / 2))
    elif op == "pow":
        parts = [abs(signed_powers(-5, 5)), random.uniform(0.9, 1.1, N), abs(subnormal)]
    elif op == "logaddexp":
        parts = [random.uniform(-60, 60, 2 * N)]
    else:
        parts = whole
    with np.errstate(all="ignore"):
        return np.concatenate(parts).astype(CODES[code])


def _errors_in_ulp(got: np.ndarray, exact: list[Any]) -> np.ndarray:
    """Distance to the exact values over the spacing of floats there."""
    limits = np.finfo(got.dtype)
    errors = np.zeros(len(exact))
    for i, (value, reference) in enumerate(zip(got.tolist(), exact, strict=True)):
        if abs(reference) > float(limits.max):
            assert value == np.copysign(np.inf, float(mp.sign(reference)))
            continue
        exponent = mp.floor(mp.log(abs(reference), 2)) if reference else mp.mpf(-10_000)
        spacing = mp.mpf(2) ** max(exponent - limits.nmant, limits.minexp - limits.nmant)
        errors[i] = float(abs(mp.mpf(value) - reference) / spacing)
    return errors


@pytest.mark.parametrize("code", ["f", "d"])
@pytest.mark.parametrize("op", EXACT)
def test_real_error_below_bound(op: str, code: str) -> None:
    random = np.random.default_rng(7)
    ufunc = forward_ufunc(op, code)
    operands = [_ranges(op, code, random) for _ in range(ufunc.nin)]
    if op == "pow":
        # Exponents up to the limits of the result: there the logarithm's error weighs most.
        reach = random.uniform(-1.05, 1.0, operands[0].size) * np.log(np.finfo(CODES[code]).max)
        operands[1] = (reach / np.log(operands[0].astype("d"))).astype(CODES[code])
    elif ufunc.nin == 2 and op != "logaddexp":
        operands[1] = random.permutation(operands[1])
    with np.errstate(all="ignore"):
        got = ufunc(*operands)
    exact = [
        EXACT[op](*(mp.mpf(x) for x in row))
        for row in zip(*(operand.tolist() for operand in operands), strict=True)
    ]
    if op == "logaddexp":
        # The sum cancels where the result is near 0; the bound holds on the scale of the operands.
        keep = abs(got) > 0.5
        got, exact = got[keep], [e for e, k in zip(exact, keep, strict=True) if k]
    errors = _errors_in_ulp(got, exact)
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUND, f"{[float(o[worst]) for o in operands]}: {errors[worst]:.2f} ulp"


@pytest.mark.parametrize("code", ["f", "d"])
@pytest.mark.parametrize("op", ["sin", "cos", "tan"])
def test_circular_functions_of_huge_arguments_are_exact(op: str, code: str) -> None:
    exponents = np.linspace(4, np.log10(float(np.finfo(CODES[code]).max)) - 0.1, 60)
    x = (10**exponents).astype(CODES[code])
    with mp.workprec(1200):
        exact = [EXACT[op](mp.mpf(value)) for value in x.tolist()]
    assert _errors_in_ulp(forward_ufunc(op, code)(x), exact).max() <= BOUND


COMPLEX = {
    name: EXACT[name]
    for name in (
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cos",
        "cosh",
        "exp",
        "expm1",
        "log",
        "log10",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    )
} | {"log1p": lambda z: mp.log(1 + z), "log2": lambda z: mp.log(z) / mp.log(2)}


@pytest.mark.parametrize("code", ["F", "D"])
@pytest.mark.parametrize("op", COMPLEX)
def test_complex_error_in_norm_below_bound(op: str, code: str) -> None:
    random = np.random.default_rng(7)

    def part() -> np.ndarray:
        powers = random.choice([-1, 1], N) * 10.0 ** random.uniform(-6, 1.5, N)
        return np.concatenate([random.normal(size=N) * 3, powers])

    x = (part() + 1j * part()).astype(CODES[code])
    got = forward_ufunc(op, code)(x)
    epsilon = float(np.finfo(CODES[code]).eps)
    for z, value in zip(x.tolist(), got.tolist(), strict=True):
        exact = COMPLEX[op](mp.mpc(z))
        assert abs(mp.mpc(value) - exact) <= BOUND * epsilon * abs(exact), z


@pytest.mark.parametrize("op", [op for op in EXACT if op != "logaddexp"])
def test_python_function_equals_kernel(op: str) -> None:
    """The same function runs in the interpreter, where products and sums do not fuse."""
    random = np.random.default_rng(3)
    x = random.uniform(1.0, 2.0, 5) if op == "acosh" else random.uniform(0.1, 0.9, 5)
    ufunc = forward_ufunc(op, "d")
    operands = [x] * ufunc.nin
    python = [getattr(vecmath, op)(*row) for row in zip(*operands, strict=True)]
    np.testing.assert_allclose(python, ufunc(*operands), rtol=1e-15)
