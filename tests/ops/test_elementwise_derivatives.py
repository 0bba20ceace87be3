"""Conventions of elementwise derivatives: ties, kinks, zeros, poles, tails, complex numbers.

That the derivatives are right where they are smooth is tested over the samples, to second order
and in both modes; here is what finite differences do not see.
"""

import math

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _dispatch, _fused
from arraygrad._apply import wrap
from arraygrad._cotangents import where
from arraygrad._elementwise import elementwise
from arraygrad._engine import gradients
from arraygrad._graph import VALUES
from arraygrad._op import OPS, find_op
from arraygrad.ops import arithmetic, comparison, exponential, parts, rounding, trigonometric
from arraygrad.ops.arithmetic import add, divide, multiply, square, subtract
from arraygrad.ops.exponential import exp, logaddexp, pow, sqrt
from arraygrad.ops.parts import abs, imag, real

DTYPES = ["float32", "float64"]


def gradient(function, *values, dtype=None, cotangent=None):
    """Gradients of the sum of function(*values) by each of the values."""
    tensors = [ag.tensor(np.array(v, dtype), requires_grad=True) for v in values]
    with np.errstate(all="ignore"):
        out = function(*tensors)
    g = np.ones(out.shape, out.dtype) if cotangent is None else np.asarray(cotangent)
    out.backward(wrap(g))
    found = [None if x.grad is None else x.grad._array for x in tensors]
    return found[0] if len(found) == 1 else found


def second_derivative(function, value):
    """Second derivative of an elementwise function at each element."""
    x = ag.tensor(np.array(value), requires_grad=True)
    out = function(x)
    (first,) = gradients([out], [wrap(np.ones(out.shape, out.dtype))], [x], True, True)
    (second,) = gradients([first], [wrap(np.ones(out.shape, out.dtype))], [x], False, True)
    return second._array


def close(got, want, rtol=1e-12):
    np.testing.assert_allclose(got, want, rtol=rtol, atol=0)


@pytest.mark.parametrize(("name", "sign"), [("asin", 1), ("acos", -1)])
def test_slopes_at_the_ends_of_the_domain_have_the_sign_of_those_inside(name, sign):
    function = getattr(trigonometric, name)
    close(gradient(function, [-1.0, 1.0]), [sign * np.inf] * 2)
    x = ag.tensor([-1.0, 1.0], requires_grad=True)
    with np.errstate(all="ignore"):
        (recorded,) = ag.autograd.grad(function(x).sum(), x, create_graph=True)
    close(recorded.detach()._array, [sign * np.inf] * 2)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("acos", 1), ("acosh", 1), ("asin", 1), ("atanh", 1), ("log", 1), ("log1p", 1),
        ("sqrt", 1), ("asinh", 1j), ("atan", 1j),
    ],
)  # fmt: skip
def test_slopes_on_both_sides_of_branch_cuts(name, cut, create_graph):
    """A zero with a sign says which side is meant; the slopes of asin, acosh, asinh lost it."""
    cut = np.array([-2.5, 2.5, -0.5, 0.5]) * cut
    for sign in (1.0, -1.0):
        on, beside = cut.astype(complex), cut.astype(complex)
        across = "imag" if cut.dtype.kind == "f" else "real"
        setattr(on, across, sign * 0.0)
        setattr(beside, across, sign * 1e-12)
        found = []
        for values in (on, beside):
            x = ag.tensor(values, requires_grad=True)
            out = getattr(ag, name)(x)
            g = wrap(np.ones(4, complex))
            (slope,) = ag.autograd.grad(out, x, g, create_graph=create_graph)
            found.append(slope.detach()._array)
        np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


