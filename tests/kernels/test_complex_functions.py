"""Complex elementwise kernels: special values, branch cuts, accuracy, floating-point errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from arraygrad_kernels import _jit, reference
from arraygrad_kernels.vecmath.by_dtype import CODES

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels.cpu.elementwise import forward_ufunc

BOUND = 2.5
N = 60

mp = mpmath.mp.clone()
mp.prec = 420
if mpmath.__version__.startswith("1.3."):  # its inverse functions add 1 to squares of tiny numbers
    mp.prec = 2200

INVERSE = ["acos", "acosh", "asin", "asinh", "atan", "atanh"]
PARTS = [
    0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1e300, -1e300,
    1.7e308, 5e-324, 1e-20, 1e20, 1 + 2.0**-52, 1 - 2.0**-53,
]  # fmt: skip


def _numbers(code: str, real: Any, imag: Any) -> np.ndarray:
    out = np.empty(np.shape(real), CODES[code])
    with np.errstate(all="ignore"):
        out.real, out.imag = real, imag
    return out


def _grid(code: str) -> np.ndarray:
    """Every special part beside every other."""
    real, imag = np.meshgrid(PARTS, PARTS)
    return _numbers(code, real.ravel(), imag.ravel())


def _reference(op: str, *operands: np.ndarray) -> np.ndarray:
    function = reference.find(op, tuple(x.dtype for x in operands))
    assert function is not None
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands))


def _differ(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where special parts differ in any bit (signs of NaN aside), or others by more than 4 eps."""
    limits = np.finfo(got.dtype)
    wrong = np.zeros(got.shape, bool)
    for a, b in ((got.real, want.real), (got.imag, want.imag)):
        with np.errstate(all="ignore"):
            bound = 4 * float(limits.eps) * np.abs(b) + 4 * float(limits.smallest_subnormal)
            near = np.abs(a - b) <= bound
        same = (a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))
        wrong |= ~np.where(np.isfinite(b) & (b != 0), near, same)
    return wrong


@pytest.mark.parametrize("code", ["F", "D"])
@pytest.mark.parametrize("op", [*INVERSE, "round", "sign"])
def test_special_values_equal_reference(op: str, code: str) -> None:
    x = _grid(code)
    if op == "sign":  # NumPy's magnitude is infinite or has few bits there
        size = np.abs(x.astype(complex)) / float(np.finfo(x.dtype).max)
        x = x[((size < 0.7) & (np.abs(x) > 1e-36)) | (x == 0) | ~np.isfinite(x)]
    with np.errstate(all="ignore"):
        got = forward_ufunc(op, code)(x)
    want = _reference(op, x)
    wrong = _differ(got, want)
    assert not wrong.any(), (x[wrong][:5], got[wrong][:5], want[wrong][:5])


CUTS = [
    ("asin", 2, 0.0, np.pi / 2, 1.3169578969248166),
    ("asin", 2, -0.0, np.pi / 2, -1.3169578969248166),
    ("asin", -2, 0.0, -np.pi / 2, 1.3169578969248166),
    ("acos", 2, 0.0, 0.0, -1.3169578969248166),
    ("acos", 2, -0.0, 0.0, 1.3169578969248166),
    ("acos", -2, -0.0, np.pi, 1.3169578969248166),
    ("atan", 0.0, 2, np.pi / 2, 0.5493061443340549),
    ("atan", -0.0, 2, -np.pi / 2, 0.5493061443340549),
    ("asinh", 0.0, 2, 1.3169578969248166, np.pi / 2),
    ("asinh", -0.0, 2, -1.3169578969248166, np.pi / 2),
    ("acosh", 0.5, 0.0, 0.0, np.pi / 3),
    ("acosh", 0.5, -0.0, 0.0, -np.pi / 3),
    ("acosh", -2, -0.0, 1.3169578969248166, -np.pi),
    ("atanh", 2, 0.0, 0.5493061443340549, np.pi / 2),
    ("atanh", 2, -0.0, 0.5493061443340549, -np.pi / 2),
    ("pow", -4, 0.0, 0.0, 2.0),
    ("pow", -4, -0.0, 0.0, -2.0),
]


