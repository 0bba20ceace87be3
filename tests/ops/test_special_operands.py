"""Derivatives of all elementwise ops at NaN, infinities, signed zeros, subnormal and huge numbers.

Every op meets every combination of the operands below, by all roads: the raw pass (compiled fused
kernels, or the forms beside them), the formulas in a recorded pass, the formulas in forward mode,
and the fused kernel called itself, on all elements at once (its careful form) and one by one (its
quick form, where that applies). Where nothing compiles, formulas run on the reference kernels, and
the fused kernels are held to those.
"""

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _fused
from arraygrad._apply import node_of, wrap
from arraygrad._elementwise import elementwise
from arraygrad._engine import gradients
from arraygrad._forward_pass import push_forward
from arraygrad._op import OPS, find_op
from arraygrad.ops import arithmetic, comparison, exponential, parts, trigonometric

INF, NAN = np.inf, np.nan
# ±tiny, ±huge stand for three times the smallest subnormal number and for the largest number.
OPERANDS = (NAN, INF, -INF, 0.0, -0.0, "tiny", "-tiny", 1.0, -1.0, 2.0, -2.0, 0.5, "huge", "-huge")
PARTS = (NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, "tiny", "huge")
PARTS_OF_TWO = (NAN, INF, -INF, 0.0, -0.0, 1.0, -2.0, "tiny", "huge")
COTANGENTS = (1.0, -2.0, 0.0, INF, NAN)
COMPLEX_COTANGENTS = (1.0, 1j, 1 - 2j, 0.0)

# Ops of order, which complex numbers do not have; and one that makes complex numbers of real ones.
ORDERED = {"clip", "copysign", "fmax", "fmin", "maximum", "minimum"}
NAMES = [
    name
    for name in sorted(_fused.FORMS)
    if find_op(name).family == "elementwise" and name != "complex"
]
CASES = [
    (name, dtype)
    for name in NAMES
    for dtype in ("float64", "float32", "complex128", "complex64")
    if dtype.startswith("f") or not (OPS[name].dtypes.startswith("real") or name in ORDERED)
]


def _numbers(names, dtype):
    info = np.finfo(dtype)
    known = {"tiny": 3 * float(info.smallest_subnormal), "huge": float(info.max)}
    known |= {f"-{name}": -value for name, value in known.items()}
    return np.array([known.get(name, name) for name in names], float)


def _operands(op, dtype):
    """Arrays of all combinations of operands and cotangents."""
    count = len(op.args)
    if dtype.kind == "c":
        real = _numbers(PARTS if count == 1 else PARTS_OF_TWO, dtype)
        numbers = np.empty((len(real), len(real)), complex)
        numbers.real, numbers.imag = real[:, None], real
        numbers = numbers.reshape(-1)
        cotangents = np.array(COMPLEX_COTANGENTS)
    else:
        numbers, cotangents = _numbers(OPERANDS, dtype), np.array(COTANGENTS)
    grid = np.meshgrid(*[np.arange(len(numbers))] * count, np.arange(len(cotangents)))
    *places, last = [axis.reshape(-1) for axis in grid]
    return [numbers[place].astype(dtype) for place in places], cotangents[last]


def _roads(op, values, g):
    """Cotangents of each operand by road, and the op's values."""
    tensors = [ag.tensor(value, requires_grad=True) for value in values]
    with np.errstate(all="ignore"):
        out = elementwise(op, *tensors)
    g = (g.real if out.dtype.kind == "f" else g).astype(out.dtype)
    roads = {}
    for road, recording in (("recorded", True), ("pruned", False)):
        found = gradients([out], [wrap(g)], tensors, recording, True)
        roads[road] = [c.detach()._array for c in found]
    out.backward(wrap(g), retain_graph=True)
    roads["raw"] = [t.grad._array for t in tensors]
    if values[0].dtype.kind == "f":  # of real functions the transpose is the derivative itself
        nodes = [node_of(t) for t in tensors]
        moved = [push_forward([node_of(out)], [node], [wrap(g)], False)[0] for node in nodes]
        roads["forward"] = [t._array for t in moved]
    return roads, out.detach()._array, g


def _kernel_roads(name, values, out, g):
    """By the fused kernel: all elements at once, and one by one."""
    slots = _fused.FUSED_VALUES.get(name)
    jit = pytest.importorskip("arraygrad_kernels._jit")
    if slots is None or not jit.enabled():
        return {}
    from arraygrad_kernels import cpu

    named = dict(zip(OPS[name].args, values, strict=True), out=out)
    arrays = [g, *[named[slot] for slot in slots]]
    spec = cpu.find(f"{name}.backward", tuple(array.dtype for array in arrays))
    kernel = spec.build()
    single = [kernel(*[array[i : i + 1] for array in arrays]) for i in range(len(g))]
    return {
        "kernel": list(kernel(*arrays)),
        "kernel, one by one": [np.concatenate(parts) for parts in zip(*single, strict=True)],
    }


