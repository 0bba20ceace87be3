"""Errors of NumPy's own code, run on tensors, are of our classes; those of the user's are not."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import errors

CALLS: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "insert of what does not fit": (
        lambda x: np.insert(x.astype("uint8"), 0, 300), errors.IntegerOverflowError),
    "insert of text": (lambda x: np.insert(x, 0, "a"), errors.ArgumentError),
    "insert of nothing": (lambda x: np.insert(x.astype(int), 0, None), errors.ArgumentTypeError),
    "insert out of range": (lambda x: np.insert(x, 99, 1.0), errors.IndexOutOfRangeError),
    "insert along no axis": (lambda x: np.insert(x, 0, 1.0, axis=5), errors.AxisError),
    "delete out of range": (lambda x: np.delete(x, 99), errors.IndexOutOfRangeError),
    "pad with text": (lambda x: np.pad(x, "a"), errors.ArgumentTypeError),
    "pad by an unknown mode": (lambda x: np.pad(x, 1, mode="no"), errors.ArgumentError),
    "pad by less than nothing": (lambda x: np.pad(x, -1), errors.ArgumentError),
    "a ufunc at ragged places": (
        lambda x: np.add.at(x, [0, 1], [[1, 2], [3]]), errors.ArgumentError),
    "a ufunc at text": (lambda x: np.add.at(x, 0, "a"), errors.DTypeError),
    "a singular matrix": (lambda x: np.linalg.inv(x[:2, None] * x[:2]), errors.LinAlgError),
    "a split of sizes": (lambda x: np.split(x, 2), errors.ArgumentError),
    "an unknown option": (lambda x: np.interp(x, [0.0, 1.0], [0.0]), errors.ArgumentError),
}  # fmt: skip


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("case", CALLS)
def test_numpys_errors_are_of_our_classes(case: str, tracked: bool) -> None:
    call, kind = CALLS[case]
    x = ag.tensor([1.0, 2.0, 3.0], requires_grad=tracked)
    x = x * 1.0
    usual = kind.__mro__[2]
    with pytest.raises(usual) as caught:
        call(x)
    assert isinstance(caught.value, errors.ArraygradError), repr(caught.value)
    assert x.tolist() == [1, 2, 3] if not tracked else True


def _raising(kind: type[Exception]) -> Callable[..., Any]:
    def function(*args: Any) -> Any:
        raise kind("of the user")

    return function


class Odd(ValueError):
    """An error of the user's own."""


@pytest.mark.parametrize("kind", [ValueError, TypeError, IndexError, Odd])
@pytest.mark.parametrize("call", [
    lambda f, x: np.apply_along_axis(f, 0, x),
    lambda f, x: np.apply_over_axes(f, x, [0]),
    lambda f, x: np.piecewise(x, [x > 0], [f]),
    lambda f, x: np.pad(x, 1, mode=f),
])  # fmt: skip
@pytest.mark.parametrize("tracked", [False, True])
def test_errors_of_functions_that_numpy_calls_stay_the_users(
    kind: type[Exception], call: Any, tracked: bool
) -> None:
    with pytest.raises(kind, match="of the user") as caught:
        call(_raising(kind), ag.tensor([1.0, 2.0], requires_grad=tracked))
    assert type(caught.value) is kind


def test_lifted_code_gets_them_too() -> None:
    @ag.lift
    def program(x: Any) -> Any:
        try:
            return np.insert(x, 99, 1.0)
        except IndexError as error:
            return error

    assert isinstance(program(ag.ones(3)), errors.IndexOutOfRangeError)
    assert isinstance(program(np.ones(3)), IndexError)


WARN: dict[str, Any] = {
    "cov": lambda x: np.cov(x, ddof=5),
    "polyfit": lambda x: np.polyfit(np.arange(2.0), x[:, 0], 3),
    "nanmean": lambda x: np.nanmean(x[:0]),
    "nanmax": lambda x: np.nanmax(x * np.nan),
    "nanvar": lambda x: np.nanvar(x[:1, :1], ddof=1),
    "var": lambda x: np.var(x[:0]),
}
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # which takes vectors in three dimensions only
    WARN["cross"] = lambda x: np.cross(x[:, :2], x[:, :2])


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("lifted", [False, True])
@pytest.mark.parametrize("name", WARN)
def test_numpys_warnings_point_at_the_users_line(name: str, lifted: bool, tracked: bool) -> None:
    f = ag.lift(WARN[name]) if lifted else WARN[name]
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=tracked)
    with warnings.catch_warnings(record=True) as plain, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        WARN[name](x.detach().numpy())
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        f(x)
    assert {(w.category, str(w.message)) for w in caught} == {
        (w.category, str(w.message)) for w in plain
    }
    assert {w.filename for w in caught} <= {__file__}