# -- ties and kinks -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_tie_splits_evenly(name):
    function = getattr(comparison, name)
    first, second = gradient(function, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    larger_wins = name in ("maximum", "fmax")
    close(first, [0.5, 0.0, 1.0] if larger_wins else [0.5, 1.0, 0.0])
    close(second, 1 - first)
    close(gradient(lambda x: function(x, x), 1.0), 1.0)


def test_nan_takes_the_gradient_where_it_takes_the_value():
    first, second = gradient(comparison.maximum, [np.nan, 1.0], [1.0, np.nan])
    close(first, [1.0, 0.0])
    close(second, [0.0, 1.0])
    first, second = gradient(comparison.fmax, [np.nan, 1.0, np.nan], [1.0, np.nan, np.nan])
    close(first, [0.0, 1.0, 0.5])
    close(second, [1.0, 0.0, 0.5])


def test_clip_gradient_goes_to_what_won_and_to_x_at_the_bounds():
    x, low, high = gradient(comparison.clip, [-1.0, 0.0, 0.5, 1.0, 2.0], np.zeros(5), np.ones(5))
    close(x, [0.0, 1.0, 1.0, 1.0, 0.0])
    close(low, [1.0, 0.0, 0.0, 0.0, 0.0])
    close(high, [0.0, 0.0, 0.0, 0.0, 1.0])


def test_clip_gradient_goes_to_max_where_the_bounds_cross():
    x, low, high = gradient(comparison.clip, [-1.0, 1.5, 5.0], [2.0] * 3, [1.0] * 3)
    close(x, [0.0] * 3)
    close(low, [0.0] * 3)
    close(high, [1.0] * 3)


def test_abs_at_zero_has_gradient_zero():
    close(gradient(abs, [0.0, -0.0, -2.0]), [0.0, 0.0, -1.0])
    close(gradient(abs, [0j, 3 + 4j]), [0, 0.6 + 0.8j])


def test_hypot_and_atan2_at_the_origin_have_gradient_zero():
    for function in (arithmetic.hypot, trigonometric.atan2):
        assert gradient(function, 0.0, 0.0) == [0.0, 0.0]


def test_copysign_follows_both_signs():
    first, second = gradient(parts.copysign, [2.0, -2.0, 0.0, 2.0], [-1.0, -1.0, -1.0, -0.0])
    close(first, [-1.0, 1.0, 0.0, -1.0])
    close(second, [0.0] * 4)


@pytest.mark.parametrize(
    "function",
    [rounding.ceil, rounding.floor, rounding.trunc, rounding.round, rounding.rint,
     rounding.around, parts.sign, parts.angle],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_piecewise_constant_functions_stay_tracked_with_gradient_zero(function):
    x = ag.tensor([0.3, -1.0, 2.0], requires_grad=True)
    out = function(x)
    assert out.requires_grad
    add(out, multiply(x, 3.0)).backward(wrap(np.ones(3)))
    close(x.grad._array, [3.0] * 3)


def test_remainders_by_divisor():
    _, by_divisor = gradient(arithmetic.remainder, [5.0, -5.0, 1.0], [2.0, 2.0, 0.1])
    close(by_divisor, [-2.0, 3.0, -9.0])
    _, by_divisor = gradient(arithmetic.fmod, [5.0, -5.0, 1.0], [2.0, 2.0, 0.1])
    close(by_divisor, [-2.0, 2.0, -9.0])
    assert gradient(arithmetic.floor_divide, 5.0, 2.0) == [0.0, 0.0]


def test_nextafter_is_the_identity_but_for_rounding():
    assert gradient(arithmetic.nextafter, 1.0, 2.0) == [1.0, 0.0]


def test_heaviside_by_its_value_at_zero():
    first, second = gradient(comparison.heaviside, [-1.0, 0.0, 1.0], [0.5, 0.5, 0.5])
    close(first, [0.0] * 3)
    close(second, [0.0, 1.0, 0.0])


# -- powers and roots -----------------------------------------------------------------------------


def test_pow_at_zero_base():
    by_base, by_exponent = gradient(pow, [0.0] * 5, [0.0, 0.5, 1.0, 2.0, 3.0])
    close(by_base, [0.0, np.inf, 1.0, 0.0, 0.0])
    close(by_exponent, [0.0] * 5)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 2.0, 4.0])
