"""Scalar Python functions straight into LLVM IR, inlined whole.

Numba's front end compiles every helper that a scalar function calls as a library of its own, 50 ms
apiece; a complex exponential took 1.5 s. The functions of `scalars` and `vecmath` need none of that
generality: they are assignments, arithmetic, comparisons, conditional expressions, calls of one
another and a ``return``. This module evaluates their syntax trees with IR values in place of
numbers, in a few milliseconds, and turns every conditional expression into a select, which is what
lets LLVM vectorise the loop around them.

May not know any operation. Types are those of NumPy 2's scalars (NEP 50): Python numbers are weak
and take the dtype of what they meet, so the function means the same here and in the interpreter.
Integers wrap around. ``and`` and ``or`` evaluate both sides.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from arraygrad_kernels.vecmath import c128
from arraygrad_kernels.vecmath.bits import fma_f64
from arraygrad_kernels.vecmath.by_dtype import CODES, code_of

__all__ = [
    "Evaluator",
    "Number",
    "Pair",
    "Scope",
    "TranslationError",
    "constant",
    "convert",
    "evaluate",
    "ir_type",
    "syntax_tree",
    "unknown",
]

_SIGNED, _UNSIGNED, _FLOATS, _COMPLEX = "bhil", "BHIL", "fd", "FD"
_PARTS = {"F": "f", "D": "d"}
_WHOLES = {"f": "F", "d": "D"}


class TranslationError(Exception):
    """A scalar function uses a construct that `evaluate` does not know."""


class Number(NamedTuple):
    """A real number, an integer or a truth value (``code`` in `CODES`) held in an IR value."""

    ir: ir.Value
    code: str


class Pair(NamedTuple):
    """A complex number."""

    real: Number
    imag: Number

    @property
    def code(self) -> str:
        """Character of the complex dtype."""
        return _WHOLES[self.real.code]


class _Method(NamedTuple):
    owner: Any
    name: str


def ir_type(code: str) -> ir.Type:
    """IR type of a real number in a register; truth values are single bits."""
    if code == "?":
        return ir.IntType(1)
    if code == "f":
        return ir.FloatType()
    if code == "d":
        return ir.DoubleType()
    return ir.IntType(8 * CODES[code].itemsize)


def constant(value: Any, code: str) -> Any:
    """A Python or NumPy number as an IR constant of a dtype."""
    if code in _COMPLEX:
        part = _PARTS[code]
        value = complex(value)
        return Pair(constant(value.real, part), constant(value.imag, part))
    if code in _FLOATS:
        return Number(ir.Constant(ir_type(code), float(CODES[code].type(value))), code)
    return Number(ir.Constant(ir_type(code), int(value)), code)


def convert(builder: ir.IRBuilder, value: Any, code: str) -> Any:
    """`value` as the dtype `code`, as NumPy's ``astype`` does."""
    if not isinstance(value, Number | Pair):
        return constant(value, code)
    if isinstance(value, Pair):
        if code not in _COMPLEX:
            raise TranslationError("a complex number has no conversion to a real one")
        part = _PARTS[code]
        return Pair(convert(builder, value.real, part), convert(builder, value.imag, part))
    if code in _COMPLEX:
        part = _PARTS[code]
        return Pair(convert(builder, value, part), constant(0.0, part))
    return Number(_convert_real(builder, value, code), code)


def _convert_real(builder: ir.IRBuilder, value: Number, code: str) -> ir.Value:
    source, target = value.code, ir_type(code)
    if source == code:
        return value.ir
    if source in _FLOATS and code in _FLOATS:
        return (builder.fpext if code == "d" else builder.fptrunc)(value.ir, target)
    if source in _FLOATS:
        if code == "?":
            return builder.fcmp_unordered("!=", value.ir, ir.Constant(value.ir.type, 0.0))
        return (builder.fptosi if code in _SIGNED else builder.fptoui)(value.ir, target)
    if code in _FLOATS:
        return (builder.sitofp if source in _SIGNED else builder.uitofp)(value.ir, target)
    if code == "?":
        return builder.icmp_unsigned("!=", value.ir, ir.Constant(value.ir.type, 0))
    if target.width == value.ir.type.width:
        return value.ir
    if target.width < value.ir.type.width:
        return builder.trunc(value.ir, target)
    return (builder.sext if source in _SIGNED else builder.zext)(value.ir, target)


