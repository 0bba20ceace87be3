"""Values and dtypes of every elementwise function against NumPy, for all dtypes and layouts."""

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._apply import wrap
from arraygrad.ops import (
    arithmetic,
    bitwise,
    comparison,
    exponential,
    parts,
    rounding,
    trigonometric,
)

UNARY = [
    (arithmetic.negative, np.negative),
    (arithmetic.positive, np.positive),
    (arithmetic.reciprocal, np.reciprocal),
    (arithmetic.square, np.square),
    (bitwise.bitwise_invert, np.bitwise_invert),
    (bitwise.logical_not, np.logical_not),
    (comparison.isfinite, np.isfinite),
    (comparison.isinf, np.isinf),
    (comparison.isnan, np.isnan),
    (exponential.cbrt, np.cbrt),
    (exponential.exp, np.exp),
    (exponential.exp2, np.exp2),
    (exponential.expm1, np.expm1),
    (exponential.log, np.log),
    (exponential.log10, np.log10),
    (exponential.log1p, np.log1p),
    (exponential.log2, np.log2),
    (exponential.sqrt, np.sqrt),
    (parts.abs, np.abs),
    (parts.angle, np.angle),
    (parts.conj, np.conj),
    (parts.imag, np.imag),
    (parts.real, np.real),
    (parts.sign, np.sign),
    (parts.signbit, np.signbit),
    (rounding.ceil, np.ceil),
    (rounding.floor, np.floor),
    (rounding.rint, np.rint),
    (rounding.trunc, np.trunc),
    (trigonometric.acos, lambda x: np.acos(x / 8)),
    (trigonometric.acosh, np.acosh),
    (trigonometric.asin, lambda x: np.asin(x / 8)),
    (trigonometric.asinh, np.asinh),
    (trigonometric.atan, np.atan),
    (trigonometric.atanh, lambda x: np.atanh(x / 8)),
    (trigonometric.cos, np.cos),
    (trigonometric.cosh, np.cosh),
    (trigonometric.deg2rad, np.deg2rad),
    (trigonometric.rad2deg, np.rad2deg),
    (trigonometric.sin, np.sin),
    (trigonometric.sinc, np.sinc),
    (trigonometric.sinh, np.sinh),
    (trigonometric.tan, np.tan),
    (trigonometric.tanh, np.tanh),
]
# Where NumPy counts booleans as int8 or refuses them, and we do otherwise.
BOOLEANS_APART = {"angle", "conj", "reciprocal"}
EIGHTHS = {"acos", "asin", "atanh"}  # NumPy is asked about x / 8, to stay in the domain

BINARY = [
    (arithmetic.add, np.add),
    (arithmetic.divide, np.divide),
    (arithmetic.floor_divide, np.floor_divide),
    (arithmetic.fmod, np.fmod),
    (arithmetic.hypot, np.hypot),
    (arithmetic.multiply, np.multiply),
    (arithmetic.nextafter, np.nextafter),
    (arithmetic.remainder, np.remainder),
    (arithmetic.subtract, np.subtract),
    (bitwise.bitwise_and, np.bitwise_and),
    (bitwise.bitwise_left_shift, np.bitwise_left_shift),
    (bitwise.bitwise_or, np.bitwise_or),
    (bitwise.bitwise_right_shift, np.bitwise_right_shift),
    (bitwise.bitwise_xor, np.bitwise_xor),
    (bitwise.logical_and, np.logical_and),
    (bitwise.logical_or, np.logical_or),
    (bitwise.logical_xor, np.logical_xor),
    (comparison.equal, np.equal),
    (comparison.fmax, np.fmax),
    (comparison.fmin, np.fmin),
    (comparison.greater, np.greater),
    (comparison.greater_equal, np.greater_equal),
    (comparison.heaviside, np.heaviside),
    (comparison.less, np.less),
    (comparison.less_equal, np.less_equal),
    (comparison.maximum, np.maximum),
    (comparison.minimum, np.minimum),
    (comparison.not_equal, np.not_equal),
    (exponential.logaddexp, np.logaddexp),
    (exponential.logaddexp2, np.logaddexp2),
    (exponential.pow, np.pow),
    (parts.copysign, np.copysign),
    (trigonometric.atan2, np.atan2),
]

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip


