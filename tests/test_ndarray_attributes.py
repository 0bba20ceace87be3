"""Every public name of ndarray is one of tensors too, or is left out for a reason stated here."""

from __future__ import annotations

import pickle
import sys
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._errors import DetachError, GradientError

SHAPES_ARE_DEPRECATED = np.lib.NumpyVersion(np.__version__) >= "2.5.0"

LEFT_OUT = {
    "__array_finalize__": "for subclasses of ndarray",
    "__array_interface__": "NumPy would read the memory without asking: a gradient would be lost",
    "__array_struct__": "the same",
    "__array_wrap__": "for subclasses of ndarray; tensors answer by __array_ufunc__",
    "__buffer__": "a memoryview would take the memory without asking",
    "__setstate__": "pickles are made anew from values, by __reduce__",
}
if np.lib.NumpyVersion(np.__version__) < "2.4.0":
    LEFT_OUT |= {
        "itemset": "only says that NumPy 2.0 removed it",
        "newbyteorder": "the same",
        "ptp": "the same",
    }
if np.lib.NumpyVersion(np.__version__) < "2.3.0":
    LEFT_OUT["tostring"] = "deprecated since NumPy 1.19, removed in 2.3: tobytes"


def test_every_name_of_ndarray_is_there_or_left_out_for_a_reason() -> None:
    names = [n for n in dir(np.ndarray) if n.startswith("__") or not n.startswith("_")]
    missing = {name for name in names if not hasattr(ag.Tensor, name)}
    assert missing <= set(LEFT_OUT), missing - set(LEFT_OUT)


ATTRIBUTES = [
    "T", "dtype", "flags", "itemsize", "mT", "nbytes", "ndim", "shape", "size", "strides", "real",
    "imag",
]  # fmt: skip


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_have_numpys_values(name: str) -> None:
    array = np.arange(6, dtype="c8").reshape(2, 3)
    found, wanted = getattr(ag.tensor(array), name), getattr(array, name)
    if name == "flags":
        assert found.c_contiguous == wanted.c_contiguous
        assert found.writeable == wanted.writeable
    else:
        assert np.array_equal(found, wanted)


# -- whose memory it is ---------------------------------------------------------------------------


def test_base_is_the_tensor_that_a_view_looks_at() -> None:
    x = ag.tensor(np.arange(12.0).reshape(3, 4))
    part = x[1:]
    for view in (part, part[:, ::2], x.T, x[:], x.reshape(-1), x.view(), x.detach()):
        assert view.base is x
    for own in (x, x + 1, x[[0, 1]], x.copy(), x.sum(), x.reshape(-1).copy()):
        assert own.base is None


def test_base_comes_back_when_nobody_holds_it() -> None:
    leaf = ag.tensor(np.arange(4.0), requires_grad=True)
    view = (leaf * 2)[1:]
    base = view.base
    np.testing.assert_array_equal(base.detach(), [0, 2, 4, 6])
    base[1] = 7 * leaf[0]
    assert view[0] == 0
    assert view.base.shape == (4,)
    view.sum().backward()
    np.testing.assert_array_equal(leaf.grad, [7, 0, 2, 2])


def test_items_cannot_be_deleted() -> None:
    x = ag.tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"np\.delete"):
        del x[0]


def test_types_can_be_written_in_annotations() -> None:
    alias = ag.Tensor[tuple[int, int], np.dtype[np.float64]]
    assert isinstance(alias, types.GenericAlias)
    assert alias.__origin__ is ag.Tensor
    with pytest.raises(TypeError, match="Too many"):
        ag.Tensor[1, 2, 3]


def test_flags_can_be_set() -> None:
    x = ag.tensor([1.0])
    x.setflags(write=False, align=True, uic=False)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 2
    x.setflags(write=True)
    x[0] = 2
    with pytest.raises(ValueError, match="setflags"):
        x.setflags(uic=True)
    with pytest.raises(ValueError, match="setflags"):
        ag.asarray(np.frombuffer(b"12345678")).setflags(write=True)