# Units of rounding that complex results may differ by; the exponent of a power multiplies them.
ROUNDINGS = {"pow": 2000}


def _agree(a, b, roundings=200):
    """Whether two numbers are the same but for some rounding; NaN agrees with NaN.

    Complex numbers that are not finite agree: of an infinity, products by parts make another one,
    or NaN where infinite parts cancel, as it falls out.
    """
    eps = np.finfo(a.dtype).eps * (roundings if a.dtype.kind == "c" else 40)
    least = 4 * np.finfo(a.dtype).smallest_subnormal
    with np.errstate(all="ignore"):
        close = np.abs(a - b) <= eps * np.maximum(np.abs(a), np.abs(b)) + least
        finite = np.isfinite(a) & np.isfinite(b)
    if a.dtype.kind == "c":
        return (~np.isfinite(a) & ~np.isfinite(b)) | (finite & close)
    return (np.isnan(a) & np.isnan(b)) | (a == b) | (finite & close)


# Where roads may differ: (op, kind of dtype) -> (where, why).
EXCEPTIONS = {
    ("exp2", "c"): (
        lambda x: np.abs(x.imag) > 1e30,
        "the reference kernel reduces the angle x log(2), which is rounded by many revolutions",
    ),
    ("pow", "c"): (
        lambda x1, x2: (
            ~(np.isfinite(x1) & np.isfinite(x2)) | (np.maximum(np.abs(x1), np.abs(x2)) > 1e30)
        ),
        "NumPy's power of complex numbers, the reference, is NaN where it need not be",
    ),
}


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_all_roads_agree_at_special_operands(name, dtype):
    op, dtype = OPS[name], np.dtype(dtype)
    values, g = _operands(op, dtype)
    roads, out, g = _roads(op, values, g)
    if dtype != np.complex64:  # compiles long, and differs from complex128 in nothing tested here
        roads |= _kernel_roads(name, values, out, g)
    formula = roads.pop("recorded")
    excepted = EXCEPTIONS.get((name, dtype.kind))
    allowed = np.zeros(len(g), bool) if excepted is None else excepted[0](*values)
    for road, cotangents in roads.items():
        for i, (found, wanted) in enumerate(zip(cotangents, formula, strict=True)):
            agree = _agree(found, wanted, ROUNDINGS.get(name, 200))
            wrong = np.flatnonzero(~(agree | allowed))
            at = [(*(v[k].item() for v in values), g[k].item()) for k in wrong[:3]]
            assert not wrong.size, (
                f"{name} by {op.args[i]}: {road} and formula differ at {wrong.size} of {len(g)}, "
                f"(operands..., g) = {at}: {found[wrong[:3]]} and {wanted[wrong[:3]]}"
            )


# -- what is right ---------------------------------------------------------------------------------

# Partials that do not depend on the operands, or choose between them.
CONSTANT = {
    "add", "angle", "ceil", "clip", "conj", "deg2rad", "floor", "floor_divide", "fmax", "fmin",
    "heaviside", "maximum", "minimum", "negative", "nextafter", "positive", "rad2deg", "rint",
    "round", "sign", "subtract", "trunc",
}  # fmt: skip
# (op, argument) -> the only operands that its partial depends on.
DEPENDS_ON = {
    ("absorbing_multiply", "x1"): ("x2",),
    ("absorbing_multiply", "x2"): ("x1",),
    ("copysign", "x1"): ("x1",),
    ("copysign", "x2"): (),
    ("divide", "x1"): ("x2",),
    ("fmod", "x1"): (),
    ("multiply", "x1"): ("x2",),
    ("multiply", "x2"): ("x1",),
    ("remainder", "x1"): (),
    ("pow", "x1"): ("x2",),  # of x1**1 it is 1
}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in CONSTANT])
def test_nan_operands_with_nan_values_have_nan_derivatives(name):
    op = OPS[name]
    values, _ = _operands(op, np.dtype("float64"))
    roads, out, _ = _roads(op, values, np.ones(len(values[0])))
    for argument, found in zip(op.args, roads["recorded"], strict=True):
        used = DEPENDS_ON.get((name, argument), op.args)
        nan = np.zeros(len(out), bool)
        for other, value in zip(op.args, values, strict=True):
            if other in used:
                nan |= np.isnan(value)
        assert np.isnan(found[nan & np.isnan(out)]).all()