def name_of(case):
    return case[0].__name__


def layouts(dtype):
    """The same kind of small positive values in the memory layouts that kernels meet."""
    dense = (np.arange(24).reshape(4, 6) % 4 + 1).astype(dtype)
    if dense.dtype.kind == "c":
        dense += dense.dtype.type(0.5j) * (np.arange(24).reshape(4, 6) % 3)
    return {
        "dense": dense,
        "transposed": np.ascontiguousarray(dense.T).T,
        "negative strides": dense[::-1, ::-2],
        "broadcast": np.broadcast_to(dense[:1], (4, 6)),
        "0-d": dense[0, 0].copy().reshape(()),
        "empty": dense[:0],
        "one axis": dense[0],
    }


def tolerance(dtype):
    return {2: 2e-3, 4: 1e-6, 8: 1e-13}[dtype.itemsize // (2 if dtype.kind == "c" else 1)]


def assert_same(got, want, layout):
    array = got.detach()._array
    want = np.asarray(want)
    assert array.dtype == want.dtype, layout
    assert array.shape == want.shape, layout
    if want.dtype.kind in "fc":
        limit = tolerance(want.dtype)
        np.testing.assert_allclose(array, want, rtol=limit, atol=limit, err_msg=layout)
    else:
        np.testing.assert_array_equal(array, want, err_msg=layout)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", UNARY, ids=name_of)
def test_unary_values_and_dtypes_are_those_of_numpy(case, dtype):
    function, numpy_function = case
    if dtype == "bool" and function.__name__ in BOOLEANS_APART:
        pytest.skip("booleans are not numeric in the standard")
    for layout, x in layouts(dtype).items():
        scaled = x / 8 if function.__name__ in EIGHTHS else x
        try:
            want = numpy_function(x)
        except TypeError:
            with pytest.raises(TypeError):
                function(wrap(scaled))
            return
        got = function(wrap(scaled.astype(np.result_type(scaled, np.float16), copy=False))
                       if function.__name__ in EIGHTHS else wrap(x))  # fmt: skip
        assert_same(got, want, layout)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", BINARY, ids=name_of)
def test_binary_values_and_dtypes_are_those_of_numpy(case, dtype):
    function, numpy_function = case
    arrays = layouts(dtype)
    pairs = [(name, x, arrays["dense"][: x.shape[0]] if x.ndim == 2 else x)
             for name, x in arrays.items() if name != "negative strides"]  # fmt: skip
    pairs.append(("negative strides", arrays["negative strides"], arrays["dense"][:, ::2]))
    pairs.append(("column with row", arrays["dense"][:, :1], arrays["one axis"]))
    for layout, x1, x2 in pairs:
        try:
            want = numpy_function(x1, x2)
        except TypeError:
            with pytest.raises(TypeError):
                function(wrap(x1), wrap(x2))
            return
        assert_same(function(wrap(x1), wrap(x2)), want, layout)


@pytest.mark.parametrize("scalar", [True, 3, -2, 2.5, 1 + 2j], ids=repr)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "complex64"])
@pytest.mark.parametrize(
    "case", [c for c in BINARY if c[0].__name__ in ("add", "multiply", "equal", "divide")],
    ids=name_of,
)  # fmt: skip
def test_python_scalars_promote_as_in_numpy(case, dtype, scalar):
    function, numpy_function = case
    x = layouts(dtype)["one axis"]
    for arguments in ((x, scalar), (scalar, x)):
        tensors = [wrap(a) if a is x else a for a in arguments]
        try:
            want = numpy_function(*arguments)
        except OverflowError:
            with pytest.raises(OverflowError):
                function(*tensors)
            continue
        assert_same(function(*tensors), want, "one axis")


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_mixed_dtypes_promote_as_in_numpy(first, second):
    x1, x2 = layouts(first)["one axis"], layouts(second)["one axis"]
    for function, numpy_function in ((arithmetic.add, np.add), (comparison.less, np.less)):
        assert_same(function(wrap(x1), wrap(x2)), numpy_function(x1, x2), "one axis")


