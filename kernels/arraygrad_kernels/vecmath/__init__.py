"""Elementary functions that LLVM vectorises: plain Python arithmetic on fixed-width floats.

Each name chooses its variant by the dtype of the argument. All are callable from compiled code and
from Python, on NumPy scalars. Neither NumPy's loops nor the C library stand behind them, except for
``sin``, ``cos`` and ``tan`` of huge arguments.
"""

from __future__ import annotations

from arraygrad_kernels.vecmath import (
    c128,
    c128_exponential,
    c128_inverse,
    c128_power,
    complex_quick,
    f32,
    f64,
    f64_error,
    power,
)
from arraygrad_kernels.vecmath.by_dtype import by_dtype
from arraygrad_kernels.vecmath.families import (
    complex64,
    complex64_pair,
    complex128,
    complex128_pair,
)

__all__ = [
    "FINITE",
    "QUICK",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor_divide",
    "fmod",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "pow",
    "remainder",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]

exp = by_dtype(
    "exp",
    "e**x.",
    {
        "f": f32.exp,
        "d": f64.exp,
        "F": complex64(c128.exp),
        "D": complex128(c128.exp),
    },
)
exp2 = by_dtype(
    "exp2",
    "2**x.",
    {
        "f": f32.exp2,
        "d": f64.exp2,
        "F": complex64(c128_exponential.exp2),
        "D": complex128(c128_exponential.exp2),
    },
)
expm1 = by_dtype(
    "expm1",
    "e**x - 1, accurate near 0.",
    {"f": f32.expm1, "d": f64.expm1, "F": complex64(c128.expm1), "D": complex128(c128.expm1)},
)
sigmoid = by_dtype(
    "sigmoid",
    "1 / (1 + e**-x).",
    {
        "f": f32.sigmoid,
        "d": f64.sigmoid,
        "F": complex64(c128_exponential.sigmoid),
        "D": complex128(c128_exponential.sigmoid),
    },
)
log = by_dtype(
    "log",
    "Natural logarithm.",
    {
        "f": f32.log,
        "d": f64.log,
        "F": complex64(c128.log),
        "D": complex128(c128.log),
    },
)
log1p = by_dtype(
    "log1p",
    "log(1 + x), accurate near 0.",
    {"f": f32.log1p, "d": f64.log1p, "F": complex64(c128.log1p), "D": complex128(c128.log1p)},
)
log2 = by_dtype(
    "log2",
    "Logarithm to base 2.",
    {"f": f32.log2, "d": f64.log2, "F": complex64(c128.log2), "D": complex128(c128.log2)},
)
log10 = by_dtype(
    "log10",
    "Logarithm to base 10.",
    {"f": f32.log10, "d": f64.log10, "F": complex64(c128.log10), "D": complex128(c128.log10)},
)
logaddexp = by_dtype(
    "logaddexp",
    "log(e**x1 + e**x2).",
    {"f": f32.logaddexp, "d": f64.logaddexp},
)
logaddexp2 = by_dtype(
    "logaddexp2",
    "log2(2**x1 + 2**x2).",
    {"f": f32.logaddexp2, "d": f64.logaddexp2},
)
sin = by_dtype(
    "sin",
    "Sine.",
    {"f": f32.sin, "d": f64.sin, "F": complex64(c128.sin), "D": complex128(c128.sin)},
)
cos = by_dtype(
    "cos",
    "Cosine.",
    {"f": f32.cos, "d": f64.cos, "F": complex64(c128.cos), "D": complex128(c128.cos)},
)
tan = by_dtype(
    "tan",
    "Tangent.",
    {"f": f32.tan, "d": f64.tan, "F": complex64(c128.tan), "D": complex128(c128.tan)},
)
asin = by_dtype(
    "asin",
    "Inverse sine.",
    {
        "f": f32.asin,
        "d": f64.asin,
        "F": complex64(c128_inverse.asin),
        "D": complex128(c128_inverse.asin),
    },
)
acos = by_dtype(
    "acos",
    "Inverse cosine.",
    {
        "f": f32.acos,
        "d": f64.acos,
        "F": complex64(c128_inverse.acos),
        "D": complex128(c128_inverse.acos),
    },
)
atan = by_dtype(
    "atan",
    "Inverse tangent.",
    {
        "f": f32.atan,
        "d": f64.atan,
        "F": complex64(c128_inverse.atan),
        "D": complex128(c128_inverse.atan),
    },
)
atan2 = by_dtype(
    "atan2",
    "Angle of the point (x2, x1).",
    {"f": f32.atan2, "d": f64.atan2},
)
sinh = by_dtype(
    "sinh",
    "Hyperbolic sine.",
    {"f": f32.sinh, "d": f64.sinh, "F": complex64(c128.sinh), "D": complex128(c128.sinh)},
)
cosh = by_dtype(
    "cosh",
    "Hyperbolic cosine.",
    {"f": f32.cosh, "d": f64.cosh, "F": complex64(c128.cosh), "D": complex128(c128.cosh)},
)
tanh = by_dtype(
    "tanh",
    "Hyperbolic tangent.",
    {"f": f32.tanh, "d": f64.tanh, "F": complex64(c128.tanh), "D": complex128(c128.tanh)},
)
asinh = by_dtype(
    "asinh",
    "Inverse hyperbolic sine.",
    {
        "f": f32.asinh,
        "d": f64.asinh,
        "F": complex64(c128_inverse.asinh),
        "D": complex128(c128_inverse.asinh),
    },
)
acosh = by_dtype(
    "acosh",
    "Inverse hyperbolic cosine.",
    {
        "f": f32.acosh,
        "d": f64.acosh,
        "F": complex64(c128_inverse.acosh),
        "D": complex128(c128_inverse.acosh),
    },
)
atanh = by_dtype(
    "atanh",
    "Inverse hyperbolic tangent.",
    {
        "f": f32.atanh,
        "d": f64.atanh,
        "F": complex64(c128_inverse.atanh),
        "D": complex128(c128_inverse.atanh),
    },
)
sqrt = by_dtype(
    "sqrt",
    "Square root.",
    {"f": f32.sqrt, "d": f64.sqrt, "F": complex64(c128.sqrt), "D": complex128(c128.sqrt)},
)
cbrt = by_dtype(
    "cbrt",
    "Cube root.",
    {"f": f32.cbrt, "d": f64.cbrt},
)
hypot = by_dtype(
    "hypot",
    "sqrt(x1**2 + x2**2).",
    {"f": f32.hypot, "d": f64.hypot},
)
erf = by_dtype(
    "erf",
    "Error function.",
    {"f": f32.erf, "d": f64_error.erf},
)
erfc = by_dtype(
    "erfc",
    "Complementary error function.",
    {"f": f32.erfc, "d": f64_error.erfc},
)

