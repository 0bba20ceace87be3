"""Translation of scalar functions to LLVM IR: what it accepts, and that errors name the place."""

from __future__ import annotations

import math
import pathlib

import numpy as np
import pytest
from arraygrad_kernels.translate import Number, Pair, TranslationError, evaluate, ir_type
from llvmlite import ir


def _builder() -> ir.IRBuilder:
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "f")
    return ir.IRBuilder(function.append_basic_block())


def _argument(code: str) -> Number:
    return Number(ir.Constant(ir_type(code), 3), code)


@pytest.mark.parametrize(
    ("expression", "codes", "result"),
    [
        ("x + 1.5", "f", "f"),
        ("x + 1", "b", "b"),
        ("x * y", "fd", "d"),
        ("x < y", "dd", "?"),
        ("x + y", "bh", "h"),
        ("x & 1", "l", "l"),
    ],
)
def test_python_numbers_are_weak(
    expression: str, codes: str, result: str, tmp_path: pathlib.Path
) -> None:
    names = ", ".join("xy"[: len(codes)])
    path = tmp_path / "scalar.py"
    path.write_text(f"def scalar({names}):\n    return {expression}\n")
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    value = evaluate(_builder(), scope["scalar"], [_argument(code) for code in codes])
    assert value.code == result


def _branches(x):
    return math.sqrt(x) if x > 0.0 else -x


def test_conditional_expression_becomes_a_select() -> None:
    builder = _builder()
    evaluate(builder, _branches, [_argument("d")])
    assert "select" in str(builder.function)
    assert len(builder.function.blocks) == 1


def _folds(x):
    scale = 2.0 * 3.0
    return x * scale if scale > 5.0 else x


def test_constants_are_computed_in_python() -> None:
    builder = _builder()
    evaluate(builder, _folds, [_argument("d")])
    assert str(builder.function).count("fmul") == 1
    assert "select" not in str(builder.function)


def _complex_parts(z):
    return z * 2.0 + z.real


def test_complex_numbers() -> None:
    value = evaluate(_builder(), _complex_parts, [Pair(_argument("f"), _argument("f"))])
    assert value.code == "F"


def _loops(x):
    while x > 0.0:
        x = x - 1.0
    return x


def _unknown_call(x):
    return np.linalg.norm(x)


def _undefined(x):
    return x + not_defined_anywhere  # noqa: F821


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_loops, r"While at line \d+ in _loops"),
        (_unknown_call, "norm"),
        (_undefined, "not_defined"),
    ],
)
def test_errors_name_the_construct(function, message: str) -> None:
    with pytest.raises(TranslationError, match=message):
        evaluate(_builder(), function, [_argument("d")])