@pytest.mark.parametrize("decimals", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex128"])
def test_around_values_are_those_of_numpy(dtype, decimals):
    x = np.asarray([12.25, -7.75, 0.05]).astype(dtype)
    assert_same(rounding.around(wrap(x), decimals), np.round(x, decimals), "one axis")


def test_round_leaves_integers_and_rounds_ties_to_even():
    assert_same(rounding.round(wrap(np.array([1, 2]))), np.array([1, 2]), "integers")
    assert_same(
        rounding.round(wrap(np.array([0.5, 1.5, -0.5]))), np.array([0.0, 2.0, -0.0]), "ties"
    )


# -- comparisons -----------------------------------------------------------------------------------


def test_comparison_with_integers_that_the_dtype_cannot_hold():
    x = wrap(np.array([0, 255], np.uint8))
    assert not comparison.equal(x, -1)._array.any()
    assert comparison.not_equal(x, -1)._array.all()
    assert comparison.greater(x, -1)._array.all()
    assert comparison.less(x, 10**30)._array.all()
    assert comparison.less_equal(-1, x)._array.all()


def test_comparison_of_signed_with_unsigned_integers_is_exact():
    large = wrap(np.array([2**63 + 1], np.uint64))
    signed = wrap(np.array([2**63 - 1], np.int64))
    assert not comparison.equal(large, signed)._array.any()
    assert comparison.greater(large, signed)._array.all()
    assert comparison.less(
        wrap(np.array([-1])), wrap(np.array([2**64 - 1], np.uint64))
    )._array.all()


def test_out_of_range_python_integer_in_arithmetic_raises():
    with pytest.raises(OverflowError, match="uint8"):
        arithmetic.add(wrap(np.array([1], np.uint8)), 256)


def test_comparison_of_tracked_tensors_is_not_tracked():
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    for out in (comparison.less(x, 1.5), comparison.isnan(x), bitwise.logical_not(x)):
        assert out.dtype == np.bool_
        assert not out.requires_grad


def test_integers_to_negative_integer_powers_raise():
    with pytest.raises(ValueError, match="astype"):
        exponential.pow(wrap(np.array([2, 3])), -1)


# -- clip ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
@pytest.mark.parametrize(
    "bounds", [(None, None), (2, None), (None, 3), (2, 3), (-1, 300), (3, 2)], ids=repr
)
def test_clip_values_are_those_of_numpy(dtype, bounds):
    x = layouts(dtype)["dense"]
    got = comparison.clip(wrap(x), *bounds)
    want = x if bounds == (None, None) else np.clip(x, *bounds)
    assert_same(got, want, "dense")


def test_clip_broadcasts_and_propagates_nan():
    x = wrap(np.array([[0.0, 5.0], [np.nan, 1.0]]))
    out = comparison.clip(x, wrap(np.array([1.0, np.nan])), 4.0)
    np.testing.assert_array_equal(out._array, [[1.0, np.nan], [np.nan, np.nan]])


def test_clip_refuses_complex_bounds():
    with pytest.raises(TypeError, match="max"):
        comparison.clip(wrap(np.array([1.0])), 0.0, 1j)


# -- parts are views -------------------------------------------------------------------------------


def test_real_and_imag_share_memory():
    z = wrap(np.array([1 + 2j, 3 + 4j]))
    for part in (parts.real(z), parts.imag(z)):
        assert np.shares_memory(part._array, z._array)
    parts.real(z)[0] = 7.0
    parts.imag(z)[1] = -1.0
    np.testing.assert_array_equal(z._array, [7 + 2j, 3 - 1j])


def test_real_of_a_real_tensor_is_a_view():
    x = wrap(np.array([1.0, 2.0]))
    assert np.shares_memory(parts.real(x)._array, x._array)
    assert not parts.imag(x)._array.any()


def test_conj_of_a_real_tensor_has_its_values():
    x = wrap(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(parts.conj(x)._array, [1.0, 2.0])


def _layouts(n):
    """Pairs of float64 operands with `n` elements and a little more or less."""
    rng = np.random.default_rng(1)
    side = int(n**0.5) + 1
    row, square = rng.random(n), rng.random((side, side))
    cube = rng.random((4, side, side // 4 + 1))
    return {
        "same": (row, row[::-1].copy()),
        "number": (row, 2.5),
        "0-d": (np.asarray(2.5), row),
        "transposed": (square.T, square.T),
        "number and transposed": (square.T, 2.5),
        "mixed": (square, square.T),
        "permuted": (cube.transpose(2, 0, 1), cube.transpose(2, 0, 1)),
        "permuted and a row": (cube.transpose(2, 0, 1), cube[0, :, 0]),
        "backwards": (row[::-1], row),
        "every second": (np.repeat(row, 2)[::2], row),
        "column": (square, square[:, :1]),
        "row first": (square[0], square),
        "outer": (square[:, :1], square[0]),
        "outer 3-d": (cube[:, None, :2], cube[None, :, :2]),
        "broadcast": (np.broadcast_to(row[:7, None], (7, n)), np.broadcast_to(row, (7, n))),
    }


@pytest.mark.parametrize("n", [1 << 15, (1 << 15) + 3, 1 << 17, (1 << 17) + 3])
def test_large_operands_of_every_layout(n):
    """Sizes where pooled memory begins, for results that a graph keeps and for others."""
    for name, (a, b) in _layouts(n).items():
        expected = a * b
        for tracked in (False, True):
            x = ag.tensor(a, requires_grad=tracked) if a.ndim else ag.asarray(a)
            x = x if np.shares_memory(a, x) or tracked else wrap(a)
            for other in (b, b if isinstance(b, float) else wrap(b)):
                for result, like in ((x * other, expected), (other * x, b * a)):
                    found = np.asarray(result.detach())
                    np.testing.assert_array_equal(found, expected, err_msg=f"{name} {tracked}")
                    assert tracked or found.strides == like.strides, name
        np.testing.assert_array_equal(np.asarray(ag.sqrt(wrap(a))), np.sqrt(a), err_msg=name)
        assert np.asarray(ag.sqrt(wrap(a))).strides == np.sqrt(a).strides, name
        np.testing.assert_array_equal(np.asarray(wrap(a) > b), a > b, err_msg=name)
        clipped = np.clip(a, 0.25, 0.75)
        np.testing.assert_array_equal(np.asarray(ag.clip(wrap(a), 0.25, 0.75)), clipped)


def test_results_of_large_calls_do_not_share_memory():
    x = ag.tensor(np.ones(1 << 16), requires_grad=True)
    kept = [x * float(i) for i in range(2, 6)]
    assert [k.detach()[0].item() for k in kept] == [2, 3, 4, 5]
    first = [ag.asarray(x.detach()) + float(i) for i in range(4)]
    assert [k[-1].item() for k in first] == [1, 2, 3, 4]


def test_outer_shapes_that_do_not_broadcast_are_refused_by_name():
    x, y = ag.ones((3000, 2)), ag.ones((3, 3000))
    for a, b in ((x, y), (ag.tensor(x, requires_grad=True), y), (x, np.ones((3, 3000)))):
        with pytest.raises(ag.errors.ShapeError, match=r"3000"):
            a + b
