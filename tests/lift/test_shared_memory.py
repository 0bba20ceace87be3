"""Memory that lifted code reaches in two ways: what is written by one is what the other reads."""

import array
import ctypes
import operator
import pickle

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._aliases import is_borrowed
from arraygrad.lifting import arrays

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


class Holder:
    """Has memory of others."""

    def __init__(self, owner):
        self.owner = owner
        self.__array_interface__ = owner.__array_interface__


class Derived(np.ndarray):
    pass


def bytearray_():
    buffer = bytearray(32)
    return np.frombuffer(buffer), np.frombuffer(buffer)


def parts_of_bytearray():
    buffer = bytearray(40)
    return np.frombuffer(buffer, offset=8), np.frombuffer(buffer)[1:4]


def forms_of_bytearray():
    buffer = bytearray(32)
    return np.ndarray((2, 2), buffer=buffer)[0], np.asarray(memoryview(buffer).cast("d"))


def number_array():
    numbers = array.array("d", [0.0] * 4)
    return np.asarray(numbers), np.frombuffer(numbers)


def numbers_themselves():
    numbers = array.array("d", [0.0] * 4)
    return numbers, np.asarray(numbers)


def c_array():
    numbers = (ctypes.c_double * 4)()
    return np.ctypeslib.as_array(numbers), np.frombuffer(numbers)


def view_of_array():
    owner = np.zeros(4)
    return owner, np.asarray(memoryview(owner))


def dlpack():
    owner = np.zeros(4)
    return owner, np.from_dlpack(owner)


def part_and_dlpack():
    owner = np.zeros(4)
    return owner[:2], np.from_dlpack(owner)


def interface():
    owner = np.zeros(4)
    return owner, np.asarray(Holder(owner))


def fields():
    records = np.zeros(4, [("a", float), ("b", float)])
    return records["a"], records["a"]


def field_and_records():
    records = np.zeros(4, [("a", float), ("b", float)]).view(np.recarray)
    return records.a, np.asarray(records.a)


def derived():
    owner = Derived(4)
    owner[...] = 0.0
    return np.asarray(owner), np.asarray(owner)


def matrix():
    owner = np.asmatrix(np.zeros((1, 4)))
    return np.asarray(owner)[0], np.asarray(owner)[0]


def memory_map(path):
    numbers = np.memmap(path, float, "w+", shape=4)
    return numbers, np.asarray(numbers)


def arrays_of_memory_map(path):
    numbers = np.memmap(path, float, "w+", shape=4)
    return np.asarray(numbers), np.asarray(numbers)[:3]


PAIRS = [
    bytearray_, parts_of_bytearray, forms_of_bytearray, number_array, numbers_themselves, c_array,
    view_of_array, dlpack, part_and_dlpack, interface, fields, field_and_records, derived, matrix,
    memory_map, arrays_of_memory_map,
]  # fmt: skip
# Before 2.2, NumPy takes memory that comes through DLPack for read-only.
READ_ONLY = {dlpack, part_and_dlpack} if np.lib.NumpyVersion(np.__version__) < "2.2.0" else set()


@pytest.fixture
def pair(request, tmp_path):
    make = request.param
    first, second = make(tmp_path / "numbers") if "memory_map" in make.__name__ else make()
    if request.node.callspec.params["swapped"]:
        first, second = second, first
    if make in READ_ONLY:
        pytest.skip("NumPy has it read-only")
    return first, second


def written_in_turn(x, first, second):
    out = x * first[0] + x * second[0]
    first[0] = 7.0
    out = out + 10 * x * second[0]
    second[0] = 9.0
    return out + 100 * x * first[0] + x * (np.asarray(second)[:2] ** 2).sum()


def only_read(x, first, second):
    return x * first[0] + x**2 * second[0]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("pair", PAIRS, indirect=True)
def test_plain_values_are_written_and_read_as_in_numpy(pair, swapped):
    """Each array had a tensor over a copy of its own: the other was read as it had been."""
    first, second = pair
    lifted = ag.grad(written_in_turn)
    for start in (2.0, 3.0, 3.0, 4.0):
        first[0] = start
        want = float(written_in_turn(1.0, first, second))
        assert first[0] == second[0] == 9.0
        first[0] = start
        assert lifted(5.0, first, second) == want
        assert first[0] == second[0] == 9.0
        assert ag.grad(only_read)(5.0, first, second) == 9.0 * 11.0
    assert not arrays.BORROWED


WRITES = {
    "item": lambda x, a: a.__setitem__(0, x),
    "in place": lambda x, a: a.__iadd__(x),
    "out": lambda x, a: np.multiply(a, x, out=a),
    "sum": lambda x, a: np.sum(np.stack([np.ones(a.shape) * x] * 2), axis=0, out=a),
    "at": lambda x, a: np.add.at(a, [0], x),
    "copyto": lambda x, a: np.copyto(a, x),
    "put": lambda x, a: np.put(a, [0], x),
    "flat": lambda x, a: a.flat.__setitem__(0, x),
}


def over_a_buffer(write):
    """A function that writes to one of two arrays over a buffer and reads the other; the first."""
    buffer = bytearray(32)
    mine, other = np.frombuffer(buffer), np.frombuffer(buffer)

    def f(x):
        WRITES[write](x, mine)
        return x * other[0] + other.sum()

    return f, mine


@pytest.mark.parametrize("write", WRITES)
def test_gradients_written_to_buffers_are_refused(write):
    f, mine = over_a_buffer(write)
    for _ in range(3):
        with pytest.raises(ag.errors.DetachError, match="has its memory from a buffer"):
            ag.grad(f)(2.0)
    assert mine.tolist() == [0.0] * 4


