"""Casting, promotion and limits of data types against the standard's tables."""

import itertools

import numpy as np
import pytest

import arraygrad as ag

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *SIGNED, *UNSIGNED, *REAL, *COMPLEX)


def standard_promotion():
    """The standard's promotion table: (dtype, dtype) -> dtype; mixed kinds are not in it."""
    table = {("bool", "bool"): "bool"}
    for kind in (SIGNED, UNSIGNED, REAL, COMPLEX):
        for (i, a), (j, b) in itertools.product(enumerate(kind), repeat=2):
            table[a, b] = kind[max(i, j)]
    for (i, a), (j, b) in itertools.product(enumerate(SIGNED), enumerate(UNSIGNED)):
        if j + 1 < len(SIGNED):
            table[a, b] = table[b, a] = SIGNED[max(i, j + 1)]
    for (i, a), (j, b) in itertools.product(enumerate(REAL), enumerate(COMPLEX)):
        table[a, b] = table[b, a] = COMPLEX[max(i, j)]
    return table


PROMOTION = standard_promotion()


@pytest.mark.parametrize("pair", PROMOTION, ids="-".join)
def test_promotion(pair):
    wanted = np.dtype(PROMOTION[pair])
    assert ag.result_type(*map(np.dtype, pair)) == wanted
    x1, x2 = (ag.ones(2, dtype=name) for name in pair)
    assert ag.where(ag.asarray([True, False]), x1, x2).dtype == wanted
    if "bool" not in pair:
        assert (x1 + x2).dtype == wanted


@pytest.mark.parametrize("source", ALL)
def test_can_cast_follows_the_promotion_table(source):
    """To every dtype that `source` promotes to with another one, and to none of a lower kind."""
    for target in ALL:
        promoted = any(PROMOTION.get((source, other)) == target for other in ALL)
        if promoted:
            assert ag.can_cast(np.dtype(source), np.dtype(target))
    if source in COMPLEX:
        assert not any(ag.can_cast(np.dtype(source), np.dtype(t)) for t in (*REAL, *SIGNED, "bool"))
    if source in REAL:
        assert not any(ag.can_cast(np.dtype(source), np.dtype(t)) for t in (*SIGNED, *UNSIGNED))


@pytest.mark.parametrize("name", [*REAL, *COMPLEX, "float16", "bfloat16"])
def test_finfo(name):
    info = ag.finfo(getattr(ag, name))
    assert info.dtype == (ag.float32 if name == "complex64" else info.dtype)
    assert info.eps > 0
    assert type(info.max) is float
    assert info.smallest_normal > 0
    assert info == ag.finfo(ag.ones(1, dtype=name))
    with pytest.raises(AttributeError):
        info.eps = 1.0


@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
def test_iinfo(name):
    info, wanted = ag.iinfo(name), np.iinfo(name)
    assert (info.bits, info.max, info.min, info.dtype) == (
        wanted.bits, wanted.max, wanted.min, np.dtype(name),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "kind", "wanted"),
    [
        ("float32", "real floating", True),
        ("float32", "numeric", True),
        ("bool", "numeric", False),
        ("complex64", ("integral", "complex floating"), True),
        ("uint8", "signed integer", False),
        ("float64", np.dtype("float64"), True),
    ],
)
def test_isdtype(dtype, kind, wanted):
    assert ag.isdtype(np.dtype(dtype), kind) is wanted
