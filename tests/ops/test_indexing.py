"""Indexing like NumPy's, for reading, writing and gradients of both."""

import warnings
from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad._errors import GradientError

SHAPE = (3, 4, 2)


def _random_part(rng: np.random.Generator, size: int) -> Any:
    kind = rng.integers(7)
    if kind == 0:
        return int(rng.integers(-size, size))
    if kind == 1:
        return slice(*(None if rng.random() < 0.4 else int(rng.integers(-5, 6)) for _ in range(2)))
    if kind == 2:
        return slice(None, None, int(rng.choice([-2, -1, 1, 2, 3])))
    if kind == 3:
        return rng.integers(-size, size, 3)
    if kind == 4:
        return rng.integers(-size, size, (2, 1))
    if kind == 5:
        mask = np.zeros(size, bool)
        mask[rng.permutation(size)[:1]] = True
        return mask
    return slice(None)


def _random_key(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    parts: list[Any] = [_random_part(rng, n) for n in SHAPE[: rng.integers(1, 4)]]
    if rng.random() < 0.3:
        parts.insert(int(rng.integers(len(parts) + 1)), None)
    if rng.random() < 0.3:
        parts.insert(int(rng.integers(len(parts) + 1)), Ellipsis)
    if len(parts) == 1 and rng.random() < 0.5:
        return parts[0]
    return tuple(parts)


def _keys() -> list[Any]:
    x = np.zeros(SHAPE)
    keys = []
    for seed in range(150):
        key = _random_key(seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # NumPy 2.1 deprecates some of these first
                x[key]
        except (IndexError, DeprecationWarning):
            continue
        keys.append(key)
    return keys


KEYS = _keys()
X = np.random.default_rng(0).standard_normal(SHAPE)
W = np.random.default_rng(1).standard_normal(SHAPE)


def _values(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(2).standard_normal(shape)


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
@pytest.mark.parametrize("layout", ["C", "F", "negative"])
def test_read(key: Any, layout: str) -> None:
    array = {"C": X, "F": np.asfortranarray(X), "negative": X[::-1, ::-1].copy()[::-1, ::-1]}[
        layout
    ]
    x = ag.tensor(X, requires_grad=True)
    base = x if layout == "C" else ag.flip(ag.flip(x)) if layout == "negative" else x.T.copy().T
    out = base[key]
    want = array[key]
    np.testing.assert_array_equal(out.detach(), want)
    weights = _values(want.shape)
    (out * weights).sum().backward()
    expected = np.zeros(SHAPE)
    np.add.at(expected, key, weights)
    np.testing.assert_allclose(x.grad, expected, atol=1e-12)


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_write(key: Any) -> None:
    """The last of several writes to one place counts, in the value and in the gradients."""
    value = _values(X[key].shape)
    x = ag.tensor(X, requires_grad=True)
    v = ag.tensor(value, requires_grad=True)
    y = x * 1.0
    y[key] = v
    want = X.copy()
    want[key] = value
    np.testing.assert_array_equal(y.detach(), want)
    (y * W).sum().backward()
    # Which element of the value each place holds: found by writing numbers instead.
    source = np.full(SHAPE, -1)
    source[key] = np.arange(value.size).reshape(value.shape)
    np.testing.assert_allclose(x.grad, np.where(source < 0, W, 0))
    expected = np.zeros(value.size)
    np.add.at(expected, source[source >= 0], W[source >= 0])
    np.testing.assert_allclose(v.grad, expected.reshape(value.shape))


@pytest.mark.parametrize("key", KEYS[::3], ids=range(len(KEYS[::3])))
def test_augmented_write(key: Any) -> None:
    def program(x: Any) -> Any:
        y = x * 2.0
        y[key] *= 3.0
        y[key] += x[key] * x[key]
        return (y * y * W).sum()

    x = ag.tensor(X, requires_grad=True)
    program(x).backward()
    direction = _values(SHAPE)
    h = 1e-5
    expected = (program(X + h * direction) - program(X - h * direction)) / (2 * h)
    np.testing.assert_allclose((x.grad * direction).sum(), expected, rtol=1e-6)


def test_basic_index_is_a_view_and_scalar_is_not() -> None:
    x = ag.asarray(X.copy())
    row = x[1]
    row[0] = 7.0
    assert float(x[1, 0, 0]) == 7.0
    element = x[0, 0, 0]
    before = float(element)
    element += 1.0
    assert float(x[0, 0, 0]) == before


def test_write_through_view_of_view_reaches_base_gradient() -> None:
    x = ag.tensor(np.arange(1.0, 5.0), requires_grad=True)
    y = 1.0 * x
    v = ag.reshape(y, (2, 2)).T[0]
    v *= 3.0
    v[1:] += x[0] * x[3]
    (y * np.array([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    np.testing.assert_allclose(x.grad, [403.0, 10.0, 300.0, 1100.0])


def test_rows_by_iteration_write_to_the_base() -> None:
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 1.0
    for i, row in enumerate(y):
        row *= i + 2
        row[:1] -= 1.0
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad, [[4.0, 16.0], [48.0, 72.0]])


READERS: dict[str, Any] = {
    "element": lambda x, i: x[i, 1],
    "row": lambda x, i: x[i],
    "rows": lambda x, i: x[[i, i, 0]],
    "elements": lambda x, i: x[np.array([i, 0]), np.array([1, 1])],
    "mask": lambda x, i: x[np.arange(len(x)) == i],
    "take": lambda x, i: ag.take(x, np.array([i, i, 0]), axis=0),
    "take_along_axis": lambda x, i: ag.take_along_axis(x, np.array([[i, 0, 1]]), axis=0),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("of_leaf", [True, False])
def test_parts_that_are_read_add_into_one_cotangent(
    read: Any, of_leaf: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each take made a cotangent of the whole: a loop over an embedding took quadratic time."""
    x = ag.tensor(np.ones((40, 3)), requires_grad=True)
    source = x if of_leaf else x * 1.0
    total = sum(read(source, i).sum() * (i + 1.0) for i in range(40))
    (want,) = ag.autograd.grad(total, x, create_graph=True)
    made = []
    zeros = np.zeros

    def counting(shape: Any, *args: Any, **kwargs: Any) -> Any:
        made.append(shape)
        return zeros(shape, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(np, "zeros", counting)
        total.backward()
    assert made.count(x.shape) < 5
    np.testing.assert_allclose(x.grad, want.detach(), rtol=1e-12)
    with pytest.raises(GradientError):
        total.backward()


def test_index_by_tensors() -> None:
    x = ag.asarray(X)
    i = ag.asarray([2, 0])
    np.testing.assert_array_equal(x[i], X[[2, 0]])
    np.testing.assert_array_equal(x[i[0], ag.asarray(1)], X[2, 1])
    np.testing.assert_array_equal(x[i[1] : i[0]], X[0:2])
    np.testing.assert_array_equal(x[x > 0], X[X > 0])
    np.testing.assert_array_equal(x[[i[0], 1]], X[[2, 1]])


def test_index_kept_by_graph_does_not_change() -> None:
    x = ag.tensor(np.arange(3.0), requires_grad=True)
    i = ag.asarray([0, 1])
    y = (x[i] * ag.asarray([1.0, 2.0])).sum() + ag.take(x, i).sum()
    i[...] = 2
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 3.0, 0.0])


def test_list_of_tensors_as_value_keeps_the_graph() -> None:
    t = ag.tensor(2.0, requires_grad=True)
    y = ag.zeros(3)
    y[1:] = [t, t * t]
    (y * ag.asarray([1.0, 10.0, 100.0])).sum().backward()
    assert float(t.grad) == 410.0


def test_masked_and_scalar_masks() -> None:
    x = ag.asarray(5.0)
    assert x[ag.asarray(True)].shape == (1,)
    assert x[False].shape == (0,)
    x[ag.asarray(True)] = 3.0
    assert float(x) == 3.0
    y = ag.asarray(X.copy())
    y[ag.asarray(False)] = 0.0
    np.testing.assert_array_equal(y, X)


def test_value_casts_like_numpy() -> None:
    x = ag.zeros(3, dtype=ag.int64)
    x[0] = 2.9
    x[1] = ag.asarray(-2.9)
    x[2] = np.float32(7)
    np.testing.assert_array_equal(x, [2, -2, 7])


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_take_modes(mode: Any) -> None:
    i = [7, -9, 2]
    x = ag.asarray(X)
    np.testing.assert_array_equal(x.take(i, axis=1, mode=mode), X.take(i, axis=1, mode=mode))


def test_put_repeats_values() -> None:
    x = ag.tensor(np.zeros(6), requires_grad=True)
    v = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1.0
    y.put([0, 2, 4, -1], v)
    np.testing.assert_array_equal(y.detach(), [1, 0, 2, 0, 1, 2])
    (y * np.arange(1.0, 7.0)).sum().backward()
    np.testing.assert_array_equal(v.grad, [1.0 + 5.0, 3.0 + 6.0])


@pytest.mark.parametrize(
    "key",
    [
        5, (0, 0, 0, 0), 1.5, "a", [0, 7], [[0], [0, 1]], slice(None, None, 1.5), slice(0, 1, 0),
        np.array([0.5]), np.ones(5, bool), (slice(None), np.ones(3, bool)), [0.5], {}, 2**70,
        (Ellipsis, Ellipsis), ([0, 1], [0, 1, 2]), object(),
    ],
)  # fmt: skip
def test_bad_index(key: Any) -> None:
    x = ag.asarray(X.copy())
    with pytest.raises(ag.errors.IndexOutOfRangeError):
        x[key]
    with pytest.raises(ag.errors.IndexOutOfRangeError):
        x[key] = 0.0
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        (float, [1.0, 2.0, 3.0], ValueError),
        (float, np.ones((2, 3, 4, 2)), ValueError),
        (float, 1j, TypeError),
        (float, np.array([1j, 1j]), TypeError),
        (float, np.array(["a", "b"]), TypeError),
        (float, None, TypeError),
        (float, "text", ValueError),
        (float, [[1.0], [1.0, 2.0]], ValueError),
        ("int8", 300, OverflowError),
        ("int8", float("nan"), ValueError),
        ("int8", float("inf"), OverflowError),
    ],
)
def test_bad_value_changes_nothing(dtype: Any, value: Any, error: Any) -> None:
    plain = ag.asarray(X.astype(dtype))
    recorded = ag.tensor(X, requires_grad=True) * 1.0
    for x in (plain,) if dtype == "int8" else (plain, recorded):
        before = np.array(x.detach())
        with pytest.raises(error) as caught:
            x[0] = value
        assert isinstance(caught.value, ag.errors.ArraygradError)
        np.testing.assert_array_equal(x.detach(), before)


def test_bad_take() -> None:
    x = ag.asarray(X)
    for call in (
        lambda: ag.take(x, ag.asarray([3]), axis=0),
        lambda: ag.take(x, ag.asarray([-4]), axis=0),
        lambda: ag.take(x, ag.asarray([0.0]), axis=0),
        lambda: ag.take(x, ag.asarray([0]), axis=3),
        lambda: ag.take_along_axis(x, ag.zeros((1, 1, 1), dtype=int) + 9),
    ):
        with pytest.raises((IndexError, ag.errors.AxisError)):
            call()
    with pytest.raises(ag.errors.ShapeError):
        ag.take_along_axis(x, ag.asarray([0]))


def test_read_only_memory_is_not_written() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    for x in (ag.asarray(array), ag.broadcast_to(ag.asarray(1.0), (3,))):
        with pytest.raises(ag.errors.ReadOnlyError):
            x[0] = 1.0


@pytest.mark.parametrize("key", [range(2), (range(2), range(1, 3)), ((0, 1), (1, 2)), ([(0, 1)],)])
def test_any_sequence_of_integers_is_an_index_array(key):
    """Ranges, and tuples inside of the index, were refused."""
    array = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ag.asarray(array)[key].numpy(), array[key])


@pytest.mark.parametrize(
    "key",
    [
        0, (0, 0, 1), slice(1), (slice(None), 1), np.array([1, 0, 1]), (Ellipsis, 0),
        np.arange(12).reshape(2, 3, 2) % 2 == 0, (1, slice(None, None, -1)), Ellipsis,
    ],
)  # fmt: skip
@pytest.mark.parametrize("tracked_base", [True, False])
def test_partial_writes_to_views_that_repeat_elements(key, tracked_base):
    """Elements that were not named but are the same memory kept the gradient of before."""
    start = np.linspace(-1, 1, 9).reshape(3, 3)
    window = np.lib.stride_tricks.sliding_window_view

    def run(x, values):
        base = x * 1.0
        if isinstance(x, np.ndarray):
            view = window(base, 2, 0, writeable=True)
            view[key] = values[: view[key].size].reshape(view[key].shape)
        else:
            view = ag.sliding_window_view(base, 2, axis=0)
            view[key] = values[: view[key].size].reshape(view[key].shape)
        weights = np.cos(np.arange(9.0)).reshape(3, 3)
        again = np.sin(np.arange(12.0)).reshape(2, 3, 2)
        return (base * weights).sum() + (view * view * again).sum()

    values = np.linspace(2, 3, 18)
    x = ag.tensor(start, requires_grad=tracked_base)
    v = ag.tensor(values, requires_grad=True)
    run(x, v).backward()
    h = 1e-6
    pairs = [(v, lambda d: run(start, values + d), values)]
    if tracked_base:
        pairs.append((x, lambda d: run(start + d, values), start))
    for leaf, f, at in pairs:
        want = np.zeros(at.shape)
        for i in np.ndindex(at.shape):
            step = np.zeros(at.shape)
            step[i] = h
            want[i] = (f(step) - f(-step)) / (2 * h)
        np.testing.assert_allclose(leaf.grad.numpy(), want, atol=1e-8)


def test_put_into_zero_dimensions():
    """NumPy's own error about 0-d indices came through."""
    x = ag.asarray(1.0)
    x.put([0, -1], [2.0, 3.0])
    assert x == 3.0


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(16384,), (150, 130)])
def test_large_masks(dtype: str, shape: tuple[int, ...]) -> None:
    """Where a kernel of our own selects; its result owns no more memory than it shows."""
    rng = np.random.default_rng(3)
    values = (rng.random(shape) * 9).astype(dtype)
    mask = rng.random(shape) < 0.5
    got = ag.asarray(values)[ag.asarray(mask)]
    np.testing.assert_array_equal(np.asarray(got), values[mask], strict=True)
    assert got.storage().nbytes == got.nbytes
    if values.dtype.kind in "fc":
        x = ag.tensor(values, requires_grad=True)
        ag.real(x[mask]).sum().backward()
        np.testing.assert_array_equal(np.asarray(x.grad), mask.astype(dtype))


def test_gradients_of_indexing_ask_for_kernels_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """They named too few operands, so that every addition was NumPy's."""
    cpu = pytest.importorskip("arraygrad_kernels.cpu")
    if not cpu.catalogue():
        pytest.skip("nothing compiles under NUMBA_DISABLE_JIT")
    from arraygrad.ops import indexing

    asked: list[tuple[str, Any]] = []
    original = indexing.lookup

    def lookup(op: str, device: str, layout: str, dtypes: Any) -> Any:
        asked.append((op, dtypes))
        return original(op, device, layout, dtypes)

    monkeypatch.setattr(indexing, "lookup", lookup)
    x = ag.tensor(np.ones((5, 6)), requires_grad=True)
    rows, along = ag.asarray([0, 0, -1]), ag.zeros((5, 6), dtype=ag.int32)
    for result in (x[rows], x[rows, rows], ag.take(x, rows, axis=0), ag.take_along_axis(x, along)):
        result.sum().backward()
    assert {op for op, _ in asked} == {"index_add", "add_at", "add_along_axis"}
    for op, dtypes in asked:
        assert cpu.find(op, dtypes) is not None, (op, dtypes)


def test_broadcast_indices_are_checked_and_count_from_the_end():
    data = np.arange(12.0).reshape(3, 4)
    x = ag.tensor(data, requires_grad=True)
    indices = ag.broadcast_to(ag.asarray([[-1], [0], [2]]), (3, 5))
    for axis in (0, 1):
        found = ag.take(x, indices, axis=axis)
        np.testing.assert_array_equal(found.detach(), np.take(data, indices.numpy(), axis=axis))
    along = ag.take_along_axis(x, indices, axis=1)
    np.testing.assert_array_equal(along.detach(), np.take_along_axis(data, indices.numpy(), axis=1))
    along.sum().backward()
    expected = np.zeros((3, 4))
    expected[[0, 1, 2], [3, 0, 2]] = 5
    np.testing.assert_array_equal(x.grad, expected)
    with pytest.raises(IndexError, match="7"):
        ag.take(x, ag.broadcast_to(ag.asarray(7), (2, 5)), axis=1)