# -- bytes ----------------------------------------------------------------------------------------


def test_bytes_are_swapped_as_in_numpy() -> None:
    array = np.array([1, 256], "i2")
    x = ag.tensor(array)
    np.testing.assert_array_equal(x.byteswap(), array.byteswap())
    np.testing.assert_array_equal(x, array)
    assert x.byteswap(inplace=True) is x
    np.testing.assert_array_equal(x, array.byteswap())


def test_fields_are_views() -> None:
    array = np.array([1, 2])
    x = ag.tensor(array)
    low = x.getfield("i4", 0)
    np.testing.assert_array_equal(low, array.getfield("i4", 0))
    low[0] = 9
    assert x[0] == 9
    x.setfield(7, "i4", 4)
    array[0] = 9
    array.setfield(7, "i4", 4)
    np.testing.assert_array_equal(x, array)
    with pytest.raises(ValueError, match="getfield"):
        x.getfield("i8", 4)


def test_parts_of_complex_numbers_are_fields_with_a_gradient() -> None:
    leaf = ag.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    x = leaf * 1
    (x.getfield("f8", 8) * ag.tensor([2.0, 3.0])).sum().backward()
    np.testing.assert_array_equal(leaf.grad, [2j, 3j])
    x.setfield(0.0, "f8", 0)
    np.testing.assert_array_equal(x.detach(), [2j, 4j])


def test_dtype_shape_and_strides_are_set_as_views() -> None:
    array = np.array([1, 2], "i4")
    x = ag.tensor(array)
    memory = x.data_ptr()
    x.dtype = "i2"
    np.testing.assert_array_equal(x, array.view("i2"))
    x.shape = (2, 2)
    x.strides = (2, 4)
    np.testing.assert_array_equal(x, array.view("i2").reshape(2, 2).T)
    x[0, 1] = 5
    assert x.data_ptr() == memory
    assert x.base is not None
    with pytest.raises(ValueError, match="memory"):
        x.strides = (64, 64)
    with pytest.raises(TypeError, match="view"):
        x.dtype = "c16"


def test_addresses_are_told() -> None:
    x = ag.tensor(np.arange(3.0))
    assert x.ctypes.data == x.data_ptr()
    assert tuple(x.ctypes.strides) == x.strides


def test_files_hold_what_numpys_hold(tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3).T
    x = ag.tensor(array)
    for sep in ("", " "):
        x.tofile(tmp_path / "ours", sep=sep)
        array.tofile(tmp_path / "numpys", sep=sep)
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "numpys").read_bytes()
    x.dump(tmp_path / "pickle")
    with open(tmp_path / "open", "wb") as stream:
        x.dump(stream)
    for name in ("pickle", "open"):
        back = pickle.loads((tmp_path / name).read_bytes())
        assert isinstance(back, ag.Tensor)
        np.testing.assert_array_equal(back, array)