pow = by_dtype(
    "pow",
    "x1**x2.",
    {
        "f": power.pow_f32,
        "d": power.pow_f64,
        "F": complex64_pair(c128_power.pow_single),
        "D": complex128_pair(c128_power.pow),
    },
)
fmod = by_dtype("fmod", "Remainder with the sign of x1.", dict.fromkeys("fd", power.fmod))
remainder = by_dtype(
    "remainder", "Remainder with the sign of x2.", dict.fromkeys("fd", power.remainder)
)
floor_divide = by_dtype(
    "floor_divide", "Floored quotient.", dict.fromkeys("fd", power.floor_divide)
)

QUICK = {
    ("exp", "F"): (complex64(complex_quick.exp_f32), complex_quick.exp_exceeds_f32),
    ("log", "F"): (complex64(complex_quick.log_f32), complex_quick.log_exceeds_f32),
    ("exp", "D"): (complex128(complex_quick.exp_f64), complex_quick.exp_exceeds_f64),
    ("log", "D"): (complex128(complex_quick.log_f64), complex_quick.log_exceeds_f64),
    ("exp", "f"): (f32.exp_quick, f32.exp_exceeds),
    ("exp", "d"): (f64.exp_quick, f64.exp_exceeds),
    ("expm1", "f"): (f32.expm1_quick, f32.expm1_exceeds),
    ("expm1", "d"): (f64.expm1_quick, f64.expm1_exceeds),
    ("sigmoid", "f"): (f32.sigmoid_quick, f32.sigmoid_exceeds),
    ("sigmoid", "d"): (f64.sigmoid_quick, f64.sigmoid_exceeds),
    ("log", "f"): (f32.log_quick, f32.log_exceeds),
    ("log", "d"): (f64.log_quick, f64.log_exceeds),
    ("log1p", "f"): (f32.log1p_quick, f32.log1p_exceeds),
    ("log1p", "d"): (f64.log1p_quick, f64.log1p_exceeds),
    ("sin", "f"): (f32.sin_reduced, f32.exceeds_reduction),
    ("sin", "d"): (f64.sin_reduced, f64.exceeds_reduction),
    ("cos", "f"): (f32.cos_reduced, f32.exceeds_reduction),
    ("cos", "d"): (f64.cos_reduced, f64.exceeds_reduction),
    ("tan", "f"): (f32.tan_reduced, f32.exceeds_reduction),
    ("tan", "d"): (f64.tan_reduced, f64.exceeds_reduction),
    ("expm1", "F"): (complex64(c128.expm1_quick), c128.exceeds_imaginary),
    ("expm1", "D"): (complex128(c128.expm1_quick), c128.exceeds_imaginary),
    ("sinh", "F"): (complex64(c128.sinh_quick), c128.exceeds_imaginary),
    ("sinh", "D"): (complex128(c128.sinh_quick), c128.exceeds_imaginary),
    ("cosh", "F"): (complex64(c128.cosh_quick), c128.exceeds_imaginary),
    ("cosh", "D"): (complex128(c128.cosh_quick), c128.exceeds_imaginary),
    ("tanh", "F"): (complex64(c128.tanh_quick), c128.exceeds_imaginary),
    ("tanh", "D"): (complex128(c128.tanh_quick), c128.exceeds_imaginary),
    ("sin", "F"): (complex64(c128.sin_quick), c128.exceeds_real),
    ("sin", "D"): (complex128(c128.sin_quick), c128.exceeds_real),
    ("cos", "F"): (complex64(c128.cos_quick), c128.exceeds_real),
    ("cos", "D"): (complex128(c128.cos_quick), c128.exceeds_real),
    ("tan", "F"): (complex64(c128.tan_quick), c128.exceeds_real),
    ("tan", "D"): (complex128(c128.tan_quick), c128.exceeds_real),
    ("exp2", "F"): (complex64(c128_exponential.exp2_quick), c128.exceeds_imaginary),
    ("exp2", "D"): (complex128(c128_exponential.exp2_quick), c128.exceeds_imaginary),
    ("sigmoid", "F"): (complex64(c128_exponential.sigmoid_quick), c128.exceeds_imaginary),
    ("sigmoid", "D"): (complex128(c128_exponential.sigmoid_quick), c128.exceeds_imaginary),
    ("pow", "F"): (complex64_pair(c128_power.pow_single_quick), c128_power.exceeds),
    ("pow", "D"): (complex128_pair(c128_power.pow_quick), c128_power.exceeds),
    ("fmod", "f"): (power.fmod_quick, power.exceeds_quotient),
    ("fmod", "d"): (power.fmod_quick, power.exceeds_quotient),
    ("remainder", "f"): (power.remainder_quick, power.exceeds_quotient),
    ("remainder", "d"): (power.remainder_quick, power.exceeds_quotient),
    ("floor_divide", "f"): (power.floor_divide_quick, power.exceeds_quotient),
    ("floor_divide", "d"): (power.floor_divide_quick, power.exceeds_quotient),
}
"""Per function and type character: a form without branches, and the test for where it fails."""
FINITE = {
    *((op, code) for op in ("sin", "cos", "tan", "log", "log1p", "expm1") for code in "fd"),
    *((op, code) for op in ("exp", "log") for code in "FD"),
}
"""Quick forms whose results are finite where the test is false; NaN only of NaN."""
