"""Calls of NumPy's functions of shape, order, joining, choosing, inserting and writing."""

import numpy as np

from .calls import call, complexes, distinct, normal, positive

ROWS = np.array([[2, 0], [1, 1], [0, 3]])


def _written(write, x, *values):
    out = x * 1.0
    write(out, *values)
    return out


CALLS = {
    "reshape": (
        call(lambda x: np.reshape(x, (3, 2)), normal(2, 3)),
        call(lambda x: np.reshape(x, -1, order="F"), complexes(2, 3)),
        call(lambda x: np.reshape(x, (1, 1)), normal()),
    ),
    "ravel": (call(np.ravel, normal(2, 3)), call(lambda x: np.ravel(x, order="F"), normal(2, 3))),
    "transpose": (
        call(np.transpose, normal(2, 3)),
        call(lambda x: np.transpose(x, (1, 2, 0)), normal(2, 3, 2)),
    ),
    "matrix_transpose": (
        call(np.matrix_transpose, normal(2, 3, 2)),
        call(lambda x: np.matrix_transpose(x) * x, complexes(2, 2)),
    ),
    "moveaxis": (
        call(lambda x: np.moveaxis(x, 0, -1), normal(2, 3, 2)),
        call(lambda x: np.moveaxis(x, [0, 1], [-1, 0]), normal(2, 3, 2)),
    ),
    "rollaxis": (
        call(lambda x: np.rollaxis(x, 2), normal(2, 3, 4)),
        call(lambda x: np.rollaxis(x, 0, 3), normal(2, 3, 4)),
        call(lambda x: np.rollaxis(x, 1, -1), normal(2, 3, 4)),
    ),
    "swapaxes": (
        call(lambda x: np.swapaxes(x, 0, -1), normal(2, 3, 4)),
        call(lambda x: np.swapaxes(x, -2, 0) * 2, complexes(2, 3)),
    ),
    "squeeze": (
        call(np.squeeze, normal(1, 3, 1)),
        call(lambda x: np.squeeze(x, axis=0), normal(1, 3, 1)),
    ),
    "expand_dims": (
        call(lambda x: np.expand_dims(x, 0), normal(3)),
        call(lambda x: np.expand_dims(x, (0, 2)), normal(3)),
    ),
    "atleast_1d": (
        call(np.atleast_1d, normal()),
        call(lambda x, y: np.atleast_1d(x, y), normal(2), normal()),
    ),
    "atleast_2d": (
        call(np.atleast_2d, normal(3)),
        call(lambda x, y: np.atleast_2d(x, y), normal(2), normal()),
    ),
    "atleast_3d": (
        call(np.atleast_3d, normal(3)),
        call(np.atleast_3d, normal(2, 3)),
        call(np.atleast_3d, normal()),
    ),
    "broadcast_to": (
        call(lambda x: np.broadcast_to(x, (2, 3)), normal(3)),
        call(lambda x: np.broadcast_to(x, 3), normal()),
    ),
    "broadcast_arrays": (
        call(lambda x, y: np.broadcast_arrays(x, y), normal(3), normal(2, 1)),
        call(lambda x, y, z: np.broadcast_arrays(x, y, z), normal(), complexes(2, 1), normal(3)),
    ),
    "concatenate": (
        call(lambda x, y: np.concatenate([x, y]), normal(2, 3), normal(1, 3)),
        call(lambda x, y: np.concatenate((x, y), axis=1), complexes(2, 3), normal(2, 1)),
        call(lambda x, y: np.concatenate((x, y), axis=None), normal(2, 3), normal(2)),
        call(lambda x: np.concatenate((x, [1.0, 2.0]), dtype=complex), normal(2)),
    ),
    "stack": (
        call(lambda x, y: np.stack([x, y]), normal(3), normal(3, seed=1)),
        call(lambda x, y: np.stack([x, y], axis=-1), normal(2, 3), normal(2, 3, seed=1)),
        call(lambda x, y: np.stack([x, y]), normal(), normal(seed=1)),
    ),
    "vstack": (
        call(lambda x, y: np.vstack([x, y]), normal(3), normal(2, 3)),
        call(lambda x, y: np.vstack((x, y, x)), complexes(2, 3), normal(3)),
    ),
    "hstack": (
        call(lambda x, y: np.hstack([x, y]), normal(3), normal(2)),
        call(lambda x, y: np.hstack([x, y]), normal(2, 3), normal(2, 1)),
        call(lambda x, y: np.hstack([x, y]), normal(), normal(seed=1)),
    ),
    "dstack": (
        call(lambda x, y: np.dstack([x, y]), normal(3), normal(3, seed=1)),
        call(lambda x, y: np.dstack((x, y, x)), complexes(2, 3), normal(2, 3)),
    ),
    "column_stack": (
        call(lambda x, y: np.column_stack([x, y]), normal(3), normal(3, 2)),
        call(lambda x: np.column_stack((x, x**2, x[::-1])), complexes(3)),
    ),
    "block": (
        call(lambda x, y: np.block([[x, y], [y, x]]), normal(2, 2), normal(2, 2, seed=1)),
        call(lambda x, y: np.block([x, y]), normal(2), normal()),
        call(lambda x: np.block(x), normal(2)),
    ),
    "split": (
        call(lambda x: np.split(x, 2), normal(4)),
        call(lambda x: np.split(x, [1, 3], axis=1), normal(2, 4)),
    ),
    "array_split": (
        call(lambda x: np.array_split(x, 3), normal(5)),
        call(lambda x: np.array_split(x, [2, 3], 1), normal(2, 5)),
    ),
    "hsplit": (
        call(lambda x: np.hsplit(x, 2), normal(4)),
        call(lambda x: np.hsplit(x, 2), normal(2, 4)),
    ),
    "vsplit": (
        call(lambda x: np.vsplit(x, [1]), normal(3, 2)),
        call(lambda x: np.vsplit(x, 2), complexes(4, 2)),
    ),
    "dsplit": (
        call(lambda x: np.dsplit(x, 2), normal(1, 2, 4)),
        call(lambda x: np.dsplit(x, [1, 3]), complexes(2, 1, 4)),
    ),
    "unstack": (
        call(np.unstack, normal(2, 3)),
        call(lambda x: np.unstack(x, axis=1), normal(2, 3)),
    ),
    "flip": (
        call(np.flip, normal(2, 3)),
        call(lambda x: np.flip(x, 1), normal(2, 3)),
        call(lambda x: np.flip(x, (0, 1)), normal(2, 3)),
    ),
    "fliplr": (
        call(np.fliplr, normal(2, 3)),
        call(lambda x: np.fliplr(x) * x, complexes(2, 3, 2)),
    ),
    "flipud": (call(np.flipud, normal(2, 3)), call(np.flipud, normal(3))),
    "rot90": (
        call(np.rot90, normal(2, 3)),
        *[call(lambda x, k=k: np.rot90(x, k, (1, 2)), normal(2, 3, 4)) for k in (0, 2, 3, -1)],
    ),
    "roll": (
        call(lambda x: np.roll(x, 2), normal(2, 3)),
        call(lambda x: np.roll(x, -1, axis=1), normal(2, 3)),
        call(lambda x: np.roll(x, (1, 2), axis=(0, 1)), normal(2, 3)),
    ),
    "tile": (
        call(lambda x: np.tile(x, 2), normal(3)),
        call(lambda x: np.tile(x, (2, 1, 3)), normal(2, 3)),
        call(lambda x: np.tile(x, 3), normal()),
    ),
    "repeat": (
        call(lambda x: np.repeat(x, 2), normal(2, 3)),
        call(lambda x: np.repeat(x, [1, 0, 2], axis=1), normal(2, 3)),
    ),
    "diagonal": (
        call(np.diagonal, normal(3, 4)),
        call(lambda x: np.diagonal(x, 1, 0, 2), normal(2, 3, 4)),
    ),
    "trace": (call(np.trace, normal(3, 4)), call(lambda x: np.trace(x, -1, 1, 2), normal(2, 3, 4))),
    "diag": (
        call(np.diag, normal(3)),
        call(lambda x: np.diag(x, 1), normal(3)),
        call(lambda x: np.diag(x, -1), normal(3, 4)),
    ),
    "diagflat": (call(np.diagflat, normal(2, 2)), call(lambda x: np.diagflat(x, -1), normal(2))),
    "tril": (
        call(np.tril, normal(3, 4)),
        call(lambda x: np.tril(x, 1), normal(2, 3, 3)),
        call(np.tril, normal(3)),
    ),
    "triu": (call(np.triu, normal(3, 4)), call(lambda x: np.triu(x, -1), complexes(3, 3))),
    "meshgrid": (
        call(lambda x, y: np.meshgrid(x, y), normal(2), normal(3)),
        call(lambda x, y: np.meshgrid(x, y, indexing="ij", sparse=True), normal(2), normal(3)),
        call(lambda x: np.meshgrid(x, x), normal(2)),
    ),
    "real": (call(np.real, complexes(3)), call(np.real, normal(3))),
    "imag": (call(np.imag, complexes(3)), call(np.imag, normal(3))),
    "angle": (
        call(np.angle, complexes(3)),
        call(lambda z: np.angle(z, deg=True), complexes(3)),
        call(np.angle, normal(3)),
    ),
    "copy": (
        call(np.copy, normal(2, 3)),
        call(lambda x: np.copy(x.T, order="C"), complexes(2, 3)),
    ),
    "astype": (
        call(lambda x: np.astype(x, complex), normal(3)),
        call(lambda x: np.astype(x, np.float32), normal(3), order=0),
    ),
    "clip": (
        call(lambda x: np.clip(x, -0.5, 0.5), distinct(6)),
        call(lambda x, lo: np.clip(x, lo, None), distinct(6), normal(6)),
        call(lambda x: np.clip(x, min=-0.3, max=0.6), distinct(6)),
    ),
    "where": (
        call(lambda x, y: np.where(np.array([True, False, True]), x, y), normal(3), normal(2, 3)),
        call(lambda x: np.where(x > 0, x, 0.0), distinct(5)),
    ),
    "take": (
        call(lambda x: np.take(x, [0, 2, 2]), normal(2, 3)),
        call(lambda x: np.take(x, [[0, 1], [1, 1]], axis=1), normal(2, 3)),
        call(lambda x: np.take(x, [5, -4], mode="wrap"), normal(3)),
        call(lambda x: np.take(x, [5, -4], mode="clip", axis=0), normal(3)),
        call(lambda x: np.take(x, 1), normal(3)),
    ),
    "take_along_axis": (
        call(lambda x: np.take_along_axis(x, ROWS, axis=1), normal(3, 4)),
        call(lambda x: np.take_along_axis(x, np.argsort(x, axis=0), 0), distinct(3, 2)),
        call(lambda x: np.take_along_axis(x, np.array([3, 0]), axis=None), normal(2, 3)),
    ),
    "compress": (
        call(lambda x: np.compress([True, False, True], x), normal(4)),
        call(lambda x: np.compress([False, True], x, axis=1), normal(3, 4)),
    ),
    "extract": (
        call(lambda x: np.extract(x > 0, x), distinct(5)),
        call(lambda x: np.extract([[1, 0], [0, 1]], x), complexes(2, 2)),
    ),
    "select": (
        call(lambda x: np.select([x < -0.5, x > 0.5], [x**2, 3 * x], default=1.0), distinct(6)),
        call(lambda x, y: np.select([x > 0], [y]), distinct(4), normal(4)),
    ),
    "choose": (
        call(lambda x, y: np.choose([0, 1, 0], [x, y]), normal(3), normal(3, seed=1)),
        call(lambda x: np.choose([2, -1, 0], [x, 2 * x], mode="wrap"), normal(3)),
        call(lambda x: np.choose([2, -1, 0], [x, 2 * x], mode="clip"), normal(3)),
    ),
    "piecewise": (
        call(
            lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v: v**2, lambda v: 3 * v]),
            distinct(5),
        ),
        call(lambda x: np.piecewise(x, [x < 0], [-1.0, lambda v: v**3]), distinct(5)),
        call(lambda x: np.piecewise(x, [x < 0], [lambda v, k: k * v, 2.0], 4.0), distinct(2, 3)),
    ),
    "apply_along_axis": (
        call(lambda x: np.apply_along_axis(lambda r: r**2, 1, x), normal(2, 3)),
        call(lambda x: np.apply_along_axis(lambda r: np.sum(r * r), 0, x), normal(2, 3)),
        call(lambda x: np.apply_along_axis(np.diag, -1, x), normal(2, 2)),
    ),
    "apply_over_axes": (
        call(lambda x: np.apply_over_axes(np.sum, x, [0, 2]), normal(2, 3, 2)),
        call(lambda x: np.apply_over_axes(np.mean, x, -1), normal(2, 3)),
    ),
    "append": (
        call(lambda x, y: np.append(x, y), normal(2, 2), normal(3)),
        call(lambda x, y: np.append(x, y, axis=0), normal(2, 2), normal(1, 2)),
        call(lambda x: np.append(x, 1.5), normal(3)),
    ),
    "insert": (
        call(lambda x, y: np.insert(x, 1, y), normal(3), normal()),
        call(lambda x, y: np.insert(x, [0, 2], y, axis=1), normal(2, 3), normal(2, 2)),
        call(lambda x, y: np.insert(x, 1, y, axis=1), normal(2, 3), normal(2)),
        call(lambda x: np.insert(x, slice(0, 2), 5.0), normal(4)),
        call(lambda x: np.insert(x, [1, 1], [5.0, 6.0]), normal(2, 2)),
    ),
    "delete": (
        call(lambda x: np.delete(x, 1), normal(4)),
        call(lambda x: np.delete(x, [0, 2], axis=1), normal(2, 4)),
        call(lambda x: np.delete(x, slice(None, None, 2)), normal(5)),
        call(lambda x: np.delete(x, np.array([True, False, False])), normal(3)),
    ),
    "resize": (
        call(lambda x: np.resize(x, (2, 4)), normal(3)),
        call(lambda x: np.resize(x, 2), normal(2, 2)),
    ),
    "trim_zeros": (
        call(lambda x: np.trim_zeros(x * np.array([0, 1, 1, 0])), normal(4)),
        call(lambda x: np.trim_zeros(x * np.array([0, 1, 1, 0]), "f"), normal(4)),
    ),
    "pad": (
        call(lambda x: np.pad(x, 2), normal(3)),
        call(lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=3.0), normal(2, 3)),
        call(lambda x, c: np.pad(x, 1, constant_values=c), normal(3), normal()),
        call(lambda x: np.pad(x, 2, mode="edge"), normal(2, 3)),
        call(lambda x: np.pad(x, 5, mode="reflect"), normal(3)),
        call(lambda x: np.pad(x, 2, mode="reflect", reflect_type="odd"), normal(4)),
        call(lambda x: np.pad(x, ((1, 2), (2, 1)), mode="symmetric"), normal(3, 3)),
        call(lambda x: np.pad(x, 2, mode="symmetric", reflect_type="odd"), normal(4)),
        call(lambda x: np.pad(x, (4, 2), mode="wrap"), normal(3)),
        call(lambda x: np.pad(x, 2, mode="linear_ramp", end_values=1.0), normal(3)),
        call(lambda x: np.pad(x, 2, mode="maximum"), distinct(2, 3)),
        call(lambda x: np.pad(x, 2, mode="minimum", stat_length=2), distinct(4)),
        call(lambda x: np.pad(x, 1, mode="mean"), normal(2, 3)),
        call(lambda x: np.pad(x, 1, mode="median"), distinct(5)),
        call(lambda x: np.pad(x, 1, mode="empty")[1:-1], normal(3)),
    ),
    "copyto": (
        call(lambda x, y: _written(np.copyto, x, y), normal(2, 3), normal(3)),
        call(
            lambda x, y: _written(lambda a, b: np.copyto(a, b, where=a > 0), x, y),
            distinct(5),
            normal(5),
        ),
        call(
            lambda x: _written(lambda a: np.copyto(a, 2.0, where=[True, False, True]), x), normal(3)
        ),
    ),
    "put": (
        call(
            lambda x, y: _written(lambda a, b: np.put(a, [0, 4, 4], b), x, y),
            normal(2, 3),
            normal(3),
        ),
        call(
            lambda x, y: _written(lambda a, b: np.put(a, [7, -8], b, mode="clip"), x, y),
            normal(2, 3),
            normal(1),
        ),
    ),
    "place": (
        call(
            lambda x, y: _written(lambda a, b: np.place(a, a > 0, b), x, y), distinct(6), normal(2)
        ),
        call(
            lambda x, y: _written(lambda a, b: np.place(a, [True, False, True, True], b), x, y),
            complexes(4),
            complexes(2),
        ),
    ),
    "putmask": (
        call(
            lambda x, y: _written(lambda a, b: np.putmask(a, a > 0, b), x, y),
            distinct(6),
            normal(6),
        ),
        call(
            lambda x, y: _written(lambda a, b: np.putmask(a, a > 0, b), x, y),
            distinct(2, 3),
            normal(2),
        ),
    ),
    "fill_diagonal": (
        call(lambda x, y: _written(np.fill_diagonal, x, y), normal(3, 3), normal(3)),
        call(lambda x, y: _written(np.fill_diagonal, x, y), normal(2, 2, 2), normal()),
        call(
            lambda x, y: _written(lambda a, b: np.fill_diagonal(a, b, wrap=True), x, y),
            normal(7, 2),
            normal(2),
        ),
    ),
    "put_along_axis": (
        call(
            lambda x, y: _written(lambda a, b: np.put_along_axis(a, ROWS[:, :1], b, 1), x, y),
            normal(3, 4),
            normal(3, 1),
        ),
        call(
            lambda x, y: _written(
                lambda a, b: np.put_along_axis(a, np.array([4, 1]), b, None), x, y
            ),
            normal(2, 3),
            normal(2),
        ),
    ),
    "unique": (
        call(lambda x: np.unique(x), distinct(4)),
        call(
            lambda x: np.unique(
                x[[0, 1, 1, 2]], return_index=True, return_inverse=True, return_counts=True
            ),
            distinct(4),
        ),
        call(lambda x: np.unique(x, axis=0), distinct(3, 2)),
    ),
    "unique_all": (
        call(np.unique_all, distinct(4)),
        call(lambda x: np.unique_all(np.concatenate((x, x[:2]))), distinct(4)),
    ),
    "unique_counts": (
        call(np.unique_counts, distinct(4)),
        call(lambda x: np.unique_counts(np.stack((x, x[::-1]))), distinct(3)),
    ),
    "unique_inverse": (
        call(np.unique_inverse, distinct(4)),
        call(lambda x: np.unique_inverse(np.stack((x, x[::-1]))), distinct(3)),
    ),
    "unique_values": (
        call(np.unique_values, distinct(4)),
        call(lambda x: np.unique_values(np.stack((x, x[::-1]))), distinct(3)),
    ),
    "union1d": (
        call(lambda x, y: np.union1d(x, y), distinct(3), normal(2)),
        call(lambda x: np.union1d(x, x[::-1]), distinct(2, 2)),
    ),
    "intersect1d": (
        call(lambda x: np.intersect1d(x[:3], x[1:]), distinct(5)),
        call(lambda x: np.intersect1d(x[:3], x[1:], return_indices=True), distinct(5)),
    ),
    "setdiff1d": (
        call(lambda x: np.setdiff1d(x, x[1:3]), distinct(5)),
        call(lambda x: np.setdiff1d(x, x[:, 1], assume_unique=True), distinct(2, 3)),
    ),
    "setxor1d": (
        call(lambda x: np.setxor1d(x[:3], x[1:]), distinct(5)),
        call(lambda x: np.setxor1d(x[:3], x[2:], assume_unique=True), distinct(5)),
    ),
    "lib.stride_tricks.sliding_window_view": (
        call(lambda x: np.lib.stride_tricks.sliding_window_view(x, 3), normal(5)),
        call(lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)), normal(3, 4)),
        call(lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1), normal(2, 4)),
    ),
    "array": (
        call(lambda x: np.array([x, x * x], like=x), normal()),
        call(lambda x: np.array([[x[0], 2.0], [x[1], x[0]]], like=x), normal(2)),
        call(lambda x: np.array(x, ndmin=3, like=x), normal(2)),
    ),
    "asarray": (
        call(lambda x: np.asarray(x, like=x), normal(2)),
        call(lambda x: np.asarray([x, x], dtype=float, like=x), normal()),
    ),
    "asanyarray": (
        call(lambda x: np.asanyarray(x, like=x), normal(2)),
        call(lambda x: np.asanyarray([x, x], like=x), normal(3)),
    ),
    "ascontiguousarray": (
        call(lambda x: np.ascontiguousarray(x.T, like=x), normal(2, 3)),
        call(lambda x: np.ascontiguousarray(x, dtype=complex, like=x), normal(2, 3)),
    ),
    "asfortranarray": (
        call(lambda x: np.asfortranarray(x, like=x), normal(2, 3)),
        call(lambda x: np.asfortranarray(x[::2], like=x), normal(4, 2)),
    ),
    "require": (
        call(lambda x: np.require(x, requirements=["C", "W"], like=x), normal(2, 3)),
        call(lambda x: np.require(x.T, dtype=complex, requirements="F", like=x), normal(2, 3)),
    ),
    "fromiter": (
        call(lambda x: np.fromiter((v * v for v in x), float, like=x), normal(3)),
        call(
            lambda x: np.fromiter((x[i] * x[i + 1] for i in range(3)), complex, count=3, like=x),
            complexes(4),
        ),
    ),
    "fromfunction": (
        call(lambda x: np.fromfunction(lambda i, j: i * x + j, (2, 3), like=x), normal()),
        call(lambda x: np.fromfunction(lambda i: x[i], (3,), dtype=int, like=x), normal(4)),
    ),
    "full": (
        call(lambda x: np.full((2, 2), x, like=x), normal()),
        call(lambda x: np.full((2, 3), x, dtype=complex, like=x), normal(3)),
    ),
    "full_like": (
        call(lambda x: np.full_like(x, 2.0) * x, normal(3)),
        call(lambda x, v: np.full_like(x, v), normal(2, 3), normal()),
    ),
    "linspace": (
        call(lambda a, b: np.linspace(a, b, 5), normal(), normal(seed=1)),
        call(
            lambda a, b: np.linspace(a, b, 4, endpoint=False, retstep=True),
            normal(2),
            normal(2, seed=1),
        ),
        call(lambda a: np.linspace(a, 3.0, 4, axis=-1), normal(2)),
    ),
    "logspace": (
        call(lambda a, b: np.logspace(a, b, 5), normal(), normal(seed=1), order=1),
        call(lambda a: np.logspace(a, 1.0, 4, base=2.0, endpoint=False), normal(2)),
    ),
    "geomspace": (
        call(lambda a, b: np.geomspace(a, b, 5), positive(), positive(seed=1)),
        call(lambda a: np.geomspace(a, -5.0, 4), -positive(2)),
    ),
    "ones_like": (
        call(lambda x: np.ones_like(x) * x, normal(2)),
        call(lambda x: np.ones_like(x, dtype=complex, shape=(2, 2)) * x, normal(2)),
    ),
    "zeros_like": (
        call(lambda x: np.zeros_like(x) + x, normal(2)),
        call(lambda x: np.zeros_like(x, dtype=complex, shape=(3, 2)) + x, normal(2)),
    ),
    "arange": (
        call(lambda x: np.arange(3, like=x) * x, normal()),
        call(lambda x: np.arange(1.0, 3.0, 0.5, dtype=float, like=x) + x, normal(4)),
    ),
}
