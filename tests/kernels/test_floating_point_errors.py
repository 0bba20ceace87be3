"""Every elementwise kernel warns as NumPy's function of the same name does, and of nothing else.

All special operands, one at a time, with all four kinds of ``np.errstate`` on "warn": the texts
must be equal, but for the rows of `EXCEPTIONS`.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from arraygrad_kernels import _jit, reference
from arraygrad_kernels.scalars import SCALARS

# Ours that NumPy has under no name of its own; `absorbing_multiply` serves derivatives.
WITHOUT_EQUAL = {"absorbing_multiply", "erf", "erfc", "sigmoid", "clip", "where"}
OPS = [op for op in SCALARS if op not in WITHOUT_EQUAL]
DTYPES = [
    "float16", "float32", "float64", "complex64", "complex128", "int8", "int32", "int64", "uint8",
    "uint64", "bool",
]  # fmt: skip


class Exceptional(NamedTuple):
    """Kinds of errors that NumPy reports and we do not (`lost`), or the other way round."""

    ops: str
    kinds: str
    lost: str
    added: str
    of: Callable[..., bool]
    reason: str


def _always(*x: Any) -> bool:
    return True


def _infinite(*x: Any) -> bool:
    return bool(np.isinf(x).any())


def _nan(*x: Any) -> bool:
    return bool(np.isnan(x).any())


def _special(*x: Any) -> bool:
    return not np.isfinite(x).all()


def _tiny(*x: Any) -> bool:
    return 0 < abs(x[0]) < 3e-38


def _least(*x: Any) -> bool:
    """Some part of an operand is no larger than float32's smallest normal number."""
    parts = np.abs(np.array(x, complex).view(float))
    return bool(((parts < 1.2e-38) & (parts > 0)).any())


def _extreme(*x: Any) -> bool:
    """Some part of an operand is so large or small that squares and quotients leave the range."""
    parts = np.abs(np.array(x, complex).view(float))
    return bool(((parts > 700) | ((parts < 1e-25) & (parts > 0))).any())


EXCEPTIONS = [
    Exceptional(
        "floor_divide", "f", "invalid value", "", _infinite,
        "the standard wants an infinity or a zero there, NumPy has NaN",
    ),
    Exceptional(
        "sin cos exp", "f", "underflow", "", _tiny,
        "NumPy's vector loops of float32 flag it, those of float64 and of long double do not",
    ),
    Exceptional(
        "sinc", "f", "overflow underflow invalid value", "", _always,
        "np.sinc multiplies by pi in the operand's dtype, we reduce x first",
    ),
    Exceptional(
        "sinc", "c", "divide by zero overflow underflow invalid value",
        "overflow underflow invalid value", _always,
        "np.sinc is a product, a sine and a quotient, with the errors of each",
    ),
    Exceptional(
        "exp exp2 expm1 sin sinh tan tanh pow divide log1p sign", "c", "invalid value", "",
        _special,
        "a NaN of a NaN is no invalid operation, C leaves it open; and where the standard wants a "
        "number there is none",
    ),
    Exceptional(
        "expm1", "c", "invalid value overflow underflow", "", _extreme,
        "NumPy multiplies by an exponential that overflows, and has NaN of it",
    ),
    Exceptional(
        "reciprocal", "c", "invalid value overflow underflow",
        "divide by zero invalid value overflow underflow", _always,
        "the value is that of a division, 1 / 0 = inf + nan j; np.reciprocal has nan + nan j",
    ),
    Exceptional(
        "acos acosh angle asin asinh atan atanh cos cosh divide exp exp2 log log1p log2 log10 pow "
        "sign sin sinh sqrt tan tanh",
        "c", "underflow", "", _extreme,
        "a part that vanishes beside the other; the C libraries differ",
    ),
    Exceptional(
        "divide log1p pow sign", "c", "overflow invalid value", "underflow overflow", _extreme,
        "NumPy's intermediate results overflow where ours are scaled",
    ),
]  # fmt: skip
if np.lib.NumpyVersion(np.__version__) < "2.4.0":
    EXCEPTIONS += [
        Exceptional(
            "atan atanh", "c", "invalid value", "", _nan,
            "older NumPy calls the NaN of a NaN invalid",
        ),
        Exceptional(
            "asin asinh atan atanh", "c", "", "underflow", _least,
            "older NumPy does not flag a result that is subnormal",
        ),
    ]  # fmt: skip