def test_pow_with_python_exponent_at_any_base(exponent):
    x = np.array([-2.0, 0.0, 3.0])
    close(gradient(lambda t: pow(t, exponent), x), exponent * x ** max(exponent - 1, 0))


def test_pow_with_python_exponent_has_exact_second_derivatives_at_zero():
    close(second_derivative(lambda x: pow(x, 2), [-1.0, 0.0, 3.0]), [2.0] * 3)
    close(second_derivative(lambda x: pow(x, 3), [-1.0, 0.0, 3.0]), [-6.0, 0.0, 18.0])


def test_pow_with_tensor_exponent_of_negative_base():
    x = ag.tensor([-2.0, -3.0], requires_grad=True)
    pow(x, wrap(np.array([3.0, 2.0]))).backward(wrap(np.ones(2)))
    close(x.grad._array, [12.0, -6.0])
    assert np.isnan(gradient(pow, -2.0, 3.0)[1])  # not defined in any neighbourhood of 3


def test_pow_by_complex_base_and_exponent():
    z, w = 1.5 - 0.5j, 0.3 + 0.7j
    by_base, by_exponent = gradient(pow, z, w)
    close(by_base, np.conj(w * z ** (w - 1)))
    close(by_exponent, np.conj(z**w * np.log(z)))


def test_sqrt_at_zero_is_infinite_unless_the_cotangent_is_zero():
    assert gradient(sqrt, 0.0) == np.inf
    assert gradient(sqrt, 0.0, cotangent=0.0) == 0.0
    assert gradient(lambda x: sqrt(multiply(x, x)), 0.0) == 0.0


def test_where_ignores_the_branch_not_taken():
    got = gradient(lambda x: where(comparison.greater(x, 0), sqrt(x), 0.0), [-1.0, 4.0])
    close(got, [0.0, 0.25])
    got = gradient(lambda a: where(comparison.less_equal(a, 0), exp(a), add(1, a)), 1000.0)
    assert got == 1.0
    got = gradient(
        lambda x: where(
            comparison.not_equal(x, 0), divide(trigonometric.sin(x), x), 1.0
        ), [0.0, 1.0]
    )  # fmt: skip
    close(got, [0.0, math.cos(1) - math.sin(1)])


# -- tails and extremes ---------------------------------------------------------------------------


@pytest.mark.parametrize("x", [20.0, -20.0])
def test_tanh_slope_in_the_tail(x):
    close(gradient(trigonometric.tanh, x), 1.6993417021166355e-17)


def test_tanh_slope_in_the_tail_of_float32():
    got = gradient(trigonometric.tanh, -9.010913848876953, dtype="float32")
    close(got, 5.960458e-08, rtol=1e-6)


@pytest.mark.parametrize("x", [800.0, -800.0])
def test_saturated_slopes_are_zero_to_second_order(x):
    for function in (trigonometric.tanh, exponential.sigmoid, exponential.erf):
        assert gradient(function, x) == 0.0
        assert second_derivative(function, x) == 0.0


@pytest.mark.parametrize("x", [40.0, -40.0])
def test_sigmoid_slope_in_both_tails(x):
    close(gradient(exponential.sigmoid, x), math.exp(-40.0))


def test_expm1_slope_where_the_result_rounds_to_minus_one():
    close(gradient(exponential.expm1, -50.0), math.exp(-50.0))


def test_exp2_slope_where_the_result_overflows():
    close(gradient(exponential.exp2, 1024.0), 1.2460659279417838e308)


def test_erfc_slope_in_the_tail():
    close(gradient(exponential.erfc, 20.0), -2 / math.sqrt(math.pi) * math.exp(-400.0))


def test_log1p_slope_near_its_pole():
    close(gradient(exponential.log1p, -1 + 2.0**-52), 2.0**52)


