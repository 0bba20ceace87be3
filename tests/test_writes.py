"""What may be written into a tensor: as NumPy has it, by every writer. A refusal changes nothing.

NumPy itself is asked. Beyond it we refuse NaN and infinity in arrays of floats for integers, and
imaginary parts for real numbers, which NumPy drops with a warning.
"""

import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

MASK = np.array([True, True])

WRITERS: dict[str, Callable[[Any, Any], Any]] = {
    "x[...]": lambda x, value: operator.setitem(x, ..., value),
    "x[:2]": lambda x, value: operator.setitem(x, slice(2), value),
    "x[[0, 1]]": lambda x, value: operator.setitem(x, [0, 1], value),
    "x[mask]": lambda x, value: operator.setitem(x, MASK, value),
    "x.flat[...]": lambda x, value: operator.setitem(x.flat, ..., value),
    "x.flat[[0, 1]]": lambda x, value: operator.setitem(x.flat, [0, 1], value),
    "x.flat": lambda x, value: setattr(x, "flat", value),
    "x.put": lambda x, value: x.put([0, 1], value),
    "x.setfield": lambda x, value: x.setfield(value, x.dtype),
    "np.put": lambda x, value: np.put(x, [0, 1], value),
    "np.putmask": lambda x, value: np.putmask(x, MASK, value),
    "np.place": lambda x, value: np.place(x, MASK, value),
    "np.copyto": lambda x, value: np.copyto(x, value, casting="unsafe"),
    "np.copyto where": lambda x, value: np.copyto(x, value, casting="unsafe", where=[True, False]),
    "np.fill_diagonal": lambda x, value: np.fill_diagonal(x[:1].reshape(1, 1), value),
    "np.put_along_axis": lambda x, value: np.put_along_axis(x, np.array([0, 1]), value, 0),
    "np.insert": lambda x, value: np.insert(x, 0, value),
    "np.insert, many": lambda x, value: np.insert(x, [0, 1], value),
}

VALUES = {
    "300": 300, "-1": -1, "2**70": 2**70, "10**400": 10**400, "300.0": 300.0, "1e10": 1e10,
    "inf": np.inf, "[300, 1]": [300, 1], "(300, 1)": (300, 1), "[300]": [300], "[-1, 2]": [-1, 2],
    "[[300, 1]]": [[300, 1]], "[True, 300]": [True, 300], "[300, 1.5]": [300, 1.5],
    "[300.0, 1.0]": [300.0, 1.0], "[1e10, 1.0]": [1e10, 1.0], "[inf, 1.0]": [np.inf, 1.0],
    "[2**70]": [2**70], "[2**63, -1]": [2**63, -1], "[10**400]": [10**400],
    "range": range(300, 302), "[array]": [np.array(300), 1], "[int64]": [np.int64(300), 1],
    "array": np.array([300, 1]), "0-d array": np.array(300), "int64": np.int64(300),
    "unsigned": np.array([2**63, 1], np.uint64), "1.5": 1.5, "True": True,
    "[1, 0]": [1, 0], "[0.5, 0.25]": [0.5, 0.25], "ragged": [[1, 2], [3]],
    "dict": {"a": 1}, "two rows": [[1, 2], [3, 4]],
}  # fmt: skip


def outcome(write: Callable[[Any, Any], Any], x: Any, value: Any) -> Any:
    """What is in x, and what is returned, or the error."""
    try:
        with np.errstate(all="ignore"):
            returned = write(x, value)
    except (TypeError, ValueError, OverflowError) as error:
        return error
    return np.asarray(x).tolist(), None if returned is None else np.asarray(returned).tolist()


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "bool"])
@pytest.mark.parametrize("writer", WRITERS)
def test_values_are_written_or_refused_as_numpy_does(writer: str, dtype: str) -> None:
    """Integers in lists, and floats, wrapped around in narrower integers."""
    for name, value in VALUES.items():
        if dtype == "bool" and "copyto" in writer and name in ("2**70", "10**400"):
            continue  # are true; NumPy makes a C integer of them
        wanted = outcome(WRITERS[writer], np.ones(2, dtype), value)
        x = ag.ones(2, dtype=dtype)
        found = outcome(WRITERS[writer], x, value)
        if not isinstance(found, Exception):
            assert found == wanted, f"{name}: {found}, NumPy: {wanted!r}"
            continue
        assert isinstance(found, ag.errors.ArraygradError), f"{name}: {found!r}"
        assert x.tolist() == [1, 1], f"{name} was written, and refused"
        strict = any(word in str(found) for word in ("NaN", "64 bits", "dict"))
        assert strict or isinstance(wanted, Exception), f"{name}: {found!r}, NumPy: {wanted}"


