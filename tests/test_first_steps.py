"""What people who come from NumPy or PyTorch type first: it works, or says what to type instead."""

import operator
import pickle
import re

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import errors
from arraygrad._lazy import Absent
from tests import fresh_process


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("median", r"np\.median"), ("kron", r"np\.kron"), ("concatenate", r"np\.concatenate"),
        ("dot", r"np\.dot"), ("array", r"ag\.tensor\(data\)"), ("cat", r"ag\.concat"),
        ("randn", r"default_rng"), ("relu", r"ag\.maximum"), ("from_numpy", r"ag\.asarray"),
    ],
)  # fmt: skip
def test_a_name_of_another_library_says_what_to_type(name, instead):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; .*{instead}") as raised:
        getattr(ag, name)
    assert raised.value.name == name  # from which Python makes "Did you mean"
    assert raised.value.obj is ag


@pytest.mark.parametrize(
    ("name", "instead"),
    [("vmap", "ag.stack"), ("jit", "call the function itself"), ("nn", "the examples")],
)
def test_what_is_not_there_yet_says_what_to_do(name, instead):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}' yet; .*{instead}"):
        getattr(ag, name)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("clone", r"x\.copy\(\)"), ("to", r"x\.astype\(dtype\)"), ("cpu", "leave it out"),
        ("zero_", r"x\[\.\.\.\] = 0"), ("add_", r"x \+= other"), ("at", r"x\[index\] = value"),
    ],
)  # fmt: skip
def test_an_attribute_of_another_library_says_what_to_type(name, instead):
    x = ag.tensor([1.0])
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; .*{instead}") as raised:
        getattr(x, name)
    assert raised.value.name == name
    assert not hasattr(x, name)
    assert name not in dir(x)


def test_hints_for_attributes_of_tensors_hold():
    """Each has a hint, which can be typed; a name that has become a method has none."""
    from arraygrad import _hints, _tensor

    assert _hints._ATTRIBUTES.keys() == _tensor._ABSENT
    for name, text in _hints._ATTRIBUTES.items():
        assert isinstance(vars(ag.Tensor)[name], Absent)
        if text.startswith("write "):
            names = {
                "ag": ag, "np": np, "x": ag.tensor([[1.0, 2.0], [3.0, 4.0]]),
                "other": ag.ones((2, 2)),
                "value": 2.0, "index": 0, "mask": ag.tensor([True, False]), "dtype": ag.float32,
                "device": "cpu",
            }  # fmt: skip
            exec(text.removeprefix("write ").partition(", or ")[0].partition(":")[0], names)


@pytest.mark.parametrize(
    "module",
    ["", "autograd", "linalg", "fft", "special", "numpy", "numpy.linalg", "numpy.fft",
     "numpy.lib.stride_tricks", "numpy.polynomial", "scipy", "scipy.stats", "scipy.spatial"],
)  # fmt: skip
def test_dir_lists_the_names_that_are_imported_when_asked_for(module):
    """By which completion in IPython works."""
    name = f"arraygrad.{module}".rstrip(".")
    found = fresh_process.run(
        f"import importlib; m = importlib.import_module({name!r}); "
        "print(*(set(getattr(m, '__all__', ())) - set(dir(m))))"
    )
    assert found.stdout.split() == []


def test_what_the_hints_say_is_there():
    from arraygrad import _hints

    hints = {**_hints._NAMES, **_hints._NOT_YET, **_hints._OTHERWISE}
    assert not [name for name in hints if hasattr(ag, name)]
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0]])
    names = {
        "ag": ag, "np": np, "x": x, "x1": x, "x2": x, "data": [1.0], "array": np.ones(2), "seed": 0,
        "rng": np.random.default_rng(0), "shape": (2, 2), "low": 0, "high": 5, "axes": (1, 0),
        "indices": ag.tensor([[0, 1]]), "mask": ag.tensor([True, False]),
    }  # fmt: skip
    for text in _hints._NAMES.values():
        code = text.partition(" with ")[0].partition(", or ")[0].removeprefix("rng = ")
        eval(code, names)


@pytest.mark.parametrize("name", ["nonsense", "pi2", "__wrapped__"])
def test_other_names_say_nothing_more(name):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'$"):
        getattr(ag, name)


