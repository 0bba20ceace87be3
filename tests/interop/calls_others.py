"""Calls of NumPy's functions without a derivative, and of those that are refused."""

import io

import numpy as np

from .calls import call, complexes, distinct, gappy, integers, normal

CALLS = {}

_IN1D = getattr(np, "in1d", None)  # until NumPy 2.3

BITS = integers(2, 9, high=2)

CONSTANT = {
    "all": (
        call(np.all, normal(3)),
        call(lambda x: np.all(x > 0, axis=1, keepdims=True), normal(2, 3)),
    ),
    "any": (call(np.any, normal(3)), call(lambda x: np.any(x > 0, axis=0), normal(2, 3))),
    "allclose": (
        call(lambda x: np.allclose(x, x + 1e-12), normal(3)),
        call(lambda x: np.allclose(x, 0), normal(3)),
    ),
    "isclose": (
        call(lambda x: np.isclose(x, [0.0, x[1], 1.0]), normal(3)),
        call(lambda x: np.isclose(x, x, equal_nan=True), gappy(4)),
    ),
    "array_equal": (
        call(lambda x: np.array_equal(x, x), normal(3)),
        call(lambda x: np.array_equal(x, x, equal_nan=True), gappy(4)),
    ),
    "array_equiv": (
        call(lambda x: np.array_equiv(x, x[None]), normal(3)),
        call(lambda x: np.array_equiv(x, x + 1), normal(3)),
    ),
    "argmax": (
        call(np.argmax, distinct(5)),
        call(lambda x: np.argmax(x, axis=1, keepdims=True), distinct(3, 4)),
    ),
    "argmin": (call(np.argmin, distinct(5)), call(lambda x: np.argmin(x, axis=0), distinct(3, 4))),
    "nanargmax": (
        call(np.nanargmax, gappy(5)),
        call(lambda x: np.nanargmax(x, axis=1), gappy(3, 4)),
    ),
    "nanargmin": (
        call(np.nanargmin, gappy(5)),
        call(lambda x: np.nanargmin(x, axis=0), gappy(3, 3)),
    ),
    "argsort": (
        call(np.argsort, distinct(5)),
        call(lambda x: np.argsort(x, axis=0), distinct(3, 4)),
        call(lambda x: np.argsort(x, axis=None), distinct(3, 4)),
    ),
    "argpartition": (
        call(lambda x: np.argpartition(x, 2), distinct(9)),
        call(lambda x: np.argpartition(x, (1, -2), axis=0), distinct(7, 3)),
        call(lambda x: np.argpartition(x, 3, axis=None), distinct(4, 5)),
    ),
    "argwhere": (
        call(lambda x: np.argwhere(x > 0), normal(2, 3)),
        call(lambda x: np.argwhere(x), integers(2, 3, high=2)),
    ),
    "nonzero": (
        call(lambda x: np.nonzero(x * [1, 0, 1]), normal(2, 3)),
        call(np.nonzero, np.array([0.0, 2.0, 0.0, -1.0])),
    ),
    "flatnonzero": (
        call(lambda x: np.flatnonzero(x * [1, 0, 1]), normal(2, 3)),
        call(lambda x: np.flatnonzero(x > 0), normal(2, 3)),
    ),
    "count_nonzero": (
        call(np.count_nonzero, normal(3)),
        call(lambda x: np.count_nonzero(x > 0, axis=1), normal(2, 3)),
    ),
    "searchsorted": (
        call(lambda x: np.searchsorted([-1.0, 0.0, 1.0], x, side="right"), normal(3)),
        call(lambda x: np.searchsorted(x, 0.0, sorter=np.argsort(x)), distinct(4)),
    ),
    "digitize": (
        call(lambda x: np.digitize(x, [-1.0, 0.0, 1.0]), normal(3)),
        call(lambda x: np.digitize(x, [1.0, 0.0, -1.0], right=True), normal(3)),
    ),
    "lexsort": (
        call(lambda x, y: np.lexsort((x, y)), distinct(4), integers(4).astype(float)),
        call(lambda x: np.lexsort(x, axis=0), distinct(2, 4)),
    ),
    "isin": (
        call(lambda x: np.isin(x, x[:2]), normal(3)),
        call(lambda x: np.isin(x, [x[0], 1.0], invert=True), normal(3)),
    ),
    "in1d": (
        call(lambda x: _IN1D(x, x[:2]), normal(3)),
        call(lambda x: _IN1D(x, x[:2], assume_unique=True, invert=True), distinct(3)),
    ),
    "iscomplex": (
        call(np.iscomplex, complexes(3)),
        call(np.iscomplex, normal(2, 2)),
    ),
    "isreal": (call(np.isreal, complexes(3)), call(np.isreal, normal(2))),
    "iscomplexobj": (call(np.iscomplexobj, complexes(3)), call(np.iscomplexobj, normal(3))),
    "isrealobj": (call(np.isrealobj, complexes(3)), call(np.isrealobj, normal(3))),
    "isneginf": (
        call(np.isneginf, np.array([-np.inf, 1.0])),
        call(lambda x: np.isneginf(x, out=np.ones_like(x, dtype=bool)), np.array([-np.inf, 1.0])),
    ),
    "isposinf": (
        call(np.isposinf, np.array([np.inf, 1.0])),
        call(lambda x: np.isposinf(x, out=np.ones_like(x, dtype=bool)), np.array([np.inf, 1.0])),
    ),
    "ndim": (
        call(np.ndim, normal(2, 3)),
        call(lambda x: np.ndim(x[0] * 2), normal(2)),
    ),
    "shape": (call(np.shape, normal(2, 3)), call(np.shape, normal())),
    "size": (call(np.size, normal(2, 3)), call(lambda x: np.size(x, 1), normal(2, 3))),
    "result_type": (
        call(lambda x: np.result_type(x, 1j), normal(2)),
        call(lambda x: np.result_type(x, np.float32), normal(2).astype(np.float32)),
    ),
    "can_cast": (
        call(lambda x: np.can_cast(x, complex), normal(2)),
        call(lambda x: np.can_cast(x, "f4", casting="same_kind"), normal(2)),
    ),
    "min_scalar_type": (
        call(np.min_scalar_type, normal(2)),
        call(np.min_scalar_type, np.array(3.0)),
    ),
    "common_type": (
        call(lambda x: np.common_type(x, np.float32([1])), normal(2)),
        call(lambda x, y: np.common_type(x, y), normal(2), complexes(2)),
    ),
    "array2string": (
        call(np.array2string, normal(2)),
        call(lambda x: np.array2string(x, precision=2), normal(2)),
    ),
    "array_repr": (
        call(np.array_repr, normal(2)),
        call(lambda x: np.array_repr(x, precision=3, suppress_small=True), normal(2, 2)),
    ),
    "array_str": (
        call(np.array_str, normal(2)),
        call(lambda x: np.array_str(x, precision=3), normal(2, 2)),
    ),
    "packbits": (
        call(np.packbits, BITS),
        call(lambda x: np.packbits(x, axis=1, bitorder="little"), BITS),
    ),
    "unpackbits": (
        call(lambda x: np.unpackbits(x, count=10), np.array([3, 129], np.uint8)),
        call(
            lambda x: np.unpackbits(x, axis=1, bitorder="little"), np.array([[3], [129]], np.uint8)
        ),
    ),
    "ravel_multi_index": (
        call(lambda x: np.ravel_multi_index((x, x), (5, 6)), integers(3)),
        call(
            lambda x: np.ravel_multi_index((x, x), (2, 3), mode=("clip", "wrap"), order="F"),
            integers(3),
        ),
    ),
    "unravel_index": (
        call(lambda x: np.unravel_index(x, (2, 3)), integers(3)),
        call(lambda x: np.unravel_index(x, (3, 2), order="F"), integers(2, 2)),
    ),
    "diag_indices_from": (
        call(np.diag_indices_from, normal(3, 3)),
        call(np.diag_indices_from, normal(2, 2, 2)),
    ),
    "tril_indices_from": (
        call(np.tril_indices_from, normal(3, 3)),
        call(lambda x: np.tril_indices_from(x, 1), normal(3, 3)),
    ),
    "triu_indices_from": (
        call(np.triu_indices_from, normal(3, 3)),
        call(lambda x: np.triu_indices_from(x, k=1), normal(3, 4)),
    ),
    "ix_": (
        call(lambda x: np.ix_(x, [True, False, True]), integers(3)),
        call(lambda x, y: np.ix_(x, y), integers(2), integers(3)),
    ),
    "einsum_path": (
        call(
            lambda x, y: np.einsum_path("ij,jk", x, y)[0] == ["einsum_path", (0, 1)],
            normal(2, 3),
            normal(3, 2),
        ),
        call(lambda x: np.einsum_path("ij,jk,kl", x, x, x, optimize="greedy")[0][0], normal(2, 2)),
    ),
    "may_share_memory": (
        call(lambda x: np.may_share_memory(x, x[1:]), normal(3)),
        call(lambda x, y: np.may_share_memory(x, y), normal(3), normal(3)),
    ),
    "shares_memory": (
        call(lambda x: np.shares_memory(x[:1], x[1:]), normal(3)),
        call(lambda x: np.shares_memory(x[1:], x[::2], max_work=1000), normal(4)),
    ),
    "linalg.matrix_rank": (
        call(np.linalg.matrix_rank, normal(3, 2)),
        call(lambda x: np.linalg.matrix_rank(x, tol=100.0), normal(3, 3)),
        call(lambda x: np.linalg.matrix_rank(x @ x.T, hermitian=True), normal(3, 3)),
    ),
    "zeros": (
        call(lambda x: np.zeros((2, 3), like=x), normal(2)),
        call(lambda x: np.zeros(3, dtype=np.int32, like=x), normal(2)),
    ),
    "ones": (
        call(lambda x: np.ones(3, like=x), normal(2)),
        call(lambda x: np.ones((2, 2), dtype=np.float32, like=x), normal(2)),
    ),
    "empty": (
        call(lambda x: np.empty((2, 3), like=x), normal(2), compare=False),
        call(lambda x: np.empty(2, dtype=complex, like=x), normal(2), compare=False),
    ),
    "empty_like": (
        call(np.empty_like, normal(2), compare=False),
        call(lambda x: np.empty_like(x, shape=(3,)), normal(2), compare=False),
    ),
    "eye": (
        call(lambda x: np.eye(2, 3, 1, like=x), normal(2)),
        call(lambda x: np.eye(2, dtype=complex, like=x), normal(2)),
    ),
    "identity": (
        call(lambda x: np.identity(3, like=x), normal(2)),
        call(lambda x: np.identity(2, dtype=np.int64, like=x), normal(2)),
    ),
    "tri": (
        call(lambda x: np.tri(3, 4, -1, like=x), normal(2)),
        call(lambda x: np.tri(2, dtype=int, like=x), normal(2)),
    ),
    "frombuffer": (
        call(lambda x: np.frombuffer(b"\x01\x02", np.uint8, like=x), normal(2)),
        call(lambda x: np.frombuffer(bytes(range(16)), "f4", count=2, offset=4, like=x), normal(2)),
    ),
    "fromfile": (
        call(lambda x: np.fromfile(__file__, np.uint8, 3, like=x), normal(2)),
        call(lambda x: np.fromfile(__file__, np.int16, 2, offset=3, like=x), normal(2)),
    ),
    "fromstring": (
        call(lambda x: np.fromstring("1 2", sep=" ", like=x), normal(2)),
        call(lambda x: np.fromstring("1,2,3", dtype=int, count=2, sep=",", like=x), normal(2)),
    ),
    "loadtxt": (
        call(lambda x: np.loadtxt(io.StringIO("1 2\n3 4"), like=x), normal(2)),
        call(
            lambda x: np.loadtxt(io.StringIO("1,2\n3,4"), delimiter=",", unpack=True, like=x),
            normal(2),
        ),
    ),
    "genfromtxt": (
        call(lambda x: np.genfromtxt(io.StringIO("1,2\n3,4"), delimiter=",", like=x), normal(2)),
        call(lambda x: np.genfromtxt(io.StringIO("1 nan\n3 4"), usecols=1, like=x), normal(2)),
    ),
}

REFUSED = {
    "save": lambda x, folder: np.save(folder / "x.npy", x),
    "savez": lambda x, folder: np.savez(folder / "x.npz", x),
    "savez_compressed": lambda x, folder: np.savez_compressed(folder / "x.npz", a=x),
    "savetxt": lambda x, folder: np.savetxt(folder / "x.txt", x),
    "busday_count": lambda x, folder: np.busday_count(x, x),
    "busday_offset": lambda x, folder: np.busday_offset(x, x),
    "is_busday": lambda x, folder: np.is_busday(x),
    "datetime_as_string": lambda x, folder: np.datetime_as_string(x),
}
