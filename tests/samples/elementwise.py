"""Samples of the elementwise functions."""

from math import erf, erfc

import numpy as np

from arraygrad.ops.arithmetic import (
    add,
    divide,
    floor_divide,
    fmod,
    hypot,
    multiply,
    negative,
    nextafter,
    positive,
    reciprocal,
    remainder,
    square,
    subtract,
)
from arraygrad.ops.bitwise import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from arraygrad.ops.comparison import (
    clip,
    equal,
    fmax,
    fmin,
    greater,
    greater_equal,
    heaviside,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    maximum,
    minimum,
    not_equal,
)
from arraygrad.ops.exponential import (
    cbrt,
    erf as ag_erf,
    erfc as ag_erfc,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    pow,
    sigmoid,
    sqrt,
)
from arraygrad.ops.parts import (
    abs,
    angle,
    complex_from_parts,
    conj,
    copysign,
    imag,
    real,
    sign,
    signbit,
)
from arraygrad.ops.rounding import around, ceil, floor, rint, round, trunc
from arraygrad.ops.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    deg2rad,
    rad2deg,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)

from . import (
    Sample,
    away_from_zero,
    constant,
    distinct,
    normal,
    positive as positives,
    strided,
    uniform,
)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _by_element(function):
    return lambda x: np.vectorize(function, otypes=[x.dtype])(x) if x.size else x.copy()


_INTEGERS = constant(np.array([0, 1, 2, 5]))
_SHIFTS = constant(np.array([3, 0, 1, 2]))
_TRUTHS = constant(np.array([True, False, True, False]))
_SPECIALS = constant(np.array([np.nan, np.inf, -np.inf, -0.0, 1.0]))

