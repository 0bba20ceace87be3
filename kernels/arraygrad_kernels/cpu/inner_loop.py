"""Inner loops of NumPy ufuncs, emitted around one scalar function.

May not know any operation: it gets a plain Python scalar function, the dtypes of its inputs and
outputs, and which floating-point errors it may report.

One vector body serves every layout. It runs over contiguous operands that do not alias; strided,
broadcast and aliased operands pass through buffers of `BLOCK` elements on the stack. So each kernel
is optimised once (compile time), strided operands get vector arithmetic too, and an in-place call
does not fall into the scalar loop that LLVM keeps for overlapping pointers.

What is rare is looked for cheaply: the body gathers, in one integer per vector lane, signs of what
may need a second look (a result that is infinite, NaN or subnormal, an argument that the quick form
does not cover). Only blocks that show one are gone over again, by the slow form or by the test for
errors. A bit per error and element would cost as much as the arithmetic.

Streaming
---------
With a non-null ``data`` pointer the loop writes its results past the caches: in small blocks, so
that reading goes on meanwhile. Results larger than the last cache would only push out what will be
read again, and an ordinary write reads the line first. `_jit.ufunc` makes both kinds of ufunc from
one loop.

Floating-point errors
---------------------
Branch-free kernels compute what they then discard, and comparisons with NaN set a flag, so the
processor's sticky flags cannot be trusted. Where `Raises` is given, the loop restores the flags it
found and adds those that its own test of inputs and outputs (the audit) asks for: *invalid* for a
NaN made from no NaN, and *overflow* or *divide* for an infinity made from finite operands; what
NumPy's loops report besides, rules of `scalars.errors` say. Where it
is None the hardware's flags are exact already and the loop leaves them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from arraygrad_kernels.memory import (
    FLAGS,
    LINE,
    copy_function,
    load,
    memory_type,
    read_status,
    store,
    stream,
    write_status,
)
from arraygrad_kernels.scalars.record import Raises
from arraygrad_kernels.translate import Number, Pair, convert, evaluate
from arraygrad_kernels.vecmath.by_dtype import CODES, code_of

__all__ = ["BLOCK", "inner_loop"]

BLOCK = 512
"""Elements per buffered block: three complex128 operands take 24 KiB of stack and fit into L1."""
_LONG = 2048
"""Elements between two looks for rare cases where all operands are contiguous."""
_STREAMED = 64
"""Elements per block that is written past the caches: a few lines, whole ones."""
_ERRORS = ("invalid", "divide", "overflow", "underflow")
_GUARDED, _SUSPECT = 1, 2
"""Bits that the body returns: `guard` was true, a result may mean an error."""

_I1, _I8, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_BYTES = _I8.as_pointer()


def inner_loop(
    scalar: Callable[..., Any],
    inputs: Sequence[np.dtype[Any]],
    outputs: Sequence[np.dtype[Any]],
    raises: Raises | None = None,
    guard: Callable[..., Any] | None = None,
    slow: Callable[..., Any] | None = None,
    finite: bool = False,
) -> Callable[..., None]:
    """Python function to be compiled by `_jit.loop`: applies `scalar` to each element.

    Parameters
    ----------
    scalar : callable
        Takes one value per input, returns one value or, for several outputs, a tuple.
    inputs, outputs : sequence of numpy.dtype
        Element types, in the ufunc's order.
    raises : Raises, optional
        Errors to report instead of the hardware's flags.
    guard, slow : callable, optional
        ``guard(*values)`` is true, or a negative integer, where `scalar` does not apply, such as
        for arguments of ``sin`` too large for its range reduction. A branch per element would cost
        15 times more: blocks with such an element are computed again with `slow`.
    finite : bool, default: False
        Where `guard` is false no result is infinite, and NaN only of NaN.
    """
    in_codes = "".join(str(code_of(dtype)) for dtype in inputs)
    out_codes = "".join(str(code_of(dtype)) for dtype in outputs)

    @intrinsic
    def run(typing_context: Any, args: Any, n: Any, steps: Any, data: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            emitter = _Emitter(builder, scalar, in_codes, out_codes, raises, guard, slow, finite)
            emitter.outer(*values)
            return context.get_dummy_value()

        return types.void(args, n, steps, data), generate

    def loop(args: Any, n: Any, steps: Any, data: Any) -> None:
        run(args, n, steps, data)

    return loop


class _Emitter:
    """Writes the LLVM IR of one inner loop."""

    def __init__(
        self,
        builder: ir.IRBuilder,
        scalar: Callable[..., Any],
        in_codes: str,
        out_codes: str,
        raises: Raises | None,
        guard: Callable[..., Any] | None,
        slow: Callable[..., Any] | None,
        finite: bool,
    ) -> None:
        self.builder = builder
        self.in_codes, self.out_codes = in_codes, out_codes
        self.codes = in_codes + out_codes
        self.sizes = [CODES[code].itemsize for code in self.codes]
        self.raises = raises
        self.error_bits = self._error_bits()
        self.guard, self.finite = guard, finite
        self.body = self._element_loop("body", scalar)
        self.slow = self.audit = None
        if guard is not None and slow is not None:
            self.slow = self._element_loop("slow", slow)
        if self.error_bits:
            self.audit = self._element_loop("audit", None)
        # Inputs that an output overwrites are kept for the second look.
        self.looks_twice = guard is not None or bool(self.error_bits)

    # The loops over contiguous operands that do not alias.

    def _element_loop(self, role: str, scalar: Callable[..., Any] | None) -> ir.Function:
        """Internal function ``i32 (operand pointers..., count)``.

        The roles "body" and "slow" compute the outputs and return `_GUARDED` and `_SUSPECT`; the
        "audit" reads inputs and outputs and returns the error bits.
        """
        pointers = [memory_type(code).as_pointer() for code in self.codes]
        name = f"{self.builder.function.name}.{role}"
        function = ir.Function(self.builder.module, ir.FunctionType(_I32, [*pointers, _I64]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        for argument in function.args[:-1]:
            argument.add_attribute("noalias")
        entry, head, end = (
            function.append_basic_block(label) for label in ("entry", "head", "end")
        )
        builder = ir.IRBuilder(entry)
        count = function.args[-1]
        builder.cbranch(builder.icmp_signed(">", count, _I64(0)), head, end)

        builder.position_at_end(head)
        index = builder.phi(_I64)
        index.add_incoming(_I64(0), entry)
        lanes = ir.IntType(self._lane_bits())
        gathered = {bit: builder.phi(lanes) for bit in self._bits_of(role)}
        places = [builder.gep(function.args[k], [index]) for k in range(len(self.codes))]
        n_inputs = len(self.in_codes)
        inputs = [load(builder, places[k], self.codes[k]) for k in range(n_inputs)]
        if scalar is None:
            outputs = [
                load(builder, places[k], self.codes[k]) for k in range(n_inputs, len(self.codes))
            ]
            found = {
                bit: builder.sext(value, lanes)
                for bit, value in self._found_errors(builder, inputs, outputs).items()
            }
        else:
            outputs = self._evaluated(builder, scalar, inputs)
            for value, place in zip(outputs, places[n_inputs:], strict=True):
                store(builder, value, place)
            found = self._signs(builder, role, inputs, outputs)
        following = builder.add(index, _I64(1))
        index.add_incoming(following, builder.block)
        mask = self._mask(builder, gathered, found, entry, end)
        builder.cbranch(builder.icmp_signed("<", following, count), head, end)
        builder.position_at_end(end)
        builder.ret(mask())
        return function

    def _evaluated(
        self, builder: ir.IRBuilder, scalar: Callable[..., Any], inputs: list[Any]
    ) -> list[Any]:
        """Outputs of the scalar function in the dtypes of the operands."""
        returned = evaluate(builder, scalar, inputs)
        results = returned if len(self.out_codes) > 1 else (returned,)
        return [
            convert(builder, value, code)
            for value, code in zip(results, self.out_codes, strict=True)
        ]

    def _mask(
        self,
        builder: ir.IRBuilder,
        gathered: dict[int, ir.Value],
        found: dict[int, ir.Value],
        entry: ir.Block,
        end: ir.Block,
    ) -> Callable[[], ir.Value]:
        """Gather the signs that were found; returns what emits the bits to return."""
        head, merged = builder.block, {}
        for bit, phi in gathered.items():
            merged[bit] = builder.or_(phi, found[bit])
            phi.add_incoming(phi.type(0), entry)
            phi.add_incoming(merged[bit], head)

        def emit() -> ir.Value:
            finals = {}
            for bit, value in merged.items():
                finals[bit] = builder.phi(value.type)
                finals[bit].add_incoming(value.type(0), entry)
                finals[bit].add_incoming(value, head)
            mask: ir.Value = _I32(0)
            for bit, final in finals.items():
                shown = builder.icmp_signed("<", final, final.type(0))
                mask = builder.or_(mask, builder.select(shown, _I32(bit), _I32(0)))
            return mask

        return emit

    # Signs of what is rare.

    def _bits_of(self, role: str) -> list[int]:
        """Bits that a loop may return."""
        if role == "audit":
            return self.error_bits
        guarded = [_GUARDED] if role == "body" and self.guard is not None else []
        looks = any(self._suspicion(role)) or (self.error_bits and self._look is not None)
        return guarded + ([_SUSPECT] if looks else [])

    @property
    def _look(self) -> Callable[..., Any] | None:
        return None if self.raises is None else self.raises.look

    def _suspicion(self, role: str) -> tuple[bool, bool]:
        """Whether a result of the largest exponent, and of the smallest, asks for the audit."""
        if not self.error_bits or self.raises is None:
            return False, False
        largest = self.raises.invalid or self.raises.infinite is not None
        return largest and not (self.finite and role == "body"), self.raises.underflow

    def _lane_bits(self) -> int:
        """Width of the numbers that the outputs consist of: that of the vector lanes."""
        kind = CODES[self.out_codes[0]]
        return 8 * kind.itemsize // (2 if kind.kind == "c" else 1)

    def _signs(
        self, builder: ir.IRBuilder, role: str, inputs: list[Any], outputs: list[Any]
    ) -> dict[int, ir.Value]:
        """Per bit, an integer whose sign says that this element needs a second look."""
        lanes = ir.IntType(self._lane_bits())
        found: dict[int, ir.Value] = {}
        if role == "body" and self.guard is not None:
            hit = evaluate(builder, self.guard, inputs)
            found[_GUARDED] = hit.ir if hit.ir.type == lanes else builder.sext(hit.ir, lanes)
        largest, smallest = self._suspicion(role)
        looked: ir.Value = lanes(0)
        if self.error_bits and self._look is not None:
            looked = builder.sext(evaluate(builder, self._look, [*inputs, *outputs]).ir, lanes)
            found[_SUSPECT] = looked
        if not largest and not smallest:
            return found
        if self.in_codes[0] in "bhilBHIL":
            sign: ir.Value = _I1(0)
            for value in self._integer_errors(builder, inputs).values():
                sign = builder.or_(sign, value)
            found[_SUSPECT] = builder.sext(sign, lanes)
            return found
        found[_SUSPECT] = looked
        for value in _components(outputs):
            # In integers, which more units of the processor add than compare floats: with e the
            # place of the exponent's lowest bit, |bits| + 2**e is negative for infinity and NaN,
            # |bits| - 2**e for zero and subnormal numbers.
            step = lanes(1 << (23 if lanes.width == 32 else 52))
            bits = builder.bitcast(value, lanes)
            size = builder.and_(bits, lanes((1 << (lanes.width - 1)) - 1))
            if largest:
                found[_SUSPECT] = builder.or_(found[_SUSPECT], builder.add(size, step))
            if smallest:
                found[_SUSPECT] = builder.or_(found[_SUSPECT], builder.sub(size, step))
        return found

    # Errors.

    def _error_bits(self) -> list[int]:
        """Status bits that this loop may set."""
        if self.raises is None or FLAGS is None:
            return []
        integers = self.in_codes[0] in "bhilBHIL"
        if integers and self.raises.infinite not in ("quotient", "modulus"):
            return []
        if self.raises.rule is not None:
            return [FLAGS[name] for name in _ERRORS]
        names = [name for name in ("invalid", "underflow") if getattr(self.raises, name)]
        if integers or self.raises.infinite in ("ratio", "quotient", "power"):
            names += ["divide", "overflow"]
        elif self.raises.infinite in ("overflow", "divide"):
            names.append(self.raises.infinite)
        return [FLAGS[name] for name in names]

    def _found_errors(
        self, builder: ir.IRBuilder, inputs: list[Any], outputs: list[Any]
    ) -> dict[int, ir.Value]:
        """Per status bit, whether this element sets it."""
        if self.raises is None or FLAGS is None:
            return {}
        found: dict[int, ir.Value] = {}
        if self.in_codes[0] in "bhilBHIL":
            return self._integer_errors(builder, inputs)
        sources = _components(inputs)
        results = _components(outputs)

        def any_of(test: str, values: list[ir.Value], limit: str | None = None) -> ir.Value:
            answer: ir.Value = _I1(0)
            for value in values:
                other = value
                if limit is not None:
                    value = self._absolute(builder, value)
                    other = ir.Constant(value.type, float(limit))
                answer = builder.or_(answer, builder.fcmp_unordered(test, value, other))
            return answer

        if self.raises.invalid:
            made = any_of("uno", results)
            found[FLAGS["invalid"]] = builder.and_(made, builder.not_(any_of("uno", sources)))
        unbounded = None
        if self.raises.infinite is not None or self.raises.underflow:
            unbounded = any_of("==", sources, "inf")  # unordered: true for NaN as well
        if self.raises.infinite not in (None, "modulus"):
            infinite: ir.Value = _I1(0)
            for value in results:
                size = self._absolute(builder, value)
                limit = ir.Constant(size.type, float("inf"))
                infinite = builder.or_(infinite, builder.fcmp_ordered("==", size, limit))
            made = builder.and_(infinite, builder.not_(unbounded))
            if self.raises.infinite in ("ratio", "quotient", "power"):
                decisive = inputs[0] if self.raises.infinite == "power" else inputs[-1]
                nonzero = any_of("!=", _components([decisive]), "0")
                found[FLAGS["divide"]] = builder.and_(made, builder.not_(nonzero))
                found[FLAGS["overflow"]] = builder.and_(made, nonzero)
                if self.raises.infinite == "quotient":
                    # NumPy's floor_divide subtracts the infinity from itself: invalid as well.
                    invalid = FLAGS["invalid"]
                    found[invalid] = builder.or_(found[invalid], found[FLAGS["overflow"]])
            else:
                found[FLAGS[self.raises.infinite]] = made
        if self.raises.underflow:
            found[FLAGS["underflow"]] = self._underflow(builder, sources, results, unbounded)
        if self.raises.rule is not None:
            usual = [Number(found.get(FLAGS[name], _I1(0)), "?") for name in _ERRORS]
            ruled = evaluate(builder, self.raises.rule, [*inputs, *outputs, *usual])
            found = {FLAGS[name]: value.ir for name, value in zip(_ERRORS, ruled, strict=True)}
        return found

    def _integer_errors(self, builder: ir.IRBuilder, inputs: list[Any]) -> dict[int, ir.Value]:
        """A zero divisor, and the least number over -1 if the operation is a quotient."""
        assert self.raises is not None
        assert FLAGS is not None
        found: dict[int, ir.Value] = dict.fromkeys(self.error_bits, _I1(0))
        if not found:
            return found
        numerator, divisor = inputs[0].ir, inputs[-1].ir
        kind = divisor.type
        found[FLAGS["divide"]] = builder.icmp_signed("==", divisor, kind(0))
        if self.raises.infinite == "quotient" and inputs[0].code in "bhil":
            least = builder.icmp_signed("==", numerator, kind(-(1 << (kind.width - 1))))
            found[FLAGS["overflow"]] = builder.and_(
                least, builder.icmp_signed("==", divisor, kind(-1))
            )
        return found

    def _underflow(
        self,
        builder: ir.IRBuilder,
        sources: list[ir.Value],
        results: list[ir.Value],
        unbounded: ir.Value,
    ) -> ir.Value:
        tiny: ir.Value = _I1(0)
        for value in results:
            smallest = np.finfo(np.float32 if value.type == ir.FloatType() else np.float64)
            limit = ir.Constant(value.type, float(smallest.smallest_normal))
            tiny = builder.or_(
                tiny, builder.fcmp_ordered("<", self._absolute(builder, value), limit)
            )
        nonzero: ir.Value = _I1(1)
        for value in sources:
            zero = ir.Constant(value.type, 0.0)
            nonzero = builder.and_(nonzero, builder.fcmp_unordered("!=", value, zero))
        return builder.and_(builder.and_(tiny, nonzero), builder.not_(unbounded))

    def _absolute(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        fabs = builder.module.declare_intrinsic("llvm.fabs", [value.type])
        return builder.call(fabs, [value])

    # The outer function: layouts, blocks, status register.

    def outer(self, args: ir.Value, n: ir.Value, steps: ir.Value, data: ir.Value) -> None:
        """Emit the loop over blocks, or one call of the body where all is contiguous."""
        builder = self.builder
        count = builder.load(n)
        bases = [builder.load(builder.gep(args, [_I64(k)])) for k in range(len(self.sizes))]
        strides = [builder.load(builder.gep(steps, [_I64(k)])) for k in range(len(self.sizes))]
        status = read_status(builder) if self.raises is not None else None
        self.errors = cgutils.alloca_once_value(builder, _I32(0))
        sequential, aliased = self._aliases(count, bases, strides)
        self.streaming = builder.and_(
            builder.icmp_unsigned("!=", data, ir.Constant(data.type, None)),
            builder.not_(sequential),
        )
        if self.looks_twice:
            self._blocks(count, bases, strides, sequential, aliased)
        else:
            contiguous = builder.not_(self.streaming)
            for direct in self._direct(strides, sequential, aliased):
                contiguous = builder.and_(contiguous, direct)
            with builder.if_else(contiguous, likely=True) as (whole, parts):
                with whole:
                    self._call(self.body, bases, count)
                with parts:
                    self._blocks(count, bases, strides, sequential, aliased)
        if status is not None:
            found = builder.or_(status, builder.load(self.errors))
            write_status(builder, found, x87=self.slow is not None)

    def _call(self, function: ir.Function, pointers: list[ir.Value], count: ir.Value) -> ir.Value:
        """Run an element loop; its bits."""
        typed = [
            self.builder.bitcast(pointer, argument.type)
            for pointer, argument in zip(pointers, function.args, strict=False)
        ]
        return self.builder.call(function, [*typed, count])

    def _compute(self, pointers: list[ir.Value], count: ir.Value) -> None:
        """Run the body over a block, and once more what it found."""
        builder = self.builder
        bits = self._call(self.body, pointers, count)
        if not self.looks_twice:
            return
        with builder.if_then(builder.icmp_signed("!=", bits, _I32(0)), likely=False):
            if self.slow is not None:
                place = cgutils.alloca_once_value(builder, _I32(0))
                builder.store(bits, place)
                guarded = builder.and_(bits, _I32(_GUARDED))
                with builder.if_then(builder.icmp_signed("!=", guarded, _I32(0))):
                    builder.store(self._call(self.slow, pointers, count), place)
                bits = builder.load(place)
            if self.audit is not None:
                suspect = builder.and_(bits, _I32(_SUSPECT))
                with builder.if_then(builder.icmp_signed("!=", suspect, _I32(0))):
                    found = self._call(self.audit, pointers, count)
                    builder.store(builder.or_(builder.load(self.errors), found), self.errors)

    def _direct(
        self, strides: list[ir.Value], sequential: ir.Value, aliased: list[ir.Value]
    ) -> list[ir.Value]:
        """Per operand, whether the loops may work on its memory itself."""
        builder = self.builder
        direct = []
        for k, size in enumerate(self.sizes):
            plain = builder.icmp_signed("==", strides[k], _I64(size))
            plain = builder.and_(plain, builder.not_(sequential))
            if k < len(self.in_codes) and (len(self.out_codes) > 1 or self.looks_twice):
                plain = builder.and_(plain, builder.not_(aliased[k]))
            if k >= len(self.in_codes):
                plain = builder.and_(plain, builder.not_(self.streaming))
            direct.append(plain)
        return direct

    def _aliases(
        self, count: ir.Value, bases: list[ir.Value], strides: list[ir.Value]
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Whether elements depend on earlier ones, and per input whether it is an output too.

        NumPy hands over operands that are disjoint or identical, except in ``reduce`` (an output
        that stands still) and ``accumulate`` (an output one step ahead of the input).
        """
        builder = self.builder
        sequential: ir.Value = _I1(0)
        aliased = []
        n_inputs = len(self.in_codes)
        for k in range(n_inputs):
            same: ir.Value = _I1(0)
            for j in range(n_inputs, len(bases)):
                distance = builder.sub(
                    builder.ptrtoint(bases[k], _I64), builder.ptrtoint(bases[j], _I64)
                )
                still = builder.icmp_signed("==", strides[j], _I64(0))
                equal = builder.icmp_signed("==", distance, _I64(0))
                same = builder.or_(same, equal)
                step = builder.icmp_signed("==", builder.add(distance, strides[j]), _I64(0))
                dependent = builder.or_(builder.and_(equal, still), step)
                sequential = builder.or_(sequential, dependent)
            aliased.append(same)
        more = builder.icmp_signed(">", count, _I64(1))
        return builder.and_(sequential, more), aliased

    def _blocks(
        self,
        count: ir.Value,
        bases: list[ir.Value],
        strides: list[ir.Value],
        sequential: ir.Value,
        aliased: list[ir.Value],
    ) -> None:
        """Loop over blocks, passing operands that are not contiguous through buffers."""
        builder = self.builder
        direct = self._direct(strides, sequential, aliased)
        contiguous: ir.Value = _I1(1)
        for plain in direct:
            contiguous = builder.and_(contiguous, plain)
        block = builder.select(sequential, _I64(1), _I64(BLOCK))
        block = builder.select(contiguous, _I64(_LONG), block)
        block = builder.select(self.streaming, _I64(_STREAMED), block)
        buffers = []
        for size in self.sizes:
            # Not alloca_once: it would zero the buffer, element by element in LLVM's eyes.
            with builder.goto_entry_block():
                buffer = builder.alloca(ir.ArrayType(_I8, BLOCK * size))
            buffer.align = 64
            buffers.append(builder.bitcast(buffer, _BYTES))
        with cgutils.for_range_slice(builder, _I64(0), count, block, inc=True) as (start, _):
            left = builder.sub(count, start)
            length = builder.select(builder.icmp_signed("<", left, block), left, block)
            places = [
                builder.gep(base, [builder.mul(start, stride)])
                for base, stride in zip(bases, strides, strict=True)
            ]
            pointers = [
                builder.select(direct[k], places[k], buffers[k]) for k in range(len(places))
            ]
            for k in range(len(self.in_codes)):
                repeated = builder.and_(
                    builder.icmp_signed("==", strides[k], _I64(0)),
                    builder.icmp_signed(">", start, _I64(0)),
                )
                ready = builder.or_(direct[k], builder.and_(repeated, builder.not_(sequential)))
                with builder.if_then(builder.not_(ready)):
                    self._copy(k, buffers[k], _I64(self.sizes[k]), places[k], strides[k], length)
            self._compute(pointers, length)
            for k in range(len(self.in_codes), len(self.sizes)):
                with builder.if_then(builder.not_(direct[k])):
                    self._write_back(k, places[k], strides[k], buffers[k], length)
        with builder.if_then(self.streaming):
            builder.fence("seq_cst")  # other threads see what was streamed

    def _write_back(
        self, k: int, place: ir.Value, stride: ir.Value, buffer: ir.Value, count: ir.Value
    ) -> None:
        """Copy `count` elements of a result from its buffer, past the caches if that is asked."""
        builder, size = self.builder, self.sizes[k]
        low = builder.and_(builder.ptrtoint(place, _I64), _I64(LINE - 1))
        whole = builder.and_(
            builder.icmp_signed("==", count, _I64(_STREAMED)),
            builder.and_(
                builder.icmp_signed("==", stride, _I64(size)),
                builder.icmp_signed("==", low, _I64(0)),
            ),
        )
        with builder.if_else(builder.and_(self.streaming, whole)) as (past, usual):
            with past:
                stream(builder, place, buffer, _STREAMED * size)
            with usual:
                self._copy(k, place, stride, buffer, _I64(size), count)

    def _copy(
        self,
        k: int,
        target: ir.Value,
        target_step: ir.Value,
        source: ir.Value,
        source_step: ir.Value,
        count: ir.Value,
    ) -> None:
        """Copy `count` elements of operand k between a buffer and its place."""
        size = self.sizes[k]
        name = f"{self.builder.function.name}.copy{size}"
        module = self.builder.module
        function = module.globals.get(name)
        if function is None:
            function = copy_function(module, name, size)
        self.builder.call(function, [target, target_step, source, source_step, count])


def _components(values: list[Any]) -> list[ir.Value]:
    """Floating-point numbers among `values`: real and imaginary parts, no integers."""
    parts = []
    for value in values:
        if isinstance(value, Pair):
            parts += [value.real.ir, value.imag.ir]
        elif value.code in "fd":
            parts.append(value.ir)
    return parts
