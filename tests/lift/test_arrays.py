"""Arrays that functions reach: their tensors are taken again while nothing changes."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.lifting import arrays

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = np.array([1.0, 2.0])
PART = A[:, 1:]
BATCH = np.zeros(2)
HELD = {"a": np.ones(3), "n": 0}
LISTED = [1.0, np.array([2.0, 3.0])]
REGISTRY = {}


def registered(f):
    REGISTRY[f.__name__] = f
    return f


@registered
def doubled(x):
    return x * 2.0


def slope_of(f, *args, at=(1.0, 2.0)):
    """The gradient of a lifted function's sum, which is called a few times before."""
    lifted = f if isinstance(f, type(ag.lift(doubled))) else ag.lift(f)
    for _ in range(6):
        x = ag.tensor(list(at), requires_grad=True)
        lifted(x, *args).sum().backward()
    return x.grad.tolist()


@pytest.fixture
def later():
    """A lifted function, called so often that the shortest way is taken."""

    def make(f, *args):
        lifted = ag.lift(f)
        for _ in range(6):
            lifted(ag.tensor([1.0, 2.0], requires_grad=True), *args)
        return lifted

    return make


def test_arrays_that_change_between_calls(later):
    weights = np.array([3.0, 4.0])
    lifted = later(lambda x: x * weights)
    assert slope_of(lifted) == [3.0, 4.0]
    weights[0] = 7.0
    assert slope_of(lifted) == [7.0, 4.0]
    weights[0] = np.nan
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    lifted(x).sum().backward()
    assert np.isnan(x.grad.tolist()[0])


def test_arrays_that_change_before_the_backward_pass(later):
    weights = np.array([3.0, 4.0])
    lifted = later(lambda x, w: x * w * weights, weights)
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    out = lifted(x, weights)
    weights[:] = 0.0
    out.sum().backward()
    assert x.grad.tolist() == [9.0, 16.0]
    assert slope_of(lifted, weights) == [0.0, 0.0]