def _values(dtype: np.dtype[Any]) -> list[Any]:
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        negative = {-1, -2, -3} if limits.min else set()
        return sorted({0, 1, 2, 3, 7, limits.max, limits.max - 1, limits.min} | negative)
    info = np.finfo(dtype)
    smallest = [float(info.tiny), float(info.smallest_subnormal)]
    if dtype.kind == "f":
        usual = [0.0, 1.0, 0.5, 2.0, 2.5, 3.0, 12.0, 89.0, 104.0, 710.0, 750.0]
        small = [float(info.tiny) * 1.5, float(info.eps)]
        positive = [*usual, float(info.max), *smallest, *small, np.inf]
        return [*positive, *(-x for x in positive), np.nan]
    special = [np.inf, -np.inf, np.nan, float(info.max), *smallest]
    parts = [0.0, -0.0, 1.0, -2.5, *special, 800.0, 1e-30]
    return [complex(a, b) for a in parts for b in parts]


def _operands(op: str, dtype: np.dtype[Any]) -> Iterator[tuple[Any, ...]]:
    values = _values(dtype)
    count = len(SCALARS[op].operands)
    if count == 2 and dtype.kind == "c":
        values = values[::7]
    return itertools.product(values, repeat=count)


def _warned(function: Callable[..., Any], operands: list[np.ndarray]) -> frozenset[str] | None:
    """What a call warns of; None where it is refused."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            function(*operands)
        except (TypeError, ValueError):
            return None
    assert all(w.category is RuntimeWarning for w in caught)
    return frozenset(str(w.message) for w in caught)


@cache
def _numpys(op: str, name: str) -> list[tuple[tuple[Any, ...], frozenset[str] | None]]:
    dtype = np.dtype(name)
    return [
        (values, _warned(getattr(np, op), [np.full(17, x, dtype) for x in values]))
        for values in _operands(op, dtype)
    ]


def _excepted(op: str, kind: str, values: tuple[Any, ...], lost: set[str], added: set[str]) -> bool:
    rows = [
        row for row in EXCEPTIONS if op in row.ops.split() and kind in row.kinds and row.of(*values)
    ]
    return all(any(error in row.lost for row in rows) for error in lost) and all(
        any(error in row.added for row in rows) for error in added
    )


def _kinds(texts: frozenset[str]) -> set[str]:
    return {text.partition(" encountered")[0] for text in texts}


def _check(op: str, name: str, kernel: Callable[..., Any]) -> None:
    dtype = np.dtype(name)
    for values, wanted in _numpys(op, name):
        if wanted is None:
            continue
        found = _warned(kernel, [np.full(17, x, dtype) for x in values])
        if found == wanted:
            continue
        assert found is not None, (op, name, values)
        lost, added = _kinds(wanted) - _kinds(found), _kinds(found) - _kinds(wanted)
        assert _excepted(op, dtype.kind, values, lost, added), (values, wanted, found)
        names = {text for text in found if text not in wanted and _kinds({text}) - added}
        assert op in ("sinc", "angle") or not names, (values, wanted, found)


CASES = [(op, name) for op in OPS for name in DTYPES if (op, name) != ("reciprocal", "bool")]


@pytest.mark.parametrize(("op", "name"), CASES)
def test_reference_kernels_warn_as_numpy(op: str, name: str) -> None:
    kernel = reference.find(op, (np.dtype(name),) * len(SCALARS[op].operands))
    assert kernel is not None
    _check(op, name, kernel)


def _preferred() -> list[tuple[str, str]]:
    """Operations and dtypes whose compiled kernel runs in the place of the reference."""
    if not _jit.enabled():
        return []
    from arraygrad_kernels.cpu.choice import PREFERRED

    return [(op, name) for op, name in CASES if np.dtype(name).char in PREFERRED.get(op, "")]


@pytest.mark.parametrize(("op", "name"), _preferred())
def test_compiled_kernels_warn_as_numpy(op: str, name: str) -> None:
    from arraygrad_kernels import cpu

    spec = cpu.find(op, (np.dtype(name),) * len(SCALARS[op].operands))
    assert spec is not None
    _check(op, name, spec.build())