@pytest.mark.parametrize(("op", "a", "b", "real", "imag"), CUTS)
def test_sign_of_zero_chooses_side_of_cut(
    op: str, a: float, b: float, real: float, imag: float
) -> None:
    operands = [_numbers("D", [a], [b])]
    if op == "pow":
        operands.append(np.array([0.5 + 0j]))
    got = forward_ufunc(op, "D")(*operands)[0]
    np.testing.assert_allclose([got.real, got.imag], [real, imag], rtol=1e-15, atol=1e-30)


def _powers(random: np.random.Generator, low: float, high: float) -> np.ndarray:
    return random.choice([-1.0, 1.0], N) * 10 ** random.uniform(low, high, N)


def _wide(code: str) -> np.ndarray:
    """Numbers of all sizes: near 0, the unit circle, +-1, +-j, the axes, and beyond 1e17."""
    random = np.random.default_rng(5)
    limits = np.finfo(CODES[code])
    low, high = np.log10(float(limits.smallest_normal)), np.log10(float(limits.max)) - 0.3
    one = random.choice([-1.0, 1.0], N)
    near_one = one * (1 + _powers(random, -16, -1))
    angle = random.uniform(0, 2 * np.pi, N)
    radius = 1 + _powers(random, -16, -1)
    parts = [
        (random.normal(size=N) * 2, random.normal(size=N) * 2),
        (_powers(random, -6, 3), _powers(random, -6, 3)),
        (_powers(random, low, high), _powers(random, low, high)),
        (near_one, _powers(random, -20, 0)),
        (near_one, _powers(random, low, 0)),
        (_powers(random, -20, 0), near_one),
        (one, _powers(random, low, 1)),
        (_powers(random, low, 1), one),
        (radius * np.cos(angle), radius * np.sin(angle)),
        (_powers(random, 16, 18), _powers(random, -5, 18)),
        (_powers(random, -5, 18), _powers(random, 16, 18)),
    ]
    return _numbers(code, *(np.concatenate(column) for column in zip(*parts, strict=True)))


def _tiny_is_itself(function: Callable[..., Any]) -> Callable[..., Any]:
    """mpmath's functions cancel to 0 for arguments below its precision."""
    return lambda z: z if abs(z) < 1e-40 else function(z)


def _sinc(z: Any) -> Any:
    return mp.sin(mp.pi * z) / (mp.pi * z)


EXACT: dict[str, Callable[..., Any]] = {
    "acos": mp.acos,
    "acosh": mp.acosh,
    "asin": mp.asin,
    "asinh": mp.asinh,
    "atan": _tiny_is_itself(mp.atan),
    "atanh": _tiny_is_itself(mp.atanh),
    "exp2": lambda z: mp.power(2, z),
    "sigmoid": lambda z: 1 / (1 + mp.exp(-z)),
    "sign": lambda z: z / abs(z),
}


def _assert_near(got: np.ndarray, operands: list[np.ndarray], exact: Callable[..., Any]) -> None:
    """Error in norm, over eps, of results that are neither infinite nor subnormal."""
    limits = np.finfo(got.dtype)
    epsilon, largest = float(limits.eps), float(limits.max) / 2
    for value, *numbers in zip(got.tolist(), *(x.tolist() for x in operands), strict=True):
        want = exact(*map(mp.mpc, numbers))
        if float(limits.smallest_normal) < abs(want) < largest:
            assert abs(mp.mpc(value) - want) <= BOUND * epsilon * abs(want), numbers


@pytest.mark.parametrize("code", ["F", "D"])
@pytest.mark.parametrize("op", [*INVERSE, "sign"])
def test_error_in_norm_over_all_sizes(op: str, code: str) -> None:
    x = _wide(code)
    with np.errstate(all="ignore"):
        _assert_near(forward_ufunc(op, code)(x), [x], EXACT[op])


@pytest.mark.parametrize("code", ["F", "D"])
@pytest.mark.parametrize("op", ["exp2", "sigmoid"])
def test_error_in_norm_of_exponentials(op: str, code: str) -> None:
    random = np.random.default_rng(5)
    reach = 120.0 if code == "F" else 1000.0
    real = [random.normal(size=N) * 3, random.uniform(-reach, reach, N), _powers(random, -9, -2)]
    poles = np.pi * np.arange(1, 2 * N, 2) + _powers(random, -9, -2)
    imag = [random.normal(size=N) * 9, random.uniform(-2000, 2000, N), poles]
    x = _numbers(code, np.concatenate(real), np.concatenate(imag))
    with np.errstate(all="ignore"):
        _assert_near(forward_ufunc(op, code)(x), [x], EXACT[op])