# Where functions of numbers whose value is one have no derivative.
UNDEFINED = {
    # The direction of a point infinitely far in both coordinates.
    ("hypot", "x1"): lambda x1, x2: np.isinf(x1) & np.isinf(x2),
    ("hypot", "x2"): lambda x1, x2: np.isinf(x1) & np.isinf(x2),
    # Powers of negative numbers are no numbers right beside whole exponents.
    ("pow", "x2"): lambda x1, x2: x1 < 0,
}


@pytest.mark.parametrize("name", NAMES)
def test_numbers_with_values_have_derivatives(name):
    op = OPS[name]
    values, _ = _operands(op, np.dtype("float64"))
    roads, out, _ = _roads(op, values, np.ones(len(values[0])))
    number = ~np.isnan(out)
    for value in values:
        number &= ~np.isnan(value)
    for argument, found in zip(op.args, roads["recorded"], strict=True):
        undefined = UNDEFINED.get((name, argument))
        asked = number if undefined is None else number & ~undefined(*values)
        assert not np.isnan(found[asked]).any()


MAX, TINY = float(np.finfo(float).max), 5e-324
FACTS = [
    (parts.abs, [complex(INF, 0)], [1]),
    (parts.abs, [complex(1, -INF)], [-1j]),
    (parts.abs, [complex(MAX, MAX)], [complex(0.5**0.5, 0.5**0.5)]),
    (parts.angle, [complex(INF, 1)], [0]),
    (parts.angle, [complex(-INF, INF)], [0]),
    (parts.copysign, [NAN, -1.0], [NAN, 0.0]),
    (parts.copysign, [-INF, 1.0], [-1.0, 0.0]),
    (arithmetic.divide, [0.0, TINY], [INF, 0.0]),
    (arithmetic.divide, [2.0**-1060, 2.0**-1030], [INF, -(2.0**1000)]),
    (arithmetic.hypot, [INF, 1.0], [1.0, 0.0]),
    (arithmetic.hypot, [2.0, -INF], [0.0, -1.0]),
    (arithmetic.hypot, [MAX, -MAX], [0.5**0.5, -(0.5**0.5)]),
    (arithmetic.hypot, [TINY, TINY], [0.5**0.5, 0.5**0.5]),
    # floor(-1 / inf) is -1, which the value says too: remainder(-1, inf) is inf.
    (arithmetic.remainder, [-1.0, INF], [1.0, 1.0]),
    (arithmetic.remainder, [TINY, -INF], [1.0, 1.0]),
    (arithmetic.remainder, [1.0, INF], [1.0, 0.0]),
    (arithmetic.remainder, [-0.0, INF], [1.0, 0.0]),
    (arithmetic.fmod, [-1.0, INF], [1.0, 0.0]),
    (arithmetic.floor_divide, [-1.0, INF], [0.0, 0.0]),
    (comparison.clip, [1.0, NAN, 2.0], [0.0, 1.0, 0.0]),
    (comparison.clip, [1.0, 0.0, NAN], [0.0, 0.0, 1.0]),
    (comparison.clip, [NAN, INF, -INF], [1.0, 0.0, 0.0]),
    (exponential.log10, [MAX], [1 / np.log(10) / MAX]),
    (exponential.logaddexp, [NAN, -INF], [NAN, NAN]),
    (exponential.logaddexp2, [-INF, NAN], [NAN, NAN]),
    (exponential.pow, [0.0, INF], [0.0, 0.0]),
    (exponential.pow, [2.0, -INF], [0.0, 0.0]),
    (exponential.sigmoid, [complex(INF, INF)], [0]),
    (exponential.sqrt, [-0.0], [INF]),
    (trigonometric.atan, [complex(-INF, 2)], [0]),
    (trigonometric.atan2, [1.0, INF], [0.0, 0.0]),
    (trigonometric.atan2, [-INF, -INF], [0.0, 0.0]),
    (trigonometric.atan2, [MAX, MAX], [0.5 / MAX, -0.5 / MAX]),
    (trigonometric.tan, [complex(1, INF)], [0]),
]


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize(
    ("function", "at", "wanted"), FACTS, ids=lambda v: getattr(v, "__name__", None)
)
def test_derivatives_that_limits_give(function, at, wanted, recording):
    tensors = [ag.tensor(np.array([x]), requires_grad=True) for x in at]
    with np.errstate(all="ignore"):
        out = function(*tensors)
    found = gradients([out], [wrap(np.ones(1, out.dtype))], tensors, recording, True)
    for c, value in zip(found, wanted, strict=True):
        np.testing.assert_allclose(c.detach()._array, [value], rtol=1e-14, atol=5e-324)