def evaluate(builder: ir.IRBuilder, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Result of `function` for IR values, emitted at the position of `builder`.

    Returns
    -------
    Number, Pair, a Python number or a tuple of them
    """
    return Evaluator(builder).call(function, list(arguments))


def _same(a: Any, b: Any, builder: ir.IRBuilder) -> tuple[Any, Any]:
    """Two operands in their common dtype; Python numbers are weak."""
    code_a, code_b = _code(a), _code(b)
    if code_a is None or code_b is None:
        weak, code = (a, code_b) if code_a is None else (b, code_a)
        assert code is not None
        if isinstance(weak, complex) and code in _FLOATS:
            code = _WHOLES[code]
        elif isinstance(weak, float) and code not in _FLOATS + _COMPLEX:
            code = "d"
        elif code == "?" and not isinstance(weak, bool):
            code = "l"
    else:
        code = str(code_of(np.result_type(CODES[code_a], CODES[code_b])))
    return convert(builder, a, code), convert(builder, b, code)


def _code(value: Any) -> str | None:
    """Character of a typed value; None for a Python number."""
    if isinstance(value, Number | Pair):
        return value.code
    if isinstance(value, np.generic):
        return code_of(value.dtype)
    return None


_BINARY = {
    ast.Add: (operator.add, "fadd", "add"),
    ast.Sub: (operator.sub, "fsub", "sub"),
    ast.Mult: (operator.mul, "fmul", "mul"),
    ast.Div: (operator.truediv, "fdiv", None),
    ast.FloorDiv: (operator.floordiv, None, None),
    ast.Mod: (operator.mod, None, None),
    ast.BitAnd: (operator.and_, None, "and_"),
    ast.BitOr: (operator.or_, None, "or_"),
    ast.BitXor: (operator.xor, None, "xor"),
    ast.LShift: (operator.lshift, None, "shl"),
    ast.RShift: (operator.rshift, None, "ashr"),
}
_COMPARE = {
    ast.Eq: (operator.eq, "=="),
    ast.NotEq: (operator.ne, "!="),
    ast.Lt: (operator.lt, "<"),
    ast.LtE: (operator.le, "<="),
    ast.Gt: (operator.gt, ">"),
    ast.GtE: (operator.ge, ">="),
}
# One operand, same type; the C library's double functions where LLVM has no instruction.
_INTRINSICS = {
    math.sqrt: "llvm.sqrt",
    np.sqrt: "llvm.sqrt",
    np.floor: "llvm.floor",
    np.ceil: "llvm.ceil",
    np.trunc: "llvm.trunc",
    math.sin: "llvm.sin",
    math.cos: "llvm.cos",
}


class Evaluator:
    """Evaluates syntax trees; every method returns IR values, Python objects or tuples of them."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder

    def call(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        """Result of a function of ours, of Python's, of NumPy's or of the C library's."""
        find = getattr(function, "find", None)
        if find is not None:
            codes = "".join(
                str(_code(a) or ("d" if isinstance(a, float) else "l")) for a in arguments
            )
            return self.call(find(codes), arguments)
        if isinstance(function, FunctionType) and function is not fma_f64:
            return self.inline(function, arguments)
        return self._primitive(function, arguments)

    def inline(self, function: FunctionType, arguments: list[Any]) -> Any:
        """Result of a function of ours."""
        tree = syntax_tree(function.__code__)
        names = [argument.arg for argument in tree.args.args]
        if len(names) != len(arguments):
            raise TranslationError(f"{function.__name__} takes {names}, got {len(arguments)}")
        closure = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
        scope = Scope(dict(zip(names, arguments, strict=True)), closure, function.__globals__)
        return self.body(function, tree, scope)

    def body(self, function: FunctionType, tree: ast.FunctionDef, scope: Scope) -> Any:
        """Evaluate the statements of a function, the last of which returns."""
        for statement in tree.body:
            if isinstance(statement, ast.Return):
                assert statement.value is not None
                return self.expression(statement.value, scope)
            if isinstance(statement, ast.Assign):
                value = self.expression(statement.value, scope)
                for target in statement.targets:
                    _assign(target, value, scope.local)
            elif not (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            ):
                raise unknown(statement, function)
        raise TranslationError(f"{function.__name__} does not return")

    def expression(self, node: ast.expr, scope: Scope) -> Any:
        """Value of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise unknown(node, None)
        return method(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        for names in (scope.local, scope.closure, scope.module, vars(builtins)):
            if node.id in names:
                return names[node.id]
        raise TranslationError(f"the name {node.id!r} is not defined")

    def _tuple(self, node: ast.Tuple, scope: Scope) -> tuple[Any, ...]:
        return tuple(self.expression(item, scope) for item in node.elts)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        return self.expression(node.value, scope)[self.expression(node.slice, scope)]

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.expression(node.value, scope)
        if isinstance(owner, Number):
            if node.attr == "real":
                return owner
            if node.attr == "imag":
                return constant(0, owner.code)
        if isinstance(owner, Number | Pair) and node.attr not in ("real", "imag"):
            return _Method(owner, node.attr)
        return getattr(owner, node.attr)

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        function = self.expression(node.func, scope)
        arguments = [self.expression(argument, scope) for argument in node.args]
        if isinstance(function, _Method):
            return self._method(function, arguments)
        return self.call(function, arguments)

    def _method(self, method: _Method, arguments: list[Any]) -> Any:
        if method.name == "view":
            code = str(code_of(np.dtype(arguments[0])))
            return Number(self.builder.bitcast(method.owner.ir, ir_type(code)), code)
        if method.name == "conjugate":
            if isinstance(method.owner, Number):
                return method.owner
            return Pair(method.owner.real, self._negative(method.owner.imag))
        raise TranslationError(f"numbers have no method {method.name!r} here")

    def _primitive(self, function: Any, arguments: list[Any]) -> Any:
        """Call of a builtin, of NumPy or of the C library."""
        if not any(isinstance(argument, Number | Pair) for argument in arguments):
            return function(*arguments)
        if function is abs:
            return self._absolute(arguments[0])
        if function is complex:
            real, imaginary = _same(arguments[0], arguments[1], self.builder)
            return Pair(real, imaginary)
        if isinstance(function, type) and issubclass(function, np.generic):
            return convert(self.builder, arguments[0], str(code_of(np.dtype(function))))
        if function in (math.copysign, math.fmod):
            a, b = _same(arguments[0], arguments[1], self.builder)
            if function is math.fmod:
                return Number(self.builder.frem(a.ir, b.ir), a.code)
            return self._intrinsic("llvm.copysign", a, b)
        if function is fma_f64:
            return self._intrinsic("llvm.fma", *(convert(self.builder, a, "d") for a in arguments))
        if function in _INTRINSICS:
            return self._intrinsic(_INTRINSICS[function], arguments[0])
        if function is math.tan:
            # Not through llvm.tan, which is younger than the oldest LLVM of Numba's.
            return self._library("tan", convert(self.builder, arguments[0], "d"))
        raise TranslationError(f"no translation of a call of {function!r}")

    def _intrinsic(self, name: str, *arguments: Number) -> Number:
        first = arguments[0]
        declared = self.builder.module.declare_intrinsic(
            name, [first.ir.type], ir.FunctionType(first.ir.type, [first.ir.type] * len(arguments))
        )
        return Number(self.builder.call(declared, [a.ir for a in arguments]), first.code)

    def _library(self, name: str, argument: Number) -> Number:
        module = self.builder.module
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        function = module.globals.get(name) or ir.Function(module, kind, name)
        return Number(self.builder.call(function, [argument.ir]), "d")

    def _absolute(self, x: Any) -> Any:
        if isinstance(x, Pair):
            raise TranslationError("abs of a complex number: call vecmath.hypot")
        if x.code in _FLOATS:
            return self._intrinsic("llvm.fabs", x)
        if x.code in _UNSIGNED + "?":
            return x
        below = self.builder.icmp_signed("<", x.ir, ir.Constant(x.ir.type, 0))
        return Number(self.builder.select(below, self.builder.neg(x.ir), x.ir), x.code)

    def _negative(self, x: Any) -> Any:
        if isinstance(x, Pair):
            return Pair(self._negative(x.real), self._negative(x.imag))
        if x.code in _FLOATS:
            return Number(self.builder.fneg(x.ir), x.code)
        return Number(self.builder.neg(x.ir), x.code)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        x = self.expression(node.operand, scope)
        if not isinstance(x, Number | Pair):
            return {ast.USub: operator.neg, ast.Not: operator.not_, ast.Invert: operator.invert}[
                type(node.op)
            ](x)
        if isinstance(node.op, ast.USub):
            return self._negative(x)
        if isinstance(node.op, ast.Not):
            return Number(self.builder.not_(_convert_real(self.builder, x, "?")), "?")
        return Number(self.builder.not_(x.ir), x.code)

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        python, real_name, integer_name = _BINARY[type(node.op)]
        a, b = self.expression(node.left, scope), self.expression(node.right, scope)
        if not isinstance(a, Number | Pair) and not isinstance(b, Number | Pair):
            return python(a, b)
        if isinstance(a, Pair) or isinstance(b, Pair):
            return self._complex(type(node.op), a, b)
        a, b = _same(a, b, self.builder)
        if type(node.op) in (ast.FloorDiv, ast.Mod):
            return self._floored(type(node.op), a, b)
        name = real_name if a.code in _FLOATS else integer_name
        if name == "ashr" and a.code in _UNSIGNED:
            name = "lshr"
        if name is None:
            raise TranslationError(f"{ast.dump(node.op)} of {a.code!r}")
        return Number(getattr(self.builder, name)(a.ir, b.ir), a.code)

    def _floored(self, op: type[ast.operator], a: Number, b: Number) -> Number:
        """Floored quotient or remainder of integers; the divisor must not be 0."""
        builder = self.builder
        if a.code in _UNSIGNED:
            divide = builder.udiv if op is ast.FloorDiv else builder.urem
            return Number(divide(a.ir, b.ir), a.code)
        if a.code not in _SIGNED:
            raise TranslationError(f"{op.__name__} of {a.code!r}")
        zero = ir.Constant(a.ir.type, 0)
        remainder = builder.srem(a.ir, b.ir)
        opposite = builder.icmp_signed("<", builder.xor(remainder, b.ir), zero)
        below = builder.and_(opposite, builder.icmp_signed("!=", remainder, zero))
        if op is ast.Mod:
            shifted = builder.add(remainder, b.ir)
            return Number(builder.select(below, shifted, remainder), a.code)
        quotient = builder.sdiv(a.ir, b.ir)
        return Number(builder.sub(quotient, builder.zext(below, a.ir.type)), a.code)

    def _complex(self, op: type[ast.operator], a: Any, b: Any) -> Pair:
        """Sum, difference or product with a complex operand; a real one scales or shifts."""
        builder = self.builder
        code = _code(a) or _code(b)
        part = _PARTS.get(str(code), str(code))
        for operand in (a, b):
            if isinstance(operand, Pair):
                part = operand.real.code

        def split(x: Any) -> tuple[ir.Value, ir.Value | None]:
            if isinstance(x, Pair):
                return x.real.ir, x.imag.ir
            return convert(builder, x, part).ir, None

        (a1, a2), (b1, b2) = split(a), split(b)
        if op is ast.Mult:
            if a2 is None or b2 is None:
                scale = a1 if a2 is None else b1
                x1, x2 = (b1, b2) if a2 is None else (a1, a2)
                real, imaginary = builder.fmul(x1, scale), builder.fmul(x2, scale)
            else:
                real = builder.fsub(builder.fmul(a1, b1), builder.fmul(a2, b2))
                imaginary = builder.fadd(builder.fmul(a1, b2), builder.fmul(a2, b1))
        elif op in (ast.Add, ast.Sub):
            add = builder.fadd if op is ast.Add else builder.fsub
            real = add(a1, b1)
            if b2 is None:
                imaginary = a2
            elif a2 is None:
                imaginary = b2 if op is ast.Add else builder.fneg(b2)
            else:
                imaginary = add(a2, b2)
        elif op is ast.Div and b2 is None:
            assert a2 is not None
            real, imaginary = builder.fdiv(a1, b1), builder.fdiv(a2, b1)
        elif op is ast.Div:
            zero = ir.Constant(a1.type, 0.0)
            parts = [Number(x, part) for x in (a1, zero if a2 is None else a2, b1, b2)]
            return Pair(*self.call(c128.divide, parts))
        else:
            raise TranslationError(f"{op.__name__} of complex numbers")
        return Pair(Number(real, part), Number(imaginary, part))

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        if len(node.ops) != 1:
            raise unknown(node, None)
        a, b = self.expression(node.left, scope), self.expression(node.comparators[0], scope)
        python, sign = _COMPARE[type(node.ops[0])]
        if not isinstance(a, Number | Pair) and not isinstance(b, Number | Pair):
            return python(a, b)
        a, b = _same(a, b, self.builder)
        if isinstance(a, Pair):
            real, imaginary = (
                self._ordered(sign, a.real, b.real),
                self._ordered(sign, a.imag, b.imag),
            )
            join = self.builder.or_ if sign == "!=" else self.builder.and_
            return Number(join(real, imaginary), "?")
        return Number(self._ordered(sign, a, b), "?")

    def _ordered(self, sign: str, a: Number, b: Number) -> ir.Value:
        if a.code in _FLOATS:
            compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        elif a.code in _SIGNED:
            compare = self.builder.icmp_signed
        else:
            compare = self.builder.icmp_unsigned
        return compare(sign, a.ir, b.ir)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        join = self.builder.and_ if isinstance(node.op, ast.And) else self.builder.or_
        values = [self.expression(value, scope) for value in node.values]
        bits = [convert(self.builder, value, "?").ir for value in values]
        return Number(functools.reduce(join, bits), "?")

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        condition = self.expression(node.test, scope)
        if not isinstance(condition, Number):
            return self.expression(node.body if condition else node.orelse, scope)
        bit = _convert_real(self.builder, condition, "?")
        return self._select(
            bit, self.expression(node.body, scope), self.expression(node.orelse, scope)
        )

    def _select(self, bit: ir.Value, a: Any, b: Any) -> Any:
        if isinstance(a, tuple) and not isinstance(a, Number | Pair):
            return tuple(self._select(bit, x, y) for x, y in zip(a, b, strict=True))
        if _code(a) is None and _code(b) is None:
            code = "d" if isinstance(a, float) or isinstance(b, float) else "l"
            a, b = constant(a, code), constant(b, code)
        a, b = _same(a, b, self.builder)
        if isinstance(a, Pair):
            return Pair(self._select(bit, a.real, b.real), self._select(bit, a.imag, b.imag))
        return Number(self.builder.select(bit, a.ir, b.ir), a.code)


class Scope(NamedTuple):
    """Names that a function sees: its own, its closure's, its module's."""

    local: dict[str, Any]
    closure: Any
    module: dict[str, Any]


def _assign(target: ast.expr, value: Any, names: dict[str, Any]) -> None:
    if isinstance(target, ast.Name):
        names[target.id] = value
    elif isinstance(target, ast.Tuple):
        for item, part in zip(target.elts, value, strict=True):
            _assign(item, part, names)
    else:
        raise unknown(target, None)


def unknown(node: ast.AST, function: FunctionType | None) -> TranslationError:
    """Error that names the place of what cannot be translated."""
    place = f" in {function.__qualname__}" if function is not None else ""
    return TranslationError(
        f"{type(node).__name__} at line {getattr(node, 'lineno', '?')}{place}; "
        "scalar functions are assignments, expressions and a return"
    )


@functools.cache
def syntax_tree(code: CodeType) -> ast.FunctionDef:
    """Syntax tree of a function, from its source file."""
    for node in _functions(code.co_filename):
        if node.lineno == code.co_firstlineno or any(
            decorator.lineno == code.co_firstlineno for decorator in node.decorator_list
        ):
            return node
    raise TranslationError(f"no source of {code.co_name} in {code.co_filename}")


@functools.cache
def _functions(filename: str) -> list[ast.FunctionDef]:
    import linecache

    source = "".join(linecache.getlines(filename))
    functions = []
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:  # not `ast.walk`, which looks at every name and number
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            waiting += [*body, *getattr(node, "orelse", [])]
    return functions