def test_logaddexp_of_infinities():
    first, second = gradient(
        logaddexp, [-np.inf, np.inf, -np.inf, np.inf, 1.0], [-np.inf, np.inf, 2.0, 2.0, 1.0]
    )
    close(first, [0.0, 0.5, 0.0, 1.0, 0.5])
    close(second, [0.0, 0.5, 1.0, 0.0, 0.5])
    got = gradient(lambda x: exp(logaddexp(-np.inf, add(-np.inf, x))), 1.0)
    assert got == 0.0
    close(second_derivative(lambda x: logaddexp(x, 1.0), 1.0), 0.25)


def test_atan2_of_tiny_and_huge_arguments():
    close(gradient(trigonometric.atan2, 1e-200, 1e-200), [5e199, -5e199])
    close(gradient(trigonometric.atan2, 1e200, 1e200), [5e-201, -5e-201])
    close(gradient(arithmetic.hypot, 3e200, 4e200), [0.6, 0.8])


def test_inverse_functions_near_the_ends_of_their_domains():
    ulp = 2.0**-53
    slope = 1 / math.sqrt(ulp * (2 - ulp))
    close(gradient(trigonometric.asin, 1 - ulp), slope)
    close(gradient(trigonometric.acos, -1 + ulp), -slope)
    close(gradient(trigonometric.atanh, 1 - ulp), 1 / (ulp * (2 - ulp)))
    close(gradient(trigonometric.acosh, 1 + 2 * ulp), 1 / math.sqrt(2 * ulp * (2 + 2 * ulp)))
    close(gradient(trigonometric.acosh, 1e200), 1e-200)
    close(gradient(trigonometric.asinh, 1e200), 1e-200)


def test_sinc_at_and_near_zero_to_second_order():
    close(gradient(trigonometric.sinc, [0.0, 1e-8]), [0.0, -(np.pi**2) / 3 * 1e-8])
    close(second_derivative(trigonometric.sinc, [0.0, 1e-8]), [-(np.pi**2) / 3] * 2)
    # Both sides of the change from the series to the closed form.
    below, above = np.array(1 / np.pi) * [1 - 1e-12, 1 + 1e-12]
    for derivative in (gradient, second_derivative):
        close(derivative(trigonometric.sinc, below), derivative(trigonometric.sinc, above), 1e-11)


# -- complex numbers ------------------------------------------------------------------------------


def test_real_parameters_with_complex_intermediates():
    x = np.array([0.3, 1.1, 2.0, -0.7])
    close(gradient(lambda t: real(exp(multiply(1j, t))), x), -np.sin(x))
    close(gradient(lambda t: imag(exp(multiply(1j, t))), x), np.cos(x))


def test_complex_gradient_is_the_direction_of_ascent():
    z = np.array([3 + 4j, 1 - 1j])
    close(gradient(lambda t: square(abs(t)), z), 2 * z)
    close(gradient(abs, z), z / np.abs(z))
    close(gradient(real, z), [1, 1])
    close(gradient(imag, z), [1j, 1j])
    close(gradient(parts.angle, z), 1j * z / np.abs(z) ** 2)


def test_cotangents_of_real_and_imag_keep_infinities_apart():
    z = np.array([1 + 1j])
    for function, want in ((real, complex(np.inf, 0)), (imag, complex(0, np.inf))):
        np.testing.assert_array_equal(gradient(function, z, cotangent=[np.inf]), [want])


def test_holomorphic_gradient_conjugates_the_slope():
    z = np.array([0.5 + 0.3j, -1.2 + 2j])
    for function, slope in (
        (exponential.log, 1 / z),
        (sqrt, 0.5 / np.sqrt(z)),
        (trigonometric.tan, 1 / np.cos(z) ** 2),
        (trigonometric.acosh, 1 / (np.sqrt(z - 1) * np.sqrt(z + 1))),
        (trigonometric.asin, 1 / np.sqrt(1 - z**2)),
    ):
        close(gradient(function, z), np.conj(slope))


