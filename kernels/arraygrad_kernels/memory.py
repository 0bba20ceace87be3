"""Elements in memory and the processor's error flags, as LLVM IR.

May not know any operation. What `cpu.inner_loop` and `nest` share.
"""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils

from arraygrad_kernels.translate import Number, Pair, ir_type

__all__ = [
    "FLAGS",
    "LINE",
    "copy_function",
    "load",
    "memory_type",
    "read_status",
    "store",
    "stream",
    "write_status",
]

_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))
_BYTES = _I8.as_pointer()
_VECTOR = ir.VectorType(_I32, 8)

LINE = 64
"""Bytes of a cache line."""

_X86_FLAGS = {"invalid": 1, "divide": 4, "overflow": 8, "underflow": 16}
_ARM_FLAGS = {"invalid": 1, "divide": 2, "overflow": 4, "underflow": 8}
_MACHINE = platform.machine().lower()
FLAGS: dict[str, int] | None = (
    _X86_FLAGS
    if _MACHINE in ("x86_64", "amd64")
    else _ARM_FLAGS
    if _MACHINE in ("aarch64", "arm64")
    else None
)
"""Bits of the sticky error flags in the processor's status register; None where unknown."""


def memory_type(code: str) -> ir.Type:
    """IR type of an element in memory."""
    if code in "FD":
        part = ir_type("f" if code == "F" else "d")
        return ir.LiteralStructType([part, part])
    return _I8 if code == "?" else ir_type(code)


def load(builder: ir.IRBuilder, pointer: ir.Value, code: str) -> Any:
    """Element as a value for `translate.evaluate`."""
    value = builder.load(pointer)
    if code in "FD":
        part = "f" if code == "F" else "d"
        return Pair(*(Number(builder.extract_value(value, k), part) for k in (0, 1)))
    if code == "?":
        return Number(builder.icmp_unsigned("!=", value, _I8(0)), code)
    return Number(value, code)


def store(builder: ir.IRBuilder, value: Any, pointer: ir.Value) -> None:
    """Write a value of `translate.evaluate` to memory."""
    if isinstance(value, Pair):
        whole = ir.Constant(pointer.type.pointee, ir.Undefined)
        whole = builder.insert_value(whole, value.real.ir, 0)
        builder.store(builder.insert_value(whole, value.imag.ir, 1), pointer)
    elif value.code == "?":
        builder.store(builder.zext(value.ir, _I8), pointer)
    else:
        builder.store(value.ir, pointer)


def stream(builder: ir.IRBuilder, place: ir.Value, buffer: ir.Value, nbytes: int) -> None:
    """Copy whole cache lines without reading their old content."""
    hint = builder.module.add_metadata([_I32(1)])
    with cgutils.for_range_slice(builder, _I64(0), _I64(nbytes), _I64(LINE), inc=True) as (
        offset,
        _,
    ):
        for half in (0, 32):
            at = builder.add(offset, _I64(half))
            source = builder.bitcast(builder.gep(buffer, [at]), _VECTOR.as_pointer())
            target = builder.bitcast(builder.gep(place, [at]), _VECTOR.as_pointer())
            written = builder.store(builder.load(source, align=32), target, align=32)
            written.set_metadata("nontemporal", hint)


def copy_function(module: ir.Module, name: str, size: int) -> ir.Function:
    """Internal function that copies elements of `size` bytes from one stride to another."""
    arguments = [_BYTES, _I64, _BYTES, _I64, _I64]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), name)
    function.linkage = "internal"
    for attribute in ("noinline", "optsize"):
        function.attributes.add(attribute)
    target, target_step, source, source_step, count = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    contiguous = builder.and_(
        builder.icmp_signed("==", target_step, _I64(size)),
        builder.icmp_signed("==", source_step, _I64(size)),
    )
    with builder.if_then(contiguous):
        cgutils.raw_memcpy(builder, target, source, count, size)
        builder.ret_void()
    # 16 bytes are two words: complex128 is aligned to 8 only.
    unit = ir.IntType(8 * min(size, 8)).as_pointer()
    with cgutils.for_range(builder, count) as loop:
        place = builder.gep(target, [builder.mul(loop.index, target_step)])
        origin = builder.gep(source, [builder.mul(loop.index, source_step)])
        for word in range(max(1, size // 8)):
            value = builder.load(builder.gep(builder.bitcast(origin, unit), [_I64(word)]))
            builder.store(value, builder.gep(builder.bitcast(place, unit), [_I64(word)]))
    builder.ret_void()
    return function


def _declared(module: ir.Module, name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


def read_status(builder: ir.IRBuilder) -> ir.Value:
    """Processor's floating-point status register."""
    module = builder.module
    if FLAGS is _ARM_FLAGS:
        read = _declared(module, "llvm.aarch64.get.fpsr", _I64)
        return builder.trunc(builder.call(read, []), _I32)
    place = _status_place(builder)
    read = _declared(module, "llvm.x86.sse.stmxcsr", ir.VoidType(), _BYTES)
    builder.call(read, [builder.bitcast(place, _BYTES)])
    return builder.load(place)


def write_status(builder: ir.IRBuilder, value: ir.Value, x87: bool = False) -> None:
    """Set the processor's floating-point status register.

    x87 : also clear that of the x87 unit, on which a C library's fmod may have run.
    """
    module = builder.module
    if FLAGS is _ARM_FLAGS:
        write = _declared(module, "llvm.aarch64.set.fpsr", ir.VoidType(), _I64)
        builder.call(write, [builder.zext(value, _I64)])
        return
    if x87:
        llvm.initialize_native_asmparser()
        clear = ir.InlineAsm(
            ir.FunctionType(ir.VoidType(), []), "fnclex", "~{fpsr}", side_effect=True
        )
        builder.call(clear, [])
    place = _status_place(builder)
    builder.store(value, place)
    write = _declared(module, "llvm.x86.sse.ldmxcsr", ir.VoidType(), _BYTES)
    builder.call(write, [builder.bitcast(place, _BYTES)])


def _status_place(builder: ir.IRBuilder) -> ir.Value:
    with builder.goto_entry_block():
        return builder.alloca(_I32)
