"""Checks of types and conversions in lifted code, and classes that hold no tensors."""

import array
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest

import arraygrad as ag

# -- types and built-ins -------------------------------------------------------------------------


def test_type_checks_of_arrays_and_scalars():
    seen = {}

    def f(x):
        v = x[0]
        seen.update(
            array=isinstance(x, np.ndarray),
            scalar=isinstance(v, float) and isinstance(v, np.floating) and not isinstance(v, int),
            types=type(v) is np.float64 and type(x) is np.ndarray and float is float,
            sequence=not isinstance(x, (list, tuple)) and not hasattr(v, "__len__"),
            tensor=isinstance(x, ag.Tensor),
            dtype=x.dtype == np.float64 and x.dtype == float and np.dtype(float) == x.dtype,
            sub=issubclass(np.float64, np.floating) and np.issubdtype(np.float64, np.inexact),
            union=isinstance(v, int | float) and isinstance(3, (int, float)),
            plain=not isinstance(3, float) and isinstance(3.0, float) and float("1.5") == 1.5,
        )
        return v

    ag.grad(f)(np.array([1.0, 2.0]))
    assert all(seen.values()), seen


def test_float_and_complex_of_tensors():
    assert ag.grad(lambda x: float(x) * float(2))(3.0) == 2.0
    assert ag.grad(lambda x: (complex(x, 2 * x) ** 2).imag)(3.0) == pytest.approx(24.0)
    assert ag.grad(lambda x: np.float64(x) * np.float64("2"))(3.0) == 2.0


def test_domain_errors_of_math_are_raised_as_for_floats():
    def f(x):
        import math

        try:
            return math.log(x - 5)
        except ValueError:
            return math.exp(x)

    assert ag.grad(f)(0.0) == 1.0


def test_lost_gradient_is_refused_with_the_line():
    def f(x):
        return array.array("d", [x])[0] * 2.0  # compiled code, which takes Python floats

    with pytest.raises(TypeError, match="gradient") as caught:
        ag.grad(f)(1.0)
    assert 'array.array("d", [x])' in "".join(caught.value.__notes__)


# -- what holds no tensors -----------------------------------------------------------------------


class Calibration(np.ndarray):
    def __new__(cls, values):
        values = np.asarray(values, float)
        return super().__new__(cls, values.shape, float, np.array(values))

    def total(self):
        return np.sqrt((self**2).sum())


class Buffered(np.ndarray):
    def __new__(cls, values):
        return super().__new__(cls, values.shape, float, values)


CALIBRATION = Calibration([1.0, 2.0, 2.0])


def test_constants_of_classes_derived_from_ndarray():
    def f(x):
        return (CALIBRATION * x).sum() * CALIBRATION.total() + np.arange(3.0).view(
            Calibration
        ).total() * x[0]

    expected = 3.0 * np.asarray(CALIBRATION) + [np.sqrt(5.0), 0.0, 0.0]
    np.testing.assert_allclose(ag.grad(f)(np.ones(3)), expected)
    assert type(CALIBRATION) is Calibration


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.view(Calibration).total(),
        lambda x: Calibration(x).total(),
        lambda x: Buffered(x).sum(),
        lambda x: x[0] * int(Decimal(x[1])),
        lambda x: float(Fraction(x[0])),
    ],
)
def test_classes_that_hold_no_tensors_are_refused(f):
    with pytest.raises(ag.errors.DetachError, match="would lose the gradient"):
        ag.grad(f)(np.ones(3))


def test_decimals_of_plain_numbers():
    def f(x):
        places = Decimal("2.5").quantize(Decimal(1), rounding=ROUND_HALF_UP)
        return x * int(places) * float(Fraction(1, 3)) if isinstance(places, Decimal) else x

    assert ag.grad(f)(2.0) == pytest.approx(1.0)


def test_errors_of_code_that_needs_numpys_memory_are_explained():
    with pytest.raises(TypeError) as caught:
        ag.grad(lambda x: np.sum(array.array("d", x)))(np.ones(3))
    assert "array.array" in caught.value.__notes__[0]


class Missing:
    """Stands for a package that is not there: each use of it raises."""

    def __getattribute__(self, name):
        if name == "__class__":
            return super().__getattribute__(name)
        raise ImportError("not installed")


missing = Missing()


def test_objects_are_looked_at_without_their_own_getattribute():
    holder = [missing]

    def f(x):
        return x * x if holder and missing is not None else x

    assert ag.grad(f)(3.0) == 6.0
