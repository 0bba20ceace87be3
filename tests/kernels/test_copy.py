"""Copies and casts into C order on the CPU against NumPy."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from arraygrad_kernels import _jit
from arraygrad_kernels.cpu import copy

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)


@cache
def build(op: str, dtype: str):
    (spec,) = [s for s in copy.SPECS if s.op == op and s.dtypes == (np.dtype(dtype),)]
    return spec.build()


DTYPES = ["bool", "int16", "float32", "float64", "complex64", "complex128"]


def operands(dtype: str):
    rng = np.random.default_rng(0)

    def values(shape: tuple[int, ...]) -> np.ndarray:
        return (rng.random(shape) * 100).astype(dtype)

    yield values(())
    yield values((0, 3)).T
    yield values((5, 7)).T
    yield values((133, 170)).T
    yield values((170, 133))[::-1].T
    yield values((133, 340))[:, ::2].T
    yield values((170, 266)).T[::2]
    yield np.broadcast_to(values((170,)), (133, 170)).T
    x = values((33, 40, 50))
    for order in itertools.permutations(range(3)):
        yield x.transpose(order)
    yield values((3, 33, 5, 37)).transpose(0, 3, 2, 1)
    yield values((3, 5, 33, 37)).transpose(0, 3, 1, 2)
    read_only = values((133, 170)).T
    read_only.flags.writeable = False
    yield read_only


@pytest.mark.parametrize("dtype", DTYPES)
def test_copy_is_contiguous_and_new(dtype):
    kernel = build("copy", dtype)
    for x in operands(dtype):
        out = kernel(x)
        np.testing.assert_array_equal(out, x, strict=True)
        assert out.flags.c_contiguous
        assert out.flags.writeable
        assert not np.shares_memory(out, x)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64"])
def test_cast(dtype):
    kernel = build("cast", dtype)
    for x in operands(dtype):
        for target in (dtype, "complex128" if dtype == "complex64" else "float64"):
            out = kernel(x, dtype=np.dtype(target))
            np.testing.assert_array_equal(out, x.astype(target), strict=True)
            assert out.flags.c_contiguous
            assert not np.shares_memory(out, x)


def test_copy_of_an_unaligned_operand():
    x = np.random.default_rng(0).random((200, 100))
    unaligned = np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape).T
    np.testing.assert_array_equal(build("copy", "float64")(unaligned), x.T)