@pytest.mark.parametrize("value", [300, -1, 300.0, 1e10, np.inf, 2**70])
@pytest.mark.parametrize("write", [
    lambda x, value: x.fill(value),
    lambda x, value: operator.setitem(x, 0, value),
    lambda x, value: operator.setitem(x.flat, 0, value),
    lambda x, value: operator.setitem(x, ..., [ag.tensor(1), value]),
    lambda x, value: operator.setitem(x, ..., deque([value, 1])),
    lambda x, value: ag.asarray([value, 1], dtype=x.dtype),
    lambda x, value: ag.asarray(value, dtype=x.dtype),
])  # fmt: skip
def test_numbers_that_do_not_fit_are_not_written(write: Any, value: Any) -> None:
    x = ag.ones(2, dtype="uint8")
    with pytest.raises(OverflowError) as caught:
        write(x, value)
    assert isinstance(caught.value, ag.errors.IntegerOverflowError)
    assert x.tolist() == [1, 1]


def test_integers_beyond_64_bits_are_floats_where_those_are_written() -> None:
    x = ag.zeros(2)
    x[...] = [2**70, -(2**64)]
    assert x.tolist() == [2.0**70, -(2.0**64)]
    assert ag.asarray([2**70, 1], dtype="float32").tolist() == [2.0**70, 1.0]
    with pytest.raises(ag.errors.IntegerOverflowError):
        x[...] = [10**400, 1]


@pytest.mark.parametrize("value", [[3.0], [3.0, 4.0], np.array([3.0, 4.0]), ag.tensor([3.0, 4.0])])
def test_fill_takes_one_value(value: Any) -> None:
    x = ag.ones(2)
    with pytest.raises(ag.errors.ShapeError, match="one element"):
        x.fill(value)
    assert x.tolist() == [1, 1]


def test_leading_dimensions_of_size_one_are_dropped() -> None:
    row = np.arange(3.0)[None, None, None]
    x = ag.zeros((2, 3))
    np.copyto(x, row)
    assert x.tolist() == [[0, 1, 2]] * 2
    np.copyto(x, row + 5, where=[True, False, True])
    assert x.tolist() == [[5, 1, 7]] * 2
    t = ag.tensor(row, requires_grad=True)
    np.copyto(x, t * 2)
    x.sum().backward()
    assert t.grad.tolist() == [[[[4, 4, 4]]]]
    with pytest.raises(ag.errors.ShapeError, match="does not broadcast"):
        np.copyto(x, np.zeros((2, 2, 3)))
    with pytest.raises(ag.errors.ShapeError, match="where="):
        np.copyto(x, 1.0, where=np.ones((1, 2, 3), bool))
    with pytest.raises(ag.errors.ArgumentTypeError, match="truth"):
        np.copyto(x, 1.0, where=[1, 0, 1])


@pytest.mark.parametrize("function", [np.putmask, np.place])
def test_masked_writers_take_arrays_without_loss_only(function: Any) -> None:
    """As in NumPy: arrays are cast safely, lists and scalars are converted."""
    x = ag.ones(2, dtype="float32")
    for values in (np.array([1.5, 2.5]), ag.tensor([1.5, 2.5])):
        with pytest.raises(ag.errors.DTypeError, match="float64"):
            function(x, MASK, values)
        with pytest.raises(TypeError):
            function(np.ones(2, "float32"), MASK, np.asarray(values))
    assert x.tolist() == [1, 1]
    function(x, MASK, [1.5, 2.5])
    assert x.tolist() == [1.5, 2.5]
    function(x, MASK, ag.tensor([3.0, 4.0]).sum())
    assert x.tolist() == [7, 7]


