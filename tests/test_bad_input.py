"""Bad input gets a clear error of our own class, before anything has changed."""

import sys

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import errors
from tests import fresh_process


def matrix():
    return ag.tensor(np.arange(6.0).reshape(2, 3))


def integers():
    return ag.tensor([1, 2, 3])


def booleans():
    return ag.tensor([True, False, True])


def read_only():
    x = matrix()
    x.setflags(write=False)
    return x


# (what is done, to which tensor, our class, the usual class, what the message says)
CASES = {
    # dtypes
    "bitwise on floats": (lambda x: x & x, matrix, errors.DTypeError, TypeError, "bitwise_and"),
    "invert a float": (lambda x: ~x, matrix, errors.DTypeError, TypeError, "bitwise_invert"),
    "in-place float into int": (
        lambda x: x.__iadd__(0.5), integers, errors.DTypeError, TypeError, "astype"),
    "in-place complex into float": (
        lambda x: x.__imul__(1j), matrix, errors.DTypeError, TypeError, "complex128"),
    "true division in place of ints": (
        lambda x: x.__itruediv__(2), integers, errors.DTypeError, TypeError, "float64"),
    "negative powers of integers in place": (
        lambda x: x.__ipow__(-1), integers, errors.ArgumentError, ValueError, "floating-point"),
    "negative powers of some integers in place": (
        lambda x: x.__ipow__(ag.tensor([2, 2, -1])), integers, errors.ArgumentError, ValueError,
        "floating-point"),
    "remainder of booleans in place": (
        lambda x: x.__imod__(True), booleans, errors.DTypeError, TypeError, "int8"),
    "floor division of booleans in place": (
        lambda x: x.__ifloordiv__(True), booleans, errors.DTypeError, TypeError, "int8"),
    "power of booleans in place": (
        lambda x: x.__ipow__(True), booleans, errors.DTypeError, TypeError, "int8"),
    "shift of booleans in place": (
        lambda x: x.__ilshift__(True), booleans, errors.DTypeError, TypeError, "int8"),
    "unknown dtype name": (
        lambda x: ag.zeros(2, dtype="floaty"), matrix, errors.DTypeError, TypeError, "floaty"),
    "object dtype": (
        lambda x: ag.asarray(np.array([object()])), matrix, errors.DTypeError, TypeError, "object"),
    "string dtype": (lambda x: ag.asarray(["a"]), matrix, errors.DTypeError, TypeError, "dtype"),
    "complex into real by assignment": (
        lambda x: x.__setitem__(0, 1j), matrix, errors.ArgumentTypeError, TypeError, "real"),
    "float of complex": (
        lambda x: float(ag.tensor(1j)), matrix, errors.DTypeError, TypeError, "real"),
    "NaN to int": (
        lambda x: ag.tensor([1.0, np.nan], dtype=int), matrix, errors.ArraygradError, ValueError,
        "NaN|nan"),
    "NaN of a list into int": (
        lambda x: x.__setitem__(slice(2), [np.nan, 1]), integers, errors.ArgumentError, ValueError,
        "NaN.*int64"),
    "infinity of a tensor into int": (
        lambda x: x.__setitem__(slice(None), ag.asarray([1, np.inf, 2])), integers,
        errors.ArgumentError, ValueError, "NaN.*int64"),
    "NaN into int by an index array": (
        lambda x: x.__setitem__([0], [np.nan]), integers, errors.ArgumentError, ValueError,
        "NaN.*int64"),
    "NaN into int by a mask": (
        lambda x: x.__setitem__(x > 1, np.array([1.0, np.nan])), integers, errors.ArgumentError,
        ValueError, "NaN.*int64"),
    "NaN scalar of NumPy into int": (
        lambda x: x.__setitem__(0, np.float64("nan")), integers, errors.ArgumentError, ValueError,
        "NaN.*int64"),
    "NaN into a flat int": (
        lambda x: x.flat.__setitem__(slice(2), [1.0, np.nan]), integers, errors.ArgumentError,
        ValueError, "NaN.*int64"),
    "fill int with NaN": (
        lambda x: x.fill(np.nan), integers, errors.ArgumentError, ValueError, "NaN.*int64"),
    "put NaN into int": (
        lambda x: x.put([0, 1], [1.0, np.nan]), integers, errors.ArgumentError, ValueError,
        "NaN.*int64"),
    "np.copyto of NaN into int": (
        lambda x: np.copyto(x, [1.0, np.nan, 2.0], casting="unsafe"), integers,
        errors.ArgumentError, ValueError, "NaN.*int64"),
    "np.copyto of NaN into int where": (
        lambda x: np.copyto(x, [1.0, np.nan, 2.0], casting="unsafe", where=[False, True, True]),
        integers, errors.ArgumentError, ValueError, "NaN.*int64"),
    "fill floats with a complex number": (
        lambda x: x.fill(1j), matrix, errors.DTypeError, TypeError, "imaginary"),
    # shapes
    "add shapes that do not broadcast": (
        lambda x: x + ag.ones(4), matrix, errors.ShapeError, ValueError, r"\(2, 3\).*\(4,\)"),
    "matmul of unfit shapes": (
        lambda x: x @ x, matrix, errors.ShapeError, ValueError, r"\(2, 3\)"),
    "reshape to another size": (
        lambda x: x.reshape(4), matrix, errors.ShapeError, ValueError, "6 elements"),
    "two unknown sizes": (
        lambda x: x.reshape(-1, -1), matrix, errors.ShapeError, ValueError, "-1"),
    "view of a transposed tensor": (
        lambda x: x.T.view(6), matrix, errors.ShapeError, ValueError, "reshape"),
    "reshape without copy": (
        lambda x: ag.reshape(x.T, (6,), copy=False), matrix, errors.ShapeError, ValueError, "copy"),
    "assign a value that is too long": (
        lambda x: x.__setitem__(0, [1, 2, 3, 4]), matrix, errors.ShapeError, ValueError, "(4,)"),
    "in-place result that grew": (
        lambda x: x.__iadd__(ag.ones((2, 2, 3))), matrix, errors.ShapeError, ValueError, "shape"),
    "concat of unlike shapes": (
        lambda x: ag.concat((x, x.T)), matrix, errors.ShapeError, ValueError, "concat"),
    "stack of unlike shapes": (
        lambda x: ag.stack((x, x.T)), matrix, errors.ShapeError, ValueError, "stack"),
    "broadcast down": (
        lambda x: ag.broadcast_to(x, (3,)), matrix, errors.ShapeError, ValueError, "broadcast"),
    "squeeze of a long axis": (
        lambda x: ag.squeeze(x, 0), matrix, errors.ArraygradError, ValueError, "squeeze|size"),
    "negative size": (lambda x: ag.zeros(-1), matrix, errors.ShapeError, ValueError, "-1"),
    "ragged list": (
        lambda x: ag.asarray([[1, 2], [3]]), matrix,
        errors.ArraygradError, ValueError, "shape|length|ragged"),
    # axes
    "sum over a missing axis": (
        lambda x: ag.sum(x, axis=2), matrix, errors.AxisError, ValueError, "axis=2"),
    "sum over a missing axis, as IndexError": (
        lambda x: ag.sum(x, axis=-3), matrix, errors.AxisError, IndexError, "-2 to 1"),
    "one axis twice": (
        lambda x: ag.sum(x, axis=(0, 0)), matrix, errors.ArgumentError, ValueError, "twice"),
    "axis that is no integer": (
        lambda x: ag.sum(x, axis=0.5), matrix, errors.ArgumentTypeError, TypeError, "0.5"),
    "sort along a missing axis": (
        lambda x: ag.sort(x, axis=5), matrix, errors.AxisError, ValueError, "5"),
    "permutation that is none": (
        lambda x: ag.permute_dims(x, (0, 0)), matrix,
        errors.ArraygradError, ValueError, "axes|permut"),
    # indices
    "index out of range": (lambda x: x[2], matrix, errors.IndexOutOfRangeError, IndexError, "2"),
    "index array out of range": (
        lambda x: x[[0, 9]], matrix, errors.IndexOutOfRangeError, IndexError, "9"),
    "write out of range": (
        lambda x: x.__setitem__((0, 7), 1.0), matrix, errors.IndexOutOfRangeError, IndexError, "7"),
    "take out of range": (
        lambda x: ag.take(x, ag.tensor([5]), axis=0), matrix,
        errors.IndexOutOfRangeError, IndexError, "5"),
    "too many indices": (
        lambda x: x[0, 0, 0], matrix, errors.IndexOutOfRangeError, IndexError, "too many"),
    "float index": (lambda x: x[0.5], matrix, errors.IndexOutOfRangeError, IndexError, "0.5"),
    "float tensor as index": (
        lambda x: x[ag.tensor([0.0])], matrix, errors.IndexOutOfRangeError, IndexError, "integer"),
    "mask of another shape": (
        lambda x: x[ag.tensor([True, False, True])], matrix,
        errors.IndexOutOfRangeError, IndexError, "mask|boolean"),
    "string index": (lambda x: x["a"], matrix, errors.IndexOutOfRangeError, IndexError, "'a'"),
    # devices
    "unknown device": (
        lambda x: ag.zeros(2, device="gpu7"), matrix, errors.DeviceError, ValueError, "'cpu'"),
    "move to an unknown device": (
        lambda x: x.to_device("gpu7"), matrix, errors.DeviceError, ValueError, "gpu7"),
    # read-only memory
    "write to read-only": (
        lambda x: x.__setitem__(0, 1.0), read_only, errors.ReadOnlyError, ValueError, "copy"),
    "in-place on read-only": (
        lambda x: x.__imul__(2.0), read_only, errors.ReadOnlyError, ValueError, "copy"),
    # Python integers that do not fit
    "large int operand": (
        lambda x: ag.tensor([1], dtype=ag.int8) + 300, matrix,
        errors.IntegerOverflowError, OverflowError, "300"),
    "negative int into uint": (
        lambda x: ag.tensor([1], dtype=ag.uint8) * -1, matrix,
        errors.IntegerOverflowError, OverflowError, "-1"),
    "large int in asarray": (
        lambda x: ag.asarray(2**70), matrix, errors.IntegerOverflowError, OverflowError, "64"),
    # sizes that cannot be
    "more memory than there is": (
        lambda x: ag.zeros((1 << 40, 1 << 20)), matrix,
        errors.OutOfMemoryError, MemoryError, "GiB|size|large"),
    "result larger than memory": (
        lambda x: ag.broadcast_to(x[0, 0], (1 << 45,)) + 1, matrix,
        errors.OutOfMemoryError, MemoryError, "GiB"),
    # other types
    "add None": (
        lambda x: ag.add(x, None), matrix, errors.ArgumentTypeError, TypeError, "NoneType"),
    "add a string": (lambda x: ag.add(x, "1"), matrix, errors.ArgumentTypeError, TypeError, "str"),
    "constructor": (
        lambda x: ag.Tensor([1]), matrix, errors.ArgumentTypeError, TypeError, "ag.tensor"),
    "truth of many": (lambda x: bool(x), matrix, errors.ArgumentError, ValueError, "any"),
    "float of many": (
        lambda x: float(x), matrix, errors.ArgumentTypeError, TypeError, "one element"),
    "len of 0-d": (
        lambda x: len(ag.asarray(1.0)), matrix, errors.ArgumentTypeError, TypeError, "0-d"),
    "iterate 0-d": (
        lambda x: iter(ag.asarray(1.0)), matrix, errors.ArgumentTypeError, TypeError, "0-d"),
    "as_strided out of bounds": (
        lambda x: ag.as_strided(x, (10,), (8,)), matrix,
        errors.ArraygradError, ValueError, "bound|outside|memory"),
    "resize in place": (
        lambda x: x.resize(3), matrix, errors.ArgumentError, ValueError, r"np\.pad"),
    "broadcast to more than can be counted": (
        lambda x: ag.broadcast_to(x[0, 0], (2**62, 4)), matrix, errors.ShapeError, ValueError,
        "4611686018427387904"),
    "broadcast to a size beyond 64 bits": (
        lambda x: ag.broadcast_to(x, (2**64, 2, 3)), matrix, errors.ShapeError, ValueError,
        "18446744073709551616"),
    "strides of more than can be counted": (
        lambda x: ag.as_strided(x, (2**62,), (0,)), matrix, errors.ShapeError, ValueError,
        "4611686018427387904"),
    "a diagonal matrix of more than can be counted": (
        lambda x: np.diag(endless(2**41)), matrix, errors.OutOfMemoryError, MemoryError, "big"),
    # arguments that are no numbers, or none of those that fit
    "item out of range": (
        lambda x: x.item(99), matrix, errors.IndexOutOfRangeError, IndexError, "99.*shape"),
    "item of many": (lambda x: x.item(), matrix, errors.ArgumentError, ValueError, "one index"),
    "item of too many indices": (
        lambda x: x.item(0, 0, 0), matrix, errors.ArgumentError, ValueError, "each dimension"),
    "item by name": (
        lambda x: x.item("a"), matrix, errors.ArgumentTypeError, TypeError, "integers"),
    "stride of no axis": (
        lambda x: x.stride(9), matrix, errors.AxisError, IndexError, "axis=9"),
    "half a sample": (
        lambda x: ag.linspace(0, 1, num=2.5), matrix, errors.ArgumentTypeError, TypeError,
        "linspace: num=2.5"),
    "half a power": (
        lambda x: ag.linalg.matrix_power(ag.ones((2, 2)), 1.5), matrix, errors.ArgumentTypeError,
        TypeError, "matrix_power: n=1.5"),
    "half a shift": (
        lambda x: ag.roll(x, 1.5), matrix, errors.ArgumentTypeError, TypeError, "roll: shift"),
    "half a diagonal": (
        lambda x: ag.tril(x, k=1.5), matrix, errors.ArgumentTypeError, TypeError, "tril: k=1.5"),
    "half a difference": (
        lambda x: ag.diff(x, n=1.5), matrix, errors.ArgumentTypeError, TypeError, "diff: n=1.5"),
    "half a point of a transform": (
        lambda x: ag.fft.fft(x, n=1.5), matrix, errors.ArgumentTypeError, TypeError, "fft: n=1.5"),
    "strides of half a byte": (
        lambda x: ag.as_strided(x, (2,), (1.5,)), matrix, errors.ArgumentTypeError, TypeError,
        "strides=1.5"),
    "correction by name": (
        lambda x: ag.std(x, correction="a"), matrix, errors.ArgumentTypeError, TypeError,
        "std: correction='a'"),
    "correction that carries a gradient": (
        lambda x: ag.var(x, correction=ag.tensor(1.0).requires_grad_()), matrix,
        errors.DetachError, TypeError, "float"),
    "int of NaN": (
        lambda x: int(x[0, 0] * np.nan), matrix, errors.ArgumentError, ValueError, "nan_to_num"),
    "int of infinity": (
        lambda x: int(ag.tensor(np.inf)), matrix, errors.IntegerOverflowError, OverflowError,
        "infinity"),
    "an array in the format of numbers": (
        lambda x: f"{x:.2f}", matrix, errors.ArgumentTypeError, TypeError, "array2string"),
    "a float in the format of integers": (
        lambda x: f"{x.sum():d}", matrix, errors.ArgumentError, ValueError, "float64"),
    "write to the imaginary part of reals": (
        lambda x: x.imag.__setitem__(0, 5), matrix, errors.ReadOnlyError, ValueError, "read-only"),
    "set the imaginary part of reals": (
        lambda x: setattr(x, "imag", 5), matrix, errors.ReadOnlyError, ValueError, "read-only"),
    "write to the imaginary part of integers": (
        lambda x: x.imag.__iadd__(1), integers, errors.ReadOnlyError, ValueError, "read-only"),
    "unknown order of a copy": (
        lambda x: x.copy(order="Z"), matrix, errors.ArgumentError, ValueError, "order='Z'"),
    "unknown order of a cast": (
        lambda x: x.astype("float32", order="Z"), matrix, errors.ArgumentError, ValueError,
        "order='Z'"),
    "maximum of what a mask selects": (
        lambda x: x.max(where=x > 1), matrix, errors.ArgumentError, ValueError, "initial"),
    "an array for a dtype": (
        lambda x: ag.zeros(2, dtype=x), matrix, errors.DTypeError, TypeError, "is not a dtype"),
    "an array of NumPy for a dtype": (
        lambda x: x.astype(np.ones(2)), matrix, errors.DTypeError, TypeError, "is not a dtype"),
    "a dtype for an array": (
        lambda x: ag.asarray(np.dtype("M8[s]")), matrix, errors.ArraygradError, TypeError, "DType"),
    "an integer beyond 64 bits for a tensor": (
        lambda x: ag.all(2**70), matrix, errors.IntegerOverflowError, OverflowError, "64 bits"),
    "an integer beyond all floats": (
        lambda x: ag.mean(10**400), matrix, errors.IntegerOverflowError, OverflowError, "bits"),
    "a correction beyond all floats": (
        lambda x: ag.std(x, correction=10**400), matrix, errors.ArgumentTypeError, TypeError,
        "correction"),
    "item beyond 64 bits": (
        lambda x: x.item(2**70), matrix, errors.IndexOutOfRangeError, IndexError, "item"),
    "an unknown norm of a transform": (
        lambda x: ag.fft.fft(x, norm=["ortho"]), matrix, errors.ArgumentError, ValueError, "norm"),
    "sizes of a transform that are a number": (
        lambda x: ag.fft.fftn(x, s=3.5), matrix, errors.ArgumentTypeError, TypeError, "s=3.5"),
    "frequencies of nothing": (
        lambda x: ag.fft.fftfreq(-1), matrix, errors.ArgumentError, ValueError, "n=-1"),
    "frequencies of text": (
        lambda x: ag.fft.rfftfreq(4, d="a"), matrix, errors.ArgumentTypeError, TypeError, "d='a'"),
    "axes that are none": (
        lambda x: ag.permute_dims(x, None), matrix, errors.ArgumentTypeError, TypeError, "axes"),
    "strides that are a number": (
        lambda x: ag.as_strided(x, (2,), 1.5), matrix, errors.ArgumentTypeError, TypeError,
        "strides"),
    "samples up to text": (
        lambda x: ag.linspace(0, "a", 3), matrix, errors.ArraygradError, TypeError, "linspace"),
    "samples up to None": (
        lambda x: ag.linspace(0, None, 3), matrix, errors.ArgumentTypeError, TypeError, "linspace"),
    "an einsum of too many labels": (
        lambda x: ag.einsum("ij,jk->ik", x), matrix, errors.ArgumentError, ValueError, "einsum"),
    "an einsum of no labels": (
        lambda x: ag.einsum(None, x), matrix, errors.ArraygradError, TypeError, "einsum"),
    "a tolerance that is text": (
        lambda x: ag.linalg.lstsq(x, ag.ones(2), rcond="a"), matrix, errors.ArgumentTypeError,
        TypeError, "rcond"),
    "partition at no place": (
        lambda x: ag.partition(x, ()), matrix, errors.ArgumentTypeError, TypeError, "kth"),
    "writing along an axis of a list": (
        lambda x: ag.put_along_axis([1, 2], ag.tensor([0]), 5, 0), matrix,
        errors.ArgumentTypeError, TypeError, "np.put_along_axis"),
    "a half digit": (
        lambda x: np.round(x, 1.5), matrix, errors.ArgumentTypeError, TypeError, "decimals=1.5"),
    "an order of sorting that nobody knows": (
        lambda x: x.sort(kind="bogo"), matrix, errors.ArgumentError, ValueError, "kind='bogo'"),
    "sorting by a field": (
        lambda x: np.argsort(x, order="name"), matrix, errors.ArgumentError, ValueError, "fields"),
    "an order of selecting that nobody knows": (
        lambda x: np.partition(x, 1, kind="quick"), matrix, errors.ArgumentError, ValueError,
        "kind='quick'"),
    "a cast that nobody knows": (
        lambda x: x.astype("float32", casting="some"), matrix, errors.ArgumentError, ValueError,
        "casting"),
    "a clip that would be truncated": (
        lambda x: x.clip(0, 1, out=ag.zeros((2, 3), dtype=int)), matrix, errors.DTypeError,
        TypeError, "out="),
    "a rounded result that would be truncated": (
        lambda x: x.round(1, out=ag.zeros((2, 3), dtype=int)), matrix, errors.DTypeError,
        TypeError, "out="),
    "a product into another dtype": (
        lambda x: x.dot(x.T, out=ag.zeros((2, 2), dtype="float32")), matrix, errors.DTypeError,
        TypeError, "out="),
    "a reduction into a shape that it would fill": (
        lambda x: np.sum(x, axis=0, out=ag.zeros((2, 3))), matrix, errors.ShapeError, ValueError,
        "out="),
    "a mask of numbers": (
        lambda x: x.sum(where=x), matrix, errors.ArgumentTypeError, TypeError, "where="),
    "a mask of numbers for NumPy's function": (
        lambda x: np.prod(x, where=x), matrix, errors.ArgumentTypeError, TypeError, "where="),
    "several initial values": (
        lambda x: x.sum(initial=[1.0, 2.0]), matrix, errors.ShapeError, ValueError, "initial="),
    "a complex initial value": (
        lambda x: np.max(x, initial=1j), matrix, errors.DTypeError, TypeError, "initial="),
    "compress by a matrix": (
        lambda x: x.compress(x > 1), matrix, errors.ShapeError, ValueError, "one dimension"),
    "choose by fractions": (
        lambda x: np.choose(x, [x, x]), matrix, errors.ArgumentTypeError, TypeError, "integers"),
    "place by a mask of another size": (
        lambda x: np.place(x, [True], [5.0]), matrix, errors.ShapeError, ValueError, "mask"),
    "rotation of one axis": (
        lambda x: np.rot90(x, axes=(0, 0)), matrix, errors.ArgumentError, ValueError, "axes"),
    "zeros like those on another device": (
        lambda x: np.zeros_like(x, device="gpu7"), matrix, errors.DeviceError, ValueError, "gpu7"),
    "a value of too many dimensions for a mask": (
        lambda x: x.__setitem__(x > 1, ag.ones((1, 4))), matrix, errors.ArgumentTypeError,
        TypeError, "reshape"),
    "a list of too many dimensions": (
        lambda x: x.__setitem__(0, [[[1.0, 2.0, 3.0]]]), matrix, errors.ShapeError, ValueError,
        "shape"),
    # gradients
    "gradient of integers": (
        lambda x: integers().requires_grad_(), matrix, errors.GradientError, RuntimeError, "float"),
    "backward of many": (
        lambda x: (matrix().requires_grad_() * 2).backward(), matrix,
        errors.GradientError, RuntimeError, "sum"),
    "backward of a constant": (
        lambda x: x.sum().backward(), matrix, errors.GradientError, RuntimeError, "requires"),
    "write to a leaf": (
        lambda x: x.requires_grad_().__setitem__(0, 1.0), matrix,
        errors.GradientError, RuntimeError, "no_grad"),
    "grad of another shape": (
        lambda x: setattr(x, "grad", ag.ones(5)), matrix, errors.ShapeError, ValueError, "shape"),
    # linear algebra
    "inverse of a singular matrix": (
        lambda x: ag.linalg.inv(ag.zeros((2, 2))), matrix,
        errors.LinAlgError, np.linalg.LinAlgError, "ingular"),
    "inverse of a wide matrix": (
        lambda x: ag.linalg.inv(x), matrix, errors.ArraygradError, ValueError, "square|shape"),
    "cholesky of an indefinite matrix": (
        lambda x: ag.linalg.cholesky(ag.tensor([[1.0, 2.0], [2.0, 1.0]])), matrix,
        errors.LinAlgError, np.linalg.LinAlgError, "definite"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_and_changes_nothing(case):
    action, make, ours, usual, message = CASES[case]
    x = make()
    before = x.numpy().copy()
    with pytest.raises(ours, match=message) as caught:
        action(x)
    assert isinstance(caught.value, usual), type(caught.value).__mro__
    assert len(str(caught.value)) > 20
    np.testing.assert_array_equal(x.detach().numpy(), before)


def test_error_classes_inherit_from_the_usual_ones():
    for name in errors.__all__:
        found = getattr(errors, name)
        if issubclass(found, Warning):
            continue
        assert issubclass(found, errors.ArraygradError)
        if found is not errors.ArraygradError:
            assert len(found.__mro__) > 4


def test_nothing_changes_when_a_kernel_refuses_half_way():
    x = ag.tensor([1.0, 2.0, 3.0])
    view = x[1:]
    with pytest.raises(errors.ArraygradError):
        view += ag.ones(5)
    with pytest.raises(errors.ArraygradError):
        x[[0, 1, 17]] = 9.0
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_a_mask_that_leaves_out_nan_lets_the_rest_be_written():
    x = integers()
    np.copyto(x, [np.nan, 7.0, 2**60], casting="unsafe", where=[False, True, True])
    assert x.tolist() == [1, 7, 2**60]


def endless(*shape):
    """Zero strides: a tensor of few bytes, of which no copy can exist."""
    return ag.broadcast_to(ag.asarray(1.0), shape or (2**48,))


def zeros(*shape, dtype="int64"):
    return ag.broadcast_to(ag.asarray(0, dtype=dtype), shape)


LARGER_THAN_MEMORY = {
    "tile": lambda: ag.tile(ag.ones(2), (2**47,)),
    "repeat": lambda: ag.repeat(ag.ones(2), 2**47),
    "meshgrid": lambda: ag.meshgrid(endless(2**24), endless(2**24))[0].copy(),
    "copy": lambda: endless().copy(),
    "contiguous": lambda: endless().contiguous(),
    "asarray of a tensor": lambda: ag.asarray(endless(), copy=True),
    "asarray of an array": lambda: ag.asarray(endless().numpy(), copy=True),
    "asarray to another dtype": lambda: ag.asarray(endless().numpy(), dtype="complex64"),
    "tensor": lambda: ag.tensor(endless().numpy()),
    "cumulative_sum": lambda: ag.cumulative_sum(endless()),
    "concat": lambda: ag.concat([endless(), endless()]),
    "stack": lambda: ag.stack([endless(), endless()]),
    "astype": lambda: endless().astype("float32"),
    "matmul": lambda: endless(2**24, 1) @ endless(1, 2**24),
    "outer": lambda: ag.linalg.outer(endless(2**24), endless(2**24)),
    "tensordot": lambda: ag.tensordot(endless(2**24), endless(2**24), axes=0),
    "an index": lambda: ag.ones(1)[np.broadcast_to(0, (2**48,))],
    "a mask": lambda: endless()[np.broadcast_to(True, (2**48,))],
    "rows": lambda: endless(1, 2**46)[[0, 0, 0, 0]],
    "take": lambda: ag.take(ag.ones(1), zeros(2**45)),
    "take rows": lambda: ag.take(ag.ones((1, 3)), zeros(2**45), axis=0),
    "take at unsigned indices": lambda: ag.take(ag.ones(1), zeros(2**45, dtype="uint64")),
    "take_along_axis": lambda: ag.take_along_axis(ag.ones((2, 3)), zeros(2, 2**45), axis=1),
    "fftfreq": lambda: ag.fft.fftfreq(10**18),
    "rfftfreq beyond counting": lambda: ag.fft.rfftfreq(2**70),
    "fft beyond counting": lambda: ag.fft.fft(ag.ones(4), n=2**70),
    "zeros beyond all floats": lambda: ag.zeros(10**400),
    "linspace beyond all floats": lambda: ag.linspace(0, 1, 10**400),
    "take, clipped": lambda: np.take(ag.ones(1), zeros(2**45), mode="clip"),
    "fft": lambda: ag.fft.fft(endless()),
    "fft that pads": lambda: ag.fft.fft(ag.ones(4), n=2**48),
    "sort": lambda: ag.sort(endless()),
    "argsort": lambda: ag.argsort(endless()),
    "where": lambda: ag.where(True, endless(), 0.0),
    "roll": lambda: ag.roll(endless(), 1),
    "tril": lambda: ag.tril(endless(2**24, 2**24)),
    "flatten": lambda: endless().flatten(),
    "add": lambda: endless() + 1,
    "unique_values": lambda: ag.unique_values(endless()),
    "isin": lambda: ag.isin(ag.ones(3), endless()),
    "isin of many": lambda: ag.isin(endless(), ag.ones(3)),
    "tobytes": lambda: endless().tobytes(),
    "np.pad": lambda: np.pad(ag.ones(3), 2**47),
    "np.einsum": lambda: np.einsum("i,j->ij", endless(2**24), endless(2**24)),
    "np.kron": lambda: np.kron(endless(2**24), endless(2**24)),
}


@pytest.mark.parametrize("case", LARGER_THAN_MEMORY)
def test_results_larger_than_memory_are_an_error_of_ours(case):
    with pytest.raises(errors.OutOfMemoryError) as caught:
        LARGER_THAN_MEMORY[case]()
    assert isinstance(caught.value, MemoryError)
    assert len(str(caught.value)) > 20


SHORT_OF_MEMORY = """
import resource

import numpy as np
import arraygrad as ag
from arraygrad import _errors

n = 4_000_000
x = ag.tensor(np.linspace(0.5, 1.5, n))
leaf = ag.tensor(x, requires_grad=True)
column, row = ag.ones((30000, 1)), ag.ones((1, 30000))
product = (leaf * leaf * leaf).sum()
softmax = (ag.softmax(leaf, axis=0) ** 2).sum()
saved = leaf * 1.0
square = saved * saved
view = saved[1:]
CASES = {
    "clip": lambda: ag.clip(x, 0.6, x),
    "sinc": lambda: np.sinc(x),
    "broadcast": lambda: column + row,
    "broadcast, tracked": lambda: leaf[:30000, None] * row,
    "backward": lambda: product.backward(),
    "backward of softmax": lambda: softmax.backward(),
    "jvp": lambda: ag.jvp(lambda t: t * t + 1, (x,), (x,)),
    "grad": lambda: ag.grad(lambda t: (t**3).sum())(x),
    "a write to what a graph holds": lambda: view.__setitem__(0, 5.0),
    "tolist": lambda: x.tolist(),
    "dumps": lambda: x.dumps(),
    "byteswap": lambda: x.byteswap(),
}
small = ag.ones(3)  # what is imported when it is first asked for
ag.grad(lambda t: (ag.softmax(np.sinc(ag.clip(t, 0, 1)) ** 3, axis=0) ** 2).sum())(small)
ag.jvp(lambda t: t * t + 1, (small,), (small,))
small.dumps(), small.byteswap(), small.tolist()
before = float(x._array.sum()), float(saved._array.sum())
from arraygrad._storage import release_pool

release_pool()
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (8 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
for name, call in CASES.items():
    for attempt in (1, 2):
        try:
            call()
        except _errors.OutOfMemoryError as error:
            assert len(str(error)) > 20, name
        except Exception as error:
            if attempt == 1 or not isinstance(error, _errors.GradientError):
                raise AssertionError(f"{name}: {type(error)} {error}") from error
        else:
            raise AssertionError(f"{name}: there was memory enough")
assert (float(x._array.sum()), float(saved._array.sum())) == before
assert leaf.grad is None
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
view[0] = 5.0  # now it moves to a copy, and the graph has what it has saved
square.sum().backward()
np.testing.assert_allclose(leaf.grad[:3], 2 * x[:3])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit on address space")
def test_nothing_changes_where_memory_ends_in_the_middle():
    # One thread: Python waits for ever for a thread that dies of it before it runs.
    done = fresh_process.run(SHORT_OF_MEMORY, ARRAYGRAD_COMPILE="off", ARRAYGRAD_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("tracked", [False, True])
def test_an_array_is_no_element(tracked):
    """NumPy before 2.4 takes an array of one element for it, with a warning; a list never."""
    x = ag.tensor([1.0, 2.0])
    value = ag.tensor([5.0], requires_grad=tracked)
    version = x._version
    with pytest.raises(ValueError, match="one element"):
        x[0] = [5.0]
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        with pytest.warns(DeprecationWarning, match="ndim > 0 to a scalar") as caught:
            x[0] = value
        assert caught[0].filename == __file__
    else:
        with pytest.raises(ValueError, match="one element"):
            x[0] = value
        assert x._version == version
        assert x.tolist() == [1, 2]


def test_differences_end_where_nothing_is_left():
    """Each further one was computed, of no elements: for n=10**18 for ever."""
    assert ag.diff(matrix(), n=10**18).shape == (2, 0)
    assert ag.diff(booleans(), n=2**70).dtype == bool
    assert ag.linalg.diagonal(matrix(), offset=10**18).shape == (0,)
    assert ag.diagonal(matrix(), offset=-(2**70)).shape == (0,)