def test_tan_slope_far_from_the_real_axis():
    z = np.array(0.5 + 30j)  # 1 + tan(z)**2 would be 0
    close(gradient(trigonometric.tan, z), np.conj(4 * np.exp(2j * z)), rtol=1e-9)


def test_writing_through_real_reaches_the_gradient():
    x = ag.tensor([2.0], requires_grad=True)
    z = multiply(x, 1 + 1j)
    real(z)[0] = 5.0
    square(abs(z)).backward(wrap(np.ones(1)))  # 25 + x**2
    close(x.grad._array, [4.0])


# -- the fast forms -------------------------------------------------------------------------------

IN_DOMAIN = {"acosh": 2.0, "asin": 0.0, "acos": 0.0, "atanh": 0.0}


def _saved_names(op):
    return {name for argument in op.args for name in op.derivative.names(argument)}


@pytest.mark.parametrize("name", sorted(_fused.FUSED_VALUES))
def test_fused_kernels_take_values_that_the_op_saves(name):
    op = OPS[name]
    saved = set(op.args) if op.derivative.kind == "bilinear" else _saved_names(op)
    assert set(_fused.FUSED_VALUES[name]) <= saved


def _formula_and_fast(name, dtype):
    """Cotangents of one op by its formula and by the engine's fast form."""
    op = OPS[name]
    rng = np.random.default_rng(3)
    shift = IN_DOMAIN.get(name, 0.0)
    values = []
    for _ in op.args:
        value = rng.uniform(0.1, 0.9, (3, 5)) + shift
        if dtype.kind == "c":
            value = value + 1j * rng.uniform(0.1, 0.9, (3, 5))
        values.append(value.astype(dtype))
    tensors = [ag.tensor(v, requires_grad=True) for v in values]
    out = elementwise(op, *tensors)
    g = rng.standard_normal(out.shape).astype(out.dtype)
    g[0, 0] = 0
    fast = gradients([out], [wrap(g)], tensors, False, True)
    formula = gradients([out], [wrap(g)], tensors, True, True)
    return fast, formula


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in sorted(_fused.FORMS)
        if find_op(name).family == "elementwise"
        for dtype in ("float32", "float64", "complex64", "complex128")
        if dtype.startswith("float") or not OPS[name].dtypes.startswith("real")
    ],
)
def test_fast_form_equals_the_formula(name, dtype):
    dtype = np.dtype(dtype)
    fast, formula = _formula_and_fast(name, dtype)
    tolerance = 1e-5 if dtype in (np.float32, np.complex64) else 1e-13
    for a, b in zip(fast, formula, strict=True):
        assert a.dtype == b.dtype == dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a._array, b.detach()._array, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(3, 5), (), (0,)])
@pytest.mark.parametrize("name", sorted(n for n in _fused.FORMS if OPS[n].family == "elementwise"))
def test_cotangents_of_fast_forms_are_arrays_of_their_own(name, shape):
    """The engine adds into them: floor_divide gave both arguments one array of zeros, nextafter
    the user's own cotangent; the parts of a 0-d complex cotangent were 1-d."""
    op = OPS[name]
    values = np.random.default_rng(3).uniform(0.1, 0.9, (len(op.args), *shape))
    tensors = [ag.tensor(v + IN_DOMAIN.get(name, 0.0), requires_grad=True) for v in values]
    out = elementwise(op, *tensors)
    g = np.ones(out.shape, out.dtype)
    cotangents = _fused.FORMS[name](out._node, g)
    if cotangents is None:
        pytest.skip("no kernel is compiled for this")
    assert {(c.shape, c.dtype) for c in cotangents} == {(shape, values.dtype)}
    added_into = [c for c in cotangents if op.computes or (c is not g and c.base is None)]
    held = [g, *(v for v in out._node[VALUES] or () if v is not None)]
    for i, c in enumerate(added_into):
        assert c.flags.writeable
        assert not any(np.shares_memory(c, other) for other in held + added_into[:i])


