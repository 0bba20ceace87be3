"""Reading and writing by index."""

from typing import Any

import numpy as np

import arraygrad as ag

from . import Sample, constant, normal, strided

MASK = np.array([[True, False, True], [False, True, True]])
ROWS = np.array([1, 0, 1, -1])
INDEX = constant(np.array([[0, 2], [-1, 0]]))
COLUMNS = constant(np.array([[0, 2, 0], [1, -1, 1]]))


def _written(x: Any, value: Any, key: Any, copy: Any) -> Any:
    out = copy(x)
    out[key] = value
    return out


def _write(key: Any, *shapes: tuple[int, ...], label: str, repeated: bool = False) -> Sample:
    return Sample(
        ("setitem",),
        lambda x, v: _written(x, v, key, lambda a: a.copy()) * 1.0,
        lambda x, v: _written(x, v, key, np.copy) * 1.0,
        tuple(normal(*shape) for shape in shapes),
        differentiable=(0, 1),
        dtypes="fc",
        gradient_dtypes="fc",
        label=label,
    )


def _read(key: Any, *shape: int, label: str, fancy: bool = False, **options: Any) -> Sample:
    return Sample(
        ("gather",) if fancy else ("getitem",),
        lambda x: x[key],
        lambda x: x[key],
        (strided(normal(*shape)),),
        dtypes="fcib",
        label=label,
        **options,
    )


def _put_along(x: Any, i: Any, v: Any) -> Any:
    out = x.copy()
    ag.put_along_axis(out, i, v, 1)
    return out * 1.0


def _put_along_numpy(x: Any, i: Any, v: Any) -> Any:
    out = x.copy()
    np.put_along_axis(out, i, v, 1)
    return out


SAMPLES = [
    _read(1, 3, 2, label="row", gradient_dtypes="fc"),
    _read((1, -2), 3, 2, label="element"),
    _read((), label="0-d"),
    _read(Ellipsis, 2, 3, label="ellipsis"),
    _read((slice(None, None, -2), None, Ellipsis, 0), 3, 2, 2, label="mixed"),
    _read(slice(5, 1), 3, 2, label="empty"),
    _read(ROWS, 3, 2, label="rows", fancy=True, gradient_dtypes="fc"),
    _read([0, 0], 3, label="list", fancy=True),
    _read(([0, 1, 0], [1, 1, 1]), 3, 2, label="pairs", fancy=True),
    _read((slice(1, None), [0, 0, 1]), 3, 2, label="slice-list", fancy=True),
    _read(([0, 1], slice(None), [1, 0]), 2, 3, 2, label="apart", fancy=True),
    _read(([[0], [1]], None, [1, 0]), 2, 3, label="broadcast", fancy=True),
    _read(MASK, 2, 3, label="mask", fancy=True, gradient_dtypes="fc"),
    _read((slice(None), MASK[0]), 2, 3, label="slice-mask", fancy=True),
    _read(True, 2, label="0-d-mask", fancy=True),
    _read(False, 2, label="0-d-mask-false", fancy=True),
    _write(0, (3, 2), (2,), label="row"),
    _write(Ellipsis, (3, 2), (2,), label="broadcast"),
    _write((slice(None, None, -2), 1), (3, 2), (2,), label="slice"),
    _write((1, 1), (3, 2), (), label="element"),
    _write(0, (2, 2), (1, 1, 2), label="leading-ones"),
    _write([0, 0, 1], (3,), (3,), label="repeated"),
    _write([2, 2], (3,), (), label="repeated-scalar"),
    _write(([0, 1, 0], [1, 1, 1]), (3, 2), (3,), label="pairs"),
    _write(MASK, (2, 3), (4,), label="mask"),
    _write(MASK, (2, 3), (), label="mask-scalar"),
    _write((slice(None), MASK[0]), (2, 3), (2, 1), label="slice-mask"),
    Sample(("take", "add_slices"), lambda x, i: ag.take(x, i, axis=1),
           lambda x, i: np.take(x, i, axis=1), (strided(normal(2, 3, 2)), constant(ROWS)),
           dtypes="fcib", gradient_dtypes="fc"),
    Sample(("take", "add_slices"), lambda x, i: ag.take(x, i), lambda x, i: np.take(x, i),
           (normal(2, 3), INDEX), label="flat"),
    Sample(("take_along_axis", "scatter_add_along_axis"),
           lambda x, i: ag.take_along_axis(x, i, axis=1),
           lambda x, i: np.take_along_axis(x, i, axis=1), (strided(normal(2, 3)), COLUMNS),
           dtypes="fcib", gradient_dtypes="fc"),
    Sample(("take_along_axis", "scatter_add_along_axis"),
           lambda x, i: ag.take_along_axis(x, i, axis=0),
           lambda x, i: np.take_along_axis(x, i, axis=0),
           (normal(3, 1), constant(np.array([[0, 2], [1, 1]]))), label="broadcast"),
    Sample(("setitem",), _put_along, _put_along_numpy,
           (normal(2, 3), constant(np.array([[0, 2], [1, 1]])), normal(2, 2)),
           differentiable=(0, 2), label="put_along_axis"),
]  # fmt: skip
