"""Forms of `partials` without branches, for operands of ordinary size.

A partial is the same formula over the quick forms of `vecmath` (`vecmath.QUICK`): its functions are
made again with those in place of the general ones, so that no formula is written twice. Each comes
with the test for where it does not apply, on the cotangent and the values that it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from arraygrad_kernels import vecmath
from arraygrad_kernels.scalars import partials

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