def test_exponentials_of_huge_imaginary_parts() -> None:
    x = _numbers("D", [0.5, -0.25, 1.0], [1e7, -3e15, 2.5e9])
    _assert_near(forward_ufunc("exp2", "D")(x), [x], EXACT["exp2"])
    _assert_near(forward_ufunc("sigmoid", "D")(x), [x], EXACT["sigmoid"])


def test_exponentials_of_huge_real_parts_leave_no_finite_part() -> None:
    z = _numbers("D", [1e6, 1500.0, 1e300, 1e6, 1e6], [1e-300, 1e-320, -1e-308, 0.0, -0.0])
    with np.errstate(all="ignore"):
        found = forward_ufunc("exp", "D")(z)
    np.testing.assert_array_equal(found.real, np.inf)
    np.testing.assert_array_equal(found.imag, [np.inf, np.inf, -np.inf, 0.0, -0.0])


def test_sigmoid_beside_infinities() -> None:
    x = _numbers("D", [np.inf, np.inf, -np.inf, -np.inf], [1, np.nan, 2, np.inf])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(forward_ufunc("sigmoid", "D")(x), [1, 1, 0, 0])


@pytest.mark.parametrize("code", ["F", "D"])
def test_sinc(code: str) -> None:
    random = np.random.default_rng(5)
    tiny = [0.0, 1e-310, 5e-324, 1e-20]
    x = _numbers(code, np.r_[random.normal(size=N), tiny], np.r_[random.normal(size=N), tiny])
    got = forward_ufunc("sinc", code)(x)
    exact = [1.0 if z == 0 else complex(_sinc(mp.mpc(z))) for z in x.tolist()]
    # Near its zeros the error is that of pi z, as for NumPy's.
    bound = 8 * float(np.finfo(CODES[code]).eps)
    np.testing.assert_allclose(got, exact, rtol=bound, atol=bound)


# Powers.