@pytest.mark.parametrize(
    "take",
    [
        ag.grad, ag.value_and_grad, ag.jacobian, ag.jacfwd, ag.hessian, ag.hvp, ag.elementwise_grad,
        lambda f: ag.vjp(f, 1.0), lambda f: ag.jvp(f, (1.0,), (1.0,)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("f", [5, None, ag.tensor([1.0])])
def test_derivatives_are_taken_of_functions(take, f):
    with pytest.raises(errors.ArgumentTypeError, match=r"functions, not .*ag\.autograd\.grad"):
        take(f)


@pytest.mark.parametrize(
    "take", [ag.grad, ag.value_and_grad, ag.jacobian, ag.jacfwd, ag.hessian, ag.elementwise_grad]
)
@pytest.mark.parametrize("values", [3.0, np.ones(2), ag.tensor(3.0), [1.0], None], ids=repr)
def test_values_are_not_taken_for_argnums(take, values):
    """``ag.grad(f, x)`` gave a function, which printed as one."""
    with pytest.raises(errors.ArgumentTypeError, match=r"ag\.grad\(f\)\(x\)"):
        take(sum, values)


@pytest.mark.parametrize("argnums", [0, -1, (0,), [0], range(1), {0}, np.int64(0), np.array([0])])
def test_argnums_may_be_any_collection_of_integers(argnums):
    gradient = ag.grad(lambda x: x * x, argnums)(3.0)
    assert gradient == 6.0 or gradient == (6.0,)


@pytest.mark.parametrize(
    "take",
    [
        ag.value_and_grad, ag.jacobian, ag.hessian,
        lambda f: lambda x: ag.vjp(f, x), lambda f: lambda x: ag.jvp(f, (x,), (np.ones((2, 2)),)),
        lambda f: lambda x: ag.grad(lambda p: f(p["a"]))({"a": x}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_masked_arrays_and_matrices_are_no_arguments(take):
    """The mask was lost, and the product was that of elements: other values than the plain call."""

    def f(x):
        return (x * x).sum()

    with pytest.raises(errors.ArgumentTypeError, match=r"mask .*x\.filled"):
        take(f)(np.ma.array(np.eye(2), mask=np.eye(2)))
    with pytest.raises(errors.ArgumentTypeError, match=r"np\.matrix .*np\.asarray"):
        take(f)(np.matrix(np.eye(2)))


# A stand-in: torch is not needed to know its class by name.
TorchTensor = type("Tensor", (), {"__module__": "torch"})

BESIDE_TORCH = {
    "add": lambda x, t: x + t,
    "radd": lambda x, t: t + x,
    "matmul": lambda x, t: x @ t,
    "floordiv": lambda x, t: x // t,
    "pow": lambda x, t: t**x,
    "in place": operator.iadd,
    "equal": operator.eq,
    "less": operator.lt,
    "function": lambda x, t: ag.sum(t),
    "written": lambda x, t: operator.setitem(x.copy(), 0, t),
    "gradient": lambda x, t: ag.grad(ag.sum)(t),
}


@pytest.mark.parametrize("name", BESIDE_TORCH)
def test_errors_name_the_library_of_the_other_tensor(name):
    with pytest.raises(errors.ArgumentTypeError, match=r"torch\.Tensor"):
        BESIDE_TORCH[name](ag.tensor([1.0, 2.0]), TorchTensor())


def test_methods_are_called_by_the_name_of_their_class():
    """Python's own message said NdarrayMethods.sum()."""
    with pytest.raises(TypeError, match=r"^Tensor\.sum\(\) got an unexpected keyword .*dim"):
        ag.tensor([1.0]).sum(dim=0)
    for method in (ag.Tensor.sum, ag.Tensor.__add__, ag.Tensor.tobytes):
        assert pickle.loads(pickle.dumps(method)) is method


@pytest.mark.parametrize("make", [ag.tensor, ag.asarray])
def test_a_dict_is_no_sequence(make):
    with pytest.raises(errors.ArgumentTypeError, match=r"list\(x\.values\(\)\)"):
        make({1: 2.0})


def test_broadcast_arrays_takes_what_is_no_number_beside_tensors():
    """Matplotlib broadcasts positions with colours, hatches and None."""
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y, none, text, objects = np.broadcast_arrays(
        x, None, "//", np.array([[None], ["a"]], dtype=object)
    )
    assert isinstance(y, ag.Tensor)
    assert y.shape == (2, 2)
    y.sum().backward()
    assert np.array_equal(x.grad, [2.0, 2.0])
    assert [type(a) for a in (none, text, objects)] == [np.ndarray] * 3
    assert none.shape == text.shape == objects.shape == (2, 2)
    assert (text == "//").all()
    assert objects[1, 0] == "a"


class TestData:
    """The older way to change a parameter: through ``p.data``."""

    def test_writing_in_place(self):
        p = ag.tensor([1.0, 2.0], requires_grad=True)
        loss = (p**3).sum()
        p.data -= 0.5
        assert p.requires_grad
        assert np.array_equal(p.detach(), [0.5, 1.5])
        loss.backward()
        assert np.array_equal(p.grad, [3.0, 12.0])  # at the values that the loss has seen

    @pytest.mark.parametrize("value", [np.array([5.0, 6.0]), ag.tensor([5.0, 6.0]), [5, 6]])
    def test_setting(self, value):
        p = ag.tensor([1.0, 2.0], requires_grad=True)
        p.data = value
        assert np.array_equal(p.detach(), [5.0, 6.0])
        assert p.is_leaf
        assert p.requires_grad

    def test_the_shape_stays(self):
        p = ag.tensor([1.0, 2.0], requires_grad=True)
        with pytest.raises(errors.ShapeError):
            p.data = ag.zeros(3)
        assert np.array_equal(p.detach(), [1.0, 2.0])


def test_info_says_where_compiled_kernels_are(capsys):
    from arraygrad import __main__ as command

    assert command.main(["info"]) == 0
    out = capsys.readouterr().out
    assert f"arraygrad     {ag.__version__}\n" in out
    assert " from arraygrad_kernels" in out
    assert re.search(r"^kernel cache  .* \(\d+ compiled files\)$", out, re.MULTILINE)


class TestFunction:
    def test_has_no_instances(self):
        class Double(ag.Function):
            pass

        with pytest.raises(errors.ArgumentTypeError, match=r"Double\.apply\(x\)"):
            Double()

    def test_says_which_class_lacks_what(self):
        class Empty(ag.Function):
            pass

        class Half(ag.Function):
            @staticmethod
            def forward(ctx, x):
                return x / 2

        x = ag.tensor(1.0, requires_grad=True)
        with pytest.raises(NotImplementedError, match="Empty needs a static method forward"):
            Empty.apply(x)
        with pytest.raises(NotImplementedError, match="Half needs a static method backward"):
            Half.apply(x)
        assert float(Half.apply(x.detach())) == 0.5


class TestMessagesAboutLostGradients:
    x = ag.tensor([1.0, 2.0], requires_grad=True)

    def test_outside_of_lifted_code_lifting_is_a_way_out(self):
        with pytest.raises(errors.DetachError, match=r"ag\.lift"):
            np.asarray(self.x)

    def test_lifted_code_is_not_told_to_lift(self):
        def f(x):
            return np.ma.masked_less(x, 1.5).sum()

        with pytest.raises(errors.DetachError) as raised:
            ag.grad(f)(np.array([1.0, 2.0]))
        assert "ag.lift" not in str(raised.value)
        assert "ag.primitive" in str(raised.value)

    def test_the_function_of_a_library_that_converts_is_named(self):
        with pytest.raises(errors.DetachError, match=r"in np\.ma\.MaskedArray would lose"):
            np.ma.masked_array(self.x)

    def test_each_way_out_is_said_once(self):
        with pytest.raises(errors.DetachError) as raised:
            np.save("never.npy", self.x)
        assert str(raised.value).count("detach()") == 1


def test_modes_that_are_not_called_in_a_with_statement():
    for mode in (ag.no_grad, ag.enable_grad):
        words = rf"`with ag.{mode.__name__}\(\):`"
        with pytest.raises(ag.errors.ArgumentTypeError, match=words), mode:
            pass


def test_names_of_other_libraries_are_errors_of_ours():
    with pytest.raises(ag.errors.MissingNameError, match=r"write ag\.concat"):
        ag.cat
    with pytest.raises(ag.errors.MissingNameError, match=r"write x\.size"):
        ag.ones(2).numel()


def test_an_argument_of_a_dtype_that_tensors_have_not():
    with pytest.raises(ag.errors.DTypeError, match=r"^argument 0 of sum: tensors cannot hold"):
        ag.grad(np.sum)(np.array(["a"]))
