"""Sets by hashing: unique elements, their positions, counts and inverse, and membership.

Elements are compared by their bits, so one kernel per item size serves all dtypes; -0.0 is made 0.0
first, and NaN, unequal to itself, never meets the table. Only the unique elements are sorted.
Where most elements are unique, sorting them all is faster than hashing; a sample tells. Membership
in a small range of integers is NumPy's table look-up. Complex numbers are numbered by their parts,
and the numbers are integers.

Measured
--------
Speed relative to the sorting reference, one thread. unique_all of a million elements: 6 to 19 with
100 unique ones, 1.9 to 4.3 with 100,000; of 1000 elements 1.3 to 4. isin of a million in a million:
float32 1.7, float64 1.8, int32 16, int64 9; of 1000 in 1000 3.2 to 6.8. Complex, 200,000 elements
with 100 unique ones: unique_all 6, isin 2.5; few or unique elements are the reference's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types

from arraygrad_kernels import _jit
from arraygrad_kernels._spec import KernelSpec
from arraygrad_kernels.cpu.flat import readable, writable
from arraygrad_kernels.reference import sets as reference

__all__ = ["SPECS"]

_SAMPLE = 8192
"""Elements after which the number of unique ones is estimated."""
_BITS = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8")}
_POSITION = np.dtype(np.int64)
_SLOT = np.dtype(np.int32)
_COMPLEX = ("complex64", "complex128")
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio (Knuth)
_ONE = np.uint64(1)


def _group() -> Callable[..., int]:
    """Number of groups of equal keys; group, first position and size of each.

    Gives up, and returns -1, where a sample of the keys has more than ``most`` groups.
    """

    def group(keys, table, shift, magnitude, limit, most, groups, first, counts):  # type: ignore[no-untyped-def]
        n = 0
        last = np.uint64(table.size) - _ONE
        for i in range(np.uint64(keys.size)):
            if i == _SAMPLE and n > most:
                return -1
            key = np.uint64(keys[i])
            slot = (key * _MULTIPLIER) >> shift
            found = -1
            if (key & magnitude) <= limit:
                while table[slot] >= 0:
                    candidate = np.int64(table[slot])
                    if np.uint64(keys[np.uint64(first[candidate])]) == key:
                        found = candidate
                        break
                    slot = (slot + _ONE) & last
                if found < 0:
                    table[slot] = n
            if found < 0:
                found = n
                first[n] = i
                counts[n] = 0
                n += 1
            counts[found] += 1
            groups[i] = found
        return n

    return group


def _member() -> Callable[..., None]:
    """Whether each of `keys` is one of `elements`."""

    def member(keys, elements, table, shift, magnitude, limit, invert, out):  # type: ignore[no-untyped-def]
        last = np.uint64(table.size) - _ONE
        for i in range(np.uint64(elements.size)):
            key = np.uint64(elements[i])
            if (key & magnitude) <= limit:
                slot = (key * _MULTIPLIER) >> shift
                while table[slot] >= 0 and np.uint64(elements[np.uint64(table[slot])]) != key:
                    slot = (slot + _ONE) & last
                table[slot] = i
        for i in range(np.uint64(keys.size)):
            key = np.uint64(keys[i])
            found = False
            if (key & magnitude) <= limit:
                slot = (key * _MULTIPLIER) >> shift
                while table[slot] >= 0:
                    if np.uint64(elements[np.uint64(table[slot])]) == key:
                        found = True
                        break
                    slot = (slot + _ONE) & last
            out[i] = found != invert

    return member


_HASH = (types.uint64, types.uint64, types.uint64)
"""Types of shift, magnitude and limit."""


@cache
def _group_kernel(itemsize: int) -> Callable[..., int]:
    bits = _BITS[itemsize]
    positions = writable(_POSITION)
    return _jit.jit(
        _group(), f"group_{bits}",
        (readable(bits), writable(_SLOT), *_HASH, types.int64, positions, positions, positions),
    )  # fmt: skip


@cache
def _member_kernel(itemsize: int) -> Callable[..., None]:
    bits = _BITS[itemsize]
    keys = readable(bits)
    return _jit.jit(
        _member(), f"member_{bits}",
        (keys, keys, writable(_SLOT), *_HASH, types.boolean, writable(np.dtype(np.bool_))),
    )  # fmt: skip


def _table(size: int) -> tuple[np.ndarray, int]:
    """Empty table, at most half full with `size` keys, and the shift that hashes into it."""
    exponent = max(4, (2 * size - 1).bit_length())
    return np.full(1 << exponent, -1, _SLOT), 64 - exponent


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Mask of the magnitude, and the largest magnitude that equals itself."""
    if dtype.kind == "f":
        bits = _BITS[dtype.itemsize]
        return int(np.iinfo(bits).max) >> 1, int(np.array(np.inf, dtype).view(bits))
    return 0, 0