@pytest.mark.parametrize("write", WRITES)
def test_gradients_written_to_buffers_are_lost_by_policy(write):
    f, mine = over_a_buffer(write)
    mine[:] = 1.0
    want, slope = f(2.0), mine[0]
    for _ in range(2):
        mine[:] = 1.0
        with ag.set_detach_policy("allow"):
            assert ag.value_and_grad(f)(2.0) == (want, slope)
        mine[:] = 1.0
        with ag.set_detach_policy("warn"), pytest.warns(ag.DetachWarning, match="from a buffer"):
            assert ag.value_and_grad(f)(2.0) == (want, slope)


BUFFER = np.frombuffer(bytearray(32))
OF_BUFFER = np.frombuffer(BUFFER.base)
UNNAMED = {
    "__setitem__": lambda a: a.__setitem__(0, 5.0),
    "of a view": lambda a: a.T.__setitem__(0, 5.0),
    "__iadd__": lambda a: a.__iadd__(5.0),
    "operator.setitem": lambda a: operator.setitem(a, 0, 5.0),
    "operator.iadd": lambda a: operator.iadd(a, 5.0),
    "out by position": lambda a: np.add(a, 5.0, a),
    "out of a method": lambda a: a.cumsum(0, None, a),
    "by a name made here": lambda a: getattr(a, "fi" + "ll")(5.0),
}


def write(a):
    """Set by the test."""


def write_unnamed(x):
    write(BUFFER)
    return x * OF_BUFFER[0] + OF_BUFFER.sum()


@pytest.mark.parametrize("name", UNNAMED)
def test_writes_that_no_name_gives_away_are_seen_in_later_calls(name, monkeypatch):
    monkeypatch.setitem(globals(), "write", UNNAMED[name])
    lifted = ag.value_and_grad(write_unnamed)
    for _ in range(4):
        BUFFER[:] = [4.0, 3.0, 2.0, 1.0]
        want = write_unnamed(2.0)
        slope = BUFFER[0]
        BUFFER[:] = [4.0, 3.0, 2.0, 1.0]
        assert lifted(2.0) == (want, slope)


@pytest.mark.parametrize("swapped", [False])
@pytest.mark.parametrize("pair", PAIRS, indirect=True)
def test_no_gradient_is_lost_in_shared_memory(pair, swapped):
    """It was zero for what is read of the other array."""
    first, second = pair

    def f(x):
        first[0] = 3.0 * x
        return second[0] * 1.0 + 0.0 * x

    try:
        assert ag.grad(f)(2.0) == 3.0
    except (ag.errors.DetachError, ValueError, TypeError):
        assert second[0] == 0.0


def test_arrays_made_of_memory_maps_in_lifted_code(tmp_path):
    numbers = np.memmap(tmp_path / "numbers", float, "w+", shape=4)

    def f(x):
        np.asarray(numbers)[0] = x
        return numbers[0] + 0.0 * x

    with pytest.raises(ag.errors.DetachError, match=r"np\.array"):
        ag.grad(f)(2.0)

    def plainly(x):
        np.asarray(numbers)[0] = 5.0
        return numbers[0] * x

    assert ag.grad(plainly)(2.0) == 5.0


def test_buffers_that_lifted_code_makes_arrays_of():
    """They were taken for sequences: what was written to the array did not reach the buffer."""
    numbers = array.array("d", [1.0, 2.0])
    square = memoryview(np.ones((2, 2)))

    def f(x):
        np.asarray(numbers)[0] = 5.0
        return numbers[0] * x + np.asarray(square).sum() * x + np.exp(numbers)[1] * 0.0

    assert ag.grad(f)(2.0) == 9.0


def test_what_graphs_saved_before_a_plain_write_stays():
    buffer = bytearray(8 * 8000)
    small, large = np.frombuffer(buffer, count=2), np.frombuffer(buffer)

    def f(x):
        out = (x * large).sum() + (x * small).sum()
        small[:] = 4.0
        large[-1] = 5.0
        return out

    large[:] = 1.0
    assert ag.grad(f)(2.0) == 8002.0
    t = ag.tensor(2.0, requires_grad=True)
    large[:] = 1.0
    out = ag.lift(f)(t)
    large[:] = 9.0
    out.backward()
    assert t.grad == 8002.0


@pytest.mark.parametrize("protocol", [1, 2, 5])
def test_arrays_of_pickle_are_their_own(protocol):
    """They hold their memory alone, as bytes: their tensors are taken again, and written to."""
    weights = pickle.loads(pickle.dumps(np.ones(5000), protocol=protocol))

    def f(x):
        weights[0] = x
        return weights.sum()

    owner = arrays.owner_of(weights)
    assert not is_borrowed(owner)
    assert ag.grad(f)(2.0) == 1.0
    assert weights[0] == 2.0


OWNER = np.zeros(4)
OTHER = np.from_dlpack(OWNER)


def late(x):
    return OTHER[0] * x


@pytest.mark.skipif(not OTHER.flags.writeable, reason="NumPy has it read-only")
def test_an_array_that_is_met_late():
    """The other one is met when the first has been written to."""

    def plainly(x):
        OWNER[0] = 3.0
        return globals()["la" + "te"](x)

    def with_gradient(x):
        OWNER[0] = x
        return globals()["la" + "te"](x)

    for _ in range(3):
        assert ag.grad(plainly)(2.0) == 3.0
        with pytest.raises((ag.errors.GradientError, ag.errors.DetachError)):
            ag.grad(with_gradient)(2.0)
