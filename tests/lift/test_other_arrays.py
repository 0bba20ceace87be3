"""Matrices, masked arrays, records, times, objects in lifted code: gradients, or what to type."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


class Derived(np.ndarray):
    pass


DERIVED = np.ones(3).view(Derived)
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]]).view(np.matrix)
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
RECORDS = np.rec.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)])
TIMES = np.array([1, 2, 3], "m8[s]")
DATES = np.array(["2020-01-01", "2020-01-03", "2020-01-04"], "M8[D]")
AT = np.array([1.0, -2.0, 3.0])


def objects(x: Any) -> Any:
    """An array of objects with tensors in it."""
    out = np.empty(2, dtype=object)
    out[0], out[1] = x[0] * x[1], x[2]
    return out


GRADIENTS: dict[str, Callable[[Any], Any]] = {
    "matrix as array": lambda x: np.sum(np.asarray(MATRIX) @ x[:2]),
    "derived": lambda x: np.sum(DERIVED * x) + np.dot(DERIVED, x),
    "record's field": lambda x: np.sum(RECORDS.b * x[0]),
    "times as numbers": lambda x: np.sum(TIMES / np.timedelta64(1, "s") * x),
    "times as floats": lambda x: np.sum(TIMES.astype(float) * x),
    "dates as numbers": lambda x: np.sum((DATES - DATES.min()) / np.timedelta64(1, "s") * x),
    "objects": lambda x: objects(x).sum() + objects(x).max() + float(objects(x)[1]),
    "objects, list": lambda x: np.sum(np.array(objects(x).tolist()) * x[:2]),
    "objects, array": lambda x: np.sum(np.array(objects(x), dtype=float) ** 2),
    "objects, asarray": lambda x: np.sum(np.asarray(objects(x), float) * x[:2]),
    "objects, asarray of float32": lambda x: np.sum(
        np.asarray(objects(np.asarray(x)).reshape(1, 2), np.float32)
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    f = GRADIENTS[name]
    step = 1e-2 if "float32" in name else 1e-6
    sides = [(float(f(AT + d)) - float(f(AT - d))) / (2 * step) for d in step * np.eye(3)]
    np.testing.assert_allclose(ag.grad(f)(AT), sides, rtol=1e-4, atol=1e-4)


def test_arrays_of_objects_stay_what_they_are() -> None:
    def f(x: Any) -> Any:
        held = objects(x)
        assert np.asarray(held, object) is held
        assert np.asarray(held) is held
        return held[1]

    assert ag.grad(f)(AT).tolist() == [0.0, 0.0, 1.0]


NO_MATRICES = "matrices hold no tensors: use two-dimensional arrays and @"
NO_RECORDS = "records hold no tensors: keep an array for each field, in a dict"
REFUSED: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "matrix": (lambda x: np.matrix([[x[0]]]), "in np.matrix would", NO_MATRICES),
    "asmatrix": (lambda x: np.asmatrix(x), "np.asmatrix", NO_MATRICES),
    "bmat": (lambda x: np.bmat([[x, x]]), "np.bmat", NO_MATRICES),
    "product": (lambda x: MATRIX * x[0], "an np.matrix has", "convert it first, np.asarray(x)"),
    "masked": (lambda x: np.ma.array(x), "in np.ma.array would", "use np.where(mask, ...)"),
    "masked by condition": (
        lambda x: np.ma.masked_where(x > 0, x), "in np.ma.masked_where would", "use np.where(mask",
    ),
    "masked, product": (lambda x: MASKED * x, "in np.ma.MaskedArray", "use np.where(mask, ...)"),
    "records": (lambda x: np.rec.fromarrays([x]), "in np.rec.fromarrays would", NO_RECORDS),
    "view": (lambda x: x.view(Derived), "a view as Derived", "use x.detach()"),
    "times": (lambda x: TIMES * x, "hold dtype timedelta64[s]", "x / np.timedelta64(1, 's')"),
    "times, scalar": (
        lambda x: x[0] * np.timedelta64(2, "s"), "timedelta64[s]", "x / np.timedelta64(1, 's')",
    ),
    "dates": (lambda x: DATES + x, "datetime64[D]", "(x - x.min()) / np.timedelta64(1, 's')"),
    "written time": (
        lambda x: TIMES.copy().__setitem__(0, x[0]), "Could not convert object to NumPy timedelta",
        "tensors while a gradient is taken",
    ),
    "objects": (lambda x: objects(x) * x[0], "cannot hold dtype object", "np.array(x.tolist())"),
    "objects, cast": (
        lambda x: objects(x).astype(float), "float() in astype() would", "np.array(a.tolist())",
    ),
    "objects, mean": (lambda x: np.mean(objects(x)), "in np.mean would", "use x.detach()"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_class_and_say_what_to_type(name: str) -> None:
    """Some named modules inside of NumPy, or advised what would be refused next."""
    f, what, instead = REFUSED[name]
    with pytest.raises((ag.errors.ArraygradError, ValueError)) as caught:
        ag.grad(lambda x: f(x))(AT)
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert re.search(re.escape(what), said)
    assert re.search(re.escape(instead), said)
