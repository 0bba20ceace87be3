"""Elementwise kernels: real NumPy ufuncs around compiled inner loops.

A kernel is built for one operation and one dtype, at the first demand, and serves every layout;
NumPy's own iterator does broadcasting, casting, ``out=``, ``where=`` and overlap. Large contiguous
operands are split over the thread pool (`threads`). Results larger than the last cache are written
past it, by a twin of the ufunc; NumPy's own loops get such a twin too where they are the fastest
otherwise (``<op>.streaming``). Where arithmetic is the limit that would cost time: 0.7 to 0.9 of
the speed of ``exp`` and ``log``.

``<op>.backward`` kernels compute, in one pass, one cotangent per differentiable operand:
``absorbing_multiply(g, conj(partial))``. They report no floating-point errors: a derivative at a
pole is infinite without being a mistake.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from arraygrad_kernels import _jit, threads, vecmath
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.choice import PREFERRED
from arraygrad_kernels.cpu.inner_loop import inner_loop
from arraygrad_kernels.memory import FLAGS
from arraygrad_kernels.scalars import PARTIALS, SCALARS, integer_power, values
from arraygrad_kernels.scalars.quick_partials import quick_partial
from arraygrad_kernels.scalars.record import QUIET
from arraygrad_kernels.vecmath.by_dtype import CODES

__all__ = ["SPECS", "backward_ufunc", "forward_ufunc", "streaming_ufunc"]

_REAL_PART = {"F": "f", "D": "d"}


# What NumPy calls the operations, in its warnings, too, where the standard's names are others.
NUMPY_NAMES = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power",
    "round": "rint", "sinc": "sin",
}  # fmt: skip


@functools.cache
def forward_ufunc(op: str, code: str) -> np.ufunc:
    """Ufunc of one loop for an operation's values; compiles or loads it."""
    record = SCALARS[op]
    inputs = [CODES[code if operand == "=" else operand] for operand in record.operands]
    result = {"=": code, "r": _REAL_PART.get(code, code)}.get(record.result, record.result)
    raises = record.raises
    if code in "FD" and record.complex_raises is not None:
        raises = record.complex_raises
    if code not in "fdFD" and (raises is None or raises.infinite not in ("quotient", "modulus")):
        raises = None
    if raises is not None:
        raises = raises.of_dtype(code)
    value, guard, slow, finite = record.value, None, None, False
    find = value.__dict__.get("find")
    while find is not None:  # a choice by dtype may lead to another
        value = find(code * len(inputs))
        find = value.__dict__.get("find")
    if (op, code) in vecmath.QUICK:
        slow = value
        value, guard = vecmath.QUICK[op, code]
        finite = (op, code) in vecmath.FINITE
    elif op == "sinc":
        slow, value, guard = value, values.sinc_quick[code], values.sinc_exceeds
    elif op == "pow" and code in "bhilBHIL":
        slow, value, guard = value, integer_power.quick, integer_power.exceeds
    return _build(
        f"{op}_{code}", NUMPY_NAMES.get(op, op), value, inputs, [CODES[result]], raises, guard,
        slow, record.contract, finite,
    )  # fmt: skip


@functools.cache
def backward_ufunc(op: str, code: str) -> np.ufunc:
    """Ufunc of one loop for an operation's cotangents; compiles or loads it."""
    names, _ = PARTIALS[op]
    result = _REAL_PART.get(code, code) if op in _REAL_RESULT else code
    g = CODES[result]
    inputs = [g, *(CODES[result if name == "out" else code] for name in names)]
    outputs = [CODES[code]] * _n_cotangents(op)
    value, guard, slow = _backward(op, code, None), None, None
    quick = quick_partial(op, code)
    if quick is not None:
        slow = value
        value, guard = _backward(op, code, quick[0]), quick[1]
    return _build(
        f"{op}_backward_{code}", f"{op}.backward", value, inputs, outputs, QUIET, guard,
        slow if guard else None, True,
    )  # fmt: skip


def _build(
    name: str,
    title: str,
    value: Callable[..., Any],
    inputs: list[np.dtype[Any]],
    outputs: list[np.dtype[Any]],
    raises: Any,
    guard: Callable[..., Any] | None,
    slow: Callable[..., Any] | None,
    contract: bool,
    finite: bool = False,
) -> np.ufunc:
    loop = _jit.loop(
        inner_loop(value, inputs, outputs, raises, guard, slow, finite), name, contract=contract
    )
    make = functools.partial(
        _jit.ufunc, [(loop.address, [*inputs, *outputs])], title, len(inputs), len(outputs),
        keep=loop,
    )  # fmt: skip
    ufunc = make()
    _TWINS[ufunc] = make
    return ufunc


_TWINS: dict[np.ufunc, Callable[..., np.ufunc]] = {}


@functools.cache
def streaming_ufunc(ufunc: np.ufunc) -> np.ufunc:
    """Twin of one of this module's ufuncs that writes its results past the caches."""
    return _TWINS[ufunc](data=1)


# Backward kernels.

_REAL_RESULT = {"abs", "angle", "real", "imag"}


def _n_cotangents(op: str) -> int:
    """Number of differentiable operands."""
    return len(SCALARS[op].operands) if op in SCALARS else 2


def _backward(op: str, code: str, quick: Callable[..., Any] | None) -> Callable[..., Any]:
    """Scalar function ``(g, *values) -> cotangents`` of an operation, or of `quick` partials."""
    names, function = PARTIALS[op]
    find = function.__dict__.get("find")
    if quick is not None:
        function = quick
    elif find is not None:
        function = find(code * len(names))
    product = _multiply_conjugate if code in "FD" else values.absorbing_multiply
    return _SHAPES[len(names), _n_cotangents(op)](function, product)