def _keys(x: np.ndarray) -> np.ndarray:
    """Bits of the elements in C order, equal where the elements are."""
    flat = np.ascontiguousarray(x).reshape(-1)
    if flat.dtype.kind == "f":
        flat = flat + flat.dtype.type(0)  # -0.0 becomes 0.0
    elif not flat.flags.aligned:
        flat = flat.copy()
    return flat.view(_BITS[flat.itemsize])


_TOO_MANY = 2**30
"""Elements whose positions the tables cannot hold: sorting numbers them."""


def _grouping(
    dtype: np.dtype[Any],
) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Function that returns ``unique_all`` of an operand."""
    group = _group_kernel(dtype.itemsize)
    limits = _limits(dtype)

    def unique_all(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        if x.size >= _TOO_MANY:
            return reference.unique_all(x)
        table, shift = _table(x.size)
        groups, first, counts = (np.empty(x.size, _POSITION) for _ in range(3))
        # By the birthday problem, a sample of m among d equally likely values has m**2 / 2d
        # repeats; above a quarter of the elements unique, sorting wins.
        most = _SAMPLE - (2 * _SAMPLE**2 // x.size if x.size > 4 * _SAMPLE else 0)
        n = group(_keys(x), table, shift, *limits, most, groups, first, counts)
        if n < 0:
            return reference.unique_all(x)
        first, counts = first[:n], counts[:n]
        values = x.reshape(-1)[first]
        # NaNs all compare equal to a sort, so keep their order; the others are unique.
        has_nan = values.dtype.kind == "f" and bool(np.isnan(values).any())
        order = np.argsort(values, kind="stable" if has_nan else None)
        rank = np.empty(n, _POSITION)
        rank[order] = np.arange(n)
        return values[order], first[order], rank[groups].reshape(x.shape), counts[order]

    return unique_all


_Numbering = Callable[[np.ndarray], np.ndarray]


_PROBE, _DISTINCT = 4096, 3800
"""Complex elements of a sample, and how many of them are distinct where sorting all is faster."""


def _repeats(x: np.ndarray) -> bool:
    """Whether complex elements are many, and those of a sample repeat."""
    if x.size < _PROBE:
        return False
    sample = np.sort(x.reshape(-1)[:_PROBE])
    return bool(np.count_nonzero(sample[1:] != sample[:-1]) < _DISTINCT)


@cache
def _numbering(dtype: np.dtype[Any]) -> _Numbering:
    """Function that numbers complex numbers in their order; equal ones, and only they, share one.

    The number is made of those of the two parts among all parts of their kind.
    """
    of_part = _grouping(np.dtype(f"f{dtype.itemsize // 2}"))

    def numbers(x: np.ndarray) -> np.ndarray:
        _, _, real, _ = of_part(np.ascontiguousarray(x.real))
        values, _, imaginary, _ = of_part(np.ascontiguousarray(x.imag))
        real *= values.size
        real += imaginary
        return real.reshape(x.shape)

    return numbers


def _complex_grouping(
    dtype: np.dtype[Any],
) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Function that returns ``unique_all`` of complex numbers."""
    numbers, of_numbers = _numbering(dtype), _grouping(np.dtype(np.int64))

    def unique_all(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        if np.isnan(x).any():  # NumPy sorts these last, whichever part it is
            return reference.unique_all(x)
        _, first, inverse, counts = of_numbers(numbers(x))
        return x.reshape(-1)[first], first, inverse, counts

    return unique_all


def _build_unique(dtype: np.dtype[Any], op: str, *parts: int) -> Callable[..., Any]:
    is_complex = dtype.kind == "c"
    unique_all = _complex_grouping(dtype) if is_complex else _grouping(dtype)
    general = reference.KERNELS[op]

    def unique(x: np.ndarray) -> Any:
        if is_complex and not _repeats(x):
            return general(x)
        results = unique_all(x)
        if len(parts) == 1:
            return results[parts[0]]
        return tuple([results[i] for i in parts])

    return unique


def _numpy_is_faster(x1: np.ndarray, x2: np.ndarray) -> bool:
    """Whether `numpy.isin` compares with each of few floats, or looks integers up in a table."""
    if x2.size == 0:
        return True
    if x2.dtype.kind == "f":
        return x2.size <= 32 and x1.size > 4096
    return x1.size > 4096 and x2.size > 32 and int(x2.max()) - int(x2.min()) <= 6 * x1.size


def _build_isin(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    member = _member_kernel(dtype.itemsize)
    limits = _limits(dtype)

    def isin(x1: np.ndarray, x2: np.ndarray, *, invert: bool = False) -> np.ndarray:
        if x2.size >= _TOO_MANY:
            return reference.isin(x1, x2, invert=invert)
        if _numpy_is_faster(x1, x2):
            return np.isin(x1, x2, invert=invert)
        table, shift = _table(x2.size)
        out = np.empty(x1.shape, np.bool_)
        member(_keys(x1), _keys(x2), table, shift, *limits, invert, out.reshape(-1))
        return out

    return isin


def _build_complex_isin(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    numbers, of_numbers = _numbering(dtype), _build_isin(np.dtype(np.int64))

    def isin(x1: np.ndarray, x2: np.ndarray, *, invert: bool = False) -> np.ndarray:
        if x1.size + x2.size >= _TOO_MANY or not _repeats(x2):
            return reference.isin(x1, x2, invert=invert)
        both = numbers(np.concatenate([x1.reshape(-1), x2.reshape(-1)]))
        return of_numbers(both[: x1.size].reshape(x1.shape), both[x1.size :], invert=invert)

    return isin


def _specs() -> list[KernelSpec]:
    specs: list[KernelSpec] = []

    def add(op: str, count: int, name: str, build: Callable[..., Any], *arguments: Any) -> None:
        dtype = np.dtype(name)
        preferred = (op, name) not in _SLOWER
        specs.append(KernelSpec(op, (dtype,) * count, preferred, lambda: build(dtype, *arguments)))

    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float32", "float64", "complex64", "complex128",
    ):  # fmt: skip
        add("unique_all", 1, name, _build_unique, "unique_all", 0, 1, 2, 3)
        add("unique_counts", 1, name, _build_unique, "unique_counts", 0, 3)
        add("unique_inverse", 1, name, _build_unique, "unique_inverse", 0, 2)
        add("unique_values", 1, name, _build_unique, "unique_values", 0)
        add("isin", 2, name, _build_complex_isin if name in _COMPLEX else _build_isin)
    return specs


_SLOWER = {(op, "bool") for op in ("isin", "unique_counts", "unique_values")}
"""(operation, dtype) where the sorting reference was measured faster at some size."""

SPECS: list[KernelSpec] = _specs()