def test_one_tracked_factor_gets_its_gradient_alone():
    x = ag.tensor([1.0, np.inf], requires_grad=True)
    multiply(x, wrap(np.array([0.0, 2.0]))).backward(wrap(np.array([np.inf, 3.0])))
    close(x.grad._array, [0.0, 6.0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_have_the_dtype_of_the_leaf(dtype):
    for function in (
        trigonometric.tanh, trigonometric.sinc, exponential.exp2, exponential.log2,
        exponential.erf, lambda x: pow(x, 3), lambda x: pow(2, x), lambda x: comparison.clip(x, 0),
        lambda x: comparison.maximum(x, 0.5), lambda x: subtract(1, x), rounding.floor,
    ):  # fmt: skip
        assert gradient(function, [0.5, 1.5], dtype=dtype).dtype == dtype


def test_fused_table_names_the_kernels_arguments():
    if _dispatch.kernel_mode == "numpy":
        pytest.skip("no compiled kernels")
    scalars = pytest.importorskip("arraygrad_kernels.scalars")
    for name, slots in _fused.FUSED_VALUES.items():
        op = OPS[name]
        positions = [op.slot_index[slot] for slot in slots]
        numbered = [*(f"x{i}" for i in range(1, len(op.args) + 1)), "out"]
        assert tuple(numbered[i] for i in positions) == scalars.PARTIALS[name][0], name


ELEMENTWISE = sorted(
    name for name, op in OPS.items() if op.family == "elementwise" and op.differentiable
)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_elementwise_op_has_a_fast_form_or_a_reason(name):
    key = "special.*" if name.startswith("special.") else name
    assert (name in _fused.FORMS) != (key in _fused.BY_FORMULA), (
        f"{name}: give it a fused kernel (FUSED_VALUES and PARTIALS), a form in SIMPLE, or say in "
        "BY_FORMULA why it has none"
    )


def test_reasons_are_for_ops_that_exist():
    assert {n for n in _fused.BY_FORMULA if n != "special.*"} <= set(ELEMENTWISE)


@pytest.mark.parametrize("name", sorted(_fused.FUSED_VALUES))
def test_fused_kernels_exist_for_real_and_complex(name):
    cpu = pytest.importorskip("arraygrad_kernels.cpu")
    if not cpu.catalogue():
        pytest.skip("nothing compiles under NUMBA_DISABLE_JIT")
    op = OPS[name]
    wanted = "fd" if op.dtypes.startswith("real") or name in ORDERED else "fdFD"
    kernels = {spec.dtypes[-1].char for spec in cpu.catalogue() if spec.op == f"{name}.backward"}
    assert kernels == set(wanted)


# Ops of order, which complex numbers do not have.
ORDERED = {"clip", "fmax", "fmin", "maximum", "minimum", "copysign"}


def test_what_an_absorbing_zero_swallows_can_be_seen():
    """The limits 1 are lost by the forward pass; with absorption off they are NaN, not 0."""
    with np.errstate(all="ignore"):
        for function, x in (
            (lambda t: exponential.log1p(exp(t)), 800.0),
            (lambda t: square(sqrt(t)), 0.0),
        ):
            assert gradient(function, x) == 0.0
            ag.set_absorbing_zeros(False)
            try:
                assert np.isnan(gradient(function, x))
            finally:
                ag.set_absorbing_zeros(True)
        assert gradient(lambda t: logaddexp(0.0, t), 800.0) == 1.0


@pytest.mark.parametrize("exponent", [3.0, 0.0, -1.5, 0.5, np.array([0.0, 1.0, 2.5])])
def test_pow_of_the_base_alone(exponent):
    x = np.array([0.0, 1e-3, 2.0])
    tensor = ag.tensor(x, requires_grad=True)
    with np.errstate(all="ignore"):
        out = pow(tensor, exponent)
        (fast,) = gradients([out], [wrap(np.ones(3))], [tensor], False, True)
        (formula,) = gradients([out], [wrap(np.ones(3))], [tensor], True, True)
    close(fast._array, formula.detach()._array)