def _bases_and_exponents(code: str) -> list[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(9)
    bits = 64 if code == "F" else 512
    normal = random.normal(size=(4, N)) * 3
    z, w = normal[0] + 1j * normal[1], normal[2] + 1j * normal[3]
    far = _powers(random, -bits / 4, bits / 4) + 1j * _powers(random, -bits / 4, bits / 4)
    reach = random.uniform(-1, 1, N) * bits + 1j * _powers(random, -3, 3)
    unit = (1 + _powers(random, -16, -1)) * np.exp(1j * random.uniform(0, 6.28, N))
    positive = np.abs(_powers(random, -2, 2))
    return [
        (z, w),
        (z, random.integers(-99, 100, N) + 0j),
        (z, random.integers(-99, 100, N) / 2 + 0j),
        (far, reach / np.log(far)),
        (unit, _powers(random, -1, 2) + 1j * _powers(random, -1, 2)),
        (unit, np.round(_powers(random, 2, 4)) + 0j),
        (-positive + 0j, random.normal(size=N) * bits / 40 + 0j),
        (positive + 0j, random.normal(size=N) * bits / 40 + 1j * _powers(random, -2, 3)),
        (1 + _powers(random, -16, -8) * (1 + 1j), _powers(random, 3, 8) * (1 - 0.3j)),
    ]


@pytest.mark.parametrize("code", ["F", "D"])
def test_power_error_in_norm(code: str) -> None:
    """NumPy's loop is off by thousands of eps where the exponent of e is large."""
    for bases, exponents in _bases_and_exponents(code):
        operands = [bases.astype(CODES[code]), exponents.astype(CODES[code])]
        with np.errstate(all="ignore"):
            _assert_near(forward_ufunc("pow", code)(*operands), operands, mp.power)


@pytest.mark.parametrize("code", ["F", "D"])
def test_power_special_values_equal_reference(code: str) -> None:
    """Integral powers as NumPy's products, except where these overflow on the way."""
    x = _grid(code)
    for part in ("real", "imag"):
        size = np.abs(getattr(x, part))
        x = x[((size > 1e-3) & (size < 1e3)) | (size == 0) | ~np.isfinite(size)]
    for n in (0, 1, 2, 3, 4, 5, -1, -2, -3):
        operands = [x, np.full(x.shape, n, x.dtype)]
        with np.errstate(all="ignore"):
            got = forward_ufunc("pow", code)(*operands)
        want = _reference("pow", *operands)
        wrong = _differ(got, want)
        assert not wrong.any(), (n, x[wrong][:5], got[wrong][:5], want[wrong][:5])


def test_power_of_zero_and_to_zero() -> None:
    nan = complex(np.nan, np.nan)
    rows = [
        (0, 0, 1), (nan, 0, 1), (np.inf, 0, 1), (0, 2.5, 0), (0, 1 + 1j, 0), (0, -1, nan),
        (0, 1j, nan), (0, -0.5 + 1j, nan),
    ]  # fmt: skip
    with np.errstate(invalid="ignore"):
        for base, exponent, want in rows:
            operands = np.complex128(base), np.complex128(exponent)
            np.testing.assert_array_equal(forward_ufunc("pow", "D")(*operands), want)
            np.testing.assert_array_equal(np.pow(*operands), want)


@pytest.mark.parametrize("n", [2, 4, 8, 12, 40, 96])
def test_powers_on_axes_and_diagonals_stay_on_axes(n: int) -> None:
    """An angle of pi, rounded, would leave a rest in the part that is 0."""
    for base in (-3 + 0j, 1.1j, -1.3j, 0.7 - 0j):
        got = forward_ufunc("pow", "D")(np.array([base]), np.array([n + 0j]))[0]
        assert got.imag == 0
    got = forward_ufunc("pow", "D")(np.array([0.9 - 0.9j]), np.array([n + 0j]))[0]
    assert 0 in (got.real, got.imag)


# Floating-point errors.


def _kinds(call: Callable[[], Any]) -> set[str]:
    """Kinds of floating-point errors that a call reports."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with np.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
            call()
    return {str(warning.message).partition(" encountered")[0] for warning in caught}


@pytest.mark.parametrize("op", [*INVERSE, "round", "sigmoid"])
def test_floating_point_errors_equal_those_of_reference(op: str) -> None:
    """Each special value on its own, so that one error cannot hide another."""
    function = reference.find(op, (CODES["D"],))
    assert function is not None
    ufunc = forward_ufunc(op, "D")
    for z in _grid("D"):
        x = np.full(5, z)
        assert _kinds(lambda x=x: ufunc(x)) == _kinds(lambda x=x: function(x)), z


def test_power_reports_overflow_and_invalid() -> None:
    power = forward_ufunc("pow", "D")
    assert _kinds(lambda: power(np.array([2 + 1j]), np.array([2000 + 1j]))) == {"overflow"}
    assert _kinds(lambda: power(np.array([0j]), np.array([-1 + 0j]))) == {"invalid value"}
    assert _kinds(lambda: power(np.array([1 + 1j, np.nan]), np.array([2.5 + 1j, 0]))) == set()


# Layouts: the vector body sees blocks of contiguous elements; the way there must not matter.

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "transposed": lambda x: x.T,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "column": lambda x: x[:, :1],
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape),
    "scalar": lambda x: x[0, 0].reshape(()),
    "empty": lambda x: x[:0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("op", [*INVERSE, "exp2", "pow", "round", "sigmoid", "sign", "sinc"])
def test_layouts_give_the_same_bits(op: str, layout: str) -> None:
    random = np.random.default_rng(6)
    real, imag = random.normal(size=(2, 41, 41)) * 2  # more than three blocks of the loop
    x = LAYOUTS[layout](_numbers("D", real, imag))
    ufunc = forward_ufunc(op, "D")
    operands = [x] * ufunc.nin
    want = ufunc(*(np.ascontiguousarray(operand) for operand in operands)).reshape(x.shape)
    np.testing.assert_array_equal(ufunc(*operands), want)
    if layout not in ("broadcast", "unaligned"):
        out = np.array(x)
        np.testing.assert_array_equal(ufunc(*[out] * ufunc.nin, out=out), want)


@pytest.mark.parametrize("op", ["exp2", "pow", "sigmoid", "sinc"])
def test_one_extreme_element_leaves_its_block_alone(op: str) -> None:
    """Its block goes through the slow form, which may differ in the last bit."""
    random = np.random.default_rng(6)
    x = random.normal(size=1500) + 1j * random.normal(size=1500)
    ufunc = forward_ufunc(op, "D")
    want = ufunc(*[x] * ufunc.nin)
    x[700] = complex(1e9, 1e9)
    with np.errstate(all="ignore"):
        got = ufunc(*[x] * ufunc.nin)
    keep = np.arange(1500) != 700
    np.testing.assert_allclose(got[keep], want[keep], rtol=1e-15)
