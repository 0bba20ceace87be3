"""Loop nests over arrays straight into LLVM IR, as NumPy generalised ufuncs.

May not know any operation. `translate` evaluates expressions; this module adds what reductions
need: variables that change, ``for`` over ``range``, ``if``, and arrays in memory. A nest is written
in plain Python and compiles in a tenth of the time that Numba's front end takes:

* a parameter or a result of `scratch` is an array: ``x[i]`` reads or writes an element, ``x[i:]``
  is the array from there on. Nothing is checked, nothing wraps around;
* a name that is assigned once is a value. One that is assigned again is a variable, and keeps the
  dtype of its first assignment (a Python float is a float64, an int an int64);
* ``if`` on something that Python knows (a closure's flag) decides what is compiled;
* ``for`` over a tuple is unrolled; a function called by a nest may have loops and is inlined;
* ``break`` is the last statement of an ``if``; ``return`` stands at the end.

Products and sums may be fused. Functions under `relaxed` get more fast-math flags, on their own
operations alone, so that tests for NaN around them survive.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from arraygrad_kernels.memory import FLAGS, load, memory_type, read_status, store, write_status
from arraygrad_kernels.translate import (
    Evaluator,
    Number,
    Pair,
    Scope,
    TranslationError,
    convert,
    ir_type,
    unknown,
)
from arraygrad_kernels.vecmath.by_dtype import CODES, code_of

__all__ = ["nest_loop", "plain", "prefetch", "relaxed", "report", "scratch"]

_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))
_STATEMENTS = (ast.For, ast.If, ast.AugAssign, ast.Slice)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def relaxed(*flags: str) -> Callable[[_Function], _Function]:
    """Decorator: compile a function of a nest with fast-math `flags` of its own."""

    def mark(function: _Function) -> _Function:
        function.__dict__["variants"] = tuple(sorted(flags))
        return function

    return mark


def scratch(code: str, size: int) -> Any:
    """An array of `size` elements of the dtype `code` on the stack, not initialised."""
    raise NotImplementedError("for compiled loops only")


def plain(numbers: range) -> range:
    """The range of a ``for``, which is neither unrolled nor made of vectors.

    For loops that are short, rare or limited by memory: a vectorised loop is three loops to LLVM,
    which then takes three times as long.
    """
    return numbers


def prefetch(x: Any, i: int) -> None:
    """Ask for the cache line of ``x[i]``, which need not exist."""
    raise NotImplementedError("for compiled loops only")


def report(error: str, condition: bool) -> None:
    """Set the floating-point error flag "invalid" or "overflow" if `condition`.

    No other flag that the loop sets comes through.
    """
    raise NotImplementedError("for compiled loops only")


def nest_loop(
    function: Callable[..., None],
    inputs: Sequence[np.dtype[Any]],
    outputs: Sequence[np.dtype[Any]],
    n_dims: int,
    n_core_steps: int,
) -> Callable[..., None]:
    """Python function to be compiled by `_jit.loop`: the inner loop of a generalised ufunc.

    Parameters
    ----------
    function : callable
        The nest: ``function(*arrays, *sizes, *steps)``. Sizes are that of the outer loop and
        those of the core dimensions; steps, in elements, are those of the operands in the outer
        loop and then those of core dimensions, as the C API orders them.
    inputs, outputs : sequence of numpy.dtype
        Dtypes of the arrays. Outputs do not overlap inputs.
    n_dims, n_core_steps : int
        Numbers of core dimensions, and of steps in core dimensions.
    """
    codes = "".join(str(code_of(dtype)) for dtype in (*inputs, *outputs))
    # Every core step belongs to one operand, in order; with one core dimension, to those that
    # have it, which are all but the outputs of reductions.
    owners = codes[:n_core_steps]

    @intrinsic
    def run(typing_context: Any, args: Any, sizes: Any, steps: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            _emit(builder, function, codes, owners, n_dims, *values)
            return context.get_dummy_value()

        return types.void(args, sizes, steps), generate

    def loop(args: Any, sizes: Any, steps: Any, data: Any) -> None:
        run(args, sizes, steps)

    return loop


def _emit(
    outside: ir.IRBuilder,
    function: Callable[..., None],
    codes: str,
    owners: str,
    n_dims: int,
    args: ir.Value,
    sizes: ir.Value,
    steps: ir.Value,
) -> None:
    """Internal function around the nest, whose arrays do not alias, and a call of it."""
    kinds = [memory_type(code).as_pointer() for code in codes]
    n_numbers = 1 + n_dims + len(codes) + len(owners)
    kind = ir.FunctionType(_I32, [*kinds, *[_I64] * n_numbers])
    body = ir.Function(outside.module, kind, f"{outside.function.name}.nest")
    body.linkage = "internal"
    body.attributes.add("noinline")
    for argument in body.args[: len(codes)]:
        argument.add_attribute("noalias")
    builder = _Builder(body.append_basic_block("entry"))
    arrays = [Array(a, code) for a, code in zip(body.args, codes, strict=False)]
    numbers = [Number(a, "l") for a in body.args[len(codes) :]]
    nest = _Nest(builder)
    nest.call(function, [*arrays, *numbers])
    builder.ret(builder.load(nest.errors))

    def element(place: ir.Value, k: int) -> ir.Value:
        return outside.load(outside.gep(place, [_I64(k)]))

    passed = [outside.bitcast(element(args, k), pointer) for k, pointer in enumerate(kinds)]
    passed += [element(sizes, k) for k in range(1 + n_dims)]
    for k, code in enumerate(codes + owners):
        shift = CODES[code].itemsize.bit_length() - 1
        passed.append(outside.ashr(element(steps, k), _I64(shift)))
    status = read_status(outside) if FLAGS is not None else None
    errors = outside.call(body, passed)
    if status is not None:
        write_status(outside, outside.or_(status, errors))


class Array(NamedTuple):
    """Memory with elements of the dtype `code`."""

    ir: ir.Value
    code: str


class _Variable(NamedTuple):
    """A place on the stack, which LLVM turns into a register."""

    places: tuple[ir.Value, ...]
    code: str


class _Builder(ir.IRBuilder):
    """Puts the fast-math flags in force on floating-point instructions."""

    flags: tuple[str, ...] = ("contract",)

    def fadd(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        return super().fadd(lhs, rhs, name, flags or self.flags)

    def fsub(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        return super().fsub(lhs, rhs, name, flags or self.flags)

    def fmul(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        return super().fmul(lhs, rhs, name, flags or self.flags)

    def fdiv(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        return super().fdiv(lhs, rhs, name, flags or self.flags)

    def fcmp_ordered(self, cmpop: str, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        return super().fcmp_ordered(cmpop, lhs, rhs, name, flags or self.flags)

    def fcmp_unordered(
        self, cmpop: str, lhs: Any, rhs: Any, name: str = "", flags: Any = ()
    ) -> Any:
        return super().fcmp_unordered(cmpop, lhs, rhs, name, flags or self.flags)

    def select(self, cond: Any, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        floating = isinstance(lhs.type, ir.FloatType | ir.DoubleType)
        return super().select(cond, lhs, rhs, name, flags or (self.flags if floating else ()))


class _Nest(Evaluator):
    """Evaluates statements; see the module's docstring for the language."""

    def __init__(self, builder: _Builder) -> None:
        super().__init__(builder)
        self.errors = self._place(_I32)
        builder.store(_I32(0), self.errors)
        self.ends: list[ir.Block] = []

    def _place(self, kind: ir.Type) -> ir.Value:
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    # Functions.

    def inline(self, function: FunctionType, arguments: list[Any]) -> Any:
        primitive = _PRIMITIVES.get(function)
        if primitive is not None:
            return primitive(self, *arguments)
        flags = function.__dict__.get("variants")
        before = self.builder.flags
        if flags is not None:
            self.builder.flags = flags
        try:
            return super().inline(function, arguments)
        finally:
            self.builder.flags = before

    def body(self, function: FunctionType, tree: ast.FunctionDef, scope: Scope) -> Any:
        changing = _changing(tree)
        if changing is None:
            return super().body(function, tree, scope)
        for name in changing & scope.local.keys():
            value = scope.local[name]
            scope.local[name] = self._variable(value)
            self._set(scope.local[name], value)
        *statements, last = tree.body
        if not isinstance(last, ast.Return):
            statements.append(last)
        self._statements(statements, scope, changing)
        if isinstance(last, ast.Return) and last.value is not None:
            return self.expression(last.value, scope)
        return None

    # Statements.

    def _statements(self, body: list[ast.stmt], scope: Scope, changing: frozenset[str]) -> None:
        for statement in body:
            if isinstance(statement, ast.Assign):
                value = self.expression(statement.value, scope)
                for target in statement.targets:
                    self._bind(target, value, scope, changing)
            elif isinstance(statement, ast.AugAssign):
                operation = ast.BinOp(_read(statement.target), statement.op, statement.value)
                value = self.expression(operation, scope)
                self._bind(statement.target, value, scope, changing)
            elif isinstance(statement, ast.For):
                self._for(statement, scope, changing)
            elif isinstance(statement, ast.If):
                self._if(statement, scope, changing)
            elif isinstance(statement, ast.Expr):
                self.expression(statement.value, scope)
            elif isinstance(statement, ast.Break):
                self.builder.branch(self.ends[-1])
            else:
                raise unknown(statement, None)

    def _bind(self, target: ast.expr, value: Any, scope: Scope, changing: frozenset[str]) -> None:
        if isinstance(target, ast.Tuple):
            for item, part in zip(target.elts, value, strict=True):
                self._bind(item, part, scope, changing)
        elif isinstance(target, ast.Subscript):
            array = self.expression(target.value, scope)
            place = self._element(array, self.expression(target.slice, scope))
            store(self.builder, convert(self.builder, value, array.code), place)
        elif isinstance(target, ast.Name):
            if target.id not in changing:
                scope.local[target.id] = value
                return
            variable = scope.local.get(target.id)
            if not isinstance(variable, _Variable):
                variable = scope.local[target.id] = self._variable(value)
            self._set(variable, value)
        else:
            raise unknown(target, None)

    def _variable(self, value: Any) -> _Variable:
        if isinstance(value, Array):
            return _Variable((self._place(value.ir.type),), f"*{value.code}")
        code = _code_of_value(value)
        kinds = [ir_type("f" if code == "F" else "d")] * 2 if code in "FD" else [ir_type(code)]
        return _Variable(tuple([self._place(kind) for kind in kinds]), code)

    def _set(self, variable: _Variable, value: Any) -> None:
        if isinstance(value, Array):
            self.builder.store(value.ir, variable.places[0])
            return
        value = convert(self.builder, value, variable.code)
        parts = value if isinstance(value, Pair) else (value,)
        for part, place in zip(parts, variable.places, strict=True):
            self.builder.store(part.ir, place)

    def _for(self, statement: ast.For, scope: Scope, changing: frozenset[str]) -> None:
        if not isinstance(statement.target, ast.Name) or statement.orelse:
            raise unknown(statement, None)
        numbers = statement.iter
        is_plain = _calls(numbers, "plain")
        call = numbers.args[0] if is_plain else numbers
        if not _calls(call, "range"):
            for item in self.expression(call, scope):
                scope.local[statement.target.id] = item
                self._statements(statement.body, scope, changing)
            return
        builder = self.builder
        bounds = [convert(builder, self.expression(a, scope), "l").ir for a in call.args]
        start, stop = (_I64(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else _I64(1)
        function = builder.function
        body, end = (function.append_basic_block(name) for name in ("body", "end"))
        index = self._place(_I64)
        builder.store(start, index)
        builder.cbranch(builder.icmp_signed("<", start, stop), body, end)
        builder.position_at_end(body)
        current = builder.load(index)
        scope.local[statement.target.id] = Number(current, "l")
        self.ends.append(end)
        self._statements(statement.body, scope, changing)
        self.ends.pop()
        following = builder.add(current, step)
        builder.store(following, index)
        back = builder.cbranch(builder.icmp_signed("<", following, stop), body, end)
        if is_plain:
            back.set_metadata("llvm.loop", self._plain_loop())
        builder.position_at_end(end)

    def _plain_loop(self) -> Any:
        """Metadata of a loop that is to stay as it is."""
        module = self.builder.module
        switches = [
            module.add_metadata(["llvm.loop.vectorize.enable", ir.Constant(ir.IntType(1), 0)]),
            module.add_metadata(["llvm.loop.unroll.disable"]),
        ]
        loop = module.add_metadata([switches[0]])
        loop.operands = (loop, *switches)  # its first operand is itself, as LLVM wants it
        return loop

    def _if(self, statement: ast.If, scope: Scope, changing: frozenset[str]) -> None:
        test = self.expression(statement.test, scope)
        if not isinstance(test, Number):
            self._statements(statement.body if test else statement.orelse, scope, changing)
            return
        bit = convert(self.builder, test, "?").ir
        function = self.builder.function
        then, otherwise, end = (
            function.append_basic_block(name) for name in ("then", "otherwise", "end")
        )
        self.builder.cbranch(bit, then, otherwise)
        for block, body in ((then, statement.body), (otherwise, statement.orelse)):
            self.builder.position_at_end(block)
            self._statements(body, scope, changing)
            if not self.builder.block.is_terminated:  # by a break
                self.builder.branch(end)
        self.builder.position_at_end(end)

    # Expressions.

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        value = super()._name(node, scope)
        if not isinstance(value, _Variable):
            return value
        parts = [self.builder.load(place) for place in value.places]
        if value.code.startswith("*"):
            return Array(parts[0], value.code[1:])
        if value.code in "FD":
            return Pair(*[Number(part, "f" if value.code == "F" else "d") for part in parts])
        return Number(parts[0], value.code)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        array = self.expression(node.value, scope)
        if not isinstance(array, Array):
            return array[self.expression(node.slice, scope)]
        if isinstance(node.slice, ast.Slice):
            if node.slice.lower is None or node.slice.upper is not None:
                raise unknown(node, None)
            return Array(self._element(array, self.expression(node.slice.lower, scope)), array.code)
        return load(
            self.builder, self._element(array, self.expression(node.slice, scope)), array.code
        )

    def _element(self, array: Array, index: Any) -> ir.Value:
        return self.builder.gep(array.ir, [convert(self.builder, index, "l").ir])

    # Primitives.

    def _primitive(self, function: Any, arguments: list[Any]) -> Any:
        if function in (min, max) and any(isinstance(a, Number) for a in arguments):
            a, b = (convert(self.builder, argument, "l") for argument in arguments)
            bit = self.builder.icmp_signed("<" if function is min else ">", a.ir, b.ir)
            return Number(self.builder.select(bit, a.ir, b.ir), "l")
        return super()._primitive(function, arguments)

    def scratch(self, code: str, size: int) -> Array:
        with self.builder.goto_entry_block():
            place = self.builder.alloca(ir.ArrayType(memory_type(code), int(size)))
            place.align = 64
            return Array(self.builder.bitcast(place, memory_type(code).as_pointer()), code)

    def prefetch(self, x: Array, i: Any) -> None:
        byte = _I8.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
        function = self.builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        pointer = self.builder.bitcast(self._element(x, i), byte)
        # To read, to keep in all caches, data.
        self.builder.call(function, [pointer, _I32(0), _I32(3), _I32(1)])

    def report(self, error: str, condition: Any) -> None:
        if FLAGS is not None:
            bit = self.builder.select(
                convert(self.builder, condition, "?").ir, _I32(FLAGS[error]), _I32(0)
            )
            self.builder.store(self.builder.or_(self.builder.load(self.errors), bit), self.errors)


_PRIMITIVES: dict[Any, Callable[..., Any]] = {
    scratch: _Nest.scratch,
    prefetch: _Nest.prefetch,
    report: _Nest.report,
}


def _code_of_value(value: Any) -> str:
    """Dtype of a variable that starts with `value`."""
    if isinstance(value, Number | Pair):
        return value.code
    if isinstance(value, np.generic):
        return str(code_of(value.dtype))
    for kind, code in ((bool, "?"), (int, "l"), (float, "d"), (complex, "D")):
        if isinstance(value, kind):
            return code
    raise TranslationError(f"a variable cannot hold {value!r}")


def _calls(node: ast.expr, name: str) -> bool:
    """Whether `node` is a call of the function that goes by `name`."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name


def _read(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise unknown(target, None)


@functools.cache
def _changing(tree: ast.FunctionDef) -> frozenset[str] | None:
    """Names that a function assigns more than once.

    None for a scalar function, without loops and arrays, where a name may change its dtype.
    """
    if not any(
        isinstance(node, _STATEMENTS)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in ast.walk(tree)
    ):
        return None
    seen: set[str] = {argument.arg for argument in tree.args.args}
    changing: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign):
            targets: list[ast.expr] = [node.target, node.target]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        else:
            continue
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    (changing if part.id in seen else seen).add(part.id)
    return frozenset(changing)