SAMPLES = [
    # arithmetic
    Sample(("add",), add, np.add, (normal(3, 4), normal(3, 4)), (0, 1), "fci", "fc"),
    Sample(("add",), add, np.add, (normal(3, 1), normal(4)), (0, 1), "fc", "fc", label="broadcast"),
    Sample(("add",), lambda x: 2 + x, lambda x: 2 + x, (normal(3),), dtypes="fci", label="scalar"),
    Sample(("subtract",), subtract, np.subtract, (normal(3, 1), normal(4)), (0, 1), "fci", "fc"),
    Sample(("multiply",), multiply, np.multiply, (normal(3, 4), normal(3, 4)), (0, 1), "fci", "fc"),
    Sample(
        ("multiply",), multiply, np.multiply, (strided(normal(3, 4)), normal()), (0, 1), "fc", "fc",
        label="strided",
    ),
    Sample(("multiply",), multiply, np.multiply, (normal(0, 3), normal(3)), (0, 1), label="empty"),
    Sample(("divide",), divide, np.divide, (normal(3, 4), away_from_zero(4)), (0, 1), "fc", "fc"),
    Sample(("divide",), lambda x: divide(1, x), lambda x: 1 / x, (positives(3),), label="scalar"),
    Sample(("negative",), negative, np.negative, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(("positive",), positive, np.positive, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(("square",), square, np.square, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(("reciprocal",), reciprocal, np.reciprocal, (away_from_zero(3, 4),), (0,), "fc", "fc"),
    Sample(
        ("floor_divide",), floor_divide, np.floor_divide, (distinct(3, 4), constant(0.7)), (0,),
        order=1,
    ),
    Sample(
        ("remainder",), remainder, np.remainder,
        (constant([5.3, -5.3, 5.3, -5.3]), constant([2.1, 2.1, -2.1, -2.1])), (0, 1),
    ),
    Sample(
        ("fmod",), fmod, np.fmod,
        (constant([5.3, -5.3, 5.3, -5.3]), constant([2.1, 2.1, -2.1, -2.1])), (0, 1),
    ),
    Sample(("hypot",), hypot, np.hypot, (away_from_zero(3, 4), away_from_zero(4)), (0, 1)),
    Sample(("nextafter",), nextafter, np.nextafter, (normal(3, 4), normal(4)), (0, 1), order=1),
    # exponentials, logarithms, powers
    Sample(("exp",), exp, np.exp, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("exp",), exp, np.exp, (strided(normal(2, 3)),), (0,), "fc", "fc", label="strided"),
    Sample(("exp",), exp, np.exp, (normal(),), (0,), "fc", "fc", label="0-d"),
    Sample(("expm1",), expm1, np.expm1, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("exp2",), exp2, np.exp2, (normal(3, 4),)),
    Sample(("log",), log, np.log, (positives(3, 4),), (0,), "fc", "fc"),
    Sample(("log1p",), log1p, np.log1p, (positives(3, 4),), (0,), "fc", "fc"),
    Sample(("log2",), log2, np.log2, (positives(3, 4),), (0,), "fc", "fc"),
    Sample(("log10",), log10, np.log10, (positives(3, 4),), (0,), "fc", "fc"),
    Sample(("logaddexp",), logaddexp, np.logaddexp, (normal(3, 4), normal(4)), (0, 1)),
    Sample(("logaddexp2",), logaddexp2, np.logaddexp2, (normal(3, 4), normal(4)), (0, 1)),
    Sample(("pow",), pow, np.pow, (positives(3, 4), normal(4)), (0, 1), "fc", "fc"),
    Sample(
        ("pow",), lambda x: pow(x, 3), lambda x: x**3, (away_from_zero(3, 4),), (0,), "fci", "fc",
        label="cube",
    ),
    Sample(
        ("square",), lambda x: pow(x, 2), lambda x: x**2, (normal(3),), (0,), "fci", "fc",
        label="pow",
    ),
    Sample(("pow",), lambda x: pow(2, x), lambda x: 2.0**x, (normal(3),), label="scalar base"),
    Sample(("sqrt",), sqrt, np.sqrt, (positives(3, 4),), (0,), "fc", "fc"),
    Sample(("cbrt",), cbrt, np.cbrt, (away_from_zero(3, 4),)),
    Sample(("sigmoid",), sigmoid, _sigmoid, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("erf",), ag_erf, _by_element(erf), (normal(3, 4),)),
    Sample(("erfc",), ag_erfc, _by_element(erfc), (normal(3, 4),)),
    # trigonometric and hyperbolic
    Sample(("sin",), sin, np.sin, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("cos",), cos, np.cos, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("tan",), tan, np.tan, (uniform(-1.2, 1.2, 3, 4),), (0,), "fc", "fc"),
    Sample(("asin",), asin, np.asin, (uniform(-0.9, 0.9, 3, 4),), (0,), "fc", "fc"),
    Sample(("acos",), acos, np.acos, (uniform(-0.9, 0.9, 3, 4),), (0,), "fc", "fc"),
    Sample(("atan",), atan, np.atan, (uniform(-0.9, 0.9, 3, 4),), (0,), "fc", "fc"),
    Sample(("atan2",), atan2, np.atan2, (away_from_zero(3, 4), positives(4)), (0, 1)),
    Sample(("sinh",), sinh, np.sinh, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("cosh",), cosh, np.cosh, (normal(3, 4),), (0,), "fc", "fc"),
    Sample(("tanh",), tanh, np.tanh, (uniform(-1, 1, 3, 4),), (0,), "fc", "fc"),
    Sample(("asinh",), asinh, np.asinh, (uniform(-0.9, 0.9, 3, 4),), (0,), "fc", "fc"),
    Sample(("acosh",), acosh, np.acosh, (uniform(1.2, 3, 3, 4),), (0,), "fc", "fc"),
    Sample(("atanh",), atanh, np.atanh, (uniform(-0.8, 0.8, 3, 4),), (0,), "fc", "fc"),
    Sample(("sinc",), sinc, np.sinc, (uniform(-2, 2, 3, 4),), (0,), "fc", "fc"),
    Sample(("sinc",), sinc, np.sinc, (constant([0.0, 1e-3, 0.3, 0.32]),), label="near zero"),
    Sample(("deg2rad",), deg2rad, np.deg2rad, (uniform(-180, 180, 3, 4),)),
    Sample(("rad2deg",), rad2deg, np.rad2deg, (normal(3, 4),)),
    # comparisons and choices
    Sample(("equal",), equal, np.equal, (_INTEGERS, _SHIFTS), (), "fcib"),
    Sample(("not_equal",), not_equal, np.not_equal, (_INTEGERS, _SHIFTS), (), "fcib"),
    Sample(("less",), less, np.less, (normal(3, 1), normal(4)), (), "fi"),
    Sample(("less_equal",), less_equal, np.less_equal, (normal(3, 1), normal(4)), (), "fi"),
    Sample(("greater",), greater, np.greater, (normal(3, 1), normal(4)), (), "fi"),
    Sample(
        ("greater_equal",), greater_equal, np.greater_equal, (normal(3, 1), normal(4)), (), "fi"
    ),
    Sample(("isfinite",), isfinite, np.isfinite, (_SPECIALS,), ()),
    Sample(("isinf",), isinf, np.isinf, (_SPECIALS,), ()),
    Sample(("isnan",), isnan, np.isnan, (_SPECIALS,), ()),
    Sample(
        ("maximum",), maximum, np.maximum, (distinct(3, 4), constant([[0.2], [-0.1], [0.3]])),
        (0, 1),
    ),
    Sample(
        ("minimum",), minimum, np.minimum, (distinct(3, 4), constant([[0.2], [-0.1], [0.3]])),
        (0, 1),
    ),
    Sample(("fmax",), fmax, np.fmax, (distinct(3, 4), constant([0.2])), (0, 1)),
    Sample(("fmin",), fmin, np.fmin, (distinct(3, 4), constant([0.2])), (0, 1)),
    Sample(
        ("clip",), clip, np.clip, (distinct(3, 4), constant([[-1.1], [-0.8], [-0.7]]),
        constant(0.9)), (0, 1, 2),
    ),
    Sample(
        ("clip",), lambda x: clip(x, min=0.1), lambda x: np.clip(x, 0.1, None), (distinct(3, 4),),
        label="one bound",
    ),
    Sample(
        ("heaviside",), heaviside, np.heaviside,
        (constant([-1.0, 0.0, 2.0]), constant([0.5, 0.5, 0.5])), (1,),
    ),
    # bits and truth values
    Sample(("bitwise_and",), bitwise_and, np.bitwise_and, (_INTEGERS, _SHIFTS), (), "i"),
    Sample(("bitwise_or",), bitwise_or, np.bitwise_or, (_INTEGERS, _SHIFTS), (), "i"),
    Sample(("bitwise_xor",), bitwise_xor, np.bitwise_xor, (_INTEGERS, _SHIFTS), (), "i"),
    Sample(("bitwise_invert",), bitwise_invert, np.bitwise_invert, (_INTEGERS,), (), "i"),
    Sample(
        ("bitwise_left_shift",), bitwise_left_shift, np.bitwise_left_shift, (_INTEGERS, _SHIFTS),
        (), "i",
    ),
    Sample(
        ("bitwise_right_shift",), bitwise_right_shift, np.bitwise_right_shift,
        (_INTEGERS, _SHIFTS), (), "i",
    ),
    Sample(("logical_and",), logical_and, np.logical_and, (_TRUTHS, _TRUTHS), (), "b"),
    Sample(("logical_or",), logical_or, np.logical_or, (_TRUTHS, _TRUTHS), (), "b"),
    Sample(("logical_xor",), logical_xor, np.logical_xor, (_TRUTHS, _INTEGERS), (), "b"),
    Sample(("logical_not",), logical_not, np.logical_not, (_INTEGERS,), (), "b"),
    # rounding: the samples stay away from the jumps
    Sample(("ceil",), ceil, np.ceil, (constant([-1.3, 0.4, 1.7, 5.2]),)),
    Sample(("floor",), floor, np.floor, (constant([-1.3, 0.4, 1.7, 5.2]),)),
    Sample(("trunc",), trunc, np.trunc, (constant([-1.3, 0.4, 1.7, 5.2]),)),
    Sample(("round",), round, np.rint, (constant([-1.3, 0.4, 1.7, 5.2]),)),
    Sample(("rint",), rint, np.rint, (constant([-1.3, 0.4, 1.7, 5.2]),)),
    Sample(
        ("around",), lambda x: around(x, 1), lambda x: np.round(x, 1), (constant([-1.33, 0.42]),)
    ),
    Sample(
        ("cleaned",), lambda x: around(x, 10), lambda x: np.round(x, 10),
        (constant([-1.33, 0.42]),),
    ),
    # signs and parts
    Sample(("abs",), abs, np.abs, (away_from_zero(3, 4),), (0,), "fci", "fc"),
    Sample(("sign",), sign, np.sign, (away_from_zero(3, 4),), (0,), "fci", "fc"),
    Sample(("signbit",), signbit, np.signbit, (normal(3, 4),), (), "f"),
    Sample(("copysign",), copysign, np.copysign, (away_from_zero(3, 4), away_from_zero(4)), (0, 1)),
    Sample(("conj",), conj, np.conj, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(("real_view",), real, np.real, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(("imag_view",), imag, np.imag, (normal(3, 4),), (0,), "fci", "fc"),
    Sample(
        ("complex",), complex_from_parts, lambda x1, x2: x1 + 1j * x2, (normal(3, 1), normal(4)),
        (0, 1),
    ),
    Sample(("angle",), angle, np.angle, (away_from_zero(3, 4),), (0,), "fc", "fc"),
    Sample(
        ("angle",), lambda x: angle(x, deg=True), lambda x: np.angle(x, deg=True),
        (away_from_zero(3),), (0,), "fc", "fc", label="degrees",
    ),
]  # fmt: skip