def _multiply_conjugate(g, p):  # type: ignore[no-untyped-def]
    return values.absorbing_multiply(g, p.conjugate())


def _one_of_one(function: Callable[..., Any], product: Callable[..., Any]) -> Callable[..., Any]:
    def backward(g, a):  # type: ignore[no-untyped-def]
        return product(g, function(a)[0])

    return backward


def _one_of_two(function: Callable[..., Any], product: Callable[..., Any]) -> Callable[..., Any]:
    def backward(g, a, b):  # type: ignore[no-untyped-def]
        return product(g, function(a, b)[0])

    return backward


def _two_of_two(function: Callable[..., Any], product: Callable[..., Any]) -> Callable[..., Any]:
    def backward(g, a, b):  # type: ignore[no-untyped-def]
        p = function(a, b)
        return product(g, p[0]), product(g, p[1])

    return backward


def _two_of_three(function: Callable[..., Any], product: Callable[..., Any]) -> Callable[..., Any]:
    def backward(g, a, b, c):  # type: ignore[no-untyped-def]
        p = function(a, b, c)
        return product(g, p[0]), product(g, p[1])

    return backward


def _three_of_three(
    function: Callable[..., Any], product: Callable[..., Any]
) -> Callable[..., Any]:
    def backward(g, a, b, c):  # type: ignore[no-untyped-def]
        p = function(a, b, c)
        return product(g, p[0]), product(g, p[1]), product(g, p[2])

    return backward


_SHAPES = {
    (1, 1): _one_of_one,
    (2, 1): _one_of_two,
    (2, 2): _two_of_two,
    (3, 2): _two_of_three,
    (3, 3): _three_of_three,
}
"""By numbers of values that the partials take and of cotangents."""


# The catalogue.


def _minimum(op: str) -> int:
    """Elements from which threads share the work."""
    return threads.COSTLY if hasattr(vecmath, op) else threads.CHEAP


def _forward_kernel(op: str, code: str) -> Callable[..., Any]:
    minimum = _minimum(op)
    kernel = _threaded(forward_ufunc(op, code), minimum, minimum == threads.CHEAP)
    return _natural(kernel) if op == "pow" and code in "bhil" else kernel


def _threaded(ufunc: np.ufunc, minimum: int, light: bool) -> Callable[..., Any]:
    """Kernel that threads share; past the caches go results that memory is the limit of."""
    streaming = functools.partial(streaming_ufunc, ufunc) if light else None
    return threads.threaded(ufunc, minimum, streaming=streaming)


def _natural(power: Callable[..., Any]) -> Callable[..., Any]:
    """`power` of integers, which has no negative exponents; NumPy's function says so best."""

    def pow(x1: Any, x2: Any, *, out: Any = None) -> Any:
        if x2.size and x2.min() < 0:
            return np.pow(x1, x2)
        return power(x1, x2, out=out)

    return pow


def _backward_kernel(op: str, code: str) -> Callable[..., Any]:
    ufunc = backward_ufunc(op, code)
    if ufunc.nout > 1:
        return _threaded(ufunc, threads.CHEAP, op in _LIGHT)
    single = _threaded(ufunc, threads.CHEAP, op in _LIGHT)

    def kernel(*operands: Any) -> tuple[Any, ...]:
        return (single(*operands),)

    kernel.__dict__["ufunc"] = ufunc  # returns the one cotangent bare
    return kernel


_DIFFERENTIABLE_COMPLEX = {
    "abs", "absorbing_multiply", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "cos",
    "cosh", "divide", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "multiply", "pow",
    "reciprocal", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh",
}  # fmt: skip


_LIGHT = {
    "abs", "absorbing_multiply", "clip", "copysign", "divide", "exp", "log", "maximum", "minimum",
    "multiply", "reciprocal", "sqrt", "square",
}  # fmt: skip
"""Operations whose partials take few instructions."""

_STREAMED = (
    "abs", "add", "divide", "maximum", "minimum", "multiply", "negative", "square", "subtract",
)  # fmt: skip
"""Operations of few instructions: NumPy's loops, but for results that fit no cache."""


def _streaming_kernel(op: str, code: str) -> Callable[..., Any]:
    return streaming_ufunc(forward_ufunc(op, code))


def _specs() -> list[KernelSpec]:
    """Every (operation, dtype) that this module can compile on this machine."""
    found: list[KernelSpec] = []
    if not _jit.enabled() or FLAGS is None:
        return found
    for op, record in SCALARS.items():
        for code in record.dtypes:
            dtypes = tuple(
                CODES[code if operand == "=" else operand] for operand in record.operands
            )
            build = functools.partial(_forward_kernel, op, code)
            found.append(KernelSpec(op, dtypes, code in PREFERRED.get(op, ""), build))
    for op in _STREAMED:
        for code in "fd":
            dtypes = (CODES[code],) * len(SCALARS[op].operands)
            build = functools.partial(_streaming_kernel, op, code)
            found.append(KernelSpec(f"{op}.streaming", dtypes, True, build))
    for op, (names, _) in PARTIALS.items():
        for code in "fdFD" if op in _DIFFERENTIABLE_COMPLEX else "fd":
            result = _REAL_PART.get(code, code) if op in _REAL_RESULT else code
            chosen = [CODES[result if name == "out" else code] for name in names]
            build = functools.partial(_backward_kernel, op, code)
            title = f"{op}.backward"
            found.append(KernelSpec(title, (CODES[result], *chosen), True, build))
    return found


SPECS: list[KernelSpec] = _specs()
"""Kernels of this module. Nothing is compiled before a `KernelSpec.build`."""