# -- x.flat ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "value", "wanted"), [
    (True, 5.0, [5, 1, 1]), (False, 5.0, [1, 1, 1]), ((1,), 5.0, [1, 5, 1]), (-1, 5.0, [1, 1, 5]),
    ([[0, 1]], [5.0, 6.0], [5, 6, 1]), (np.array([True, False, True]), [5.0, 6.0], [5, 1, 6]),
    (slice(None), [5.0, 6.0], [5, 6, 5]), (..., 5.0, [5, 5, 5]),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:Indexing flat iterators:DeprecationWarning")
def test_flat_elements_are_written_as_numpys(key: Any, value: Any, wanted: list[float]) -> None:
    """True was taken for a new axis: all elements were written."""
    array, x = np.ones(3), ag.ones(3)
    array.flat[key] = value
    x.flat[key] = value
    assert x.tolist() == array.tolist() == wanted
    assert np.asarray(x.flat[key]).tolist() == np.asarray(array.flat[key]).tolist()


@pytest.mark.parametrize("key", [None, np.True_, [True, False, True], (1, 2), 3, [5], "a"])
def test_what_is_no_flat_index_is_refused(key: Any) -> None:
    array, x = np.ones(3), ag.ones(3)
    as_numbers = isinstance(key, list) and True in key  # what NumPy before 2.4 took them for
    for target in (x,) if as_numbers else (array, x):
        with pytest.raises(IndexError):
            target.flat[key] = 5.0
        # NumPy 2.3 alone has another error for this, and only where it reads.
        of_2_3 = target is array and key is np.True_ and np.__version__.startswith("2.3.")
        with pytest.raises(ValueError if of_2_3 else IndexError):
            target.flat[key]
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("value", [[5.0], [5.0, 6.0], [], np.array([5.0, 6.0])])
def test_one_flat_element_takes_one_number(value: Any) -> None:
    x = ag.ones(3)
    with pytest.raises(ag.errors.ShapeError):
        x.flat[0] = value
    assert x.tolist() == [1, 1, 1]


# -- flags -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("set_flag", [
    lambda x: setattr(x.flags, "writeable", False),
    lambda x: operator.setitem(x.flags, "WRITEABLE", False),
    lambda x: operator.setitem(x.flags, "W", False),
    lambda x: x.setflags(write=False),
])  # fmt: skip
def test_flags_are_those_of_one_tensor(set_flag: Any) -> None:
    """Setting them through x.flags froze detached tensors and what graphs keep."""
    x = ag.ones(3)
    twin, view = x.detach(), x[:]
    set_flag(x)
    assert not x.flags.writeable
    assert not x.flags["WRITEABLE"]
    assert twin.flags.writeable
    assert view.flags.writeable
    twin[0] = view[1] = 5.0
    with pytest.raises(ag.errors.ReadOnlyError):
        x[0] = 7.0
    assert x.tolist() == [5, 5, 1]
    x.flags.writeable = True
    x[2] = 5.0
    assert view.tolist() == [5, 5, 5]


def test_flags_read_as_numpys() -> None:
    array = np.ones((2, 3)).T
    x = ag.tensor(np.ones((2, 3))).T
    for name in ("c_contiguous", "f_contiguous", "fnc", "forc", "behaved", "aligned", "writeable"):
        assert getattr(x.flags, name) == getattr(array.flags, name)
    assert x.flags["F"]
    assert repr(x.flags) == repr(array.flags)
    assert x.flags == array.flags
    assert x.flags != np.ones((2, 3)).flags
    with pytest.raises(AttributeError):
        x.flags.c_contiguous = True
    with pytest.raises(AttributeError):
        x.flags.nothing
    with pytest.raises(KeyError):
        x.flags["NOTHING"] = True
