"""Forms of `partials` without branches, for operands of ordinary size.

A partial is the same formula over the quick forms of `vecmath` (`vecmath.QUICK`): its functions are
made again with those in place of the general ones, so that no formula is written twice. Each comes
with the test for where it does not apply, on the cotangent and the values that it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from arraygrad_kernels import vecmath
from arraygrad_kernels.scalars import partials
from arraygrad_kernels.vecmath import power
from arraygrad_kernels.vecmath.bits import bits_f32, bits_f64

__all__ = ["quick_partial"]

_PI = 3.141592653589793


def _of_operand(exceeds):
    def guard(g, x):
        return exceeds(x)

    return guard


def _of_operands(exceeds):
    def guard(g, x1, x2, out):
        return exceeds(x1, x2)

    return guard


def _of_tanh(exceeds):
    def guard(g, x):
        left = -x if x.real > 0.0 else x
        return exceeds(left + left)

    return guard


def _of_tan(exceeds):
    def guard(g, x):
        turned = complex(-x.imag, x.real)
        left = -turned if turned.real > 0.0 else turned
        return exceeds(left + left)

    return guard


def _of_half_turns(exceeds):
    def guard(g, x):
        return exceeds(x * _PI)

    return guard


# Tests of whole numbers, negative where a size is out of bounds: LLVM leaves a loop with several
# comparisons alone. The bits of sizes grow with them; zeros are within.
_F64, _F32 = 0x7FFFFFFFFFFFFFFF, 0x7FFFFFFF
_LEAST_F64, _MOST_F64 = 0x03D0000000000000, 0x7E30000000000000  # about 1e-290 and 1e300
_LEAST_F32, _MOST_F32 = 0x0DA00000, 0x7CF00000  # about 1e-30 and 1e37
_NORMAL_F64, _NORMAL_F32 = 0x0010000000000000, 0x00800000


def _of_size_f64(g, x1, x2, out):
    a = bits_f64(out) & _F64
    return (_MOST_F64 - a) | ((a - _LEAST_F64) & -a)


def _of_size_f32(g, x1, x2, out):
    a = bits_f32(out) & _F32
    return np.int32(np.int32(_MOST_F32 - a) | np.int32(np.int32(a - _LEAST_F32) & np.int32(-a)))


def _of_sizes_f64(g, x1, x2):
    a, b = bits_f64(x1) & _F64, bits_f64(x2) & _F64
    least = (a - _LEAST_F64) & (b - _LEAST_F64) & -(a | b)
    return (_MOST_F64 - a) | (_MOST_F64 - b) | least


def _of_sizes_f32(g, x1, x2):
    a, b = bits_f32(x1) & _F32, bits_f32(x2) & _F32
    least = np.int32(a - _LEAST_F32) & np.int32(b - _LEAST_F32) & np.int32(-np.int32(a | b))
    return np.int32(np.int32(_MOST_F32 - a) | np.int32(_MOST_F32 - b) | np.int32(least))


def _of_parts_f64(g, x):
    return _of_sizes_f64(g, x.real, x.imag)


def _of_parts_f32(g, x):
    return _of_sizes_f32(g, x.real, x.imag)


def _of_divisor_f64(g, x2, out):
    a = bits_f64(x2) & _F64
    return (a - _NORMAL_F64) & -a


def _of_divisor_f32(g, x2, out):
    a = bits_f32(x2) & _F32
    return np.int32(np.int32(a - _NORMAL_F32) & np.int32(-a))


def _of_quotient(g, x1, x2):
    return power.exceeds_quotient(x1, x2)


# (operation, dtype): a quick form written apart, and where it does not apply.
_APART: dict[tuple[str, str], tuple[Callable[..., Any], Callable[..., Any]]] = {
    ("abs", "D"): (partials.abs_quick, _of_parts_f64),
    ("abs", "F"): (partials.abs_quick, _of_parts_f32),
    ("angle", "D"): (partials.angle_quick, _of_parts_f64),
    ("angle", "F"): (partials.angle_quick, _of_parts_f32),
    ("atan2", "d"): (partials.atan2_quick, _of_sizes_f64),
    ("atan2", "f"): (partials.atan2_quick, _of_sizes_f32),
    ("divide", "d"): (partials.divide_quick, _of_divisor_f64),
    ("divide", "f"): (partials.divide_quick, _of_divisor_f32),
    ("hypot", "d"): (partials.hypot_quick, _of_size_f64),
    ("hypot", "f"): (partials.hypot_quick, _of_size_f32),
    ("remainder", "d"): (partials.remainder_quick, _of_quotient),
    ("remainder", "f"): (partials.remainder_quick, _of_quotient),
}

# (operation, dtypes): the functions that have quick forms, and where the first one's does not apply
# as a function of its test. The sine and cosine of `sinc` of real numbers see no large angle.
_FORMS: dict[tuple[str, str], tuple[tuple[str, ...], Callable[..., Any] | None]] = {
    ("cos", "fdFD"): (("sin",), _of_operand),
    ("cosh", "FD"): (("sinh",), _of_operand),
    ("exp2", "FD"): (("exp2",), _of_operand),
    ("expm1", "FD"): (("exp",), _of_operand),
    ("pow", "FD"): (("pow",), _of_operands),
    ("sigmoid", "FD"): (("sigmoid",), _of_operand),
    ("sin", "fdFD"): (("cos",), _of_operand),
    ("sinc", "FD"): (("sin", "cos"), _of_half_turns),
    ("sinc", "fd"): (("sin", "cos"), None),
    ("sinh", "FD"): (("cosh",), _of_operand),
    ("tan", "FD"): (("exp",), _of_tan),
    ("tan", "fd"): (("cos",), _of_operand),
    ("tanh", "FD"): (("exp",), _of_tanh),
}


def quick_partial(
    op: str, code: str
) -> tuple[Callable[..., Any], Callable[..., Any] | None] | None:
    """Quick form of an operation's partials for one dtype, and where it fails; None without one."""
    if (op, code) in _APART:
        return _APART[op, code]
    for (name, codes), (functions, make_guard) in _FORMS.items():
        if name == op and code in codes:
            names, general = partials.PARTIALS[op]
            variant = general.__dict__.get("find", lambda _, general=general: general)
            form = _over_quick_forms(variant(code * len(names)), functions, code)
            if make_guard is None:
                return form, None
            return form, make_guard(vecmath.QUICK[functions[0], code][1])
    return None


def _over_quick_forms(
    function: Callable[..., Any], functions: tuple[str, ...], code: str
) -> Callable[..., Any]:
    """A function of `partials`, and those of `partials` that it calls, over quick forms."""
    quick = ModuleType("quick")
    for name in vecmath.__all__:
        form = vecmath.QUICK[name, code][0] if name in functions else getattr(vecmath, name)
        setattr(quick, name, form)
    names = dict(vars(partials), vecmath=quick)
    for name, value in vars(partials).items():
        if isinstance(value, FunctionType) and value.__code__.co_filename == partials.__file__:
            names[name] = _in(value, names)
    return _in(function, names)


def _in(function: Callable[..., Any], names: dict[str, Any]) -> Callable[..., Any]:
    assert isinstance(function, FunctionType)
    return FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
