"""Elements in memory and the processor's error flags, as LLVM IR.

May not know any operation. What `cpu.inner_loop` and `nest` share.
"""

from __future__ import annotations

import platform
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from arraygrad_kernels.translate import Number, Pair, ir_type

__all__ = ["FLAGS", "load", "memory_type", "read_status", "store", "write_status"]

_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))
_BYTES = _I8.as_pointer()

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