REFUSED: dict[str, Any] = {
    "bytes of floats": lambda x: x.getfield("f4"),
    "bytes written": lambda x: x.setfield(1, "i4"),
    "byteswap": lambda x: x.byteswap(),
    "byteswap in place": lambda x: x.byteswap(inplace=True),
    "ctypes": lambda x: x.ctypes,
    "tofile": lambda x: x.tofile("nowhere/at all"),
    "dump": lambda x: x.dump("nowhere/at all"),
    "dumps": lambda x: x.dumps(),
    "dtype": lambda x: setattr(x, "dtype", "i8"),
    "strides": lambda x: setattr(x, "strides", (8,)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_lose_a_gradient_is_refused(case: str) -> None:
    x = 2 * ag.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises((GradientError, DetachError), match=r"x\.detach\(\)"):
        REFUSED[case](x)
    x.sum().backward()


# -- methods with more arguments ------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choose_takes_gradients_to_the_choices(mode: str) -> None:
    indices = np.array([0, 1, 1] if mode == "raise" else [0, 5, -1])
    choices = [np.arange(3.0), 10 * np.ones(3)]
    one, other = (ag.tensor(c, requires_grad=True) for c in choices)
    out = ag.tensor(indices).choose([one, other], mode=mode)
    wanted = indices.choose(choices, mode=mode)
    np.testing.assert_array_equal(out.detach(), wanted)
    out.sum().backward()
    np.testing.assert_array_equal(one.grad + other.grad, [1, 1, 1])
    result = ag.zeros(3)
    assert ag.tensor(indices).choose(choices, out=result, mode=mode) is result
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("name", ["var", "std"])
def test_spread_about_a_mean_that_is_given(name: str) -> None:
    array = np.arange(6.0).reshape(2, 3) ** 2
    mean = array.mean(axis=1, keepdims=True)
    found = getattr(ag.tensor(array), name)(axis=1, mean=ag.tensor(mean), ddof=1)
    np.testing.assert_allclose(found, getattr(np, name)(array, axis=1, mean=mean, ddof=1))
    leaf = ag.tensor(array, requires_grad=True)
    getattr(leaf, name)(mean=0.0).backward()
    assert np.isfinite(leaf.grad).all()


FLAT_KEYS = [
    0, -1, 3, slice(None), slice(1, None, 2), slice(None, None, -1), [0, 1], np.array([0, -1]),
    Ellipsis, np.int64(1), [], 99,
]  # fmt: skip


@pytest.mark.parametrize("shape", [(4,), (2, 3), (0,), (), (2, 1, 3)], ids=str)
def test_flat_is_read_and_written_as_numpys(shape: tuple[int, ...]) -> None:
    def read(x: Any, key: Any) -> Any:
        return np.asarray(x.flat[key]).tolist()

    def write(x: Any, key: Any) -> Any:
        x.flat[key] = 7
        return np.asarray(x).tolist()

    def result(call: Any, x: Any, key: Any) -> Any:
        try:
            return call(x, key)
        except IndexError:
            return "out of range"

    array = np.arange(int(np.prod(shape)), dtype=float).reshape(shape)
    for key in FLAT_KEYS:
        for call in (read, write):
            wanted = result(call, array.copy(), key)
            assert result(call, ag.tensor(array), key) == wanted, (key, call)


OPTIONS: list[dict[str, Any]] = [
    {}, {"precision": 3}, {"suppress": True}, {"threshold": 3}, {"linewidth": 30}, {"sign": "+"},
    {"floatmode": "fixed"}, {"nanstr": "NAN", "infstr": "INF"}, {"edgeitems": 1, "threshold": 2},
    {"formatter": {"float": "F{}".format}}, {"legacy": "1.25"},
]  # fmt: skip
SPECS = ["", ".3f", "e", "g", "+.2f", "d", "x", ">10", "010.3f", ",", "%", "s"]


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "i4", "i8", "u1", "u8", "?"]
)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "none")
def test_texts_are_numpys_under_its_print_options(dtype: str, options: dict[str, Any]) -> None:
    values = [
        [0, 1, 0.5, 1e10, -3], [np.nan, np.inf, -np.inf, 1e-300], 1.25, np.zeros((0, 3)), [],
        np.arange(12).reshape(3, 4) / 7, [[1e-8, 1e8]], np.arange(2000.0),
    ]  # fmt: skip
    for value in values:
        with np.errstate(all="ignore"):
            array = np.array(value).astype(dtype)
        x = ag.tensor(array)
        with np.printoptions(**options):
            assert str(x) == str(array if array.ndim else array[()])
            assert np.array2string(x) == np.array2string(array)
            body = np.array2string(array, separator=", ", prefix="tensor(", suffix=")")
            assert repr(x).startswith(f"tensor({body}")
            for spec in SPECS if not array.ndim else []:
                try:
                    wanted = format(array[()], spec)
                except ValueError:
                    with pytest.raises(ValueError, match="format"):
                        format(x, spec)
                    continue
                assert format(x, spec) == wanted


