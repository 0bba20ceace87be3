"""Elementwise kernels as NumPy ufuncs: values, layouts, floating-point errors, fused backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from arraygrad_kernels import _jit, reference, vecmath
from arraygrad_kernels.scalars import PARTIALS, SCALARS
from arraygrad_kernels.vecmath.by_dtype import CODES

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels import cpu
from arraygrad_kernels.cpu.elementwise import (
    NUMPY_NAMES,
    backward_ufunc,
    forward_ufunc,
    streaming_ufunc,
)

# Elementary functions have accuracy tests for both real dtypes; here one real dtype is enough.
CASES = [
    (op, code)
    for op, record in SCALARS.items()
    for code in "?Bi" + ("d" if hasattr(vecmath, op) else "f") + "F"
    if code in record.dtypes
]
SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 2.5, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1e-40,
     1e300, -1e300, 3e38, 700, -745, 90, -90, 1e5, 3, 22, -30]
)  # fmt: skip


def _operand(dtype: np.dtype[Any], position: int) -> np.ndarray:
    """Every special value against every other, and some ordinary ones."""
    random = np.random.default_rng(position)
    n = len(SPECIAL) ** 2 + 37
    if dtype.kind == "b":
        return random.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        x = random.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
        x[: n // 2] = random.integers(0, 9, n // 2)
        return x
    spread = [np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))]
    first, second = spread if position == 0 else spread[::-1]
    with np.errstate(all="ignore"):
        real = np.concatenate([first, random.normal(size=37) * 2])
        if dtype.kind == "f":
            return real.astype(dtype)
        x = np.empty(n, dtype)
        x.real, x.imag = real, np.concatenate([second, random.normal(size=37) * 2])
        return x if position == 0 else random.permutation(x)


def _operands(op: str, code: str) -> list[np.ndarray]:
    kinds = SCALARS[op].operands
    return [_operand(CODES[code if kind == "=" else kind], i) for i, kind in enumerate(kinds)]


def _reference(op: str, operands: list[np.ndarray]) -> Callable[..., Any]:
    found = reference.find(op, tuple(x.dtype for x in operands))
    assert found is not None
    return found


def _assert_same(got: np.ndarray, want: np.ndarray, ulps: float) -> None:
    assert got.dtype == want.dtype
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    limits = np.finfo(got.dtype)
    size = np.minimum(np.abs(want), limits.max)
    bound = ulps * float(limits.eps) * size + ulps * float(limits.smallest_subnormal)
    for part in ("real", "imag") if got.dtype.kind == "c" else ("real",):
        a, b = getattr(got, part), getattr(want, part)
        with np.errstate(all="ignore"):
            near = (np.abs(a - b) <= bound) | (a == b) | (np.isnan(a) & np.isnan(b))
        signs = (np.signbit(a) == np.signbit(b)) | (b != 0) | np.isnan(b)
        assert near.all(), (got[~near][:3], want[~near][:3])
        assert signs.all(), (got[~signs][:3], want[~signs][:3])


# Where NumPy's complex loops are far less accurate: test_complex_functions has mpmath's values.
LESS_ACCURATE = {(op, "F") for op in ("exp2", "pow", "sigmoid", "sign", "sinc")}


@pytest.mark.parametrize(("op", "code"), [case for case in CASES if case not in LESS_ACCURATE])
def test_values_equal_reference(op: str, code: str) -> None:
    operands = _operands(op, code)
    if (op, code) == ("pow", "i"):  # a negative exponent is refused before the loop
        operands[1] = np.abs(operands[1].astype(np.int64)).astype(np.int32) & 0x7FFFFFFF
    if op in ("multiply", "absorbing_multiply", "square", "expm1") and code in "FD":
        # Overflow inside a product, and zeros that underflow makes, depend on fused arithmetic.
        moderate = [np.abs(np.nan_to_num(x, posinf=9, neginf=9)) < 1e15 for x in operands]
        moderate += [np.abs(x) > 1e-15 for x in operands]
        keep = np.logical_and.reduce(moderate)
        operands = [x[keep] for x in operands]
    if (op, code) == ("log1p", "F"):  # NumPy's hypot overflows here before the logarithm
        operands = [x[~(np.abs(x) > 1e38) | np.isinf(x)] for x in operands]
    with np.errstate(all="ignore"):
        got = forward_ufunc(op, code)(*operands)
        want = np.asarray(_reference(op, operands)(*operands))
    if op in ("logaddexp", "logaddexp2"):  # sums that cancel: compare on the operands' scale
        got, want = got + 100, want + 100
    _assert_same(got, want, 5.0)


def _kinds(call: Callable[[], Any]) -> set[str]:
    """Kinds of floating-point errors that a call reports."""
    found: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with np.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
            call()
    for warning in caught:
        found.add(str(warning.message).partition(" encountered")[0])
    return found


@pytest.mark.parametrize(("op", "code"), [case for case in CASES if case[1] in "fd"])
def test_floating_point_errors_equal_those_of_reference(op: str, code: str) -> None:
    """Each special value on its own, so that one error cannot hide another."""
    ufunc = forward_ufunc(op, code)
    operands = _operands(op, code)
    step = 1 if len(operands) == 1 else 3
    for row in list(zip(*operands, strict=True))[:: step * 7]:
        if op == "sinc" and abs(row[0]) > 1e38:
            continue  # pi * x overflows on the way to NaN; NumPy reports that as well
        arrays = [np.full(5, x) for x in row]
        ours = _kinds(lambda arrays=arrays: ufunc(*arrays))
        theirs = _kinds(lambda arrays=arrays: _reference(op, arrays)(*arrays))
        assert ours == theirs, row


@pytest.mark.parametrize("code", ["F", "D"])
def test_ordinary_complex_values_report_nothing(code: str) -> None:
    random = np.random.default_rng(0)
    x = (random.normal(size=100) + 1j * random.normal(size=100)).astype(CODES[code])
    for op in ("exp", "log", "sqrt", "sin", "tanh", "multiply"):
        ufunc = forward_ufunc(op, code)
        with np.errstate(all="raise"):
            ufunc(*[x] * ufunc.nin)


@pytest.mark.parametrize("op", ["exp", "tanh", "sin", "log", "sigmoid", "sqrt", "maximum", "where"])
def test_nan_operand_reports_nothing(op: str) -> None:
    x = np.array([np.nan, 1.0, 0.5])
    ufunc = forward_ufunc(op, "d")
    with np.errstate(all="raise"):
        ufunc(*([x != 0, x, x] if op == "where" else [x] * ufunc.nin))


@pytest.mark.parametrize("op", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("code", ["b", "i", "l", "B"])
def test_integer_division_at_its_edges(op: str, code: str) -> None:
    dtype = CODES[code]
    limits = np.iinfo(dtype)
    for pair in [(7, 0), (limits.min, -1), (limits.min, 1), (limits.max, 3), (-7, 3), (7, -3)]:
        if limits.min == 0 and min(pair) < 0:
            continue
        operands = [np.full(3, value, dtype) for value in pair]
        function = forward_ufunc(op, code)
        ours = _kinds(lambda function=function, operands=operands: function(*operands))
        theirs = _kinds(lambda operands=operands: getattr(np, op)(*operands))
        assert ours == theirs, pair
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(function(*operands), getattr(np, op)(*operands))


@pytest.mark.parametrize("code", ["b", "h", "i", "l", "B", "H", "I", "L"])
def test_integer_powers(code: str) -> None:
    """Wrapping around, with few bits in the exponent and with all of them."""
    dtype = CODES[code]
    limits = np.iinfo(dtype)
    random = np.random.default_rng(2)
    x1 = random.integers(limits.min, limits.max, 2000, dtype=dtype, endpoint=True)
    few = random.integers(0, 16, 2000).astype(dtype)
    all_bits = random.integers(0, limits.max, 2000, dtype=dtype, endpoint=True)
    spec = cpu.find("pow", (dtype, dtype))
    assert spec is not None
    kernel = spec.build()
    for x2 in (few, all_bits, np.array(0, dtype), np.array(3, dtype)):
        np.testing.assert_array_equal(kernel(x1, x2), np.pow(x1, x2), strict=True)
    if limits.min < 0:
        with pytest.raises(ValueError, match="negative integer powers"):
            kernel(x1, np.array(-1, dtype))
    assert kernel(x1[:0], all_bits[:0]).size == 0


def test_errstate_raise_is_followed() -> None:
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        forward_ufunc("log", "d")(np.array([1.0, 0.0]))


def _unaligned(x: np.ndarray) -> np.ndarray:
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:]
    return shifted.view(x.dtype).reshape(x.shape)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": lambda x: x.copy(),
    "transposed": lambda x: x.copy().T,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "column": lambda x: x[:, :1],
    "unaligned": _unaligned,
    "big_endian": lambda x: x.astype(x.dtype.newbyteorder()),
    "scalar": lambda x: x[0, 0].reshape(()),
    "empty": lambda x: x[:0],
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("op", "code"),
    [
        ("add", "d"),
        ("exp", "f"),
        ("sin", "d"),
        ("multiply", "F"),
        ("equal", "i"),
        ("logical_or", "?"),
        ("where", "d"),
    ],
)
def test_layouts(op: str, code: str, layout: str) -> None:
    random = np.random.default_rng(5)
    ufunc = forward_ufunc(op, code)
    operands = []
    for kind in SCALARS[op].operands:
        dtype = CODES[code if kind == "=" else kind]
        # 41 x 41 is more than one block of the inner loop.
        operands.append((random.normal(size=(41, 41)) * 2).astype(dtype))
    operands[0] = LAYOUTS[layout](operands[0])
    if layout == "empty":
        operands = [x[:0] for x in operands]
    got = ufunc(*operands)
    want = _reference(op, operands)(*[x.astype(x.dtype.newbyteorder("=")) for x in operands])
    np.testing.assert_allclose(got, want, rtol=1e-6 if code in "fF" else 1e-14)
    assert got.shape == np.broadcast_shapes(*(x.shape for x in operands))


@pytest.mark.parametrize("n", [1, 7, 511, 512, 513, 2000])
def test_in_place_and_overlapping_operands(n: int) -> None:
    add = forward_ufunc("add", "d")
    x = np.arange(n + 1.0)
    y = x.copy()
    add(x[1:], x[:-1], out=x[1:])
    np.add(y[1:], y[:-1], out=y[1:])
    np.testing.assert_array_equal(x, y)
    exp = forward_ufunc("exp", "d")
    z = np.linspace(0, 1, n)
    want = exp(z)
    assert exp(z, out=z) is z
    np.testing.assert_array_equal(z, want)
    reverse = np.arange(float(n))
    add(reverse, reverse[::-1], out=reverse)
    np.testing.assert_array_equal(reverse, np.full(n, n - 1.0))


def test_ufunc_methods() -> None:
    """``reduce`` and ``accumulate`` make outputs that earlier elements feed."""
    add = forward_ufunc("add", "l")
    x = np.arange(2000)
    assert add.reduce(x) == x.sum()
    np.testing.assert_array_equal(add.accumulate(x), x.cumsum())
    np.testing.assert_array_equal(add.outer(x[:5], x[:7]), np.add.outer(x[:5], x[:7]))
    np.testing.assert_array_equal(add.reduce(x.reshape(40, 50), axis=0), x.reshape(40, 50).sum(0))


def test_where_argument_keeps_other_elements() -> None:
    out = np.full(1000, 7.0)
    mask = np.arange(1000) % 3 == 0
    forward_ufunc("exp", "d")(np.zeros(1000), out=out, where=mask)
    np.testing.assert_array_equal(out, np.where(mask, 1.0, 7.0))


def test_product_with_own_conjugate_is_real() -> None:
    """A fused multiply-add would leave the rounding error of one product in the imaginary part."""
    x = np.full(9, 0.1 + 0.3j)
    assert not forward_ufunc("multiply", "D")(x, x.conj()).imag.any()


def test_huge_arguments_in_one_block_leave_the_others_alone() -> None:
    x = np.linspace(-3, 3, 3000)
    x[1500] = 1e300
    np.testing.assert_allclose(forward_ufunc("sin", "d")(x), np.sin(x), rtol=1e-14, atol=1e-300)


# Backward kernels.

DOMAINS = {
    "acos": (-0.9, 0.9), "acosh": (1.1, 4), "asin": (-0.9, 0.9), "atanh": (-0.9, 0.9),
    "cbrt": (0.1, 4), "pow": (0.1, 3), "log": (0.1, 4), "log10": (0.1, 4), "log1p": (-0.9, 4),
    "log2": (0.1, 4), "sqrt": (0.1, 4),
}  # fmt: skip
BACKWARD = [  # elementwise ones; those of rows are in test_backward
    spec
    for spec in cpu.catalogue()
    if spec.op.removesuffix(".backward") in PARTIALS
    and spec.op.endswith(".backward")
    and spec.dtypes[-1].char in "dD"
]


@pytest.mark.parametrize("spec", BACKWARD, ids=lambda spec: f"{spec.op}-{spec.dtypes[-1].char}")
def test_backward_equals_differences_of_reference(spec: cpu.KernelSpec) -> None:
    op = spec.op.removesuffix(".backward")
    names, _ = PARTIALS[op]
    n_operands = len(SCALARS[op].operands) if op in SCALARS else 2
    random = np.random.default_rng(11)
    is_complex = spec.dtypes[-1].kind == "c"
    operands = [random.uniform(*DOMAINS.get(op, (-3, 3)), 60) for _ in range(n_operands)]
    if is_complex:
        operands = [x + 1j * random.uniform(-1, 1, 60) for x in operands]
    if op == "clip":
        operands[1] = operands[0] + random.uniform(-2, 1, 60)
        operands[2] = operands[1] + 1
    function = reference.KERNELS[op]
    out = function(*operands)
    g = random.normal(size=60).astype(out.dtype)
    values = {"out": out} | {f"x{i + 1}": x for i, x in enumerate(operands)}
    cotangents = spec.build()(g, *(values[name] for name in names))
    assert len(cotangents) == n_operands
    h = 1e-6
    for i, cotangent in enumerate(cotangents):

        def difference(step: complex, i: int = i) -> np.ndarray:
            up, down = list(operands), list(operands)
            up[i], down[i] = up[i] + step, down[i] - step
            return (function(*up) - function(*down)) / (2 * h)

        # The gradient of a real loss with cotangent g: dL/dRe + i dL/dIm.
        want = (np.conj(g) * difference(h)).real
        if is_complex:
            want = want + 1j * (np.conj(g) * difference(1j * h)).real
        wrong = ~np.isclose(cotangent, want, rtol=1e-5, atol=1e-5)
        assert wrong.sum() <= 1, (cotangent[wrong], want[wrong])


@pytest.mark.parametrize("op", ["log", "sqrt", "divide", "hypot", "atan2", "multiply"])
def test_zero_cotangent_absorbs(op: str) -> None:
    names, _ = PARTIALS[op]
    values = [np.array([0.0, np.inf, np.nan]) for _ in names]
    with np.errstate(all="raise"):
        results = backward_ufunc(op, "d")(np.zeros(3), *values)
    for result in results if isinstance(results, tuple) else (results,):
        np.testing.assert_array_equal(result, 0.0)


def test_multi_output_in_place() -> None:
    """An output that is also an input must not be read after it was written."""
    g, x, y = np.arange(1.0, 900), np.arange(2.0, 901), np.arange(3.0, 902)
    want = backward_ufunc("multiply", "d")(g, x, y)
    first = x.copy()
    got = backward_ufunc("multiply", "d")(g, first, y, out=(first, None))
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_array_equal(got[1], want[1])


# Catalogue.


@pytest.mark.parametrize(("op", "code"), [("multiply", "f"), ("log", "D"), ("sin", "d")])
@pytest.mark.parametrize("n", [1, 63, 64, 4101])
@pytest.mark.parametrize("offset", [0, 1, 16])
def test_streaming_twin_computes_the_same(op: str, code: str, n: int, offset: int) -> None:
    ufunc = forward_ufunc(op, code)
    twin = streaming_ufunc(ufunc)
    random = np.random.default_rng(0)
    operands = [
        random.uniform(0.5, 2, n + 20)[offset : offset + n].astype(code) for _ in range(ufunc.nin)
    ]
    expected = ufunc(*operands)
    memory = np.full(n + 20, 9, expected.dtype)
    twin(*operands, out=memory[offset : offset + n])
    np.testing.assert_array_equal(memory[offset : offset + n], expected)
    assert (memory[:offset] == 9).all()
    assert (memory[offset + n :] == 9).all()
    half = [x[::2] for x in operands]
    np.testing.assert_array_equal(twin(*half), ufunc(*half))
    np.testing.assert_array_equal(twin(*operands, out=operands[0]), expected)


@pytest.mark.parametrize("op", ["exp", "log", "log1p", "expm1", "sigmoid", "sin"])
@pytest.mark.parametrize("code", ["f", "d"])
@pytest.mark.parametrize("in_place", [False, True])
def test_rare_arguments_do_not_depend_on_their_neighbours(
    op: str, code: str, in_place: bool
) -> None:
    """A block with a rare argument is computed again; others are not touched."""
    limits = np.finfo(code)
    overflow = np.log(limits.max)
    rare = [
        np.inf, -np.inf, np.nan, 0.0, -0.0, float(limits.smallest_subnormal), -overflow - 5,
        overflow - 0.5, 1e-3 - overflow, overflow + 5, -1.0, -1.0 + limits.eps, limits.max / 2,
    ]  # fmt: skip
    ufunc = forward_ufunc(op, code)
    with np.errstate(all="ignore"):
        alone = [ufunc(np.array([x], code))[0] for x in rare]
        for place in (0, 2047, 2048, 5000):
            for x, expected in zip(rare, alone, strict=True):
                many = np.full(5001, 0.75, code)
                usual = ufunc(many)
                many[place] = x
                got = ufunc(many, out=many) if in_place else ufunc(many)
                np.testing.assert_array_equal(got[place], expected)
                assert np.signbit(got[place]) == np.signbit(expected) or np.isnan(expected)
                usual[place] = got[place]
                np.testing.assert_array_equal(got, usual)


def test_every_spec_names_an_operation_of_the_reference() -> None:
    for spec in cpu.catalogue():
        op = spec.op.removesuffix(".streaming")
        assert op in reference.KERNELS or op.removesuffix(".backward") in reference.KERNELS
        assert cpu.find(spec.op, spec.dtypes) is spec


def test_find_returns_none_for_what_is_missing() -> None:
    assert cpu.find("exp", (np.dtype(np.float16),)) is None
    assert cpu.find("no such operation", (np.dtype(np.float64),)) is None


@pytest.mark.parametrize(
    ("op", "operands"),
    [("asin", (2.0,)), ("acosh", (0.5,)), ("pow", (-1.0, 0.5)), ("log", (-1.0,))],
)
def test_warnings_call_operations_as_numpy_does(op: str, operands: tuple[float, ...]) -> None:
    numpy_name = NUMPY_NAMES.get(op, op)
    arrays = [np.array([x]) for x in operands]
    for function in (getattr(np, numpy_name), forward_ufunc(op, "d")):
        with pytest.warns(RuntimeWarning, match=f"invalid value encountered in {numpy_name}$"):
            function(*arrays)