def test_arrays_that_get_another_form(later):
    weights = np.arange(4.0)
    lifted = later(lambda x: (x * weights.reshape(-1)[:2]).sum() + weights.ndim)
    assert slope_of(lifted) == [0.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5
        weights.shape = (2, 2)
    assert float(lifted(ag.tensor([1.0, 1.0])).item()) == 3.0
    weights.flags.writeable = False

    def writes(x):
        weights[0, 0] = x[0]
        return weights.sum()

    with pytest.raises(ValueError, match="read-only"):
        ag.lift(writes)(ag.tensor([1.0, 2.0], requires_grad=True))


@pytest.mark.parametrize("write", ["part", "owner"])
def test_views_and_their_owners_share_memory_in_each_call(write):
    owner = np.zeros(4)
    part = owner[1:3]

    def through_the_part(x):
        part[:] = x
        return owner * 2.0

    def through_the_owner(x):
        owner[1:3] = x
        return part * 2.0

    f = through_the_part if write == "part" else through_the_owner
    assert slope_of(f) == [2.0, 2.0]
    assert owner.tolist() == [0.0, 1.0, 2.0, 0.0]
    assert part.base is owner
    assert slope_of(lambda x: x * part + x * owner[1:3]) == [2.0, 4.0]


OTHER_ORDER = np.arange(24.0).reshape(2, 4, 3).transpose(1, 0, 2) * 1.0


def test_views_of_memory_in_no_order():
    view = OTHER_ORDER[1]
    assert OTHER_ORDER.base is None
    assert not OTHER_ORDER.flags.forc

    def f(x):
        view[0] += 1.0
        return x * OTHER_ORDER[1].sum(axis=0) + x * view[0]

    before = OTHER_ORDER.copy()
    at = (1.0, 2.0, 3.0)
    got = slope_of(f, at=at)
    before[1, 0] += 6.0
    assert np.array_equal(OTHER_ORDER, before)
    assert np.shares_memory(view, OTHER_ORDER)
    assert got == (before[1].sum(axis=0) + before[1, 0]).tolist()


def test_views_of_written_owners_are_taken_anew(later):
    lifted = later(lambda x: PART @ x)
    assert slope_of(lifted) == [7.0, 9.0]
    before = A[0, 1]
    A[0, 1] = 12.0
    try:
        assert slope_of(lifted) == [17.0, 9.0]
    finally:
        A[0, 1] = before
    A[0, 0] = before  # outside of the view
    assert slope_of(lifted) == [7.0, 9.0]
    A[0, 0] = 1.0


def test_arrays_that_code_writes_keep_what_it_wrote():
    count = np.zeros(2)

    def f(x):
        count[0] += 1.0
        return x * count

    lifted = ag.lift(f)
    for k in range(1, 12):
        x = ag.tensor([1.0, 2.0], requires_grad=True)
        lifted(x).sum().backward()
        assert count.tolist() == [k, 0.0]
        assert x.grad.tolist() == [k, 0.0]


def test_arrays_in_containers_and_objects_are_the_users_again(later):
    class Model:
        def __init__(self):
            self.w, self.k = np.array([2.0, 3.0]), 1.0

        def loss(self, x):
            self.k += 1.0
            HELD["n"] += 1
            return x * self.w * HELD["a"][:2] * LISTED[1] * self.k

    model = Model()
    before = (model.w, HELD["a"], LISTED[1], HELD["n"])
    lifted = ag.lift(model.loss)
    for k in range(10):
        x = ag.tensor([1.0, 2.0], requires_grad=True)
        lifted(x).sum().backward()
        assert x.grad.tolist() == [4.0 * (k + 2), 9.0 * (k + 2)]
        assert (model.w, HELD["a"], LISTED[1]) == before[:3] or all(
            a is b for a, b in zip((model.w, HELD["a"], LISTED[1]), before[:3], strict=True)
        )
        assert type(model) is Model
        assert HELD["n"] == before[3] + k + 1


def test_what_code_puts_into_containers_is_left_as_in_the_first_call(later):
    seen = {"last": None, "all": []}

    def f(x):
        seen["last"] = B
        seen["all"].append(1.0)
        return x * B

    lifted = ag.lift(f)
    for k in range(8):
        lifted(ag.tensor([1.0, 2.0], requires_grad=True))
        assert seen["last"] is B
        assert seen["all"] == [1.0] * (k + 1)


def test_containers_that_get_tensors_are_left_as_before():
    kept = {"n": 1.0}

    def f(x, late):
        if late:
            kept["x"] = x[0] * 2.0
        return x * kept["n"]

    lifted = ag.lift(f)
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(6):
        lifted(x, False)
    lifted(x, True)
    assert kept["x"].requires_grad
    derivative = ag.grad(lambda x, late: f(x, late).sum())
    del kept["x"]
    for late in (False, False, False, True):
        derivative(np.array([1.0, 2.0]), late)
    assert kept["x"] == 2.0
    assert not isinstance(kept["x"], ag.Tensor)


def test_functions_in_registries_are_the_users_again(later):
    def f(x, fails=False):
        if fails:
            raise KeyError("late")
        return REGISTRY["doubled"](x)

    lifted = later(f)
    assert slope_of(lifted) == [2.0, 2.0]
    assert REGISTRY["doubled"] is doubled
    with pytest.raises(KeyError):
        lifted(ag.tensor([1.0, 2.0], requires_grad=True), True)
    assert REGISTRY["doubled"] is doubled
    assert slope_of(lifted) == [2.0, 2.0]


def test_variables_that_are_rebound(later):
    weights = np.array([1.0, 2.0])

    def f(x):
        nonlocal weights
        weights = weights + 1.0
        return x * weights

    lifted = ag.lift(f)
    for k in range(1, 9):
        x = ag.tensor([1.0, 2.0], requires_grad=True)
        lifted(x).sum().backward()
        assert x.grad.tolist() == [1.0 + k, 2.0 + k]
        assert weights.tolist() == [1.0 + k, 2.0 + k]
    for k in range(5):
        weights = np.full(2, float(k))
        lifted(x)
        assert weights.tolist() == [k + 1.0] * 2


def test_globals_that_are_rebound_in_each_step():
    def loss(x):
        return x * BATCH

    lifted = ag.lift(loss)
    for k in range(12):
        globals()["BATCH"] = np.array([k, 2.0 * k])
        x = ag.tensor([1.0, 2.0], requires_grad=True)
        lifted(x).sum().backward()
        assert x.grad.tolist() == [k, 2.0 * k]
    globals()["BATCH"] = 3.0
    assert slope_of(lifted) == [3.0, 3.0]


def test_errors_leave_everything_as_it_was(later):
    class Model:
        def __init__(self):
            self.w = np.array([2.0, 3.0])

        def loss(self, x, fails=False):
            if fails:
                self.w[:] = 5.0
                raise ValueError("late")
            return x * self.w

    model = Model()
    held = model.w
    lifted = later(model.loss)
    with pytest.raises(ValueError, match="late"):
        lifted(ag.tensor([1.0, 2.0], requires_grad=True), True)
    assert model.w is held
    assert held.tolist() == [5.0, 5.0]
    assert type(model) is Model
    assert slope_of(lifted) == [5.0, 5.0]


def test_tensors_in_arguments_get_their_gradients():
    params = {"w": ag.tensor([1.0, 2.0], requires_grad=True), "b": [ag.tensor(1.0)]}

    def loss(params, x):
        return (params["w"] * x + params["b"][0]).sum()

    lifted = ag.lift(loss)
    w = params["w"]
    for k in range(1, 8):
        lifted(params, B).backward()
        assert w.grad.tolist() == [1.0 * k, 2.0 * k]
        assert params["w"] is w


def test_memory_that_is_lent_out_is_not_taken_again():
    """Through a NumPy array over a tensor's memory anything may be written unseen."""
    weights = np.array([3.0, 4.0])

    def f(x):
        alias = np.asarray(weights, copy=False)
        alias[0] = alias[0] * 1.0
        return x * weights

    for _ in range(4):
        assert slope_of(f) == [3.0, 4.0]


def test_what_stands_for_arrays_goes_with_them():
    def f(x, w):
        return x * w

    lifted = ag.lift(f)
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    gc.collect()
    before = len(arrays.STANDING)
    for k in range(50):
        lifted(x, np.full(2, float(k)))
    gc.collect()
    assert len(arrays.STANDING) <= before + 2
    many = [np.full(2, float(k)) for k in range(2 * arrays._AT_MOST)]
    for w in many:
        lifted(x, w)
    assert len(arrays.STANDING) <= arrays._AT_MOST
    assert len(arrays.TENSORS) <= arrays._AT_MOST


@pytest.mark.parametrize("part", [slice(None), slice(1, None)], ids=["owner", "view"])
def test_what_shares_memory_keeps_no_array_alive(part):
    lifted = ag.grad(lambda x, w: (w[:2] * x).sum())
    owners = [np.ones(1 << 14) for _ in range(9)] + [np.ones(4)]
    owners[-1].flags.writeable = False
    alive = [weakref.ref(w) for w in owners]
    while owners:
        assert np.array_equal(lifted(np.ones(2), owners.pop()[part]), [1.0, 1.0])
    gc.collect()
    assert [w for w in alive if w() is not None] == []


def test_results_that_are_arrays_of_the_user_are_not_tensors_in_containers(later):
    lifted = later(lambda x: (x * B, B))
    out, array = lifted(ag.tensor([1.0, 2.0], requires_grad=True))
    assert out.requires_grad
    assert array is B


def test_views_that_code_returns_may_be_written_by_the_user():
    """They lie in the memory of what stands for the array, which was taken again unseen."""
    weights = np.array([1.0, 2.0, 3.0])

    def f(x):
        return (weights * x**2).sum(), weights[:2]

    derivative = ag.value_and_grad(f, has_aux=True)
    for _ in range(6):
        (value, part), slope = derivative(np.ones(3))
        assert value == weights.sum()
        assert slope.tolist() == (2.0 * weights).tolist()
        part[0] += 100.0


def test_tuples_that_code_frees_are_not_taken_for_others():
    """By its id a new tuple, which held a tensor, was one that had been there before."""
    state = {"held": (1.0, 2.0), "calls": 0}

    def f(x, state):
        state["calls"] += 1
        if state["calls"] > 7:
            for k in range(40):
                state["held"] = None
                state["held"] = (x * 2, k)
        return (x**2).sum()

    derivative = ag.grad(f)
    for i in range(10):
        derivative(np.ones(3), state)
        assert not isinstance(state["held"][0], ag.Tensor)
        if i < 7:
            state["held"] = (float(i), [])


@pytest.mark.parametrize("way", ["global", "argument"])
@pytest.mark.parametrize("n", [4, 200])
def test_large_arrays_that_change_before_the_backward_pass(n, way):
    """From 32 KiB on they were shared with the graph, which did not keep copies."""
    weights = np.ones((n, n))
    if way == "global":
        lifted, more = ag.lift(lambda x: (weights @ x**2).sum()), ()
    else:
        lifted, more = ag.lift(lambda x, w: (w @ x**2).sum()), (weights,)
    for _ in range(8):
        x = ag.ones(n).requires_grad_()
        y = lifted(x, *more)
        weights[:] = 0.0
        y.backward()
        assert x.grad.tolist() == [2.0 * n] * n
        weights[:] = 1.0


def test_strided_views_share_memory_with_their_array():
    owner = np.arange(5.0)
    windows = np.lib.stride_tricks.as_strided(owner, (3, 3), (8, 8))

    def f(x):
        owner[2] *= 10.0
        return windows @ x

    assert ag.jacrev(f)(np.ones(3)).tolist() == [
        [0.0, 1.0, 20.0],
        [1.0, 20.0, 3.0],
        [20.0, 3.0, 4.0],
    ]
    assert owner.tolist() == [0.0, 1.0, 20.0, 3.0, 4.0]


def test_large_arrays_are_not_held(later):
    """What stands for one shares its memory: each batch of a training loop stayed alive."""
    lifted = later(lambda x, batch: (x * batch[:2]).sum(), np.ones(10_000))
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(5):
        batch = np.full(10_000, 2.0)
        there = weakref.ref(batch)
        lifted(x, batch).backward()
        lifted(x, batch[::2])
        del batch
        gc.collect()
        assert there() is None
    assert not arrays.SHARED


def test_objects_that_change_their_class():
    """They had their old class again after each call."""

    class Idle:
        def go(self, x):
            self.__class__ = Running
            return x * 2.0

    class Running:
        def go(self, x):
            self.__class__ = Idle
            return x * 3.0

    for make in (ag.lift, lambda f: ag.jacrev(f)):
        state = Idle()
        f = make(lambda x, state: state.go(x))
        for k in range(9):
            f(ag.tensor([1.0, 2.0], requires_grad=True), state)
            assert type(state) is (Running, Idle)[k % 2]