# -- flags, shapes and flat elements that others have too ------------------------------------------


def test_flags_and_shapes_set_on_one_array_are_not_set_on_others() -> None:
    given = np.ones((2, 3))
    x = ag.asarray(given)
    y = x.detach()
    y.setflags(write=False)
    assert x.flags.writeable
    assert given.flags.writeable
    x.setflags(write=False)
    assert given.flags.writeable
    x.setflags(write=True)
    x[0] = 2
    deprecated = pytest.warns(DeprecationWarning, match="shape")
    with deprecated if SHAPES_ARE_DEPRECATED else nullcontext():
        given.shape = (6,)
    assert x.shape == (2, 3)


def test_views_keep_their_memory_when_flags_are_confirmed() -> None:
    """NumPy takes the base, and its memory, from a view for uic=False."""
    x = ag.ones(1000)[1:]
    x.setflags(uic=False)
    assert x._array.base is not None


def test_scalars_have_no_shape_to_set() -> None:
    x = ag.tensor([1.0, 2.0]).sum()
    x.shape = ()
    with pytest.raises(ag.errors.ShapeError, match="scalar"):
        x.shape = (1,)
    assert x.shape == ()
    assert x + 1 == 4.0


def test_strides_that_are_none_are_refused() -> None:
    with pytest.raises(ag.errors.ArgumentTypeError, match="strides"):
        ag.ones(3).strides = None


FLAT_ERRORS = [
    (100, 1.0, IndexError), ([7], 1.0, IndexError), ("a", 1.0, IndexError), (1.5, 1.0, IndexError),
    ((0, 0), 1.0, IndexError), (0, [], ValueError), (0, [1.0, 2.0], ValueError),
]  # fmt: skip


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize(("key", "value", "error"), FLAT_ERRORS)
def test_flat_elements_that_cannot_be_written(
    shape: tuple[int, ...], key: Any, value: Any, error: type[Exception]
) -> None:
    x = ag.zeros(shape)
    with pytest.raises(error) as caught:
        x.flat[key] = value
    assert isinstance(caught.value, ag.errors.ArraygradError)
    assert not x.any()


@pytest.mark.parametrize("key", [slice(None), [0], ...])
def test_no_values_write_no_flat_elements(key: Any) -> None:
    x = ag.zeros(3)
    x.flat[key] = []
    assert not x.any()


def test_arrays_are_taken_while_another_thread_imports_masked_arrays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numpy.ma", types.ModuleType("numpy.ma"))
    assert ag.asarray(np.ones(3)).sum() == 3.0


WRITERS = {
    "fill": lambda x, value: x.fill(value),
    "setfield": lambda x, value: x.setfield(value, x.dtype),
    "x.real": lambda x, value: setattr(x, "real", value),
    "x.flat": lambda x, value: setattr(x, "flat", value),
    "x.put": lambda x, value: x.put([0], value),
    "np.put": lambda x, value: np.put(x, [0], value),
    "np.putmask": lambda x, value: np.putmask(x, [[True, False]], value),
    "np.copyto": lambda x, value: np.copyto(x, value),
    "np.fill_diagonal": lambda x, value: np.fill_diagonal(x, value),
    "np.put_along_axis": lambda x, value: np.put_along_axis(x, np.array([[0]]), value, 1),
}


@pytest.mark.parametrize(
    ("dtype", "value"), [("uint8", -1), ("uint8", 300), ("int64", 1 << 70), ("float32", 10**400)]
)
@pytest.mark.parametrize("writer", WRITERS)
def test_integers_that_do_not_fit_are_not_written(writer: str, dtype: str, value: int) -> None:
    x = ag.ones((1, 2), dtype=dtype)
    with pytest.raises(OverflowError) as caught:
        WRITERS[writer](x, value)
    assert isinstance(caught.value, ag.errors.ArraygradError)
    assert (x == 1).all()
