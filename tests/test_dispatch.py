"""The dispatch table: lookups, registration, devices, modes."""

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import _dispatch, _op, ops
from arraygrad._apply import wrap
from arraygrad._device import Device, register_device
from arraygrad._dispatch import register_kernel
from arraygrad._elementwise import elementwise
from tests.fresh_process import run

F8 = np.dtype("float64")


def test_every_op_with_a_kernel_is_in_the_printed_table():
    ops.load_all()  # chapters register their kernels when they are imported
    rows = list(_dispatch.table())
    assert {"add", "sum", "matmul", "take"} <= {op for op, *_ in rows}
    assert all(len(row) == 5 for row in rows)


def test_missing_combination_names_what_exists():
    with pytest.raises(ag.errors.DispatchError, match=r"tpu.*cpu/strided"):
        _dispatch.lookup("add", "tpu", "strided", (F8, F8))
    with pytest.raises(ag.errors.DispatchError, match="no kernel at all"):
        _dispatch.lookup("frobnicate", "cpu", "strided", (F8,))


def test_unsupported_dtype_is_refused():
    with pytest.raises(ag.errors.DTypeError, match="bitwise_and"):
        ag.bitwise_and(ag.tensor([1.0]), ag.tensor([1.0]))


class PairArray:
    """Arrays of a toy device that counts its kernel calls."""

    layout = "strided"

    def __init__(self, host):
        self.host = np.asarray(host)

    dtype = property(lambda self: self.host.dtype)
    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    nbytes = property(lambda self: self.host.nbytes)
    size = property(lambda self: self.host.size)

    @property
    def device(self):
        return TOY


TOY = Device("toy", 0)
CALLS = []


def toy_kernel(name, function):
    def kernel(*arrays, **attributes):
        CALLS.append(name)
        return PairArray(function(*(a.host for a in arrays), **attributes))

    return kernel


@pytest.fixture
def toy_device():
    register_device(TOY, PairArray, lambda array: array.host)
    register_kernel("add", toy_kernel("add", np.add), device="toy")
    register_kernel("multiply", toy_kernel("multiply", np.multiply), device="toy")
    CALLS.clear()
    return TOY


def test_another_device_runs_its_own_kernels(toy_device):
    x = ag.tensor([1.0, 2.0]).to_device("toy:0")
    y = x * x + x
    assert CALLS == ["multiply", "add"]
    assert y.device == toy_device == "toy:0"
    assert y.to_device("cpu").tolist() == [2.0, 6.0]
    with pytest.raises(ag.errors.DispatchError, match=r"exp has no kernel for device 'toy'"):
        ag.exp(x)
    with pytest.raises(ag.errors.DeviceError, match="to_device"):
        x + ag.tensor([1.0, 2.0])


def test_gradients_cross_devices(toy_device):
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    there = x.to_device(toy_device)
    back = (there * there).to_device("cpu")
    name = "absorbing_multiply"
    register_kernel(name, toy_kernel(name, np.multiply), device="toy")
    (back * ag.tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [2.0, 40.0]
    assert "absorbing_multiply" in CALLS


def test_a_registered_op_and_kernel_take_part_in_everything():
    op = _op.declare(
        _op.Op(
            "test_double_square",
            ("x",),
            _op.Partials(x=lambda x: ag.multiply(x, 4.0)),
            family="elementwise",
        )
    )
    register_kernel("test_double_square", lambda x, out=None: np.multiply(2 * x, x, out=out))
    x = ag.tensor([1.0, 3.0], requires_grad=True)
    elementwise(op, x).sum().backward()
    assert x.grad.tolist() == [4.0, 12.0]
    del _op.OPS["test_double_square"]


def test_registering_a_kernel_for_one_dtype_replaces_only_that():
    before = _dispatch.lookup("cosh", "cpu", "strided", (F8,))
    called = []
    ag.cosh(ag.ones(1 << 17))  # the kernels for few elements and for many are known

    def kernel(x, out=None):
        called.append(x.dtype)
        return before(x, out=out)

    register_kernel("cosh", kernel, dtypes=(F8,))
    try:
        ag.cosh(ag.tensor([1.0]))
        ag.cosh(ag.tensor(np.ones(1, np.float32)))
        assert called == [F8]
        ag.cosh(ag.ones(1 << 17))
        assert called == [F8, F8]
    finally:
        register_kernel("cosh", before, dtypes=(F8,))


@pytest.mark.parametrize("kernels", ["auto", "numba", "numpy"])
@pytest.mark.parametrize("compiling", ["background", "sync", "off"])
def test_modes_in_a_fresh_process(kernels, compiling):
    program = """
import numpy as np, arraygrad as ag
from arraygrad import _dispatch
x = ag.tensor(np.linspace(0, 1, 50), requires_grad=True)
for _ in range(3):
    x.grad = None
    y = (ag.exp(x) * x).sum()
    y.backward()
_dispatch.wait_for_compiler(120)
y = (ag.exp(x) * x).sum()
values = np.linspace(0, 1, 50)
np.testing.assert_allclose(float(y.detach()), (np.exp(values) * values).sum())
np.testing.assert_allclose(x.grad.numpy(), np.exp(values) * (1 + values))
assert not _dispatch.compile_failures(), _dispatch.compile_failures()
print("ok")
"""
    done = run(program, ARRAYGRAD_KERNELS=kernels, ARRAYGRAD_COMPILE=compiling)
    assert done.stdout.strip() == "ok", done.stderr


def test_wrong_mode_is_refused():
    done = run("import arraygrad", ARRAYGRAD_KERNELS="fast")
    assert "ARRAYGRAD_KERNELS='fast'" in done.stderr


def test_general_road_runs_kernels_of_the_operands_place(toy_device):
    register_kernel(
        "sum", toy_kernel("sum", lambda x, axis, keepdims, dtype: x.sum()), device="toy"
    )
    x = ag.tensor([1.0, 2.0]).to_device(toy_device)
    total = ag.sum(x)
    assert CALLS == ["sum"]
    assert total.to_device("cpu") == 3.0
    assert wrap(np.ones(2)).device == "cpu"


def test_an_op_is_found_before_its_chapter_has_been_imported():
    """Unpickling an op, and x **= 2 as a first act, met a table without it."""
    done = run(
        "import pickle, arraygrad as ag\n"
        "from arraygrad._op import OPS, find_op\n"
        "assert 'tan' not in OPS\n"
        "assert find_op('tan').name == 'tan'\n"
        "assert pickle.loads(pickle.dumps(OPS['tan'])) is OPS['tan']\n"
        "x = ag.tensor([2.0, 3.0]); x **= 2\n"
        "assert x.tolist() == [4.0, 9.0]\n"
    )
    assert done.returncode == 0, done.stderr


def test_that_there_is_no_kernel_is_known_after_the_first_question(monkeypatch):
    """Backward passes ask in each step for kernels that most ops do not have."""
    asked = []
    kernels = _dispatch._kernels
    monkeypatch.setattr(_dispatch, "_kernels", lambda name: asked.append(name) or kernels(name))

    def find(op):
        return _dispatch.find_kernel(op, "cpu", "strided", (F8,))

    assert find("nothing_like_it") is None
    first = len(asked)
    assert find("nothing_like_it") is None
    assert len(asked) == first
    kernel = np.negative
    register_kernel("nothing_like_it", kernel)
    try:
        assert find("nothing_like_it") is kernel
    finally:
        del _dispatch._TABLE["nothing_like_it", "cpu", "strided", None]
        _dispatch._RESOLVED.pop(("nothing_like_it", "cpu", "strided", (F8,)), None)
